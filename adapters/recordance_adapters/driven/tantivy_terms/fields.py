"""What the index holds of a capsule: tokens that fences and reasons ask for, and numbers that are compared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.identity import label_digest
from recordance.domain.instant import Instant
from recordance.domain.review import ReviewState
from recordance.query.document import TermDocument
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import MarkField
from recordance.query.text_services import STEM, is_marked

LAST = 2**63 - 1
FIRST = -(2**63)
"""The instants of what never ends, has not been superseded, or has no time of its own: outside all that can be asked about."""

STATE_BITS = {
    ExclusionReason.QUARANTINED: 1,
    ExclusionReason.FALSIFIED: 2,
    ExclusionReason.ARCHIVED: 4,
    ExclusionReason.SUPERSEDED: 8,
    ExclusionReason.PROPOSED: 16,
    ExclusionReason.UNDATED: 32,
}
"""The reasons that have a bit in the number `state`, by which matches are counted."""
STATES = 2 ** len(STATE_BITS)
"""How many different states there are."""


def label_token(field: LabelField | MarkField, label: str | None) -> str:
    """Return the token of a label in a field; None is the token of capsules that bear none there."""
    return f"{field.value}:" if label is None else f"{field.value}:{label_digest(label)}"


_UNLABELLED = {field: label_token(field, None) for field in LabelField}
"""The tokens of a capsule without any label: most bear few of many."""


def subtree_token(prefix: str) -> str:
    """Return the token of everything that lies in a project's subtree, itself included (F1)."""
    return f"under:{label_digest(prefix)}"


def reason_token(reason: ExclusionReason) -> str:
    """Return the token of capsules for which a reason holds or ever held (see `state_of`)."""
    return f"is:{reason.value}"


def state_of(capsule: Capsule) -> frozenset[ExclusionReason]:
    """Return the reasons that hold for a capsule or ever held, whoever asks and whenever."""
    standing = capsule.standing
    decided = {
        ExclusionReason.QUARANTINED: standing.quarantined_at is not None,
        ExclusionReason.FALSIFIED: standing.falsified_at is not None,
        ExclusionReason.ARCHIVED: standing.archived_at is not None,
        ExclusionReason.SUPERSEDED: standing.superseded_at is not None,
        ExclusionReason.PROPOSED: standing.review in (ReviewState.PROPOSED, ReviewState.REJECTED),
        ExclusionReason.UNDATED: capsule.event is None,
    }
    return frozenset(reason for reason, holds in decided.items() if holds)


def _served(extras: str) -> dict[str, str]:
    """Return what text services made of a content, by the field that holds it."""
    stems = [word for word in extras.split() if scores(word)]
    rest = [word for word in extras.split() if not scores(word)]
    return {name: " ".join(words) for name, words in (("stem", stems), ("extra", rest)) if words}


def field_of(word: str) -> str:
    """Return the field that holds a word: contents' own, their stems, or what else text services make of them."""
    if not is_marked(word):
        return "body"
    return "stem" if word.startswith(STEM) else "extra"


def scores(word: str) -> bool:
    """Whether the engine's score of a word is worth anything: its field has the lengths of contents."""
    return field_of(word) != "extra"


def index_fields(document: TermDocument) -> dict[str, Any]:
    """Return the fields of a document as the engine takes them."""
    capsule, standing = document.capsule, document.capsule.standing
    state = state_of(capsule)
    event = capsule.event
    return {
        "body": document.folded,
        **_served(document.extras),
        "key": str(document.number),
        "label": [*_labels(document), *map(reason_token, state)],
        "docid": document.number,
        "state": sum(STATE_BITS[reason] for reason in state),
        "valid_from": capsule.validity.valid_from,
        "valid_to": LAST if capsule.validity.valid_to is None else capsule.validity.valid_to,
        "event_from": FIRST if event is None else event.event_from,
        "event_to": LAST if event is None else event.event_to,
        "superseded_at": LAST if standing.superseded_at is None else standing.superseded_at,
        "captured_at": capsule.captured_at,
    }


def _labels(document: TermDocument) -> list[str]:
    labels = document.capsule.labels
    tokens = list({**_UNLABELLED, **{field: label_token(field, label) for field, label in labels.items()}}.values())
    tokens += [label_token(field, mark) for field, marks in document.marks.items() for mark in marks]
    project = labels.get(LabelField.PROJECT)
    if project is not None:
        tokens.append(subtree_token(project))
        tokens += [subtree_token(project[:place]) for place, character in enumerate(project) if character == "/"]
    return tokens


@dataclass(frozen=True, slots=True)
class Spans:
    """How far certain instants reach over all that an index ever held; what no capsule can meet need not be asked.

    The bounds never shrink while documents go, so that they are wide at worst. None: there is no such instant.
    """

    superseded_last: Instant | None = None
    ends_first: Instant | None = None
    begins_last: Instant | None = None

    def covering(self, capsule: Capsule) -> "Spans":
        """Return the spans with one more capsule in them."""
        return Spans(
            _outer(max, self.superseded_last, capsule.standing.superseded_at),
            _outer(min, self.ends_first, capsule.validity.valid_to),
            _outer(max, self.begins_last, capsule.validity.valid_from),
        )

    def may_be_superseded_after(self, at: Instant) -> bool:
        """Whether some capsule may have been superseded later than `at`."""
        return self.superseded_last is not None and self.superseded_last > at

    def may_be_expired(self, at: Instant) -> bool:
        """Whether some capsule may have ended by `at`."""
        return self.ends_first is not None and self.ends_first <= at

    def may_begin_after(self, at: Instant) -> bool:
        """Whether some capsule may begin later than `at`."""
        return self.begins_last is not None and self.begins_last > at


def _outer(outermost: Callable[[Instant, Instant], Instant], one: Instant | None, other: Instant | None) -> Instant | None:
    if one is None or other is None:
        return other if one is None else one
    return outermost(one, other)
