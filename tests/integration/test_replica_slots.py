"""Numbered slots: each process has a replica of its own, the lowest free one, and a new one starts as a copy (decision 2)."""

import json
import os
import threading
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from recordance.errors import StoreUnusable
from recordance.query.document import TermDocument
from recordance_adapters.driven.tantivy_terms import adopt_replica
from recordance_adapters.driven.tantivy_terms.replica import TantivyReplica
from support.documents import STORE, asking, document, put
from support.truths import NOON

NOW = NOON / 1_000_000
DAY = 24 * 3600.0
BOUND = 60.0
TOKIO = asking("tokio")
Adopt = Callable[..., TantivyReplica]


@pytest.fixture
def adopt(tmp_path: Path) -> Iterator[Adopt]:
    """Adopts a slot; what is still held at the end is closed."""
    with ExitStack() as held:

        def adopt(store: str = STORE, now: float = NOW) -> TantivyReplica:
            replica = adopt_replica(tmp_path, store, now)
            held.callback(replica.close)
            return replica

        yield adopt


def documents(*numbers: int) -> list[TermDocument]:
    return [document(number, f"tokio w{number}") for number in numbers]


def held(replica: TantivyReplica) -> int:
    return replica.snapshot().tally(TOKIO, ()).eligible


def test_each_takes_the_lowest_free_slot_and_gives_it_back(adopt: Adopt) -> None:
    """case C1: a third process on one store starts like the first, and folders do not pile up."""
    first, second, third = adopt(), adopt(), adopt()
    assert [each.slot.name for each in (first, second, third)] == ["0", "1", "2"]
    second.close()
    assert adopt().slot.name == "1"
    first.close()
    assert adopt().slot.name == "0"
    assert adopt().slot.name == "3"


def test_what_was_committed_is_there_when_the_slot_is_taken_again(adopt: Adopt) -> None:
    """case D3: a restart, and two more, drop nothing."""
    put(replica := adopt(), documents(1, 2, 3), seq=5)
    for _ in range(3):
        replica.close()
        replica = adopt()
        assert (replica.applied, held(replica)) == (5, 3)


def test_a_new_slot_starts_as_a_copy_of_the_freshest(adopt: Adopt) -> None:
    """Decision 2: the second process on a large store is ready at once, by links to files that may be in use."""
    behind, fresh = adopt(), adopt()
    put(behind, documents(1), seq=1)
    put(fresh, documents(2, 3), seq=9)
    behind.close()
    copy = adopt_new(adopt)
    assert (copy.applied, held(copy)) == (9, 2)
    assert shared(copy, fresh)
    fresh.close()
    another = adopt_new(adopt)
    assert (another.applied, held(another)) == (9, 2)


def adopt_new(adopt: Adopt) -> TantivyReplica:
    """Adopt slots until one comes that nothing lay in."""
    while True:
        replica = adopt()
        if int(replica.slot.name) > 1:
            return replica


def shared(one: TantivyReplica, other: TantivyReplica) -> bool:
    names = {path.name for path in (one.slot / "terms").glob("*.idx")}
    return all((one.slot / "terms" / name).samefile(other.slot / "terms" / name) for name in names)


def test_a_copy_and_its_source_go_their_own_ways(adopt: Adopt) -> None:
    """Decision 2: a shared file is never changed, only let go; neither sees what the other writes."""
    put(source := adopt(), documents(*range(1, 30)), seq=1)
    copy = adopt()
    for seq in range(2, 25):
        put(source, documents(seq, 100 + seq), seq)
        put(copy, documents(200 + seq), seq)
    assert (held(source), held(copy)) == (29 + 23, 29 + 23)
    copy.clear()
    assert held(source) == 29 + 23


