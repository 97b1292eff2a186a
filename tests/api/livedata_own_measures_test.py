"""Measures over a domain of one's own: decimals, flags, relations, corrections and deletions, in random order with
duplicates, against a recomputation in decimals."""

import random
import shutil
import uuid
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from urllib.parse import urlencode

import pytest

from service import ENGINES, Service
from stack import CHECKOUT

pytestmark = pytest.mark.both_engines
KEY = {"X-API-Key": "key-of-floor"}
METRICS = {
    "readings": "kind: count",
    "total": "kind: sum\ncolumn: value",
    "mean": "kind: average\ncolumn: value",
    "median": "kind: quantile\nquantile: 0.5\ncolumn: value",
    "least": "kind: min\ncolumn: value",
    "most": "kind: max\ncolumn: value",
    "sensors": "kind: distinct\ncolumn: sensor",
    "valid_share": "kind: average\ncolumn: valid",
    "northern": "kind: ratio\nnumerator: {kind: count, where: [machine.site = north]}\ndenominator: readings",
}
TODAY = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
START, WINDOW = ((TODAY - timedelta(days=10), "this_year") if TODAY.timetuple().tm_yday > 12 else
                 (TODAY.replace(year=TODAY.year - 1, month=12, day=10), "last_year"))
SITES = {f"M-{number}": ["north", "south", "west"][number % 3] for number in range(7)}


def event(rng, kind, at, **more):
    return {"event_id": str(uuid.UUID(int=rng.getrandbits(128), version=4)), "event_type": kind,
            "timestamp": at.isoformat(), "source": "floor", **more}


def draw(rng):
    events = [event(rng, "machine.registered", START, machine_id=machine, name=machine, site=site)
              for machine, site in SITES.items()]
    rows = []
    for number in range(300):
        at = START + timedelta(seconds=rng.randrange(3 * 86400))
        row = {"at": at, "machine": rng.choice(sorted(SITES)), "sensor": rng.choice("tpv"),
               "value": Decimal(rng.randint(-99999, 99999)) / 1000, "valid": rng.random() < 0.8}
        identity = {"reading_id": f"R-{number}"}
        events.append(event(rng, "reading.taken", at, machine_id=row["machine"], sensor=row["sensor"], **identity,
                            data={"value": str(row["value"]), "valid": row["valid"]}))
        if rng.random() < 0.3:
            row |= {"value": Decimal(rng.randint(-99999, 99999)) / 1000, "valid": False}
            events.append(event(rng, "reading.corrected", at + timedelta(seconds=5), **identity,
                                data={"value": str(row["value"]), "valid": False}))
        if rng.random() < 0.1:
            events.append(event(rng, "reading.withdrawn", at + timedelta(seconds=9), **identity))
        else:
            rows.append(row)
    events += rng.sample(events, 50)
    rng.shuffle(events)
    return rows, events


