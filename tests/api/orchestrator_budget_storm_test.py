"""Bursts over many virtual keys, with workers killed all the time, with a clock that jumps, on one host and on two with
one PostgreSQL: no budget is passed, nothing is refused that has room, and what is shown is the sum of the steps.
ASSAY_TEST_SOAK=1 makes it a thousand keys."""

import json
import os
import random
import re
import signal
import struct
import subprocess
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from model_server import ModelServer
from service import ENGINES, Service
from stack import BUILD, CHECKOUT
from wait import wait_for

pytestmark = pytest.mark.both_engines
KEYS, CALLS = (1000, 6000) if os.environ.get("ASSAY_TEST_SOAK") else (40, 400)
TEAMS = 4
KILLED_AFTER = 5  # answers
DEADLINE = 3
PRICES = {"usd_per_1000_input": 1.0, "usd_per_1000_output": 1.0}


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture
def env(models, tmp_path):
    models.reset()
    models.answers["busy"] = lambda prompt: f"wait:{random.Random(prompt).random() / 50:.4f}:" + "word " * (len(prompt) % 60 + 1)
    path = tmp_path / "models.json"
    path.write_text(json.dumps([{"id": "busy", "provider": "maker", "protocol": "openai", "model": "busy", "concurrency_limit": 64,
                                 "base_url": models.url + "/v1", **PRICES}]))
    return {**models.settings, "ORCH_MODELS_FILE": str(path), "ORCH_API_BREAKER_FAILURES": "0", "ORCH_MAX_ANSWER_TOKENS": "80",
            "ORCH_DAILY_COST_LIMIT_USD": "1000000", "ORCH_ORCHESTRATE_TIMEOUT_SECONDS": str(DEADLINE)}


def on_postgres(env):
    return {**env, "ORCH_STORAGE_BACKEND": "postgres"}


def made(service, path, **body):
    answer = service.post("/api/v1" + path, body)
    assert answer.status_code == 201, answer.text
    return answer.json()


class Books:
    """Keys in teams in two customers, each with a budget, and what was asked with them."""

    def __init__(self, service):
        self.customers = [made(service, "/customers", name=f"customer {i}") for i in range(2)]
        self.teams = [made(service, "/teams", name=f"team {i}", customer_id=self.customers[i % 2]["id"]) for i in range(TEAMS)]
        with ThreadPoolExecutor(8) as pool:
            self.keys = list(pool.map(lambda i: made(service, "/keys", name=f"key {i}", team_id=self.teams[i % TEAMS]["id"]),
                                      range(KEYS)))
            list(pool.map(lambda i: self.add(service, "key", self.keys[i], 0.4, i % 2 == 0), range(KEYS)))
        for i, team in enumerate(self.teams):
            self.add(service, "team", team, 0.025 * CALLS / TEAMS, i % 2 == 0)
        for customer in self.customers:
            self.add(service, "customer", customer, 0.024 * CALLS / 2, False)
        self.refused, self.answered = [], 0

    def add(self, service, kind, owner, limit, rolling):
        made(service, "/budgets", owner_kind=kind, owner_id=owner["id"], period="day", rolling=rolling, limit_usd=limit)

    def ask(self, url, number):
        key = self.keys[random.Random(number).randrange(KEYS)]
        try:
            answer = requests.post(url + "/v1/chat/completions", timeout=60, headers={"Authorization": f"Bearer {key['key']}"},
                                   json={"model": "busy", "messages": [{"role": "user", "content": "x" * (number % 50 + 1)}]})
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
            time.sleep(0.2)  # as after a 502: or all calls are gone before a killed process is replaced
            return 0
        if answer.status_code == 429:
            self.refused.append(answer.json()["error"]["message"])
        elif answer.status_code == 200:
            self.answered += 1
        else:
            time.sleep(0.2)
        return answer.status_code

    def burst(self, *urls):
        with ThreadPoolExecutor(24) as pool:
            return list(pool.map(lambda number: self.ask(urls[number % len(urls)], number), range(CALLS)))


