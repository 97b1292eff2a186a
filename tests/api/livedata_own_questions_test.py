"""Questions about a domain of one's own: their typed plans, their values against a recomputation, pages, what is refused,
and plans that are sent instead of questions."""

import json
import re
import uuid
from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest

from service import ENGINES, Service
from stack import CHECKOUT

pytestmark = pytest.mark.both_engines
KEY, OTHER = {"X-API-Key": "key-of-floor"}, {"X-API-Key": "key-of-others"}
# The zone is one where it is about noon: the day does not change during the tests, and all of today's readings are past.
AHEAD = 12 - datetime.now(timezone.utc).hour
NOW = datetime.now(timezone(timedelta(hours=AHEAD)))
TODAY = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
# name, site, running, starts
MACHINES = {"M-1": ("Press", "north", True, 3), "M-2": ("Lathe", "south", False, 1), "M-3": ("Saw", "north", True, 7),
            "M-4": ("Насос", "west", None, 0)}
READINGS = [{"id": f"R-{n}", "machine": f"M-{n % 3 + 1}", "sensor": ("temperature", "pressure")[n % 2], "valid": n % 5 != 0,
             "value": Decimal(n * 7 % 100) + Decimal(n) / 1000, "at": TODAY - timedelta(days=n % 4, minutes=-1 - n)} for n in range(40)]


def event(kind, at, **members):
    return {"event_id": str(uuid.uuid4()), "event_type": kind, "source": "floor", "timestamp": at.isoformat(), **members}


def events(mark=""):
    made = []
    for machine, (name, site, running, starts) in MACHINES.items():
        made.append(event("machine.registered", NOW - timedelta(days=9), machine_id=mark + machine, name=mark + name, site=site,
                          running=running, hourly_cost="12.5", installed_at="2025-06-01T00:00:00Z"))
        made += [event("machine.ran", NOW - timedelta(days=8), machine_id=mark + machine, used={"energy": "1.250"})
                 for _ in range(starts)]
    return made + [event("reading.taken", row["at"], reading_id=mark + row["id"], machine_id=mark + row["machine"],
                         sensor=row["sensor"], data={"value": str(row["value"]), "valid": row["valid"]}) for row in READINGS]


@pytest.fixture(scope="module", params=ENGINES)
def floor(request, tmp_path_factory):
    keys = [{"key": key["X-API-Key"], "name": tenant, "tenant": tenant} for key, tenant in ((KEY, "floor"), (OTHER, "others"))]
    file = tmp_path_factory.mktemp("keys") / "keys.yaml"
    file.write_text(json.dumps({"keys": keys}))
    zone = f"Etc/GMT{-AHEAD:+}" if AHEAD else "UTC"
    settings = {"LIVE_API_KEYS_FILE": str(file), "LIVE_TIME_ZONE": zone, "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_ADMIN_KEY": "admin-key",
                "LIVE_CONFIG_DIR": f"{CHECKOUT}/config/livedata,{CHECKOUT}/config/demo/machines"}
    with Service("livedata", settings, request.param) as service:
        for key, mark in ((KEY, ""), (OTHER, "foreign-")):
            answer = service.post("/v1/events", {"events": events(mark)}, headers=key)
            assert answer.json()["applied"] == len(events()), answer.text
        yield service


def ask(floor, question, key=KEY, **more):
    answer = floor.post("/v1/query", {"question": question, **more}, headers=key)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(floor, question, key=KEY):
    answer = floor.post("/v1/query", {"question": question}, headers=key)
    assert (answer.status_code, answer.json()["code"]) == (400, "untranslatable"), answer.text
    return answer.json()["detail"]


def members(plan):
    """What a plan says, without what it leaves open."""
    return {name: value for name, value in plan.items() if value not in (None, [])}


def condition(column, op, *values):
    return {"column": column, "op": op, "values": list(values)}


def mean(rows):
    return float(sum(row["value"] for row in rows) / len(rows))


def site(row):
    return MACHINES[row["machine"]][1]


