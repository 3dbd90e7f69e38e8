"""How drawn tests run: as long as they need, the same way each time under CI; a failure prints how to repeat it."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "house",
    deadline=None,  # the speed of a machine is no property
    print_blob=True,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")
