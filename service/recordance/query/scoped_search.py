"""A search within scopes: plain words in one or several wordings, all words of each at once (L8, L9, F10).

It is read here from what a caller sends into one frozen request over a `RecallRequest`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum

from recordance.domain.capsule import LabelField
from recordance.errors import InvalidArgument
from recordance.query.fence import EitherFence, Fence, LabelFence, Scope
from recordance.query.request import RecallRequest
from recordance.query.terms import MAX_TERM_CHARACTERS, Term, read_term

MAX_VARIANTS = 5
"""How many further wordings one search takes (L8)."""
MAX_VARIANT_CHARACTERS = 100
"""How long each of them may be (L8)."""
MAX_PAGE = 100
"""How many results a page has at most."""
DEFAULT_PAGE = 20
"""How many it has where the caller does not say."""


class SearchMode(StrEnum):
    """What becomes of a search that finds nothing."""

    STRICT = "strict"
    """Nothing: it is the answer."""
    AUTO = "auto"
    """One bounded pass over the fragments of what was asked (L9)."""


class ScopeKind(StrEnum):
    """By what a search is narrowed (F10)."""

    GLOBAL = "global"
    PROJECT = "project"
    DOMAIN = "domain"


class Globals(Enum):
    """Whether a project or a domain is searched together with what belongs to neither."""

    INCLUDED = "included"
    LEFT_OUT = "left out"


_LABELS = {ScopeKind.PROJECT: LabelField.PROJECT, ScopeKind.DOMAIN: LabelField.DOMAIN}
_UNBOUND = tuple(LabelFence(field, frozenset({None})) for field in _LABELS.values())
"""The fences of what is global: neither a project nor a domain."""


@dataclass(frozen=True, slots=True)
class SearchedScope:
    """What a search is narrowed to; `label` names the project or the domain, None where only what is global is meant."""

    kind: ScopeKind = ScopeKind.GLOBAL
    label: str | None = None
    beside: Globals = Globals.INCLUDED

    @property
    def fences(self) -> tuple[Fence, ...]:
        """The scope as fences (F10)."""
        if self.kind is ScopeKind.GLOBAL:
            return _UNBOUND
        own = LabelFence(_LABELS[self.kind], frozenset({self.label}))
        return (own,) if self.beside is Globals.LEFT_OUT else (EitherFence((Scope((own,)), Scope(_UNBOUND))),)


def read_scope(kind: ScopeKind, label: str | None, beside: Globals, field: str) -> SearchedScope:
    """Return the scope that a caller names; raises InvalidArgument where a label is missing, or named for what has none."""
    name = f"{field}scope_id"
    if kind is ScopeKind.GLOBAL:
        if label is not None:
            expected = "scope project or domain beside it, or no scope_id"
            raise InvalidArgument(name, label, expected, "what is global belongs to no project and no domain")
        return SearchedScope()
    if label is None:
        raise InvalidArgument(name, None, f"the {kind.value} that is meant", f"scope {kind.value} does not say which")
    return SearchedScope(kind, label, beside)


@dataclass(frozen=True, slots=True)
class Wordings:
    """What is looked for: each wording a term all of whose words must stand in a content, the caller's own query first (L8).

    `variants` are the texts of those that were sent beside the query; of two that fold to the same words the first stays.
    """

    terms: tuple[Term, ...] = ()
    variants: tuple[str, ...] = ()


def read_wordings(query: str, variants: Sequence[str], field: str) -> Wordings:
    """Return the wordings; a blank query is none. Raises InvalidArgument for one that could never match, or is too long."""
    terms: dict[str, Term] = {}
    if query.strip():
        _check_length(query, MAX_TERM_CHARACTERS, f"{field}query")
        own = read_term(query, f"{field}query")
        terms[own.key] = own
    used: list[str] = []
    for place, text in enumerate(variants):
        name = f"{field}query_variants[{place}]"
        _check_length(text, MAX_VARIANT_CHARACTERS, name)
        term = read_term(text, name)
        if term.key not in terms:
            terms[term.key] = term
            used.append(text)
    return Wordings(tuple(terms.values()), tuple(used))


def _check_length(text: str, most: int, field: str) -> None:
    if len(text) > most:
        raise InvalidArgument(field, text, f"at most {most} characters", f"{len(text)} characters are too many for one wording")


class Strategy(StrEnum):
    """How the candidates came together (O7)."""

    STRICT = "strict"
    """One wording, all of whose matches are a page's to turn to."""
    BROWSE = "browse"
    """No words at all: everything inside the scope."""
    FUSED = "rrf_variants"
    """Several rankings, each cut, fused by reciprocal ranks."""
    RELAXED = "relaxed"
    """Fragments of the wordings, any of which may match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopedSearch:
    """A checked search.

    `base` holds its wordings as terms, its embedding, and every fence, those of `where` among them. `variants` are the texts of
    the wordings beside the query itself that are looked for; `strategy` is how the search begins.
    """

    base: RecallRequest
    strategy: Strategy
    where: SearchedScope = SearchedScope()
    mode: SearchMode = SearchMode.STRICT
    variants: tuple[str, ...] = ()
    limit: int = DEFAULT_PAGE
    offset: int = 0


def strategy_of(base: RecallRequest, sent: Sequence[str]) -> Strategy:
    """Return how a search of these terms begins; `sent` are the variants as the caller sent them."""
    if base.embedding is not None or sent:
        return Strategy.FUSED
    return Strategy.STRICT if base.terms else Strategy.BROWSE
