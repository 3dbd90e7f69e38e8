"""uvicorn's protocol with a bound on how long a client may take to say what it wants."""

from asyncio import TimerHandle, Transport

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle


class PatientProtocol(H11Protocol):
    """Closes a connection whose next request has begun, or was never begun, and whose head is not whole in time.

    uvicorn bounds how long a connection stays idle between two requests, and nothing before the first or within a head.
    """

    head_seconds = 30.0
    _waiting: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head; a whole one has begun a new cycle."""
        if self._waiting is None and self._is_between_requests():
            self._wait()
        super().data_received(data)
        if not self._is_between_requests():
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, and drop what its client has not taken of the last answer when it takes no more."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(self.head_seconds, self.transport.abort)

    def _is_between_requests(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None until the first request, whatever its type says
        return cycle is None or cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self.head_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self._is_between_requests() and not self.transport.is_closing():
            self.transport.close()


def patient_protocol(seconds: float) -> type[PatientProtocol]:
    """Return the protocol with a bound of `seconds`."""
    return type("BoundProtocol", (PatientProtocol,), {"head_seconds": seconds})
