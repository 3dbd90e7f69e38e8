"""Numbered slots: each process has a replica of its own, the lowest free one, and a new one starts as a copy (decision 2)."""

import json
import os
import random
import shutil
import threading
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from recordance.errors import StoreUnusable
from recordance.query.document import TermDocument
from recordance_adapters.driven.replica_slots import Slot, adopt_slot
from recordance_adapters.driven.tantivy_terms.replica import TantivyReplica
from support.documents import asking, document, put, zipf_content
from support.slots import STORE, adopted_terms, left_of, terms_in
from support.truths import NOON

NOW = NOON / 1_000_000
DAY = 24 * 3600.0
BOUND = 60.0
TOKIO = asking("tokio")


@dataclass
class Process:
    """What one process has of the replicas: its slot, and the term replica in it."""

    slot: Slot
    replica: TantivyReplica

    @property
    def folder(self) -> Path:
        return self.slot.path

    @property
    def applied(self) -> int:
        return self.replica.applied

    @property
    def held(self) -> int:
        return self.replica.snapshot().tally(TOKIO, ()).eligible

    def put(self, documents: list[TermDocument], seq: int) -> None:
        put(self.replica, documents, seq)

    def close(self) -> None:
        self.replica.close()
        self.slot.release()


Adopt = Callable[..., Process]


@pytest.fixture
def adopt(tmp_path: Path) -> Iterator[Adopt]:
    """Adopts a slot, as a process would; what is still held at the end is closed."""
    with ExitStack() as held:

        def adopt(store: str = STORE, now: float = NOW) -> Process:
            slot = adopt_slot(tmp_path, now)
            held.callback(slot.release)
            process = Process(slot, terms_in(slot, store))
            held.callback(process.replica.close)
            return process

        yield adopt


def documents(*numbers: int) -> list[TermDocument]:
    return [document(number, f"tokio w{number}") for number in numbers]


def test_each_takes_the_lowest_free_slot_and_gives_it_back(adopt: Adopt) -> None:
    """case C1: a third process on one store starts like the first, and folders do not pile up."""
    first, second, third = adopt(), adopt(), adopt()
    assert [each.folder.name for each in (first, second, third)] == ["0", "1", "2"]
    second.close()
    assert adopt().folder.name == "1"
    first.close()
    assert adopt().folder.name == "0"
    assert adopt().folder.name == "3"


def test_what_was_committed_is_there_when_the_slot_is_taken_again(adopt: Adopt) -> None:
    """case D3: a restart, and two more, drop nothing."""
    replica = adopt()
    replica.put(documents(1, 2, 3), seq=5)
    for _ in range(3):
        replica.close()
        replica = adopt()
        assert (replica.applied, replica.held) == (5, 3)


def test_a_new_slot_starts_as_a_copy_of_the_freshest(adopt: Adopt) -> None:
    """Decision 2: the second process on a large store is ready at once, by links to files that may be in use."""
    behind, fresh = adopt(), adopt()
    behind.put(documents(1), seq=1)
    fresh.put(documents(2, 3), seq=9)
    behind.close()
    copy = adopt_new(adopt)
    assert (copy.applied, copy.held) == (9, 2)
    assert shared(copy, fresh)
    fresh.close()
    another = adopt_new(adopt)
    assert (another.applied, another.held) == (9, 2)


def adopt_new(adopt: Adopt) -> Process:
    """Adopt slots until one comes that nothing lay in."""
    while True:
        process = adopt()
        if int(process.folder.name) > 1:
            return process


def shared(one: Process, other: Process) -> bool:
    names = {path.name for path in (one.folder / "terms").glob("*.idx")}
    return all((one.folder / "terms" / name).samefile(other.folder / "terms" / name) for name in names)


def test_a_copy_and_its_source_go_their_own_ways(adopt: Adopt) -> None:
    """Decision 2: a shared file is never changed, only let go; neither sees what the other writes."""
    source = adopt()
    source.put(documents(*range(1, 30)), seq=1)
    copy = adopt()
    for seq in range(2, 25):
        source.put(documents(seq, 100 + seq), seq)
        copy.put(documents(200 + seq), seq)
    assert (source.held, copy.held) == (29 + 23, 29 + 23)
    copy.replica.clear(0)
    assert source.held == 29 + 23


def test_a_copy_lets_go_of_the_files_that_it_merged_away(adopt: Adopt) -> None:
    """Decision 2: what a slot was seeded with counts as its own, or every copy would keep its first segments for ever."""
    source = adopt()
    for seq in range(1, 6):
        source.put(documents(seq), seq)
    copy = adopt()
    seeded = {path.name for path in (copy.folder / "terms").glob("*.idx")}
    for seq in range(6, 40):
        copy.put(documents(seq), seq)
    copy.replica._stop_writing()  # once its merges are over
    copy.put(documents(40), 40)
    left = {path.name for path in (copy.folder / "terms").glob("*.idx")}
    assert copy.held == 40
    assert not seeded <= left


