"""What the pipeline's dialects must answer: hits inside every filter, none missing where there is room, the quick way exactly."""

from collections.abc import Iterator, Mapping
from typing import Any

from support.dialect_oracle import Arguments, Reading
from support.filter_oracle import fences_of
from support.pipeline_oracle import PipelineOracle

Answer = Mapping[str, Any]
DEFAULT_LIMIT, MOST = 10, 50


def piped(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_recall`: nothing leaves the filters, and no match is missing where fewer are shown than asked for."""
    active = reading.active(reading.inside(*fences_of(arguments)))
    for name in ("results", "related", "expansion"):
        yield from (f"{row['id']} in {name} lies outside" for row in answer.get(name, ()) if _number(row) not in active)
    hits = [row for row in answer["results"] if row.get("role", "hit") == "hit"]
    limit = min(arguments.get("limit", DEFAULT_LIMIT), MOST)
    if len(hits) > limit:
        yield f"{len(hits)} hits of {limit}"
    found = set(map(_number, hits))
    matches = PipelineOracle(reading).by_words(arguments["query"], active)
    if len(hits) < limit and not found.issuperset(matches):
        yield f"{sorted(set(matches) - found)} match and are missing"
    if arguments.get("mode", "search") == "search" and not arguments.get("diverse"):
        scores = [row["score"] for row in hits]
        if scores != sorted(scores, reverse=True):
            yield "the scores do not descend"


def quick(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_search_fast`: hits, order and scores."""
    wanted = _ranked(reading, arguments)
    if [(_number(row), row["score"]) for row in answer["results"]] != wanted:
        yield f"expected {wanted}"


def explained(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_explain_search`: its hits, exactly where only words and meaning look, and the fate of a capsule."""
    active = reading.active(reading.inside(*fences_of(arguments)))
    hits = [(_number(row), row["score"]) for row in answer["hits"]]
    yield from (f"cap-{number} lies outside" for number, _ in hits if number not in active)
    if set(arguments.get("stages", ())) == {"term", "semantic"} and arguments.get("fusion", "rrf") == "rrf":
        wanted = _ranked(reading, arguments)
        if hits != wanted and not arguments.get("diverse"):
            yield f"expected {wanted}"
    if "id" in arguments:
        fates = _fates(reading, arguments, int(arguments["id"][4:]), {number for number, _ in hits})
        if answer["about"]["fate"] not in fates:
            yield f"expected the fate to be one of {fates}"


def _fates(reading: Reading, arguments: Arguments, number: int, shown: set[int]) -> set[str]:
    """Return what may have become of a capsule."""
    if number in shown:
        return {"shown"}
    if number not in reading.corpus:
        gone = reading.world.capsules.get(number)
        return {"unknown"} if gone is None or not reading.sees(gone) else {"forgotten"}
    if number not in reading.inside(*fences_of(arguments)):
        return {"fenced_out"}
    if reading.reason(number) is not None:
        return {"excluded"}
    if PipelineOracle(reading).by_words(arguments["query"], [number]):
        return {"beyond_limit", "beyond_cut"}
    return {"no_match", "beyond_limit", "beyond_cut"}


def _ranked(reading: Reading, arguments: Arguments) -> list[tuple[int, float]]:
    """Return the hits that words and meaning alone lead to, with their scores."""
    ranked = PipelineOracle(reading).ranked(arguments["query"], arguments.get("query_embedding"), fences_of(arguments))
    return [(number, round(score, 4)) for number, _, score in ranked[: min(arguments.get("limit", DEFAULT_LIMIT), MOST)]]


def _number(row: Mapping[str, Any]) -> int:
    return int(row["id"].removeprefix("cap-"))
