"""The commands that are tools: which words stand beside the options, and how the answer is shown."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from recordance.answer.recalled_text import recalled_text
from recordance.errors import InvalidArgument, Json
from recordance_adapters.bootstrap import Absent
from recordance_adapters.driving.cli import screen
from recordance_adapters.driving.cli.options import add_options, raw_arguments, read_jsonl, statement
from recordance_adapters.driving.cli.progress import Progress
from recordance_adapters.driving.cli.reply import Answer, ExitCode, Reply, Show
from recordance_adapters.driving.cli.session import Session
from recordance_adapters.driving.cli.signing import read_key, signed
from recordance_adapters.wire.tool import Tool
from recordance_adapters.wire.tools.accrued import RECALL
from recordance_adapters.wire.tools.alias import ALIAS
from recordance_adapters.wire.tools.archive import ARCHIVE
from recordance_adapters.wire.tools.explain import EXPLAIN
from recordance_adapters.wire.tools.fast import FAST
from recordance_adapters.wire.tools.forget import FORGET
from recordance_adapters.wire.tools.graph import ENTITY, RELATIONS
from recordance_adapters.wire.tools.judge import FEEDBACK, REVIEW
from recordance_adapters.wire.tools.life import HISTORY, UPDATE
from recordance_adapters.wire.tools.memory_recall import MEMORY_RECALL
from recordance_adapters.wire.tools.misses import MISSES
from recordance_adapters.wire.tools.read import GET, LIST
from recordance_adapters.wire.tools.relate import RELATE
from recordance_adapters.wire.tools.retrieve import RETRIEVE
from recordance_adapters.wire.tools.search import SEARCH
from recordance_adapters.wire.tools.search_scopes import SEARCH_SCOPES
from recordance_adapters.wire.tools.store import STORE
from recordance_adapters.wire.tools.vector import VECTOR
from recordance_adapters.wire.tools.whereabouts import PROJECTS, WHERE_AM_I

BATCH = 500
"""How many items of a file are stored at once."""

Raw = dict[str, Json]
Words = Callable[[ArgumentParser], None]
Gather = Callable[[Namespace, Raw], Iterator[Raw]]
"""From what was given, and what of it are plain options, to the raw arguments of one call or of several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCommand:
    """A command that calls one tool.

    `words` declares what stands beside the options, `unlisted` are the parameters that these words give; `gather` makes the raw
    arguments of them.
    """

    name: str
    about: str
    tool: Tool
    words: Words
    unlisted: frozenset[str]
    gather: Gather
    show: Show
    code: Callable[[Answer], ExitCode]
    absent: Absent

    def configure(self, parser: ArgumentParser) -> None:
        """Declare the command's words and options."""
        self.words(parser)
        add_options(parser, self.tool, self.unlisted)

    def run(self, session: Session, given: Namespace) -> Reply:
        """Call the tool, once or batch by batch, and return its answer."""
        options = {name: value for name, value in raw_arguments(self.tool, given).items() if name not in self.unlisted}
        call = session.call()
        answers = [self.tool.handle(call, raw) for raw in self.gather(given, options)]
        answer = answers[0] if len(answers) == 1 else joined(answers)
        return Reply(answer, self.show, self.code(answer))


def joined(answers: Sequence[Answer]) -> dict[str, Json]:
    """Return the answers to several batches as one: lists end to end, counts added up, of anything else the first."""
    whole: dict[str, Json] = {}
    for answer in answers:
        for name, value in answer.items():
            adds_up = isinstance(value, list | int) and not isinstance(value, bool)
            whole[name] = whole[name] + value if adds_up and name in whole else whole.get(name, value)
    return whole


def done(_: Answer) -> ExitCode:
    """Whatever the answer, the work is done."""
    return ExitCode.DONE


def _no_words(_: ArgumentParser) -> None:
    """The command takes options alone."""


def _options(_: Namespace, options: Raw) -> Iterator[Raw]:
    yield options


def _store_words(parser: ArgumentParser) -> None:
    parser.add_argument("content", nargs="?", help="The statement; left out or -, it is read from stdin.")
    items = "Many at once: a JSON object with the fields below on each line; - is stdin."
    parser.add_argument("--items", metavar="FILE", help=items)
    parser.add_argument("--sign-with", metavar="FILE", help="Sign what is stored with this private key (see `recordance key`).")


