"""Keeps a Docker engine of Debian's packages for as long as somebody holds this program's input open; run by docker_engine.

It says "ready" and the engine's address, or "unfetched" and why, in one line. When its input ends, be it because whoever held it
was killed, it ends the engine with its containers and leaves no process, no folder and no network. Everything has its bound.
"""

import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import docker
import docker.errors
import requests

from support.debian import Ground, Unfetched, fetch
from support.remains import await_that

ANSWER_SECONDS = 30
END_SECONDS = 40
_PLENTY = 8 * 2**30


def main() -> int:
    """Keep an engine until the input ends."""
    # What asks the group of whoever holds the input to end does not reach here: the end of the input does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        with _engine() as address:
            print("ready", address, flush=True)
            sys.stdin.read()
    except Unfetched as problem:
        print("unfetched", problem, flush=True)
    return 0


def answers(address: str | None = None) -> bool:
    """Return whether an engine answers at an address, or else where this user's environment leads to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the client forgets the socket of a connection that was refused
        try:
            client = docker.from_env(timeout=5) if address is None else docker.DockerClient(base_url=address, timeout=5)
            with closing(client):
                return bool(client.ping())
        except (docker.errors.DockerException, requests.RequestException):
            return False
        finally:
            gc.collect()


@contextmanager
def _engine() -> Iterator[str]:
    """Start an engine in a folder of its own and give its address; leave nothing of it."""
    with ExitStack() as ending:
        folder = Path(tempfile.mkdtemp(prefix="engine-", dir=_quick()))  # a short one: a socket's path may have 108 bytes
        ending.callback(_remove, folder)
        programs = _programs(folder / "packages")
        bridge = ending.enter_context(_bridge(programs))
        yield ending.enter_context(_running(folder, bridge, programs))


def _quick() -> Path | None:
    """Return a place in memory where there is plenty: what the engine keeps is gone at the end, and no disk need hold it."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > _PLENTY else None


def _programs(folder: Path) -> Mapping[str, str]:
    """Return the environment in which the engine's programs and libraries are found, fetched if need be. Raises Unfetched."""
    if all(map(shutil.which, ("dockerd", "containerd", "runc", "ip"))):
        return os.environ
    root = fetch(["docker.io", "iproute2"], Ground.THIS_MACHINE, folder)
    places = os.pathsep.join([f"{root}/usr/sbin", f"{root}/usr/bin", os.environ.get("PATH", os.defpath)])
    libraries = os.pathsep.join(sorted({str(path.parent) for path in root.rglob("*.so.*")}))
    # Containers find each other's names by rules in their own network; an install would choose which of two programs lays them.
    (root / "usr/sbin/iptables").symlink_to("iptables-nft")
    modules = next((str(path) for path in root.rglob("xtables") if path.is_dir()), "")
    return {**os.environ, "PATH": places, "LD_LIBRARY_PATH": libraries, "XTABLES_LIBDIR": modules}


@contextmanager
def _bridge(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Lay a bridge of the engine's own; give its name and how its addresses begin, which no other engine here gives."""
    taken = _ip(environment, "-4", "-oneline", "address")
    number = next(each for each in random.SystemRandom().sample(range(1, 255), 200) if f" 172.30.{each}." not in taken)
    name = f"recordance{number}"
    _ip(environment, "link", "add", "name", name, "type", "bridge")
    try:
        _ip(environment, "address", "add", f"172.30.{number}.1/25", "dev", name)
        yield name, f"172.30.{number}."
    finally:
        _ip(environment, "link", "delete", name)


def _ip(environment: Mapping[str, str], *words: str) -> str:
    program = shutil.which("ip", path=environment.get("PATH"))
    assert program is not None
    done = subprocess.run([program, *words], env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"
    return done.stdout


@contextmanager
def _running(folder: Path, bridge: tuple[str, str], environment: Mapping[str, str]) -> Iterator[str]:
    """Run the engine without touching the machine's network, and end it by its own process id."""
    socket, log, (name, addresses) = folder / "docker.sock", folder / "log", bridge
    command = [
        shutil.which("dockerd", path=environment.get("PATH")) or "dockerd",
        *("--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false"),
        *("--bridge", name, "--fixed-cidr", f"{addresses}0/25", "--default-address-pool", f"base={addresses}128/25,size=28"),
        *("--shutdown-timeout", "5"),
        *("--data-root", f"{folder}/data", "--exec-root", f"{folder}/run"),
        *("--host", f"unix://{socket}", "--pidfile", f"{folder}/docker.pid"),
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        _await_answer(process, f"unix://{socket}", log)
        yield f"unix://{socket}"
    finally:
        _end(process)


def _await_answer(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    def is_up() -> bool:
        assert process.poll() is None, f"the engine ended at its start:\n{log.read_text(errors='replace')[-4000:]}"
        return answers(address)

    await_that(is_up, ANSWER_SECONDS)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the engine to end; it ends its containers first. What does not end in time is killed with all that it started."""
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(END_SECONDS)


def _remove(folder: Path) -> None:
    """Remove the folder; what the engine left mounted in it is unmounted before."""
    mounted = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for place in sorted((each for each in mounted if each.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", place], check=False, timeout=30)
    shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