NORTH = condition("site", "=", "north")
PLANS = {
    "how many machines are there": {"entity": "machine", "select": "count"},
    "list machines in the north": {"entity": "machine", "select": "rows", "filters": [NORTH]},
    "machines that are not at site north": {"entity": "machine", "select": "rows", "filters": [condition("site", "!=", "north")]},
    "number of machines by site": {"entity": "machine", "select": "count", "group_by": ["site"]},
    "running machines": {"entity": "machine", "select": "rows", "filters": [condition("running", "=", True)]},
    "machines that are not running": {"entity": "machine", "select": "rows", "filters": [condition("running", "=", False)]},
    "machines with more than 2 starts": {"entity": "machine", "select": "rows", "filters": [condition("starts", ">", 2)]},
    "machines with hourly cost between 10 and 20.5": {
        "entity": "machine", "select": "rows", "filters": [condition("hourly_cost", "between", 10, 20.5)]},
    "machines whose name contains 're'": {"entity": "machine", "select": "rows", "filters": [condition("name", "contains", "re")]},
    "show machine M-1": {"entity": "machine", "select": "record", "key": "M-1"},
    "hourly cost of machine M-1": {"entity": "machine", "select": "record", "key": "M-1", "column": "hourly_cost"},
    "top 3 machines by starts": {"entity": "machine", "select": "rows", "order": {"by": "starts", "descending": True}, "limit": 3},
    "total energy of machines at site north": {"entity": "machine", "select": "sum", "column": "energy", "filters": [NORTH]},
    "average value of valid readings by sensor": {
        "entity": "reading", "select": "average", "column": "value", "filters": [condition("valid", "=", True)], "group_by": ["sensor"]},
    "readings below -5": {"entity": "reading", "select": "rows", "filters": [condition("value", "<", -5)]},
    "average temperature": {"entity": "reading", "select": "average", "column": "value", "filters": [condition("sensor", "=", "temperature")]},
    "how many readings per machine": {"entity": "reading", "select": "count", "group_by": ["machine_id"]},
    "maximum value of machine M-2": {
        "entity": "reading", "select": "max", "column": "value", "filters": [condition("machine_id", "=", "M-2")]},
    "median value by site": {
        "entity": "reading", "select": "quantile", "column": "value", "group_by": ["machine.site"], "quantile": .5},
    "top 2 machines by number of readings": {
        "entity": "reading", "select": "count", "group_by": ["machine_id"], "order": {"by": "value", "descending": True}, "limit": 2},
    "readings of machines in north or south": {
        "entity": "reading", "select": "rows", "filters": [condition("machine.site", "in", "north", "south")]},
    "how many different sensors": {"entity": "reading", "select": "distinct", "column": "sensor"},
    "the latest reading of machine M-1": {
        "entity": "reading", "select": "rows", "filters": [condition("machine_id", "=", "M-1")],
        "order": {"by": "taken_at", "descending": True}, "limit": 1},
    "machines with a site of north": {"entity": "machine", "select": "rows", "filters": [NORTH]},
    "readings of a machine in north": {"entity": "reading", "select": "rows", "filters": [condition("machine.site", "=", "north")]},
    "hourly number of readings": {"entity": "reading", "select": "count", "group_by": ["hour"]},
    "which machine in north has the most readings": {
        "entity": "reading", "select": "count", "filters": [condition("machine.site", "=", "north")], "group_by": ["machine_id"],
        "order": {"by": "value", "descending": True}, "limit": 1},
    "how many readings do the machines in north have": {
        "entity": "reading", "select": "count", "filters": [condition("machine.site", "=", "north")]},
    "readings with a value of 2000": {"entity": "reading", "select": "rows", "filters": [condition("value", "=", 2000)]},
    "average energy by site, running machines only": {
        "entity": "machine", "select": "average", "column": "energy", "filters": [condition("running", "=", True)], "group_by": ["site"]},
    "number of valid readings by machine, running only": {
        "entity": "reading", "select": "count", "filters": [condition("valid", "=", True), condition("machine.running", "=", True)],
        "group_by": ["machine_id"]},
    "number of machines by site and running": {"entity": "machine", "select": "count", "group_by": ["site", "running"]},
    "last 5000 readings": {"entity": "reading", "select": "rows", "order": {"by": "taken_at", "descending": True}, "limit": 1000},
    "last 99999999999999999999 readings": {
        "entity": "reading", "select": "rows", "order": {"by": "taken_at", "descending": True}, "limit": 1000},
    "which machine was started most often": {
        "entity": "machine", "select": "rows", "order": {"by": "starts", "descending": True}, "limit": 1},
    "which machine uses the most energy": {
        "entity": "machine", "select": "rows", "order": {"by": "energy", "descending": True}, "limit": 1},
    "which site uses the least energy": {
        "entity": "machine", "select": "sum", "column": "energy", "group_by": ["site"], "order": {"by": "value", "descending": False}, "limit": 1},
    "machines that were never started": {"entity": "machine", "select": "rows", "filters": [condition("starts", "=", 0)]},
    "machines that cost more than 40 an hour": {"entity": "machine", "select": "rows", "filters": [condition("hourly_cost", ">", 40)]},
    "what do all machines together cost per hour": {"entity": "machine", "select": "sum", "column": "hourly_cost"},
    "what is running in the north": {
        "entity": "machine", "select": "rows", "filters": [condition("running", "=", True), NORTH]},
    "list the sensors of M-2": {
        "entity": "reading", "select": "count", "filters": [condition("machine_id", "=", "M-2")], "group_by": ["sensor"]},
    "how many sensors does M-1 have": {
        "entity": "reading", "select": "distinct", "column": "sensor", "filters": [condition("machine_id", "=", "M-1")]},
    "temperature of M-2 by hour": {
        "entity": "reading", "select": "average", "column": "value", "group_by": ["hour"],
        "filters": [condition("sensor", "=", "temperature"), condition("machine_id", "=", "M-2")]},
    "average pressure, day by day": {
        "entity": "reading", "select": "average", "column": "value", "group_by": ["day"], "filters": [condition("sensor", "=", "pressure")]},
    "sessions longer than 10 minutes": {"entity": "session", "select": "rows", "filters": [condition("duration_seconds", ">", 600)]},
    "sessions of at least an hour": {"entity": "session", "select": "rows", "filters": [condition("duration_seconds", ">=", 3600)]},
    "сессии короче 30 секунд": {"entity": "session", "select": "rows", "filters": [condition("duration_seconds", "<", 30)]},
    "customers with more than 5 orders": {"entity": "user", "select": "rows", "filters": [condition("total_orders", ">", 5)]},
    "какие заказы ещё не доставлены": {
        "entity": "order", "select": "rows", "filters": [condition("status", "in", "pending", "confirmed", "shipped")]},
    "how many units of products are there": {"entity": "product", "select": "sum", "column": "stock_quantity"},
    "Anzahl reading pro Stunde": {"entity": "reading", "select": "count", "group_by": ["hour"]},
    "número de reading por hora": {"entity": "reading", "select": "count", "group_by": ["hour"]},
    "nombre de reading par heure": {"entity": "reading", "select": "count", "group_by": ["hour"]},
    "reading mit value über 0.125": {"entity": "reading", "select": "rows", "filters": [condition("value", ">", .125)]},
}
SINCE_YESTERDAY = ("readings since yesterday", "combien de reading depuis hier", "reading desde ayer", "reading seit gestern",
                   "сколько reading с вчера", "сколько reading со вчерашнего дня", f"сколько reading с {TODAY - timedelta(days=1):%Y-%m-%d}")


