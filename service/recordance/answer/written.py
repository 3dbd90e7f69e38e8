"""What is said of a batch that was stored: one wire object, fields in a fixed order, absent where they do not apply (W1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recordance.answer.state import LIVE, state_of
from recordance.domain.caller import Caller
from recordance.domain.capsule import Capsule, LabelField
from recordance.domain.destination import Naming
from recordance.domain.remembered import Captured, Decision, Deduplicated, Rejected, Result
from recordance.domain.similarity import Similar
from recordance.errors import Json, Refusal
from recordance.query.exclusion import Eligibility, not_yet_valid

_STATUSES = ("captured", "deduplicated", "rejected")
_UNHELD_KEY = (
    "equal content is stored without this key, so the key does not name it and a later value under the key will not retire it; "
    "say in the content what the key names, and store that"
)
_WORDLESS = (
    "it has no letter and no digit, so no recall by words ever finds it; "
    "say in words what it means, and store that with this one in supersedes"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a batch was stored: how ids are called there, and its name where results tell that, as there are others (D4, D6)."""

    naming: Naming
    told: str | None = None


def remembered(decision: Decision, skipped: str | None, caller: Caller, home: Home, now: Eligibility) -> dict[str, Json]:
    """Return the answer to a batch; `skipped` says why nobody looked for near-duplicates, None if somebody did."""
    return written([_result(result, decision.capsules, caller, home, now) for result in decision.results], skipped)


def written(results: Sequence[dict[str, Json]], skipped: str | None) -> dict[str, Json]:
    """Return these results as the answer to a batch."""
    return {**counted(results, _STATUSES), **({} if skipped is None else {"similar_skipped": skipped})}


def counted(results: Sequence[dict[str, Json]], statuses: Sequence[str]) -> dict[str, Json]:
    """Return the results, and how many there are of each status."""
    counts = {status: sum(result["status"] == status for result in results) for status in statuses}
    return {"results": list(results), **counts}


def rejected(refusal: Refusal) -> dict[str, Json]:
    """Return the result of an item that was not taken, with its lesson."""
    return {"status": "rejected", "error": refusal.message}


def _result(result: Result, capsules: Mapping[int, Capsule], caller: Caller, home: Home, now: Eligibility) -> dict[str, Json]:
    naming = home.naming
    there: dict[str, Json] = {} if home.told is None else {"destination": home.told}
    match result:
        case Rejected(refusal):
            return rejected(refusal)
        case Captured(capsule, superseded, similar):
            shown = {"status": "captured", "id": naming.id(capsule.number), **there, **_state(capsule, now)}
            retired, alike = _superseded(superseded, naming), _similar(similar, naming)
            return shown | retired | alike | _findings(capsule) | _lesson(result, naming, now)
        case Deduplicated(capsule, superseded):
            shown = {"status": "deduplicated", "id": naming.id(capsule.number), **there, **_state(capsule, now)}
            chain = _superseder(capsule, capsules, caller, naming)
            end = {} if result.live is None else {"live": naming.id(result.live)}
            differs = {"differs": list(result.differs)} if result.differs else {}
            return shown | chain | end | _superseded(superseded, naming) | differs | _lesson(result, naming, now)


def _lesson(result: Captured | Deduplicated, naming: Naming, now: Eligibility) -> dict[str, Json]:
    """Return what the caller may not expect of a write, and what to do about it."""
    lessons = []
    if isinstance(result, Deduplicated) and result.unheld_key is not None:
        lessons.append(_UNHELD_KEY)
    if result.beside:
        lessons.append(_beside(result, naming, now))
    if result.wordless:
        lessons.append(_WORDLESS)
    return {"lesson": "; ".join(lessons)} if lessons else {}


def _beside(result: Captured | Deduplicated, naming: Naming, now: Eligibility) -> str:
    holders = ", ".join(map(naming.id, result.beside))
    if not_yet_valid(result.capsule, now):
        return f"it does not hold yet, so {holders} keeps the key; store it again once it holds, or now with supersedes {holders}"
    return f"it does not hold now, so {holders} keeps the key; to retire that all the same, store it with supersedes {holders}"


def _state(capsule: Capsule, now: Eligibility) -> dict[str, Json]:
    """Return the state of a capsule that may not ground; of one that may there is nothing to say."""
    state = state_of(capsule, now)
    return {} if state == LIVE else {"state": state}


def _superseder(capsule: Capsule, capsules: Mapping[int, Capsule], caller: Caller, naming: Naming) -> dict[str, Json]:
    """Return what took the capsule's place, if the caller may see that (F13)."""
    by = capsule.standing.superseded_by
    superseder = None if by is None else capsules.get(by)
    if superseder is None or not caller.sees_project(superseder.labels.get(LabelField.PROJECT)):
        return {}
    return {"superseded_by": naming.id(superseder.number)}


def _superseded(numbers: Sequence[int], naming: Naming) -> dict[str, Json]:
    return {"superseded": [naming.id(number) for number in numbers]} if numbers else {}


def _similar(similar: Sequence[Similar], naming: Naming) -> dict[str, Json]:
    listed = [{"id": naming.id(each.number), "score": round(each.score, 2)} for each in similar]
    return {"similar": listed} if listed else {}


def _findings(capsule: Capsule) -> dict[str, Json]:
    return {"taint_findings": list(capsule.taint)} if capsule.taint else {}
