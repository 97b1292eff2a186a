"""A program that signs in by OAuth, for tests: it registers, asks a signed-in browser for consent, and takes tokens."""

import base64
import hashlib
import secrets
from urllib.parse import parse_qsl, urlsplit

import requests

REDIRECT = "http://127.0.0.1:9/callback"


def challenge_of(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


class Program:
    """Talks to the stack past the API document's address, as a stranger does."""

    def __init__(self, accounts, redirect=REDIRECT, name="An editor"):
        self.accounts, self.redirect = accounts, redirect
        self.portal = accounts.stack.portal_url
        self.resource = f"{self.portal}/mcp"
        self.client_id = self.register(redirect_uris=[redirect], client_name=name).json()["client_id"]

    def register(self, **metadata):
        return self.accounts.send("POST", "/api/oauth/register", json=metadata)

    def question(self, verifier, **changes):
        """The request that the browser brings to the page of consent; a change to None leaves a member out."""
        asked = {"client_id": self.client_id, "redirect_uri": self.redirect, "response_type": "code",
                 "code_challenge": challenge_of(verifier), "code_challenge_method": "S256", "scope": "read write",
                 "state": "s t&a=t/e", "resource": self.resource, **changes}
        return {name: value for name, value in asked.items() if value is not None}

    def consent(self, browser, verifier, allow=True, write=True, **changes):
        """The parameters with which the browser comes back to the program."""
        answer = browser.post("/api/oauth/authorization", {**self.question(verifier, **changes), "allow": allow, "write": write})
        assert answer.status_code == 200, answer.text
        to = answer.json()["redirect_to"]
        assert to.startswith(changes.get("redirect_uri", self.redirect)), to
        return dict(parse_qsl(urlsplit(to).query))

    def post(self, path, form):
        answer = self.accounts.send("POST", path, data={name: value for name, value in form.items() if value is not None})
        assert answer.headers["Cache-Control"] == "no-store"
        return answer

    def exchange(self, code, verifier, **changes):
        return self.post("/api/oauth/token", {"grant_type": "authorization_code", "client_id": self.client_id, "code": code,
                                              "code_verifier": verifier, "redirect_uri": self.redirect,
                                              "resource": self.resource, **changes})

    def refresh(self, token, **changes):
        return self.post("/api/oauth/token", {"grant_type": "refresh_token", "client_id": self.client_id,
                                              "refresh_token": token, "resource": self.resource, **changes})

    def revoke(self, token, **changes):
        return self.post("/api/oauth/revoke", {"token": token, "client_id": self.client_id, **changes})

    def sign_in(self, browser, **changes):
        """A whole sign-in: the tokens."""
        verifier = secrets.token_urlsafe(48)
        code = self.consent(browser, verifier, **changes)["code"]
        answer = self.exchange(code, verifier, resource=changes.get("resource", self.resource))
        assert answer.status_code == 200, answer.text
        return answer.json()


def shown(tokens):
    return {"Authorization": f"Bearer {tokens['access_token']}"}


def ask(url, tokens=None, method="GET", **arguments):
    """The status of a plain request elsewhere in the stack."""
    with requests.Session() as session:
        session.trust_env = False
        return session.request(method, url, headers=shown(tokens) if tokens else {}, timeout=60, allow_redirects=False, **arguments)
