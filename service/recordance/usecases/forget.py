"""Forgetting: a capsule's content leaves for good, a skeleton with its tombstone stays (W6, F8, F13, decision 11)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from unicodedata import normalize

from recordance.answer.erasure import EqualContent, Erasure, forgotten_view
from recordance.domain.caller import Caller, Permission
from recordance.domain.capsule import Capsule, LabelField, Tombstone
from recordance.domain.change import ChangeSet, Entomb
from recordance.domain.forgetting import content_mac, former_macs
from recordance.domain.identity import content_digest
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op
from recordance.domain.storable import check_storable
from recordance.errors import InvalidArgument, Json, MissingState, StateKind, StoreUnusable
from recordance.ports.truth import TruthReader, TruthWriter
from recordance.query.folding import fold_words
from recordance.usecases.addressing import place_of
from recordance.usecases.lookup import visible
from recordance.usecases.side_by_side import OneByOne, Question
from recordance.usecases.store import Destinations

_DONE = "it is forgotten, but the store was lost before it could be told where it is purged: forget it again for the receipt"
_TELLING_BYTES = 3
"""A content as short as that stands in many a reason without being meant."""


@dataclass(frozen=True, slots=True)
class _Forgotten:
    """A capsule that is forgotten, by the journal row `seq`; `digests` are those of all that it said, None if it was before."""

    number: int
    seq: int
    at: Instant
    digests: frozenset[str] | None


def forget(
    destinations: Destinations, caller: Caller, destination: str | None, id: str, reason: str | None = None
) -> dict[str, Json]:
    """Forget a capsule and answer `{id, forgotten_at, already?, places, equal?, unread?, receipt}`, each place as it is by then.

    What was forgotten before is not forgotten anew: its places are purged where they were pending, and told. `equal` names what
    the caller sees with the same content, which stays; `unread` the destinations that could not be asked for it. Raises
    MissingState when the capsule is unknown, InvalidArgument for a reason that repeats the content, and
    StoreUnusable(WRITE_UNCERTAIN) when the store is lost once it is forgotten.
    """
    store = destinations.writing(caller, place_of(destinations, caller, destination, {"id": id}))
    if reason is not None:
        check_storable(reason, "reason")
    store.misses.settle()  # what recalls have noted of its words must lie in the ledger to be found there
    at = store.clock.now()
    with store.truth.writing() as writer:
        identity = writer.identity()
        capsule = visible(writer, caller, store.naming, id)
        if capsule.standing.tombstoned_at is None:
            forgotten = _entomb(writer, caller, capsule, reason or "", at)
        else:
            forgotten = _earlier(writer, capsule, capsule.standing.tombstoned_at)
    with _told_as_done():
        equal = None if forgotten.digests is None else _equal(destinations, caller, forgotten.digests)
        places = tuple(store.purger.purge(forgotten.seq))
    erasure = Erasure(identity.store, forgotten.seq, forgotten.number, forgotten.at, places)
    return forgotten_view(erasure, identity.key, store.naming, equal)


@contextmanager
def _told_as_done() -> Iterator[None]:
    """Let no failure after the commit say that nothing was written."""
    try:
        yield
    except (StoreUnusable, MissingState) as problem:
        raise StoreUnusable(f"after a forget: {problem}", lesson=_DONE, kind=StateKind.WRITE_UNCERTAIN) from problem


def _entomb(writer: TruthWriter, caller: Caller, capsule: Capsule, reason: str, at: Instant) -> _Forgotten:
    key, said = writer.identity().key, writer.revisions(capsule.number)
    for text in said:
        _check_silent(reason, text.content)
    digests = frozenset(content_digest(text.content) for text in said)
    mac = content_mac(capsule.content_digest, key)
    former = former_macs(digests - _said_by_others(writer, capsule, digests), mac, key)
    tombstone = Tombstone(capsule.number, at, reason, caller.actor, mac, former)
    entry = Entry(Op.TOMBSTONED, capsule.number, capsule.revision, {"tombstoned_at": at})
    seq = writer.apply(ChangeSet((Entomb(tombstone),), (entry,)), caller.actor, at)
    return _Forgotten(capsule.number, seq, at, digests)


def _said_by_others(reader: TruthReader, capsule: Capsule, digests: frozenset[str]) -> frozenset[str]:
    """Return which of these contents another capsule of the project says by now: that one is not forgotten, and stays sayable."""
    project = capsule.labels.get(LabelField.PROJECT)
    known = [each for each in reader.known_contents(digests) if each.number != capsule.number and each.project_id == project]
    return frozenset(each.digest for each in known)


def _check_silent(reason: str, content: str) -> None:
    """Refuse a reason that has every word of the content: it is kept, and what it says would not be forgotten.

    By its characters too: a content may have no words, or none that stand between spaces. One of a letter or two is let pass.
    """
    words, plain = set(fold_words(content)), normalize("NFC", content).strip()
    stands_there = len(plain.encode()) > _TELLING_BYTES and plain in normalize("NFC", reason)
    if stands_there or (words and words <= set(fold_words(reason))):
        why = "reasons are kept, and this one says everything that is to be forgotten"
        raise InvalidArgument("reason", "…", "why it is forgotten, without repeating it, or no reason", why)


def _earlier(reader: TruthReader, capsule: Capsule, at: Instant) -> _Forgotten:
    rows = [row.seq for row in reader.history(capsule.number) if row.op is Op.TOMBSTONED]
    return _Forgotten(capsule.number, rows[-1] if rows else reader.head(), at, None)


def _equal(destinations: Destinations, caller: Caller, digests: frozenset[str]) -> EqualContent:
    """Return what the caller sees with any of these contents, in every destination; whoever may not read sees nothing."""
    names = destinations.visible(caller) if Permission.READ in caller.permissions else ()
    profile = destinations.catalogue(caller).profile
    questions = [
        Question(name, partial(_equal_in, destinations, caller, name, digests), profile(name).deadline) for name in names
    ]
    ids, unread = list[str](), list[str]()
    gatherer = destinations.gatherer if len(questions) > 1 else OneByOne()
    for name, answer in gatherer.gather(questions).items():
        if isinstance(answer, list):
            ids += answer
        else:  # what was forgotten stays so, whoever cannot answer now
            unread.append(name)
    return EqualContent(ids, unread)


def _equal_in(destinations: Destinations, caller: Caller, name: str, digests: frozenset[str]) -> list[str]:
    store = destinations.reading(caller, name)
    with store.truth.reading() as reader:
        found = reader.known_contents(digests)
    return [store.naming.id(each.number) for each in found if caller.sees_project(each.project_id)]
