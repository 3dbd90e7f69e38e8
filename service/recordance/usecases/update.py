"""Update: a capsule's next revision, against the one that its caller saw if they say which (W13, W4, W6, cases C12, D7, K2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recordance.answer.revised import Updated, updated_view
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, CapsuleText, LabelField
from recordance.domain.capture import Planned
from recordance.domain.destination import Naming
from recordance.domain.forgetting import content_mac
from recordance.domain.instant import Instant
from recordance.domain.provenance import Anchor
from recordance.domain.revision import Amended, CapsuleChanges, amended, revised
from recordance.domain.vocabulary import Kind, checked_subtype
from recordance.errors import InvalidArgument, Json, MissingState, StateKind
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility
from recordance.usecases.addressing import place_of
from recordance.usecases.lookup import sees, unforgotten
from recordance.usecases.planning import plan
from recordance.usecases.store import Destinations, Store

FIELD = "changes"
"""The argument below which a fault of the changes is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What a caller would have otherwise of the capsule with this id, which is at `expected_revision` if they say so."""

    id: str
    changes: CapsuleChanges
    expected_revision: int | None = None


def update(destinations: Destinations, caller: Caller, destination: str | None, wanted: Update) -> dict[str, Json]:
    """Make a capsule's next revision and answer `{id, status: updated | unchanged, revision, state, …}`.

    Changes that change nothing make no revision. Raises MissingState for a capsule that is unknown, out of the caller's sight or
    forgotten, for content that was forgotten, and (REVISION_CONFLICT, with the `revision` that there is) where another one was
    expected; InvalidArgument where no store could keep it so, or where another capsule of the project says the same.
    """
    store = destinations.writing(caller, place_of(destinations, caller, destination, {"id": wanted.id}))
    hashes = _hashes(store, caller, wanted)
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        capsule = unforgotten(writer, caller, store.naming, wanted.id)
        _check_revision(capsule, wanted, store.naming)
        text = writer.texts([capsule.number])[capsule.number]
        after = amended(capsule, text, wanted.changes)
        if (after.capsule, after.text) == (capsule, text):
            return updated_view(Updated(capsule), store.naming, now)
        planned = _planned(writer, caller, store, capsule, after, now.at)
        if _speaks_anew(after.text, text):
            after = replace(after, text=_hashed(after.text, hashes))
        spaces = writer.embeddings([capsule.number]).get(capsule.number, ())
        dropped = [each.space for each in spaces if each.content_digest != planned.digest]
        writer.apply(revised(capsule, text, after, planned, caller.actor, now.at), caller.actor, now.at)
        return updated_view(Updated(writer.capsules([capsule.number])[capsule.number], planned, dropped), store.naming, now)


def _hashes(store: Store, caller: Caller, wanted: Update) -> Mapping[str, str | None]:
    """Return the hash of each anchored file as it is now, read before anybody has to wait for this write."""
    with store.truth.reading() as reader:
        capsule = unforgotten(reader, caller, store.naming, wanted.id)
        text = reader.texts([capsule.number])[capsule.number]
    after = amended(capsule, text, wanted.changes).text
    anchors = after.anchors if _speaks_anew(after, text) else ()
    return {anchor.path: store.anchors.file_hash(anchor) for anchor in anchors if anchor.path is not None}


def _speaks_anew(after: CapsuleText, before: CapsuleText) -> bool:
    """Whether a text says something of its anchors that it did not say before: their files are then hashed as at capture (O5)."""
    return (after.content, after.anchors) != (before.content, before.anchors)


def _hashed(text: CapsuleText, hashes: Mapping[str, str | None]) -> CapsuleText:
    def hashed(anchor: Anchor) -> Anchor:
        if anchor.path is None or anchor.path not in hashes:
            return anchor
        return replace(anchor, file_hash=hashes[anchor.path])

    return replace(text, anchors=tuple(map(hashed, text.anchors)))


def _check_revision(capsule: Capsule, wanted: Update, naming: Naming) -> None:
    expected = wanted.expected_revision
    if expected is None or expected == capsule.revision:
        return
    lesson = (
        f"it is at revision {capsule.revision} and not at {expected}: somebody changed it meanwhile, or never so far; "
        f"read it with memory_get, and send what shall be changed of that with expected_revision {capsule.revision}"
    )
    raise MissingState(StateKind.REVISION_CONFLICT, naming.id(capsule.number), lesson, revision=capsule.revision)


def _planned(reader: TruthReader, caller: Caller, store: Store, before: Capsule, after: Amended, at: Instant) -> Planned:
    """Return the amended capsule judged as one that is stored; raises what is refused of it."""
    _check_subtype(before, after.capsule)
    try:
        planned = plan(after.draft, caller, store.taint, at)
    except InvalidArgument as refusal:
        raise refusal.under(FIELD) from None
    if planned.digest != before.content_digest:
        _check_content(reader, caller, store.naming, planned)
    return planned


def _check_subtype(before: Capsule, after: Capsule) -> None:
    subtype, kind = after.labels.get(LabelField.SUBTYPE), after.labels.get(LabelField.KIND)
    if subtype is None or subtype == before.labels.get(LabelField.SUBTYPE):
        return
    field = f"{FIELD}.{LabelField.SUBTYPE}"
    if kind is None:
        raise InvalidArgument(field, subtype, "no subtype", "a subtype belongs to a kind, and this capsule has none")
    checked_subtype(Kind(kind), subtype, field)


def _check_content(reader: TruthReader, caller: Caller, naming: Naming, planned: Planned) -> None:
    """Refuse what was forgotten (W6), and what another capsule of the project says already, dead or alive (W1)."""
    mac = content_mac(planned.digest, reader.identity().key)
    skeleton = reader.forgotten([mac]).get(mac)
    if skeleton is not None:
        seen = _seen(reader, caller, [skeleton])
        named = naming.id(skeleton) if seen else "content"
        raise MissingState(StateKind.TOMBSTONED_CAPSULE, named, "this content was forgotten and is not stored again")
    equal = [each.number for each in reader.known_contents([planned.digest]) if each.project_id == planned.project]
    if equal:
        id = naming.id(equal[0])
        expected = f"other content, or relate {id} to this one with kind supersedes"
        why = f"{id} says exactly that already, and one project holds a content once"
        raise InvalidArgument(f"{FIELD}.content", planned.draft.content, expected, why)


def _seen(reader: TruthReader, caller: Caller, numbers: Sequence[int]) -> list[int]:
    return [number for number, capsule in reader.capsules(numbers).items() if sees(caller, capsule)]
