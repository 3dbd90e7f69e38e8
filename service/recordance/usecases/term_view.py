"""The term index of one recall: a replica's snapshot and the overlay above it, as one."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from recordance.errors import ReplicaDamaged
from recordance.ports.terms import Horizon, Proposals, Tally
from recordance.query.document import TermQuery
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import Scope
from recordance.query.text_services import PLAIN, TextServices
from recordance.ranking.keys import text_key_of
from recordance.ranking.scoring import Scorer, Weights
from recordance.usecases.overlay import Stand

Answer = TypeVar("Answer")
Recover = Callable[[Stand], Stand]
"""Called with a stand whose replica turned out to be damaged; returns one as of the same seq over a rebuilt replica."""


class OverlaidTerms:
    """A TermView over one stand. A damaged replica is recovered once, and the question asked again."""

    def __init__(self, stand: Stand, recover: Recover, services: TextServices = PLAIN) -> None:
        self._services = services
        self._stand = stand
        self._recover = recover
        self._judged: tuple[TermQuery, Mapping[int, ExclusionReason | None]] | None = None

    def proposals(self, query: TermQuery, count: int, weights: Weights) -> Proposals:
        """Return what the replica proposes and the overlay's best; what either leaves out is not above the higher horizon."""
        below = self._ask(lambda stand: stand.snapshot.proposals(query, stand.overlay.masked, count, weights))
        above = self._best_overlaid(query, count, weights)
        horizons = [each for each in (below.horizon, above.horizon) if each is not None]
        highest = min(horizons, key=text_key_of(query.order), default=None)
        return Proposals(below.numbers + above.numbers, highest, below.floor)

    def frequencies(self, words: Collection[str], scope: Scope) -> Mapping[str, int]:
        """Return the exact document frequency of each word inside `scope`."""
        return self._ask(lambda stand: stand.frequencies(words, scope))

    def words_from(self, beginning: str) -> Collection[str]:
        """Return every word of the contents that begins so; words may be among them that no document has any more."""
        return self._ask(lambda stand: {*stand.snapshot.words_from(beginning), *stand.overlay.index.words_from(beginning)})

    def tally(self, query: TermQuery) -> Tally:
        """Return the exact counts of all matches."""
        below = self._ask(lambda stand: stand.snapshot.tally(query, stand.overlay.masked))
        above = Counter(self._overlaid(query).values())
        excluded = {reason: count for reason in ExclusionReason if (count := below.excluded.get(reason, 0) + above[reason])}
        return Tally(below.eligible + above[None], excluded)

    def _overlaid(self, query: TermQuery) -> Mapping[int, ExclusionReason | None]:
        """Judge the overlay's matches; once for all questions about one query."""
        if self._judged is None or self._judged[0] is not query:
            self._judged = (query, self._stand.overlay.index.judged(query))
        return self._judged[1]

    def _best_overlaid(self, query: TermQuery, count: int, weights: Weights) -> Proposals:
        """Return the overlay's eligible matches, the best of them by exact scores if there are more than `count`."""
        numbers = [number for number, reason in self._overlaid(query).items() if reason is None]
        if len(numbers) <= count:
            return Proposals(tuple(numbers), None)
        index, scorer = self._stand.overlay.index, Scorer(query.groups, weights, self._services)
        found = [scorer.strength(number, index.document(number).words) for number in numbers]
        ranked = sorted((each for each in found if each is not None), key=text_key_of(query.order))
        rest = ranked[count]
        return Proposals(tuple(each.number for each in ranked[:count]), Horizon(rest.coverage, rest.bm25, rest.inexact))

    def _ask(self, question: Callable[[Stand], Answer]) -> Answer:
        try:
            return question(self._stand)
        except ReplicaDamaged:
            self._stand = self._recover(self._stand)
            self._judged = None
            return question(self._stand)
