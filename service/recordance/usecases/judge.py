"""Judging capsules: what they did for their readers (W8, O13), and what reviewers decide (W5, W2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from recordance.answer.receipt import read_receipt
from recordance.answer.settled import judged_view, reviewed_view
from recordance.domain.caller import Caller, Permission
from recordance.domain.capsule import Capsule, Use
from recordance.domain.change import AppendReview, Change, ChangeSet, PutFeedback, SetStanding, SetUse
from recordance.domain.coherence import use_of
from recordance.domain.destination import Naming
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op
from recordance.domain.review import Feedback, FeedbackOutcome, ReviewEvent, ReviewState, Ruling
from recordance.domain.storable import check_storable
from recordance.errors import Json, MissingState, StateKind
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility
from recordance.usecases.addressing import place_of, receipts_of
from recordance.usecases.authorship import self_graded
from recordance.usecases.lookup import sees, unforgotten
from recordance.usecases.store import Destinations, Store, check_permission


@dataclass(frozen=True, slots=True)
class ReceiptTarget:
    """Everything that the recall of this receipt showed."""

    receipt: str


@dataclass(frozen=True, slots=True)
class CapsuleTarget:
    """One capsule, by id."""

    id: str


FeedbackTarget = ReceiptTarget | CapsuleTarget


class Verdict(StrEnum):
    """What a reviewer decides (W5); `release` lifts a quarantine and nothing else (W2)."""

    PROPOSE = "propose"
    RATIFY = "ratify"
    REJECT = "reject"
    RELEASE = "release"


_RULINGS = {
    Verdict.PROPOSE: (Ruling.PROPOSED, ReviewState.PROPOSED),
    Verdict.RATIFY: (Ruling.RATIFIED, ReviewState.RATIFIED),
    Verdict.REJECT: (Ruling.REJECTED, ReviewState.REJECTED),
}
"""What a verdict on a proposal is in the history, and the state that it leads to."""


def give_feedback(
    destinations: Destinations,
    caller: Caller,
    destination: str | None,
    target: FeedbackTarget,
    outcome: FeedbackOutcome,
    note: str | None,
) -> dict[str, Json]:
    """Judge what was recalled and answer `{outcome, judged: [{id, feedback_weight, use_count, self_graded?}], skipped?}`.

    Of a receipt, what was forgotten since or lies outside the caller's fence is skipped and said; a single capsule raises
    MissingState then. A receipt of several destinations is judged in each, after all of them have read their part of it: nothing
    is written if one cannot. Raises InvalidArgument for a receipt whose signature does not hold.
    """
    check_permission(caller, Permission.WRITE)
    targets = _targets(destinations, caller, destination, target)
    if note is not None:
        check_storable(note, "note")
    if len(targets) > 1:
        for name, part in targets:
            store = destinations.writing(caller, name)
            with store.truth.reading() as reader:
                _shown(reader, caller, store.naming, part)
    judged, skipped = list[tuple[Naming, Feedback, Use]](), list[tuple[Naming, int, StateKind]]()
    for name, part in targets:
        store = destinations.writing(caller, name)
        done, passed_over = _judged(store, caller, part, outcome, note)
        judged += [(store.naming, *each) for each in done]
        skipped += [(store.naming, *each) for each in passed_over]
    return judged_view(outcome, judged, skipped)


def _targets(
    destinations: Destinations, caller: Caller, destination: str | None, target: FeedbackTarget
) -> Sequence[tuple[str, FeedbackTarget]]:
    """Return what each destination is to judge; raises as `place_of` does."""
    match target:
        case CapsuleTarget(id):
            return [(place_of(destinations, caller, destination, {"capsule_id": id}), target)]
        case ReceiptTarget(receipt):
            parts = receipts_of(destinations, caller, destination, receipt)
            return [(name, ReceiptTarget(part)) for name, part in parts]


def _judged(
    store: Store, caller: Caller, target: FeedbackTarget, outcome: FeedbackOutcome, note: str | None
) -> tuple[Sequence[tuple[Feedback, Use]], Sequence[tuple[int, StateKind]]]:
    at = store.clock.now()
    with store.truth.writing() as writer:
        numbers, receipt = _shown(writer, caller, store.naming, target)
        capsules = writer.capsules(numbers)
        judged = [capsules[each] for each in numbers if each in capsules and _may_be_judged(caller, capsules[each])]
        before = writer.feedback([capsule.number for capsule in judged])
        own = {each.number for each in judged if self_graded(writer, each, caller.actor)}
        new = [Feedback(each.number, receipt, caller.actor, outcome, each.number not in own, note, at) for each in judged]
        uses = [use_of((*before.get(feedback.capsule, ()), feedback)) for feedback in new]
        changes = [_judgement(capsule, feedback, use) for capsule, feedback, use in zip(judged, new, uses, strict=True)]
        if changes:
            writer.apply(_one(changes), caller.actor, at)
    return list(zip(new, uses, strict=True)), _skipped(caller, numbers, capsules)


def review(
    destinations: Destinations, caller: Caller, destination: str | None, id: str, verdict: Verdict, reason: str | None
) -> dict[str, Json]:
    """Add a verdict to a capsule's history and answer `{id, verdict, review_state?, state}`.

    A release leaves the review state as it is. Raises MissingState when the capsule is unknown or forgotten, or is to be
    released and stands in no quarantine.
    """
    store = destinations.writing(caller, place_of(destinations, caller, destination, {"id": id}))
    if reason is not None:
        check_storable(reason, "reason")
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        capsule = unforgotten(writer, caller, store.naming, id)
        if verdict is Verdict.RELEASE and capsule.standing.quarantined_at is None:
            lesson = "it stands in no quarantine; ratify or reject what is proposed"
            raise MissingState(StateKind.NOT_QUARANTINED, store.naming.id(capsule.number), lesson)
        writer.apply(_ruled(capsule, verdict, reason, caller.actor, now.at), caller.actor, now.at)
        return reviewed_view(verdict.value, writer.capsules([capsule.number])[capsule.number], store.naming, now)


def _shown(reader: TruthReader, caller: Caller, naming: Naming, target: FeedbackTarget) -> tuple[Sequence[int], str]:
    """Return whom the feedback is about, and the receipt under which it counts ("" without one)."""
    match target:
        case CapsuleTarget(id):
            return (unforgotten(reader, caller, naming, id).number,), ""
        case ReceiptTarget(receipt):
            identity = reader.identity()
            return read_receipt(receipt, "receipt", identity.store, identity.key).numbers, receipt


def _may_be_judged(caller: Caller, capsule: Capsule) -> bool:
    return sees(caller, capsule) and capsule.standing.tombstoned_at is None


def _skipped(caller: Caller, numbers: Sequence[int], capsules: Mapping[int, Capsule]) -> list[tuple[int, StateKind]]:
    """Return who was not judged and why; what lies outside the caller's fence is unknown to them (F13)."""
    seen = {number for number in numbers if number in capsules and sees(caller, capsules[number])}
    return [
        (number, StateKind.TOMBSTONED_CAPSULE if number in seen else StateKind.UNKNOWN_CAPSULE)
        for number in numbers
        if number not in seen or capsules[number].standing.tombstoned_at is not None
    ]