def test_a_copy_lets_go_of_the_files_that_it_merged_away(adopt: Adopt) -> None:
    """Decision 2: what a slot was seeded with counts as its own, or every copy would keep its first segments for ever."""
    source = adopt()
    for seq in range(1, 6):
        put(source, documents(seq), seq)
    copy = adopt()
    seeded = {path.name for path in (copy.slot / "terms").glob("*.idx")}
    for seq in range(6, 40):
        put(copy, documents(seq), seq)
    copy._stop_writing()  # once its merges are over
    put(copy, documents(40), 40)
    left = {path.name for path in (copy.slot / "terms").glob("*.idx")}
    assert held(copy) == 40
    assert not seeded <= left


def test_a_live_replica_can_be_copied_at_any_moment(adopt: Adopt) -> None:
    """Decision 2: whatever the other process writes, merges and removes meanwhile, a copy is whole or is not taken."""
    source, done = adopt(), threading.Event()
    put(source, documents(1), 1)

    def write_on() -> int:
        seq = 1
        while not done.is_set():
            seq += 1
            put(source, documents(seq), seq)
        return seq

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write_on)
        try:
            for _ in range(15):
                copy = adopt()
                assert copy.applied <= held(copy) == copy.snapshot().document_count
                assert copy.applied > 0
                forget(copy)
        finally:
            done.set()
        last = writer.result(BOUND)
    assert held(source) == last


def forget(replica: TantivyReplica) -> None:
    """Give a slot back with nothing in it, so that the next one to take it starts as a copy."""
    replica.clear()
    replica.close()


def test_another_store_s_replica_is_not_read(adopt: Adopt) -> None:
    """Decision 2: a folder that was copied with a store's name changed answers nothing of the other."""
    put(replica := adopt(), documents(1, 2), seq=5)
    replica.close()
    other = adopt(store="another")
    assert (other.slot.name, other.applied, held(other)) == ("0", 0, 0)


def age(sidecar: Path, version: str) -> None:
    """Have a position say that its index was built by an earlier version of something."""
    kept = json.loads(sidecar.read_text().split("\n", 1)[1])
    kept["versions"][version] = f"before {kept['versions'][version]}"
    text = json.dumps(kept)
    sidecar.write_text(f"{zlib.crc32(text.encode())}\n{text}")


@pytest.mark.parametrize("version", ["schema", "fold", "engine"])
def test_a_replica_by_another_version_is_built_anew(adopt: Adopt, version: str) -> None:
    """Decision 1: a format change is one more catch-up, and no other slot of that version is a source either."""
    replica, other = adopt(), adopt()
    for each in (replica, other):
        put(each, documents(1, 2), seq=5)
        age(each.slot / "applied", version)
        each.close()
    anew = adopt()
    assert (anew.slot.name, anew.applied, held(anew)) == ("0", 0, 0)


def test_replicas_idle_for_a_week_are_removed(adopt: Adopt) -> None:
    """Decision 2: a day with many sessions does not fill the disk for ever; what is in use or was lately stays."""
    first, second, third = adopt(), adopt(), adopt()
    for each in (first, second, third):
        put(each, documents(1), 1)
        os.utime(each.slot / "applied", (NOW, NOW))
    second.close()
    third.close()
    os.utime(second.slot.with_suffix(".lock"), (NOW, NOW))
    os.utime(third.slot.with_suffix(".lock"), (NOW + DAY, NOW + DAY))
    first.close()
    adopt(now=NOW + 7 * DAY)
    assert [each.slot.exists() for each in (first, second, third)] == [True, False, True]


def test_a_replica_in_use_is_never_removed(adopt: Adopt) -> None:
    """Decision 2: a server may run for months without a write."""
    first, second = adopt(), adopt()
    put(second, documents(1), 1)
    os.utime(second.slot / "applied", (NOW, NOW))
    first.close()
    adopt(now=NOW + 70 * DAY)
    assert second.slot.exists()
    put(second, documents(2), 2)
    assert held(second) == 2


def test_a_folder_that_cannot_hold_replicas_is_said_to_be_unusable(tmp_path: Path) -> None:
    """Decision 2: whoever starts the server reads why, not a stack."""
    (tmp_path / "replicas").write_text("a file")
    with pytest.raises(StoreUnusable, match="cannot be used"):
        adopt_replica(tmp_path / "replicas", STORE, NOW)
