"""Access tokens that an authorization server signed, read as callers: who, with which permissions, inside which fences."""

from collections.abc import Mapping
from typing import Any

import jwt

from recordance.domain.caller import Caller, Permission
from recordance_adapters.driving.mcp_server.over_http.configuration import TrustedIssuer
from recordance_adapters.driving.mcp_server.over_http.key_set import KeySet, KeysUnavailable, from_file, from_url
from recordance_adapters.driving.mcp_server.over_http.visitors import NotAdmitted
from recordance_adapters.wire.failure import writable

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key that only the issuer has; none with a shared secret, and never none at all."""
_LEEWAY_SECONDS = 30
_LONGEST_NAME = 200
_EVERYTHING = "*"


class IssuedTokens:
    """Believes the tokens of one issuer for one audience."""

    def __init__(self, issuer: TrustedIssuer, keys: KeySet | None = None) -> None:
        self._issuer = issuer
        self._keys = keys or KeySet(_source(issuer))

    def caller(self, token: str) -> Caller:
        """Return whom the token stands for; raises NotAdmitted, whose lesson tells nothing of the token's inside."""
        claims = self._claims(token)
        return Caller(
            actor=_subject(claims),
            projects=_fence(claims, self._issuer.project_claim),
            destinations=_fence(claims, self._issuer.destination_claim),
            permissions=_permissions(claims),
        )

    def _claims(self, token: str) -> Mapping[str, Any]:
        try:
            key = self._keys.key(jwt.get_unverified_header(token).get("kid"))
            if key is None:
                raise NotAdmitted("This token is signed with a key that its issuer does not name.")
            return jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=self._issuer.audience,
                issuer=self._issuer.issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except KeysUnavailable as problem:
            raise NotAdmitted("The keys of this token's issuer cannot be read now; try again later.") from problem
        except jwt.ExpiredSignatureError:
            raise NotAdmitted("This token has expired; get a new one.") from None
        except (jwt.PyJWTError, ValueError, TypeError):
            raise NotAdmitted("This token is not one of this server's issuer for this server.") from None


def _source(issuer: TrustedIssuer) -> Any:
    if issuer.keys_file is not None:
        return from_file(issuer.keys_file)
    if issuer.keys_url is None:
        raise ValueError("an issuer needs keys_url or keys_file")
    return from_url(issuer.keys_url)


def _subject(claims: Mapping[str, Any]) -> str:
    name = str(writable(claims["sub"])).replace("\0", "").strip()[:_LONGEST_NAME]
    if not name:
        raise NotAdmitted("This token names no subject.")
    return name


def _permissions(claims: Mapping[str, Any]) -> frozenset[Permission]:
    """Return what the token's scopes `read` and `write` permit; others are not ours."""
    scopes = claims.get("scope", claims.get("scp", ""))
    given = scopes.split() if isinstance(scopes, str) else scopes if isinstance(scopes, list) else []
    found = frozenset(permission for permission in Permission if permission.value in given)
    if not found:
        raise NotAdmitted("This token has neither the scope read nor write.", "insufficient_scope")
    return found


def _fence(claims: Mapping[str, Any], claim: str | None) -> frozenset[str] | None:
    """Return the fence that a claim sets; one that is expected and missing must not let everything be seen."""
    if claim is None:
        return None
    given = claims.get(claim)
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names):
        raise NotAdmitted(f"This token lacks the claim {claim} with its fence.")
    return None if _EVERYTHING in names else frozenset(names)
