"""A disk that fails: reads, writes and flushes that end with EIO for a while, and a file system that is full to the last
byte. No worker dies, what was acknowledged is there afterwards, readiness says so meanwhile, and all goes on by itself."""

import subprocess
import threading
import time
import uuid
from collections import Counter
from datetime import datetime, timezone

import pytest
import requests

from wait import wait_for
from stack import BUILD, CHECKOUT, WITH_PORT, Stack
from project_fixtures import payload

READY = {"experiments": "/readyz", "support": "/api/health/ready", "orchestrator": "/healthz/ready", "livedata": "/health/ready"}
SETTINGS = {"ALLOW_ANONYMOUS_ADMIN": "true", "RATE_LIMIT_ENABLED": "false", "LIVE_API_KEYS": "key-of-shop:shop",
            "LIVE_RATE_LIMIT_RPM": "100000", "AB_RATE_LIMIT_ENABLED": "false", "LIVE_HEALTH_CACHE_TTL_SECONDS": "0"}
SHOP = {"X-API-Key": "key-of-shop"}
FILES = {"experiments": "projects.sqlite3", "support": "support.sqlite3", "orchestrator": "orch.sqlite3",
         "livedata": "livedata.sqlite3"}


class Caller:
    """Writes to one service and reads from it, and remembers what was acknowledged."""

    def __init__(self, stack, name):
        self.name, self.url = name, stack.url_of(name)
        self.statuses, self.acknowledged, self.number, self.unexpected = Counter(), [], 0, []

    def send(self, method, path, **more):
        answer = requests.request(method, self.url + path, headers=SHOP if self.name == "livedata" else None, timeout=30, **more)
        self.statuses[method, answer.status_code] += 1
        if answer.status_code not in ((200,) if method == "GET" else (200, 201, 202, 503)):
            self.unexpected.append(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer

    def write(self):
        self.number += 1
        answer, found = getattr(self, f"write_{self.name}")(f"{self.name}{self.number}")
        if answer.status_code in (200, 201, 202):
            self.acknowledged.append(found or answer.json())
        return answer

    def write_experiments(self, name):
        return self.send("POST", "/api/v1/projects", json=payload(name, project={"project_description": "x" * 20_000})), None

    def write_support(self, name):
        text = f"# {name}\n\n" + f"The {name} costs {self.number} euros. " * 400
        return self.send("POST", "/api/upload", files={"file": (f"{name}.md", text.encode())}), None

    def write_orchestrator(self, name):
        return self.send("POST", "/api/v1/orchestrate", json={"prompt": f"{name} " * 500}), None

    def write_livedata(self, name):
        number = f"ORD-20260404-{100_000 + self.number}"
        event = {"event_id": str(uuid.uuid4()), "event_type": "order.created", "source": "shop", "order_id": number,
                 "timestamp": datetime.now(timezone.utc).isoformat(), "user_id": "USR-1", "status": "pending",
                 "items": [{"product_id": "PROD-1", "quantity": 1, "unit_price": "10.50"}], "total_amount": "10.50"}
        return self.send("POST", "/v1/events", json=event), number

    def read(self):
        path = {"experiments": "/api/v1/projects", "support": "/api/documents", "orchestrator": "/api/v1/tasks",
                "livedata": "/v1/metrics/revenue?window=24h"}[self.name]
        return self.send("GET", path)

    def ready(self):
        return requests.get(self.url + READY[self.name], timeout=30).status_code

    def check(self):
        """All that was acknowledged is there."""
        for told in self.acknowledged:
            if self.name == "experiments":
                assert self.send("GET", f"/api/v1/projects/{told['id']}").status_code == 200, told
            elif self.name == "orchestrator":
                assert self.send("GET", f"/api/v1/tasks/{told['task_id']}").status_code == 200, told
            elif self.name == "livedata":
                assert self.send("GET", f"/v1/entity/order/{told}").status_code == 200, told
        if self.name == "support":
            taken = {told["doc_id"] for told in self.acknowledged}
            wait_for(lambda: taken <= {row["doc_id"] for row in self.send("GET", "/api/documents").json()["documents"]})
        return len(self.acknowledged)


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """Programs into which the library is preloaded, and the file that says what fails."""
    place = tmp_path_factory.mktemp("failing")
    library, order, build = place / "failing.so", place / "order", place / "build"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", library, CHECKOUT / "tests/faults/failing_disk.c", "-ldl"],
                   check=True)
    place.chmod(0o755)
    for folder in ("fcgi-bin", "cron-bin"):
        (build / folder).mkdir(parents=True)
        for program in (BUILD / folder).iterdir():
            script = build / folder / program.name
            script.write_text(f"#!/bin/sh\nexport LD_PRELOAD={library} FAILING_DISK={order}\nexec {program} \"$@\"\n")
            script.chmod(0o755)
    return build, order


