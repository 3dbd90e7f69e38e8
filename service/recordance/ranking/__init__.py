"""What comes first: scores, keys, blends and how much of a ranking is shown."""
