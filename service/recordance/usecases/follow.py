"""The term follower: keeps a replica of the term index behind the truth, and shows a recall everything that was answered.

Rows of the journal above the replica's position are held in the overlay, judged by the pure predicates, and merged with what
the replica proposes (decision 1). Two locks, always taken in this order: the turn to write the replica, which is held as long
as that takes, and the swap of what recalls look at, which is held shortly.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Protocol

from recordance.domain.journal import INDEXED_OPS
from recordance.errors import MissingState, ReplicaDamaged, StateKind
from recordance.ports.terms import Proposals, Tally, TermReplica
from recordance.ports.truth import Truth, TruthReader
from recordance.query.document import TermDocument, TermQuery
from recordance.query.fence import Scope
from recordance.query.text_services import PLAIN, TextServices
from recordance.ranking.scoring import Weights
from recordance.usecases.history import lies_in, mark_at
from recordance.usecases.overlay import Stand, bare_stand
from recordance.usecases.term_view import OverlaidTerms

Progress = Callable[[int, int], None]
"""Called with (done, total) as long work goes on."""
Monotonic = Callable[[], float]
"""Tells seconds that never go back; only differences mean anything."""

PATIENCE_SECONDS = 20.0
"""How long a recall waits for the index to catch up before it says that it is behind."""
OVERLAY_ROWS = 5_000
"""How many journal rows may lie above the replica's position before a recall writes them into the replica first.

