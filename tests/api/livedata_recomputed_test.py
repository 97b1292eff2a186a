"""Metrics of two domains equal a recomputation by another database, in every window, group and series: over random
events in random order, with duplicates, late and corrected ones, deletions and joined rows that change, while more of
them arrive, and after the tables were computed anew. Calendars are those of a zone whose hours begin at half past.

ASSAY_TEST_SOAK=1 takes a hundred thousand events, and each metric in all windows and groups; the recomputation is DuckDB's where it is
installed (livedata_recomputation.py)."""

import json
import math
import os
import shutil
import time
from datetime import datetime, timedelta
from fractions import Fraction
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest

from livedata_recomputation import Draw, Recomputation, iso, micros, sent
from service import ENGINES, Service
from stack import CHECKOUT
from wait import wait_for

pytestmark = pytest.mark.both_engines
KEY = {"X-API-Key": "key-of-floor"}
SOAK = bool(os.environ.get("ASSAY_TEST_SOAK"))
EVENTS = 100_000 if SOAK else 1500
DAYS, ZONE = 40, ZoneInfo("Asia/Kolkata")
DAY = 86400 * 10**6
RATED = "CASE currency WHEN 'USD' THEN CAST((cents * 90505 + 500 - (cents * 90505 + 500) % 1000) / 1000 AS BIGINT) ELSE cents END"
ORDERS = "SELECT created_at AS t, {} AS x, user_id, status, currency FROM orders_v"
LINES = ("SELECT o.created_at AS t, i.quantity AS x, o.status, o.currency, p.category FROM items_v i JOIN orders_v o ON o.id = i.id"
         " LEFT JOIN products_v p ON p.id = i.product WHERE {}")
READINGS = ("SELECT r.own AS t, {} AS x, r.sensor, r.valid, m.site FROM readings_v r LEFT JOIN machines_v m ON m.id = r.machine"
            " WHERE {}")
