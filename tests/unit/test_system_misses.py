"""The miss recorder and the clocks: nothing of the machine delays or fails a recall (T8)."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from recordance.domain.alias import MissOutcome
from recordance.domain.identity import StoreIdentity
from recordance.domain.instant import Instant
from recordance.errors import StoreUnusable
from recordance.ports.truth import TruthWriter
from recordance_adapters.driven.in_memory.truth import MemoryTruth
from recordance_adapters.driven.system.clock import FixedClock, SystemClock
from recordance_adapters.driven.system.misses import QueuedMisses

BOUND = 20.0
NOON = Instant(1_772_366_400_000_000)


class GatedTruth(MemoryTruth):
    """A truth whose writes wait at a gate, as behind another process's lock; and may fail when it opens."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__(StoreIdentity("store", b"key"))
        self.gate, self.waiting, self.fails = threading.Event(), threading.Event(), fails

    @contextmanager
    def writing(self) -> Iterator[TruthWriter]:
        self.waiting.set()
        self.gate.wait(BOUND)
        if self.fails:
            raise StoreUnusable("the disk is full")
        with super().writing() as writer:
            yield writer


def ledger(truth: MemoryTruth) -> dict[str, int]:
    with truth.reading() as reader:
        return {miss.term_key: miss.count for miss in reader.misses(None, 10_000)}


def test_what_was_noted_is_in_the_ledger_once_it_has_settled() -> None:
    """T8: whoever reads the ledger sees every miss that was answered before."""
    truth = MemoryTruth(StoreIdentity("store", b"key"))
    misses = QueuedMisses(truth, settle_seconds=BOUND)
    for _ in range(30):
        misses.record(["pin tokio", "version"], MissOutcome.ABSTAIN, "", NOON)
    misses.settle()
    assert ledger(truth) == {"pin tokio": 30, "version": 30}
    misses.close()


def test_a_note_returns_while_the_store_is_locked() -> None:
    """T8: recording may not delay the recall; here nothing could be written until after the notes were taken."""
    truth = GatedTruth()
    misses = QueuedMisses(truth, settle_seconds=BOUND)
    misses.record(["first"], MissOutcome.ABSTAIN, "", NOON)
    assert truth.waiting.wait(BOUND)
    misses.record(["second"], MissOutcome.MISSING_EVIDENCE, "", NOON)
    assert ledger(truth) == {}
    truth.gate.set()
    misses.settle()
    assert ledger(truth) == {"first": 1, "second": 1}
    misses.close()


def test_settling_gives_up_at_its_bound() -> None:
    """T8: a store that stays locked cannot hold up the reader of the ledger for ever."""
    truth = GatedTruth()
    misses = QueuedMisses(truth, settle_seconds=0.01)
    misses.record(["first"], MissOutcome.ABSTAIN, "", NOON)
    misses.settle()
    assert ledger(truth) == {}
    truth.gate.set()
    misses.close()


def test_a_full_queue_loses_the_note_with_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """T8: memory is bounded even if nothing can be written; what is lost is said."""
    truth = GatedTruth()
    misses = QueuedMisses(truth, capacity=2, settle_seconds=BOUND)
    misses.record(["first"], MissOutcome.ABSTAIN, "", NOON)
    assert truth.waiting.wait(BOUND)
    with caplog.at_level(logging.WARNING):
        for word in ("second", "third", "fourth"):
            misses.record([word], MissOutcome.ABSTAIN, "", NOON)
    assert [record.message for record in caplog.records] == ["a miss was not noted: too many wait"]
    truth.gate.set()
    misses.settle()
    assert ledger(truth) == {"first": 1, "second": 1, "third": 1}
    misses.close()


def test_a_failing_store_loses_the_notes_and_the_next_ones_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    """T8: telemetry fails open: a log line, and the recorder goes on."""
    truth = GatedTruth(fails=True)
    truth.gate.set()
    misses = QueuedMisses(truth, settle_seconds=BOUND)
    with caplog.at_level(logging.WARNING):
        misses.record(["first"], MissOutcome.ABSTAIN, "", NOON)
        misses.settle()
    assert [record.message for record in caplog.records] == ["1 misses were not noted: the disk is full"]
    truth.fails = False
    misses.record(["second"], MissOutcome.ABSTAIN, "", NOON)
    misses.settle()
    assert ledger(truth) == {"second": 1}
    misses.close()


def test_closing_writes_what_waits_and_a_later_note_does_no_harm(caplog: pytest.LogCaptureFixture) -> None:
    """T8: a server that ends keeps what was asked of it; a recall that is still under way then does not fail."""
    truth = GatedTruth()
    misses = QueuedMisses(truth, settle_seconds=BOUND)
    misses.record(["first"], MissOutcome.ABSTAIN, "", NOON)
    assert truth.waiting.wait(BOUND)
    misses.record(["second"], MissOutcome.ABSTAIN, "", NOON)
    truth.gate.set()
    misses.close()
    misses.record(["late"], MissOutcome.ABSTAIN, "", NOON)
    assert ledger(truth) == {"first": 1, "second": 1}


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/Los_Angeles"])
@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a running process can only be set on POSIX")
def test_the_clock_is_in_utc_whatever_the_machine_is_set_to(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """case H2: the same moment is the same number in Shanghai and in Los Angeles."""
    before = SystemClock().now()
    with monkeypatch.context() as patched:
        patched.setenv("TZ", zone)
        time.tzset()
        there = SystemClock().now()
    time.tzset()
    assert before <= there <= SystemClock().now()


def test_a_fixed_clock_always_reads_the_same() -> None:
    """O11: with the clock held still, an answer depends on the store alone."""
    clock = FixedClock(NOON)
    assert {clock.now(), clock.now()} == {NOON}
