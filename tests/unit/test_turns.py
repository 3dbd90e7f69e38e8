"""Turns: first come, first served, whoever is quicker to ask again."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from recordance.usecases.turns import Turns

BOUND = 60.0


def queued(turns: Turns, count: int) -> None:
    """Wait until so many threads stand in the queue."""
    bound = threading.Event()
    timer = threading.Timer(BOUND, bound.set)
    timer.start()
    while len(turns._waiting) < count:
        assert not bound.is_set(), "nobody came"
    timer.cancel()


def test_the_turn_goes_to_whoever_has_waited_longest() -> None:
    """Decision 1: a long catch-up that gives its turn back and asks again does not keep recalls out."""
    turns, order = Turns(), list[int]()

    def take(name: int) -> None:
        assert turns.take()
        order.append(name)
        turns.give_back()

    turns.take()
    with ThreadPoolExecutor(4) as pool:
        waiting = []
        for name in (1, 2, 3):
            waiting.append(pool.submit(take, name))
            queued(turns, name)
        turns.give_back()
        take(4)
        for each in waiting:
            each.result(BOUND)
    assert order == [1, 2, 3, 4]


def test_whoever_loses_patience_leaves_the_queue() -> None:
    """Decision 2: a recall that scans instead must not be handed a turn that it never gives back."""
    turns = Turns()
    turns.take()
    assert not turns.take(patience=0.0)
    assert not turns.take(patience=0.001)
    turns.give_back()
    assert turns.take(patience=0.0)
    turns.give_back()


def test_the_turn_is_given_back_whatever_happens_in_it() -> None:
    """Decision 1: an error in the midst of a commit keeps nobody out."""
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns.turn():
        raise ZeroDivisionError
    assert turns.take(patience=0.0)


def test_many_threads_with_little_patience_are_never_in_turn_together() -> None:
    """Decision 1: the turn is handed over exactly once, also to those that give up at that very moment."""
    turns, inside, taken = Turns(), list[int](), [0, 0]

    def rush(name: int, patience: Callable[[int], float]) -> None:
        for place in range(300):
            if turns.take(patience(place)):
                inside.append(name)
                taken[0] += 1
                assert inside == [name]
                inside.clear()
                turns.give_back()
            else:
                taken[1] += 1

    with ThreadPoolExecutor(6) as pool:
        rushes = [pool.submit(rush, name, lambda place: place % 5 * 1e-5) for name in range(6)]
        for each in rushes:
            each.result(BOUND)
    assert taken[0] > 0
    assert turns.take(patience=0.0)