MACHINES = "SELECT installed AS t, {} AS x, site FROM machines_v WHERE installed IS NOT NULL"
SHOP, FLOOR, PLACES = "orders_v2|created_at", "own_machines_reading|taken_at", "own_machines_machine|installed_at"
LINE = "order_items|order.created_at"
BY_ORDER = {"status": "status", "currency": "currency", "user_id": "user_id"}
BY_LINE = {"order.status": "status", "product.category": "category"}
BY_READING = {"machine.site": "site", "sensor": "sensor", "valid": "valid"}
# The metric's file, its rows for the recomputation, groups, and places of its values.
METRICS = {
    "orders": ("kind: count", SHOP, ORDERS.format("1"), BY_ORDER, 0),
    "amount": ("kind: sum\ncolumn: total_amount\ncurrency_of: total_amount", SHOP,
               ORDERS.format(RATED) + " WHERE currency <> 'EUR'", BY_ORDER, 2),
    "shipped": ("kind: sum\ncolumn: total_amount\nwhere: [status = shipped]", SHOP,
                ORDERS.format("cents") + " WHERE status = 'shipped'", BY_ORDER, 2),
    "buyers": ("kind: distinct\ncolumn: user_id", SHOP, ORDERS.format("CAST(substr(user_id, 5) AS BIGINT)"), BY_ORDER, 0),
    "mean": ("kind: average\ncolumn: total_amount", SHOP, ORDERS.format("cents"), BY_ORDER, 2),
    "least": ("kind: min\ncolumn: total_amount", SHOP, ORDERS.format("cents"), BY_ORDER, 2),
    "most": ("kind: max\ncolumn: total_amount", SHOP, ORDERS.format("cents"), BY_ORDER, 2),
    "p90": ("kind: quantile\nquantile: 0.9\ncolumn: total_amount", SHOP, ORDERS.format("cents"), BY_ORDER, 2),
    "sold_units": ("kind: sum\ncolumn: quantity\nwhere: [order.status != cancelled]", LINE,
                   LINES.format("o.status <> 'cancelled'"), BY_LINE, 0),
    "cups": ("kind: sum\ncolumn: quantity\nwhere: [product.category = cups]", LINE,
             LINES.format("p.category = 'cups'"), BY_LINE, 0),
    "readings": ("kind: count", FLOOR, READINGS.format("1", "true"), BY_READING, 0),
    "total": ("kind: sum\ncolumn: value", FLOOR, READINGS.format("r.value", "true"), BY_READING, 3),
    "valid_share": ("kind: average\ncolumn: valid", FLOOR, READINGS.format("r.valid", "true"), BY_READING, 0),
    "median": ("kind: quantile\nquantile: 0.5\ncolumn: value", FLOOR, READINGS.format("r.value", "true"), BY_READING, 3),
    "lowest": ("kind: min\ncolumn: value", FLOOR, READINGS.format("r.value", "true"), BY_READING, 3),
    "highest": ("kind: max\ncolumn: value\nwhere: [valid = true]", FLOOR, READINGS.format("r.value", "r.valid = 1"), BY_READING, 3),
    "sensors": ("kind: distinct\ncolumn: sensor", FLOOR, READINGS.format("CASE r.sensor WHEN 't' THEN 1 WHEN 'p' THEN 2 WHEN 'v' THEN 3 END", "true"), BY_READING, 0),
    "northern": ("kind: count\nwhere: [machine.site = north]", FLOOR, READINGS.format("1", "m.site = 'north'"), BY_READING, 0),
    "busy": ("kind: sum\ncolumn: value\nwhere: [machine.starts >= 3]", FLOOR, READINGS.format("r.value", "m.starts >= 3"),
             BY_READING, 3),
    "starts": ("kind: sum\ncolumn: starts", PLACES, MACHINES.format("starts"), {"site": "site"}, 0),
    "energy": ("kind: sum\ncolumn: energy", PLACES, MACHINES.format("energy"), {"site": "site"}, 3),
}
# A ratio by its parts.
RATIOS = {"northern_share": ("northern", "readings"), "mean_amount": ("amount", "orders")}
KINDS = {name: row[0].split("\n", maxsplit=1)[0].split(": ")[1] for name, row in METRICS.items()}
CALENDAR = ("this_hour", "today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year")
WINDOWS = (*CALENDAR, "1h", "24h", "60d")
SERIES = (("1h", 30), ("day", 38), ("15m", 4), ("week", 70))


def files(folder):
    shutil.copytree(CHECKOUT / "config/demo/machines", folder)
    (folder / "metrics").mkdir()
    texts = {name: (row[0], row[1]) for name, row in METRICS.items()}
    texts |= {name: (f"kind: ratio\nnumerator: {above}\ndenominator: {below}", METRICS[below][1])
              for name, (above, below) in RATIOS.items()}
    for name, (text, source) in texts.items():
        table, at = source.split("|")
        (folder / "metrics" / f"{name}.yaml").write_text(
            f"name: {name}\ndescription: {name}\nunit: count\nwindows: [1h, 24h, 60d]\ntable: {table}\ntime: {at}\n"
            f"source_events: [order.created]\n{text}\n")
    return folder


class Floor:
    def __init__(self, service, draw):
        self.service, self.draw, self.sent = service, draw, []
        self.recomputed, self.compared = None, 0

    def send(self, events):
        for first in range(0, len(events), 400):
            body = {"events": [sent(one) for one in events[first:first + 400]]}
            answer = self.service.post("/v1/events", body, headers=KEY)
            assert answer.status_code == 200, answer.text
            wrong = [one for one in answer.json()["results"] if one["status"] not in ("applied", "duplicate")]
            assert not wrong, wrong[:3]
        self.sent += events
        if self.recomputed:
            self.recomputed.close()
        self.recomputed = Recomputation({one["event_id"]: one for one in self.sent}.values())

    def get(self, path, **query):
        answer = self.service.get(f"/v1/metrics/{path}?{urlencode(query)}", headers=KEY, checked=False)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def stats(self, name, lo, hi, group_by=(), spans=None):
        _, _, rows, groups, _ = METRICS[name]
        found, source, names = self.recomputed.groups(rows, lo, hi, [groups[one] for one in group_by], spans)
        if KINDS[name] == "quantile":
            self.recomputed.ordered(found, source, names)
        return found

    def compare(self, name, value, stats, what):
        """`stats` of the group, or None without rows; of a ratio, those of both parts."""
        self.compared += 1
        if name in RATIOS:
            above, below = (exact(part, one) for part, one in zip(RATIOS[name], stats))
            expected = Fraction(above, 1) / below if below and above is not None else None
        else:
            expected = exact(name, stats)
        if expected is None or value is None:
            assert value is None and expected is None, (what, value, expected)
        elif name in RATIOS or KINDS[name] in ("average", "quantile"):
            assert abs(Fraction(value) - expected) <= Fraction(51, 1000000), (what, value, float(expected))
        else:
            assert value == float(expected), (what, value, float(expected))


