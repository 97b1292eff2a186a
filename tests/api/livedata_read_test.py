"""Live data on its demonstration store: entities, metrics, questions, discovery, versions, limits.

The expected figures are those of the contract for the store right after its first start.
"""

import uuid

import pytest

from service import ENGINES, Service
from wait import wait_for

KEYS = {"LIVE_API_KEYS": "key-of-support:support,key-of-ops:ops,key-of-limits:limits", "LIVE_SEED_ON_BOOT": "true",
        "LIVE_ADMIN_KEY": "admin-key", "LIVE_EGRESS_ALLOWED_HOSTS": "127.0.0.1"}
SUPPORT = {"X-API-Key": "key-of-support"}


@pytest.fixture(scope="module", params=ENGINES)
def seeded(request):
    with Service("livedata", {**KEYS, "LIVE_RATE_LIMIT_RPM": "10000"}, request.param) as service:
        yield service


@pytest.fixture(scope="module")
def limited():
    with Service("livedata", KEYS) as service:
        yield service


def get(service, path, status=200, headers=SUPPORT, **arguments):
    answer = service.get(path, headers=headers, **arguments)
    assert answer.status_code == status, answer.text
    return answer


def ask(service, question, status=200, **body):
    answer = service.post("/v1/query", {"question": question, **body}, headers=SUPPORT)
    assert answer.status_code == status, answer.text
    return answer.json()


class TestEntities:
    def test_an_order(self, seeded):
        answer = get(seeded, "/v1/entity/order/ORD-20260404-1001")
        body = answer.json()
        assert body["data"]["user_id"] == "USR-10001"
        assert body["data"]["status"] == body["status"] == "delivered"
        assert body["data"]["total_amount"] == 76400
        assert body["meta"]["is_historical"] is False
        assert answer.headers["X-Live-Health"] in ("healthy", "degraded", "unhealthy")
        assert float(answer.headers["X-Live-Freshness-Seconds"]) >= 0

    def test_the_cache_says_whether_it_was_used(self, seeded):
        first = get(seeded, "/v1/entity/product/PROD-003")
        second = get(seeded, "/v1/entity/product/PROD-003")
        assert (first.headers["X-Cache"], second.headers["X-Cache"]) == ("MISS", "HIT")
        assert first.json()["data"] == second.json()["data"]
        past = get(seeded, "/v1/entity/order/ORD-20260404-1001?as_of=2030-01-01", status=422)
        assert "future" in past.json()["detail"]
        old = get(seeded, "/v1/metrics/revenue?window=1h&as_of=0800-12-25T00:00:00Z").json()
        assert (old["value"], old["meta"]["as_of"]) == (0, "0800-12-25T00:00:00Z")

    def test_what_is_not_there(self, seeded):
        body = get(seeded, "/v1/entity/order/ORD-99999999-0000", status=404).json()
        assert body["detail"] == "order/ORD-99999999-0000 not found" and body["code"] == "entity_not_found"
        body = get(seeded, "/v1/entity/house/1", status=404).json()
        assert body["detail"] == \
            "Unknown entity type: house. Available: ['order', 'product', 'session', 'user']"
        detail = get(seeded, "/v1/entity/order/1?as_of=yesterday", status=422).json()["detail"]
        assert detail[0]["loc"] == ["query", "as_of"]

    def test_strangers(self, seeded):
        for headers in ({}, {"X-API-Key": "wrong"}):
            answer = get(seeded, "/v1/entity/order/ORD-20260404-1001", status=401, headers=headers)
            assert "X-API-Key" in answer.json()["detail"]
        assert get(seeded, "/nothing", status=401, headers={}).json()["detail"].startswith("Invalid or missing")
        assert get(seeded, "/nothing", status=404).json()["detail"] == "Not Found"
        get(seeded, "/v1/slo", headers={"Authorization": "Bearer key-of-ops"})

    def test_the_time_line_of_an_order(self, seeded):
        body = get(seeded, "/v1/entity/order/ORD-20260404-1001/timeline").json()
        assert [item["status"] for item in body["stage_history"]] == ["pending", "confirmed", "shipped", "delivered"]
        assert body["stage"]["clock"] == "journal" and body["stage"]["breached"] is None
        assert [item["event_id"] for item in body["pipeline_trail"]] == \
            ["evt-ord-1001-ingest", "evt-ord-1001-validated", "evt-ord-1001-served"]
        assert body["customer"]["total_orders"] == 34
        stuck = get(seeded, "/v1/entity/order/ORD-20260404-1004/timeline").json()["stage"]
        assert stuck["breached"] is True and stuck["sla_minutes"] == 30

    def test_lineage(self, seeded):
        body = get(seeded, "/v1/lineage/order/ORD-20260404-1001").json()
        assert [node["layer"] for node in body["lineage"]] == \
            ["source", "ingestion", "validation", "enrichment", "serving"]
        assert body["validated"] and body["enriched"]
        assert get(seeded, "/v1/lineage/order/none", status=404).json()["detail"] == \
            "No lineage found for order/none"


