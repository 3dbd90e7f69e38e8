"""What `recall` answers: short rows by default, and an account of the store beside them (O8, O9, O10, F10, F11)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from recordance.answer.merging import Failed, absences, aside_view, failed_view
from recordance.answer.outcome import BY_VALUE, excluded_view, exclusion_reason
from recordance.answer.shown import Whole, whole_capsule
from recordance.domain.capsule import Capsule, CapsuleText, LabelField
from recordance.domain.destination import Naming
from recordance.domain.warrant import Warrant
from recordance.errors import Json
from recordance.query.accrued import MOST_K, AccruedRequest, Detail, Wish
from recordance.query.exclusion import Eligibility, ExclusionReason
from recordance.query.fence import LabelFence
from recordance.query.terms import words_left_out
from recordance.ranking.scoring import TermHit

_SAID = ("content", "tags", "value", "id", "embedding")
"""What a whole row leaves out of a capsule's view: it has said it already, the content as `text`; and vectors are no reading."""


class Fold(Enum):
    """Why a hit gave its place among the first k to another one."""

    RESTATED = "restated"
    """It restates a value that another hit has corrected (O9)."""
    ALIKE = "alike"
    """It is too like hits that stand before it (L11)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccruedHit:
    """One hit with everything that ranks it; `resolved_over` are the hits that restate what its capsule has retired."""

    capsule: Capsule
    text: CapsuleText
    relevance: float
    accrued: float
    score: float
    term: TermHit | None
    cosine: float | None
    stuffed: bool
    resolved_over: tuple[int, ...] = ()

    @property
    def number(self) -> int:
        """Its capsule's number."""
        return self.capsule.number


@dataclass(frozen=True, slots=True, kw_only=True)
class AccruedPart:
    """What is said of one store.

    `capsules` is how many the caller may see there, `in_scope` how many of them lie inside every fence, counted only where
    nothing matched; `aside` is why its vectors were left out (D5).
    """

    name: str
    capsules: int
    in_scope: int | None
    matched: int
    excluded: Mapping[ExclusionReason, int]
    aside: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccruedAnswer:
    """Everything that an answer is made of.

    `folded` are the ids of those that would be rows had nobody asked for diversity or for conflicts to be resolved; `unmeant` is
    why nothing was compared by meaning, None where it was.
    """

    request: AccruedRequest
    rows: Sequence[dict[str, Json]]
    folded: Mapping[Fold, Sequence[str]]
    parts: Sequence[AccruedPart | Failed]
    unasked: Sequence[str]
    unmeant: str | None


def accrued_answer(answer: AccruedAnswer) -> dict[str, Json]:
    """Return `{result, store}`."""
    return {"result": list(answer.rows), "store": dict(_store(answer))}


def shown_hit(
    hit: AccruedHit, request: AccruedRequest, naming: Naming, warrant: Warrant | None, whole: Whole | None, now: Eligibility
) -> dict[str, Json]:
    """Return a hit as a row: five fields, then what the caller asked for or must know."""
    capsule = hit.capsule
    row: dict[str, Json] = {
        "id": naming.id(capsule.number),
        "text": _snippet(hit.text.content, request),
        "score": round(hit.score, 4),
        "value": capsule.value,
        "tags": list(hit.text.tags),
        **dict(_marked(hit, request, naming)),
    }
    if whole is not None:
        row |= {name: value for name, value in whole_capsule(whole, naming, now).items() if name not in _SAID}
        row |= _ranking(hit)
    if warrant is not None:
        row |= {"warrant": warrant.tier.value, "warrant_rests_on": list(warrant.rests_on)}
    return row


def _snippet(content: str, request: AccruedRequest) -> str:
    return content[: request.snippet] if _is_cut(content, request) else content


def _is_cut(content: str, request: AccruedRequest) -> bool:
    """Whether a text is cut: whole rows are whole."""
    return request.detail is Detail.COMPACT and 0 < request.snippet < len(content)


