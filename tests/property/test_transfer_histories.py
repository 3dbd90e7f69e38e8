"""Every store that writes can make goes through an export unharmed, and what other hands made of the file is refused (W10)."""

import base64
import contextlib
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordance.domain.capsule import Tombstone
from recordance.domain.change import Entomb
from recordance.domain.embedding import DEFAULT_SPACE, Vector
from recordance.domain.forgetting import content_mac
from recordance.domain.journal import Op
from recordance.domain.relation import RelationKind
from recordance.errors import InvalidArgument, Json
from recordance.ports.housing import Housing
from recordance.usecases.embed import Attachment
from recordance.usecases.inspect import doctor
from recordance.usecases.judge import Verdict
from recordance.usecases.teach import teach_aliases
from recordance.usecases.transfer import Vectors, export_lines, import_lines
from recordance_adapters.driven.system.housing import MemoryHousing
from support.stores import ANN, Bench, bench, draft
from support.truths import IDENTITY, read_everything, told, write
from support.writings import VECTORS, Step, histories, take

SETTLED: list[Step] = [
    ("tell", [draft(content) for content in ("alpha one", "beta two", "gamma three", "delta four")], ANN),
    ("relate", RelationKind.SUPERSEDES, "cap-2", "cap-1"),
    ("relate", RelationKind.FALSIFIES, "cap-3", "cap-2"),
    ("relate", RelationKind.PART_OF, "cap-4", "cap-3"),
    ("review", "cap-3", Verdict.PROPOSE),
    ("archive", "cap-4"),
    ("embed", [Attachment("cap-1", VECTORS[2], "one"), Attachment("cap-4", VECTORS[3])], ANN),
]
"""A beginning in which everything was decided once."""
settled = histories.map(lambda history: [*SETTLED, *history])
forgotten = st.sets(st.integers(1, 6), max_size=2)


def lived(history: Sequence[Step], dead: set[int]) -> Bench:
    """A store with a history, in which some capsules are forgotten in the middle of it."""
    store = bench()
    for place, step in enumerate(history):
        take(store, step)
        if place == len(history) // 2:
            for number in sorted(dead):
                forget(store, number)
    teach_aliases(store.destinations, ANN, None, [("alpha", "beta")])
    return store


def forget(store: Bench, number: int) -> None:
    with store.truth.reading() as reader:
        capsule = reader.capsules([number]).get(number)
    if capsule is not None and capsule.standing.tombstoned_at is None:
        mac = content_mac(capsule.content_digest, IDENTITY.key)
        tombstone = Tombstone(number, store.clock.now(), "asked for", "ann", mac)
        write(store.truth, told(Op.TOMBSTONED, number, Entomb(tombstone)))


def exported(store: Bench, vectors: Vectors = Vectors.CARRIED) -> list[str]:
    return list(export_lines(store.destinations, ANN, None, vectors))


def unheard(done: int, total: int) -> None:
    """Watch no progress."""


def imported(store: Bench, lines: Sequence[str]) -> dict[str, Json]:
    return import_lines(store.destinations, ANN, None, lambda: lines, unheard)


def everything(store: Bench) -> dict[str, Any]:
    with store.truth.reading() as reader:
        return dict(read_everything(reader).answers)


def embedded(store: Bench) -> dict[int, Vector]:
    """Each capsule's vector."""
    with store.truth.reading() as reader:
        return dict(reader.vectors(DEFAULT_SPACE, range(1, reader.last_number() + 1)))


def examined(store: Bench) -> dict[str, str]:
    """What the doctor finds that is not in order."""

    def documents() -> int:
        store.store.terms.commit()
        with store.truth.reading() as reader:
            return reader.corpus().capsules

    housing: Housing = MemoryHousing(documents)
    answer = doctor(store.destinations, ANN, None, housing, unheard)
    return {check["name"]: check["found"] for check in answer["checks"] if check["verdict"] == "fail"}


@settings(max_examples=60)
@given(histories, forgotten)
def test_every_history_goes_through_an_export_without_loss(history: list[Step], dead: set[int]) -> None:
    """W10: superseders that were forgotten, relations that were ended, verdicts taken back: all of it, and nothing refused."""
    there, here = lived(history, dead), bench()
    here.clock.advance(there.clock.now() - here.clock.now())
    lines = exported(there)
    assert imported(here, lines)["status"] == "restored"
    assert everything(here) == everything(there)
    assert exported(here) == lines
    assert examined(there) == examined(here) == {}


VECTOR_ANSWERS = ("spaces", "space", "vectors", "embedded_within", "embeddings")


@settings(max_examples=40)
@given(histories, forgotten)
def test_every_history_goes_through_an_export_without_its_embeddings(history: list[Step], dead: set[int]) -> None:
    """W4, W10: what is left behind on demand are vectors and spaces, and nothing else; the store is in order without them."""
    there, here = lived(history, dead), bench()
    here.clock.advance(there.clock.now() - here.clock.now())
    assert imported(here, exported(there, Vectors.LEFT_OUT))["embeddings"] == 0
    one, other = everything(there), everything(here)
    assert {name for name in one if one[name] != other[name]} <= set(VECTOR_ANSWERS)
    assert (embedded(here), examined(here)) == ({}, {})


