"""Restated old values and their corrections."""

from collections.abc import Mapping

from recordance.ranking.conflict import Correction, demoted, resolved


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OLD, NEW = "the api port of the shop is 8080", "the api port of the shop is 9090"


def corrections(*given: tuple[int, str, Mapping[int, str]]) -> list[Correction]:
    return [
        Correction(number, words(text), {each: words(old) for each, old in retired.items()}) for number, text, retired in given
    ]


def test_a_restatement_of_what_was_corrected_is_resolved_under_the_correction() -> None:
    """O9: written later and related to nothing, its value is as old as the one that was retired."""
    hits = {2: words(NEW), 3: words(OLD + " today"), 4: words("releases go out on fridays")}
    assert resolved(hits, corrections((2, NEW, {1: OLD}))) == {2: (3,)}


def test_what_is_nearer_to_the_correction_restates_nothing_old() -> None:
    """O9: a second voice for the new value is no conflict."""
    hits = {2: words(NEW), 3: words(NEW + " today"), 4: words("the port")}
    assert resolved(hits, corrections((2, NEW, {1: OLD}))) == {}


def test_what_a_hit_has_itself_retired_corrects_it_no_more() -> None:
    """O9: who goes back to an old value on purpose has the last word."""
    hits = {2: words(NEW), 3: words(OLD)}
    assert resolved(hits, corrections((2, NEW, {1: OLD}), (3, OLD, {2: NEW, 1: OLD}))) == {}


def test_of_two_corrections_that_contradict_each_other_the_later_one_stands() -> None:
    """O9: by the birth of the value."""
    hits = {3: words(NEW), 4: words(OLD)}
    given = corrections((3, NEW, {1: OLD}), (4, OLD, {2: NEW}))
    assert resolved(hits, given) == {4: (3,)}


def test_a_resolved_hit_stands_directly_below_its_correction() -> None:
    """O9: below it, and not at the end of everything."""
    assert demoted([3, 5, 2, 4], {2: (3,)}) == [5, 2, 3, 4]
    assert demoted([2, 3, 4], {2: (3,)}) == [2, 3, 4]
    assert demoted([3, 4], {2: (3,)}) == [3, 4]


def test_demands_in_a_circle_leave_the_first_where_it_stands() -> None:
    """O9: every order has an end."""
    assert demoted([1, 2], {1: (2,), 2: (1,)}) == [1, 2]
    assert demoted([2, 1], {1: (2,), 2: (1,)}) == [2, 1]
