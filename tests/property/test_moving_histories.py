"""Every store that writes can make arrives whole, wherever moves of it stopped and whatever was written to it in between."""

import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from recordance.domain.change import ChangeSet
from recordance.domain.journal import Op
from support.moves import WAYS, moved, new_place, opened_at, stopped
from support.truths import IDENTITY, Reading, entry, histories, read_everything, write

BEGUN = ChangeSet((), (entry(Op.ALIASED, None),))
"""Makes a store one that was written to, whatever else is drawn."""


def everything(place: str) -> Reading:
    with closing(opened_at(place)) as truth, truth.reading() as reader:
        return read_everything(reader)


def written(place: str, history: Sequence[ChangeSet]) -> None:
    with closing(opened_at(place, identity=IDENTITY)) as truth:
        for changes in history:
            write(truth, changes)


@settings(max_examples=8)
@given(st.sampled_from(WAYS), histories(writes=9), st.integers(0, 9), st.integers(0, 30), st.integers(0, 60))
def test_a_move_goes_on_from_wherever_it_stopped_even_when_the_source_was_written_since(
    way: tuple[str, str], history: list[ChangeSet], meanwhile: int, first: int, second: int
) -> None:
    """W10: rows that were brought and have changed, moved or gone since are put right, in every table, before it is opened."""
    before, since = [BEGUN, *history[: len(history) - meanwhile]], history[len(history) - meanwhile :]
    with tempfile.TemporaryDirectory() as folder:
        source, target = (new_place(database, Path(folder)) for database in way)
        written(source, before)
        assert stopped(source, target, first), "a move has more steps than that"
        written(source, since)
        expected = everything(source)
        again = stopped(source, target, second)
        assert moved(source, target)["status"] == ("moved" if again else "already_moved")
        assert everything(target) == expected
