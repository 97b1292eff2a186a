"""Fixtures for tests of what is stored; a plugin of the test files that name it in pytest_plugins."""

import pytest

from service import ENGINES
from project_fixtures import CLOSED, SERVER, Stores


def pytest_unconfigure():
    SERVER.remove()


@pytest.fixture(scope="module")
def stores():
    every = Stores()
    yield every
    every.close()


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture(scope="module")
def store(stores, engine):
    """The service open to everybody, a database of the module's own."""
    return stores.get(engine)


@pytest.fixture(scope="module")
def guarded(stores, engine):
    """The same with all three tokens configured."""
    return stores.get(engine, CLOSED)
