"""What the server needs of the program that starts it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from recordance.query.request import DEFAULT_TOKEN_BUDGET
from recordance.usecases.store import Destinations
from recordance_adapters.wire.tool import Tool


class Service(Protocol):
    """The opened, or not yet opened, house.

    `destinations` may open the store when it is first read, so that nothing that grows with the store stands before the
    handshake; it is read from worker threads, and must be safe for that. A store that cannot be opened raises there.
    """

    @property
    def destinations(self) -> Destinations:
        """The destinations that tools run on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How one server is set.

    `tools` are what it lists and calls, in that order. `project` stamps writes that name none; `token_budget` is what a recall
    may spend that names none. `actor` is written into the
    journal; None takes the client's own name. `version` is the program's. `writes_at_once` are the calls that write and run at
    the same time: in one store they take their turns anyway, and a second one would only take the interpreter from recalls.
    """

    tools: Sequence[Tool]
    version: str
    project: str | None = None
    token_budget: int = DEFAULT_TOKEN_BUDGET
    actor: str | None = None
    writes_at_once: int = 1
