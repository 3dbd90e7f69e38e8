"""What is said of the indexes of other machines, by what their processes have said in the database last (W6)."""

from dataclasses import dataclass

import pytest

from recordance.domain.instant import MICROSECONDS_PER_DAY, Instant
from recordance.domain.place import Place, PlaceState
from recordance_adapters.driven.system.other_hosts import elsewhere
from support.truths import NOON

MINUTE = 60 * 1_000_000


@dataclass(frozen=True)
class Word:
    """What a process said last."""

    id: str = "f.0123456789abcdef"
    seen_at: Instant = NOON
    left_at: Instant | None = None
    clean_terms: int = 9
    clean_vectors: int = 9


def told(*said: Word, now: int = NOON) -> tuple[list[tuple[str, str]], bool]:
    found = elsewhere(said, 9, Instant(now))
    return [(place.name, place.state.value) for place in found.places], found.awaited


def test_who_lives_and_is_clean_is_told_as_purged() -> None:
    """W6: a receipt names each index, also of machines that this one cannot look into."""
    assert told(Word()) == ([("replica 01234567, term index", "purged"), ("replica 01234567, vector index", "purged")], False)


@pytest.mark.parametrize(("late", "name"), [("clean_terms", "term index"), ("clean_vectors", "vector index")])
def test_who_lives_and_is_not_clean_yet_is_awaited(late: str, name: str) -> None:
    """W6: each purges its own, soon, and says so."""
    places, awaited = told(Word(**{late: 8}))
    assert [place for place in places if place[1] == "pending"] == [(f"replica 01234567, {name}", "pending")]
    assert awaited


@pytest.mark.parametrize(
    ("word", "now"),
    [(Word(clean_terms=8, left_at=NOON), NOON + MINUTE), (Word(clean_terms=8), NOON + 4 * MINUTE)],
    ids=["ended", "silent"],
)
def test_who_ended_or_is_silent_is_pending_and_not_waited_for(word: Word, now: int) -> None:
    """W6: nobody knows when it comes back; what its disk holds leaves when it does."""
    assert told(word, now=now) == ([("replica 01234567, term index", "pending")], False)


def test_who_is_silent_for_a_week_is_out_of_reach() -> None:
    """W6: to promise that it will be purged would be to promise for somebody who may never come back."""
    places = elsewhere([Word(clean_terms=8)], 9, Instant(NOON + 8 * MICROSECONDS_PER_DAY)).places
    note = "its process was not heard of since 2026-03-01T12:00:00Z"
    assert places == [Place("replica 01234567, term index", PlaceState.OUTSIDE, note)]


def test_who_is_gone_and_clean_is_not_told_of() -> None:
    """Hosts of long ago that hold nothing would only make receipts long."""
    assert told(Word(left_at=NOON), Word(), now=NOON + 8 * MICROSECONDS_PER_DAY) == ([], False)
