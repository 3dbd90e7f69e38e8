"""Embeddings without a model: hashed character trigrams. Texts that share spellings lie near each other, whatever they mean.

They show how a caller brings vectors along; a caller with a model has better ones. Standard library only.
"""

from __future__ import annotations

import math
import re
import zlib

DIMENSION = 256
_SIGN = 1 << 31


def embedding(text: str) -> list[float]:
    """Return the vector of a text that holds a letter or a digit: each trigram of each word counts, one way or the other."""
    counts = [0.0] * DIMENSION
    for word in re.findall(r"\w+", text.lower()):
        padded = f" {word} "
        for start in range(len(padded) - 2):
            hashed = zlib.crc32(padded[start : start + 3].encode())
            counts[hashed % DIMENSION] += 1.0 if hashed & _SIGN else -1.0
    norm = math.hypot(*counts)
    return [round(count / norm, 4) for count in counts]
