"""Drawn requests to several destinations at once: a merged answer must follow from what each answers alone, on all engines (D4).

What each answers alone is judged by the dialect's own oracle. The engines of the destinations differ.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from recordance.domain.instant import Instant
from recordance.query.text_services import PLAIN
from recordance.usecases.store import Destinations
from support.accrued_oracle import AccruedOracle
from support.dialect_oracle import Reading
from support.dialect_scenes import Arguments, DialectScene
from support.dialect_trials import UPKEEP, Asked, Disagreement, Judge, on_the_engines
from support.merge_oracle import RANKS, Own, Row, merged
from support.oracle import World, world_of
from support.recalls import ANYBODY, Recalls
from support.row_oracle import view_of

CAPSULES = {"main": 40, "twin": 25, "other": 30}
"""The default destination, one that begins with the same contents, and one that shares none; each with how many it begins."""
SCOPES = (["all"], ["all"], ["main", "twin"], ["other", "twin"], ["twin"])
ROWS = {
    "memory_retrieve": "results",
    "memory_search": "memories",
    "recall": "result",
    "memory_recall": "results",
    "memory_search_fast": "results",
    "memory_explain_search": "hits",
    "memory_entity": "capsules",
}
"""The dialects whose answers are merged by rank, and where their rows are."""
LIMITS = {"memory_entity": 20}
ALL = 10**6
Answer = Mapping[str, Any]
Parts = Mapping[str, Recalls]


@dataclass(frozen=True)
class House:
    """The same destinations twice, in memory and on engines, what they hold, and the reading of the clock."""

    memory: Parts
    engines: Parts
    worlds: Mapping[str, World]
    now: Instant


def trial_of_several(seed: int, requests: int, judges: Mapping[str, Judge], database: str = "sqlite") -> Counter[str]:
    """Put so many requests to three drawn destinations at once; return how many were answered in each dialect, and how.

    Raises Disagreement with the seed and the request for the first that was answered in two ways.
    """
    chance, met, scene = Random(seed), Counter[str](), DialectScene(seed, sorted(ROWS))
    with _house(seed, scene, chance, database) as house:
        together = [_together(each) for each in (house.memory, house.engines)]
        for _ in range(requests):
            asked = _scoped(Asked(scene.caller(), *scene.asked()), chance)
            first, second = (asked.told(each) for each in together)
            if first != second:
                raise Disagreement(f"seed {seed}, {asked}: in memory\n{first}\non the engines\n{second}")
            if wrong := "; ".join(_wrong(house, asked, first, judges)):
                raise Disagreement(f"seed {seed}, {asked}: {wrong}\n{json.dumps(first, ensure_ascii=False)}")
            met.update(name for name in (asked.tool, *_kinds(asked.tool, first)))
    return met


def _kinds(tool: str, answer: Answer) -> Iterator[str]:
    if "error" in answer:
        yield f"{tool}: refused"
    elif any("equal" in row for row in answer[ROWS[tool]]):
        yield f"{tool}: equal"


# ── who is asked ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _house(seed: int, scene: DialectScene, chance: Random, database: str) -> Iterator[House]:
    """Destinations of which the first is on a database, the second in memory, the third on SQLite; the engines are their own."""
    scenes = {"main": scene, "twin": DialectScene(seed, ()), "other": DialectScene(seed + 1, ())}
    with ExitStack() as opened:
        memory, engines = {name: Recalls() for name in scenes}, {name: Recalls() for name in scenes}
        for name, base in (("main", database), ("other", "sqlite")):
            folder = opened.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            engines[name] = opened.enter_context(on_the_engines(Path(folder), PLAIN, base))
        for name, own in scenes.items():
            changes = list(own.beginning(CAPSULES[name]))
            memory[name].write(*changes)
            engines[name].write(*changes)
            chance.choice(UPKEEP)(engines[name])
        now = scene.moment()
        for each in (*memory.values(), *engines.values()):
            each.clock.set(now)
        yield House(memory, engines, {name: _world(each) for name, each in memory.items()}, now)


def _world(recalls: Recalls) -> World:
    with recalls.truth.reading() as reader:
        return world_of(reader)


def _together(parts: Parts) -> Recalls:
    """Return recalls that ask all of these."""
    stores = {name: replace(each.destinations.reading(ANYBODY, None), name=name) for name, each in parts.items()}
    whole = Recalls()
    whole.destinations = Destinations(stores)
    return whole


def _scoped(asked: Asked, chance: Random) -> Asked:
    """Ask several, of no effort: that lies in one of them."""
    kept = {name: value for name, value in asked.arguments.items() if name != "effort_id"}
    return replace(asked, arguments={**kept, "search_scope": chance.choice(SCOPES)})


# ── what must come of it ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _wrong(house: House, asked: Asked, answer: Answer, judges: Mapping[str, Judge]) -> Iterator[str]:
    """Yield what is wrong with a merged answer; where one relaxes what it asks for, only that the engines agree is held."""
    names = asked.arguments["search_scope"]
    names = list(CAPSULES) if names == ["all"] else names
    alone = Asked(asked.caller, asked.tool, _alone(asked.tool, asked.arguments))
    answers = {name: alone.told(house.memory[name]) for name in names}
    readings = {name: Reading(world=house.worlds[name], now=house.now, caller=asked.caller) for name in names}
    for name in names:
        if wrong := judges[asked.tool](readings[name], alone.arguments, answers[name]):
            yield f"{name} alone: {wrong}"
    unfit = [name for name in names if "error" in answers[name]]
    if ("error" in answer) is not (unfit == names):
        yield "it is refused where some could answer, or answered where none could"
    if "error" in answer or (unfit and asked.arguments.get("lane") == "vector"):
        return
    for name in unfit:
        answers[name] = replace(alone, arguments=_wordy(alone.arguments)).told(house.memory[name])
    if asked.arguments.get("selection", {}).get("search_mode") == "auto" or asked.arguments.get("resolve_conflicts"):
        return
    rankings = [[_own(asked.tool, readings[name], name, row) for row in answers[name][ROWS[asked.tool]]] for name in names]
    wanted = _page(asked, merged(rankings), readings)
    found = answer[ROWS[asked.tool]]
    if asked.arguments.get("mode") == "timeline":
        found = sorted((row for row in found if row["role"] == "hit"), key=lambda row: row["rank"])
    if asked.tool == "memory_retrieve":
        wanted = [_as_far_as_read(*each) for each in zip(wanted, found, strict=False)]
    whole = asked.tool != "memory_recall" or (view_of(asked.arguments) == "full" and asked.arguments.get("mode") != "timeline")
    told, expected = ([_seen(row) if whole else _placed(row) for row in rows] for rows in (found, wanted))
    if told != expected:
        yield f"expected {expected}, not {told}"


def _wordy(arguments: Arguments) -> Arguments:
    """Return what is asked where the embeddings have another dimension: the same by words alone (D5)."""
    words = {name: value for name, value in arguments.items() if name != "query_embedding"}
    return words | ({"lane": "term"} if "lane" in words else {})


def _alone(tool: str, arguments: Arguments) -> Arguments:
    """Return what each is asked alone, so that it shows as many rows as enter a merge, in the order in which they do."""
    given = {name: value for name, value in arguments.items() if name != "search_scope"}
    if tool == "memory_search":
        last = given["selection"].get("offset", 0) + given["selection"].get("limit", 20)
        return {**given, "selection": {**given["selection"], "offset": 0, "limit": min(max(RANKS, last), 100)}}
    if tool == "memory_retrieve":
        return {name: value for name, value in given.items() if name != "limit"} | {"token_budget": ALL}
    shape = ("rerank_by", "mode", "detail", "graph_depth", "expand_context", "expand_budget")
    limit = "k" if tool == "recall" else "limit"
    return {name: value for name, value in given.items() if name not in shape} | {limit: max(RANKS, _limit(tool, arguments))}


def _limit(tool: str, arguments: Arguments) -> int:
    asked = arguments.get("k" if tool == "recall" else "limit", LIMITS.get(tool, 10))
    return int(max(1, min(asked, 200 if tool == "memory_entity" else 50)))


def _own(tool: str, reading: Reading, name: str, row: Row) -> Own:
    return Own(name, row, reading.world.capsules[int(row["id"][4:])].content_digest)


def _page(asked: Asked, rows: list[Row], readings: Mapping[str, Reading]) -> list[Row]:
    """Return the rows that are shown, in the order asked for."""
    given = asked.arguments
    if asked.tool == "memory_search":
        offset = given["selection"].get("offset", 0)
        return rows[offset : offset + given["selection"].get("limit", 20)]
    if asked.tool == "memory_retrieve":
        return rows[: given.get("limit", len(rows))]
    if asked.tool != "recall":
        return rows[: _limit(asked.tool, given)]
    best = sorted(rows, key=lambda row: row.get("stuffed", False))[: _limit("recall", given)]
    by = given.get("rerank_by", "relevance")
    return sorted(best, key=lambda row: (row.get("stuffed", False), _late(by, row, readings)))


def _late(by: str, row: Row, readings: Mapping[str, Reading]) -> float:
    return AccruedOracle(readings[row["destination"]]).late(by, int(row["id"].rpartition("-")[2]))


def _as_far_as_read(wanted: Row, found: Row) -> Row:
    """Return a row without the equal contents that nobody read: a budget decides how far behind the first ranks that is."""
    told = [each for each in wanted.get("equal", ()) if each in wanted["sure"] or each in found.get("equal", ())]
    return {**{name: value for name, value in wanted.items() if name != "equal"}, **({"equal": told} if told else {})}


def _seen(row: Row) -> Row:
    """Return a row without its rank in the list, what it names beside itself by the ids of its own destination."""
    bare = re.sub(
        r'"(twin|other):cap-', '"cap-', json.dumps({name: value for name, value in row.items() if name not in ("rank", "sure")})
    )
    return {**json.loads(bare), **_placed(row)}


def _placed(row: Row) -> Row:
    """Return where a row stands and why."""
    return {name: row[name] for name in ("id", "destination", "equal", "score") if name in row}
