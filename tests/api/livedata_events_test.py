"""Events into live data: what they change, who sees it, what cannot be applied, and who is told."""

import hashlib
import hmac
import json
import socket
import threading
import time
import uuid
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from wait import wait_for
from service import ENGINES, Service

pytestmark = pytest.mark.both_engines

ADMIN = {"X-Admin-Key": "admin-key"}
SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_ADMIN_KEY": "admin-key", "LIVE_RATE_LIMIT_RPM": "100000",
            "LIVE_EGRESS_ALLOWED_HOSTS": "127.0.0.1", "FRESHNESS_SLA_SECONDS": "2",
            "LIVE_STREAM_LOOK_ROWS": "100", "LIVE_HEALTH_CACHE_TTL_SECONDS": "0"}
SHOP = {"X-API-Key": "key-of-shop"}


@pytest.fixture(scope="module", params=ENGINES)
def live(request):
    with Service("livedata", SETTINGS, request.param) as service:
        yield service


def ago(seconds):
    return (datetime.now(timezone.utc) - timedelta(seconds=seconds)).isoformat()


def order(number, status="pending", seconds=5, total="31.50", event=None, kind="order.created", **more):
    return {"event_id": event or str(uuid.uuid4()), "event_type": kind, "timestamp": ago(seconds), "source": "shop",
            "order_id": f"ORD-20260404-{number}", "user_id": "USR-1", "status": status,
            "items": [{"product_id": "PROD-1", "quantity": 3, "unit_price": "10.50"}], "total_amount": total, **more}


