"""The composition root: settings become a running service, and nothing else builds an adapter.

`service` opens destinations one by one; `places` opens one of them, in a folder or over servers, from what `truths`, `indexes`
and `grounds` build; `memory` is the same in memory. Engines, drivers and clients are imported when a store needs them.
"""

from recordance_adapters.bootstrap.memory import open_memory_service
from recordance_adapters.bootstrap.places import open_service
from recordance_adapters.bootstrap.service import Opened, Service
from recordance_adapters.bootstrap.truths import REPLICAS_FOLDER, TRUTH_FILE, Absent, address_of, folder_of

__all__ = [
    "REPLICAS_FOLDER",
    "TRUTH_FILE",
    "Absent",
    "Opened",
    "Service",
    "address_of",
    "folder_of",
    "open_memory_service",
    "open_service",
]
