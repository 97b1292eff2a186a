"""Goals that are rows of live data: read over HTTP, recorded once, compared with a recomputation from the rows. On both
engines, with a real live-data service behind a relay that can break its answers."""

import contextlib
import http.client
import http.server
import random
import threading
import uuid
from datetime import datetime, timedelta, timezone
from urllib.parse import urlsplit

import pytest
import requests

from certificates_test import check as check_certificate, key_of, read as read_certificate, verify
from live_test import Experiment
from project_fixtures import OPEN, PROJECTS, create, expect, payload, unknown_id
from service import Service

pytestmark = pytest.mark.both_engines
pytest_plugins = ["store_fixtures"]

METRICS = "/api/v1/metrics"
KEY = {"X-API-Key": "key-of-shop"}
ELSEWHERE = "p" + "0" * 6 + "v" * 7 + "1" * 11  # a position of another database
SALE = """
name: sale
description: Sale to a member
key: sale_id
columns:
  sale_id: {type: text}
  member: {type: text}
  amount: {type: decimal, scale: 2}
  sold_at: time
  note: {type: text}
events:
  sale.made: {does: upsert}
  sale.undone: {does: delete}
"""
MARKED = """
name: {name}
description: {name} of marked sales
unit: EUR
table: own_sales_sale
kind: {kind}
column: amount
where: [note = {note}]
time: sold_at
windows: [1h, 24h]
source_events: [sale.made, sale.undone]
"""
NOW = datetime.now(timezone.utc).replace(microsecond=0)
EXPOSED = NOW - timedelta(hours=6)


