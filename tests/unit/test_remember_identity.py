"""Equal contents, keys, supersession and fences of what is stored."""

import unicodedata
from dataclasses import replace

import pytest

from recordance.domain.caller import Caller
from recordance.domain.forgetting import content_mac
from recordance.domain.identity import content_digest
from recordance.domain.instant import Instant
from recordance.domain.relation import RelationKind
from recordance.usecases.archive import archive
from recordance.usecases.relate import relate
from support.stores import ANN, Bench, bench, draft
from support.truths import IDENTITY, NOON, entombed, write

FENCED = Caller(actor="fay", projects=frozenset({"nott"}))


def superseded_by(store: Bench, number: int) -> int | None:
    with store.truth.reading() as reader:
        return reader.capsules([number])[number].standing.superseded_by


def test_equal_content_in_one_project_collapses_whatever_its_normal_form() -> None:
    """W1: equal is the sha256 of the NFC form."""
    store = bench()
    store.learn("café à Zürich")
    answer = store.tell(draft(unicodedata.normalize("NFD", "café à Zürich")), draft("café à Zürich "), draft("Café à Zürich"))
    assert [result["status"] for result in answer["results"]] == ["deduplicated", "captured", "captured"]


def test_equal_content_in_two_projects_is_two_capsules() -> None:
    """W1: the same destination and project; what holds in one project may end in another."""
    store = bench()
    answer = store.tell(draft("use tabs", project_id="a"), draft("use tabs", project_id="b"), draft("use tabs"))
    assert [result["status"] for result in answer["results"]] == ["captured"] * 3


def test_the_same_content_twice_in_a_batch_is_captured_once() -> None:
    """W1: a batch is judged item by item."""
    answer = bench().tell(draft("one"), draft("one"), draft("one"))
    assert [result["status"] for result in answer["results"]] == ["captured", "deduplicated", "deduplicated"]
    assert {result["id"] for result in answer["results"]} == {"cap-1"}


def test_a_new_value_under_a_key_retires_the_old_one_at_once() -> None:
    """W7: a correction that waits is a wrong answer until then."""
    store = bench()
    store.learn("tokio is pinned at 1.38", key="tokio", project_id="nott")
    (result,) = store.tell(draft("tokio is pinned at 1.39", key="tokio", project_id="nott"))["results"]
    assert result == {"status": "captured", "id": "cap-2", "superseded": ["cap-1"]}
    with store.truth.reading() as reader:
        standing = reader.capsules([1])[1].standing
        (relation,) = reader.relations_to([1], [RelationKind.SUPERSEDES])
    assert (standing.superseded_at, standing.superseded_by) == (NOON, 2)
    assert (relation.source, relation.at) == (2, NOON)


def test_a_key_belongs_to_its_project() -> None:
    """W7: two projects may pin two versions."""
    store = bench()
    store.learn("pinned at 1.38", key="tokio", project_id="a")
    store.learn("pinned at 1.39", key="tokio", project_id="b")
    store.learn("pinned at 1.40", key="tokio")
    assert [superseded_by(store, number) for number in (1, 2, 3)] == [None, None, None]


def test_values_under_one_key_in_one_batch_retire_each_other_in_order() -> None:
    """W7: a history that is imported at once ends with its last value."""
    store = bench()
    answer = store.tell(*(draft(f"value {number}", key="k") for number in range(3)))
    assert [result.get("superseded") for result in answer["results"]] == [None, ["cap-1"], ["cap-2"]]
    assert [superseded_by(store, number) for number in (1, 2, 3)] == [2, 3, None]


def test_restating_a_retired_value_under_its_key_does_not_resurrect_it() -> None:
    """W7, case D9: the wrong fact stays retired however often somebody repeats it."""
    store = bench()
    store.tell(draft("value 1", key="k"), draft("value 2", key="k"))
    (result,) = store.tell(draft("value 1", key="k"))["results"]
    assert result == {"status": "deduplicated", "id": "cap-1", "state": "superseded", "superseded_by": "cap-2"}
    assert superseded_by(store, 2) is None
    (latest,) = store.tell(draft("value 3", key="k"))["results"]
    assert latest["superseded"] == ["cap-2"]


