"""The oracle of the pipeline's lanes: words, meaning, near spellings and links, each found by looking at everything (L10).

Its numbers are stated here by themselves, so that a default that changes by mistake is a disagreement.
"""

import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.domain.instant import EARLIEST, Instant
from support.dialect_oracle import Reading
from support.word_oracle import PIECE, Way, unspaced, words

POOL, HALF_LIFE = 60, 90.0
"""How much one lane may find (measured, no rule), and the days in which a weight halves (L6)."""
LETTERS, LONG_LETTERS = range(4, 33), range(8, 33)
MOST_MISSING, MOST_TWICE, MOST_SPELLINGS = 16, 4, 32
SEEDS, SEED_ENTITIES, CROWD = 5, 12, 200
DAY = 86_400_000_000
LATIN = set("abcdefghijklmnopqrstuvwxyz0123456789")


@dataclass(frozen=True)
class Hit:
    """What a lane says for a capsule: the score that ranks it, and the same as a share of all there is."""

    number: int
    score: float
    share: float


@dataclass(frozen=True)
class LaneOracle:
    """Looks for what answers a question among the capsules that may ground, in one reading of a store."""

    reading: Reading
    question: str
    active: Sequence[int]

    @property
    def asked(self) -> list[str]:
        """The distinct words of the question, in order."""
        return list(dict.fromkeys(words(self.question)))

    @functools.cached_property
    def ways(self) -> dict[str, list[Way]]:
        """In which ways each word of the question can match; of a run of more than two characters each piece by itself (T5).

        Such a run stays beside its pieces where an alias is taught for it.
        """
        ways: dict[str, list[Way]] = {}
        for word in self.asked:
            pieces = self.reading.services.fragments(word) if unspaced(word) and len(word) > 2 else []
            own = self.reading.ways(word)
            if not pieces or any(way.label.startswith("alias:") for way in own):
                ways[word] = own
            for piece in pieces:
                if piece.removeprefix(PIECE) not in self.asked:
                    ways[piece] = [Way(f"segment:{piece.removeprefix(PIECE)}", (piece,), exact=False)]
        return ways

    # ── words ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def by_words(self) -> list[Hit]:
        """Return what has any of the question's words or their aliases, by the weight of those (L10)."""
        return self.all_by_words()[:POOL]

    def all_by_words(self) -> list[Hit]:
        """Return the same without a bound."""
        return self._weighed(self.ways)

    def by_spelling(self) -> list[Hit]:
        """Return what has a near spelling of a word that no capsule has."""
        near = self._near
        share = len(near) / len(self.asked)
        ways = {word: [Way(f"fuzzy:{each}", (each,)) for each in spellings] for word, spellings in near.items()}
        return [Hit(each.number, each.score, each.share * share) for each in self._weighed(ways)[:POOL]]

    def matched(self, number: int) -> list[str]:
        """Return the words and aliases of the question that a content meets, in order."""
        return self._labels(number, self.ways.values())

    def spelled(self, number: int) -> list[str]:
        """Return the near spellings that a content has, in order."""
        return self._labels(number, [[Way(f"fuzzy:{each}", (each,)) for each in near] for near in self._near.values()])

    def weight(self, number: int, b: float = 0.75) -> float:
        """Return the BM25 of the question's words in a content, whose length weighs `b`."""
        met = [way for ways in self.ways.values() for way in self.reading.met(number, ways)]
        return self.reading.bm25(number, _of(met), b)

    def share(self, number: int) -> float:
        """Return how much of the question's words, by their rarity, a content covers (O12)."""
        return self._share(number, self.ways)

    def _weighed(self, ways: Mapping[str, list[Way]]) -> list[Hit]:
        hits = []
        for number in self.active:
            met = [way for each in ways.values() for way in self.reading.met(number, each)]
            if met:
                hits.append(Hit(number, self.reading.bm25(number, _of(met)), self._share(number, ways)))
        return sorted(hits, key=lambda hit: (-hit.score, *self.late(hit.number)))

    def _share(self, number: int, ways: Mapping[str, list[Way]]) -> float:
        held = self.reading.plain[number]
        covered = [word for word, each in ways.items() if word in held or self.reading.met(number, each)]
        if len(covered) == len(ways):
            return 1.0
        return math.fsum(map(self.reading.idf, covered)) / math.fsum(map(self.reading.idf, ways))

    def _labels(self, number: int, ways: Iterable[list[Way]]) -> list[str]:
        return list(dict.fromkeys(way.label for each in ways for way in self.reading.met(number, each)))

    @functools.cached_property
    def _near(self) -> dict[str, list[str]]:
        """The question's words that stand nowhere, with the words of the corpus that one slip makes of each, or else two."""
        standing = {word for number in self.reading.corpus for word in self.reading.plain[number]}
        missing = [word for word in self.asked if word not in standing][:MOST_MISSING]
        near = {word: [each for each in standing if _is_one_slip(word, each)] for word in missing}
        long = [word for word in missing if not near[word] and len(word) in LONG_LETTERS and not unspaced(word)]
        near |= {word: [each for each in standing if _are_two_slips(word, each)] for word in long[:MOST_TWICE]}
        return {word: sorted(each)[:MOST_SPELLINGS] for word, each in near.items() if each}

    def late(self, number: int) -> tuple[float, Instant, Instant, int, int]:
        """The order of what its words leave equal: weight, validity, last use, count, id (L6)."""
        capsule = self.reading.world.capsules[number]
        age = max(0, self.reading.now - capsule.validity.valid_from) / DAY
        last = EARLIEST if capsule.use.last_at is None else capsule.use.last_at
        weight = capsule.confidence * 2.0 ** (-age / HALF_LIFE)
        return -weight, Instant(-capsule.validity.valid_from), Instant(-last), -capsule.use.count, number

    # ── meaning and links ─────────────────────────────────────────────────────────────────────────────────────────────────

    def by_meaning(self, embedding: Sequence[float]) -> list[Hit]:
        """Return what is near an embedding (L3)."""
        cosines = self.reading.cosines(embedding, self.active)
        order = sorted(cosines, key=lambda number: (-cosines[number], number))[:POOL]
        return [Hit(number, cosines[number], min(cosines[number], 1.0)) for number in order]

    def by_links(self, seeds: Sequence[int], most: int) -> list[Hit]:
        """Return what is related to seeds, then what only shares an entity with one, each link by the place of its seed."""
        related, sharing = _summed(self._related(seeds)), _summed(self._sharing(seeds))
        scores = {number: 0.5 * worth / (1.0 + worth) for number, worth in sharing.items()}
        scores |= {number: 0.5 + 0.5 * (worth / (1.0 + worth)) for number, worth in related.items() if number in self.active}
        order = sorted(scores.keys() - set(seeds), key=lambda number: (-scores[number], number))[:most]
        return [Hit(number, scores[number], scores[number]) for number in order]

    def _related(self, seeds: Sequence[int]) -> Iterator[tuple[int, float]]:
        for place, seed in enumerate(seeds, start=1):
            ends = {each.target for each in self.reading.world.relations if each.source == seed}
            ends |= {each.source for each in self.reading.world.relations if each.target == seed}
            if len(ends) <= CROWD:
                yield from ((each, 1.0 / place) for each in ends)

    def _sharing(self, seeds: Sequence[int]) -> Iterator[tuple[int, float]]:
        borne = list(dict.fromkeys(entity for seed in seeds for entity in self.reading.entities(seed)))[:SEED_ENTITIES]
        for entity in borne:
            bearers = [number for number in self.active if entity in self.reading.entities(number)]
            places = [place for place, seed in enumerate(seeds, start=1) if entity in self.reading.entities(seed)]
            if len(bearers) <= CROWD:
                yield from ((number, 1.0 / (place * len(bearers))) for number in bearers for place in places)


