"""Revisions travel: an export carries what a capsule said before, and what was forgotten of it stays out (W10, W13, W6)."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recordance.domain.draft import CapsuleDraft
from recordance.domain.forgetting import content_mac
from recordance.domain.identity import content_digest
from recordance.domain.journal import Op
from recordance.domain.revision import CapsuleChanges
from recordance.errors import InvalidArgument
from recordance.ports.truth import Truth
from recordance.usecases.forget import forget
from recordance.usecases.transfer import export_lines, import_lines
from recordance.usecases.update import Update, update
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from support.stores import ANN, Bench, Parts, bench
from support.truths import IDENTITY, open_truth, read_everything

ADAPTERS = ("in_memory", "sqlite")


@pytest.fixture(params=ADAPTERS)
def new_bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Bench]]:
    """Makes empty stores of one adapter."""
    opened: list[Truth] = []

    def open_another() -> Bench:
        opened.append(open_truth(request.param, tmp_path / str(len(opened))))
        return bench(Parts(truth=opened[-1]))

    yield open_another
    for truth in opened:
        truth.close()


def say(store: Bench, content: str, id: str = "cap-1") -> None:
    """The next revision of a capsule."""
    store.clock.advance(1)
    update(store.destinations, ANN, None, Update(id=id, changes=CapsuleChanges(said={"content": content}, labels={}, weighed={})))


def carried(here: Bench, there: Bench, change: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
    """Export one store and import it into another, its first capsule's line changed on the way."""
    lines = list(export_lines(here.destinations, ANN, None))
    if change is not None:
        place = next(place for place, line in enumerate(lines) if line.startswith('{"capsule"'))
        told = json.loads(lines[place])
        change(told["capsule"])
        lines[place] = json.dumps(told)
    return import_lines(there.destinations, ANN, None, lambda: iter(lines), lambda done, total: None)


def contents(store: Bench, number: int = 1) -> list[str]:
    with store.truth.reading() as reader:
        return [text.content for text in reader.revisions(number)]


def test_a_restored_store_has_every_revision(new_bench: Callable[[], Bench]) -> None:
    """W10, W13: lossless, journal and all; what was forgotten is known by the keyed hash of each of its contents."""
    here, there = new_bench(), new_bench()
    here.learn("one", "secret a", tags=("t",))
    for content in ("two", "three"):
        say(here, content)
    say(here, "secret b", "cap-2")
    forget(here.destinations, ANN, None, "cap-2")
    carried(here, there)
    assert contents(there) == ["one", "two", "three"]
    with here.truth.reading() as one, there.truth.reading() as other:
        assert read_everything(one) == read_everything(other)
        macs = [content_mac(content_digest(content), IDENTITY.key) for content in ("secret a", "secret b")]
        assert other.forgotten(macs) == dict.fromkeys(macs, 2)


def test_a_merged_capsule_brings_its_revisions_under_its_new_number(new_bench: Callable[[], Bench]) -> None:
    """W10, W13: the history there is the history here, a row for each revision."""
    here, there = new_bench(), new_bench()
    here.learn("one")
    say(here, "two")
    there.learn("mine")
    carried(here, there)
    assert contents(there, 2) == ["one", "two"]
    with there.truth.reading() as reader:
        assert [(row.op, row.revision) for row in reader.history(2)] == [(Op.CAPTURED, 1), (Op.REVISED, 2)]
        assert reader.corpus().words == 2


def test_a_former_revision_that_was_forgotten_here_does_not_come_along(new_bench: Callable[[], Bench]) -> None:
    """W6, W10, W13: its last words may stay; the history that has forgotten ones in it is left behind."""
    here, there = new_bench(), new_bench()
    here.learn("my number is 555")
    say(here, "no number at all")
    there.learn("my number is 555")
    forget(there.destinations, ANN, None, "cap-1")
    carried(here, there)
    assert contents(there, 2) == ["no number at all"]
    with there.truth.reading() as reader:
        assert reader.capsules([2])[2].revision == 2


def test_a_merge_forgets_what_says_something_forgotten_in_any_revision() -> None:
    """W6, W10, W13: two copies of one store; forgotten in one, its history is gone from the other as well."""
    here, there = bench(), bench(Parts(truth=MemoryTruth(IDENTITY)))
    for store in (here, there):
        store.learn("my number is 555")
    say(there, "no number at all")
    forget(here.destinations, ANN, None, "cap-1")
    carried(here, there)
    with there.truth.reading() as reader:
        assert reader.capsules([1])[1].standing.tombstoned_at is not None
        mac = content_mac(content_digest("no number at all"), IDENTITY.key)
        assert reader.tombstones([1])[1].content_mac == mac


def stored(store: Bench, content: str) -> str:
    """What becomes of a content that is stored (again)."""
    (result,) = store.tell(CapsuleDraft(content=content))["results"]
    return str(result["status"])


def test_a_tombstone_that_is_known_takes_over_what_the_other_one_keeps_out(new_bench: Callable[[], Bench]) -> None:
    """W6, W10, W13: forgotten on both sides, and said there before: no revision of it comes back, written or imported."""
    here, there, third = new_bench(), new_bench(), new_bench()
    here.learn("no number at all")
    forget(here.destinations, ANN, None, "cap-1")
    there.learn("my number is 555")
    third.learn("my number is 555")
    say(there, "no number at all")
    forget(there.destinations, ANN, None, "cap-1")
    answer = carried(there, here)
    assert answer["deduplicated"] == 1
    mac = content_mac(content_digest("my number is 555"), IDENTITY.key)
    with here.truth.reading() as reader:
        assert reader.tombstones([1])[1].former_macs == (mac,)
        rows = len(reader.history(1))
    assert stored(here, "my number is 555") == "rejected"
    assert carried(third, here)["forgotten"] == 1
    carried(there, here)
    with here.truth.reading() as reader:
        assert len(reader.history(1)) == rows, "what is known is not learnt again"


def test_what_lives_here_is_forgotten_where_a_known_tombstone_brings_its_content(new_bench: Callable[[], Bench]) -> None:
    """W6, W10, W13: the tombstone is known by its last content, and what it said before still stands here."""
    here, there = new_bench(), new_bench()
    here.learn("no number at all", "my number is 555")
    forget(here.destinations, ANN, None, "cap-1")
    there.learn("my number is 555")
    say(there, "no number at all")
    forget(there.destinations, ANN, None, "cap-1")
    answer = carried(there, here)
    assert answer["tombstones"] == 1
    assert contents(here, 2) == []
    assert stored(here, "my number is 555") == "rejected"
    copy = new_bench()
    carried(here, copy)
    with here.truth.reading() as one, copy.truth.reading() as other:
        assert read_everything(one) == read_everything(other)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda line: line["former"].pop(0), "former"),
        (lambda line: line["former"][0].update(revision=7), "former"),
        (lambda line: line["former"][0].update(content=" "), "former.content"),
        (lambda line: line["former"][0].update(tags=["t", "t"]), "former.tags"),
    ],
    ids=["a hole", "of another number", "without words", "a tag twice"],
)
def test_a_history_that_nobody_can_have_written_is_refused(change: Callable[[dict[str, Any]], None], field: str) -> None:
    """W10, W13, W14: what a caller may not send, a file may not bring, in any revision."""
    here, there = bench(), bench()
    here.learn("one")
    for content in ("two", "three"):
        say(here, content)
    with pytest.raises(InvalidArgument) as refused:
        carried(here, there, change)
    assert refused.value.field.endswith(field)
    assert contents(there) == []
