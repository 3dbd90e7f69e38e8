"""What a batch of planned drafts does to a store, decided item by item, as if they had come one by one (W1, W3, W5, W7).

A value that is stored under a key retires those that hold the key now, if it holds now itself. A value of another time (history,
or one that is yet to hold) is captured beside them and its answer says so; whom an item names in `supersedes` it retires whenever
it holds. So several values of different times may bear one key, and of those that hold now the last one stored stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recordance.domain.attaching import attached, entered
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, CapsuleText, LabelField
from recordance.domain.capture import Planned, captured
from recordance.domain.change import Capture, Change, ChangeSet, SetStanding
from recordance.domain.destination import Naming
from recordance.domain.embedding import Space, Vector
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.remembered import Captured, Decision, Deduplicated, Rejected, Result
from recordance.domain.similarity import Similar, alike, best, likeness
from recordance.domain.supersession import of_now, related, retired
from recordance.domain.untaken import untaken
from recordance.errors import InvalidArgument, MissingState, Refusal, StateKind
from recordance.query.exclusion import Eligibility, first_exclusion, proposed

InProject = tuple[str | None, str]
"""A project (None: unstamped) with a content digest, or with a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store holds that bears on a batch.

    `contents` maps a project and content digest to the capsule that has it, `holders` a project and key to the capsules that hold
    it; `capsules` are these, what drafts name, what they may be like, and the chains of what superseded them, by number. `texts`
    are those of `contents`. `forgotten` maps content digests to the forgotten capsule that had them. `superseded` are (source,
    target) of what known contents supersede. `similar` are the near-duplicates of each item, by its place; None where nobody
    looked. `space` is the callers' vector space, None while it has no vectors, and `vectors` those of `contents`; where no draft
    has an embedding, nobody looked.
    """

    last_number: int
    contents: Mapping[InProject, int]
    holders: Mapping[InProject, Sequence[int]]
    capsules: Mapping[int, Capsule]
    texts: Mapping[int, CapsuleText]
    forgotten: Mapping[str, int]
    superseded: frozenset[tuple[int, int]]
    similar: Mapping[int, Sequence[Similar]] | None
    space: Space | None
    vectors: Mapping[int, Vector]


def decide(items: Sequence[Planned | Refusal], known: Known, caller: Caller, naming: Naming, at: Instant) -> Decision:
    """Return what the items do to the store, each judged by what the ones before it did; none blocks a sibling (W1)."""
    batch = _Batch(known, caller, naming, at)
    results = tuple(_result(batch, item, place) for place, item in enumerate(items))
    return Decision(ChangeSet(tuple(batch.changes), tuple(batch.entries)), results, batch.capsules)


def _result(batch: "_Batch", item: Planned | Refusal, place: int) -> Result:
    if isinstance(item, Refusal):
        return Rejected(item)
    try:
        return batch.take(place, item)
    except Refusal as refusal:
        return Rejected(refusal)


class _Batch:
    """The store as the batch leaves it so far, and what it has changed. A refused item leaves it as it was."""

    def __init__(self, known: Known, caller: Caller, naming: Naming, at: Instant) -> None:
        self.changes: list[Change] = []
        self.entries: list[Entry] = []
        self.capsules = dict(known.capsules)
        self._texts = dict(known.texts)
        self._known = known
        self._caller = caller
        self._naming = naming
        self._at = at
        self._now = Eligibility(at=at)
        self._contents = dict(known.contents)
        self._holders = {key: list(holders) for key, holders in known.holders.items()}
        self._superseded = set(known.superseded)
        self._stored: list[tuple[int, Planned]] = []
        self._space = known.space
        self._vectors = dict(known.vectors)

    def take(self, place: int, planned: Planned) -> Captured | Deduplicated:
        """Store an item, or collapse it onto the capsule that has its content; raises Refusal before anything has changed."""
        _check_retiring(planned, self._naming)
        if planned.draft.embedding is not None:
            entered(self._space, planned.draft.embedding, None)
        number = self._contents.get((planned.project, planned.digest))
        if number is None:
            return self._capture(place, planned)
        return self._deduplicate(planned, self.capsules[number])

    def _capture(self, place: int, planned: Planned) -> Captured:
        self._check_forgotten(planned)
        holders = self._current_holders(planned)
        targets = self._targets(planned, holders if planned.holds(self._at) else ())
        number = self._known.last_number + len(self._stored) + 1
        self._make(captured(planned, number, self._caller.actor, self._at))
        self._attach(planned, self.capsules[number])
        self._contents[planned.project, planned.digest] = number
        for target in targets:
            self._supersede(number, target)
        key = planned.labels.get(LabelField.KEY)
        if key is not None:
            self._holders.setdefault((planned.project, key), []).append(number)
        similar = self._similar(place, planned)
        self._stored.append((number, planned))
        return Captured(self.capsules[number], targets, similar, self._beside(holders, targets), not planned.words)

    def _deduplicate(self, planned: Planned, existing: Capsule) -> Deduplicated:
        """Collapse an item; a content that was retired or withheld is not brought back, and retires nobody (W7)."""
        holders = [each for each in self._current_holders(planned) if each != existing.number]
        holding = planned.holds(self._at) and self._may_ground(existing)
        targets = self._targets(planned, holders if holding else ())
        if existing.number in planned.draft.supersedes:
            id = self._naming.id(existing.number)
            raise InvalidArgument("supersedes", id, "another capsule", "equal content is stored as that very capsule")
        differs = untaken(planned.draft, existing, self._texts[existing.number], self._vectors.get(existing.number))
        self._attach(planned, existing)
        if not self._may_retire(existing):
            return Deduplicated(existing, (), None, (), differs, not planned.words, self._live_end(existing))
        new = [each for each in targets if (existing.number, each) not in self._superseded]
        for target in new:
            self._supersede(existing.number, target)
        key = planned.labels.get(LabelField.KEY)
        unheld = None if not holding or key == existing.labels.get(LabelField.KEY) else key
        return Deduplicated(existing, new, unheld, self._beside(holders, targets), differs, not planned.words, None)

    def _attach(self, planned: Planned, capsule: Capsule) -> None:
        """Give the capsule the item's vector, unless it has one: what was attached before is replaced by memory_vector alone."""
        vector = planned.draft.embedding
        if vector is None or capsule.number in self._vectors:
            return
        space = entered(self._space, vector, None)
        self._make(attached(capsule, vector, self._space, space, self._at))
        self._space, self._vectors[capsule.number] = space, vector

    def _targets(self, planned: Planned, holders: Sequence[int]) -> Sequence[int]:
        """Return whom the item retires: those that it names, and these holders of its key."""
        for number in planned.draft.supersedes:
            capsule = self.capsules.get(number)
            if capsule is None or not self._sees(capsule):
                raise MissingState(
                    StateKind.UNKNOWN_CAPSULE, self._naming.id(number), "supersedes names no capsule that is there"
                )
            if capsule.standing.tombstoned_at is not None:
                raise MissingState(
                    StateKind.TOMBSTONED_CAPSULE, self._naming.id(number), "it was forgotten; store without superseding it"
                )
        return tuple(dict.fromkeys((*planned.draft.supersedes, *holders)))

    def _current_holders(self, planned: Planned) -> Sequence[int]:
        """Return who holds the item's key now, whatever else is decided about them (W7)."""
        key = planned.labels.get(LabelField.KEY)
        holders = () if key is None else self._holders.get((planned.project, key), ())
        return [number for number in holders if of_now(self.capsules[number], self._at)]

    def _beside(self, holders: Sequence[int], targets: Sequence[int]) -> Sequence[int]:
        """Return the living holders of a key that an item leaves in place."""
        return [each for each in holders if each not in targets and self._may_ground(self.capsules[each])]

    def _supersede(self, source: int, target: int) -> None:
        relation = Relation(RelationKind.SUPERSEDES, source, target, self._at)
        capsule = self.capsules[target]
        self._superseded.add((source, target))
        self._make(related(relation))
        self._make(retired(capsule, relation))
        key = capsule.labels.get(LabelField.KEY)
        holders = [] if key is None else self._holders.get((capsule.labels.get(LabelField.PROJECT), key), [])
        if target in holders:
            holders.remove(target)

    def _similar(self, place: int, planned: Planned) -> Sequence[Similar]:
        if self._known.similar is None:
            return ()
        found = [
            Similar(number, score)
            for number, other in self._stored
            if other.project == planned.project and alike(score := likeness(planned.words, other.words))
        ]
        found += self._known.similar.get(place, ())
        return best([each for each in found if self._may_ground(self.capsules[each.number])])

    def _make(self, changes: ChangeSet) -> None:
        self.changes += changes.changes
        self.entries += changes.entries
        for change in changes.changes:
            if isinstance(change, Capture):
                self.capsules[change.capsule.number] = change.capsule
                self._texts[change.capsule.number] = change.text
            elif isinstance(change, SetStanding):
                self.capsules[change.capsule] = replace(self.capsules[change.capsule], standing=change.standing)

    def _check_forgotten(self, planned: Planned) -> None:
        number = self._known.forgotten.get(planned.digest)
        if number is None:
            return
        skeleton = self.capsules.get(number)
        named = self._naming.id(number) if skeleton is not None and self._sees(skeleton) else "content"
        raise MissingState(StateKind.TOMBSTONED_CAPSULE, named, "this content was forgotten and is not stored again")

    def _live_end(self, dead: Capsule) -> int | None:
        """Return what stands at the end of the chain of superseders, if it is living, in sight and not the first of them."""
        by, end = dead.standing.superseded_by, dead
        while end.standing.superseded_by is not None:
            following = self.capsules.get(end.standing.superseded_by)
            if following is None:
                return None
            end = following
        living = self._may_ground(end) and self._sees(end)
        return end.number if living and end.number not in (by, dead.number) else None

    def _may_retire(self, capsule: Capsule) -> bool:
        """Whether a capsule that is stored may take another's place; when it holds is another matter."""
        standing = capsule.standing
        withheld = standing.quarantined_at is not None or standing.falsified_at is not None or standing.archived_at is not None
        return not (withheld or standing.superseded_at is not None or proposed(capsule, self._now))

    def _may_ground(self, capsule: Capsule) -> bool:
        return first_exclusion(capsule, self._now) is None

    def _sees(self, capsule: Capsule) -> bool:
        return self._caller.sees_project(capsule.labels.get(LabelField.PROJECT))


def _check_retiring(planned: Planned, naming: Naming) -> None:
    """Refuse that a proposal, or text that is quarantined at once, takes another's place (W5, case K1)."""
    if not (planned.staged or planned.quarantined):
        return
    key, superseded = planned.labels.get(LabelField.KEY), planned.draft.supersedes
    if key is None and not superseded:
        return
    if planned.staged:
        why = "a proposal retires nothing before it is ratified"
        expected = "the proposal alone, relate it with kind proposes, and relate it with kind supersedes once it is ratified"
    else:
        shapes = ", ".join(planned.taint)
        why = f"the text is shaped like an instruction ({shapes}) and will be quarantined, so it may retire nothing"
        expected = "it alone, and relate it with kind supersedes once it is released"
    if superseded:
        raise InvalidArgument("supersedes", [naming.id(number) for number in superseded], expected, why)
    raise InvalidArgument("key", key, expected, why)
