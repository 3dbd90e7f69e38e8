"""What words find, through a whole recall."""

import pytest

from recordance.domain.journal import Op
from recordance.domain.validity import Validity
from recordance.errors import MissingState, StateKind
from support.recalls import Recalls, below, shown
from support.truths import NOON, days, labels, stands


def holding(*contents: str) -> Recalls:
    recalls = Recalls()
    recalls.remember(*contents)
    return recalls


def test_terms_are_alternatives_and_words_of_a_term_belong_together() -> None:
    """T2: in any order, at any distance, within one capsule."""
    recalls = holding("pin tokio at 1.38", "tokio " + "far " * 400 + "pin", "tokio alone", "pin alone", "serde")
    assert sorted(recalls.found("tokio pin")) == [1, 2]
    assert sorted(recalls.found("tokio pin", "serde")) == [1, 2, 5]
    assert sorted(recalls.found("tokio", "pin")) == [1, 2, 3, 4]


def test_a_store_without_any_embedding_is_recalled_by_every_word() -> None:
    """case D6: the term lane waits for no vector, before its index is committed or after."""
    recalls = holding("pin tokio", "serde at one")
    for _ in range(2):
        assert [recalls.found(word) for word in ("pin", "tokio", "serde", "at", "one")] == [[1], [1], [2], [2], [2]]
        recalls.follower.commit()


def test_no_other_form_of_a_word_is_found() -> None:
    """T3: the caller sends the forms, and each is a term."""
    recalls = holding("a token", "many tokens", "tokenize it", "pretoken")
    assert recalls.found("token") == [1]
    assert sorted(recalls.found("token", "tokens")) == [1, 2]


@pytest.mark.parametrize("term", ["configuracao", "CONFIGURAÇÃO", "configurac\u0327a\u0303o", "ｃonfiguração"])
def test_accents_case_and_width_fold_on_both_sides(term: str) -> None:
    """T4: however it was written and however it is asked."""
    recalls = holding("a configuração", "CONFIGURACAO", "Configurac\u0327a\u0303o!", "configure")
    assert sorted(recalls.found(term)) == [1, 2, 3]


@pytest.mark.parametrize(
    "term",
    ['"pin" AND tokio*', "pin NOT tokio", "content:pin tokio", "pin^2 tokio~", "(pin tokio)", "pin\0tokio", "pin\ntokio\r"],
)
def test_text_is_never_syntax(term: str) -> None:
    """T6: operators are words or separators, never instructions to an engine."""
    recalls = holding("pin tokio and not content 2")
    assert recalls.ask(term)["outcome"] in ("grounded", "abstain")
    assert recalls.found("tokio*") == recalls.found('"tokio') == recalls.found("-tokio") == [1]


def test_a_nonsense_word_finds_nothing() -> None:
    """case G1: there is no nearest neighbour to make up for it."""
    recalls = holding("pin tokio at 1.38", "serde and more")
    answer = recalls.ask("xyzzyplugh")
    assert (answer["outcome"], answer["results"], answer["matched"]) == ("abstain", [], 0)


def test_a_nonsense_term_beside_a_real_one_changes_only_what_it_must() -> None:
    """case G1, O12: the real one grounds, and the support says that half is missing."""
    recalls = holding("pin tokio", "serde")
    (result,) = recalls.ask("serde", "xyzzyplugh")["results"]
    assert (result["matched_terms"], result["relevance"]) == (["serde"], 1)
    assert result["support"] < 0.5


def test_a_word_inside_an_unspaced_run_abstains_with_its_limit() -> None:
    """T5, case A1: and NAS, outside the run, is found."""
    recalls = holding("设备清单(devices) NAS")
    answer = recalls.ask("设备")
    assert answer["outcome"] == "abstain"
    assert '"设备": an unspaced script' in answer["reason"]
    assert recalls.found("nas") == recalls.found("设备清单") == recalls.found("devices") == [1]


