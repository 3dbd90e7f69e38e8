"""What else in a store tells of a forgotten capsule: words that were asked for, answers that name it, its journal rows (W6)."""

import json
from collections.abc import Iterable, Iterator, Mapping, Set

from recordance.domain.capsule import CapsuleText, LabelField
from recordance.domain.identity import capsule_number
from recordance.domain.journal import Value
from recordance.domain.tombstone import SKELETON_LABELS
from recordance.errors import Json
from recordance.query.folding import fold_words
from recordance.query.text_services import fragments_of

_STRIPPED = frozenset(field.value for field in LabelField if field not in SKELETON_LABELS) | {"taint"}


def words_said(texts: Iterable[CapsuleText]) -> frozenset[str]:
    """Return the folded words of every free text in these revisions of a capsule."""
    return frozenset(word for text in texts for part in _parts(text) for word in fold_words(part))


def is_said(term_key: str, words: Set[str]) -> bool:
    """Whether `words` say all words of a folded term: the miss ledger would then keep what was forgotten.

    A text that writes no spaces says what stands inside its runs too (T5).
    """
    asked = term_key.split()
    return bool(asked) and all(word in words or _is_inside(word, words) for word in asked)


def names_capsule(answer: str, number: int) -> bool:
    """Whether some value in the JSON text `answer` is the capsule's id, bare or with its destination before it (D4)."""
    return number in capsules_named(answer)


def capsules_named(answer: str) -> frozenset[int]:
    """Return the numbers of the capsules whose id, bare or with its destination, is a value in the JSON text `answer`."""
    numbers = (capsule_number(text.rpartition(":")[2]) for text in _strings(json.loads(answer)))
    return frozenset(number for number in numbers if number is not None)


def skeleton_values(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return what a journal row may still say of a forgotten capsule: no label that its skeleton lacks, no taint."""
    return {name: value for name, value in values.items() if name not in _STRIPPED}


def _is_inside(word: str, words: Set[str]) -> bool:
    """Whether a word of a script that is cut stands within another: a run of it, or Korean with a particle behind."""
    return bool(fragments_of(word)) and any(word in said for said in words)


def _parts(text: CapsuleText) -> Iterator[str]:
    yield from (text.content, text.headline, text.source)
    yield from filter(None, (text.proof_hint, text.stale_if, text.signature))
    yield from (*text.tags, *text.topics, *text.entities)
    for name, value in text.metadata:
        yield from (name, value)  # numbers stand in the JSON text alone, and what it escapes stands in the strings
        yield from _strings(json.loads(value, object_pairs_hook=_pairs))
    for anchor in text.anchors:
        yield from filter(None, (anchor.text, anchor.path))


def _strings(value: Json) -> Iterator[str]:
    """Return every string that is a value in `value`; the name of a pair is none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _pairs(pairs: list[tuple[str, Json]]) -> list[Json]:
    """Read an object so that its names are values too."""
    return [each for pair in pairs for each in pair]