METRICS = [("revenue", "5m", 0.0), ("revenue", "15m", 3990.0), ("revenue", "1h", 11160.0), ("revenue", "6h", 138310.0),
           ("revenue", "24h", 138310.0), ("order_count", "1h", 4), ("order_count", "24h", 7),
           ("avg_order_value", "1h", 2790.0), ("avg_order_value", "24h", 19758.5714), ("conversion_rate", "1h", 0.3333),
           ("conversion_rate", "24h", 0.3333), ("active_sessions", "now", 1), ("error_rate", "1h", 0.08),
           ("error_rate", "24h", 0.0625)]


class TestMetrics:
    # Figures of a store that has just been made; rows leave the shortest windows within minutes.
    @pytest.mark.parametrize("name,window,value", METRICS)
    def test_values(self, seeded, name, window, value):
        body = get(seeded, f"/v1/metrics/{name}?window={window}").json()
        assert body["value"] == value and body["window"] == window

    def test_what_is_refused(self, seeded):
        body = get(seeded, "/v1/metrics/active_sessions", status=422).json()
        assert body["detail"] == "Unsupported window '1h' for metric 'active_sessions'. Available: ['now']"
        get(seeded, "/v1/metrics/revenue?window=1H", status=422)
        get(seeded, "/v1/metrics/revenue?window=", status=422)
        body = get(seeded, "/v1/metrics/nothing", status=404).json()
        assert body["detail"].startswith("Unknown metric: nothing. Available: ['revenue', 'order_count',")


