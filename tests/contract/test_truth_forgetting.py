"""What a truth keeps of a forgotten capsule: who it was, never what it said (W6, F8)."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from recordance.domain.alias import Alias, MissOutcome
from recordance.domain.capsule import LabelField, Standing, Tombstone, Use
from recordance.domain.change import (
    AddRelation,
    AppendCorroboration,
    AppendReview,
    ChangeSet,
    KeepAnswer,
    KeepOut,
    KeptAnswer,
    PutFeedback,
    TeachAlias,
)
from recordance.domain.journal import Entry, Op
from recordance.domain.provenance import Anchor
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import AnchorVerdict, Corroboration, Feedback, FeedbackOutcome, ReviewEvent, ReviewState, Ruling
from recordance.domain.validity import EventRange, Validity
from recordance.errors import Fault
from recordance.ports.truth import IndexedChange, ListRequest, Truth
from support.truths import (
    ACTOR,
    ADAPTERS,
    NOON,
    captured,
    days,
    entombed,
    entry,
    make_capture,
    opened,
    remember,
    revised,
    stands,
    write,
)

LATER = NOON + days(1)


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


def test_the_skeleton_keeps_place_instants_decisions_and_its_fences(truth: Truth) -> None:
    """F8: project, session and kind stay, so that the id probe can be fenced; every other label goes with the text."""
    capture = make_capture(
        1,
        "the secret",
        labels={field: f"label of {field}" for field in LabelField},
        validity=Validity(NOON, LATER),
        event=EventRange(NOON, LATER),
        taint=("hidden_text",),
        standing=Standing(archived_at=NOON, review=ReviewState.RATIFIED),
        use=Use(count=2, last_at=NOON, feedback_weight=0.7),
    )
    write(truth, captured(capture))
    write(truth, entombed(1, at=LATER), at=LATER)
    with truth.reading() as reader:
        skeleton = reader.capsules([1])[1]
    kept = (LabelField.PROJECT, LabelField.SESSION, LabelField.KIND)
    assert skeleton.labels == {field: f"label of {field}" for field in kept}
    assert (skeleton.content_digest, skeleton.word_count, skeleton.taint) == ("", 0, ())
    assert skeleton.standing == Standing(archived_at=NOON, review=ReviewState.RATIFIED, tombstoned_at=LATER)
    assert (skeleton.captured_at, skeleton.updated_at) == (NOON, LATER)
    assert (skeleton.validity, skeleton.event, skeleton.use) == (
        capture.capsule.validity,
        capture.capsule.event,
        capture.capsule.use,
    )


def test_nothing_that_was_said_can_be_read_any_more(truth: Truth) -> None:
    """As W6 and case D1 ask: no text, no document, no page, no content digest, no key; the capsule beside it is untouched."""
    given = {"tags": ("t",), "anchors": (Anchor("src/a.py:1", "src/a.py", 1),), "labels": {LabelField.KEY: "k"}}
    first, second = make_capture(1, "the secret", **given), make_capture(2, "the other", **given)
    write(truth, captured(first, second))
    write(truth, entombed(1))
    with truth.reading() as reader:
        assert reader.texts([1, 2]) == {2: second.text}
        assert reader.contents([1, 2]) == {2: "the other"}
        assert list(reader.documents([1, 2])) == [2]
        assert reader.listed(ListRequest(at=NOON, limit=9, offset=0)).numbers == (2,)
        assert reader.known_contents([first.capsule.content_digest, ""]) == []
        assert [holder.number for holder in reader.keyed(["k"])] == [2]
        assert (reader.last_number(), reader.corpus().capsules) == (2, 1)


def test_the_tombstone_says_when_why_and_by_whom(truth: Truth) -> None:
    """As W6 asks: its keyed hash refuses the same content at re-ingest, without telling what it was."""
    remember(truth, "a", "b", "c")
    tombstone = Tombstone(2, LATER, "asked for", ACTOR, "mac")
    write(truth, entombed(2, at=LATER), entombed(3, at=LATER))
    with truth.reading() as reader:
        assert reader.tombstones([1, 2, 9]) == {2: tombstone}
        assert reader.forgotten(["mac", "none"]) == {"mac": 2}, "of two, the first"
        assert reader.forgotten([]) == {}


def test_what_others_wrote_about_it_loses_its_words(truth: Truth) -> None:
    """As W6 asks: reasons, notes and paths may quote what is forgotten; verdicts, judgements and relations stand without them."""
    remember(truth, "a", "b")
    about = [
        (
            AppendReview(ReviewEvent(number, Ruling.PROPOSED, "because", ACTOR, NOON)),
            PutFeedback(Feedback(number, "rcpt-1", ACTOR, FeedbackOutcome.HURT, False, "a note", NOON)),
            AppendCorroboration(Corroboration(number, "main", "src/a.py", "0a1b2c3", AnchorVerdict.DRIFTED, 1, NOON)),
        )
        for number in (1, 2)
    ]
    tie = Relation(RelationKind.SUPPORTS, 1, 2, NOON)
    write(truth, ChangeSet((*about[0], *about[1], AddRelation(tie))))
    write(truth, entombed(1))
    with truth.reading() as reader:
        assert [event.reason for event in [*reader.reviews(1), *reader.reviews(2)]] == [None, "because"]
        notes = reader.feedback([1, 2])
        assert [(each.outcome, each.note) for each in [*notes[1], *notes[2]]] == [
            (FeedbackOutcome.HURT, None),
            (FeedbackOutcome.HURT, "a note"),
        ]
        commits = reader.corroborations([1, 2])
        assert (commits[1].anchor_path, commits[1].anchor_sha, commits[1].verdict) == ("", None, AnchorVerdict.DRIFTED)
        assert commits[2].anchor_path == "src/a.py"
        assert reader.relations_from([1], list(RelationKind)) == [tie]


def test_a_capsule_is_forgotten_once(truth: Truth) -> None:
    """As W6 asks: a second tombstone would write over the first one's reason."""
    remember(truth, "a")
    write(truth, entombed(1))
    for number in (1, 2):
        with pytest.raises(Fault):
            write(truth, entombed(number))
    with truth.reading() as reader:
        assert list(reader.tombstones([1, 2])) == [1]


