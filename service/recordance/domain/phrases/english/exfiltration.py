"""English orders to give data away (W2)."""

from recordance.domain.phrase import TaintShape, phrase
from recordance.domain.phrases.giving import COMMANDS, give_away, take_and_give_away

_SEND = "send|post|upload|forward|e_?mail|transmit|exfiltrate|leak|submit|deliver|copy|paste|share|ship"
_SENDS = "send post upload forward email mail transmit exfiltrate leak submit deliver copy paste share ship"
_WHOSE = "all|any|every|your|his|her|their|user_s|users|owner_s|whole|entire|full|stored|saved"
_SECRETS = (
    "secrets?|passwords?|passphrases?|credentials?|api_keys?|keys|tokens|private_keys?|ssh_keys?|env_vars?|env_file|"
    "environment_variables?|cookies|conversations?|chat_history|history|memory|memories|capsules|personal_data|user_data|private_data"
)
_OUTSIDE = (
    "https?|www|ftp|url|webhook|attacker|me|us|external|outside|pastebin|ngrok|gist|telegram|discord|com|net|org|ru|xyz|onion|"
    "(?:this|following)_(?:address|server|endpoint|email|site|url|host|number)"
)
# Of a secret, one word of sending and one address are enough: whose it is need not be said.
_GIVE = f"{_SEND}|mail|publish|relay|export|transfer|pipe|disclose|hand_over|pass_on"
_GIVES = f"{_SENDS} publish relay export transfer pipe disclose hand pass"
_PUT = "put|give|push|move|sync|report|text|dm|write|save|add|store|tell"
_KEY_OF = "api|private|secret|ssh|encryption|signing|master|root|admin|access|deploy|service_account|gpg|pgp|aws|host|openai"
_BEARER_OF = (
    "access|api|auth|authentication|bearer|refresh|session|oauth|github|personal_access|service|security|deploy|bot|npm|secret"
)
_GUARDED = (
    f"secrets?|passwords?|passwd|passphrases?|credentials?|apikeys?|(?:{_KEY_OF})_keys?|(?:{_BEARER_OF})_tokens?|"
    r"(?<=the\s)(?:keys?|tokens?)|(?<=(?:our|any|all)\s)(?:keys?|tokens?)|(?<=your\s)(?:keys?|tokens?)|"
    "env_(?:file|vars?|variables?)|environment_variables?|(?:session|auth|login)_cookies?|(?:seed|recovery)_(?:phrase|codes?)|"
    "(?:chat|conversation|message|browser)_(?:history|logs?)|(?:this|our|the|whole|entire|full)_conversation|"
    "(?:customer|user|users|client|patient|employee|personal|private|payroll)_?s?_(?:data|database|db|records|details|"
    "information|data_?base_dump|database_dump)|card_numbers|ssh_(?:folder|directory|config)|system_prompt|memories"
)
_TO = "to|onto|into|over_to"
_THAT = (
    "(?:it|them|this|that|these|those|everything|all_of_it|(?:the|its|their)_(?:contents?|values?|outputs?|results?|files?|text))"
    "(?:_(?:back|over|along|straight|all))?"
)

PHRASES = (
    give_away(f"> ({_GIVE})", _GUARDED, _TO, _GIVES),
    give_away(
        f"> ({_PUT})",
        _GUARDED,
        _TO,
        "secret secrets password passwords passphrase credential credentials apikey apikeys key keys token tokens ssh env",
    ),
    take_and_give_away(
        "@ (read|open|cat|print|take|collect|gather|find|get|grab|fetch|extract|dump|copy|zip|list|look_up|encode|run|search)",
        _GUARDED,
        f"({_GIVE}) ({_THAT})",
        _TO,
        _GIVES,
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "password passwords credentials key keys token tokens",
        f"> ({_GIVE}) ~5 (passwords?|credentials|(?:{_KEY_OF})_keys?|(?:{_BEARER_OF})_tokens?) (to_me|to_us|to_the_attacker)",
    ),
    *COMMANDS,
    phrase(
        TaintShape.EXFILTRATION, _SENDS, f"({_SEND}) ~3 ({_WHOSE}) ~3 ({_SECRETS}) ~6 (to|at|via|into|on) ?the ~4 ({_OUTSIDE})"
    ),
    phrase(TaintShape.EXFILTRATION, "exfiltrate", f"@ exfiltrate ~5 ({_SECRETS}|data|files?)"),
    phrase(
        TaintShape.EXFILTRATION,
        "prompt prompts instruction instructions message messages rules",
        "@ (reveal|print|output|repeat|disclose|show|tell|leak|dump|display|expose|give|recite) ~2 your "
        "3*(full|entire|hidden|original|initial|whole|secret|internal|complete|exact) "
        "(system|developer|hidden|initial|secret|internal) (prompts?|instructions?|messages?|rules)",
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "reveal disclose leak repeat recite",
        "@ (reveal|disclose|leak|repeat|recite) ~1 (hidden|secret|full|entire|complete|exact) ?(system|developer) "
        "(prompts?|instructions?|messages?)",
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "password passwords credential credentials secrets keys key tokens",
        "@ (reveal|disclose|leak|dump|give_(?:me|us)|tell_(?:me|us)|send_(?:me|us)|hand_over) ~2 "
        f"({_WHOSE}|admin|root) ~2 (passwords?|credentials?|secrets|api_keys?|private_keys?|tokens)",
    ),
    phrase(
        TaintShape.EXFILTRATION,
        "append encode embed include insert",
        "(append|encode|embed|include|insert) ~3 "
        "(conversation|chat_history|memories|user_s_data|personal_data|secrets|passwords) ~4 "
        "(url|image|link|query_string|markdown_image)",
    ),
)
