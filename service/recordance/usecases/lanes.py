"""What the lanes of one recall found, as one ranking with its counts (L1, L4, L5, L16, O2)."""

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recordance.domain.instant import Instant
from recordance.ports.terms import Tally
from recordance.query.exclusion import ExclusionReason
from recordance.query.folding import fold_words
from recordance.query.lane import Fusion
from recordance.ranking.claim import Claim, support_of
from recordance.ranking.fusion import by_ranks, by_scores
from recordance.ranking.keys import Ranked, decayed_weight
from recordance.ranking.scoring import Strength, TermHit
from recordance.usecases.term_lane import TermLane
from recordance.usecases.vector_lane import Nearest, NearHit


class Findings(Protocol):
    """What the lanes that ran found, together."""

    @property
    def tally(self) -> Tally:
        """All matches: those of the term lane, and those that only the vector lane has; each counted once (L4, O2)."""
        ...

    @property
    def term_tally(self) -> Tally | None:
        """All matches of the term lane alone; None when it did not run (T8)."""
        ...

    def best(self, wanted: int) -> tuple[Claim, ...]:
        """Return the best `wanted` (≥ 1) that may ground, in order, or all if there are fewer."""
        ...


@dataclass(frozen=True, slots=True)
class TermFindings:
    """The term lane alone."""

    lane: TermLane
    tally: Tally

    @property
    def term_tally(self) -> Tally:
        """See Findings."""
        return self.tally

    def best(self, wanted: int) -> tuple[Claim, ...]:
        """See Findings."""
        return tuple(claim_of(ranked, None) for ranked in self.lane.best(wanted))


@dataclass(frozen=True, slots=True)
class VectorFindings:
    """The vector lane alone: its one ranking, fused with nothing."""

    near: Nearest
    at: Instant
    term_tally: None = None

    @property
    def tally(self) -> Tally:
        """See Findings."""
        return Tally(len(self.near.ranked), Counter(_reasons(self.near.excluded)))

    def best(self, wanted: int) -> tuple[Claim, ...]:
        """See Findings."""
        return tuple(
            Claim(
                capsule=hit.capsule,
                decayed=decayed_weight(hit.capsule, self.at),
                term=None,
                cosine=hit.cosine,
                support=support_of(0.0, hit.cosine),
                rank=rank,
            )
            for rank, hit in enumerate(self.near.ranked[:wanted], start=1)
        )


class FusedFindings:
    """Both lanes. The term lane enters with its first `depth` ranks; what lies behind them follows in its own order (L5)."""

    def __init__(self, lane: TermLane, term_tally: Tally, near: Nearest, fusion: Fusion, depth: int) -> None:
        self.term_tally = term_tally
        self._lane = lane
        self._near = near
        self._fusion = fusion
        self._depth = depth
        self._matches = _matches(lane, (*near.ranked, *near.excluded))

    @functools.cached_property
    def tally(self) -> Tally:
        """See Findings."""
        eligible = self.term_tally.eligible + len(self._unmatched(self._near.ranked))
        excluded = Counter(self.term_tally.excluded)
        excluded.update(_reasons(self._unmatched(self._near.excluded)))
        return Tally(eligible, excluded)

    def best(self, wanted: int) -> tuple[Claim, ...]:
        """See Findings."""
        order = self._order(wanted)[:wanted]
        near = {hit.capsule.number: hit for hit in self._near.ranked}
        ranked = {each.hit.number: each for each in self._lane.ranked([number for number in order if number not in near])}
        return tuple(
            self._near_claim(near[number], rank) if number in near else claim_of(ranked[number], rank)
            for rank, number in enumerate(order, start=1)
        )

    def _order(self, wanted: int) -> tuple[int, ...]:
        """Return the numbers in their order, so far that the first `wanted` are right."""
        front = self._front(wanted)
        if wanted <= len(front) or self.term_tally.eligible <= self._depth:
            return front
        fused_already = set(front)
        behind = [each.number for each in self._ordered(wanted + len(self._near.ranked))]
        return (*front, *(number for number in behind if number not in fused_already))

    def _front(self, wanted: int) -> tuple[int, ...]:
        """Return what is fused, in an order whose first `wanted` are right.

        By ranks, what only the term lane has comes no further forward than in its own order, so that no more of that order than
        `wanted` need be known, and the ranks of what both lanes have.
        """
        near = self._near.ranked
        if self._fusion is Fusion.CONVEX:
            by_terms = {each.number: each.bm25 for each in self._ordered(self._depth)}
            return by_scores([by_terms, {hit.capsule.number: hit.cosine for hit in near}])
        known = {each.number: rank for rank, each in enumerate(self._ordered(min(wanted, self._depth)), start=1)}
        both = [hit for each in near if (hit := self._matches[each.capsule.number].hit) is not None]
        known |= self._lane.ranks([hit for hit in both if hit.number not in known], self._depth)
        return by_ranks([known, {hit.capsule.number: rank for rank, hit in enumerate(near, start=1)}])

    def _ordered(self, wanted: int) -> Sequence[Strength]:
        return self._lane.order(wanted) if self.term_tally.eligible else ()

    def _near_claim(self, near: NearHit, rank: int) -> Claim:
        match = self._matches[near.capsule.number]
        return Claim(
            capsule=near.capsule,
            decayed=decayed_weight(near.capsule, self._lane.at),
            term=match.hit,
            cosine=near.cosine,
            support=support_of(match.share, near.cosine),
            rank=rank,
        )

    def _unmatched(self, hits: Sequence[NearHit]) -> Sequence[NearHit]:
        """Return those that no term matches: the others are in the term lane's counts already."""
        return [hit for hit in hits if self._matches[hit.capsule.number].hit is None]


@dataclass(frozen=True, slots=True)
class _Match:
    """What the terms say of a capsule that the vector lane found: its hit if one matches, and its share of their words."""

    hit: TermHit | None
    share: float


def _matches(lane: TermLane, hits: Sequence[NearHit]) -> Mapping[int, _Match]:
    contents = lane.view.reader.contents([hit.capsule.number for hit in hits])
    found: dict[int, _Match] = {}
    for number, content in contents.items():
        words = fold_words(content)
        hit = lane.scorer.score(number, words)
        found[number] = _Match(hit, lane.scorer.share(words) if hit is None else hit.support)
    return found


def claim_of(ranked: Ranked, rank: int | None) -> Claim:
    """Return what the term lane alone says of a capsule, with its place in a fused ranking if there is one."""
    hit = ranked.hit
    return Claim(capsule=ranked.capsule, decayed=ranked.decayed, term=hit, cosine=None, support=hit.support, rank=rank)


def _reasons(hits: Sequence[NearHit]) -> list[ExclusionReason]:
    return [hit.reason for hit in hits if hit.reason is not None]
