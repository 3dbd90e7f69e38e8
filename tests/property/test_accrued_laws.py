"""What holds for every `recall`, whatever the store and whatever else is asked (L11, L13, L18, O8, F4, F13)."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from recordance.domain.caller import Caller, under
from recordance.domain.capsule import LabelField
from recordance.usecases.whereabouts import Started
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.accrued import RECALL
from support.recalls import Recalls
from support.scenes import PROJECTS, Scene

SEEDS = range(6)
QUESTIONS_EACH = 12


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed{seed}")
def scene(request: pytest.FixtureRequest) -> tuple[int, Scene, Recalls]:
    """A drawn store; nothing here writes to it."""
    drawn, recalls = Scene(request.param), Recalls()
    for changes in drawn.beginning(60):
        recalls.write(changes)
    return request.param, drawn, recalls


def questions(scene: tuple[int, Scene, Recalls]) -> Iterator[tuple[str, Caller, str | None, dict[str, Any]]]:
    """Whoever asks whatever, on a server of any project."""
    seed, drawn, _ = scene
    chance = random.Random(seed)
    for place in range(QUESTIONS_EACH):
        given: dict[str, Any] = {
            "query": " ".join(f"w{int(chance.paretovariate(0.8)) % 500}" for _ in range(chance.randint(1, 4)))
        }
        for name, values in (
            ("k", (1, 3, 10, 50)),
            ("query_embedding", ([1, 0, 0, 2, 7], [0, 1, 1, 0, 0])),
            ("user_id", ("ann",)),
            ("session_id", ("sess-1",)),
            ("include_quarantined", (True,)),
            ("include_archive", (True,)),
            ("resolve_conflicts", (True,)),
            ("all_projects", (True,)),
            ("mmr", (0.2, 0.8)),
            ("rerank_by", ("value", "recency", "confidence")),
        ):
            if chance.random() < 0.3:
                given[name] = chance.choice(values)
        yield f"seed {seed}, question {place}: {given}", drawn.caller(), chance.choice((None, *PROJECTS)), given


def answer(scene: tuple[int, Scene, Recalls], caller: Caller, project: str | None, given: dict[str, Any]) -> dict[str, Any]:
    call = Call(destinations=scene[2].destinations, caller=caller, started=Started(project=project))
    return RECALL.handle(call, given)


def rows(
    scene: tuple[int, Scene, Recalls], caller: Caller, project: str | None, given: dict[str, Any], **more: Any
) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = answer(scene, caller, project, {**given, **more})["result"]
    return result


def test_a_warrant_changes_nothing_but_itself(scene: tuple[int, Scene, Recalls]) -> None:
    """O8: order, members and every other field are the same with it and without."""
    for told, caller, project, given in questions(scene):
        plain = rows(scene, caller, project, given)
        warranted = rows(scene, caller, project, given, with_warrant=True)
        assert all(row["warrant"] in ("earned", "corroborated", "unwarranted") for row in warranted), told
        assert [{name: value for name, value in row.items() if not name.startswith("warrant")} for row in warranted] == plain, (
            told
        )


def test_full_diversity_is_none(scene: tuple[int, Scene, Recalls]) -> None:
    """L11: at 1.0 it is relevance alone."""
    for told, caller, project, given in questions(scene):
        bare = {name: value for name, value in given.items() if name != "mmr"}
        assert rows(scene, caller, project, bare, mmr=1.0) == rows(scene, caller, project, bare), told


def test_another_order_shows_the_same_hits(scene: tuple[int, Scene, Recalls]) -> None:
    """L18: it reorders the k found, nothing else."""
    for told, caller, project, given in questions(scene):
        plain = rows(scene, caller, project, given, rerank_by="relevance")
        for by in ("value", "recency", "confidence"):
            other = rows(scene, caller, project, given, rerank_by=by)
            assert sorted(row["id"] for row in other) == sorted(row["id"] for row in plain), told


def test_no_stuffed_hit_stands_before_a_clean_one(scene: tuple[int, Scene, Recalls]) -> None:
    """L13: never, in no order; only a restatement may fall behind its stuffed correction (O9)."""
    for told, caller, project, given in questions(scene):
        marks = ["stuffed" in row for row in rows(scene, caller, project, {**given, "resolve_conflicts": False})]
        assert marks == sorted(marks), told


def test_whoever_loses_a_place_is_named(scene: tuple[int, Scene, Recalls]) -> None:
    """O9, L11: the rows and those that were folded away are together what is shown when nobody asks for either."""
    for told, caller, project, given in questions(scene):
        bare = {name: value for name, value in given.items() if name not in ("mmr", "resolve_conflicts")}
        plain = {row["id"] for row in rows(scene, caller, project, bare)}
        for wish in ({"mmr": 0.5}, {"resolve_conflicts": True}, {"mmr": 0.3, "resolve_conflicts": True}):
            folded = answer(scene, caller, project, {**bare, **wish})["store"].get("folded", {})
            left = [id for ids in folded.values() for id in ids]
            shown = {row["id"] for row in rows(scene, caller, project, {**bare, **wish})}
            assert len(left) == len(set(left)), told
            assert not shown & set(left), told
            assert plain <= shown | set(left), told
            assert all(folded.values()), told


def test_every_hit_lies_inside_every_fence(scene: tuple[int, Scene, Recalls]) -> None:
    """F4, F10, F11, F13: the caller's own, the server's project, the owners; and no reason is waived unasked."""
    with scene[2].truth.reading() as reader:
        capsules = reader.capsules(range(1, reader.last_number() + 1))
    for told, caller, project, given in questions(scene):
        for row in rows(scene, caller, project, given):
            capsule = capsules[int(row["id"].removeprefix("cap-"))]
            borne = capsule.labels.get(LabelField.PROJECT)
            if caller.projects is not None:
                assert borne is not None, told
                assert any(under(borne, prefix) for prefix in caller.projects), told
            assert given.get("all_projects") or project is None or borne in (None, project), told
            for field in (LabelField.USER, LabelField.SESSION):
                assert field.value not in given or capsule.labels.get(field) in (None, given[field.value]), told
            assert capsule.standing.quarantined_at is None or given.get("include_quarantined"), told
            assert capsule.standing.archived_at is None or given.get("include_archive"), told
            assert capsule.standing.falsified_at is None, told
