"""The oracle of `recall`: relevance times worth, guarded and spread, by the obvious loops (L11 to L13, L18)."""

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recordance.domain.capsule import LabelField
from support.conflict_oracle import ConflictOracle, demoted
from support.dialect_oracle import Admits, Arguments, Reading, bears, no_telemetry
from support.lane_oracle import LaneOracle
from support.word_oracle import words

DEFAULT_K, MOST_K, LEAST_POOL = 10, 50, 50
REPEATED, SHARE, LONG = 4, 0.12, 12
OWNERS = {"user_id": LabelField.USER, "agent_id": LabelField.AGENT, "session_id": LabelField.SESSION}
WAIVERS = {"include_archive": "archived", "include_quarantined": "quarantined"}


@dataclass(frozen=True)
class Accrued:
    """A hit with its score, and what it was resolved over."""

    number: int
    score: float
    over: list[int]


@dataclass(frozen=True)
class AccruedOracle:
    """Answers `recall` about one reading of a store."""

    reading: Reading

    def ranked(self, given: Arguments) -> list[Accrued]:
        """Return the hits in order."""
        k = min(max(given.get("k", DEFAULT_K), 1), MOST_K)
        pool, scores, over = self._scored(given, max(4 * k, LEAST_POOL))
        stuffed = {number: self._stuffed(number) for number in pool}
        order = sorted(pool, key=lambda number: (stuffed[number], -scores[number], number))
        if "mmr" in given:
            order = self._spread(order, scores, stuffed, k, given["mmr"])
        best = demoted(order, over)[:k]
        best.sort(key=lambda number: (stuffed[number], self.late(given.get("rerank_by", "relevance"), number)))
        return [Accrued(number, scores[number], over.get(number, [])) for number in demoted(best, over)]

    def _scored(self, given: Arguments, depth: int) -> tuple[list[int], dict[int, float], dict[int, list[int]]]:
        active = self.reading.active(self.reading.inside(*_fences(given)), waived=_waived(given))
        lanes = LaneOracle(self.reading, given["query"], active)
        ranked = [hit.number for hit in lanes.all_by_words()]
        pool, embedding = ranked[:depth], given.get("query_embedding")
        cosines = {} if embedding is None else self.reading.cosines(embedding, active)
        pool += [each for each in sorted(cosines, key=lambda number: (-cosines[number], number))[:depth] if each not in pool]
        over: dict[int, list[int]] = {}
        if given.get("resolve_conflicts"):
            late = self._corrections(given, depth, pool, active)
            over = ConflictOracle(self.reading).resolved([*pool, *late])
            pool += [number for number in late if number in over]
        weights = {number: lanes.weight(number) for number in pool}
        near = {number: cosines.get(number, 0.0) for number in pool}
        most, nearest = max(weights.values(), default=0.0), max(near.values(), default=0.0)
        scores = {}
        for number in pool:
            by_words = weights[number] / most if most else 0.0
            by_meaning = near[number] / nearest if nearest else 0.0
            relevance = round(by_words if embedding is None else (by_words + by_meaning) / 2, 12)
            capsule = self.reading.world.capsules[number]
            scores[number] = relevance * (1 + math.log1p(capsule.value)) * (0.5 + capsule.use.feedback_weight)
        return pool, scores, over

    def _corrections(self, given: Arguments, depth: int, pool: Sequence[int], active: Sequence[int]) -> list[int]:
        """Return the matching corrections of matching retired values that restatements keep out of a pool (O9)."""
        inside, waived = self.reading.inside(*_fences(given)), _waived(given)
        lanes = LaneOracle(self.reading, given["query"], self.reading.active(inside, waived=[*waived, "superseded"]))
        matching = [hit.number for hit in lanes.all_by_words()]
        if not any(self.reading.reason(number, waived=waived) == "superseded" for number in matching):
            return []
        standing = self.reading.world.capsules
        waiting = [number for number in matching[:depth] if standing[number].standing.superseded_at is not None]
        newer = set[int]()
        while waiting:
            target = waiting.pop()
            new = {each.source for each in self.reading.world.relations if each.kind == "supersedes" and each.target == target}
            waiting += new - newer
            newer |= new
        near = self.reading.cosines(given["query_embedding"], newer) if "query_embedding" in given else {}
        return [each for each in sorted(newer - set(pool)) if each in active and (each in near or lanes.matched(each))]

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


def _waived(given: Arguments) -> list[str]:
    return [reason for name, reason in WAIVERS.items() if given.get(name)]


def _fences(given: Arguments) -> list[Admits]:
    own = [bears(field, given[name], None) for name, field in OWNERS.items() if name in given]
    return [no_telemetry, *own]


def _syllabic(character: str) -> bool:
    """Whether a character is a syllable by itself, as its Unicode name says."""
    return unicodedata.name(character, "").startswith(("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HANGUL SYLLABLE"))
