"""Truces: who does not answer is asked again after a while, by one alone."""

import pytest

from recordance.usecases.truce import FIRST_SECONDS, LONGEST_SECONDS, Truce


class Hands:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def truce(hands: Hands) -> Truce:
    return Truce(hands)


def test_who_answers_may_be_asked_by_everybody(truce: Truce) -> None:
    """Decision 2: nothing is held back as long as nothing fails."""
    assert [truce.lets(), truce.lets()] == [True, True]
    truce.worked()
    assert not truce.holds


def test_after_a_failure_one_alone_asks_again_and_not_before_a_while(truce: Truce, hands: Hands) -> None:
    """Decision 2: each recall would wait for the whole of a timeout else."""
    assert truce.failed()
    assert truce.holds
    assert not truce.lets()
    hands.now += FIRST_SECONDS
    assert [truce.lets(), truce.lets()] == [True, False]
    truce.worked()
    assert [truce.lets(), truce.lets()] == [True, True]


def test_questions_that_fail_side_by_side_count_once(truce: Truce, hands: Hands) -> None:
    """Ten recalls that were under way when a server died would put off the next question for minutes."""
    assert [truce.failed() for _ in range(10)] == [True] + [False] * 9
    hands.now += FIRST_SECONDS
    assert truce.lets()


def test_the_pauses_grow_up_to_a_bound(truce: Truce, hands: Hands) -> None:
    """A server that is gone for a day is asked once a minute, and one that is back is found within that."""
    truce.failed()
    pauses = []
    for _ in range(8):
        began = hands.now
        while not truce.lets():
            hands.now += 0.5
        pauses.append(hands.now - began)
        truce.failed()
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, LONGEST_SECONDS, LONGEST_SECONDS]


def test_who_was_let_and_never_came_back_keeps_nobody_from_asking(truce: Truce, hands: Hands) -> None:
    """A recall may find that it need not ask at all."""
    truce.failed()
    hands.now += FIRST_SECONDS
    assert truce.lets()
    hands.now += FIRST_SECONDS
    assert truce.lets()
