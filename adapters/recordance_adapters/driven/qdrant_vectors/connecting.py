"""How a client of a Qdrant server is made."""

import logging
import ssl
from typing import Any
from urllib.parse import urlsplit

import httpx
from qdrant_client import QdrantClient

from recordance.errors import StoreUnusable
from recordance_adapters.driven.qdrant_vectors.calling import Calling
from recordance_adapters.driven.qdrant_vectors.collection import Plan, QdrantCollection
from recordance_adapters.driven.qdrant_vectors.remote import RemoteVectors

_log = logging.getLogger(__name__)

_CONNECTIONS = httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=30.0)
"""The client's own choice is to connect anew for each request to this machine."""


def connected(remote: RemoteVectors, store: str) -> QdrantCollection:
    """Return the index of a store on a server, which is not asked yet. Raises StoreUnusable where no client can be made."""
    try:
        client = _client(remote)
    except (ValueError, OSError) as problem:
        lesson = "the address of the Qdrant server, or the file with its certificates, cannot be used"
        raise StoreUnusable(f"{lesson} ({type(problem).__name__})", lesson=lesson) from problem
    name = remote.collection or f"recordance-{store}"
    plan = Plan(batch=remote.batch, shard_number=remote.shard_number, replication_factor=remote.replication_factor)
    return QdrantCollection(client, name, store, plan, Calling(name, reading_seconds=remote.timeout))


def _client(remote: RemoteVectors) -> QdrantClient:
    encrypted = urlsplit(remote.url).scheme == "https"
    if remote.api_key is not None and not encrypted:
        _log.warning("the key of the Qdrant server travels unencrypted: its address begins with http")
    given: dict[str, Any] = {"limits": _CONNECTIONS}
    if encrypted and remote.ca_file is not None:
        given["verify"] = ssl.create_default_context(cafile=str(remote.ca_file))
        given["grpc_options"] = {"root_certificates": remote.ca_file.read_bytes()}
    return QdrantClient(
        url=remote.url,
        # As a header: given as a key, the client would warn on stderr where it is not encrypted.
        headers=None if remote.api_key is None else {"api-key": remote.api_key},
        prefer_grpc=remote.grpc,
        grpc_port=remote.grpc_port,
        timeout=max(1, round(remote.timeout)),
        check_compatibility=False,  # a thread that warns on stderr; what does not fit is told by the request that fails
        **given,
    )
