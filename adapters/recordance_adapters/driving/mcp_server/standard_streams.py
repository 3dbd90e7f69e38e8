"""Takes stdin and stdout for the protocol alone, whatever else in the process reads or prints (case I1)."""

import os
import sys
from dataclasses import dataclass
from typing import BinaryIO

_STDIN, _STDOUT, _STDERR = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Wire:
    """The real standard streams, as bytes: no locale and no newline translation touches them (case A8)."""

    incoming: BinaryIO
    outgoing: BinaryIO


def claim_standard_streams() -> Wire:
    """Return private copies of stdin and stdout; from now on the process reads nothing and prints to stderr.

    This holds for `print`, for libraries in other languages and for child processes, to the very end: nothing is given back.
    """
    incoming, outgoing = os.dup(_STDIN), os.dup(_STDOUT)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, _STDIN)
    try:
        os.dup2(_STDERR, _STDOUT)
    except OSError:  # started without a stderr
        os.dup2(nothing, _STDOUT)
    os.close(nothing)
    sys.stdout = sys.stderr
    return Wire(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb", buffering=0))
