"""What the tools that only read must answer: lists by fences, capsules by ids, projects with their counts (W11, F13)."""

from collections.abc import Iterator, Mapping
from typing import Any

from recordance.domain.capsule import LabelField
from recordance.domain.instant import format_instant
from support.dialect_oracle import Arguments, Reading

Answer = Mapping[str, Any]
PAGE = 50
"""How many capsules a list shows where the caller does not say."""


def listed(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_list`: which capsules, in append order, each with its project and state, and how many in all."""
    wanted = [number for number in reading.corpus if _admitted(reading, number, arguments)]
    offset, limit = arguments.get("offset", 0), arguments.get("limit", PAGE)
    page = [(f"cap-{number}", _state(reading, number)) for number in wanted[offset : offset + limit]]
    if [(row["id"], row["state"]) for row in answer["capsules"]] != page:
        yield f"expected {page}"
    if answer["total"] != len(wanted):
        yield f"{answer['total']} in all, not {len(wanted)}"


def gotten(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `memory_get`: who is shown, whole or as a tombstone, and who is missing for this caller."""
    ids = list(dict.fromkeys(arguments["ids"]))
    seen = [each for each in ids if _seen(reading, int(each[4:]))]
    if [row["id"] for row in answer["capsules"]] != seen:
        yield f"expected {seen}"
    if answer.get("missing", []) != [each for each in ids if each not in seen]:
        yield "missing should be the others"
    for row in answer["capsules"]:
        text = reading.world.texts.get(int(row["id"][4:]))
        if row.get("content") != (None if text is None else text.content):
            yield f"{row['id']} is shown as something else"
        if ("tombstone" in row) is not (text is None):
            yield f"{row['id']} has no tombstone, or one too many"


def projects(reading: Reading, _: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `projects`: each with its capsules and the last of them, what has none first."""
    found: dict[str | None, list[int]] = {}
    for number in reading.corpus:
        found.setdefault(_project(reading, number), []).append(reading.world.capsules[number].captured_at)
    rows = [
        {**({"unstamped": True} if name is None else {"project": name}), "capsules": len(times), "last_captured_at": _last(times)}
        for name, times in sorted(found.items(), key=lambda each: (each[0] is not None, each[0] or ""))
    ]
    if answer["projects"] != rows:
        yield f"expected {rows}"


def _last(times: list[Any]) -> str:
    return format_instant(max(times))


def _seen(reading: Reading, number: int) -> bool:
    return number in reading.world.capsules and reading.sees(reading.world.capsules[number])


def _project(reading: Reading, number: int) -> str | None:
    return reading.world.capsules[number].labels.get(LabelField.PROJECT)


def _state(reading: Reading, number: int) -> str:
    return reading.reason(number) or "live"


def _admitted(reading: Reading, number: int, given: Arguments) -> bool:
    project, labels = _project(reading, number), reading.world.capsules[number].labels
    below = given.get("project_prefix")
    return (
        ("project_id" not in given or project == given["project_id"])
        and (below is None or (project is not None and f"{project}/".startswith(f"{below}/")))
        and ("kind" not in given or labels.get(LabelField.KIND) == given["kind"])
        and ("state" not in given or _state(reading, number) == given["state"])
    )
