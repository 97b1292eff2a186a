"""The first administrator: the development pair and the first password, and where they count; cookies behind TLS."""

import pytest

from accounts_client import HASH, PASSWORD, Browser, signed_in
from service import Service

PAIR = {"username": "admin", "password": "admin"}


@pytest.fixture(scope="module")
def fresh():
    with Service("accounts", {"ASSAY_SIGN_IN_RATE_PER_MINUTE": "100000", "ASSAY_SIGN_IN_FAILURES": "100"}) as service:
        yield service


def first_password(service):
    return (service.stack.directory / "state" / "support-first-password").read_text().strip()


def test_the_pair_is_shown_and_counts_on_this_machine(fresh):
    assert Browser(fresh).get("/api/sign-in").json() == {"oidc": None, "development": PAIR, "first_run": True}
    signed_in(fresh, **PAIR)
    # A proxy forwarded it: it came from another machine.
    forwarded = {"X-Forwarded-For": "198.51.100.7"}
    assert Browser(fresh).get("/api/sign-in", headers=forwarded).json()["development"] is None
    assert Browser(fresh).try_to_sign_in("admin", "admin", **forwarded).status_code == 401
    assert Browser(fresh).try_to_sign_in("admin", first_password(fresh), **forwarded).status_code == 200


def test_both_end_with_a_password_of_his_own(fresh):
    browser = signed_in(fresh, "admin", first_password(fresh))
    changed = browser.send("PUT", "/api/password", {"current": "admin", "new": "one of my own"})
    assert changed.status_code == 204, changed.text
    assert Browser(fresh).get("/api/sign-in").json() == {"oidc": None, "development": None, "first_run": False}
    assert Browser(fresh).try_to_sign_in("admin", "admin").status_code == 401
    assert Browser(fresh).try_to_sign_in("admin", first_password(fresh)).status_code == 401
    signed_in(fresh, "admin", "one of my own")


@pytest.mark.parametrize("setting", [{"RAG_ENV": "production"}, {"AB_ENV": "production"}, {"ASSAY_BIND": "0.0.0.0"}],
                         ids=lambda setting: next(iter(setting)))
def test_the_pair_counts_nowhere_else(setting):
    with Service("accounts", setting) as service:
        assert Browser(service).get("/api/sign-in").json()["development"] is None
        assert Browser(service).try_to_sign_in("admin", "admin").status_code == 401
        assert Browser(service).try_to_sign_in("admin", first_password(service)).status_code == 200


def test_cookies_behind_tls():
    site = "https://assay.example"
    with Service("accounts", {"ADMIN_PASSWORD_HASH": HASH, "ASSAY_ORIGIN_PORTAL": site}) as service:
        browser = Browser(service)
        browser.origin = site
        answer = browser.try_to_sign_in("admin", PASSWORD)
        assert answer.status_code == 200 and answer.headers["Set-Cookie"].endswith("; Secure")
        invited = browser.post("/api/invitations", {"email": "a@example.com", "roles": {}})
        assert invited.json()["link"].startswith(f"{site}/sign-in?invitation=")


def test_guesses_of_an_address_are_limited():
    with Service("accounts", {"ASSAY_SIGN_IN_RATE_PER_MINUTE": "5"}) as service:
        said = [Browser(service).get(f"/api/invitations/accept?token=guess{i}") for i in range(6)]
        assert [answer.status_code for answer in said] == [404] * 5 + [429]
        assert int(said[-1].headers["Retry-After"]) > 0
        assert Browser(service).try_to_sign_in("admin", "admin").status_code == 429
