"""Fixtures for tests of language models in support; a plugin of the test files that name it in pytest_plugins."""

import pytest

from service import Service
from support_models import HEADERS, KEY, WARRANTY, Models, Registry, ask


@pytest.fixture(scope="module")
def models():
    with Models() as server:
        yield server


@pytest.fixture(scope="module")
def registry(tmp_path_factory, models):
    made = Registry(tmp_path_factory.mktemp("registry") / "providers.yml", models)
    made.write("openai")
    return made


@pytest.fixture(scope="module")
def support(registry):
    env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "PROVIDER_REGISTRY_PATH": str(registry.path),
           "LLM_CHAT_API_KEY": "model-secret", "LLM_STALL_SECONDS": "0.4", "LLM_QUESTION_SECONDS": "1.5",
           "OLLAMA_RETRY_BASE_DELAY_SEC": "0.05", "OLLAMA_RETRY_MAX_DELAY_SEC": "1", "LLM_MAX_RESPONSE_BYTES": "65536",
           "CIRCUIT_BREAKER_FAILURE_THRESHOLD": "2", "DAILY_COST_LIMIT_USD": "0.5"}
    with Service("support", env) as service:
        file = {"file": ("warranty.md", WARRANTY.encode())}
        assert service.send("POST", "/api/upload", headers=HEADERS, files=file).status_code == 200
        yield service


@pytest.fixture(scope="module")
def embedded(support, registry, models):
    """What is answered without a model."""
    registry.path.write_text('{"default_profile": "embedded", "providers": []}')
    models.reset()
    answer = ask(support)
    assert answer["quality_source"] == "embedded" and answer["route"] == "auto" and not models.calls
    return answer
