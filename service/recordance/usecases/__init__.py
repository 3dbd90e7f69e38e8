"""What can be done: one thin function per use case, which plans, gathers through ports, and decides."""
