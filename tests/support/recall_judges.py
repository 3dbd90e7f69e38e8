"""What the pipeline's dialects must answer: every hit, stage, row, count and fate (L10 to L16, F9, O10)."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recordance.domain.instant import format_instant
from support.dialect_oracle import REASONS, Arguments, Reading
from support.filter_oracle import fences_of
from support.link_oracle import LinkOracle
from support.pipeline_oracle import FUSION, LANES, Asked, PipelineOracle, Run
from support.row_oracle import capsule_row, factored, hit_row, scored, view_of
from support.truths import NOON

Answer = Mapping[str, Any]
Row = dict[str, Any]
DEFAULT_LIMIT, MOST, NEIGHBORS, EXPANSION = 10, 50, 2, 10
QUIET = 10 * 60 * 1_000_000
FAST = ("term", "semantic")
STAGES = (*LANES, "rerank", "mmr")
MARKED = ("skipped", "reason", "nudge")
"""What an answer says in sentences: whether it does is judged, its wording is not."""


def asked_of(arguments: Arguments, stages: Sequence[str] | None = None) -> Asked:
    """Return what raw arguments ask of the pipeline."""
    named = {*(stages or arguments.get("stages", LANES))}
    named |= {stage for stage, name in (("rerank", "rerank"), ("mmr", "diverse")) if arguments.get(name)}
    return Asked(
        question=arguments["query"],
        embedding=arguments.get("query_embedding"),
        fences=fences_of(arguments),
        stages=[stage for stage in STAGES if stage in named],
        fusion=arguments.get("fusion", FUSION),
        wanted=limit_of(arguments),
    )


def limit_of(arguments: Arguments) -> int:
    """Return how many hits are shown at most (O10)."""
    return math.floor(max(1, min(arguments.get("limit", DEFAULT_LIMIT), MOST)))


# ── memory_recall ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def piped(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_recall`, whole but for its sentences."""
    asked = asked_of(arguments)
    run = PipelineOracle(reading).run(asked)
    wanted = _recalled(reading, arguments, asked, run)
    yield from differing({name: value for name, value in answer.items() if name not in MARKED}, wanted)
    if ("reason" in answer) is not (not wanted["results"]):
        yield "a reason is given where there are results, or none where there are none"
    quiet = arguments.get("mode", "search") == "search" and reading.caller.projects is None and reading.now - NOON > QUIET
    if (format_instant(NOON) in answer.get("nudge", "")) is not quiet:
        yield f"the reminder is {'missing' if quiet else 'idle'}"
    yield from _skipped(reading, asked, answer)


def _recalled(reading: Reading, arguments: Arguments, asked: Asked, run: Run) -> Row:
    view, mode, limit = view_of(arguments), arguments.get("mode", "search"), limit_of(arguments)
    links, hits = LinkOracle(reading, run.lanes.active), run.places[:limit]
    results = [hit_row(reading, place, run, view, arguments) for place in hits]
    if view == "full":
        results = [{**row, "rank": rank} for rank, row in enumerate(results, start=1)]
    if mode == "timeline":
        results = _timeline(reading, arguments, run, links)
    related = math.ceil(limit / 2) if arguments.get("graph_depth") else 0
    expanded = arguments.get("expand_context") and mode != "index"
    expansion = arguments.get("expand_budget", EXPANSION) if expanded else 0
    linked = links.linked([place.number for place in hits], related + expansion, view)
    excluded = _excluded(reading, arguments, run)
    stated = _stated(arguments)
    return {
        "framing": "DATA",
        "query": arguments["query"],
        "requested_limit": arguments.get("limit", DEFAULT_LIMIT),
        "effective_limit": limit,
        "limit_clamped": limit != arguments.get("limit", DEFAULT_LIMIT),
        **({} if mode == "search" else {"mode": mode}),
        **({"detail": view} if mode == "search" and arguments.get("detail") == "auto" else {}),
        "results": results,
        "related": linked[:related],
        "expansion": linked[related:],
        "result_count": len(results),
        "related_count": len(linked[:related]),
        "searched": [{"destination": "main", "found": len(hits)}],
        **({"excluded": excluded} if excluded else {}),
        **({"scope": stated} if stated else {}),
    }


def _timeline(reading: Reading, arguments: Arguments, run: Run, links: LinkOracle) -> list[Row]:
    """Return hits among their neighbours, each once, in the order in which they were stored (L14)."""
    rows: dict[int, Row] = {}
    hits = run.places[: limit_of(arguments)]
    for place in hits:
        for number in links.beside(place.number, arguments.get("neighbors", NEIGHBORS)):
            rows[number] = {"role": "neighbor", **capsule_row(reading, number, "full")}
    for rank, place in enumerate(hits, start=1):
        row = {"role": "hit", **capsule_row(reading, place.number, "full")}
        rows[place.number] = {**row, "score": round(place.score, 4), "rank": rank}
    return [rows[number] for number in sorted(rows, key=lambda each: (reading.world.capsules[each].captured_at, each))]


