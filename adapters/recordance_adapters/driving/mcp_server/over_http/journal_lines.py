"""The log as one JSON object a line: when, how grave, which request, what happened; never content, a token or a claim."""

import json
import logging
import sys
import time
import traceback
from collections.abc import Mapping
from typing import Any, TextIO

from recordance.errors import RecordanceError
from recordance_adapters.driving.mcp_server.over_http.request_ids import REQUEST_ID

FIELDS = "recordance_fields"
"""The attribute of a record that holds fields beside its message."""


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


def log_as_json(level: str, into: TextIO | None = None) -> None:
    """Let everything that is logged in this process go to stderr so, from now on; requests too, unless only errors are wanted."""
    handler = logging.StreamHandler(into or sys.stderr)
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
