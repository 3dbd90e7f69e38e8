"""Scenes: random stores that live on, and random recalls about them, all from one seed.

Words follow Zipf's law, texts are 5 to 2,000 words long, contents repeat and permute so that scores tie, and every standing,
date, project, session, alias and relation that a recall can meet is met. Weights are fractions of two, so that a blend's exact
ties are ties in every arithmetic.
"""

import random
from collections.abc import Iterator
from typing import Any

from recordance.domain.alias import Alias
from recordance.domain.caller import Caller
from recordance.domain.capsule import LabelField, Standing, Tombstone, Use
from recordance.domain.change import (
    AppendCorroboration,
    Capture,
    Change,
    ChangeSet,
    Entomb,
    PutEmbedding,
    PutSpace,
    RemoveAlias,
    SetStanding,
    SetUse,
    TeachAlias,
)
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Space, Vector, vector_of
from recordance.domain.identity import content_digest
from recordance.domain.instant import Instant
from recordance.domain.journal import Op
from recordance.domain.provenance import read_anchor
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import AnchorVerdict, Corroboration, ReviewState
from recordance.domain.supersession import related, unrelated
from recordance.domain.validity import EventRange, TimeWindow, Validity
from recordance.query.exclusion import ExclusionReason
from recordance.query.fence import CreationFence, Fence, LabelBarrier, LabelFence, MarkFence, MarkField, Scope, SubtreeFence
from recordance.query.folding import fold_key, fold_words
from recordance.query.lane import Fusion, LaneChoice
from recordance.query.request import RecallRequest
from recordance.query.terms import read_terms
from support.truths import ACTOR, NOON, captured, days, make_capture, told

PROJECTS = ("nott", "nott/x", "nott/x/y", "nottx", "other", "Nott")
SESSIONS = ("sess-1", " sess-1", "AND", "a-b")
KINDS = ("fact", "decision", "task", "epic", "telemetry")
TAGS = ("async", "build", "a-b")
ANCHORS = ("src/lib.rs:3", "src/lib.rs:900", "gone.rs:1", "doc-7", "../outside:1")
FORMS = {"w3": ("café", "CAFÉ", "cafe\u0301", "cafe"), "w5": ("naïve", "Naive"), "w8": ("W8", "w8")}
JOINTS = (" ", " ", " ", " ", ", ", "-", "\n", " — ", "_")
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
VOCABULARY = 500
DIMENSION = 5
"""Components of a vector; they are small whole numbers, so that cosines tie, vanish and turn negative."""
WAIVED = {ExclusionReason.PROPOSED: 0.4}
"""How often a recall waives a reason; proposals ground more often than anybody asks for anything else."""
EPICS = 6
"""How many of the first capsules are epics, so that efforts are met."""


