"""The truth port: SQL rows, or their equal in memory. Every read happens in one snapshot, every write in one transaction."""

from collections.abc import Collection, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from recordance.domain.alias import Alias, Miss, MissOutcome
from recordance.domain.capsule import Capsule, CapsuleText, Tombstone
from recordance.domain.change import ChangeSet, KeptAnswer
from recordance.domain.embedding import Embedding, Space, Vector
from recordance.domain.identity import StoreIdentity
from recordance.domain.instant import Instant
from recordance.domain.journal import JournalRow, Op
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Corroboration, Feedback, ReviewEvent
from recordance.domain.tombstone import Remnant
from recordance.query.document import TermDocument
from recordance.query.exclusion import Eligibility
from recordance.query.fence import Scope
from recordance.ranking.bm25 import CorpusStatistics


@dataclass(frozen=True, slots=True)
class KnownContent:
    """A capsule whose content has a digest that was asked about (W1)."""

    digest: str
    project_id: str | None
    number: int


@dataclass(frozen=True, slots=True)
class KeyedCapsule:
    """A capsule that holds a key in a project: not superseded, not tombstoned; one for each time, as it may be (W7)."""

    project_id: str | None
    key: str
    number: int


@dataclass(frozen=True, slots=True)
class IndexedChange:
    """The last journal seq at which a capsule's document changed."""

    number: int
    seq: int


@dataclass(frozen=True, slots=True)
class OccupiedSpace:
    """A space with how many vectors are in it now."""

    space: Space
    vectors: int


