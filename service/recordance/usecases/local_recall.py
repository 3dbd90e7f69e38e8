"""Recall in one store (O1 to O6, T7, T8, F5, F8, L1 to L7): plan what to read, gather it from one snapshot, decide the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.envelope import Evidence, Shown, shown_of
from recordance.answer.outcome import Outcome, outcome_of
from recordance.answer.report import Gathered
from recordance.domain.alias import MissOutcome
from recordance.domain.caller import Caller
from recordance.domain.instant import Instant
from recordance.domain.relation import Effort, EffortRole
from recordance.domain.review import CORROBORATION_WEIGHT, NO_CORROBORATION, Corroboration
from recordance.domain.tombstone import SKELETON_LABELS
from recordance.ports.terms import Tally
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import Fence, LabelBarrier, LabelFence, MemberFence, Scope, SubtreeFence, admits
from recordance.query.lane import Lane
from recordance.query.request import RecallRequest
from recordance.query.terms import TermGroup, expand
from recordance.ranking.blend import Blend, blended, reach
from recordance.ranking.claim import Claim
from recordance.ranking.trimming import most_that_fit, trim
from recordance.usecases.lanes import Findings, FusedFindings, TermFindings, VectorFindings
from recordance.usecases.looking import Look, look_at
from recordance.usecases.store import Store
from recordance.usecases.vector_lane import Nearest

_MISSED = {Outcome.MISSING_EVIDENCE: MissOutcome.MISSING_EVIDENCE, Outcome.ABSTAIN: MissOutcome.ABSTAIN}
FIRST_PAGE = 12
"""How many results are built at first; more only where the budget still has room for them."""
PAGE_GROWTH = 4


@dataclass(frozen=True, slots=True)
class LocalRecall:
    """One store's answer: what it is decided from, and how its term lane ended, None where that did not run (T8)."""

    gathered: Gathered
    ended: Outcome | None
    missed: tuple[str, ...]
    at: Instant

    def note_misses(self, store: Store, caller: Caller) -> None:
        """Note the terms of a term lane that ended without evidence, before any trimming; vectors teach no words (T8)."""
        kept = None if self.ended is None else _MISSED.get(self.ended)
        if kept is not None:
            store.misses.record(self.missed, kept, caller.fence_key, self.at)


