"""Rows of `memory_recall`: a capsule as whole or as short as it was asked for, and what a hit says beside it (O10, L12, L15)."""

import json
from collections.abc import Callable, Iterator, Mapping

from recordance.answer.envelope import FRAMING, LABEL
from recordance.answer.explained import factors_view
from recordance.domain.capsule import Capsule, CapsuleText, LabelField
from recordance.domain.destination import Naming
from recordance.domain.instant import format_instant
from recordance.domain.relation import RelationKind
from recordance.errors import Json
from recordance.query.memory_recall import Payload, Projection
from recordance.ranking.links import Link, Linked
from recordance.ranking.pipeline_run import PipelineHit

SUMMARY_CHARACTERS = 150
"""How much of a content a summary has."""
TITLE_CHARACTERS = 80
"""How much of a headline an index has."""
MOST_LINKS = 3
"""How many of its links a capsule beside the hits says."""
UNPARSED = "the content is no JSON object"

Fields = Iterator[tuple[str, Json]]
_LABELS: Mapping[str, LabelField] = {
    "type": LabelField.TYPE,
    "kind": LabelField.KIND,
    "subtype": LabelField.SUBTYPE,
    "project": LabelField.PROJECT,
    "category": LabelField.CATEGORY,
    "domain": LabelField.DOMAIN,
    "repo": LabelField.REPO,
    "branch": LabelField.BRANCH,
    "session_id": LabelField.SESSION,
    "workstream_key": LabelField.WORKSTREAM,
    "episode_id": LabelField.EPISODE,
    "review_status": LabelField.REVIEW_STATUS,
}


def hit_row(naming: Naming, hit: PipelineHit, projection: Projection, payload: Payload) -> dict[str, Json]:
    """Return a hit as asked for; what does not apply is absent."""
    row = capsule_row(naming, hit.capsule, hit.text, projection)
    if payload is Payload.DECISION and projection is not Projection.COMPACT and projection is not Projection.INDEX:
        row |= decision_view(hit.text.content)
    if projection is Projection.FULL:
        return {**row, **dict(_scores(hit))}
    return _scored(row, round(hit.score, 4))


def linked_row(naming: Naming, linked: Linked, projection: Projection) -> dict[str, Json]:
    """Return a capsule beside the hits, with the links by which it is there, the strongest first."""
    row = capsule_row(naming, linked.capsule, linked.text, projection)
    links: list[Json] = []
    for each in linked.links:  # a relation that goes both ways is one to whoever reads
        if (link := _link(naming, each)) not in links:
            links.append(link)
    return {**row, "linked_by": links[:MOST_LINKS]}


def capsule_row(naming: Naming, capsule: Capsule, text: CapsuleText, projection: Projection) -> dict[str, Json]:
    """Return a capsule as asked for, without any score; one that is shaped like an instruction always says so (case K1)."""
    row = {name: value for name, value in _PROJECTIONS[projection](naming, capsule, text) if value is not None and value != []}
    return {**row, "instruction_taint": True} if capsule.taint else row


def decision_view(content: str) -> dict[str, Json]:
    """Return a structured decision as it was written, or that it cannot be read so (F9)."""
    try:
        parsed = json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError):
        parsed = None
    return {"decision": parsed} if isinstance(parsed, dict) else {"decision_unread": UNPARSED}


def _no_number(name: str) -> Json:
    raise ValueError(name)


def _scored(row: dict[str, Json], score: float) -> dict[str, Json]:
    """Return a short row with its score behind its title."""
    return {"id": row["id"], "title": row["title"], "score": score, **row}


def _full(naming: Naming, capsule: Capsule, text: CapsuleText) -> Fields:
    yield "label", LABEL
    yield "framing", FRAMING
    yield "id", naming.id(capsule.number)
    yield "content", text.content
    yield "title", text.headline
    yield from ((name, capsule.labels.get(field)) for name, field in _LABELS.items())
    yield "entities", list(text.entities)
    yield "topics", list(text.topics)
    yield "tags", list(text.tags)
    yield "metadata", {name: json.loads(value) for name, value in text.metadata} or None
    yield "confidence", capsule.confidence
    yield "importance", capsule.importance
    yield "created_at", format_instant(capsule.captured_at)
    yield "valid_from", format_instant(capsule.validity.valid_from)
    yield "instruction_taint", bool(capsule.taint)


def _summary(naming: Naming, capsule: Capsule, text: CapsuleText) -> Fields:
    yield "id", naming.id(capsule.number)
    yield "title", text.headline
    yield "content", text.content[:SUMMARY_CHARACTERS]
    yield "truncated", True if len(text.content) > SUMMARY_CHARACTERS else None
    yield "type", capsule.labels.get(LabelField.TYPE)
    yield "project", capsule.labels.get(LabelField.PROJECT)
    yield "created_at", format_instant(capsule.captured_at)


def _compact(naming: Naming, capsule: Capsule, text: CapsuleText) -> Fields:
    yield "id", naming.id(capsule.number)
    yield "title", text.headline


def _index(naming: Naming, capsule: Capsule, text: CapsuleText) -> Fields:
    yield "id", naming.id(capsule.number)
    yield "title", _cut(text.headline)
    yield "type", capsule.labels.get(LabelField.TYPE)
    yield "project", capsule.labels.get(LabelField.PROJECT)
    yield "created_at", format_instant(capsule.captured_at)


_PROJECTIONS: Mapping[Projection, Callable[[Naming, Capsule, CapsuleText], Fields]] = {
    Projection.FULL: _full,
    Projection.SUMMARY: _summary,
    Projection.COMPACT: _compact,
    Projection.INDEX: _index,
}


def _cut(title: str) -> str:
    return title if len(title) <= TITLE_CHARACTERS else title[: TITLE_CHARACTERS - 1] + "…"


def _scores(hit: PipelineHit) -> Fields:
    claim = hit.claim
    yield "score", round(hit.score, 4)
    yield "similarity", round(hit.similarity, 4)
    yield "factors", factors_view(hit.factors)
    yield "via", [stage.value for stage in hit.via]
    yield "matched_terms", list(hit.matched)
    if claim.term is not None:
        # Subtracted from zero, so that a score that rounds to nothing is 0.0 and never -0.0.
        yield "bm25", 0.0 - round(claim.term.bm25, 4)
    if claim.cosine is not None:
        yield "vector_similarity", round(claim.cosine, 4)
    yield "support", round(claim.support, 2)


def _link(naming: Naming, link: Link) -> dict[str, Json]:
    match link.by:
        case RelationKind():
            by = {"relation": link.by.value}
        case entity:
            by = {"entity": entity}
    return {"id": naming.id(link.seed), **by}
