"""The anchor probe: what it says of places below its root, and that nothing leads it out (O5)."""

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recordance.domain.provenance import UNREADABLE, Anchor, AnchorReading, Drift, Liveness, read_anchor
from recordance_adapters.driven.in_memory.anchors import MemoryAnchors
from recordance_adapters.driven.repository_anchors import RepositoryAnchors
from recordance_adapters.driven.repository_anchors.fence import Opening, native_opening, open_resolved, open_step_by_step

TEXT = b"one\ntwo\nthree\n"
SECRET = b"outside\n"

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX links, pipes and permissions")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one file of three lines, beside a secret that lies outside it."""
    (tmp_path / "secret.txt").write_bytes(SECRET)
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "main.py").write_bytes(TEXT)
    return folder


@pytest.fixture(params=[open_step_by_step, open_resolved], ids=["step by step", "resolved"])
def probe(request: pytest.FixtureRequest, root: Path) -> RepositoryAnchors:
    """The probe with each way of opening a file; both must say the same."""
    opening: Opening = request.param
    if opening is open_step_by_step and native_opening() is not open_step_by_step:
        pytest.skip("this system cannot open relative to a folder")
    return RepositoryAnchors(root, opening=opening)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def captured(text: str, content: bytes) -> Anchor:
    """The anchor as a capsule holds it that was captured while the file had this content."""
    anchor = read_anchor(text)
    return Anchor(anchor.text, anchor.path, anchor.line, anchor.sha, sha256(content))


@pytest.mark.parametrize("text", ["src/main.py:1", "src/main.py:3", "./src/main.py:2", "src/./main.py:2@0a1b2c3"])
def test_a_line_that_exists_in_an_unchanged_file_is_live_and_unchanged(probe: RepositoryAnchors, text: str) -> None:
    """O5: the probe confirms what a capsule says of a place while it is still so."""
    assert probe.read(captured(text, TEXT)) == AnchorReading(Liveness.LIVE, Drift.UNCHANGED)


def test_a_line_beyond_the_end_is_gone_and_the_file_still_judged(probe: RepositoryAnchors) -> None:
    """O5: existence is asked of the line, change of the whole file."""
    assert probe.read(captured("src/main.py:4", TEXT)) == AnchorReading(Liveness.GONE, Drift.UNCHANGED)


def test_a_last_line_without_its_end_counts(probe: RepositoryAnchors, root: Path) -> None:
    """O5: an editor shows that line; whoever anchored to it must not read that it is gone."""
    (root / "open.txt").write_bytes(b"one\ntwo")
    assert probe.read(read_anchor("open.txt:2")).liveness is Liveness.LIVE
    assert probe.read(read_anchor("open.txt:3")).liveness is Liveness.GONE


def test_a_changed_file_is_drifted_and_its_hash_is_the_new_one(probe: RepositoryAnchors, root: Path) -> None:
    """O5: drift compares with the hash at capture; nothing kept from an earlier probe hides the change."""
    anchor = captured("src/main.py:1", TEXT)
    assert probe.read(anchor).drift is Drift.UNCHANGED
    (root / "src" / "main.py").write_bytes(b"One\nTwo\nThree\n")
    assert probe.read(anchor) == AnchorReading(Liveness.LIVE, Drift.DRIFTED)
    assert probe.file_hash(anchor) == sha256(b"One\nTwo\nThree\n")


