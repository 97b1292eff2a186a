"""Several hosts on one PostgreSQL: what is applied on one is not hidden by the cache of another.

`far` looks every minute and so has only its listener; `near` looks every second, its listener is stopped; `deaf`
looks every minute and is told by Redis alone."""

import contextlib
import os
import signal
import subprocess
import threading
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

import pytest
import requests

from wait import wait_for
from service import Service, Servers
from stack import free_ports

KEY = {"X-API-Key": "key-of-shop"}
SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000", "CACHE_TTL_SECONDS": "3600",
            "LIVE_ENTITY_CACHE_TTL_SECONDS": "3600"}
POLL = 1.0


class Redis:
    """A Redis server of the test's own."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_ports(1)[0]
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--requirepass", "p@ss"],
            cwd=self.folder, stdout=subprocess.DEVNULL)
        return f"redis://:p%40ss@127.0.0.1:{self.port}/1"

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    server = Redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def hosts(redis):
    shared = {**SETTINGS, "LIVE_DATABASE_URL": Servers.new_database(), "REDIS_URL": redis.start()}
    with Service("livedata", {**shared, "LIVE_CACHE_POLL_SECONDS": "60"}) as far, \
            Service("livedata", {**shared, "LIVE_CACHE_POLL_SECONDS": str(POLL)}) as near:
        yield far, near


def order(number, quantity):
    return {"event_id": str(uuid.uuid4()), "event_type": "order.updated", "source": "shop", "status": "pending",
            "timestamp": datetime.now(timezone.utc).isoformat(), "order_id": f"ORD-20260404-{number}",
            "user_id": "USR-1", "total_amount": quantity,
            "items": [{"product_id": "PROD-1", "quantity": quantity, "unit_price": 1}]}


def apply(host, number, quantity):
    answer = host.post("/v1/events", order(number, quantity), headers=KEY)
    assert answer.json()["applied"] == 1, answer.text


def amount(host, number):
    """What the order amounts to, and whether the cache said so."""
    answer = host.get(f"/v1/entity/order/ORD-20260404-{number}", headers=KEY)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]["total_amount"], answer.headers["X-Cache"]


def keep(host, number):
    """Makes the cache hold the order: a first answer of a host may tell of a change that is known by now."""
    for _ in range(50):
        value, cache = amount(host, number)
        if cache == "HIT":
            return value
    raise AssertionError("the cache does not keep the order")


def processes_of(host, name):
    """Processes of the worker, by what they are called."""
    found = []
    for pid in host.stack.processes():
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text().strip() == name:
                found.append(pid)
    return found


def listener(host):
    found = []
    wait_for(lambda: found.extend(processes_of(host, "livedata-listen")) or found)
    return found[0]


def test_the_listener_hears_of_other_hosts_and_is_replaced(hosts):
    far, near = hosts
    apply(near, 1000, 1)
    for value in (2, 3):
        keep(far, 1000)
        apply(near, 1000, value)
        wait_for(lambda wanted=value: amount(far, 1000)[0] == wanted)
        killed = listener(far)
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda gone=killed: listener(far) != gone)
    runner = processes_of(far, "livedata-worker")[-1]
    count = len(processes_of(far, "livedata-worker"))
    os.kill(runner, signal.SIGKILL)
    wait_for(lambda: runner not in (now := processes_of(far, "livedata-worker")) and len(now) == count)


def test_without_the_listener_nothing_is_older_than_one_poll(hosts):
    far, near = hosts
    stopped = listener(near)
    os.kill(stopped, signal.SIGSTOP)
    try:
        apply(far, 2000, 1)
        hits = 0
        for value in range(2, 5):
            keep(near, 2000)
            apply(far, 2000, value)
            hits += amount(near, 2000) == (value - 1, "HIT")
            time.sleep(POLL)
            assert amount(near, 2000)[0] == value
        assert hits, "the cache was never asked: this test shows nothing"
    finally:
        os.kill(stopped, signal.SIGCONT)


def test_redis_tells_a_host_that_cannot_listen(hosts, redis):
    far = hosts[0]
    apply(far, 5000, 1)
    with Service("livedata", {**far.env, "LIVE_CACHE_POLL_SECONDS": "60", "LIVE_CACHE_LISTEN": "false"}) as deaf:
        listener(deaf)
        value = 1
        for _ in range(2):
            keep(deaf, 5000)
            end = time.monotonic() + 30
            while amount(deaf, 5000) != (value, "MISS") and time.monotonic() < end:  # it subscribes a little later
                value += 1
                apply(far, 5000, value)
                time.sleep(0.05)
            assert time.monotonic() < end, "not in time"
            redis.kill()
            value += 1
            apply(far, 5000, value)  # nobody is told, and nobody minds
            redis.start()
        refused = deaf.stack.run("restart", env={"REDIS_URL": "http://127.0.0.1:1"})
        assert refused.returncode and "REDIS_URL must be redis://" in refused.stderr + refused.stdout


def test_nothing_older_follows_something_newer(hosts):
    far, near = hosts
    stopped = listener(near)
    os.kill(stopped, signal.SIGSTOP)
    apply(far, 3000, 1)
    apply(far, 3001, 1)
    keep(near, 3000)
    seen, over = [], threading.Event()

    def read(path, take, body=None):
        with requests.Session() as session:
            session.trust_env = False
            while not over.is_set():
                begun = time.monotonic()
                answer = session.request("POST" if body else "GET", near.url + path, json=body, headers=KEY, timeout=60)
                seen.append((begun, time.monotonic(), take(answer.json()), answer.headers.get("X-Cache", path)))

    entity = ("/v1/entity/order/ORD-20260404-3000", lambda answer: answer["data"]["total_amount"])
    question = ("/v1/query", lambda answer: answer["answer"][0]["total_amount"],
                {"question": "order ORD-20260404-3000"})
    batch = ("/v1/batch", lambda answer: answer["results"][0]["data"]["total_amount"],
             {"requests": [{"id": "1", "type": "entity",
                            "params": {"entity_type": "order", "entity_id": "ORD-20260404-3000"}}]})
    readers = [threading.Thread(target=read, args=one) for one in (entity, entity, question, batch)]
    for reader in readers:
        reader.start()
    try:
        for value in range(2, 40):
            apply(far, 3000, value)
            time.sleep(0.05)
    finally:
        over.set()
        for reader in readers:
            reader.join()
        os.kill(stopped, signal.SIGCONT)
    assert {"HIT", "MISS", "/v1/query"} <= {one[3] for one in seen} and max(one[2] for one in seen) > 30
    newest, ended = 0, sorted(seen, key=lambda one: one[1])
    at = 0
    for begun, _, value, where in sorted(seen):
        while ended[at][1] < begun:
            newest = max(newest, ended[at][2])
            at += 1
        assert value >= newest, f"{where} says {value} after {newest}"


def test_a_host_without_its_database_gives_nothing_out_of_its_cache(hosts):
    far, near = hosts
    apply(far, 4000, 1)
    keep(near, 4000)
    database = near.env["LIVE_DATABASE_URL"].rsplit("/", 1)[1].split("?")[0]
    Servers.server.sql(f"ALTER DATABASE {database} ALLOW_CONNECTIONS false")
    try:
        Servers.server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'")
        time.sleep(POLL)
        answer = near.get("/v1/entity/order/ORD-20260404-4000", headers=KEY, checked=False)
        assert answer.status_code == 503, answer.text
    finally:
        Servers.server.sql(f"ALTER DATABASE {database} ALLOW_CONNECTIONS true")
    wait_for(lambda: near.get("/v1/entity/order/ORD-20260404-4000", headers=KEY, checked=False).status_code == 200)
    keep(far, 4000)
    apply(near, 4000, 2)
    wait_for(lambda: amount(far, 4000)[0] == 2)