def send(service, body, status=200, headers=SHOP):
    answer = service.post("/v1/events", body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def get(service, path, status=200, headers=SHOP):
    answer = service.get(path, headers=headers)
    assert answer.status_code == status, answer.text
    return answer


def test_an_event_changes_an_entity_and_a_metric_and_says_how_fresh_they_are(live):
    before = get(live, "/v1/metrics/revenue?window=24h").json()
    get(live, "/v1/entity/order/ORD-20260404-5001", status=404)
    sent = send(live, order(5001, seconds=0))
    assert (sent["accepted"], sent["applied"]) == (1, 1) and sent["results"][0]["reason"] is None
    entity = get(live, "/v1/entity/order/ORD-20260404-5001")
    assert entity.headers["X-Cache"] == "MISS"
    body = entity.json()
    assert body["data"]["total_amount"] == 31.5 and body["freshness_seconds"] < 10 and body["meta"]["stale"] is False
    after = get(live, "/v1/metrics/revenue?window=24h").json()
    assert after["value"] == before["value"] + 31.5
    assert after["meta"]["freshness_seconds"] < 10 and after["meta"]["health"] == "healthy"
    assert get(live, "/v1/entity/user/USR-1").json()["data"]["total_orders"] >= 1


def test_a_clock_that_was_set_back_makes_nothing_fresh():
    """What was applied by a clock that was ahead lies in the future now: its age is not known, and it is not fresh."""
    with Service("livedata", SETTINGS, "sqlite") as live:
        send(live, order(5101))
        live.sql("UPDATE cache_generation SET last_event_at = last_event_at + 86400000000")
        live.sql("UPDATE event_freshness SET applied_at = applied_at + 86400000000")
        meta = get(live, "/v1/metrics/revenue?window=24h").json()["meta"]
        assert meta["freshness_seconds"] is None and meta["stale"] is True, meta
        health = live.get("/health").json()
        [component] = [one for one in health["components"] if one["name"] == "freshness"]
        assert component["status"] == health["status"] == "unhealthy", health


def test_no_cached_answer_outlives_an_event(live):
    for i in range(20):
        number = 6000 + i
        send(live, order(number))
        path = f"/v1/entity/order/ORD-20260404-{number}"
        assert get(live, path).headers["X-Cache"] == "MISS"
        assert get(live, path).headers["X-Cache"] == "HIT"
        send(live, order(number, "shipped", 1, kind="order.updated"))
        answer = get(live, path)
        assert answer.headers["X-Cache"] == "MISS" and answer.json()["status"] == "shipped"


def test_versions_of_the_past(live):
    send(live, order(5100))
    between = ago(0)
    time.sleep(0.05)
    send(live, order(5100, "confirmed", 1, kind="order.updated"))
    path = "/v1/entity/order/ORD-20260404-5100"
    past = live.get(path, headers=SHOP, params={"as_of": between})
    assert past.json()["status"] == "pending" and "X-Cache" not in past.headers
    assert past.json()["meta"]["is_historical"] and past.json()["freshness_seconds"] is None
    assert get(live, path).json()["status"] == "confirmed"
    assert live.get(path, headers=SHOP, params={"as_of": ago(3600)}).status_code == 404


def test_what_is_wrong_with_one_event_does_not_stop_the_others(live):
    good, bad = order(5200), order(5201, total="999.99")
    unknown = {"event_id": str(uuid.uuid4()), "event_type": "order.shipped"}
    sent = send(live, {"events": [bad, good, unknown, good]})
    assert (sent["applied"], sent["dead_lettered"], sent["duplicates"]) == (1, 2, 1)
    assert sent["results"][0]["reason"] == "semantic: order_total_consistency"
    letter = get(live, f"/v1/deadletter/{bad['event_id']}").json()
    assert letter["payload"]["total_amount"] == "999.99" and letter["failure_reason"] == "semantic_validation"
    assert letter["failure_detail"] == "Stated total 999.99 != computed 31.50"
    replay = f"/v1/deadletter/{bad['event_id']}/replay"
    assert live.post(replay, headers=SHOP).status_code == 422
    answer = live.post(replay, {"corrected_payload": {"total_amount": "31.50"}}, headers=SHOP).json()
    assert answer["status"] == "replayed" and answer["retry_count"] == 1
    get(live, "/v1/entity/order/ORD-20260404-5201")
    assert live.post(replay, headers=SHOP).status_code == 409
    dismiss = f"/v1/deadletter/{unknown['event_id']}/dismiss"
    assert live.post(dismiss, headers=SHOP).json()["status"] == "dismissed"
    assert live.post(dismiss, headers=SHOP).json()["status"] == "dismissed"
    get(live, "/v1/deadletter/none", status=404)
    stats = get(live, "/v1/deadletter/stats").json()
    assert isinstance(stats["last_24h"], int)


@pytest.mark.parametrize("faults,reason,details", [
    ({"status": "lost", "currency": "ZZZ", "source": None, "total_amount": "999.99",
      "items": [{"product_id": "", "quantity": 0, "unit_price": "10.50"}, {"product_id": "P", "quantity": 1, "unit_price": 0}]},
     "schema: source", ["source: field required", "status: not one of its words", "currency: not one of its words",
                        "items.0: product_id is needed", "items.0: quantity is 1 to 1000", "items.1: unit_price is above 0"]),
    ({"status": "lost", "total_amount": "999.99"}, "schema: status",
     ["status: not one of its words", "Stated total 999.99 != computed 31.50"]),
    ({"event_type": "parcel.lost", "status": "lost"}, "schema: unknown_event_type", ["No schema for: parcel.lost"])])
def test_a_dead_letter_names_all_faults_at_once(live, faults, reason, details):
    event = {key: value for key, value in {**order(5210), **faults}.items() if value is not None}
    [result] = send(live, event)["results"]
    letter = get(live, f"/v1/deadletter/{event['event_id']}").json()
    assert result["reason"] == reason and result["detail"] == letter["failure_detail"]
    named = letter["failure_detail"].split("; ")
    assert len(named) == len(details) and all(one.startswith(start) for one, start in zip(named, details)), named
    replay = live.post(f"/v1/deadletter/{event['event_id']}/replay", headers=SHOP)
    assert (replay.status_code, replay.json()["detail"]) == (422, letter["failure_detail"])


def test_faults_that_have_no_room_are_counted(live):
    event = order(5211, items=[{"product_id": ""}] * 100)
    detail = send(live, event)["results"][0]["detail"]
    assert len(detail) < 1040 and detail.endswith(f"; and {300 - detail.count('items.')} more"), detail


def bad_of(live, headers):
    """What counts as bad: in the service level, in the metric, in the health of the tenant."""
    [slo] = [one for one in get(live, "/v1/slo", headers=headers).json()["slos"] if one["name"] == "error_rate"]
    [quality] = [one for one in get(live, "/v1/health", headers=headers).json()["components"] if one["name"] == "quality"]
    return (slo["valid"] - slo["good"], get(live, "/v1/metrics/error_rate?window=1h", headers=headers).json()["value"] > 0,
            quality["metrics"]["rejected_events"])


def test_a_dead_letter_counts_once_and_not_once_its_event_was_applied(live):
    key = live.post("/v1/admin/keys", {"name": "n", "tenant": f"t{uuid.uuid4().hex[:8]}"}, headers=ADMIN).json()["key"]
    headers = {"X-API-Key": key}
    sent, replayed = order(5220, total="9.99"), order(5221, total="9.99")
    for event in (sent, sent, replayed):
        assert send(live, event, headers=headers)["dead_lettered"] == 1
    assert bad_of(live, headers) == (2, True, 2)
    send(live, {**sent, "total_amount": "31.50"}, headers=headers)
    assert get(live, f"/v1/deadletter/{sent['event_id']}", headers=headers).json()["status"] == "replayed"
    assert [one["event_id"] for one in get(live, "/v1/deadletter", headers=headers).json()["items"]] == [replayed["event_id"]]
    assert bad_of(live, headers) == (1, True, 1)
    again = live.post(f"/v1/deadletter/{replayed['event_id']}/replay",
                      {"corrected_payload": {"total_amount": "31.50"}}, headers=headers)
    assert again.json()["status"] == "replayed"
    assert bad_of(live, headers) == (0, False, 0)
    assert get(live, "/v1/ops/exceptions", headers=headers).json()["items"] == []


def test_lines_of_json(live):
    lines = "\n".join([json.dumps(order(5300)), "{not json", "", json.dumps(order(5301))])
    answer = live.send("POST", "/v1/events", data=lines,
                       headers={**SHOP, "Content-Type": "application/x-ndjson"}, checked=False)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["applied"], answer.json()["dead_lettered"]) == (2, 1)
    letter = get(live, "/v1/deadletter?reason=undecodable").json()["items"][0]
    assert get(live, f"/v1/deadletter/{letter['event_id']}").json()["payload"] == "{not json"


