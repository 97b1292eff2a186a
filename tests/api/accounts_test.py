"""People of the suite: signing in and out, sessions, passwords, tokens, roles, invitations and the audit log, on both
engines."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest

from accounts_client import COOKIE, PASSWORD, Browser, accounts_fixture, add_person, signed_in
from exposition import judge, samples

pytestmark = pytest.mark.both_engines
accounts = accounts_fixture()
UNKNOWN = "00000000-0000-4000-8000-000000000000"



@pytest.fixture(scope="module")
def administrator(accounts):
    return signed_in(accounts)


def test_sign_in_and_out(accounts):
    browser = Browser(accounts)
    assert not browser.is_signed_in()
    answer = browser.try_to_sign_in("ADMIN", PASSWORD)
    assert answer.status_code == 200, answer.text
    said = answer.json()
    assert said["person"]["username"] == "admin"
    assert said["person"]["roles"] == dict.fromkeys(("experiments", "support", "models", "data", "suite"), "admin")
    cookie = answer.headers["Set-Cookie"]
    assert re.search(r"; HttpOnly", cookie) and re.search(r"; SameSite=Lax", cookie) and "; Path=/;" in cookie
    assert "Secure" not in cookie  # not over TLS
    assert browser.get("/api/session").json()["session_id"] == said["session_id"]
    assert browser.send("DELETE", "/api/session").json() == {"provider_sign_out": None}
    browser.session = said["session_id"]
    assert not browser.is_signed_in()


def test_wrong_credentials_look_alike(accounts, administrator):
    add_person(administrator, "known", support="agent")
    said = [Browser(accounts).try_to_sign_in(name, "wrong password") for name in ("known", "nobody", "admin")]
    assert [answer.status_code for answer in said] == [401] * 3
    assert len({(answer.json()["detail"], answer.json()["error_code"]) for answer in said}) == 1
    assert all("Set-Cookie" not in answer.headers for answer in said)


def test_the_time_does_not_tell_who_exists(accounts, administrator):
    add_person(administrator, "timed", support="agent")

    def seconds(name):
        began = time.perf_counter()
        assert Browser(accounts).try_to_sign_in(name, "wrong password").status_code == 401
        return time.perf_counter() - began
    pairs = [(seconds("timed"), seconds("untimed")) for _ in range(8)]
    known, unknown = (min(column) for column in zip(*pairs))
    assert 0.6 < known / unknown < 1.7, pairs


@pytest.mark.parametrize("name", ["locked", "stranger"])
def test_lock_out_is_the_same_for_strangers(accounts, administrator, name):
    if name == "locked":
        add_person(administrator, name, support="agent")
    accounts.sql("DELETE FROM sign_in_failures")
    said = [Browser(accounts).try_to_sign_in(name, f"wrong {i}") for i in range(12)]
    assert [answer.status_code for answer in said] == [401] * 10 + [429] * 2
    assert 800 < int(said[-1].headers["Retry-After"]) <= 900
    assert said[-1].json()["error_code"] == "too_many_failures"
    # The right one does not count now, and says nothing else.
    assert Browser(accounts).try_to_sign_in(name, "a first password").status_code == 429
    accounts.sql("UPDATE sign_in_failures SET ends_at = 1")
    if name == "locked":
        assert Browser(accounts).try_to_sign_in(name, "a first password").status_code == 200


def test_success_forgets_failures(accounts, administrator):
    add_person(administrator, "forgetful", support="agent")
    for _ in range(3):
        for _ in range(4):
            assert Browser(accounts).try_to_sign_in("forgetful", "wrong").status_code == 401
        assert Browser(accounts).try_to_sign_in("forgetful", "a first password").status_code == 200


def test_a_page_of_another_site_cannot_sign_in(accounts):
    own = accounts.stack.portal_url
    for origin in ("https://elsewhere.example", "null", own + "0", own.replace("http:", "https:")):
        answer = Browser(accounts).try_to_sign_in("admin", PASSWORD, Origin=origin)
        assert answer.status_code == 403 and "Set-Cookie" not in answer.headers


def test_the_portal_has_several_names(accounts):
    """It is opened as localhost, too."""
    port = accounts.stack.portal_url.rpartition(":")[2]
    for name in ("localhost", "127.0.0.1"):
        answer = Browser(accounts).try_to_sign_in("admin", PASSWORD, Host=f"{name}:{port}", Origin=f"http://{name}:{port}")
        assert answer.status_code == 200, answer.text


def test_sessions_are_listed_and_ended(accounts, administrator):
    add_person(administrator, "mobile", support="agent")
    first, second = (signed_in(accounts, "mobile", "a first password") for _ in range(2))
    listed = first.get("/api/sessions").json()["sessions"]
    assert len(listed) == 2
    [current] = [session for session in listed if session["is_current"]]
    [other] = [session for session in listed if not session["is_current"]]
    assert current["ip_address"] == "127.0.0.1" and "python-requests" in current["user_agent"]
    assert first.send("DELETE", f"/api/sessions/{other['id']}").status_code == 204
    assert first.is_signed_in() and not second.is_signed_in()
    assert first.send("DELETE", f"/api/sessions/{other['id']}").status_code == 404
    # Those of other people are not there.
    own = administrator.get("/api/sessions").json()["sessions"][0]["id"]
    assert first.send("DELETE", f"/api/sessions/{own}").status_code == 404
    assert administrator.is_signed_in()
    third = signed_in(accounts, "mobile", "a first password")
    assert first.send("DELETE", "/api/session?everywhere=true").status_code == 200
    assert not third.is_signed_in()


def test_a_new_password_ends_other_sessions(accounts, administrator):
    person = add_person(administrator, "changing", settled=False, support="agent")
    assert person["must_change_password"]
    first, second = (signed_in(accounts, "changing", "a first password") for _ in range(2))
    wrong = first.send("PUT", "/api/password", {"current": "not this", "new": "my own password"})
    assert wrong.status_code == 401 and wrong.json()["error_code"] == "credentials_refused"
    assert first.send("PUT", "/api/password", {"current": "a first password", "new": "short"}).status_code == 422
    assert first.send("PUT", "/api/password", {"current": "a first password", "new": "my own password"}).status_code == 204
    assert not first.get("/api/session").json()["person"]["must_change_password"]
    assert not second.is_signed_in()
    assert Browser(accounts).try_to_sign_in("changing", "a first password").status_code == 401
    signed_in(accounts, "changing", "my own password")


def own_token(browser, name="script"):
    """A way to ask who a new personal token of the person names: 200 or 401."""
    token = browser.post("/api/tokens", {"name": name}).json()["token"]
    return lambda: Browser(browser.accounts).get("/api/session", headers={"X-API-Key": token}).status_code


def last_detail(administrator, action):
    return next(entry["detail"] for entry in administrator.get("/api/audit").json()["entries"] if entry["action"] == action)


def test_a_new_password_ends_personal_tokens_unless_they_are_kept(accounts, administrator):
    add_person(administrator, "renewing", support="agent")
    browser = signed_in(accounts, "renewing", "a first password")
    ask = own_token(browser)
    kept = {"current": "a first password", "new": "my own password", "end_tokens": False}
    assert browser.send("PUT", "/api/password", kept).status_code == 204
    assert ask() == 200
    assert last_detail(administrator, "password_changed") is None
    assert browser.send("PUT", "/api/password", {"current": "my own password", "new": "one more password"}).status_code == 204
    assert ask() == 401
    assert browser.get("/api/tokens").json()["tokens"] == []
    assert last_detail(administrator, "password_changed") == "1 token deleted"


def test_the_reset_by_an_administrator_ends_personal_tokens(accounts, administrator):
    person = add_person(administrator, "stolen", support="agent")
    browser = signed_in(accounts, "stolen", "a first password")
    asks = [own_token(browser, name) for name in ("one", "two")]
    assert [ask() for ask in asks] == [200, 200]
    assert administrator.post(f"/api/people/{person['id']}/password", {"new": "given once more"}).status_code == 204
    assert [ask() for ask in asks] == [401, 401]
    assert last_detail(administrator, "password_set") == "2 tokens deleted"


def test_signing_out_everywhere_may_end_personal_tokens(accounts, administrator):
    add_person(administrator, "leaving", support="agent")
    browser = signed_in(accounts, "leaving", "a first password")
    ask = own_token(browser)
    assert browser.send("DELETE", "/api/session?everywhere=true").status_code == 200
    assert ask() == 200
    browser.sign_in("leaving", "a first password")
    assert browser.send("DELETE", "/api/session?everywhere=true&end_tokens=true").status_code == 200
    assert ask() == 401
    assert last_detail(administrator, "sign_out_everywhere") == "1 token deleted"


def test_a_given_password_is_changed_first(accounts, administrator):
    """Until then a session does nothing else."""
    add_person(administrator, "given", settled=False, support="agent")
    browser = signed_in(accounts, "given", "a first password")
    for method, path, body in (("GET", "/api/sessions", None), ("GET", "/api/tokens", None),
                               ("POST", "/api/tokens", {"name": "t"})):
        answer = browser.send(method, path, body)
        assert (answer.status_code, answer.json()["error_code"]) == (403, "password_change_required"), path
    assert browser.get("/api/session").json()["person"]["must_change_password"]
    assert browser.send("DELETE", "/api/session").status_code == 200
    browser.sign_in("given", "a first password")
    assert browser.send("PUT", "/api/password", {"current": "a first password", "new": "my own password"}).status_code == 204
    assert browser.get("/api/tokens").status_code == 200


def test_the_password_of_the_settings_stays_there(administrator):
    answer = administrator.send("PUT", "/api/password", {"current": PASSWORD, "new": "another password"})
    assert answer.status_code == 409 and answer.json()["error_code"] == "password_in_settings"
    own = administrator.get("/api/session").json()["person"]["id"]
    answer = administrator.post(f"/api/people/{own}/password", {"new": "another password"})
    assert answer.status_code == 409


def test_personal_tokens(accounts, administrator):
    add_person(administrator, "scripted", support="agent")
    browser, program = signed_in(accounts, "scripted", "a first password"), Browser(accounts)
    made = browser.post("/api/tokens", {"name": "export", "expires_in_days": 30, "read_only": True})
    assert made.status_code == 201
    token, shown = made.json()["token"], {"Authorization": f"Bearer {made.json()['token']}"}
    assert token.startswith("assay_") and token.startswith(made.json()["prefix"])
    said = program.get("/api/session", headers=shown).json()
    assert said["person"]["username"] == "scripted" and said["session_id"] is None
    assert program.get("/api/session", headers={"X-API-Key": token}).status_code == 200
    [listed] = browser.get("/api/tokens").json()["tokens"]
    assert listed["name"] == "export" and listed["read_only"] and listed["last_used_at"] and token not in str(listed)
    assert program.get("/api/tokens", headers=shown).status_code == 403  # a token makes no tokens
    # A bad token is not overruled by a good session.
    assert browser.get("/api/session", headers={"Authorization": "Bearer assay_wrong"}).status_code == 401
    assert browser.send("DELETE", f"/api/tokens/{listed['id']}").status_code == 204
    assert program.get("/api/session", headers=shown).status_code == 401
    assert browser.send("DELETE", f"/api/tokens/{listed['id']}").status_code == 404
    stored = str(accounts.sql("SELECT * FROM personal_tokens")) + str(accounts.sql("SELECT * FROM sessions"))
    assert token not in stored and browser.session not in stored


def test_roles_take_effect_at_once(accounts, administrator):
    person = add_person(administrator, "promoted", support="agent", data="viewer")
    browser = signed_in(accounts, "promoted", "a first password")
    assert browser.get("/api/people").status_code == 403
    changed = administrator.send("PATCH", f"/api/people/{person['id']}", {"roles": {"suite": "admin", "data": None}, "name": "P"})
    assert changed.status_code == 200
    assert changed.json()["roles"] == {"experiments": None, "support": "agent", "models": None, "data": None, "suite": "admin"}
    assert changed.json()["name"] == "P" and changed.json()["tenant"] == "default"
    assert browser.get("/api/people").status_code == 200
    assert administrator.send("PATCH", f"/api/people/{person['id']}", {"name": None, "tenant": "shop"}).json()["name"] is None
    assert browser.get("/api/session").json()["person"]["tenant"] == "shop"
    assert administrator.send("PATCH", f"/api/people/{person['id']}", {"is_active": False}).status_code == 200
    assert not browser.is_signed_in()
    assert Browser(accounts).try_to_sign_in("promoted", "a first password").status_code == 401
    assert administrator.send("PATCH", f"/api/people/{person['id']}", {"is_active": True}).status_code == 200
    assert not browser.is_signed_in()  # the session has ended for good
    signed_in(accounts, "promoted", "a first password")
    assert administrator.send("PATCH", f"/api/people/{person['id']}", {"roles": {"suite": None}}).status_code == 200


def test_changes_at_the_same_time_are_all_kept(administrator):
    """Each names one role; none writes back what it has read of the others."""
    path = f"/api/people/{add_person(administrator, 'shared')['id']}"
    with ThreadPoolExecutor(4) as pool:
        for role in ("viewer", None) * 10:
            roles = dict.fromkeys(("experiments", "support", "models", "data"), role)
            answers = pool.map(lambda area: administrator.send("PATCH", path, {"roles": {area: role}}), roles)  # noqa: B023
            assert [answer.status_code for answer in answers] == [200] * 4
            assert administrator.get(path).json()["roles"] == {**roles, "suite": None}


def test_the_last_administrator_stays(administrator):
    own = administrator.get("/api/session").json()["person"]["id"]
    for change in ({"is_active": False}, {"roles": {"suite": None}}):
        answer = administrator.send("PATCH", f"/api/people/{own}", change)
        assert answer.status_code == 409 and answer.json()["error_code"] == "last_administrator"
    assert administrator.get("/api/people").status_code == 200


@pytest.mark.parametrize("body, status", [
    ({"username": "a b", "roles": {}}, 422),
    ({"username": "x", "roles": {"support": "operator"}}, 422),
    ({"username": "x", "roles": {"kitchen": "admin"}}, 422),
    ({"username": "x", "roles": {}, "email": "no address"}, 422),
    ({"username": "x", "roles": {}, "tenant": "a b"}, 422),
    ({"username": "x", "roles": {}, "password": "short"}, 422),
    ({"username": "x", "roles": {}, "colour": "red"}, 422),
    ({"username": "Admin", "roles": {}}, 409),
    ({"username": "Visitor", "roles": {}}, 422),
    ({"username": "\uff41nonymous", "roles": {}}, 422),
    ({"username": "admin\u200b", "roles": {}}, 422),
])
def test_people_that_cannot_be(administrator, body, status):
    assert administrator.post("/api/people", body).status_code == status


def test_everybody_may_see_who_gives_roles(accounts, administrator):
    add_person(administrator, "asking", support="viewer")
    off = add_person(administrator, "gone", suite="admin")
    assert administrator.send("PATCH", f"/api/people/{off['id']}", {"is_active": False}).status_code == 200
    found = signed_in(accounts, "asking", "a first password").get("/api/administrators").json()["administrators"]
    assert {"username": "admin", "name": None, "email": None} in found
    assert all(set(one) == {"username", "name", "email"} for one in found)
    assert not {"asking", "gone"} & {one["username"] for one in found}
    assert Browser(accounts).get("/api/administrators").status_code == 401


def test_unknown_people(administrator):
    assert administrator.get(f"/api/people/{UNKNOWN}").status_code == 404
    assert administrator.send("PATCH", f"/api/people/{UNKNOWN}", {"name": "x"}).status_code == 404
    assert administrator.post(f"/api/people/{UNKNOWN}/password", {"new": "a new password"}).status_code == 404


def test_invitations(accounts, administrator):
    wanted = {"email": "maria@example.com", "name": "Maria", "tenant": "shop", "roles": {"support": "agent"}}
    made = administrator.post("/api/invitations", wanted)
    assert made.status_code == 201
    link = urlsplit(made.json()["link"])
    assert f"{link.scheme}://{link.netloc}{link.path}" == f"{accounts.stack.portal_url}/sign-in"
    [token] = parse_qs(link.query)["invitation"]
    assert [i["email"] for i in administrator.get("/api/invitations").json()["invitations"]] == ["maria@example.com"]
    guest = Browser(accounts)
    assert guest.get(f"/api/invitations/accept?token={token}").json()["invited_by"] == "admin"
    taken = guest.post("/api/invitations/accept", {"token": token, "username": "admin", "password": "a long password"})
    assert taken.status_code == 409
    accepted = guest.post("/api/invitations/accept", {"token": token, "username": "maria", "password": "a long password"})
    assert accepted.status_code == 200 and guest.is_signed_in()
    person = accepted.json()["person"]
    assert (person["name"], person["tenant"], person["email"]) == ("Maria", "shop", "maria@example.com")
    assert person["roles"]["support"] == "agent" and person["roles"]["suite"] is None
    again = Browser(accounts).post("/api/invitations/accept", {"token": token, "username": "m2", "password": "a long password"})
    assert again.status_code == 404 and again.json()["error_code"] == "invitation_unknown"
    assert administrator.get("/api/invitations").json()["invitations"] == []


def test_withdrawn_and_expired_invitations(accounts, administrator):
    made = [administrator.post("/api/invitations", {"email": f"{name}@example.com", "roles": {}}).json() for name in "ab"]
    tokens = [parse_qs(urlsplit(one["link"]).query)["invitation"][0] for one in made]
    assert administrator.send("DELETE", f"/api/invitations/{made[0]['id']}").status_code == 204
    assert administrator.send("DELETE", f"/api/invitations/{made[0]['id']}").status_code == 404
    accounts.sql("UPDATE invitations SET expires_at = 1")
    for token in tokens:
        assert Browser(accounts).get(f"/api/invitations/accept?token={token}").status_code == 404


def test_audit(accounts, administrator):
    add_person(administrator, "audited", models="analyst")
    Browser(accounts).try_to_sign_in("audited", "wrong")
    Browser(accounts).try_to_sign_in("my secret typed here", "x")
    entries = administrator.get("/api/audit?limit=3").json()["entries"]
    assert [(e["actor"], e["action"], e["resource"]) for e in entries] == [
        ("unknown", "sign_in_failed", "person:unknown"), ("audited", "sign_in_failed", "person:audited"),
        ("admin", "person_added", "person:audited")]
    assert entries[2]["detail"] == "models=analyst" and entries[2]["ip_address"] == "127.0.0.1"
    assert "my secret" not in str(accounts.sql("SELECT * FROM audit_log"))


def test_metrics(accounts, administrator):
    """A scraper reads them by the portal, with an administrator's token that may only read."""
    made = administrator.post("/api/tokens", {"name": "scraper", "expires_in_days": 30, "read_only": True})
    scraper = {"Authorization": f"Bearer {made.json()['token']}"}

    def scrape():
        text = Browser(accounts).get("/metrics", headers=scraper).text
        assert not judge(text)
        return samples(text)

    def risen(name):
        return after.get(name, 0) - before.get(name, 0)

    before = scrape()
    add_person(administrator, "counted")
    signed_in(accounts, "counted", "a first password")
    for _ in range(2):
        Browser(accounts).try_to_sign_in("counted", "wrong")
    after = scrape()
    assert risen('accounts_sign_ins_total{source="password"}') == 1
    assert risen('accounts_sign_ins_refused_total{reason="password"}') == 2
    assert risen("accounts_people") == 1 and after["accounts_database_up"] == 1
    assert risen('accounts_http_requests_total{class="success",family="people"}') >= 2
    assert Browser(accounts).get("/metrics").status_code == 401
    assert signed_in(accounts, "counted", "a first password").get("/metrics").status_code == 403


