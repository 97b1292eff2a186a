"""Death and want of the things below: what was acknowledged is there, nothing is half there, errors
are clear meanwhile, and all goes on without a restart of the stack.

A few clients write all the time and keep a ledger of what they were told. Afterwards the ledger is
compared with the database.
"""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
import requests

from client import ENVELOPE, Client
from wait import wait_for
from project_fixtures import CLOSED, OPEN, PROJECTS, Database, Store, analysis, check_whole, create, expect, payload
from postgres import PASSWORD, PASSWORD_IN_URL, PostgresServer

pytestmark = pytest.mark.both_engines

CLIENTS = 6
POOL = "experiments-projects"

pytest_plugins = ["store_fixtures"]


class Careful(Client):
    """A client that knows what nginx says when a responder dies with a request."""

    def keep(self, answer, may_fail, checked=True):
        if answer.status == 502:
            assert set(answer.json()) == ENVELOPE and answer.json()["status_code"] == 502, str(answer)
            return answer
        return super().keep(answer, may_fail, checked)


class Writer:
    """One writer with projects of its own, and its ledger."""

    def __init__(self, store, number, size, first=0):
        self.client = Careful(store.stack, store.client.document, store.record, store.write.headers)
        self.random = random.Random(number)
        self.number, self.size, self.count = number, size, first
        self.sent = {}  # project id to the names sent, in order, each with whether it was acknowledged
        self.deleted = {}  # project id to whether the deletion was acknowledged
        self.requests = {}  # request id to (project id or None, whether it was acknowledged)
        self.statuses = Counter()
        self.last_success = 0

    def ask(self, method, path, body, project):
        """An answer, or None when the connection broke."""
        request_id = f"w{self.number}-{self.count}"
        try:
            answer = self.client.send(method, path, json=body, headers={"X-Request-ID": request_id}, may_fail=True)
        except requests.RequestException:
            self.statuses["broken"] += 1
            self.requests[request_id] = (project, False)
            return None
        self.statuses[answer.status] += 1
        self.requests[request_id] = (project, answer.status == 200)
        if answer.status == 200:
            self.last_success = time.monotonic()
            return answer
        time.sleep(0.02)
        return None

    def named(self, name):
        return payload(name, project={"project_description": "x" * self.random.randint(0, self.size)})

    def step(self):
        self.count += 1
        name = f"{self.number}-{self.count}"
        living = [i for i in self.sent if i not in self.deleted]
        choice = self.random.random()
        if not living or choice < 0.4:
            answer = self.ask("POST", PROJECTS, self.named(name), None)
            if answer:
                self.sent[answer.json()["id"]] = [(name, True)]
        elif choice < 0.85:
            project = self.random.choice(living)
            answer = self.ask("PUT", f"{PROJECTS}/{project}", self.named(name), project)
            self.sent[project].append((name, bool(answer)))
        elif choice < 0.95:
            project = self.random.choice(living)
            self.ask("POST", f"{PROJECTS}/{project}/analysis", analysis(), project)
        else:
            project = self.random.choice(living)
            self.deleted[project] = bool(self.ask("DELETE", f"{PROJECTS}/{project}", None, project))


