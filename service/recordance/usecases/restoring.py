"""A whole export becomes the store that it was: same numbers, same journal, in one transaction (W10)."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from recordance.answer.export_lines import CapsuleLine, Line
from recordance.domain.alias import Alias, Miss
from recordance.domain.caller import Caller
from recordance.domain.change import AddRelation, ChangeSet, PutSpace
from recordance.domain.embedding import Space
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, JournalRow, Value
from recordance.domain.relation import Relation
from recordance.errors import Json
from recordance.ports.truth import TruthWriter
from recordance.query.residue import skeleton_values
from recordance.usecases.arrival import arrival_of, new_aliases
from recordance.usecases.follow import Progress
from recordance.usecases.store import Store
from recordance.usecases.surveying import Lines, Survey, batches


def restored(store: Store, caller: Caller, lines: Lines, found: Survey, progress: Progress) -> dict[str, Json] | None:
    """Fill an empty store and return what came in; None, and nothing done, when the store is not empty."""
    with store.truth.writing() as writer:
        if writer.head() or writer.last_number():
            return None
        restoration = _Restoration(store, caller, writer, store.clock.now())
        done = 0
        for batch in batches(lines):
            restoration.take(batch)
            done += len(batch)
            progress(done, found.lines)
        return restoration.finish()


_COUNTED = ("capsules", "tombstones", "embeddings", "relations", "aliases", "journal", "misses")


class _Restoration:
    """One restoration under way, inside its transaction."""

    def __init__(self, store: Store, caller: Caller, writer: TruthWriter, at: Instant) -> None:
        self._store = store
        self._actor = caller.actor
        self._writer = writer
        self._at = at
        self._quarantined: list[Entry] = []
        self._forgotten: set[int] = set()
        self._counts = dict.fromkeys(_COUNTED, 0)

    def take(self, batch: Sequence[Line]) -> None:
        """Write a batch of lines of one sort."""
        match batch[0]:
            case Space():
                self._write(ChangeSet(tuple(PutSpace(line, self._at) for line in batch if isinstance(line, Space))))
            case CapsuleLine():
                self._capsules([line for line in batch if isinstance(line, CapsuleLine)])
            case Relation():
                self._write(ChangeSet(tuple(AddRelation(line) for line in batch if isinstance(line, Relation))))
                self._counts["relations"] += len(batch)
            case Alias():
                aliases = new_aliases(self._writer, [line for line in batch if isinstance(line, Alias)])
                self._write(ChangeSet(tuple(aliases)))
                self._counts["aliases"] += len(aliases)
            case JournalRow():
                self._journal([line for line in batch if isinstance(line, JournalRow)])
            case Miss():
                self._writer.keep_misses([line for line in batch if isinstance(line, Miss)])
                self._counts["misses"] += len(batch)
            case _:
                return

    def finish(self) -> dict[str, Json]:
        """Journal what the scan has quarantined anew, and return the counts."""
        self._write(ChangeSet((), tuple(self._quarantined)))
        return {**self._counts, "quarantined": len(self._quarantined)}

    def _capsules(self, lines: Sequence[CapsuleLine]) -> None:
        arrivals = [arrival_of(line, line.capsule.number, self._store.taint, self._at) for line in lines]
        self._write(ChangeSet(tuple(change for arrival in arrivals for change in arrival.changes)))
        self._quarantined += [arrival.quarantined for arrival in arrivals if arrival.quarantined is not None]
        self._counts["capsules"] += sum(1 for line in lines if line.tombstone is None)
        self._counts["tombstones"] += sum(1 for line in lines if line.tombstone is not None)
        self._forgotten.update(line.capsule.number for line in lines if line.tombstone is not None)
        self._counts["embeddings"] += sum(len(line.embeddings) for line in lines)

    def _journal(self, rows: Sequence[JournalRow]) -> None:
        for (actor, at), written in groupby(rows, key=lambda row: (row.actor, row.at)):
            entries = tuple(Entry(row.op, row.capsule, row.revision, self._told(row)) for row in written)
            self._writer.apply(ChangeSet((), entries), actor, at)
        self._counts["journal"] += len(rows)

    def _told(self, row: JournalRow) -> Mapping[str, Value]:
        """Return what a row may say here: exports of the first format told labels of what was forgotten (W6)."""
        return skeleton_values(row.values) if row.capsule in self._forgotten else row.values

    def _write(self, changes: ChangeSet) -> None:
        self._writer.apply(changes, self._actor, self._at)
