"""A signing key of one's own: a file that other programs make and read as well (PKCS #8 in PEM), for its owner alone (F11)."""

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING

from recordance.domain.identity import content_digest
from recordance.domain.trust import signed_by, signed_message

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_FOR_ITS_OWNER = 0o600


class SigningKey:
    """An Ed25519 key pair, of which only the public half ever leaves its file."""

    def __init__(self, key: "Ed25519PrivateKey") -> None:
        self._key = key

    @property
    def public(self) -> str:
        """The public key in base64, as a trust root names it."""
        return base64.b64encode(self._key.public_key().public_bytes_raw()).decode()

    def signature(self, content: str) -> str:
        """Return the `signature` of a capsule with this content; it says nothing of any other field."""
        signed = self._key.sign(signed_message(content_digest(content)))
        return signed_by(self.public) + base64.b64encode(signed).decode()


def make_key(path: Path) -> SigningKey:
    """Make a key and write it to a new file that its owner alone may read; raises FileExistsError where there is one."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FOR_ITS_OWNER), "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())
    return SigningKey(key)


def read_signing_key(path: Path) -> SigningKey:
    """Return the key in a file; raises OSError where it cannot be read, ValueError saying what is wrong with it."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except TypeError:
        raise ValueError("it is locked by a passphrase, and nobody is asked for one here") from None
    except (ValueError, UnsupportedAlgorithm):
        raise ValueError("it holds no private key in PEM") from None
    match key:
        case Ed25519PrivateKey():
            return SigningKey(key)
        case _:
            raise ValueError("it holds a key of another kind")
