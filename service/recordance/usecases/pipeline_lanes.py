"""The lanes of the pipeline: what each finds on one snapshot, bounded by the pool (L10)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from recordance.answer.outcome import Sight
from recordance.domain.attaching import changed_model
from recordance.domain.capsule import Capsule
from recordance.domain.embedding import DEFAULT_SPACE, Measure
from recordance.ports.clock import Stopwatch
from recordance.query.document import Order
from recordance.query.pipeline import PipelineQuery, Stage
from recordance.query.terms import Alternative, TermGroup
from recordance.ranking.pipeline import Fused, LaneFound, LaneHit, brought_in, fuse
from recordance.ranking.pipeline_run import StageRun, StageState
from recordance.ranking.scoring import TermHit
from recordance.usecases.looking import Look
from recordance.usecases.near_words import near_words
from recordance.usecases.pipeline_graph import MOST_SEEDS, graph_hits
from recordance.usecases.term_lane import TermLane

OTHER_DIMENSION = "the embeddings there have another dimension"
"""Why nothing is compared by meaning in a destination whose vectors do not fit the question's (D5)."""
WHOLE_RUNS = "what is written without spaces is looked for in whole runs alone; [text] segmentation = true looks inside them"
"""What is said of a question with runs that are sentences, where the store does not cut them (T5)."""
FUZZY = "fuzzy:"
"""What stands before a near spelling where matches are shown."""
MOST_MISSING = 16
"""For how many of the question's words near spellings are looked for: the first that no capsule has."""


@dataclass(frozen=True, slots=True)
class _Yield:
    """What came of a lane: what it found, and why that is nothing where it could not even look."""

    hits: Sequence[LaneHit] = ()
    why: str = ""
    state: StageState = StageState.RAN


