"""Lanes: the ways of finding candidates, and what a caller may ask for (L1)."""

from enum import StrEnum


class LaneChoice(StrEnum):
    """What the caller asked for; AUTO is the term lane unless an embedding comes along."""

    AUTO = "auto"
    TERM = "term"


class Lane(StrEnum):
    """One way of finding candidates."""

    TERM = "term"
