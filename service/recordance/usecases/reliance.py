"""On what this service relies: whom it trusts, what corroborates, and what it resolves without being asked (F11, O8, O9)."""

from collections.abc import Iterable
from dataclasses import dataclass

from recordance.domain.capsule import CapsuleText
from recordance.domain.trust import NO_ROOT, TrustRoot, read_signature, signed_by, signed_message
from recordance.domain.warrant import Bar
from recordance.errors import MissingState, StateKind
from recordance.ports.signatures import SignatureVerifier
from recordance.ports.truth import Attested, TruthReader
from recordance.query.accrued import Wish
from recordance.query.fence import MemberFence


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliance:
    """The service's own settings of trust. `wishes` hold for every recall; without a verifier nothing is signed."""

    root: TrustRoot = NO_ROOT
    bar: Bar = Bar.SOURCES
    wishes: frozenset[Wish] = frozenset()
    verifier: SignatureVerifier | None = None

    def require_root(self) -> None:
        """Raise MissingState where nothing is configured to be trusted: an empty list would read as `nothing trusted matched`."""
        if not self.root.configured:
            lesson = "no key and no source is configured as trusted; name some under [trust], or recall without trusted_only"
            raise MissingState(StateKind.NO_TRUST_ROOT, "trusted_only", lesson)

    def key_of(self, signature: str | None, content_digest: str) -> str | None:
        """Return the key that has truly signed a content; None where nobody has (a signature that does not verify is none)."""
        written = read_signature(signature)
        if written is None or self.verifier is None:
            return None
        message = signed_message(content_digest)
        return written.key if self.verifier.verifies(written.key_bytes, message, written.signature) else None

    def trusts(self, source: str, signature: str | None, content_digest: str) -> bool:
        """Whether a content is from a trusted source, or signed by a trusted key (F11)."""
        return source in self.root.sources or self.key_of(signature, content_digest) in self.root.keys

    def trusts_text(self, text: CapsuleText, content_digest: str) -> bool:
        """The same of a capsule's text."""
        return self.trusts(text.source, text.signature, content_digest)

    def fence(self, reader: TruthReader) -> MemberFence:
        """Return the fence around all that is trusted in a store; nothing else is ever ranked or counted (F11)."""
        found = reader.attested(self.root.sources, frozenset(map(signed_by, self.root.keys)))
        return MemberFence(frozenset(_trusted(self, found)))


def _trusted(reliance: Reliance, found: Iterable[Attested]) -> Iterable[int]:
    return (each.number for each in found if reliance.trusts(each.source, each.signature, each.content_digest))


class TrustedMembers:
    """The fence around all that is trusted in one store, kept until the store has moved on or something else is trusted.

    To gather it is a walk through the store, while many recalls come between two writes. Safe for threads: at worst it is
    gathered twice.
    """

    def __init__(self) -> None:
        self._kept: tuple[tuple[str, int, Reliance], MemberFence] | None = None

    def fence(self, reader: TruthReader, reliance: Reliance) -> MemberFence:
        """Return what `reliance.fence` returns."""
        asked, kept = (reader.identity().store, reader.head(), reliance), self._kept
        if kept is None or kept[0] != asked:
            kept = self._kept = asked, reliance.fence(reader)
        return kept[1]


NO_RELIANCE = Reliance()
"""Nobody is trusted beforehand."""
