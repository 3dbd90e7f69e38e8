"""Warrant: which independent channel backs a capsule (O8).

A tier is a word and no number: a low number would be read as a weak yes. Unwarranted may inform a thought, and should not by
itself drive an act.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.capsule import Capsule
from recordance.domain.review import AnchorVerdict, Corroboration, Feedback, FeedbackOutcome

ENOUGH = 2
"""So many distinct sources, or keys, corroborate."""
_LAPSED = "what backed its former words does not count for these"


class Tier(StrEnum):
    """What backs a capsule."""

    EARNED = "earned"
    """Others than its writer and revisers were helped by it at least as often as hurt, or a commit bears its anchor out."""
    CORROBORATED = "corroborated"
    """Two distinct sources say so, or two distinct keys where the service demands them."""
    UNWARRANTED = "unwarranted"
    """One voice alone, or taken back."""


class Bar(StrEnum):
    """What corroborates."""

    SOURCES = "sources"
    KEYS = "keys"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """What is known for and against a capsule: all judgements, the git witness's latest verdict, sources and proven keys.

    `revisers` changed what it says, before they judged it or after; what backed only what it said before is left out, and that
    there is such is `lapsed`. `sources` and `keys` are those of the capsule and of what
    stands with it, in the form in which two are told apart.
    """

    feedback: Sequence[Feedback] = ()
    revisers: frozenset[str] = frozenset()
    corroboration: Corroboration | None = None
    sources: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    lapsed: bool = False


@dataclass(frozen=True, slots=True)
class Warrant:
    """A tier, and in words what it rests on."""

    tier: Tier
    rests_on: tuple[str, ...]


def warrant(capsule: Capsule, backing: Backing, bar: Bar) -> Warrant:
    """Return the tier of a capsule; what was taken back has none, however well it was backed."""
    if taken_back(capsule):
        return Warrant(Tier.UNWARRANTED, (taken_back(capsule),))
    helped, hurt = _credit(backing)
    earned = []
    if helped and helped >= hurt:
        earned.append(f"helped {helped}, hurt {hurt} by others than those who wrote it")
    if backing.corroboration is not None and backing.corroboration.verdict is AnchorVerdict.CORROBORATED:
        earned.append("a commit bears its anchor out")
    if earned:
        return Warrant(Tier.EARNED, tuple(earned))
    voices = backing.keys if bar is Bar.KEYS else backing.sources
    if len(voices) >= ENOUGH:
        return Warrant(Tier.CORROBORATED, (f"{len(voices)} distinct {bar.value}",))
    none = f"{len(voices)} of {ENOUGH} distinct {bar.value}, and no credit by others"
    return Warrant(Tier.UNWARRANTED, (none, _LAPSED) if backing.lapsed else (none,))


def taken_back(capsule: Capsule) -> str:
    """Return how a capsule was taken back; empty where it was not."""
    standing = capsule.standing
    marks = (
        ("falsified", standing.falsified_at),
        ("superseded", standing.superseded_at),
        ("quarantined", standing.quarantined_at),
    )
    return next((word for word, since in marks if since is not None), "")


def _credit(backing: Backing) -> tuple[int, int]:
    """Return how often it helped and hurt others than those whose words it says (W8)."""
    outcomes = [each.outcome for each in backing.feedback if each.warrants and each.actor not in backing.revisers]
    return outcomes.count(FeedbackOutcome.HELPED), outcomes.count(FeedbackOutcome.HURT)
