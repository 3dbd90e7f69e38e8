"""The ports kept in plain memory: the oracle that every engine is held to, and a store for demonstrations."""
