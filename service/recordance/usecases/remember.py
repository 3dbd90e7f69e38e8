"""Remember: capsules are stored, collapsed onto equal ones, or rejected one by one (W1, W2, W5, W7)."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from recordance.answer.written import Home, remembered, written
from recordance.domain.caller import Caller, Permission
from recordance.domain.capture import Planned
from recordance.domain.change import ChangeSet, KeepAnswer, KeptAnswer
from recordance.domain.draft import CapsuleDraft
from recordance.domain.identity import capsule_id, label_digest
from recordance.domain.instant import MICROSECONDS_PER_DAY, Instant
from recordance.domain.provenance import Anchor
from recordance.domain.remembered import Decision, Rejected
from recordance.errors import InvalidArgument, Json, MissingState, Refusal, StateKind
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility
from recordance.ranking.trimming import compact_json
from recordance.usecases.addressing import home_of_id
from recordance.usecases.deciding import decide
from recordance.usecases.gathering import gather
from recordance.usecases.likening import liken, with_newcomers
from recordance.usecases.parting import Part, parted, stitched
from recordance.usecases.planning import plan, traits_of
from recordance.usecases.store import Destinations, Store, check_permission

KEPT_MICROSECONDS = 7 * MICROSECONDS_PER_DAY
"""How long the answer to a write with an idempotency key is given again (W1)."""


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A caller's word that a write is one and the same: `items_digest` tells its items, as they came, from others (W1)."""

    key: str
    items_digest: str

    def of_part(self, places: Iterable[int]) -> "Idempotency":
        """Return the word for the items at these places alone, as their answer is kept where they went."""
        told = f"{self.items_digest} {sorted(places)}"
        return Idempotency(self.key, hashlib.sha256(told.encode()).hexdigest())


def remember(
    destinations: Destinations,
    caller: Caller,
    destination: str | None,
    items: Sequence[CapsuleDraft | Refusal],
    idempotency: Idempotency | None,
) -> dict[str, Json]:
    """Store a batch and answer `{results, captured, deduplicated, rejected, similar_skipped?}`.

    An item goes where it says, else to `destination`, else where the rules route it (D6); the part of each destination is one
    transaction there. Results are in the order of the items, and name the destination where the caller sees several. An item that
    is a Refusal was refused before it came here: it is `rejected` with its lesson and blocks nobody, and so are the items of a
    destination that fails. An answer in which all are rejected is not kept under its idempotency key: nothing was written, so the
    same items are judged anew, and mended ones may come under the same key. Raises MissingState for an unknown `destination` or a
    caller who may not write; where all go to one destination also for one that is busy, or an idempotency key that came with
    other items.
    """
    check_permission(caller, Permission.WRITE)
    stated = None if destination is None else destinations.named(caller, destination)
    visible = destinations.visible(caller)

    def home(place: int, draft: CapsuleDraft) -> str:
        if len(visible) == 1 and draft.destination is None and not any(draft.named_in):
            return visible[0]  # as it would be routed, and an import of thousands need not find out for each
        try:
            return home_of(destinations, caller, stated, draft)
        except InvalidArgument as refusal:
            raise _placed(refusal, f"items[{place}]" if len(items) > 1 else "") from None

    parts, refused = parted(items, home)
    if len(parts) <= 1:
        name, part = next(iter(parts.items()), (stated, Part(dict(enumerate(refused.values())), len(items))))
        return _written(_home(destinations, caller, name), caller, part, idempotency, _each_for_itself)

    def write(name: str, part: Part[CapsuleDraft]) -> dict[str, Json]:
        own = None if idempotency is None else idempotency.of_part(part.items)
        return _written(_home(destinations, caller, name), caller, part, own, _each_for_itself)

    results, answers = stitched(destinations, parts, refused, write)
    return written(results, next((each["similar_skipped"] for each in answers.values() if "similar_skipped" in each), None))


def remember_one(
    destinations: Destinations, caller: Caller, destination: str | None, item: CapsuleDraft, idempotency: Idempotency | None
) -> dict[str, Json]:
    """Store one capsule and answer as `remember` does; what `remember` would answer as `rejected` raises its Refusal."""
    check_permission(caller, Permission.WRITE)
    name = home_of(destinations, caller, destination, item)
    return _written(_home(destinations, caller, name), caller, Part({0: item}, 1), idempotency, _refused)


def home_of(destinations: Destinations, caller: Caller, destination: str | None, draft: CapsuleDraft) -> str:
    """Return the destination that a draft belongs to: the one that it names, else `destination`, else the routed one (D6).

    Raises MissingState for a name that the caller does not see, InvalidArgument where it would supersede what lies elsewhere.
    """
    stated = draft.destination or destination
    name = destinations.named(caller, stated or destinations.routed(caller, traits_of(draft, caller)))
    for number, place in zip(draft.supersedes, draft.named_in, strict=bool(draft.named_in)):
        own = capsule_id(number)
        other = home_of_id(destinations, caller, stated, own if place is None else f"{place}:{own}")
        if other != name:
            id = destinations.catalogue(caller).naming(other).id(number)
            why = f"it lies in {other} and this goes to {name}, and a capsule retires only what lies beside it"
            raise InvalidArgument("supersedes", id, f"{other} as its destination, or ids of {name}", why)
    return name


