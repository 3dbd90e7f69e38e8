"""`memory_entity` and `memory_relations`: everything about one name, and what it uses, owns or is part of (W11)."""

from collections.abc import Mapping

from recordance.errors import Json
from recordance.usecases.graph_views import (
    DEFAULT_ENTITY_LIMIT,
    DEFAULT_RELATIONS_LIMIT,
    MOST_SHOWN,
    Direction,
    GraphQuestion,
    entity_view,
    relations_view,
)
from recordance_adapters.wire.answers import ARRAY, COUNT, TEXT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence
from recordance_adapters.wire.kinds import mark, whole, word
from recordance_adapters.wire.scopes import SEARCH_SCOPE, SEARCHED_DESTINATION, searched
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet


def _entity_as(name: str, other: str) -> Parameter:
    """Return the parameter that names an entity: the two contracts call it otherwise, and each may be taken for the other."""
    return Parameter(
        name=name,
        kind=mark(),
        description="In any case, whole.",
        presence=Presence.REQUIRED,
        example="tokio",
        missing=f"without {name} there is nothing to look up",
        mistaken_for=(other, "query"),
    )


ENTITY_ARGUMENTS = Declaration(
    (
        _entity_as("name", "entity"),
        Parameter(name="limit", kind=whole(1, MOST_SHOWN), description="Rows of each list.", default=DEFAULT_ENTITY_LIMIT),
        SEARCH_SCOPE,
        SEARCHED_DESTINATION,
    )
)
RELATIONS_ARGUMENTS = Declaration(
    (
        _entity_as("entity", "name"),
        Parameter(
            name="relation_type",
            kind=mark(),
            description="Only this type, in any case.",
            presence=Presence.FENCE,
            mistaken_for=("relation", "type", "kind"),
        ),
        Parameter(
            name="direction",
            kind=word(Direction),
            description="from: the entity is the one that uses or owns.",
            presence=Presence.FENCE,
            default=Direction.BOTH.value,
        ),
        Parameter(name="limit", kind=whole(1, MOST_SHOWN), description="Rows of each list.", default=DEFAULT_RELATIONS_LIMIT),
        SEARCH_SCOPE,
        SEARCHED_DESTINATION,
    )
)
_RELATIONS: Mapping[str, Mapping[str, Json]] = {
    "relations": ARRAY,
    "relation_count": COUNT,
    "capsule_relations": ARRAY,
    "capsule_relation_count": COUNT,
    "searched": ARRAY,
    "framing": TEXT,
}


def _entity(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = ENTITY_ARGUMENTS.read(raw)
    limit = given.get("limit", DEFAULT_ENTITY_LIMIT)
    question = GraphQuestion(entity=given["name"], limit=limit, search_scope=searched(given))
    return entity_view(call.destinations, call.caller, question)


def _relations(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = RELATIONS_ARGUMENTS.read(raw)
    question = GraphQuestion(
        entity=given["entity"],
        limit=given.get("limit", DEFAULT_RELATIONS_LIMIT),
        relation_type=given.get("relation_type"),
        direction=given.get("direction", Direction.BOTH),
        search_scope=searched(given),
    )
    return relations_view(call.destinations, call.caller, question)


ENTITY = Tool(
    name="memory_entity",
    title="All about an entity",
    description=(
        "Everything live that bears an entity: its capsules, the most important first, the entities that stand beside it with "
        "how often, the relations that name it, and the relations between its capsules. Entities are what memory_store took as "
        "entities; for words in a text take memory_recall."
    ),
    effect=Effect.READS,
    tool_set=ToolSet.PIPELINE,
    arguments=ENTITY_ARGUMENTS,
    output=answer(
        {"capsules": ARRAY, "entity": TEXT, "total": COUNT, "co_occurring": ARRAY, **_RELATIONS},
        {"reason": TEXT, "unread": COUNT},
    ),
    handle=_entity,
)
RELATIONS = Tool(
    name="memory_relations",
    title="What an entity relates to",
    description=(
        "What an entity uses, owns or belongs to. relations are statements: store one with memory_store as kind relation with "
        'metadata {"from": "api", "type": "uses", "to": "tokio"}, best with both names under entities too. capsule_relations '
        "are those of memory_relate between capsules that bear the entity, by their ids."
    ),
    effect=Effect.READS,
    tool_set=ToolSet.PIPELINE,
    arguments=RELATIONS_ARGUMENTS,
    output=answer({"relations": ARRAY, "entity": TEXT, **_RELATIONS}, {"reason": TEXT, "unread": COUNT}),
    handle=_relations,
)
