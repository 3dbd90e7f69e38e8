"""English phrases of instruction-shaped text (W2)."""

from recordance.domain.phrase import TaintShape, phrase

_NOT = "do_not|don_t|dont|never|must_not|should_not|shall_not|need_not"

# To drop one's instructions.
_DROP = (
    "ignore|disregard|forget|do_not_follow|don_t_follow|stop_following|no_longer_follow|do_not_obey|stop_obeying|"
    "pay_no_attention_to"
)
_DROPS = "ignore disregard forget follow following attention obey obeying"
_UNDO = "override|overrule|bypass|circumvent|discard|neglect|dismiss|abandon"
_ANY_DROP = f"{_DROPS} override overrule bypass circumvent discard neglect dismiss abandon"
_FORMER = "previous|previously_given|prior|earlier|preceding|above|foregoing|former|aforementioned"
_FILL = (
    r"\.|and|or|of|the|your|my|all|any|system|developer|safety|security|initial|original|given|existing|current|previous|"
    "prior|other"
)
_ORDERS = "instructions?|prompts?|directives?|guidelines?|guardrails?|programming|directions"
_ELSEWHERE = "in|inside|within|embedded|found|contained|hidden|that|which|coming|on|at|for"
_GIVEN = (
    "above|before_this|you_were_given|you_have_been_given|you_got|you_received|you_have|given_before|given_earlier|given_above|"
    "given_to_you|given_so_far|that_came_before|from_(?:the_|your_)?(?:system|developers?|operator|owner|user|creators?)"
)
_OVERRIDE = (
    phrase(TaintShape.OVERRIDE, _DROPS, f"({_DROP}) ~6 ({_FORMER}) 4*({_FILL}) ({_ORDERS}|rules?|restrictions?)"),
    phrase(TaintShape.OVERRIDE, _ANY_DROP, f"({_UNDO}) ~3 ({_FORMER}) 4*({_FILL}) ({_ORDERS})"),
    phrase(
        TaintShape.OVERRIDE,
        _ANY_DROP,
        f"({_DROP}|{_UNDO}) ~1 (all|every|original|initial|existing) 3*({_FILL}) ({_ORDERS}) !({_ELSEWHERE})",
    ),
    phrase(
        TaintShape.OVERRIDE, _ANY_DROP, f"({_DROP}|{_UNDO}) ~1 your 3*({_FILL}) ({_ORDERS}|rules|restrictions|training|policies)"
    ),
    phrase(TaintShape.OVERRIDE, _DROPS, f"({_DROP}) ~3 ({_ORDERS}|rules|orders) ~1 ({_GIVEN})"),
    phrase(
        TaintShape.OVERRIDE,
        _DROPS,
        f"({_DROP}) (everything|anything|all|whatever|what) 3*(that|of|the|else|has|have|been|was|is|you|they|were|it) "
        "(above|before_this|prior_to_this|told|instructed|taught|programmed)",
    ),
    phrase(TaintShape.OVERRIDE, _ANY_DROP, f"@ ({_DROP}|{_UNDO}) ?the (system|developer) (prompts?|instructions?)"),
    phrase(
        TaintShape.OVERRIDE,
        "void null cancelled canceled revoked lifted suspended overridden",
        f"(all|your) 3*({_FILL}|{_FORMER}) (instructions|guidelines|directives|prompts) (are|have_been) ?(now|hereby) "
        "(void|null|cancell?ed|revoked|lifted|suspended|overridden)",
    ),
)

# To give data away.
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
_EXFILTRATION = (
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

# To keep the user in the dark.
_TELL = "tell|inform|notify|alert|warn"
_USER = "users?|humans?|operators?|owners?|person|developers?|admins?|administrators?|customer|anyone|anybody|him|her|them"
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
    "call|use"
)
_CONCEALMENT = (
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
        "telling informing notifying alerting mentioning",
        f"@ ({_ACT}) ~8 without (telling|informing|notifying|alerting|mentioning_(?:this|it)_to) ?(the|your) ({_USER})",
    ),
    phrase(
        TaintShape.CONCEALMENT,
        "secretly covertly stealthily silently quietly",
        "@ (secretly|covertly|stealthily|silently|quietly) (send|upload|forward|exfiltrate|post|e_?mail|transmit|transfer|copy)",
    ),
)

