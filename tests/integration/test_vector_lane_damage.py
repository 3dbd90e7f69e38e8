"""A vector index whose bytes rotted under it: no answer rests on what the truth can disprove."""

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from recordance.domain.embedding import COMPONENT_BYTES, vector_of
from recordance.query.lane import LaneChoice
from recordance.ranking.trimming import compact_json
from recordance_adapters.driven.qdrant_vectors.opening import open_vectors
from support.recalls import Recalls
from support.slots import STORE, adopted_slot
from support.vector_views import is_scan, remember_embedded

COUNT, DIMENSION = 300, 4
QUESTION = vector_of([1.0, 0.0, 0.0, 0.0])


@pytest.fixture
def replicas(tmp_path: Path) -> Path:
    return tmp_path / "replicas"


@contextmanager
def opened_over(recalls: Recalls, replicas: Path) -> Iterator[Recalls]:
    """The same truth beside the index that lies in the first slot, as the next process has it."""
    with adopted_slot(replicas) as slot, closing(open_vectors(slot.path, STORE, slot.others())) as vectors:
        yield Recalls(truth=recalls.truth, vectors=vectors)


def answer(recalls: Recalls) -> str:
    return compact_json(recalls.ask("nothing", lane=LaneChoice.VECTOR, embedding=QUESTION, vector_k=5, token_budget=10**6))


def scans(recalls: Recalls) -> bool:
    with recalls.vector_follower.steady() as steady, recalls.truth.reading() as reader:
        return is_scan(steady.at(reader))


@pytest.mark.parametrize("harm", ["blank", "other vectors"])
def test_an_index_with_other_vectors_than_the_truth_is_found_out_by_the_first_recall(harm: str, replicas: Path) -> None:
    """case D5, L17: the engine has no checksums, and as many points as ever; that its scores are not the cosines tells."""
    recalls, chance = Recalls(), random.Random(5)
    remember_embedded(recalls.truth, COUNT, DIMENSION)
    expected = answer(recalls)
    assert scans(recalls)
    with opened_over(recalls, replicas) as whole:
        whole.vector_follower.commit()
        assert answer(whole) == expected
    (chunk,) = replicas.rglob("chunk_0.mmap")
    sound = chunk.read_bytes()
    width = DIMENSION * COMPONENT_BYTES
    places = [sound[at : at + width] for at in range(0, COUNT * width, width)]
    rotten = {"blank": [bytes(width)] * COUNT, "other vectors": chance.sample(places, COUNT)}[harm]
    chunk.write_bytes(b"".join(rotten) + sound[COUNT * width :])
    with opened_over(recalls, replicas) as damaged:
        damaged.vector_follower.open()
        assert not scans(damaged)
        assert answer(damaged) == expected
        assert damaged.vector_follower.alarms == 1
        assert scans(damaged)
        damaged.vector_follower.commit()
        assert not scans(damaged)
        assert answer(damaged) == expected
        assert damaged.vector_follower.alarms == 1
