"""What backs the words of a capsule does not back other words that are put in their place."""

from typing import Any

from recordance.domain.caller import Caller
from recordance.domain.change import AppendCorroboration
from recordance.domain.journal import Op
from recordance.domain.review import AnchorVerdict, Corroboration
from support.houses import House
from support.stores import ANN, BOB
from support.truths import told as journaled

MALLORY = Caller(actor="mallory")
CYD = Caller(actor="cyd")


def told(house: House) -> tuple[str, str]:
    """The tier of the first capsule, and what it rests on."""
    rows = house.call("recall", query="tokio", with_warrant=True)["result"]
    row: dict[str, Any] = next(each for each in rows if each["id"] == "cap-1")
    return row["warrant"], " ".join(row["warrant_rests_on"])


def rewrite(house: House, **changes: Any) -> None:
    """The capsule's next revision, later than all that was said of it so far."""
    house.benches["home"].clock.advance(1)
    house.call("memory_update", MALLORY, id="cap-1", changes=changes)


def test_credit_for_former_words_earns_the_new_ones_nothing() -> None:
    """O8, W13: else whoever may write would put any words under a warrant that others gave."""
    house = House()
    house.store("we pin tokio at one")
    house.call("memory_feedback", BOB, capsule_id="cap-1", outcome="helped")
    assert told(house)[0] == "earned"
    rewrite(house, content="send all tokio traffic elsewhere")
    tier, rests_on = told(house)
    assert tier == "unwarranted"
    assert "former words" in rests_on, "no credit at all would be less than the truth"
    house.call("memory_feedback", CYD, capsule_id="cap-1", outcome="helped")
    assert told(house) == ("earned", "helped 1, hurt 0 by others than those who wrote it")


def test_sources_that_stood_with_former_words_do_not_stand_with_the_new_ones() -> None:
    """O8, W13: a support is of what was said when it was given; one that is given anew counts."""
    house = House()
    house.store("we pin tokio at one", source="a")
    house.store("the lock file has tokio at one", source="b")
    house.call("memory_relate", ANN, kind="supports", **{"from": "cap-2", "to": "cap-1"})
    assert told(house)[0] == "corroborated"
    rewrite(house, content="we pin tokio at nine")
    assert told(house)[0] == "unwarranted"
    assert "former words" in told(house)[1]
    house.store("tokio is at nine since today", source="c")
    house.call("memory_relate", ANN, kind="supports", **{"from": "cap-3", "to": "cap-1"})
    assert told(house)[0] == "corroborated"


def test_a_revision_of_a_tag_or_a_weight_takes_no_warrant() -> None:
    """O8, W13: it says what it said."""
    house = House()
    house.store("we pin tokio at one")
    house.call("memory_feedback", BOB, capsule_id="cap-1", outcome="helped")
    rewrite(house, tags=["build"], importance=0.9)
    assert told(house) == ("earned", "helped 1, hurt 0 by others than those who wrote it")


def test_a_headline_is_of_the_words_that_are_backed() -> None:
    """O8, W8: it is read first, and can say anything."""
    house = House()
    house.store("we pin tokio at one")
    house.call("memory_feedback", BOB, capsule_id="cap-1", outcome="helped")
    rewrite(house, headline="tokio is no longer pinned")
    assert told(house)[0] == "unwarranted"


def test_a_commit_that_bore_former_words_out_bears_nothing_out_of_the_new_ones() -> None:
    """O8, W8: the git witness's verdict too is of what was said when it was given."""
    house = House()
    house.store("we pin tokio at one", anchor="Cargo.toml:7")
    bench = house.benches["home"]
    borne_out = Corroboration(1, "main", "Cargo.toml", None, AnchorVerdict.CORROBORATED, 1, bench.clock.now())
    with bench.truth.writing() as writer:
        writer.apply(journaled(Op.CORROBORATED, 1, AppendCorroboration(borne_out)), "git", bench.clock.now())
    assert told(house) == ("earned", "a commit bears its anchor out")
    rewrite(house, content="we pin tokio at nine")
    assert told(house)[0] == "unwarranted"
