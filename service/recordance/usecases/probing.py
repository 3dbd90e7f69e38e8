"""Whether a destination can be searched, and how its indexes stand, for whoever runs the service (case L8)."""

from collections.abc import Mapping
from dataclasses import dataclass

from recordance.query.document import TermQuery
from recordance.query.exclusion import Eligibility
from recordance.query.fence import Scope
from recordance.query.terms import expand, read_terms
from recordance.usecases.store import Store
from recordance.usecases.term_lane import corpus_of, term_lane

_ASKED = "recordance readiness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The journal's head, the rows of it that each index has not taken up, and how many misses could not be noted."""

    head: int
    waiting: Mapping[str, int]
    misses_lost: int


def prove_search(store: Store) -> None:
    """Take the way of a recall through the truth and the term index, and note nothing; raises what a recall would raise."""
    at = store.clock.now()
    with store.terms.at_head() as view:
        query = TermQuery(groups=expand(read_terms([_ASKED]), {}), scope=Scope(), eligibility=Eligibility(at=at))
        lane = term_lane(view, query, corpus_of(view.reader, None, Scope()), at)
        view.terms.tally(query)
        lane.best(1)


def standing(store: Store) -> Standing:
    """Return how a store stands."""
    terms, vectors = store.terms.status(), store.vectors.status()
    return Standing(
        head=terms.head,
        waiting={"terms": terms.head - terms.applied, "vectors": vectors.head - vectors.applied},
        misses_lost=store.misses.lost,
    )
