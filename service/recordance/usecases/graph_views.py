"""The entity view and the relations view: everything that may ground about one name, and what it is related to (W11, F13).

A capsule of kind `relation` states by its metadata `from`, `type` and `to` how two entities stand to each other.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from recordance.answer.graph import (
    Between,
    Graph,
    GraphPart,
    Known,
    Statement,
    counted,
    entity_report,
    relations_report,
    statement_of,
)
from recordance.answer.merging import Failed
from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.vocabulary import Kind
from recordance.errors import Json
from recordance.ports.truth import BrowseOrder, BrowseRequest, TruthReader
from recordance.query.exclusion import Eligibility, first_exclusion
from recordance.query.fence import (
    Fence,
    LabelBarrier,
    LabelFence,
    MarkFence,
    MarkField,
    Scope,
    SubtreeFence,
    admits,
    entity_mark,
    entity_marks,
    marks_of,
)
from recordance.query.lane import LaneChoice
from recordance.query.request import RecallRequest
from recordance.usecases.searching import search
from recordance.usecases.store import Destinations, Store

DEFAULT_ENTITY_LIMIT, DEFAULT_RELATIONS_LIMIT = 20, 50
MOST_SHOWN = 200
"""How many rows each list of a view has at most."""
MOST_COUNTED = 500
"""In how many of an entity's capsules, the most important, the entities beside it are counted and their relations read."""
MOST_STATEMENTS = 5_000
"""How many capsules of kind relation are read for the name in their metadata, the newest; those that bear it as an entity too."""


class Direction(StrEnum):
    """On which end of a relation an entity stands."""

    FROM = "from"
    TO = "to"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQuestion:
    """What is asked of an entity: which relations, by their type in any case (None: all), and on which end it stands."""

    entity: str
    limit: int
    relation_type: str | None = None
    direction: Direction = Direction.BOTH
    search_scope: tuple[str, ...] = ()

    def admits(self, relation: str, source: Collection[str], target: Collection[str]) -> bool:
        """Whether a relation between what bears these entities, each case-folded, is asked for."""
        own = entity_marks(self.entity)
        from_it = not own.isdisjoint(source) and self.direction is not Direction.TO
        to_it = not own.isdisjoint(target) and self.direction is not Direction.FROM
        return (from_it or to_it) and (self.relation_type is None or self.relation_type.casefold() == relation.casefold())


def entity_view(destinations: Destinations, caller: Caller, question: GraphQuestion) -> dict[str, Json]:
    """Return the capsules of an entity, what stands beside it, and its relations. Raises what `search` raises."""
    return entity_report(_graph(destinations, caller, question))


def relations_view(destinations: Destinations, caller: Caller, question: GraphQuestion) -> dict[str, Json]:
    """Return what an entity is related to. Raises what `search` raises."""
    return relations_report(_graph(destinations, caller, question))


def _graph(destinations: Destinations, caller: Caller, question: GraphQuestion) -> Graph:
    request = RecallRequest(
        terms=(),
        lane=LaneChoice.TERM,
        scope=Scope((MarkFence(MarkField.ENTITIES, entity_marks(question.entity)),)),
        search_scope=question.search_scope,
    )

    def ask(store: Store, _: RecallRequest, least: int) -> GraphPart:
        with store.truth.reading() as reader:
            return _Reading(store, caller, reader, question).part(least)

    found = search(destinations, caller, request, ask)
    return Graph(
        entity=question.entity,
        limit=question.limit,
        parts=tuple(each.answer for each in found.told),
        asked=tuple(each if isinstance(each, Failed) else each.answer for each in found.asked),
        unasked=found.unasked,
        alone=found.alone,
    )


class _Reading:
    """One snapshot of one store, and what is asked of it."""

    def __init__(self, store: Store, caller: Caller, reader: TruthReader, question: GraphQuestion) -> None:
        own: tuple[Fence, ...] = () if caller.projects is None else (SubtreeFence(caller.projects),)
        self._store = store
        self._reader = reader
        self._question = question
        self._scope = Scope((*own, LabelBarrier(LabelField.KIND, frozenset({Kind.TELEMETRY.value}))))
        self._bearing = MarkFence(MarkField.ENTITIES, entity_marks(question.entity))
        self._now = Eligibility(at=store.clock.now())

    def part(self, least: int) -> GraphPart:
        """Return what the store has; at least `least` capsules for whoever merges."""
        numbers, total = self._page(BrowseOrder.IMPORTANCE, MOST_COUNTED, self._bearing)
        bearers = self._known(numbers)
        statements, unread = self._statements()
        return GraphPart(
            name=self._store.name,
            naming=self._store.naming,
            bearers=bearers[: max(self._question.limit, least)],
            total=total,
            companions=counted((text.entities for _, text in bearers), self._question.entity),
            statements=statements,
            between=tuple(self._between(bearers)),
            unread=unread + total - len(numbers),
        )

    def _page(self, order: BrowseOrder, limit: int, *fences: Fence) -> tuple[Sequence[int], int]:
        page = self._reader.browsed(
            BrowseRequest(scope=self._scope.with_fences(*fences), eligibility=self._now, order=order, limit=limit)
        )
        return page.numbers, page.total

    def _known(self, numbers: Sequence[int]) -> tuple[Known, ...]:
        capsules, texts = self._reader.capsules(numbers), self._reader.texts(numbers)
        return tuple((capsules[number], texts[number]) for number in numbers if number in capsules and number in texts)

    def _statements(self) -> tuple[tuple[Statement, ...], int]:
        """Return the statements that are asked for, and how many were not read for being too many."""
        kind = LabelFence(LabelField.KIND, frozenset({Kind.RELATION.value}))
        newest, total = self._page(BrowseOrder.NEWEST, MOST_STATEMENTS, kind)
        bearing = () if total <= len(newest) else self._page(BrowseOrder.NEWEST, MOST_STATEMENTS, kind, self._bearing)[0]
        known = self._known(list(dict.fromkeys((*newest, *bearing))))
        stated = (found for capsule, text in known if (found := statement_of(capsule, text)) is not None)
        asked = (each for each in stated if self._asked(each))
        return tuple(asked), total - len(known)

    def _asked(self, each: Statement) -> bool:
        return self._question.admits(each.relation, {entity_mark(each.source)}, {entity_mark(each.target)})

    def _between(self, bearers: Sequence[Known]) -> Iterator[Between]:
        """Yield the relations of the entity's capsules whose both ends the caller may see, and may ground (F13)."""
        numbers, kinds = [capsule.number for capsule, _ in bearers], tuple(RelationKind)
        found: dict[tuple[RelationKind, int, int], Relation] = {}
        for each in (*self._reader.relations_from(numbers, kinds), *self._reader.relations_to(numbers, kinds)):
            found[each.kind, each.source, each.target] = each
        ends = {capsule.number: (capsule, text) for capsule, text in self._ends(found.values())}
        for each in found.values():
            if each.source in ends and each.target in ends and self._asks_for(each, ends[each.source], ends[each.target]):
                yield Between(each, ends[each.source], ends[each.target])

    def _asks_for(self, each: Relation, source: Known, target: Known) -> bool:
        borne = [set(map(entity_mark, text.entities)) for _, text in (source, target)]
        return self._question.admits(each.kind.value, *borne)

    def _ends(self, relations: Collection[Relation]) -> Iterator[Known]:
        numbers = list(dict.fromkeys(end for each in relations for end in (each.source, each.target)))
        for capsule, text in self._known(numbers):
            if admits(self._scope, capsule, marks_of(text)) and first_exclusion(capsule, self._now) is None:
                yield capsule, text
