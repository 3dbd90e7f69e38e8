"""`recordance key` and `recordance sign`, and what `recordance store --sign-with` does: signing what you vouch for (F11)."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from recordance.domain.storable import check_storable
from recordance.domain.trust import SCHEME
from recordance.errors import InvalidArgument, Json
from recordance_adapters.bootstrap import SigningKey, make_key, read_signing_key
from recordance_adapters.driving.cli.options import file_path, statement
from recordance_adapters.driving.cli.reply import Answer, Reply
from recordance_adapters.driving.cli.session import Session

_EXPECTED = "a file that `recordance key FILE` made, or another Ed25519 key in PEM"


def key_words(parser: ArgumentParser) -> None:
    """Declare where the key lies."""
    parser.add_argument("file", metavar="FILE", help="Where the private key lies, or is to lie; you alone can read it then.")


def make(_: Session, given: Namespace) -> Reply:
    """Make a key unless the file is there, and tell its public half."""
    try:
        made, key = True, make_key(file_path(given.file))
    except FileExistsError:
        made, key = False, read_key(given.file, "FILE")
    return Reply({"key": f"{SCHEME}:{key.public}", "file": given.file, "made": made}, _shown)


def sign_words(parser: ArgumentParser) -> None:
    """Declare the key and what it signs."""
    parser.add_argument("file", metavar="FILE", help="The private key, as `recordance key FILE` makes it.")
    parser.add_argument("content", nargs="?", help="The statement, whole; left out or -, it is read from stdin.")


def sign(_: Session, given: Namespace) -> Reply:
    """Sign a statement; nothing is stored."""
    key, content = read_key(given.file, "FILE"), statement(given.content)
    check_storable(content, "content")
    if not content.strip():
        raise InvalidArgument("content", content, "what is to be stored, character by character", "there is nothing to sign")
    answer = {"signature": key.signature(content), "key": f"{SCHEME}:{key.public}"}
    return Reply(answer, lambda told: [told["signature"]])


def read_key(name: str, argument: str) -> SigningKey:
    """Return the key in a file; raises InvalidArgument, naming the argument, where there is none."""
    try:
        return read_signing_key(file_path(name))
    except OSError as problem:
        why = f"it cannot be read ({problem.strerror or type(problem).__name__})"
        raise InvalidArgument(argument, name, _EXPECTED, why) from None
    except ValueError as problem:
        raise InvalidArgument(argument, name, _EXPECTED, str(problem)) from None


def signed(key: SigningKey, item: Json) -> Json:
    """Return an item with the signature of its content; one that bears a signature, or cannot be stored, as it is."""
    if not isinstance(item, dict) or "signature" in item or not isinstance(item.get("content"), str):
        return item
    try:
        check_storable(item["content"], "content")
    except InvalidArgument:
        return item
    return {**item, "signature": key.signature(item["content"])}


def _shown(answer: Answer) -> Iterator[str]:
    yield f"# {'Made' if answer['made'] else 'There already'}: the private key in {answer['file']}. Who has it can sign as you."
    yield "# The configuration of whoever trusts it names the public one:"
    yield "[trust]"
    yield f"keys = {json.dumps([answer['key']])}"
