"""The oracle's reading of a store for the dialects of plain questions: match, weigh, fence and judge by the obvious loops.

Written from the rules alone. It shares the domain's values with the product, and with the other oracle (`support.oracle`) the
world that it reads and the folding of Latin text; nothing of the product's ranking, matching, fencing or counting.
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
from support.oracle import World, unspaced, words

Arguments = Mapping[str, Any]
Admits = Callable[[Capsule, CapsuleText], bool]
"""Whether a capsule lies inside a scope."""
Stem = Callable[[str], str]
REASONS = ("quarantined", "falsified", "archived", "superseded", "expired", "not_yet_valid", "proposed")
"""Why a match may not ground where no window asks for dates, in the order in which reasons claim (F6)."""


@dataclass(frozen=True)
class Way:
    """One way in which a term can match: what shows it, the words that must all be there, whether those are the term's own."""

    label: str
    words: tuple[str, ...]
    exact: bool = True


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A store at one reading of the clock, as one caller sees it; `stem` and `cut` are the text services that it has (T5, T9)."""

    world: World
    now: Instant
    caller: Caller
    stem: Stem | None = None
    cut: bool = False

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
        return {number: Counter(each for word in found for each in self._made_of(word)) for number, found in self.plain.items()}

    def _made_of(self, word: str) -> Iterator[str]:
        """Yield a word with its marked forms; a mark ends in a space, which no word has."""
        yield word
        if self.stem is not None:
            yield f"stem {self.stem(word)}"
        if self.cut and unspaced(word):
            yield from (f"piece {piece}" for piece in (*word, *_pairs(word)))

    def ways(self, text: str) -> list[Way]:
        """Return every way in which a term can match: itself, an alias of the whole of it (T7), what the services add."""
        own = words(text)
        found = [Way(text, tuple(own))]
        found += [
            Way(f"alias:{each.text}", tuple(words(each.text))) for each in self.world.aliases if each.term_key == " ".join(own)
        ]
        if self.stem is not None:
            found.append(Way(f"stem:{text}", tuple(f"stem {self.stem(word)}" for word in own), exact=False))
        if self.cut and any(map(unspaced, own)):
            found.append(Way(f"segment:{text}", tuple(each for word in own for each in _asked_of(word)), exact=False))
        return found

    def met(self, number: int, ways: Sequence[Way]) -> list[Way]:
        """Return the ways that a content meets; where one is met exactly, the services have no say (T9)."""
        found = [way for way in ways if all(word in self.contents[number] for word in way.words)]
        return [way for way in found if way.exact] or found

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

    def bm25(self, number: int, matched: Collection[str]) -> float:
        """Return what matching words are worth in a content, each once (L17)."""
        counts = self.contents[number]
        norm = 1.2 * (1.0 - 0.75 + 0.75 * len(self.plain[number]) / self._mean_length)
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


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)]


def _asked_of(word: str) -> list[str]:
    """Return what must be there for a word to lie in a run: itself, or its pairs, or its only character."""
    return [f"piece {each}" for each in _pairs(word) or [word]] if unspaced(word) else [word]


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
