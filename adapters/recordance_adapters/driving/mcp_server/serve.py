"""Serves one client over stdio, from the first byte to an end within two seconds of stdin's."""

import gc
import logging
import os
import signal
import sys
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable

from recordance.errors import RecordanceError
from recordance_adapters.driving.mcp_server.narrow_import import seed_packages
from recordance_adapters.driving.mcp_server.options import Options, Service
from recordance_adapters.driving.mcp_server.standard_streams import Wire, claim_standard_streams

GRACE = 1.0
"""Seconds after stdin's end in which calls in flight may still be answered."""
LAST_WRITES = 0.3
"""Seconds for the last answers to leave."""
TURN = 0.0005
"""Seconds after which a thread that computes lets another one go on, ten times as often as Python's own.

A recall gives the interpreter away at each look into an engine, a dozen times, and waits so long each time while an import
computes beside it.
"""
HARD_END = 1.8
"""Seconds after stdin's end at which the process ends whatever still runs; hosts expect it within two."""

log = logging.getLogger(__name__)


def serve_stdio(service: Service, options: Options) -> None:
    """Serve until stdin ends or a signal asks for the end. Whatever the process prints from now on goes to stderr.

    Returns when the client is gone, so that the caller can close the store; if that takes too long, the process ends hard. Every
    write that was answered is durable by then.
    """
    sys.setswitchinterval(TURN)
    wire = claim_standard_streams()
    seed_packages()
    # What is imported now lives to the end; to look for garbage in it takes a tenth of the start.
    gc.disable()
    import anyio

    anyio.run(_serve, wire, service, options)


async def _serve(wire: Wire, service: Service, options: Options) -> None:
    from asyncio import get_running_loop

    from recordance_adapters.driving.mcp_server.line_transport import LineReader, LineWriter
    from recordance_adapters.driving.mcp_server.server import build_server
    from recordance_adapters.driving.mcp_server.unanswered import Unanswered

    loop, unanswered, server = get_running_loop(), Unanswered(), build_server(service, options)
    gc.freeze()
    gc.enable()
    writer = LineWriter(wire, unanswered)
    reader = LineReader(wire, unanswered, writer, loop)

    def at_end() -> None:
        _end_hard_after(HARD_END)
        reader.end(GRACE)

    _on_signals(loop, lambda: threading.Thread(target=at_end, daemon=True).start())
    reader.start(at_end)
    # Not before the server stands: two threads that import share one interpreter, and the handshake would wait for both.
    threading.Thread(target=_warm, args=(service,), name="recordance-warm", daemon=True).start()
    await server.run(reader.stream, writer, server.create_initialization_options())
    writer.finish(LAST_WRITES)


def _warm(service: Service) -> None:
    """Open the store beside the handshake; a store that cannot be opened is told to the first call, not to the handshake."""
    try:
        _ = service.destinations
    except RecordanceError as why:
        log.error("the store cannot be opened: %s", why)
    except Exception:
        log.exception("the store cannot be opened")


def _on_signals(loop: AbstractEventLoop, end: Callable[[], None]) -> None:
    """Let a signal that asks for the end lead to the same end as stdin's, without a trace on stderr."""
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, end)
        except NotImplementedError:  # Windows has no signal handlers on its event loop
            signal.signal(number, lambda *_: end())


def _end_hard_after(seconds: float) -> None:
    timer = threading.Timer(seconds, os._exit, args=(0,))
    timer.daemon = True
    timer.start()
