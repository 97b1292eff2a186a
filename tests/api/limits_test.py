"""Rate limits, body limits, the client's identity, and what all workers count together."""

import concurrent.futures
import time

import pytest

from conftest import CAPPED, CLOSED, CROWDED, LIMITED, LIMITED_DIRECT, STRICT, TOKENS, UNLIMITED, as_somebody

EXAMPLE = {"observed_counts": [10, 10], "expected_fractions": [0.5, 0.5]}
WRITE = {"Authorization": f"Bearer {TOKENS['AB_API_TOKEN']}"}
WRONG = {"Authorization": "Bearer wrong-token-3b8a90cc51"}


def together(count, work):
    """Runs work(number) in `count` threads at the same time."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


class TestRate:
    SLIDING = {"AB_RATE_LIMIT_REQUESTS": 3, "AB_RATE_LIMIT_WINDOW_SECONDS": 2, "AB_TRUSTED_PROXY_HOPS": 1}

    @pytest.fixture
    def limited(self, stacks, request):
        return as_somebody(stacks.get(LIMITED), request).with_headers(WRITE)

    def test_third_call_of_two_is_refused(self, stacks):
        client = stacks.get(LIMITED_DIRECT).with_headers(WRITE)
        answers = [client.get("/api/v1/diagnostics") for _ in range(3)]
        assert [a.status for a in answers] == [200, 200, 429]
        assert answers[2].error_code == "rate_limited" and answers[2].detail == "Too many requests"
        assert 1 <= int(answers[2].headers["Retry-After"]) <= 60

    def test_remaining_calls_are_told(self, limited):
        answers = [limited.get("/api/v1/diagnostics") for _ in range(3)]
        assert [a.headers["RateLimit-Limit"] for a in answers] == ["2"] * 3
        assert [a.headers["RateLimit-Remaining"] for a in answers] == ["1", "0", "0"]
        assert all(1 <= int(a.headers["RateLimit-Reset"]) <= 60 for a in answers)

    def test_errors_and_unknown_routes_are_charged(self, limited):
        assert limited.post("/api/v1/srm-check", {}).status == 422
        assert limited.get("/api/v1/no-such-route").status == 404
        assert limited.send("PUT", "/api/v1/calculate").status == 429

    def test_what_is_not_limited(self, limited):
        for _ in range(3):
            limited.get("/api/v1/diagnostics")
        for path in ("/health", "/readyz", "/openapi.json"):
            answer = limited.get(path)
            assert answer.status == 200 and "RateLimit-Limit" not in answer.headers
        assert limited.send("OPTIONS", "/api/v1/diagnostics").status == 405

    def test_other_clients_have_calls_of_their_own(self, limited):
        for number in range(5):
            other = limited.with_headers({"X-Forwarded-For": f"198.51.100.{number}"})
            assert [other.get("/api/v1/diagnostics").status for _ in range(3)] == [200, 200, 429]

    def test_an_ipv6_client_is_its_network(self, limited):
        """Whoever has one address has all 2^64 of them; written as IPv4 they are single ones again."""
        def statuses(*addresses):
            return [limited.with_headers({"X-Forwarded-For": each}).get("/api/v1/diagnostics").status for each in addresses]

        assert statuses("2001:db8:7:1::1", "2001:db8:7:1:ffff::2", "2001:db8:7:1:0:0:0:3") == [200, 200, 429]
        assert statuses("2001:db8:7:2::1") == [200]
        assert statuses("::ffff:192.0.2.201", "::ffff:192.0.2.202", "192.0.2.201", "192.0.2.201") == [200, 200, 200, 429]

    def test_switched_off(self, stacks):
        client = stacks.get(UNLIMITED).with_headers(WRITE)
        answers = [client.get("/api/v1/diagnostics") for _ in range(5)]
        assert {a.status for a in answers} == {200} and "RateLimit-Limit" not in answers[0].headers

    def test_window_slides(self, stacks):
        """Three calls in any two seconds: a call makes room again when it is two seconds old, and a
        refused one takes none. Nothing is asked within 0.35 s of a change, unless the machine is slow."""
        client = stacks.get(self.SLIDING).with_headers({"X-Forwarded-For": "192.0.2.1"})
        begun, granted = time.monotonic(), []  # when each was asked, and when it had been answered

        def at(second):
            """Whether what came fits, which it does by chance if it was asked or answered late."""
            time.sleep(max(0, begun + second - time.monotonic()))
            asked = time.monotonic()
            status = client.get("/api/v1/diagnostics").status
            answered = time.monotonic()
            surely = sum(answered - earliest < 1.65 for earliest, _ in granted)
            perhaps = sum(asked - latest < 2.35 for _, latest in granted)
            if status == 200:
                granted.append((asked, answered))
            return status in ([200] if perhaps < 3 else [429] if surely >= 3 else [200, 429])

        assert all([at(0), at(1), at(1), at(1.2), at(1.4), at(2.4), at(2.5), at(3.4), at(3.4), at(3.4)])
        assert len(granted) >= 6

    def test_waiting_as_told_helps(self, stacks):
        client = stacks.get(self.SLIDING).with_headers({"X-Forwarded-For": "192.0.2.2"})
        while (answer := client.get("/api/v1/diagnostics")).status == 200:
            pass
        time.sleep(int(answer.headers["Retry-After"]))
        assert client.get("/api/v1/diagnostics").status == 200

    def test_holds_over_all_workers_and_families(self, stacks):
        """Exactly as many as the limit allows, however many ask at the same time."""
        client = stacks.get(CROWDED).with_headers({"X-Forwarded-For": "192.0.2.3"})

        def ask(number):
            mine = client.with_headers({})
            return [(mine.get("/api/v1/diagnostics") if i % 2 else mine.post("/api/v1/srm-check", EXAMPLE))
                    for i in range(25)]

        answers = [answer for mine in together(8, ask) for answer in mine]
        admitted = [a for a in answers if a.status == 200]
        assert len(admitted) == 100 and {a.status for a in answers} == {200, 429}
        remaining = sorted(int(a.headers["RateLimit-Remaining"]) for a in admitted)
        assert remaining == list(range(100)), "each admitted call took one"


class TestOrder:
    """Credentials before rate before body before JSON before the document's own errors."""

    SETTINGS = {**TOKENS, "AB_RATE_LIMIT_REQUESTS": 1, "AB_MAX_REQUEST_BODY_BYTES": 1024, "AB_TRUSTED_PROXY_HOPS": 1}
    LARGE = b"{not json" + b" " * 4000

    @pytest.fixture
    def client(self, stacks, request):
        return as_somebody(stacks.get(self.SETTINGS), request)

    def test_each_step_hides_the_next(self, client):
        def post(data, headers):
            return client.send("POST", "/api/v1/srm-check", data=data, headers=headers).error_code

        json = {"Content-Type": "application/json"}
        assert post(self.LARGE, json) == "unauthorized"
        assert post(self.LARGE, {**json, **WRONG}) == "unauthorized"
        assert post(self.LARGE, {**json, **WRITE}) == "request_body_too_large"
        assert post(self.LARGE, {**json, **WRITE}) == "rate_limited"
        assert post(self.LARGE, {**json, **WRONG}) == "unauthorized"

    def test_refused_credentials_are_not_charged(self, client):
        assert client.get("/api/v1/diagnostics", headers=WRONG).status == 401
        assert client.get("/api/v1/diagnostics", headers=WRITE).status == 200
        assert client.get("/api/v1/diagnostics", headers=WRITE).status == 429

    def test_size_comes_before_syntax_and_route(self, stacks):
        client = stacks.get(CAPPED).with_headers(WRITE)
        for path in ("/api/v1/srm-check", "/api/v1/no-such-route", "/api/v1/diagnostics"):
            for method in ("POST", "PUT", "PATCH"):
                answer = client.send(method, path, data=self.LARGE, headers={"Content-Type": "application/json"})
                assert (answer.status, answer.error_code) == (413, "request_body_too_large"), answer
        assert client.send("DELETE", "/api/v1/no-such-route", data=self.LARGE).status == 404

    def test_syntax_comes_before_shape(self, api):
        json = {"Content-Type": "application/json"}
        answer = api.send("POST", "/api/v1/srm-check", data=b'{"unknown":1,', headers=json)
        assert [e["type"] for e in answer.detail] == ["json_invalid"]

    def test_preflight_needs_neither_token_nor_calls(self, client):
        for _ in range(3):
            answer = client.send("OPTIONS", "/api/v1/srm-check", headers={
                "Origin": "http://localhost:5173", "Access-Control-Request-Method": "POST"})
            assert answer.status == 200


