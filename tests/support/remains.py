"""What is left of a sentinel in a store's folder: every byte of every file, and every word of every term index.

The files of a term index are packed, so that no scan of their bytes finds a word in them; its dictionaries are read out instead.
"""

import json
import math
import random
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import tantivy

from recordance.query.folding import fold_words
from support.stdio_peer import BOUND

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WINDOW = 3
"""How many components of a vector that stand together count as a trace of it."""
_LOOKS = 100
LOOK_SECONDS = 0.05
_UNTIL_NEXT = threading.Event()
"""Never set: other processes tell nobody when their files have changed."""
_FIELDS = ("body", "key", "label")


@dataclass(frozen=True)
class Sentinel:
    """What a test forgets: words that stand nowhere else, and a vector."""

    words: tuple[str, ...]
    vector: tuple[float, ...]

    @property
    def content(self) -> str:
        """A statement of nothing but its own words."""
        return " ".join(self.words)

    @property
    def folded(self) -> frozenset[str]:
        """The words as an index has them."""
        return frozenset(fold_words(self.content))

    def needles(self) -> dict[str, bytes]:
        """Every form in which some part of it may lie in a file, by what it is called in a failure."""
        texts = {form for word in self.words for form in (word, word.lower(), word.upper(), *fold_words(word))}
        numbers = {json.dumps(component) for component in self.vector}
        return {**{f"text {text!r}": text.encode() for text in texts | numbers}, **dict(_packed(self.vector))}


def sentinel(chance: random.Random, dimension: int) -> Sentinel:
    """A sentinel by chance; its words have capitals and accents, so that each differs from its folded form."""
    words = tuple("Zä" + "".join(chance.choice(_LETTERS) for _ in range(14)) for _ in range(3))
    return Sentinel(words, tuple(chance.uniform(-9.0, 9.0) for _ in range(dimension)))


def _packed(vector: Sequence[float]) -> Iterator[tuple[str, bytes]]:
    """Yield pieces of the vector as it was sent and at length 1, as every kind of number that an engine may write."""
    if not vector:
        return
    rounded = struct.unpack(f"<{len(vector)}f", struct.pack(f"<{len(vector)}f", *vector))
    length = math.sqrt(math.fsum(component * component for component in rounded))
    for form, components in (("raw", vector), ("unit", [component / length for component in rounded])):
        for start in range(len(components) - _WINDOW + 1):
            piece = components[start : start + _WINDOW]
            for order in "<>":
                for kind in "fd":
                    yield f"{form} vector {order}{kind} at {start}", struct.pack(f"{order}{_WINDOW}{kind}", *piece)
            yield f"{form} vector CBOR at {start}", b"".join(b"\xfa" + struct.pack(">f", each) for each in piece)


def remains(store: Path, of: Sentinel) -> list[str]:
    """Every trace of a sentinel below a store's folder, each as `<file>: <what>`; a file that goes away meanwhile has none."""
    return [*_bytes_left(store, of), *_words_left(store, of)]


def left_at_last(store: Path, of: Sentinel) -> list[str]:
    """What is left of a sentinel once nothing is, or after so long that nobody can be at it any more."""
    deadline = time.monotonic() + BOUND
    while (left := remains(store, of)) and time.monotonic() < deadline:
        _UNTIL_NEXT.wait(LOOK_SECONDS)
    return left


def await_that(holds: Callable[[], object], seconds: float) -> None:
    """Look again and again until something holds; fails when it does not within so many seconds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to hold in time"
        _UNTIL_NEXT.wait(LOOK_SECONDS)


def _everything(store: Path) -> list[Path]:
    """Every path below a store's folder; where a folder goes away in the midst of the look, the look begins anew."""
    for _ in range(_LOOKS):
        with suppress(FileNotFoundError):
            return sorted(store.rglob("*"))
    raise AssertionError("the folders of the store never stand still")


def _bytes_left(store: Path, of: Sentinel) -> Iterator[str]:
    needles = of.needles()
    for file in (path for path in _everything(store) if path.is_file()):
        try:
            data = file.read_bytes().rstrip(b"\0")  # an engine makes its files larger than what they hold
        except FileNotFoundError:
            continue
        yield from (f"{file.relative_to(store)}: {name}" for name, needle in needles.items() if needle in data)


def _words_left(store: Path, of: Sentinel) -> Iterator[str]:
    for folder in (path.parent for path in _everything(store) if path.name == "meta.json"):
        for word in sorted(words_in(folder) & of.folded):
            yield f"{folder.relative_to(store)}: dictionary word {word!r}"


def words_in(folder: Path) -> frozenset[str]:
    """Every word in the dictionaries of a term index, those of deleted documents too; none if it is just being emptied.

    An index that is committed in the midst of the look is looked at again.
    """
    for _ in range(_LOOKS):
        listed = _listed(folder)
        try:
            searcher = tantivy.Index.open(str(folder)).searcher()
            return frozenset(word for field in _FIELDS for word, _ in searcher.terms_with_prefix(field, ""))
        except ValueError:
            if (now := _listed(folder)) is None:
                return frozenset()
            if now == listed:
                raise
    raise AssertionError("the index never stands still")


def _listed(folder: Path) -> bytes | None:
    """What the index says that it consists of; None where it is none just now."""
    try:
        return (folder / "meta.json").read_bytes()
    except FileNotFoundError:
        return None