class Load:
    """All writers, each in its thread, until told to stop."""

    def __init__(self, store, size=2000, clients=CLIENTS, first=0):
        """Requests are numbered from `first`: several loads on one database need numbers of their own."""
        self.store = store
        self.writers = [Writer(store, number, size, first) for number in range(clients)]
        self.done = threading.Event()
        self.failures = []
        self.threads = [threading.Thread(target=self.run, args=(w,)) for w in self.writers]

    def run(self, writer):
        try:
            while not self.done.is_set():
                writer.step()
        except BaseException as failure:  # an answer that breaks the contract, for one
            self.failures.append(failure)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        for thread in self.threads:
            thread.join()

    @property
    def statuses(self):
        return sum((w.statuses for w in self.writers), Counter())

    def await_success_of_all(self):
        """Every writer gets an acknowledgement after now."""
        start = time.monotonic()
        wait_for(lambda: self.failures or min(w.last_success for w in self.writers) >= start,
              told=lambda: f"no recovery: {self.statuses}")
        assert not self.failures, self.failures

    def await_status(self, status):
        before = self.statuses[status]
        wait_for(lambda: self.statuses[status] > before, told=lambda: f"nobody was answered {status}: {self.statuses}")

    def await_answers_of_all(self):
        """Every writer has asked and been answered after now: an answer to what was asked before may come first."""
        goals = [(writer, writer.statuses.total() + 2) for writer in self.writers]
        wait_for(lambda: all(writer.statuses.total() >= goal for writer, goal in goals), told=lambda: str(self.statuses))

    def check(self, statuses):
        """The ledgers against the database. Returns how many acknowledgements were checked."""
        assert not self.failures, self.failures
        assert set(self.statuses) <= statuses, self.statuses
        check_whole(self.store)
        names = self.stored_names()
        told = Counter(r["request_id"] for r in self.store.database.rows("SELECT request_id FROM audit_log"))
        acknowledged = 0
        for writer in self.writers:
            acknowledged += self.check_writer(writer, names, told)
        return acknowledged

    def stored_names(self):
        rows = self.store.database.rows(
            "SELECT project_id, payload_json -> 'project' ->> 'project_name' AS name FROM project_revisions ORDER BY number")
        names = {}
        for row in rows:
            names.setdefault(row["project_id"], []).append(row["name"])
        return names

    @staticmethod
    def check_writer(writer, names, told):
        for request_id, (_, acknowledged) in writer.requests.items():
            assert told[request_id] == 1 if acknowledged else told[request_id] <= 1, request_id
        for project, sent in writer.sent.items():
            stored = names.get(project, [])
            if writer.deleted.get(project):
                assert not stored, f"{project} is deleted and has revisions"
            elif not (project in writer.deleted and not stored):
                acknowledged = [name for name, known in sent if known]
                assert [n for n in stored if n in acknowledged] == acknowledged, f"{project}: {sent} but {stored}"
                order = [name for name, _ in sent]
                assert stored == [n for n in order if n in stored], f"{project}: {sent} but {stored}"
        return sum(known for _, known in writer.requests.values())


class TestServerDies:
    """PostgreSQL killed and started again, with clients writing all the time."""

    @pytest.fixture(scope="class")
    def server(self):
        with PostgresServer() as server:
            yield server

    @pytest.fixture
    def store(self, server):
        name = f"durable{time.monotonic_ns()}"
        server.create_database(name)
        with Store("postgres", {**CLOSED, "ASSAY_WORKERS": 3}, Database("postgres", server=server, name=name)) as store:
            yield store

    def test_killed_and_started_again(self, server, store):
        with Load(store) as load:
            for _ in range(3):
                load.await_success_of_all()
                time.sleep(0.3)
                server.kill()
                load.await_status(503)
                self.check_outage(store)
                server.start()
                load.await_success_of_all()
        assert load.check({200, 503, 404}) > 50
        logs = store.stack.logs()
        assert PASSWORD not in logs and PASSWORD_IN_URL not in logs

    def check_outage(self, store):
        """What can be answered is answered; the rest says clearly that it cannot be."""
        client = store.write.with_headers({})
        assert client.get("/health").status == 200
        for path in (PROJECTS, f"{PROJECTS}/00000000-0000-4000-8000-000000000000", "/api/v1/audit"):
            answer = client.get(path, may_fail=True)
            assert answer.status == 503 and int(answer.headers["Retry-After"]) >= 1, str(answer)
            assert PASSWORD not in answer.text and PASSWORD_IN_URL not in answer.text
        ready = client.get("/readyz", may_fail=True)
        assert ready.status == 503 and ready.json()["status"] == "degraded"
        first = ready.json()["checks"][0]
        assert first["name"] == "postgres_storage" and first["ok"] is False and PASSWORD not in first["detail"]

    def test_connections_cut(self, server, store):
        """The server lives, its connections do not: an operator's, or a failover's, doing."""
        with Load(store) as load:
            load.await_success_of_all()
            for _ in range(25):
                server.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                           f" WHERE datname = '{store.database.name}' AND pid <> pg_backend_pid()", database="postgres")
                time.sleep(0.05)
            load.await_success_of_all()
        assert load.check({200, 503, 404}) > 50
        assert expect(store.write.get("/readyz"))["status"] == "ready"

    def test_an_open_service_goes_on_computing(self, server):
        """Without tokens and keys, readiness names the check that fails and computing goes on."""
        with Store("postgres", OPEN, Database("postgres", server=server, name="assay")) as store:
            assert store.client.get(PROJECTS).status == 200
            server.kill()
            try:
                ready = store.client.get("/readyz", may_fail=True)
                calculated = store.client.post("/api/v1/calculate", {}, may_fail=True)
            finally:
                server.start()
            assert ready.status == 503 and ready.json()["checks"][0]["name"] == "postgres_storage"
            assert calculated.status == 422

    def test_a_service_with_keys_is_not_opened(self, server):
        """Not even when it was known to be open before the first key was issued."""
        name = f"keys{time.monotonic_ns()}"
        server.create_database(name)
        with Store("postgres", OPEN, Database("postgres", server=server, name=name)) as store:
            settings = store.stack.directory / "assay.env"

            def reload(text):
                settings.write_text(text)
                settings.chmod(0o600)
                done = store.stack.run("reload")
                assert done.returncode == 0, done.stderr

            assert store.client.post("/api/v1/calculate", {}).status == 422
            reload(f"AB_ADMIN_TOKEN={CLOSED['AB_ADMIN_TOKEN']}\n")
            admin = store.as_token(CLOSED["AB_ADMIN_TOKEN"])
            expect(admin.post("/api/v1/keys", {"name": "first", "scope": "read"}))
            reload("")
            server.kill()
            try:
                answers = [store.client.post("/api/v1/calculate", {}, may_fail=True) for _ in range(6)]
            finally:
                server.start()
            assert {a.status for a in answers} == {503}, answers[0]
            assert store.client.post("/api/v1/calculate", {}).status == 401

    def test_starting_without_the_server(self, server):
        """The stack comes up, says 503, and begins to work when the server does."""
        name = f"late{time.monotonic_ns()}"
        server.create_database(name)
        late = Store("postgres", CLOSED, Database("postgres", server=server, name=name)).start()
        late.stop()
        server.kill()
        try:
            with late as store:
                assert store.write.get(PROJECTS, may_fail=True).status == 503
                server.start()
                wait_for(lambda: store.write.get(PROJECTS, may_fail=True).status == 200)
                create(store.write)
        finally:
            server.start() if not server._processes() else None


