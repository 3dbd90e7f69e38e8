"""Loads a module of scripts/, which stands outside the packages and is on nobody's path."""

import importlib.util
from types import ModuleType

from support import checkout


def script_module(path: str) -> ModuleType:
    """The module at `path` below scripts/; it must import nothing of its neighbours."""
    file = checkout.ROOT / "scripts" / path
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