def _store(given: Namespace, options: Raw) -> Iterator[Raw]:
    key = None if given.sign_with is None else read_key(given.sign_with, "--sign-with")
    if given.items is None:
        one = {"content": statement(given.content), **options}
        yield one if key is None else signed(key, one)
        return
    beside = options if given.content is None else {"content": given.content, **options}
    batches = _batches(given.items, "Storing")
    yield from _numbered(batches if key is None else ([signed(key, item) for item in batch] for batch in batches), beside)


def _numbered(batches: Iterator[list[Json]], beside: Raw) -> Iterator[Raw]:
    """Yield each batch with what stands beside it; an idempotency key must be another one for each."""
    key = beside.pop("idempotency_key", None)
    for place, batch in enumerate(batches):
        keyed = {} if key is None else {"idempotency_key": key if place == 0 else f"{key}#{place}"}
        yield {**beside, "items": batch, **keyed}


def _batches(name: str, what: str) -> Iterator[list[Json]]:
    items, progress, done = read_jsonl(name), Progress(what), 0
    while batch := list(islice(items, BATCH)):
        yield batch
        done += len(batch)
        progress(done, 0)
    progress.end()
    if not done:
        raise InvalidArgument("--items", name, "a JSON object on each line", "there is nothing in it")


def _rejections(answer: Answer) -> ExitCode:
    return ExitCode.USAGE if answer.get("rejected") else ExitCode.DONE


def _recall_words(parser: ArgumentParser) -> None:
    terms = "Any may match; inside one, every word must. Quote those of several words."
    parser.add_argument("terms", nargs="*", metavar="TERM", help=terms)


def _recall(given: Namespace, options: Raw) -> Iterator[Raw]:
    yield {"terms": given.terms, **options}


def _outcome(answer: Answer) -> ExitCode:
    return ExitCode.DONE if answer["outcome"] == "grounded" else ExitCode.NOTHING


