"""Spanish phrases of instruction-shaped text (W2), without their accents."""

from recordance.domain.phrase import TaintShape, phrase
from recordance.domain.phrases.giving import give_away

_DROPS = "ignora ignore ignoren ignorad ignorar olvida olvide olviden olvidar descarta desestima omiso sigas"
_DROP = "ignor(?:a|e|en|ad|ar)|olvid(?:a|e|en|ar)|descarta|desestima|haz_caso_omiso_de|no_sigas"
_ORDERS = "instruccion(?:es)?|reglas|ordenes|indicaciones|directrices|comandos|prompts?"
_USER = "usuari[oa]|humano|operador|dueno"

PHRASES = (
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        rf"({_DROP}) ~3 ({_ORDERS}) 3*(\.|que|de|del|se|te|has|han|lo) "
        "(anterior(?:es)?|previ[ao]s|precedentes|arriba|original(?:es)?|inicial(?:es)?|sistema|recibid[oa]s?|dado|recibiste)",
    ),
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        f"({_DROP}) ~2 (tus|sus|anteriores|previas) ?propias ({_ORDERS}|restricciones)",
    ),
    give_away(
        "@ (envi(?:a|e|ad|ar)|mand(?:a|e)|reenvia|publica|filtra|comparte|sube|copia|transfiere)",
        "contrasenas?|credenciales|claves?|secretos?|tokens?|datos_(?:personales|de_(?:los_)?(?:clientes|usuarios))|"
        "base_de_datos_de_(?:clientes|usuarios)|historial",
        "al?|para|en|hacia|por",
        "envia envie enviad enviar manda mande reenvia publica filtra comparte sube copia transfiere",
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "envia envie enviad enviar manda mande reenvia publica filtra comparte sube revela divulga",
        "(envi(?:a|e|ad|ar)|mand(?:a|e)|reenvia|publica|filtra|comparte|sube|revela|divulga) ~2 "
        "(tod[ao]s|tus?|sus?|cualquier) ~3 "
        "(contrasenas?|credenciales|claves?|secretos?|tokens?|datos_personales|conversacion(?:es)?|historial|memorias?) ~6 "
        "(al?|para|en|hacia|por) ~4 (https?|www|mi|correo|url|webhook|com|net|atacante|extern[oa]|siguiente)",
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "revela muestra imprime repite divulga",
        "(revela|muestra|imprime|repite|divulga) ~1 tus? ~1 (prompt|instrucciones) ?(de|del) (sistema|internas|secretas|ocultas)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "digas diga cuentes cuente informes informe avises avise menciones mencione reveles revele",
        "(no|nunca|jamas) 2*(se|le|les|lo) "
        "(digas|diga|cuentes|cuente|informes|informe|avises|avise|menciones|mencione|reveles|revele) "
        rf"((?:nada_)?(?:al?|a_la)_(?:{_USER})(?=_(?:sobre|de|nada|esto|eso|est[ae]s?|\.)(?![^_])|$)|"
        rf"(?:esto|eso|nada|est[ae]s?_\S+)_(?:al?|a_la)_(?:{_USER})|(?:esto_|nada_)?a_nadie)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "avisar informar decirle decirselo contarselo",
        "@ (envia|borra|elimina|ejecuta|transfiere|instala|haz|manda|aprueba) ~8 "
        f"sin (avisar|informar|decirle|decirselo|contarselo) ~2 ({_USER}|nadie)",
    ),
    phrase(
        TaintShape.AUTHORITY,
        "partir adelante",
        "(a_partir_de_ahora|de_ahora_en_adelante) ?tu (debes|eres|vas|seras|actuaras|responderas|obedeces|solo)",
    ),
    phrase(TaintShape.AUTHORITY, "nuevas", r"nuevas_instrucciones (del_sistema|para_ti|\.)"),
    phrase(TaintShape.AUTHORITY, "ahora", "ahora_eres (un|una|el|la|mi|libre|administrador|root)"),
    phrase(
        TaintShape.TRUST,
        "confia",
        "(confia_siempre|confia_ciegamente|confia_plenamente|siempre_confia) en (est[aeo]s?|mi|tod[oa]|quien)",
    ),
    phrase(
        TaintShape.TRUST,
        "sin",
        "@ (ejecuta|sigue|acepta|aprueba|obedece) ~4 sin (revision|preguntar|cuestionar|verificar|confirmacion|dudar)",
    ),
)
