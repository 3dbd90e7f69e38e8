"""The tables of the configuration file that say whom the service trusts, and what `recall` resolves (F11, O9)."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool

from recordance.domain.draft import DEFAULT_SOURCE
from recordance.domain.trust import TrustRoot, read_key
from recordance.domain.warrant import Bar
from recordance.errors import Json
from recordance.query.accrued import Wish
from recordance.usecases.reliance import Reliance
from recordance_adapters.section import Section
from recordance_adapters.sections import Text, words

MOST_TRUSTED = 100
"""Keys, and sources, that may be trusted: each is a condition of a query."""
RELIANCE_VARIABLES = {
    "RECORDANCE_TRUST_KEYS": "trust.keys",
    "RECORDANCE_TRUST_SOURCES": "trust.sources",
    "RECORDANCE_RESOLVE_CONFLICTS": "recall.resolve_conflicts",
}
"""The variables of the environment that give them."""
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def _keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(read_key, keys))


def _sources(sources: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sources; raises ValueError for what a capsule reads whose writer named none, which would admit them all."""
    if DEFAULT_SOURCE in sources:
        raise ValueError(f"{DEFAULT_SOURCE} is what a capsule says that has no source, and would admit them all")
    return sources


def _switch(value: Json) -> Json:
    """Return what a variable of the environment says of a switch."""
    word = value.lower() if isinstance(value, str) else ""
    return word in _YES if word in (*_YES, *_NO) else value


class TrustSettings(Section):
    """Whom `trusted_only` admits, and what corroborates (F11, O8)."""

    keys: Annotated[tuple[Text, ...], BeforeValidator(words), AfterValidator(_keys), Field(max_length=MOST_TRUSTED)] = Field(
        default=(), description="Ed25519 public keys, each ed25519: and 32 bytes in base64"
    )
    sources: Annotated[tuple[Text, ...], BeforeValidator(words), AfterValidator(_sources), Field(max_length=MOST_TRUSTED)] = (
        Field(default=(), description="sources of capsules, character by character")
    )
    strict: StrictBool = Field(default=False, description="true or false: only distinct verified keys corroborate, not sources")


class RecallSettings(Section):
    """What `recall` does without being asked."""

    resolve_conflicts: Annotated[StrictBool, BeforeValidator(_switch)] = Field(
        default=False, description="true or false: put restated old values below their correction in every recall"
    )


class RelianceSettings(Section):
    """Both tables, as part of the settings."""

    trust: TrustSettings = Field(default=TrustSettings(), description="a table with keys, sources and strict")
    recall: RecallSettings = Field(default=RecallSettings(), description="a table with resolve_conflicts")

    def reliance(self) -> Reliance:
        """Return them as the core takes them, but for who verifies."""
        return Reliance(
            root=TrustRoot(frozenset(self.trust.keys), frozenset(self.trust.sources)),
            bar=Bar.KEYS if self.trust.strict else Bar.SOURCES,
            wishes=frozenset({Wish.RESOLVED} if self.recall.resolve_conflicts else ()),
        )
