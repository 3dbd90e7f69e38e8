"""That no two destinations are one store under two names: it would be searched twice and agree with itself (D1)."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from recordance_adapters.sections import DestinationSettings

_PORT = ":5432"


def check_apart(destinations: Sequence[DestinationSettings]) -> None:
    """Raise ValueError for two destinations in one folder, in one schema of a database, or in one collection of a server."""
    seen: dict[tuple[str, ...], str] = {}
    for each in destinations:
        for what, *where in _grounds(each):
            other = seen.setdefault((what, *where), each.name)
            if other != each.name:
                raise ValueError(f"destinations {other} and {each.name} have the same {what}, and each needs its own")


def _grounds(place: DestinationSettings) -> Iterator[tuple[str, ...]]:
    """Yield what a destination has for itself, as it is called and where it is; a password makes no difference."""
    if place.store is not None:
        yield "store", str(place.store)
    if place.truth is not None:
        parts = urlsplit(place.truth)
        user, _, host = parts.netloc.rpartition("@")
        # Without a schema it is the one that is the user's first.
        schema = ("in", place.postgres.schema_name) if place.postgres.schema_name else ("of", user.partition(":")[0])
        yield "truth", host.lower().removesuffix(_PORT), parts.path, parts.query, *schema
    if place.vectors is not None and place.qdrant.collection is not None:
        yield "collection", place.vectors.rstrip("/").lower(), place.qdrant.collection
