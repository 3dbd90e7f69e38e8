"""Watching a port: every call through it is told of before it is made, and may be refused there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from recordance.ports.truth import Truth, TruthReader

Told = Callable[[str, tuple[Any, ...]], None]
"""Called with a call's name (`Port.method`) and arguments before it is made; what it raises is what the caller sees."""


class Watched:
    """A port in front of another: the same methods and attributes, each call told of first."""

    def __init__(self, port: Any, name: str, told: Told) -> None:
        self._port = port
        self._name = name
        self._told = told

    def __getattr__(self, attribute: str) -> Any:
        """Return the other's attribute; a method is told of when it is called, a value when it is read."""
        found = getattr(self._port, attribute)
        if not callable(found):
            self._told(f"{self._name}.{attribute}", ())
            return found

        def call(*given: Any, **named: Any) -> Any:
            self._told(f"{self._name}.{attribute}", given)
            return found(*given, **named)

        return call


class WatchedTruth:
    """A truth whose opening of snapshots, and everything that is read in them, is told of."""

    def __init__(self, truth: Truth, told: Told, reader_of: Callable[[TruthReader], Any] = lambda reader: reader) -> None:
        self._truth = truth
        self._told = told
        self._reader_of = reader_of

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """Open a snapshot whose every call is told of."""
        self._told("Truth.reading", ())
        with self._truth.reading() as reader:
            yield Watched(self._reader_of(reader), "TruthReader", self._told)

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """Open the writing transaction, told of as a whole."""
        self._told("Truth.writing", ())
        with self._truth.writing() as writer:
            yield writer


class WatchedReplica:
    """A replica whose calls and whose snapshots' calls are told of."""

    def __init__(self, replica: Any, told: Told) -> None:
        self._watched = Watched(replica, "TermReplica", told)
        self._told = told

    def __getattr__(self, attribute: str) -> Any:
        """Return the replica's own attribute, watched."""
        return getattr(self._watched, attribute)

    def snapshot(self) -> Any:
        """Return a snapshot whose every call is told of."""
        return Watched(self._watched.snapshot(), "TermSnapshot", self._told)
