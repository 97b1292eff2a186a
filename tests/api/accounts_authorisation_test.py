"""Who may do what with accounts: the table of docs/operate/authorisation.md against every route, with sessions, personal
tokens and another site's page, on both engines. Each answer is held to the API document as well."""

import uuid

import pytest

from accounts_client import COOKIE, Browser, accounts_fixture, add_person, signed_in
from authorisation_services_test import verdict
from matrix import read_table
from service_rows_test import ask

pytestmark = pytest.mark.both_engines
accounts = accounts_fixture(ASSAY_OAUTH_RATE_PER_MINUTE="100000")
SITE = {"Origin": "https://elsewhere.example"}
KINDS = ("none", "wrong token", "person", "administrator", "token", "token: read only", "token: administrator", "other site")
TABLE = read_table("accounts", list(KINDS))


class Callers:
    """Headers by kind; sessions are begun again after they were ended."""

    def __init__(self, accounts):
        self.accounts, self.sessions, self.tokens = accounts, {}, {}
        add_person(signed_in(accounts), "somebody", support="agent")

    def session(self, kind):
        if kind not in self.sessions:
            self.sessions[kind] = (signed_in(self.accounts, "somebody", "a first password") if kind == "person"
                                   else signed_in(self.accounts))
        return self.sessions[kind]

    def token(self, kind):
        if kind not in self.tokens:
            owner = self.session("administrator" if kind == "token: administrator" else "person")
            made = owner.post("/api/tokens", {"name": "t", "read_only": kind == "token: read only"})
            self.tokens[kind] = made.json()["token"]
        return {"Authorization": f"Bearer {self.tokens[kind]}"}

    def headers(self, kind):
        if kind == "none":
            return {"Origin": self.accounts.stack.portal_url}
        if kind == "wrong token":
            return {"Authorization": "Bearer assay_" + "x" * 43}
        if kind.startswith("token"):
            return self.token(kind)
        site = SITE if kind == "other site" else {"Origin": self.accounts.stack.portal_url}
        return {"Cookie": f"{COOKIE}={self.session('person' if kind == 'person' else 'administrator').session}", **site}

    def forget(self):
        self.sessions = {}


@pytest.fixture(scope="module")
def callers(accounts):
    return Callers(accounts)


@pytest.mark.parametrize("kind", KINDS)
def test_table(accounts, callers, kind):
    problems = []
    for operation in accounts.document.operations:
        body = {} if operation.spec.get("requestBody") else None
        for method in ("GET", "HEAD") if operation.method == "GET" else (operation.method,):
            answer = ask(accounts, operation, callers.headers(kind), str(uuid.uuid4()), method, json=body)
            cell = TABLE.get((operation.method, operation.path), {}).get(kind, "no line")
            right = answer.status_code == int(cell) if cell.isdigit() else cell == "yes" == verdict(answer)
            if not right:
                problems.append(f"{method} {operation.path}: {answer.status_code}, the table says {cell}")
        if operation.name == "sign_out":
            callers.forget()
    assert not problems, "\n".join(problems)
    assert set(TABLE) == {(operation.method, operation.path) for operation in accounts.document.operations}


def test_switching_off_ends_everything(accounts, callers):
    person = add_person(callers.session("administrator"), "leaver", support="agent")
    browser = signed_in(accounts, "leaver", "a first password")
    token = browser.post("/api/tokens", {"name": "t"}).json()["token"]
    shown = {"Authorization": f"Bearer {token}"}
    assert Browser(accounts).get("/api/session", headers=shown).status_code == 200
    callers.session("administrator").send("PATCH", f"/api/people/{person['id']}", {"is_active": False})
    assert Browser(accounts).get("/api/session", headers=shown).status_code == 401
    assert not browser.is_signed_in()
