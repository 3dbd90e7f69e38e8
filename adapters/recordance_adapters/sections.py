"""The tables of the configuration file and what stands in them, judged once and never changed (see settings)."""

import re
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictInt, model_validator

from recordance.domain.caller import Permission
from recordance.domain.capsule import LabelField
from recordance.domain.destination import RESERVED, Rule
from recordance.domain.instant import Instant, from_datetime, parse_instant
from recordance.domain.phrase import TaintShape
from recordance.domain.storable import check_storable
from recordance.domain.taint import DEFAULT_TAINT_POLICY, TaintPolicy
from recordance.domain.vocabulary import VOCABULARIES
from recordance.errors import InvalidArgument, Json
from recordance.usecases.follow import PATIENCE_SECONDS
from recordance_adapters.section import Section
from recordance_adapters.text_section import TextSettings

_PACKAGES = tuple(Path(path).resolve().parent for path in (__file__, parse_instant.__code__.co_filename))


class LogLevel(StrEnum):
    """From which weight on something is written to stderr."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _instant(value: Json) -> Json:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return from_datetime(value)
    try:
        return parse_instant(str(value), "clock")
    except InvalidArgument as refusal:
        raise ValueError(refusal.why) from None


def _key(value: Json) -> Json:
    return bytes.fromhex(value) if isinstance(value, str) else value


def words(value: Json) -> Json:
    """Return a line with commas as a list."""
    return [word.strip() for word in value.split(",")] if isinstance(value, str) else value


def outside_packages(path: Path) -> Path:
    """Refuse a path inside the program."""
    if any(package in (path, *path.parents) for package in _PACKAGES):
        raise ValueError("it lies inside the program, where an update would delete it")
    return path


def folder(path: Path) -> Path:
    """Refuse what is no folder."""
    if not path.is_dir():
        raise ValueError("no such folder is there")
    return path


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is blank")
    return text


def _shapes(shapes: frozenset[str]) -> frozenset[str]:
    if strange := sorted(shapes - DEFAULT_TAINT_POLICY.scanned):
        raise ValueError(f"there is no shape {', '.join(map(repr, strange))}")
    return shapes


Text = Annotated[str, AfterValidator(_not_blank)]
Shapes = Annotated[frozenset[str], AfterValidator(_shapes)]


class TaintSettings(Section):
    """What is done about text that is shaped like an instruction (W2)."""

    scanned: Shapes = Field(default=DEFAULT_TAINT_POLICY.scanned, description=f"any of the shapes {', '.join(TaintShape)}")
    quarantining: Shapes = Field(default=DEFAULT_TAINT_POLICY.quarantining, description="some of the shapes that are scanned for")

    @model_validator(mode="after")
    def _quarantines_what_it_scans(self) -> Self:
        strange = sorted(self.quarantining - self.scanned)
        if strange and "quarantining" in self.model_fields_set:
            raise ValueError(f"quarantining names {', '.join(strange)}, which is not scanned for")
        return self

    def policy(self) -> TaintPolicy:
        """Return the policy as the core takes it."""
        return TaintPolicy(self.scanned, self.quarantining & self.scanned)


class FollowerSettings(Section):
    """When the term index is written (decision 1). Milliseconds, and rows of the journal."""

    quiet_ms: StrictInt = Field(
        default=50, ge=1, le=60_000, description="1 to 60,000: milliseconds without a write after which the index is written"
    )
    longest_ms: StrictInt = Field(
        default=1_000, ge=1, le=600_000, description="1 to 600,000: milliseconds that a write waits for the index at most"
    )
    rows: StrictInt = Field(
        default=1_000, ge=1, le=1_000_000, description="1 to 1,000,000: waiting rows at which the index is written at once"
    )
    deadline_ms: StrictInt = Field(
        default=round(PATIENCE_SECONDS * 1_000),
        ge=1,
        le=3_600_000,
        description="1 to 3,600,000: milliseconds that a recall waits for an index that is far behind",
    )
    poll_ms: StrictInt = Field(
        default=250, ge=1, le=60_000, description="1 to 60,000: milliseconds between two looks for others' writes"
    )


class ForgetSettings(Section):
    """How what was forgotten is purged (W6). Milliseconds."""

    deadline_ms: StrictInt = Field(
        default=5_000, ge=0, le=600_000, description="0 to 600,000: milliseconds that a forget waits for every place to be purged"
    )


class FixedSettings(Section):
    """What is otherwise different each time. For tests and reproducible demonstrations only."""

    clock: Annotated[Instant, BeforeValidator(_instant)] | None = Field(
        default=None, description="a moment such as 2026-03-01T09:30:00Z at which the clock stands still"
    )
    store_id: Text | None = Field(default=None, description="the id of a store that is made new")
    store_key: Annotated[bytes, BeforeValidator(_key), Field(min_length=16)] | None = Field(
        default=None, description="at least 32 hexadecimal digits: the key that signs a new store's receipts"
    )


_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}", re.ASCII)


def _name(text: str) -> str:
    if text in RESERVED:
        raise ValueError(f"{text} means something else where a search scope is named")
    if _NAME.fullmatch(text) is None:
        raise ValueError("it is no name")
    return text


def _one_or_more(value: Json) -> Json:
    return [value] if isinstance(value, str) else value


def _url_of(*schemes: str) -> AfterValidator:
    def check(text: str) -> str:
        if not text.startswith(tuple(f"{scheme}://" for scheme in schemes)):
            raise ValueError("it is no such URL")
        return text

    return AfterValidator(check)


Name = Annotated[str, AfterValidator(_name)]
Texts = Annotated[frozenset[Text], BeforeValidator(_one_or_more), Field(min_length=1)]
TruthUrl = Annotated[str, _url_of("postgresql", "postgres")]
VectorsUrl = Annotated[str, _url_of("http", "https")]

_NAMED = "1 to 63 of the characters a-z, 0-9, - and _, the first a letter or a digit; not routed, all or auto"


class PostgresSettings(Section):
    """How a truth on Postgres is spoken to (decision 8)."""

    schema_name: Text | None = Field(default=None, alias="schema", description="the schema that holds the store's tables")
    pool: StrictInt = Field(default=8, ge=1, le=1_000, description="1 to 1,000: connections that are kept open")
    connect_timeout_ms: StrictInt = Field(
        default=5_000, ge=100, le=600_000, description="100 to 600,000: milliseconds that a connection may take to be made"
    )
    statement_timeout_ms: StrictInt = Field(
        default=30_000, ge=100, le=3_600_000, description="100 to 3,600,000: milliseconds that a statement may take"
    )


class QdrantSettings(Section):
    """How vectors on a Qdrant server are spoken to (decision 7)."""

    collection: Text | None = Field(default=None, description="the collection of the store; one for each store")
    grpc: StrictBool = Field(default=False, description="true or false: gRPC for requests, beside REST")
    grpc_port: StrictInt = Field(default=6334, ge=1, le=65_535, description="1 to 65,535: the port of gRPC")
    api_key: Text | None = Field(default=None, repr=False, description="the key of the server's API; better in api_key_file")
    api_key_file: Path | None = Field(default=None, description="a file that holds the key of the server's API")
    ca_file: Path | None = Field(default=None, description="a file with the certificates that the server's is signed by")
    timeout_ms: StrictInt = Field(
        default=2_000, ge=1_000, le=600_000, description="1,000 to 600,000: milliseconds that a request may take, in seconds"
    )
    batch: StrictInt = Field(default=500, ge=1, le=500, description="1 to 500: points in one request")
    shard_number: StrictInt | None = Field(default=None, ge=1, le=10_000, description="1 to 10,000: shards of a new collection")
    replication_factor: StrictInt | None = Field(
        default=None, ge=1, le=100, description="1 to 100: copies of each shard of a new collection"
    )


class PlaceSettings(Section):
    """Where one store is: a folder, or servers, with a folder for this machine's own indexes."""

    store: Annotated[Path, AfterValidator(outside_packages)] | None = Field(
        default=None, description="a folder, outside the program: the store, or where the truth is a server the indexes beside it"
    )
    truth: TruthUrl | None = Field(default=None, repr=False, description="a URL such as postgresql://user@host:5432/database")
    truth_password_file: Path | None = Field(default=None, description="a file that holds the password of the truth's user")
    vectors: VectorsUrl | None = Field(default=None, description="the URL of a Qdrant server, such as http://host:6333")
    postgres: PostgresSettings = Field(default=PostgresSettings(), description="a table with the settings of a truth on Postgres")
    qdrant: QdrantSettings = Field(default=QdrantSettings(), description="a table with the settings of vectors on a server")


