"""Term documents, and what is asked of them: factories for plain tests, strategies for drawn ones.

`document` makes one from a content and any field of a capsule. `batches` draws a history of writes to a replica; `query_about`
makes up a question that its documents can meet, by a seeded chance, so that many can be asked of one history.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from recordance.domain.capsule import LabelField
from recordance.domain.instant import EARLIEST, LATEST, Instant
from recordance.domain.validity import TimeWindow
from recordance.ports.terms import TermReplica
from recordance.query.document import Order, TermDocument, TermQuery, term_document
from recordance.query.exclusion import JUDGED, Eligibility
from recordance.query.fence import (
    CreationFence,
    EitherFence,
    Fence,
    LabelBarrier,
    LabelFence,
    MarkFence,
    MarkField,
    MemberFence,
    Scope,
    SubtreeFence,
)
from recordance.query.folding import fold_key, fold_words
from recordance.query.terms import expand, read_terms
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from support.truths import NOON, PROJECTS, WORDS, days, drawn_captures, make_capture

REPLICAS = ("in_memory", "tantivy")
"""Every adapter of the port, by name; a contract test runs against each."""


@contextmanager
def adopted(adapter: str, folder: Path) -> Iterator[TermReplica]:
    """A replica of an adapter, closed at the end; one that keeps files is that of the lowest free slot below `folder`."""
    if adapter == "in_memory":
        yield MemoryReplica()
        return
    from support.slots import adopted_terms

    with adopted_terms(folder) as replica:
        yield replica


def document(number: int, content: str = "pin tokio at 1.38", **given: Any) -> TermDocument:
    """A document with these fields of Capsule and CapsuleText."""
    capture = make_capture(number, content, **given)
    return term_document(capture.capsule, capture.text)


def put(replica: TermReplica, documents: Sequence[TermDocument], seq: int | None = None) -> None:
    """Put documents into a replica as its next step."""
    replica.replace([each.number for each in documents], documents, replica.applied + 1 if seq is None else seq)


def asking(*terms: str, aliases: Mapping[str, Sequence[str]] | None = None, **given: Any) -> TermQuery:
    """A query for terms, with any other field of it; unfenced and judged at noon if nothing else is said."""
    taught = {
        term: [(alias, tuple(dict.fromkeys(fold_words(alias)))) for alias in known] for term, known in (aliases or {}).items()
    }
    query = {"scope": Scope(), "eligibility": Eligibility(at=NOON)} | given
    return TermQuery(groups=expand(read_terms(terms), taught), **query)


def zipf_content(chance: random.Random, words: int, vocabulary: int = 400) -> str:
    """A text of so many words, of which few are common and most are rare."""
    ranks = (int(vocabulary ** chance.random()) for _ in range(words))
    return " ".join(f"w{rank}" for rank in ranks)


# ── what is drawn ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

NUMBERS = (*range(1, 9), 2**40)


@dataclass(frozen=True)
class Batch:
    """One write to a replica: what is put, and which other numbers are gone."""

    documents: tuple[TermDocument, ...]
    gone: frozenset[int]

    @property
    def numbers(self) -> list[int]:
        """Every number that the write is about."""
        return [*(each.number for each in self.documents), *self.gone]


@st.composite
def drawn_documents(draw: st.DrawFn, number: int) -> TermDocument:
    """A document with every field drawn."""
    capture = draw(drawn_captures(number))
    return term_document(capture.capsule, capture.text)


@st.composite
def batches(draw: st.DrawFn, most: int = 4) -> list[Batch]:
    """A history of writes in which capsules come, change and go."""
    history = []
    for _ in range(draw(st.integers(1, most))):
        numbers = draw(st.sets(st.sampled_from(NUMBERS), max_size=len(NUMBERS)))
        gone = draw(st.sets(st.sampled_from(NUMBERS), max_size=2)) - numbers
        history.append(Batch(tuple(draw(drawn_documents(number)) for number in sorted(numbers)), frozenset(gone)))
    return history


def query_about(documents: Sequence[TermDocument], chance: random.Random) -> TermQuery:
    """A question whose words, labels, marks and instants are mostly those of the documents."""
    terms = [_phrase(documents, chance) for _ in range(chance.randint(1, 4))]
    aliases = {term: [_phrase(documents, chance) for _ in range(chance.randint(0, 2))] for term in map(fold_key, terms)}
    query = asking(*terms, aliases=aliases, scope=scope_about(documents, chance), eligibility=_eligibility(documents, chance))
    least = chance.choice([1, 1, chance.randint(1, len(query.groups))])
    return replace(query, least_coverage=least, order=chance.choice(list(Order)))


def scope_about(documents: Sequence[TermDocument], chance: random.Random) -> Scope:
    """Up to three fences of any kind."""
    return Scope(tuple(chance.choice(_FENCES)(documents, chance) for _ in range(chance.choice([0, 0, 1, 1, 2, 3]))))


def _phrase(documents: Sequence[TermDocument], chance: random.Random) -> str:
    """One to three words; those of one document often enough that all of them stand somewhere."""
    words = [word for word in WORDS if fold_words(word)]
    if documents and chance.random() < 0.6:
        words = chance.choice(documents).words or words
    return " ".join(chance.choices(words, k=chance.choice([1, 1, 1, 2, 3])))


def _eligibility(documents: Sequence[TermDocument], chance: random.Random) -> Eligibility:
    instants = _instants(documents)
    start, end = (chance.choice([None, chance.choice(instants)]) for _ in range(2))
    window = None if start is None and end is None else TimeWindow(start, end)
    admit = chance.sample([reason for reason, _ in JUDGED], chance.choice([0, 0, 1, 2, 4, 6]))
    return Eligibility(at=chance.choice([NOON, chance.choice(instants)]), window=window, admit=frozenset(admit))


def _instants(documents: Sequence[TermDocument]) -> list[Instant]:
    """Instants at, just before and just after those that occur, at the ends of time, and where double floats end."""
    met = {NOON, EARLIEST, LATEST, 2**53, -(2**53), 2**53 + days(1)}
    for each in documents:
        capsule = each.capsule
        met |= {capsule.captured_at, capsule.validity.valid_from, capsule.validity.valid_to, capsule.standing.superseded_at}
        met |= {capsule.event.event_from, capsule.event.event_to} if capsule.event else set()
    around = {instant + step for instant in met if instant is not None for step in (-1, 0, 1)}
    return [Instant(instant) for instant in sorted(around) if EARLIEST <= instant <= LATEST]


def _some(chance: random.Random, values: Iterable[Any], most: int = 3) -> frozenset[Any]:
    drawn = sorted(values, key=str)
    return frozenset(chance.sample(drawn, min(len(drawn), chance.randint(0, most))))


def _label_fence(documents: Sequence[TermDocument], chance: random.Random) -> LabelFence:
    field = chance.choice(list(LabelField))
    return LabelFence(field, _some(chance, {None, "unknown", "*", *_borne(documents, field)}))


def _label_barrier(documents: Sequence[TermDocument], chance: random.Random) -> LabelBarrier:
    field = chance.choice([LabelField.KIND, *LabelField])
    return LabelBarrier(field, _some(chance, {"unknown", *_borne(documents, field)}))


def _borne(documents: Sequence[TermDocument], field: LabelField) -> set[str]:
    return {each.capsule.labels[field] for each in documents if field in each.capsule.labels}


def _subtree_fence(documents: Sequence[TermDocument], chance: random.Random) -> SubtreeFence:
    projects = _borne(documents, LabelField.PROJECT)
    above = {project.split("/")[0] for project in projects}
    return SubtreeFence(_some(chance, {"no", "", "nott/", chance.choice(PROJECTS), *projects, *above}))


def _mark_fence(documents: Sequence[TermDocument], chance: random.Random) -> MarkFence:
    field = chance.choice(list(MarkField))
    return MarkFence(field, _some(chance, {"unknown"}.union(*(each.marks[field] for each in documents))))


def _creation_fence(documents: Sequence[TermDocument], chance: random.Random) -> CreationFence:
    captured = [each.capsule.captured_at + step for each in documents for step in (-1, 0, 1)]
    instants = [None, None, EARLIEST, LATEST, *map(Instant, captured)]
    return CreationFence(chance.choice(instants), chance.choice(instants))


def _member_fence(_: Sequence[TermDocument], chance: random.Random) -> MemberFence:
    return MemberFence(_some(chance, {10**6, *NUMBERS}, most=6))


def _either_fence(documents: Sequence[TermDocument], chance: random.Random) -> EitherFence:
    """Up to three scopes, of which one may be without fences and some hold such a fence again."""
    return EitherFence(tuple(scope_about(documents, chance) for _ in range(chance.choice([0, 1, 1, 2, 2, 3]))))


_FENCES: Sequence[Callable[[Sequence[TermDocument], random.Random], Fence]] = (
    _label_fence,
    _label_barrier,
    _subtree_fence,
    _mark_fence,
    _creation_fence,
    _member_fence,
    _either_fence,
)
