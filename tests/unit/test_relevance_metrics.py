"""The metrics of `scripts/relevance` against values computed by hand: what is published rests on them."""

import math
import struct
from pathlib import Path

import pytest

from support.script_modules import script_module

metrics = script_module("relevance_sets/metrics.py")
half_floats = script_module("relevance_sets/half_floats.py")

RANKING = ["d", "a", "e", "b"]
RELEVANT = {"a", "b", "c"}


def test_recall_is_the_share_of_the_evidence_above_the_cut() -> None:
    """One of three in the first two, two of three in all; a cut beyond the ranking cuts nothing."""
    assert metrics.recall_at(1, RANKING, RELEVANT) == 0
    assert metrics.recall_at(2, RANKING, RELEVANT) == pytest.approx(1 / 3)
    assert metrics.recall_at(10, RANKING, RELEVANT) == pytest.approx(2 / 3)


def test_a_hit_asks_only_whether_any_of_the_evidence_is_there() -> None:
    """Whoever needs one piece of evidence is served by any."""
    assert metrics.hit_at(1, RANKING, RELEVANT) == 0
    assert metrics.hit_at(2, RANKING, RELEVANT) == 1
    assert metrics.hit_at(10, [], RELEVANT) == 0


def test_the_reciprocal_rank_is_that_of_the_first_piece_of_evidence() -> None:
    """Later pieces change nothing, and what was never found counts as infinitely deep."""
    assert metrics.reciprocal_rank(RANKING, RELEVANT) == 1 / 2
    assert metrics.reciprocal_rank(["c", *RANKING], RELEVANT) == 1
    assert metrics.reciprocal_rank(["x", "y"], RELEVANT) == 0


def test_discounted_gain_is_measured_against_the_best_possible_ranking() -> None:
    """Ranks 2 and 4 gain 1/log2(3) + 1/log2(5); three relevant ones could gain 1 + 1/log2(3) + 1/log2(4)."""
    expected = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3) + 1 / 2)
    assert metrics.ndcg_at(10, RANKING, RELEVANT) == pytest.approx(expected)
    assert metrics.ndcg_at(10, ["c", "b", "a", "x"], RELEVANT) == pytest.approx(1)


def test_the_best_possible_gain_ends_at_the_cut_too() -> None:
    """With more evidence than places a full house is still perfect: else no ranking could reach 1."""
    assert metrics.ndcg_at(2, ["a", "b"], RELEVANT) == pytest.approx(1)


def test_auroc_is_the_chance_of_the_right_order_and_ties_count_half() -> None:
    """Pairs (.9 > .1), (.9 > .5), (.5 > .1), (.5 = .5): 3.5 of 4."""
    assert metrics.auroc([0.9, 0.5], [0.1, 0.5]) == pytest.approx(3.5 / 4)
    assert metrics.auroc([1, 1], [0, 0]) == 1
    assert metrics.auroc([0, 0], [1, 1]) == 0
    assert metrics.auroc([0.3], [0.3]) == 0.5


def numpy_file(folder: Path, header: str, body: bytes) -> Path:
    """A file of format version 1.0 with this header."""
    padded = header.ljust(117) + "\n"
    file = folder / "rows.npy"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded.encode("latin-1") + body)
    return file


def test_half_floats_are_read_row_by_row(tmp_path: Path) -> None:
    """0x3C00 is 1, 0xC000 is -2, 0x3555 the float16 nearest to a third (IEEE 754)."""
    body = struct.pack("<4H", 0x3C00, 0xC000, 0x3555, 0x0000)
    file = numpy_file(tmp_path, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }", body)
    assert list(half_floats.read_rows(file)) == [(1.0, -2.0), (0.333251953125, 0.0)]


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", bytes(4)),
        ("{'descr': '<f2', 'fortran_order': True, 'shape': (1, 2), }", bytes(4)),
        ("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", bytes(4)),
        ("{'descr': '<f2', 'fortran_order': False, 'shape': (1, 3), }", bytes(4)),
    ],
    ids=["other numbers", "by column", "one dimension", "cut short"],
)
def test_a_file_of_anything_else_is_told_and_not_misread(tmp_path: Path, header: str, body: bytes) -> None:
    """Numbers read in a wrong shape would still give a table, and a wrong one."""
    with pytest.raises(half_floats.UnreadableFile, match="rows"):
        list(half_floats.read_rows(numpy_file(tmp_path, header, body)))
