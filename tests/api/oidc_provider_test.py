"""Sign-in by a certified identity provider (npm oidc-provider, its version locked): from the page of sign-in to a session
and out again, as a person's browser does it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import pytest
import requests

from sign_in import Browser, sign_in_stack

FOLDER = Path(__file__).resolve().parents[1] / "oidc_provider"
PEOPLE = {"ann": {"name": "Ann Lee", "email": "ann@example.com", "email_verified": True, "groups": ["staff"]},
          "bob": {"name": "Bob", "email": "bob@example.com", "email_verified": False, "groups": []}}
CLIENTS = {
    "secret in the header": {"client_id": "basic", "client_secret": "s: 1+%/&=~", "token_endpoint_auth_method": "client_secret_basic"},
    "secret in the body": {"client_id": "post", "client_secret": "post-secret", "token_endpoint_auth_method": "client_secret_post"},
    "public": {"client_id": "public", "token_endpoint_auth_method": "none"},
    "PS256": {"client_id": "ps", "client_secret": "ps-secret", "id_token_signed_response_alg": "PS256"},
    "ES256": {"client_id": "es", "client_secret": "es-secret", "id_token_signed_response_alg": "ES256"},
}


class RealProvider:
    """The provider in a process of its own, for the clients of a portal whose address is known."""

    def __init__(self, port, portal):
        made = subprocess.run([FOLDER / "install"], capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        clients = [{**client, "redirect_uris": [portal + "/accounts/api/oidc/callback"],
                    "post_logout_redirect_uris": [portal + "/sign-in"]} for client in CLIENTS.values()]
        self.process = subprocess.Popen(
            ["node", Path(made.stdout.strip()) / "provider.mjs"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={"PATH": os.environ["PATH"], "ASSAY_TEST_PORT": str(port), "ASSAY_TEST_PEOPLE": json.dumps(PEOPLE),
                 "ASSAY_TEST_CLIENTS": json.dumps(clients)})
        self.issuer = self.process.stdout.readline().strip()
        assert self.issuer, self.process.poll()

    def close(self):
        self.process.kill()
        self.process.wait()

    def sign_out(self, address):
        """In the browser that signed in last: where it is sent when the person agrees."""
        page = self.session.get(address, timeout=60)
        assert "Do you want to sign-out" in page.text, page.text
        [action] = re.findall(r'<form[^>]* action="([^"]+)"', page.text)
        form = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.text))
        return self.session.post(action, data={**form, "logout": "yes"}, allow_redirects=False, timeout=60).headers["Location"]

    def rotate(self):
        requests.post(self.issuer + "/rotate", timeout=60)

    def authorize(self, location, login="ann", agree=True):
        """Fills in its forms like a person, until it sends the browser back."""
        session = self.session = requests.Session()
        session.trust_env = False
        answer = session.get(location, allow_redirects=False, timeout=60)
        for _ in range(12):
            while answer.is_redirect:
                place = urljoin(answer.url, answer.headers["Location"])
                if not place.startswith(self.issuer):
                    return place
                answer = session.get(place, allow_redirects=False, timeout=60)
            assert answer.status_code == 200, answer.text
            if not agree:
                answer = session.get(answer.url + "/abort", allow_redirects=False, timeout=60)
                continue
            [action] = re.findall(r'<form[^>]* action="([^"]+)"', answer.text)
            form = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', answer.text))
            answer = session.post(action, data={**form, "login": login, "password": "x"}, allow_redirects=False, timeout=60)
        raise AssertionError("the provider does not come to an end")


@pytest.fixture(scope="module", params=CLIENTS)
def suite(request):
    client = CLIENTS[request.param]
    sys.path.insert(0, str(FOLDER.parent / "db"))
    from ports import free_ports
    [port] = free_ports(1)
    env = {"ASSAY_OIDC_ISSUER": f"http://127.0.0.1:{port}", "ASSAY_OIDC_CLIENT_ID": client["client_id"],
           "ASSAY_OIDC_CLIENT_SECRET": client.get("client_secret", ""), "ASSAY_OIDC_ROLES": "staff=support:agent,*=support:viewer"}
    with sign_in_stack(env) as (_, portal, _stack):
        provider = RealProvider(port, portal)
        try:
            yield provider, portal
        finally:
            provider.close()


def test_a_person_signs_in_and_out(suite):
    provider, portal = suite
    browser = Browser(portal)
    answer = browser.sign_in(provider, "/support/agent")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/support/agent")
    person = browser.person()
    assert (person["username"], person["name"], person["roles"]["support"]) == ("ann@example.com", "Ann Lee", "agent")
    address = browser.send("DELETE", "/accounts/api/session").json()["provider_sign_out"]
    assert browser.person() is None
    assert provider.sign_out(address).startswith(portal + "/sign-in")


def test_its_keys_are_replaced(suite):
    provider, portal = suite
    assert Browser(portal).sign_in(provider).headers["Location"] == "/"
    provider.rotate()
    assert Browser(portal).sign_in(provider).headers["Location"] == "/"


def test_a_person_says_no(suite):
    provider, portal = suite
    browser = Browser(portal)
    answer = browser.come_back(provider.authorize(browser.start().headers["Location"], agree=False))
    assert answer.headers["Location"] == "/sign-in?problem=oidc_denied&next=%2F"


def test_an_address_that_is_not_verified_is_no_username(suite):
    provider, portal = suite
    browser = Browser(portal)
    assert browser.come_back(provider.authorize(browser.start().headers["Location"], "bob")).headers["Location"] == "/"
    assert (browser.person()["username"], browser.person()["email"]) == ("bob", None)
