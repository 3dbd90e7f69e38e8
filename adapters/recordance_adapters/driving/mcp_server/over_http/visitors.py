"""Who asks over HTTP: the bearer of a token that is known, or, where no token is, whoever reaches the loopback address (F13)."""

import hashlib
import hmac
from collections.abc import MutableMapping, Sequence
from typing import Any, Protocol

import anyio.to_thread
from starlette.requests import Request

from recordance.domain.caller import Caller
from recordance_adapters.driving.mcp_server.callers import Context, LocalCallers
from recordance_adapters.driving.mcp_server.over_http.configuration import TokenGrant

CALLER = "recordance.caller"
"""Where a request's scope keeps its caller."""


class NotAdmitted(Exception):
    """A token that lets nobody in; `lesson` says what to do, `error` is the code of RFC 6750, None where no token came."""

    def __init__(self, lesson: str, error: str | None = "invalid_token") -> None:
        super().__init__(lesson)
        self.lesson = lesson
        self.error = error


class SignedTokens(Protocol):
    """Believes tokens that somebody else has signed."""

    def caller(self, token: str) -> Caller:
        """Return whom a token stands for; raises NotAdmitted. May take a while, and is safe for threads."""
        ...


class Visitors:
    """Tells who sends a request by its Authorization header."""

    def __init__(self, grants: Sequence[TokenGrant], signed: SignedTokens | None) -> None:
        self._grants = [(bytes.fromhex(grant.digest), _caller(grant)) for grant in grants]
        self._signed = signed

    @property
    def are_known(self) -> bool:
        """Whether callers must say who they are."""
        return bool(self._grants) or self._signed is not None

    async def admitted(self, authorization: Sequence[str]) -> Caller | None:
        """Return the bearer of the token in the header's values, or None where nobody needs one; raises NotAdmitted."""
        token = _token(authorization)
        if token is None:
            if self.are_known:
                raise NotAdmitted("This server lets in bearers of a token: send Authorization: Bearer and the token.", None)
            return None
        known = self._bearer(token)
        if known is not None:
            return known
        if self._signed is not None and token.count(".") == 2:
            return await anyio.to_thread.run_sync(self._signed.caller, token)
        raise NotAdmitted("This token is not known here." if self.are_known else "This server knows no tokens; send none.")

    def _bearer(self, token: str) -> Caller | None:
        """Compare with every digest, in a time that tells nothing of any."""
        sent, found = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest(), None
        for digest, caller in self._grants:
            if hmac.compare_digest(sent, digest):
                found = caller
        return found


class VisitingCallers:
    """Takes the caller from the HTTP request that a message came with."""

    def __init__(self, actor: str | None) -> None:
        self._anonymous = LocalCallers(actor)

    def of(self, context: Context) -> Caller:
        """Return the bearer of the request's token, else the anonymous local caller."""
        known = scope_of(context).get(CALLER)
        return known if isinstance(known, Caller) else self._anonymous.of(context)


def scope_of(context: Context) -> MutableMapping[str, Any]:
    """Return the scope of the HTTP request that a message came with; every message over HTTP comes with one."""
    request = context.request
    if not isinstance(request, Request):
        raise TypeError("a message came without its HTTP request")
    return request.scope


def _caller(grant: TokenGrant) -> Caller:
    return Caller(actor=grant.subject, projects=grant.projects, destinations=grant.destinations, permissions=grant.permissions)


def _token(authorization: Sequence[str]) -> str | None:
    if not authorization:
        return None
    scheme, _, token = authorization[0].strip().partition(" ")
    if len(authorization) > 1 or scheme.lower() != "bearer" or not token.strip():
        raise NotAdmitted("Send one header Authorization: Bearer and the token.", "invalid_request")
    return token.strip()
