"""What is known for and against capsules, of which their warrant comes (O8)."""

from collections.abc import Mapping, Sequence

from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule
from recordance.domain.relation import RelationKind
from recordance.domain.trust import canonical_source
from recordance.domain.warrant import Backing, taken_back
from recordance.ports.truth import TruthReader
from recordance.usecases.authorship import revisers
from recordance.usecases.lookup import sees
from recordance.usecases.reliance import Reliance


def backings(reader: TruthReader, caller: Caller, capsules: Sequence[Capsule], reliance: Reliance) -> Mapping[int, Backing]:
    """Return what backs each capsule: judgements, the git witness, and the sources and keys of it and of what stands with it.

    With a capsule stand those that support it, those that it is derived from, and those of equal content; of them only what the
    caller may see (F13) and what nobody has taken back.
    """
    numbers = [each.number for each in capsules]
    feedback, verdicts = reader.feedback(numbers), reader.corroborations(numbers)
    beside = _beside(reader, capsules)
    voices = _voices(reader, caller, {*numbers, *(number for each in beside.values() for number in each)}, reliance)
    return {
        (number := capsule.number): Backing(
            feedback=feedback.get(number, ()),
            revisers=revisers(reader, capsule) if number in feedback else frozenset(),
            corroboration=verdicts.get(number),
            sources=frozenset(source for each in (number, *beside[number]) if (source := voices.get(each, _MUTE)[0])),
            keys=frozenset(key for each in (number, *beside[number]) if (key := voices.get(each, _MUTE)[1])),
        )
        for capsule in capsules
    }


_MUTE: tuple[str | None, str | None] = (None, None)


def _beside(reader: TruthReader, capsules: Sequence[Capsule]) -> Mapping[int, set[int]]:
    beside: dict[int, set[int]] = {each.number: set() for each in capsules}
    for relation in reader.relations_to(list(beside), [RelationKind.SUPPORTS]):
        beside[relation.target].add(relation.source)
    for relation in reader.relations_from(list(beside), [RelationKind.DERIVED_FROM]):
        beside[relation.source].add(relation.target)
    equal: dict[str, set[int]] = {}
    for known in reader.known_contents({each.content_digest for each in capsules}):
        equal.setdefault(known.digest, set()).add(known.number)
    for each in capsules:
        beside[each.number] |= equal.get(each.content_digest, set()) - {each.number}
    return beside


def _voices(
    reader: TruthReader, caller: Caller, numbers: set[int], reliance: Reliance
) -> Mapping[int, tuple[str | None, str | None]]:
    """Return the source and the proven key of each capsule that speaks for another."""
    capsules, texts = reader.capsules(numbers), reader.texts(numbers)
    return {
        number: (canonical_source(text.source), reliance.key_of(text.signature, capsules[number].content_digest))
        for number, text in texts.items()
        if sees(caller, capsules[number]) and not taken_back(capsules[number])
    }
