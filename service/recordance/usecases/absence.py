"""Why one capsule is, or is not, among the hits of a recall: the fence, the exclusion or the rank that dropped it (L10)."""

from collections.abc import Sequence
from dataclasses import dataclass

from recordance.answer.explained import Account, Fate, LanePlace
from recordance.domain.capsule import Capsule, CapsuleText
from recordance.domain.embedding import Measure
from recordance.errors import shorten
from recordance.query.exclusion import first_exclusion
from recordance.query.fence import Fence, Scope, admits, marks_of
from recordance.query.folding import fold_words
from recordance.query.pipeline import LANES, PipelineQuery, Stage
from recordance.ranking.pipeline_run import PipelineRun, StageState
from recordance.ranking.trimming import compact_json
from recordance.usecases.looking import Look
from recordance.usecases.lookup import sees


@dataclass(frozen=True, slots=True)
class NamedFence:
    """What one of the caller's fences comes to: its name and value as they wrote them, and what it is here."""

    name: str
    value: object
    fences: tuple[Fence, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A run that is over, and what it was asked; the snapshot that it ran on is still open."""

    look: Look
    query: PipelineQuery
    run: PipelineRun
    fences: Sequence[NamedFence]


def account_of(look: Look, query: PipelineQuery, run: PipelineRun, fences: Sequence[NamedFence], number: int | None) -> Account:
    """Return what became of a capsule of this store; None is an id that no capsule can have.

    `fences` are the caller's, each by its name. What lies outside their own fence is as unknown as what is not there (F13).
    """
    asked = _Asked(look, query, run, fences)
    capsule = None if number is None else look.reader.capsules([number]).get(number)
    if capsule is None or not sees(look.caller, capsule):
        return Account(id="", fate=Fate.UNKNOWN, why="no capsule has exactly this id here")
    id = look.store.naming.id(capsule.number)
    text = look.reader.texts([capsule.number]).get(capsule.number)
    if text is None:
        return Account(id=id, fate=Fate.FORGOTTEN, why="it was forgotten; memory_get shows what is left of it")
    return _outside(asked, id, capsule, text) or _ranked(asked, id, capsule, text)


def _outside(asked: _Asked, id: str, capsule: Capsule, text: CapsuleText) -> Account | None:
    """Return the account of a capsule that a fence or an exclusion keeps out; None if neither does."""
    marks = marks_of(text)
    for named in asked.fences:
        if not admits(Scope(named.fences), capsule, marks):
            value = compact_json(shorten(named.value))
            return Account(id=id, fate=Fate.FENCED_OUT, why=f"{named.name} {value} does not admit it")
    if not admits(asked.look.scope, capsule, marks):
        return Account(id=id, fate=Fate.FENCED_OUT, why="it is telemetry, or of another effort: name its kind to see it")
    reason = first_exclusion(capsule, asked.look.eligibility)
    return None if reason is None else Account(id=id, fate=Fate.EXCLUDED, why=f"it may not answer: {reason.value}")


def _ranked(asked: _Asked, id: str, capsule: Capsule, text: CapsuleText) -> Account:
    """Return the account of a capsule that may answer: where it stands, or why nothing found it."""
    lanes = tuple(_place(asked, stage, capsule.number, text) for stage in LANES)
    rows = {row.capsule.number: (rank, row) for rank, row in enumerate(asked.run.rows, start=1)}
    if capsule.number in rows:
        rank, row = rows[capsule.number]
        if rank <= asked.query.wanted:
            return Account(id=id, fate=Fate.SHOWN, why=f"it is number {rank}", lanes=lanes, row=row, rank=rank)
        why = f"it is number {rank} of {len(rows)}, and the limit is {asked.query.wanted}"
        return Account(id=id, fate=Fate.BEYOND_LIMIT, why=why, lanes=lanes, row=row, rank=rank)
    if any(lane.score is not None for lane in lanes):
        why = f"what it matches stands behind the first {asked.query.tuning.pool} of everything that was found"
        return Account(id=id, fate=Fate.BEYOND_CUT, why=why, lanes=lanes)
    return Account(id=id, fate=Fate.NO_MATCH, why="no stage that ran finds it", lanes=lanes)


def _place(asked: _Asked, stage: Stage, number: int, text: CapsuleText) -> LanePlace:
    depth = asked.query.tuning.share(stage).depth
    ran = next(each for each in asked.run.stages if each.stage is stage)
    if ran.state is not StageState.RAN:
        return LanePlace(stage=stage, depth=depth, why=ran.why or "it is off")
    for rank, hit in enumerate(ran.hits, start=1):
        if hit.number == number:
            return LanePlace(stage=stage, depth=depth, rank=rank, score=hit.score)
    match stage:
        case Stage.TERM:
            return _behind_words(asked, depth, text)
        case Stage.SEMANTIC:
            return _behind_vectors(asked, depth, number)
        case _:
            return LanePlace(stage=stage, depth=depth, why=ran.why or "nothing leads to it")


def _behind_words(asked: _Asked, depth: int, text: CapsuleText) -> LanePlace:
    look, query = asked.look, asked.query
    hit = look.lane(look.question(look.asked(query.terms))).scorer.score(0, fold_words(text.content))
    if hit is None:
        return LanePlace(stage=Stage.TERM, depth=depth, why="none of the question's words stands in it, nor an alias of one")
    why = f"it matches {', '.join(hit.matched)}, and {query.tuning.pool} others weigh as much or more"
    return LanePlace(stage=Stage.TERM, depth=depth, score=hit.bm25, why=why)


def _behind_vectors(asked: _Asked, depth: int, number: int) -> LanePlace:
    request = asked.look.request
    vector = asked.look.reader.vectors(request.space, [number]).get(number)
    if vector is None or request.embedding is None:
        return LanePlace(stage=Stage.SEMANTIC, depth=depth, why=f"it has no embedding in the space {request.space}")
    cosine = Measure(request.embedding).cosine(vector)
    if cosine <= 0.0:
        return LanePlace(stage=Stage.SEMANTIC, depth=depth, why=f"its cosine is {cosine:.4f}, and only above 0 is near")
    why = f"{asked.query.tuning.pool} others are as near or nearer"
    return LanePlace(stage=Stage.SEMANTIC, depth=depth, score=cosine, why=why)
