"""The tables. Standing, numbers, instants and labels in `capsule`; all free text in revisions that forgetting empties.

Instants are whole microseconds since 1970. JSON is kept as the text that it was written as. Labels can be long, so those that
are looked up have a digest beside them, and only digests are indexed (W14).
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    literal_column,
)
from sqlalchemy.sql.elements import ColumnElement

from recordance.domain.capsule import LabelField

LOOKED_UP = (
    LabelField.PROJECT,
    LabelField.SESSION,
    LabelField.REPO,
    LabelField.TASK,
    LabelField.WORKSTREAM,
    LabelField.EPISODE,
    LabelField.USER,
    LabelField.AGENT,
    LabelField.KEY,
)
"""The labels by which capsules are looked up; the others are only compared on rows that were found otherwise."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

LABEL = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that is compared and ordered by code point, whatever the database's collation."""
NUMBER = BigInteger().with_variant(Integer, "sqlite")
"""64 bits; SQLite numbers rows by itself only in a column called INTEGER."""
DIGEST = String(64)


def _instant(name: str, *, nullable: bool = False) -> Column[int]:
    return Column(name, NUMBER, nullable=nullable)


def _capsule() -> Column[int]:
    return Column("capsule", NUMBER, ForeignKey("capsule.number"), nullable=False)


def _place() -> Column[int]:
    """A number that grows with every row, so that rows come back in the order in which they were written."""
    return Column("place", NUMBER, primary_key=True, autoincrement=True)


def _one_row() -> tuple[Column[int], CheckConstraint]:
    return Column("one", Integer, primary_key=True, autoincrement=False), CheckConstraint("one = 1", name="one_row")


_partial: list[tuple[Index, ColumnElement[bool]]] = []


def _partly(index: Index, when: ColumnElement[bool]) -> Index:
    """Let the index cover only the rows for which `when` holds; the others cost nothing."""
    _partial.append((index, when))
    return index


def made_for(database: str) -> MetaData:
    """Return the tables as a database of this name makes them.

    Which rows an index covers is an option of each database's own. It is given only when tables are made: to name a database
    beforehand is to import all of it, at every start.
    """
    for index, when in _partial:
        index.dialect_kwargs[f"{database}_where"] = when
    return metadata


def _present(name: str, *columns: Column[str], when: ColumnElement[bool]) -> Index:
    """An index over the rows that bear something."""
    return _partly(Index(name, *columns), when)


alembic_version = Table(
    "alembic_version",
    metadata,
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)

store_meta = Table(
    "store_meta",
    metadata,
    *_one_row(),
    Column("store", LABEL, nullable=False),
    Column("key", LargeBinary, nullable=False),
    Column("made_by", LABEL, nullable=False),
)

counter = Table(
    "counter",
    metadata,
    *_one_row(),
    Column("capsules", NUMBER, nullable=False),
    Column("words", NUMBER, nullable=False),
    Column("last_number", NUMBER, nullable=False),
    Column("seq", NUMBER, nullable=False),
)

project_counter = Table(
    "project_counter",
    metadata,
    Column("digest", DIGEST, primary_key=True),
    Column("project_id", LABEL, nullable=False),
    Column("capsules", NUMBER, nullable=False),
    Column("words", NUMBER, nullable=False),
)

capsule = Table(
    "capsule",
    metadata,
    Column("number", NUMBER, primary_key=True, autoincrement=False),
    Column("revision", Integer, nullable=False),
    Column("content_digest", DIGEST, nullable=False),
    Column("content_key", NUMBER, nullable=False),  # the digest's first bits: its index changes a page a row, so it is small
    Column("word_count", NUMBER, nullable=False),
    Column("confidence", Double, nullable=False),
    Column("importance", Double, nullable=False),
    Column("value", Double, nullable=False),
    _instant("valid_from"),
    _instant("valid_to", nullable=True),
    _instant("event_from", nullable=True),
    _instant("event_to", nullable=True),
    _instant("captured_at"),
    _instant("updated_at"),
    Column("writer", LABEL, nullable=False),
    Column("taint", Text, nullable=False),
    _instant("quarantined_at", nullable=True),
    _instant("falsified_at", nullable=True),
    _instant("archived_at", nullable=True),
    _instant("superseded_at", nullable=True),
    Column("superseded_by", NUMBER),
    Column("review", LABEL),
    _instant("tombstoned_at", nullable=True),
    Column("use_count", NUMBER, nullable=False),
    _instant("used_at", nullable=True),
    Column("feedback_weight", Double, nullable=False),
    *(Column(label.value, LABEL) for label in LabelField),
    *(Column(f"{label.value}_digest", DIGEST) for label in LOOKED_UP),
)
Index(None, capsule.c.content_key)
for _label in LOOKED_UP:
    _digest = capsule.c[f"{_label.value}_digest"]
    _present(f"ix_capsule_{_digest.name}", _digest, when=_digest.is_not(None))