# Times of today and yesterday, and days of one month; None = open.
TIMES = {
    "readings between 9:00 and 12:00 today": (TODAY + timedelta(hours=9), TODAY + timedelta(hours=12)),
    "readings yesterday from 8:30 am to noon": (TODAY - timedelta(hours=15.5), TODAY - timedelta(hours=12)),
    "readings from yesterday 18:00 to today 6:00": (TODAY - timedelta(hours=6), TODAY + timedelta(hours=6)),
    "readings after 18:00 yesterday": (TODAY - timedelta(hours=6), TODAY),
    "readings before 9 am": (TODAY, TODAY + timedelta(hours=9)),
    "readings in north yesterday before 9 am": (TODAY - timedelta(days=1), TODAY - timedelta(hours=15)),
    "readings before 13 am": None,
    "readings since 6:00": (TODAY + timedelta(hours=6), None),
    "reading с 9:00 до 12:00 сегодня": (TODAY + timedelta(hours=9), TODAY + timedelta(hours=12)),
    "reading с 9 утра до полудня": None,
    "reading von 9 Uhr bis 12 Uhr gestern": (TODAY - timedelta(hours=15), TODAY - timedelta(hours=12)),
    "reading zwischen 9:00 und 12:00 heute": (TODAY + timedelta(hours=9), TODAY + timedelta(hours=12)),
    "readings between 9:00 and 12:00": None,  # of which days?
    "readings between 22:00 and 6:00 today": None,
    "readings between 9:75 and 10:00 today": None,
    "readings at 9:00 today": None,
    "readings from 3 to 10 March 2026": (TODAY.replace(2026, 3, 3), TODAY.replace(2026, 3, 11)),
    "readings between March 3 and 10": ...,
    "reading с 3 по 10 марта 2026 года": (TODAY.replace(2026, 3, 3), TODAY.replace(2026, 3, 11)),
    "readings between 10 and 3 March": None,
}


