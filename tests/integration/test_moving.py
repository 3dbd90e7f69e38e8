"""What can be used while a store moves, what is said to whoever uses the wrong place, and what a move leaves behind."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recordance.domain.change import AddRelation, ChangeSet, PutFeedback, RemoveRelation
from recordance.domain.journal import Op
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Feedback, FeedbackOutcome
from recordance.errors import Fault, InvalidArgument, MissingState, StateKind, StoreUnusable
from recordance.ports.moving import Leaving, Progress
from recordance.usecases.move import Phase
from recordance_adapters.driven.sql_truth import moving
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from recordance_adapters.driven.sql_truth.preparing import Formats
from recordance_adapters.driven.sql_truth.standing import MARKS
from support.moves import WAYS, between, moved, new_place, opened_at, stopped, unwatched
from support.older_stores import FIRST, holding, make_first_format
from support.truths import IDENTITY, NOON, entombed, entry, remember, told, write

both_ways = pytest.mark.parametrize(("here", "there"), WAYS)
SAID = ("pin tokio at 1.38", "the port is 7411", "ship on friday")


@pytest.fixture
def source(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place with a store of three capsules."""
    here = request.getfixturevalue("here") if "here" in request.fixturenames else "sqlite"
    place = new_place(here, tmp_path)
    with closing(opened_at(place, identity=IDENTITY)) as truth:
        remember(truth, *SAID)
    return place


def contents(place: str) -> list[str]:
    with closing(opened_at(place)) as truth, truth.reading() as reader:
        return sorted(reader.contents(range(1, 99)).values())


@both_ways
def test_what_was_moved_goes_on_at_the_new_place(source: str, here: str, there: str, tmp_path: Path) -> None:
    """W10: numbering goes on as well, of capsules and of everything beside them."""
    target = new_place(there, tmp_path)
    with closing(opened_at(source)) as truth:
        write(truth, told(Op.RELATED, 1, AddRelation(Relation(RelationKind.SUPPORTS, 1, 2, NOON))))
    assert moved(source, target)["status"] == "moved"
    with closing(opened_at(target)) as truth:
        assert remember(truth, "a fourth") == [4]
        write(truth, told(Op.UNRELATED, 1, RemoveRelation(RelationKind.SUPPORTS, 1, 2, NOON)))
        write(truth, told(Op.RELATED, 1, AddRelation(Relation(RelationKind.SUPPORTS, 1, 3, NOON))))
        with truth.reading() as reader:
            assert [each.target for each in reader.relations_from([1], [RelationKind.SUPPORTS])] == [3]
            assert reader.head() == 7
    assert contents(target) == sorted([*SAID, "a fourth"])


@both_ways
def test_nobody_opens_what_has_not_arrived_whole(source: str, here: str, there: str, tmp_path: Path) -> None:
    """W10: half a store would answer as if the rest had never been said; the source goes on as before."""
    target = new_place(there, tmp_path)
    assert stopped(source, target, 25)
    with pytest.raises(StoreUnusable, match="run the command that moves it again"):
        opened_at(target)
    with closing(opened_at(source)) as truth:
        assert remember(truth, "and a fourth") == [4]
    assert moved(source, target)["status"] == "moved"
    assert contents(target) == sorted([*SAID, "and a fourth"])


@both_ways
def test_a_place_that_was_moved_away_from_is_shut_and_says_where_the_store_is(
    source: str, here: str, there: str, tmp_path: Path
) -> None:
    """W10: who did not hear of the move is told, before an answer of yesterday and before a write that nobody would find."""
    target = new_place(there, tmp_path)
    with closing(opened_at(source)) as running:
        moved(source, target)
        with pytest.raises(StoreUnusable, match="moved away meanwhile"), running.reading():
            pass
        with pytest.raises(StoreUnusable, match="moved away meanwhile"):
            remember(running, "too late")
    with pytest.raises(StoreUnusable, match="it is now") as told_so:
        opened_at(source)
    assert target in str(told_so.value)
    assert target not in told_so.value.lesson
    assert moved(source, target)["status"] == "already_moved"


