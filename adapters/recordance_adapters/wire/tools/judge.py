"""`memory_feedback` and `memory_review`: what capsules did for their readers, and what reviewers decide (W5, W8, O13)."""

from collections.abc import Mapping

from recordance.domain.review import FeedbackOutcome
from recordance.errors import InvalidArgument, Json
from recordance.usecases.judge import CapsuleTarget, ReceiptTarget, Verdict, give_feedback, review
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import ARRAY, TEXT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence
from recordance_adapters.wire.kinds import label, text, word
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

FEEDBACK_ARGUMENTS = Declaration((
    Parameter(name="receipt", kind=text(limits.RECEIPT), description="Of a recall: judges all that it showed."),
    Parameter(name="capsule_id", kind=label(), description="Or one capsule."),
    Parameter(name="outcome", kind=word(FeedbackOutcome), presence=Presence.REQUIRED, example="helped"),
    Parameter(name="note", kind=text(limits.NOTE)),
    DESTINATION,
))  # fmt: skip

REVIEW_ARGUMENTS = Declaration((
    Parameter(name="id", kind=label(), presence=Presence.REQUIRED, example="cap-12"),
    Parameter(name="verdict", kind=word(Verdict), presence=Presence.REQUIRED, example="ratify"),
    Parameter(name="reason", kind=text(limits.NOTE)),
    DESTINATION,
))  # fmt: skip


def _feedback(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = FEEDBACK_ARGUMENTS.read(raw)
    if ("receipt" in given) == ("capsule_id" in given):
        why = "both are given" if "receipt" in given else "nothing is named that could be judged"
        raise InvalidArgument("receipt", raw.get("receipt"), "either the receipt of a recall or a capsule_id", why)
    target = ReceiptTarget(given["receipt"]) if "receipt" in given else CapsuleTarget(given["capsule_id"])
    return give_feedback(*where(call, given), target, given["outcome"], given.get("note"))


def _review(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = REVIEW_ARGUMENTS.read(raw)
    return review(*where(call, given), given["id"], given["verdict"], given.get("reason"))


FEEDBACK = Tool(
    name="memory_feedback",
    title="Judge what was recalled",
    description=(
        "Say what recalled capsules did for you. Moves their feedback weight, which ranks only where a recall sets "
        "weight_blend; per receipt and capsule your latest counts."
    ),
    effect=Effect.SETTLES,
    tool_set=ToolSet.CORE,
    arguments=FEEDBACK_ARGUMENTS,
    output=answer({"outcome": TEXT, "judged": ARRAY}, {"skipped": ARRAY}),
    handle=_feedback,
)

REVIEW = Tool(
    name="memory_review",
    title="Review proposals",
    description=(
        "Decide on a capsule: propose, ratify or reject (the latest verdict counts; only ratified proposals ground), or "
        "release one from quarantine after reading it."
    ),
    effect=Effect.ADDS,
    tool_set=ToolSet.CORE,
    arguments=REVIEW_ARGUMENTS,
    output=answer({"id": TEXT, "verdict": TEXT, "state": TEXT}, {"review_state": TEXT}),
    handle=_review,
)
