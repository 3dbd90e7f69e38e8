"""The evidence envelope: a hit that passed the fences, with everything needed to judge it (O4).

Fields and their order are WIRE.md's; what does not apply is absent, never null.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

from recordance.domain.capsule import CapsuleText, LabelField
from recordance.domain.destination import Naming
from recordance.domain.identity import source_digest
from recordance.domain.instant import format_instant
from recordance.domain.provenance import AnchorReading, Liveness
from recordance.domain.relation import EffortRole
from recordance.domain.review import Corroboration, ReviewState
from recordance.errors import Json
from recordance.ranking.claim import Claim
from recordance.ranking.scoring import TermHit

LABEL = "ADVISORY_NOT_AUTHORITY"
FRAMING = "DATA"
_LIVENESS_WORD: dict[Liveness, Json] = {Liveness.LIVE: True, Liveness.GONE: False, Liveness.UNKNOWN: "unknown"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that one envelope is made of.

    `naming` is that of its destination. `anchor` is what the probe found at the first anchor, None without one;
    `feedback_weight` is None unless the recall blends it (L7); `role` is set when the recall is fenced to an effort (F5).
    """

    naming: Naming
    claim: Claim
    text: CapsuleText
    anchor: AnchorReading | None
    corroboration: Corroboration | None
    feedback_weight: float | None
    role: EffortRole | None


@dataclass(frozen=True)
class Shown:
    """A result with what it is known by: its capsule's number, and the digest of its content.

    Its envelope is made when it is first asked for: of many that could be shown, few are.
    """

    make: Callable[[], dict[str, Json]]
    number: int
    digest: str

    @cached_property
    def envelope(self) -> dict[str, Json]:
        """The result as a wire object."""
        return self.make()


def shown_of(evidence: Evidence) -> Shown:
    """Return the result that evidence makes."""
    capsule = evidence.claim.capsule
    return Shown(partial(envelope, evidence), capsule.number, capsule.content_digest)


def envelope(evidence: Evidence) -> dict[str, Json]:
    """Return the envelope as a wire object, its fields in the fixed order."""
    return {name: value for name, value in _fields(evidence) if value is not None}


def _fields(evidence: Evidence) -> Iterator[tuple[str, Json]]:
    claim, text = evidence.claim, evidence.text
    capsule = claim.capsule
    yield "label", LABEL
    yield "framing", FRAMING
    yield "id", evidence.naming.id(capsule.number)
    yield "headline", text.headline
    yield "instruction_taint", bool(capsule.taint)
    yield "authority_class", capsule.labels.get(LabelField.AUTHORITY)
    yield "confidence", capsule.confidence
    yield "decayed_weight", round(claim.decayed, 2)
    yield "provenance", _provenance(text)
    yield "anchor_live", None if evidence.anchor is None else _LIVENESS_WORD[evidence.anchor.liveness]
    yield "anchor_drift", None if evidence.anchor is None else evidence.anchor.drift.value
    yield "evidence_state", capsule.labels.get(LabelField.EVIDENCE)
    yield "proof_hint", text.proof_hint
    yield "stale_if", text.stale_if
    yield "freshness", _freshness(evidence)
    yield from _scores(claim.term)
    yield "vector_similarity", None if claim.cosine is None else round(claim.cosine, 4)
    yield "fusion_rank", claim.rank
    yield "support", round(claim.support, 2)
    yield "feedback_weight", None if evidence.feedback_weight is None else round(evidence.feedback_weight, 2)
    yield "review_state", _review_state(capsule.standing.review)
    yield "corroboration", None if evidence.corroboration is None else corroboration_view(evidence.corroboration)
    yield "effort_role", None if evidence.role is None else evidence.role.value


def _scores(hit: TermHit | None) -> Iterator[tuple[str, Json]]:
    """Yield what the term lane has for a result; one that it has nothing for matched no term and bears no score (O4)."""
    if hit is None:
        yield "matched_terms", []
        return
    yield "matched_terms", list(hit.matched)
    yield "relevance", hit.coverage
    # Subtracted from zero, so that a score that rounds to nothing is 0.0 and never -0.0.
    yield "bm25", 0.0 - round(hit.bm25, 4)


def _provenance(text: CapsuleText) -> dict[str, Json]:
    anchor = {"anchor": text.anchors[0].text} if text.anchors else {}
    return {"source": text.source, **anchor, "source_hash": source_digest(text.content)}


def _freshness(evidence: Evidence) -> dict[str, Json]:
    validity = evidence.claim.capsule.validity
    end = {} if validity.valid_to is None else {"valid_to": format_instant(validity.valid_to)}
    return {"valid_from": format_instant(validity.valid_from), **end}


def _review_state(state: ReviewState | None) -> Json:
    """Return the state that standing proposals carry, and nobody else (F7)."""
    return state.value if state in (ReviewState.PROPOSED, ReviewState.REJECTED) else None


def corroboration_view(corroboration: Corroboration) -> dict[str, Json]:
    """Return the latest verdict of the git witness as a wire object."""
    sha = {} if corroboration.anchor_sha is None else {"anchor_sha": corroboration.anchor_sha}
    return {
        "source": "git",
        "git_ref": corroboration.git_ref,
        "anchor_path": corroboration.anchor_path,
        **sha,
        "anchor_content": corroboration.verdict.value,
        "mentions": corroboration.mentions,
        "at": format_instant(corroboration.at),
    }
