"""The oracle of the quick way through the pipeline: words and meaning fused by rank, and blended (L10, L12, L16)."""

from collections.abc import Sequence
from dataclasses import dataclass

from recordance.domain.instant import EARLIEST, Instant
from support.dialect_oracle import Admits, Reading
from support.oracle import words

DEPTH, POOL, HALF_LIFE = 30, 60, 90.0
WEIGHTS = (1.0, 0.35)
"""What words and meaning weigh by ranks."""
DAY = 86_400_000_000


@dataclass(frozen=True)
class PipelineOracle:
    """Ranks what a question finds by its words and its vector, in one reading of a store."""

    reading: Reading

    def ranked(
        self, question: str, embedding: Sequence[float] | None, fences: Sequence[Admits]
    ) -> list[tuple[int, float, float]]:
        """Return every hit, best first, with its similarity and its score."""
        active = self.reading.active(self.reading.inside(*fences))
        lanes = [self.by_words(question, active)[:POOL]]
        if embedding is not None:
            cosines = self.reading.cosines(embedding, active)
            lanes.append(sorted(cosines, key=lambda number: (-cosines[number], number))[:POOL])
        fused: dict[int, float] = {}
        for lane, weight in zip(lanes, WEIGHTS, strict=False):
            for rank, number in enumerate(lane[:DEPTH], start=1):
                fused[number] = fused.get(number, 0.0) + weight / (60 + rank)
        fused = {number: round(total, 12) for number, total in fused.items()}
        least, behind = min(fused.values(), default=0.0), dict[int, int]()
        for lane in lanes:
            for place, number in enumerate(lane[DEPTH:], start=1):
                if number not in fused:
                    behind[number] = min(place, behind.get(number, place))
        fused |= {number: least * 60 / (60 + place) for number, place in behind.items()}
        order = sorted(fused, key=lambda number: (-fused[number], number))[:POOL]
        best = max(fused.values(), default=1.0)
        scored = [(number, fused[number] / best, self._blended(number, fused[number] / best)) for number in order]
        return sorted(scored, key=lambda each: -round(each[2], 12))

    def by_words(self, question: str, active: Sequence[int]) -> list[int]:
        """Return those of these capsules that have any of the question's words, by weight."""
        ways = [self.reading.ways(word) for word in dict.fromkeys(words(question))]
        scores = {}
        for number in active:
            met = [way for each in ways for way in self.reading.met(number, each)]
            if met:
                scores[number] = self.reading.bm25(number, [word for way in met for word in way])
        return sorted(scores, key=lambda number: (-scores[number], *self._late(number)))

    def _late(self, number: int) -> tuple[float, Instant, Instant, int, int]:
        """The order of what its words leave equal: weight, validity, last use, count, id (L6)."""
        capsule = self.reading.world.capsules[number]
        age = max(0, self.reading.now - capsule.validity.valid_from) / DAY
        last = EARLIEST if capsule.use.last_at is None else capsule.use.last_at
        weight = capsule.confidence * 2.0 ** (-age / HALF_LIFE)
        return -weight, Instant(-capsule.validity.valid_from), Instant(-last), -capsule.use.count, number

    def _blended(self, number: int, similarity: float) -> float:
        capsule = self.reading.world.capsules[number]
        days = max(0, self.reading.now - capsule.validity.valid_from) / DAY
        fresh = 1.0 if days <= 7 else max(0.3, 1.0 - 0.7 * (days - 7) / 173)
        helped = sum(each.outcome == "helped" for each in self.reading.world.feedback.get(number, ()))
        value = 0.55 * similarity + 0.15 * fresh + 0.10 * min(helped / 5, 1.0) + 0.10 * capsule.importance
        return value * (0.7 + 0.3 * 2.0 ** (-days / HALF_LIFE))
