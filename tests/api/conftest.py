"""What the API tests share: stacks, one per environment, started when first asked for.

ASSAY_BUILD_DIR names the build whose responders are tested; default is build/ of the checkout.
ASSAY_TEST_ENGINE=postgres gives every stack a database of its own on a throw-away server.
"""

import os
import sys
import tempfile
from pathlib import Path

import pytest

from client import Client, Record
from openapi import Document
from service import Servers
from stack import Stack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "db"))
from postgres import PostgresServer  # noqa: E402  (found by the line above)

# `make soak`: with the tests that take minutes, and the others for longer.
SOAK = os.environ.get("ASSAY_TEST_SOAK") == "1"

# Nothing outside is called: given but blank, there is no orchestrator.
OPEN = {"AB_RATE_LIMIT_ENABLED": "false", "AB_LLM_BASE_URL": ""}
TOKENS = {
    "AB_API_TOKEN": "write-token-4f1c9ab27d",
    "AB_READONLY_API_TOKEN": "read-token-77d0c5e1b3",
    "AB_ADMIN_TOKEN": "admin-token-e21b60cf94",
}
CLOSED = {**OPEN, **TOKENS}
PROXIED = {**CLOSED, "AB_TRUSTED_PROXY_HOPS": 1, "AB_TRUSTED_PROXIES": "10.0.0.0/8, 127.0.0.1"}
CAPPED = {**CLOSED, "AB_MAX_REQUEST_BODY_BYTES": 1024, "AB_MAX_WORKSPACE_BODY_BYTES": 2048,
          "AB_MAX_CHATAPP_BODY_BYTES": 1536}
# Two calls and two failures for each client, as X-Forwarded-For tells them apart.
LIMITED = {**TOKENS, "AB_RATE_LIMIT_REQUESTS": 2, "AB_AUTH_FAILURE_LIMIT": 2, "AB_TRUSTED_PROXY_HOPS": 1}
# The same for the peer, whatever X-Forwarded-For says.
LIMITED_DIRECT = {**TOKENS, "AB_RATE_LIMIT_REQUESTS": 2, "AB_AUTH_FAILURE_LIMIT": 3}
UNLIMITED = {**CLOSED, "AB_RATE_LIMIT_REQUESTS": 1, "AB_AUTH_FAILURE_LIMIT": 1}
CROWDED = {"AB_RATE_LIMIT_REQUESTS": 100, "AB_TRUSTED_PROXY_HOPS": 1, "ASSAY_WORKERS": 4}
STRICT = {**TOKENS, "AB_RATE_LIMIT_REQUESTS": 5, "AB_AUTH_FAILURE_LIMIT": 3, "AB_MAX_REQUEST_BODY_BYTES": 1024,
          "AB_TRUSTED_PROXY_HOPS": 1}


def new_stack():
    """A stack of the build under test; not started."""
    build = os.environ.get("ASSAY_BUILD_DIR")
    return Stack(None if build is None else Path(build).resolve())


RUNNING_MAX = 5  # stacks at a time; each is a dozen processes


class Stacks:
    """All stacks of a session, by environment. Each has a document and a record of its own. When too
    many run, the one not used for longest is stopped; its directory and ports stay, and it comes
    back when asked for again."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(prefix="assay-api-")
        self.clients = {}
        self.running = []  # keys, the last used one last
        self.problems = []
        self.server = None  # of databases, when they are not SQLite's

    def get(self, environment):
        """A client of the stack with this environment."""
        key = tuple(sorted((name, str(value)) for name, value in environment.items()))
        if key in self.running:
            self.running.remove(key)
        else:
            self.start(key, environment)
        self.running.append(key)
        client = self.clients[key]
        if client.document is None:
            client.document = Document(client.get("/openapi.json").json())
        return client

    def start(self, key, environment):
        while len(self.running) >= RUNNING_MAX:
            self.stop(self.running.pop(0))
        if key in self.clients:
            done = self.clients[key].stack.run("start")
            assert done.returncode == 0, done.stderr
            return
        stack = new_stack()
        done = stack.try_start({"ASSAY_ACCESS_LOG": "true", **self.database(environment), **environment},
                               Path(tempfile.mkdtemp(dir=self.home.name)))
        if done.returncode != 0:
            stack.stop()
            raise RuntimeError(f"the stack does not start: {done.stderr}")
        record = Record(secrets={str(v) for n, v in environment.items() if n.endswith("_TOKEN")})
        self.clients[key] = Client(stack, None, record)

    def database(self, environment):
        """The setting that names the database of one more stack; none where it is a file."""
        if os.environ.get("ASSAY_TEST_ENGINE") != "postgres" or "AB_DB_PATH" in environment:
            return {}
        if self.server is None:
            self.server = PostgresServer().start()
        return {"AB_DATABASE_URL": self.server.create_database(f"stack_{len(self.clients)}")}

    def stop(self, key):
        """Stops one, and remembers what did not go as it should."""
        stack = self.clients[key].stack
        done = stack.stop()
        if done.returncode != 0:
            self.problems.append(f"stop: {done.returncode} {done.stderr}")
        if stack.processes():
            self.problems.append(f"processes {stack.processes()} are left of {stack.directory}")
        if list((stack.directory / "run").iterdir()):
            self.problems.append(f"{stack.directory}/run is not empty")

    def close(self):
        while self.running:
            self.stop(self.running.pop())
        self.clients.clear()
        self.home.cleanup()
        if self.server is not None:
            self.server.stop()
            self.server.remove()
            self.server = None


def as_somebody(client, request):
    """The client as one with an address that no other test has."""
    number = list(request.session.items).index(request.node)
    return client.with_headers({"X-Forwarded-For": f"192.0.{2 + number // 250}.{number % 250}"})


STACKS = pytest.StashKey[Stacks]()


def pytest_configure(config):
    config.addinivalue_line("markers", "last: looks back at the whole session")
    config.addinivalue_line("markers", "soak: takes minutes")
    config.addinivalue_line("markers", "postgres: on PostgreSQL, of a file for both engines")
    config.addinivalue_line("markers", "both_engines: PostgreSQL has its turn in every run")
    config.stash[STACKS] = Stacks()


def pytest_unconfigure(config):
    config.stash[STACKS].close()
    Servers.close()


def is_of_soak(item):
    on_postgres = item.get_closest_marker("postgres") and not item.get_closest_marker("both_engines")
    return on_postgres or item.get_closest_marker("soak")


def pytest_collection_modifyitems(config, items):
    long = [] if SOAK else [item for item in items if is_of_soak(item)]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.fixture(scope="session")
def stacks(pytestconfig):
    every = pytestconfig.stash[STACKS]
    yield every
    every.close()
    assert not every.problems, every.problems


@pytest.fixture
def api(stacks):
    """The service open to everybody and without limits."""
    return stacks.get(OPEN)


@pytest.fixture
def closed(stacks):
    """The service with all three tokens configured; the client shows none."""
    return stacks.get(CLOSED)
