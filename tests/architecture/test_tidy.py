"""Sizes, dead files, exports, flags and links: style that a reader should not have to check."""

import ast
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from support import checkout

FILE_LINES = 400
FUNCTION_LINES = 70
# Modules that nothing imports because something else starts them.
STARTED_BY_OTHERS = re.compile(r"(^|/)(__main__|__init__|conftest)\.py$|/driving/cli/main\.py$|/migrations/")
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)#\s]+)[^)]*\)")


def sizes_of_files() -> list[tuple[int, str]]:
    return [(len(checkout.code_lines(path)), str(path)) for path in checkout.python_files(*checkout.SOURCES)]


def sizes_of_functions() -> list[tuple[int, str]]:
    return [
        (len(checkout.code_lines(path) & set(range(function.lineno, (function.end_lineno or 0) + 1))), where)
        for path in checkout.python_files(*checkout.SOURCES)
        for function in checkout.functions(checkout.tree(path))
        for where in [f"{path}:{function.lineno} {function.name}"]
    ]


def spread(sizes: Sequence[tuple[int, str]]) -> str:
    counts = sorted(size for size, _ in sizes)
    median, p95 = statistics.median(counts), counts[len(counts) * 95 // 100]
    return f"{len(counts)}, median {median:.0f}, p95 {p95}, max {counts[-1]}"


@pytest.mark.parametrize(("what", "maximum"), [("files", FILE_LINES), ("functions", FUNCTION_LINES)], ids=["files", "functions"])
def test_nothing_is_longer_than_its_hard_maximum(what: str, maximum: int, record_property: Callable[[str, str], None]) -> None:
    """Sizes are told, so that growth is seen; only what nobody can read at once fails."""
    sizes = sizes_of_files() if what == "files" else sizes_of_functions()
    worst = sorted(sizes, reverse=True)[:5]
    record_property(
        "told", "\n".join([f"lines of code in {what}: {spread(sizes)}", *(f"  {size:4} {where}" for size, where in worst)])
    )
    too_long = [f"{where}: {size} lines, at most {maximum}" for size, where in sizes if size > maximum]
    assert not too_long, "split it where the subject changes:\n" + "\n".join(too_long)


def test_no_python_file_is_empty() -> None:
    """An empty file says that something is there. A package's docstring says which question its modules answer."""
    empty = [str(path) for path in checkout.python_files(*checkout.CODE) if not checkout.tree(path).body]
    assert not empty, f"give {empty} a docstring that says what lies there, or remove it"


def test_no_module_is_dead() -> None:
    """What only tests import is not part of the product; the in-memory adapters are the oracle and may be."""
    product = [path for path in checkout.python_files(*checkout.SOURCES) if "in_memory" not in path.parts]
    support = [path for path in checkout.python_files("tests") if "support" in path.parts]
    dead = [*unimported(product, by=(*checkout.SOURCES, "scripts")), *unimported(support, by=("tests",))]
    assert not dead, f"nothing imports {dead}: use it or remove it"


def unimported(paths: Sequence[Path], *, by: Sequence[str]) -> Iterator[str]:
    """The files among `paths` that no file of the folders `by` imports and that nothing else starts."""
    imported = {name for path in checkout.python_files(*by) for name in imports(path)}
    for path in paths:
        if checkout.module_name(path) not in imported and not STARTED_BY_OTHERS.search(path.as_posix()):
            yield str(path)


def imports(path: Path) -> Iterator[str]:
    """Every dotted name that a file imports, by statement or as a text that is one name."""
    for node in ast.walk(checkout.tree(path)):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module)):
                yield module
                yield from (f"{module}.{alias.name}" for alias in node.names)
            case ast.Constant(value=str(text)) if re.fullmatch(r"recordance\w*(\.\w+)+", text):
                yield text


def test_a_package_that_holds_names_says_which_it_promises() -> None:
    """`__all__` tells what a package promises from what it happens to hold."""
    wrong = [
        str(path)
        for path in checkout.python_files(*checkout.SOURCES)
        if path.name == "__init__.py" and holds_ours(checkout.tree(path)) and not lists_names(checkout.tree(path))
    ]
    assert not wrong, f"list what {wrong} promise in `__all__`"


def holds_ours(module: ast.Module) -> bool:
    return any(isinstance(node, ast.ImportFrom) and (node.module or "").startswith("recordance") for node in module.body)


def lists_names(module: ast.Module) -> bool:
    return any(isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" for node in module.body)


def test_no_function_of_the_core_has_a_flag_that_is_left_out() -> None:
    """A flag on the wire becomes a set, an enum or a value before it reaches the core."""
    flags = [
        f"{path}:{function.lineno} {function.name}({argument.arg})"
        for path in checkout.python_files("service")
        for function in checkout.functions(checkout.tree(path))
        for argument, default in defaults(function.args)
        if isinstance(default, ast.Constant) and isinstance(default.value, bool)
    ]
    assert not flags, "make it an enum, a frozenset or a value:\n" + "\n".join(flags)


def defaults(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    placed = [*arguments.posonlyargs, *arguments.args]
    yield from zip(placed[len(placed) - len(arguments.defaults) :], arguments.defaults, strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def test_no_function_only_says_that_it_will_be_there() -> None:
    """A signature without a body is a promise; only a Protocol may make one."""
    stubs = [
        f"{path}:{function.lineno} {function.name}"
        for path in checkout.python_files(*checkout.SOURCES)
        for function in checkout.functions(checkout.tree(path))
        if is_stub(function) and function not in promised(checkout.tree(path))
    ]
    assert not stubs, "build it or leave it out:\n" + "\n".join(stubs)


def is_stub(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function's body, its docstring aside, is `...` or one bare error that says nobody should get there."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return [ast.unparse(statement) for statement in body] in (["..."], ["raise AssertionError"], ["raise AssertionError()"])


def promised(module: ast.Module) -> set[ast.stmt]:
    """The functions of a module's Protocols."""
    protocols = (node for node in ast.walk(module) if isinstance(node, ast.ClassDef))
    return {
        statement
        for protocol in protocols
        if any(ast.unparse(base).partition("[")[0] == "Protocol" for base in protocol.bases)
        for statement in protocol.body
    }


def test_no_package_marker_stands_beside_the_packages() -> None:
    """One `__init__.py` in a source root or among the tests breaks the imports of everything beside it."""
    stray = [
        str(path)
        for path in checkout.tracked()
        if path.name == "__init__.py" and (path.parts[0] == "tests" or len(path.parts) == 2)
    ]
    assert not stray, f"remove {stray}"


def test_every_link_between_documents_leads_to_a_file() -> None:
    """A document that sends its reader nowhere was not read by its writer."""
    broken = [
        f"{path}: {target}"
        for path, text in checkout.texts()
        if path.suffix == ".md"
        for target in (link["target"] for link in LINK.finditer(text))
        if "://" not in target and not target.startswith("mailto:")
        if not (checkout.ROOT / path.parent / target).exists()
    ]
    assert not broken, "\n".join(broken)
