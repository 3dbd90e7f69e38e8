"""A service with an embedder: its space beside the callers', in every index, on the way to another place, and once it is gone."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recordance.domain.embedding import vector_of
from recordance.usecases.embed import Attachment, attach
from recordance.usecases.forget import forget
from recordance.usecases.inspect import doctor, rebuild, status
from recordance.usecases.probing import standing
from recordance.usecases.remember import remember
from recordance.usecases.store import Store
from recordance.usecases.transfer import Vectors, export_lines, import_lines
from recordance_adapters.bootstrap import Service, open_service
from recordance_adapters.bootstrap.moving import build_indexes
from recordance_adapters.settings import Settings
from support.model_endpoint import ModelEndpoint, embeddings, hashing, model_endpoint, reply
from support.moves import moved
from support.ports import free_port
from support.qdrant_double import QdrantDouble, qdrant_double
from support.remains import await_that
from support.stores import ANN, draft
from support.word_hashing import DIMENSION, hashed

MODEL = "hash"
CONTENTS = ("tokio is a runtime", "the kitten sleeps", "pin your versions")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ModelEndpoint]:
    with model_endpoint(hashing) as endpoint:
        yield endpoint


def settings(folder: Path, url: str, model: str = MODEL, **given: Any) -> Settings:
    section = {"kind": "endpoint", "model": model, "url": url, "timeout_ms": 20_000}
    return Settings.model_validate({"store": folder, "embedder": section, **given})


def store_in(service: Service) -> Store:
    return service.destinations.writing(ANN, None)


def stored(service: Service, *contents: str) -> Store:
    """A store of these contents, all of them embedded and in the index."""
    remember(service.destinations, ANN, None, [draft(content) for content in contents], None)
    return embedded(service)


def embedded(service: Service) -> Store:
    """The store once the embedder has come up with it, and the index of its space with that."""
    store = store_in(service)
    await_that(lambda: not standing(store, service.destinations.models).unembedded[MODEL], 60)
    store.spaces[MODEL].commit()
    return store


def seen(service: Service) -> dict[str, dict[str, Any]]:
    """The spaces that status tells of."""
    return {each["name"]: each for each in status(service.destinations, ANN, None, service.housing())["spaces"]}


def checked(service: Service) -> dict[str, tuple[str, str]]:
    """What the doctor says of vectors and models."""
    checks = doctor(service.destinations, ANN, None, service.housing(), lambda done, total: None)["checks"]
    return {each["name"]: (each["verdict"], each["found"]) for each in checks if each["name"].startswith(("vector", "model"))}


# ── upkeep ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_status_tells_what_waits_and_how_far_each_index_is(tmp_path: Path, endpoint: ModelEndpoint) -> None:
    """W4: of the space of a model as of the callers'; one that nothing was embedded into yet is there too."""
    with open_service(settings(tmp_path / "s", f"http://127.0.0.1:{free_port()}/")) as service:
        remember(service.destinations, ANN, None, [draft(content) for content in CONTENTS], None)
        store_in(service).spaces[MODEL].commit()
        assert seen(service) == {MODEL: {"name": MODEL, "model": MODEL, "vectors": 0, "waiting": 3, "index": at(3)}}
    with open_service(settings(tmp_path / "s", endpoint.url)) as service:
        embedded(service)
        told = {"name": MODEL, "dimension": DIMENSION, "model": MODEL, "vectors": 3, "waiting": 0, "index": at(6)}
        assert seen(service) == {MODEL: told}
        numbers = standing(store_in(service), service.destinations.models)
        assert (numbers.waiting[f"vectors of {MODEL}"], numbers.unembedded) == (0, {MODEL: 0})


def at(seq: int) -> dict[str, int]:
    return {"applied": seq, "waiting": 0}


