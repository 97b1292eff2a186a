"""Reads that may be old come from a replica: with their age, never beyond the limit, never without the reader's own write,
and from the database itself when the replica is away, hangs, or follows no more."""

import time
import uuid
from datetime import datetime, timedelta, timezone

import pytest

from exposition import samples
from postgres import PostgresServer
from project_fixtures import payload
from service import DATABASE_SETTINGS, Service
from standby import Standby

AGE, POSITION = "X-Data-Age-Seconds", "X-Data-Position"
MAX_AGE = 3  # seconds
WAIT_SECONDS = 90  # seconds for what happens by itself
REPLICA_SETTINGS = {"experiments": "AB_", "support": "", "orchestrator": "ORCH_", "livedata": "LIVE_"}
COUNTED = {"experiments": "ab", "support": "rag", "orchestrator": "orch", "livedata": "live"}
LIVE = {"X-API-Key": "key-of-shop", "X-Admin-Key": "key-of-administration"}
HEADERS = {"experiments": {}, "support": {"X-API-Key": "key-of-support"}, "orchestrator": {}, "livedata": LIVE}
BEYOND = str(2**62)  # a position that no log has: the database itself answers
ORDER, WINDOW_METRIC = "/v1/entity/order/ORD-20260404-1001", "/v1/metrics/revenue"


@pytest.fixture(scope="module")
def servers():
    with PostgresServer() as primary:
        for name in REPLICA_SETTINGS:
            primary.create_database(f"of_{name}")
        standby = Standby(primary)
        try:
            yield primary, standby.start()
        finally:
            standby.remove()


@pytest.fixture(scope="module")
def suite(servers):
    primary, standby = servers
    env = {"ORCH_STORAGE_BACKEND": "postgres", "API_KEY": "key-of-support", "LIVE_API_KEYS": "key-of-shop:shop",
           "LIVE_ADMIN_KEY": LIVE["X-Admin-Key"], "LIVE_RATE_LIMIT_RPM": "100000", "AB_RATE_LIMIT_ENABLED": "false"}
    for name, prefix in REPLICA_SETTINGS.items():
        env[DATABASE_SETTINGS[name]] = primary.url(f"of_{name}")
        env[prefix + "DATABASE_REPLICA_URL"] = standby.url(f"of_{name}")
        env[prefix + "DATABASE_REPLICA_MAX_AGE_SECONDS"] = str(MAX_AGE)
    with Service("experiments", env, services=tuple(REPLICA_SETTINGS)) as service:
        yield service


def until(probe, what):
    end = time.monotonic() + WAIT_SECONDS
    while True:
        value = probe()
        if value:
            return value
        assert time.monotonic() < end, what
        time.sleep(0.1)


def projects(suite, position=None):
    """Names of all projects, and the age that the answer states: 0 from the database itself."""
    headers = {POSITION: position} if position else {}
    answer = suite.get("/api/v1/projects", params={"limit": 200}, headers=headers)
    assert answer.status_code == 200, answer.text
    return {one["project_name"] for one in answer.json()["projects"]}, float(answer.headers[AGE])


def make(suite, name):
    answer = suite.post("/api/v1/projects", payload(name))
    assert answer.status_code == 200, answer.text
    return answer.headers[POSITION]


@pytest.fixture(scope="module")
def live(suite):
    return suite.beside("livedata")


def send(live, amount):
    """Applies an event; the position of its answer, and a time by which it was acknowledged."""
    event = {"event_id": str(uuid.uuid4()), "event_type": "order.updated", "source": "shop", "status": "pending",
             "timestamp": datetime.now(timezone.utc).isoformat(), "order_id": ORDER.rsplit("/", 1)[1], "user_id": "USR-1",
             "total_amount": amount, "items": [{"product_id": "PROD-1", "quantity": 1, "unit_price": amount}]}
    answer = live.post("/v1/events", event, headers=LIVE)
    assert answer.status_code == 200 and answer.json()["applied"] == 1, answer.text
    assert int(answer.headers[POSITION]) > 0
    return answer.json()["position"], datetime.now(timezone.utc)


def order(live, headers=None, **bounds):
    """The amount of the order, the age that the answer states, and its freshness."""
    answer = live.get(ORDER, params=bounds, headers={**LIVE, **(headers or {})})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert answer.headers["X-Live-Position"] == body["freshness"]["position"]
    return float(body["data"]["total_amount"]), float(answer.headers[AGE]), body["freshness"]


def by_replica(suite):
    until(lambda: projects(suite)[1] > 0, "the replica does not answer")


def old_reads(service, name):
    """How many reads the replica has answered, and how many the database itself."""
    answer = service.get("/metrics", headers=HEADERS[name])
    assert answer.status_code == 200, answer.text
    values = samples(answer.text)
    return [values.get(f'{COUNTED[name]}_old_reads_total{{answered_by="{who}"}}', 0) for who in ("replica", "database")]