def test_a_capsule_can_be_captured_and_forgotten_in_one_transaction(truth: Truth) -> None:
    """As W10 asks: an import brings capsules that were forgotten where they come from; tombstones win."""
    with truth.writing() as writer:
        writer.apply(captured(make_capture(1, "the secret")).then(entombed(1)), ACTOR, NOON)
        assert writer.corpus().capsules == 0
    with truth.reading() as reader:
        assert reader.texts([1]) == {}
        assert reader.capsules([1])[1].standing.tombstoned_at == NOON


def test_a_standing_set_before_a_forget_does_not_undo_it(truth: Truth) -> None:
    """As W6 asks: archived, superseded or quarantined, it is forgotten all the same."""
    remember(truth, "a")
    write(truth, stands(1, archived_at=NOON).then(entombed(1)), ChangeSet((TeachAlias(Alias("a", "b", "a", "b", NOON)),)))
    with truth.reading() as reader:
        assert reader.capsules([1])[1].standing == Standing(archived_at=NOON, tombstoned_at=NOON)


SAID = {
    "content": "the zebra",
    "headline": "headed",
    "source": "sourced",
    "proof_hint": "hinted",
    "stale_if": "staled",
    "signature": "signed",
    "tags": ("tagged",),
    "topics": ("topical",),
    "entities": ("Éntity",),
    "metadata": (("named", '{"pairname":["val\\nued",7]}'),),
    "anchors": (Anchor("anchored:1", "pathed/file.py", 1),),
}
WORDS_SAID = (
    "the", "zebra", "headed", "sourced", "hinted", "staled", "signed", "tagged", "topical", "entity", "named", "pairname", "val",
    "ued", "7", "anchored", "pathed", "file", "py",
)  # fmt: skip


def missed(truth: Truth) -> list[str]:
    with truth.reading() as reader:
        return [miss.term_key for miss in reader.misses(None, 1_000)]


