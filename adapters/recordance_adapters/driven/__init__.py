"""What the service drives: truth, indexes, repositories, the machine. None of these knows another."""
