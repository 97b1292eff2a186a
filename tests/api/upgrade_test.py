"""From a database of the first migration alone to the newest schema, with every row in it; what
readiness and diagnostics tell of the storage. On both engines."""

import json
import random
import re
import threading
import uuid
from collections import Counter

import pytest

from project_lists_test import SORTS, WORDS, Model, check
from project_fixtures import (
    CLOSED, METRICS, OPEN, PROJECTS, Database, Store, analysis, check_whole, create, expect, payload, stored_form)
from stack import CHECKOUT

pytestmark = pytest.mark.both_engines

pytest_plugins = ["store_fixtures"]

MIGRATIONS = sorted((CHECKOUT / "sql" / "experiments").glob("*.sql"))
SQLITE_ONLY = {"0004_cheap_writes.sql"}
VERSION = {"sqlite": 16, "postgres": 17}
# What the first migration's words were when it was applied.
WORDS_OF_SQL = {
    "sqlite": {"text": "TEXT", "json": "TEXT", "integer": "INTEGER", "strict": "STRICT"},
    "postgres": {"text": 'TEXT COLLATE "C"', "json": "JSONB", "integer": "BIGINT", "strict": ""},
}
COUNT = 160


def quoted(value):
    return "NULL" if value is None else str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def insert(table, rows):
    columns = list(rows[0])
    values = ",\n".join("(" + ", ".join(quoted(row[c]) for c in columns) + ")" for row in rows)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {values}"


def first_schema(engine):
    """The first migration as it was applied, and the note that it was."""
    first = MIGRATIONS[0]
    script = re.sub(r"\{(\w+)\}", lambda word: WORDS_OF_SQL[engine][word[1]], first.read_text())
    script += (";\nCREATE TABLE schema_migrations (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL,"
               " applied_at TEXT NOT NULL);\n"
               f"INSERT INTO schema_migrations VALUES (1, '{first.name}', '2026-01-01T00:00:00.000000+00:00')")
    return script + ("; PRAGMA user_version = 1" if engine == "sqlite" else "")


class Old:
    """Rows of the time of the first migration, and what a list should make of them. Words of every
    script are in the names; revisions, runs and exports hang on some."""

    def __init__(self, seed=11):
        self.chance = random.Random(seed)
        self.projects, self.revisions, self.runs, self.exports, self.items, self.payloads = [], [], [], [], [], {}
        for number in range(COUNT):
            self.add(number)

    def moment(self):
        return f"2026-02-{self.chance.randint(1, 9):02}T08:00:00.{self.chance.randint(0, 3):06}+00:00"

    def new_id(self):
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def text(self):
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(0, 3)))

    def add(self, number):
        project, metric = self.new_id(), self.chance.choice(list(METRICS))
        name, hypothesis, change = self.text(), self.text(), self.text()
        document = stored_form(payload(name, metric, hypothesis={
            "hypothesis_statement": hypothesis, "change_description": change}))
        created, updated = sorted((self.moment(), self.moment()))
        archived = updated if number % 4 == 0 else None
        runs = [(self.new_id(), f"2026-02-1{n}T09:00:00.000000+00:00", self.chance.choice([3, 8, 8, 21]))
                for n in range(self.chance.choice([0, 0, 1, 3]))]
        self.runs += [{"id": i, "project_id": project, "created_at": at, "analysis_json": json.dumps(
            analysis(days=days), ensure_ascii=False)} for i, at, days in runs]
        revisions = self.chance.randint(1, 3)
        for n in range(1, revisions + 1):
            self.revisions.append({
                "id": self.new_id(), "project_id": project, "number": n, "payload_json": json.dumps(document, ensure_ascii=False),
                "source": "create" if n == 1 else "update", "created_at": updated if n == revisions else created[:-9] + f"{n:03}+00:00"})
        self.exports += [{"id": self.new_id(), "project_id": project, "analysis_run_id": runs[-1][0] if runs else None,
                          "format": "pdf", "created_at": updated}] * (number % 5 == 0)
        self.projects.append({
            "id": project, "project_name": name, "payload_json": json.dumps(document, ensure_ascii=False), "archived_at": archived,
            "last_analysis_at": runs[-1][1] if runs else None, "last_analysis_run_id": runs[-1][0] if runs else None,
            "created_at": created, "updated_at": updated})
        self.payloads[project] = document
        self.items.append({"id": project, "project_name": name, "hypothesis": hypothesis, "change": change, "metric_type": metric,
                           "is_archived": archived is not None, "duration_days": runs[-1][2] if runs else None,
                           "created_at": created, "updated_at": updated, "revision_count": revisions})

    def fill(self, database):
        apply(database, ";\n".join([
            first_schema(database.engine), insert("projects", self.projects), insert("analysis_runs", self.runs),
            insert("export_events", self.exports), insert("project_revisions", self.revisions)]))


