"""Purging: what was forgotten leaves every place of its store, at once where that can be, else as soon as it can (W6)."""

from collections.abc import Callable, Sequence
from typing import Protocol

from recordance.domain.place import Place
from recordance.ports.premises import Premises
from recordance.ports.truth import Truth
from recordance.usecases.follow import TermFollower


class Committing(Protocol):
    """A follower whose commit leaves no byte of what was forgotten up to the truth's head in its index."""

    def commit(self) -> None:
        """Bring the index up to the truth's head, durably."""
        ...


class Purger:
    """Purges one store as this process sees it. Safe for threads.

    `begin` asks those in the background who run `catch_up`, and who commit the vectors, to do so now, and returns at once; left
    out, there is nobody, and both are done in the call itself. `spaces` are what follows the vectors of models, `beyond` are the
    places outside that contents are sent to.
    """

    def __init__(
        self,
        truth: Truth,
        terms: TermFollower,
        vectors: Committing,
        premises: Premises,
        begin: Callable[[], None] | None = None,
        spaces: Sequence[Committing] = (),
        beyond: Sequence[Place] = (),
    ) -> None:
        self._truth = truth
        self._terms = terms
        self._vectors = (vectors, *spaces)
        self._premises = premises
        self._beyond = tuple(beyond)
        self._begin = begin or self._purge_indexes
        self._tidied = 0

    def purge(self, seq: int) -> Sequence[Place]:
        """Purge what was forgotten up to the journal row `seq` and return every place as it is within the premises' bound.

        The indexes of this process are among the places that are waited for, so that one that is busy does not hold the answer
        up, and many that are forgotten at once leave them together.
        """
        self._begin()
        return (*self._premises.purge(seq), *self._beyond)

    def catch_up(self) -> bool:
        """Purge whatever was forgotten, by anybody, and was not purged from here yet; return whether nothing is left.

        For the background: a forget of another process, or one whose process died before it could purge.
        """
        with self._truth.reading() as reader:
            forgotten = reader.forgotten_after(self._tidied)
        if not forgotten:
            return True
        self._terms.purge()
        last = forgotten[-1].seq
        if not self._premises.settle(last):
            return False
        self._tidied = last
        return True

    def _purge_indexes(self) -> None:
        self._terms.purge()
        self._terms.commit()
        for vectors in self._vectors:
            vectors.commit()
