"""Merging an export into a store that holds something already (W10).

Each batch is a transaction, and each line changes nothing that is there already, so that a merge which was interrupted is run
again. Labels and provenance stay; numbers become new ones; what was forgotten stays forgotten, on whichever side it was.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from recordance.answer.erasure import places_view
from recordance.answer.export_lines import CapsuleLine, Line
from recordance.domain.alias import Alias, Miss
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, CapsuleText, LabelField, Tombstone
from recordance.domain.change import ChangeSet, Entomb, KeepOut, SetStanding
from recordance.domain.forgetting import content_mac, former_macs
from recordance.domain.graph import leads_to
from recordance.domain.identity import content_digest
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op
from recordance.domain.place import Place
from recordance.domain.relation import ACYCLIC, Relation, RelationKind
from recordance.domain.supersession import RETIRING, related, retired
from recordance.errors import Json
from recordance.ports.truth import TruthReader, TruthWriter
from recordance.query.exclusion import Eligibility, first_exclusion, proposed, quarantined
from recordance.query.residue import is_said, words_said
from recordance.usecases.arrival import arrival_of, new_aliases, new_relations
from recordance.usecases.follow import Progress
from recordance.usecases.joining import Joining, Latecomer
from recordance.usecases.store import Store
from recordance.usecases.surveying import BATCH, Lines, Survey, batches

InProject = tuple[str | None, str]
"""A project (None: unstamped) with a content digest, the keyed hash of one, or with a key."""
_COUNTED = (
    "captured",
    "deduplicated",
    "forgotten",
    "tombstones",
    "quarantined",
    "relations",
    "aliases",
    "misses",
    "already_related",
    "dropped",
)
L = TypeVar("L", bound=Line)


def merge(store: Store, caller: Caller, lines: Lines, found: Survey, progress: Progress) -> dict[str, Json]:
    """Merge surveyed lines into a store and return what became of them.

    `captured`, `deduplicated` (equal content was there in the same project), `forgotten` (its content is not stored again),
    `tombstones`, `quarantined` by the scan, `relations`, `aliases`, `misses`, `already_related` (relations that were there), and
    `dropped`: relations that lack an end here, that would close a circle, or by which what is withheld would retire another. Of
    embeddings: `embeddings` attached, `already_embedded` (the capsule keeps the one that it has here), `embeddings_left_out` and,
    if there are any, `left_out` with the space of each and why it takes none of them. `places`, if anything of this store was
    forgotten because it was there, says what has become of it in each place, as the answer to a forget does (W6).
    """
    merging = _Merging(store, caller, found)
    done = 0
    for batch in batches(lines):
        with store.truth.writing() as writer:
            merging.take(writer, batch)
        done += len(batch)
        progress(done, found.lines)
    places = merging.finish()
    return {**merging.counts, **merging.joining.view(), **({"places": places_view(places)} if places else {})}


class _Merging:
    """One merge under way: which number each capsule of the file has here, and what is left to do at the end."""

    def __init__(self, store: Store, caller: Caller, found: Survey) -> None:
        self.counts = dict.fromkeys(_COUNTED, 0)
        self._store = store
        self.joining = Joining(found.spaces, caller.actor)
        self._actor = caller.actor
        self._origin = "" if found.header is None else found.header.store
        self._numbers: dict[int, int] = {}
        self._superseders: dict[int, int] = {}
        self._tombstones: set[InProject] = set()
        self._kept_out = 0
        self._forgotten_words: list[frozenset[str]] = []

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
                self._take_misses(writer, _only(Miss, batch))
            case _:  # the journal tells of numbers that other capsules have here
                return

    def finish(self) -> Sequence[Place]:
        """Forget here what was forgotten there, and return what has become of it in each place; nothing if there was none."""
        seq = max(self._kept_out, self._forget_what_was_forgotten() if self._tombstones else 0)
        return self._store.purger.purge(seq) if seq else ()

    def _take_capsules(self, writer: TruthWriter, lines: Sequence[CapsuleLine], at: Instant) -> None:
        digests = {line.capsule.number: content_digest(line.text.content) for line in lines if line.text is not None}
        here = {(each.project_id, each.digest): each.number for each in reversed(writer.known_contents(set(digests.values())))}
        key = writer.identity().key
        macs = {number: content_mac(digest, key) for number, digest in digests.items()}
        macs |= {line.capsule.number: line.tombstone.content_mac for line in lines if line.tombstone is not None}
        former = {line.capsule.number: _former_macs(line.former, macs[line.capsule.number], key) for line in lines if line.former}
        forgotten = writer.forgotten({*macs.values(), *(mac for own in former.values() for mac in own)})
        latecomers = list[Latecomer]()
        self.joining.begin(writer)
        for line in lines:
            known, mac = here.get(_content_key(line, digests)), macs[line.capsule.number]
            if known is not None:
                self._note(line, known)
                self.counts["deduplicated"] += 1
                latecomers.append(Latecomer(known, line.embeddings))
            elif mac in forgotten:
                self._pass_over(writer, line, forgotten[mac], at)
            else:
                told = any(own in forgotten for own in former.get(line.capsule.number, ()))
                number = self._capture(writer, replace(line, former=()) if told else line, at)
                if line.text is not None:
                    here[_content_key(line, digests)] = number
        self.joining.join(writer, [each for each in latecomers if each.embeddings], at)

    def _pass_over(self, writer: TruthWriter, line: CapsuleLine, skeleton: int, at: Instant) -> None:
        """Leave a content that was forgotten here outside; a tombstone of it is the one that is here.

        It may have come by a merge that was cut short before it could forget anything, so that it counts as one that is new. What
        it says of earlier revisions there is taken over: they would come back otherwise.
        """
        if line.text is not None:
            self._forgotten_words.append(words_said([line.text]))
            self.counts["forgotten"] += 1
        elif line.tombstone is not None:
            self._numbers[line.capsule.number] = skeleton
            self._keep_out(writer, skeleton, line.tombstone, at)
            self._tombstones.update((_project(line.capsule), mac) for mac in line.tombstone.macs)
            self.counts["deduplicated"] += 1

    def _keep_out(self, writer: TruthWriter, skeleton: int, there: Tombstone, at: Instant) -> None:
        """Add to a tombstone what the same one elsewhere keeps out, and no tombstone here does."""
        known = writer.forgotten(there.macs)
        lacking = [mac for mac in there.macs if mac not in known]
        if lacking:
            told = {"tombstoned_at": writer.tombstones([skeleton])[skeleton].at}
            entry = Entry(Op.TOMBSTONED, skeleton, writer.capsules([skeleton])[skeleton].revision, told)
            learnt = ChangeSet(tuple(KeepOut(skeleton, mac) for mac in lacking), (entry,))
            self._kept_out = writer.apply(learnt, self._actor, at)

    def _note(self, line: CapsuleLine, number: int) -> None:
        """Remember which number a capsule of the file has here, and who superseded it there."""
        self._numbers[line.capsule.number] = number
        if line.capsule.standing.superseded_by is not None:
            self._superseders[number] = line.capsule.standing.superseded_by

    def _capture(self, writer: TruthWriter, line: CapsuleLine, at: Instant) -> int:
        number = writer.last_number() + 1
        there = replace(line.capsule, standing=replace(line.capsule.standing, superseded_by=None))
        fitting = self.joining.fitting(writer, line.embeddings, at)
        arrival = arrival_of(replace(line, capsule=there, embeddings=fitting), number, self._store.taint, at)
        self._write(writer, ChangeSet(arrival.changes, arrival.entries), at)
        self._note(line, number)
        self.counts["quarantined"] += arrival.quarantined is not None
        if line.tombstone is not None:
            self.counts["tombstones"] += 1
            self._tombstones.update((_project(line.capsule), mac) for mac in line.tombstone.macs)
            return number
        self.counts["captured"] += 1
        self._settle_key(writer, arrival.capsule, at)
        return number

    def _settle_key(self, writer: TruthWriter, newcomer: Capsule, at: Instant) -> None:
        """Let one of those that hold now hold a key in a project: the one that was captured last (W7)."""
        key = newcomer.labels.get(LabelField.KEY)
        if key is None or not _may_hold(newcomer, at):
            return
        project = _project(newcomer)
        numbers = [each.number for each in writer.keyed([key]) if each.project_id == project and each.number != newcomer.number]
        for holder in writer.capsules(numbers).values():
            if not _may_hold(holder, at):
                continue
            later, earlier = (newcomer, holder) if newcomer.captured_at >= holder.captured_at else (holder, newcomer)
            self._relate(writer, Relation(RelationKind.SUPERSEDES, later.number, earlier.number, at), at)

    def _take_misses(self, writer: TruthWriter, lines: Sequence[Miss]) -> None:
        """Keep what was asked for and never found, but for the words of what was forgotten here (W6)."""
        kept = [each for each in lines if not any(is_said(each.term_key, words) for words in self._forgotten_words)]
        writer.keep_misses(kept)
        self.counts["misses"] += len(kept)

    def _take_relations(self, writer: TruthWriter, lines: Sequence[Relation], at: Instant) -> None:
        here = [
            replace(each, source=self._numbers[each.source], target=self._numbers[each.target])
            for each in lines
            if each.source in self._numbers and each.target in self._numbers
        ]
        new = new_relations(writer, here)
        added = sum(self._relate(writer, addition.relation, at) for addition in new)
        self.counts["relations"] += added
        self.counts["already_related"] += len(here) - len(new)
        self.counts["dropped"] += len(lines) - len(here) + len(new) - added

    def _relate(self, writer: TruthWriter, relation: Relation, at: Instant) -> bool:
        """Add a relation with what it does to its target, and return whether it could be."""
        if relation.source == relation.target or _closes_circle(writer, relation):
            return False
        changes = related(relation)
        if relation.kind in RETIRING:
            ends = writer.capsules([relation.source, relation.target])
            retiring = retired(ends[relation.target], relation)
            if retiring.changes and _withheld(ends[relation.source], at):
                return False
            changes = changes.then(retiring).then(self._named(ends[relation.target], relation))
        self._write(writer, changes, at)
        return True

    def _named(self, target: Capsule, relation: Relation) -> ChangeSet:
        """Return that a capsule which came superseded was so by this one."""
        standing = target.standing
        came_so = standing.superseded_at == relation.at and standing.superseded_by is None and standing.tombstoned_at is None
        superseder = self._numbers.get(self._superseders.get(target.number, 0))
        if relation.kind is not RelationKind.SUPERSEDES or not came_so or superseder != relation.source:
            return ChangeSet()
        named = SetStanding(target.number, replace(standing, superseded_by=relation.source), target.updated_at)
        return ChangeSet((named,), (Entry(Op.SUPERSEDED, target.number, target.revision, {"superseded_by": relation.source}),))

    def _forget_what_was_forgotten(self) -> int:
        """Forget the capsules here whose content was forgotten there; keyed hashes tell, where both stores have one key.

        Only in its project, as it was there: equal content in another is another capsule. Returns the last journal row that
        tells of it, 0 if there was none.
        """
        with self._store.truth.reading() as reader:
            if reader.identity().store != self._origin:
                return 0
            last = reader.last_number()
        self._store.misses.settle()  # what recalls have noted of its words must lie in the ledger to be found there
        seq = 0
        for first in range(1, last + 1, BATCH):
            with self._store.truth.writing() as writer:
                seq = max(seq, self._forget_among(writer, range(first, min(first + BATCH, last + 1))))
        return seq

    def _forget_among(self, writer: TruthWriter, numbers: Sequence[int]) -> int:
        key, at, seq = writer.identity().key, self._store.clock.now(), 0
        for number, capsule in writer.capsules(numbers).items():
            if capsule.standing.tombstoned_at is not None:
                continue
            current = content_mac(capsule.content_digest, key)
            former = _former_macs(writer.revisions(number), current, key) if capsule.revision > 1 else ()
            mac = next((each for each in (current, *former) if (_project(capsule), each) in self._tombstones), None)
            if mac is not None:
                skeleton = writer.forgotten([mac])[mac]
                there = writer.tombstones([skeleton])[skeleton]
                tombstone = replace(there, capsule=number, content_mac=current, former_macs=former)
                entry = Entry(Op.TOMBSTONED, number, capsule.revision, {"tombstoned_at": tombstone.at})
                seq = writer.apply(ChangeSet((Entomb(tombstone),), (entry,)), self._actor, at)
                self.counts["tombstones"] += 1
        return seq

    def _write(self, writer: TruthWriter, changes: ChangeSet, at: Instant) -> None:
        if changes.changes:
            writer.apply(changes, self._actor, at)


def _only(kind: type[L], batch: Sequence[Line]) -> list[L]:
    return [line for line in batch if isinstance(line, kind)]


def _former_macs(texts: Iterable[CapsuleText], current: str, key: bytes) -> tuple[str, ...]:
    return former_macs((content_digest(text.content) for text in texts), current, key)


def _project(capsule: Capsule) -> str | None:
    return capsule.labels.get(LabelField.PROJECT)


def _content_key(line: CapsuleLine, digests: Mapping[int, str]) -> InProject:
    return _project(line.capsule), digests.get(line.capsule.number, "")


def _may_hold(capsule: Capsule, at: Instant) -> bool:
    """Whether a capsule may hold a key now and take it from another: it may ground, and is not retired for later (W5, W7)."""
    return capsule.standing.superseded_at is None and first_exclusion(capsule, Eligibility(at=at)) is None


def _withheld(capsule: Capsule, at: Instant) -> bool:
    """Whether a capsule may not retire another, as it is a proposal or quarantined (W5, case K1)."""
    now = Eligibility(at=at)
    return proposed(capsule, now) or quarantined(capsule, now)


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
