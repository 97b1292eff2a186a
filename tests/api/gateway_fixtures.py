"""Fixtures for tests of the gateway; a plugin of the test files that name it in pytest_plugins."""

import pytest

from model_server import ModelServer


@pytest.fixture(scope="module")
def models():
    """The providers of a test file."""
    with ModelServer() as server:
        yield server


@pytest.fixture
def forget(models):
    """What a test has told them is over before the next one."""
    models.reset()
