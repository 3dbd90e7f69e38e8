"""A cross-encoder that runs in this process, from a graph small enough to know what it must answer (decision 10, L10)."""

from pathlib import Path
from typing import Any

import pytest

from recordance.errors import ModelFailed
from recordance.ports.models import Reranker
from recordance_adapters.bootstrap import Service, open_memory_service
from recordance_adapters.bootstrap.models import models_of
from recordance_adapters.settings import Settings
from recordance_adapters.wire.catalogue import TOOLS
from recordance_adapters.wire.tool import Call
from support.onnx_files import overlap_model
from support.stores import ANN

INPUTS = {"ids": "input_ids", "types": "token_type_ids", "mask": "attention_mask"}
VOCABULARY = ["[PAD]", "[UNK]", "[SEP]", "tokio", "runtime", "async", "kitten", "sleeps", "the", "of"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with its tokenizer, as a local one lies in a folder."""
    pytest.importorskip("onnxruntime", reason="no local model: onnxruntime is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="no local model: tokenizers is not installed")
    words = {word: number for number, word in enumerate(VOCABULARY)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    pair = tokenizers.processors.TemplateProcessing(single="$A", pair="$A:0 [SEP]:0 $B:1", special_tokens=[("[SEP]", 2)])
    tokenizer.post_processor = pair
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    overlap_model(tmp_path / "model.onnx", INPUTS)
    return tmp_path


def section(folder: Path, **given: Any) -> dict[str, Any]:
    return {"kind": "local", "model": "overlap", "path": folder, "timeout_ms": 20_000, **given}


def reranker(folder: Path, **given: Any) -> Reranker:
    found = models_of(Settings.model_validate({"reranker": section(folder, **given)})).reranker
    assert found is not None
    return found


def test_each_text_is_read_together_with_the_question(folder: Path) -> None:
    """L10: one score for a pair, in the order of the texts, however long each is."""
    texts = ["kitten sleeps", "Tokio runtime of the async runtime", "", "tokio"]
    assert list(reranker(folder).judge("tokio runtime", texts)) == [0.0, 3.0, 0.0, 1.0]
    assert list(reranker(folder).judge("kitten", texts)) == [1.0, 0.0, 0.0, 0.0]
    assert list(reranker(folder).judge("kitten", [])) == []


def test_what_a_model_does_not_read_is_cut(folder: Path) -> None:
    """Decision 10: by characters before the tokenizer, and by tokens in it."""
    text = "of of of of of of of of of of of of of of of of of of of of tokio"
    assert list(reranker(folder).judge("tokio", [text])) == [1.0]
    assert list(reranker(folder, tokens=8).judge("tokio", [text])) == [0.0]


def test_a_model_that_asks_for_what_no_tokenizer_gives_is_told(folder: Path) -> None:
    """Decision 10: a reason in a few words, and no crash of the recall."""
    overlap_model(folder / "model.onnx", {**INPUTS, "types": "pixel_values"})
    with pytest.raises(ModelFailed) as failed:
        reranker(folder).judge("tokio", ["tokio"])
    assert failed.value.why == "is of a kind that cannot be run"


def test_a_model_that_gives_more_than_one_number_for_a_pair_is_told(folder: Path) -> None:
    """Decision 10: an embedder's file under the name of a reranker is a mistake that a sentence names."""
    overlap_model(folder / "model.onnx", INPUTS, summed=(1,))
    with pytest.raises(ModelFailed) as failed:
        reranker(folder).judge("tokio", ["tokio"])
    assert failed.value.why == "gives no single number for a pair"


def test_memory_recall_lets_it_reorder_what_was_found(folder: Path) -> None:
    """L10: what it puts first comes first; the explanation has its scores, and without its files says why it was skipped."""
    contents = ["the kitten", "tokio of the tokio", "tokio again"]
    given = Settings.model_validate({"reranker": section(folder)})
    with open_memory_service(given) as service:
        call("memory_store", service, items=[{"content": content} for content in contents])
        asked = {"query": "tokio kitten", "rerank": True}
        assert ids(call("memory_recall", service, query="tokio kitten"))[0] == "cap-1"
        assert ids(call("memory_recall", service, **asked))[0] == "cap-2"
        stage = rerank_stage(call("memory_explain_search", service, **asked))
        assert (stage["state"], [hit["score"] for hit in stage["hits"]]) == ("ran", [2.0, 1.0, 1.0])
    (folder / "model.onnx").unlink()
    with open_memory_service(given) as service:
        call("memory_store", service, content=contents[0])
        stage = rerank_stage(call("memory_explain_search", service, **asked))
        assert (stage["state"], stage["why"]) == ("skipped", "the reranker has no files where they should be")


def call(tool: str, service: Service, **arguments: Any) -> dict[str, Any]:
    (found,) = (each for each in TOOLS if each.name == tool)
    return found.handle(Call(destinations=service.destinations, caller=ANN), arguments)


def ids(answer: dict[str, Any]) -> list[str]:
    return [row["id"] for row in answer["results"]]


def rerank_stage(answer: dict[str, Any]) -> dict[str, Any]:
    (stage,) = (each for each in answer["stages"] if each["stage"] == "rerank")
    return stage
