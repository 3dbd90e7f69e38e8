"""Instants: whole microseconds since 1970-01-01T00:00Z, so that every store orders and compares them alike.

No clock here: an instant comes from a caller or from the clock port.
"""

import re
from datetime import UTC, date, datetime, timedelta
from typing import NewType

from recordance.errors import InvalidArgument

Instant = NewType("Instant", int)
"""Microseconds since the epoch, UTC. May be negative (before 1970)."""

MICROSECONDS_PER_DAY = 86_400_000_000
EARLIEST = Instant(-62_135_596_800_000_000)
"""0001-01-01T00:00:00Z, the first instant that RFC 3339 and Python can both write."""
LATEST = Instant(253_402_300_799_999_999)
"""9999-12-31T23:59:59.999999Z, the last one."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_RFC3339 = re.compile(r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
EXPECTED = "an RFC 3339 time with its offset, such as 2026-03-01T09:30:00Z"


def parse_instant(text: str, field: str) -> Instant:
    """Return the instant that RFC 3339 `text` names; digits below a microsecond are cut.

    Raises InvalidArgument naming `field` when the text is not such a time, has no offset (case H2: a time without an offset
    is read differently by every machine), or lies outside the years 1 to 9999.
    """
    found = _RFC3339.fullmatch(text)
    if found is None:
        raise InvalidArgument(field, text, EXPECTED, "it is not a full RFC 3339 time with an offset")
    year, month, day, hour, minute, second, fraction, offset = found.groups()
    if second == "60":
        # Every day here has as many microseconds; to take the leap second for another second would be to choose for the caller.
        raise InvalidArgument(
            field, text, "the second before it, :59, or the one after", "a leap second has no place among days of equal length"
        )
    micros = int((fraction or ".0")[1:7].ljust(6, "0"))
    try:
        local = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), micros, tzinfo=UTC)
        return _within(from_datetime(local) - _offset_microseconds(offset))
    except ValueError as why:
        raise InvalidArgument(field, text, EXPECTED, f"no such time exists ({why})") from None


def parse_day(text: str, field: str) -> tuple[Instant, Instant]:
    """Return the first and last instant of the UTC day that a bare date names (F9)."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InvalidArgument(field, text, "a date such as 2026-03-01", "it is not a date") from None
    start = from_datetime(datetime(day.year, day.month, day.day, tzinfo=UTC))
    return start, Instant(start + MICROSECONDS_PER_DAY - 1)


def format_instant(instant: Instant) -> str:
    """Return RFC 3339 in UTC; a fraction appears only if there is one, without trailing zeros."""
    moment = _EPOCH + timedelta(microseconds=instant)
    base = moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
    return f"{base}{fraction}Z"


def from_datetime(moment: datetime) -> Instant:
    """Return the instant of an aware datetime, exactly."""
    return Instant((moment - _EPOCH) // _MICROSECOND)


def _offset_microseconds(offset: str) -> int:
    if offset in "Zz":
        return 0
    hours, minutes = int(offset[1:3]), int(offset[4:6])
    if hours > 23 or minutes > 59:
        raise ValueError("the offset is out of range")
    return (1 if offset[0] == "+" else -1) * (hours * 60 + minutes) * 60_000_000


def _within(instant: int) -> Instant:
    if not EARLIEST <= instant <= LATEST:
        raise ValueError("in UTC it lies outside the years 1 to 9999")
    return Instant(instant)