@pytest.mark.parametrize("body", ["[]", "null", "1", '"x"', "{", '{"events":{}}', '{"events":[' + "1," * 500 + "1]}"])
def test_what_is_no_batch(live, body):
    answer = live.send("POST", "/v1/events", data=body, headers={**SHOP, "Content-Type": "application/json"},
                       checked=False)
    assert answer.status_code == 422 and isinstance(answer.json()["detail"], list), answer.text


def test_the_same_request_again(live):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    body = order(5400)
    first = live.post("/v1/events", body, headers={**SHOP, **key})
    again = live.post("/v1/events", body, headers={**SHOP, **key})
    assert first.json() == again.json() and again.headers["Idempotency-Replayed"] == "true"
    assert live.post("/v1/events", order(5401), headers={**SHOP, **key}).status_code == 409


def test_tenants_do_not_see_each_other(live):
    keys = {}
    for tenant in ("acme", "other"):
        answer = live.post("/v1/admin/keys", {"name": "t", "tenant": tenant, "rate_limit_rpm": 10000}, headers=ADMIN)
        keys[tenant] = {"X-API-Key": answer.json()["key"]}
    for tenant, total in (("acme", "125.50"), ("other", "15.00")):
        send(live, order(7001, total=total, items=[{"product_id": "P", "quantity": 1, "unit_price": total}]),
             headers=keys[tenant])
    for tenant, total in (("acme", 125.5), ("other", 15.0)):
        assert get(live, "/v1/entity/order/ORD-20260404-7001", headers=keys[tenant]).json()["data"]["total_amount"] == total
        assert get(live, "/v1/metrics/revenue?window=24h", headers=keys[tenant]).json()["value"] == total
        hits = get(live, "/v1/search?q=ORD-20260404-7001", headers=keys[tenant]).json()["results"]
        assert f"total {total:.2f}" in hits[0]["snippet"]
    get(live, "/v1/entity/order/ORD-20260404-7001", status=404)
    sent = send(live, {**order(7002), "tenant": "acme"}, headers=keys["other"])
    assert sent["dead_lettered"] == 1


