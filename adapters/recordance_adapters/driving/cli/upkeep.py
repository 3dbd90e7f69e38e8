"""The commands that keep a store: status, doctor, rebuild, export and import; and the one that starts the server."""

import contextlib
import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from recordance.errors import InvalidArgument, Json
from recordance.usecases import inspect
from recordance.usecases.overseeing import doctor_of_all, status_of_all
from recordance.usecases.transfer import Vectors, export_lines, import_lines
from recordance.usecases.verify import verify_receipt
from recordance_adapters.bootstrap import Absent
from recordance_adapters.driving.cli import screen, signing, tokens
from recordance_adapters.driving.cli.options import file_path
from recordance_adapters.driving.cli.progress import Progress
from recordance_adapters.driving.cli.reply import ExitCode, Reply
from recordance_adapters.driving.cli.session import ACTOR, Servers, Session
from recordance_adapters.settings import with_listening
from recordance_adapters.wire.catalogue import tools_of

_STANDARD = "-"


@dataclass(frozen=True, slots=True)
class UpkeepCommand:
    """A command that is no tool; most look at a store, and make none."""

    name: str
    about: str
    configure: Callable[[ArgumentParser], None]
    run: Callable[[Session, Namespace], Reply]
    absent: Absent = Absent.REFUSE


def _destination_words(parser: ArgumentParser) -> None:
    parser.add_argument("--destination", metavar="NAME", help="The destination; left out, the default one.")


def _status_words(parser: ArgumentParser) -> None:
    parser.add_argument("--destination", metavar="NAME", help="The destination; left out, all of them if there are several.")


def _told(session: Session, name: str, answer: dict[str, Json]) -> dict[str, Json]:
    """Return the answer with the destination that it is about, where there are several."""
    service = session.service
    return {"destination": name, **answer} if len(service.destinations.visible(service.caller(ACTOR))) > 1 else answer


def _named(session: Session, given: Namespace) -> str:
    """Return the destination that is meant; raises MissingState with those that there are."""
    service = session.service
    return service.destinations.named(service.caller(ACTOR), given.destination)


def _mcp_words(parser: ArgumentParser) -> None:
    parser.add_argument("--tools", metavar="SETS", help="The tool sets to offer, such as core,life, or all.")


def _mcp(session: Session, _: Namespace) -> Reply:
    _servers(session, "mcp").stdio(session.service, session.settings)
    return Reply(None, screen.anything)


def _serve_words(parser: ArgumentParser) -> None:
    _mcp_words(parser)
    parser.add_argument("--host", metavar="ADDRESS", help="The address to listen at (default: 127.0.0.1, this machine alone).")
    parser.add_argument("--port", metavar="N", help="The port to listen at (default: 8377); 0 takes a free one.")


def _serve(session: Session, given: Namespace) -> Reply:
    listening = {name: value for name, value in (("host", given.host), ("port", given.port)) if value is not None}
    _servers(session, "serve").http(session.service, with_listening(session.settings, listening))
    return Reply(None, screen.anything)


def _servers(session: Session, command: str) -> Servers:
    tools_of(session.settings.tools)  # an unknown set is refused before anybody is told that the server is there
    if session.servers is None:
        why = "this entry point brings no server"
        raise InvalidArgument(command, None, f"recordance {command}, or python -m recordance_adapters {command}", why)
    return session.servers


def _status(session: Session, given: Namespace) -> Reply:
    service, caller = session.service, session.service.caller(ACTOR)
    if given.destination is None and len(service.destinations.visible(caller)) > 1:
        answer = status_of_all(service.destinations, caller, service.housing)
        failing = any("failed" in each for each in answer["destinations"])
        return Reply(answer, screen.standing, ExitCode.FAILURE if failing else ExitCode.DONE)
    name = _named(session, given)
    answer = inspect.status(service.destinations, caller, name, service.housing(name))
    return Reply(_told(session, name, answer), screen.anything)


def _doctor(session: Session, given: Namespace) -> Reply:
    service, caller, progress = session.service, session.service.caller(ACTOR), Progress("Checking")
    if given.destination is None and len(service.destinations.visible(caller)) > 1:
        answer = doctor_of_all(service.destinations, caller, service.housing, progress)
    else:
        name = _named(session, given)
        answer = _told(session, name, inspect.doctor(service.destinations, caller, name, service.housing(name), progress))
    progress.end()
    return Reply(answer, screen.checks, ExitCode.FAILURE if answer["verdict"] == inspect.Verdict.FAIL else ExitCode.DONE)


def _rebuild(session: Session, given: Namespace) -> Reply:
    service, name, progress = session.service, _named(session, given), Progress("Indexing")
    answer = inspect.rebuild(service.destinations, service.caller(ACTOR), name, progress)
    progress.end()
    return Reply(_told(session, name, answer), screen.anything)