def test_the_ledger_forgets_what_the_capsule_said(truth: Truth) -> None:
    """As W6 asks: a row all of whose words stand in any of its texts goes, in every fence; one with another word stays."""
    write(truth, captured(make_capture(1, **SAID), make_capture(2, "unforgotten")))
    kept = ["zebras", "zebra unforgotten", "unforgotten"]
    with truth.writing() as writer:
        for fence in ("", "nott", "nott\nother"):
            for outcome in MissOutcome:
                writer.count_misses([*WORDS_SAID, "zebra the tagged", *kept], outcome, fence, NOON)
    write(truth, entombed(1))
    assert set(missed(truth)) == set(kept)
    assert len(missed(truth)) == 3 * len(MissOutcome) * len(kept)


def test_the_ledger_forgets_pieces_of_the_runs_that_the_capsule_said(truth: Truth) -> None:
    """As W6 and T5 ask: a text without spaces says what stands inside its runs, whether a store cuts them or not."""
    write(truth, captured(make_capture(1, "部署端口配置服务 zebra 서버에서")))
    kept = ["端口号", "口端", "zeb", "端口 unforgotten"]
    with truth.writing() as writer:
        writer.count_misses(["端口", "端口配置", "部署 zebra", "서버", *kept], MissOutcome.ABSTAIN, "", NOON)
    write(truth, entombed(1))
    assert set(missed(truth)) == set(kept)


def test_the_ledger_forgets_what_earlier_revisions_said(truth: Truth) -> None:
    """As W13 asks: forget erases every revision, and what tells of one that was replaced long ago."""
    remember(truth, "the zebra", headline="striped", source="a book")
    write(truth, revised(1, "an antelope", headline="horned"))
    with truth.writing() as writer:
        writer.count_misses(["zebra", "striped antelope", "lion"], MissOutcome.ABSTAIN, "", NOON)
    write(truth, entombed(1))
    assert missed(truth) == ["lion"]


def test_a_forgotten_capsule_without_words_leaves_the_ledger_alone(truth: Truth) -> None:
    """As W10 asks: an import brings skeletons, which said nothing here."""
    remember(truth, "", headline="", source="")
    with truth.writing() as writer:
        writer.count_misses(["zebra"], MissOutcome.ABSTAIN, "", NOON)
    write(truth, entombed(1))
    assert missed(truth) == ["zebra"]


def test_kept_answers_that_name_the_capsule_go(truth: Truth) -> None:
    """As W6 asks: they show what was stored; cap-3 is not cap-30, and its id in the middle of a text is no name of it."""
    remember(truth, *"abcd")
    answers = {
        "bare": '{"results":[{"id":"cap-3","status":"captured"}]}',
        "elsewhere": '{"id":"main:cap-3"}',
        "nested": '[{"similar":[["x",{"of":"cap-3"}]]}]',
        "longer": '{"id":"cap-30"}',
        "other": '{"id":"cap-13","and":"cap-2"}',
        "within": '{"lesson":"as cap-3 says","cap-3":1,"quoted":"\\"cap-3\\""}',
        "number": "3",
    }
    write(truth, ChangeSet(tuple(KeepAnswer(KeptAnswer(key, "d", answer, NOON)) for key, answer in answers.items())))
    write(truth, entombed(3))
    with truth.reading() as reader:
        assert [key for key in answers if reader.kept_answer(key)] == ["longer", "other", "within", "number"]


def test_its_journal_rows_lose_what_a_skeleton_does_not_bear(truth: Truth) -> None:
    """As W6 and W12 ask: no label beyond the skeleton's and no taint; the journal keeps its rows, and who, when and what."""
    values = {field.value: f"label of {field}" for field in LabelField} | {"taint": "hidden_text", "confidence": 0.5, "at": NOON}
    remember(truth, "a", "b")
    rows = ChangeSet(
        entries=(Entry(Op.REVISED, 1, 2, values), Entry(Op.REVISED, 2, 2, values), Entry(Op.ALIASED, None, None, values))
    )
    write(truth, rows, at=LATER)
    with truth.reading() as reader:
        before = reader.journal(0, 99)
    write(truth, entombed(1))
    kept = {name: values[name] for name in ("project_id", "session_id", "kind", "confidence", "at")}
    with truth.reading() as reader:
        after = reader.journal(0, 99)
        assert reader.history(1) == [after[0], after[2], after[5]]
    assert after[2] == replace(before[2], values=kept)
    assert [*after[:2], *after[3:5]] == [*before[:2], *before[3:5]]
    assert [row.seq for row in after] == [1, 2, 3, 4, 5, 6]


