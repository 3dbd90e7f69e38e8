"""The tables of the configuration file that name models (decision 10); without them there are none."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StrictInt, model_validator

from recordance.domain import limits
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.domain.storable import check_storable
from recordance.errors import InvalidArgument
from recordance_adapters.section import Section
from recordance_adapters.sections import Text


class ModelKind(StrEnum):
    """Where a model runs."""

    OFF = "off"
    ENDPOINT = "endpoint"
    LOCAL = "local"


def _bare_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("it is no URL of that kind, or names a user; a key belongs into api_key_file")
    return text


def _model(text: str) -> str:
    if text == DEFAULT_SPACE:
        raise ValueError(f"{DEFAULT_SPACE} is the space of the vectors that callers bring along")
    try:
        check_storable(text, "model")
    except InvalidArgument as refusal:
        raise ValueError(refusal.why) from None
    return text


_ENDPOINT_ONLY = ("url", "api_key_file", "ca_file")
_LOCAL_ONLY = ("path", "tokenizer_path")


class ModelSection(Section):
    """What every model needs to be told."""

    kind: ModelKind = Field(default=ModelKind.OFF, description=f"one of {', '.join(ModelKind)}")
    model: Annotated[Text, AfterValidator(_model), Field(max_length=180)] | None = Field(
        default=None, description="the model's name, 180 characters at most"
    )
    url: Annotated[str, AfterValidator(_bare_url)] | None = Field(
        default=None, description="the whole URL that is posted to, such as http://127.0.0.1:11434/v1/embeddings, without a user"
    )
    api_key: Text | None = Field(default=None, repr=False, description="the key of the endpoint; better in api_key_file")
    api_key_file: Path | None = Field(default=None, description="a file that holds the key of the endpoint")
    ca_file: Path | None = Field(default=None, description="a file with the certificates that the endpoint's is signed by")
    path: Path | None = Field(default=None, description="a folder with model.onnx and tokenizer.json, or an ONNX file")
    tokenizer_path: Path | None = Field(default=None, description="the tokenizer.json, where it is not beside the model")
    tokens: StrictInt = Field(default=256, ge=8, le=32_768, description="8 to 32,768: tokens of a text that a local model reads")
    threads: StrictInt = Field(default=1, ge=1, le=256, description="1 to 256: cores that a local model uses for a run")
    timeout_ms: StrictInt = Field(
        default=2_000, ge=10, le=600_000, description="10 to 600,000: milliseconds that a call for a question may take"
    )
    characters: StrictInt = Field(
        default=8_000, ge=100, le=1_000_000, description="100 to 1,000,000: characters of a text that the model is given"
    )

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        if self.kind is ModelKind.OFF:  # whoever switches it off for a while keeps the rest
            return self
        needed, strange = (("url", _LOCAL_ONLY), ("path", _ENDPOINT_ONLY))[self.kind is ModelKind.LOCAL]
        if missing := [name for name in ("model", needed) if getattr(self, name) is None]:
            raise ValueError(f"kind {self.kind.value} needs {missing[0]}")
        if given := [name for name in strange if getattr(self, name) is not None]:
            raise ValueError(f"{given[0]} is given and has no meaning where kind is {self.kind.value}")
        return self


class EmbedderSettings(ModelSection):
    """A model that embeds what is asked and what is stored."""

    batch: StrictInt = Field(default=32, ge=1, le=2_048, description="1 to 2,048: contents in one call")
    batch_timeout_ms: StrictInt = Field(
        default=60_000, ge=10, le=3_600_000, description="10 to 3,600,000: milliseconds that a call with contents may take"
    )
    dimensions: StrictInt | None = Field(
        default=None,
        ge=1,
        le=limits.DIMENSION,
        description=f"1 to {limits.DIMENSION:,}: components that an endpoint is asked for",
    )
    pooling: Literal["mean", "cls"] = Field(
        default="mean", description="mean or cls: how a local model's tokens become one vector"
    )
    question_prefix: str = Field(default="", max_length=1_000, description="what the model wants before a question")
    content_prefix: str = Field(default="", max_length=1_000, description="what the model wants before a content")

    @model_validator(mode="after")
    def _cuts_only_at_an_endpoint(self) -> Self:
        if self.dimensions is not None and self.kind is ModelKind.LOCAL:
            raise ValueError(f"dimensions is given and has no meaning where kind is {self.kind.value}")
        return self


class RerankerSettings(ModelSection):
    """A model that judges how well each text answers a question."""

    texts_field: Literal["documents", "texts"] = Field(
        default="documents", description="documents or texts: under which name the endpoint takes them"
    )


class ModelSettings(Section):
    """The models of a service."""

    embedder: EmbedderSettings = Field(default=EmbedderSettings(), description="a table with kind, model and url or path")
    reranker: RerankerSettings = Field(default=RerankerSettings(), description="a table with kind, model and url or path")