def test_answers_grow_stale_at_their_budget_and_heal(live):
    """Entities have FRESHNESS_SLA_SECONDS, here two; revenue has the eight of its contract."""
    send(live, order(5500, seconds=0))
    ages = {True: [], False: []}

    def grown_stale():
        entity = get(live, "/v1/entity/order/ORD-20260404-5500").json()
        metric = get(live, "/v1/metrics/revenue").json()["meta"]
        component = next(one for one in get(live, "/v1/health").json()["components"] if one["name"] == "freshness")
        age, seen = entity["meta"]["event_age_seconds"], component["metrics"]["last_event_age_seconds"]
        assert age == entity["event_age_seconds"] >= entity["freshness_seconds"], entity
        assert entity["meta"]["stale"] is (age > 2), entity
        assert component["status"] == ("healthy" if seen <= 2 else "degraded") or abs(seen - 2) <= 0.05, component
        assert metric["stale"] is False and metric["freshness_seconds"] < 8
        ages[entity["meta"]["stale"]].append(age)
        return entity["meta"]["stale"] and component["status"] == "degraded"
    wait_for(grown_stale)
    assert max(ages[False]) <= 2 < min(ages[True]), "at the budget, not before"
    send(live, order(5501))
    send(live, order(5500, "confirmed", 0, kind="order.updated"))
    healed = {one["name"]: one["status"] for one in get(live, "/v1/health").json()["components"]}
    assert healed["freshness"] == "healthy"
    answer = get(live, "/v1/entity/order/ORD-20260404-5500")
    assert answer.json()["meta"]["stale"] is False, healed


def tenant(live):
    """The headers of a key of a tenant that has nothing yet."""
    answer = live.post("/v1/admin/keys", {"name": "t", "tenant": f"t{uuid.uuid4().hex[:12]}", "rate_limit_rpm": 10000},
                       headers=ADMIN)
    return {"X-API-Key": answer.json()["key"]}


def click(seconds=0, **more):
    return {"event_id": str(uuid.uuid4()), "event_type": "page_view", "timestamp": ago(seconds), "source": "web",
            "session_id": "SES-1", "page_url": "/", "user_agent": "test", **more}


def ages(live, headers):
    """Both ages in everything that says how old it is."""
    entity = get(live, "/v1/entity/order/ORD-20260404-5600", headers=headers)
    answer = live.post("/v1/query", {"question": "revenue today"}, headers=headers)
    batch = live.post("/v1/batch", {"requests": [
        {"id": "e", "type": "entity", "params": {"entity_type": "order", "entity_id": "ORD-20260404-5600"}},
        {"id": "m", "type": "metric", "params": {"name": "revenue"}},
        {"id": "q", "type": "query", "params": {"question": "revenue today"}}]}, headers=headers).json()["results"]
    fresh = next(one for one in get(live, "/v1/slo", headers=headers).json()["slos"] if one["name"] == "data_freshness")
    health = next(one for one in get(live, "/v1/health", headers=headers).json()["components"] if one["name"] == "freshness")
    found = {
        "entity": entity.json(), "entity.meta": entity.json()["meta"],
        "user": get(live, "/v1/entity/user/USR-1", headers=headers).json(),
        "metric": get(live, "/v1/metrics/revenue", headers=headers).json()["meta"],
        "timeline": get(live, "/v1/entity/order/ORD-20260404-5600/timeline", headers=headers).json(),
        "lineage": get(live, "/v1/lineage/order/ORD-20260404-5600", headers=headers).json(),
        "query": answer.json()["metadata"], "batch entity": batch[0], "batch metric": batch[1]["data"],
        "batch query": batch[2]["data"]["metadata"]}
    pairs = {name: (one["freshness_seconds"], one["event_age_seconds"]) for name, one in found.items()}
    pairs["slo"] = (fresh["diagnostic"]["age_seconds"], fresh["diagnostic"]["event_age_seconds"])
    pairs["health"] = (health["metrics"]["last_event_age_seconds"], health["metrics"]["event_age_seconds"])
    for one in (entity, answer):
        pairs["headers " + one.url] = (float(one.headers["X-Live-Freshness-Seconds"]),
                                       float(one.headers["X-Live-Event-Age-Seconds"]))
    return pairs, found


def test_every_answer_says_when_an_event_was_applied_and_how_old_the_event_is(live):
    headers = tenant(live)
    send(live, order(5600, seconds=7200), headers=headers)
    pairs, found = ages(live, headers)
    for name, (applied, own) in pairs.items():
        assert 0 <= applied < 30 and 7190 < own < 7300, (name, applied, own)
    assert found["entity"]["meta"]["stale"] is True and found["metric"]["stale"] is True, "by the older of the two"


