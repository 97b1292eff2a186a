"""A million requests to the same workers: their memory stays where it was after the first of them.

Only with ASSAY_TEST_SOAK=1 (`make soak`); ASSAY_SOAK_REQUESTS says how many instead of a million.
"""

import json
import os
import threading
import time
from pathlib import Path

import pytest

import chaos_test
from chaos_test import ANALYSIS, COMPUTE, PROJECT_POOL, SYSTEM, connect
from conftest import OPEN
from load_generator import request_bytes
from project_fixtures import PROJECTS, payload

REQUESTS = int(os.environ.get("ASSAY_SOAK_REQUESTS", 1_000_000))
ENDLESS = {**OPEN, "ASSAY_WORKERS": 2, "ASSAY_WORKER_REQUESTS": 0, "AB_LOG_LEVEL": "ERROR"}
POOLS = (ANALYSIS, COMPUTE, SYSTEM, PROJECT_POOL)
IN_A_ROW = 50  # requests on the wire before the first answer is read
GROWTH_KB = 1024  # of one worker, between a tenth of the requests and all

pytestmark = pytest.mark.soak


def private_kb(pid):
    """Memory of its own, without what it shares with others."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def sizes(client):
    return {f"{pool.split('-')[1]} {pid}": private_kb(pid) for pool in POOLS for pid in client.stack.workers(pool)}


def rounds(client):
    """What is asked in turns: a computation, a simulation, results, reads, refusals, what is not there."""
    project = client.post(PROJECTS, payload()).json()["id"]
    results = {"metric_type": "binary", "binary": {"control_conversions": 1750, "control_users": 50000,
                                                   "treatment_conversions": 2000, "treatment_users": 50000,
                                                   "alpha": 0.01}}
    sizing = {"metric_type": "binary", "baseline_value": 0.042, "mde_pct": 5, "alpha": 0.05, "power": 0.8,
              "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "traffic_split": [50, 50],
              "variants_count": 2}
    asked = [("POST", "/api/v1/srm-check", chaos_test.SRM)] * 30 + [("POST", "/api/v1/calculate", sizing)] * 6
    asked += [("POST", "/api/v1/results", results)] * 4 + [("GET", f"{PROJECTS}/{project}", None)] * 3
    asked += [("GET", "/api/v1/diagnostics", None), ("GET", "/openapi.json", None), ("GET", "/api/v1/nothing", None)]
    asked += [("POST", "/api/v1/calculate", {"mde_pct": "x" * 300}), ("GET", f"{PROJECTS}?limit=5", None)]
    asked += [("GET", "/health", None)] * (IN_A_ROW - len(asked))
    return b"".join(request_bytes(method, path, json.dumps(value).encode() if value else b"")
                    for method, path, value in asked)


def ask(client, data, count, done):
    """Asks in batches on one connection; nginx answers them one by one and closes it now and then."""
    while done[0] < count:
        with connect(client) as connection:
            connection.settimeout(60)
            for _ in range(900 // IN_A_ROW):  # nginx closes after a thousand
                connection.sendall(data)
                seen, tail = 0, b""
                while seen < IN_A_ROW:
                    got = connection.recv(1 << 18)
                    assert got, "the connection ended early"
                    block = tail + got
                    seen += block.count(b"HTTP/1.1 ")
                    tail = block[-8:]
                    assert b"HTTP/1.1 5" not in block, block
                while b"}" not in block[-2:]:
                    block = connection.recv(1 << 18)
                done[0] += IN_A_ROW


def test_memory_stays_flat(stacks):
    client = stacks.get(ENDLESS)
    data, done, failures = rounds(client), [0], []

    def run(count):
        try:
            ask(client, data, count, done)
        except BaseException as failure:  # told by the thread that waits
            failures.append(failure)

    begun, table = time.monotonic(), []
    for tenth in range(1, 11):
        threads = [threading.Thread(target=run, args=(REQUESTS * tenth // 10,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures[0]
        table.append((done[0], sizes(client)))
        print(f"\n{done[0]:9} requests, {time.monotonic() - begun:6.1f} s, private kB:",
              ", ".join(f"{name} {size}" for name, size in table[-1][1].items()), end="", flush=True)
    print()
    first, last = table[0][1], table[-1][1]
    assert set(first) == set(last), "a worker died"
    grown = {name: last[name] - first[name] for name in last}
    assert max(grown.values()) <= GROWTH_KB, grown
