"""Requests that no honest client sends, and workers that die. The service answers what can be answered,
refuses the rest in its own words, and goes on."""

import concurrent.futures
import json
import os
import signal
import socket
import threading
import time

import pytest

from conftest import OPEN
from wait import wait_for

HOSTILE = {**OPEN, "ASSAY_WORKERS": 3}
EXAMPLE = b'{"observed_counts":[10,10],"expected_fractions":[0.5,0.5]}'


@pytest.fixture
def client(stacks):
    """After each test the service answers, with as many workers as it should have."""
    client = stacks.get(HOSTILE)
    workers = {pool: client.stack.size_of(pool) for pool in pools(client)}
    yield client
    assert client.get("/health").status == 200
    assert post(client, EXAMPLE).status == 200
    wait_for(lambda: workers == {pool: len(client.stack.workers(pool)) for pool in pools(client)})


def pools(client):
    return [path.stem for path in (client.stack.directory / "run").glob("*.sock")]


def post(client, data, path="/api/v1/srm-check", **options):
    return client.send("POST", path, data=data, headers={"Content-Type": "application/json"}, **options)


def head(length=None, path="/api/v1/srm-check", more=""):
    length = "" if length is None else f"Content-Length: {length}\r\n"
    return (f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{length}{more}"
            "Connection: close\r\n\r\n").encode()


def connect(client):
    host, port = client.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=15)


def send_and_hang_up(client, data, wait=0.0):
    with connect(client) as connection:
        connection.sendall(data)
        time.sleep(wait)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset, not close


class TestSize:
    @pytest.mark.parametrize("headers", [
        {"X-Big": "x" * 60_000}, {f"X-{i}": "x" * 600 for i in range(100)},
        {"Cookie": "a=b; " * 12_000}, {"Authorization": "Bearer " + "x" * 60_000}])
    def test_headers(self, client, headers):
        answer = client.get("/api/v1/diagnostics", headers=headers)
        assert answer.status in (400, 431) and answer.error_code in ("bad_request", "http_error")

    def test_headers_that_just_fit(self, client):
        answer = client.get("/api/v1/diagnostics", headers={f"X-{i}": "x" * 7000 for i in range(3)})
        assert answer.status == 200

    def test_path(self, client):
        assert client.get("/api/v1/" + "x" * 7000).status == 404
        assert client.get("/api/v1/" + "x" * 60_000).status == 414
        assert client.get("/api/v1/" + "a/" * 3500).status == 404

    def test_query(self, client):
        assert client.get("/api/v1/projects?" + "&".join(f"{i}" for i in range(1400))).status == 422
        assert client.get("/api/v1/diagnostics?" + "&".join(f"p{i}={i}" for i in range(10_000))).status == 414

    def test_keys(self, client):
        body = json.dumps({f"{i:x}": 1 for i in range(100_000)}, separators=(",", ":")).encode()
        answer = post(client, body)
        assert answer.status == 422 and 2 < len(answer.detail) <= 1001

    def test_keys_that_collide_or_nest(self, client):
        for body in (b'{"a":' * 30 + b"1" + b"}" * 30, b'{"a":' * 31 + b"1" + b"}" * 31,
                     b'{"a":' * 150_000 + b"1" + b"}" * 150_000):
            assert post(client, body).status == 422

    @pytest.mark.parametrize("body", [b"[" * 1_000_000, b"[" * 500_000 + b"]" * 500_000, b"[{}," * 250_000,
                                      b'"' * 1_000_000, b"\\" * 1_000_000, b'"\\' * 500_000, b"1" * 1_000_000,
                                      b"1e" + b"9" * 1_000_000, b"0." + b"1" * 1_000_000, b"-" * 1_000_000,
                                      b" " * 1_000_000, b"\x00" * 1_000_000, b"\xf0\x9f" * 500_000])
    def test_large_broken_documents(self, client, body):
        answer = post(client, body)
        assert answer.status == 422
        assert answer.detail[0]["type"] in ("json_invalid", "model_attributes_type")
        assert float(answer.headers["X-Process-Time-Ms"]) < 20_000

    def test_many_numbers(self, client):
        body = {"observed_counts": [1] * 200_000, "expected_fractions": [0.5, 0.5]}
        [error] = post(client, json.dumps(body).encode()).detail
        assert error["type"] == "too_long" and error["ctx"]["actual_length"] == 200_000

    def test_long_split(self, client):
        """A list without a maximum of its own is held by the rule about variants."""
        body = {"metric_type": "binary", "baseline_value": 0.1, "mde_pct": 5, "alpha": 0.05, "power": 0.8,
                "expected_daily_traffic": 1000, "audience_share_in_test": 1, "traffic_split": [1] * 200_000,
                "variants_count": 2}
        [error] = post(client, json.dumps(body).encode(), "/api/v1/calculate").detail
        assert error["type"] in ("value_error", "too_long")

    @pytest.mark.parametrize("number", ["1e308", "-1e308", "1e-400", "123456789" * 30, "0." + "0" * 5000 + "1",
                                        "9" * 300, "-0", "-0.0", "1E+2", "0e999999999", "1e-999999999"])
    def test_numbers(self, client, number):
        body = b'{"observed_counts":[10,10],"expected_fractions":[0.5,%s]}' % number.encode()
        assert post(client, body).status in (200, 422)


