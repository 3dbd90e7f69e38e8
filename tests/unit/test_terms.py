"""Terms: what is refused with a lesson, what is one term, and how far aliases go."""

import pytest

from recordance.errors import InvalidArgument
from recordance.query.terms import (
    MAX_TERM_CHARACTERS,
    MAX_TERMS,
    Alternative,
    expand,
    read_term,
    read_terms,
)

NOTHING_TO_FIND = ["", " ", "\n\t", "...", '"*"', "-", "--", "★", "👍🏽", "€", "\0", "\u200b", "\u0301", "،", "。", "()"]


def refusal(texts: list[object]) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as refused:
        read_terms(texts)
    return refused.value


def test_a_recall_without_a_term_is_refused_with_what_to_send() -> None:
    """T1: the lesson shows a request that can be served."""
    refused = refusal([])
    assert (refused.field, refused.got) == ("terms", [])
    assert '["pin tokio", "tokio version"]' in refused.message


@pytest.mark.parametrize("text", NOTHING_TO_FIND)
def test_a_term_without_letter_or_digit_is_refused_by_its_place(text: str) -> None:
    """T1, case B9: it could never match a word, and an empty answer would hide that."""
    refused = refusal(["tokio", text])
    assert (refused.field, refused.got) == ("terms[1]", text)
    assert "no letter and no digit" in refused.message
    assert "send " in refused.message


@pytest.mark.parametrize("value", [None, 7, True, ["tokio"], {"term": "tokio"}, 1.5])
def test_a_term_that_is_no_text_is_refused_by_its_place(value: object) -> None:
    """T1: whatever the wire carries."""
    assert refusal(["tokio", value]).field == "terms[1]"


@pytest.mark.parametrize("text", ["a", "1", "-a-", "日", "é", "²", "½", "№", "Ⅷ", "ㄅ"])
def test_one_letter_or_digit_of_any_script_is_enough(text: str) -> None:
    """T1, case A4: a term of one character is a term."""
    assert read_term(text, "terms[0]").words


def test_limits_of_terms_are_refused_with_the_limit() -> None:
    """T1: how many and how long is said where it is passed."""
    assert str(MAX_TERMS) in refusal([f"t{place}" for place in range(MAX_TERMS + 1)]).message
    assert str(MAX_TERM_CHARACTERS) in refusal(["x" * (MAX_TERM_CHARACTERS + 1)]).message
    assert len(read_terms([f"t{place}" for place in range(MAX_TERMS)])) == MAX_TERMS
    assert read_terms(["x" * MAX_TERM_CHARACTERS])[0].words == ("x" * MAX_TERM_CHARACTERS,)


def test_an_error_does_not_repeat_a_long_term_whole() -> None:
    """T1: a lesson is short."""
    assert len(refusal(["." * 1_900]).message) < 500


def test_a_term_keeps_its_text_and_has_a_key_and_distinct_words() -> None:
    """T2, T7: shown as sent, looked up by all its folded words, matched by each once."""
    term = read_term("Configuração, the configuracao!", "terms[0]")
    assert term.text == "Configuração, the configuracao!"
    assert term.key == "configuracao the configuracao"
    assert term.words == ("configuracao", "the")


def test_terms_that_fold_to_the_same_words_are_one() -> None:
    """T1, T4: coverage counts what was asked, and the same was asked twice."""
    assert [term.text for term in read_terms(["Tokio", "pin", "TOKIO!", "tokio"])] == ["Tokio", "pin"]


def test_an_exact_capsule_id_is_kept_among_terms_that_fold_alike() -> None:
    """F8: whichever comes first, the id probe must see the id that was asked for."""
    for texts in (["cap 3", "cap-3", "CAP-3"], ["cap-3", "cap 3"]):
        assert [term.text for term in read_terms(["x", *texts])] == ["x", "cap-3"]


def test_the_order_of_words_makes_another_term() -> None:
    """T7: a term is keyed by the whole of it, in order."""
    assert [term.key for term in read_terms(["pin tokio", "tokio pin"])] == ["pin tokio", "tokio pin"]


def test_a_term_without_aliases_matches_by_itself_alone() -> None:
    """T2: one way, shown as the caller wrote it."""
    (group,) = expand(read_terms(["Pin Tokio"]), {})
    assert group.alternatives == (Alternative("Pin Tokio", ("pin", "tokio")),)


def test_aliases_follow_their_term_in_the_order_in_which_they_were_taught() -> None:
    """T7: each shows as alias: and the text that was taught."""
    car, bus = expand(read_terms(["car", "bus"]), {"car": [("Auto", ("auto",)), ("motor car", ("motor", "car"))]})
    assert [way.label for way in car.alternatives] == ["car", "alias:Auto", "alias:motor car"]
    assert [way.label for way in bus.alternatives] == ["bus"]


def test_an_alias_is_keyed_by_the_whole_term_and_not_by_its_words() -> None:
    """T7: what is taught of "car" says nothing of "car park"."""
    (group,) = expand(read_terms(["car park"]), {"car": [("auto", ("auto",))], "park": [("garden", ("garden",))]})
    assert len(group.alternatives) == 1


def test_expansion_goes_one_step_and_one_way() -> None:
    """T7: the aliases of an alias are not its term's, and an alias does not mean its term."""
    taught = {"a": [("b", ("b",))], "b": [("c", ("c",))]}
    groups = expand(read_terms(["a", "b", "c"]), taught)
    assert [[way.label for way in group.alternatives] for group in groups] == [["a", "alias:b"], ["b", "alias:c"], ["c"]]
