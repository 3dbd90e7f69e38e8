"""The five contracts walked sentence by sentence: each promise is held by rules and tests, or is a gap with its reason."""

import ast
import functools
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recordance_adapters.wire.catalogue import TOOLS
from support import checkout
from support.claims import claims

HERE = Path(__file__).parent
UNBUILT = "not built yet"
MOST_WORDS = 15
HOLDINGS = ({"rules"}, {"tests"}, {"rules", "tests"}, {"gap"}, {"remark"})
_ID = re.compile(r"(?P<letter>[A-Z])-(?P<sentence>\d\d)(?P<clause>[a-z]?)")


@dataclass(frozen=True, slots=True)
class Contract:
    """One of the five documents: its letter, its tool, how many sentences and rows it has, what they promise."""

    letter: str
    tool: str
    sentences: int
    promises: tuple[dict[str, Any], ...]


def contract(path: Path) -> Contract:
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(read) == {"letter", "tool", "sentences", "promise"}, path
    return Contract(read["letter"], read["tool"], read["sentences"], tuple(read["promise"]))


CONTRACTS = [contract(path) for path in sorted((HERE / "sources").glob("*.toml"))]
PROMISES = [promise for each in CONTRACTS for promise in each.promises]
EACH = pytest.mark.parametrize("each", CONTRACTS, ids=lambda each: each.letter)
RULES = {rule["id"] for rule in tomllib.loads((HERE / "rules.toml").read_text(encoding="utf-8"))["rule"]}
GAPPED = {id for gap in tomllib.loads((HERE / "gaps.toml").read_text(encoding="utf-8"))["gap"] for id in gap["ids"]}
PUBLISHED = {tool.name: set(tool.arguments.schema["properties"]) for tool in TOOLS}


@functools.cache
def functions_in(path: str) -> frozenset[str]:
    """The test functions of a file below tests; none where there is no such tracked file."""
    file = Path("tests") / path
    if file not in checkout.tracked():
        return frozenset()
    return frozenset(node.name for node in ast.walk(checkout.tree(file)) if isinstance(node, ast.FunctionDef))


def test_the_five_contracts_are_walked() -> None:
    """A document that nobody walked would keep its secrets."""
    assert sorted(each.letter for each in CONTRACTS) == sorted("RASPD")


@EACH
def test_every_sentence_stands_in_order_without_a_hole(each: Contract) -> None:
    """A sentence that falls out of the list would fall out of every check below; clauses count a, b, c."""
    found = [_ID.fullmatch(promise["id"]) for promise in each.promises]
    assert all(found), [promise["id"] for promise, match in zip(each.promises, found, strict=True) if match is None]
    ids = [(match["letter"], int(match["sentence"]), match["clause"]) for match in found if match]
    clauses = Counter(sentence for _, sentence, _ in ids)
    assert ids == [
        (each.letter, sentence, chr(ord("a") + place) if clauses[sentence] > 1 else "")
        for sentence in range(1, each.sentences + 1)
        for place in range(clauses[sentence] or 1)
    ]


def test_every_promise_is_said_shortly_and_held_in_one_way() -> None:
    """What is neither held, nor a gap, nor a remark that promises nothing, was not walked."""
    for promise in PROMISES:
        held = set(promise) - {"id", "parameter", "says"}
        assert held in HOLDINGS, f"{promise['id']}: {sorted(held)}"
        assert all(promise[name] for name in held), promise["id"]
        assert promise["says"].endswith("."), promise["id"]
        assert len(promise["says"].split()) <= MOST_WORDS, f"{promise['id']} is long: a promise is said in {MOST_WORDS} words"


def test_every_rule_that_holds_a_promise_is_held_by_a_test() -> None:
    """A rule with a gap holds nothing by itself; beside it a test must be named that holds this very promise."""
    claimed = {claim.id for claim in claims()}
    for promise in PROMISES:
        named = set(promise.get("rules", ()))
        assert named <= RULES, f"{promise['id']}: {sorted(named - RULES)} are no rules"
        assert named <= claimed, f"{promise['id']}: no test claims {sorted(named - claimed)}"
        assert "tests" in promise or not named & GAPPED, f"{promise['id']}: {sorted(named & GAPPED)} stand in gaps.toml"


def test_every_test_that_holds_a_promise_exists() -> None:
    """A test that was renamed or taken out leaves its promises without a holder."""
    missing = [
        f"{promise['id']}: {name}"
        for promise in PROMISES
        for name in promise.get("tests", ())
        if name.partition("::")[2] not in functions_in(name.partition("::")[0])
    ]
    assert not missing, "no such tests:\n" + "\n".join(missing)


@EACH
def test_every_parameter_of_a_contract_is_published_or_a_gap(each: Contract) -> None:
    """A client of that contract finds its parameter here; and a gap that is closed leaves the list."""
    published = PUBLISHED.get(each.tool, set())
    for promise in each.promises:
        if "parameter" in promise:
            unbuilt = promise.get("gap", "").startswith(UNBUILT)
            assert unbuilt or promise["parameter"] in published, f"{promise['id']}: {each.tool} has no such parameter"


@EACH
def test_nothing_of_a_tool_that_stands_is_called_unbuilt(each: Contract) -> None:
    """Once a tool is offered, what it lacks needs a better reason than that it is not there."""
    unbuilt = [promise["id"] for promise in each.promises if promise.get("gap", "").startswith(UNBUILT)]
    assert not unbuilt or each.tool not in PUBLISHED, f"{each.tool} is offered: say what holds {unbuilt}, or what is missing"
