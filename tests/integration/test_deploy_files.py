"""The files of `deploy/` against the program that they start and the schemas of those who read them."""

import ast
import re
import shutil
import subprocess
import tomllib
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate
import pytest
import yaml

from recordance_adapters.driving.cli.main import COMMANDS
from recordance_adapters.sections import HttpSettings
from recordance_adapters.settings import Settings, load_settings
from recordance_adapters.variables import ENVIRONMENT
from support import checkout

DEPLOY = checkout.ROOT / "deploy"
ROUTES = Path("adapters/recordance_adapters/driving/mcp_server/over_http/application.py")
PORT = HttpSettings().port
DATA = {"postgres": "/var/lib/postgresql/18/docker", "qdrant": "/qdrant/storage", "recordance": "/var/lib/recordance"}
"""Where each server keeps its data in the image that compose.yaml names; for Postgres that is so from 18 on."""
RELEASES = ("1.30", "1.34", "1.37")
"""Kubernetes releases whose schemas the manifests must meet."""
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def documents() -> dict[str, dict[str, Any]]:
    """The manifests by their files' names; the values for another's chart and the list of files are none."""
    found = {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (DEPLOY / "kubernetes").glob("*.yaml")}
    return {name: document for name, document in found.items() if "kustomize" not in document.get("apiVersion", "kustomize")}


MANIFESTS = documents()
POD = MANIFESTS["deployment.yaml"]["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", sorted(MANIFESTS))
def test_a_manifest_is_what_the_release_takes(name: str, release: str) -> None:
    """A misspelt field is dropped without a word, and with it a fence, a probe or a limit."""
    kubernetes_validate.validate(MANIFESTS[name], release, strict=True)


def test_a_misspelt_field_of_a_manifest_would_be_found() -> None:
    """A check that passes everything says nothing."""
    spec = MANIFESTS["poddisruptionbudget.yaml"]["spec"]
    wrong = {**MANIFESTS["poddisruptionbudget.yaml"], "spec": {**spec, "minAvailible": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, RELEASES[-1], strict=True)


def test_every_manifest_is_in_one_namespace_and_applied_but_the_secret() -> None:
    """What is left out of the list is not there, and what stands elsewhere is not found."""
    listed = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]
    assert sorted(listed) == sorted(MANIFESTS.keys() - {"secret.example.yaml"})
    name = MANIFESTS["namespace.yaml"]["metadata"]["name"]
    others = (document["metadata"]["namespace"] for document in MANIFESTS.values() if document["kind"] != "Namespace")
    assert set(others) == {name}


