"""A model's endpoint over a real socket: bounded in time, judged, and silent about what it was sent (decision 10, W4)."""

import logging
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from recordance.errors import InvalidArgument, ModelFailed
from recordance_adapters.bootstrap.models import embedder_of, models_of
from recordance_adapters.driven.models.embedding import EndpointEmbedder
from recordance_adapters.driven.models.endpoint import Endpoint
from recordance_adapters.driven.models.reranking import EndpointReranker
from recordance_adapters.settings import Settings, load_settings
from support.model_endpoint import ModelEndpoint, embeddings, hashing, model_endpoint, reply
from support.ports import free_port
from support.word_hashing import DIMENSION, hashed

KEY = "sk-a-secret-of-the-operator"


def embedder(endpoint: ModelEndpoint, seconds: float = 5.0, **given: Any) -> EndpointEmbedder:
    at = Endpoint(url=endpoint.url, key=lambda: KEY)
    return EndpointEmbedder(endpoint=at, name="m", seconds=seconds, batch_seconds=seconds, characters=1_000, **given)


def why(endpoint: ModelEndpoint, *texts: str, seconds: float = 5.0, **given: Any) -> str:
    """Why these texts are not embedded; neither the key nor a text stands in anything that is said."""
    with pytest.raises(ModelFailed) as failed:
        embedder(endpoint, seconds, **given).embed_contents(texts or ("the secret plan",))
    told = f"{failed.value} {failed.value.why}"
    assert KEY not in told
    assert "secret plan" not in told
    assert endpoint.url not in told
    return failed.value.why


def test_vectors_come_back_in_the_order_of_their_texts() -> None:
    """W4: a vector belongs to the text that it was made of, in whatever order an endpoint answers."""
    with model_endpoint(hashing) as endpoint:
        found = embedder(endpoint).embed_contents(["alpha", "beta", "gamma"])
    assert list(found) == [hashed("alpha"), hashed("beta"), hashed("gamma")]
    assert endpoint.bodies == [{"model": "m", "input": ["alpha", "beta", "gamma"]}]
    assert endpoint.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_a_question_and_a_content_bear_their_prefixes_and_are_cut() -> None:
    """Models are trained on them; and what no model reads need not travel."""
    with model_endpoint(hashing) as endpoint:
        asking = embedder(endpoint, question_prefix="query: ", content_prefix="passage: ")
        asking.embed_question("x" * 2_000)
        asking.embed_contents(["y"])
        assert list(asking.embed_contents([])) == []
    assert [body["input"] for body in endpoint.bodies] == [["query: " + "x" * 1_000], ["passage: y"]]


def test_vectors_that_are_cut_are_of_another_space() -> None:
    """W4: a space has one dimension, so that its name says which where an endpoint can be asked for several."""
    with model_endpoint(hashing) as endpoint:
        cut = embedder(endpoint, dimensions=DIMENSION)
        assert (cut.model, cut.embed_question("alpha")) == (f"m@{DIMENSION}", hashed("alpha"))
        assert endpoint.bodies[0]["dimensions"] == DIMENSION
        assert "where 8 were asked for" in why(endpoint, dimensions=8)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (embeddings(), "answered 0 vectors for 1 texts"),
        (embeddings([1.0, 0.0], [1.0, 0.0]), "answered 2 vectors for 1 texts"),
        (embeddings([0.0, 0.0]), "no vector with a direction"),
        (embeddings([float("nan"), 1.0]), "no vector with a direction"),
        (embeddings([float("inf"), 1.0]), "no vector with a direction"),
        (embeddings([]), "no vector with a direction"),
        (embeddings("AAAA"), "no vector with a direction"),
        (embeddings([True, False]), "no vector with a direction"),
        ({"data": [{"index": 7, "embedding": [1.0]}]}, "for which text each is"),
        ({"data": [{"index": "0", "embedding": [1.0]}]}, "for which text each is"),
        ({"data": "no"}, "without any vectors"),
        ([1], "without any vectors"),
        (b"<html>", "no JSON"),
        (b"null", "no JSON"),
    ],
)
def test_an_answer_that_is_no_vector_is_a_failure(answer: Any, told: str) -> None:
    """L2: what is not finite, all zero or missing is compared with nothing."""
    with model_endpoint(lambda handler, body: reply(handler, answer)) as endpoint:
        assert told in why(endpoint)


