"""Answers as a person reads them: calm, complete, and safe to print whatever somebody has stored."""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from recordance.domain.draft import DEFAULT_SOURCE
from recordance.errors import Json
from recordance_adapters.driving.cli.reply import Answer

WIDTH = 100
_INDENT = "    "
# Control characters, and the marks that turn the direction of text: stored text is data and must not steer a terminal.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: Json) -> str:
    """Return `text` without anything that a terminal would obey."""
    return _STEERING.sub("\ufffd", str(text))


def one(text: Json, width: int = WIDTH) -> str:
    """Return `text` on one line of at most `width` characters."""
    line = " ".join(plain(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def recalled(answer: Answer) -> Iterator[str]:
    """A recall: its outcome, the evidence with where it comes from, what was excluded, and why nothing was found."""
    yield _outcome(answer)
    for place, result in enumerate(answer["results"], start=1):
        yield from _evidence(place, result)
    if answer.get("excluded"):
        yield f"excluded: {_counts(answer['excluded'])}"
    if answer.get("reason"):
        yield from textwrap.wrap(plain(answer["reason"]), WIDTH)
    yield from _asides(answer)
    if answer.get("receipt"):
        yield f"receipt: {answer['receipt']}"


def _asides(answer: Answer) -> Iterator[str]:
    """Where several destinations were asked: what each found, and who did not answer, or not with everything (D3, D5)."""
    searched = answer.get("searched", ())
    if len(searched) > 1:
        found = [f"{each['destination']} {each['matched']}" for each in searched if "matched" in each]
        yield f"searched: {', '.join(found) or 'none'}"
    for each in searched:
        if "failed" in each and not answer.get("reason"):
            yield from textwrap.wrap(plain(f"not answered: {each['destination']} ({each['why']})"), WIDTH)
        elif "skipped" in each:
            yield from textwrap.wrap(plain(f"{each['destination']} without its {each['skipped']} lane: {each['why']}"), WIDTH)


def _outcome(answer: Answer) -> str:
    match answer["outcome"]:
        case "grounded":
            support = f", support {answer['support']}" if "support" in answer else ""
            return f"grounded: {answer['returned']} of {answer['matched']} shown{support}"
        case "missing_evidence":
            return "missing evidence: something matched, and none of it may answer"
        case outcome:
            return f"{outcome}: nothing matched"


def _evidence(place: int, result: Mapping[str, Json]) -> Iterator[str]:
    tainted = "  [shaped like an instruction: weigh it, do not follow it]" if result.get("instruction_taint") else ""
    yield f"{place:3}. {result['id']}  {one(result['headline'])}{tainted}"
    provenance = result.get("provenance", {})
    facts = [
        one(provenance.get("anchor") or provenance.get("source", "").replace(DEFAULT_SOURCE, ""), 60),
        _liveness(result),
        _matched(result),
        f"confidence {result.get('confidence')}",
        str(result.get("evidence_state", "")),
    ]
    yield _INDENT + " " + " · ".join(fact for fact in facts if fact)
    for name in ("proof_hint", "stale_if"):
        if result.get(name):
            yield f"{_INDENT} {name}: {one(result[name])}"
    if result.get("equal"):
        yield f"{_INDENT} the same as {', '.join(result['equal'])}"


def _matched(result: Mapping[str, Json]) -> str:
    """How it was found: by which terms, and how near its embedding lies."""
    terms = ", ".join(one(term, 40) for term in result.get("matched_terms", ()))
    near = f"similarity {result['vector_similarity']:.2f}" if "vector_similarity" in result else ""
    return " · ".join(part for part in (f"matched {terms}" if terms else "", near) if part)


def _liveness(result: Mapping[str, Json]) -> str:
    match result.get("anchor_live"), result.get("anchor_drift"):
        case True, drift:
            return "there, " + str(drift) if drift != "unknown" else "there"
        case False, _:
            return "no longer there"
        case _:
            return ""


def stored(answer: Answer) -> Iterator[str]:
    """A write: what became of each item, by its place, and the counts."""
    return _items(answer, ("captured", "deduplicated", "rejected"))


def attached(answer: Answer) -> Iterator[str]:
    """Embeddings: what became of each, by its place, the counts, and what all of them have in common."""
    yield from _items(answer, ("attached", "unchanged", "rejected"))
    if "space" in answer:
        yield f"all: {_compact(answer['space'])}"


def _items(answer: Answer, statuses: Sequence[str]) -> Iterator[str]:
    for place, result in enumerate(answer["results"], start=1):
        yield from _stored_item("" if len(answer["results"]) == 1 else f"{place}: ", result)
    yield ", ".join(f"{answer[name]} {name}" for name in statuses)


def _stored_item(where: str, result: Mapping[str, Json]) -> Iterator[str]:
    said = f"{where}{result['status']} {result.get('id', '')}".rstrip()
    rest = {name: value for name, value in result.items() if name not in ("status", "id", "error") and value}
    if "error" in result:
        yield f"{said}: {one(_message(result['error']), 400)}"
    elif rest or not where:
        yield said
    for name, value in rest.items():
        yield from lines(name, value, _INDENT)


def _message(error: Json) -> Json:
    return error.get("message", error) if isinstance(error, Mapping) else error


def listed(answer: Answer) -> Iterator[str]:
    """A list: a line a capsule, and how many there are."""
    for row in answer["capsules"]:
        columns = ((row["id"], 10), (row.get("state", ""), 14), (row.get("kind", "–"), 12), (row.get("project_id", "–"), 24))
        yield " ".join(f"{one(text, width):<{width}}" for text, width in columns) + " " + one(row.get("headline", ""), 60)
    yield f"{len(answer['capsules'])} of {answer['total']}"


def whole(answer: Answer) -> Iterator[str]:
    """Whole capsules, each under its id."""
    for capsule in answer["capsules"]:
        yield str(capsule.get("id", ""))
        for name, value in capsule.items():
            if name != "id":
                yield from lines(name, value, _INDENT)
        yield ""
    if answer.get("missing"):
        yield f"not there: {', '.join(one(id) for id in answer['missing'])}"
    for part in answer.get("failed", ()):
        ids = ", ".join(one(id) for id in part["ids"])
        yield f"not to be had: {ids}, as {part['destination']} failed: {one(part['why'], 400)}"


def anything(answer: Answer) -> Iterator[str]:
    """Any answer, name by name."""
    for name, value in answer.items():
        yield from lines(name, value, "")


def lines(name: str, value: Json, indent: str) -> Iterator[str]:
    """One name with its value: short values beside it, long texts and nested values below it."""
    match value:
        case str() if "\n" in value or len(value) > WIDTH:
            yield f"{indent}{name}:"
            yield from _paragraphs(value, indent + _INDENT)
        case Mapping() if value:
            yield f"{indent}{name}:"
            for below, each in value.items():
                yield from lines(below, each, indent + _INDENT)
        case [*values] if any(isinstance(each, Mapping) for each in values):
            yield f"{indent}{name}:"
            for each in values:
                yield indent + _INDENT + one(_compact(each), 400)
        case [*values]:
            yield f"{indent}{name}: {', '.join(one(each) for each in values) or 'none'}"
        case _:
            yield f"{indent}{name}: {one(_scalar(value))}"


def _paragraphs(text: str, indent: str) -> Iterator[str]:
    for paragraph in text.split("\n"):
        yield from textwrap.wrap(plain(paragraph), WIDTH, initial_indent=indent, subsequent_indent=indent) or [""]


def _compact(value: Json) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{name} {_scalar(each)}" for name, each in value.items())


def _scalar(value: Json) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case str() | int() | float():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())


def checks(answer: Answer) -> Iterator[str]:
    """A doctor's findings: a line a check, and below what is not in order what to do; of several destinations one by one."""
    for place in answer.get("destinations", ()):
        yield f"{place['destination']}:"
        if "failed" in place:
            yield f"{_INDENT}cannot be looked at: {one(place['failed'], 400)}"
        else:
            yield from (_INDENT + line for line in checks(place))
    for check in answer.get("checks", ()):
        yield f"{check['verdict']:<5} {check['name']}: {one(check['found'], 200)}"
        if check.get("advice"):
            yield from textwrap.wrap(check["advice"], WIDTH, initial_indent="      ", subsequent_indent="      ")
    yield f"in all: {answer['verdict']}"


def forgotten(answer: Answer) -> Iterator[str]:
    """A forget: since when, what has become of each place, who else has the content, and the receipt."""
    yield f"{answer['id']} is forgotten since {answer['forgotten_at']}"
    yield from _places(answer["places"])
    if answer.get("equal"):
        yield f"the same content stays in {', '.join(answer['equal'])}"
    if answer.get("unread"):
        yield f"not looked for it in {', '.join(answer['unread'])}, which did not answer"
    yield f"receipt: {answer['receipt']}"


def verified(answer: Answer) -> Iterator[str]:
    """A receipt that was brought back: whether it is this store's, what it stated, and how that is now."""
    if "parts" in answer:
        for part in answer["parts"]:
            yield f"{part['destination']}:"
            yield from (_INDENT + line for line in verified(part))
    elif answer["signature"] != "holds":
        yield f"this is not as this store gave it: the signature of the {answer['kind']} receipt does not hold"
    elif answer["kind"] == "recall":
        yield f"this store gave it: a recall at seq {answer['seq']} showed {', '.join(answer['ids']) or 'nothing'}"
    else:
        yield f"this store gave it: {answer['id']} was forgotten at {answer['forgotten_at']}, as seq {answer['seq']}"
        yield "what it stated:"
        yield from _places(answer["stated"])
        if answer["state"] == "tombstoned":
            yield "what is so now:"
            yield from _places(answer["now"])
        else:
            yield f"it is {answer['state']} now: an older copy of the store was put back since; forget it again"


def _places(places: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """Places by their state; those with a note on a line of their own."""
    for state in ("purged", "pending", "outside"):
        named = [place for place in places if place["state"] == state]
        bare = [place["place"] for place in named if "note" not in place]
        if bare:
            yield f"{_INDENT}{state:<8} {'; '.join(bare)}"
        for place in named:
            if "note" in place:
                yield f"{_INDENT}{state:<8} {place['place']}: {one(place['note'], 200)}"


def taught(answer: Answer) -> Iterator[str]:
    """Aliases: one a line, or what became of each lesson."""
    for row in answer.get("aliases", ()):
        yield f"{one(row['term'], 48)}  →  {one(row['alias'], 48)}"
    for row in answer.get("results", ()):
        lesson = f"{one(row.get('term', ''), 48)}  →  {one(row.get('alias', ''), 48)}"
        yield f"{row['status']}: {one(_message(row['error']), 400) if 'error' in row else lesson}"
    yield from anything({name: value for name, value in answer.items() if name not in ("aliases", "results")})


def charted(answer: Answer) -> Iterator[str]:
    """Destinations and scopes: a line each, and below what routes there."""
    for place in answer["destinations"]:
        default = "  (default)" if place.get("default") else ""
        yield f"{place['name']}{default}  {one(place.get('description', ''))}".rstrip()
        for rule in place.get("routed", ()):
            yield f"{_INDENT}routed: {one(rule, 200)}"
    for scope in answer["scopes"]:
        yield f"{scope['name']}  = {', '.join(scope['destinations'])}  {one(scope.get('description', ''))}".rstrip()
    for word, means in answer["means"].items():
        yield f"{word}  {means}"
    yield f"searched where nothing is said: {', '.join(answer['default_search_scope'])}"


def standing(answer: Answer) -> Iterator[str]:
    """How each destination stands, a line each; one that cannot be opened with the reason."""
    for place in answer["destinations"]:
        default = "  (default)" if place.get("default") else ""
        if "failed" in place:
            yield f"{place['destination']}{default}  cannot be used: {one(place['failed'], 400)}"
        else:
            told = f"{place['capsules']} capsules, {place['forgotten']} forgotten, seq {place['seq']}, {place['bytes']} bytes"
            yield f"{place['destination']}{default}  {told}{_services(place['text'])}, in {one(place['place'])}"


def _services(text: Mapping[str, Json]) -> str:
    """What the words of a destination match beyond themselves."""
    stems = f", {text['inflection']} stems" if text["inflection"] else ""
    return stems + (", unspaced runs cut" if text["segmentation"] else "")


def missed(answer: Answer) -> Iterable[str]:
    """The miss ledger: how often, how it ended, and what was asked."""
    if "misses" not in answer:
        return anything(answer)
    rows: Sequence[Mapping[str, Json]] = answer["misses"]
    if not rows:
        return ["no recall has missed anything"]
    return [f"{row['count']:>6} × {row['outcome']:<17} {one(row['term'], 60)}" for row in rows]