def test_all_named_reads_of_all_services_are_answered_by_the_replica(suite):
    """And metrics count by whom."""
    missing, asked = [], 0
    for name in REPLICA_SETTINGS:
        service = suite if name == "experiments" else suite.beside(name)
        ages = []
        for operation in service.document.operations:
            path, parameters = operation.path, operation.spec.get("parameters", [])
            if not operation.concrete or not any(one["name"] == POSITION for one in parameters) \
                    or any(one.get("required") for one in parameters):
                continue
            asked += 1

            def answered(service=service, path=path, name=name, ages=ages):
                answer = service.get(path, headers=HEADERS[name])
                assert answer.status_code == 200, (path, answer.text)
                ages.append(float(answer.headers.get(AGE, 0)))
                return ages[-1] > 0
            try:
                until(answered, path)
            except AssertionError as error:
                missing.append(error.args[0])
        assert old_reads(service, name) == [sum(age > 0 for age in ages), ages.count(0)]
    assert asked >= 4 * len(REPLICA_SETTINGS)
    assert not missing


def test_old_data_state_their_age_until_they_are_too_old(suite, servers):
    primary, standby = servers

    def seen_old(number=iter(range(100))):
        """A write that the paused replica does not have, read at once: no limit on how slow this machine may be."""
        standby.catch_up(primary)
        by_replica(suite)
        standby.pause()
        name = f"paused {next(number)}"
        position = make(suite, name)
        names, age = projects(suite)
        if age > 0:
            assert name not in names and age <= MAX_AGE
            return name, position
        standby.resume()
        return None
    name, position = until(seen_old, "never answered by a replica that has not the write")
    names, age = projects(suite, position)
    assert name in names and age == 0, "the own write is asked of the database itself"
    grown = []
    until(lambda: grown.append(projects(suite)) or grown[-1][1] == 0, "the replica answers whatever its age")
    assert name in grown[-1][0]
    assert all(age <= MAX_AGE for _, age in grown)
    standby.resume()
    until(lambda: projects(suite, position)[1] > 0, "the replica is not asked again")
    assert name in projects(suite)[0]


def test_what_the_replica_has_not_yet_is_not_missing(suite, servers):
    primary, standby = servers
    standby.catch_up(primary)
    by_replica(suite)
    standby.pause()
    try:
        answer = suite.post("/api/v1/projects", payload("new"))
        for part in ("history", "revisions"):
            assert suite.get(f"/api/v1/projects/{answer.json()['id']}/{part}").status_code == 200
    finally:
        standby.resume()


def paused_before_a_write(live, servers, amounts):
    """Of an order that is written while replay is paused, and read at once: what was answered before and after, the write's
    position and the time by which it was acknowledged. Until the replica has answered: this machine may be slow."""
    primary, standby = servers

    def seen_old():
        amount = next(amounts)
        send(live, amount)
        standby.catch_up(primary)
        until(lambda: order(live)[1] > 0, "the replica does not answer")
        before = order(live)
        standby.pause()
        position, acknowledged = send(live, amount + 0.5)
        after = order(live)
        if before[1] > 0 and after[1] > 0:
            return amount, before, after, position, acknowledged
        standby.resume()
        return None
    return until(seen_old, "never answered by a replica that has not the write")


def test_live_data_of_a_replica_are_as_fresh_as_they_say(live, servers):
    amount, before, after, position, acknowledged = paused_before_a_write(live, servers, iter(range(100, 200)))
    try:
        assert before[0] == after[0] == amount and after[1] <= MAX_AGE
        assert before[2]["position"] == after[2]["position"] < position, "the position is that of the replica"
        assert datetime.fromisoformat(after[2]["as_of"]) <= acknowledged, "the write was acknowledged and is missing"
        new = amount + 0.5
        for bounds in ({"at_least": position}, {"max_staleness": "0ms"}, {"at_least": position, "wait": "1s"}):
            value, age, freshness = order(live, **bounds)
            assert (value, age) == (new, 0) and freshness["position"] == position, bounds
        assert order(live, {POSITION: BEYOND})[0] == new, "what the replica answered is not kept"
        grown = []
        until(lambda: grown.append(order(live)) or grown[-1][1] == 0, "the replica answers whatever its age")
        assert grown[-1][0] == new
        assert all(age <= MAX_AGE and value == amount for value, age, _ in grown[:-1])
    finally:
        servers[1].resume()
    until(lambda: order(live, at_least=position)[1] > 0, "a replica that has the position is not asked")


