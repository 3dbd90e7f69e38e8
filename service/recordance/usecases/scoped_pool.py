"""The pool of a search within scopes in one store: its candidates in their order, and the page of them (L8, L9)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from recordance.answer.selection import RELAXED_NOTICE, Elsewhere, Pool, Relaxed, Row, shown_row
from recordance.domain.alias import MissOutcome
from recordance.domain.capsule import LabelField
from recordance.domain.relation import RelationKind
from recordance.errors import Json
from recordance.ports.truth import BrowseOrder, BrowseRequest
from recordance.query.fence import LabelFence, Scope
from recordance.query.scoped_search import ScopedSearch, SearchMode, Strategy
from recordance.query.terms import Term, TermGroup
from recordance.ranking.fusion import rank_scores
from recordance.ranking.keys import Ranked, importance_key
from recordance.ranking.relaxation import MOST_RECALLED, fragments_of, group_of, screen, surviving
from recordance.usecases.looking import Look
from recordance.usecases.lookup import sees
from recordance.usecases.term_lane import TermLane

MOST_CANDIDATES = 100
"""How many candidates of each wording enter a fusion (L8)."""
MOST_NAMED = 5
"""How many projects beyond the scope are named."""
MOST_LOOKED_AT = 20
"""Among how many of those that hold the most."""


@dataclass(frozen=True, slots=True)
class Depth:
    """Which ranks are shown, from place `first` (0 the best) up to `last`, itself left out; and how deep a pool may be at most.

    `words` bounds what one wording finds, `browsed` what is browsed, None not at all.
    """

    first: int
    last: int
    words: int
    browsed: int | None


@dataclass(frozen=True, slots=True)
class LocalPool:
    """One store's pool, and how its words ended where they found nothing; None where they did, or none were looked for (T8)."""

    pool: Pool
    missed: MissOutcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Candidates of one strategy: the pool without its rows, the numbers on the page, and how each of them was found."""

    pool: Pool
    page: Sequence[int]
    marks: Mapping[int, Mapping[str, Json]] = field(default_factory=dict[int, Mapping[str, Json]])
    by_words: int = 0


def pool_of(look: Look, request: ScopedSearch, depth: Depth) -> LocalPool:
    """Return the pool of a search in the store that is looked at, with the rows of the page."""
    found = _sought(look, request, depth)
    relaxing = request.mode is SearchMode.AUTO and not request.offset and look.request.terms
    if relaxing and not found.pool.size and found.pool.active:
        found = _relaxed(look, found, depth)
    pool = _with_rows(look, request, found, depth)
    looked = bool(look.request.terms) and not found.by_words
    missed = MissOutcome.MISSING_EVIDENCE if any(pool.excluded.values()) else MissOutcome.ABSTAIN
    return LocalPool(pool, missed if looked else None)


def _sought(look: Look, request: ScopedSearch, depth: Depth) -> _Found:
    match request.strategy:
        case Strategy.BROWSE:
            return _browsed(look, depth)
        case Strategy.STRICT:
            return _strict(look, depth)
        case _:
            return _fused(look, depth)


# ── browsing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _browsed(look: Look, depth: Depth) -> _Found:
    """Everything inside the scope, the most important first."""
    last = depth.last if depth.browsed is None else min(depth.last, depth.browsed)
    page = look.reader.browsed(_browse(look, look.scope, max(0, last - depth.first), depth.first))
    size = page.total if depth.browsed is None else min(page.total, depth.browsed)
    pool = Pool(strategy=Strategy.BROWSE, active=page.total, size=size, capped=size < page.total, total=page.total)
    return _Found(pool=pool, page=page.numbers)


def _browse(look: Look, scope: Scope, limit: int, offset: int = 0) -> BrowseRequest:
    order = BrowseOrder.IMPORTANCE
    return BrowseRequest(scope=scope, eligibility=look.eligibility, order=order, limit=limit, offset=offset)


def _active(look: Look, scope: Scope) -> int:
    """How many capsules inside a scope may ground, before any word is looked at."""
    return look.reader.browsed(_browse(look, scope, 0)).total


# ── one wording ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _strict(look: Look, depth: Depth) -> _Found:
    """All matches of the one wording, in the order of their BM25."""
    query = look.question(look.groups(look.request.terms))
    tally = look.tally(query)
    size = min(tally.eligible, depth.words)
    lane = look.lane(query, importance_key)
    page = _ordered(lane, min(depth.last, size))[depth.first :]
    pool = Pool(
        strategy=Strategy.STRICT,
        active=_active(look, look.scope),
        size=size,
        capped=size < tally.eligible,
        total=tally.eligible,
        excluded=tally.excluded,
    )
    marks = {ranked.hit.number: dict(_otherwise(ranked, look.request.terms)) for ranked in lane.ranked(page)}
    return _Found(pool=pool, page=page, marks=marks, by_words=tally.eligible)


def _ordered(lane: TermLane, wanted: int) -> list[int]:
    return [each.number for each in lane.order(wanted)] if wanted > 0 else []


def _otherwise(ranked: Ranked, terms: Sequence[Term]) -> Iterator[tuple[str, Json]]:
    """Yield what matched where that is not the wording itself but an alias of it, or the like (T7)."""
    if any(label not in {term.text for term in terms} for label in ranked.hit.matched):
        yield "matched_terms", list(ranked.hit.matched)


# ── several rankings ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Wording:
    """One wording's ranking: its lane, its candidates in order, and how many matches it has."""

    term: Term
    lane: TermLane
    candidates: Sequence[int]
    matches: int


