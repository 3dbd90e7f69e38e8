"""The rows of a recall over eight destinations at once, beside the slowest of them alone, in the same run."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmark import corpus
from benchmark.measuring import Row, Times, say
from benchmark.rows import BATCH, SEED, TOP, Bench
from recordance.usecases.side_by_side import Answer, Gatherer, Question
from recordance_adapters.bootstrap import Service, open_service
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.retrieve import RETRIEVE
from recordance_adapters.wire.tools.store import STORE

NAMES = tuple(f"place{number}" for number in range(1, 9))
FAR_SECONDS = 0.020
"""How much later a destination answers that is not on this machine."""
FARTHEST_SECONDS = 0.100
"""How much later one answers that is on the other side of a continent."""
GOAL = "≤ 1.5 × the slowest"


@dataclass(frozen=True)
class Far:
    """A gatherer some of whose destinations are a way off: their questions wait so many seconds in their own threads."""

    near: Gatherer
    away: Mapping[str, float]

    def gather(self, questions: Sequence[Question[Any]]) -> Mapping[str, Answer[Any]]:
        """Ask all of them, each as late as it is far."""
        return self.near.gather(
            [replace(question, ask=_later(question.ask, self.away.get(question.name, 0.0))) for question in questions]
        )


def _later(ask: Callable[[], Any], seconds: float) -> Callable[[], Any]:
    def wait_and_ask() -> Any:
        time.sleep(seconds)
        return ask()

    return wait_and_ask


def fan_out_rows(bench: Bench, _: Times) -> Iterator[Row]:
    """Fill eight folders with as many capsules each, then recall in each alone and in all of them, near and far."""
    say(f"fan-out: storing {len(NAMES)} × {bench.shown}")
    for place, name in enumerate(NAMES):
        _fill(Settings(store=bench.folder / name), bench.size, SEED + place)
    places = tuple(DestinationSettings(name=name, store=bench.folder / name) for name in NAMES)
    with open_service(Settings(destinations=places)) as service:
        _recall(service, "all", corpus.queries(1, SEED)[0])
        say("fan-out: recalling in folders of this machine")
        yield _row(bench, service, f"recall over {len(NAMES)} folders, in process")
        say("fan-out: recalling in places that are a way off")
        near = service.destinations.gatherer
        service.destinations.gatherer = Far(near, dict.fromkeys(NAMES, FAR_SECONDS))
        yield _row(bench, service, f"the same, each {FAR_SECONDS * 1000:.0f} ms away")
        say("fan-out: recalling where one of them is far off")
        service.destinations.gatherer = Far(near, {NAMES[0]: FARTHEST_SECONDS})
        yield _row(bench, service, f"the same, one of them {FARTHEST_SECONDS * 1000:.0f} ms away")


def _fill(settings: Settings, size: int, seed: int) -> None:
    items = corpus.capsules(size, seed)
    with open_service(settings) as service:
        call = Call(destinations=service.destinations, caller=service.caller("bench"))
        while batch := list(itertools.islice(items, BATCH)):
            STORE.handle(call, {"items": batch})
        RETRIEVE.handle(call, {"terms": ["warm"]})


def _row(bench: Bench, service: Service, what: str) -> Row:
    """Ask each query of every place alone and then of all, so that what else the machine does is spread over all alike."""
    taken: dict[str, list[float]] = {name: [] for name in (*NAMES, "all")}
    for terms in corpus.queries(bench.recalls, SEED + 2):
        for scope, times in taken.items():
            times.append(_recall(service, scope, terms))
    alone = [Times(tuple(taken[name])) for name in NAMES]
    slowest, together = max(alone, key=lambda times: times.p50), Times(tuple(taken["all"]))
    ratio, added = together.p50 / slowest.p50, sum(times.p50 for times in alone)
    beside = f"slowest alone {slowest}, one after another {added:.1f} ms"
    return Row(what, f"{len(NAMES)} × {bench.shown}", f"{together}, {ratio:.2f} × the slowest", GOAL, beside)


def _recall(service: Service, scope: str, terms: Sequence[str]) -> float:
    """Recall in a search scope and return how many milliseconds it took; raises LookupError unless every place answered."""
    call = Call(destinations=service.destinations, caller=service.caller("bench"))
    began = time.perf_counter()
    answer: Any = RETRIEVE.handle(call, {"terms": list(terms), "limit": TOP, "search_scope": [scope]})
    took = (time.perf_counter() - began) * 1000
    wanted = NAMES if scope == "all" else (scope,)
    if [each["destination"] for each in answer["searched"] if each["outcome"] != "failed"] != list(wanted):
        raise LookupError(f"{scope}: {answer['searched']}")
    return took
