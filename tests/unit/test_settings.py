"""Settings: where a value comes from, and that whatever is misspelt is refused with a lesson."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

import recordance
import recordance_adapters
from recordance.domain.instant import format_instant
from recordance.errors import InvalidArgument
from recordance_adapters.settings import ENVIRONMENT, Settings, load_settings
from support.checkout import ROOT


def written(tmp_path: Path, text: str) -> dict[str, Any]:
    """The command line that names a configuration file with this text."""
    (tmp_path / "recordance.toml").write_text(text, encoding="utf-8")
    return {"config": str(tmp_path / "recordance.toml")}


def refused(options: dict[str, Any], environment: dict[str, str] | None = None) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as caught:
        load_settings(options, environment or {})
    return caught.value


def test_the_default_file_says_what_the_code_does() -> None:
    """A reader of config/default.toml must not be told what was true once."""
    shown = tomllib.loads((ROOT / "config" / "default.toml").read_text(encoding="utf-8"))
    defaults = Settings()
    assert Settings.model_validate(shown) == defaults
    unset = {"store"} | {key for key, value in defaults if value is None}
    assert shown.keys() == {key for key, _ in defaults} - unset
    for name in ("taint", "follower", "forget"):
        assert shown[name].keys() == type(getattr(defaults, name)).model_fields.keys(), name


def test_the_default_file_shows_every_setting_that_has_no_default() -> None:
    """What is not shown is not found; the examples behind the # must be valid."""
    lines = (ROOT / "config" / "default.toml").read_text(encoding="utf-8").splitlines()
    uncommented = [line.removeprefix("# ") if line.startswith("# ") and " = " in line else line for line in lines]
    settings = tomllib.loads("\n".join(uncommented))
    assert settings.keys() == Settings.model_fields.keys()
    assert settings["fixed"].keys() == type(Settings().fixed).model_fields.keys()
    del settings["root"]
    assert Settings.model_validate(settings).fixed.clock is not None


def test_the_example_file_is_valid() -> None:
    """Somebody will copy it."""
    settings = load_settings({"config": str(ROOT / "config" / "example.toml")}, {})
    assert settings.project == "acme/shop"
    assert settings.taint.policy().quarantining == frozenset()


def test_the_default_store_is_the_users_and_no_update_deletes_it() -> None:
    """case L9: a store inside the package folder goes with the next update."""
    store = load_settings({}, {}).store
    for package in (recordance, recordance_adapters):
        assert package.__file__ is not None
        assert Path(package.__file__).parent not in store.parents
    assert store.is_absolute()


def test_a_store_inside_the_program_is_refused() -> None:
    """case L9: nor may it be put there by hand."""
    inside = Path(str(recordance_adapters.__file__)).parent / "store"
    refusal = refused({"store": str(inside)})
    assert refusal.field == "--store"
    assert "an update would delete it" in refusal.message


def test_the_command_line_overrules_the_environment_and_that_the_file(tmp_path: Path) -> None:
    """WIRE.md "Command line": --store, else RECORDANCE_STORE, else the file, else the platform's folder."""
    options = written(tmp_path, 'store = "from-file"\nactor = "file"\nproject = "file"\nlog_level = "info"')
    environment = {"RECORDANCE_STORE": "from-environment", "RECORDANCE_ACTOR": "environment"}
    settings = load_settings({**options, "store": "from-line", "project": None}, environment)
    assert (settings.store.name, settings.actor, settings.project) == ("from-line", "environment", "file")
    assert load_settings(options, environment).store == Path.cwd() / "from-environment"
    assert load_settings(options, {}).store == tmp_path / "from-file"


def test_the_environment_can_name_the_file(tmp_path: Path) -> None:
    """WIRE.md "Command line": --config, else RECORDANCE_CONFIG; a host sets variables more easily than arguments."""
    line, named = tmp_path / "line", tmp_path / "named"
    for folder in (line, named):
        folder.mkdir()
        written(folder, f'actor = "{folder.name}"')
    environment = {"RECORDANCE_CONFIG": str(named / "recordance.toml")}
    assert load_settings({}, environment).actor == "named"
    assert load_settings({"config": str(line / "recordance.toml")}, environment).actor == "line"


def test_an_empty_variable_counts_as_not_set() -> None:
    """Hosts pass on variables that nobody has filled in."""
    assert load_settings({}, dict.fromkeys(ENVIRONMENT, "")) == load_settings({}, {})


def test_a_home_folder_is_understood_wherever_a_path_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configuration files are not read by a shell."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert load_settings({"store": "~/store"}, {}).store == (tmp_path / "store").resolve()


