"""Stems of words by the Snowball algorithms that the term engine ships (T9)."""

import tantivy

from recordance.query.folding import fold_key
from recordance.query.text_services import Stem
from recordance_adapters.driven.tantivy_terms.engine import VERSIONS
from recordance_adapters.driven.tantivy_terms.respelling import RESPELLING_VERSION, RESPELLINGS

_LEAST_LETTERS = 2
"""What is left of a word by fewer letters tells it from no other; the word is its own stem then."""
_MOST_REMEMBERED = 50_000
"""How many words' stems are kept at once."""


def stemmer_of(language: str) -> Stem:
    """Return what takes a folded word of a language, such as "english", to its stem; a word without one is its own.

    Raises ValueError for a language that the engine does not know.
    """
    analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer(language)).build()
    known: dict[str, str] = {}
    respell = RESPELLINGS.get(language)

    def made(word: str) -> str:
        stems = analyzer.analyze(word if respell is None else respell(word))
        if len(stems) != 1 or len(stems[0]) < _LEAST_LETTERS:
            return word
        return stems[0] if respell is None else fold_key(stems[0])

    def stem(word: str) -> str:
        if word not in known:
            if len(known) >= _MOST_REMEMBERED:
                known.clear()
            known[word] = made(word)
        return known[word]

    return stem


def stemmer_version(language: str) -> str:
    """Return a name for the stems of a language; an index with stems of another name is rebuilt."""
    respelt = f" respelt {RESPELLING_VERSION}" if language in RESPELLINGS else ""
    return f"{language}-{VERSIONS['engine']}{respelt}"
