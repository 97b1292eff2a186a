"""Two hundred clients, and everything that can go wrong around them: reloads, workers killed, stopped and
replaced, full queues, clients that dawdle or hang up. No request is lost but those inside a worker that
was killed, no answer is half an answer, and afterwards nothing is stuck.

ASSAY_TEST_SOAK=1 (`make soak`) runs the same for as long as a bad night lasts, and what takes long.
"""

import contextlib
import json
import os
import random
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import OPEN, SOAK
from load_generator import LoadGenerator, request_bytes
from wait import wait_for
from stack import open_files
from project_fixtures import PROJECTS, payload

ANALYSIS, COMPUTE, SYSTEM, PROJECT_POOL = (f"experiments-{f}" for f in ("analysis", "compute", "system", "projects"))
CROWDED = {**OPEN, "ASSAY_WORKERS": 4, "ASSAY_CONNECTIONS_PER_CLIENT": 0}
# No worker leaves because it has served enough: who is gone was killed.
CHAOS = {**CROWDED, "ASSAY_WORKER_REQUESTS": 0}
IMPATIENT = {**CHAOS, "ASSAY_RECEIVE_SECONDS": 1, "ASSAY_SEND_SECONDS": 2, "ASSAY_LINGER_SECONDS": 0.5}
LIMITED = {"AB_RATE_LIMIT_REQUESTS": 10, "AB_RATE_LIMIT_WINDOW_SECONDS": 3, "AB_TRUSTED_PROXY_HOPS": 1,
           "AB_HEAVY_RATE_LIMIT_REQUESTS": 1000, "ASSAY_WORKERS": 3}
SRM = {"observed_counts": [5000, 5100], "expected_fractions": [0.5, 0.5]}
HEAVY = {"arm_rates": [0.1, 0.1], "horizon": 5000, "num_simulations": 1250}
BACKLOG = 1024


def seconds(short, long):
    return long if SOAK else short


@pytest.fixture
def client(stacks, request):
    """Before and after, all pools are as large as they should be; nothing has gone wrong that we did not do."""
    client = stacks.get(getattr(request, "param", CHAOS))
    pools = (ANALYSIS, SYSTEM, PROJECT_POOL)
    wait_for(lambda: all(is_whole(client, pool) for pool in pools))
    yield client
    wait_for(lambda: all(is_whole(client, pool) for pool in pools))
    assert client.get("/health").status == 200 and client.post("/api/v1/srm-check", SRM).status == 200
    assert client.get("/api/v1/diagnostics").json()["runtime"]["server_error_responses"] == 0


def is_whole(client, pool):
    return len(client.stack.workers(pool)) == client.stack.size_of(pool)


def questions(client):
    """A small computation, one with more to say, and the largest answer that always stays the same. What
    answers them is asked for once each."""
    sizing = {"metric_type": "binary", "baseline_value": 0.042, "mde_pct": 5, "alpha": 0.05, "power": 0.8,
              "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "traffic_split": [50, 50],
              "variants_count": 2}
    asked = [("POST", "/api/v1/srm-check", SRM)] * 16 + [("POST", "/api/v1/calculate", sizing)] * 7
    asked.append(("GET", "/openapi.json", None))
    answers = {path: client.send(method, path, json=value) for method, path, value in (asked[0], asked[-2], asked[-1])}
    assert {a.status for a in answers.values()} == {200} and len(answers["/openapi.json"].body) > 64 * 1024
    return [(request_bytes(method, path, json.dumps(value).encode() if value else b""), answers[path].body)
            for method, path, value in asked]


ASKED_BEFORE = 3  # requests that crowd() makes to learn the answers


def crowd(client, clients=200):
    return LoadGenerator(client.url, questions(client), clients)