@pytest.mark.parametrize("question", TIMES)
def test_times_of_a_day_and_days_of_a_month(floor, question):
    if not TIMES[question]:
        refused(floor, question)
        return
    period = ask(floor, question)["plan"]["period"]
    first, end = (period[name] and datetime.fromisoformat(period[name]) for name in ("from", "to"))
    if TIMES[question] is ...:  # of this year or the last one
        assert (first.astimezone(NOW.tzinfo).strftime("%m-%d"), end - first) == ("03-03", timedelta(days=8))
    else:
        assert (first, end) == TIMES[question]


@pytest.mark.parametrize("number", [9, 50])
def test_am_behind_a_number_is_no_hour_in_german(floor, number):
    plan = ask(floor, f"reading mit value über {number} am 3. November")["plan"]
    assert plan["filters"] == [condition("value", ">", number)]
    assert datetime.fromisoformat(plan["period"]["from"]).astimezone(NOW.tzinfo).strftime("%d.%m. %H:%M") == "03.11. 00:00"


def test_what_went_up_is_compared(floor):
    plan = ask(floor, "did the number of readings go up since last week")["plan"]
    assert plan["compare"]["to"] == plan["period"]["from"] and plan["select"] == "count"
    plan = ask(floor, "is the pressure higher than last month")["plan"]
    assert plan["compare"]["to"] == plan["period"]["from"] and (plan["select"], plan["column"]) == ("average", "value")


@pytest.mark.parametrize("question", PLANS)
def test_a_question_has_a_typed_plan_and_its_plan_the_same_answer(floor, question):
    key = {**KEY, "Accept-Language": "ru" if re.search("[а-я]", question) else "en"}
    answer = ask(floor, question, key)
    assert members(answer["plan"]) == PLANS[question]
    again = floor.post("/v1/query", {"plan": answer["plan"]}, headers=key).json()
    assert (again["rows"], again["interpretation"]) == (answer["rows"], answer["interpretation"])
    explained = floor.post("/v1/query/explain", {"question": question}, headers=KEY).json()
    assert (explained["plan"], explained["sql"]) == (answer["plan"], answer["sql"])


def days(count):
    return [row for row in READINGS if TODAY - timedelta(days=count) <= row["at"] < TODAY + timedelta(days=1)]


def test_values_equal_a_recomputation(floor):
    assert ask(floor, "how many machines are there")["rows"] == [{"count": 4}]
    by_site = Counter(one[1] for one in MACHINES.values())
    assert {row["site"]: row["count"] for row in ask(floor, "number of machines by site")["rows"]} == by_site
    groups = defaultdict(list)
    for row in READINGS:
        if row["valid"]:
            groups[row["sensor"]].append(row)
    answer = ask(floor, "average value of valid readings by sensor")["rows"]
    assert {row["sensor"]: row["average_value"] for row in answer} == {
        sensor: pytest.approx(mean(rows), abs=6e-5) for sensor, rows in groups.items()}
    most = max(READINGS, key=lambda row: row["value"])
    assert ask(floor, "what is the highest value")["rows"] == [{"max_value": float(most["value"])}]
    top = ask(floor, "top 3 machines by starts")["rows"]
    assert [(row["machine_id"], row["starts"], row["running"]) for row in top] == [("M-3", 7, True), ("M-1", 3, True), ("M-2", 1, False)]
    assert ask(floor, "total energy of machines at site north")["rows"] == [{"sum_energy": 12.5}]


