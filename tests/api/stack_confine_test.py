"""Workers are confined by the kernel, where it can: no programs, no files outside their folders."""

import os
import socket
import subprocess
from pathlib import Path

import pytest
import requests

from conftest import OPEN, new_stack
from wait import wait_for
from project_fixtures import PROJECTS, payload
from stack import CHECKOUT


def status_of(pid, name):
    """One line of what the kernel says of a process."""
    (line,) = (line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1])


@pytest.fixture
def started(tmp_path):
    """Starts a stack with more settings than the usual ones; all of them end with the test."""
    every = []

    def start(**settings):
        stack = new_stack()
        every.append(stack)
        return stack.start({**OPEN, **settings}, tmp_path / f"stack-{len(every)}")

    yield start
    for stack in every:
        stack.close()


def guards_of(stack):
    return requests.get(f"{stack.base_url}/api/v1/diagnostics", timeout=10).json()["guards"]


def test_workers_are_confined_and_say_so(started):
    stack = started(AB_CONFINE="auto")
    guards = guards_of(stack)
    assert guards["confine"] == "auto"
    workers = [pid for pool in ("system", "analysis", "projects", "operations") for pid in stack.workers(f"experiments-{pool}")]
    assert len(workers) >= 4
    wait_for(lambda: all((status_of(pid, "Seccomp") == 2) == guards["confined_calls"] for pid in workers),
          told=lambda: str([status_of(pid, "Seccomp") for pid in workers]))  # the last of them may just have been started
    assert ("not_confined" in stack.logs()) == (not (guards["confined_calls"] and guards["confined_files"]))
    for _ in range(3):
        requests.post(stack.base_url + PROJECTS, json=payload(), timeout=10).raise_for_status()


def test_off_leaves_them_free(started):
    stack = started(AB_CONFINE="off")
    guards = guards_of(stack)
    assert (guards["confine"], guards["confined_files"], guards["confined_calls"]) == ("off", False, False)
    assert {status_of(pid, "NoNewPrivs") for pid in stack.workers("experiments-projects")} == {0}
    assert "not_confined" not in stack.logs()


STORING = [*(f"experiments-{name}" for name in ("system", "reports", "projects", "live", "chat", "operations")), "accounts-people"]


def holds_database(pid):
    try:
        return any("/data/" in os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False  # a file or the worker is gone meanwhile


def all_have_databases(stack):
    """The last pools begin when the stack has started; a worker that begins makes the folder of its database."""
    workers = {pool: stack.workers(pool) for pool in STORING}
    return all(len(pids) == stack.size_of(pool) and all(map(holds_database, pids)) for pool, pids in workers.items())


@pytest.mark.parametrize("confine", ["auto", "off"])
def test_no_file_outside_the_folder(started, tmp_path, confine):
    """The data folder becomes a link to another place once the workers run: confined or not, none follows it."""
    stack = started(AB_CONFINE=confine)
    wait_for(lambda: all_have_databases(stack))
    for _ in range(8):
        requests.post(stack.base_url + PROJECTS, json=payload(), timeout=10).raise_for_status()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    data = stack.directory / "data"
    data.rename(stack.directory / "data-before")
    data.symlink_to(elsewhere)
    answer = requests.post(stack.base_url + PROJECTS, json=payload(), timeout=10)
    assert answer.status_code == 503 and answer.headers["X-Error-Reason"] == "database_replaced", answer.text
    assert list(elsewhere.iterdir()) == []


def test_on_refuses_to_start_where_it_cannot_be(tmp_path):
    program = CHECKOUT / "build" / "fcgi-bin" / "experiments-system"
    settings = {"AB_CONFINE": "on", "AB_DB_PATH": "/proc/nowhere/x.sqlite3", "ASSAY_RUN_DIR": str(tmp_path),
                "ASSAY_STATE_DIR": str(tmp_path), "ASSAY_SQL_DIR": str(CHECKOUT / "sql"),
                "ASSAY_LOCALES_DIR": str(CHECKOUT / "locales")}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        done = subprocess.run([program], stdin=listener, env=settings, cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert done.returncode != 0 and "this process cannot be confined" in done.stdout + done.stderr, done