class RuleSettings(Section):
    """What belongs to a destination: what meets every condition that is given (D1)."""

    project_prefix: Texts | None = None
    project_id: Texts | None = None
    session_id: Texts | None = None
    kind: Texts | None = None
    subtype: Texts | None = None
    type: Texts | None = None
    category: Texts | None = None
    domain: Texts | None = None
    repo: Texts | None = None
    branch: Texts | None = None
    intent: Texts | None = None
    task_key: Texts | None = None
    workstream_key: Texts | None = None
    episode_id: Texts | None = None
    user_id: Texts | None = None
    agent_id: Texts | None = None
    origin_user_id: Texts | None = None
    origin_agent_id: Texts | None = None
    origin_interface: Texts | None = None
    review_status: Texts | None = None
    tag: Texts | None = None
    topic: Texts | None = None
    entity: Texts | None = None

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        for name, closed in VOCABULARIES.items():
            if strange := sorted((getattr(self, name.value, None) or frozenset()) - set(closed)):
                raise ValueError(f"there is no {name.value} {strange[0]!r}; there are {', '.join(closed)}")
        if any(prefix.endswith("/") for prefix in self.project_prefix or ()):
            raise ValueError("a project_prefix covers what lies below it by itself and ends without a slash")
        return self

    def rule(self) -> Rule:
        """Return the rule as the core takes it."""
        labels = {name: given for name in LabelField if (given := getattr(self, name.value, None)) is not None}
        return Rule(
            labels=labels,
            subtrees=self.project_prefix or frozenset(),
            tags=self.tag or frozenset(),
            topics=self.topic or frozenset(),
            entities=frozenset(each.casefold() for each in self.entity or ()),
        )


