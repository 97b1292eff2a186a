"""Two hosts with one Redis for their limits: a thousand calls to each service, Redis killed and stopped under load, a
host with a wrong clock, and a host killed with its places in flight. The smoke part is tests/api/shared_limits_test.py."""

import json
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from limit_hosts import ALONE, KEYS, LIMITS, LIVE_LIMIT, SHARED, admitted, live_limit, said_by, two_hosts
from model_server import ModelServer
from redis_server import RedisServer
from stack import BUILD
from wait import wait_for

CALLS = 1000
MODEL = "model-of-two-places"
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")


@pytest.fixture(scope="module")
def redis():
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture
def catalog(models, tmp_path):
    file = tmp_path / "models.json"
    file.write_text(json.dumps([{"id": MODEL, "provider": "openai", "protocol": "openai", "model": MODEL,
                                 "base_url": models.url + "/v1", "timeout_seconds": 60, "concurrency_limit": 2,
                                 "usd_per_1000_input": 0, "usd_per_1000_output": 0}]))
    return {**models.settings, "ORCH_MODELS_FILE": str(file)}


def ask(host, number):
    return requests.post(host.stack.url_of("orchestrator") + "/api/v1/orchestrate", timeout=90,
                         json={"prompt": f"question {number}", "model": MODEL})


def test_a_thousand_calls_to_each_service(redis):
    with two_hosts(redis) as hosts:
        for limit in LIMITS:
            assert admitted(hosts, limit, CALLS) == limit.most, limit.service


def test_redis_dies_under_load(redis):
    """At most the limit and the share of each host in that window, although Redis has forgotten all; then exact."""
    with two_hosts(redis, services=("livedata",)) as hosts:
        limit = live_limit(KEYS[1])
        killed = threading.Timer(1, lambda: (redis.kill(), redis.start()))
        killed.start()
        count = admitted(hosts, limit, CALLS)
        killed.join()
        assert LIVE_LIMIT <= count <= 2 * LIVE_LIMIT
        wait_for(lambda: all(said_by(host, "livedata")[1] == SHARED for host in hosts))
        back = time.monotonic()
        wait_for(lambda: time.monotonic() - back > 125, seconds=200)  # what counted before has left the window
        assert admitted(hosts, limit, CALLS) == LIVE_LIMIT


def test_a_redis_that_hangs_holds_nobody(redis):
    settings = {"ASSAY_LIMITS_TIMEOUT_SECONDS": "0.1", "ASSAY_LIMITS_RETRY_SECONDS": "1"}
    with two_hosts(redis, settings, services=("livedata",)) as hosts:
        redis.stall()
        try:
            started = time.monotonic()
            for host in hosts:
                assert admitted([host], live_limit(KEYS[2]), CALLS) <= LIVE_LIMIT / 2
            # A worker waits a tenth of a second each second at most; if each call did, it would be 200 seconds.
            assert time.monotonic() - started < 100
            wait_for(lambda: all(ALONE in said_by(host, "livedata")[1] for host in hosts))
        finally:
            redis.go_on()
        wait_for(lambda: all(said_by(host, "livedata")[1] == SHARED for host in hosts))


@pytest.fixture
def late(tmp_path):
    """Programs whose clock is ten minutes ahead."""
    if not FAKETIME.exists():
        pytest.skip("libfaketime is not installed: tools/install-packages scale")
    (tmp_path / "cron-bin").symlink_to((BUILD / "cron-bin").resolve())
    (tmp_path / "fcgi-bin").mkdir()
    for program in (BUILD / "fcgi-bin").resolve().iterdir():
        script = tmp_path / "fcgi-bin" / program.name
        script.write_text(f'#!/bin/bash\nLD_PRELOAD={FAKETIME} FAKETIME=+600s exec -a "$0" {program} "$@"\n')
        script.chmod(0o755)
    return tmp_path


def test_a_host_with_a_wrong_clock(redis, late):
    other = {"ASSAY_BUILD_DIR": str(late)}
    with two_hosts(redis, other=other, services=("livedata", "experiments")) as hosts:
        [pid] = hosts[1].stack.workers("livedata-streams")
        assert "faketime" in Path(f"/proc/{pid}/maps").read_text()
        for limit in LIMITS:
            if limit.service in ("livedata", "experiments"):
                assert admitted(hosts, limit, CALLS) == limit.most, limit.service


def test_places_of_a_killed_host_come_back(redis, models, catalog):
    release = threading.Event()
    models.answers[MODEL] = lambda _: release.wait(60) and "text:late"
    settings = {**catalog, "ASSAY_LIMITS_LEASE_SECONDS": "5"}
    with two_hosts(redis, settings, services=("orchestrator",)) as hosts, ThreadPoolExecutor(3) as pool:
        lost = [pool.submit(ask, hosts[0], number) for number in range(2)]
        wait_for(lambda: models.running == 2)
        waiting = pool.submit(ask, hosts[1], 3)
        models.answers[MODEL] = "text:fine"
        for pid in hosts[0].stack.processes():
            os.kill(pid, signal.SIGKILL)
        assert waiting.result().status_code == 200, waiting.result().text
        release.set()
        for call in lost:
            assert call.exception() is not None or call.result().status_code >= 500
