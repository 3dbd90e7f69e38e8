"""The history of a capsule: who did what and when, and what it said in each revision."""

from typing import Any

import pytest

from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField
from recordance.errors import InvalidArgument, MissingState, StateKind
from recordance.usecases.archive import archive
from recordance.usecases.forget import forget
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.life import HISTORY, UPDATE
from recordance_adapters.wire.tools.relate import RELATE
from support.stores import ANN, BOB, Bench, bench

FENCED = Caller(actor="fay", projects=frozenset({"nott"}))


def history(store: Bench, id: str = "cap-1", caller: Caller = ANN, **given: Any) -> dict[str, Any]:
    """The history through the tool itself."""
    return HISTORY.handle(Call(destinations=store.destinations, caller=caller), {"id": id, **given})


def change(store: Bench, caller: Caller = ANN, **changes: Any) -> None:
    """The next revision of the first capsule."""
    store.clock.advance(1)
    UPDATE.handle(Call(destinations=store.destinations, caller=caller), {"id": "cap-1", "changes": changes})


def test_each_row_says_who_and_when_and_each_revision_what_it_said() -> None:
    """W12, W13, case C12: oldest first; a row that made a revision has its text, and no other has one."""
    store = bench()
    store.learn("port 7421", tags=("net",), source="talk")
    change(store, BOB, content="port 7422", confidence=0.9)
    archive(store.destinations, ANN, None, "cap-1")
    answer = history(store)
    rows = answer["rows"]
    assert [(row["op"], row["actor"], row["revision"]) for row in rows] == [
        ("captured", "ann", 1),
        ("revised", "bob", 2),
        ("archived", "ann", 2),
    ]
    assert [row.get("text", {}).get("content") for row in rows] == ["port 7421", "port 7422", None]
    assert rows[0]["text"] == {"headline": "port 7421", "content": "port 7421", "source": "talk", "tags": ["net"]}
    assert rows[1]["values"] == {"confidence": 0.9}
    assert rows[0]["at"] == "2026-03-01T12:00:00Z"
    assert rows[2]["values"]["archived_at"].startswith("2026-03-01T12:00:00.000001")
    assert (answer["id"], answer["state"], answer["revision"], answer["total"]) == ("cap-1", "archived", 2, 3)
    assert answer["framing"] == "DATA", "what was said before is data as well"


def test_pages_join_and_a_limit_of_nothing_counts() -> None:
    """W12: a long history is read page by page."""
    store = bench()
    store.learn("a")
    for place in range(4):
        change(store, content=f"a {place}")
    assert [row["seq"] for offset in (0, 2, 4) for row in history(store, limit=2, offset=offset)["rows"]] == [1, 2, 3, 4, 5]
    assert (history(store, limit=0)["rows"], history(store, limit=0)["total"]) == ([], 5)
    for given in ({"limit": 501}, {"offset": -1}, {"limit": "all"}):
        with pytest.raises(InvalidArgument):
            history(store, **given)


def test_of_a_forgotten_capsule_the_rows_alone_are_left() -> None:
    """W6, W12: who, what and when stay; not a word of any revision, and no label that its skeleton lacks."""
    store = bench()
    store.learn("the old secret", type="decision", kind="fact")
    change(store, content="the new secret", type="fact")
    forget(store.destinations, ANN, None, "cap-1")
    answer = history(store)
    assert [row["op"] for row in answer["rows"]] == ["captured", "revised", "tombstoned"]
    assert not any("text" in row for row in answer["rows"])
    assert "secret" not in str(answer)
    assert not any(LabelField.TYPE in row.get("values", {}) for row in answer["rows"])
    assert answer["state"] == "tombstoned"


def test_a_history_names_no_capsule_that_its_reader_may_not_see() -> None:
    """F13, W12: a guessed id is unknown, and what superseded a capsule is named to those alone who see it."""
    store = bench()
    store.learn("old", project_id="nott")
    store.learn("new", project_id="other", supersedes=(1,))
    assert history(store)["rows"][1]["values"]["superseded_by"] == "cap-2"
    assert "cap-2" not in str(history(store, caller=FENCED))
    for id, caller in (("cap-2", FENCED), ("cap-9", ANN)):
        with pytest.raises(MissingState) as refused:
            history(store, id, caller)
        assert refused.value.kind is StateKind.UNKNOWN_CAPSULE


def test_a_relation_to_what_its_reader_may_not_see_is_no_row_of_theirs() -> None:
    """F13, W12: neither the row nor the total tells that there is such a relation, made or taken back."""
    store = bench()
    store.learn("ours", project_id="nott")
    store.learn("beside it", project_id="nott")
    before = history(store, caller=FENCED)
    store.learn("theirs", project_id="other")
    related = {"kind": "derived_from", "from": "cap-1", "to": "cap-3"}
    call = Call(destinations=store.destinations, caller=ANN)
    RELATE.handle(call, related)
    RELATE.handle(call, {"remove": related})
    assert history(store, caller=FENCED) == before
    assert [row["op"] for row in history(store)["rows"]] == ["captured", "related", "unrelated"]
    RELATE.handle(call, {**related, "to": "cap-2"})
    assert history(store, caller=FENCED)["rows"][1]["values"]["target"] == "cap-2"
