"""Folding by law: what must hold for every character and every text."""

import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.query.folding import fold_words

PLANES = [(0x80, 0x3000), (0x3000, 0xD800), (0xE000, 0x20000), (0x20000, 0x30000)]
AROUND = ("{}", "a{}b", "é {}x", "か{}", "ก{}า", "1{}2")
AWKWARD = "aéø1´\u0301\u0327\u3099かกาກ៥๕\u093c\u200d\u0e33İŉ½ﷺㅤ漢ー-_\0"
awkward = st.sampled_from(list(AWKWARD))
texts = st.lists(awkward | st.characters(), max_size=12).map("".join)


def characters(plane: tuple[int, int]) -> Iterator[str]:
    return (around.format(chr(code)) for code in range(*plane) for around in AROUND)


def decomposed(text: str) -> list[str]:
    return fold_words(unicodedata.normalize("NFD", text))


@pytest.mark.parametrize("plane", PLANES)
def test_every_character_folds_to_the_same_words_again(plane: tuple[int, int]) -> None:
    """T4: what is stored folded is found by what is asked folded, however often either was folded before."""
    wrong = [text for text in characters(plane) if fold_words(" ".join(fold_words(text))) != fold_words(text)]
    assert not wrong


@pytest.mark.parametrize("plane", PLANES)
def test_every_character_folds_alike_composed_and_decomposed(plane: tuple[int, int]) -> None:
    """T4, case A5: 10 of 10 words are found across the forms, in every script."""
    wrong = [text for text in characters(plane) if decomposed(text) != fold_words(unicodedata.normalize("NFC", text))]
    assert not wrong


@pytest.mark.parametrize("plane", PLANES)
def test_every_character_folds_alike_in_upper_and_lower_case(plane: tuple[int, int]) -> None:
    """T4: case folds, in every script that has it."""
    wrong = [chr(code) for code in range(*plane) if fold_words(chr(code).upper()) != fold_words(chr(code).lower())]
    assert not wrong


@given(texts)
def test_any_text_folds_to_the_same_words_again_and_in_every_form(text: str) -> None:
    """T4: the laws hold for marks in any order on letters of any script."""
    words = fold_words(text)
    assert fold_words(" ".join(words)) == words
    assert decomposed(text) == words
    assert fold_words(unicodedata.normalize("NFC", text)) == words


@given(texts)
def test_a_word_has_a_letter_or_digit_and_no_space_or_control(text: str) -> None:
    """T1, T6: an index that splits at spaces gets back exactly the words that it was given."""
    for word in fold_words(text):
        assert any(map(str.isalnum, word))
        assert word.split() == [word]
        assert all(unicodedata.category(character)[0] in "LNM" for character in word)


@given(texts, texts)
def test_a_separator_between_two_texts_keeps_their_words_apart(left: str, right: str) -> None:
    """T6: punctuation separates and does nothing else."""
    apart = fold_words(left) + fold_words(right)
    assert all(fold_words(left + mark + right) == apart for mark in (" ", "/", "\0", '"', "*", "、"))
