"""The rows of the dialects: a typical request of each, beside the bare engines and memory_retrieve in the same run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from benchmark.bare_engine import BareEngine
from benchmark.bare_vectors import BareVectors
from benchmark.corpus import DIMENSION
from benchmark.dialect_corpus import questions
from benchmark.dialect_requests import BY_WORDS, FUSED, Question, Request, timed_requests
from benchmark.dialect_store import fill, serving
from benchmark.measuring import Row, Times, say, timed
from benchmark.rows import SEED, TOP, Bench
from benchmark.vector_rows import VECTOR_K, WARM_SECONDS
from recordance_adapters.bootstrap import Service
from recordance_adapters.wire.catalogue import TOOLS
from recordance_adapters.wire.tool import Call

MOST_ROUNDS = 100
"""Every round asks a question in every way, which takes seconds in a large store."""
OVER_STDIO = (BY_WORDS, FUSED, "memory_search, strict", "recall, fused", "memory_recall, fused")
"""What is timed over stdio too; the others have the same way."""
_HANDLES = {tool.name: tool.handle for tool in TOOLS}


def dialect_rows(bench: Bench, baseline: Times) -> Iterator[Row]:
    """Yield every row for one size; `baseline` is what an empty tool call takes in this run."""
    say(f"{bench.shown}, dialects: storing")
    bare = BareVectors(bench.folder / "bare", DIMENSION)
    fill(bench, bare.add)
    asked = questions(min(bench.recalls, MOST_ROUNDS), bench.size, SEED)
    say(f"{bench.shown}, dialects: asking in process")
    yield from _in_process(bench, asked, bare)
    bare.close()
    say(f"{bench.shown}, dialects: asking over stdio")
    yield from _over_stdio(bench, asked, baseline)


def _in_process(bench: Bench, asked: Sequence[Question], bare: BareVectors) -> Iterator[Row]:
    with serving(bench) as service:
        warm(service, asked[0])
        terms = BareEngine(next((bench.folder / "store" / "replicas").glob("*/terms")))
        by_words = timed([lambda one=one: terms.search(one.words, TOP) for one in asked])
        nearest = timed([lambda one=one: bare.search(list(one.vector), VECTOR_K) for one in asked])
        yield Row("bare term engine, 3 words", bench.shown, str(by_words), "")
        yield Row(f"bare vector engine, the nearest {VECTOR_K}", bench.shown, str(nearest), "")
        for request, times in _in_turns(service, asked):
            yield Row(request.name, bench.shown, str(times[request.name]), "", _beside(request, times, by_words, nearest))


def warm(service: Service, question: Question) -> None:
    """Ask everything until the service has had the time to open its indexes; the first answers pay for what is compiled once."""
    began = time.perf_counter()
    while time.perf_counter() - began < WARM_SECONDS:
        for request in timed_requests(question):
            _ask(service, request)


def _in_turns(service: Service, asked: Sequence[Question]) -> Iterator[tuple[Request, Mapping[str, Times]]]:
    """Ask each question in every way before the next, so that what else the machine does troubles all alike."""
    taken: dict[str, list[float]] = {}
    for question in asked:
        for request in timed_requests(question):
            taken.setdefault(request.name, []).append(_ask(service, request))
    times = {name: Times(tuple(each)) for name, each in taken.items()}
    yield from ((request, times) for request in timed_requests(asked[0]))


def _ask(service: Service, request: Request) -> float:
    """Return how many milliseconds an answer takes."""
    call = Call(destinations=service.destinations, caller=service.caller("bench"))
    began = time.perf_counter()
    _HANDLES[request.tool](call, request.arguments)
    return (time.perf_counter() - began) * 1000


def _beside(request: Request, times: Mapping[str, Times], by_words: Times, nearest: Times) -> str:
    """Return what a request is compared with: memory_retrieve by the same lanes, itself with the engines that it asks."""
    own = times[request.name]
    if request.name != request.beside:
        return f"{own.against(times[request.beside])} as {request.beside}"
    engines = by_words.p50 + (nearest.p50 if request.name == FUSED else 0.0)
    return f"{own.p50 - engines:.2f} ms above the bare {'engines' if request.name == FUSED else 'term engine'}"


def _over_stdio(bench: Bench, asked: Sequence[Question], baseline: Times) -> Iterator[Row]:
    taken: dict[str, list[float]] = {name: [] for name in OVER_STDIO}
    with bench.server("--tools", "all") as server:
        began = time.perf_counter()
        while time.perf_counter() - began < WARM_SECONDS:
            for request in timed_requests(asked[0]):
                if request.name in taken:
                    server.call(request.tool, request.arguments)
        for question in asked:
            for request in timed_requests(question):
                if request.name in taken:
                    line = server.encode("tools/call", {"name": request.tool, "arguments": request.arguments})
                    taken[request.name].append(timed([lambda line=line: server.exchange_raw(line)]).p50)
    for name, each in taken.items():
        yield Row(f"{name}, over stdio", bench.shown, str(Times(tuple(each))), "", f"empty call {baseline}")
