"""The accounts service for tests: whoever signs in by the API, as a page of the portal does."""

import pytest

from service import ENGINES, Service

COOKIE = "assay_session"
# "horse-battery" with bcrypt at cost 4.
PASSWORD, HASH = "horse-battery", "$2b$04$a/JTRaL472eqv/gwsDrDi.BlG8oPV23JYpCQyRoTmu5R1SgYD73Lu"


class Browser:
    """Keeps the session; `send` is held to the API document."""

    def __init__(self, accounts):
        self.accounts, self.session = accounts, None
        self.origin = accounts.stack.portal_url

    def send(self, method, path, json=None, headers=None, **arguments):
        cookies = {COOKIE: self.session} if self.session else None
        answer = self.accounts.send(method, path, json=json, cookies=cookies,
                                    headers={"Origin": self.origin, **(headers or {})}, **arguments)
        if COOKIE in answer.cookies:
            self.session = answer.cookies[COOKIE]
        return answer

    def get(self, path, **arguments):
        return self.send("GET", path, **arguments)

    def post(self, path, json=None, **arguments):
        return self.send("POST", path, json, **arguments)

    def try_to_sign_in(self, username, password, **headers):
        return self.post("/api/session", {"username": username, "password": password}, headers=headers)

    def sign_in(self, username, password):
        answer = self.try_to_sign_in(username, password)
        assert answer.status_code == 200, answer.text
        return self

    def is_signed_in(self):
        answer = self.get("/api/session")
        assert answer.status_code in (200, 401), answer.text
        return answer.status_code == 200


def signed_in(accounts, username="admin", password=PASSWORD):
    return Browser(accounts).sign_in(username, password)


def add_person(administrator, username, password="a first password", *, settled=True, **roles):
    """`settled`: as if the person had chosen the password, and may do more than change it."""
    answer = administrator.post("/api/people", {"username": username, "password": password, "roles": roles})
    assert answer.status_code == 201, answer.text
    if settled:
        administrator.accounts.sql(f"UPDATE people SET must_change_password = 0 WHERE id = '{answer.json()['id']}'")
    return answer.json()


def accounts_fixture(**settings):
    """A fixture of the module: the service on each engine, with an administrator of the settings."""
    @pytest.fixture(scope="module", params=ENGINES)
    def accounts(request):
        with Service("accounts", {"ADMIN_PASSWORD_HASH": HASH, "ASSAY_CONNECTIONS_PER_CLIENT": "0",
                                  "ASSAY_SIGN_IN_RATE_PER_MINUTE": "100000", **settings},
                     request.param) as service:
            yield service
    return accounts