def test_an_alias_or_spaced_text_grounds_what_lies_inside_a_run() -> None:
    """T7, case A1: the two ways out that the abstention names both work."""
    recalls = holding("设备清单(devices) NAS")
    recalls.teach("设备", "设备清单")
    (result,) = recalls.ask("设备")["results"]
    assert (result["id"], result["matched_terms"], result["relevance"]) == ("cap-1", ["alias:设备清单"], 1)
    recalls.remember("设备 清单")
    assert sorted(recalls.found("设备")) == [1, 2]


def test_an_alias_is_directed_and_goes_one_step() -> None:
    """T7: what car means says nothing of what auto means, and the alias of an alias is not tried."""
    recalls = holding("a car", "an auto", "a vehicle")
    recalls.teach("car", "auto")
    recalls.teach("auto", "vehicle")
    assert sorted(recalls.found("car")) == [1, 2]
    assert sorted(recalls.found("auto")) == [2, 3]
    assert recalls.found("vehicle") == [3]


def test_an_alias_is_keyed_by_the_folded_term() -> None:
    """T7, T4: taught in one spelling, asked in another, and never for a part of the term."""
    recalls = holding("garbage collection")
    recalls.teach("GC Pausé", "garbage collection")
    assert recalls.found("gc, pause!") == [1]
    assert recalls.found("gc") == recalls.found("pause gc") == []


def test_a_term_counts_once_however_many_aliases_hit() -> None:
    """T7, L6: a second term found beats a first found three ways."""
    recalls = holding("car auto vehicle", "car wheel")
    recalls.teach("car", "auto", "vehicle")
    first, second = recalls.ask("car", "wheel")["results"]
    assert (first["id"], first["relevance"]) == ("cap-2", 2)
    assert (second["id"], second["relevance"], second["matched_terms"]) == ("cap-1", 1, ["car", "alias:auto", "alias:vehicle"])


def test_coverage_ranks_before_any_score() -> None:
    """L6: two common terms found beat one rare one."""
    recalls = holding(*["a b filler"] * 5, "rare rare rare")
    assert recalls.found("a", "b", "rare")[-1] == 6


def test_texts_that_score_alike_are_ordered_by_their_capsules() -> None:
    """L6: weight, then validity, then append order."""
    recalls = Recalls()
    recalls.remember("tokio", validity=Validity(NOON - days(90)), confidence=0.8)
    recalls.remember("tokio", validity=Validity(NOON), confidence=0.4)
    recalls.remember("tokio", "tokio", validity=Validity(NOON), confidence=0.5)
    assert recalls.found("tokio") == [3, 4, 2, 1]


def test_bm25_counts_every_unforgotten_capsule_eligible_or_not() -> None:
    """L17: what may not ground still tells how rare a word is."""
    recalls = holding("tokio a", "tokio b", "serde c", "serde d")
    before = recalls.ask("serde")["results"][0]["bm25"]
    recalls.write(stands(3, Op.ARCHIVED, archived_at=NOON))
    assert recalls.found("serde") == [4]
    assert recalls.ask("serde")["results"][0]["bm25"] == before


def test_the_score_does_not_depend_on_fences() -> None:
    """L17: N, df and lengths are the destination's, whatever the caller narrows to."""
    recalls = Recalls()
    recalls.remember("tokio pin", labels=labels(project_id="nott"))
    recalls.remember("tokio", "serde")
    wide, narrow = (recalls.ask("pin", fences=fences)["results"] for fences in ([], [below("nott")]))
    assert wide == narrow != []


def test_a_destination_that_does_not_exist_is_refused_by_name() -> None:
    """O6: an outcome is never an error, and an error never an outcome."""
    recalls = holding("tokio")
    with pytest.raises(MissingState) as refused:
        recalls.ask("tokio", destination="elsewhere")
    assert refused.value.kind is StateKind.UNKNOWN_DESTINATION


def test_results_name_the_terms_that_found_them() -> None:
    """O4: in the caller's order and spelling."""
    recalls = holding("beta alpha")
    assert recalls.ask("gamma", "BETA!", "Alpha")["results"][0]["matched_terms"] == ["BETA!", "Alpha"]
    assert shown(recalls.ask("gamma")) == []
