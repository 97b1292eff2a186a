"""One model in several places: chosen by priority and weight, left alone for a while when it is refused or fails, and replaced
within a call as long as nothing was answered. Own models are asked again as often as their entry says."""

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from gateway import events, write_models
from model_server import ModelServer
from service import Service
from wait import wait_for

PLACES = ("first", "second", "spare")


@pytest.fixture(scope="module")
def servers():
    with ModelServer() as first, ModelServer() as second, ModelServer() as spare:
        yield dict(zip(PLACES, (first, second, spare)))


def entry(servers, name, weights=(3, 1), **more):
    places = [{"base_url": servers[place].url + "/v1", "model": name, "weight": weight, "priority": priority}
              for place, weight, priority in (("first", weights[0], 0), ("second", weights[1], 0), ("spare", 1, 1))]
    return {"id": name, "provider": "local", "protocol": "openai", "model": name, "base_url": "http://127.0.0.1:1/v1", "timeout_seconds": 2,
            "usd_per_1000_input": 0.001, "usd_per_1000_output": 0.002, "deployments": places, **more}


@pytest.fixture(scope="module")
def live(servers, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "models.json"
    write_models(path, servers["first"].url, max_retries=2)
    rows = json.loads(path.read_text()) + [entry(servers, name) for name in ("shared", "limited", "down", "streams", "wrong", "counted")] + [
        entry(servers, "least", (1, 1), routing="least_busy", timeout_seconds=30)]
    path.write_text(json.dumps(rows))
    env = {**servers["first"].settings, "ORCH_API_BREAKER_FAILURES": "0", "ORCH_MODELS_FILE": str(path),
           "ORCH_DAILY_COST_LIMIT_USD": "1000"}
    with Service("orchestrator", env) as service:
        yield service


@pytest.fixture(autouse=True)
def forget(servers):
    for server in servers.values():
        server.reset()


def ask(live, model, **body):
    return live.post("/v1/chat/completions", {"model": model, "messages": [{"role": "user", "content": "hi"}], **body})


def asked(servers):
    return {place: len(server.calls) for place, server in servers.items()}


def test_by_weight(live, servers):
    for _ in range(80):
        assert ask(live, "shared").status_code == 200
    told = asked(servers)
    assert told["spare"] == 0 and told["first"] + told["second"] == 80 and 40 < told["first"] < 76


def test_the_least_busy(live, servers):
    """A place that takes its time gets no more while another one is free; a place that has failed counts none."""
    servers["first"].answers["least"], servers["second"].answers["least"] = "wait:8:slow", "text:quick"
    with ThreadPoolExecutor(2) as pool:
        slow = []
        while not servers["first"].calls:  # by weight among equals
            slow.append(pool.submit(ask, live, "least"))
            wait_for(lambda: slow[-1].done() or servers["first"].calls)
        before = asked(servers)
        for _ in range(5):
            assert ask(live, "least").json()["choices"][0]["message"]["content"] == "quick"
        assert not slow[-1].done() and asked(servers) == {**before, "second": before["second"] + 5}
        busy = next(part for part in live.get("/api/v1/readiness").json()["components"] if part["name"] == "execution-router")
        assert not [name for name in busy["details"]["active_by_model"] if "place" in name]
        assert slow[-1].result().status_code == 200
    servers["first"].answers["least"] = "text:free"
    wait_for(lambda: ask(live, "least").json()["choices"][0]["message"]["content"] == "free")


def test_a_place_that_refuses_is_left_alone(live, servers):
    for place in ("first", "second"):
        servers[place].answers["limited"] = "status:429:60"
    for _ in range(5):
        assert ask(live, "limited").status_code == 200
    assert asked(servers) == {"first": 1, "second": 1, "spare": 5}
    task = live.get("/api/v1/tasks?limit=1").json()[0]
    assert live.get(f"/api/v1/tasks/{task['task_id']}").json()["status"] == "succeeded"


def test_a_stream_that_has_not_begun_goes_on_elsewhere(live, servers):
    servers["first"].answers["streams"] = servers["second"].answers["streams"] = "status:500"
    servers["spare"].answers["streams"] = "text:two words"
    told = events(ask(live, "streams", stream=True))
    assert told[-1][1] == "[DONE]" and asked(servers) == {"first": 1, "second": 1, "spare": 1}
    assert "".join(c["delta"].get("content", "") for _, d in told[:-1] for c in d["choices"]) == "two words"


def test_when_all_fail_the_last_failure_is_told(live, servers):
    for server in servers.values():
        server.answers["down"] = "status:500"
    assert ask(live, "down").status_code == 503 and asked(servers) == {"first": 1, "second": 1, "spare": 1}
    for server in servers.values():
        server.answers["down"] = "text:up again"
    assert ask(live, "down").status_code == 200  # resting places are better than none


def test_a_wrong_request_is_wrong_everywhere(live, servers):
    for server in servers.values():
        server.answers["wrong"] = 'refuse:400:{"error":{"message":"too long"}}'
    assert ask(live, "wrong").status_code == 400 and Counter(asked(servers).values()) == {1: 1, 0: 2}


def test_own_models_are_asked_again(live, servers):
    servers["first"].answers["openai"] = ["status:429:1", "status:500", "text:at last"]
    begun = time.monotonic()
    assert ask(live, "at-openai").json()["choices"][0]["message"]["content"] == "at last"
    assert time.monotonic() - begun >= 1 and len(servers["first"].calls) == 3


def counted(live, name, **labels):
    """The value of a metric with these labels."""
    line = name + "{" + ",".join(f'{key}="{value}"' for key, value in sorted(labels.items())) + "} "
    return sum(float(row[len(line):]) for row in live.get("/metrics").text.splitlines() if row.startswith(line))


def test_calls_of_a_step_first_output_and_metrics_of_models(live, servers):
    """Two places fail, the third one streams: the step knows every call, its first piece, and the metrics what each call was."""
    for place in ("first", "second"):
        servers[place].answers["counted"] = "status:500"
    servers["spare"].answers["counted"] = "one two three"
    told = events(ask(live, "counted", stream=True, stream_options={"include_usage": True}))
    usage = next(d for _, d in told if d != "[DONE]" and d.get("usage"))
    task = live.get(f"/api/v1/tasks/{usage['orch']['task_id']}").json()
    step = task["steps"][0]
    assert step["started_at"] <= step["first_output_at"] <= step["completed_at"]
    calls = next(e for e in task["events"] if e["event_type"] == "step.completed")["payload"]["details"]["calls"]
    assert [c["failure_code"] for c in calls] == ["provider_unavailable", "provider_unavailable", None]
    assert all(a["completed_at"] <= b["started_at"] for a, b in zip(calls, calls[1:])) and calls[0]["first_output_at"] is None
    assert calls[2]["first_output_at"] == step["first_output_at"] and calls[2]["started_at"] == step["started_at"]
    model = {"model_id": "counted", "provider": "local"}
    assert counted(live, "orch_model_calls_total", **model, status="failed") == 2
    assert counted(live, "orch_model_calls_total", **model, status="succeeded") == 1
    assert counted(live, "orch_model_errors_total", **model, failure_code="provider_unavailable") == 2
    for kind, count in (("input", usage["usage"]["prompt_tokens"]), ("output", usage["usage"]["completion_tokens"])):
        assert count > 0 and counted(live, "orch_model_tokens_total", **model, kind=kind) == count
    assert counted(live, "orch_model_cost_usd_total", **model) == pytest.approx(sum(c["cost_usd"] or 0 for c in calls))
    assert counted(live, "orch_model_call_duration_seconds_count", model_id="counted") == 3
    assert counted(live, "orch_model_first_output_seconds_count", model_id="counted") == 1


def test_a_whole_answer_has_no_first_output(live):
    task_id = ask(live, "shared").json()["orch"]["task_id"]
    step = live.get(f"/api/v1/tasks/{task_id}").json()["steps"][0]
    assert step["first_output_at"] is None and step["started_at"] < step["completed_at"]
    assert counted(live, "orch_model_calls_total", model_id="shared", provider="local", status="succeeded") >= 1
    assert counted(live, "orch_model_first_output_seconds_count", model_id="shared") == 0
