"""What `memory_recall` asks: a question to the pipeline, in which form its hits are shown, and what is shown beside them.

L14, L15, O10.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from recordance.query.folding import fold_words
from recordance.query.pipeline import PipelineQuery

DEFAULT_LIMIT, MOST_HITS = 10, 50
"""How many hits are shown where the caller does not say, and at most (O10)."""
FEW_WORDS = 4
"""A question of no more words is short: whoever asks so looks for a name, and knows what lies behind it."""


class Mode(StrEnum):
    """What a recall is for."""

    SEARCH = "search"
    """Hits in their order."""
    INDEX = "index"
    """The same, as little of each as tells whether to read it."""
    TIMELINE = "timeline"
    """Hits among their neighbours, in the order in which they were stored (L14)."""


class Detail(StrEnum):
    """How much of each hit is shown in mode search."""

    FULL = "full"
    COMPACT = "compact"
    SUMMARY = "summary"
    AUTO = "auto"


class Projection(StrEnum):
    """What of a capsule is shown."""

    FULL = "full"
    SUMMARY = "summary"
    COMPACT = "compact"
    INDEX = "index"


class Payload(StrEnum):
    """Whether a content is also read as what a program wrote into it."""

    UNREAD = "unread"
    DECISION = "decision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many hits are shown (1 to 50), and what was asked for: None where that is no number that every client can hold."""

    requested: int | float | None = DEFAULT_LIMIT
    effective: int = DEFAULT_LIMIT

    @property
    def clamped(self) -> bool:
        """Whether the one is not the other."""
        return self.requested != self.effective


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecall:
    """A checked `memory_recall`.

    `neighbors` is how many stand before and after each hit in mode timeline; `related` and `expansion` are how many further
    capsules one hop away are shown in each of these lists, 0 being none (L15).
    """

    pipeline: PipelineQuery
    limit: Limit = Limit()
    mode: Mode = Mode.SEARCH
    detail: Detail = Detail.FULL
    neighbors: int = 2
    related: int = 0
    expansion: int = 0
    payload: Payload = Payload.UNREAD

    @property
    def projection(self) -> Projection:
        """What is shown of each hit: outside mode search `detail` has no say (O10)."""
        match self.mode:
            case Mode.SEARCH:
                return _DETAILS[self.detail if self.detail is not Detail.AUTO else detail_for(self.pipeline.question)]
            case Mode.INDEX:
                return Projection.INDEX
            case Mode.TIMELINE:
                return Projection.FULL

    @property
    def chosen(self) -> bool:
        """Whether it was left to us how much of each hit is shown."""
        return self.mode is Mode.SEARCH and self.detail is Detail.AUTO


_DETAILS = {Detail.FULL: Projection.FULL, Detail.COMPACT: Projection.COMPACT, Detail.SUMMARY: Projection.SUMMARY}

_PLACE = re.compile(r"\w+://\S|www\.\w|[\w.~-]*[/\\][\w.-]+|\b\w[\w-]*\.[A-Za-z][A-Za-z0-9]{0,4}\b(?![.\w])")
_CODE = re.compile(r"`|\w\(|\(\)|::|->|=>|==|[{};]|\w_\w|[a-z][A-Z]|--\w|\$\w|#\w|\w\[")
"""What stands in programs and seldom in sentences: calls, operators, braces, names of several words, options, variables."""


def detail_for(question: str) -> Detail:
    """Return what `auto` means for a question.

    Whoever names a path, an address or code wants what is written there, whole; whoever asks in few words gets as few; a sentence
    gets the beginning of each.
    """
    if _PLACE.search(question) or _CODE.search(question):
        return Detail.FULL
    return Detail.COMPACT if len(fold_words(question)) <= FEW_WORDS else Detail.SUMMARY
