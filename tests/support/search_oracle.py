"""The oracle of `memory_search`: what a selection must find, count and report, by the obvious loops (L8, L9, O7)."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recordance.domain.capsule import LabelField
from recordance.domain.instant import parse_instant
from support.dialect_oracle import Admits, Arguments, Reading, bears, by_ranks, no_telemetry
from support.word_oracle import Way, words

CANDIDATES, NEAREST, RELAXED_CANDIDATES, FRAGMENTS = 100, 10, 50, 12


@dataclass(frozen=True, kw_only=True)
class Found:
    """The capsules of a page in order, and what `retrieval` must say."""

    numbers: list[int]
    retrieval: dict[str, Any]
    quality: str | None = None
    fallback: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SearchOracle:
    """Answers selections about one reading of a store."""

    reading: Reading

    def found(self, selection: Arguments, embedding: Sequence[float] | None) -> Found:
        """Return what a selection must find, with the vector that came beside it."""
        at = parse_instant(selection["as_of"], "as_of") if "as_of" in selection else None
        active = self.reading.active(self.reading.inside(*_fences(selection)), at)
        queries = _queries(selection)
        counts = [self._matching(query, active) for query in queries]
        near = [] if embedding is None else [self._near(embedding, active)]
        if selection.get("query_variants") or near:
            pool, reached = self._fused([*counts, *near]), any(len(each) > CANDIDATES for each in counts)
        else:
            pool, reached = counts[0] if counts else sorted(active, key=self.reading.browsed), False
        offset, limit = selection.get("offset", 0), selection.get("limit", 20)
        retrieval = {"scoped_active": len(active), "candidate_pool": len(pool), "candidate_limit_reached": reached}
        if not pool and active and offset == 0 and queries and selection.get("search_mode") == "auto":
            return self._relaxed(queries, active, limit, retrieval)
        page = pool[offset : offset + limit]
        retrieval |= {
            "reason": _reason(active, pool, page),
            "returned": len(page),
            "has_more_in_pool": offset + len(page) < len(pool) if page else False,
        }
        if selection.get("query_variants") or near:
            exact = {query: len(each) for query, each in zip(queries, counts, strict=True)}
            retrieval["per_query_matches"] = exact or None
        else:
            retrieval["total_matches"] = len(pool)
        return Found(numbers=page, retrieval=retrieval)

    def _matching(self, query: str, active: Sequence[int]) -> list[int]:
        """Return every active capsule that a strict query matches, best first."""
        ways = self.reading.ways(query)
        met = {number: self.reading.met(number, ways) for number in active}
        scores = {number: self.reading.bm25(number, _of(each)) for number, each in met.items() if each}
        return sorted(scores, key=lambda number: (not met[number][0].exact, -scores[number], *self.reading.browsed(number)))

    def _near(self, embedding: Sequence[float], active: Sequence[int]) -> list[int]:
        cosines = self.reading.cosines(embedding, active)
        return sorted(cosines, key=lambda number: (-cosines[number], number))[:NEAREST]

    def _fused(self, rankings: Sequence[list[int]]) -> list[int]:
        """Return the rankings, each cut, as one."""
        sums = {number: total for number, total, _ in by_ranks([each[:CANDIDATES] for each in rankings])}
        return sorted(sums, key=lambda number: (-round(sums[number], 12), *self.reading.browsed(number)))

    def _relaxed(self, queries: Sequence[str], active: Sequence[int], limit: int, retrieval: dict[str, Any]) -> Found:
        parts = self.reading.services.parts([word for query in queries for word in words(query)])
        met = {number: [self.reading.met(number, ways) for _, ways in parts] for number in active}
        fragments = range(len(parts))
        frequency = [sum(bool(met[number][each]) for number in active) for each in fragments]
        absent = [each for each in fragments if not frequency[each]]
        common = [each for each in fragments if frequency[each] >= 3 and 2 * frequency[each] >= len(active)]
        left = [each for each in fragments if each not in absent and each not in common]
        rarest = sorted(left, key=lambda each: frequency[each])
        kept = rarest[:FRAGMENTS]
        covered = {number: [met[number][each] for each in kept if met[number][each]] for number in active}
        scores = {number: self.reading.bm25(number, _of(itertools.chain(*each))) for number, each in covered.items() if each}
        served = {number: sum(not each[0].exact for each in covered[number]) for number in active}
        recalled = sorted(
            scores,
            key=lambda each: (-len(covered[each]), served[each], -scores[each], *self.reading.browsed(each)),
        )
        candidates = recalled[:RELAXED_CANDIDATES]
        required = min(2, len(kept))
        surviving = [number for number in candidates if len(covered[number]) >= required]
        page = surviving[:limit]
        reached = len(recalled) > RELAXED_CANDIDATES
        fallback = {
            "fragments": [parts[each][0] for each in kept],
            "dropped_unmatched_fragments": [parts[each][0] for each in absent],
            "dropped_generic_fragments": [parts[each][0] for each in common],
            "dropped_by_cap_fragments": [parts[each][0] for each in rarest[FRAGMENTS:]],
            "coverage_required": required,
            "recalled_candidates": len(candidates),
            "surviving_pool": len(surviving),
            "candidates_rejected": len(candidates) - len(surviving),
            "candidate_limit_reached": reached,
        }
        retrieval |= {
            "candidate_pool": len(surviving),
            "candidate_limit_reached": reached,
            "reason": "relaxed_match" if page else "no_lexical_match",
            "returned": len(page),
            "has_more_in_pool": len(page) < len(surviving),
        }
        return Found(numbers=page, retrieval=retrieval, quality="relaxed", fallback=fallback)


def _of(ways: Iterable[Way]) -> list[str]:
    return [word for way in ways for word in way.words]


def _queries(selection: Arguments) -> list[str]:
    """Return the query, if it has any word, and its variants; those that fold alike are one."""
    folded: dict[str, str] = {}
    for query in (selection.get("query", ""), *selection.get("query_variants", ())):
        if words(query):
            folded.setdefault(" ".join(words(query)), query)
    return list(folded.values())


def _fences(selection: Arguments) -> list[Admits]:
    fences: list[Admits] = [no_telemetry]
    nowhere = (bears(LabelField.PROJECT, None), bears(LabelField.DOMAIN, None))
    scope = selection.get("scope", "global")
    if scope == "global":
        fences += nowhere
    else:
        own = bears(LabelField.PROJECT if scope == "project" else LabelField.DOMAIN, selection["scope_id"])
        others = selection.get("include_global", True)
        fences.append(lambda *of: own(*of) or (others and all(each(*of) for each in nowhere)))
    if "type" in selection:
        fences.append(bears(LabelField.TYPE, selection["type"]))
    return fences


def _reason(active: Sequence[int], pool: Sequence[int], page: Sequence[int]) -> str:
    if not active:
        return "empty_scope"
    if not pool:
        return "no_lexical_match"
    return "matched" if page else "offset_beyond_pool"
