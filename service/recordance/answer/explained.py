"""What a run of the pipeline looks like to whoever asks why: its stages, the fusion's table, one capsule's fate (L10, L12)."""

from dataclasses import dataclass
from enum import StrEnum

from recordance.answer.merging import Failed, failed_view
from recordance.domain.destination import Naming
from recordance.errors import Json
from recordance.query.pipeline import Stage
from recordance.ranking.blended import Factors
from recordance.ranking.pipeline import LaneHit
from recordance.ranking.pipeline_run import PipelineRun, Row, StageRun


class Fate(StrEnum):
    """What became of one capsule in a recall; the first that holds."""

    SHOWN = "shown"
    UNKNOWN = "unknown"
    """No capsule has the id, or none that the caller may see: both are the same to them (F13)."""
    FORGOTTEN = "forgotten"
    NOT_SEARCHED = "not_searched"
    NOT_ANSWERED = "not_answered"
    FENCED_OUT = "fenced_out"
    EXCLUDED = "excluded"
    NO_MATCH = "no_match"
    BEYOND_CUT = "beyond_cut"
    BEYOND_LIMIT = "beyond_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class LanePlace:
    """Where one capsule stands in a lane, `depth` ranks of which enter a fusion: its rank and score there, or why it has none."""

    stage: Stage
    depth: int
    rank: int | None = None
    score: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One capsule's fate with its reason; its places in the lanes; its row and rank in the final order if it came so far."""

    id: str
    fate: Fate
    why: str
    lanes: tuple[LanePlace, ...] = ()
    row: Row | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What one destination tells of a recall."""

    naming: Naming
    run: PipelineRun


def stages_view(told: Explained) -> list[dict[str, Json]]:
    """Return every stage: its state and why, how long it took, and everything that it found, best first."""
    return [_stage(told.naming, each) for each in told.run.stages]


def row_view(naming: Naming, row: Row, rank: int) -> dict[str, Json]:
    """Return a line of the fusion's table: its rank in each lane, its score by parts, every factor, and what ranks it."""
    return {"id": naming.id(row.capsule.number), "rank": rank, **_row(row)}


def account_view(account: Account) -> dict[str, Json]:
    """Return what became of the capsule that was asked about."""
    place = {} if account.rank is None else {"rank": account.rank}
    row = {} if account.row is None else _row(account.row)
    lanes = {"lanes": [_lane(each) for each in account.lanes]} if account.lanes else {}
    return {"id": account.id, "fate": account.fate.value, "why": account.why, **place, **row, **lanes}


def destination_view(name: str, told: Explained | Failed) -> dict[str, Json]:
    """Return one of several destinations with its stages, or with why it did not answer (D3)."""
    if isinstance(told, Failed):
        return failed_view(told)
    return {"destination": name, "stages": stages_view(told)}


def factors_view(factors: Factors) -> dict[str, Json]:
    """Return every factor of a blended score (L12)."""
    return {
        "similarity": _shown(factors.similarity),
        "freshness": _shown(factors.freshness),
        "reinforcement": _shown(factors.reinforcement),
        "importance": _shown(factors.importance),
        "decay": _shown(factors.decay),
    }


def _stage(naming: Naming, run: StageRun) -> dict[str, Json]:
    why = {"why": run.why} if run.why else {}
    hits = [_hit(naming, rank, hit) for rank, hit in enumerate(run.hits, start=1)]
    return {"stage": run.stage.value, "state": run.state.value, **why, "took_ms": round(run.seconds * 1000, 3), "hits": hits}


def _hit(naming: Naming, rank: int, hit: LaneHit) -> dict[str, Json]:
    return {"id": naming.id(hit.number), "rank": rank, "score": _shown(hit.score)}


def _row(row: Row) -> dict[str, Json]:
    return {
        "ranks": {stage.value: rank for stage, rank in row.fused.ranks.items()},
        "fused_rank": row.fused_rank,
        "fused_score": round(row.fused.score, 6),
        "parts": {stage.value: round(part, 6) for stage, part in row.fused.parts.items()},
        "factors": factors_view(row.factors),
        "score": _shown(row.score),
    }


def _lane(place: LanePlace) -> dict[str, Json]:
    rank = {} if place.rank is None else {"rank": place.rank}
    score = {} if place.score is None else {"score": _shown(place.score)}
    why = {"why": place.why} if place.why else {}
    return {"stage": place.stage.value, "depth": place.depth, **rank, **score, **why}


def _shown(number: float) -> float:
    return round(number, 4)
