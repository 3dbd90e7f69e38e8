"""Listens, serves until a signal asks for the end, and ends within its bound."""

import contextlib
import ipaddress
import logging
import math
import os
import signal
import socket
import sys
import threading
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Callable, Iterator

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from recordance.domain.caller import Caller
from recordance.errors import InvalidArgument, RecordanceError
from recordance_adapters.driving.mcp_server.options import Options, Service
from recordance_adapters.driving.mcp_server.over_http.application import Drain, Parts, build_application
from recordance_adapters.driving.mcp_server.over_http.bodies import restore_arguments
from recordance_adapters.driving.mcp_server.over_http.configuration import MCP_PATH, Listening
from recordance_adapters.driving.mcp_server.over_http.journal_lines import FIELDS, log_as_json
from recordance_adapters.driving.mcp_server.over_http.measures import Measures
from recordance_adapters.driving.mcp_server.over_http.observing import REQUESTS, CallObserver
from recordance_adapters.driving.mcp_server.over_http.patient_protocol import patient_protocol
from recordance_adapters.driving.mcp_server.over_http.readiness import Readiness
from recordance_adapters.driving.mcp_server.over_http.signed_tokens import IssuedTokens
from recordance_adapters.driving.mcp_server.over_http.visitors import VisitingCallers, Visitors
from recordance_adapters.driving.mcp_server.serve import TURN
from recordance_adapters.driving.mcp_server.server import build_server

LARGEST_HEAD = 32 * 1024
"""Bytes that the head of a request may have."""
CLOSING_SECONDS = 2.0
"""What is left, after the calls in flight had their time, to close the store; then the process ends hard."""
_BACKLOG = 512
_WARMER = Caller(actor="opening")
"""Sees every destination, and writes nothing."""

log = logging.getLogger(__name__)


def check_exposure(listening: Listening) -> None:
    """Refuse to listen where others can reach this machine without asking who they are (case L1)."""
    if listening.knows_callers:
        return
    for name, value in (("allowed_hosts", listening.allowed_hosts), ("public_url", listening.public_url)):
        if value:
            why = "it says that others reach this server, behind a proxy, and no token is asked for"
            instead = "none of it, or tokens in [[http.tokens]] (recordance token makes one) or an issuer in [http.oauth]"
            raise InvalidArgument(f"http.{name}", value, instead, why)
    if not _is_loopback(listening.host):
        why = "whoever reaches it from elsewhere could read and write everything, since no token is asked for"
        instead = "127.0.0.1, or tokens in [[http.tokens]] (recordance token makes one) or an issuer in [http.oauth]"
        raise InvalidArgument("http.host", listening.host, instead, why)


def serve_http(service: Service, options: Options, listening: Listening, log_level: str) -> None:
    """Serve until SIGTERM or SIGINT, then answer what is in flight and return; a second signal ends the process at once.

    Raises InvalidArgument where the address cannot be listened at. Every write that was answered is durable.
    """
    check_exposure(listening)
    sys.setswitchinterval(TURN)
    log_as_json(log_level)
    log.setLevel(min(logging.INFO, logging.getLogger().level))  # where it listens is told in any case
    if log_level != "error":
        REQUESTS.setLevel(min(logging.INFO, logging.getLogger().level))
    with contextlib.closing(listen(listening)) as listener:
        running = Running(service, options, listening)
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        log.info("listening", extra={FIELDS: {"url": f"http://{shown}:{port}{MCP_PATH}"}})
        anyio.run(_until_signalled, running, listener, listening.bounds.shutdown_seconds)