class ListedState(StrEnum):
    """What `memory_list` can be narrowed to: capsules that may ground now, or the first reason why one may not."""

    LIVE = "live"
    QUARANTINED = "quarantined"
    FALSIFIED = "falsified"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"
    PROPOSED = "proposed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """A page of capsules in append order; tombstoned ones are never listed (F6).

    `fences` are subtrees that must all admit the capsule (each is any-of), `at` judges validity.
    """

    project_id: str | None = None
    subtrees: tuple[frozenset[str], ...] = ()
    kind: str | None = None
    state: ListedState | None = None
    at: Instant
    limit: int
    offset: int


@dataclass(frozen=True, slots=True)
class ListPage:
    """The numbers on the page, and how many there are on all pages."""

    numbers: tuple[int, ...]
    total: int


class BrowseOrder(StrEnum):
    """In what order capsules are browsed; each is total, and no database's collation has a say in it."""

    IMPORTANCE = "importance"
    """Importance, then confidence, then the last update, each descending; then the lower number (L8)."""
    NEWEST = "newest"
    """The last captured first; of equal instants the higher number."""
    APPENDED = "appended"
    """Append order: by number, ascending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowseRequest:
    """A page of the capsules inside a scope; forgotten ones are never among them.

    `eligibility` leaves only capsules that may ground, judged as it says (F6, F9); None leaves every unforgotten one.
    """

    scope: Scope
    eligibility: Eligibility | None
    order: BrowseOrder
    limit: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class ProjectCount:
    """How many unforgotten capsules bear a project (None: those without one), and when the last of them was captured."""

    project: str | None
    capsules: int
    last_at: Instant


@dataclass(frozen=True, slots=True)
class Attested:
    """A capsule with what its current text says of where it comes from; nothing of it is proven."""

    number: int
    content_digest: str
    source: str
    signature: str | None


class TruthReader(Protocol):
    """One snapshot of the truth. Unknown numbers are left out of answers, never an error."""

    def head(self) -> int:
        """Return the seq of the last journal row; 0 in a new store."""
        ...

    def identity(self) -> StoreIdentity:
        """Return the store's id and key."""
        ...

    def last_number(self) -> int:
        """Return the number of the last capsule captured; 0 in a new store."""
        ...

    def corpus(self) -> CorpusStatistics:
        """Return the statistics over every unforgotten capsule, from counters (L17)."""
        ...

    def corpus_within(self, subtrees: frozenset[str]) -> CorpusStatistics:
        """Return the statistics over the unforgotten capsules in these project subtrees (L17, F13)."""
        ...

    def capsules(self, numbers: Collection[int]) -> Mapping[int, Capsule]:
        """Return the capsules, tombstoned ones as skeletons."""
        ...

    def texts(self, numbers: Collection[int]) -> Mapping[int, CapsuleText]:
        """Return the current texts; a tombstoned capsule has none."""
        ...

    def contents(self, numbers: Collection[int]) -> Mapping[int, str]:
        """Return the current contents alone; cheaper than `texts`, for scoring."""
        ...

    def documents(self, numbers: Collection[int]) -> Mapping[int, TermDocument]:
        """Return the term documents; a tombstoned capsule has none."""
        ...

    def changes_after(self, seq: int, count: int, ops: frozenset[Op]) -> Sequence[IndexedChange]:
        """Return what a follower must look at again: rows of these operations among the next `count` journal rows after `seq`.

        One per capsule with its last seq, in seq order. Rows of other operations count towards `count` and are left out.
        """
        ...

    def space(self, name: str) -> OccupiedSpace | None:
        """Return a space, None if no vector was ever put into it. Every recall asks: its count is kept, not counted."""
        ...

    def spaces(self) -> Sequence[OccupiedSpace]:
        """Return every space that a vector was ever put into, by name (W4)."""
        ...

    def vectors(self, space: str, numbers: Collection[int]) -> Mapping[int, Vector]:
        """Return the vectors in `space` of those of `numbers` that have one."""
        ...

    def embedded_within(self, space: str, scope: Scope) -> Sequence[int]:
        """Return the numbers, ascending, of the capsules with a vector in `space` that every fence of `scope` admits (F4)."""
        ...

    def unembedded(self, space: str, above: int, below: int, count: int) -> Sequence[int]:
        """Return the unforgotten capsules between two numbers, which are left out, that have no vector in a space.

        The highest number comes first, and no more than `count` come.
        """
        ...

    def embeddings(self, numbers: Collection[int]) -> Mapping[int, Sequence[Embedding]]:
        """Return every embedding of those of `numbers` that have any, by space, for exports and upkeep."""
        ...

    def journal(self, after: int, count: int) -> Sequence[JournalRow]:
        """Return the next `count` journal rows after a seq, in order."""
        ...

    def history(self, number: int) -> Sequence[JournalRow]:
        """Return every journal row of one capsule, in order (W12)."""
        ...

    def aliases(self, term_keys: Collection[str]) -> Mapping[str, Sequence[Alias]]:
        """Return the aliases of each term, in the order in which they were taught."""
        ...

    def all_aliases(self) -> Sequence[Alias]:
        """Return every alias, by term key, then in the order in which they were taught."""
        ...

    def relations_from(self, numbers: Collection[int], kinds: Collection[RelationKind]) -> Sequence[Relation]:
        """Return the relations of these kinds whose source is one of `numbers`, by source, kind, target."""
        ...

    def relations_to(self, numbers: Collection[int], kinds: Collection[RelationKind]) -> Sequence[Relation]:
        """Return the relations of these kinds whose target is one of `numbers`, by target, kind, source."""
        ...

    def known_contents(self, digests: Collection[str]) -> Sequence[KnownContent]:
        """Return the unforgotten capsules with one of these content digests, in number order."""
        ...

    def keyed(self, keys: Collection[str]) -> Sequence[KeyedCapsule]:
        """Return who holds each of these keys now, in every project."""
        ...

    def tombstones(self, numbers: Collection[int]) -> Mapping[int, Tombstone]:
        """Return the tombstones of those of `numbers` that have one."""
        ...

    def forgotten(self, content_macs: Collection[str]) -> Mapping[str, int]:
        """Return, for each keyed content hash that some tombstone bears, that capsule's number (W6)."""
        ...

    def forgotten_after(self, seq: int) -> Sequence[IndexedChange]:
        """Return the capsules that were forgotten after the journal row `seq`, in that order (W6)."""
        ...

    def remains(self, numbers: Collection[int]) -> Mapping[int, Set[Remnant]]:
        """Return what is left of these forgotten capsules beside their own rows, for upkeep: nothing, if all is well (W6)."""
        ...

    def reviews(self, number: int) -> Sequence[ReviewEvent]:
        """Return a capsule's verdicts, oldest first (W5)."""
        ...

    def review_history(self, numbers: Collection[int]) -> Mapping[int, Sequence[ReviewEvent]]:
        """Return the verdicts of each capsule that has any, oldest first, for exports and upkeep."""
        ...

    def feedback(self, numbers: Collection[int]) -> Mapping[int, Sequence[Feedback]]:
        """Return the counting judgements of each capsule, oldest first."""
        ...

    def corroborations(self, numbers: Collection[int]) -> Mapping[int, Corroboration]:
        """Return the latest verdict of the git witness on each capsule that has one."""
        ...

    def corroboration_history(self, numbers: Collection[int]) -> Mapping[int, Sequence[Corroboration]]:
        """Return every verdict of the git witness on each capsule that has any, oldest first, for an export."""
        ...

    def misses(self, fence: str | None, count: int) -> Sequence[Miss]:
        """Return the ledger, most asked first, then last asked, then by term; None reads every fence's rows (F13)."""
        ...

    def kept_answer(self, key: str) -> KeptAnswer | None:
        """Return the answer kept under an idempotency key, expired or not."""
        ...

    def listed(self, request: ListRequest) -> ListPage:
        """Return a page of capsules in append order."""
        ...

    def browsed(self, request: BrowseRequest) -> ListPage:
        """Return a page of what `admits` and `first_exclusion` leave, in the order asked for (L8)."""
        ...

    def beside(self, number: int, before: int, after: int, scope: Scope, eligibility: Eligibility | None) -> Sequence[int]:
        """Return the neighbours of an unforgotten capsule in append order, itself left out, ascending (L14).

        They are up to `before` and up to `after` of the capsules inside the scope, eligible where that is asked for, that bear
        the same session label; of all sessions where it bears none.
        """
        ...

    def projects(self, scope: Scope) -> Sequence[ProjectCount]:
        """Return the projects of the unforgotten capsules inside a scope: None first, then by code point (W11)."""
        ...

    def attested(self, sources: Collection[str], signed: Collection[str]) -> Sequence[Attested]:
        """Return the unforgotten capsules with one of these sources, or with a signature that begins with one of `signed`.

        By number; compared character by character, in the current text (F11).
        """
        ...

    def revisions(self, number: int) -> Sequence[CapsuleText]:
        """Return every text that a capsule has had, oldest first; none of an unknown or forgotten one (W12, W13)."""
        ...


