"""What clients are shown of the tools: whole, small, and in shapes that every host takes."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from recordance.errors import InvalidArgument
from recordance_adapters.wire.catalogue import ALL, DEFAULT_SETS, TOOLS, tool_meant, tools_of
from recordance_adapters.wire.tool import Tool, ToolSet

MOST_TOKENS = 4_000
UNIONS = {"anyOf", "oneOf", "allOf", "not", "if", "$ref", "$defs"}
EVERY_TOOL = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def published(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.arguments.schema,
        "outputSchema": tool.output,
        "annotations": tool.annotations,
    }


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a schema, itself included."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value)


def test_the_default_list_stays_under_four_thousand_tokens(record_property: Callable[[str, str], None]) -> None:
    """A list that costs little context is never trimmed by a host; schemas, texts and hints all count."""
    listed = [published(tool) for tool in tools_of(DEFAULT_SETS)]
    tokens = len(json.dumps(listed, ensure_ascii=False, separators=(",", ":"))) / 4
    record_property("told", f"the default list: {tokens:.0f} tokens")
    assert tokens < MOST_TOKENS, f"{tokens:.0f} tokens: shorten descriptions, or move a tool to another set"


@EVERY_TOOL
def test_every_schema_is_a_plain_object_without_unions_or_nulls(tool: Tool) -> None:
    """case J2, case J3: some providers refuse the whole list for one union, some hosts for one null type."""
    for schema in (tool.arguments.schema, dict(tool.output)):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert isinstance(schema["required"], list)
        for part in parts(schema):
            assert not UNIONS & part.keys()
            assert isinstance(part.get("type", ""), str | dict)
            assert part.get("default", "") is not None


@EVERY_TOOL
def test_every_answer_is_described_as_an_object(tool: Tool) -> None:
    """case J5: a bare array as the first content breaks clients that expect a record."""
    assert tool.output["type"] == "object"
    assert set(tool.output["required"]) <= set(tool.output["properties"])


@EVERY_TOOL
def test_every_optional_parameter_is_published(tool: Tool) -> None:
    """case J7: what is not in the schema is never used by a model."""
    names = [parameter.name for parameter in tool.arguments.parameters]
    assert list(tool.arguments.schema["properties"]) == names
    assert len(set(names)) == len(names)


@EVERY_TOOL
def test_every_tool_has_all_four_hints(tool: Tool) -> None:
    """Hosts ask the user by these hints; one that is missing is taken for the worst."""
    assert set(tool.annotations) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert all(isinstance(hint, bool) for hint in tool.annotations.values())


def test_recalls_gets_and_lists_are_read_only_and_whatever_removes_says_so() -> None:
    """Hosts let reading pass without a question, and must not do so for anything else."""
    hints = {tool.name: tool.annotations for tool in TOOLS}
    reading = {name for name, annotations in hints.items() if annotations["readOnlyHint"]}
    removing = {name for name, annotations in hints.items() if annotations["destructiveHint"]}
    assert reading >= {"memory_retrieve", "memory_get", "memory_list", "memory_search_scopes", "memory_history"}
    assert reading.isdisjoint({"memory_store", "memory_update", "memory_vector", "memory_feedback", "memory_review", *removing})
    assert removing == {"memory_relate", "memory_alias", "memory_forget", "memory_misses"}
    assert all(hints[name]["idempotentHint"] for name in reading)


def test_the_schema_of_terms_shows_that_one_is_needed() -> None:
    """T1: the schema is documentation, and this is its most needed line."""
    (retrieve,) = (tool for tool in TOOLS if tool.name == "memory_retrieve")
    assert retrieve.arguments.schema["required"] == ["terms"]
    assert retrieve.arguments.schema["properties"]["terms"]["minItems"] == 1


def test_tool_sets_choose_tools_in_one_order() -> None:
    """The list is the same in every process, whatever order the sets are named in."""
    core, life = tools_of(["core"]), tools_of(["life"])
    others = tools_of([each for each in ToolSet if each not in ("core", "life")])
    assert [tool.name for tool in life] == ["memory_update", "memory_archive", "memory_history"]
    assert tools_of(["life", "core"]) == tools_of(["core", "life"]) == (*core, *life)
    assert tools_of([ALL]) == TOOLS
    assert (*core, *others, *life) == TOOLS


def test_an_unknown_tool_set_is_refused_with_those_that_exist() -> None:
    """A misspelt set would be a server without its tools."""
    with pytest.raises(InvalidArgument) as raised:
        tools_of(["core", "lief"])
    assert "life" in raised.value.expected


@EVERY_TOOL
def test_descriptions_teach_in_few_words(tool: Tool) -> None:
    """A model reads every description with every request."""
    assert 80 <= len(tool.description) <= 700
    assert len(tool.title) <= 40


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("memory_search", "tool set search"),
        ("memory_find", "memory_retrieve"),
        ("recall_facts", "memory_retrieve"),
        ("memory_stor", "memory_store"),
        ("memory_archive", "tool set life"),
        ("memory_save", "memory_store"),
        ("add_memory", "memory_store"),
        ("memory_delete", "memory_forget"),
        ("search_deleted", "memory_retrieve"),
        ("nothing_like_it", "one of memory_retrieve, memory_store"),
    ],
)
def test_a_tool_that_is_not_offered_leads_to_the_one_that_is_meant(name: str, expected: str) -> None:
    """A model that asks to read must not be sent to write, and one that asks for another set is told how to get it."""
    assert expected in tool_meant(name, [tool.name for tool in tools_of(DEFAULT_SETS)])


@pytest.mark.parametrize(
    ("tool", "name", "expected"),
    [
        ("memory_retrieve", "query", "terms instead"),
        ("memory_retrieve", "project", "project_id instead"),
        ("memory_store", "text", "content instead"),
        ("memory_relate", "source", "from instead"),
        ("memory_retrieve", "embedding", "query_embedding instead"),
        ("memory_vector", "id", "capsule_id instead"),
        ("memory_vector", "vector", "embedding instead"),
        ("memory_archive", "restore", "action instead"),
    ],
)
def test_a_name_from_elsewhere_leads_to_ours(tool: str, name: str, expected: str) -> None:
    """case J9: what other systems call a parameter is no reason to guess at one that merely looks like it."""
    declaration = next(each for each in TOOLS if each.name == tool).arguments
    with pytest.raises(InvalidArgument) as refused:
        declaration.read({name: "x"})
    assert refused.value.expected == expected
