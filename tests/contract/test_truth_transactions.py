"""How a truth reads and writes: snapshots that hold still, writes that are whole or not at all, one writer at a time."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recordance.domain.alias import Alias
from recordance.domain.capsule import Standing, Tombstone, Use
from recordance.domain.change import (
    AddRelation,
    ChangeSet,
    Entomb,
    KeepAnswer,
    KeptAnswer,
    PutFeedback,
    SetStanding,
    SetUse,
    TeachAlias,
)
from recordance.domain.journal import Op
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Feedback, FeedbackOutcome
from recordance.errors import Fault, MissingState, StateKind
from recordance.ports.truth import Truth
from support.truths import (
    ACTOR,
    ADAPTERS,
    IDENTITY,
    NOON,
    captured,
    entry,
    make_capture,
    open_truth,
    opened,
    read_everything,
    remember,
    stands,
    told,
    write,
)

WAIT = 30.0
"""Seconds after which a thread that should have gone on is taken for stuck."""


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


def test_a_new_store_is_empty_and_knows_who_it_is(truth: Truth) -> None:
    """O13: the store's id and key live in the truth, and everything else starts at nothing."""
    with truth.reading() as reader:
        assert reader.identity() == IDENTITY
        assert (reader.head(), reader.last_number(), reader.corpus().capsules, reader.corpus().words) == (0, 0, 0, 0)


def test_apply_numbers_the_journal_without_gaps_and_returns_the_new_head(truth: Truth) -> None:
    """W12: seqs are taken inside the transaction, one per entry, in the order of the entries."""
    first = write(truth, captured(make_capture(1), make_capture(2)))
    second = write(truth, ChangeSet(entries=(entry(Op.REVIEWED, 1), entry(Op.ALIASED, None))))
    assert (first, second) == (2, 4)
    with truth.reading() as reader:
        assert [row.seq for row in reader.journal(0, 10)] == [1, 2, 3, 4]
        assert reader.head() == 4


def test_changes_without_entries_leave_the_head_where_it_is(truth: Truth) -> None:
    """W1: an answer that is kept for its idempotency key is no write of its own."""
    kept = KeptAnswer("once", "digest", "{}", NOON)
    assert write(truth, ChangeSet((KeepAnswer(kept),))) == 0
    with truth.reading() as reader:
        assert reader.kept_answer("once") == kept


def test_a_writer_reads_what_it_has_written_so_far(truth: Truth) -> None:
    """W1: the items of a batch are weighed against the store and against each other."""
    with truth.writing() as writer:
        writer.apply(captured(make_capture(1, "tokio stays at 1.38")), ACTOR, NOON)
        assert writer.last_number() == writer.head() == writer.corpus().capsules == 1
        assert writer.contents([1]) == {1: "tokio stays at 1.38"}


def test_a_snapshot_holds_still_while_others_write(truth: Truth) -> None:
    """O11: a recall reads one state of the store from beginning to end, whatever is answered meanwhile."""
    remember(truth, "first")
    with truth.reading() as reader:
        before = read_everything(reader)
        remember(truth, "second")
        write(truth, stands(1, archived_at=NOON))
        assert read_everything(reader) == before
    with truth.reading() as reader:
        assert reader.last_number() == 2
        assert reader.capsules([1])[1].standing.archived_at == NOON


def test_a_snapshot_is_of_the_moment_at_which_it_was_opened(truth: Truth) -> None:
    """O11: also when nothing was asked of it before the next write."""
    with truth.reading() as reader:
        remember(truth, "later")
        assert reader.head() == 0
        assert reader.contents([1]) == {}


def test_a_write_is_not_seen_before_it_is_committed(truth: Truth) -> None:
    """W1: only what was answered is there, and nothing is answered before it is durable."""
    with truth.writing() as writer:
        writer.apply(captured(make_capture(1)), ACTOR, NOON)
        with truth.reading() as reader:
            assert (reader.head(), dict(reader.capsules([1]))) == (0, {})
    with truth.reading() as reader:
        assert reader.head() == 1


