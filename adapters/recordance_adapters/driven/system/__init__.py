"""What the machine gives: the time, and threads that keep derived things up while nobody waits for them."""
