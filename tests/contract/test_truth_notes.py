"""What a truth gives back of all that stands beside capsules: relations, aliases, verdicts, misses, answers, the journal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recordance.domain.alias import Alias, Miss, MissOutcome
from recordance.domain.change import (
    AddRelation,
    AppendCorroboration,
    AppendReview,
    ChangeSet,
    KeepAnswer,
    KeptAnswer,
    PutFeedback,
    RemoveAlias,
    RemoveRelation,
    TeachAlias,
)
from recordance.domain.journal import INDEXED_OPS, Entry, JournalRow, Op
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import AnchorVerdict, Corroboration, Feedback, FeedbackOutcome, ReviewEvent, Ruling
from recordance.ports.truth import IndexedChange, Truth
from support.truths import ACTOR, ADAPTERS, NOON, entry, opened, remember, write

ABSTAIN, MISSING = MissOutcome.ABSTAIN, MissOutcome.MISSING_EVIDENCE


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


def relation(kind: RelationKind, source: int, target: int) -> Relation:
    return Relation(kind, source, target, NOON)


def alias(term: str, text: str) -> Alias:
    return Alias(term.casefold(), text.casefold(), term, text, NOON)


def test_relations_are_read_from_either_end_by_kind_in_a_fixed_order(truth: Truth) -> None:
    """W3, O11: typed and directed; the order is of numbers and kinds, never of how they came."""
    remember(truth, "a", "b", "c")
    part, blocks, about = RelationKind.PART_OF, RelationKind.BLOCKS, RelationKind.ABOUT
    written = [relation(part, 2, 1), relation(part, 1, 3), relation(blocks, 1, 3), relation(part, 1, 2), relation(about, 3, 1)]
    write(truth, ChangeSet(tuple(map(AddRelation, written))))
    kinds = {part, blocks}
    with truth.reading() as reader:
        assert reader.relations_from([2, 1, 3, 9], kinds) == [
            relation(blocks, 1, 3), relation(part, 1, 2), relation(part, 1, 3), relation(part, 2, 1),
        ]  # fmt: skip
        assert reader.relations_to(range(5), kinds) == [
            relation(part, 2, 1), relation(part, 1, 2), relation(blocks, 1, 3), relation(part, 1, 3),
        ]  # fmt: skip
        assert reader.relations_to([1], [about]) == [relation(about, 3, 1)]
        assert reader.relations_from([], kinds) == reader.relations_from([1], []) == []


def test_a_relation_that_ended_is_gone_and_can_begin_again(truth: Truth) -> None:
    """W3: the ended one stays in the store for its history, and does not stand in the way of a new one."""
    remember(truth, "a", "b")
    tie = relation(RelationKind.SUPPORTS, 1, 2)
    end = RemoveRelation(tie.kind, 1, 2, NOON)
    for _ in range(2):
        write(truth, ChangeSet((AddRelation(tie),)))
        write(truth, ChangeSet((end,)))
    with truth.reading() as reader:
        assert reader.relations_from([1], list(RelationKind)) == []
    write(truth, ChangeSet((AddRelation(tie), end, AddRelation(tie), RemoveRelation(tie.kind, 2, 1, NOON))))
    with truth.reading() as reader:
        assert reader.relations_from([1], list(RelationKind)) == [tie]


def test_aliases_come_in_the_order_in_which_they_were_taught(truth: Truth) -> None:
    """T7: by the whole folded term; one taught anew after its removal is the youngest."""
    first, second, other = alias("DB", "postgres"), alias("db", "Database"), alias("a b", "設備 清單")
    write(truth, ChangeSet((TeachAlias(first), TeachAlias(second), TeachAlias(other))))
    with truth.reading() as reader:
        assert reader.aliases(["db", "none", "a", "db"]) == {"db": [first, second]}
        assert reader.all_aliases() == [other, first, second]
    write(truth, ChangeSet((RemoveAlias("db", "postgres", NOON), RemoveAlias("db", "none", NOON), TeachAlias(first))))
    with truth.reading() as reader:
        assert reader.aliases(["db", "a b"]) == {"db": [second, first], "a b": [other]}
    write(truth, ChangeSet((RemoveAlias("a b", "設備 清單", NOON),)))
    with truth.reading() as reader:
        assert reader.all_aliases() == [second, first]


def test_aliases_of_different_terms_are_ordered_by_code_point(truth: Truth) -> None:
    """W14: no database's collation decides an order that a caller sees."""
    terms = ["ä", "z", "b", "設", "\U0001f980", "\uff41"]
    write(truth, ChangeSet(tuple(TeachAlias(Alias(term, "x", term, "x", NOON)) for term in terms)))
    with truth.reading() as reader:
        assert [each.term_key for each in reader.all_aliases()] == sorted(terms)


