"""Reading capsules: by number, by content, by key, by page. Rows come in the order of their keys, on every database (O11)."""

import functools
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Integer, Select, bindparam, func, or_, select

from recordance.domain.caller import under
from recordance.domain.capsule import Capsule, CapsuleText, Tombstone
from recordance.domain.provenance import Anchor
from recordance.ports.truth import KeyedCapsule, KnownContent, ListPage, ListRequest
from recordance.query.document import TermDocument
from recordance.ranking.bm25 import CorpusStatistics
from recordance_adapters.driven.sql_truth.capsule_rows import (
    ANCHOR_COLUMNS,
    READ_COLUMNS,
    TEXT_COLUMNS,
    capsule_of,
    content_key,
    digest,
    document_of,
    text_of,
)
from recordance_adapters.driven.sql_truth.listing import counted, narrows, page
from recordance_adapters.driven.sql_truth.rows import Row, among
from recordance_adapters.driven.sql_truth.snapshot import Snapshot
from recordance_adapters.driven.sql_truth.tables import (
    FORMER,
    anchor,
    capsule,
    capsule_mark,
    capsule_revision,
    project_counter,
    tombstone,
)

_UNFORGOTTEN = capsule.c.tombstoned_at.is_(None)
_CURRENT = capsule.join(
    capsule_revision,
    (capsule_revision.c.capsule == capsule.c.number) & (capsule_revision.c.revision == capsule.c.revision),
)

_WITHIN = select(func.sum(project_counter.c.capsules), func.sum(project_counter.c.words)).where(
    or_(
        project_counter.c.project_id == bindparam("prefix"),
        func.substr(project_counter.c.project_id, 1, bindparam("length", type_=Integer)) == bindparam("below"),
    )
)


@functools.cache
def _capsules(size: int) -> Select[tuple[object, ...]]:
    return select(*READ_COLUMNS).where(among(capsule.c.number, size)).order_by(capsule.c.number)


@functools.cache
def _texts(size: int) -> Select[tuple[object, ...]]:
    chosen = select(*TEXT_COLUMNS).select_from(_CURRENT)
    return chosen.where(_UNFORGOTTEN, among(capsule.c.number, size)).order_by(capsule.c.number)


@functools.cache
def _anchors(size: int) -> Select[tuple[object, ...]]:
    current = anchor.join(capsule, (anchor.c.capsule == capsule.c.number) & (anchor.c.revision == capsule.c.revision))
    chosen = select(*ANCHOR_COLUMNS).select_from(current).where(_UNFORGOTTEN, among(anchor.c.capsule, size))
    return chosen.order_by(anchor.c.capsule, anchor.c.position)


@functools.cache
def _contents(size: int) -> Select[tuple[int, str]]:
    chosen = select(capsule.c.number, capsule_revision.c.content).select_from(_CURRENT)
    return chosen.where(_UNFORGOTTEN, among(capsule.c.number, size)).order_by(capsule.c.number)


@functools.cache
def _documents(size: int) -> Select[tuple[object, ...]]:
    chosen = select(*READ_COLUMNS, *TEXT_COLUMNS).select_from(_CURRENT)
    return chosen.where(_UNFORGOTTEN, among(capsule.c.number, size)).order_by(capsule.c.number)


@functools.cache
def _known(size: int) -> Select[tuple[str, str | None, int]]:
    wanted = among(capsule.c.content_key, size)
    return select(capsule.c.content_digest, capsule.c.project_id, capsule.c.number).where(_UNFORGOTTEN, wanted)


@functools.cache
def _keyed(size: int) -> Select[tuple[str | None, str, int]]:
    holds = _UNFORGOTTEN & capsule.c.superseded_at.is_(None) & among(capsule.c.key_digest, size)
    return select(capsule.c.project_id, capsule.c.key, capsule.c.number).where(holds)


@functools.cache
def _tombstones(size: int) -> Select[tuple[object, ...]]:
    return select(tombstone).where(among(tombstone.c.capsule, size)).order_by(tombstone.c.capsule)


@functools.cache
def _forgotten(size: int) -> Select[tuple[str, int]]:
    chosen = select(tombstone.c.content_mac, func.min(tombstone.c.capsule))
    return chosen.where(among(tombstone.c.content_mac, size)).group_by(tombstone.c.content_mac).order_by(tombstone.c.content_mac)


