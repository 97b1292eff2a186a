"""Workers that hang or are stopped, and shared memory that is damaged while they run."""

import concurrent.futures
import os
import shutil
import signal

import pytest
import requests

from admission_test import ROOMY, processor_ticks
from bandit_test import GOLDEN, LARGEST
from conftest import new_stack
from wait import wait_for
from stack import CHECKOUT

COMPUTE = "experiments-compute"
LONGEST = 2  # seconds that an answer of the heavy family may take here; a worker has 5 more


@pytest.fixture(scope="module")
def hurried(tmp_path_factory):
    """A stack whose heavy family has little time."""
    root = tmp_path_factory.mktemp("hurried")
    shutil.copytree(CHECKOUT / "nginx", root / "nginx")
    for name in ("locales", "sql", "static"):
        (root / name).symlink_to(CHECKOUT / name)
    table = root / "nginx" / "services"
    rows = [line.split() for line in table.read_text().splitlines()]
    for row in rows:
        if row[:3] == ["family", "experiments", "compute"]:
            row[5] = str(LONGEST)
    table.write_text("\n".join(" ".join(row) for row in rows) + "\n")
    stack = new_stack()
    stack.program = root / "nginx" / "stack"
    try:
        yield stack.start({**ROOMY, "ASSAY_CONNECTIONS_PER_CLIENT": 0}, root / "stack")
    finally:
        stack.close()


def busy(stack, before):
    """What each worker has used of the processor since; the machine may have little time for it."""
    return {pid: ticks - before.get(pid, 0) for pid, ticks in processor_ticks(stack).items()}


def test_a_stopped_worker_is_killed_and_its_slot_returns(hurried):
    url = hurried.base_url + "/api/v1/simulate/bandit"
    before = processor_ticks(hurried)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        game = pool.submit(requests.post, url, json=LARGEST, timeout=60)
        wait_for(lambda: max(busy(hurried, before).values()) > 1, 30)
        worker = max(busy(hurried, before).items(), key=lambda item: item[1])[0]
        os.kill(worker, signal.SIGSTOP)
        assert game.result().status_code == 504  # nginx gives up first
    assert requests.post(url, json=GOLDEN, timeout=20).status_code == 429
    wait_for(lambda: worker not in hurried.workers(COMPUTE))
    assert requests.post(url, json=GOLDEN, timeout=20).status_code == 200
    wait_for(lambda: hurried.run("status").returncode == 0)
    assert "workers_killed" in hurried.logs("experiments")
    runtime = requests.get(hurried.base_url + "/api/v1/diagnostics", timeout=10).json()["runtime"]
    assert runtime["admission_slots_reclaimed"] >= 1 and runtime["heavy_in_flight_peak"] >= 1
    assert runtime["cost_in_flight_peak"] >= 1000 and runtime["rate_limit_keys_evicted"] == 0


@pytest.mark.parametrize("damage", [
    lambda file: os.truncate(file, 4096), lambda file: os.truncate(file, 0), lambda file: file.unlink(),
    lambda file: file.open("r+b").write(b"damage" * 100)], ids=["cut", "emptied", "removed", "overwritten"])
def test_damaged_shared_memory_is_replaced(hurried, damage):
    """Within seconds all workers share a whole file again; meanwhile every answer is one."""
    file = hurried.directory / "run" / "experiments.shm"
    before = file.stat().st_ino
    size = file.stat().st_size
    damage(file)
    statuses = set()

    def is_whole():
        statuses.add(requests.get(hurried.base_url + "/readyz", timeout=10).status_code)
        return file.exists() and (file.stat().st_ino, file.stat().st_size) != (before, size) and file.stat().st_size == size

    wait_for(is_whole)
    wait_for(lambda: hurried.run("status").returncode == 0)
    assert statuses <= {200, 502, 503}
    wait_for(lambda: {requests.get(hurried.base_url + "/readyz", timeout=10).status_code for _ in range(8)} == {200})
    assert hurried.run("reload").returncode == 0
