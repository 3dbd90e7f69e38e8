"""Where a reason begins and ends, to the microsecond, near and beyond what a double float can tell apart."""

from collections.abc import Iterator
from typing import Any

import pytest

from recordance.domain.capsule import LabelField, Standing
from recordance.domain.instant import EARLIEST, LATEST, Instant
from recordance.domain.review import ReviewState
from recordance.domain.validity import EventRange, TimeWindow, Validity
from recordance.ports.terms import TermReplica
from recordance.query.document import TermQuery
from recordance.query.exclusion import Eligibility, ExclusionReason
from recordance.query.fence import (
    CreationFence,
    EitherFence,
    LabelBarrier,
    LabelFence,
    MarkFence,
    MarkField,
    MemberFence,
    Scope,
    SubtreeFence,
    metadata_mark,
)
from recordance.ranking.bm25 import CorpusStatistics
from recordance.ranking.scoring import weigh
from support.documents import REPLICAS, adopted, asking, document, put
from support.truths import NOON, days, labels

FAR = Instant(2**53 + 2**20 + 1)
"""Odd, and so large that its neighbours are one number to a double float: the year 2255."""
MOMENTS = pytest.mark.parametrize("moment", [NOON, FAR, Instant(-FAR), Instant(LATEST - 2), Instant(EARLIEST + 2)])
Q, F, A, S, P = (
    ExclusionReason.QUARANTINED,
    ExclusionReason.FALSIFIED,
    ExclusionReason.ARCHIVED,
    ExclusionReason.SUPERSEDED,
    ExclusionReason.PROPOSED,
)
EXPIRED, LATER = ExclusionReason.EXPIRED, ExclusionReason.NOT_YET_VALID
OUTSIDE, UNDATED = ExclusionReason.OUTSIDE_TIME_WINDOW, ExclusionReason.UNDATED


@pytest.fixture(params=REPLICAS)
def replica(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TermReplica]:
    with adopted(request.param, tmp_path_factory.mktemp("replicas")) as replica:
        yield replica


WIDE = document(
    2, "other", validity=Validity(LATEST, EARLIEST), standing=Standing(superseded_at=LATEST), event=EventRange(EARLIEST, LATEST)
)
"""A capsule that matches nothing and makes every instant one that some capsule may still meet."""


def verdict(replica: TermReplica, **given: Any) -> ExclusionReason | None:
    """Put one document with these fields of a capsule into the index, and return what excludes it, alone and among others."""
    asked = {name: given.pop(name) for name in ("at", "window", "admit") if name in given}
    query = asking("tokio", eligibility=Eligibility(**{"at": NOON} | asked))
    replica.clear(0)
    put(replica, [document(1, "tokio", **given)])
    alone = judged(replica, query)
    put(replica, [WIDE])
    assert judged(replica, query) is alone
    return alone


def judged(replica: TermReplica, query: TermQuery) -> ExclusionReason | None:
    """Return what excludes the one match of a query, which is proposed if nothing does."""
    tally = replica.snapshot().tally(query, ())
    proposed = replica.snapshot().proposals(query, (), 5, weigh({"tokio": 1}, CorpusStatistics(1, 1))).numbers
    assert tally.eligible == len(proposed)
    assert tally.eligible + sum(tally.excluded.values()) == 1
    return next((reason for reason, count in tally.excluded.items() if count), None)


def after(moment: Instant, step: int) -> Instant:
    return Instant(moment + step)


@MOMENTS
def test_a_capsule_ends_at_its_end_and_holds_just_before(replica: TermReplica, moment: Instant) -> None:
    """F6, W1: `valid_to` is exclusive."""
    found = [verdict(replica, at=after(moment, step), validity=Validity(EARLIEST, moment)) for step in (-1, 0, 1)]
    assert found == [None, EXPIRED, EXPIRED]


@MOMENTS
def test_a_capsule_begins_at_its_beginning(replica: TermReplica, moment: Instant) -> None:
    """F6, W1: `valid_from` is inclusive."""
    found = [verdict(replica, at=after(moment, step), validity=Validity(moment)) for step in (-1, 0, 1)]
    assert found == [LATER, None, None]


@MOMENTS
def test_a_capsule_is_superseded_from_its_own_superseded_time_on(replica: TermReplica, moment: Instant) -> None:
    """F9, case D11: as of an instant before that, the old value still answers, whatever touched it since."""
    standing = Standing(superseded_at=moment, superseded_by=2)
    found = [verdict(replica, at=after(moment, step), validity=Validity(EARLIEST), standing=standing) for step in (-1, 0, 1)]
    assert found == [None, S, S]