class TestQuestions:
    def test_pages(self, seeded):
        names, cursor, flags = [], None, []
        for _ in range(3):
            page = ask(seeded, "Show me top 10 products", limit=4, **({"cursor": cursor} if cursor else {}))
            names += [row["name"] for row in page["answer"]]
            flags.append(page["has_more"])
            cursor = page["next_cursor"]
        assert flags == [True, True, False] and cursor is None and page["metadata"]["rows_returned"] == 2
        assert names == ["Stand Mixer 5L Planetary", "Air Fryer Grill 5.5L", "Cold-Press Juicer",
                         "Drip Coffee Maker 1.2L", "Vacuum Sealer Compact", "Immersion Blender Set 800W",
                         "Waffle Maker Double", "Electric Kettle 1.7L 2200W", "Mini Chopper 500ml",
                         "Digital Kitchen Scale 5kg"]
        assert page["total_count"] == 10 and page["sql"].startswith("SELECT")

    # What is asked of the seeded shop, and the figure that is right for it.
    @pytest.mark.parametrize("question,answer", [
        ("how many orders were not delivered", [{"orders": 6}]),
        ("how many orders are delivered", [{"orders": 2}]),
        ("all orders by status", [{"status": "cancelled", "orders": 1}, {"status": "confirmed", "orders": 2},
                                       {"status": "delivered", "orders": 2}, {"status": "pending", "orders": 2},
                                       {"status": "shipped", "orders": 1}]),
        ("revenue of all time", [{"revenue": 138310}]),
        ("revenue of delivered orders", [{"revenue": 78690}]),
        ("revenue of USR-10005", [{"revenue": 6980}]),
        ("revenue of all time in EUR", [{"revenue": None}]),
        ("largest order of all time", [{"order_id": "ORD-20260404-1001", "user_id": "USR-10001", "total_amount": 76400,
                                        "currency": "RUB"}]),
        ("how many orders over 10,000", [{"orders": 2}]),
        ("cheapest product", [{"name": "Digital Kitchen Scale 5kg", "price": 990}]),
        ("which products are not in stock", [{"product_id": "PROD-001"}]),
        ("how many customers do we have", [{"users": 5}]),
    ])
    def test_figures(self, seeded, question, answer):
        body = ask(seeded, question)
        assert [{key: row[key] for key in wanted} for row, wanted in zip(body["answer"], answer, strict=True)] == answer
        assert body["interpretation"].endswith(".")
        explained = seeded.post("/v1/query/explain", {"question": question}, headers=SUPPORT).json()
        assert explained["interpretation"] == body["interpretation"]

    @pytest.mark.parametrize("question,words", [
        ("revenue in Berlin", "'Berlin'"), ("revenue tomorrow", "'tomorrow'"),
        ("how many orders were refunded", "'refunded'"), ("top 5 products yesterday", "'yesterday'"),
        ("revenue by mood", "'by', 'mood'"), ("Wetter morgen", "'Wetter', 'morgen'")])
    def test_words_that_are_not_used_are_named(self, seeded, question, words):
        body = ask(seeded, question, 400)
        assert body["code"] == "untranslatable" and f"Words that were not understood: {words}." in body["detail"]
        assert "'which orders still have not arrived'" in body["detail"]

    def test_cursors(self, seeded):
        assert "cursor" in ask(seeded, "top 5 products", 400, cursor="not-a-valid-cursor")["detail"]
        assert ask(seeded, "top 5 products", 400, cursor="NDphYmM=")["detail"] == \
            "Cursor does not match the requested query."

    def test_explained(self, seeded):
        def explain(question, status=200):
            answer = seeded.post("/v1/query/explain", {"question": question}, headers=SUPPORT)
            assert answer.status_code == status, answer.text
            return answer.json()

        body = explain("What is the revenue today?")
        assert body["sql"].startswith("SELECT") and body["tables_accessed"] == ["orders_v2"]
        assert body["engine"] == "rule_based"
        assert explain("Show me top 3 products")["tables_accessed"] == ["products_current"]
        assert explain("What is the meaning of life?", 400)["detail"].startswith("Could not translate question")

    def test_short_and_long_questions(self, seeded):
        assert isinstance(ask(seeded, "ab", 422)["detail"], list)
        ask(seeded, "x" * 1001, 422)
        assert ask(seeded, "top 5 products", limit="5")["page_size"] == 5

    def test_batches(self, seeded):
        items = [{"id": "a", "type": "entity", "params": {"entity_type": "order", "entity_id": "ORD-20260404-1001"}},
                 {"id": "b", "type": "metric", "params": {"name": "order_count", "window": "24h"}},
                 {"id": "c", "type": "query", "params": {"question": "top 2 products today"}}]
        body = seeded.post("/v1/batch", {"requests": items}, headers=SUPPORT).json()
        assert [(one["id"], one["status"]) for one in body["results"]] == [("a", "ok"), ("b", "ok"), ("c", "ok")]
        assert len(body["results"][2]["data"]["answer"]) == 2
        assert body["results"][2]["data"]["interpretation"].startswith("The 2 products with the highest price")
        items[1]["params"]["name"] = "nothing"
        body = seeded.post("/v1/batch", {"requests": items}, headers=SUPPORT).json()
        assert [one["status"] for one in body["results"]] == ["ok", "error", "ok"]
        assert seeded.post("/v1/batch", {"requests": items * 7}, headers=SUPPORT).status_code == 422
        assert seeded.post("/v1/batch", {"requests": []}, headers=SUPPORT).json()["results"] == []


