"""The fields of a capsule as a caller writes them, and how they become a draft (W1, W14; WIRE.md "Writing")."""

from collections.abc import Mapping

from recordance.domain.capsule import LabelField
from recordance.domain.draft import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    DEFAULT_SOURCE,
    DEFAULT_VALUE,
    CapsuleDraft,
    Staging,
)
from recordance.domain.provenance import Anchor, read_anchor
from recordance.domain.validity import EventRange
from recordance.domain.vocabulary import (
    AuthorityClass,
    Category,
    Domain,
    EvidenceState,
    Intent,
    Interface,
    ReviewStatus,
    Type,
    checked_subtype,
)
from recordance.domain.vocabulary import Kind as CapsuleKind
from recordance.errors import InvalidArgument, Json
from recordance_adapters.wire import limits
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence, Values
from recordance_adapters.wire.kinds import (
    Kind,
    capsule,
    distinct,
    flag,
    instant,
    label,
    list_of,
    mark,
    number,
    one_or_more,
    text,
    unbounded_label,
    word,
)
from recordance_adapters.wire.metadata import metadata
from recordance_adapters.wire.vectors import vector

_LABEL = label()


def anchor() -> Kind[Anchor]:
    """A place that a capsule speaks of; any text is one, `path:line` can be probed."""
    written = text(limits.ANCHOR)
    return Kind(written.schema, lambda value, field: read_anchor(written.read(value, field)))


def marks() -> Kind[tuple[str, ...]]:
    """Tags, topics or entities."""
    return distinct(list_of(mark(), limits.MARKS))


CAPSULE_PARAMETERS = (
    Parameter(
        name="content",
        kind=text(limits.CONTENT),
        description="One statement, whole and understandable by itself.",
        presence=Presence.REQUIRED,
        example="We pin tokio at 1.38",
        missing="a capsule without content says nothing",
        mistaken_for=("text", "memory", "statement", "fact", "body"),
    ),
    Parameter(
        name="headline", kind=text(limits.HEADLINE), description="Left out: the first line.", mistaken_for=("title", "summary")
    ),
    Parameter(name="kind", kind=word(CapsuleKind)),
    Parameter(name="project_id", kind=_LABEL, description='Project, "/" between levels.'),
    Parameter(name="session_id", kind=unbounded_label()),
    Parameter(name="source", kind=text(limits.NOTE), description="Where it comes from.", default=DEFAULT_SOURCE),
    Parameter(name="anchor", kind=anchor(), description="path:line[@sha] below the repository, or any reference."),
    Parameter(name="anchors", kind=list_of(anchor(), limits.ANCHORS, 1), description="Several; the first is probed."),
    Parameter(name="confidence", kind=number(0, 1), default=DEFAULT_CONFIDENCE),
    Parameter(name="valid_from", kind=instant(), description="Left out: now."),
    Parameter(name="valid_to", kind=instant(), description="Exclusive."),
    Parameter(name="event_at", kind=instant(), description="When it happened; or event_from and event_to."),
    Parameter(name="event_from", kind=instant()),
    Parameter(name="event_to", kind=instant()),
    Parameter(name="authority_class", kind=word(AuthorityClass), default=AuthorityClass.AGENT_INFERRED.value),
    Parameter(name="evidence_state", kind=word(EvidenceState)),
    Parameter(name="proof_hint", kind=text(limits.NOTE), description="How to check it; shown, never run."),
    Parameter(name="stale_if", kind=text(limits.NOTE), description="What would make it stale."),
    Parameter(name="tags", kind=marks()),
    Parameter(name="topics", kind=marks()),
    Parameter(name="entities", kind=marks()),
    Parameter(name="metadata", kind=metadata()),
    Parameter(name="category", kind=word(Category)),
    Parameter(name="domain", kind=word(Domain)),
    Parameter(name="subtype", kind=_LABEL, description="Closed per kind."),
    Parameter(name="intent", kind=word(Intent)),
    Parameter(name="repo", kind=_LABEL),
    Parameter(name="branch", kind=_LABEL),
    Parameter(name="task_key", kind=_LABEL),
    Parameter(name="workstream_key", kind=_LABEL),
    Parameter(name="episode_id", kind=_LABEL),
    Parameter(name="user_id", kind=_LABEL),
    Parameter(name="agent_id", kind=_LABEL),
    Parameter(name="type", kind=word(Type)),
    Parameter(name="value", kind=number(0, limits.VALUE), default=DEFAULT_VALUE),
    Parameter(name="review_status", kind=word(ReviewStatus)),
    Parameter(name="signature", kind=text(limits.SIGNATURE)),
    Parameter(name="origin_user_id", kind=_LABEL),
    Parameter(name="origin_agent_id", kind=_LABEL),
    Parameter(name="origin_interface", kind=word(Interface)),
    Parameter(name="importance", kind=number(0, 1), default=DEFAULT_IMPORTANCE),
    Parameter(name="key", kind=_LABEL, description="A new value under a project's key retires the old one."),
    Parameter(name="supersedes", kind=one_or_more(list_of(capsule(), limits.SUPERSEDED, 1)), description="Ids retired by it."),
    Parameter(name="staged", kind=flag(), description="A proposal: grounds once memory_review ratifies it."),
    Parameter(name="embedding", kind=vector(), description="See memory_vector.", mistaken_for=("vector",)),
    Parameter(name="destination", kind=_LABEL, description="Left out: by rules."),
)

