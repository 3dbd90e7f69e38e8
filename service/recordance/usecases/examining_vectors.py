"""Whether embeddings are what their capsules and spaces make them, and the index holds them (`doctor`; L2, W4)."""

from collections import Counter
from collections.abc import Iterator, Mapping

from recordance.domain.coherence import embedding_fault
from recordance.domain.destination import Naming
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.errors import Fault
from recordance.ports.truth import TruthReader
from recordance.usecases.examining import Finding, Verdict, shortly
from recordance.usecases.store import Store

BATCH = 250
"""How many capsules' embeddings are in memory at once: 4 MB in the largest dimension."""

_LOOKS = 3
_ANEW = "Make it anew: recordance rebuild. Until then vector recalls compare with the truth itself, which is exact and slower."


def embeddings(reader: TruthReader, naming: Naming) -> Finding:
    """Each belongs to an unforgotten capsule and its present content, fits its space, and points somewhere (cases D7, E3)."""
    dimensions = {each.space.name: each.space.dimension for each in reader.spaces()}
    there = Counter[str]()
    wrong = list(_faults(reader, dimensions, there, naming)) or list(_miscounted(reader, there))
    if wrong:
        advice = (
            "Attach these anew, which replaces them: recordance vector ID --embedding @FILE. If they are many: export "
            "--without-embeddings, import that into a new store, and attach all of them there."
        )
        return Finding("embeddings", Verdict.FAIL, shortly(wrong), advice)
    told = ", ".join(f"{there[name]} in {name!r}" for name in dimensions)
    return Finding("embeddings", Verdict.OK, f"{told}, each of its capsule's content" if told else "there are none")


def _faults(reader: TruthReader, dimensions: Mapping[str, int], there: Counter[str], naming: Naming) -> Iterator[str]:
    """Yield what is wrong with each embedding, and count all of them by their space."""
    last = reader.last_number()
    for first in range(1, last + 1, BATCH):
        numbers = range(first, min(first + BATCH, last + 1))
        found, capsules = reader.embeddings(numbers), reader.capsules(numbers)
        for number, each in sorted(found.items()):
            for embedding in each:
                there[embedding.space] += 1
                if fault := embedding_fault(capsules[number], embedding, dimensions.get(embedding.space)):
                    yield f"the one of {naming.id(number)} in {embedding.space!r}: {fault}"


def _miscounted(reader: TruthReader, there: Counter[str]) -> Iterator[str]:
    for each in reader.spaces():
        if each.vectors != there[each.space.name]:
            yield f"space {each.space.name!r} counts {each.vectors} vectors and has {there[each.space.name]}"


def index_name(space: str) -> str:
    """Return what the check of a space's index is called: the callers' is the one that every store has."""
    return "vector_index" if space == DEFAULT_SPACE else f"vector_index of {space}"


def vector_index(store: Store, space: str = DEFAULT_SPACE) -> Finding:
    """The index must hold every vector once it has caught up (case D5); others may write meanwhile, so look again."""
    name = index_name(space)
    try:
        return _compared(store, name, space)
    except Fault as fault:
        return Finding(name, Verdict.FAIL, str(fault), _ANEW)


def _compared(store: Store, name: str, space: str) -> Finding:
    vectors = store.followed()[space]
    for _ in range(_LOOKS):
        vectors.commit()
        with store.truth.reading() as reader:
            head, occupied = reader.head(), reader.space(space)
        held, status = vectors.held() or 0, vectors.status()
        kept = 0 if occupied is None else occupied.vectors
        if status.head != head or status.applied < head:
            continue
        if held == kept:
            return Finding(name, Verdict.OK, f"{held} vectors at seq {head}, as the truth has them")
        return Finding(name, Verdict.FAIL, f"{held} vectors where the truth has {kept}", _ANEW)
    return Finding(name, Verdict.WARN, "others write so fast that it cannot be compared", "Ask again when they rest.")
