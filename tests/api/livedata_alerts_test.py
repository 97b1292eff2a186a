"""Alerts of live data: made and changed over HTTP, watched and told by the worker; and what keys of
some types of entities get to hear: through alerts, streams, webhooks and dead letters."""

import hashlib
import hmac
import json
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import pytest
import requests

from wait import wait_for
from service import ENGINES, Service

SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_ADMIN_KEY": "admin-key", "LIVE_RATE_LIMIT_RPM": "100000",
            "LIVE_EGRESS_ALLOWED_HOSTS": "127.0.0.1", "LIVE_ALERT_SECONDS": "1", "LIVE_ALERT_EVENT_SECONDS": "0",
            "LIVE_ALERTS_MAX": "8", "LIVE_WEBHOOKS_MAX": "2", "LIVE_COMPAT_BRANDS": "Agent"}
ADMIN = {"X-Admin-Key": "admin-key"}


@pytest.fixture(scope="module", params=ENGINES)
def live(request):
    with Service("livedata", SETTINGS, request.param) as service:
        yield service


@pytest.fixture(scope="module")
def refused(live):
    """An alert whose first round of three attempts, which takes six seconds, is refused."""
    server, key = start_receiver(), new_key(live)
    server.refusing.add("/first")
    rule = make(live, key, server)
    send(live, key, order())
    yield server, key, rule
    server.shutdown()
    server.server_close()


