"""A server that was started for one project: what it writes bears the project, what it recalls is fenced by the caller alone."""

from recordance.domain.caller import Caller
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.read import GET
from recordance_adapters.wire.tools.retrieve import RETRIEVE
from recordance_adapters.wire.tools.store import STORE
from support.stores import memory_destinations


def test_a_server_of_one_project_stamps_writes_and_fences_no_recall() -> None:
    """case F9: a personal note is found from within a project; only what the caller says, and their token, fence a recall."""
    destinations = memory_destinations()
    elsewhere = Call(destinations=destinations, caller=Caller(actor="ann"))
    here = Call(destinations=destinations, caller=Caller(actor="ann"), project="acme")
    STORE.handle(elsewhere, {"content": "tokio for everybody"})
    STORE.handle(elsewhere, {"content": "tokio for nott", "project_id": "nott"})
    STORE.handle(here, {"content": "tokio for us"})
    STORE.handle(here, {"content": "tokio for nott again", "project_id": "nott"})
    assert RETRIEVE.handle(here, {"terms": ["tokio"]})["matched"] == 4
    assert RETRIEVE.handle(here, {"terms": ["tokio"], "project_id": "acme"})["matched"] == 1
    projects = [each.get("project_id") for each in GET.handle(here, {"ids": ["cap-1", "cap-2", "cap-3", "cap-4"]})["capsules"]]
    assert projects == [None, "nott", "acme", "nott"]
