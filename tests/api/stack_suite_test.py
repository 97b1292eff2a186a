"""All services of the suite in one stack: its life from start to stop, and what health says meanwhile."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from stack import ROWS, SERVICES, WITH_PORT, Stack

HEALTH = {row[1]: row[3] for row in ROWS if row[:1] == ["service"]}
FIRST = {row[1]: f"{row[1]}-{row[2]}" for row in ROWS if row[:1] == ["family"] and "*" in row}  # pools
PIECES = {f"{row[1]}-{row[2].removeprefix(row[1] + '-')}" for row in ROWS if row[:1] in (["family"], ["program"])
          and not any(word.startswith("if=") for word in row)}
DRAIN_SECONDS = 2


@pytest.fixture(scope="module")
def stack():
    with Stack(services=SERVICES) as stack:
        yield stack.start({"SHUTDOWN_READY_DELAY_SEC": DRAIN_SECONDS, "ALLOW_ANONYMOUS_ADMIN": "true"})


def healthy(stack):
    urls = {name: stack.url_of(name) if name in WITH_PORT else stack.area_url(name) for name in SERVICES}
    return {name: requests.get(urls[name] + path, timeout=10).status_code for name, path in HEALTH.items()}


def ready(stack):
    answer = requests.get(stack.url_of("support") + "/api/health/ready", timeout=10)
    return answer.status_code, answer.json()["status"], "detail" in answer.json()


def test_start_status_reload_and_a_stop_that_is_announced(stack):
    told = stack.run("status")
    assert told.returncode == 0, told.stdout
    listed = {line.split()[0] for line in told.stdout.splitlines() if line}
    assert listed >= PIECES | {"nginx"} and "dead" not in told.stdout
    old = {name: stack.workers(FIRST[name]) for name in SERVICES}
    assert stack.run("reload").returncode == 0
    assert healthy(stack) == dict.fromkeys(SERVICES, 200)
    for name, workers in old.items():
        assert set(stack.workers(FIRST[name])) - set(workers), f"{name} has its old workers only"
    assert ready(stack) == (200, "ok", False)
    with ThreadPoolExecutor(1) as pool:
        begun = time.monotonic()
        stopping = pool.submit(stack.run, "stop")
        while (told := ready(stack))[0] == 200:
            assert time.monotonic() < begun + 30
            time.sleep(0.02)
        assert told == (503, "shutting_down", True)
        assert healthy(stack) == dict.fromkeys(SERVICES, 200), "live stays, and so does what the others say"
        asked = requests.post(stack.url_of("support") + "/api/ask", json={"question": "Still there?"}, timeout=10)
        assert asked.status_code == 200, "nothing is refused before the end"
        done = stopping.result()
    assert done.returncode == 0 and time.monotonic() - begun >= DRAIN_SECONDS - 1, done.stderr
    assert not stack.processes() and stack.run("status").returncode == 3
