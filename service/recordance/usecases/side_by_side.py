"""Asking several destinations at once: each within its own time, none waiting for another (D3, decision 3).

A question that is not answered in time goes on in its thread, and nobody hears of it any more.
"""

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

AT_ONCE = 8
"""How many questions one destination is asked at the same time; more than a server has calls in flight are those that hang."""
IDLE_SECONDS = 30.0
"""How long a thread waits for the next question before it ends."""


class Unanswered(Enum):
    """Why there is no answer, though nothing was raised."""

    LATE = "late"
    """The time was over."""
    BUSY = "busy"
    """As many earlier questions as are asked at once are not answered yet."""


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """What one destination is asked, and how many seconds it has."""

    name: str
    ask: Callable[[], T]
    deadline: float


Answer: TypeAlias = T | BaseException | Unanswered
"""What came of a question: the answer, what was raised, or why there is neither."""


class Gatherer(Protocol):
    """Asks several destinations."""

    def gather(self, questions: Sequence[Question[T]]) -> Mapping[str, Answer[T]]:
        """Return what came of each question, by the name of its destination, in the order asked."""
        ...


class OneByOne:
    """Asks in the caller's own thread, each as long as it takes: for stores that cannot hang."""

    def gather(self, questions: Sequence[Question[T]]) -> Mapping[str, Answer[T]]:
        """See Gatherer."""
        return {question.name: _answer(question.ask) for question in questions}


class SideBySide:
    """Asks in threads of its own. Safe for threads; they end by themselves once nobody asks any more."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._guard = threading.Lock()
        self._crews: dict[str, _Crew] = {}

    def gather(self, questions: Sequence[Question[T]]) -> Mapping[str, Answer[T]]:
        """See Gatherer."""
        start = self._monotonic()
        asked = [(question, self._crew(question.name).take(question.ask)) for question in questions]
        answers: dict[str, Answer[T]] = {}
        for question, task in asked:
            answer = self._awaited(question, task, start)
            answers[question.name] = answer
        return answers

    def _awaited(self, question: Question[T], task: "_Task[T] | None", start: float) -> Answer[T]:
        if task is None:
            return Unanswered.BUSY
        left = start + question.deadline - self._monotonic()
        return task.answer[0] if task.done.wait(max(0.0, left)) else Unanswered.LATE

    def _crew(self, name: str) -> "_Crew":
        with self._guard:
            return self._crews.setdefault(name, _Crew(name))


@dataclass(frozen=True, slots=True, eq=False)
class _Task(Generic[T]):
    ask: Callable[[], T]
    done: threading.Event
    answer: "list[T | BaseException]"

    def carry_out(self) -> None:
        self.answer.append(_answer(self.ask))
        self.done.set()


class _Crew:
    """The threads that ask one destination: daemons, so that one that hangs keeps no process alive."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._guard = threading.Lock()
        self._waiting: queue.SimpleQueue[_Task[object]] = queue.SimpleQueue()
        self._threads = 0
        self._unfinished = 0

    def take(self, ask: Callable[[], T]) -> "_Task[T] | None":
        """Have a question asked; None where too many are not answered yet."""
        task: _Task[T] = _Task(ask, threading.Event(), [])
        with self._guard:
            if self._unfinished == AT_ONCE:
                return None
            self._unfinished += 1
            if self._threads < self._unfinished:
                self._threads += 1
                threading.Thread(target=self._work, name=f"recordance-{self._name}", daemon=True).start()
            self._waiting.put(task)  # type: ignore[arg-type]  # what asks for T is told T
        return task

    def _work(self) -> None:
        while (task := self._next()) is not None:
            task.carry_out()
            with self._guard:
                self._unfinished -= 1

    def _next(self) -> "_Task[object] | None":
        """Return the next question; None where none came for so long that this thread ends."""
        try:
            return self._waiting.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            return self._last()

    def _last(self) -> "_Task[object] | None":
        """Return a question that came at the last moment, else count this thread no more."""
        with self._guard:
            try:
                return self._waiting.get_nowait()
            except queue.Empty:
                self._threads -= 1
                return None


def _answer(ask: Callable[[], T]) -> T | BaseException:
    try:
        return ask()
    except Exception as problem:  # noqa: BLE001 - whoever asked decides what each kind means
        return problem
