"""The engine itself: the schema of the index, how one is opened, and what its errors mean here."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

import tantivy

from recordance.errors import Fault, ReplicaDamaged
from recordance.query.folding import FOLD_VERSION

P = ParamSpec("P")
T = TypeVar("T")

SCHEMA_VERSION = "3"
"""Names what the fields hold; an index of another version is built anew."""
VERSIONS = {
    "schema": SCHEMA_VERSION,
    "fold": FOLD_VERSION,
    "engine": tantivy.__version__,  # type: ignore[attr-defined] # the stubs put it in the wrong module
}
"""What an index was built by; one that was built by anything else is not read."""

WRITER_BYTES = 15_000_000
"""The least that the engine takes for a writer; a batch needs no more."""
_WORDS = "words"


def build_schema() -> tantivy.Schema:
    """Return the fields of the index.

    `body` are the folded words, `stem` one for each of them where a store has stems, so that lengths are alike, `extra` what else
    text services make, whose lengths mean nothing; `key` the capsule's number as text (the engine deletes by text alone);
    `label` every token that a fence or a reason asks for; the rest are numbers, read by range and aggregated. No document but
    capsules: one more would count in every score.
    """
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("body", tokenizer_name=_WORDS, index_option="freq")
    schema.add_text_field("stem", tokenizer_name=_WORDS, index_option="freq")
    schema.add_text_field("extra", tokenizer_name=_WORDS, index_option="basic")
    schema.add_text_field("key", tokenizer_name="raw", index_option="basic")
    schema.add_text_field("label", tokenizer_name="raw", index_option="basic")
    schema.add_unsigned_field("docid", fast=True)
    schema.add_unsigned_field("state", fast=True)
    for name in ("valid_from", "valid_to", "event_from", "event_to", "superseded_at", "captured_at"):
        schema.add_integer_field(name, fast=True)
    return schema.build()


def open_index(folder: Path, schema: tantivy.Schema) -> tantivy.Index:
    """Open the index in an existing folder, or make an empty one there. Raises ReplicaDamaged if it cannot be read."""
    with reading():
        # The engine reads a path as UTF-8, whatever the locale has made of its bytes.
        index = tantivy.Index(schema, path=os.fsencode(folder).decode(errors="surrogateescape"))
        # Neither is stored with the index: tokenizers by name, and that a reader moves on only when told to.
        index.register_tokenizer(_WORDS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
        index.config_reader(reload_policy="manual")
        return index


@contextmanager
def reading(verify: Callable[[], None] | None = None) -> Iterator[None]:
    """Turn whatever the engine raises while it reads into ReplicaDamaged.

    If `verify` finds the files sound, it is no damage but Fault: a question that the engine chokes on must not cost an index.
    """
    try:
        yield
    except BaseException as error:
        if not is_engine_error(error):
            raise
        if verify is not None:
            verify()
            raise Fault(f"the term engine failed over sound files: {error}") from error
        raise ReplicaDamaged(f"the term index cannot be read: {error}") from error


def writing(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call the engine, and turn whatever it raises into Fault: a full disk is no damage."""
    try:
        return call(*args, **kwargs)
    except BaseException as error:
        if not is_engine_error(error):
            raise
        raise Fault(f"the term index cannot be written: {error}") from error


def is_engine_error(error: BaseException) -> bool:
    """Whether the engine raised this. Its panics are no Exception, and their class has no importable name."""
    return isinstance(error, ValueError | OSError | RuntimeError) or type(error).__name__ == "PanicException"
