"""The oracle of `memory_recall`'s rows: what each view shows of a capsule, written down once more from the rules (O10, F9)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from recordance.domain.capsule import LabelField
from recordance.domain.instant import format_instant
from support.dialect_oracle import Reading
from support.pipeline_oracle import Place, Run
from support.word_oracle import words

Row = dict[str, Any]
SUMMARY, TITLE, SHORT, MOST_LINKS = 150, 80, 4, 3
LABELS = {
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


def view_of(given: Mapping[str, Any]) -> str:
    """Return what of each capsule is shown; a detail has no say outside mode search (O10)."""
    mode = given.get("mode", "search")
    if mode != "search":
        return {"index": "index", "timeline": "full"}[mode]
    detail: str = given.get("detail", "full")
    if detail != "auto":
        return detail
    if any(sign in given["query"] for sign in "/\\`{}") or "::" in given["query"]:
        return "full"
    return "compact" if len(words(given["query"])) <= SHORT else "summary"


def capsule_row(reading: Reading, number: int, view: str) -> Row:
    """Return a capsule without any score; what does not apply is absent."""
    row = {name: value for name, value in _FIELDS[view](reading, number) if value is not None and value != []}
    return {**row, "instruction_taint": True} if reading.world.capsules[number].taint else row


def hit_row(reading: Reading, place: Place, run: Run, view: str, given: Mapping[str, Any]) -> Row:
    """Return a hit with its score, and in full with all that its score is made of."""
    row = capsule_row(reading, place.number, view)
    if given.get("decisions_only") and view in ("full", "summary"):
        row |= _decision(reading.world.texts[place.number].content)
    return row | (scored(place, run) if view == "full" else {"score": round(place.score, 4)})


def scored(place: Place, run: Run) -> Row:
    """Return everything that brought a hit to its place (L12, O12)."""
    lanes, row = run.lanes, factored(place)
    cosine = run.cosines.get(place.number)
    by_words = "term" in run.found
    spelled = [hit.number for hit in run.found.get("fuzzy", ())]
    matched = lanes.matched(place.number) if by_words else []
    share = lanes.share(place.number) if by_words else 0.0
    return {
        "score": row["score"],
        "similarity": row["factors"]["similarity"],
        "factors": row["factors"],
        "via": list(place.ranks),
        "matched_terms": matched + (lanes.spelled(place.number) if place.number in spelled else []),
        **({"bm25": 0.0 - round(lanes.weight(place.number), 4)} if matched else {}),
        **({} if cosine is None else {"vector_similarity": round(cosine, 4)}),
        "support": round(1.0 - (1.0 - share) * (1.0 - min(cosine or 0.0, 1.0)), 2),
    }


def factored(place: Place) -> Row:
    """Return a line of the fusion's table."""
    return {
        "ranks": dict(place.ranks),
        "fused_rank": place.fused_rank,
        "fused_score": round(place.fused, 6),
        "parts": {lane: round(part, 6) for lane, part in place.parts.items()},
        "factors": {name: round(value, 4) for name, value in place.factors.items()},
        "score": round(place.score, 4),
    }


Fields = Iterator[tuple[str, Any]]


def _full(reading: Reading, number: int) -> Fields:
    capsule, text = reading.of(number)
    yield "label", "ADVISORY_NOT_AUTHORITY"
    yield "framing", "DATA"
    yield from (("id", f"cap-{number}"), ("content", text.content), ("title", text.headline))
    yield from ((name, capsule.labels.get(label)) for name, label in LABELS.items())
    yield from (("entities", list(text.entities)), ("topics", list(text.topics)), ("tags", list(text.tags)))
    yield "metadata", {name: json.loads(value) for name, value in text.metadata} or None
    yield from (("confidence", capsule.confidence), ("importance", capsule.importance))
    yield "created_at", format_instant(capsule.captured_at)
    yield "valid_from", format_instant(capsule.validity.valid_from)
    yield "instruction_taint", bool(capsule.taint)


def _summary(reading: Reading, number: int) -> Fields:
    content = reading.world.texts[number].content
    yield from (("id", f"cap-{number}"), ("title", reading.world.texts[number].headline), ("content", content[:SUMMARY]))
    yield "truncated", content[SUMMARY:] != "" or None
    yield from _where_and_when(reading, number)


def _compact(reading: Reading, number: int) -> Fields:
    yield from (("id", f"cap-{number}"), ("title", reading.world.texts[number].headline))


def _index(reading: Reading, number: int) -> Fields:
    title = reading.world.texts[number].headline
    yield from (("id", f"cap-{number}"), ("title", title if len(title) <= TITLE else f"{title[: TITLE - 1]}…"))
    yield from _where_and_when(reading, number)


def _where_and_when(reading: Reading, number: int) -> Fields:
    capsule = reading.world.capsules[number]
    yield from (("type", capsule.labels.get(LabelField.TYPE)), ("project", capsule.labels.get(LabelField.PROJECT)))
    yield "created_at", format_instant(capsule.captured_at)


_FIELDS = {"full": _full, "summary": _summary, "compact": _compact, "index": _index}


def _decision(content: str) -> Row:
    """Return what a program wrote into a content, if it is an object (F9)."""
    try:
        parsed = json.loads(content)
    except ValueError:
        parsed = None
    return {"decision": parsed} if isinstance(parsed, dict) else {"decision_unread": "the content is no JSON object"}
