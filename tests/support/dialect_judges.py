"""What each dialect must answer, by its oracle: says what is wrong with an answer, or nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from recordance.domain.review import FeedbackOutcome
from recordance.ranking.trimming import compact_json
from recordance_adapters.driven.in_memory.anchors import MemoryAnchors
from recordance_adapters.wire.tools.retrieve import recall_request
from support.accrued_oracle import AccruedOracle
from support.dialect_oracle import Arguments, Reading
from support.dialect_trials import Judge
from support.graph_judges import entity, relations
from support.oracle import Oracle, Refused
from support.read_judges import gotten, listed, projects
from support.recall_judges import explained, piped, quick
from support.search_judge import searched

INVALID, MISSING = -32602, -32002
Answer = Mapping[str, Any]


def retrieved(reading: Reading, arguments: Arguments, answer: Answer) -> str:
    """Judge `memory_retrieve`, whole."""
    oracle = Oracle(world=reading.world, now=reading.now, probe=MemoryAnchors({}).read, services=reading.services)
    try:
        expected = compact_json(dict(oracle.expected(reading.caller, recall_request(arguments)).answer))
    except Refused as refused:
        code = INVALID if refused.kind is None else MISSING
        return "" if answer.get("error", [None])[0] == code else f"expected the refusal {code}"
    return "" if compact_json(dict(answer)) == expected else f"expected {expected}"


def unless_unfit(judge: Callable[[Reading, Arguments, Answer], Iterator[str]]) -> Judge:
    """Judge answers; an embedding of another dimension must be refused where one is looked at, and nothing else (L1, L2)."""

    def judged(reading: Reading, arguments: Arguments, answer: Answer) -> str:
        embedding = arguments.get("query_embedding")
        looked_at = "semantic" in arguments.get("stages", ("semantic",))
        if embedding is not None and looked_at and reading.unlike(embedding):
            return "" if answer.get("error", [None])[0] == INVALID else "an embedding of another dimension was taken"
        if "error" in answer:
            return f"refused: {answer['error']}"
        return "; ".join(judge(reading, arguments, answer))

    return judged


def accrued(reading: Reading, arguments: Arguments, answer: Answer) -> Iterator[str]:
    """Judge `recall`: hits, order and scores, what they were resolved over, and the rows."""
    rows, expected = answer["result"], AccruedOracle(reading).ranked(arguments)
    found = [(row["id"], row["score"], row.get("resolved_over", [])) for row in rows]
    wanted = [(f"cap-{each.number}", round(each.score, 4), [f"cap-{number}" for number in each.over]) for each in expected]
    if found != wanted:
        yield f"expected {wanted}"
    yield from _warranted(reading, rows)
    for row in rows:
        capsule, text = reading.of(int(row["id"][4:]))
        length = 0 if arguments.get("full") else arguments.get("snippet_chars", 0)
        shown = text.content[:length] if length else text.content
        if (row["text"], row["value"], row["tags"]) != (shown, capsule.value, list(text.tags)):
            yield f"{row['id']} is shown as something else"
        if row.get("truncated", False) is not (shown != text.content):
            yield f"{row['id']} does not say whether it was cut"


def _warranted(reading: Reading, rows: Sequence[Answer]) -> Iterator[str]:
    """Credit by others, or a commit, earns; what was taken back has no warrant; nothing else is earned (O8)."""
    for row in rows:
        if "warrant" not in row:
            continue
        number = int(row["id"][4:])
        standing = reading.world.capsules[number].standing
        credit = [
            each.outcome for each in reading.world.feedback.get(number, ()) if each.actor != reading.world.capsules[number].writer
        ]
        verdict = reading.world.corroborations.get(number)
        good, bad = credit.count(FeedbackOutcome.HELPED), credit.count(FeedbackOutcome.HURT)
        earned = (good and good >= bad) or (verdict is not None and verdict.verdict == "corroborated")
        back = standing.quarantined_at or standing.falsified_at or standing.superseded_at
        if (row["warrant"] == "earned") is not bool(earned and not back):
            yield f"{row['id']} is called {row['warrant']}"
        if back and row["warrant"] != "unwarranted":
            yield f"{row['id']} was taken back"


JUDGES: Mapping[str, Judge] = {
    "memory_retrieve": retrieved,
    "memory_search": unless_unfit(searched),
    "recall": unless_unfit(accrued),
    "memory_recall": unless_unfit(piped),
    "memory_search_fast": unless_unfit(quick),
    "memory_explain_search": unless_unfit(explained),
    "memory_entity": unless_unfit(entity),
    "memory_relations": unless_unfit(relations),
    "memory_list": unless_unfit(listed),
    "memory_get": unless_unfit(gotten),
    "projects": unless_unfit(projects),
}