Well above the number at which a commit is due: reading a row into the overlay costs a recall less than waiting for the commit
under way and then making one of its own. Measured while 5,000 capsules came in, the longest recalls became three times shorter.
"""
OVERLAY_WORDS = 1_000_000
"""How many words their contents may have together, so that long ones do not fill the memory: some 60 MB."""
CATCH_UP_ROWS = 5_000
"""How many journal rows one durable step of a long catch-up applies."""
DOCUMENTS_READ = 100
"""How many documents are in memory at once while the replica is written."""

_SWAPS = 3
"""How often a new state is made ready beside recalls that move the old one on, before they are made to wait for it."""


class TermView(Protocol):
    """The term index as of exactly one journal seq: replica and overlay as one."""

    def proposals(self, query: TermQuery, count: int, weights: Weights) -> Proposals:
        """Return the likely best `count` eligible matches with a horizon for the rest, as TermSnapshot.proposals does."""
        ...

    def frequencies(self, words: Collection[str], scope: Scope) -> Mapping[str, int]:
        """Return the exact document frequency of each word inside `scope`."""
        ...

    def words_from(self, beginning: str) -> Collection[str]:
        """Return every word of the contents that begins so; words may be among them that no document has any more."""
        ...

    def tally(self, query: TermQuery) -> Tally:
        """Return the exact counts of all matches."""
        ...


@dataclass(frozen=True, slots=True)
class RecallView:
    """One consistent reading of a store: a snapshot of the truth and the term index at that snapshot's head.

    `services` are those that the index was built with.
    """

    reader: TruthReader
    terms: TermView
    head: int
    services: TextServices = PLAIN


@dataclass(frozen=True, slots=True)
class FollowerStatus:
    """How far the index is: the journal's head, what recalls find applied, and how many documents the overlay holds.

    `emptied`: recalls go on with what the replica held, which lies on the disk no more and is yet to be written anew (W6).
    """

    head: int
    applied: int
    overlay: int
    emptied: bool = False

    @property
    def is_due(self) -> bool:
        """Whether a commit would change anything."""
        return self.emptied or self.applied < self.head


class TermFollower:
    """Follows the journal of one truth into one replica. Safe for threads.

    A replica that is damaged, does not hold as many documents as the truth, is ahead of it, or followed another history (the
    truth was put back to an earlier state and went on from there) is emptied and filled again, without a word to the recall
    that noticed. Every method raises what the truth raises; those that write the replica raise Fault when it cannot be written.
    """

    def __init__(
        self,
        truth: Truth,
        replica: TermReplica,
        monotonic: Monotonic,
        patience: float = PATIENCE_SECONDS,
        services: TextServices = PLAIN,
    ) -> None:
        self._services = services
        self._truth = truth
        self._replica = replica
        self._monotonic = monotonic
        self._patience = patience
        self._turn = threading.Lock()
        self._swap = threading.Lock()
        self._stand = bare_stand(replica.snapshot(), replica.applied)
        self._proven: Stand | None = None
        self._trusted = False

    @property
    def services(self) -> TextServices:
        """The text services that the replica is built with: one of others is never opened."""
        return self._services

    @contextmanager
    def at_head(self) -> Iterator[RecallView]:
        """Open a snapshot of the truth with the term index at exactly its head, whatever the replica has applied.

        Raises MissingState(INDEX_BEHIND) when the replica is so far behind that it cannot catch up within the patience; what
        was caught up stays, so that asking again goes on from there.
        """
        deadline = self._monotonic() + self._patience
        while True:
            remedy = self._bring_up
            with ExitStack() as opened:
                try:
                    view = self._look(opened, deadline)
                except ReplicaDamaged:
                    view, remedy = None, self._refill
                if view is not None:
                    yield view
                    return
            with self._writing(deadline), self._truth.reading() as reader:
                remedy(reader, _Journey(deadline))

    def commit(self) -> None:
        """Write everything up to the truth's head into the replica and let it go from the overlay."""
        with self._turn, self._truth.reading() as reader:
            self._bring_up(reader, _Journey())

    def purge(self) -> None:
        """Empty the replica if anything was forgotten since it was last begun, so that no file has a word of that (W6).

        One that followed another history is emptied as well: since when it was begun, it tells in the seqs of that.

        Recalls go on with what it held until a commit has filled it again. That is left to a quieter moment: whoever forgets one
        capsule often forgets more.
        """
        with self._turn, self._truth.reading() as reader:
            self._trusted = False
            if not self._trusts(reader) or reader.forgotten_after(self._replica.clean):
                self._replica.clear(reader.head())

    def rebuild(self, progress: Progress) -> None:
        """Empty the replica and fill it again from the truth; recalls go on with the old one until the new one is whole."""
        with self._turn, self._truth.reading() as reader:
            self._refill(reader, _Journey(progress=progress))

    def status(self) -> FollowerStatus:
        """Return how far the replica is."""
        with self._truth.reading() as reader:
            stand = self._stand
            return FollowerStatus(reader.head(), stand.applied, len(stand.overlay.seqs), self._replica.applied < stand.applied)

    def _look(self, opened: ExitStack, deadline: float) -> RecallView | None:
        """Return a view at the head of a snapshot opened now, or None if the replica must be written first.

        The snapshot is opened under the lock: it is then never older than what the stand was made from.
        """
        with self._swap:
            reader = opened.enter_context(self._truth.reading())
            stand = self._stand_at(reader)
        if stand is None:
            return None
        terms = OverlaidTerms(stand, lambda damaged: self._recovered(damaged, reader, deadline), self._services)
        return RecallView(reader, terms, stand.head, self._services)

    def _stand_at(self, reader: TruthReader) -> Stand | None:
        head, stand = reader.head(), self._stand
        if not _follows(stand, reader):  # the truth was put back to an earlier state, and may have gone on from there
            if stand.applied != self._replica.applied:
                return None  # the replica has been begun anew for it already, and tells nothing of this snapshot
            stand = bare_stand(stand.snapshot, stand.applied)
            self._trusted = False
        if not 0 <= head - stand.applied <= OVERLAY_ROWS or not self._trusts(reader):
            return None
        advanced = _advanced(stand, reader, self._services)
        if advanced is None:
            return None
        if advanced is not self._proven and advanced.document_count != reader.corpus().capsules:
            return None
        self._stand = self._proven = advanced
        return advanced

    @contextmanager
    def _writing(self, deadline: float) -> Iterator[None]:
        """Wait for the turn to write the replica, at most until the deadline."""
        left = deadline - self._monotonic()
        if left < 0.0 or not self._turn.acquire(timeout=left):
            with self._truth.reading() as reader:
                raise self._behind(reader.head())
        try:
            yield
        finally:
            self._turn.release()

    def _bring_up(self, reader: TruthReader, journey: "_Journey") -> None:
        """Apply everything up to the reader's head; start from nothing if the replica turns out to be no good."""
        try:
            self._replay(reader, journey)
            self._prove(reader)
        except ReplicaDamaged:
            self._refill(reader, journey)

    def _refill(self, reader: TruthReader, journey: "_Journey") -> None:
        self._replica.clear(reader.head())
        self._replay(reader, journey)
        self._prove(reader)

    def _recovered(self, damaged: Stand, reader: TruthReader, deadline: float) -> Stand:
        """Return a stand at the reader's head over a replica that is not the damaged one."""
        with self._writing(deadline):
            if self._stand.snapshot is damaged.snapshot or self._replica.applied > reader.head():
                self._refill(reader, _Journey(deadline))
            stand = _advanced(bare_stand(self._replica.snapshot(), self._replica.applied), reader, self._services)
            if stand is None:
                self._refill(reader, _Journey(deadline))
                stand = bare_stand(self._replica.snapshot(), self._replica.applied)
            return stand

    def _replay(self, reader: TruthReader, journey: "_Journey") -> None:
        """Apply the journal from where the replica is up to the reader's head, in durable steps.

        What is written is what the reader has now, so that a capsule with many rows is written once.
        """
        head, replica = reader.head(), self._replica
        if replica.applied > head:
            raise ReplicaDamaged(f"the replica has applied {replica.applied} rows of a journal that has {head}")
        self._trusted = False
        if not self._trusts(reader):
            raise ReplicaDamaged(f"the replica has applied {replica.applied} rows of another history")
        if not replica.applied and reader.forgotten_after(replica.clean):
            replica.clear(head)  # what has nothing yet gets nothing that was forgotten
        written = bytearray(reader.last_number() + 1)
        try:
            self._write_overlay(reader, head)
            while replica.applied < head:
                until = min(replica.applied + CATCH_UP_ROWS, head)
                changes = reader.changes_after(replica.applied, CATCH_UP_ROWS, INDEXED_OPS)
                numbers = [change.number for change in changes if not written[change.number]]
                replica.replace(numbers, _documents(reader, numbers, self._services), until, mark_at(reader, until))
                for number in numbers:
                    written[number] = 1
                journey.progress(until, head)
                if until < head and journey.deadline is not None and self._monotonic() > journey.deadline:
                    raise self._behind(head)
        finally:
            self._put_in_place()

    def _write_overlay(self, reader: TruthReader, head: int) -> None:
        """Write what recalls have read from the truth already; what lies above `head` stays for later.

        What was read before the replica began anew may have been forgotten in between: it is read again.
        """
        stand, replica = self._stand, self._replica
        if stand.applied == replica.applied < stand.head <= head and stand.head >= replica.clean:
            mark = mark_at(reader, stand.head)
            if mark == stand.mark:
                replica.replace(stand.overlay.seqs.keys(), stand.overlay.index.documents(), stand.head, mark)

    def _put_in_place(self) -> None:
        """Let recalls look at what the replica holds now; they wait for the swap alone, not for what is left of the overlay.

        What they looked at before is let go: it may hold files open that have lost their names.
        """
        snapshot, applied, mark = self._replica.snapshot(), self._replica.applied, self._replica.mark
        for _ in range(_SWAPS):
            seen = self._stand
            rebased = seen.rebased(snapshot, applied, mark)
            with self._swap:
                if self._stand is seen:
                    self._stand, self._proven = rebased, None
                    return
        with self._swap:
            self._stand, self._proven = self._stand.rebased(snapshot, applied, mark), None

    def _trusts(self, reader: TruthReader) -> bool:
        """Whether the replica followed this very journal; recalls ask once, and then what they look at tells them."""
        if not self._trusted:
            self._trusted = self._replica.mark == mark_at(reader, self._replica.applied)
        return self._trusted

    def _prove(self, reader: TruthReader) -> None:
        """Compare the replica with the truth at the seq up to which it was just brought (case D5)."""
        held, kept = self._replica.snapshot().document_count, reader.corpus().capsules
        if held != kept:
            raise ReplicaDamaged(f"the replica holds {held} documents where the truth keeps {kept} capsules")

    def _behind(self, head: int) -> MissingState:
        applied = self._replica.applied
        lesson = f"the term index has applied {applied} of {head} journal rows and is catching up; ask again in a moment"
        return MissingState(StateKind.INDEX_BEHIND, "terms", lesson, head=head, applied=applied)


