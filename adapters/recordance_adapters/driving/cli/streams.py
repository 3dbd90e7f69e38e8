"""The process's three standard streams: all there, in UTF-8, and let go without a trace when nobody takes what is written."""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper

_INPUT, _OUTPUT, _ERRORS = 0, 1, 2


def claim_streams() -> None:
    """Make every stream one that can be used, whatever the process was started with and whatever the locale says (case A8).

    A closed one is filled, as the next file that is opened, a store's perhaps, would take its number: input ends at once, what
    goes to errors is lost, and writing an answer fails as on a full disk. What is no text at all is written as an escape.
    """
    for number, mode in ((_INPUT, os.O_RDONLY), (_OUTPUT, os.O_RDONLY), (_ERRORS, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free, which is this one
    # Python leaves None in the place of a stream that was closed, whatever its types say.
    sys.stdin = getattr(sys, "stdin", None) or os.fdopen(_INPUT, "r", encoding="utf-8", closefd=False)
    sys.stdout = getattr(sys, "stdout", None) or os.fdopen(_OUTPUT, "w", encoding="utf-8", closefd=False)
    sys.stderr = getattr(sys, "stderr", None) or os.fdopen(_ERRORS, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def release_output() -> None:
    """Drop what could not be written, so that the interpreter does not try again at its end and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Say on stderr, on one line, what is wrong; where nobody takes that either, the exit code must do."""
    with suppress(OSError):
        print(f"recordance: {text}", file=sys.stderr)
