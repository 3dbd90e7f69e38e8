"""Forgetting in the copies from before migrations, each in its own format, so that none keeps what is forgotten (W6)."""

import logging
from collections.abc import Mapping
from pathlib import Path

from recordance.domain.capsule import Tombstone
from recordance.domain.change import ChangeSet, Entomb
from recordance.domain.journal import Entry, Op
from recordance.errors import RecordanceError
from recordance.ports.truth import TruthWriter
from recordance_adapters.driven.sql_truth.opening import open_sql_file
from recordance_adapters.driven.sql_truth.preparing import Formats
from recordance_adapters.driven.sql_truth.sqlite_file import format_of, journal_of, store_file

PATIENCE_SECONDS = 2.0
"""How long somebody who reads a copy is waited for."""
_log = logging.getLogger(__name__)


def erase_in(copy: Path, tombstones: Mapping[int, Tombstone], patience: float = PATIENCE_SECONDS) -> bool:
    """Forget in one copy what has a tombstone, by number, and return whether no byte of it is left there."""
    try:
        return _erase_in(copy, tombstones, patience)
    except (RecordanceError, OSError) as error:
        _log.warning("%s cannot be rid of what was forgotten: %s", copy, error)
        return False


def _erase_in(copy: Path, tombstones: Mapping[int, Tombstone], patience: float) -> bool:
    """Do so with this program's statements: what they touch is in every format up to this one."""
    formats = Formats(head=format_of(copy) or "", folders=())
    truth = open_sql_file(store_file(copy, ()), patience=patience, formats=formats, remains=(copy,))
    try:
        with truth.writing() as writer:
            _entomb(writer, tombstones)
            head = writer.head()
        emptied = truth.rewrite(head) and truth.truncate_log(patience)
    finally:
        truth.close()
    journal_of(copy).unlink(missing_ok=True)  # one that was to be rolled back is gone; what stays is of no use to anybody
    return emptied


def _entomb(writer: TruthWriter, tombstones: Mapping[int, Tombstone]) -> None:
    for number, capsule in writer.capsules(tombstones).items():
        if capsule.standing.tombstoned_at is None:
            tombstone = tombstones[number]
            entry = Entry(Op.TOMBSTONED, number, capsule.revision, {"tombstoned_at": tombstone.at})
            writer.apply(ChangeSet((Entomb(tombstone),), (entry,)), tombstone.actor, tombstone.at)