def test_an_error_undoes_the_whole_transaction(truth: Truth) -> None:
    """W1: a write is there as a whole or not at all; numbers and seqs that it took are taken again."""
    remember(truth, "kept")
    with truth.reading() as reader:
        before = read_everything(reader)

    def fail_half_way() -> None:
        with truth.writing() as writer:
            writer.apply(captured(make_capture(2, "lost", tags=("t",))), ACTOR, NOON)
            writer.apply(stands(1, archived_at=NOON), ACTOR, NOON)
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail_half_way()
    with truth.reading() as reader:
        assert read_everything(reader) == before
    assert remember(truth, "next") == [2]


@pytest.mark.parametrize(
    "change",
    [
        captured(make_capture(3)),
        captured(make_capture(1)),
        ChangeSet((SetStanding(9, Standing(), NOON),)),
        ChangeSet((SetUse(9, Use()),)),
        ChangeSet((AddRelation(Relation(RelationKind.BLOCKS, 1, 9, NOON)),)),
        ChangeSet((AddRelation(Relation(RelationKind.BLOCKS, 1, 1, NOON)),) * 2),
        ChangeSet((TeachAlias(Alias("a", "b", "a", "b", NOON)),) * 2),
    ],
    ids=[
        "number left out",
        "number taken",
        "standing of none",
        "use of none",
        "relation to none",
        "relation twice",
        "alias twice",
    ],
)
def test_a_change_that_does_not_fit_the_store_changes_nothing(truth: Truth, change: ChangeSet) -> None:
    """W3: a fault in a use case stops at the truth, which keeps its own rules whatever it is told."""
    remember(truth, "only")
    with truth.reading() as reader:
        before = read_everything(reader)
    with pytest.raises(Fault):
        write(truth, change)
    with truth.reading() as reader:
        assert read_everything(reader) == before


def test_writers_take_turns_and_lose_nothing(truth: Truth) -> None:
    """case C5: each writer reads the last number inside its own turn, so no two take the same one."""

    def remember_each(name: str) -> list[int]:
        return [number for place in range(25) for number in remember(truth, f"{name} {place}")]

    with ThreadPoolExecutor(4) as pool:
        numbers = [number for taken in pool.map(remember_each, "abcd") for number in taken]
    assert sorted(numbers) == list(range(1, 101))
    with truth.reading() as reader:
        assert reader.corpus().capsules == reader.head() == 100
        assert len(set(reader.contents(range(101)).values())) == 100


def test_a_reader_never_waits_for_a_writer(truth: Truth) -> None:
    """case C3: a read succeeds while somebody holds the write lock."""
    remember(truth, "there")
    seen = threading.Event()

    def read() -> None:
        with truth.reading() as reader:
            assert reader.contents([1]) == {1: "there"}
        seen.set()

    with truth.writing() as writer:
        writer.apply(captured(make_capture(2)), ACTOR, NOON)
        thread = threading.Thread(target=read)
        thread.start()
        assert seen.wait(WAIT)
        thread.join(WAIT)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_writer_that_waits_too_long_is_told_that_the_store_is_busy(adapter: str, tmp_path: Path) -> None:
    """case C1: nobody hangs for ever; the refusal says what is going on."""
    truth = open_truth(adapter, tmp_path, patience=0.05)
    with truth.writing(), ThreadPoolExecutor(1) as pool:
        refused = pool.submit(remember, truth, "late").exception(WAIT)
    assert isinstance(refused, MissingState)
    assert (refused.kind, refused.id) == (StateKind.STORE_BUSY, IDENTITY.store)
    assert remember(truth, "in time") == [1]
    truth.close()


def test_forgetting_comes_after_everything_else_of_its_change_set(truth: Truth) -> None:
    """As W6 asks: what else is told of a capsule in the write that forgets it cannot bring its words back."""
    remember(truth, "secret")
    judged = PutFeedback(Feedback(1, "", ACTOR, FeedbackOutcome.HELPED, True, "the secret helped", NOON))
    write(truth, told(Op.TOMBSTONED, 1, Entomb(Tombstone(1, NOON, "asked for", ACTOR, "mac")), judged))
    with truth.reading() as reader:
        assert [each.note for each in reader.feedback([1])[1]] == [None]
