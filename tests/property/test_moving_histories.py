"""Every store that writes can make arrives whole, wherever moves of it stopped and whatever was written to it in between."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from recordance.domain.change import ChangeSet
from recordance.domain.journal import Op
from recordance_adapters.driven.sql_truth.opening import open_sql_truth
from support.moves import moved, stopped
from support.truths import IDENTITY, Reading, entry, histories, read_everything, write

BEGUN = ChangeSet((), (entry(Op.ALIASED, None),))
"""Makes a store one that was written to, whatever else is drawn."""


def everything(file: Path) -> Reading:
    truth = open_sql_truth(file)
    with truth.reading() as reader:
        found = read_everything(reader)
    truth.close()
    return found


def written(file: Path, history: list[ChangeSet]) -> None:
    truth = open_sql_truth(file, identity=IDENTITY)
    for changes in history:
        write(truth, changes)
    truth.close()


@settings(max_examples=25)
@given(histories(writes=9), st.integers(0, 9), st.integers(0, 30), st.integers(0, 60))
def test_a_move_goes_on_from_wherever_it_stopped_even_when_the_source_was_written_since(
    history: list[ChangeSet], meanwhile: int, first: int, second: int
) -> None:
    """W10: rows that were brought and have changed, moved or gone since are put right, in every table, before it is opened."""
    before, since = [BEGUN, *history[: len(history) - meanwhile]], history[len(history) - meanwhile :]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "here" / "truth.sqlite", Path(folder) / "there" / "truth.sqlite"
        written(source, before)
        assert stopped(source, target, first), "a move has more steps than that"
        written(source, since)
        expected = everything(source)
        again = stopped(source, target, second)
        assert moved(source, target)["status"] == ("moved" if again else "already_moved")
        assert everything(target) == expected
