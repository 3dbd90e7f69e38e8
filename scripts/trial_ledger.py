"""What a server has been told and has answered, and whether a store still agrees with it after a crash.

A write that was sent and never answered may have happened or not, so the ledger notes it before and after. A check asks the
store which it was, and holds it to that from then on.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from stdio_client import StdioServer

SOUGHT_AT_ONCE = 50
ALL_OF_THEM = 10_000_000
"""A token budget that never ends a list."""
ANCHOR = "keelson"
"""The word of a statement that is always there: a recall that finds it notes no miss, and so writes down no forgotten word."""
_COMPONENTS = 4
"""Components of a vector that are looked for in files: sixteen bytes that nothing else has."""

Vector = tuple[float, ...]
"""Components that float32 holds exactly, so that what comes back is what was sent."""


class Fate(Enum):
    """What must be true of a statement."""

    ALIVE = "alive"
    UNCERTAIN = "its forget was sent and never answered"
    FORGOTTEN = "forgotten"


@dataclass
class Statement:
    """One stored statement: the word that only it has, and the vectors that it may have now: two while a change is unanswered."""

    id: str
    word: str
    vectors: set[Vector | None]
    fate: Fate = Fate.ALIVE
    replaced: list[Vector] = field(default_factory=list)

    def attach(self, vector: Vector) -> None:
        """Note that a vector is about to be sent."""
        self.vectors.add(vector)

    def settle(self, vector: Vector | None) -> None:
        """Note which vector it has."""
        self.replaced += [other for other in self.vectors if other not in (None, vector)]
        self.vectors = {vector}

    @property
    def every_vector(self) -> Iterator[Vector]:
        """The vectors that it has or ever had."""
        yield from self.replaced
        yield from (vector for vector in self.vectors if vector is not None)


def disagreements(server: StdioServer, statements: Sequence[Statement]) -> Iterator[str]:
    """Yield what the store behind a server says otherwise than the ledger; what was uncertain is settled by what it says."""
    for start in range(0, len(statements), SOUGHT_AT_ONCE):
        some = statements[start : start + SOUGHT_AT_ONCE]
        shown = _shown(server, [statement.id for statement in some])
        for statement in some:
            if statement.fate is Fate.UNCERTAIN:
                gone = shown.get(statement.id, {}).get("state") == "tombstoned"
                statement.fate = Fate.FORGOTTEN if gone else Fate.ALIVE
        by_words = _found_by_words(server, [statement.word for statement in some])
        for statement in some:
            check = _alive if statement.fate is Fate.ALIVE else _forgotten
            yield from check(server, statement, shown.get(statement.id, {}), by_words)


def _alive(server: StdioServer, statement: Statement, shown: dict[str, Any], by_words: Collection[str]) -> Iterator[str]:
    if statement.word not in shown.get("content", ""):
        yield f"{statement.id} was answered, and memory_get shows {shown or 'nothing'}"
    if statement.id not in by_words:
        yield f"{statement.id} ({statement.word}) was answered, and no recall finds it by its word"
    nearest = {vector: _nearest(server, statement.word, vector) for vector in statement.every_vector}
    held = [vector for vector, found in nearest.items() if found == (statement.id, 1.0)]
    if len(held) > 1 or (held or [None])[0] not in statement.vectors:
        yield f"{statement.id} is found by {len(held)} vectors, of {len(statement.vectors)} that may be its own"
    else:
        statement.settle(held[0] if held else None)


def _forgotten(server: StdioServer, statement: Statement, shown: dict[str, Any], by_words: Collection[str]) -> Iterator[str]:
    if shown.get("state") != "tombstoned" or "content" in shown or "tombstone" not in shown:
        yield f"{statement.id} was forgotten, and memory_get shows {shown or 'nothing'}"
    if statement.id in by_words:
        yield f"{statement.id} ({statement.word}) was forgotten, and a recall finds it by its word"
    found = [_nearest(server, statement.word, vector) for vector in statement.every_vector]
    if any(near and (near[0] == statement.id or near[1] == 1.0) for near in found):
        yield f"{statement.id} was forgotten, and a recall finds it by its vector"


def _shown(server: StdioServer, ids: list[str]) -> dict[str, dict[str, Any]]:
    return {capsule["id"]: capsule for capsule in server.call("memory_get", {"ids": ids})["capsules"]}


def _found_by_words(server: StdioServer, words: list[str]) -> set[str]:
    answer = server.call("memory_retrieve", {"terms": [ANCHOR, *words], "token_budget": ALL_OF_THEM})
    return {result["id"] for result in answer["results"]}


def _nearest(server: StdioServer, word: str, vector: Vector) -> tuple[str, float] | None:
    asked = {"terms": [word], "lane": "vector", "query_embedding": list(vector), "vector_k": 1, "limit": 1}
    results = server.call("memory_retrieve", asked)["results"]
    return (results[0]["id"], results[0]["vector_similarity"]) if results else None


def remains(store: Path, statements: Iterable[Statement]) -> Iterator[str]:
    """Yield each file, of a store that nobody has open, with bytes of a forgotten statement or of a replaced vector in it.

    A scan that finds neither words nor vectors of what is alive proves nothing, and is told.
    """
    files = {file: file.read_bytes() for file in sorted(store.rglob("*")) if file.is_file()}
    unseen = {"word", "vector"}
    for statement in statements:
        alive = statement.fate is Fate.ALIVE
        gone = statement.replaced if alive else statement.every_vector
        sought = [*itertools.chain.from_iterable(map(_spellings, gone)), *([] if alive else [statement.word.encode()])]
        yield from (f"{file.relative_to(store)} still has bytes of {statement.id}" for file in _holding(files, sought))
        if alive and unseen:
            held = [vector for vector in statement.vectors if vector is not None]
            unseen -= {"word"} if any(_holding(files, [statement.word.encode()])) else set()
            unseen -= {"vector"} if held and any(_holding(files, list(_spellings(held[0])))) else set()
    yield from (f"the scan finds no {kind} of anything alive, so it proves nothing" for kind in sorted(unseen))


def _holding(files: Mapping[Path, bytes], sought: Collection[bytes]) -> Iterator[Path]:
    """Yield the files that hold any of these bytes."""
    yield from (file for file, content in files.items() if any(each in content for each in sought))


def _spellings(vector: Vector) -> Iterator[bytes]:
    """Yield the beginning of a vector as files may hold it: as sent and with length 1, in either order of bytes."""
    norm = math.hypot(*vector)
    for values in (vector, [value / norm for value in vector]):
        yield from (struct.pack(f"{order}{_COMPONENTS}f", *values[:_COMPONENTS]) for order in "<>")
