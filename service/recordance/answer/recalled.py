"""What `memory_recall` answers: hits, apart from them what lies one hop away, and what did not run or answer (L14, L15, O10)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from recordance.answer.envelope import FRAMING, Shown
from recordance.answer.merging import Failed, Ranking, merge_ranked
from recordance.answer.quick import QuickPart, cut_view, excluded_of, searched_view, why_nothing
from recordance.answer.recalled_rows import capsule_row, hit_row, linked_row
from recordance.answer.report import present
from recordance.domain.capsule import Capsule, CapsuleText
from recordance.domain.instant import Instant, format_instant
from recordance.errors import Json
from recordance.query.memory_recall import MemoryRecall, Mode, Projection
from recordance.query.pipeline import Stage
from recordance.ranking.links import Linked
from recordance.ranking.pipeline_run import PipelineHit, StageState

Row = dict[str, Json]
Known = tuple[Capsule, CapsuleText]
QUIET = 10 * 60 * 1_000_000
"""After how many microseconds without any write a recall reminds of storing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledPart:
    """What one destination found, and what stands beside its hits.

    `beside` are the neighbours of each hit by its number, `linked` what lies one hop from them, best first; `last_written` is
    when anything was last written there, None where nobody asks.
    """

    found: QuickPart
    beside: Mapping[int, Sequence[Known]]
    linked: tuple[Linked, ...]
    last_written: Instant | None
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What all that were asked answered: `asked` names those that failed too, `unasked` whom the caller could have asked."""

    parts: tuple[RecalledPart, ...]
    asked: tuple[QuickPart | Failed, ...]
    unasked: tuple[str, ...]
    alone: bool


@dataclass(frozen=True, slots=True)
class _Hit:
    """A hit that is shown: whose it is, and what its row has beside the capsule's own fields."""

    part: RecalledPart
    hit: PipelineHit
    more: Mapping[str, Json]


def recalled_report(request: MemoryRecall, recalled: Recalled) -> Row:
    """Return the answer; lists are flat arrays, always there, and a hit's type is a field."""
    shown = _shown(request, recalled)
    results = _timeline(shown, recalled) if request.mode is Mode.TIMELINE else _rows(request, shown)
    linked = _linked(request, shown, recalled)
    related, expansion = linked[: request.related], linked[request.related :]
    limit, found = request.limit, [part.found for part in recalled.parts]
    return {
        "framing": FRAMING,
        "query": request.pipeline.question,
        **({} if limit.requested is None else {"requested_limit": limit.requested}),
        "effective_limit": limit.effective,
        "limit_clamped": limit.clamped,
        **({} if request.mode is Mode.SEARCH else {"mode": request.mode.value}),
        **({"detail": request.projection.value} if request.chosen else {}),
        "results": results,
        "related": related,
        "expansion": expansion,
        "result_count": len(results),
        "related_count": len(related),
        "searched": [searched_view(each) for each in recalled.asked],
        **present("skipped", [*cut_view(request.pipeline), *_skipped(found)]),
        **present("excluded", excluded_of(found)),
        **present("reason", "" if results else why_nothing(request.pipeline, found, recalled.asked, recalled.unasked)),
        **present("nudge", _nudge(recalled.parts)),
        **present("scope", dict(request.pipeline.base.stated)),
    }


# ── hits ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _shown(request: MemoryRecall, recalled: Recalled) -> list[_Hit]:
    """Return the hits that are shown: one destination's own, or those of all in one ranking (D4)."""
    most = request.limit.effective
    if recalled.alone:
        (part,) = recalled.parts
        return [_Hit(part, hit, {}) for hit in part.found.hits[:most]]
    parts = {part.found.name: part for part in recalled.parts}
    hits = {(name, hit.capsule.number): hit for name, part in parts.items() for hit in part.found.hits}
    merged = merge_ranked([_ranking(part) for part in recalled.parts]).results[:most]
    return [_Hit(parts[each.name], hits[each.name, each.shown.number], each.row()) for each in merged]


def _ranking(part: RecalledPart) -> Ranking:
    """Return what a destination has to enter a merge with: its order; rows are made of what is shown alone."""
    shown = (Shown(dict, hit.capsule.number, hit.capsule.content_digest) for hit in part.found.hits)
    return Ranking(part.found.name, part.found.naming, tuple(shown))


