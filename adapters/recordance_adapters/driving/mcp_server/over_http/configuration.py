"""How a server listens and whom it lets in, as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recordance.domain.caller import Permission

MCP_PATH = "/mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenGrant:
    """What a bearer token lets its bearer do (F13). `digest` is the SHA-256 of the token, in hexadecimal digits."""

    subject: str
    digest: str
    projects: frozenset[str] | None = None
    destinations: frozenset[str] | None = None
    permissions: frozenset[Permission] = frozenset(Permission)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedIssuer:
    """Whose signed access tokens are believed, and which of their claims are fences.

    The keys come from `keys_url` or `keys_file`, a JSON Web Key Set. A claim that is named must be in every token, a text or a
    list of texts, "*" meaning all; one that is not named fences nothing.
    """

    issuer: str
    audience: str
    keys_url: str | None = None
    keys_file: Path | None = None
    project_claim: str | None = None
    destination_claim: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a client may take of the server. Seconds, bytes and counts."""

    request_bytes: int = 32 * 2**20
    request_seconds: float = 30.0
    """A request must have arrived by then, its head and its body each."""
    answer_seconds: float = 60.0
    """A client that takes nothing of its answer for so long is let go."""
    idle_seconds: float = 75.0
    """A connection on which nothing is asked is closed."""
    connections: int = 500
    """At once; each is a file of the process, of which systems allow a thousand."""
    sessions: int = 1_000
    """Sessions of the older protocol that stand at once; 0 keeps none, so that any of several servers can take each request."""
    session_idle_seconds: float = 1_800.0
    shutdown_seconds: float = 10.0
    """What calls in flight are given at the end."""
    ready_seconds: float = 5.0
    """How long a recall may take on which readiness rests (case L8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Everything that serving over HTTP is told beside its tools."""

    host: str = "127.0.0.1"
    port: int = 8377
    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()
    public_url: str | None = None
    tokens: Sequence[TokenGrant] = ()
    authorization_servers: Sequence[str] = ()
    issuer: TrustedIssuer | None = None
    metrics: bool = True
    required: frozenset[str] = frozenset()
    """Destinations without which this server is not ready; empty: the default one."""
    bounds: Bounds = Bounds()

    @property
    def knows_callers(self) -> bool:
        """Whether callers must say who they are."""
        return bool(self.tokens) or self.issuer is not None
