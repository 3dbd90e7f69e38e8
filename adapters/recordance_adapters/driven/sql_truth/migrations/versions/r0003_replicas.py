"""Format 3: whoever keeps index folders beside a shared truth says there up to where nothing forgotten is left in them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

LABEL = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the table anew: the one of its name was never written."""
    op.drop_table("replica")
    op.create_table(
        "replica",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("host", LABEL, nullable=False),
        sa.Column("slot", sa.Integer, nullable=False),
        sa.Column("seen_at", NUMBER, nullable=False),
        sa.Column("clean_terms", NUMBER, nullable=False),
        sa.Column("clean_vectors", NUMBER, nullable=False),
        sa.Column("left_at", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_replica"),
    )