class TestDiscovery:
    def test_the_catalog(self, seeded):
        body = get(seeded, "/v1/catalog").json()
        assert list(body["entities"]) == ["order", "product", "session", "user"]
        assert body["entities"]["order"]["contract_version"] == "2"
        assert body["metrics"]["revenue"]["contract_version"] == "1"
        assert body["streaming_sources"]["events"]["path"] == "/v1/stream/events"
        assert body["audit_sources"]["lineage"]["layers"][0] == "source"

    def test_search(self, seeded):
        body = get(seeded, "/v1/search?q=large+orders").json()
        assert body["results"][0]["entity_type"] == "order" and body["results"][0]["score"] == 1.0
        assert get(seeded, "/v1/search?q=quantum+hedgehog").json()["results"] == []
        kinds = {one["type"] for one in get(seeded, "/v1/search?q=coffee&entity_types=order,user").json()["results"]}
        assert "metric" not in kinds
        get(seeded, "/v1/search?q=x", status=422)
        assert get(seeded, "/v1/search?q=of+the").json()["results"] == []

    def test_contracts(self, seeded):
        listed = get(seeded, "/v1/contracts").json()["contracts"]
        assert [(one["entity"], one["version"]) for one in listed][-2:] == [("order", "1"), ("order", "2")]
        assert get(seeded, "/v1/contracts/order").json()["version"] == "2"
        diff = get(seeded, "/v1/contracts/order/diff/1/2").json()
        assert diff["breaking_changes"] == [] and diff["additive_changes"] == \
            [{"type": "field_added", "field": "is_overdue", "severity": "non_breaking"}]
        fields = [one for one in get(seeded, "/v1/contracts/order/2").json()["fields"] if one["name"] != "status"]
        for version, bump in (("2", True), ("3", False)):
            body = seeded.post("/v1/contracts/order/validate", {"version": version, "fields": fields},
                               headers=SUPPORT).json()
            assert body["is_breaking"] and body["requires_version_bump"] is bump
        get(seeded, "/v1/contracts/house", status=404)

    def test_service_levels(self, seeded):
        body = get(seeded, "/v1/slo").json()
        assert [one["name"] for one in body["slos"]] == ["api_latency_p95", "data_freshness", "error_rate"]
        assert body["status"] in ("healthy", "unknown", "at_risk", "breached")

    def test_health(self, seeded):
        body = get(seeded, "/v1/health", headers={}).json()
        assert [one["name"] for one in body["components"]] == ["serving", "freshness", "quality", "db_pool"]
        assert all(one["message"] == "" for one in body["components"])
        pool = body["components"][-1]
        if seeded.engine == "sqlite":
            assert (pool["source"], pool["metrics"]) == ("placeholder", {})
        else:
            figures = pool["metrics"]
            assert set(figures) == {"pool_size", "read_in_use", "read_available", "read_utilization"}
            assert 1 <= figures["read_in_use"] <= len(seeded.sql("SELECT pid FROM pg_stat_activity"
                                                                 " WHERE application_name = 'assay-livedata'"))
            assert figures["read_in_use"] + figures["read_available"] == figures["pool_size"] == 16
            assert figures["read_utilization"] == round(figures["read_in_use"] / 16, 4)
        assert get(seeded, "/health/live", headers={}).json() == {"status": "alive"}
        assert [one["name"] for one in get(seeded, "/health/ready", headers={}).json()["checks"]] == \
            ["serving_backend", "serving_schema", "control_plane"]
        assert "live_pipeline_health" in get(seeded, "/metrics", headers={}).text


class TestVersions:
    def test_an_old_pin_sees_the_old_shape(self, seeded):
        answer = get(seeded, "/v1/entity/order/ORD-20260404-1001", headers={**SUPPORT, "X-Live-Version": "2026-01-01"},
                     checked=False)
        assert set(answer.json()["meta"]) == {"as_of", "freshness_seconds"} and "status" not in answer.json()
        assert answer.headers["X-Live-Version"] == "2026-01-01" and "X-Live-Health" not in answer.headers
        assert answer.headers["X-Live-Deprecated"] == "false"

    def test_unknown_versions_are_refused_before_anything_else(self, seeded):
        answer = get(seeded, "/v1/slo", status=400, headers={"X-Live-Version": "2099-99-99"})
        assert answer.json()["detail"] == "Unsupported API version: 2099-99-99"
        assert answer.headers["X-Live-Latest-Version"] == "2026-07-01"

    def test_browsers_may_read_both_ages(self, seeded):
        answer = get(seeded, "/v1/catalog", headers={**SUPPORT, "Origin": "http://localhost:3000"})
        assert {"X-Live-Freshness-Seconds", "X-Live-Event-Age-Seconds"} <= \
            set(answer.headers["Access-Control-Expose-Headers"].split(", "))

    def test_the_changelog(self, seeded):
        body = get(seeded, "/v1/changelog").json()
        assert body["latest_version"] == "2026-07-01" and len(body["versions"]) == 3


