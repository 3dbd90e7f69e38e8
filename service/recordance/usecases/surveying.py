"""The survey of an import: every line is read and judged before the first is written, so that bad input loses nothing (W10)."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby, islice

from recordance.answer.export_lines import FORMAT, CapsuleLine, End, Header, Line, read_line
from recordance.domain.alias import Alias, Miss
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.journal import JournalRow, Op
from recordance.domain.relation import Relation
from recordance.domain.vocabulary import (
    AuthorityClass,
    Category,
    Domain,
    EvidenceState,
    Intent,
    Interface,
    Kind,
    ReviewStatus,
    Type,
    checked_subtype,
    member,
)
from recordance.errors import InvalidArgument

Lines = Callable[[], Iterable[str]]
"""Opens the lines of an import from their beginning, as often as it is called."""

BATCH = 500
"""How many lines are written at once."""
_ORDER = (Header, CapsuleLine, Relation, Alias, JournalRow, Miss, End)
_VOCABULARIES: dict[LabelField, type[StrEnum]] = {
    LabelField.KIND: Kind,
    LabelField.TYPE: Type,
    LabelField.CATEGORY: Category,
    LabelField.DOMAIN: Domain,
    LabelField.INTENT: Intent,
    LabelField.REVIEW_STATUS: ReviewStatus,
    LabelField.AUTHORITY: AuthorityClass,
    LabelField.EVIDENCE: EvidenceState,
    LabelField.ORIGIN_INTERFACE: Interface,
}
_SHOWN_PLACES = 20


@dataclass(slots=True)
class Survey:
    """What a file holds. `whole` says that it is everything of a store: it can become that store again."""

    counts: dict[type, int] = field(default_factory=dict[type, int])
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
    def whole(self) -> bool:
        """Whether numbers and journal have no gap, and every capsule's writing is in the journal."""
        capsules, rows = self.counts.get(CapsuleLine, 0), self.counts.get(JournalRow, 0)
        in_full = self.header is not None and not self.header.part and self.header.head == self.last_seq
        return in_full and self.last_number == capsules == self.captured and self.last_seq == rows


def survey(lines: Lines, caller: Caller) -> Survey:
    """Return what the lines hold; raises InvalidArgument naming the first bad line and where the others are."""
    found, bad = Survey(), list[tuple[int, InvalidArgument]]()
    place = 0
    for place, line in placed(lines):
        if isinstance(line, InvalidArgument):
            bad.append((place, line))
            continue
        try:
            _take(found, line, caller, f"line {place}")
        except InvalidArgument as refusal:
            bad.append((place, refusal))
    if not bad and (why := _short(found)):
        bad.append((place, InvalidArgument(f"line {place}", None, "the file whole, as an export wrote it", why)))
    if bad:
        raise _told(bad)
    return found


def _short(found: Survey) -> str:
    """Return why the file is not all that an export wrote; empty if it is."""
    if found.header is None or found.end is None:
        return "the file was cut off: it lacks its first or its last line"
    said = found.end
    counts = {
        CapsuleLine: said.capsules, Relation: said.relations, Alias: said.aliases, JournalRow: said.journal, Miss: said.misses
    }  # fmt: skip
    missing = [f"{kind.__name__}: {found.counts.get(kind, 0)} of {count}" for kind, count in counts.items()]
    differs = any(found.counts.get(kind, 0) != count for kind, count in counts.items())
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


def _told(bad: list[tuple[int, InvalidArgument]]) -> InvalidArgument:
    """Return the first refusal, with the places of the others."""
    _, first = bad[0]
    if len(bad) == 1:
        return first
    places = ", ".join(str(place) for place, _ in bad[1 : _SHOWN_PLACES + 1])
    more = f"{places} and {len(bad) - 1 - _SHOWN_PLACES} more" if len(bad) > _SHOWN_PLACES + 1 else places
    why = f"{first.why} (bad as well: line {more}); nothing was imported"
    return InvalidArgument(first.field, first.got, first.expected, why)


def _take(found: Survey, line: Line, caller: Caller, where: str) -> None:
    """Add a line to what was found; raises InvalidArgument when it is out of place or cannot be kept."""
    _check_place(found, line, where)
    match line:
        case Header():
            found.header = line
        case End():
            found.end = line
        case CapsuleLine():
            _check_capsule(line, found.last_number, caller, where)
            found.last_number = line.capsule.number
        case JournalRow():
            if line.seq <= found.last_seq:
                raise InvalidArgument(f"{where}: journal.seq", line.seq, f"more than {found.last_seq}", "rows stand in order")
            found.captured += line.op is Op.CAPTURED
            found.last_seq = line.seq
        case Relation() | Alias() | Miss():
            pass
    if not isinstance(line, Header | End):
        found.counts[type(line)] = found.counts.get(type(line), 0) + 1
    found.sort = _ORDER.index(type(line))