@pytest.fixture(scope="module", params=ENGINES)
def floor(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("own") / "machines"
    shutil.copytree(CHECKOUT / "config/demo/machines", folder)
    (folder / "metrics").mkdir()
    for name, text in METRICS.items():
        (folder / "metrics" / f"{name}.yaml").write_text(
            f"name: {name}\ndescription: {name}\nunit: count\ntable: own_machines_reading\ntime: taken_at\nwindows: [1h, 24h, 60d]\n"
            f"source_events: [reading.taken]\n{text}\n")
    (folder / "metrics/sql_total.yaml").write_text(
        "name: sql_total\ndescription: total\nunit: count\ntable: own_machines_reading\ntime: taken_at\nwindows: [1h, 60d]\n"
        "source_events: [reading.taken]\nvalue: SUM(value)\nfilter: sensor = 't'\nempty: zero\n")
    rows, events = draw(random.Random(f"own {request.param}"))
    with Service("livedata", {"LIVE_API_KEYS": "key-of-floor:floor", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_ADMIN_KEY": "admin-key",
                              "LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{folder}"}, request.param) as service:
        for start in range(0, len(events), 200):
            answer = service.post("/v1/events", {"events": events[start:start + 200]}, headers=KEY)
            assert not [one for one in answer.json()["results"] if one["status"] not in ("applied", "duplicate")], answer.text
        service.rows = rows
        yield service


def get(floor, path, **query):
    answer = floor.get(f"{path}?{urlencode(query)}", headers=KEY)
    assert answer.status_code == 200, answer.text
    return answer.json()


def limited(floor, *types):
    """A key that may read these types alone."""
    body = {"name": "-".join(types), "tenant": "default", "allowed_entity_types": list(types), "rate_limit_rpm": 100000}
    answer = floor.post("/v1/admin/keys", body, headers={"X-Admin-Key": "admin-key"})
    assert answer.status_code == 201, answer.text
    return {"X-API-Key": answer.json()["key"]}


def values(rows):
    return sorted(Fraction(row["value"]) for row in rows)


def median(rows):
    ordered = values(rows)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


EXPECTED = {
    "readings": len,
    "total": lambda rows: sum(row["value"] for row in rows),
    "mean": lambda rows: sum(values(rows)) / len(rows) if rows else None,
    "median": lambda rows: median(rows) if rows else None,
    "least": lambda rows: min(row["value"] for row in rows) if rows else None,
    "most": lambda rows: max(row["value"] for row in rows) if rows else None,
    "sensors": lambda rows: len({row["sensor"] for row in rows}),
    "valid_share": lambda rows: Fraction(sum(row["valid"] for row in rows), len(rows)) if rows else None,
    "northern": lambda rows: Fraction(sum(SITES[row["machine"]] == "north" for row in rows), len(rows)) if rows else None,
}


def check(name, value, rows):
    expected = EXPECTED[name](rows)
    if expected is None:
        assert value is None, (name, value)
    elif name in ("mean", "median", "valid_share", "northern"):
        assert abs(Fraction(value) - Fraction(expected)) <= Fraction(51, 1000000), (name, value, float(expected))
    else:
        assert value == float(expected), (name, value, expected)


@pytest.mark.parametrize("name", METRICS)
class TestEachKind:
    def test_groups_by_a_relation(self, floor, name):
        body = get(floor, f"/v1/metrics/{name}", window=WINDOW, group_by="machine.site")
        check(name, body["value"], floor.rows)
        groups = {group["keys"]["machine.site"]: group["value"] for group in body["groups"]}
        assert set(groups) == {SITES[row["machine"]] for row in floor.rows}
        for site, value in groups.items():
            check(name, value, [row for row in floor.rows if SITES[row["machine"]] == site])

    def test_a_filter(self, floor, name):
        body = get(floor, f"/v1/metrics/{name}", window=WINDOW, filter="valid = true; value >= -10.5; machine.site != west")
        check(name, body["value"], [row for row in floor.rows if row["valid"] and row["value"] >= Decimal("-10.5")
                                    and SITES[row["machine"]] != "west"])

    def test_a_series(self, floor, name):
        end = START + timedelta(days=3)
        points = get(floor, f"/v1/metrics/{name}/series", step="2h",
                     **{"from": START.strftime("%Y-%m-%dT%H:%M:%SZ"), "to": end.strftime("%Y-%m-%dT%H:%M:%SZ")})["points"]
        assert len(points) == 36
        buckets = defaultdict(list)
        for row in floor.rows:
            buckets[(row["at"] - START) // timedelta(hours=2)].append(row)
        for index, point in enumerate(points):
            check(name, point["value"], buckets[index])


@pytest.mark.parametrize(("question", "select"), {
    "list readings": "rows", "show the readings with a value above 5": "rows", "покажи readings": "rows", "zeige readings": "rows",
    "how many readings": "count", "readings by sensor": "metric", "readings": "metric"}.items())
def test_rows_are_listed_although_a_metric_has_the_name_of_their_entity(floor, question, select):
    answer = floor.post("/v1/query/explain", {"question": question}, headers=KEY)
    assert answer.json()["plan"]["select"] == select, answer.text


def test_a_column_of_a_related_row_is_suggested(floor):
    answer = floor.get("/v1/metrics/readings?window=24h&group_by=site", headers=KEY)
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_column"), answer.text
    assert "Did you mean 'machine.site'?" in answer.json()["detail"]


def test_a_metric_in_sql_is_computed_over_a_table_of_the_domain(floor):
    body = get(floor, "/v1/metrics/sql_total", window="60d")
    assert body["value"] == float(sum(row["value"] for row in floor.rows if row["sensor"] == "t"))
    assert get(floor, "/v1/metrics/sql_total", window="1h")["value"] == 0


class TestMetricsOverSeveralTables:
    """`northern` has a join with machines in one of its parts."""

    def test_a_key_must_be_allowed_to_read_all_of_them(self, floor):
        key = limited(floor, "reading")
        for path in ("/v1/metrics/northern?window=60d", "/v1/metrics/northern?window=this_year", "/v1/metrics/northern/series"):
            answer = floor.get(path, headers=key)
            assert (answer.status_code, answer.json()["code"]) == (403, "metric_forbidden"), answer.text
        assert floor.get("/v1/metrics/readings?window=60d", headers=key).status_code == 200
        batch = {"requests": [{"id": name, "type": "metric", "params": {"name": name}} for name in ("northern", "readings")]}
        results = floor.post("/v1/batch", batch, headers=key).json()["results"]
        assert [(one["id"], one["status"]) for one in results] == [("northern", "error"), ("readings", "ok")]
        rule = {"name": "north", "metric": "northern", "window": "1h", "condition": "above", "threshold": 1}
        for path in ("/v1/alerts", "/v1/alerts/preview"):
            answer = floor.post(path, rule, headers=key)
            assert (answer.status_code, answer.json()["code"]) == (403, "metric_forbidden"), answer.text
        found = floor.get("/v1/search?q=northern", headers=key).json()["results"]
        assert "Current value is unknown" in next(one["snippet"] for one in found if one["id"] == "northern")

    def test_a_cached_value_ends_with_a_change_of_any_of_them(self, floor):
        def moved(site, second):
            changed = event(random.Random(), "machine.changed", START + timedelta(days=4, seconds=second), machine_id="M-0",
                            site=site)
            return floor.post("/v1/events", {"events": [changed]}, headers=KEY).json()["position"]

        before = get(floor, "/v1/metrics/northern", window="60d")["value"]
        assert floor.get("/v1/metrics/northern?window=60d", headers=KEY).headers["X-Cache"] == "HIT"
        position = moved("south", 1)
        rows = [row for row in floor.rows if row["machine"] != "M-0" and SITES[row["machine"]] == "north"]
        body = get(floor, "/v1/metrics/northern", window="60d", at_least=position)
        assert abs(body["value"] - len(rows) / len(floor.rows)) < 0.0001
        position = moved("north", 2)
        assert get(floor, "/v1/metrics/northern", window="60d", at_least=position)["value"] == before

    @pytest.mark.parametrize("path, query", [("northern", {"window": "60d"}), ("northern/series", {}),
                                             ("readings", {"window": WINDOW, "group_by": "machine.site"})])
    def test_the_slowest_source_of_any_of_them_counts(self, floor, path, query):
        beats = [{"source": "registry", "feeds": ["machine"], "watermark": (TODAY - timedelta(days=1)).isoformat()},
                 {"source": "floor", "feeds": ["reading"]}]
        assert floor.post("/v1/events", {"events": [], "heartbeats": beats}, headers=KEY).status_code == 200
        get(floor, "/v1/metrics/readings", window="60d", max_event_age="1h")
        answer = floor.get(f"/v1/metrics/{path}?{urlencode(query | {'max_event_age': '1h'})}", headers=KEY)
        assert (answer.status_code, answer.json()["code"]) == (412, "events_too_old"), answer.text
        batch = {"requests": [{"id": "1", "type": "metric", "params": {"name": "northern"}}], "max_event_age": "1h"}
        assert floor.post("/v1/batch", batch, headers=KEY).status_code == 412
        floor.post("/v1/events", {"events": [], "heartbeats": [one | {"retired": True} for one in beats]}, headers=KEY)