def test_periods_are_of_the_time_of_the_rows(floor):
    yesterday = [row for row in READINGS if TODAY - timedelta(days=1) <= row["at"] < TODAY]
    answer = ask(floor, "how many readings yesterday compared with today")
    [row] = answer["rows"]
    assert (row["count"], row["compared"]) == (len(yesterday), len(days(0)))
    assert row["change"] == row["count"] - row["compared"]
    daily = ask(floor, "number of readings per day")
    assert {row["day"][:10]: row["count"] for row in daily["rows"]} == Counter(
        row["at"].astimezone(timezone.utc).date().isoformat() for row in READINGS), "days of groups are of UTC"
    rows = ask(floor, "list readings of yesterday from machines in the north", limit=100)["rows"]
    assert {row["reading_id"] for row in rows} == {row["id"] for row in yesterday if site(row) == "north"}
    answer = ask(floor, "readings with a value more than 50 yesterday", limit=100)["rows"]
    assert {row["reading_id"] for row in answer} == {row["id"] for row in yesterday if row["value"] > 50}
    assert "yesterday" in refused(floor, "how many machines were running yesterday"), "the state of yesterday is not kept"


@pytest.mark.parametrize("question", SINCE_YESTERDAY)
def test_since_a_day_is_from_that_day_on(floor, question):
    period = ask(floor, question)["plan"]["period"]
    assert datetime.fromisoformat(period["from"]) == TODAY - timedelta(days=1) and not period["to"]


def pages(floor, question, limit):
    seen, cursor = [], None
    while True:
        answer = ask(floor, question, limit=limit, **({"cursor": cursor} if cursor else {}))
        seen += answer["rows"]
        cursor = answer["next_cursor"]
        assert answer["total_count"] >= len(seen) and answer["has_more"] == bool(cursor)
        if not cursor:
            return seen, answer["total_count"]


def test_pages_follow_each_other(floor):
    rows, total = pages(floor, "readings in the last 9 days", 7)
    assert [row["reading_id"] for row in rows] == [row["id"] for row in sorted(READINGS, key=lambda row: row["at"], reverse=True)]
    assert total == len(READINGS)
    groups, total = pages(floor, "number of readings per machine and sensor", 2)
    assert total == len(groups) == len({(row["machine"], row["sensor"]) for row in READINGS})
    assert len({(row["machine_id"], row["sensor"]) for row in groups}) == total
    other = floor.post("/v1/query", {"question": "list machines", "cursor": ask(floor, "list readings", limit=1)["next_cursor"]}, headers=KEY)
    assert other.json()["code"] == "foreign_cursor"


