"""When a capsule holds, when its event was, and which windows meet it."""

import itertools

import pytest

from recordance.domain.instant import EARLIEST, LATEST, Instant
from recordance.domain.validity import EventRange, TimeWindow, Validity

ONE, TWO, THREE = Instant(1), Instant(2), Instant(3)


@pytest.mark.parametrize(("at", "begun"), [(ONE, False), (TWO, True), (THREE, True)])
def test_the_beginning_of_a_validity_holds(at: Instant, *, begun: object) -> None:
    """W1: a capsule captured now is valid now."""
    assert Validity(TWO).begun_at(at) is begun


@pytest.mark.parametrize(("at", "expired"), [(ONE, False), (TWO, True), (THREE, True)])
def test_the_end_of_a_validity_no_longer_holds(at: Instant, *, expired: object) -> None:
    """W1: `valid_to` is exclusive, so that the next value may begin in the same instant."""
    assert Validity(EARLIEST, TWO).expired_at(at) is expired


def test_an_open_end_never_comes() -> None:
    """W1: without `valid_to` a capsule holds until something is decided about it."""
    assert not Validity(ONE).expired_at(LATEST)


def test_a_validity_of_no_length_never_holds() -> None:
    """W1: it has ended as it begins."""
    never = Validity(TWO, TWO)
    assert not any(never.begun_at(at) and not never.expired_at(at) for at in (ONE, TWO, THREE))


def test_a_window_meets_an_event_if_they_share_an_instant() -> None:
    """F3: both ends of both are inclusive; against the obvious sets of instants."""
    span = range(6)
    for start, end in itertools.product([None, *span], repeat=2):
        if (start is None and end is None) or (start is not None and end is not None and start > end):
            continue  # the edge refuses these windows
        window = TimeWindow(None if start is None else Instant(start), None if end is None else Instant(end))
        inside = {at for at in span if (start is None or at >= start) and (end is None or at <= end)}
        for first, last in itertools.combinations_with_replacement(span, 2):
            met = bool(inside & set(range(first, last + 1)))
            assert window.meets(EventRange(Instant(first), Instant(last))) is met, (window, first, last)


def test_an_event_that_spans_the_whole_window_meets_it() -> None:
    """F3: the event range intersects; it need not begin or end inside."""
    assert TimeWindow(TWO, TWO).meets(EventRange(ONE, THREE))
