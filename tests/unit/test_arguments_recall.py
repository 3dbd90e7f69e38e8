"""How raw arguments become a recall: what is taken as it is, and what is refused with which lesson."""

from typing import Any

import pytest

from recordance.domain.capsule import LabelField
from recordance.domain.instant import parse_instant
from recordance.domain.validity import TimeWindow
from recordance.errors import InvalidArgument
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import LabelBarrier, LabelFence, SubtreeFence
from recordance.query.request import RecallRequest
from recordance.query.terms import MAX_TERM_CHARACTERS, MAX_TERMS
from recordance_adapters.wire.tools.retrieve import RETRIEVE, recall_request

VECTOR_OPTIONS = ("query_embedding", "vector_k", "fusion")


def asked(**more: Any) -> RecallRequest:
    return recall_request({"terms": ["tokio"], **more})


def refused(raw: Any) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as raised:
        recall_request(raw)
    return raised.value


@pytest.mark.parametrize("raw", [{}, {"terms": None}, {"terms": []}], ids=["missing", "null", "empty"])
def test_a_recall_without_any_term_is_refused(raw: Any) -> None:
    """T1: an empty question has no answer, and the lesson shows what a question looks like."""
    refusal = refused(raw)
    assert refusal.field == "terms"
    assert "pin tokio" in refusal.expected


@pytest.mark.parametrize("term", ["", " ", "...", "—", "'", '"', "\0", "\t\n", "★"])
def test_a_term_that_could_never_match_is_refused_by_its_place(term: str) -> None:
    """T1, case B9: a term without letter or digit is a mistake, not a search that found nothing."""
    refusal = refused({"terms": ["tokio", term]})
    assert refusal.field == "terms[1]"
    assert "letter" in refusal.message


@pytest.mark.parametrize("terms", ["tokio pin", {"term": "tokio"}, 7, True, [7], [None], [["tokio"]]])
def test_terms_of_another_type_are_refused(terms: Any) -> None:
    """T1: guessing what a bare string means (one term? several words?) would hide the mistake."""
    assert refused({"terms": terms}).field.startswith("terms")


def test_the_lesson_for_a_bare_string_shows_the_array_that_was_meant() -> None:
    """T1: the next call is right when the lesson can be copied."""
    assert "['tokio pin']" in refused({"terms": "tokio pin"}).expected


def test_the_limits_of_terms_are_refused_one_beyond_them() -> None:
    """T1: a documented limit holds exactly, on both sides."""
    assert len(asked(terms=[f"w{n}" for n in range(MAX_TERMS)]).terms) == MAX_TERMS
    assert refused({"terms": [f"w{n}" for n in range(MAX_TERMS + 1)]}).field == "terms"
    assert asked(terms=["w" * MAX_TERM_CHARACTERS]).terms
    assert refused({"terms": ["w" * (MAX_TERM_CHARACTERS + 1)]}).field == "terms[0]"


@pytest.mark.parametrize(
    "term", ["don't", '"--error"', "a|b", "C:\\repo\\main.py", "AND", "NEAR(a b)", "title:x*", "a\0b", "a\x1bb"]
)
def test_nothing_in_a_term_is_syntax_or_an_error(term: str) -> None:
    """T6, case B1, case B4, case B6: quotes, operators, columns, NUL and controls are text or separators."""
    assert [one.text for one in asked(terms=[term]).terms] == [term]


def test_half_a_surrogate_pair_in_a_term_is_refused_clearly() -> None:
    """case A8: it is no text in any encoding, and repeating it must not break the answer."""
    refusal = refused({"terms": ["tokio", "pin \ud83d"]})
    assert refusal.field == "terms[1]"
    assert "surrogate" in refusal.why


@pytest.mark.parametrize(
    ("sent", "nearest"),
    [("projct_id", "project_id"), ("term", "terms"), ("sessionId", "session_id"), ("time_windows", "time_window")],
)
def test_an_unknown_parameter_is_refused_with_the_nearest_name(sent: str, nearest: str) -> None:
    """F1, F2, F3: a dropped parameter could be a dropped fence, which shows what it should hide."""
    refusal = refused({"terms": ["tokio"], sent: "nott"})
    assert refusal.field == sent
    assert refusal.expected.startswith(nearest)


