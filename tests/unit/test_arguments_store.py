"""How raw arguments become drafts: every field, every limit, and one faulty item among others."""

import json
from typing import Any

import pytest

from recordance.domain.capsule import LabelField
from recordance.domain.draft import CapsuleDraft, Staging
from recordance.domain.embedding import vector_of
from recordance.domain.instant import parse_instant
from recordance.domain.provenance import Anchor
from recordance.domain.validity import EventRange
from recordance.errors import InvalidArgument
from recordance_adapters.wire import limits
from recordance_adapters.wire.capsule_fields import CAPSULE, read_draft
from recordance_adapters.wire.tools.store import ARGUMENTS, batch, idempotency, single

NOON = "2026-03-01T12:00:00Z"
LATER = "2026-03-01T14:00:00+01:00"
EVERYTHING: dict[str, Any] = {
    "content": "We pin tokio at 1.38",
    "headline": "tokio pin",
    "kind": "fact",
    "project_id": "nott/x",
    "session_id": " s-1",
    "source": "review",
    "anchors": ["Cargo.toml:12@0123abc", "doc-7"],
    "confidence": 0.9,
    "valid_from": NOON,
    "valid_to": LATER,
    "event_from": NOON,
    "event_to": LATER,
    "authority_class": "user-stated",
    "evidence_state": "observed",
    "proof_hint": "grep tokio Cargo.toml",
    "stale_if": "tokio is no longer pinned",
    "tags": ["rust", "pins", "rust"],
    "topics": ["build"],
    "entities": ["Tokio"],
    "metadata": {"ticket": {"b": 1, "a": [None, True, "x", 1.5]}},
    "category": "engineering",
    "domain": "software_engineering",
    "subtype": "codebase_map",
    "intent": "fact",
    "repo": "nott",
    "branch": "main",
    "task_key": "T-1",
    "workstream_key": "W-1",
    "episode_id": "E-1",
    "user_id": "u",
    "agent_id": "a",
    "type": "convention",
    "value": 2,
    "review_status": "candidate",
    "signature": "sig",
    "origin_user_id": "ou",
    "origin_agent_id": "oa",
    "origin_interface": "mcp",
    "importance": 0.75,
    "key": "tokio-version",
    "supersedes": ["cap-3", "notes:cap-4"],
    "embedding": [0.5, -1],
    "destination": "notes",
}


def refused(**fields: Any) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as raised:
        read_draft({"content": "a statement", **fields}, None)
    return raised.value


def test_every_field_reaches_the_draft() -> None:
    """W1: what a caller writes is what is stored, in core values."""
    draft = read_draft(EVERYTHING, "default")
    noon, later = parse_instant(NOON, "t"), parse_instant(LATER, "t")
    assert draft == CapsuleDraft(
        content="We pin tokio at 1.38",
        headline="tokio pin",
        source="review",
        labels={field: EVERYTHING[field.value] for field in LabelField},
        anchors=(Anchor("Cargo.toml:12@0123abc", "Cargo.toml", 12, "0123abc"), Anchor("doc-7")),
        confidence=0.9,
        importance=0.75,
        value=2.0,
        valid_from=noon,
        valid_to=later,
        event=EventRange(noon, later),
        proof_hint="grep tokio Cargo.toml",
        stale_if="tokio is no longer pinned",
        signature="sig",
        tags=("rust", "pins"),
        topics=("build",),
        entities=("Tokio",),
        metadata=(("ticket", '{"a":[null,true,"x",1.5],"b":1}'),),
        supersedes=(3, 4),
        named_in=(None, "notes"),
        destination="notes",
        embedding=vector_of([0.5, -1.0]),
    )
    assert set(EVERYTHING) | {"anchor", "event_at", "staged"} == {parameter.name for parameter in CAPSULE.parameters}


def test_a_zero_has_no_sign() -> None:
    """W14: of the databases some keep the sign of a zero and some do not; all of them answer the same."""
    assert str(read_draft({"content": "x", "confidence": -0.0}, None).confidence) == "0.0"


def test_what_is_left_out_is_left_to_the_defaults() -> None:
    """W1: only content is required; nothing else is guessed at the edge."""
    assert read_draft({"content": "a statement"}, None) == CapsuleDraft(content="a statement")


def test_a_capsule_that_names_no_project_gets_the_servers() -> None:
    """W1, case F6: what one client writes through a server for one project is found there again."""
    assert read_draft({"content": "x"}, "nott").labels == {LabelField.PROJECT: "nott"}
    assert read_draft({"content": "x", "project_id": "other"}, "nott").labels == {LabelField.PROJECT: "other"}


