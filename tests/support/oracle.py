"""The oracle of recall: the whole wire answer by the obvious loop over every capsule, written from the rules alone.

It shares the domain's values with the product and none of its ranking, matching, fencing or counting. Two things it takes as
they are, because tests of their own hold them: the words of an abstention, and what a probe reads at an anchor.
"""

import base64
import hashlib
import hmac
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from recordance.answer.outcome import BY_TERMS, Sight, abstention_reason, exclusion_reason
from recordance.domain.alias import Alias
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, CapsuleText, LabelField
from recordance.domain.embedding import DEFAULT_SPACE
from recordance.domain.identity import StoreIdentity
from recordance.domain.instant import Instant, format_instant
from recordance.domain.provenance import Anchor, AnchorReading
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Corroboration, Feedback
from recordance.errors import StateKind
from recordance.ports.truth import TruthReader
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import CreationFence, Fence, LabelBarrier, LabelFence, MarkFence, MarkField, MemberFence, SubtreeFence
from recordance.query.lane import Fusion, Lane
from recordance.query.request import RecallRequest
from recordance.query.terms import Alternative, TermGroup
from support.word_oracle import PLAIN, Services, Way, met, words

FUSION_DEPTH = 200
_LIVENESS: Mapping[str, Any] = {"true": True, "false": False, "unknown": "unknown"}


class Refused(Exception):
    """What was asked cannot be served, by this kind of state; None where the argument itself is at fault."""

    def __init__(self, kind: StateKind | None) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True, kw_only=True)
class World:
    """Everything that a store holds at one moment."""

    identity: StoreIdentity
    head: int
    capsules: Mapping[int, Capsule]
    texts: Mapping[int, CapsuleText]
    aliases: Sequence[Alias]
    relations: Sequence[Relation]
    corroborations: Mapping[int, Corroboration]
    vectors: Mapping[int, Sequence[float]]
    feedback: Mapping[int, Sequence[Feedback]]


