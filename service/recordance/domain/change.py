"""What a write changes: decided by pure functions, applied by a truth in one transaction (decision 1, decision 3)."""

from dataclasses import dataclass

from recordance.domain.alias import Alias
from recordance.domain.capsule import Capsule, CapsuleText, Standing, Tombstone, Use
from recordance.domain.embedding import Embedding, Space
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Corroboration, Feedback, ReviewEvent


@dataclass(frozen=True, slots=True)
class Capture:
    """A new capsule with its first text. Its number must be the one after the last."""

    capsule: Capsule
    text: CapsuleText


@dataclass(frozen=True, slots=True)
class Revise:
    """A capsule with its next text; embeddings of any other content than the new one are dropped (W4, W13, case D7).

    `capsule` is the whole capsule as it is from now on, `text.revision` its revision, one above the last.
    """

    capsule: Capsule
    text: CapsuleText


@dataclass(frozen=True, slots=True)
class SetStanding:
    """What has been decided about a capsule, whole; `at` becomes its last update."""

    capsule: int
    standing: Standing
    at: Instant


@dataclass(frozen=True, slots=True)
class SetUse:
    """What feedback has made of a capsule, whole."""

    capsule: int
    use: Use


@dataclass(frozen=True, slots=True)
class AddRelation:
    """A new relation; the store has none with the same kind and ends."""

    relation: Relation


@dataclass(frozen=True, slots=True)
class RemoveRelation:
    """The relation with this kind and these ends ends at `at`; its row stays for the history (F12)."""

    kind: RelationKind
    source: int
    target: int
    at: Instant


@dataclass(frozen=True, slots=True)
class TeachAlias:
    """A new alias; the store has none with the same two keys."""

    alias: Alias


@dataclass(frozen=True, slots=True)
class RemoveAlias:
    """The alias with these keys ends at `at`; its row stays for the history (F12)."""

    term_key: str
    alias_key: str
    at: Instant


@dataclass(frozen=True, slots=True)
class PutSpace:
    """A space as it is from now on; only one without vectors gets another dimension (W4)."""

    space: Space
    at: Instant


@dataclass(frozen=True, slots=True)
class PutEmbedding:
    """The vector of a capsule's current content in a space that exists; it replaces the one that is there (W4)."""

    embedding: Embedding


@dataclass(frozen=True, slots=True)
class AppendReview:
    """One more verdict in a capsule's history."""

    event: ReviewEvent


@dataclass(frozen=True, slots=True)
class PutFeedback:
    """A judgement; it replaces the one of the same receipt, capsule and actor (O13)."""

    feedback: Feedback


@dataclass(frozen=True, slots=True)
class AppendCorroboration:
    """One more verdict of the git witness."""

    corroboration: Corroboration


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The answer to a write with an idempotency key (W1): `items_digest` tells the same items from others.

    `answer` is JSON text. Kept for seven days from `at`.
    """

    key: str
    items_digest: str
    answer: str
    at: Instant


@dataclass(frozen=True, slots=True)
class KeepAnswer:
    """Remember an answer under its key; an expired one with the same key is replaced."""

    kept: KeptAnswer


@dataclass(frozen=True, slots=True)
class Entomb:
    """Empty every text of a capsule, drop its marks and embeddings and leave the tombstone; the skeleton row stays (W6).

    With them go kept answers that name the capsule, rows of the miss ledger all of whose words stand in its texts, and what its
    journal rows say of labels that a skeleton does not bear.
    """

    tombstone: Tombstone


@dataclass(frozen=True, slots=True)
class KeepOut:
    """One more content that a forgotten capsule is known to have said, by its keyed hash; its tombstone has it not yet (W6)."""

    capsule: int
    content_mac: str


Change = (
    Capture
    | Revise
    | SetStanding
    | SetUse
    | AddRelation
    | RemoveRelation
    | TeachAlias
    | RemoveAlias
    | PutSpace
    | PutEmbedding
    | AppendReview
    | PutFeedback
    | AppendCorroboration
    | KeepAnswer
    | Entomb
    | KeepOut
)


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What one write changes and what the journal says of it; both in order, all in one transaction."""

    changes: tuple[Change, ...] = ()
    entries: tuple[Entry, ...] = ()

    def then(self, other: "ChangeSet") -> "ChangeSet":
        """Return this write followed by another, as one."""
        return ChangeSet(self.changes + other.changes, self.entries + other.entries)