def _fused(look: Look, depth: Depth) -> _Found:
    """The rankings of all wordings, each cut, and that of the vector lane where it ran, fused by reciprocal ranks."""
    groups = look.groups(look.request.terms) if look.request.terms else ()
    wordings = [_wording(look, group) for group in groups]
    near = {} if look.near is None else {hit.capsule.number: rank for rank, hit in enumerate(look.near.ranked, start=1)}
    rankings = [{number: rank for rank, number in enumerate(each.candidates, start=1)} for each in wordings]
    scores = rank_scores([*rankings, near])
    capsules = look.reader.capsules(scores)
    order = sorted(scores, key=lambda number: (-scores[number], *importance_key(capsules[number], 0.0)))
    page = order[depth.first : depth.last]
    pool = Pool(
        strategy=Strategy.FUSED,
        active=_active(look, look.scope),
        size=len(order),
        capped=any(each.matches > len(each.candidates) for each in wordings),
        per_query={each.term.text: each.matches for each in wordings},
        vector=None if look.near is None else len(look.near.ranked),
        excluded=look.tally(look.question(groups)).excluded if groups else {},
    )
    marks = _fused_marks(look, wordings, page, scores)
    return _Found(pool=pool, page=page, marks=marks, by_words=sum(each.matches for each in wordings))


def _wording(look: Look, group: TermGroup) -> _Wording:
    query = look.question([group])
    matches, lane = look.tally(query).eligible, look.lane(query, importance_key)
    return _Wording(group.term, lane, _ordered(lane, min(matches, MOST_CANDIDATES)), matches)


def _fused_marks(
    look: Look, wordings: Sequence[_Wording], page: Sequence[int], scores: Mapping[int, float]
) -> Mapping[int, Mapping[str, Json]]:
    cosines = {} if look.near is None else {hit.capsule.number: hit.cosine for hit in look.near.ranked}
    texts: dict[int, list[str]] = {number: [] for number in page}
    otherwise: dict[int, list[str]] = {number: [] for number in page}
    for each in wordings:
        own = set(each.candidates)
        for ranked in each.lane.ranked([number for number in page if number in own]):
            texts[ranked.hit.number].append(each.term.text)
            otherwise[ranked.hit.number] += [label for _, labels in _otherwise(ranked, [each.term]) for label in labels]
    return {
        number: {
            "fusion_score": round(scores[number], 6),
            "matched_queries": texts[number],
            **({"matched_terms": otherwise[number]} if otherwise[number] else {}),
            **({"vector_similarity": round(cosines[number], 4)} if number in cosines else {}),
        }
        for number in page
    }


