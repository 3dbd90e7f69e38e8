"""Which rules and cases the tests claim: read from the start of their docstrings, without running them.

A claim is `T4: why`, `O2, L7: why`, `case B2: why` or a mixture such as `T5, case A2: why`.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support import checkout

_LOOKS_LIKE_A_CLAIM = re.compile(r"(?:case )?[A-Z]\d+\b")
_CLAIM = re.compile(r"((?:case )?[A-Z]\d+(?:, (?:case )?[A-Z]\d+)*): \S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A test says that it holds a rule (`T4`) or a case (`case B2`)."""

    id: str
    path: Path
    line: int
    test: str

    def __str__(self) -> str:
        """Where the claim stands, as an editor opens it."""
        return f"{self.path}:{self.line} {self.test}"


class MalformedClaimError(ValueError):
    """A docstring starts like a claim and cannot be read as one."""


def claimed_ids(docstring: str) -> tuple[str, ...]:
    """The ids that a docstring claims; none if it starts with words. Raises MalformedClaimError."""
    if not _LOOKS_LIKE_A_CLAIM.match(docstring):
        return ()
    claim = _CLAIM.match(docstring)
    if claim is None:
        shown = docstring.splitlines()[0][:60]
        raise MalformedClaimError(f'"{shown}" starts like a claim; write "T4: why" or "O2, case B2: why"')
    return tuple(claim.group(1).split(", "))


def claims() -> Iterator[Claim]:
    """Every claim of every test in the checkout. Raises MalformedClaimError naming the file and line."""
    for path in checkout.python_files("tests"):
        for node in _tests(checkout.tree(path)):
            try:
                ids = claimed_ids(ast.get_docstring(node) or "")
            except MalformedClaimError as malformed:
                raise MalformedClaimError(f"{path}:{node.lineno} {node.name}: {malformed}") from None
            for id in ids:
                yield Claim(id=id, path=path, line=node.lineno, test=node.name)


def _tests(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Test functions, and state machines, whose steps hypothesis draws."""
    yield from (function for function in checkout.functions(module) if function.name.startswith("test_"))
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("StateMachine") for base in node.bases):
            yield node