@pytest.mark.parametrize(("question", "words"), {
    "machines with a red light": ["red", "light"], "how many readings did not arrive": ["arrive"], "machines in the east": ["east"],
    "average value and number of readings": ["number"], "machines from north to south": ["to"], "machines without readings": ["readings"],
    "running or northern machines": ["or"], "the weather": ["weather"], "top 3 sites by value": ["by"],
    "average value of machine M-1 or sensor pressure": ["or"], "readings compared with yesterday": ["compared"],
    "average value of a machine today": ["machine"], "number of readings in the month": ["month"], "how many readings in the week": ["week"],
    "сколько reading за месяц": ["месяц"], "сколько reading за год": ["год"],
    "which machines in north have more than 5 readings": ["readings"], "which machines have more than 5 valid readings": ["readings"],
    "how many machines in north have readings today": ["machines"], "which machines in north have readings": ["readings"],
    "machines not only in north": ["not"], "machines not just in north": ["not"], "readings not only from machine M-1": ["not"],
    "not all running machines": ["not"], "machines with site not other than north": ["not"],
    "value of 2000": ["2000"],
    "machine mit energy über 1,500": ["1,500"], "reading mit value über 1.500": ["1.500"], "reading avec value supérieure à 1.500": ["1.500"],
    "machine с energy больше 1,500": ["1,500"], "readings with value above 0,125": ["125"],
    "how many readings per hour today compared with yesterday": ["hour"], "number of readings by running machines": ["by"],
    "readings by sensor and valid readings today": ["valid"], "machines by site and running in north": ["running"],
    "orders longer than 10 minutes": ["orders"], "machines together in the north": ["together"], "used machines": ["used"],
    "energy used yesterday": ["used", "yesterday"], "how is M-1": ["how"], "machines that make the most noise": ["most", "noise"],
    "how many units": ["many"], "machines running yet": ["yet"],
    "last 2.5 readings": ["2.5"], "top 2.5 machines by energy": ["2.5"], "readings of sensor temperature and worn": ["worn"],
}.items())
def test_what_is_not_understood_is_refused_and_named(floor, question, words):
    detail = refused(floor, question)
    for word in words:
        assert f"'{word}'" in detail, detail


def test_the_nearest_known_name_is_told(floor):
    assert "Nearest known names: 'machine'" in refused(floor, "how many machnes are there")
    detail = refused(floor, "how many machines in north have readings today")
    assert "Known, but not beside the other words: 'machines'." in detail and "Nearest" not in detail, detail


def sent(floor, plan, key=KEY, **more):
    return floor.post("/v1/query", {"plan": plan, **more}, headers=key)


@pytest.mark.parametrize("plan", [
    {"entity": "secret", "select": "rows"}, {"entity": "machine", "select": "sum"}, {"entity": "machine", "select": "sum", "column": "name"},
    {"entity": "machine", "select": "rows", "group_by": ["site"]}, {"entity": "machine", "select": "record"},
    {"entity": "machine", "select": "count", "filters": [condition("tenant_id", "=", "x")]},
    {"entity": "machine", "select": "count", "filters": [condition("site' OR 1=1 --", "=", "x")]},
    {"entity": "machine", "select": "count", "filters": [condition("starts", "=", "1; DROP TABLE x")]},
    {"entity": "machine", "select": "count", "filters": [condition("site", "<", "north")]},
    {"entity": "machine", "select": "rows", "filters": [condition("name", "=", "a\\b")]},
    {"entity": "machine", "select": "count", "filters": [condition("starts", "between", 1)]},
    {"entity": "machine", "select": "rows", "order": {"by": "settings"}}, {"entity": "reading", "select": "count", "group_by": ["value_x"]},
    {"entity": "machine", "select": "metric", "metric": "revenue"}, {"entity": "machine", "select": "count", "limit": 3},
    {"entity": "reading", "select": "count", "compare": {"from": "2026-01-01T00:00:00Z"}},
    {"entity": "reading", "select": "count", "period": {"from": "2026-02-01T00:00:00Z"}, "group_by": ["sensor", "day"],
     "compare": {"from": "2026-01-01T00:00:00Z", "to": "2026-02-01T00:00:00Z"}},
    {"entity": "reading", "select": "count", "period": {"from": None, "to": "1970-01-01T00:00:00Z"}},
    {"entity": "reading", "select": "rows", "period": {"from": "1969-01-01T00:00:00Z"}}])
def test_a_plan_that_cannot_be_is_refused(floor, plan):
    answer = sent(floor, plan)
    assert answer.status_code == 400, answer.text
    assert answer.json()["code"] == "plan_invalid", answer.text


def test_a_plan_is_typed(floor):
    for plan in ({"entity": "machine", "select": "drop"}, {"entity": "machine"}, {"entity": "machine", "select": "rows", "sql": "SELECT 1"},
                 {"entity": "machine", "select": "rows", "limit": 1001}, "SELECT 1", {"entity": "machine", "select": "rows", "filters": [{"op": "="}]}):
        assert sent(floor, plan).status_code == 422, plan
    assert floor.post("/v1/query", {}, headers=KEY).status_code == 422
    assert floor.post("/v1/query", {"question": "list machines", "plan": {"entity": "machine", "select": "rows"}}, headers=KEY).status_code == 422


