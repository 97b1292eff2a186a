"""Two hundred streams of one hub beside twenty workers that wait: places come back, and a killed hub costs nobody an
event."""

import asyncio
import contextlib
import json
import os
import signal
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

import pytest
import requests

from model_server import ModelServer
from wait import wait_for
from service import Service

STREAMS = 200
MODEL = "patient"  # twenty at once may call it
SHOP = {"X-API-Key": "key-of-shop"}
# The workers of the orchestrator's families that wait for models, and a request that makes each wait.
WAITING = {"sync": (8, "/api/v1/orchestrate"), "streams": (8, "/api/v1/orchestrate/stream"), "tasks": (4, None)}


class Listeners:
    """Clients of the stream in one thread, each of which comes back with Last-Event-ID when its stream ends."""

    def __init__(self, service, count, after):
        self.host, self.port = service.url.removeprefix("http://").split(":")
        self.heard = [[] for _ in range(count)]  # per client: (sequence, id of the event)
        self.after = after
        self.statuses = [None] * count
        self.begun = [0] * count
        self.leaving = [None] * count
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run()))

    async def run(self):
        self.loop = asyncio.get_running_loop()
        self.leaving = [asyncio.Event() for _ in self.heard]
        await asyncio.gather(*(self.client(number) for number in range(len(self.heard))))

    async def client(self, number):
        leaving = asyncio.create_task(self.leaving[number].wait())
        while not leaving.done():
            reading = asyncio.create_task(self.listen(number))
            await asyncio.wait((reading, leaving), return_when=asyncio.FIRST_COMPLETED)
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError, asyncio.IncompleteReadError):
                await reading
            await asyncio.sleep(0.02)

    async def listen(self, number):
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=1 << 20)
        try:
            last = self.heard[number][-1][0] if self.heard[number] else self.after
            writer.write(f"GET /v1/stream/events?event_type=order HTTP/1.0\r\nHost: x\r\nX-API-Key: key-of-shop\r\n"
                         f"Last-Event-ID: {last}\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            self.statuses[number] = int(head.split()[1])
            if self.statuses[number] != 200:
                return
            self.begun[number] += 1
            while True:
                frame = (await reader.readuntil(b"\n\n")).decode()
                fields = dict(line.split(": ", 1) for line in frame.strip().splitlines() if not line.startswith(":"))
                if "data" in fields:
                    self.heard[number].append((int(fields["id"]), json.loads(fields["data"])["event_id"]))
        finally:
            writer.close()

    def leave(self, number):
        self.loop.call_soon_threadsafe(self.leaving[number].set)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        for number in range(len(self.heard)):
            self.leave(number)
        self.thread.join()


def publish(service, count, pause=0.0):
    """Events one by one, and their ids."""
    ids = [str(uuid.uuid4()) for _ in range(count)]
    for number, event in enumerate(ids):
        answer = service.post("/v1/events", {
            "event_id": event, "event_type": "order.updated", "timestamp": datetime.now(timezone.utc).isoformat(),
            "source": "shop", "order_id": f"ORD-20260404-{8000 + number % 100}", "user_id": "USR-1", "status": "pending",
            "items": [{"product_id": "PROD-1", "quantity": 1, "unit_price": "1.00"}], "total_amount": "1.00"},
            headers=SHOP)
        assert answer.status_code == 200 and answer.json()["accepted"] == 1, answer.text
        time.sleep(pause)
    return ids


def hub_of(service):
    [pid] = service.stack.workers("livedata-streams")
    return pid


def newest_sequence(service):
    """The number of an event that was published for this."""
    [marker] = publish(service, 1)
    with requests.get(f"{service.url}/v1/stream/events", headers=SHOP, stream=True, timeout=10) as stream:
        number = None
        for line in stream.iter_lines(decode_unicode=True, chunk_size=1):
            number = int(line[3:]) if line.startswith("id:") else number
            if marker in line:
                return number


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def live(models, tmp_path_factory):
    several = tmp_path_factory.mktemp("models") / "models.json"
    several.write_text(json.dumps([{"id": MODEL, "provider": "openai", "protocol": "openai", "model": MODEL,
                                    "base_url": models.url + "/v1", "timeout_seconds": 30, "concurrency_limit": 20,
                                    "usd_per_1000_input": 0, "usd_per_1000_output": 0}]))
    env = {**models.settings, "ORCH_MODELS_FILE": str(several), "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "0",
           "LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000",
           "LIVE_SSE_MAX_STREAMS_PER_TENANT": STREAMS, "ASSAY_CONNECTIONS_PER_CLIENT": "0"}
    with Service("livedata", env, services=("livedata", "orchestrator")) as service:
        yield service


@pytest.fixture
def listeners(live):
    with Listeners(live, STREAMS, newest_sequence(live)) as clients:
        wait_for(lambda: all(clients.begun))
        yield clients


@contextlib.contextmanager
def workers_that_wait(live, models):
    """All workers of the orchestrator that may, in a call to a model that answers late."""
    url = live.stack.url_of("orchestrator")
    body = {"prompt": "hello", "model": MODEL}
    models.answers[MODEL] = "status:500"
    failed = [requests.post(url + "/api/v1/orchestrate", json=body, timeout=60).json()["task_id"]
              for _ in range(WAITING["tasks"][0])]
    release = threading.Event()
    models.answers[MODEL] = lambda _: release.wait(30) and "text:late"
    paths = [path for count, path in WAITING.values() for _ in range(count if path else 0)]
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(requests.post, url + path, json=body, timeout=60) for path in paths]
        asked += [pool.submit(requests.post, f"{url}/api/v1/tasks/{task}/retry", timeout=60) for task in failed]
        try:
            wait_for(lambda: models.running == len(asked))
            yield asked
        finally:
            release.set()
    assert [answer.result().status_code for answer in asked] == [200] * len(asked)


def test_two_hundred_streams_beside_twenty_waiting_workers(live, models, listeners):
    hub = hub_of(live)
    with workers_that_wait(live, models) as asked:
        assert len(asked) == 20
        sent = publish(live, 5)
        wait_for(lambda: all(len(heard) == len(sent) for heard in listeners.heard))
        assert models.running == 20  # all of this while they were waiting
    assert all([event for _, event in heard] == sent for heard in listeners.heard)
    assert hub_of(live) == hub


def test_a_client_that_leaves_frees_its_place(live, listeners):
    refused = requests.get(f"{live.url}/v1/stream/events", headers=SHOP, timeout=10)
    assert refused.status_code in (429, 503) and refused.headers["Retry-After"], refused.text
    listeners.leave(7)

    def let_in():
        with requests.get(f"{live.url}/v1/stream/events", headers=SHOP, stream=True, timeout=10) as stream:
            return stream.status_code == 200
    wait_for(let_in, told=lambda: "its place is still taken")


def test_a_killed_hub_costs_nobody_an_event(live, listeners):
    with ThreadPoolExecutor(1) as writer:
        sent = writer.submit(publish, live, 120, 0.02)
        killed = 0
        while not sent.done():
            time.sleep(0.8)
            before = sum(listeners.begun)
            os.kill(hub_of(live), signal.SIGKILL)
            killed += 1
            wait_for(lambda: sum(listeners.begun) >= before + STREAMS)
    wait_for(lambda: all(len(heard) >= len(sent.result()) for heard in listeners.heard))
    assert killed > 1
    for heard in listeners.heard:
        assert [event for _, event in heard] == sent.result()
