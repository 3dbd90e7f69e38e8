"""The premises of a store in memory: the places of any store, of which nothing ever lay in most."""

from collections.abc import Sequence

from recordance.domain.place import BACKUPS, IDLE, LOG, OUTSIDE, TERM_INDEX, TRUTH, VECTOR_INDEX, Place, PlaceState


class MemoryPremises:
    """Premises without a file (see Premises): the truth's rows and the indexes of this process are all there is."""

    def purge(self, seq: int) -> Sequence[Place]:  # noqa: ARG002 - it makes no difference what lay nowhere
        """See Premises."""
        purged = [Place(name, PlaceState.PURGED) for name in (TRUTH, LOG, TERM_INDEX, VECTOR_INDEX, IDLE, BACKUPS)]
        return (*purged, *OUTSIDE)

    def tidy(self, seq: int) -> Sequence[Place]:
        """See Premises."""
        return self.purge(seq)

    def settle(self, seq: int) -> bool:  # noqa: ARG002 - whatever was forgotten
        """See Premises."""
        return True
