"""Workers are killed while clients evaluate a flag of an adaptive experiment: an exposure of every answer is stored with its
round, and none counts twice."""

import contextlib
import os
import random
import signal
import threading
from pathlib import Path

import pytest
import requests

from flag_fixtures import EVALUATE, Flag
from project_fixtures import expect
from wait import wait_for

pytest_plugins = ["store_fixtures"]

USERS, KILLS, THREADS = 300, 12, 6


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def flag(request, stores):
    store = stores.get(request.param)
    flag = Flag(store.client)
    expect(store.client.send("PUT", flag.path("adaptive"), json={"floor": 0.1, "update_minutes": 1}))
    return store, flag


def workers(store):
    program = str(Path(store.stack.build, "fcgi-bin", "experiments-flags").resolve())
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and os.readlink(entry / "exe") == program and \
                    str(store.stack.directory) in (entry / "environ").read_text(errors="replace"):
                yield int(entry.name)


class Clients:
    """Threads that evaluate until every user has an answer, several times per user and again after every failure."""

    def __init__(self, store, flag):
        self.url = f"{store.stack.base_url}{EVALUATE}/{flag.key}"
        self.left = [f"user-{i % USERS}" for i in range(2 * USERS)]
        random.Random(7).shuffle(self.left)
        self.values, self.failures, self.lock = {}, 0, threading.Lock()
        self.threads = [threading.Thread(target=self.work) for _ in range(THREADS)]

    def ask(self, user):
        with contextlib.suppress(requests.RequestException):
            answer = requests.post(self.url, json={"context": {"targetingKey": user}}, timeout=30)
            if answer.status_code == 200:
                return answer.json()["metadata"]["variationIndex"]
        return None

    def work(self):
        while True:
            with self.lock:
                if not self.left:
                    return
                user = self.left.pop()
            value = self.ask(user)
            with self.lock:
                if value is None:
                    self.failures += 1
                    self.left.append(user)
                else:
                    self.values.setdefault(user, set()).add(value)

    def answered(self):
        with self.lock:
            return sum(map(len, self.values.values())), not self.left


def strike(store, clients):
    """Kills a worker each time that some more users have an answer."""
    for number in range(1, KILLS + 1):
        wait_for(lambda due=number * USERS // (KILLS + 1): clients.answered()[0] >= due or clients.answered()[1])
        for pid in wait_for(lambda: list(workers(store)))[:1 + number % 2]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_no_exposure_is_lost_or_doubled(flag):
    store, flag = flag
    clients = Clients(store, flag)
    for thread in clients.threads:
        thread.start()
    strike(store, clients)
    for thread in clients.threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in clients.threads)
    assert len(clients.values) == USERS and all(len(values) == 1 for values in clients.values.values())
    expected = {index: sum(values == {index} for values in clients.values.values()) for index in (0, 1)}
    wait_for(lambda: list(workers(store)))
    assert flag.arms() == expected
    stats = expect(store.client.get(flag.path("live-stats")))
    assert stats["srm"]["observed_counts"] == [expected[0], expected[1]]
    assert stats["adaptive"]["users_without_round"] == 0
    rows = store.database.rows("SELECT user_id, variation FROM live_units WHERE variation IS NOT NULL")
    assert {row["user_id"]: {row["variation"]} for row in rows} == clients.values and len(rows) == USERS
