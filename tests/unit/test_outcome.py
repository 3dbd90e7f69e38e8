"""Three outcomes, and sentences that are true and of use."""

import itertools
from collections.abc import Sequence

import pytest

from recordance.answer.outcome import (
    BY_TERMS,
    BY_VALUE,
    Outcome,
    Sight,
    abstention_reason,
    excluded_view,
    exclusion_reason,
    outcome_of,
)
from recordance.query.exclusion import ExclusionReason
from recordance.query.folding import fold_words
from recordance.query.lane import Lane
from recordance.query.terms import TermGroup, expand, read_terms

IN_ORDER = [
    "quarantined", "falsified", "archived", "superseded", "expired", "not_yet_valid", "outside_time_window", "undated",
    "proposed", "below_support", "tombstoned",
]  # fmt: skip


def groups_of(*terms: str, aliases: dict[str, list[str]] | None = None) -> tuple[TermGroup, ...]:
    taught = {key: [(text, tuple(fold_words(text))) for text in texts] for key, texts in (aliases or {}).items()}
    return expand(read_terms(terms), taught)


def reason(
    *terms: str,
    aliases: dict[str, list[str]] | None = None,
    lanes: Sequence[Lane] = (Lane.TERM,),
    capsules: int = 3,
    vectors: int = 0,
    **stated: object,
) -> str:
    groups = groups_of(*terms, aliases=aliases)
    return abstention_reason(BY_TERMS, lanes, groups, tuple(stated.items()), capsules, vectors, Sight.WHOLE)


def test_anything_that_may_ground_makes_an_answer_grounded() -> None:
    """O1, O2: whatever else was excluded."""
    assert outcome_of(1, {ExclusionReason.QUARANTINED: 7}) is Outcome.GROUNDED
    assert outcome_of(9, {}) is Outcome.GROUNDED


@pytest.mark.parametrize("why", ExclusionReason)
def test_matches_that_are_all_excluded_are_missing_evidence(why: ExclusionReason) -> None:
    """O1: something matched, and nothing of it may ground; a forgotten id counts too."""
    assert outcome_of(0, {why: 1}) is Outcome.MISSING_EVIDENCE


def test_every_exclusion_reason_has_its_advice() -> None:
    """O1, O2: whatever excludes a match, the answer says what that means, in the order in which the reasons claim."""
    said = exclusion_reason(BY_TERMS, dict.fromkeys(ExclusionReason, 2))
    places = [said.index(f"2 {reason.value} (") for reason in ExclusionReason]
    assert places == sorted(places)
    assert "archived" not in exclusion_reason(BY_VALUE, {ExclusionReason.ARCHIVED: 0, ExclusionReason.EXPIRED: 1})


@pytest.mark.parametrize("excluded", [{}, {ExclusionReason.EXPIRED: 0, ExclusionReason.TOMBSTONED: 0}])
def test_nothing_that_matched_is_an_abstention(excluded: dict[ExclusionReason, int]) -> None:
    """O1, O6: counts of zero are no matches."""
    assert outcome_of(0, excluded) is Outcome.ABSTAIN


def test_counts_come_in_the_order_in_which_reasons_claim_a_match() -> None:
    """F6: whatever the order in which they were counted."""
    shuffled = {why: place for place, why in enumerate(sorted(ExclusionReason), start=1)}
    assert [*excluded_view(shuffled)] == IN_ORDER
    assert excluded_view(shuffled)["archived"] == shuffled[ExclusionReason.ARCHIVED]


def test_reasons_that_claim_nothing_are_not_listed() -> None:
    """O2: a count is news, a zero is none."""
    counts = {ExclusionReason.UNDATED: 2, ExclusionReason.QUARANTINED: 0, ExclusionReason.EXPIRED: 1}
    assert list(excluded_view(counts).items()) == [("expired", 1), ("undated", 2)]


def test_an_abstention_names_the_lane_that_ran_and_only_that() -> None:
    """O1: never a claim about what did not run."""
    assert reason("tokio").startswith("Nothing matched in the term lane.")
    assert "vector" not in reason("tokio")


def test_an_abstention_names_every_fence_as_the_caller_gave_it() -> None:
    """O1, case F8: a caller sees at once that it was looking in one session of one project."""
    fences = {"project_id": "nott", "session_id": ' s"1\n', "time_window": {"from": "2026-03-01T00:00:00Z"}, "min_support": 0.5}
    assert (
        'Fences: project_id "nott", session_id " s\\"1\\n", time_window {"from":"2026-03-01T00:00:00Z"}, min_support 0.5.'
        in reason("tokio", **fences)
    )
    assert "Fences" not in reason("tokio")


