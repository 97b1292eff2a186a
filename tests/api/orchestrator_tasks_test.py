"""Tasks as they are kept: lists, details, export, retry; models and analytics; health in all its forms."""

import hashlib
import json
import re
from datetime import datetime

import pytest

from model_server import ModelServer
from wait import wait_for
from service import ENGINES, Service

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module", params=ENGINES)
def live(request, models, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "models.json"
    path.write_text(json.dumps([{"id": "narrow", "provider": "local", "protocol": "openai", "model": "narrow",
                                 "base_url": models.url + "/v1", "concurrency_limit": 4}]))
    env = {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "0",
           "ORCH_MODELS_FILE": str(path)}
    with Service("orchestrator", env, request.param) as service:
        yield service


@pytest.fixture(autouse=True)
def forget(models):
    models.reset()


def ask(service, **body):
    return service.post("/api/v1/orchestrate", {"prompt": "hello", "model": "gpt-5-4-api", **body}).json()


class TestDetail:
    def test_a_succeeded_task(self, live, models):
        models.answers["gpt-5.4"] = "text:yes"
        told = ask(live, metadata={"a": 1.0, "trace_id": "t"}, session_id="s")
        task = live.get(f"/api/v1/tasks/{told['task_id']}").json()
        for key in ("task_id", "status", "accepted_at", "completed_at", "duration_ms", "execution_mode", "adapter_name",
                    "model", "requested_models", "output_text", "trace_id", "results"):
            assert task[key] == told[key], key
        assert task["prompt"] == "hello" and task["metadata"] == {"a": 1.0, "trace_id": "t"}
        assert (task["winning_step_index"], task["cancelled_steps"], task["session_id"]) == (1, [], "s")
        assert [e["event_type"] for e in task["events"]] == ["task.accepted", "step.completed", "task.completed"]
        assert [e["sequence_no"] for e in task["events"]] == [1, 2, 3] and task["events_total"] == 3
        [step] = task["steps"]
        assert task["accepted_at"] <= step["started_at"] <= step["completed_at"] <= task["completed_at"]
        assert (step["started_at"], step["completed_at"]) == tuple(told["results"][0][k] for k in ("started_at", "completed_at"))
        assert (step["backend"], step["provider"], step["output_text"]) == ("api", "openai", "yes")
        plan = task["events"][0]["payload"]["execution_plan"]
        assert plan["steps"] == [{"step_index": 1, "model_id": "gpt-5-4-api", "display_name": "GPT-5.4 API",
                                  "backend": "api", "provider": "openai"}]
        assert task["execution_details"]["completed_step_count"] == 1

    def test_steps_have_times_of_their_own(self, live, models):
        models.answers["narrow"] = "wait:0.2:yes"
        prompts = [str(number) for number in range(5)]  # one more than the model has places
        told = live.post("/api/v1/batch", {"prompts": prompts, "model": "narrow"}).json()
        steps = live.get(f"/api/v1/tasks/{told['task_id']}").json()["steps"]
        moments = [[datetime.fromisoformat(step[key]) for key in ("started_at", "completed_at")] for step in steps]
        assert moments[4][0] >= min(end for _, end in moments[:4]) and max(begin for begin, _ in moments[:4]) < moments[4][0]
        for step, (begin, end) in zip(steps, moments):
            assert abs((end - begin).total_seconds() * 1000 - step["duration_ms"]) < 50

    def test_pages_of_events_keep_the_end(self, live, models):
        task_id = ask(live)["task_id"]
        task = live.get(f"/api/v1/tasks/{task_id}?events_limit=1&events_offset=1").json()
        assert [e["sequence_no"] for e in task["events"]] == [2] and task["events_total"] == 3
        assert task["winning_step_index"] == 1

    def test_a_failed_task(self, live, models):
        models.answers["gpt-5.4"] = "status:500"
        task = live.get(f"/api/v1/tasks/{ask(live)['task_id']}").json()
        assert [e["event_type"] for e in task["events"]] == ["task.accepted", "step.failed", "task.failed"]
        assert task["failure_code"] == "provider_unavailable" and task["execution_details"]["failed_step_count"] == 1
        assert task["events"][2]["payload"]["failed_steps"][0]["failure_code"] == "provider_unavailable"

    def test_a_dry_run_has_no_steps(self, live):
        task = live.get(f"/api/v1/tasks/{ask(live, dry_run=True)['task_id']}").json()
        assert task["steps"] == [] and [e["event_type"] for e in task["events"]] == ["task.accepted"]
        assert task["adapter_name"] == "dry_run" and task["model"] is None and "results" not in task

    def test_long_outputs_are_cut_when_shown(self, live, models):
        models.answers["gpt-5.4"] = "text:" + "é" * 20001
        [step] = live.get(f"/api/v1/tasks/{ask(live)['task_id']}").json()["steps"]
        assert len(step["output_text"]) == 20000 and step["output_truncated"]

    def test_what_is_not_there(self, live):
        answer = live.get("/api/v1/tasks/00000000-0000-4000-8000-000000000000")
        assert (answer.status_code, answer.json()["detail"]) == (404, "Task not found")
        for bad in ("x", "00000000-0000-4000-8000-00000000000G", "00000000000040008000000000000000"):
            answer = live.get(f"/api/v1/tasks/{bad}")
            assert answer.status_code == 422 and answer.json()["detail"].startswith("path.task_id: ")

    def test_export(self, live, models):
        models.answers["gpt-5.4"] = "text:the output"
        answer = live.get(f"/api/v1/tasks/{ask(live)['task_id']}/export")
        assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
        assert re.fullmatch(r"---\ntask_id: \S+\nstatus: succeeded\naccepted_at: \S+Z\nduration_ms: \d+\nmodel_count: 1\n"
                            r"dry_run: false\n---\n\n## Prompt\n\nhello\n\n## Output\n\nthe output\n", answer.text)


class TestRetry:
    def test_a_failed_task_again(self, live, models):
        models.answers["gpt-5.4"] = "status:500"
        models.answers["claude-sonnet-4-6-20250514"] = "status:500"
        names = ["gpt-5-4-api", "claude-sonnet-4-6-api"]
        first = live.post("/api/v1/orchestrate", {"prompt": "again", "models": names, "quorum": 2, "decompose": False,
                                                  "session_id": "s", "metadata": {"k": "v"}}).json()
        models.answers["gpt-5.4"] = "text:now"
        models.answers["claude-sonnet-4-6-20250514"] = "text:too"
        second = live.post(f"/api/v1/tasks/{first['task_id']}/retry").json()
        assert second["status"] == "succeeded" and second["task_id"] != first["task_id"]
        assert [m["id"] for m in second["requested_models"]] == names
        task = live.get(f"/api/v1/tasks/{second['task_id']}").json()
        assert task["retry_of_task_id"] == first["task_id"] and task["session_id"] == "s"
        assert task["metadata"] == {"k": "v"} and task["quorum"] == 2

    def test_a_succeeded_one_is_not(self, live, models):
        answer = live.post(f"/api/v1/tasks/{ask(live)['task_id']}/retry")
        assert answer.status_code == 409
        assert answer.json()["detail"] == ("Only failed or cancelled tasks can be retried. Current status: succeeded")


class TestList:
    def test_filters(self, live, models):
        models.answers["gpt-5.4"] = "status:429"
        failed = ask(live, prompt="Größe 100%_x")["task_id"]
        dry = ask(live, dry_run=True)["task_id"]

        def ids(query=""):
            return [t["task_id"] for t in live.get(f"/api/v1/tasks?limit=100&{query}").json()]

        assert ids()[:2] == [dry, failed]
        assert dry in ids("dry_run=true") and failed not in ids("dry_run=true")
        assert failed in ids("failure_code=rate_limited") and dry not in ids("failure_code=rate_limited")
        assert dry in ids("execution_mode=dry-run&status=completed") and failed in ids("execution_mode=api&status=failed")
        assert failed in ids("prompt_contains=gr%C3%96SSE") and ids("prompt_contains=0%25_X")[0] == failed
        assert ids("prompt_contains=%25%25") == [] and ids("prompt_contains=") == ids()
        at = live.get(f"/api/v1/tasks/{dry}").json()["accepted_at"]
        assert dry not in ids(f"before={at}") and failed in ids(f"before={at}") and ids("before=") == ids()

    def test_items(self, live, models):
        models.answers["gpt-5.4"] = "text:x"
        ask(live, prompt="p" * 300)
        [item] = live.get("/api/v1/tasks?limit=1").json()
        assert item["prompt_preview"] == "p" * 120 and item["model"]["id"] == "gpt-5-4-api"
        assert item["requested_models"] == [{"id": "gpt-5-4-api", "display_name": "GPT-5.4 API"}]
        assert item["cancelled_step_count"] == 0 and item["cost_usd"] > 0

    @pytest.mark.parametrize("query, field", [("limit=0", "limit"), ("limit=101", "limit"), ("limit=", "limit"),
                                              ("status=x", "status"), ("status=", "status"), ("dry_run=maybe", "dry_run"),
                                              ("before=yesterday", "before"), ("failure_code=x", "failure_code")])
    def test_bad_queries(self, live, query, field):
        answer = live.get(f"/api/v1/tasks?{query}")
        assert answer.status_code == 422 and answer.json()["detail"].startswith(f"query.{field}: "), answer.text


class TestModels:
    def test_api_only_knows_no_menu(self, live):
        answer = live.get("/api/v1/models").json()
        assert answer["source"] == "api-static"
        assert [m["id"] for m in answer["models"]] == ["gpt-5-4-api", "claude-sonnet-4-6-api", "narrow"]
        assert {m["availability_status"] for m in answer["models"]} == {"static"}
        assert "refreshed_at" in live.post("/api/v1/models/refresh").json()

    def test_the_menu_in_dry_run(self):
        with Service("orchestrator") as service:
            answer = service.get("/api/v1/models").json()
            assert answer["source"] == "dry-run-static" and len(answer["models"]) == 11
            sonar = next(m for m in answer["models"] if m["id"] == "sonar")
            assert (sonar["expected_latency_class"], sonar["reasoning_capable"]) == ("fast", False)
            assert service.get("/api/v1/analytics").json() == {
                "total_models": 0, "total_executions": 0, "models": [], "top_models": []}

    def test_analytics(self, live, models):
        models.answers["claude-sonnet-4-6-20250514"] = "status:500"
        ask(live, model="claude-sonnet-4-6-api")
        rows = {r["model_id"]: r for r in live.get("/api/v1/analytics").json()["models"]}
        row = rows["claude-sonnet-4-6-api"]
        assert row["failed"] >= 1 and row["success_rate"] == round(row["successful"] / row["total_executions"], 3)


class TestHealth:
    def test_forms(self, live):
        assert live.get("/healthz/live").json() == live.get("/healthz/ready").json() == {"status": "ok"}
        health = live.get("/health").json()
        assert health["status"] == "ok" and health["service"] == "orch" and health["saturated_models"] == []
        detailed = live.get("/api/v1/health/detailed").json()
        assert detailed["status"] == "healthy" and detailed["total_adapters"] == 2

    def test_readiness(self, live, request):
        ready = live.get("/api/v1/readiness").json()
        parts = {c["name"]: c for c in ready["components"]}
        assert set(parts) == {"storage", "execution-router", "dry_run", "api.openai", "api.anthropic",
                              "browser.web_provider"}
        assert ready["status"] == "ok" and ready["execution_profile"] == "api-only"
        schema = parts["storage"]["details"]["schema"]
        assert schema["status"] == "ok" and schema["missing_tables"] == [] and schema["migrations_pending"] == []
        assert schema["migrations_available"][:2] == ["0001_initial", "0002_add_retry_of_task_id"]
        router = parts["execution-router"]["details"]
        assert router["model_limits"]["gpt-5-4-api"] == 256 and router["spend"]["limit"] == 1000.0

    def test_the_browser_is_shown_whichever_driver_is_chosen(self, live):
        parts = {c["name"]: c["details"] for c in live.get("/api/v1/readiness").json()["components"]}
        browser = parts["browser.web_provider"]
        assert browser["session"] == {
            "status": "degraded", "provider": "web_provider", "configured": False, "active": False, "base_url": None,
            "last_error": "Browser automation driver is not configured."}
        assert browser["automation"] == {"status": "degraded", "implemented": False, "driver": "null", "launched": False,
                                         "reason": "Browser automation driver is not configured."}
        breaker = browser["circuit_breaker"]
        assert (breaker["state"], breaker["enabled"], breaker["consecutive_failures"]) == ("closed", True, 0)

    def test_metrics_on_both_paths(self, live, models):
        models.answers["gpt-5.4"] = "status:429"
        ask(live)
        for path in ("/metrics", "/api/metrics"):
            answer = live.get(path)
            assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            text = answer.text
            assert 'orch_readiness_state{status="ok"} 1' in text
            assert 'orch_execution_model_limit{model_id="gpt-5-4-api"} 256' in text
            assert 'orch_component_state{kind="storage",name="storage",required="true",status="ok"} 1' in text
            assert 'orch_adapter_errors_total{adapter="api.openai",failure_code="rate_limited"}' in text
            assert 'orch_browser_circuit_breaker_state{adapter_name="browser.web_provider",state="closed"} 1' in text
        for line in text.splitlines():
            assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [-+.\de]+', line), line
        buckets = wait_for(lambda: [float(m) for m in re.findall(  # requests are counted behind their answers
            r'orch_http_request_duration_seconds_bucket\{endpoint="/api/v1/orchestrate",le="[^"]+"\} (\S+)',
            live.get("/metrics").text)])
        assert buckets == sorted(buckets) and len(buckets) == 12


KEY = {"ORCH_API_KEY": "the-key-of-the-tests"}
PUBLIC = ["/health", "/healthz/live", "/healthz/ready", "/openapi.json"]
MISSING_FILES = ["/nothing.html", "/js/nothing.js", "/css/a/nothing.css", "/icons/nothing.png"]
PROTECTED = ["/jsx/nothing.js", "/a/nothing.html", "/metrics", "/api/metrics", "/api/v1/readiness", "/api/v1/health/detailed", "/api/v1/tasks", "/api/v1/models",
             "/api/v1/analytics", "/api/v1/nothing", "/nothing", "/healthz", "/api/v1/x.html"]


def test_with_a_key_only_the_public_list_is_open():
    with Service("orchestrator", KEY) as service:
        for path in PUBLIC:
            assert service.get(path).status_code == 200, path
        for path in MISSING_FILES:
            answer = service.get(path)
            assert (answer.status_code, answer.json()["detail"]) == (404, "Not Found"), path
            assert service.post(path, {}).status_code == 401, path
        for path in PROTECTED:
            answer = service.get(path)
            assert (answer.status_code, answer.json()["detail"]) == (401, "Invalid or missing API key."), path
            assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["X-Request-ID"]
        for headers in ({"X-API-Key": "the-key-of-the-tests"}, {"Authorization": "Bearer the-key-of-the-tests"},
                        {"Authorization": "bearer the-key-of-the-tests"},  # schemes have no case (RFC 9110)
                        {"Authorization": "Bearer wrong", "X-API-Key": "the-key-of-the-tests"}):
            assert service.get("/api/v1/tasks", headers=headers).status_code == 200
        for headers in ({"X-API-Key": "wrong"}, {"Authorization": "the-key-of-the-tests"}, {"X-API-Key": "sch\u00fcssel".encode()}):
            assert service.get("/api/v1/tasks", headers=headers).status_code == 401
        assert service.post("/api/v1/orchestrate", {"prompt": 5}).status_code == 401
        assert service.get("/nothing", headers={"X-API-Key": "the-key-of-the-tests"}).json()["detail"] == "Not Found"


def test_the_volatile_backend_has_no_schema():
    with Service("orchestrator", {"ORCH_STORAGE_BACKEND": "memory"}) as service:
        parts = {c["name"]: c for c in service.get("/api/v1/readiness").json()["components"]}
        details = parts["storage"]["details"]
        assert details["schema"] == {"backend": "memory", "schema_version": "not_applicable", "status": "ok"}
        assert details["schema_version"] == "not_applicable" and details["model_catalog_present"] is False
        assert details["task_count"] == 0 and parts["storage"]["status"] == "ok"


def test_a_local_limit_when_one_is_set():
    with Service("orchestrator", {"ORCH_RATE_LIMIT_RPM": "3", "ORCH_RATE_LIMIT_BURST": "2"}) as service:
        statuses = [service.get("/api/v1/models").status_code for _ in range(6)]
        assert statuses == [200] * 5 + [429]
        answer = service.get("/api/v1/models")
        assert answer.headers["Retry-After"] == "60"
        body = answer.json()
        assert body.pop("request_id") and body == {
            "type": "about:blank", "title": "Too Many Requests", "status": 429,
            "detail": "Rate limit exceeded: 3 requests/minute allowed."}
        assert service.get("/health").status_code == 200


def test_usage_lines(tmp_path):
    path = tmp_path / "logs" / "usage.jsonl"
    with Service("orchestrator", {"ORCH_USAGE_TELEMETRY_ENABLED": "true", "ORCH_USAGE_TELEMETRY_PATH": str(path)}) as service:
        body = b'{"prompt":"a planted secret"}'
        answer = service.send("POST", "/api/v1/orchestrate", data=body, headers={"X-Request-ID": "r-1"})
        service.get(f"/api/v1/tasks/{answer.json()['task_id']}")
        service.get("/api/v1/nothing")
        sent = service.session.post(service.url + "/api/v1/orchestrate/upload", data={"prompt": "planted"},
                                    files=[("files", ("a.txt", b"x" * 100000, "text/plain"))])
        assert sent.status_code == 200, sent.text
        wait_for(lambda: path.read_text().count("\n") >= 4)
    assert "planted" not in path.read_text()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    mine = {line["endpoint"]: line for line in lines}
    assert list(mine["/api/v1/nothing"]) == ["ts", "endpoint", "method", "status", "duration_ms", "request_id", "prompt_hash"]
    asked = mine["/api/v1/orchestrate"]
    assert (asked["method"], asked["status"], asked["request_id"]) == ("POST", 200, "r-1")
    assert asked["prompt_hash"] == hashlib.sha256(body).hexdigest()
    assert mine["/api/v1/orchestrate/upload"]["prompt_hash"] == hashlib.sha256(sent.request.body).hexdigest()
    assert mine["/api/v1/tasks/{id}"]["prompt_hash"] is None and mine["/api/v1/nothing"]["status"] == 404
