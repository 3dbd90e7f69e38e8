"""The lanes of the pipeline: what each finds on one snapshot, bounded by the pool (L10)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from recordance.domain.capsule import Capsule
from recordance.query.document import Order
from recordance.query.pipeline import PipelineQuery, Stage
from recordance.ranking.pipeline import LaneFound, LaneHit, StageRun, StageState
from recordance.ranking.scoring import TermHit
from recordance.usecases.looking import Look
from recordance.usecases.term_lane import TermLane

OTHER_DIMENSION = "the embeddings there have another dimension"
"""Why nothing is compared by meaning in a destination whose vectors do not fit the question's (D5)."""


@dataclass(slots=True)
class Lanes:
    """What the lanes have found so far in one run: made once, run in the order of their stages.

    `words` is the term lane, None where it is off; `terms`, `near_spelled` and `cosines` are what the lanes say of each capsule.
    """

    look: Look
    query: PipelineQuery
    runs: list[StageRun] = field(default_factory=list)
    found: list[LaneFound] = field(default_factory=list)
    capsules: dict[int, Capsule] = field(default_factory=dict)
    words: TermLane | None = None
    terms: dict[int, TermHit] = field(default_factory=dict)
    cosines: dict[int, float] = field(default_factory=dict)

    def run(self) -> None:
        """Run every lane that is on, in order."""
        steps = {Stage.TERM: self._term, Stage.SEMANTIC: self._semantic}
        for stage, step in steps.items():
            if stage in self.query.stages:
                step()
            else:
                self.runs.append(StageRun(stage=stage, state=StageState.OFF))

    def _term(self) -> None:
        """Look for the question's words, each for itself, by their weight."""
        look, pool = self.look, self.query.tuning.pool
        self.words = look.lane(look.question(look.groups(self.query.terms), Order.WEIGHT))
        best = self.words.best(pool)
        self.terms = {each.hit.number: each.hit for each in best}
        self.capsules |= {each.hit.number: each.capsule for each in best}
        self._enter(Stage.TERM, [LaneHit(each.hit.number, each.hit.bm25, each.hit.support) for each in best])

    def _semantic(self) -> None:
        """Take what is near the question's embedding."""
        if self.look.near is None:
            why = self.query.meaningless or OTHER_DIMENSION
            self.runs.append(StageRun(stage=Stage.SEMANTIC, state=StageState.SKIPPED, why=why))
            return
        ranked = self.look.near.ranked
        self.cosines = {each.capsule.number: each.cosine for each in ranked}
        self.capsules |= {each.capsule.number: each.capsule for each in ranked}
        self._enter(Stage.SEMANTIC, [LaneHit(each.capsule.number, each.cosine, min(each.cosine, 1.0)) for each in ranked])

    def _enter(self, stage: Stage, hits: Sequence[LaneHit]) -> None:
        self.runs.append(StageRun(stage=stage, state=StageState.RAN, hits=tuple(hits)))
        self.found.append(LaneFound(stage, self.query.tuning.lanes[stage], tuple(hits)))
