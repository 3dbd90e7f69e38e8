"""The product under test: a store of its own for each corpus, with the real engines, asked through the tools of the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recordance.query.accrued import MOST_K
from recordance.query.pipeline import MOST_WANTED, PipelineFusion
from recordance_adapters.bootstrap import open_service
from recordance_adapters.settings import Settings
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.accrued import RECALL
from recordance_adapters.wire.tools.memory_recall import MEMORY_RECALL
from recordance_adapters.wire.tools.retrieve import RETRIEVE
from recordance_adapters.wire.tools.store import STORE
from relevance_sets.sets import Corpus, Passage, Question, QuestionSet
from relevance_sets.words import terms_of

BATCH = 500
DEPTH = 100
"""How many results a recall is asked for: a rank beyond it counts as never found."""
ALL_OF_THEM = 1_000_000_000
"""A token budget that never ends a list."""


@dataclass(frozen=True)
class Seen:
    """What one recall answered: ids, the best first, and the support of the whole; 0 where nothing grounded, None if untold."""

    ranking: Sequence[str]
    support: float | None


@dataclass(frozen=True)
class Lane:
    """A way of asking: what the table calls it, the arguments that ask so, and settings that differ from the defaults.

    `unspaced` are ways that differ from the others in languages without spaces alone.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    unspaced: bool = False

    def fits(self, questions: QuestionSet) -> bool:
        """Whether it says anything of a set: of its language, with what embeddings it has."""
        return (questions.has_vectors or not self.needs_vectors) and (questions.language in UNSPACED or not self.unspaced)

    @property
    def needs_vectors(self) -> bool:
        """Whether nothing can be asked so without an embedding of the question."""
        return bool(self.arguments["lane"] != "term")

    def seen(self, call: Call, question: Question, language: str) -> Seen:
        """Ask a question and return what came of it."""
        asked: dict[str, Any] = {"terms": terms_of(question.text, language), "limit": DEPTH, "token_budget": ALL_OF_THEM}
        embedding = {"query_embedding": list(question.vector or ())} if self.needs_vectors else {}
        answer = RETRIEVE.handle(call, {**asked, **embedding, **self.arguments})
        return Seen([result["id"] for result in answer["results"]], answer.get("support", 0.0))


class Piped(Lane):
    """`memory_recall` with the whole question, stop words and all; `stages` among the arguments says what looks for it."""

    @property
    def needs_vectors(self) -> bool:
        """See Lane."""
        return self.arguments.get("stages") == ["semantic"]

    def seen(self, call: Call, question: Question, language: str) -> Seen:
        """See Lane. The first fifty are all that are shown; the support is that of the first."""
        del language  # the pipeline takes questions as they are
        embedding = {} if question.vector is None else {"query_embedding": list(question.vector)}
        answer = MEMORY_RECALL.handle(call, {"query": question.text, "limit": MOST_WANTED, **embedding, **self.arguments})
        hits = answer["results"]
        return Seen([hit["id"] for hit in hits], hits[0]["support"] if hits else 0.0)


class Valued(Lane):
    """`recall` with the whole question."""

    @property
    def needs_vectors(self) -> bool:
        """See Lane."""
        return False

    def seen(self, call: Call, question: Question, language: str) -> Seen:
        """See Lane. It tells no support."""
        del language
        embedding = {} if question.vector is None else {"query_embedding": list(question.vector)}
        answer = RECALL.handle(call, {"query": question.text, "k": MOST_K, **embedding, **self.arguments})
        return Seen([hit["id"] for hit in answer["result"]], None)


LANES = (
    Lane("retrieve, term", {"lane": "term"}),
    Lane(f"retrieve, vector, vector_k {DEPTH}", {"lane": "vector", "vector_k": DEPTH}),
    Lane("retrieve, rrf", {"lane": "fused", "fusion": "rrf"}),
    Lane("retrieve, rrf, fusion_depth 10", {"lane": "fused", "fusion": "rrf"}, {"fusion_depth": 10}),
    Lane("retrieve, convex", {"lane": "fused", "fusion": "convex"}),
    Lane(f"retrieve, convex, vector_k {DEPTH}", {"lane": "fused", "fusion": "convex", "vector_k": DEPTH}),
    Piped("memory_recall, words alone", {"stages": ["term"]}),
    Piped("memory_recall, words alone, rrf", {"stages": ["term"], "fusion": "rrf"}),
    Piped("memory_recall, meaning alone", {"stages": ["semantic"]}),
    Piped("memory_recall"),
    *(Piped(f"memory_recall, {fusion}", {"fusion": fusion.value}) for fusion in PipelineFusion),
    Piped("memory_recall, segmentation", {}, {"text": {"segmentation": True}}, unspaced=True),
    Valued("recall"),
)
"""Where no other is named, vector_k is 10 and fusion_depth 200, as for a caller and a server that say nothing."""
UNSPACED = frozenset({"ja", "th", "zh"})


@dataclass
class Stored:
    """A store that holds one corpus; a passage goes by the id that it was given, twice the same text by one id."""

    folder: Path
    ids: dict[str, str] = field(default_factory=dict)
    tainted: int = 0

    @property
    def repeated(self) -> int:
        """How many passages say what an earlier one says."""
        return len(self.ids) - len(set(self.ids.values()))

    def evidence(self, question: Question) -> frozenset[str]:
        """Return the ids that answer a question."""
        return frozenset(self.ids[key] for key in question.evidence)


def store(corpus: Corpus, folder: Path) -> Stored:
    """Store a corpus in a new store in `folder`, in batches, embeddings with it."""
    stored = Stored(folder)
    with _opened(folder) as call:
        for start in range(0, len(corpus.passages), BATCH):
            passages = corpus.passages[start : start + BATCH]
            answer = STORE.handle(call, {"items": [_item(passage) for passage in passages]})
            for passage, result in zip(passages, answer["results"], strict=True):
                stored.ids[passage.key] = result["id"]
                stored.tainted += "taint_findings" in result
    return stored


def recalls(stored: Stored, lane: Lane, questions: Sequence[Question], language: str) -> Iterator[Seen]:
    """Ask each question in one way and yield what came of it."""
    with _opened(stored.folder, **lane.settings) as call:
        for question in questions:
            yield lane.seen(call, question, language)


@contextmanager
def _opened(folder: Path, **settings: Any) -> Iterator[Call]:
    with open_service(Settings(store=folder, **settings)) as service:
        yield Call(destinations=service.destinations, caller=service.caller("relevance"))


def _item(passage: Passage) -> dict[str, Any]:
    item: dict[str, Any] = {"content": passage.text}
    return item if passage.vector is None else item | {"embedding": list(passage.vector)}
