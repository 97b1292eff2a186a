"""Measures of metrics against an independent recomputation in decimals, over random events that arrive in random
order with duplicates: every kind, filters, groups, periods of the calendar and series, also over days of 23 and 25
hours and in a zone that differs by a quarter of an hour."""

import random
import shutil
import uuid
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest

from service import Service
from stack import CHECKOUT

pytestmark = pytest.mark.both_engines
KEY = {"X-API-Key": "key-of-shop"}
RATES = {"RUB": Decimal(1), "USD": Decimal("90.505")}  # EUR has no rate
METRICS = {
    "orders": "kind: count\ntable: orders_v2\ntime: created_at",
    "units": "kind: sum\ncolumn: quantity\ntable: order_items\ntime: order.created_at\nwhere: [order.status != cancelled]",
    "amount": "kind: sum\ncolumn: total_amount\ncurrency_of: total_amount\ntable: orders_v2\ntime: created_at",
    "buyers": "kind: distinct\ncolumn: user_id\ntable: orders_v2\ntime: created_at",
    "mean": "kind: average\ncolumn: total_amount\ntable: orders_v2\ntime: created_at",
    "least": "kind: min\ncolumn: total_amount\ntable: orders_v2\ntime: created_at",
    "most": "kind: max\ncolumn: total_amount\ntable: orders_v2\ntime: created_at",
    "p90": "kind: quantile\nquantile: 0.9\ncolumn: total_amount\ntable: orders_v2\ntime: created_at",
    "units_an_order": "kind: ratio\nnumerator: units\ndenominator: orders\ntable: orders_v2\ntime: created_at",
}
CATEGORIES = {"PROD-1": "cups", "PROD-2": "plates", "PROD-3": "it's; odd|cat"}
# The newest year that has both changes of clocks behind it, and that year as a window.
NOW = datetime.now(timezone.utc)
YEAR, WINDOW = (NOW.year, "this_year") if NOW.month > 11 or (NOW.month, NOW.day) > (11, 7) else (NOW.year - 1, "last_year")


def last_sunday(month):
    end = datetime(YEAR, month, 31)
    return end - timedelta(days=(end.weekday() + 1) % 7)


# Around both changes of clocks in Berlin.
CHANGES = [last_sunday(3), last_sunday(10)]
DAYS = [(change - timedelta(days=2)).replace(tzinfo=timezone.utc) for change in CHANGES]
RUNS = [("sqlite", "Europe/Berlin"), ("sqlite", "Asia/Kathmandu"),
        pytest.param(("postgres", "Europe/Berlin"), marks=pytest.mark.postgres),
        pytest.param(("postgres", "Asia/Kathmandu"), marks=pytest.mark.postgres)]


def draw(rng):
    """Orders by number, as they are at the end, and the events that lead there."""
    orders, events = {}, []
    for number in range(1001, 1301):
        at = rng.choice(DAYS) + timedelta(seconds=rng.randrange(5 * 86400))
        currency = rng.choice(["RUB", "RUB", "USD", "EUR"])
        lines = [(product, rng.randint(1, 9), Decimal(rng.randint(1, 99999)) / 100)
                 for product in rng.sample(sorted(CATEGORIES), rng.randint(1, 3))]
        order = {"at": at, "user": f"USR-{rng.randint(1, 40)}", "currency": currency, "lines": lines,
                 "total": sum(count * price for _, count, price in lines), "status": "pending"}
        states = ["pending"] + ([rng.choice(["confirmed", "cancelled"])] if rng.random() < 0.6 else [])
        for step, status in enumerate(states):
            order["status"] = status
            events.append({
                "event_id": str(uuid.UUID(int=rng.getrandbits(128), version=4)), "source": "shop",
                "event_type": ("order.created" if not step else
                               "order.cancelled" if status == "cancelled" else "order.updated"),
                "timestamp": (at + timedelta(seconds=step * 60)).isoformat(), "order_id": f"ORD-20260404-{number}",
                "user_id": order["user"], "status": status, "currency": currency, "total_amount": str(order["total"]),
                "items": [{"product_id": product, "quantity": count, "unit_price": str(price)}
                          for product, count, price in lines]})
        orders[number] = order
    events += [{"event_id": str(uuid.UUID(int=rng.getrandbits(128), version=4)), "source": "shop",
                "event_type": "product.updated", "timestamp": DAYS[0].isoformat(), "product_id": product,
                "name": product, "category": category, "price": "1", "in_stock": True, "stock_quantity": 5}
               for product, category in CATEGORIES.items()]
    events += rng.sample(events, 60)
    rng.shuffle(events)
    return list(orders.values()), events


