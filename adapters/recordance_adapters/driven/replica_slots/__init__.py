"""Numbered folders for replicas, one held by each process, for all of its indexes together (decision 2)."""

from recordance_adapters.driven.replica_slots.slots import OtherSlot, Slot, adopt_slot

__all__ = ["OtherSlot", "Slot", "adopt_slot"]
