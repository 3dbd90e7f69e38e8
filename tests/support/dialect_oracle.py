"""The oracle's reading of a store for the dialects of plain questions: match, weigh, fence and judge by the obvious loops.

Written from the rules alone. It shares the domain's values with the product, and with the other oracle (`support.oracle`) the
world that it reads and the folding of words; nothing of the product's ranking, matching, fencing or counting.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, CapsuleText, LabelField
from recordance.domain.instant import Instant
from support.oracle import World
from support.word_oracle import PLAIN, Services, Way, met, words

Arguments = Mapping[str, Any]
Admits = Callable[[Capsule, CapsuleText], bool]
"""Whether a capsule lies inside a scope."""
REASONS = ("quarantined", "falsified", "archived", "superseded", "expired", "not_yet_valid", "proposed")
"""Why a match may not ground where no window asks for dates, in the order in which reasons claim (F6)."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A store at one reading of the clock, as one caller sees it, with the text services that it has (T5, T9)."""

    world: World
    now: Instant
    caller: Caller
    services: Services = PLAIN

    # ── who is there ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def corpus(self) -> tuple[int, ...]:
        """Every unforgotten capsule inside the caller's own fence, by number."""
        return tuple(number for number in sorted(self.world.texts) if self.sees(self.world.capsules[number]))

    def sees(self, capsule: Capsule) -> bool:
        """Whether a capsule, forgotten or not, lies inside the caller's own fence (F13)."""
        project = capsule.labels.get(LabelField.PROJECT)
        allowed = self.caller.projects
        return allowed is None or (project is not None and any(f"{project}/".startswith(f"{each}/") for each in allowed))

    def inside(self, *fences: Admits) -> list[int]:
        """Return the capsules that every fence admits, by number."""
        return [number for number in self.corpus if all(fence(*self.of(number)) for fence in fences)]

    def of(self, number: int) -> tuple[Capsule, CapsuleText]:
        """Return a capsule with its text."""
        return self.world.capsules[number], self.world.texts[number]

    def active(self, numbers: Iterable[int], at: Instant | None = None, waived: Collection[str] = ()) -> list[int]:
        """Return those of these capsules that may ground."""
        return [number for number in numbers if self.reason(number, at, waived) is None]

    def reason(self, number: int, at: Instant | None = None, waived: Collection[str] = ()) -> str | None:
        """Return the first reason that holds against a capsule, or None (F6, F9)."""
        moment = self.now if at is None else at
        capsule = self.world.capsules[number]
        standing, validity = capsule.standing, capsule.validity
        holds = (
            standing.quarantined_at is not None,
            standing.falsified_at is not None,
            standing.archived_at is not None,
            standing.superseded_at is not None and standing.superseded_at <= moment,
            validity.valid_to is not None and validity.valid_to <= moment,
            moment < validity.valid_from,
            standing.review in ("proposed", "rejected"),
        )
        return next((name for name, held in zip(REASONS, holds, strict=True) if held and name not in waived), None)

    def browsed(self, number: int) -> tuple[float, float, Instant, int]:
        """The order of browsing: importance, confidence, last update, id (L8)."""
        capsule = self.world.capsules[number]
        return -capsule.importance, -capsule.confidence, Instant(-capsule.updated_at), number

    # ── what they say ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def plain(self) -> Mapping[int, list[str]]:
        """The folded words of each content."""
        return {number: words(self.world.texts[number].content) for number in self.corpus}

    @cached_property
    def contents(self) -> Mapping[int, Counter[str]]:
        """What a query can find in each content, with how often it stands there: words, and what the services make of them."""
        return {number: Counter(self.services.made_of(found)) for number, found in self.plain.items()}

    def ways(self, text: str) -> list[Way]:
        """Return every way in which a term can match."""
        return self.services.ways(text, self.world.aliases)

    def met(self, number: int, ways: Sequence[Way]) -> list[Way]:
        """Return the ways that a content meets."""
        return met(set(self.contents[number]), ways)

    def entities(self, number: int) -> list[str]:
        """Return the entities that a capsule bears, in the form that compares them, each once."""
        return list(dict.fromkeys(each.casefold() for each in self.world.texts[number].entities))

    def alike(self, one: int, other: int) -> float:
        """Return how alike two capsules are: by their vectors where both have one, else by the words that they share (L11)."""
        vectors = self.world.vectors
        if one in vectors and other in vectors:
            return min(self.cosines(vectors[one], [other]).get(other, 0.0), 1.0)
        first, second = set(self.plain[one]), set(self.plain[other])
        return len(first & second) / len(first | second) if first | second else 0.0

    def idf(self, word: str) -> float:
        """Return how much a word weighs in the whole corpus of the caller (L17)."""
        count = self._having[word]
        return math.log1p((len(self.corpus) - count + 0.5) / (count + 0.5))

    @cached_property
    def _having(self) -> Counter[str]:
        return Counter(word for content in self.contents.values() for word in content)

    def bm25(self, number: int, matched: Collection[str], b: float = 0.75) -> float:
        """Return what matching words are worth in a content, each once (L17)."""
        counts = self.contents[number]
        norm = 1.2 * (1.0 - b + b * len(self.plain[number]) / self._mean_length)
        return math.fsum(self.idf(word) * counts[word] * 2.2 / (counts[word] + norm) for word in sorted(set(matched)))

    @cached_property
    def _mean_length(self) -> float:
        return sum(map(len, self.plain.values())) / len(self.corpus)

    def cosines(self, asked: Sequence[float], numbers: Iterable[int]) -> dict[int, float]:
        """Return the cosines above zero of those of these capsules that have a vector (L3)."""
        found = {}
        for number in numbers:
            vector = self.world.vectors.get(number)
            if vector is not None:
                cosine = math.fsum(x * y for x, y in zip(asked, vector, strict=True)) / (_length(asked) * _length(vector))
                if cosine > 0:
                    found[number] = cosine
        return found

    def unlike(self, asked: Sequence[float]) -> bool:
        """Whether an embedding has another dimension than the store's vectors (L2)."""
        return any(len(each) != len(asked) for each in self.world.vectors.values())


def _length(vector: Sequence[float]) -> float:
    return math.sqrt(math.fsum(each * each for each in vector))


def bears(field: LabelField, *labels: str | None) -> Admits:
    """The fence that admits these labels in a field; None is bearing none."""
    return lambda capsule, _: capsule.labels.get(field) in labels


def no_telemetry(capsule: Capsule, _: CapsuleText) -> bool:
    """What the service notes about itself answers nobody (F9)."""
    return capsule.labels.get(LabelField.KIND) != "telemetry"


def by_ranks(rankings: Iterable[Sequence[int]]) -> Iterator[tuple[int, float, int]]:
    """Yield each number with the sum of its reciprocal ranks and in how many rankings it stands (L5), in no order."""
    sums: dict[int, list[float]] = {}
    for ranking in rankings:
        for rank, number in enumerate(ranking, start=1):
            sums.setdefault(number, []).append(1.0 / (60 + rank))
    for number, parts in sums.items():
        yield number, math.fsum(parts), len(parts)
