"""What a client may send and what it gets back: argument declarations, the tool catalogue, refusals as the wire says them."""
