"""Looking for near-duplicates of what is about to be stored (W1).

The term index is asked before the writing transaction, so that nobody waits for it there; what was captured meanwhile is compared
one by one inside. An index that cannot answer costs the answer its `similar`, never the write.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recordance.domain.capsule import LabelField
from recordance.domain.capture import Planned
from recordance.domain.similarity import MOST_SIMILAR, Probe, Probes, Similar, alike, best, likeness, probes
from recordance.errors import Fault, MissingState, StateKind
from recordance.ports.truth import TruthReader
from recordance.query.document import TermQuery
from recordance.query.exclusion import Eligibility
from recordance.query.fence import LabelFence, Scope
from recordance.query.folding import fold_words
from recordance.query.terms import MAX_TERMS, Alternative, Term, TermGroup
from recordance.ranking.scoring import Weights
from recordance.usecases.follow import OVERLAY_ROWS, RecallView
from recordance.usecases.store import Store

MOST_LIKENED = 20
"""Items of a batch up to which near-duplicates are looked for (W1)."""
FIRST_CANDIDATES = 16
WIDENING = 4
MOST_CANDIDATES = 256
"""Candidates of one query at most: beyond them the best found so far are the answer."""
MOST_NEWCOMERS = 1_000
"""Capsules stored by others meanwhile that are still compared one by one."""


@dataclass(frozen=True, slots=True)
class Likened:
    """What the index knew to be like each item, by place, when `last_number` was the last capsule; or why nobody looked."""

    found: Mapping[int, Sequence[Similar]]
    last_number: int
    skipped: str | None = None


def liken(store: Store, items: Mapping[int, Planned], batch: int, now: Eligibility) -> Likened:
    """Return what is like the items of a batch of that size."""
    if not items:
        return Likened({}, 0)
    if batch > MOST_LIKENED:
        return Likened({}, 0, f"near-duplicates are looked for in batches of up to {MOST_LIKENED} items")
    try:
        status = store.terms.status()
        if status.head - status.applied > OVERLAY_ROWS:
            return Likened({}, 0, "the term index is catching up")
        with store.terms.at_head() as view:
            return Likened(dict(_found(view, items, now)), view.reader.last_number())
    except MissingState as missing:
        if missing.kind not in (StateKind.INDEX_BEHIND, StateKind.STORE_BUSY):
            raise
    except Fault:
        pass  # a truth that cannot be used says so again when it is written to
    return Likened({}, 0, "the term index could not be read")


def with_newcomers(likened: Likened, reader: TruthReader, items: Mapping[int, Planned]) -> Likened:
    """Return what is like the items now, capsules stored since the index was read among them."""
    newcomers = range(likened.last_number + 1, reader.last_number() + 1)
    if likened.skipped is not None or not items or not newcomers:
        return likened
    if len(newcomers) > MOST_NEWCOMERS:
        return Likened({}, 0, "too much was stored at the same moment")
    capsules, contents = reader.capsules(newcomers), reader.contents(newcomers)
    found = {place: list(similar) for place, similar in likened.found.items()}
    for number, content in contents.items():
        words, project = frozenset(fold_words(content)), capsules[number].labels.get(LabelField.PROJECT)
        for place, planned in items.items():
            score = likeness(planned.words, words)
            if planned.project == project and alike(score):
                found.setdefault(place, []).append(Similar(number, score))
    return Likened(found, reader.last_number())


def _found(view: RecallView, items: Mapping[int, Planned], now: Eligibility) -> Iterator[tuple[int, Sequence[Similar]]]:
    known = view.reader.known_contents({planned.digest for planned in items.values()})
    stored = {(each.project_id, each.digest) for each in known}
    for place, planned in items.items():
        if planned.words and (planned.project, planned.digest) not in stored:
            yield place, _Search(view, planned, now).run()


class _Search:
    """The search for what is like one content: queries with ever more candidates, until nothing unseen can be among the best."""

    def __init__(self, view: RecallView, planned: Planned, now: Eligibility) -> None:
        self._view = view
        self._words = planned.words
        self._asked: Probes = probes(_rarest_first(view, planned.words), len(planned.words), MAX_TERMS)
        self._queries = [_query(probe, planned.project, now) for probe in self._asked.probes]
        self._weights = Weights({}, view.reader.corpus())  # coverage alone ranks
        self._scores: dict[int, float] = {}

    def run(self) -> Sequence[Similar]:
        count = FIRST_CANDIDATES
        while True:
            unseen = self._asked.unasked + sum(self._look(query, count) for query in self._queries)
            found = [Similar(number, score) for number, score in self._scores.items() if alike(score)]
            if self._settled(found, unseen) or count >= MOST_CANDIDATES:
                return found
            count *= WIDENING

    def _look(self, query: TermQuery, count: int) -> int:
        """Score what a query proposes, and return how many of its words a capsule that it did not propose can have."""
        proposals = self._view.terms.proposals(query, count, self._weights)
        contents = self._view.reader.contents([number for number in proposals.numbers if number not in self._scores])
        for number, content in contents.items():
            self._scores[number] = likeness(self._words, frozenset(fold_words(content)))
        return query.least_coverage - 1 if proposals.horizon is None else proposals.horizon.coverage

    def _settled(self, found: list[Similar], unseen: int) -> bool:
        """Whether a capsule that has `unseen` of the words at most is no near-duplicate, or less alike than the best."""
        most = unseen / len(self._words)
        listed = best(found)
        return not alike(most) or (len(listed) == MOST_SIMILAR and most < listed[-1].score)


def _rarest_first(view: RecallView, words: Collection[str]) -> Sequence[str]:
    """Return those of the words that some capsule has, in any project."""
    frequencies = view.terms.frequencies(words, Scope())
    return sorted((word for word in words if frequencies[word]), key=lambda word: (frequencies[word], word))


def _query(probe: Probe, project: str | None, now: Eligibility) -> TermQuery:
    return TermQuery(
        groups=tuple(TermGroup(Term(word, word, (word,)), (Alternative(word, (word,)),)) for word in probe.words),
        scope=Scope((LabelFence(LabelField.PROJECT, frozenset({project})),)),
        eligibility=now,
        least_coverage=probe.least,
    )