@pytest.mark.parametrize("name", ["cursor", "as_known_at"])
def test_a_parameter_whose_feature_is_not_built_is_unknown(name: str) -> None:
    """What cannot be honoured must not be accepted."""
    assert refused({"terms": ["tokio"], name: 1}).field == name
    assert name not in RETRIEVE.arguments.schema["properties"]


def test_a_recall_leaves_telemetry_out_and_has_no_other_fence_by_itself() -> None:
    """F9: what the service notes about itself answers nobody's question."""
    assert asked().scope.fences == (LabelBarrier(LabelField.KIND, frozenset({"telemetry"})),)
    assert asked().stated == ()


def test_every_fence_becomes_its_predicate_and_is_stated_as_sent_in_one_order() -> None:
    """F1, F2, F3, F4, O1: the answer names every fence that stood, in the caller's own notation."""
    window = {"from": "2026-03-01T00:00:00+02:00"}
    request = asked(
        min_support=0.5, effort_id="cap-7", time_window=window, session_id=" s-1 ", project_prefix="nott", project_id="nott/x"
    )
    assert request.scope.fences[:3] == (
        LabelFence(LabelField.PROJECT, frozenset({"nott/x"})),
        SubtreeFence(frozenset({"nott"})),
        LabelFence(LabelField.SESSION, frozenset({" s-1 "})),
    )
    assert request.window == TimeWindow(parse_instant("2026-02-28T22:00:00Z", "from"), None)
    assert request.stated == (
        ("project_id", "nott/x"),
        ("project_prefix", "nott"),
        ("session_id", " s-1 "),
        ("time_window", window),
        ("effort_id", "cap-7"),
        ("min_support", 0.5),
    )


@pytest.mark.parametrize("name", ["project_id", "project_prefix", "session_id", "time_window", "effort_id", "min_support"])
def test_a_null_in_place_of_a_fence_is_refused(name: str) -> None:
    """F1, F2, F3, F4: a variable that was never filled must not open what it should fence."""
    assert "no fence" in refused({"terms": ["tokio"], name: None}).why


@pytest.mark.parametrize(
    "name", ["lane", "limit", "token_budget", "include_staged", "weight_blend", "corroboration_blend", *VECTOR_OPTIONS]
)
def test_a_null_in_place_of_an_option_means_left_out(name: str) -> None:
    """O3: many hosts send null for what their model left out; without it nothing is hidden or shown."""
    assert asked(**{name: None}) == asked()


@pytest.mark.parametrize(
    ("prefix", "corrected"), [("nott/", '"nott"'), ("nott/x//", '"nott/x"'), ("", "nott"), ("/", "nott"), ("  ", "")]
)
def test_a_prefix_that_could_match_nothing_is_refused_with_the_corrected_one(prefix: str, corrected: str) -> None:
    """F1: silence would read as "there is nothing", while only the slash was wrong."""
    refusal = refused({"terms": ["tokio"], "project_prefix": prefix})
    assert refusal.field == "project_prefix"
    assert corrected in refusal.expected


@pytest.mark.parametrize(
    "label", ["a-b", "main", "AND", "*", '"quoted"', "it's", "x" * 300, "0f8fad5b-d9cb-469f-a165-70867728950e", "a/b", "Ünï"]
)
def test_fence_values_are_taken_character_by_character(label: str) -> None:
    """F1, F2, case B7: a label is compared, never parsed, trimmed or folded."""
    assert LabelFence(LabelField.PROJECT, frozenset({label})) in asked(project_id=label).scope.fences
    assert LabelFence(LabelField.SESSION, frozenset({label})) in asked(session_id=label).scope.fences


@pytest.mark.parametrize("label", ["x" * 50_000, " padded ", "e\u0301", "sess-1\n"])
def test_a_session_label_is_never_trimmed_normalised_or_measured(label: str) -> None:
    """F2: the label is the caller's own, byte by byte."""
    assert LabelFence(LabelField.SESSION, frozenset({label})) in asked(session_id=label).scope.fences


@pytest.mark.parametrize("label", ["", " ", "\t\n", "\u3000", "a\0b", "\ud800", 7, ["s"]])
def test_only_a_blank_or_unstorable_session_label_is_refused(label: Any) -> None:
    """F2, W14: whitespace names nothing; NUL and halves of characters are in no store."""
    assert refused({"terms": ["tokio"], "session_id": label}).field == "session_id"


