"""Settings: the only reader of the environment and of the configuration file.

A value comes from the command line, else from the environment, else from the file, else from the defaults below
(`config/default.toml` shows them). Whatever is misspelt is refused: a store that is silently another one is a lost store.
"""

import difflib
import hashlib
import os
import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, StrictInt, ValidationError, model_validator
from pydantic_core import ErrorDetails

from recordance.domain.destination import ALL, ROUTED, Catalogue, Group, Profile
from recordance.errors import InvalidArgument, Json
from recordance.query.request import DEFAULT_TOKEN_BUDGET
from recordance.usecases.store import DEFAULT_FUSION_DEPTH
from recordance_adapters.apart import check_apart
from recordance_adapters.model_sections import ModelSettings
from recordance_adapters.pipeline_sections import PipelineSections
from recordance_adapters.reliance_sections import RelianceSettings
from recordance_adapters.sections import (
    DestinationSettings,
    FixedSettings,
    FollowerSettings,
    ForgetSettings,
    HttpSettings,
    LogLevel,
    PlaceSettings,
    ScopeSettings,
    TaintSettings,
    Text,
    folder,
    outside_packages,
    words,
)
from recordance_adapters.text_section import TextSettings
from recordance_adapters.variables import ENVIRONMENT

_PREFIX = "RECORDANCE_"
_OF_THE_TESTS = "RECORDANCE_TEST_"
DESTINATION = "default"
"""The name of the one destination of a service that has no table of destinations."""


def default_store() -> Path:
    """Return the platform's folder for a user's data, which no update of the program touches (case L9)."""
    import platformdirs

    return Path(platformdirs.user_data_dir("recordance", appauthor=False))


def default_replicas(place: PlaceSettings) -> Path:
    """Return where this machine keeps its indexes of a store whose truth is a server: what can be written anew at any time."""
    import platformdirs

    parts = urlsplit(place.truth or "")
    where = f"{parts.hostname}:{parts.port}{parts.path}/{place.postgres.schema_name or ''}"
    digest = hashlib.sha256(where.encode()).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("recordance", appauthor=False)) / "replicas" / digest


