"""Three honest outcomes, and what an empty answer says of itself (O1, O2, O6)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum

from recordance.errors import shorten
from recordance.query.exclusion import ExclusionReason
from recordance.query.folding import fold_words
from recordance.query.lane import Lane
from recordance.query.terms import TermGroup
from recordance.query.text_services import FRAGMENT, STEM, is_marked
from recordance.ranking.trimming import compact_json

MOST_LISTED = 8
"""How many aliases or runs a reason names; a long list helps nobody."""


class Outcome(StrEnum):
    """How a recall ends."""

    GROUNDED = "grounded"
    MISSING_EVIDENCE = "missing_evidence"
    ABSTAIN = "abstain"


class Sight(Enum):
    """How much of a store the one that asks may see (F13)."""

    WHOLE = "whole"
    PART = "part"


def outcome_of(eligible: int, excluded: Mapping[ExclusionReason, int]) -> Outcome:
    """Return grounded if anything may ground, missing evidence if everything that matched was excluded, else abstain (O1)."""
    if eligible:
        return Outcome.GROUNDED
    return Outcome.MISSING_EVIDENCE if any(excluded.values()) else Outcome.ABSTAIN


def excluded_view(excluded: Mapping[ExclusionReason, int]) -> dict[str, int]:
    """Return the counts above zero, in the order in which the reasons claim a match (F6)."""
    return {reason.value: excluded[reason] for reason in ExclusionReason if excluded.get(reason)}


_WHAT = {
    ExclusionReason.QUARANTINED: "shaped like an instruction; a reviewer can release it",
    ExclusionReason.FALSIFIED: "shown to be false",
    ExclusionReason.ARCHIVED: "put away",
    ExclusionReason.SUPERSEDED: "something newer took its place; ask for that in other words",
    ExclusionReason.EXPIRED: "no longer valid",
    ExclusionReason.NOT_YET_VALID: "not valid yet",
    ExclusionReason.OUTSIDE_TIME_WINDOW: "happened outside time_window",
    ExclusionReason.UNDATED: "does not say when it happened; time_window excludes it",
    ExclusionReason.PROPOSED: "waits for a verdict",
    ExclusionReason.BELOW_SUPPORT: "covers too little of what was asked",
    ExclusionReason.TOMBSTONED: "forgotten",
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a tool is asked: what an empty answer advises names its parameters and no other tool's.

    `ways` are those to what is excluded; `asked` is what is looked for, `more_words` and `without_vector` how to ask otherwise.
    """

    ways: Mapping[ExclusionReason, str]
    asked: str
    more_words: str
    without_vector: str


BY_TERMS = Dialect(
    {
        ExclusionReason.PROPOSED: "include_staged shows it",
        ExclusionReason.BELOW_SUPPORT: "lower min_support or send fewer terms",
    },
    "terms",
    "as further terms",
    "send terms without query_embedding",
)
"""`memory_retrieve`: terms, each of which somebody chose."""
BY_QUESTION = Dialect({}, "words", "in the query", "ask without query_embedding")
"""`memory_recall` and `memory_search_fast`: a query, each word of which is looked for by itself."""
BY_VALUE = Dialect(
    {
        ExclusionReason.QUARANTINED: "include_quarantined shows it",
        ExclusionReason.ARCHIVED: "include_archive shows it",
    },
    "words",
    "in the query",
    "ask without query_embedding",
)
"""`recall`: a query, with ways of its own to what is withheld (F11)."""


def exclusion_reason(dialect: Dialect, excluded: Mapping[ExclusionReason, int]) -> str:
    """Return what became of everything that matched, and what to do about it (O1, O2)."""
    ways = {reason: f"; {way}" for reason, way in dialect.ways.items()}
    parts = [
        f"{excluded[reason]} {reason.value} ({what}{ways.get(reason, '')})"
        for reason, what in _WHAT.items()
        if excluded.get(reason)
    ]
    return f"Something matched, and all of it is excluded: {', '.join(parts)}."


