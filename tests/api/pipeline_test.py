"""The way of every request: its id, cross-origin rules, production's discretion, readiness, logs."""

import collections
import json
import re
import shutil

import pytest

from client import UUID4
from conftest import CAPPED, CLOSED, OPEN, STRICT, TOKENS

EXAMPLE = {"observed_counts": [10, 10], "expected_fractions": [0.5, 0.5]}
NO_PLAN = {"metric_type": "binary", "baseline_value": 0.9, "mde_pct": 15, "alpha": 0.05, "power": 0.8,
           "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "traffic_split": [50, 50],
           "variants_count": 2}
ORIGIN = "http://localhost:5173"
EXPOSED = {"X-Request-ID", "X-Error-Code", "X-Process-Time-Ms", "Retry-After", "Deprecation", "Content-Disposition"}


LOGGED = {format: {**OPEN, "AB_LOG_FORMAT": format, "AB_CORS_ORIGINS": "https://anybody.example", "AB_TRUSTED_PROXY_HOPS": 1}
          for format in ("json", "plain")}
CUSTOM = {**OPEN, "AB_CORS_ORIGINS": "https://a.example, https://b.example", "AB_CORS_METHODS": "GET,POST",
          "AB_CORS_HEADERS": "X-Mine", "AB_APP_NAME": 'Name "quoted" ✓', "AB_APP_VERSION": "9.8.7",
          "AB_BUILD_SHA": "abc", "AB_ENV": "demo", "AB_LOG_LEVEL": "info", "AB_SERVE_FRONTEND_DIST": "off",
          "AB_FRONTEND_DIST_PATH": "/nonexistent"}
QUIET = {**OPEN, "AB_LOG_LEVEL": "ERROR", "AB_FRONTEND_DIST_PATH": "/nonexistent"}


# What supervises the responders writes into the same files.
SUPERVISOR = re.compile(r"Spawning child|Child\[|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ pool ")


def responder_lines(client, family):
    return [line for line in client.stack.logs(family).splitlines() if not SUPERVISOR.match(line)]


