"""The term index on tantivy: one replica per process, in the slot that it holds (decisions 2, 6).

`open_terms` returns a TermReplica. `positions_in` are the traces of replicas, `clean_in` tells what one has purged, and
`serves_others` whose it is.
"""

from recordance_adapters.driven.tantivy_terms.opening import open_terms, positions_in
from recordance_adapters.driven.tantivy_terms.sidecar import clean_in, serves_others

__all__ = ["clean_in", "open_terms", "positions_in", "serves_others"]
