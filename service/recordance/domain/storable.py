"""What every store keeps: Unicode text without NUL and without halves of surrogate pairs (W14)."""

from recordance.errors import InvalidArgument


def check_storable(text: str, field: str) -> None:
    """Raise InvalidArgument naming `field` when some database would refuse `text` or change it."""
    if "\0" in text:
        raise InvalidArgument(field, text, "the text without its NUL characters", "no store keeps NUL")
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as lone:
        why = f"character {lone.start} is half of a surrogate pair, which is not Unicode text"
        # What cannot be encoded cannot be sent back either.
        raise InvalidArgument(field, text.encode(errors="replace").decode(), "valid Unicode text", why) from None