def test_restating_the_living_value_under_its_key_changes_nothing() -> None:
    """W1, W7: who holds a key does not retire itself."""
    store = bench()
    store.learn("value 1", key="k")
    head = len(store.journal())
    assert store.tell(draft("value 1", key="k"))["results"] == [{"status": "deduplicated", "id": "cap-1"}]
    assert len(store.journal()) == head


def test_equal_content_of_a_dead_capsule_is_answered_with_its_state() -> None:
    """W1: whoever stores it again must learn that it will not be recalled."""
    store = bench()
    store.learn("archived")
    archive(store.destinations, ANN, None, "cap-1")
    (result,) = store.tell(draft("archived"))["results"]
    assert result == {"status": "deduplicated", "id": "cap-1", "state": "archived"}


def test_named_capsules_are_superseded_whatever_their_key() -> None:
    """W3, W7: a correction may take the place of several."""
    store = bench()
    store.learn("one", "two", "three")
    (result,) = store.tell(draft("one and two", supersedes=(1, 2, 1)))["results"]
    assert result["superseded"] == ["cap-1", "cap-2"]
    assert [superseded_by(store, number) for number in (1, 2, 3)] == [4, 4, None]


def test_an_unknown_or_forgotten_capsule_cannot_be_superseded_and_only_its_item_is_rejected() -> None:
    """W3, W1: both ends must exist; siblings are stored all the same."""
    store = bench()
    store.learn("one", "two")
    write(store.truth, entombed(2))
    answer = store.tell(draft("a", supersedes=(9,)), draft("b", supersedes=(2,)), draft("c", supersedes=(1,)))
    assert [result["status"] for result in answer["results"]] == ["rejected", "rejected", "captured"]
    assert answer["results"][0]["error"].startswith("unknown_capsule: 'cap-9'")
    assert answer["results"][1]["error"].startswith("tombstoned_capsule: 'cap-2'")
    assert superseded_by(store, 1) == 3


def test_an_item_may_supersede_what_the_batch_stored_before_it() -> None:
    """W1: a batch does what its items would do one by one."""
    store = bench()
    answer = store.tell(draft("one"), draft("two", supersedes=(1,)), draft("three", supersedes=(9,)))
    assert answer["results"][1]["superseded"] == ["cap-1"]
    assert answer["results"][2]["status"] == "rejected"


def test_equal_living_content_takes_over_what_the_item_supersedes() -> None:
    """W1, W7: the correction was stored before; what it corrects must be retired now."""
    store = bench()
    store.learn("right", "wrong")
    (result,) = store.tell(draft("right", supersedes=(2,)))["results"]
    assert result == {"status": "deduplicated", "id": "cap-1", "superseded": ["cap-2"]}
    assert superseded_by(store, 2) == 1
    assert store.tell(draft("right", supersedes=(2,)))["results"] == [{"status": "deduplicated", "id": "cap-1"}]


def test_equal_retired_content_takes_over_nothing() -> None:
    """W7: what was retired retires nobody, or two values would retire each other."""
    store = bench()
    store.tell(draft("one"), draft("two", supersedes=(1,)))
    (result,) = store.tell(draft("one", supersedes=(2,)))["results"]
    assert result == {"status": "deduplicated", "id": "cap-1", "state": "superseded", "superseded_by": "cap-2"}
    assert superseded_by(store, 2) is None


def test_a_content_cannot_supersede_itself() -> None:
    """W3: no circle, not even of one."""
    store = bench()
    store.learn("one")
    (result,) = store.tell(draft("one", supersedes=(1,)))["results"]
    assert result["status"] == "rejected"
    assert result["error"].startswith("supersedes: got 'cap-1'")


def test_a_key_that_the_equal_capsule_does_not_bear_retires_its_holder_and_is_said() -> None:
    """W1, W7: labels of a stored capsule stay as they are, and the caller must know that its key names nothing now."""
    store = bench()
    store.learn("blue", key="color", project_id="p")
    store.learn("red", project_id="p")
    (result,) = store.tell(draft("red", key="color", project_id="p"))["results"]
    assert (result["id"], result["superseded"]) == ("cap-2", ["cap-1"])
    assert "without this key" in result["lesson"]


