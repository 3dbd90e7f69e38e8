"""Stems of words by the Snowball algorithms that the term engine ships (T9)."""

import tantivy

from recordance.query.text_services import Stem
from recordance_adapters.driven.tantivy_terms.engine import VERSIONS

_MOST_REMEMBERED = 50_000
"""How many words' stems are kept at once."""


def stemmer_of(language: str) -> Stem:
    """Return what takes a folded word of a language, such as "english", to its stem; a word without one is its own.

    Raises ValueError for a language that the engine does not know.
    """
    analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer(language)).build()
    known: dict[str, str] = {}

    def stem(word: str) -> str:
        if word not in known:
            if len(known) >= _MOST_REMEMBERED:
                known.clear()
            stems = analyzer.analyze(word)
            known[word] = stems[0] if len(stems) == 1 and stems[0] else word
        return known[word]

    return stem


def stemmer_version(language: str) -> str:
    """Return a name for the stems of a language; an index with stems of another name is rebuilt."""
    return f"{language}-{VERSIONS['engine']}"
