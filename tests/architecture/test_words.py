"""The words of the house: the glossary's, and none that only one machine or one day would understand."""

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from support import checkout

HERE = Path(__file__).parent
WORDS: dict[str, dict[str, str]] = tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))
LISTS_THEM = {Path("tests/architecture/words.toml")}
Names = Iterator[tuple[str, int]]
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def test_names_come_from_the_glossary() -> None:
    """One thing has one name; a name that says nothing hides what the thing is."""
    found = [
        *misnamed(checkout.CODE, WORDS["identifiers"], of=names),
        *misnamed(["service"], WORDS["core_identifiers"], of=names),
        *misnamed(checkout.CODE, WORDS["modules"], of=only_the_file),
    ]
    assert not found, "\n".join(found)


def test_texts_hold_no_word_of_the_unfinished_or_of_a_workplace() -> None:
    """What is not done is not shipped, and the reader was not there when it was written."""
    found = list(matches(WORDS["prose"]))
    assert not found, "\n".join(found)


def test_texts_name_no_path_of_one_machine() -> None:
    """A path that exists on one machine only is a broken instruction on every other."""
    found = list(matches(WORDS["places"]))
    assert not found, "\n".join(found)


def test_texts_name_no_host_of_a_package_index() -> None:
    """Where packages come from is the user's configuration."""
    found = list(matches(WORDS["hosts"]))
    assert not found, "\n".join(found)


def test_the_word_lists_find_what_they_are_for() -> None:
    """A pattern that matches nothing guards nothing."""
    for text in ("# TO" + "DO later", "raise NotImplemented" + "Error", "see issue" + " 12"):
        assert any(re.search(pattern, text) for pattern in WORDS["prose"]), text
    for path in ("cd /ro" + "ot/x", '"/ho' + 'me/ann"', "in /tm" + "p/x"):
        assert any(re.search(pattern, path) for pattern in WORDS["places"]), path
    assert any(re.search(pattern, "files.python" + "hosted.org") for pattern in WORDS["hosts"])
    assert [*parts("readBM25Cache_of")] == ["read", "bm", "cache", "of"]


def matches(patterns: dict[str, str]) -> Iterator[str]:
    """Every line of a tracked text that a pattern finds, with what to write instead."""
    compiled = [(re.compile(pattern), instead) for pattern, instead in patterns.items()]
    for path, text in checkout.texts():
        if path in LISTS_THEM:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, instead in compiled:
                if found := pattern.search(line):
                    yield f"{path}:{number} {found[0]!r}: write {instead}"


def misnamed(folders: Iterable[str], words: dict[str, str], *, of: Callable[[Path], Names]) -> Iterator[str]:
    """Every name that `of` reads from the folders' Python files and that has a part which is not written here."""
    for path in checkout.python_files(*folders):
        for name, line in of(path):
            for part in parts(name):
                if part in words:
                    yield f"{path}:{line} {name}: for {part!r} write {words[part]}"


def only_the_file(path: Path) -> Names:
    """The name of a file, as if it stood on its first line."""
    yield path.stem, 1


def names(path: Path) -> Names:
    """Every name that a module bears or gives, with its line; names that it only uses are their owners' choice."""
    yield from only_the_file(path)
    for node in ast.walk(checkout.tree(path)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.arg():
                yield node.arg, node.lineno
            case ast.Name(ctx=ast.Store()):
                yield node.id, node.lineno


def parts(name: str) -> Iterator[str]:
    """The words of a name, in lower case."""
    return (part.lower() for part in PARTS.findall(name))