def test_verdicts_come_oldest_first(truth: Truth) -> None:
    """W5: the history is kept, and it is the order of writing that tells it, even within one instant."""
    remember(truth, "a", "b")
    events = [ReviewEvent(1, ruling, f"{ruling}, so", ACTOR, NOON) for ruling in Ruling]
    write(truth, ChangeSet((AppendReview(events[0]), AppendReview(ReviewEvent(2, Ruling.PROPOSED, None, "bob", NOON)))))
    write(truth, ChangeSet(tuple(map(AppendReview, events[1:]))))
    with truth.reading() as reader:
        assert reader.reviews(1) == events
        assert reader.reviews(9) == []


def test_a_judgement_replaces_the_one_of_the_same_receipt_capsule_and_actor(truth: Truth) -> None:
    """O13, W8: the latest counts, and counts as the latest; the receipts may be long."""
    remember(truth, "a", "b")
    long = "rcpt-" + "x" * 5_000

    def judged(receipt: str, actor: str, outcome: FeedbackOutcome, capsule: int = 1) -> Feedback:
        return Feedback(capsule, receipt, actor, outcome, outcome is FeedbackOutcome.HELPED, None, NOON)

    helped, hurt, ignored = FeedbackOutcome.HELPED, FeedbackOutcome.HURT, FeedbackOutcome.IGNORED
    first, other = judged(long, "ann", helped), judged(long, "bob", hurt)
    without, elsewhere = judged("", "ann", ignored), judged(long, "ann", hurt, capsule=2)
    write(truth, ChangeSet(tuple(map(PutFeedback, (first, other, without, elsewhere)))))
    with truth.reading() as reader:
        assert reader.feedback([1, 2, 3]) == {1: [first, other, without], 2: [elsewhere]}
    again, also, last = judged(long, "ann", ignored), judged("", "bob", helped), judged(long, "ann", hurt)
    write(truth, ChangeSet((PutFeedback(again), PutFeedback(also), PutFeedback(last))))
    with truth.reading() as reader:
        assert reader.feedback([1]) == {1: [other, without, also, last]}


def test_the_latest_verdict_of_the_git_witness_counts_and_all_are_kept(truth: Truth) -> None:
    """W8: one verdict a capsule for a recall, the whole history for an export."""
    remember(truth, "a", "b")
    verdicts = [Corroboration(1, "main", "src/a.py", None, verdict, 2, NOON) for verdict in AnchorVerdict]
    write(truth, ChangeSet(tuple(map(AppendCorroboration, verdicts))))
    with truth.reading() as reader:
        assert reader.corroborations([1, 2]) == {1: verdicts[-1]}
        assert reader.corroboration_history([1, 2]) == {1: verdicts}


def test_misses_are_counted_by_term_outcome_and_fence(truth: Truth) -> None:
    """T8, F13: most asked first, then last asked, then by term; a fenced caller reads only its own fence's rows."""
    with truth.writing() as writer:
        writer.count_misses(["tokio", "pin"], ABSTAIN, "", NOON)
        writer.count_misses(["tokio"], ABSTAIN, "", NOON + 9)
        writer.count_misses(["tokio"], MISSING, "", NOON + 5)
        writer.count_misses(["tokio", "ärger"], ABSTAIN, "p\nq", NOON + 5)
        writer.count_misses([], ABSTAIN, "", NOON)
    ours = [Miss("tokio", ABSTAIN, "", 2, NOON + 9), Miss("tokio", MISSING, "", 1, NOON + 5), Miss("pin", ABSTAIN, "", 1, NOON)]
    theirs = [Miss("tokio", ABSTAIN, "p\nq", 1, NOON + 5), Miss("ärger", ABSTAIN, "p\nq", 1, NOON + 5)]
    with truth.reading() as reader:
        assert reader.misses("", 9) == ours
        assert reader.misses("p\nq", 9) == theirs
        assert reader.misses("p", 9) == []
        assert reader.misses(None, 9) == [ours[0], theirs[0], ours[1], theirs[1], ours[2]]
        assert reader.misses(None, 2) == [ours[0], theirs[0]]
        assert reader.head() == 0, "W12: the ledger is not journalled"


