"""The port's look at what is left of forgotten capsules: nothing after a forgetting, everything before it (W6)."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from recordance.domain.attaching import attached
from recordance.domain.change import AppendCorroboration, AppendReview, ChangeSet, KeepAnswer, KeptAnswer, PutFeedback
from recordance.domain.embedding import Space, vector_of
from recordance.domain.journal import Op
from recordance.domain.provenance import read_anchor
from recordance.domain.review import AnchorVerdict, Corroboration, Feedback, FeedbackOutcome, ReviewEvent, Ruling
from recordance.domain.tombstone import Remnant
from recordance.ports.truth import Truth
from support.truths import ADAPTERS, NOON, entombed, examples_on, histories, opened, remember, told, write


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    """An empty truth of each adapter."""
    with opened(request.param, tmp_path) as truth:
        yield truth


REVIEW = AppendReview(ReviewEvent(1, Ruling.RATIFIED, "as Ada said", "ann", NOON))
JUDGEMENT = PutFeedback(Feedback(1, "", "ann", FeedbackOutcome.HELPED, True, "it did", NOON))
VERDICT = AppendCorroboration(Corroboration(1, "main", "src/lib.rs", None, AnchorVerdict.CORROBORATED, 1, NOON))
ANSWER = KeepAnswer(KeptAnswer("once", "d", '{"results":[{"id":"cap-1"}]}', NOON))
ELSEWHERE = KeepAnswer(KeptAnswer("once", "d", '{"results":[{"id":"main:cap-1"}]}', NOON))
BYSTANDER = KeepAnswer(KeptAnswer("once", "d", '{"results":[{"id":"cap-10"}],"cap-1":"one"}', NOON))


def found(truth: Truth, number: int = 1) -> set[Remnant]:
    with truth.reading() as reader:
        return set(reader.remains([number]).get(number, ()))


@pytest.mark.parametrize(
    ("change", "remnant"),
    [
        (REVIEW, Remnant.NOTE),
        (JUDGEMENT, Remnant.NOTE),
        (VERDICT, Remnant.NOTE),
        (ANSWER, Remnant.ANSWER),
        (ELSEWHERE, Remnant.ANSWER),
        (BYSTANDER, None),
    ],
    ids=["review", "judgement", "verdict", "answer", "answer elsewhere", "another's answer"],
)
def test_what_hangs_on_a_capsule_is_seen_before_a_forgetting_and_gone_after_it(
    truth: Truth, change: AppendReview | PutFeedback | AppendCorroboration | KeepAnswer, remnant: Remnant | None
) -> None:
    """W6: a look that never finds anything would call every store clean."""
    remember(truth, "pin tokio")
    write(truth, told(Op.FED_BACK, 1, change))
    assert (found(truth) - {Remnant.TEXT}) == ({remnant} if remnant else set())
    write(truth, entombed(1))
    assert found(truth) == set()


def test_words_and_vectors_are_seen_before_a_forgetting_and_gone_after_it(truth: Truth) -> None:
    """W6: where anchors and marks are rows of their own, they are seen there too."""
    remember(truth, "pin tokio", "another", tags=("a",), anchors=(read_anchor("src/lib.rs:3"),))
    space = Space("default", 2)
    with truth.writing() as writer:
        writer.apply(attached(writer.capsules([1])[1], vector_of([1.0, 2.0]), None, space, NOON), "ann", NOON)
    assert found(truth) - {Remnant.ANCHOR, Remnant.MARK} == {Remnant.TEXT, Remnant.VECTOR}
    write(truth, entombed(1))
    with truth.reading() as reader:
        assert reader.remains([1, 77]) == {}
        assert reader.remains([1, 2]).keys() == {2}
        assert reader.remains([]) == {}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_nothing_is_left_after_any_history(tmp_path_factory: pytest.TempPathFactory, adapter: str) -> None:
    """W6: whatever was revised, judged, embedded and answered before, in the same transaction or another."""

    @examples_on(adapter, 40)
    @given(history=histories())
    def holds(history: list[ChangeSet]) -> None:
        with opened(adapter, tmp_path_factory.mktemp(uuid.uuid4().hex)) as truth:
            for changes in history:
                write(truth, changes)
            with truth.reading() as reader:
                capsules = reader.capsules(range(99)).items()
                dead = [number for number, each in capsules if each.standing.tombstoned_at is not None]
                assert reader.remains(dead) == {}

    holds()