def check(service, books, statuses, killed):
    def settled():
        service.get("/api/v1/models")  # whoever answers looks for abandoned tasks, now and then
        time.sleep(0.5)
        return all(b["held_usd"] == 0 for b in service.get("/api/v1/budgets").json()["budgets"])

    wait_for(settled, seconds=DEADLINE + 60)
    assert set(statuses) <= ({200, 429, 0, 502, 503, 504} if killed else {200, 429}), set(statuses)
    assert statuses.count(200) > CALLS // (20 if killed else 5)  # a process that is killed takes all its calls along
    assert killed or statuses.count(429) > 0
    budgets = service.get("/api/v1/budgets").json()["budgets"]
    assert [b for b in budgets if b["spent_usd"] > b["limit_usd"] + 1e-9] == []
    for message in books.refused:
        limit, spent, held, price = (float(x) for x in re.findall(r"(\d+\.\d{6})", message))
        assert spent + held + price > limit, message
    check_sums(service, books, budgets)


def check_sums(service, books, budgets):
    """Budgets, the report, the steps and the ledger of the day agree to the last cent, and cover the provider's bill."""
    steps = defaultdict(int)
    for key, cost in service.sql("SELECT t.key_id, s.cost_usd FROM orch_task_steps s JOIN orch_tasks t ON t.task_id = s.task_id"
                                 " WHERE s.cost_usd IS NOT NULL"):
        steps[key] += round(float(cost) * 1e9)
    report = {r["key_id"]: round(r["cost_usd"] * 1e9) for r in service.get("/api/v1/usage?group_by=key").json()["rows"]}
    spent = {b["owner_id"]: round(b["spent_usd"] * 1e9) for b in budgets}
    for key in books.keys:
        assert steps.get(key["id"], 0) == report.get(key["id"], 0) == spent[key["id"]], key["name"]
    for owners, name in ((books.teams, "team_id"), (books.customers, "customer_id")):
        for owner in owners:
            assert spent[owner["id"]] == sum(spent[k["id"]] for k in books.keys if k[name] == owner["id"])
    ledger = sum(int(row[0]) for row in service.sql("SELECT nano_usd FROM orch_spend"))
    assert ledger == sum(steps.values())
    assert service.sql("SELECT count(*) FROM orch_spend_holds")[0][0] == "0"
    return ledger


def billed(models):
    """What the provider has counted, at the prices of this test."""
    return sum((len(c["prompt"].split()) + len(c["prompt"]) % 60 + 1) * 1_000_000 for c in models.calls)


class Killer:
    """Kills a worker of the family that calls, every so often, when calls have been answered since."""

    def __init__(self, books, *services):
        self.books, self.services, self.stop = books, services, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        chance, answered = random.Random(11), 0
        while not self.stop.wait(0.3):
            workers = [pid for s in self.services for pid in s.stack.workers("orchestrator-streams")]
            if workers and self.books.answered >= answered + KILLED_AFTER:
                answered = self.books.answered
                os.kill(chance.choice(workers), signal.SIGKILL)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


@pytest.mark.parametrize("engine", ENGINES)
def test_one_host(env, models, engine):
    with Service("orchestrator", on_postgres(env) if engine == "postgres" else env, engine) as service:
        books = Books(service)
        statuses = books.burst(service.url)
        check(service, books, statuses, False)
        ledger = sum(int(row[0]) for row in service.sql("SELECT nano_usd FROM orch_spend"))
        assert billed(models) == ledger


@pytest.mark.parametrize("engine", ENGINES)
def test_workers_killed_all_the_time(env, models, engine):
    with Service("orchestrator", on_postgres(env) if engine == "postgres" else env, engine) as service:
        books = Books(service)
        with Killer(books, service):
            statuses = books.burst(service.url)
        check(service, books, statuses, True)
        assert billed(models) <= sum(int(row[0]) for row in service.sql("SELECT nano_usd FROM orch_spend"))


