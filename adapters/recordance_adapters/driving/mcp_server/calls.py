"""Runs tools in worker threads, and turns whatever comes of it into what the SDK sends (WIRE.md "Errors")."""

import json
import logging
from asyncio import AbstractEventLoop, Task, get_running_loop, wait
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import anyio.to_thread
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from recordance.domain.caller import Caller
from recordance.errors import Json, Refusal, StoreUnusable
from recordance.usecases.follow import Progress
from recordance_adapters.driving.mcp_server.callers import stamp_for, started_for
from recordance_adapters.driving.mcp_server.options import Options, Service
from recordance_adapters.wire.failure import Failure, failure_of, fault_failure, new_fault_id, writable
from recordance_adapters.wire.kinds import SURROGATE
from recordance_adapters.wire.tool import Call, Effect, Tool, unheard

READS_AT_ONCE = 8
"""Calls that only read and run at the same time; further ones wait, while the event loop goes on (case I4)."""
_PROGRESS_STEPS = 100
LAST_REPORTS = 1.0
"""Seconds that an answer waits for what was told of its progress before."""

Report = Callable[[float, float | None], Coroutine[Any, Any, None]]
"""Sends one progress notification: (done, total)."""

log = logging.getLogger(__name__)


class ToolCalls:
    """Calls tools on behalf of a server's clients."""

    def __init__(self, service: Service, options: Options) -> None:
        self._service = service
        self._options = options
        self._reads = anyio.CapacityLimiter(READS_AT_ONCE)
        self._writes = anyio.CapacityLimiter(options.writes_at_once)

    async def run(self, tool: Tool, arguments: Mapping[str, Json], caller: Caller, report: Report | None) -> CallToolResult:
        """Return a tool's answer, as an object and as its compact text; raises MCPError for every refusal and fault.

        A call that its client gives up goes on in its thread: a write is never torn.
        """
        told = set[Task[None]]()
        progress = unheard if report is None else _heard(report, get_running_loop(), told)
        work = partial(self._work, tool, arguments, caller, progress)
        limiter = self._reads if tool.effect is Effect.READS else self._writes
        outcome = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)
        if told:
            await wait(told, timeout=LAST_REPORTS)  # an answer that overtakes them ends the stream that they go out by
        if isinstance(outcome, Failure):
            raise MCPError(outcome.code, outcome.message, dict(outcome.data))
        return outcome

    def _work(self, tool: Tool, arguments: Mapping[str, Json], caller: Caller, progress: Progress) -> CallToolResult | Failure:
        try:
            return _result(tool, arguments, tool.handle(self._call(caller, progress), arguments))
        except Refusal as refusal:
            return failure_of(refusal)
        except Exception as problem:
            fault = new_fault_id()
            if isinstance(problem, StoreUnusable):
                log.error("%s in %s: %s", fault, tool.name, problem)  # its text says all; a trace at each call would hide it
            else:
                log.exception("%s in %s", fault, tool.name)
            return fault_failure(problem, fault)

    def _call(self, caller: Caller, progress: Progress) -> Call:
        return Call(
            destinations=self._service.destinations,
            caller=caller,
            project=stamp_for(caller, self._options.project),
            token_budget=self._options.token_budget,
            progress=progress,
            started=started_for(caller, self._options.project, self._options.tools),
        )


def _result(tool: Tool, arguments: Mapping[str, Json], answer: dict[str, Json]) -> CallToolResult:
    """Return the answer as structured content with its text; what no client could read is replaced in both."""
    text = _compact(answer)
    if not text.isascii() and SURROGATE.search(text):
        answer = writable(answer)
        text = _compact(answer)
    told = None if tool.render is None else tool.render(answer, arguments)
    return CallToolResult(content=[TextContent(type="text", text=text if told is None else told)], structured_content=answer)


def _compact(answer: dict[str, Json]) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _heard(report: Report, loop: AbstractEventLoop, told: set[Task[None]]) -> Progress:
    """Return a progress callback for a worker thread: it never blocks or fails the work, and skips what nobody could see.

    `told` holds the notifications on their way; the loop itself holds tasks only weakly.
    """
    sent = 0

    def start(done: int, total: int) -> None:
        task = loop.create_task(report(done, total))
        told.add(task)
        task.add_done_callback(told.discard)

    def progress(done: int, total: int) -> None:
        nonlocal sent
        step = done * _PROGRESS_STEPS // max(total, 1)
        if step > sent:
            sent = step
            with suppress(RuntimeError):  # the loop is closed: nobody listens any more
                loop.call_soon_threadsafe(start, done, total)

    return progress