@dataclass(frozen=True, slots=True)
class _Home:
    """The store that a part goes to, and the name of it where results tell that."""

    store: Store
    told: str | None


def _home(destinations: Destinations, caller: Caller, name: str | None) -> _Home:
    store = destinations.writing(caller, name)
    return _Home(store, store.name if len(destinations.visible(caller)) > 1 else None)


def _written(
    home: _Home,
    caller: Caller,
    part: Part[CapsuleDraft],
    idempotency: Idempotency | None,
    judge: Callable[[Decision], None],
) -> dict[str, Json]:
    """Plan, look for what is alike, decide and write; an error that `judge` raises about the decision undoes all."""
    store, items = home.store, list(part.items.values())
    now = Eligibility(at=store.clock.now())
    batch = _hashed(store, [_planned(item, caller, store, now.at) for item in items])
    planned = {place: item for place, item in enumerate(batch) if isinstance(item, Planned)}
    likened = liken(store, planned, part.size, now)
    with store.truth.writing() as writer:
        key = None if idempotency is None else _own_key(caller, idempotency)
        kept = None if idempotency is None or key is None else _kept(writer, key, idempotency, now.at)
        if kept is not None:
            return kept
        likened = with_newcomers(likened, writer, planned)
        known = gather(writer, list(planned.values()), None if likened.skipped else likened.found, now)
        decision = _in_place(part, decide(batch, known, caller, store.naming, now.at))
        judge(decision)
        answer = remembered(decision, likened.skipped, caller, Home(naming=store.naming, told=home.told), now)
        changes = decision.changes
        if idempotency is not None and key is not None and answer["rejected"] < len(items):
            changes = changes.then(_keeping(key, idempotency, answer, now.at))
        if changes.changes:
            writer.apply(changes, caller.actor, now.at)
    return answer


def _in_place(part: Part[CapsuleDraft], decision: Decision) -> Decision:
    """Return the decision with what is refused named below the item's place; what came refused is so already."""
    told = zip(part.items.items(), decision.results, strict=True)
    results = tuple(
        Rejected(_placed(result.refusal, part.field(place)))
        if isinstance(result, Rejected) and isinstance(item, CapsuleDraft)
        else result
        for (place, item), result in told
    )
    return replace(decision, results=results)


def _placed(refusal: Refusal, field: str) -> Refusal:
    return refusal.under(field) if field and isinstance(refusal, InvalidArgument) else refusal


def _each_for_itself(_: Decision) -> None:
    """Let every item have its own result."""


def _refused(decision: Decision) -> None:
    """Raise the refusal of the first item that was rejected."""
    for result in decision.results:
        if isinstance(result, Rejected):
            raise result.refusal


def _planned(item: CapsuleDraft | Refusal, caller: Caller, store: Store, at: Instant) -> Planned | Refusal:
    if isinstance(item, Refusal):
        return item
    try:
        return plan(item, caller, store.taint, at)
    except Refusal as refusal:
        return refusal


def _hashed(store: Store, batch: Sequence[Planned | Refusal]) -> list[Planned | Refusal]:
    """Return the batch with the hash of each anchored file as it is now; a file is read once (O5)."""
    hashes: dict[str, str | None] = {}

    def hashed(anchor: Anchor) -> Anchor:
        if anchor.path is None:
            return anchor
        if anchor.path not in hashes:
            hashes[anchor.path] = store.anchors.file_hash(anchor)
        return replace(anchor, file_hash=hashes[anchor.path])

    return [
        replace(item, draft=replace(item.draft, anchors=tuple(map(hashed, item.draft.anchors))))
        if isinstance(item, Planned) and item.draft.anchors
        else item
        for item in batch
    ]


def _kept(reader: TruthReader, key: str, idempotency: Idempotency, at: Instant) -> dict[str, Json] | None:
    """Return the first answer to this very write, None if there is none; raises MissingState if the key came with other items."""
    kept = reader.kept_answer(key)
    if kept is None or at - kept.at > KEPT_MICROSECONDS:
        return None
    if kept.items_digest != idempotency.items_digest:
        lesson = "this key came with other items less than 7 days ago; send those again, or these under a key of their own"
        raise MissingState(StateKind.IDEMPOTENCY_CONFLICT, idempotency.key, lesson)
    answer: dict[str, Json] = json.loads(kept.answer)
    return answer


def _keeping(key: str, idempotency: Idempotency, answer: Mapping[str, Json], at: Instant) -> ChangeSet:
    return ChangeSet((KeepAnswer(KeptAnswer(key, idempotency.items_digest, compact_json(answer), at)),))


def _own_key(caller: Caller, idempotency: Idempotency) -> str:
    """Return the key under which the answer is kept: a fenced caller's own, as no answer crosses a fence (F13)."""
    if caller.projects is None and caller.destinations is None:
        return idempotency.key
    fence = caller.fence_key + " ".join(sorted(caller.destinations or ()))
    return f"fenced-{label_digest(fence)}-{idempotency.key}"
