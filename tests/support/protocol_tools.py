"""A server process with tools that do what a test needs to see: wait, fail, print, report. Started by `python -m`."""

import atexit
import sys
import threading
from collections.abc import Mapping
from typing import Any

from recordance.errors import Json
from recordance.usecases.store import Destinations
from recordance_adapters.driving.mcp_server.options import Options
from recordance_adapters.driving.mcp_server.serve import serve_stdio
from recordance_adapters.wire.answers import OBJECT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence
from recordance_adapters.wire.kinds import text, whole
from recordance_adapters.wire.tool import Call, Effect, Handle, Tool, ToolSet

_BOUND = 60.0
_released = threading.Event()


def echo(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    return {"text": ARGUMENTS.read(raw)["text"], "actor": call.caller.actor}


def noisy(_: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    print("printed by a library")
    sys.stdout.write("written without a newline")
    sys.__stdout__.write("past the new stdout\n") if sys.__stdout__ else None
    return {}


def hold(_: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    return {"released": _released.wait(_BOUND)}


def release(_: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    _released.set()
    return {}


def fail(_: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    raise RuntimeError("SELECT secret FROM /var/lib/somewhere")


def count(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    steps = STEPS.read(raw)["steps"]
    for done in range(1, steps + 1):
        call.progress(done, steps)
    return {}


ARGUMENTS = Declaration((Parameter(name="text", kind=text(1_000), presence=Presence.REQUIRED),))
STEPS = Declaration((Parameter(name="steps", kind=whole(0, 100_000), presence=Presence.REQUIRED),))
NOTHING = Declaration(())


def tool(name: str, handle: Handle, arguments: Declaration = NOTHING) -> Tool:
    return Tool(
        name=name,
        title=name,
        description=f"A tool for tests: {name}.",
        effect=Effect.READS,
        tool_set=ToolSet.CORE,
        arguments=arguments,
        output=answer({}, {"anything": OBJECT}),
        handle=handle,
    )


TOOLS = (
    tool("echo", echo, ARGUMENTS),
    tool("noisy", noisy),
    tool("hold", hold),
    tool("release", release),
    tool("fail", fail),
    tool("count", count, STEPS),
)


class NoStore:
    """A house whose store is never touched."""

    destinations = Destinations({})


class StuckStore:
    """A house whose store takes for ever to open."""

    @property
    def destinations(self) -> Destinations:
        _released.wait(_BOUND)
        return Destinations({})


class BrokenStore:
    """A house whose store cannot be opened."""

    @property
    def destinations(self) -> Destinations:
        raise OSError("no such file: /var/lib/somewhere")


SERVICES: dict[str, Any] = {"none": NoStore, "stuck": StuckStore, "broken": BrokenStore}


def main(store: str, actor: str | None = None) -> None:
    """Serve the tools over stdio, or as `http` over HTTP; `store` names one of SERVICES."""
    if store == "http":
        from recordance_adapters.driving.mcp_server.over_http.configuration import Bounds, Listening
        from recordance_adapters.driving.mcp_server.over_http.serving import serve_http

        listening = Listening(port=0, bounds=Bounds(shutdown_seconds=float(actor or 10)))
        serve_http(NoStore(), Options(tools=TOOLS, version="0"), listening, "info")
        return
    atexit.register(print, "printed at exit")
    serve_stdio(SERVICES[store](), Options(tools=TOOLS, version="0", actor=actor))
    print("printed after the end")


if __name__ == "__main__":
    main(*sys.argv[1:])