@pytest.mark.parametrize("raw", [{}, {"content": None}, {"headline": "only"}], ids=["nothing", "null", "other fields"])
def test_a_capsule_without_content_is_refused(raw: dict[str, Any]) -> None:
    """case J9: an empty record with a success is a loss that nobody notices."""
    with pytest.raises(InvalidArgument) as raised:
        single(raw, None)
    assert raised.value.field == "content"


@pytest.mark.parametrize("content", ["", " \n\t", 7, ["a"], {"text": "a"}, True, "x" * (limits.CONTENT + 1)])
def test_content_that_is_none_is_refused(content: Any) -> None:
    """W1, case J9: blank text, other types and what is too long are never stored as something else."""
    assert refused(content=content).field == "content"


@pytest.mark.parametrize("bad", ["nul \0 inside", "half \ud83d pair"])
@pytest.mark.parametrize(
    "field",
    [
        "content",
        "headline",
        "source",
        "project_id",
        "session_id",
        "proof_hint",
        "stale_if",
        "signature",
        "repo",
        "key",
        "subtype",
        "anchor",
    ],
)
def test_nul_and_lone_surrogates_are_refused_in_every_text(field: str, bad: str) -> None:
    """W14: no database keeps them alike, so none is asked to."""
    assert refused(**{field: bad}).field == field


@pytest.mark.parametrize("bad", ["nul \0 inside", "half \ud83d pair", "", " ", "x" * (limits.MARK + 1), 7])
@pytest.mark.parametrize("field", ["tags", "topics", "entities"])
def test_a_bad_mark_is_refused_by_its_place(field: str, bad: Any) -> None:
    """W14: a list is only as good as each of its elements."""
    assert refused(**{field: ["good", bad]}).field == f"{field}[1]"


@pytest.mark.parametrize(
    ("field", "most"),
    [
        ("content", limits.CONTENT), ("headline", limits.HEADLINE), ("source", limits.NOTE), ("proof_hint", limits.NOTE),
        ("project_id", limits.LABEL), ("key", limits.LABEL), ("branch", limits.LABEL), ("anchor", limits.ANCHOR),
        ("signature", limits.SIGNATURE),
    ],
)  # fmt: skip
def test_a_text_of_exactly_its_limit_is_taken_and_one_more_is_not(field: str, most: int) -> None:
    """W14: documented limits hold exactly."""
    assert read_draft({"content": "x", field: "é" * most}, None)
    assert str(most) in refused(**{field: "é" * (most + 1)}).expected


def test_a_session_label_has_no_limit_when_stored() -> None:
    """F2: what a recall may ask for character by character, a capsule may bear."""
    label = " " + "x" * 20_000
    assert read_draft({"content": "x", "session_id": label}, None).labels == {LabelField.SESSION: label}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("confidence", 1.01), ("confidence", -0.01), ("confidence", True), ("confidence", "0.5"), ("confidence", float("nan")),
        ("importance", 2), ("importance", float("inf")), ("value", -1), ("value", limits.VALUE + 1), ("value", False),
        ("staged", "true"), ("staged", 1), ("kind", "Fact"), ("kind", 3), ("category", "law"), ("domain", ""), ("intent", "x"),
        ("type", "memo"), ("review_status", "done"), ("authority_class", "god"), ("evidence_state", "seen"),
        ("origin_interface", "fax"), ("tags", "rust"), ("tags", ["t"] * (limits.MARKS + 1)), ("metadata", ["a"]),
        ("supersedes", "three"), ("supersedes", "CAP-3"), ("supersedes", ["cap-0"]), ("supersedes", []), ("anchors", []),
        ("valid_from", "yesterday"), ("valid_from", "2026-03-01T12:00:00"), ("valid_to", 5), ("event_at", "2026-13-01T00:00:00Z"),
    ],
)  # fmt: skip
def test_a_value_outside_its_type_range_or_vocabulary_is_refused(field: str, value: Any) -> None:
    """W1, W14: each field says what it takes, and takes nothing else."""
    assert refused(**{field: value}).field.startswith(field)


