"""The history of a capsule: who did what to it and when, and what it said in each revision (W12, W13, F13)."""

from dataclasses import dataclass

from recordance.answer.revised import History, history_view, referred, related_to
from recordance.domain.caller import Caller
from recordance.errors import InvalidArgument, Json
from recordance.query.exclusion import Eligibility
from recordance.usecases.addressing import place_of
from recordance.usecases.lookup import sees, visible
from recordance.usecases.store import Destinations

DEFAULT_ROWS = 50
"""Rows on a page when the caller names no limit."""
MOST_ROWS = 500
"""Rows on a page at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryQuery:
    """Which rows of a capsule's journal are read, oldest first."""

    id: str
    limit: int = DEFAULT_ROWS
    offset: int = 0


def capsule_history(destinations: Destinations, caller: Caller, destination: str | None, query: HistoryQuery) -> dict[str, Json]:
    """Return `{label, framing, id, state, revision, rows, total, limit, offset}`; a row that made a revision has its text.

    Of a forgotten capsule the rows alone are left, and of a relation to what the caller may not see none (F13). Raises
    MissingState for one that is unknown or out of the caller's sight, InvalidArgument for a page that is too large or lies
    before the beginning.
    """
    store = destinations.reading(caller, place_of(destinations, caller, destination, {"id": query.id}))
    if not 0 <= query.limit <= MOST_ROWS:
        raise InvalidArgument("limit", query.limit, f"0 to {MOST_ROWS}; 0 only counts", "no page is so large")
    if query.offset < 0:
        raise InvalidArgument("offset", query.offset, "0 or more", "no page lies before the first row")
    now = Eligibility(at=store.clock.now())
    with store.truth.reading() as reader:
        capsule = visible(reader, caller, store.naming, query.id)
        written = reader.history(capsule.number)
        others = reader.capsules(referred(written))
        seen = {number for number, other in others.items() if sees(caller, other)}
        rows = [row for row in written if related_to(row) is None or related_to(row) in seen]
        history = History(
            capsule=capsule,
            rows=rows[query.offset : query.offset + query.limit],
            total=len(rows),
            texts={text.revision: text for text in reader.revisions(capsule.number)},
            seen=seen,
        )
    return history_view(history, store.naming, now, query.limit, query.offset)
