"""The oracle of the pipeline: every lane, fused, blended and spread, by the obvious loops (L10 to L12, L16).

Weights and depths are stated here by themselves, so that a default that changes by mistake is a disagreement.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from support.dialect_oracle import Admits, Reading
from support.lane_oracle import DAY, HALF_LIFE, POOL, SEEDS, Hit, LaneOracle

LANES = ("term", "semantic", "fuzzy", "graph")
FUSION = "convex"
"""What fuses where the caller does not say."""
DEPTHS = {"term": 30, "semantic": 30, "fuzzy": 10, "graph": 10}
WEIGHTS = {
    "rrf": {"term": 1.0, "semantic": 0.35, "fuzzy": 0.05, "graph": 0.05},
    "legacy": {"term": 1.0, "semantic": 1.0, "fuzzy": 0.3, "graph": 0.2},
    "convex": {"term": 1.0, "semantic": 1.0, "fuzzy": 0.3, "graph": 0.2},
}
BLEND = {"similarity": 0.55, "freshness": 0.15, "reinforcement": 0.10, "importance": 0.10}
"""What a score is blended of (L12), added up in this order."""
MILD = 0.3
"""What the length of a content weighs where words are added to cosines."""
BALANCE = 0.7
"""What MMR gives to relevance."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question to the pipeline; `wanted` is how many of its hits somebody looks at."""

    question: str
    embedding: Sequence[float] | None
    fences: Sequence[Admits]
    stages: Sequence[str]
    fusion: str = FUSION
    wanted: int = 50


@dataclass(frozen=True, kw_only=True)
class Place:
    """A capsule in the final order, with everything that brought it there."""

    number: int
    ranks: Mapping[str, int]
    fused_rank: int
    fused: float
    parts: Mapping[str, float]
    factors: Mapping[str, float]
    score: float


@dataclass(frozen=True)
class Run:
    """What every lane found, the cosine of everything that may ground, and the final order of what was found."""

    lanes: LaneOracle
    found: Mapping[str, list[Hit]]
    cosines: Mapping[int, float]
    places: list[Place] = field(default_factory=list)

    def parts(self, fusion: str) -> Mapping[int, Mapping[str, float]]:
        """Return of everything among the first ranks of a lane what each lane adds to its score (L16)."""
        fronts = {lane: hits[: DEPTHS[lane]] for lane, hits in self.found.items()}
        entering = sorted({hit.number for front in fronts.values() for hit in front})
        parts: dict[int, dict[str, float]] = {}
        for lane, front in fronts.items():
            match fusion, lane:
                case "rrf", _:
                    own = {hit.number: 1.0 / (60 + rank) for rank, hit in enumerate(front, start=1)}
                case _, "semantic":
                    own = {number: min(self.cosines[number], 1.0) for number in entering if number in self.cosines}
                case "legacy", "term":
                    own = {number: self.lanes.share(number) for number in entering if self.lanes.matched(number)}
                case "convex", "term":
                    own = {number: self.lanes.weight(number, MILD) for number in entering if self.lanes.matched(number)}
                case "legacy", _:
                    own = {hit.number: hit.share for hit in front}
                case _:
                    own = {hit.number: hit.score for hit in front}
            highest = max(own.values(), default=1.0) if fusion == "convex" and lane != "semantic" else 1.0
            for number, value in own.items():
                parts.setdefault(number, {})[lane] = WEIGHTS[fusion][lane] * (value / highest)
        return parts

    def fused(self, fusion: str) -> list[tuple[int, float]]:
        """Return everything found with its score, best first; what lies behind every depth follows what does not (L16)."""
        fused = {number: round(math.fsum(own.values()), 12) for number, own in self.parts(fusion).items()}
        least, behind = min(fused.values(), default=0.0), dict[int, int]()
        for lane, hits in self.found.items():
            for place, hit in enumerate(hits[DEPTHS[lane] :], start=1):
                if hit.number not in fused:
                    behind[hit.number] = min(place, behind.get(hit.number, place))
        fused |= {number: least * 60 / (60 + place) for number, place in behind.items()}
        return sorted(fused.items(), key=lambda each: (-each[1], each[0]))


@dataclass(frozen=True)
class PipelineOracle:
    """Runs questions through the pipeline, in one reading of a store."""

    reading: Reading

    def run(self, asked: Asked) -> Run:
        """Return what every lane that is on found, and all of it in its final order."""
        lanes = LaneOracle(self.reading, asked.question, self.reading.active(self.reading.inside(*asked.fences)))
        found: dict[str, list[Hit]] = {}
        near = "semantic" in asked.stages and asked.embedding is not None
        run = Run(lanes, found, self.reading.cosines(asked.embedding or (), lanes.active) if near else {})
        if "term" in asked.stages:
            found["term"] = lanes.by_words()
        if "semantic" in asked.stages and asked.embedding is not None:
            found["semantic"] = lanes.by_meaning(asked.embedding)
        if "fuzzy" in asked.stages:
            found["fuzzy"] = lanes.by_spelling()
        if "graph" in asked.stages:
            seeds = [number for number, _ in run.fused(asked.fusion)[:SEEDS]]
            found["graph"] = lanes.by_links(seeds, DEPTHS["graph"])
        places = self._blended(run, asked.fusion)
        return replace(run, places=self._spread(places, asked.wanted) if "mmr" in asked.stages else places)

    def _blended(self, run: Run, fusion: str) -> list[Place]:
        ranks = {lane: {hit.number: rank for rank, hit in enumerate(hits, start=1)} for lane, hits in run.found.items()}
        fused, parts, places = run.fused(fusion)[:POOL], run.parts(fusion), []
        for rank, (number, score) in enumerate(fused, start=1):
            factors = self._factors(number, score / fused[0][1])
            weighed = [weight * factors[name] for name, weight in BLEND.items()]
            places.append(
                Place(
                    number=number,
                    ranks={lane: own[number] for lane, own in ranks.items() if number in own},
                    fused_rank=rank,
                    fused=score,
                    parts=parts.get(number, {}),
                    factors=factors,
                    score=sum(weighed) * (0.7 + 0.3 * factors["decay"]),
                )
            )
        return sorted(places, key=lambda place: -place.score)

    def _factors(self, number: int, similarity: float) -> dict[str, float]:
        """Return what a score is blended of (L12)."""
        capsule = self.reading.world.capsules[number]
        days = max(0, self.reading.now - capsule.validity.valid_from) / DAY
        helped = sum(each.outcome == "helped" for each in self.reading.world.feedback.get(number, ()))
        return {
            "similarity": similarity,
            "freshness": 1.0 if days <= 7 else max(0.3, 1.0 - 0.7 * (days - 7) / 173),
            "reinforcement": min(helped / 5, 1.0),
            "importance": capsule.importance,
            "decay": 2.0 ** (-days / HALF_LIFE),
        }

    def _spread(self, places: Sequence[Place], wanted: int) -> list[Place]:
        """Return the places with the first ones chosen to differ, one after the other (L11)."""
        waiting, chosen = list(places), list[Place]()
        while waiting and len(chosen) < wanted:
            worth = [
                BALANCE * each.score / places[0].score
                - (1.0 - BALANCE) * max((self.reading.alike(each.number, other.number) for other in chosen), default=0.0)
                for each in waiting
            ]
            chosen.append(waiting.pop(worth.index(max(worth))))
        return [*chosen, *waiting]