def test_an_unknown_word_is_refused_with_the_whole_vocabulary() -> None:
    """F9: a closed list is only useful to somebody who sees it."""
    assert "decision" in refused(kind="decison").expected
    assert "codebase_map" in refused(kind="fact", subtype="map").expected
    assert "no subtype" in refused(kind="epic", subtype="map").expected
    assert "kind" in refused(subtype="codebase_map").expected


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"anchor": "a:1", "anchors": ["b:1"]}, "anchor"),
        ({"event_at": NOON, "event_from": NOON}, "event_at"),
        ({"event_from": NOON}, "event_to"),
        ({"event_to": NOON}, "event_from"),
        ({"event_from": LATER, "event_to": NOON}, "event_to"),
        ({"valid_from": NOON, "valid_to": NOON}, "valid_to"),
        ({"valid_from": LATER, "valid_to": NOON}, "valid_to"),
        ({"staged": True, "supersedes": ["cap-1"]}, "supersedes"),
    ],
)
def test_fields_that_contradict_each_other_are_refused(fields: dict[str, Any], field: str) -> None:
    """W1: of two answers to one question none is guessed."""
    assert refused(**fields).field == field


def test_a_moment_and_a_range_are_both_event_ranges() -> None:
    """F3: a moment is a range with equal ends."""
    noon = parse_instant(NOON, "t")
    assert read_draft({"content": "x", "event_at": NOON}, None).event == EventRange(noon, noon)
    assert read_draft({"content": "x", "event_from": NOON, "event_to": NOON}, None).event == EventRange(noon, noon)


def test_one_superseded_id_may_come_without_its_array() -> None:
    """W7: the field is published as an array; one id alone can mean only one thing."""
    assert read_draft({"content": "x", "supersedes": "cap-3"}, None).supersedes == (3,)


def test_a_staged_capsule_is_a_proposal() -> None:
    """W5: staging is a decision at the store, not a label."""
    assert read_draft({"content": "x", "staged": True}, None).staging is Staging.STAGED


@pytest.mark.parametrize(
    "value", [None, True, 0, -7, 10**30, 1.5, "text", "★ é 设备", [], {}, {"z": 1, "a": {"é": []}}, [[[1]]]], ids=repr
)
def test_metadata_keeps_any_json_value(value: Any) -> None:
    """W14: JSON comes back as it went in."""
    if value is None:
        stored = read_draft({"content": "x", "metadata": {"n": [None]}}, None).metadata
        assert stored == (("n", "[null]"),)
    else:
        ((_, text),) = read_draft({"content": "x", "metadata": {"n": value}}, None).metadata
        assert json.loads(text) == value


def test_equal_metadata_values_have_one_text_whatever_the_order_of_names() -> None:
    """F9: a filter on a pair compares texts."""
    one = read_draft({"content": "x", "metadata": {"n": {"a": 1, "b": [1.5]}}}, None)
    other = read_draft({"content": "x", "metadata": {"n": {"b": [1.5], "a": 1}}}, None)
    assert one.metadata == other.metadata


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "metadata",
    [
        {f"n{place}": 1 for place in range(limits.PAIRS + 1)},
        {"n": "x" * limits.PAIR_VALUE},
        {"n" * (limits.PAIR_NAME + 1): 1},
        {"": 1},
        {"nul\0": 1},
        {"n": "half \ud83d"},
        {"n": {"inner \0": 1}},
        {"n": [float("nan")]},
        {"n": nested(limits.PAIR_DEPTH + 1)},
        {"n": nested(5_000)},
    ],
    ids=["pairs", "value", "name", "no name", "nul", "surrogate", "inner name", "nan", "deep", "very deep"],
)
def test_metadata_beyond_its_limits_is_refused(metadata: Any) -> None:
    """W14: each limit has its lesson, however deep the fault lies."""
    assert refused(metadata=metadata).field.startswith("metadata")


def test_a_faulty_item_is_refused_in_its_place_and_its_siblings_are_read() -> None:
    """W1: one bad item never blocks the others, and its refusal names its place."""
    read = batch(
        {"items": [{"content": "a"}, {"content": "b", "confidence": 7}, "c", {}, {"contnt": "d"}, {"content": "e"}]}, "nott"
    )
    shown = [one.message.split(":")[0] if isinstance(one, InvalidArgument) else one.content for one in read]
    assert shown == ["a", "items[1].confidence", "items[2]", "items[3].content", "items[4].contnt", "e"]
    assert isinstance(read[0], CapsuleDraft)
    assert read[0].labels == {LabelField.PROJECT: "nott"}


