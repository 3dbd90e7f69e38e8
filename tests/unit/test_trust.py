"""Signatures and sources that a service trusts."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from recordance.domain.identity import content_digest
from recordance.domain.trust import TrustRoot, canonical_source, read_key, read_signature, signed_message
from recordance.usecases.reliance import Reliance
from recordance_adapters.driven.signing import Ed25519Verifier
from support.signatures import public_key, signature_of

OWN, OTHERS = Ed25519PrivateKey.from_private_bytes(bytes(32)), Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
SAID = "we pin tokio at 1.38"
RELYING = Reliance(root=TrustRoot(frozenset({public_key(OWN)}), frozenset({"ci"})), verifier=Ed25519Verifier())


def test_a_signature_is_over_the_normal_form_of_the_content() -> None:
    """F11: composed or decomposed, a content is the same content."""
    assert signed_message(content_digest("cafe\u0301")) == signed_message(content_digest("café"))
    assert signed_message(content_digest(SAID)).decode() == f"recordance-capsule-1\n{content_digest(SAID)}"


def test_only_a_signature_that_verifies_by_a_trusted_key_is_trusted() -> None:
    """F11: one that is somebody else's, another content's or no signature at all is none."""
    good = signature_of(OWN, SAID)
    assert RELYING.trusts("unstated", good, content_digest(SAID))
    assert not RELYING.trusts("unstated", good, content_digest("we pin tokio at 1.39"))
    assert not RELYING.trusts("unstated", signature_of(OTHERS, SAID), content_digest(SAID))
    forged = f"ed25519:{public_key(OWN)}:{signature_of(OTHERS, SAID).rsplit(':', 1)[1]}"
    assert not RELYING.trusts("unstated", forged, content_digest(SAID))
    assert not RELYING.trusts("unstated", None, content_digest(SAID))


def test_a_trusted_source_is_compared_character_by_character() -> None:
    """F11: what merely looks like a trusted source is not one."""
    assert RELYING.trusts("ci", None, content_digest(SAID))
    assert not RELYING.trusts("CI", None, content_digest(SAID))
    assert not RELYING.trusts("ci ", None, content_digest(SAID))


@pytest.mark.parametrize(
    "text",
    ["", "ed25519", "ed25519::", "rsa:a:b", "ed25519:AAAA:AAAA", f"ed25519:{'A' * 43}=:{'A' * 86}", "x" * 200, "ed25519:ä:ö"],
)
def test_whatever_is_no_signature_reads_as_none(text: str) -> None:
    """F11: the field takes any text, and no text breaks a recall."""
    assert read_signature(text) is None


def test_a_key_has_one_form() -> None:
    """F11: two spellings of one key would be two keys."""
    plain = public_key(OWN)
    assert read_key(plain) == read_key(f"ed25519:{plain}") == plain
    assert base64.b64decode(plain) == read_signature(signature_of(OWN, SAID)).key_bytes  # type: ignore[union-attr]
    for wrong in ("", "AAAA", "ed25519:AAAA", "?" * 44):
        with pytest.raises(ValueError, match="32 bytes"):
            read_key(wrong)


def test_sources_are_told_apart_by_more_than_their_spelling() -> None:
    """O8: one source under two spellings is one voice, and an unstated one is none."""
    assert canonical_source("CI  Run 7.") == canonical_source("ci run 7") == "ci run 7"
    assert canonical_source("unstated") is None
    assert canonical_source(" ") is None
    assert canonical_source("ci run 8") != canonical_source("ci run 7")