# Between them the plans have every form.
FORMS = [
    {"entity": "machine", "select": "rows", "column": "hourly_cost", "order": {"by": "starts", "descending": True}, "limit": 3,
     "filters": [condition("hourly_cost", "between", 1, 2.5), condition("site", "in", "north", "south"),
                 condition("name", "not_in", "A", "B"), condition("name", "contains", "re")]},
    {"entity": "machine", "select": "record", "key": "M-1", "column": "energy"},
    {"entity": "machine", "select": "record", "key": "M-2"},
    {"entity": "machine", "select": "rows", "filters": [
        condition("installed_at", "is_null"), condition("starts", "is_not_null"), condition("running", "=", True),
        condition("site", "!=", "west"), condition("starts", "<", 1), condition("starts", "<=", 2), condition("starts", ">", 3),
        condition("starts", ">=", 4)]},
    *({"entity": "reading", "select": select, "column": "value", "period": {"from": "2026-01-01T00:00:00Z"}}
      for select in ("sum", "average", "min", "max", "distinct")),
    {"entity": "reading", "select": "quantile", "column": "value", "quantile": .95, "period": {"to": "2026-01-01T00:00:00Z"}},
    *({"entity": "reading", "select": "count", "group_by": ["sensor", unit], "order": {"by": "value", "descending": False}}
      for unit in ("hour", "day", "week", "month")),
    {"entity": "reading", "select": "count", "period": {"from": "2026-01-01T00:00:00Z", "to": "2026-02-01T00:00:00Z"},
     "compare": {"from": "2025-01-01T00:00:00Z", "to": "2025-02-01T00:00:00Z"}},
    {"entity": "order", "select": "metric", "metric": "revenue"},
]
SCRIPTS = {"ru": "[а-я]", "ar": "[\u0600-\u06ff]", "zh": "[\u4e00-\u9fff]", "de": "[a-z]", "es": "[a-z]", "fr": "[a-z]"}


@pytest.mark.parametrize("language", SCRIPTS)
def test_a_plan_is_described_in_the_language_of_the_reader(floor, language):
    for plan in FORMS:
        key = {**KEY, "Accept-Language": f"{language};q=0.9, en;q=0.5"}
        text = floor.post("/v1/query/explain", {"plan": plan}, headers=key).json()["interpretation"]
        english = floor.post("/v1/query/explain", {"plan": plan}, headers=KEY).json()["interpretation"]
        assert text != english and re.search(SCRIPTS[language], text) and not re.search(r"livedata\.plan|\{\{|\}\}", text), text
        assert text.endswith("。" if language == "zh" else "."), text
        # Names, values, times and signs are the same in all languages.
        same = r"[a-z]+_[a-z]+|\b[A-Z]\b|M-\d|[=≠<≤>≥] \w+|\d{4}-[\d: -]+\d|(?<![\d:-])\d+(?:\.\d+)?(?![\d:-])|Etc/GMT\S\d+"
        assert Counter(re.findall(same, text)) == Counter(re.findall(same, english)), (text, english)


def test_the_reader_s_language_comes_before_that_of_the_question(floor):
    def says(question, language):
        return floor.post("/v1/query/explain", {"question": question}, headers={**KEY, **language}).json()["interpretation"]

    assert says("сколько machines", {}).startswith("Число строк machine")
    assert says("сколько machines", {"Accept-Language": "de"}).startswith("Anzahl der Zeilen von machine")
    assert says("readings in the last 1 hours", {"Accept-Language": "fr"}).endswith("avec taken_at dans la dernière heure.")
    assert says("list pending orders", {"Accept-Language": "es"}).startswith("Filas de order, donde status = pending")


@pytest.mark.parametrize(("op", "time", "all_of_them"), [
    ("<", "2025-06-01T00:00:00.000400Z", True), (">=", "2025-06-01T00:00:00.000400Z", False), ("<=", "2025-06-01T00:00:00.000400Z", True),
    (">", "1969-12-31T23:59:59.5Z", True), ("<", "1969-12-31T23:59:59.5Z", False)])
