"""How stores of older formats become stores of this one: one revision a format, numbered without holes."""

from pathlib import Path

HEAD = "0003"
"""The format that this program writes: the last revision."""
VERSIONS = Path(__file__).parent / "versions"