class TestIdentity:
    """The peer is nginx's client, 127.0.0.1 here."""

    ROWS = [
        ({}, "9.9.9.9", "127.0.0.1", "direct_peer"),
        ({"HOPS": 1}, "9.9.9.9, 198.51.100.7", "198.51.100.7", "forwarded_header"),
        ({"HOPS": 1}, "198.51.100.7", "198.51.100.7", "forwarded_header"),
        ({"HOPS": 1}, "9.9.9.9,198.51.100.7 , ", "198.51.100.7", "forwarded_header"),
        ({"HOPS": 1}, "2001:db8::7", "2001:db8::7", "forwarded_header"),
        ({"HOPS": 1}, "unknown", "127.0.0.1", "direct_peer"),
        ({"HOPS": 1}, "198.51.100.7, unknown", "127.0.0.1", "direct_peer"),
        ({"HOPS": 1}, "198.51.100.7:443", "127.0.0.1", "direct_peer"),
        ({"HOPS": 1}, "198.51.100.007", "127.0.0.1", "direct_peer"),
        ({"HOPS": 1}, ",,,", "127.0.0.1", "direct_peer"),
        ({"HOPS": 1}, None, "127.0.0.1", "direct_peer"),
        ({"HOPS": 2}, "9.9.9.9, 198.51.100.7, 10.0.0.2", "198.51.100.7", "forwarded_header"),
        ({"HOPS": 2}, "198.51.100.7", "127.0.0.1", "direct_peer"),
        ({"HOPS": 1, "PROXIES": "10.0.0.0/8"}, "198.51.100.7", "127.0.0.1", "direct_peer"),
        ({"HOPS": 1, "PROXIES": "10.0.0.0/8, 127.0.0.1"}, "198.51.100.7", "198.51.100.7", "forwarded_header"),
    ]

    @pytest.mark.parametrize("settings, header, resolved, source", ROWS)
    def test_resolved_client(self, stacks, settings, header, resolved, source):
        names = {"HOPS": "AB_TRUSTED_PROXY_HOPS", "PROXIES": "AB_TRUSTED_PROXIES"}
        client = stacks.get({**CLOSED, **{names[k]: v for k, v in settings.items()}}).with_headers(WRITE)
        headers = {} if header is None else {"X-Forwarded-For": header}
        network = client.get("/api/v1/diagnostics", headers=headers).json()["network"]
        assert (network["resolved_client"], network["resolved_from"]) == (resolved, source)
        assert network["direct_peer"] == "127.0.0.1"
        assert network["trusted_proxy_hops"] == settings.get("HOPS", 0)
        assert network["forwarded_for_chain"] == [e.strip() for e in (header or "").split(",") if e.strip()]

    def test_header_lines_are_joined(self, stacks):
        client = stacks.get({**CLOSED, "AB_TRUSTED_PROXY_HOPS": 1})
        token = f"Authorization: {WRITE['Authorization']}\r\n".encode()
        answer = client.raw(b"GET /api/v1/diagnostics HTTP/1.1\r\nHost: x\r\n" + token +
                            b"X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 198.51.100.2\r\n"
                            b"Connection: close\r\n\r\n", path="/api/v1/diagnostics")
        assert answer.json()["network"]["resolved_client"] == "198.51.100.2"

    def test_endless_chain(self, stacks):
        client = stacks.get({**CLOSED, "AB_TRUSTED_PROXY_HOPS": 1}).with_headers(WRITE)
        chain = ", ".join(f"10.0.{i // 250}.{i % 250}" for i in range(500)) + ", 198.51.100.9"
        network = client.get("/api/v1/diagnostics", headers={"X-Forwarded-For": chain}).json()["network"]
        assert network["resolved_client"] in ("198.51.100.9", "127.0.0.1"), "never what the client invented"


