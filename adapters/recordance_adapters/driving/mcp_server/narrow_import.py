"""Imports the SDK's low-level server without its client, its HTTP client and its high-level server.

The packages `mcp` and `mcp.server` import all of those when they are first named, which is a fifth of the start-up that every
session of a host pays (decision 9). Here both stand in `sys.modules` as packages whose own code runs only when a name is asked of
them; modules below them import as always. Whoever asks for such a name gets the whole package, as if nothing had happened.
"""

import importlib.util
import sys
from types import ModuleType
from typing import Any

_PACKAGES = ("mcp", "mcp.server")


def seed_packages() -> None:
    """Put the packages in place, unless something has imported them already."""
    for name in _PACKAGES:
        if name not in sys.modules:
            sys.modules[name] = module = _unrun(name)
            parent, _, child = name.rpartition(".")
            if parent:
                setattr(sys.modules[parent], child, module)


def _unrun(name: str) -> ModuleType:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    loader, module = spec.loader, importlib.util.module_from_spec(spec)

    def run_then_get(attribute: str) -> Any:
        if module.__dict__.pop("__getattr__", None) is not None:
            loader.exec_module(module)
        return getattr(module, attribute)

    module.__dict__["__getattr__"] = run_then_get
    return module
