"""What a search within scopes found in one destination: its pool, its counts, and a page of rows (O7, L8, L9, F10).

Rows and counts are told as they are; no word of them claims that something was never recorded.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from recordance.answer.envelope import FRAMING, LABEL, Shown
from recordance.domain.capsule import Capsule, CapsuleText, LabelField
from recordance.domain.destination import BARE, Naming
from recordance.domain.instant import format_instant
from recordance.errors import Json
from recordance.query.exclusion import ExclusionReason
from recordance.query.scoped_search import ScopeKind, SearchedScope, Strategy
from recordance.ranking.relaxation import Screened

RELAXED_NOTICE = "Matches some fragments of what was asked only; check that it is relevant."


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxed:
    """One relaxed pass: what became of the fragments, how many candidates it looked at, and how many covered enough (L9).

    `matches` is how many have any of the fragments: more than were `recalled` where the cap was met.
    """

    screened: Screened
    matches: int = 0
    recalled: int = 0
    surviving: int = 0

    @property
    def capped(self) -> bool:
        """Whether some candidate was not looked at."""
        return self.matches > self.recalled

    @property
    def uninspected(self) -> bool:
        """Whether one of those could have survived: the best covered are looked at first, so not once one of them failed."""
        return self.capped and self.recalled == self.surviving


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the other fences let the caller see beyond the scope: how many capsules, and projects that have some (case F8)."""

    capsules: int = 0
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The candidates of a search in one destination, and the page that is shown of them.

    `active` counts what the scope holds before any word is looked at; `size` the candidates, a floor where `capped`; `total` all
    matches of a single wording, None where there are several; `per_query` those of each wording, by its text; `vector` the
    candidates that the vector lane brought, None where it did not run; `excluded` what matched and may not ground. `shown` begins
    with the candidate at place `first`. `relaxed` is set where that pass was tried, whatever came of it.
    """

    naming: Naming = BARE
    strategy: Strategy
    active: int
    size: int
    capped: bool = False
    total: int | None = None
    per_query: Mapping[str, int] = field(default_factory=dict[str, int])
    vector: int | None = None
    excluded: Mapping[ExclusionReason, int] = field(default_factory=dict[ExclusionReason, int])
    shown: tuple[Shown, ...] = ()
    first: int = 0
    relaxed: Relaxed | None = None
    elsewhere: Elsewhere = Elsewhere()

    @property
    def unseen(self) -> bool:
        """Whether the pool has more behind what is shown."""
        return self.first + len(self.shown) < self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Everything that one row is made of; `found` is how it was found, as fields that close the row."""

    naming: Naming
    where: SearchedScope
    capsule: Capsule
    text: CapsuleText
    supersedes: Sequence[int]
    found: Mapping[str, Json]


def shown_row(row: Row) -> Shown:
    """Return the row as merging takes it; its fields are made when they are asked for."""
    return Shown(partial(row_view, row), row.capsule.number, row.capsule.content_digest)


def row_view(row: Row) -> dict[str, Json]:
    """Return the row as a wire object: data, never an instruction (case K1); what does not apply is absent."""
    return {name: value for name, value in _fields(row) if value is not None and value != []}


def _fields(row: Row) -> Iterator[tuple[str, Json]]:
    capsule, text, labels = row.capsule, row.text, row.capsule.labels
    yield "label", LABEL
    yield "framing", FRAMING
    yield "id", row.naming.id(capsule.number)
    yield "title", text.headline
    yield "content", text.content
    yield "instruction_taint", bool(capsule.taint)
    yield from _scope(row)
    yield "type", labels.get(LabelField.TYPE)
    yield "tags", list(text.tags)
    yield "confidence", capsule.confidence
    yield "importance", capsule.importance
    yield "valid_from", format_instant(capsule.validity.valid_from)
    yield "valid_to", None if capsule.validity.valid_to is None else format_instant(capsule.validity.valid_to)
    yield "created_at", format_instant(capsule.captured_at)
    yield "updated_at", format_instant(capsule.updated_at)
    yield "revision", capsule.revision
    yield "source", text.source
    yield "supersedes", [row.naming.id(number) for number in row.supersedes]
    yield from row.found.items()


def _scope(row: Row) -> Iterator[tuple[str, Json]]:
    """Yield where the capsule belongs; where it bears both labels, that by which it was asked for."""
    project, domain = row.capsule.labels.get(LabelField.PROJECT), row.capsule.labels.get(LabelField.DOMAIN)
    asked = row.where.kind is ScopeKind.DOMAIN and domain == row.where.label
    if project is not None and not asked:
        yield "scope", ScopeKind.PROJECT.value
        yield "scope_id", project
    elif domain is not None:
        yield "scope", ScopeKind.DOMAIN.value
        yield "scope_id", domain
    else:
        yield "scope", ScopeKind.GLOBAL.value