def test_a_place_that_was_moved_away_from_is_given_back_its_use(source: str, tmp_path: Path) -> None:
    """W10: a move deletes nothing; whoever regrets it has everything as it was."""
    target = new_place("sqlite", tmp_path)
    moved(source, target)
    with closing(opened_at(source, Formats(marks=MARKS))) as truth:
        assert moving.reopen(truth) == target
    with closing(opened_at(source)) as truth:
        assert remember(truth, "and a fourth") == [4]
    assert contents(source) == sorted([*SAID, "and a fourth"])
    with pytest.raises(InvalidArgument, match="this very store already"):
        moved(source, target)


def test_a_place_is_given_back_its_use_by_a_later_program_too(tmp_path: Path) -> None:
    """W10: it is found again years later, in the format of its time, and then migrated like any other."""
    file = tmp_path / "store" / "truth.sqlite"
    make_first_format(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE moved_away (one INTEGER PRIMARY KEY, place TEXT NOT NULL)")
        connection.execute("INSERT INTO moved_away VALUES (1, 'elsewhere')")
        connection.execute(f"UPDATE alembic_version SET version_num = 'moved-{FIRST}'")
        connection.commit()
    with pytest.raises(StoreUnusable, match="moved away"):
        opened_at(file)
    with closing(opened_at(file, Formats(marks=MARKS))) as truth:
        assert moving.reopen(truth) == "elsewhere"
    with closing(opened_at(file)) as truth:
        assert remember(truth, "as before") == [1]


def test_a_program_that_had_the_empty_target_open_does_not_take_what_arrived_for_its_own(source: str, tmp_path: Path) -> None:
    """W10, O13: it would sign with a key that is no more, and follow the journal of one store into the index of another."""
    target = new_place("sqlite", tmp_path)
    with closing(opened_at(target)) as running:
        moved(source, target)
        with pytest.raises(StoreUnusable, match="another store was put into the place"), running.reading():
            pass


def test_writes_wait_for_a_move_and_reads_do_not(source: str, tmp_path: Path) -> None:
    """W10: what was written to the source meanwhile would be in neither place."""
    tried: list[str] = []

    def watched(phase: Phase) -> Progress:
        if phase is Phase.COMPARING:
            with closing(open_sql_truth(Path(source), patience=0.0)) as truth:
                with pytest.raises(MissingState) as refused:
                    remember(truth, "in between")
                assert refused.value.kind is StateKind.STORE_BUSY
                with truth.reading() as reader:
                    tried.extend(reader.contents([1]).values())
        return unwatched(phase)

    moved(source, new_place("sqlite", tmp_path), watched)
    assert tried == [SAID[0]]


def test_a_source_that_is_left_open_is_read_as_it_was_at_one_moment(source: str, tmp_path: Path) -> None:
    """W10: the copy is whole whatever is written meanwhile, and both places are in use then."""
    target = new_place("sqlite", tmp_path)

    def watched(phase: Phase) -> Progress:
        if phase is Phase.CARRYING:
            with closing(opened_at(source)) as truth:
                remember(truth, "in between")
        return unwatched(phase)

    assert moved(source, target, watched, Leaving.OPEN)["source"] == "open"
    assert contents(target) == sorted(SAID)
    assert contents(source) == sorted([*SAID, "in between"])


@pytest.mark.parametrize("phase", [Phase.COMPARING_ROWS, Phase.COMPARING])
def test_a_difference_is_named_and_shuts_the_target_until_it_is_put_right(source: str, tmp_path: Path, phase: Phase) -> None:
    """W10: a copy is believed once it was compared, not because no error was heard."""
    target = new_place("sqlite", tmp_path)

    def tampered(now: Phase) -> Progress:
        if now is phase:
            with closing(sqlite3.connect(target)) as connection:
                connection.execute("UPDATE capsule_revision SET content = 'the port is 7412' WHERE capsule = 2")
                connection.commit()
        return unwatched(now)

    with pytest.raises(StoreUnusable, match=r"capsule_revision 2, 1|texts of cap-2"):
        moved(source, target, tampered)
    with pytest.raises(StoreUnusable, match="still being moved here"):
        opened_at(target)
    assert moved(source, target)["status"] == "moved"
    assert contents(target) == sorted(SAID)


def test_a_seal_without_a_target_that_was_opened_is_brought_to_its_end(source: str, tmp_path: Path) -> None:
    """W10: killed between both marks there is one whole store that nobody can write, and no second one."""
    target = new_place("sqlite", tmp_path)
    with between(source, target) as halfway:
        halfway.begin()
        with halfway.hold(Leaving.SEALED) as hold:
            hold.carry(unwatched(Phase.CARRYING))
            hold.seal()
    for place in (source, target):
        with pytest.raises(StoreUnusable):
            opened_at(place)
    with pytest.raises(InvalidArgument, match="was moved to"):
        moved(source, new_place("sqlite", tmp_path))
    assert moved(source, target, leaving=Leaving.OPEN)["source"] == "sealed", "only --reopen takes a seal away"
    assert contents(target) == sorted(SAID)


def test_rows_that_changed_places_between_two_attempts_do_not_stand_in_each_others_way(source: str, tmp_path: Path) -> None:
    """W10: one judgement a receipt and actor is kept; two that were given again took each other's numbers."""
    target = new_place("sqlite", tmp_path)
    ann, bob = (Feedback(1, "rcpt-1", actor, FeedbackOutcome.HELPED, True, None, NOON) for actor in ("ann", "bob"))
    with closing(opened_at(source)) as truth:
        write(truth, ChangeSet((PutFeedback(ann), PutFeedback(bob)), (entry(Op.FED_BACK, 1),)))
    with between(source, target) as unfinished:
        unfinished.begin()
        with unfinished.hold(Leaving.OPEN) as hold:
            hold.carry(unwatched(Phase.CARRYING))
    with closing(opened_at(source)) as truth:
        write(truth, ChangeSet((PutFeedback(bob), PutFeedback(ann)), (entry(Op.FED_BACK, 1),)))
    moved(source, target)
    with closing(opened_at(target)) as truth, truth.reading() as reader:
        assert list(reader.feedback([1])[1]) == [bob, ann]


def test_what_was_forgotten_between_two_attempts_leaves_no_byte_at_the_target(source: str, tmp_path: Path) -> None:
    """W6: the first attempt had brought it there already."""
    target = new_place("sqlite", tmp_path)
    secret = b"7411"
    with between(source, target) as unfinished:
        unfinished.begin()
        with unfinished.hold(Leaving.OPEN) as hold:
            hold.carry(unwatched(Phase.CARRYING))
    assert holding(Path(target).parent, secret)
    with closing(opened_at(source)) as truth:
        write(truth, entombed(2))
    moved(source, target)
    assert not holding(Path(target).parent, secret)
    assert contents(target) == sorted([SAID[0], SAID[2]])


def test_no_byte_of_it_is_left_even_where_the_last_attempt_ends_before_the_target_is_opened(source: str, tmp_path: Path) -> None:
    """W6, W10: once it is open the move is over, and whoever runs it again has nothing to do."""
    target = new_place("sqlite", tmp_path)
    with between(source, target) as unfinished:
        unfinished.begin()
        with unfinished.hold(Leaving.OPEN) as hold:
            hold.carry(unwatched(Phase.CARRYING))
    with closing(opened_at(source)) as truth:
        write(truth, entombed(2))
    with closing(sqlite3.connect(target)) as there:
        there.execute("CREATE TRIGGER shut BEFORE UPDATE ON alembic_version BEGIN SELECT RAISE(ABORT, 'as by a crash'); END")
        there.commit()
    with pytest.raises(Fault):
        moved(source, target)
    assert not holding(Path(target).parent, b"7411")
    with closing(sqlite3.connect(target)) as there:
        there.execute("DROP TRIGGER shut")
        there.commit()
    moved(source, target)
    assert contents(target) == sorted([SAID[0], SAID[2]])


def test_misses_of_a_store_in_which_nothing_was_ever_stored_are_no_obstacle(source: str, tmp_path: Path) -> None:
    """W10, T8: a server that was started on the empty place has answered already that there is nothing."""
    from recordance.domain.alias import MissOutcome

    target = new_place("sqlite", tmp_path)
    with closing(opened_at(target)) as truth, truth.writing() as writer:
        writer.count_misses(["tokio"], MissOutcome.ABSTAIN, "", NOON)
    moved(source, target)
    with closing(opened_at(target)) as truth, truth.reading() as reader:
        assert not reader.misses(None, 9)