def test_the_doctor_compares_the_index_of_each_space(tmp_path: Path, endpoint: ModelEndpoint) -> None:
    """case D5: a point that is missing in a model's index is as bad as one in the callers'; a rebuild mends it."""
    with open_service(settings(tmp_path / "s", endpoint.url)) as service:
        store = stored(service, *CONTENTS)
        assert checked(service) == {
            "vector_index": ("ok", "0 vectors at seq 6, as the truth has them"),
            f"vector_index of {MODEL}": ("ok", "3 vectors at seq 6, as the truth has them"),
            "models": ("ok", f"{MODEL} answers"),
        }
        follower: Any = store.spaces[MODEL]
        with follower._turns.turn():
            follower._replica.put([], [2])
        assert checked(service)[f"vector_index of {MODEL}"] == ("fail", "2 vectors where the truth has 3")
        answer = rebuild(service.destinations, ANN, None, lambda done, total: None)
        assert answer == {"status": "rebuilt", "seq": 6, "vectors": 0, "spaces": {MODEL: 3}}
        assert checked(service)[f"vector_index of {MODEL}"][0] == "ok"


def test_the_doctor_says_what_is_wrong_with_a_model_and_sends_no_content(tmp_path: Path) -> None:
    """Decision 10: nothing depends on it, so it is no failure; what was stored is not sent for a check."""
    with model_endpoint(hashing) as endpoint, open_service(settings(tmp_path / "s", endpoint.url)) as service:
        stored(service, *CONTENTS)
        endpoint.bodies.clear()
        endpoint.answer = lambda handler, body: reply(handler, embeddings([1.0, 0.0]))
        changed = f"the embedder gives vectors of 2 components where those of its space have {DIMENSION}"
        assert checked(service)["models"] == ("warn", changed)
        endpoint.answer = lambda handler, body: reply(handler, {}, 401)
        assert checked(service)["models"] == ("warn", "the embedder was refused its key")
        assert {text for body in endpoint.bodies for text in body["input"]} == {"recordance"}


def test_the_doctor_asks_a_reranker_too(tmp_path: Path) -> None:
    """Decision 10: each model is told of by what it is for."""
    with model_endpoint(lambda handler, body: reply(handler, {"results": []})) as endpoint:
        section = {"kind": "endpoint", "model": "judge", "url": endpoint.url}
        given = Settings.model_validate({"store": tmp_path / "s", "reranker": section})
        with open_service(given) as service:
            assert checked(service)["models"] == ("warn", "the reranker answered 0 scores for 1 texts")
            endpoint.answer = lambda handler, body: reply(handler, {"results": [{"index": 0, "relevance_score": 0.5}]})
            assert checked(service)["models"] == ("ok", "judge answers")


# ── a model that is no longer configured ──────────────────────────────────────────────────────────────────────────────────────


def test_the_index_of_a_former_model_goes_and_its_vectors_stay_in_the_truth(tmp_path: Path) -> None:
    """W4, W6: an index that nobody follows would keep what is forgotten; the vectors cost a model's time, and wait for it."""
    with model_endpoint(hashing) as endpoint:
        given = settings(tmp_path / "s", endpoint.url)
        with open_service(given) as service:
            stored(service, *CONTENTS)
        slot = tmp_path / "s" / "replicas" / "0" / "spaces"
        assert any(file.is_file() for file in slot.rglob("*"))
        with open_service(Settings(store=tmp_path / "s")) as service:
            store_in(service)
            assert not any(file.is_file() for file in slot.rglob("*"))
            assert seen(service) == {MODEL: {"name": MODEL, "dimension": DIMENSION, "model": MODEL, "vectors": 3}}
            forget(service.destinations, ANN, None, "cap-2")
            assert seen(service)[MODEL]["vectors"] == 2
        endpoint.bodies.clear()
        with open_service(given) as service:
            assert embedded(service).spaces[MODEL].held() == 2
            assert seen(service)[MODEL]["waiting"] == 0
        assert endpoint.bodies == []