@pytest.fixture(scope="module", params=RUNS, ids="-".join)
def shop(request, tmp_path_factory):
    engine, zone = request.param
    folder = tmp_path_factory.mktemp("metrics")
    shutil.copytree(CHECKOUT / "config/livedata/metrics", folder, dirs_exist_ok=True)
    for name, text in METRICS.items():
        (folder / f"{name}.yaml").write_text(
            f"name: {name}\ndescription: {name}\nunit: count\nwindows: [1h, 24h]\nsource_events: [order.created]\n{text}\n")
    orders, events = draw(random.Random(f"{engine} {zone}"))
    with Service("livedata", {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000",
                              "LIVE_METRICS_DIR": str(folder), "LIVE_TIME_ZONE": zone,
                              "LIVE_CURRENCY_RATES": "USD=90.505"}, engine) as service:
        for start in range(0, len(events), 200):
            answer = service.post("/v1/events", {"events": events[start:start + 200]}, headers=KEY)
            assert answer.status_code == 200, answer.text
            assert not [one for one in answer.json()["results"] if one["status"] not in ("applied", "duplicate")], answer.text
        service.orders, service.zone = orders, ZoneInfo(zone)
        yield service


def get(shop, path, status=200, **query):
    answer = shop.get(f"{path}?{urlencode(query)}", headers=KEY)
    assert answer.status_code == status, answer.text
    return answer.json()


def converted(order):
    return (order["total"] * RATES[order["currency"]]).quantize(Decimal("0.01"), ROUND_HALF_UP)


def units(orders):
    return sum(count for order in orders if order["status"] != "cancelled" for _, count, _ in order["lines"])


def quantile(values, share):
    values = sorted(Fraction(value) for value in values)
    position = share * (len(values) - 1)
    low = int(position)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (position - low)


def totals(orders):
    return [order["total"] for order in orders]


EXPECTED = {
    "orders": len,
    "units": units,
    "amount": lambda orders: sum(converted(order) for order in orders if order["currency"] in RATES),
    "buyers": lambda orders: len({order["user"] for order in orders}),
    "mean": lambda orders: sum(map(Fraction, totals(orders))) / len(orders) if orders else None,
    "least": lambda orders: min(totals(orders)) if orders else None,
    "most": lambda orders: max(totals(orders)) if orders else None,
    "p90": lambda orders: quantile(totals(orders), Fraction(9, 10)) if orders else None,
    "units_an_order": lambda orders: Fraction(units(orders), len(orders)) if orders else None,
}
ROUNDED = {"mean", "p90", "units_an_order"}


def check(name, value, orders):
    expected = EXPECTED[name](orders)
    if expected is None:
        assert value is None, (name, value)
    elif name in ROUNDED:
        assert abs(Fraction(value) - Fraction(expected)) <= Fraction(51, 1000000), (name, value, float(expected))
    else:
        assert value == float(expected), (name, value, expected)


def local_start(at, zone, step):
    local = at.astimezone(zone)
    return (local.date() if step == "day" else local.date() - timedelta(days=local.weekday()) if step == "week"
            else local.date().replace(day=1))


def instant(date, zone):
    return datetime(date.year, date.month, date.day, tzinfo=zone).astimezone(timezone.utc)


def text(at):
    return at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize("name", METRICS)
class TestEachKind:
    def test_the_year_and_groups_by_column(self, shop, name):
        if name == "units_an_order":  # of its parts, one has no column of that name
            get(shop, f"/v1/metrics/{name}", 422, window=WINDOW, group_by="status")
        column = {"units": "order.status", "units_an_order": "month"}.get(name, "status")
        body = get(shop, f"/v1/metrics/{name}", window=WINDOW, group_by=column)
        check(name, body["value"], shop.orders)
        assert (body["time_zone"], body["to"]) == (shop.zone.key, text(instant(datetime(YEAR + 1, 1, 1), shop.zone)))
        expected = defaultdict(list)
        for order in shop.orders:
            month = text(instant(local_start(order["at"], shop.zone, "month"), shop.zone))
            expected[month if column == "month" else order["status"]].append(order)
        groups = {group["keys"].get(column) or group["at"]: group["value"] for group in body["groups"]}
        assert set(groups) == set(expected) - ({"cancelled"} if name == "units" else set())
        for key, value in groups.items():
            check(name, value, expected[key])

    def test_filters(self, shop, name):
        status = "order.status" if name == "units" else "status"
        if name == "units_an_order":
            get(shop, f"/v1/metrics/{name}", 422, window=WINDOW, filter="status = pending")
            return
        body = get(shop, f"/v1/metrics/{name}", window=WINDOW, filter=f"{status} = pending|confirmed")
        check(name, body["value"], [order for order in shop.orders if order["status"] != "cancelled"])
        body = get(shop, f"/v1/metrics/{name}", window=WINDOW, filter=f"{status} != pending; {status}!=confirmed")
        check(name, body["value"], [order for order in shop.orders if order["status"] == "cancelled"])

    @pytest.mark.parametrize("step", ["1h", "15m", "6h", "day", "week", "month"])
    def test_series(self, shop, name, step):
        for day in DAYS:
            start, end = day - timedelta(hours=7), day + timedelta(days=6, minutes=13)
            points = get(shop, f"/v1/metrics/{name}/series", step=step, **{"from": text(start), "to": text(end)})["points"]
            starts = [datetime.fromisoformat(point["at"]) for point in points]
            assert starts[0] == start and starts == sorted(set(starts)) and starts[-1] < end
            buckets = defaultdict(list)
            for order in shop.orders:
                if start <= order["at"] < end:
                    buckets[max(at for at in starts if at <= order["at"])].append(order)
            for at, point in zip(starts, points):
                check(name, point["value"], buckets[at])