def test_the_ledger_is_cleared_for_one_fence_or_for_all(truth: Truth) -> None:
    """T8, F13: and says how many rows went."""
    with truth.writing() as writer:
        writer.count_misses(["a", "b"], ABSTAIN, "", NOON)
        writer.count_misses(["a"], ABSTAIN, "p", NOON)
        assert writer.clear_misses("p") == 1
        assert writer.clear_misses("p") == 0
        assert len(writer.misses(None, 9)) == 2
        assert writer.clear_misses(None) == 2
        assert writer.misses(None, 9) == []


def test_a_ledger_that_is_taken_in_keeps_the_larger_count_and_the_later_time(truth: Truth) -> None:
    """T8: an import repeated counts nothing twice."""
    with truth.writing() as writer:
        writer.count_misses(["a", "b"], ABSTAIN, "", NOON)
        for _ in range(2):
            writer.keep_misses([Miss("a", ABSTAIN, "", 5, NOON - 1), Miss("c", MISSING, "p", 2, NOON)])
        assert writer.misses(None, 9) == [
            Miss("a", ABSTAIN, "", 5, NOON), Miss("c", MISSING, "p", 2, NOON), Miss("b", ABSTAIN, "", 1, NOON),
        ]  # fmt: skip


def test_an_answer_is_kept_under_its_key_until_it_is_replaced(truth: Truth) -> None:
    """W1: the store remembers; whether the seven days are over is for the use case to say."""
    first, second = KeptAnswer("k" * 5_000, "d1", '{"a":"é"}', NOON), KeptAnswer("k" * 5_000, "d2", "{}", NOON + 9)
    write(truth, ChangeSet((KeepAnswer(first),)))
    with truth.reading() as reader:
        assert reader.kept_answer(first.key) == first
        assert reader.kept_answer("k") is None
    write(truth, ChangeSet((KeepAnswer(second),)))
    with truth.reading() as reader:
        assert reader.kept_answer(first.key) == second


def test_a_journal_row_tells_who_when_and_what_exactly(truth: Truth) -> None:
    """W12: values come back with their types and their last bits."""
    remember(truth, "a")
    values = {"confidence": 0.1 + 0.2, "whole": 1.0, "number": 1, "at": NOON, "none": None, "label": "ação 設 \"'\\"}
    write(truth, ChangeSet(entries=(Entry(Op.REVISED, 1, 2, values), Entry(Op.ALIASED, None, None, {}))), at=NOON + 1)
    rows = [
        JournalRow(2, NOON + 1, ACTOR, Op.REVISED, 1, 2, values),
        JournalRow(3, NOON + 1, ACTOR, Op.ALIASED, None, None, {}),
    ]
    with truth.reading() as reader:
        assert reader.journal(1, 9) == rows
        assert reader.journal(0, 2)[1:] == rows[:1]
        assert reader.journal(3, 9) == reader.journal(1, 0) == []
        assert [row.seq for row in reader.history(1)] == [1, 2]
        assert reader.history(9) == []
        assert [type(value) for value in reader.journal(1, 1)[0].values.values()].count(float) == 2


def test_a_follower_is_told_each_changed_capsule_once_with_its_last_seq(truth: Truth) -> None:
    """W12: in seq order, from as many rows as were asked; rows that change no document count and are left out."""
    remember(truth, "a", "b", "c")
    more = [(Op.ARCHIVED, 1), (Op.ALIASED, None), (Op.FED_BACK, 2), (Op.RESTORED, 1), (Op.RELATED, 3), (Op.REVIEWED, 2)]
    write(truth, ChangeSet(entries=tuple(entry(op, capsule) for op, capsule in more)))
    with truth.reading() as reader:
        assert reader.changes_after(0, 100, INDEXED_OPS) == [IndexedChange(3, 3), IndexedChange(1, 7), IndexedChange(2, 9)]
        assert reader.changes_after(0, 4, INDEXED_OPS) == [IndexedChange(2, 2), IndexedChange(3, 3), IndexedChange(1, 4)]
        assert list(reader.changes_after(4, 2, INDEXED_OPS)) == []
        assert reader.changes_after(6, 9, INDEXED_OPS) == [IndexedChange(1, 7), IndexedChange(2, 9)]
        assert list(reader.changes_after(9, 9, INDEXED_OPS)) == list(reader.changes_after(99, 9, INDEXED_OPS)) == []


@pytest.mark.parametrize("op", Op)
def test_a_follower_looks_again_after_indexed_operations_alone(truth: Truth, op: Op) -> None:
    """W12: the core says which writes change a document, and every store agrees."""
    remember(truth, "a")
    write(truth, ChangeSet(entries=(entry(op, 1),)))
    with truth.reading() as reader:
        assert list(reader.changes_after(1, 9, INDEXED_OPS)) == ([IndexedChange(1, 2)] if op in INDEXED_OPS else [])
