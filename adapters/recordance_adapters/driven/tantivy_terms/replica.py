"""A replica of the term index in one slot's folder."""

import shutil
from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path

import tantivy

from recordance.errors import Fault, ReplicaDamaged
from recordance.query.document import TermDocument
from recordance_adapters.driven.tantivy_terms.engine import (
    WRITER_BYTES,
    build_schema,
    is_engine_error,
    open_index,
    reading,
    writing,
)
from recordance_adapters.driven.tantivy_terms.fields import Spans, index_fields
from recordance_adapters.driven.tantivy_terms.integrity import opstamp, verify_files
from recordance_adapters.driven.tantivy_terms.sidecar import Position, forget_position, read_position, write_position
from recordance_adapters.driven.tantivy_terms.snapshot import TantivySnapshot

INDEX = "terms"
"""The folder of the index within a slot."""


class TantivyReplica:
    """The index in the folder `slot`, which this process holds (see TermReplica)."""

    def __init__(self, slot: Path, store: str, index: tantivy.Index, position: Position) -> None:
        self.slot = slot
        self._store = store
        self._schema = index.schema
        self._writer: tantivy.IndexWriter | None = None
        self._start(index, position)

    def _start(self, index: tantivy.Index, position: Position) -> None:
        self._index = index
        self._spans = position.spans
        self._applied, self._mark, self._clean, self._text = position.seq, position.mark, position.clean, position.text
        self._snapshot = self._look()
        # Asked of the index and not kept beside it: a process may have died between its commit and its position.
        self._highest = self._snapshot.highest_number()

    @property
    def applied(self) -> int:
        """See TermReplica."""
        return self._applied

    @property
    def mark(self) -> str:
        """See TermReplica."""
        return self._mark

    @property
    def clean(self) -> int:
        """See TermReplica."""
        return self._clean

    def snapshot(self) -> TantivySnapshot:
        """See TermReplica."""
        return self._snapshot

    def replace(self, numbers: Collection[int], documents: Iterable[TermDocument], seq: int, mark: str = "") -> None:
        """See TermReplica. Raises Fault if it cannot be written; the index then stands as before."""
        if numbers:
            self._write(numbers, documents)
        count, now = self._snapshot.document_count, opstamp(self.slot / INDEX)
        write_position(self.slot, Position(self._store, seq, mark, count, now, self._spans, self._clean, self._text))
        self._applied, self._mark = seq, mark

    def clear(self, clean: int) -> None:
        """See TermReplica. A snapshot that is still looked at goes on: its files have lost their names and nothing else."""
        self._stop_writing()
        nothing = _nothing(self._store, clean, self._text)
        self._start(_empty_index(self.slot), nothing)
        write_position(self.slot, nothing)  # at once: whoever waits for the words to be gone reads it there

    def close(self) -> None:
        """See TermReplica. Waits for merges: whoever takes the slot next must find nobody writing there."""
        self._stop_writing()

    def _write(self, numbers: Collection[int], documents: Iterable[TermDocument]) -> None:
        writer, spans, highest = self._opened_writer(), self._spans, self._highest
        try:
            for number in numbers:
                # A capsule that the index never held needs no delete, which would cost and be kept until a merge.
                if number <= self._highest:
                    writing(writer.delete_documents_by_term, "key", str(number))
            for document in documents:
                writing(writer.add_document, writing(tantivy.Document.from_dict, index_fields(document), self._schema))
                spans, highest = spans.covering(document.capsule), max(highest, document.number)
            writing(writer.commit)
        except BaseException:
            self._roll_back(writer)
            raise
        self._spans, self._highest = spans, highest
        self._snapshot = self._look()

    def _opened_writer(self) -> tantivy.IndexWriter:
        """Return the writer; opened by the first write, since most processes only read for long."""
        if self._writer is None:
            self._writer = writing(self._index.writer, heap_size=WRITER_BYTES, num_threads=1)
        return self._writer

    def _roll_back(self, writer: tantivy.IndexWriter) -> None:
        """Take back what was not committed: without this the engine swallows whatever is written after a failure."""
        try:
            writer.rollback()
        except BaseException as error:
            if not is_engine_error(error):
                raise
            self._writer = None  # a new one starts from the last commit
        self._snapshot = self._look()
        self._highest = self._snapshot.highest_number()

    def _look(self) -> TantivySnapshot:
        with reading():
            self._index.reload()
            return TantivySnapshot(self._index.searcher(), self._schema, self._spans, partial(verify_files, self.slot / INDEX))

    def _stop_writing(self) -> None:
        """Close the writer once its merges, which write files of their own, are over."""
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                writer.wait_merging_threads()
            except BaseException as error:
                if not is_engine_error(error):
                    raise


def open_replica(slot: Path, store: str, text: str = "") -> TantivyReplica:
    """Return the replica that lies in a slot's folder; raises ReplicaDamaged if it is no sound one of this store."""
    position = read_position(slot, store, text)
    if position is None:
        raise ReplicaDamaged(f"slot {slot.name} holds no replica of this store by these versions")
    if not position.seq:
        raise ReplicaDamaged(f"the replica in slot {slot.name} was emptied; a copy of another's is of more use")
    verify_files(slot / INDEX)
    replica = TantivyReplica(slot, store, open_index(slot / INDEX, build_schema()), position)
    # It may be ahead of its position, if its process died in between, but never behind.
    now, held = opstamp(slot / INDEX), replica.snapshot().document_count
    if now < position.opstamp or (now == position.opstamp and held != position.documents):
        raise ReplicaDamaged(f"the index holds {held} documents at operation {now}, and its position is {position}")
    return replica


def empty_replica(slot: Path, store: str, text: str = "") -> TantivyReplica:
    """Return an empty replica in a slot's folder, whatever lay there before."""
    return TantivyReplica(slot, store, _empty_index(slot), _nothing(store, 0, text))


def _empty_index(slot: Path) -> tantivy.Index:
    forget_position(slot)  # first: what lies there counts for nothing from here on
    try:
        if (slot / INDEX).exists():
            shutil.rmtree(slot / INDEX)
        (slot / INDEX).mkdir(parents=True)
    except OSError as error:
        raise Fault(f"the term index cannot be emptied: {error}") from error
    return open_index(slot / INDEX, build_schema())


def _nothing(store: str, clean: int, text: str) -> Position:
    return Position(store, seq=0, mark="", documents=0, opstamp=0, spans=Spans(), clean=clean, text=text)
