"""The embedded vector index on disk: what lies there after a settlement, after a sudden end, and of what was forgotten."""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from recordance.domain.embedding import Vector, unit, vector_of
from recordance.errors import Fault, ReplicaDamaged
from recordance.query.fence import SubtreeFence
from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
from recordance_adapters.driven.qdrant_vectors.replica import EdgeReplica
from recordance_adapters.driven.qdrant_vectors.sidecar import read_position, remove_vectors
from support.slots import STORE
from support.vector_indexes import (
    Embedded,
    answers_exactly,
    asking_near,
    cosines,
    embedded,
    numbers_near,
    quick_folder,
)

DIMENSION, BLOCK = 24, 1 << 16
ASKED = asking_near([1.0] * DIMENSION)


@pytest.fixture
def slot() -> Iterator[Path]:
    with quick_folder() as folder:
        (folder / "0").mkdir()
        yield folder / "0"


@contextmanager
def opened(slot: Path, store: str = STORE) -> Iterator[EdgeReplica]:
    """The replica in a slot, closed at the end."""
    with closing(open_vectors(slot, store, ())) as replica:
        yield replica


def telling(number: int, turn: int = 0) -> Embedded:
    """A capsule whose vector is unlike that of any other number or turn, and not of length 1."""
    values = [(((number * 37 + turn * 101) * (place + 3)) % 89 - 44) * 1.37 for place in range(DIMENSION)]
    return embedded(number, values, project="nott" if number % 2 else "nottx")


def filled(replica: EdgeReplica, *numbers: int, seq: int = 1) -> None:
    """Begin an index and settle these numbers in it."""
    replica.clear(DIMENSION)
    replica.put([telling(number).point for number in numbers], ())
    replica.settle(seq, f"mark {seq}")


def forms(vector: Vector) -> dict[str, bytes]:
    """The bytes that a vector may lie in: as it was sent, with length 1, in either precision and byte order."""
    raw, one = list(vector.values), list(unit(vector).values)
    return {
        f"{name} {order}{kind}": struct.pack(f"{order}{DIMENSION}{kind}", *values)
        for name, values in (("raw", raw), ("unit", one))
        for order in "<>"
        for kind in "fd"
    }


def traces(folder: Path, *told: Embedded) -> set[str]:
    """The forms of these vectors that some file below a folder holds, whole or but for their ends."""
    held = [dense(path) for path in folder.rglob("*") if path.is_file()]
    return {
        f"{name} of {each.capsule.number}"
        for each in told
        for name, form in forms(each.vector).items()
        if any(form[8:-8] in file for file in held)
    }


def dense(path: Path) -> bytes:
    """What a file holds, but for long stretches of zeroes: most of an index is room for what is to come."""
    with path.open("rb") as file:
        return b"".join(block for block in iter(partial(file.read, BLOCK), b"") if block != bytes(len(block)))


def killed(slot: Path) -> Path:
    """What lies in a slot at this moment, which is all that is left of it if its process ends now; put down beside it."""
    left = Path(tempfile.mkdtemp(dir=slot.parent))
    for path in sorted(slot.rglob("*")):
        copy = left / path.relative_to(slot)
        if path.is_dir():
            copy.mkdir()
        else:
            sparse_copy(path, copy)
    return left


def sparse_copy(path: Path, copy: Path) -> None:
    with path.open("rb") as old, copy.open("wb") as new:
        for block in iter(partial(old.read, BLOCK), b""):
            if block == bytes(len(block)):
                new.seek(len(block), os.SEEK_CUR)
            else:
                new.write(block)
        new.truncate()


def test_what_was_settled_is_there_after_every_restart(slot: Path) -> None:
    """case D3: restarts drop nothing, and need nothing applied again."""
    with opened(slot) as replica:
        filled(replica, 1, 2, 3, seq=7)
    held = {number: telling(number) for number in (1, 2, 3)}
    for _ in range(3):
        with opened(slot) as replica:
            assert (replica.applied, replica.mark, replica.count, replica.dimension) == (7, "mark 7", 3, DIMENSION)
            answers_exactly(replica.nearest(ASKED, 9), cosines(held, ASKED), 9, DIMENSION)


def test_after_a_sudden_end_the_position_is_never_ahead_and_the_rest_can_be_applied_again(slot: Path) -> None:
    """case C6: without a log, what was put since the last settlement is lost, and the position says so."""
    with opened(slot) as replica:
        filled(replica, *range(1, 30), seq=5)
        later = [telling(number, turn=1) for number in range(20, 50)]
        replica.put([each.point for each in later], [1, 2, 21])
        ended = killed(slot)
    held = {number: telling(number) for number in range(3, 30)}
    held |= {each.capsule.number: each for each in later if each.capsule.number != 21}
    held.pop(21, None)
    with opened(ended) as replica:
        assert (replica.applied, replica.mark) == (5, "mark 5")
        for _ in range(2):
            replica.put([each.point for each in later], [1, 2, 21])
            assert replica.count == len(held)
            answers_exactly(replica.nearest(ASKED, 99), cosines(held, ASKED), 99, DIMENSION)


