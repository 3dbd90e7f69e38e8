"""The rules as data, enforced both ways: no rule without a test or an entry in gaps.toml, no claim without a rule."""

import itertools
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from support.claims import MalformedClaimError, claimed_ids, claims

HERE = Path(__file__).parent
FEATURES = {"reading as of a moment", "the tools of a store's life", "backups"}
FAMILIES = {"T": 9, "L": 18, "F": 13, "O": 13, "W": 14, "D": 6}


def load(name: str, key: str) -> list[dict[str, Any]]:
    tables: list[dict[str, Any]] = tomllib.loads((HERE / name).read_text(encoding="utf-8"))[key]
    return tables


RULES = load("rules.toml", "rule")
CASES = load("cases.toml", "case")
GAPS = load("gaps.toml", "gap")
KNOWN = {rule["id"] for rule in RULES} | {f"case {case['id']}" for case in CASES}
CLAIMED = Counter(claim.id for claim in claims())
COVERED = {f"case {case['id']}": case["covered_by"] for case in CASES if "covered_by" in case}


def gapped(*, partly: bool) -> set[str]:
    return {id for gap in GAPS if ("partial" in gap) is partly for id in gap["ids"]}


def test_every_rule_stands_once_in_order_with_its_text_and_sources() -> None:
    """A rule that falls out of the list would fall out of every check below."""
    expected = [f"{family}{number}" for family, last in FAMILIES.items() for number in range(1, last + 1)]
    assert [rule["id"] for rule in RULES] == expected
    for rule in RULES:
        assert rule["section"], rule["id"]
        assert re.search(r"[.\]]$", rule["text"]), f"{rule['id']}: the text does not end"
        assert rule["sources"], rule["id"]
        assert set(rule["sources"]) <= set("RASPD+"), rule["id"]
        assert all(f"[{tag}]" in rule["text"] for tag in rule["sources"]), f"{rule['id']}: a source without its tag"


def test_every_case_stands_once_and_names_only_rules_that_exist() -> None:
    """Cases are numbered by group, with holes where a case says nothing new."""
    ids = [case["id"] for case in CASES]
    assert len(ids) == len(set(ids))
    assert ids == sorted(ids, key=lambda id: (id[0], int(id[1:])))
    rules = {rule["id"] for rule in RULES}
    assert all(set(covering) <= rules for covering in COVERED.values())


def test_every_claim_names_a_rule_or_a_case_that_exists() -> None:
    """A mistyped number would leave one rule without its test and claim another's."""
    unknown = [f"{claim} claims {claim.id}" for claim in claims() if claim.id not in KNOWN]
    assert not unknown, "unknown ids; see tests/spec/rules.toml and cases.toml:\n" + "\n".join(unknown)


def test_every_rule_has_a_test_or_a_gap_that_says_why_not() -> None:
    """No rule is forgotten silently."""
    covered = {id for id, rules in COVERED.items() if all(CLAIMED[rule] for rule in rules)}
    missing = sorted(KNOWN - CLAIMED.keys() - covered - gapped(partly=False))
    assert not missing, f"no test claims {missing}: write one, or an entry in tests/spec/gaps.toml"


def test_no_gap_is_listed_for_what_a_test_holds() -> None:
    """A gap that is closed must leave the list, or the list says nothing."""
    closed = sorted(gapped(partly=False) & CLAIMED.keys())
    assert not closed, f"{closed} have tests: take them out of tests/spec/gaps.toml, or say what is missing in `partial`"


def test_a_partial_gap_is_listed_only_where_a_test_holds_the_rest() -> None:
    """Partly is more than not at all."""
    untested = sorted(gapped(partly=True) - CLAIMED.keys() - COVERED.keys())
    assert not untested, f"{untested} are called partial and no test claims them"


def test_every_gap_names_known_ids_a_reason_and_the_feature_that_brings_it() -> None:
    """A gap without an end is a rule that was given up."""
    for gap in GAPS:
        assert set(gap) <= {"ids", "reason", "until", "partial"}, gap
        assert set(gap["ids"]) <= KNOWN, set(gap["ids"]) - KNOWN
        assert gap["reason"]
        assert gap["until"] in FEATURES, f"{gap['until']!r} is none of {sorted(FEATURES)}"
    for first, second in itertools.combinations(GAPS, 2):
        twice = set(first["ids"]) & set(second["ids"])
        assert not twice or ("partial" in first and "partial" in second), f"{sorted(twice)} stand in two gaps"


def test_a_claim_is_read_from_the_start_of_a_docstring_only() -> None:
    """Rules mentioned further on are explanations, not claims."""
    assert claimed_ids("T4: because.") == ("T4",)
    assert claimed_ids("O2, L7, case B2: because.") == ("O2", "L7", "case B2")
    assert claimed_ids("Because T4 says so: see there.") == ()
    assert claimed_ids("") == ()


@pytest.mark.parametrize("docstring", ["T4 because.", "T4,L7: because.", "T4-T6: because.", "case B2", "T4:"])
def test_what_starts_like_a_claim_and_is_none_is_refused(docstring: str) -> None:
    """A claim that is silently not read would show as a missing test far from its cause."""
    with pytest.raises(MalformedClaimError, match="starts like a claim"):
        claimed_ids(docstring)