def test_a_live_replica_can_be_copied_at_any_moment(adopt: Adopt) -> None:
    """Decision 2: whatever the other process writes, merges and removes meanwhile, a copy is whole or is not taken."""
    source, done = adopt(), threading.Event()
    source.put(documents(1), 1)

    def write_on() -> int:
        seq = 1
        while not done.is_set():
            seq += 1
            source.put(documents(seq), seq)
        return seq

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write_on)
        try:
            for _ in range(15):
                copy = adopt()
                assert copy.applied <= copy.held == copy.replica.snapshot().document_count
                assert copy.applied > 0
                forget(copy)
        finally:
            done.set()
        last = writer.result(BOUND)
    assert source.held == last


def forget(process: Process) -> None:
    """Give a slot back with nothing in it, so that the next one to take it starts as a copy."""
    process.replica.clear(0)
    process.close()


def test_another_store_s_replica_is_not_read(adopt: Adopt) -> None:
    """Decision 2: a folder that was copied with a store's name changed answers nothing of the other."""
    replica = adopt()
    replica.put(documents(1, 2), seq=5)
    replica.close()
    other = adopt(store="another")
    assert (other.folder.name, other.applied, other.held) == ("0", 0, 0)


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
        each.put(documents(1, 2), seq=5)
        age(each.folder / "applied", version)
        each.close()
    anew = adopt()
    assert (anew.folder.name, anew.applied, anew.held) == ("0", 0, 0)


def test_replicas_idle_for_a_week_are_removed(adopt: Adopt) -> None:
    """Decision 2: a day with many sessions does not fill the disk for ever; what is in use or was lately stays."""
    first, second, third = adopt(), adopt(), adopt()
    for each in (first, second, third):
        each.put(documents(1), 1)
        os.utime(each.folder / "applied", (NOW, NOW))
    second.close()
    third.close()
    os.utime(second.folder.with_suffix(".lock"), (NOW, NOW))
    os.utime(third.folder.with_suffix(".lock"), (NOW + DAY, NOW + DAY))
    first.close()
    adopt(now=NOW + 7 * DAY)
    assert [each.folder.exists() for each in (first, second, third)] == [True, False, True]


def test_a_replica_in_use_is_never_removed(adopt: Adopt) -> None:
    """Decision 2: a server may run for months without a write."""
    first, second = adopt(), adopt()
    second.put(documents(1), 1)
    os.utime(second.folder / "applied", (NOW, NOW))
    first.close()
    adopt(now=NOW + 70 * DAY)
    assert second.folder.exists()
    second.put(documents(2), 2)
    assert second.held == 2


def test_a_folder_that_cannot_hold_replicas_is_said_to_be_unusable(tmp_path: Path) -> None:
    """Decision 2: whoever starts the server reads why, not a stack."""
    (tmp_path / "replicas").write_text("a file")
    with pytest.raises(StoreUnusable, match="cannot be used"):
        adopt_slot(tmp_path / "replicas", NOW)


def test_every_slot_that_no_process_holds_can_be_removed_at_once(adopt: Adopt, tmp_path: Path) -> None:
    """W6: an idle replica never hears of a forget, so it goes (decision 11); those that are in use are named, and stay."""
    processes = [adopt() for _ in range(4)]
    for each in processes:
        each.put(documents(1), 1)
    processes[0].close()
    processes[2].close()
    assert left_of(processes[1].slot) == ["3"]
    assert [each.folder.exists() for each in processes] == [False, True, False, True]
    assert [processes[1].held, processes[3].held] == [1, 1]
    anew = adopt()
    assert (anew.folder.name, anew.applied) == ("0", 1)


def test_a_slot_can_be_held_while_it_is_copied_and_only_if_it_is_idle(adopt: Adopt, tmp_path: Path) -> None:
    """Decision 2: an index that no second process may even read is copied under its lock, which also keeps a removal away."""
    mine, busy, idle = adopt(), adopt(), adopt()
    idle.close()
    others = {other.path: other for other in mine.slot.others()}
    assert others.keys() == {busy.folder, idle.folder}
    with others[busy.folder].held() as held:
        assert not held
    with others[idle.folder].held() as held:
        assert held
        assert left_of(mine.slot) == ["1", "2"]
        assert adopt().folder.name == "3"
    assert adopt().folder == idle.folder


def test_nobody_writes_in_a_slot_once_its_replica_is_closed(tmp_path: Path) -> None:
    """W10: merges write by themselves, and whoever takes the slot next may remove everything in it."""
    chance = random.Random(8)
    for turn in range(12):
        with adopted_terms(tmp_path) as replica:
            for step in range(8):  # as many segments as make the engine merge them
                numbers = range(1_000 * turn + 100 * step + 1, 1_000 * turn + 100 * step + 41)
                put(replica, [document(number, zipf_content(chance, 30)) for number in numbers])
        shutil.rmtree(tmp_path / "0")