def exact(name, stats):
    kind, one = KINDS[name], 10 ** METRICS[name][4]
    if kind in ("count", "sum", "distinct") and (not stats or not stats["values"]):
        return Fraction(0)
    if not stats or not stats["values"]:
        return None
    if kind == "count":
        return Fraction(stats["rows"])
    if kind == "distinct":
        return Fraction(stats["distinct"])
    if kind == "average":
        return Fraction(int(stats["sum"]), stats["values"] * one)
    if kind == "quantile":
        share = Fraction(9, 10) if name == "p90" else Fraction(1, 2)
        position = share * (len(stats["ordered"]) - 1)
        low, high = (stats["ordered"][index] for index in (math.floor(position), math.ceil(position)))
        return (low + (high - low) * (position - math.floor(position))) / one
    return Fraction(int(stats[kind]), one)


def range_of(window, now):
    """Of a period of the calendar at a moment, by Python's zones."""
    local = datetime.fromtimestamp(now / 10**6, ZONE)
    day = local.replace(hour=0, minute=0, second=0, microsecond=0)
    week, month, year = day - timedelta(days=day.weekday()), day.replace(day=1), day.replace(month=1, day=1)
    before = (month - timedelta(days=1)).replace(day=1)
    hour = local.replace(minute=0, second=0, microsecond=0)
    ranges = {"this_hour": (hour, hour + timedelta(hours=1)), "today": (day, day + timedelta(days=1)),
              "yesterday": (day - timedelta(days=1), day), "this_week": (week, week + timedelta(days=7)),
              "last_week": (week - timedelta(days=7), week), "this_month": (month, (month + timedelta(days=32)).replace(day=1)),
              "last_month": (before, month), "this_year": (year, year.replace(year=year.year + 1)),
              "last_year": (year.replace(year=year.year - 1), year)}
    return tuple(round(at.timestamp() * 10**6) for at in ranges[window])


def keyed(name, group_by, keys):
    """A group's key as the recomputation has it."""
    values = [keys[one] for one in group_by]
    return tuple(int(value) if isinstance(value, bool) else value for value in values), (name, keys)


def compare_window(floor, name, window, group_by):
    body = floor.get(name, window=window, group_by=",".join(group_by))
    lo, hi = micros(body["from"]), micros(body["to"]) if body.get("to") else 2**60
    if window in CALENDAR:
        assert (lo, hi) in {range_of(window, micros(body["computed_at"]) - shift) for shift in (0, 10**6)}, (window, body["from"])
    parts = RATIOS.get(name, (name,))
    found = [floor.stats(part, lo, hi, group_by) for part in parts]
    totals = [floor.stats(part, lo, hi).get(()) for part in parts]
    one = (lambda stats: stats) if name in RATIOS else (lambda stats: stats[0])
    floor.compare(name, body["value"], one(totals), (name, window))
    seen = set()
    for group in body.get("groups", []):
        key, what = keyed(name, group_by, group["keys"])
        seen.add(key)
        floor.compare(name, group["value"], one([stats.get(key) for stats in found]), (window, what))
    assert seen == set(found[-1]), (name, window, group_by)


