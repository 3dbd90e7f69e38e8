"""What is known for and against capsules, of which their warrant comes (O8)."""

from collections.abc import Mapping, Sequence

from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule
from recordance.domain.instant import Instant
from recordance.domain.relation import RelationKind
from recordance.domain.trust import canonical_source
from recordance.domain.warrant import Backing, taken_back
from recordance.ports.truth import TruthReader
from recordance.usecases.authorship import rewritings
from recordance.usecases.lookup import sees
from recordance.usecases.reliance import Reliance


def backings(reader: TruthReader, caller: Caller, capsules: Sequence[Capsule], reliance: Reliance) -> Mapping[int, Backing]:
    """Return what backs each capsule: judgements, the git witness, and the sources and keys of it and of what stands with it.

    With a capsule stand those that support it, those that it is derived from, and those of equal content; of them only what the
    caller may see (F13) and what nobody has taken back. What was said for former words of a capsule is nothing for those that it
    says now (W13): it has lapsed.
    """
    numbers = [each.number for each in capsules]
    feedback, verdicts = reader.feedback(numbers), reader.corroborations(numbers)
    rows = {each.number: rewritings(reader, each) for each in capsules}
    since = {number: written[-1].at for number, written in rows.items() if written}
    beside, lapsed = _beside(reader, capsules, since)
    voices = _voices(reader, caller, {*numbers, *(number for each in beside.values() for number in each)}, reliance)
    found = {}
    for number in numbers:
        of = feedback.get(number, ())
        counting = [each for each in of if each.at >= since.get(number, each.at)]
        verdict = verdicts.get(number)
        standing = verdict if verdict is not None and verdict.at >= since.get(number, verdict.at) else None
        found[number] = Backing(
            feedback=counting,
            revisers=frozenset(row.actor for row in rows[number]),
            corroboration=standing,
            sources=frozenset(source for each in (number, *beside[number]) if (source := voices.get(each, _MUTE)[0])),
            keys=frozenset(key for each in (number, *beside[number]) if (key := voices.get(each, _MUTE)[1])),
            lapsed=number in lapsed or len(counting) < len(of) or standing is not verdict,
        )
    return found


_MUTE: tuple[str | None, str | None] = (None, None)


def _beside(
    reader: TruthReader, capsules: Sequence[Capsule], since: Mapping[int, Instant]
) -> tuple[Mapping[int, set[int]], set[int]]:
    """Return who stands with each capsule, and those with which somebody stood before they were rewritten."""
    beside: dict[int, set[int]] = {each.number: set() for each in capsules}
    supporting = reader.relations_to(list(beside), [RelationKind.SUPPORTS])
    derived = reader.relations_from(list(beside), [RelationKind.DERIVED_FROM])
    stands = [(each.target, each.source, each.at) for each in supporting]
    stands += [(each.source, each.target, each.at) for each in derived]
    for number, other, at in stands:
        if at >= since.get(number, at):
            beside[number].add(other)
    lapsed = {number for number, _, at in stands if at < since.get(number, at)}
    equal: dict[str, set[int]] = {}
    for known in reader.known_contents({each.content_digest for each in capsules}):
        equal.setdefault(known.digest, set()).add(known.number)
    for each in capsules:
        beside[each.number] |= equal.get(each.content_digest, set()) - {each.number}
    return beside, lapsed


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