@functools.cache
def _formerly(size: int) -> Select[tuple[str, int]]:
    mac, bearer = capsule_mark.c.digest, func.min(capsule_mark.c.capsule)
    return select(mac, bearer).where(FORMER, among(mac, size)).group_by(mac).order_by(mac)


@functools.cache
def _former_macs(size: int) -> Select[tuple[int, str]]:
    chosen = select(capsule_mark.c.capsule, capsule_mark.c.digest).where(FORMER, among(capsule_mark.c.capsule, size))
    return chosen.order_by(capsule_mark.c.capsule, capsule_mark.c.digest)


class CapsuleReading(Snapshot):
    """The part of TruthReader that is about capsules."""

    def corpus_within(self, subtrees: frozenset[str]) -> CorpusStatistics:
        """See TruthReader."""
        capsules = words = 0
        for prefix in _disjoint(subtrees):
            row = self._rows.all(_WITHIN, prefix=prefix, length=len(prefix) + 1, below=f"{prefix}/")[0]
            capsules, words = capsules + int(row[0] or 0), words + int(row[1] or 0)
        return CorpusStatistics(capsules, words)

    def capsules(self, numbers: Collection[int]) -> Mapping[int, Capsule]:
        """See TruthReader."""
        return {row[0]: capsule_of(row) for row in self._rows.among(_capsules, numbers)}

    def texts(self, numbers: Collection[int]) -> Mapping[int, CapsuleText]:
        """See TruthReader."""
        anchors: dict[int, list[Anchor]] = {}
        for number, _, _, *parts in self._rows.among(_anchors, numbers):
            anchors.setdefault(number, []).append(Anchor(*parts))
        return {row[0]: text_of(row, tuple(anchors.get(row[0], ()))) for row in self._rows.among(_texts, numbers)}

    def contents(self, numbers: Collection[int]) -> Mapping[int, str]:
        """See TruthReader."""
        return dict(self._rows.among(_contents, numbers))

    def documents(self, numbers: Collection[int]) -> Mapping[int, TermDocument]:
        """See TruthReader."""
        return {row[0]: document_of(row) for row in self._rows.among(_documents, numbers)}

    def known_contents(self, digests: Collection[str]) -> Sequence[KnownContent]:
        """See TruthReader."""
        found = [KnownContent(*row) for row in self._rows.among(_known, map(content_key, digests))]
        return sorted((known for known in found if known.digest in digests), key=lambda known: known.number)

    def keyed(self, keys: Collection[str]) -> Sequence[KeyedCapsule]:
        """See TruthReader."""
        holders = [KeyedCapsule(*row) for row in self._rows.among(_keyed, [digest(key) for key in keys])]
        return sorted(holders, key=lambda holder: holder.number)

    def tombstones(self, numbers: Collection[int]) -> Mapping[int, Tombstone]:
        """See TruthReader."""
        found: dict[int, Row] = {row[0]: row for row in self._rows.among(_tombstones, numbers)}
        former: dict[int, list[str]] = {}
        for number, mac in self._rows.among(_former_macs, found):
            former.setdefault(number, []).append(mac)
        return {number: _tombstone(row, former.get(number, ())) for number, row in found.items()}

    def forgotten(self, content_macs: Collection[str]) -> Mapping[str, int]:
        """See TruthReader."""
        found: dict[str, int] = dict(self._rows.among(_forgotten, content_macs))
        for mac, number in self._rows.among(_formerly, content_macs):
            found[mac] = min(number, found.get(mac, number))
        return found

    def listed(self, request: ListRequest) -> ListPage:
        """See TruthReader."""
        total = self._rows.once(counted(request))[0][0] if narrows(request) else self._counters.capsules
        numbers = tuple(number for (number,) in self._rows.once(page(request))) if total else ()
        return ListPage(numbers, total)


def _tombstone(row: Row, former: Sequence[str]) -> Tombstone:
    number, at, reason, actor, mac = row
    return Tombstone(number, at, reason, actor, mac, tuple(sorted(former)))


def _disjoint(subtrees: frozenset[str]) -> list[str]:
    """Return the subtrees that lie in no other one, so that nothing is counted twice."""
    return [each for each in subtrees if not any(each != other and under(each, other) for other in subtrees)]
