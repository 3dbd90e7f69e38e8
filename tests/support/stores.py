"""Stores over the in-memory adapters, for tests of use cases: a settable clock, files in a dict, misses written at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField
from recordance.domain.draft import CapsuleDraft, Staging
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.domain.instant import Instant
from recordance.domain.journal import JournalRow
from recordance.domain.provenance import read_anchor
from recordance.domain.taint import DEFAULT_TAINT_POLICY, TaintPolicy
from recordance.errors import Refusal
from recordance.ports.truth import Truth
from recordance.usecases.follow import TermFollower
from recordance.usecases.purging import Purger
from recordance.usecases.remember import Idempotency, remember
from recordance.usecases.store import Destinations, Store
from recordance.usecases.vector_follow import VectorFollower
from recordance_adapters.driven.in_memory.anchors import MemoryAnchors
from recordance_adapters.driven.in_memory.clock import MemoryClock
from recordance_adapters.driven.in_memory.misses import MemoryMisses
from recordance_adapters.driven.in_memory.premises import MemoryPremises
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from support.truths import IDENTITY, NOON

ANN = Caller(actor="ann")
BOB = Caller(actor="bob")
DEFAULT = "main"
"""The name of the destination that a bench has."""


def standing_still() -> float:
    """A monotonic clock for followers that never have to wait."""
    return 0.0


@dataclass(frozen=True)
class Bench:
    """One store with handles on what a test moves: its clock and its files."""

    destinations: Destinations
    store: Store
    clock: MemoryClock
    files: dict[str, bytes]

    @property
    def truth(self) -> Truth:
        """The store's truth."""
        return self.store.truth

    def tell(self, *items: CapsuleDraft | Refusal, caller: Caller = ANN, once: Idempotency | None = None) -> dict[str, Any]:
        """Remember a batch and return the answer."""
        return remember(self.destinations, caller, None, items, once)

    def learn(self, *contents: str, caller: Caller = ANN, **given: Any) -> list[str]:
        """Remember contents that nobody objects to, all with the same further fields, and return their ids."""
        results = self.tell(*(draft(content, **given) for content in contents), caller=caller)["results"]
        assert all(result["status"] == "captured" for result in results), results
        return [result["id"] for result in results]

    def journal(self) -> Sequence[JournalRow]:
        """Every row of the journal."""
        with self.truth.reading() as reader:
            return reader.journal(0, reader.head() + 1)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a bench is put together from; a part that is left out is the plain in-memory one."""

    truth: Truth = field(default_factory=lambda: MemoryTruth(IDENTITY))
    now: Instant = NOON
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    taint: TaintPolicy = DEFAULT_TAINT_POLICY


def bench(parts: Parts | None = None) -> Bench:
    """A fresh store, empty unless the given truth is not."""
    parts = parts or Parts()
    clock, files = MemoryClock(parts.now), dict(parts.files)
    terms = TermFollower(parts.truth, MemoryReplica(), standing_still)
    vectors = VectorFollower(parts.truth, DEFAULT_SPACE, MemoryVectorReplica, standing_still)
    store = Store(
        name=DEFAULT,
        truth=parts.truth,
        terms=terms,
        vectors=vectors,
        purger=Purger(parts.truth, terms, vectors, MemoryPremises()),
        anchors=MemoryAnchors(files),
        clock=clock,
        misses=MemoryMisses(parts.truth),
        taint=parts.taint,
    )
    return Bench(Destinations({DEFAULT: store}), store, clock, files)


def memory_destinations(parts: Parts | None = None) -> Destinations:
    """The destinations of a fresh bench."""
    return bench(parts).destinations


def draft(content: str, **given: Any) -> CapsuleDraft:
    """A draft; fields that are labels go where labels are, `anchor` is read, `staged` becomes the staging."""
    labels = {LabelField(name): str(given.pop(name)) for name in list(given) if name in _LABELS}
    if "anchor" in given:
        given["anchors"] = (read_anchor(given.pop("anchor")),)
    if given.pop("staged", None):
        given["staging"] = Staging.STAGED
    return CapsuleDraft(content=content, labels=labels, **given)


_LABELS = {name.value for name in LabelField}
