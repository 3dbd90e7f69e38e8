"""Whether a destination can be searched, and how its indexes stand, for whoever runs the service (case L8)."""

from collections.abc import Mapping
from dataclasses import dataclass

from recordance.domain.embedding import DEFAULT_SPACE
from recordance.ports.models import NO_MODELS, Models
from recordance.query.document import TermQuery
from recordance.query.exclusion import Eligibility
from recordance.query.fence import Scope
from recordance.query.terms import expand, read_terms
from recordance.usecases.embed_stored import waiting
from recordance.usecases.store import Store
from recordance.usecases.term_lane import corpus_of, term_lane

_ASKED = "recordance readiness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The journal's head, the rows of it that each index has not taken up, and how many misses could not be noted.

    `unembedded` is how many capsules the embedder has yet to embed, by its model's name; nothing where there is none.
    """

    head: int
    waiting: Mapping[str, int]
    misses_lost: int
    unembedded: Mapping[str, int]


def prove_search(store: Store) -> None:
    """Take the way of a recall through the truth and the term index, and note nothing; raises what a recall would raise."""
    at = store.clock.now()
    with store.terms.at_head() as view:
        query = TermQuery(groups=expand(read_terms([_ASKED]), {}), scope=Scope(), eligibility=Eligibility(at=at))
        lane = term_lane(view, query, corpus_of(view.reader, None, Scope()), at)
        view.terms.tally(query)
        lane.best(1)


def standing(store: Store, models: Models = NO_MODELS) -> Standing:
    """Return how a store stands, and how far the service's models are with it."""
    terms = store.terms.status()
    indexes = {"terms": terms, **{_index(space): vectors.status() for space, vectors in store.followed().items()}}
    with store.truth.reading() as reader:
        unembedded = {space: waiting(reader, space) for space in (models.embedding,) if space is not None}
    return Standing(
        head=terms.head,
        waiting={name: each.head - each.applied for name, each in indexes.items()},
        misses_lost=store.misses.lost,
        unembedded=unembedded,
    )


def _index(space: str) -> str:
    return "vectors" if space == DEFAULT_SPACE else f"vectors of {space}"
