"""Who may do what: the table in docs/operate/authorisation.md against every route of the API document, with every
kind of token, on both engines."""

import pytest

from matrix import read_table
from project_fixtures import ADMIN, CLOSED, OPEN, READ, WRITE, create, expect, unknown_id

pytest_plugins = ["store_fixtures"]

OPERATOR = ("/api/v1/keys", "/api/v1/webhooks")
KINDS = ["none", "wrong", "read", "write", "admin", "key: read", "key: write", "key: revoked", "key: client", "demo", "open"]
READERS = {"read", "key: read", "demo"}


TABLE = read_table("experiments", KINDS)


@pytest.fixture(scope="module")
def stacks_by_kind(stores, engine):
    """The stack for each kind of token, started when first asked for; the issued keys too."""
    keys = {}

    def get(kind):
        environment = {"demo": {**CLOSED, "AB_PUBLIC_DEMO": "true"}, "open": OPEN}.get(kind, CLOSED)
        store = stores.get(engine, environment)
        tokens = {"wrong": "no-such-token-at-all", "read": READ, "write": WRITE, "admin": ADMIN}
        if kind.startswith("key") and kind not in keys:
            keys[kind] = issue(store, kind)
        token = tokens.get(kind) or keys.get(kind)
        return store.as_token(token) if token else store.client
    return get


def issue(store, kind):
    if kind == "key: client":
        project = create(store.write)["id"]
        key = store.write.post(f"/api/v1/experiments/{project}/client-keys", {"name": kind, "origins": ["https://shop.example"]})
        return expect(key)["client_key"]
    scope = "read" if kind == "key: read" else "write"
    key = expect(store.admin.post("/api/v1/keys", {"name": kind, "scope": scope}))
    if kind == "key: revoked":
        expect(store.admin.post(f"/api/v1/keys/{key['id']}/revoke"))
    return key["plaintext_key"]


def call(client, method, path):
    """Asks with an id that nobody has and a body that fits nothing, so that nothing is changed."""
    concrete = "/".join(unknown_id() if part.startswith("{") else part for part in path.split("/"))
    body = {} if method in ("POST", "PUT", "PATCH") and not path.endswith("/purge") else None
    return client.send(method, concrete, json=body, may_fail=path.startswith("/chatapp/"))


def code_of(kind, method, path, status):
    """The error code that goes with a refusal."""
    if status == 503:
        return "chatapp_not_configured"
    if status == 401:
        return "admin_token_not_configured" if kind == "open" else "unauthorized"
    if not path.startswith(OPERATOR):
        return "forbidden"
    return "forbidden" if kind in READERS and method != "GET" else "admin_token_required"


def disagreement(answer, kind, method, path, cell):
    """What is wrong with an answer, or None."""
    if cell == "yes":
        fine = answer.status in (200, 400, 404, 422)
    else:
        fine = answer.status == int(cell)
        if method != "HEAD":
            fine = fine and answer.error_code == code_of(kind, method, path, answer.status)
    return None if fine else f"{method} {path} with {kind}: {answer.status} {answer.headers.get('X-Error-Code')}, not {cell}"


def test_every_route_stands_in_the_table(store):
    routes = {(o.method, o.path) for o in store.client.document.operations}
    assert routes - set(TABLE) == set(), "routes that docs/operate/authorisation.md does not know"
    assert set(TABLE) - routes == set(), "lines of docs/operate/authorisation.md without a route"


@pytest.mark.parametrize("kind", KINDS)
def test_table(stacks_by_kind, kind):
    client, problems = stacks_by_kind(kind), []
    for operation in client.document.operations:
        method, path = operation.method, operation.path
        if (method, path) not in TABLE:
            continue  # the test above says so
        cell = TABLE[method, path][kind].rstrip("*")
        problems.append(disagreement(call(client, method, path), kind, method, path, cell))
        if method == "GET":
            problems.append(disagreement(call(client, "HEAD", path), kind, "HEAD", path, cell))
        assert call(client, "OPTIONS", path).status in (200, 405)
    assert not [p for p in problems if p]


@pytest.mark.parametrize("kind", sorted(READERS))
def test_readers_compute_where_that_is_admitted(stores, engine, kind):
    store = stores.get(engine, {**CLOSED, "AB_READONLY_COMPUTE": "true", "AB_PUBLIC_DEMO": "true"})
    client = {"read": lambda: store.read, "demo": lambda: store.client,
              "key: read": lambda: store.as_token(issue(store, kind))}[kind]()
    starred = [key for key, cells in TABLE.items() if cells[kind] == "403*"]
    assert starred and all(method == "POST" for method, _ in starred)
    for method, path in starred:
        assert call(client, method, path).status in (200, 422), (method, path)
    for (method, path), cells in TABLE.items():
        if cells[kind] == "403":
            assert call(client, method, path).status == 403, (method, path)


def test_refusals_change_nothing(stacks_by_kind, store):
    """Bodies that would be accepted, shown with tokens that are not."""
    document = store.client.document
    for kind in ("none", "wrong", "read", "admin", "key: read", "key: revoked", "demo"):
        client = stacks_by_kind(kind)
        before = client.get("/api/v1/projects").json().get("total") if kind in READERS else None
        for (method, path), cells in TABLE.items():
            operation = document.find(method, path)
            if cells[kind] in ("401", "403") and method == "POST" and operation and operation.concrete:
                schema = document.body_schema(operation)
                answer = client.post(path, document.example(operation) if schema else None)
                assert answer.status == int(cells[kind]), str(answer)
        if before is not None:
            assert client.get("/api/v1/projects").json()["total"] == before
