"""The graph lane: what the best hits are related to, either way, and then what shares an entity with them (L10).

It goes one hop from hits that another lane found, so that it never finds anything where none did (case G1). What very many bear
or hang on says little of anything: it is left aside.
"""

from collections.abc import Iterator, Mapping, Sequence

from recordance.domain.relation import RelationKind
from recordance.ports.truth import BrowseOrder, BrowseRequest
from recordance.query.fence import MarkFence, MarkField, entity_key, entity_marks
from recordance.ranking.pipeline import LaneHit
from recordance.usecases.looking import Look

MOST_SEEDS = 5
"""From how many of the best hits the lane goes on."""
MOST_ENTITIES = 12
"""How many of their entities it looks at: the first, in the order of the hits."""
HUB = 200
"""An entity that more capsules bear, or a hit that more are related to, is a hub, and leads nowhere."""


def graph_hits(look: Look, seeds: Sequence[int], most: int) -> tuple[LaneHit, ...]:
    """Return up to `most` capsules one hop from `seeds` (best first) that may ground, none of which is a seed.

    Each link counts 1 ÷ the place of its seed, an entity's also ÷ how many bear it. What is related stands above what only shares
    an entity; of those the higher sums come first, equal ones in append order.
    """
    places = {number: place for place, number in enumerate(seeds, start=1)}
    related, sharing = _summed(_related(look, places)), _summed(_sharing(look, places))
    fit = _grounding(look, [number for number in related if number not in places])
    scores = {number: 0.5 * _bounded(worth) for number, worth in sharing.items() if number not in places}
    scores |= {number: 0.5 + 0.5 * _bounded(related[number]) for number in fit}
    order = sorted(scores, key=lambda number: (-scores[number], number))[:most]
    return tuple(LaneHit(number, scores[number], scores[number]) for number in order)


Worth = tuple[int, float]
"""A capsule, and what one link to it counts."""


def _related(look: Look, places: Mapping[int, int]) -> Iterator[Worth]:
    kinds = tuple(RelationKind)
    ways = [(each.source, each.target) for each in look.reader.relations_from(list(places), kinds)]
    ways += [(each.target, each.source) for each in look.reader.relations_to(list(places), kinds)]
    for seed, place in places.items():
        others = {other for own, other in ways if own == seed}
        if len(others) <= HUB:
            yield from ((other, 1.0 / place) for other in others)


def _sharing(look: Look, places: Mapping[int, int]) -> Iterator[Worth]:
    for mark, borne in _entities(look, places).items():
        scope = look.scope.with_fences(MarkFence(MarkField.ENTITIES, entity_marks(mark)))
        request = BrowseRequest(scope=scope, eligibility=look.eligibility, order=BrowseOrder.APPENDED, limit=HUB)
        page = look.reader.browsed(request)
        if page.total <= HUB:
            yield from ((number, 1.0 / (place * page.total)) for number in page.numbers for place in borne)


def _entities(look: Look, places: Mapping[int, int]) -> Mapping[str, Sequence[int]]:
    """Return the first entities of the seeds in the form that fences compare, with the places of those who bear each."""
    texts = look.reader.texts(list(places))
    found: dict[str, list[int]] = {}
    for number, place in places.items():
        marks = dict.fromkeys(map(entity_key, texts[number].entities)) if number in texts else {}
        for mark in marks:
            if mark in found or len(found) < MOST_ENTITIES:
                found.setdefault(mark, []).append(place)
    return found


def _grounding(look: Look, numbers: Sequence[int]) -> Sequence[int]:
    """Return those that the fences admit and that may ground: a relation leads anywhere (F4, F6, F13)."""
    capsules, texts = look.reader.capsules(numbers), look.reader.texts(numbers)
    known = [number for number in numbers if number in capsules and number in texts]
    return [number for number in known if look.may_ground(capsules[number], texts[number])]


def _summed(links: Iterator[Worth]) -> Mapping[int, float]:
    """Add the links of each capsule up; the sum is rounded, so that no order of adding makes a difference."""
    sums: dict[int, float] = {}
    for number, worth in links:
        sums[number] = sums.get(number, 0.0) + worth
    return {number: round(total, 12) for number, total in sums.items()}


def _bounded(worth: float) -> float:
    return worth / (1.0 + worth)
