"""Question sets as they lie in the data folder, read into one shape.

A folder has `locomo/` (conversations: turns, sessions, questions, embeddings) and any of the language sets, each with
`corpus.jsonl`, `queries.jsonl` and `qrels.tsv`. What is not there is left out.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from relevance_sets.half_floats import read_rows

Floats = Sequence[float]
LOCOMO = ("locomo_turns", "locomo_sessions")
TUNED_ON = "_tuned_on"
"""What the name of a set ends with whose conversations were chosen by: every second one from the first on. The others report."""
ANSWERABLE = frozenset({1, 2, 3, 4})
"""Categories of LoCoMo whose questions the conversation answers: multi-hop, temporal, open-domain, single-hop."""


@dataclass(frozen=True)
class Passage:
    """Something to be stored and found; `key` is its name in the set, `vector` what its caller brings along."""

    key: str
    text: str
    vector: Floats | None = None


@dataclass(frozen=True)
class Question:
    """Something to be asked; `evidence` are the keys that answer it, none where nothing does."""

    text: str
    evidence: frozenset[str] = frozenset()
    vector: Floats | None = None


@dataclass(frozen=True)
class Corpus:
    """Passages that make one store, the questions that they answer, and some that they cannot."""

    passages: Sequence[Passage]
    questions: Sequence[Question]
    unanswerable: Sequence[Question] = ()


@dataclass(frozen=True)
class QuestionSet:
    """One table's worth: a question is asked of its own corpus alone. `about` says what a reader must know of it."""

    name: str
    about: str
    language: str
    corpora: Sequence[Corpus]

    @property
    def has_vectors(self) -> bool:
        """Whether its passages and questions come with embeddings."""
        return all(passage.vector is not None for corpus in self.corpora for passage in corpus.passages)


def names_in(folder: Path) -> list[str]:
    """Return the names of the sets that the folder holds, in the order in which they are measured."""
    locomo = [name + half for half in ("", TUNED_ON) for name in LOCOMO] if (folder / "locomo" / "turns.jsonl").is_file() else []
    return locomo + sorted(file.parent.name for file in folder.glob("*/corpus.jsonl"))


def read_set(folder: Path, name: str) -> QuestionSet:
    """Return the set of this name, which `names_in` gave."""
    match name.removesuffix(TUNED_ON):
        case "locomo_turns":
            return _half(_locomo_turns(folder / "locomo"), name)
        case "locomo_sessions":
            return _half(_locomo_sessions(folder / "locomo"), name)
        case _:
            return _language_set(folder / name)


def _half(whole: QuestionSet, name: str) -> QuestionSet:
    """Return one half of LoCoMo's conversations, in the order of their names: those that were tuned on, or the others."""
    first, told = (0, "what defaults were chosen by") if name.endswith(TUNED_ON) else (1, "nothing was chosen by these")
    return replace(whole, name=name, about=f"{told}; {whole.about}", corpora=whole.corpora[first::2])


def _locomo_turns(folder: Path) -> QuestionSet:
    turns = defaultdict(list)
    for row, vector in _with_vectors(folder, "turns"):
        turns[row["conv"]].append(Passage(row["dia_id"], row["text"], vector))
    about = "passages are single turns, with the embeddings that lie beside them"
    return QuestionSet("locomo_turns", about, "en", _conversations(folder, turns, lambda evidence: evidence))


def _locomo_sessions(folder: Path) -> QuestionSet:
    vectors = defaultdict(list)
    for row, vector in _with_vectors(folder, "turns"):
        vectors[row["conv"], row["session"]].append(vector)
    sessions = defaultdict(list)
    for row in _rows(folder / "sessions.jsonl"):
        vector = _mean(vectors[row["conv"], row["session"]])
        sessions[row["conv"]].append(Passage(str(row["session"]), row["text"], vector))
    about = "passages are whole sessions; the embedding of one is the mean of its turns', made here as a caller would"
    return QuestionSet("locomo_sessions", about, "en", _conversations(folder, sessions, _session_of))


def _session_of(turn: str) -> str:
    """Return the session of a turn's id: D12:3 is the third turn of session 12."""
    return turn[1:].partition(":")[0]


def _conversations(folder: Path, passages: dict[str, list[Passage]], key_of: Callable[[str], str]) -> list[Corpus]:
    """Return one corpus for each conversation, with the questions whose evidence is known, and those from elsewhere."""
    asked, unanswerable = defaultdict(list), defaultdict(list)
    for row, vector in _with_vectors(folder, "questions"):
        if row["category"] in ANSWERABLE and row["evidence"]:
            evidence = frozenset(map(key_of, row["evidence"]))
            asked[row["conv"]].append(Question(row["question"], evidence, vector))
    for row, vector in _with_vectors(folder, "missing"):
        unanswerable[row["conv"]].append(Question(row["question"], frozenset(), vector))
    return [Corpus(passages[name], asked[name], unanswerable[name]) for name in sorted(passages)]


def _language_set(folder: Path) -> QuestionSet:
    evidence = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        question, passage, grade = line.split("\t")
        if int(grade) > 0:
            evidence[question].add(passage)
    passages = [Passage(row["_id"], row["text"]) for row in _rows(folder / "corpus.jsonl")]
    asked = [
        Question(row["text"], frozenset(evidence[row["_id"]])) for row in _rows(folder / "queries.jsonl") if evidence[row["_id"]]
    ]
    about = "no embeddings lie beside it: the term lane alone"
    return QuestionSet(folder.name, about, folder.name.rpartition("_")[2], [Corpus(passages, asked)])


def _with_vectors(folder: Path, name: str) -> Iterable[tuple[dict[str, Any], Floats]]:
    (vectors,) = folder.glob(f"{name}.*.f16.npy")
    return zip(_rows(folder / f"{name}.jsonl"), read_rows(vectors), strict=True)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _mean(vectors: Sequence[Floats]) -> Floats:
    return [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]
