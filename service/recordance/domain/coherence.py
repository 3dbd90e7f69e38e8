"""Whether what has been decided about a capsule agrees with what decided it: relations, rulings and judgements (W3, W5, W7, W8).

So does an embedding with its capsule and its space (W4). Every write keeps both together; where they differ, other hands changed
a file or a database, or it is damaged. A forgotten capsule is left out: the end of a relation to it lifts nothing any more.
"""

import math
from collections.abc import Collection, Sequence

from recordance.domain.capsule import Capsule, Standing, Use
from recordance.domain.destination import BARE, Naming
from recordance.domain.embedding import COMPONENT_BYTES, Embedding
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Feedback, ReviewEvent, ReviewState, Ruling, feedback_weight

_VERDICTS = {
    Ruling.PROPOSED: ReviewState.PROPOSED,
    Ruling.RATIFIED: ReviewState.RATIFIED,
    Ruling.REJECTED: ReviewState.REJECTED,
}


def retirement_fault(standing: Standing, retiring: Collection[Relation], naming: Naming = BARE) -> str:
    """Return where a standing and the retiring relations to its capsule contradict each other; empty if they do not.

    Who superseded it may be unknown (an import left them outside), but whoever is named stands in that relation since then.
    """
    superseding = {(each.source, each.at) for each in retiring if each.kind is RelationKind.SUPERSEDES}
    falsifying = [each for each in retiring if each.kind is RelationKind.FALSIFIES]
    if standing.tombstoned_at is not None:
        return ""
    if superseding and standing.superseded_at is None:
        return f"{naming.id(min(superseding)[0])} supersedes it, and it does not stand as superseded"
    if standing.superseded_by is not None and (standing.superseded_by, standing.superseded_at) not in superseding:
        return f"it stands as superseded by {naming.id(standing.superseded_by)}, and no relation since then says so"
    if falsifying and standing.falsified_at is None:
        return f"{naming.id(falsifying[0].source)} falsifies it, and it does not stand as falsified"
    return ""


def retired_by_nobody(standing: Standing, retiring: Collection[Relation]) -> bool:
    """Whether no relation says what retired a capsule, as after an import that left its superseder outside."""
    kinds = {each.kind for each in retiring}
    superseded = standing.superseded_at is not None and RelationKind.SUPERSEDES not in kinds
    falsified = standing.falsified_at is not None and RelationKind.FALSIFIES not in kinds
    return standing.tombstoned_at is None and (superseded or falsified)


def ruling_fault(standing: Standing, rulings: Sequence[ReviewEvent]) -> str:
    """Return where a standing and the history of rulings (oldest first) contradict each other; empty if they do not."""
    if standing.tombstoned_at is not None:
        return ""
    verdicts = [_VERDICTS[each.verdict] for each in rulings if each.verdict in _VERDICTS]
    if standing.review != (verdicts[-1] if verdicts else None):
        latest = f"its latest verdict is {verdicts[-1].value}" if verdicts else "no verdict is in its history"
        return f"its review state is {'none' if standing.review is None else standing.review.value}, and {latest}"
    put_away = [each.verdict for each in rulings if each.verdict in (Ruling.ARCHIVED, Ruling.RESTORED)]
    archived = bool(put_away) and put_away[-1] is Ruling.ARCHIVED
    if archived is not (standing.archived_at is not None):
        return "its history says that it was put away, and it is not" if archived else "it is put away, and its history is silent"
    released = [each.at for each in rulings if each.verdict is Ruling.RELEASED]
    if standing.quarantined_at is not None and released and standing.quarantined_at <= released[-1]:
        return "its history says that it was released, and it stands in quarantine"
    return ""


def use_of(feedback: Sequence[Feedback]) -> Use:
    """Return what all judgements of a capsule make of it; per receipt and actor the latest counts, oldest first (W8, O13)."""
    counting: dict[tuple[str, str], Feedback] = {}
    for each in feedback:
        counting.pop((each.receipt, each.actor), None)
        counting[each.receipt, each.actor] = each
    outcomes = tuple(each.outcome for each in counting.values())
    last_at = max((each.at for each in counting.values()), default=None)
    return Use(count=len(outcomes), last_at=last_at, feedback_weight=feedback_weight(outcomes))


def use_fault(capsule: Capsule, feedback: Sequence[Feedback]) -> str:
    """Return where a capsule's use is not what its judgements make of it (W8); empty if it is."""
    told, made = capsule.use, use_of(feedback)
    if (told.count, told.last_at) != (made.count, made.last_at):
        return f"it was used {told.count} times by its own account, {made.count} times by its judgements"
    if not math.isclose(told.feedback_weight, made.feedback_weight, abs_tol=1e-9):
        return f"its feedback weight is {told.feedback_weight:g}, and its judgements make it {made.feedback_weight:g}"
    if any(each.warrants and each.actor == capsule.writer for each in feedback):
        return "a judgement by its own writer warrants"
    if capsule.revision == 1 and any(not each.warrants and each.actor != capsule.writer for each in feedback):
        return "a judgement by one who is not its writer warrants nothing, though nobody has revised it"
    return ""


def embedding_fault(capsule: Capsule, embedding: Embedding, dimension: int | None) -> str:
    """Return why this cannot be an embedding of the capsule; empty if it can be (L2, W4, cases D7, E3).

    `dimension` is that of its space, None where there is no such space.
    """
    vector = embedding.vector
    if capsule.standing.tombstoned_at is not None:
        return "its capsule is forgotten"
    if dimension is None:
        return f"there is no space {embedding.space!r}"
    if embedding.content_digest != capsule.content_digest:
        return "it was made for another content"
    if len(vector.packed) != dimension * COMPONENT_BYTES:
        return f"it has {vector.dimension} components, and its space {dimension}"
    if not all(map(math.isfinite, vector.values)):
        return "a component is not finite"
    return "" if any(vector.values) else "all of its components are zero"
