"""Opening a store on a Postgres server: made where there is none, refused with a word on what to do where it cannot be one."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import create_engine, text

from recordance.errors import MissingState, StateKind, StoreUnusable
from recordance_adapters.driven.sql_truth import migrations
from recordance_adapters.driven.sql_truth.migrating import run_revisions
from recordance_adapters.driven.sql_truth.opening import Formats, open_postgres_truth
from recordance_adapters.driven.sql_truth.postgres_connecting import key_of
from recordance_adapters.driven.sql_truth.truth import SqlTruth
from support import postgres_stores
from support.postgres_server import session_server
from support.truths import IDENTITY, entombed, read_everything, remember, stands, write

SECRET = "a secret that nobody sees"


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The URL of an empty store."""
    return postgres_stores.database_of(tmp_path, IDENTITY)


@pytest.fixture(scope="module")
def empty() -> Iterator[str]:
    """The URL of a database in which stores are made in schemas of their own."""
    server = session_server()
    name = server.make_database()
    yield server.url_of(name)
    server.drop_database(name)


def ask(url: str, sql: str) -> list[tuple]:
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        asked = connection.execute(sql.encode())
        return asked.fetchall() if asked.description else []


@contextmanager
def locked(url: str, schema: str = "public") -> Iterator[None]:
    """Hold the turn to write, as another process would."""
    with closing(psycopg.connect(url)) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (key_of("write", schema),))
        yield


def test_a_store_keeps_its_identity_and_its_capsules(empty: str) -> None:
    """case D3: opened again, it is the same store with the same content; its schema is made when it is missing."""
    with closing(open_postgres_truth(empty, schema="My schema's")) as truth:
        remember(truth, "one", "two")
        with truth.reading() as reader:
            before = read_everything(reader)
    with closing(open_postgres_truth(empty, schema="My schema's", identity=IDENTITY)) as truth, truth.reading() as reader:
        assert read_everything(reader) == before


def test_stores_in_several_schemas_of_one_database_know_nothing_of_each_other(empty: str) -> None:
    """D1: each has its own journal, its own turn to write and its own notifications."""
    with (
        closing(open_postgres_truth(empty, schema="team", patience=0.2)) as team,
        closing(open_postgres_truth(empty, schema="notes", patience=0.2)) as notes,
    ):
        with team.writing():
            assert remember(notes, "note") == [1]
        with team.reading() as reader:
            assert reader.head() == 0


def test_programs_that_make_one_store_at_once_make_one(empty: str) -> None:
    """case C1: four at once, in a schema that none of them finds."""
    with ThreadPoolExecutor(4) as pool:
        truths = list(pool.map(lambda _: open_postgres_truth(empty, schema="at_once", pool=1), range(4)))
    heads = []
    for truth in truths:
        with closing(truth), truth.reading() as reader:
            heads.append((reader.identity(), reader.head()))
    assert len(set(heads)) == 1


def test_a_database_with_other_tables_is_left_alone(empty: str) -> None:
    """A store is not mixed into somebody else's tables; the lesson says what to do."""
    ask(empty, "CREATE SCHEMA theirs; CREATE TABLE theirs.orders (number int)")
    with pytest.raises(StoreUnusable, match="other tables") as told:
        open_postgres_truth(empty, schema="theirs")
    assert told.value.kind is StateKind.STORE_UNUSABLE
    assert ask(empty, "SELECT tablename FROM pg_tables WHERE schemaname = 'theirs'") == [("orders",)]


def test_a_newer_programs_store_is_refused(store: str) -> None:
    """case L4: an older program never guesses at what a newer one has written."""
    ask(store, "UPDATE alembic_version SET version_num = '9999'")
    try:
        with pytest.raises(StoreUnusable, match="format 9999"):
            open_postgres_truth(store)
    finally:
        ask(store, f"UPDATE alembic_version SET version_num = '{migrations.HEAD}'")


def test_an_older_store_is_migrated_with_all_that_it_holds(empty: str) -> None:
    """case L4: every revision runs here too, in one transaction; the tables are those of a store that was made anew."""
    make_first_format(empty, "older")
    older = open_postgres_truth(empty, schema="older", formats=Formats("0001"))
    older.close()
    ask(empty, "INSERT INTO older.embedding_space (space, dimension, at) VALUES ('default', 3, 1)")
    with (
        closing(open_postgres_truth(empty, schema="older")) as truth,
        closing(open_postgres_truth(empty, schema="newer")) as fresh,
    ):
        remember(truth, "one", "two")
        write(truth, stands(1, archived_at=1), entombed(2))
        assert truth.damage() == fresh.damage() == []
    assert structure(empty, "older") == structure(empty, "newer")


