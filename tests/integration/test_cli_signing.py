"""Signing from the command line, and what a service that trusts the key makes of it (F11)."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

from support.commands import FIXED, Commands
from support.signatures import public_key, signature_of
from support.stdio_peer import BOUND, checkout_environment


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands over a new store."""
    return Commands(tmp_path, capsys)


@pytest.fixture
def key(tmp_path: Path, command: Commands) -> str:
    """The file of a new key that the configuration trusts."""
    file = str(tmp_path / "key.pem")
    made = command("key", file)
    assert made.code == 0
    command.config.write_text(FIXED + made.out, encoding="utf-8")
    return file


def trusted(command: Commands, *words: str) -> list[str]:
    """Which capsules a recall of what is trusted finds."""
    ran = command("recall-valued", *words, "--trusted-only", "--json")
    assert ran.code in (0, 1), ran.err
    return [row["id"] for row in ran.answer["result"]]


def test_what_is_signed_is_found_among_what_is_trusted_and_nothing_else_is(command: Commands, key: str) -> None:
    """F11: the table that `key` prints is the trust root; a signature vouches for its content, character by character."""
    assert command("store", "we pin tokio", "--sign-with", key).code == 0
    command("store", "we never pin tokio")
    stolen = command("get", "cap-1", "--json").answer["capsules"][0]["signature"]
    command("store", "we pin tokio no more", "--signature", stolen)
    assert trusted(command, "tokio") == ["cap-1"]
    command("update", "cap-1", "--changes", json.dumps({"content": "we pin tokio, or not"}))
    assert trusted(command, "tokio") == []
    again = command("sign", key, "we pin tokio, or not").out.strip()
    command("update", "cap-1", "--changes", json.dumps({"signature": again}))
    assert trusted(command, "tokio") == ["cap-1"]


def test_many_are_signed_like_one(command: Commands, key: str, tmp_path: Path) -> None:
    """F11: each its own content; what is signed already keeps its signature, and what cannot be stored is told as ever."""
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    items = [{"content": "tokio one"}, {"content": "tokio two", "signature": signature_of(other, "tokio two")}, {"content": ""}]
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    ran = command("store", "--items", str(file), "--sign-with", key, "--json")
    assert [result["status"] for result in ran.answer["results"]] == ["captured", "captured", "rejected"]
    assert trusted(command, "tokio") == ["cap-1"]


def test_without_a_trust_root_trusted_only_is_an_error_on_the_command_line_too(command: Commands, tmp_path: Path) -> None:
    """F11: an empty list would read as if nothing trusted had matched."""
    file = str(tmp_path / "key.pem")
    command("key", file)
    command("store", "we pin tokio", "--sign-with", file)
    ran = command("recall-valued", "tokio", "--trusted-only", "--json")
    assert ran.answer["error"]["data"]["kind"] == "no_trust_root"
    assert "[trust]" in ran.answer["error"]["message"]
    assert ran.code == 2, "1 is what an empty list ends with"


def test_a_key_that_is_there_is_shown_and_never_made_anew(command: Commands, tmp_path: Path) -> None:
    """F11: whoever runs it twice still has the key that others trust; its owner alone can read it."""
    file = tmp_path / "key.pem"
    first = command("key", str(file), "--json").answer
    held = file.read_bytes()
    assert command("key", str(file), "--json").answer == {**first, "made": False}
    assert file.read_bytes() == held
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_key_that_another_program_made_signs_alike(command: Commands, tmp_path: Path) -> None:
    """F11: PKCS #8 in PEM, and a signature that is the same for ever."""
    own = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    file = tmp_path / "theirs.pem"
    file.write_bytes(own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    answer = command("sign", str(file), "we pin tokio", "--json").answer
    assert answer == {"signature": signature_of(own, "we pin tokio"), "key": f"ed25519:{public_key(own)}"}


def test_a_statement_from_stdin_is_signed_as_it_is_stored(tmp_path: Path) -> None:
    """F11: without the end of its line, like `store` reads it."""
    own, file = Ed25519PrivateKey.from_private_bytes(bytes(32)), tmp_path / "key.pem"
    file.write_bytes(own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    words = [sys.executable, "-m", "recordance_adapters", "sign", str(file)]
    ran = subprocess.run(
        words, input="zażółć\r\n".encode(), capture_output=True, timeout=BOUND, env=checkout_environment(), check=True
    )
    assert ran.stdout.decode().strip() == signature_of(own, "zażółć")


def test_what_is_no_key_is_refused_with_what_it_is(command: Commands, tmp_path: Path) -> None:
    """F11: each fault has its lesson, nothing is stored unsigned for it, and no byte of a key is ever printed."""
    own, curve = Ed25519PrivateKey.generate(), generate_private_key(SECP256R1())
    pem = PrivateFormat.PKCS8
    files = {
        "locked": (own.private_bytes(Encoding.PEM, pem, BestAvailableEncryption(b"secret")), "passphrase"),
        "other": (curve.private_bytes(Encoding.PEM, pem, NoEncryption()), "another kind"),
        "torn": (b"-----BEGIN PRIVATE KEY-----\nAAAA", "no private key"),
    }
    for name, (held, lesson) in files.items():
        (tmp_path / name).write_bytes(held)
        for words in (("store", "we pin tokio", "--sign-with"), ("sign",), ("key",)):
            ran = command(*words, str(tmp_path / name))
            assert (ran.code, ran.out) == (2, ""), words
            assert lesson in ran.err
            assert "PRIVATE" not in ran.err
    ran = command("sign", str(tmp_path / "nowhere"), "we pin tokio")
    assert (ran.code, "cannot be read" in ran.err) == (2, True)
    assert command("list", "--json").answer["total"] == 0
    file = str(tmp_path / "key.pem")
    command("key", file)
    assert command("sign", file, "  ").code == 2
