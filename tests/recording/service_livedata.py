"""Live data on its demonstration store: events, questions, dead letters, alerts, webhooks, keys."""

import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from clock import ago
from normalise import SORTED
from plan import Plan

SHOP, OPS, ADMIN = {"X-API-Key": "key-of-shop"}, {"Authorization": "Bearer key-of-support"}, {"X-Admin-Key": "admin-key"}
SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop,key-of-support:support", "LIVE_ADMIN_KEY": "admin-key", "LIVE_SEED_ON_BOOT": "true",
            "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_MAX_FAILED_AUTH_PER_IP_PER_HOUR": "100000",
            "LIVE_EGRESS_ALLOWED_HOSTS": "127.0.0.1", "LIVE_HEALTH_CACHE_TTL_SECONDS": "0", "LIVE_ALERTS_MAX": "20", "LIVE_ALERT_SECONDS": "1", "FRESHNESS_SLA_SECONDS": "86400"}
NUMBER = "<number>"
RULES = [
    (".*", r".*\.(\w*age_seconds|last_event_at|\w*freshness_seconds|\w*latency_ms|in_stage_seconds|overshoot_ratio|\w*duration_ms"
           r"|execution_time_ms|qps)", NUMBER),
    ("GET /v1/metrics/.*|POST /v1/batch", r".*\.meta\.stale", "<boolean>"),
    (".*", r".*\.(next_cursor|secret)", "<text>"),
    ("GET /v1/admin/.*", r".*\.key_id", lambda text: re.sub(r"-[0-9a-f]{8}$", "-<hex8>", text)),
    ("POST /v1/query/explain", r"\.warning", "<by the statistics of the planner, which are made in the background>"),
    ("POST /v1/admin/keys.*", r"\.(key|new_key|key_id)", "<text>"),
    ("GET /v1/slo", r"\.slos\[\]\.(valid|good|current|burn_rates\.\w+)", NUMBER),
    ("GET /v1/admin/(keys|usage|summary)", r"\.(keys|usage|tenants)", SORTED),
    ("GET /v1/admin/(keys|usage)", r".*\.requests_last_24h", NUMBER),
    ("GET /v1/admin/analytics/.*", r"\.(endpoints|tenants|queries|entities|anomalies)", SORTED),
    ("GET /v1/admin/analytics/top-queries", r"\.queries\[\]\.query", "<one of the first>"),
    ("GET /v1/admin/analytics/.*", r".*\.(requests|total_requests|error_rate|cache_hit_rate|p\d\d_ms|count)", NUMBER),
    ("GET .*/(health|ready|summary)", r".*\.message", lambda text: re.sub(r"\d+\.\d s ago", "<seconds> s ago", text)),
    ("GET /admin/partials/summary", r"\[\]", lambda line: re.sub(r"(>|applied )\d+(\.\d+)?(?=<| s ago)", r"\1<number>", line)),
]
HEADERS = [("x-live-freshness-seconds|x-live-event-age-seconds|x-ratelimit-remaining", NUMBER), ("x-cache", "<hit or miss>")]
QUESTIONS = [
    "top 5 products", "top 3 customers", "revenue today", "revenue yesterday", "total revenue last 3 hours", "revenue of all time",
    "revenue in EUR today", "revenue today by currency", "revenue by status this month", "revenue per customer today",
    "revenue by product today", "sales per category this week", "revenue of delivered orders", "AOV last 2 days",
    "how many orders today", "how many orders were not delivered", "all orders by status", "how many orders over 10,000",
    "largest order of all time", "cheapest product", "which products are not in stock", "how many customers do we have",
    "show all orders", "conversion rate last 2 days", "active sessions", "what is the error rate today", "list pending orders",
    "products by category", "revenue on Monday", "revenue in October", "how much did USR-10003 spend this month",
    "order ORD-20260404-1001", "What is the meaning of life?", "revenue in Berlin", "revenue tomorrow", "revenue by day",
    "revenue last 5'; DROP TABLE orders_v2 -- minutes", "top 2 or 3 products", "active sessions yesterday", "show me the", "ab",
    "why is revenue down", "выручка за сегодня", "x" * 1001]
METRICS = ("revenue", "order_count", "avg_order_value", "conversion_rate", "active_sessions", "error_rate")


class Receiver(BaseHTTPRequestHandler):
    """Of webhooks: 200 to all but /404."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(404 if self.path == "/404" else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@contextmanager
def surroundings():
    """The settings, and the servers that they name."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Receiver.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield SETTINGS
    finally:
        server.shutdown()
        server.server_close()


def number_of(kind, number):
    return f"00000000-0000-1000-8000-{kind:04d}{number:08d}"


