"""The id under which a request is logged and answered, from the client or ours."""

import re
import secrets
from contextvars import ContextVar

HEADER = "x-request-id"
REQUEST_ID: ContextVar[str | None] = ContextVar("recordance-request-id", default=None)
"""The request that is being served, in its tasks and worker threads."""
_SANE = re.compile(r"[A-Za-z0-9._:-]{1,64}")


def request_id(sent: str | None) -> str:
    """Return the id that a client sent, if it is one that a log can hold, else a new one."""
    return sent if sent is not None and _SANE.fullmatch(sent) else f"req-{secrets.token_hex(8)}"
