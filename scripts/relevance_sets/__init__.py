"""What `scripts/relevance` measures with: question sets as they lie in a folder, metrics, and the product under test."""