def _get_words(parser: ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID", help="Such as cap-12.")


def _get(given: Namespace, options: Raw) -> Iterator[Raw]:
    named = {"id": given.ids[0]} if len(given.ids) == 1 else {"ids": given.ids}
    yield {**named, **options}


def _all_there(answer: Answer) -> ExitCode:
    if answer.get("failed"):
        return ExitCode.FAILURE
    return ExitCode.NOTHING if answer.get("missing") else ExitCode.DONE


def _any_listed(answer: Answer) -> ExitCode:
    return ExitCode.DONE if answer["total"] else ExitCode.NOTHING


def _relate_words(parser: ArgumentParser) -> None:
    parser.add_argument("kind", help=f"One of {', '.join(RELATE.arguments.parameters[0].schema['enum'])}.")
    parser.add_argument("from", metavar="FROM", help="The capsule that stands in the relation.")
    parser.add_argument("to", metavar="TO", help="The capsule that it stands in the relation to.")
    parser.add_argument("--remove", action="store_true", help="End the relation instead.")


def _relate(given: Namespace, options: Raw) -> Iterator[Raw]:
    relation = {name: vars(given)[name] for name in ("kind", "from", "to")}
    yield {**({"remove": relation} if given.remove else relation), **options}


def _alias_words(parser: ArgumentParser) -> None:
    parser.add_argument("term", nargs="?", help="What callers search for, whole.")
    parser.add_argument("alias", nargs="?", help="What it also means.")
    parser.add_argument("--remove", action="store_true", help="Take it back instead.")
    parser.add_argument("--items", metavar="FILE", help='Many at once: {"term": …, "alias": …} on each line; - is stdin.')


def _alias(given: Namespace, options: Raw) -> Iterator[Raw]:
    pair = {name: value for name, value in (("term", given.term), ("alias", given.alias)) if value is not None}
    if given.items is not None:
        yield from ({**pair, **options, "items": batch} for batch in _batches(given.items, "Teaching"))
    elif given.remove:
        yield {"remove": pair, **options}
    else:
        yield {**pair, **options}


def _vector_words(parser: ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", help="Such as cap-12.")
    items = 'Many at once: {"capsule_id": …, "embedding": […]} on each line; - is stdin.'
    parser.add_argument("--items", metavar="FILE", help=items)


def _vector(given: Namespace, options: Raw) -> Iterator[Raw]:
    one = options if given.id is None else {"capsule_id": given.id, **options}
    if given.items is None:
        yield one
    else:
        yield from ({**one, "items": batch} for batch in _batches(given.items, "Attaching"))


def _review_words(parser: ArgumentParser) -> None:
    parser.add_argument("id", help="Such as cap-12.")
    parser.add_argument("verdict", help="One of propose, ratify, reject, release.")


def _review(given: Namespace, options: Raw) -> Iterator[Raw]:
    yield {"id": given.id, "verdict": given.verdict, **options}


def _feedback_words(parser: ArgumentParser) -> None:
    parser.add_argument("target", metavar="RECEIPT|ID", help="The receipt of a recall, or one capsule.")
    parser.add_argument("outcome", help="One of helped, hurt, ignored.")


def _feedback(given: Namespace, options: Raw) -> Iterator[Raw]:
    name = "receipt" if "rcpt-" in given.target else "capsule_id"
    yield {name: given.target, "outcome": given.outcome, **options}


def _id_words(parser: ArgumentParser) -> None:
    parser.add_argument("id", help="Such as cap-12.")


def _about_id(given: Namespace, options: Raw) -> Iterator[Raw]:
    yield {"id": given.id, **options}


def _archive(given: Namespace, options: Raw) -> Iterator[Raw]:
    yield {"id": given.id, "action": "archive", **options}


def _restore(given: Namespace, options: Raw) -> Iterator[Raw]:
    yield {"id": given.id, "action": "restore", **options}


def _query_words(parser: ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="WORD", help="The question, in your own words.")


def _query(given: Namespace, options: Raw) -> Iterator[Raw]:
    yield {"query": " ".join(given.query), **options}


def _any_found(answer: Answer) -> ExitCode:
    return ExitCode.DONE if answer["results"] else ExitCode.NOTHING


def _command(
    name: str,
    about: str,
    tool: Tool,
    *,
    words: Words = _no_words,
    unlisted: Sequence[str] = (),
    gather: Gather = _options,
    show: Show = screen.anything,
    code: Callable[[Answer], ExitCode] = done,
    absent: Absent = Absent.REFUSE,
) -> ToolCommand:
    return ToolCommand(
        name=name,
        about=about,
        tool=tool,
        words=words,
        unlisted=frozenset(unlisted),
        gather=gather,
        show=show,
        code=code,
        absent=absent,
    )


_STORE = _command(
    "store", "Remember a statement, or many.", STORE,
    words=_store_words, unlisted=("content", "items"), gather=_store, show=screen.stored, code=_rejections,
    absent=Absent.MAKE,
)  # fmt: skip
_RECALL = _command(
    "recall", "Recall what was stored, by words and by your own embedding.", RETRIEVE,
    words=_recall_words, unlisted=("terms",), gather=_recall, show=screen.recalled, code=_outcome,
)  # fmt: skip


def _name_words(parser: ArgumentParser) -> None:
    parser.add_argument("name", nargs="+", metavar="NAME", help="The entity, in any case.")


def _entity(given: Namespace, options: Raw) -> Iterator[Raw]:
    yield {"name": " ".join(given.name), **options}


def _relations(given: Namespace, options: Raw) -> Iterator[Raw]:
    yield {"entity": " ".join(given.name), **options}


def _unless_nothing(answer: Answer) -> ExitCode:
    return ExitCode.NOTHING if "reason" in answer else ExitCode.DONE


_ASK = _command(
    "ask", "Ask a question in your own words.", MEMORY_RECALL,
    words=_query_words, unlisted=("query", "output_format"), gather=_query,
    show=lambda answer: recalled_text(answer).split("\n"), code=_any_found,
)  # fmt: skip
_ENTITY = _command(
    "entity", "Show everything about an entity.", ENTITY,
    words=_name_words, unlisted=("name",), gather=_entity, code=_unless_nothing,
)  # fmt: skip
_RELATIONS = _command(
    "relations", "Show what an entity uses, owns or belongs to.", RELATIONS,
    words=_name_words, unlisted=("entity",), gather=_relations, code=_unless_nothing,
)  # fmt: skip


def _search_words(parser: ArgumentParser) -> None:
    parser.add_argument(
        "query", nargs="*", metavar="WORD", help="Words that must all stand in a capsule; without any, you browse."
    )


def _search(given: Namespace, options: Raw) -> Iterator[Raw]:
    selection = options.get("selection", {})
    if not isinstance(selection, dict) or not given.query:
        yield {**options, "selection": selection}  # what is no object is for the tool to refuse
    elif selection.get("query") is not None:
        why = "words stand beside it, and one of both would be left unread"
        raise InvalidArgument("selection.query", selection["query"], "what is searched for once", why)
    else:
        yield {**options, "selection": {**selection, "query": " ".join(given.query)}}


_SEARCH = _command(
    "search", "Search or browse within a scope, by plain words; --selection has the rest of what is asked.", SEARCH,
    words=_search_words, gather=_search, code=lambda answer: ExitCode.DONE if answer["memories"] else ExitCode.NOTHING,
)  # fmt: skip
_VALUED = _command(
    "recall-valued", "Recall by relevance and by the value that memories have earned.", RECALL,
    words=_query_words, unlisted=("query",), gather=_query,
    code=lambda answer: ExitCode.DONE if answer["result"] else ExitCode.NOTHING,
)  # fmt: skip
_WHERE = _command("where", "Show which store and scope you are in.", WHERE_AM_I)
_PROJECTS = _command("projects", "List the projects of a store.", PROJECTS)
_FAST = _command(
    "search-fast", "Ask a question by its words and your own embedding alone.", FAST,
    words=_query_words, unlisted=("query",), gather=_query, code=_any_found,
)  # fmt: skip
_EXPLAIN = _command(
    "explain", "Show how the hits of a question come about, and with --id why one is missing.", EXPLAIN,
    words=_query_words, unlisted=("query",), gather=_query,
)  # fmt: skip
_GET = _command(
    "get", "Read capsules whole.", GET,
    words=_get_words, unlisted=("id", "ids"), gather=_get, show=screen.whole, code=_all_there,
)  # fmt: skip
_LIST = _command("list", "List capsules in the order in which they were stored.", LIST, show=screen.listed, code=_any_listed)
_RELATE = _command(
    "relate", "Say what one capsule is to another.", RELATE,
    words=_relate_words, unlisted=("kind", "from", "to", "remove"), gather=_relate,
)  # fmt: skip
_ALIAS = _command(
    "alias", "Teach that a term also means another; --list shows all.", ALIAS,
    words=_alias_words, unlisted=("term", "alias", "items", "remove"), gather=_alias, show=screen.taught, code=_rejections,
)  # fmt: skip
_VECTOR = _command(
    "vector", "Attach your own embedding to a capsule, or many.", VECTOR,
    words=_vector_words, unlisted=("capsule_id", "items"), gather=_vector, show=screen.attached, code=_rejections,
)  # fmt: skip
_MISSES = _command("misses", "Show what was asked for and never found.", MISSES, show=screen.missed)
_SCOPES = _command("scopes", "Show what --destination and --search-scope can name.", SEARCH_SCOPES, show=screen.charted)
_REVIEW = _command(
    "review", "Decide on a proposal, or release a capsule from quarantine.", REVIEW,
    words=_review_words, unlisted=("id", "verdict"), gather=_review,
)  # fmt: skip
_FEEDBACK = _command(
    "feedback", "Say what recalled capsules did for you.", FEEDBACK,
    words=_feedback_words, unlisted=("receipt", "capsule_id", "outcome"), gather=_feedback,
)  # fmt: skip
_FORGET = _command(
    "forget", "Erase a capsule's content everywhere in the store, for good.", FORGET,
    words=_id_words, unlisted=("id",), gather=_about_id, show=screen.forgotten,
)  # fmt: skip
_ARCHIVE = _command(
    "archive", "Put a capsule away; it stays readable.", ARCHIVE,
    words=_id_words, unlisted=("id", "action"), gather=_archive,
)  # fmt: skip
_RESTORE = _command(
    "restore", "Take a capsule out of the archive.", ARCHIVE,
    words=_id_words, unlisted=("id", "action"), gather=_restore,
)  # fmt: skip
_UPDATE = _command(
    "update", "Make a capsule's next revision; those before stay in its history.", UPDATE,
    words=_id_words, unlisted=("id",), gather=_about_id,
)  # fmt: skip
_HISTORY = _command(
    "history", "Show who did what to a capsule, and what it said in each revision.", HISTORY,
    words=_id_words, unlisted=("id",), gather=_about_id,
)  # fmt: skip

TOOL_COMMANDS: Mapping[str, ToolCommand] = {
    command.name: command
    for command in (
        _STORE,
        _RECALL,
        _SEARCH,
        _VALUED,
        _ASK,
        _FAST,
        _EXPLAIN,
        _ENTITY,
        _RELATIONS,
        _GET,
        _LIST,
        _RELATE,
        _ALIAS,
        _VECTOR,
        _MISSES,
        _WHERE,
        _PROJECTS,
        _SCOPES,
        _REVIEW,
        _FEEDBACK,
        _FORGET,
        _ARCHIVE,
        _RESTORE,
        _UPDATE,
        _HISTORY,
    )
}
"""The commands that are tools, in the order in which help lists them."""
