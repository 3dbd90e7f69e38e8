"""Anchors: what the repository says of them now, on every result."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from recordance.domain.provenance import read_anchor
from recordance_adapters.driven.in_memory.anchors import MemoryAnchors
from support.recalls import Recalls
from support.watching import Watched

FILE = {"src/lib.rs": b"one\ntwo\nthree\n"}


def recalled(files: Mapping[str, bytes], *anchors: str, after: Mapping[str, bytes] | None = None) -> dict[str, Any]:
    """The result for a capsule that was captured with these anchors, the files being as `after` by the time of the recall."""
    repository = dict(files)
    recalls = Recalls(anchors=MemoryAnchors(repository))
    read = [read_anchor(text) for text in anchors]
    recalls.remember("tokio", anchors=tuple(replace(each, file_hash=recalls.anchors.file_hash(each)) for each in read))
    repository.update(after or {})
    result: dict[str, Any] = recalls.ask("tokio")["results"][0]
    return result


def state(result: dict[str, Any]) -> tuple[Any, Any]:
    return result.get("anchor_live"), result.get("anchor_drift")


def test_a_place_that_stands_is_live_and_unchanged() -> None:
    """O5: the path and its line exist, and the file has the hash that it had."""
    assert state(recalled(FILE, "src/lib.rs:3")) == (True, "unchanged")


def test_a_line_beyond_the_end_is_gone() -> None:
    """O5: the file is there, the place is not."""
    assert state(recalled(FILE, "src/lib.rs:3", after={"src/lib.rs": b"one"})) == (False, "drifted")


def test_a_changed_file_has_drifted_though_its_line_stands() -> None:
    """O5: by the whole file's hash."""
    assert state(recalled(FILE, "src/lib.rs:1", after={"src/lib.rs": b"one\n2\nthree\n"})) == (True, "drifted")


def test_a_missing_file_is_gone_and_its_drift_unknown() -> None:
    """O5: deletion is a matter of liveness."""
    assert state(recalled(FILE, "src/gone.rs:1")) == (False, "unknown")


def test_without_a_hash_from_the_capture_the_drift_is_unknown() -> None:
    """O5: what was not seen then cannot be compared now."""
    assert state(recalled({}, "src/lib.rs:1", after=FILE)) == (True, "unknown")


@pytest.mark.parametrize(
    "anchor", ["/etc/passwd:1", "../outside:1", "a/../../b:1", "a//b:1", "a\\b:1", "doc-7", "&3", "a quote\nof lines"]
)
def test_what_may_not_or_cannot_be_probed_is_unknown(anchor: str) -> None:
    """O5: absolute, climbing, or no path at all; even where something lies there."""
    there = dict.fromkeys(("/etc/passwd", "../outside", "a/../../b", "a//b", "a\\b"), b"x")
    assert state(recalled(there, anchor)) == ("unknown", "unknown")


def test_a_capsule_without_anchor_says_nothing_of_one() -> None:
    """O4: what does not apply is absent."""
    assert state(recalled(FILE)) == (None, None)


def test_the_first_of_several_anchors_is_probed() -> None:
    """O4, O5, W1: and shown; the others are one get away."""
    result = recalled(FILE, "src/gone.rs:1", "src/lib.rs:1")
    assert (result["provenance"]["anchor"], state(result)) == ("src/gone.rs:1", (False, "unknown"))


def test_only_what_may_be_shown_is_probed() -> None:
    """O5: a recall that shows nothing reads no file."""

    def told(name: str, given: tuple[Any, ...]) -> None:
        raise AssertionError((name, given))

    recalls = Recalls(anchors=Watched(MemoryAnchors({}), "AnchorProbe", told))
    recalls.remember("tokio", anchors=(read_anchor("src/lib.rs:1"),))
    for given in ({"limit": 0}, {"token_budget": 0}):
        assert recalls.ask("tokio", **given)["matched"] == 1
