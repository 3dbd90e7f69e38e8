"""The log as one JSON object a line: when, how grave, which request, what happened; never content, a token or a claim."""

import json
import logging
import queue
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TextIO

from recordance.errors import RecordanceError
from recordance_adapters.driving.mcp_server.over_http.request_ids import REQUEST_ID

FIELDS = "recordance_fields"
"""The attribute of a record that holds fields beside its message."""
_MOST_WAITING, _AT_ONCE, _FLUSH_SECONDS = 10_000, 200, 1.0


class JsonLines(logging.Formatter):
    """Writes a record as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        fields: Mapping[str, Any] = getattr(record, FIELDS, {})
        request = {} if (id := REQUEST_ID.get()) is None else {"request": id}
        told = {
            "time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            **request,
            "message": record.getMessage(),
            **fields,
            **_problem(record),
        }
        return json.dumps(told, ensure_ascii=True, separators=(",", ":"), default=str)


class UnhurriedLines(logging.Handler):
    """Writes lines from a thread of its own: who logs never waits for who reads; what is too much is lost and counted."""

    def __init__(self, into: TextIO) -> None:
        super().__init__()
        self._into = into
        self._lines: queue.Queue[str] = queue.Queue(_MOST_WAITING)
        self._lost = 0
        threading.Thread(target=self._write, name="recordance-log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Take a record; returns at once."""
        try:
            self._lines.put_nowait(self.format(record))
        except queue.Full:
            self._lost += 1

    def flush(self) -> None:
        """Wait, no longer than a second, until what was taken is written."""
        with self._lines.all_tasks_done:
            self._lines.all_tasks_done.wait_for(lambda: not self._lines.unfinished_tasks, _FLUSH_SECONDS)

    def _write(self) -> None:
        while True:
            lines = [self._lines.get()]
            with suppress(queue.Empty):
                while len(lines) < _AT_ONCE:
                    lines.append(self._lines.get_nowait())
            lost, self._lost = self._lost, 0
            with suppress(OSError, ValueError):  # nobody reads any more
                self._into.write("".join(f"{line}\n" for line in lines))
                self._into.write(f'{{"level":"warning","message":"{lost} lines of the log were lost"}}\n' if lost else "")
                self._into.flush()
            for _ in lines:
                self._lines.task_done()


def log_as_json(level: str, into: TextIO | None = None) -> None:
    """Let everything that is logged in this process go to stderr so, from now on."""
    handler = UnhurriedLines(into or sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def _problem(record: logging.LogRecord) -> dict[str, Any]:
    """Return where a problem arose. Its own text is told only where it is ours or the system's: others may quote content."""
    problem = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    if problem is None:
        return {}
    tellable = isinstance(problem, RecordanceError | OSError)
    trace = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(problem.__traceback__)]
    return {"error": type(problem).__qualname__, **({"text": str(problem)} if tellable else {}), "trace": trace}
