"""Asks every question of a set in every way and says what came of it, macro-averaged over the questions."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from relevance_sets.metrics import auroc, hit_at, mean, ndcg_at, recall_at, reciprocal_rank
from relevance_sets.product import LANES, Lane, Seen, Stored, recalls, store
from relevance_sets.sets import Corpus, QuestionSet

METRICS: Mapping[str, Callable[[Sequence[str], Collection[str]], float]] = {
    "R@5": partial(recall_at, 5),
    "R@10": partial(recall_at, 10),
    "MRR": reciprocal_rank,
    "nDCG@10": partial(ndcg_at, 10),
    "hit@5": partial(hit_at, 5),
    "hit@10": partial(hit_at, 10),
}
AUROC = "AUROC of support"


@dataclass
class Scores:
    """What one lane reached: for each metric a value a question; the support of what can be answered and of what cannot."""

    lane: Lane
    values: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in METRICS})
    present: list[float] = field(default_factory=list)
    missing: list[float] = field(default_factory=list)

    def add(self, seen: Seen, evidence: Collection[str]) -> None:
        """Count the answer to a question that has evidence."""
        for name, metric in METRICS.items():
            self.values[name].append(metric(seen.ranking, evidence))
        if seen.support is not None:
            self.present.append(seen.support)

    def cells(self) -> list[str]:
        """Return the row of the table."""
        means = [f"{mean(values):.3f}" for values in self.values.values()]
        return [
            self.lane.name,
            *means,
            *([f"{auroc(self.present, self.missing):.3f}"] if self.present and self.missing else [""]),
        ]


def measured(questions: QuestionSet) -> str:
    """Return the table of one set, under what must be known to read it."""
    scores = [Scores(lane) for lane in LANES if lane.fits(questions)]
    counts: Counter[str] = Counter()
    for corpus in questions.corpora:
        with tempfile.TemporaryDirectory(prefix="recordance-relevance-") as folder:
            stored = store(corpus, Path(folder))
            counts.update(_counts(stored, corpus))
            for score in scores:
                _ask(stored, corpus, score, questions.language)
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    return "\n".join([f"{questions.name}: {questions.about}", told, "", *_table(scores)])


def _counts(stored: Stored, corpus: Corpus) -> Mapping[str, int]:
    return {
        "corpora in stores of their own": 1,
        "passages": len(stored.ids),
        "of them said twice": stored.repeated,
        "of them instruction-shaped": stored.tainted,
        "questions": len(corpus.questions),
        "questions that nothing answers": len(corpus.unanswerable),
    }


def _ask(stored: Stored, corpus: Corpus, score: Scores, language: str) -> None:
    print(f"  {score.lane.name}", file=sys.stderr, flush=True)
    asked = [*corpus.questions, *corpus.unanswerable]
    for question, seen in zip(asked, recalls(stored, score.lane, asked, language), strict=True):
        if question.evidence:
            score.add(seen, stored.evidence(question))
        elif seen.support is not None:
            score.missing.append(seen.support)


def _table(scores: Sequence[Scores]) -> Iterator[str]:
    heads = ["lane", *METRICS, *([AUROC] if any(score.missing for score in scores) else [])]
    yield _line(heads)
    yield _line(["---"] * len(heads))
    yield from (_line(score.cells()[: len(heads)]) for score in scores)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
