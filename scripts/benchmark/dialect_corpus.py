"""The bench's capsules with what the dialects ask for: vectors, sessions, sources, entities, statements and relations."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

from benchmark import corpus
from benchmark.dialect_requests import Question

TRUSTED = "wiki"
"""The source of every twentieth capsule, which the service is told to trust."""
ENTITIES = 500
"""How many names there are; the first are borne by many, the last by few."""
SESSION = 20
STATEMENT = 50
"""Capsules a session, and how many capsules there are to one statement about entities."""
RELATIONS = 500
WORDS = 3
OTHERS = 2


def items(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield `count` items for `memory_store`; every other one belongs to no project."""
    chance = random.Random(seed)
    for place, (item, vector) in enumerate(zip(corpus.capsules(count, seed), corpus.vectors(seed), strict=False)):
        item |= {"embedding": vector, "session_id": f"session-{place // SESSION}", "entities": _entities(chance)}
        if place % 2 == 0:
            del item["project_id"]
        if place % SESSION == 0:
            item["source"] = TRUSTED
        if place % STATEMENT == 0:
            one, other = item["entities"]
            item |= {"kind": "relation", "metadata": {"from": one, "type": "uses", "to": other}}
        yield item


def relations(count: int, seed: int) -> Iterator[dict[str, str]]:
    """Yield what `memory_relate` is called with, between neighbours among `count` capsules."""
    chance = random.Random(seed)
    for source in chance.sample(range(2, count + 1), min(RELATIONS, count // 2)):
        yield {"kind": "supports", "from": f"cap-{source}", "to": f"cap-{source - 1}"}


def questions(count: int, size: int, seed: int) -> list[Question]:
    """Return `count` questions to a store of `size`: three words from the beginning of a capsule that every scope admits."""
    stored = itertools.islice(corpus.capsules(size, seed), None, None, 2)
    lasting = [item["content"].split()[:WORDS] for item in itertools.islice(stored, 2 * count + OTHERS) if "valid_to" not in item]
    chance, near = random.Random(seed + 2), corpus.vectors(seed + 2)
    return [_question(lasting, place % len(lasting), next(near), chance) for place in range(count)]


def _question(lasting: list[list[str]], place: int, vector: list[float], chance: random.Random) -> Question:
    others = [" ".join(lasting[(place + step) % len(lasting)]) for step in range(1, OTHERS + 1)]
    return Question(lasting[place], others, vector, _entities(chance)[0])


def _entities(chance: random.Random) -> list[str]:
    """Return two different names."""
    one = int(ENTITIES * chance.random() ** 2)
    return [f"service {one}", f"service {(one + chance.randint(1, 20)) % ENTITIES}"]
