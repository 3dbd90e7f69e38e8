"""The command line: the tools of the wire and the upkeep of a store, for a person or a script."""
