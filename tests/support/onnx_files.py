"""Models made by hand, in the form that ONNX files have: few nodes, so that what they must answer can be worked out on paper.

ONNX is protocol buffers; a message is fields, each a number and a value. Only what these graphs need is written here.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

FLOAT, INT64 = 1, 7
"""Element types."""
_OPSET = 18

Field = tuple[int, int | str | bytes]


def message(*fields: Field) -> bytes:
    """A message: whole numbers as they are, everything else with its length before it."""
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    raw = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(raw)) + raw


def _number(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _number(rest) if rest else bytes([low])


def node(kind: str, inputs: str, output: str, **whole: int) -> bytes:
    """An operation on tensors by their names, with whole numbers as attributes."""
    attributes = [(5, message((1, name), (3, value), (20, 2))) for name, value in whole.items()]
    return message(*((1, name) for name in inputs.split()), (2, output), (4, kind), *attributes)


def whole_numbers(name: str, *values: int) -> bytes:
    """A constant: a row of whole numbers, none of them negative."""
    return message((1, len(values)), (2, INT64), *((7, value) for value in values), (8, name))


def tensor(name: str, kind: int, axes: Iterable[str]) -> bytes:
    """An input or output by its element type and the names of its axes."""
    shape = message(*((1, message((2, axis))) for axis in axes))
    return message((1, name), (2, message((1, message((1, kind), (2, shape))))))


def overlap_model(path: Path, inputs: Mapping[str, str], summed: Sequence[int] = (1, 2)) -> None:
    """Write a model that reads a question and a text together, and scores how many pairs of equal tokens they have.

    `inputs` names what the graph asks for: `ids`, `types` (0 the question, 1 the text) and `mask`; each is [texts, tokens]. The
    score is summed over the tokens of both; over those of the question alone (1) there is one for each token of the text.
    """
    axes = ("texts", "tokens")
    nodes = [
        node("Cast", inputs["types"], "types", to=FLOAT),
        node("Cast", inputs["mask"], "mask", to=FLOAT),
        node("Mul", "types mask", "of_text"),
        node("Sub", "mask of_text", "of_question"),
        node("Unsqueeze", f"{inputs['ids']} last", "down"),
        node("Unsqueeze", f"{inputs['ids']} middle", "across"),
        node("Equal", "down across", "same"),
        node("Cast", "same", "equal", to=FLOAT),
        node("Unsqueeze", "of_question last", "asked"),
        node("Unsqueeze", "of_text middle", "told"),
        node("Mul", "equal asked", "from_question"),
        node("Mul", "from_question told", "pairs"),
        node("ReduceSum", "pairs summed", "logits", keepdims=0),
    ]
    graph = message(
        *((1, each) for each in nodes),
        (2, "overlap"),
        (5, whole_numbers("last", 2)),
        (5, whole_numbers("middle", 1)),
        (5, whole_numbers("summed", *summed)),
        *((11, tensor(name, INT64, axes)) for name in inputs.values()),
        (12, tensor("logits", FLOAT, axes[: 3 - len(summed)])),
    )
    path.write_bytes(message((1, 8), (7, graph), (8, message((1, ""), (2, _OPSET)))))
