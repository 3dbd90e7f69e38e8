"""Keyword stuffing: a text that repeats a word to be found by it never comes before one that does not (L13).

But for one thing: what restates a value stands below the correction of that value, stuffed or not (O9, see `conflict`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from recordance.query.folding import fold_words

T = TypeVar("T")

LEAST_WORDS = 12
"""A shorter text cannot be told from one that has little to say."""
LEAST_LETTERS = 3
LEAST_SYLLABLES = 2
"""The same for Han and Hangul, where a character is a syllable and most nouns have two."""
LEAST_TIMES = 4
LEAST_SHARE = 0.12
STOP_WORDS = frozenset(
    fold_words(
        "the and that this with from for not are was were has have had but you your his her its our they their them who what "
        "which when where how why will would can could should may must all any some one two out into than then there here also "
        "only just about been being does did more most such each other "
        "que los las del una uno por para con como más pero sus este esta eso son fue ser hay muy sin sobre "
        "não uma dos das nos nas pelo pela isso esse essa ele ela foi tem mas seu sua com "
        "les des est une dans pour par sur pas qui avec ces ses aux ont sont mais plus cette "
        "der die das und ist ein eine einer den dem nicht mit von auf für als auch sich des wird bei "
        "что это как его она они был для при или так "
        "है हैं था थी और में की के का को से पर यह वह ने भी नहीं "
        "그리고 하지만 그러나 있다 있는 있음 없는 하는 한다 이는 그는 것은 것이 것을 대한 위해 또한 "
        "우리 모든 경우 때문에 합니다 됩니다 있습니다 "
        "因此 所以 因为 因為 但是 不过 不過 而且 如果 然后 然後 于是 於是 同时 同時 其中 例如 另外 此外 可以 我们 我們 他们 他們"
    )
)
"""Words, folded, that good texts repeat: articles, pronouns and the like of the languages that the store's tests speak.

Japanese, Thai, Lao and Khmer have none here, and Chinese only what stands between commas: their runs between spaces are seldom
alike, so that only what is pasted again and again counts as repeated there.
"""
_SYLLABIC = re.compile("[\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+")


def stuffed(words: Sequence[str]) -> bool:
    """Whether the folded words of a content repeat one of three letters or two syllables, no stop word, as a writer would not.

    That is at least 4 times and at least every eighth word or so (12 %), in a text of at least 12 words.
    """
    if len(words) < LEAST_WORDS:
        return False
    counts = Counter(word for word in words if _tells(word) and word not in STOP_WORDS)
    most = max(counts.values(), default=0)
    return most >= LEAST_TIMES and most >= LEAST_SHARE * len(words)


def _tells(word: str) -> bool:
    """Whether a word is long enough to be one that somebody looks for."""
    return len(word) >= LEAST_LETTERS or (len(word) >= LEAST_SYLLABLES and _SYLLABIC.fullmatch(word) is not None)


def clean_first(ranked: Iterable[T], is_stuffed: Callable[[T], bool]) -> list[T]:
    """Return what is ranked with all that is stuffed behind all that is not, each in the order that it had."""
    return sorted(ranked, key=is_stuffed)
