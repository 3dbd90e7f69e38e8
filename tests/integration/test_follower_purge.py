"""What the follower does to its replica once something was forgotten: it is begun anew, and no file has a word of that."""

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recordance.domain.capsule import LabelField
from recordance.errors import Fault
from recordance.ports.terms import TermReplica
from recordance.ports.truth import Truth
from recordance.query.document import TermDocument
from recordance.usecases.follow import TermFollower
from recordance_adapters.driven.in_memory.terms import MemoryReplica
from recordance_adapters.driven.replica_slots import adopt_slot
from recordance_adapters.driven.tantivy_terms.replica import TantivyReplica
from recordance_adapters.driven.tantivy_terms.sidecar import clean_in
from support.documents import asking
from support.remains import words_in
from support.replicas import Faults, FaultyReplica, answers, holds
from support.slots import STORE, adopted_terms, terms_in
from support.stores import standing_still
from support.truths import entombed, opened, remember, write

TOKIO = asking("tokio")


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[Truth]:
    with opened("in_memory", tmp_path) as truth:
        yield truth


@pytest.fixture
def replica(tmp_path: Path) -> Iterator[TantivyReplica]:
    with adopted_terms(tmp_path) as replica:
        yield replica


def cleaned(slot: Path, store: str = STORE) -> int:
    """Up to where a slot says that it is clean, whatever history it followed."""
    return clean_in(slot, store, lambda seq, mark: True)


def dictionary(replica: TantivyReplica) -> frozenset[str]:
    return words_in(replica.slot / "terms")


def test_a_commit_alone_leaves_forgotten_words_in_the_files(truth: Truth, replica: TantivyReplica) -> None:
    """case D14: the engine hides what it deletes and keeps it; if that ever changes, the purge can be spared."""
    follower = TermFollower(truth, replica, standing_still)
    remember(truth, "tokio sentinel", "tokio other")
    follower.commit()
    write(truth, entombed(1))
    follower.commit()
    assert replica.snapshot().document_count == 1
    assert "sentinel" in dictionary(replica)


def test_a_purge_leaves_no_forgotten_word_in_any_dictionary(truth: Truth, replica: TantivyReplica) -> None:
    """W6, case D14: the index is emptied, its old files are gone from the folder, and everything else is found as before."""
    follower = TermFollower(truth, replica, standing_still)
    remember(truth, "tokio sentinel", "tokio other")
    follower.commit()
    before = {path.name for path in (replica.slot / "terms").iterdir()}
    write(truth, entombed(1))
    follower.purge()
    assert dictionary(replica) == frozenset()
    assert not any(path.name in before for path in (replica.slot / "terms").glob("*.term"))
    assert (replica.clean, replica.applied, cleaned(replica.slot)) == (3, 0, 3)
    for _ in range(2):
        with follower.at_head() as view:
            holds(view, TOKIO, asking("sentinel"))
        follower.commit()
    assert {"tokio", "other"} < dictionary(replica)
    assert "sentinel" not in dictionary(replica)
    assert (replica.clean, replica.applied, cleaned(replica.slot)) == (3, 3, 3)


def test_an_index_that_was_emptied_is_due_to_be_filled_though_no_recall_misses_it(truth: Truth, replica: TantivyReplica) -> None:
    """Decision 11: a recall finds as much applied as before; what is written meanwhile is shown on top of that."""
    follower = TermFollower(truth, replica, standing_still)
    remember(truth, "tokio sentinel", "tokio other")
    follower.commit()
    write(truth, entombed(1))
    with follower.at_head():
        status = follower.status()
    assert (status.head, status.applied, status.overlay, status.emptied) == (3, 2, 1, False)
    follower.purge()
    remember(truth, "tokio again")
    with follower.at_head() as view:
        holds(view, TOKIO)
    status = follower.status()
    assert (status.head, status.applied, status.overlay, status.emptied, status.is_due) == (4, 2, 2, True, True)
    follower.commit()
    status = follower.status()
    assert (status.head, status.applied, status.overlay, status.emptied, status.is_due) == (4, 4, 0, False, False)


