"""Judging capsules: what they did for their readers (W8, O13), and what reviewers decide (W5, W2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from recordance.answer.receipt import read_receipt
from recordance.answer.settled import judged_view, reviewed_view
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, Use
from recordance.domain.change import AppendReview, Change, ChangeSet, PutFeedback, SetStanding, SetUse
from recordance.domain.coherence import use_of
from recordance.domain.identity import capsule_id
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op
from recordance.domain.review import Feedback, FeedbackOutcome, ReviewEvent, ReviewState, Ruling
from recordance.domain.storable import check_storable
from recordance.errors import Json, MissingState, StateKind
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility
from recordance.usecases.lookup import sees, unforgotten
from recordance.usecases.store import Destinations


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
    MissingState then. Raises InvalidArgument for a receipt whose signature does not hold.
    """
    store = destinations.writing(caller, destination)
    if note is not None:
        check_storable(note, "note")
    at = store.clock.now()
    with store.truth.writing() as writer:
        numbers, receipt = _shown(writer, caller, target)
        capsules = writer.capsules(numbers)
        judged = [capsules[each] for each in numbers if each in capsules and _may_be_judged(caller, capsules[each])]
        before = writer.feedback([capsule.number for capsule in judged])
        new = [Feedback(each.number, receipt, caller.actor, outcome, each.writer != caller.actor, note, at) for each in judged]
        uses = [use_of((*before.get(feedback.capsule, ()), feedback)) for feedback in new]
        changes = [_judgement(capsule, feedback, use) for capsule, feedback, use in zip(judged, new, uses, strict=True)]
        if changes:
            writer.apply(_one(changes), caller.actor, at)
    return judged_view(outcome, list(zip(new, uses, strict=True)), _skipped(caller, numbers, capsules))


def review(
    destinations: Destinations, caller: Caller, destination: str | None, id: str, verdict: Verdict, reason: str | None
) -> dict[str, Json]:
    """Add a verdict to a capsule's history and answer `{id, verdict, review_state?, state}`.

    A release leaves the review state as it is. Raises MissingState when the capsule is unknown or forgotten, or is to be
    released and stands in no quarantine.
    """
    store = destinations.writing(caller, destination)
    if reason is not None:
        check_storable(reason, "reason")
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        capsule = unforgotten(writer, caller, id)
        writer.apply(_ruled(capsule, verdict, reason, caller.actor, now.at), caller.actor, now.at)
        return reviewed_view(verdict.value, writer.capsules([capsule.number])[capsule.number], now)


def _shown(reader: TruthReader, caller: Caller, target: FeedbackTarget) -> tuple[Sequence[int], str]:
    """Return whom the feedback is about, and the receipt under which it counts ("" without one)."""
    match target:
        case CapsuleTarget(id):
            return (unforgotten(reader, caller, id).number,), ""
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
    if capsule.standing.quarantined_at is None:
        id = capsule_id(capsule.number)
        raise MissingState(StateKind.NOT_QUARANTINED, id, "it stands in no quarantine; ratify or reject what is proposed")
    standing = SetStanding(capsule.number, replace(capsule.standing, quarantined_at=None), event.at)
    entry = Entry(Op.RELEASED, capsule.number, capsule.revision, {"quarantined_at": None})
    return ChangeSet((AppendReview(event), standing), (entry,))
