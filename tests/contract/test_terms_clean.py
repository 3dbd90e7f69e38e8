"""The clean mark: up to which seq nothing that was forgotten is in any file of a term replica (W6)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recordance.ports.terms import TermReplica
from support.documents import REPLICAS, adopted, asking, document, put


@pytest.fixture(params=REPLICAS)
def replica(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TermReplica]:
    with adopted(request.param, tmp_path) as replica:
        yield replica


def test_a_new_replica_is_not_known_to_be_clean(replica: TermReplica) -> None:
    """As W6 asks: what nobody has vouched for counts as holding everything."""
    assert replica.clean == 0


def test_a_replica_is_clean_as_it_was_told_until_it_begins_anew(replica: TermReplica) -> None:
    """As W6 asks: writing on changes nothing, in either direction; what is deleted later may lie there for long."""
    replica.clear(7)
    assert (replica.clean, replica.applied, replica.mark, replica.snapshot().document_count) == (7, 0, "", 0)
    put(replica, [document(1)], 7)
    replica.replace([1], [], 8)
    assert (replica.clean, replica.applied) == (7, 8)
    replica.clear(9)
    assert (replica.clean, replica.applied) == (9, 0)


def test_a_snapshot_outlives_what_its_replica_begins_anew(replica: TermReplica) -> None:
    """O11: a recall in flight goes on with the words that it has opened."""
    put(replica, [document(1, "tokio"), document(2, "tokio pin")], 2)
    before = replica.snapshot()
    replica.clear(2)
    put(replica, [document(2, "tokio pin")], 3)
    assert before.tally(asking("tokio"), ()).eligible == 2
    assert replica.snapshot().tally(asking("tokio"), ()).eligible == 1