def test_a_rejected_event_changes_nothing(live):
    headers = tenant(live)
    send(live, order(5600, seconds=0), headers=headers)
    time.sleep(1.1)
    for i in range(3):
        assert send(live, order(5600, "lost", 0), headers=headers)["dead_lettered"] == 1
    for name, (applied, own) in ages(live, headers)[0].items():
        assert applied >= 1 and own >= 1, (name, applied, own)
    error_rate = get(live, "/v1/metrics/error_rate", headers=headers).json()
    assert error_rate["value"] > 0 and error_rate["meta"]["freshness_seconds"] >= 1
    service_level = next(one for one in get(live, "/v1/slo", headers=headers).json()["slos"] if one["name"] == "data_freshness")
    assert service_level["valid"] >= 1.1, "measured from the applied event on, with no gap filled by rejected ones"


def test_a_ratio_of_nothing_is_null_with_a_reason(live):
    headers = tenant(live)
    for name, value in (("revenue", 0.0), ("order_count", 0.0), ("avg_order_value", None), ("conversion_rate", None),
                        ("error_rate", None)):
        body = get(live, f"/v1/metrics/{name}", headers=headers).json()
        assert body["value"] == value and body["meta"].get("reason") == ("no_rows_in_window" if value is None else None), body
        again = get(live, f"/v1/metrics/{name}", headers=headers).json()
        assert again["value"] == value, "out of the cache"
        item = live.post("/v1/batch", {"requests": [{"id": "m", "type": "metric", "params": {"name": name}}]},
                         headers=headers).json()["results"][0]["data"]
        assert item["value"] == value
    assert "Current value is undefined ratio" in get(live, "/v1/search?q=conversion rate", headers=headers).text


def test_currencies_are_never_added_up(live):
    headers = tenant(live)
    send(live, {"events": [order(5601), order(5602, currency="GBP")]}, headers=headers)
    body = get(live, "/v1/metrics/revenue", headers=headers).json()
    assert body["value"] == 31.5 and body["unit"] == "RUB" and body["components"] == {"GBP": 31.5, "RUB": 31.5}
    assert body["meta"]["currencies_not_added"] == ["GBP"] and body["meta"]["mixed_currency"] is True
    alone = tenant(live)
    send(live, order(5604, currency="EUR"), headers=alone)
    average = get(live, "/v1/metrics/avg_order_value", headers=alone).json()
    assert average["value"] is None and average["meta"]["reason"] == "no_rows_in_default_currency"
    assert average["components"] == {"EUR": 31.5}


ROWS = {
    "order": ("ORD-20260404-5700", {"order_id": "ORD-20260404-5700", "user_id": "USR-9", "status": "shipped",
                                    "total_amount": "12.30", "currency": "RUB", "created_at": "2026-04-04T10:00:00Z",
                                    "warehouse": "unknown to us"}),
    "product": ("PROD-9", {"product_id": "PROD-9", "name": "Lamp", "category": "light", "price": 7.5, "in_stock": 1,
                           "stock_quantity": 3}),
    "user": ("USR-8", {"user_id": "USR-8", "total_orders": 4, "total_spent": "99.10", "first_order_at": 1775000000000000,
                       "last_order_at": 1775000000000, "preferred_category": "light"}),
    "session": ("SES-9", {"session_id": "SES-9", "user_id": None, "started_at": "2026-04-04T10:00:00Z",
                          "ended_at": "2026-04-04T10:10:00Z", "duration_seconds": 600, "event_count": 7,
                          "unique_pages": 2, "funnel_stage": "browse", "is_conversion": False})}


def change(kind, operation="insert", seconds=0.0, after=None, entity=None, **more):
    number, row = ROWS[kind] if kind in ROWS else ("X-1", {"id": "X-1"})
    row = None if operation == "delete" else row if after is None else after
    return {"event_id": str(uuid.uuid4()), "event_type": f"{kind}.{operation}", "operation": operation,
            "timestamp": ago(seconds), "source": "postgres_cdc", "entity_type": kind, "entity_id": entity or number,
            "before": None, "after": row, "source_metadata": {"table": "t", "position": 1}, **more}


