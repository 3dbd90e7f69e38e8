"""What every language shares of an order to give something away: where credentials lie, and what is outside (W2).

Such an order has four groups close to each other in one clause: a verb of sending, a secret, a word that points, and a place
outside. Each language brings the first three.
"""

from recordance.domain.phrase import Phrase, TaintShape, phrase

_FILES = (
    r"(?:ssh_)?id_(?:rsa|dsa|ecdsa|ed\S+)|env|etc_(?:passwd|shadow)|"
    "aws_(?:credentials|config)|kube_?config|netrc|pgpass|npmrc|pypirc|gnupg|(?:bash|zsh|shell)_history|keychain|keystore|"
    "wallet_dat|credentials_(?:json|csv|xml|ya?ml)|secrets_(?:json|ya?ml|toml)|tfstate|service_account_json|"
    "env_(?:local|production|prod)|(?:key|private|server|client)_pem|kdbx"
)
"""Where credentials usually lie, as a path is spoken."""
_FOLDERS = rf"{_FILES}|(?<!\sover\s)(?<!\svia\s)(?<!\sby\s)(?<!\sper\s)ssh"
_ADDRESSES = "http https ws wss ftp www @ pastebin ngrok requestbin"
_ADDRESS = _ADDRESSES.replace(" ", "|")
_NEW_CLAUSE = (
    r"\.|but|not|no|never|with|without|after|before|if|when|while|because|so|then|instead|unless|until|nicht|ohne|nach|sin|sem|sans|"
    "and(?!_(?:the|all|your|any|every|its|their)_)"
)
_CLAUSE = rf"5*((?!(?:{_NEW_CLAUSE})_)\S++)"
_KEPT_IN = (
    "vault|kms|hsm|keyring|keychain|manager|bitwarden|1password|keepass|form|login|disk|stdout|call|open|see|as|per|"
    "tresor|siehe|bovedas?|cofre|coffre"
)
_ON_THE_WAY = rf"4*((?!(?:{_NEW_CLAUSE}|{_KEPT_IN})_)\S++) ?((?:address|url|server|endpoint|host|site|mailbox)_\.)"
_BESIDE = "at|via|through|on|with"
"""What points to an address right after the secret; further on it points to the place of something else."""
_MORE_OF_IT = (
    r"(?:(?:of|from|in|inside|for|on|under|that|you|stored|found|used|here|there|directly|immediately|back|over|and|or|values?|"
    r"files?|contents?|de|del|da|do|dos|das|en|em|aus|von|der|des|im|fur|du|dans|из|от|для)(?:_(?!(?:\.|then)_)\S++){0,5}?_)?"
)
"""What may stand between a secret and the word that points: "token budget" is no token, "token of the service" is one."""


def give_away(verbs: str, secrets: str, to: str, triggers: str) -> Phrase:
    """Return the phrase of an order to send a secret to an address; `verbs` begin with the opening that they need."""
    return phrase(
        TaintShape.EXFILTRATION,
        triggers,
        f"{verbs} {_CLAUSE} ({secrets}|{_FOLDERS}) ({_MORE_OF_IT}(?:{to})|{_BESIDE}) {_ON_THE_WAY} ({_ADDRESS})",
        _ADDRESSES,
    )


def take_and_give_away(takes: str, secrets: str, sends: str, to: str, triggers: str) -> Phrase:
    """Return the phrase of an order to read a secret and to send what was read to an address."""
    return phrase(
        TaintShape.EXFILTRATION,
        triggers,
        f"{takes} ~6 ({secrets}|{_FOLDERS}) ~8 {sends} ({to}|{_BESIDE}) {_ON_THE_WAY} ({_ADDRESS})",
        _ADDRESSES,
    )


_CALLERS = "curl wget nc ncat netcat telnet scp rsync xh"
_DATA = "d|data|data_binary|data_raw|data_urlencode|f|form|t|upload_file|post_file|body_file|json"
COMMANDS = (
    phrase(TaintShape.EXFILTRATION, _CALLERS, rf"(curl|wget|xh) ~9 ({_DATA}) 3*((?!(?:{_DATA})_)\S++) ({_FILES})"),
    phrase(
        TaintShape.EXFILTRATION,
        _CALLERS,
        rf"(scp|rsync) 6*((?!(?:i|e|key|identity)_)\S++) ({_FILES}) ~4 ({_ADDRESS})",
        _ADDRESSES,
    ),
    phrase(
        TaintShape.EXFILTRATION, _CALLERS, f"(cat|base64|tar|gzip|xxd|type) ~5 ({_FILES}) ~6 (curl|wget|nc|ncat|netcat|telnet|xh)"
    ),
    phrase(TaintShape.EXFILTRATION, _CALLERS, rf"(nc|ncat|netcat) ~6 ({_FILES})"),
)
"""Command lines that send a file of credentials; a key that only opens the connection is none."""
