"""Service levels of the service, of entities and of metrics: their files, and their budget over time against a
recomputation from the rows; what is fresh, stale or silent and why; the rate of events."""

import random
import shutil
import time
import uuid
from datetime import datetime, timedelta, timezone
from fractions import Fraction

import pytest

from service import ENGINES, Service
from stack import CHECKOUT

pytestmark = pytest.mark.both_engines
KEY = {"X-API-Key": "key-of-floor"}
HOUR, DAY = 3600, 86400
NOW = int(datetime.now(timezone.utc).timestamp())
END = NOW // DAY * DAY - DAY  # the series that are recomputed end a day before today
SILENCE = NOW - 6 * DAY, NOW - 5 * DAY // 2  # of the sensor that paused
KINDS = {"order": ["order.created", "order.updated"], "product": ["product.updated"], "reading": ["reading.taken", "reading.corrected"]}
METRICS = {
    "mean_value": "kind: average\ncolumn: value\nwhere: [sensor = t]",
    "taken": "kind: count\nwhere: [sensor = t]",
    "paused": "kind: count\nwhere: [sensor = paused]",
    "ended": "kind: count\nwhere: [sensor = ended]",
    "never": "kind: count\nwhere: [sensor = none]",
    "ended_share": "kind: ratio\nempty: zero\nnumerator: {kind: count, where: [sensor = ended, value > 0]}\n"
                   "denominator: {kind: count, where: [sensor = ended]}",
}
LEVELS = {
    "all_fresh": {"measurement": "freshness_seconds", "threshold": 600, "target": 0.02, "window_days": 2},
    "readings_fresh": {"measurement": "freshness_seconds", "threshold": 900, "target": 0.01, "window_days": 3, "entity": "reading"},
    "users_fresh": {"measurement": "freshness_seconds", "threshold": 1800, "target": 0.02, "window_days": 1, "entity": "user"},
    "mean_fresh": {"measurement": "freshness_seconds", "threshold": 1200, "target": 0.005, "window_days": 1, "metric": "mean_value"},
    "all_applied": {"measurement": "error_rate_percent", "threshold": 1, "target": 0.5, "window_days": 5},
    "readings_applied": {"measurement": "error_rate_percent", "threshold": 1, "target": 0.6, "window_days": 2, "entity": "reading"},
    "quick": {"measurement": "p95_latency_ms", "threshold": 50, "target": 0.3, "window_days": 20},
    "mean_within": {"measurement": "metric_value", "target": 0.25, "window_days": 2, "metric": "mean_value", "minimum": 0, "maximum": 60,
                    "every": "30m"},
    "enough": {"measurement": "metric_value", "target": 0.5, "window_days": 4, "metric": "taken", "minimum": 2},
    "mostly_fresh": {"measurement": "freshness_seconds", "threshold": 20000, "target": 0.75, "window_days": 20},
    "pausing": {"measurement": "metric_value", "target": 0.1, "window_days": 4, "metric": "paused", "minimum": 1},
}
# Silence longer than the window, no row ever, and what has more points than are shown.
BESIDE = {
    "paused_day": {"measurement": "metric_value", "target": 0.5, "window_days": 1, "metric": "paused", "minimum": 1},
    "ended_day": {"measurement": "metric_value", "target": 0.5, "window_days": 1, "metric": "ended", "minimum": 1},
    "never_day": {"measurement": "metric_value", "target": 0.5, "window_days": 1, "metric": "never", "minimum": 1},
    "ended_share_day": {"measurement": "metric_value", "target": 0.5, "window_days": 1, "metric": "ended_share", "minimum": 1},
    "two_years": {"measurement": "freshness_seconds", "threshold": 600, "target": 0.02, "window_days": 730},
    "ten_years": {"measurement": "error_rate_percent", "threshold": 1, "target": 0.5, "window_days": 3650},
    "each_minute": {"measurement": "metric_value", "target": 0.5, "window_days": 1, "metric": "taken", "maximum": 5, "every": "1m"},
    "twice_a_day": {"measurement": "metric_value", "target": 0.5, "window_days": 1, "metric": "taken", "minimum": 1, "every": "12h"},
}


