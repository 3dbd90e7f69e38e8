"""Looking: one snapshot of one store, with the fences, the judgement and the corpus of one recall (F4, F5, L17).

Every dialect looks in the same way; what it makes of what it sees is its own.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from recordance.answer.outcome import Sight
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, CapsuleText
from recordance.domain.embedding import Vector
from recordance.domain.instant import Instant
from recordance.domain.relation import Effort
from recordance.errors import Fault
from recordance.ports.terms import Tally
from recordance.ports.truth import TruthReader
from recordance.query.document import Order, TermQuery
from recordance.query.exclusion import Eligibility, first_exclusion
from recordance.query.fence import MemberFence, Scope, SubtreeFence, admits, marks_of
from recordance.query.lane import Lane
from recordance.query.request import RecallRequest
from recordance.query.terms import Term, TermGroup, expand
from recordance.ranking.keys import CapsuleKey, capsule_key
from recordance.usecases.effort import resolve_effort
from recordance.usecases.follow import RecallView
from recordance.usecases.store import Store
from recordance.usecases.term_lane import Corpus, TermLane, corpus_of, term_lane
from recordance.usecases.vector_lane import Nearest, NearQuestion, check_dimension, nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A recall bound to one snapshot of one store.

    `scope` are all fences, the token's and the effort's included; `near` is what the vector lane found, None where it did not
    run; `corpus` is what BM25 is measured against; `at` the clock's reading.
    """

    store: Store
    caller: Caller
    request: RecallRequest
    reader: TruthReader
    opened: RecallView | None
    near: Nearest | None
    scope: Scope
    eligibility: Eligibility
    corpus: Corpus
    sight: Sight
    effort: Effort | None
    at: Instant

    @property
    def view(self) -> RecallView:
        """The term index at the snapshot's head; a recall whose lanes leave words out has none."""
        if self.opened is None:
            raise Fault("words are looked for in a recall that leaves the term lane out")
        return self.opened

    def groups(self, terms: Sequence[Term]) -> tuple[TermGroup, ...]:
        """Return the terms with every way in which each can match (T5, T7, T9)."""
        groups = expand(terms, _aliases(self.reader, terms))
        return groups if self.opened is None else self.opened.services.widened(groups)

    def asked(self, words: Sequence[Term]) -> tuple[TermGroup, ...]:
        """Return the words of a question in natural language with every way in which each can match; runs as fragments (T5)."""
        groups = expand(words, _aliases(self.reader, words))
        return groups if self.opened is None else self.opened.services.asked(groups)

    def question(self, groups: Sequence[TermGroup], order: Order = Order.COVERAGE) -> TermQuery:
        """Return what the term lane is asked for these groups."""
        return TermQuery(groups=tuple(groups), scope=self.scope, eligibility=self.eligibility, order=order)

    def lane(self, query: TermQuery, equals: CapsuleKey = capsule_key) -> TermLane:
        """Return the term lane for a query of `question`; `equals` orders hits that their text leaves equal."""
        return term_lane(self.view, query, self.corpus, self.at, equals)

    def tally(self, query: TermQuery) -> Tally:
        """Return the exact counts of all matches of a query (O2)."""
        return self.view.terms.tally(query)

    def frequencies(self, words: Collection[str]) -> Mapping[str, int]:
        """Return how many capsules inside the scope have each word, eligible or not."""
        return self.view.terms.frequencies(words, self.scope)

    def may_ground(self, capsule: Capsule, text: CapsuleText) -> bool:
        """Judge by the truth what an index proposed: it can lag, it can never invent (decision 4)."""
        return admits(self.scope, capsule, marks_of(text)) and first_exclusion(capsule, self.eligibility) is None


@contextmanager
def look_at(store: Store, caller: Caller, request: RecallRequest) -> Iterator[Look]:
    """Open one snapshot of a store for a recall, and ask its vectors if the request's lanes include them.

    Raises MissingState for an effort that cannot fence (F5), OtherDimension for an embedding of another dimension than the
    store's (L2).
    """
    at = store.clock.now()
    with ExitStack() as opened:
        if request.embedding is None or Lane.VECTOR not in request.lanes:
            view = opened.enter_context(store.terms.at_head())
            yield _look(store, caller, request, view.reader, view, at)
            return
        # The vector index is held still before the snapshot is opened, so that it is never ahead of it, and let go once asked.
        with store.vectors_in(request.space).steady() as steady:
            terms = opened.enter_context(store.terms.at_head()) if Lane.TERM in request.lanes else None
            reader = opened.enter_context(store.truth.reading()) if terms is None else terms.reader
            look = _look(store, caller, request, reader, terms, at)
            check_dimension(reader, request.embedding, request.space)
            near = nearest(steady.at(reader), reader, _near_question(look, request.embedding))
        yield replace(look, near=near)


def _look(
    store: Store,
    caller: Caller,
    request: RecallRequest,
    reader: TruthReader,
    view: RecallView | None,
    at: Instant,
) -> Look:
    own = () if caller.projects is None else (SubtreeFence(caller.projects),)
    effort = None if request.effort_id is None else resolve_effort(reader, caller, store.naming, request.effort_id)
    members = () if effort is None else (MemberFence(effort.members | {effort.epic}),)
    return Look(
        store=store,
        caller=caller,
        request=request,
        reader=reader,
        opened=view,
        near=None,
        scope=request.scope.with_fences(*own, *members),
        eligibility=Eligibility(at=at if request.as_of is None else request.as_of, window=request.window, admit=request.admit),
        corpus=corpus_of(reader, caller.projects, Scope(own)),
        sight=Sight.WHOLE if caller.projects is None else Sight.PART,
        effort=effort,
        at=at,
    )


def _near_question(look: Look, embedding: Vector) -> NearQuestion:
    request = look.request
    return NearQuestion(
        vector=embedding, count=request.vector_k, scope=look.scope, eligibility=look.eligibility, space=request.space
    )


def _aliases(reader: TruthReader, terms: Sequence[Term]) -> Mapping[str, list[tuple[str, tuple[str, ...]]]]:
    taught = reader.aliases([term.key for term in terms])
    return {
        key: [(alias.text, tuple(dict.fromkeys(alias.alias_key.split(" ")))) for alias in aliases]
        for key, aliases in taught.items()
    }