@settings(max_examples=60)
@given(histories, histories, forgotten, st.integers(1, 6))
def test_a_store_that_was_merged_goes_through_an_export_too(one: list[Step], other: list[Step], dead: set[int], cut: int) -> None:
    """W10, W3: whatever both had decided, and where the merge was cut short, the store is in order and can be moved."""
    there, here, moved = lived(one, dead), lived(other, set()), bench()

    class Cut(Exception):
        pass

    calls = 0

    def cutting(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == cut:
            raise Cut

    lines, own = exported(there), embedded(here)
    with contextlib.suppress(Cut):
        import_lines(here.destinations, ANN, None, lambda: lines, cutting)
    for _ in range(2):
        assert examined(here) == {}
        moved = bench()
        assert imported(moved, exported(here))["status"] == "restored"
        assert everything(moved) == everything(here)
        imported(here, lines)
    before = {**everything(here), "journal": 0, "head": 0}
    again = imported(here, lines)
    assert again["captured"] == again["relations"] == again["aliases"] == again["embeddings"] == 0
    assert again["already_embedded"] + again["embeddings_left_out"] <= len(embedded(there))
    after = embedded(here)
    with here.truth.reading() as reader:
        gone = {each.number for each in reader.forgotten_after(0)}
    assert {number: after.get(number) for number in own} == {n: None if n in gone else vector for n, vector in own.items()}
    assert {**everything(here), "journal": 0, "head": 0} == before


DECIDED = ("falsified_at", "archived_at", "superseded_at", "superseded_by", "review")


@settings(max_examples=60)
@given(settled, forgotten, st.data())
def test_a_file_in_which_a_decision_was_undone_is_refused(history: list[Step], dead: set[int], data: st.DataObject) -> None:
    """W3, W5, W7: what was retired, put away or rejected does not come back to life by a file; nothing is written."""
    lines = exported(lived(history, dead))
    decided = [
        (place, name)
        for place, raw in enumerate(map(json.loads, lines))
        if "text" in raw.get("capsule", ())
        for name in DECIDED
        if name in raw["capsule"]["capsule"].get("standing", ())
    ]
    if not decided:
        return
    place, name = data.draw(st.sampled_from(decided))
    raw = json.loads(lines[place])
    if name == "superseded_by":
        raw["capsule"]["capsule"]["standing"][name] = 99
    else:
        del raw["capsule"]["capsule"]["standing"][name]
    refuse([*lines[:place], json.dumps(raw), *lines[place + 1 :]])


@settings(max_examples=60)
@given(settled, forgotten, st.data())
def test_a_file_without_a_relation_that_stands_is_refused(history: list[Step], dead: set[int], data: st.DataObject) -> None:
    """W3, W10: not even with its count set right: standings and the journal tell of it."""
    lines = exported(lived(history, dead))
    relations = [place for place, line in enumerate(lines) if line.startswith('{"relation"')]
    if not relations:
        return
    place = data.draw(st.sampled_from(relations))
    end = json.loads(lines[-1])
    end["end"]["relations"] -= 1
    refuse([*lines[:place], *lines[place + 1 : -1], json.dumps(end)])


def refuse(lines: list[str]) -> None:
    here = bench()
    with pytest.raises(InvalidArgument) as refused:
        imported(here, lines)
    assert refused.value.field.startswith("line "), refused.value
    with here.truth.reading() as reader:
        assert (reader.head(), reader.last_number()) == (0, 0)


@settings(max_examples=60)
@given(settled, forgotten, st.data())
def test_a_file_in_which_a_vector_was_damaged_is_refused(history: list[Step], dead: set[int], data: st.DataObject) -> None:
    """W4, W10, case D7: another content, another length, another capsule, no vector or none at all: each is told."""
    lines = exported(lived(history, dead))
    places = [place for place, line in enumerate(lines) if "embeddings" in json.loads(line).get("capsule", ())]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    raw = json.loads(lines[place])
    embedding = raw["capsule"]["embeddings"][0]
    vector = embedding["vector"]
    match data.draw(st.sampled_from(["digest", "length", "text", "zero", "capsule", "gone"])):
        case "digest":
            embedding["content_digest"] = embedding["content_digest"][::-1]
        case "length":
            vector["dimension"] += data.draw(st.sampled_from([-1, 1]))
        case "text":
            where = data.draw(st.integers(0, len(vector["float32_le"]) - 1))
            vector["float32_le"] = vector["float32_le"][:where] + "*" + vector["float32_le"][where + 1 :]
        case "zero":
            vector["float32_le"] = base64.b64encode(bytes(4 * vector["dimension"])).decode()
        case "capsule":
            embedding["capsule"] += 1
        case _:
            del raw["capsule"]["embeddings"]
    refuse([*lines[:place], json.dumps(raw), *lines[place + 1 :]])
