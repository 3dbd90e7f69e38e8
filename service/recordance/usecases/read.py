"""Reading capsules whole by id, and listing them in append order (F6, F13; WIRE.md "Writing")."""

from collections.abc import Sequence
from dataclasses import dataclass

from recordance.domain.caller import Caller
from recordance.errors import Json
from recordance.ports.truth import ListedState
from recordance.usecases.store import Destinations

DEFAULT_LIST_LIMIT = 50
"""Capsules on a page when the caller names no limit."""
MAX_LIST_LIMIT = 500
"""Capsules on a page at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """Which capsules are listed: those that every given field admits; `limit` 0 only counts."""

    project_id: str | None = None
    project_prefix: str | None = None
    kind: str | None = None
    state: ListedState | None = None
    limit: int = DEFAULT_LIST_LIMIT
    offset: int = 0


def get_capsules(destinations: Destinations, caller: Caller, destination: str | None, ids: Sequence[str]) -> dict[str, Json]:
    """Return `{capsules, missing?}`: the whole capsules in the order asked, each once.

    A single id that the caller cannot see raises MissingState; of several, the unknown are named under `missing`.
    """
    raise AssertionError


def list_capsules(destinations: Destinations, caller: Caller, destination: str | None, query: ListQuery) -> dict[str, Json]:
    """Return `{capsules, total, limit, offset}`: one short row a capsule, in append order; the forgotten are never listed."""
    raise AssertionError
