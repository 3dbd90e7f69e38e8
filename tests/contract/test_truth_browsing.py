"""Pages, neighbours, projects and revisions: what a truth pushes down must be what the pure predicates say (decision 4)."""

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordance.domain.capsule import Capsule, LabelField, Standing
from recordance.domain.change import Capture
from recordance.domain.instant import Instant
from recordance.domain.provenance import Anchor
from recordance.ports.truth import BrowseOrder, BrowseRequest, ListPage, ProjectCount, Truth, TruthReader
from recordance.query.document import TermDocument, term_document
from recordance.query.exclusion import Eligibility, ExclusionReason, first_exclusion
from recordance.query.fence import EitherFence, LabelFence, MarkFence, MarkField, MemberFence, Scope, SubtreeFence, admits
from recordance_adapters.driven.sql_truth import browsing, fencing
from support.documents import query_about, scope_about
from support.truths import (
    ADAPTERS,
    NOON,
    captured,
    days,
    drawn_captures,
    entombed,
    examples_on,
    labels,
    make_capture,
    opened,
    remember,
    revised,
    write,
)

QUESTIONS_EACH = 30
WHOLE = Scope()


@pytest.fixture(params=ADAPTERS)
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Truth]:
    with opened(request.param, tmp_path) as truth:
        yield truth


@st.composite
def stores(draw: st.DrawFn) -> tuple[list[Capture], frozenset[int]]:
    """Up to nine capsules, of which some share a session, and which of them are forgotten."""
    captures = []
    for number in range(1, draw(st.integers(1, 9)) + 1):
        capture = draw(drawn_captures(number))
        session = draw(st.sampled_from([None, "s", "t"]))
        borne = {name: label for name, label in capture.capsule.labels.items() if name is not LabelField.SESSION}
        given = borne if session is None else {**borne, LabelField.SESSION: session}
        captures.append(make_capture(number, capture.text.content, **_fields(capture, given)))
    forgotten = frozenset(draw(st.sets(st.integers(1, len(captures)), max_size=1)))
    return captures, forgotten


def _fields(capture: Capture, borne: Mapping[LabelField, str]) -> dict[str, object]:
    capsule, text = capture.capsule, capture.text
    names = ("confidence", "importance", "validity", "event", "captured_at", "updated_at", "standing")
    given = {name: getattr(capsule, name) for name in names}
    given["importance"], given["confidence"] = round(capsule.importance, 1), round(capsule.confidence, 1)  # ties are met
    return given | {"labels": borne, "tags": text.tags, "topics": text.topics, "entities": text.entities}


def either_about(documents: Sequence[TermDocument], chance: random.Random) -> Scope:
    """A scope of which some fence admits what at least one of several scopes admits, nested at times."""
    scopes = tuple(scope_about(documents, chance) for _ in range(chance.randint(0, 3)))
    if chance.random() < 0.3:
        scopes = (*scopes, either_about(documents, chance))
    return scope_about(documents, chance).with_fences(EitherFence(scopes))


