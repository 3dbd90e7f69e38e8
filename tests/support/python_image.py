"""A base image with Debian's Python, made of its packages, for where no registry gives the official one."""

import io
import ssl
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path

import docker

from support.debian import Ground, fetch

NAME = "recordance-test/python:debian"
_PACKAGES = ("python3", "python3-venv", "ca-certificates", "coreutils", "dash", "libc-bin")
_CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
_SETTINGS = ["ENV PATH=/usr/bin:/bin", f"ENV PIP_CERT=/{_CERTIFICATES}"]


def make_python_image() -> str:
    """Make the image in the engine and return its name. Raises Unfetched where Debian's packages cannot be had."""
    repository, _, tag = NAME.partition(":")
    with tempfile.TemporaryDirectory() as folder, closing(docker.from_env()) as client:
        root = fetch(_PACKAGES, Ground.NOTHING, Path(folder))
        client.api.import_image_from_data(_archive(root), repository=repository, tag=tag, changes=_SETTINGS)
    return NAME


def _archive(root: Path) -> bytes:
    """Return the packages' files, with the certificates that this machine trusts: theirs are set up by a script."""
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w") as archive:
        for path in sorted(root.iterdir()):
            archive.add(path, path.name)
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        archive.addfile(folder)
        trusted = ssl.get_default_verify_paths().cafile or f"/{_CERTIFICATES}"
        archive.add(Path(trusted).resolve(), _CERTIFICATES)
    return kept.getvalue()
