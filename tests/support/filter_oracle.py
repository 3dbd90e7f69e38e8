"""The oracle of the filters of a recall in natural language: each as the plain question about a capsule that it is (F9)."""

import json
from collections.abc import Iterator

from recordance.domain.capsule import LabelField
from recordance.domain.instant import parse_instant
from support.dialect_oracle import Admits, Arguments, bears, no_telemetry

PLAIN = {
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
"""The filters that say what one label is."""


def fences_of(given: Arguments) -> list[Admits]:
    """Return what every hit must be, by the filters in raw arguments."""
    return [*_labels(given), *_marks(given), *_times(given)]


def _labels(given: Arguments) -> Iterator[Admits]:
    if "kind" not in given:
        yield no_telemetry
    for name, field in PLAIN.items():
        if name in given:
            yield bears(field, given[name])
    if given.get("type", "all") != "all":
        yield bears(LabelField.TYPE, given["type"])
    if "branch" in given:
        yield bears(LabelField.BRANCH, given["branch"], None)


def _marks(given: Arguments) -> Iterator[Admits]:
    for name in ("entity", "entities"):
        if name in given:
            yield _names(given[name] if name == "entities" else [given[name]])
    if "topics" in given:
        topics = set(given["topics"])
        yield lambda _, text: bool(topics & set(text.topics))
    if "metadata_filter" in given:
        wanted = given["metadata_filter"]
        yield lambda _, text: all(any(_is(pair, name, wanted[name]) for pair in text.metadata) for name in wanted)
    if given.get("decisions_only"):
        yield bears(LabelField.TYPE, "decision")
        yield lambda _, text: "structured" in text.tags


def _is(pair: tuple[str, str], name: str, value: object) -> bool:
    found = json.loads(pair[1])
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (found, value))
    return pair[0] == name and (numbers or type(found) is type(value)) and found == value


def _names(entities: list[str]) -> Admits:
    wanted = {each.lower() for each in entities}
    return lambda _, text: any(each.lower() in wanted for each in text.entities)


def _times(given: Arguments) -> Iterator[Admits]:
    if "since" in given:
        since = parse_instant(given["since"], "since")
        yield lambda capsule, _: capsule.captured_at >= since
    if "until" in given:
        until = parse_instant(given["until"], "until")
        yield lambda capsule, _: capsule.captured_at <= until
