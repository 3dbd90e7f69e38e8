"""Near-duplicates: what counts as one, how they are looked for, and when nobody looks."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NoReturn

import pytest

from recordance.domain.similarity import MAX_PROBES, alike, likeness, probes
from recordance.errors import MissingState, RecordanceError, ReplicaDamaged, StateKind
from recordance.ports.truth import TruthWriter
from recordance.usecases.follow import FollowerStatus, RecallView
from recordance.usecases.store import Destinations
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from support.stores import DEFAULT, Bench, Parts, bench, draft
from support.truths import IDENTITY, NOON, captured, make_capture, stands, write


def words(first: int, last: int) -> frozenset[str]:
    return frozenset(f"word{number}" for number in range(first, last))


def test_half_of_all_distinct_words_makes_a_near_duplicate() -> None:
    """W1: Jaccard of .5, over distinct folded words."""
    assert likeness(words(0, 4), words(0, 4)) == 1.0
    assert likeness(words(0, 3), words(1, 4)) == 0.5
    assert alike(likeness(words(0, 3), words(1, 4)))
    assert not alike(likeness(words(0, 5), words(2, 7)))
    assert likeness(frozenset(), frozenset()) == likeness(words(0, 2), words(5, 6)) == 0.0


def test_near_duplicates_are_stored_and_listed_with_their_scores() -> None:
    """W1: "1.38" and "1.39" are two facts, and whoever writes the second is shown the first."""
    store = bench()
    store.learn("We pin tokio at 1.38")
    (result,) = store.tell(draft("we pin TOKIO at 1.39!"))["results"]
    assert result == {"status": "captured", "id": "cap-2", "similar": [{"id": "cap-1", "score": 0.71}]}


def test_at_most_three_are_listed_the_most_alike_first_then_the_earliest() -> None:
    """W1: up to 3."""
    store = bench()
    store.learn("a b c d e", "a b c d e f g", "a b c d e f", "a b c d x", "a b c d y")
    (result,) = store.tell(draft("e d c b a"))["results"]
    assert result["similar"] == [{"id": "cap-1", "score": 1.0}, {"id": "cap-3", "score": 0.83}, {"id": "cap-2", "score": 0.71}]
    (tied,) = store.tell(draft("a b c d z"))["results"]
    assert [each["id"] for each in tied["similar"]] == ["cap-1", "cap-4", "cap-5"]


def test_only_the_same_project_is_searched() -> None:
    """W1: same project; what is said elsewhere is another matter."""
    store = bench()
    store.learn("a b c d", project_id="nott")
    store.learn("a b c d e")
    (result,) = store.tell(draft("a b c d f", project_id="nott"))["results"]
    assert [each["id"] for each in result["similar"]] == ["cap-1"]
    (below,) = store.tell(draft("a b c d f", project_id="nott/x"))["results"]
    assert "similar" not in below


@pytest.mark.parametrize("dead", ["superseded_at", "archived_at", "falsified_at", "quarantined_at"])
def test_what_may_not_ground_is_not_listed(dead: str) -> None:
    """W1: a hint to something that no recall shows would send its reader nowhere."""
    store = bench()
    store.learn("a b c d")
    write(store.truth, stands(1, **{dead: 0}))
    assert "similar" not in store.tell(draft("a b c d e"))["results"][0]


def test_what_an_item_supersedes_is_not_listed_as_like_it() -> None:
    """W1, W7: the answer says that it was retired; to list it again would offer it as living."""
    store = bench()
    store.learn("pin tokio at 1.38", key="tokio")
    (result,) = store.tell(draft("pin tokio at 1.39", key="tokio"))["results"]
    assert result == {"status": "captured", "id": "cap-2", "superseded": ["cap-1"]}


def test_siblings_in_a_batch_are_compared_with_those_before_them() -> None:
    """W1: within the batch as well, or two near-duplicates would hide by coming together."""
    answer = bench().tell(draft("a b c d"), draft("a b c d e"), draft("a b c d", project_id="p"))
    assert "similar" not in answer["results"][0]
    assert answer["results"][1]["similar"] == [{"id": "cap-1", "score": 0.8}]
    assert "similar" not in answer["results"][2]


def test_batches_over_twenty_are_not_searched_and_say_so() -> None:
    """W1: skipped, and said so."""
    contents = [f"a b c d {number}" for number in range(21)]
    store = bench()
    answer = store.tell(*map(draft, contents))
    assert answer["similar_skipped"].startswith("near-duplicates are looked for in batches of up to 20")
    assert not any("similar" in result for result in answer["results"])
    smaller = bench().tell(*map(draft, contents[:20]))
    assert "similar_skipped" not in smaller
    assert "similar" in smaller["results"][1]


def test_content_without_words_is_like_nothing() -> None:
    """W1: no word is shared where there is none."""
    store = bench()
    store.learn("!!!")
    (result,) = store.tell(draft("???"))["results"]
    assert (result["status"], result["id"]) == ("captured", "cap-2")
    assert "similar" not in result


def test_what_is_looked_for_stays_bounded_however_long_a_content_is() -> None:
    """W1: a document of thousands of words is compared by its rarest words, not for ever."""
    asked = probes(sorted(words(0, 5_000)), 5_000, 64)
    assert len(asked.probes) == MAX_PROBES
    assert all(len(probe.words) <= 64 for probe in asked.probes)


def test_the_commonest_words_are_not_looked_for_and_nothing_is_where_too_few_are_known() -> None:
    """W1: what stands everywhere tells nothing, and what shares half must share words that some capsule has."""
    rarest_first = [f"word{number:02}" for number in range(40)]
    (probe,) = probes(rarest_first, 40, 64).probes
    assert probe.words == tuple(rarest_first[:25])
    assert probe.least == 5
    assert probes(rarest_first[:19], 40, 64).probes == ()
    assert probes([], 0, 64).probes == ()


def test_a_long_near_duplicate_is_found() -> None:
    """W1: texts of hundreds of words are searched in several queries."""
    store = bench()
    store.learn(" ".join(sorted(words(0, 400))))
    (result,) = store.tell(draft(" ".join(sorted(words(100, 420)))))["results"]
    assert result["similar"] == [{"id": "cap-1", "score": 0.71}]


class Unreadable:
    """A term index that answers nothing, standing in the place of a follower."""

    def __init__(self, error: RecordanceError, behind: int = 0) -> None:
        self._error = error
        self._behind = behind

    def status(self) -> FollowerStatus:
        return FollowerStatus(self._behind, 0, 0)

    @contextmanager
    def at_head(self) -> Iterator[RecallView]:
        self._refuse()
        yield

    def _refuse(self) -> NoReturn:
        raise self._error


def over(store: Bench, terms: Unreadable) -> Bench:
    broken = replace(store.store, terms=terms)  # type: ignore[arg-type]  # it has what a write uses
    return replace(store, store=broken, destinations=Destinations({DEFAULT: broken}))


@pytest.mark.parametrize(
    "terms",
    [
        Unreadable(ReplicaDamaged("torn")),
        Unreadable(MissingState(StateKind.INDEX_BEHIND, "main", "wait")),
        Unreadable(ReplicaDamaged("never reached"), behind=5_000),
    ],
)
def test_an_index_that_cannot_answer_costs_the_hint_and_never_the_write(terms: Unreadable) -> None:
    """W1: the truth fails closed, a hint fails open and says so."""
    store = over(bench(), terms)
    answer = store.tell(draft("a b c d"), draft("a b c d e"))
    assert answer["captured"] == 2
    assert answer["similar_skipped"].startswith("the term index")
    assert "similar" not in answer["results"][1]


class Overtaken(MemoryTruth):
    """A truth in which somebody else stores `waiting` right before the next writing transaction."""

    waiting: str | None = None

    @contextmanager
    def writing(self) -> Iterator[TruthWriter]:
        if self.waiting is not None:
            content, self.waiting = self.waiting, None
            with super().writing() as other:
                other.apply(captured(make_capture(other.last_number() + 1, content)), "bob", NOON)
        with super().writing() as writer:
            yield writer


def test_what_was_stored_since_the_index_was_read_is_compared_as_well() -> None:
    """W1, case C12: two agents who write the same thing at the same moment are told of each other."""
    truth = Overtaken(IDENTITY)
    store = bench(Parts(truth=truth))
    truth.waiting = "a b c d e"
    (result,) = store.tell(draft("a b c d"))["results"]
    assert result == {"status": "captured", "id": "cap-2", "similar": [{"id": "cap-1", "score": 0.8}]}
    truth.waiting = "f g h"
    (same,) = store.tell(draft("f g h"))["results"]
    assert same == {"status": "deduplicated", "id": "cap-3"}