def order(number, status="pending", seconds=5, total="31.50", kind="order.created", event=None, **more):
    return {"event_id": number_of(1, event or number), "event_type": kind, "timestamp": ago(seconds), "source": "shop",
            "order_id": f"ORD-20260404-{number}", "user_id": "USR-1", "status": status,
            "items": [{"product_id": "PROD-1", "quantity": 3, "unit_price": "10.50"}], "total_amount": total, **more}


def change(operation, number, seconds=5, **after):
    return {"event_id": number_of(2, number), "event_type": f"product.{operation}", "timestamp": ago(seconds), "source": "cdc",
            "product_id": f"PROD-9{number}", "name": "Kettle", "category": "kitchen", "price": "10.00", "in_stock": True, **after}


def events(recorder):
    recorder.step = "events"
    batches = [
        order(5001), order(5001), order(5002, currency="EUR"), order(5003, seconds=3600), order(5001, "confirmed", 1, kind="order.updated", event=5101),
        order(5004, total="1.00"), order(5005, "lost"), order(5006, event_type="order.exploded"), order(5007, timestamp="yesterday"),
        {**order(5008), "items": []}, {**order(5009), "order_id": "x"}, change("updated", 1), change("created", 2), change("deleted", 1),
        {"event_id": number_of(3, 1), "event_type": "click", "timestamp": ago(9), "source": "web", "session_id": "SES-1", "user_id": "USR-1", "page": "/"},
        {"events": [order(5010), order(5011, total="2.00"), order(5012, "shipped"), change("updated", 3), {"event_id": "x"}, 5]},
        {"events": []}, [order(5013), order(5014)], [], {"event_id": number_of(4, 1)}, order(5015, items="none"), {**order(5016), "event_id": "x"},
        {"op": "c", "before": None, "after": {"product_id": "PROD-77", "name": "Pan", "category": "kitchen", "price": 5, "in_stock": True},
         "source": {"table": "products"}, "ts_ms": 1781691600000}]
    for body in batches:
        recorder.send("POST", "/v1/events", SHOP, body=body)
    lines = b"\n".join(str(order(5020 + i)).replace("'", '"').encode() for i in range(3)) + b"\nnot json\n"
    recorder.send("POST", "/v1/events", {**SHOP, "Content-Type": "application/x-ndjson"}, data=lines)
    for body in (order(5030), order(5030), order(5031)):
        recorder.send("POST", "/v1/events", {**SHOP, "Idempotency-Key": "once"}, body=body)


def letters(recorder):
    recorder.step = "dead letters"
    for query in ("", "?page=2&page_size=1", "?reason=semantic_validation", "?page_size=2", "?cursor=x"):
        answer = recorder.send("GET", "/v1/deadletter" + query, SHOP)
        if query == "?page_size=2" and answer.ok and (cursor := answer.json()["pagination"].get("next_cursor")):
            recorder.normaliser.hide(cursor, "<cursor>")
            recorder.send("GET", f"/v1/deadletter?page_size=2&cursor={cursor}", SHOP)
    for event in (number_of(1, 5004), number_of(1, 5005), "evt-004"):
        path = f"/v1/deadletter/{event}"
        recorder.send("GET", path, SHOP)
        recorder.send("POST", path + "/replay", SHOP)
        recorder.send("POST", path + "/replay", SHOP, body={"corrected_payload": {"total_amount": "31.50", "status": "pending"}})
        recorder.send("POST", path + "/replay", SHOP)
        recorder.send("POST", path + "/dismiss", SHOP)
        recorder.send("GET", path, SHOP)
    recorder.send("GET", "/v1/deadletter/stats", SHOP)


def questions(recorder):
    recorder.step = "questions"
    for question in QUESTIONS:
        recorder.send("POST", "/v1/query", OPS, body={"question": question})
        recorder.send("POST", "/v1/query/explain", OPS, body={"question": question})
    cursor = None
    for _ in range(3):
        answer = recorder.send("POST", "/v1/query", OPS, body={"question": "top 10 products", "limit": 4, **({"cursor": cursor} if cursor else {})})
        if cursor := answer.json().get("next_cursor"):
            recorder.normaliser.hide(cursor, "<cursor>")
    for items in ([{"id": "a", "type": "entity", "params": {"entity_type": "order", "entity_id": "ORD-20260404-1001"}},
                   {"id": "b", "type": "metric", "params": {"name": "order_count", "window": "24h"}},
                   {"id": "c", "type": "query", "params": {"question": "top 2 products today"}}],
                  [{"id": "a", "type": "entity", "params": {"entity_type": "house", "entity_id": "1"}}, {"id": "b", "type": "metric", "params": {"name": "x"}},
                   {"id": "c", "type": "query", "params": {"question": "ab"}}, {"id": "d", "type": "search", "params": {}}],
                  [], [{"id": str(i), "type": "metric", "params": {"name": "revenue"}} for i in range(21)], [{"id": 5}], [{}]):
        recorder.send("POST", "/v1/batch", OPS, body={"requests": items})