class TestCalendar:
    @pytest.mark.parametrize("step", ["day", "week", "month"])
    def test_buckets_begin_where_the_zone_says(self, shop, step):
        start, end = DAYS[0] - timedelta(days=40), DAYS[0] + timedelta(days=40)
        points = get(shop, "/v1/metrics/orders/series", step=step, **{"from": text(start), "to": text(end)})["points"]
        expected, at = {text(start)}, start
        while at < end:
            begins = instant(local_start(at, shop.zone, step), shop.zone)
            expected |= {text(begins)} if begins > start else set()
            at += timedelta(hours=1)
        assert {point["at"] for point in points} == expected

    def test_hours_of_a_short_and_a_long_day(self, shop):
        for day, hours in zip(CHANGES, (23, 25)):
            start, end = instant(day, shop.zone), instant(day + timedelta(days=1), shop.zone)
            points = get(shop, "/v1/metrics/orders/series", step="1h", **{"from": text(start), "to": text(end)})["points"]
            assert len(points) == (hours if shop.zone.key == "Europe/Berlin" else 24)
            assert [datetime.fromisoformat(point["at"]).astimezone(shop.zone).minute for point in points] == [0] * len(points)

    def test_groups_by_day_and_by_related_rows(self, shop):
        body = get(shop, "/v1/metrics/units", window=WINDOW, group_by="product.category,day")
        expected = defaultdict(int)
        for order in shop.orders:
            begins = text(instant(local_start(order["at"], shop.zone, "day"), shop.zone))
            for product, count, _ in order["lines"]:
                if order["status"] != "cancelled":
                    expected[CATEGORIES[product], begins] += count
        assert {(group["keys"]["product.category"], group["at"]): group["value"] for group in body["groups"]} == expected

    def test_blanks_around_groups(self, shop):
        plain, spaced = (get(shop, "/v1/metrics/units", window=WINDOW, group_by=groups)["groups"]
                         for groups in ("product.category,order.status,day", " product.category, order.status , day "))
        assert spaced == plain
        assert all(group["at"] for group in spaced)

    def test_values_with_signs_of_the_grammar(self, shop):
        body = get(shop, "/v1/metrics/units", window=WINDOW, filter=r"product.category = it's\; odd\|cat")
        assert body["value"] == sum(count for order in shop.orders if order["status"] != "cancelled"
                                    for product, count, _ in order["lines"] if product == "PROD-3")

    def test_numbers_and_times_in_filters(self, shop):
        body = get(shop, "/v1/metrics/orders", window=WINDOW,
                   filter=f"total_amount >= 1000.50; created_at < {text(DAYS[1])}")
        assert body["value"] == sum(order["total"] >= Decimal("1000.5") and order["at"] < DAYS[1] for order in shop.orders)


class TestMoney:
    def test_currencies_without_a_rate_are_named(self, shop):
        body = get(shop, "/v1/metrics/amount", window=WINDOW, group_by="currency")
        assert body["meta"]["currencies_not_added"] == ["EUR"]
        assert {group["keys"]["currency"] for group in body["groups"]} == {"RUB", "USD"}
        assert body["unit"] == "RUB"

    def test_the_shop_in_sql_and_as_a_measure_agree(self, shop):
        for metric in ("revenue", "order_count", "avg_order_value", "error_rate", "conversion_rate"):
            plain = get(shop, f"/v1/metrics/{metric}", window="24h")
            typed = get(shop, f"/v1/metrics/{metric}", window="24h", filter=" ")
            assert plain["value"] == typed["value"], metric


class TestRefusals:
    @pytest.mark.parametrize("path,query,code", [
        ("orders", {"group_by": "nothing"}, "unknown_column"),
        ("orders", {"group_by": "product.category"}, "unknown_column"),
        ("orders", {"filter": "status"}, "filter_invalid"),
        ("orders", {"filter": "total_amount = much"}, "filter_invalid"),
        ("orders", {"filter": "status < a|b"}, "filter_invalid"),
        ("orders", {"window": "7d", "filter": "status=pending"}, "unsupported_window"),
        ("active_sessions", {"window": "now", "group_by": "user_id"}, "no_measure"),
        ("orders/series", {"step": "7m"}, "step_invalid"),
        ("orders/series", {"step": "1m", "from": "2026-01-01"}, "too_many_points"),
        ("orders/series", {"from": "2026-02-01", "to": "2026-01-01"}, "range_invalid"),
    ])
    def test_what_cannot_be_computed(self, shop, path, query, code):
        assert get(shop, f"/v1/metrics/{path}", 422, **query)["code"] == code

    def test_hostile_filters_read_nothing_else(self, shop):
        for value in ("' OR 1=1 --", "'; DROP TABLE orders_v2; --", "\\' OR '1'='1", "x' UNION SELECT 1 --"):
            assert get(shop, "/v1/metrics/orders", window=WINDOW, filter=f"status = {value}".replace(";", "\\;"))["value"] == 0
