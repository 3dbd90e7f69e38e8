"""The command that moves a store: from a folder to servers and back, or from one folder to another."""

import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from pydantic import ValidationError

from recordance.errors import InvalidArgument, Json, RecordanceError
from recordance.ports.moving import Leaving
from recordance.usecases.move import Phase, move
from recordance_adapters.bootstrap import address_of
from recordance_adapters.bootstrap.moving import build_indexes, open_moving, reopen
from recordance_adapters.driving.cli import screen
from recordance_adapters.driving.cli.options import file_path
from recordance_adapters.driving.cli.progress import Progress
from recordance_adapters.driving.cli.reply import Answer, Reply
from recordance_adapters.driving.cli.session import ACTOR, Session
from recordance_adapters.driving.cli.streams import complain
from recordance_adapters.driving.cli.upkeep import UpkeepCommand
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings

_UNFINISHED = "the move is not finished, and nothing is lost: run the same command again, which goes on where it stopped"
_FOLDER_NAME = "moved"


def _words(parser: ArgumentParser) -> None:
    place = "The name of a destination of the configuration, or a folder such as ./store"
    parser.add_argument("--from", dest="source", metavar="PLACE", help=f"{place}; left out, the default destination.")
    parser.add_argument("--to", dest="target", metavar="PLACE", help=f"{place}, in which nothing is stored yet.")
    parser.add_argument(
        "--keep-source",
        dest="leaving",
        action="store_const",
        const=Leaving.OPEN,
        default=Leaving.SEALED,
        help="Leave the source in use, where it may only be read too, instead of sealing it: then there are two stores.",
    )
    parser.add_argument("--reopen", metavar="PLACE", help="Give a place that a store was moved away from its use back, instead.")


def _run(session: Session, given: Namespace) -> Reply:
    settings = session.settings
    if given.reopen is not None:
        return _reopened(settings, given)
    source = _default(settings) if given.source is None else _place(settings, given.source, "--from")
    if given.target is None:
        raise InvalidArgument("--to", None, "the name of a destination, or a folder", "it says where the store is to be")
    target = _place(settings, given.target, "--to")
    if address_of(source) == address_of(target):
        raise InvalidArgument("--to", given.target, "another place", "the store is there")
    begun = time.monotonic()
    answer = _moved(settings, source, target, given.leaving)
    answer["seconds"] = round(time.monotonic() - begun, 1)
    if answer["status"] == "moved":
        answer["index"] = _indexed(settings, target)
    answer["next"] = _next(answer)
    return Reply(answer, _shown)


def _reopened(settings: Settings, given: Namespace) -> Reply:
    if given.source is not None or given.target is not None:
        raise InvalidArgument("--reopen", given.reopen, "either --reopen, or --from and --to", "it moves nothing")
    place = _place(settings, given.reopen, "--reopen")
    elsewhere = reopen(settings, place)
    return Reply({"status": "reopened", "place": address_of(place), "moved_to": elsewhere}, screen.anything)


def _moved(settings: Settings, source: DestinationSettings, target: DestinationSettings, leaving: Leaving) -> dict[str, Json]:
    shown: list[Progress] = []

    def begin(phase: Phase) -> Progress:
        _end(shown)
        shown.append(Progress(phase.value))
        return shown[-1]

    try:
        with open_moving(settings, source, target) as moving:
            return move(moving, leaving, begin)
    except (RecordanceError, KeyboardInterrupt):
        if shown:  # something was carried already
            complain(_UNFINISHED)
        raise
    finally:
        _end(shown)


def _end(shown: list[Progress]) -> None:
    for progress in shown[-1:]:
        progress.end()


def _indexed(settings: Settings, place: DestinationSettings) -> dict[str, Json]:
    """Return how full the indexes are; where they cannot be built now, the store is moved nevertheless."""
    progress = Progress("Indexing")
    try:
        return build_indexes(settings, place, ACTOR, progress)
    except RecordanceError as problem:
        return {"complete": False, "why": screen.one(str(problem), 400)}
    finally:
        progress.end()


def _default(settings: Settings) -> DestinationSettings:
    default = settings.catalogue().default
    return next(place for place in settings.places() if place.name == default)


def _place(settings: Settings, word: str, option: str) -> DestinationSettings:
    """Return a destination by its name, or a folder by its path; a bare word is never a folder, as it may be a slip."""
    for place in settings.places():
        if place.name == word:
            return place
    if os.sep not in word and not word.startswith((".", "~")):
        names = ", ".join(settings.names())
        raise InvalidArgument(option, word, f"one of {names}, or a folder such as ./{word}", "no destination is called so")
    try:
        folder = file_path(word).expanduser().resolve()
        return DestinationSettings.model_validate({"name": _FOLDER_NAME, "store": folder})
    except (ValidationError, ValueError, OSError, RuntimeError):
        raise InvalidArgument(option, word, "a folder outside the program", "no store can be there") from None


def _next(answer: Answer) -> list[str]:
    """Return what is left to do for whoever moved the store."""
    steps = [f"Let every client use {answer['to']}: the settings truth and vectors, or store for a folder."]
    if answer["source"] == Leaving.SEALED.value:
        steps.append(
            f"{answer['from']} is sealed, and every program that still uses it is told so. It holds everything as it was: remove "
            "it when you need it no more, for what you forget from now on stays there."
        )
    else:
        steps.append(f"{answer['from']} is still in use: what is written to one of both is not in the other.")
    if not answer.get("index", {}).get("complete", True):
        steps.append("The indexes are not complete yet; they go on by themselves with the first use: see recordance doctor.")
    return steps


def _shown(answer: Answer) -> Iterator[str]:
    """A move as a person reads it."""
    yield f"{answer['status'].replace('_', ' ')}: store {answer['store']}, from {answer['from']} to {answer['to']}"
    if "compared" in answer:
        forgotten = f", {answer['forgotten']:,} forgotten" if answer["forgotten"] else ""
        yield f"{answer['capsules']:,} capsules{forgotten}, up to seq {answer['seq']:,}, in {answer['seconds']} s"
        compared = ", ".join(f"{count:,} {name}" for name, count in answer["compared"].items() if count)
        yield f"compared and equal: {compared}"
    if "index" in answer:
        index = answer["index"]
        yield f"index: {index['why'] if 'why' in index else '{documents:,} documents, {vectors:,} vectors'.format(**index)}"
    yield from (f"next: {step}" for step in answer["next"])


MOVE = UpkeepCommand("move", "Move a store to another place: from a folder to servers and back, with everything.", _words, _run)
"""The command."""
