"""Whatever fails inside a request, there is one whole answer, nothing is half-written, nothing stays behind.

The work is done by tests/faults/walk.c, one program per family: it walks all routes of the family's table.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SOAK
from service import DATABASE_SETTINGS
from stack import BUILD, CHECKOUT, clean_environment

sys.path.insert(0, str(CHECKOUT / "tests" / "db"))
from postgres import PostgresServer  # noqa: E402  (found by the line above)

# The settings of a walk by service: its database in this folder, and nobody to call outside.
SETTINGS = {
    "experiments": lambda folder: {"AB_DB_PATH": str(folder / "db.sqlite3"), "AB_LLM_BASE_URL": "http://127.0.0.1:1"},
    "livedata": lambda folder: {"LIVE_DB_PATH": str(folder / "db.sqlite3")},
    "support": lambda folder: {"DATA_DIR": str(folder)},
    "orchestrator": lambda folder: {"ORCH_DB_PATH": str(folder / "db.sqlite3")},
    "accounts": lambda folder: {"ASSAY_ACCOUNTS_DATABASE_URL": str(folder / "accounts.db")},
}
FAMILIES = sorted(main.parent.name for main in (CHECKOUT / "fcgi-bin").glob("*-*/main.c"))
# Where memory is a disk: only failing writes matter here, not slow ones.
MEMORY = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None


def walk(family, directory, settings, *arguments):
    """The lines of a walk, once it went well."""
    document = Path(directory, "openapi.json")
    responder = BUILD / "fcgi-bin" / family
    environment = {**clean_environment(), "ASSAY_STATE_DIR": str(Path(directory, family)),
                   "ASSAY_ACCOUNTS_DATABASE_URL": str(Path(directory, "accounts.db")), **settings}
    document.write_bytes(subprocess.run([responder, "--describe"], env=environment, cwd=CHECKOUT, capture_output=True,
                                        check=True).stdout)
    for service in {family.split("-")[0], "accounts"}:
        subprocess.run([BUILD / "cron-bin" / "database", "start", service], env=environment, cwd=CHECKOUT, check=True)
    environment["ASSAY_OPENAPI_FILE"] = str(document)
    if SOAK:
        environment["ASSAY_TEST_SOAK"] = "1"
    done = subprocess.run([BUILD / "tests" / "faults" / f"walk-{family}", *arguments], cwd=CHECKOUT, env=environment,
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert lines[-1] == f"{len(lines) - 1} passed, 0 failed"
    return lines[:-1]


@pytest.fixture
def fast_directory(tmp_path_factory):
    """A directory in memory where there is one."""
    if MEMORY is None:
        yield tmp_path_factory.mktemp("faults")
        return
    directory = Path(subprocess.check_output(["mktemp", "-d", "-p", MEMORY, "assay-faults-XXXXXX"], text=True).strip())
    yield directory
    subprocess.run(["rm", "-rf", directory], check=True)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_route_survives_every_fault(family, fast_directory):
    lines = walk(family, fast_directory, SETTINGS[family.split("-")[0]](fast_directory))
    assert all("arena 0," not in line for line in lines), "a walk that reached nothing"
    for line in lines:
        writes = line.split()[0] in ("POST", "PUT", "DELETE") and "/projects" in line and "/compare" not in line
        assert not writes or "writes 0" not in line, line
        streams = any(word in line.split()[1] for word in ("stream", "chat/completions", "{session_id}/events", "/agent/events"))
        assert streams == ("pieces 0" not in line), line


@pytest.mark.parametrize("family", [family for family in FAMILIES if family.endswith("-mcp")])
def test_tools_are_listed_under_every_fault(family, fast_directory):
    """Where the documents of routes are composed, which the walk above does without."""
    folder = fast_directory / "run"
    folder.mkdir()
    for service in ("experiments", "support", "orchestrator", "livedata"):
        other = next(name for name in FAMILIES if name.startswith(service) and not name.endswith("-mcp"))
        environment = {**clean_environment(), "ASSAY_STATE_DIR": str(fast_directory), **SETTINGS[service](fast_directory)}
        (folder / f"{service}-openapi.json").write_bytes(subprocess.run(
            [BUILD / "fcgi-bin" / other, "--describe"], env=environment, cwd=CHECKOUT, capture_output=True, check=True).stdout)
    settings = {**SETTINGS[family.split("-")[0]](fast_directory), "ASSAY_RUN_DIR": str(folder)}
    line, = walk(family, fast_directory, settings)
    assert "arena 0," not in line and "200:" in line


def test_every_route_answers_on_postgres(tmp_path):
    """Every statement of a route that its example reaches is one that PostgreSQL understands."""
    with PostgresServer() as server:
        for family in FAMILIES:
            service = family.split("-")[0]
            database = {DATABASE_SETTINGS[service]: server.create_database(family.replace("-", "_"))}
            folder = tmp_path / family
            folder.mkdir()
            walk(family, folder, {**SETTINGS[service](folder), **database}, "once")


def test_every_change_survives_every_step_on_postgres(tmp_path):
    with PostgresServer() as server:
        for family in ("experiments-projects", "experiments-operations", "orchestrator-keys", "orchestrator-tasks"):
            service = family.split("-")[0]
            folder = tmp_path / family
            folder.mkdir()
            database = {DATABASE_SETTINGS[service]: server.create_database(family.replace("-", "_"))}
            lines = walk(family, folder, {**SETTINGS[service](folder), **database}, "steps")
            assert any(", steps 0," not in line for line in lines)
