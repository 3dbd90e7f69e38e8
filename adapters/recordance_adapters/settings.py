"""Settings: the only reader of the environment and of the configuration file.

A value comes from the command line, else from the environment, else from the file, else from the defaults below
(`config/default.toml` shows them). Whatever is misspelt is refused: a store that is silently another one is a lost store.
"""

import difflib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, ValidationError, model_validator
from pydantic_core import ErrorDetails

from recordance.domain.instant import Instant, from_datetime, parse_instant
from recordance.domain.phrase import TaintShape
from recordance.domain.taint import DEFAULT_TAINT_POLICY, TaintPolicy
from recordance.errors import InvalidArgument, Json
from recordance.query.request import DEFAULT_TOKEN_BUDGET
from recordance.usecases.follow import PATIENCE_SECONDS
from recordance.usecases.store import DEFAULT_FUSION_DEPTH

ENVIRONMENT = {
    "RECORDANCE_STORE": "store",
    "RECORDANCE_CONFIG": "config",
    "RECORDANCE_ACTOR": "actor",
    "RECORDANCE_PROJECT": "project",
    "RECORDANCE_ROOT": "root",
    "RECORDANCE_TOOLS": "tools",
    "RECORDANCE_LOG_LEVEL": "log_level",
}
"""Every variable that is read, and the setting that it gives. An empty one counts as not set."""
_PREFIX = "RECORDANCE_"
_PACKAGES = tuple(Path(path).resolve().parent for path in (__file__, parse_instant.__code__.co_filename))


class LogLevel(StrEnum):
    """From which weight on something is written to stderr."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def default_store() -> Path:
    """Return the platform's folder for a user's data, which no update of the program touches (case L9)."""
    import platformdirs

    return Path(platformdirs.user_data_dir("recordance", appauthor=False))


def _instant(value: Json) -> Json:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return from_datetime(value)
    try:
        return parse_instant(str(value), "clock")
    except InvalidArgument as refusal:
        raise ValueError(refusal.why) from None


def _key(value: Json) -> Json:
    return bytes.fromhex(value) if isinstance(value, str) else value


def _words(value: Json) -> Json:
    return [word.strip() for word in value.split(",")] if isinstance(value, str) else value


def _outside_packages(path: Path) -> Path:
    if any(package in (path, *path.parents) for package in _PACKAGES):
        raise ValueError("it lies inside the program, where an update would delete it")
    return path


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise ValueError("no such folder is there")
    return path


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("it is blank")
    return text


def _shapes(shapes: frozenset[str]) -> frozenset[str]:
    if strange := sorted(shapes - DEFAULT_TAINT_POLICY.scanned):
        raise ValueError(f"there is no shape {', '.join(map(repr, strange))}")
    return shapes


Text = Annotated[str, AfterValidator(_not_blank)]
Shapes = Annotated[frozenset[str], AfterValidator(_shapes)]


class _Section(BaseModel):
    """A table of the configuration file: immutable, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class TaintSettings(_Section):
    """What is done about text that is shaped like an instruction (W2)."""

    scanned: Shapes = Field(default=DEFAULT_TAINT_POLICY.scanned, description=f"any of the shapes {', '.join(TaintShape)}")
    quarantining: Shapes = Field(default=DEFAULT_TAINT_POLICY.quarantining, description="some of the shapes that are scanned for")

    @model_validator(mode="after")
    def _quarantines_what_it_scans(self) -> Self:
        strange = sorted(self.quarantining - self.scanned)
        if strange and "quarantining" in self.model_fields_set:
            raise ValueError(f"quarantining names {', '.join(strange)}, which is not scanned for")
        return self

    def policy(self) -> TaintPolicy:
        """Return the policy as the core takes it."""
        return TaintPolicy(self.scanned, self.quarantining & self.scanned)