def test_a_long_label_is_shortened_and_still_named() -> None:
    """O1: a sentence stays a sentence."""
    said = reason("tokio", session_id="s" * 5_000)
    assert 'session_id "sss' in said
    assert "(5000 characters)" in said
    assert len(said) < 600


def test_an_abstention_says_what_alias_expansion_tried() -> None:
    """O1, T7: the caller learns what else was looked for on its behalf."""
    said = reason("car", "設備", aliases={"car": ["automobile", "auto"], "設備": ["auto"]})
    assert 'tried "automobile", "auto" too' in said
    assert "no alias is taught" in reason("car")


def test_many_aliases_are_counted_and_not_all_named() -> None:
    """O1: a list that nobody reads helps nobody."""
    said = reason("car", aliases={"car": [f"vehicle{place}" for place in range(20)]})
    assert '"vehicle7" and 12 more too' in said
    assert "vehicle8" not in said


def test_an_unspaced_run_is_named_with_what_to_do() -> None:
    """case A1: 設備 inside a longer run is not found; the answer says so and names the two ways out."""
    said = reason("設備", "ภาษา", "nas")
    assert '"設備", "ภาษา": an unspaced script is matched as whole runs' in said
    assert "memory_alias" in said
    assert "with spaces" in said


def test_a_run_inside_a_mixed_term_is_named_alone() -> None:
    """T5, case A1: the Latin half of a term is no run."""
    assert '"后": an unspaced' not in reason("itgc后50条")
    assert reason("itgc后50条").count("unspaced") == 1
    assert '"后", "条": an unspaced' in reason("itgc后50条")


@pytest.mark.parametrize(
    "word", ["token", "configuração", "ёлка", "한국어", "हिन्दी", "αθήνα", "שלום", "𞤀𞤣", "𝐁𝐨𝐥𝐝", "1.38", "مرحبا"]
)
def test_a_script_with_spaces_is_never_called_unspaced(word: str) -> None:
    """case A1: a false explanation is worse than none."""
    assert "unspaced" not in reason(word)


@pytest.mark.parametrize("word", ["設備", "カタカナ", "ｶﾀｶﾅ", "ㄅㄆㄇ", "ภาษา", "ພາສາ", "ភាសា", "𠀀𠀁", "﨎", "〇", "𛀀"])
def test_every_unspaced_script_is_called_so(word: str) -> None:
    """case A1, T5: Han, kana, Bopomofo, Thai, Lao and Khmer, rare planes included."""
    assert "unspaced" in reason(word)


def test_advice_fits_what_was_asked() -> None:
    """O1: fewer words a term help only where a term has several."""
    assert "fewer words" in reason("tokio pin")
    assert "fewer words" not in reason("tokio", "pin")
    assert "fewer words" not in reason("tokio TOKIO tokio")


def test_where_there_is_nothing_to_search_no_other_word_is_advised() -> None:
    """O1: no form of a word is found where no capsule lies, and that is what is said."""
    said = reason("設備", project_id="nott", capsules=0)
    assert "There is no capsule to search." in said
    assert 'project_id "nott"' in said
    assert "Words match" not in said
    assert "unspaced" not in said
    assert "no capsule" not in reason("設備", project_id="nott", capsules=1)


def test_no_reason_claims_that_nothing_was_ever_recorded() -> None:
    """O1: a caller behind fences sees only its part, and what was forgotten was there."""
    choices = itertools.product([("設備",), ("pin tokio", "x")], [0, 1, 9], [{}, {"project_id": "nott"}])
    for terms, capsules, fences in choices:
        said = reason(*terms, capsules=capsules, **fences)
        assert not any(claim in said for claim in ("never", "recorded", "yet", "empty", "store holds"))


def test_a_forced_vector_lane_says_nothing_of_terms_or_aliases() -> None:
    """O1, L1: no term was looked for, so none failed."""
    said = reason("token", aliases={"token": ["jeton"]}, lanes=[Lane.VECTOR], vectors=2, project_id="nott")
    assert said.startswith('Nothing matched in the vector lane. Fences: project_id "nott".')
    assert "jeton" not in said
    assert "words" not in said.lower()
    assert "cosine above 0" in said


def test_a_fused_recall_names_both_lanes_and_the_advice_of_each() -> None:
    """O1: the lanes that ran are named, whichever of them had nothing."""
    said = reason("token", lanes=[Lane.TERM, Lane.VECTOR], vectors=2)
    assert said.startswith("Nothing matched in the term and vector lanes.")
    assert "Alias expansion ran" in said
    assert "Words match exactly" in said
    assert "cosine above 0" in said


def test_a_store_without_embeddings_says_how_to_attach_some() -> None:
    """O1: that nothing was near is no news where there is nothing to be near."""
    said = reason("token", lanes=[Lane.VECTOR], vectors=0)
    assert "No capsule has an embedding yet" in said
    assert "memory_vector" in said
