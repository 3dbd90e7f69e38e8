"""Upkeep of embeddings and of what was forgotten: status names spaces, the doctor finds what other hands did, rebuild helps."""

import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recordance.domain.attaching import attached
from recordance.domain.change import AppendReview
from recordance.domain.embedding import Space, vector_of
from recordance.domain.journal import Op
from recordance.domain.review import ReviewEvent, Ruling
from recordance.domain.tombstone import Remnant
from recordance.errors import Fault
from recordance.ports.vectors import VectorReplica
from recordance.usecases.inspect import doctor, rebuild, status
from recordance.usecases.remember import Idempotency, remember
from recordance.usecases.store import Destinations, Store
from recordance.usecases.vector_follow import VectorFollower
from recordance_adapters.bootstrap import open_service
from recordance_adapters.driven.in_memory.vectors import MemoryVectorReplica
from recordance_adapters.driven.system.housing import MemoryHousing
from recordance_adapters.settings import Settings
from support.commands import Commands
from support.stores import ANN, Bench, bench, draft, standing_still
from support.truths import NOON, entombed, told, write

SPACE = Space("default", 3, "mini")


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of four capsules: two with vectors, one without, one forgotten that had everything."""
    folder = tmp_path_factory.mktemp("furnished") / "store"
    with open_service(Settings(store=folder)) as service:
        given: dict[str, Any] = {"tags": ("hush",), "task_key": "quiet", "anchor": "src/lib.rs:3"}
        items = [draft("pin tokio"), draft("tokio is a runtime"), draft("no vector"), draft("a secret", **given)]
        remember(service.destinations, ANN, None, items, Idempotency("once", "d"))
        furnish(service.destinations.writing(ANN, None))
    return folder


@pytest.fixture
def command(furnished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over such a store."""
    command = Commands(tmp_path, capsys)
    shutil.copytree(furnished, command.store)
    command.store.chmod(0o700)
    return command


def furnish(store: Store) -> None:
    """Three vectors and a verdict; the last capsule is forgotten."""
    for number in (1, 2, 4):
        embed(store, number, float(number), 0.5, -0.25)
    review = AppendReview(ReviewEvent(4, Ruling.RATIFIED, "as Ada said", "ann", NOON))
    write(store.truth, told(Op.REVIEWED, 4, review), entombed(4))


def embed(store: Store, number: int, *values: float) -> None:
    """Attach a vector to a capsule."""
    with store.truth.writing() as writer:
        held = writer.space("default")
        capsule = writer.capsules([number])[number]
        writer.apply(attached(capsule, vector_of(values), held and held.space, SPACE, NOON), "ann", NOON)


def altered(command: Commands, *statements: str) -> None:
    """Change the store behind the program's back."""
    with closing(sqlite3.connect(command.store / "truth.sqlite", isolation_level=None)) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            assert database.execute(statement).rowcount > 0, statement


def examined(command: Commands) -> dict[str, dict[str, str]]:
    """Each check that does not pass, by name."""
    return {check["name"]: check for check in command("doctor", "--json").answer["checks"] if check["verdict"] != "ok"}


# ── status ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_status_names_each_space_with_its_dimension_model_and_vectors(command: Commands) -> None:
    """W4: whoever is to bring a vector must know what fits; what is forgotten is not counted."""
    answer = command("status", "--json").answer
    assert answer["spaces"] == [{"name": "default", "dimension": 3, "model": "mini", "vectors": 2}]
    assert answer["vector_index"]["applied"] + answer["vector_index"]["waiting"] == answer["seq"]
    lines = command("status").out.splitlines()
    place = lines.index("spaces:")
    assert lines[place + 1].strip() == "name default, dimension 3, model mini, vectors 2"
    assert "vector_index:" in lines


def test_status_of_a_store_without_vectors_has_no_space_and_waits_for_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """L2: a store that was never given a vector has no dimension to name."""
    command = Commands(tmp_path, capsys)
    command("store", "pin tokio")
    answer = command("status", "--json").answer
    assert (answer["spaces"], answer["vector_index"]["waiting"]) == ([], 0)
    assert "spaces: none" in command("status").out.splitlines()


def test_status_says_how_far_the_vector_index_is() -> None:
    """W4: how much a recall would have to put, or scan."""
    store = bench()
    store.learn("pin tokio", "tokio is a runtime")
    embed(store.store, 1, 1.0, 2.0, 3.0)
    assert index_of(store) == {"applied": 0, "waiting": 3}
    store.store.vectors.commit()
    assert index_of(store) == {"applied": 3, "waiting": 0}
    embed(store.store, 2, 1.0, 2.0, 3.0)
    assert index_of(store) == {"applied": 3, "waiting": 1}


def index_of(store: Bench) -> dict[str, int]:
    answer: dict[str, int] = status(store.destinations, ANN, None, MemoryHousing(lambda: 0))["vector_index"]
    return answer


