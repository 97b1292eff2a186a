"""The limit that all hosts hold together, in a Redis that the test starts: exact, without a trace of what is refused;
and what holds while that Redis is stopped, hangs, or is wrongly named."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from wait import wait_for
from service import Service
from stack import free_ports

BUILD = Path(os.environ.get("ASSAY_BUILD_DIR", "build")).resolve()
PASSWORD = "a-planted-cache-secret"
LOG = "orch:rl:127.0.0.1"


class Redis:
    """Debian's redis-server on a port of its own, in memory only."""

    def __init__(self):
        self.port = free_ports(1)[0]
        self.url = f"redis://:{PASSWORD}@127.0.0.1:{self.port}/3"
        self.directory = tempfile.mkdtemp()

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
             "--requirepass", PASSWORD, "--dir", self.directory], stdout=subprocess.DEVNULL)
        while self.tell("PING") != "PONG":
            assert self.process.poll() is None
            time.sleep(0.05)

    def tell(self, *words):
        told = subprocess.run(["redis-cli", "-p", str(self.port), "-a", PASSWORD, "--no-auth-warning", "-n", "3", *map(str, words)],
                              capture_output=True, text=True)
        return told.stdout.strip()

    def stop(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.stop()
        shutil.rmtree(self.directory)


@pytest.fixture(scope="module")
def redis():
    server = Redis()
    server.start()
    yield server
    server.close()


def codes(service, count):
    return [service.session.get(service.url + "/api/v1/models", timeout=30).status_code for _ in range(count)]


def cache_of(service):
    parts = service.session.get(service.url + "/health", timeout=30)  # never limited; the rest is
    assert parts.status_code == 200
    answer = service.session.get(service.url + "/api/v1/readiness", timeout=30).json()
    return next(c for c in answer["components"] if c["name"] == "cache")


def test_the_limit_of_all_hosts(redis):
    with Service("orchestrator", {"ORCH_CACHE_URL": redis.url, "ORCH_CACHE_RETRY_SECONDS": "0.3",
                                  "ORCH_RATE_LIMIT_RPM": "60", "ORCH_RATE_LIMIT_BURST": "10"}) as service:
        assert codes(service, 65) == [200] * 65
        now = time.time()
        for i in range(4):  # as another host counts
            redis.tell("ZADD", LOG, now, f"elsewhere-{i}")
        redis.tell("ZADD", LOG, now - 61, "long ago")
        assert codes(service, 3) == [200, 429, 429]
        refused = service.get("/api/v1/models")
        assert refused.headers["Retry-After"] == "60"
        assert refused.json()["detail"] == "Rate limit exceeded: 60 requests/minute allowed."
        assert redis.tell("ZCARD", LOG) == "70", "what is refused, and what is old, leaves no trace"
        assert 0 < int(redis.tell("TTL", LOG)) <= 61

        redis.tell("DEL", LOG)
        assert cache_of(service)["status"] == "ok"
        redis.stop()  # the host counts for itself, from nothing
        assert codes(service, 69) == [200] * 69
        cache = cache_of(service)
        assert (cache["status"], cache["required"], cache["details"]["limits_held_by"]) == ("degraded", False, "host")
        assert cache["details"]["requests_without_cache"] >= 69
        assert set(codes(service, 3)) == {429}
        assert service.session.get(service.url + "/health").json()["status"] == "ok"

        redis.start()
        wait_for(lambda: codes(service, 1) == [200])
        assert int(redis.tell("ZCARD", LOG)) >= 1
        redis.process.send_signal(signal.SIGSTOP)
        try:
            started = time.monotonic()
            codes(service, 20)
            assert time.monotonic() - started < 10, "one that hangs is left alone"
        finally:
            redis.process.send_signal(signal.SIGCONT)
        assert PASSWORD not in service.stack.logs()


def test_limits_without_a_word_of_the_host(redis):
    """Only the cache counts, with the figures of the defaults; without it nobody is refused."""
    with Service("orchestrator", {"ORCH_CACHE_URL": redis.url}) as service:
        redis.tell("DEL", LOG)
        answers = codes(service, 71)
        assert answers == [200] * 70 + [429]
        redis.stop()
        try:
            assert set(codes(service, 75)) == {200}
        finally:
            redis.start()


@pytest.mark.parametrize("url", ("http://127.0.0.1", "redis://", "redis://h:99999", "redis://h/x", "nonsense"))
def test_a_wrong_url_is_refused(url):
    checked = subprocess.run([BUILD / "fcgi-bin" / "orchestrator-light", "--check-config"], capture_output=True, text=True,
                             env={"ORCH_CACHE_URL": url})
    assert checked.returncode != 0 and "ORCH_CACHE_URL must be redis://" in checked.stderr + checked.stdout
