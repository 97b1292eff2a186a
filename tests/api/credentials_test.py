"""Who may do what: tokens, scopes, operator paths, and the throttle on failures."""

import itertools

import pytest

from conftest import CLOSED, LIMITED, LIMITED_DIRECT, OPEN, PROXIED, TOKENS, UNLIMITED, as_somebody

WRITE, READ, ADMIN = TOKENS["AB_API_TOKEN"], TOKENS["AB_READONLY_API_TOKEN"], TOKENS["AB_ADMIN_TOKEN"]
WRONG = "wrong-token-3b8a90cc51"
EXAMPLE = {"observed_counts": [10, 10], "expected_fractions": [0.5, 0.5]}
COMPUTE = ["/api/v1/calculate", "/api/v1/results", "/api/v1/srm-check"]
READS = ["GET", "HEAD"]
WRITES = ["POST", "PUT", "PATCH", "DELETE", "FOO"]
PUBLIC = ["/health", "/openapi.json"]
PROTECTED = ["/api/v1/diagnostics", "/readyz", *COMPUTE, "/api/v1/no-such-route"]


def bearer(token):
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def refusal(answer):
    """Status and code of a refusal for lack of rights, else None: whatever comes after, it was let in."""
    return (answer.status, answer.headers["X-Error-Code"]) if answer.status in (401, 403) else None


UNKNOWN = (401, "unauthorized")
FORBIDDEN = (403, "forbidden")


class TestHeaders:
    """Where a token is looked for."""

    @pytest.mark.parametrize("headers, admitted", [
        ({"Authorization": f"Bearer {WRITE}"}, True),
        ({"X-API-Key": WRITE}, True),
        ({"Authorization": f"Bearer   {WRITE}"}, True),
        ({"X-API-Key": f"{WRITE}   "}, True),
        ({"Authorization": f"Bearer {WRONG}", "X-API-Key": WRITE}, False),
        ({"Authorization": f"Bearer {WRITE}", "X-API-Key": WRONG}, True),
        ({"Authorization": "Bearer ", "X-API-Key": WRITE}, False),
        ({"Authorization": "Bearer", "X-API-Key": WRITE}, False),
        ({"Authorization": "Basic dXNlcjpwYXNz", "X-API-Key": WRITE}, True),
        ({"Authorization": f"bearer {WRITE}"}, True),
        ({"Authorization": f"BEARER {WRITE}", "X-API-Key": WRITE}, True),
        ({"Authorization": WRITE}, False),
        ({"Authorization": f"Bearer {WRITE} "}, True),
        ({"Authorization": f"Bearer {WRITE}x"}, False),
        ({"Authorization": f"Bearer {WRITE[:-1]}"}, False),
        ({"Authorization": f"Bearer {WRITE.upper()}"}, False),
        ({"Authorization": f"Bearer {WRITE},{READ}"}, False),
        ({"X-API-Key": ""}, False),
        ({"X-Api-Token": WRITE}, False),
        ({"Cookie": f"token={WRITE}"}, False),
        ({}, False),
    ])
    def test_places(self, closed, headers, admitted):
        closed.record.secrets.add(WRONG)
        answer = closed.post("/api/v1/srm-check", EXAMPLE, headers=headers)
        assert refusal(answer) == (None if admitted else UNKNOWN)
        assert answer.status == (200 if admitted else 401)

    def test_not_in_the_query(self, closed):
        assert closed.get(f"/api/v1/diagnostics?token={READ[:-4]}&api_key={READ[:-4]}").status == 401

    def test_two_authorization_headers_are_refused(self, closed):
        data = (f"GET /api/v1/diagnostics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {WRONG}\r\n"
                f"Authorization: Bearer {WRITE}\r\nConnection: close\r\n\r\n").encode()
        assert closed.raw(data, checked=False).status in (400, 401)