@MOMENTS
def test_a_window_includes_both_of_its_ends(replica: TermReplica, moment: Instant) -> None:
    """F3: an event that touches the window by a microsecond is in it."""
    event, ends = EventRange(moment, moment), [(0, 0), (1, None), (None, -1), (0, None), (None, 0), (-1, 1), (1, 2), (-2, -1)]
    windows = [TimeWindow(*(None if step is None else after(moment, step) for step in pair)) for pair in ends]
    found = [verdict(replica, validity=Validity(EARLIEST), event=event, window=window) for window in windows]
    assert found == [None, OUTSIDE, OUTSIDE, None, None, None, OUTSIDE, OUTSIDE]


def test_a_long_event_meets_a_window_inside_it(replica: TermReplica) -> None:
    """F3: ranges intersect, ends need not."""
    event = EventRange(Instant(NOON - days(9)), Instant(NOON + days(9)))
    assert verdict(replica, event=event, window=TimeWindow(NOON, NOON)) is None


def test_a_capsule_without_fact_time_is_undated_only_when_a_window_asks(replica: TermReplica) -> None:
    """F3: no window, no such reason."""
    assert verdict(replica) is None
    assert verdict(replica, window=TimeWindow(NOON, None)) is UNDATED
    assert verdict(replica, window=TimeWindow(None, NOON)) is UNDATED


def test_each_waived_reason_lets_the_next_one_claim(replica: TermReplica) -> None:
    """F6, F7, F11: the reasons claim in one order, and a waived one does not hide those behind it."""
    everything = Standing(
        quarantined_at=NOON, falsified_at=NOON, archived_at=NOON, superseded_at=NOON, review=ReviewState.REJECTED
    )
    for window, event, dated in [
        (TimeWindow(NOON, NOON), EventRange(EARLIEST, EARLIEST), OUTSIDE),
        (TimeWindow(NOON, None), None, UNDATED),
    ]:
        waived: set[ExclusionReason] = set()
        for reason in (Q, F, A, S, EXPIRED, LATER, dated, P):
            validity = Validity(after(NOON, 1), NOON)
            found = verdict(replica, standing=everything, validity=validity, event=event, window=window, admit=frozenset(waived))
            assert found is reason
            waived.add(reason)
        assert (
            verdict(replica, standing=everything, validity=validity, event=event, window=window, admit=frozenset(waived)) is None
        )


@pytest.mark.parametrize(
    ("verdict_before", "expected"), [(ReviewState.PROPOSED, P), (ReviewState.REJECTED, P), (ReviewState.RATIFIED, None)]
)
def test_a_proposal_grounds_once_ratified(replica: TermReplica, verdict_before: ReviewState, expected: ExclusionReason) -> None:
    """F7: a capsule without any verdict is no proposal."""
    assert verdict(replica, standing=Standing(review=verdict_before)) is expected
    assert verdict(replica) is None


def seen(replica: TermReplica, scope: Scope) -> list[int]:
    """The numbers of the documents that a scope admits, found by one word that all have."""
    query = asking("tokio", scope=scope)
    weights = weigh({"tokio": 1}, CorpusStatistics(9, 9))
    numbers = sorted(replica.snapshot().proposals(query, (), 50, weights).numbers)
    assert replica.snapshot().tally(query, ()).eligible == len(numbers)
    assert replica.snapshot().frequencies(["tokio"], (), scope) == {"tokio": len(numbers)}
    return numbers


def test_a_subtree_is_the_prefix_itself_and_what_follows_a_slash(replica: TermReplica) -> None:
    """F1, case F1: "nott" covers "nott/x", never "nottx", and no character in it is a wildcard."""
    projects = ["nott", "nott/x", "nottx", "nott/x/y", "Nott", "n_tt", "nott//", "/nott", "no", "nott%"]
    put(replica, [document(number, "tokio", labels=labels(project_id=project)) for number, project in enumerate(projects, 1)])
    put(replica, [document(99, "tokio", labels={})])
    assert seen(replica, Scope((SubtreeFence(frozenset({"nott"})),))) == [1, 2, 4, 7]
    assert seen(replica, Scope((SubtreeFence(frozenset({"nott/x", "no"})),))) == [2, 4, 9]
    assert seen(replica, Scope((SubtreeFence(frozenset({"n_tt"})),))) == [6]
    assert seen(replica, Scope((SubtreeFence(frozenset()),))) == []


def test_labels_are_compared_character_by_character(replica: TermReplica) -> None:
    """F2, case B7: a UUID, an operator, a quote, a wildcard or 9,000 characters are one label each, never parsed."""
    sessions = ["main", "Main", "AND", "*", 'a"b', "a-b", "6f9619ff-8b86-d011-b42d-00c04fc964ff", "x" * 9000, "x" * 8999, " main"]
    put(replica, [document(number, "tokio", labels=labels(session_id=label)) for number, label in enumerate(sessions, 1)])
    put(replica, [document(99, "tokio", labels={})])
    for number, label in enumerate(sessions, 1):
        assert seen(replica, Scope((LabelFence(LabelField.SESSION, frozenset({label})),))) == [number]
    assert seen(replica, Scope((LabelFence(LabelField.SESSION, frozenset({None, "main"})),))) == [1, 99]
    assert seen(replica, Scope((LabelFence(LabelField.SESSION, frozenset()),))) == []
    assert seen(replica, Scope((LabelFence(LabelField.AGENT, frozenset({"main"})),))) == []


