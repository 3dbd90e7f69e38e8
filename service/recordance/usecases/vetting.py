"""Whether a line of an import could have been written: what a caller may not send, a file may not bring (W1, W10, W14).

What was computed from other fields (digest, length, anchors, use, keys) must be what they make of it: a text that was changed
without its digest is told, and nothing is believed that can be checked.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from recordance.answer.export_lines import CapsuleLine
from recordance.domain import limits
from recordance.domain.alias import Alias, Miss
from recordance.domain.capsule import Capsule, CapsuleText, LabelField
from recordance.domain.coherence import ruling_fault, use_fault
from recordance.domain.identity import content_digest
from recordance.domain.instant import format_instant
from recordance.domain.provenance import Anchor, read_anchor
from recordance.domain.tombstone import skeleton_of
from recordance.domain.vocabulary import (
    VOCABULARIES,
    Kind,
    checked_subtype,
    member,
)
from recordance.errors import InvalidArgument, Json
from recordance.query.folding import FOLD_VERSION, fold_words
from recordance.query.terms import read_term

_TEXTS = {
    "content": limits.CONTENT,
    "headline": limits.HEADLINE,
    "source": limits.NOTE,
    "proof_hint": limits.NOTE,
    "stale_if": limits.NOTE,
    "signature": limits.SIGNATURE,
}
_HASH = re.compile("[0-9a-f]{64}", re.ASCII)
_MAC = 64
_AS_EXPORTED = "the line as it was exported"


def vet_capsule(line: CapsuleLine, folding: str, path: str) -> None:
    """Raise InvalidArgument below `path` if the capsule could not have been written so; `folding` is the file's."""
    capsule, text = line.capsule, line.text
    forgotten = capsule.standing.tombstoned_at is not None
    if (text is None) is not forgotten or (line.tombstone is None) is forgotten:
        raise InvalidArgument(path, None, "a text, or a tombstone and tombstoned_at", "a capsule is either there or forgotten")
    if text is None:
        _vet_skeleton(line, path)
    else:
        _vet_text(text, f"{path}.text")
        _vet_former(line, text, f"{path}.former")
        _vet_measures(capsule, text, folding, path)
    _vet_labels(capsule, f"{path}.capsule.labels")
    _vet_numbers(capsule, f"{path}.capsule")
    _vet_times(capsule, f"{path}.capsule")
    _vet_verdicts(line, path)


def vet_alias(alias: Alias, folding: str, path: str) -> None:
    """Raise InvalidArgument below `path` if the alias could not have been taught (T1, T7)."""
    keys = read_term(alias.term, f"{path}.term").key, read_term(alias.text, f"{path}.text").key
    if folding == FOLD_VERSION and (alias.term_key, alias.alias_key) != keys:
        raise InvalidArgument(f"{path}.term_key", alias.term_key, repr(keys[0]), "term and alias are kept by their folded words")
    if alias.term_key == alias.alias_key:
        raise InvalidArgument(f"{path}.text", alias.text, "other words than the term's", "it means the term itself already")


def vet_miss(miss: Miss, path: str) -> None:
    """Raise InvalidArgument below `path` if nothing can have been missed so (T8)."""
    if miss.count < 1:
        raise InvalidArgument(f"{path}.count", miss.count, "1 or more", "it was missed at least once")
    if not miss.term_key.strip():
        raise InvalidArgument(f"{path}.term_key", miss.term_key, "the folded term", "it names nothing")


def _bounded(text: str, most: int, path: str) -> None:
    if not text.strip():
        raise InvalidArgument(path, text, "text with at least one visible character", "it is empty")
    if len(text) > most:
        raise InvalidArgument(path, text, f"at most {most} characters", f"{len(text)} characters are too many")


def _few(count: int, most: int, path: str) -> None:
    if count > most:
        raise InvalidArgument(path, f"{count} of them", f"at most {most}", "they are too many")


def _vet_skeleton(line: CapsuleLine, path: str) -> None:
    capsule, tombstone = line.capsule, line.tombstone
    if tombstone is None or tombstone.capsule != capsule.number:
        got = None if tombstone is None else tombstone.capsule
        raise InvalidArgument(f"{path}.tombstone", got, str(capsule.number), "it names another capsule")
    former = tombstone.former_macs
    is_told = list(former) == sorted({*former} - {tombstone.content_mac}) and all(0 < len(mac) <= _MAC for mac in former)
    if line.former or not is_told:
        why = "of what was forgotten nothing is left but a keyed hash of each content"
        raise InvalidArgument(f"{path}.tombstone.former_macs", capsule.number, _AS_EXPORTED, why)
    if skeleton_of(capsule, tombstone.at) != replace(capsule, updated_at=tombstone.at):
        why = "it tells more of what was forgotten than its skeleton, or another time than its tombstone"
        raise InvalidArgument(f"{path}.capsule", capsule.number, _AS_EXPORTED, why)


def _vet_former(line: CapsuleLine, text: CapsuleText, path: str) -> None:
    """Refuse former revisions of which one lacks, or one that could not have been written (W13)."""
    revisions = [each.revision for each in line.former]
    if revisions and revisions != list(range(1, text.revision)):
        raise InvalidArgument(path, revisions, "all revisions before the last, or none", "a history has no holes")
    for each in line.former:
        _vet_text(each, path)


