"""The Debian package from its installation to its purge, on a machine of its own: tests/package/run."""

import os
import re
import sys
import time
from pathlib import Path

import pytest
import requests

from machine import USER, Machine

sys.path.append(str(Path(__file__).resolve().parents[1] / "api"))
from openapi import Document

HOME = "/var/lib/assay"
HEALTH = {"experiments": ":8008/health", "support": ":8009/api/health/live", "livedata": ":8010/health/live",
          "orchestrator": ":8011/healthz/live", "portal": ":8080/"}
TOKEN = "a-token-for-the-package-test"
PROJECTS = "http://127.0.0.1:8008/api/v1/projects"


@pytest.fixture(scope="module")
def machine():
    made = Machine(own=os.environ["ASSAY_PACKAGE_MACHINE"] == "own")
    yield made
    made.close()


@pytest.fixture(scope="module")
def installed(machine):
    machine.install(os.environ["ASSAY_PACKAGE"])
    return machine


def get(address):
    return requests.get(f"http://127.0.0.1{address}", timeout=10)


def await_answer(address):
    deadline = time.monotonic() + 20
    while True:
        try:
            answer = get(address)
            if answer.status_code == 200 or time.monotonic() > deadline:
                return answer
        except requests.ConnectionError:
            assert time.monotonic() < deadline, f"{address} does not answer"
        time.sleep(0.05)


def answers(machine):
    for service, address in HEALTH.items():
        assert await_answer(address).status_code == 200, service
    page = get(":8008/")
    assert page.status_code == 200 and "<html" in page.text
    script = re.search(r'src="(/static/[^"]+\.js)"', page.text)[1]
    assert get(f":8008{script}").status_code == 200
    assert get(":8008/openapi.json").json()["paths"]
    answer = requests.post("http://127.0.0.1:8008/api/v1/srm-check", timeout=10, headers={"Authorization": f"Bearer {TOKEN}"},
                           json={"observed_counts": [5000, 5000], "expected_fractions": [0.5, 0.5]})
    assert answer.status_code == 200 and answer.json()["p_value"] == 1
    assert requests.get(PROJECTS, timeout=10).status_code == 401
    return page


def projects(**request):
    return requests.request("POST" if request else "GET", PROJECTS, timeout=10,
                            headers={"Authorization": f"Bearer {TOKEN}"}, **request).json()


def test_installation(installed):
    account = installed.users()[USER]
    assert account[5] == HOME and account[6].endswith("nologin")
    assert installed.path(HOME).stat().st_uid == int(account[2])
    assert oct(installed.path("/etc/assay/assay.env").stat().st_mode)[-3:] == "640"
    assert installed.run("dpkg", "--verify", "assay") == ""
    fields = installed.run("dpkg-query", "-W", "-f", "${Status}\n${Conffiles}\n", "assay")
    assert fields.startswith("install ok installed\n") and "/etc/assay/assay.env" in fields and "/etc/cron.d/assay" in fields
    assert "/etc/logrotate.d/assay" in fields and "/var/lib/assay/log/*.log" in installed.path("/etc/logrotate.d/assay").read_text()
    units = {path.name for path in installed.path("/etc/systemd/system").rglob("assay*")}
    for pool in installed.run("/usr/lib/assay/nginx/stack", "pools").split():
        assert f"assay-pool@{pool}.socket" in units
    for program in installed.run("/usr/lib/assay/nginx/stack", "programs").split():
        assert f"assay-program@{program}.service" in units
    assert {"assay.target", *(f"assay-{name}.timer" for name in ("watch", "hourly", "daily", "weekly", "backup"))} <= units
    assert "/opt/" not in "".join(path.read_text() for path in installed.path("/lib/systemd/system").glob("assay*"))


def test_settings_are_a_conffile(installed):
    """What is written there holds, for the stack and after an upgrade."""
    with open(installed.path("/etc/assay/assay.env"), "a", encoding="utf-8") as file:
        file.write(f"AB_API_TOKEN={TOKEN}\nASSAY_OTLP_ENDPOINT=http://127.0.0.1:9\n")
    assert "everybody may read" not in installed.run("assay", "run", "retention-purge", "--dry-run")