def reads(recorder):
    recorder.step = "reads"
    for name in (*METRICS, "nothing"):
        for window in ("", "?window=5m", "?window=1h", "?window=24h", "?window=now", "?window=1H", "?as_of=2026-04-04T12:00:00Z"):
            recorder.send("GET", f"/v1/metrics/{name}{window}", OPS)
    for as_of in ("2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00.123456Z", "2026-01-01T00:00:00+02:00", "2026-01-01 00:00:00", "0800-12-25T00:00:00Z",
                  "2030-01-01", "yesterday", "2026-13-01", "1767225600", "", "2026-02-30T00:00:00Z", "20260101T000000Z"):
        recorder.send("GET", f"/v1/entity/order/ORD-20260404-1001?as_of={as_of.replace('+', '%2B').replace(' ', '%20')}", OPS)
    for kind, name in (("order", "ORD-20260404-1001"), ("order", "ORD-20260404-1004"), ("order", "ORD-20260404-5001"), ("product", "PROD-003"),
                       ("user", "USR-10001"), ("session", "SES-001"), ("house", "1"), ("order", "none")):
        for version in ({}, {"X-Live-Version": "2026-04-01"}, {"X-Live-Version": "2025-01-01"}, {"X-Live-Version": "x"}):
            recorder.send("GET", f"/v1/entity/{kind}/{name}", {**OPS, **version})
        recorder.send("GET", f"/v1/lineage/{kind}/{name}", OPS)
        recorder.send("GET", f"/v1/entity/order/{name}/timeline", OPS)
    changelog = recorder.send("GET", "/v1/changelog", OPS).json()
    for version in changelog.get("versions", []):
        for path in ("/v1/entity/order/ORD-20260404-1001", "/v1/metrics/revenue", "/v1/slo", "/v1/search?q=orders", "/v1/catalog", "/v1/contracts/order"):
            date = version.get("date", version.get("version")) if isinstance(version, dict) else version
            recorder.send("GET", path, {**OPS, "X-Live-Version": str(date)})
    for words in ("large+orders", "coffee", "quantum+hedgehog", "x", "of+the", "revenue", "%D0%B7%D0%B0%D0%BA%D0%B0%D0%B7", "kettle&limit=2", "coffee&entity_types=order,user", "a&limit=0"):
        recorder.send("GET", f"/v1/search?q={words}", OPS)
    recorder.send("GET", "/v1/contracts/order/diff/1/2", OPS)
    fields = [one for one in recorder.send("GET", "/v1/contracts/order/2", OPS).json()["fields"] if one["name"] != "status"]
    for version in ("2", "3"):
        recorder.send("POST", "/v1/contracts/order/validate", OPS, body={"version": version, "fields": fields})
    for query in ("", "?stage=pending", "?include_within_sla=true", "?page_size=1", "?page=2&page_size=1"):
        recorder.send("GET", "/v1/ops/stuck-orders" + query, SHOP)
    for query in ("", "?source=dead_letter", "?source=webhook", "?status=open", "?status=resolved", "?page_size=1"):
        items = recorder.send("GET", "/v1/ops/exceptions" + query, SHOP).json().get("items", [])
        if not query:
            for item in items[:2]:
                for action in ("acknowledge", "resolve", "acknowledge"):
                    recorder.send("POST", f"/v1/ops/exceptions/{item['item_id']}/{action}", SHOP, body={"note": "seen"})
    recorder.send("GET", "/v1/ops/exceptions/stats", SHOP)


