"""What a person sees of long work and of odd answers."""

import pytest

from recordance_adapters.driving.cli import screen
from recordance_adapters.driving.cli.commands import joined
from recordance_adapters.driving.cli.progress import Progress


def test_work_within_a_second_says_nothing_and_longer_work_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """WIRE.md "Command line": progress on stderr for anything over a second; stdout is the answer's alone."""
    now = 100.0
    progress = Progress("Importing", lambda: now)
    for tenth in range(1, 80):
        now = 100.0 + tenth / 10
        progress(tenth * 100, 8_000)
    progress.end()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["Importing: 1,000 of 8,000 (12 %)", "Importing: 6,000 of 8,000 (75 %)"]


def test_answers_to_several_batches_become_one() -> None:
    """W1: whoever stores a file wants one list in its order, and one count of each sort."""
    batches = [
        {"results": [1, 2], "captured": 2, "rejected": 0, "skipped": True, "why": "many"},
        {"results": [3], "captured": 0, "rejected": 1, "skipped": True, "why": "many"},
    ]
    assert joined(batches) == {"results": [1, 2, 3], "captured": 2, "rejected": 1, "skipped": True, "why": "many"}


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("short", ["name: short"]),
        (True, ["name: yes"]),
        (None, ["name: null"]),
        ([], ["name: none"]),
        (["a", "b"], ["name: a, b"]),
        ({}, ["name: {}"]),
        ({"a": {"b": 1}}, ["name:", "    a:", "        b: 1"]),
        ([{"a": 1, "b": [2]}], ["name:", "    a 1, b [2]"]),
        ("two\n\nlines", ["name:", "    two", "", "    lines"]),
    ],
)
def test_any_value_has_a_calm_form(value: object, lines: list[str]) -> None:
    """Answers grow new fields; each must be readable on the day that it comes."""
    assert list(screen.lines("name", value, "")) == lines


def test_a_long_line_is_cut_where_only_a_line_has_room() -> None:
    """A list stays a list, whatever headline somebody has stored."""
    assert screen.one("word " * 100, 20) == "word word word word…"


def test_a_recall_over_several_destinations_says_what_became_of_each() -> None:
    """D3, D5: a person too must see who did not answer, who answered without its vectors, and where else a content is."""
    answer = {
        "outcome": "grounded",
        "results": [{"id": "shop:cap-2", "headline": "pin tokio", "confidence": 0.6, "equal": ["cap-7"]}],
        "matched": 1,
        "returned": 1,
        "searched": [
            {"destination": "shop", "outcome": "grounded", "matched": 1},
            {"destination": "house", "outcome": "abstain", "matched": 0, "skipped": "vector", "why": "another dimension"},
            {"destination": "gone", "failed": "late", "why": "no answer within 2 s"},
        ],
    }
    assert list(screen.recalled(answer)) == [
        "grounded: 1 of 1 shown",
        "  1. shop:cap-2  pin tokio",
        "     confidence 0.6",
        "     the same as cap-7",
        "searched: shop 1, house 0",
        "house without its vector lane: another dimension",
        "not answered: gone (no answer within 2 s)",
    ]
