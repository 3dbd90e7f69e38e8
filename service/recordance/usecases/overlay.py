"""The overlay: what the journal says above a replica's position, held in memory until the replica holds it too (decision 1)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recordance.ports.terms import TermSnapshot
from recordance.ports.truth import IndexedChange
from recordance.query.document import TermDocument
from recordance.query.fence import MemberFence, Scope
from recordance.query.memory_index import MemoryIndex

MOST_REMEMBERED = 20_000
"""How many frequencies are remembered before they are counted anew."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """The present documents of the capsules that changed above a replica's position.

    `seqs` are the journal seqs of their last changes; a changed capsule without a document is gone. `masked` are those that the
    replica's snapshot holds in an older version, which must not answer. `words` is how many words have been read into it.
    """

    index: MemoryIndex = field(default_factory=MemoryIndex)
    seqs: Mapping[int, int] = field(default_factory=dict[int, int])
    masked: frozenset[int] = frozenset()
    words: int = 0

    def extended(self, changes: Sequence[IndexedChange], documents: Sequence[TermDocument], below: TermSnapshot) -> "Overlay":
        """Return the overlay with later changes and what the truth has of them now, over the same snapshot."""
        seqs = {change.number: change.seq for change in changes}
        return Overlay(
            self.index.extended(documents, seqs.keys()),
            {**self.seqs, **seqs},
            self.masked | below.numbers_present(seqs.keys() - self.masked),
            self.words + _words(documents),
        )

    def above(self, seq: int, below: TermSnapshot) -> "Overlay":
        """Return what is left once a replica holds everything up to `seq`, over its new snapshot."""
        seqs = {number: at for number, at in self.seqs.items() if at > seq}
        index = self.index.extended((), self.seqs.keys() - seqs.keys())
        return Overlay(index, seqs, below.numbers_present(seqs.keys()), _words(index.documents()))


def _words(documents: Iterable[TermDocument]) -> int:
    return sum(len(document.words) for document in documents)


class Frequencies:
    """Document frequencies of one immutable thing, each counted once. Safe for threads."""

    def __init__(self, count: Callable[[Collection[str], Scope], Mapping[str, int]]) -> None:
        self._count = count
        self._known: dict[Scope, dict[str, int]] = {}
        self._remembered = 0

    def of(self, words: Collection[str], scope: Scope) -> dict[str, int]:
        """Return how many documents inside `scope` have each word."""
        if self._remembered > MOST_REMEMBERED:
            self._known, self._remembered = {}, 0
        known = self._known.setdefault(scope, {})
        missing = [word for word in words if word not in known]
        if missing:
            known.update(self._count(missing, scope))
            self._remembered += len(missing)
        return {word: known[word] for word in words}


@dataclass(frozen=True, slots=True)
class Stand:
    """The term index as of one journal seq: a replica's snapshot, the overlay above it, and what has been counted of both.

    `mark` tells the journal that was read up to `head` from one with another history; it is not known before any was read.
    """

    snapshot: TermSnapshot
    applied: int
    overlay: Overlay
    head: int
    below: Frequencies
    above: Frequencies
    mark: str | None = None

    @property
    def document_count(self) -> int:
        """How many documents there are, an older version under a newer one not counted."""
        return self.snapshot.document_count - len(self.overlay.masked) + len(self.overlay.index)

    def overlaid(self, overlay: Overlay, head: int, mark: str) -> "Stand":
        """Return the same snapshot under a later overlay."""
        return Stand(self.snapshot, self.applied, overlay, head, self.below, _above(self.snapshot, overlay), mark)

    def rebased(self, snapshot: TermSnapshot, applied: int, mark: str) -> "Stand":
        """Return the stand over what its replica holds now, with the part of the overlay that lies above that."""
        if snapshot is self.snapshot and applied == self.applied:
            return self
        if applied < self.applied:  # the replica began anew
            return bare_stand(snapshot, applied, mark)
        overlay = self.overlay.above(applied, snapshot)
        below = self.below if snapshot is self.snapshot else _below(snapshot)
        known = self.mark if applied < self.head else mark
        return Stand(snapshot, applied, overlay, max(applied, self.head), below, _above(snapshot, overlay), known)

    def frequencies(self, words: Collection[str], scope: Scope) -> dict[str, int]:
        """Return the exact document frequency of each word inside `scope`."""
        below, above = self.below.of(words, scope), self.above.of(words, scope)
        return {word: below[word] + above[word] for word in words}


def bare_stand(snapshot: TermSnapshot, applied: int, mark: str | None = None) -> Stand:
    """Return a snapshot that knows everything up to `applied`, with nothing above it."""
    return Stand(snapshot, applied, Overlay(), applied, _below(snapshot), _above(snapshot, Overlay()), mark)


def _below(snapshot: TermSnapshot) -> Frequencies:
    """Count in a snapshot, masking nothing."""
    return Frequencies(lambda words, scope: snapshot.frequencies(words, (), scope))


def _above(snapshot: TermSnapshot, overlay: Overlay) -> Frequencies:
    """Count what an overlay adds to the frequencies of the snapshot below it, less what it masks there."""

    def count(words: Collection[str], scope: Scope) -> Mapping[str, int]:
        added = overlay.index.frequencies(words, scope)
        if not overlay.masked:
            return added
        hidden = snapshot.frequencies(words, (), scope.with_fences(MemberFence(overlay.masked)))
        return {word: added[word] - hidden[word] for word in words}

    return Frequencies(count)
