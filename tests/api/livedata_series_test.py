"""Kept points of series: what a call with an empty filter computes from rows, whatever has changed since they were kept.
livedata_recomputed_test.py compares orders and domains with another database; here are sessions and the journal."""

import uuid
from datetime import datetime, timedelta, timezone
from urllib.parse import urlencode

import pytest

from service import ENGINES, Service
from wait import wait_for

pytestmark = pytest.mark.both_engines
KEY = {"X-API-Key": "key-of-shop"}
NAMES = ("conversion_rate", "error_rate", "revenue")
HOUR = datetime.now(timezone.utc).replace(minute=0, second=0, microsecond=0)


@pytest.fixture(scope="module", params=ENGINES)
def shop(request):
    with Service("livedata", {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000"}, request.param) as service:
        yield service


def event(kind, hours, **members):
    return {"event_id": str(uuid.uuid4()), "event_type": kind, "source": "shop",
            "timestamp": (HOUR - timedelta(hours=hours, minutes=-7)).isoformat(), **members}


def click(session, hours, page):
    return event("page_view", hours, session_id=session, user_id="USR-1", page_url=page, user_agent="test")


def order(number, hours, amount):
    return event("order.created", hours, order_id=f"ORD-20260404-{number}", user_id="USR-1", status="pending",
                 total_amount=amount, items=[{"product_id": "PROD-1", "quantity": 1, "unit_price": amount}])


def send(shop, *events):
    answer = shop.post("/v1/events", {"events": events}, headers=KEY)
    assert answer.status_code == 200, answer.text
    return answer.json()


def text(at):
    return at.isoformat().replace("+00:00", "Z")


def points(shop, name, **more):
    query = {"step": "1h", "from": text(HOUR - timedelta(hours=30)), "to": text(HOUR), **more}
    answer = shop.get(f"/v1/metrics/{name}/series?{urlencode(query)}", headers=KEY)
    assert answer.status_code == 200, answer.text
    return {point["at"]: point["value"] for point in answer.json()["points"]}


def kept(shop):
    return int(shop.sql("SELECT count(*) FROM series_points")[0][0])


def keep(shop):
    """Until all whole hours of the three series are kept; their points."""
    def all_kept():
        found = {name: points(shop, name) for name in NAMES}
        return found if kept(shop) == len(NAMES) * 30 else None
    return wait_for(all_kept)


def changed(shop, before, name):
    """The hours whose points differ now; all are those of a computation from rows."""
    now = {one: points(shop, one) for one in NAMES}
    assert now == {one: points(shop, one, filter=" ") for one in NAMES}
    return [at for at, value in now[name].items() if value != before[name].get(at)]


def test_points_follow_what_changes_below_them(shop):
    wrong = {**order(1003, 5, "1"), "total_amount": "much"}
    assert send(shop, click("S-1", 4, "/products/1"), click("S-2", 4, "/"), order(1001, 6, "10"), order(1002, 6, "20"),
                wrong)["dead_lettered"] == 1
    shop.sql("UPDATE pipeline_events SET processed_at = processed_at - 10800000000")  # so that its hour is over
    before = keep(shop)
    assert [value for value in before["conversion_rate"].values() if value is not None] == [0]
    assert changed(shop, before, "revenue") == []
    send(shop, click("S-1", 9, "/checkout"))  # late: the session begins five hours earlier
    assert len(changed(shop, before, "conversion_rate")) == 1
    assert sorted(value for value in points(shop, "conversion_rate").values() if value is not None) == [0, 1]
    send(shop, {**order(1002, 8, "25"), "event_type": "order.updated"})  # late, and older: only the beginning moves
    assert len(changed(shop, before, "revenue")) == 2
    answer = shop.post(f"/v1/deadletter/{wrong['event_id']}/replay", {"corrected_payload": {"total_amount": "1"}}, headers=KEY)
    assert answer.status_code == 200, answer.text
    hour = [at for at, value in before["error_rate"].items() if value is not None]
    assert set(hour) & set(changed(shop, before, "error_rate"))


def test_only_whole_hours_of_the_metric_itself_are_kept(shop):
    keep(shop)
    points(shop, "revenue", filter="status = pending")
    points(shop, "revenue", **{"from": text(HOUR - timedelta(hours=9, minutes=20))})
    assert kept(shop) == len(NAMES) * 30
    assert shop.sql("SELECT count(*) FROM series_points WHERE ends_at - starts_at <> 3600000000") == [["0"]]
