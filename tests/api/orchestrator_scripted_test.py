"""The browser's adapter without a browser: the scripted driver, the null driver, and how much may be submitted."""

import pytest

from service import Service

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


def test_somebody_who_is_not_signed_in_is_told_so():
    with Service("orchestrator", {**SCRIPTED, "ORCH_BROWSER_SCRIPTED_LOGGED_IN": "false"}) as service:
        answer = ask(service, "Kimi K2", metadata={"trace_id": "auth-trace-1"})
        detail = answer.json()["detail"]
        assert answer.status_code == 503 and answer.headers["x-trace-id"] == "auth-trace-1"
        assert (detail["code"], detail["message"]) == ("model_auth_required", "Scripted browser session is logged out.")
        task = service.get(f"/api/v1/tasks/{detail['task_id']}").json()
        assert (task["status"], task["failure_code"]) == ("failed", "auth_failed")
        assert [event["event_type"] for event in task["events"]] == ["task.accepted", "step.failed", "task.failed"]
        assert component(service, "browser.web_provider")["status"] == "model_auth_required"


def test_without_a_driver_calls_fail_and_open_the_breaker():
    with Service("orchestrator", {**SCRIPTED, "ORCH_BROWSER_AUTOMATION_BACKEND": "null"}) as service:
        words = [failure(ask(service, "Best").json())[1] for _ in range(4)]
        assert words[:3] == 3 * ["Browser automation driver is not configured."]
        assert words[3].startswith("Adapter 'browser.web_provider' circuit breaker is open after 3 consecutive failures.")
