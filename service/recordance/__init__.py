"""The core of a recall service: what is remembered, what is asked, what comes first, what is said.

Standard library only. Everything that touches the world is reached through `recordance.ports`.
"""
