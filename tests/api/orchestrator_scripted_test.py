"""The browser's adapter without a browser: the scripted driver, the null driver, and how much may be submitted."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from service import Service

BUILD = Path(os.environ.get("ASSAY_BUILD_DIR", "build")).resolve()
ROOT = Path(__file__).resolve().parents[2]
SCRIPTED = {"ORCH_EXECUTION_PROFILE": "hybrid", "ORCH_BROWSER_ENABLED": "true",
            "ORCH_BROWSER_AUTOMATION_BACKEND": "scripted", "ORCH_BROWSER_PROFILE_DIR": "/nowhere/profile"}


@pytest.fixture(scope="module")
def service():
    with Service("orchestrator", {**SCRIPTED, "ORCH_MAX_BROWSER_SUBMITS_PER_TASK": "3",
                                  "ORCH_MAX_BROWSER_SUBMITS_PER_HOUR": "5"}) as running:
        yield running


def ask(service, *models, **body):
    return service.post("/api/v1/orchestrate", {"prompt": "hello", "models": list(models), "quorum": len(models),
                                                "cancel_on_quorum": False, **body})


def component(service, name):
    parts = service.get("/api/v1/readiness").json()["components"]
    return next(part for part in parts if part["name"] == name)


def failure(task):
    return task["results"][-1]["failure_code"], task["results"][-1]["failure_message"]


def test_submits_of_a_task_and_of_the_hour_have_a_limit(service):
    task = ask(service, "Best", "Sonar", "Kimi K2.5", "Max").json()
    assert [step["status"] for step in task["results"]] == 3 * ["succeeded"] + ["failed"]
    assert failure(task) == ("rate_limited", "Request budget exceeded (per_task): task_submits=3, hourly_submits=3")
    assert ask(service, "Best", "Sonar").json()["status"] == "succeeded"
    task = ask(service, "Best").json()
    assert failure(task) == ("rate_limited", "Request budget exceeded (per_hour): task_submits=0, hourly_submits=5")
    event = service.get(f"/api/v1/tasks/{task['task_id']}").json()["events"][1]
    details = event["payload"]["details"]
    assert details["budget_exceeded_kind"] == "per_hour"
    assert details["budget_usage"] == {"task_submits": 0, "hourly_submits": 5}
    assert component(service, "execution-router")["details"]["budget"] == {
        "per_task_limit": 3, "per_hour_limit": 5, "active_task_counts": {}, "hourly_submits": 5}
    breaker = component(service, "browser.web_provider")["details"]["circuit_breaker"]
    assert (breaker["state"], breaker["consecutive_failures"]) == ("closed", 0)


def smoke(service, *arguments, key=""):
    environment = {"PATH": os.environ["PATH"], "ASSAY_SQL_DIR": str(ROOT / "sql"), "ORCH_API_KEY": key}
    done = subprocess.run([BUILD / "cron-bin/orch-smoke", "--base-url", service.url, *map(str, arguments)], env=environment,
                          capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def test_a_smoke_test_tells_answers_from_failures(tmp_path):
    text = "word " * 120
    (tmp_path / "note.txt").write_text("A note.")
    with Service("orchestrator", {**SCRIPTED, "ORCH_API_KEY": "planted", "ORCH_BROWSER_SCRIPTED_OUTPUT_TEXT": text}) as service:
        for pattern, *more in (["smart"], ["debate"], ["compare"], ["upload", "--attachment", tmp_path / "note.txt"]):
            code, told = smoke(service, "--pattern", pattern, "--outdir", tmp_path / "out", "--tag", pattern, *more, key="planted")
            assert (code, told["status"], told["problems"]) == (0, "ok", []), told
            assert Path(told["output"]).parent == tmp_path / "out" and text.strip() in Path(told["output"]).read_text()
        code, told = smoke(service, "--pattern", "smart")
        assert (code, told["http_status"], told["problems"][0]) == (1, 401, "Status 401.")
        code, told = smoke(service, "--pattern", "consensus", key="planted")  # no embeddings
        assert (code, told["http_status"]) == (1, 503)
    code, told = smoke(service, "--pattern", "smart")
    assert code == 1 and told["problems"] == ["No answer: unreachable."]
    for wrong in (["--pattern", "haste"], [], ["--pattern", "upload"], ["--pattern", "smart", "--timeout", "0"], ["--dsn", "x"]):
        assert smoke(service, *wrong)[0] == 2


def test_somebody_who_is_not_signed_in_is_told_so():
    with Service("orchestrator", {**SCRIPTED, "ORCH_BROWSER_SCRIPTED_LOGGED_IN": "false"}) as service:
        answer = ask(service, "Kimi K2", metadata={"trace_id": "auth-trace-1"})
        detail = answer.json()["detail"]
        assert answer.status_code == 503 and answer.headers["x-trace-id"] == "auth-trace-1"
        assert (detail["code"], detail["message"]) == ("model_auth_required", "Scripted browser session is logged out.")
        task = service.get(f"/api/v1/tasks/{detail['task_id']}").json()
        assert (task["status"], task["failure_code"]) == ("failed", "auth_failed")
        assert [event["event_type"] for event in task["events"]] == ["task.accepted", "step.failed", "task.failed"]
        assert task["events"][1]["payload"]["details"] == {"provider": "web_provider", "configured": True, "active": False}
        browser = component(service, "browser.web_provider")
        assert browser["status"] == "model_auth_required"
        assert browser["details"]["session"]["last_error"] == "Scripted browser session is logged out."
        assert browser["details"]["automation"] == {"status": "ok", "implemented": True, "driver": "scripted",
                                                    "logged_in": False, "launched": False, "reason": None}
        assert browser["details"]["circuit_breaker"]["state"] == "closed"


def test_without_a_driver_calls_fail_and_open_the_breaker():
    with Service("orchestrator", {**SCRIPTED, "ORCH_BROWSER_AUTOMATION_BACKEND": "null"}) as service:
        words = [failure(ask(service, "Best").json())[1] for _ in range(4)]
        assert words[:3] == 3 * ["Browser automation driver is not configured."]
        assert words[3].startswith("Adapter 'browser.web_provider' circuit breaker is open after 3 consecutive failures.")