class Settings(PlaceSettings, ModelSettings, PipelineSections, RelianceSettings):
    """Everything that a start of Recordance can be told."""

    store: Annotated[Path, AfterValidator(outside_packages)] = Field(
        default_factory=default_store, description="a folder that is the store, outside the program"
    )
    actor: Text | None = Field(default=None, description="the name under which this server or command line writes")
    project: Text | None = Field(default=None, description="a project id with which writes are stamped that name none")
    root: Annotated[Path, AfterValidator(folder)] | None = Field(
        default=None, description="an existing folder, the repository below which anchors are probed"
    )
    tools: Annotated[tuple[Text, ...], BeforeValidator(words), Field(min_length=1)] = Field(
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
    default_search_scope: Annotated[tuple[Text, ...], BeforeValidator(words), Field(min_length=1)] = Field(
        default=(ROUTED,), description="routed, all, or names of destinations and scopes: what a recall searches that names none"
    )
    destinations: tuple[DestinationSettings, ...] = Field(default=(), description="a list of tables with name and place")
    scopes: tuple[ScopeSettings, ...] = Field(default=(), description="a list of tables with name and destinations")
    http: HttpSettings = Field(default=HttpSettings(), description="a table with host, port and tokens")
    taint: TaintSettings = Field(default=TaintSettings(), description="a table with scanned and quarantining")
    follower: FollowerSettings = Field(default=FollowerSettings(), description="a table of the index's timings")
    text: TextSettings = Field(default=TextSettings(), description="a table with inflection and segmentation")
    forget: ForgetSettings = Field(default=ForgetSettings(), description="a table with deadline_ms")
    fixed: FixedSettings = Field(default=FixedSettings(), description="a table with clock, store_id and store_key")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.destinations and (given := sorted(self.model_fields_set & PlaceSettings.model_fields.keys())):
            alone = "is that of the one destination that there is without a list of destinations"
            raise ValueError(f"{given[0]} {alone}; give it in one of the list")
        names = [*(each.name for each in self.destinations), *(each.name for each in self.scopes)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two destinations or scopes are called {twice[0]}")
        if sum(each.default for each in self.destinations) > 1:
            raise ValueError("two destinations are the default")
        for each in self.destinations:
            if each.store is None and each.truth is None:
                raise ValueError(f"destination {each.name} has neither a store nor a truth")
        check_apart(self.destinations)
        self._check_scopes()
        self._check_tokens()
        return self

    def _check_scopes(self) -> None:
        known = {ROUTED, ALL, *self.names(), *(each.name for each in self.scopes)}
        for each in self.scopes:
            self._members(each.name, ())
        if strange := [word for word in self.default_search_scope if word not in known]:
            raise ValueError(f"default_search_scope names {strange[0]!r}; there are {', '.join(sorted(known))}")

    def _check_tokens(self) -> None:
        digests = [token.digest for token in self.http.tokens]
        if twice := [token.subject for token in self.http.tokens if digests.count(token.digest) > 1]:
            raise ValueError(f"the tokens of {' and '.join(twice)} are the same one, and nobody could tell whose fences hold")
        for token in self.http.tokens:
            if strange := sorted((token.destinations or frozenset()) - set(self.names())):
                raise ValueError(f"the token of {token.subject} reaches a destination {strange[0]!r}, which is not there")
        if strange := sorted(self.http.required - set(self.names())):
            raise ValueError(f"http requires a destination {strange[0]!r}, which is not there")

    def _members(self, name: str, within: tuple[str, ...]) -> tuple[str, ...]:
        """Return the destinations that a scope comes to; scopes may hold scopes, but never themselves."""
        if name in self.names():
            return (name,)
        scope = next((each for each in self.scopes if each.name == name), None)
        if scope is None:
            raise ValueError(f"scope {within[-1]} names {name!r}, which is no destination and no scope")
        if name in within:
            raise ValueError(f"scope {name} holds itself")
        found = [member for each in scope.destinations for member in self._members(each, (*within, name))]
        return tuple(dict.fromkeys(found))

    def names(self) -> tuple[str, ...]:
        """Return the names of the destinations, in their order."""
        return tuple(each.name for each in self.destinations) or (DESTINATION,)

    def places(self) -> tuple[DestinationSettings, ...]:
        """Return every destination with the folder that it has here, in their order."""
        alone = {name: getattr(self, name) for name in PlaceSettings.model_fields if name in self.model_fields_set}
        listed = self.destinations or (DestinationSettings.model_construct(name=DESTINATION, **alone),)
        return tuple(each.model_copy(update={"store": each.store or self._folder_of(each)}) for each in listed)

    def _folder_of(self, place: DestinationSettings) -> Path:
        return self.store if place.truth is None else default_replicas(place)

    def catalogue(self) -> Catalogue:
        """Return the destinations and scopes as the core takes them (D1)."""
        profiles = [
            Profile(
                name=each.name,
                description=each.description,
                rules=tuple(rule.rule() for rule in each.match),
                deadline=each.deadline_ms / 1_000,
            )
            for each in self.places()
        ]
        groups = [
            Group(name=each.name, description=each.description, members=self._members(each.name, ())) for each in self.scopes
        ]
        default = next((each.name for each in self.destinations if each.default), self.names()[0])
        return Catalogue(tuple(profiles), default, tuple(groups), self.default_search_scope)


_CONFIG = "config"
_PATHS = frozenset({"store", "root", "truth_password_file", "api_key_file", "ca_file", "jwks_file", "path", "tokenizer_path"})
_SECRET = frozenset({"store_key", "api_key", "url", "truth", "digest", "RECORDANCE_TRUTH"})
_PLAIN = {
    "model_type": "it is not a table",
    "tuple_type": "it is not a list",
    "frozen_set_type": "it is not a list",
    "path_type": "it is not text",
    "too_short": "it is too short",
    "bytes_too_short": "it is too short",
    "missing": "it is missing",
    "string_pattern_mismatch": "it is not of that form",
}
"""What pydantic says in the words of its classes, in the words of the file."""


class Unfitting(InvalidArgument):
    """Settings that do not fit together; `why` names those that it is about."""

    def __init__(self, why: str) -> None:
        super().__init__("settings", None, "settings that fit together", why)

    def __str__(self) -> str:
        """What does not fit."""
        return f"settings: {self.why}"


@dataclass(frozen=True, slots=True)
class _Layer:
    """Raw values from one place: what that place calls each setting, and against what its relative paths are read."""

    values: Mapping[str, Json]
    names: Mapping[str, str]
    base: Path

    def name(self, key: str) -> str:
        head, dot, rest = key.partition(".")
        return self.names.get(head, head) + dot + rest

    def without(self, keys: Container[str]) -> "_Layer":
        """Return the layer without these settings, nor anything inside them."""
        return replace(self, values={key: value for key, value in self.values.items() if key.partition(".")[0] not in keys})


def load_settings(options: Mapping[str, Json], environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings; `options` are the command line's (setting → value; None is left out), `config` among them.

    Raises InvalidArgument naming the option, variable or file with its key, what is wrong, and what to write instead.
    """
    here = Path.cwd()
    given = {key: value for key, value in options.items() if value is not None}
    said = _Layer(given, {key: "--" + key.replace("_", "-") for key in given}, here)
    surrounding = _Layer(dict(_variables(environment)), {key: name for name, key in ENVIRONMENT.items()}, here)
    named = next((layer for layer in (said, surrounding) if _CONFIG in layer.values), None)
    written = [] if named is None else [_file(named)]
    if any(layer.values.get("destinations") for layer in written):
        # An image or a unit names a place for whoever lists none; a list says where everything is.
        surrounding = surrounding.without(PlaceSettings.model_fields)
    return _settings([*written, surrounding.without({_CONFIG}), said.without({_CONFIG})])


def with_listening(settings: Settings, given: Mapping[str, str]) -> Settings:
    """Return the settings with the `host` and `port` of the command line; raises InvalidArgument as `load_settings` does."""
    raw: dict[str, Json] = dict(given)
    port = given.get("port", "0")
    if not (port.isascii() and port.isdigit() and len(port) < 6 and int(port) < 65_536):
        raise InvalidArgument("--port", port, "0 to 65,535", "it is no port")
    if not given.get("host", "x").strip():
        raise InvalidArgument("--host", given["host"], "an address such as 127.0.0.1", "it is blank")
    if "port" in given:
        raw["port"] = int(port)
    return settings.model_copy(update={"http": settings.http.model_copy(update=raw)})


def _variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the setting and value of each variable that is set; refuse one that is not ours but bears our prefix."""
    for name, value in sorted(environment.items()):
        if name in ENVIRONMENT and value:
            yield ENVIRONMENT[name], os.fsencode(value).decode("utf-8", "surrogateescape")
        elif name.startswith(_PREFIX) and name not in ENVIRONMENT and not name.startswith(_OF_THE_TESTS):
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
            head, _, inner = key.partition(".")
            placed = _with_paths(head, value, layer, layer.name(key))
            raw[head] = {**raw.get(head, {}), inner: placed} if inner else placed
            origin[head] = layer
    try:
        return Settings.model_validate(raw)
    except ValidationError as problem:
        raise _refusal(problem.errors(include_url=False)[0], raw, origin) from None


def _with_paths(name: str, value: Json, layer: _Layer, field: str) -> Json:
    """Return a value with every path in it as whoever wrote the layer would read it."""
    match value:
        case str() if name in _PATHS:
            return _placed(value, layer.base, field)
        case dict():
            return {each: _with_paths(each, inner, layer, f"{field}.{each}") for each, inner in value.items()}
        case list():
            return [_with_paths(name, inner, layer, f"{field}[{place}]") for place, inner in enumerate(value)]
        case _:
            return value


def _placed(text: str, base: Path, field: str) -> Path:
    """Return the path that `text` means, as whoever wrote it in `base` would read it."""
    if not text.strip() or "\0" in text:
        raise InvalidArgument(field, text, "a path", "it names no place")
    try:
        # Texts are UTF-8 whatever the locale; names of files are what the system makes of their bytes.
        return (base / Path(os.fsdecode(text.encode("utf-8", "surrogateescape"))).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError):
        raise InvalidArgument(field, text, "a path", "it leads nowhere") from None


def _refusal(error: ErrorDetails, raw: Mapping[str, Json], origin: Mapping[str, _Layer]) -> InvalidArgument:
    """Return pydantic's complaint about one setting as a lesson."""
    steps = list(error["loc"])
    if not steps:  # what does not fit together, and names what it is about
        return Unfitting(_cause(error))
    section, keys, got = _place_of(steps, raw)
    layer = origin.get(str(keys[0]))
    path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")
    field = path if layer is None else layer.name(path)
    name = next(str(key) for key in reversed(keys) if isinstance(key, str))
    if error["type"] == "extra_forbidden":
        return InvalidArgument(field, got, _nearest(name, _known(section)), "there is no such setting")
    why = _PLAIN.get(error["type"]) or _cause(error)
    return InvalidArgument(field, "…" if name in _SECRET else got, _expected(section, name), why[0].lower() + why[1:])


def _cause(error: ErrorDetails) -> str:
    return str(error.get("ctx", {}).get("error") or error["msg"])


def _place_of(steps: Sequence[int | str], raw: Mapping[str, Json]) -> tuple[type[BaseModel], list[int | str], Json]:
    """Return the table in which a setting stands, the keys that lead to it, and what is given there."""
    section: type[BaseModel] = Settings
    found: type[BaseModel] | None = Settings
    keys: list[int | str] = []
    got: Any = raw
    for step in steps:
        if isinstance(step, str):
            if found is None:
                break  # pydantic names its own ways on from here
            section, found = found, _table_of(found, step)
        elif not isinstance(got, list | tuple):
            break
        keys.append(step)
        got = _inner(got, step)
    return section, keys, got


def _inner(value: Json, step: int | str) -> Json:
    match value:
        case dict():
            return value.get(step)
        case list() | tuple() if isinstance(step, int) and step < len(value):
            return value[step]
        case _:
            return None


def _table_of(section: type[BaseModel], key: str) -> type[BaseModel] | None:
    """Return the table, or that of the list of tables, that a setting is; None if it is a plain one."""
    by_name = {field.alias or name: field for name, field in section.model_fields.items()}
    waiting = [by_name[key].annotation] if key in by_name else []
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
        waiting.extend(get_args(kind))
    return None


def _known(section: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in section.model_fields.items()]


def _expected(section: type[BaseModel], name: str) -> str:
    found = [field for key, field in section.model_fields.items() if name in (key, field.alias)]
    return (found[0].description or "a value of its kind") if found else "a value of its kind"


def _nearest(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = difflib.get_close_matches(name, names, 1, 0.5)
    return near[0] if near else f"one of {', '.join(names)}"