class FollowerSettings(_Section):
    """When the term index is written (decision 1). Milliseconds, and rows of the journal."""

    quiet_ms: StrictInt = Field(
        default=50, ge=1, le=60_000, description="1 to 60,000: milliseconds without a write after which the index is written"
    )
    longest_ms: StrictInt = Field(
        default=1_000, ge=1, le=600_000, description="1 to 600,000: milliseconds that a write waits for the index at most"
    )
    rows: StrictInt = Field(
        default=1_000, ge=1, le=1_000_000, description="1 to 1,000,000: waiting rows at which the index is written at once"
    )
    deadline_ms: StrictInt = Field(
        default=round(PATIENCE_SECONDS * 1_000),
        ge=1,
        le=3_600_000,
        description="1 to 3,600,000: milliseconds that a recall waits for an index that is far behind",
    )
    poll_ms: StrictInt = Field(
        default=250, ge=1, le=60_000, description="1 to 60,000: milliseconds between two looks for others' writes"
    )


class ForgetSettings(_Section):
    """How what was forgotten is purged (W6). Milliseconds."""

    deadline_ms: StrictInt = Field(
        default=5_000, ge=0, le=600_000, description="0 to 600,000: milliseconds that a forget waits for every place to be purged"
    )


class FixedSettings(_Section):
    """What is otherwise different each time. For tests and reproducible demonstrations only."""

    clock: Annotated[Instant, BeforeValidator(_instant)] | None = Field(
        default=None, description="a moment such as 2026-03-01T09:30:00Z at which the clock stands still"
    )
    store_id: Text | None = Field(default=None, description="the id of a store that is made new")
    store_key: Annotated[bytes, BeforeValidator(_key), Field(min_length=16)] | None = Field(
        default=None, description="at least 32 hexadecimal digits: the key that signs a new store's receipts"
    )


class Settings(_Section):
    """Everything that a start of Recordance can be told."""

    store: Annotated[Path, AfterValidator(_outside_packages)] = Field(
        default_factory=default_store, description="a folder that is the store, outside the program"
    )
    actor: Text | None = Field(default=None, description="the name under which this server or command line writes")
    project: Text | None = Field(default=None, description="a project id with which writes are stamped that name none")
    root: Annotated[Path, AfterValidator(_folder)] | None = Field(
        default=None, description="an existing folder, the repository below which anchors are probed"
    )
    tools: Annotated[tuple[Text, ...], BeforeValidator(_words), Field(min_length=1)] = Field(
        default=("core",), description="names of tool sets such as core,life, or all"
    )
    log_level: LogLevel = Field(default=LogLevel.WARNING, description=f"one of {', '.join(LogLevel)}")
    token_budget: StrictInt = Field(
        default=DEFAULT_TOKEN_BUDGET,
        ge=0,
        le=1_000_000,
        description="0 to 1,000,000: tokens that an answer may take when the caller does not say",
    )
    fusion_depth: StrictInt = Field(
        default=DEFAULT_FUSION_DEPTH, ge=1, le=10_000, description="1 to 10,000: ranks of the term lane that enter a fusion"
    )
    taint: TaintSettings = Field(default=TaintSettings(), description="a table with scanned and quarantining")
    follower: FollowerSettings = Field(default=FollowerSettings(), description="a table of the index's timings")
    forget: ForgetSettings = Field(default=ForgetSettings(), description="a table with deadline_ms")
    fixed: FixedSettings = Field(default=FixedSettings(), description="a table with clock, store_id and store_key")


