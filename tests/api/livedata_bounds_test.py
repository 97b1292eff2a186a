"""Random schedules of writes and bounded reads on two hosts of one PostgreSQL: no answer lies outside its bound.

The clock of one host is five seconds ahead; the cache of the other hears of nothing and looks once a minute, so that
answers without a bound are really old. ASSAY_TEST_SOAK=1 takes a hundred thousand steps instead of a thousand."""

import os
import random
import sys
import threading
import time
import types
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import requests

from service import Service, Servers
from stack import BUILD

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "recording"))
from clock import programs_with_clock  # noqa: E402  (found by the line above)

KEY = {"X-API-Key": "key-of-shop"}
SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000", "CACHE_TTL_SECONDS": "3600",
            "LIVE_ENTITY_CACHE_TTL_SECONDS": "3600", "LIVE_CACHE_POLL_SECONDS": "60"}
STEPS = int(os.environ.get("ASSAY_TEST_BOUND_STEPS") or (100000 if os.environ.get("ASSAY_TEST_SOAK") else 1000))
AHEAD = 5
ORDERS, READERS = 4, 3


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    shared = {**SETTINGS, "LIVE_DATABASE_URL": Servers.new_database()}
    ahead = Service("livedata", shared)
    ahead.stack.build = programs_with_clock(BUILD, tmp_path_factory.mktemp("ahead"), types.SimpleNamespace(offset=AHEAD))
    with ahead, Service("livedata", {**shared, "LIVE_CACHE_LISTEN": "false"}) as deaf:
        yield ahead, deaf


class Caller:
    """One client; the shared rate of the key is not what is tested, so it waits where it is refused."""

    def __init__(self):
        self.session = requests.Session()
        self.session.trust_env = False

    def send(self, method, url, **arguments):
        while True:
            answer = self.session.request(method, url, headers=KEY, timeout=60, **arguments)
            if answer.status_code != 429:
                return answer
            time.sleep(1)


