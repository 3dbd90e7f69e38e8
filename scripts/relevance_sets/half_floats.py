"""Reads the rows of a NumPy file of float16 without NumPy: a magic, a header that is a Python literal, then the numbers."""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterator
from pathlib import Path

_MAGIC = b"\x93NUMPY"
_HEADER_SIZES = {1: "<H", 2: "<I", 3: "<I"}
"""How each version of the format packs the length of its header."""


class UnreadableFile(Exception):
    """The file is not rows of little-endian float16; the text says which and why."""


def read_rows(file: Path) -> Iterator[tuple[float, ...]]:
    """Yield each row of a two-dimensional file of little-endian float16 in row order; raises UnreadableFile."""
    raw = file.read_bytes()
    if raw[:6] != _MAGIC or raw[6] not in _HEADER_SIZES:
        raise UnreadableFile(f"{file} is no NumPy file of a known version")
    packed = struct.Struct(_HEADER_SIZES[raw[6]])
    began = 8 + packed.size + packed.unpack_from(raw, 8)[0]
    header = ast.literal_eval(raw[8 + packed.size : began].decode("latin-1"))
    if header["descr"] != "<f2" or header["fortran_order"] or len(header["shape"]) != 2:
        raise UnreadableFile(f"{file} holds {header}, where rows of <f2 are wanted")
    rows, width = header["shape"]
    if len(raw) - began != rows * width * 2:
        raise UnreadableFile(f"{file} is cut short or too long for {rows} rows of {width}")
    return struct.iter_unpack(f"<{width}e", raw[began:])
