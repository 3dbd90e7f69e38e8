"""Whether two stores say the same, capsule by capsule, as whoever reads them is told it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from recordance.domain.relation import RelationKind
from recordance.errors import Json
from recordance.ports.moving import Progress
from recordance.ports.truth import TruthReader

BATCH = 500
"""How many capsules, or rows of the journal, are read at once, of each side."""
_EVERY_ROW = 2**31 - 1


def disagreement(here: TruthReader, there: TruthReader, compared: Counter[str], progress: Progress) -> str | None:
    """Return the first thing that `there` tells otherwise than `here`, by what it is and whose; None when both tell the same.

    `compared` is counted up with what was held against each other; `progress` hears of capsules and rows of the journal.
    """
    for name, tell in _WHOLE.items():
        mine = tell(here)
        if mine != tell(there):
            return name
        if isinstance(mine, list):
            compared[name] = len(mine)
    last, head = here.last_number(), here.head()
    for numbers in _batches(last):
        for name, told in _OF_CAPSULES.items():
            mine, theirs = told(here, numbers), told(there, numbers)
            if strange := next((number for number in numbers if mine.get(number) != theirs.get(number)), None):
                return f"{name} of cap-{strange}"
            compared[name] += sum(map(_size, mine.values()))
        progress(numbers[-1], last + head)
    return _journal(here, there, compared, lambda done: progress(last + done, last + head))


def _journal(here: TruthReader, there: TruthReader, compared: Counter[str], done: Callable[[int], None]) -> str | None:
    seq = 0
    while rows := here.journal(seq, BATCH):
        if list(rows) != list(there.journal(seq, BATCH)):
            return f"journal after {seq}"
        seq = rows[-1].seq
        compared["journal"] += len(rows)
        done(seq)
    return None


def _batches(last: int) -> Iterator[Sequence[int]]:
    for start in range(1, last + 1, BATCH):
        yield range(start, min(start + BATCH, last + 1))


def _size(told: object) -> int:
    return len(told) if isinstance(told, tuple | list) else 1


def _relations(reader: TruthReader, numbers: Sequence[int]) -> Mapping[int, object]:
    found: dict[int, list[object]] = {}
    for relation in reader.relations_from(numbers, tuple(RelationKind)):
        found.setdefault(relation.source, []).append(relation)
    return found


_WHOLE: Mapping[str, Callable[[TruthReader], Json]] = {
    "identity": lambda reader: reader.identity(),
    "seq": lambda reader: reader.head(),
    "last number": lambda reader: reader.last_number(),
    "counters": lambda reader: reader.corpus(),
    "spaces": lambda reader: list(reader.spaces()),
    "aliases": lambda reader: list(reader.all_aliases()),
    "misses": lambda reader: list(reader.misses(None, _EVERY_ROW)),
    "forgotten": lambda reader: list(reader.forgotten_after(0)),
}
_OF_CAPSULES: Mapping[str, Callable[[TruthReader, Sequence[int]], Mapping[int, object]]] = {
    "capsules": lambda reader, numbers: reader.capsules(numbers),
    "texts": lambda reader, numbers: reader.texts(numbers),
    "tombstones": lambda reader, numbers: reader.tombstones(numbers),
    "embeddings": lambda reader, numbers: _lists(reader.embeddings(numbers)),
    "relations": _relations,
    "reviews": lambda reader, numbers: _lists(reader.review_history(numbers)),
    "feedback": lambda reader, numbers: _lists(reader.feedback(numbers)),
    "corroborations": lambda reader, numbers: _lists(reader.corroboration_history(numbers)),
}


def _lists(found: Mapping[int, Sequence[object]]) -> Mapping[int, object]:
    """An adapter may give any kind of sequence."""
    return {number: list(each) for number, each in found.items()}
