"""A centre and its branches: an edge hands on what it applies, also after the centre was away."""

import json
import time
import uuid
from datetime import datetime, timezone

import pytest

from wait import wait_for
from service import ENGINES, Service

TOKEN = {"Authorization": "Bearer token-of-nodes"}
KEY = {"X-API-Key": "key-of-all"}
ADMIN = {"X-Admin-Key": "admin-key"}
COMMON = {"LIVE_API_KEYS": "key-of-all:all", "LIVE_ADMIN_KEY": "admin-key", "LIVE_RATE_LIMIT_RPM": "100000",
          "LIVE_NODE_TOKEN": "token-of-nodes", "LIVE_MAX_FAILED_AUTH_PER_IP_PER_HOUR": "6"}
BRANCHES = "/v1/node/branches"


@pytest.fixture(scope="module", params=ENGINES)
def center(request):
    with Service("livedata", {**COMMON, "LIVE_NODE_ROLE": "center", "LIVE_NODE_BRANCHES": "north,south",
                              "LIVE_NODE_LIVE_SECONDS": "3600"}, request.param) as service:
        yield service


@pytest.fixture(scope="module")
def edge(center):
    with Service("livedata", {**COMMON, "LIVE_NODE_ROLE": "edge", "LIVE_NODE_BRANCH": "north",
                              "LIVE_NODE_CENTER_URL": center.url, "LIVE_NODE_PUSH_SECONDS": "0.05",
                              "LIVE_NODE_PUSH_BATCH": "3"}, center.engine) as service:
        yield service


def order(number, **more):
    return {"event_id": str(uuid.uuid4()), "event_type": "order.created", "source": "shop", "status": "pending",
            "timestamp": datetime.now(timezone.utc).isoformat(), "order_id": f"ORD-20260404-{number}",
            "user_id": "USR-1", "total_amount": 5, "items": [{"product_id": "P", "quantity": 1, "unit_price": 5}],
            **more}


def push(center, body, status=200, headers=TOKEN):
    answer = center.send("POST", "/v1/node/events", json=body, headers=headers, checked=False)
    assert answer.status_code == status, answer.text
    return answer.json()


def branch(center, name, headers=KEY):
    answer = center.get(BRANCHES, headers=headers)
    assert answer.status_code == 200 and answer.json()["hint"], answer.text
    return next(one for one in answer.json()["branches"] if one["branch"] == name)


def found(service, number):
    return service.get(f"/v1/entity/order/ORD-20260404-{number}", headers=KEY).status_code == 200


def test_a_push_is_counted_stamped_and_told_apart_by_tenant(center):
    before = branch(center, "south")
    key = center.post("/v1/admin/keys", {"name": "k", "tenant": "acme", "allowed_entity_types": ["product"]},
                      headers=ADMIN).json()["key"]
    lying = order(1000, source_metadata={"branch": "north", "lane": 7})
    events = [lying, order(1001, tenant="acme"), order(1002, total_amount=7), order(1003), lying]
    assert push(center, {"origin_branch": "south", "events": events}) == \
        {"accepted": 5, "applied": 3, "dead_lettered": 1, "duplicates": 1}
    assert push(center, {"origin_branch": "south", "events": [lying]})["duplicates"] == 1
    after = branch(center, "south")
    assert after["live_delta"] == before["live_delta"] + 2 and after["baseline"] == before["baseline"]
    assert after["status"] == "live" and after["last_seen"]
    assert branch(center, "south", {"X-API-Key": key}) == \
        {"branch": "south", "baseline": 0, "live_delta": 0, "last_seen": None, "status": "waking"}
    rows = center.sql("SELECT tenant_id, branch, way_in FROM pipeline_events WHERE topic = 'events.validated'"
                      " AND entity_id IN ('ORD-20260404-1000', 'ORD-20260404-1001') ORDER BY entity_id")
    assert rows == [["default", "south", "node"], ["acme", "south", "node"]]
    letter = center.get(f"/v1/deadletter/{events[2]['event_id']}", headers=KEY).json()
    assert letter["payload"]["source_metadata"] == {"branch": "south"}
    center.sql("UPDATE node_branches SET day = day - 1 WHERE branch = 'south'")
    push(center, {"origin_branch": "south", "events": [order(1004)]})
    later = branch(center, "south")
    assert (later["baseline"], later["live_delta"]) == (after["baseline"] + after["live_delta"], 1)


