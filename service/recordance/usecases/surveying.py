"""The survey of an import: every line is read and judged before the first is written, so that bad input loses nothing (W10)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

from recordance.answer.export_lines import FORMAT, CapsuleLine, End, Header, Line, read_line
from recordance.domain.alias import Alias, Miss
from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField
from recordance.domain.embedding import Embedding, Space
from recordance.domain.journal import JournalRow, Op
from recordance.domain.relation import Relation
from recordance.errors import InvalidArgument
from recordance.usecases.crosschecking import Contradiction, Crosscheck
from recordance.usecases.vetting import vet_alias, vet_capsule, vet_miss
from recordance.usecases.vetting_vectors import vet_embeddings, vet_space

Lines = Callable[[], Iterable[str]]
"""Opens the lines of an import from their beginning, as often as it is called."""

BATCH = 500
"""How many lines are written at once."""
_ORDER = (Header, Space, CapsuleLine, Relation, Alias, JournalRow, Miss, End)
_SHOWN_PLACES = 20


@dataclass(slots=True)
class Survey:
    """What a file holds. `whole` says that it is everything of a store: it can become that store again."""

    counts: dict[type, int] = field(default_factory=dict[type, int])
    spaces: dict[str, Space] = field(default_factory=dict[str, Space])
    embeddings: int = 0
    across: Crosscheck = field(default_factory=Crosscheck)
    header: Header | None = None
    last_number: int = 0
    captured: int = 0
    last_seq: int = 0
    end: End | None = None
    sort: int = -1

    @property
    def lines(self) -> int:
        """How many lines there are beside header and end."""
        return sum(self.counts.values())

    @property
    def folding(self) -> str:
        """By which folding the file's words were counted."""
        return "" if self.header is None else self.header.folding

    @property
    def whole(self) -> bool:
        """Whether numbers and journal have no gap, and the journal tells of all that an index must know, in order."""
        capsules, rows = self.counts.get(CapsuleLine, 0), self.counts.get(JournalRow, 0)
        in_full = self.header is not None and not self.header.part and self.header.head == self.last_seq
        unbroken = self.last_number == capsules == self.captured and self.last_seq == rows
        return in_full and unbroken and self.across.embeddings_are_told()


def survey(lines: Lines, caller: Caller) -> Survey:
    """Return what the lines hold; raises InvalidArgument naming the first bad line and where the others are."""
    found, bad = Survey(), list[Contradiction]()
    place = 0
    for place, line in placed(lines):
        if isinstance(line, InvalidArgument):
            bad.append((place, line))
            continue
        try:
            _take(found, line, caller, place)
        except InvalidArgument as refusal:
            bad.append((place, refusal))
    bad = bad or sorted(_together(found, place), key=lambda each: each[0])
    if bad:
        raise _told(bad)
    return found


def _together(found: Survey, last: int) -> Iterator[Contradiction]:
    """Yield what no line says by itself: that some are missing, and where they contradict each other."""
    yield from found.across.contradictions()
    why = _short(found)
    if not why and found.whole and not found.across.journal_agrees():
        why = "by its journal other relations stand than the file has"
    if why:
        yield last, InvalidArgument(f"line {last}", None, "the file whole, as an export wrote it", why)


def _short(found: Survey) -> str:
    """Return why the file is not all that an export wrote; empty if it is."""
    if found.header is None or found.end is None:
        return "the file was cut off: it lacks its first or its last line"
    said = found.end
    counted = {**found.counts, Embedding: found.embeddings}
    counts = {
        Space: said.spaces, CapsuleLine: said.capsules, Embedding: said.embeddings, Relation: said.relations,
        Alias: said.aliases, JournalRow: said.journal, Miss: said.misses,
    }  # fmt: skip
    missing = [f"{kind.__name__}: {counted.get(kind, 0)} of {count}" for kind, count in counts.items()]
    differs = any(counted.get(kind, 0) != count for kind, count in counts.items())
    return f"the file does not hold what its last line counts ({', '.join(missing)})" if differs else ""


def placed(lines: Lines) -> Iterator[tuple[int, Line | InvalidArgument]]:
    """Yield each line with its place, read or refused; blank lines are passed over."""
    for place, text in enumerate(lines(), start=1):
        if not text.strip():
            continue
        try:
            yield place, read_line(text, place)
        except InvalidArgument as refusal:
            yield place, refusal


