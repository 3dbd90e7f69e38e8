"""Opening the truth of a destination: a SQLite file in its folder, or one schema of a Postgres database."""

import secrets
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from recordance.domain.identity import StoreIdentity
from recordance.errors import StoreUnusable
from recordance_adapters.driven.system.housing import Database
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings

if TYPE_CHECKING:
    from recordance_adapters.driven.sql_truth.preparing import Formats
    from recordance_adapters.driven.sql_truth.truth import SqlTruth

TRUTH_FILE = "truth.sqlite"
REPLICAS_FOLDER = "replicas"


class Absent(Enum):
    """What is done where no store is."""

    MAKE = "make"
    """A new one is made."""
    REFUSE = "refuse"
    """StoreUnusable is raised, and nothing made: whoever only asks has named the wrong folder, or the wrong database."""


def folder_of(place: DestinationSettings) -> Path:
    """Return the folder that a destination has here; `Settings.places` sees that there is one."""
    if place.store is None:
        raise ValueError(f"destination {place.name} has no folder")
    return place.store


def address_of(place: DestinationSettings) -> str:
    """Return where a truth is, for people: a folder, or the address of a database without anybody's name or password."""
    if place.truth is None:
        return str(folder_of(place))
    parts = urlsplit(place.truth)
    schema = place.postgres.schema_name
    return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}{f', schema {schema}' if schema else ''}"


def open_truth(absent: Absent, settings: Settings, place: DestinationSettings, formats: "Formats | None" = None) -> "SqlTruth":
    """Open the truth of a destination, and make it where it is missing unless that is to be refused.

    `formats` are those of this program when left out. Raises StoreUnusable where it cannot be used, and MissingState where
    others keep it locked.
    """
    if place.truth is None:
        return _open_file(absent, settings, folder_of(place), formats)
    return _open_server(absent, settings, place, place.truth, formats)


def _open_file(absent: Absent, settings: Settings, folder: Path, formats: "Formats | None") -> "SqlTruth":
    from recordance_adapters.driven.sql_truth.opening import open_sql_truth
    from recordance_adapters.driven.sql_truth.sqlite_file import require_store
    from recordance_adapters.driven.tantivy_terms import positions_in

    file, followers = folder / TRUTH_FILE, positions_in(folder / REPLICAS_FOLDER)
    if absent is Absent.REFUSE:
        require_store(file, followers)
    return open_sql_truth(file, identity=fixed_identity(settings), formats=formats, followers=followers)


def _open_server(
    absent: Absent, settings: Settings, place: DestinationSettings, url: str, formats: "Formats | None"
) -> "SqlTruth":
    from recordance_adapters.driven.sql_truth.opening import open_postgres_truth

    missing = _nothing_there(place) if absent is Absent.REFUSE else None
    return open_postgres_truth(
        url,
        identity=fixed_identity(settings),
        formats=formats,
        pool=place.postgres.pool,
        missing=missing,
        **connecting(place),
    )


def connecting(place: DestinationSettings) -> dict[str, Any]:
    """Return how a connection to a truth on a server is made; the file of the password is read now. Raises StoreUnusable."""
    return {
        "password": _password(place.truth_password_file),
        "connect_timeout": place.postgres.connect_timeout_ms / 1_000,
        "statement_timeout": place.postgres.statement_timeout_ms / 1_000,
        "schema": place.postgres.schema_name,
    }


def report(place: DestinationSettings) -> Database:
    """Ask the server of a truth what it is and how much the store takes there. Raises StoreUnusable where it cannot be asked."""
    from recordance_adapters.driven.sql_truth.postgres_report import server_report

    told = server_report(place.truth or "", **connecting(place))
    return Database("postgres", told.version, told.size)


def _password(file: Path | None) -> str | None:
    return None if file is None else secret_in(file, "password of the truth's user")


def secret_in(file: Path, what: str) -> str:
    """Return what a file holds, without the end of its line. Raises StoreUnusable where it cannot be read; repeats nothing."""
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as problem:
        lesson = f"the file with the {what} cannot be read: see that it is there, and that this program may read it"
        raise StoreUnusable(f"{lesson} ({file}: {type(problem).__name__})", lesson=lesson) from None


def _nothing_there(place: DestinationSettings) -> StoreUnusable:
    lesson = "there is no store in the database, and nothing was made: see that the address and the schema are right"
    return StoreUnusable(f"{lesson} ({address_of(place)})", lesson=lesson)


def fixed_identity(settings: Settings) -> StoreIdentity | None:
    """Return the identity of a store that is made new, where the settings give any of it."""
    store, key = settings.fixed.store_id, settings.fixed.store_key
    if store is None and key is None:
        return None
    drawn = identity_by_chance()
    return StoreIdentity(store or drawn.store, key or drawn.key)


def identity_by_chance() -> StoreIdentity:
    """Return an identity that no other store has."""
    return StoreIdentity(secrets.token_hex(8), secrets.token_bytes(32))