def apply(database, script):
    """To a database that no stack has seen yet."""
    if database.engine == "sqlite":
        database.path.parent.mkdir(parents=True, exist_ok=True)
    database.run(script)


def check_upgraded(store, old):
    """Every row as it was, in every list where it belongs."""
    expect(store.client.get(PROJECTS))
    applied = store.database.rows("SELECT version, name FROM schema_migrations ORDER BY version")
    assert [row["name"] for row in applied] == [
        file.name for file in MIGRATIONS if store.engine == "sqlite" or file.name not in SQLITE_ONLY]
    model = Model(old.items)
    for sort_by in SORTS:
        for direction in ("asc", "desc"):
            check(store, model, {"sort_by": sort_by, "sort_dir": direction, "status": "all", "limit": "200"})
    for word in ("straße", "ΣΊΣΥΦΟΣ", "结账", "100%", "é", "ǆ", "\\"):
        check(store, model, {"q": word, "status": "all", "limit": "200"})
    for metric in METRICS:
        check(store, model, {"metric_type": metric, "status": "archived", "limit": "200"})
    counts = Counter(item["is_archived"] for item in old.items)
    told = expect(store.client.get("/api/v1/diagnostics"))["storage"]
    assert (told["projects_total"], told["archived_projects_total"]) == (counts[False], counts[True])
    assert (told["analysis_runs_total"], told["export_events_total"], told["project_revisions_total"]) == (
        len(old.runs), len(old.exports), len(old.revisions))
    assert told["latest_project_updated_at"] == max(item["updated_at"] for item in old.items)
    for item in old.items[:25]:
        check_project(store, old, item)


def check_project(store, old, item):
    path = f"{PROJECTS}/{item['id']}"
    page = expect(store.client.get(path + "/revisions"))
    assert page["total"] == item["revision_count"] == len(page["revisions"])
    assert all(revision["payload"] == old.payloads[item["id"]] for revision in page["revisions"])
    history = expect(store.client.get(path + "/history"))
    assert [run["id"] for run in history["analysis_runs"]] == [
        run["id"] for run in reversed(old.runs) if run["project_id"] == item["id"]]
    assert history["export_total"] == sum(e["project_id"] == item["id"] for e in old.exports)
    if not item["is_archived"]:
        assert expect(store.client.get(path))["payload"] == old.payloads[item["id"]]


def check_alive(store, old):
    """What was there can be changed, and what is new is counted with it."""
    active = [item for item in old.items if not item["is_archived"]]
    for item in active[:5]:
        changed = expect(store.client.send("PUT", f"{PROJECTS}/{item['id']}", json=payload("Changed", "count")))
        assert changed["revision_count"] == item["revision_count"] + 1
    expect(store.client.send("DELETE", f"{PROJECTS}/{active[5]['id']}"))
    create(store.client)
    total = expect(store.client.get(PROJECTS + "?status=all&limit=1"))["total"]
    assert total == len(old.items) == store.database.value("SELECT count(*) AS n FROM projects")


