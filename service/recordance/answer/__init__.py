"""What is said: envelopes, tallies, outcomes, and how much of them is shown."""