def listen(listening: Listening) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one."""
    try:
        return _bound(listening.host.strip("[]"), listening.port)
    except (OSError, OverflowError) as problem:
        field = "http.host" if isinstance(problem, socket.gaierror) else "http.port"
        got = listening.host if isinstance(problem, socket.gaierror) else listening.port
        why = f"{listening.host}:{listening.port} cannot be listened at ({getattr(problem, 'strerror', None) or problem})"
        raise InvalidArgument(field, got, "another one, or 0 for a free port", why) from None


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that is TCP by its own word: else asyncio lets each answer wait 40 ms for an acknowledgement."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and socket.has_dualstack_ipv6():
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


class Running:
    """One server from its start to its end."""

    def __init__(self, service: Service, options: Options, listening: Listening) -> None:
        bounds = listening.bounds
        self.readiness = Readiness(service, listening.required, bounds.ready_seconds)
        self.measures = Measures(self.readiness.standings)
        self._service = service
        calls = CallObserver(self.measures, [tool.name for tool in options.tools])
        server = build_server(service, options, VisitingCallers(options.actor), [calls, restore_arguments])
        server.get_tool_input_schema = _no_headers
        self._sessions = StreamableHTTPSessionManager(
            server,
            stateless=bounds.sessions == 0,
            session_idle_timeout=bounds.session_idle_seconds,
            max_sessions=bounds.sessions or None,
            max_request_body_size=bounds.request_bytes,
        )
        signed = None if listening.issuer is None else IssuedTokens(listening.issuer)
        self._listening = listening
        self._visitors = Visitors(listening.tokens, signed)
        self._uvicorn: _Uvicorn | None = None
        self.drain = Drain()

    async def serve(self, listener: socket.socket) -> None:
        """Serve on a listening socket until `end` is called."""
        parts = Parts(self._listening, self._visitors, self._sessions, self.readiness, self.measures, self.drain)
        bounds = self._listening.bounds
        config = uvicorn.Config(
            build_application(parts),
            http=patient_protocol(bounds.request_seconds),
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=_BACKLOG,
            limit_concurrency=bounds.connections,
            timeout_keep_alive=round(bounds.idle_seconds),
            timeout_graceful_shutdown=math.ceil(bounds.shutdown_seconds),
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
        self._uvicorn = _Uvicorn(config)
        threading.Thread(target=_warm, args=(self._service,), name="recordance-warm", daemon=True).start()
        async with self._sessions.run():
            await self._uvicorn.serve([listener])

    def end(self) -> None:
        """Take nothing new, let what is in flight be answered, and end; to be called in the event loop."""
        self.drain.begun.set()
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True


class _Uvicorn(uvicorn.Server):
    """uvicorn's server, whose signals are ours."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to whoever runs this: uvicorn would raise them again at the end, and the process would die of one."""
        yield


async def _until_signalled(running: Running, listener: socket.socket, seconds: float) -> None:
    def at_first() -> None:
        _end_hard_after(seconds + CLOSING_SECONDS)
        running.end()

    _on_signals(get_running_loop(), at_first)
    await running.serve(listener)


def _on_signals(loop: AbstractEventLoop, end: Callable[[], None]) -> None:
    asked = False

    def hear(number: int) -> None:
        nonlocal asked
        if asked:
            os._exit(128 + number)
        asked = True
        end()

    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, hear, number)
        except NotImplementedError:  # Windows has no signal handlers on its event loop
            signal.signal(number, lambda got, _: loop.call_soon_threadsafe(hear, got))


def _end_hard_after(seconds: float) -> None:
    timer = threading.Timer(seconds, os._exit, args=(0,))
    timer.daemon = True
    timer.start()


def _warm(service: Service) -> None:
    """Open the stores before the first call; one that cannot be opened is told to calls and to whoever asks for readiness.

    Several are opened side by side: a recall gives each so little time that one that only opens then would be late.
    """

    def open_one(name: str) -> None:
        with _told_if_unopened(f"the store of {name}"):
            service.destinations.reading(_WARMER, name)

    with _told_if_unopened("the store"):
        names = service.destinations.visible(_WARMER)
        for name in names if len(names) > 1 else ():
            threading.Thread(target=open_one, args=(name,), name=f"recordance-warm-{name}", daemon=True).start()


@contextlib.contextmanager
def _told_if_unopened(what: str) -> Iterator[None]:
    try:
        yield
    except RecordanceError as why:
        log.error("%s cannot be opened: %s", what, why)
    except Exception:
        log.exception("%s cannot be opened", what)


def _no_headers(_: str) -> None:
    """No parameter of a tool is to be repeated in a header, so none is looked for."""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
