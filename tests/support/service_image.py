"""The service's image, built by the shipped Dockerfile on the official Python, or on Debian's where that is not to be had."""

from contextlib import closing

import docker
import docker.errors

from support import checkout
from support.images import NoImage, obtain
from support.python_image import make_python_image

NAME = "recordance-test/service:this"
OFFICIAL = "python:3.13-slim"
BOUND = 280


def make_service_image() -> str:
    """Build the image and return its name. Raises Unfetched where there is nothing to build it on."""
    try:
        ground = obtain(OFFICIAL)
    except NoImage:
        ground = make_python_image()
    with closing(docker.from_env(timeout=BOUND)) as client:
        try:
            client.images.build(
                path=str(checkout.ROOT),
                dockerfile="deploy/Dockerfile",
                tag=NAME,
                buildargs={"PYTHON_IMAGE": ground},
                network_mode="host",  # an engine that leaves the machine's network alone gives a build no other way out
                rm=True,
                forcerm=True,
            )
        except docker.errors.BuildError as problem:
            said = "".join(str(line.get("stream", line.get("error", ""))) for line in problem.build_log)
            raise AssertionError(said[-6000:]) from problem
    return NAME
