"""Every tool, in the order in which clients list them, and how tool sets choose among them (WIRE.md "Tool sets")."""

import difflib
from collections.abc import Iterable

from recordance.errors import InvalidArgument
from recordance_adapters.wire.tool import Tool, ToolSet
from recordance_adapters.wire.tools.accrued import RECALL
from recordance_adapters.wire.tools.alias import ALIAS
from recordance_adapters.wire.tools.archive import ARCHIVE
from recordance_adapters.wire.tools.explain import EXPLAIN
from recordance_adapters.wire.tools.fast import FAST
from recordance_adapters.wire.tools.forget import FORGET
from recordance_adapters.wire.tools.graph import ENTITY, RELATIONS
from recordance_adapters.wire.tools.judge import FEEDBACK, REVIEW
from recordance_adapters.wire.tools.life import HISTORY, UPDATE
from recordance_adapters.wire.tools.memory_recall import MEMORY_RECALL
from recordance_adapters.wire.tools.misses import MISSES
from recordance_adapters.wire.tools.read import GET, LIST
from recordance_adapters.wire.tools.relate import RELATE
from recordance_adapters.wire.tools.retrieve import RETRIEVE
from recordance_adapters.wire.tools.search import SEARCH
from recordance_adapters.wire.tools.search_scopes import SEARCH_SCOPES
from recordance_adapters.wire.tools.store import STORE
from recordance_adapters.wire.tools.vector import VECTOR
from recordance_adapters.wire.tools.whereabouts import PROJECTS, WHERE_AM_I

TOOLS: tuple[Tool, ...] = (
    *(RETRIEVE, STORE, GET, LIST, RELATE, ALIAS, VECTOR, FORGET, FEEDBACK, REVIEW, MISSES, SEARCH_SCOPES),
    SEARCH,
    *(RECALL, WHERE_AM_I, PROJECTS),
    *(MEMORY_RECALL, FAST, EXPLAIN, ENTITY, RELATIONS),
    *(UPDATE, ARCHIVE, HISTORY),
)
"""All that is built; what is not is absent."""
ALL = "all"
DEFAULT_SETS = (ToolSet.CORE.value,)


_RECALLS = ("search", "recall", "retrieve", "find", "query", "lookup")
"""What in a tool's name says that somebody wants to recall."""
_MEANT = {
    "memory_store": frozenset({"save", "add", "create", "write", "remember", "insert"}),
    "memory_forget": frozenset({"delete", "remove", "erase", "forget"}),
}
"""What other servers call storing and forgetting, as whole words of a tool's name, by the tool that does it here."""


def tool_meant(name: str, offered: Iterable[str]) -> str:
    """Return what to send instead of a tool name that is not offered; never a tool that writes for a name that would read."""
    names = list(offered)
    elsewhere = next((tool for tool in TOOLS if tool.name == name), None)
    if elsewhere is not None:
        return f"one of {', '.join(names)}, or start the server with --tools all: {name} belongs to tool set {elsewhere.tool_set}"
    if any(word in name.lower() for word in _RECALLS):
        return RETRIEVE.name
    words = set(name.lower().split("_"))
    meant = [tool for tool, said in _MEANT.items() if said & words and tool in names]
    near = meant or difflib.get_close_matches(name, names, n=1, cutoff=0.75)
    return near[0] if near else "one of " + ", ".join(names)


def tools_of(sets: Iterable[str], field: str = "tools") -> tuple[Tool, ...]:
    """Return the tools of the named sets in catalogue order; raises InvalidArgument naming `field` for an unknown one."""
    known = [tool_set.value for tool_set in ToolSet]
    named = list(sets)
    for name in named:
        if name not in (*known, ALL):
            raise InvalidArgument(field, name, "any of " + ", ".join((*known, ALL)), "there is no such tool set")
    return tuple(tool for tool in TOOLS if ALL in named or tool.tool_set.value in named)