def test_a_migration_that_fails_leaves_the_store_as_it_was(empty: str, tmp_path: Path) -> None:
    """case L4: one transaction on Postgres as well, tables included."""
    open_postgres_truth(empty, schema="failing").close()
    before = structure(empty, "failing")
    (tmp_path / "next.py").write_text(
        f"from alembic import op\nrevision = '9000'\ndown_revision = '{migrations.HEAD}'\n"
        "def upgrade():\n    op.drop_table('replica')\n    raise RuntimeError('no mood today')\n"
    )
    with pytest.raises(StoreUnusable, match="no mood today; it is as it was"):
        open_postgres_truth(empty, schema="failing", formats=Formats("9000", (migrations.VERSIONS, tmp_path)))
    assert structure(empty, "failing") == before
    open_postgres_truth(empty, schema="failing").close()


def test_a_store_that_is_busy_for_too_long_says_so(store: str) -> None:
    """A bound instead of waiting for ever; nothing was written."""
    with closing(open_postgres_truth(store, patience=0.05)) as truth, locked(store):
        with pytest.raises(MissingState) as told:
            remember(truth, "x")
        with truth.reading() as reader:
            assert reader.head() == 0
    assert told.value.kind is StateKind.STORE_BUSY


def test_waiting_for_a_turn_is_bounded_by_patience_alone(store: str) -> None:
    """The time that a statement may take does not end the wait of whoever is patient."""
    with closing(open_postgres_truth(store, patience=30, statement_timeout=0.02)) as truth, ThreadPoolExecutor(1) as pool:
        with locked(store):
            waiting = pool.submit(remember, truth, "patient")
            waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            while not ask(store, waits):
                pass
            ask(store, "SELECT pg_sleep(0.1)")
        assert waiting.result() == [1]


def test_a_statement_that_takes_too_long_is_ended_and_told(store: str) -> None:
    """A database that hangs costs a bounded time, and says that nothing was written."""
    with closing(open_postgres_truth(store, statement_timeout=0.05)) as truth:
        with pytest.raises(MissingState) as told, truth.reading() as reader:
            reader._rows.once(text("SELECT pg_sleep(30)"))
        assert told.value.kind is StateKind.STORE_BUSY
        assert remember(truth, "after") == [1]


@pytest.mark.parametrize("setting", ["idle_in_transaction_session_timeout", "transaction_timeout"])
def test_what_a_server_ends_for_its_own_timeouts_is_told_as_busy(store: str, setting: str) -> None:
    """case C3: whoever runs the server may bound transactions; the caller hears that it may try again, and no fault."""
    if setting not in [name for (name,) in ask(store, "SELECT name FROM pg_settings")]:
        pytest.skip(f"this server has no {setting}")
    open_postgres_truth(store).close()
    with closing(open_postgres_truth(f"{store}?options=-c{setting}%3D200")) as truth:
        with pytest.raises(MissingState) as told:
            read_slowly(truth, store)
        assert told.value.kind is StateKind.STORE_BUSY


def read_slowly(truth: SqlTruth, url: str) -> None:
    """Read, pause for longer than the server lets anybody, and read again."""
    with truth.reading() as reader:
        ask(url, "SELECT pg_sleep(0.5)")
        reader._rows.once(text("SELECT 1"))


@pytest.mark.parametrize("name", ["pg_mine", "pg_temp", "$user", "x" * 64])
def test_a_schema_that_the_server_would_take_for_another_is_refused(empty: str, name: str) -> None:
    """Names of the server's own mean something else to it, and of two that are too long it would make one."""
    with pytest.raises(StoreUnusable, match="schema"):
        open_postgres_truth(empty, schema=name)


def test_a_call_that_finds_every_connection_in_use_waits_within_a_bound(store: str) -> None:
    """More calls at once than connections is a matter of patience, and then of trying again."""
    with closing(open_postgres_truth(store, pool=1, patience=0.05)) as truth, truth.reading(), truth.reading():
        with pytest.raises(MissingState) as told, truth.reading():
            pass
        assert told.value.kind is StateKind.STORE_BUSY