def yaml_of(levels):
    lines = ["slos:"]
    for name, members in levels.items():
        lines += [f"  - name: {name}"] + [f"    {key}: {value}" for key, value in members.items()]
    return "\n".join(lines) + "\n"


def make_domain(folder):
    shutil.copytree(CHECKOUT / "config/demo/machines", folder)
    (folder / "metrics").mkdir()
    for name, text in METRICS.items():
        (folder / "metrics" / f"{name}.yaml").write_text(
            f"name: {name}\ndescription: {name}\nunit: count\ntable: own_machines_reading\ntime: taken_at\nwindows: [1h, 24h]\n"
            f"source_events: [reading.taken]\n{text}\n")
    (folder / "slo.yaml").write_text(yaml_of({**LEVELS, **BESIDE}))


def draw_journal(rng):
    """Rows of 40 days with bursts and silence: (second, entity type, event type, applied)."""
    rows, at = [], NOW - 40 * DAY
    while at < NOW - HOUR:
        at += rng.choice([7, 60, 500, 900, 4000, 20000])
        entity = rng.choice([*KINDS, None])
        kind = rng.choice(KINDS[entity]) if entity else "nonsense"
        rows.append((at, entity, kind, entity is not None and rng.random() < 0.7))
    return [row for row in rows if row[0] < NOW - HOUR]


def insert(service, table, columns, rows):
    for start in range(0, len(rows), 300):
        values = ", ".join(f"({', '.join(row)})" for row in rows[start:start + 300])
        service.sql(f"INSERT INTO {table} ({columns}) VALUES {values}")


def text(value):
    return "NULL" if value is None else f"'{value}'"


