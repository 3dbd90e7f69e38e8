"""Credit that somebody gives to their own words, as the writer of a capsule or as one who revised it."""

from dataclasses import replace
from typing import Any

from recordance.domain.caller import Caller
from recordance.domain.coherence import use_fault
from support.houses import House
from support.stores import ANN, BOB

CYD = Caller(actor="cyd")


def credited(house: House, caller: Caller, outcome: str = "helped") -> bool:
    """Whether a judgement of cap-1 was taken as one of somebody else's words."""
    (row,) = house.call("memory_feedback", caller, capsule_id="cap-1", outcome=outcome)["judged"]
    return "self_graded" not in row


def tier(house: House) -> str:
    (row,) = house.call("recall", query="tokio", with_warrant=True)["result"]
    return str(row["warrant"])


def revised(caller: Caller, **changes: Any) -> House:
    house = House()
    house.store("we pin tokio at one")
    house.call("memory_update", caller, id="cap-1", changes=changes)
    return house


def test_who_revised_a_capsule_earns_it_no_warrant() -> None:
    """W8, O8: the words that are judged are the reviser's own; a third one's credit counts as ever."""
    house = revised(BOB, content="we pin tokio at two")
    assert not credited(house, BOB)
    assert not credited(house, ANN)
    assert tier(house) == "unwarranted"
    assert credited(house, CYD)
    assert tier(house) == "earned"


def test_credit_given_before_ones_own_revision_is_self_graded_too() -> None:
    """W8, O8: to praise first and to rewrite then is the same."""
    house = House()
    house.store("we pin tokio at one")
    assert credited(house, BOB)
    assert tier(house) == "earned"
    house.call("memory_update", BOB, id="cap-1", changes={"content": "we pin tokio at two"})
    assert tier(house) == "unwarranted"
    house.call("memory_update", CYD, id="cap-1", changes={"content": "we pin tokio at three"})
    assert tier(house) == "unwarranted"


def test_who_changed_a_tag_or_a_weight_alone_has_written_no_word() -> None:
    """W8: what a capsule says is still another's, and so their credit is another's."""
    house = revised(BOB, tags=["build"], importance=0.9)
    assert credited(house, BOB)
    assert tier(house) == "earned"


def test_a_title_of_ones_own_is_ones_own_word() -> None:
    """W8: a headline is read first, and can say anything."""
    assert not credited(revised(BOB, headline="tokio is safe"), BOB)


def test_self_graded_judgements_of_revisers_are_sound() -> None:
    """W8, W10: a check of the store and an import take them, and refuse them where nobody has revised anything."""
    house = revised(BOB, content="we pin tokio at two")
    credited(house, BOB)
    credited(house, CYD)
    with house.benches["home"].truth.reading() as reader:
        capsule, feedback = reader.capsules([1])[1], reader.feedback([1])[1]
    assert [each.warrants for each in feedback] == [False, True]
    assert use_fault(capsule, feedback) == ""
    assert "nobody has revised it" in use_fault(replace(capsule, revision=1), feedback)
    mine = [replace(each, actor=capsule.writer) for each in feedback[1:]]
    assert use_fault(replace(capsule, use=replace(capsule.use, count=1, feedback_weight=0.55)), mine) != ""