def test_what_is_journalled_with_a_forgetting_is_stripped_too(truth: Truth) -> None:
    """As W10 asks: an import that brings a capsule and its tombstone at once must not leave the labels in the journal."""
    arrival = ChangeSet((make_capture(1, "secret"),), (entry(Op.CAPTURED, 1, user_id="ann", kind="fact", taint="hidden_text"),))
    write(truth, entombed(1).then(arrival))
    with truth.reading() as reader:
        assert [row.values for row in reader.history(1)] == [{}, {"kind": "fact"}]


def test_forgettings_are_told_in_order_after_any_seq(truth: Truth) -> None:
    """As W6 asks: whoever opens a store finds what was forgotten since its indexes were clean."""
    remember(truth, *"abc")
    write(truth, entombed(2), stands(1, archived_at=NOON), entombed(1))
    with truth.reading() as reader:
        assert reader.forgotten_after(0) == [IndexedChange(2, 4), IndexedChange(1, 6)]
        assert reader.forgotten_after(4) == [IndexedChange(1, 6)]
        assert list(reader.forgotten_after(6)) == list(reader.forgotten_after(99)) == []


def test_a_capsule_that_nobody_can_name_is_forgotten_all_the_same(truth: Truth) -> None:
    """W14: metadata may hold any JSON, and a ledger any folded word."""
    write(truth, captured(make_capture(1, "設備清單 🦀", metadata=(("a", '{"b":{"c":[null,true,1.5,"é"]}}'),))))
    with truth.writing() as writer:
        writer.count_misses(["設備清單", "1 5", "e", "true"], MissOutcome.ABSTAIN, "", NOON)
    write(truth, entombed(1))
    assert missed(truth) == []


def test_a_tombstone_keeps_out_what_every_revision_said(truth: Truth) -> None:
    """W6, W13: each content is known by its keyed hash, of two capsules by the first; no mark is left but those."""
    remember(truth, "one", "two", tags=("t",))
    write(truth, entombed(2, "last", former=("a", "b")), entombed(1, "b", former=("a",)))
    with truth.reading() as reader:
        assert reader.forgotten(["a", "b", "last", "none"]) == {"a": 1, "b": 1, "last": 2}
        assert {number: each.macs for number, each in reader.tombstones([1, 2]).items()} == {1: ("b", "a"), 2: ("last", "a", "b")}
        assert reader.remains([1, 2]) == {}


def test_a_tombstone_learns_what_else_its_capsule_said(truth: Truth) -> None:
    """W6, W10, W13: another copy of the store may know of revisions that this one never had."""
    remember(truth, "one", "two")
    write(truth, entombed(1, "last", former=("b",)))
    write(truth, ChangeSet((KeepOut(1, "c"), KeepOut(1, "a"))))
    with truth.reading() as reader:
        assert reader.tombstones([1])[1].macs == ("last", "a", "b", "c")
        assert reader.forgotten(["a", "b", "c", "last"]) == dict.fromkeys(["a", "b", "c", "last"], 1)
        assert reader.remains([1]) == {}


@pytest.mark.parametrize(("number", "mac"), [(2, "x"), (3, "x"), (1, "last"), (1, "b")])
def test_only_a_tombstone_keeps_a_content_out_and_each_once(truth: Truth, number: int, mac: str) -> None:
    """W6: a living capsule, none at all, and what stands there already are faults; nothing is written."""
    remember(truth, "one", "two")
    write(truth, entombed(1, "last", former=("b",)))
    with pytest.raises(Fault):
        write(truth, ChangeSet((KeepOut(1, "a"), KeepOut(number, mac))))
    with truth.reading() as reader:
        assert reader.tombstones([1])[1].macs == ("last", "b")