@pytest.mark.parametrize("kind", ROWS)
def test_change_data_put_the_row_and_take_it_away(live, kind):
    headers = tenant(live)
    number, row = ROWS[kind]
    path = f"/v1/entity/{kind}/{number}"
    assert send(live, change(kind, seconds=9), headers=headers)["applied"] == 1
    body = get(live, path, headers=headers).json()
    data, wanted = body["data"], {**row}
    if kind == "order":
        assert "warehouse" not in data and get(live, "/v1/metrics/revenue", headers=headers).json()["value"] == 0
        assert get(live, "/v1/entity/user/USR-9", headers=headers).json()["data"]["total_spent"] == 12.3
        wanted = {**row, "total_amount": 12.3}
        del wanted["warehouse"]
    if kind == "product":
        wanted = {**row, "in_stock": True}
    if kind == "user":
        wanted = {**row, "total_spent": 99.1, "first_order_at": "2026-03-31T23:33:20Z", "last_order_at": "2026-03-31T23:33:20Z"}
    assert data == wanted and 8 < body["event_age_seconds"] < 60
    then = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
    name = {"order": "status", "product": "name", "user": "preferred_category", "session": "funnel_stage"}[kind]
    value = {"order": "delivered", "session": "checkout"}.get(kind, "other")
    assert send(live, change(kind, "update", 5, {**row, name: value}), headers=headers)["applied"] == 1
    assert send(live, change(kind, "update", 7, {**row, name: row[name]}), headers=headers)["applied"] == 1
    assert get(live, path, headers=headers).json()["data"][name] == value, "a late change does not win"
    assert get(live, f"{path}?as_of={then}", headers=headers).json()["data"] == wanted, "history keeps rows"
    assert send(live, change(kind, "delete", 3), headers=headers)["applied"] == 1
    get(live, path, status=404, headers=headers)
    now = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
    get(live, f"{path}?as_of={now}", status=404, headers=headers)
    assert get(live, f"{path}?as_of={then}", headers=headers).json()["data"] == wanted
    assert not [hit for hit in get(live, f"/v1/search?q={number}", headers=headers).json()["results"] if hit["id"] == number]
    if kind == "order":
        get(live, "/v1/entity/user/USR-9", status=404, headers=headers)
    send(live, change(kind, "update", 4), headers=headers)
    get(live, path, status=404, headers=headers)
    send(live, change(kind, "snapshot", 0), headers=headers)
    assert get(live, path, headers=headers).json()["data"] == wanted, "what is newer than the deletion comes back"


@pytest.mark.parametrize("event,detail", [
    (change("invoice"), "entity_type: is none of order, product, session and user"),
    (change("order", "ddl"), "operation: not one of its words"),
    (change("order", "truncate"), "operation: not one of its words"),
    ({**change("order"), "after": None}, "after: must be the row after the change"),
    (change("order", after={"user_id": "U"}), "status: field required"),
    (change("order", after={**ROWS["order"][1], "status": "lost"}), "status: not one of its words"),
    (change("product", after={**ROWS["product"][1], "price": "cheap"}), "price: is no number"),
    (change("order", entity="ORD-OTHER"), "order_id: is not the entity_id")])
def test_change_data_that_cannot_be_mapped_are_dead_letters(live, event, detail):
    headers = tenant(live)
    event = {**event, "event_id": str(uuid.uuid4())}
    assert send(live, event, headers=headers)["dead_lettered"] == 1
    letter = get(live, f"/v1/deadletter/{event['event_id']}", headers=headers).json()
    assert detail in letter["failure_detail"] and letter["failure_reason"] == "schema_validation"


def test_pages_neither_overlap_nor_skip_when_rows_come_in(live):
    headers = tenant(live)
    for i in range(5):
        send(live, order(5610 + i, seconds=600 - i), headers=headers)
    seen, cursor = [], None
    for page in range(5):
        body = {"question": "show all orders", "limit": 1, **({"cursor": cursor} if cursor else {})}
        answer = live.post("/v1/query", body, headers=headers).json()
        seen += [row["order_id"] for row in answer["answer"]]
        cursor = answer["next_cursor"]
        send(live, order(5620 + page, seconds=1), headers=headers)
    assert seen == [f"ORD-20260404-{5614 - i}" for i in range(5)] and cursor is None


@pytest.mark.parametrize("name,query", [("Электрический чайник", "ЧАЙНИК"), ("电热水壶", "水壶"), ("Crème brûlée", "brûlée"),
                                        ("กาต้มน้ำไฟฟ้า", "น้ำ")])
def test_search_knows_words_of_all_scripts(live, name, query):
    headers = tenant(live)
    send(live, change("product", after={**ROWS["product"][1], "name": name}), headers=headers)
    hits = get(live, f"/v1/search?q={query}", headers=headers).json()["results"]
    assert hits and hits[0]["id"] == "PROD-9" and name in hits[0]["snippet"]


