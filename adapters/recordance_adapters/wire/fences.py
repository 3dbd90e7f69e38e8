"""Fences as callers write them: a project subtree, and an interval of fact-time (F1, F3)."""

from recordance.domain.validity import TimeWindow
from recordance.errors import InvalidArgument, Json
from recordance_adapters.wire.declaration import Declaration, Parameter, object_of
from recordance_adapters.wire.kinds import Kind, instant, label


def prefix() -> Kind[str]:
    """A project subtree: itself and what lies below it (F1)."""
    whole_label = label()

    def read(value: Json, field: str) -> str:
        if value == "":
            raise InvalidArgument(field, value, 'a project such as "nott", or leave it out', "an empty prefix covers no project")
        found = whole_label.read(value, field)
        if found.endswith("/"):
            bare = found.rstrip("/")
            expected = f'"{bare}"' if bare else 'a project such as "nott"'
            raise InvalidArgument(field, found, expected, "a prefix covers what lies below it by itself and ends without a slash")
        return found

    return Kind(whole_label.schema, read)


def window() -> Kind[TimeWindow]:
    """The fact-time asked about: at least one bound, both included (F3)."""
    bounds = object_of(Declaration((Parameter(name="from", kind=instant()), Parameter(name="to", kind=instant()))))

    def read(value: Json, field: str) -> TimeWindow:
        found = bounds.read(value, field)
        start, end = found.get("from"), found.get("to")
        if start is None and end is None:
            raise InvalidArgument(field, value, 'at least one of "from" and "to"', "a window without a bound fences nothing")
        if start is not None and end is not None and start > end:
            raise InvalidArgument(field, value, "a from that is not after its to", "the window ends before it begins")
        return TimeWindow(start, end)

    return Kind(bounds.schema, read)
