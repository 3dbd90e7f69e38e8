"""The answer of a search within scopes as one wire object: `memories`, and `retrieval`, which tells how to read them (O7, D2)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recordance.answer.merging import Failed, Ranking, absences, aside_view, failed_view, merge_ranked
from recordance.answer.outcome import excluded_view
from recordance.answer.report import present
from recordance.answer.selection import RELAXED_NOTICE, Elsewhere, Pool, Relaxed
from recordance.errors import Json
from recordance.query.exclusion import ExclusionReason
from recordance.query.scoped_search import Globals, ScopedSearch, ScopeKind, SearchMode, Strategy
from recordance.ranking.relaxation import Fragment


@dataclass(frozen=True, slots=True)
class Part:
    """What one destination answered; `aside` is why its vector lane did not run, None where nothing was left out (D5)."""

    name: str
    pool: Pool
    aside: str | None = None


def selection(request: ScopedSearch, part: Part) -> dict[str, Json]:
    """Return the answer of the only destination there is."""
    pool = part.pool
    rows = [each.envelope for each in pool.shown]
    return {
        "memories": rows,
        "retrieval": _retrieval(request, _Page(pool, len(rows), bool(rows) and pool.unseen, _tried([pool]))),
    }


def merged_selection(
    request: ScopedSearch, parts: Sequence[Part], asked: Sequence[Part | Failed], unasked: Sequence[str]
) -> dict[str, Json]:
    """Return the answer of all that answered, `parts`; `asked` names them together with those that failed (D2 to D4).

    One destination alone has shown the page; several have shown their rankings from the first rank to the page's last.
    """
    kept = _without_needless_relaxing(request, parts)
    merged = merge_ranked([Ranking(each.name, each.pool.naming, each.pool.shown) for each in kept])
    pool = _joint_pool(request, kept, merged.joined)
    begin = request.offset - pool.first
    page = merged.results[begin : begin + request.limit]
    more = bool(page) and (len(merged.results) > begin + request.limit or any(each.pool.unseen for each in kept))
    told, missing = {each.name: each for each in kept}, tuple(absences(asked, unasked))
    searched = [_searched(each if isinstance(each, Failed) else told[each.name]) for each in asked]
    return {
        "memories": [each.row() for each in page],
        "retrieval": _retrieval(request, _Page(pool, len(page), more, _tried([each.pool for each in kept]), missing)),
        "searched": searched,
    }


def reason_of(pool: Pool, offset: int, returned: int) -> str:
    """Return the code that tells how the page is to be read; the first that holds (O7)."""
    if not pool.active:
        return "empty_scope"
    if not pool.size:
        return "no_lexical_match"
    if offset >= pool.size or not returned:
        return "offset_beyond_pool"
    return "relaxed_match" if pool.strategy is Strategy.RELAXED else "matched"


# ── several destinations ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _without_needless_relaxing(request: ScopedSearch, parts: Sequence[Part]) -> Sequence[Part]:
    """Return the parts without what a relaxed pass found where another destination has strict matches: the pool is not empty."""
    if not any(part.pool.size and part.pool.strategy is not Strategy.RELAXED for part in parts):
        return parts
    return [part if part.pool.relaxed is None else replace(part, pool=_unrelaxed(request, part.pool)) for part in parts]


def _unrelaxed(request: ScopedSearch, pool: Pool) -> Pool:
    # A pass is made only where no wording matches, so that a single one comes to no match at all, and not to an unknown number.
    total = 0 if request.strategy is Strategy.STRICT else None
    return replace(pool, strategy=request.strategy, size=0, capped=False, total=total, shown=(), relaxed=None)


def _joint_pool(request: ScopedSearch, parts: Sequence[Part], joined: int) -> Pool:
    """Return what all parts come to: counts summed, less what several show as the same content."""
    pools = [part.pool for part in parts]
    totals = [pool.total for pool in pools if pool.total is not None]
    vectors = [pool.vector for pool in pools if pool.vector is not None]
    projects = dict.fromkeys(project for pool in pools for project in pool.elsewhere.projects)
    return Pool(
        strategy=Strategy.RELAXED if any(pool.strategy is Strategy.RELAXED for pool in pools) else request.strategy,
        active=sum(pool.active for pool in pools),
        size=sum(pool.size for pool in pools) - joined,
        capped=any(pool.capped for pool in pools),
        total=sum(totals) if len(totals) == len(pools) else None,
        per_query={text: sum(pool.per_query.get(text, 0) for pool in pools) for pool in pools for text in pool.per_query},
        vector=sum(vectors) if vectors else None,
        excluded=sum((Counter(pool.excluded) for pool in pools), Counter[ExclusionReason]()),
        first=pools[0].first,
        elsewhere=Elsewhere(sum(pool.elsewhere.capsules for pool in pools), tuple(projects)),
    )


def _searched(each: Part | Failed) -> dict[str, Json]:
    if isinstance(each, Failed):
        return failed_view(each)
    pool = each.pool
    return {
        "destination": each.name,
        "scoped_active": pool.active,
        "candidate_pool": pool.size,
        **({} if pool.relaxed is None else {"fallback": _fallback_view([pool.relaxed])}),
        **aside_view(each.aside),
    }


# ── how to read the page ──────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Page:
    """A page of a pool: how many rows it has, whether more follow, which relaxed passes were tried, who did not answer."""

    pool: Pool
    returned: int
    more: bool
    tried: Sequence[Relaxed]
    missing: Sequence[str] = ()


def _tried(pools: Sequence[Pool]) -> Sequence[Relaxed]:
    return [pool.relaxed for pool in pools if pool.relaxed is not None]


def _retrieval(request: ScopedSearch, page: _Page) -> dict[str, Json]:
    pool = page.pool
    fallback = {"fallback": _fallback_view(page.tried)} if request.mode is SearchMode.AUTO else {}
    return {
        "strategy": pool.strategy.value,
        "search_mode": request.mode.value,
        "reason": reason_of(pool, request.offset, page.returned),
        "scope": dict(request.base.stated),
        "scoped_active": pool.active,
        **({} if pool.total is None else {"total_matches": pool.total}),
        **present("per_query_matches", dict(pool.per_query)),
        **present("variants_used", list(request.variants)),
        **({} if pool.vector is None else {"vector_candidates": pool.vector}),
        "candidate_pool": pool.size,
        "candidate_limit_reached": pool.capped,
        "returned": page.returned,
        "offset": request.offset,
        "limit": request.limit,
        "has_more_in_pool": page.more,
        **present("excluded", excluded_view(pool.excluded)),
        **present("note", " ".join(_notes(request, page))),
        **fallback,
    }


def _notes(request: ScopedSearch, page: _Page) -> Iterator[str]:
    """Yield what helps whoever got nothing, or cannot turn the page; nothing says that something was never recorded (O7)."""
    pool = page.pool
    if pool.strategy is Strategy.RELAXED and page.more:
        yield "The relaxed pass answers a first page alone: a higher limit shows more of its pool, an offset does not."
    if pool.size:
        return
    if pool.active:
        yield "Nothing in this scope has all words of one wording: send fewer words, or other forms in query_variants."
        if request.mode is SearchMode.AUTO and request.offset:
            yield "A page was passed over, so no relaxed pass was made: it answers offset 0 alone."
    else:
        yield "Nothing in this scope passes its filters."
    if pool.elsewhere.capsules:
        yield _beyond(request, pool.elsewhere)
    yield from page.missing


def _beyond(request: ScopedSearch, elsewhere: Elsewhere) -> str:
    many = "1 capsule lies" if elsewhere.capsules == 1 else f"{elsewhere.capsules} capsules lie"
    known = f" (such as {', '.join(elsewhere.projects)})" if elsewhere.projects else ""
    wider = "" if _reaches_global(request) else ", or include_global"
    return f"{many} outside it: ask with scope project{known} or scope domain, and its scope_id{wider}."


def _reaches_global(request: ScopedSearch) -> bool:
    return request.where.kind is ScopeKind.GLOBAL or request.where.beside is Globals.INCLUDED


def _fallback_view(tried: Sequence[Relaxed]) -> dict[str, Json]:
    """Return what became of the relaxed pass: everything of a single one, the sums of those of several destinations (L9)."""
    if not tried:
        return {"attempted": False, "applied": False}
    required = [each.screened.required for each in tried if each.surviving] or [each.screened.required for each in tried]
    return {
        "attempted": True,
        "applied": any(each.surviving for each in tried),
        "method": "any_fragment_by_coverage",
        "trigger_reason": "no_lexical_match",
        **(_fragments_view(tried[0]) if len(tried) == 1 else {}),
        "coverage_required": min(required),
        "recalled_candidates": sum(each.recalled for each in tried),
        "surviving_pool": sum(each.surviving for each in tried),
        "candidates_rejected": sum(each.recalled - each.surviving for each in tried),
        "candidate_limit_reached": any(each.capped for each in tried),
        "uninspected_candidates_possible": any(each.uninspected for each in tried),
        **({"notice": RELAXED_NOTICE} if any(each.surviving for each in tried) else {}),
    }


def _fragments_view(relaxed: Relaxed) -> Mapping[str, Json]:
    screened = relaxed.screened
    return {
        "fragments_generated": screened.generated,
        "fragments": _texts(screened.kept),
        "dropped_generic_fragments": _texts(screened.generic),
        "dropped_unmatched_fragments": _texts(screened.unmatched),
        "dropped_by_cap_fragments": _texts(screened.beyond_cap),
    }


def _texts(fragments: Sequence[Fragment]) -> list[str]:
    return [each.text for each in fragments]