@pytest.mark.parametrize("path,name", [("/v1/deadletter", "event_id"), ("/v1/ops/exceptions", "item_id")])
def test_lists_go_on_after_the_last_item_when_others_come_in(live, path, name):
    headers = tenant(live)

    def reject():
        letter = order(5650, "lost", 0)
        assert send(live, letter, headers=headers)["dead_lettered"] == 1
        return letter["event_id"]
    wanted, seen, cursor = [reject() for _ in range(5)], [], None
    for _ in range(5):
        body = get(live, f"{path}?page_size=2" + (f"&cursor={cursor}" if cursor else ""), headers=headers).json()
        seen += [one[name].removeprefix("dl:") for one in body["items"]]
        cursor = body["next_cursor"]
        if cursor is None:
            break
        reject()
    assert seen == wanted[::-1]
    for bad in ("x", "NDphYmM="):
        assert get(live, f"{path}?cursor={bad}", status=400, headers=headers).json()["code"] == "invalid_cursor"


def test_money_of_a_question_is_exact_and_in_one_currency(live):
    headers = tenant(live)
    for i, (price, currency) in enumerate([("0.10", "RUB"), ("0.20", "RUB"), ("0.70", "RUB"), ("9.99", "GBP")]):
        send(live, order(5630 + i, total=price, currency=currency,
                         items=[{"product_id": "PROD-NONE", "quantity": 1, "unit_price": price}]), headers=headers)

    def ask(question):
        return live.post("/v1/query", {"question": question}, headers=headers).json()["answer"]
    assert ask("revenue today") == [{"revenue": 1.0}]
    assert ask("revenue today in GBP") == [{"revenue": 9.99}]
    assert ask("revenue today by currency") == [{"currency": "GBP", "revenue": 9.99}, {"currency": "RUB", "revenue": 1.0}]
    assert ask("average order value today") == [{"avg_order_value": 0.3333333333333333}]
    assert ask("top 5 products by revenue today") == [
        {"name": None, "category": None, "revenue": 1.0, "units": 3, "product_id": "PROD-NONE"}], "not in the catalog"


def test_the_first_moment_of_1970_is_not_now(live):
    headers = tenant(live)
    send(live, order(5605), headers=headers)
    for text in ("0", "1970-01-01", "1970-01-01T00:00:00Z"):
        get(live, f"/v1/entity/order/ORD-20260404-5605?as_of={text}", status=404, headers=headers)
        body = get(live, f"/v1/metrics/revenue?as_of={text}", headers=headers).json()
        assert body["value"] == 0 and body["meta"]["is_historical"] is True
        assert body["meta"]["as_of"] == "1970-01-01T00:00:00Z"


class Frames:
    """A stream read in a thread: (id, event) of each frame."""

    def __init__(self, service, headers, path="/v1/stream/events"):
        self.answer = requests.get(service.url + path, headers=headers, stream=True, timeout=30)
        self.frames = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        number = None
        try:
            for line in self.answer.iter_lines(decode_unicode=True, chunk_size=1):
                if line.startswith("id:"):
                    number = int(line[3:])
                if line.startswith("data:"):
                    self.frames.append((number, json.loads(line[5:])))
        except (requests.RequestException, OSError, ValueError):
            pass

    def wait_for(self, count):
        wait_for(lambda: len(self.frames) >= count)
        return self.frames

    def close(self):
        """From another thread than the one that reads: the socket goes, and the reader notices."""
        self.answer.raw._fp.fp.raw._sock.shutdown(socket.SHUT_RDWR)


def test_streams_tell_each_event_and_resume(live):
    send(live, order(5600))
    stream = Frames(live, SHOP, "/v1/stream/events?event_type=order&entity_id=ORD-20260404-5601")
    assert stream.answer.status_code == 200
    assert stream.answer.headers["Content-Type"].startswith("text/event-stream")
    for i in range(5):
        send(live, order(5601, kind="order.updated", seconds=5 - i))
        frames = stream.wait_for(i + 1)
    stream.close()
    numbers = [number for number, _ in frames]
    assert numbers == sorted(set(numbers)) and len(numbers) == 5
    again = Frames(live, {**SHOP, "Last-Event-ID": str(numbers[1])},
                   "/v1/stream/events?entity_id=ORD-20260404-5601")
    assert [number for number, _ in again.wait_for(3)] == numbers[2:]
    again.close()


