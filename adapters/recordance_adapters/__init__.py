"""Everything that touches the world: the engines that the core drives and the wires that drive it."""
