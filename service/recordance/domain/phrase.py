"""A notation for phrases: patterns over spoken words, short enough to be read as what they say (W2).

A pattern is a row of parts: `(a|b_c)` one of these, `?x` it may be missing, `~3` up to three words of any kind, `3*(a|b)` up to
three of these, `!(a|b)` none of these comes next, `=(a|b)` one of these or the end comes next. `_` is a space inside a part.
A pattern may open with what has to stand before it: `@` a beginning, of a sentence or after a word that joins one to another;
`>` anything but the subject of a statement, as "clients" is in "clients send". Letters that look like Latin ones are read as
Latin ones, in a pattern as in a text, and each Han character is a word.
"""

import functools
import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.disguise import read_alike


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


_JOINING = ". and then please now must always e y et und bitte favor plait"
_STATING = "we they i who that which people to can could may might will would must should shall not t never"
_ADDRESSING = (
    "this|always|yes|you must|you should|you shall|you will|you can|you could|you would|you need to|you have to|you are to|"
    "you to|agent must|agents must|agent should|assistant must|assistants must|assistant should|remember to|sure to|forget to|"
    "hesitate to|task is to|job is to|goal is to"
)
_OPENINGS = {
    "@": "|".join(("(?<=^ )", *(f"(?<= {re.escape(word)} )" for word in _JOINING.split()))),
    ">": "|".join(
        (
            *(f"(?<= {words} )" for words in _ADDRESSING.split("|")),
            "(?<!s )" + "".join(f"(?<! {word} )" for word in _STATING.split()),
        )
    ),
}
_DENIALS = frozenset(
    {"not", "never", "t", "dont", "cannot", "nor", "nao", "nunca", "jamais", "no", "jamas", "nicht", "nie", "pas"}
)
_ABILITIES = frozenset({"can", "could", "may", "might", "will", "would"})
_READER = (
    "you i we this who whoever everyone everybody anyone anybody one agent agents assistant assistants ai llm bot model reader "
    "readers system . note memory"
)
_READERS = frozenset(_READER.split())
"""Whose ability is an order to the reader: "you can ignore", and not "the linker can ignore"."""
_HAN_PAIR = re.compile("(?<=[\u3400-\u9fff])(?=[\u3400-\u9fff])")
_BEFORE = 40
"""How many characters before a phrase are looked at for a denial; a word more or less makes no denial of it."""
_BETWEEN = frozenset({"ever", "simply", "just", "to", "blindly", "accidentally", "safely", "also"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way of saying something: found where `pattern` matches and no denial stands right before it.

    `triggers` are words of which every match has one; of `company` it has one as well, if there is any.
    """

    shape: TaintShape
    triggers: frozenset[str]
    pattern: str
    company: frozenset[str] = frozenset()

    def may_be_among(self, words: AbstractSet[str]) -> bool:
        """Whether a text of these words can say the phrase: cheaper than to look for it."""
        return not self.triggers.isdisjoint(words) and not (self.company and self.company.isdisjoint(words))

    def is_in(self, said: str) -> bool:
        """Whether the phrase is said, and not only forbidden; `said` as `disguise.spoken` gives it."""
        padded, pattern = f" {said}", _compiled(self.pattern)
        found = pattern.search(padded)
        while found is not None and _is_denied(padded[max(0, found.start() - _BEFORE) : found.start()]):
            found = pattern.search(padded, found.start() + 1)
        return found is not None


def phrase(shape: TaintShape, triggers: str, pattern: str, company: str = "") -> Phrase:
    """Return the phrase that a pattern in this module's notation describes."""
    if not (triggers.isascii() and pattern.isascii()):
        triggers, pattern = read_alike(triggers), _HAN_PAIR.sub("_", read_alike(pattern))
    return Phrase(shape, frozenset(triggers.split()), pattern, frozenset(company.split()))


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when its triggers are first met: all of them at once would double the time that a start takes."""
    first, *rest = pattern.split()
    if first in _OPENINGS:
        # The space first: what a pattern begins with is what is searched for fastest.
        verb = _part(rest.pop(0)).removeprefix(" ")
        return re.compile(f" (?={verb})(?:{_OPENINGS[first]}){verb}{''.join(map(_part, rest))}(?![^ ])")
    return re.compile("".join(map(_part, (first, *rest))) + "(?![^ ])")


def _part(part: str) -> str:
    match part[0]:
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
    """Whether these words make no order of what follows: they forbid it, or tell what somebody else is able to do."""
    words = ["", "", *before.split()]
    while words[-1] in _BETWEEN:
        words.pop()
    if words[-1] in _ABILITIES:
        return bool(words[-2]) and _READERS.isdisjoint(words)
    return words[-1] in _DENIALS
