"""Settings: where a value comes from, and that whatever is misspelt is refused with a lesson."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

import recordance
import recordance_adapters
from recordance.domain.capsule import LabelField
from recordance.domain.destination import Traits
from recordance.domain.instant import format_instant
from recordance.errors import InvalidArgument
from recordance_adapters.settings import Settings, load_settings
from recordance_adapters.variables import ENVIRONMENT
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
    for name in ("postgres", "qdrant", "http", "embedder", "reranker", "taint", "follower", "forget"):
        has_default = {key for key, value in getattr(defaults, name) if value is not None}
        assert shown[name].keys() == has_default, name


def test_the_default_file_shows_every_setting_that_has_no_default() -> None:
    """What is not shown is not found; the examples behind the # must be valid."""
    lines = (ROOT / "config" / "default.toml").read_text(encoding="utf-8").splitlines()
    uncommented = [line.removeprefix("# ") if line.startswith("# ") and " = " in line else line for line in lines]
    settings = tomllib.loads("\n".join(uncommented))
    assert settings.keys() == Settings.model_fields.keys()
    for name in ("postgres", "qdrant", "http", "embedder", "reranker", "fixed"):
        known = {field.alias or key for key, field in type(getattr(Settings(), name)).model_fields.items()}
        assert settings[name].keys() == known, name
    del settings["root"]
    assert Settings.model_validate(settings).fixed.clock is not None


def test_the_example_file_is_valid() -> None:
    """Somebody will copy it."""
    settings = load_settings({"config": str(ROOT / "config" / "example.toml")}, {})
    assert settings.project == "acme/shop"
    assert settings.taint.policy().quarantining == frozenset()


def test_the_example_of_a_service_is_valid() -> None:
    """D1: destinations in their order, what belongs to each, the default and the scopes, as the file says."""
    settings = load_settings({"config": str(ROOT / "config" / "example-service.toml")}, {})
    catalogue = settings.catalogue()
    assert (catalogue.names(), catalogue.default) == (("shop", "stock", "house"), "shop")
    assert catalogue.route(Traits(labels={LabelField.REPO: "stock-tools"})) == "stock"
    assert catalogue.resolve(("work",), Traits()) == ("shop", "stock")
    assert catalogue.resolve((), Traits(subtree="acme/stock/x")) == ("stock", "house")
    assert [place.store is not None for place in settings.places()] == [True, True, True]


SERVICE = """
[[destinations]]
name = "a"
store = "a"
[[destinations]]
name = "b"
store = "b"
"""


