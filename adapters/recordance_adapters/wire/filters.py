"""Filters: every further fence that a recall in natural language may name, all AND-ed, each acting before ranking (F9)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recordance.domain.capsule import LabelField
from recordance.domain.instant import EXPECTED, Instant, format_instant, parse_day, parse_instant
from recordance.domain.vocabulary import (
    SUBTYPES,
    Category,
    Domain,
    Intent,
    Interface,
    ReviewStatus,
    Type,
    checked_subtype,
    member,
)
from recordance.domain.vocabulary import Kind as CapsuleKind
from recordance.errors import InvalidArgument, Json
from recordance.query.fence import (
    CreationFence,
    Fence,
    LabelBarrier,
    LabelFence,
    MarkFence,
    MarkField,
    entity_marks,
    metadata_mark,
    number_forms,
)
from recordance_adapters.wire import limits
from recordance_adapters.wire.declaration import Parameter, Presence, Values
from recordance_adapters.wire.kinds import (
    Kind,
    as_text,
    echo,
    flag,
    label,
    list_of,
    mark,
    storable,
    unbounded_label,
    word,
    wrong_type,
)
from recordance_adapters.wire.metadata import Pairs, metadata

ALL_TYPES = "all"
STRUCTURED = "structured"
"""The tag by which a decision says that its content is laid out for programs."""
_BARE_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)

Span = tuple[Instant, Instant]
"""The first and the last instant of what a caller named."""


def type_or_all() -> Kind[Type | None]:
    """A type, or `all`, which is read as None and fences nothing."""

    def read(value: Json, field: str) -> Type | None:
        expected = f"{ALL_TYPES}, or one of {', '.join(Type)}"
        if not isinstance(value, str):
            raise wrong_type(value, field, expected)
        if value == ALL_TYPES:
            return None
        try:
            return member(Type, value, field)
        except InvalidArgument as refusal:
            raise InvalidArgument(field, value, expected, refusal.why) from None

    return Kind({"type": "string"}, read)


def subtype() -> Kind[str]:
    """A subtype that some kind has; whether the kind asked for has it is judged with that kind."""

    def read(value: Json, field: str) -> str:
        found = storable(value, field)
        known = [name for names in SUBTYPES.values() for name in names]
        if found not in known:
            raise InvalidArgument(field, found, f"one of {', '.join(known)}", "no kind has such a subtype")
        return found

    return Kind({"type": "string"}, read)


def moment() -> Kind[Span]:
    """An RFC 3339 time with its offset, or a bare date, which is its whole UTC day (F9)."""
    expected = f"a date such as 2026-03-01, or {EXPECTED}"

    def read(value: Json, field: str) -> Span:
        if not isinstance(value, str):
            raise wrong_type(value, field, expected)
        if _BARE_DATE.fullmatch(value):
            return parse_day(value, field)
        try:
            instant = parse_instant(value, field)
        except InvalidArgument as refusal:
            raise InvalidArgument(field, value, expected, refusal.why) from None
        return instant, instant

    return Kind({"type": "string"}, read)


def pairs() -> Kind[Pairs]:
    """Metadata that must be there as given, every pair of it."""
    written = metadata()

    def read(value: Json, field: str) -> Pairs:
        found = written.read(value, field)
        if not found:
            raise InvalidArgument(field, echo(value), "at least one pair, or leave it out", "without a pair it fences nothing")
        return found

    return Kind(written.schema, read)


def _any_of() -> Kind[tuple[str, ...]]:
    return list_of(mark(), limits.MARKS, 1)


def _fence(name: str, kind: Kind[Any], description: str = "", mistaken_for: tuple[str, ...] = ()) -> Parameter:
    return Parameter(name=name, kind=kind, description=description, presence=Presence.FENCE, mistaken_for=mistaken_for)


FILTERS: tuple[Parameter, ...] = (
    _fence("project", label(), "Exactly.", ("project_id",)),
    _fence("type", type_or_all(), "all, or as in memory_store."),
    _fence("kind", as_text(word(CapsuleKind)), "As in memory_store; telemetry only if named."),
    _fence("memory_subtype", subtype(), "One of the kind's.", ("subtype",)),
    _fence("category", as_text(word(Category))),
    _fence("domain", as_text(word(Domain))),
    _fence("repo", label(), mistaken_for=("repository",)),
    _fence("branch", label(), "What has no branch passes too."),
    _fence("entity", mark(), "Any case."),
    _fence("entities", _any_of(), "Any of them, any case."),
    _fence("topics", _any_of(), "Any of them.", ("topic",)),
    _fence("intent", as_text(word(Intent))),
    _fence("task_key", label(), mistaken_for=("task",)),
    _fence("workstream_key", label(), mistaken_for=("workstream",)),
    _fence("episode_id", label(), mistaken_for=("episode",)),
    _fence("review_status", as_text(word(ReviewStatus))),
    _fence("origin_user_id", label()),
    _fence("origin_agent_id", label()),
    _fence("origin_interface", as_text(word(Interface))),
    _fence("metadata_filter", pairs(), "Every pair, exactly.", ("metadata", "filter")),
    _fence("since", moment(), "Stored then or later: date (UTC) or time.", ("after", "from", "date_from")),
    _fence("until", moment(), "Stored then or earlier.", ("before", "to", "date_to")),
    _fence("user_id", label(), mistaken_for=("user",)),
    _fence("agent_id", label(), mistaken_for=("agent",)),
    _fence("session_id", unbounded_label(), mistaken_for=("session",)),
    _fence("decisions_only", flag(), "Decisions tagged structured, with their parsed content."),
)
"""Every filter of F9 as a parameter. A null in a filter's place is refused: it would be a dropped fence."""
_NAMES = tuple(parameter.name for parameter in FILTERS)