def send_signal(number, pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


@contextlib.contextmanager
def stopped(pids):
    send_signal(signal.SIGSTOP, pids)
    try:
        yield
    finally:
        send_signal(signal.SIGCONT, pids)


def fields(pid):
    """Of /proc/PID/stat, from the state on."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def ticks(pids):
    """Processor time used."""
    return sum(int(fields(pid)[11]) + int(fields(pid)[12]) for pid in pids)


def are_asleep(pids):
    """None has had anything to do for half a second."""
    before = ticks(pids)
    for _ in range(10):
        time.sleep(0.05)
        if any(fields(pid)[0] != "S" for pid in pids):
            return False
    return ticks(pids) == before


def connect(client):
    host, port = client.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=10)


def requests_counted(client):
    return client.get("/api/v1/diagnostics").json()["runtime"]["total_requests"]


@pytest.mark.parametrize("client", [CROWDED], indirect=True, ids=["crowded"])
class TestReplacing:
    def test_reloads_and_recycling_lose_nothing(self, client):
        """Workers leave after 400 requests each for a while, and reloads replace all of them."""
        settings = client.stack.directory / "assay.env"
        before, seen = requests_counted(client), set()

        def look():
            seen.update(client.stack.workers(ANALYSIS))
            return len(seen)

        def reload(text):
            look()
            settings.write_text(text)
            done = client.stack.run("reload")
            assert done.returncode == 0, done.stderr

        with crowd(client) as load:
            reload("ASSAY_WORKER_REQUESTS=400\n")
            wait_for(lambda: look() >= 12)  # four and four, and those that follow who has served enough
            for _ in range(seconds(1, 20)):
                reload("")
                time.sleep(seconds(0.2, 1))
        assert not load.lost, (load.lost, load.examples)
        # Each was answered by exactly one worker, and counted by it.
        reloads = 1 + seconds(1, 20)  # which ask for its health
        assert requests_counted(client) - before == load.fates["ok"] + ASKED_BEFORE + reloads + 1


class TestKilling:
    def test_what_is_lost_is_what_they_held(self, client):
        chance, killed = random.Random(20261121), 0
        before = requests_counted(client)
        with crowd(client) as load:
            end = time.monotonic() + seconds(2.5, 30)
            while time.monotonic() < end or killed < 5:
                pool = chance.choice((ANALYSIS, ANALYSIS, SYSTEM))
                workers = client.stack.workers(pool)
                if workers:
                    send_signal(signal.SIGKILL, [chance.choice(workers)])
                    killed += 1
                time.sleep(seconds(0.2, 1))
            load.await_answers(200)
        assert set(load.lost) <= {502, 503} and sum(load.lost.values()) <= killed, (load.lost, killed, load.examples)
        counted = requests_counted(client) - before - ASKED_BEFORE - 1
        assert load.fates["ok"] <= counted <= load.fates["ok"] + killed
        if 502 in load.examples:
            assert json.loads(load.examples[502])["status_code"] == 502

    def test_half_an_answer_is_not_taken_for_a_whole_one(self, client):
        """An answer that no socket takes at once, and its worker killed half way through it."""
        large = payload(project={"project_description": "x" * 900_000})
        project = client.post(PROJECTS, large).json()
        path = f"{PROJECTS}/{project['id']}"
        size = 2 * int(Path("/proc/sys/net/core/wmem_max").read_text())
        revisions = min(60, 2 + size // 900_000)
        for _ in range(revisions - 1):
            assert client.send("PUT", path, json=large).status == 200
        workers, front = client.stack.workers(PROJECT_POOL), client.stack.nginx_workers()
        sockets, worked = open_files(front), ticks(workers)
        with connect(client) as asking:
            with stopped(workers):
                asking.sendall(request_bytes("GET", f"{path}/revisions?limit=100"))
                wait_for(lambda: open_files(front) >= sockets + 2)  # the client's, and ours in the queue
                time.sleep(0.1)
                send_signal(signal.SIGSTOP, front)
            try:
                wait_for(lambda: ticks(workers) > worked and are_asleep(workers))  # the socket is full
                send_signal(signal.SIGKILL, workers)
                time.sleep(0.1)
            finally:
                send_signal(signal.SIGCONT, front)
            answer = b""
            with contextlib.suppress(ConnectionError):
                while chunk := asking.recv(1 << 20):  # to the end of the connection, which has to come
                    answer += chunk
        head, _, body = answer.partition(b"\r\n\r\n")
        if b" 200 " in head.split(b"\r\n")[0]:
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            assert len(body) < length, "the answer was whole; the test has shown nothing"
        else:
            assert json.loads(body)["status_code"] == 502
        assert client.send("DELETE", path).status == 200


class TestStopping:
    def test_a_stopped_worker_holds_up_only_its_own_request(self, client):
        with crowd(client, 100) as load:
            for _ in range(seconds(2, 10)):
                with stopped(client.stack.workers(ANALYSIS)[:1] + client.stack.workers(SYSTEM)[:1]):
                    load.await_answers(500)
                    time.sleep(seconds(0.2, 3))
                load.await_answers(100)
        assert not load.lost, (load.lost, load.examples)

    def test_a_full_queue_refuses_and_recovers(self, client):
        path, waiting = str(client.stack.directory / "run" / f"{ANALYSIS}.sock"), []
        with stopped(client.stack.workers(ANALYSIS)):
            try:
                while len(waiting) <= 2 * BACKLOG:
                    one = socket.socket(socket.AF_UNIX)
                    one.setblocking(False)
                    waiting.append(one)
                    one.connect(path)
            except BlockingIOError:
                pass
            assert BACKLOG <= len(waiting) <= BACKLOG + 8
            begun = time.monotonic()
            for _ in range(5):
                answer = client.post("/api/v1/srm-check", SRM, may_fail=True)
                assert answer.status == 503 and answer.headers["Retry-After"], answer
            assert time.monotonic() - begun < 30
            assert client.get("/health").status == 200
            for one in waiting:
                one.close()
        # Those who hung up stand in the queue until workers have looked at them.
        wait_for(lambda: client.post("/api/v1/srm-check", SRM, may_fail=True).status == 200)

    @pytest.mark.parametrize("client", [IMPATIENT], indirect=True, ids=["impatient"])
    def test_silent_peers_are_left_after_their_time(self, client):
        path = str(client.stack.directory / "run" / f"{ANALYSIS}.sock")
        silent = [socket.socket(socket.AF_UNIX) for _ in client.stack.workers(ANALYSIS)]
        for one in silent:
            one.connect(path)
        begun = time.monotonic()
        assert client.post("/api/v1/srm-check", SRM).status == 200
        assert 0.5 < time.monotonic() - begun
        for one in silent:
            one.close()

    @pytest.mark.parametrize("client", [IMPATIENT], indirect=True, ids=["impatient"])
    def test_a_stopped_nginx_holds_nobody_for_good(self, client):
        """Longer than any answer waits: what was under way is lost, and clients are told."""
        with crowd(client, 50) as load:
            with stopped(client.stack.nginx_workers()):
                time.sleep(4)
            load.await_answers(500)
        assert set(load.lost) <= {502, 503, "cut"} and sum(load.lost.values()) <= 8, load.lost


class TestClients:
    def test_dawdlers_cost_nothing(self, client):
        """Heads and bodies that come a byte at a time wait in nginx."""
        body = request_bytes("POST", "/api/v1/srm-check", json.dumps(SRM).encode())
        slow = [connect(client) for _ in range(200)]
        try:
            for number, one in enumerate(slow):
                one.sendall(body[:20] if number % 2 else body[:-5])
            with crowd(client, 50) as load:
                end = time.monotonic() + seconds(1, 12)
                while time.monotonic() < end:
                    for number, one in enumerate(slow[:20]):
                        with contextlib.suppress(OSError):  # nginx may have had enough
                            one.sendall(b"X" if number % 2 else b" ")
                    time.sleep(0.5)
                load.await_answers(500)
            assert not load.lost, (load.lost, load.examples)
        finally:
            for one in slow:
                one.close()

    def test_hanging_up_kills_nobody(self, client):
        """In the middle of the question, of the computation and of a large answer."""
        workers = {pool: set(client.stack.workers(pool)) for pool in (ANALYSIS, SYSTEM)}
        large = request_bytes("GET", "/openapi.json")
        small = request_bytes("POST", "/api/v1/srm-check", json.dumps(SRM).encode())
        with crowd(client, 10) as load:
            for number in range(seconds(60, 2000)):
                with connect(client) as one:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    one.sendall(large if number % 2 else small[:-10 if number % 4 else None])
                    if number % 2:
                        one.recv(1000)
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            load.await_answers(200)
        assert not load.lost, (load.lost, load.examples)
        assert workers == {pool: set(client.stack.workers(pool)) for pool in workers}


class TestAfterwards:
    """Rate limits and admission, with those who hold them killed all the time."""

    def passes(self, client, address):
        """How many calls of thirteen this address has; each must be granted or refused."""
        mine = client.with_headers({"X-Forwarded-For": address})
        answers = [mine.get("/api/v1/diagnostics", may_fail=True).status for _ in range(13)]
        assert set(answers) <= {200, 429}, answers
        return answers.count(200)

    def test_rate_limits_are_exact(self, stacks):
        client, chance = stacks.get(LIMITED), random.Random(4)
        addresses = [f"198.51.100.{number}" for number in range(40)]
        expected = b"none is ever granted that is not expected"
        asked = [(request_bytes("GET", "/api/v1/no-such-route", headers=[f"X-Forwarded-For: {a}"]), expected)
                 for a in addresses]
        load = LoadGenerator(client.url, asked, 40)
        load.thread.start()
        for _ in range(seconds(8, 120)):
            time.sleep(0.1)
            workers = client.stack.workers(SYSTEM)
            send_signal(signal.SIGKILL, [chance.choice(workers)] if workers else [])
        load.stopping = True
        load.thread.join()
        assert set(load.fates) <= {404, 429, 502, 503} and load.fates[404] and load.fates[429], load.fates
        wait_for(lambda: is_whole(client, SYSTEM))
        assert self.passes(client, "203.0.113.9") == 10  # of an address not seen before
        time.sleep(LIMITED["AB_RATE_LIMIT_WINDOW_SECONDS"] + 0.2)
        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(lambda a: self.passes(client, a), addresses[:4])) == [10] * 4

    def test_admission_slots_come_back(self, stacks):
        """Both slots of heavy computation are free again when those who held them were killed."""
        client = stacks.get(LIMITED)

        def ask(number):
            mine = client.with_headers({"X-Forwarded-For": f"203.0.113.{number}"})
            return mine.post("/api/v1/simulate/bandit", HEAVY, may_fail=True).status

        with ThreadPoolExecutor(2) as pool:
            for turn in range(seconds(2, 20)):
                asked = [pool.submit(ask, 50 + 2 * turn + n) for n in range(2)]
                time.sleep(0.15)
                send_signal(signal.SIGKILL, client.stack.workers(COMPUTE))
                assert {one.result() for one in asked} <= {200, 502, 503}
                wait_for(lambda: is_whole(client, COMPUTE))
            assert [one.result() for one in [pool.submit(ask, 200 + n) for n in range(2)]] == [200, 200]