@pytest.mark.skipif(sys.platform == "win32", reason="what a file takes of its disk is not counted there")
def test_status_counts_what_an_index_has_written_and_not_what_it_has_reserved(command: Commands) -> None:
    """A store of three statements is no 80 MB, whatever its index has set aside for more."""
    reserved = command.store / "replicas" / "reserved"
    with reserved.open("wb") as file:
        file.write(b"written")
        file.truncate(1 << 30)
    assert command("status", "--json").answer["bytes"]["replicas"] < 1 << 26


# ── doctor: the truth ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_embeddings_and_forgotten_capsules_in_order_pass(command: Commands) -> None:
    """W4, W6: this store has all that the checks look at, and nothing is at fault."""
    assert examined(command) == {}
    found = {check["name"]: check["found"] for check in command("doctor", "--json").answer["checks"]}
    assert found["embeddings"] == "2 in 'default', each of its capsule's content"
    assert found["forgotten"] == "of 1 forgotten capsules nothing is left in the truth"
    assert found["vector_index"].startswith("2 vectors at seq")


NAN = "X'0000803F0000C07F0000803F'"
INFINITE = "X'0000803F0000807F0000803F'"


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE embedding SET content_digest = 'ab' WHERE capsule = 1", "cap-1 in 'default': it was made for another content"),
        (f"UPDATE embedding SET vector = {NAN} WHERE capsule = 2", "cap-2 in 'default': a component is not finite"),
        (f"UPDATE embedding SET vector = {INFINITE} WHERE capsule = 2", "cap-2 in 'default': a component is not finite"),
        ("UPDATE embedding SET vector = zeroblob(12) WHERE capsule = 2", "cap-2 in 'default': all of its components are zero"),
        ("UPDATE embedding SET vector = X'0000803F' WHERE capsule = 2", "cap-2 in 'default': it has 1 components"),
        ("UPDATE embedding SET vector = zeroblob(11) WHERE capsule = 2", "cap-2 in 'default': it has 2 components"),
        ("UPDATE embedding SET capsule = 4 WHERE capsule = 2", "cap-4 in 'default': its capsule is forgotten"),
        ("UPDATE embedding SET space = 'gone' WHERE capsule = 2", "cap-2 in 'gone': there is no space 'gone'"),
        ("UPDATE embedding_space SET dimension = 4", "cap-1 in 'default': it has 3 components, and its space 4"),
        ("UPDATE embedding_space SET vectors = 7", "counts 7 vectors and has 2"),
        ("DELETE FROM embedding WHERE capsule = 2", "counts 2 vectors and has 1"),
    ],
)
def test_an_embedding_that_is_not_its_capsules_is_found(command: Commands, statement: str, found: str) -> None:
    """W4, L2, case D5, case D7, case E3: each is told with its capsule, and with what to do."""
    altered(command, statement)
    finding = examined(command)["embeddings"]
    assert finding["verdict"] == "fail"
    assert found in finding["found"]
    assert "--without-embeddings" in finding["advice"]


def test_an_embedding_of_a_capsule_that_never_was_is_found(command: Commands) -> None:
    """W4: beyond the last number there is nobody to belong to."""
    altered(command, "UPDATE embedding SET capsule = 77 WHERE capsule = 2")
    assert "counts 2 vectors and has 1" in examined(command)["embeddings"]["found"]


EARLIER = (
    "INSERT INTO capsule_revision SELECT capsule, 2, 'a secret', headline, source, proof_hint, stale_if, signature, tags, "
    "topics, entities, metadata FROM capsule_revision WHERE capsule = 4"
)


@pytest.mark.parametrize(
    ("statement", "remnant"),
    [
        ("UPDATE capsule_revision SET content = 'a secret' WHERE capsule = 4", Remnant.TEXT),
        ('UPDATE capsule_revision SET metadata = \'[["a","1"]]\' WHERE capsule = 4', Remnant.TEXT),
        ("UPDATE capsule_revision SET stale_if = 'told' WHERE capsule = 4", Remnant.TEXT),
        (
            EARLIER,
            Remnant.TEXT,
        ),
        ("UPDATE anchor SET path = 'src/lib.rs' WHERE capsule = 4", Remnant.ANCHOR),
        ("INSERT INTO capsule_mark (capsule, field, digest) VALUES (4, 'tags', 'ab')", Remnant.MARK),
        ("UPDATE embedding SET capsule = 4 WHERE capsule = 2", Remnant.VECTOR),
        ("UPDATE review_event SET reason = 'as Ada said' WHERE capsule = 4", Remnant.NOTE),
        (
            "INSERT INTO kept_answer (digest, key, items_digest, answer, at) VALUES ('x', 'k', 'd', '{\"id\":\"cap-4\"}', 1)",
            Remnant.ANSWER,
        ),
        ("UPDATE capsule SET task_key = 'quiet' WHERE number = 4", Remnant.ROW),
        ("UPDATE capsule SET content_digest = 'ab' WHERE number = 4", Remnant.ROW),
        ("UPDATE journal SET field_values = '{\"task_key\":\"quiet\"}' WHERE capsule = 4 AND op = 'captured'", Remnant.JOURNAL),
    ],
)
def test_whatever_is_left_of_a_forgotten_capsule_is_found(command: Commands, statement: str, remnant: Remnant) -> None:
    """W6: in any revision, mark, vector, verdict, answer or journal row; it is named by its place, never shown."""
    altered(command, statement)
    finding = examined(command)["forgotten"]
    assert (finding["verdict"], finding["found"]) == ("fail", f"of cap-4 is left: {remnant}")
    assert "export" in finding["advice"]


