"""What the core does without: packages, clocks, chance and the machine around it."""

import ast
import json
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from support import checkout

# Started without site-packages and without the environment's variables; it imports every module of the core.
IMPORT_EVERYTHING = """
import importlib, json, pkgutil, sys
sys.path.append(sys.argv[1])
import recordance
for module in pkgutil.walk_packages(recordance.__path__, "recordance."):
    importlib.import_module(module.name)
print(json.dumps({name: getattr(module, "__file__", None) for name, module in sys.modules.items()}))
"""
CLOCKS = {("datetime", "now"), ("datetime", "today"), ("datetime", "utcnow"), ("date", "today")}
WORLD = {"open", "input", "print", "eval", "exec", "compile", "__import__", "breakpoint"}


def test_the_core_imports_on_the_standard_library_alone() -> None:
    """Whoever reads or embeds the core needs nothing beside a Python; an adapter can be swapped without touching it."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", IMPORT_EVERYTHING, str(checkout.ROOT / "service")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded: dict[str, str | None] = json.loads(done.stdout)
    ours = {checkout.module_name(path) for path in checkout.python_files("service")}
    assert ours <= loaded.keys(), f"not imported: {sorted(ours - loaded.keys())}"
    foreign = sorted(
        name
        for name in loaded
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "recordance", "__main__"}
        and not name.startswith("_sysconfigdata")
    )
    assert not foreign, f"the core loads {foreign}; reach them through a port"
    homes = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")]
    homes.append((checkout.ROOT / "service").resolve())
    strays = [
        file
        for file in loaded.values()
        if file and not any(Path(file).resolve().is_relative_to(home) for home in homes) and "lib-dynload" not in file
    ]
    assert not strays, f"loaded from outside the standard library and the core: {strays}"


def test_the_core_reads_no_clock() -> None:
    """Equal requests answer equal bytes at one clock reading: `datetime` is a type here, `now` a port's answer."""
    found = [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path in checkout.python_files("service")
        for node in ast.walk(checkout.tree(path))
        if isinstance(node, ast.Attribute) and (ast.unparse(node.value).rpartition(".")[2], node.attr) in CLOCKS
    ]
    assert not found, "take the clock's reading as a value:\n" + "\n".join(found)


def test_the_core_opens_prints_and_evaluates_nothing() -> None:
    """Files, the screen and code made from text are adapters' business."""
    found = [f"{where} {name}()" for where, name in calls_by_name() if name in WORLD]
    assert not found, "reach the world through a port:\n" + "\n".join(found)


def test_the_core_hashes_nothing_with_a_seed_of_the_process() -> None:
    """hash() of a text differs from process to process; what must be the same everywhere takes a digest."""
    found = [where for where, name in calls_by_name() if name in {"hash", "id"}]
    assert not found, "use hashlib, or the value itself:\n" + "\n".join(found)


def test_only_the_settings_read_the_environment() -> None:
    """One place knows what a variable means; everything else is given values."""
    found = [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path in checkout.python_files("adapters")
        if path.stem != "settings" and "settings" not in path.parts
        for node in ast.walk(checkout.tree(path))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.environ", "os.getenv", "os.environb"}
    ]
    assert not found, "read it in recordance_adapters.settings and pass the value:\n" + "\n".join(found)


def calls_by_name() -> Iterator[tuple[str, str]]:
    """Every call of a bare name in the core, with its place."""
    for path in checkout.python_files("service"):
        for node in ast.walk(checkout.tree(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield f"{path}:{node.lineno}", node.func.id
