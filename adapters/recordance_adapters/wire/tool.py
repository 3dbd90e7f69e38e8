"""What a tool is: a declaration of its arguments, what it does to the store, and a handler from raw arguments to an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from recordance.domain.caller import Caller
from recordance.errors import Json
from recordance.query.request import DEFAULT_TOKEN_BUDGET
from recordance.usecases.follow import Progress
from recordance.usecases.store import Destinations
from recordance.usecases.whereabouts import UNTOLD, Started
from recordance_adapters.wire.declaration import Declaration


def unheard(done: int, total: int) -> None:
    """Progress that nobody asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """On whose behalf and with what a tool runs.

    `project` is the stamp of writes that name no project themselves (the server's `--project`), `token_budget`
    holds for recalls that name none; `destination` None is the default one; `progress` hears
    (done, total) as long work goes on, from the thread that does it. `started` is what the caller may know of how the server was
    started: its own project, which fences `recall`, where they see it.
    """

    destinations: Destinations
    caller: Caller
    project: str | None = None
    token_budget: int = DEFAULT_TOKEN_BUDGET
    destination: str | None = None
    progress: Progress = unheard
    started: Started = UNTOLD


class Effect(StrEnum):
    """What calling a tool does to the store; its four annotations follow from this."""

    READS = "reads"
    """Nothing changes."""
    ADDS = "adds"
    """Something is added; a repetition adds more."""
    SETTLES = "settles"
    """Something is added or set; a repetition changes nothing further."""
    REMOVES = "removes"
    """Something may be taken away; a repetition changes nothing further."""


class ToolSet(StrEnum):
    """Groups of tools that a server is started with (WIRE.md "Tool sets")."""

    CORE = "core"
    SEARCH = "search"
    RECALL = "recall"
    PIPELINE = "pipeline"
    LIFE = "life"


Handle = Callable[[Call, Mapping[str, Json]], dict[str, Json]]
"""From raw arguments to the answer as a wire object; raises Refusal for what cannot be served."""
Render = Callable[[Mapping[str, Json], Mapping[str, Json]], str | None]
"""From an answer and the raw arguments to the text that people read; None where they get the object as JSON (O10)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool as it is published and called; without `render` its text block is the answer as JSON."""

    name: str
    title: str
    description: str
    effect: Effect
    tool_set: ToolSet
    arguments: Declaration
    output: Mapping[str, Json]
    handle: Handle
    render: Render | None = None

    @property
    def annotations(self) -> dict[str, Json]:
        """All four hints, always (WIRE.md "Writing")."""
        return {
            "readOnlyHint": self.effect is Effect.READS,
            "destructiveHint": self.effect is Effect.REMOVES,
            "idempotentHint": self.effect is not Effect.ADDS,
            "openWorldHint": False,
        }
