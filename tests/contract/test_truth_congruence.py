"""All adapters of the truth answer alike, whatever has happened to them."""

import uuid
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.alias import MissOutcome
from recordance.domain.change import ChangeSet
from support.truths import ADAPTERS, WORDS, examples_on, histories, near_instants, opened, read_everything, write

asked_in_vain = st.tuples(
    st.lists(st.sampled_from(WORDS), max_size=3), st.sampled_from(MissOutcome), st.sampled_from(["", "p", "p\nq"]), near_instants
)


ledgers = st.lists(asked_in_vain, max_size=4)


@pytest.mark.parametrize("adapter", ADAPTERS[1:])
def test_equal_histories_lead_to_equal_answers(adapter: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """O11: the same changes give the same answers to every question, on every adapter, after every transaction."""

    @examples_on(adapter)
    @given(history=histories(), before=ledgers, after=ledgers)
    def holds(history: list[ChangeSet], before: list[tuple], after: list[tuple]) -> None:
        with ExitStack() as stack:
            folders = {each: tmp_path_factory.mktemp(uuid.uuid4().hex) for each in (ADAPTERS[0], adapter)}
            truths = [stack.enter_context(opened(each, folder)) for each, folder in folders.items()]
            count(truths, before)
            for changes in history:
                assert len({write(truth, changes) for truth in truths}) == 1
            count(truths, after)
            assert_alike(truths)

    holds()


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_one_transaction_or_many_lead_to_equal_answers(adapter: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """O11: how writes are cut into transactions leaves no trace."""

    @examples_on(adapter, 30)
    @given(history=histories(writes=4))
    def holds(history: list[ChangeSet]) -> None:
        with ExitStack() as stack:
            folders = [tmp_path_factory.mktemp(uuid.uuid4().hex) for _ in range(2)]
            one, many = [stack.enter_context(opened(adapter, folder)) for folder in folders]
            write(one, *history)
            for changes in history:
                write(many, changes)
            assert_alike([one, many])

    holds()


def count(truths: list, misses: list[tuple]) -> None:
    for truth in truths:
        with truth.writing() as writer:
            for miss in misses:
                writer.count_misses(*miss)


def assert_alike(truths: list) -> None:
    readings = []
    for truth in truths:
        with truth.reading() as reader:
            readings.append(read_everything(reader).answers)
    for question, answer in readings[0].items():
        for other in readings[1:]:
            assert other[question] == answer, question
