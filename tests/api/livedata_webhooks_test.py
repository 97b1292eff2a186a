"""Webhooks under chaos: writers are killed all the time and runners now and then, a receiver fails sometimes, another
one hangs. Each acknowledged event arrives, under one delivery id; who hangs delays nobody; what a killed runner had in
hand is taken up long before its lease is over; and the journal agrees with the tables afterwards.

ASSAY_TEST_SOAK=1 (`make soak`) does it with 10 000 deliveries.
"""

import contextlib
import os
import random
import signal
import threading
import time
import uuid
from collections import defaultdict
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from conftest import SOAK
from service import Service

EVENTS = 5000 if SOAK else 120  # at least: sending goes on until a writer and a runner have died
HANGING = 200 if SOAK else 12  # events that the hanging receiver gets
WAIT_SECONDS = 1800 if SOAK else 60
RUNNER_ROUNDS = 40 if SOAK else 4  # of killing, of which one ends a runner
KEY = {"X-API-Key": "key-of-shop"}
SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000",
            "LIVE_EGRESS_ALLOWED_HOSTS": "127.0.0.1"}


class Receiver(BaseHTTPRequestHandler):
    """Three in one: /good takes all, /failing refuses or hangs up on one of fifty, /hanging answers late."""

    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    taken = defaultdict(lambda: defaultdict(list))  # path, event id: delivery ids of what was answered 200
    released = threading.Event()
    dice = random.Random(1)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event = body.split(b'"event_id":"', 1)[1].split(b'"', 1)[0].decode()
        with self.lock:
            fate = self.dice.random()
        if self.path == "/hanging":
            self.released.wait(4)
        if self.path == "/failing" and fate < 0.01:
            self.close_connection = True
            return
        good = self.path != "/failing" or fate > 0.02
        if good:
            with self.lock:
                self.taken[self.path][event].append(self.headers["X-Live-Delivery"])
        self.send_response(200 if good else 500)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # the runner was killed


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


@pytest.fixture
def receiver():
    server = Server(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def product(number):
    return {"event_id": str(uuid.uuid4()), "event_type": "product.updated", "source": "shop", "name": "Tea",
            "timestamp": datetime.now(timezone.utc).isoformat(), "product_id": f"PROD-{number}", "category": "tea",
            "price": 10 + number % 7, "in_stock": True, "stock_quantity": number}


def send_until_acknowledged(live, event):
    """A writer that is killed gives no answer, or nginx's; the same event again is no other event."""
    while True:
        try:
            answer = live.post("/v1/events", event, headers=KEY, checked=False)
            if answer.status_code == 200:
                assert answer.json()["applied"] + answer.json()["duplicates"] == 1, answer.text
                return
        except requests.RequestException:
            pass
        time.sleep(0.01)


def kill_now_and_then(live, over, kills):
    dice, rounds = random.Random(2), 0
    while not over.wait(0.25):
        rounds += 1
        runners = sorted(pid for pid in live.stack.processes() if name_of(pid) == "livedata-worker")
        victims = runners[1:] if rounds % RUNNER_ROUNDS == 0 else live.stack.workers("livedata-events")
        with contextlib.suppress(ProcessLookupError, IndexError):  # gone, or not there yet
            victim = dice.choice(victims)
            os.kill(victim, signal.SIGKILL)
            kills[victim in runners] += 1


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def missing(path, events):
    return [event for event in events if not Receiver.taken[path][event]]


def test_every_event_arrives_under_chaos(receiver):
    with Service("livedata", SETTINGS) as live:
        few = [f"PROD-{i}" for i in range(HANGING)]
        for path, filters in (("/good", {}), ("/failing", {}), ("/hanging", {"entity_ids": few})):
            hook = live.post("/v1/webhooks", {"url": receiver + path, "filters": filters}, headers=KEY)
            assert hook.status_code == 201, hook.text
        over, kills = threading.Event(), [0, 0]  # writers, runners
        chaos = threading.Thread(target=kill_now_and_then, args=(live, over, kills))
        chaos.start()
        try:
            events = []
            end = time.monotonic() + WAIT_SECONDS
            while len(events) < EVENTS or not all(kills):
                assert time.monotonic() < end, kills
                event = product(len(events))
                send_until_acknowledged(live, event)
                events.append(event["event_id"])
            while missing("/good", events) or missing("/failing", events):
                assert time.monotonic() < end, (len(missing("/good", events)), len(missing("/failing", events)))
                time.sleep(0.05)
            late = len(missing("/hanging", events[:HANGING]))
        finally:
            over.set()
            chaos.join()
            Receiver.released.set()
        while missing("/hanging", events[:HANGING]):
            assert time.monotonic() < end
            time.sleep(0.05)
        assert late, "who hangs was waited for"
        checked = live.stack.run("run", "livedata-check")
        assert checked.returncode == 0 and f"entities={len(events)} differences=0" in checked.stdout, str(checked)
    for path in ("/good", "/failing", "/hanging"):
        ids = Receiver.taken[path]
        assert set(ids) == set(events if path != "/hanging" else events[:HANGING])
        assert all(len(set(one)) == 1 for one in ids.values()), "an event has two delivery ids"
        assert sum(map(len, ids.values())) - len(ids) <= kills[1], "more than died was delivered again"
    print(f"{len(events)} events, {kills} writers and runners killed, "
          f"{late} of {HANGING} still hanging when the rest had arrived")
