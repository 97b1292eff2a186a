"""Features of live data: columns of many entities, each as of a time of its own.

The answers are compared with a recomputation from what was sent, and the times at which the service answered."""

import csv
import io
import json
import os
import random
import socket
import time
import uuid
from datetime import datetime, timedelta, timezone
from urllib.parse import urlsplit

import pytest

from service import ENGINES, Service
from wait import wait_for

pytestmark = pytest.mark.both_engines
KEY = {"X-API-Key": "key-of-shop"}
SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_JOURNAL_RETENTION_DAYS": "90"}
ROWS = 100000 if os.environ.get("ASSAY_TEST_SOAK") else 3000
PAGE = 5000


@pytest.fixture(scope="module", params=ENGINES)
def shop(request):
    """The service, and the versions of each order: (processed_at, status or None, amount)."""
    with Service("livedata", SETTINGS, request.param) as service:
        versions, rng = {}, random.Random(7)
        for value in range(1, 121):
            number = 1000 + rng.randrange(12)
            removed = value > 30 and rng.random() < 0.1
            send(service, change(number, value, removed))
            versions.setdefault(number, []).append([None, None if removed else "confirmed", float(value)])
        times = service.sql("SELECT entity_id, processed_at FROM pipeline_events WHERE topic = 'events.validated'"
                            " ORDER BY seq")
        left = {number: iter(of) for number, of in versions.items()}
        for name, processed_at in times:
            next(left[int(str(name)[-4:])])[0] = int(processed_at)
        yield service, versions


def change(number, value, removed):
    row = {"order_id": f"ORD-20260404-{number}", "user_id": "USR-1", "status": "confirmed", "total_amount": value,
           "currency": "RUB", "created_at": "2026-04-04T00:00:00Z"}
    return {"event_id": str(uuid.uuid4()), "event_type": "orders.change", "source": "postgres_cdc",
            "operation": "delete" if removed else "update", "entity_type": "order", "entity_id": row["order_id"],
            "timestamp": datetime.now(timezone.utc).isoformat(), "before": row, "after": None if removed else row,
            "source_metadata": {"table": "orders"}}


def send(service, event):
    answer = service.post("/v1/events", event, headers=KEY).json()
    assert answer["applied"] == 1, answer


def ask(service, rows, status=200, **body):
    answer = service.post("/v1/features", {"entity_type": "order", "rows": rows, **body}, headers=KEY)
    assert answer.status_code == status, answer.text
    return answer


def lines(answer):
    return [json.loads(line) for line in answer.text.splitlines()]


def iso(microseconds):
    return (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=microseconds)).isoformat()


def expected(versions, number, at, first):
    known = [one for one in versions.get(number, ()) if one[0] <= at]
    if not known:
        return None, None, "before_retention" if at < first else "not_found"
    _, status, amount = known[-1]
    return (None, None, "deleted") if status is None else (status, amount, None)


def test_values_are_those_of_their_times(shop):
    service, versions = shop
    rng, first = random.Random(11), min(of[0][0] for of in versions.values())
    last, now = max(of[-1][0] for of in versions.values()), int(time.time() * 1e6)
    asked = []
    for _ in range(ROWS):
        number = 1000 + rng.randrange(14)  # two are never heard of
        near = rng.choice(versions.get(number, [[last]]))[0] + rng.choice((-1, 0, 1))
        asked.append((number, rng.choice((near, near, rng.randint(first - 1000000, last), now))))
    for begin in range(0, ROWS, PAGE):
        page = asked[begin:begin + PAGE]
        rows = lines(ask(service, [{"entity_id": f"ORD-20260404-{number}", "at": iso(at)} for number, at in page],
                         columns=["status", "total_amount"]))
        assert len(rows) == len(page)
        for (number, at), row in zip(page, rows):
            assert (row["status"], row["total_amount"], row["reason"]) == expected(versions, number, at, first), \
                (number, at, row, versions.get(number))
    assert {expected(versions, number, at, first)[2] for number, at in asked} == \
        {None, "deleted", "not_found", "before_retention"}


def test_csv_says_the_same(shop):
    service, versions = shop
    rows = [{"entity_id": f"ORD-20260404-{number}"} for number in range(1000, 1014)]
    said = lines(ask(service, rows))
    answer = ask(service, rows, format="csv")
    assert answer.headers["Content-Type"].startswith("text/csv")
    table = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["entity_id"] for row in table] == [row["entity_id"] for row in rows]
    assert [row["reason"] for row in table] == [row["reason"] or "" for row in said]
    assert [row["total_amount"] and float(row["total_amount"]) for row in table] == \
        ["" if row["total_amount"] is None else row["total_amount"] for row in said]


def test_what_the_journal_has_forgotten_is_said(shop):
    service = shop[0]
    ages = [iso(int((time.time() - days * 86400) * 1e6)) for days in (1, 91, 4000)]
    rows = lines(ask(service, [{"entity_id": "ORD-20260404-1000", "at": at} for at in ages]))
    assert [row["reason"] for row in rows] == ["before_retention"] * 3
    assert rows[0]["at"] == ages[0]


def test_what_is_refused(shop):
    service = shop[0]
    row = {"entity_id": "ORD-20260404-1000"}
    assert ask(service, [{**row, "at": "2100-01-01"}], status=422).json()["code"] == "as_of_future"
    ask(service, [{**row, "at": "soon"}], status=422)
    ask(service, [row], status=422, columns=["nothing"])
    ask(service, [row], status=404, entity_type="nothing")
    ask(service, [row] * 10001, status=422)
    assert ask(service, []).text == ""


def test_the_rows_of_a_client_that_has_left_are_not_read(shop):
    """It sends its request and closes the connection; more than once, where the answer was faster."""
    service, _ = shop
    rows = [{"entity_id": f"ORD-{i}", "at": "2026-04-04T00:00:00Z"} for i in range(10000)]
    body = json.dumps({"entity_type": "order", "rows": rows}).encode()
    head = (f"POST /v1/features HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {KEY['X-API-Key']}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode()
    where = urlsplit(service.url)

    def left():
        with socket.create_connection((where.hostname, where.port), timeout=30) as connection:
            connection.sendall(head + body)
        return service.sql("SELECT count(*) FROM api_sessions WHERE status_code = 499")[0][0] not in (0, "0")
    wait_for(left, told=lambda: "all rows were read for nobody")