def compare_series(floor, name, step, days):
    end = floor.draw.now + 1800 * 10**6
    end -= end % (1800 * 10**6)
    start = end - days * DAY
    body = floor.get(f"{name}/series", step=step, **{"from": iso(start), "to": iso(end)})
    starts = [micros(point["at"]) for point in body["points"]]
    assert starts[0] == start and starts == sorted(set(starts)) and body["time_zone"] == ZONE.key
    spans = [*starts, end]
    found = [floor.stats(part, start, end, (), spans) for part in RATIOS.get(name, (name,))]
    for index, point in enumerate(body["points"]):
        stats = [one.get((index,)) for one in found]
        floor.compare(name, point["value"], stats if name in RATIOS else stats[0], (name, step, point["at"]))
    if name == "amount":
        euros = floor.recomputed.query(f"SELECT count(*) FROM orders_v WHERE currency = 'EUR' AND created_at >= {start}"
                                       f" AND created_at < {end}")[0][0]
        assert body.get("currencies_not_added", []) == (["EUR"] if euros else []), body.get("currencies_not_added")


def group_sets(name):
    """One column, another one, all that both parts of a ratio have."""
    groups = sorted(METRICS[RATIOS[name][1] if name in RATIOS else name][3])
    return [(groups[0],), (groups[-1],), tuple(groups[:2])]


def compare_all(floor, parts):
    """One of `parts` windows, groups and series of each metric, of another one each time; 1 = all."""
    for turn, name in enumerate((*METRICS, *RATIOS)):
        sets = group_sets(name)
        for number, window in enumerate(WINDOWS):
            if (turn + number) % parts == 0:
                compare_window(floor, name, window, sets[(turn + number // parts) % len(sets)])
        for number, (step, days) in enumerate(SERIES):
            if (turn + number) % parts == 0:
                compare_series(floor, name, step, days)


def kept(floor):
    return int(floor.service.sql("SELECT count(*) FROM series_points")[0][0])


def all_kept(floor):
    """Whether another call keeps no more points: those of the past are all kept."""
    before = kept(floor)
    compare_series(floor, "total", "1h", 30)
    compare_series(floor, "amount", "1h", 30)
    return before and kept(floor) == before


@pytest.fixture(scope="module", params=ENGINES)
def floor(request, tmp_path_factory):
    now = int(time.time()) * 10**6
    draw = Draw(os.environ.get("ASSAY_TEST_SEED") or f"recomputed {request.param} {now // DAY}", EVENTS, now, DAYS)
    folder = files(tmp_path_factory.mktemp("recomputed") / "machines")
    with Service("livedata", {"LIVE_API_KEYS": "key-of-floor:floor", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_TIME_ZONE": ZONE.key,
                              "LIVE_CURRENCY_RATES": "USD=90.505", "LIVE_QUERY_ROWS_MAX": "10000",
                              "LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{folder}"}, request.param) as service:
        yield Floor(service, draw)


def test_metrics_and_series_equal_a_recomputation(floor):
    """First with most of the events; then while the rest comes, over points that were kept; then all, and rebuilt."""
    events = floor.draw.arriving
    most = len(events) * 9 // 10
    floor.send(events[:most])
    for name in (*METRICS, *RATIOS):
        compare_series(floor, name, "1h", 30)
    wait_for(lambda: all_kept(floor))
    rest = events[most:]
    for first in range(0, len(rest), len(rest) // 2 + 1):
        floor.send(rest[first:first + len(rest) // 2 + 1])
        for name in (*METRICS, *RATIOS):
            compare_series(floor, name, "1h", 30)
    compare_all(floor, 1 if SOAK else 3)
    wait_for(lambda: all_kept(floor))
    rebuilt = floor.service.run("livedata-check", "--rebuild", "machine", "reading")
    assert rebuilt.returncode == 0, rebuilt.stderr
    compare_all(floor, 1 if SOAK else 6)
    checked = floor.service.run("livedata-check")
    assert checked.returncode == 0, checked.stdout
    print(f"{json.dumps(floor.draw.events[0]['event_id'])}: {floor.compared} values of {len(floor.draw.events)} events")
