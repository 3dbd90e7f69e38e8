"""What is said of relations, aliases, judgements, verdicts, the archive and the miss ledger: wire objects in fixed orders."""

from collections.abc import Sequence

from recordance.answer.state import state_of
from recordance.domain.alias import Alias, Miss
from recordance.domain.caller import projects_of
from recordance.domain.capsule import Capsule, Use
from recordance.domain.destination import Naming
from recordance.domain.instant import format_instant
from recordance.domain.relation import Relation
from recordance.domain.review import Feedback, FeedbackOutcome
from recordance.domain.supersession import RETIRING
from recordance.errors import Json, Refusal, StateKind
from recordance.query.exclusion import Eligibility


def related_view(status: str, relation: Relation, target: Capsule, naming: Naming, now: Eligibility) -> dict[str, Json]:
    """Return what became of a relation; for a kind that retires, also the state in which its target is now."""
    view: dict[str, Json] = {
        "status": status,
        "kind": relation.kind.value,
        "from": naming.id(relation.source),
        "to": naming.id(relation.target),
    }
    return view | ({"to_state": state_of(target, now)} if relation.kind in RETIRING else {})


def alias_view(alias: Alias) -> dict[str, Json]:
    """Return a pair as it was taught."""
    return {"term": alias.term, "alias": alias.text}


def aliases_view(aliases: Sequence[Alias]) -> dict[str, Json]:
    """Return all aliases with the times of their lessons."""
    listed = [{**alias_view(alias), "at": format_instant(alias.at)} for alias in aliases]
    return {"aliases": listed, "total": len(listed)}


def taught_view(lessons: Sequence[Alias | Refusal], new: Sequence[Alias]) -> dict[str, Json]:
    """Return how each lesson ended; `new` are those that were not known before, of which a repetition was known already."""
    fresh = {(alias.term_key, alias.alias_key) for alias in new}
    results = [_taught(lesson, fresh) for lesson in lessons]
    counts = {status: sum(result["status"] == status for result in results) for status in ("taught", "already", "rejected")}
    return {"results": results, **counts}


def _taught(lesson: Alias | Refusal, fresh: set[tuple[str, str]]) -> dict[str, Json]:
    """Return how a lesson ended, and take it out of those that are `fresh`."""
    if isinstance(lesson, Refusal):
        return {"status": "rejected", "error": lesson.message}
    key = (lesson.term_key, lesson.alias_key)
    status = "taught" if key in fresh else "already"
    fresh.discard(key)
    return {"status": status, **alias_view(lesson)}


def judged_view(
    outcome: FeedbackOutcome,
    judged: Sequence[tuple[Naming, Feedback, Use]],
    skipped: Sequence[tuple[Naming, int, StateKind]],
) -> dict[str, Json]:
    """Return what a judgement made of each capsule (weights with 2 decimals), and whom it skipped and why."""
    view: dict[str, Json] = {"outcome": outcome.value, "judged": [_judged(*each) for each in judged]}
    passed_over = [{"id": naming.id(number), "why": why.value} for naming, number, why in skipped]
    return view | ({"skipped": passed_over} if skipped else {})


def _judged(naming: Naming, feedback: Feedback, use: Use) -> dict[str, Json]:
    view: dict[str, Json] = {
        "id": naming.id(feedback.capsule),
        "feedback_weight": round(use.feedback_weight, 2),
        "use_count": use.count,
    }
    return view if feedback.warrants else {**view, "self_graded": True}


def reviewed_view(verdict: str, capsule: Capsule, naming: Naming, now: Eligibility) -> dict[str, Json]:
    """Return a verdict with the review state and the state that it leads to."""
    review = capsule.standing.review
    state = {} if review is None else {"review_state": review.value}
    return {"id": naming.id(capsule.number), "verdict": verdict, **state, "state": state_of(capsule, now)}


def archived_view(status: str, capsule: Capsule, naming: Naming, now: Eligibility) -> dict[str, Json]:
    """Return what became of a capsule that was put away or taken back."""
    return {"id": naming.id(capsule.number), "status": status, "state": state_of(capsule, now)}


def misses_view(misses: Sequence[Miss]) -> dict[str, Json]:
    """Return rows of the miss ledger; `projects` is the fence under which a fenced caller missed the term."""
    return {
        "misses": [
            {
                "term": miss.term_key,
                "outcome": miss.outcome.value,
                "count": miss.count,
                "last_at": format_instant(miss.last_at),
                **({"projects": projects_of(miss.fence)} if miss.fence else {}),
            }
            for miss in misses
        ]
    }