class TestUpgrade:
    def test_keeps_every_row(self, stores, engine):
        old, store = Old(), stores.new(engine, OPEN)
        try:
            old.fill(store.database)
            store.start()
            check_upgraded(store, old)
            check_alive(store, old)
        finally:
            store.close()

    @pytest.mark.parametrize("engine", ["postgres"], indirect=True)
    def test_by_two_stacks_at_once(self, stores, engine, tmp_path):
        """Both starts find the old schema at the same moment. A file of SQLite belongs to one stack."""
        old, first = Old(seed=12), stores.new(engine, OPEN)
        second = Store(engine, OPEN, first.database)
        try:
            old.fill(first.database)
            together([first.start, second.start])
            answers = []

            def ask(store, path):
                answers.append(store.client.with_headers({}).get(path))

            paths = [PROJECTS + "?status=all&limit=1", "/api/v1/audit", "/readyz", PROJECTS, "/api/v1/audit?limit=1"] * 3
            together([lambda s=s, p=p: ask(s, p) for s in (first, second) for p in paths])
            assert [a.status for a in answers] == [200] * len(paths) * 2
            assert {a.json()["total"] for a in answers if "status=all" in a.path} == {len(old.items)}
            check_upgraded(second, old)
            check_alive(first, old)
            expect(second.client.get("/readyz"))
        finally:
            second.close()
            first.close()

    def test_is_left_to_the_start(self, stores, engine):
        """Programs that come before it touch nothing."""
        old, store = Old(seed=13), stores.new(engine, OPEN)
        try:
            old.fill(store.database)
            done = []
            together([lambda: done.append(store.program("retention-purge"))] * 6)
            assert [(d.returncode, d.stdout) for d in done] == [(3, "")] * 6
            assert all("it is made by the start of the service" in d.stderr for d in done)
            store.start()
            check_upgraded(store, old)
        finally:
            store.close()

    def test_of_an_empty_database(self, stores, engine):
        store = stores.new(engine, OPEN)
        try:
            apply(store.database, first_schema(engine))
            store.start()
            assert expect(store.client.get(PROJECTS))["total"] == 0
            create(store.client)
            check_whole(store)
        finally:
            store.close()

    def test_twice_changes_nothing(self, stores, engine):
        store = stores.new(engine, OPEN).start()
        try:
            create(store.client)
            applied = store.database.rows("SELECT * FROM schema_migrations")
            store.stop()
            store.start()
            assert expect(store.client.get(PROJECTS))["total"] == 1
            assert store.database.rows("SELECT * FROM schema_migrations") == applied
        finally:
            store.close()

    def test_a_payload_without_its_blocks_does_not_stop_it(self, stores, engine):
        """One damaged row must not keep a service from starting."""
        old, store = Old(seed=14), stores.new(engine, OPEN)
        try:
            old.fill(store.database)
            store.database.run("INSERT INTO projects (id, project_name, payload_json, created_at, updated_at) VALUES"
                               " ('00000000-0000-4000-8000-000000000001', 'Damaged', '{}', '2026-01-01', '2026-01-01')")
            store.start()
            assert store.client.get(PROJECTS + "?status=all", may_fail=True).status == 200
            expect(store.client.post(f"{PROJECTS}/00000000-0000-4000-8000-000000000001/archive"))
            expect(store.client.send("DELETE", f"{PROJECTS}/00000000-0000-4000-8000-000000000001"))
        finally:
            store.close()

    def test_a_newer_database_is_left_alone(self, stores, engine):
        with stores.new(engine, CLOSED) as store:
            create(store.write)
            store.stop()
            store.database.run("INSERT INTO schema_migrations VALUES (9000, '9000_future.sql', '2026-01-01')")
            done = store.stack.run("start")
            assert done.returncode == 1 and store.stack.processes() == []
            assert "9000_future.sql" in done.stderr and "use the newer program" in done.stderr
            store.database.run("DELETE FROM schema_migrations WHERE version = 9000")
            store.start()
            assert store.write.get(PROJECTS).json()["total"] == 1, "nothing was changed"
            store.database.run("INSERT INTO schema_migrations VALUES (9000, '9000_future.sql', '2026-01-01')")
            done = store.program("retention-purge")
            assert done.returncode == 3 and "9000" in done.stderr


def together(works):
    """Runs them all at once; raises the first failure."""
    failures, start = [], threading.Barrier(len(works))

    def run(work):
        start.wait()
        try:
            work()
        except BaseException as failure:  # told by the thread that waits
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class TestState:
    """What readiness and diagnostics tell of the storage."""

    def test_readiness(self, guarded):
        checks = {c["name"]: c for c in expect(guarded.read.get("/readyz"))["checks"]}
        version = VERSION[guarded.engine]
        if guarded.engine == "sqlite":
            assert list(checks)[:4] == ["sqlite_storage", "sqlite_schema_version", "sqlite_journal_mode", "sqlite_write_probe"]
            assert checks["sqlite_schema_version"]["detail"] == f"user_version={version} expected={version}"
            assert checks["sqlite_journal_mode"]["detail"] == "journal_mode=WAL expected=WAL"
            assert checks["sqlite_write_probe"]["detail"] == "BEGIN IMMEDIATE succeeded"
            assert guarded.database.value("PRAGMA user_version") == version
        else:
            assert list(checks)[:3] == ["postgres_storage", "postgres_schema_version", "postgres_write_probe"]
            assert checks["postgres_schema_version"]["detail"] == f"schema_version={version} expected={version}"
            assert checks["postgres_write_probe"]["detail"] == "BEGIN succeeded"
        assert all(check["ok"] is True for check in checks.values())

    def test_diagnostics(self, guarded):
        create(guarded.write)
        run = expect(guarded.write.post(f"{PROJECTS}/{create(guarded.write)['id']}/analysis", analysis()))
        expect(guarded.write.post(f"{PROJECTS}/{run['id']}/exports", {"format": "pdf"}))
        expect(guarded.write.post(f"{PROJECTS}/{run['id']}/archive"))
        told = expect(guarded.write.get("/api/v1/diagnostics"))["storage"]
        version = VERSION[guarded.engine]
        assert (told["schema_version"], told["sqlite_user_version"]) == (version, version)
        assert told["db_exists"] is True and told["db_size_bytes"] > 10_000
        assert (told["workspace_bundle_schema_version"], told["workspace_signature_enabled"]) == (3, False)
        assert told["write_probe_ok"] is True and told["write_probe_detail"].startswith("BEGIN")
        assert (told["projects_total"], told["archived_projects_total"]) == (1, 1)
        assert (told["analysis_runs_total"], told["export_events_total"], told["project_revisions_total"]) == (1, 1, 2)
        assert told["latest_project_updated_at"] == max(
            p["updated_at"] for p in expect(guarded.write.get(PROJECTS + "?status=all"))["projects"])
        if guarded.engine == "sqlite":
            assert told["db_path"] == str(guarded.database.path) and told["db_parent_path"] == str(guarded.database.path.parent)
            assert told["disk_free_bytes"] > 0 and told["busy_timeout_ms"] == 5000
            assert (told["journal_mode"], told["synchronous"]) == ("WAL", "NORMAL")
        else:
            server = guarded.database.server
            assert told["db_path"] == f"postgresql://***@127.0.0.1:{server.port}/{guarded.database.name}"
            assert told["db_parent_path"] == f"127.0.0.1:{server.port}"
            assert (told["disk_free_bytes"], told["busy_timeout_ms"]) == (0, 0)
            assert (told["journal_mode"], told["synchronous"]) == ("POSTGRES", "READ COMMITTED")

    def test_places_are_for_writers(self, guarded):
        told = expect(guarded.read.get("/api/v1/diagnostics"))["storage"]
        assert told["db_path"] is None and told["db_parent_path"] is None and told["disk_free_bytes"] is None
        assert told["schema_version"] == VERSION[guarded.engine]

    def test_settings_of_sqlite(self, stores):
        with stores.new("sqlite", {**OPEN, "AB_SQLITE_JOURNAL_MODE": "DELETE", "AB_SQLITE_SYNCHRONOUS": "FULL",
                                   "AB_SQLITE_BUSY_TIMEOUT_MS": 1234}) as store:
            create(store.client)
            told = expect(store.client.get("/api/v1/diagnostics"))["storage"]
            assert (told["journal_mode"], told["synchronous"], told["busy_timeout_ms"]) == ("DELETE", "FULL", 1234)
            checks = {c["name"]: c for c in expect(store.client.get("/readyz"))["checks"]}
            assert checks["sqlite_journal_mode"]["detail"] == "journal_mode=DELETE expected=DELETE"

    def test_sqlite_by_url(self, stores, tmp_path):
        with stores.new("sqlite", {**OPEN, "AB_DATABASE_URL": f"sqlite://{tmp_path}/by url.sqlite3".replace(" ", "%20")}) as store:
            create(store.client)
            assert expect(store.client.get("/api/v1/diagnostics"))["storage"]["db_path"] == f"{tmp_path}/by url.sqlite3"

    def test_credentials_are_masked(self, stores):
        """With a raw @ in the password, in reach and out of it."""
        with stores.new("postgres", CLOSED) as store:
            server, name = store.database.server, store.database.name
            store.stop()
            store.stack.env["AB_DATABASE_URL"] = f"postgresql://assay:p@ss@127.0.0.1:{server.port}/{name}?sslpassword=p@ss"
            store.start()
            told = expect(store.write.get("/api/v1/diagnostics"))["storage"]
            assert told["db_path"] == f"postgresql://***@127.0.0.1:{server.port}/{name}?sslpassword=***"
            store.stop()
            store.stack.env["AB_DATABASE_URL"] = "postgresql://ab_user:p@ss@127.0.0.1:9/ab_prod"
            store.start()
            ready = store.write.get("/readyz", may_fail=True)
            assert ready.status == 503 and [c["name"] for c in ready.json()["checks"] if not c["ok"]] == ["postgres_storage"]
            told = expect(store.write.get("/api/v1/diagnostics"))["storage"]
            assert told["db_path"] == "postgresql://***@127.0.0.1:9/ab_prod" and told["db_parent_path"] == "127.0.0.1:9"
            assert told["db_exists"] is False and told["write_probe_ok"] is False
            refused = store.write.get(PROJECTS, may_fail=True)
            assert refused.status == 503
            for text in (ready.text, refused.text, json.dumps(told), store.stack.logs()):
                assert "p@ss" not in text and "ab_user" not in text

    @pytest.mark.parametrize("url, secret", [("mysql://u:geheim@h/x", "geheim"), ("oracle:geheim", "geheim"), ("sqlite:///", None)])
    def test_other_urls_are_refused_at_start(self, stores, url, secret):
        store = stores.new("sqlite", {**OPEN, "AB_DATABASE_URL": url})
        done = store.stack.run("start")
        try:
            assert done.returncode != 0
            assert secret is None or secret not in done.stdout + done.stderr + store.stack.logs()
        finally:
            store.stack.close()


def test_a_database_of_its_own(engine):
    """The fixture gives every store an empty one."""
    names = {Database(engine, f"/tmp/{n}").name for n in range(2)}
    assert len(names) == (2 if engine == "postgres" else 1)
