"""The SDK's pair of streams over two byte streams, with a thread for each, so that the event loop never waits for a pipe."""

import logging
import math
import queue
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from recordance_adapters.driving.mcp_server.frames import BadFrame, read_frame, write_frame
from recordance_adapters.driving.mcp_server.standard_streams import Wire
from recordance_adapters.driving.mcp_server.unanswered import Unanswered

MOST_UNANSWERED = 256
"""Requests in flight beyond which the next line is not read: a sender that never reads its answers is held back."""

log = logging.getLogger(__name__)


class LineWriter:
    """The SDK's write stream: lines go out in order, from a thread of their own."""

    def __init__(self, wire: Wire, unanswered: Unanswered) -> None:
        self._wire = wire
        self._unanswered = unanswered
        self._lines: queue.SimpleQueue[JSONRPCMessage | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="recordance-stdout", daemon=True)
        self._thread.start()

    def put(self, message: JSONRPCMessage) -> None:
        """Send a message; returns at once."""
        self._lines.put(message)

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message of the SDK's; returns at once."""
        self.put(item.message)

    async def aclose(self) -> None:
        """Nothing more will be sent by the SDK."""

    def finish(self, seconds: float) -> None:
        """Write what is waiting, and wait for it no longer than `seconds`."""
        self._lines.put(None)
        self._thread.join(seconds)

    async def __aenter__(self) -> Self:
        """Return the stream itself."""
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        """Close the stream."""
        await self.aclose()

    def _write(self) -> None:
        while (message := self._lines.get()) is not None:
            try:
                self._write_whole(write_frame(message))
            except OSError as why:  # the client has closed its end: nobody is there to be told
                log.info("the client no longer reads: %s", why)
            if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                self._unanswered.discard(message.id)

    def _write_whole(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[self._wire.outgoing.write(left) :]


class LineReader:
    """Reads lines into the SDK's read stream, from a thread of its own, until stdin ends or `end` is called."""

    def __init__(self, wire: Wire, unanswered: Unanswered, writer: LineWriter, loop: AbstractEventLoop) -> None:
        self._wire = wire
        self._unanswered = unanswered
        self._writer = writer
        self._loop = loop
        self._into: MemoryObjectSendStream[SessionMessage | Exception]
        self.stream: MemoryObjectReceiveStream[SessionMessage | Exception]
        self._into, self.stream = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)

    def start(self, at_end: Callable[[], None]) -> None:
        """Begin to read; `at_end` is called when there is nothing left to read."""
        threading.Thread(target=self._read, args=(at_end,), name="recordance-stdin", daemon=True).start()

    def end(self, grace: float) -> None:
        """Give what is in flight `grace` seconds, then close the stream; from any thread but the loop's, also twice."""
        self._unanswered.settle(grace)
        self._on_loop(self._into.close)

    def _read(self, at_end: Callable[[], None]) -> None:
        try:
            for line in self._wire.incoming:
                if line.strip():
                    self._take(line)
        except OSError as why:
            log.info("stdin can no longer be read: %s", why)
        at_end()

    def _take(self, line: bytes) -> None:
        try:
            message = read_frame(line)
        except BadFrame as bad:
            self._writer.put(bad.answer)
            return
        match message:
            case JSONRPCRequest(id=request):
                self._unanswered.add(request, MOST_UNANSWERED)
            case JSONRPCNotification(method="notifications/cancelled", params={"requestId": int() | str() as request}):
                self._unanswered.discard(request)
            case _:
                pass
        self._on_loop(self._hand_over, SessionMessage(message))

    def _hand_over(self, message: SessionMessage) -> None:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):  # the server is at its end
            self._into.send_nowait(message)

    def _on_loop(self, call: Callable[..., None], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: there is nothing left to tell
            self._loop.call_soon_threadsafe(call, *arguments)
