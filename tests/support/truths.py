"""Truths and what is put into them: factories for plain tests, strategies for drawn ones.

`make_capture` takes any field of Capsule and CapsuleText; what is left out gets a plain value. `remember` puts contents into a
truth. `histories` draws change sets that fit one after the other into an empty store.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from recordance.domain.alias import Alias
from recordance.domain.capsule import Capsule, CapsuleText, LabelField, Standing, Tombstone, Use
from recordance.domain.change import (
    AddRelation,
    AppendCorroboration,
    AppendReview,
    Capture,
    Change,
    ChangeSet,
    Entomb,
    KeepAnswer,
    KeepOut,
    KeptAnswer,
    PutEmbedding,
    PutFeedback,
    PutSpace,
    RemoveAlias,
    RemoveRelation,
    Revise,
    SetStanding,
    SetUse,
    TeachAlias,
)
from recordance.domain.embedding import DEFAULT_SPACE, Embedding, Space, Vector, vector_of
from recordance.domain.identity import StoreIdentity, content_digest
from recordance.domain.instant import EARLIEST, LATEST, MICROSECONDS_PER_DAY, Instant
from recordance.domain.journal import INDEXED_OPS, Entry, Op
from recordance.domain.provenance import Anchor
from recordance.domain.relation import Relation, RelationKind
from recordance.domain.review import (
    AnchorVerdict,
    Corroboration,
    Feedback,
    FeedbackOutcome,
    ReviewEvent,
    ReviewState,
    Ruling,
)
from recordance.domain.validity import EventRange, Validity
from recordance.domain.vocabulary import AuthorityClass, EvidenceState, Kind
from recordance.ports.truth import Truth, TruthReader
from recordance.query.fence import Scope
from recordance.query.folding import fold_key, fold_words
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.driven.sql_truth.opening import open_postgres_truth, open_sql_truth
from support import postgres_stores

IDENTITY = StoreIdentity("store-of-tests", bytes(range(32)))
NOON = Instant(1_772_366_400_000_000)
"""2026-03-01T12:00:00Z: when everything happens that says no other time."""
ACTOR = "ann"
ADAPTERS = ("in_memory", "sqlite", "postgres")
"""Every adapter of the port, by name; a contract test runs against each."""

FEWER_EXAMPLES = {"postgres": 5}
"""Where an example costs several times what it does elsewhere, one in so many is drawn."""

_CAPSULE_FIELDS = {each.name for each in fields(Capsule)}
_TEXT_FIELDS = {each.name for each in fields(CapsuleText)}


def open_truth(adapter: str, folder: Path, patience: float = 60.0) -> Truth:
    """An empty truth of an adapter, or the one that stands in `folder` (or for it, on a server) if the adapter keeps any."""
    match adapter:
        case "in_memory":
            return MemoryTruth(IDENTITY, patience)
        case "sqlite":
            return open_sql_truth(folder / "store" / "truth.db", identity=IDENTITY, patience=patience)
        case "postgres":
            return open_postgres_truth(postgres_stores.database_of(folder, IDENTITY), identity=IDENTITY, patience=patience)
        case _:
            raise ValueError(adapter)


@contextmanager
def opened(adapter: str, folder: Path) -> Iterator[Truth]:
    """`open_truth`, closed at the end."""
    if adapter == "postgres":
        with postgres_stores.lent_truth(IDENTITY) as lent:
            yield lent
        return
    truth = open_truth(adapter, folder)
    try:
        yield truth
    finally:
        truth.close()


def examples_on(adapter: str, most: int = 100) -> settings:
    """How many examples are drawn on an adapter."""
    return settings(max_examples=most // FEWER_EXAMPLES.get(adapter, 1))


def days(count: float) -> int:
    """So many days in microseconds, to be added to an instant."""
    return int(count * MICROSECONDS_PER_DAY)


def labels(**given: str) -> dict[LabelField, str]:
    """Labels by the names of their fields."""
    return {LabelField(name): label for name, label in given.items()}


def make_capture(number: int, content: str = "pin tokio at 1.38", **given: Any) -> Capture:
    """A capture with these fields of Capsule and CapsuleText; digest and word count are the content's."""
    assert given.keys() <= _CAPSULE_FIELDS | _TEXT_FIELDS, given.keys()
    capsule = {
        "revision": 1,
        "content_digest": content_digest(content),
        "word_count": len(fold_words(content)),
        "labels": labels(kind=Kind.FACT, authority_class=AuthorityClass.AGENT_INFERRED),
        "confidence": 0.6,
        "importance": 0.5,
        "value": 1.0,
        "validity": Validity(NOON),
        "event": None,
        "captured_at": NOON,
        "updated_at": NOON,
        "writer": ACTOR,
    }
    capsule |= {name: value for name, value in given.items() if name in _CAPSULE_FIELDS}
    text = {"revision": capsule["revision"], "headline": content[:140], "source": "unstated"}
    text |= {name: value for name, value in given.items() if name in _TEXT_FIELDS}
    return Capture(Capsule(number=number, **capsule), CapsuleText(content=content, **text))


