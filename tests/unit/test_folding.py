"""Folding by example: what people type, in many scripts, and the words it becomes."""

import unicodedata

import pytest

from recordance.errors import InvalidArgument
from recordance.query.folding import fold_key, fold_words
from recordance.query.terms import Alternative, expand, read_term, read_terms

LATIN = [
    ("configuração", "configuracao"),
    ("Øresund ł đ", "oresund l d"),
    ("straße STRASSE ẞ", "strasse strasse ss"),
    ("æ œ Æ þ ð ı ħ ŋ", "ae oe ae th d i h ng"),
    ("Ǿre ǽ ƙasa Ⱥ ȷ", "ore ae kasa a j"),
    ("Tiếng Việt ệ", "tieng viet e"),
    ("İstanbul ISPARTA ılık İı", "istanbul isparta ilik ii"),
    ("ﬁle ﬂow ﬃ", "file flow ffi"),
    ("ｆｕｌｌ　ＷＩＤＴＨ１２", "full width12"),
    ("x² H₂O ½ ① Ⅷ ⅳ", "x2 h2o 1 2 1 viii iv"),
    ("½kg 10€ 50% №5", "1 2kg 10 50 no5"),
    ("𝐁𝐨𝐥𝐝 𝒇 1️⃣", "bold f 1"),
    ("ǅ ǆ Ǆ ŉ", "dz dz dz ʼn"),
    ("O’Neill d’être l'été l´été", "o neill d etre l ete l ete"),
    ("x̣́ ạ́", "x a"),
]
MARKS_ARE_LETTERS = [
    ("Αθήνα ς Σ ϊ ΐ", "αθήνα σ σ ϊ ΐ"),
    ("й ё Ёлка Киïв ї", "й ё ёлка киiв ї"),
    ("ｶﾀｶﾅ カタカナ ガ か が", "カタカナ カタカナ ガ か が"),
    ("한국어 검색", "한국어 검색"),
    ("हिन्दी में खोज क्षेत्र", "हिन्दी में खोज क्षेत्र"),
    ("বাংলা ভাষা தமிழ்", "বাংলা ভাষা தமிழ்"),
    ("العَرَبِيَّة مُحَمَّد محمد", "العَرَبِيَّة مُحَمَّد محمد"),
    ("שָׁלוֹם שלום", "שָׁלוֹם שלום"),
]
RUNS = [
    ("设备清单(devices) NAS", "设备清单 devices nas"),
    ("重跑gen-itgc后50条", "重跑 gen itgc 后 50 条"),
    ("日本語text混在 foo日本", "日本語 text 混在 foo 日本"),
    ("検索エンジン、日本語。", "検索エンジン 日本語"),
    ("々〆ヶ月 ㄅㄆ注音12", "々〆ヶ月 ㄅㄆ注音 12"),
    ("ภาษาไทย การค้นหา", "ภาษาไทย การค้นหา"),
    ("ใช้tokio2รุ่น ปี๒๕๖๐", "ใช้ tokio2 รุ่น ปี ๒๕๖๐"),
    ("ພາສາລາວlao ສະບາຍດີ໑", "ພາສາລາວ lao ສະບາຍດີ ໑"),
    ("ភាសាខ្មែរkhmer ខ្មែរ១២", "ភាសាខ្មែរ khmer ខ្មែរ ១២"),
    ("ไทย日本ລາວខ្មែរ", "ไทย 日本 ລາວ ខ្មែរ"),
]
ACCENTED = ["café", "résumé", "naïve", "piñata", "über", "señor", "façade", "crème", "jalapeño", "Zürich", "ﬁne", "ｆｕｌｌ"]
NO_SYNTAX = [
    ("don't use agents", "don t use agents"),
    ("pre-edit multi-agent ask-codex", "pre edit multi agent ask codex"),
    ('"--error-on-warnings"', "error on warnings"),
    (r"C:\repo\src\main.py", "c repo src main py"),
    ("some/path/file Cruise / En route a|b", "some path file cruise en route a b"),
    ("title:foo AND (bar OR NOT baz*)", "title foo and bar or not baz"),
    ("a\0b\x01c\x7fd\u2028e", "a b c d e"),
    ("foo_bar v1.38.0 user@example.com", "foo bar v1 38 0 user example com"),
    ("C++ C# .NET", "c c net"),
    ("a😀b 👍🏽 👨‍👩‍👧 text", "a b text"),
    ("\ud800lone\udfff", "lone"),
]