class TestLimits:
    def test_so_many_a_minute(self, limited):
        key = {"X-API-Key": "key-of-limits"}
        statuses = [limited.get("/v1/catalog", headers=key, checked=False).status_code for _ in range(125)]
        assert statuses == [200] * 120 + [429] * 5
        answer = get(limited, "/v1/catalog", status=429, headers=key)
        assert answer.json()["detail"] == "Rate limit exceeded: 120 requests/minute"
        assert answer.headers["Retry-After"] == "60"
        get(limited, "/v1/catalog")

    def test_a_success_clears_the_failures_of_an_address(self, limited):
        wrong = {"X-API-Key": "wrong"}
        for _ in range(2):
            get(limited, "/v1/catalog")
            get(limited, "/health/live", headers={})
            for _ in range(10):
                get(limited, "/v1/catalog", status=401, headers=wrong)
        answer = get(limited, "/v1/catalog", status=429, headers=wrong)
        assert answer.headers["Retry-After"] == "3600"
        get(limited, "/health/live", headers={})
        get(limited, "/v1/catalog", status=429, headers=wrong)
        get(limited, "/v1/catalog")
        get(limited, "/v1/catalog", status=401, headers=wrong)

    def test_a_batch_costs_its_items(self, limited):
        key = {"X-API-Key": "key-of-ops"}
        items = [{"id": str(i), "type": "metric", "params": {"name": "revenue"}} for i in range(20)]
        statuses = [limited.post("/v1/batch", {"requests": items}, headers=key).status_code for _ in range(7)]
        assert statuses == [200] * 6 + [429]


