"""What each service answers to somebody who shows nothing, where it has been given credentials to ask for."""

import re

import pytest
import requests

from stack import CHECKOUT, WITH_PORT, Stack

METHODS = ("get", "post", "put", "patch", "delete")
SETTINGS = {
    "AB_API_TOKEN": "write-token-of-the-tests", "AB_ADMIN_TOKEN": "admin-token-of-the-tests",
    "API_KEY": "support-key-of-the-tests", "ORCH_API_KEY": "orchestrator-key-of-the-tests",
    "LIVE_API_KEYS": "key-of-a-tenant:tests", "LIVE_ADMIN_KEY": "key-of-the-administration",
    "AB_RATE_LIMIT_ENABLED": "false", "RATE_LIMIT_ENABLED": "false", "ORCH_RATE_LIMIT_RPM": 0,
    "AB_AUTH_FAILURE_LIMIT": 100000, "LIVE_MAX_FAILED_AUTH_PER_IP_PER_HOUR": 100000,
}
# All that is answered in another way than 401. What needs a secret of its own says whether it has one.
PUBLIC = {
    "experiments": {"GET /health": 200, "GET /metrics": 200, "GET /api/v1/certificates/key": 200,
                    "GET /openapi.json": 200, "GET /chatapp/install": 503,
                    "GET /chatapp/oauth/callback": 503, "POST /chatapp/commands": 503, "POST /chatapp/events": 503,
                    "POST /chatapp/interactive": 503, "GET /share/{token}": 404, "GET /share/{token}/pdf": 404},
    "support": {"GET /api/health": 200, "GET /api/health/live": 200, "GET /api/health/ready": 200, "GET /metrics": 200,
                "GET /openapi.json": 200, "POST /api/auth/login": 422, "POST /api/auth/refresh": 422,
                "POST /api/auth/logout": 200, "GET /api/auth/sso/providers": 200,
                "GET /api/auth/sso/{provider}/login": 404, "GET /api/auth/sso/{provider}/callback": 404},
    "orchestrator": {"GET /health": 200, "GET /healthz/live": 200, "GET /healthz/ready": 200, "GET /openapi.json": 200},
    "livedata": {"GET /v1/health": 200, "GET /health": 200, "GET /health/live": 200, "GET /health/ready": 200,
                 "GET /metrics": 200, "GET /openapi.json": 200},
}


@pytest.fixture(scope="module")
def stack():
    with Stack(services=WITH_PORT) as stack:
        yield stack.start(SETTINGS)


def known_paths(service):
    """Every path in the tables of the service, those that its document does not list included."""
    texts = (file.read_text() for file in (CHECKOUT / "fcgi-bin").glob(f"{service}-*/main.c"))
    return {path for text in texts for path in re.findall(r'"(/[^"\s]+)"', text)}


def ask(stack, service, method, path):
    url = stack.url_of(service) + path.replace("{", "x-").replace("}", "-12345678")
    body = {} if method in ("post", "put", "patch") else None
    with requests.request(method, url, json=body, timeout=20, allow_redirects=False, stream=True) as answer:
        return answer.status_code


@pytest.mark.parametrize("service", WITH_PORT)
def test_nobody_gets_more_than_is_public(stack, service):
    document = requests.get(stack.url_of(service) + "/openapi.json", timeout=20).json()["paths"]
    found, asked = {}, 0
    for path, operations in document.items():
        for method in METHODS:
            if method in operations:
                status = ask(stack, service, method, path)
                asked += 1
                if status != 401:
                    found[f"{method.upper()} {path}"] = status
    assert found == PUBLIC[service]
    assert asked > 15
    for path in known_paths(service) - set(document):
        for method in ("get", "post", "delete"):
            status = ask(stack, service, method, path)
            assert status >= 400, f"{method} {path} is in no document, and answers {status} to anybody"