def _check_place(found: Survey, line: Line, where: str) -> None:
    """Refuse what stands before the header, after the end, or after what must follow it; and a format newer than ours."""
    sort = _ORDER.index(type(line))
    only_once = isinstance(line, Header | End)
    if (found.header is None) is not isinstance(line, Header) or sort < found.sort or (only_once and sort == found.sort):
        expected = "header, capsules, relations, aliases, journal, misses, end, in this order"
        raise InvalidArgument(where, type(line).__name__.lower(), expected, "it is out of place")
    if isinstance(line, Header) and line.format > FORMAT:
        why = f"it was written by a newer program ({line.program})"
        raise InvalidArgument(f"{where}: export.format", line.format, f"format {FORMAT}, or this file to a newer program", why)


def _check_capsule(line: CapsuleLine, last: int, caller: Caller, where: str) -> None:
    """Refuse a capsule that could not have been written, or that the caller may not write (F13)."""
    capsule, path = line.capsule, f"{where}: capsule"
    if capsule.number <= last:
        raise InvalidArgument(f"{path}.capsule.number", capsule.number, f"more than {last}", "capsules stand in append order")
    if not caller.sees_project(capsule.labels.get(LabelField.PROJECT)):
        project = capsule.labels.get(LabelField.PROJECT)
        raise InvalidArgument(f"{path}.capsule.labels.project_id", project, "a project of yours", "it lies outside your fence")
    _check_parts(line, path)
    _check_labels(capsule, f"{path}.capsule.labels")
    _check_numbers(capsule, f"{path}.capsule")
    for about in _about(line):
        if about != capsule.number:
            raise InvalidArgument(path, about, str(capsule.number), "a verdict names another capsule")


def _about(line: CapsuleLine) -> Iterator[int]:
    yield from (each.capsule for each in line.reviews)
    yield from (each.capsule for each in line.feedback)
    yield from (each.capsule for each in line.corroborations)


def _check_parts(line: CapsuleLine, path: str) -> None:
    forgotten = line.capsule.standing.tombstoned_at is not None
    if (line.text is None) is not forgotten or (line.tombstone is None) is forgotten:
        raise InvalidArgument(path, None, "a text, or a tombstone and tombstoned_at", "a capsule is either there or forgotten")
    if line.tombstone is not None and line.tombstone.capsule != line.capsule.number:
        raise InvalidArgument(f"{path}.tombstone", line.tombstone.capsule, str(line.capsule.number), "it names another capsule")
    if line.text is None:
        return
    if line.text.revision != line.capsule.revision:
        raise InvalidArgument(f"{path}.text.revision", line.text.revision, str(line.capsule.revision), "it is another revision")
    if not line.text.content.strip():
        raise InvalidArgument(f"{path}.text.content", line.text.content, "some text", "there is nothing to remember")
    for name, value in line.text.metadata:
        try:
            json.loads(value)
        except (ValueError, RecursionError):
            raise InvalidArgument(f"{path}.text.metadata.{name}", value, "JSON as text", "it cannot be read") from None


def _check_labels(capsule: Capsule, path: str) -> None:
    for label, vocabulary in _VOCABULARIES.items():
        if label in capsule.labels:
            member(vocabulary, capsule.labels[label], f"{path}.{label}")
    kind, subtype = capsule.labels.get(LabelField.KIND), capsule.labels.get(LabelField.SUBTYPE)
    if kind is not None and subtype is not None:
        checked_subtype(Kind(kind), subtype, f"{path}.subtype")


def _check_numbers(capsule: Capsule, path: str) -> None:
    shares = {
        "confidence": capsule.confidence, "importance": capsule.importance, "use.feedback_weight": capsule.use.feedback_weight
    }  # fmt: skip
    for name, share in shares.items():
        if not 0.0 <= share <= 1.0:
            raise InvalidArgument(f"{path}.{name}", share, "a number from 0 to 1", "it is outside")
    if capsule.value < 0.0 or capsule.use.count < 0:
        raise InvalidArgument(path, min(capsule.value, capsule.use.count), "0 or more", "value and use never fall below 0")
    validity, event, why = capsule.validity, capsule.event, "it ends before it begins"
    if validity.valid_to is not None and validity.valid_to < validity.valid_from:
        raise InvalidArgument(f"{path}.validity.valid_to", validity.valid_to, "a time after valid_from", why)
    if event is not None and event.event_to < event.event_from:
        raise InvalidArgument(f"{path}.event.event_to", event.event_to, "a time not before event_from", why)
