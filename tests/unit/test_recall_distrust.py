"""What an index says is checked against the truth before it may ground: it can lag, it can never invent."""

from collections.abc import Sequence

import pytest

from recordance.domain.capsule import Standing
from recordance.query.document import TermDocument
from support.documents import document
from support.recalls import Recalls, below, fenced
from support.truths import NOON, labels

NOTT = {"labels": labels(project_id="nott")}


def holding(*documents: TermDocument) -> Recalls:
    """A store of five capsules whose index has these documents in place of the right ones, and believes itself up to date."""
    recalls = Recalls()
    recalls.remember("tokio", standing=Standing(archived_at=NOON), **NOTT)
    recalls.remember("tokio", standing=Standing(quarantined_at=NOON), **NOTT)
    recalls.remember("tokio", labels=labels(project_id="secret"))
    recalls.remember("serde", **NOTT)
    recalls.remember("tokio", **NOTT)
    recalls.follower.commit()
    with recalls.truth.reading() as reader:
        recalls.replica.replace([each.number for each in documents], documents, reader.head())
    return Recalls(truth=recalls.truth, replica=recalls.replica)


LIES: dict[str, Sequence[TermDocument]] = {
    "an archived capsule is not": [document(1, "tokio", **NOTT)],
    "a quarantined capsule is not": [document(2, "tokio", **NOTT)],
    "another project's capsule is ours": [document(3, "tokio", **NOTT)],
    "a text has a word that it has not": [document(4, "tokio", **NOTT)],
    "all of it": [document(number, "tokio", **NOTT) for number in (1, 2, 3, 4)],
}


@pytest.mark.parametrize("lie", LIES)
def test_no_lie_of_an_index_grounds(lie: str) -> None:
    """F6, F13, L17: neither what is excluded, nor what lies outside a fence, nor what does not match."""
    recalls = holding(*LIES[lie])
    assert recalls.found("tokio", fences=[below("nott")]) == [5]
    assert recalls.found("tokio", caller=fenced("nott")) == [5]
    assert recalls.receipt(recalls.ask("tokio", caller=fenced("nott"))).numbers == (5,)


def test_what_an_index_does_not_know_yet_is_seen_all_the_same() -> None:
    """O11: a recall sees every write that was answered before it, from the journal."""
    recalls = holding()
    recalls.remember("tokio after the index", **NOTT)
    assert sorted(recalls.found("tokio", caller=fenced("nott"))) == [5, 6]
