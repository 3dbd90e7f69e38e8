"""Merging an export into a store that holds something already (W10).

Each batch is a transaction, and each line changes nothing that is there already, so that a merge which was interrupted is run
again. Labels and provenance stay; numbers become new ones; what was forgotten stays forgotten, on whichever side it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from recordance.answer.export_lines import CapsuleLine, Line
from recordance.domain.alias import Alias, Miss
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.change import ChangeSet, Entomb, SetStanding
from recordance.domain.forgetting import content_mac
from recordance.domain.graph import leads_to
from recordance.domain.identity import content_digest
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op
from recordance.domain.relation import ACYCLIC, Relation, RelationKind
from recordance.domain.review import ReviewState
from recordance.domain.supersession import RETIRING, related, retired
from recordance.errors import Json
from recordance.ports.truth import TruthReader, TruthWriter
from recordance.usecases.arrival import arrival_of, new_aliases, new_relations
from recordance.usecases.follow import Progress
from recordance.usecases.store import Store
from recordance.usecases.surveying import BATCH, Lines, Survey, batches

InProject = tuple[str | None, str]
"""A project (None: unstamped) with a content digest, or with a key."""
_COUNTED = (
    "captured",
    "deduplicated",
    "forgotten",
    "tombstones",
    "quarantined",
    "relations",
    "aliases",
    "misses",
    "dropped",
)
L = TypeVar("L", bound=Line)


def merge(store: Store, caller: Caller, lines: Lines, found: Survey, progress: Progress) -> dict[str, Json]:
    """Merge surveyed lines into a store and return what became of them.

    `captured`, `deduplicated` (equal content was there in the same project), `forgotten` (its content is not stored again),
    `tombstones`, `quarantined` by the scan, `relations`, `aliases`, `misses`, and `dropped`: relations that were there, that
    lack an end, or that would close a circle.
    """
    merging = _Merging(store, caller, found)
    done = 0
    for batch in batches(lines):
        with store.truth.writing() as writer:
            merging.take(writer, batch)
        done += len(batch)
        progress(done, found.lines)
    merging.finish()
    return dict(merging.counts)


class _Merging:
    """One merge under way: which number each capsule of the file has here, and what is left to do at the end."""

    def __init__(self, store: Store, caller: Caller, found: Survey) -> None:
        self.counts = dict.fromkeys(_COUNTED, 0)
        self._store = store
        self._actor = caller.actor
        self._origin = "" if found.header is None else found.header.store
        self._numbers: dict[int, int] = {}
        self._superseded: list[tuple[int, int]] = []
        self._macs: set[str] = set()

    def take(self, writer: TruthWriter, batch: Sequence[Line]) -> None:
        """Merge a batch of lines of one sort."""
        at = self._store.clock.now()
        match batch[0]:
            case CapsuleLine():
                self._take_capsules(writer, _only(CapsuleLine, batch), at)
            case Relation():
                self._take_relations(writer, _only(Relation, batch), at)
            case Alias():
                taught = new_aliases(writer, _only(Alias, batch))
                self._write(writer, ChangeSet(tuple(taught), tuple(Entry(Op.ALIASED, None, None, {}) for _ in taught)), at)
                self.counts["aliases"] += len(taught)
            case Miss():
                writer.keep_misses(_only(Miss, batch))
                self.counts["misses"] += len(batch)
            case _:  # the journal tells of numbers that other capsules have here
                return

    def finish(self) -> None:
        """Say by whom merged capsules were superseded, and forget here what was forgotten there."""
        for start in range(0, len(self._superseded), BATCH):
            with self._store.truth.writing() as writer:
                self._name_superseders(writer, self._superseded[start : start + BATCH], self._store.clock.now())
        if self._macs:
            self._forget_what_was_forgotten()

    def _take_capsules(self, writer: TruthWriter, lines: Sequence[CapsuleLine], at: Instant) -> None:
        digests = {line.capsule.number: content_digest(line.text.content) for line in lines if line.text is not None}
        here = {(each.project_id, each.digest): each.number for each in reversed(writer.known_contents(set(digests.values())))}
        key = writer.identity().key
        macs = {number: content_mac(digest, key) for number, digest in digests.items()}
        macs |= {line.capsule.number: line.tombstone.content_mac for line in lines if line.tombstone is not None}
        forgotten = writer.forgotten(set(macs.values()))
        for line in lines:
            known, mac = here.get(_content_key(line, digests)), macs[line.capsule.number]
            if known is not None:
                self._numbers[line.capsule.number] = known
                self.counts["deduplicated"] += 1
            elif mac in forgotten:
                self._pass_over(line, forgotten[mac])
            else:
                number = self._capture(writer, line, at)
                if line.text is not None:
                    here[_content_key(line, digests)] = number

    def _pass_over(self, line: CapsuleLine, skeleton: int) -> None:
        """Leave a content that was forgotten here outside; a tombstone of it is the one that is here."""
        if line.tombstone is None:
            self.counts["forgotten"] += 1
        else:
            self._numbers[line.capsule.number] = skeleton
            self.counts["deduplicated"] += 1

    def _capture(self, writer: TruthWriter, line: CapsuleLine, at: Instant) -> int:
        number, superseder = writer.last_number() + 1, line.capsule.standing.superseded_by
        there = replace(line.capsule, standing=replace(line.capsule.standing, superseded_by=None))
        arrival = arrival_of(replace(line, capsule=there), number, self._store.taint, at)
        self._write(writer, ChangeSet(arrival.changes, arrival.entries), at)
        self._numbers[line.capsule.number] = number
        self.counts["quarantined"] += arrival.quarantined is not None
        if superseder is not None:
            self._superseded.append((number, superseder))
        if line.tombstone is not None:
            self.counts["tombstones"] += 1
            self._macs.add(line.tombstone.content_mac)
            return number
        self.counts["captured"] += 1
        self._settle_key(writer, arrival.capsule, at)
        return number

    def _settle_key(self, writer: TruthWriter, newcomer: Capsule, at: Instant) -> None:
        """Let one capsule hold a key in a project: the one that was captured last (W7)."""
        key = newcomer.labels.get(LabelField.KEY)
        if key is None or not _may_hold(newcomer):
            return
        project = newcomer.labels.get(LabelField.PROJECT)
        numbers = [each.number for each in writer.keyed([key]) if each.project_id == project and each.number != newcomer.number]
        for holder in filter(_may_hold, writer.capsules(numbers).values()):
            later, earlier = (newcomer, holder) if newcomer.captured_at >= holder.captured_at else (holder, newcomer)
            self._relate(writer, Relation(RelationKind.SUPERSEDES, later.number, earlier.number, at), at)

    def _take_relations(self, writer: TruthWriter, lines: Sequence[Relation], at: Instant) -> None:
        here = [
            replace(each, source=self._numbers[each.source], target=self._numbers[each.target])
            for each in lines
            if each.source in self._numbers and each.target in self._numbers
        ]
        added = sum(self._relate(writer, addition.relation, at) for addition in new_relations(writer, here))
        self.counts["relations"] += added
        self.counts["dropped"] += len(lines) - added

    def _relate(self, writer: TruthWriter, relation: Relation, at: Instant) -> bool:
        """Add a relation with what it does to its target, and return whether it could be."""
        if relation.source == relation.target or _closes_circle(writer, relation):
            return False
        changes = related(relation)
        if relation.kind in RETIRING:
            changes = changes.then(retired(writer.capsules([relation.target])[relation.target], relation))
        self._write(writer, changes, at)
        return True

    def _name_superseders(self, writer: TruthWriter, pairs: Sequence[tuple[int, int]], at: Instant) -> None:
        capsules = writer.capsules([number for number, _ in pairs])
        changes, entries = list[SetStanding](), list[Entry]()
        for number, superseder in pairs:
            capsule, by = capsules[number], self._numbers.get(superseder)
            if by is not None and capsule.standing.superseded_by is None and capsule.standing.tombstoned_at is None:
                changes.append(SetStanding(number, replace(capsule.standing, superseded_by=by), capsule.updated_at))
                entries.append(Entry(Op.SUPERSEDED, number, capsule.revision, {"superseded_by": by}))
        self._write(writer, ChangeSet(tuple(changes), tuple(entries)), at)

    def _forget_what_was_forgotten(self) -> None:
        """Forget the capsules here whose content was forgotten there; keyed hashes tell, where both stores have one key."""
        with self._store.truth.reading() as reader:
            if reader.identity().store != self._origin:
                return
            last = reader.last_number()
        for first in range(1, last + 1, BATCH):
            with self._store.truth.writing() as writer:
                self._forget_among(writer, range(first, min(first + BATCH, last + 1)))

    def _forget_among(self, writer: TruthWriter, numbers: Sequence[int]) -> None:
        key, at = writer.identity().key, self._store.clock.now()
        for number, capsule in writer.capsules(numbers).items():
            mac = content_mac(capsule.content_digest, key)
            if capsule.standing.tombstoned_at is None and mac in self._macs:
                skeleton = writer.forgotten([mac])[mac]
                tombstone = replace(writer.tombstones([skeleton])[skeleton], capsule=number)
                entry = Entry(Op.TOMBSTONED, number, capsule.revision, {"tombstoned_at": tombstone.at})
                self._write(writer, ChangeSet((Entomb(tombstone),), (entry,)), at)
                self.counts["tombstones"] += 1

    def _write(self, writer: TruthWriter, changes: ChangeSet, at: Instant) -> None:
        if changes.changes:
            writer.apply(changes, self._actor, at)


def _only(kind: type[L], batch: Sequence[Line]) -> list[L]:
    return [line for line in batch if isinstance(line, kind)]


def _content_key(line: CapsuleLine, digests: Mapping[int, str]) -> InProject:
    return line.capsule.labels.get(LabelField.PROJECT), digests.get(line.capsule.number, "")


def _may_hold(capsule: Capsule) -> bool:
    """Whether a capsule may hold a key and take it from another: it is not retired, withheld, or only proposed (W5, W7)."""
    standing = capsule.standing
    withheld = standing.quarantined_at is not None or standing.falsified_at is not None or standing.archived_at is not None
    return not withheld and standing.superseded_at is None and standing.review in (None, ReviewState.RATIFIED)


def _closes_circle(reader: TruthReader, relation: Relation) -> bool:
    if relation.kind not in ACYCLIC:
        return False
    kinds = (relation.kind,)
    return leads_to(
        relation.target,
        relation.source,
        lambda front: (each.target for each in reader.relations_from(front, kinds)),
        lambda front: (each.source for each in reader.relations_to(front, kinds)),
    )