# ── the relaxed pass ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _relaxed(look: Look, strict: _Found, depth: Depth) -> _Found:
    """Ask once more, for the fragments of all wordings that tell capsules apart, any of which may match (L9)."""
    fragments = fragments_of(look.request.terms, look.view.services)
    groups = {fragment.word: group_of(fragment) for fragment in fragments}
    known = look.frequencies(groups)
    counts = {word: look.tally(look.question([groups[word]])).eligible if known[word] else 0 for word in groups}
    screened = screen(fragments, counts, strict.pool.active)
    relaxed = Relaxed(screened=screened)
    if not screened.kept:
        return _Found(pool=_trying(strict.pool, relaxed), page=())
    query = look.question([groups[fragment.word] for fragment in screened.kept])
    matches, lane = look.tally(query).eligible, look.lane(query, importance_key)
    recalled = lane.order(min(matches, MOST_RECALLED)) if matches else ()
    survivors = surviving(recalled, screened.required)
    relaxed = Relaxed(screened=screened, matches=matches, recalled=len(recalled), surviving=len(survivors))
    page = [each.number for each in survivors][: depth.last]
    return _Found(
        pool=_trying(strict.pool, relaxed),
        page=page,
        marks={ranked.hit.number: _relaxed_marks(ranked) for ranked in lane.ranked(page)},
        by_words=len(survivors),
    )


def _trying(pool: Pool, relaxed: Relaxed) -> Pool:
    """Return the pool with what the pass came to; where nothing survived, it stays what the strict search made of it."""
    tried = replace(pool, relaxed=relaxed, capped=relaxed.capped)
    if not relaxed.surviving:
        return tried
    return replace(tried, strategy=Strategy.RELAXED, size=relaxed.surviving, total=None)


def _relaxed_marks(ranked: Ranked) -> Mapping[str, Json]:
    return {"match_quality": "relaxed", "matched_fragments": list(ranked.hit.matched), "notice": RELAXED_NOTICE}


# ── what is shown ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _with_rows(look: Look, request: ScopedSearch, found: _Found, depth: Depth) -> Pool:
    return replace(
        found.pool,
        naming=look.store.naming,
        shown=tuple(map(shown_row, _rows(look, request, found))),
        first=depth.first,
        elsewhere=Elsewhere() if found.pool.size else _elsewhere(look, request, found.pool.active),
    )


def _rows(look: Look, request: ScopedSearch, found: _Found) -> Iterator[Row]:
    capsules, texts = look.reader.capsules(found.page), look.reader.texts(found.page)
    supersedes = _superseded(look, found.page)
    for number in found.page:
        if number in texts and look.may_ground(capsules[number], texts[number]):
            yield Row(
                naming=look.store.naming,
                where=request.where,
                capsule=capsules[number],
                text=texts[number],
                supersedes=supersedes.get(number, ()),
                found=found.marks.get(number, {}),
            )


def _superseded(look: Look, numbers: Sequence[int]) -> Mapping[int, Sequence[int]]:
    """Return whose place each capsule took, as far as the caller may see those (F13)."""
    relations = look.reader.relations_from(numbers, [RelationKind.SUPERSEDES]) if numbers else ()
    targets = look.reader.capsules({each.target for each in relations}) if relations else {}
    taken: dict[int, list[int]] = {}
    for each in relations:
        if each.target in targets and sees(look.caller, targets[each.target]):
            taken.setdefault(each.source, []).append(each.target)
    return taken


def _elsewhere(look: Look, request: ScopedSearch, active: int) -> Elsewhere:
    """Return what all other fences, the token's among them, leave beyond the scope (case F8, F13)."""
    own = request.where.fences
    wide = Scope(tuple(fence for fence in look.scope.fences if fence not in own))
    beyond = _active(look, wide) - active
    if not beyond:
        return Elsewhere()
    counts = sorted(look.reader.projects(wide), key=lambda each: -each.capsules)
    others = (each.project for each in counts if each.project is not None and each.project != request.where.label)
    return Elsewhere(beyond, tuple(islice(_with_active(look, wide, islice(others, MOST_LOOKED_AT)), MOST_NAMED)))


def _with_active(look: Look, wide: Scope, projects: Iterable[str]) -> Iterator[str]:
    """Yield the projects that have something to show: those counted may have none that may ground."""
    for project in projects:
        if _active(look, wide.with_fences(LabelFence(LabelField.PROJECT, frozenset({project})))):
            yield project