@pytest.fixture(scope="module")
def stack(failing):
    with Stack(build=failing[0], services=WITH_PORT) as stack:
        yield stack.start({**SETTINGS, "AB_SQLITE_SYNCHRONOUS": "NORMAL"})


@pytest.fixture
def order(failing):
    yield failing[1]
    failing[1].unlink(missing_ok=True)


@pytest.mark.parametrize("name", WITH_PORT)
def test_read_errors_pass(stack, order, name):
    """A file that cannot be read for a moment is no other file."""
    caller = Caller(stack, name)
    assert caller.write().status_code in (200, 201, 202)
    order.write_text(f"r {FILES[name]}")
    answers = [caller.read().status_code for _ in range(40)]
    assert 503 in answers and set(answers) <= {200, 503}, answers
    order.unlink()
    wait_for(lambda: all(caller.read().status_code == 200 for _ in range(20)), lambda: str(caller.statuses))
    assert caller.write().status_code in (200, 201, 202) and caller.check() == 2
    assert "database_lost" not in stack.logs()


@pytest.mark.parametrize("name", WITH_PORT)
def test_write_errors_are_no_readiness(stack, order, name):
    caller = Caller(stack, name)
    assert caller.ready() == 200
    order.write_text(f"w {FILES[name]}")
    assert [caller.ready() for _ in range(4)] == [503] * 4
    assert caller.write().status_code == 503
    order.unlink()
    wait_for(lambda: caller.ready() == 200)
    assert caller.write().status_code in (200, 201, 202) and caller.check() == 1


def test_a_log_that_cannot_be_flushed_is_noticed(stack, order):
    """At level NORMAL no commit flushes: only copying the log into the file does."""
    caller = Caller(stack, "experiments")
    order.write_text(f"s {FILES['experiments']}")

    def write_and_ask():
        assert caller.write().status_code == 200
        return caller.ready() == 503

    wait_for(write_and_ask)
    assert '"message":"checkpoint_failed"' in stack.logs()
    order.unlink()
    wait_for(lambda: caller.ready() == 200)
    caller.check()


@pytest.mark.parametrize("folder", ["/support/", "/index/"])
def test_an_upload_that_cannot_be_flushed_is_not_taken(stack, order, folder):
    """Neither its file nor its part of the search index."""
    caller = Caller(stack, "support")
    caller.number = 1000  # a document that no other test has uploaded: of a known one nothing is written
    order.write_text(f"s {folder}")
    assert caller.write().status_code == 503
    order.unlink()
    assert caller.write().status_code in (200, 201, 202)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own for a stack."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m,mode=0755", "tmpfs", place], capture_output=True,
                             text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"mounting is not permitted: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", place], check=False)


def fill(place):
    """To the last byte; returns the file that holds it all."""
    ballast = place / "ballast"
    with open(ballast, "ab", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                pass
    return ballast


class Load:
    """Writers and readers of all services, each in its thread."""

    def __init__(self, callers):
        self.done, self.failures = threading.Event(), []
        self.threads = [threading.Thread(target=self.run, args=(step,)) for caller in callers
                        for step in (caller.write, caller.read, caller.read)]

    def run(self, step):
        try:
            while not self.done.is_set():
                step()
        except BaseException as failure:
            self.failures.append(failure)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        for thread in self.threads:
            thread.join()
        assert not self.failures, self.failures


def test_a_file_system_that_is_full(small_disk):
    stack = Stack(services=WITH_PORT)
    stack.start(SETTINGS, directory=small_disk / "stack")
    try:
        callers = [Caller(stack, name) for name in WITH_PORT]
        workers = {pool: stack.workers(pool) for name in WITH_PORT for pool in (f"{name}-system",)}
        with Load(callers):
            wait_for(lambda: all(caller.acknowledged for caller in callers))
            ballast = fill(small_disk)
            wait_for(lambda: [fill(small_disk), all(caller.statuses["POST", 503] >= 3 for caller in callers)][1],
                  lambda: str([caller.statuses for caller in callers]))
            assert [caller.ready() for caller in callers] == [503] * 4
            large = {"project_description": "x" * 300_000}  # nginx has no room for it either
            assert requests.post(callers[0].url + "/api/v1/projects", json=payload("large", project=large), timeout=30).status_code == 503
            said = stack.run("reload")
            assert said.returncode != 0 and "(no reason given)" not in said.stderr, said.stderr
            time.sleep(1)
            ballast.unlink()
            wait_for(lambda: all(caller.ready() == 200 for caller in callers))
            before = [len(caller.acknowledged) for caller in callers]
            wait_for(lambda: all(len(caller.acknowledged) > count for caller, count in zip(callers, before)))
        for caller in callers:
            assert not caller.unexpected, (caller.unexpected, stack.logs()[-3000:])
            assert caller.check() > 2
        assert {pool: stack.workers(pool) for pool in workers} == workers, "a worker has died"
        assert stack.run("reload").returncode == 0
    finally:
        stack.stop()
        stack.close()