def test_an_end_between_flush_and_position_leaves_more_than_the_position_says(slot: Path) -> None:
    """Decision 1: the position is older than the data at worst; applying the same again changes nothing."""
    with opened(slot) as replica:
        filled(replica, 1, 2, seq=5)
        before = (slot / "vectors.applied").read_bytes()
        replica.put([telling(2, turn=1).point, telling(3).point], [1])
        replica.settle(8)
        ended = killed(slot)
    (ended / "vectors.applied").write_bytes(before)
    held = {2: telling(2, turn=1), 3: telling(3)}
    with opened(ended) as replica:
        assert replica.applied == 5
        replica.put([each.point for each in held.values()], [1])
        replica.settle(8)
    with opened(ended) as replica:
        assert (replica.applied, replica.count) == (8, 2)
        answers_exactly(replica.nearest(ASKED, 9), cosines(held, ASKED), 9, DIMENSION)


def test_no_byte_of_a_vector_that_was_dropped_or_replaced_is_left(slot: Path) -> None:
    """W6, case D14: a scan finds each vector before, so that it could fail, and none of them after, nor after a restart."""
    gone, replaced, kept = telling(1), telling(2), telling(3)
    with opened(slot) as replica:
        filled(replica, 1, 2, 3, 4)
        for each in (gone, replaced, kept):
            assert traces(slot, each) == {f"unit <f of {each.capsule.number}"}
        replica.put([telling(2, turn=1).point], [1])
        replica.settle(2)
        assert traces(slot, gone, replaced) == set()
        assert traces(slot, kept, telling(2, turn=1)) == {"unit <f of 2", "unit <f of 3"}
    assert traces(slot, gone, replaced) == set()
    with opened(slot) as replica:
        assert traces(slot, gone, replaced) == set()
        replica.put([gone.point], ())
        assert traces(slot, gone)
        replica.put((), [1])
        replica.settle(3)
        assert traces(slot, gone, replaced) == set()


def test_a_vector_that_a_sudden_end_left_without_a_point_is_wiped_when_the_index_is_opened(slot: Path) -> None:
    """W6, case D14: if it is forgotten before it is applied again, no drop would ever reach its bytes."""
    orphans = [telling(number) for number in range(100, 120)]
    with opened(slot) as replica:
        filled(replica, 1, 2, 3)
        replica.put([each.point for each in orphans], ())
        ended = killed(slot)
    assert len(traces(ended, *orphans)) == len(orphans)
    with opened(ended) as replica:
        assert traces(ended, *orphans) == set()
        assert sorted(numbers_near(replica, ASKED)) == [1, 2, 3]
        assert len(traces(ended, telling(1), telling(2), telling(3))) == 3


def test_emptying_an_index_leaves_no_byte_of_its_vectors(slot: Path) -> None:
    """W6: the way back to the start is a new folder, also for vectors of another length (case E1)."""
    with opened(slot) as replica:
        filled(replica, 1, 2)
        replica.clear(3)
        assert traces(slot, telling(1), telling(2)) == set()
        replica.put([embedded(1, [1.0, 2.0, 3.0]).point], ())
        replica.settle(4)
    with opened(slot) as replica:
        assert (replica.dimension, replica.applied, replica.count) == (3, 4, 1)


def test_an_index_can_be_removed_without_the_engine(slot: Path) -> None:
    """W6: a process that has no use for vectors can still be holding the slot with those of an earlier one."""
    with opened(slot) as replica:
        filled(replica, 1, 2)
    remove_vectors(slot)
    assert list(slot.iterdir()) == []
    assert read_position(slot, STORE) is None
    remove_vectors(slot)


def test_no_label_lies_in_the_index_as_it_was_written(slot: Path) -> None:
    """W14, W6: labels are indexed by digest; a project or session may be named after what it is about."""
    with opened(slot) as replica:
        replica.clear(2)
        replica.put([embedded(1, [1.0, 2.0], "acme/merger-with-umbra", "call with doris").point], ())
        replica.settle(1)
    held = b"".join(path.read_bytes() for path in slot.rglob("*") if path.is_file())
    for words in ("acme", "umbra", "doris"):
        assert words.encode() not in held


# ── damage ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def remove(path: Path) -> None:
    path.unlink()


