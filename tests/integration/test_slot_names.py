"""The names of folders of indexes: drawn once, kept, and another one for a slot that was made anew (W6)."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from recordance_adapters.driven.replica_slots.identity import folder_name, known_name, name_of


def slot_in(folder: Path, number: int) -> Path:
    slot = folder / str(number)
    slot.mkdir(parents=True)
    return slot


def test_a_slot_keeps_its_name_and_shares_its_first_half_with_those_beside_it(tmp_path: Path) -> None:
    """W6: what was said of a slot is told from what was said of others, and of those in other folders."""
    first, second, elsewhere = slot_in(tmp_path / "a", 0), slot_in(tmp_path / "a", 1), slot_in(tmp_path / "b", 0)
    assert known_name(first) is None
    names = [name_of(slot) for slot in (first, second, elsewhere)]
    assert [known_name(slot) for slot in (first, second, elsewhere)] == [name_of(slot) for slot in (first, second, elsewhere)]
    assert [known_name(slot) for slot in (first, second, elsewhere)] == names
    halves = [name.partition(".")[0] for name in names]
    assert halves == [folder_name(tmp_path / "a")] * 2 + [folder_name(tmp_path / "b")]
    assert len(set(names)) == 3


def test_many_who_name_a_folder_at_once_agree(tmp_path: Path) -> None:
    """W6: two processes that start together would else take each other for machines far away."""
    start = threading.Barrier(8)

    def named(_: int) -> str:
        start.wait(20)
        return folder_name(tmp_path)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(named, range(8)))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["id"]


def test_a_damaged_name_is_drawn_anew(tmp_path: Path) -> None:
    """W6: an empty file, as a crash leaves one, names nobody."""
    (tmp_path / "id").write_text("")
    assert len(folder_name(tmp_path)) == 16
