"""Embeddings for capsules that are stored: attached, replaced, or refused one by one (W4, L2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.attached import attached_results, attached_view
from recordance.domain.attaching import Attached, attached, entered
from recordance.domain.caller import Caller, Permission
from recordance.domain.capsule import Capsule
from recordance.domain.change import ChangeSet
from recordance.domain.destination import Naming
from recordance.domain.embedding import DEFAULT_SPACE, Space, Vector
from recordance.domain.instant import Instant
from recordance.errors import InvalidArgument, Json, Refusal
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import Eligibility
from recordance.usecases.addressing import place_of
from recordance.usecases.gathering import occupied_space
from recordance.usecases.lookup import named, unforgotten_among
from recordance.usecases.parting import Part, parted, stitched
from recordance.usecases.store import Destinations, Store, check_permission


@dataclass(frozen=True, slots=True)
class Attachment:
    """A vector that is finite and not all zero, for the capsule with this id; `model` made it, None if nobody says."""

    id: str
    vector: Vector
    model: str | None = None


Result = Attached | Refusal


def attach(
    destinations: Destinations, caller: Caller, destination: str | None, items: Sequence[Attachment | Refusal]
) -> dict[str, Json]:
    """Attach a batch and answer `{results, attached, unchanged, rejected, space?}`.

    Each destination's part is one transaction there, and `space` is a store's; where several took some, `spaces` has each one's.
    Results are in the order of the items, each judged by what the ones before it did; the first vector of a store decides the
    dimension of all. An item that is a Refusal was refused before it came here: it is `rejected` and blocks nobody, and so are
    the items of a destination that fails, among several. Raises MissingState for an unknown destination or a caller who may not
    write.
    """
    check_permission(caller, Permission.WRITE)
    stated = None if destination is None else destinations.named(caller, destination)

    def home(place: int, item: Attachment) -> str:
        try:
            return place_of(destinations, caller, stated, {"capsule_id": item.id})
        except InvalidArgument as refusal:
            raise refusal.under(f"items[{place}]") from None

    def write(name: str, part: Part[Attachment]) -> dict[str, Json]:
        return _written(destinations.writing(caller, name), caller, part.items, _in_its_place)

    parts, refused = parted(items, home)
    if not parts:
        return _written(destinations.writing(caller, stated), caller, refused, _in_its_place)
    if len(parts) == 1:
        return write(*next(iter(parts.items())))
    results, answers = stitched(destinations, parts, refused, write)
    spaces = [{"destination": name, **answer["space"]} for name, answer in answers.items() if "space" in answer]
    return {**attached_results(results), **({"spaces": spaces} if spaces else {})}


def attach_one(destinations: Destinations, caller: Caller, destination: str | None, item: Attachment) -> dict[str, Json]:
    """Attach one vector and answer as `attach` does; what `attach` would answer as `rejected` raises its Refusal."""
    place = place_of(destinations, caller, destination, {"capsule_id": item.id})
    return _written(destinations.writing(caller, place), caller, {0: item}, _refused)


def _written(
    store: Store, caller: Caller, items: Mapping[int, Attachment | Refusal], judge: Callable[[int, Result], Result]
) -> dict[str, Json]:
    """Look up what the items name, decide and write; an error that `judge` raises about a result undoes all."""
    now = Eligibility(at=store.clock.now())
    with store.truth.writing() as writer:
        taken = [item for item in items.values() if isinstance(item, Attachment)]
        batch = _batch(writer, caller, store.naming, taken, now.at)
        results = [item if isinstance(item, Refusal) else judge(place, batch.result(item)) for place, item in items.items()]
        changes = batch.changes()
        if changes.changes:
            writer.apply(changes, caller.actor, now.at)
    return attached_view(results, batch.space, store.naming, now)


def _in_its_place(place: int, result: Result) -> Result:
    """Let the item have its own result, with what is refused of it named below its place."""
    return result.under(f"items[{place}]") if isinstance(result, InvalidArgument) else result


def _refused(_: int, result: Result) -> Result:
    """Raise what is refused."""
    if isinstance(result, Refusal):
        raise result
    return result


def _batch(reader: TruthReader, caller: Caller, naming: Naming, items: Sequence[Attachment], at: Instant) -> "_Batch":
    capsules = named(reader, {item.id for item in items})
    return _Batch(capsules, reader.vectors(DEFAULT_SPACE, capsules.keys()), occupied_space(reader), caller, naming, at)


class _Batch:
    """The vectors of a store as the batch leaves them so far, and what it has changed. A refused item leaves all as it was."""

    def __init__(
        self,
        capsules: Mapping[int, Capsule],
        vectors: Mapping[int, Vector],
        space: Space | None,
        caller: Caller,
        naming: Naming,
        at: Instant,
    ) -> None:
        self.space = space
        self._changes = [ChangeSet()]
        self._capsules = capsules
        self._vectors = dict(vectors)
        self._caller = caller
        self._naming = naming
        self._at = at

    def changes(self) -> ChangeSet:
        """Return everything that the batch changes."""
        return ChangeSet(
            tuple(change for each in self._changes for change in each.changes),
            tuple(entry for each in self._changes for entry in each.entries),
        )

    def result(self, item: Attachment) -> Result:
        """Attach an item's vector, or return why it cannot be."""
        try:
            return self._take(item)
        except Refusal as refusal:
            return refusal

    def _take(self, item: Attachment) -> Attached:
        capsule = unforgotten_among(self._capsules, self._caller, self._naming, item.id)
        space, before = entered(self.space, item.vector, item.model), self._vectors.get(capsule.number)
        if before == item.vector and space == self.space:
            return Attached(capsule, before, item.vector)
        self._changes.append(attached(capsule, item.vector, self.space, space, self._at, item.model))
        self.space, self._vectors[capsule.number] = space, item.vector
        return Attached(capsule, before, item.vector)
