"""Embeddings travel with their capsules bit for bit; what does not fit is told, and damage is refused (W4, W10)."""

import base64
import json
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recordance.domain.attaching import attached
from recordance.domain.caller import Caller
from recordance.domain.change import ChangeSet, PutSpace
from recordance.domain.embedding import Embedding, Space, vector_of
from recordance.domain.forgetting import content_mac
from recordance.domain.identity import content_digest
from recordance.domain.instant import Instant
from recordance.domain.journal import Op
from recordance.errors import InvalidArgument, Json
from recordance.ports.truth import OccupiedSpace, Truth
from recordance.usecases.transfer import Vectors, export_lines, import_lines
from support.stores import ANN, Bench, Parts, bench
from support.truths import ADAPTERS, NOON, entombed, labels, open_truth, remember, write

FENCED = Caller(actor="bob", projects=frozenset({"nott"}))
AN_HOUR = 3_600_000_000


@pytest.fixture(params=ADAPTERS)
def new_bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Bench]]:
    """Opens benches over empty truths of one adapter."""
    opened: list[Truth] = []

    def open_another() -> Bench:
        opened.append(open_truth(request.param, tmp_path / str(len(opened))))
        return bench(Parts(truth=opened[-1]))

    yield open_another
    for truth in opened:
        truth.close()


def embed(store: Bench, number: int, *values: float, space: Space | None = None, at: int = NOON) -> None:
    """Attach a vector to a capsule, in the default space unless another is named."""
    space = space or Space("default", len(values))
    with store.truth.writing() as writer:
        held = writer.space(space.name)
        before = held.space if held else None
        named = space if before is None or space.model else before
        changes = attached(writer.capsules([number])[number], vector_of(values), before, named, Instant(at))
        writer.apply(changes, "ann", NOON)


def embeddings(store: Bench) -> dict[int, Sequence[Embedding]]:
    with store.truth.reading() as reader:
        return {number: list(each) for number, each in reader.embeddings(range(reader.last_number() + 1)).items()}


def vectors(store: Bench, space: str = "default") -> dict[int, list[float]]:
    with store.truth.reading() as reader:
        return {number: list(each.values) for number, each in reader.vectors(space, range(reader.last_number() + 1)).items()}


def spaces(store: Bench) -> list[OccupiedSpace]:
    with store.truth.reading() as reader:
        return list(reader.spaces())


def exported(store: Bench, caller: Caller = ANN, carried: Vectors = Vectors.CARRIED) -> list[str]:
    return list(export_lines(store.destinations, caller, None, carried))


def imported(store: Bench, lines: Sequence[str], caller: Caller = ANN) -> dict[str, Json]:
    return import_lines(store.destinations, caller, None, lambda: lines, lambda done, total: None)


def filled(store: Bench) -> Bench:
    """Four capsules: two with vectors in the default space, one of them in a second one too, one bare, one forgotten."""
    remember(store.truth, "pin tokio", "tokio is a runtime", "no vector", "a secret", labels=labels(project_id="nott"))
    embed(store, 1, 0.25, -0.5, 3.0e-38, space=Space("default", 3, "mini"), at=NOON + AN_HOUR)
    embed(store, 2, 1.0, -0.0, 1e-45)
    embed(store, 4, 1.0, 2.0, 3.0)
    embed(store, 2, 1.0, 0.5, space=Space("another", 2))
    write(store.truth, entombed(4, "m4"))
    return store


# ── nothing is lost ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_whole_export_carries_every_bit_of_every_vector(new_bench: Callable[[], Bench]) -> None:
    """W10, W4: an empty store becomes that store, with spaces, models, times and digests; its own export is the same bytes."""
    there, here = filled(new_bench()), new_bench()
    lines = exported(there)
    answer = imported(here, lines)
    assert (answer["status"], answer["embeddings"], answer["tombstones"]) == ("restored", 3, 1)
    assert embeddings(here) == embeddings(there)
    assert (
        spaces(here)
        == spaces(there)
        == [
            OccupiedSpace(Space("another", 2), 1),
            OccupiedSpace(Space("default", 3, "mini"), 2),
        ]
    )
    assert exported(here) == lines


def test_a_space_without_vectors_travels_too(new_bench: Callable[[], Bench]) -> None:
    """W10: what a store says of itself stays what it says."""
    there, here = new_bench(), new_bench()
    remember(there.truth, "a secret")
    embed(there, 1, 1.0, 2.0)
    write(there.truth, entombed(1))
    assert spaces(there) == [OccupiedSpace(Space("default", 2), 0)]
    lines = exported(there)
    imported(here, lines)
    assert (spaces(here), exported(here)) == (spaces(there), lines)