def test_a_settled_file_is_read_anew_when_only_its_bytes_change(probe: RepositoryAnchors, root: Path) -> None:
    """O5: an edit of equal length whose time of change is set back must not be answered from what was kept."""
    path, anchor = root / "src" / "main.py", captured("src/main.py:1", TEXT)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert probe.read(anchor).drift is Drift.UNCHANGED
    path.write_bytes(b"ONE\nTWO\nTHREE\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert probe.read(anchor).drift is Drift.DRIFTED


def test_a_file_without_a_hash_from_capture_has_unknown_drift(probe: RepositoryAnchors) -> None:
    """O5: without a captured hash nothing can be compared."""
    assert probe.read(read_anchor("src/main.py:1")) == AnchorReading(Liveness.LIVE, Drift.UNKNOWN)


@pytest.mark.parametrize("text", ["src/gone.py:1", "gone/main.py:1", "src/main.py/deeper:1", "src:1"])
def test_a_file_that_is_not_there_is_gone_with_unknown_drift(probe: RepositoryAnchors, text: str) -> None:
    """O5: deletion reads live false, drift unknown; a folder has no line and a file no folder below it."""
    assert probe.read(captured(text, TEXT)) == AnchorReading(Liveness.GONE, Drift.UNKNOWN)
    assert probe.file_hash(read_anchor(text)) is None


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "src/../../secret.txt",
        "src/../src/main.py",
        "..",
        "/etc/hostname",
        "//server/share/file",
        r"\\server\share\file",
        r"src\main.py",
        "C:/windows/win.ini",
        r"C:\windows\win.ini",
        "c:main.py",
        "src//main.py",
        "src/main.py/",
        "src/main.py\0.txt",
        ".",
        "",
        "x" * 5_000,
        "sur\ud800rogate",
    ],
)
def test_a_path_that_is_not_plainly_below_the_root_is_unknown(probe: RepositoryAnchors, path: str) -> None:
    """O5: absolute, climbing, foreign or unspellable paths are refused, on every system alike, and never raise."""
    anchor = Anchor(f"{path}:1", path, 1, None, sha256(SECRET))
    assert probe.read(anchor) == UNREADABLE
    assert probe.file_hash(anchor) is None


@pytest.mark.parametrize("text", ["doc-17", "a quote of a few words", "PR 12"])
def test_an_anchor_that_names_no_path_is_unknown(probe: RepositoryAnchors, text: str) -> None:
    """O5: only path:line can be probed."""
    assert probe.read(read_anchor(text)) == UNREADABLE


def test_without_a_root_everything_is_unknown() -> None:
    """O5: a server started without --root probes nothing."""
    assert RepositoryAnchors(None).read(captured("src/main.py:1", TEXT)) == UNREADABLE


def test_a_root_that_is_gone_makes_everything_unknown(probe: RepositoryAnchors, root: Path) -> None:
    """O5: a moved checkout says nothing about its files; they are not deleted."""
    root.rename(root.with_name("moved"))
    assert probe.read(captured("src/main.py:1", TEXT)) == UNREADABLE


@POSIX
@pytest.mark.parametrize("target", ["../secret.txt", "src/main.py"], ids=["out", "within"])
def test_a_symlink_for_a_file_is_never_followed(probe: RepositoryAnchors, root: Path, target: str) -> None:
    """O5: a symlink is unknown even when it stays inside: where it leads can change between two looks."""
    (root / "link.txt").symlink_to(root / target)
    assert probe.read(captured("link.txt:1", SECRET)) == UNREADABLE
    assert probe.file_hash(read_anchor("link.txt:1")) is None


@POSIX
def test_a_symlink_for_a_folder_is_never_followed(probe: RepositoryAnchors, root: Path) -> None:
    """O5: no component may be a symlink, not only the last."""
    (root / "out").symlink_to(root.parent)
    (root / "in").symlink_to(root / "src")
    assert probe.read(captured("out/secret.txt:1", SECRET)) == UNREADABLE
    assert probe.read(captured("in/main.py:1", TEXT)) == UNREADABLE


@POSIX
def test_a_root_behind_a_symlink_may_be_probed(root: Path, probe: RepositoryAnchors) -> None:
    """O5: the root is the owner's choice; only what lies below it is fenced."""
    (root.parent / "alias").symlink_to(root)
    behind = RepositoryAnchors(root.parent / "alias", opening=probe._opening)
    assert behind.read(captured("src/main.py:1", TEXT)) == AnchorReading(Liveness.LIVE, Drift.UNCHANGED)


@POSIX
def test_a_pipe_or_a_device_is_not_opened(probe: RepositoryAnchors, root: Path) -> None:
    """O5: opening a pipe without a writer would wait for ever; the test's own time limit would say so."""
    os.mkfifo(root / "pipe")
    assert probe.read(read_anchor("pipe:1")) == UNREADABLE
    assert RepositoryAnchors(Path("/dev"), opening=probe._opening).read(read_anchor("null:1")) == UNREADABLE


@POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser reads everything")
def test_a_file_that_may_not_be_read_is_unknown(probe: RepositoryAnchors, root: Path) -> None:
    """O5: an unreadable file is neither live nor gone."""
    (root / "src" / "main.py").chmod(0)
    assert probe.read(captured("src/main.py:1", TEXT)) == UNREADABLE


def test_a_file_above_the_size_bound_is_unknown(root: Path, probe: RepositoryAnchors) -> None:
    """O5: a recall never waits for a huge file; at the bound it is still read."""
    exact = RepositoryAnchors(root, max_bytes=len(TEXT), opening=probe._opening)
    assert exact.read(captured("src/main.py:1", TEXT)) == AnchorReading(Liveness.LIVE, Drift.UNCHANGED)
    short = RepositoryAnchors(root, max_bytes=len(TEXT) - 1, opening=probe._opening)
    assert short.read(captured("src/main.py:1", TEXT)) == UNREADABLE


def test_the_oracle_in_memory_reads_every_place_as_the_folder_does(probe: RepositoryAnchors, root: Path) -> None:
    """O5: line ends of every kind, the last line open or closed, fenced paths, folders and absences."""
    contents = [
        b"",
        b"a",
        b"a\n",
        b"a\r\nb",
        b"a\rb\r",
        b"\n\n",
        b"a\n\rb",
        b"x" * 300_000 + b"\r\n" + b"y\n" * 9,
        b"\r\n" * 140_000,
    ]
    files = {f"src/{place}.txt": content for place, content in enumerate(contents)}
    for name, content in files.items():
        (root / name).write_bytes(content)
    memory = MemoryAnchors(files)
    paths = [
        *files,
        "src/gone.txt",
        "./src/1.txt",
        "../secret.txt",
        "/etc/hostname",
        "C:/x",
        r"src\1.txt",
        "src//1.txt",
        "src/",
        "src",
    ]
    for path in paths:
        for line in (1, 2, 3, 4, 12, 140_000, 140_001):
            for captured_hash in (None, sha256(b"a\n"), sha256(b"other")):
                anchor = Anchor(f"{path}:{line}", path, line, None, captured_hash)
                assert probe.read(anchor) == memory.read(anchor), anchor
        assert probe.file_hash(anchor) == memory.file_hash(anchor), path


@contextmanager
def exchanging(name: Path, other: Path) -> Iterator[None]:
    """Let another thread exchange what two names hold, again and again."""
    stop = threading.Event()

    def exchange() -> None:
        aside = name.with_name("aside")
        while not stop.is_set():
            name.rename(aside)
            other.rename(name)
            aside.rename(other)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10)


@POSIX
@pytest.mark.parametrize("place", ["folder", "file"])
def test_no_race_with_a_symlink_leads_outside(root: Path, place: str) -> None:
    """O5: while a folder or a file is exchanged for a symlink under the probe's feet, the secret's hash never comes back."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "main.py").write_bytes(SECRET)
    (root / "other").symlink_to(outside if place == "folder" else outside / "main.py")
    probe, anchor = RepositoryAnchors(root, opening=open_step_by_step), read_anchor("src/main.py:1")
    with exchanging(root / "src" if place == "folder" else root / "src" / "main.py", root / "other"):
        seen = {probe.file_hash(anchor) for _ in range(3_000)}
    assert seen <= {sha256(TEXT), None}
    assert sha256(TEXT) in seen, "the probe never met the file itself, so the race was not run"


def test_many_threads_may_probe_at_once(probe: RepositoryAnchors, root: Path) -> None:
    """O5: recalls run on worker threads and share one probe."""
    os.utime(root / "src" / "main.py", (1_000_000_000, 1_000_000_000))
    anchor, readings = captured("src/main.py:2", TEXT), []
    threads = [threading.Thread(target=lambda: readings.extend(probe.read(anchor) for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert readings == [AnchorReading(Liveness.LIVE, Drift.UNCHANGED)] * 200
