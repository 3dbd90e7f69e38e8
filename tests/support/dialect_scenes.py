"""Scenes for the dialects that take a natural-language question: stores with every field that they fence and rank by.

A `DialectScene` is a `Scene` of short texts over few words, so that whole questions match, texts nearly repeat each other, and
some are stuffed with one word. Requests are raw arguments, as a client sends them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from recordance.domain.capsule import LabelField, Standing
from recordance.domain.change import AddRelation, Capture, ChangeSet, PutFeedback, RemoveRelation, SetStanding, SetUse
from recordance.domain.coherence import use_of
from recordance.domain.instant import format_instant
from recordance.domain.journal import Op
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import Feedback, FeedbackOutcome
from recordance.domain.validity import Validity
from support.scenes import DIMENSION, EPICS, FORMS, PROJECTS, SESSIONS, Scene
from support.truths import ACTOR, NOON, captured, days, make_capture, told

Arguments = dict[str, Any]
_LONG = {
    2: "server",
    4: "servers",
    6: "trust",
    7: "rust",
    9: "trusts",
    11: "deployment",
    12: "deployments",
    13: "release12",
    14: "configuração",
    15: "release34",
    17: "naive",
}
WORDS = tuple(_LONG.get(number, f"w{number}") for number in range(40))
"""Words of which some are a slip away from each other, and some share a stem."""
RUNS = (
    *(run for one in "設備点検" for run in (one, one + "検", f"{one}備点", f"設{one}かな", f"{one}กข")),
    *("ภาษาไทย", "ไทย", "กำ", "ｶﾅ", "がカナ", "설비", "설비를", "서버", "server를", "servers", "run2は", "run2"),
    *(f"run{number}" for number in range(12)),
)
"""Runs of unspaced scripts that share characters and pairs, and Korean with its particles, among words with spaces."""
SPELLINGS = FORMS | {"configuração": ("configuração", "configurac\u0327a\u0303o", "CONFIGURACAO")}
LABELS: Mapping[LabelField, tuple[Sequence[str], float]] = {
    LabelField.PROJECT: (PROJECTS, 0.6),
    LabelField.SESSION: (SESSIONS, 0.5),
    LabelField.USER: (("ann", "bob"), 0.4),
    LabelField.AGENT: (("a-1", "a-2"), 0.4),
    LabelField.TYPE: (("fact", "decision", "episodic", "semantic", "procedural", "convention"), 0.6),
    LabelField.CATEGORY: (("engineering", "product"), 0.4),
    LabelField.DOMAIN: (("research", "product_strategy"), 0.3),
    LabelField.REPO: (("core", "web"), 0.3),
    LabelField.BRANCH: (("main", "dev"), 0.4),
    LabelField.INTENT: (("question", "plan"), 0.4),
    LabelField.TASK: (("T-1", "T-2"), 0.3),
    LabelField.WORKSTREAM: (("ws", "WS"), 0.3),
    LabelField.EPISODE: (("ep-1", "ep-2"), 0.3),
    LabelField.ORIGIN_USER: (("ann", "bob"), 0.3),
    LabelField.ORIGIN_AGENT: (("a-1", "a-2"), 0.3),
    LabelField.ORIGIN_INTERFACE: (("mcp", "cli"), 0.3),
    LabelField.REVIEW_STATUS: (("candidate", "approved"), 0.3),
    LabelField.KEY: (("tokio", "port"), 0.2),
}
SOURCES = ("unstated", "minutes", "https://example.org/a", "tool:build", "minutes ")
ENTITIES = ("Ada", "ADA", "Grace", "tokio")
NAMES = ("ada", "GRACE", "tokio", "nobody")
STAGES = ("term", "semantic", "fuzzy", "graph", "rerank", "mmr")
TOPICS = ("async", "build", "Async")
METADATA = ((("port", "1"),), (("port", '"1"'), ("os", '"linux"')), (("port", '"1"'), ("from", "1"), ("type", '"uses"')), ())
MARKS = ("structured", "async", "build", "a-b")
STATEMENTS = tuple(
    (("from", f'"{one}"'), ("type", f'"{kind}"'), ("to", f'"{other}"'))
    for one in ("Ada", "api")
    for kind in ("uses", "Owns")
    for other in ("tokio", "grace")
)
"""What a capsule of kind relation may state by its metadata."""
DECISION = '{"title": "w1", "options": ["w2", "w3"], "selected": "w2", "rationale": "w4 w5"}'
LINKS = (RelationKind.DERIVED_FROM, RelationKind.SUPPORTS, RelationKind.RELATES_TO, RelationKind.MENTIONS, RelationKind.ABOUT,
         RelationKind.CONTRADICTS)  # fmt: skip


class DialectScene(Scene):
    """A store that lives on, and questions to it in every dialect, drawn from one seed."""

    def __init__(self, seed: int, tools: Sequence[str], vocabulary: Sequence[str] = WORDS) -> None:
        super().__init__(seed)
        self._tools = tools
        self._vocabulary = vocabulary
        self._judgements: dict[int, dict[tuple[str, str], Feedback]] = {}

    # ── what is written ───────────────────────────────────────────────────────────────────────────────────────────────────

    def write(self) -> ChangeSet:
        """Return a write that fits what was written before."""
        match self._chance.randint(0, 9):
            case 0 | 1:
                return self._a_judgement()
            case 2 | 3:
                return self._a_link()
            case 4:
                return self._a_correction()
            case _:
                return super().write()

    def _capture(self) -> Capture:
        chance = self._chance
        number = len(self._contents) + 1
        content = self._content()
        self._contents.append(content)
        self._alive.add(number)
        captured_at = self.moment() if chance.random() < 0.7 else NOON - days(chance.randint(5, 400))
        start = self.moment()
        end = start + days(chance.randint(1, 5))
        return make_capture(
            number,
            content,
            labels=self._labels() | ({LabelField.KIND: "epic"} if number <= EPICS // 2 else {}),
            confidence=chance.choice((0.2, 0.6, 0.6, 1.0)),
            importance=chance.choice((0.0, 0.5, 0.5, 0.75, 1.0)),
            value=chance.choice((0.0, 1.0, 1.0, 2.0, 5.0)),
            validity=Validity(start - days(3), end if chance.random() < 0.2 else None),
            captured_at=captured_at,
            updated_at=captured_at,
            taint=("override",) if chance.random() < 0.1 else (),
            standing=self._standing() if chance.random() < 0.15 else Standing(),
            source=chance.choice(SOURCES),
            tags=tuple(chance.sample(MARKS, chance.randint(0, 2))),
            topics=tuple(chance.sample(TOPICS, chance.randint(0, 2))),
            entities=tuple(chance.sample(ENTITIES, chance.choice((0, 0, 1, 2)))),
            metadata=chance.choice((*STATEMENTS, *METADATA, *METADATA)),
        )

    def _content(self) -> str:
        chance = self._chance
        draw = chance.random()
        if draw < 0.03:
            return DECISION
        if draw < 0.08:
            return " ".join([chance.choice(self._vocabulary)] * 6 + chance.sample(self._vocabulary, 8))
        if self._contents and draw < 0.35:
            before = chance.choice(self._contents).split()
            before[chance.randrange(len(before))] = self._word()
            return " ".join(before)
        return " ".join(self._word() for _ in range(chance.randint(3, chance.choice((25, 25, 25, 60)))))

    def _word(self) -> str:
        word = self._vocabulary[int(self._chance.paretovariate(0.7)) % len(self._vocabulary)]
        return self._chance.choice(SPELLINGS.get(word, (word,)))

    def _labels(self) -> dict[LabelField, str]:
        chance = self._chance
        kind = chance.choices(("fact", "decision", "summary", "relation", "telemetry"), (6, 2, 1, 1, 1))[0]
        borne = {LabelField.KIND: kind, LabelField.AUTHORITY: "agent-inferred"}
        if kind == "fact" and chance.random() < 0.3:
            borne[LabelField.SUBTYPE] = "preference"
        return borne | {name: chance.choice(values) for name, (values, share) in LABELS.items() if chance.random() < share}

    def _a_judgement(self) -> ChangeSet:
        number, chance = self._one(), self._chance
        actor = chance.choice(("ann", "bob", "cleo"))
        receipt = f"rcpt-{chance.randint(1, 3)}"
        outcome = chance.choice(list(FeedbackOutcome))
        judged = Feedback(number, receipt, actor, outcome, actor != ACTOR, None, self.moment())
        judgements = self._judgements.setdefault(number, {})
        judgements.pop((receipt, actor), None)
        judgements[receipt, actor] = judged
        return told(Op.FED_BACK, number, PutFeedback(judged), SetUse(number, use_of(list(judgements.values()))))

    def _a_link(self) -> ChangeSet:
        kind, source, target = self._chance.choice(LINKS), self._one(), self._one()
        if source == target:
            return self._a_judgement()
        known = (kind, source, target) in self._relations
        self._relations ^= {(kind, source, target)}
        relation = Relation(kind, source, target, NOON)
        change = RemoveRelation(kind, source, target, NOON) if known else AddRelation(relation)
        return told(Op.UNRELATED if known else Op.RELATED, source, change)

    def _a_correction(self) -> ChangeSet:
        """A capsule that says nearly what another one said, and takes its place."""
        old = self._one()
        correction = self._capture()
        said = self._contents[old - 1].split()
        said[self._chance.randrange(len(said))] = self._word()
        self._contents[-1] = " ".join(said)
        number = correction.capsule.number
        again = make_capture(number, self._contents[-1], labels=correction.capsule.labels, source=correction.text.source)
        standing = Standing(superseded_at=NOON, superseded_by=number)
        relation = Relation(RelationKind.SUPERSEDES, number, old, NOON)
        self._relations.add((RelationKind.SUPERSEDES, number, old))
        retired = told(Op.SUPERSEDED, old, AddRelation(relation), SetStanding(old, standing, NOON))
        return captured(again).then(retired)

    # ── what is asked ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def asked(self) -> tuple[str, Arguments]:
        """Return a tool with raw arguments of its dialect."""
        makers = {
            "memory_retrieve": self._retrieval,
            "memory_search": self._selection,
            "recall": self._accrued,
            "memory_recall": self._piped,
            "memory_search_fast": self._quick,
            "memory_explain_search": self._explained,
            "memory_entity": self._about,
            "memory_relations": self._related,
            "memory_list": self._listed,
            "memory_get": self._gotten,
            "projects": dict,
        }
        tool = self._chance.choice(self._tools)
        return tool, makers[tool]()

    def _question(self) -> str:
        chance = self._chance
        match chance.randint(0, 8):
            case 0:
                return f"nowhere{chance.randint(0, 9)} {self._word()}"
            case 7:
                return f"{self._slip()} {self._word()}"
            case 8 if chance.random() < 0.5:
                return f"{self._word()} in src/lib.rs"
            case 1 | 2:
                words = chance.choice(self._contents).split()
                return " ".join(chance.sample(words, min(len(words), chance.randint(1, 4))))
            case 3:
                return self._word()
            case _:
                return " ".join(self._word() for _ in range(chance.randint(1, 5)))

    def _slip(self) -> str:
        """Return a word of some letters with one of them left out, doubled, taken for another, or swapped with the next."""
        chance = self._chance
        word = chance.choice([each for each in self._vocabulary if len(each) >= 4] or ["servers"])
        return self._slipped(self._slipped(word)) if len(word) >= 8 and chance.random() < 0.5 else self._slipped(word)

    def _slipped(self, word: str) -> str:
        chance = self._chance
        place = chance.randrange(len(word) - 1)
        before, one, after = word[:place], word[place], word[place + 1 :]
        return before + chance.choice((after, one + one + after, "x" + after, after[0] + one + after[1:]))

    def _embedding(self) -> list[float]:
        return list(self._vector(DIMENSION if self._chance.random() < 0.97 else DIMENSION + 1).values)

    def _sometimes(self, share: float, **drawn: Any) -> Arguments:
        return {name: value for name, value in drawn.items() if self._chance.random() < share}

    def _retrieval(self) -> Arguments:
        """A recall without `weight_blend`: the weights of this scene are no fractions of two, so that exact ties are none."""
        chance = self._chance
        lane = chance.choice(("auto", "auto", "term", "vector", "fused"))
        embedded = lane in ("vector", "fused") or chance.random() < 0.4
        return {
            "terms": [self._question() for _ in range(chance.choice((1, 1, 2, 3)))],
            "lane": lane,
            **({"query_embedding": self._embedding()} if embedded else {}),
            **self._sometimes(
                0.15,
                vector_k=chance.choice((1, 3, 40)),
                fusion=chance.choice(("rrf", "convex")),
                limit=chance.choice((0, 1, 5)),
                token_budget=chance.choice((0, 1, 300, 20_000)),
                project_id=chance.choice(PROJECTS),
                project_prefix=chance.choice(PROJECTS),
                session_id=chance.choice((*SESSIONS, "unknown")),
                include_staged=True,
                corroboration_blend=chance.choice((0.5, 1.0)),
                min_support=chance.choice((0.0, 0.25, 0.8)),
                time_window={"from": format_instant(self.moment())},
                effort_id=f"cap-{chance.randint(1, EPICS // 2)}",
            ),
        }

    def _selection(self) -> Arguments:
        chance = self._chance
        query = "" if chance.random() < 0.15 else self._question()
        if chance.random() < 0.1:
            query = " ".join([f"nowhere{chance.randint(0, 9)}", *chance.sample(self._vocabulary, chance.choice((1, 4, 12, 36)))])
        scope: Arguments = chance.choice(
            (
                {},
                {"scope": "global"},
                {"scope": "project", "scope_id": chance.choice(PROJECTS)},
                {"scope": "domain", "scope_id": chance.choice(("research", "product_strategy"))},
            )
        )
        return {
            "selection": {
                "query": query,
                **scope,
                **self._sometimes(
                    0.3,
                    query_variants=[self._question() for _ in range(chance.randint(0, 5))],
                    type=chance.choice(LABELS[LabelField.TYPE][0]),
                    as_of=format_instant(self.moment()),
                    limit=chance.choice((1, 3, 20, 100)),
                    offset=chance.choice((0, 1, 5, 40)),
                    include_global=chance.choice((True, False)),
                ),
                **self._sometimes(0.6, search_mode=chance.choice(("strict", "auto"))),
            },
            **self._sometimes(0.15, query_embedding=self._embedding()),
        }

    def _accrued(self) -> Arguments:
        chance = self._chance
        return {
            "query": self._question(),
            **self._sometimes(
                0.2,
                k=chance.choice((1, 3, 10, 50, 80)),
                mmr=chance.choice((0.0, 0.3, 0.7, 1.0)),
                full=True,
                snippet_chars=chance.choice((0, 5, 40)),
                rerank_by=chance.choice(("relevance", "value", "recency", "confidence")),
                user_id=chance.choice(("ann", "bob", "cleo")),
                agent_id=chance.choice(("a-1", "a-3")),
                session_id=chance.choice((*SESSIONS, "unknown")),
                all_projects=True,
                with_warrant=True,
                include_archive=True,
                include_quarantined=True,
                resolve_conflicts=True,
                query_embedding=self._embedding(),
            ),
        }

    def _filters(self) -> Arguments:
        chance = self._chance
        since, until = sorted((self.moment(), self.moment()))
        return self._sometimes(
            0.06,
            project=chance.choice(PROJECTS),
            type=chance.choice(("all", *LABELS[LabelField.TYPE][0])),
            kind=chance.choice(("fact", "decision", "summary", "telemetry")),
            category=chance.choice(LABELS[LabelField.CATEGORY][0]),
            domain=chance.choice(LABELS[LabelField.DOMAIN][0]),
            repo=chance.choice(LABELS[LabelField.REPO][0]),
            branch=chance.choice(LABELS[LabelField.BRANCH][0]),
            entity=chance.choice(("ada", "GRACE", "Tokio", "nobody")),
            entities=chance.sample(("ada", "GRACE", "nobody"), 2),
            topics=chance.sample(TOPICS, 2),
            intent=chance.choice(LABELS[LabelField.INTENT][0]),
            task_key=chance.choice(LABELS[LabelField.TASK][0]),
            workstream_key=chance.choice(LABELS[LabelField.WORKSTREAM][0]),
            episode_id=chance.choice(LABELS[LabelField.EPISODE][0]),
            review_status=chance.choice(LABELS[LabelField.REVIEW_STATUS][0]),
            origin_user_id=chance.choice(LABELS[LabelField.ORIGIN_USER][0]),
            origin_agent_id=chance.choice(LABELS[LabelField.ORIGIN_AGENT][0]),
            origin_interface=chance.choice(LABELS[LabelField.ORIGIN_INTERFACE][0]),
            metadata_filter=chance.choice(({"port": 1}, {"port": "1"}, {"port": "1", "os": "linux"}, {"port": 2})),
            since=format_instant(since),
            until=format_instant(until),
            decisions_only=True,
        )

    def _piped(self) -> Arguments:
        chance = self._chance
        return {
            "query": self._question(),
            **self._filters(),
            **self._sometimes(
                0.15,
                detail=chance.choice(("full", "compact", "summary", "auto")),
                fusion=chance.choice(("rrf", "legacy", "convex")),
                limit=chance.choice((1, 3, 10, 50, 80, 0, -7, 2.5)),
                diverse=True,
                rerank=True,
                neighbors=chance.choice((0, 1, 3)),
                output_format=chance.choice(("text", "json")),
                query_embedding=self._embedding(),
                stages=self._stages(),
            ),
            **self._sometimes(
                0.3,
                mode=chance.choice(("search", "index", "timeline")),
                expand_context=True,
                expand_budget=chance.choice((0, 1, 10)),
                graph_depth=chance.choice((0, 1, 1)),
            ),
        }

    def _stages(self) -> list[str]:
        chance = self._chance
        return chance.sample(STAGES, chance.randint(1, len(STAGES)))

    def _quick(self) -> Arguments:
        return {
            "query": self._question(),
            **self._sometimes(0.2, limit=self._chance.choice((1, 10, 50)), query_embedding=self._embedding()),
        }

    def _explained(self) -> Arguments:
        chance = self._chance
        return {
            "query": self._question(),
            **self._filters(),
            **self._sometimes(0.5, id=f"cap-{chance.randint(1, len(self._contents) + 2)}", stages=self._stages()),
            **self._sometimes(
                0.2,
                query_embedding=self._embedding(),
                fusion=chance.choice(("rrf", "legacy", "convex")),
                diverse=True,
            ),
            **self._sometimes(0.5, limit=chance.choice((1, 2, 3, 5, 8, 50))),
        }

    def _about(self) -> Arguments:
        return {"name": self._chance.choice(NAMES), **self._sometimes(0.3, limit=self._chance.choice((1, 5, 200)))}

    def _listed(self) -> Arguments:
        chance = self._chance
        return self._sometimes(
            0.3,
            project_id=chance.choice(PROJECTS),
            project_prefix=chance.choice(PROJECTS),
            kind=chance.choice(("fact", "decision", "telemetry", "epic")),
            state=chance.choice(("live", "archived", "superseded", "expired", "not_yet_valid", "proposed")),
            limit=chance.choice((0, 1, 5, 200)),
            offset=chance.choice((0, 1, 5, 40)),
        )

    def _gotten(self) -> Arguments:
        return {"ids": [f"cap-{each}" for each in self._chance.sample(range(1, len(self._contents) + 3), 4)]}

    def _related(self) -> Arguments:
        chance = self._chance
        return {
            "entity": chance.choice(NAMES),
            **self._sometimes(
                0.3,
                direction=chance.choice(("from", "to", "both")),
                relation_type=chance.choice(("uses", "owns", "OWNS", "supersedes", "mentions")),
                limit=chance.choice((1, 5, 200)),
            ),
        }
