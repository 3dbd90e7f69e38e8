"""What is left of a forgotten capsule: who it was, never what it said (W6, F8)."""

from dataclasses import replace

from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.instant import Instant

SKELETON_LABELS = frozenset({LabelField.PROJECT, LabelField.SESSION, LabelField.KIND})
"""The labels that a skeleton keeps: the fences that its id probe is held to (F8), and what sort of thing it was."""


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