_LABELS: Mapping[str, LabelField] = {
    "project": LabelField.PROJECT,
    "kind": LabelField.KIND,
    "memory_subtype": LabelField.SUBTYPE,
    "category": LabelField.CATEGORY,
    "domain": LabelField.DOMAIN,
    "repo": LabelField.REPO,
    "intent": LabelField.INTENT,
    "task_key": LabelField.TASK,
    "workstream_key": LabelField.WORKSTREAM,
    "episode_id": LabelField.EPISODE,
    "review_status": LabelField.REVIEW_STATUS,
    "origin_user_id": LabelField.ORIGIN_USER,
    "origin_agent_id": LabelField.ORIGIN_AGENT,
    "origin_interface": LabelField.ORIGIN_INTERFACE,
    "user_id": LabelField.USER,
    "agent_id": LabelField.AGENT,
    "session_id": LabelField.SESSION,
}
"""The filters that a capsule's label must equal."""


def fences_of(given: Values) -> tuple[Fence, ...]:
    """Return the fences that read filters are, telemetry fenced out unless it was asked for (F9).

    Raises InvalidArgument for a subtype that its kind has not, and for an interval that ends before it begins.
    """
    return (*_labels(given), *_marks(given), *_creation(given), *_telemetry(given))


def stated_of(raw: Mapping[str, Json], given: Values) -> tuple[tuple[str, object], ...]:
    """Return the filters that fence something, as the caller wrote them, in the order of their declaration (O1)."""
    idle = {"type": None, "decisions_only": False}
    return tuple((name, raw[name]) for name in _NAMES if name in given and given[name] != idle.get(name, ...))


def _labels(given: Values) -> Iterator[Fence]:
    if "kind" in given and "memory_subtype" in given:
        checked_subtype(given["kind"], given["memory_subtype"], "memory_subtype")
    for name, field in _LABELS.items():
        if name in given:
            yield LabelFence(field, frozenset({str(given[name])}))
    if given.get("type") is not None:
        yield LabelFence(LabelField.TYPE, frozenset({str(given["type"])}))
    if "branch" in given:
        yield LabelFence(LabelField.BRANCH, frozenset({given["branch"], None}))


def _marks(given: Values) -> Iterator[Fence]:
    if "entity" in given:
        yield _bearing(MarkField.ENTITIES, entity_marks(given["entity"]))
    if "entities" in given:
        yield _bearing(MarkField.ENTITIES, frozenset().union(*map(entity_marks, given["entities"])))
    if "topics" in given:
        yield _bearing(MarkField.TOPICS, given["topics"])
    for name, value in given.get("metadata_filter", ()):
        yield _bearing(MarkField.METADATA, [metadata_mark(name, form) for form in number_forms(value)])
    if given.get("decisions_only"):
        yield LabelFence(LabelField.TYPE, frozenset({Type.DECISION.value}))
        yield _bearing(MarkField.TAGS, (STRUCTURED,))


def _bearing(field: MarkField, any_of: Iterable[str]) -> Fence:
    return MarkFence(field, frozenset(any_of))


def _creation(given: Values) -> Iterator[Fence]:
    since, until = given.get("since"), given.get("until")
    if since is None and until is None:
        return
    first, last = None if since is None else since[0], None if until is None else until[1]
    if first is not None and last is not None and first > last:
        why = "nothing was stored in an interval that ends before it begins"
        raise InvalidArgument("until", format_instant(last), "an until that is not before since", why)
    yield CreationFence(first, last)


def _telemetry(given: Values) -> Iterator[Fence]:
    """Yield the barrier before what the service notes about itself: no answer to anybody's question, unless asked for."""
    asked = given.get("memory_subtype") in SUBTYPES[CapsuleKind.TELEMETRY]
    if "kind" not in given and not asked:
        yield LabelBarrier(LabelField.KIND, frozenset({CapsuleKind.TELEMETRY.value}))