def test_units_start_all_of_it(installed):
    machine = installed
    machine.run("systemd-tmpfiles", "--create", "/usr/lib/tmpfiles.d/assay.conf")
    machine.start("assay-prepare.service", wait=True)
    for pool in machine.run("/usr/lib/assay/nginx/stack", "pools").split():
        machine.start_pool(pool)
    machine.start("assay-nginx.service")
    for program in machine.run("/usr/lib/assay/nginx/stack", "programs").split():
        machine.start(f"assay-program@{program}.service")
    answers(machine)
    created = projects(json=example())
    assert created["id"], created
    machine.start("assay-backup.service", wait=True)
    assert len(list(machine.path(f"{HOME}/backups").iterdir())) == 1
    for name in ("watch", "hourly", "daily", "weekly"):
        machine.start(f"assay-{name}.service", wait=True)
        assert "No such file" not in machine.log(f"assay-{name}.service") and "Permission denied" not in machine.log(f"assay-{name}.service")
    ended = {name: process.poll() for process, name, _ in machine.pieces if process.poll() is not None}
    assert set(ended.values()) <= {77}, ended  # what the settings do not want
    assert "assay-program@experiments-bridge.service" in ended
    assert not [name for name in ended if "-export" in name]
    machine.stop_all()


def example():
    """A project that the service accepts: the one that its own API document gives."""
    document = Document(get(":8008/openapi.json").json())
    return document.example(document.find("POST", "/api/v1/projects"))


def test_cron_does_the_same(installed):
    """Without systemd: every line runs as the user, and not beside systemd."""
    lines = [line for line in installed.path("/etc/cron.d/assay").read_text().splitlines() if line[0] != "#"]
    assert len(lines) >= 10 and lines[0].startswith("@reboot assay ")
    for line in lines:
        assert re.match(r"(@reboot|(\S+ ){4}\S+) assay \[ -d /run/systemd/system \] \|\| /usr/lib/assay/nginx/stack ", line), line
    purge = next(line for line in lines if "retention-purge" in line).split(" assay ", 1)[1]
    installed.run("sh", "-c", purge, user=USER)
    installed.path("/run/systemd/system").mkdir(parents=True)
    installed.run("sh", "-c", lines[0].split(" assay ", 1)[1], user=USER)
    installed.path("/run/systemd/system").rmdir()
    assert installed.processes() == {}


def test_command_and_upgrade(installed):
    """The suite comes back with its data and settings after a new package went over it."""
    assert "portal" in installed.run("assay", "start")
    answers(installed)
    before = set(installed.processes())
    installed.install(os.environ["ASSAY_PACKAGE"])
    answers(installed)
    assert not before & set(installed.processes())
    assert projects()["total"] == 1
    assert "http://127.0.0.1:8008" in installed.run("assay", "status")


def test_removal_stops_it_and_leaves_settings_and_data(installed):
    assert installed.processes()
    installed.dpkg("--remove", "assay")
    assert installed.processes() == {}
    left = {path.name for path in installed.path(HOME).iterdir()}
    assert {"data", "state", "backups"} <= left and not left & {"run", "tmp", "conf"}
    assert TOKEN in installed.path("/etc/assay/assay.env").read_text()
    assert not installed.path("/usr/lib/assay").exists() and not installed.path("/usr/sbin/assay").exists()
    assert not list(installed.path("/etc/systemd/system").rglob("assay*"))
    installed.install(os.environ["ASSAY_PACKAGE"])
    installed.run("assay", "start")
    answers(installed)
    assert projects()["total"] == 1


# What belongs to dpkg, to the accounts and to logs of the system itself.
OTHERS = re.compile(r"/var/lib/(dpkg|systemd)/|/var/log/|/var/cache/|/etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$"
                    r"|/etc/\.pwd\.lock$|/(run|tmp)/")


def test_purge_leaves_nothing_but_data(installed):
    installed.dpkg("--purge", "assay")
    assert installed.processes() == {}
    ours = {path for path in installed.changed() if not OTHERS.search(path)}
    data = {path for path in ours if re.match(rf"{HOME}/(data|state|backups)/", path)}
    assert ours - data == set()
    assert len([path for path in data if re.match(rf"{HOME}/data/[a-z_/]+\.sqlite3$", path)]) == 4, data
    assert USER in installed.users(), "the data belong to somebody"
    assert "assay" not in installed.run("dpkg-query", "-W", "-f", "${Package}\n").split()
