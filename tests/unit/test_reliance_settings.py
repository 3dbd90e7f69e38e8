"""Whom a service trusts is configured, and only what is a key is a key."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from recordance.domain.warrant import Bar
from recordance.errors import InvalidArgument
from recordance.query.accrued import Wish
from recordance_adapters.bootstrap.memory import open_memory_service
from recordance_adapters.settings import load_settings
from recordance_adapters.wire.tool import Call
from recordance_adapters.wire.tools.accrued import RECALL
from recordance_adapters.wire.tools.store import STORE
from support.signatures import public_key, signature_of

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))


def test_a_file_and_the_environment_say_whom_the_service_trusts(tmp_path: Path) -> None:
    """F11, O8, O9: the environment overrules the file, setting by setting."""
    file = tmp_path / "recordance.toml"
    file.write_text(f'[trust]\nkeys = ["ed25519:{public_key(KEY)}"]\nsources = ["ci"]\nstrict = true\n', encoding="utf-8")
    given = {"RECORDANCE_TRUST_SOURCES": "wiki, mail", "RECORDANCE_RESOLVE_CONFLICTS": "1"}
    reliance = load_settings({"config": str(file)}, given).reliance()
    assert reliance.root.keys == {public_key(KEY)}
    assert reliance.root.sources == {"wiki", "mail"}
    assert reliance.bar is Bar.KEYS
    assert reliance.wishes == {Wish.RESOLVED}


def test_nobody_is_trusted_unless_somebody_says_so() -> None:
    """F11: no key ships with the program."""
    reliance = load_settings({}, {}).reliance()
    assert not reliance.root.configured
    assert reliance.bar is Bar.SOURCES
    assert not reliance.wishes


@pytest.mark.parametrize(
    "given",
    [
        {"RECORDANCE_TRUST_KEYS": "AAAA"},
        {"RECORDANCE_TRUST_KEYS": "ci"},
        {"RECORDANCE_TRUST_SOURCES": " , "},
        {"RECORDANCE_RESOLVE_CONFLICTS": "maybe"},
    ],
)
def test_what_is_no_key_and_no_switch_is_refused_at_the_start(given: dict[str, str]) -> None:
    """F11: a misspelt key would be a root that admits nothing."""
    with pytest.raises(InvalidArgument):
        load_settings({}, given)


def test_to_have_no_source_is_no_source_to_trust() -> None:
    """F11: every capsule whose writer named none reads `unstated`, so that this root would admit whatever anybody writes."""
    with pytest.raises(InvalidArgument, match="would admit them all"):
        load_settings({}, {"RECORDANCE_TRUST_SOURCES": "ci, unstated"})


def test_a_service_verifies_what_it_is_told_to_trust() -> None:
    """F11: from the setting to the answer, with the verifier of the service."""
    settings = load_settings({"actor": "ann"}, {"RECORDANCE_TRUST_KEYS": public_key(KEY)})
    with open_memory_service(settings) as service:
        call = Call(destinations=service.destinations, caller=service.caller("x"))
        signed = "tokio is pinned"
        STORE.handle(call, {"content": signed, "signature": signature_of(KEY, signed)})
        STORE.handle(call, {"content": "tokio is not pinned", "signature": signature_of(KEY, signed)})
        answer = RECALL.handle(call, {"query": "tokio", "trusted_only": True})
    assert [row["text"] for row in answer["result"]] == [signed]
