"""Reads that may be old come from a replica: with their age, never beyond the limit, never without the reader's own write,
and from the database itself when the replica is away, hangs, or follows no more."""

import time

import pytest

from exposition import samples
from postgres import PostgresServer
from project_fixtures import payload
from service import DATABASE_SETTINGS, Service
from standby import Standby

AGE, POSITION = "X-Data-Age-Seconds", "X-Data-Position"
MAX_AGE = 3  # seconds
WAIT_SECONDS = 90  # seconds for what happens by itself
REPLICA_SETTINGS = {"experiments": "AB_", "support": "", "orchestrator": "ORCH_"}
COUNTED = {"experiments": "ab", "support": "rag", "orchestrator": "orch"}
HEADERS = {"experiments": {}, "support": {"X-API-Key": "key-of-support"}, "orchestrator": {}}


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
    env = {"ORCH_STORAGE_BACKEND": "postgres", "API_KEY": "key-of-support"}
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


def test_a_position_is_a_number(suite):
    for wrong in ("0/16B3748", "-1", "x", "99999999999999999999"):
        answer = suite.get("/api/v1/projects", headers={POSITION: wrong})
        assert answer.status_code == 422 and POSITION in answer.text, answer.text
    assert suite.get("/api/v1/projects", headers={POSITION: str(2**62)}).headers[AGE] == "0.000"


def test_the_database_answers_while_the_replica_hangs(suite, servers):
    by_replica(suite)
    with servers[1].stopped():
        for _ in range(20):
            assert projects(suite)[1] == 0
    by_replica(suite)


def test_no_read_fails_when_the_replica_is_killed(suite, servers):
    by_replica(suite)
    servers[1].kill()
    for _ in range(50):
        projects(suite)
    assert projects(suite)[1] == 0
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