def entry(op: Op, capsule: int | None, **values: str | int | float | None) -> Entry:
    """A journal entry of the first revision."""
    return Entry(op, capsule, None if capsule is None else 1, values)


def captured(*captures: Capture) -> ChangeSet:
    """The change set that captures these, with one journal entry each."""
    return ChangeSet(captures, tuple(entry(Op.CAPTURED, each.capsule.number) for each in captures))


def told(op: Op, capsule: int | None, *changes: Change) -> ChangeSet:
    """Changes with one journal entry about a capsule."""
    return ChangeSet(changes, (entry(op, capsule),))


def write(truth: Truth, *change_sets: ChangeSet, at: Instant = NOON) -> int:
    """Apply change sets in one transaction and return the head after it."""
    head = 0
    with truth.writing() as writer:
        for changes in change_sets:
            head = writer.apply(changes, ACTOR, at)
    return head


def remember(truth: Truth, *contents: str, **given: Any) -> list[int]:
    """Capture contents, all with the same further fields, in one transaction; return their numbers."""
    with truth.writing() as writer:
        first = writer.last_number() + 1
        captures = [make_capture(first + place, content, **given) for place, content in enumerate(contents)]
        writer.apply(captured(*captures), ACTOR, NOON)
    return [each.capsule.number for each in captures]


def revised(number: int, content: str = "pin tokio at 1.39", revision: int = 2, **given: Any) -> ChangeSet:
    """The change set that gives a capsule its next revision; fields are those of `make_capture`."""
    capture = make_capture(number, content, revision=revision, **given)
    return ChangeSet((Revise(capture.capsule, capture.text),), (Entry(Op.REVISED, number, revision, {}),))


def placed(*spaces: Space) -> ChangeSet:
    """The change set that makes spaces, or changes them."""
    return ChangeSet(tuple(PutSpace(space, NOON) for space in spaces))


def embedded(number: int, content: str, vector: Vector, space: str = DEFAULT_SPACE, at: Instant = NOON) -> ChangeSet:
    """The change set that puts the vector of what a capsule says into a space."""
    return told(Op.EMBEDDED, number, PutEmbedding(Embedding(number, space, content_digest(content), vector, at)))


def entombed(number: int, mac: str = "mac", at: Instant = NOON, former: tuple[str, ...] = ()) -> ChangeSet:
    """The change set that forgets a capsule."""
    return told(Op.TOMBSTONED, number, Entomb(Tombstone(number, at, "asked for", ACTOR, mac, former)))


def stands(number: int, op: Op = Op.ARCHIVED, at: Instant = NOON, **decisions: Any) -> ChangeSet:
    """The change set that gives a capsule a standing."""
    return told(op, number, SetStanding(number, Standing(**decisions), at))


# ── what is drawn ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

