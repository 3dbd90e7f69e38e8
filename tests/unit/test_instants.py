"""Instants: one reading of every text, on every machine."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.instant import (
    EARLIEST,
    LATEST,
    MICROSECONDS_PER_DAY,
    Instant,
    format_instant,
    from_datetime,
    parse_day,
    parse_instant,
)
from recordance.errors import InvalidArgument

ZONES = ("UTC", "Asia/Shanghai", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Chatham")


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The machine's own time zone, set for one test, where a process can change it."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system has no tzset")
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def test_a_text_names_one_instant_in_every_zone(zone: str) -> None:
    """case H2: the machine's zone never enters, in either direction."""
    assert os.environ["TZ"] == zone
    assert parse_instant("2026-03-01T12:00:00Z", "at") == 1_772_366_400_000_000
    assert parse_instant("2026-03-01T20:00:00+08:00", "at") == 1_772_366_400_000_000
    assert format_instant(Instant(1_772_366_400_000_000)) == "2026-03-01T12:00:00Z"
    assert parse_day("2026-03-01", "since")[0] == 1_772_323_200_000_000
    assert from_datetime(datetime(2026, 3, 1, 12, tzinfo=UTC)) == 1_772_366_400_000_000


def test_summer_time_of_the_machine_leaves_no_hole(zone: str) -> None:
    """case H2: the hour that clocks skip in Los Angeles exists in UTC."""
    before, after = parse_instant("2026-03-08T01:59:59-08:00", "at"), parse_instant("2026-03-08T02:00:00-08:00", "at")
    assert after - before == 1_000_000
    assert format_instant(after) == "2026-03-08T10:00:00Z"


@given(st.integers(EARLIEST, LATEST).map(Instant))
def test_what_is_formatted_reads_back_to_the_microsecond(instant: Instant) -> None:
    """O11: an instant survives the wire."""
    assert parse_instant(format_instant(instant), "at") == instant


@given(st.datetimes(timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))))
def test_texts_with_any_offset_read_as_their_moment(moment: datetime) -> None:
    """F3: against the library's own arithmetic."""
    reference = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    text = moment.isoformat(timespec="microseconds")
    if EARLIEST <= reference <= LATEST:
        assert parse_instant(text, "at") == reference
    else:
        with pytest.raises(InvalidArgument):
            parse_instant(text, "at")


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (EARLIEST, "0001-01-01T00:00:00Z"),
        (LATEST, "9999-12-31T23:59:59.999999Z"),
        (Instant(-1), "1969-12-31T23:59:59.999999Z"),
        (Instant(0), "1970-01-01T00:00:00Z"),
        (Instant(100_000), "1970-01-01T00:00:00.1Z"),
        (Instant(1_000_010), "1970-01-01T00:00:01.00001Z"),
    ],
)
def test_formats_are_short_and_padded(instant: Instant, text: str) -> None:
    """O4: a fraction only where there is one, four digits for every year."""
    assert format_instant(instant) == text


@pytest.mark.parametrize(
    "text", ["2026-03-01t12:00:00z", "2026-03-01 12:00:00Z", "2026-03-01T12:00:00-00:00", "2026-03-01T12:00:00.0000009Z"]
)
def test_every_form_that_rfc_3339_allows_is_read(text: str) -> None:
    """F3: small letters, a space, an unknown offset; digits below a microsecond are cut."""
    assert parse_instant(text, "at") == 1_772_366_400_000_000


@pytest.mark.parametrize(
    "text",
    ["2026-03-01T12:00:00", "2026-03-01", "", "yesterday", "1772366400", "2026-02-29T12:00:00Z", "2026-13-01T12:00:00Z",
     "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z", "2026-03-01T12:00:61Z", "2026-03-01T12:00:00+24:00",
     "2026-03-01T12:00:00+08", "2026-03-01T12:00:00+0800", "2026-03-01T12:00Z", "26-03-01T12:00:00Z", "0000-01-01T00:00:00Z",
     "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", " 2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z\n",
     "٢٠٢٦-٠٣-٠١T12:00:00Z", "2026-03-01T12:00:00.Z"],
)  # fmt: skip
def test_what_names_no_single_instant_is_refused_with_an_example(text: str) -> None:
    """F3, case H2: a time without its offset is read differently by every machine, so it is not read at all."""
    with pytest.raises(InvalidArgument) as refused:
        parse_instant(text, "time_window.from")
    assert refused.value.field == "time_window.from"
    assert "2026-03-01T09:30:00Z" in refused.value.message


@pytest.mark.parametrize("text", ["2016-12-31T23:59:60Z", "2017-01-01T00:59:60.5+01:00", "2026-03-01T12:00:60Z"])
def test_a_leap_second_is_refused_with_its_neighbours(text: str) -> None:
    """F3: RFC 3339 can write it, a count of equal days cannot hold it; which neighbour it becomes is for the caller to say."""
    with pytest.raises(InvalidArgument, match="leap second") as refused:
        parse_instant(text, "event_at")
    assert ":59" in refused.value.expected


def test_a_bare_date_is_its_whole_day_in_utc() -> None:
    """F9: from the first microsecond to the last."""
    first, last = parse_day("2026-03-01", "since")
    assert (format_instant(first), format_instant(last)) == ("2026-03-01T00:00:00Z", "2026-03-01T23:59:59.999999Z")
    assert parse_day("2026-03-02", "since")[0] == last + 1
    assert last - first + 1 == MICROSECONDS_PER_DAY


def test_the_first_and_the_last_day_there_are_can_be_named() -> None:
    """F9: no error at the ends of the calendar."""
    assert parse_day("0001-01-01", "since")[0] == EARLIEST
    assert parse_day("9999-12-31", "until")[1] == LATEST


@pytest.mark.parametrize("text", ["2026-02-29", "2026-03", "2026-03-01T00:00:00Z", "", "today", "01.03.2026"])
def test_what_is_no_date_is_refused(text: str) -> None:
    """F9: with a date as it is written."""
    with pytest.raises(InvalidArgument, match="2026-03-01"):
        parse_day(text, "since")