def test_forgotten_content_is_refused_in_every_project() -> None:
    """W1: whoever was promised that it is gone must not meet it again."""
    store = bench()
    store.learn("my number is 555", project_id="other")
    write(store.truth, entombed(1, content_mac(content_digest("my number is 555"), IDENTITY.key)))
    answer = store.tell(draft("my number is 555", project_id="nott"), draft("fine"))
    assert [result["status"] for result in answer["results"]] == ["rejected", "captured"]
    assert answer["results"][0]["error"].startswith("tombstoned_capsule: 'cap-1'")
    (hidden,) = store.tell(draft("my number is 555", project_id="nott"), caller=FENCED)["results"]
    assert "cap-1" not in hidden["error"]
    assert "555" not in hidden["error"]


def test_a_fenced_caller_writes_inside_the_fence_only() -> None:
    """F13: a token of one project must not write into another."""
    store = bench()
    answer = store.tell(
        draft("a", project_id="nott"), draft("b", project_id="nott/x"), draft("c", project_id="nottx"), caller=FENCED
    )
    assert [result["status"] for result in answer["results"]] == ["captured", "captured", "rejected"]
    assert answer["results"][2]["error"].startswith("items[2].project_id: got 'nottx'")


def test_a_caller_fenced_to_one_subtree_stamps_what_names_no_project() -> None:
    """F13, case F6: what a writer stores unstamped it could never find again."""
    store = bench()
    assert store.tell(draft("a"), caller=FENCED)["captured"] == 1
    with store.truth.reading() as reader:
        assert reader.capsules([1])[1].labels["project_id"] == "nott"
    both = replace(FENCED, projects=frozenset({"nott", "other"}))
    (result,) = store.tell(draft("b"), caller=both)["results"]
    assert result["status"] == "rejected"
    assert "nott, other" in result["error"]
    (nowhere,) = store.tell(draft("b"), caller=replace(FENCED, projects=frozenset()))["results"]
    assert nowhere["status"] == "rejected"


def test_a_fenced_caller_neither_retires_nor_learns_of_what_lies_outside() -> None:
    """F13: an id that is guessed is answered like one that does not exist."""
    store = bench()
    store.learn("secret", project_id="other")
    hidden, unknown = store.tell(
        draft("a", project_id="nott", supersedes=(1,)), draft("b", project_id="nott", supersedes=(9,)), caller=FENCED
    )["results"]
    assert hidden["error"].replace("cap-1", "cap-9") == unknown["error"]
    assert superseded_by(store, 1) is None


def test_what_superseded_an_equal_content_is_named_inside_the_fence_only() -> None:
    """F13: the successor's id would tell that it exists."""
    store = bench()
    store.learn("old", project_id="nott")
    store.learn("new", project_id="other")
    relate(store.destinations, ANN, None, RelationKind.SUPERSEDES, "cap-2", "cap-1")
    (result,) = store.tell(draft("old", project_id="nott"), caller=FENCED)["results"]
    assert result == {"status": "deduplicated", "id": "cap-1", "state": "superseded"}
    (whole,) = store.tell(draft("old", project_id="nott"))["results"]
    assert whole["superseded_by"] == "cap-2"


def test_a_correction_holds_from_now_on_even_if_the_clock_was_set_back() -> None:
    """W7: the machine's clock is no reason to answer with the old value."""
    store = bench()
    store.learn("old", key="k")
    store.clock.set(Instant(NOON - 5_000_000))
    store.learn("new", key="k")
    assert superseded_by(store, 1) == 2
    assert store.tell(draft("old", key="k"))["results"][0]["state"] == "superseded"


@pytest.mark.parametrize("content", ["!!!", "🦀🦀", "\u200b"])
def test_content_without_a_word_is_captured_and_says_that_no_words_find_it(content: str) -> None:
    """W1, T1: a write that answers `captured` is believed to be found again."""
    store = bench()
    for status in ("captured", "deduplicated"):
        (result,) = store.tell(draft(content))["results"]
        assert result["status"] == status
        assert "no letter and no digit" in result["lesson"]
    assert "lesson" not in store.tell(draft("crab 🦀"))["results"][0]
