"""Text services: words by their stem and words inside unspaced runs, each opted in to, and seen in what matched."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recordance.query.document import TermQuery
from recordance.query.exclusion import Eligibility
from recordance.query.fence import Scope
from recordance.query.folding import fold_words
from recordance.query.pipeline import Stage
from recordance.query.terms import expand, read_question, read_terms
from recordance.query.text_services import PLAIN, TextServices, fragments_of, is_marked
from recordance.usecases.term_lane import Corpus, term_lane
from recordance_adapters.bootstrap.text import text_services_of
from recordance_adapters.text_section import Language, TextSettings
from support.documents import REPLICAS, adopted
from support.pipelines import asked, numbers, run, stage
from support.recalls import Recalls, fenced, shown
from support.truths import NOON

STEMS = text_services_of(TextSettings(inflection=Language.ENGLISH))
RUNS = text_services_of(TextSettings(segmentation=True))
BOTH = text_services_of(TextSettings(inflection=Language.ENGLISH, segmentation=True))


@pytest.fixture(params=REPLICAS)
def replica(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[object]:
    with adopted(request.param, tmp_path) as replica:
        yield replica


def store(replica: object, services: TextServices, *contents: str) -> Recalls:
    """A store with these contents, half of them in its replica and half in the overlay above it."""
    recalls = Recalls(replica=replica, services=services)
    half = len(contents) // 2
    recalls.remember(*contents[:half])
    recalls.follower.commit()
    recalls.remember(*contents[half:])
    return recalls


def matched(recalls: Recalls, *terms: str) -> list[list[str]]:
    return [result["matched_terms"] for result in recalls.ask(*terms)["results"]]


TOKENS = ("the token expires", "tokens are refreshed", "a broken lock", "tokens tokens tokens")


def test_an_inflected_word_is_found_by_its_stem_and_says_so(replica: object) -> None:
    """T9: what matches only by its stem is shown as such, and ranks after exact matches however often it stands there."""
    recalls = store(replica, STEMS, *TOKENS)
    answer = recalls.ask("token")
    assert shown(answer) == [1, 4, 2]
    assert [result["matched_terms"] for result in answer["results"]] == [["token"], ["stem:token"], ["stem:token"]]


def test_without_inflection_a_word_matches_itself_alone(replica: object) -> None:
    """T3, T9: a store that has not opted in finds no form of a word."""
    assert store(replica, PLAIN, *TOKENS).found("token") == [1]


def test_more_terms_covered_by_stems_stand_above_fewer_matched_exactly(replica: object) -> None:
    """T9, L6: coverage comes first, and only at the same coverage do exact matches stand before stems."""
    recalls = store(replica, STEMS, "token", "tokens expired", "token expires", "expire tokens tokens")
    assert recalls.found("token", "expires") == [3, 2, 4, 1]
    assert matched(recalls, "token", "expires")[0] == ["token", "expires"]


def test_an_exact_match_scores_as_if_there_were_no_services(replica: object) -> None:
    """T9, L17: a term that its own words match adds no stem to its BM25."""
    plain, served = Recalls(), store(replica, BOTH, *TOKENS)
    plain.remember(*TOKENS)
    assert served.ask("token")["results"][0]["bm25"] == plain.ask("token")["results"][0]["bm25"]


RUN = ("検索エンジンの設定", "設定", "エンジン", "検索とエンジン")


def test_a_word_inside_a_run_is_found_once_a_store_opts_in(replica: object) -> None:
    """T5: its pairs stand in the run; what stands alone comes first."""
    assert store(replica, RUNS, *RUN).found("エンジン")[0] == 3
    assert sorted(store(Recalls().replica, RUNS, *RUN).found("エンジン")) == [1, 3, 4]
    assert matched(store(Recalls().replica, RUNS, *RUN), "設定") == [["設定"], ["segment:設定"]]


def test_without_segmentation_a_run_matches_as_a_whole(replica: object) -> None:
    """T5: nothing inside a run is found, and the abstention names the limit."""
    recalls = store(replica, PLAIN, *RUN)
    assert recalls.found("エンジン") == [3]
    assert "whole runs" in recalls.ask("定の")["reason"]
    reason = store(Recalls().replica, RUNS, *RUN).ask("検定")["reason"]
    assert "whole runs" not in reason
    assert "inside unspaced runs" in reason


KOREAN = ("검색 엔진의 설정은 config에 있다", "PostgreSQL을 사용한다", "설정 완료", "config")


def test_a_korean_word_is_found_with_a_particle_behind_it(replica: object) -> None:
    """T5: and so is a word of another script that Korean writes in one with its particle; what stands alone comes first."""
    recalls = store(replica, RUNS, *KOREAN)
    assert recalls.found("설정") == [3, 1]
    assert matched(recalls, "설정") == [["설정"], ["segment:설정"]]
    assert matched(recalls, "PostgreSQL") == [["segment:PostgreSQL"]]
    assert recalls.found("config") == [4, 1]
    assert recalls.found("설정 config") == [1]
    assert recalls.found("설계") == []
    assert store(Recalls().replica, PLAIN, *KOREAN).found("postgresql") == []


FORMS = {
    Language.PORTUGUESE: ("As configurações ficam no servidor", "configuração", "configuracoes", "CONFIGURAÇÃO"),
    Language.TURKISH: ("Işıklar kapatıldı", "ışık", "ISIK", "ışıkları"),
    Language.GERMAN: ("Die Häuser stehen leer", "Haus", "HAUSER", "Häusern"),
    Language.GREEK: ("Τα κλειδιά του υπολογιστή", "κλειδί", "ΚΛΕΙΔΙ", "κλειδιού"),
    Language.RUSSIAN: ("Ёлки стоят во дворе", "ёлка", "ЕЛКА", "елку"),
    Language.ARABIC: ("المعلمون في المدرسة", "معلم", "مُعَلِّم", "معلمين"),
    Language.SPANISH: ("Las canciones de los niños", "canción", "CANCION", "niño"),
}


@pytest.mark.parametrize("language", FORMS)
def test_forms_come_to_one_stem_whatever_folding_took_from_them(language: Language) -> None:
    """T9, T4: the stemmers know written words, and what they are given has lost its marks."""
    content, *asked = FORMS[language]
    recalls = store(Recalls().replica, text_services_of(TextSettings(inflection=language)), "", content)
    for word in asked:
        assert matched(recalls, word) in ([[f"stem:{word}"]], [[word]]), word


def test_a_single_character_and_a_mixed_term_are_looked_for_inside_runs(replica: object) -> None:
    """T5, T2: all words of a term must be there, spaced ones as they are."""
    recalls = store(replica, BOTH, "itgc后50条", "设计 itgc", "后 itgc")
    assert sorted(recalls.found("后")) == [1, 3]
    assert recalls.found("条") == [1]
    assert recalls.found("itgc 计") == [2]


def test_an_abstention_does_not_claim_that_words_match_exactly_where_stems_do(replica: object) -> None:
    """O1, T9: the advice fits the store."""
    assert "by their stem" in store(replica, STEMS, *TOKENS).ask("absent")["reason"]
    assert "Words match exactly:" in store(Recalls().replica, PLAIN, *TOKENS).ask("absent")["reason"]


def asked_labels(*words: str, taught: str = "") -> list[list[str]]:
    """Return the labels of each term that a question of these words comes to, where runs are cut."""
    aliases = {taught: [("alias", ("alias",))]} if taught else {}
    groups = RUNS.asked(expand(read_question(" ".join(words)), aliases))
    return [[way.label for way in group.alternatives] for group in groups]


def test_a_run_of_a_question_is_asked_for_by_its_pairs() -> None:
    """T5: it is a sentence, and no content has all of it; each pair is a term of its own, once."""
    pairs = [["segment:検索"], ["segment:索を"], ["segment:を設"], ["segment:設定"]]
    assert asked_labels("検索を設定") == pairs
    assert asked_labels("検索を設定", "検索を設定", "検索を") == pairs


def test_what_is_short_or_spaced_stays_whole_in_a_question() -> None:
    """T3, T5: a word, a run of two characters, a Korean word; a pair that is asked for by itself is not asked for twice."""
    assert asked_labels("tokio") == [["tokio", "segment:tokio"]]
    assert asked_labels("設定", "検設定") == [["設定", "segment:設定"], ["segment:検設"]]
    assert asked_labels("설정을")[0][0] == "설정을"


def test_a_run_that_an_alias_is_taught_for_stays_beside_its_pairs() -> None:
    """T7, T5: an alias is of the whole of it."""
    assert asked_labels("検索を", taught="検索を") == [
        ["検索を", "alias:alias", "segment:検索を"],
        ["segment:検索"],
        ["segment:索を"],
    ]


def test_without_segmentation_a_question_asks_for_whole_runs() -> None:
    """T5: a store opts in to more."""
    groups = expand(read_question("検索を設定"), {})
    assert PLAIN.asked(groups) == groups
    assert [way.label for way in STEMS.asked(groups)[0].alternatives] == ["検索を設定", "stem:検索を設定"]


def test_a_long_question_in_an_unspaced_script_finds_what_shares_words_with_it(replica: object) -> None:
    """T5, L10: what shares most of it comes first; without the service it finds nothing."""
    texts = ("データベースと設定", "検索の遅さ", "サーバーを再起動する")
    cut, whole = store(replica, RUNS, *texts), store(Recalls().replica, PLAIN, *texts)
    question = asked("検索の設定はどこですか")
    assert numbers(run(cut.destinations.reading(fenced(), None), question)) == [2, 1]
    found = run(whole.destinations.reading(fenced(), None), question)
    assert numbers(found) == []
    assert "[text] segmentation" in stage(found, Stage.TERM).why
    assert stage(run(cut.destinations.reading(fenced(), None), question), Stage.TERM).why == ""
    assert stage(run(whole.destinations.reading(fenced(), None), asked("tokio 設定")), Stage.TERM).why == ""


def test_marked_words_stand_in_no_text() -> None:
    """T6: whoever writes the control characters of a mark writes separators."""
    marked = BOTH.extras(["tokens", "検索"])
    assert marked
    assert all(map(is_marked, marked))
    assert not any(is_marked(word) for text in marked for word in fold_words(text))


@pytest.mark.parametrize(
    ("word", "pieces"), [("token", ()), ("検索", ("検", "索", "検索")), ("ไทย", ("ไ", "ท", "ย", "ไท", "ทย")), ("38", ())]
)
def test_only_runs_are_cut(word: str, pieces: tuple[str, ...]) -> None:
    """T5: characters and overlapping pairs; words that spaces keep apart stay whole, Korean particles come off."""
    assert fragments_of(word) == pieces


def test_the_best_by_their_stem_are_known_without_reading_all(tmp_path: Path) -> None:
    """T9, L17: the engine's score bounds what matches by stem, and tells it from what matches exactly."""
    with adopted("tantivy", tmp_path) as replica:
        recalls = Recalls(replica=replica, services=BOTH)
        recalls.remember(*("tokens " + "word " * (number % 40) + f"w{number}" for number in range(300)), "a token w")
        recalls.remember(*(f"another v{number}" for number in range(400)))
        recalls.follower.commit()
        with recalls.follower.at_head() as view:
            groups = view.services.widened(expand(read_terms(["token", "w7"]), {}))
            query = TermQuery(groups=groups, scope=Scope(), eligibility=Eligibility(at=NOON))
            lane = term_lane(view, query, Corpus(view.reader.corpus(), Scope()), NOON)
            (both, exact, best) = lane.order(3)
            horizon = view.terms.proposals(query, 20, lane.weights).horizon
    assert [(each.number, each.coverage, each.inexact) for each in (both, exact)] == [(8, 2, 1), (301, 1, 0)]
    assert horizon is not None
    assert (horizon.coverage, horizon.inexact) == (best.coverage, best.inexact) == (1, 1)
    assert horizon.bm25 < best.bm25
