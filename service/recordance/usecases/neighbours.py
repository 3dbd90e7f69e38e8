"""Neighbours of hits: those that stand beside them in their session, and those one hop away (L14, L15).

One hop leads along a relation between two capsules, or by an entity that both bear. Everything is read inside all fences, and may
ground as the hits themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from recordance.domain.capsule import Capsule, CapsuleText
from recordance.domain.relation import RelationKind
from recordance.ports.truth import BrowseOrder, BrowseRequest
from recordance.query.fence import MarkFence, MarkField, entity_key, entity_marks
from recordance.ranking.links import Link, Linked, found_by, in_order
from recordance.usecases.looking import Look

MOST_ENTITIES = 24
"""Entities of the seeds by which neighbours are looked for: the first, in the order of the seeds."""
MOST_BEARERS = 50
"""Capsules of one entity that are considered, the most important first: what everything bears says little of anything."""

Known = tuple[Capsule, CapsuleText]


def beside(look: Look, number: int, each_side: int) -> tuple[Known, ...]:
    """Return what stands before and after a hit in its session, in append order (L14)."""
    if each_side == 0:
        return ()
    return _known(look, look.reader.beside(number, each_side, each_side, look.scope, look.eligibility))


def linked(look: Look, seeds: Sequence[Known], most: int) -> tuple[Linked, ...]:
    """Return up to `most` (≥ 1) capsules one hop from `seeds`, best first, none of which is a seed (L15)."""
    places = {capsule.number: place for place, (capsule, _) in enumerate(seeds, start=1)}
    found = found_by((*_related(look, places), *_sharing(look, seeds)), places)
    order = in_order(found, places)
    known = (each for part in _parts(order, 2 * most) for each in _known(look, part))
    return tuple(Linked(capsule, text, tuple(found[capsule.number])) for capsule, text in islice(known, most))


def _parts(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Yield them in parts: an epic has thousands of members, of which few are shown."""
    return (numbers[start : start + size] for start in range(0, len(numbers), size))


def _known(look: Look, numbers: Sequence[int]) -> tuple[Known, ...]:
    """Return those of `numbers` that may ground, as the truth has them: a relation leads anywhere (F4, F6, F13)."""
    capsules, texts = look.reader.capsules(numbers), look.reader.texts(numbers)
    pairs = ((capsules[number], texts[number]) for number in numbers if number in capsules and number in texts)
    return tuple((capsule, text) for capsule, text in pairs if look.may_ground(capsule, text))


def _related(look: Look, places: Mapping[int, int]) -> Iterator[tuple[int, Link]]:
    kinds = tuple(RelationKind)
    for each in look.reader.relations_from(list(places), kinds):
        yield each.target, Link(each.source, each.kind, 1.0)
    for each in look.reader.relations_to(list(places), kinds):
        yield each.source, Link(each.target, each.kind, 1.0)


def _sharing(look: Look, seeds: Sequence[Known]) -> Iterator[tuple[int, Link]]:
    for mark, borne in _entities(seeds).items():
        scope = look.scope.with_fences(MarkFence(MarkField.ENTITIES, entity_marks(mark)))
        page = look.reader.browsed(
            BrowseRequest(scope=scope, eligibility=look.eligibility, order=BrowseOrder.IMPORTANCE, limit=MOST_BEARERS)
        )
        for number in page.numbers:
            for seed, spelling in borne.items():
                yield number, Link(seed, spelling, 1.0 / page.total)


def _entities(seeds: Sequence[Known]) -> Mapping[str, Mapping[int, str]]:
    """Return the first entities of the seeds in the form that fences compare, with who bears each and how it is spelt there."""
    found: dict[str, dict[int, str]] = {}
    for capsule, text in seeds:
        for entity in text.entities:
            mark = entity_key(entity)
            if mark in found or len(found) < MOST_ENTITIES:
                found.setdefault(mark, {}).setdefault(capsule.number, entity)
    return found
