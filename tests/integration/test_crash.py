"""Sudden ends of whole servers: what was answered is there, and nobody repairs anything (decision 1)."""

import random
from pathlib import Path

import pytest

from support.commands import Commands
from support.servers import Server, servers

ROUNDS = 4


def until_killed(server: Server, name: str, answers: int) -> dict[str, str]:
    """Store one statement after another, kill the server after so many answers, and return what was answered."""
    answered: dict[str, str] = {}
    for number in range(answers):
        word = f"{name}x{number}"
        answered[word] = server.store(f"statement {word}")
    server.peer.send(
        {"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": {"name": "memory_store", "arguments": {}}}
    )
    server.peer.process.kill()
    server.peer.exit_code()
    return answered


def test_every_answered_write_is_there_after_kills_at_random_moments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """case C6: kill -9 in the midst of writing and indexing; the next start answers with everything, by itself."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance, command, answered = random.Random(seed), Commands(tmp_path, capsys), dict[str, str]()
    for round_ in range(ROUNDS):
        with servers(command.store) as (server,):
            for word, id in chance.sample(sorted(answered.items()), min(len(answered), 20)):
                assert server.found(word) == [id], f"seed {seed}"
            answered |= until_killed(server, f"r{round_}", chance.randrange(1, 80))
    with servers(command.store) as (server,):
        for word, id in answered.items():
            assert server.found(word) == [id], f"seed {seed}"
    assert command("doctor", "--json").answer["verdict"] == "ok", f"seed {seed}"


def test_a_replica_that_a_crash_left_in_ruins_is_made_anew_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """case C6: half-written files of the index must not fail a start or a recall; the truth has everything."""
    command = Commands(tmp_path, capsys)
    for number in range(3):
        command("store", f"statement x{number}")
    command("doctor")
    ruined = [path for path in (command.store / "replicas" / "0").rglob("*") if path.is_file()]
    assert ruined
    for path in ruined:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert command("recall", "x1").code == 0
    assert command("doctor", "--json").answer["verdict"] == "ok"
