"""What a store is asked before a batch is decided, inside the one writing transaction (W1, W7)."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.capture import Planned
from recordance.domain.embedding import DEFAULT_SPACE, Space
from recordance.domain.forgetting import content_mac
from recordance.domain.relation import RelationKind
from recordance.domain.similarity import Similar
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility, first_exclusion
from recordance.usecases.deciding import InProject, Known

MOST_SUPERSEDERS = 100
"""How far a chain of superseders is followed to its living end (W1); each step is a question to the store."""


def gather(
    reader: TruthReader, items: Sequence[Planned], similar: Mapping[int, Sequence[Similar]] | None, now: Eligibility
) -> Known:
    """Return what the store holds that bears on these items; `similar` is what was found like them, by place."""
    equal, holders = _equal(reader, items), _holders(reader, items)
    forgotten = _forgotten(reader, items)
    named = {number for item in items for number in item.draft.supersedes}
    alike = {each.number for found in (similar or {}).values() for each in found}
    capsules = dict(reader.capsules({*_all(equal), *_all(holders), *named, *forgotten.values(), *alike}))
    capsules |= _superseders(reader, capsules)
    embeds = any(item.draft.embedding is not None for item in items)
    return Known(
        last_number=reader.last_number(),
        contents={key: _preferred([capsules[number] for number in numbers], now) for key, numbers in equal.items()},
        holders=holders,
        capsules=capsules,
        texts=reader.texts(_all(equal)) if equal else {},
        forgotten=forgotten,
        superseded=_superseded(reader, {number for item in items for number in equal.get((item.project, item.digest), ())}),
        similar=similar,
        space=occupied_space(reader) if embeds else None,
        vectors=reader.vectors(DEFAULT_SPACE, _all(equal)) if embeds and equal else {},
    )


def occupied_space(reader: TruthReader) -> Space | None:
    """Return the callers' vector space; None while it has no vectors, so that the next one decides its dimension (W4)."""
    found = reader.space(DEFAULT_SPACE)
    return found.space if found is not None and found.vectors else None


def _equal(reader: TruthReader, items: Sequence[Planned]) -> Mapping[InProject, Sequence[int]]:
    wanted = {(item.project, item.digest) for item in items}
    found = reader.known_contents({digest for _, digest in wanted})
    return _grouped(((each.project_id, each.digest), each.number) for each in found if (each.project_id, each.digest) in wanted)


def _holders(reader: TruthReader, items: Sequence[Planned]) -> Mapping[InProject, Sequence[int]]:
    wanted = {(item.project, key) for item in items if (key := item.labels.get(LabelField.KEY)) is not None}
    found = reader.keyed({key for _, key in wanted}) if wanted else ()
    return _grouped(((each.project_id, each.key), each.number) for each in found if (each.project_id, each.key) in wanted)


def _forgotten(reader: TruthReader, items: Sequence[Planned]) -> Mapping[str, int]:
    key = reader.identity().key
    macs = {content_mac(item.digest, key): item.digest for item in items}
    return {macs[mac]: number for mac, number in reader.forgotten(macs.keys()).items()} if macs else {}


def _superseded(reader: TruthReader, sources: AbstractSet[int]) -> frozenset[tuple[int, int]]:
    relations = reader.relations_from(sources, [RelationKind.SUPERSEDES]) if sources else ()
    return frozenset((relation.source, relation.target) for relation in relations)


def _superseders(reader: TruthReader, dead: Mapping[int, Capsule]) -> Mapping[int, Capsule]:
    """Return what superseded these capsules, what superseded that, and so on."""
    found: dict[int, Capsule] = {}
    front: Iterable[Capsule] = dead.values()
    for _ in range(MOST_SUPERSEDERS):
        wanted = {by for capsule in front if (by := capsule.standing.superseded_by) is not None}
        wanted -= dead.keys() | found.keys()
        if not wanted:
            break
        new = reader.capsules(wanted)
        found |= new
        front = new.values()
    return found


def _preferred(capsules: Sequence[Capsule], now: Eligibility) -> int:
    """Return the capsule that an equal content collapses onto: one that may ground, else the oldest.

    Merged stores may hold a content several times in one project.
    """
    return min(capsules, key=lambda capsule: (first_exclusion(capsule, now) is not None, capsule.number)).number


def _grouped(pairs: Iterable[tuple[InProject, int]]) -> dict[InProject, list[int]]:
    groups: dict[InProject, list[int]] = {}
    for key, number in pairs:
        groups.setdefault(key, []).append(number)
    return groups


def _all(groups: Mapping[InProject, Sequence[int]]) -> set[int]:
    return {number for numbers in groups.values() for number in numbers}
