"""The anchor port: what a repository says of the places that capsules speak of (O5)."""

from typing import Protocol

from recordance.domain.provenance import Anchor, AnchorReading


class AnchorProbe(Protocol):
    """Looks below one configured root and never leaves it: no symlink, no `..`, no absolute path.

    Neither method raises; what cannot be read is unknown.
    """

    def file_hash(self, anchor: Anchor) -> str | None:
        """Return the SHA-256 (64 hex digits) of the anchored file as it is now, or None where it may not or cannot be read."""
        ...

    def read(self, anchor: Anchor) -> AnchorReading:
        """Return whether the anchored path and line exist, and whether the file still has the hash taken at capture."""
        ...