@pytest.mark.parametrize("name", ["idempotency_key", "items"])
def test_what_holds_for_the_whole_call_is_sent_back_beside_the_items(name: str) -> None:
    """W1: the nearest field of a capsule would lead astray; such a name has its place, only not here."""
    (refusal, read) = batch({"items": [{"content": "a", name: "k"}, {"content": "b"}]}, None)
    assert isinstance(refusal, InvalidArgument)
    assert (refusal.field, refusal.expected) == (f"items[0].{name}", "it beside items")
    assert isinstance(read, CapsuleDraft)


def test_a_contradiction_inside_an_item_names_the_item() -> None:
    """W1: fields are judged together too, and the path still leads to them."""
    (refusal,) = batch({"items": [{"content": "a", "event_from": NOON}]}, None)
    assert isinstance(refusal, InvalidArgument)
    assert refusal.field == "items[0].event_to"


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({"items": []}, "items"),
        ({"items": [{"content": "x"}] * (limits.ITEMS + 1)}, "items"),
        ({"items": {"content": "x"}}, "items"),
        ({"items": [{"content": "x"}], "content": "y"}, "content"),
        ({"items": [{"content": "x"}], "project_id": "nott"}, "project_id"),
        ({"content": "x", "idempotencykey": "k"}, "idempotencykey"),
        ({"content": "x", "idempotency_key": ""}, "idempotency_key"),
        ({"content": "x", "idempotency_key": "k" * (limits.IDEMPOTENCY_KEY + 1)}, "idempotency_key"),
        ({"content": "x", "destination": ""}, "destination"),
    ],
)
def test_a_fault_of_the_whole_call_refuses_the_call(raw: Any, field: str) -> None:
    """W1: what concerns all items cannot be rejected for one of them."""
    with pytest.raises(InvalidArgument) as raised:
        batch(raw, None) if "items" in raw else single(raw, None)
    assert raised.value.field == field


def test_a_null_item_list_or_key_is_left_out() -> None:
    """W1: hosts that send null for what was left out still store one capsule."""
    raw = {"content": "x", "items": None, "idempotency_key": None, "headline": None}
    assert single(raw, None) == CapsuleDraft(content="x")
    assert idempotency({"content": "x", "idempotency_key": None}) is None


def test_an_idempotency_digest_tells_items_apart_and_nothing_else() -> None:
    """W1: the order of names inside an item is no difference, any value is."""
    one = idempotency({"idempotency_key": "k", "content": "x", "tags": ["a", "b"]})
    same = idempotency({"tags": ["a", "b"], "content": "x", "idempotency_key": "k"})
    listed = idempotency({"idempotency_key": "k", "items": [{"content": "x", "tags": ["a", "b"]}]})
    other = idempotency({"idempotency_key": "k", "content": "x", "tags": ["b", "a"]})
    assert one is not None
    assert other is not None
    assert one == same == listed
    assert one.items_digest != other.items_digest


def test_an_idempotency_key_tells_embeddings_apart() -> None:
    """W1, W4: the same words with another vector are another write."""
    embeddings: list[Any] = [[1, 0.5], [1, 0.25], [0.5, 1], [1, 10**400], [1, True], [1, "0.5"], [1], [], "x", None]
    digests = {
        written.items_digest
        for embedding in embeddings
        if (written := idempotency({"idempotency_key": "k", "content": "x", "embedding": embedding}))
    }
    assert len(digests) == len(embeddings)
    whole, float_ = (idempotency({"idempotency_key": "k", "items": [{"embedding": [number]}]}) for number in (1, 1.0))
    assert whole == float_


def test_no_limit_is_published_that_is_not_kept() -> None:
    """W14: the schema and the reader are one declaration."""
    assert ARGUMENTS.schema["properties"]["content"]["maxLength"] == limits.CONTENT
    assert ARGUMENTS.schema["properties"]["items"]["maxItems"] == limits.ITEMS


def test_the_refusal_of_an_item_can_be_told_inside_an_answer() -> None:
    """case A8: an answer that repeats half a character would break for everybody else's items too."""
    read = batch({"items": [{"content": "a", "kind": "\ud83d"}, {"\ud83d": 1}, {"content": "b", "tags": ["\ud83d"]}]}, None)
    assert all(isinstance(one, InvalidArgument) and one.message.encode() for one in read)


def test_reading_a_batch_is_half_of_its_progress() -> None:
    """A long batch is seen to go on, and is never said to be done before it is stored."""
    heard: list[tuple[int, int]] = []
    batch({"items": [{"content": "a"}, {}, {"content": "b"}]}, None, lambda done, total: heard.append((done, total)))
    assert heard == [(1, 6), (2, 6), (3, 6)]
