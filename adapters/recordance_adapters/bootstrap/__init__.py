"""The composition root: settings become a running service, and nothing else builds an adapter.

`service` opens destinations one by one; `places` opens one of them, in a folder or over servers, from what `truths`, `indexes`
and `grounds` build; `memory` is the same in memory. Engines, drivers and clients are imported when a store needs them.
"""

from recordance_adapters.bootstrap.memory import open_memory_service
from recordance_adapters.bootstrap.places import open_service
from recordance_adapters.bootstrap.service import Opened, Service
from recordance_adapters.bootstrap.truths import REPLICAS_FOLDER, TRUTH_FILE, Absent, address_of, folder_of
from recordance_adapters.driven.signing import SigningKey, make_key, read_signing_key

__all__ = [
    "REPLICAS_FOLDER",
    "TRUTH_FILE",
    "Absent",
    "Opened",
    "Service",
    "SigningKey",
    "address_of",
    "folder_of",
    "make_key",
    "open_memory_service",
    "open_service",
    "read_signing_key",
]
