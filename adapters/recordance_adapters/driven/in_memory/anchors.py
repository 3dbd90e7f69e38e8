"""A repository of anchors in memory: files are bytes by their path."""

import hashlib
from collections.abc import MutableMapping

from recordance.domain.provenance import UNREADABLE, Anchor, AnchorReading, Drift, Liveness


class MemoryAnchors:
    """Probes the files of a dict, which may be changed between probes (see AnchorProbe)."""

    def __init__(self, files: MutableMapping[str, bytes]) -> None:
        self._files = files

    def file_hash(self, anchor: Anchor) -> str | None:
        """See AnchorProbe."""
        content = None if anchor.path is None or _barred(anchor.path) else self._files.get(anchor.path)
        return None if content is None else hashlib.sha256(content).hexdigest()

    def read(self, anchor: Anchor) -> AnchorReading:
        """See AnchorProbe: a path with a line is gone when the file is, or when it has fewer lines."""
        if anchor.path is None or anchor.line is None or _barred(anchor.path):
            return UNREADABLE
        content = self._files.get(anchor.path)
        if content is None:
            return AnchorReading(Liveness.GONE, Drift.UNKNOWN)
        liveness = Liveness.LIVE if anchor.line <= len(content.splitlines()) else Liveness.GONE
        return AnchorReading(liveness, self._drift(anchor))

    def _drift(self, anchor: Anchor) -> Drift:
        if anchor.file_hash is None:
            return Drift.UNKNOWN
        return Drift.UNCHANGED if self.file_hash(anchor) == anchor.file_hash else Drift.DRIFTED


def _barred(path: str) -> bool:
    """Whether the root fence follows no such path: absolute, climbing, or not plainly relative (O5)."""
    return not {"", ".."}.isdisjoint(path.split("/")) or any(sign in path for sign in ("\\", "\0"))