class TestKeys:
    ADMIN = {"X-Admin-Key": "admin-key"}

    def test_issued_rotated_and_taken_away(self, seeded):
        get(seeded, "/v1/admin/keys", status=401, headers=SUPPORT)
        order = {"name": "reader", "tenant": "default", "allowed_entity_types": ["order"]}
        answer = seeded.post("/v1/admin/keys", order, headers=self.ADMIN)
        assert answer.status_code == 201
        key, key_id = answer.json()["key"], answer.json()["key_id"]
        mine = {"X-API-Key": key}
        get(seeded, "/v1/entity/order/ORD-20260404-1001", headers=mine)
        detail = get(seeded, "/v1/entity/user/USR-10001", status=403, headers=mine).json()["detail"]
        assert detail == "API key 'reader' cannot access entity type 'user'."
        get(seeded, "/v1/metrics/error_rate?window=1h", status=403, headers=mine)
        get(seeded, "/v1/metrics/revenue?window=1h", headers=mine)
        timeline = get(seeded, "/v1/entity/order/ORD-20260404-1001/timeline", headers=mine).json()
        assert timeline["customer"] is None
        hits = get(seeded, "/v1/search?q=USR-10001", headers=mine).json()["results"]
        assert {one["entity_type"] for one in hits} <= {"order", None}
        new = seeded.post(f"/v1/admin/keys/{key_id}/rotate", headers=self.ADMIN).json()["new_key"]
        assert seeded.post(f"/v1/admin/keys/{key_id}/rotate", headers=self.ADMIN).status_code == 409
        for one in (key, new):
            get(seeded, "/v1/catalog", headers={"X-API-Key": one})
        status = get(seeded, f"/v1/admin/keys/{key_id}/rotation-status", headers=self.ADMIN).json()
        assert status["phase"] == "grace_period"
        assert seeded.post(f"/v1/admin/keys/{key_id}/revoke-old", headers=self.ADMIN).json() == {"revoked": True}
        get(seeded, "/v1/catalog", status=401, headers={"X-API-Key": key})
        assert seeded.send("DELETE", f"/v1/admin/keys/{key_id}", headers=self.ADMIN).status_code == 204
        get(seeded, "/v1/catalog", status=401, headers={"X-API-Key": new})

    def test_figures_of_use(self, seeded):
        get(seeded, "/v1/entity/order/ORD-20260404-1002")
        top = lambda: get(seeded, "/v1/admin/analytics/top-entities?window=1h", headers=self.ADMIN).json()["entities"]  # noqa: E731
        assert wait_for(top)[0]["count"] >= 1
        get(seeded, "/v1/admin/analytics/latency?window=soon", status=422, headers=self.ADMIN)
        for name in ("usage", "top-queries", "latency", "anomalies"):
            get(seeded, f"/v1/admin/analytics/{name}", headers=self.ADMIN)
        assert get(seeded, "/v1/admin/usage", headers=self.ADMIN).json()["usage"][0]["tenant"] == "default"

    def test_what_was_asked_last_is_written_down_although_nobody_asks_again(self, seeded):
        """Within seconds; the level of latency is that of these answers."""
        made = seeded.post("/v1/admin/keys", {"name": "n", "tenant": "quiet"}, headers=self.ADMIN).json()
        mine = {"X-API-Key": made["key"]}
        for _ in range(3):
            get(seeded, "/v1/catalog", headers=mine)
        count = lambda table: int(seeded.sql(f"SELECT count(*) FROM {table} WHERE tenant_id = 'quiet'")[0][0])  # noqa: E731
        wait_for(lambda: min(count("api_usage"), count("api_sessions")) >= 3)
        assert (count("api_usage"), count("api_sessions")) == (3, 3)
        [level] = [one for one in get(seeded, "/v1/slo", headers=mine).json()["slos"] if one["name"] == "api_latency_p95"]
        assert level["unit"] == "requests" and level["valid"] == 3 and level["diagnostic"]["p95_latency_ms"] > 0

    def test_how_the_service_does(self, seeded, request):
        before = get(seeded, "/v1/admin/summary", headers=self.ADMIN).json()
        name = "<b>&\"of\"</b>"
        answer = seeded.post("/v1/admin/keys", {"name": name, "tenant": "default"}, headers=self.ADMIN)
        for _ in range(6):
            get(seeded, "/v1/entity/order/ORD-20260404-1002", headers={"X-API-Key": answer.json()["key"]})
        summary = lambda: get(seeded, "/v1/admin/summary", headers=self.ADMIN).json()  # noqa: E731
        wait_for(lambda: summary()["qps"] >= 0.1)  # workers write what they hold a second or two later
        body = summary()
        assert body["configured_keys"] == before["configured_keys"] + 1
        assert 0.1 <= body["qps"] < 100
        assert body["health"]["components"] and body["health"]["status"] in ("healthy", "degraded", "unhealthy")
        assert body["cache"]["backend"] == body["rate_limit_backend"] == "shared_memory"
        assert body["cache"]["entity_ttl_seconds"] > 0
        pool = body["pool"]
        assert pool["engine"] == request.node.callspec.params["seeded"]
        assert 1 <= pool["held"] <= pool["limit"] if pool["engine"] == "postgres" else pool["held"] is None
        get(seeded, "/admin/partials/summary", status=401, headers=SUPPORT)
        page = get(seeded, "/admin/partials/summary", headers=self.ADMIN)
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert page.headers["Content-Security-Policy"] == "default-src 'none'"
        assert "<td>&lt;b&gt;&amp;\"of\"&lt;/b&gt;</td>" in page.text and "<b>" not in page.text
        assert f"<dd>{body['configured_keys']}</dd>" in page.text and "Components" in page.text
        seeded.send("DELETE", f"/v1/admin/keys/{answer.json()['key_id']}", headers=self.ADMIN)


