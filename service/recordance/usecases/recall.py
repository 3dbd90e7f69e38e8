"""Recall: ranked evidence for the caller's words, or an honest account of why there is none (O1 to O6, T7, T8, F5, F8, L6, L7).

Plan what to read, gather it from one snapshot, decide the answer. Nothing is written but a note for the miss ledger.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.envelope import Evidence, envelope
from recordance.answer.outcome import Outcome, outcome_of
from recordance.answer.report import Gathered, report
from recordance.domain.alias import MissOutcome
from recordance.domain.caller import Caller
from recordance.domain.capsule import CapsuleText
from recordance.domain.identity import capsule_number
from recordance.domain.instant import Instant
from recordance.domain.relation import Effort, EffortRole
from recordance.domain.review import CORROBORATION_WEIGHT, NO_CORROBORATION, Corroboration
from recordance.domain.tombstone import SKELETON_LABELS
from recordance.errors import Json
from recordance.ports.terms import Tally
from recordance.ports.truth import TruthReader
from recordance.query.document import TermQuery
from recordance.query.exclusion import Eligibility, ExclusionReason, first_exclusion
from recordance.query.fence import Fence, LabelBarrier, LabelFence, MemberFence, Scope, SubtreeFence, admits, marks_of
from recordance.query.lane import Lane
from recordance.query.request import RecallRequest
from recordance.query.terms import Term, expand
from recordance.ranking.blend import Blend, blended, reach
from recordance.ranking.keys import Ranked
from recordance.ranking.trimming import Trimmed, most_that_fit, trim
from recordance.usecases.effort import resolve_effort
from recordance.usecases.follow import RecallView
from recordance.usecases.store import Destinations, Store
from recordance.usecases.term_lane import TermLane, corpus_of, term_lane

_MISSED = {Outcome.MISSING_EVIDENCE: MissOutcome.MISSING_EVIDENCE, Outcome.ABSTAIN: MissOutcome.ABSTAIN}
FIRST_PAGE = 12
"""How many results are built at first; more only where the budget still has room for them."""
PAGE_GROWTH = 4


def recall(destinations: Destinations, caller: Caller, destination: str | None, request: RecallRequest) -> dict[str, Json]:
    """Answer a recall as a wire object: `grounded`, `missing_evidence` or `abstain`, none of which is an error (O6).

    Raises MissingState for an effort that cannot fence (F5), and for a destination that the caller cannot see.
    """
    store = destinations.reading(caller, destination)
    at = store.clock.now()
    with store.terms.at_head() as view:
        asked = _ask(view, caller, request, at)
        found = _find(store, asked)
        answer = report(_gathered(store, asked, found))
    _note_misses(store, caller, asked, found)
    return answer


@dataclass(frozen=True, slots=True)
class _Asked:
    """A recall bound to one view of one store."""

    view: RecallView
    request: RecallRequest
    lane: TermLane
    effort: Effort | None
    probed: int

    @property
    def query(self) -> TermQuery:
        return self.lane.query

    @property
    def blend(self) -> Blend:
        return Blend(self.request.weight_blend, self.request.corroboration_blend)


@dataclass(frozen=True, slots=True)
class _Found:
    """What the lane found: the counts over all matches, and the ranking where `min_support` cut it beforehand."""

    tally: Tally
    supported: tuple[Ranked, ...] | None


def _ask(view: RecallView, caller: Caller, request: RecallRequest, at: Instant) -> _Asked:
    own = () if caller.projects is None else (SubtreeFence(caller.projects),)
    effort = None if request.effort_id is None else resolve_effort(view.reader, caller, request.effort_id)
    members = () if effort is None else (MemberFence(effort.members | {effort.epic}),)
    query = TermQuery(
        groups=expand(request.terms, _aliases(view.reader, request.terms)),
        scope=request.scope.with_fences(*own, *members),
        eligibility=Eligibility(at=at if request.as_of is None else request.as_of, window=request.window, admit=request.admit),
    )
    lane = term_lane(view, query, corpus_of(view.reader, caller.projects, Scope(own)), at)
    return _Asked(view, request, lane, effort, _probe(view.reader, request.terms, query.scope))


def _aliases(reader: TruthReader, terms: Sequence[Term]) -> Mapping[str, list[tuple[str, tuple[str, ...]]]]:
    taught = reader.aliases([term.key for term in terms])
    return {
        key: [(alias.text, tuple(dict.fromkeys(alias.alias_key.split(" ")))) for alias in aliases]
        for key, aliases in taught.items()
    }


def _probe(reader: TruthReader, terms: Sequence[Term], scope: Scope) -> int:
    """Return how many terms are exactly the id of a forgotten capsule whose skeleton lies inside the scope (F8)."""
    named = [number for term in terms if (number := capsule_number(term.text)) is not None]
    if not named:
        return 0
    fences = Scope(tuple(fence for fence in scope.fences if _fences_skeleton(fence)))
    skeletons = reader.capsules(list(reader.tombstones(named)))
    return sum(admits(fences, skeleton, {}) for skeleton in skeletons.values())


def _fences_skeleton(fence: Fence) -> bool:
    match fence:
        case LabelFence(field=field) | LabelBarrier(field=field):
            return field in SKELETON_LABELS
        case SubtreeFence() | MemberFence():
            return True
        case _:
            return False


def _find(store: Store, asked: _Asked) -> _Found:
    tally = asked.view.terms.tally(asked.query)
    least = asked.request.min_support
    if not least or tally.eligible == 0:  # nothing lies below a support of 0
        return _Found(_with_probe(tally, asked.probed, {}), None)
    ranked = asked.lane.best(max(store.fusion_depth, asked.request.limit or 0))
    # The support as shown decides, so that nobody sees 0.50 refused by a bound of 0.5.
    kept = tuple(hit for hit in ranked if round(hit.hit.support, 2) >= least)
    below = {ExclusionReason.BELOW_SUPPORT: len(ranked) - len(kept)}
    return _Found(_with_probe(Tally(len(kept), tally.excluded), asked.probed, below), kept)


def _with_probe(tally: Tally, probed: int, below: Mapping[ExclusionReason, int]) -> Tally:
    return Tally(tally.eligible, {**tally.excluded, **below, ExclusionReason.TOMBSTONED: probed})


def _gathered(store: Store, asked: _Asked, found: _Found) -> Gathered:
    trimmed, best = _shown(store, asked, found)
    return Gathered(
        request=asked.request,
        identity=asked.view.reader.identity(),
        head=asked.view.head,
        lanes=(Lane.TERM,),
        groups=asked.query.groups,
        capsules=asked.lane.weights.corpus.capsules,
        eligible=found.tally.eligible,
        excluded=found.tally.excluded,
        trimmed=trimmed,
        best_support=best,
        effort=asked.effort,
    )


def _shown(store: Store, asked: _Asked, found: _Found) -> tuple[Trimmed, float | None]:
    """Return what is shown and the best result's support, reading no more results than can be shown (O3)."""
    most = min(found.tally.eligible, most_that_fit(asked.request.token_budget))
    if asked.request.limit is not None:
        most = min(most, asked.request.limit)
    page = min(most, FIRST_PAGE)
    ranked: tuple[Ranked, ...] = ()
    results: list[dict[str, Json]] = []
    while page:
        built, ranked = len(ranked), _page(asked, found, page)
        # A longer page begins with the shorter one, so that only what follows it is built.
        results += [envelope(one) for one in _evidence(store, asked, ranked[built:])]
        trimmed = trim(results, asked.request.token_budget)
        if trimmed.budget_ended or page >= most:
            return trimmed, ranked[0].hit.support if ranked else None
        page = min(most, page * PAGE_GROWTH)
    return Trimmed((), budget_ended=False), None