def halve(path: Path) -> None:
    with path.open("rb+") as file:
        file.truncate(path.stat().st_size // 2)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def test_a_file_that_is_gone_or_cut_short_costs_no_answer(slot: Path) -> None:
    """case D5: it is noticed when the index is opened, asked, written or counted, or it did not matter."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance, numbers = random.Random(seed), range(1, 40)
    with opened(slot) as replica:
        filled(replica, *numbers, 99, seq=5)
        replica.put((), [99])
        replica.settle(6)
    held = {number: telling(number) for number in numbers}
    fenced = asking_near([1.0] * DIMENSION, SubtreeFence(frozenset({"nott"})))
    names = sorted(path.relative_to(slot) for path in slot.rglob("*") if path.is_file())
    assert len(names) > 20
    for name in names:
        harmed, harm = killed(slot), chance.choice([remove, halve, empty])
        print(name, harm)
        harm(harmed / name)
        with opened(harmed) as replica:
            mend(replica, held)
            for query in (ASKED, fenced):
                answers_exactly(replica.nearest(query, 99), cosines(held, query), 99, DIMENSION)


def mend(replica: EdgeReplica, held: dict[int, Embedded]) -> None:
    """Do what a follower does: write on, compare the counts, ask, and begin anew where one of it fails."""
    try:
        assert replica.applied in {0, 6}
        if replica.applied == 6:
            replica.put([held[1].point], ())
            replica.nearest(ASKED, 99)
    except ReplicaDamaged:
        replica.clear(DIMENSION)
    if replica.count != len(held):
        replica.clear(DIMENSION)
        replica.put([each.point for each in held.values()], ())
    replica.settle(6)


def test_an_index_that_would_ignore_writes_is_not_gone_on_with(slot: Path) -> None:
    """case C7: left in the midst of a flush, the engine takes writes without an error and drops them; it starts anew instead."""
    with opened(slot) as replica:
        filled(replica, 1, 2)
        (book,) = slot.rglob("segment.json")
        before = book.read_bytes()
        for turn in range(1, 9):
            replica.put([telling(1, turn).point], ())
        replica.settle(9)
    assert json.loads(book.read_bytes())["version"] > json.loads(before)["version"]
    book.write_bytes(before)
    with opened(slot) as replica:
        assert (replica.applied, replica.count, replica.dimension) == (0, 0, 0)


def test_a_component_that_became_huge_or_no_number_tops_no_answer(slot: Path) -> None:
    """case E3: the engine has no checksums; a score that no two vectors of length 1 have tells."""
    with opened(slot) as replica:
        filled(replica, 1, 2, 3)
    (chunk,) = slot.rglob("chunk_0.mmap")
    sound = chunk.read_bytes()
    for harm in (float("nan"), float("inf"), 1e30):
        at = sound.index(unit(telling(2).vector).packed)
        chunk.write_bytes(sound[:at] + vector_of([harm]).packed + sound[at + 4 :])
        with opened(slot) as replica, pytest.raises(ReplicaDamaged):
            replica.nearest(ASKED, 3)


def test_an_index_stops_writing_before_the_disk_is_full(slot: Path) -> None:
    """case C7: the engine writes through mapped files, so that a full disk would end the process, and every one after it."""
    left = [1 << 40]
    with closing(open_vectors(slot, STORE, (), room=lambda _: left[0])) as replica:
        filled(replica, 1, 2, seq=3)
        left[0] = 1 << 20
        for attempt in (
            lambda: replica.put([telling(3).point], ()),
            lambda: replica.put((), [1]),
            lambda: replica.clear(DIMENSION),
        ):
            with pytest.raises(Fault) as raised:
                attempt()
            assert not isinstance(raised.value, ReplicaDamaged)
        left[0] = 1 << 40
        filled(replica, 1, 2, 3, seq=4)
        assert sorted(numbers_near(replica, ASKED)) == [1, 2, 3]


@pytest.mark.parametrize("version", ["schema", "engine"])
def test_an_index_by_another_version_or_of_another_store_is_built_anew(slot: Path, version: str) -> None:
    """Decision 1: a format change is one more catch-up, and nothing of another store answers."""
    with opened(slot) as replica:
        filled(replica, 1, 2)
    with opened(slot, "another") as replica:
        assert (replica.applied, replica.count) == (0, 0)
        assert traces(slot, telling(1)) == set()
        filled(replica, 1, 2)
    sidecar = slot / "vectors.applied"
    kept = json.loads(sidecar.read_text().split("\n", 1)[1])
    kept["versions"][version] += " before"
    text = json.dumps(kept)
    sidecar.write_text(f"{zlib.crc32(text.encode())}\n{text}")
    with opened(slot, "another") as replica:
        assert (replica.applied, replica.count) == (0, 0)


# ── what is loaded ────────────────────────────────────────────────────────────────────────────────────────────────────────────

LOADED = """
import sys
sys.modules["numpy"] = None
from recordance_adapters import bootstrap, entry
from recordance_adapters.driven.qdrant_vectors.sidecar import read_position
assert not {name.partition(".")[0] for name in sys.modules} & {"qdrant_edge", "qdrant_client"}, "an engine is loaded at the start"
from pathlib import Path
from recordance.domain.embedding import vector_of
from recordance.query.fence import Scope
from recordance.query.nearness import VectorPoint, VectorQuery
from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
replica = open_vectors(Path(sys.argv[1]), "store", ())
replica.clear(2)
replica.put([VectorPoint(1, vector_of([1, 2]), None, None, None)], ())
replica.settle(1)
assert [near.number for near in replica.nearest(VectorQuery(vector=vector_of([1, 2]), scope=Scope()), 5)] == [1]
assert "qdrant_client" not in sys.modules, "the client is loaded without a server"
replica.close()
"""


def test_an_engine_is_loaded_only_by_whoever_opens_an_index_and_needs_no_numpy(slot: Path) -> None:
    """Decision 9: every start pays for what it imports; a store without vectors never needs the engine, nor any the client."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(slot)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
