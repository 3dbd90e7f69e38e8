"""The terms of a question, as a caller without a model would send them: its words, each a term of its own, without stop words.

The lists are short and ours: articles, pronouns, prepositions, auxiliaries, question words, and what is left of contractions
("don't" → "don", "t"). They are written as they fold. Languages without a list keep all their words.
"""

from __future__ import annotations

from recordance.query.folding import fold_words
from recordance.query.terms import MAX_TERMS

STOP_WORDS = {
    "en": """
        a about after all also am an and any are as at be been before being but by can could d did do does doing don for from
        had has have having he her hers him his how i if in into is isn it its just ll m may me might mine more most my no nor
        not of off on once one or our out over own re s shall she should so some such t than that the their them then there
        these they this those through to too under up us ve very was we were what when where which while who whom whose why
        will with would you your
        didn doesn hadn hasn haven wasn weren won wouldn couldn shouldn aren
    """,
    "es": """
        a al algo ante como con cual cuales cuando cuanta cuantas cuanto cuantos de del desde donde durante e el ella ellas
        ellos en entre era eran es esa ese eso esta estaba estan estas este esto estos fue fueron ha habia han hasta hay la las
        le les lo los mas me mi muy ni no nos o para pero por porque que quien quienes se segun ser si sido sin sobre son su
        sus tambien tiene tienen tenia un una unas uno unos y ya
    """,
    "pt": """
        a ao aos as ate com como da das de dela dele deles depois do dos e ela elas ele eles em entre era eram essa esse esta
        estao estas este estes foi foram ha isso isto ja la lhe mais mas me mesmo muito na nas nem no nos o onde os ou para
        pela pelas pelo pelos por porque qual quais quando quanta quantas quanto quantos que quem se sem ser seu seus sua suas
        sao sobre tambem tem tinha um uma umas uns
    """,
    "hi": """
        का के की को ने में से पर और है हैं था थे थी यह वह ये वे इस उस एक क्या कौन कब कहाँ कहां कैसे कितने कितनी कितना किस किसने
        किसके किसकी किसका किसे जो तो भी ही हो लिए द्वारा गया गई गए कर करने किया थी तक साथ या अपने अपनी
    """,
}
_STOPPED = {language: frozenset(fold_words(words)) for language, words in STOP_WORDS.items()}


def terms_of(question: str, language: str) -> list[str]:
    """Return the terms of a question; where nothing but stop words stands in it, these."""
    words = list(dict.fromkeys(fold_words(question)))
    stopped = _STOPPED.get(language, frozenset())
    return ([word for word in words if word not in stopped] or words)[:MAX_TERMS]
