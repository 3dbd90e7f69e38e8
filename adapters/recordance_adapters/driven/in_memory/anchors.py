"""A repository of anchors in memory: files are bytes by their path."""

import hashlib
from collections.abc import MutableMapping

from recordance.domain.provenance import UNREADABLE, Anchor, AnchorReading, Drift, Liveness, path_parts


class MemoryAnchors:
    """Probes the files of a dict, which may be changed between probes (see AnchorProbe)."""

    def __init__(self, files: MutableMapping[str, bytes]) -> None:
        self._files = files

    def file_hash(self, anchor: Anchor) -> str | None:
        """See AnchorProbe."""
        content = self._content(anchor)
        return None if content is None else hashlib.sha256(content).hexdigest()

    def read(self, anchor: Anchor) -> AnchorReading:
        """See AnchorProbe: a path with a line is gone when the file is, or when it has fewer lines."""
        if anchor.path is None or anchor.line is None or path_parts(anchor.path) is None:
            return UNREADABLE
        content = self._content(anchor)
        if content is None:
            return AnchorReading(Liveness.GONE, Drift.UNKNOWN)
        liveness = Liveness.LIVE if anchor.line <= len(content.splitlines()) else Liveness.GONE
        return AnchorReading(liveness, self._drift(anchor))

    def _content(self, anchor: Anchor) -> bytes | None:
        parts = None if anchor.path is None else path_parts(anchor.path)
        return None if parts is None else self._files.get("/".join(parts))

    def _drift(self, anchor: Anchor) -> Drift:
        if anchor.file_hash is None:
            return Drift.UNKNOWN
        return Drift.UNCHANGED if self.file_hash(anchor) == anchor.file_hash else Drift.DRIFTED
