"""The program `account`, on both engines: what it does is in force at once for the workers of this host."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from accounts_client import Browser, accounts_fixture, signed_in

pytestmark = pytest.mark.both_engines
accounts = accounts_fixture()


def account(accounts, *arguments, status=0, password=None):
    """As `nginx/stack run account` does; the rest of standard output."""
    stack = accounts.stack
    if password is None:
        done = stack.run("run", "account", *arguments)
    else:
        done = subprocess.run([str(stack.program), "run", "--dir", str(stack.directory), "account", *arguments], text=True,
                              input=f"{password}\n", env={"PATH": "/usr/bin:/bin", **stack.env}, capture_output=True, timeout=60,
                              check=False)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def test_a_life(accounts):
    made = re.search(r"^password: (\S{16})$", account(accounts, "add", "paula", "support=agent", "paula@example.com"), re.M)[1]
    browser = signed_in(accounts, "paula", made)
    person = browser.get("/api/session").json()["person"]
    assert person["roles"]["support"] == "agent" and person["email"] == "paula@example.com" and person["must_change_password"]
    assert browser.send("PUT", "/api/password", {"current": made, "new": "chosen by paula"}).status_code == 204

    account(accounts, "role", "paula", "support=none,data=operator")
    roles = browser.get("/api/session").json()["person"]["roles"]
    assert roles == {"experiments": None, "support": None, "models": None, "data": "operator", "suite": None}

    account(accounts, "tenant", "paula", "shop")
    assert browser.get("/api/session").json()["person"]["tenant"] == "shop"

    token = account(accounts, "token", "paula", "script", "30").strip()
    shown = {"Authorization": f"Bearer {token}"}
    assert Browser(accounts).get("/api/session", headers=shown).json()["expires_at"] is not None

    assert re.search(r"^paula +on +shop +\S+Z +data=operator$", account(accounts, "list"), re.M)
    account(accounts, "off", "paula")
    assert not browser.is_signed_in()
    assert Browser(accounts).get("/api/session", headers=shown).status_code == 401
    assert re.search(r"^paula +off", account(accounts, "list"), re.M)
    account(accounts, "on", "paula")
    assert Browser(accounts).get("/api/session", headers=shown).status_code == 200

    account(accounts, "password", "paula", password="typed by hand")
    assert Browser(accounts).get("/api/session", headers=shown).status_code == 401, "whoever knew the old one may have made it"
    assert Browser(accounts).try_to_sign_in("paula", made).status_code == 401
    signed_in(accounts, "paula", "typed by hand")
    entries = signed_in(accounts).get("/api/audit").json()["entries"]
    assert {"person_added", "person_changed", "token_added", "password_set"} <= \
        {entry["action"] for entry in entries if entry["actor"] == "program account"}


def test_changes_at_the_same_time_are_all_kept(accounts):
    account(accounts, "add", "shared")
    wanted = {"experiments": "viewer", "support": "agent", "models": "analyst", "data": "operator"}
    with ThreadPoolExecutor(5) as pool:
        for roles in (wanted, dict.fromkeys(wanted, "none"), wanted):
            list(pool.map(lambda role: account(accounts, "role", "shared", "=".join(role)), roles.items()))
            listed = account(accounts, "list")
            held = [f"{area}={role}" for area, role in roles.items() if role != "none"]
            assert re.search(rf"^shared .* {','.join(held) or 'none'}$", listed, re.M), listed


def test_an_invitation_by_the_program(accounts):
    link = account(accounts, "invite", "ivan@example.com", "models=analyst").strip()
    assert link.startswith(f"{accounts.stack.portal_url}/sign-in?invitation=")
    answer = Browser(accounts).post("/api/invitations/accept", {
        "token": link.partition("invitation=")[2], "username": "ivan", "password": "a long password"})
    assert answer.status_code == 200 and answer.json()["person"]["roles"]["models"] == "analyst"


@pytest.mark.parametrize("arguments, status, words", [
    ((), 2, "usage: account"),
    (("add",), 2, "usage: account"),
    (("dance", "paula"), 2, "usage: account"),
    (("add", "two words"), 4, "username"),
    (("add", "x", "support=operator"), 4, "support=operator"),
    (("off", "nobody"), 4, "no such person"),
    (("invite", "no-address", "support=agent"), 4, "e-mail"),
    (("token", "nobody", "t", "0"), 4, "DAYS"),
])
def test_what_it_refuses(accounts, arguments, status, words):
    assert words in account(accounts, *arguments, status=status)


def test_the_last_administrator_stays(accounts):
    signed_in(accounts)
    assert "nobody else" in account(accounts, "off", "admin", status=4)


def test_groups_of_a_person(accounts):
    account(accounts, "add", "gita", "support=viewer")
    account(accounts, "groups", "gita", " Personnel,Sales ,Sales")
    account(accounts, "add", "gustav", "support=viewer")
    account(accounts, "groups", "gustav", "Personnel")
    listed = account(accounts, "groups")
    assert re.search(r"^Personnel: gita gustav$", listed, re.M) and re.search(r"^Sales: gita$", listed, re.M)
    people = {one["username"]: one["groups"] for one in signed_in(accounts).get("/api/people").json()["people"]}
    assert people["gita"] == ["Personnel", "Sales"] and people["admin"] == []
    account(accounts, "groups", "gita", "none")
    assert "gita" not in account(accounts, "groups")
    account(accounts, "groups", "gita", "a" * 65, status=4)
    account(accounts, "groups", "gita", status=4)