class TestWriterDies:
    """Workers killed while they hold the write lock of SQLite: in mid-transaction, or in mid-fold when they let the log
    begin anew, which they do after the answer: such a death costs nobody's."""

    LOST = 20  # answers
    WRITE_LOCK = "120"  # the byte of the -shm file that a writer locks

    @pytest.fixture
    def store(self, stores):
        with stores.new("sqlite", {**CLOSED, "ASSAY_WORKERS": 4}) as store:
            yield store

    def writer(self, store):
        """The worker that is in a write transaction now, if any."""
        number = os.stat(f"{store.database.path}-shm").st_ino
        for line in Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            if fields[3] == "WRITE" and fields[5].endswith(f":{number}") and fields[6] == self.WRITE_LOCK:
                return int(fields[4])
        return None

    def kill_in_transaction(self, store, workers, killed):
        """Stops whoever writes, looks whether it still does, and kills it only then."""
        process = self.writer(store)
        if process not in workers or process in killed:  # a lock may outlive its holder by an instant
            return False
        try:
            os.kill(process, signal.SIGSTOP)
            held = self.writer(store) == process
            os.kill(process, signal.SIGKILL if held else signal.SIGCONT)
        except ProcessLookupError:
            return False
        if held:
            killed.add(process)
        return held

    def test_in_mid_transaction(self, store):
        if not Path("/proc/locks").exists():
            pytest.skip("the kernel does not show locks here")
        with Load(store, size=100_000) as load:
            load.await_success_of_all()
            deadline, killed = time.monotonic() + 60, set()
            while load.statuses[502] < self.LOST and time.monotonic() < deadline:
                workers = set(store.stack.workers(POOL))
                if any(self.kill_in_transaction(store, workers, killed) for _ in range(200)):
                    time.sleep(0.05)
            load.await_success_of_all()
        assert load.statuses[502] >= self.LOST, f"{len(killed)} killed: {load.statuses}"
        assert load.check({200, 404, 502, 503}) > self.LOST
        create(store.write)

    def test_at_any_moment(self, store):
        """Large answers go out in one piece as small ones do: nobody sees half of one."""
        chance = random.Random(3)
        with Load(store, size=60_000) as load:
            load.await_success_of_all()
            for _ in range(40):
                workers = store.stack.workers(POOL)
                if workers:
                    os.kill(chance.choice(workers), signal.SIGKILL)
                time.sleep(chance.uniform(0, 0.06))
            load.await_success_of_all()
        assert load.check({200, 404, 502, 503}) > 50

    def test_what_a_writer_wrote_is_in_the_file_when_it_has_left(self, store, tmp_path):
        """Not only in the log, whoever else has the database open: of two workers that leave at once neither is the
        last one, with whom SQLite would fold it."""
        project = create(store.write)["id"]
        with contextlib.closing(sqlite3.connect(store.database.path)) as other:
            assert other.execute("SELECT count(*) FROM projects").fetchone() == (1,)
            before = store.stack.workers(POOL)
            for worker in before:
                os.kill(worker, signal.SIGTERM)
            wait_for(lambda: not set(before) & set(store.stack.workers(POOL)))
            copied = shutil.copy(store.database.path, tmp_path / "copied.sqlite3")
        with contextlib.closing(sqlite3.connect(copied)) as copy:
            assert copy.execute("SELECT id FROM projects WHERE id = ?", (project,)).fetchall() == [(project,)]

    def test_everything_killed(self, stores):
        """As when the machine is switched off, but for its disk: every process at once, then a new start."""
        store = stores.new("sqlite", {**CLOSED, "ASSAY_WORKERS": 3}).start()
        try:
            with Load(store, size=20_000) as load:
                load.await_success_of_all()
                time.sleep(0.5)
                for process in store.stack.processes():
                    os.kill(process, signal.SIGKILL)
                time.sleep(0.2)
            store.stop()
            store.start()
            assert load.check({200, 404, 502, 503, "broken"}) > 20
            create(store.write)
        finally:
            store.close()


