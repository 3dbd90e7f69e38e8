"""What the core needs of the world: small protocols, results as values."""