PROJECTS = ("nott", "nott/x", "nottx", "nott/x/y", "Nott", "nott%", "n_tt/x", "проект/日", "p" * 3000, "nott/" + "q" * 9000)
WORDS = ("tokio", "pin", "café", "設備清單", "it's", "1.38", "a", "Ünïcode", "ready", "🦀")

SPACES = ("default", "other")

any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
"""Text in any script; NUL and lone surrogates never reach a truth (W14)."""
some_text = any_text.filter(str.strip)
contents = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join) | some_text
instants = st.integers(NOON - days(3), NOON + days(3)).map(Instant) | st.integers(EARLIEST, LATEST).map(Instant)
near_instants = st.integers(-3, 3).map(lambda day: Instant(NOON + days(day)))
"""Few different instants, so that boundaries are met."""
numbers_0_to_1 = st.floats(0, 1)
_json_texts = st.sampled_from(['"a"', "1", "1.5", "true", "null", '["b",{"c":"é"}]', '{"z":1,"a":[]}', '""'])
_anchors = st.builds(
    Anchor,
    some_text,
    st.none() | some_text,
    st.none() | st.integers(1, 10**9),
    st.none() | st.just("0a1b2c3"),
    st.none() | st.just("f" * 64),
)
_vocabularies: Mapping[LabelField, st.SearchStrategy[str]] = {
    LabelField.PROJECT: st.sampled_from(PROJECTS),
    LabelField.KIND: st.sampled_from([kind.value for kind in Kind]),
    LabelField.AUTHORITY: st.sampled_from([each.value for each in AuthorityClass]),
    LabelField.EVIDENCE: st.sampled_from([each.value for each in EvidenceState]),
    LabelField.KEY: st.sampled_from(["deploy", "Deploy", "k" * 5000]),
}


@st.composite
def drawn_labels(draw: st.DrawFn) -> dict[LabelField, str]:
    """Labels in any of the fields; projects and keys come from few, so that they meet."""
    borne = draw(st.sets(st.sampled_from(LabelField), max_size=8)) | {LabelField.KIND}
    return {name: draw(_vocabularies.get(name, some_text)) for name in sorted(borne)}


@st.composite
def standings(draw: st.DrawFn) -> Standing:
    """What may have been decided about a capsule that is not forgotten."""
    moment = st.none() | near_instants
    return Standing(
        quarantined_at=draw(moment),
        falsified_at=draw(moment),
        archived_at=draw(moment),
        superseded_at=draw(moment),
        superseded_by=draw(st.none() | st.integers(1, 9)),
        review=draw(st.none() | st.sampled_from(ReviewState)),
    )


uses = st.builds(Use, count=st.integers(0, 10**6), last_at=st.none() | instants, feedback_weight=numbers_0_to_1)
validities = st.builds(Validity, near_instants | instants, st.none() | near_instants | instants)
events = st.none() | st.tuples(near_instants, near_instants).map(lambda ends: EventRange(min(ends), max(ends)))
tag_lists = st.lists(st.sampled_from(WORDS) | any_text, max_size=4).map(tuple)


@st.composite
def drawn_captures(draw: st.DrawFn, number: int = 1, said: st.SearchStrategy[str] = contents) -> Capture:
    """A capture with every field drawn."""
    given: dict[str, Any] = {name: draw(numbers_0_to_1) for name in ("confidence", "importance", "value")}
    given |= {name: draw(tag_lists) for name in ("tags", "topics", "entities", "taint")}
    given |= {name: draw(st.none() | any_text) for name in ("proof_hint", "stale_if", "signature")}
    given |= {name: draw(near_instants) for name in ("captured_at", "updated_at")}
    return make_capture(
        number,
        draw(said),
        headline=draw(any_text),
        source=draw(any_text),
        labels=draw(drawn_labels()),
        validity=draw(validities),
        event=draw(events),
        writer=draw(some_text),
        standing=draw(st.just(Standing()) | standings()),
        use=draw(st.just(Use()) | uses),
        metadata=tuple(draw(st.dictionaries(any_text, _json_texts, max_size=3)).items()),
        anchors=tuple(draw(st.lists(_anchors, max_size=3))),
        **given,
    )