_SECTIONS: Mapping[str, type[_Section]] = {
    "taint": TaintSettings,
    "follower": FollowerSettings,
    "forget": ForgetSettings,
    "fixed": FixedSettings,
}
_CONFIG = "config"
_PATHS = frozenset({"store", "root"})
_SECRET = frozenset({"store_key"})
_PLAIN = {
    "model_type": "it is not a table",
    "tuple_type": "it is not a list",
    "frozen_set_type": "it is not a list",
    "path_type": "it is not text",
    "too_short": "it is too short",
    "bytes_too_short": "it is too short",
}
"""What pydantic says in the words of its classes, in the words of the file."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """Raw values from one place: what that place calls each setting, and against what its relative paths are read."""

    values: Mapping[str, Json]
    names: Mapping[str, str]
    base: Path

    def name(self, key: str) -> str:
        head, dot, rest = key.partition(".")
        return self.names.get(head, head) + dot + rest

    def without_config(self) -> "_Layer":
        return replace(self, values={key: value for key, value in self.values.items() if key != _CONFIG})


def load_settings(options: Mapping[str, Json], environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings; `options` are the command line's (setting → value; None is left out), `config` among them.

    Raises InvalidArgument naming the option, variable or file with its key, what is wrong, and what to write instead.
    """
    here = Path.cwd()
    given = {key: value for key, value in options.items() if value is not None}
    said = _Layer(given, {key: "--" + key.replace("_", "-") for key in given}, here)
    surrounding = _Layer(dict(_variables(environment)), {key: name for name, key in ENVIRONMENT.items()}, here)
    named = next((layer for layer in (said, surrounding) if _CONFIG in layer.values), None)
    return _settings(([] if named is None else [_file(named)]) + [surrounding.without_config(), said.without_config()])


def _variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the setting and value of each variable that is set; refuse one that is not ours but bears our prefix."""
    for name, value in sorted(environment.items()):
        if name in ENVIRONMENT and value:
            yield ENVIRONMENT[name], os.fsencode(value).decode("utf-8", "surrogateescape")
        elif name.startswith(_PREFIX) and name not in ENVIRONMENT:
            raise InvalidArgument(name, value, _nearest(name, ENVIRONMENT), "no such variable is read")


def _file(named: _Layer) -> _Layer:
    field = named.name(_CONFIG)
    path = _placed(named.values[_CONFIG], named.base, field)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise InvalidArgument(field, str(path), "the path of a TOML file", f"it cannot be read ({problem.strerror})") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise InvalidArgument(field, str(path), "a TOML file in UTF-8", f"it is not one: {problem}") from None
    return _Layer(values, {key: f"{path}: {key}" for key in values}, path.parent)


def _settings(layers: Sequence[_Layer]) -> Settings:
    """Return the settings that the layers give, each overruling those before it."""
    raw: dict[str, Json] = {}
    origin: dict[str, _Layer] = {}
    for layer in layers:
        for key, value in layer.values.items():
            is_path = key in _PATHS and isinstance(value, str)
            raw[key] = _placed(value, layer.base, layer.name(key)) if is_path else value
            origin[key] = layer
    try:
        return Settings.model_validate(raw)
    except ValidationError as problem:
        error = problem.errors(include_url=False)[0]
        raise _refusal(error, [step for step in error["loc"] if isinstance(step, str)], raw, origin) from None


def _placed(text: str, base: Path, field: str) -> Path:
    """Return the path that `text` means, as whoever wrote it in `base` would read it."""
    if not text.strip() or "\0" in text:
        raise InvalidArgument(field, text, "a path", "it names no place")
    try:
        # Texts are UTF-8 whatever the locale; names of files are what the system makes of their bytes.
        return (base / Path(os.fsdecode(text.encode("utf-8", "surrogateescape"))).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError):
        raise InvalidArgument(field, text, "a path", "it leads nowhere") from None


def _refusal(error: ErrorDetails, keys: Sequence[str], raw: Mapping[str, Json], origin: Mapping[str, _Layer]) -> InvalidArgument:
    """Return pydantic's complaint about the setting at `keys` as a lesson."""
    section = _SECTIONS[keys[0]] if len(keys) > 1 else Settings
    field, got = origin[keys[0]].name(".".join(keys)), raw
    for key in keys:
        got = got.get(key, {})
    if error["type"] == "extra_forbidden":
        return InvalidArgument(field, got, _nearest(keys[-1], section.model_fields), "there is no such setting")
    why = _PLAIN.get(error["type"]) or str(error.get("ctx", {}).get("error") or error["msg"])
    expected = section.model_fields[keys[-1]].description or ""
    return InvalidArgument(field, "…" if keys[-1] in _SECRET else got, expected, why[0].lower() + why[1:])


def _nearest(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = difflib.get_close_matches(name, names, 1, 0.5)
    return near[0] if near else f"one of {', '.join(names)}"
