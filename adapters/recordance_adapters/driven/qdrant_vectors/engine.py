"""The embedded engine itself: how a shard is made and loaded, how it is asked, and what its errors mean here."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

import qdrant_edge as edge

from recordance.errors import Fault, ReplicaDamaged
from recordance_adapters.driven.qdrant_vectors.encoding import EVENT, LABELS, Condition, EventReaches, HasNumber, HasToken

P = ParamSpec("P")
T = TypeVar("T")

_EXACT = edge.SearchParams(exact=True)


def make_shard(folder: Path, dimension: int) -> edge.EdgeShard:
    """Make an empty shard in a folder that is not there yet. Raises Fault if it cannot be written."""
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise Fault(f"the vector index cannot be written: {error}") from error
    shard = _writing(edge.EdgeShard.create, _name(folder), _configuration(dimension))
    # Without an index a fence costs a look at every point. No graph: what is asked is asked exactly.
    tokens = edge.UuidIndexParams(enable_hnsw=False)
    instants = edge.IntegerIndexParams(lookup=False, range=True, enable_hnsw=False)
    _writing(shard.update, edge.UpdateOperation.create_field_index(LABELS, tokens))
    _writing(shard.update, edge.UpdateOperation.create_field_index(EVENT, instants))
    return shard


def load_shard(folder: Path, dimension: int) -> edge.EdgeShard:
    """Load the shard that lies in a folder. Raises ReplicaDamaged if it cannot be read or is of another dimension."""
    with reading():
        return edge.EdgeShard.load(_name(folder), _configuration(dimension))


def update(shard: edge.EdgeShard, operation: edge.UpdateOperation) -> None:
    """Have the engine write. Raises ReplicaDamaged if it cannot: that the disk has room must have been seen to before."""
    with reading():
        shard.update(operation)


def flush(shard: edge.EdgeShard) -> None:
    """Have all that was written lie on the disk. Raises Fault if it cannot."""
    _writing(shard.flush)


def close(shard: edge.EdgeShard) -> None:
    """Let a shard go; it writes a last time, and what that fails to keep is applied again."""
    try:
        shard.close()
    except BaseException as error:
        if not _is_engine_error(error):
            raise


def _configuration(dimension: int) -> edge.EdgeConfig:
    return edge.EdgeConfig(
        # The dot product of vectors of length 1 is their cosine; the engine's own scaling would add an error of its own.
        # Cold: mapped as it is read, where the default maps every vector twice at once.
        vectors=edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Dot, memory=edge.Memory.Cold),
        # The truth replays; a log would keep vectors that were forgotten.
        wal_enabled=False,
    )


def _name(folder: Path) -> str:
    """Return a path as the engine takes it: as UTF-8, whatever the locale has made of its bytes."""
    return os.fsencode(folder).decode(errors="surrogateescape")


def ask(shard: edge.EdgeShard, towards: Sequence[float], conditions: Sequence[Condition], count: int) -> list[tuple[int, float]]:
    """Return number and score of the `count` points with the highest scores that fulfil all conditions, the highest first."""
    request = edge.QueryRequest(
        limit=count,
        query=edge.Query.Nearest(towards),  # type: ignore[arg-type] # any sequence of floats will do
        filter=edge.Filter(must=[_of(condition) for condition in conditions]) if conditions else None,
        params=_EXACT,
        with_payload=False,
        with_vector=False,
    )
    with reading():
        return [(int(found.id), found.score) for found in shard.query(request)]


def _of(condition: Condition) -> edge.FieldCondition | edge.HasIdCondition:
    match condition:
        case HasToken(tokens=tokens):
            return edge.FieldCondition(LABELS, match=edge.MatchAny(list(tokens)))
        case EventReaches(at_least=at_least, at_most=at_most):
            return edge.FieldCondition(EVENT, range=edge.RangeFloat(gte=at_least, lte=at_most))
        case HasNumber(numbers=numbers):
            return edge.HasIdCondition(set(numbers))


@contextmanager
def reading() -> Iterator[None]:
    """Turn whatever the engine raises over what lies there into ReplicaDamaged."""
    try:
        yield
    except BaseException as error:
        if not _is_engine_error(error):
            raise
        raise ReplicaDamaged(f"the vector index cannot be used: {error}") from error


def _writing(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call the engine, and turn whatever it raises into Fault: a full disk is no damage."""
    try:
        return call(*args, **kwargs)
    except BaseException as error:
        if not _is_engine_error(error):
            raise
        raise Fault(f"the vector index cannot be written: {error}") from error


def _is_engine_error(error: BaseException) -> bool:
    """Whether the engine raised this. Most of its errors are a bare Exception; its panics are none, with a class of no name."""
    return type(error) is Exception or isinstance(error, OSError | ValueError) or type(error).__name__ == "PanicException"