def test_the_file_says_itself_what_its_vectors_are() -> None:
    """W10: other programs read it: a line for each space, and in a capsule's line base64 of little-endian float32."""
    there = bench()
    there.learn("pin tokio")
    embed(there, 1, 1.0, -2.0, space=Space("default", 2, "mini"))
    header, space, capsule, *_, end = map(json.loads, exported(there))
    assert header["export"]["format"] == 3
    assert space == {"space": {"name": "default", "dimension": 2, "model": "mini"}}
    [embedding] = capsule["capsule"]["embeddings"]
    assert embedding["vector"] == {"dimension": 2, "float32_le": "AACAPwAAAMA="}
    assert embedding["content_digest"] == capsule["capsule"]["capsule"]["content_digest"]
    assert (end["end"]["spaces"], end["end"]["embeddings"]) == (1, 1)


def test_an_export_without_embeddings_makes_a_store_that_takes_another_dimension(new_bench: Callable[[], Bench]) -> None:
    """W4, W10, case E1: this is how a store changes its dimension; nothing else is lost, and the file says what it lacks."""
    there, here = filled(new_bench()), new_bench()
    lines = exported(there, carried=Vectors.LEFT_OUT)
    assert json.loads(lines[0])["export"]["without"] == ["embeddings"]
    assert "float32" not in "".join(lines)
    answer = imported(here, lines)
    assert (answer["status"], answer["embeddings"], spaces(here)) == ("restored", 0, [])
    with there.truth.reading() as one, here.truth.reading() as other:
        assert one.capsules(range(9)) == other.capsules(range(9))
        assert one.journal(0, 99) == other.journal(0, 99)
    embed(here, 1, 1.0, 2.0, 3.0, 4.0)
    assert spaces(here) == [OccupiedSpace(Space("default", 4), 1)]


def test_an_export_of_the_first_format_is_still_taken() -> None:
    """W10: it knew neither spaces nor embeddings, and did not count them."""
    there, here = bench(), bench()
    there.learn("pin tokio")
    lines = exported(there)
    header, end = json.loads(lines[0]), json.loads(lines[-1])
    header["export"]["format"] = 1
    for name in ("spaces", "embeddings"):
        del end["end"][name]
    assert imported(here, [json.dumps(header), *lines[1:-1], json.dumps(end)])["status"] == "restored"
    assert exported(here)[1:] == lines[1:]


def test_a_restored_journal_tells_of_a_forgotten_capsule_no_more_than_its_skeleton() -> None:
    """W6, W10: exports of the first format told labels of what was forgotten; they are still taken, and tell no more here."""
    there, here = bench(), bench()
    remember(there.truth, "a secret", labels=labels(kind="fact", task_key="free willy"))
    write(there.truth, entombed(1))
    lines = exported(there)
    place = next(place for place, line in enumerate(lines) if line.startswith('{"journal"'))
    raw = json.loads(lines[place])
    raw["journal"]["values"] = {"kind": "fact", "task_key": "free willy", "importance": 0.5}
    answer = imported(here, [*lines[:place], json.dumps(raw), *lines[place + 1 :]])
    assert answer["status"] == "restored"
    assert here.journal()[0].values == {"kind": "fact", "importance": 0.5}


