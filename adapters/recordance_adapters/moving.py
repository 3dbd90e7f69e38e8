"""A part of the composition root: two places become a move, and the indexes of the new one are built.

A truth is opened here without anything that follows it, so that nothing but the move looks at it.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from recordance.domain.destination import ROUTED
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.errors import InvalidArgument, Json
from recordance.ports.moving import Moving, Progress, Standing
from recordance.usecases.inspect import rebuild
from recordance_adapters.bootstrap import REPLICAS_FOLDER, TRUTH_FILE, Absent, folder_of, open_service
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings

if TYPE_CHECKING:
    from recordance_adapters.driven.sql_truth.preparing import Formats
    from recordance_adapters.driven.sql_truth.truth import SqlTruth


def told(place: DestinationSettings) -> str:
    """Return where a truth is, for people: a folder, or the address of a database without anybody's name or password."""
    if place.truth is None:
        return str(folder_of(place))
    parts = urlsplit(place.truth)
    schema = place.postgres.schema_name
    return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}{f', schema {schema}' if schema else ''}"


@contextmanager
def open_moving(source: DestinationSettings, target: DestinationSettings) -> Iterator[Moving]:
    """Open both places; where the target is none yet, it is made. Raises what opening a truth does."""
    from recordance_adapters.driven.sql_truth.moving import SqlMoving

    with closing(_open_truth(source, Absent.REFUSE)) as here, closing(_open_truth(target, Absent.MAKE)) as there:
        yield SqlMoving(here, told(source), there, told(target))


def reopen(place: DestinationSettings) -> str:
    """Give a place its use back that a store was moved away from, and return where that was moved to."""
    from recordance_adapters.driven.sql_truth import moving

    with closing(_open_truth(place, Absent.REFUSE)) as truth:
        if moving.standing_of(truth) is not Standing.MOVED_AWAY:
            raise InvalidArgument("--reopen", told(place), "a place that a store was moved away from", "no store was")
        return moving.reopen(truth)


def build_indexes(settings: Settings, place: DestinationSettings, actor: str, progress: Progress) -> dict[str, Json]:
    """Build the indexes of a place whose truth has just arrived, and return how much they hold beside what they should hold."""
    alone = settings.model_copy(update={"destinations": (place,), "scopes": (), "default_search_scope": (ROUTED,)})
    with open_service(alone, Absent.REFUSE) as service:
        caller = service.caller(actor)
        vectors = rebuild(service.destinations, caller, None, progress)["vectors"]
        with service.destinations.writing(caller, None).truth.reading() as reader:
            capsules, spaces = reader.corpus().capsules, reader.spaces()
        kept = sum(each.vectors for each in spaces if each.space.name == DEFAULT_SPACE)
        held = {"documents": service.housing().indexed(), "vectors": vectors}
        return {**held, "complete": held == {"documents": capsules, "vectors": kept}}


def _open_truth(place: DestinationSettings, absent: Absent) -> "SqlTruth":
    """Open a truth as it is, marked or not."""
    from recordance_adapters.driven.sql_truth.preparing import Formats
    from recordance_adapters.driven.sql_truth.standing import MARKS

    formats = Formats(marks=MARKS)
    return _open_folder(folder_of(place), absent, formats) if place.truth is None else _open_server(place, place.truth, formats)


def _open_folder(folder: Path, absent: Absent, formats: "Formats") -> "SqlTruth":
    from recordance_adapters.driven.sql_truth.opening import open_sql_truth
    from recordance_adapters.driven.sql_truth.sqlite_file import require_store
    from recordance_adapters.driven.tantivy_terms import positions_in

    file, followers = folder / TRUTH_FILE, positions_in(folder / REPLICAS_FOLDER)
    if absent is Absent.REFUSE:
        require_store(file, followers)
    return open_sql_truth(file, formats=formats, followers=followers)


def _open_server(place: DestinationSettings, url: str, formats: "Formats") -> "SqlTruth":
    from recordance_adapters.driven.sql_truth.opening import open_postgres_truth

    options, kept = place.postgres, place.truth_password_file
    return open_postgres_truth(
        url,
        password=None if kept is None else kept.read_text(encoding="utf-8").rstrip("\r\n"),
        formats=formats,
        pool=options.pool,
        connect_timeout=options.connect_timeout_ms / 1_000,
        statement_timeout=options.statement_timeout_ms / 1_000,
        schema=options.schema_name,
    )