class TestScopes:
    """Every scope on every route with every kind of method."""

    @pytest.mark.parametrize("method", READS + WRITES)
    @pytest.mark.parametrize("path", PROTECTED)
    def test_matrix(self, closed, path, method):
        read = None if method in READS else FORBIDDEN
        for token, expected in ((None, UNKNOWN), (WRONG, UNKNOWN), (ADMIN, UNKNOWN), (READ, read), (WRITE, None)):
            answer = closed.send(method, path, headers=bearer(token))
            assert refusal(answer) == expected, (token, answer)

    @pytest.mark.parametrize("method", READS + WRITES)
    @pytest.mark.parametrize("path", PUBLIC)
    def test_public_paths_ask_nobody(self, closed, path, method):
        for token in (None, WRONG, READ, WRITE, ADMIN):
            answer = closed.send(method, path, headers=bearer(token))
            assert answer.status == (200 if method in READS else 405)

    @pytest.mark.parametrize("path", PUBLIC + PROTECTED)
    def test_options_is_never_checked(self, closed, path):
        assert refusal(closed.send("OPTIONS", path)) is None

    @pytest.mark.parametrize("path, protected", [
        ("/api/v1", True), ("/api/v1/", True), ("/api/v1x", True), ("/readyz", True), ("/readyz/", False),
        ("/api/v2/diagnostics", False), ("//api/v1/diagnostics", True), ("/x/../api/v1/diagnostics", True),
        ("/%61pi/v1/diagnostics", True), ("/api/v1/%2e%2e/v1/diagnostics", True), ("/api//v1/diagnostics", True)])
    def test_no_way_round_the_check(self, closed, path, protected):
        answer = closed.get(path, headers={"Accept": "application/json"})
        if protected:
            assert refusal(answer) == UNKNOWN
        else:
            assert answer.status in (200, 404)

    @pytest.mark.parametrize("token, scope, source, can_write", [
        (READ, "read", "legacy", False), (WRITE, "write", "legacy", True)])
    def test_session_in_diagnostics(self, closed, token, scope, source, can_write):
        auth = closed.with_token(token).get("/api/v1/diagnostics").json()["auth"]
        assert (auth["session_scope"], auth["session_source"]) == (scope, source)
        assert auth["session_can_write"] is can_write and auth["session_admin_authenticated"] is False
        # Other tests may have issued keys to this stack meanwhile.
        assert auth["enabled"] and auth["mode"] == ("hybrid" if auth["api_keys_enabled"] else "dual_token")
        assert auth["accepted_headers"] == ["Authorization: Bearer", "X-API-Key"]
        assert auth["read_only_methods"] == ["GET", "HEAD", "OPTIONS"]

    def test_operators_see_more(self, stacks):
        client = stacks.get(PROXIED)
        for token, sees in ((READ, False), (WRITE, True)):
            reply = client.with_token(token).get("/api/v1/diagnostics").json()
            assert (reply["frontend"]["dist_path"] is not None) == sees
            assert (reply["network"]["trusted_proxies"] is not None) == sees
        assert reply["network"]["trusted_proxies"] == ["10.0.0.0/8", "127.0.0.1"]


class TestOpenService:
    @pytest.mark.parametrize("token", [None, WRONG, WRITE])
    def test_any_token_is_ignored(self, api, token):
        api.record.secrets.update((WRONG, WRITE))
        for method, path in itertools.product(READS + WRITES, PROTECTED):
            assert refusal(api.send(method, path, headers=bearer(token))) is None
        auth = api.get("/api/v1/diagnostics", headers=bearer(token)).json()["auth"]
        assert (auth["enabled"], auth["mode"], auth["session_scope"]) == (False, "open", None)
        assert auth["session_can_write"] is True

    @pytest.mark.parametrize("path", ["/api/v1/keys", "/api/v1/webhooks", "/api/v1/keys/x"])
    @pytest.mark.parametrize("token, expected", [(None, (401, "admin_token_not_configured")), (WRONG, UNKNOWN)])
    def test_operator_paths_are_closed_all_the_same(self, api, path, token, expected):
        for method in READS + WRITES:
            assert refusal(api.send(method, path, headers=bearer(token))) == expected


