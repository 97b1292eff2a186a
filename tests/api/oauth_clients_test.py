"""The MCP client of PyPI, unmodified, signs in: it finds the issuer, registers, asks for consent, takes and refreshes its
tokens."""

import json
import subprocess
from pathlib import Path

import pytest

from accounts_client import HASH, add_person, signed_in
from oauth_client import ask
from service import Service

CLIENTS = Path(__file__).resolve().parents[1] / "oauth_clients"


@pytest.fixture(scope="module")
def accounts():
    env = {"ADMIN_PASSWORD_HASH": HASH, "ASSAY_CONNECTIONS_PER_CLIENT": "0", "AB_RATE_LIMIT_ENABLED": "false"}
    with Service("accounts", env, services=("experiments", "livedata", "accounts")) as service:
        add_person(signed_in(service), "maria", experiments="analyst", data="viewer")
        yield service


@pytest.fixture(scope="module")
def python():
    return subprocess.run([CLIENTS / "install"], check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("path, asked", [("/mcp", "/data/v1/catalog"), ("/experiments/mcp", "/experiments/api/v1/projects")])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_client_of_pypi(accounts, python, path, asked, host):
    portal = accounts.stack.portal_url.replace("127.0.0.1", host)
    session = signed_in(accounts, "maria", "a first password").session
    done = subprocess.run([python, CLIENTS / "sign_in.py", portal + path, portal + asked, session], capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert said["statuses"] == [200, 200] and said["scope"] == "read write" and said["refreshed"]
    tokens = {"access_token": said["token"]}
    assert ask(f"{portal}{asked}", tokens).status_code == 200
    elsewhere = ask(f"{portal}/data/v1/catalog", tokens).status_code
    assert elsewhere == (200 if path == "/mcp" else 401)
