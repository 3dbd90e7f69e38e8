"""`recall` with the service's own embedder: the question is embedded once, and a model that fails costs only its stage."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from recordance.domain.change import PutEmbedding, PutSpace
from recordance.domain.embedding import Embedding, Space, Vector, vector_of
from recordance.domain.identity import content_digest
from recordance.domain.journal import Op
from recordance.errors import ModelFailed
from recordance.ports.models import Models
from recordance.usecases.store import Destinations
from recordance.usecases.vector_follow import VectorFollower
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.accrued import RECALL
from support.recalls import ANYBODY, Recalls
from support.stores import standing_still
from support.truths import NOON, told

MODEL = "letters"


class Letters:
    """An embedder of one thought: how much a text is about boats."""

    model = MODEL

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_question(self, text: str) -> Vector:
        self.asked.append(text)
        return vector_of([1.0, 0.0] if "ship" in text or "boat" in text else [0.0, 1.0])

    def embed_contents(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [self.embed_question(text) for text in texts]


class Unreachable(Letters):
    """An embedder that is not there."""

    def embed_question(self, text: str) -> Vector:
        raise ModelFailed(f"no connection for {text}", why="could not be reached")


def harbour(embedder: Letters) -> Recalls:
    """A store whose vectors are in the embedder's own space."""
    recalls = Recalls()
    recalls.remember("the boat is red", "lunch is at noon")
    for number, content in ((1, "the boat is red"), (2, "lunch is at noon")):
        vector = Letters().embed_question(content)
        embedding = Embedding(number, MODEL, content_digest(content), vector, NOON)
        recalls.write(told(Op.EMBEDDED, number, PutSpace(Space(MODEL, 2, MODEL), NOON), PutEmbedding(embedding)))
    main = recalls.destinations.reading(ANYBODY, None)
    indexed = replace(main, vectors=VectorFollower(recalls.truth, MODEL, MemoryVectorReplica, standing_still))
    recalls.destinations = Destinations({"main": indexed}, models=Models(embedder=embedder))
    return recalls


def asked(recalls: Recalls, query: str, **given: Any) -> dict[str, Any]:
    return RECALL.handle(Call(destinations=recalls.destinations, caller=ANYBODY), {"query": query, **given})


def test_a_question_without_a_vector_is_compared_by_meaning_where_there_is_an_embedder() -> None:
    """L10, L12: what no word matches is found, and nothing is said to be skipped; the model is asked once."""
    embedder = Letters()
    answer = asked(harbour(embedder), "any ship")
    assert [row["id"] for row in answer["result"]] == ["cap-1"]
    assert "skipped" not in answer["store"]
    assert embedder.asked == ["any ship"]


def test_an_embedder_that_fails_costs_its_stage_and_says_so() -> None:
    """L10: the words are still looked for, and `store` tells why meaning was not."""
    answer = asked(harbour(Unreachable()), "red boat")
    assert [row["id"] for row in answer["result"]] == ["cap-1"]
    assert "could not be reached" in answer["store"]["skipped"]["semantic"]


def test_the_callers_own_vector_leaves_the_model_alone() -> None:
    """L2: whoever brings a vector along needs no second one."""
    embedder = Letters()
    asked(harbour(embedder), "red boat", query_embedding=[1.0, 0.0])
    assert embedder.asked == []
