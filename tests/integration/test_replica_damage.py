"""Damaged files: noticed when a replica is adopted, and put right without anybody's help."""

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from recordance.errors import Fault, ReplicaDamaged
from recordance.ports.truth import Truth
from recordance.ranking.bm25 import CorpusStatistics
from recordance.ranking.scoring import weigh
from recordance.usecases.follow import TermFollower
from recordance_adapters.driven.tantivy_terms.integrity import verify_files
from recordance_adapters.driven.tantivy_terms.replica import open_replica
from recordance_adapters.driven.tantivy_terms.seeding import copy_replica
from support.documents import asking, document, put, zipf_content
from support.replicas import holds
from support.slots import STORE, adopted_terms
from support.stores import standing_still
from support.truths import entombed, opened, remember, stands, write

QUERIES = (asking("w1"), asking("w2", "w3 w1"), asking("w5"))
PARTS = ("idx", "term", "fast", "fieldnorm", "store", "pos", "del")
BOOKS = ("meta.json", ".managed.json", "../applied")
"""What the engine keeps beside its segments, and the replica's position."""
WHOLE = 62
"""How many journal rows the truth has; a replica that had applied so many was not built anew."""


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    """A truth whose replica lies in slot 0 below `tmp_path`, committed in two steps, the second of which deletes."""
    with opened("in_memory", tmp_path) as truth:
        chance = random.Random(3)
        remember(truth, *(zipf_content(chance, chance.randint(3, 40), vocabulary=30) for _ in range(40)))
        applied_at_first(truth, tmp_path)
        write(truth, *(stands(number, archived_at=1) for number in range(1, 21)), entombed(21), entombed(22))
        applied_at_first(truth, tmp_path)
        yield truth


def applied_at_first(truth: Truth, folder: Path) -> int:
    """Adopt the replica, hold it to the truth, commit, hold it again; return what it had applied when it was adopted."""
    with adopted_terms(folder) as replica:
        applied = replica.applied
        follower = TermFollower(truth, replica, standing_still)
        for _ in range(2):
            with follower.at_head() as view:
                holds(view, *QUERIES)
            follower.commit()
        with truth.reading() as reader:
            assert replica.snapshot().document_count == reader.corpus().capsules
        return applied


def index(folder: Path) -> Path:
    return folder / "0" / "terms"


def parts(folder: Path, ending: str) -> list[Path]:
    """The files of one kind that the index consists of now."""
    listed = {
        segment["segment_id"].replace("-", "") for segment in json.loads((index(folder) / "meta.json").read_bytes())["segments"]
    }
    return sorted(path for path in index(folder).glob(f"*.{ending}") if path.name.split(".")[0] in listed)


def flip(path: Path, chance: random.Random) -> None:
    held = bytearray(path.read_bytes())
    held[chance.randrange(len(held))] ^= 1 << chance.randrange(8)
    path.write_bytes(held)


def cut(path: Path, chance: random.Random) -> None:
    held = path.read_bytes()
    path.write_bytes(held[: chance.randrange(len(held))])


def remove(path: Path, chance: random.Random) -> None:
    path.unlink()


def overwrite(file: IO[bytes], place: int, byte: int) -> None:
    file.seek(place)
    file.write(bytes([byte]))