def hooks(context):
    recorder = context.recorder
    recorder.step = "webhooks"
    made = []
    for body in ({"url": f"{Receiver.url}/hook", "filters": {"event_types": ["order"], "min_amount": 20}}, {"url": f"{Receiver.url}/404"},
                 {"url": "http://10.0.0.1/"}, {"url": "ftp://x"}, {"url": "x"}, {"url": Receiver.url, "filters": {"event_types": []}}):
        answer = recorder.send("POST", "/v1/webhooks", SHOP, body=body)
        made += [answer.json()["id"]] if answer.status_code == 201 else []
    for hook in made:
        recorder.send("POST", f"/v1/webhooks/{hook}/test", SHOP)
        context.wait(lambda: recorder.session.get(f"{recorder.url}/v1/webhooks/{hook}/logs", headers=SHOP, timeout=9).json()["logs"])
        recorder.send("GET", f"/v1/webhooks/{hook}/logs", SHOP)
        recorder.send("POST", f"/v1/webhooks/{hook}/events/none/resend", SHOP)
    recorder.step = "alerts"
    rules = []
    for change_of in ({}, {"condition": "above", "threshold": 1e12, "window": "24h", "cooldown_minutes": 5}, {"metric": "error_rate", "condition": "above", "threshold": 0.9},
                      {"metric": "house"}, {"condition": "beside"}, {"threshold": "x"}, {"escalation": [{"after_minutes": 5, "webhook_url": f"{Receiver.url}/esc"}]},
                      {"flap_detection": {"enabled": True}}, {"webhook_url": "http://10.0.0.1/"}, {"window": "7h"}, {"no_such": 1}):
        answer = recorder.send("POST", "/v1/alerts", SHOP, body={"name": "rule", "metric": "revenue", "condition": "below", "threshold": -1,
                                                                "webhook_url": f"{Receiver.url}/alert", **change_of})
        rules += [answer.json()["id"]] if answer.status_code == 201 else []
    context.wait(lambda: None not in [one["last_condition_triggered"] for one in recorder.session.get(
        f"{recorder.url}/v1/alerts", headers=SHOP, timeout=9).json()["alerts"]])
    for rule in rules[:2]:
        path = f"/v1/alerts/{rule}"
        for body in ({"threshold": -2}, {"active": False}, {"escalation": [], "flap_detection": {"enabled": True}}, {}, {"threshold": None}, {"name": ""}):
            recorder.send("PUT", path, SHOP, body=body)
        recorder.send("POST", path + "/test", SHOP)
        recorder.send("GET", path + "/history", SHOP)
    recorder.send("GET", "/v1/alerts", SHOP)
    return made[0], rules[0]


def keys(recorder):
    recorder.step = "keys"
    made = []
    for body in ({"name": "k", "tenant": "acme"}, {"name": "k", "tenant": "acme", "allowed_entity_types": ["product"], "rate_limit_rpm": 10},
                 {"name": "", "tenant": "acme"}, {"name": "k", "tenant": "A b"}, {"name": "k"}, {"name": "k", "tenant": "acme", "allowed_entity_types": ["house"]}):
        answer = recorder.send("POST", "/v1/admin/keys", ADMIN, body=body)
        if answer.status_code == 201:
            made.append(answer.json())
            recorder.normaliser.hide(made[-1]["key"], f"<key {len(made)}>")
            recorder.normaliser.hide(made[-1]["key_id"], f"<key id {len(made)}>")
    limited = {"X-API-Key": made[1]["key"]}
    for path in ("/v1/entity/order/ORD-20260404-1001", "/v1/entity/product/PROD-003", "/v1/metrics/revenue", "/v1/catalog", "/v1/search?q=orders", "/v1/alerts"):
        recorder.send("GET", path, limited)
    key = made[0]["key_id"]
    for method, rest in (("POST", "/rotate"), ("GET", "/rotation-status"), ("POST", "/rotate"), ("POST", "/revoke-old"), ("POST", "/revoke-old"), ("GET", "/rotation-status")):
        recorder.send(method, f"/v1/admin/keys/{key}{rest}", ADMIN)
    recorder.send("GET", "/v1/admin/keys", ADMIN)
    return key


def scenario(context):
    recorder = context.recorder
    events(recorder)
    questions(recorder)
    reads(recorder)
    letters(recorder)
    hook, alert = hooks(context)
    key = keys(recorder)
    recorder.step = "stream"
    for query in ("", "?event_type=order", "?entity_id=ORD-20260404-5001"):
        recorder.send("GET", "/v1/stream/events" + query, {**SHOP, "Last-Event-ID": "0"}, events=3)
    values = {"entity_type": "order", "entity_id": "ORD-20260404-1001", "order_id": "ORD-20260404-1001", "metric_name": "revenue", "entity": "order",
              "version": "2", "from_version": "1", "to_version": "2", "event_id": number_of(1, 5005), "webhook_id": hook, "alert_id": alert,
              "item_id": f"dl:{number_of(1, 5005)}", "key_id": key}
    return Plan(
        credentials={"admin": {**ADMIN, **SHOP}, "key": SHOP, "none": {}, "wrong": {"X-API-Key": "wrong", "X-Admin-Key": "wrong"}},
        credential_of=lambda operation: "admin" if "admin" in operation.path else "key",
        values=values, endless={"stream_events"},
        queries={"search": ["?q=orders"], "analytics_usage": ["", "?window=24h", "?limit=1"], "analytics_latency": ["", "?tenant=shop"]},
        contents={"ingest_events": [({"Content-Type": "application/json"}, b'{"events":[]}')],
                  "validate_contract": [({"Content-Type": "application/json"}, b'{"version":"3","fields":[]}')]},
        left_out={"stream_events": "read in a step of its own"})
