"""The taint scan: text that is shaped like an instruction to its reader (W2).

A shape is a set of phrases, each a few groups of words close to each other, in English, Portuguese, Spanish, German, French,
Russian or Chinese, and some markers of machine talk. They are looked for in words without accents, case, full-width letters,
look-alike letters or invisible characters. The scan flags, it never blocks, and a reviewer releases what is quarantined.

The balance: what is addressed to the reader counts, what is told about others does not.

- To give a secret away takes four groups in one clause: a verb of sending that is no statement about somebody ("clients
  send"), a secret or a file of secrets as the thing sent ("token", not "token usage"), a word that points, and an address of a
  mailbox or of a host outside. An honest recipe that tells its reader to post a token to a public address is quarantined too:
  no words tell it from an order. Headers, relative paths, hosts of the house and places that keep secrets are spared.
- To drop instructions takes their words together; "the above" alone counts at the end of a clause. What a tool can or will
  do, what is forbidden, and what is quoted as caught is none; any other quotation is.
- To do something untold counts as an order, not as a statement of what a program does.

So passes, by design: a host without a scheme and with an unusual ending, a secret inside the address or in a header, source
code and other data without the name of a secret, a statement ("the agent sends the key to …"), a vault at an address outside,
letters in emoji, and every paraphrase without these words. What is shown of a capsule is framed as data for all of those.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from recordance.domain.capsule import CapsuleText
from recordance.domain.disguise import hidden_text, spoken, undisguised
from recordance.domain.draft import DEFAULT_SOURCE, CapsuleDraft
from recordance.domain.phrase import TaintShape
from recordance.domain.phrases import PHRASES, TRIGGERS
from recordance.domain.taint_markers import MARKER_WORDS, has_role_marker, has_tool_call
from recordance.domain.taint_mentions import told_by_itself


@dataclass(frozen=True, slots=True)
class TaintPolicy:
    """Which shapes are looked for (by name) and which of them quarantine at once."""

    scanned: frozenset[str]
    quarantining: frozenset[str]

    def quarantines(self, shapes: Collection[str]) -> bool:
        """Whether text with these shapes is quarantined at the write."""
        return not self.quarantining.isdisjoint(shapes)


DEFAULT_TAINT_POLICY = TaintPolicy(
    scanned=frozenset(shape.value for shape in TaintShape),
    quarantining=frozenset({TaintShape.OVERRIDE.value, TaintShape.EXFILTRATION.value, TaintShape.CONCEALMENT.value}),
)
"""All shapes are looked for; to drop one's instructions, give data away, or keep the user in the dark quarantines."""


def beside_content(text: CapsuleDraft | CapsuleText) -> str:
    """Return what readers are shown of a capsule beside its content, line by line: it can carry an order as well (case K1)."""
    source = "" if text.source == DEFAULT_SOURCE else text.source
    lines = [text.headline, source, text.proof_hint, text.stale_if, *text.tags, *text.topics, *text.entities]
    lines += [f"{name}: {value}" for name, value in text.metadata]
    lines += [anchor.text for anchor in text.anchors]
    return "\n".join(filter(None, lines))


def find_shapes(text: str, words: Sequence[str], policy: TaintPolicy) -> tuple[str, ...]:
    """Return the names of the shapes that `text` has, in the order of `TaintShape`; `words` are its folded words.

    Text without a word that any shape turns on costs a comparison of sets.
    """
    plain = undisguised(words)
    hidden = "" if text.isascii() else hidden_text(text)
    if not hidden and TRIGGERS.isdisjoint(plain) and MARKER_WORDS.isdisjoint(plain):
        return ()
    found = set(_found(f"{told_by_itself(text)}\n{hidden}", frozenset(plain)))
    if hidden:
        found.add(TaintShape.HIDDEN)
    return tuple(shape.value for shape in TaintShape if shape in found and shape.value in policy.scanned)


def _found(text: str, plain: frozenset[str]) -> list[TaintShape]:
    said = spoken(text)
    told = {*plain, *said.split()}
    shapes = [phrase.shape for phrase in PHRASES if phrase.may_be_among(told) and phrase.is_in(said)]
    if has_role_marker(text, said):
        shapes.append(TaintShape.ROLE)
    if has_tool_call(text):
        shapes.append(TaintShape.TOOL_CALL)
    return shapes
