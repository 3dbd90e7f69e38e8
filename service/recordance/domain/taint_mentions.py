"""What a text only reports: quotations said to be caught, and addresses that never leave the house (W2)."""

import re

_QUOTATION = re.compile(
    "|".join(
        # The sign first: what a pattern begins with is what is searched for fastest.
        rf"{opening}(?<!\w{opening})(?=\S)(?:[^{opening}{closing}\n]|(?<=\w)'(?=\w)){{1,90}}(?<=\S){closing}(?!\w)"
        for opening, closing in ('""', "“”", "«»", "``", "''", "‘’")
    )
)
_CAUGHT = re.compile(
    r",?\s(?:is|are|was|were|gets?|be|being|must be|should be|will be|has been)\s(?:\w{1,20}ly\s)?"
    r"(?:quarantined|flagged|blocked|rejected|refused|detected|recogni[sz]ed|caught|filtered|tainted|escaped|marked|reported|"
    r"found|stripped|denied)\b",
    re.IGNORECASE,
)
_CATCHES = re.compile(
    r"\b(?:quarantines?|flags?|blocks?|rejects?|refuses?|detects?|recogni[sz]es?|catches|filters?|taints?|escapes?|scans? for|"
    r"looks? for|searches for|matches|strips?)(?:\s[\w-]{1,30}){0,4}\s$",
    re.IGNORECASE,
)
_BEFORE = 120
"""How many characters before a quotation are looked at for who catches it."""
_HOUSE = re.compile(
    r"\b(?:https?|wss?|ftp)://(?:localhost|127(?:\.\d{1,3}){3}|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|\[::1\]|"
    r"(?:[\w-]{1,63}\.){1,6}(?:internal|local|localdomain|lan|intranet|svc))(?=(?::\d{1,5})?(?:[/?#\s,;)]|\.?\s|\.?$))",
    re.IGNORECASE,
)


def told_by_itself(text: str) -> str:
    """Return `text` without the quotations that it says are caught, and without the addresses inside the house.

    A quotation counts as caught when its very sentence says so right before or right after it ("… is quarantined", "the
    scan flags …"): a reader is told what happens to an order, not given one.
    """
    if "://" in text:
        text = _HOUSE.sub(" inside ", text)
    return _QUOTATION.sub(_unless_caught, text)


def _unless_caught(quotation: re.Match[str]) -> str:
    start, end = quotation.span()
    before = quotation.string[max(0, start - _BEFORE) : start]
    return " quotation " if _CAUGHT.match(quotation.string, end) or _CATCHES.search(before) else quotation[0]
