"""What the API tests share: stacks, one per environment, started when first asked for.

ASSAY_BUILD_DIR names the build whose responders are tested; default is build/ of the checkout.
"""

import os
from pathlib import Path

import pytest

from client import Client, Record
from openapi import Document
from stack import Stack

OPEN = {"AB_RATE_LIMIT_ENABLED": "false"}
TOKENS = {
    "AB_API_TOKEN": "write-token-4f1c9ab27d",
    "AB_READONLY_API_TOKEN": "read-token-77d0c5e1b3",
    "AB_ADMIN_TOKEN": "admin-token-e21b60cf94",
}
CLOSED = {**OPEN, **TOKENS}


class Stacks:
    """All stacks of a session, by environment. Each has a document and a record of its own."""

    def __init__(self):
        build = os.environ.get("ASSAY_BUILD_DIR")
        self.build = None if build is None else Path(build).resolve()
        self.started = {}

    def get(self, environment):
        """A client of the stack with this environment."""
        key = tuple(sorted((name, str(value)) for name, value in environment.items()))
        if key not in self.started:
            stack = Stack(self.build).start({"ASSAY_ACCESS_LOG": "true", **environment})
            record = Record(secrets={v for n, v in environment.items() if n.endswith("_TOKEN")})
            document = Document(Client(stack).get("/openapi.json").json())
            self.started[key] = Client(stack, document, record)
        return self.started[key]

    def close(self):
        """Stops them all; says what did not go as it should."""
        problems = []
        for client in self.started.values():
            stack = client.stack
            done = stack.stop()
            if done.returncode != 0:
                problems.append(f"stop: {done.returncode} {done.stderr}")
            if stack.processes():
                problems.append(f"processes {stack.processes()} are left of {stack.directory}")
            if list((stack.directory / "run").iterdir()):
                problems.append(f"{stack.directory}/run is not empty")
            stack.close()
        self.started.clear()
        return problems


STACKS = pytest.StashKey[Stacks]()


def pytest_configure(config):
    config.addinivalue_line("markers", "last: looks back at the whole session")
    config.stash[STACKS] = Stacks()


def pytest_unconfigure(config):
    config.stash[STACKS].close()


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.fixture(scope="session")
def stacks(pytestconfig):
    every = pytestconfig.stash[STACKS]
    yield every
    problems = every.close()
    assert not problems, problems


@pytest.fixture(scope="session")
def api(stacks):
    """The service open to everybody and without limits."""
    return stacks.get(OPEN)


@pytest.fixture(scope="session")
def closed(stacks):
    """The service with all three tokens configured; the client shows none."""
    return stacks.get(CLOSED)
