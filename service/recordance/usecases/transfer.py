"""Export a store to lines and import it from them, without ever holding it whole (W10).

An export reads one snapshot. An import reads its lines twice: first it surveys them all, and a file with a bad line, or one
that was cut off, is refused before anything is written. Then a whole export enters an empty store as it was: same numbers,
same journal, in one transaction. Anything else is merged in, in batches that are each a transaction: capsules get new numbers,
equal content of a project is one capsule, what was forgotten stays forgotten. A merge that was interrupted is run again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum

from recordance import __version__
from recordance.answer.export_lines import FORMAT, CapsuleLine, End, Header, Line, write_line
from recordance.domain.alias import Alias, Miss
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.embedding import Embedding, Space
from recordance.domain.instant import Instant
from recordance.domain.journal import JournalRow
from recordance.domain.relation import Relation, RelationKind
from recordance.errors import Json
from recordance.ports.truth import TruthReader
from recordance.query.fence import Scope, SubtreeFence
from recordance.query.folding import FOLD_VERSION
from recordance.usecases.follow import Progress
from recordance.usecases.merging import merge
from recordance.usecases.restoring import restored
from recordance.usecases.store import Destinations
from recordance.usecases.surveying import Lines, survey

BATCH = 200
"""How many capsules or journal rows are read at once."""
_EVERY_ROW = 2**31 - 1


class Vectors(Enum):
    """What becomes of embeddings in an export."""

    CARRIED = "carried"
    """They go along, bit for bit."""
    LEFT_OUT = "left_out"
    """They and their spaces stay behind: what is made of the file may take embeddings of another dimension."""


def export_lines(
    destinations: Destinations, caller: Caller, destination: str | None, vectors: Vectors = Vectors.CARRIED
) -> Iterator[str]:
    """Yield the lines of an export of all that the caller may see, without line breaks, from one snapshot (F13).

    Raises MissingState for a destination that the caller cannot see, before the first line.
    """
    store = destinations.reading(caller, destination)
    at = store.clock.now()
    with store.truth.reading() as reader:
        told: Counter[type] = Counter()
        yield write_line(_header(reader, caller, at, vectors))
        for line in _lines(reader, caller, vectors):
            told[type(line)] += 1
            if isinstance(line, CapsuleLine):
                told[Embedding] += len(line.embeddings)
            yield write_line(line)
        yield write_line(
            End(
                spaces=told[Space],
                capsules=told[CapsuleLine],
                embeddings=told[Embedding],
                relations=told[Relation],
                aliases=told[Alias],
                journal=told[JournalRow],
                misses=told[Miss],
            )
        )


def import_lines(
    destinations: Destinations, caller: Caller, destination: str | None, lines: Lines, progress: Progress
) -> dict[str, Json]:
    """Import what `lines` (opened twice) hold, and answer `{status: restored | merged, …counts}`.

    Raises InvalidArgument naming the first bad line and counting the others; nothing was written then.
    """
    store = destinations.writing(caller, destination)
    found = survey(lines, caller)
    if found.whole and (counts := restored(store, caller, lines, found, progress)) is not None:
        return {"status": "restored", **counts}
    return {"status": "merged", **merge(store, caller, lines, found, progress)}


def _header(reader: TruthReader, caller: Caller, at: Instant, vectors: Vectors) -> Header:
    return Header(
        format=FORMAT,
        program=__version__,
        store=reader.identity().store,
        head=reader.head(),
        at=at,
        part=() if caller.projects is None else tuple(sorted(caller.projects)),
        folding=FOLD_VERSION,
        without=("embeddings",) if vectors is Vectors.LEFT_OUT else (),
    )


def _lines(reader: TruthReader, caller: Caller, vectors: Vectors) -> Iterator[Line]:
    if vectors is Vectors.CARRIED:
        yield from _spaces(reader, caller)
    yield from _capsules(reader, caller, vectors)
    yield from _relations(reader, caller)
    yield from reader.all_aliases()
    if caller.projects is None:  # rows of the journal name capsules that a fenced caller may not know of
        yield from _journal(reader)
    yield from reader.misses(None if caller.projects is None else caller.fence_key, _EVERY_ROW)


def _spaces(reader: TruthReader, caller: Caller) -> Iterator[Space]:
    """Yield the spaces; to a fenced caller those in which it sees a vector."""
    for each in reader.spaces():
        name = each.space.name
        if caller.projects is None or reader.embedded_within(name, Scope((SubtreeFence(caller.projects),))):
            yield each.space


def _capsules(reader: TruthReader, caller: Caller, vectors: Vectors) -> Iterator[CapsuleLine]:
    for numbers in _batches(reader.last_number()):
        capsules = [capsule for capsule in reader.capsules(numbers).values() if _sees(caller, capsule)]
        seen = [capsule.number for capsule in capsules]
        texts, tombstones, feedback = reader.texts(seen), reader.tombstones(seen), reader.feedback(seen)
        reviews, corroborations = reader.review_history(seen), reader.corroboration_history(seen)
        embeddings = reader.embeddings(seen) if vectors is Vectors.CARRIED else {}
        for capsule in sorted(_within(reader, caller, capsules), key=lambda each: each.number):
            yield CapsuleLine(
                capsule=capsule,
                text=texts.get(capsule.number),
                tombstone=tombstones.get(capsule.number),
                reviews=tuple(reviews.get(capsule.number, ())),
                feedback=tuple(feedback.get(capsule.number, ())),
                corroborations=tuple(corroborations.get(capsule.number, ())),
                embeddings=tuple(embeddings.get(capsule.number, ())),
                former=tuple(reader.revisions(capsule.number)[:-1]) if capsule.revision > 1 else (),
            )


def _within(reader: TruthReader, caller: Caller, capsules: Sequence[Capsule]) -> Sequence[Capsule]:
    """Return the capsules without the numbers of superseders that the caller does not see (F13)."""
    if caller.projects is None:
        return capsules
    named = [each.standing.superseded_by for each in capsules if each.standing.superseded_by is not None]
    seen = {None, *(number for number, each in reader.capsules(named).items() if _sees(caller, each))}
    return [
        each if each.standing.superseded_by in seen else replace(each, standing=replace(each.standing, superseded_by=None))
        for each in capsules
    ]


def _relations(reader: TruthReader, caller: Caller) -> Iterator[Relation]:
    for numbers in _batches(reader.last_number()):
        relations = reader.relations_from(numbers, tuple(RelationKind))
        if caller.projects is not None:
            ends = reader.capsules({end for each in relations for end in (each.source, each.target)})
            relations = [each for each in relations if _sees(caller, ends[each.source]) and _sees(caller, ends[each.target])]
        yield from relations


def _journal(reader: TruthReader) -> Iterator[JournalRow]:
    seq = 0
    while rows := reader.journal(seq, BATCH):
        yield from rows
        seq = rows[-1].seq


def _batches(last: int) -> Iterator[Sequence[int]]:
    for first in range(1, last + 1, BATCH):
        yield range(first, min(first + BATCH, last + 1))


def _sees(caller: Caller, capsule: Capsule) -> bool:
    return caller.sees_project(capsule.labels.get(LabelField.PROJECT))
