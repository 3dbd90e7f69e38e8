"""Moving a store on the command line: to a database and back with everything, and slips that would have made a second store."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recordance_adapters.driving.cli.main import main
from support.commands import FIXED, Commands, Ran
from support.moves import new_place, stopped
from support.qdrant_double import QdrantDouble, qdrant_double


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over a store with three capsules, one of them forgotten, and something of everything beside them."""
    command = Commands(tmp_path, capsys)
    items = tmp_path / "items.jsonl"
    said = ("Pin tokio at 1.38", "The port is 7411", "Ship on friday")
    items.write_text("".join(json.dumps({"content": each, "embedding": [1, len(each)]}) + "\n" for each in said))
    command("store", "--items", str(items))
    command("relate", "supports", "cap-1", "cap-2")
    command("alias", "runtime", "tokio")
    command("review", "cap-1", "propose")
    command("recall", "nothing of the kind")
    assert command("forget", "cap-3").code == 0
    return command


@pytest.fixture
def plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over a store with one capsule."""
    command = Commands(tmp_path, capsys)
    command("store", "The port is 7411")
    return command


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    """A server for vectors."""
    with qdrant_double() as double:
        yield double


def another(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, settings: str = FIXED) -> Commands:
    """Commands over another place."""
    (tmp_path / name).mkdir()
    commands = Commands(tmp_path / name, capsys)
    commands.config.write_text(settings, encoding="utf-8")
    return commands


def everything(commands: Commands, receipts: list[str]) -> list[str]:
    """What a store tells, byte for byte: an export with its ledger and tombstones, recalls in both lanes, and of its receipts."""
    return [
        commands("export").out,
        commands("recall", "runtime", "port", "--json", "--include-staged").out,
        commands("recall", "port", "--query-embedding", "[1, 16]", "--json").out,
        *(commands("verify-receipt", receipt).out.split("what is so now")[0] for receipt in receipts),
    ]


def test_a_store_goes_to_servers_and_back_and_tells_the_same_at_each_place(
    command: Commands, tmp_path: Path, capsys: pytest.CaptureFixture[str], double: QdrantDouble
) -> None:
    """W10, O11, O13: ids, receipts, history, tombstones and vectors are the same, and so is every byte of every answer."""
    url, _, schema = new_place("postgres", tmp_path).partition("#")
    receipts = [command("recall", "port", "--json").answer["receipt"], command("forget", "cap-3", "--json").answer["receipt"]]
    before = everything(command, receipts)

    servers = f'truth = "{url}"\nvectors = "{double.url}"\n'
    team = another(tmp_path, capsys, "team", f'{servers}{FIXED}[postgres]\nschema = "{schema}"\n')
    both = tmp_path / "both.toml"
    both.write_text(
        f'{FIXED}[[destinations]]\nname = "mine"\nstore = "{command.store}"\ndefault = true\n'
        f'[[destinations]]\nname = "team"\n{servers}store = "{team.store}"\npostgres.schema = "{schema}"\n'
    )
    there = run(capsys, "move", "--to", "team", "--config", str(both), "--json")
    assert there.answer["status"] == "moved"
    assert there.answer["index"] == {"documents": 2, "vectors": 2, "complete": True}
    assert there.answer["compared"]["capsules"] == 3
    assert everything(team, receipts) == before
    assert wrong(team) == []

    back = another(tmp_path, capsys, "back")
    home = run(capsys, "move", "--from", "team", "--to", str(back.store), "--config", str(both), "--json")
    assert home.answer["rows"] == there.answer["rows"]
    assert everything(back, receipts) == before
    assert wrong(back) == []


def wrong(commands: Commands) -> list[str]:
    """What the doctor finds."""
    return [check["found"] for check in commands("doctor", "--json").answer["checks"] if check["verdict"] != "ok"]


def run(screen: pytest.CaptureFixture[str], *words: str) -> Ran:
    """Run a command with nothing but its own words."""
    screen.readouterr()
    code = main(words)
    return Ran(code, *screen.readouterr())


def test_a_person_reads_what_was_moved_and_what_to_do_next(command: Commands, tmp_path: Path) -> None:
    """W10: the old place must be left by every client, and still holds what will be forgotten from now on."""
    ran = command("move", "--to", str(tmp_path / "new"))
    assert ran.code == 0
    assert "2 capsules, 1 forgotten, up to seq 10" in ran.out
    assert "compared and equal: " in ran.out
    assert f"Let every client use {tmp_path / 'new'}" in ran.out
    assert "what you forget from now on stays there" in ran.out
    refused = command("recall", "tokio")
    assert refused.code == 3
    assert str(tmp_path / "new") in refused.err
    again = command("move", "--to", str(tmp_path / "new"))
    assert (again.code, again.out.splitlines()[0].split(":")[0]) == (0, "already moved")


def test_a_place_is_given_back_its_use_on_demand_alone(plain: Commands, tmp_path: Path) -> None:
    """W10: nothing but the word for it undoes a seal."""
    assert plain("move", "--reopen", str(plain.store)).code == 2
    plain("move", "--to", str(tmp_path / "new"))
    assert plain("store", "Too late").code == 3
    assert plain("move", "--reopen", str(plain.store), "--json").answer["moved_to"] == str(tmp_path / "new")
    assert plain("store", "In time").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--to: got nothing"),
        (("--to", "taem"), "no destination is called so; send one of default, or a folder such as ./taem"),
        (("--to", "default"), "the store is there"),
        (("--from", "./nowhere", "--to", "./new"), "there is no store there"),
        (("--to", "./new", "--reopen", "default"), "it moves nothing"),
    ],
)
def test_a_slip_is_told_and_makes_no_store(
    plain: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    """W10: a misspelt name must not become a folder with the only copy of a store."""
    monkeypatch.chdir(tmp_path)
    ran = plain("move", *words)
    assert ran.code in (2, 3)
    assert told in ran.err
    assert not {"taem", "new", "nowhere"} & {each.name for each in tmp_path.iterdir()}
    assert plain("recall", "port").code == 0


def test_a_store_that_is_only_half_there_is_told_to_be(
    plain: Commands, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """W10: whoever starts a server on it learns what it is, and what finishes it."""
    half = another(tmp_path, capsys, "half")
    assert stopped(plain.store / "truth.sqlite", half.store / "truth.sqlite", 20)
    told = half("recall", "tokio")
    assert told.code == 3
    assert "run the command that moves it again" in told.err
    assert plain("move", "--to", str(half.store)).code == 0
    assert half("recall", "port").code == 0


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes, as if the disk were full."""
    resource = pytest.importorskip("resource", reason="only POSIX bounds the size of a process's files")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_move_for_which_there_is_no_room_says_what_finishes_it(plain: Commands, tmp_path: Path) -> None:
    """W10: with more room the same command goes on; until then the source is in use as before."""
    items, new = tmp_path / "more.jsonl", tmp_path / "new"
    items.write_text("".join(json.dumps({"content": f"statement {number} " * 600}) + "\n" for number in range(100)))
    plain("store", "--items", str(items))
    with files_of_at_most(600_000):
        full = plain("move", "--to", str(new))
    assert full.code == 3
    assert "nothing is lost: run the same command again" in full.err
    assert plain("recall", "statement 99", "--limit", "1").code == 0
    assert plain("move", "--to", str(new), "--json").answer["capsules"] == 101