def test_many_that_are_forgotten_one_by_one_leave_one_index_to_be_filled(truth: Truth) -> None:
    """Decision 11: each is gone as soon as it is forgotten; what is left is written once, when it is quiet."""
    faults = Faults()
    follower = TermFollower(truth, FaultyReplica(MemoryReplica(), faults), standing_still)
    remember(truth, *(f"tokio {place}" for place in range(20)))
    follower.commit()
    faults.writes.clear()
    for number in range(1, 20):
        write(truth, entombed(number))
        follower.purge()
    assert (faults.clears, faults.writes) == (19, [])
    follower.commit()
    assert [seq for _, seq in faults.writes] == [39]


def test_a_purge_writes_nothing_where_nothing_was_forgotten_since(truth: Truth) -> None:
    """Decision 11: a store where nobody forgets pays nothing, and two who ask one after the other pay once."""
    faults = Faults()
    follower = TermFollower(truth, FaultyReplica(MemoryReplica(), faults), standing_still)
    remember(truth, "tokio", "other")
    follower.commit()
    follower.purge()
    assert faults.clears == 0
    write(truth, entombed(1), entombed(2))
    follower.purge()
    assert faults.clears == 1
    remember(truth, "tokio again")
    follower.purge()
    follower.commit()
    assert faults.clears == 1


def test_a_replica_that_starts_with_nothing_is_clean_from_its_first_commit(truth: Truth, replica: TantivyReplica) -> None:
    """W6: whoever fills an index after a forget never had the words, and says so to whoever waits for it."""
    remember(truth, "tokio sentinel", "tokio other")
    write(truth, entombed(1))
    follower = TermFollower(truth, replica, standing_still)
    follower.commit()
    assert (replica.clean, replica.applied) == (3, 3)
    assert dictionary(replica) >= {"tokio", "other"}
    assert "sentinel" not in dictionary(replica)


def test_words_that_a_recall_had_read_before_are_not_written_after(truth: Truth, replica: TantivyReplica) -> None:
    """W6: the overlay holds what was true when it was read, and an index that is begun anew must not take that over."""
    follower = TermFollower(truth, replica, standing_still)
    remember(truth, "tokio sentinel", "tokio other")
    with follower.at_head() as view:
        holds(view, asking("sentinel"))
    write(truth, entombed(1))
    follower.commit()
    assert replica.clean == replica.applied == 3
    assert "sentinel" not in dictionary(replica)
    follower.purge()
    with follower.at_head() as view:
        holds(view, TOKIO, asking("sentinel"))


class Midway:
    """A replica that lets somebody in before each of its writes (see TermReplica)."""

    def __init__(self, replica: TermReplica) -> None:
        self._replica = replica
        self.before: Callable[[], None] = lambda: None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._replica, name)

    def replace(self, numbers: Collection[int], documents: Iterable[TermDocument], seq: int, mark: str = "") -> None:
        self.before()
        self._replica.replace(numbers, documents, seq, mark)


def test_recalls_go_on_with_the_old_index_while_a_new_one_is_written(truth: Truth, replica: TantivyReplica) -> None:
    """Decision 11: the recall in the midst neither waits nor fills anything itself, and does not see what was forgotten."""
    midway = Midway(replica)
    follower = TermFollower(truth, midway, standing_still)
    remember(truth, "tokio sentinel", "tokio other")
    follower.commit()
    write(truth, entombed(1))
    seen = []

    def recall() -> None:
        assert (replica.applied, replica.snapshot().document_count) == (0, 0)
        with follower.at_head() as view:
            holds(view, TOKIO, asking("sentinel"))
            seen.append(answers(view.terms, TOKIO)[0])

    midway.before = recall
    follower.purge()
    follower.commit()
    assert seen == [[2]]


def test_an_index_that_cannot_be_filled_again_holds_none_of_it_all_the_same(truth: Truth, replica: TantivyReplica) -> None:
    """W6: the words are gone at once; what a full disk delays is the writing of the others."""
    faults = Faults()
    follower = TermFollower(truth, FaultyReplica(replica, faults), standing_still)
    remember(truth, "tokio sentinel", "tokio other")
    follower.commit()
    write(truth, entombed(1))
    faults.failing_writes = 1
    follower.purge()
    with pytest.raises(Fault):
        follower.commit()
    assert dictionary(replica) == frozenset()
    follower.commit()
    assert replica.clean == replica.applied == 3
    with follower.at_head() as view:
        holds(view, TOKIO, asking("sentinel"))