def _unwatched(_done: int, _total: int) -> None:
    """Watch no progress."""


@dataclass(frozen=True, slots=True)
class _Journey:
    """How long a catch-up may take, None being as long as it needs, and who watches it."""

    deadline: float | None = None
    progress: Progress = _unwatched


def _advanced(stand: Stand, reader: TruthReader, services: TextServices) -> Stand | None:
    """Return the stand with an overlay up to the reader's head, or None if that would hold too many words."""
    head = reader.head()
    if head == stand.head:
        return stand
    changes = reader.changes_after(stand.head, head - stand.head, INDEXED_OPS)
    documents: list[TermDocument] = []
    words = stand.overlay.words
    for document in _documents(reader, [change.number for change in changes], services):
        documents.append(document)
        words += len(document.words)
        if words > OVERLAY_WORDS:
            return None
    overlay = stand.overlay.extended(changes, documents, stand.snapshot)
    return stand.overlaid(overlay, head, mark_at(reader, head))


def _follows(stand: Stand, reader: TruthReader) -> bool:
    """Whether the reader's journal goes on from the one that the stand was made from; it is looked at where it has moved."""
    if stand.head == reader.head() or stand.mark is None:
        return True
    return lies_in(reader, stand.head, stand.mark)


def _documents(reader: TruthReader, numbers: Sequence[int], services: TextServices) -> Iterator[TermDocument]:
    """Return the documents of these capsules, a few at a time."""
    for start in range(0, len(numbers), DOCUMENTS_READ):
        yield from map(services.enriched, reader.documents(numbers[start : start + DOCUMENTS_READ]).values())