def batches(lines: Lines) -> Iterator[Sequence[Line]]:
    """Yield the surveyed lines between header and end, in batches of one sort each."""
    told = (line for _, line in placed(lines) if not isinstance(line, InvalidArgument | Header | End))
    for _, alike in groupby(told, key=type):
        while batch := list(islice(alike, BATCH)):
            yield batch


def _told(bad: list[Contradiction]) -> InvalidArgument:
    """Return the first refusal, with the places of the others."""
    _, first = bad[0]
    if len(bad) == 1:
        return first
    places = ", ".join(str(place) for place, _ in bad[1 : _SHOWN_PLACES + 1])
    more = f"{places} and {len(bad) - 1 - _SHOWN_PLACES} more" if len(bad) > _SHOWN_PLACES + 1 else places
    why = f"{first.why} (bad as well: line {more}); nothing was imported"
    return InvalidArgument(first.field, first.got, first.expected, why)


def _take(found: Survey, line: Line, caller: Caller, place: int) -> None:
    """Add the line at `place` to what was found; raises InvalidArgument when it is out of place or cannot be kept."""
    where = f"line {place}"
    _check_place(found, line, where)
    match line:
        case Header():
            found.header = line
        case End():
            found.end = line
        case Space():
            vet_space(line, found.spaces, f"{where}: space")
            found.spaces[line.name] = line
        case CapsuleLine():
            _check_capsule(line, found, caller, where)
            found.across.take_capsule(place, line.capsule)
            found.across.take_embeddings(line.embeddings)
            found.embeddings += len(line.embeddings)
            found.last_number = line.capsule.number
        case Relation():
            found.across.take_relation(place, line, f"{where}: relation")
        case Alias():
            vet_alias(line, found.folding, f"{where}: alias")
            found.across.take_alias(line, f"{where}: alias")
        case JournalRow():
            _check_row(line, found, where)
            found.captured += line.op is Op.CAPTURED and line.capsule == found.captured + 1
            found.last_seq = line.seq
        case Miss():
            vet_miss(line, f"{where}: miss")
    if not isinstance(line, Header | End):
        found.counts[type(line)] = found.counts.get(type(line), 0) + 1
    found.sort = _ORDER.index(type(line))


def _check_place(found: Survey, line: Line, where: str) -> None:
    """Refuse what stands before the header, after the end, or after what must follow it; and a format newer than ours."""
    sort = _ORDER.index(type(line))
    only_once = isinstance(line, Header | End)
    if (found.header is None) is not isinstance(line, Header) or sort < found.sort or (only_once and sort == found.sort):
        expected = "header, spaces, capsules, relations, aliases, journal, misses, end, in this order"
        raise InvalidArgument(where, type(line).__name__.lower(), expected, "it is out of place")
    if isinstance(line, Header) and line.format > FORMAT:
        why = f"it was written by a newer program ({line.program})"
        raise InvalidArgument(f"{where}: export.format", line.format, f"format {FORMAT}, or this file to a newer program", why)


def _check_capsule(line: CapsuleLine, found: Survey, caller: Caller, where: str) -> None:
    """Refuse a capsule that could not have been written, or that the caller may not write (F13)."""
    capsule, path, last = line.capsule, f"{where}: capsule", found.last_number
    if capsule.number <= last:
        raise InvalidArgument(f"{path}.capsule.number", capsule.number, f"more than {last}", "capsules stand in append order")
    if not caller.sees_project(capsule.labels.get(LabelField.PROJECT)):
        project = capsule.labels.get(LabelField.PROJECT)
        raise InvalidArgument(f"{path}.capsule.labels.project_id", project, "a project of yours", "it lies outside your fence")
    vet_capsule(line, found.folding, path)
    vet_embeddings(line, found.spaces, path)


def _check_row(row: JournalRow, found: Survey, where: str) -> None:
    if row.seq <= found.last_seq:
        raise InvalidArgument(f"{where}: journal.seq", row.seq, f"more than {found.last_seq}", "rows stand in order")
    found.across.take_row(row, f"{where}: journal")
