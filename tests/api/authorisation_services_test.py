"""Who may do what in support, live data and the orchestrator: the tables of docs/operate/authorisation.md against every
route of their API documents, with every kind of credential (authorisation_test.py does so for experiments). Each answer
is held to the API document as well. Of what this asks the engine only knows whether a key or a token was taken back, so
PostgreSQL has its turn in `make soak`."""

import time
import uuid

import pytest

from matrix import read_table
from service import DATABASE_SETTINGS, Servers, Service
from service_rows_test import ask
from support_accounts_test import SECRET, bearer, claims, forged

KEY, ADMIN, NODE = "key-of-the-matrix-71c0", "key-of-the-administration", "token-of-a-branch-52a9"
SITE = {"Origin": "https://elsewhere.example"}
COMMON = {"RATE_LIMIT_ENABLED": "false", "AUTH_FAILURE_LIMIT": "100000", "LIVE_RATE_LIMIT_RPM": "100000",
          "LIVE_MAX_FAILED_AUTH_PER_IP_PER_HOUR": "100000", "ORCH_RATE_LIMIT_RPM": "0", "ORCH_EXECUTION_PROFILE": "dry-run",
          "ASSAY_CONNECTIONS_PER_CLIENT": "0", "JWT_SECRET": SECRET,
          "LIVE_NODE_ROLE": "center", "LIVE_NODE_TOKEN": NODE, "LIVE_NODE_BRANCHES": "north"}
# Stacks by name: their services and settings.
STACKS = {
    "locked": (("support", "livedata", "orchestrator"), {
        "API_KEY": KEY, "PROMETHEUS_METRICS_REQUIRE_AUTH": "true", "LIVE_API_KEYS": f"{KEY}:matrix", "LIVE_ADMIN_KEY": ADMIN,
        "ORCH_API_KEY": KEY}),
    "open": (("support", "livedata", "orchestrator"), {"ALLOW_ANONYMOUS_ADMIN": "true", "LIVE_AUTH_DISABLED": "true"}),
    "demo": (("livedata",), {"LIVE_DEMO_MODE": "true", "DEMO_API_KEY": KEY, "LIVE_ADMIN_KEY": ADMIN}),
}
# Refusals that are no 401 or 403: nobody can be let in, or the demo hides the route.
REFUSED = {"admin_unconfigured", "no_keys_configured"}


def token(**changes):
    """Signed anew for each call: signing out takes one back."""
    return lambda stack: bearer(forged(claims(jti=str(uuid.uuid4()), **changes)))


def revoked_token(support):
    """Signed out before it is shown."""
    signed = forged(claims(jti=str(uuid.uuid4()), role="admin"))
    assert support.post("/api/auth/logout", headers=bearer(signed)).status_code == 200
    return bearer(signed)


def issued(livedata, revoked=False, **changes):
    made = livedata.post("/v1/admin/keys", {"name": "k", "tenant": "default", "rate_limit_rpm": 100000, **changes},
                         headers={"X-Admin-Key": ADMIN}).json()
    if revoked:
        assert livedata.send("DELETE", f"/v1/admin/keys/{made['key_id']}", headers={"X-Admin-Key": ADMIN}).status_code == 204
    return {"X-API-Key": made["key"]}


def shown(headers):
    return lambda stack: headers


def virtual_key(asked):
    made = asked.post("/api/v1/keys", {"name": "of the matrix"}, headers=bearer(KEY))
    return bearer(made.json()["key"])


