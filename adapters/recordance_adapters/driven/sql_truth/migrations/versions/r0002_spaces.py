"""Format 2: a space knows its model and how many vectors it holds; what was forgotten is found without reading the journal."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

LABEL = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
TOMBSTONED = sa.text("op = 'tombstoned'")


def upgrade() -> None:
    """Add the two columns and the index, and count what is there."""
    op.add_column("embedding_space", sa.Column("model", LABEL, nullable=True))
    op.add_column("embedding_space", sa.Column("vectors", NUMBER, nullable=False, server_default="0"))
    op.execute(
        "UPDATE embedding_space SET vectors = (SELECT count(*) FROM embedding WHERE embedding.space = embedding_space.space)"
    )
    op.create_index("ix_journal_tombstoned", "journal", ["seq", "capsule"], sqlite_where=TOMBSTONED, postgresql_where=TOMBSTONED)