def test_no_flipped_bit_of_a_footer_goes_unnoticed(truth: Truth, tmp_path: Path) -> None:
    """case D5: the bits that say which engine wrote a file are no more free to change than the checksum or the data before it."""
    for path in (parts(tmp_path, ending)[0] for ending in PARTS):
        held = path.read_bytes()
        with path.open("r+b", buffering=0) as file:  # in place: a file that is made anew is written to the disk each time
            for bit in range(8 * held.index(b'{"version"'), 8 * len(held)):
                overwrite(file, bit // 8, held[bit // 8] ^ 1 << bit % 8)
                with pytest.raises(ReplicaDamaged):
                    verify_files(index(tmp_path))
                overwrite(file, bit // 8, held[bit // 8])
    verify_files(index(tmp_path))


def test_a_sound_replica_goes_on_where_it_was(truth: Truth, tmp_path: Path) -> None:
    """case D3: restarts build nothing anew."""
    assert [applied_at_first(truth, tmp_path) for _ in range(3)] == [WHOLE] * 3


@pytest.mark.parametrize("harm", [flip, cut, remove])
@pytest.mark.parametrize("ending", PARTS)
def test_harm_to_any_file_of_a_segment_is_noticed_and_the_replica_built_anew(
    truth: Truth, tmp_path: Path, ending: str, harm: Callable[[Path, random.Random], None]
) -> None:
    """case D5: the engine opens an index with a flipped byte without complaint; its own checksums tell."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    harm(random.Random(seed).choice(parts(tmp_path, ending)), random.Random(seed))
    assert applied_at_first(truth, tmp_path) == 0
    assert applied_at_first(truth, tmp_path) == WHOLE


@pytest.mark.parametrize("harm", [flip, cut, remove])
@pytest.mark.parametrize("book", BOOKS)
def test_harm_to_what_is_kept_beside_the_segments_loses_nothing(
    truth: Truth, tmp_path: Path, book: str, harm: Callable[[Path, random.Random], None]
) -> None:
    """case D5: whether it was noticed or did not matter, every answer is right and the next start is quick again."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    harm(index(tmp_path) / book, random.Random(seed))
    assert applied_at_first(truth, tmp_path) in {0, WHOLE}
    assert applied_at_first(truth, tmp_path) == WHOLE


def test_an_index_older_than_its_position_is_built_anew(truth: Truth, tmp_path: Path) -> None:
    """Decision 1: the position is never ahead of the data, whoever put an older index back."""
    saved = tmp_path / "saved"
    shutil.copytree(index(tmp_path), saved)
    remember(truth, "w1 later", "w2 later")
    assert applied_at_first(truth, tmp_path) == WHOLE
    shutil.rmtree(index(tmp_path))
    shutil.copytree(saved, index(tmp_path))
    assert applied_at_first(truth, tmp_path) == 0


def test_an_index_ahead_of_its_position_is_brought_up_again(truth: Truth, tmp_path: Path) -> None:
    """Decision 1: a process died between its commit and its position; writing the same again adds nothing twice."""
    before = (tmp_path / "0" / "applied").read_bytes()
    remember(truth, "w1 later", "w2 later")
    write(truth, entombed(30))
    assert applied_at_first(truth, tmp_path) == WHOLE
    (tmp_path / "0" / "applied").write_bytes(before)
    assert applied_at_first(truth, tmp_path) == WHOLE
    assert applied_at_first(truth, tmp_path) == WHOLE + 3


def test_a_damaged_replica_starts_as_a_copy_of_a_sound_one(truth: Truth, tmp_path: Path) -> None:
    """Decision 2: what another process has verified need not be built from the truth; shared damage is not copied."""
    with adopted_terms(tmp_path), adopted_terms(tmp_path):
        pass
    remove(parts(tmp_path, "fast")[0], random.Random(0))
    assert applied_at_first(truth, tmp_path) == WHOLE
    for path in index(tmp_path).glob("*.idx"):
        flip(path, random.Random(1))  # the same file in both slots, since they share it
    assert applied_at_first(truth, tmp_path) == 0


def test_a_question_that_the_engine_refuses_costs_no_index(truth: Truth, tmp_path: Path) -> None:
    """Decision 1: over sound files an error of the engine is a fault of the program, and rebuilding would not mend it."""
    with adopted_terms(tmp_path) as replica, pytest.raises(Fault) as raised:
        replica.snapshot().proposals(QUERIES[0], (), 0, weigh({"w1": 1}, CorpusStatistics(1, 1)))
    assert not isinstance(raised.value, ReplicaDamaged)


def test_a_replica_can_be_copied_to_another_file_system(truth: Truth, tmp_path: Path) -> None:
    """Decision 2: where no hard link can be made the files are copied."""
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other file system")
    with tempfile.TemporaryDirectory(dir=other) as folder:
        copy_replica(tmp_path / "0", Path(folder), STORE)
        copy = open_replica(Path(folder), STORE)
        assert (copy.applied, copy.snapshot().document_count) == (WHOLE, 38)
        copy.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
def test_after_a_write_that_failed_the_index_takes_every_later_one(truth: Truth, tmp_path: Path) -> None:
    """case C7: after one failed commit the engine swallows all that is written, without an error, until it is rolled back."""
    import resource

    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    with adopted_terms(tmp_path) as replica:
        try:
            put(replica, [document(100, "tokio before")])
            for number in range(101, 104):
                resource.setrlimit(resource.RLIMIT_FSIZE, (16, unlimited[1]))
                with pytest.raises(Fault):
                    put(replica, [document(number, "tokio lost"), document(100, "tokio lost")])
                resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
                assert replica.snapshot().tally(asking("tokio"), ()).eligible == number - 100
                put(replica, [document(number, "tokio kept")])
            assert replica.snapshot().tally(asking("tokio kept"), ()).eligible == 3
            assert replica.snapshot().tally(asking("lost"), ()).eligible == 0
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