# Kinds of credentials of each service: the stack they are shown to, and the headers.
KINDS = {
    "support": {
        "none": ("locked", shown({})),
        "wrong token": ("locked", shown(bearer("no.such.token"))),
        "wrong key": ("locked", shown({"X-API-Key": "no-such-key"})),
        "expired": ("locked", token(role="admin", exp=time.time() - 60)),
        "revoked": ("locked", revoked_token),
        "refresh": ("locked", token(role="admin", type="refresh")),
        "viewer": ("locked", token(role="viewer")),
        "agent": ("locked", token(role="agent")),
        "reviewer": ("locked", token(role="reviewer")),
        "admin": ("locked", token(role="admin")),
        "operator": ("locked", token(role="admin", tenant="default")),
        "key": ("locked", shown({"X-API-Key": KEY})),
        "open": ("open", shown({})),
        "open: other site": ("open", shown(SITE)),
    },
    "livedata": {
        "none": ("locked", shown({})),
        "wrong": ("locked", shown({"X-API-Key": "no-such-key", **bearer("no-such-token"), "X-Admin-Key": "no-such-key"})),
        "key": ("locked", shown({"X-API-Key": KEY})),
        "key: some types": ("locked", lambda livedata: issued(livedata, allowed_entity_types=["order"])),
        "key: revoked": ("locked", lambda livedata: issued(livedata, revoked=True)),
        "admin": ("locked", shown({"X-Admin-Key": ADMIN})),
        "node": ("locked", shown(bearer(NODE))),
        "open": ("open", shown({})),
        "open: other site": ("open", shown(SITE)),
        "demo": ("demo", shown({"X-API-Key": KEY, "X-Admin-Key": ADMIN})),
    },
    "orchestrator": {
        "none": ("locked", shown({})),
        "wrong": ("locked", shown(bearer("no-such-key"))),
        "key": ("locked", shown(bearer(KEY))),
        "key in a header": ("locked", shown({"X-API-Key": KEY})),
        "virtual key": ("locked", virtual_key),
        "open": ("open", shown({})),
        "open: other site": ("open", shown(SITE)),
    },
}


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.soak)])
def stacks(request):
    """Each started when first asked for, on databases of its own."""
    running = {}

    def get(name):
        if name not in running:
            services, settings = STACKS[name]
            environment = {**COMMON, **settings}
            if request.param == "postgres":
                environment |= {DATABASE_SETTINGS[service]: Servers.new_database() for service in services}
            running[name] = Service(services[0], environment, services=services)
            running[name].__enter__()
        return running[name]
    yield get
    for service in running.values():
        service.__exit__(None, None, None)


def answers(stacks, service, kind):
    """What every route says, with an id that nobody has and a body that fits nothing."""
    stack, headers = KINDS[service][kind]
    asked = stacks(stack).beside(service)
    fixed = None if service == "support" else headers(asked)
    for operation in asked.document.operations:
        body = {} if operation.spec.get("requestBody") else None
        for method in ("GET", "HEAD") if operation.method == "GET" else (operation.method,):
            answer = ask(asked, operation, fixed or headers(asked), str(uuid.uuid4()), method, json=body)
            yield operation, method, answer


def verdict(answer):
    """The cell that fits an answer: `yes`, or the status of the refusal."""
    status = answer.status_code
    if status in (401, 403):
        return str(status)
    if answer.content and answer.headers.get("Content-Type", "").startswith("application/json"):
        said = answer.json()
        if isinstance(said, dict) and said.get("error_code", said.get("code")) in REFUSED:
            return str(status)
    return "yes"


@pytest.mark.parametrize("service, kind", [(service, kind) for service in KINDS for kind in KINDS[service]])
def test_table(stacks, service, kind):
    table, problems, seen = read_table(service, list(KINDS[service])), [], set()
    for operation, method, answer in answers(stacks, service, kind):
        seen.add((operation.method, operation.path))
        cell = table.get((operation.method, operation.path), {}).get(kind, "no line")
        right = answer.status_code == int(cell) if cell.isdigit() else cell == "yes" == verdict(answer)
        if not right:
            problems.append(f"{method} {operation.path} with {kind}: {answer.status_code}, the table says {cell}")
    assert not problems, "\n".join(problems)
    assert set(table) == seen


def test_the_scheme_of_a_token_has_no_case(stacks):
    """RFC 9110 section 11.1; experiments: credentials_test.py."""
    signed = forged(claims(jti=str(uuid.uuid4()), role="admin"))
    routes = {"support": ("/api/sessions", signed), "livedata": ("/v1/catalog", KEY), "orchestrator": ("/api/v1/tasks", KEY)}
    for service, (path, shown_token) in routes.items():
        asked = stacks("locked").beside(service)
        for scheme, status in (("bearer", 200), ("BEARER ", 200), ("Token", 401), ("Bearerx", 401)):
            answer = asked.get(path, headers={"Authorization": f"{scheme} {shown_token}"})
            assert answer.status_code == status, (service, scheme, answer.text)