def test_the_clean_mark_outlives_its_process_and_is_inherited_by_a_copy(truth: Truth, tmp_path: Path) -> None:
    """W6: the mark lies on the disk; a copy holds what its source held, neither more nor less."""
    first = adopt_slot(tmp_path, 0.0)
    follower = TermFollower(truth, terms_in(first), standing_still)
    remember(truth, "tokio sentinel", "tokio other", "tokio third")
    write(truth, entombed(1))
    follower.commit()
    write(truth, entombed(3))
    follower.commit()
    second = adopt_slot(tmp_path, 0.0)
    copy, again = terms_in(second), terms_in(first)
    assert copy.clean == again.clean == 4
    assert "third" in dictionary(copy)
    TermFollower(truth, copy, standing_still).purge()
    assert copy.clean == 5
    assert "third" not in dictionary(copy)
    assert "third" in dictionary(again), "each process purges its own"
    first.release()
    second.release()


def test_a_slot_that_was_left_empty_is_taken_up_as_a_copy_where_there_is_one(truth: Truth, tmp_path: Path) -> None:
    """Decision 2: a process that ended before it had filled its index again leaves nothing to start with."""
    first, second = adopt_slot(tmp_path, 0.0), adopt_slot(tmp_path, 0.0)
    emptied, full = (TermFollower(truth, terms_in(slot), standing_still) for slot in (first, second))
    remember(truth, "tokio sentinel", "tokio other")
    write(truth, entombed(1))
    emptied.commit()
    full.commit()
    write(truth, entombed(2))
    emptied.purge()
    assert (terms_in(first).applied, terms_in(first).clean) == (3, 3)
    first.release()
    second.release()


def test_forgetting_what_a_replica_applied_last_does_not_make_it_another_history(truth: Truth) -> None:
    """W6: the journal says less of a capsule once it is forgotten, which is no sign of a truth that was put back."""
    replica, faults = MemoryReplica(), Faults()
    remember(truth, "tokio", "tokio sentinel", labels={LabelField.TASK: "T-1"})
    TermFollower(truth, replica, standing_still).commit()
    write(truth, entombed(2))
    TermFollower(truth, FaultyReplica(replica, faults), standing_still).commit()
    assert faults.clears == 0
    assert faults.writes == [([2], 3)]


def test_a_position_from_before_there_were_marks_vouches_for_nothing(truth: Truth, tmp_path: Path) -> None:
    """W6: a replica that an earlier program left behind is used on, and begun anew by the first purge."""
    with adopted_terms(tmp_path) as replica:
        remember(truth, "tokio sentinel", "tokio other")
        write(truth, entombed(1))
        TermFollower(truth, replica, standing_still).commit()
    sidecar = tmp_path / "0" / "applied"
    kept = json.loads(sidecar.read_text(encoding="utf-8").split("\n", 1)[1])
    assert kept["position"].pop("clean") == cleaned(sidecar.parent) == 3
    text = json.dumps(kept)
    sidecar.write_text(f"{zlib.crc32(text.encode())}\n{text}", encoding="utf-8")
    assert cleaned(sidecar.parent) == 0
    with adopted_terms(tmp_path) as replica:
        assert (replica.clean, replica.applied) == (0, 3)
        TermFollower(truth, replica, standing_still).purge()
        assert replica.clean == cleaned(sidecar.parent) == 3
        assert cleaned(sidecar.parent, "another store") == 0


def test_a_position_of_another_history_vouches_for_nothing(truth: Truth, tmp_path: Path) -> None:
    """W6: its seqs count rows of a journal that was put back to an earlier state since."""
    with adopted_terms(tmp_path) as replica:
        remember(truth, "tokio sentinel", "tokio other")
        write(truth, entombed(1))
        TermFollower(truth, replica, standing_still).commit()
        mark = replica.mark
    assert clean_in(tmp_path / "0", STORE, lambda *at: at == (3, mark)) == 3
    assert clean_in(tmp_path / "0", STORE, lambda *at: at != (3, mark)) == 0
