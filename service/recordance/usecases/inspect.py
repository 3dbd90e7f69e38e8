"""Upkeep of a store: how it stands, whether it is in order, and its index made anew (`status`, `doctor`, `rebuild`)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.caller import Caller
from recordance.domain.identity import content_digest
from recordance.domain.journal import Op
from recordance.domain.relation import RelationKind
from recordance.errors import Fault, Json, MissingState, StateKind
from recordance.ports.housing import Housing
from recordance.ports.truth import TruthReader
from recordance.query.folding import fold_words
from recordance.usecases.follow import Progress
from recordance.usecases.store import Destinations, Store

BATCH = 1_000
_SHOWN = 5
_LOOKS = 3
_EVERY_ROW = 2**31 - 1


class Verdict(StrEnum):
    """How a check ends; the worst of all is the doctor's own."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


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


def status(destinations: Destinations, caller: Caller, destination: str | None, housing: Housing) -> dict[str, Json]:
    """Return how the store stands: its place, counts, the index's position, sizes in bytes, and versions."""
    store = destinations.reading(_unfenced(caller), destination)
    with store.truth.reading() as reader:
        corpus, last = reader.corpus(), reader.last_number()
        counts = {
            "seq": reader.head(),
            "capsules": corpus.capsules,
            "forgotten": last - corpus.capsules,
            "words": corpus.words,
            "aliases": len(reader.all_aliases()),
            "misses": len(reader.misses(None, _EVERY_ROW)),
        }
        identity = reader.identity()
    followed = store.terms.status()
    return {
        "store": identity.store,
        "place": housing.place,
        **counts,
        "index": {
            "applied": followed.applied,
            "waiting": followed.head - followed.applied,
            "documents": housing.indexed(),
        },
        "bytes": dict(housing.sizes()),
        "versions": dict(housing.versions()),
    }


def rebuild(destinations: Destinations, caller: Caller, destination: str | None, progress: Progress) -> dict[str, Json]:
    """Make this process's term index anew from the truth, and answer `{status: rebuilt, seq}`."""
    store = destinations.writing(_unfenced(caller), destination)
    store.terms.rebuild(progress)
    return {"status": "rebuilt", "seq": store.terms.status().applied}


def doctor(
    destinations: Destinations, caller: Caller, destination: str | None, housing: Housing, progress: Progress
) -> dict[str, Json]:
    """Look at everything and answer `{verdict, checks: [{name, verdict, found, advice?}]}`; changes nothing in the truth.

    `progress` hears of the checks that are done.
    """
    store = destinations.reading(_unfenced(caller), destination)
    findings = list[Finding]()
    checks = _checks(store, housing)
    for done, (name, check) in enumerate(checks.items(), start=1):
        findings.append(_examined(name, check))
        progress(done, len(checks))
    worst = max((finding.verdict for finding in findings), key=list(Verdict).index)
    return {"verdict": worst.value, "checks": [finding.view for finding in findings]}


def _unfenced(caller: Caller) -> Caller:
    """Return the caller if no project fence stands; counts, sizes and faults tell of every project (F13)."""
    if caller.projects is None:
        return caller
    lesson = "upkeep tells of every project; ask as a caller without a project fence"
    raise MissingState(StateKind.NOT_PERMITTED, "upkeep", lesson)


def _checks(store: Store, housing: Housing) -> Mapping[str, Callable[[], Finding]]:
    return {
        "integrity": lambda: _damage(housing),
        "privacy": lambda: _privacy(housing),
        "journal": lambda: _read(store, _journal),
        "capsules": lambda: _read(store, _capsules),
        "relations": lambda: _read(store, _relations),
        "index": lambda: _index(store, housing),
    }


def _examined(name: str, check: Callable[[], Finding]) -> Finding:
    """Return what a check finds; one that cannot go on has found something too."""
    try:
        return check()
    except Fault as fault:
        return _broken(name, str(fault))


def _read(store: Store, check: Callable[[TruthReader], Finding]) -> Finding:
    with store.truth.reading() as reader:
        return check(reader)


