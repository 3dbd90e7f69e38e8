"""What a truth gives back of capsules: every value as it was, by number, by content, by key, at any size."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from recordance.domain.capsule import LabelField, Standing, Use
from recordance.domain.change import ChangeSet, SetStanding, SetUse
from recordance.domain.identity import content_digest
from recordance.domain.instant import EARLIEST, LATEST
from recordance.domain.journal import Op
from recordance.domain.provenance import Anchor
from recordance.domain.review import ReviewState
from recordance.domain.validity import EventRange, Validity
from recordance.ports.truth import KeyedCapsule, KnownContent, Truth
from recordance.query.document import term_document
from recordance.ranking.bm25 import CorpusStatistics
from support.truths import (
    ADAPTERS,
    NOON,
    captured,
    days,
    entombed,
    labels,
    make_capture,
    opened,
    remember,
    stands,
    told,
    write,
)

SCRIPTS = "ação 設備 データ ไทย हिन्दी Ёж й 한국어 עברית العربية Ω ﬁ 🦀👩‍👩‍👧 e\u0301 \u202e \t\r\n \\ \" ' % _"


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


def test_every_field_of_a_capsule_comes_back_as_it_was_written(truth: Truth) -> None:
    """W1, W14: each value with its type, its order and its last bit."""
    capture = make_capture(
        1,
        SCRIPTS,
        headline=SCRIPTS,
        source="report 7",
        proof_hint="run it",
        stale_if="the lock moves",
        signature="sig",
        tags=("b", "a", "b", ""),
        topics=(SCRIPTS,),
        entities=("Ärger", "ärger"),
        metadata=(("z", '{"b":1,"a":[1.0,1e300,null]}'), ("a", '"é"'), ("", "[]")),
        anchors=(Anchor("src/a.py:3@0a1b2c3", "src/a.py", 3, "0a1b2c3", "f" * 64), Anchor("doc-7"), Anchor(SCRIPTS)),
        labels={field: f"{field} {SCRIPTS}" for field in LabelField},
        confidence=0.1 + 0.2,
        importance=5e-324,
        value=1.7976931348623157e308,
        validity=Validity(EARLIEST, LATEST),
        event=EventRange(EARLIEST, LATEST),
        captured_at=LATEST,
        updated_at=EARLIEST,
        writer=SCRIPTS,
        taint=("role_prefix", "hidden_text"),
        standing=Standing(
            quarantined_at=EARLIEST,
            falsified_at=LATEST,
            archived_at=NOON,
            superseded_at=NOON,
            superseded_by=1,
            review=ReviewState.PROPOSED,
        ),
        use=Use(count=7, last_at=LATEST, feedback_weight=1 / 3),
    )
    write(truth, captured(capture))
    with truth.reading() as reader:
        assert reader.capsules([1]) == {1: capture.capsule}
        assert reader.texts([1]) == {1: capture.text}
        assert reader.contents([1]) == {1: SCRIPTS}
        assert reader.documents([1]) == {1: term_document(capture.capsule, capture.text)}
        assert isinstance(reader.capsules([1])[1].standing.review, ReviewState)


def test_what_was_left_out_comes_back_left_out(truth: Truth) -> None:
    """W1: absent is neither empty nor zero: no label, no event, an open end, no hint."""
    capture = make_capture(1, "x", labels={}, validity=Validity(NOON), event=None, headline="", source="")
    write(truth, captured(capture))
    with truth.reading() as reader:
        assert reader.capsules([1]) == {1: capture.capsule}
        assert reader.texts([1]) == {1: capture.text}


def test_values_at_their_limits_work(truth: Truth) -> None:
    """W14: 100 kB of content and labels of 10,000 characters, in a script of four bytes a character."""
    content, label = "🦀 " * 25_000, "𝔏" * 10_000
    capture = make_capture(1, content, labels=labels(project_id=label, session_id=label, key=label, kind="fact"), tags=(label,))
    write(truth, captured(capture))
    with truth.reading() as reader:
        assert reader.contents([1]) == {1: content}
        assert reader.capsules([1])[1].labels == capture.capsule.labels
        assert reader.keyed([label]) == [KeyedCapsule(label, label, 1)]
        assert reader.corpus_within(frozenset({label})).capsules == 1
        assert reader.corpus_within(frozenset({label[:-1]})).capsules == 0


def test_unknown_numbers_are_left_out_and_known_ones_come_once(truth: Truth) -> None:
    """W1: a number that nobody bears is no error; one that is asked for twice is answered once."""
    remember(truth, "one", "two")
    asked = [2, 0, 99, -1, 2, 10**15]
    with truth.reading() as reader:
        for read in (reader.capsules, reader.texts, reader.contents, reader.documents):
            assert list(read(asked)) == [2]
            assert read([]) == {}
        assert reader.tombstones(asked) == {}


def test_any_number_of_numbers_can_be_asked_for_at_once(truth: Truth) -> None:
    """W14: what a database takes in one statement is no limit of the port."""
    remember(truth, *(f"note {place}" for place in range(1_200)))
    asked = random.Random(7).sample(range(1, 12_001), 12_000)
    with truth.reading() as reader:
        assert reader.contents(asked) == {number: f"note {number - 1}" for number in range(1, 1_201)}
        assert len(reader.capsules(set(asked))) == len(reader.documents(frozenset(asked))) == 1_200
        assert [known.number for known in reader.known_contents([content_digest(f"note {place}") for place in range(1_500)])] == [
            *range(1, 1_201)
        ]


def test_a_document_tells_the_words_marks_and_standing_of_now(truth: Truth) -> None:
    """F6, F9: a follower judges by what stands in the truth when it reads, not by what it read before."""
    remember(truth, "Café au lait", tags=("t",), entities=("Ann",), metadata=(("n", "1"),))
    write(truth, stands(1, archived_at=NOON))
    with truth.reading() as reader:
        (document,) = reader.documents([1]).values()
        assert document.words == ["cafe", "au", "lait"]
        assert document == term_document(reader.capsules([1])[1], reader.texts([1])[1])
        assert document.capsule.standing.archived_at == NOON


def test_a_standing_replaces_the_one_before_whole(truth: Truth) -> None:
    """W7: a decision that is taken back leaves nothing; the capsule's last update is the decision's instant."""
    remember(truth, "x")
    write(truth, stands(1, archived_at=NOON, review=ReviewState.PROPOSED))
    write(truth, stands(1, Op.RESTORED, NOON + 5, quarantined_at=NOON))
    with truth.reading() as reader:
        capsule = reader.capsules([1])[1]
        assert capsule.standing == Standing(quarantined_at=NOON)
        assert (capsule.updated_at, capsule.captured_at) == (NOON + 5, NOON)


def test_changes_of_one_capsule_in_one_set_keep_their_order(truth: Truth) -> None:
    """W7: the last word counts, however many captures and changes of other kinds stand between."""
    first, last = Standing(archived_at=NOON), Standing(falsified_at=NOON)
    use = Use(count=2, last_at=NOON, feedback_weight=0.25)
    changes = (
        make_capture(1, "a"),
        SetStanding(1, first, NOON),
        make_capture(2, "b"),
        SetUse(1, Use(count=1)),
        SetStanding(2, first, NOON),
        SetStanding(1, last, NOON),
        SetUse(1, use),
    )
    write(truth, ChangeSet(changes))
    with truth.reading() as reader:
        found = reader.capsules([1, 2])
    assert (found[1].standing, found[1].use, found[2].standing) == (last, use, first)


def test_use_changes_neither_standing_nor_the_last_update(truth: Truth) -> None:
    """O11, case D11: what feedback makes of a capsule is no update of what it says."""
    remember(truth, "x")
    write(truth, told(Op.FED_BACK, 1, SetUse(1, Use(count=3, last_at=NOON, feedback_weight=0.55))))
    with truth.reading() as reader:
        capsule = reader.capsules([1])[1]
    assert capsule.use == Use(count=3, last_at=NOON, feedback_weight=0.55)
    assert (capsule.updated_at, capsule.standing) == (NOON, Standing())


def test_the_corpus_counts_every_unforgotten_capsule_dead_or_alive(truth: Truth) -> None:
    """L17: N and the lengths do not depend on what may ground."""
    remember(truth, "one two three", "four five", "six")
    write(truth, stands(1, archived_at=NOON), stands(2, quarantined_at=NOON, superseded_at=NOON))
    with truth.reading() as reader:
        assert reader.corpus() == CorpusStatistics(3, 6)
    write(truth, entombed(1))
    with truth.reading() as reader:
        assert reader.corpus() == CorpusStatistics(2, 3)


def test_the_corpus_within_a_fence_counts_its_subtrees_once(truth: Truth) -> None:
    """F1, F13, L17, case F1: "nott" covers "nott/x", never "nottx" nor "Nott", and overlapping prefixes count nothing twice."""
    for project in ("nott", "nott/x", "nott/x/y", "nottx", "Nott", "n_tt", "nott%", "ñott/x"):
        remember(truth, "two words", labels=labels(project_id=project))
    remember(truth, "unstamped")
    expected = {
        ("nott",): 3, ("nott/x",): 2, ("nott", "nott/x"): 3, ("nott/x", "nottx"): 3, ("ñott",): 1, ("n_tt",): 1, ("nott%",): 1,
        ("no",): 0, (): 0, ("nott/",): 0,
    }  # fmt: skip
    with truth.reading() as reader:
        for prefixes, capsules in expected.items():
            assert reader.corpus_within(frozenset(prefixes)) == CorpusStatistics(capsules, 2 * capsules), prefixes
    write(truth, entombed(2))
    with truth.reading() as reader:
        assert reader.corpus_within(frozenset({"nott"})).capsules == 2


def test_known_contents_are_found_alive_or_dead_but_not_forgotten(truth: Truth) -> None:
    """W1: equal content of a dead capsule is told with its state; forgotten content has no digest left to be found by."""
    remember(truth, "same", "other", labels=labels(project_id="p"))
    remember(truth, "same", "gone")
    write(truth, stands(1, superseded_at=NOON), entombed(4))
    wanted = [content_digest(content) for content in ("same", "gone", "never")]
    with truth.reading() as reader:
        assert reader.known_contents(wanted) == [KnownContent(wanted[0], "p", 1), KnownContent(wanted[0], None, 3)]


def test_contents_are_known_by_their_whole_digest(truth: Truth) -> None:
    """W1: two digests that begin alike are two contents, whatever an index makes of them."""
    alike = ["a" * 63 + last for last in "abc"]
    write(truth, captured(*(make_capture(number, str(number), content_digest=alike[number - 1]) for number in (1, 2))))
    with truth.reading() as reader:
        assert [known.number for known in reader.known_contents([alike[1], alike[2]])] == [2]


def test_a_key_is_held_by_who_is_neither_superseded_nor_forgotten(truth: Truth) -> None:
    """W7: in each project the capsule that a correction would retire; an archived one still holds its key."""
    for project in ("p", "q"):
        remember(truth, f"old {project}", f"new {project}", labels=labels(project_id=project, key="deploy"))
    remember(truth, "unstamped", labels=labels(key="deploy"))
    remember(truth, "other", labels=labels(key="Deploy"))
    write(truth, stands(1, superseded_at=NOON + days(9), superseded_by=2), stands(2, archived_at=NOON), entombed(3))
    with truth.reading() as reader:
        assert reader.keyed(["deploy", "none"]) == [
            KeyedCapsule("p", "deploy", 2),
            KeyedCapsule("q", "deploy", 4),
            KeyedCapsule(None, "deploy", 5),
        ]
