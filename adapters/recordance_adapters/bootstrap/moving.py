"""Two places become a move, and the indexes of the new one are built.

A truth is opened here without anything that follows it, so that nothing but the move looks at it.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from recordance.domain.destination import ROUTED
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.errors import InvalidArgument, Json
from recordance.ports.moving import Moving, Progress, Standing
from recordance.usecases.inspect import rebuild
from recordance_adapters.bootstrap.places import open_service
from recordance_adapters.bootstrap.truths import Absent, address_of, open_truth
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings

if TYPE_CHECKING:
    from recordance_adapters.driven.sql_truth.truth import SqlTruth


@contextmanager
def open_moving(settings: Settings, source: DestinationSettings, target: DestinationSettings) -> Iterator[Moving]:
    """Open both places; where the target is none yet, it is made. Raises what opening a truth does."""
    from recordance_adapters.driven.sql_truth.moving import SqlMoving

    with (
        closing(_open_marked(Absent.REFUSE, settings, source)) as here,
        closing(_open_marked(Absent.MAKE, settings, target)) as there,
    ):
        yield SqlMoving(here, address_of(source), there, address_of(target))


def reopen(settings: Settings, place: DestinationSettings) -> str:
    """Give a place its use back that a store was moved away from, and return where that was moved to."""
    from recordance_adapters.driven.sql_truth import moving

    with closing(_open_marked(Absent.REFUSE, settings, place)) as truth:
        if moving.standing_of(truth) is not Standing.MOVED_AWAY:
            raise InvalidArgument("--reopen", address_of(place), "a place that a store was moved away from", "no store was")
        return moving.reopen(truth)


def build_indexes(settings: Settings, place: DestinationSettings, actor: str, progress: Progress) -> dict[str, Json]:
    """Build the indexes of a place whose truth has just arrived, and return how much they hold, and whether that is all."""
    alone = settings.model_copy(update={"destinations": (place,), "scopes": (), "default_search_scope": (ROUTED,)})
    with open_service(alone, Absent.REFUSE) as service:
        caller = service.caller(actor)
        with service.destinations.writing(caller, None).truth.reading() as reader:
            capsules, kept = reader.corpus().capsules, {each.space.name: each.vectors for each in reader.spaces()}
        rebuilt = rebuild(service.destinations, caller, None, progress)
        held = {"documents": service.housing().indexed(), "vectors": rebuilt["vectors"]}
        of_models: dict[str, int] = rebuilt.get("spaces", {})  # a model that embeds meanwhile may have brought more
        whole = all(there >= kept.get(name, 0) for name, there in of_models.items())
        complete = whole and held == {"documents": capsules, "vectors": kept.get(DEFAULT_SPACE, 0)}
        return {**held, **({"spaces": of_models} if of_models else {}), "complete": complete}


def _open_marked(absent: Absent, settings: Settings, place: DestinationSettings) -> "SqlTruth":
    """Open a truth as it is, whatever mark it bears."""
    from recordance_adapters.driven.sql_truth.preparing import Formats
    from recordance_adapters.driven.sql_truth.standing import MARKS

    return open_truth(absent, settings, place, Formats(marks=MARKS))
