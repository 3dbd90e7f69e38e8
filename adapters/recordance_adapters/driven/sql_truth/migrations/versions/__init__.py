"""The revisions. A released one is never changed."""