@pytest.mark.parametrize("body", [
    [], None, "x", {"events": []}, {"origin_branch": "west", "events": []}, {"origin_branch": "south"},
    {"origin_branch": ["south"], "events": []}, {"origin_branch": "south", "events": {}},
    {"origin_branch": "south", "events": [1]}, {"origin_branch": "south", "events": [{}] * 501},
    {"origin_branch": "south", "events": [{"tenant": "no name"}]}])
def test_what_is_no_push(center, body):
    answer = push(center, body, 422)
    assert answer["detail"].startswith("Invalid batch: "), answer


def test_only_a_center_takes_events_and_only_with_the_token(center, edge):
    assert push(edge, {"origin_branch": "north", "events": []}, 404)["detail"] == "Not Found"
    assert edge.get(BRANCHES, headers=KEY, checked=False).status_code == 404
    body = {"origin_branch": "south", "events": [order(2000)]}
    for headers in ({}, {"Authorization": "token-of-nodes"}, {"Authorization": "Bearer "}, KEY):
        assert push(center, body, 401, headers)["detail"] == "Missing or malformed bearer token."
    assert push(center, body, 403, {"Authorization": "Bearer key-of-all"})["detail"] == "Invalid node token."
    assert center.get(BRANCHES, headers=TOKEN, checked=False).status_code == 401
    push(center, body, 429, {"Authorization": "Bearer other"})  # the seventh failure of this address
    assert not found(center, 2000)
    push(center, {"origin_branch": "south", "events": []})


def test_an_edge_hands_on_in_order_and_loses_nothing_while_the_center_is_away(center, edge):
    sent = [order(3000 + i) for i in range(4)] + [order(3000, status="shipped", event_type="order.updated")]
    assert edge.post("/v1/events", {"events": sent}, headers=KEY).json()["applied"] == 5
    wait_for(lambda: found(center, 3003) and not waiting(edge))
    assert center.get("/v1/entity/order/ORD-20260404-3000", headers=KEY).json()["status"] == "shipped"
    center.stack.stop()
    bad = order(3101, total_amount=9)
    assert edge.post("/v1/events", {"events": [order(3100), bad, order(3102)]}, headers=KEY).json()["applied"] == 2
    time.sleep(0.2)
    assert waiting(edge) == 2
    center.stack.run("start")
    wait_for(lambda: found(center, 3102))
    wait_for(lambda: not waiting(edge))
    rows = center.sql("SELECT branch, count(*) FROM pipeline_events WHERE topic = 'events.validated'"
                      " AND entity_id LIKE 'ORD-20260404-3%' GROUP BY branch")
    assert rows == [["north", "7"]] and not found(center, 3101)


def waiting(edge):
    return int(edge.sql("SELECT count(*) FROM node_outbox")[0][0])


def test_what_the_center_will_never_take_is_dropped_alone(center, edge):
    edge.sql("INSERT INTO node_outbox (payload, added_at) VALUES "
             + ", ".join(f"('{json.dumps(one)}', 1)" for one in (order(4000), {"tenant": "no name"}, order(4001))))
    wait_for(lambda: not waiting(edge))
    assert found(center, 4000) and found(center, 4001)


def test_an_edge_that_is_not_known_waits(center, edge):
    with Service("livedata", {**edge.env, "LIVE_NODE_BRANCH": "west", "LIVE_DATABASE_URL": ""}) as west:
        assert west.post("/v1/events", {"events": [order(5000), order(5001)]}, headers=KEY).json()["applied"] == 2
        wait_for(lambda: "center_unreachable" in west.stack.logs())
        assert waiting(west) == 2 and not found(center, 5000)
