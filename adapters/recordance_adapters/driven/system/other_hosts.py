"""The indexes of other machines that follow one database, as far as these say in it what they have left behind (W6).

Each says so at least every PULSE_SECONDS as long as it runs. Whoever falls silent is not waited for, and after a week what its
disk holds is out of reach.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from recordance.domain.instant import MICROSECONDS_PER_DAY, Instant, format_instant
from recordance.domain.place import TERM_INDEX, VECTOR_INDEX, Place, PlaceState

PULSE_SECONDS = 60.0
_SILENT = 3 * 60 * 1_000_000
_OUT_OF_REACH = 7 * MICROSECONDS_PER_DAY
GIVEN_UP = 30 * MICROSECONDS_PER_DAY
"""After so long a silence nobody keeps what somebody said, in microseconds."""


class Said(Protocol):
    """What the process of one folder of indexes said last (see Acknowledgement)."""

    @property
    def id(self) -> str:
        """The name of the folder."""
        ...

    @property
    def seen_at(self) -> Instant:
        """When it said so."""
        ...

    @property
    def left_at(self) -> Instant | None:
        """When it ended in order; None if it has not."""
        ...

    @property
    def clean_terms(self) -> int:
        """Up to which seq nothing of what was forgotten is in its term index."""
        ...

    @property
    def clean_vectors(self) -> int:
        """Up to which seq nothing of what was forgotten is in its vector index."""
        ...


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What is known of the indexes of others: their places, and whether one of them is about to be purged."""

    places: Sequence[Place]
    awaited: bool


def elsewhere(said: Iterable[Said], seq: int, now: Instant) -> Elsewhere:
    """Return the indexes of others for what was forgotten up to `seq`; of those that are silent or ended, the unclean alone."""
    places, awaited = list[Place](), False
    for each in said:
        found = list(_places(each, seq, now))
        places += found
        awaited = awaited or (_lives(each, now) and any(place.state is PlaceState.PENDING for place in found))
    return Elsewhere(places, awaited)


def short_name(id: str) -> str:
    """Return what a folder of indexes is called by people."""
    return id.rpartition(".")[2][:8]


def _places(said: Said, seq: int, now: Instant) -> Iterator[Place]:
    for index, clean in ((TERM_INDEX, said.clean_terms), (VECTOR_INDEX, said.clean_vectors)):
        name = f"replica {short_name(said.id)}, {index}"
        if clean < seq:
            yield Place(name, *_unclean(said, now))
        elif _lives(said, now):
            yield Place(name, PlaceState.PURGED)


def _unclean(said: Said, now: Instant) -> tuple[PlaceState, str]:
    since = format_instant(said.seen_at)
    if now - said.seen_at > _OUT_OF_REACH:
        return PlaceState.OUTSIDE, f"its process was not heard of since {since}"
    if said.left_at is not None:
        return PlaceState.PENDING, "its process has ended; it is emptied when it starts again"
    if not _lives(said, now):
        return PlaceState.PENDING, f"its process was not heard of since {since}; it is emptied when it starts again"
    return PlaceState.PENDING, "its process has not emptied it yet"


def _lives(said: Said, now: Instant) -> bool:
    return said.left_at is None and now - said.seen_at <= _SILENT
