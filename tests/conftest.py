"""How drawn tests run: as long as they need, the same way each time under CI; a failure prints how to repeat it."""

import os
import sys
from typing import Any

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


def _stores(name: str) -> Any:
    stores = sys.modules.get("support.postgres_stores")
    return getattr(stores, name)() if stores else None