def _damage(housing: Housing) -> Finding:
    damage = housing.damage()
    if not damage:
        return Finding("integrity", Verdict.OK, "the truth's own check finds nothing")
    advice = "Stop every server of this store, keep a copy of its folder, and restore a backup or import the last export."
    return Finding("integrity", Verdict.FAIL, _shortly(damage), advice)


def _privacy(housing: Housing) -> Finding:
    exposed = housing.exposed()
    if not exposed:
        return Finding("privacy", Verdict.OK, "only its owner can read the store")
    return Finding("privacy", Verdict.WARN, f"others may look into {_shortly(exposed)}", "Take their rights away: chmod 0700.")


def _journal(reader: TruthReader) -> Finding:
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
        return _broken("journal", f"rows are missing: {_shortly(gaps)}")
    if captured != reader.last_number():
        return _broken("journal", f"{captured} captures are told of {reader.last_number()} capsules")
    return Finding("journal", Verdict.OK, f"{seq} rows without a gap")


def _capsules(reader: TruthReader) -> Finding:
    """Counters must say what the rows say, and digests and lengths what the texts say (L17, W1)."""
    capsules, words, wrong = 0, 0, list[str]()
    for numbers in _batches(reader.last_number()):
        rows, contents = reader.capsules(numbers), reader.contents(numbers)
        wrong += [f"cap-{number} is missing" for number in numbers if number not in rows]
        for number, capsule in rows.items():
            if capsule.standing.tombstoned_at is not None:
                wrong += [f"cap-{number} is forgotten and has a text"] if number in contents else []
                continue
            capsules, words = capsules + 1, words + capsule.word_count
            if content_digest(contents.get(number, "")) != capsule.content_digest:
                wrong.append(f"cap-{number} has another content than its digest says")
            elif len(fold_words(contents[number])) != capsule.word_count:
                wrong.append(f"cap-{number} has another length than is written")
    if wrong:
        return _broken("capsules", _shortly(wrong))
    counted = reader.corpus()
    if (counted.capsules, counted.words) != (capsules, words):
        found = f"counters say {counted.capsules} capsules and {counted.words} words, rows {capsules} and {words}"
        return _broken("capsules", found)
    return Finding("capsules", Verdict.OK, f"{capsules} capsules and {words} words, as the counters say")


def _relations(reader: TruthReader) -> Finding:
    """Both ends of a relation must exist; one that is forgotten is no fault (W3)."""
    orphans, count, last = list[str](), 0, reader.last_number()
    for numbers in _batches(last):
        for relation in reader.relations_from(numbers, tuple(RelationKind)):
            count += 1
            if not 0 < relation.target <= last:
                orphans.append(f"cap-{relation.source} {relation.kind} cap-{relation.target}")
    if orphans:
        return _broken("relations", f"an end is missing: {_shortly(orphans)}")
    return Finding("relations", Verdict.OK, f"{count} relations, both ends there")


def _index(store: Store, housing: Housing) -> Finding:
    """The index must hold every unforgotten capsule once it has caught up; others may write meanwhile, so look again."""
    for _ in range(_LOOKS):
        store.terms.commit()
        with store.truth.reading() as reader:
            head, capsules = reader.head(), reader.corpus().capsules
        documents, applied = housing.indexed(), store.terms.status().applied
        if applied == head and documents == capsules:
            return Finding("index", Verdict.OK, f"{documents} documents at seq {applied}, as the truth has them")
        if applied == head:
            advice = "Make it anew: recordance rebuild."
            return Finding("index", Verdict.FAIL, f"{documents} documents where the truth has {capsules} capsules", advice)
    return Finding("index", Verdict.WARN, "others write so fast that it cannot be compared", "Ask again when they rest.")


def _broken(name: str, found: str) -> Finding:
    advice = "Keep a copy of the store's folder, export what is there, and import it into a new store."
    return Finding(name, Verdict.FAIL, found, advice)


def _shortly(found: Sequence[str]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(found[:_SHOWN]) + more


def _batches(last: int) -> Iterator[Sequence[int]]:
    for first in range(1, last + 1, BATCH):
        yield range(first, min(first + BATCH, last + 1))
