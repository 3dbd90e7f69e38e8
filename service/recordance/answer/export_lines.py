"""The lines of an export: one JSON object each, named by what it tells of (W10).

First a header, last an end that counts what came between, so that a file that was cut off is known as such. Between them stand
the vector spaces by name, capsules in append order, each with all that hangs on it alone, then relations by their ends, aliases,
the journal and the miss ledger. A line shows a terminal nothing but characters: what would steer it or turn the direction of
writing stands as an escape.

A vector is written as `{"dimension": n, "float32_le": text}`, where the text is the base64 (RFC 4648, padded) of the 4·n bytes of
its components: IEEE 754 float32 each, little-endian, in order. Nothing is rounded on the way. With it stand the space that it
lies in and the digest of the content that it was made for (W4).
"""

import json
import re
from dataclasses import dataclass

from recordance.answer.interchange import from_json, to_json
from recordance.domain.alias import Alias, Miss
from recordance.domain.capsule import Capsule, CapsuleText, Tombstone
from recordance.domain.embedding import Embedding, Space
from recordance.domain.instant import Instant
from recordance.domain.journal import JournalRow
from recordance.domain.relation import Relation
from recordance.domain.review import Corroboration, Feedback, ReviewEvent
from recordance.errors import InvalidArgument

FORMAT = 3
"""The format that is written, and the newest that is read. Format 1 knew no embeddings, 2 no revision but the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a file holds: its format, the program and store that wrote it, the journal's head then, and when.

    `part` names the projects that the exporter could see, when it was not the whole store (F13). `folding` names the version of
    the folding by which words were counted and aliases keyed; under another one they may differ. `without` names what was left
    out on demand.
    """

    format: int
    program: str
    store: str
    head: int
    at: Instant
    part: tuple[str, ...] = ()
    folding: str = ""
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CapsuleLine:
    """A capsule with its text, rulings, verdicts and embeddings by space; a forgotten one has a tombstone and no text.

    `former` are the texts of all revisions before, oldest first, or none (W13).
    """

    capsule: Capsule
    text: CapsuleText | None = None
    tombstone: Tombstone | None = None
    reviews: tuple[ReviewEvent, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    corroborations: tuple[Corroboration, ...] = ()
    embeddings: tuple[Embedding, ...] = ()
    former: tuple[CapsuleText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How many lines of each sort the file holds, and how many embeddings stand in those of its capsules."""

    spaces: int = 0
    capsules: int = 0
    embeddings: int = 0
    relations: int = 0
    aliases: int = 0
    journal: int = 0
    misses: int = 0


Line = Header | Space | CapsuleLine | Relation | Alias | JournalRow | Miss | End

NAMES: dict[str, type[Line]] = {
    "export": Header,
    "space": Space,
    "capsule": CapsuleLine,
    "relation": Relation,
    "alias": Alias,
    "journal": JournalRow,
    "miss": Miss,
    "end": End,
}
_NAME_OF = {kind: name for name, kind in NAMES.items()}
_STEERING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters that JSON lets stand, line separators, and what turns the direction of writing."""


def write_line(line: Line) -> str:
    """Return a line as text without its line break; equal lines give equal bytes."""
    written = json.dumps({_NAME_OF[type(line)]: to_json(line)}, ensure_ascii=False, separators=(",", ":"))
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def read_line(text: str, place: int) -> Line:
    """Return the line that `text` spells; raises InvalidArgument naming its place, counted from 1."""
    where = f"line {place}"
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InvalidArgument(where, text, "a JSON object as an export writes it", f"it is not JSON ({problem})") from None
    if not isinstance(raw, dict) or len(raw) != 1 or next(iter(raw)) not in NAMES:
        expected = f"an object with one of {', '.join(NAMES)}"
        raise InvalidArgument(where, text, expected, "it does not say what it tells of") from None
    name, told = next(iter(raw.items()))
    return from_json(NAMES[name], told, f"{where}: {name}")