def _export_words(parser: ArgumentParser) -> None:
    _destination_words(parser)
    parser.add_argument(
        "file", nargs="?", default=_STANDARD, help="Where to; left out or -, to stdout. A file is never replaced."
    )
    parser.add_argument(
        "--without-embeddings",
        dest="vectors",
        action="store_const",
        const=Vectors.LEFT_OUT,
        default=Vectors.CARRIED,
        help="Leave embeddings and their spaces behind, so that a new store made of the file takes some of another dimension.",
    )


def _export(session: Session, given: Namespace) -> Reply:
    service = session.service
    lines = export_lines(service.destinations, service.caller(ACTOR), given.destination, given.vectors)
    if given.file == _STANDARD:
        for line in lines:
            sys.stdout.write(line + "\n")
        return Reply(None, screen.anything)
    return Reply({"status": "exported", "file": given.file, "lines": _write(given.file, lines)}, screen.anything)


def _write(name: str, lines: Iterable[str]) -> int:
    """Write a file that has its name only once it is whole, for its owner alone, and return how many lines it has."""
    path, count, progress = file_path(name), 0, Progress("Exporting")
    if path.exists():
        raise InvalidArgument("file", name, "the name of a file that is not there yet", "it exists already")
    growing = path.with_name(path.name + ".part")
    try:
        descriptor = os.open(growing, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            for count, line in enumerate(lines, start=1):
                file.write(line + "\n")
                progress(count, 0)
            file.flush()
            os.fsync(file.fileno())
        growing.rename(path)
    except OSError as problem:
        raise InvalidArgument("file", name, "a file in a folder that you may write", problem.strerror or "it fails") from None
    finally:
        growing.unlink(missing_ok=True)
    progress.end()
    return count


def _import_words(parser: ArgumentParser) -> None:
    _destination_words(parser)
    parser.add_argument("file", nargs="?", default=_STANDARD, help="An export; left out or -, it is read from stdin.")


def _import(session: Session, given: Namespace) -> Reply:
    service, name, progress = session.service, _named(session, given), Progress("Importing")
    with _readable(given.file) as path:
        answer = import_lines(service.destinations, service.caller(ACTOR), name, lambda: _lines(path), progress)
    progress.end()
    return Reply(_told(session, name, answer), screen.anything)


@contextlib.contextmanager
def _readable(name: str) -> Iterator[Path]:
    """Return a path that can be read twice; stdin is kept in a file of its own for that."""
    if name != _STANDARD:
        path = file_path(name)
        try:
            path.open("rb").close()
        except OSError as problem:
            raise InvalidArgument("file", name, "an export", problem.strerror or "it cannot be read") from None
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="recordance-import-") as kept:
        _copy(sys.stdin.buffer, kept)
        yield Path(kept.name)


def _copy(source: BinaryIO, target: "tempfile._TemporaryFileWrapper[bytes]") -> None:
    while chunk := source.read(1 << 20):
        target.write(chunk)
    target.flush()


def _receipt_words(parser: ArgumentParser) -> None:
    parser.add_argument("--destination", metavar="NAME", help="The destination that gave it; left out, the one that it names.")
    parser.add_argument("receipt", metavar="RECEIPT", help="Of a recall (rcpt-…) or a forget (ersr-…), exactly as given.")


def _verify(session: Session, given: Namespace) -> Reply:
    service = session.service
    answer = verify_receipt(service.destinations, service.caller(ACTOR), given.destination, given.receipt)
    undone = answer.get("state", "tombstoned") != "tombstoned"
    return Reply(answer, screen.verified, ExitCode.NOTHING if answer["signature"] != "holds" or undone else ExitCode.DONE)


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for line in file:
            yield line.decode("utf-8", "surrogateescape").rstrip("\r\n")


UPKEEP_COMMANDS: Mapping[str, UpkeepCommand] = {
    command.name: command
    for command in (
        UpkeepCommand("export", "Write the whole store as lines of JSON.", _export_words, _export),
        UpkeepCommand(
            "import",
            "Bring an export in: into an empty store as it was, into another by merging.",
            _import_words,
            _import,
            Absent.MAKE,
        ),
        UpkeepCommand("verify-receipt", "Check what a recall or a forget has signed.", _receipt_words, _verify),
        UpkeepCommand("status", "Show how the store stands.", _status_words, _status),
        UpkeepCommand("doctor", "Check whether everything is in order, and say what to do if not.", _status_words, _doctor),
        UpkeepCommand("rebuild", "Make the indexes anew from the truth.", _destination_words, _rebuild),
        UpkeepCommand("token", "Make a bearer token for the HTTP server.", tokens.words, tokens.make),
        UpkeepCommand("key", "Make a key to sign with, and show its public half.", signing.key_words, signing.make),
        UpkeepCommand("sign", "Sign a statement, for whoever stores it over MCP.", signing.sign_words, signing.sign),
        UpkeepCommand("mcp", "Serve MCP over stdio.", _mcp_words, _mcp, Absent.MAKE),
        UpkeepCommand("serve", "Serve MCP over HTTP.", _serve_words, _serve, Absent.MAKE),
    )
}
"""The commands that are no tools, in the order in which help lists them."""
