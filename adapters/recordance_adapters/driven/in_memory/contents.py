"""What a truth in plain memory holds."""

from dataclasses import dataclass, field, fields

from recordance.domain.alias import Alias, Miss, MissOutcome
from recordance.domain.capsule import Capsule, CapsuleText, Tombstone
from recordance.domain.change import KeptAnswer
from recordance.domain.embedding import Embedding, Space
from recordance.domain.journal import JournalRow
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Corroboration, Feedback, ReviewEvent


@dataclass(slots=True)
class Contents:
    """All that a store holds. A published one is never changed again: a writer works on a copy."""

    capsules: dict[int, Capsule] = field(default_factory=dict)
    texts: dict[int, CapsuleText] = field(default_factory=dict)
    former: dict[int, tuple[CapsuleText, ...]] = field(default_factory=dict)
    spaces: dict[str, Space] = field(default_factory=dict)
    vectors: dict[tuple[int, str], Embedding] = field(default_factory=dict)
    tombstones: dict[int, Tombstone] = field(default_factory=dict)
    relations: dict[tuple[RelationKind, int, int], Relation] = field(default_factory=dict)
    aliases: dict[tuple[str, str], Alias] = field(default_factory=dict)
    reviews: list[ReviewEvent] = field(default_factory=list)
    feedback: dict[tuple[int, str, str], Feedback] = field(default_factory=dict)
    corroborations: list[Corroboration] = field(default_factory=list)
    answers: dict[str, KeptAnswer] = field(default_factory=dict)
    misses: dict[tuple[str, MissOutcome, str], Miss] = field(default_factory=dict)
    journal: list[JournalRow] = field(default_factory=list)

    def copy(self) -> "Contents":
        """Return a store of its own that holds the same."""
        return Contents(**{each.name: getattr(self, each.name).copy() for each in fields(self)})
