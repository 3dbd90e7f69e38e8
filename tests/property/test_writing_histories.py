"""Random histories of writes: what must hold of every store after every one of them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.capsule import LabelField
from recordance.domain.capture import validity_of
from recordance.domain.coherence import ruling_fault
from recordance.domain.draft import CapsuleDraft, Staging
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.domain.identity import content_digest
from recordance.domain.relation import ACYCLIC, RelationKind
from recordance.domain.review import ReviewState, feedback_weight
from recordance.errors import Refusal
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility, first_exclusion
from support.stores import Bench, bench
from support.writings import batches, drafts, histories, take


@given(histories)
def test_the_invariants_of_a_store_hold_after_every_history(history: list[tuple[Any, ...]]) -> None:
    """W1, W3, W4, W7, W8, W13: contents, standings, circles, verdicts, weights, revisions and vectors, in whatever order."""
    store = bench()
    for step in history:
        before = len(store.journal())
        answer = take(store, step)
        if isinstance(answer, Refusal):
            assert len(store.journal()) == before, "a refusal wrote something"
        with store.truth.reading() as reader:
            check(reader)


STATES = {state.value for state in ReviewState}


def check(reader: TruthReader) -> None:
    numbers = range(1, reader.last_number() + 1)
    capsules = reader.capsules(numbers)
    assert sorted(capsules) == list(numbers)
    contents = [(capsule.labels.get(LabelField.PROJECT), capsule.content_digest) for capsule in capsules.values()]
    assert len(contents) == len(set(contents)), "equal content twice in one project"
    for number, capsule in capsules.items():
        superseding = reader.relations_to([number], [RelationKind.SUPERSEDES])
        assert (capsule.standing.superseded_at is not None) is bool(superseding)
        if superseding:
            assert (capsule.standing.superseded_by, capsule.standing.superseded_at) in {(r.source, r.at) for r in superseding}
            assert capsule.standing.superseded_at == min(relation.at for relation in superseding)
        falsifying = reader.relations_to([number], [RelationKind.FALSIFIES])
        assert capsule.standing.falsified_at == min((relation.at for relation in falsifying), default=None)
        outcomes = [each.outcome for each in reader.feedback([number]).get(number, ())]
        assert capsule.use.feedback_weight == feedback_weight(tuple(outcomes))
        assert capsule.use.count == len(outcomes)
        verdicts = [event.verdict for event in reader.reviews(number) if event.verdict.value in STATES]
        assert capsule.standing.review == (verdicts[-1].value if verdicts else None)
        texts = reader.revisions(number)
        assert [text.revision for text in texts] == list(range(1, capsule.revision + 1))
        assert content_digest(texts[-1].content) == capsule.content_digest
        assert ruling_fault(capsule.standing, reader.reviews(number)) == ""
    for kind in ACYCLIC:
        assert not circle(reader.relations_from(numbers, [kind])), f"a circle of {kind}"
    space, embeddings = reader.space(DEFAULT_SPACE), reader.embeddings(numbers)
    assert len(embeddings) == (0 if space is None else space.vectors)
    for number, (embedding,) in embeddings.items():
        assert embedding.content_digest == capsules[number].content_digest
        assert space is not None
        assert (embedding.space, embedding.vector.dimension) == (DEFAULT_SPACE, space.space.dimension)


def circle(relations: object) -> bool:
    """Whether following the relations ever comes back: take away, again and again, those that end nowhere else."""
    left: set[tuple[int, int]] = {(each.source, each.target) for each in relations}  # type: ignore[attr-defined]
    while left:
        sources = {source for source, _ in left}
        ending = {pair for pair in left if pair[1] not in sources}
        if not ending:
            return True
        left -= ending
    return False


@given(histories, drafts())
def test_of_the_values_under_a_key_that_hold_now_a_new_one_is_the_only_one(
    history: list[tuple[Any, ...]], value: CapsuleDraft
) -> None:
    """W7: whatever was written and taken back before, a value of now leaves no other one; one of another time leaves them all."""
    store = bench()
    for step in history:
        take(store, step)
    value = replace(value, labels={**value.labels, LabelField.KEY: "k"}, staging=Staging.DIRECT)
    before = present(store, value)
    (result,) = store.tell(value)["results"]
    if result["status"] != "captured":
        return
    if validity_of(value, store.clock.now()).holds_at(store.clock.now()):
        assert present(store, value) == [result["id"]]
    else:
        assert present(store, value) == [id for id in before if id not in result.get("superseded", [])]


def present(store: Bench, value: CapsuleDraft) -> list[str]:
    """Who holds the value's key in its project and holds now."""
    with store.truth.reading() as reader:
        holders = [each.number for each in reader.keyed(["k"]) if each.project_id == value.labels.get(LabelField.PROJECT)]
        capsules = reader.capsules(holders)
    return [f"cap-{number}" for number in holders if capsules[number].validity.holds_at(store.clock.now())]


@given(batches, batches)
def test_a_batch_does_what_its_items_would_do_one_by_one(before: list[CapsuleDraft], batch: list[CapsuleDraft]) -> None:
    """W1: batching is a matter of speed alone."""
    together, apart = bench(), bench()
    for store in (together, apart):
        for item in before:
            store.tell(item)
    answer = together.tell(*batch)
    results = [apart.tell(item)["results"][0] for item in batch]
    assert list(map(unplaced, answer["results"])) == list(map(unplaced, results))
    assert together.journal() == apart.journal()


def unplaced(result: dict[str, Any]) -> dict[str, Any]:
    """A result without the item's place in its error."""
    error = result.get("error", "")
    return {**result, "error": error.partition("].")[2] if error.startswith("items[") else error}


@given(st.lists(drafts(), min_size=1, max_size=12), drafts())
def test_similar_lists_what_comparing_with_every_capsule_would(before: list[CapsuleDraft], last: CapsuleDraft) -> None:
    """W1: up to 3 with at least half of all words in common, same project, only what may ground."""
    store = bench()
    for item in before:
        store.tell(item)
    result = store.tell(last)["results"][0]
    if result["status"] != "captured":
        return
    with store.truth.reading() as reader:
        expected = list(brute_force(reader, int(result["id"].removeprefix("cap-")), Eligibility(at=store.clock.now())))
    expected.sort(key=lambda pair: (-pair[0], pair[1]))
    listed = [(each["score"], each["id"]) for each in result.get("similar", [])]
    assert listed == [(round(score, 2), f"cap-{number}") for score, number in expected[:3]]


def brute_force(reader: TruthReader, number: int, now: Eligibility) -> Iterator[tuple[float, int]]:
    everything = reader.documents(range(1, number + 1))
    own = everything.pop(number) if isinstance(everything, dict) else everything[number]
    words = set(own.words)
    for other, document in everything.items():
        same_project = document.capsule.labels.get(LabelField.PROJECT) == own.capsule.labels.get(LabelField.PROJECT)
        union = words | set(document.words)
        if same_project and union and first_exclusion(document.capsule, now) is None:
            score = len(words & set(document.words)) / len(union)
            if score >= 0.5:
                yield score, other
