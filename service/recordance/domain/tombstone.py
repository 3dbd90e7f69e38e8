"""What is left of a forgotten capsule: who it was, never what it said (W6, F8)."""

from dataclasses import replace
from enum import StrEnum

from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.instant import Instant

SKELETON_LABELS = frozenset({LabelField.PROJECT, LabelField.SESSION, LabelField.KIND})
"""The labels that a skeleton keeps: the fences that its id probe is held to (F8), and what sort of thing it was."""


class Remnant(StrEnum):
    """What may not be left in a store of a capsule that is forgotten."""

    TEXT = "text"
    ANCHOR = "anchor"
    MARK = "mark"
    VECTOR = "vector"
    NOTE = "note"
    """A reason, a note or a path that stands in a verdict about it."""
    ANSWER = "answer"
    """A kept answer that names it."""
    ROW = "row"
    """Its own row, which says more than a skeleton."""
    JOURNAL = "journal"
    """A row of its history, which tells a label that its skeleton lacks."""


def skeleton_of(capsule: Capsule, at: Instant) -> Capsule:
    """Return what stays of a capsule that is forgotten at `at`: its place, its instants, its decisions and `SKELETON_LABELS`.

    Whatever was read from its content (digest, length, taint) goes; the tombstone bears a keyed hash instead.
    """
    return replace(
        capsule,
        content_digest="",
        word_count=0,
        labels={field: label for field, label in capsule.labels.items() if field in SKELETON_LABELS},
        taint=(),
        updated_at=at,
        standing=replace(capsule.standing, tombstoned_at=at),
    )