def test_sign_in_options(accounts):
    """With ADMIN_PASSWORD_HASH no development pair counts or is shown."""
    said = Browser(accounts).get("/api/sign-in").json()
    assert said["development"] is None and said["oidc"] is None and said["first_run"] is False
    assert Browser(accounts).try_to_sign_in("admin", "admin").status_code == 401


def test_a_cookie_needs_the_portal(accounts, administrator):
    """Without Origin a session changes nothing."""
    answer = accounts.post("/api/people", {"username": "x", "roles": {}}, cookies={COOKIE: administrator.session})
    assert answer.status_code == 401
    answer = accounts.post("/api/people", {"username": "x", "roles": {}}, cookies={COOKIE: administrator.session},
                           headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 401


def test_groups_of_a_person(accounts, administrator):
    body = {"username": "gerda", "roles": {"support": "viewer"}, "groups": ["Sales", " Personnel ", "Sales"]}
    made = administrator.send("POST", "/api/people", body)
    assert made.status_code == 201 and made.json()["groups"] == ["Personnel", "Sales"]
    path = f"/api/people/{made.json()['id']}"
    assert administrator.send("PATCH", path, {"name": "Gerda"}).json()["groups"] == ["Personnel", "Sales"]
    assert administrator.send("PATCH", path, {"groups": []}).json()["groups"] == []
    for wrong in (["a,b"], [""], ["x" * 65], ["a\nb"]):
        assert administrator.send("PATCH", path, {"groups": wrong}).status_code == 400, wrong
    assert administrator.get(path).json()["groups"] == []
