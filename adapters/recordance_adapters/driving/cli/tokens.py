"""`recordance token`: a bearer token for the HTTP server, shown once, with the table that lets its bearer in."""

import hashlib
import json
import secrets
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from recordance.domain.caller import Permission
from recordance.errors import InvalidArgument
from recordance_adapters.driving.cli.reply import Answer, Reply
from recordance_adapters.driving.cli.session import Session

_BYTES = 32
"""Of chance in a token: nobody guesses it, so its digest needs no salt."""


def words(parser: ArgumentParser) -> None:
    """Declare who bears the token, and how far it reaches."""
    parser.add_argument("subject", help="Who will bear it; writes are journalled under this name.")
    parser.add_argument("--reach-project", action="append", metavar="ID", help="A project subtree it reaches; again for more.")
    parser.add_argument("--reach-destination", action="append", metavar="NAME", help="A destination it reaches; again for more.")
    parser.add_argument("--read-only", action="store_true", help="It reads and never writes.")


def make(session: Session, given: Namespace) -> Reply:
    """Make a token. Nothing keeps it: the settings take its digest alone."""
    if not given.subject.strip():
        raise InvalidArgument("subject", given.subject, "a name such as alice", "it is blank")
    known = session.settings.names()
    for name in given.reach_destination or ():
        if session.settings.destinations and name not in known:
            raise InvalidArgument("--reach-destination", name, f"one of {', '.join(known)}", "there is no such destination")
    token = secrets.token_urlsafe(_BYTES)
    permissions = [Permission.READ] if given.read_only else list(Permission)
    grant = {
        "subject": given.subject,
        "digest": hashlib.sha256(token.encode()).hexdigest(),
        **({} if given.reach_project is None else {"projects": given.reach_project}),
        **({} if given.reach_destination is None else {"destinations": given.reach_destination}),
        "permissions": [permission.value for permission in permissions],
    }
    return Reply({"token": token, "grant": grant}, _shown)


def _shown(answer: Answer) -> Iterator[str]:
    yield "# The token, for its bearer alone. It is shown this once:"
    yield f"# {answer['token']}"
    yield "# The server's configuration takes its digest:"
    yield "[[http.tokens]]"
    for name, value in answer["grant"].items():
        yield f"{name} = {json.dumps(value, ensure_ascii=False)}"
