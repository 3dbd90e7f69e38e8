"""`recall` in one store: a pool from the lanes, weighed, guarded and resolved, and what its hits are shown with (L12, L13)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from recordance.answer.accrued import AccruedHit, AccruedPart, Fold, shown_hit
from recordance.answer.envelope import Shown
from recordance.answer.shown import Whole
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, CapsuleText
from recordance.domain.embedding import Measure, Vector
from recordance.domain.relation import RelationKind
from recordance.domain.warrant import Warrant, warrant
from recordance.ports.terms import Tally
from recordance.query.accrued import AccruedRequest, Detail, Wish
from recordance.query.document import Order
from recordance.query.exclusion import Eligibility, ExclusionReason
from recordance.query.folding import fold_words
from recordance.query.lane import Fusion
from recordance.ranking.accrual import Signals, accrued, by_score, relevances
from recordance.ranking.conflict import Correction, demoted, resolved
from recordance.ranking.diversity import Contender, diverse
from recordance.ranking.scoring import TermHit
from recordance.ranking.stuffing import clean_first, stuffed
from recordance.usecases.backing import backings
from recordance.usecases.lanes import FusedFindings
from recordance.usecases.looking import Look, look_at
from recordance.usecases.lookup import sees
from recordance.usecases.read import wholes
from recordance.usecases.reliance import Reliance
from recordance.usecases.store import Store
from recordance.usecases.term_lane import TermLane


@dataclass(frozen=True, slots=True)
class AccruedFound:
    """What one store has: its hits best first, each with its row; who lost a place among its first k; what is said of it."""

    hits: tuple[AccruedHit, ...]
    shown: tuple[Shown, ...]
    folded: Mapping[Fold, tuple[int, ...]]
    _part: AccruedPart

    def part(self, aside: str | None) -> AccruedPart:
        """Return what is said of the store; `aside` is why its vectors were left out, None where nothing was."""
        return replace(self._part, aside=aside)


def accrue_in(store: Store, caller: Caller, request: AccruedRequest, reliance: Reliance, least: int) -> AccruedFound:
    """Return the best of one store, `least` of them or k if that is more; nothing is written."""
    asked = request.base
    if Wish.TRUSTED_ONLY in request.wishes:
        with store.truth.reading() as reader:
            asked = replace(asked, scope=asked.scope.with_fences(store.trusted.fence(reader, reliance)))
    with look_at(store, caller, asked) as look:
        return _Accrual(look, request, reliance).found(max(request.k, least))


@dataclass(frozen=True, slots=True)
class _Pooled:
    """A candidate: what the lanes say for it, and what it says."""

    capsule: Capsule
    text: CapsuleText
    words: list[str]
    hit: TermHit | None
    cosine: float | None


class _Accrual:
    """One recall in one snapshot."""

    def __init__(self, look: Look, request: AccruedRequest, reliance: Reliance) -> None:
        self._look = look
        self._request = request
        self._reliance = reliance
        self._query = look.question(look.asked(look.request.terms), Order.WEIGHT)
        self._lane = look.lane(self._query)
        self._tally = _counted(look, self._lane, look.tally(self._query))

    def found(self, wanted: int) -> AccruedFound:
        near = self._pool()
        behind = self._behind(near)
        over = self._resolved({**near, **behind})
        pool = {**near, **{number: each for number, each in behind.items() if number in over}}
        hits = {each.number: each for each in self._weighed(pool)}
        plain = clean_first(by_score(list(hits), {number: hit.score for number, hit in hits.items()}), lambda n: hits[n].stuffed)
        spread = self._spread(plain, hits, pool, wanted)
        order = demoted(spread, over)
        best = [replace(hits[number], resolved_over=over.get(number, ())) for number in order[:wanted]]
        folded = self._folded(plain, spread, order)
        return AccruedFound(tuple(best), tuple(self._shown(best)), folded, self._part())

    def _folded(self, plain: Sequence[int], spread: Sequence[int], order: Sequence[int]) -> Mapping[Fold, tuple[int, ...]]:
        """Return who would stand among the first k, and which of the two re-orderings took the place (L11, O9)."""
        k = self._request.k
        shown = set(order[:k])
        restated = tuple(number for number in spread[:k] if number not in shown)
        alike = tuple(number for number in plain[:k] if number not in {*shown, *restated})
        return {Fold.RESTATED: restated, Fold.ALIKE: alike}

    # ── which are weighed ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _pool(self) -> Mapping[int, _Pooled]:
        """Return the first candidates of each lane, judged by the truth, each with what both lanes say for it."""
        most, near = self._request.pool, self._look.near
        ranked = self._lane.best(most) if self._tally.eligible else ()
        capsules = {each.capsule.number: each.capsule for each in ranked}
        if near is not None:
            capsules |= {each.capsule.number: each.capsule for each in near.ranked}
        return self._pooled(capsules, {each.hit.number: each.hit for each in ranked})

    def _behind(self, pool: Mapping[int, _Pooled]) -> Mapping[int, _Pooled]:
        """Return the matching corrections of matching retired values that restatements keep out of the pool (O9)."""
        whole = self._tally.eligible <= len(pool) or not self._tally.excluded.get(ExclusionReason.SUPERSEDED)
        if whole or Wish.RESOLVED not in self._request.wishes:
            return {}
        seen = self._look.eligibility
        query = replace(self._query, eligibility=replace(seen, admit=seen.admit | {ExclusionReason.SUPERSEDED}))
        ranked = self._look.lane(query).best(self._request.pool) if self._look.tally(query).eligible else ()
        retired = {each.capsule.number for each in ranked if each.capsule.standing.superseded_at is not None}
        numbers = self._successors(retired) - pool.keys()
        found = self._pooled(self._look.reader.capsules(numbers), {}) if numbers else {}
        return {number: each for number, each in found.items() if each.hit is not None or each.cosine is not None}

    def _successors(self, retired: set[int]) -> set[int]:
        """Return what took the place of the retired ones, in any number of steps."""
        found: set[int] = set()
        front = retired
        while front:
            relations = self._look.reader.relations_to(front, [RelationKind.SUPERSEDES])
            front = {each.source for each in relations} - found
            found |= front
        return found

    def _pooled(self, capsules: Mapping[int, Capsule], hits: Mapping[int, TermHit]) -> Mapping[int, _Pooled]:
        """Return those capsules that may be shown, with what both lanes say for each."""
        texts = self._look.reader.texts(list(capsules))
        seen = [number for number in capsules if number in texts and self._may_show(capsules[number], texts[number])]
        cosines = self._cosines(seen)
        words = {number: fold_words(texts[number].content) for number in seen}
        return {
            number: _Pooled(
                capsule=capsules[number],
                text=texts[number],
                words=words[number],
                hit=hits[number] if number in hits else self._lane.scorer.score(number, words[number]),
                cosine=cosines.get(number),
            )
            for number in seen
        }

    def _may_show(self, capsule: Capsule, text: CapsuleText) -> bool:
        trusted = Wish.TRUSTED_ONLY not in self._request.wishes or self._reliance.trusts_text(text, capsule.content_digest)
        return trusted and self._look.may_ground(capsule, text)

    def _cosines(self, numbers: Collection[int]) -> Mapping[int, float]:
        """Return the cosine, where above 0, of every candidate that has a vector; none where nothing is asked by meaning."""
        if self._look.near is None or self._look.request.embedding is None:
            return {}
        found = {each.capsule.number: each.cosine for each in self._look.near.ranked}
        measure = Measure(self._look.request.embedding)
        for number, vector in self._vectors_of([number for number in numbers if number not in found]).items():
            if (cosine := measure.cosine(vector)) > 0.0:
                found[number] = cosine
        return found

    def _vectors_of(self, numbers: Collection[int]) -> Mapping[int, Vector]:
        return self._look.reader.vectors(self._look.request.space, numbers) if numbers else {}

    # ── in which order ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _weighed(self, pool: Mapping[int, _Pooled]) -> Sequence[AccruedHit]:
        signals = {
            number: Signals(0.0 if each.hit is None else each.hit.bm25, each.cosine or 0.0) for number, each in pool.items()
        }
        relevance = relevances(signals, lanes=1 if self._look.near is None else 2)
        return [
            AccruedHit(
                capsule=each.capsule,
                text=each.text,
                relevance=relevance[number],
                accrued=(worth := accrued(each.capsule)),
                score=relevance[number] * worth,
                term=each.hit,
                cosine=each.cosine,
                stuffed=stuffed(each.words),
            )
            for number, each in pool.items()
        ]

    def _spread(
        self, order: Sequence[int], hits: Mapping[int, AccruedHit], pool: Mapping[int, _Pooled], wanted: int
    ) -> list[int]:
        """Return the order with the first `wanted` chosen to differ, clean ones first, where that is asked for (L11)."""
        balance = self._request.balance
        if balance is None or not order:
            return list(order)
        most = max(hit.score for hit in hits.values()) or 1.0
        vectors = self._vectors_of(order)
        chosen: list[int] = []
        for tier in (False, True):
            contenders = [
                Contender(
                    number=number,
                    relevance=hits[number].score / most,
                    words=frozenset(pool[number].words),
                    vector=vectors.get(number),
                )
                for number in order
                if hits[number].stuffed is tier
            ]
            chosen += diverse(contenders, max(wanted - len(chosen), 0), balance)
        return [*chosen, *(number for number in order if number not in set(chosen))]

    def _resolved(self, pool: Mapping[int, _Pooled]) -> Mapping[int, tuple[int, ...]]:
        """Return which hits restate what another one has retired, where that is to be resolved (O9)."""
        if Wish.RESOLVED not in self._request.wishes:
            return {}
        retired = self._retired(pool)
        contents = self._look.reader.contents({number for numbers in retired.values() for number in numbers})
        old = {number: frozenset(fold_words(content)) for number, content in contents.items()}
        corrections = [
            Correction(number, frozenset(pool[number].words), {each: old[each] for each in numbers if each in old})
            for number, numbers in retired.items()
        ]
        return resolved({number: frozenset(each.words) for number, each in pool.items()}, corrections)

    def _retired(self, pool: Mapping[int, _Pooled]) -> Mapping[int, set[int]]:
        """Return what each candidate supersedes, in any number of steps, as far as the caller may see it (F13)."""
        reader, caller = self._look.reader, self._look.caller
        forward: dict[int, set[int]] = {}
        front = set(pool)
        while front:
            relations = reader.relations_from(front, [RelationKind.SUPERSEDES])
            targets = reader.capsules({each.target for each in relations})
            forward |= {number: set() for number in front}
            for each in relations:
                if sees(caller, targets[each.target]):
                    forward[each.source].add(each.target)
            front = {each for number in front for each in forward[number]} - forward.keys()
        return {number: behind for number in pool if (behind := _reached(number, forward))}

    # ── what is shown ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _shown(self, best: Sequence[AccruedHit]) -> Sequence[Shown]:
        warrants = self._warrants([hit.capsule for hit in best])
        whole = self._wholes([hit.capsule for hit in best])
        now = Eligibility(at=self._look.at)
        return [
            Shown(
                partial(
                    shown_hit, hit, self._request, self._look.store.naming, warrants.get(hit.number), whole.get(hit.number), now
                ),
                hit.number,
                hit.capsule.content_digest,
            )
            for hit in best
        ]

    def _warrants(self, capsules: Sequence[Capsule]) -> Mapping[int, Warrant]:
        if Wish.WARRANT not in self._request.wishes:
            return {}
        backing = backings(self._look.reader, self._look.caller, capsules, self._reliance)
        return {each.number: warrant(each, backing[each.number], self._reliance.bar) for each in capsules}

    def _wholes(self, capsules: Sequence[Capsule]) -> Mapping[int, Whole]:
        if self._request.detail is not Detail.FULL:
            return {}
        return {each.capsule.number: each for each in wholes(self._look.reader, self._look.caller, capsules)}

    def _part(self) -> AccruedPart:
        look = self._look
        nothing = not self._tally.eligible and not any(self._tally.excluded.values())
        return AccruedPart(
            name=look.store.name,
            capsules=look.corpus.statistics.capsules,
            in_scope=sum(each.capsules for each in look.reader.projects(look.scope)) if nothing else None,
            matched=self._tally.eligible,
            excluded=self._tally.excluded,
        )


def _counted(look: Look, lane: TermLane, tally: Tally) -> Tally:
    """Return all matches, each counted once, whichever lane has it."""
    if look.near is None:
        return tally
    return FusedFindings(lane, tally, look.near, Fusion.CONVEX, look.store.fusion_depth).tally


def _reached(number: int, forward: Mapping[int, set[int]]) -> set[int]:
    seen: set[int] = set()
    waiting = [number]
    while waiting:
        new = forward.get(waiting.pop(), set()) - seen
        seen |= new
        waiting.extend(new)
    return seen
