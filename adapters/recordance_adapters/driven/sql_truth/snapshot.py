"""What every transaction knows from its first statement on: the counters. That statement also fixes the snapshot."""

from dataclasses import dataclass

from sqlalchemy import select

from recordance.domain.identity import StoreIdentity
from recordance.errors import StoreUnusable
from recordance.ranking.bm25 import CorpusStatistics
from recordance_adapters.driven.sql_truth.rows import Rows
from recordance_adapters.driven.sql_truth.standing import turned
from recordance_adapters.driven.sql_truth.tables import alembic_version, counter, store_meta

_COUNTERS = select(
    counter.c.capsules,
    counter.c.words,
    counter.c.last_number,
    counter.c.seq,
    alembic_version.c.version_num,
    store_meta.c.store,
)
_REPLACED = "another store was put into the place of the one that this program had opened; restart this program"


@dataclass(slots=True)
class Counters:
    """How many unforgotten capsules and words there are, the last capsule number, and the last journal seq."""

    capsules: int
    words: int
    last_number: int
    seq: int


class Snapshot:
    """One transaction's view of the store."""

    def __init__(self, rows: Rows, identity: StoreIdentity, version: str) -> None:
        """Raises StoreUnusable when another program has migrated, moved or replaced the store since this one opened it."""
        self._rows = rows
        self._identity = identity
        self._version = version
        *numbers, found, store = rows.all(_COUNTERS)[0]
        if found != version:
            raise turned(found, version)
        if store != identity.store:
            raise StoreUnusable(_REPLACED, lesson=_REPLACED)
        self._counters = Counters(*numbers)

    @property
    def rows(self) -> Rows:
        """The transaction itself, for what reads or writes rows as they stand."""
        return self._rows

    def head(self) -> int:
        """See TruthReader."""
        return self._counters.seq

    def identity(self) -> StoreIdentity:
        """See TruthReader."""
        return self._identity

    def last_number(self) -> int:
        """See TruthReader."""
        return self._counters.last_number

    def corpus(self) -> CorpusStatistics:
        """See TruthReader."""
        return CorpusStatistics(self._counters.capsules, self._counters.words)
