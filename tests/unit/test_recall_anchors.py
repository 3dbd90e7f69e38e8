"""Anchors: what the repository says of them now, on every result."""

from dataclasses import replace
from typing import Any

import pytest

from recordance.domain.provenance import read_anchor
from support.recalls import Recalls, Repository


def recalled(repository: Repository, *anchors: str, after: dict[str, list[str]] | None = None) -> dict[str, Any]:
    """The result for a capsule that was captured with these anchors, the files being as `after` by the time of the recall."""
    recalls = Recalls(repository=repository)
    read = [read_anchor(text) for text in anchors]
    recalls.remember("tokio", anchors=tuple(replace(each, file_hash=repository.file_hash(each)) for each in read))
    repository.files.update(after or {})
    result: dict[str, Any] = recalls.ask("tokio")["results"][0]
    return result


def state(result: dict[str, Any]) -> tuple[Any, Any]:
    return result.get("anchor_live"), result.get("anchor_drift")


FILE = {"src/lib.rs": ["one", "two", "three"]}


def repository(**given: Any) -> Repository:
    return Repository(files={path: list(lines) for path, lines in FILE.items()}, **given)


def test_a_place_that_stands_is_live_and_unchanged() -> None:
    """O5: the path and its line exist, and the file has the hash that it had."""
    assert state(recalled(repository(), "src/lib.rs:3")) == (True, "unchanged")


def test_a_line_beyond_the_end_is_gone() -> None:
    """O5: the file is there, the place is not."""
    assert state(recalled(repository(), "src/lib.rs:3", after={"src/lib.rs": ["one"]})) == (False, "drifted")


def test_a_changed_file_has_drifted_though_its_line_stands() -> None:
    """O5: by the whole file's hash."""
    assert state(recalled(repository(), "src/lib.rs:1", after={"src/lib.rs": ["one", "2", "three"]})) == (True, "drifted")


def test_a_missing_file_is_gone_and_its_drift_unknown() -> None:
    """O5: deletion is a matter of liveness."""
    assert state(recalled(repository(), "src/gone.rs:1")) == (False, "unknown")


def test_without_a_hash_from_the_capture_the_drift_is_unknown() -> None:
    """O5: what was not seen then cannot be compared now."""
    assert state(recalled(Repository(), "src/lib.rs:1", after=FILE)) == (True, "unknown")


@pytest.mark.parametrize("anchor", ["/etc/passwd:1", "../outside:1", "a/../../b:1", "link:1", "doc-7", "&3", "a quote\nof lines"])
def test_what_may_not_or_cannot_be_probed_is_unknown(anchor: str) -> None:
    """O5: absolute, climbing, by symlink, or no path at all."""
    fenced = repository(symlinks=frozenset({"link"}))
    fenced.files |= {"/etc/passwd": ["x"], "../outside": ["x"], "link": ["x"], "a/../../b": ["x"]}
    assert state(recalled(fenced, anchor)) == ("unknown", "unknown")


def test_a_capsule_without_anchor_says_nothing_of_one() -> None:
    """O4: what does not apply is absent."""
    assert state(recalled(repository())) == (None, None)


def test_the_first_of_several_anchors_is_probed() -> None:
    """O4, O5, W1: and shown; the others are one get away."""
    result = recalled(repository(), "src/gone.rs:1", "src/lib.rs:1")
    assert (result["provenance"]["anchor"], state(result)) == ("src/gone.rs:1", (False, "unknown"))


def test_only_what_may_be_shown_is_probed() -> None:
    """O5: a recall that shows nothing reads no file."""

    class Untouched(Repository):
        def read(self, anchor: Any) -> Any:
            raise AssertionError(anchor)

    recalls = Recalls(repository=Untouched())
    recalls.remember("tokio", anchors=(read_anchor("src/lib.rs:1"),))
    for given in ({"limit": 0}, {"token_budget": 0}):
        assert recalls.ask("tokio", **given)["matched"] == 1