def test_rows_and_values_have_the_same_times(floor, op, time, all_of_them):
    """All machines were installed at 2025-06-01T00:00:00Z."""
    answers = [sent(floor, {"entity": "machine", "select": select, "filters": [condition("installed_at", op, time)]})
               for select in ("rows", "count")]
    assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
    rows, count = (answer.json()["rows"] for answer in answers)
    assert len(rows) == count[0]["count"] == (len(MACHINES) if all_of_them else 0)
    assert ".-" not in answers[0].json()["sql"]


def test_flags_of_related_rows_are_true_or_false(floor):
    answer = sent(floor, {"entity": "reading", "select": "rows", "column": "machine.running", "order": {"by": "machine.running"}})
    assert {row["machine_running"] for row in answer.json()["rows"]} == {True, False}
    assert all(isinstance(row["machine_running"], bool) for row in answer.json()["rows"])


@pytest.mark.parametrize("question", [
    "number of readings per machine last 300 hours compared with last 600 hours",
    "readings of machines installed in the last 3000 days"])
def test_pages_of_what_moves_with_the_clock_follow_each_other(floor, question):
    first = ask(floor, question, limit=1)
    second = ask(floor, question, limit=1, cursor=first["next_cursor"])
    assert first["rows"] and second["rows"] and first["rows"] != second["rows"]


def test_the_statement_is_the_one_that_ran(floor):
    hourly = ask(floor, "number of readings per hour")["sql"]
    assert "GROUP BY b" in hourly, hourly
    compared = ask(floor, "number of readings today compared with yesterday")["sql"]
    assert compared.count(";\n") == 1 and len(set(compared.split(";\n"))) == 2, compared


def test_values_stay_values(floor):
    for value in ("x' OR '1'='1", "north|south", "%", "a;b = c", "'; DROP TABLE own_machines_machine; --", "!", "_"):
        for op in ("=", "contains"):
            answer = sent(floor, {"entity": "machine", "select": "rows", "filters": [condition("name", op, value)]})
            assert answer.status_code == 200 and answer.json()["rows"] == [], answer.text
            answer = sent(floor, {"entity": "machine", "select": "count", "filters": [condition("name", op, value)]})
            assert answer.json()["rows"] == [{"count": 0}], answer.text


def test_a_text_in_other_letters_is_contained(floor):
    for select, found in (("rows", ["M-4"]), ("count", [1])):
        answer = sent(floor, {"entity": "machine", "select": select, "filters": [condition("name", "contains", "Насос")]}).json()
        assert [row.get("machine_id", row.get("count")) for row in answer["rows"]] == found, answer
    assert len(ask(floor, "machines whose name contains 'Насос'")["rows"]) == 1


def test_others_and_their_types_stay_unseen(floor):
    for question in ("list machines", "readings of machine foreign-M-1", "show machine foreign-M-1"):
        assert "foreign" not in str(ask(floor, question)["rows"])
        assert all("foreign" in str(row) for row in ask(floor, question, OTHER)["rows"])
    made = floor.post("/v1/admin/keys", {"name": "readings", "tenant": "floor", "allowed_entity_types": ["reading"], "rate_limit_rpm": 9999},
                      headers={"X-Admin-Key": "admin-key"})
    limited = {"X-API-Key": made.json()["key"]}
    assert ask(floor, "how many readings", limited)["rows"] == [{"count": len(READINGS)}]
    for question in ("how many machines", "readings of machines in the north", "list machines", "number of readings by site"):
        answer = floor.post("/v1/query", {"question": question}, headers=limited)
        assert (answer.status_code, answer.json()["code"]) == (403, "unsafe_query"), answer.text
    for question in ("how many machnes hav hourly_cos above 5 at nort", "how many machnes", "lathes in the nort", "energi of everything"):
        assert not {"machine", "hourly_cost", "north", "energy"} & set(re.findall("[a-z_]+", refused(floor, question, limited)))
    assert "'reading'" in refused(floor, "how many readngs", limited)