@pytest.mark.parametrize(
    ("window", "field"),
    [
        ({}, "time_window"),
        ({"from": None}, "time_window"),
        ("2026", "time_window"),
        ({"from": "2026-03-01"}, "time_window.from"),
        ({"to": "2026-03-01T00:00:00"}, "time_window.to"),
        ({"to": 1_772_323_200}, "time_window.to"),
        ({"form": "2026-03-01T00:00:00Z"}, "time_window.form"),
        ({"from": "2026-03-02T00:00:00Z", "to": "2026-03-01T00:00:00Z"}, "time_window"),
    ],
)
def test_a_window_that_is_none_is_refused_at_its_field(window: Any, field: str) -> None:
    """F3, case H2: a bound without an offset would be another moment on another machine."""
    assert refused({"terms": ["tokio"], "time_window": window}).field == field


def test_a_window_of_one_instant_is_a_window() -> None:
    """F3: both ends are inclusive, so equal ends hold one instant."""
    moment = "2026-03-01T00:00:00Z"
    at = parse_instant(moment, "from")
    assert asked(time_window={"from": moment, "to": moment}).window == TimeWindow(at, at)


@pytest.mark.parametrize("name", ["limit", "token_budget"])
@pytest.mark.parametrize("value", [-1, 1.5, "5", True, float("nan"), float("inf"), 10**30, [5]])
def test_sizes_that_are_no_whole_number_are_refused(name: str, value: Any) -> None:
    """O3: true is no 1 and "5" is no 5; a guess here would cut the wrong list."""
    assert refused({"terms": ["tokio"], name: value}).field == name


def test_sizes_left_out_mean_no_cap_and_the_servers_budget() -> None:
    """O3: the token budget is what guards the reader; zero of either asks for counts alone."""
    assert (asked().limit, asked().token_budget) == (None, 1_500)
    assert recall_request({"terms": ["tokio"]}, token_budget=700).token_budget == 700
    assert (asked(limit=0, token_budget=0).limit, asked(limit=0, token_budget=0).token_budget) == (0, 0)
    assert asked(limit=5.0).limit == 5


@pytest.mark.parametrize("name", ["weight_blend", "corroboration_blend", "min_support"])
@pytest.mark.parametrize("value", [-0.1, 1.1, "0.5", True, float("nan")])
def test_shares_outside_zero_to_one_are_refused(name: str, value: Any) -> None:
    """L7, O12: a blend or a bound beyond its range has no meaning that could be guessed."""
    assert refused({"terms": ["tokio"], name: value}).field == name


def test_proposals_are_let_in_without_a_trace_in_the_request() -> None:
    """F7: a store without proposals answers the same bytes either way, so the option is no stated fence."""
    assert asked(include_staged=True).admit == {ExclusionReason.PROPOSED}
    assert asked(include_staged=True).stated == ()
    assert asked(include_staged=False) == asked()


def test_arguments_that_are_no_object_are_refused() -> None:
    """T1: even a call without any shape gets a lesson."""
    assert refused(["tokio"]).field == "arguments"


@pytest.mark.parametrize(
    ("given", "names"), [("all", ("all",)), ("a, b,a", ("a", "b")), (["b", "a"], ("b", "a")), (None, ())], ids=repr
)
def test_a_search_scope_is_names_with_commas_or_an_array(given: Any, names: tuple[str, ...]) -> None:
    """D2, case J3: published as a string, since hosts refuse a union; an array is taken when one comes."""
    assert recall_request({"terms": ["tokio"], "search_scope": given}).search_scope == names


@pytest.mark.parametrize("given", [[], "", "a,,b", ["a", ""], [1], 3], ids=repr)
def test_a_search_scope_that_names_nothing_is_refused(given: Any) -> None:
    """D2: it would be read as the default, which nobody asked for."""
    with pytest.raises(InvalidArgument) as refused:
        recall_request({"terms": ["tokio"], "search_scope": given})
    assert refused.value.field.startswith("search_scope")


def test_a_destination_beside_a_search_scope_is_refused() -> None:
    """D2: which of them holds nobody can tell."""
    assert recall_request({"terms": ["tokio"], "destination": "notes"}).search_scope == ("notes",)
    with pytest.raises(InvalidArgument) as refused:
        recall_request({"terms": ["tokio"], "destination": "notes", "search_scope": "all"})
    assert refused.value.field == "destination"
