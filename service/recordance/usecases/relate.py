"""Relating capsules, and taking a relation back (W3)."""

from recordance.answer.settled import related_view
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule
from recordance.domain.destination import Naming
from recordance.domain.graph import leads_to
from recordance.domain.relation import ACYCLIC, Relation, RelationKind
from recordance.domain.supersession import RETIRING, lifted, related, retired, unrelated
from recordance.errors import InvalidArgument, Json, MissingState, StateKind
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility, proposed, quarantined
from recordance.usecases.addressing import place_of
from recordance.usecases.lookup import sees, unforgotten, visible
from recordance.usecases.store import Destinations

MOST_LISTED = 8
"""How many relations a lesson names."""


def relate(
    destinations: Destinations, caller: Caller, destination: str | None, kind: RelationKind, source: str, target: str
) -> dict[str, Json]:
    """Let `source` stand in `kind` to `target` (ids) and answer `{status: created | already, kind, from, to, to_state?}`.

    Raises MissingState when an end is unknown or forgotten, InvalidArgument for ends in two destinations, a relation to itself,
    one that would close a circle, or one by which a proposal or a quarantined capsule would retire another.
    """
    store = destinations.writing(caller, place_of(destinations, caller, destination, {"from": source, "to": target}))
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        ends = unforgotten(writer, caller, store.naming, source), unforgotten(writer, caller, store.naming, target)
        relation = Relation(kind, ends[0].number, ends[1].number, now.at)
        if _standing(writer, relation) is not None:
            return related_view("already", relation, ends[1], store.naming, now)
        _check(writer, relation, ends[0], store.naming, now)
        changes = related(relation)
        if kind in RETIRING:
            changes = changes.then(retired(ends[1], relation))
        writer.apply(changes, caller.actor, now.at)
        return related_view("created", relation, writer.capsules([relation.target])[relation.target], store.naming, now)


def unrelate(
    destinations: Destinations, caller: Caller, destination: str | None, kind: RelationKind, source: str, target: str
) -> dict[str, Json]:
    """End the relation and answer `{status: removed, kind, from, to, to_state?}`; raises MissingState when there is none.

    An end may have been forgotten: what it retired is taken back so, and in no other way (W3).
    """
    store = destinations.writing(caller, place_of(destinations, caller, destination, {"from": source, "to": target}))
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        ends = visible(writer, caller, store.naming, source), visible(writer, caller, store.naming, target)
        wanted = Relation(kind, ends[0].number, ends[1].number, now.at)
        relation = _standing(writer, wanted)
        if relation is None:
            raise _unknown(writer, caller, store.naming, wanted)
        changes = unrelated(relation, now.at)
        if kind in RETIRING and ends[1].standing.tombstoned_at is None:
            remaining = [each for each in writer.relations_to([relation.target], [kind]) if each.source != relation.source]
            changes = changes.then(lifted(ends[1], relation, remaining, now.at))
        writer.apply(changes, caller.actor, now.at)
        return related_view("removed", relation, writer.capsules([relation.target])[relation.target], store.naming, now)


def _standing(reader: TruthReader, wanted: Relation) -> Relation | None:
    found = reader.relations_from([wanted.source], [wanted.kind])
    return next((relation for relation in found if relation.target == wanted.target), None)


def _check(reader: TruthReader, relation: Relation, source: Capsule, naming: Naming, now: Eligibility) -> None:
    to, kind = naming.id(relation.target), relation.kind
    if relation.source == relation.target:
        raise InvalidArgument("to", to, "another capsule than from", "a capsule stands in no relation to itself")
    if kind in RETIRING and (proposed(source, now) or quarantined(source, now)):
        state, step = ("a proposal", "ratify") if proposed(source, now) else ("quarantined", "release")
        expected = f"it again once memory_review has said {step}, or relate it with kind proposes"
        raise InvalidArgument("from", naming.id(relation.source), expected, f"it is {state} and may not retire another")
    if kind in ACYCLIC and _closes_a_circle(reader, relation):
        why = f"{to} leads to {naming.id(relation.source)} by {kind.value} already, so this would close a circle"
        raise InvalidArgument("to", to, "a capsule from which no such way leads back", why)


def _closes_a_circle(reader: TruthReader, relation: Relation) -> bool:
    return leads_to(
        relation.target,
        relation.source,
        forward=lambda front: [each.target for each in reader.relations_from(front, [relation.kind])],
        backward=lambda front: [each.source for each in reader.relations_to(front, [relation.kind])],
    )


def _unknown(reader: TruthReader, caller: Caller, naming: Naming, wanted: Relation) -> MissingState:
    """Return the lesson that there is no such relation, with those that there are."""
    standing = reader.relations_from([wanted.source], list(RelationKind))
    capsules = reader.capsules([relation.target for relation in standing])
    seen = [f"{each.kind.value} {naming.id(each.target)}" for each in standing if sees(caller, capsules[each.target])]
    source = naming.id(wanted.source)
    named = f"{source} {wanted.kind.value} {naming.id(wanted.target)}"
    there = f"{source} stands in these: {', '.join(seen[:MOST_LISTED])}" if seen else f"{source} stands in no relation"
    return MissingState(StateKind.UNKNOWN_RELATION, named, there)