def fill(service, rng):
    service.journal = draw_journal(rng)
    insert(service, "pipeline_events", "tenant_id, event_id, topic, entity_type, event_type, processed_at",
           [("'default'", f"'past-{number}'", "'events.validated'" if applied else "'events.deadletter'", text(entity), text(kind),
             str(at * 1000000)) for number, (at, entity, kind, applied) in enumerate(service.journal)])
    service.answers = [(NOW - 29 * DAY + rng.randrange(28 * DAY), rng.choice([10, 40, 50, 51, 300])) for _ in range(600)]
    insert(service, "api_sessions", "tenant_id, request_id, endpoint, method, status_code, duration_us, at",
           [("'default'", "'past'", "'/v1/catalog'", "'GET'", "200", str(ms * 1000), str(at * 1000000)) for at, ms in service.answers])
    service.readings = [(NOW - 12 * DAY + rng.randrange(11 * DAY), rng.randint(-40, 100)) for _ in range(500)]
    service.paused = [*range(NOW - 12 * DAY, SILENCE[0], HOUR // 2), *range(SILENCE[1], NOW - HOUR, HOUR // 2)]
    ended = range(NOW - 6 * DAY, NOW - 5 * DAY, HOUR)
    sensors = {"t": service.readings, "paused": [(at, 1) for at in service.paused], "ended": [(at, 1) for at in ended]}
    insert(service, "own_machines_reading", "tenant_id, reading_id, machine_id, sensor, value, taken_at, "
           "row_updated_at, row_event_at, row_stamps, row_events, row_newest",
           [("'default'", f"'{sensor}-{number}'", "'M-1'", f"'{sensor}'", str(value * 1000), *[str(at * 1000000)] * 3, "'{}'", "1", "''")
            for sensor, rows in sensors.items() for number, (at, value) in enumerate(rows)])


@pytest.fixture(scope="module", params=ENGINES)
def floor(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("levels") / "machines"
    make_domain(folder)
    (folder.parent / "tenants.yaml").write_text("tenants:\n  - id: default\n  - id: works\n  - id: shops\n    domains: [shop]\n")
    with Service("livedata", {"LIVE_API_KEYS": "key-of-floor:floor", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_ADMIN_KEY": "admin-key",
                              "FRESHNESS_SLA_SECONDS": "3600", "LIVE_TENANTS_FILE": str(folder.parent / "tenants.yaml"),
                              "LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{folder}"}, request.param) as service:
        service.folder = folder
        fill(service, random.Random(f"levels {request.param}"))
        yield service


def get(floor, path, status=200, headers=KEY):
    answer = floor.get(path, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def key_of(floor, tenant="default", **more):
    body = {"name": uuid.uuid4().hex, "tenant": tenant, "rate_limit_rpm": 100000, **more}
    answer = floor.post("/v1/admin/keys", body, headers={"X-Admin-Key": "admin-key"})
    assert answer.status_code == 201, answer.text
    return {"X-API-Key": answer.json()["key"]}


def seconds(stamp):
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def fresh_share(times, span, first, end, from_before):
    """By intervals: each event makes the time after it fresh, until the next one or for the span."""
    before = [at for at in times if at < first]
    inside = [at for at in times if first <= at < end]
    if from_before and before:
        begins, events = first, [before[-1], *inside]
    elif inside:
        begins, events = inside[0], inside
    else:
        return None
    fresh = sum(max(0, min(at + span, after, end) - max(at, begins)) for at, after in zip(events, [*events[1:], end]))
    return fresh, end - begins


def measure(floor, level, first, end):
    """What a level comes to from `first` on and before `end`: (good, valid), None for nothing."""
    span, kind = level.get("threshold"), level["measurement"]
    if kind == "p95_latency_ms":
        taken = [ms for at, ms in floor.answers if first <= at < end]
        return (sum(ms <= span for ms in taken), len(taken)) if taken else None
    if kind == "error_rate_percent":
        rows = [row for row in floor.journal if first <= row[0] < end and level.get("entity") in (None, row[1])]
        return (sum(row[3] for row in rows), len(rows)) if rows else None
    if kind == "freshness_seconds":
        fed = {"user": ["order", "product"], "reading": ["reading"]}.get(level.get("entity"))
        events = [row[0] for row in floor.journal if row[3] and (fed is None or row[1] in fed)
                  and ("metric" not in level or row[2] == "reading.taken")]
        return fresh_share(events, span, first, end, "entity" in level or "metric" in level)
    every = 1800 if level.get("every") == "30m" else HOUR
    rows = [(at, 1) for at in floor.paused] if level["metric"] == "paused" else floor.readings
    checks = [[value for at, value in rows if start <= at < start + every] for start in range(first, end, every)]
    if level["metric"] != "mean_value":
        while checks and not checks[0] and not any(at < first for at, _ in rows):
            checks.pop(0)
        values = [Fraction(len(one)) for one in checks]
    else:
        values = [Fraction(sum(one), len(one)) for one in checks if one]
    good = [level.get("minimum", value) <= value <= level.get("maximum", value) for value in values]
    return (sum(good), len(good)) if good else None


def budget(target, current):
    return min(1, max(0, 1 - (1 - current) / (1 - target)))


@pytest.mark.parametrize("step", ["1h", "1d"])
@pytest.mark.parametrize("name", LEVELS)
def test_a_level_over_time_equals_a_recomputation(floor, name, step):
    level, length = LEVELS[name], {"1h": HOUR, "1d": DAY}[step]
    begins = END - (2 if step == "1h" else 8) * DAY
    stamps = [datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") for at in (begins, END)]
    series = get(floor, f"/v1/slo/{name}/series?from={stamps[0]}&to={stamps[1]}&step={step}")
    assert (series["name"], series["step"], series["target"], series["window_days"]) == (name, step, level["target"], level["window_days"])
    assert [seconds(point["at"]) for point in series["points"]] == list(range(begins, END + 1, length))
    budgets = set()
    for point in series["points"]:
        at = int(seconds(point["at"]))
        expected = measure(floor, level, at - level["window_days"] * DAY, at)
        if expected is None:
            assert point["current"] is point["good"] is point["valid"] is point["error_budget_remaining"] is None, point
            continue
        assert (point["good"], point["valid"]) == pytest.approx(expected, abs=0.011), point
        assert point["current"] == pytest.approx(expected[0] / expected[1], abs=0.00006), point
        assert point["error_budget_remaining"] == pytest.approx(budget(level["target"], point["current"]), abs=0.0001), point
        budgets.add(point["error_budget_remaining"])
    assert len(budgets) > 1, f"the budget does not move: {budgets}"


def test_silence_at_the_beginning_of_a_window_counts(floor):
    stamps = [datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") for at in (END - 2 * DAY, END)]
    points = get(floor, f"/v1/slo/paused_day/series?from={stamps[0]}&to={stamps[1]}&step=1h")["points"]
    silent = [point for point in points if seconds(point["at"]) - DAY >= SILENCE[0] + HOUR and seconds(point["at"]) <= SILENCE[1]]
    assert silent and {(point["good"], point["valid"], point["current"]) for point in silent} == {(0, 24, 0)}
    levels = {one["name"]: one for one in get(floor, "/v1/slo")["slos"]}
    for name in ("ended_day", "ended_share_day"):
        assert (levels[name]["status"], levels[name]["good"], levels[name]["valid"]) == ("breached", 0, 24), name
    assert (levels["never_day"]["status"], levels["never_day"]["current"]) == ("unknown", None), "it has never had a row"


def levels_and_series(floor):
    levels = {one["name"]: one for one in get(floor, "/v1/slo")["slos"]}
    return levels, {name: get(floor, f"/v1/slo/{name}/series")["points"] for name in LEVELS}


def read_between_checks(floor):
    """Both of the same checks, the least of which are half an hour apart."""
    for _ in range(3):
        began = int(time.time()) // 1800
        answers = levels_and_series(floor)
        if int(time.time()) // 1800 == began:
            break
    return answers


def test_the_last_point_is_what_the_level_is_now(floor):
    levels, series = read_between_checks(floor)
    assert set(LEVELS) <= set(levels)
    for name, points in series.items():
        assert [seconds(one["at"]) for one in points] == sorted({seconds(one["at"]) for one in points})
        if LEVELS[name]["measurement"] == "p95_latency_ms":
            continue  # each request is an answer of its own
        assert points[-1]["current"] == pytest.approx(levels[name]["current"], abs=0.003), name
        assert points[-1]["error_budget_remaining"] == pytest.approx(levels[name]["error_budget_remaining"], abs=0.01), name
        assert points[-1]["partial"] is False
    assert levels["mean_within"]["unit"] == "checks"
    assert (levels["mean_within"]["metric"], levels["mean_within"]["maximum"], levels["mean_within"]["every_seconds"]) == ("mean_value", 60, 1800)
    assert (levels["readings_fresh"]["entity"], levels["readings_fresh"]["threshold"]) == ("reading", 900)
    assert set(levels["enough"]["diagnostic"]) == {"out_of_bounds_percent"}


def test_all_levels_are_read_at_once(floor):
    day = datetime.fromtimestamp(END, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    before = datetime.fromtimestamp(END - 3 * DAY, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    query = f"from={before}&to={day}"
    series = {one["name"]: one for one in get(floor, f"/v1/slo/series?{query}&step=6h")["series"]}
    assert list(series) == [one["name"] for one in get(floor, "/v1/slo")["slos"]]
    for name in LEVELS:
        alone = get(floor, f"/v1/slo/{name}/series?{query}&step=6h")
        level = series[name].pop("level")
        assert {**series[name], "kept_since": None} == {**alone, "kept_since": None}
        assert (level["name"], level["target"], level["measurement"]) == (name, LEVELS[name]["target"], LEVELS[name]["measurement"])
    steps = {one["name"]: one["step"] for one in get(floor, f"/v1/slo/series?{query}&step=15m")["series"]}
    assert (steps["all_fresh"], steps["mean_within"], steps["enough"]) == ("15m", "1d", "1d")
    assert {one["window_days"] for one in get(floor, "/v1/slo/series")["series"]} >= {1, 2, 30}


def test_a_level_with_too_many_points_has_the_latest(floor):
    names = [*LEVELS, *BESIDE]
    overview = {one["name"]: one for one in get(floor, "/v1/slo/series?step=6h")["series"]}
    assert set(names) <= set(overview) and all(one["level"]["name"] == name for name, one in overview.items())
    two_years = overview["two_years"]
    assert (two_years["step"], len(two_years["points"])) == ("6h", 2001) and two_years["from"] == two_years["points"][0]["at"]
    assert overview["ten_years"]["points"][-1]["current"] == overview["ten_years"]["level"]["current"]
    stamp = (datetime.now(timezone.utc) - timedelta(days=90)).strftime("%Y-%m-%dT%H:%M:%SZ")
    page = {one["name"]: one for one in get(floor, f"/v1/slo/series?from={stamp}&step=1d")["series"]}
    assert set(names) <= set(page) and len(page["two_years"]["points"]) in (91, 92)
    days = [seconds(point["at"]) for point in page["each_minute"]["points"][:-1]]
    assert 30 <= len(days) <= 40 and days == list(range(int(days[0]), int(days[-1]) + 1, DAY)) and days[-1] >= NOW // DAY * DAY
    assert page["each_minute"]["level"]["every_seconds"] == 60
    stamp = (datetime.now(timezone.utc) - timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%SZ")
    steps = {one["name"]: one["step"] for one in get(floor, f"/v1/slo/series?from={stamp}&step=1h")["series"]}
    assert (steps["two_years"], steps["ten_years"], steps["each_minute"], steps["twice_a_day"]) == ("1h", "1d", "1h", "1d")


def test_a_level_without_a_chosen_step_has_points(floor):
    ten_years = get(floor, "/v1/slo/ten_years/series")
    assert (ten_years["step"], len(ten_years["points"])) == ("1d", 2001)
    twice = get(floor, "/v1/slo/twice_a_day/series")
    assert (twice["step"], len(twice["points"])) == ("1d", 2)


def test_windows_that_reach_before_what_is_kept_are_partial(floor):
    """The request log is kept for 30 days: a window of 20 days is whole for the last ten."""
    stamp = (datetime.now(timezone.utc) - timedelta(days=25)).strftime("%Y-%m-%dT%H:%M:%SZ")
    series = get(floor, f"/v1/slo/quick/series?from={stamp}&step=1d")
    kept = seconds(series["kept_since"])
    assert {point["partial"] for point in series["points"]} == {True, False}
    assert all(point["partial"] == (seconds(point["at"]) - 20 * DAY < kept) for point in series["points"])
    assert get(floor, "/v1/slo/enough/series?step=1d")["kept_since"], "readings are kept for 365 days"


@pytest.mark.parametrize("path, status, text", [
    ("/v1/slo/none/series", 404, "There is no service level 'none'."),
    ("/v1/slo/quick/series?step=7h", 422, "no part of a day"),
    ("/v1/slo/quick/series?step=now", 422, "no part of a day"),
    ("/v1/slo/enough/series?step=15m", 422, "checked every 60 minutes"),
    ("/v1/slo/quick/series?step=1m&from=2026-01-01&to=2026-03-01", 422, "more than 2000 points"),
    ("/v1/slo/two_years/series?step=6h", 422, "more than 2000 points"),
    ("/v1/slo/each_minute/series?step=1d&from=2026-01-01", 422, "choose a longer step"),
    ("/v1/slo/quick/series?from=2026-03-02&to=2026-03-01", 422, "from must be before to"),
    ("/v1/slo/quick/series?to=2100-01-01", 422, "not in the future"),
    ("/v1/slo/quick/series?from=yesterday", 422, "from"),
    ("/v1/events/rate?step=1m&from=2026-01-01&to=2026-03-01", 422, "more than 2000 points"),
    ("/v1/events/rate?entity_type=ship", 404, "Unknown entity type: ship"),
])
def test_what_cannot_be_shown_is_refused(floor, path, status, text):
    assert text in str(get(floor, path, status)), text


def test_levels_are_seen_by_who_may_read_what_they_are_about(floor):
    of_readings = key_of(floor, allowed_entity_types=["reading"])
    names = {one["name"] for one in get(floor, "/v1/slo", headers=of_readings)["slos"]}
    assert {"all_fresh", "readings_fresh", "mean_within"} <= names and "users_fresh" not in names
    get(floor, "/v1/slo/users_fresh/series", 404, of_readings)
    get(floor, "/v1/events/rate?entity_type=order", 403, of_readings)
    assert [one["name"] for one in get(floor, "/v1/freshness", headers=of_readings)["entities"]] == ["reading"]
    of_shop = key_of(floor, "shops")
    names = {one["name"] for one in get(floor, "/v1/slo", headers=of_shop)["slos"]}
    assert "users_fresh" in names and "error_rate" in names and not names & {"readings_fresh", "mean_within", "all_fresh"}
    get(floor, "/v1/slo/readings_fresh/series", 404, of_shop)


def bad(**changes):
    level = {"measurement": "freshness_seconds", "threshold": 60, "target": 0.9, "window_days": 7, **changes}
    return {name: value for name, value in level.items() if value is not None}


@pytest.mark.parametrize("level, text", [
    (bad(target=99), "target is a share from 0 to 1"),
    (bad(threshold=None), "threshold is needed"),
    (bad(threshold=0), "seconds above 0"),
    (bad(window_days=0), "whole number of days"),
    (bad(measurement=None), "measurement is needed"),
    (bad(measurement="speed"), "there is no measurement speed"),
    (bad(entity="ship"), "there is no entity ship; entities are ['machine', 'order'"),
    (bad(metric="speed"), "there is no metric speed; metrics are"),
    (bad(entity="order", metric="revenue"), "entity and metric exclude each other"),
    (bad(measurement="p95_latency_ms", entity="order"), "takes no entity"),
    (bad(measurement="error_rate_percent", metric="revenue"), "of all events or of an entity"),
    (bad(measurement="metric_value"), "metric_value needs metric"),
    (bad(measurement="metric_value", metric="revenue"), "needs minimum, maximum or both"),
    (bad(measurement="metric_value", metric="revenue", minimum="much"), "minimum is a number"),
    (bad(measurement="metric_value", metric="revenue", minimum=3, maximum=2), "minimum is above maximum"),
    (bad(measurement="metric_value", metric="revenue", minimum=3, every="7h"), "every is a part of a day"),
    (bad(measurement="metric_value", metric="revenue", minimum=3, every="1m"), "10080 checks, and 2000 are allowed"),
])
def test_files_of_levels_are_checked(floor, tmp_path, level, text):
    (tmp_path / "works").mkdir()
    shutil.copytree(CHECKOUT / "config/demo/machines/entities", tmp_path / "works/entities")
    (tmp_path / "works/slo.yaml").write_text(yaml_of({"mine": level}))
    folders = {"LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{tmp_path / 'works'}"}
    done = floor.run("livedata-check", "--files", env=folders)
    assert done.returncode == 1, done.stdout
    assert text in done.stderr and "mine" in done.stderr and str(tmp_path / "works") in done.stderr, done.stderr


def test_a_name_of_two_levels_and_right_files_are_told_apart(floor, tmp_path):
    (tmp_path / "works").mkdir()
    shutil.copytree(CHECKOUT / "config/demo/machines/entities", tmp_path / "works/entities")
    folders = {"LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{tmp_path / 'works'}"}
    (tmp_path / "works/slo.yaml").write_text(yaml_of({"error_rate": bad()}))
    assert "the name is taken by a level of" in floor.run("livedata-check", "--files", env=folders).stderr
    (tmp_path / "works/slo.yaml").write_text(yaml_of({"mine": bad(entity="reading")}))
    done = floor.run("livedata-check", "--files", env=folders)
    assert (done.returncode, done.stderr) == (0, "") and "levels=4" in done.stdout, done.stdout + done.stderr


def send(floor, headers, *events, **more):
    answer = floor.post("/v1/events", {"events": list(events), **more}, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def event(kind, age, **members):
    at = datetime.now(timezone.utc) - timedelta(seconds=age)
    return {"event_id": str(uuid.uuid4()), "event_type": kind, "source": "floor", "timestamp": at.isoformat(), **members}


def rows_of(floor, headers):
    report = get(floor, "/v1/freshness", headers=headers)
    return report, {row["name"]: row for row in report["entities"]}, {row["name"]: row for row in report["metrics"]}


def test_what_is_stale_or_silent_says_why(floor):
    works = key_of(floor, "works")
    _, entities, metrics = rows_of(floor, works)
    assert {(row["state"], row["reason"]) for row in [*entities.values(), *metrics.values()]} == {("silent", "no_events")}
    assert (entities["reading"]["budget_seconds"], entities["machine"]["budget_seconds"]) == (900, 3600)
    assert (metrics["mean_value"]["budget_seconds"], metrics["mean_value"]["domain"]) == (1200, "machines")
    send(floor, works, event("machine.registered", 7200, machine_id="M-1", name="Saw"),
         event("product.updated", 0, product_id="PROD-1", name="Lamp", category="light", price="3.00", in_stock=True, stock_quantity=2),
         event("reading.taken", 0, reading_id="R-1", machine_id="M-1", data={"value": "much", "valid": True}))
    report, entities, _ = rows_of(floor, works)
    assert report["sources"] == []
    assert (entities["machine"]["state"], entities["machine"]["reason"]) == ("stale", "no_new_events")
    assert entities["machine"]["event_age_seconds"] >= 7200
    assert (entities["product"]["state"], entities["product"]["reason"]) == ("fresh", None)
    assert (entities["reading"]["state"], entities["reading"]["reason"], entities["reading"]["failed_last_hour"]) == ("stale", "events_fail", 1)
    send(floor, works, heartbeats=[{"source": "plc", "feeds": ["machine"]}])
    report, entities, _ = rows_of(floor, works)
    assert (entities["machine"]["state"], entities["machine"]["reason"], entities["machine"]["source"]) == ("fresh", "quiet", "plc")
    assert [(one["source"], one["feeds"], one["behind"]) for one in report["sources"]] == [("plc", ["machine"], False)]
    late = (datetime.now(timezone.utc) - timedelta(hours=3)).isoformat()
    send(floor, works, heartbeats=[{"source": "old", "feeds": ["machine"], "watermark": late}])
    report, entities, _ = rows_of(floor, works)
    assert (entities["machine"]["state"], entities["machine"]["reason"], entities["machine"]["source"]) == ("stale", "source_behind", "old")
    assert 3 * HOUR <= entities["machine"]["source_lag_seconds"] <= 4 * HOUR
    assert [(one["source"], one["behind"]) for one in report["sources"]] == [("old", True), ("plc", False)]
    floor.sql("UPDATE source_watermarks SET beat_at = beat_at - 7200000000 WHERE source = 'old' AND tenant_id = 'works'")
    assert rows_of(floor, works)[1]["machine"]["reason"] == "source_silent"


def test_the_rate_of_events_equals_the_journal(floor):
    begins = END - 3 * DAY
    stamps = [datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") for at in (begins, END)]
    for entity in (None, "reading"):
        rate = get(floor, f"/v1/events/rate?from={stamps[0]}&to={stamps[1]}&step=6h" + (f"&entity_type={entity}" if entity else ""))
        rows = [row for row in floor.journal if begins <= row[0] < END and entity in (None, row[1])]
        expected = [(sum(row[3] for row in part), sum(not row[3] for row in part))
                    for start in range(begins, END, 6 * HOUR) for part in [[row for row in rows if start <= row[0] < start + 6 * HOUR]]]
        assert [(point["applied"], point["failed"]) for point in rate["points"]] == expected
        assert [seconds(point["at"]) for point in rate["points"]] == list(range(begins, END, 6 * HOUR))
        assert (rate["applied"], rate["failed"]) == tuple(map(sum, zip(*expected)))
    assert len(get(floor, "/v1/events/rate?step=15m")["points"]) in (96, 97)
