"""Names that tell the folders of indexes apart wherever they lie: drawn by chance, kept in the folders themselves.

A slot is named `<folder>.<slot>`, so that whoever sees the name knows which slots lie side by side. A slot that is made anew has
another name: what was said of the old one is not true of it.
"""

import os
import re
import secrets
from pathlib import Path

FILE = "id"
_DRAWN = re.compile(r"[0-9a-f]{16}", re.ASCII)


def name_of(slot: Path) -> str:
    """Return the name of a slot that this process holds; it gets one if it has none."""
    return known_name(slot) or f"{folder_name(slot.parent)}.{_kept(slot / FILE)}"


def known_name(slot: Path) -> str | None:
    """Return the name of a slot, None if it has none."""
    folder, own = _read(slot.parent / FILE), _read(slot / FILE)
    return None if folder is None or own is None else f"{folder}.{own}"


def folder_name(folder: Path) -> str:
    """Return the name of a folder of slots, the first half of each of theirs."""
    return _kept(folder / FILE)


def _kept(path: Path) -> str:
    """Return what a file keeps; of several processes that draw at once, one is first and the others take what it drew."""
    if (kept := _read(path)) is not None:
        return kept
    drawn = secrets.token_hex(8)
    new = path.with_name(f"{path.name}.{drawn}")
    new.write_text(drawn, encoding="ascii")
    try:
        os.link(new, path)
    except OSError:  # another was first, or what lies there is no name, or the disk knows no links
        if _read(path) is None:
            new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    return _read(path) or drawn


def _read(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return text if _DRAWN.fullmatch(text) else None