@st.composite
def judged_captures(draw: st.DrawFn, number: int = 1) -> Capture:
    """A capture that is drawn only where fences of project and kind and exclusion reasons look; cheaper than all of it."""
    return make_capture(
        number,
        labels=draw(
            st.fixed_dictionaries(
                {LabelField.KIND: _vocabularies[LabelField.KIND]},
                optional={LabelField.PROJECT: _vocabularies[LabelField.PROJECT]},
            )
        ),
        validity=Validity(draw(near_instants), draw(st.none() | near_instants)),
        event=draw(events),
        standing=draw(st.just(Standing()) | standings()),
    )


@dataclass
class _Drawing:
    """What the store holds while a history is drawn, as far as the next change must fit it."""

    last: int = 0
    alive: set[int] = field(default_factory=set)
    texts: dict[int, CapsuleText] = field(default_factory=dict)
    embedded_now: set[int] = field(default_factory=set)
    dimensions: dict[str, int] = field(default_factory=dict)
    occupied: set[str] = field(default_factory=set)
    relations: set[tuple[RelationKind, int, int]] = field(default_factory=set)
    aliases: set[tuple[str, str]] = field(default_factory=set)
    graves: dict[int, set[str]] = field(default_factory=dict)
    buried_now: set[int] = field(default_factory=set)


@st.composite
def histories(draw: st.DrawFn, writes: int = 8, changes: int = 5) -> list[ChangeSet]:
    """Change sets that fit one after the other into an empty store; a forgotten capsule is left alone from then on."""
    drawing = _Drawing()
    return [draw(_change_set(drawing, changes)) for _ in range(draw(st.integers(1, writes)))]


@st.composite
def _change_set(draw: st.DrawFn, drawing: _Drawing, count: int) -> ChangeSet:
    changes: list[Change] = []
    entries: list[Entry] = []
    drawing.embedded_now.clear()
    drawing.buried_now.clear()
    for _ in range(draw(st.integers(1, count))):
        ways = _ABOUT_CAPSULES + _ABOUT_ANYTHING if drawing.alive else _ABOUT_ANYTHING
        change, about = draw(st.sampled_from(ways))(draw, drawing)
        if change is not None:
            changes.append(change)
            values = draw(st.dictionaries(_names, st.none() | st.integers(-9, 10**15) | numbers_0_to_1 | any_text, max_size=2))
            entries.append(Entry(draw(st.sampled_from(Op)), about, draw(st.none() | st.just(1)), values))
    return ChangeSet(tuple(changes), tuple(entries))


_names = some_text | st.sampled_from([*LabelField, "taint"]).map(str)
Drawn = tuple[Change | None, int | None]


