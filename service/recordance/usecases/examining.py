"""Whether a truth is in order: it is read in batches, and what it says twice must be the same both times (`doctor`)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from recordance.domain.capsule import Capsule, LabelField, Standing
from recordance.domain.coherence import retired_by_nobody, retirement_fault, ruling_fault, use_fault
from recordance.domain.destination import Naming
from recordance.domain.graph import RelationPairs
from recordance.domain.identity import content_digest
from recordance.domain.journal import Op
from recordance.domain.relation import ACYCLIC, Relation, RelationKind
from recordance.domain.supersession import RETIRING
from recordance.errors import Json
from recordance.ports.truth import TruthReader
from recordance.query.folding import fold_words

BATCH = 1_000
_SHOWN = 5
_WAY = 8


class Verdict(StrEnum):
    """How a check ends; the worst of all is the doctor's own."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of some verdicts, of which there is at least one."""
    return max(verdicts, key=list(Verdict).index)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, and what to do about it if it is not in order."""

    name: str
    verdict: Verdict
    found: str
    advice: str = ""

    @property
    def view(self) -> dict[str, Json]:
        """The finding as a wire object."""
        advice = {"advice": self.advice} if self.advice else {}
        return {"name": self.name, "verdict": self.verdict.value, "found": self.found, **advice}


def broken(name: str, found: str) -> Finding:
    """Return the finding of damage that only a new store mends."""
    advice = "Keep a copy of the store's folder, export what is there, and import it into a new store."
    return Finding(name, Verdict.FAIL, found, advice)


def shortly(found: Sequence[str]) -> str:
    """Return the first few of what was found, and how many more there are."""
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(found[:_SHOWN]) + more


def journal(reader: TruthReader, _: Naming) -> Finding:
    """Rows must follow one another without a gap, and tell of every capsule's capture once (decision 1)."""
    seq, captured, gaps = 0, 0, list[str]()
    while rows := reader.journal(seq, BATCH):
        for row in rows:
            if row.seq != seq + 1:
                gaps.append(f"{seq + 1} to {row.seq - 1}")
            seq = row.seq
            captured += row.op is Op.CAPTURED
    if seq != reader.head():
        gaps.append(f"{seq + 1} to {reader.head()}")
    if gaps:
        return broken("journal", f"rows are missing: {shortly(gaps)}")
    if captured != reader.last_number():
        return broken("journal", f"{captured} captures are told of {reader.last_number()} capsules")
    return Finding("journal", Verdict.OK, f"{seq} rows without a gap")


@dataclass(slots=True)
class _Counts:
    """What rows add up to, in all and below each project."""

    capsules: int = 0
    words: int = 0
    below: Counter[str] = field(default_factory=Counter[str])
    words_below: Counter[str] = field(default_factory=Counter[str])

    def add(self, capsule: Capsule) -> None:
        self.capsules += 1
        self.words += capsule.word_count
        project = capsule.labels.get(LabelField.PROJECT)
        parts = [] if project is None else project.split("/")
        for depth in range(1, len(parts) + 1):
            subtree = "/".join(parts[:depth])
            self.below[subtree] += 1
            self.words_below[subtree] += capsule.word_count

    def differences(self, reader: TruthReader) -> Iterator[str]:
        counted = reader.corpus()
        if (counted.capsules, counted.words) != (self.capsules, self.words):
            said = f"{counted.capsules} capsules and {counted.words} words"
            yield f"counters say {said}, rows {self.capsules} and {self.words}"
        for project, capsules in self.below.items():
            counted = reader.corpus_within(frozenset({project}))
            if (counted.capsules, counted.words) != (capsules, self.words_below[project]):
                said = f"{counted.capsules} capsules and {counted.words} words"
                yield f"counters of {project!r} say {said}, rows {capsules} and {self.words_below[project]}"


def capsules(reader: TruthReader, naming: Naming) -> Finding:
    """Digests and lengths must be what the texts make them, and counters what the rows add up to (W1, L17)."""
    counts, wrong = _Counts(), list[str]()
    for numbers in _batches(reader.last_number()):
        rows, contents = reader.capsules(numbers), reader.contents(numbers)
        wrong += [f"{naming.id(number)} is missing" for number in numbers if number not in rows]
        for number, capsule in rows.items():
            if capsule.standing.tombstoned_at is None:
                counts.add(capsule)
            if fault := _measured(capsule, contents.get(number)):
                wrong.append(f"{naming.id(number)} {fault}")
    wrong = wrong or list(counts.differences(reader))
    if wrong:
        return broken("capsules", shortly(wrong))
    return Finding("capsules", Verdict.OK, f"{counts.capsules} capsules and {counts.words} words, as the counters say")


