"""Fixtures of the tests of nginx/stack: stacks with echo_responder.c behind the sockets."""

import shutil
import subprocess

import pytest

from echo import POOLS
from stack import BUILD, CHECKOUT, ROWS, Stack


@pytest.fixture(scope="session")
def echo_build(tmp_path_factory):
    programs = tmp_path_factory.mktemp("echo") / "fcgi-bin"
    programs.mkdir()
    source = CHECKOUT / "tests" / "faults" / "echo_responder.c"
    first = programs / POOLS[0]
    subprocess.run(["gcc", "-O1", str(source), "-o", str(first), "-lfcgi"], check=True)
    for other in (*POOLS[1:], "accounts-people", "accounts-mcp"):  # people sign in to every stack
        shutil.copy(first, programs / other)
    (programs.parent / "cron-bin").mkdir()
    (programs.parent / "cron-bin" / "database").symlink_to((BUILD / "cron-bin" / "database").resolve())
    for row in ROWS:
        if row[:1] == ["program"]:
            program = programs.parent / "cron-bin" / row[2]
            program.write_text("#!/bin/sh\nexec sleep infinity\n")
            program.chmod(0o755)
    return programs.parent


@pytest.fixture(scope="module")
def echo(echo_build, tmp_path_factory):
    """One stack for all tests that do not stop or break it."""
    with Stack(echo_build) as stack:
        yield stack.start(directory=tmp_path_factory.mktemp("shared stack"))


@pytest.fixture
def own(echo_build, tmp_path):
    """A stack that the test may break; not started yet."""
    with Stack(echo_build) as stack:
        yield stack.prepare(directory=tmp_path / "a stack")
