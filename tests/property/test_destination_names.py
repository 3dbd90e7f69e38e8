"""Over drawn houses: every id in every answer leads back to the capsule that was meant."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recordance.domain.caller import Caller
from recordance.domain.destination import Catalogue, Profile, Rule
from recordance.errors import Refusal
from support.houses import House

NAMES = ("one", "two", "three")
WORDS = ("boat", "quay", "rope", "sail")
_ID = re.compile(r"(?:[a-z]+:)?cap-[1-9][0-9]*")

catalogues = st.builds(
    lambda names, default, routed: Catalogue(
        tuple(Profile(name=name, rules=(Rule(tags=frozenset({name})),) if name in routed else ()) for name in names),
        names[default % len(names)],
    ),
    st.permutations(NAMES).flatmap(lambda names: st.integers(2, 3).map(lambda count: tuple(names[:count]))),
    st.integers(0, 2),
    st.sets(st.sampled_from(NAMES)),
)
places = st.none() | st.sampled_from(NAMES)
ids = st.tuples(places, st.integers(1, 4)).map(
    lambda drawn: f"cap-{drawn[1]}" if drawn[0] is None else f"{drawn[0]}:cap-{drawn[1]}"
)
contents = st.lists(st.sampled_from(WORDS), min_size=2, max_size=4).map(" ".join)
items = st.fixed_dictionaries(
    {"content": contents},
    optional={
        "destination": st.sampled_from(NAMES),
        "tags": st.lists(st.sampled_from(NAMES), max_size=2),
        "supersedes": ids,
        "key": st.just("k"),
    },
)
calls = st.one_of(
    st.tuples(st.just("memory_store"), st.fixed_dictionaries({"items": st.lists(items, min_size=1, max_size=4)})),
    st.tuples(st.just("memory_store"), st.fixed_dictionaries({"items": st.lists(items, min_size=1, max_size=4)})),
    st.tuples(st.just("memory_relate"), st.fixed_dictionaries({"kind": st.just("about"), "from": ids, "to": ids})),
    st.tuples(st.just("memory_get"), st.fixed_dictionaries({"ids": st.lists(ids, min_size=1, max_size=4)})),
    st.tuples(st.just("memory_list"), st.fixed_dictionaries({}, optional={"destination": st.sampled_from(NAMES)})),
    st.tuples(st.just("memory_review"), st.fixed_dictionaries({"id": ids, "verdict": st.just("propose")})),
    st.tuples(
        st.just("memory_retrieve"),
        st.fixed_dictionaries({"terms": st.lists(st.sampled_from(WORDS), min_size=1), "search_scope": st.just("all")}),
    ),
    st.tuples(st.just("memory_forget"), st.fixed_dictionaries({"id": ids})),
)
callers = st.sampled_from([None, None, frozenset({"one", "two"}), frozenset({"two"})])


def named(value: Any) -> Iterator[str]:
    """Every id that stands in an answer as a value of its own."""
    match value:
        case str() if _ID.fullmatch(value):
            yield value
        case dict():
            for each in value.values():
                yield from named(each)
        case list():
            for each in value:
                yield from named(each)


def contents_told(tool: str, arguments: dict[str, Any], answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every id with the content that the answer says it has."""
    if tool == "memory_store":
        for item, result in zip(arguments["items"], answer["results"], strict=True):
            if "id" in result:
                yield result["id"], item["content"]
    for row in answer.get("capsules", ()) or answer.get("results", ()):
        if "headline" in row:
            yield row["id"], row["headline"]


@settings(max_examples=60, deadline=None)
@given(catalogues, callers, st.lists(calls, min_size=2, max_size=10))
def test_every_id_in_an_answer_leads_to_the_capsule_meant(
    catalogue: Catalogue, seen: frozenset[str] | None, steps: Sequence[tuple[str, dict[str, Any]]]
) -> None:
    """D4, F13: sent back as it came, by whoever got it, an id is that capsule and no other store's."""
    house, caller = House(catalogue), Caller(actor="ann", destinations=seen)
    known: dict[str, str] = {}
    for tool, arguments in steps:
        try:
            answer = house.call(tool, caller, **arguments)
        except Refusal:
            continue
        for id, content in contents_told(tool, arguments, answer):
            assert known.setdefault(id, content) == content
        if tool == "memory_forget":
            known.pop(answer["id"], None)
        for id in set(named(answer)) - set(answer.get("missing", ())):
            (capsule,) = house.call("memory_get", caller, id=id)["capsules"]
            assert capsule["id"] == id
            assert capsule["state"] == "tombstoned" or capsule["content"] == known.setdefault(id, capsule["content"])
