"""What is made in a store's folder is its owner's alone, whatever the process masks."""

import os
import stat
from pathlib import Path

import pytest

from recordance_adapters.bootstrap import REPLICAS_FOLDER, TRUTH_FILE
from support.commands import program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX ones")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o177], ids=oct)
def test_folders_of_replicas_are_private_in_a_folder_that_is_not(tmp_path: Path, mask: int) -> None:
    """case L9: a store may lie in a folder that others use, and its index holds every word that was stored."""
    tmp_path.chmod(0o755)
    (tmp_path / "notes.txt").touch()
    before = os.umask(mask)
    try:
        ran = program("store", "private words", "--store", str(tmp_path))
    finally:
        os.umask(before)
    assert ran.returncode == 0, ran.stderr
    replicas = tmp_path / REPLICAS_FOLDER
    folders = [replicas, *(path for path in replicas.iterdir() if path.is_dir())]
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}
    files = [tmp_path / TRUTH_FILE, *replicas.glob("*.lock")]
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) & 0o077 for file in files} == {0}
