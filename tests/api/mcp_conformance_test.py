"""The official conformance suite of MCP against common/mcp: a stack whose family mcp offers the tools that the suite calls
(tests/mcp_conformance/responder.c) beside all tools of experiments. What is not supported is in the baseline with its reason; a
scenario that fails without being there fails the test, and so does one that is there and passes."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from service import Service
from stack import BUILD, CHECKOUT

FOLDER = CHECKOUT / "tests" / "mcp_conformance"


@pytest.fixture(scope="module")
def conformance():
    made = subprocess.run([FOLDER / "install"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """The build as it is, but for the two families."""
    build = tmp_path_factory.mktemp("build")
    (build / "fcgi-bin").mkdir()
    for program in (BUILD / "fcgi-bin").iterdir():
        stands_for = program.name in ("experiments-chat", "experiments-mcp")
        (build / "fcgi-bin" / program.name).symlink_to(BUILD / "tests/mcp_conformance/responder" if stands_for else program)
    (build / "cron-bin").symlink_to(BUILD / "cron-bin")
    service = Service("experiments", {"AB_RATE_LIMIT_ENABLED": "false", "ASSAY_CONNECTIONS_PER_CLIENT": "0"})
    service.stack.build = build
    with service:
        yield service.url + "/mcp"


def test_the_official_suite(conformance, url):
    done = subprocess.run(
        ["node", conformance / "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server", "--url", url, "--suite", "all",
         "--expected-failures", FOLDER / "baseline.yaml"], capture_output=True, text=True, timeout=300, cwd=conformance,
        env={"PATH": os.environ["PATH"], "HOME": str(conformance)})
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    passed = re.findall(r"^✓ ([\w-]+): \d+ passed, 0 failed", done.stdout, re.M)
    assert len(passed) >= 15, done.stdout
