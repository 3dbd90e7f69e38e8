"""The vector index on Qdrant: the embedded engine in a slot of this process, or a collection of a server (decision 7).

`opening` returns the replica in a slot, `collection` has the one on a server, `sidecar` tells how far a slot's replica is without
loading the engine. Each is imported only by whoever needs it: the engines are large.
"""
