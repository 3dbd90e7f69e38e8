"""Whether a new relation would close a circle (W3)."""

from collections.abc import Callable, Collection, Iterable

Step = Callable[[Collection[int]], Iterable[int]]
"""From some capsules to those one relation further, in one reading."""


def leads_to(start: int, goal: int, forward: Step, backward: Step) -> bool:
    """Whether following relations from `start` arrives at `goal`; a capsule leads to itself.

    Searches from both ends, always where fewer capsules have been seen: a new capsule that nothing points to ends the search at
    once, however long the chain behind the other is.
    """
    if start == goal:
        return True
    ahead, behind = {start}, {goal}
    front, back = {start}, {goal}
    while front and back:
        if len(ahead) <= len(behind):
            front = set(forward(front)) - ahead
            ahead |= front
            met = front & behind
        else:
            back = set(backward(back)) - behind
            behind |= back
            met = back & ahead
        if met:
            return True
    return False
