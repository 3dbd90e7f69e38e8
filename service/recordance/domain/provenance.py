"""Where a capsule comes from: its source, and the places in a repository that it speaks of."""

import re
from dataclasses import dataclass
from enum import StrEnum

_PATH_LINE = re.compile(r"(?P<path>.+):(?P<line>[1-9][0-9]{0,8})(?:@(?P<sha>[0-9a-f]{7,40}))?", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place that a capsule speaks of, as the caller wrote it (O5).

    `text` is the whole anchor. When it reads `path:line` or `path:line@sha`, `path` and `line` name a place below the
    repository root that can be probed; otherwise (a document id, a pull request, a quote) both are None. `file_hash` is the
    SHA-256 of the whole file when the capsule was captured, None where it could not be read.
    """

    text: str
    path: str | None = None
    line: int | None = None
    sha: str | None = None
    file_hash: str | None = None


def read_anchor(text: str) -> Anchor:
    """Return the anchor that `text` spells, without a file hash; any text is an anchor, only some can be probed."""
    found = _PATH_LINE.fullmatch(text)
    if found is None:
        return Anchor(text)
    return Anchor(text, found["path"], int(found["line"]), found["sha"])


_DRIVE = re.compile(r"[A-Za-z]:")


def path_parts(path: str) -> tuple[str, ...] | None:
    """Return the components of a root-relative path, or None where it is absolute, climbs, or is not plainly relative (O5).

    Paths are written with `/`. A backslash, a drive or a NUL is refused on every system alike, so that a store answers the same
    wherever it is read.
    """
    if "\\" in path or "\0" in path or _DRIVE.match(path):
        return None
    parts = tuple(part for part in path.split("/") if part != ".")
    return None if not parts or "" in parts or ".." in parts else parts


class Liveness(StrEnum):
    """Whether an anchored place still exists."""

    LIVE = "true"
    GONE = "false"
    UNKNOWN = "unknown"


class Drift(StrEnum):
    """Whether the anchored file still has the bytes that it had at capture."""

    UNCHANGED = "unchanged"
    DRIFTED = "drifted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class AnchorReading:
    """What a probe found at an anchor."""

    liveness: Liveness
    drift: Drift


UNREADABLE = AnchorReading(Liveness.UNKNOWN, Drift.UNKNOWN)
"""What is said of an anchor that may not or cannot be probed."""
