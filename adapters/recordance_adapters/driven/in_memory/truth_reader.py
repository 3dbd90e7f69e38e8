"""Reading a truth in plain memory: every answer is a loop with the pure predicates. It defines what an engine must answer."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeVar

from recordance.domain.alias import Alias, Miss
from recordance.domain.caller import under
from recordance.domain.capsule import Capsule, CapsuleText, LabelField, Tombstone
from recordance.domain.change import KeptAnswer
from recordance.domain.embedding import Embedding, Space, Vector
from recordance.domain.identity import StoreIdentity
from recordance.domain.instant import Instant
from recordance.domain.journal import JournalRow, Op
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Corroboration, Feedback, ReviewEvent
from recordance.domain.tombstone import Remnant
from recordance.ports.truth import (
    Attested,
    BrowseOrder,
    BrowseRequest,
    IndexedChange,
    KeyedCapsule,
    KnownContent,
    ListedState,
    ListPage,
    ListRequest,
    OccupiedSpace,
    ProjectCount,
)
from recordance.query.document import TermDocument, term_document
from recordance.query.exclusion import Eligibility, first_exclusion
from recordance.query.fence import Scope, admits, marks_of
from recordance.query.residue import capsules_named
from recordance.ranking.bm25 import CorpusStatistics
from recordance_adapters.driven.in_memory.contents import Contents

K = TypeVar("K")
V = TypeVar("V")


class MemoryReader:
    """One snapshot (see TruthReader)."""

    def __init__(self, identity: StoreIdentity, contents: Contents) -> None:
        self._identity = identity
        self._contents = contents

    def head(self) -> int:
        """See TruthReader."""
        return len(self._contents.journal)

    def identity(self) -> StoreIdentity:
        """See TruthReader."""
        return self._identity

    def last_number(self) -> int:
        """See TruthReader."""
        return len(self._contents.capsules)

    def corpus(self) -> CorpusStatistics:
        """See TruthReader."""
        return _statistics(self._unforgotten())

    def corpus_within(self, subtrees: frozenset[str]) -> CorpusStatistics:
        """See TruthReader."""
        return _statistics([capsule for capsule in self._unforgotten() if _lies_in(capsule, subtrees)])

    def capsules(self, numbers: Collection[int]) -> Mapping[int, Capsule]:
        """See TruthReader."""
        return _chosen(self._contents.capsules, numbers)

    def texts(self, numbers: Collection[int]) -> Mapping[int, CapsuleText]:
        """See TruthReader."""
        return _chosen(self._contents.texts, numbers)

    def contents(self, numbers: Collection[int]) -> Mapping[int, str]:
        """See TruthReader."""
        return {number: text.content for number, text in self.texts(numbers).items()}

    def documents(self, numbers: Collection[int]) -> Mapping[int, TermDocument]:
        """See TruthReader."""
        return {number: self._document(number) for number in self.texts(numbers)}

    def changes_after(self, seq: int, count: int, ops: frozenset[Op]) -> Sequence[IndexedChange]:
        """See TruthReader."""
        last = {row.capsule: row.seq for row in self.journal(seq, count) if row.op in ops}
        changes = [IndexedChange(capsule, at) for capsule, at in last.items() if capsule is not None]
        return sorted(changes, key=lambda change: change.seq)

    def space(self, name: str) -> OccupiedSpace | None:
        """See TruthReader."""
        space = self._contents.spaces.get(name)
        return None if space is None else self._occupied(space)

    def spaces(self) -> Sequence[OccupiedSpace]:
        """See TruthReader."""
        return [self._occupied(space) for _, space in sorted(self._contents.spaces.items())]

    def vectors(self, space: str, numbers: Collection[int]) -> Mapping[int, Vector]:
        """See TruthReader."""
        held = self._contents.vectors
        return {number: held[number, space].vector for number in numbers if (number, space) in held}

    def embedded_within(self, space: str, scope: Scope) -> Sequence[int]:
        """See TruthReader."""
        embedded = sorted(number for number, name in self._contents.vectors if name == space)
        return [number for number in embedded if self._admits(scope, number)]

    def unembedded(self, space: str, above: int, below: int, count: int) -> Sequence[int]:
        """See TruthReader."""
        contents = self._contents
        lacking = [number for number in contents.texts if (number, space) not in contents.vectors]
        between = (number for number in lacking if above < number < below and number not in contents.tombstones)
        return sorted(between, reverse=True)[:count]

    def embeddings(self, numbers: Collection[int]) -> Mapping[int, Sequence[Embedding]]:
        """See TruthReader."""
        held = sorted(self._contents.vectors.items())
        return _grouped((number, embedding) for (number, _), embedding in held if number in numbers)

    def journal(self, after: int, count: int) -> Sequence[JournalRow]:
        """See TruthReader."""
        return self._contents.journal[after : after + count]

    def history(self, number: int) -> Sequence[JournalRow]:
        """See TruthReader."""
        return [row for row in self._contents.journal if row.capsule == number]

    def aliases(self, term_keys: Collection[str]) -> Mapping[str, Sequence[Alias]]:
        """See TruthReader."""
        wanted = set(term_keys)
        return _grouped((alias.term_key, alias) for alias in self._contents.aliases.values() if alias.term_key in wanted)

    def all_aliases(self) -> Sequence[Alias]:
        """See TruthReader."""
        return sorted(self._contents.aliases.values(), key=lambda alias: alias.term_key)

    def relations_from(self, numbers: Collection[int], kinds: Collection[RelationKind]) -> Sequence[Relation]:
        """See TruthReader."""
        found = [each for each in self._contents.relations.values() if each.source in numbers and each.kind in kinds]
        return sorted(found, key=lambda relation: (relation.source, relation.kind, relation.target))

    def relations_to(self, numbers: Collection[int], kinds: Collection[RelationKind]) -> Sequence[Relation]:
        """See TruthReader."""
        found = [each for each in self._contents.relations.values() if each.target in numbers and each.kind in kinds]
        return sorted(found, key=lambda relation: (relation.target, relation.kind, relation.source))

    def known_contents(self, digests: Collection[str]) -> Sequence[KnownContent]:
        """See TruthReader."""
        return [
            KnownContent(capsule.content_digest, capsule.labels.get(LabelField.PROJECT), capsule.number)
            for capsule in self._unforgotten()
            if capsule.content_digest in digests
        ]

    def keyed(self, keys: Collection[str]) -> Sequence[KeyedCapsule]:
        """See TruthReader."""
        return [
            KeyedCapsule(capsule.labels.get(LabelField.PROJECT), capsule.labels[LabelField.KEY], capsule.number)
            for capsule in self._unforgotten()
            if capsule.standing.superseded_at is None and capsule.labels.get(LabelField.KEY) in keys
        ]

    def tombstones(self, numbers: Collection[int]) -> Mapping[int, Tombstone]:
        """See TruthReader."""
        return _chosen(self._contents.tombstones, numbers)

    def forgotten(self, content_macs: Collection[str]) -> Mapping[str, int]:
        """See TruthReader."""
        bearers = sorted(self._contents.tombstones.values(), key=lambda tombstone: tombstone.capsule, reverse=True)
        return {mac: each.capsule for each in bearers for mac in each.macs if mac in content_macs}

    def forgotten_after(self, seq: int) -> Sequence[IndexedChange]:
        """See TruthReader."""
        rows = [row for row in self._contents.journal[seq:] if row.op is Op.TOMBSTONED]
        return [IndexedChange(row.capsule, row.seq) for row in rows if row.capsule is not None]

    def remains(self, numbers: Collection[int]) -> Mapping[int, Set[Remnant]]:
        """See TruthReader. Anchors and marks stand in the texts here."""
        found = _grouped((number, remnant) for number, remnant in self._remains() if number in numbers)
        return {number: set(remnants) for number, remnants in found.items()}

    def reviews(self, number: int) -> Sequence[ReviewEvent]:
        """See TruthReader."""
        return [event for event in self._contents.reviews if event.capsule == number]

    def review_history(self, numbers: Collection[int]) -> Mapping[int, Sequence[ReviewEvent]]:
        """See TruthReader."""
        return _grouped((event.capsule, event) for event in self._contents.reviews if event.capsule in numbers)

    def feedback(self, numbers: Collection[int]) -> Mapping[int, Sequence[Feedback]]:
        """See TruthReader."""
        return _grouped((each.capsule, each) for each in self._contents.feedback.values() if each.capsule in numbers)

    def corroborations(self, numbers: Collection[int]) -> Mapping[int, Corroboration]:
        """See TruthReader."""
        return {each.capsule: each for each in self._contents.corroborations if each.capsule in numbers}

    def corroboration_history(self, numbers: Collection[int]) -> Mapping[int, Sequence[Corroboration]]:
        """See TruthReader."""
        return _grouped((each.capsule, each) for each in self._contents.corroborations if each.capsule in numbers)

    def misses(self, fence: str | None, count: int) -> Sequence[Miss]:
        """See TruthReader."""
        found = [miss for miss in self._contents.misses.values() if fence is None or miss.fence == fence]
        found.sort(key=lambda miss: (-miss.count, -miss.last_at, miss.term_key, miss.outcome, miss.fence))
        return found[:count]

    def kept_answer(self, key: str) -> KeptAnswer | None:
        """See TruthReader."""
        return self._contents.answers.get(key)

    def listed(self, request: ListRequest) -> ListPage:
        """See TruthReader."""
        numbers = tuple(capsule.number for capsule in self._unforgotten() if _is_listed(capsule, request))
        return ListPage(numbers[request.offset : request.offset + request.limit], len(numbers))

    def browsed(self, request: BrowseRequest) -> ListPage:
        """See TruthReader."""
        seen = sorted(self._seen(request.scope, request.eligibility), key=lambda capsule: _browse_key(capsule, request.order))
        page = seen[request.offset : request.offset + request.limit]
        return ListPage(tuple(capsule.number for capsule in page), len(seen))

    def beside(self, number: int, before: int, after: int, scope: Scope, eligibility: Eligibility | None) -> Sequence[int]:
        """See TruthReader."""
        middle = self._contents.capsules.get(number)
        if middle is None or middle.standing.tombstoned_at is not None:
            return ()
        session = middle.labels.get(LabelField.SESSION)
        seen = sorted(
            capsule.number
            for capsule in self._seen(scope, eligibility)
            if session is None or capsule.labels.get(LabelField.SESSION) == session
        )
        earlier, later = [each for each in seen if each < number], [each for each in seen if each > number]
        return (*earlier[max(0, len(earlier) - before) :], *later[:after])

    def projects(self, scope: Scope) -> Sequence[ProjectCount]:
        """See TruthReader."""
        found = _grouped((capsule.labels.get(LabelField.PROJECT), capsule.captured_at) for capsule in self._seen(scope, None))
        ordered = sorted(found.items(), key=lambda each: (each[0] is not None, each[0] or ""))
        return [ProjectCount(project, len(captured), max(captured)) for project, captured in ordered]

    def attested(self, sources: Collection[str], signed: Collection[str]) -> Sequence[Attested]:
        """See TruthReader."""
        texts = self._contents.texts
        found = [
            Attested(each.number, each.content_digest, texts[each.number].source, texts[each.number].signature)
            for each in self._unforgotten()
        ]
        return [each for each in found if each.source in sources or (each.signature or "").startswith(tuple(signed))]

    def revisions(self, number: int) -> Sequence[CapsuleText]:
        """See TruthReader."""
        text = self._contents.texts.get(number)
        return () if text is None else (*self._contents.former.get(number, ()), text)

    def _seen(self, scope: Scope, eligibility: Eligibility | None) -> Iterator[Capsule]:
        for capsule in self._unforgotten():
            if self._admits(scope, capsule.number) and (eligibility is None or first_exclusion(capsule, eligibility) is None):
                yield capsule

    def _remains(self) -> Iterator[tuple[int, Remnant]]:
        held = self._contents
        yield from ((number, Remnant.TEXT) for number in (*held.texts, *held.former))
        yield from ((number, Remnant.VECTOR) for number, _ in held.vectors)
        yield from ((each.capsule, Remnant.NOTE) for each in held.reviews if each.reason is not None)
        yield from ((each.capsule, Remnant.NOTE) for each in held.feedback.values() if each.note is not None)
        yield from ((each.capsule, Remnant.NOTE) for each in held.corroborations if each.anchor_path or each.anchor_sha)
        yield from ((number, Remnant.ANSWER) for each in held.answers.values() for number in capsules_named(each.answer))

    def _occupied(self, space: Space) -> OccupiedSpace:
        return OccupiedSpace(space, sum(name == space.name for _, name in self._contents.vectors))

    def _admits(self, scope: Scope, number: int) -> bool:
        return admits(scope, self._contents.capsules[number], marks_of(self._contents.texts[number]))

    def _unforgotten(self) -> list[Capsule]:
        return [capsule for capsule in self._contents.capsules.values() if capsule.standing.tombstoned_at is None]

    def _document(self, number: int) -> TermDocument:
        return term_document(self._contents.capsules[number], self._contents.texts[number])


def _statistics(capsules: Sequence[Capsule]) -> CorpusStatistics:
    return CorpusStatistics(len(capsules), sum(capsule.word_count for capsule in capsules))


def _lies_in(capsule: Capsule, subtrees: frozenset[str]) -> bool:
    project = capsule.labels.get(LabelField.PROJECT)
    return project is not None and any(under(project, subtree) for subtree in subtrees)


def _is_listed(capsule: Capsule, request: ListRequest) -> bool:
    if request.project_id is not None and capsule.labels.get(LabelField.PROJECT) != request.project_id:
        return False
    if request.kind is not None and capsule.labels.get(LabelField.KIND) != request.kind:
        return False
    if not all(_lies_in(capsule, subtrees) for subtrees in request.subtrees):
        return False
    return request.state is None or _state_of(capsule, request.at) is request.state


def _browse_key(capsule: Capsule, order: BrowseOrder) -> tuple[float, ...]:
    match order:
        case BrowseOrder.IMPORTANCE:
            return (-capsule.importance, -capsule.confidence, -capsule.updated_at, capsule.number)
        case BrowseOrder.NEWEST:
            return (-capsule.captured_at, -capsule.number)
        case BrowseOrder.APPENDED:
            return (capsule.number,)


def _state_of(capsule: Capsule, at: Instant) -> ListedState:
    reason = first_exclusion(capsule, Eligibility(at=at))
    return ListedState.LIVE if reason is None else ListedState(reason.value)


def _chosen(held: Mapping[int, V], numbers: Collection[int]) -> dict[int, V]:
    return {number: held[number] for number in numbers if number in held}


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
