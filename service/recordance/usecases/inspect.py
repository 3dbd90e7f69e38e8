"""Upkeep of a store: how it stands, whether it is in order, and its indexes made anew (`status`, `doctor`, `rebuild`)."""

from collections.abc import Callable, Mapping
from functools import partial

from recordance.domain.caller import Caller
from recordance.domain.destination import Naming
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.errors import Fault, Json, MissingState, StateKind, StoreUnusable
from recordance.ports.housing import Housing
from recordance.ports.models import NO_MODELS, Models
from recordance.ports.truth import TruthReader
from recordance.query.text_services import TextServices
from recordance.usecases.examining import TRUTH_CHECKS, Finding, Verdict, broken, shortly, worst
from recordance.usecases.examining_followers import follower_views, followers
from recordance.usecases.examining_forgotten import forgotten
from recordance.usecases.examining_models import answering
from recordance.usecases.examining_places import purged
from recordance.usecases.examining_vectors import embeddings, index_name, vector_index
from recordance.usecases.follow import Progress
from recordance.usecases.space_status import index_view, space_views
from recordance.usecases.store import Destinations, Store

__all__ = ["Verdict", "doctor", "rebuild", "status"]

_LOOKS = 3
_EVERY_ROW = 2**31 - 1


def status(destinations: Destinations, caller: Caller, destination: str | None, housing: Housing) -> dict[str, Json]:
    """Return how the store stands: its place, counts, spaces, the indexes' positions, sizes in bytes, and versions."""
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
        "text": _text(store.terms.services),
        "spaces": space_views(store, destinations.models.embedding),
        "vector_index": index_view(store.vectors),
        **follower_views(housing),
        "bytes": dict(housing.sizes()),
        "versions": dict(housing.versions()),
    }


def _text(services: TextServices) -> dict[str, Json]:
    """Return the text services that this process's term index is built with, as the configuration names them (T5, T9)."""
    return {
        "inflection": services.language or None,
        "segmentation": services.cut is not None,
        "version": services.version or None,
    }


def rebuild(destinations: Destinations, caller: Caller, destination: str | None, progress: Progress) -> dict[str, Json]:
    """Make this process's indexes anew from the truth, and answer `{status: rebuilt, seq, vectors, spaces?}`.

    `vectors` is how many the vector index holds, `spaces` how many those of models do, by their names. `progress` hears of the
    rows that are done for the terms, then of those for the vectors, space by space.
    """
    store = destinations.writing(_unfenced(caller), destination)
    store.terms.rebuild(progress)
    held = dict[str, int]()
    for name, vectors in store.followed().items():
        vectors.rebuild(progress)
        held[name] = vectors.held() or 0
    own = held.pop(DEFAULT_SPACE)
    return {"status": "rebuilt", "seq": store.terms.status().applied, "vectors": own, **({"spaces": held} if held else {})}


def doctor(
    destinations: Destinations, caller: Caller, destination: str | None, housing: Housing, progress: Progress
) -> dict[str, Json]:
    """Look at everything and answer `{verdict, checks: [{name, verdict, found, advice?}]}`; changes nothing in the truth.

    `progress` hears of the checks that are done.
    """
    store = destinations.reading(_unfenced(caller), destination)
    findings = list[Finding]()
    checks = _checks(store, housing, destinations.models)
    for done, (name, check) in enumerate(checks.items(), start=1):
        findings.append(_examined(name, check))
        progress(done, len(checks))
    verdict = worst(finding.verdict for finding in findings)
    return {"verdict": verdict.value, "checks": [finding.view for finding in findings]}


def _unfenced(caller: Caller) -> Caller:
    """Return the caller if no project fence stands; counts, sizes and faults tell of every project (F13)."""
    if caller.projects is None:
        return caller
    lesson = "upkeep tells of every project; ask as a caller without a project fence"
    raise MissingState(StateKind.NOT_PERMITTED, "upkeep", lesson)


def _checks(store: Store, housing: Housing, models: Models) -> Mapping[str, Callable[[], Finding]]:
    return {
        "integrity": lambda: _damage(housing),
        "access": lambda: _access(housing),
        "privacy": lambda: _privacy(housing),
        **{name: partial(_read, store, check) for name, check in TRUTH_CHECKS.items()},
        "embeddings": partial(_read, store, embeddings),
        "forgotten": partial(_read, store, forgotten),
        "purged": lambda: purged(store),
        "index": lambda: _index(store, housing),
        "text": lambda: _same_services(housing),
        **{index_name(space): partial(vector_index, store, space) for space in store.followed()},
        **({} if models == NO_MODELS else {"models": lambda: answering(store, models)}),
        **({} if housing.followers() is None else {"followers": lambda: followers(housing)}),
    }


def _examined(name: str, check: Callable[[], Finding]) -> Finding:
    """Return what a check finds; one that cannot go on has found something too."""
    try:
        return check()
    except StoreUnusable as away:
        if away.kind is StateKind.STORE_UNREACHABLE:
            return Finding(name, Verdict.FAIL, "the server of the truth went away meanwhile", "Ask again when it runs.")
        return broken(name, str(away))
    except Fault as fault:
        return broken(name, str(fault))


def _read(store: Store, check: Callable[[TruthReader, Naming], Finding]) -> Finding:
    with store.truth.reading() as reader:
        return check(reader, store.naming)


def _damage(housing: Housing) -> Finding:
    damage = housing.damage()
    if not damage:
        return Finding("integrity", Verdict.OK, "the truth's own check finds nothing")
    advice = "Stop every server of this store, keep a copy of its folder, and restore a backup or import the last export."
    return Finding("integrity", Verdict.FAIL, shortly(damage), advice)


def _access(housing: Housing) -> Finding:
    obstacle = housing.obstacle()
    if obstacle is None:
        return Finding("access", Verdict.OK, "it can be read and written")
    advice = (
        "Let this program write in the folder and its files, or name a server that takes writes; "
        "until then every write is refused and misses are not kept."
    )
    return Finding("access", Verdict.WARN, f"it can only be read: {obstacle}", advice)


def _privacy(housing: Housing) -> Finding:
    exposed = housing.exposed()
    if not exposed:
        return Finding("privacy", Verdict.OK, "only its owner can read the store")
    return Finding("privacy", Verdict.WARN, f"others may look into {shortly(exposed)}", "Take their rights away: chmod 0700.")


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


def _same_services(housing: Housing) -> Finding:
    """Two processes answer alike only if words match alike in both (O11)."""
    others = housing.served_otherwise()
    if not others:
        return Finding("text", Verdict.OK, "every process here has the same text services")
    advice = "Give every process of the store the same text settings; each has an index of its own meanwhile."
    return Finding("text", Verdict.WARN, f"{others} here follow it with other text services, and may answer otherwise", advice)
