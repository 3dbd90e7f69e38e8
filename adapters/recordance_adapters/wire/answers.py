"""How answers are described to clients: always an object, with what it surely holds and what it may hold."""

from collections.abc import Mapping

from recordance.errors import Json

TEXT: Mapping[str, Json] = {"type": "string"}
COUNT: Mapping[str, Json] = {"type": "integer"}
NUMBER: Mapping[str, Json] = {"type": "number"}
FLAG: Mapping[str, Json] = {"type": "boolean"}
OBJECT: Mapping[str, Json] = {"type": "object"}
ARRAY: Mapping[str, Json] = {"type": "array"}
"""What its elements are shows in every answer; to say it in every list would cost each client its context."""


def answer(sure: Mapping[str, Mapping[str, Json]], maybe: Mapping[str, Mapping[str, Json]] | None = None) -> dict[str, Json]:
    """Return the schema of an answer with the fields of `sure` always and those of `maybe` where they apply.

    Of the sure ones the first is said to be required: it tells the answer, and to name all would cost each client its context.
    """
    return {"type": "object", "properties": {**sure, **(maybe or {})}, "required": list(sure)[:1]}


def words(*choices: str) -> dict[str, Json]:
    """Return the schema of a text that is one of `choices`."""
    return {"type": "string", "enum": list(choices)}