def recall_in(store: Store, caller: Caller, request: RecallRequest, least: int = 0) -> LocalRecall:
    """Recall in one store; nothing is written.

    What is gathered has the first `least` results whatever the request's limit and budget, for whoever cuts them later.

    Raises MissingState for an effort that cannot fence (F5), OtherDimension for an embedding of another dimension than the
    store's (L2).
    """
    with look_at(store, caller, request) as look:
        asked, findings = _ask(look)
        found = _find(asked, findings)
        gathered = _gathered(asked, found, least)
    ended = None if found.term_tally is None else outcome_of(found.term_tally.eligible, found.term_tally.excluded)
    return LocalRecall(gathered, ended, tuple(term.key for term in request.terms), look.at)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A recall bound to one snapshot of one store, with every way in which its terms can match."""

    look: Look
    groups: tuple[TermGroup, ...]

    @property
    def request(self) -> RecallRequest:
        return self.look.request

    @property
    def reader(self) -> TruthReader:
        return self.look.reader

    @property
    def blend(self) -> Blend:
        return Blend(self.request.weight_blend, self.request.corroboration_blend)


@dataclass(frozen=True, slots=True)
class _Found:
    """What counts: all matches, those of the term lane alone, and the ranking where `min_support` cut it beforehand."""

    findings: Findings
    tally: Tally
    term_tally: Tally | None
    supported: tuple[Claim, ...] | None


def _ask(look: Look) -> tuple[_Asked, Findings]:
    """Return what the lanes that run found (L1)."""
    request = look.request
    if Lane.TERM not in request.lanes:
        return _Asked(look, expand(request.terms, {})), VectorFindings(look.near or Nearest(), look.at)
    groups = look.groups(request.terms)
    query = look.question(groups)
    lane, tally = look.lane(query), look.tally(query)
    if look.near is None:
        return _Asked(look, groups), TermFindings(lane, tally)
    return _Asked(look, groups), FusedFindings(lane, tally, look.near, request.fusion, look.store.fusion_depth)


def _probe(look: Look) -> int:
    """Return how many terms are exactly the id of a forgotten capsule whose skeleton lies inside the scope (F8)."""
    named = [number for term in look.request.terms if (number := look.store.naming.number(term.text)) is not None]
    if not named:
        return 0
    fences = Scope(tuple(fence for fence in look.scope.fences if _fences_skeleton(fence)))
    skeletons = look.reader.capsules(list(look.reader.tombstones(named)))
    return sum(admits(fences, skeleton, {}) for skeleton in skeletons.values())


def _fences_skeleton(fence: Fence) -> bool:
    match fence:
        case LabelFence(field=field) | LabelBarrier(field=field):
            return field in SKELETON_LABELS
        case SubtreeFence() | MemberFence():
            return True
        case _:
            return False


def _find(asked: _Asked, findings: Findings) -> _Found:
    tally, term_tally = findings.tally, findings.term_tally
    least = asked.request.min_support
    supported: tuple[Claim, ...] | None = None
    below: dict[ExclusionReason, int] = {}
    if least and tally.eligible:  # nothing lies below a support of 0
        ranked = findings.best(max(asked.look.store.fusion_depth, asked.request.limit or 0))
        # The support as shown decides, so that nobody sees 0.50 refused by a bound of 0.5.
        supported = tuple(claim for claim in ranked if round(claim.support, 2) >= least)
        below = {ExclusionReason.BELOW_SUPPORT: len(ranked) - len(supported)}
        tally = Tally(len(supported), tally.excluded)
        if term_tally is not None:
            term_tally = Tally(sum(claim.term is not None for claim in supported), term_tally.excluded)
    more = {**below, ExclusionReason.TOMBSTONED: _probe(asked.look)}
    return _Found(findings, _with(tally, more), None if term_tally is None else _with(term_tally, more), supported)


def _with(tally: Tally, more: Mapping[ExclusionReason, int]) -> Tally:
    return Tally(tally.eligible, {**tally.excluded, **more})


def _gathered(asked: _Asked, found: _Found, least: int) -> Gathered:
    shown, best = _shown(asked, found, least)
    look, space = asked.look, asked.reader.space(asked.request.space)
    return Gathered(
        request=asked.request,
        identity=asked.reader.identity(),
        head=asked.reader.head(),
        naming=look.store.naming,
        lanes=asked.request.lanes,
        groups=asked.groups,
        capsules=look.corpus.statistics.capsules,
        vectors=0 if space is None else space.vectors,
        eligible=found.tally.eligible,
        excluded=found.tally.excluded,
        shown=shown,
        best_support=best,
        effort=look.effort,
        sight=look.sight,
    )


def _shown(asked: _Asked, found: _Found, least: int) -> tuple[tuple[Shown, ...], float | None]:
    """Return what can be shown, or `least` if that is more, and the best result's support, reading no more than that (O3).

    Where few can be shown at all and they are cut later, they are not cut here: that would make an envelope of each.
    """
    most = most_that_fit(asked.request.token_budget)
    if asked.request.limit is not None:
        most = min(most, asked.request.limit)
    most = min(found.tally.eligible, max(most, least))
    page = min(most, max(FIRST_PAGE, 2 * least))
    ranked: tuple[Claim, ...] = ()
    results: list[Shown] = []
    while page:
        built, ranked = len(ranked), _page(asked, found, page)
        # A longer page begins with the shorter one, so that only what follows it is built.
        results += [shown_of(one) for one in _evidence(asked, ranked[built:])]
        if least and page >= most:
            return tuple(results), ranked[0].support if ranked else None
        trimmed = trim([each.envelope for each in results], asked.request.token_budget)
        if trimmed.budget_ended or page >= most:
            return tuple(results[: max(len(trimmed.shown), least)]), ranked[0].support if ranked else None
        page = min(most, page * PAGE_GROWTH)
    return (), None


def _page(asked: _Asked, found: _Found, count: int) -> tuple[Claim, ...]:
    depth = reach(count, asked.blend)
    base = found.findings.best(depth) if found.supported is None else found.supported[:depth]
    return _blend(asked, base)[:count]


def _blend(asked: _Asked, base: tuple[Claim, ...]) -> tuple[Claim, ...]:
    blend = asked.blend
    if blend.dormant:
        return base
    numbers = [one.capsule.number for one in base]
    verdicts = asked.reader.corroborations(numbers) if blend.corroboration else {}
    factors = [
        blend.factor(one.capsule.use.feedback_weight, _corroboration_weight(verdicts.get(one.capsule.number))) for one in base
    ]
    return blended(base, factors, numbers)


def _corroboration_weight(verdict: Corroboration | None) -> float:
    return NO_CORROBORATION if verdict is None else CORROBORATION_WEIGHT[verdict.verdict]


def _evidence(asked: _Asked, ranked: Sequence[Claim]) -> list[Evidence]:
    look, numbers = asked.look, [one.capsule.number for one in ranked]
    texts = asked.reader.texts(numbers)
    verdicts = asked.reader.corroborations(numbers)
    return [
        Evidence(
            naming=look.store.naming,
            claim=one,
            text=texts[one.capsule.number],
            anchor=look.store.anchors.read(anchors[0]) if (anchors := texts[one.capsule.number].anchors) else None,
            corroboration=verdicts.get(one.capsule.number),
            feedback_weight=one.capsule.use.feedback_weight if asked.request.weight_blend else None,
            role=_role(look.effort, one.capsule.number),
        )
        for one in ranked
        if one.capsule.number in texts and look.may_ground(one.capsule, texts[one.capsule.number])
    ]


def _role(effort: Effort | None, number: int) -> EffortRole | None:
    if effort is None:
        return None
    return EffortRole.EPIC if number == effort.epic else EffortRole.MEMBER
