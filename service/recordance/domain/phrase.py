"""A notation for phrases: patterns over spoken words, short enough to be read as what they say (W2).

A pattern is a row of parts: `(a|b_c)` one of these, `?x` it may be missing, `~3` up to three words of any kind, `3*(a|b)` up to
three of these, `!(a|b)` none of these comes next, `=(a|b)` one of these or the end comes next, `@` the beginning of an order: of
a sentence, or after a word that joins one to another. `_` is a space inside a part.
"""

import functools
import re
from dataclasses import dataclass
from enum import StrEnum


class TaintShape(StrEnum):
    """What instruction-shaped text tries to do to its reader."""

    OVERRIDE = "override_instructions"
    EXFILTRATION = "exfiltration_order"
    CONCEALMENT = "concealment_order"
    AUTHORITY = "new_authority"
    TRUST = "self_certified_trust"
    ROLE = "role_prefix"
    TOOL_CALL = "embedded_tool_call"
    HIDDEN = "hidden_text"


_BEGINNING = r"(?:^|(?<= \.)|(?<= and)|(?<= then)|(?<= please)|(?<= now)|(?<= must)|(?<= always)|(?<= e)|(?<= y)|(?<= und))"
_DENIALS = frozenset({"not", "never", "t", "dont", "cannot", "nor", "nao", "nunca", "jamais", "no", "jamas", "nicht", "nie"})
_BEFORE = 40
"""How many characters before a phrase are looked at for a denial; a word more or less makes no denial of it."""
_BETWEEN = frozenset({"ever", "simply", "just", "to", "blindly", "accidentally"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way of saying something: found where `pattern` matches and no denial stands right before it.

    `triggers` are words of which every match has one.
    """

    shape: TaintShape
    triggers: frozenset[str]
    pattern: str

    def is_in(self, said: str) -> bool:
        """Whether the phrase is said, and not only forbidden; `said` as `disguise.spoken` gives it."""
        padded, pattern = f" {said}", _compiled(self.pattern)
        found = pattern.search(padded)
        while found is not None and _is_denied(padded[max(0, found.start() - _BEFORE) : found.start()]):
            found = pattern.search(padded, found.start() + 1)
        return found is not None


def phrase(shape: TaintShape, triggers: str, pattern: str) -> Phrase:
    """Return the phrase that a pattern in this module's notation describes."""
    return Phrase(shape, frozenset(triggers.split()), pattern)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when its triggers are first met: all of them at once would double the time that a start takes."""
    return re.compile("".join(map(_part, pattern.split())) + "(?![^ ])")


def _part(part: str) -> str:
    match part[0]:
        case "@":
            return _BEGINNING
        case "~":
            return f"(?: [^ ]+){{0,{part[1:]}}}?"
        case "?":
            return f"(?:{_part(part[1:])})?"
        case "!":
            return f"(?!{_part(part[1:])}(?![^ ]))"
        case "=":
            return f"(?={_part(part[1:])}(?![^ ])|$)"
        case digit if digit.isdigit():
            return f"(?:{_part(part[2:])}){{0,{digit}}}"
    choices = part[1:-1] if part[0] == "(" else part
    return f" (?:{choices.replace('_', ' ')})"


def _is_denied(before: str) -> bool:
    *_, second, last = ["", "", *before.split()]
    return last in _DENIALS or (last in _BETWEEN and second in _DENIALS)
