"""Sign-in to support by an identity provider (contract 2.4), on support's own port: the same sign-in as that of the suite,
but it ends with support's tokens."""

import pytest

from identity_provider import IdentityProvider
from service import ENGINES, Service
from sign_in import Browser, provider_settings, without

CONTRACT = {"GOOGLE_OIDC_CLIENT_ID": "g", "GOOGLE_OIDC_CLIENT_SECRET": "gs", "AZURE_OIDC_TENANT": "t-1", "AZURE_OIDC_CLIENT_ID": "a"}
LOGIN = "/api/auth/sso/oidc/login"


@pytest.fixture(scope="module", params=ENGINES)
def suite(request):
    with IdentityProvider() as provider:
        env = {**provider_settings(provider), **CONTRACT, "ASSAY_OIDC_ROLES": "staff=support:agent,others=data:viewer",
               "ASSAY_OIDC_TENANTS": "acme.example:acme,example.com:default", "RATE_LIMIT_ENABLED": "false"}
        with Service("support", env, request.param) as service:
            yield provider, service


@pytest.fixture
def provider(suite):
    suite[0].reset()
    suite[0].person |= {"email": "ann@ACME.example", "groups": ["staff"]}
    return suite[0]


@pytest.fixture
def browser(suite):
    return Browser(suite[1].url, LOGIN)


def test_the_providers_that_are_set_up(suite):
    answer = suite[1].get("/api/auth/sso/providers")
    assert answer.status_code == 200
    assert answer.json() == {"providers": [{"name": "google", "label": "Google"}, {"name": "oidc", "label": "SSO"}]}
    for name in ("azure", "github", "google/x", "OIDC"):
        assert suite[1].get(f"/api/auth/sso/{name}/login").status_code == 404
        assert suite[1].get(f"/api/auth/sso/{name}/callback?code=x&state=y").status_code == 404


def test_a_sign_in(provider, browser, suite):
    answer = browser.sign_in(provider)
    assert (answer.status_code, answer.headers["Location"]) == (307, "/static/chat.html")
    cookies = [value for name, value in answer.raw.headers.items() if name == "Set-Cookie"]
    for name in ("access_token", "refresh_token"):
        [cookie] = [c for c in cookies if c.startswith(name + "=")]
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert browser.get("/api/agent/tickets").status_code == 200
    assert browser.get("/api/metrics").status_code == 403
    rows = suite[1].sql("SELECT actor, tenant_id FROM audit_log WHERE action = 'sso_login'")
    assert ("ann@ACME.example", "acme") in [tuple(row) for row in rows]


def test_the_tokens_are_renewed_and_given_back(provider, browser):
    browser.sign_in(provider)
    token = browser.session.cookies["refresh_token"]
    renewed = browser.send("POST", "/api/auth/refresh", {"refresh_token": token})
    assert renewed.status_code == 200, renewed.text
    browser.send("POST", "/api/auth/logout")
    assert browser.get("/api/agent/tickets").status_code == 401


@pytest.mark.parametrize("case, change", {
    "a failed exchange": lambda p: p.answers.update({"/token": (400, {}, {"error": "invalid_grant"})}),
    "a refusal": lambda p: setattr(p, "back", lambda back: {"error": "access_denied", "state": back["state"], "iss": back["iss"]}),
    "no userinfo": lambda p: (setattr(p, "claims", without("email")), p.answers.update({"/me": (404, {}, b"")})),
    "no subject": lambda p: setattr(p, "claims", without("sub")),
    "no address": lambda p: p.person.update({"email": None}),
    "a domain without a tenant": lambda p: p.person.update({"email": "ann@other.example"}),
    "no role in support": lambda p: p.person.update({"sub": "olaf", "email": "olaf@example.com", "groups": ["others"]}),
    "another state": lambda p: setattr(p, "back", lambda back: back | {"state": "A" * 43}),
}.items(), ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_refused(provider, browser, case, change):
    change(provider)
    answer = browser.sign_in(provider)
    assert (answer.status_code, answer.json()["error_code"]) == (400, "sso_failed"), case
    assert "access_token" not in browser.session.cookies


def test_a_provider_that_does_not_answer(provider, browser):
    provider.answers["/token"] = (503, {}, b"")
    answer = browser.sign_in(provider)
    assert (answer.status_code, answer.json()["error_code"]) == (503, "unavailable")


def test_below_the_portal_it_is_the_sign_in_of_the_suite(suite):
    portal = Browser(suite[1].stack.portal_url + "/support", LOGIN)
    assert portal.get("/api/auth/sso/providers").json()["providers"] == [{"name": "oidc", "label": "SSO"}]
    assert portal.start().headers["Location"] == "/accounts/api/oidc/start?next=/support/static/chat.html"
    assert portal.get("/api/auth/sso/google/login").status_code == 404
