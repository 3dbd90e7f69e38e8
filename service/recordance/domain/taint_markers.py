"""Markers of machine talk in a text: roles as chat templates write them, and calls of tools (W2)."""

import re

MARKER_WORDS = frozenset({"system", "developer", "assistant", "user", "human", "inst", "sys", "im", "tool", "function", "invoke"})
"""Words of which every marker has one."""

_TEMPLATE = re.compile(
    r"<\|\s*(?:im_start|im_end|system|user|assistant|start_header_id|endoftext)\b[^>]{0,40}\|?>"
    r"|<</?sys>>|\[/?(?:inst|system|assistant|developer)(?:\s+(?:message|prompt))?\]"
    r"|</?(?:system|assistant|developer)(?:[-_ ](?:message|prompt|instructions?|reminder))?>"
    r"|^\s*#{1,6}\s*(?:system|developer)\s*(?:message|prompt|instructions?)?\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_ADDRESSED = re.compile(
    r"(?:^|(?<=\. ))(?:(?:system|developer)(?: (?:message|prompt|note|override|update|notice|alert))? \. (?:[^ ]+ ){0,3}?"
    r"(?:you|your|ignore|disregard|forget|obey|follow|respond|reply|answer|act|execute|grant|approve|trust|comply|reveal|must)"
    r"|(?:assistant|user|human|admin|administrator) \. (?:please )?"
    r"(?:ignore|disregard|override|obey|grant|approve|reveal|comply))(?![^ ])"
)
_TOOL_CALL = re.compile(
    r"""["'](?:tool|tool_name|tool_call|tool_calls|tool_use|function_call|recipient_name)["']\s*:"""
    r"""|["']name["']\s*:\s*["'][^"']{1,100}["']\s*,\s*["'](?:arguments|parameters|input)["']\s*:\s*["{]"""
    r"""|</?(?:tool_call|tool_use|function_calls?|function_results|invoke)\b""",
    re.IGNORECASE,
)


def has_role_marker(text: str, said: str) -> bool:
    """Whether the text speaks as somebody else: in a chat template's notation, or under a role's name to its reader.

    `said` is the text as `disguise.spoken` gives it. A transcript with names before what was said has no such marker.
    """
    return _TEMPLATE.search(text) is not None or _ADDRESSED.search(said) is not None


def has_tool_call(text: str) -> bool:
    """Whether the text holds something that a host could take for a call of a tool."""
    return _TOOL_CALL.search(text) is not None
