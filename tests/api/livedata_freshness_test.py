"""Freshness that a reader demands of live data: positions, staleness, lag of sources, waiting."""

import threading
import time
import uuid
from datetime import datetime, timedelta, timezone

import pytest

from service import ENGINES, Service
from wait import wait_for

pytestmark = pytest.mark.both_engines
KEY = {"X-API-Key": "key-of-shop"}
OTHER = {"X-API-Key": "key-of-kiosk"}
SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_ADMIN_KEY": "admin-key"}


@pytest.fixture(scope="module", params=ENGINES)
def live(request):
    with Service("livedata", SETTINGS, request.param) as service:
        yield service


def at(seconds=0):
    return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).isoformat()


def order(number, quantity=1, age=0, source="shop"):
    return {"event_id": str(uuid.uuid4()), "event_type": "order.updated", "source": source, "status": "pending",
            "timestamp": at(-age), "order_id": f"ORD-20260404-{number}", "user_id": "USR-1", "total_amount": quantity,
            "items": [{"product_id": "PROD-1", "quantity": quantity, "unit_price": 1}]}


def send(service, *events, heartbeats=None, headers=KEY, status=200):
    body = {"events": list(events)}
    if heartbeats is not None:
        body["heartbeats"] = heartbeats
    answer = service.post("/v1/events", body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer


def get(service, path, status=200, headers=KEY, **bounds):
    answer = service.get(path, params=bounds, headers=headers)
    assert answer.status_code == status, answer.text
    return answer


def tenant(service, name):
    """A key of a tenant of the test's own: sources of others do not count for it."""
    answer = service.post("/v1/admin/keys", {"name": name, "tenant": name, "rate_limit_rpm": 100000},
                          headers={"X-Admin-Key": "admin-key"})
    assert answer.status_code == 201, answer.text
    return {"X-API-Key": answer.json()["key"]}


class TestPositions:
    def test_events_answer_with_a_position_that_rises(self, live):
        seen = []
        for quantity in (1, 2, 3):
            answer = send(live, order(1000, quantity))
            assert answer.headers["X-Live-Position"] == answer.json()["position"]
            seen.append(answer.json()["position"])
        assert seen == sorted(set(seen))
        again = order(1000, 4)
        first = send(live, again).json()["position"]
        assert send(live, again).json() | {"results": 0} == {
            "accepted": 1, "applied": 0, "dead_lettered": 0, "duplicates": 1, "heartbeats": 0, "results": 0,
            "position": first}

    def test_a_read_shows_what_the_position_includes(self, live):
        for quantity in range(1, 20):
            position = send(live, order(1001, quantity)).json()["position"]
            body = get(live, "/v1/entity/order/ORD-20260404-1001", at_least=position).json()
            assert body["data"]["total_amount"] == quantity
            assert body["freshness"]["position"] >= position
            assert body["freshness"]["as_of"] <= body["freshness"]["valid_until"]

    def test_a_position_of_a_database_that_was_restored_is_refused_at_once(self, live):
        position = send(live, order(1002)).json()["position"]
        live.sql("DELETE FROM pipeline_events WHERE seq = (SELECT max(seq) FROM pipeline_events)")
        for path in ("/v1/entity/order/ORD-20260404-1002", "/v1/metrics/order_count"):
            began = time.monotonic()
            refused = get(live, path, status=412, at_least=position, wait="5s").json()
            assert refused["code"] == "position_unknown" and time.monotonic() - began < 5
        after = send(live, order(1002, 7)).json()["position"]
        get(live, "/v1/entity/order/ORD-20260404-1002", status=412, at_least=position)
        assert get(live, "/v1/entity/order/ORD-20260404-1002", at_least=after).json()["data"]["total_amount"] == 7

    def test_questions_and_batches_too(self, live):
        position = send(live, order(1003, 5)).json()["position"]
        answer = live.post("/v1/query", {"question": "order ORD-20260404-1003", "at_least": position}, headers=KEY)
        assert answer.json()["freshness"]["position"] >= position
        item = {"id": "1", "type": "entity", "params": {"entity_type": "order", "entity_id": "ORD-20260404-1003"}}
        answer = live.post("/v1/batch", {"requests": [item], "at_least": position}, headers=KEY)
        assert answer.json()["freshness"]["position"] >= position
        for path, body in (("/v1/query", {"question": "order ORD-20260404-1003"}), ("/v1/batch", {"requests": [item]})):
            refused = live.post(path, {**body, "at_least": position[:-1] + ("0" if position[-1] != "0" else "1")},
                                headers=KEY)
            assert (refused.status_code, refused.json()["code"]) == (412, "position_unknown")

    def test_what_cannot_be_read_is_refused(self, live):
        for name, value in (("at_least", "17"), ("max_staleness", "soon"), ("max_event_age", "5"), ("wait", "1h"),
                            ("wait", "-1s"), ("max_staleness", "1.s.s"), ("max_staleness", "2")):
            detail = get(live, "/v1/entity/order/ORD-20260404-1000", status=422, **{name: value}).json()["detail"]
            assert (detail[0]["loc"], detail[0]["input"]) == (["query", name], value)


class TestSources:
    def test_without_events_and_heartbeats_a_source_is_silent(self, live):
        key = tenant(live, "silent")
        refused = get(live, "/v1/metrics/order_count", status=412, headers=key, max_event_age="60s").json()
        assert refused["code"] == "source_silent" and "event_age_seconds" not in refused
        body = get(live, "/v1/metrics/order_count", headers=key).json()
        assert body["freshness"]["event_age_seconds"] is None and body["freshness"]["position"] is None

    def test_the_true_age_is_said(self, live):
        key = tenant(live, "aged")
        send(live, order(1000, age=100), headers=key)
        refused = get(live, "/v1/entity/order/ORD-20260404-1000", status=412, headers=key, max_event_age="60s").json()
        assert refused["code"] == "events_too_old" and 100 <= refused["event_age_seconds"] < 160
        body = get(live, "/v1/entity/order/ORD-20260404-1000", headers=key, max_event_age="10m").json()
        assert 100 <= body["freshness"]["event_age_seconds"] < 160

    def test_heartbeats_tell_a_quiet_night_from_an_outage(self, live):
        key = tenant(live, "night")
        send(live, order(1000, age=3600, source="till"), headers=key)
        get(live, "/v1/metrics/order_count", status=412, headers=key, max_event_age="60s")
        assert send(live, heartbeats=[{"source": "till"}], headers=key).json()["heartbeats"] == 1
        body = get(live, "/v1/metrics/order_count", headers=key, max_event_age="60s").json()
        assert body["freshness"]["event_age_seconds"] < 60
        # The slowest of the sources counts, for what it feeds.
        send(live, heartbeats=[{"source": "web", "watermark": at(-500), "feeds": ["session"]}], headers=key)
        get(live, "/v1/metrics/order_count", headers=key, max_event_age="60s")
        refused = get(live, "/v1/metrics/active_sessions", status=412, headers=key, window="now",
                      max_event_age="60s").json()
        assert "'web'" in refused["detail"] and 500 <= refused["event_age_seconds"] < 560
        send(live, heartbeats=[{"source": "web", "watermark": at(-600), "feeds": ["session"]}], headers=key)
        body = get(live, "/v1/metrics/active_sessions", headers=key, window="now").json()
        assert 500 <= body["freshness"]["event_age_seconds"] < 560  # it never falls
        send(live, heartbeats=[{"source": "web", "retired": True}], headers=key)
        get(live, "/v1/metrics/active_sessions", headers=key, window="now", max_event_age="60s")

    def test_an_event_raises_the_watermark_of_its_source(self, live):
        key = tenant(live, "raised")
        send(live, heartbeats=[{"source": "till", "watermark": at(-500)}], headers=key)
        get(live, "/v1/metrics/order_count", status=412, headers=key, max_event_age="60s")
        send(live, order(1000, source="other"), headers=key)
        get(live, "/v1/metrics/order_count", status=412, headers=key, max_event_age="60s")
        send(live, order(1000, source="till"), headers=key)
        get(live, "/v1/metrics/order_count", headers=key, max_event_age="60s")

    def test_a_reader_may_wait_for_a_source(self, live):
        key = tenant(live, "awaited")
        answers = []
        send(live, heartbeats=[{"source": "till", "watermark": at(-500)}], headers=key)
        reader = threading.Thread(target=lambda: answers.append(live.session.get(
            f"{live.url}/v1/metrics/order_count", params={"max_event_age": "60s", "wait": "5s"}, headers=key)))
        reader.start()
        time.sleep(0.2)
        send(live, heartbeats=[{"source": "till"}], headers=key)
        reader.join()
        assert answers[0].status_code == 200, answers[0].text
        began = time.monotonic()
        send(live, heartbeats=[{"source": "idle", "watermark": at(-500)}], headers=key)
        get(live, "/v1/metrics/order_count", status=412, headers=key, max_event_age="60s", wait="300ms")
        assert time.monotonic() - began >= 0.3

    def test_no_more_readers_wait_than_may(self, live):
        key = tenant(live, "crowded")
        send(live, heartbeats=[{"source": "till", "watermark": at(-500)}], headers=key)
        seen = threading.Event()

        def wait_again_and_again():
            while not seen.is_set():
                live.session.get(f"{live.url}/v1/metrics/order_count", params={"max_event_age": "60s", "wait": "5s"}, headers=key)

        first = threading.Thread(target=wait_again_and_again)
        first.start()
        refused = wait_for(lambda: (lambda answer: answer if "Not waited for" in answer["detail"] else None)(
            get(live, "/v1/metrics/order_count", status=412, headers=key, max_event_age="60s", wait="10ms").json()))
        assert refused["code"] == "events_too_old" and refused["detail"].endswith(
            "Not waited for: 1 other requests wait (LIVE_WAITS_PER_FAMILY)."), refused
        seen.set()
        send(live, heartbeats=[{"source": "till"}], headers=key)
        first.join()

    def test_heartbeats_that_cannot_be_read_are_refused(self, live):
        for beat in ({}, {"source": ""}, {"source": "x", "watermark": "soon"}, {"source": "x", "watermark": at(3600)},
                     {"source": "x", "feeds": ["nothing"]}, {"source": "x", "feeds": []}, {"source": "x", "late": 1},
                     {"source": "x", "retired": 1}, 7):
            answer = live.post("/v1/events", {"heartbeats": [beat]}, headers=KEY)
            assert answer.status_code == 422, (beat, answer.text)
