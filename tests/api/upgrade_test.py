"""Databases of an earlier version are migrated, on both engines: no row is lost, and the service answers from them.

tests/db/old/ holds what commit 432ab7d had written after some use of each service, as SQL. tests/db/old/README.md says how
such a dump is made.
"""

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
import requests

from postgres import PROGRAMS, PostgresServer
from stack import CHECKOUT, Stack

OLD = CHECKOUT / "tests" / "db" / "old"
COMMIT = "432ab7d"
PASSED = {"schema_migrations", "schema_backfills", "assay_identity", "assay_probe"}  # written by every start
SETTINGS = {"experiments": ("AB_DATABASE_URL", "data/projects.sqlite3"), "support": ("DATABASE_URL", "data/support/support.sqlite3"),
            "orchestrator": ("ORCH_DB_DSN", "data/orch.sqlite3"), "livedata": ("LIVE_DATABASE_URL", "data/livedata.sqlite3")}
ENVIRONMENT = {"experiments": {"AB_API_TOKEN": "t" * 40, "AB_ADMIN_TOKEN": "a" * 40},
               "support": {"API_KEY": "support-key"},
               "orchestrator": {},
               "livedata": {"LIVE_API_KEYS": "key-of-ops:ops", "LIVE_ADMIN_KEY": "admin-key"}}


@pytest.fixture(scope="module")
def server():
    with PostgresServer() as server:
        yield server


class Sqlite:
    def __init__(self, directory, service):
        self.path = Path(directory, SETTINGS[service][1])
        self.environment = {}

    def load(self, dump):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path)) as connection:
            connection.executescript(dump)

    def ask(self, statement):
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(statement).fetchall()

    def columns(self):
        """Table -> the names of its columns."""
        tables = [name for name, in self.ask("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
        return {table: [row[1] for row in self.ask(f"PRAGMA table_info({table})")] for table in tables}


class Postgres:
    numbers = iter(range(1000))

    def __init__(self, server, service):
        self.url = server.create_database(f"old{next(self.numbers)}")
        self.environment = {SETTINGS[service][0]: self.url, "ORCH_STORAGE_BACKEND": "postgres"}

    def psql(self, *arguments, **options):
        return subprocess.run([PROGRAMS / "psql", self.url, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *arguments],
                              capture_output=True, text=True, check=True, **options).stdout

    def load(self, dump):
        self.psql(input=dump)

    def ask(self, statement):
        rows = self.psql("-c", f"SELECT coalesce(json_agg(x), '[]') FROM ({statement}) AS x")
        return [tuple(row.values()) for row in json.loads(rows)]

    def columns(self):
        tables = {}
        for table, column in self.ask("SELECT table_name, column_name FROM information_schema.columns"
                                      " WHERE table_schema = 'public' ORDER BY ordinal_position"):
            tables.setdefault(table, []).append(column)
        return tables


def rows_of(database, table, columns):
    names = ", ".join(f'"{name}"' for name in columns)
    return sorted(map(repr, database.ask(f"SELECT {names} FROM {table}")))


def experiments(get):
    headers = {"Authorization": "Bearer " + "t" * 40}
    projects = get("/api/v1/projects?include_archived=true", headers)
    assert sorted(project["project_name"] for project in projects["projects"]) == ["Archived", "Checkout 2"]
    [checkout] = [project for project in projects["projects"] if not project["is_archived"]]
    assert get(f"/api/v1/projects/{checkout['id']}", headers)["revision_count"] == 2
    assert get(f"/api/v1/experiments/{checkout['id']}/live-stats", headers)["exposures_total"] == 6
    assert [key["name"] for key in get("/api/v1/keys", {"Authorization": "Bearer " + "a" * 40})["keys"]] == ["kept"]


def support(get):
    headers = {"X-API-Key": "support-key"}
    [document] = get("/api/documents", headers)["documents"]
    assert document["source"] == "warranty.md"
    answer = get("/api/ask", headers, {"question": "What does E42 mean?"})
    assert "lid is open" in answer["answer"] and answer["sources"][0]["source"] == "warranty.md"


def orchestrator(get):
    tasks = get("/api/v1/tasks")
    assert [task["status"] for task in tasks] == ["failed", "succeeded", "succeeded"]
    task = get(f"/api/v1/tasks/{tasks[-1]['task_id']}")
    assert task["output_text"] == "yes" and [step["backend"] for step in task["steps"]] == ["api"]


def livedata(get):
    headers = {"X-API-Key": "key-of-ops"}
    order = get("/v1/entity/order/ORD-20260404-7777", headers)
    assert order["data"]["user_id"] == "USR-10001" and order["data"]["total_amount"] == 31.5
    assert [alert["name"] for alert in get("/v1/alerts", headers)["alerts"]] == ["kept"]
    assert [hook["url"] for hook in get("/v1/webhooks", headers)["webhooks"]] == ["http://127.0.0.1:9/b"]


@pytest.mark.parametrize("engine", ("sqlite", "postgres"))
@pytest.mark.parametrize("service", (experiments, support, orchestrator, livedata), ids=lambda check: check.__name__)
def test_an_earlier_database_is_migrated(server, tmp_path, service, engine):
    name = service.__name__
    dump = (OLD / f"{COMMIT}-{name}-{engine}.sql").read_text()
    with Stack(services=(name,)).prepare(ENVIRONMENT[name]) as stack:
        database = Sqlite(stack.directory, name) if engine == "sqlite" else Postgres(server, name)
        stack.env.update(database.environment)
        database.load(dump)
        before = {table: columns for table, columns in database.columns().items() if table not in PASSED}
        rows = {table: rows_of(database, table, columns) for table, columns in before.items()}
        applied = len(database.ask("SELECT version FROM schema_migrations"))
        assert sum(map(len, rows.values())) > 10 and applied < len(list((CHECKOUT / "sql" / name).glob("*.sql")))

        done = stack.run("run", "database", "start", name)
        assert done.returncode == 0, done.stdout + done.stderr
        after = database.columns()
        for table, columns in before.items():
            kept = [column for column in columns if column in after[table]]
            assert kept == columns, f"{table} has lost {set(columns) - set(kept)}"
            assert rows_of(database, table, columns) == rows[table], table

        done = stack.run("start")
        assert done.returncode == 0, done.stdout + done.stderr
        with requests.Session() as session:
            session.trust_env = False

            def get(path, headers=None, body=None):
                answer = session.request("POST" if body else "GET", stack.url_of(name) + path, headers=headers, json=body, timeout=30)
                assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:400]}"
                return answer.json()

            service(get)
