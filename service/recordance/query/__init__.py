"""What is asked: terms, fences, lanes, and the request that every dialect translates into."""
