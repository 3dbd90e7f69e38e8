"""A scan of a space tells cosines quickly, and by less than it admits beside the exact ones."""

import random
from collections import Counter

import pytest

from recordance.domain.embedding import Measure
from recordance.domain.validity import TimeWindow
from recordance.usecases.vector_scan import scan_of_all
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from support.truths import IDENTITY, NOON, captured, make_capture, write
from support.vector_views import SPACE, asks, embedding_of, remember_embedded, vector
from support.watching import WatchedTruth

LENGTHS = (1e-18, 1e-4, 0.999e-3, 1e-3, 0.5, 1.0, 1.5, 999.0, 1e3, 1.001e3, 1e5, 1e18)


@pytest.mark.parametrize("dimension", [1, 2, 7, 384, 4096])
def test_the_scores_of_a_scan_are_the_cosines_whatever_the_lengths(dimension: int) -> None:
    """L3, L17: along, against, across and anything between; both vectors from very short to very long."""
    chance, truth = random.Random(dimension), MemoryTruth(IDENTITY)
    towards = [chance.gauss(0.0, 1.0) for _ in range(dimension)]
    others = [towards, [-value for value in towards], [value + chance.gauss(0.0, 1e-6) for value in towards]]
    others += [[chance.gauss(0.0, 1.0) for _ in range(dimension)] for _ in range(3)]
    vectors = [vector(*(value * length for value in other)) for other in others for length in LENGTHS]
    captures = [make_capture(number, f"statement {number}") for number in range(1, len(vectors) + 1)]
    write(truth, captured(*captures))
    write(truth, *(embedding_of(each.capsule, given) for each, given in zip(captures, vectors, strict=True)))
    with truth.reading() as reader:
        for length in LENGTHS:
            query = asks(*(value * length for value in towards))
            measure, scan = Measure(query.vector), scan_of_all(reader, SPACE)
            exact = {number: measure.cosine(given) for number, given in enumerate(vectors, 1)}
            found = {near.number: near.score for near in scan.nearest(query, 10**6)}
            assert found.keys() >= {number for number, cosine in exact.items() if cosine > 0.0}
            # Far better than what is admitted, so that what is admitted is no matter of luck.
            assert all(abs(exact[number] - score) < scan.tolerance / 1_000 for number, score in found.items())


def test_a_question_is_worked_out_once_whatever_count_and_window_it_comes_with() -> None:
    """L4: the lane asks again for more, and with a window besides; that costs no second scan."""
    reads = Counter[str]()
    truth = WatchedTruth(MemoryTruth(IDENTITY), lambda name, _: reads.update([name]))
    remember_embedded(truth, 20, dimension=2)
    with truth.reading() as reader:
        scan = scan_of_all(reader, SPACE)
        for count in (1, 5, 100):
            scan.nearest(asks(0.0, 1.0), count)
            scan.nearest(asks(0.0, 1.0, window=TimeWindow(NOON, None)), count)
    assert reads["TruthReader.vectors"] == 1