class TestOperations:
    # Case G40 of the contract: minutes after the start nothing else of the seed has run out of time.
    def test_stuck_orders(self, seeded):
        body = get(seeded, "/v1/ops/stuck-orders").json()
        assert [item["order_id"] for item in body["items"]] == ["ORD-20260404-1004"]
        assert body["items"][0]["overshoot_ratio"] == pytest.approx(1.5, abs=0.2)
        assert body["items"][0]["clock"] == "journal" and body["items"][0]["sla_minutes"] == 30
        assert body["summary"] == {"open_by_stage": {"pending": 2, "confirmed": 2, "shipped": 1},
                                   "breached_by_stage": {"pending": 1}}
        assert body["pagination"] == {"page": 1, "page_size": 50, "total": 1, "pages": 1} and not body["scan_truncated"]
        everything = get(seeded, "/v1/ops/stuck-orders?include_within_sla=true").json()
        assert len(everything["items"]) == 5 and everything["items"][0]["order_id"] == "ORD-20260404-1004"
        page = get(seeded, "/v1/ops/stuck-orders?include_within_sla=true&page=2&page_size=2").json()
        assert [item["order_id"] for item in page["items"]] == [item["order_id"] for item in everything["items"][2:4]]
        shipped = get(seeded, "/v1/ops/stuck-orders?include_within_sla=true&stage=shipped").json()
        assert [item["status"] for item in shipped["items"]] == ["shipped"] and shipped["summary"] == body["summary"]
        assert get(seeded, "/v1/ops/stuck-orders?stage=nowhere").json()["items"] == []
        get(seeded, "/v1/ops/stuck-orders?page_size=101", status=422)

    def test_pages_of_stuck_orders(self, seeded):
        whole = get(seeded, "/v1/ops/stuck-orders?include_within_sla=true").json()["items"]
        seen, cursor = [], None
        for _ in whole:
            path = "/v1/ops/stuck-orders?include_within_sla=true&page_size=1" + (f"&cursor={cursor}" if cursor else "")
            body = get(seeded, path).json()
            seen += [one["order_id"] for one in body["items"]]
            cursor = body["next_cursor"]
        assert seen == [one["order_id"] for one in whole] and cursor is None

    def test_exceptions(self, seeded):
        items = get(seeded, "/v1/ops/exceptions").json()["items"]
        assert {(item["item_id"], item["status"], item["severity"]) for item in items} == \
            {("dl:evt-004", "open", "high"), ("dl:evt-009", "open", "high")}
        assert [item["item_id"] for item in items] == ["dl:evt-009", "dl:evt-004"], "the newest first"
        assert items[0]["entity_ref"] == {"kind": "event", "id": "evt-009"}
        assert items[0]["actions"] == [{"action": "replay", "href": "/v1/deadletter/evt-009/replay"},
                                       {"action": "dismiss", "href": "/v1/deadletter/evt-009/dismiss"}]
        assert get(seeded, "/v1/ops/exceptions?source=reconciliation").json()["items"] == []
        get(seeded, "/v1/ops/exceptions?status=nothing", status=422)
        stats = get(seeded, "/v1/ops/exceptions/stats").json()
        assert stats == {"by_source": {"deadletter": {"open": 2}, "webhook_delivery": {}, "reconciliation": {}, "alert_delivery": {}},
                         "last_24h": 2, "manual_resolutions": 0, "scan_truncated": False}
        elsewhere = seeded.post("/v1/ops/exceptions/dl:evt-004/resolve", headers=SUPPORT)
        assert elsewhere.status_code == 409
        assert seeded.post("/v1/ops/exceptions/wh:x:y/acknowledge", headers=SUPPORT).status_code == 404


def test_components_have_the_names_that_clients_know(seeded):
    names = set(seeded.document.raw["components"]["schemas"]) if hasattr(seeded.document, "raw") else \
        set(seeded.session.get(seeded.url + "/openapi.json", timeout=60).json()["components"]["schemas"])
    assert {"BatchItem", "BatchRequest", "BatchResponse", "BatchResult", "DeadLetterDetail", "DeadLetterListResponse",
            "DeadLetterStatsResponse", "DeadLetterSummary", "DismissResponse", "EntityResponse", "ExplainRequest",
            "ExplainResponse", "KeyCreateRequest", "LineageNode", "LineageResponse", "MetricResponse",
            "NLQueryRequest", "OrderTimelineCustomer", "OrderTimelineException", "OrderTimelineExceptionActions",
            "OrderTimelineOrder", "OrderTimelinePipelineTrailItem", "OrderTimelineResponse", "OrderTimelineStage",
            "OrderTimelineStageHistoryItem", "QueryResponse", "ReplayRequest", "ReplayResponse", "SLOResponse",
            "SLOStatus", "SearchResponse", "SearchResult", "WebhookCreateRequest", "WebhookFilters",
            "AlertCreateRequest", "AlertUpdateRequest", "EntityRef", "ExceptionAction", "ExceptionItem",
            "ExceptionsListResponse", "ExceptionsStatsResponse", "HTTPValidationError", "ValidationError",
            "StuckOrderItem", "StuckOrdersResponse", "StuckOrdersSummary", "TriageActionRequest",
            "TriageActionResponse"} <= names
    assert uuid.UUID(get(seeded, "/v1/catalog").headers["X-Correlation-ID"]).version == 4
