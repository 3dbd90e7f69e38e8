"""Portuguese phrases of instruction-shaped text (W2), without their accents."""

from recordance.domain.phrase import TaintShape, phrase
from recordance.domain.phrases.giving import give_away

_DROPS = "ignore ignora ignorar ignorem desconsidere desconsidera desconsiderar esqueca esquece esquecer desobedeca descarte"
_DROP = "ignor(?:e|a|ar|em)|desconsider(?:e|a|ar)|esque(?:ca|ce|cer)|desobedeca|descarte"
_ORDERS = "instrucao|instrucoes|regras|ordens|orientacoes|diretrizes|comandos|prompts?"
_USER = "usuario|utilizador|humano|operador|dono"

PHRASES = (
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        rf"({_DROP}) ~3 ({_ORDERS}) 2*(\.|que|de|do|a|o) "
        "(anterior(?:es)?|previ[ao]s|acima|precedentes|originais|original|iniciais|inicial|sistema|recebeu|recebidas|dadas)",
    ),
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        f"({_DROP}) ~2 (suas|tuas|teu|seu|anteriores) ?(proprias|proprio) ({_ORDERS}|restricoes)",
    ),
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        "(esqueca|esquece|ignore|ignora|desconsidere) (tudo|o) ~4 (acima|instruido|ensinaram|programado)",
    ),
    give_away(
        "@ (envi(?:e|a|ar)|mand(?:e|a)|encaminhe|publique|poste|vaze|compartilhe|suba|copie|transfira)",
        "senhas?|credencia(?:is|l)|chaves?|segredos?|tokens?|dados_(?:pessoais|d[oe]s?_(?:clientes|usuarios))|"
        "(?:base|banco)_de_dados_d[oe]s?_(?:clientes|usuarios)|historico",
        "para|ao?|em|no|na|pelo",
        "envie envia enviar mande manda encaminhe publique poste vaze compartilhe suba copie transfira",
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "envie envia enviar mande manda encaminhe publique poste vaze compartilhe revele divulgue",
        "(envi(?:e|a|ar)|mand(?:e|a)|encaminhe|publique|poste|vaze|compartilhe|revele|divulgue) ~2 "
        "(tod[ao]s|suas?|seus?|qualquer|tuas?) ~3 "
        "(senhas?|credencia(?:is|l)|chaves?|segredos?|tokens?|dados_pessoais|conversas?|historico|memorias?) ~6 "
        "(para|ao?|em|no) ~4 (https?|www|mim|email|url|webhook|com|net|atacante|extern[oa]|seguinte)",
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "revele mostre imprima repita divulgue",
        "(revele|mostre|imprima|repita|divulgue) ~1 (seu|teu|suas|tuas) ~1 (prompt|instrucoes) ?(de|do) "
        "?(sistema|internas|secretas|ocultas)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "diga conte informe avise mencione revele comunique fale mostre",
        "(nao|nunca|jamais) (diga|conte|informe|avise|mencione|revele|comunique|fale|mostre) "
        f"(ao?_(?:{_USER})_(?:sobre_)?(?:isso|disso|disto|isto|nada|est[ae]s?|dess[ae]s?)|"
        f"o_(?:{_USER})_(?:sobre_)?(?:isso|disso|disto|isto|nada)|"
        rf"(?:isso|isto|nada|nada_disso|sobre_isso|est[ae]s?_\S+)_(?:ao?|para_o)_(?:{_USER})|"
        "(?:isso_|isto_)?(?:a|para)_ninguem|ninguem)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "avisar informar contar",
        f"@ (envie|apague|exclua|delete|execute|transfira|instale|faca|mande|rode|aprove) ~8 sem (avisar|informar|contar) ~2 "
        f"({_USER}|ninguem)",
    ),
    phrase(TaintShape.AUTHORITY, "partir", "a_partir_de_agora ?(voce|tu) (deve|vai|sera|e|obedeca|responda|ira|so)"),
    phrase(TaintShape.AUTHORITY, "novas", r"novas_instrucoes (do_sistema|para_voce|\.)"),
    phrase(TaintShape.AUTHORITY, "agora", "(voce|tu) agora (e|es) (um|uma|o|a|meu|minha|livre|administrador|root|sem)"),
    phrase(
        TaintShape.TRUST,
        "confie",
        "(sempre_confie|confie_sempre|confie_totalmente|confie_cegamente|confie_plenamente) ?(em|no|na) "
        "(nest[ae]s?|mim|est[ae]s?|tudo|quem)",
    ),
    phrase(
        TaintShape.TRUST,
        "sem",
        "@ (execute|siga|aceite|aprove|obedeca) ~4 sem (revisao|questionar|perguntar|verificar|confirmacao|hesitar)",
    ),
)
