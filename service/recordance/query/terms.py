"""Terms: what a caller searches for, checked, folded and expanded by the store's aliases (T1, T2, T7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.domain.identity import capsule_number
from recordance.errors import InvalidArgument, Json
from recordance.query.folding import fold_words

MAX_TERMS = 64
"""How many terms one recall takes."""
MAX_TERM_CHARACTERS = 2_000
"""How long one term may be."""
MAX_QUESTION_WORDS = 256
"""How many different words of one question in natural language are asked."""
_EXPECTED = 'at least one term with a letter or a digit, such as ["pin tokio", "tokio version"]'


@dataclass(frozen=True, slots=True)
class Term:
    """One caller term: its text as sent, its folded key, and its distinct folded words."""

    text: str
    key: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way in which a term can match: all of `words`, in any order. `label` is what `matched_terms` shows."""

    label: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TermGroup:
    """A caller term with every way in which it can match; it counts once for coverage however many of them do (T7)."""

    term: Term
    alternatives: tuple[Alternative, ...]


def read_term(text: str, field: str) -> Term:
    """Return the term that `text` spells; raises InvalidArgument if nothing in it could ever match (T1)."""
    if len(text) > MAX_TERM_CHARACTERS:
        raise InvalidArgument(field, text, f"at most {MAX_TERM_CHARACTERS} characters", "the term is too long")
    words = fold_words(text)
    if not words:
        raise InvalidArgument(field, text, _EXPECTED, "it has no letter and no digit, so it could never match a word")
    return Term(text, " ".join(words), tuple(dict.fromkeys(words)))


def read_terms(texts: Sequence[Json], field: str = "terms") -> tuple[Term, ...]:
    """Return the caller's terms, in order; two that fold to the same words are one (T1).

    Of their texts the first is kept, but an exact capsule id before any other: it may be the id of a forgotten one (F8).
    """
    if not texts:
        raise InvalidArgument(field, list(texts), _EXPECTED, "a recall needs words to look for, beside an embedding too")
    if len(texts) > MAX_TERMS:
        raise InvalidArgument(field, list(texts), f"at most {MAX_TERMS} terms", f"{len(texts)} terms are too many for one recall")
    terms: dict[str, Term] = {}
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise InvalidArgument(f"{field}[{place}]", text, "a string", "a term is text")
        term = read_term(text, f"{field}[{place}]")
        if term.key not in terms or capsule_number(text) is not None:
            terms[term.key] = term
    return tuple(terms.values())


def read_question(text: str, field: str = "query") -> tuple[Term, ...]:
    """Return the first distinct folded words of a question in natural language, each a term of its own, in order.

    A client may send a whole prompt: of more than MAX_QUESTION_WORDS words the rest is not asked, as `words_left_out` tells.
    Raises InvalidArgument where nothing in it could match.
    """
    words = _distinct(text)
    if not words:
        why = "it has no letter and no digit, so it could never match a word"
        raise InvalidArgument(field, text, "a question or some words", why)
    return tuple(Term(word, word, (word,)) for word in words[:MAX_QUESTION_WORDS])


def words_left_out(text: str) -> str:
    """Return what to say of a question whose words are too many to be all asked; empty where all are."""
    count = len(_distinct(text))
    return f"in part: of {count} different words the first {MAX_QUESTION_WORDS} were asked" if count > MAX_QUESTION_WORDS else ""


def _distinct(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fold_words(text)))


def expand(terms: Sequence[Term], aliases: Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]) -> tuple[TermGroup, ...]:
    """Return each term with its alternatives: itself, then its aliases in the order in which they were taught (T7).

    `aliases` maps a term's key to (alias text, distinct folded words) pairs; expansion goes one step, never further.
    """
    return tuple(TermGroup(term, (Alternative(term.text, term.words), *_taught(aliases.get(term.key, ())))) for term in terms)


def _taught(aliases: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[Alternative, ...]:
    return tuple(Alternative(f"alias:{text}", words) for text, words in aliases)
