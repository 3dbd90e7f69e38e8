"""Whether the lines of an import agree with each other: relations with standings, their law, and the journal (W3, W10).

What is held grows with what was decided and related, a few numbers each, never with texts.
"""

import hashlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from recordance.domain.alias import Alias
from recordance.domain.capsule import Capsule, Standing
from recordance.domain.coherence import retirement_fault
from recordance.domain.embedding import Embedding
from recordance.domain.graph import RelationPairs
from recordance.domain.identity import capsule_id
from recordance.domain.journal import JournalRow, Op, Value
from recordance.domain.relation import ACYCLIC, Relation, RelationKind
from recordance.domain.supersession import RETIRING
from recordance.errors import InvalidArgument
from recordance.usecases.teach import MAX_ALIASES

Contradiction = tuple[int, InvalidArgument]
"""The line that cannot be so, and why."""
_PLAIN = Standing()
_SIGN = {Op.RELATED: -1, Op.UNRELATED: +1}


class Crosscheck:
    """What the lines of a file said so far, as far as later ones may contradict it."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._decided: dict[int, tuple[int, Standing]] = {}
        self._retiring: dict[int, list[tuple[int, Relation]]] = {}
        self._acyclic = {kind: RelationPairs() for kind in RelationKind if kind in ACYCLIC}
        self._places = {kind: array("q") for kind in self._acyclic}
        self._last = (0, "", 0)
        self._balance = 0
        self._aliases: Counter[str] = Counter()
        self._embedded = array("q")
        self._told = bytearray()

    def take_capsule(self, place: int, capsule: Capsule) -> None:
        """Remember a capsule of line `place` that its number follows all before it."""
        self._numbers.append(capsule.number)
        if capsule.standing != _PLAIN:
            self._decided[capsule.number] = (place, capsule.standing)

    def take_embeddings(self, embeddings: Sequence[Embedding]) -> None:
        """Remember that the capsule which was just taken has these."""
        if embeddings:
            self._embedded.append(embeddings[0].capsule)
            self._told.append(False)

    def take_relation(self, place: int, relation: Relation, path: str) -> None:
        """Remember a relation; raises InvalidArgument where it could not have been written after those before it."""
        key = (relation.source, relation.kind.value, relation.target)
        if key <= self._last:
            why = "relations stand once each, by source, kind and target"
            raise InvalidArgument(path, relation.kind.value, "the relations in their order", why)
        if relation.source == relation.target:
            id = capsule_id(relation.source)
            raise InvalidArgument(f"{path}.target", id, "another capsule", "a capsule stands in no relation to itself")
        for name, end in (("source", relation.source), ("target", relation.target)):
            if not self.holds(end):
                raise InvalidArgument(f"{path}.{name}", capsule_id(end), "a capsule of this file", "the file does not have it")
        self._last = key
        self._balance += _weight(*key)
        if relation.kind in RETIRING:
            self._retiring.setdefault(relation.target, []).append((place, relation))
        if relation.kind in ACYCLIC:
            self._acyclic[relation.kind].add(relation.source, relation.target)
            self._places[relation.kind].append(place)

    def take_alias(self, alias: Alias, path: str) -> None:
        """Remember an alias; raises InvalidArgument where its term has no room for it (T7)."""
        self._aliases[alias.term_key] += 1
        if self._aliases[alias.term_key] > MAX_ALIASES:
            raise InvalidArgument(f"{path}.term", alias.term, f"at most {MAX_ALIASES} aliases of a term", "the term is full")

    def take_row(self, row: JournalRow, path: str) -> None:
        """Remember what a row of the journal says of relations; raises InvalidArgument if it tells of no capsule of the file."""
        if row.capsule is not None and not self.holds(row.capsule):
            raise InvalidArgument(
                f"{path}.capsule", capsule_id(row.capsule), "a capsule of this file", "the file does not have it"
            )
        if row.op in _SIGN:
            self._balance += _SIGN[row.op] * _weight(row.capsule, row.values.get("kind"), row.values.get("target"))
        if row.op is Op.EMBEDDED and row.capsule is not None:
            place = _place_of(row.capsule, self._embedded)
            if place is not None:
                self._told[place] = True

    def holds(self, number: int) -> bool:
        """Whether the file has a capsule of this number."""
        return _place_of(number, self._numbers) is not None

    def contradictions(self) -> Iterator[Contradiction]:
        """Yield what the lines together say that no store can be, but for the journal."""
        yield from self._unfounded()
        for kind, pairs in self._acyclic.items():
            if circle := pairs.circle():
                yield self._circling(kind, circle)

    def journal_agrees(self) -> bool:
        """Whether the relations are those that the journal's rows, all of them, leave."""
        return self._balance == 0

    def embeddings_are_told(self) -> bool:
        """Whether the journal tells that every capsule with a vector was given one; else no index would ever hear of it."""
        return all(self._told)

    def _unfounded(self) -> Iterator[Contradiction]:
        for number in sorted({*self._decided, *self._retiring}):
            place, standing = self._decided.get(number, (0, _PLAIN))
            retiring = self._retiring.get(number, [])
            if fault := retirement_fault(standing, [relation for _, relation in retiring]):
                where = place or retiring[0][0]
                id = capsule_id(number)
                why = f"of {id}: {fault}"
                yield where, InvalidArgument(f"line {where}", id, "standings and relations as they were exported", why)

    def _circling(self, kind: RelationKind, circle: tuple[int, ...]) -> Contradiction:
        closing = set(zip(circle, (*circle[1:], circle[0]), strict=True))
        places = zip(self._places[kind], self._acyclic[kind].pairs(), strict=True)
        place = max(place for place, pair in places if pair in closing)
        ids = [capsule_id(number) for number in (*circle[:_SHOWN], circle[0])]
        way = " → ".join([*ids[:-1], "…", ids[-1]] if len(circle) > _SHOWN else ids)
        why = f"{kind.value} leads in a circle: {way}"
        return place, InvalidArgument(f"line {place}: relation", kind.value, "relations that come to an end", why)


def _place_of(number: int, numbers: "array[int]") -> int | None:
    place = bisect_left(numbers, number)
    return place if place < len(numbers) and numbers[place] == number else None


_SHOWN = 6


def _weight(source: int | None, kind: Value, target: Value) -> int:
    """Return a number for a relation; those of different relations add up to different sums, in any order."""
    return int.from_bytes(hashlib.blake2b(repr((source, kind, target)).encode(), digest_size=16).digest())