# To speak with a new authority.
_AUTHORITY = (
    phrase(
        TaintShape.AUTHORITY,
        "now",
        "from_now_on ~1 you (will|must|are|should|shall|only|always|never|may|can|have|obey|answer|respond)",
    ),
    phrase(
        TaintShape.AUTHORITY,
        "now",
        r"you_are_now (an?_\S+|my_\S+|the_\S+|in_\S+_mode|root|admin|free|unrestricted|no_longer|acting_as|dan)",
    ),
    phrase(
        TaintShape.AUTHORITY,
        "new",
        "(here_are|these_are|this_is|follow) your_new (instructions?|task|role|goals?|objectives?|rules|orders|prompt)",
    ),
    phrase(TaintShape.AUTHORITY, "new", "your_new (instructions?|task|role|goals?|objectives?|rules|orders|purpose) (is|are)"),
    phrase(
        TaintShape.AUTHORITY,
        "new updated",
        r"(new|updated) ?(system|developer|admin) instructions? (\.|for_you|follow|from_(?:the_)?(?:system|admin))",
    ),
    phrase(
        TaintShape.AUTHORITY,
        "developer creator administrator admin owner operator",
        "(i_am|i_m|this_is|as) (your|the_system) (developer|creator|administrator|admin|owner|operator) ~2 "
        "(i|and|speaking|instruct|order|command|you)",
    ),
    phrase(
        TaintShape.AUTHORITY,
        "overrides supersedes replaces precedence priority",
        "this (message|instruction|note|prompt|memory|text|document) ~1 "
        "(overrides|supersedes|replaces|takes_precedence_over|takes_priority_over|has_priority_over) ~1 "
        "(all|any|every|your|previous|prior|earlier|the_system|system|other)",
    ),
    phrase(
        TaintShape.AUTHORITY,
        "mode",
        "(developer|god|dan|admin|debug|jailbreak|unrestricted) mode ~1 (enabled|activated|active_now|unlocked)",
    ),
    phrase(TaintShape.AUTHORITY, "mode", "@ (enter|enable|activate|switch_to) (developer|god|dan|jailbreak|unrestricted) mode"),
    phrase(
        TaintShape.AUTHORITY,
        "pretend act",
        "(pretend|act_as_if) ?that you (are|have|had|were) ~2 (no|unrestricted|without|not|root|an?_unrestricted)",
    ),
)

# To vouch for oneself.
_OBJECT = (
    "this|it|these|them|the_following|everything|all_(?:requests|commands|instructions)|every_(?:request|command|instruction)"
)
_DOUBT = "review|questions?|questioning|asking|confirmation|verification|verifying|checking|checks|hesitation|approval"
_VOUCHED = "trusted|verified|authoritative|pre_?approved|approved|authorized|authorised|certified|vetted"
_TRUST = (
    phrase(
        TaintShape.TRUST,
        "trust",
        "(always|fully|completely|implicitly|blindly|unconditionally) trust "
        "(this|me|these|its|the_following|anything_from|everything_from|instructions|messages)",
    ),
    phrase(
        TaintShape.TRUST,
        "without",
        f"@ (execute|run|apply|follow|obey|accept|approve|do|perform) ({_OBJECT}) ~4 without "
        f"?(any|further|asking_for|a) ({_DOUBT})",
    ),
    phrase(
        TaintShape.TRUST,
        "treat consider regard accept",
        "@ (treat|consider|regard|accept) (this|these|the_following) ~3 as ~2 "
        "(trusted|verified|authoritative|authorized|authorised|true|fact|a_system|system|safe|gospel|highest)",
    ),
    phrase(
        TaintShape.TRUST,
        "trusted verified authoritative preapproved approved authorized authorised certified vetted",
        "(this|these) (memory|memories|note|message|instructions?|document|content|text|capsule|source|request) ~2 "
        f"(is|are|was|were|been|comes?) ~3 ({_VOUCHED}) ~5 (without|no|do_not|don_t|skip|never|need_not) "
        "3*(further|need|needs|for|any|to|more) (review|verify|verification|questions?|checks?|checking|confirmation|confirm)",
    ),
    phrase(
        TaintShape.TRUST,
        "verify question double validate doubt fact",
        f"@ ({_NOT}) (verify|question|double_check|validate|doubt|fact_check) (this|these|me|its_contents?) "
        "!(in|with|on|until|twice)",
    ),
)

PHRASES = (*_OVERRIDE, *_EXFILTRATION, *_CONCEALMENT, *_AUTHORITY, *_TRUST)