class Receiver(BaseHTTPRequestHandler):
    """Takes what is sent, except on paths that refuse: with 404, which ends a round at once, or with 503."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        refuses = self.path in self.server.refusing
        self.server.got.append((self.path, self.headers["X-Live-Event"], dict(self.headers), body))
        self.send_response((404 if self.path == "/404" else 503) if refuses else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def start_receiver():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.got, server.refusing = [], set()
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    server.url = f"http://127.0.0.1:{server.server_port}"
    return server


@pytest.fixture
def receiver():
    server = start_receiver()
    yield server
    server.shutdown()
    server.server_close()


def new_key(live, **more):
    """A key of a tenant that nobody else has."""
    body = {"name": "t", "tenant": f"t{uuid.uuid4().hex[:8]}", "rate_limit_rpm": 100000, **more}
    return {"X-API-Key": live.post("/v1/admin/keys", body, headers=ADMIN).json()["key"]}


@pytest.fixture
def shop(live):
    return new_key(live)


def order(amount="100.00", status="pending", seconds=1, number=None, kind="order.created"):
    at = (datetime.now(timezone.utc) - timedelta(seconds=seconds)).isoformat()
    return {"event_id": str(uuid.uuid4()), "event_type": kind, "timestamp": at, "source": "shop",
            "order_id": f"ORD-20260404-{number or uuid.uuid4().int % 10**8 + 10**8}", "user_id": "USR-1", "status": status,
            "items": [{"product_id": "P", "quantity": 1, "unit_price": amount}], "total_amount": amount}


def send(live, key, event):
    answer = live.post("/v1/events", event, headers=key)
    assert answer.json()["applied"] == 1, answer.text


def make(live, key, receiver, status=201, **more):
    body = {"name": "Much revenue", "metric": "revenue", "window": "1h", "condition": "above", "threshold": 50,
            "webhook_url": f"{receiver.url}/first", **more}
    answer = live.post("/v1/alerts", body, headers=key)
    assert answer.status_code == status, answer.text
    return answer.json()


def alert(live, key, number):
    return next(one for one in live.get("/v1/alerts", headers=key).json()["alerts"] if one["id"] == number)


def test_a_rule_as_it_is_written_and_changed(live, shop, receiver):
    rule = make(live, shop, receiver, threshold=1e9, escalation=[
        {"level": 3, "after_minutes": 10, "webhook_url": f"{receiver.url}/third"},
        {"level": 2, "after_minutes": 5, "webhook_url": f"{receiver.url}/second"},
        {"level": 1, "after_minutes": 0, "webhook_url": f"{receiver.url}/other"}])
    assert len(rule["secret"]) == 43 and rule["cooldown_minutes"] == 30 and rule["active"] and rule["state"] == "ok"
    assert [(step["level"], step["after_minutes"], step["webhook_url"][-6:]) for step in rule["escalation"]] == \
        [(1, 0, "/first"), (2, 5, "second"), (3, 10, "/third")]
    assert rule["flap_detection"] == {"enabled": False, "window_minutes": 5, "max_changes": 3}
    listed = alert(live, shop, rule["id"])
    assert "secret" not in listed and listed["last_condition_triggered"] in (None, False)
    documented = live.get("/openapi.json").json()["components"]["schemas"]["Alert"]["properties"]
    assert set(listed) <= set(documented) and "at the last evaluation" in documented["last_condition_triggered"]["description"]
    path = f"/v1/alerts/{rule['id']}"
    changed = live.send("PUT", path, json={"threshold": 2e9, "active": False, "webhook_url": f"{receiver.url}/new"},
                        headers=shop).json()
    assert changed["threshold"] == 2e9 and changed["active"] is False and changed["name"] == rule["name"]
    assert [step["webhook_url"].rsplit("/")[-1] for step in changed["escalation"]] == ["new", "second", "third"]
    only = live.send("PUT", path, json={"escalation": [], "flap_detection": {"enabled": True}}, headers=shop).json()
    assert len(only["escalation"]) == 1 and only["flap_detection"]["enabled"] and not only["active"]
    assert live.send("DELETE", path, headers=shop).status_code == 204
    for method, where in (("PUT", path), ("DELETE", path), ("POST", f"{path}/test"), ("GET", f"{path}/history")):
        gone = live.send(method, where, headers=shop, **({"json": {}} if method == "PUT" else {}))
        assert (gone.status_code, gone.json()["detail"]) == (404, f"Alert '{rule['id']}' not found."), (method, where)


def test_an_alert_without_a_receiver_keeps_its_firings_in_the_history(live, shop, receiver):
    rule = make(live, shop, receiver, webhook_url="")
    assert rule["webhook_url"] == "" and rule["escalation"] == []
    assert live.post(f"/v1/alerts/{rule['id']}/test", headers=shop).status_code == 409
    send(live, shop, order(number=88000001))
    wait_for(lambda: alert(live, shop, rule["id"])["state"] == "firing")
    fired = alert(live, shop, rule["id"])
    [row] = live.get(f"/v1/alerts/{rule['id']}/history", headers=shop).json()["history"]
    assert (row["event_type"], row["success"], row["status_code"], row["error"]) == ("alert.triggered", True, None, None)
    assert (row["current_value"], row["alert_id"], row["alert_name"]) == (100.0, rule["id"], rule["name"])
    assert fired["last_triggered_at"][:19] == row["triggered_at"][:19]
    assert live.get("/v1/alerts/history", headers=shop).json()["history"] == [row]
    send(live, shop, order(number=88000001, seconds=0, status="cancelled", kind="order.cancelled"))
    wait_for(lambda: len(live.get("/v1/alerts/history", headers=shop).json()["history"]) == 2)
    assert live.get("/v1/alerts/history", headers=shop).json()["history"][0]["event_type"] == "alert.resolved"
    assert live.get("/v1/alerts/history", headers=new_key(live)).json()["history"] == [] and receiver.got == []


def test_a_receiver_is_added_and_taken_away(live, shop, receiver):
    rule = make(live, shop, receiver, threshold=1e9, escalation=[step(f"{receiver.url}/second")])
    path = f"/v1/alerts/{rule['id']}"
    without = live.send("PUT", path, json={"webhook_url": ""}, headers=shop).json()
    assert without["webhook_url"] == "" and without["escalation"] == []
    refused = live.send("PUT", path, json={"escalation": [step(f"{receiver.url}/second")]}, headers=shop)
    assert refused.status_code == 422 and refused.json()["detail"][0]["loc"] == ["body", "escalation"]
    again = live.send("PUT", path, json={"webhook_url": f"{receiver.url}/first"}, headers=shop).json()
    assert [one["level"] for one in again["escalation"]] == [1]


def test_an_alert_is_tried_before_it_exists(live, shop, receiver):
    body = {"name": "n", "metric": "revenue", "window": "1h", "condition": "above", "threshold": 50}
    nothing = live.post("/v1/alerts/preview", body, headers=shop).json()
    assert (nothing["triggered"], nothing["current_value"], nothing["unit"]) == (None, None, "RUB")
    send(live, shop, order())
    above = live.post("/v1/alerts/preview", body, headers=shop).json()
    assert (above["triggered"], above["current_value"]) == (True, 100.0)
    below = live.post("/v1/alerts/preview", {**body, "condition": "below"}, headers=shop).json()
    assert (below["triggered"], below["current_value"]) == (False, 100.0)
    assert live.post("/v1/alerts/preview", {**body, "metric": "nothing"}, headers=shop).status_code == 404
    assert live.post("/v1/alerts/test", body, headers=shop).status_code == 409
    result = live.post("/v1/alerts/test", {**body, "webhook_url": f"{receiver.url}/first"}, headers=shop).json()
    assert (result["success"], result["event_type"]) == (True, "alert.test")
    [(path, kind, headers, sent)] = receiver.got
    assert (path, kind, json.loads(sent)["test"]) == ("/first", "alert.test", True)
    private = live.post("/v1/alerts/test", {**body, "webhook_url": "http://10.0.0.1/"}, headers=shop)
    assert private.status_code == 400
    assert live.get("/v1/alerts", headers=shop).json()["alerts"] == []
    assert live.get("/v1/alerts/history", headers=shop).json()["history"] == []


def test_all_receivers_of_one_level_are_told(live, shop, receiver):
    rule = make(live, shop, receiver, escalation=[
        {"level": 1, "after_minutes": 5, "webhook_url": f"{receiver.url}/also"},
        {"level": 2, "after_minutes": 0, "webhook_url": f"{receiver.url}/second"},
        {"level": 2, "after_minutes": 0, "webhook_url": f"{receiver.url}/other"}])
    send(live, shop, order())
    wait_for(lambda: alert(live, shop, rule["id"])["last_escalation_level"] == 2)
    assert sorted(told[:2] for told in receiver.got) == [
        ("/also", "alert.triggered"), ("/first", "alert.triggered"),
        ("/other", "alert.escalated"), ("/second", "alert.escalated")]


def test_clients_that_change_a_rule_at_once_keep_what_the_others_changed(live, shop, receiver):
    path = f"/v1/alerts/{make(live, shop, receiver, threshold=1e9)['id']}"
    with ThreadPoolExecutor(3) as clients:
        for i in range(40):
            changes = [{"name": f"n{i}"}, {"threshold": 1e9 + i}, {"cooldown_minutes": i}]
            for answer in clients.map(lambda change: requests.put(live.url + path, json=change, headers=shop), changes):
                assert answer.status_code == 200, answer.text
            [rule] = live.get("/v1/alerts", headers=shop).json()["alerts"]
            assert (rule["name"], rule["threshold"], rule["cooldown_minutes"]) == (f"n{i}", 1e9 + i, i)


def test_clients_that_write_at_once_do_not_get_past_the_most_of_a_tenant(live, receiver):
    rule = {"name": "n", "metric": "revenue", "condition": "above", "threshold": 1, "webhook_url": receiver.url}
    for path, body, most in (("/v1/alerts", rule, 8), ("/v1/webhooks", {"url": receiver.url}, 2)):
        for _ in range(5):
            key = new_key(live)
            with ThreadPoolExecutor(6) as clients:
                sent = [clients.submit(requests.post, live.url + path, json=body, headers=key) for _ in range(12)]
            assert sorted(one.result().status_code for one in sent) == [201] * most + [409] * (12 - most), path


def step(url):
    return {"level": 2, "after_minutes": 1, "webhook_url": url}


@pytest.mark.parametrize("change,status,where", [
    ({"metric": "nothing"}, 404, "Unknown metric: nothing"), ({"window": "2h"}, 422, "Unsupported window '2h'"),
    ({"webhook_url": "ftp://x/"}, 422, "webhook_url"), ({"webhook_url": "http://10.0.0.1/"}, 400, "Unsafe webhook URL"),
    ({"name": ""}, 422, "name"), ({"name": "x" * 201}, 422, "name"), ({"condition": "equals"}, 422, "condition"),
    ({"threshold": None}, 422, "threshold"), ({"threshold": "NaN"}, 422, "threshold"),
    ({"cooldown_minutes": 1441}, 422, "cooldown_minutes"), ({"cooldown_minutes": -1}, 422, "cooldown_minutes"),
    ({"escalation": [{"level": 0, "after_minutes": 1, "webhook_url": "http://127.0.0.1/"}]}, 422, "level"),
    ({"escalation": [step("http://127.0.0.1:1/"), step("nonsense")]}, 422, '["body", "escalation", 1, "webhook_url"]'),
    ({"escalation": [step("http://127.0.0.1:1/"), step("http://10.0.0.1/")]}, 400, "in escalation.1.webhook_url"),
    ({"flap_detection": {"max_changes": 0}}, 422, "max_changes")])
def test_what_is_no_rule(live, shop, receiver, change, status, where):
    assert where in json.dumps(make(live, shop, receiver, status, **change)["detail"])
    assert live.get("/v1/alerts", headers=shop).json()["alerts"] == []


def test_an_alert_begins_goes_on_and_ends(live, refused, shop, receiver):
    rule = make(live, shop, receiver, cooldown_minutes=0)
    result = live.post(f"/v1/alerts/{rule['id']}/test", headers=shop).json()
    assert result["success"] and result["event_type"] == "alert.test"
    path, kind, headers, body = receiver.got.pop()
    assert kind == "alert.test" and json.loads(body)["test"] is True and path == "/first"
    assert set(json.loads(body)) == {"alert_id", "alert_name", "condition", "metric", "tenant", "test", "threshold",
                                     "triggered_at", "window"}
    time.sleep(0.3)
    assert receiver.got == [] and alert(live, shop, rule["id"])["state"] in ("ok", "no_data")
    send(live, shop, order(number=77000001))
    wait_for(lambda: receiver.got)
    wait_for(lambda: alert(live, shop, rule["id"])["state"] == "firing")
    path, kind, headers, body = receiver.got[0]
    notice = json.loads(body)
    assert kind == "alert.triggered" and headers["X-Live-Signature"] == \
        "sha256=" + hmac.new(rule["secret"].encode(), body, hashlib.sha256).hexdigest()
    assert body == json.dumps(notice, sort_keys=True, separators=(",", ":")).encode()
    assert notice["status"] == "firing" and notice["current_value"] == 100 and notice["threshold"] == 50
    assert notice["level"] == 1 and notice["window"] == "1h" and notice["alert_id"] == rule["id"]
    wait_for(lambda: "alert.sustained" in [kind for _, kind, _, _ in receiver.got])
    send(live, shop, order(number=77000001, status="cancelled", kind="order.cancelled", seconds=0))
    wait_for(lambda: receiver.got[-1][1] == "alert.resolved")
    resolved = json.loads(receiver.got[-1][3])
    assert resolved["resolved_value"] == 0 and resolved["resolved_at"] and resolved["fired_at"]
    wait_for(lambda: alert(live, shop, rule["id"])["state"] == "ok")
    kinds = [kind for _, kind, _, _ in receiver.got]
    assert kinds.count("alert.triggered") == 1 and kinds.count("alert.resolved") == 1
    history = live.get(f"/v1/alerts/{rule['id']}/history", headers=shop).json()["history"]
    assert [row["event_type"] for row in history][::-1] == ["alert.test"] + kinds
    assert all(row["success"] and row["status_code"] == 200 and row["payload"]["alert_id"] == rule["id"] for row in history)
    assert history[0]["current_value"] == 0 and history[0]["metric"] == "revenue" and history[0]["error"] is None
    assert live.get(f"/v1/alerts/{rule['id']}", headers=shop).status_code == 405


def exceptions(live, key):
    return live.get("/v1/ops/exceptions", headers=key).json()["items"]


@pytest.mark.parametrize("over", [False, True])
def test_a_notice_that_nobody_took_says_so_and_is_sent_when_the_receiver_is_back(live, shop, receiver, over):
    """Also as resolved, where it is over by then; the other receiver of the level is told once."""
    receiver.refusing.add("/404")
    rule = make(live, shop, receiver, webhook_url=f"{receiver.url}/404", escalation=[
        {"level": 1, "after_minutes": 0, "webhook_url": f"{receiver.url}/ignored"},
        {"level": 1, "after_minutes": 60, "webhook_url": f"{receiver.url}/also"}])
    number = 77000010 + over
    send(live, shop, order(number=number))
    wait_for(lambda: alert(live, shop, rule["id"])["undelivered"])
    first = alert(live, shop, rule["id"])["undelivered"]
    assert (first["event_type"], first["error"]) == ("alert.triggered", "HTTP 404")
    [item] = exceptions(live, shop)
    assert (item["item_id"], item["source"], item["severity"], item["status"], item["detail"]) == \
        (f"al:{rule['id']}", "alert_delivery", "high", "open", "HTTP 404")
    assert item["entity_ref"] == {"kind": "alert", "id": rule["id"]} and item["occurred_at"] == first["since"]
    wait_for(lambda: [told[0] for told in receiver.got].count("/404") > 2)
    assert alert(live, shop, rule["id"])["undelivered"]["since"] == first["since"]
    if over:
        send(live, shop, order(number=number, status="cancelled", kind="order.cancelled", seconds=0))
        wait_for(lambda: (alert(live, shop, rule["id"])["undelivered"] or {}).get("event_type") == "alert.resolved")
    before = len(receiver.got)
    receiver.refusing.clear()
    wait_for(lambda: not alert(live, shop, rule["id"])["undelivered"])
    last = [told for told in receiver.got[before:] if told[0] == "/404"][-1]
    assert last[1] == ("alert.resolved" if over else "alert.triggered")
    assert json.loads(last[3])["fired_at"] == first["since"]
    assert [told[1] for told in receiver.got if told[0] == "/also"] == ["alert.triggered"] + ["alert.resolved"] * over
    assert exceptions(live, shop) == []
    state = alert(live, shop, rule["id"])
    assert state["fired_at"] == (None if over else first["since"]) and bool(state["resolved_at"]) == over


def test_an_alert_without_data_does_not_fire(live, shop, receiver):
    """Neither on a ratio of nothing nor on a sum of events that never came; it waits, and goes on with the first event."""
    ratio = make(live, shop, receiver, metric="avg_order_value", condition="below", threshold=500)
    never = make(live, shop, receiver, metric="revenue", condition="below", threshold=500)
    change = make(live, shop, receiver, metric="avg_order_value", condition="change_pct", threshold=-10)
    for rule in (ratio, never, change):
        wait_for(lambda rule=rule: alert(live, shop, rule["id"])["state"] == "no_data")
    assert receiver.got == [] and exceptions(live, shop) == []
    send(live, shop, order(number=77000012))
    for rule in (ratio, never):
        wait_for(lambda rule=rule: alert(live, shop, rule["id"])["state"] == "firing")
    send(live, shop, order(number=77000012, status="cancelled", kind="order.cancelled", seconds=0))
    wait_for(lambda: alert(live, shop, ratio["id"])["state"] == "no_data")
    assert alert(live, shop, ratio["id"])["fired_at"], "it is not over either"
    assert alert(live, shop, never["id"])["state"] in ("firing", "sustained"), "no revenue of a shop that sells is a value"
    assert alert(live, shop, change["id"])["state"] == "no_data"


def test_an_event_has_its_rule_looked_at(live, shop, receiver):
    """By the clock alone two looks would be LIVE_ALERT_SECONDS apart."""
    rule, looks = make(live, shop, receiver, threshold=1e9), []

    def came_early():
        send(live, shop, order())
        looks.extend(int(at) for [at] in live.sql(f"SELECT evaluated_at FROM alert_rules WHERE id = '{rule['id']}'"))
        return any(0 < later - look < 900_000 for look, later in zip(looks, looks[1:]))
    wait_for(came_early, told=lambda: str(looks))


def test_all_who_were_told_hear_of_the_end(live, shop, receiver):
    rule = make(live, shop, receiver, escalation=[
        {"level": 2, "after_minutes": 0, "webhook_url": f"{receiver.url}/second"},
        {"level": 3, "after_minutes": 60, "webhook_url": f"{receiver.url}/third"}])
    send(live, shop, order(number=77000002))
    wait_for(lambda: alert(live, shop, rule["id"])["state"] == "sustained")
    assert [(path, kind) for path, kind, _, _ in receiver.got] == \
        [("/first", "alert.triggered"), ("/second", "alert.escalated")]
    assert alert(live, shop, rule["id"])["last_escalation_level"] == 2
    send(live, shop, order(number=77000002, status="cancelled", kind="order.cancelled", seconds=0))
    wait_for(lambda: alert(live, shop, rule["id"])["state"] in ("resolved", "ok"))
    assert sorted((path, kind) for path, kind, _, _ in receiver.got[2:]) == \
        [("/first", "alert.resolved"), ("/second", "alert.resolved")]


def test_a_flapping_rule_is_silent(live, shop, receiver):
    rule = make(live, shop, receiver, flap_detection={"enabled": True, "max_changes": 2, "window_minutes": 1})
    number = 77000003
    for i in range(3):
        cancelled = i % 2 == 1
        send(live, shop, order(number=number + i // 2, status="cancelled" if cancelled else "pending",
                               kind="order.cancelled" if cancelled else "order.created", seconds=0))
        wait_for(lambda i=i: len(alert(live, shop, rule["id"])["state_changes"]) == i + 1)
        if i < 2:
            wait_for(lambda i=i: alert(live, shop, rule["id"])["state"] == ("firing", "ok")[i])
    wait_for(lambda: alert(live, shop, rule["id"])["state"] == "suppressed")
    told = len(receiver.got)
    time.sleep(1.5)
    assert len(receiver.got) == told == 2


def test_a_rule_that_is_off_and_one_of_another_tenant(live, shop, receiver):
    rule = make(live, shop, receiver)
    live.send("PUT", f"/v1/alerts/{rule['id']}", json={"active": False}, headers=shop)
    send(live, {"X-API-Key": "key-of-shop"}, order())
    send(live, shop, order())
    time.sleep(1.2)
    assert receiver.got == []
    assert live.get("/v1/alerts", headers={"X-API-Key": "key-of-shop"}).json()["alerts"] == []
    assert live.get(f"/v1/alerts/{rule['id']}/history", headers={"X-API-Key": "key-of-shop"}).status_code == 404
    live.send("PUT", f"/v1/alerts/{rule['id']}", json={"active": True}, headers=shop)
    wait_for(lambda: receiver.got)


def test_a_change_that_always_comes_too_late_ends(live, shop, receiver):
    """As if somebody else changed the rule between each look at it and each attempt to change it."""
    rule = make(live, shop, receiver)
    late = "BEFORE UPDATE OF threshold ON alert_rules FOR EACH ROW"
    if "LIVE_DATABASE_URL" in live.env:
        live.sql("CREATE FUNCTION too_late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
                 f"CREATE TRIGGER too_late {late} EXECUTE FUNCTION too_late()")
    else:
        live.sql(f"CREATE TRIGGER too_late {late} BEGIN SELECT RAISE(IGNORE); END")
    try:
        answer = live.send("PUT", f"/v1/alerts/{rule['id']}", json={"threshold": 7}, headers=shop)
    finally:
        live.sql("DROP FUNCTION too_late CASCADE" if "LIVE_DATABASE_URL" in live.env else "DROP TRIGGER too_late")
    assert answer.status_code == 409 and rule["id"] in answer.json()["detail"] and "try again" in answer.json()["detail"]
    assert alert(live, shop, rule["id"])["threshold"] == rule["threshold"]
    changed = live.send("PUT", f"/v1/alerts/{rule['id']}", json={"threshold": 7}, headers=shop).json()
    assert changed["threshold"] == 7


def test_no_more_than_the_setting_allows(live, shop, receiver):
    for _ in range(8):
        make(live, shop, receiver, threshold=1e9)
    assert "8 alerts" in make(live, shop, receiver, 409)["detail"]


def test_what_a_receiver_refuses_is_said_again(live, refused):
    server, key, rule = refused
    rows = lambda: live.get(f"/v1/alerts/{rule['id']}/history", headers=key).json()["history"]  # noqa: E731
    wait_for(rows)
    assert alert(live, key, rule["id"])["fired_at"] is None, "nobody has taken it yet"
    assert len({headers["X-Live-Delivery"] for _, _, headers, _ in server.got[:3]}) == 1, "a round is three attempts"
    server.refusing.clear()
    wait_for(lambda: alert(live, key, rule["id"])["state"] == "firing")
    assert rows()[0]["success"] and not rows()[-1]["success"] and rows()[-1]["error"] == "HTTP 503"


def click():
    return {"event_id": str(uuid.uuid4()), "event_type": "click", "timestamp": datetime.now(timezone.utc).isoformat(),
            "source": "web", "session_id": "SES-1", "page_url": "/", "user_agent": "test"}


@pytest.fixture
def keys(live):
    """Of one tenant: one that sees all, one that sees orders."""
    tenant = f"t{uuid.uuid4().hex[:8]}"
    return new_key(live, tenant=tenant), new_key(live, tenant=tenant, allowed_entity_types=["order"])


def events_of(live, key, **headers):
    """The types of what a stream sends, as they come."""
    with requests.get(f"{live.url}/v1/stream/events", headers={**key, **headers}, stream=True, timeout=60) as answer:
        for line in answer.iter_lines(chunk_size=1):
            if line.startswith(b"data:"):
                yield json.loads(line[5:])["event_type"]


def test_streams_send_what_the_key_may_see(live, keys):
    whole, orders = keys
    for event in (order(), click(), order(), click(), order()):
        send(live, whole, event)
    assert list(islice(events_of(live, whole), 5)) == ["order.created", "click"] * 2 + ["order.created"]
    assert list(islice(events_of(live, orders, **{"Last-Event-ID": "0"}), 3)) == ["order.created"] * 3
    told = events_of(live, orders)
    assert list(islice(told, 3)) == ["order.created"] * 3
    send(live, whole, click())
    send(live, whole, order())
    assert next(told) == "order.created"
    told.close()


def test_webhooks_hear_what_their_key_may_see(live, keys, receiver):
    whole, orders = keys
    hooks = {path: live.post("/v1/webhooks", {"url": f"{receiver.url}{path}"}, headers=key).json()
             for path, key in (("/whole", whole), ("/orders", orders))}
    refused = live.post("/v1/webhooks", {"url": f"{receiver.url}/third"}, headers=whole)
    assert refused.status_code == 409 and "2 webhooks" in refused.json()["detail"]
    assert [hook["id"] for hook in live.get("/v1/webhooks", headers=orders).json()["webhooks"]] == [hooks["/orders"]["id"]]
    assert len(live.get("/v1/webhooks", headers=whole).json()["webhooks"]) == 2
    send(live, whole, click())
    send(live, whole, order())
    wait_for(lambda: len(receiver.got) == 5)
    kinds = {path: sorted(kind for at, kind, _, _ in receiver.got if at == path) for path in hooks}
    assert kinds == {"/whole": ["click", "order.created", "order.status.pending"],
                     "/orders": ["order.created", "order.status.pending"]}
    foreign = f"/v1/webhooks/{hooks['/whole']['id']}"
    for method, path in (("GET", f"{foreign}/logs"), ("POST", f"{foreign}/test"), ("DELETE", foreign)):
        assert live.send(method, path, headers=orders).status_code == 404


def test_deliveries_that_nobody_took_wait_for_somebody(live, keys, receiver):
    whole, orders = keys
    receiver.refusing.add("/no")
    hook = live.post("/v1/webhooks", {"url": f"{receiver.url}/no"}, headers=whole).json()["id"]
    send(live, whole, order())
    wait_for(lambda: receiver.got)
    assert live.get("/v1/ops/exceptions", headers=whole).json()["items"] == []
    live.send("DELETE", f"/v1/webhooks/{hook}", headers=whole)
    listed = lambda query="": live.get(f"/v1/ops/exceptions{query}", headers=whole).json()["items"]  # noqa: E731
    item = listed("?source=webhook_delivery")[0]
    assert len(listed()) == 2 and item["severity"] == "medium" and item["status"] == "open"
    assert item["entity_ref"] == {"kind": "webhook", "id": hook} and item["detail"] == "webhook inactive or removed"
    assert [action["action"] for action in item["actions"]] == ["acknowledge", "resolve"]
    assert live.get("/v1/ops/exceptions", headers=orders).json()["items"] == [], "it hears of more than the key may see"
    hrefs = {action["action"]: action["href"] for action in item["actions"]}
    assert live.post(hrefs["resolve"], headers=orders).status_code == 403
    said = live.post(hrefs["acknowledge"], {"note": "asked them"}, headers=whole).json()
    assert said == {"item_id": item["item_id"], "status": "acknowledged"}
    assert [one["item_id"] for one in listed("?status=acknowledged")] == [item["item_id"]]
    assert live.post(hrefs["resolve"], headers=whole).json()["status"] == "resolved"
    assert len(listed()) == 1 and listed("?status=resolved")[0]["actions"] == []
    assert live.post(hrefs["acknowledge"], headers=whole).status_code == 409
    assert live.get("/v1/ops/exceptions/stats", headers=whole).json()["manual_resolutions"] == 1


def test_deliveries_are_tried_for_a_day_and_then_by_hand(live, keys, receiver):
    """The rounds after the first are made due at once; as many have failed as fit into 24 hours."""
    whole, _ = keys
    receiver.refusing.add("/404")
    hook = live.post("/v1/webhooks", {"url": f"{receiver.url}/404", "filters": {"event_types": ["click"]}},
                     headers=whole).json()["id"]
    event = click()
    send(live, whole, event)
    state = lambda: live.sql(f"SELECT state, failures FROM jobs WHERE lane = '{hook}'")  # noqa: E731
    for failures, then in ((1, "waiting"), (28, "waiting"), (29, "dead")):
        live.sql(f"UPDATE jobs SET failures = {failures - 1}, due_at = 0 WHERE lane = '{hook}'")
        wait_for(lambda: [tuple(map(str, row)) for row in state()] == [(then, str(failures))], told=lambda: str(state()))
    [item] = live.get("/v1/ops/exceptions", headers=whole).json()["items"]
    assert (item["source"], item["detail"]) == ("webhook_delivery", "HTTP 404")
    href = {action["action"]: action["href"] for action in item["actions"]}["resend"]
    told, rounds = len(receiver.got), len(live.get(f"/v1/webhooks/{hook}/logs", headers=whole).json()["logs"])
    receiver.refusing.clear()
    assert live.post(href, headers=whole).json() == {"webhook_id": hook, "event_id": event["event_id"], "status": "pending"}
    wait_for(lambda: live.get("/v1/ops/exceptions", headers=whole).json()["items"] == [] and len(receiver.got) > told)
    logs = wait_for(lambda: live.get(f"/v1/webhooks/{hook}/logs", headers=whole).json()["logs"][:-rounds])
    assert [row["success"] for row in logs] == [True], "its round stands in the history too"
    again = live.post(href, headers=whole)
    assert (again.status_code, again.json()["code"]) == (409, "delivery_not_failed")
    unknown = live.post(href.replace(event["event_id"], "none"), headers=whole)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "delivery_not_found")


def test_headers_stand_under_the_names_of_other_brands_too(live, keys, receiver):
    whole, _ = keys
    hook = live.post("/v1/webhooks", {"url": f"{receiver.url}/named"}, headers=whole).json()
    live.post(f"/v1/webhooks/{hook['id']}/test", headers=whole)
    rule = make(live, whole, receiver)
    live.post(f"/v1/alerts/{rule['id']}/test", headers=whole)
    assert len(receiver.got) == 2
    for _, _, headers, _ in receiver.got:
        for name in ("Event", "Signature", "Delivery"):
            assert headers[f"X-Live-{name}"] == headers[f"X-Agent-{name}"], headers


def test_dead_letters_and_alerts_of_what_the_key_may_see(live, keys, receiver):
    whole, orders = keys
    bad = {"order": {**order(), "total_amount": "1.00"}, "session": {**click(), "session_id": ""},
           "none": {**click(), "event_type": "nothing"}}
    for event in bad.values():
        assert live.post("/v1/events", event, headers=whole).json()["dead_lettered"] == 1
    seen = {key: [one["event_id"] for one in live.get("/v1/deadletter", headers=headers).json()["items"]]
            for key, headers in (("whole", whole), ("orders", orders))}
    assert len(seen["whole"]) == 3 and seen["orders"] == [bad["order"]["event_id"]]
    assert live.get("/v1/deadletter", headers=orders).json()["pagination"]["total"] == 1
    assert live.get("/v1/deadletter/stats", headers=orders).json()["last_24h"] == 1
    assert live.get("/v1/deadletter/stats", headers=orders).json()["counts"] == {"semantic_validation": 1}
    for name, status in (("order", 200), ("session", 404), ("none", 404)):
        assert live.get(f"/v1/deadletter/{bad[name]['event_id']}", headers=orders).status_code == status
        replay = live.post(f"/v1/deadletter/{bad[name]['event_id']}/replay", headers=orders)
        assert (replay.status_code, replay.json()["detail"]) == \
            (403, "This API key has read-only access to dead-letter operations.")
    hidden = make(live, whole, receiver, metric="conversion_rate")
    own = make(live, orders, receiver)
    assert [one["id"] for one in live.get("/v1/alerts", headers=orders).json()["alerts"]] == [own["id"]]
    assert "cannot access metric 'conversion_rate'" in make(live, orders, receiver, 403, metric="conversion_rate")["detail"]
    assert live.send("DELETE", f"/v1/alerts/{hidden['id']}", headers=orders).status_code == 404
    changed = live.send("PUT", f"/v1/alerts/{own['id']}", json={"metric": "error_rate"}, headers=orders)
    assert changed.status_code == 403


def test_a_preview_says_what_the_last_week_would_have_done(live):
    """Windows from the first with data on: 120, 0, 80, 130 and 10 an hour are twice above 100."""
    shop = new_key(live)
    for hours, total in ((4.5, 120), (2.5, 80), (1.5, 130), (0.5, 10)):
        at = (datetime.now(timezone.utc) - timedelta(hours=hours)).isoformat()
        send(live, shop, {**order(), "timestamp": at, "total_amount": str(total),
                          "items": [{"product_id": "PROD-1", "quantity": 1, "unit_price": str(total)}]})
    body = {"name": "n", "metric": "revenue", "window": "1h", "condition": "above", "threshold": 100}
    week = live.post("/v1/alerts/preview", body, headers=shop).json()["last_week"]
    assert [(point["value"], point["triggered"]) for point in week["points"]] == [
        (120.0, True), (0.0, False), (80.0, False), (130.0, True), (10.0, False)]
    assert (week["checks"], week["fired"]) == (5, 2)
    below = live.post("/v1/alerts/preview", {**body, "condition": "below", "threshold": 90}, headers=shop).json()
    assert [point["triggered"] for point in below["last_week"]["points"]] == [False, True, True, False, True]
    assert below["last_week"]["fired"] == 2
    mean = live.post("/v1/alerts/preview", {**body, "metric": "avg_order_value", "condition": "below"}, headers=shop).json()
    assert [point["value"] for point in mean["last_week"]["points"]] == [120.0, None, 80.0, 130.0, 10.0]
    change = live.post("/v1/alerts/preview", {**body, "condition": "change_pct", "threshold": 60}, headers=shop).json()
    assert [point["triggered"] for point in change["last_week"]["points"]] == [False, False, True, True, False]
