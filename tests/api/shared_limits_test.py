"""Limits that two hosts hold together in a Redis: exact while it lives, shared out while it is away, said by each
service, and exact again when it is back. The longer part is tests/scale/redis_test.py."""

import json
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from limit_hosts import ALONE, KEYS, LIMITS, LIVE_LIMIT, SHARED, admitted, live_limit, said_by, two_hosts
from model_server import ModelServer
from redis_server import PASSWORD, RedisServer
from stack import BUILD, SERVICES
from wait import wait_for

CALLS, QUESTIONS = 300, 20
MODEL = "model-of-two-places"
# The others say it by their sentence only.
STATUS_ALONE = {"support": "error", "livedata": "degraded", "orchestrator": "degraded"}


@pytest.fixture(scope="module")
def redis():
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def hosts(redis, models, tmp_path_factory):
    several = tmp_path_factory.mktemp("models") / "models.json"
    several.write_text(json.dumps([{"id": MODEL, "provider": "openai", "protocol": "openai", "model": MODEL,
                                    "base_url": models.url + "/v1", "timeout_seconds": 30, "concurrency_limit": 2,
                                    "usd_per_1000_input": 0, "usd_per_1000_output": 0}]))
    with two_hosts(redis, {**models.settings, "ORCH_MODELS_FILE": str(several)}) as both:
        yield both
        for host in both:
            assert PASSWORD not in host.stack.logs()


def test_places_of_a_model_are_counted_over_hosts(hosts, models):
    running, peak, lock = 0, 0, threading.Lock()

    def answer(_):
        nonlocal running, peak
        with lock:
            running += 1
            peak = max(peak, running)
        threading.Event().wait(0.2)
        with lock:
            running -= 1
        return "text:fine"

    def ask(number):
        url = hosts[number % 2].stack.url_of("orchestrator")
        return requests.post(url + "/api/v1/orchestrate", json={"prompt": f"question {number}", "model": MODEL}, timeout=60)

    models.answers[MODEL] = answer
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(ask, range(QUESTIONS)))
    assert [a.status_code for a in answers] == [200] * QUESTIONS, [a.text for a in answers if a.status_code != 200]
    assert peak == 2


def test_streams_of_a_tenant_are_counted_over_hosts(hosts):
    def open_stream(number):
        return requests.get(hosts[number % 2].beside("livedata").url + "/v1/stream/events", timeout=60, stream=True,
                            headers={"X-API-Key": KEYS[7]})

    streams = [open_stream(number) for number in range(5)]
    assert [stream.status_code for stream in streams] == [200, 200, 200, 429, 429]
    streams[0].close()

    def let_in():
        stream = open_stream(1)
        if stream.status_code != 200:
            return False
        streams.append(stream)
        return True
    wait_for(let_in)
    assert open_stream(0).status_code == 429
    for stream in streams:
        stream.close()


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.service)
def test_a_limit_is_exact_over_hosts(hosts, limit):
    assert admitted(hosts, limit, CALLS) == limit.most


def test_each_host_holds_its_share_while_redis_is_away(hosts, redis):
    redis.kill()
    try:
        for host in hosts:
            assert admitted([host], live_limit(KEYS[1]), CALLS) == LIVE_LIMIT / 2
        for service in SERVICES:
            wait_for(lambda: ALONE in said_by(hosts[0], service)[1])  # each service finds out by itself
            status, sentence = said_by(hosts[0], service)
            assert ALONE in sentence and PASSWORD not in sentence
            assert status == STATUS_ALONE.get(service, status), service
        text = hosts[0].beside("livedata").get("/metrics", headers={"X-API-Key": KEYS[1]}).text
        assert "assay_limits_shared 0\n" in text and "assay_limits_hosts 2\n" in text
    finally:
        redis.start()
    for service in SERVICES:
        wait_for(lambda: all(said_by(host, service)[1] == SHARED for host in hosts))
    assert admitted(hosts, live_limit(KEYS[2]), CALLS) == LIVE_LIMIT


@pytest.mark.parametrize("url", ("http://127.0.0.1", "rediss://127.0.0.1", "redis://", "redis://h:99999", "nonsense"))
def test_a_wrong_url_is_refused(url):
    checked = subprocess.run([BUILD / "fcgi-bin" / "livedata-system", "--check-config"], capture_output=True, text=True,
                             env={"ASSAY_LIMITS_URL": url, "LIVE_AUTH_DISABLED": "true"})
    assert checked.returncode != 0 and "ASSAY_LIMITS_URL must be redis://" in checked.stderr