def _rows(request: MemoryRecall, shown: Sequence[_Hit]) -> list[Row]:
    projection = request.projection
    rows = [{**hit_row(each.part.found.naming, each.hit, projection, request.payload), **each.more} for each in shown]
    if projection is not Projection.FULL:
        return rows
    return [{**row, "rank": rank} for rank, row in enumerate(rows, start=1)]


def _timeline(shown: Sequence[_Hit], recalled: Recalled) -> list[Row]:
    """Return hits and their neighbours, each once, in the order in which they were stored (L14)."""
    order = {part.found.name: place for place, part in enumerate(recalled.parts)}
    rows: dict[tuple[Instant, int, int], Row] = {}
    for each in shown:
        place, naming = order[each.part.found.name], each.part.found.naming
        where = {} if recalled.alone else {"destination": each.part.found.name}
        for capsule, text in each.part.beside.get(each.hit.capsule.number, ()):
            row = {"role": "neighbor", **capsule_row(naming, capsule, text, Projection.FULL), **where}
            rows.setdefault((capsule.captured_at, place, capsule.number), row)
    for rank, each in enumerate(shown, start=1):
        capsule, naming = each.hit.capsule, each.part.found.naming
        row = {"role": "hit", **capsule_row(naming, capsule, each.hit.text, Projection.FULL), "score": round(each.hit.score, 4)}
        rows[capsule.captured_at, order[each.part.found.name], capsule.number] = {**row, **each.more, "rank": rank}
    return [rows[key] for key in sorted(rows)]


# ── beside them ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _linked(request: MemoryRecall, shown: Sequence[_Hit], recalled: Recalled) -> list[Row]:
    """Return what lies one hop from what is shown: what is related, and behind it the expansion, so that nothing is in both."""
    most = request.related + request.expansion
    own = [[each for each in shown if each.part is part] for part in recalled.parts]
    lists = [_hanging(part, hits) for part, hits in zip(recalled.parts, own, strict=True)]
    makers = [
        [partial(linked_row, part.found.naming, each, request.projection) for each in linked]
        for part, linked in zip(recalled.parts, lists, strict=True)
    ]
    if recalled.alone:
        return [make() for make in makers[0][:most]]
    digests = {each.hit.capsule.content_digest for each in shown}
    rankings = [
        Ranking(
            part.found.name,
            part.found.naming,
            tuple(
                Shown(make, each.capsule.number, each.capsule.content_digest)
                for make, each in zip(made, linked, strict=True)
                if each.capsule.content_digest not in digests
            ),
        )
        for part, made, linked in zip(recalled.parts, makers, lists, strict=True)
    ]
    return [each.row() for each in islice(merge_ranked(rankings).results, most)]


def _hanging(part: RecalledPart, hits: Sequence[_Hit]) -> list[Linked]:
    """Return what of `linked` hangs on a hit that is shown, by those links alone, and is not shown itself."""
    seeds = {each.hit.capsule.number for each in hits}
    kept = (
        replace(each, links=tuple(link for link in each.links if link.seed in seeds))
        for each in part.linked
        if each.capsule.number not in seeds
    )
    return [each for each in kept if each.links]


# ── what is said of the search ────────────────────────────────────────────────────────────────────────────────────────────────


def _skipped(parts: Sequence[QuickPart]) -> list[Row]:
    """Return the stages that were asked for and could not run, each with its reason, and where, if not everywhere."""
    found: dict[tuple[Stage, str], list[str]] = {}
    for part in parts:
        for run in part.stages:
            if run.state is StageState.SKIPPED:
                found.setdefault((run.stage, run.why), []).append(part.name)
    return [
        {"stage": stage.value, "why": why, **({} if len(names) == len(parts) else {"destinations": names})}
        for (stage, why), names in found.items()
    ]


def _nudge(parts: Sequence[RecalledPart]) -> str:
    """Return the reminder that nothing was written for a while, as of the clock's reading; empty where there is none."""
    last = max((part.last_written for part in parts if part.last_written is not None), default=None)
    if last is None or parts[0].at - last <= QUIET:
        return ""
    return f"Nothing was written here since {format_instant(last)}: memory_store keeps what should be known later."
