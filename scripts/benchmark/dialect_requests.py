"""The typical requests of every dialect, the same questions to each. Pure; standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

FEW, DEEP = 6, 50
"""How many hits memory_retrieve is asked for, and a recall that is to differ."""
PROJECT = "bench/1"
ABSENT = "wxyz"
"""A word that no text has: no wording with it matches whole."""
BALANCE = 0.5


class Question(NamedTuple):
    """What somebody wants to know, in all that a dialect may ask with.

    `words` stand together in a capsule that may ground; `others` are wordings of other questions; `entity` is borne by some.
    """

    words: Sequence[str]
    others: Sequence[str]
    vector: Sequence[float]
    entity: str

    @property
    def text(self) -> str:
        """The words as one text."""
        return " ".join(self.words)


class Request(NamedTuple):
    """One call under the name by which the table shows it.

    `beside` is the request of the same run that it is compared with; `shows` is the key of the answer's list of rows.
    """

    name: str
    tool: str
    arguments: Mapping[str, Any]
    beside: str
    shows: str


BY_WORDS, FUSED = "memory_retrieve, 3 words", "memory_retrieve, fused"


def timed_requests(question: Question) -> Iterator[Request]:
    """Yield what is timed: the first two are what the others are compared with."""
    terms, query, near = list(question.words), question.text, {"query_embedding": list(question.vector)}
    yield Request(BY_WORDS, "memory_retrieve", {"terms": terms, "limit": FEW}, BY_WORDS, "results")
    yield Request(FUSED, "memory_retrieve", {"terms": terms, "limit": FEW, **near}, FUSED, "results")
    yield from _searches(question)
    yield Request("recall, 3 words", "recall", {"query": query}, BY_WORDS, "result")
    yield Request("recall, fused", "recall", {"query": query, **near}, FUSED, "result")
    deep = {"query": query, "k": DEEP, "mmr": BALANCE, **near}
    yield Request(f"recall, fused, mmr {BALANCE}, k {DEEP}", "recall", deep, FUSED, "result")
    yield Request("recall, trusted_only", "recall", {"query": query, "trusted_only": True}, BY_WORDS, "result")
    yield Request("memory_recall, 3 words", "memory_recall", {"query": query}, BY_WORDS, "results")
    yield Request("memory_recall, fused", "memory_recall", {"query": query, **near}, FUSED, "results")
    hops = {"query": query, "graph_depth": 1, "expand_context": True, **near}
    yield Request("memory_recall, fused, with related and expansion", "memory_recall", hops, FUSED, "results")
    yield Request(
        "memory_recall, fused, mode timeline", "memory_recall", {"query": query, "mode": "timeline", **near}, FUSED, "results"
    )
    yield Request("memory_search_fast, fused", "memory_search_fast", {"query": query, **near}, FUSED, "results")
    yield Request("memory_explain_search, fused", "memory_explain_search", {"query": query, **near}, FUSED, "hits")
    yield from _views(question)


def _searches(question: Question) -> Iterator[Request]:
    within = {"scope": "project", "scope_id": PROJECT}
    strict = {"query": question.text, **within}
    yield Request("memory_search, strict", "memory_search", {"selection": strict}, BY_WORDS, "memories")
    wordings = {**strict, "query_variants": list(question.others)}
    name = f"memory_search, {len(question.others)} variants"
    yield Request(name, "memory_search", {"selection": wordings}, BY_WORDS, "memories")
    beyond = {**within, "query": f"{question.text} {ABSENT}", "search_mode": "auto"}
    yield Request("memory_search, relaxed", "memory_search", {"selection": beyond}, BY_WORDS, "memories")


def _views(question: Question) -> Iterator[Request]:
    yield Request("memory_entity", "memory_entity", {"name": question.entity}, BY_WORDS, "capsules")
    yield Request("memory_relations", "memory_relations", {"entity": question.entity}, BY_WORDS, "relations")
    yield Request("where_am_i", "where_am_i", {}, BY_WORDS, "stores")
    yield Request("projects", "projects", {}, BY_WORDS, "projects")


def counted_requests(question: Question, capsule: str) -> Iterator[Request]:
    """Yield what is counted in tokens: each reading tool in each of its views; `capsule` is an id."""
    terms, query, near = list(question.words), question.text, {"query_embedding": list(question.vector)}
    yield Request("memory_retrieve, by its budget of 1,500", "memory_retrieve", {"terms": terms, **near}, "", "results")
    yield Request(f"memory_retrieve, limit {FEW}", "memory_retrieve", {"terms": terms, "limit": FEW, **near}, "", "results")
    yield Request("memory_retrieve, token_budget 0", "memory_retrieve", {"terms": terms, "token_budget": 0}, "", "results")
    yield Request("memory_get", "memory_get", {"id": capsule}, "", "")
    yield Request("memory_list", "memory_list", {"limit": 10}, "", "capsules")
    yield from _searches(question)
    for view in ({}, {"full": True}, {"snippet_chars": 150}, {"with_warrant": True}):
        yield Request(_named("recall", view), "recall", {"query": query, **near, **view}, "", "result")
    yield from (
        Request(_named("memory_recall", view), "memory_recall", {"query": query, **near, **view}, "", "results")
        for view in _RECALLED
    )
    yield Request("memory_search_fast", "memory_search_fast", {"query": query, **near}, "", "results")
    yield Request("memory_explain_search", "memory_explain_search", {"query": query, **near}, "", "hits")
    about = {"query": query, **near, "id": capsule}
    yield Request("memory_explain_search, with id", "memory_explain_search", about, "", "hits")
    yield from _views(question)
    yield Request("memory_history", "memory_history", {"id": capsule}, "", "rows")
    yield Request("memory_search_scopes", "memory_search_scopes", {}, "", "destinations")


_DETAILS = ("full", "summary", "compact", "auto")
_RECALLED: Sequence[Mapping[str, Any]] = (
    *({"detail": detail} for detail in _DETAILS),
    {"mode": "index"},
    {"mode": "timeline"},
    {"graph_depth": 1, "expand_context": True},
)


def _named(tool: str, view: Mapping[str, Any]) -> str:
    """Return a tool's name with the parameters that choose a view; a flag by its name alone."""
    parts = (name if value is True else f"{name} {value}" for name, value in view.items())
    return ", ".join((tool, *parts))
