"""The oracle of the pipeline: every lane, fused, blended and spread, by the obvious loops (L10 to L12, L16).

Weights and depths are stated here by themselves, so that a default that changes by mistake is a disagreement.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from support.dialect_oracle import Admits, Reading
from support.lane_oracle import DAY, HALF_LIFE, POOL, SEEDS, Hit, LaneOracle

LANES = ("term", "semantic", "fuzzy", "graph")
FUSION = "rrf"
"""What fuses where the caller does not say."""
DEPTHS = {"term": 30, "semantic": 30, "fuzzy": 10, "graph": 10}
WEIGHTS = {
    "rrf": {"term": 1.0, "semantic": 0.35, "fuzzy": 0.05, "graph": 0.05},
    "legacy": {"term": 1.0, "semantic": 0.5, "fuzzy": 0.3, "graph": 0.2},
    "convex": {"term": 1.0, "semantic": 0.7, "fuzzy": 0.3, "graph": 0.2},
}
BLEND = {"similarity": 0.55, "freshness": 0.15, "reinforcement": 0.10, "importance": 0.10}
"""What a score is blended of (L12), added up in this order."""
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
    factors: Mapping[str, float]
    score: float


@dataclass(frozen=True)
class Run:
    """What every lane found, and the final order of it all."""

    lanes: LaneOracle
    found: Mapping[str, list[Hit]]
    places: list[Place] = field(default_factory=list)


@dataclass(frozen=True)
class PipelineOracle:
    """Runs questions through the pipeline, in one reading of a store."""

    reading: Reading

    def run(self, asked: Asked) -> Run:
        """Return what every lane that is on found, and all of it in its final order."""
        lanes = LaneOracle(self.reading, asked.question, self.reading.active(self.reading.inside(*asked.fences)))
        found: dict[str, list[Hit]] = {}
        if "term" in asked.stages:
            found["term"] = lanes.by_words()
        if "semantic" in asked.stages and asked.embedding is not None:
            found["semantic"] = lanes.by_meaning(asked.embedding)
        if "fuzzy" in asked.stages:
            found["fuzzy"] = lanes.by_spelling()
        if "graph" in asked.stages:
            seeds = [number for number, _ in _fused(found, asked.fusion)[:SEEDS]]
            found["graph"] = lanes.by_links(seeds, DEPTHS["graph"])
        places = self._blended(found, _fused(found, asked.fusion)[:POOL])
        return Run(lanes, found, self._spread(places, asked.wanted) if "mmr" in asked.stages else places)

    def _blended(self, found: Mapping[str, list[Hit]], fused: Sequence[tuple[int, float]]) -> list[Place]:
        ranks = {lane: {hit.number: rank for rank, hit in enumerate(hits, start=1)} for lane, hits in found.items()}
        places = []
        for rank, (number, score) in enumerate(fused, start=1):
            factors = self._factors(number, score / fused[0][1])
            weighed = [weight * factors[name] for name, weight in BLEND.items()]
            places.append(
                Place(
                    number=number,
                    ranks={lane: own[number] for lane, own in ranks.items() if number in own},
                    fused_rank=rank,
                    fused=score,
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


def _fused(found: Mapping[str, list[Hit]], fusion: str) -> list[tuple[int, float]]:
    """Return everything found with its fused score, best first; what lies behind every depth follows what does not (L16)."""
    parts: dict[int, list[float]] = {}
    for lane, hits in found.items():
        front, weight = hits[: DEPTHS[lane]], WEIGHTS[fusion][lane]
        for rank, hit in enumerate(front, start=1):
            value = {"rrf": 1.0 / (60 + rank), "legacy": hit.share, "convex": hit.score / front[0].score}[fusion]
            parts.setdefault(hit.number, []).append(weight * value)
    fused = {number: round(math.fsum(each), 12) for number, each in parts.items()}
    least, behind = min(fused.values(), default=0.0), dict[int, int]()
    for lane, hits in found.items():
        for place, hit in enumerate(hits[DEPTHS[lane] :], start=1):
            if hit.number not in fused:
                behind[hit.number] = min(place, behind.get(hit.number, place))
    fused |= {number: least * 60 / (60 + place) for number, place in behind.items()}
    return sorted(fused.items(), key=lambda each: (-each[1], each[0]))