def _marked(hit: AccruedHit, request: AccruedRequest, naming: Naming) -> Iterator[tuple[str, Json]]:
    capsule = hit.capsule
    if _is_cut(hit.text.content, request):
        yield "truncated", True
    if Wish.PROJECT in request.wishes and (project := capsule.labels.get(LabelField.PROJECT)) is not None:
        yield "project", project
    if capsule.standing.quarantined_at is not None:
        yield "quarantined", True
    if capsule.standing.archived_at is not None:
        yield "archived", True
    if hit.stuffed:
        yield "stuffed", True
    if hit.resolved_over:
        yield "resolved_over", [naming.id(number) for number in hit.resolved_over]


def _ranking(hit: AccruedHit) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "relevance": round(hit.relevance, 4),
        "accrued": round(hit.accrued, 4),
        "matched_terms": [] if hit.term is None else list(hit.term.matched),
        "bm25": None if hit.term is None else 0.0 - round(hit.term.bm25, 4),
        "vector_similarity": None if hit.cosine is None else round(hit.cosine, 4),
    }
    return {name: value for name, value in fields.items() if value is not None}


# ── of the store ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _store(answer: AccruedAnswer) -> Iterator[tuple[str, Json]]:
    request = answer.request
    told = [each for each in answer.parts if isinstance(each, AccruedPart)]
    excluded = sum((Counter(part.excluded) for part in told), Counter[ExclusionReason]())
    yield from _where(answer)
    yield "scope", "all projects" if request.project is None else "project and unstamped"
    if request.project is not None:
        yield "project", request.project
    yield "capsules", sum(part.capsules for part in told)
    yield "matched", sum(part.matched for part in told)
    yield "returned", len(answer.rows)
    if any(answer.folded.values()):
        yield "folded", {fold.value: list(answer.folded[fold]) for fold in Fold if answer.folded.get(fold)}
    if any(excluded.values()):
        yield "excluded", excluded_view(excluded)
    if request.asked_k != request.k:
        yield "clamped", {"k": request.asked_k, "to": request.k, "why": f"at most {MOST_K} hits are returned"}
    if skipped := dict(_skipped(answer)):
        yield "skipped", skipped
    if not answer.rows:
        yield "empty", " ".join((_emptiness(told, excluded, request), *absences(answer.parts, answer.unasked)))


def _skipped(answer: AccruedAnswer) -> Iterator[tuple[str, Json]]:
    if cut := words_left_out(answer.request.question):
        yield "term", cut
    if answer.unmeant is not None:
        yield "semantic", answer.unmeant


def _where(answer: AccruedAnswer) -> Iterator[tuple[str, Json]]:
    if len(answer.parts) == 1 and isinstance(answer.parts[0], AccruedPart) and answer.parts[0].aside is None:
        yield "destination", answer.parts[0].name
        return
    yield "searched", [_searched(each) for each in answer.parts]


def _searched(each: AccruedPart | Failed) -> dict[str, Json]:
    if isinstance(each, Failed):
        return failed_view(each)
    return {"destination": each.name, "matched": each.matched, **aside_view(each.aside)}


def _emptiness(told: Sequence[AccruedPart], excluded: Mapping[ExclusionReason, int], request: AccruedRequest) -> str:
    """Return why nothing is shown, and what to do about it, in words that fit this emptiness and no other."""
    capsules = sum(part.capsules for part in told)
    if not capsules:
        return "Nothing has been stored here yet; memory_store writes the first capsule."
    if any(excluded.values()):
        return exclusion_reason(BY_VALUE, excluded)
    in_scope = sum(part.in_scope or 0 for part in told)
    if not in_scope:
        stored = "One capsule is stored, and it does not lie" if capsules == 1 else f"Of {capsules} capsules none lies"
        return f"{stored} inside this scope; {_widening(request)}."
    return (
        f"Nothing matched among the {in_scope} capsules in this scope: no word of the question stands in one of them. Words "
        "match exactly, so ask in other words, or send query_embedding."
    )


def _widening(request: AccruedRequest) -> str:
    if Wish.TRUSTED_ONLY in request.wishes:
        return "trusted_only leaves out what no trusted key or source stands behind; recall without it to see that"
    if request.project is not None:
        return "all_projects searches every project, and the tool projects lists them"
    owners = [each.field.value for each in request.base.scope.fences if isinstance(each, LabelFence)]
    if owners:
        return f"leave out {' or '.join(owners)}"
    return "they are telemetry, which is never recalled here; memory_list shows it"
