"""Sign-in by an honest identity provider: who gets an account, whose it is, and which roles it has."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from identity_provider import Key
from service import ENGINES
from sign_in import ADMINISTRATOR, Browser, problem_of, sign_in_stack, without

pytestmark = pytest.mark.both_engines
ROLES = "staff=support:agent,staff=models:analyst,leads=support:admin,root=suite:admin,*=support:viewer,*=data:viewer"


@pytest.fixture(scope="module", params=ENGINES)
def suite(request):
    with sign_in_stack({"ASSAY_OIDC_ROLES": ROLES, "ASSAY_OIDC_LABEL": "Example account"}, request.param) as found:
        yield found


@pytest.fixture
def provider(suite):
    suite[0].reset()
    return suite[0]


@pytest.fixture
def new_browser(suite):
    return lambda: Browser(suite[1])


@pytest.fixture
def administrator(new_browser):
    browser = new_browser()
    username, password = ADMINISTRATOR
    answer = browser.send("POST", "/accounts/api/session", {"username": username, "password": password})
    assert answer.status_code == 200, answer.text
    return browser


def person(provider, subject, **members):
    provider.person = {"sub": subject, "email": subject + "@example.com", "email_verified": True, "name": subject.title(),
                       "groups": [], **members}


def signed_in(browser, provider):
    answer = browser.sign_in(provider)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/"), answer.headers
    return browser.person()


def test_the_page_of_sign_in_has_a_button(new_browser):
    options = new_browser().get("/accounts/api/sign-in").json()
    assert options["oidc"] == {"label": "Example account", "address": "/accounts/api/oidc/start"}


def test_an_account_is_made_at_the_first_sign_in(provider, new_browser):
    person(provider, "bea", groups=["staff", "others"])
    first = signed_in(new_browser(), provider)
    assert (first["username"], first["email"], first["name"]) == ("bea@example.com", "bea@example.com", "Bea")
    assert first["roles"] == {"experiments": None, "support": "agent", "models": "analyst", "data": "viewer", "suite": None}
    assert first["tenant"] == "default"
    person(provider, "bea", email="b.new@example.com", groups=["staff"])
    again = signed_in(new_browser(), provider)
    assert again["id"] == first["id"]


def test_the_session_is_that_of_the_suite(provider, new_browser):
    person(provider, "cyd", groups=["staff"])
    browser = new_browser()
    signed_in(browser, provider)
    assert browser.get("/support/api/admin/audit").status_code == 200
    [session] = browser.get("/accounts/api/sessions").json()["sessions"]
    assert session["is_current"]
    answer = browser.send("DELETE", "/accounts/api/session")
    assert answer.status_code == 200
    assert answer.json()["provider_sign_out"].startswith(provider.issuer + "/end?client_id=assay-client&post_logout")
    assert browser.person() is None
    assert browser.get("/support/api/admin/audit").status_code == 401


def test_roles_follow_groups(provider, new_browser):
    def roles(*groups):
        person(provider, "dan", groups=list(groups))
        return signed_in(new_browser(), provider)["roles"]

    assert roles()["support"] == "viewer"
    assert roles("leads", "staff")["support"] == "admin"
    assert roles("staff")["support"] == "agent"
    lost = roles()
    assert (lost["support"], lost["models"], lost["data"]) == ("viewer", None, "viewer")


def test_an_administrator_gives_roles_where_no_group_does(provider, new_browser, administrator):
    person(provider, "eli", groups=["staff"])
    eli = signed_in(new_browser(), provider)
    changed = {**eli["roles"], "data": "operator", "experiments": "analyst", "support": "admin"}
    answer = administrator.send("PATCH", "/accounts/api/people/" + eli["id"], {"roles": changed})
    assert answer.status_code == 200, answer.text
    again = signed_in(new_browser(), provider)["roles"]
    assert (again["data"], again["experiments"], again["support"]) == ("operator", "analyst", "agent")


def test_an_account_with_a_password_is_not_joined(provider, new_browser, administrator):
    answer = administrator.send("POST", "/accounts/api/people", {
        "username": "fay@example.com", "email": "fay@example.com", "password": "a long password", "roles": {"suite": "admin"}})
    assert answer.status_code == 201, answer.text
    person(provider, "fay")
    assert problem_of(new_browser().sign_in(provider)) == "oidc_account_exists"
    person(provider, "fay", email="FAY@example.com")
    assert problem_of(new_browser().sign_in(provider)) == "oidc_account_exists"
    person(provider, "eve", email=None, preferred_username=ADMINISTRATOR[0])
    assert problem_of(new_browser().sign_in(provider)) == "oidc_account_exists"


def test_a_prepared_account_is_joined_once(provider, new_browser, administrator):
    made = administrator.send("POST", "/accounts/api/people", {
        "username": "gus", "email": "gus@example.com", "roles": {"experiments": "analyst"}}).json()
    person(provider, "mallory", email="gus@example.com", email_verified=False)
    assert signed_in(new_browser(), provider)["id"] != made["id"]
    person(provider, "gus")
    gus = signed_in(new_browser(), provider)
    assert (gus["id"], gus["username"], gus["roles"]["experiments"]) == (made["id"], "gus", "analyst")
    person(provider, "gus-2", email="gus@example.com")
    assert signed_in(new_browser(), provider)["id"] != made["id"]


def test_who_is_switched_off_stays_out(provider, new_browser, administrator):
    person(provider, "hal", groups=["staff"])
    browser = new_browser()
    hal = signed_in(browser, provider)
    assert administrator.send("PATCH", "/accounts/api/people/" + hal["id"], {"is_active": False}).status_code == 200
    assert browser.person() is None
    assert problem_of(new_browser().sign_in(provider)) == "oidc_no_access"


def test_what_the_token_leaves_out_is_asked_for(provider, new_browser):
    person(provider, "ian", groups=["staff"])
    provider.claims = without("email", "email_verified", "name", "groups")
    ian = signed_in(new_browser(), provider)
    assert (ian["username"], ian["name"], ian["roles"]["support"]) == ("ian@example.com", "Ian", "agent")


@pytest.mark.parametrize("algorithm", ("RS256", "PS256", "ES256"))
def test_keys_are_rotated(provider, new_browser, algorithm):
    """With documents that are kept: both workers have those of before."""
    person(provider, "jon")
    for _ in range(4):
        signed_in(new_browser(), provider)
    provider.keys = [Key(algorithm)]
    provider.calls.clear()
    for _ in range(4):
        signed_in(new_browser(), provider)
    assert 1 <= provider.calls.count("/keys") <= 2
    assert provider.calls.count("/token") == 4


def test_many_at_once(provider, new_browser):
    person(provider, "kim")
    backs = [(browser, provider.authorize(browser.start().headers["Location"])) for browser in
             [new_browser() for _ in range(6)]]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda pair: pair[0].come_back(pair[1]), backs))
    assert {answer.headers["Location"] for answer in answers} == {"/"}, [a.headers["Location"] for a in answers]
    assert len({browser.person()["id"] for browser, _ in backs}) == 1


def test_what_the_audit_log_says(provider, new_browser, administrator):
    person(provider, "lea")
    signed_in(new_browser(), provider)
    provider.back = lambda parameters: {"error": "access_denied", "state": parameters["state"], "iss": parameters["iss"]}
    assert problem_of(new_browser().sign_in(provider)) == "oidc_denied"
    entries = administrator.get("/accounts/api/audit?limit=20").json()["entries"]
    said = {(entry["actor"], entry["action"], entry["detail"]) for entry in entries}
    assert {("lea@example.com", "person_added", "oidc"), ("lea@example.com", "sign_in", "oidc"),
            ("unknown", "sign_in_failed", "oidc_denied")} <= said


def test_a_provider_that_is_down_is_left_alone_for_a_while(provider, new_browser, suite):
    """Its people see so at once; passwords go on."""
    provider.answers["/token"] = (503, {}, b"")
    for _ in range(6):
        assert problem_of(new_browser().sign_in(provider)) == "oidc_unavailable"
    began = time.monotonic()
    asked = provider.calls.count("/token")
    assert problem_of(new_browser().sign_in(provider)) == "oidc_unavailable"
    assert time.monotonic() - began < 1 and provider.calls.count("/token") == asked
