"""What instruction-shaped text says, language by language (W2). `recordance.domain.phrase` explains the notation."""

from recordance.domain.phrase import Phrase
from recordance.domain.phrases import chinese, english, french, german, portuguese, russian, spanish

__all__ = ["PHRASES", "TRIGGERS"]

PHRASES: tuple[Phrase, ...] = (
    *english.PHRASES,
    *portuguese.PHRASES,
    *spanish.PHRASES,
    *german.PHRASES,
    *french.PHRASES,
    *russian.PHRASES,
    *chinese.PHRASES,
)
"""Every phrase."""
TRIGGERS: frozenset[str] = frozenset().union(*(each.triggers for each in PHRASES))
"""Words of which every phrase has one."""
