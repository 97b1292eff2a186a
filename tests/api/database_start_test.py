"""A worker opens the database before its first request, and starts also while the database is away."""

import os
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from postgres import PostgresServer
from project_fixtures import CLOSED, OPEN, PROJECTS, Database, Store, create, expect
from wait import wait_for

SRM = {"observed_counts": [5000, 5100], "expected_fractions": [0.5, 0.5]}
STORING = ("experiments-system", "experiments-projects", "experiments-operations")
WITHOUT_STORAGE = ("experiments-analysis", "experiments-compute", "experiments-advice")


@pytest.fixture(scope="module")
def server():
    with PostgresServer() as server:
        yield server


def store_on(server, environment):
    name = f"start{time.monotonic_ns()}"
    server.create_database(name)
    return Store("postgres", environment, Database("postgres", server=server, name=name)).start()


def replace_workers(stack, pools):
    """Kills all workers of the pools; returns when others have taken their places."""
    before = {pid for pool in pools for pid in stack.workers(pool)}
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: all(len(stack.workers(pool)) >= stack.size_of(pool) and not before & set(stack.workers(pool))
                      for pool in pools))


def test_workers_start_while_the_server_is_away(server):
    store = store_on(server, {**CLOSED, "ASSAY_WORKERS": 2})
    try:
        create(store.write)
        server.kill()
        replace_workers(store.stack, (*STORING, *WITHOUT_STORAGE))
        for _ in range(8):
            answer = store.write.get(PROJECTS, may_fail=True)
            assert (answer.status, answer.headers["X-Error-Reason"]) == (503, "database_unavailable"), str(answer)
            assert expect(store.write.post("/api/v1/srm-check", SRM))
        ready = store.write.get("/readyz", may_fail=True)
        assert ready.status == 503 and not ready.json()["checks"][0]["ok"], str(ready)
        server.start()
        # Each worker tries once a second; connecting to a server that recovers may fail once more.
        wait_for(lambda: {store.write.get(PROJECTS, may_fail=True).status for _ in range(12)} == {200}, seconds=15)
        wait_for(lambda: store.write.get("/readyz", may_fail=True).status == 200)
        assert expect(store.write.get(PROJECTS))["total"] == 1
        assert "database_opened" in store.stack.logs("experiments")
    finally:
        store.stack.close()


def test_only_families_that_store_open_the_file():
    store = Store("sqlite", {**CLOSED, "ASSAY_WORKERS": 2}).start()
    try:
        file = str(store.database.path)
        for pools, expected in ((STORING, True), (WITHOUT_STORAGE, False)):
            for pid in (pid for pool in pools for pid in store.stack.workers(pool)):
                wait_for(lambda pid=pid: opened(pid, file) == expected)
        assert expect(store.write.post("/api/v1/srm-check", SRM))
        assert not any(opened(pid, file) for pid in store.stack.workers("experiments-analysis"))
        key = expect(store.admin.post("/api/v1/keys", {"name": "one", "scope": "write"}))["plaintext_key"]
        assert expect(store.as_token(key).post("/api/v1/srm-check", SRM)), "a key is looked up by any family"
        assert any(opened(pid, file) for pid in store.stack.workers("experiments-analysis"))
    finally:
        store.stack.close()


def opened(pid, file):
    folder = f"/proc/{pid}/fd"
    return any(os.readlink(f"{folder}/{fd}") == file for fd in os.listdir(folder))


def test_many_workers_live_with_ten_connections(server):
    """107 workers, of which an idle one keeps no connection."""
    store = store_on(server, {**OPEN, "ASSAY_WORKERS": 27, "AB_DB_POOL_SIZE": 10})
    query = (f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{store.database.name}'"
             " AND application_name = 'assay-experiments'")
    seen, found, end = [], Counter(), time.monotonic() + 4

    def ask(number):
        while time.monotonic() < end:
            path = (PROJECTS, "/api/v1/diagnostics", "/api/v1/audit", "/api/v1/templates")[number % 4]
            found[store.client.get(path, may_fail=True).status] += 1

    def connections():
        return int(server.sql(query, database="postgres"))

    try:
        wait_for(lambda: connections() == 0)
        with ThreadPoolExecutor(16) as callers:
            asked = [callers.submit(ask, number) for number in range(16)]
            while time.monotonic() < end:
                seen.append(connections())
            [one.result() for one in asked]
        assert set(found) == {200} and found[200] > 50, found
        # A connection that changes hands may be listed twice for an instant.
        assert sorted(seen)[len(seen) // 2] <= 10 and max(seen) <= 14, Counter(seen)
        wait_for(lambda: connections() == 0)
    finally:
        store.stack.close()
