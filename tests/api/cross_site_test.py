"""What pages of other sites may do: nothing that changes something, whoever would be answered otherwise.

A browser sends a form of any page without asking, and it can hold JSON as text/plain. A body of JSON needs a
preflight, which is answered for known origins only.
"""

import pytest

from service import Service
from stack import SERVICES, WITH_PORT

OPEN = {"ASSAY_HOSTS": "x, known-by.example", "ALLOW_ANONYMOUS_ADMIN": "true", "LIVE_AUTH_DISABLED": "true", "LIVE_ADMIN_KEY": "key-of-the-administration", "ORCH_EXECUTION_PROFILE": "dry-run",
        "AB_RATE_LIMIT_ENABLED": "false", "RATE_LIMIT_ENABLED": "false", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_MAX_FAILED_AUTH_PER_IP_PER_HOUR": "100000",
        "ORCH_RATE_LIMIT_RPM": "0", "ASSAY_CONNECTIONS_PER_CLIENT": "0",
        "AB_CORS_ORIGINS": "https://known.example", "CORS_ORIGINS": "https://known.example",
        "LIVE_CORS_ORIGINS": "https://known.example"}
ELSEWHERE = ({"Origin": "https://elsewhere.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
             {"Sec-Fetch-Site": "same-site"})
# What a form can send (HTML, 4.10.21.8), and nothing at all.
FORMS = ("text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None)
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")


@pytest.fixture(scope="module")
def stack():
    with Service(SERVICES[0], OPEN, services=SERVICES) as running:
        yield running


@pytest.fixture(scope="module", params=SERVICES)
def service(request, stack):
    return stack if stack.name == request.param else stack.beside(request.param)


def operations(service):
    for operation in service.document.operations:
        if operation.method in UNSAFE:
            yield operation, "/".join("x" if part.startswith("{") else part for part in operation.path.split("/"))


def send(service, operation, path, content_type, site, body=b"{}"):
    headers = {**site, **({} if content_type is None else {"Content-Type": content_type})}
    answer = service.send(operation.method, path, headers=headers, data=None if content_type is None else body, stream=True)
    answer.close()
    return answer.status_code


def test_forms_of_other_sites_change_nothing(service):
    """Refused for that reason, or before that for want of credentials."""
    asked, found = 0, set()
    for operation, path in operations(service):
        for number, content_type in enumerate(FORMS):
            site = ELSEWHERE[(asked + number) % len(ELSEWHERE)]
            status = send(service, operation, path, content_type, site)
            assert status in (401, 403, 415), f"{operation.method} {path} as {content_type} from {site}: {status}"
            found.add(status)
        asked += 1
    assert asked > 5 and 403 in found


def test_own_and_known_pages_and_programs_are_answered(service):
    own = "/".join(service.url.split("/")[:3])
    sites = [{}, {"Origin": own}, {"Origin": own, "Sec-Fetch-Site": "same-origin"}]
    if service.name not in ("orchestrator", "accounts"):  # have no pages elsewhere
        sites.append({"Origin": "https://known.example"})
    for operation, path in operations(service):
        for site in sites:
            for content_type in ("application/json", "application/x-www-form-urlencoded", None):
                status = send(service, operation, path, content_type, site)
                assert status not in (403, 415), f"{operation.method} {path} as {content_type} from {site}: {status}"


def test_signing_in_takes_no_form_that_holds_json(stack):
    """Whatever says where it comes from: a form of text/plain could sign a visitor in as somebody else."""
    support = stack.beside("support")
    pair = '{"username": "admin", "password": "admin", "x": "="}'
    for path in ("login", "refresh", "session", "logout"):
        for headers in ({}, {"Origin": support.url}, {"Origin": "https://elsewhere.example"}):
            answer = support.send("POST", f"/api/auth/{path}", data=pair, headers={**headers, "Content-Type": "Text/Plain"})
            assert (answer.status_code, answer.json()["error_code"]) == (415, "unsupported_media_type"), answer.text
            assert "Set-Cookie" not in answer.headers


def test_only_known_pages_sign_in():
    """Neither with the pair of the development, nor where every origin may read (`*`)."""
    pair, token = {"username": "admin", "password": "admin"}, {"refresh_token": "x"}
    with Service("support", {"RATE_LIMIT_ENABLED": "false", "CORS_ORIGINS": "*"}) as support:
        for site in ELSEWHERE:
            for path, body in (("login", pair), ("refresh", token), ("session", {}), ("logout", {})):
                answer = support.post(f"/api/auth/{path}", body, headers=site)
                assert answer.status_code == 403 and "Set-Cookie" not in answer.headers, f"{path} {site}: {answer.text}"
        for site in ({}, {"Origin": support.url}):
            assert support.post("/api/auth/login", pair, headers=site).status_code == 200, site
    with Service("support", {"RATE_LIMIT_ENABLED": "false", "CORS_ORIGINS": "https://known.example"}) as support:
        known = support.post("/api/auth/login", pair, headers={"Origin": "https://known.example"})
        assert known.status_code == 401, "a known page signs in, but not with the pair"


def test_open_services_answer_for_hosts_that_they_know(service):
    """A page whose name was led to this address (DNS rebinding) sends its own name as Host."""
    if service.name not in WITH_PORT:
        pytest.skip("open to nobody")
    path, headers = {"experiments": ("/api/v1/projects", {}), "support": ("/api/sessions", {}),
                     "orchestrator": ("/api/v1/tasks", {}), "livedata": ("/v1/catalog", {})}[service.name]
    port = service.url.rsplit(":", 1)[1]
    for host, known in (("evil.example", False), (f"evil.example:{port}", False), ("localhost.evil.example", False),
                        ("127.0.0.1.evil.example", False), ("10.1.2.3", False), ("localhost", True), ("LOCALHOST:1", True),
                        (f"127.0.0.1:{port}", True), ("[::1]", True), ("x", True), ("known-by.example", True)):
        answer = service.get(path, headers={**headers, "Host": host})
        assert answer.status_code == (200 if known else 421), f"{host}: {answer.text}"
    health = {"support": "/api/health/live", "livedata": "/health/live"}.get(service.name, "/health")
    assert service.get(health, headers={"Host": "evil.example"}).status_code == 200