@pytest.mark.parametrize(("text", "words"), LATIN)
def test_latin_letters_lose_case_marks_and_width(text: str, words: str) -> None:
    """T4: what a keyboard without the mark types finds what was written with it."""
    assert " ".join(fold_words(text)) == words


@pytest.mark.parametrize(("text", "words"), MARKS_ARE_LETTERS)
def test_marks_that_are_part_of_the_letter_stay(text: str, words: str) -> None:
    """T4: in these scripts a mark tells words apart, and none of them splits a word."""
    assert " ".join(fold_words(text)) == words


@pytest.mark.parametrize(("text", "words"), RUNS)
def test_unspaced_scripts_are_whole_runs_that_end_where_another_begins(text: str, words: str) -> None:
    """T5, case A1, case A2: "itgc" stands alone in a Chinese sentence, and a word inside a run does not."""
    assert " ".join(fold_words(text)) == words


@pytest.mark.parametrize(("text", "words"), NO_SYNTAX)
def test_whatever_is_no_letter_separates_and_nothing_is_syntax(text: str, words: str) -> None:
    """T6, case B1, case B2, case B4, case B6: quotes, operators, wildcards and NUL are text or separators."""
    assert " ".join(fold_words(text)) == words


@pytest.mark.parametrize("word", ACCENTED)
def test_a_word_is_found_in_every_normal_form(word: str) -> None:
    """T4, case A5: composed, decomposed and compatibility forms of a word are one word."""
    forms = {form: fold_words(unicodedata.normalize(form, word)) for form in ("NFC", "NFD", "NFKC", "NFKD")}
    assert all(folded == fold_words(word) for folded in forms.values()), forms
    assert fold_words(word)[0].isascii()


@pytest.mark.parametrize("word", ["用", "用户", "数据库", "d", "db", "dbx"])
def test_short_words_are_words(word: str) -> None:
    """T3, case A4: one, two and three characters are found alike."""
    assert fold_words(f"({word})") == [word]


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200b", "\u200d", "\u2060\ufe0f", "\u200e"])
def test_what_cannot_be_seen_does_not_tell_words_apart(unseen: str) -> None:
    """T4: nobody can type a joiner on purpose, or know that one is there."""
    assert fold_words(f"soft{unseen}hyphen") == ["softhyphen"]


def test_a_mark_composes_across_an_invisible_character() -> None:
    """T4: what looks the same is the same."""
    assert fold_words("か\u200d\u3099") == fold_words("が")


@pytest.mark.parametrize("text", ["", " ", "!?", "...", "\0", "😀", "\u0301", "ㅤ", "--", "_", "\ud800"])
def test_a_term_without_letter_or_digit_is_refused_with_what_to_send(text: str) -> None:
    """T1, case B9: it could never match, and an empty answer would not say so."""
    with pytest.raises(InvalidArgument) as refused:
        read_terms(["tokio", text])
    assert refused.value.field == "terms[1]"
    assert "at least one term" in str(refused.value)


def test_no_term_at_all_is_refused() -> None:
    """T1: a recall needs something to look for."""
    with pytest.raises(InvalidArgument):
        read_terms([])


def test_terms_that_fold_to_the_same_words_are_one() -> None:
    """T1: coverage counts what was asked, not how often it was spelled."""
    terms = read_terms(["Configuração", "configuracao", "CONFIGURAÇÃO!", "other"])
    assert [term.text for term in terms] == ["Configuração", "other"]


def test_a_term_keeps_its_distinct_words_and_its_whole_key() -> None:
    """T2, T7: words are AND-ed once each; the key that aliases hang on is the whole folded term."""
    term = read_term("to be or not to be", "terms[0]")
    assert term.words == ("to", "be", "or", "not")
    assert term.key == fold_key("To be, or not to be?") == "to be or not to be"


def test_expansion_goes_one_step_and_names_the_alias() -> None:
    """T7: an alias of an alias is not followed."""
    taught = {"k8s": [("Kubernetes", ("kubernetes",))], "kubernetes": [("container platform", ("container", "platform"))]}
    (group,) = expand(read_terms(["K8s"]), taught)
    assert group.alternatives == (Alternative("K8s", ("k8s",)), Alternative("alias:Kubernetes", ("kubernetes",)))