class Schedule:
    """What was written and acknowledged, and what was wrong with the answers."""

    def __init__(self, hosts, seed):
        self.hosts, self.seed = hosts, seed
        self.lock = threading.Lock()
        self.written = {number: [] for number in range(ORDERS)}  # (acknowledged, wall, value, position)
        self.event_sent = [0.0]  # own time of the newest event that may have arrived
        self.wrong, self.waits = [], []
        self.counts = dict.fromkeys(("at_least", "max_staleness", "max_event_age", "none", "old", "refused"), 0)
        self.left, self.over = STEPS, threading.Event()

    def step(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def write(self, caller, host, number, value, age=0.0):
        own = time.time() - age
        with self.lock:
            self.event_sent.append(max(own, self.event_sent[-1]))
        event = {"event_id": str(uuid.uuid4()), "event_type": "order.updated", "source": "shop", "status": "pending",
                 "timestamp": datetime.fromtimestamp(own, timezone.utc).isoformat(),
                 "order_id": f"ORD-20260404-{1000 + number}", "user_id": "USR-1", "total_amount": value,
                 "items": [{"product_id": "PROD-1", "quantity": 1, "unit_price": value}]}
        answer = caller.send("POST", host.url + "/v1/events", json=event)
        assert answer.status_code == 200 and answer.json()["applied"] == 1, answer.text
        with self.lock:
            self.written[number].append((time.monotonic(), time.time(), value, answer.json()["position"]))

    def newest(self, number, column, before):
        """The value that was acknowledged last before then."""
        with self.lock:
            return max((one[2] for one in self.written[number] if one[column] <= before), default=0)

    def read(self, caller, rng):
        host, number = rng.choice(self.hosts), rng.randrange(ORDERS)
        kind = rng.choice(("at_least", "max_staleness", "max_event_age", "none"))
        params, least, bound = {}, 0, rng.choice((0.0, 0.02, 0.1, 0.5, 2.0))
        with self.lock:
            last = self.written[number][-1]
        began = time.monotonic()
        if kind == "at_least":
            params, least = {"at_least": last[3]}, last[2]
        elif kind == "max_staleness":
            params, least = {"max_staleness": f"{bound * 1000:.0f}ms"}, self.newest(number, 0, began - bound)
        elif kind == "max_event_age":
            bound = max(bound, 0.05)
            params = {"max_event_age": f"{bound * 1000:.0f}ms", **({"wait": "50ms"} if rng.random() < .3 else {})}
        answer = caller.send("GET", f"{host.url}/v1/entity/order/ORD-20260404-{1000 + number}", params=params)
        self.judge(kind, params, number, least, bound, began, answer)

    def judge(self, kind, params, number, least, bound, began, answer):
        ended, wall = time.monotonic(), time.time()  # at once: a busy machine may stop this thread at any line
        body = answer.json()
        with self.lock:
            self.counts[kind] += 1
            sent = self.event_sent[-1]
        if answer.status_code == 412 and kind == "max_event_age":
            self.counts["refused"] += 1
            if body["event_age_seconds"] <= bound:
                self.wrong.append(f"refused within the bound: {params} {body}")
            return
        if answer.status_code != 200:
            self.wrong.append(f"{params}: {answer.status_code} {answer.text}")
            return
        value, fresh = body["data"]["total_amount"], body["freshness"]
        as_of = datetime.fromisoformat(fresh["as_of"].replace("Z", "+00:00")).timestamp()
        if value < least:
            self.wrong.append(f"{params}: {value} instead of at least {least}, after {ended - began:.3f} s")
        if value < self.newest(number, 1, as_of - 0.05):  # differences of clocks below that are left as they are
            self.wrong.append(f"{params}: {value} is older than its as_of {fresh['as_of']} says")
        if kind == "at_least":
            self.waits.append(ended - began)
            if fresh["position"] < params["at_least"]:
                self.wrong.append(f"{params}: {fresh['position']}")
        if kind == "max_event_age" and wall - (ended - began) - sent > bound + 0.1:
            self.wrong.append(f"{params}: the newest event is {wall - sent:.3f} s old")
        with self.lock:
            self.counts["old"] += kind == "none" and value < self.newest_unlocked(number, began)

    def newest_unlocked(self, number, before):
        return max((one[2] for one in self.written[number] if one[0] <= before), default=0)

    def run_writer(self):
        rng, caller, value = random.Random(self.seed), Caller(), 1
        while not self.over.is_set():
            value += 1
            self.write(caller, rng.choice(self.hosts), rng.randrange(ORDERS), value)
            time.sleep(rng.choice((0, 0, 0.005, 0.02, 0.3)))

    def run_reader(self, seed):
        rng, caller = random.Random(seed), Caller()
        while self.step():
            self.read(caller, rng)

    def run(self):
        caller = Caller()
        for number in range(ORDERS):
            self.write(caller, self.hosts[0], number, 1)
        readers = [threading.Thread(target=self.run_reader, args=(self.seed + i + 1,)) for i in range(READERS)]
        writer = threading.Thread(target=self.run_writer)
        for thread in (writer, *readers):
            thread.start()
        for reader in readers:
            reader.join()
        self.over.set()
        writer.join()


def test_no_answer_is_outside_its_bound(hosts):
    seed = int(os.environ.get("ASSAY_TEST_SEED") or time.time())
    schedule = Schedule(hosts, seed)
    schedule.run()
    waits = sorted(schedule.waits)
    print(f"seed {seed}: {schedule.counts}, {sum(map(len, schedule.written.values()))} writes, at_least p50 "
          f"{waits[len(waits) // 2] * 1e3:.1f} ms, p95 {waits[len(waits) * 95 // 100] * 1e3:.1f} ms")
    assert not schedule.wrong, f"seed {seed}: {len(schedule.wrong)} answers, {schedule.wrong[:5]}"
    assert all(schedule.counts[kind] > STEPS // 10 for kind in ("at_least", "max_staleness", "max_event_age")), \
        schedule.counts


def test_only_a_bound_makes_the_deaf_host_look(hosts):
    """Its cache holds what is old, so the schedules above do show something."""
    caller, schedule = Caller(), Schedule(hosts, 1)
    writer, deaf = hosts
    url, old = f"{deaf.url}/v1/entity/order/ORD-20260404-1000", 0
    for value in range(7000, 7010, 2):
        schedule.write(caller, writer, 0, value)
        for _ in range(20):  # until the cache keeps it
            if caller.send("GET", url, params={"max_staleness": "0s"}).headers["X-Cache"] == "HIT":
                break
        schedule.write(caller, writer, 0, value + 1)
        old += caller.send("GET", url).json()["data"]["total_amount"] == value
        at_least = {"at_least": schedule.written[0][-1][3]}
        assert caller.send("GET", url, params=at_least).json()["data"]["total_amount"] == value + 1
    assert old, "no answer without a bound was old"


def test_ages_follow_the_clock_of_the_database(hosts):
    """A host whose clock is ahead neither makes events older nor applies them in the future."""
    caller = Caller()
    schedule = Schedule(hosts, 1)
    for writer in hosts:
        schedule.write(caller, writer, 0, 5000)
        for reader in hosts:
            fresh = caller.send("GET", f"{reader.url}/v1/entity/order/ORD-20260404-1000",
                                params={"max_staleness": "0s"}).json()
            took = time.time() - schedule.event_sent[-1]
            assert fresh["freshness"]["event_age_seconds"] <= took + 0.1
            assert fresh["freshness_seconds"] <= took + 0.1
            last = datetime.fromisoformat(fresh["last_updated"].replace("Z", "+00:00"))
            assert last <= datetime.now(timezone.utc) + timedelta(seconds=0.1)