class TestCounters:
    def test_exact_over_a_known_sequence(self, stacks):
        client = stacks.get(STRICT).with_headers({"X-Forwarded-For": "192.0.2.1"})
        admitted = client.with_headers(WRITE)
        watcher = admitted.with_headers({"X-Forwarded-For": "192.0.2.200"})

        def runtime():
            return watcher.get("/api/v1/diagnostics").json()["runtime"]

        before = runtime()
        client.get("/health")                                                                   # 200
        assert [client.get("/readyz").status for _ in range(5)] == [401] * 3 + [429] * 2
        admitted.send("POST", "/api/v1/srm-check", data=b"x" * 2000)                            # 413
        admitted.post("/api/v1/srm-check", {})                                                  # 422
        admitted.post("/api/v1/srm-check", EXAMPLE)                                             # 200
        admitted.get("/api/v1/no-such-route")                                                   # 404
        admitted.send("PUT", "/api/v1/srm-check")                                               # 405
        admitted.with_headers({"X-Forwarded-For": "192.0.2.77"}).get("/chatapp/install", may_fail=True)  # 503, of no limit's kind
        assert [admitted.get("/api/v1/diagnostics").status for _ in range(3)] == [429] * 3
        after = runtime()
        change = {name: after[name] - before[name] for name in (
            "total_requests", "success_responses", "client_error_responses", "server_error_responses",
            "rate_limited_responses", "request_body_rejections", "compute_capacity_rejections",
            "process_time_ms_count")}
        assert change == {
            "total_requests": 16, "success_responses": 3, "client_error_responses": 12, "server_error_responses": 1,
            "rate_limited_responses": 5, "request_body_rejections": 1, "compute_capacity_rejections": 0,
            "process_time_ms_count": 16}
        assert after["auth_rejections"] - before["auth_rejections"] in (3, 5), "with or without the throttled ones"
        assert after["last_error_code"] == "rate_limited"
        assert before["last_request_at"] < after["last_error_at"] <= after["last_request_at"]
        assert after["error_rate"] == round(after["server_error_responses"] / after["total_requests"], 6) > 0
        assert 0 < after["process_time_ms_avg"] <= after["process_time_ms_max"]

    def test_exact_under_parallel_clients(self, stacks):
        client = stacks.get(CROWDED).with_headers({"X-Forwarded-For": "192.0.2.4"})
        watcher = client.with_headers({"X-Forwarded-For": "192.0.2.5"})
        before = watcher.get("/api/v1/diagnostics").json()["runtime"]["total_requests"]

        def ask(_):
            mine = client.with_headers({})
            for i in range(40):
                mine.post("/api/v1/srm-check", EXAMPLE if i % 2 else {})

        together(8, ask)
        after = watcher.get("/api/v1/diagnostics").json()["runtime"]
        assert after["total_requests"] - before == 8 * 40 + 1

    def test_settings_in_force_are_shown(self, stacks):
        client = stacks.get(LIMITED).with_headers({**WRITE, "X-Forwarded-For": "192.0.2.251"})
        guards = client.get("/api/v1/diagnostics").json()["guards"]
        assert guards == {
            "security_headers_enabled": True, "rate_limit_enabled": True, "rate_limit_requests": 2,
            "rate_limit_window_seconds": 60, "auth_failure_limit": 2, "auth_failure_window_seconds": 60,
            "max_request_body_bytes": 1048576, "max_workspace_body_bytes": 8388608, "max_chatapp_body_bytes": 65536,
            "chatapp_rate_limit_requests": 60, "compute_admission_enabled": True, "compute_max_heavy_concurrent": 2,
            "confine": "auto", "confined_files": guards["confined_files"], "confined_calls": guards["confined_calls"]}
