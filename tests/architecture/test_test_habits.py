"""How tests are written here: sentences with reasons, no stand-ins, no waiting for the clock."""

import ast
from collections import Counter
from collections.abc import Iterator

from support import checkout

SHORTEST_NAME = 4


def test_every_test_has_a_sentence_for_a_name_and_a_reason_in_its_docstring() -> None:
    """A failing test is read by somebody who did not write it."""
    wrong = [
        f"{where}: {lesson}"
        for where, function in every_test()
        for holds, lesson in [
            (len(function.name.split("_")) > SHORTEST_NAME, "make the name a sentence that says what holds"),
            (ast.get_docstring(function), 'say why it holds, and by which rule: """T4: …""" '),
        ]
        if not holds
    ]
    assert not wrong, "\n".join(wrong)


def test_no_two_test_files_have_one_name() -> None:
    """A failure names the file; two of one name send the reader to the wrong one."""
    names = Counter(path.name for path in checkout.python_files("tests") if path.name != "conftest.py")
    twice = sorted(name for name, count in names.items() if count > 1)
    assert not twice, f"rename all but one of {twice}"


def test_no_test_replaces_a_part_or_sleeps() -> None:
    """Stand-ins test the stand-in: use the in-memory adapters. A sleep is too short or too long."""
    found = [
        f"{path}:{node.lineno} {what}"
        for path in checkout.python_files("tests")
        for node in ast.walk(checkout.tree(path))
        for what in forbidden(node)
    ]
    assert not found, "use a real adapter, or wait for an event with a bound:\n" + "\n".join(found)


def forbidden(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names) if any(alias.name.startswith("unittest.mock") for alias in names):
            yield "unittest.mock"
        case ast.ImportFrom(module="unittest.mock") | ast.ImportFrom(module="mock"):
            yield "unittest.mock"
        case ast.ImportFrom(module="unittest", names=names) if any(alias.name == "mock" for alias in names):
            yield "unittest.mock"
        case ast.Call(func=ast.Attribute(value=ast.Name(id="time" | "asyncio" | "anyio"), attr="sleep")):
            yield "sleep"
        case ast.Call(func=ast.Attribute(value=ast.Name(id="monkeypatch"), attr="setattr" | "setitem")):
            yield "monkeypatch of code"


def every_test() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in checkout.python_files("tests"):
        for function in checkout.functions(checkout.tree(path)):
            if function.name.startswith("test_"):
                yield f"{path}:{function.lineno} {function.name}", function
