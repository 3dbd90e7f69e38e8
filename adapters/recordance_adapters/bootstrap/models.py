"""The models that the settings name (decision 10). None is loaded or asked here, and nothing is imported where there are none."""

import functools
import logging
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from recordance.domain.place import EMBEDDING_ENDPOINT, RERANKING_ENDPOINT, Place, PlaceState
from recordance.errors import ModelFailed, StoreUnusable
from recordance.ports.models import NO_MODELS, Embedder, Models, Reranker
from recordance_adapters.bootstrap.truths import secret_in
from recordance_adapters.model_sections import EmbedderSettings, ModelKind, ModelSection, ModelSettings, RerankerSettings
from recordance_adapters.settings import Settings

if TYPE_CHECKING:
    from recordance_adapters.driven.models.endpoint import Endpoint
    from recordance_adapters.driven.models.files import LocalModel

_log = logging.getLogger(__name__)
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


def models_of(settings: Settings) -> Models:
    """Return the models that are configured.

    Among several destinations a reranker is asked within the time of each, and has half of the shortest at most: one that hangs
    would else take the answer along that does without it.
    """
    if settings.embedder.kind is ModelKind.OFF and settings.reranker.kind is ModelKind.OFF:
        return NO_MODELS
    longest = min((each.deadline_ms / 2 for each in settings.destinations), default=math.inf)
    return Models(embedder_of(settings.embedder), _reranker(settings.reranker, longest))


def places_beyond(settings: ModelSettings) -> Sequence[Place]:
    """Return the places outside that contents are sent to: where a model runs in this process there are none (W6)."""
    sent = {
        EMBEDDING_ENDPOINT: (settings.embedder, "contents are sent there to be embedded"),
        RERANKING_ENDPOINT: (settings.reranker, "contents that a recall considers are sent there to be judged"),
    }
    return tuple(
        Place(name, PlaceState.OUTSIDE, f"{note}; what became of them there only its operator knows")
        for name, (section, note) in sent.items()
        if section.kind is ModelKind.ENDPOINT
    )


@functools.lru_cache(maxsize=8)
def embedder_of(given: EmbedderSettings) -> Embedder | None:
    """Return the embedder that is configured, None where none is; the same for all, so that a local one is read once."""
    if given.kind is ModelKind.OFF:
        return None
    if given.kind is ModelKind.LOCAL:
        from recordance_adapters.driven.models.files import LocalEmbedder, Pooling

        return LocalEmbedder(
            model=given.model or "",
            files=_files(given),
            seconds=given.timeout_ms / 1_000,
            batch_seconds=given.batch_timeout_ms / 1_000,
            characters=given.characters,
            pooling=Pooling(given.pooling),
            question_prefix=given.question_prefix,
            content_prefix=given.content_prefix,
        )
    from recordance_adapters.driven.models.embedding import EndpointEmbedder

    return EndpointEmbedder(
        endpoint=_endpoint(given),
        name=given.model or "",
        seconds=given.timeout_ms / 1_000,
        batch_seconds=given.batch_timeout_ms / 1_000,
        characters=given.characters,
        dimensions=given.dimensions,
        question_prefix=given.question_prefix,
        content_prefix=given.content_prefix,
    )


def _reranker(given: RerankerSettings, longest: float) -> Reranker | None:
    """Return the reranker that is configured, which takes `longest` milliseconds at most; None where none is."""
    if given.kind is ModelKind.OFF:
        return None
    name, seconds = given.model or "", min(given.timeout_ms, longest) / 1_000
    if given.kind is ModelKind.LOCAL:
        from recordance_adapters.driven.models.files import LocalReranker

        return LocalReranker(model=name, files=_files(given), seconds=seconds, characters=given.characters)
    from recordance_adapters.driven.models.reranking import EndpointReranker

    return EndpointReranker(
        endpoint=_endpoint(given), model=name, seconds=seconds, characters=given.characters, texts_field=given.texts_field
    )


def _files(given: ModelSection) -> "LocalModel":
    from recordance_adapters.driven.models.files import LocalModel, ModelFiles

    path = given.path or Path()
    return LocalModel(ModelFiles(model=path, tokenizer=given.tokenizer_path, tokens=given.tokens, threads=given.threads))


def _endpoint(given: ModelSection) -> "Endpoint":
    from recordance_adapters.driven.models.endpoint import Endpoint

    url = given.url or ""
    parts = urlsplit(url)
    has_key = given.api_key is not None or given.api_key_file is not None
    if has_key and parts.scheme == "http" and parts.hostname not in _THIS_MACHINE:
        _log.warning("the key of a model's endpoint travels unencrypted: its address begins with http")
    return Endpoint(url=url, key=partial(_key, given), ca_file=given.ca_file)


def _key(given: ModelSection) -> str | None:
    """Return the key; its file is read each time, so that it can be changed while the server runs."""
    if given.api_key_file is None:
        return given.api_key
    try:
        return secret_in(given.api_key_file, "key of the model's endpoint")
    except StoreUnusable as problem:
        raise ModelFailed(str(problem), why="has a key that cannot be read") from problem
