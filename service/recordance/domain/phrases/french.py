"""French phrases of instruction-shaped text (W2), without their accents."""

from recordance.domain.phrase import TaintShape, phrase
from recordance.domain.phrases.giving import give_away

_DROP = (
    "ignor(?:e|es|ez|er)|oubli(?:e|es|ez|er)|neglig(?:e|ez|er)|outrepass(?:e|ez|er)|meprise[zr]?|contourn(?:e|ez|er)|"
    "ne_(?:tiens|tenez|tenir)_(?:pas|plus|aucun)_compte|ne_(?:suis|suivez)_(?:pas|plus)|fai(?:s|tes)_abstraction|"
    "(?:desobeis|desobeissez)"
)
_DROPS = (
    "ignore ignores ignorez ignorer oublie oublies oubliez oublier neglige negligez negliger outrepasse outrepassez outrepasser "
    "meprise meprisez mepriser contourne contournez contourner compte suis suivez abstraction desobeis desobeissez"
)
_ORDERS = "instructions?|consignes?|directives?|regles?|ordres?|prompts?|indications"
_USER = "utilisat(?:eur|rice)|usager|humain|operateur|proprietaire"

PHRASES = (
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        rf"({_DROP}) !(pas|jamais) ~3 ({_ORDERS}) 3*(\.|que|qui|de|du|des|t|vous|tu|as|avez|ont|ete|on|a) "
        "(precedent(?:e?s?)|anterieure?s?|ci_dessus|plus_haut|initiales?|d_origine|originales?|systeme|recu(?:es?)?|donne(?:es?)?)",
    ),
    phrase(TaintShape.OVERRIDE, _DROPS, f"({_DROP}) !(pas|jamais) ~2 (precedentes|anciennes|presentes) ({_ORDERS})"),
    phrase(TaintShape.OVERRIDE, _DROPS, f"({_DROP}) !(pas|jamais) ~2 (tes|vos) ?(propres) ({_ORDERS}|restrictions)"),
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        f"({_DROP}) !(pas|jamais) ?de ?tout ce_(?:qui|que|qu_on) ~4 (precede|ci_dessus|dit|avant|appris|ordonne|plus_haut)",
    ),
    give_away(
        "@ (envoie[sz]?|envoyez|transmets|transmettez|transfere[zr]?|publie[zr]?|poste[zr]?|televerse[zr]?|partage[zr]?|"
        "copie[zr]?)",
        "mots?_de_passe|secrets?|identifiants|cles?_(?:api|privees?|ssh|secretes?|d_acces)|cles?|jetons?|tokens?|"
        "(?:donnees|base_de_donnees)_(?:des_)?(?:clients|utilisateurs|personnelles)|historique",
        "au?|aux|vers|sur|par|chez",
        "envoie envoies envoiez envoyez transmets transmettez transfere transferez transferer publie publiez publier poste "
        "postez poster televerse televersez televerser partage partagez partager copie copiez copier",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "dis dites parle parlez mentionne mentionnez informe informez revele revelez",
        "(n|ne) ?(en|le|lui|l) (dis|dites|parlez?|mentionnez?|informez?|revelez?) (pas|rien|jamais|surtout_pas) "
        f"?(cela|ceci|ca) ((?:au|a_l|l|a_la)_(?:{_USER})|a_personne)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "prevenir avertir informer",
        f"@ (envoie|envoyez|supprime[zr]?|efface[zr]?|execute[zr]?|lance[zr]?|installe[zr]?|fais|faites|modifie[zr]?) ~8 "
        f"sans ?en (prevenir|avertir|informer) ~1 ({_USER}|personne)",
    ),
)