class Relay:
    """Passes requests on to the service; `cut` breaks the next answers in the middle, as a killed service does."""

    def __init__(self, target):
        relay, self.cut, self.paths = self, 0, []
        address = urlsplit(target)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):  # noqa: N802  (the name that http.server calls)
                relay.paths.append(self.path)
                with contextlib.closing(http.client.HTTPConnection(address.hostname, address.port, timeout=60)) as asked:
                    asked.request("GET", self.path, headers={"X-API-Key": self.headers["X-API-Key"]})
                    answer = asked.getresponse()
                    body = answer.read()
                self.send_response(answer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if relay.cut:
                    relay.cut -= 1
                    self.wfile.write(body[:len(body) // 2])
                    self.close_connection = True
                else:
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(scope="module")
def live(engine, tmp_path_factory):
    folder = tmp_path_factory.mktemp("goals") / "sales"
    (folder / "entities").mkdir(parents=True)
    (folder / "metrics").mkdir()
    for name, kind, note in (("marked_total", "sum", "marked"), ("marked_mean", "average", "none-such")):
        (folder / "metrics" / f"{name}.yaml").write_text(MARKED.format(name=name, kind=kind, note=note), encoding="utf-8")
    (folder / "entities" / "sale.yaml").write_text(SALE, encoding="utf-8")
    settings = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_CONFIG_DIR": str(folder)}
    with Service("livedata", settings, engine) as service:
        yield service


@pytest.fixture(scope="module")
def relay(live):
    made = Relay(live.url)
    yield made
    made.close()


@pytest.fixture(scope="module")
def store(stores, engine, relay):
    """Without the program of its own: the tests say when it runs. Pages are small, so that there are several."""
    own = stores.get(engine, {**OPEN, "AB_RATE_LIMIT_ENABLED": "false", "AB_LIVEDATA_URL": relay.url,
                              "AB_LIVEDATA_API_KEY": KEY["X-API-Key"], "AB_LIVEDATA_PAGE_ROWS": "70",
                              "AB_LIVEDATA_PAGES": "200", "AB_LIVEDATA_ALARMS": "4"})
    own.stack.stop_program("experiments-livedata")
    return own


def read(store, **settings):
    done = store.program("experiments-livedata", **settings)
    assert done.returncode == 0, done.stderr
    return done.stderr


class Sales:
    """Sales in live data, and what they should come to."""

    def __init__(self, live):
        self.live, self.rows, self.prefix = live, {}, uuid.uuid4().hex[:6]

    def id(self, number):
        return f"{self.prefix}-{number}"

    def send(self, *events):
        answer = self.live.post("/v1/events", {"events": list(events)}, headers=KEY)
        assert answer.status_code == 200 and answer.json()["applied"] == len(events), answer.text

    def event(self, kind, number, **columns):
        return {"event_id": str(uuid.uuid4()), "event_type": kind, "source": "till", "sale_id": self.id(number),
                "timestamp": datetime.now(timezone.utc).isoformat(), **columns}

    def made(self, number, member=None, amount=None, hours=1, **columns):
        """The event; a column that is not given stays as it was."""
        row = self.rows.setdefault(number, {})
        row.update({k: v for k, v in {"member": member, "amount": amount}.items() if v is not None})
        row.setdefault("at", EXPOSED + timedelta(hours=hours))
        return self.event("sale.made", number, sold_at=row["at"].isoformat(), member=row["member"],
                          amount=str(row["amount"]), **columns)

    def undone(self, number):
        del self.rows[number]
        return self.event("sale.undone", number)

    def sums(self, exposed):
        """By arm, of users that were exposed, after the exposure."""
        sums = {}
        for row in self.rows.values():
            arm, at = exposed.get(row["member"], (None, None))
            if arm is not None and row["at"] >= at:
                sums[arm] = sums.get(arm, 0) + row["amount"]
        return sums


def definition(event, kind="continuous", **members):
    return {"name": f"Sales {event}", "kind": kind, "event_name": event, "baseline_value": 2, "minimum_effect_pct": 5,
            **({"std_dev": 1} if kind == "continuous" else {}),
            "livedata": {"entity_type": "sale", "user_column": "member", "value_column": "amount", "time_column": "sold_at"},
            **members}


class Goal(Experiment):
    """A running experiment whose goal is the amount of sales."""

    def __init__(self, store, kind="continuous", constraints=None, **members):
        self.event = f"sales-{uuid.uuid4().hex[:8]}"
        if kind == "binary":
            members = {"baseline_value": 0.1, **members}
        self.metric = expect(store.client.post(METRICS, definition(self.event, kind, **members)))
        design = payload("Sales")
        design["metrics"] = {**{k: v for k, v in design["metrics"].items() if k in ("alpha", "power")},
                             **self.metric["defaults"]}
        design["constraints"].update(constraints or {})
        super().__init__(store.client, design)
        self.store, self.exposed = store, {}

    def expose_all(self, users, arm_of, at=EXPOSED):
        users = list(users)
        for first in range(0, len(users), 500):
            self.send("exposures", *[{"user_id": user, "variation_index": arm_of(user), "occurred_at": at.isoformat()}
                                     for user in users[first:first + 500]])
        self.exposed.update({user: (arm_of(user), at) for user in users})

    @property
    def source(self):
        return self.stats()["livedata"]

    def decision(self):
        return expect(self.client.get(self.path("decision")))

    def shown_sums(self):
        [comparison] = self.stats()["comparisons"]
        arms = {0: comparison["control"], 1: comparison["treatment"]}
        return {arm: round(shown["mean"] * shown["exposed_users"], 6) for arm, shown in arms.items()}

    def name_metric(self, metric):
        """Another goal for the running experiment."""
        path = f"{PROJECTS}/{self.id}"
        design = expect(self.client.get(path))["payload"]
        metrics = {k: v for k, v in design["metrics"].items() if k in ("alpha", "power")}
        return self.client.send("PUT", path, {**design, "metrics": {**metrics, **metric["defaults"]}})

    def forget_position(self):
        """As when live data is restored from a copy that does not know it."""
        self.store.database.run(f"UPDATE experiment_sources SET position = '{ELSEWHERE}' WHERE project_id = '{self.id}'")

    def listed(self):
        """The verdict in the list of experiments."""
        items = expect(self.client.get("/api/v1/experiments?q=Sales&limit=100"))["experiments"]
        return [item["verdict"] for item in items if item["id"] == self.id]

    def recorded(self):
        return expect(self.client.get(self.path("ingestion")))["conversions_total"]


def rounded(sums):
    return {arm: round(float(sums.get(arm, 0)), 6) for arm in (0, 1)}


def arm_by_name(user):
    return int(user.rsplit("-", 1)[1]) % 2


def test_changes_of_a_table_come_page_by_page(live):
    sales = Sales(live)
    sales.send(sales.made(1, "会员-1", 5), sales.made(2, "عضو-2", 7))
    sales.send(sales.made(1, amount=6), sales.undone(2))
    seen, after, more = [], "", True
    while more:
        answer = live.get(f"/v1/changes/sale?limit=1{after and '&after=' + after}", headers=KEY)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        assert len(page["changes"]) <= 1
        seen += [one for one in page["changes"] if one["entity_id"].startswith(sales.prefix)]
        after, more = page["position"], page["has_more"]
    assert [(one["entity_id"][-1], one["deleted"], one["data"] and one["data"]["amount"]) for one in seen] == \
        [("1", False, 5), ("2", False, 7), ("1", False, 6), ("2", True, None)]
    assert len({one["position"] for one in seen}) == 4 and seen[0]["data"]["member"] == "会员-1"
    assert page["freshness"]["event_age_seconds"] < 3600
    last = live.get(f"/v1/changes/sale?after={after}", headers=KEY).json()
    assert last["changes"] == [] and last["position"] == after and not last["has_more"]
    assert live.get("/v1/changes/nothing", headers=KEY).status_code == 404
    assert live.get("/v1/changes/sale?after=yesterday", headers=KEY).status_code == 422
    assert live.get(f"/v1/changes/sale?after={ELSEWHERE}", headers=KEY).status_code == 412
    assert requests.get(live.url + "/v1/changes/sale", timeout=60).status_code == 401


def test_values_follow_the_rows(store, live):
    """Rows that change, move to another user, are deleted, late, of unknown users, or before the exposure."""
    rng, goal, sales = random.Random(35), Goal(store), Sales(live)
    users = [f"用户-{sales.prefix}-{number}" for number in range(200)]
    goal.expose_all(users, arm_by_name)
    strangers = [f"nobody-{sales.prefix}-{number}" for number in range(20)]
    sales.send(*[sales.made(number, rng.choice(users + strangers), rng.randint(1, 9),
                            hours=rng.choice((-2, 1, 2, 3))) for number in range(250)])
    read(store)
    assert goal.shown_sums() == rounded(sales.sums(goal.exposed))
    before = goal.source
    assert before["status"] == "fresh" and before["entity_type"] == "sale" and before["failure"] is None
    assert before["rows_recorded"] == sum(1 for row in sales.rows.values()
                                          if row["member"] in goal.exposed and row["at"] >= EXPOSED)
    events = goal.recorded()
    read(store)
    assert (goal.recorded(), goal.source["position"]) == (events, before["position"]), "a repeat adds nothing"
    for _ in range(3):
        changed = rng.sample(sorted(sales.rows), 60)
        sales.send(*[sales.made(number, amount=rng.randint(1, 9)) for number in changed[:30]],
                   *[sales.made(number, member=rng.choice(users)) for number in changed[30:45]],
                   *[sales.undone(number) for number in changed[45:55]],
                   *[sales.made(number, note="only the note") for number in changed[55:]])
        read(store)
        assert goal.shown_sums() == rounded(sales.sums(goal.exposed))
    sales.send(sales.event("sale.made", "odd", member=users[0], amount="3"))
    read(store)
    assert goal.source["rows_unusable"] == 1 and goal.shown_sums() == rounded(sales.sums(goal.exposed))


def test_a_row_waits_for_a_late_exposure(store, live):
    goal, sales = Goal(store), Sales(live)
    goal.expose_all([f"first-{arm}" for arm in (0, 1)], arm_by_name)
    late, never = f"late-{sales.prefix}-1", f"never-{sales.prefix}-1"
    sales.send(sales.made(1, late, 5), sales.made(2, never, 8), sales.made(3, late, 2, hours=-200))
    read(store)
    assert goal.source["rows_recorded"] == 0
    waiting = goal.store.database.rows(
        f"SELECT user_id FROM experiment_source_rows WHERE project_id = '{goal.id}' AND waits = 1 ORDER BY user_id")
    assert [row["user_id"] for row in waiting if sales.prefix in row["user_id"]] == [late, never]
    goal.expose_all([late], arm_by_name)
    read(store)
    assert goal.shown_sums() == {0: 0, 1: 5} and goal.source["rows_recorded"] == 1
    read(store, AB_LIVEDATA_WAIT_HOURS="0")
    assert goal.store.database.value(
        f"SELECT count(*) AS n FROM experiment_source_rows WHERE project_id = '{goal.id}' AND waits = 1") == 0


def test_an_answer_that_breaks_off_records_nothing_and_the_next_one_all(store, live, relay):
    goal, sales = Goal(store), Sales(live)
    users = [f"user-{sales.prefix}-{number}" for number in range(100)]
    goal.expose_all(users, arm_by_name)
    sales.send(*[sales.made(number, user, 1 + number % 5) for number, user in enumerate(users)])
    relay.cut = 1000
    try:
        log = read(store)
    finally:
        relay.cut = 0
    assert "source_failed" in log and goal.recorded() == 0
    broken = goal.source
    assert broken["status"] == "never_read" and "did not answer" in broken["failure"] and broken["failed_at"]
    read(store)
    assert goal.shown_sums() == rounded(sales.sums(goal.exposed))
    assert goal.source["failure"] is None and goal.source["failed_at"] is None


def test_no_verdict_without_fresh_rows(store, live, tmp_path):
    goal, sales = Goal(store), Sales(live)
    users = [f"user-{sales.prefix}-{number}" for number in range(400)]
    goal.expose_all(users, arm_by_name)
    sales.send(*[sales.made(number, user, (20 if number % 2 else 2) + number % 3) for number, user in enumerate(users)])
    unread = goal.decision()
    assert unread["verdict"] == "keep_running" and [one["code"] for one in unread["blockers"]] == ["source_never_read"]
    read(store)
    etag = goal.client.get(goal.path("decision")).headers["ETag"]
    fresh = goal.decision()
    assert fresh["verdict"] == "ship" and fresh["blockers"] == [] and fresh["livedata"]["status"] == "fresh"
    certificate = check_certificate(tmp_path, store, goal.id)
    assert (certificate["format"], certificate["source"]) == ("assay-certificate-2", goal.source)
    status, output = verify(tmp_path, read_certificate(store, goal.id), key_of(store))
    assert status == 0 and f"rows of sale in live data, fresh, complete at {goal.source['complete_at']}" in output
    assert goal.listed() == ["ship"]
    store.database.run("UPDATE experiment_sources SET complete_at = complete_at - 7200000000"
                       f" WHERE project_id = '{goal.id}'")
    store.database.run(f"UPDATE live_summaries SET fresh_until = fresh_until - 7200000000 WHERE experiment_id = '{goal.id}'")
    assert goal.listed() == ["keep_running"]
    stale = goal.decision()
    assert stale["verdict"] == "keep_running" and stale["headline"] == "untrustworthy"
    [blocker] = stale["blockers"]
    assert blocker["code"] == "source_stale" and blocker["params"] == {"source": "sale"} and "sale" in blocker["text"]
    assert goal.client.get(goal.path("decision"), headers={"If-None-Match": etag}).status == 200
    expect(goal.client.get(goal.path("certificate")), 409, "source_not_fresh")
    read(store)
    assert goal.decision()["verdict"] == "ship"
    read(store, AB_LIVEDATA_EVENT_AGE_SECONDS="0.001")
    assert goal.decision()["blockers"][0]["code"] == "source_stale", "live data itself lags behind its sources"
    read(store)
    assert (goal.decision()["verdict"], goal.listed()) == ("ship", ["ship"])
    expect(goal.client.post(goal.path("outcome"), {"decision": "ship", "variation_index": 1}))
    two_hours_ago = (datetime.now(timezone.utc) - timedelta(hours=2)).isoformat()
    store.database.run("UPDATE experiment_sources SET complete_at = complete_at - 7200000000"
                       f" WHERE project_id = '{goal.id}'")
    store.database.run(f"UPDATE projects SET decided_at = '{two_hours_ago}' WHERE id = '{goal.id}'")
    assert (goal.decision()["verdict"], goal.listed()) == ("ship", ["ship"]), "a decided experiment keeps what it had"
    expect(goal.client.post(goal.path("outcome"), {"decision": "reopen"}))
    assert (goal.decision()["verdict"], goal.listed()) == ("keep_running", ["keep_running"])
    read(store)
    expect(goal.client.post(f"{PROJECTS}/{goal.id}/archive"))
    two_hours_ago = (datetime.now(timezone.utc) - timedelta(hours=2)).isoformat()
    store.database.run("UPDATE experiment_sources SET complete_at = complete_at - 7200000000"
                       f" WHERE project_id = '{goal.id}'")
    assert goal.decision()["verdict"] == "keep_running"
    store.database.run(f"UPDATE projects SET archived_at = '{two_hours_ago}' WHERE id = '{goal.id}'")
    assert goal.decision()["verdict"] == "ship", "an archived experiment keeps what it had"
    expect(goal.client.get(goal.path("certificate")))


def test_a_planned_look_waits_for_the_rows(store, live):
    goal, sales = Goal(store, constraints={"planned_looks": {"information_fractions": [0.05, 1]}, "n_looks": 1}), Sales(live)
    users = [f"user-{sales.prefix}-{number}" for number in range(200)]
    goal.expose_all(users, arm_by_name)
    sales.send(*[sales.made(number, user, 2 + number % 5) for number, user in enumerate(users)])
    expect(goal.client.post(goal.path("looks"), {}), 409, "source_not_fresh")
    assert goal.stats()["sequential"]["planned_looks"]["look_due"]
    read(store)
    assert expect(goal.client.post(goal.path("looks"), {}))["taken"]


def test_rows_are_read_again_without_counting_twice(store, live):
    """After live data was restored from an older copy, and after the experiment was cleared."""
    goal, sales = Goal(store, "count"), Sales(live)
    users = [f"user-{sales.prefix}-{number}" for number in range(40)]
    goal.expose_all(users, arm_by_name)
    sales.send(*[sales.made(number, user, 3) for number, user in enumerate(users)])
    read(store)
    expected = rounded(sales.sums(goal.exposed))
    assert goal.shown_sums() == expected
    goal.forget_position()
    assert "from the beginning" in read(store)
    read(store)
    assert goal.shown_sums() == expected and goal.recorded() == 40
    expect(goal.client.send("DELETE", goal.path("events")))
    goal.expose_all(users, arm_by_name)
    read(store)
    assert goal.shown_sums() == expected


def test_versions_that_came_in_one_page_may_come_in_two(store, live):
    """A version is recorded as the difference to the one before it, which may be another when rows are read again."""
    goal, sales = Goal(store), Sales(live)
    users = [f"user-{sales.prefix}-{number}" for number in range(40)]
    goal.expose_all(users, arm_by_name)
    read(store)
    sales.send(*[sales.made(number, user, 10) for number, user in enumerate(users)],
               *[sales.made(number, users[number // 2], 20) for number in range(40)])
    read(store, AB_LIVEDATA_PAGE_ROWS="1000")
    expected = rounded(sales.sums(goal.exposed))
    assert goal.shown_sums() == expected and goal.recorded() == 40
    for _ in range(2):
        goal.forget_position()
        assert "from the beginning" in read(store)
        read(store)
        assert goal.shown_sums() == expected


def test_another_metric_counts_anew_and_the_former_one_goes_on(store, live):
    goal, sales = Goal(store), Sales(live)
    source = {k: v for k, v in definition("x")["livedata"].items() if k != "value_column"}
    number_of_sales = expect(store.client.post(METRICS, definition(f"{goal.event}-number", livedata=source)))
    users = [f"user-{sales.prefix}-{number}" for number in range(40)]
    late = [f"late-{sales.prefix}-{number}" for number in range(10)]
    goal.expose_all(users, arm_by_name)

    def numbers():
        counted = Sales(live)
        counted.rows = {number: {**row, "amount": 1} for number, row in sales.rows.items()}
        return rounded(counted.sums(goal.exposed))

    sales.send(*[sales.made(number, user, 7) for number, user in enumerate(users)],
               *[sales.made(50 + number, user, 9) for number, user in enumerate(late)])
    read(store)
    assert goal.shown_sums() == rounded(sales.sums(goal.exposed))
    expect(goal.name_metric(number_of_sales))
    goal.expose_all(late, arm_by_name)
    read(store)
    assert goal.shown_sums() == numbers()
    sales.send(*[sales.made(number, amount=3) for number in range(10)], *[sales.undone(number) for number in range(10, 15)])
    read(store)
    assert goal.shown_sums() == numbers()
    expect(goal.name_metric(goal.metric))
    read(store)
    assert goal.shown_sums() == rounded(sales.sums(goal.exposed))
    same_event = expect(store.client.post(METRICS, {**definition(goal.event, livedata=source), "name": goal.event}))
    expect(goal.name_metric(same_event), 409, "livedata_event_taken")


def test_retention_forgets_rows_with_their_events(store, live):
    goal, sales = Goal(store), Sales(live)
    users = [f"user-{sales.prefix}-{number}" for number in range(4)]
    goal.expose_all(users, arm_by_name)
    sales.send(*[sales.made(number, user, 10) for number, user in enumerate(users)])
    read(store)
    old = 40 * 86400 * 1000000
    store.database.run(f"UPDATE experiment_source_rows SET checked_at = checked_at - {old} WHERE project_id = '{goal.id}'")
    store.database.run(f"UPDATE live_conversions SET created_at = created_at - {old} WHERE experiment ="
                       f" (SELECT experiment FROM live_experiments WHERE experiment_id = '{goal.id}')")
    done = store.program("retention-purge", AB_RETENTION_CONVERSIONS_DAYS="30")
    assert done.returncode == 0 and "conversions=4" in done.stdout, done.stderr
    assert goal.shown_sums() == {0: 0, 1: 0}
    sales.send(sales.undone(0), sales.made(1, amount=4))
    read(store)
    assert goal.shown_sums() == {0: 0, 1: 4}


def test_a_binary_goal_counts_users(store, live):
    goal, sales = Goal(store, "binary"), Sales(live)
    users = [f"user-{sales.prefix}-{number}" for number in range(40)]
    goal.expose_all(users, arm_by_name)
    sales.send(*[sales.made(number, users[number % 20], 3) for number in range(30)])
    sales.send(sales.made(3, amount=9), sales.undone(4), sales.made(40, users[30], 0))
    read(store)
    [comparison] = goal.stats()["comparisons"]
    buyers = {row["member"] for row in sales.rows.values() if row["amount"]}
    assert [comparison[side]["converted_users"] for side in ("control", "treatment")] == \
        [len([user for user in buyers if arm_by_name(user) == arm]) for arm in (0, 1)]


def test_what_cannot_be_a_goal_is_refused(store):
    without_user = {"entity_type": "sale", "time_column": "sold_at"}
    refused = expect(store.client.post(METRICS, definition("aggregate", livedata=without_user)), 422, "validation_error")
    assert "user_column" in str(refused["detail"])
    ratio = definition("ratio", "continuous", denominator_event="visit") | {"kind": "ratio"}
    refused = expect(store.client.post(METRICS, ratio), 422, "validation_error")
    assert "entity_type" in str(refused["detail"])
    goal = Goal(store)
    path = f"{METRICS}/{goal.metric['metric']['id']}"
    other = definition(goal.event) | {"livedata": {**definition("x")["livedata"], "value_column": "note"}}
    expect(store.client.send("PUT", path, other), 409, "metric_source_fixed")
    expect(store.client.send("PUT", path, definition(goal.event, owner="Till team")))
    design = expect(store.client.get(f"{PROJECTS}/{goal.id}"))["payload"]
    for member, value in (("primary_metric_name", "other"), ("conversion_window", "all")):
        wrong = {**design, "metrics": {**design["metrics"], member: value}}
        answer = expect(store.client.send("PUT", f"{PROJECTS}/{goal.id}", wrong), 400, "livedata_metric_design")
        assert member in str(answer["detail"])
    create(store.client, design)


def test_what_live_data_offers_is_shown_with_its_columns(store, relay):
    offer = expect(store.client.get("/api/v1/livedata"))
    assert (offer["status"], offer["text"]) == ("available", None)
    [sale] = [one for one in offer["entities"] if one["entity_type"] == "sale"]
    assert sale["description"] == "Sale to a member"
    assert [column["name"] for column in sale["columns"]] == ["sale_id", "member", "amount", "sold_at", "note"]
    relay.cut = 1
    away = expect(store.client.get("/api/v1/livedata"))
    assert relay.cut == 0 and away["status"] == "unavailable" and "did not answer" in away["text"]
    assert away["entities"] == away["figures"] == []
    assert {"name": "marked_total", "description": "marked_total of marked sales", "unit": "EUR",
            "windows": ["1h", "24h"]} in offer["figures"]


def add_alarm(goal, metric="marked_total", condition="above", threshold=100, status=200, code=None, **members):
    rule = {"metric": metric, "window": "24h", "condition": condition, "threshold": threshold, **members}
    return expect(goal.client.post(goal.path("alarms"), rule), status, code)


def warned(goal):
    return {one["code"]: one["message"] for one in goal.stats()["warnings"] if one["code"].startswith("ALARM_")}


def noted(goal):
    """What the audit log has about alarms of the experiment, oldest first."""
    entries = expect(goal.client.get(f"/api/v1/audit?project_id={goal.id}"))["entries"]
    return [one["action"] for one in reversed(entries) if "alarm" in one["action"]]


def test_a_raised_alarm_warns_beside_the_verdict_and_changes_none(store, live):
    goal, sales = Goal(store), Sales(live)
    users = [f"user-{sales.prefix}-{number}" for number in range(400)]
    goal.expose_all(users, arm_by_name)
    sales.send(*[sales.made(number, user, (20 if number % 2 else 2) + number % 3) for number, user in enumerate(users)])
    unread = add_alarm(goal)
    assert (unread["status"], unread["value"], unread["read_at"]) == ("never_read", None, None)
    read(store)
    answer = goal.client.get(goal.path("decision"))
    quiet = expect(answer)
    assert quiet["verdict"] == "ship" and "marked_total" not in quiet["summary"] and warned(goal) == {}
    [shown] = quiet["alarms"]
    assert (shown["status"], shown["value"], shown["unit"], shown["raised_at"]) == ("quiet", 0, "EUR", None)
    assert expect(goal.client.get(goal.path("alarms")))["alarms"] == [shown]
    sales.send(sales.made(900, "nobody", 150, note="marked"))
    read(store)
    raised = goal.client.get(goal.path("decision"), headers={"If-None-Match": answer.headers["ETag"]})
    assert raised.status == 200 and expect(raised)["verdict"] == "ship"
    assert expect(raised)["summary"].startswith(quiet["summary"]) and "marked_total (24h)" in expect(raised)["summary"]
    assert expect(raised)["alarms"][0]["status"] == "raised" and "marked_total (24h)" in warned(goal)["ALARM_RAISED"]
    read(store)
    sales.send(sales.undone(900))
    read(store)
    assert goal.decision()["alarms"][0]["status"] == "quiet"
    assert noted(goal) == ["experiment.alarm_add", "experiment.alarm_raised", "experiment.alarm_ended"]


def test_an_alarm_that_is_not_read_is_stale_and_not_raised(store, live, relay):
    goal, sales = Goal(store), Sales(live)
    sales.send(sales.made(901, "nobody", 40, note="marked"))
    add_alarm(goal, threshold=30)
    read(store)
    [raised] = expect(goal.client.get(goal.path("alarms")))["alarms"]
    assert (raised["status"], raised["value"]) == ("raised", 40)
    goal.expose_all(["user-1"], arm_by_name)
    store.database.run("UPDATE experiment_alarms SET read_at = read_at - 7200000000"
                       f" WHERE project_id = '{goal.id}'")
    assert goal.decision()["alarms"][0]["status"] == "stale" and list(warned(goal)) == ["ALARM_STALE"]
    assert "marked_total" not in goal.decision()["summary"]
    relay.cut = 1000
    try:
        assert "alarm_failed" in read(store)
    finally:
        relay.cut = 0
    [broken] = goal.decision()["alarms"]
    assert (broken["status"], broken["value"]) == ("stale", 40) and "did not answer" in broken["failure"]
    read(store)
    [again] = goal.decision()["alarms"]
    assert again["status"] == "raised" and again["failure"] is again["failed_at"] is None
    sales.send(sales.undone(901))


def test_an_alarm_compares_with_its_first_value_or_a_given_one(store, live):
    goal, sales = Goal(store), Sales(live)
    sales.send(sales.made(902, "nobody", 200, note="marked"))
    add_alarm(goal, condition="changed", threshold=10)
    add_alarm(goal, condition="changed", threshold=10, reference=100)
    add_alarm(goal, condition="below", threshold=150)
    mean = add_alarm(goal, metric="marked_mean", condition="above")
    read(store)

    def states():
        return [(one["status"], one["reference"]) for one in expect(goal.client.get(goal.path("alarms")))["alarms"]]

    assert states() == [("quiet", 200), ("raised", 100), ("quiet", None), ("no_value", None)]
    sales.send(sales.made(902, amount=100))
    read(store)
    assert states() == [("raised", 200), ("quiet", 100), ("raised", None), ("no_value", None)]
    add_alarm(goal, status=409, code="alarm_limit_reached")
    left = expect(goal.client.send("DELETE", goal.path(f"alarms/{mean['id']}")))["alarms"]
    assert len(left) == 3
    expect(goal.client.send("DELETE", goal.path(f"alarms/{mean['id']}")), 404, "not_found")
    sales.send(sales.undone(902))
    expect(store.client.post(f"{PROJECTS}/{goal.id}/archive"))
    add_alarm(goal, status=400, code="project_archived")


def test_alarms_that_cannot_be_read_are_refused_or_named(store):
    goal = Goal(store)
    for members, named in (({"metric": "a/../b"}, "metric"), ({"condition": "changed", "threshold": -1}, "changed"),
                           ({"condition": "changed", "reference": 0}, "reference"), ({"reference": 3}, "reference")):
        assert named in str(add_alarm(goal, status=422, code="validation_error", **members)["detail"])
    expect(store.client.get(f"/api/v1/experiments/{unknown_id()}/alarms"), 404, "not_found")
    add_alarm(goal, metric="nothing")
    read(store)
    [lost] = expect(goal.client.get(goal.path("alarms")))["alarms"]
    assert lost["status"] == "never_read" and "404" in lost["failure"] and "nothing" in lost["failure"]
    expect(store.client.post(f"{PROJECTS}/{goal.id}/archive"))


def test_a_metric_shows_how_far_its_rows_were_read(store, live):
    goal, sales = Goal(store), Sales(live)
    users = [f"user-{sales.prefix}-{number}" for number in range(4)]
    goal.expose_all(users, arm_by_name)
    sales.send(*[sales.made(number, user, 10) for number, user in enumerate(users)])
    path = f"{METRICS}/{goal.metric['metric']['id']}"
    [unread] = expect(store.client.get(path))["sources"]
    assert (unread["project_id"], unread["source"]["status"]) == (goal.id, "never_read")
    read(store)
    [shown] = expect(store.client.get(path))["sources"]
    assert shown["source"] == goal.source and shown["source"]["status"] == "fresh"
    plain = expect(store.client.post(METRICS, {"name": goal.event, "kind": "binary", "event_name": "visit"}))
    assert plain["sources"] == []


def test_a_table_that_is_not_there_is_named(store):
    goal = Goal(store, livedata={"entity_type": "nothing", "user_column": "member", "time_column": "sold_at"})
    goal.expose_all([f"user-{arm}" for arm in (0, 1)], arm_by_name)
    read(store)
    assert "404" in goal.source["failure"] and "nothing" in goal.source["failure"]
    expect(store.client.post(f"{PROJECTS}/{goal.id}/archive"))
