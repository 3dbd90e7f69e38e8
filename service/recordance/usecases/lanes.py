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
from recordance.ranking.fusion import fused
from recordance.ranking.keys import Ranked, decayed_weight
from recordance.ranking.scoring import TermHit
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
        return tuple(_claim_of(ranked) for ranked in self.lane.best(wanted))


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
        claims = self._fused
        if wanted > len(claims) and self.term_tally.eligible > self._depth:
            claims += self._behind(wanted)[: wanted - len(claims)]
        return claims[:wanted]

    @functools.cached_property
    def _fused(self) -> tuple[Claim, ...]:
        ranked = {each.hit.number: each for each in self._lane.best(self._depth)} if self.term_tally.eligible else {}
        near = {hit.capsule.number: hit for hit in self._near.ranked}
        by_terms = [(number, each.hit.bm25) for number, each in ranked.items()]
        by_vector = [(number, hit.cosine) for number, hit in near.items()]
        order = fused((by_terms, by_vector), self._fusion)
        return tuple(
            self._by_terms(ranked[number], near.get(number), rank) if number in ranked else self._by_vector(near[number], rank)
            for rank, number in enumerate(order, start=1)
        )

    def _behind(self, wanted: int) -> tuple[Claim, ...]:
        shown = {claim.capsule.number for claim in self._fused}
        behind = [each for each in self._lane.best(wanted + len(self._near.ranked)) if each.hit.number not in shown]
        return tuple(self._by_terms(each, None, rank) for rank, each in enumerate(behind, start=len(shown) + 1))

    def _by_terms(self, ranked: Ranked, near: NearHit | None, rank: int) -> Claim:
        cosine = None if near is None else near.cosine
        return Claim(
            capsule=ranked.capsule,
            decayed=ranked.decayed,
            term=ranked.hit,
            cosine=cosine,
            support=support_of(ranked.hit.support, cosine),
            rank=rank,
        )

    def _by_vector(self, near: NearHit, rank: int) -> Claim:
        """Return the claim of a capsule that is not among the first ranks of the term lane; terms may match it all the same."""
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


def _claim_of(ranked: Ranked) -> Claim:
    hit = ranked.hit
    return Claim(capsule=ranked.capsule, decayed=ranked.decayed, term=hit, cosine=None, support=hit.support, rank=None)


def _reasons(hits: Sequence[NearHit]) -> list[ExclusionReason]:
    return [hit.reason for hit in hits if hit.reason is not None]
