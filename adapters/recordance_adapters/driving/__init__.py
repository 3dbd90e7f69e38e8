"""What drives the service: protocols and the command line. None of these knows another."""
