"""`recordance demo`: a short tour on a store of its own, with real recalls over a few statements (nothing is left behind)."""

import shlex
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recordance.errors import Json, Refusal
from recordance_adapters.bootstrap import Absent, open_service
from recordance_adapters.driving.cli.commands import TOOL_COMMANDS
from recordance_adapters.driving.cli.reply import Answer, Reply, refusal_object
from recordance_adapters.driving.cli.session import Session
from recordance_adapters.wire.tools.store import STORE

STATEMENTS: Sequence[Mapping[str, Json]] = (
    {
        "content": "The ferry timetable is read from the harbour office every morning at five.",
        "kind": "procedure",
        "embedding": [0.0, 0.0, 1.0],
    },
    {
        "content": "We keep departure times in UTC and show them in the harbour's own zone.",
        "kind": "decision",
        "embedding": [0.0, 0.0, 0.9],
    },
    {"content": "The booking form refuses a passenger without a surname.", "kind": "constraint"},
    {
        "content": "A cancelled crossing is refunded within three working days.",
        "kind": "fact",
        "confidence": 0.9,
        "embedding": [0.1, 0.9, 0.3],
    },
    {
        "content": "Storm warnings above force nine close the northern pier.",
        "kind": "fact",
        "source": "harbour rules, page 4",
        "embedding": [1.0, 0.0, 0.1],
    },
    {"content": "Die Fähre nach Süden fährt im Winter nur samstags.", "kind": "fact", "tags": ["winter"]},
    {"content": "The map service is called at most twice a second.", "kind": "constraint", "key": "map/rate"},
)
"""The embeddings are made by hand, three numbers each: how much a statement is about weather, money and the clock."""
PROJECT = "harbour/ferries"


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the tour and what is to be seen in its answer."""

    title: str
    words: tuple[str, ...]


TOUR = (
    Step("Words find statements; each comes with where it is from.", ("recall", "cancelled crossing", "refund")),
    Step("Accents and case do not matter.", ("recall", "FAHRE suden")),
    Step("A word that stands nowhere finds nothing, and the answer says where it looked.", ("recall", "gale")),
    Step("So it is taught …", ("alias", "gale", "storm")),
    Step("… and found.", ("recall", "gale")),
    Step(
        "A correction retires the old value at once.",
        ("store", "The map service is called at most five times a second.", "--key", "map/rate", "--project-id", PROJECT),
    ),
    Step("Only the new one answers; the old one is counted.", ("recall", "map service")),
    Step("What only the old one said is missing evidence, not silence.", ("recall", "twice")),
    Step("A fence holds: nothing lies in this project.", ("recall", "ferry", "--project-prefix", "airfield")),
    Step("What was never found is remembered, to be taught or stored.", ("misses",)),
    Step(
        "Your own embeddings find what no word does. Here they are made by hand: weather, money, clock.",
        ("recall", "reimbursement", "--query-embedding", "[0, 1, 0]", "--vector-k", "1"),
    ),
    Step("What must go is forgotten for good, and the receipt says what became of it in each place.", ("forget", "cap-4")),
    Step("No word of it finds it any more; its id tells that it was there.", ("recall", "crossing", "cap-4")),
)


class Demonstration:
    """The command."""

    name = "demo"
    about = "Take a short tour on a store of its own."
    absent = Absent.REFUSE

    def configure(self, _: ArgumentParser) -> None:
        """Declare nothing: the tour is the same for everybody."""

    def run(self, session: Session, _: Namespace) -> Reply:
        """Store the statements in a temporary store and ask it what the tour asks."""
        with tempfile.TemporaryDirectory(prefix="recordance-demo-", ignore_cleanup_errors=True) as folder:
            settings = session.settings.model_copy(update={"store": Path(folder) / "store", "project": PROJECT})
            with open_service(settings) as service:
                own = Session(settings=settings, service=service, servers=None)
                stored = STORE.handle(own.call(), {"items": [dict(statement) for statement in STATEMENTS]})
                steps = [{"command": "recordance store --items …", "answer": stored}]
                steps += [{"command": _spelled(step), "answer": _answer(own, step)} for step in TOUR]
        return Reply({"steps": steps}, _shown)


def _spelled(step: Step) -> str:
    return "recordance " + shlex.join(step.words)


def _answer(session: Session, step: Step) -> Answer:
    command, parser = TOOL_COMMANDS[step.words[0]], ArgumentParser(add_help=False)
    command.configure(parser)
    try:
        return command.run(session, parser.parse_intermixed_args(step.words[1:])).answer or {}
    except Refusal as refusal:
        return refusal_object(refusal)


def _shown(answer: Answer) -> Iterator[str]:
    stored, *steps = answer["steps"]
    yield f"A new store with {stored['answer']['captured']} statements of a ferry company."
    for place, (step, told) in enumerate(zip(TOUR, steps, strict=True), start=1):
        yield ""
        yield f"{place}. {step.title}"
        yield f"   $ {told['command']}"
        for line in TOOL_COMMANDS[step.words[0]].show(told["answer"]):
            yield f"   {line}"
    yield ""
    yield 'The store of this tour is gone. Yours begins with: recordance store "…"'


DEMO = Demonstration()
