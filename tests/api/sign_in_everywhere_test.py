"""One sign-in for the suite, as a person has it: the session of the portal in all four services, a token on their ports,
roles that take effect, and the end everywhere."""

import pytest

from accounts_client import HASH, PASSWORD, Browser, add_person, signed_in
from people_access_test import COMMON, LOCKED, SERVICES
from people_store_test import READS
from service import ENGINES, Service

KEYS = "/api/v1/keys"


@pytest.fixture(scope="module", params=ENGINES)
def suite(request):
    settings = {**COMMON, **LOCKED, "ADMIN_PASSWORD_HASH": HASH, "ASSAY_SIGN_IN_RATE_PER_MINUTE": "100000"}
    with Service("accounts", settings, request.param, services=(*SERVICES, "accounts")) as service:
        yield service


def area(suite, service):
    one = suite.beside(service)
    _ = one.document
    one.url = suite.stack.area_url(service)
    return one


def cookie(browser):
    return {"Cookie": f"assay_session={browser.session}", "Origin": browser.origin}


def seen(suite, headers):
    return {service: area(suite, service).get(READS[service], headers=headers).status_code for service in SERVICES}


def test_the_administrator_of_the_settings_signs_in_once(suite):
    browser = signed_in(suite)
    assert seen(suite, cookie(browser)) == dict.fromkeys(SERVICES, 200)
    assert area(suite, "livedata").get("/v1/admin/keys", headers=cookie(browser)).status_code == 200
    made = area(suite, "experiments").post(KEYS, {"name": "by an administrator", "scope": "read"}, headers=cookie(browser))
    assert made.status_code in (200, 201), made.text
    entries = area(suite, "experiments").get("/api/v1/audit", headers=cookie(browser)).json()
    assert "user:admin" in str(entries)
    assert browser.send("DELETE", "/api/session").status_code == 200
    assert seen(suite, cookie(browser)) == dict.fromkeys(SERVICES, 401), "at once on this host"


def test_roles_decide_and_take_effect_at_once(suite):
    administrator = signed_in(suite)
    person = add_person(administrator, "maria", experiments="viewer", support="agent")
    browser = signed_in(suite, "maria", "a first password")
    assert seen(suite, cookie(browser)) == {"experiments": 200, "support": 200, "livedata": 403, "orchestrator": 403}
    projects = area(suite, "experiments")
    example = projects.document.example(projects.document.find("POST", "/api/v1/templates"))
    assert projects.post("/api/v1/templates", example, headers=cookie(browser)).status_code == 403
    assert administrator.send("PATCH", f"/api/people/{person['id']}", {"roles": {"experiments": "analyst", "support": None}}
                              ).status_code == 200
    assert projects.post("/api/v1/templates", example, headers=cookie(browser)).status_code in (200, 201)
    assert projects.get(KEYS, headers=cookie(browser)).status_code == 403
    assert seen(suite, cookie(browser))["support"] == 403
    assert administrator.send("PATCH", f"/api/people/{person['id']}", {"is_active": False}).status_code == 200
    assert seen(suite, cookie(browser)) == dict.fromkeys(SERVICES, 401)


def test_a_personal_token_works_on_every_port_until_it_is_deleted(suite):
    browser = signed_in(suite)
    made = browser.post("/api/tokens", {"name": "script"}).json()
    for headers in ({"Authorization": f"Bearer {made['token']}"}, {"X-API-Key": made["token"]}):
        assert seen(suite, headers) == dict.fromkeys(SERVICES, 200)
        for service in SERVICES:
            assert suite.beside(service).get(READS[service], headers=headers).status_code == 200, service
    assert browser.send("DELETE", f"/api/tokens/{made['id']}").status_code in (200, 204)
    for service in SERVICES:
        answer = suite.beside(service).get(READS[service], headers={"Authorization": f"Bearer {made['token']}"})
        assert answer.status_code == 401, service


def test_signing_out_of_support_under_the_portal_ends_the_session(suite):
    one, other = signed_in(suite), signed_in(suite)
    left = area(suite, "support").post("/api/auth/logout", headers=cookie(one))
    assert left.status_code == 200
    assert seen(suite, cookie(one)) == dict.fromkeys(SERVICES, 401)
    assert seen(suite, cookie(other)) == dict.fromkeys(SERVICES, 200)
    assert other.send("DELETE", "/api/session?everywhere=true").status_code == 200
    assert not Browser(suite).is_signed_in() and seen(suite, cookie(other)) == dict.fromkeys(SERVICES, 401)


def test_support_signs_in_the_people_of_the_suite(suite):
    administrator = signed_in(suite)
    add_person(administrator, "rita", support="viewer")
    add_person(administrator, "noah", experiments="admin")
    support = suite.beside("support")
    tokens = support.post("/api/auth/login", {"username": "rita", "password": "a first password"})
    assert tokens.status_code == 200
    bearer = {"Authorization": f"Bearer {tokens.json()['access_token']}"}
    assert support.get("/api/sessions", headers=bearer).status_code == 200
    assert support.get("/api/documents", headers=bearer).status_code == 403
    assert support.post("/api/auth/login", {"username": "noah", "password": "a first password"}).status_code == 401
    assert support.post("/api/auth/login", {"username": "admin", "password": PASSWORD}).status_code == 200
