"""What Recordance raises, as one tree.

```
RecordanceError
├── Refusal                 the caller can do something about it; every sentence teaches
│   ├── InvalidArgument     what was sent cannot be served (wire: -32602)
│   │   └── OtherDimension  a vector that has another dimension than a store's
│   ├── MissingState        what is asked about is not there, or not so (wire: -32002)
│   └── SearchFailed        no destination could answer (wire: -32003)
└── Fault                   the store or the machine failed; nothing of it reaches the wire but an id
    ├── StoreUnusable       the store cannot be used as it is (wire: -32002, with its lesson and an id)
    └── ReplicaDamaged      a derived index cannot be read; it is rebuilt from the truth
```

A refusal carries its parts as data; its sentence is put together only when somebody reads it. Nothing recognises an error by
its text.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

Json = Any
"""A value that `json.dumps` takes; the type checker cannot say more without recursion in every signature."""


class RecordanceError(Exception):
    """The root of everything that is raised on purpose."""


class Refusal(RecordanceError):
    """A request that cannot be served, said so that the caller knows what to send instead."""

    @property
    def message(self) -> str:
        """The whole lesson, as one or two sentences."""
        return str(self)

    @property
    def data(self) -> Mapping[str, Json]:
        """The parts of the lesson for programs."""
        return {}


class InvalidArgument(Refusal):
    """An argument that cannot be served (T1, F1, L2 …).

    `field` is the argument's path (`items[3].confidence`), `got` what was sent (shortened when long), `expected` what to send
    instead; `why` is a clause saying why it cannot be served.
    """

    def __init__(self, field: str, got: Json, expected: str, why: str) -> None:
        super().__init__(field, why)
        self.field = field
        self.got = got
        self.expected = expected
        self.why = why

    def __str__(self) -> str:
        """`field` is named first, then what was sent, why not, and what to send."""
        return f"{self.field}: got {shown(self.got)}; {self.why}; send {self.expected}."

    @property
    def data(self) -> Mapping[str, Json]:
        """`{field, got, expected}` as WIRE.md's section on errors has it."""
        return {"field": self.field, "got": shorten(self.got), "expected": self.expected}

    def under(self, prefix: str) -> "InvalidArgument":
        """Return the same refusal with its field below `prefix`, for the items of a batch."""
        return InvalidArgument(f"{prefix}.{self.field}", self.got, self.expected, self.why)


class OtherDimension(InvalidArgument):
    """A vector of another dimension than those that it is to be compared with; of several stores, some may take it (D5)."""


class StateKind(StrEnum):
    """What kind of state was asked about and is missing."""

    UNKNOWN_CAPSULE = "unknown_capsule"
    TOMBSTONED_CAPSULE = "tombstoned_capsule"
    NOT_AN_EPIC = "not_an_epic"
    EFFORT_WITHOUT_MEMBERS = "effort_without_members"
    UNKNOWN_DESTINATION = "unknown_destination"
    UNKNOWN_RELATION = "unknown_relation"
    UNKNOWN_ALIAS = "unknown_alias"
    UNKNOWN_RECEIPT = "unknown_receipt"
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"
    REVISION_CONFLICT = "revision_conflict"
    NO_TRUST_ROOT = "no_trust_root"
    NOT_QUARANTINED = "not_quarantined"
    NOT_ARCHIVED = "not_archived"
    NOT_PERMITTED = "not_permitted"
    INDEX_BEHIND = "index_behind"
    STORE_BUSY = "store_busy"
    STORE_UNUSABLE = "store_unusable"
    STORE_UNREACHABLE = "store_unreachable"
    WRITE_UNCERTAIN = "write_uncertain"


class MissingState(Refusal):
    """State that the request needs and the store does not have (WIRE.md, -32002).

    `kind` says which, `id` names the thing asked about, `lesson` says what is there and what to do; `extra` is more for programs.
    """

    def __init__(self, kind: StateKind, id: str, lesson: str, **extra: Json) -> None:
        super().__init__(kind, id)
        self.kind = kind
        self.id = id
        self.lesson = lesson
        self.extra = extra

    def __str__(self) -> str:
        """The kind, the id and the lesson."""
        return f"{self.kind.value}: {shown(self.id)}; {self.lesson}"

    @property
    def data(self) -> Mapping[str, Json]:
        """`{kind, id, …}`."""
        return {"kind": self.kind.value, "id": self.id, **self.extra}


class SearchFailed(Refusal):
    """Every destination that was asked failed (D3). `failures` maps each one's name to its reason."""

    def __init__(self, failures: Mapping[str, str]) -> None:
        super().__init__(tuple(failures))
        self.failures = dict(failures)

    def __str__(self) -> str:
        """Name every destination with its reason."""
        return "no destination could answer: " + "; ".join(f"{name}: {why}" for name, why in self.failures.items())

    @property
    def data(self) -> Mapping[str, Json]:
        """`{kind, failures}`."""
        return {"kind": "search_failed", "failures": self.failures}


class Fault(RecordanceError):
    """The store or the machine failed. Its text is for the log, never for the wire."""


class StoreUnusable(Fault):
    """The store cannot be used as it is: newer than the program, damaged, not ours, or on a full disk.

    The text is for the log. `lesson` is what every caller may be told: what is wrong and what to do, without a path, SQL or any
    word of the driver's. `kind` tells programs whether it stands (STORE_UNUSABLE), may pass by itself (STORE_UNREACHABLE: nothing
    was done), or left open whether a write was done (WRITE_UNCERTAIN).
    """

    def __init__(
        self,
        text: str,
        *,
        lesson: str = "whoever runs this program finds in its log why, and what to do",
        kind: StateKind = StateKind.STORE_UNUSABLE,
    ) -> None:
        super().__init__(text)
        self.lesson = lesson
        self.kind = kind


class ReplicaDamaged(Fault):
    """A derived index cannot be read or does not agree with the truth; it must be rebuilt from there."""


class ModelFailed(Fault):
    """A model was late, could not be reached, or answered what cannot be used: its stage is skipped (decision 10).

    `why` is what every caller may be told, in a few words; the text is for the log.
    """

    def __init__(self, text: str, *, why: str) -> None:
        super().__init__(text)
        self.why = why


SHOWN_CHARACTERS = 120
"""How much of what was sent an error repeats."""


def shorten(value: Json) -> Json:
    """Return `value` small enough to repeat in an error: long text is cut, long or nested values are described."""
    match value:
        case str() if len(value) > SHOWN_CHARACTERS:
            return value[:SHOWN_CHARACTERS] + f"… ({len(value)} characters)"
        case list() | tuple() if len(value) > 8:
            return f"an array of {len(value)}"
        case dict() if len(value) > 8:
            return f"an object of {len(value)} fields"
        case _:
            return value


def shown(value: Json) -> str:
    """Return `value` as an error sentence shows it."""
    match value:
        case None:
            return "nothing"
        case str():
            return repr(shorten(value))
        case _:
            return str(shorten(value))
