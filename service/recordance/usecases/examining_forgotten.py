"""Whether what was forgotten is gone from the truth: its words, marks and vectors, and what named it (`doctor`; W6)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from recordance.domain.capsule import Capsule
from recordance.domain.destination import Naming
from recordance.domain.tombstone import Remnant, skeleton_of
from recordance.ports.truth import TruthReader
from recordance.query.residue import skeleton_values
from recordance.usecases.examining import Finding, Verdict, shortly

BATCH = 1_000
_ADVICE = (
    "Stop every server of this store, export it and import that into a new one, which carries nothing of what was forgotten; "
    "then delete the old folder."
)


def forgotten(reader: TruthReader, naming: Naming) -> Finding:
    """Each is a bare skeleton with its tombstone, and nothing else in the store tells of it."""
    gone, fuller = list[int](), dict[int, set[Remnant]]()
    for capsule in _skeletons(reader):
        gone.append(capsule.number)
        if remnants := set(_told(reader, capsule)):
            fuller[capsule.number] = remnants
    remains = reader.remains(gone)
    wrong = [f"{naming.id(number)} has no tombstone" for number in _unmarked(reader, gone)]
    for number in sorted({*fuller, *remains}):
        found = {*fuller.get(number, ()), *remains.get(number, ())}
        wrong.append(f"of {naming.id(number)} is left: {', '.join(each for each in Remnant if each in found)}")
    if wrong:
        return Finding("forgotten", Verdict.FAIL, shortly(wrong), _ADVICE)
    return Finding("forgotten", Verdict.OK, f"of {len(gone)} forgotten capsules nothing is left in the truth")


def _skeletons(reader: TruthReader) -> Iterator[Capsule]:
    last = reader.last_number()
    for first in range(1, last + 1, BATCH):
        found = reader.capsules(range(first, min(first + BATCH, last + 1)))
        yield from (capsule for capsule in found.values() if capsule.standing.tombstoned_at is not None)


def _told(reader: TruthReader, capsule: Capsule) -> Iterator[Remnant]:
    """Yield where a capsule's row or its history say more than those of a skeleton."""
    at = capsule.standing.tombstoned_at
    if at is not None and skeleton_of(capsule, at) != replace(capsule, updated_at=at):
        yield Remnant.ROW
    if any(skeleton_values(row.values) != dict(row.values) for row in reader.history(capsule.number)):
        yield Remnant.JOURNAL


def _unmarked(reader: TruthReader, gone: Sequence[int]) -> Iterator[int]:
    for start in range(0, len(gone), BATCH):
        numbers = gone[start : start + BATCH]
        yield from sorted(set(numbers) - reader.tombstones(numbers).keys())
