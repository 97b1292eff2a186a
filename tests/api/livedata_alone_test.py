"""A domain of one's own without the folder of the shop: then there is no shop. Its events are of no known type, its entities
and words are unknown, and the demonstration sends none of it."""

import uuid
from pathlib import Path

import pytest

from service import ENGINES, Service

pytestmark = pytest.mark.both_engines

ROOT = Path(__file__).resolve().parents[2]
KEY = {"X-API-Key": "key-of-floor"}
SETTINGS = {"LIVE_API_KEYS": "key-of-floor:floor", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_SEED_ON_BOOT": "true",
            "LIVE_CONFIG_DIR": f"{ROOT}/config/demo/machines,{ROOT}/config/demo/machine_metrics"}


@pytest.fixture(scope="module", params=ENGINES)
def live(request):
    with Service("livedata", SETTINGS, request.param) as service:
        yield service


def event(kind, **members):
    return {"event_id": str(uuid.uuid4()), "event_type": kind, "source": "floor", "timestamp": "2026-04-04T08:00:00Z", **members}


def apply(live, one):
    answer = live.post("/v1/events", {"events": [one]}, headers=KEY)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"][0]


def ask(live, status, **body):
    answer = live.post("/v1/query", body, headers=KEY)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_only_the_domain_is_there(live):
    catalog = live.get("/v1/catalog", headers=KEY).json()
    assert sorted(catalog["entities"]) == ["machine", "reading"]
    assert sorted(catalog["metrics"]) == ["average_temperature", "readings_taken", "valid_readings"]
    assert catalog["streaming_sources"]["events"]["filters"]["event_type"] == []
    assert [one["name"] for one in live.get("/v1/domains", headers=KEY).json()["domains"]] == ["machines", "machine_metrics"]
    for path in ("entity/order/ORD-1", "entity/order/ORD-1/events", "entity/order/ORD-1/timeline", "metrics/revenue", "contracts/order"):
        assert live.get(f"/v1/{path}", headers=KEY).status_code == 404, path
    for path in ("slo", "freshness", "events/rate", "contracts", "ops/exceptions", "search?q=order"):
        answer = live.get(f"/v1/{path}", headers=KEY)
        assert answer.status_code == 200 and "revenue" not in answer.text, answer.text
    assert live.get("/v1/ops/stuck-orders", headers=KEY).status_code in (403, 404)


@pytest.mark.parametrize("one", [
    event("product.updated", product_id="PROD-001", price="10.00"),
    event("page_view", session_id="SES-1", page="/"),
    {**event("orders.change"), "source": "postgres_cdc", "operation": "INSERT", "source_metadata": {"table": "orders"}, "after": {}},
], ids=lambda one: one["event_type"])
def test_events_of_the_shop_have_no_schema(live, one):
    one = {**one, "event_id": str(uuid.uuid4())}
    result = apply(live, one)
    assert (result["status"], result["detail"]) == ("dead_lettered", f"No schema for: {one['event_type']}")


def test_questions_are_about_the_domain(live):
    assert apply(live, event("machine.registered", machine_id="M-1", name="Press", site="north"))["status"] == "applied"
    assert ask(live, 200, question="how many machines")["answer"][0]["count"] == 1
    for question in ("revenue today", "top 5 products", "how many orders today", "conversion rate"):
        refused = ask(live, 400, question=question)
        assert refused["code"] == "untranslatable" and "revenue today'," not in refused["detail"], refused
        assert "[machine, reading]" in refused["detail"].replace("'", ""), refused
    assert ask(live, 400, plan={"entity": "order", "select": "count"})["code"] == "plan_invalid"


def test_the_demonstration_has_no_shop(live):
    run = live.run("livedata-demo", env={"LIVE_DEMO_LANGUAGE": "en"})
    assert run.returncode == 0 and "applied events=" in run.stdout, run.stderr
    sent = live.get("/v1/events/rate", headers=KEY).json()
    assert sent["applied"] > 100, sent
    found = {one.get("entity_type") for one in live.get("/v1/search?q=order revenue product", headers=KEY).json()["results"]}
    assert found <= {"machine", "reading", None}, found
    assert live.get("/v1/alerts", headers=KEY).json()["alerts"] == []
