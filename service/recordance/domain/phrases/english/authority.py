"""English ways to speak with a new authority, and to vouch for oneself (W2)."""

from recordance.domain.phrase import TaintShape, phrase

_NOT = "do_not|don_t|dont|never|must_not|should_not|shall_not|need_not"
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

PHRASES = (*_AUTHORITY, *_TRUST)
