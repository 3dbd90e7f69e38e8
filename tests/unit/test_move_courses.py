"""What a move does as both places stand: begin, go on, nothing, or refuse with what to do instead."""

import pytest

from recordance.errors import InvalidArgument
from recordance.ports.moving import Home, Standing
from recordance.usecases.move import Course, course_of


def home(standing: Standing, store: str = "ours", place: str = "here", moved_to: str | None = None) -> Home:
    return Home(place, standing, store, moved_to)


IN_USE = home(Standing.SETTLED)
GONE = home(Standing.MOVED_AWAY, moved_to="there")


@pytest.mark.parametrize(
    ("source", "target", "course"),
    [
        (IN_USE, home(Standing.EMPTY, "new", "there"), Course.BEGIN),
        (IN_USE, home(Standing.ARRIVING, "ours", "there"), Course.GO_ON),
        (GONE, home(Standing.ARRIVING, "ours", "there"), Course.GO_ON),
        (GONE, home(Standing.SETTLED, "ours", "there"), Course.NOTHING),
    ],
)
def test_a_move_begins_goes_on_or_has_nothing_to_do(source: Home, target: Home, course: Course) -> None:
    """W10: the same command, given again after whatever became of the first, comes to the same end."""
    assert course_of(source, target) is course


@pytest.mark.parametrize(
    ("source", "target", "field", "why"),
    [
        (home(Standing.EMPTY), home(Standing.EMPTY, "new", "there"), "--from", "nothing was ever stored"),
        (home(Standing.ARRIVING), home(Standing.EMPTY, "new", "there"), "--from", "only a part"),
        (GONE, home(Standing.EMPTY, "new", "elsewhere"), "--from", "was moved to there"),
        (GONE, home(Standing.ARRIVING, "ours", "elsewhere"), "--from", "was moved to there"),
        (GONE, home(Standing.SETTLED, "other", "there"), "--from", "was moved to there"),
        (IN_USE, home(Standing.ARRIVING, "other", "there"), "--to", "another store is being moved there"),
        (IN_USE, home(Standing.SETTLED, "other", "there"), "--to", "recordance import merges"),
        (IN_USE, home(Standing.SETTLED, "ours", "there"), "--to", "this very store already"),
        (IN_USE, home(Standing.MOVED_AWAY, "ours", "there", "here"), "--to", "nothing is ever written over"),
    ],
)
def test_places_that_do_not_fit_together_are_refused_with_the_reason(source: Home, target: Home, field: str, why: str) -> None:
    """W10: two stores are never mixed, one never doubled, and nothing is written over."""
    with pytest.raises(InvalidArgument, match=why) as refused:
        course_of(source, target)
    assert refused.value.field == field