class TestModes:
    """auth.mode and who is let in, by what is configured."""

    @pytest.mark.parametrize("names, mode", [
        (["AB_API_TOKEN"], "token"), (["AB_READONLY_API_TOKEN"], "readonly"), (["AB_ADMIN_TOKEN"], "admin_only")])
    def test_single_tokens(self, stacks, names, mode):
        client = stacks.get({**OPEN, **{name: TOKENS[name] for name in names}})
        for path, method in itertools.product(PROTECTED, READS + WRITES):
            assert refusal(client.send(method, path)) == UNKNOWN
        if mode != "admin_only":
            auth = client.with_token(TOKENS[names[0]]).get("/api/v1/diagnostics").json()["auth"]
            assert auth["mode"] == mode and auth["legacy_tokens_enabled"] is True
            assert auth["write_enabled"] == (mode == "token") and auth["readonly_enabled"] == (mode == "readonly")
            assert auth["admin_token_enabled"] is False and auth["api_keys_enabled"] is False

    def test_public_demo(self, stacks):
        client = stacks.get({**OPEN, "AB_PUBLIC_DEMO": "true"})
        auth = client.get("/api/v1/diagnostics").json()["auth"]
        assert (auth["mode"], auth["session_scope"], auth["session_source"]) == ("public_demo", "read", "anonymous")
        assert auth["public_demo"] is True and auth["session_can_write"] is False
        assert client.get("/api/v1/diagnostics").json()["frontend"]["dist_path"] is None
        for path in PROTECTED:
            assert refusal(client.get(path)) is None
            assert refusal(client.get(path, headers=bearer(WRONG))) == UNKNOWN
            for method in WRITES:
                assert refusal(client.send(method, path)) == FORBIDDEN
        assert refusal(client.get("/api/v1/keys")) == (401, "admin_token_not_configured")

    def test_public_demo_beside_tokens(self, stacks):
        client = stacks.get({**CLOSED, "AB_PUBLIC_DEMO": "true", "AB_READONLY_COMPUTE": "true"})
        assert client.get("/api/v1/diagnostics").json()["auth"]["session_source"] == "anonymous"
        assert client.with_token(WRITE).post("/api/v1/srm-check", EXAMPLE).status == 200
        assert client.post("/api/v1/srm-check", EXAMPLE).status == 200, "anonymous readers compute where readers may"
        assert refusal(client.post("/api/v1/no-such-route", {})) == FORBIDDEN
        assert refusal(client.get("/api/v1/keys")) == UNKNOWN
        assert refusal(client.post("/api/v1/keys", {})) == UNKNOWN

    @pytest.mark.parametrize("setting", ["true", None])
    def test_read_only_token_and_computation(self, stacks, setting):
        """Literally GET, HEAD and OPTIONS, unless computing without storing is admitted too."""
        client = stacks.get({**CLOSED, **({"AB_READONLY_COMPUTE": setting} if setting else {})}).with_token(READ)
        for path in COMPUTE:
            expected = None if setting == "true" else FORBIDDEN
            assert refusal(client.post(path, {})) == expected
            for method in ("PUT", "PATCH", "DELETE"):
                assert refusal(client.send(method, path)) == FORBIDDEN
        for path in ("/api/v1/no-such-route", "/api/v1/diagnostics", "/api/v1/calculate/x"):
            assert refusal(client.post(path, {})) == FORBIDDEN
        assert client.get("/api/v1/diagnostics").json()["auth"]["readonly_compute"] is (setting == "true")