def test_a_source_that_the_replica_does_not_know_as_current_is_asked_of_the_database(live, servers):
    """Heard of an hour ago, says the replica; the database has its newest heartbeat."""
    primary, standby = servers

    def beat(source, age):
        beats = [{"source": source, "watermark": (datetime.now(timezone.utc) - age).isoformat()}]
        answer = live.post("/v1/events", {"heartbeats": beats}, headers=LIVE)
        assert answer.status_code == 200 and answer.json()["heartbeats"] == 1, answer.text

    def asked(sources=iter(range(100))):
        """Whether the replica still answers a read without bounds after those that it must not."""
        source = f"branch {next(sources)}"
        beat(source, timedelta(hours=1))
        standby.catch_up(primary)
        until(lambda: order(live)[1] > 0, "the replica does not answer")
        standby.pause()
        try:
            beat(source, timedelta())
            for bounds in ({"max_event_age": "10m"}, {"max_event_age": "10m", "wait": "5s"}):
                assert order(live, **bounds)[1] == 0
            return order(live)[1] > 0
        finally:
            standby.resume()
    send(live, 70)
    until(asked, "the replica is always too old")


def test_live_data_are_those_of_the_database_when_nothing_is_written(live, servers):
    send(live, 80)
    reads = [ORDER, ORDER + "/timeline", ORDER + "/events", ORDER.replace("entity", "lineage"), "/v1/search?q=USR-1", WINDOW_METRIC,
             WINDOW_METRIC + "/series?step=30m", "/v1/metrics/revenue?group_by=status"]
    for path in reads:
        def same(path=path):
            """Nothing but ages differs."""
            old, new = (live.get(path, headers={**LIVE, **more}) for more in ({}, {POSITION: BEYOND}))
            assert old.status_code == new.status_code == 200, (path, old.text, new.text)
            assert float(new.headers[AGE]) == 0
            return float(old.headers[AGE]) > 0 and without_ages(old.json()) == without_ages(new.json())
        until(same, path)


def without_ages(value):
    if isinstance(value, list):
        return [without_ages(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: without_ages(one) for name, one in value.items()
            if name not in ("computed_at", "as_of", "valid_until", "from", "to", "at") and not name.endswith("_seconds")}


def test_points_of_a_replica_are_not_kept(live, servers):
    """A point that is kept stands for its hour; one of old data might lack an event of it."""
    end = datetime.now(timezone.utc).replace(minute=0, second=0, microsecond=0) - timedelta(hours=1)
    span = {"from": (end - timedelta(hours=5)).isoformat(), "to": end.isoformat()}

    def series(step, **more):
        answer = live.get(WINDOW_METRIC + "/series", params={**span, "step": step}, headers={**LIVE, **more})
        assert answer.status_code == 200, answer.text
        return float(answer.headers[AGE])

    def kept():
        return servers[0].sql("SELECT DISTINCT (ends_at - starts_at) / 60000000 FROM series_points",
                              database="of_livedata").split("\n")

    def asked_once(steps=iter((20, 12, 10, 6, 5, 4, 3, 2))):
        """A step that the replica has answered, and the database itself never was asked for."""
        until(lambda: order(live)[1] > 0, "the replica does not answer")
        step = next(steps)
        return step if series(f"{step}m") > 0 else None
    step = until(asked_once, "no series of the replica")
    assert series("15m", **{POSITION: BEYOND}) == 0
    until(lambda: "15" in kept(), "the points of the database are not kept")
    assert str(step) not in kept()


def test_a_position_is_a_number(suite):
    for wrong in ("0/16B3748", "-1", "x", "99999999999999999999"):
        answer = suite.get("/api/v1/projects", headers={POSITION: wrong})
        assert answer.status_code == 422 and POSITION in answer.text, answer.text
    assert suite.get("/api/v1/projects", headers={POSITION: str(2**62)}).headers[AGE] == "0.000"


def test_the_database_answers_while_the_replica_hangs(suite, live, servers):
    by_replica(suite)
    until(lambda: order(live)[1] > 0, "the replica does not answer")
    with servers[1].stopped():
        for _ in range(20):
            assert projects(suite)[1] == 0
            assert order(live)[1] == 0
    by_replica(suite)


def test_no_read_fails_when_the_replica_is_killed(suite, live, servers):
    by_replica(suite)
    until(lambda: order(live)[1] > 0, "the replica does not answer")
    servers[1].kill()
    for _ in range(50):
        projects(suite)
        order(live)
    assert projects(suite)[1] == 0 and order(live)[1] == 0
    servers[1].start()
    by_replica(suite)


def test_a_promoted_replica_is_not_asked(suite, servers):
    primary, standby = servers
    by_replica(suite)
    standby.promote()
    standby.sql("DELETE FROM projects", database="of_experiments")  # it goes its own way
    make(suite, "after the promotion")
    for _ in range(20):
        names, age = projects(suite)
        assert age == 0 and "after the promotion" in names
    assert primary.sql("SELECT count(*) > 0 FROM projects", database="of_experiments") == "t"