class World:
    """The definition, spelled out once more without the adapters."""

    def __init__(self, captures: Sequence[Capture], forgotten: frozenset[int]) -> None:
        self.documents = [term_document(each.capsule, each.text) for each in captures if each.capsule.number not in forgotten]

    def seen(self, scope: Scope, eligibility: Eligibility | None) -> list[Capsule]:
        """Every capsule that a page may hold, in append order."""
        return [
            each.capsule
            for each in self.documents
            if admits(scope, each.capsule, each.marks)
            and (eligibility is None or first_exclusion(each.capsule, eligibility) is None)
        ]

    def page(self, request: BrowseRequest) -> ListPage:
        """What `browsed` must answer."""
        keys = {
            BrowseOrder.IMPORTANCE: lambda each: (-each.importance, -each.confidence, -each.updated_at, each.number),
            BrowseOrder.NEWEST: lambda each: (-each.captured_at, -each.number),
            BrowseOrder.APPENDED: lambda each: each.number,
        }
        numbers = tuple(each.number for each in sorted(self.seen(request.scope, request.eligibility), key=keys[request.order]))
        return ListPage(numbers[request.offset : request.offset + request.limit], len(numbers))

    def beside(self, number: int, before: int, after: int, scope: Scope, eligibility: Eligibility | None) -> tuple[int, ...]:
        """What `beside` must answer."""
        middle = next((each.capsule for each in self.documents if each.number == number), None)
        if middle is None:
            return ()
        session = middle.labels.get(LabelField.SESSION)
        around = [
            each.number
            for each in self.seen(scope, eligibility)
            if session is None or each.labels.get(LabelField.SESSION) == session
        ]
        lower, higher = [each for each in around if each < number], [each for each in around if each > number]
        return (*lower[len(lower) - min(before, len(lower)) :], *higher[:after])

    def projects(self, scope: Scope) -> list[ProjectCount]:
        """What `projects` must answer."""
        captured_at: dict[str, list[Instant]] = {}
        for each in self.seen(scope, None):
            captured_at.setdefault(each.labels.get(LabelField.PROJECT, ""), []).append(each.captured_at)
        return [ProjectCount(name or None, len(found), max(found)) for name, found in sorted(captured_at.items())]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_pages_neighbours_and_projects_are_what_the_predicates_say(
    adapter: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """F4, F6, F9, L8, L14: drawn capsules, some forgotten, under drawn fences, `as_of`, windows and waived reasons."""

    @examples_on(adapter, 60)
    @given(drawn=stores(), seed=st.integers(0, 2**32))
    def holds(drawn: tuple[list[Capture], frozenset[int]], seed: int) -> None:
        captures, forgotten = drawn
        world, chance = World(captures, forgotten), random.Random(seed)
        with opened(adapter, tmp_path_factory.mktemp(adapter)) as truth:
            write(truth, captured(*captures), *map(entombed, forgotten))
            with truth.reading() as reader:
                for _ in range(QUESTIONS_EACH):
                    ask(world, reader, chance)

    holds()


def ask(world: World, reader: TruthReader, chance: random.Random) -> None:
    """Put one drawn question of each kind to a truth."""
    query = query_about(world.documents, chance)
    scope = chance.choice([query.scope, either_about(world.documents, chance)])
    eligibility = chance.choice([None, query.eligibility])
    request = BrowseRequest(
        scope=scope,
        eligibility=eligibility,
        order=chance.choice(list(BrowseOrder)),
        limit=chance.randint(0, 5),
        offset=chance.choice([0, 0, 1, 3, 20]),
    )
    assert reader.browsed(request) == world.page(request), request
    number, before, after = chance.randint(1, 10), chance.randint(0, 3), chance.randint(0, 3)
    expected = world.beside(number, before, after, scope, eligibility)
    assert tuple(reader.beside(number, before, after, scope, eligibility)) == expected, (
        number,
        before,
        after,
        scope,
        eligibility,
    )
    assert list(reader.projects(scope)) == world.projects(scope), scope


MANY = fencing.MOST_VALUES + 1
LARGE = {
    "member": MemberFence(frozenset({1, 3, *range(100, 100 + MANY)})),
    "mark": MarkFence(MarkField.TAGS, frozenset({"t", *map(str, range(MANY))})),
    "either": EitherFence(
        (
            Scope((MarkFence(MarkField.TAGS, frozenset({"t"})), MemberFence(frozenset({3})))),
            *(Scope((LabelFence(LabelField.PROJECT, frozenset({f"none {place}"})),)) for place in range(MANY)),
        )
    ),
    "nested": EitherFence((Scope((EitherFence((Scope((MemberFence(frozenset({3, *range(100, 100 + MANY)})),)),)),)),)),
    "subtrees": EitherFence((Scope((SubtreeFence(frozenset({"p", *map(str, range(MANY))})),)),)),
}


@pytest.mark.parametrize("name", LARGE)
def test_pages_and_neighbours_stand_inside_fences_of_any_size(truth: Truth, name: str) -> None:
    """F4, W14: what a database takes in one statement is no limit of the port; pages are cut after the fence, not before."""
    captures = [
        make_capture(1, "a", labels=labels(session_id="s"), importance=0.1),
        make_capture(2, "b", labels=labels(session_id="s"), importance=0.9, tags=("u",)),
        make_capture(3, "c", labels=labels(session_id="s", project_id="p/x"), importance=0.8, tags=("t",)),
        make_capture(4, "d", labels=labels(session_id="s", project_id="p"), importance=0.7, tags=("t",)),
    ]
    write(truth, captured(*captures))
    world, scope = World(captures, frozenset()), Scope((LARGE[name],))
    with truth.reading() as reader:
        for offset in (0, 1):
            request = BrowseRequest(scope=scope, eligibility=None, order=BrowseOrder.IMPORTANCE, limit=1, offset=offset)
            assert reader.browsed(request) == world.page(request)
        assert reader.browsed(request).total
        assert list(reader.projects(scope)) == world.projects(scope)
        assert tuple(reader.beside(2, 1, 1, scope, None)) == world.beside(2, 1, 1, scope, None) != ()


def test_a_fence_of_no_scope_admits_nothing_and_of_an_open_one_everything(truth: Truth) -> None:
    """F10: at least one of the scopes must admit; a scope without fences admits whatever there is."""
    remember(truth, "a", "b")
    with truth.reading() as reader:
        for scopes, admitted in (((), 0), ((Scope(),), 2)):
            assert len(browse(reader, Scope((EitherFence(scopes),)))) == admitted


def browse(reader: TruthReader, scope: Scope = WHOLE, order: BrowseOrder = BrowseOrder.APPENDED, **judged: object) -> tuple:
    """A page of ten; eligibility only where `judged` says something of it."""
    eligibility = Eligibility(**judged) if judged else None  # type: ignore[arg-type]
    return reader.browsed(BrowseRequest(scope=scope, eligibility=eligibility, order=order, limit=10)).numbers


def test_marks_that_are_browsed_by_in_turn_each_find_their_own(truth: Truth) -> None:
    """L15: one snapshot browses by one entity after another, alone and beside other fences; no answer is another one's."""
    borne = {1: ("ada", "bob"), 2: ("ada",), 3: ("bob",), 4: ()}
    write(truth, captured(*(make_capture(n, f"text {n}", entities=names, tags=names[:1]) for n, names in borne.items())))
    tagged = Scope((MarkFence(MarkField.TAGS, frozenset({"ada"})),))
    with truth.reading() as reader:
        for name, found in (("ada", (1, 2)), ("bob", (1, 3)), ("eve", ()), ("ada", (1, 2))):
            one = MarkFence(MarkField.ENTITIES, frozenset({name}))
            request = BrowseRequest(scope=Scope((one,)), eligibility=None, order=BrowseOrder.APPENDED, limit=1)
            assert reader.browsed(request) == ListPage(found[:1], len(found))
            assert browse(reader, tagged.with_fences(one)) == tuple(number for number in found if number in (1, 2))
            assert browse(reader, Scope((one, *tagged.fences))) == tuple(number for number in found if number in (1, 2))
        assert browse(reader, Scope((MarkFence(MarkField.TAGS, frozenset({"bob"})),))) == (3,)
        assert browse(reader, Scope((MarkFence(MarkField.ENTITIES, frozenset({"ada", "bob"})),))) == (1, 2, 3)
        assert browse(reader) == (1, 2, 3, 4)


def test_each_order_falls_back_to_the_number(truth: Truth) -> None:
    """L8, O11: importance, confidence, last update and id; two that are equal in all of them never change places."""
    write(
        truth,
        captured(
            make_capture(1, "a", importance=0.5, confidence=0.9, captured_at=Instant(NOON + 2)),
            make_capture(2, "b", importance=0.9, confidence=0.1, captured_at=NOON),
            make_capture(3, "c", importance=0.5, confidence=0.9, captured_at=Instant(NOON + 2), updated_at=Instant(NOON + 9)),
            make_capture(4, "d", importance=0.5, confidence=0.9, captured_at=NOON),
            make_capture(5, "e", importance=0.5, confidence=0.95, captured_at=NOON),
        ),
    )
    with truth.reading() as reader:
        assert browse(reader, order=BrowseOrder.IMPORTANCE) == (2, 5, 3, 1, 4)
        assert browse(reader, order=BrowseOrder.NEWEST) == (3, 1, 5, 4, 2)
        assert browse(reader, order=BrowseOrder.APPENDED) == (1, 2, 3, 4, 5)


def test_eligibility_is_judged_at_the_instant_asked_about(truth: Truth) -> None:
    """F9, case D11: `as_of` looks at a capsule's own superseded time; a waived reason lets it ground all the same."""
    remember(truth, "a")
    with truth.writing() as writer:
        writer.apply(revised(1, "b", standing=Standing(superseded_at=Instant(NOON + days(1)))), "ann", NOON)
    with truth.reading() as reader:
        assert browse(reader, at=NOON) == (1,)
        assert browse(reader, at=Instant(NOON + days(1))) == ()
        assert browse(reader, at=Instant(NOON + days(1)), admit=frozenset({ExclusionReason.SUPERSEDED})) == (1,)


def test_projects_are_told_apart_by_code_point_alone(truth: Truth) -> None:
    """W11, W14, O11: capital letters, marks and scripts neither fold nor follow a database's collation; unstamped first."""
    for place, project in enumerate(("b", "B", "é", "e", "ü", "日")):
        remember(truth, project, labels=labels(project_id=project), captured_at=Instant(NOON + place))
    remember(truth, "unstamped")
    remember(truth, "again", labels=labels(project_id="B"))
    with truth.reading() as reader:
        found = reader.projects(Scope())
    assert [each.project for each in found] == [None, "B", "b", "e", "é", "ü", "日"]
    assert found[1] == ProjectCount("B", 2, Instant(NOON + 1))


def test_every_revision_is_read_with_its_own_anchors_until_it_is_forgotten(truth: Truth) -> None:
    """W12, W13: oldest first, whole; nothing of a forgotten or unknown capsule."""
    first = make_capture(1, "one", tags=("old",), anchors=(Anchor("a.py:1", "a.py", 1), Anchor("b")))
    second = make_capture(1, "two", revision=2, anchors=(Anchor("c"),), metadata=(("n", "1"),))
    write(truth, captured(first, make_capture(2, "other")), revised(1, "two", 2, anchors=(Anchor("c"),), metadata=(("n", "1"),)))
    with truth.reading() as reader:
        assert list(reader.revisions(1)) == [first.text, second.text]
        assert [each.content for each in reader.revisions(2)] == ["other"]
        assert list(reader.revisions(3)) == []
    write(truth, entombed(1))
    with truth.reading() as reader:
        assert list(reader.revisions(1)) == []


PROJECT = LabelFence(LabelField.PROJECT, frozenset({"p"}))


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        (browsing.in_order(browsing.seen([PROJECT], None), BrowseOrder.NEWEST), "ix_capsule_project_id_digest"),
        (browsing.how_many(browsing.seen([PROJECT], Eligibility(at=NOON))), "ix_capsule_project_id_digest"),
        (
            browsing.how_many(browsing.seen([EitherFence((Scope((PROJECT,)), Scope((MemberFence(frozenset({1})),))))], None)),
            "ix_capsule_project_id_digest",
        ),
        (
            browsing.neighbours(browsing.in_session(browsing.seen([PROJECT], Eligibility(at=NOON)))).earlier,
            "ix_capsule_session_id_digest",
        ),
        (browsing.neighbours(browsing.seen([], None)).later, "PRIMARY KEY"),
        (
            browsing.page_of(
                browsing.in_order([*browsing.seen([], None), fencing.bearing_one(MarkField.ENTITIES)], BrowseOrder.IMPORTANCE)
            ),
            "ix_capsule_mark_field_digest",
        ),
    ],
    ids=["page", "count", "either", "neighbours", "neighbours without a session", "mark"],
)
def test_what_is_narrow_is_looked_up(statement: object, index: str, tmp_path: Path) -> None:
    """Decision 4: a page of one project, or the two rows beside a hit, must not cost a walk through the store."""
    with opened("sqlite", tmp_path) as truth, truth.reading() as reader:
        prepared = reader._rows._compiler.compiled(statement)
        asked = {"number": 900, "most": 2, "session": "s", "session_digest": "d"}
        values = [{**prepared.constants, **asked}[name] for name in prepared.before]
        reader._rows._cursor.execute(f"EXPLAIN QUERY PLAN {prepared.text}", values)
        plan = [row[3] for row in reader._rows._cursor.fetchall()]
    assert any(index in step for step in plan), plan
    assert not any(step.startswith("SCAN capsule") for step in plan), plan
