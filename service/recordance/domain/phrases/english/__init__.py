"""English phrases of instruction-shaped text (W2)."""

from recordance.domain.phrases.english import authority, concealment, exfiltration, override

__all__ = ["PHRASES"]

PHRASES = (*override.PHRASES, *exfiltration.PHRASES, *concealment.PHRASES, *authority.PHRASES)
"""Every English phrase."""
