"""English orders to drop one's instructions (W2)."""

from recordance.domain.phrase import TaintShape, phrase

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
PHRASES = (
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
        "(above|before_this|prior_to_this|told|instructed|taught|programmed|came_before|precedes|preceded|"
        "(?:said|written)_(?:before|earlier|previously))",
    ),
    phrase(
        TaintShape.OVERRIDE,
        "pretend imagine",
        f"(pretend|imagine) ?that ?(the|your|all|these) ({_FORMER}) 2*({_FILL}) ({_ORDERS}) "
        "(do|don_t|did|didn_t|never|were|are|is)",
    ),
    phrase(
        TaintShape.OVERRIDE,
        "ignore disregard forget",
        r"> (ignore|disregard|forget) ?(all|everything) ?of the_(above|foregoing|preceding) "
        r"=(\.|and|instead|now|then|entirely|completely|you|your)",
    ),
    phrase(TaintShape.OVERRIDE, _ANY_DROP, f"@ ({_DROP}|{_UNDO}) ?the (system|developer) (prompts?|instructions?)"),
    phrase(
        TaintShape.OVERRIDE,
        "instructions guidelines directives prompts",
        f"(all|your) 3*({_FILL}|{_FORMER}) (instructions|guidelines|directives|prompts) ?(are|have_been) ?(now|hereby) "
        "(no_longer_(?:apply|valid|binding|in_force)|void|null|cancell?ed|revoked|lifted|suspended|overridden)",
    ),
)