class TruthWriter(TruthReader, Protocol):
    """One writing transaction: what it reads is what it writes on. It commits when its context ends without an error."""

    def apply(self, changes: ChangeSet, actor: str, at: Instant) -> int:
        """Make the changes, journal the entries, keep the counters, and return the new head."""
        ...

    def count_misses(self, term_keys: Sequence[str], outcome: MissOutcome, fence: str, at: Instant) -> None:
        """Count one more miss for each folded term; not journalled (T8, W12)."""
        ...

    def keep_misses(self, misses: Sequence[Miss]) -> None:
        """Put rows into the ledger, for an import; where a row is there already the larger count and the later time stay."""
        ...

    def clear_misses(self, fence: str | None) -> int:
        """Clear the ledger (of one fence, or all) and return how many rows went."""
        ...


class Truth(Protocol):
    """The store of everything that is not derived.

    `reading` and `writing` raise MissingState(STORE_BUSY) when the store stays locked beyond its bound, and StoreUnusable when
    it cannot be used at all.
    """

    def reading(self) -> AbstractContextManager[TruthReader]:
        """Open one snapshot; it never waits for a writer."""
        ...

    def writing(self) -> AbstractContextManager[TruthWriter]:
        """Open the one writing transaction; it waits its turn, commits durably at the end, and undoes all on an error."""
        ...

    def close(self) -> None:
        """Release every connection."""
        ...