def test_a_forgotten_capsule_without_its_tombstone_is_found(command: Commands) -> None:
    """W6: without it the same content would be stored again."""
    altered(command, "DELETE FROM tombstone")
    assert examined(command)["forgotten"]["found"] == "cap-4 has no tombstone"


def test_what_the_doctor_advises_for_remains_leaves_nothing_of_them(
    command: Commands, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """W6, W10: advice that works: an export of a store with remains carries none of them."""
    altered(
        command,
        "UPDATE capsule_revision SET content = 'a secret' WHERE capsule = 4",
        "UPDATE capsule_revision SET tags = '[\"hush\"]' WHERE capsule = 4",
        "UPDATE review_event SET reason = 'as Ada said' WHERE capsule = 4",
    )
    file = tmp_path / "export.jsonl"
    assert command("export", str(file)).code == 0
    text = file.read_text(encoding="utf-8")
    assert "a secret" not in text
    assert "hush" not in text
    (tmp_path / "new").mkdir()
    elsewhere = Commands(tmp_path / "new", capsys)
    assert elsewhere("import", str(file), "--json").answer["status"] == "restored"
    assert "forgotten" not in examined(elsewhere)


# ── doctor and rebuild: the index ─────────────────────────────────────────────────────────────────────────────────────────────


class Leaky(MemoryVectorReplica):
    """An index from which a point went missing after it was compared with the truth."""

    def lose(self) -> None:
        self.put([], [1])


def observed(opening: Callable[[], VectorReplica]) -> Bench:
    """A bench over an index that is opened so."""
    plain = bench()
    vectors = VectorFollower(plain.truth, "default", opening, standing_still)
    store = replace(plain.store, vectors=vectors)
    return replace(plain, store=store, destinations=Destinations({store.name: store}))


def checks(store: Bench) -> dict[str, dict[str, Any]]:
    def documents() -> int:
        store.store.terms.commit()
        with store.truth.reading() as reader:
            return reader.corpus().capsules

    answer = doctor(store.destinations, ANN, None, MemoryHousing(documents), lambda done, total: None)
    return {check["name"]: check for check in answer["checks"]}


def test_an_index_that_lost_a_vector_is_found_and_a_rebuild_mends_it() -> None:
    """case D5: the counts are compared whenever somebody asks, and the advice is what helps."""
    replica = Leaky()
    store = observed(lambda: replica)
    store.learn("pin tokio", "tokio is a runtime")
    embed(store.store, 1, 1.0, 2.0, 3.0)
    embed(store.store, 2, 3.0, 2.0, 1.0)
    assert checks(store)["vector_index"]["verdict"] == "ok"
    replica.lose()
    finding = checks(store)["vector_index"]
    assert (finding["verdict"], finding["found"]) == ("fail", "1 vectors where the truth has 2")
    assert "recordance rebuild" in finding["advice"]
    heard: list[tuple[int, int]] = []
    answer = rebuild(store.destinations, ANN, None, lambda done, total: heard.append((done, total)))
    assert answer == {"status": "rebuilt", "seq": 4, "vectors": 2}
    assert heard.count((4, 4)) == 2
    assert checks(store)["vector_index"]["verdict"] == "ok"


def test_a_rebuild_fills_both_indexes_and_says_so(command: Commands) -> None:
    """O11: both are derived; the answer names how many vectors there are."""
    answer = command("rebuild", "--json").answer
    assert (answer["status"], answer["vectors"]) == ("rebuilt", 2)
    assert examined(command) == {}


def test_an_index_that_cannot_be_opened_is_a_finding_and_no_crash() -> None:
    """case L4: the other checks say what they can."""

    def opening() -> VectorReplica:
        raise Fault("the disk is full")

    store = observed(opening)
    store.learn("pin tokio")
    embed(store.store, 1, 1.0, 2.0, 3.0)
    found = checks(store)
    assert (found["vector_index"]["verdict"], found["vector_index"]["found"]) == ("fail", "the disk is full")
    assert {name for name, check in found.items() if check["verdict"] != "ok"} == {"vector_index"}
    assert status(store.destinations, ANN, None, MemoryHousing(lambda: 0))["vector_index"]["applied"] == 0