def on_servers(*hosts: str, more: str = "") -> str:
    """Two destinations whose truths are at these users and hosts."""
    return "".join(
        f'[[destinations]]\nname = "{name}"\ntruth = "postgresql://{host}/d"\n{more}\n'
        for name, host in zip("ab", hosts, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "lesson"),
    [
        ('store = "x"\n' + SERVICE, "store is that of the one destination that there is"),
        (SERVICE.replace('"b"', '"a"'), "two destinations or scopes are called a"),
        (SERVICE + '[[destinations]]\nname = "c"', "destination c has neither a store nor a truth"),
        (SERVICE + '[[scopes]]\nname = "a"\ndestinations = ["b"]', "two destinations or scopes are called a"),
        (SERVICE + '[[scopes]]\nname = "s"\ndestinations = ["z"]', "scope s names 'z'"),
        (SERVICE + '[[scopes]]\nname = "s"\ndestinations = ["s"]', "scope s holds itself"),
        ('default_search_scope = "z"\n' + SERVICE, "default_search_scope names 'z'"),
        (SERVICE.replace("store =", "default = true\nstore ="), "two destinations are the default"),
        (SERVICE + '[[destinations]]\nname = "c"\nstore = "d/../b"', "destinations b and c have the same store"),
        (on_servers("u:x@h", "v@H:5432", more='postgres = {schema = "s"}'), "destinations a and b have the same truth"),
        (on_servers("u:x@h", "u@h"), "destinations a and b have the same truth"),
        (
            on_servers("u@h", "u@i", more='vectors = "http://q"\nqdrant = {collection = "c"}'),
            "destinations a and b have the same collection",
        ),
        (f'[[http.tokens]]\nsubject = "x"\ndigest = "{"0" * 64}"\n' * 2, "the tokens of x and x are the same one"),
        (SERVICE.replace('name = "b"', 'name = "all"'), "destinations[1].name"),
        (SERVICE.replace('store = "b"', 'stroe = "b"'), "destinations[1].stroe: got 'b'; there is no such setting; send store"),
        (SERVICE + "[destinations.qdrant]\ngrpc = 1", "destinations[1].qdrant.grpc"),
        (SERVICE + 'match = [{kind = "fcat"}]', "there is no kind 'fcat'"),
        (SERVICE + 'match = [{knid = "fact"}]', "destinations[1].match[0].knid: got 'fact'; there is no such setting; send kind"),
        ('truth = "mysql://host/db"', "it is no such URL"),
        ('[[http.tokens]]\nsubject = "x"\ndigest = "00"', "http.tokens[0].digest: got '…'"),
        (f'[[http.tokens]]\nsubject = "x"\ndigest = "{"0" * 64}"\ndestinations = ["z"]', "reaches a destination 'z'"),
        (f'[[http.tokens]]\nsubject = "x"\ndigest = "{"0" * 64}"\nprojects = ["acme/"]', "ends without a slash"),
        (f'[[http.tokens]]\nsubject = "x\\u0000"\ndigest = "{"0" * 64}"', "http.tokens[0].subject"),
    ],
)
def test_destinations_that_do_not_fit_together_are_refused(tmp_path: Path, text: str, lesson: str) -> None:
    """D1: a name that leads nowhere would be a search that finds nothing, or a fence that is none."""
    assert lesson in refused(written(tmp_path, text)).message


def test_scopes_may_hold_scopes(tmp_path: Path) -> None:
    """D1: groups of groups come to their destinations, each once."""
    more = '[[scopes]]\nname = "s"\ndestinations = ["b"]\n[[scopes]]\nname = "t"\ndestinations = ["s", "a", "b"]'
    assert load_settings(written(tmp_path, SERVICE + more), {}).catalogue().resolve(("t",), Traits()) == ("b", "a")


def test_servers_come_from_the_environment_too(tmp_path: Path) -> None:
    """DESIGN decision 8: a change of two URLs; keys stay out of files that are shared."""
    servers = {
        "RECORDANCE_TRUTH": "postgresql://u:secret@db/x",
        "RECORDANCE_VECTORS": "http://q:6333",
        "RECORDANCE_VECTORS_KEY": "k",
    }
    settings = load_settings(written(tmp_path, "[qdrant]\ngrpc = true"), servers)
    (place,) = settings.places()
    assert (place.truth, place.vectors) == (servers["RECORDANCE_TRUTH"], "http://q:6333")
    assert (place.qdrant.grpc, place.qdrant.api_key) == (True, "k")
    assert "secret" not in repr(settings)
    assert "secret" not in refused({}, {"RECORDANCE_TRUTH": "mysql://u:secret@db/x"}).message
    assert place.store != Settings().store


def test_a_list_of_destinations_stands_above_the_place_that_the_environment_names(tmp_path: Path) -> None:
    """DESIGN decision 8: an image and a unit name a folder for whoever lists none; whoever says a place beside a list is told."""
    options = written(tmp_path, SERVICE)
    places = {"RECORDANCE_STORE": "elsewhere", "RECORDANCE_TRUTH": "postgresql://db/x", "RECORDANCE_VECTORS_KEY": "k"}
    assert [place.store for place in load_settings(options, places).places()] == [tmp_path / "a", tmp_path / "b"]
    message = refused({**options, "store": "elsewhere"}, places).message
    assert message.startswith("settings: store is that of the one destination that there is without a list of destinations")


def test_paths_inside_tables_are_read_from_the_files_folder(tmp_path: Path) -> None:
    """A configuration is moved together with what lies beside it."""
    settings = load_settings(written(tmp_path, SERVICE + '[destinations.qdrant]\napi_key_file = "key"'), {})
    first, second = settings.places()
    assert (first.store, second.qdrant.api_key_file) == (tmp_path / "a", tmp_path / "key")


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
