"""The checkout as the house's own tests see it: its files, their syntax trees, their lines of code."""

import ast
import functools
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("service", "adapters")
CODE = (*SOURCES, "tests", "scripts")
LOCKS = ("requirements.txt", "requirements-test.txt", "requirements-service.txt", "requirements-build.txt")
NOT_OURS = {"LICENSE", *LOCKS}
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@functools.cache
def tracked() -> tuple[Path, ...]:
    """Every file that belongs to the project, relative to ROOT; without git, what no build or cache left."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        names = [Path(name.decode()) for name in listed.split(b"\0") if name]
    else:
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()]
        names = [path for path in names if not any(_is_left_over(part) for part in path.parts)]
    return tuple(sorted(path for path in names if (ROOT / path).is_file()))


def _is_left_over(part: str) -> bool:
    return part in {"__pycache__", "build", "dist"} or part.endswith(".egg-info") or (part[0] == "." and part != ".ci")


def texts() -> Iterator[tuple[Path, str]]:
    """Every tracked text that somebody here wrote; binary files and what others wrote are left out."""
    for path in tracked():
        raw = (ROOT / path).read_bytes()
        if b"\0" not in raw[:8192] and path.name not in NOT_OURS:
            yield path, raw.decode("utf-8")


def python_files(*folders: str) -> Iterator[Path]:
    """Every tracked Python file under the folders, scripts without an ending included."""
    for path in tracked():
        if path.parts[0] in folders and (path.suffix == ".py" or _is_python_script(path)):
            yield path


def _is_python_script(path: Path) -> bool:
    if path.suffix:
        return False
    with (ROOT / path).open("rb") as file:
        return file.readline().startswith(b"#!/usr/bin/env python")


@functools.cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse((ROOT / path).read_bytes(), filename=str(path))


def functions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a module, nested ones and methods included."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def module_name(path: Path) -> str:
    """The dotted name under which a file of service/, adapters/ or tests/ is imported."""
    parts = path.with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def code_lines(path: Path) -> frozenset[int]:
    """The numbers of the lines that hold code: no blank lines, comments or docstrings."""
    lines: set[int] = set()
    with tokenize.open(ROOT / path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type not in _LAYOUT:
                lines.update(range(token.start[0], token.end[0] + 1))
    return frozenset(lines - _docstring_lines(tree(path)))


def _docstring_lines(module: ast.Module) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(module):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines
