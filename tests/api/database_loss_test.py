"""A database that is lost, moved, exchanged or emptied under a running service lets nobody in and comes
back as no empty twin: what cannot be found again is answered 503 until stop and start, or a reload with it back in its
place, and a start finds
the right database or says that it cannot.
"""

import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from durability_test import Load
from wait import wait_for
from project_fixtures import CLOSED, OPEN, PROJECTS, Database, Store, create, expect, payload
from postgres import PostgresServer

ADMIN = CLOSED["AB_ADMIN_TOKEN"]
PRODUCTION = {**OPEN, "AB_ENV": "production", "ASSAY_WORKERS": 2}
POOLS = ("experiments-system", "experiments-analysis", "experiments-projects", "experiments-operations")
SRM = {"observed_counts": [5000, 5100], "expected_fractions": [0.5, 0.5]}

pytest_plugins = ["store_fixtures"]


@pytest.fixture(scope="module")
def server():
    with PostgresServer() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def fresh(request, server):
    """Makes stacks on a database of their own."""
    made = []

    def make(environment, **options):
        database = None
        if request.param == "postgres":
            name = f"doors{time.monotonic_ns()}"
            server.create_database(name)
            database = Database("postgres", server=server, name=name)
        store = Store(request.param, environment, database, **options)
        made.append(store)
        return store

    make.engine = request.param
    yield make
    for store in made:
        store.stack.close()


def restart(store, environment):
    """Stops, and starts with other settings."""
    store.stop()
    for name in ("AB_API_TOKEN", "AB_READONLY_API_TOKEN", "AB_ADMIN_TOKEN", "AB_ENV"):
        store.stack.env.pop(name, None)
    store.stack.env.update({name: str(value) for name, value in environment.items()})
    return store.start()


def with_key_alone(fresh):
    """A production service that only an issued key opens, and that key."""
    store = fresh({**CLOSED, "ASSAY_WORKERS": 2}).start()
    key = expect(store.admin.post("/api/v1/keys", {"name": "only", "scope": "write"}))["plaintext_key"]
    create(store.as_token(CLOSED["AB_API_TOKEN"]))
    return restart(store, PRODUCTION), key


def files_of(folder):
    """All files below it, those of the account store among them."""
    return [path for path in folder.rglob("*") if path.is_file()]


def lose(store):
    """The files go; on a server, all tables."""
    if store.engine == "postgres":
        store.database.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    else:
        for file in filter(Path.is_file, store.database.path.parent.iterdir()): # the account store stays
            file.unlink()


def kill_workers(store, pools=POOLS):
    for pool in pools:
        for pid in store.stack.workers(pool):
            os.kill(pid, signal.SIGKILL)
    wait_for(lambda: all(len(store.stack.workers(pool)) >= store.stack.size_of(pool) for pool in pools))


def statuses(client, count=12):
    """What a caller is answered by as many workers as possible."""
    found = set()
    for _ in range(count):
        for method, path, value in (("GET", PROJECTS, None), ("POST", "/api/v1/srm-check", SRM), ("GET", "/readyz", None),
                                    ("GET", "/api/v1/diagnostics", None), ("GET", "/api/v1/audit", None)):
            answer = client.send(method, path, json=value, may_fail=True)
            found.add((path, answer.status))
    return found


class TestLost:
    def test_with_an_issued_key_alone_nobody_gets_in(self, fresh):
        store, key = with_key_alone(fresh)
        stranger, owner = store.client, store.as_token(key)
        assert {s for _, s in statuses(stranger, 3)} == {401}
        assert expect(owner.get(PROJECTS))["total"] == 1
        lose(store)
        kill_workers(store)
        assert {s for _, s in statuses(stranger)} <= {401, 503}
        for path, status in statuses(owner):
            assert status == 503 or path == "/readyz", (path, status)
        kill_workers(store)
        assert {s for _, s in statuses(stranger)} <= {401, 503}

    def test_never_comes_back_empty(self, fresh):
        store = fresh({**CLOSED, "ASSAY_WORKERS": 2}).start()
        create(store.write)
        lose(store)
        for round in range(3):
            for _ in range(40):
                answer = store.write.get(PROJECTS, may_fail=True)
                assert (answer.status, answer.headers["X-Error-Reason"]) == (503, "database_replaced"), str(answer)
            ready = store.write.get("/readyz", may_fail=True)
            assert ready.status == 503 and not ready.json()["checks"][0]["ok"], str(ready)
            kill_workers(store)
        assert store.engine == "postgres" or not list(filter(Path.is_file, store.database.path.parent.iterdir()))
        store.stop()
        done = store.stack.run("start")
        assert done.returncode == 1 and "the database is gone" in done.stderr, done.stderr
        assert store.stack.run("run", "database", "create").returncode == 0
        store.start()
        assert expect(store.write.get(PROJECTS))["total"] == 0

    def test_an_empty_twin_is_not_taken_for_it(self, fresh):
        """Somebody else's service of the same kind has made its tables where ours were."""
        store = fresh({**CLOSED, "ASSAY_WORKERS": 2}).start()
        create(store.write)
        if store.engine == "postgres":
            twin = Store("postgres", CLOSED, store.database)
            lose(store)
        else:
            twin = Store("sqlite", CLOSED)
        try:
            twin.start()
            if store.engine == "sqlite":
                twin.stop()
                shutil.copy(twin.database.path, store.database.path.with_suffix(".twin"))
                store.database.path.with_suffix(".twin").rename(store.database.path)
            for _ in range(20):
                answer = store.write.get(PROJECTS, may_fail=True)
                assert (answer.status, answer.headers["X-Error-Reason"]) == (503, "database_replaced"), str(answer)
                posted = store.write.post(PROJECTS, payload(), may_fail=True)
                assert posted.status == 503, str(posted)
        finally:
            twin.stack.close()
        store.stop()
        done = store.stack.run("start")
        assert done.returncode == 1 and "another database" in done.stderr, done.stderr
        assert store.stack.run("run", "database", "adopt").returncode == 0
        store.start()
        assert expect(store.write.get(PROJECTS))["total"] == 0

    def test_keys_that_vanish_let_nobody_in(self, fresh):
        store = fresh({**OPEN, "AB_ADMIN_TOKEN": ADMIN}).start()
        key = expect(store.admin.post("/api/v1/keys", {"name": "one", "scope": "write"}))
        restart(store, OPEN)
        assert store.client.get(PROJECTS).status == 401
        store.database.run("DELETE FROM api_keys")
        time.sleep(1.1)
        kill_workers(store)
        assert store.client.get(PROJECTS).status == 401
        restart(store, OPEN)
        assert store.client.get(PROJECTS).status == 401
        assert store.as_token(key["plaintext_key"]).get(PROJECTS).status == 401

    def test_keys_that_are_deleted_in_order_open_it_again(self, fresh):
        store = fresh({**OPEN, "AB_ADMIN_TOKEN": ADMIN}).start()
        key = expect(store.admin.post("/api/v1/keys", {"name": "one", "scope": "write"}))
        expect(store.admin.post(f"/api/v1/keys/{key['id']}/revoke"))
        expect(store.admin.send("DELETE", f"/api/v1/keys/{key['id']}"))
        restart(store, OPEN)
        assert store.client.get(PROJECTS).status == 200


class TestFiles:
    """What befalls the files of SQLite under eight writers: nothing that was acknowledged is lost unless a
    503 has said so, and nothing is ever served from another file."""

    @pytest.fixture
    def store(self, stores):
        store = stores.new("sqlite", {**CLOSED, "ASSAY_WORKERS": 4}).start()
        yield store
        store.stack.close()

    def befall(self, store, happen, first=0, size=2000, seconds=0.5):
        """Under load: it happens, all hear 503 and nothing else, also from new workers. Returns the load, whose
        requests are numbered from `first`."""
        with Load(store, clients=8, size=size, first=first) as load:
            load.await_success_of_all()
            time.sleep(seconds)
            happen(store.database.path)
            load.await_status(503)
            load.await_answers_of_all()
            before = load.statuses[200]
            kill_workers(store, ("experiments-projects",))
            load.await_status(503)
            time.sleep(0.3)
            assert load.statuses[200] == before, "acknowledged after it was lost"
        assert not load.failures, load.failures
        ready = store.write.get("/readyz", may_fail=True)
        assert ready.status == 503 and "until it is back and the service is reloaded" in ready.json()["checks"][0]["detail"]
        assert "database_lost" in store.stack.logs()
        store.stop()
        return load

    def whole(self, store, load):
        """Started again, the ledgers hold."""
        store.start()
        assert load.check({200, 404, 502, 503}) > 20
        create(store.write)
        assert expect(store.write.get("/readyz"))["status"] == "ready"

    def test_moved_and_put_back(self, store, tmp_path):
        aside = store.database.path.with_suffix(".aside")
        load = self.befall(store, lambda path: path.rename(aside))
        done = store.stack.run("start")
        assert done.returncode == 1 and "the database is gone" in done.stderr
        aside.rename(store.database.path)
        self.whole(store, load)

    def test_moved_put_back_and_reloaded(self, store):
        aside = store.database.path.with_suffix(".aside")
        create(store.write)
        store.database.path.rename(aside)
        assert store.write.get(PROJECTS, may_fail=True).status == 503
        assert store.stack.run("reload").returncode == 0
        assert store.write.get(PROJECTS, may_fail=True).status == 503, "it is still gone"
        aside.rename(store.database.path)
        assert store.write.get(PROJECTS, may_fail=True).status == 503, "nobody has said that it is the right one"
        done = store.stack.run("reload")
        assert done.returncode == 0 and "in its place again" in done.stderr, done.stderr
        for _ in range(20):
            assert expect(store.write.get(PROJECTS))["total"] == 1
        create(store.write)

    def test_log_and_index_unlinked(self, store):
        def happen(path):
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink()

        self.whole(store, self.befall(store, happen))

    @pytest.mark.soak  # a part of the one above
    def test_index_unlinked(self, store):
        self.whole(store, self.befall(store, lambda path: path.with_name(path.name + "-shm").unlink()))

    def test_log_exchanged(self, store):
        def happen(path):
            log = path.with_name(path.name + "-wal")
            shutil.copy(log, log.with_suffix(".copy"))
            log.with_suffix(".copy").rename(log)

        load = self.befall(store, happen)
        self.whole(store, load)

    @pytest.mark.parametrize("way", ["rename", pytest.param("copy", marks=pytest.mark.soak)])
    def test_an_older_file_in_its_place(self, store, way):
        """As whoever restores without having stopped; the old log must not be played onto the new file."""
        old = create(store.write, payload("old"))
        store.stop()
        kept = store.database.path.with_suffix(".kept")
        shutil.copy(store.database.path, kept)
        store.start()

        def happen(path):
            if way == "rename":
                kept.rename(path)
            else:
                shutil.copyfile(kept, path)

        self.befall(store, happen)
        done = store.stack.run("start")
        if way == "copy" and done.returncode == 1:  # what was being written at that moment is in it as well
            assert "damaged" in done.stderr
            return
        assert done.returncode == 0, done.stderr
        assert store.database.value("PRAGMA integrity_check") == "ok"
        listed = expect(store.write.get(PROJECTS))
        assert [p["id"] for p in listed["projects"]] == [old["id"]]

    def test_removed(self, store):
        def happen(path):
            for file in files_of(path.parent):
                file.unlink()

        self.befall(store, happen)
        done = store.stack.run("start")
        assert done.returncode == 1 and "the database is gone" in done.stderr

    def test_unmounted_and_mounted_again(self, stores, tmp_path):
        """What lies below the place where the file system was is another folder, and empty."""
        store = stores.new("sqlite", {**CLOSED, "ASSAY_WORKERS": 4})
        data, disk = store.stack.directory / "data", tmp_path / "disk"
        data.mkdir(mode=0o750)
        disk.mkdir(mode=0o750)

        def mount():
            return subprocess.run(["mount", "--bind", disk, data], capture_output=True, text=True, check=False)

        mounted = mount()
        if mounted.returncode != 0:
            store.stack.close()
            pytest.skip(f"mounting is not permitted: {mounted.stderr.strip()}")
        try:
            store.start()
            load = self.befall(store, lambda _: subprocess.run(["umount", "--lazy", data], check=True))
            assert not files_of(data)
            done = store.stack.run("start")
            assert done.returncode == 1 and "the database is gone" in done.stderr
            assert mount().returncode == 0
            self.whole(store, load)
        finally:
            store.stop()
            subprocess.run(["umount", data], check=False)
            store.stack.close()

    def test_damaged(self, store):
        """Pages written over, as a failing disk does: said in the log under a name of its own, and 503."""
        for number in range(30):
            create(store.write, payload(f"p{number}", project={"project_description": "x" * 9000}))
        connection = sqlite3.connect(store.database.path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = [row[0] for row in connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE tbl_name IN ('projects', 'project_revisions') AND rootpage > 0")]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        connection.close()
        with open(store.database.path, "r+b") as file:
            for page in pages:
                file.seek((page - 1) * size)
                file.write(b"\xa5" * size)
        kill_workers(store, ("experiments-projects",))
        answer = store.write.get(PROJECTS, may_fail=True)
        assert (answer.status, answer.headers["X-Error-Reason"]) == (503, "database_corrupt"), str(answer)
        told = [line for line in store.stack.logs().splitlines() if '"message":"database_corrupt"' in line]
        assert told and str(store.database.path) in told[0] and '"level":"CRITICAL"' in told[0]
        done = store.stack.run("run", "database", "check")
        assert done.returncode == 3 and "is damaged" in done.stderr

    def test_a_restart_stops_nothing_that_cannot_start_again(self, store):
        """The database is gone; other services of the stack, and this one's calculations, go on."""
        aside = store.database.path.with_suffix(".aside")
        store.database.path.rename(aside)

        def running():  # of what stays; a stack that has just started has others, too
            return {*store.stack.nginx_workers(), *(pid for pool in POOLS for pid in store.stack.workers(pool))}
        processes = running()
        done = store.stack.run("restart")
        assert done.returncode == 1 and "the database is gone" in done.stderr and "nothing was stopped" in done.stderr
        assert processes and processes <= running()
        aside.rename(store.database.path)
        done = store.stack.run("restart")
        assert done.returncode == 0, done.stderr
        assert store.write.get(PROJECTS).status == 200

    def test_looking_at_it_with_other_programs_is_no_harm(self, store):
        for _ in range(3):
            create(store.write)
            reader = sqlite3.connect(store.database.path)
            assert reader.execute("SELECT count(*) FROM projects").fetchone()[0] > 0
            reader.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            reader.close()
            assert store.write.get(PROJECTS).status == 200
        store.stop()
        sqlite3.connect(store.database.path).execute("SELECT count(*) FROM projects").fetchone()
        store.start()
        assert expect(store.write.get(PROJECTS))["total"] == 3


class TestStart:
    def start(self, tmp_path, prepare):
        store = Store("sqlite", CLOSED, directory=tmp_path / "stack")
        store.database.path.parent.mkdir(parents=True)
        prepare(store.database.path)
        done = store.stack.run("start")
        store.stack.close()
        return done

    def test_an_empty_file_does_not_pass(self, tmp_path):
        done = self.start(tmp_path, lambda path: path.touch())
        assert done.returncode == 1 and "the file is empty" in done.stderr

    def test_somebody_elses_file_is_refused(self, tmp_path):
        def prepare(path):
            connection = sqlite3.connect(path)
            connection.execute("CREATE TABLE bookmarks (url TEXT)")
            connection.close()

        done = self.start(tmp_path, prepare)
        assert done.returncode == 1 and "something else" in done.stderr
        assert sqlite3.connect(tmp_path / "stack/data/projects.sqlite3").execute(
            "SELECT count(*) FROM sqlite_master").fetchone() == (1,)

    def test_what_is_no_database_is_refused(self, tmp_path):
        done = self.start(tmp_path, lambda path: path.write_text("a letter to nobody\n" * 400))
        assert done.returncode == 1 and "something else" in done.stderr

    def test_a_damaged_file_is_refused(self, tmp_path):
        done = self.start(tmp_path, lambda path: path.write_bytes(b"SQLite format 3\0" + b"\xa5" * 8192))
        assert done.returncode == 1 and "damaged" in done.stderr

    def test_a_database_from_before_there_were_records_is_kept(self, tmp_path):
        with Store("sqlite", CLOSED, directory=tmp_path / "stack") as store:
            project = create(store.write)
            store.stop()
            shutil.rmtree(store.stack.directory / "state")
            store.database.run("DROP TABLE assay_identity; DROP TABLE assay_probe")
            done = store.stack.run("start")
            assert done.returncode == 0 and "kept from now on" in done.stderr
            assert store.write.get(f"{PROJECTS}/{project['id']}").status == 200
            assert store.stack.run("run", "database", "check").returncode == 0


class TestConnections:
    """Of PostgreSQL: what the start looks at gives its connection back, and fewer are made do with."""

    def crowd(self, client, seconds=3):
        """Twenty callers for a while; how often each status was answered, and the longest wait."""
        end, found, longest = time.monotonic() + seconds, Counter(), [0]

        def ask(number):
            while time.monotonic() < end:
                begun = time.monotonic()
                path = (PROJECTS, "/api/v1/diagnostics", "/api/v1/audit")[number % 3]
                found[client.send("GET", path, may_fail=True).status] += 1
                longest[0] = max(longest[0], time.monotonic() - begun)

        with ThreadPoolExecutor(20) as pool:
            list(pool.map(ask, range(20)))
        return found, longest[0]

    # The start of production looks at keys; elsewhere it is the first request that does.
    @pytest.mark.parametrize("environment, credentials", [
        ("production", "key"), ("local", "both"),
        *(pytest.param(*pair, marks=pytest.mark.soak) for pair in (
            ("production", "token"), ("production", "both"), ("local", "key"), ("local", "token")))])
    def test_nobody_starves(self, server, environment, credentials):
        name = f"crowd{time.monotonic_ns()}"
        server.create_database(name)
        store = Store("postgres", {**CLOSED, "AB_DB_POOL_SIZE": 4}, Database("postgres", server=server, name=name)).start()
        try:
            key = expect(store.admin.post("/api/v1/keys", {"name": "only", "scope": "write"}))["plaintext_key"]
            token = CLOSED["AB_API_TOKEN"] + "-long-enough-for-production"
            tokens = {"AB_API_TOKEN": token} if credentials != "key" else {}
            restart(store, {**OPEN, "AB_ENV": environment, **tokens})
            found, _ = self.crowd(store.as_token(token if credentials == "token" else key))
            assert set(found) == {200} and found[200] > 20, found
        finally:
            store.stack.close()

    def test_three_connections_will_do(self, server):
        name = f"few{time.monotonic_ns()}"
        server.create_database(name)
        server.sql(f"CREATE ROLE {name} LOGIN PASSWORD 'x' CONNECTION LIMIT 3; GRANT ALL ON DATABASE {name} TO {name}",
                   database="postgres")
        server.sql(f"GRANT ALL ON SCHEMA public TO {name}", database=name)
        url = f"postgresql://{name}:x@127.0.0.1:{server.port}/{name}"
        store = Store("postgres", {**CLOSED, "AB_DATABASE_URL": url}, Database("postgres", server=server, name=name))
        store.stack.env["AB_DATABASE_URL"] = url
        try:
            store.start()
            self.crowd(store.write, 2)
            found, _ = self.crowd(store.write)
            assert set(found) == {200} and found[200] > 20, found
            checks = {c["name"]: c for c in expect(store.write.get("/readyz"))["checks"]}
            assert checks["postgres_pool"]["ok"] and "of 10 connections" in checks["postgres_pool"]["detail"], checks
        finally:
            store.stack.close()