def _page(asked: _Asked, found: _Found, count: int) -> tuple[Ranked, ...]:
    depth = reach(count, asked.blend)
    base = asked.lane.best(depth) if found.supported is None else found.supported[:depth]
    return _blend(asked, base)[:count]


def _blend(asked: _Asked, base: tuple[Ranked, ...]) -> tuple[Ranked, ...]:
    blend = asked.blend
    if blend.dormant:
        return base
    numbers = [one.capsule.number for one in base]
    verdicts = asked.view.reader.corroborations(numbers) if blend.corroboration else {}
    factors = [
        blend.factor(one.capsule.use.feedback_weight, _corroboration_weight(verdicts.get(one.capsule.number))) for one in base
    ]
    return blended(base, factors, numbers)


def _corroboration_weight(verdict: Corroboration | None) -> float:
    return NO_CORROBORATION if verdict is None else CORROBORATION_WEIGHT[verdict.verdict]


def _evidence(store: Store, asked: _Asked, ranked: Sequence[Ranked]) -> list[Evidence]:
    numbers = [one.capsule.number for one in ranked]
    texts = asked.view.reader.texts(numbers)
    verdicts = asked.view.reader.corroborations(numbers)
    return [
        Evidence(
            ranked=one,
            text=texts[one.capsule.number],
            anchor=store.anchors.read(anchors[0]) if (anchors := texts[one.capsule.number].anchors) else None,
            corroboration=verdicts.get(one.capsule.number),
            feedback_weight=one.capsule.use.feedback_weight if asked.request.weight_blend else None,
            role=_role(asked.effort, one.capsule.number),
        )
        for one in ranked
        if one.capsule.number in texts and _may_ground(asked, one, texts[one.capsule.number])
    ]


def _may_ground(asked: _Asked, ranked: Ranked, text: CapsuleText) -> bool:
    """Judge once more by the truth: an index can lag, it can never invent (decision 4)."""
    query = asked.query
    return admits(query.scope, ranked.capsule, marks_of(text)) and first_exclusion(ranked.capsule, query.eligibility) is None


def _role(effort: Effort | None, number: int) -> EffortRole | None:
    if effort is None:
        return None
    return EffortRole.EPIC if number == effort.epic else EffortRole.MEMBER


def _note_misses(store: Store, caller: Caller, asked: _Asked, found: _Found) -> None:
    """Note the terms of a term lane that ended without evidence, before any trimming (T8)."""
    ended = _MISSED.get(outcome_of(found.tally.eligible, found.tally.excluded))
    if ended is not None:
        store.misses.record([term.key for term in asked.request.terms], ended, caller.fence_key, asked.lane.at)
