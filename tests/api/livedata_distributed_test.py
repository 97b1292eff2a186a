"""Live data whose tables are distributed by tenant shows what it shows from a file of SQLite: rows from before the
distribution, and what comes after it. A PostgreSQL with tests/db/citus_stand_in.sql answers for Citus; what Citus
refuses is looked for by tests/lint/checks/citus.py."""

import os
import random
import uuid
from datetime import datetime, timedelta, timezone

import pytest

from service import Service
from stack import CHECKOUT

TENANTS = [f"tenant{number}" for number in range(5)] + ["магазин", "商店"]
KEYS = {tenant: {"X-API-Key": f"key-{number}"} for number, tenant in enumerate(TENANTS)}
SETTINGS = {"LIVE_API_KEYS": ",".join(f"key-{number}:{tenant}" for number, tenant in enumerate(TENANTS)),
            "LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{CHECKOUT}/config/demo/machines",
            "LIVE_RATE_LIMIT_RPM": "100000"}
START = datetime.now(timezone.utc) - timedelta(hours=2)
STATES = ["created", "confirmed", "shipped", "delivered", "cancelled"]


def event(rng, kind, **members):
    at = START + timedelta(seconds=rng.randrange(3600), milliseconds=rng.randrange(1000))
    return {"event_id": str(uuid.UUID(int=rng.getrandbits(128), version=4)), "event_type": kind, "source": "test",
            "timestamp": at.isoformat(), **members}


def random_event(rng):
    match rng.randrange(5):
        case 0 | 1:
            quantity = rng.randrange(1, 4)
            return event(rng, "order.updated", order_id=f"ORD-20260404-{1000 + rng.randrange(12)}",
                         user_id=f"USR-{rng.randrange(4)}", status=rng.choice(STATES), total_amount=quantity * 10,
                         items=[{"product_id": f"P-{rng.randrange(3)}", "quantity": quantity, "unit_price": 10}])
        case 2:
            return event(rng, "product.updated", product_id=f"P-{rng.randrange(3)}",
                         name=rng.choice(["Coffee", "Чай зелёный", "绿茶", "شاي"]), category="food", price=10,
                         in_stock=True, stock_quantity=rng.randrange(9))
        case 3:
            return event(rng, "page_view", session_id=f"S-{rng.randrange(5)}", user_id=f"USR-{rng.randrange(4)}",
                         page_url=f"/p/{rng.randrange(6)}", user_agent="test")
        case _:
            return event(rng, "machine.registered", machine_id=f"M-{rng.randrange(4)}",
                         name=rng.choice(["Lathe", "Станок", "車床"]), site=rng.choice(["north", "south"]))


def batches(seed):
    """(tenant, events), some of them sent twice, some wrong."""
    rng = random.Random(seed)
    for _ in range(2):
        for tenant in TENANTS:
            events = [random_event(rng) for _ in range(12)]
            events += rng.sample(events, 3) + [{**random_event(rng), "timestamp": "never"}]
            yield tenant, events


def shown(service, tenant):
    """What readers see, without numbers that depend on the engine or the moment."""
    told = {}
    paths = [f"entity/order/ORD-20260404-{1000 + number}" for number in range(12)]
    paths += [f"entity/{kind}/{key}-{number}" for kind, key in (("product", "P"), ("user", "USR"), ("machine", "M"))
              for number in range(4)]
    for path in paths:
        answer = service.get(f"/v1/{path}", headers=KEYS[tenant])
        told[path] = answer.json()["data"] if answer.status_code == 200 else answer.status_code
    for metric in ("revenue", "order_count", "avg_order_value"):
        told[metric] = service.get(f"/v1/metrics/{metric}?window=24h", headers=KEYS[tenant]).json()["value"]
    for words in ("coffee", "чай", "绿茶", "lathe north", "شاي"):
        found = service.get("/v1/search", params={"q": words}, headers=KEYS[tenant]).json()["results"]
        told[words] = [(hit["id"], hit["score"]) for hit in found]
    letters = service.get("/v1/deadletter", headers=KEYS[tenant]).json()
    told["letters"] = sorted((letter["event_id"], letter["failure_reason"]) for letter in letters["items"])
    told["trail"] = [row["event_id"] for row in service.get(
        "/v1/entity/order/ORD-20260404-1001/events", headers=KEYS[tenant]).json()["events"]]
    return told


def send(service, seed):
    """How each batch was counted; each tenant reads its own write."""
    counted = []
    for tenant, events in batches(seed):
        answer = service.post("/v1/events", {"events": events}, headers=KEYS[tenant])
        assert answer.status_code in (200, 207), answer.text
        counted.append({name: answer.json()[name] for name in ("accepted", "applied", "dead_lettered", "duplicates")})
        read = service.get("/v1/metrics/order_count", params={"window": "24h", "at_least": answer.headers["X-Live-Position"]},
                           headers=KEYS[tenant])
        assert read.status_code == 200, read.text
    return counted


def distribute(service):
    """The second call has nothing left to do."""
    listed = [line.split() for line in (CHECKOUT / "sql/livedata/distribution").read_text().splitlines()
              if line.startswith("distributed")]
    tables = len(listed) + len(service.sql("SELECT DISTINCT table_name FROM own_contracts"))
    assert tables > len(listed)
    service.sql((CHECKOUT / "tests/db/citus_stand_in.sql").read_text())
    for told in (f"{tables} tables were distributed, 0 were so before", f"0 tables were distributed, {tables} were so before"):
        done = service.stack.run("run", "database", "distribute", "livedata")
        assert done.returncode == 0 and told in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("when", ["between", *(["before"] if os.environ.get("ASSAY_TEST_SOAK") else [])])
def test_distributed_tables_show_the_same(when):
    with Service("livedata", SETTINGS) as one, Service("livedata", SETTINGS, "postgres") as other:
        if when == "before":
            distribute(other)
        for seed in range(2):
            assert send(one, seed) == send(other, seed)
            if when == "between" and seed == 0:
                distribute(other)
        for tenant in TENANTS:
            assert shown(one, tenant) == shown(other, tenant), tenant
        done = other.run("livedata-check")
        assert done.returncode == 0, done.stdout + done.stderr
        last, rows, lost = other.sql("SELECT max(seq), count(*), count(*) - count(DISTINCT seq) FROM pipeline_events")[0]
        assert int(last) >= int(rows) > 0 and lost == "0"