class TestOperatorPaths:
    """By the pipeline's own check; what the routes there say themselves comes with them."""

    @pytest.mark.parametrize("path", [
        "/api/v1/keys", "/api/v1/keys/some-id", "/api/v1/webhooks", "/api/v1/webhooks/x/test"])
    def test_with_admin_token(self, closed, path):
        for method in READS + WRITES:
            assert refusal(closed.send(method, path)) == UNKNOWN
            assert refusal(closed.send(method, path, headers=bearer(WRONG))) == UNKNOWN
            assert refusal(closed.send(method, path, headers=bearer(ADMIN))) is None
            if method in WRITES:
                assert refusal(closed.send(method, path, headers=bearer(READ))) == FORBIDDEN
            routed = closed.document.find(method, path)
            needs_admin = (403, "admin_token_required") if routed else None
            assert refusal(closed.send(method, path, headers=bearer(WRITE))) == needs_admin

    def test_without_admin_token(self, stacks):
        client = stacks.get({**OPEN, "AB_API_TOKEN": WRITE, "AB_READONLY_API_TOKEN": READ})
        missing = (401, "admin_token_not_configured")
        for method in READS + WRITES:
            assert refusal(client.send(method, "/api/v1/keys")) == missing
            assert refusal(client.send(method, "/api/v1/keys", headers=bearer(WRONG))) == UNKNOWN
            assert refusal(client.send(method, "/api/v1/keys", headers=bearer(ADMIN))) == UNKNOWN
        for method, token in (("GET", WRITE), ("POST", WRITE), ("GET", READ)):
            assert refusal(client.send(method, "/api/v1/keys", headers=bearer(token))) == missing
        assert refusal(client.send("POST", "/api/v1/keys", headers=bearer(READ))) == FORBIDDEN

    @pytest.mark.parametrize("path", ["/api/v1/admin/retention/purge", "/api/v1/admin/x"])
    def test_admin_token_on_admin_paths(self, closed, path):
        for method in ("GET", "POST"):
            assert refusal(closed.send(method, path, headers=bearer(ADMIN))) is None
            assert refusal(closed.send(method, path, headers=bearer(WRONG))) == UNKNOWN


class TestThrottle:
    """Failures of one client are counted; the one past the limit is told to wait. Clients are told
    apart by X-Forwarded-For, so that tests do not share a count."""

    @pytest.fixture
    def client(self, stacks, request):
        return as_somebody(stacks.get(LIMITED), request)

    def test_third_failure_is_throttled_and_the_right_token_passes(self, client):
        answers = [client.get("/api/v1/diagnostics", headers=bearer(WRONG)) for _ in range(4)]
        assert [a.status for a in answers] == [401, 401, 429, 429]
        assert [a.error_code for a in answers][2:] == ["auth_rate_limited"] * 2
        assert answers[2].detail == "Too many unauthorized requests"
        assert 1 <= int(answers[2].headers["Retry-After"]) <= 60
        assert "WWW-Authenticate" not in answers[2].headers
        assert client.with_token(WRITE).get("/api/v1/diagnostics").status == 200
        assert client.with_token(READ).get("/api/v1/diagnostics").status == 200
        assert client.get("/api/v1/diagnostics", headers=bearer(WRONG)).status == 429
        assert client.get("/health", headers=bearer(WRONG)).status == 200

    def test_forbidden_counts_too(self, client):
        statuses = [client.with_token(READ).post("/api/v1/srm-check", EXAMPLE).status for _ in range(3)]
        assert statuses == [403, 403, 429]

    def test_missing_tokens_count_too(self, client):
        assert [client.get("/readyz").status for _ in range(3)] == [401, 401, 429]

    def test_other_clients_are_not_throttled(self, client):
        for number in range(6):
            other = client.with_headers({"X-Forwarded-For": f"198.51.100.{number}"})
            assert other.get("/api/v1/diagnostics", headers=bearer(WRONG)).status == 401

    def test_invented_addresses_do_not_help(self, client):
        """With a proxy trusted, only its own entry, the last one, counts."""
        statuses = [client.get("/api/v1/diagnostics", headers={
            **bearer(WRONG), "X-Forwarded-For": f"10.0.0.{i}, 203.0.113.77"}).status for i in range(6)]
        assert statuses == [401, 401, 429, 429, 429, 429]

    def test_without_trusted_proxies_the_header_does_not_help(self, stacks):
        client = stacks.get(LIMITED_DIRECT)
        statuses = [client.get("/api/v1/diagnostics", headers={
            **bearer(WRONG), "X-Forwarded-For": f"192.0.2.{i}"}).status for i in range(6)]
        assert statuses == [401, 401, 401, 429, 429, 429]

    def test_switched_off_with_the_rate_limit(self, stacks):
        client = stacks.get(UNLIMITED)
        assert {client.get("/api/v1/diagnostics").status for _ in range(5)} == {401}
