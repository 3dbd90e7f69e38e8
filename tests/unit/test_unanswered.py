"""What is in flight: it bounds the intake, and a polite end waits for it."""

import threading

from recordance_adapters.driving.mcp_server.unanswered import Unanswered

BOUND = 30.0


def test_the_intake_waits_while_too_much_is_in_flight() -> None:
    """A client that sends without ever reading its answers is held back, instead of filling the memory."""
    unanswered, taken = Unanswered(), threading.Event()
    unanswered.add(1, most=1)

    def take() -> None:
        unanswered.add(2, most=1)
        taken.set()

    thread = threading.Thread(target=take)
    thread.start()
    assert not taken.is_set()
    unanswered.discard(1)
    assert taken.wait(BOUND)
    thread.join(BOUND)


def test_an_end_waits_for_what_is_in_flight_and_no_longer() -> None:
    """What was asked before the end is answered; what never will be holds nobody."""
    unanswered = Unanswered()
    unanswered.add("a", most=9)
    assert not unanswered.settle(0.01)
    answering = threading.Thread(target=unanswered.discard, args=("a",))
    answering.start()
    assert unanswered.settle(BOUND)
    answering.join(BOUND)


def test_an_id_that_is_not_in_flight_is_no_matter() -> None:
    """Clients cancel what was answered long ago; as text or as number, an id is the same."""
    unanswered = Unanswered()
    unanswered.discard("never")
    unanswered.add(7, most=9)
    unanswered.discard("7")
    assert unanswered.settle(BOUND)
