"""What one slip of the hand makes of a word (L10)."""

import random

import pytest

from recordance.query.spelling import may_slip_twice, near_spellings, twice_slipped


def slips(one: str, other: str) -> int:
    """Damerau's distance between two words, worked out cell by cell: swaps of neighbours count once."""
    rows = [list(range(len(other) + 1))]
    for i, left in enumerate(one, start=1):
        row = [i]
        for j, right in enumerate(other, start=1):
            best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                best = min(best, rows[i - 2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


@pytest.mark.parametrize("near", ["tokio", "tokyo", "otkyo", "toky", "tokyos", "t0kyo", "tkyo", "totyo"])
def test_each_kind_of_slip_leads_to_a_near_spelling(near: str) -> None:
    """L10: a letter more, a letter less, another letter, two swapped; the word itself is not near itself."""
    assert (near in near_spellings("tokyo")) is (near != "tokyo")


@pytest.mark.parametrize("far", ["tokoy1", "kyoto", "tokyoites", "yokyo2"])
def test_what_needs_more_than_one_slip_is_not_near(far: str) -> None:
    """L10: two slips are another word."""
    assert far not in near_spellings("tokyo")


def test_near_is_exactly_what_one_slip_is_away() -> None:
    """L10: drawn words over few letters, told by a distance of their own; the seed is in the message."""
    chance = random.Random(7)
    for _ in range(400):
        one = "".join(chance.choices("abc1", k=chance.randint(4, 6)))
        other = "".join(chance.choices("abc1", k=chance.randint(3, 7)))
        assert (other in near_spellings(one)) == (slips(one, other) == 1), (7, one, other)


@pytest.mark.parametrize("word", ["abc", "ü", "", "a" * 33])
def test_short_and_endless_words_have_no_near_spellings(word: str) -> None:
    """L10: three letters are near everything, and nobody types forty of them wrong once."""
    assert near_spellings(word) == frozenset()


def test_letters_come_from_the_alphabet_of_the_word() -> None:
    """L10: Cyrillic, Greek and Devanagari have slips of their own, and no Latin ones."""
    assert "сервер" in near_spellings("севрер")
    assert "μνημη" in near_spellings("μνιμη")
    assert "संस्करण" in near_spellings("सस्करण")
    assert not any(letter in each for each in near_spellings("севрер") for letter in "aeiou")


@pytest.mark.parametrize("run", ["设备清单", "ひらがな", "ภาษาไทย", "设备清单ab"])
def test_a_run_of_an_unspaced_script_has_none(run: str) -> None:
    """L10, T5: such a run is many words, and what is one letter away from all of them says nothing."""
    assert near_spellings(run) == frozenset()


def test_two_slips_in_a_long_word_are_found_exactly() -> None:
    """L10: drawn words over few letters, told by a distance of their own; the seed is in the message."""
    chance = random.Random(11)
    found = 0
    for _ in range(1_500):
        one = "".join(chance.choices("abc", k=chance.randint(8, 10)))
        others = {_slipped(one, chance) for _ in range(3)} | {_slipped(_slipped(one, chance), chance) for _ in range(3)}
        expected = sorted(each for each in others if slips(one, each) == 2 and each[0] == one[0])
        assert twice_slipped(one, others) == expected, (11, one, others)
        found += len(expected)
    assert found > 1_000


def _slipped(word: str, chance: random.Random) -> str:
    place = chance.randrange(len(word))
    before, rest = word[:place], word[place:]
    return before + chance.choice((rest[1:], "c" + rest, "b" + rest[1:], rest[1:2] + rest[:1] + rest[2:]))


@pytest.mark.parametrize("other", ["nfiguration", "conf1gurat1on", "configurations2", "configuration", "confguration"])
def test_two_slips_leave_the_first_letter_and_the_figures_alone(other: str) -> None:
    """L10, W1: two versions are two facts; and what one slip makes is no matter of two."""
    assert twice_slipped("configuration", [other]) == []


def test_only_long_words_may_slip_twice() -> None:
    """L10, T5: of seven letters two slips make another word, and a run of an unspaced script is many words."""
    assert [may_slip_twice(word) for word in ("pipelin", "pipeline", "設備点検設備点検", "a" * 33)] == [False, True, False, False]
