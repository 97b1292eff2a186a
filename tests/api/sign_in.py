"""For tests of sign-in by an identity provider: a stack that knows the provider, and a browser."""

from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import requests

from identity_provider import CLIENT, SECRET, IdentityProvider
from service import Servers
from stack import Stack

# The administrator of the settings: "horse-battery" with bcrypt at cost 4.
ADMINISTRATOR = ("admin", "horse-battery")
HASH = "$2b$04$a/JTRaL472eqv/gwsDrDi.BlG8oPV23JYpCQyRoTmu5R1SgYD73Lu"


def provider_settings(provider):
    return {"ASSAY_OIDC_ISSUER": provider.issuer, "ASSAY_OIDC_CLIENT_ID": CLIENT, "ASSAY_OIDC_CLIENT_SECRET": SECRET}


def without(*names):
    return lambda members: {name: value for name, value in members.items() if name not in names}


@contextmanager
def sign_in_stack(env=None, engine="sqlite", services=("support", "accounts")):
    """An honest provider (until a test makes it lie), the portal's address, the stack."""
    with IdentityProvider() as provider:
        stack = Stack(services=services)
        store = {} if engine == "sqlite" else {"ASSAY_ACCOUNTS_DATABASE_URL": Servers.new_database()}
        try:
            stack.start({"RATE_LIMIT_ENABLED": "false", "ADMIN_PASSWORD_HASH": HASH, **provider_settings(provider), **store,
                         **(env or {})})
            yield provider, stack.portal_url, stack
        finally:
            stack.stop()
            stack.close()


class Browser:
    """Keeps cookies, follows no redirect by itself. `start`: where its sign-in begins."""

    def __init__(self, url, start="/accounts/api/oidc/start"):
        self.url, self.path = url, start
        self.session = requests.Session()
        self.session.trust_env = False

    def get(self, address, **arguments):
        address = address if address.startswith("http") else self.url + address
        return self.session.get(address, allow_redirects=False, timeout=60, **arguments)

    def send(self, method, path, body=None, **headers):
        """As a page of the portal does."""
        return self.session.request(method, self.url + path, json=body, headers={"Origin": self.url, **headers}, timeout=60,
                                    allow_redirects=False)

    def start(self, next_path=None):
        return self.get(self.path, params={} if next_path is None else {"next": next_path})

    def come_back(self, address):
        assert address.startswith(self.url), address
        return self.get(address)

    def sign_in(self, provider, next_path=None):
        """The last answer: of the way back, or of the start where it goes nowhere."""
        answer = self.start(next_path)
        if not answer.headers.get("Location", "").startswith(provider.issuer):
            return answer
        return self.come_back(provider.authorize(answer.headers["Location"]))

    def person(self):
        """Who is signed in; None for nobody."""
        answer = self.get("/accounts/api/session")
        assert answer.status_code in (200, 401), answer.text
        return answer.json()["person"] if answer.status_code == 200 else None


def problem_of(answer):
    """The word for the page of sign-in; fails when somebody is signed in."""
    assert answer.status_code == 303, (answer.status_code, answer.text)
    assert "assay_session" not in answer.headers.get("Set-Cookie", ""), answer.headers
    place = urlsplit(answer.headers["Location"])
    assert (place.scheme, place.netloc, place.path) == ("", "", "/sign-in"), answer.headers["Location"]
    return parse_qs(place.query)["problem"][0]
