"""Three honest outcomes, and what an empty answer says of itself (O1, O2, O6)."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from recordance.errors import Json, shown
from recordance.query.exclusion import ExclusionReason
from recordance.query.lane import Lane
from recordance.query.terms import TermGroup


class Outcome(StrEnum):
    """How a recall ends."""

    GROUNDED = "grounded"
    MISSING_EVIDENCE = "missing_evidence"
    ABSTAIN = "abstain"


def outcome_of(eligible: int, excluded: Mapping[ExclusionReason, int]) -> Outcome:
    """Return grounded if anything may ground, missing evidence if everything that matched was excluded, else abstain (O1)."""
    if eligible:
        return Outcome.GROUNDED
    return Outcome.MISSING_EVIDENCE if any(excluded.values()) else Outcome.ABSTAIN


def excluded_view(excluded: Mapping[ExclusionReason, int]) -> dict[str, int]:
    """Return the counts above zero, in the order in which the reasons claim a match (F6)."""
    return {reason.value: excluded[reason] for reason in ExclusionReason if excluded.get(reason)}


def abstention_reason(
    lanes: Sequence[Lane], groups: Sequence[TermGroup], stated: Sequence[tuple[str, object]], capsules: int
) -> str:
    """Return why nothing was found: the lanes that ran, every fence given, and alias expansion if it ran (O1).

    `stated` are the fences as the caller gave them; `capsules` how many the caller's corpus holds. It never claims that
    nothing was ever recorded, and names the limit of unspaced scripts where a term meets it (T5, case A1).
    """
    parts = (
        f"Nothing matched in the {_listed([lane.value for lane in lanes])} lane.",
        "The store holds no capsule yet." if capsules == 0 else "",
        _fences(stated),
        _aliases(groups),
        _words(groups),
        _runs(groups),
    )
    return " ".join(part for part in parts if part)


def _fences(stated: Sequence[tuple[str, object]]) -> str:
    if not stated:
        return ""
    return "Fences: " + _listed([f"{name} {shown(value)}" for name, value in stated]) + "."


def _aliases(groups: Sequence[TermGroup]) -> str:
    taught = [way.label.removeprefix("alias:") for group in groups for way in group.alternatives[1:]]
    if not taught:
        return "Alias expansion ran; no alias is taught for these terms."
    return f"Alias expansion ran and tried {_listed([shown(text) for text in taught])} too."


def _words(groups: Sequence[TermGroup]) -> str:
    if any(len(group.term.words) > 1 for group in groups):
        return "Words match exactly, and all words of a term must stand in one capsule: try fewer words a term, or other forms."
    return "Words match exactly: try other forms or synonyms as further terms."


def _runs(groups: Sequence[TermGroup]) -> str:
    runs = [word for group in groups for word in group.term.words if _unspaced(word)]
    if not runs:
        return ""
    return (
        f"{_listed([shown(run) for run in runs])}: an unspaced script is matched as whole runs between spaces and punctuation, "
        "so a word inside a run is not found; teach it with memory_alias, or store the text with spaces."
    )


def _unspaced(word: str) -> bool:
    """Whether the word is in a script without spaces: Han, kana, Bopomofo, Thai, Lao or Khmer."""
    code = ord(word[0])
    return 0x0E00 <= code <= 0x0EFF or 0x1780 <= code <= 0x17FF or 0x2E80 <= code <= 0x9FFF or code >= 0x1AFF0


def _listed(words: Sequence[Json]) -> str:
    return ", ".join(words)
