"""The systemd units: systemd takes them, and what they allow is enough for the stack."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from conftest import OPEN, new_stack
from stack import CHECKOUT

UNITS = CHECKOUT / "nginx" / "systemd"
UNDER = [sys.executable, str(Path(__file__).with_name("under_filter.py"))]
POOL = UNITS / "assay-pool@.service"
sanitized = pytest.mark.skipif(bool(os.environ.get("SANITIZE")), reason="such workers are not confined")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The units as they would be installed, for the programs of this checkout."""
    folder = tmp_path_factory.mktemp("units")
    for unit in UNITS.glob("assay*.*"):
        if unit.suffix != ".tmpfiles":
            (folder / unit.name).write_text(unit.read_text().replace("/opt/assay", str(CHECKOUT)))
    return folder


def names(command):
    return subprocess.run([CHECKOUT / "nginx" / "stack", command], capture_output=True, text=True, check=True).stdout.split()


def test_systemd_takes_them(installed):
    """Every unit, the templates for each pool and program."""
    units = [unit.name for unit in installed.iterdir() if "@" not in unit.name]
    units += [f"assay-pool@{name}.{kind}" for name in names("pools") for kind in ("service", "socket")]
    units += [f"assay-program@{name}.service" for name in names("programs") or ["some"]]
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *(str(installed / unit) for unit in units)],
                          capture_output=True, text=True, check=False, env={**os.environ, "SYSTEMD_UNIT_PATH": f"{installed}:"})
    ours = [line for line in done.stderr.splitlines() if "assay" in line]
    assert done.returncode == 0 and ours == [], done.stderr


def test_a_program_ends_where_the_settings_do_not_want_it(tmp_path):
    """Every program has a unit, so that new settings need no other; systemd leaves alone what ends so."""
    text = (UNITS / "assay-program@.service").read_text()
    assert "accounts-log-export" in names("programs") and "RestartPreventExitStatus=77\nSuccessExitStatus=77\n" in text
    stack = new_stack().prepare(OPEN, tmp_path / "stack")
    done = stack.run("stay", "accounts-log-export")
    assert done.returncode == 77 and "do not want accounts-log-export" in done.stdout
    wrong = {"ASSAY_OTLP_ENDPOINT": "http://127.0.0.1:9", "ASSAY_OTLP_LOG_LEVEL": "loud"}
    done = stack.run("stay", "accounts-log-export", env=wrong)  # it is started, and refuses its own setting
    assert done.returncode == 1 and "ASSAY_OTLP_LOG_LEVEL" in done.stderr


def test_none_is_forgotten():
    """Units name services only by the instance."""
    for unit in UNITS.iterdir():
        text = "\n".join(line for line in unit.read_text().splitlines() if not line.startswith("#"))
        assert "experiments" not in text, unit.name


@sanitized
def test_workers_confine_themselves_under_the_filter(tmp_path):
    stack = new_stack().prepare({**OPEN, "AB_CONFINE": "auto"}, tmp_path / "stack")
    try:
        done = stack.run("start", under=[*UNDER, str(POOL)])
        assert done.returncode == 0, done.stderr
        guards = requests.get(f"{stack.base_url}/api/v1/diagnostics", timeout=10).json()["guards"]
        assert guards["confined_calls"] and "not_confined" not in stack.logs().replace("Landlock", "")
        assert requests.get(f"{stack.base_url}/readyz", timeout=10).status_code == 200
        calls = "landlock_create_ruleset" if guards["confined_files"] else "seccomp"
    finally:
        stack.close()
    stack = new_stack().prepare({**OPEN, "AB_CONFINE": "on", "ASSAY_START_SECONDS": 1}, tmp_path / "refused")
    try:
        done = stack.run("start", under=[*UNDER, "--without", calls, str(POOL)])
        assert done.returncode == 1 and "this process cannot be confined" in done.stderr
    finally:
        stack.close()


def test_pools_get_their_settings(tmp_path):
    """assay-prepare writes what the units read; quotes and dollars survive."""
    stack = new_stack().prepare({"AB_API_TOKEN": 'a "quoted" $HOME `id` \\ token', "ASSAY_WORKERS_EXPERIMENTS_COMPUTE": 3},
                                tmp_path / "rendered")
    done = stack.run("render")
    assert done.returncode == 0, done.stderr
    text = (stack.directory / "run" / "experiments-compute.environment").read_text()
    assert 'AB_API_TOKEN="a \\"quoted\\" \\$HOME \\`id\\` \\\\ token"\n' in text
    assert "ASSAY_POOL_WORKERS=3\n" in text and "ASSAY_STACK" not in text
    assert f'ASSAY_OPENAPI_FILE="{stack.directory}/run/experiments-openapi.json"\n' in text
    shutil.rmtree(stack.directory)
    stack.directory = None