def test_the_pods_ask_for_no_more_than_a_restricted_namespace_gives() -> None:
    """The namespace enforces it, so a pod that asks for more would never start."""
    assert MANIFESTS["namespace.yaml"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    security, own = POD["securityContext"], CONTAINER["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert own["allowPrivilegeEscalation"] is False
    assert own["capabilities"] == {"drop": ["ALL"]}
    assert own["readOnlyRootFilesystem"] is True
    assert {kind for volume in POD["volumes"] for kind in volume} == {"name", "configMap", "emptyDir"}


def test_several_replicas_answer_and_one_may_go() -> None:
    """A drained node must not take the service with it, and a rollout must not take more than it brings."""
    spec, budget = MANIFESTS["deployment.yaml"]["spec"], MANIFESTS["poddisruptionbudget.yaml"]["spec"]
    assert 1 < budget["minAvailable"] < spec["replicas"]
    labels = spec["template"]["metadata"]["labels"]
    policy, service = MANIFESTS["networkpolicy.yaml"]["spec"]["podSelector"], MANIFESTS["service.yaml"]["spec"]
    selectors = [each["matchLabels"] for each in (spec["selector"], budget["selector"], policy)] + [service["selector"]]
    assert all(selector.items() <= labels.items() for selector in selectors)
    assert settings_of_the_manifests().http.sessions == 0  # the next request of a client may reach another replica


def test_the_probes_ask_what_the_server_answers() -> None:
    """case L8: ready means that the search path works; a process that lives is not started again for what ails its database."""
    probes = {name: CONTAINER[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert {name: probe["path"] for name, probe in probes.items()} == {
        "startupProbe": "/healthz",
        "livenessProbe": "/healthz",
        "readinessProbe": "/readyz",
    }
    constants = {node.value for node in ast.walk(checkout.tree(ROUTES)) if isinstance(node, ast.Constant)}
    assert {probe["path"] for probe in probes.values()} <= constants
    assert CONTAINER["readinessProbe"]["timeoutSeconds"] * 1_000 > HttpSettings().ready_ms


def test_one_port_stands_everywhere() -> None:
    """A port that differs in one file is a service that nobody reaches."""
    assert f"EXPOSE {PORT}\n" in DOCKERFILE
    assert f"http://127.0.0.1:{PORT}/healthz" in DOCKERFILE
    assert COMPOSE["services"]["recordance"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]  # and no other machine's by default
    assert [port["containerPort"] for port in CONTAINER["ports"]] == [PORT]
    assert settings_of_the_manifests().http.port == PORT
    assert load_settings({"config": str(DEPLOY / "service.toml")}, {}).http.port == PORT


def test_every_variable_that_is_set_for_the_program_is_read_by_it() -> None:
    """The program refuses a variable with its prefix that it does not know, and would not start."""
    texts = (path.read_text(encoding="utf-8") for path in DEPLOY.rglob("*") if path.is_file() and path.suffix != ".md")
    named = {name for text in texts for name in re.findall(r"\bRECORDANCE_[A-Z_]+", text)}
    assert named - {"RECORDANCE_IMAGE"} <= ENVIRONMENT.keys()
    assert "RECORDANCE_CONFIG" in named


def test_the_settings_that_are_shipped_are_taken_and_let_nobody_in() -> None:
    """case L1: what listens for others asks for a token, and the one that is shipped is nobody's."""
    for settings in (settings_of_the_manifests(), load_settings({"config": str(DEPLOY / "service.toml")}, {})):
        assert settings.http.host == "0.0.0.0"
        assert [token.digest for token in settings.http.tokens] == ["0" * 64]
        assert str(settings.store) == DATA["recordance"]


def settings_of_the_manifests() -> Settings:
    """What the program reads in a pod whose secret is empty."""
    return Settings.model_validate(tomllib.loads(MANIFESTS["configmap.yaml"]["data"]["service.toml"]))


def test_no_service_keeps_its_truth_in_a_folder_that_goes_with_it() -> None:
    """case L3: without a URL the truth is a file in the store's folder, which in a pod ends with the pod."""
    for settings in (settings_of_the_manifests(), load_settings({"config": str(DEPLOY / "service.toml")}, {})):
        assert settings.truth is not None
    assert "RECORDANCE_TRUTH" in {each["name"] for each in CONTAINER["env"] if "valueFrom" in each}
    assert urlsplit(settings_of_the_manifests().truth or "").hostname == "the-secret-has-no-truth.invalid"


def test_the_commands_that_are_started_are_commands() -> None:
    """A word that the command line does not know ends the container at its start, again and again."""
    assert 'ENTRYPOINT ["recordance"]\n' in DOCKERFILE
    started = [yaml.safe_load(words) for words in re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)]
    started += [CONTAINER["args"], unit()["ExecStart"].split()[1:]]
    assert len(started) == 3
    for name, *words in started:
        parser = ArgumentParser(exit_on_error=False)
        parser.add_argument("--config")
        COMMANDS[name].configure(parser)
        parser.parse_args(words)


def test_each_volume_holds_what_its_server_keeps() -> None:
    """case L3: a volume at another path stays empty, and `down` takes the data with the container."""
    for name, service in COMPOSE["services"].items():
        mounts = dict(reversed(volume.split(":")[:2]) for volume in service["volumes"] if volume[0] not in "./")
        (target,) = mounts
        assert Path(DATA[name]).is_relative_to(target), f"{name} keeps its data at {DATA[name]}"
        assert mounts[target] in COMPOSE["volumes"]
    assert len(COMPOSE["services"]) == len(COMPOSE["volumes"]) == len(DATA)
    (kept,) = re.findall(r"^VOLUME (\S+)$", DOCKERFILE, re.MULTILINE)
    assert kept == DATA["recordance"]


def test_the_parts_of_the_compose_file_fit_together() -> None:
    """Who waits for a server that tells nothing of its health waits forever; who may write nowhere needs places of its own."""
    services = COMPOSE["services"]
    for service in services.values():
        assert set(service.get("secrets", ())) <= COMPOSE["secrets"].keys()
        assert all(services[name]["healthcheck"]["test"] for name in service.get("depends_on", ()))
        assert service["read_only"] is True
        assert "/tmp" in service["tmpfs"]
        assert re.fullmatch(r"\$\{[A-Z]+_IMAGE:-[^}:]+(:[^}]+)?\}", service["image"])
    assert services["recordance"]["depends_on"].keys() == services.keys() - {"recordance"}
    taken = tomllib.loads((DEPLOY / "service.toml").read_text(encoding="utf-8"))
    files = [taken["truth_password_file"], taken["qdrant"]["api_key_file"]]
    assert files == [f"/run/secrets/{name}" for name in services["recordance"]["secrets"]]


def test_no_secret_is_shipped() -> None:
    """What is committed once is known forever."""
    assert set(MANIFESTS["secret.example.yaml"]["stringData"].values()) == {""}
    needed = {each["valueFrom"]["secretKeyRef"]["key"] for each in CONTAINER["env"] if "valueFrom" in each}
    assert needed == MANIFESTS["secret.example.yaml"]["stringData"].keys()
    assert all(secret["file"].startswith("./secrets/") for secret in COMPOSE["secrets"].values())
    assert "/deploy/secrets/" in (checkout.ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_an_image_is_built_of_what_its_context_holds() -> None:
    """The context leaves out all that is not named, so a file that is copied and not named is not there."""
    taken = {line[1:] for line in (checkout.ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"}
    copied = {name for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE) for name in line.split()}
    assert copied == taken
    assert all((checkout.ROOT / name).exists() for name in copied)


def test_the_program_runs_as_nobody_in_particular() -> None:
    """A number, since only of a number can be told that it is not root; and the same one wherever it is written."""
    (user,) = re.findall(r"^USER (\d+):\d+$", DOCKERFILE, re.MULTILINE)
    assert int(user) > 1_000
    assert int(user) == POD["securityContext"]["runAsUser"] == POD["securityContext"]["fsGroup"]
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert "pip" not in last
    assert "apt" not in last


def unit() -> dict[str, str]:
    """The directives of the systemd unit; of one that stands twice, the last."""
    lines = (DEPLOY / "recordance.service").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and line[0] != "#")


def test_systemd_understands_its_unit(tmp_path: Path) -> None:
    """A directive that it does not know is passed over, and what it was to fence stays open."""
    if (verify := shutil.which("systemd-analyze")) is None:
        pytest.skip("there is no systemd-analyze on this machine")
    text = (DEPLOY / "recordance.service").read_text(encoding="utf-8")
    copy = tmp_path / "recordance.service"
    copy.write_text(text.replace(unit()["ExecStart"].split()[0], shutil.which("true") or "/bin/true"), encoding="utf-8")
    assert list(complaints(verify, copy)) == []
    copy.write_text(text.replace("ProtectSystem=", "ProtectSistem="), encoding="utf-8")
    assert "ProtectSistem" in "".join(complaints(verify, copy))


def complaints(verify: str, file: Path) -> Iterator[str]:
    """What systemd says of the unit; it speaks of others on the machine, too."""
    said = subprocess.run([verify, "verify", file], capture_output=True, text=True, timeout=60, check=False).stderr
    yield from (line for line in said.splitlines() if file.name in line)


def test_the_unit_keeps_what_is_written_in_its_own_folder() -> None:
    """case L9: an update of the program never reaches its data."""
    assert unit()["ProtectSystem"] == "strict"
    assert unit()["DynamicUser"] == "yes"
    assert f"/var/lib/{unit()['StateDirectory']}" == DATA["recordance"]
    assert not unit()["ExecStart"].startswith(DATA["recordance"])