def test_a_driver_that_is_not_installed_is_named() -> None:
    """The program goes on without what it does not need; where it is needed, the lesson says what to install."""
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from recordance_adapters.driven.sql_truth.opening import open_postgres_truth\n"
        "try: open_postgres_truth('postgresql://nobody@nowhere/nothing')\n"
        "except Exception as problem: print(problem.lesson)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert "install recordance[postgres]" in done.stdout


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("postgresql://ann:{secret}@127.0.0.1:9/db", StateKind.STORE_UNREACHABLE),
        ("postgres://ann:{secret}@127.0.0.1:9/db?connect_timeout=2", StateKind.STORE_UNREACHABLE),
        ("postgresql://ann:{secret}@127.0.0.1:port/db?nonsense=1", StateKind.STORE_UNUSABLE),
    ],
    ids=["nobody there", "the other scheme", "no URL"],
)
def test_a_server_that_is_not_there_is_told_without_a_secret(url: str, kind: StateKind, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the wire nor the log repeats a password; the wire names no host either."""
    caplog.set_level(logging.DEBUG)
    with pytest.raises(StoreUnusable) as told:
        open_postgres_truth(url.format(secret=SECRET.replace(" ", "%20")), connect_timeout=0.2)
    assert told.value.kind is kind
    assert "127.0.0.1" not in told.value.lesson
    shown = caplog.text + str(told.value) + told.value.lesson
    assert SECRET not in shown
    assert SECRET.replace(" ", "%20") not in shown


def test_a_schema_that_may_not_be_made_is_told(empty: str) -> None:
    """A user with few rights is told which one is missing, and finds no half of a store."""
    ask(empty, "CREATE ROLE poor LOGIN")
    poor = empty.replace("postgresql://recordance", "postgresql://poor")
    try:
        with pytest.raises(StoreUnusable, match="may not do this"):
            open_postgres_truth(poor, schema="of_the_poor")
        with pytest.raises(StoreUnusable, match=r"may not do this|no schema"):
            open_postgres_truth(poor)
    finally:
        ask(empty, "DROP ROLE poor")


def test_a_database_that_takes_no_writes_is_read(store: str) -> None:
    """A standby answers recalls; a write is refused with a word on where to write."""
    with closing(open_postgres_truth(store)) as truth:
        remember(truth, "there")
    name = conninfo_to_dict(store)["dbname"]
    ask(store, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    try:
        with closing(open_postgres_truth(store)) as truth:
            assert truth.obstacle
            with truth.reading() as reader:
                assert reader.contents([1]) == {1: "there"}
            with pytest.raises(MissingState) as told:
                remember(truth, "x")
            assert told.value.kind is StateKind.NOT_PERMITTED
    finally:
        ask(
            f"{store}?options=-cdefault_transaction_read_only%3Doff", f"ALTER DATABASE {name} RESET default_transaction_read_only"
        )


def test_writes_are_durable_whatever_the_servers_default(store: str) -> None:
    """W1: a server that is set to answer before its log is written is not believed; a stricter setting stays."""
    with closing(open_postgres_truth(store)) as truth, truth.writing() as writer:
        assert writer._rows.once(text("SELECT current_setting('synchronous_commit')")) == [("on",)]
    with closing(open_postgres_truth(f"{store}?options=-csynchronous_commit%3Dremote_apply")) as truth, truth.reading() as reader:
        assert reader._rows.once(text("SELECT current_setting('synchronous_commit')")) == [("remote_apply",)]


def make_first_format(url: str, schema: str) -> None:
    """An empty store of the first format, made by the revision of that format."""
    ask(url, f"CREATE SCHEMA {schema}")
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"), connect_args={"options": f"-csearch_path={schema}"})
    with engine.begin() as connection:
        run_revisions(connection, "0001", [migrations.VERSIONS])
        meta = {"store": IDENTITY.store, "key": IDENTITY.key}
        connection.execute(text("INSERT INTO store_meta (one, store, key, made_by) VALUES (1, :store, :key, 'the first')"), meta)
        connection.execute(text("INSERT INTO counter (one, capsules, words, last_number, seq) VALUES (1, 0, 0, 0, 0)"))
    engine.dispose()


def structure(url: str, schema: str) -> dict[str, set[tuple]]:
    """Columns, constraints and indexes of a schema, as the server tells them, without its name."""
    asked = {
        "columns": "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name, "
        f"character_maximum_length FROM information_schema.columns WHERE table_schema = '{schema}'",
        "indexes": f"SELECT indexdef FROM pg_indexes WHERE schemaname = '{schema}'",
        "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        f"WHERE connamespace = '{schema}'::regnamespace AND contype <> 'n'",
    }
    return {
        name: {tuple(str(part).replace(f"{schema}.", "") for part in row) for row in ask(url, sql)} for name, sql in asked.items()
    }
