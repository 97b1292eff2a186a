"""The MCP clients of PyPI and npm, unmodified, sign in: they find the issuer, register, ask for consent, take and refresh their
tokens; and call tools with what they were given."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from accounts_client import COOKIE, HASH, add_person, signed_in
from mcp_test import install
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


@pytest.fixture(scope="module")
def project(accounts):
    document = accounts.beside("experiments").document
    return document.example(document.find("POST", "/api/v1/projects"))


def calls_of(path, project):
    """A tool that reads, and one that changes something, at each kind of address."""
    made = {**project, "confirm_call": True}
    if path == "/mcp":
        return [["experiments_list_projects", {}], ["call_tool", {"name": "experiments_create_project", "arguments": made}]]
    return [["list_projects", {}], ["create_project", made]]


@pytest.fixture(scope="module")
def commands(python):
    """What starts each official client, and its environment."""
    node, place = ["node", install() / "node/sign_in.mjs"], {"PATH": os.environ["PATH"]}
    return {"PyPI": ([python, CLIENTS / "call_tools.py"], place), "npm sdk": (node, {**place, "MCP_CLIENT": "sdk"}),
            "npm client": (node, {**place, "MCP_CLIENT": "client"})}


@pytest.mark.parametrize(("client", "path", "right"), [
    *(("PyPI", path, right) for path in ("/mcp", "/experiments/mcp") for right in ("read", "write")),
    ("npm sdk", "/mcp", "write"), ("npm sdk", "/experiments/mcp", "read"),
    ("npm client", "/mcp", "read"), ("npm client", "/experiments/mcp", "write")])
def test_an_official_client_calls_tools(accounts, commands, project, client, path, right):
    """It is refused first, and let in for what the person has chosen."""
    session = signed_in(accounts, "maria", "a first password")

    def count():
        listed = f"{accounts.stack.portal_url}/experiments/api/v1/projects"
        return ask(listed, cookies={COOKIE: session.session}).json()["total"]

    before = count()
    calls = json.dumps(calls_of(path, project))
    command, environment = commands[client]
    done = subprocess.run([*command, accounts.stack.portal_url + path, session.session, right, calls],
                          capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert said["statuses"][0] == 401 and set(said["statuses"][1:]) <= {200, 202}
    reading, changing = said["results"]
    assert not reading["error"]
    if right == "write":
        assert said["scope"] == "read write" and not changing["error"], changing
    else:
        assert said["scope"] == "read" and changing["error"] and changing["meta"]["assay/status"] == 403
    assert count() == before + (right == "write")