def _measured(capsule: Capsule, content: str | None) -> str:
    if capsule.standing.tombstoned_at is not None:
        return "" if content is None else "is forgotten and has a text"
    if content is None:
        return "has no text"
    if content_digest(content) != capsule.content_digest:
        return "has another content than its digest says"
    return "" if len(fold_words(content)) == capsule.word_count else "has another length than is written"


def relations(reader: TruthReader, naming: Naming) -> Finding:
    """Both ends of a relation must exist; one that is forgotten is no fault (W3)."""
    orphans, count, last = list[str](), 0, reader.last_number()
    for numbers in _batches(last):
        for relation in reader.relations_from(numbers, tuple(RelationKind)):
            count += 1
            if not 0 < relation.target <= last:
                orphans.append(f"{naming.id(relation.source)} {relation.kind} {naming.id(relation.target)}")
    if orphans:
        return broken("relations", f"an end is missing: {shortly(orphans)}")
    return Finding("relations", Verdict.OK, f"{count} relations, both ends there")


def circles(reader: TruthReader, naming: Naming) -> Finding:
    """No capsule stands in a relation to itself, and what may not lead in a circle does not (W3)."""
    selves, pairs = list[str](), {kind: RelationPairs() for kind in RelationKind if kind in ACYCLIC}
    for numbers in _batches(reader.last_number()):
        for relation in reader.relations_from(numbers, tuple(RelationKind)):
            if relation.source == relation.target:
                selves.append(f"{naming.id(relation.source)} {relation.kind} itself")
            elif relation.kind in pairs:
                pairs[relation.kind].add(relation.source, relation.target)
    found = [*selves, *(_way(kind, circle, naming) for kind in pairs if (circle := pairs[kind].circle()))]
    if found:
        advice = "Take one relation of each circle back: recordance relate KIND FROM TO --remove; then ask again."
        return Finding("circles", Verdict.FAIL, shortly(found), advice)
    return Finding("circles", Verdict.OK, "no relation leads back to where it began")


def _way(kind: RelationKind, circle: Sequence[int], naming: Naming) -> str:
    ids = [naming.id(number) for number in circle]
    shown = ids if len(ids) <= _WAY else [*ids[: _WAY - 1], "…"]
    return f"{kind} leads in a circle: {' → '.join([*shown, ids[0]])}"


def standings(reader: TruthReader, naming: Naming) -> Finding:
    """What was decided about a capsule must be what relations, rulings and judgements say (W3, W5, W7, W8)."""
    wrong, unnamed, decided = list[str](), list[str](), 0
    for numbers in _batches(reader.last_number()):
        retiring: dict[int, list[Relation]] = {}
        for relation in reader.relations_to(numbers, tuple(RETIRING)):
            retiring.setdefault(relation.target, []).append(relation)
        rulings, feedback = reader.review_history(numbers), reader.feedback(numbers)
        for number, capsule in reader.capsules(numbers).items():
            relations_here, standing = retiring.get(number, ()), capsule.standing
            decided += standing != _PLAIN
            fault = (
                retirement_fault(standing, relations_here, naming)
                or ruling_fault(standing, rulings.get(number, ()))
                or use_fault(capsule, feedback.get(number, ()))
            )
            if fault:
                wrong.append(f"{naming.id(number)}: {fault}")
            elif retired_by_nobody(standing, relations_here):
                unnamed.append(naming.id(number))
    return _told(wrong, unnamed, decided)


def _told(wrong: Sequence[str], unnamed: Sequence[str], decided: int) -> Finding:
    if wrong:
        advice = (
            "Somebody else changed the store. Import the last export from before into a new one; or write each decision anew: "
            "take the relation back and relate again, archive again, review again."
        )
        return Finding("standings", Verdict.FAIL, shortly(wrong), advice)
    if unnamed:
        advice = "An import may have left outside what retired them. To bring one back, relate another to it and take that back."
        return Finding("standings", Verdict.WARN, f"nothing here says what retired {shortly(unnamed)}", advice)
    return Finding("standings", Verdict.OK, f"{decided} capsules were decided about, as relations and rulings say")


def _batches(last: int) -> Iterator[Sequence[int]]:
    for first in range(1, last + 1, BATCH):
        yield range(first, min(first + BATCH, last + 1))


_PLAIN = Standing()
TRUTH_CHECKS: Mapping[str, Callable[[TruthReader, Naming], Finding]] = {
    "journal": journal,
    "capsules": capsules,
    "relations": relations,
    "circles": circles,
    "standings": standings,
}
"""What is looked at in the truth, in this order, each in a snapshot of its own."""