def test_a_barrier_lets_capsules_without_the_label_pass(replica: TermReplica) -> None:
    """F9: telemetry is left out, what has no kind is not."""
    put(replica, [document(1, "tokio", labels=labels(kind="telemetry")), document(2, "tokio", labels={}), document(3, "tokio")])
    assert seen(replica, Scope((LabelBarrier(LabelField.KIND, frozenset({"telemetry"})),))) == [2, 3]
    assert seen(replica, Scope((LabelBarrier(LabelField.KIND, frozenset()),))) == [1, 2, 3]


def test_marks_are_compared_in_their_own_field(replica: TermReplica) -> None:
    """F9: any of several; entities case-folded; a metadata pair cannot be imitated by another."""
    put(replica, [document(1, "tokio", tags=("a", "b"), entities=("Ann",)), document(2, "tokio", topics=("a",))])
    put(replica, [document(3, "tokio", metadata=(("k", '"v"'),)), document(4, "tokio", tags=('k\0"v"'[:1],))])
    assert seen(replica, Scope((MarkFence(MarkField.TAGS, frozenset({"a", "zz"})),))) == [1]
    assert seen(replica, Scope((MarkFence(MarkField.TOPICS, frozenset({"a"})),))) == [2]
    assert seen(replica, Scope((MarkFence(MarkField.ENTITIES, frozenset({"ann"})),))) == [1]
    assert seen(replica, Scope((MarkFence(MarkField.METADATA, frozenset({metadata_mark("k", '"v"')})),))) == [3]


def test_one_of_several_scopes_is_enough(replica: TermReplica) -> None:
    """As F10 asks: a project or what belongs to none. Barriers and alternatives stand inside; no scope admits nothing."""
    put(replica, [document(1, "tokio", labels=labels(project_id="p")), document(2, "tokio", labels=labels(project_id="q"))])
    put(replica, [document(3, "tokio", labels={}), document(4, "tokio", labels=labels(kind="telemetry"))])
    own, none = (Scope((LabelFence(LabelField.PROJECT, frozenset({label})),)) for label in ("p", None))
    quiet = Scope((LabelBarrier(LabelField.KIND, frozenset({"telemetry"})),))
    assert seen(replica, Scope((EitherFence((own, none)),))) == [1, 3, 4]
    assert seen(replica, Scope((EitherFence((own, none)), *quiet.fences))) == [1, 3]
    assert seen(replica, Scope((EitherFence((quiet,)),))) == [1, 2, 3]
    assert seen(replica, Scope((EitherFence((own, none.with_fences(EitherFence((quiet,))))),))) == [1, 3]
    assert seen(replica, Scope((EitherFence((own, Scope())),))) == [1, 2, 3, 4]
    assert seen(replica, Scope((EitherFence(()),))) == []


@MOMENTS
def test_creation_includes_both_of_its_ends(replica: TermReplica, moment: Instant) -> None:
    """F9: since and until are inclusive."""
    put(replica, [document(2 + step, "tokio", captured_at=after(moment, step)) for step in (-1, 0, 1)])
    assert seen(replica, Scope((CreationFence(moment, moment),))) == [2]
    assert seen(replica, Scope((CreationFence(moment, None),))) == [2, 3]
    assert seen(replica, Scope((CreationFence(None, moment),))) == [1, 2]
    assert seen(replica, Scope((CreationFence(None, None),))) == [1, 2, 3]


@pytest.mark.parametrize("count", [0, 1, 399, 400, 401, 3000])
def test_members_and_masks_may_be_many(replica: TermReplica, count: int) -> None:
    """F5: an effort has as many members as it has, and an overlay masks what it must."""
    put(replica, [document(number, "tokio") for number in range(1, 8)])
    others = range(100, 100 + count)
    assert seen(replica, Scope((MemberFence(frozenset({2, 3, *others})),))) == [2, 3]
    masked = frozenset({2, 3, *others})
    query, weights = asking("tokio"), weigh({"tokio": 7}, CorpusStatistics(7, 7))
    assert sorted(replica.snapshot().proposals(query, masked, 50, weights).numbers) == [1, 4, 5, 6, 7]
    assert replica.snapshot().tally(query, masked).eligible == 5
    assert replica.snapshot().frequencies(["tokio"], masked, Scope()) == {"tokio": 5}
    assert replica.snapshot().numbers_present({2, 3, *others}) == {2, 3}