def world_of(reader: TruthReader) -> World:
    """Read everything that a store holds."""
    every = range(1, reader.last_number() + 1)
    return World(
        identity=reader.identity(),
        head=reader.head(),
        capsules=reader.capsules(every),
        texts=reader.texts(every),
        aliases=reader.all_aliases(),
        relations=reader.relations_from(every, list(RelationKind)),
        corroborations=reader.corroborations(every),
        vectors={
            number: list(each.vector.values)
            for number, held in reader.embeddings(every).items()
            for each in held
            if each.space == DEFAULT_SPACE
        },
        feedback=reader.feedback(every),
    )


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a recall must answer, and what the miss ledger must then have been told."""

    answer: Mapping[str, Any]
    missed: tuple[tuple[str, ...], str] | None


@dataclass
class _Match:
    """A capsule with what the terms and the vectors say of it; no coverage means that no term found it."""

    capsule: Capsule
    text: CapsuleText
    matched: list[str] = field(default_factory=list)
    coverage: int = 0
    counted: set[str] = field(default_factory=set)
    covered: set[str] = field(default_factory=set)
    inexact: int = 0
    bm25: float = 0.0
    support: float = 0.0
    decayed: float = 0.0
    cosine: float | None = None
    rank: int | None = None


@dataclass(frozen=True, kw_only=True)
class Oracle:
    """Answers recalls about one world at one reading of the clock."""

    world: World
    now: Instant
    probe: Callable[[Anchor], AnchorReading]
    services: Services = PLAIN

    def expected(self, caller: Caller, request: RecallRequest) -> Expected:
        """Return the whole answer; raises Refused as the recall must."""
        own = [] if caller.projects is None else [SubtreeFence(caller.projects)]
        effort = None if request.effort_id is None else self._effort(caller, request.effort_id)
        members = [] if effort is None else [MemberFence(frozenset({effort["epic"], *effort["members"]}))]
        fences = [*request.scope.fences, *own, *members]
        corpus = [number for number in self.world.texts if _seen(own, self._of(number))]
        if request.lanes != (Lane.TERM,) and any(len(each) != len(_asked(request)) for each in self.world.vectors.values()):
            raise Refused(None)
        inside = {match.capsule.number: match for match in self._judged(request, fences, corpus)}
        by_terms = [match for match in inside.values() if match.coverage] if Lane.TERM in request.lanes else []
        eligible = sorted((match for match in by_terms if self._reason(match.capsule, request) is None), key=self._rank)
        excluded = Counter(reason for match in by_terms if (reason := self._reason(match.capsule, request)) is not None)
        missed_excluded = Counter(excluded)
        ranked: list[_Match] = eligible
        if Lane.VECTOR in request.lanes:
            near, withheld = self._near(request, inside)
            known = {match.capsule.number for match in by_terms}
            excluded.update(self._reason(each.capsule, request) for each in withheld if each.capsule.number not in known)
            ranked = self._fused(eligible, near, request)
        matched, matched_terms = len(ranked), len(eligible)
        if request.min_support and ranked:
            ranked = ranked[: max(FUSION_DEPTH, request.limit or 0)]
            kept = [match for match in ranked if round(match.support, 2) >= request.min_support]
            excluded["below_support"] = missed_excluded["below_support"] = len(ranked) - len(kept)
            ranked, matched, matched_terms = kept, len(kept), sum(match.coverage > 0 for match in kept)
        excluded["tombstoned"] = missed_excluded["tombstoned"] = self._forgotten(request, fences)
        answer = self._said(request, self._blended(ranked, request), matched, excluded, effort, len(corpus), _sight(caller))
        return Expected(answer=answer, missed=self._missed(request, matched_terms, missed_excluded))

    def _near(self, request: RecallRequest, inside: Mapping[int, _Match]) -> tuple[list[_Match], list[_Match]]:
        """Return the nearest that may ground, and those of the nearest inside the fences that may not; cosines are noted."""
        asked = _asked(request)
        near = []
        for number, vector in self.world.vectors.items():
            if number not in inside:
                continue
            cosine = math.fsum(x * y for x, y in zip(asked, vector, strict=True)) / (_length(asked) * _length(vector))
            if cosine > 0:
                near.append((-cosine, number))
        near.sort()
        fitting = [each for each in near if self._reason(inside[each[1]].capsule, request) is None][: request.vector_k]
        for negative, number in fitting:
            match = inside[number]
            match.cosine = -negative
            if Lane.TERM not in request.lanes:
                match.coverage, match.matched, match.support = 0, [], 0.0
            match.support = 1.0 - (1.0 - match.support) * (1.0 - min(1.0, -negative))
        withheld = [inside[number] for _, number in near[: request.vector_k]]
        return [inside[number] for _, number in fitting], [each for each in withheld if self._reason(each.capsule, request)]

    def _fused(self, by_terms: Sequence[_Match], near: Sequence[_Match], request: RecallRequest) -> list[_Match]:
        """Return both rankings as one: exact sums, then append order, then what lies behind the depth of the term lane."""
        front = by_terms[:FUSION_DEPTH]
        totals: dict[int, Fraction] = {}
        for lane, scores in ((front, [match.bm25 for match in front]), (near, [match.cosine for match in near])):
            for rank, (match, score) in enumerate(zip(lane, scores, strict=True), start=1):
                of_best = Fraction(score or 0) / Fraction(max(filter(None, scores)))
                part = Fraction(1, 60 + rank) if request.fusion is Fusion.RRF else of_best
                totals[match.capsule.number] = totals.get(match.capsule.number, Fraction(0)) + part
        known = {match.capsule.number: match for match in (*by_terms, *near)}
        ordered = [known[number] for number in sorted(totals, key=lambda number: (-totals[number], number))]
        ordered += [match for match in by_terms[FUSION_DEPTH:] if match.capsule.number not in totals]
        for rank, match in enumerate(ordered, start=1):
            match.rank = rank
        return ordered

    def _missed(self, request: RecallRequest, matched: int, excluded: Mapping[str, int]) -> tuple[tuple[str, ...], str] | None:
        if Lane.TERM not in request.lanes or matched:
            return None
        return tuple(" ".join(words(term.text)) for term in request.terms), (
            "missing_evidence" if any(excluded.values()) else "abstain"
        )

    def _of(self, number: int) -> tuple[Capsule, CapsuleText | None]:
        return self.world.capsules[number], self.world.texts.get(number)

    def _effort(self, caller: Caller, effort_id: str) -> dict[str, Any]:
        number = int(effort_id[4:]) if re.fullmatch(r"cap-[1-9][0-9]*", effort_id) else 0
        epic = self.world.capsules.get(number)
        if epic is None or not _project_seen(caller, epic):
            raise Refused(StateKind.UNKNOWN_CAPSULE)
        if epic.standing.tombstoned_at is not None:
            raise Refused(StateKind.TOMBSTONED_CAPSULE)
        if epic.labels.get(LabelField.KIND) != "epic":
            raise Refused(StateKind.NOT_AN_EPIC)
        to_epic = [relation for relation in self.world.relations if relation.target == number]
        members = {
            relation.source
            for relation in to_epic
            if relation.kind == "part_of" and _project_seen(caller, self.world.capsules[relation.source])
        }
        if not members:
            raise Refused(StateKind.EFFORT_WITHOUT_MEMBERS)
        witnessed = any(relation.kind == "witnesses" for relation in to_epic)
        return {"epic": number, "members": members, "open": not witnessed and epic.standing.superseded_at is None}

    def _judged(self, request: RecallRequest, fences: Sequence[Fence], corpus: Sequence[int]) -> Iterator[_Match]:
        """Yield every capsule inside the fences with what the terms say of it."""
        contents = {number: words(self.world.texts[number].content) for number in corpus}
        ways = self._ways(request)
        questioned = {word for term_words, _ in ways for word in term_words}
        asked = questioned | {word for _, term_ways in ways for way in term_ways for word in way.words}
        made = {number: Counter(self.services.made_of(content)) for number, content in contents.items()}
        frequency = {word: sum(word in counts for counts in made.values()) for word in asked}
        size = len(contents)
        mean = sum(map(len, contents.values())) / size if size else 1.0
        weight = {word: math.log1p((size - count + 0.5) / (count + 0.5)) for word, count in frequency.items()}
        for number, content in contents.items():
            capsule, text = self._of(number)
            if text is None or not _seen(fences, (capsule, text)):
                continue
            counts = made[number]
            match = _matched(_Match(capsule, text), set(counts), ways)
            norm = 1.2 * (1.0 - 0.75 + 0.75 * len(content) / mean)
            match.bm25 = math.fsum(weight[word] * counts[word] * 2.2 / (counts[word] + norm) for word in sorted(match.counted))
            found = (questioned & counts.keys()) | match.covered
            match.support = math.fsum(weight[word] for word in sorted(found)) / math.fsum(
                weight[word] for word in sorted(questioned)
            )
            age = max(0, self.now - capsule.validity.valid_from) / 86_400_000_000
            match.decayed = capsule.confidence * 2.0 ** (-age / 90)
            yield match

    def _ways(self, request: RecallRequest) -> list[tuple[list[str], list[Way]]]:
        """Return for each term its own words, and every way in which it can match."""
        return [(words(term.text), self.services.ways(term.text, self.world.aliases)) for term in request.terms]

    def _reason(self, capsule: Capsule, request: RecallRequest) -> str | None:
        at = self.now if request.as_of is None else request.as_of
        standing, validity, event, window = capsule.standing, capsule.validity, capsule.event, request.window
        holds = {
            "quarantined": standing.quarantined_at is not None,
            "falsified": standing.falsified_at is not None,
            "archived": standing.archived_at is not None,
            "superseded": standing.superseded_at is not None and standing.superseded_at <= at,
            "expired": validity.valid_to is not None and at >= validity.valid_to,
            "not_yet_valid": at < validity.valid_from,
            "outside_time_window": window is not None
            and event is not None
            and (
                (window.start is not None and event.event_to < window.start)
                or (window.end is not None and event.event_from > window.end)
            ),
            "undated": window is not None and event is None,
            "proposed": standing.review in ("proposed", "rejected"),
        }
        waived = {reason.value for reason in request.admit}
        return next((reason for reason, held in holds.items() if held and reason not in waived), None)

    def _rank(self, match: _Match) -> tuple[Any, ...]:
        capsule = match.capsule
        unused = capsule.use.last_at is None
        return (
            -match.coverage,
            match.inexact,
            -match.bm25,
            -match.decayed,
            -capsule.validity.valid_from,
            (unused, 0 if capsule.use.last_at is None else -capsule.use.last_at),
            -capsule.use.count,
            capsule.number,
        )

    def _blended(self, ranked: Sequence[_Match], request: RecallRequest) -> list[_Match]:
        if not request.weight_blend and not request.corroboration_blend:
            return list(ranked)
        scored = []
        for rank, match in enumerate(ranked, start=1):
            verdict = self.world.corroborations.get(match.capsule.number)
            witnessed = Fraction(1, 2) if verdict is None else Fraction(verdict.verdict == "corroborated")
            by_feedback = 1 + Fraction(request.weight_blend) * (Fraction(match.capsule.use.feedback_weight) - Fraction(1, 2))
            by_witness = 1 + Fraction(request.corroboration_blend) * (witnessed - Fraction(1, 2))
            scored.append((-Fraction(1, 60 + rank) * by_feedback * by_witness, match.capsule.number, match))
        return [match for _, _, match in sorted(scored, key=lambda one: one[:2])]

    def _forgotten(self, request: RecallRequest, fences: Sequence[Fence]) -> int:
        named = {term.text for term in request.terms}
        kept = [fence for fence in fences if _fences_skeletons(fence)]
        return sum(
            capsule.standing.tombstoned_at is not None and f"cap-{number}" in named and _seen(kept, (capsule, None))
            for number, capsule in self.world.capsules.items()
        )

    def _said(
        self,
        request: RecallRequest,
        ranked: Sequence[_Match],
        matched: int,
        excluded: Mapping[str, int],
        effort: dict[str, Any] | None,
        corpus: int,
        sight: Sight,
    ) -> dict[str, Any]:
        allowed = ranked if request.limit is None else ranked[: request.limit]
        results, spent = [], 0
        for match in allowed:
            result = self._envelope(match, request, effort)
            spent += math.ceil(len(json.dumps(result, ensure_ascii=False, separators=(",", ":"))) / 4)
            if request.token_budget == 0 or (spent > request.token_budget and results):
                break
            results.append(result)
        counts = {reason: excluded[reason] for reason in _REASONS if excluded.get(reason)}
        outcome = "grounded" if matched else "missing_evidence" if counts else "abstain"
        answer: dict[str, Any] = {
            "outcome": outcome,
            "results": results,
            "matched": matched,
            "returned": len(results),
            "trimmed_by_limit": matched - len(allowed),
            "trimmed_by_budget": len(allowed) - len(results),
            "token_budget": request.token_budget,
        }
        if counts:
            answer["excluded"] = counts
        if outcome == "missing_evidence":
            answer["reason"] = exclusion_reason(BY_TERMS, {ExclusionReason(reason): count for reason, count in counts.items()})
        if outcome == "abstain":
            answer["reason"] = self._why(request, corpus, sight)
        if effort is not None:
            total = len(effort["members"])
            answer["effort"] = {"epic_id": f"cap-{effort['epic']}", "member_total": total, "open": effort["open"]}
        if matched:
            answer["receipt"] = self._receipt(results)
        if results:
            answer["support"] = round(allowed[0].support, 2)
        if request.stated:
            answer["scope"] = dict(request.stated)
        return answer

    def _envelope(self, match: _Match, request: RecallRequest, effort: dict[str, Any] | None) -> dict[str, Any]:
        capsule, text = match.capsule, match.text
        provenance = {"source": text.source}
        freshness = {"valid_from": format_instant(capsule.validity.valid_from)}
        if text.anchors:
            provenance["anchor"] = text.anchors[0].text
        provenance["source_hash"] = hashlib.sha256(text.content.encode()).hexdigest()
        if capsule.validity.valid_to is not None:
            freshness["valid_to"] = format_instant(capsule.validity.valid_to)
        reading = self.probe(text.anchors[0]) if text.anchors else None
        review = capsule.standing.review
        fields: dict[str, Any] = {
            "label": "ADVISORY_NOT_AUTHORITY",
            "framing": "DATA",
            "id": f"cap-{capsule.number}",
            "headline": text.headline,
            "instruction_taint": len(capsule.taint) > 0,
            "authority_class": capsule.labels.get(LabelField.AUTHORITY),
            "confidence": capsule.confidence,
            "decayed_weight": round(match.decayed, 2),
            "provenance": provenance,
            "anchor_live": None if reading is None else _LIVENESS[reading.liveness.value],
            "anchor_drift": None if reading is None else reading.drift.value,
            "evidence_state": capsule.labels.get(LabelField.EVIDENCE),
            "proof_hint": text.proof_hint,
            "stale_if": text.stale_if,
            "freshness": freshness,
            "matched_terms": match.matched,
            "relevance": match.coverage or None,
            "bm25": -round(match.bm25, 4) + 0.0 if match.coverage else None,
            "vector_similarity": None if match.cosine is None else round(match.cosine, 4),
            "fusion_rank": match.rank,
            "support": round(match.support, 2),
            "feedback_weight": round(capsule.use.feedback_weight, 2) if request.weight_blend else None,
            "review_state": review.value if review in ("proposed", "rejected") else None,
            "corroboration": _verdict(self.world.corroborations.get(capsule.number)),
            "effort_role": None if effort is None else "epic" if capsule.number == effort["epic"] else "member",
        }
        return {name: value for name, value in fields.items() if value is not None}

    def _why(self, request: RecallRequest, corpus: int, sight: Sight) -> str:
        groups = [
            TermGroup(term, tuple(Alternative(way.label, way.words) for way in ways))
            for term, (_, ways) in zip(request.terms, self._ways(request), strict=True)
        ]
        return abstention_reason(BY_TERMS, request.lanes, groups, request.stated, corpus, len(self.world.vectors), sight)

    def _receipt(self, results: Sequence[Mapping[str, Any]]) -> str:
        numbers = [int(result["id"][4:]) for result in results]
        body = json.dumps([self.world.identity.store, self.world.head, numbers], separators=(",", ":"))
        packed = base64.urlsafe_b64encode(body.encode()).decode().rstrip("=")
        digest = hmac.digest(self.world.identity.key, packed.encode(), hashlib.sha256)[:16]
        return f"rcpt-{packed}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


_REASONS = (
    "quarantined", "falsified", "archived", "superseded", "expired", "not_yet_valid", "outside_time_window", "undated",
    "proposed", "below_support", "tombstoned",
)  # fmt: skip


def _asked(request: RecallRequest) -> list[float]:
    return [] if request.embedding is None else list(request.embedding.values)


def _length(vector: Sequence[float]) -> float:
    return math.sqrt(math.fsum(each * each for each in vector))


def _matched(match: _Match, content: set[str], ways: Sequence[tuple[list[str], list[Way]]]) -> _Match:
    for own, term_ways in ways:
        hits = met(content, term_ways)
        match.coverage += bool(hits)
        match.inexact += bool(hits) and not hits[0].exact
        for way in hits:
            match.counted.update(way.words)
            match.covered.update(own)
            if way.label not in match.matched:
                match.matched.append(way.label)
    return match


def _seen(fences: Sequence[Fence], of: tuple[Capsule, CapsuleText | None]) -> bool:
    return all(_admitted(fence, *of) for fence in fences)


def _admitted(fence: Fence, capsule: Capsule, text: CapsuleText | None) -> bool:
    match fence:
        case LabelFence(label, any_of):
            return capsule.labels.get(label) in any_of
        case LabelBarrier(label, none_of):
            return capsule.labels.get(label) not in none_of
        case SubtreeFence(prefixes):
            project = capsule.labels.get(LabelField.PROJECT)
            return project is not None and any((project + "/").startswith(prefix + "/") for prefix in prefixes)
        case MarkFence(mark, any_of):
            return text is not None and bool(any_of & set(_marks(text)[mark]))
        case CreationFence(since, until):
            return (since is None or since <= capsule.captured_at) and (until is None or capsule.captured_at <= until)
        case MemberFence(numbers):
            return capsule.number in numbers


def _marks(text: CapsuleText) -> dict[MarkField, list[str]]:
    return {
        MarkField.TAGS: list(text.tags),
        MarkField.TOPICS: list(text.topics),
        MarkField.ENTITIES: [entity.casefold() for entity in text.entities],
        MarkField.METADATA: [f"{name}\0{value}" for name, value in text.metadata],
    }


def _fences_skeletons(fence: Fence) -> bool:
    match fence:
        case LabelFence(label) | LabelBarrier(label):
            return label in ("project_id", "session_id", "kind")
        case MarkFence() | CreationFence():
            return False
        case _:
            return True


def _sight(caller: Caller) -> Sight:
    return Sight.WHOLE if caller.projects is None else Sight.PART


def _project_seen(caller: Caller, capsule: Capsule) -> bool:
    return caller.projects is None or _admitted(SubtreeFence(caller.projects), capsule, None)


def _verdict(corroboration: Corroboration | None) -> dict[str, Any] | None:
    if corroboration is None:
        return None
    said = {
        "source": "git",
        "git_ref": corroboration.git_ref,
        "anchor_path": corroboration.anchor_path,
        "anchor_sha": corroboration.anchor_sha,
        "anchor_content": corroboration.verdict.value,
        "mentions": corroboration.mentions,
        "at": format_instant(corroboration.at),
    }
    return {name: value for name, value in said.items() if value is not None}
