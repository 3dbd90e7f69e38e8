"""The pipeline behind recalls in natural language: stages that find, one ranking of what they found, stages that reorder it.

L10, L11, L12, L16. Nothing here visits all matches: every lane is bounded by the pool, and so is everything after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recordance.domain.capsule import CapsuleText
from recordance.domain.review import FeedbackOutcome
from recordance.ports.clock import Stopwatch, standing_stopwatch
from recordance.ports.models import Models
from recordance.query.folding import fold_words
from recordance.query.pipeline import PipelineQuery, Stage
from recordance.ranking.blended import factors_of
from recordance.ranking.claim import Claim, support_of
from recordance.ranking.diversity import Contender, diverse
from recordance.ranking.keys import decayed_weight
from recordance.ranking.pipeline import Fitting, Fused, LaneHit, fitted, rejudged
from recordance.ranking.pipeline_run import PipelineHit, PipelineRun, Row, StageRun, StageState
from recordance.ranking.scoring import TermHit
from recordance.usecases.looking import Look
from recordance.usecases.meaning import reranked, with_meaning
from recordance.usecases.pipeline_lanes import FUZZY, Lanes


def with_embedding(models: Models, query: PipelineQuery) -> PipelineQuery:
    """Return the query with the question's embedding if the semantic stage is on, or with why there is none.

    Call it once for a question, before any destination is asked.
    """
    if Stage.SEMANTIC not in query.stages:
        return query
    base, why = with_meaning(models, query.base, query.question)
    return replace(query, base=base, meaningless=why)


def run_pipeline(look: Look, query: PipelineQuery, models: Models, stopwatch: Stopwatch = standing_stopwatch) -> PipelineRun:
    """Run the stages on one snapshot; `look` looks at `query.request`, or at what a search made of it. Nothing is written."""
    lanes = Lanes(look, query, stopwatch)
    lanes.run()
    pool = lanes.fused()[: query.tuning.pool]
    rerank, fitting = _reranked(lanes, pool, models)
    mmr, rows = _spread(lanes, _blended(lanes, pool, fitting))
    return PipelineRun(stages=(*lanes.runs, rerank, mmr), rows=rows, hits=_hits(lanes, rows[: query.wanted]))


def _reranked(lanes: Lanes, pool: Sequence[Fused], models: Models) -> tuple[StageRun, tuple[Fitting, ...]]:
    """Let a reranker read the best of the pool, if somebody asked for one and there is one."""
    began = lanes.stopwatch()
    if Stage.RERANK not in lanes.query.stages:
        return StageRun(stage=Stage.RERANK, state=StageState.OFF), fitted(pool)
    first = [each.number for each in pool[: lanes.query.tuning.judged]]
    contents = lanes.look.reader.contents(first)
    scores, why = reranked(models, lanes.query.question, [contents.get(number, "") for number in first])
    if scores is None:
        return StageRun(stage=Stage.RERANK, state=StageState.SKIPPED, why=why or ""), fitted(pool)
    fitting = rejudged(pool, scores)
    by_number = dict(zip(first, scores, strict=True))
    hits = [LaneHit(each.fused.number, by_number[each.fused.number], each.similarity) for each in fitting[: len(first)]]
    took = lanes.stopwatch() - began
    return StageRun(stage=Stage.RERANK, state=StageState.RAN, hits=tuple(hits), seconds=took), fitting


def _blended(lanes: Lanes, pool: Sequence[Fused], fitting: Sequence[Fitting]) -> tuple[Row, ...]:
    """Return the pool in its final order; where nothing but how well they fit tells capsules apart, that decides (L12)."""
    helped = _helped(lanes.look, [each.number for each in pool])
    ranks = {each.number: rank for rank, each in enumerate(pool, start=1)}
    rows = [_row(lanes, each, ranks[each.fused.number], helped.get(each.fused.number, 0)) for each in fitting]
    return tuple(sorted(rows, key=lambda row: -row.score))


def _spread(lanes: Lanes, rows: tuple[Row, ...]) -> tuple[StageRun, tuple[Row, ...]]:
    """Let each of the wanted rows differ from those before it, if somebody asked for that (L11)."""
    if Stage.MMR not in lanes.query.stages:
        return StageRun(stage=Stage.MMR, state=StageState.OFF), rows
    began = lanes.stopwatch()
    by_number = {row.capsule.number: row for row in rows}
    contents = lanes.look.reader.contents(list(by_number))
    vectors = lanes.look.reader.vectors(lanes.look.request.space, list(by_number))
    contenders = [
        Contender(
            number=number,
            relevance=row.score / rows[0].score,
            words=frozenset(fold_words(contents.get(number, ""))),
            vector=vectors.get(number),
        )
        for number, row in by_number.items()
    ]
    chosen = diverse(contenders, lanes.query.wanted, lanes.query.tuning.balance)
    hits = [LaneHit(number, by_number[number].score, by_number[number].factors.similarity) for number in chosen]
    spread = (*(by_number.pop(number) for number in chosen), *by_number.values())
    took = lanes.stopwatch() - began
    return StageRun(stage=Stage.MMR, state=StageState.RAN, hits=tuple(hits), seconds=took), spread


def _row(lanes: Lanes, fitting: Fitting, rank: int, helped: int) -> Row:
    capsule = lanes.capsules[fitting.fused.number]
    factors = factors_of(capsule, fitting.similarity, helped, lanes.look.eligibility.at)
    score = factors.blended(lanes.query.tuning.blend)
    return Row(capsule=capsule, fused=fitting.fused, fused_rank=rank, factors=factors, score=score)


def _helped(look: Look, numbers: Sequence[int]) -> Mapping[int, int]:
    """Return how often each capsule helped, as feedback has it: use is what feedback says, and nothing else (O11)."""
    return {
        number: sum(each.outcome is FeedbackOutcome.HELPED for each in judged)
        for number, judged in look.reader.feedback(numbers).items()
    }


def _hits(lanes: Lanes, rows: Sequence[Row]) -> tuple[PipelineHit, ...]:
    """Return the rows that the truth lets ground, with their texts: an index can lag, it can never invent (decision 4)."""
    numbers = [row.capsule.number for row in rows]
    texts = lanes.look.reader.texts(numbers)
    lanes.ask_meaning(numbers)
    return tuple(
        _hit(lanes, row, texts[row.capsule.number])
        for row in rows
        if row.capsule.number in texts and lanes.look.may_ground(row.capsule, texts[row.capsule.number])
    )


def _hit(lanes: Lanes, row: Row, text: CapsuleText) -> PipelineHit:
    claim = _claim(lanes, row, text)
    return PipelineHit(
        capsule=row.capsule,
        text=text,
        similarity=row.factors.similarity,
        score=row.score,
        factors=row.factors,
        via=tuple(row.fused.ranks),
        matched=(*_words(claim.term), *_near_words(lanes.spelled.get(row.capsule.number))),
        claim=claim,
    )


def _words(hit: TermHit | None) -> tuple[str, ...]:
    return () if hit is None else hit.matched


def _near_words(hit: TermHit | None) -> tuple[str, ...]:
    return tuple(label for label in _words(hit) if label.startswith(FUZZY))


def _claim(lanes: Lanes, row: Row, text: CapsuleText) -> Claim:
    """Return what each lane has for a row; the words of one that the term lane did not rank are counted in its text."""
    number, share = row.capsule.number, 0.0
    hit, cosine = lanes.terms.get(number), lanes.cosine(number)
    if lanes.words is not None:
        words = fold_words(text.content) if hit is None else []
        hit = hit or lanes.words.scorer.score(number, words)
        share = lanes.words.scorer.share(words) if hit is None else hit.support
    decayed = decayed_weight(row.capsule, lanes.look.at)
    support = support_of(share, cosine)
    return Claim(capsule=row.capsule, decayed=decayed, term=hit, cosine=cosine, support=support, rank=row.fused_rank)
