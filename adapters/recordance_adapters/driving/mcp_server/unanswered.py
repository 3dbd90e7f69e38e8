"""Which requests have been read and not been answered yet: what bounds the intake, and what a polite end waits for."""

import threading

Id = int | str


class Unanswered:
    """The ids in flight. Safe for threads."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._changed = threading.Condition()

    def add(self, request: Id, most: int) -> None:
        """Count a request in, after waiting until fewer than `most` are in flight."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._ids) < most)
            self._ids.add(str(request))

    def discard(self, request: Id) -> None:
        """Count a request out: it was answered, or its sender has given it up. An unknown id changes nothing."""
        with self._changed:
            self._ids.discard(str(request))
            self._changed.notify_all()

    def settle(self, seconds: float) -> bool:
        """Wait until nothing is in flight, no longer than `seconds`; return whether that came true."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._ids, seconds)
