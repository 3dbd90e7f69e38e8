"""What instruction-shaped text says, language by language (W2). `recordance.domain.phrase` explains the notation."""

from recordance.domain.phrase import Phrase
from recordance.domain.phrases import english, german, portuguese, spanish

__all__ = ["PHRASES", "TRIGGERS"]

PHRASES: tuple[Phrase, ...] = (*english.PHRASES, *portuguese.PHRASES, *spanish.PHRASES, *german.PHRASES)
"""Every phrase."""
TRIGGERS: frozenset[str] = frozenset().union(*(each.triggers for each in PHRASES))
"""Words of which every phrase has one."""