def test_vectors_of_different_dimensions_are_a_failure() -> None:
    """W4: a space has one dimension."""
    with model_endpoint(lambda handler, body: reply(handler, embeddings([1.0], [1.0, 0.0]))) as endpoint:
        assert why(endpoint, "a", "b") == "answered vectors of 1, 2 components"


@pytest.mark.parametrize(
    ("status", "told"),
    [(401, "was refused its key"), (403, "was refused its key"), (429, "is asked too often"), (500, "answered with status 500")],
)
def test_a_refusal_is_told_without_its_sentence(status: int, told: str) -> None:
    """An endpoint's own sentence may repeat the key or the content; its code is enough."""
    error = {"error": {"message": f"{KEY} is wrong for 'the secret plan'", "type": "invalid_request_error", "code": KEY * 9}}
    with model_endpoint(lambda handler, body: reply(handler, error, status)) as endpoint:
        assert why(endpoint) == told


def test_no_redirect_is_followed() -> None:
    """What is remembered goes to the one address that was configured."""
    with model_endpoint(hashing) as elsewhere:
        moved = {"Location": elsewhere.url}
        with model_endpoint(lambda handler, body: reply(handler, {}, 307, moved)) as endpoint:
            assert "not followed" in why(endpoint)
        assert elsewhere.bodies == []


def test_an_endpoint_that_never_answers_is_left() -> None:
    """Decision 10: a call takes no longer than it may; the rest of the answer does not wait for it."""
    with model_endpoint(lambda handler, body: _dawdle(endpoint)) as endpoint:
        assert why(endpoint, seconds=0.05) == "did not answer within 0.05 s"


def test_a_reranker_leaves_half_of_the_time_that_destinations_have() -> None:
    """D3: it is asked within a destination's time, which must not run out with it and take the answer along."""
    places = [{"name": "a", "store": "a", "deadline_ms": 200}, {"name": "b", "store": "b", "deadline_ms": 9_000}]
    with model_endpoint(lambda handler, body: _dawdle(endpoint)) as endpoint:
        table = {"kind": "endpoint", "model": "m", "url": endpoint.url, "timeout_ms": 3_000}
        found = models_of(Settings.model_validate({"destinations": places, "reranker": table})).reranker
        assert found is not None
        with pytest.raises(ModelFailed) as failed:
            found.judge("a question", ["a text"])
    assert failed.value.why == "did not answer within 0.1 s"


@pytest.mark.parametrize("part", ["header", "body"])
def test_an_endpoint_that_sends_byte_by_byte_is_left_too(part: str) -> None:
    """A bound on each byte is none on all of them."""

    def drip(handler: BaseHTTPRequestHandler, _: Mapping[str, Any]) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n" if part == "header" else b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n")
        while not endpoint.over.wait(0.01):
            handler.wfile.write(b"x")

    with model_endpoint(drip) as endpoint:
        assert why(endpoint, seconds=0.1) == "did not answer within 0.1 s"