def _vet_text(text: CapsuleText, path: str) -> None:
    for name, most in _TEXTS.items():
        value = getattr(text, name)
        if value is not None:
            _bounded(value, most, f"{path}.{name}")
    for name, marks in (("tags", text.tags), ("topics", text.topics), ("entities", text.entities)):
        _few(len(marks), limits.MARKS, f"{path}.{name}")
        for mark in marks:
            _bounded(mark, limits.MARK, f"{path}.{name}")
        if len(set(marks)) != len(marks):
            raise InvalidArgument(f"{path}.{name}", list(marks), "each once", "one stands there twice")
    _few(len(text.anchors), limits.ANCHORS, f"{path}.anchors")
    for anchor in text.anchors:
        _vet_anchor(anchor, f"{path}.anchors")
    _few(len(text.metadata), limits.PAIRS, f"{path}.metadata")
    for name, value in text.metadata:
        _bounded(name, limits.PAIR_NAME, f"{path}.metadata")
        _vet_pair(value, f"{path}.metadata.{name}")
    if len(dict(text.metadata)) != len(text.metadata):
        raise InvalidArgument(f"{path}.metadata", None, "each name once", "a name stands there twice")


def _vet_anchor(anchor: Anchor, path: str) -> None:
    _bounded(anchor.text, limits.ANCHOR, path)
    if replace(anchor, file_hash=None) != read_anchor(anchor.text):
        raise InvalidArgument(path, anchor.text, "path, line and sha as the text has them", "they name another place")
    if anchor.file_hash is not None and not _HASH.fullmatch(anchor.file_hash):
        raise InvalidArgument(f"{path}.file_hash", anchor.file_hash, "64 hex digits", "it is no hash of a file")


def _vet_pair(value: str, path: str) -> None:
    """Refuse a metadata value that is not the canonical JSON text of a value within the limits."""
    _bounded(value, limits.PAIR_VALUE, path)
    try:
        read = json.loads(value)
        canonical = json.dumps(read, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    except (ValueError, RecursionError):
        raise InvalidArgument(path, value, "JSON as text", "it cannot be read") from None
    if canonical != value:
        raise InvalidArgument(path, value, canonical, "it is not the one compact text of its value")
    if not _is_shallow(read):
        raise InvalidArgument(path, value, f"at most {limits.PAIR_DEPTH} levels", "it is nested too deeply")


def _is_shallow(value: Json) -> bool:
    level = [value]
    for _ in range(limits.PAIR_DEPTH):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [part for parts in inner for part in parts]
        if not level:
            return True
    return False


def _vet_measures(capsule: Capsule, text: CapsuleText, folding: str, path: str) -> None:
    """Refuse a digest or length that is not the content's; under another folding the length is counted anew on arrival."""
    if text.revision != capsule.revision or text.revision < 1:
        raise InvalidArgument(f"{path}.text.revision", text.revision, str(capsule.revision), "it is another revision")
    digest = content_digest(text.content)
    if digest != capsule.content_digest:
        why = "the content was changed since, or the digest is another's"
        raise InvalidArgument(f"{path}.capsule.content_digest", capsule.content_digest, digest, why)
    words = len(fold_words(text.content)) if folding == FOLD_VERSION else max(0, capsule.word_count)
    if capsule.word_count != words:
        raise InvalidArgument(f"{path}.capsule.word_count", capsule.word_count, str(words), "the content has another length")


def _vet_labels(capsule: Capsule, path: str) -> None:
    for field, label in capsule.labels.items():
        _bounded(label, max(limits.LABEL, len(label)) if field is LabelField.SESSION else limits.LABEL, f"{path}.{field}")
    for field, vocabulary in VOCABULARIES.items():
        if field in capsule.labels:
            member(vocabulary, capsule.labels[field], f"{path}.{field}")
    kind, subtype = capsule.labels.get(LabelField.KIND), capsule.labels.get(LabelField.SUBTYPE)
    if subtype is None:
        return
    if kind is None:
        raise InvalidArgument(f"{path}.subtype", subtype, "its kind with it", "a subtype belongs to a kind")
    checked_subtype(Kind(kind), subtype, f"{path}.subtype")


def _vet_numbers(capsule: Capsule, path: str) -> None:
    for name, number, most in (
        ("confidence", capsule.confidence, 1.0),
        ("importance", capsule.importance, 1.0),
        ("value", capsule.value, limits.VALUE),
    ):
        if not 0.0 <= number <= most:
            raise InvalidArgument(f"{path}.{name}", number, f"a number from 0 to {most:g}", "it is outside")


def _vet_times(capsule: Capsule, path: str) -> None:
    validity, event = capsule.validity, capsule.event
    if validity.valid_to is not None and validity.valid_to <= validity.valid_from:
        why = "it would never hold, as valid_to is exclusive"
        raise InvalidArgument(f"{path}.validity.valid_to", format_instant(validity.valid_to), "a time after valid_from", why)
    if event is not None and event.event_to < event.event_from:
        why = "it ends before it begins"
        raise InvalidArgument(f"{path}.event.event_to", format_instant(event.event_to), "a time not before event_from", why)


def _vet_verdicts(line: CapsuleLine, path: str) -> None:
    number = line.capsule.number
    for name, about, note in _said(line):
        if about != number:
            raise InvalidArgument(f"{path}.{name}", about, str(number), "a verdict names another capsule")
        if note is not None and len(note) > limits.NOTE:
            raise InvalidArgument(f"{path}.{name}", note, f"at most {limits.NOTE} characters", "the note is too long")
    if fault := ruling_fault(line.capsule.standing, line.reviews):
        raise InvalidArgument(f"{path}.capsule.standing", number, _AS_EXPORTED, fault)
    if fault := use_fault(line.capsule, line.feedback):
        raise InvalidArgument(f"{path}.capsule.use", number, _AS_EXPORTED, fault)


def _said(line: CapsuleLine) -> Iterator[tuple[str, int, str | None]]:
    for ruling in line.reviews:
        yield "reviews", ruling.capsule, ruling.reason
    for judgement in line.feedback:
        yield "feedback", judgement.capsule, judgement.note
    for verdict in line.corroborations:
        yield "corroborations", verdict.capsule, None