class TestTransfer:
    def test_chunks_cut_short(self, client):
        for data in (b"5\r\n{\"a\"", b"5\r\n{\"a\":\r\n", b"zz\r\n", b"ffffffffffffffff\r\n{", b"-1\r\n{}\r\n", b"5"):
            with connect(client) as connection:
                connection.sendall(head(more="Transfer-Encoding: chunked\r\n") + data)
                connection.shutdown(socket.SHUT_WR)
                answer = client.read_answer(connection, "POST", "/api/v1/srm-check", checked=False)
            assert answer is None or answer.status == 400

    def test_chunks_with_extensions_and_trailers(self, client):
        body = b"1e;x=y\r\n%b\r\n%x\r\n%b\r\n0\r\nX: y\r\n\r\n" % (EXAMPLE[:30], len(EXAMPLE[30:]), EXAMPLE[30:])
        answer = client.raw(head(more="Transfer-Encoding: chunked\r\n") + body, "POST", "/api/v1/srm-check")
        assert answer.status == 200

    @pytest.mark.parametrize("more, length", [
        ("Content-Length: 5\r\n", len(EXAMPLE)), ("Transfer-Encoding: chunked\r\n", len(EXAMPLE)),
        ("", "-1"), ("", "5, 5"), ("", "0x10"), ("", "+5"), ("", "5 5"), ("", "99999999999999999999999"),
        ("Transfer-Encoding: chunked, identity\r\n", None), ("Transfer-Encoding: xchunked\r\n", None),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", None)])
    def test_ambiguous_lengths_are_refused(self, client, more, length):
        """One request on the wire must not be two for somebody else."""
        smuggled = b"GET /api/v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
        answer = client.raw(head(length, more=more) + EXAMPLE + smuggled, "POST", "/api/v1/srm-check",
                            may_fail=True, checked=False)
        assert answer is None or answer.status in (400, 413, 501), answer
        assert "/api/v1/smuggled" not in client.stack.logs("experiments-")

    def test_spaces_before_the_colon(self, client):
        answer = client.raw(b"POST /api/v1/srm-check HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello",
                            "POST", "/api/v1/srm-check", checked=False)
        assert answer is None or answer.status == 400

    def test_pipelined_requests_are_answered_one_by_one(self, client):
        request = head(len(EXAMPLE)).replace(b"Connection: close\r\n", b"") + EXAMPLE
        with connect(client) as connection:
            connection.sendall(request * 5)
            connection.settimeout(10)
            seen = b""
            while seen.count(b"HTTP/1.1 200") < 5:
                seen += connection.recv(65536)
        assert seen.count(b'"is_srm":false') == 5

    def test_slow_sender_takes_no_worker(self, client):
        """A body that trickles in waits in nginx, however many of them there are."""
        slow = [connect(client) for _ in range(20)]
        try:
            for connection in slow:
                connection.sendall(head(len(EXAMPLE)) + EXAMPLE[:10])
            begun = time.monotonic()
            for _ in range(20):
                assert post(client, EXAMPLE).status == 200
            assert time.monotonic() - begun < 30
            for connection in slow:
                connection.sendall(EXAMPLE[10:])
            for connection in slow:
                assert client.read_answer(connection, "POST", "/api/v1/srm-check").status == 200
        finally:
            for connection in slow:
                connection.close()

    def test_expect_continue(self, client):
        with connect(client) as connection:
            connection.sendall(head(len(EXAMPLE), more="Expect: 100-continue\r\n"))
            assert connection.recv(100).startswith(b"HTTP/1.1 100")
            connection.sendall(EXAMPLE)
            assert client.read_answer(connection, "POST", "/api/v1/srm-check").status == 200

    def test_hanging_up(self, client):
        for _ in range(20):
            send_and_hang_up(client, head(len(EXAMPLE)) + EXAMPLE[:20])
            send_and_hang_up(client, head(len(EXAMPLE)) + EXAMPLE)
            send_and_hang_up(client, b"GET /api/v1/diagnostics HTTP/1.1\r\n")
        slow = json.dumps({"metric_type": "binary", "baseline_value": 0.3, "mde_pct": 28, "alpha": 0.05, "power": 0.8,
                           "expected_daily_traffic": 1000, "audience_share_in_test": 1, "traffic_split": [1, 1],
                           "variants_count": 2, "planned_test": "fisher_exact", "n_looks": 100}).encode()
        for _ in range(10):
            send_and_hang_up(client, head(len(slow), "/api/v1/calculate") + slow, 0.002)
        big = b"x" * 1_040_000
        for _ in range(3):
            send_and_hang_up(client, head(len(big)) + big)

    def test_two_hundred_connections(self, client):
        """At once: they wait for a worker, none is refused."""
        barrier = threading.Barrier(200)

        def ask(number):
            mine = client.with_headers({})
            barrier.wait(20)
            return (post(mine, EXAMPLE) if number % 2 else mine.get("/api/v1/diagnostics")).status

        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            assert set(pool.map(ask, range(200))) == {200}


class TestRequestLine:
    @pytest.mark.parametrize("path, statuses", [
        ("//", {200, 404}), ("/api//v1///diagnostics", {200}), ("/./api/./v1/diagnostics", {200}),
        ("/api/v1/x/../diagnostics", {200}), ("/api/v1/%2e%2e/v1/diagnostics", {200}),
        ("/api/v1/../../../etc/passwd", {400, 404}), ("/%2e%2e/%2e%2e/etc/passwd", {400, 404}),
        ("/..%2f..%2fetc/passwd", {400, 404}), ("/..%252f..%252fetc/passwd", {200, 404}),
        ("/static/..%c0%af..%c0%afetc/passwd", {200, 400, 404}), ("/api/v1/diagnostics%00", {400, 404}),
        ("/api/v1/%00", {400, 404}), ("/api/v1/diagnostics%0d%0aX-Evil:%20yes", {404}),
        ("/api/v1/diagnostics;x=1", {404}),
        ("/api/v1/diagnostics/..;/", {404}), ("/api/v1/diagnostics%20", {404}), ("/api/v1/DIAGNOSTICS", {404}),
        ("/api\\v1\\diagnostics", {200, 404}), ("/api/v1/%zz", {400, 404}), ("/api/v1/%", {400, 404}),
        ("/.git/config", {404}), ("/.env", {404}), ("/run/experiments.env", {200, 404}),
        ("/index.html%00.js", {400, 404}), ("/api/v1/diagnostics?%00=%ff", {422}), ("/?../../etc/passwd", {200}),
        ("/shared/../../Makefile", {200, 400, 404}), ("/locales/..%2f..%2fMakefile", {200, 400, 404}),
        ("/vendor/%2e%2e/%2e%2e/Makefile", {400, 404})])
    def test_paths(self, client, path, statuses):
        request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
        answer = client.raw(request, path="/", checked=False)
        assert answer.status in statuses, answer
        assert b"root:" not in answer.body and b"[core]" not in answer.body and b"_TOKEN" not in answer.body
        assert b"CFLAGS" not in answer.body and "X-Evil" not in answer.headers
        if answer.status != 200:
            assert answer.json()["status_code"] == answer.status and answer.headers["X-Error-Code"]

    @pytest.mark.parametrize("method, statuses", [
        ("FOO", {405}), ("PROPFIND", {405}), ("M-SEARCH", {405}), ("TRACE", {405}), ("CONNECT", {400, 405}),
        ("get", {400}), ("G\x00ET", {400}), ("X" * 2000, {400, 405, 414}), ("", {400})])
    def test_methods(self, client, method, statuses):
        answer = client.raw(f"{method} /api/v1/calculate HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode(),
                            method="GET", checked=False)
        assert answer.status in statuses and answer.json()["status_code"] == answer.status

    @pytest.mark.parametrize("data", [
        b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET /health HTTP/1.1\r\n\r\n", b"GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n", b"GET /health HTTP/1.1\r\nHost: x\r\nNo colon\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: ../../x\r\n\r\n", b"GET http://evil.example/health HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x00" * 1000, b"A" * 100_000])
    def test_not_quite_http(self, client, data):
        with connect(client) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            answer = client.read_answer(connection, may_fail=True, checked=False)
        assert answer is None or answer.status in (200, 400, 414, 431, 505)

    def test_null_byte_in_a_header(self, client):
        answer = client.raw(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Request-ID: a\x00b\r\nConnection: close\r\n\r\n",
                            path="/health", checked=False)
        assert answer is None or answer.status == 400


class Load:
    """Asks from several threads until told to stop; keeps the statuses."""

    def __init__(self, client, threads=6):
        self.client, self.statuses, self.failures, self.stopping = client, [], [], threading.Event()
        self.threads = [threading.Thread(target=self.ask) for _ in range(threads)]

    def ask(self):
        mine = self.client.with_headers({})
        while not self.stopping.is_set():
            try:
                self.statuses.append(post(mine, EXAMPLE, may_fail=True).status)
            except (AssertionError, OSError) as error:
                self.failures.append(str(error)[:300])

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for thread in self.threads:
            thread.join()


class TestDeath:
    POOL = "experiments-analysis"

    def kill(self, client, count=None):
        """Until they are gone: one that is dying may still take a request with it."""
        workers = client.stack.workers(self.POOL)[:count]
        for pid in workers:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_for(lambda: not set(workers) & set(client.stack.workers(self.POOL)))
        return len(workers)

    def test_killed_workers_lose_only_what_they_held(self, client):
        killed = 0
        with Load(client) as load:
            for _ in range(6):
                time.sleep(0.3)
                killed += self.kill(client, 1)
            time.sleep(0.5)
        failed = [status for status in load.statuses if status != 200]
        assert not load.failures
        assert killed == 6 and len(load.statuses) > 50
        assert len(failed) <= killed and set(failed) <= {502, 503}, failed

    def test_killing_all_workers_at_once(self, client):
        with Load(client) as load:
            for _ in range(3):
                time.sleep(0.5)
                killed = self.kill(client)
            time.sleep(1.5)
        failed = [status for status in load.statuses if status != 200]
        assert not load.failures
        assert len(failed) <= 3 * killed and set(failed) <= {502, 503}, failed
        assert len(load.statuses) > 30

    def test_limits_and_counters_survive(self, client):
        """A worker that dies holds no lock and takes no count with it."""
        before = client.get("/api/v1/diagnostics").json()["runtime"]["total_requests"]
        for _ in range(4):
            for _ in range(5):
                assert post(client, EXAMPLE).status == 200
            self.kill(client)
        after = client.get("/api/v1/diagnostics").json()["runtime"]["total_requests"]
        assert after - before == 4 * 5 + 1
