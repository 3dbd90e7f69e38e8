"""What is counted of calls and requests, for Prometheus: names and numbers that are bounded, never content."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from recordance.usecases.probing import Standing

CONTENT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Standings(Protocol):
    """Looks at the destinations that are open; safe for threads."""

    def __call__(self) -> Iterable[tuple[str, Standing]]:
        """Return how each stands, by its name; one that cannot tell is left out."""
        ...


class Measures:
    """The metrics of one server. Safe for threads."""

    def __init__(self, standings: Standings) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Destinations(standings))
        self._calls = Counter("recordance_tool_calls", "Calls of tools by outcome.", ["tool", "outcome"], registry=self._registry)
        self._seconds = Histogram(
            "recordance_tool_call_seconds", "How long calls took.", ["tool"], buckets=_SECONDS, registry=self._registry
        )
        self._in_flight = Gauge("recordance_tool_calls_in_flight", "Calls that are being served.", registry=self._registry)
        self._requests = Counter(
            "recordance_http_requests", "Requests by route and status.", ["route", "status"], registry=self._registry
        )

    def call_begins(self) -> None:
        """Count a call in."""
        self._in_flight.inc()

    def call_ends(self, tool: str, outcome: str, seconds: float) -> None:
        """Count a call out."""
        self._in_flight.dec()
        self._calls.labels(tool, outcome).inc()
        self._seconds.labels(tool).observe(seconds)

    def answered(self, route: str, status: int) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()

    def text(self) -> bytes:
        """Return everything in the text format; asks each destination, so not for the event loop."""
        return generate_latest(self._registry)


class _Destinations(Collector):
    def __init__(self, standings: Standings) -> None:
        self._standings = standings

    def collect(self) -> Iterator[Metric]:
        """Yield what is asked of the destinations each time."""
        heads = GaugeMetricFamily("recordance_journal_head", "The last seq of the journal.", labels=["destination"])
        lags = GaugeMetricFamily(
            "recordance_index_lag", "Journal rows that an index has not taken up yet.", labels=["destination", "index"]
        )
        lost = CounterMetricFamily("recordance_misses_lost", "Misses that could not be noted.", labels=["destination"])
        unembedded = GaugeMetricFamily(
            "recordance_unembedded", "Capsules that a model has yet to embed.", labels=["destination", "model"]
        )
        for destination, standing in self._standings():
            heads.add_metric([destination], standing.head)
            lost.add_metric([destination], standing.misses_lost)
            for index, rows in standing.waiting.items():
                lags.add_metric([destination, index], rows)
            for model, capsules in standing.unembedded.items():
                unembedded.add_metric([destination, model], capsules)
        yield from (heads, lags, lost, unembedded)

    def describe(self) -> Iterable[Metric]:
        """Tell nothing in advance, so that nothing is asked before the first scrape."""
        return ()
