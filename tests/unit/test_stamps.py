"""Which project a write bears that names none: the server's stamp and the caller's fence together (F10, F13)."""

import pytest

from recordance.domain.caller import Caller
from recordance_adapters.driving.mcp_server.callers import stamp_for, started_for
from recordance_adapters.wire.catalogue import tools_of


@pytest.mark.parametrize(
    ("fence", "server", "stamp"),
    [
        (None, None, None),
        (None, "acme", "acme"),
        ({"acme"}, "acme/web", "acme/web"),
        ({"acme", "nott"}, "nott", "nott"),
        ({"acme"}, None, "acme"),
        ({"acme"}, "nott", "acme"),
        ({"acme/web"}, "acme", "acme/web"),
        ({"acme", "nott"}, "other", None),
        ({"acme", "nott"}, None, None),
        (set(), "acme", None),
    ],
)
def test_a_stamp_never_lies_outside_the_callers_fence(fence: set[str] | None, server: str | None, stamp: str | None) -> None:
    """F13: the server's where the token sees it, else the token's own if it has exactly one, else the write must say which."""
    caller = Caller(actor="alice", projects=None if fence is None else frozenset(fence))
    assert stamp_for(caller, server) == stamp


@pytest.mark.parametrize(
    ("fence", "told"), [(None, "acme/web"), ({"acme"}, "acme/web"), ({"nott"}, None), ({"acme/web/x"}, None), (set(), None)]
)
def test_whoever_does_not_see_the_servers_project_is_not_told_of_it(fence: set[str] | None, told: str | None) -> None:
    """F10, F13: nor are they fenced to what they cannot see; their own fence holds by itself."""
    caller = Caller(actor="alice", projects=None if fence is None else frozenset(fence))
    started = started_for(caller, "acme/web", tools_of(["core", "recall"]))
    assert (started.project, started.tool_sets) == (told, ("core", "recall"))