@pytest.mark.postgres
def test_two_hosts(env, models):
    with Service("orchestrator", on_postgres(env), "postgres") as one:
        shared = {**on_postgres(env), "ORCH_DB_DSN": one.env["ORCH_DB_DSN"]}
        with Service("orchestrator", shared) as other:
            books = Books(one)
            with Killer(books, one, other):
                statuses = books.burst(one.url, other.url)
            check(one, books, statuses, True)
            shown = [{b["id"]: b["spent_usd"] for b in s.get("/api/v1/budgets").json()["budgets"]} for s in (one, other)]
            assert shown[0] == shown[1]
            assert billed(models) <= sum(int(row[0]) for row in one.sql("SELECT nano_usd FROM orch_spend"))


class Jumps:
    """Moves the clock of the service's programs to another day, every so often, and back at the end."""

    HOURS = (0, 26, -26, 52)  # no rolling day at one of them reaches another

    def __init__(self, file):
        self.file, self.stop = file, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def set(self, hours):
        with self.file.open("r+b") as file:
            file.write(struct.pack("q", hours * 3600))

    def run(self):
        chance = random.Random(12)
        while not self.stop.wait(0.4):
            self.set(chance.choice(self.HOURS))

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        self.set(0)


@pytest.fixture(scope="module")
def jumping(tmp_path_factory):
    """Programs into which the clock is preloaded, and the file that says how far it is off."""
    place = tmp_path_factory.mktemp("clock")
    library, clock = place / "clock.so", place / "off"
    clock.write_bytes(struct.pack("q", 0))
    subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", library, CHECKOUT / "tests/faults/jumping_clock.c", "-ldl"],
                   check=True)
    (place / "cron-bin").symlink_to((BUILD / "cron-bin").resolve())
    (place / "fcgi-bin").mkdir()
    for program in (BUILD / "fcgi-bin").resolve().iterdir():
        script = place / "fcgi-bin" / program.name
        script.write_text(f'#!/bin/bash\nLD_PRELOAD={library} JUMPING_CLOCK={clock} exec -a "$0" {program} "$@"\n')
        script.chmod(0o755)
    return place, clock


def check_days(service, books):
    """On SQLite the clock of the programs is that of the database: each day that was visited is a window of its own."""
    def settled():
        service.get("/api/v1/models")  # as above
        return service.sql("SELECT count(*) FROM orch_spend_holds")[0][0] == "0"

    wait_for(settled)
    budgets = {b["id"]: b for b in service.get("/api/v1/budgets").json()["budgets"]}
    windows, spent, now = defaultdict(int), defaultdict(int), time.time()
    for budget, part, nano_usd, held in service.sql("SELECT budget_id, part_at, nano_usd, held_nano_usd FROM orch_budget_parts"):
        assert held == "0", budget
        if budget in budgets:
            at = round((int(part) / 1e6 - now) / 3600 / 26) if budgets[budget]["rolling"] else part
            windows[budget, at] += int(nano_usd)
            spent[budgets[budget]["owner_id"]] += int(nano_usd)
    assert len({part for _, part in windows if isinstance(part, str)}) > 1  # days
    assert [w for w, nano_usd in windows.items() if nano_usd > budgets[w[0]]["limit_usd"] * 1e9 + 1] == []
    steps = {key: round(float(cost) * 1e9) for key, cost in service.sql(
        "SELECT t.key_id, sum(s.cost_usd) FROM orch_task_steps s JOIN orch_tasks t ON t.task_id = s.task_id GROUP BY t.key_id")}
    for key in books.keys:
        assert spent[key["id"]] == steps.get(key["id"], 0)
    return int(service.sql("SELECT sum(nano_usd) FROM orch_spend")[0][0]), sum(steps.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_clock_that_jumps(env, models, jumping, engine):
    build, clock = jumping
    settings = on_postgres(env) if engine == "postgres" else env
    with Service("orchestrator", {**settings, "ASSAY_BUILD_DIR": str(build)}, engine) as service:
        books = Books(service)
        with Jumps(clock):
            statuses = books.burst(service.url)
        if engine == "postgres":  # whose own clock counts
            check(service, books, statuses, False)
            return
        ledger, steps = check_days(service, books)
        assert ledger == steps and billed(models) <= ledger
        assert set(statuses) <= {200, 429, 503}, set(statuses)
