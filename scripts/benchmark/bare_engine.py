"""The engine alone: the best documents for some words and how many there are, without fences, exact scores or answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tantivy


class BareEngine:
    """A reader of a replica's files."""

    def __init__(self, folder: Path) -> None:
        self._index = tantivy.Index.open(str(folder))
        self._schema = self._index.schema
        self._searcher = self._index.searcher()

    def search(self, words: Sequence[str], top: int) -> int:
        """Return how many documents have any of the words, having ranked the best `top` of them."""
        queries = [tantivy.Query.term_query(self._schema, "body", word, "freq") for word in words]
        either = tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])
        found = self._searcher.search(either, top, count=True)
        return int(found.count or 0)
