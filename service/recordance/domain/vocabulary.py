"""Every closed vocabulary, in one place (W1). A word outside its list is refused with the list."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from recordance.domain.capsule import LabelField
from recordance.errors import InvalidArgument

E = TypeVar("E", bound=StrEnum)


class Kind(StrEnum):
    """What sort of statement a capsule is."""

    FACT = "fact"
    PROCEDURE = "procedure"
    DECISION = "decision"
    TASK = "task"
    EPIC = "epic"
    BRAINSTORM = "brainstorm"
    DOC = "doc"
    CONSTRAINT = "constraint"
    CAPABILITY = "capability"
    FAILURE_PATTERN = "failure_pattern"
    SUMMARY = "summary"
    DISTILLED = "distilled"
    RELATION = "relation"
    TELEMETRY = "telemetry"


class Type(StrEnum):
    """The role that a capsule plays for those who sort their memories by type."""

    PROFILE = "profile"
    PREFERENCE = "preference"
    FACT = "fact"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    DECISION = "decision"
    SOLUTION = "solution"
    LESSON = "lesson"
    CONVENTION = "convention"


class AuthorityClass(StrEnum):
    """On whose word a capsule rests."""

    OBSERVED_FACT = "observed-fact"
    USER_STATED = "user-stated"
    AGENT_INFERRED = "agent-inferred"
    EXTERNALLY_IMPORTED = "externally-imported"


class EvidenceState(StrEnum):
    """How a capsule's statement came to be known (O4)."""

    OBSERVED = "observed"
    INFERRED = "inferred"
    UNVERIFIED = "unverified"


class Category(StrEnum):
    """The broad area a capsule belongs to."""

    ENGINEERING = "engineering"
    PRODUCT = "product"
    HUMAN = "human"
    SYSTEM = "system"


class Domain(StrEnum):
    """The profile of activity that a capsule comes from."""

    SOFTWARE_ENGINEERING = "software_engineering"
    PRODUCT_STRATEGY = "product_strategy"
    BUSINESS_OPERATIONS = "business_operations"
    RESEARCH = "research"
    PERSONAL_PRODUCTIVITY = "personal_productivity"


class Intent(StrEnum):
    """What a capsule was written for."""

    QUESTION = "question"
    PROCEDURAL = "procedural"
    FACT = "fact"
    DECISION = "decision"
    PROBLEM = "problem"
    SOLUTION = "solution"
    INCIDENT = "incident"
    PLAN = "plan"


class ReviewStatus(StrEnum):
    """A label of the writer's own review process; it fences nothing unless a recall filters on it."""

    CANDIDATE = "candidate"
    REVIEWED = "reviewed"
    APPROVED = "approved"
    REJECTED = "rejected"


class Interface(StrEnum):
    """Through what a capsule was written."""

    MCP = "mcp"
    DAEMON = "daemon"
    UI = "ui"
    API = "api"
    CLI = "cli"
    SYSTEM = "system"


VOCABULARIES: Mapping[LabelField, type[StrEnum]] = {
    LabelField.KIND: Kind,
    LabelField.TYPE: Type,
    LabelField.CATEGORY: Category,
    LabelField.DOMAIN: Domain,
    LabelField.INTENT: Intent,
    LabelField.REVIEW_STATUS: ReviewStatus,
    LabelField.AUTHORITY: AuthorityClass,
    LabelField.EVIDENCE: EvidenceState,
    LabelField.ORIGIN_INTERFACE: Interface,
}
"""The fields whose labels come from a closed vocabulary (W1)."""

SUBTYPES: dict[Kind, tuple[str, ...]] = {
    Kind.FACT: (
        "codebase_map", "architecture_decision", "infra_topology", "access_pattern", "operational_procedure", "domain_rule",
        "product_decision", "product_requirement", "user_workflow", "roadmap_item", "success_metric", "market_insight",
        "troubleshooting_gotcha", "preference", "person_profile", "ownership_note", "working_agreement", "activity_event",
    ),
    Kind.SUMMARY: ("session_index", "episode", "workstream"),
    Kind.DISTILLED: ("convention",),
    Kind.TELEMETRY: ("recall_event", "feedback_event", "outcome_event", "aggregate_rollup"),
}  # fmt: skip
"""The subtypes of each kind that has any."""


def member(vocabulary: type[E], word: str, field: str) -> E:
    """Return the member of `vocabulary` that `word` names exactly; raises InvalidArgument with the whole list."""
    try:
        return vocabulary(word)
    except ValueError:
        words = ", ".join(item.value for item in vocabulary)
        raise InvalidArgument(field, word, f"one of {words}", "the vocabulary is closed and this word is not in it") from None


def checked_subtype(kind: Kind, subtype: str, field: str) -> str:
    """Return `subtype` if `kind` has it; raises InvalidArgument with the list of that kind's subtypes."""
    known = SUBTYPES.get(kind, ())
    if subtype in known:
        return subtype
    expected = f"one of {', '.join(known)}" if known else f"no subtype (kind {kind.value} has none)"
    raise InvalidArgument(field, subtype, expected, f"kind {kind.value} has no such subtype")
