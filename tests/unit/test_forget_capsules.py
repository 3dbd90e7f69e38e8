"""Forgetting a capsule: what is answered, what stays, what is refused, and who is told what (W6, F8, F13)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from recordance.answer.erasure import open_erasure
from recordance.domain.alias import MissOutcome
from recordance.domain.caller import Caller, Permission
from recordance.domain.forgetting import content_mac
from recordance.domain.identity import content_digest
from recordance.domain.instant import format_instant
from recordance.domain.journal import Op
from recordance.domain.place import OUTSIDE, TRUTH, Place, PlaceState
from recordance.domain.revision import CapsuleChanges
from recordance.errors import Fault, InvalidArgument, MissingState, StateKind, StoreUnusable
from recordance.ports.truth import TruthReader, TruthWriter
from recordance.query.request import RecallRequest
from recordance.query.terms import read_terms
from recordance.usecases.examining_places import purged
from recordance.usecases.forget import forget
from recordance.usecases.purging import Purger
from recordance.usecases.read import ListQuery, get_capsules, list_capsules
from recordance.usecases.recall import recall
from recordance.usecases.store import Destinations
from recordance.usecases.update import Update, update
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from support.stores import ANN, BOB, DEFAULT, Bench, Parts, bench, draft
from support.truths import IDENTITY, NOON

FENCED = Caller(actor="fay", projects=frozenset({"nott"}))


def ask(store: Bench, *terms: str, caller: Caller = ANN) -> dict[str, Any]:
    return recall(store.destinations, caller, None, RecallRequest(terms=read_terms(terms)))


def test_a_forget_is_answered_with_every_place_and_a_receipt() -> None:
    """W6: which capsule, since when, what has become of each place; and a word on it that the store has signed."""
    store = bench()
    store.learn("the secret")
    answer = forget(store.destinations, ANN, None, "cap-1", "asked for")
    assert list(answer) == ["id", "forgotten_at", "places", "receipt"]
    assert (answer["id"], answer["forgotten_at"]) == ("cap-1", format_instant(NOON))
    assert answer["places"][0] == {"place": "truth", "state": "purged"}
    assert {place["state"] for place in answer["places"]} == {"purged", "outside"}
    opened = open_erasure(answer["receipt"], IDENTITY.key)
    assert opened is not None
    erasure, holds = opened
    assert holds
    assert (erasure.store, erasure.seq, erasure.number, erasure.at) == (IDENTITY.store, 2, 1, NOON)
    stated = [{"place": place.name, "state": place.state.value} for place in erasure.places]
    assert stated == [{"place": place["place"], "state": place["state"]} for place in answer["places"]]


def test_the_tombstone_keeps_why_and_by_whom_and_a_keyed_hash_of_the_content() -> None:
    """W6, W12: the journal says that it was forgotten, when and by whom, and nothing of what or why."""
    store = bench()
    store.learn("the secret", task_key="T-1")
    forget(store.destinations, BOB, None, "cap-1", "asked for")
    row = store.journal()[-1]
    assert (row.op, row.actor, row.capsule, dict(row.values)) == (Op.TOMBSTONED, "bob", 1, {"tombstoned_at": NOON})
    with store.truth.reading() as reader:
        tombstone = reader.tombstones([1])[1]
    assert (tombstone.at, tombstone.reason, tombstone.actor) == (NOON, "asked for", "bob")
    assert tombstone.content_mac == content_mac(content_digest("the secret"), IDENTITY.key)


def test_what_is_forgotten_answers_get_with_its_marker_and_nothing_else() -> None:
    """F8, case D1: no recall, no list; the id alone, as a term, is told to have been forgotten."""
    store = bench()
    store.learn("the secret", "another statement")
    forget(store.destinations, ANN, None, "cap-1", "asked for")
    (shown,) = get_capsules(store.destinations, ANN, None, ["cap-1"])["capsules"]
    assert shown["state"] == "tombstoned"
    assert shown["tombstone"] == {"at": format_instant(NOON), "reason": "asked for", "actor": "ann"}
    assert "content" not in shown
    listed = list_capsules(store.destinations, ANN, None, ListQuery())
    assert [row["id"] for row in listed["capsules"]] == ["cap-2"]
    assert ask(store, "secret")["outcome"] == "abstain"
    probed = ask(store, "cap-1")
    assert (probed["outcome"], probed["excluded"]) == ("missing_evidence", {"tombstoned": 1})


def test_a_reason_is_no_duty() -> None:
    """W6: who must give a reason writes the content into it."""
    store = bench()
    store.learn("the secret")
    forget(store.destinations, ANN, None, "cap-1")
    (shown,) = get_capsules(store.destinations, ANN, None, ["cap-1"])["capsules"]
    assert "reason" not in shown["tombstone"]


@pytest.mark.parametrize("reason", ["The Secret!", "no longer true: «the sécret»", "secret of the year"])
def test_a_reason_that_repeats_the_content_is_refused_before_anything_is_done(reason: str) -> None:
    """W6: reasons are kept; one with every word of the content would be a copy that no purge finds."""
    store = bench()
    store.learn("the secret")
    with pytest.raises(InvalidArgument) as refused:
        forget(store.destinations, ANN, None, "cap-1", reason)
    assert (refused.value.field, reason in refused.value.message) == ("reason", False)
    assert ask(store, "secret")["outcome"] == "grounded"


@pytest.mark.parametrize(
    ("content", "reason"), [("★★ ⊕", "gone: ★★ ⊕"), ("秘密の鍵", "理由は秘密の鍵です"), ("cafe\u0301s", "xcafésy")]
)
def test_a_reason_in_which_the_content_stands_within_other_words_is_refused(content: str, reason: str) -> None:
    """W6: what has no words, or none between spaces, is repeated by its characters."""
    store = bench()
    store.learn(content)
    with pytest.raises(InvalidArgument):
        forget(store.destinations, ANN, None, "cap-1", reason)


def test_a_reason_may_share_words_with_the_content() -> None:
    """W6: what is kept then is not what was said."""
    store = bench()
    store.learn("the secret of the year", "……")
    forget(store.destinations, ANN, None, "cap-1", "the year is over")
    store.learn("b")
    forget(store.destinations, ANN, None, "cap-3", "no better by now")
    forget(store.destinations, ANN, None, "cap-2", "no words at all")
    with pytest.raises(InvalidArgument, match="reason"):
        forget(store.destinations, ANN, None, "cap-2", "\0")


def test_forgetting_again_changes_nothing_and_tells_how_the_places_are_now() -> None:
    """W6: whoever was told that a place is pending asks in the same way whether it is purged by now."""
    store = bench()
    store.learn("the secret")
    first = forget(store.destinations, ANN, None, "cap-1", "asked for")
    store.clock.advance(60)
    store.learn("something later")
    rows = len(store.journal())
    again = forget(store.destinations, BOB, None, "cap-1", "for another reason")
    assert again == {**{name: first[name] for name in ("id", "forgotten_at")}, "already": True, **again}
    assert (again["places"], again["receipt"]) == (first["places"], first["receipt"])
    assert len(store.journal()) == rows
    with store.truth.reading() as reader:
        assert reader.tombstones([1])[1].reason == "asked for"


def test_neither_the_unknown_nor_the_unseen_is_forgotten() -> None:
    """W6, F13: both are the same to a caller who may not see them, forgotten or not."""
    store = bench()
    store.learn("one", "two", project_id="other")
    forget(store.destinations, ANN, None, "cap-2")
    for id, caller in (("cap-9", ANN), ("one", ANN), ("cap-1", FENCED), ("cap-2", FENCED)):
        with pytest.raises(MissingState) as refused:
            forget(store.destinations, caller, None, id)
        assert refused.value.kind is StateKind.UNKNOWN_CAPSULE
    with pytest.raises(MissingState) as refused:
        forget(store.destinations, replace(ANN, permissions=frozenset({Permission.READ})), None, "cap-1")
    assert refused.value.kind is StateKind.NOT_PERMITTED
    assert ask(store, "one")["outcome"] == "grounded"


def test_equal_content_elsewhere_is_named_and_stays() -> None:
    """W6: the caller decides about each; what they cannot see is not named to them (F13)."""
    store = bench()
    store.learn("the secret", project_id="nott")
    store.learn("the secret", project_id="nott/x")
    store.learn("the secret", project_id="other")
    assert forget(store.destinations, FENCED, None, "cap-1")["equal"] == ["cap-2"]
    assert forget(store.destinations, ANN, None, "cap-2")["equal"] == ["cap-3"]
    assert ask(store, "secret")["results"][0]["id"] == "cap-3"
    assert "equal" not in forget(store.destinations, ANN, None, "cap-3")


def test_who_may_only_write_is_told_of_no_equal_content() -> None:
    """F13: to name it would be to let them read that it is there."""
    store = bench()
    store.learn("the secret", project_id="a")
    store.learn("the secret", project_id="b")
    writer = replace(ANN, permissions=frozenset({Permission.WRITE}))
    assert "equal" not in forget(store.destinations, writer, None, "cap-1")


def test_equal_content_in_other_destinations_is_named_with_its_destination() -> None:
    """W6: each is a store of its own; one that cannot be asked is named, and hinders nobody."""
    own, other, broken = bench(), bench(), bench(Parts(truth=Broken(IDENTITY)))
    own.learn("the secret")
    other.learn("another", "the secret")
    destinations = Destinations({DEFAULT: own.store, "team": other.store, "away": broken.store})
    answer = forget(destinations, ANN, None, "cap-1")
    assert (answer["equal"], answer["unread"]) == (["team:cap-2"], ["away"])
    with other.truth.reading() as reader:
        assert reader.tombstones([2]) == {}


class Broken(MemoryTruth):
    """A truth that cannot be read."""

    @contextmanager
    def reading(self) -> Iterator[TruthReader]:
        raise Fault("the disk is gone")
        yield


def test_forgotten_content_is_refused_when_it_is_stored_again() -> None:
    """W6: by anybody, in any project, in either normal form; what is told is which capsule had it, if that may be seen."""
    store = bench()
    store.learn("the sécret", project_id="nott")
    forget(store.destinations, ANN, None, "cap-1")
    for content, project, caller in (
        ("the sécret", "nott", ANN), ("the se\u0301cret", "nott/x", BOB), ("the sécret", "nott", FENCED)
    ):  # fmt: skip
        (result,) = store.tell(draft(content, project_id=project), caller=caller)["results"]
        assert result["status"] == "rejected"
        assert "tombstoned_capsule: 'cap-1'" in result["error"]
    assert store.learn("the sécret is out") == ["cap-2"]


def test_what_was_asked_for_in_its_words_leaves_the_miss_ledger() -> None:
    """W6, T8: notes that wait to be written are let in first, so that they go as well."""
    waiting: list[Sequence[str]] = [["secret"], ["other"]]
    store = bench()

    class Waiting:
        def record(self, *_: object) -> None:
            raise AssertionError

        def settle(self) -> None:
            with store.truth.writing() as writer:
                for terms in waiting:
                    writer.count_misses(terms, MissOutcome.ABSTAIN, "", NOON)
            waiting.clear()

    store.learn("the secret")
    late = Destinations({DEFAULT: replace(store.store, misses=Waiting())})
    forget(late, ANN, None, "cap-1")
    with store.truth.reading() as reader:
        assert [miss.term_key for miss in reader.misses(None, 9)] == ["other"]


class Rooms:
    """Premises in which a test says what has become of the places (see Premises)."""

    def __init__(self) -> None:
        self.state = PlaceState.PENDING
        self.asked: list[tuple[str, int]] = []
        self.problem: Exception | None = None

    def purge(self, seq: int) -> Sequence[Place]:
        self.asked.append(("purge", seq))
        if self.problem is not None:
            raise self.problem
        return self._places()

    def tidy(self, seq: int) -> Sequence[Place]:
        self.asked.append(("tidy", seq))
        return self._places()

    def settle(self, seq: int) -> bool:
        self.asked.append(("settle", seq))
        return self.state is not PlaceState.PENDING

    def _places(self) -> Sequence[Place]:
        return (Place(TRUTH, PlaceState.PURGED), Place("write-ahead log", self.state), *OUTSIDE)


def test_a_pending_place_is_said_to_be_pending_and_asked_about_by_its_own_seq() -> None:
    """W6: later writes do not matter to what was forgotten; the receipt of the second call states what is true then."""
    rooms, store = Rooms(), bench()
    purger = Purger(store.truth, store.store.terms, store.store.vectors, rooms)
    destinations = Destinations({DEFAULT: replace(store.store, purger=purger)})
    store.learn("the secret", "another")
    first = forget(destinations, ANN, None, "cap-1")
    assert [place["state"] for place in first["places"]] == ["purged", "pending", "outside", "outside"]
    forget(destinations, ANN, None, "cap-2")
    rooms.state = PlaceState.PURGED
    again = forget(destinations, ANN, None, "cap-1")
    assert again["places"][1] == {"place": "write-ahead log", "state": "purged"}
    assert again["receipt"] != first["receipt"]
    assert [seq for asked, seq in rooms.asked if asked == "purge"] == [3, 4, 3]


def test_the_doctor_tells_of_places_that_are_not_purged_yet() -> None:
    """W6: whoever runs the store must hear of them without keeping every receipt."""
    rooms, store = Rooms(), bench()
    watched = replace(store.store, purger=Purger(store.truth, store.store.terms, store.store.vectors, rooms))
    store.learn("the secret")
    assert (purged(watched).verdict, rooms.asked) == ("ok", [])
    forget(Destinations({DEFAULT: watched}), ANN, None, "cap-1")
    assert (purged(watched).verdict, "write-ahead log" in purged(watched).found) == ("warn", True)
    rooms.state = PlaceState.PURGED
    assert purged(watched).verdict == "ok"


def test_a_store_that_is_lost_after_a_forget_does_not_say_that_nothing_was_written() -> None:
    """W6, case D13: what is committed is done; the caller is told so, and gets the receipt by asking again."""
    rooms, store = Rooms(), bench()
    purger = Purger(store.truth, store.store.terms, store.store.vectors, rooms)
    destinations = Destinations({DEFAULT: replace(store.store, purger=purger)})
    store.learn("the secret")
    rooms.problem = StoreUnusable("gone", lesson="nothing was written", kind=StateKind.STORE_UNREACHABLE)
    with pytest.raises(StoreUnusable) as told:
        forget(destinations, ANN, None, "cap-1")
    assert told.value.kind is StateKind.WRITE_UNCERTAIN
    assert told.value.lesson.startswith("it is forgotten")
    rooms.problem = None
    assert forget(destinations, ANN, None, "cap-1")["already"] is True


def test_nothing_is_purged_for_a_tombstone_that_was_not_committed() -> None:
    """W6, case D13: what cannot be undone comes after the transaction in which it is journalled, or not at all."""
    rooms, store = Rooms(), bench(Parts(truth=Uncommitted(IDENTITY)))
    purger = Purger(store.truth, store.store.terms, store.store.vectors, rooms)
    destinations = Destinations({DEFAULT: replace(store.store, purger=purger)})
    store.learn("the secret")
    rows = store.journal()
    with pytest.raises(Fault):
        forget(destinations, ANN, None, "cap-1")
    assert (store.journal(), rooms.asked) == (rows, [])
    assert ask(store, "secret")["outcome"] == "grounded"


class Uncommitted(MemoryTruth):
    """A truth whose disk is full for tombstones."""

    @contextmanager
    def writing(self) -> Iterator[TruthWriter]:
        with super().writing() as writer:
            yield writer
            if writer.forgotten_after(0):
                raise Fault("the disk is full")


def test_the_background_purges_what_others_forgot_until_nothing_is_pending() -> None:
    """Decision 11: by whomever it was forgotten, and whoever died before the purge; then it is left alone."""
    rooms, store = Rooms(), bench()
    purger = Purger(store.truth, store.store.terms, store.store.vectors, rooms)
    store.learn("the secret", "another")
    assert purger.catch_up()
    assert rooms.asked == []
    forget(store.destinations, ANN, None, "cap-1")
    forget(store.destinations, ANN, None, "cap-2")
    for finished in (False, False, True, True):
        rooms.state = PlaceState.PURGED if finished else PlaceState.PENDING
        assert purger.catch_up() is finished
    assert set(rooms.asked) == {("settle", 4)}
    asked = len(rooms.asked)
    assert purger.catch_up()
    assert len(rooms.asked) == asked


def test_a_purge_in_the_background_is_asked_for_and_not_done_by_the_call() -> None:
    """Decision 11: an index that takes long to come to its turn must not hold the answer up beyond its bound."""
    rooms, store = Rooms(), bench()
    purger = Purger(store.truth, store.store.terms, store.store.vectors, rooms, lambda: rooms.asked.append(("begin", 0)))
    assert purger.purge(7) == (Place(TRUTH, PlaceState.PURGED), Place("write-ahead log", PlaceState.PENDING), *OUTSIDE)
    assert rooms.asked == [("begin", 0), ("purge", 7)]


def test_what_a_capsule_said_before_it_was_updated_is_forgotten_with_it() -> None:
    """W6, W13: no revision's content comes back, and no reason may repeat one; equal content elsewhere is told of each."""
    store = bench()
    store.learn("my number is 555", project_id="p")
    for content in ("my number is 556", "my number is secret"):
        said = CapsuleChanges(said={"content": content}, labels={}, weighed={})
        update(store.destinations, ANN, None, Update(id="cap-1", changes=said))
    store.learn("my number is 555", project_id="q")
    with pytest.raises(InvalidArgument, match="reason"):
        forget(store.destinations, ANN, None, "cap-1", "it said: my number is 556")
    assert forget(store.destinations, ANN, None, "cap-1")["equal"] == ["cap-2"]
    for content in ("my number is 555", "my number is 556", "my number is secret"):
        assert store.tell(draft(content, project_id="p"))["results"][0]["status"] == "rejected", content
    with store.truth.reading() as reader:
        macs = [content_mac(content_digest(f"my number is {said}"), IDENTITY.key) for said in ("555", "556", "secret")]
        assert reader.forgotten(macs) == dict.fromkeys(macs, 1)
        assert reader.tombstones([1])[1].macs == (macs[2], *sorted(macs[:2]))


def test_what_another_capsule_of_the_project_says_by_now_stays_sayable() -> None:
    """W6, W13: only the last words of a capsule are its own; it does not take with it what it left to another."""
    store = bench()
    store.learn("port 7421")
    for content in ("port 7422", "port 7423"):
        said = CapsuleChanges(said={"content": content}, labels={}, weighed={})
        update(store.destinations, ANN, None, Update(id="cap-1", changes=said))
    store.learn("port 7421")
    assert forget(store.destinations, ANN, None, "cap-1")["equal"] == ["cap-2"]
    with store.truth.reading() as reader:
        macs = [content_mac(content_digest(f"port {port}"), IDENTITY.key) for port in (7421, 7422, 7423)]
        assert reader.forgotten(macs) == {macs[1]: 1, macs[2]: 1}
    assert store.tell(draft("port 7421"))["results"][0]["status"] == "deduplicated"
