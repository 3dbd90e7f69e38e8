"""Pages of capsules: what a truth pushes down must be what the pure predicates say (F1, F6, decision 4)."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.caller import under
from recordance.domain.capsule import Capsule, LabelField, Standing
from recordance.domain.review import ReviewState
from recordance.domain.validity import Validity
from recordance.domain.vocabulary import Kind
from recordance.ports.truth import ListedState, ListPage, ListRequest, Truth
from recordance.query.exclusion import Eligibility, first_exclusion
from support.truths import (
    ADAPTERS,
    NOON,
    PROJECTS,
    captured,
    days,
    entombed,
    examples_on,
    judged_captures,
    labels,
    near_instants,
    opened,
    remember,
    stands,
    write,
)


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


subtrees = st.lists(st.frozensets(st.sampled_from(PROJECTS), max_size=2), max_size=2).map(tuple)
requests = st.builds(
    ListRequest,
    project_id=st.none() | st.none() | st.sampled_from(PROJECTS),
    subtrees=st.just(()) | subtrees,
    kind=st.none() | st.none() | st.sampled_from(Kind),
    state=st.none() | st.sampled_from(ListedState),
    at=near_instants,
    limit=st.integers(0, 5),
    offset=st.integers(0, 4),
)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_page_is_what_the_predicates_say_of_each_capsule(adapter: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """F1, F6: random capsules, random fences and states; the first reason in F6's order names the state."""

    @examples_on(adapter)
    @given(captures=st.integers(1, 12).flatmap(lambda last: st.tuples(*map(judged_captures, range(1, last + 1)))), data=st.data())
    def holds(captures: tuple, data: st.DataObject) -> None:
        with opened(adapter, tmp_path_factory.mktemp(uuid.uuid4().hex)) as truth:
            write(truth, captured(*captures))
            if data.draw(st.booleans()):
                write(truth, entombed(data.draw(st.integers(1, len(captures)))))
            with truth.reading() as reader:
                capsules = reader.capsules(range(len(captures) + 1))
                for request in data.draw(st.lists(requests, min_size=8, max_size=8)):
                    listed = [number for number in sorted(capsules) if is_listed(capsules[number], request)]
                    page = tuple(listed[request.offset : request.offset + request.limit])
                    assert reader.listed(request) == ListPage(page, len(listed)), request

    holds()


def is_listed(capsule: Capsule, request: ListRequest) -> bool:
    """The definition, spelled out once more without the adapters."""
    project = capsule.labels.get(LabelField.PROJECT)
    reason = first_exclusion(capsule, Eligibility(at=request.at))
    return (
        capsule.standing.tombstoned_at is None
        and request.project_id in (None, project)
        and request.kind in (None, capsule.labels.get(LabelField.KIND))
        and all(project is not None and any(under(project, each) for each in any_of) for any_of in request.subtrees)
        and request.state in (None, ListedState.LIVE if reason is None else ListedState(reason.value))
    )


def test_the_ends_of_validity_are_judged_at_the_instant_asked_about(truth: Truth) -> None:
    """F6, W1, case H2: valid_from is inside, valid_to is outside, and a supersession holds from its own instant on."""
    remember(truth, "x", validity=Validity(NOON, NOON + days(2)))
    write(truth, stands(1, superseded_at=NOON + days(1)))
    states = {
        -1: ListedState.NOT_YET_VALID,
        0: ListedState.LIVE,
        days(1) - 1: ListedState.LIVE,
        days(1): ListedState.SUPERSEDED,
        days(2): ListedState.SUPERSEDED,
    }
    with truth.reading() as reader:
        for offset, expected in states.items():
            found = [
                state
                for state in ListedState
                if reader.listed(ListRequest(state=state, at=NOON + offset, limit=1, offset=0)).total
            ]
            assert found == [expected], offset


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        ({}, ListedState.LIVE),
        ({"review": ReviewState.RATIFIED}, ListedState.LIVE),
        ({"review": ReviewState.REJECTED}, ListedState.PROPOSED),
        ({"review": ReviewState.PROPOSED}, ListedState.PROPOSED),
        ({"review": ReviewState.PROPOSED, "superseded_at": NOON}, ListedState.SUPERSEDED),
        ({"superseded_at": NOON, "archived_at": NOON}, ListedState.ARCHIVED),
        ({"archived_at": NOON, "falsified_at": NOON}, ListedState.FALSIFIED),
        ({"falsified_at": NOON, "quarantined_at": NOON}, ListedState.QUARANTINED),
        ({"superseded_at": NOON + 1}, ListedState.LIVE),
    ],
)
def test_the_first_reason_that_holds_names_the_state(truth: Truth, decisions: dict[str, Any], expected: ListedState) -> None:
    """F6, W5: a falsified claim never hides behind a softer reason, and only a ratified proposal is live."""
    remember(truth, "x", standing=Standing(**decisions))
    with truth.reading() as reader:
        found = [state for state in ListedState if reader.listed(ListRequest(state=state, at=NOON, limit=1, offset=0)).total]
    assert found == [expected]


def test_pages_join_without_gap_or_overlap(truth: Truth) -> None:
    """F1: in append order, with the number of capsules on all pages beside each; past the end a page is empty."""
    remember(truth, *map(str, range(7)), labels=labels(project_id="p"))
    remember(truth, "elsewhere", labels=labels(project_id="q"))
    with truth.reading() as reader:
        pages = [reader.listed(ListRequest(project_id="p", at=NOON, limit=3, offset=offset)) for offset in (0, 3, 6, 9)]
    assert [page.numbers for page in pages] == [(1, 2, 3), (4, 5, 6), (7,), ()]
    assert {page.total for page in pages} == {7}
