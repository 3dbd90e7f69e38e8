"""Recalls against a store in memory: what is needed to ask in one line and to look at everything that was said."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recordance.answer.receipt import Receipt, read_receipt
from recordance.domain.alias import Alias, MissOutcome
from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField
from recordance.domain.change import AddRelation, ChangeSet, PutEmbedding, PutSpace, TeachAlias
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Space, vector_of
from recordance.domain.instant import Instant
from recordance.domain.journal import Op
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.taint import DEFAULT_TAINT_POLICY
from recordance.ports.truth import Truth
from recordance.query.fence import Fence, LabelFence, Scope, SubtreeFence
from recordance.query.folding import fold_key
from recordance.query.request import RecallRequest
from recordance.query.terms import read_terms
from recordance.query.text_services import PLAIN, TextServices
from recordance.usecases.follow import TermFollower
from recordance.usecases.purging import Purger
from recordance.usecases.recall import recall
from recordance.usecases.store import Destinations, Store
from recordance.usecases.vector_follow import VectorFollower
from recordance_adapters.driven.in_memory.anchors import MemoryAnchors
from recordance_adapters.driven.in_memory.clock import MemoryClock
from recordance_adapters.driven.in_memory.premises import MemoryPremises
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from support.stores import standing_still
from support.truths import ACTOR, IDENTITY, NOON, remember, told, write

ANYBODY = Caller(actor=ACTOR)


@dataclass(frozen=True)
class Missed:
    """A note for the miss ledger."""

    term_keys: tuple[str, ...]
    outcome: str
    fence: str
    at: Instant


@dataclass
class NotedMisses:
    """A miss recorder that keeps its notes where a test can read them."""

    notes: list[Missed] = field(default_factory=list)

    def record(self, term_keys: Sequence[str], outcome: MissOutcome, fence: str, at: Instant) -> None:
        """Keep the note."""
        self.notes.append(Missed(tuple(term_keys), outcome.value, fence, at))

    def settle(self) -> None:
        """Nothing waits."""


@dataclass
class Recalls:
    """One store and those who ask it."""

    truth: Truth = field(default_factory=lambda: MemoryTruth(IDENTITY))
    replica: Any = field(default_factory=MemoryReplica)
    vectors: Any = field(default_factory=MemoryVectorReplica)
    clock: Any = field(default_factory=lambda: MemoryClock(NOON))
    misses: Any = field(default_factory=NotedMisses)
    anchors: Any = field(default_factory=lambda: MemoryAnchors({}))
    services: TextServices = PLAIN

    def __post_init__(self) -> None:
        self.follower = TermFollower(self.truth, self.replica, standing_still, services=self.services)
        self.vector_follower = VectorFollower(self.truth, DEFAULT_SPACE, lambda: self.vectors, standing_still)
        store = Store(
            name="main",
            truth=self.truth,
            terms=self.follower,
            vectors=self.vector_follower,
            purger=Purger(self.truth, self.follower, self.vector_follower, MemoryPremises()),
            anchors=self.anchors,
            clock=self.clock,
            misses=self.misses,
            taint=DEFAULT_TAINT_POLICY,
        )
        self.destinations = Destinations({"main": store})

    def remember(self, *contents: str, **given: Any) -> list[int]:
        """Capture contents with these fields of Capsule and CapsuleText; return their numbers."""
        return remember(self.truth, *contents, **given)

    def embed(self, number: int, *components: float) -> None:
        """Attach a vector to a capsule; all vectors of a store have as many components."""
        with self.truth.reading() as reader:
            digest = reader.capsules([number])[number].content_digest
        embedding = Embedding(number, DEFAULT_SPACE, digest, vector_of(components), NOON)
        space = PutSpace(Space(DEFAULT_SPACE, len(components)), NOON)
        self.write(told(Op.EMBEDDED, number, space, PutEmbedding(embedding)))

    def write(self, *changes: ChangeSet) -> None:
        """Apply change sets."""
        write(self.truth, *changes)

    def relate(self, source: int, kind: RelationKind, target: int) -> None:
        """Relate two capsules."""
        self.write(told(Op.RELATED, source, AddRelation(Relation(kind, source, target, NOON))))

    def teach(self, term: str, *texts: str) -> None:
        """Teach what a term also means."""
        for text in texts:
            self.write(told(Op.ALIASED, None, TeachAlias(Alias(fold_key(term), fold_key(text), term, text, NOON))))

    def ask(
        self,
        *terms: str,
        caller: Caller = ANYBODY,
        fences: Iterable[Fence] = (),
        destination: str | None = None,
        **given: Any,
    ) -> dict[str, Any]:
        """Recall terms inside fences, with these further fields of a request, and return the answer."""
        request = RecallRequest(terms=read_terms(terms), scope=Scope(tuple(fences)), **given)
        return recall(self.destinations, caller, destination, request)

    def found(self, *terms: str, **given: Any) -> list[int]:
        """Return the numbers of what a recall shows, best first."""
        return shown(self.ask(*terms, token_budget=10**6, **given))

    def receipt(self, answer: dict[str, Any]) -> Receipt:
        """Return what an answer's receipt says."""
        return read_receipt(answer["receipt"], "receipt", IDENTITY.store, IDENTITY.key)


def shown(answer: dict[str, Any]) -> list[int]:
    """Return the numbers of the results of an answer, best first."""
    return [int(result["id"].removeprefix("cap-")) for result in answer["results"]]


def only(field: LabelField, *labels: str | None) -> LabelFence:
    """The fence that admits one of these labels in a field."""
    return LabelFence(field, frozenset(labels))


def below(*prefixes: str) -> SubtreeFence:
    """The fence that admits these project subtrees."""
    return SubtreeFence(frozenset(prefixes))


def fenced(*projects: str) -> Caller:
    """A caller whose token reaches these project subtrees."""
    return Caller(actor="bob", projects=frozenset(projects))
