"""The command line's entry: which command, with which options, and how the process ends."""

import difflib
import logging
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Protocol

import recordance
from recordance.errors import Fault, Refusal, StoreUnusable
from recordance_adapters.bootstrap import Absent, open_service
from recordance_adapters.driving.cli.commands import TOOL_COMMANDS
from recordance_adapters.driving.cli.demonstration import DEMO
from recordance_adapters.driving.cli.options import CommandParser, Misused
from recordance_adapters.driving.cli.relocation import MOVE
from recordance_adapters.driving.cli.reply import ExitCode, Reply, code_of, error_object, one_line
from recordance_adapters.driving.cli.screen import plain
from recordance_adapters.driving.cli.session import Servers, Session
from recordance_adapters.driving.cli.streams import claim_streams, complain, release_output
from recordance_adapters.driving.cli.upkeep import UPKEEP_COMMANDS
from recordance_adapters.settings import load_settings
from recordance_adapters.wire.failure import failure_of, fault_failure, new_fault_id

_SETTINGS = ("config", "store", "actor", "project", "root", "tools", "log_level")
_STAMPED = frozenset({"mcp", "serve", "store"})
"""The commands that take --project: elsewhere it would look like a fence and be none."""
_INTERRUPTED = 130

_log = logging.getLogger(__name__)


class Command(Protocol):
    """One word after `recordance`."""

    @property
    def name(self) -> str:
        """The word."""
        ...

    @property
    def about(self) -> str:
        """What it does, in one sentence."""
        ...

    @property
    def absent(self) -> Absent:
        """What it does where no store is."""
        ...

    def configure(self, parser: ArgumentParser) -> None:
        """Declare its words and options."""
        ...

    def run(self, session: Session, given: Namespace) -> Reply:
        """Do it."""
        ...


COMMANDS: Mapping[str, Command] = {**TOOL_COMMANDS, **UPKEEP_COMMANDS, MOVE.name: MOVE, DEMO.name: DEMO}


def main(argv: Sequence[str] | None = None, servers: Servers | None = None) -> int:
    """Run one command and return its exit code: 0 grounded or done, 1 nothing found, 2 bad usage, 3 failure.

    `argv` are the words after the program's name, the process's own if left out; `servers` is what `recordance mcp` and
    `recordance serve` start.
    """
    claim_streams()
    words = [_as_utf8(word) for word in (sys.argv[1:] if argv is None else argv)]
    try:
        code = _run(words, servers)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read our output has seen enough
        return ExitCode.FAILURE
    except OSError as problem:
        _log.debug("reading or writing failed", exc_info=True)
        complain(f"what was to be read or written could not be: {plain(problem)}")
        return ExitCode.FAILURE
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        release_output()


def _run(words: Sequence[str], servers: Servers | None) -> int:
    match words:
        case []:
            print(overview(), file=sys.stderr)
            return ExitCode.USAGE
        case ["-h" | "--help" | "help", *_]:
            print(overview())
            return ExitCode.DONE
        case ["--version", *_]:
            print(f"recordance {recordance.__version__}")
            return ExitCode.DONE
        case [name, *rest] if name in COMMANDS:
            return _command(COMMANDS[name], rest, servers)
        case [option, *_] if option.startswith("-"):
            return _told(Misused("recordance", f"options come after the command: recordance COMMAND {option} …"), words)
        case _:
            near = difflib.get_close_matches(words[0], COMMANDS, 1)
            instead = f"did you mean {near[0]}?" if near else f"commands are {', '.join(COMMANDS)}"
            return _told(Misused("recordance", f"there is no command {words[0]!r}; {instead}"), words)


def overview() -> str:
    """Return what `recordance --help` says."""
    listed = "\n".join(f"  {command.name:<14} {command.about}" for command in COMMANDS.values())
    return (
        "usage: recordance COMMAND [options]\n\n"
        "A recall service for software agents: ranked evidence for their words, or an honest account of why there is none.\n\n"
        f"{listed}\n\n"
        "Each command explains itself: recordance COMMAND --help. A store is a folder: --store, else RECORDANCE_STORE, else the\n"
        "platform's folder for a user's data. Exit codes: 0 grounded or done, 1 nothing found, 2 bad usage, 3 failure."
    )


def _command(command: Command, words: Sequence[str], servers: Servers | None) -> int:
    parser = CommandParser(prog=f"recordance {command.name}", description=command.about, allow_abbrev=False)
    _add_settings(parser, command)
    command.configure(parser)
    try:
        return _answer(command, parser.read(words), servers)
    except SystemExit as end:  # the parser has shown the help
        return ExitCode.USAGE if end.code else ExitCode.DONE
    except (Refusal, Fault) as problem:
        return _told(problem, words)


def _told(problem: Refusal | Fault, words: Sequence[str]) -> ExitCode:
    """Say what is wrong, for programs as an object where --json asks for one, and return how the process ends.

    A fault is told on stderr in any case, in the words of the log, under the id that the object gives it.
    """
    as_object = "--json" in takewhile(lambda word: word != "--", words)
    match problem:
        case Fault():
            fault = new_fault_id()
            complain(f"{fault}: {_whole(problem)}" if as_object else _whole(problem))
            failure = fault_failure(problem, fault)
        case _:
            failure = failure_of(problem)
            if not as_object:
                complain(plain(problem.message))
    if as_object:
        print(one_line(error_object(failure)))
    return code_of(problem)


def _whole(problem: Fault) -> str:
    """Return what the log has of a fault, with what to do about it."""
    text = plain(problem)
    lesson = problem.lesson if isinstance(problem, StoreUnusable) else ""
    return text if not lesson or lesson in text else f"{lesson} ({text})"


def _add_settings(parser: ArgumentParser, command: Command) -> None:
    shared = parser.add_argument_group("settings")
    shared.add_argument("--json", action="store_true", help="Print the answer object, as every transport sends it, on one line.")
    shared.add_argument("--store", metavar="FOLDER", help="The folder that is the store.")
    shared.add_argument("--config", metavar="FILE", help="A TOML file with settings; see config/default.toml.")
    shared.add_argument("--actor", metavar="NAME", help="Who writes, for the journal.")
    if command.name in _STAMPED:
        shared.add_argument("--project", metavar="ID", help="The project of writes that name none.")
    shared.add_argument("--root", metavar="FOLDER", help="The repository below which anchors are probed.")
    shared.add_argument("--log-level", metavar="LEVEL", help="What goes to stderr: debug, info, warning or error.")


def _answer(command: Command, given: Namespace, servers: Servers | None) -> int:
    settings = load_settings({name: vars(given)[name] for name in _SETTINGS if name in given})
    logging.basicConfig(stream=sys.stderr, level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    # Whoever lists a destination has named its place with care: it is there from the first call on.
    absent = Absent.MAKE if settings.destinations and command.name in TOOL_COMMANDS else command.absent
    with open_service(settings, absent) as service:
        reply = command.run(Session(settings=settings, service=service, servers=servers), given)
        if reply.answer is None:
            return reply.code
        for line in [one_line(reply.answer)] if given.json else reply.show(reply.answer):
            print(line)
        return reply.code


def _as_utf8(word: str) -> str:
    """Return an argument as UTF-8 says it, even where the locale made something else of its bytes (case A8)."""
    return os.fsencode(word).decode("utf-8", "surrogateescape") if os.name == "posix" else word


if __name__ == "__main__":
    sys.exit(main())
