"""What `scripts/bench` measures, and on what."""
