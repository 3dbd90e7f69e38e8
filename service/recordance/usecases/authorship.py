"""Whose words a capsule says: its writer's, and those of whoever revised what it says (W8, W13)."""

from collections.abc import Sequence

from recordance.domain.capsule import Capsule
from recordance.domain.journal import ARRIVED, JournalRow, Op
from recordance.ports.truth import TruthReader


def rewritings(reader: TruthReader, capsule: Capsule) -> Sequence[JournalRow]:
    """Return the rows that changed a capsule's content or headline, oldest first, but those that it arrived with in a merge."""
    if capsule.revision == 1:
        return ()
    said = {text.revision: (text.content, text.headline) for text in reader.revisions(capsule.number)}
    return [
        row
        for row in reader.history(capsule.number)
        if row.op is Op.REVISED
        and ARRIVED not in row.values
        and row.revision is not None
        and said.get(row.revision) != said.get(row.revision - 1)
    ]


def revisers(reader: TruthReader, capsule: Capsule) -> frozenset[str]:
    """Return the actors who changed a capsule's content or headline; whoever merged it in from elsewhere has not."""
    return frozenset(row.actor for row in rewritings(reader, capsule))


def self_graded(reader: TruthReader, capsule: Capsule, actor: str) -> bool:
    """Whether a judgement by `actor` is of their own words, so that it earns no warrant (W8)."""
    return actor == capsule.writer or actor in revisers(reader, capsule)
