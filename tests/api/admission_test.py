"""Admission to heavy computation: by units in flight, for all workers of a host together."""

import concurrent.futures
import os
import signal
import time
from pathlib import Path

import pytest
import requests

from bandit_test import GOLDEN, LARGEST, SIZING, patient
from conftest import OPEN

# Places enough, so that only the units can run out: LARGEST takes 1000 of them, GOLDEN 15.
ROOMY = {**OPEN, "AB_COMPUTE_MAX_HEAVY_CONCURRENT": 8, "AB_COMPUTE_RETRY_AFTER_SECONDS": 7}
BINARY = {"metric_type": "binary", "binary": {
    "control_conversions": 10, "control_users": 100, "treatment_conversions": 15, "treatment_users": 100}}


def processor_ticks(stack):
    """What each worker of the pool has used so far."""
    return {pid: int(Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[11])
            for pid in stack.workers("experiments-compute")}


def worker_that_computes(stack, before):
    """The one that has used a quarter of a second since."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for pid, ticks in processor_ticks(stack).items():
            if ticks > before.get(pid, 0) + os.sysconf("SC_CLK_TCK") / 4:
                return pid
        time.sleep(0.01)
    raise AssertionError("no worker is busy")


@pytest.fixture
def occupied(stacks, request):
    """A client of a stack that computes one large game, the worker that does, and the game's answer to come."""
    client = stacks.get(getattr(request, "param", ROOMY))
    before = processor_ticks(client.stack)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        game = pool.submit(requests.post, client.url + "/api/v1/simulate/bandit", json=LARGEST, timeout=60)
        yield client, worker_that_computes(client.stack, before), game
        game.result()


def rejections(client):
    return client.get("/api/v1/diagnostics").json()["runtime"]["compute_capacity_rejections"]


def test_units_run_out_before_places_do(occupied):
    client, _, _ = occupied
    before = rejections(client)
    answer = client.post("/api/v1/simulate/bandit", GOLDEN)
    assert (answer.status, answer.error_code) == (429, "compute_capacity_exceeded")
    assert answer.detail == "Server is at compute capacity; retry shortly" and answer.headers["Retry-After"] == "7"
    assert rejections(client) == before + 1
    assert client.post("/api/v1/results", BINARY).status == 200, "the cheap lane has places of its own"
    assert client.post("/api/v1/calculate", SIZING).status == 200


def test_units_of_a_killed_worker_come_back(occupied):
    client, worker, game = occupied
    assert client.post("/api/v1/simulate/bandit", GOLDEN).status == 429
    os.kill(worker, signal.SIGKILL)
    assert game.result().status_code == 502
    assert patient(client, GOLDEN).status == 200


@pytest.mark.parametrize("occupied", [{**ROOMY, "AB_COMPUTE_ADMISSION_ENABLED": "false"}], indirect=True)
def test_switched_off(occupied):
    client, _, _ = occupied
    assert client.post("/api/v1/simulate/bandit", GOLDEN).status == 200


def test_workers_yield_to_those_of_other_pools(stacks):
    """By their niceness and, where the kernel shares processors out among sessions, by that of the pool's."""
    stack = stacks.get(ROOMY).stack
    for pool, niceness in (("experiments-compute", 10), ("experiments-analysis", 0)):
        for pid in stack.workers(pool):
            assert os.getpriority(os.PRIO_PROCESS, pid) == niceness
            session = Path(f"/proc/{pid}/autogroup")
            assert not session.exists() or session.read_text().split()[1:] in (["nice", str(niceness)], [])