def test_an_endpoint_that_hangs_up_is_a_failure() -> None:
    """A connection that closes in the midst is no answer."""

    def hang_up(handler: BaseHTTPRequestHandler, _: Mapping[str, Any]) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{")
        handler.close_connection = True

    with model_endpoint(hang_up) as endpoint:
        assert why(endpoint) == "answered what is no JSON"


def test_nobody_at_the_address_is_a_failure() -> None:
    """A model that is not started yet is told like one that is late."""
    assert why(ModelEndpoint(url=f"http://127.0.0.1:{free_port()}/v1/embeddings")) == "cannot be reached"


def test_what_is_not_encrypted_is_not_spoken_to_under_https() -> None:
    """The key goes out only once the other side has proven who it is."""
    with model_endpoint(hashing) as endpoint:
        endpoint.url = endpoint.url.replace("http:", "https:")
        assert why(endpoint) == "cannot be reached"
    assert endpoint.headers == []


def test_scores_come_back_in_the_order_of_their_texts() -> None:
    """L10: a reranker answers the best first; both spellings of its answer are read."""
    results = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": -2}]
    with model_endpoint(lambda handler, body: reply(handler, {"results": results})) as endpoint:
        reranker = EndpointReranker(endpoint=Endpoint(url=endpoint.url), model="r", seconds=5.0, characters=100)
        assert list(reranker.judge("why", ["a", "b" * 200])) == [-2.0, 0.9]
        assert list(reranker.judge("why", [])) == []
        endpoint.answer = lambda handler, body: reply(handler, [{"index": 0, "score": 3}])
        texts = EndpointReranker(endpoint=Endpoint(url=endpoint.url), model="r", seconds=5.0, characters=100, texts_field="texts")
        assert list(texts.judge("why", ["a"])) == [3.0]
    assert endpoint.bodies == [
        {"model": "r", "query": "why", "documents": ["a", "b" * 100]},
        {"model": "r", "query": "why", "texts": ["a"]},
    ]


@pytest.mark.parametrize(
    "results",
    [
        [{"index": 0, "relevance_score": 1.0}],
        [{"index": 0, "relevance_score": 1.0}, {"index": 0, "relevance_score": 1.0}],
        [{"index": 0, "relevance_score": 1.0}, {"index": 1, "relevance_score": float("nan")}],
        [{"index": 0, "relevance_score": 1.0}, {"index": 1, "relevance_score": "1"}],
        [{"index": 0, "relevance_score": 1.0}, {"index": 1}],
        "no",
    ],
)
def test_scores_that_are_none_are_a_failure(results: Any) -> None:
    """L10: a reranker that leaves out a text, or answers no number, reranks nothing."""
    with model_endpoint(lambda handler, body: reply(handler, {"results": results})) as endpoint:
        reranker = EndpointReranker(endpoint=Endpoint(url=endpoint.url), model="r", seconds=5.0, characters=100)
        with pytest.raises(ModelFailed):
            reranker.judge("why", ["a", "b"])


def test_a_text_that_is_scored_twice_is_told_so() -> None:
    """L10: the reason is in the answer, and must not say that as many scores came as were asked for."""
    results = [{"index": 0, "relevance_score": 1.0}, {"index": 0, "relevance_score": 2.0}]
    with model_endpoint(lambda handler, body: reply(handler, {"results": results})) as endpoint:
        reranker = EndpointReranker(endpoint=Endpoint(url=endpoint.url), model="r", seconds=5.0, characters=100)
        with pytest.raises(ModelFailed) as failed:
            reranker.judge("why", ["a", "b"])
    assert failed.value.why == "answered several scores for one text"


def settings_of(tmp_path: Path, text: str, environment: Mapping[str, str] | None = None) -> Any:
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    return load_settings({"config": str(tmp_path / "c.toml")}, environment or {})


def test_a_configured_key_is_sent_and_never_shown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The key comes from the environment or a file; a file is read at each call, so that it can be changed."""
    caplog.set_level(logging.DEBUG)
    with model_endpoint(hashing) as endpoint:
        table = f'[embedder]\nkind = "endpoint"\nmodel = "m"\nurl = "{endpoint.url}"\n'
        settings = settings_of(tmp_path, table, {"RECORDANCE_EMBEDDER_KEY": KEY})
        assert KEY not in repr(settings)
        found = models_of(settings).embedder
        assert found is not None
        found.embed_question("alpha")
        assert endpoint.headers[-1]["Authorization"] == f"Bearer {KEY}"
        filed = embedder_of(settings_of(tmp_path, table + 'api_key_file = "key"').embedder)
        assert filed is not None
        with pytest.raises(ModelFailed, match="cannot be read"):
            filed.embed_question("alpha")
        (tmp_path / "key").write_text("another\n", encoding="utf-8")
        filed.embed_question("alpha")
        assert endpoint.headers[-1]["Authorization"] == "Bearer another"
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    ("table", "lesson"),
    [
        ('kind = "endpoint"\nmodel = "m"', "kind endpoint needs url"),
        ('kind = "endpoint"\nurl = "http://h/e"', "kind endpoint needs model"),
        ('kind = "local"\nmodel = "m"', "kind local needs path"),
        ('kind = "local"\nmodel = "m"\npath = "p"\nurl = "http://h/e"', "url is given and has no meaning where kind is local"),
        ('kind = "endpoint"\nmodel = "m"\nurl = "http://u:p@h/e"', "names a user"),
        ('kind = "endpoint"\nmodel = "default"\nurl = "http://h/e"', "the space of the vectors that callers bring"),
        ('kind = "endpiont"', "embedder.kind"),
    ],
)
def test_models_that_cannot_be_are_refused_at_the_start(tmp_path: Path, table: str, lesson: str) -> None:
    """W4: the space that bears a model's name is never the callers' own."""
    with pytest.raises(InvalidArgument) as refused:
        settings_of(tmp_path, "[embedder]\n" + table)
    assert lesson in str(refused.value)
    assert "u:p" not in str(refused.value)


def _dawdle(endpoint: ModelEndpoint) -> None:
    end = time.monotonic() + 30
    while not endpoint.over.wait(0.05) and time.monotonic() < end:
        pass
