"""English orders to keep the user in the dark (W2)."""

from recordance.domain.phrase import TaintShape, phrase

_NOT = "do_not|don_t|dont|never|must_not|should_not|shall_not|need_not"
_TELL = "tell|inform|notify|alert|warn"
_USER = "users?|humans?|operators?|owners?|person|developers?|admins?|administrators?|customer|anyone|anybody|him|her|them"
_ANY_USER = "users?|humans?|operator|owner"
_OF_IT = r"=(\.|this|about_this|of_this|it|what_you|that_you|anything)"
_USERS = "user users human humans operator owner"
_DONE = (
    "instructions?|messages?|notes?|memory|memories|prompt|actions?|change|step|request|task|transfer|operation|rules?|text|"
    "orders?|commands?"
)
_MATTER = (
    f"(?:this|these)_(?:{_DONE})|this(?=_(?:\\.|and|or|but|because|just|under|even|to)(?![^_])|$)|it|what_you|that_you|"
    "you_(?:did|are|were|have)"
)
_ACT = (
    "delete|send|run|execute|install|approve|transfer|upload|do|make|push|merge|forward|post|copy|remove|grant|disable|change|"
    "call|use|archive|store|save|keep|add|write|update|edit|modify|replace|restart|stop|start|create|open|close|commit|rebase|"
    "deploy|publish|reset|revoke|wipe|purge|drop|move|rename|rotate|turn|switch|set|enable|skip|charge|pay|buy|cancel|"
    "subscribe|accept|read|collect|gather|record|export|import|download|proceed|continue|act|go|finish|complete|perform|apply|"
    "share|leak|ship|submit|e_?mail|overwrite|whitelist|allow"
)
_STATED = "is|are|was|were|be|been|fails?|failed|happens?|can|could|does|did|has|have|had|will|would|gets?|not|never|no|nothing|t"
_ORDERED = rf"9*((?!(?:{_STATED}|\.)_)\S++)"
_ACTED = rf"@ ({_ACT}) {_ORDERED}"
_UNTOLD = (
    "without_(?:ever_)?(?:telling|informing|notifying|alerting|warning|letting|mentioning_(?:this|it|that)_to|asking_or_telling)"
)

PHRASES = (
    phrase(
        TaintShape.CONCEALMENT,
        "tell inform notify alert warn",
        f"({_NOT}) ?ever ({_TELL}) ?(the|your|any) ({_USER}) ?(about|of) ({_MATTER})",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "tell inform notify alert warn",
        f"({_NOT}) ?ever ({_TELL}) ?the (user|human|operator|owner) ?anything ?about =(\\.|and|or|just)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "tell inform notify alert warn",
        f"({_NOT}) ?ever ({_TELL}) (anyone|anybody|a_soul) ?else !(outside|without|who|on)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "mention reveal disclose report say show admit expose",
        f"({_NOT}) ?ever (mention|reveal|disclose|report|say|show|admit|expose) ({_MATTER}) ~4 (to|from) "
        f"?(the|your|any) ({_USER})",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "hide conceal keep",
        f"@ (hide|conceal|keep) ({_MATTER}) ~3 from ?(the|your) (user|human|operator|owner|anyone|everyone)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        _USERS,
        r"@ (hide|conceal|keep) (this|it) from (the|your) (user|human|operator|owner) =(\.|and|at_all)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        _USERS,
        f"(the|your) ({_ANY_USER}) (must|should|may|shall) (not|never) ?ever (know|learn|notice|find_out|hear|be_told) "
        "(about_this|of_this|this|about_it|of_it|what_you|anything)",
    ),
    phrase(TaintShape.CONCEALMENT, "tell", r"(tell|inform|notify) (no_one|nobody|no_user) =(\.|about|of|that|what|this)"),
    phrase(
        TaintShape.CONCEALMENT,
        "keep",
        f"keep (this|it|{_MATTER}) ?a (secret|hidden|confidential|private|quiet) from ~1 ({_USER})",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "between",
        "(keep_this|this_stays|this_is|strictly) (between_us|between_you_and_me) ~3 (not|never|dont|don_t|secret|user)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "telling informing notifying alerting warning letting mentioning",
        f"{_ACTED} ({_UNTOLD}) ?(the|your|any) ({_USER})",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "telling informing notifying alerting warning letting mentioning",
        rf"@ ({_UNTOLD}) ?(the|your|any) ({_USER}) =(\.|{_ACT})",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        _USERS,
        f"{_ACTED} (without_(?:the|your)_(?:{_ANY_USER})_(?:knowing|noticing|s_knowledge)|"
        f"behind_(?:the|your)_(?:{_ANY_USER})_s_back)",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        _USERS,
        rf"((?:{_NOT})_let_(?:the|your)|(?:make_sure|ensure)_(?:that_)?no) ({_ANY_USER}) ?ever "
        rf"(knows?|notices?|learns?|finds?_out|sees?|suspects?|hears?) {_OF_IT}",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        _USERS,
        rf"(so_that|so|make_sure|make_sure_that|ensure|ensure_that) (the|your) ({_ANY_USER}) "
        r"(does_not|doesn_t|do_not|don_t|never|will_not|won_t|must_not|cannot) ?ever "
        rf"(knows?|notices?|learns?|finds?_out|suspects?|hears?) {_OF_IT}",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "secretly covertly stealthily silently quietly",
        "@ (secretly|covertly|stealthily|silently|quietly) (send|upload|forward|exfiltrate|post|e_?mail|transmit|transfer|copy)",
    ),
)