class TestDiskFull:
    """A file system with a few megabytes left, filled to the last byte while clients write, then freed."""

    def check(self, store, free):
        with Load(store, size=20_000, clients=3) as load:
            load.await_status(503)
            time.sleep(0.5)
            self.check_outage(store)
            if store.engine == "sqlite":
                ready = store.write.get("/readyz", may_fail=True)
                probe = {c["name"]: c for c in ready.json()["checks"]}["sqlite_write_probe"]
                assert ready.status == 503 and not probe["ok"] and "full" in probe["detail"], str(ready)
            free()
            load.await_success_of_all()
        assert load.check({200, 503, 404}) > 10
        assert expect(store.write.get("/readyz"))["status"] == "ready"

    def check_outage(self, store):
        """Reading goes on; writing says what is wrong."""
        client = store.write.with_headers({})
        assert client.get(PROJECTS).status == 200
        big = payload(project={"project_description": "x" * 900_000})
        for _ in range(20):
            answer = client.post(PROJECTS, big, may_fail=True)
            if answer.status == 503:
                break
        assert (answer.status, answer.headers["X-Error-Reason"]) == (503, "disk_full"), str(answer)
        assert "full" in answer.detail or "space" in answer.detail

    def test_sqlite(self, stores):
        store = stores.new("sqlite", CLOSED)
        data = store.stack.directory / "data"
        data.mkdir(mode=0o750)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=0750", "tmpfs", data],
                                 capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            store.stack.close()
            pytest.skip(f"mounting is not permitted: {mounted.stderr.strip()}")
        try:
            ballast = data / "ballast"
            ballast.write_bytes(bytes(54 * 1024 * 1024))  # freed, it is not written full again while we look
            store.start()
            self.check(store, ballast.unlink)
        finally:
            try:
                store.stop()
            finally:
                subprocess.run(["umount", data], check=False)
                store.stack.close()

    def test_postgres(self):
        with PostgresServer() as server:
            if server.small_tablespace() is None:
                pytest.skip("mounting is not permitted")
            server.sql("ALTER DATABASE assay SET default_tablespace = 'small'")
            server.sql("CREATE TABLE ballast AS SELECT repeat(md5(i::text), 60) AS text FROM generate_series(1, 1200) AS i")
            with Store("postgres", CLOSED, Database("postgres", server=server, name="assay")) as store:
                self.check(store, lambda: server.sql("DROP TABLE ballast; CHECKPOINT"))


def test_the_ledger_sees_what_is_missing(stores):
    """The check itself can fail: a row taken away behind the service's back is noticed."""
    with stores.new("sqlite", CLOSED) as store:
        with Load(store, clients=2) as load:
            load.await_success_of_all()
            time.sleep(0.2)
        assert load.check({200, 404}) > 4
        store.database.run("DELETE FROM project_revisions WHERE number = 1 AND project_id ="
                           " (SELECT project_id FROM project_revisions LIMIT 1)")
        with pytest.raises(AssertionError):
            load.check({200, 404})
