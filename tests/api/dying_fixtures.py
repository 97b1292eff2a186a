"""A library that kills the program it is preloaded into at the step that DYING_AT says."""

import subprocess

import pytest

from stack import CHECKOUT


@pytest.fixture(scope="module")
def dying(tmp_path_factory):
    library = tmp_path_factory.mktemp("dying") / "dying.so"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", library, CHECKOUT / "tests/api/dying.c", "-ldl"],
                   check=True)
    return library
