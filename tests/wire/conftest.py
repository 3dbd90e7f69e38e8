"""How golden answers are renewed: `pytest tests/wire --update-golden`, then read the diff."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden answers anew instead of comparing with them")
