"""A capsule: one remembered statement with its identity, validity and provenance.

Its free text is immutable per revision (`CapsuleText`); everything that changes with time is in `Capsule`, as enums, numbers,
instants and labels only, so that the journal can carry it (decision 1).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from recordance.domain.instant import Instant
from recordance.domain.provenance import Anchor
from recordance.domain.review import FEEDBACK_START, ReviewState
from recordance.domain.validity import EventRange, Validity


class LabelField(StrEnum):
    """The fields that hold at most one label, compared character by character (F2, F9)."""

    PROJECT = "project_id"
    SESSION = "session_id"
    KIND = "kind"
    SUBTYPE = "subtype"
    TYPE = "type"
    CATEGORY = "category"
    DOMAIN = "domain"
    REPO = "repo"
    BRANCH = "branch"
    INTENT = "intent"
    TASK = "task_key"
    WORKSTREAM = "workstream_key"
    EPISODE = "episode_id"
    USER = "user_id"
    AGENT = "agent_id"
    ORIGIN_USER = "origin_user_id"
    ORIGIN_AGENT = "origin_agent_id"
    ORIGIN_INTERFACE = "origin_interface"
    REVIEW_STATUS = "review_status"
    AUTHORITY = "authority_class"
    EVIDENCE = "evidence_state"
    KEY = "key"


Labels = Mapping[LabelField, str]
"""The labels that a capsule bears; a field that it does not bear is absent, never None or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapsuleText:
    """One immutable revision of a capsule's free text; forgetting empties it.

    `metadata` holds name → canonical JSON text of the value, in the order in which it was written.
    """

    revision: int
    content: str
    headline: str
    source: str
    proof_hint: str | None = None
    stale_if: str | None = None
    signature: str | None = None
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    anchors: tuple[Anchor, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What has been decided about a capsule since it was written; each decision carries its instant, None means none."""

    quarantined_at: Instant | None = None
    falsified_at: Instant | None = None
    archived_at: Instant | None = None
    superseded_at: Instant | None = None
    superseded_by: int | None = None
    review: ReviewState | None = None
    tombstoned_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What feedback has made of a capsule; recalls never touch it (O11)."""

    count: int = 0
    last_at: Instant | None = None
    feedback_weight: float = FEEDBACK_START


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule:
    """Everything about a capsule but its free text.

    `number` is its place in append order (`cap-<number>`); `revision` the current text; `word_count` the folded words of the
    content (with repetitions), which is its length to BM25 (L17); `taint` the shapes that the scan found (W2).
    """

    number: int
    revision: int
    content_digest: str
    word_count: int
    labels: Labels
    confidence: float
    importance: float
    value: float
    validity: Validity
    event: EventRange | None
    captured_at: Instant
    updated_at: Instant
    writer: str
    taint: tuple[str, ...] = ()
    standing: Standing = field(default_factory=Standing)
    use: Use = field(default_factory=Use)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a forgotten capsule beside its skeleton row: when, why, by whom, and a keyed hash of its content.

    The keyed hash refuses the same content at re-ingest without telling what it was (W6). `former_macs` are those of what earlier
    revisions said, sorted, each once and none of them `content_mac`.
    """

    capsule: int
    at: Instant
    reason: str
    actor: str
    content_mac: str
    former_macs: tuple[str, ...] = ()

    @property
    def macs(self) -> tuple[str, ...]:
        """The keyed hashes of all that was forgotten with the capsule, its last content's first."""
        return (self.content_mac, *self.former_macs)