def test_a_stream_begins_after_a_position_and_its_events_have_theirs(live):
    """Of what was sent, read or seen in the stream."""
    of = "/v1/stream/events?entity_id=ORD-20260404-5611"
    send(live, order(5611, kind="order.updated", seconds=9))
    where = send(live, order(5611, kind="order.updated", seconds=8))["position"]
    assert get(live, "/v1/entity/order/ORD-20260404-5611", headers=SHOP).json()["freshness"]["position"] == where
    for i in range(3):
        send(live, order(5611, kind="order.updated", seconds=5 - i))
    stream = Frames(live, SHOP, f"{of}&after={where}")
    assert stream.answer.status_code == 200
    frames = stream.wait_for(3)
    positions = [event["position"] for _, event in frames]
    assert [where, *positions] == sorted({where, *positions}), positions
    last = send(live, order(5611, kind="order.updated", seconds=1))["position"]
    assert stream.wait_for(4)[3][1]["position"] == last
    stream.close()
    rest = Frames(live, SHOP, f"{of}&after={positions[1]}")
    assert [event["position"] for _, event in rest.wait_for(2)] == [positions[2], last]
    rest.close()
    assert live.get(of + "&after=yesterday", headers=SHOP).status_code == 422
    lost = live.get(of + "&after=" + positions[0][:-1] + ("0" if positions[0][-1] != "0" else "1"), headers=SHOP)
    assert (lost.status_code, lost.json()["code"]) == (412, "position_unknown"), lost.text


def test_a_stream_that_has_missed_much_comes_back_for_the_rest(live):
    headers = tenant(live)
    for i in range(5):
        send(live, {"events": [click(session_id=f"SES-{i}-{n}") for n in range(50)]}, headers=headers)
    send(live, order(5640, seconds=0), headers=headers)
    at, frames = 0, []
    for _ in range(10):
        answer = live.get("/v1/stream/events?event_type=order", headers={**headers, "Last-Event-ID": str(at)}, stream=True,
                          checked=False)
        lines = []
        try:
            for line in answer.iter_lines(decode_unicode=True):
                lines.append(line)
                if line.startswith("data:"):
                    break
        finally:
            answer.close()
        frames.append(lines)
        ids = [int(line[4:]) for line in lines if line.startswith("id: ")]
        assert ids and ids[-1] > at, lines
        at = ids[-1]
        if lines[-1].startswith("data:"):
            break
    assert len(frames) == 3 and all(not any(line.startswith("data:") for line in lines) for lines in frames[:-1])
    assert json.loads(frames[-1][-1][5:])["entity_id"] == "ORD-20260404-5640"


class Receiver(BaseHTTPRequestHandler):
    got = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Receiver.got.append((dict(self.headers), body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def receiver():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook"
    server.shutdown()


def test_webhooks(live, receiver):
    Receiver.got.clear()
    hook = live.post("/v1/webhooks", {"url": receiver, "filters": {"event_types": ["order"], "min_amount": 20}},
                     headers=SHOP)
    assert hook.status_code == 201
    secret, number = hook.json()["secret"], hook.json()["id"]
    assert len(secret) == 43 and "secret" not in get(live, "/v1/webhooks").json()["webhooks"][0]
    result = live.post(f"/v1/webhooks/{number}/test", headers=SHOP).json()
    assert result["success"] and result["status_code"] == 200
    event = order(5700)
    send(live, event)
    path = f"/v1/webhooks/{number}/logs"
    wait_for(lambda: len(get(live, path).json()["logs"]) >= 3)  # an attempt is noted when it is over
    kinds = [headers["X-Live-Event"] for headers, _ in Receiver.got]
    assert kinds[0] == "webhook.test" and sorted(kinds[1:]) == ["order.created", "order.status.pending"]
    for headers, body in Receiver.got:
        expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        assert headers["X-Live-Signature"] == f"sha256={expected}"
        assert body == json.dumps(json.loads(body), sort_keys=True, separators=(",", ":")).encode()
    logs = get(live, path).json()["logs"]
    assert len(logs) == 3 and all(one["success"] for one in logs)
    assert live.send("DELETE", f"/v1/webhooks/{number}", headers=SHOP).status_code == 204
    assert live.send("DELETE", f"/v1/webhooks/{number}", headers=SHOP).status_code == 404


@pytest.mark.parametrize("url,status", [("http://10.0.0.1/", 400), ("http://localhost:1/", 400), ("ftp://x/", 422),
                                        ("nonsense", 422), ("http://no-such-host.invalid/", 400)])
def test_hostile_webhooks(live, url, status):
    answer = live.post("/v1/webhooks", {"url": url}, headers=SHOP)
    assert answer.status_code == status, answer.text