@dataclass(slots=True)
class Lanes:
    """What the lanes have found so far in one run: made once, run in the order of their stages.

    `words` is the term lane, None where it is off; `terms`, `spelled` and `cosines` are what the lanes say of what they found;
    `cosines` also has what was asked about, and is 0 or below where that is not near.
    """

    look: Look
    query: PipelineQuery
    stopwatch: Stopwatch
    runs: list[StageRun] = field(default_factory=list)
    found: list[LaneFound] = field(default_factory=list)
    capsules: dict[int, Capsule] = field(default_factory=dict)
    words: TermLane | None = None
    terms: dict[int, TermHit] = field(default_factory=dict)
    spelled: dict[int, TermHit] = field(default_factory=dict)
    cosines: dict[int, float] = field(default_factory=dict)

    def run(self) -> None:
        """Run every lane that is on, in order."""
        self._run(Stage.TERM, self._term)
        self._run(Stage.SEMANTIC, self._semantic)
        self._run(Stage.FUZZY, self._fuzzy)
        self._run(Stage.GRAPH, self._graph)

    def fused(self) -> tuple[Fused, ...]:
        """Return everything that was found so far, best first (L16)."""
        fusion = self.query.tuning.fusion
        if not fusion.by_scores:
            return fuse(self.found, fusion)
        numbers = brought_in(self.found)
        return fuse([replace(lane, judged=self._judged(lane.stage, numbers)) for lane in self.found], fusion)

    def cosine(self, number: int) -> float | None:
        """Return the cosine of a capsule that the semantic lane found or was asked about, None where it is not above 0."""
        cosine = self.cosines.get(number, 0.0)
        return cosine if cosine > 0.0 else None

    def ask_meaning(self, numbers: Sequence[int]) -> None:
        """Read the cosines of what the semantic lane did not rank; nothing where it did not run."""
        request, new = self.look.request, [number for number in numbers if number not in self.cosines]
        if self.look.near is None or request.embedding is None or Stage.SEMANTIC not in self.query.stages or not new:
            return
        measure, vectors = Measure(request.embedding), self.look.reader.vectors(request.space, new)
        self.cosines |= {number: measure.cosine(vectors[number]) if number in vectors else 0.0 for number in new}

    def _judged(self, stage: Stage, numbers: Sequence[int]) -> tuple[LaneHit, ...] | None:
        """Return what words or meaning say of capsules, wherever these stand in the lane; None for the other lanes."""
        match stage:
            case Stage.TERM:
                return tuple(self._by_words(numbers))
            case Stage.SEMANTIC:
                self.ask_meaning(numbers)
                return tuple(LaneHit(each, own, min(own, 1.0)) for each in numbers if (own := self.cosines[each]) > 0.0)
            case _:
                return None

    def _by_words(self, numbers: Sequence[int]) -> Iterator[LaneHit]:
        if self.words is None:
            return
        contents = self.words.words_of(numbers)
        for number in numbers:
            hit = self.terms.get(number) or self.words.scorer.score(number, contents[number])
            if hit is not None:
                yield LaneHit(number, self.words.scorer.mild(contents[number]), hit.support)

    def _run(self, stage: Stage, step: Callable[[], _Yield]) -> None:
        if stage not in self.query.stages:
            self.runs.append(StageRun(stage=stage, state=StageState.OFF))
            return
        began = self.stopwatch()
        came = step()
        took = self.stopwatch() - began
        self.runs.append(StageRun(stage=stage, state=came.state, why=came.why, hits=tuple(came.hits), seconds=took))
        if came.hits:
            self.found.append(LaneFound(stage, self.query.tuning.share(stage), tuple(came.hits)))

    def _term(self) -> _Yield:
        """Look for the question's words, each for itself, by their weight."""
        self.words = self.look.lane(self.look.question(self.look.asked(self.query.terms), Order.WEIGHT))
        came = self._best(self.words, self.terms)
        runs = "" if self.look.view.services.cuts(self.query.terms) else WHOLE_RUNS
        return replace(came, why="; ".join(filter(None, (came.why, self.query.cut, runs))))

    def _semantic(self) -> _Yield:
        """Take what is near the question's embedding."""
        if self.look.near is None:
            return _Yield(why=self.query.meaningless or _unlike(self.look), state=StageState.SKIPPED)
        ranked = self.look.near.ranked
        self.cosines = {each.capsule.number: each.cosine for each in ranked}
        self.capsules |= {each.capsule.number: each.capsule for each in ranked}
        hits = [LaneHit(each.capsule.number, each.cosine, min(each.cosine, 1.0)) for each in ranked]
        state = StageState.SKIPPED if _without_vectors(self.look) else StageState.RAN
        return _Yield(hits, "" if hits else _nothing_near(self.look), state=state)

    def _fuzzy(self) -> _Yield:
        """Look for near spellings of words that no capsule has."""
        groups, missing = _near_groups(self.look, self.query)
        if not groups:
            why = f"nothing is spelt nearly like {', '.join(missing)}" if missing else "every word stands somewhere as it is"
            return _Yield(why=why)
        came = self._best(self.look.lane(self.look.question(groups, Order.WEIGHT)), self.spelled)
        asked = len(groups) / len(self.query.terms)
        return _Yield([LaneHit(hit.number, hit.score, hit.share * asked) for hit in came.hits])

    def _graph(self) -> _Yield:
        """Go one hop from the best of what the others found."""
        seeds = [each.number for each in self.fused()[:MOST_SEEDS]]
        if not seeds:
            return _Yield(why="there is no hit to go on from")
        hits = graph_hits(self.look, seeds, self.query.tuning.share(Stage.GRAPH).depth)
        self.capsules |= self.look.reader.capsules([hit.number for hit in hits if hit.number not in self.capsules])
        return _Yield(hits)

    def _best(self, lane: TermLane, into: dict[int, TermHit]) -> _Yield:
        best = lane.best(self.query.tuning.pool)
        into |= {each.hit.number: each.hit for each in best}
        self.capsules |= {each.hit.number: each.capsule for each in best}
        return _Yield([LaneHit(each.hit.number, each.hit.bm25, each.hit.support) for each in best])


def _unlike(look: Look) -> str:
    """Return why a vector was not compared: it fits the space no more, if a model made it, or the space of this destination."""
    there, vector = look.reader.space(look.request.space), look.request.embedding
    if look.request.space == DEFAULT_SPACE or there is None or vector is None:
        return OTHER_DIMENSION
    return f"the embedder {changed_model(there.space, vector)}"


def _without_vectors(look: Look) -> bool:
    """Whether there is nothing to compare; who sees a part of a store is not told whether others have embeddings (F13)."""
    space = look.reader.space(look.request.space)
    return look.sight is Sight.WHOLE and (space is None or not space.vectors)


def _nothing_near(look: Look) -> str:
    """Return why nothing is near."""
    if _without_vectors(look):
        return f"no capsule has an embedding in the space {look.request.space}"
    return "no embedding has a cosine above 0"


def _near_groups(look: Look, query: PipelineQuery) -> tuple[tuple[TermGroup, ...], Sequence[str]]:
    """Return the question's words that no capsule of the corpus has with their near spellings, and those words.

    Each keeps itself as an alternative, which matches nothing, so that it weighs as a word that is asked for.
    """
    terms = {term.key: term for term in query.terms}
    frequencies = look.view.terms.frequencies(list(terms), look.corpus.scope)
    missing = [word for word in terms if not frequencies[word]][:MOST_MISSING]
    near = near_words(look, missing)
    groups = [
        TermGroup(terms[word], (Alternative(word, (word,)), *(Alternative(FUZZY + each, (each,)) for each in spellings)))
        for word, spellings in near.items()
        if spellings
    ]
    return tuple(groups), missing