def _excluded(reading: Reading, arguments: Arguments, run: Run) -> dict[str, int]:
    """Return how many matches of words may not ground, by reason (O2)."""
    matches = [number for number in reading.inside(*fences_of(arguments)) if run.lanes.matched(number)]
    counts = Counter(map(reading.reason, matches))
    return {reason: counts[reason] for reason in REASONS if counts[reason]}


def _stated(arguments: Arguments) -> Row:
    """Return the filters as they were sent, but for those that fence nothing."""
    asked = {"query", "mode", "detail", "fusion", "limit", "diverse", "rerank", "neighbors", "output_format", "query_embedding"}
    beside = {"expand_context", "expand_budget", "graph_depth", "stages", "id"}
    idle = {"type": "all", "decisions_only": False}
    return {name: value for name, value in arguments.items() if name not in asked | beside and idle.get(name, ...) != value}


def _skipped(reading: Reading, asked: Asked, answer: Answer) -> Iterator[str]:
    """No model is there: without an embedding nothing is near, and nobody reranks; both are said where they were asked for."""
    missing = [name for name in asked.stages if _state(reading, asked, name) == "skipped"]
    if [each["stage"] for each in answer.get("skipped", ())] != missing:
        yield f"skipped should name {missing}"
    if not all(each["why"] for each in answer.get("skipped", ())):
        yield "a stage is skipped without a reason"


# ── memory_search_fast ────────────────────────────────────────────────────────────────────────────────────────────────────────


def quick(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_search_fast`: the first two lanes alone, in rows of its own."""
    run = PipelineOracle(reading).run(asked_of(arguments, FAST))
    wanted = [_quick_row(reading, place.number, scored(place, run)) for place in run.places[: limit_of(arguments)]]
    yield from differing({"results": answer["results"]}, {"results": wanted})


def _quick_row(reading: Reading, number: int, scores: Row) -> Row:
    row = capsule_row(reading, number, "full")
    tags = list(reading.world.texts[number].tags)
    shown = ("label", "framing", "id", "title", "content", "type", "project", "created_at", "instruction_taint")
    said = ("score", "via", "matched_terms", "support")
    own = {name: row[name] for name in shown if name in row}
    return {**own, "tags": tags, **{name: scores[name] for name in said}}


# ── memory_explain_search ─────────────────────────────────────────────────────────────────────────────────────────────────────


def explained(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_explain_search`: what each lane found, the table of the hits, and the fate of a capsule."""
    asked = asked_of(arguments)
    run = PipelineOracle(reading).run(asked)
    for stage in answer["stages"]:
        hits = [(each["id"], each["rank"], each["score"]) for each in stage["hits"]]
        found = run.found.get(stage["stage"], [])
        wanted = [(f"cap-{each.number}", rank, round(each.score, 4)) for rank, each in enumerate(found, start=1)]
        if stage["stage"] in LANES and hits != wanted:
            yield f"{stage['stage']} should have found {wanted}"
    states = {each["stage"]: each["state"] for each in answer["stages"]}
    yield from differing(states, {stage: _state(reading, asked, stage) for stage in STAGES})
    hits = run.places[: asked.wanted]
    rows = [{"id": f"cap-{each.number}", "rank": rank, **factored(each)} for rank, each in enumerate(hits, start=1)]
    yield from differing({"hits": answer["hits"]}, {"hits": rows})
    if "id" in arguments:
        fate = _fate(reading, arguments, int(arguments["id"][4:]), asked, run)
        told = answer["about"]
        yield from differing({name: told[name] for name in ("fate", "rank") if name in told}, fate)


def _state(reading: Reading, asked: Asked, stage: str) -> str:
    if stage not in asked.stages:
        return "off"
    return "skipped" if stage == "rerank" or (stage == "semantic" and not _comparable(reading, asked)) else "ran"


def _comparable(reading: Reading, asked: Asked) -> bool:
    """Whether there are embeddings on both sides; who sees a part of a store is not told that it has none (F13)."""
    return asked.embedding is not None and (bool(reading.world.vectors) or reading.caller.projects is not None)


def _fate(reading: Reading, arguments: Arguments, number: int, asked: Asked, run: Run) -> Row:
    """Return what became of a capsule, and at which rank."""
    places = [place.number for place in run.places]
    if number in places:
        rank = places.index(number) + 1
        return {"fate": "shown" if rank <= asked.wanted else "beyond_limit", "rank": rank}
    if number not in reading.corpus:
        gone = reading.world.capsules.get(number)
        return {"fate": "unknown" if gone is None or not reading.sees(gone) else "forgotten"}
    if number not in reading.inside(*fences_of(arguments)):
        return {"fate": "fenced_out"}
    if reading.reason(number) is not None:
        return {"fate": "excluded"}
    by_words = "term" in asked.stages and run.lanes.matched(number)
    near = "semantic" in run.found and reading.cosines(asked.embedding or (), [number])
    return {"fate": "beyond_cut" if by_words or near else "no_match"}


def differing(found: Answer, wanted: Answer) -> Iterator[str]:
    """Yield what is not as it should be, by name."""
    for name in (*wanted, *(each for each in found if each not in wanted)):
        if found.get(name, ...) != wanted.get(name, ...):
            yield f"{name} should be {wanted.get(name, 'absent')}, not {found.get(name, 'absent')}"
