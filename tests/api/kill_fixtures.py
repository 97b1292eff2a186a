"""A library that kills the program it is preloaded into at the step that KILL_AT_STEP says."""

import subprocess

import pytest

from stack import CHECKOUT


@pytest.fixture(scope="module")
def kill_library(tmp_path_factory):
    library = tmp_path_factory.mktemp("kill") / "kill_at_step.so"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", library, CHECKOUT / "tests/faults/kill_at_step.c", "-ldl"],
                   check=True)
    return library
