"""Teaching a store the words of those who ask it: aliases (T7)."""

from collections.abc import Sequence

from recordance.domain.caller import Caller
from recordance.errors import Json
from recordance.usecases.store import Destinations


def teach_aliases(
    destinations: Destinations, caller: Caller, destination: str | None, items: Sequence[tuple[str, str]]
) -> dict[str, Json]:
    """Teach each (term, alias) and answer `{results, taught, already, rejected}`.

    A single pair that cannot be taught raises InvalidArgument; among several it is `rejected` alone.
    """
    raise AssertionError


def list_aliases(destinations: Destinations, caller: Caller, destination: str | None) -> dict[str, Json]:
    """Return `{aliases, total}`, by term, then in the order in which they were taught."""
    raise AssertionError


def forget_alias(destinations: Destinations, caller: Caller, destination: str | None, term: str, alias: str) -> dict[str, Json]:
    """Take an alias back and answer `{status: removed, term, alias}`; raises MissingState when it is not taught."""
    raise AssertionError
