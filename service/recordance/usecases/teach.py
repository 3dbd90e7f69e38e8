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

MAX_ALIASES = 64
"""How many aliases a term may have: each is one more way to look for at every recall of the term."""


def teach_alias(destinations: Destinations, caller: Caller, destination: str | None, term: str, alias: str) -> dict[str, Json]:
    """Teach one pair and answer as `teach_aliases` does; raises InvalidArgument for one that cannot be taught."""
    store = destinations.writing(caller, destination)
    at = store.clock.now()
    (lesson,), new = _taught(store, caller, [_pair(term, alias, at)], at)
    if isinstance(lesson, Refusal):
        raise lesson
    return taught_view([lesson], new)


def teach_aliases(
    destinations: Destinations, caller: Caller, destination: str | None, items: Sequence[tuple[str, str] | Refusal]
) -> dict[str, Json]:
    """Teach each (term, alias) and answer `{results, taught, already, rejected}`.

    A pair that cannot be taught, or was refused before it came here, is `rejected` with its lesson and blocks nobody. A term that
    has MAX_ALIASES learns no more.
    """
    store = destinations.writing(caller, destination)
    at = store.clock.now()
    lessons = [_lesson(item, place, at) for place, item in enumerate(items)]
    taught, new = _taught(store, caller, lessons, at)
    ends = enumerate(zip(lessons, taught, strict=True))
    return taught_view([_placed(end, place) if end is not lesson else end for place, (lesson, end) in ends], new)


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


def _taught(
    store: Store, caller: Caller, lessons: Sequence[Alias | Refusal], at: Instant
) -> tuple[Sequence[Alias | Refusal], Sequence[Alias]]:
    """Teach what can be, and return how each lesson ended and which of them were not known before, each once.

    To a caller who may not list what others taught, every lesson is new.
    """
    with store.truth.writing() as writer:
        taught, new = _admitted(writer, lessons)
        if new:
            # What is taught is free text, so the journal only counts (W12).
            changes = ChangeSet(tuple(map(TeachAlias, new)), (Entry(Op.ALIASED, None, None, {}),) * len(new))
            writer.apply(changes, caller.actor, at)
    return taught, new if caller.projects is None else [each for each in taught if isinstance(each, Alias)]


def _lesson(item: tuple[str, str] | Refusal, place: int, at: Instant) -> Alias | Refusal:
    if isinstance(item, Refusal):
        return item
    try:
        return _pair(*item, at)
    except InvalidArgument as refusal:
        return _placed(refusal, place)


def _placed(end: Alias | Refusal, place: int) -> Alias | Refusal:
    return end.under(f"items[{place}]") if isinstance(end, InvalidArgument) else end


def _pair(term: str, alias: str, at: Instant) -> Alias:
    check_storable(term, "term")
    check_storable(alias, "alias")
    term_key, alias_key = read_term(term, "term").key, read_term(alias, "alias").key
    if term_key == alias_key:
        raise InvalidArgument(
            "alias", alias, "other words than the term's", "it folds to the term itself, which it means already"
        )
    return Alias(term_key, alias_key, term, alias, at)


def _admitted(reader: TruthReader, lessons: Sequence[Alias | Refusal]) -> tuple[Sequence[Alias | Refusal], Sequence[Alias]]:
    """Return the lessons, those refused whose term has no room for one more, and the ones that are not taught yet."""
    taught = reader.aliases({lesson.term_key for lesson in lessons if isinstance(lesson, Alias)})
    known = {term_key: {each.alias_key for each in aliases} for term_key, aliases in taught.items()}
    admitted, new = list[Alias | Refusal](), list[Alias]()
    for lesson in lessons:
        kept = known.setdefault(lesson.term_key, set()) if isinstance(lesson, Alias) else set()
        if not isinstance(lesson, Alias) or lesson.alias_key in kept:
            admitted.append(lesson)
        elif len(kept) >= MAX_ALIASES:
            admitted.append(_full(lesson))
        else:
            kept.add(lesson.alias_key)
            new.append(lesson)
            admitted.append(lesson)
    return admitted, new


def _full(lesson: Alias) -> InvalidArgument:
    why = f"{lesson.term!r} has {MAX_ALIASES} aliases, as many as a term may have"
    return InvalidArgument("alias", lesson.text, "it once another alias of the term is taken back, or for a narrower term", why)


def _check_unfenced(caller: Caller) -> None:
    if caller.projects is not None:
        lesson = "aliases belong to the whole destination; a caller who is fenced to projects may teach them and no more"
        raise MissingState(StateKind.NOT_PERMITTED, "aliases", lesson)
