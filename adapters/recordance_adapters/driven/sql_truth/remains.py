"""What still stands in the tables of a capsule that is forgotten: nothing, unless other hands were there (W6)."""

import functools
from collections.abc import Collection, Iterator, Mapping, Set
from typing import Any

from sqlalchemy import Select, bindparam, not_, or_, select
from sqlalchemy.sql import ColumnElement

from recordance.domain.tombstone import Remnant
from recordance.query.residue import capsules_named
from recordance_adapters.driven.sql_truth import tables
from recordance_adapters.driven.sql_truth.rows import Build, among
from recordance_adapters.driven.sql_truth.snapshot import Snapshot

_text, _anchor, _note = tables.capsule_revision.c, tables.anchor.c, tables.corroboration.c
_HAS_TEXT = or_(
    *(column != "" for column in (_text.content, _text.headline, _text.source)),
    *(column.is_not(None) for column in (_text.proof_hint, _text.stale_if, _text.signature)),
    *(column != "[]" for column in (_text.tags, _text.topics, _text.entities, _text.metadata)),
)
_HAS_ANCHOR = or_(
    _anchor.text != "", *(column.is_not(None) for column in (_anchor.path, _anchor.line, _anchor.sha, _anchor.file_hash))
)
_ANSWERS_READ = 100
_ANSWERS = (
    select(tables.kept_answer.c.digest, tables.kept_answer.c.answer)
    .where(tables.kept_answer.c.digest > bindparam("after"))
    .order_by(tables.kept_answer.c.digest)
    .limit(_ANSWERS_READ)
)


def _where(owner: ColumnElement[Any], *conditions: ColumnElement[bool]) -> Build:
    """Return the statements that find which capsules own a row for which the conditions hold."""

    @functools.cache
    def build(size: int) -> Select[Any]:
        return select(owner).distinct().where(among(owner, size), *conditions).order_by(owner)

    return build


_ROWS: Mapping[Remnant, tuple[Build, ...]] = {
    Remnant.TEXT: (_where(_text.capsule, _HAS_TEXT),),
    Remnant.ANCHOR: (_where(_anchor.capsule, _HAS_ANCHOR),),
    Remnant.MARK: (_where(tables.capsule_mark.c.capsule, not_(tables.FORMER)),),
    Remnant.VECTOR: (_where(tables.embedding.c.capsule),),
    Remnant.NOTE: (
        _where(tables.feedback.c.capsule, tables.feedback.c.note.is_not(None)),
        _where(tables.review_event.c.capsule, tables.review_event.c.reason.is_not(None)),
        _where(_note.capsule, or_(_note.anchor_path != "", _note.anchor_sha.is_not(None))),
    ),
}


class RemainReading(Snapshot):
    """The part of TruthReader that looks for what should be gone."""

    def remains(self, numbers: Collection[int]) -> Mapping[int, Set[Remnant]]:
        """See TruthReader."""
        found: dict[int, set[Remnant]] = {}
        for remnant, number in self._found(frozenset(numbers)):
            found.setdefault(number, set()).add(remnant)
        return found

    def _found(self, numbers: frozenset[int]) -> Iterator[tuple[Remnant, int]]:
        for remnant, builds in _ROWS.items():
            for build in builds:
                yield from ((remnant, number) for (number,) in self._rows.among(build, numbers))
        if numbers:
            for answer in self._answers():
                yield from ((Remnant.ANSWER, number) for number in capsules_named(answer) & numbers)

    def _answers(self) -> Iterator[str]:
        last = ""
        while rows := self._rows.all(_ANSWERS, after=last):
            last = rows[-1][0]
            yield from (answer for _, answer in rows)