def _judgement(capsule: Capsule, feedback: Feedback, use: Use) -> ChangeSet:
    values = {
        "outcome": feedback.outcome.value,
        "warrants": int(feedback.warrants),
        "feedback_weight": use.feedback_weight,
        "use_count": use.count,
        "last_at": use.last_at,
    }
    entry = Entry(Op.FED_BACK, capsule.number, capsule.revision, values)
    return ChangeSet((PutFeedback(feedback), SetUse(capsule.number, use)), (entry,))


def _one(changes: Sequence[ChangeSet]) -> ChangeSet:
    all_changes: tuple[Change, ...] = tuple(change for each in changes for change in each.changes)
    return ChangeSet(all_changes, tuple(entry for each in changes for entry in each.entries))


def _ruled(capsule: Capsule, verdict: Verdict, reason: str | None, actor: str, at: Instant) -> ChangeSet:
    if verdict is Verdict.RELEASE:
        return _released(capsule, ReviewEvent(capsule.number, Ruling.RELEASED, reason, actor, at))
    ruling, state = _RULINGS[verdict]
    standing = SetStanding(capsule.number, replace(capsule.standing, review=state), at)
    entry = Entry(Op.REVIEWED, capsule.number, capsule.revision, {"verdict": ruling.value})
    return ChangeSet((AppendReview(ReviewEvent(capsule.number, ruling, reason, actor, at)), standing), (entry,))


def _released(capsule: Capsule, event: ReviewEvent) -> ChangeSet:
    standing = SetStanding(capsule.number, replace(capsule.standing, quarantined_at=None), event.at)
    entry = Entry(Op.RELEASED, capsule.number, capsule.revision, {"quarantined_at": None})
    return ChangeSet((AppendReview(event), standing), (entry,))