class DestinationSettings(PlaceSettings):
    """One destination: what it is called, what belongs there, and where it is (D1)."""

    name: Name = Field(description=_NAMED)
    description: str = Field(default="", description="what is remembered there, for whoever chooses a search scope")
    default: StrictBool = Field(default=False, description="true for the destination of whatever no rule routes elsewhere")
    deadline_ms: StrictInt = Field(
        default=5_000, ge=10, le=600_000, description="10 to 600,000: milliseconds that it has to answer beside others"
    )
    match: tuple[RuleSettings, ...] = Field(
        default=(), description='a list of tables such as {project_prefix = "acme", kind = ["fact", "summary"]}'
    )
    text: TextSettings | None = Field(
        default=None, description="a table with inflection and segmentation, in place of the one for all destinations"
    )


class ScopeSettings(Section):
    """A search scope: destinations, or other scopes, under one name (D1)."""

    name: Name = Field(description=_NAMED)
    description: str = Field(default="", description="what is remembered there, for whoever chooses a search scope")
    destinations: tuple[Text, ...] = Field(min_length=1, description="names of destinations or of other scopes")


def _storable(text: str) -> str:
    try:
        check_storable(text, "subject")
    except InvalidArgument as refusal:
        raise ValueError(refusal.why) from None
    return text


def _subtree(text: str) -> str:
    if text.endswith("/"):
        raise ValueError("a subtree covers what lies below it by itself and ends without a slash")
    return text


