"""What `memory_search_fast` answers: flat rows, what was skipped, and why there are none where there are none (L10, O1)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.merging import Failed, absences, aside_view, failed_view
from recordance.answer.outcome import BY_QUESTION, Sight, abstention_reason, excluded_view, exclusion_reason
from recordance.answer.recalled_rows import hit_row
from recordance.domain.destination import Naming
from recordance.errors import Json
from recordance.query.exclusion import ExclusionReason
from recordance.query.lane import Lane
from recordance.query.memory_recall import Payload, Projection
from recordance.query.pipeline import PipelineQuery, Stage
from recordance.query.terms import TermGroup
from recordance.ranking.pipeline_run import PipelineHit, StageRun, StageState

_SHOWN = (
    "label", "framing", "id", "title", "content", "score", "via", "matched_terms", "support", "type", "project", "tags",
    "created_at", "instruction_taint",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickPart:
    """What one destination found: its stages, hits, what matched and may not ground; and what an empty answer needs to say."""

    name: str
    naming: Naming
    stages: tuple[StageRun, ...]
    hits: tuple[PipelineHit, ...]
    excluded: Mapping[ExclusionReason, int]
    groups: tuple[TermGroup, ...]
    capsules: int
    vectors: int
    sight: Sight
    aside: str | None = None


def quick_row(naming: Naming, hit: PipelineHit) -> dict[str, Json]:
    """Return of a row of `memory_recall` what tells a hit at a glance; what does not apply is absent."""
    whole = {"tags": [], **hit_row(naming, hit, Projection.FULL, Payload.UNREAD)}
    return {name: whole[name] for name in _SHOWN if name in whole}


def skipped_view(stages: Sequence[StageRun]) -> list[dict[str, Json]]:
    """Return the stages that were asked for and could not run, each with its reason."""
    return [{"stage": each.stage.value, "why": each.why} for each in stages if each.state is StageState.SKIPPED]


def cut_view(query: PipelineQuery) -> list[dict[str, Json]]:
    """Return what was not asked of a question of too many words, as a stage that ran in part."""
    return [{"stage": Stage.TERM.value, "why": query.cut}] if query.cut and Stage.TERM in query.stages else []


def searched_view(each: QuickPart | Failed) -> dict[str, Json]:
    """Return one of several destinations: how many hits it has, or why it did not answer (D3)."""
    if isinstance(each, Failed):
        return failed_view(each)
    return {"destination": each.name, "found": len(each.hits), **aside_view(each.aside)}


def excluded_of(parts: Sequence[QuickPart]) -> dict[str, int]:
    """Return how many matches may not ground, by reason, over all destinations that answered (O2)."""
    return excluded_view(_excluded(parts))


def why_nothing(query: PipelineQuery, parts: Sequence[QuickPart], asked: Sequence[object], unasked: Sequence[str]) -> str:
    """Return why nothing is shown, and who was not asked (O1, case F8)."""
    return " ".join((*_reasons(query, parts), *absences(asked, unasked)))


def _reasons(query: PipelineQuery, parts: Sequence[QuickPart]) -> Iterator[str]:
    excluded = _excluded(parts)
    if any(excluded.values()):
        yield exclusion_reason(BY_QUESTION, excluded)
        return
    told = {_abstention(query, part): part.name for part in reversed(parts)}
    yield from reversed(told)


def _abstention(query: PipelineQuery, part: QuickPart) -> str:
    lanes = {Stage.TERM: Lane.TERM, Stage.SEMANTIC: Lane.VECTOR}
    ran = [lanes[each.stage] for each in part.stages if each.stage in lanes and each.state is StageState.RAN]
    if not ran:
        return "No stage ran."
    return abstention_reason(BY_QUESTION, ran, part.groups, query.base.stated, part.capsules, part.vectors, part.sight)


def _excluded(parts: Sequence[QuickPart]) -> Mapping[ExclusionReason, int]:
    return sum((Counter(part.excluded) for part in parts), Counter[ExclusionReason]())
