"""Teaching a store the words of those who ask it: aliases (T7).

Aliases belong to a whole destination, not to a project. A caller who is fenced to projects may teach, which hides nothing from
anybody; what others taught they may neither list nor take back (F13).
"""

from collections.abc import Sequence

from recordance.answer.settled import alias_view, aliases_view, taught_view
from recordance.domain.alias import Alias
from recordance.domain.caller import Caller
from recordance.domain.change import ChangeSet, RemoveAlias, TeachAlias
from recordance.domain.instant import Instant
from recordance.domain.journal import Entry, Op
from recordance.domain.storable import check_storable
from recordance.errors import InvalidArgument, Json, MissingState, Refusal, StateKind
from recordance.ports.truth import TruthReader
from recordance.query.terms import read_term
from recordance.usecases.store import Destinations, Store


def teach_alias(destinations: Destinations, caller: Caller, destination: str | None, term: str, alias: str) -> dict[str, Json]:
    """Teach one pair and answer as `teach_aliases` does; raises InvalidArgument for one that cannot be taught."""
    store = destinations.writing(caller, destination)
    at = store.clock.now()
    return _taught(store, caller, [_pair(term, alias, at)], at)


def teach_aliases(
    destinations: Destinations, caller: Caller, destination: str | None, items: Sequence[tuple[str, str] | Refusal]
) -> dict[str, Json]:
    """Teach each (term, alias) and answer `{results, taught, already, rejected}`.

    A pair that cannot be taught, or was refused before it came here, is `rejected` with its lesson and blocks nobody.
    """
    store = destinations.writing(caller, destination)
    at = store.clock.now()
    return _taught(store, caller, [_lesson(item, place, at) for place, item in enumerate(items)], at)


def list_aliases(destinations: Destinations, caller: Caller, destination: str | None) -> dict[str, Json]:
    """Return `{aliases, total}`, by term, then in the order in which they were taught."""
    store = destinations.reading(caller, destination)
    _check_unfenced(caller)
    with store.truth.reading() as reader:
        return aliases_view(reader.all_aliases())


def forget_alias(destinations: Destinations, caller: Caller, destination: str | None, term: str, alias: str) -> dict[str, Json]:
    """Take an alias back and answer `{status: removed, term, alias}`; raises MissingState when it is not taught."""
    store = destinations.writing(caller, destination)
    _check_unfenced(caller)
    at = store.clock.now()
    wanted = _pair(term, alias, at)
    with store.truth.writing() as writer:
        taught = writer.aliases([wanted.term_key]).get(wanted.term_key, ())
        known = next((each for each in taught if each.alias_key == wanted.alias_key), None)
        if known is None:
            also = ", ".join(repr(each.text) for each in taught)
            lesson = f"the term also means {also}" if also else "nothing is taught for this term; list what is"
            raise MissingState(StateKind.UNKNOWN_ALIAS, term, lesson)
        removal = RemoveAlias(known.term_key, known.alias_key, at)
        writer.apply(ChangeSet((removal,), (Entry(Op.UNALIASED, None, None, {}),)), caller.actor, at)
    return {"status": "removed", **alias_view(known)}


def _taught(store: Store, caller: Caller, lessons: Sequence[Alias | Refusal], at: Instant) -> dict[str, Json]:
    with store.truth.writing() as writer:
        new = _new(writer, [lesson for lesson in lessons if isinstance(lesson, Alias)])
        if new:
            # What is taught is free text, so the journal only counts (W12).
            changes = ChangeSet(tuple(map(TeachAlias, new)), (Entry(Op.ALIASED, None, None, {}),) * len(new))
            writer.apply(changes, caller.actor, at)
    return taught_view(lessons, new)


def _lesson(item: tuple[str, str] | Refusal, place: int, at: Instant) -> Alias | Refusal:
    if isinstance(item, Refusal):
        return item
    try:
        return _pair(*item, at)
    except InvalidArgument as refusal:
        return refusal.under(f"items[{place}]")


def _pair(term: str, alias: str, at: Instant) -> Alias:
    check_storable(term, "term")
    check_storable(alias, "alias")
    term_key, alias_key = read_term(term, "term").key, read_term(alias, "alias").key
    if term_key == alias_key:
        raise InvalidArgument(
            "alias", alias, "other words than the term's", "it folds to the term itself, which it means already"
        )
    return Alias(term_key, alias_key, term, alias, at)


def _new(reader: TruthReader, lessons: Sequence[Alias]) -> Sequence[Alias]:
    """Return those that are not taught yet, each once."""
    taught = reader.aliases({lesson.term_key for lesson in lessons}) if lessons else {}
    known = {(each.term_key, each.alias_key) for aliases in taught.values() for each in aliases}
    wanted: dict[tuple[str, str], Alias] = {}
    for lesson in lessons:
        wanted.setdefault((lesson.term_key, lesson.alias_key), lesson)
    return [lesson for key, lesson in wanted.items() if key not in known]


def _check_unfenced(caller: Caller) -> None:
    if caller.projects is not None:
        lesson = "aliases belong to the whole destination; a caller who is fenced to projects may teach them and no more"
        raise MissingState(StateKind.NOT_PERMITTED, "aliases", lesson)
