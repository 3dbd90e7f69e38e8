"""The truth in a SQL database: tables, statements and migrations that SQLite and Postgres share, and what is SQLite's own.

Statements are written in SQLAlchemy Core and compiled once; they run on PEP 249 cursors, because a recall makes a dozen of them.
"""
