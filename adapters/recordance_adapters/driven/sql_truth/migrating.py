"""Bringing an older store to this program's format: a backup first, then every revision in one transaction.

The only module that imports Alembic; it is itself imported only when there is something to migrate.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, select

from recordance.errors import StoreUnusable
from recordance_adapters.driven.sql_truth import migrations
from recordance_adapters.driven.sql_truth.dialect import SqlDialect
from recordance_adapters.driven.sql_truth.tables import alembic_version


def migrate(engine: Engine, dialect: SqlDialect, head: str, folders: Sequence[Path]) -> None:
    """Bring the store to format `head`; raises StoreUnusable, with the store as it was, when that fails."""
    with dialect.migrating(engine) as connection:
        found = connection.scalars(select(alembic_version.c.version_num)).one()
        if found == head:
            return  # another process did it while this one waited for its turn
        backup = dialect.back_up(f"format-{found}")
        try:
            run_revisions(connection, head, folders)
        except Exception as error:
            kept = "" if backup is None else f", and a copy of it is {backup.name}"
            what = f"the store could not be migrated from format {found} to {head}"
            lesson = f"{what}; it is as it was: use it with the program of its format, and see the log for why"
            raise StoreUnusable(f"{what}: {error}; it is as it was{kept}", lesson=lesson) from error


def run_revisions(connection: Connection, head: str, folders: Sequence[Path]) -> None:
    """Run every revision that the store lacks, up to `head`, in the connection's transaction."""
    config = Config(stdout=sys.stderr)  # stdout may be a wire
    config.set_main_option("script_location", _literal(Path(migrations.__file__).parent))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(map(_literal, folders)))
    config.attributes["connection"] = connection
    command.upgrade(config, head)


def _literal(path: Path) -> str:
    """A configuration file takes a percent sign for the start of a name."""
    return str(path).replace("%", "%%")