def test_tool_sets_are_a_list_or_a_line_with_commas(tmp_path: Path) -> None:
    """WIRE.md "Tool sets": --tools core,search."""
    assert load_settings({"tools": "core, life"}, {}).tools == ("core", "life")
    assert load_settings({}, {"RECORDANCE_TOOLS": "all"}).tools == ("all",)
    assert load_settings(written(tmp_path, 'tools = ["core", "life"]'), {}).tools == ("core", "life")


@pytest.mark.parametrize("clock", ['"2026-03-01T10:30:00+01:00"', "2026-03-01T09:30:00Z"], ids=["text", "TOML time"])
def test_a_fixed_clock_is_a_moment_with_its_offset(tmp_path: Path, clock: str) -> None:
    """case H2: a time without an offset is another one on every machine."""
    settings = load_settings(written(tmp_path, f"[fixed]\nclock = {clock}"), {})
    assert settings.fixed.clock is not None
    assert format_instant(settings.fixed.clock) == "2026-03-01T09:30:00Z"
    assert "offset" in refused(written(tmp_path, "[fixed]\nclock = 2026-03-01T09:30:00")).message


def test_an_unknown_key_is_refused_with_the_nearest_name_and_its_file(tmp_path: Path) -> None:
    """A misspelt key would leave the default standing, silently."""
    options = written(tmp_path, "[follower]\nquite_ms = 10")
    refusal = refused(options)
    assert refusal.field == f"{options['config']}: follower.quite_ms"
    assert refusal.expected == "quiet_ms"
    assert refused(written(tmp_path, 'stroe = "x"')).expected == "store"
    assert "one of actor," in refused(written(tmp_path, "zzz = 1")).expected


def test_an_unknown_variable_of_ours_is_refused_with_the_nearest_name() -> None:
    """RECORDANCE_STROE would write into another store."""
    refusal = refused({}, {"RECORDANCE_STROE": "x", "PATH": "/bin"})
    assert (refusal.field, refusal.expected) == ("RECORDANCE_STROE", "RECORDANCE_STORE")


@pytest.mark.parametrize(
    ("text", "key", "lesson"),
    [
        ("token_budget = -1", "token_budget", "0 to 1,000,000"),
        ('token_budget = "5"', "token_budget", "0 to 1,000,000"),
        ("token_budget = true", "token_budget", "0 to 1,000,000"),
        ("fusion_depth = 0", "fusion_depth", "1 to 10,000"),
        ('log_level = "loud"', "log_level", "one of debug, info, warning, error"),
        ("tools = []", "tools", "names of tool sets"),
        ('actor = " "', "actor", "the name under which"),
        ("store = 3", "store", "a folder"),
        ('root = "nowhere"', "root", "an existing folder"),
        ("taint = 3", "taint", "a table"),
        ('[taint]\nscanned = ["overide"]', "taint.scanned", "any of the shapes"),
        ('[taint]\nscanned = []\nquarantining = ["override_instructions"]', "taint", "a table"),
        ("[follower]\nrows = 0", "follower.rows", "1 to 1,000,000"),
        ('[fixed]\nclock = "yesterday"', "fixed.clock", "a moment such as"),
        ('[fixed]\nstore_key = "00"', "fixed.store_key", "32 hexadecimal digits"),
    ],
)
def test_a_value_that_cannot_be_served_is_refused_with_what_to_write(tmp_path: Path, text: str, key: str, lesson: str) -> None:
    """Errors teach: which key of which file, what is wrong, what to write instead."""
    options = written(tmp_path, text)
    refusal = refused(options)
    assert refusal.field == f"{options['config']}: {key}"
    assert lesson in refusal.expected
    assert "pydantic" not in refusal.message.lower()


def test_a_refusal_does_not_repeat_a_key() -> None:
    """A message ends up in logs and chats; a store's key must not."""
    secret = "0123456789"
    with pytest.raises(InvalidArgument) as caught:
        load_settings({"fixed": {"store_key": secret}}, {})
    assert secret not in caught.value.message


@pytest.mark.parametrize("content", [None, b"store = ", b'store = "\xff"'], ids=["missing", "no TOML", "no UTF-8"])
def test_a_file_that_cannot_be_read_is_refused_by_its_path(tmp_path: Path, content: bytes | None) -> None:
    """A configuration that was asked for and is not there must not mean the defaults."""
    path = tmp_path / "recordance.toml"
    if content is not None:
        path.write_bytes(content)
    refusal = refused({}, {"RECORDANCE_CONFIG": str(path)})
    assert refusal.field == "RECORDANCE_CONFIG"
    assert os.fspath(path) in refusal.message


def test_scanning_for_less_quarantines_for_less(tmp_path: Path) -> None:
    """W2: configurable; what is not scanned for cannot quarantine."""
    policy = load_settings(written(tmp_path, '[taint]\nscanned = ["override_instructions"]'), {}).taint.policy()
    assert (policy.scanned, policy.quarantining) == (frozenset({"override_instructions"}), frozenset({"override_instructions"}))
