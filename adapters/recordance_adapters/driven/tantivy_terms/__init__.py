"""The term index on tantivy: one replica per process, in a numbered folder of its own (decisions 2, 6).

`adopt_replica` takes the lowest free folder; what it returns is a TermReplica. `positions_in` are the traces of replicas.
"""

from recordance_adapters.driven.tantivy_terms.slots import adopt_replica, positions_in

__all__ = ["adopt_replica", "positions_in"]
