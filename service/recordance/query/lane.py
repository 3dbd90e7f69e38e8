"""Lanes: the ways of finding candidates, and what a caller may ask for (L1)."""

from enum import StrEnum


class LaneChoice(StrEnum):
    """What the caller asked for; AUTO is the term lane unless an embedding comes along, and then both (L1)."""

    AUTO = "auto"
    TERM = "term"
    VECTOR = "vector"
    FUSED = "fused"


class Lane(StrEnum):
    """One way of finding candidates."""

    TERM = "term"
    VECTOR = "vector"


class Fusion(StrEnum):
    """How the rankings of two lanes become one (L5, L16)."""

    RRF = "rrf"
    CONVEX = "convex"
