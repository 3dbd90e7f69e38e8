"""What is remembered: capsules, relations, aliases, reviews, and what may be true of them."""
