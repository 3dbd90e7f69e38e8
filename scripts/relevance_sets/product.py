"""The product under test: a store of its own for each corpus, with the real engines, asked through the tools of the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recordance_adapters.bootstrap import open_service
from recordance_adapters.settings import Settings
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.retrieve import RETRIEVE
from recordance_adapters.wire.tools.store import STORE
from relevance_sets.sets import Corpus, Passage, Question
from relevance_sets.words import terms_of

BATCH = 500
DEPTH = 100
"""How many results a recall is asked for: a rank beyond it counts as never found."""
ALL_OF_THEM = 1_000_000_000
"""A token budget that never ends a list."""


@dataclass(frozen=True)
class Lane:
    """A way of asking: what the table calls it, and the arguments that ask so."""

    name: str
    arguments: Mapping[str, Any]


TERM = Lane("term", {"lane": "term"})
WITH_VECTORS = (
    Lane(f"vector, vector_k {DEPTH}", {"lane": "vector", "vector_k": DEPTH}),
    Lane("fused rrf, vector_k 10", {"lane": "fused", "fusion": "rrf"}),
    Lane(f"fused rrf, vector_k {DEPTH}", {"lane": "fused", "fusion": "rrf", "vector_k": DEPTH}),
    Lane("fused convex, vector_k 10", {"lane": "fused", "fusion": "convex"}),
    Lane(f"fused convex, vector_k {DEPTH}", {"lane": "fused", "fusion": "convex", "vector_k": DEPTH}),
)


@dataclass(frozen=True)
class Seen:
    """What one recall answered: ids, the best first, and the support of the whole; 0 where nothing grounded."""

    ranking: Sequence[str]
    support: float


class Product:
    """A store that holds one corpus; a passage goes by the id that it was given, twice the same text by one id."""

    def __init__(self, call: Call, passages: Sequence[Passage]) -> None:
        self._call = call
        self.ids: dict[str, str] = {}
        self.tainted = 0
        for start in range(0, len(passages), BATCH):
            self._store(passages[start : start + BATCH])

    @property
    def repeated(self) -> int:
        """How many passages say what an earlier one says."""
        return len(self.ids) - len(set(self.ids.values()))

    def evidence(self, question: Question) -> frozenset[str]:
        """Return the ids that answer a question."""
        return frozenset(self.ids[key] for key in question.evidence)

    def recall(self, question: Question, lane: Lane, language: str) -> Seen:
        """Ask one question in one way."""
        asked: dict[str, Any] = {"terms": terms_of(question.text, language), "limit": DEPTH, "token_budget": ALL_OF_THEM}
        if lane is not TERM:
            asked["query_embedding"] = list(question.vector or ())
        answer = RETRIEVE.handle(self._call, asked | lane.arguments)
        return Seen([result["id"] for result in answer["results"]], answer.get("support", 0.0))

    def _store(self, passages: Sequence[Passage]) -> None:
        answer = STORE.handle(self._call, {"items": [_item(passage) for passage in passages]})
        for passage, result in zip(passages, answer["results"], strict=True):
            self.ids[passage.key] = result["id"]
            self.tainted += "taint_findings" in result


@contextmanager
def stored(corpus: Corpus, folder: Path) -> Iterator[Product]:
    """Return the product with a corpus stored in a new store in `folder`."""
    with open_service(Settings(store=folder)) as service:
        call = Call(destinations=service.destinations, caller=service.caller("relevance"))
        yield Product(call, corpus.passages)


def _item(passage: Passage) -> dict[str, Any]:
    item: dict[str, Any] = {"content": passage.text}
    return item if passage.vector is None else item | {"embedding": list(passage.vector)}
