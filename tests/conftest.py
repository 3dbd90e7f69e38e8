"""How tests run, and what they say at the end.

Drawn tests take as long as they need, and go the same way each time under CI; a failure prints how to repeat it.
"""

import os
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "house",
    deadline=None,  # the speed of a machine is no property
    print_blob=True,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


def pytest_runtest_teardown() -> None:
    """Give back the databases that a test has used; whoever uses none imports nothing for it."""
    _stores("give_back")


def pytest_sessionfinish() -> None:
    """Let go of what is kept open between tests; the server itself ends with the process."""
    _stores("close_all")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the figures that tests have told by `record_property("told", …)`; what a process of several prints, nobody sees."""
    reports = [
        report for category in terminalreporter.stats.values() for report in category if isinstance(report, pytest.TestReport)
    ]
    told = [text for report in reports if report.when == "call" for name, text in report.user_properties if name == "told"]
    if told:
        terminalreporter.section("figures")
        terminalreporter.write_line("\n".join(map(str, told)))


def _stores(name: str) -> Any:
    stores = sys.modules.get("support.postgres_stores")
    return getattr(stores, name)() if stores else None