def abstention_reason(
    dialect: Dialect,
    lanes: Sequence[Lane],
    groups: Sequence[TermGroup],
    stated: Sequence[tuple[str, object]],
    capsules: int,
    vectors: int,
    sight: Sight,
) -> str:
    """Return why nothing was found: the lanes that ran, every fence given, and alias expansion if it ran (O1).

    `stated` are the fences as the caller gave them; `capsules` how many the caller's corpus holds, `vectors` how many embeddings
    the store holds; who sees a part of it is told neither of these nor of aliases, which others taught (F13). It never claims
    that nothing was ever recorded, says nothing of terms where none were looked for, and names the limit of unspaced scripts
    where a term meets it (T5, case A1).
    """
    named = " and ".join(lane.value for lane in lanes)
    where = f"Nothing matched in the {named} lane{'s' if len(lanes) > 1 else ''}."
    held = vectors if sight is Sight.WHOLE else 1
    advice = [part for lane in lanes for part in _advice(dialect, lane, groups, held)]
    advice = advice if capsules else ["There is no capsule to search."]
    aliases = _aliases(dialect, groups, sight) if Lane.TERM in lanes else ""
    return " ".join(part for part in (where, _fences(stated), aliases, *advice) if part)


def _advice(dialect: Dialect, lane: Lane, groups: Sequence[TermGroup], vectors: int) -> Sequence[str]:
    match lane:
        case Lane.TERM:
            return (_words(dialect, groups), _runs(groups))
        case Lane.VECTOR:
            return (_NOTHING_NEAR if vectors else f"{_NO_VECTORS}, or {dialect.without_vector}.",)


_NOTHING_NEAR = "No embedding there has a cosine above 0 to query_embedding."
_NO_VECTORS = "No capsule has an embedding yet: attach some with memory_vector"


def _fences(stated: Sequence[tuple[str, object]]) -> str:
    if not stated:
        return ""
    return "Fences: " + ", ".join(f"{name} {compact_json(shorten(value))}" for name, value in stated) + "."


def _aliases(dialect: Dialect, groups: Sequence[TermGroup], sight: Sight) -> str:
    if sight is Sight.PART:
        return "Alias expansion ran."
    ways = [way for group in groups for way in group.alternatives[1:] if not any(map(is_marked, way.words))]
    taught = [way.label.removeprefix("alias:") for way in ways]
    if not taught:
        return f"Alias expansion ran; no alias is taught for these {dialect.asked}."
    return f"Alias expansion ran and tried {_some(taught)} too."


def _words(dialect: Dialect, groups: Sequence[TermGroup]) -> str:
    whole = any(len(group.term.words) > 1 for group in groups)
    if any(word.startswith(STEM) for group in groups for way in group.alternatives for word in way.words):
        together = ", all words of a term in one capsule" if whole else ""
        return f"Words match exactly or by their stem{together}: try synonyms {dialect.more_words}."
    if whole:
        return "Words match exactly, and all words of a term must stand in one capsule: try fewer words a term, or other forms."
    return f"Words match exactly: try other forms or synonyms {dialect.more_words}."


def _runs(groups: Sequence[TermGroup]) -> str:
    runs = [word for group in groups for word in group.term.words if _unspaced(word)]
    cut = any(word.startswith(FRAGMENT) for group in groups for way in group.alternatives for word in way.words)
    if not runs:
        return ""
    if cut:
        return f"{_some(runs)}: looked for inside unspaced runs too, as it is written."
    return (
        f"{_some(runs)}: an unspaced script is matched as whole runs between spaces and punctuation, so a word "
        "inside a run is not found; teach it with memory_alias, or store the text with spaces."
    )


def _unspaced(word: str) -> bool:
    """Whether folding takes the word for a run of an unspaced script: a Latin letter beside it stays apart (T5)."""
    return len(fold_words(word + "x")) > 1


def _some(words: Iterable[str]) -> str:
    """Return the words quoted, each once; beyond the first few only how many more there are."""
    distinct = list(dict.fromkeys(words))
    listed = ", ".join(compact_json(shorten(word)) for word in distinct[:MOST_LISTED])
    return listed if len(distinct) <= MOST_LISTED else f"{listed} and {len(distinct) - MOST_LISTED} more"