class TokenSettings(Section):
    """A bearer token: who bears it, and how far it reaches (F13)."""

    subject: Annotated[Text, AfterValidator(_storable)] = Field(description="who bears it; writes are journalled under this name")
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] = Field(
        repr=False, description="64 hexadecimal digits: the SHA-256 of the token"
    )
    projects: frozenset[Annotated[Text, AfterValidator(_subtree)]] | None = Field(
        default=None, description="the project subtrees that it reaches, without a slash at the end; left out: all"
    )
    destinations: frozenset[Text] | None = Field(default=None, description="the destinations that it reaches; left out: all")
    permissions: frozenset[Permission] = Field(
        default=frozenset(Permission), min_length=1, description=f"any of {', '.join(Permission)}"
    )


class OAuthSettings(Section):
    """An authorization server whose signed access tokens are believed, and which of their claims are fences (F13)."""

    issuer: Text = Field(description="who signs: the iss of its tokens")
    audience: Text | None = Field(default=None, description="for whom: the aud of its tokens; left out: public_url and /mcp")
    jwks_url: Annotated[str, _url_of("http", "https")] | None = Field(default=None, description="the URL of its JSON Web Key Set")
    jwks_file: Path | None = Field(default=None, description="a file that holds its JSON Web Key Set")
    project_claim: Text | None = Field(default=None, description="the claim that holds the project subtrees that a token reaches")
    destination_claim: Text | None = Field(default=None, description="the claim that holds the destinations that a token reaches")

    @model_validator(mode="after")
    def _has_keys(self) -> Self:
        if (self.jwks_url is None) == (self.jwks_file is None):
            raise ValueError("give one of jwks_url and jwks_file")
        return self


class HttpSettings(Section):
    """How `recordance serve` listens."""

    host: Text = Field(default="127.0.0.1", description="the address to listen at")
    port: StrictInt = Field(default=8377, ge=0, le=65_535, description="0 to 65,535: the port to listen at; 0 takes a free one")
    allowed_hosts: tuple[Text, ...] = Field(default=(), description="names under which it may be called, beside the loopback's")
    allowed_origins: tuple[Text, ...] = Field(default=(), description="origins of web pages that may call it, https://… each")
    public_url: Annotated[str, _url_of("http", "https")] | None = Field(
        default=None, description="the URL under which clients reach it"
    )
    authorization_servers: tuple[Text, ...] = Field(default=(), description="URLs of authorization servers, for the metadata")
    max_request_bytes: StrictInt = Field(
        default=32 * 2**20, ge=1_024, le=2**31, description="1,024 to 2,147,483,648: bytes that one request may have"
    )
    request_ms: StrictInt = Field(
        default=30_000, ge=100, le=600_000, description="100 to 600,000: milliseconds in which a request must have arrived"
    )
    connections: StrictInt = Field(default=500, ge=1, le=100_000, description="1 to 100,000: connections at once")
    sessions: StrictInt = Field(
        default=1_000, ge=0, le=100_000, description="0 to 100,000: sessions at once; 0 for several servers behind one address"
    )
    session_idle_ms: StrictInt = Field(
        default=1_800_000, ge=1_000, le=86_400_000, description="1,000 to 86,400,000: milliseconds that a session may idle"
    )
    required: frozenset[Text] = Field(
        default=frozenset(), description="the destinations without which the server is not ready; empty: the default one"
    )
    ready_ms: StrictInt = Field(
        default=5_000, ge=10, le=600_000, description="10 to 600,000: milliseconds a recall may take for the server to be ready"
    )
    shutdown_ms: StrictInt = Field(
        default=10_000, ge=0, le=600_000, description="0 to 600,000: milliseconds that calls in flight are given at the end"
    )
    metrics: StrictBool = Field(default=True, description="true or false: whether /metrics answers")
    tokens: tuple[TokenSettings, ...] = Field(default=(), description="a list of tables with subject, digest and what it reaches")
    oauth: OAuthSettings | None = Field(default=None, description="a table with issuer and jwks_url or jwks_file")

    @model_validator(mode="after")
    def _says_for_whom(self) -> Self:
        if self.oauth is not None and self.oauth.audience is None and self.public_url is None:
            raise ValueError("oauth needs an audience, or a public_url to make it of: else tokens for others would do")
        return self
