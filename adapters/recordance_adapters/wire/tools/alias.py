"""`memory_alias`: teaching, listing and taking back what a term also means (T7)."""

from collections.abc import Mapping

from recordance.errors import InvalidArgument, Json
from recordance.query.terms import MAX_TERM_CHARACTERS
from recordance.usecases.teach import forget_alias, list_aliases, teach_alias, teach_aliases
from recordance_adapters.wire import limits
from recordance_adapters.wire.answers import ARRAY, COUNT, TEXT, answer
from recordance_adapters.wire.declaration import Declaration, Parameter, Presence, named_object_of
from recordance_adapters.wire.failure import legible
from recordance_adapters.wire.kinds import flag, raw_array, text
from recordance_adapters.wire.places import DESTINATION, where
from recordance_adapters.wire.tool import Call, Effect, Tool, ToolSet

_PAIR = tuple(
    Parameter(name=name, kind=text(MAX_TERM_CHARACTERS), presence=Presence.REQUIRED, example=example)
    for name, example in (("term", "设备"), ("alias", "设备清单"))
)
PAIR = Declaration(_PAIR)
ARGUMENTS = Declaration((
    Parameter(name="term", kind=text(MAX_TERM_CHARACTERS), description="What callers will search for, whole."),
    Parameter(name="alias", kind=text(MAX_TERM_CHARACTERS), description="What it also means; its words must all match."),
    Parameter(name="items", kind=raw_array(limits.ALIASES), description="Or many: {term, alias}."),
    Parameter(name="list", kind=flag(), description="Or show all."),
    Parameter(name="remove", kind=named_object_of(PAIR), description="Or {term, alias} to take back."),
    DESTINATION,
))  # fmt: skip
_WAYS = "term with alias, or one of items, list: true, remove"


def _lesson(item: Json, field: str) -> tuple[str, str] | InvalidArgument:
    try:
        pair = PAIR.read(item, field)
    except InvalidArgument as refusal:
        return legible(refusal)
    return pair["term"], pair["alias"]


def _handle(call: Call, raw: Mapping[str, Json]) -> dict[str, Json]:
    given = ARGUMENTS.read(raw)
    if given.get("list") is False:
        del given["list"]
    place = where(call, given)
    match sorted(given):
        case ["alias", "term"]:
            return teach_alias(*place, given["term"], given["alias"])
        case ["items"]:
            return teach_aliases(*place, [_lesson(item, f"items[{place}]") for place, item in enumerate(given["items"])])
        case ["list"]:
            return list_aliases(*place)
        case ["remove"]:
            return forget_alias(*place, given["remove"]["term"], given["remove"]["alias"])
        case ["alias"] | ["term"] | []:
            missing = "term" if "term" not in given else "alias"
            raise InvalidArgument(missing, None, _WAYS, "an alias is a pair of term and alias")
        case _:
            raise InvalidArgument("arguments", sorted(given), _WAYS, "these ask for several things at once")


ALIAS = Tool(
    name="memory_alias",
    title="Teach aliases",
    description=(
        "Teach that a search term also means another: one way, one step. Later recalls of the term find it too and show "
        "alias:<text>. For words inside unspaced runs, abbreviations, and what memory_misses lists."
    ),
    effect=Effect.REMOVES,
    tool_set=ToolSet.CORE,
    arguments=ARGUMENTS,
    output=answer(
        {},
        {
            "results": ARRAY, "taught": COUNT, "already": COUNT, "rejected": COUNT, "aliases": ARRAY, "total": COUNT,
            "status": TEXT, "term": TEXT, "alias": TEXT,
        },
    ),
    handle=_handle,
)  # fmt: skip