# ── another place ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def lines_of(service: Service, carried: Vectors = Vectors.CARRIED) -> list[str]:
    return list(export_lines(service.destinations, ANN, None, carried))


def test_a_models_vectors_travel_and_nothing_is_embedded_twice(tmp_path: Path) -> None:
    """W4, W10: bit for bit, into the space of the same name; left behind, the model is asked again."""
    with model_endpoint(hashing) as endpoint:
        with open_service(settings(tmp_path / "s", endpoint.url)) as service:
            stored(service, *CONTENTS)
            whole, bare = lines_of(service), lines_of(service, Vectors.LEFT_OUT)
        for name, lines, asked in (("whole", whole, set[str]()), ("bare", bare, set(CONTENTS))):
            endpoint.bodies.clear()
            with open_service(settings(tmp_path / name, endpoint.url)) as service:
                import_lines(service.destinations, ANN, None, lambda told=lines: told, lambda done, total: None)
                store = embedded(service)
                with store.truth.reading() as reader:
                    found = reader.vectors(MODEL, [1, 2, 3])
                assert (found, store.spaces[MODEL].held()) == ({n: hashed(c) for n, c in enumerate(CONTENTS, start=1)}, 3)
            assert {text for body in endpoint.bodies for text in body["input"]} == asked


def test_a_move_brings_both_spaces_and_builds_both_indexes(tmp_path: Path) -> None:
    """W10: complete is what has every vector of each space in its index."""
    with model_endpoint(hashing) as endpoint:
        with open_service(settings(tmp_path / "s", endpoint.url)) as service:
            stored(service, *CONTENTS)
            attach(service.destinations, ANN, None, [Attachment("cap-1", vector_of([1.0, 0.0]))])
        endpoint.bodies.clear()
        moved(tmp_path / "s" / "truth.sqlite", tmp_path / "new" / "truth.sqlite")
        there = settings(tmp_path / "new", endpoint.url)
        built = build_indexes(there, there.places()[0], "ann", lambda done, total: None)
        assert built == {"documents": 3, "vectors": 1, "spaces": {MODEL: 3}, "complete": True}
        assert endpoint.bodies == []


# ── on a vector server ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    with qdrant_double() as double:
        yield double


def points(double: QdrantDouble, name: str) -> int:
    """How many vectors a collection has, beside the point that bears its position."""
    return int(double._shards.info(name)["points_count"]) - 1


def test_each_space_has_a_collection_and_a_forget_empties_both(
    tmp_path: Path, endpoint: ModelEndpoint, double: QdrantDouble
) -> None:
    """W4, W6: vectors of different models are never in one collection; and what a former model left there is dropped as well."""
    on_server = {"vectors": double.url, "qdrant": {"collection": "memories", "timeout_ms": 60_000}}
    of_model = f"memories-{hashlib.sha256(MODEL.encode()).hexdigest()[:16]}"
    with open_service(settings(tmp_path / "s", endpoint.url, **on_server)) as service:
        store = stored(service, *CONTENTS)
        attach(service.destinations, ANN, None, [Attachment("cap-1", vector_of([1.0, 0.0]))])
        store.vectors.commit()
        assert (points(double, "memories"), points(double, of_model)) == (1, 3)
        assert not any(file.is_file() for file in (tmp_path / "s" / "replicas").rglob("spaces/**/*"))
        assert places(service, "cap-1")["vector collection"] == "purged"
        assert (points(double, "memories"), points(double, of_model)) == (0, 2)
    with open_service(Settings.model_validate({"store": tmp_path / "s", **on_server})) as service:
        assert places(service, "cap-2")["vector collection"] == "purged"
        assert points(double, of_model) == 1
        assert "waiting" not in seen(service)[MODEL]


def places(service: Service, id: str) -> dict[str, str]:
    """What a forget says of each place."""
    return {each["place"]: each["state"] for each in forget(service.destinations, ANN, None, id)["places"]}
