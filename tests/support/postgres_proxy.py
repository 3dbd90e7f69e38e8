"""A wire to Postgres that can be cut at a COMMIT: before the server hears of it, or before its answer is heard."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum

_COMMIT = b"COMMIT\0"


class Cut(Enum):
    """Where the next COMMIT is cut off."""

    BEFORE = "the server never hears of it"
    AFTER = "the server has done it, and its answer is lost"


class Proxy:
    """Carries bytes between clients and a server on the loopback device, as long as it is told to."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self.port = int(self._listener.getsockname()[1])
        self.next_cut: Cut | None = None
        self.refusing = False
        """Whether nobody gets through any more once a COMMIT was cut off."""
        self.shut = False
        """Whether nobody gets through now."""
        self.commits = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Cut every connection."""
        _end(self._listener)
        for each in self._sockets:
            _end(each)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.shut:
                    _end(client)
                    continue
                server = socket.create_connection(("127.0.0.1", self._server))
                self._sockets += [client, server]
                threading.Thread(target=self._to_server, args=(client, server), daemon=True).start()
                threading.Thread(target=_carry, args=(server, client), daemon=True).start()

    def _to_server(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while said := client.recv(65536):
                if said.endswith(_COMMIT) and not self._lets(server, client, said):
                    break
                server.sendall(said)
        _end(client)
        _end(server)

    def _lets(self, server: socket.socket, client: socket.socket, said: bytes) -> bool:
        """Count a COMMIT and return whether it goes on its way."""
        self.commits += 1
        cut, self.next_cut = self.next_cut, None
        if cut is None:
            return True
        self.shut = self.refusing
        _end(client)
        if cut is Cut.AFTER:
            server.sendall(said)
            with suppress(OSError):
                server.shutdown(socket.SHUT_WR)  # it does what it was told before it hears of the end
                while server.recv(65536):
                    pass
        return False


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while said := source.recv(65536):
            target.sendall(said)
    _end(target)


def _end(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()


@contextmanager
def proxy_to(port: int) -> Iterator[Proxy]:
    """A proxy in front of a server's port, gone at the end."""
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
