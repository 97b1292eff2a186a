"""The account store of several hosts, and an account store that is down."""

import contextlib
import time

import pytest

from authorisation_services_test import KEY
from people import SETTING, People
from people_access_test import LOCKED, SERVICES, COMMON
from service import Servers, Service
from support_accounts_test import HASH, sign_in
from wait import wait_for

READS = {"experiments": "/api/v1/projects", "support": "/api/sessions", "livedata": "/v1/catalog", "orchestrator": "/api/v1/tasks"}
AREAS = {"experiments": "analyst", "support": "agent", "data": "viewer", "models": "viewer"}
KEPT_SECONDS = 5


@pytest.fixture(scope="module")
def url():
    return Servers.new_database()


@pytest.fixture(scope="module")
def suite(url):
    settings = {**COMMON, **LOCKED, SETTING: url, "ADMIN_PASSWORD_HASH": HASH}
    with Service(SERVICES[0], settings, services=SERVICES) as service:
        yield service


@pytest.fixture(scope="module")
def people(suite):
    return People(suite.stack)


@contextlib.contextmanager
def down(url):
    """The database takes no connections meanwhile."""
    name = url.rsplit("/", 1)[1].split("?")[0]
    Servers.server.sql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    try:
        Servers.server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        yield
    finally:
        Servers.server.sql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


def asked(suite, service, headers, portal=True):
    one = suite.beside(service)
    _ = one.document
    if portal:
        one.url = suite.stack.area_url(service)
    return one.get(READS[service], headers=headers).status_code


def test_static_credentials_work_without_the_store(suite, people, url):
    person = people.add("late", password_hash=HASH, **AREAS)
    signed = {"Authorization": "Bearer " + sign_in(suite.beside("support"), "late").json()["access_token"]}
    with down(url):
        for service in SERVICES:
            assert asked(suite, service, person.cookie()) == 503, service
            assert asked(suite, service, person.bearer(), portal=False) == 503, service
            assert asked(suite, service, {}) == 401, service
            for portal in (True, False):
                assert asked(suite, service, {"X-API-Key": KEY}, portal) == 200, service
        support = suite.beside("support")
        assert support.get("/api/agent/tickets", headers=signed).status_code == 200, "as the token says"
        assert sign_in(support).status_code == 200, "the administrator of the settings"
        assert sign_in(support, "late").status_code == 503
    for service in SERVICES:
        wait_for(lambda s=service: asked(suite, s, person.cookie()) == 200)
        assert asked(suite, service, person.bearer(), portal=False) == 200
    wait_for(lambda: sign_in(suite.beside("support"), "late").status_code == 200)


def test_a_session_that_ended_on_one_host_ends_on_the_others(suite, people, url):
    person = people.add("two-hosts", **AREAS)
    with Service("support", {SETTING: url, "API_KEY": KEY}) as other:
        for service in SERVICES:
            assert asked(suite, service, person.cookie()) == 200
        assert asked(other, "support", person.cookie()) == 200
        support = other.stack.area_url("support")
        left = other.session.post(support + "/api/auth/logout", headers={**person.cookie(), "Origin": other.stack.portal_url})
        assert left.status_code == 200, left.text
        ended = time.monotonic()
        assert asked(other, "support", person.cookie()) == 401, "at once on the host where it ended"
        assert asked(other, "support", person.cookie(1)) == 200, "the other session of the person goes on"
        for service in SERVICES:
            wait_for(lambda s=service: asked(suite, s, person.cookie()) == 401)
        assert time.monotonic() - ended < KEPT_SECONDS + 2


def test_everybody_is_an_administrator_until_there_is_a_second_person():
    with Service("support", {"ALLOW_ANONYMOUS_ADMIN": "true"}) as support:
        people = People(support.stack)
        assert asked(support, "support", {}, portal=False) == 200
        assert asked(support, "support", {}) == 401, "under the portal"
        people.add("ann", support="admin")
        assert asked(support, "support", {}, portal=False) == 200
        people.add("bob", support="viewer")
        assert asked(support, "support", {}, portal=False) == 401
        people.switch_off("bob")
        assert asked(support, "support", {}, portal=False) == 200
