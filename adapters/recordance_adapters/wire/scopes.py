"""What is searched, and where something is written, as callers say it (D2, D6)."""

from recordance.errors import InvalidArgument, Json
from recordance_adapters.wire.declaration import Parameter, Values
from recordance_adapters.wire.kinds import Kind, label, storable, wrong_type

_EXPECTED = "routed, all, or names of destinations and scopes, as memory_search_scopes lists them"


def search_scope() -> Kind[tuple[str, ...]]:
    """Names with commas between them, or an array of names; published as a string, since hosts refuse a union (case J3)."""

    def read(value: Json, field: str) -> tuple[str, ...]:
        match value:
            case str():
                listed: list[Json] = list(value.split(","))
            case list():
                listed = value
            case _:
                raise wrong_type(value, field, "a string of names with commas between them")
        names = tuple(storable(name, field).strip() for name in listed)
        if not names or not all(names):
            raise InvalidArgument(field, value, _EXPECTED, "a name is missing in it")
        return tuple(dict.fromkeys(names))

    return Kind({"type": "string"}, read)


def searched(given: Values) -> tuple[str, ...]:
    """Return what a recall names to be searched; raises InvalidArgument where it says so twice (D2)."""
    scope, single = given.get("search_scope"), given.get("destination")
    if scope is not None and single is not None:
        why = "search_scope is given too, and which of them holds nobody can tell"
        raise InvalidArgument("destination", single, "search_scope alone", why)
    return scope or (() if single is None else (single,))


SEARCH_SCOPE = Parameter(
    name="search_scope",
    kind=search_scope(),
    description="routed, all, or names with commas.",
    mistaken_for=("scope", "scopes", "destinations"),
)
SEARCHED_DESTINATION = Parameter(name="destination", kind=label(), description="One name instead.")
