"""Ports of the loopback for servers that are told where to listen, and that may stop and come back there."""

import random
import socket
from contextlib import suppress

_BELOW_CLIENTS = range(20_000, 32_000)
"""No system gives a client one of these by itself. A port from among the clients' can be gone when the server comes back to it,
and a client that asks for a server which is down may even be given that very port and be connected to itself."""


def free_port() -> int:
    """Return a port that nobody listens at; drawn by chance, so that processes of tests do not choose the same."""
    while True:
        port = random.SystemRandom().choice(_BELOW_CLIENTS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