class Scene:
    """A store that lives on: what is written next and what is asked next, drawn from one seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._contents: list[str] = []
        self._alive: set[int] = set()
        self._dead: set[int] = set()
        self._relations: set[tuple[RelationKind, int, int]] = set()
        self._aliases: set[tuple[str, str]] = set()

    # ── what is written ───────────────────────────────────────────────────────────────────────────────────────────────────

    def beginning(self, count: int) -> Iterator[ChangeSet]:
        """Return writes that fill an empty store with so many capsules, and with everything that hangs on them."""
        for _ in range(count):
            yield captured(self._capture())
        for _ in range(count):
            yield self.write()

    def write(self) -> ChangeSet:
        """Return a write that fits what was written before."""
        makers = (
            self._a_capture, self._a_standing, self._a_standing, self._a_use, self._a_use, self._an_alias, self._a_membership,
            self._a_membership, self._a_verdict, self._a_forgetting, self._an_embedding, self._an_embedding,
        )  # fmt: skip
        return self._chance.choice(makers)()

    def moment(self) -> Instant:
        """Return an instant within a few days of noon, on whole days often enough to meet boundaries."""
        return Instant(NOON + days(self._chance.randint(-4, 4)) + self._chance.choice((0, 0, 0, -1, 1, 37)))

    def _a_capture(self) -> ChangeSet:
        return captured(self._capture())

    def _capture(self) -> Capture:
        chance = self._chance
        number = len(self._contents) + 1
        content = self._content()
        self._contents.append(content)
        self._alive.add(number)
        given: dict[str, Any] = {"tags": tuple(chance.sample(TAGS, chance.randint(0, 2)))}
        if chance.random() < 0.3:
            given |= {"proof_hint": "run it", "stale_if": "it moves", "entities": ("Ada", "ADA")}
        if chance.random() < 0.3:
            given |= {"anchors": (read_anchor(chance.choice(ANCHORS)), read_anchor("doc-1")), "metadata": (("port", "1"),)}
        start = self.moment()
        end = Instant(start + days(chance.randint(1, 5)))
        return make_capture(
            number,
            content,
            labels=self._labels() | ({LabelField.KIND: "epic"} if number <= EPICS else {}),
            confidence=chance.choice((0.2, 0.6, 0.6, 1.0)),
            validity=Validity(Instant(start - days(3)), end if chance.random() < 0.2 else None),
            event=self._event() if chance.random() < 0.6 else None,
            captured_at=self.moment(),
            taint=("override",) if chance.random() < 0.1 else (),
            standing=self._standing() if chance.random() < 0.15 else Standing(),
            **given,
        )

    def _content(self) -> str:
        chance = self._chance
        if self._contents and chance.random() < 0.3:
            before = chance.choice(self._contents)
            return before if chance.random() < 0.5 else " ".join(reversed(before.split()))
        longest = chance.choices((12, 60, 600, 2_000), (50, 40, 8, 2))[0]
        count = 2_000 if longest == 2_000 else chance.randint(5, longest)
        return "".join(self._word() + chance.choice(JOINTS) for _ in range(count))

    def _word(self) -> str:
        word = f"w{int(self._chance.paretovariate(0.8)) % VOCABULARY}"
        return self._chance.choice(FORMS.get(word, (word,)))

    def _labels(self) -> dict[LabelField, str]:
        chance = self._chance
        borne = {LabelField.KIND: chance.choices(KINDS, (5, 2, 2, 2, 1))[0], LabelField.AUTHORITY: "agent-inferred"}
        for field, values, share in (
            (LabelField.PROJECT, PROJECTS, 0.8),
            (LabelField.SESSION, SESSIONS, 0.5),
            (LabelField.USER, ("ann", "bob"), 0.5),
            (LabelField.BRANCH, ("main", "dev"), 0.4),
            (LabelField.EVIDENCE, ("observed", "inferred"), 0.3),
        ):
            if chance.random() < share:
                borne[field] = chance.choice(values)
        return borne

    def _event(self) -> EventRange:
        ends = sorted([self.moment(), self.moment()])
        return EventRange(ends[0], ends[1])

    def _standing(self) -> Standing:
        chance = self._chance
        decided = {name: self.moment() for name in ("quarantined_at", "falsified_at", "archived_at") if chance.random() < 0.25}
        if chance.random() < 0.3:
            decided |= {"superseded_at": self.moment(), "superseded_by": 1}
        return Standing(**decided, review=chance.choice((None, None, *ReviewState)))

    def _one(self) -> int:
        return self._chance.choice(sorted(self._alive))

    def _a_standing(self) -> ChangeSet:
        number = self._one()
        standing = Standing() if self._chance.random() < 0.4 else self._standing()
        return told(Op.REVIEWED, number, SetStanding(number, standing, self.moment()))

    def _a_use(self) -> ChangeSet:
        number, chance = self._one(), self._chance
        last = self.moment() if chance.random() < 0.7 else None
        return told(
            Op.FED_BACK,
            number,
            SetUse(number, Use(count=chance.randint(0, 3), last_at=last, feedback_weight=chance.choice(QUARTERS))),
        )

    def _an_alias(self) -> ChangeSet:
        term, alias = (" ".join(self._word() for _ in range(self._chance.choice((1, 1, 2)))) for _ in range(2))
        keys = (fold_key(term), fold_key(alias))
        change: Change = RemoveAlias(*keys, NOON) if keys in self._aliases else TeachAlias(Alias(*keys, term, alias, NOON))
        self._aliases ^= {keys}
        return told(Op.ALIASED, None, change)

    def _a_membership(self) -> ChangeSet:
        kind = self._chance.choices((RelationKind.PART_OF, RelationKind.WITNESSES), (8, 1))[0]
        source, target = self._one(), self._chance.choice(sorted(self._alive)[:EPICS])
        relation = Relation(kind, source, target, NOON)
        known = (kind, source, target) in self._relations
        self._relations ^= {(kind, source, target)}
        return unrelated(relation, NOON) if known else related(relation)

    def _an_embedding(self) -> ChangeSet:
        number = self._one()
        digest = content_digest(self._contents[number - 1])
        embedding = Embedding(number, DEFAULT_SPACE, digest, self._vector(DIMENSION), NOON)
        return told(Op.EMBEDDED, number, PutSpace(Space(DEFAULT_SPACE, DIMENSION), NOON), PutEmbedding(embedding))

    def _vector(self, dimension: int) -> Vector:
        components = [self._chance.choice((-1, 0, 0, 1, 1, 2, 7)) for _ in range(dimension)]
        return vector_of(components if any(components) else [1] * dimension)

    def _a_verdict(self) -> ChangeSet:
        number, chance = self._one(), self._chance
        sha = chance.choice((None, "0a1b2c3"))
        verdict = Corroboration(number, "main", "src/lib.rs", sha, chance.choice(list(AnchorVerdict)), chance.randint(0, 3), NOON)
        return told(Op.CORROBORATED, number, AppendCorroboration(verdict))

    def _a_forgetting(self) -> ChangeSet:
        if len(self._alive) < 20:
            return self._a_standing()
        number = self._one()
        self._alive.discard(number)
        self._dead.add(number)
        return told(Op.TOMBSTONED, number, Entomb(Tombstone(number, self.moment(), "asked for", ACTOR, f"mac-{number}")))

    # ── what is asked ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def caller(self) -> Caller:
        """Return somebody who sees everything, some projects, or nothing at all."""
        some = (frozenset({"nott"}), frozenset({"nott/x", "other"}), frozenset[str]())
        return Caller(actor=ACTOR, projects=self._chance.choices((None, *some), (12, 3, 3, 1))[0])

    def request(self) -> RecallRequest:
        """Return a recall with any of its parameters."""
        chance = self._chance
        fences = tuple(fence for fence in self._fences() if chance.random() < 0.08)
        stated = (("project_id", "as drawn"),) if fences else ()
        lane = chance.choice(list(LaneChoice))
        bare = lane is LaneChoice.TERM or (lane is LaneChoice.AUTO and chance.random() < 0.6)
        dimension = DIMENSION if chance.random() < 0.97 else DIMENSION + 1
        return RecallRequest(
            terms=read_terms([self._term() for _ in range(chance.choice((1, 1, 2, 2, 3, 5, 12)))]),
            lane=lane,
            embedding=None if bare else self._vector(dimension),
            vector_k=chance.choice((1, 3, 10, 10, 40)),
            fusion=chance.choice(list(Fusion)),
            scope=Scope(fences),
            stated=stated,
            effort_id=f"cap-{chance.randint(1, EPICS + 1)}" if chance.random() < 0.12 else None,
            window=self._window() if chance.random() < 0.2 else None,
            as_of=self.moment() if chance.random() < 0.1 else None,
            admit=frozenset(reason for reason in ExclusionReason if chance.random() < WAIVED.get(reason, 0.1)),
            limit=chance.choice((None, None, None, 0, 1, 3, 7, 50)),
            token_budget=chance.choice((1_500, 1_500, 0, 1, 200, 700, 6_000, 100_000)),
            weight_blend=chance.choice((0.0, 0.0, 0.0, 0.25, 1.0)),
            corroboration_blend=chance.choice((0.0, 0.0, 0.0, 0.5, 1.0)),
            min_support=chance.choice((None, None, None, None, 0.0, 0.25, 0.5, 0.8, 1.0)),
        )

    def _term(self) -> str:
        chance = self._chance
        match chance.randint(0, 9):
            case 0:
                return f"nowhere{chance.randint(0, 9)} {self._word()}"
            case 1:
                return f"cap-{chance.choice(sorted(self._dead | {1}))}"
            case 2 | 3:
                return " ".join(chance.sample(fold_words(chance.choice(self._contents)), 2))
            case 4:
                return self._word() + " " + self._word()
            case _:
                return self._word()

    def _window(self) -> TimeWindow:
        ends = sorted([self.moment(), self.moment()])
        return self._chance.choice((TimeWindow(ends[0], ends[1]), TimeWindow(ends[0], None), TimeWindow(None, ends[1])))

    def _fences(self) -> Iterator[Fence]:
        chance = self._chance
        yield LabelFence(LabelField.PROJECT, frozenset({chance.choice(PROJECTS)}))
        yield LabelFence(LabelField.SESSION, frozenset({chance.choice((*SESSIONS, "unknown"))}))
        yield LabelFence(LabelField.USER, frozenset({"ann"}))
        yield LabelFence(LabelField.BRANCH, frozenset({"main", None}))
        yield LabelBarrier(LabelField.KIND, frozenset({"telemetry"}))
        yield SubtreeFence(frozenset({chance.choice(PROJECTS)}))
        yield MarkFence(MarkField.TAGS, frozenset(chance.sample(TAGS, 2)))
        yield MarkFence(MarkField.ENTITIES, frozenset({"ada"}))
        yield MarkFence(MarkField.METADATA, frozenset({"port\x001"}))
        yield CreationFence(self.moment(), None if chance.random() < 0.5 else self.moment())
