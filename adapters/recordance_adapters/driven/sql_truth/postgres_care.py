"""Looking after a store in Postgres as far as a client can: dead row versions, and what the server says of itself."""

import math
from collections.abc import Sequence, Set

from psycopg import sql
from psycopg.errors import Diagnostic

from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.postgres_connecting import Driver

_EMPTIED = ("capsule", "capsule_revision", "capsule_mark", "anchor", "embedding", "feedback", "review_event", "corroboration")
_FORGETTING = (*_EMPTIED, "kept_answer", "miss", "journal")
"""The tables whose rows a forget empties, drops or shortens."""
_HELD = (
    "SELECT EXISTS (SELECT FROM pg_stat_activity AS other, counter WHERE other.datname = current_database() "
    "AND other.pid <> pg_backend_pid() AND age(other.backend_xmin) >= age(counter.xmin))"
)
_INVALID = (
    "SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indrelid "
    "WHERE relnamespace = quote_ident(current_schema())::regnamespace AND NOT indisvalid ORDER BY 1"
)
_COUNTED = (
    "SELECT counter.seq, (SELECT count(*) FROM journal), (SELECT coalesce(max(seq), 0) FROM journal), "
    "counter.last_number, (SELECT coalesce(max(number), 0) FROM capsule) FROM counter"
)
_CHECKSUMS = "SELECT coalesce(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()"
_THERE = """SELECT relname::text FROM pg_class
    WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind = ANY ('{r,p,v,m,f}')"""


def names_of_tables(connection: Driver) -> Set[str]:
    """Return the names of all tables and views in the store's schema."""
    return {name for (name,) in connection.execute(_THERE)}


def vacuum_store(connection: Driver) -> bool:
    """Have the server clear away the row versions that a forget left; return whether it did so in every table.

    False where it may not, or where somebody's snapshot still needs them. The bytes of what was cleared lie in free room of the
    server's files, its log and its backups until they are written over: no client can reach those.
    """
    warnings: list[Diagnostic] = []
    connection.add_notice_handler(lambda said: warnings.append(said) if said.severity_nonlocalized == "WARNING" else None)
    connection.patience = math.inf
    connection.execute("SET statement_timeout = 0", prepare=False)
    (held,) = connection.execute(_HELD).fetchone() or (True,)
    names = sql.SQL(", ").join(map(sql.Identifier, _FORGETTING))
    connection.execute(sql.SQL("VACUUM (INDEX_CLEANUP ON) {}").format(names), prepare=False)
    return not held and not warnings


def take_over_rows(connection: Driver) -> None:
    """Let numbering go on after rows that were put in with their numbers, and the planner know what is in the tables."""
    for table in tables.metadata.sorted_tables:
        for column in table.c:
            if column.autoincrement is True:
                last = sql.SQL("SELECT setval(pg_get_serial_sequence({}, {}), coalesce(max({}), 0) + 1, false) FROM {}")
                name, place = sql.Identifier(table.name), sql.Identifier(column.name)
                connection.execute(last.format(table.name, column.name, place, name), prepare=False)
        connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(table.name)), prepare=False)


def damage_of(connection: Driver) -> Sequence[str]:
    """Return what is wrong as far as a client can see it: missing tables, invalid indexes, torn pages, counters that lie.

    References between rows are the server's own to keep; it is asked whether it found pages that do not fit their checksums.
    """
    if missing := sorted(tables.metadata.tables.keys() - names_of_tables(connection)):
        return [f"the table {name} is not there" for name in missing]
    found = [f"the index {name} is not valid: REINDEX it" for (name,) in connection.execute(_INVALID)]
    (failures,) = connection.execute(_CHECKSUMS).fetchone() or (0,)
    if failures:
        found.append(f"the server has read {failures} pages that do not fit their checksums: see its log, restore a backup")
    seq, rows, last_row, last_number, last_capsule = connection.execute(_COUNTED).fetchone() or (0,) * 5
    if not seq == rows == last_row:
        found.append(f"the journal has {rows} rows up to {last_row}, and the counter says {seq}")
    if last_capsule != last_number:
        found.append(f"the last capsule is number {last_capsule}, and the counter says {last_number}")
    return found
