"""German phrases of instruction-shaped text (W2), without their accents."""

from recordance.domain.phrase import TaintShape, phrase
from recordance.domain.phrases.giving import give_away

_FORMER = "vorherigen?|vorigen|bisherigen?|fruheren?|obigen?|vorangegangenen|vorhergehenden|ursprunglichen|deine"
_ORDERS = "anweisung(?:en)?|instruktion(?:en)?|regeln|vorgaben|befehle|richtlinien|prompts?|systemprompts?"
_USER = "benutzer|nutzer|anwender|user|betreiber|besitzer"

PHRASES = (
    phrase(
        TaintShape.OVERRIDE,
        "ignoriere ignoriert ignorieren vergiss vergesst missachte missachtet ubergehe verwirf",
        f"(ignorier(?:e|t|en)|vergiss|vergesst|missachtet?|ubergehe|verwirf) ~3 ({_FORMER}) 2*(und|alle|alles|system|internen) "
        f"({_ORDERS}) !(nicht|nie|niemals)",
    ),
    phrase(
        TaintShape.OVERRIDE,
        "ignorieren vergessen missachten",
        f"({_FORMER}) ~1 ({_ORDERS}) ?(zu|sofort|jetzt|ab_sofort) (ignorieren|vergessen|missachten)",
    ),
    give_away(
        "@ (sende|schicke?|sendet|ubermittle|ubertrage|poste|leite|lade|teile|kopiere|maile|veroffentliche)",
        "passworter|passwort|kennworter|kennwort|zugangsdaten|geheimnisse?|(?:api|zugangs)_?schlussel|schlussel|api_keys?|tokens?|"
        "zugriffstokens?|(?:kunden|nutzer|benutzer)_?(?:daten|datenbank)|gesprachsverlauf",
        "an|auf|nach|zu|unter|in",
        "sende schicke schick sendet ubermittle ubertrage poste leite lade teile kopiere maile veroffentliche",
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "sende schicke schick sendet ubermittle ubertrage poste leite lade verrate teile",
        "(sende|schicke?|sendet|ubermittle|ubertrage|poste|leite|lade|verrate|teile) ~3 (alle|allen|deine|samtliche|jedes) ~2 "
        "(passworter|passwort|zugangsdaten|geheimnisse|schlussel|api_schlussel|tokens?|nutzerdaten|benutzerdaten|gesprache|"
        "gesprachsverlauf|unterhaltung(?:en)?|erinnerungen|daten) ~6 "
        "(an|auf|nach|zu|unter) ~4 (https?|www|mich|adresse|url|webhook|com|net|angreifer|externen?|folgenden?)",
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "systemprompt prompt systemanweisungen anweisungen",
        "(verrate|zeige|nenne|wiederhole|gib) ~2 deinen? ~1 (systemprompt|system_prompt|systemanweisungen|internen_anweisungen)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "sag sage erzahl erzahle verrate berichte teile",
        f"(sage?|erzahle?|verrate|berichte|teile) ?(dem|der|den|keinem) ({_USER}|menschen|niemandem|niemanden) "
        "(nichts|nicht|davon|hiervon|daruber|hieruber)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "erwahne verrate sage zeige melde",
        r"(erwahne|verrate|sage|zeige|melde) (dies|das|es|davon|diese_\S+) ~3 "
        rf"((?:nicht|nie|niemals)_(?:\S+_){{0,2}}(?:{_USER}|niemandem)|(?:{_USER})_(?:nicht|nie|niemals)|niemandem)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "informieren benachrichtigen bescheid",
        f"@ (sende|losche|fuhre|installiere|ubertrage|schicke|genehmige|andere) ~8 ohne ~2 ({_USER}) ~1 ?zu "
        "(informieren|benachrichtigen|bescheid)",
    ),
    phrase(
        TaintShape.AUTHORITY,
        "jetzt sofort nun",
        "(ab_jetzt|ab_sofort|von_jetzt_an|von_nun_an) "
        "((?:musst|bist|wirst|sollst|antwortest|darfst|gehorchst)_du|du_(?:musst|bist))",
    ),
    phrase(
        TaintShape.AUTHORITY,
        "jetzt nun sofort",
        "du_bist (jetzt|nun|ab_sofort) (ein|eine|der|die|mein|meine|kein|keine|administrator|root|frei)",
    ),
    phrase(
        TaintShape.AUTHORITY,
        "neue",
        r"neue_(?:systemanweisung(?:en)?|anweisungen|instruktionen) (fur_dich|vom_system|\.)",
    ),
    phrase(TaintShape.TRUST, "vertraue vertrau", "vertraue? (immer|blind|stets) (diese[mrn]|mir|dem_folgenden)"),
    phrase(
        TaintShape.TRUST,
        "vertraue vertrau",
        "vertraue? (diese[mrn]|mir|dem_folgenden) ~3 (blind|immer|vollstandig|bedingungslos|ohne)",
    ),
    phrase(
        TaintShape.TRUST,
        "ohne",
        "@ (fuhre|befolge|akzeptiere|genehmige|folge) ~5 ohne "
        "(prufung|ruckfragen?|nachfragen?|zu_fragen|bestatigung|uberprufung)",
    ),
)
