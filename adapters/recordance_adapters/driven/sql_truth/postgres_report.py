"""What a Postgres says of itself and of one store's tables, for whoever looks after it."""

from contextlib import closing
from dataclasses import dataclass

import psycopg

from recordance_adapters.driven.sql_truth.postgres_connecting import server_of
from recordance_adapters.driven.sql_truth.postgres_failures import failure_of

_ASKED = (
    "SELECT current_setting('server_version'), coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint "
    "FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind = 'r'"
)


@dataclass(frozen=True, slots=True)
class ServerReport:
    """The server's version, and how many bytes the tables of the store take there with their indexes."""

    version: str
    size: int


def server_report(
    url: str, *, password: str | None, connect_timeout: float, statement_timeout: float, schema: str | None
) -> ServerReport:
    """Ask the server, on a connection of its own. Raises StoreUnusable when it cannot be reached."""
    server = server_of(url, password, connect_timeout, statement_timeout, schema)
    try:
        with closing(server.connect()) as connection:
            version, size = connection.execute(_ASKED, prepare=False).fetchone() or ("unknown", 0)
    except psycopg.Error as error:
        raise failure_of(error, "store") or error from error
    return ServerReport(str(version), int(size))
