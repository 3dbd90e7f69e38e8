"""Texts that repeat a word to be found by it."""

import pytest

from recordance.query.folding import fold_words
from recordance.ranking.stuffing import STOP_WORDS, clean_first, stuffed

FILLER = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet", "kilo", "lima")


def text(word: str, times: int, length: int) -> list[str]:
    return [*[word] * times, *(f"{FILLER[place % len(FILLER)]}{place}" for place in range(length - times))]


@pytest.mark.parametrize(
    ("words", "is_stuffed"),
    [
        (text("tokio", 4, 12), True),
        (text("tokio", 4, 11), False),
        (text("tokio", 3, 12), False),
        (text("tokio", 4, 33), True),
        (text("tokio", 4, 34), False),
        (text("to", 8, 12), False),
        (text("the", 8, 12), False),
        (text("não", 8, 14), True),
        (text("nao", 8, 14), False),
        (text("тест", 5, 20), True),
        (text("चाय", 5, 20), True),
        (text("배포", 5, 20), True),
        (text("部署", 5, 20), True),
        (text("部", 5, 20), False),
        (text("있는", 5, 20), False),
        (text("因此", 5, 20), False),
        (text("ไป", 5, 20), False),
        ([], False),
    ],
)
def test_a_word_is_stuffed_by_its_count_and_its_share(words: list[str], *, is_stuffed: bool) -> None:
    """L13: 12 words, 3 letters or 2 syllables, 4 times, 12 %; whatever good prose repeats is no stuffing."""
    assert stuffed(words) is is_stuffed


def test_stop_words_are_compared_as_words_are_folded() -> None:
    """L13: an accent is no way around the list."""
    assert {"nao", "para", "auf", "fur", "что"} <= STOP_WORDS
    assert all(fold_words(word) == [word] for word in STOP_WORDS)


def test_ordinary_prose_is_clean() -> None:
    """L13: a note about one thing names it more than once."""
    note = (
        "The deploy script reads the region from the environment. If the region is missing the script stops before the deploy, "
        "and the operator sets the region and starts the script again."
    )
    assert not stuffed(fold_words(note))


def test_clean_ones_come_first_and_keep_their_order() -> None:
    """L13: never outranks means never, whatever the score."""
    assert clean_first([5, 2, 9, 4], lambda number: number in {5, 9}) == [2, 4, 5, 9]