def post_text(client, path, text, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return client.send("POST", path, data=data, headers={"Content-Type": "application/json"}, **options)


class TestRequestId:
    @pytest.mark.parametrize("given", ["a", "abc.DEF:1_2-3", "x" * 128, "..", "00000000-0000-0000-0000-000000000000"])
    @pytest.mark.parametrize("path", ["/health", "/api/v1/no-such-route", "/no-such-file.js"])
    def test_kept(self, api, given, path):
        assert api.get(path, headers={"X-Request-ID": given}).headers["X-Request-ID"] == given

    @pytest.mark.parametrize("given", ["x" * 129, "a b", "a,b", "ä".encode(), "a;b", "a\tb", "<a>", "%0a", "{}", "'"])
    @pytest.mark.parametrize("path", ["/health", "/api/v1/no-such-route", "/no-such-file.js"])
    def test_replaced(self, api, given, path):
        shown = api.get(path, headers={"X-Request-ID": given}).headers["X-Request-ID"]
        assert UUID4.match(shown)

    def test_new_ones_differ(self, api):
        assert len({api.get("/health").headers["X-Request-ID"] for _ in range(50)}) == 50

    def test_sent_twice(self, api):
        answer = api.raw(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Request-ID: one\r\nX-Request-ID: two words\r\n"
                         b"Connection: close\r\n\r\n", path="/health")
        assert answer.headers["X-Request-ID"] in ("one",) or UUID4.match(answer.headers["X-Request-ID"])


class TestCrossOrigin:
    def preflight(self, client, origin=ORIGIN, method="POST", headers=None, path="/api/v1/calculate"):
        asked = {"Origin": origin, "Access-Control-Request-Method": method}
        if headers is not None:
            asked["Access-Control-Request-Headers"] = headers
        return client.send("OPTIONS", path, headers=asked)

    @pytest.mark.parametrize("headers", [None, "", "content-type", "Content-Type, Authorization", "x-api-key",
                                         "x-ab-llm-provider,x-ab-llm-token", "ACCEPT-LANGUAGE , content-language"])
    @pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    def test_allowed_preflight(self, closed, method, headers):
        answer = self.preflight(closed, method=method, headers=headers)
        assert answer.status == 200 and answer.text == "OK"
        assert answer.headers["Content-Type"].startswith("text/plain")
        assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
        assert answer.headers["Access-Control-Allow-Credentials"] == "true"
        assert answer.headers["Access-Control-Allow-Methods"] == "GET, POST, PUT, PATCH, DELETE, OPTIONS"
        assert answer.headers["Access-Control-Max-Age"] == "600"
        assert "Origin" in answer.headers["Vary"]
        listed = answer.headers["Access-Control-Allow-Headers"].split(", ")
        assert listed == sorted(listed, key=str.lower)
        assert {"Accept", "Accept-Language", "Authorization", "Content-Language", "Content-Type", "X-API-Key",
                "X-AB-LLM-Provider", "X-AB-LLM-Token"} <= set(listed)

    @pytest.mark.parametrize("changes", [
        {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://localhost:5173.evil.example"},
        {"origin": "http://localhost:5174"}, {"origin": "https://localhost:5173"}, {"origin": ""},
        {"method": "TRACE"}, {"method": "post"}, {"headers": "x-evil"}, {"headers": "content-type, x-evil"}])
    def test_refused_preflight(self, closed, changes):
        answer = self.preflight(closed, **changes)
        assert answer.status == 400 and answer.headers["Content-Type"].startswith("text/plain")
        assert "Access-Control-Allow-Methods" not in answer.headers
        if "origin" in changes:
            assert "Access-Control-Allow-Origin" not in answer.headers

    def test_preflight_of_an_unknown_route(self, closed):
        assert self.preflight(closed, path="/api/v1/no-such-route").status == 200

    def test_options_without_origin_is_no_preflight(self, closed):
        assert closed.send("OPTIONS", "/api/v1/calculate").status == 405
        assert closed.send("OPTIONS", "/api/v1/calculate", headers={"Origin": ORIGIN}).status == 405

    def test_simple_requests(self, api):
        for path, status in (("/health", 200), ("/api/v1/diagnostics", 200), ("/api/v1/no-such-route", 404)):
            answer = api.get(path, headers={"Origin": ORIGIN})
            assert answer.status == status and answer.headers["Access-Control-Allow-Origin"] == ORIGIN
            assert answer.headers["Access-Control-Allow-Credentials"] == "true"
            assert EXPOSED <= set(answer.headers["Access-Control-Expose-Headers"].split(", "))
            stranger = api.get(path, headers={"Origin": "http://evil.example"})
            assert stranger.status == status
            assert not [name for name in stranger.headers if name.startswith("Access-Control-")]

    def test_on_errors_of_every_step(self, stacks):
        """A page can read why it was refused."""
        client = stacks.get(STRICT).with_headers({"Origin": ORIGIN, "X-Forwarded-For": "192.0.2.2"})
        admitted = client.with_token(TOKENS["AB_API_TOKEN"])
        answers = [
            *[client.get("/readyz") for _ in range(4)], admitted.post("/api/v1/calculate", NO_PLAN),
            post_text(admitted, "/api/v1/srm-check", b"x" * 2000), admitted.post("/api/v1/srm-check", {}),
            *[admitted.get("/api/v1/diagnostics") for _ in range(3)], client.send("PUT", "/health")]
        assert [a.status for a in answers] == [401, 401, 401, 429, 400, 413, 422, 200, 200, 429, 405]
        for answer in answers:
            assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN, answer

    def test_on_what_nginx_refuses(self, stacks):
        client = stacks.get(CAPPED)
        answer = client.send("POST", "/api/v1/srm-check", data=b"x" * 200_000, headers={"Origin": ORIGIN})
        assert answer.status == 413 and answer.headers.get("Access-Control-Allow-Origin") == ORIGIN

    def test_configured(self, stacks):
        client = stacks.get(CUSTOM)
        assert self.preflight(client).status == 400
        answer = self.preflight(client, origin="https://b.example", headers="x-mine, authorization")
        assert answer.status == 200 and answer.headers["Access-Control-Allow-Methods"] == "GET, POST"
        assert "X-Mine" in answer.headers["Access-Control-Allow-Headers"].split(", ")
        assert self.preflight(client, origin="https://b.example", method="DELETE").status == 400

    def test_any_origin(self, stacks):
        """Beside tokens; an open service names its origins (settings_test.py)."""
        client = stacks.get({**CLOSED, "AB_CORS_ORIGINS": "*"})
        answer = client.get("/health", headers={"Origin": "https://anybody.example"})
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


class TestValueErrors:
    PRODUCTION = {**OPEN, "AB_ENV": " Production ", "AB_API_TOKEN": "a-production-token-of-thirty-two"}

    def test_are_told_in_development(self, api):
        answer = api.post("/api/v1/calculate", NO_PLAN)
        assert (answer.status, answer.error_code) == (400, "bad_request")
        assert "0.9" in answer.detail and answer.headers["X-Error-Reason"] == "variant_rate_out_of_range"

    def test_are_kept_from_readers_in_production(self, stacks):
        client = stacks.get(self.PRODUCTION).with_token(self.PRODUCTION["AB_API_TOKEN"])
        answer = client.post("/api/v1/calculate", NO_PLAN)
        assert (answer.status, answer.error_code, answer.detail) == (400, "bad_request", "Invalid value")
        assert answer.headers["X-Error-Reason"] == "variant_rate_out_of_range"
        assert "moves the rate from 0.9" in client.stack.logs("experiments-analysis"), "the log tells"
        assert client.get("/health").json()["environment"].strip() == "Production"

    def test_validation_is_told_in_production(self, stacks):
        client = stacks.get(self.PRODUCTION).with_token(self.PRODUCTION["AB_API_TOKEN"])
        assert "Field required" in client.post("/api/v1/calculate", {}).text


class TestEcho:
    """What of a refused document is sent back."""

    LIMIT = 256

    @pytest.mark.parametrize("value", ["a" * 5000, "я" * 5000, "a" + "😀" * 5000, '"' * 5000, "\u0001" * 5000])
    def test_long_text_is_cut(self, api, value):
        errors = api.post("/api/v1/calculate", {"metric_type": value}).errors()
        shown = errors["body", "metric_type"]["input"]
        assert shown.endswith("…") and value.startswith(shown[:-1])
        assert self.LIMIT - 4 < len(shown[:-1].encode()) <= self.LIMIT

    @pytest.mark.parametrize("value", [list(range(5000)), {f"key {i}": i for i in range(5000)}, [[[["x" * 999]]]]])
    def test_large_values_are_cut(self, api, value):
        errors = api.post("/api/v1/calculate", {"metric_type": value}).errors()
        shown = errors["body", "metric_type"]["input"]
        assert isinstance(shown, str) and len(shown.encode()) <= self.LIMIT + len("…".encode())
        for error in errors.values():
            assert len(json.dumps(error, ensure_ascii=False).encode()) < 1000

    def test_short_values_come_whole(self, api):
        errors = api.post("/api/v1/calculate", {"metric_type": {"a": [1, None, "é"]}}).errors()
        assert errors["body", "metric_type"]["input"] == {"a": [1, None, "é"]}

    @pytest.mark.parametrize("name", [
        "token", "secret", "api_token", "client_secret", "Password", "AUTHORIZATION", "api_key"])
    @pytest.mark.parametrize("value", ["hush-hush-471147114711", 471147114711, ["hush-hush-471147114711"], {"x": "hush-hush-471147114711"}])
    def test_secrets_are_not_echoed(self, api, name, value):
        api.record.secrets.add("hush-hush-471147114711")
        for body in ({name: value}, {"metric_type": {name: value}}, {"metric_type": [{"inner": {name: value}}]}):
            answer = api.post("/api/v1/calculate", body)
            assert answer.status == 422 and "471147114711" not in answer.text, answer
            assert "***" in answer.text

    def test_long_keys(self, api):
        answer = api.post("/api/v1/calculate", {"k" * 500_000: 1})
        assert answer.status == 422

    def test_more_errors_than_room(self, api):
        """However much there is to say, the answer is JSON."""
        body = {"k" * 600_000: 1, **{f"{i:03}": "v" * 255 for i in range(1000)}}
        answer = api.post("/api/v1/calculate", body)
        assert answer.status == 422 and len(answer.detail) > 10


class TestReadiness:
    def test_ready(self, api):
        reply = api.get("/readyz").json()
        assert reply["status"] == "ready" and all(check["ok"] for check in reply["checks"])
        names = [check["name"] for check in reply["checks"]]
        assert names.index("frontend_dist") < names.index("llm_config") < names.index("logging_config")
        assert {c["name"]: c["detail"] for c in reply["checks"]}["logging_config"] == "INFO / json"
        assert {c["name"]: c["detail"] for c in reply["checks"]}["llm_config"] == "3 attempt(s), timeout 60.0s"

    def test_degraded_without_the_frontend(self, stacks):
        client = stacks.get(QUIET)
        answer = client.get("/readyz", may_fail=True)
        assert answer.status == 503 and "X-Error-Code" not in answer.headers
        reply = answer.json()
        assert reply["status"] == "degraded" and list(reply) == ["status", "generated_at", "checks"]
        missing, = [c for c in reply["checks"] if not c["ok"]]
        assert missing.pop("fault")["code"] == "pages_missing"
        assert missing == {"name": "frontend_dist", "ok": False, "detail": "missing"}
        assert client.send("HEAD", "/readyz", may_fail=True).status == 503
        assert client.get("/health").status == 200, "alive all the same"
        assert client.get("/api/v1/diagnostics").json()["frontend"]["dist_exists"] is False

    @pytest.mark.parametrize("tokens", [{}, TOKENS], ids=["open", "closed"])
    def test_degraded_without_a_database(self, stacks, tokens, tmp_path):
        folder = tmp_path / "lost"
        client = stacks.get({**OPEN, **tokens, "AB_DB_PATH": folder / "projects.sqlite3"})
        shutil.rmtree(folder)
        client = client.with_headers({"X-API-Key": TOKENS["AB_API_TOKEN"]})
        assert client.get("/health").status == 200
        answer = client.get("/readyz", may_fail=True)
        assert answer.status == 503 and list(answer.json()) == ["status", "generated_at", "checks"], answer
        assert answer.json()["checks"][0]["name"] == "sqlite_storage" and not answer.json()["checks"][0]["ok"]
        answer = client.get("/api/v1/projects", may_fail=True)
        assert (answer.status, answer.error_code) == (503, "http_error")

    def test_ready_when_the_frontend_is_switched_off(self, stacks):
        client = stacks.get(CUSTOM)
        checks = {c["name"]: c for c in client.get("/readyz").json()["checks"]}
        assert checks["frontend_dist"] == {"name": "frontend_dist", "ok": True, "detail": "disabled"}

    def test_health(self, stacks):
        client = stacks.get(CUSTOM)
        assert client.get("/health").json() == {
            "status": "ok", "service": 'Name "quoted" ✓', "version": "9.8.7", "git_sha": "abc", "environment": "demo"}
        assert client.document.spec["info"]["title"] == 'Name "quoted" ✓'
        assert client.document.spec["info"]["version"] == "9.8.7"

    def test_moments(self, api):
        moment = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")
        reply = api.get("/api/v1/diagnostics").json()
        shown = [reply["generated_at"], reply["started_at"], api.get("/readyz").json()["generated_at"]]
        assert all(moment.fullmatch(each) for each in shown)
        assert reply["started_at"] < reply["generated_at"] and reply["uptime_seconds"] > 0


class TestCompression:
    def test_large_answers_are_compressed_for_those_who_can(self, api):
        plain, packed = api.get("/openapi.json"), api.get("/openapi.json", gzip=True)
        assert packed.headers["Content-Encoding"] == "gzip" and packed.body == plain.body
        assert "Accept-Encoding" in packed.headers["Vary"]
        assert "Content-Encoding" not in plain.headers


class TestLogs:
    """What the responders write."""

    PLAIN = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00 [A-Z]+ assay\.experiments: \w+"
    CONTROLS = "\x01\x08\x0b\x1b[31m\x7f"

    @pytest.mark.parametrize("format", ["json", "plain"])
    def test_nothing_from_outside_breaks_a_line(self, stacks, format):
        client = stacks.get(LOGGED[format])
        forged = '{"level":"INFO","message":"forged"}'
        paths = [f"/api/v1/x%0a{forged}".replace('"', "%22"), "/api/v1/%0d%0aX-Evil:%20yes", "/api/v1/%1b%5b31m",
                 "/api/v1/%7f%01%08", "/api/v1/%ff%fe", "/api/v1/%e2%80%a8", "/api/v1/%22%5c",
                 "/api/v1/x?y=%0a" + "z" * 50]
        for path in paths:
            answer = client.get(path)
            assert answer.status == 404 and "X-Evil" not in answer.headers
        for name in ("Origin", "X-Forwarded-For", "X-Request-ID", "User-Agent", "Accept-Language", "Referer",
                     "Authorization", "X-API-Key", "Access-Control-Request-Method"):
            for method in ("GET", "OPTIONS"):
                data = (f"{method} /api/v1/diagnostics HTTP/1.1\r\nHost: x\r\n{name}: a{self.CONTROLS}b\r\n"
                        "Connection: close\r\n\r\n").encode()
                client.raw(data, method=method, path="/api/v1/diagnostics")
        for family in ("experiments-system", "experiments-analysis"):
            for line in responder_lines(client, family):
                assert line.isascii() and line.isprintable(), repr(line)
                if format == "json":
                    assert set(json.loads(line)) == {"fields", "level", "logger", "message", "timestamp"}
                else:
                    assert re.match(self.PLAIN, line), line
        assert "forged" in client.stack.logs("experiments-system"), "it was logged, as part of a line"

    def test_line_of_a_request(self, stacks):
        client = stacks.get(CLOSED)
        client.with_token(TOKENS["AB_API_TOKEN"]).post("/api/v1/srm-check?x=1", {}, headers={"X-Request-ID": "line-1"})
        client.get("/readyz", headers={"X-Request-ID": "line-2"})
        lines = {}
        for line in responder_lines(client, "experiments-"):
            entry = json.loads(line)
            lines[entry["fields"].get("request_id")] = entry
        fields = lines["line-1"]["fields"]
        assert lines["line-1"]["message"] == "http_request" and lines["line-1"]["level"] == "INFO"
        assert {k: fields[k] for k in ("method", "path", "status_code", "error_code", "client")} == {
            "method": "POST", "path": "/api/v1/srm-check", "status_code": 422, "error_code": "validation_error",
            "client": "127.0.0.1"}
        assert fields["process_time_ms"] >= 0
        assert lines["line-2"]["message"] == "http_request_auth"

    @pytest.mark.parametrize("settings, logged", [(QUIET, False), (CUSTOM, True)], ids=["ERROR", "info"])
    def test_level(self, stacks, settings, logged):
        client = stacks.get(settings)
        client.get("/api/v1/diagnostics", headers={"X-Request-ID": "level-test"})
        assert ("level-test" in client.stack.logs("experiments-system")) == logged


@pytest.mark.last
class TestSessionLogs:
    """Looks back on the logs of all stacks of the session."""

    def test_hold_no_secret(self, stacks):
        assert stacks.clients
        for client in stacks.clients.values():
            for file in (client.stack.directory / "log").iterdir():
                text = file.read_text(errors="replace")
                found = [secret for secret in client.record.secrets | set(TOKENS.values()) if secret in text]
                assert not found, f"{found} in {file}"

    @staticmethod
    def access_lines(client):
        return (client.stack.directory / "log" / "access.log").read_bytes().splitlines()

    def test_access_log_holds_one_object_per_line(self, stacks):
        for client in stacks.clients.values():
            for line in self.access_lines(client):
                entry = json.loads(line.decode())
                assert set(entry) == {"timestamp", "level", "logger", "message", "fields"}
                assert set(entry["fields"]) >= {"client", "method", "path", "status_code", "request_id"}

    def test_have_a_line_for_every_answer(self, stacks):
        """In the access log; and in the responder's when a responder answered."""
        assert any(client.record.answers for client in stacks.clients.values())
        for client in stacks.clients.values():
            named = re.compile(r'request_id"?[:=]"([^"]*)"')
            passed = set(named.findall(b"\n".join(self.access_lines(client)).decode(errors="replace")))
            # What went wrong has a line of its own, with the same id.
            lines = [line for line in client.stack.logs("experiments-").splitlines()
                     if "http_request" in line and re.search(r'path"?[:=]"/', line)]
            answered = collections.Counter(named.findall("\n".join(lines)))
            for answer in client.record.answers:
                shown = answer.headers.get("X-Request-ID", "")
                if UUID4.match(shown):
                    assert shown in passed, answer
                    if "Content-Language" in answer.headers and client.stack.env.get("AB_LOG_LEVEL") != "ERROR":
                        assert answered[shown] == 1, answer

    def test_access_lines_name_what_was_asked(self, stacks):
        for client in stacks.clients.values():
            wrong = [line for line in self.access_lines(client) if b'"path":"/_nginx/' in line]
            assert not wrong, f"{len(wrong)} lines show an inner path: {wrong[0]}"
