"""Where a caller is: which stores and scope they are on, and which projects there are (W11, F10, F13)."""

from collections.abc import Sequence
from dataclasses import dataclass

from recordance.answer.charted import charted
from recordance.answer.merging import Failed, failed_view
from recordance.domain.caller import Caller, Permission
from recordance.domain.destination import ALL
from recordance.domain.instant import format_instant
from recordance.errors import Json
from recordance.ports.truth import ProjectCount
from recordance.query.fence import Fence, Scope, SubtreeFence
from recordance.query.request import RecallRequest
from recordance.usecases.searching import Searched, search
from recordance.usecases.store import Destinations, Store, check_permission


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """With what a server was started, as far as its callers may know: `project` is its own, None without one."""

    project: str | None = None
    tool_sets: tuple[str, ...] = ()


UNTOLD = Started()
"""Of which nothing is told."""


@dataclass(frozen=True, slots=True)
class _Stand:
    """One store: its id, and how many capsules each project has."""

    store: str
    projects: Sequence[ProjectCount]


def where_am_i(destinations: Destinations, caller: Caller, started: Started) -> dict[str, Json]:
    """Return the stores, the scope and who asks; never a path of the machine. A destination that fails is named (D3)."""
    check_permission(caller, Permission.READ)
    found = _stands(destinations, caller, (ALL,))
    chart = charted(destinations.catalogue(caller))
    default = destinations.catalogue(caller).default
    return {
        "store": default,
        "scope": "all projects" if started.project is None else "project and unstamped",
        **({} if started.project is None else {"project": started.project}),
        "actor": caller.actor,
        **({} if caller.projects is None else {"fenced_to": sorted(caller.projects)}),
        "stores": [_stand_view(each, started.project) for each in _named(found)],
        "destinations": chart["destinations"],
        "search_scopes": chart["scopes"],
        "default_search_scope": chart["default_search_scope"],
        "trusted": {
            "keys": len(destinations.reliance.root.keys),
            "sources": len(destinations.reliance.root.sources),
            "corroborated_by": destinations.reliance.bar.value,
        },
        "may": sorted(permission.value for permission in caller.permissions),
        **({"tool_sets": list(started.tool_sets)} if started.tool_sets else {}),
    }


def list_projects(destinations: Destinations, caller: Caller, search_scope: tuple[str, ...]) -> dict[str, Json]:
    """Return `{projects, failed?}`: those of every destination that the scope means, unstamped first, as the caller sees them.

    Raises what `search` raises.
    """
    found = _stands(destinations, caller, search_scope)
    rows = [
        _project_row(each, None if found.alone else told.name)
        for told in found.told
        for each in told.answer.projects
    ]  # fmt: skip
    failed = [failed_view(each) for each in found.asked if isinstance(each, Failed)]
    return {"projects": rows, **({"failed": failed} if failed else {})}


def _stands(destinations: Destinations, caller: Caller, search_scope: tuple[str, ...]) -> Searched[_Stand]:
    def ask(store: Store, _: RecallRequest, __: int) -> _Stand:
        with store.truth.reading() as reader:
            return _Stand(reader.identity().store, reader.projects(Scope(_own(caller))))

    return search(destinations, caller, RecallRequest(terms=(), search_scope=search_scope), ask)


def _own(caller: Caller) -> tuple[Fence, ...]:
    return () if caller.projects is None else (SubtreeFence(caller.projects),)


def _named(found: Searched[_Stand]) -> Sequence[tuple[str, _Stand] | Failed]:
    return [each if isinstance(each, Failed) else (each.name, each.answer) for each in found.asked]


def _stand_view(each: tuple[str, _Stand] | Failed, project: str | None) -> dict[str, Json]:
    if isinstance(each, Failed):
        return failed_view(each)
    name, stand = each
    capsules = sum(count.capsules for count in stand.projects)
    in_scope = sum(count.capsules for count in stand.projects if project is None or count.project in (None, project))
    empty = {"empty": "nothing has been stored here yet"} if not capsules else {}
    return {"destination": name, "store": stand.store, "capsules": capsules, "in_scope": in_scope, **empty}


def _project_row(count: ProjectCount, destination: str | None) -> dict[str, Json]:
    project: dict[str, Json] = {"unstamped": True} if count.project is None else {"project": count.project}
    where = {} if destination is None else {"destination": destination}
    return {**project, "capsules": count.capsules, "last_captured_at": format_instant(count.last_at), **where}