def _a_capture(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    drawing.last += 1
    drawing.alive.add(drawing.last)
    capture = draw(drawn_captures(drawing.last))
    drawing.texts[drawing.last] = capture.text
    return capture, drawing.last


def _a_revision(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    """Revisions come before embeddings in their change set, so that one that is embedded there says the same to its end."""
    number = _one_alive(draw, drawing)
    if number in drawing.embedded_now:
        return None, None
    before = drawing.texts[number]
    capture = draw(drawn_captures(number, contents | st.just(before.content)))
    revision = before.revision + 1
    drawing.texts[number] = replace(capture.text, revision=revision)
    return Revise(replace(capture.capsule, revision=revision), drawing.texts[number]), number


def _a_space(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    name, model = draw(st.tuples(st.sampled_from(SPACES), st.none() | any_text))
    if name not in drawing.occupied:
        drawing.dimensions[name] = draw(st.integers(1, 3))
    return PutSpace(Space(name, drawing.dimensions[name], model), draw(near_instants)), None


def _an_embedding(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    number = _one_alive(draw, drawing)
    if not drawing.dimensions:
        return None, None
    name = draw(st.sampled_from(sorted(drawing.dimensions)))
    drawing.occupied.add(name)
    drawing.embedded_now.add(number)
    values = draw(st.lists(st.floats(-1, 1, width=32), min_size=drawing.dimensions[name], max_size=drawing.dimensions[name]))
    digest = content_digest(drawing.texts[number].content)
    return PutEmbedding(Embedding(number, name, digest, vector_of(values), draw(near_instants))), number


def _a_standing(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    number = _one_alive(draw, drawing)
    return SetStanding(number, draw(standings()), draw(near_instants)), number


def _a_use(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    number = _one_alive(draw, drawing)
    return SetUse(number, draw(uses)), number


def _a_relation(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    ends = st.sampled_from(sorted(drawing.alive))
    kind, source, target = draw(st.tuples(st.sampled_from(RelationKind), ends, ends))
    at = draw(near_instants)
    if (kind, source, target) in drawing.relations:
        drawing.relations.discard((kind, source, target))
        return RemoveRelation(kind, source, target, at), source
    drawing.relations.add((kind, source, target))
    return AddRelation(Relation(kind, source, target, at)), source


def _an_alias(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    term, alias = draw(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)))
    key, at = (fold_key(term), fold_key(alias)), draw(near_instants)
    if key in drawing.aliases:
        drawing.aliases.discard(key)
        return RemoveAlias(*key, at), None
    drawing.aliases.add(key)
    return TeachAlias(Alias(*key, term, alias, at)), None


def _a_review(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    number = _one_alive(draw, drawing)
    verdict, reason = draw(st.tuples(st.sampled_from(Ruling), st.none() | any_text))
    return AppendReview(ReviewEvent(number, verdict, reason, draw(some_text), draw(near_instants))), number


def _a_judgement(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    number = _one_alive(draw, drawing)
    receipt, actor = draw(st.tuples(st.sampled_from(["", "rcpt-1", "rcpt-" + "x" * 9000]), st.sampled_from(["ann", "bob"])))
    outcome, warrants = draw(st.tuples(st.sampled_from(FeedbackOutcome), st.booleans()))
    note, at = draw(st.tuples(st.none() | any_text, near_instants))
    return PutFeedback(Feedback(number, receipt, actor, outcome, warrants, note, at)), number


def _a_corroboration(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    number = _one_alive(draw, drawing)
    sha, verdict = draw(st.tuples(st.none() | st.just("0a1b2c3"), st.sampled_from(AnchorVerdict)))
    mentions = draw(st.integers(0, 9))
    return AppendCorroboration(
        Corroboration(number, "main", draw(some_text), sha, verdict, mentions, draw(near_instants))
    ), number


def _a_kept_answer(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    key = draw(st.sampled_from(["once", "twice", "k" * 9000]))
    named = st.sampled_from([*sorted(drawing.alive), drawing.last + 1, 10**6])
    answer = draw(_json_texts | named.map(lambda number: f'{{"results":[{{"id":"cap-{number}"}}]}}'))
    return KeepAnswer(KeptAnswer(key, draw(st.sampled_from(["d1", "d2"])), answer, draw(near_instants))), None


def _a_forgetting(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    number = _one_alive(draw, drawing)
    drawing.alive.discard(number)
    mac = draw(st.sampled_from(["m1", "m2", "m3"]))
    former = tuple(sorted(draw(st.sets(st.sampled_from(["m1", "m2", "m3"]), max_size=2)) - {mac}))
    drawing.graves[number] = {mac, *former}
    drawing.buried_now.add(number)
    return Entomb(Tombstone(number, draw(near_instants), draw(any_text), draw(some_text), mac, former)), number


def _a_keeping_out(draw: st.DrawFn, drawing: _Drawing) -> Drawn:
    """What a tombstone of an earlier write learns; nothing where none has anything to learn."""
    mac = draw(st.sampled_from(["m1", "m2", "m3", "m4"]))
    learning = sorted(number for number, macs in drawing.graves.items() if number not in drawing.buried_now and mac not in macs)
    if not learning:
        return None, None
    number = draw(st.sampled_from(learning))
    drawing.graves[number].add(mac)
    return KeepOut(number, mac), number


def _one_alive(draw: st.DrawFn, drawing: _Drawing) -> int:
    return draw(st.sampled_from(sorted(drawing.alive)))


_ABOUT_ANYTHING = [_a_capture, _a_capture, _an_alias, _a_kept_answer, _a_space]
_ABOUT_CAPSULES = [
    _a_standing, _a_use, _a_relation, _a_relation, _a_review, _a_judgement, _a_corroboration, _a_revision, _an_embedding,
    _an_embedding, _a_forgetting, _a_keeping_out,
]  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """Everything that a truth answers to fixed questions, for comparing one with another."""

    answers: Mapping[str, Any]


def read_everything(reader: TruthReader) -> Reading:
    """Ask every question about everything that the reader holds and some things that it does not."""
    every = range(reader.last_number() + 3)
    capsules = reader.capsules(every)
    digests = [*sorted({capsule.content_digest for capsule in capsules.values()} - {""}), "unknown"]
    kinds = list(RelationKind)
    term_keys = [fold_key(word) for word in WORDS]
    return Reading(
        {
            "head": reader.head(),
            "identity": reader.identity(),
            "last_number": reader.last_number(),
            "corpus": reader.corpus(),
            "corpus_within": [
                reader.corpus_within(frozenset(prefixes)) for prefixes in ([], ["nott"], ["nott/x", "Nott"], PROJECTS)
            ],
            "capsules": dict(capsules),
            "texts": dict(reader.texts(every)),
            "contents": dict(reader.contents(every)),
            "revisions": {number: list(reader.revisions(number)) for number in every},
            "projects": list(reader.projects(Scope())),
            "documents": dict(reader.documents(every)),
            "changes_after": [list(reader.changes_after(seq, 4, INDEXED_OPS)) for seq in range(reader.head() + 1)],
            "forgotten_after": [list(reader.forgotten_after(seq)) for seq in range(reader.head() + 1)],
            "space": [reader.space(name) for name in (*SPACES, "unknown")],
            "spaces": list(reader.spaces()),
            "vectors": {name: dict(reader.vectors(name, every)) for name in (*SPACES, "unknown")},
            "embedded_within": {name: list(reader.embedded_within(name, Scope())) for name in (*SPACES, "unknown")},
            "embeddings": {number: list(found) for number, found in reader.embeddings(every).items()},
            "journal": list(reader.journal(0, 10_000)),
            "history": [list(reader.history(number)) for number in every],
            "aliases": {key: list(found) for key, found in reader.aliases(term_keys).items()},
            "all_aliases": list(reader.all_aliases()),
            "relations_from": list(reader.relations_from(every, kinds)),
            "relations_to": list(reader.relations_to(every, kinds[:4])),
            "known_contents": list(reader.known_contents(digests)),
            "keyed": list(reader.keyed(["deploy", "Deploy", "k" * 5000, "unknown"])),
            "tombstones": dict(reader.tombstones(every)),
            "forgotten": dict(reader.forgotten(["m1", "m2", "m3", "m4", "unknown"])),
            "reviews": [list(reader.reviews(number)) for number in every],
            "review_history": {number: list(found) for number, found in reader.review_history(every).items()},
            "feedback": {number: list(found) for number, found in reader.feedback(every).items()},
            "corroborations": dict(reader.corroborations(every)),
            "corroboration_history": {number: list(found) for number, found in reader.corroboration_history(every).items()},
            "misses": list(reader.misses(None, 100)),
            "kept_answer": [reader.kept_answer(key) for key in ("once", "twice", "k" * 9000, "unknown")],
        }
    )
