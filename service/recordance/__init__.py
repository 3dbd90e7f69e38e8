"""Recordance: a recall service for software agents.

The hexagon. Everything here runs on the standard library alone; the world is reached through `recordance.ports`.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