def test_an_export_with_vectors_is_never_held_whole(tmp_path: Path) -> None:
    """W10: memory does not grow with the store, on either way."""
    truth = open_truth("sqlite", tmp_path / "there")
    there, here = bench(Parts(truth=truth)), bench(Parts(truth=open_truth("sqlite", tmp_path / "here")))
    space, count = Space("default", 1_000), 2_000
    remember(truth, *(f"statement {number}" for number in range(count)))
    with truth.writing() as writer:
        writer.apply(ChangeSet((PutSpace(space, NOON),)), "ann", NOON)
        for number, capsule in writer.capsules(range(count + 1)).items():
            vector = vector_of([1.0, *([number / 8] * 999)])
            writer.apply(attached(capsule, vector, space, space, NOON), "ann", NOON)
    file = tmp_path / "export.jsonl"

    def written() -> None:
        with file.open("w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in export_lines(there.destinations, ANN, None))

    def read() -> Iterator[str]:
        with file.open(encoding="utf-8") as lines:
            yield from lines

    def taken() -> None:
        answer = import_lines(here.destinations, ANN, None, read, lambda done, total: None)
        assert answer["embeddings"] == count

    for work in (written, taken):
        tracemalloc.start()
        work()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 8_000_000 < file.stat().st_size, f"{work.__name__}: {peak} bytes held"
    for store in (there, here):
        store.truth.close()


# ── where it arrives ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_merge_attaches_vectors_and_journals_them(new_bench: Callable[[], Bench]) -> None:
    """W10, W4, W12: under new numbers, with the time at which they were attached, told to every index by a row of its own."""
    there, here = filled(new_bench()), new_bench()
    remember(here.truth, "own")
    answer = imported(here, exported(there))
    assert (answer["status"], answer["captured"], answer["embeddings"]) == ("merged", 3, 3)
    assert (answer["already_embedded"], answer["embeddings_left_out"], "left_out" in answer) == (0, 0, False)
    assert vectors(here) == {2: vectors(there)[1], 3: vectors(there)[2]}
    assert embeddings(here)[2] == [replace(embeddings(there)[1][0], capsule=2)]
    assert spaces(here) == spaces(there)
    with here.truth.reading() as reader:
        rows = [row for row in reader.history(3) if row.op is Op.EMBEDDED]
    assert [dict(row.values) for row in rows] == [{"space": "another", "dimension": 2}, {"space": "default", "dimension": 3}]


def test_a_capsule_that_has_a_vector_keeps_it_and_one_without_gets_one(new_bench: Callable[[], Bench]) -> None:
    """W10: what is here was chosen here; what is missing is welcome, in the same project alone."""
    there, here = new_bench(), new_bench()
    for store in (there, here):
        remember(store.truth, "with its own", "without")
    remember(here.truth, "without", labels=labels(project_id="else"))
    embed(here, 1, 1.0, 0.0)
    embed(there, 1, 0.0, 1.0)
    embed(there, 2, 0.0, 2.0)
    lines = exported(there)
    answer = imported(here, lines)
    assert (answer["deduplicated"], answer["embeddings"], answer["already_embedded"]) == (2, 1, 1)
    assert vectors(here) == {1: [1.0, 0.0], 2: [0.0, 2.0]}
    with here.truth.reading() as reader:
        before = reader.head()
    again = imported(here, lines)
    assert (again["embeddings"], again["already_embedded"]) == (0, 2)
    with here.truth.reading() as reader:
        assert reader.head() == before


def test_of_two_vectors_for_one_content_the_first_is_attached() -> None:
    """W10, W1: two capsules of the file are one here; so are their embeddings."""
    there, here = bench(), bench()
    remember(there.truth, "café", "cafe\u0301")
    embed(there, 1, 1.0, 0.0)
    embed(there, 2, 0.0, 1.0)
    here.learn("own")
    answer = imported(here, exported(there))
    assert (answer["captured"], answer["embeddings"], answer["already_embedded"]) == (1, 1, 1)
    assert vectors(here) == {2: [1.0, 0.0]}


def test_what_was_forgotten_here_gets_no_vector_by_an_import() -> None:
    """W6, W10: forgetting wins, over vectors as over words."""
    there, here = filled(bench()), filled(bench())
    write(here.truth, entombed(1, mac_of(here, 1)))
    answer = imported(here, exported(there))
    assert answer["forgotten"] == 1
    assert sorted(vectors(here)) == [2]


def mac_of(store: Bench, number: int) -> str:
    with store.truth.reading() as reader:
        return content_mac(reader.capsules([number])[number].content_digest, reader.identity().key)


@pytest.mark.parametrize(
    ("own", "told"),
    [
        (Space("default", 4), "here it has 4 dimensions, there 3 dimensions of 'mini'"),
        (Space("default", 3, "maxi"), "here it has 3 dimensions of 'maxi', there 3 dimensions of 'mini'"),
    ],
    ids=["dimension", "model"],
)
def test_vectors_that_cannot_be_compared_stay_outside_and_are_named(
    new_bench: Callable[[], Bench], own: Space, told: str
) -> None:
    """W4, W10, case E1: the capsules come in, as the file may be all that is left of them; what did not is said, and why."""
    there, here = filled(new_bench()), new_bench()
    remember(here.truth, "own", "tokio is a runtime", labels=labels(project_id="nott"))
    embed(here, 1, *([1.0] * own.dimension), space=own)
    answer = imported(here, exported(there))
    assert (answer["captured"], answer["deduplicated"], answer["embeddings"]) == (2, 1, 1)
    assert answer["embeddings_left_out"] == 2
    [outcome] = answer["left_out"]
    assert (outcome["space"], outcome["embeddings"]) == ("default", 2)
    assert told in outcome["why"]
    assert sorted(vectors(here)) == [1]
    assert sorted(vectors(here, "another")) == [2]
    assert OccupiedSpace(own, 1) in spaces(here)


@pytest.mark.parametrize(
    ("here_model", "there_model", "left"),
    [(None, "mini", "mini"), ("mini", None, "mini"), (None, None, None), ("mini", "mini", "mini")],
)
def test_a_model_that_only_one_side_names_is_that_of_both(
    here_model: str | None, there_model: str | None, left: str | None
) -> None:
    """W4: as when a vector is attached: the first name binds the space, and no name contradicts none."""
    there, here = bench(), bench()
    for store, content, model in ((there, "theirs", there_model), (here, "ours", here_model)):
        store.learn(content)
        embed(store, 1, 1.0, 2.0, space=Space("default", 2, model))
    assert imported(here, exported(there))["embeddings"] == 1
    assert spaces(here) == [OccupiedSpace(Space("default", 2, left), 2)]


def test_a_space_that_is_empty_takes_what_the_file_brings() -> None:
    """W4: a space without any vectors may take another dimension."""
    there, here = bench(), bench()
    there.learn("theirs")
    embed(there, 1, 1.0, 2.0, space=Space("default", 2, "mini"))
    here.learn("a secret")
    embed(here, 1, 1.0, 2.0, 3.0, space=Space("default", 3, "maxi"))
    write(here.truth, entombed(1))
    assert imported(here, exported(there))["embeddings"] == 1
    assert spaces(here) == [OccupiedSpace(Space("default", 2, "mini"), 1)]


def test_a_fenced_export_carries_the_vectors_and_spaces_inside_its_fence() -> None:
    """F13: no vector of another project, and no space in which the caller sees none."""
    there, here = bench(), bench()
    remember(there.truth, "inside", labels=labels(project_id="nott/x"))
    remember(there.truth, "outside", labels=labels(project_id="nottx"))
    embed(there, 1, 1.0, 2.0)
    embed(there, 2, 3.0, 4.0)
    embed(there, 2, 5.0, space=Space("outside", 1))
    lines = exported(there, FENCED)
    assert [json.loads(line)["space"]["name"] for line in lines if line.startswith('{"space"')] == ["default"]
    assert imported(here, lines, FENCED)["embeddings"] == 1
    assert vectors(here) == {1: [1.0, 2.0]}


def test_an_embedding_that_the_journal_does_not_tell_of_is_merged_and_told() -> None:
    """W10, W12: restored as it stands no index would ever hear of it."""
    there, here = bench(), bench()
    there.learn("pin tokio", "tokio is a runtime")
    embed(there, 1, 1.0, 2.0)
    lines = exported(there)
    row = next(place for place, line in enumerate(lines) if '"op":"embedded"' in line)
    lines[row] = lines[row].replace('"capsule":1', '"capsule":2')
    assert imported(here, lines)["status"] == "merged"
    with here.truth.reading() as reader:
        assert [row.op for row in reader.history(1)] == [Op.CAPTURED, Op.EMBEDDED]


# ── damage ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def refused(lines: Sequence[str]) -> InvalidArgument:
    """The refusal of an import, into an empty store and into another, neither of which it changes."""
    refusals = []
    for own in ((), ("own",)):
        here = bench()
        here.learn(*own)
        before = here.journal()
        with pytest.raises(InvalidArgument) as told_so:
            imported(here, lines)
        assert (here.journal(), spaces(here)) == (before, [])
        refusals.append(told_so.value)
    assert refusals[0].message == refusals[1].message
    return refusals[0]


def packed(*values: float) -> dict[str, Json]:
    vector = vector_of(values)
    return {"dimension": vector.dimension, "float32_le": base64.b64encode(vector.packed).decode()}


@pytest.mark.parametrize(
    ("changes", "lesson"),
    [
        ({"content_digest": "0" * 64}, "another content"),
        ({"space": "elsewhere"}, "no space 'elsewhere'"),
        ({"capsule": 2}, "another capsule"),
        ({"vector": packed(1.0, 2.0)}, "2 components, and its space 3"),
        ({"vector": packed(1.0, 2.0, 3.0, 4.0)}, "4 components, and its space 3"),
        ({"vector": packed(1.0, float("nan"), 3.0)}, "not finite"),
        ({"vector": packed(1.0, float("inf"), 3.0)}, "not finite"),
        ({"vector": packed(0.0, -0.0, 0.0)}, "zero"),
        ({"vector": {**packed(1.0, 2.0, 3.0), "float32_le": "AACA!"}}, "no base64"),
        ({"vector": {**packed(1.0, 2.0, 3.0), "dimension": 4}}, "12 bytes"),
        ({"vector": [1.0, 2.0, 3.0]}, "an object"),
        ({"vector": None}, "missing"),
        ({"colour": "red"}, "no such field"),
    ],
    ids=str,
)
def test_an_embedding_that_nobody_could_attach_is_refused_by_its_line(changes: dict[str, Any], lesson: str) -> None:
    """W10, L2, case E3, case D7: what a file says twice must be the same twice, and a vector must point somewhere."""
    lines = exported(filled(bench()))
    place = next(place for place, line in enumerate(lines) if line.startswith('{"capsule"'))
    raw = json.loads(lines[place])
    raw["capsule"]["embeddings"][0].update(changes)
    refusal = refused([*lines[:place], json.dumps(raw), *lines[place + 1 :]])
    assert lesson in refusal.message
    assert refusal.field.startswith(f"line {place + 1}: capsule")
    assert len(refusal.message) < 600


def test_a_changed_text_is_refused_although_its_digest_was_made_anew() -> None:
    """case D7: the vector was made for what stood there before."""
    lines = exported(filled(bench()))
    place = next(place for place, line in enumerate(lines) if line.startswith('{"capsule"'))
    raw = json.loads(lines[place])
    raw["capsule"]["text"]["content"] = "pin smol"
    raw["capsule"]["capsule"]["content_digest"] = content_digest("pin smol")
    assert "another content" in refused([*lines[:place], json.dumps(raw), *lines[place + 1 :]]).message


def test_a_forgotten_capsule_brings_no_vector() -> None:
    """W6: a file that kept one is refused by its line."""
    lines = exported(filled(bench()))
    places = [place for place, line in enumerate(lines) if line.startswith('{"capsule"')]
    living, forgotten = json.loads(lines[places[0]]), json.loads(lines[places[3]])
    forgotten["capsule"]["embeddings"] = [{**living["capsule"]["embeddings"][0], "capsule": 4}]
    refusal = refused([*lines[: places[3]], json.dumps(forgotten), *lines[places[3] + 1 :]])
    assert "its capsule is forgotten" in refusal.message
    assert refusal.field.startswith(f"line {places[3] + 1}: capsule.embeddings[0]")


def test_embeddings_stand_once_for_each_space() -> None:
    """W4: one for a capsule in a space."""
    lines = exported(filled(bench()))
    place = next(place for place, line in enumerate(lines) if line.startswith('{"capsule"'))
    raw = json.loads(lines[place])
    raw["capsule"]["embeddings"] *= 2
    assert "once for each space" in refused([*lines[:place], json.dumps(raw), *lines[place + 1 :]]).message


@pytest.mark.parametrize(
    ("changes", "lesson"),
    [
        ({"dimension": 0}, "components"),
        ({"dimension": 4_097}, "components"),
        ({"dimension": 2.0}, "whole number"),
        ({"dimension": True}, "whole number"),
        ({"name": " "}, "called so"),
        ({"name": "n" * 201}, "called so"),
        ({"name": "aaa"}, "no space 'another'"),
        ({"name": "zzz"}, "once each, by name"),
        ({"name": "default"}, "once each, by name"),
        ({"model": ""}, "called so"),
        ({"model": "m" * 201}, "called so"),
        ({"dimension": 3}, "2 components, and its space 3"),
    ],
    ids=str,
)
def test_a_space_that_cannot_be_is_refused_by_its_line(changes: dict[str, Any], lesson: str) -> None:
    """W4, W14: one dimension and one model for a space, within what every store keeps."""
    lines = exported(filled(bench()))
    raw = json.loads(lines[1])
    raw["space"].update(changes)
    refusal = refused([lines[0], json.dumps(raw), *lines[2:]])
    assert lesson in refusal.message
    assert refusal.field.startswith("line ")


def test_a_file_whose_vectors_were_taken_out_is_refused() -> None:
    """W10: the last line counts them, so that half a backup does not look like a whole one."""
    lines = exported(filled(bench()))
    place = next(place for place, line in enumerate(lines) if line.startswith('{"capsule"'))
    raw = json.loads(lines[place])
    del raw["capsule"]["embeddings"]
    assert "Embedding: 2 of 3" in refused([*lines[:place], json.dumps(raw), *lines[place + 1 :]]).message


def test_spaces_stand_before_all_capsules() -> None:
    """W10: whoever reads the file once must know how long a vector is before the first one comes."""
    there = bench()
    there.learn("bare", "embedded")
    embed(there, 2, 1.0, 2.0)
    header, space, bare, *rest = exported(there)
    refusal = refused([header, bare, space, *rest])
    assert refusal.field == "line 3"
    assert "spaces, capsules" in refusal.message