capsule_revision = Table(
    "capsule_revision",
    metadata,
    _capsule(),
    Column("revision", Integer, nullable=False),
    Column("content", Text, nullable=False),
    Column("headline", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("proof_hint", Text),
    Column("stale_if", Text),
    Column("signature", Text),
    Column("tags", Text, nullable=False),
    Column("topics", Text, nullable=False),
    Column("entities", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    PrimaryKeyConstraint("capsule", "revision"),
)

anchor = Table(
    "anchor",
    metadata,
    _capsule(),
    Column("revision", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("path", Text),
    Column("line", NUMBER),
    Column("sha", String(64)),
    Column("file_hash", DIGEST),
    PrimaryKeyConstraint("capsule", "revision", "position"),
    sqlite_with_rowid=False,
)

capsule_mark = Table(
    "capsule_mark",
    metadata,
    _capsule(),
    Column("field", String(16), nullable=False),
    Column("digest", DIGEST, nullable=False),
    PrimaryKeyConstraint("capsule", "field", "digest"),
    Index(None, "field", "digest"),
    sqlite_with_rowid=False,
)

FORMER_MAC = "former_mac"
"""The field under which a forgotten capsule bears the keyed hashes of what its earlier revisions said (W6)."""
FORMER = capsule_mark.c.field == literal_column(f"'{FORMER_MAC}'")

relation = Table(
    "relation",
    metadata,
    _place(),
    Column("kind", LABEL, nullable=False),
    Column("source", NUMBER, ForeignKey("capsule.number"), nullable=False),
    Column("target", NUMBER, ForeignKey("capsule.number"), nullable=False),
    _instant("at"),
    _instant("removed_at", nullable=True),
    Index(None, "target"),
)
_partly(
    Index("ux_relation_living", relation.c.source, relation.c.kind, relation.c.target, unique=True),
    relation.c.removed_at.is_(None),
)

alias = Table(
    "alias",
    metadata,
    _place(),
    Column("term_digest", DIGEST, nullable=False),
    Column("alias_digest", DIGEST, nullable=False),
    Column("term_key", LABEL, nullable=False),
    Column("alias_key", LABEL, nullable=False),
    Column("term", Text, nullable=False),
    Column("text", Text, nullable=False),
    _instant("at"),
    _instant("removed_at", nullable=True),
)
_partly(Index("ux_alias_living", alias.c.term_digest, alias.c.alias_digest, unique=True), alias.c.removed_at.is_(None))

miss = Table(
    "miss",
    metadata,
    Column("term_digest", DIGEST, nullable=False),
    Column("outcome", LABEL, nullable=False),
    Column("fence_digest", DIGEST, nullable=False),
    Column("term_key", LABEL, nullable=False),
    Column("fence", LABEL, nullable=False),
    Column("count", NUMBER, nullable=False),
    _instant("last_at"),
    PrimaryKeyConstraint("term_digest", "outcome", "fence_digest"),
)

embedding_space = Table(
    "embedding_space",
    metadata,
    Column("space", String(200), primary_key=True),
    Column("dimension", Integer, nullable=False),
    _instant("at"),
    Column("model", LABEL),
    Column("vectors", NUMBER, nullable=False, server_default="0"),  # kept, so that no recall counts them
)

embedding = Table(
    "embedding",
    metadata,
    _capsule(),
    Column("space", String(200), ForeignKey("embedding_space.space"), nullable=False),
    Column("content_digest", DIGEST, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    _instant("at"),
    PrimaryKeyConstraint("capsule", "space"),
)

review_event = Table(
    "review_event",
    metadata,
    _place(),
    _capsule(),
    Column("verdict", LABEL, nullable=False),
    Column("reason", Text),
    Column("actor", LABEL, nullable=False),
    _instant("at"),
    Index(None, "capsule"),
)

feedback = Table(
    "feedback",
    metadata,
    _place(),
    _capsule(),
    Column("receipt_digest", DIGEST, nullable=False),
    Column("actor_digest", DIGEST, nullable=False),
    Column("receipt", LABEL, nullable=False),
    Column("actor", LABEL, nullable=False),
    Column("outcome", LABEL, nullable=False),
    Column("warrants", Boolean, nullable=False),
    Column("note", Text),
    _instant("at"),
    Index("ux_feedback_judgement", "capsule", "receipt_digest", "actor_digest", unique=True),
)

corroboration = Table(
    "corroboration",
    metadata,
    _place(),
    _capsule(),
    Column("git_ref", LABEL, nullable=False),
    Column("anchor_path", Text, nullable=False),
    Column("anchor_sha", String(64)),
    Column("verdict", LABEL, nullable=False),
    Column("mentions", NUMBER, nullable=False),
    _instant("at"),
    Index(None, "capsule"),
)

kept_answer = Table(
    "kept_answer",
    metadata,
    Column("digest", DIGEST, primary_key=True),
    Column("key", LABEL, nullable=False),
    Column("items_digest", LABEL, nullable=False),
    Column("answer", Text, nullable=False),
    _instant("at"),
)

tombstone = Table(
    "tombstone",
    metadata,
    Column("capsule", NUMBER, ForeignKey("capsule.number"), primary_key=True, autoincrement=False),
    _instant("at"),
    Column("reason", Text, nullable=False),
    Column("actor", LABEL, nullable=False),
    Column("content_mac", LABEL, nullable=False),
    Index(None, "content_mac"),
)

replica = Table(
    "replica",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("host", LABEL, nullable=False),
    Column("slot", Integer, nullable=False),
    _instant("seen_at"),
    Column("clean_terms", NUMBER, nullable=False),
    Column("clean_vectors", NUMBER, nullable=False),
    _instant("left_at", nullable=True),
)

journal = Table(
    "journal",
    metadata,
    Column("seq", NUMBER, primary_key=True, autoincrement=False),
    _instant("at"),
    Column("actor", LABEL, nullable=False),
    Column("op", LABEL, nullable=False),
    Column("capsule", NUMBER),
    Column("revision", Integer),
    Column("field_values", Text, nullable=False),
    Index(None, "capsule"),
)
TOMBSTONED = journal.c.op == literal_column("'tombstoned'")
"""The rows of forgettings, as the index over them says it: a database takes an index over some rows only for that very text."""
_partly(Index("ix_journal_tombstoned", journal.c.seq, journal.c.capsule), TOMBSTONED)