_AS_GIVEN = (
    "headline", "source", "confidence", "importance", "value", "valid_from", "valid_to", "proof_hint", "stale_if", "signature",
    "tags", "topics", "entities", "metadata", "embedding", "destination",
)  # fmt: skip
_LABELS = tuple((field.value, field) for field in LabelField)
CAPSULE = Declaration(CAPSULE_PARAMETERS)
"""One capsule by itself, as an item of a batch; its content is required (case J9)."""


def read_draft(raw: Json, project: str | None, field: str = "") -> CapsuleDraft:
    """Return the draft that raw fields make; `project` stamps one that names none. Raises InvalidArgument below `field`."""
    given = CAPSULE.read(raw, field)
    try:
        return _draft(raw, given, project)
    except InvalidArgument as refusal:
        raise (refusal.under(field) if field else refusal) from None


def _draft(raw: Mapping[str, Json], given: Values, project: str | None) -> CapsuleDraft:
    _check_validity(raw, given)
    return CapsuleDraft(
        content=given["content"],
        labels=_labels_of(given, project),
        anchors=anchors_of(raw, given),
        event=event_of(raw, given),
        staging=_staging(raw, given),
        supersedes=tuple(number for _, number in given.get("supersedes", ())),
        named_in=tuple(place for place, _ in given.get("supersedes", ())),
        **{name: given[name] for name in _AS_GIVEN if name in given},
    )


def _labels_of(given: Values, project: str | None) -> Mapping[LabelField, str]:
    subtype = given.get("subtype")
    if subtype is not None:
        kind = given.get("kind")
        if kind is None:
            raise InvalidArgument("subtype", subtype, "its kind with it", "a subtype belongs to a kind")
        checked_subtype(kind, subtype, "subtype")
    stamp = {} if project is None or "project_id" in given else {LabelField.PROJECT: project}
    return {**stamp, **{field: str(given[name]) for name, field in _LABELS if name in given}}


def anchors_of(raw: Mapping[str, Json], given: Values) -> tuple[Anchor, ...]:
    """Return the anchors that read fields give, of which only one form may stand there."""
    if "anchor" in given and "anchors" in given:
        raise InvalidArgument("anchor", raw["anchor"], "either anchor or anchors", "both are given")
    return (given["anchor"],) if "anchor" in given else given.get("anchors", ())


def event_of(raw: Mapping[str, Json], given: Values) -> EventRange | None:
    """Return when the thing happened that a capsule tells of, from the one or the other form; None where neither is given."""
    start, end = given.get("event_from"), given.get("event_to")
    if "event_at" in given:
        if start is not None or end is not None:
            raise InvalidArgument("event_at", raw["event_at"], "either event_at or event_from with event_to", "both are given")
        return EventRange(given["event_at"], given["event_at"])
    if start is None and end is None:
        return None
    if start is None or end is None:
        missing = "event_from" if start is None else "event_to"
        raise InvalidArgument(missing, None, "both ends, or event_at for a moment", "an event range has two ends")
    if start > end:
        why = "the event ends before it begins"
        raise InvalidArgument("event_to", raw["event_to"], "an event_to that is not before event_from", why)
    return EventRange(start, end)


def _check_validity(raw: Mapping[str, Json], given: Values) -> None:
    start, end = given.get("valid_from"), given.get("valid_to")
    if start is not None and end is not None and end <= start:
        why = "it would never hold, as valid_to is exclusive"
        raise InvalidArgument("valid_to", raw["valid_to"], "a valid_to after valid_from", why)


def _staging(raw: Mapping[str, Json], given: Values) -> Staging:
    if not given.get("staged"):
        return Staging.DIRECT
    if "supersedes" in given:
        why = "a proposal retires nothing before it is ratified"
        raise InvalidArgument("supersedes", raw["supersedes"], "the proposal alone, and relate it with kind proposes", why)
    return Staging.STAGED
