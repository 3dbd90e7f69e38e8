"""The oracle of `recall`: relevance times worth, guarded and spread, by the obvious loops (L11 to L13, L18)."""

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recordance.domain.capsule import LabelField
from support.dialect_oracle import Admits, Arguments, Reading, bears, no_telemetry
from support.lane_oracle import LaneOracle
from support.word_oracle import words

DEFAULT_K, MOST_K, LEAST_POOL = 10, 50, 50
REPEATED, SHARE, LONG = 4, 0.12, 12
OWNERS = {"user_id": LabelField.USER, "agent_id": LabelField.AGENT, "session_id": LabelField.SESSION}
WAIVERS = {"include_archive": "archived", "include_quarantined": "quarantined"}


@dataclass(frozen=True)
class AccruedOracle:
    """Answers `recall` about one reading of a store, where conflicts are not resolved."""

    reading: Reading

    def ranked(self, given: Arguments) -> list[tuple[int, float]]:
        """Return the hits in order, each with its score."""
        k = min(max(given.get("k", DEFAULT_K), 1), MOST_K)
        pool, scores = self._scored(given, max(4 * k, LEAST_POOL))
        stuffed = {number: self._stuffed(number) for number in pool}
        order = sorted(pool, key=lambda number: (stuffed[number], -scores[number], number))
        if "mmr" in given:
            order = self._spread(order, scores, stuffed, k, given["mmr"])
        best = sorted(order[:k], key=lambda number: (stuffed[number], self.late(given.get("rerank_by", "relevance"), number)))
        return [(number, scores[number]) for number in best]

    def _scored(self, given: Arguments, depth: int) -> tuple[list[int], dict[int, float]]:
        waived = [reason for name, reason in WAIVERS.items() if given.get(name)]
        active = self.reading.active(self.reading.inside(*_fences(given)), waived=waived)
        ranked = [hit.number for hit in LaneOracle(self.reading, given["query"], active).all_by_words()]
        pool, embedding = ranked[:depth], given.get("query_embedding")
        cosines = {} if embedding is None else self.reading.cosines(embedding, active)
        pool += [each for each in sorted(cosines, key=lambda number: (-cosines[number], number))[:depth] if each not in pool]
        weights = {number: self._bm25(given["query"], number) for number in pool}
        near = {number: cosines.get(number, 0.0) for number in pool}
        most, nearest = max(weights.values(), default=0.0), max(near.values(), default=0.0)
        scores = {}
        for number in pool:
            by_words = weights[number] / most if most else 0.0
            by_meaning = near[number] / nearest if nearest else 0.0
            relevance = round(by_words if embedding is None else (by_words + by_meaning) / 2, 12)
            capsule = self.reading.world.capsules[number]
            scores[number] = relevance * (1 + math.log1p(capsule.value)) * (0.5 + capsule.use.feedback_weight)
        return pool, scores

    def _bm25(self, question: str, number: int) -> float:
        met = [way for word in words(question) for way in self.reading.met(number, self.reading.ways(word))]
        return self.reading.bm25(number, [word for way in met for word in way.words])

    def _stuffed(self, number: int) -> bool:
        content = words(self.reading.world.texts[number].content)
        counts = Counter(word for word in content if len(word) >= 3 or (len(word) == 2 and all(map(_syllabic, word))))
        most = max(counts.values(), default=0)
        return len(content) >= LONG and most >= REPEATED and most >= SHARE * len(content)

    def late(self, by: str, number: int) -> float:
        """Return what reorders hits by what the caller names; smaller comes first (L18)."""
        capsule = self.reading.world.capsules[number]
        worth = (1 + math.log1p(capsule.value)) * (0.5 + capsule.use.feedback_weight)
        return {"relevance": 0.0, "value": -worth, "recency": -capsule.validity.valid_from, "confidence": -capsule.confidence}[by]

    def _spread(
        self, order: Sequence[int], scores: dict[int, float], stuffed: dict[int, bool], k: int, balance: float
    ) -> list[int]:
        """Return the order with its first places chosen to differ, one after the other, the clean ones first."""
        most = max(scores.values(), default=0.0) or 1.0
        chosen: list[int] = []
        for tier in (False, True):
            waiting, tier_chosen = [number for number in order if stuffed[number] is tier], list[int]()
            while waiting and len(chosen) < k:
                worth = {
                    number: balance * scores[number] / most
                    - (1.0 - balance) * max((self.reading.alike(number, other) for other in tier_chosen), default=0.0)
                    for number in waiting
                }
                best = max(waiting, key=lambda number: (worth[number], -waiting.index(number)))
                waiting.remove(best)
                chosen.append(best)
                tier_chosen.append(best)
        return [*chosen, *(number for number in order if number not in chosen)]


def _fences(given: Arguments) -> list[Admits]:
    own = [bears(field, given[name], None) for name, field in OWNERS.items() if name in given]
    return [no_telemetry, *own]


def _syllabic(character: str) -> bool:
    """Whether a character is a syllable by itself, as its Unicode name says."""
    return unicodedata.name(character, "").startswith(("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HANGUL SYLLABLE"))
