"""Random requests in every dialect over random stores: the oracle, the adapters in memory and the engines must agree.

A trial is one store that lives on, twice: once in memory, once on SQLite, the term engine and the embedded vector engine, whose
indexes are committed, rebuilt or left behind at random. Each request is put to both and to the oracle.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from recordance.domain.caller import Caller
from recordance.errors import Refusal
from recordance.query.text_services import PLAIN, TextServices, fragments_of
from recordance.ranking.trimming import compact_json
from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
from recordance_adapters.wire.catalogue import TOOLS
from recordance_adapters.wire.failure import failure_of
from recordance_adapters.wire.tool import Call
from support.dialect_oracle import Reading
from support.dialect_scenes import RUNS, WORDS, Arguments, DialectScene
from support.oracle import world_of
from support.recalls import Recalls
from support.slots import STORE, adopted_slot, terms_in
from support.truths import opened
from support.word_oracle import Services

STEPS, WRITES = 5, 6
CAPSULES = (60, 60, 60, 60, 140)
"""With how many a store begins: now and then with more than any lane may find."""
SERVICES = TextServices(version="plurals, pieces", stem=lambda word: word.removesuffix("s"), cut=fragments_of)
"""What a store may opt in to, with stems that need no language's library."""
SETTINGS = ((WORDS, PLAIN), (RUNS, SERVICES), (WORDS, SERVICES), (RUNS, PLAIN))
"""Words that are drawn, and the text services of the store that they are drawn for."""
_TOOLS = {tool.name: tool for tool in TOOLS}
Judge = Callable[[Reading, Arguments, Mapping[str, Any]], str]
"""Says what is wrong with an answer to these arguments, given what the store holds; empty if it is right."""


class Disagreement(AssertionError):
    """Two of oracle, memory and engines answered differently."""


@dataclass(frozen=True)
class Asked:
    """A request as it was put: by whom, to which tool, with what."""

    caller: Caller
    tool: str
    arguments: Arguments

    def told(self, recalls: Recalls) -> dict[str, Any]:
        """Return the answer, or the refusal as the wire tells it."""
        call = Call(destinations=recalls.destinations, caller=self.caller)
        try:
            return _TOOLS[self.tool].handle(call, self.arguments)
        except Refusal as refusal:
            failure = failure_of(refusal)
            return {"error": [failure.code, failure.message, dict(failure.data)]}


@contextmanager
def on_the_engines(folder: Path, services: TextServices, database: str = "sqlite") -> Iterator[Recalls]:
    """A store on a database, the term engine and the embedded vector engine."""
    with (
        opened(database, folder) as truth,
        adopted_slot(folder / "replicas") as slot,
        closing(terms_in(slot)) as terms,
        closing(open_vectors(slot.path, STORE, slot.others())) as vectors,
    ):
        yield Recalls(truth=truth, replica=terms, vectors=vectors, services=services)


def trial(
    seed: int,
    requests: int,
    judges: Mapping[str, Judge],
    vocabulary: Sequence[str] = WORDS,
    services: TextServices = PLAIN,
    database: str = "sqlite",
) -> Counter[str]:
    """Put so many requests to one drawn store of words and text services; return how many were answered in each dialect, and how.

    Raises Disagreement with the seed and the request for the first that was answered in two ways.
    """
    scene, chance, met = DialectScene(seed, sorted(judges), vocabulary), Random(seed), Counter[str]()
    judged = Services(services.stem, services.cut is not None)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        on_the_engines(Path(folder), services, database) as engines,
    ):
        memory = Recalls(services=services)
        _write_to_both(memory, engines, *scene.beginning(chance.choice(CAPSULES)))
        for step in range(STEPS):
            _write_to_both(memory, engines, *(scene.write() for _ in range(WRITES)))
            chance.choice(UPKEEP)(engines)
            now = scene.moment()
            memory.clock.set(now)
            engines.clock.set(now)
            with memory.truth.reading() as reader:
                world = world_of(reader)
            for _ in range(requests * (step + 1) // STEPS - requests * step // STEPS):
                asked = Asked(scene.caller(), *scene.asked())
                answer = _agreed(asked, memory, engines, seed)
                reading = Reading(world=world, now=now, caller=asked.caller, services=judged)
                if wrong := judges[asked.tool](reading, asked.arguments, answer):
                    raise Disagreement(f"seed {seed}, {asked}: {wrong}\n{compact_json(answer)}")
                met.update(_kinds(asked.tool, answer))
    return met


def _write_to_both(memory: Recalls, engines: Recalls, *changes: Any) -> None:
    memory.write(*changes)
    engines.write(*changes)


def _agreed(asked: Asked, memory: Recalls, engines: Recalls, seed: int) -> dict[str, Any]:
    first, second = asked.told(memory), asked.told(engines)
    if compact_json(first) != compact_json(second):
        raise Disagreement(f"seed {seed}, {asked}: in memory\n{compact_json(first)}\non the engines\n{compact_json(second)}")
    return first


def _kinds(tool: str, answer: Mapping[str, Any]) -> Iterator[str]:
    yield tool
    if "error" in answer:
        yield f"{tool}: refused"
    if "retrieval" in answer:
        told = answer["retrieval"]
        yield from (told["reason"], told["strategy"])
        yield from (name for name in ("has_more_in_pool", "candidate_limit_reached") if told[name])
        fallback = told.get("fallback", {})
        yield from (name for name in ("applied", *FRAGMENTS) if fallback.get(name))


def leave(_: Recalls) -> None:
    """The indexes stay behind: the overlay carries what is new."""


def commit(recalls: Recalls) -> None:
    """The indexes take up what is new."""
    recalls.follower.commit()
    recalls.vector_follower.commit()


def rebuild(recalls: Recalls) -> None:
    """The indexes are made anew."""
    recalls.follower.rebuild(lambda done, total: None)
    recalls.vector_follower.rebuild(lambda done, total: None)


UPKEEP: tuple[Callable[[Recalls], None], ...] = (leave, leave, commit, rebuild)
REQUESTS_A_STORE = 50
FRAGMENTS = ("fragments", "dropped_unmatched_fragments", "dropped_generic_fragments", "candidates_rejected")
"""What a relaxed pass tells of its fragments and candidates."""


def run(requests: int, seed: int, database: str = "sqlite") -> int:
    """Run trials over one store after the other until so many requests were put; return 0 if nobody disagreed."""
    from support.dialect_judges import JUDGES
    from support.merge_trials import trial_of_several

    print(f"seed {seed}", flush=True)
    met = Counter[str]()
    put = 0
    while put < requests:
        count = min(REQUESTS_A_STORE, requests - put)
        try:
            kind = put // REQUESTS_A_STORE % (len(SETTINGS) + 1)
            several = kind == len(SETTINGS)
            met += (
                trial_of_several(seed + put, count, JUDGES, database)
                if several
                else trial(seed + put, count, JUDGES, *SETTINGS[kind], database)
            )
        except Disagreement as disagreement:
            print(disagreement)
            return 1
        put += count
    print("\n".join(f"{name}: {count}" for name, count in sorted(met.items())))
    print(f"{put} requests, no disagreement")
    return 0