def _of(ways: Sequence[Way]) -> list[str]:
    return [word for way in ways for word in way.words]


def _is_one_slip(word: str, other: str) -> bool:
    """Whether one slip makes one word of the other; letters come from the alphabet of the word's own."""
    if len(word) not in LETTERS or unspaced(word) or not set(other) <= set(word) | LATIN or abs(len(word) - len(other)) > 1:
        return False
    return _slips(word, other) == 1


def _are_two_slips(word: str, other: str) -> bool:
    """Whether two slips make one word of the other; both begin alike and have the same digits."""
    digits = ["".join(filter(str.isdigit, each)) for each in (word, other)]
    alike = word[0] == other[0] and digits[0] == digits[1] and abs(len(word) - len(other)) <= 2
    return alike and _slips(word, other) == 2


@functools.cache
def _slips(one: str, other: str) -> int:
    """Return how many letters left out, put in, taken for others, or swapped with their neighbours lie between two words."""
    if not one or not other:
        return len(one) + len(other)
    ways = [_slips(one[1:], other) + 1, _slips(one, other[1:]) + 1, _slips(one[1:], other[1:]) + (one[0] != other[0])]
    if len(one) > 1 and one[:2] == other[1::-1]:
        ways.append(_slips(one[2:], other[2:]) + 1)
    return min(ways)


def _summed(links: Iterator[tuple[int, float]]) -> dict[int, float]:
    sums: dict[int, list[float]] = {}
    for number, worth in links:
        sums.setdefault(number, []).append(worth)
    return {number: round(math.fsum(parts), 12) for number, parts in sums.items()}
