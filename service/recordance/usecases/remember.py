"""Remember: capsules are stored, collapsed onto equal ones, or rejected one by one (W1, W2, W5, W7)."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from recordance.answer.written import remembered
from recordance.domain.caller import Caller
from recordance.domain.capture import Planned
from recordance.domain.change import ChangeSet, KeepAnswer, KeptAnswer
from recordance.domain.draft import CapsuleDraft
from recordance.domain.identity import label_digest
from recordance.domain.instant import MICROSECONDS_PER_DAY, Instant
from recordance.domain.provenance import Anchor
from recordance.domain.remembered import Decision, Rejected
from recordance.errors import Json, MissingState, Refusal, StateKind
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility
from recordance.ranking.trimming import compact_json
from recordance.usecases.deciding import decide, placed
from recordance.usecases.gathering import gather
from recordance.usecases.likening import liken, with_newcomers
from recordance.usecases.planning import plan
from recordance.usecases.store import Destinations, Store

KEPT_MICROSECONDS = 7 * MICROSECONDS_PER_DAY
"""How long the answer to a write with an idempotency key is given again (W1)."""


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A caller's word that a write is one and the same: `items_digest` tells its items, as they came, from others (W1)."""

    key: str
    items_digest: str


def remember(
    destinations: Destinations,
    caller: Caller,
    destination: str | None,
    items: Sequence[CapsuleDraft | Refusal],
    idempotency: Idempotency | None,
) -> dict[str, Json]:
    """Store a batch in one transaction and answer `{results, captured, deduplicated, rejected, similar_skipped?}`.

    Results are in the order of the items. An item that is a Refusal was refused before it came here: it is `rejected` with its
    lesson and blocks nobody. An answer in which all are rejected is not kept under its idempotency key: nothing was written, so
    the same items are judged anew, and mended ones may come under the same key. Raises MissingState for an unknown destination, a
    caller who may not write, or an idempotency key that came with other items.
    """
    return _written(destinations.writing(caller, destination), caller, items, idempotency, _each_for_itself)


def remember_one(
    destinations: Destinations, caller: Caller, destination: str | None, item: CapsuleDraft, idempotency: Idempotency | None
) -> dict[str, Json]:
    """Store one capsule and answer as `remember` does; what `remember` would answer as `rejected` raises its Refusal."""
    return _written(destinations.writing(caller, destination), caller, [item], idempotency, _refused)


def _written(
    store: Store,
    caller: Caller,
    items: Sequence[CapsuleDraft | Refusal],
    idempotency: Idempotency | None,
    judge: Callable[[Decision], None],
) -> dict[str, Json]:
    """Plan, look for what is alike, decide and write; an error that `judge` raises about the decision undoes all."""
    now = Eligibility(at=store.clock.now())
    batch = _hashed(store, [_planned(item, place, len(items), caller, store, now.at) for place, item in enumerate(items)])
    planned = {place: item for place, item in enumerate(batch) if isinstance(item, Planned)}
    likened = liken(store, planned, len(batch), now)
    with store.truth.writing() as writer:
        kept = None if idempotency is None else _kept(writer, caller, idempotency, now.at)
        if kept is not None:
            return kept
        likened = with_newcomers(likened, writer, planned)
        known = gather(writer, list(planned.values()), None if likened.skipped else likened.found, now)
        decision = decide(batch, known, caller, now.at)
        judge(decision)
        answer = remembered(decision, likened.skipped, caller, now)
        changes = decision.changes
        if idempotency is not None and answer["rejected"] < len(items):
            changes = changes.then(_keeping(caller, idempotency, answer, now.at))
        if changes.changes:
            writer.apply(changes, caller.actor, now.at)
    return answer


def _each_for_itself(_: Decision) -> None:
    """Let every item have its own result."""


def _refused(decision: Decision) -> None:
    """Raise the refusal of the first item that was rejected."""
    for result in decision.results:
        if isinstance(result, Rejected):
            raise result.refusal


def _planned(
    item: CapsuleDraft | Refusal, place: int, items: int, caller: Caller, store: Store, at: Instant
) -> Planned | Refusal:
    if isinstance(item, Refusal):
        return item
    try:
        return plan(item, caller, store.taint, at)
    except Refusal as refusal:
        return placed(refusal, place, items)


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


def _kept(reader: TruthReader, caller: Caller, idempotency: Idempotency, at: Instant) -> dict[str, Json] | None:
    """Return the first answer to this very write, None if there is none; raises MissingState if the key came with other items."""
    kept = reader.kept_answer(_own_key(caller, idempotency))
    if kept is None or at - kept.at > KEPT_MICROSECONDS:
        return None
    if kept.items_digest != idempotency.items_digest:
        lesson = "this key came with other items less than 7 days ago; send those again, or these under a key of their own"
        raise MissingState(StateKind.IDEMPOTENCY_CONFLICT, idempotency.key, lesson)
    answer: dict[str, Json] = json.loads(kept.answer)
    return answer


def _keeping(caller: Caller, idempotency: Idempotency, answer: Mapping[str, Json], at: Instant) -> ChangeSet:
    kept = KeptAnswer(_own_key(caller, idempotency), idempotency.items_digest, compact_json(answer), at)
    return ChangeSet((KeepAnswer(kept),))


def _own_key(caller: Caller, idempotency: Idempotency) -> str:
    """Return the key under which the answer is kept: a fenced caller's own, as no answer crosses a fence (F13)."""
    if caller.projects is None:
        return idempotency.key
    return f"fenced-{label_digest(caller.fence_key)}-{idempotency.key}"
