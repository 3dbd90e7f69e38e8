"""Moves that are killed: wherever that happens, the same command comes to the same end, and nothing is lost on the way."""

import itertools
import random
from contextlib import closing
from pathlib import Path

import pytest

from recordance.domain.embedding import Space, vector_of
from recordance.errors import StoreUnusable
from recordance.usecases.move import Phases
from support.moves import WAYS, moved, new_place, opened_at
from support.postgres_server import PostgresServer, a_server
from support.processes import running
from support.truths import IDENTITY, Reading, embedded, entombed, placed, read_everything, remember, write

ROUNDS = 2
PROGRAM = Path(__file__).parent.parent / "support" / "moves.py"


def lived(place: str, said: int, chance: random.Random) -> None:
    """Let a store grow, and forget and embed some of it."""
    with closing(opened_at(place, identity=IDENTITY)) as truth:
        numbers = remember(truth, *(f"statement {chance.randrange(10**9)}" for _ in range(said)))
        with truth.reading() as reader:
            texts = reader.contents(numbers)
        write(truth, placed(Space("default", 2, None)))
        write(truth, *(embedded(number, texts[number], vector_of([chance.random(), 1.0])) for number in numbers[::3]))
        write(truth, entombed(numbers[1], mac=str(numbers[1])))


def everything(place: str) -> Reading:
    with closing(opened_at(place)) as truth, truth.reading() as reader:
        return read_everything(reader)


@pytest.mark.parametrize(("here", "there"), WAYS)
def test_a_move_that_was_killed_again_and_again_arrives_whole(here: str, there: str, tmp_path: Path) -> None:
    """W10, case C6: kill -9 at random moments, with writes to the source in between; the last attempt brings everything."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    source, target = new_place(here, tmp_path), new_place(there, tmp_path)
    lived(source, 12, chance)
    for _ in range(ROUNDS):
        lived(source, 3, chance)
        with running(str(PROGRAM), (source, target)) as (mover,):
            mover.go()
            said = mover.killed_after(chance.randrange(1, 80))
        assert ("moved", 0) not in said, f"seed {seed}: {len(said)} steps"
    expected = everything(source)
    assert moved(source, target)["status"] == "moved", f"seed {seed}"
    assert everything(target) == expected, f"seed {seed}"


def killing(server: PostgresServer, at: int) -> Phases:
    """Phases in which the server is killed after so many steps in all."""
    steps = itertools.count(1)

    def step(_done: int, _total: int) -> None:
        if next(steps) == at:
            server.kill()

    return lambda _: step


def test_a_move_goes_on_once_the_server_that_was_killed_in_its_midst_is_back(tmp_path: Path) -> None:
    """W10, case C6: on the way there and on the way back; the error says that the connection was lost, and nothing else is."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    here, back = new_place("sqlite", tmp_path), new_place("sqlite", tmp_path)
    lived(here, 12, chance)
    expected = everything(here)
    with a_server() as server:
        there = f"{server.url_of('postgres')}#moved"
        for source, target in ((here, there), (there, back)):
            with pytest.raises(StoreUnusable):
                moved(source, target, killing(server, chance.randrange(1, 80)))
            server.start()
            assert moved(source, target)["status"] == "moved", f"seed {seed}"
            assert everything(target) == expected, f"seed {seed}"
