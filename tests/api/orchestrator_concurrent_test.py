"""Calls side by side in one process: many wait together, one more than the limit is refused at once, and whatever happens
to the process (killed, stopped, replaced) each task ends once and no place is lost."""

import json
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from model_server import ModelServer
from service import ENGINES, Service
from wait import wait_for

CHAT = "/v1/chat/completions"
MANY = 200


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


def settings(models, path, **more):
    catalog = [{"id": model, "provider": "own", "protocol": "openai", "model": model, "base_url": models.url + "/v1",
                "timeout_seconds": 30, "concurrency_limit": limit, "usd_per_1000_input": 0.001, "usd_per_1000_output": 0.002}
               for model, limit in (("wide", 1000), ("narrow", 3))]
    path.write_text(json.dumps(catalog))
    return {**models.settings, "ORCH_MODELS_FILE": str(path), "ORCH_DAILY_COST_LIMIT_USD": "1000",
            "ASSAY_CONNECTIONS_PER_CLIENT": "0", "ASSAY_WORKERS_ORCHESTRATOR_STREAMS": "1", **more}


def chat(service, model="wide", prompt="hi", stream=False):
    return requests.post(service.url + CHAT, timeout=60, stream=stream, json={
        "model": model, "stream": stream, "messages": [{"role": "user", "content": prompt}]})


def crowd(service, count, **arguments):
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda number: chat(service, prompt=f"question {number}", **arguments), range(count)))


def router(service):
    parts = service.get("/api/v1/readiness").json()["components"]
    return next(c["details"] for c in parts if c["name"] == "execution-router")


def ended_tasks(service):
    """All tasks, when none runs any more and every place is free."""
    def is_settled():
        service.get("/api/v1/models")  # whoever answers looks for abandoned tasks, now and then
        found = router(service)
        return not service.get("/api/v1/tasks?status=accepted").json() and not found["active_model_executions"] \
            and not found["waiting_by_model"] and not found["spend"]["held_usd"]

    wait_for(is_settled, lambda: str(router(service)), 90)
    statuses, before = [], ""
    while page := service.get(f"/api/v1/tasks?limit=100&before={before}").json():
        statuses += [task["status"] for task in page]
        before = page[-1]["accepted_at"]
    return statuses


@pytest.mark.parametrize("engine", ENGINES)
def test_one_process_carries_many_calls(models, tmp_path, engine):
    models.answers["wide"] = "wait:2:a fine answer"
    with Service("orchestrator", settings(models, tmp_path / "models.json"), engine) as service:
        started = time.monotonic()
        answers = crowd(service, MANY)
        assert {a.status_code for a in answers} == {200}
        assert time.monotonic() - started < 2 * MANY / 8  # with 8 workers of one request each it took that long
        assert len({a.json()["id"] for a in answers}) == MANY
        assert len(service.stack.workers("orchestrator-streams")) == 1
        assert ended_tasks(service) == ["succeeded"] * MANY
        before = service.stack.workers("orchestrator-streams")
        service.stack.run("reload")
        wait_for(lambda: not set(before) & set(service.stack.workers("orchestrator-streams")))
        assert "fiber_stack_small" not in service.stack.logs(), "a request used more than half of its stack"


def test_answers_are_not_mixed_up(models, tmp_path):
    """Each stream gets its own words, in its own process of thoughts."""
    models.answers["wide"] = lambda prompt: f"text:this is for {prompt}"
    with Service("orchestrator", settings(models, tmp_path / "models.json")) as service, ThreadPoolExecutor(40) as pool:
        def one(number):
            with chat(service, prompt=f"number {number}", stream=True) as answer:
                pieces = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith(b"data: {")]
            return "".join(c["delta"].get("content") or "" for piece in pieces for c in piece["choices"])

        assert list(pool.map(one, range(120))) == [f"this is for number {n}" for n in range(120)]


def test_calls_wait_in_line_for_their_model(models, tmp_path):
    models.answers["narrow"] = "wait:0.2:a fine answer"
    models.most = 0
    with Service("orchestrator", settings(models, tmp_path / "models.json")) as service:
        answers = crowd(service, 30, model="narrow")
        assert {a.status_code for a in answers} == {200}
        assert models.most <= 3
        assert ended_tasks(service) == ["succeeded"] * 30


def test_one_more_than_the_limit_is_refused_at_once(models, tmp_path):
    models.answers["wide"] = "wait:4:a fine answer"
    with Service("orchestrator", settings(models, tmp_path / "models.json", ASSAY_CONCURRENT_REQUESTS="5")) as service:
        with ThreadPoolExecutor(5) as pool:
            running = [pool.submit(chat, service) for _ in range(5)]
            wait_for(lambda: router(service)["active_model_executions"] == 5)
            started = time.monotonic()
            refused = chat(service)
            assert time.monotonic() - started < 2
            assert refused.status_code == 503 and int(refused.headers["Retry-After"]) >= 1
            assert refused.json()["error"]["message"]
            assert {each.result().status_code for each in running} == {200}
        assert chat(service).status_code == 200


def test_the_memory_of_all_requests_has_a_limit(models, tmp_path):
    models.answers["wide"] = "wait:3:a fine answer"
    env = settings(models, tmp_path / "models.json", ASSAY_CONCURRENT_MEMORY_BYTES="16777216",
                   ORCH_MAX_REQUEST_BODY_BYTES="1000000")
    with Service("orchestrator", env) as service, ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(lambda _: chat(service, prompt="x" * 900_000), range(40)))
        assert {a.status_code for a in answers} == {200, 503}
        assert all("Retry-After" in a.headers for a in answers if a.status_code == 503)
        wait_for(lambda: chat(service).status_code == 200)


def test_who_leaves_ends_only_the_own_call(models, tmp_path):
    models.answers["wide"] = lambda prompt: "stall:20" if prompt == "leaves" else "wait:2:a fine answer"
    with Service("orchestrator", settings(models, tmp_path / "models.json")) as service, ThreadPoolExecutor(10) as pool:
        staying = [pool.submit(chat, service) for _ in range(9)]
        with pytest.raises(requests.Timeout):
            requests.post(service.url + CHAT, timeout=0.5, json={
                "model": "wide", "messages": [{"role": "user", "content": "leaves"}]})
        wait_for(lambda: router(service)["active_model_executions"] <= 9, seconds=5)
        assert {each.result().status_code for each in staying} == {200}
        assert sorted(ended_tasks(service)) == ["cancelled"] + ["succeeded"] * 9


@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_process_loses_no_place_and_no_cent(models, tmp_path, engine):
    models.answers["wide"] = models.answers["narrow"] = "wait:1:a fine answer"
    env = settings(models, tmp_path / "models.json", ORCH_ORCHESTRATE_TIMEOUT_SECONDS="4",
                   ASSAY_WORKERS_ORCHESTRATOR_STREAMS="2")
    with Service("orchestrator", env, engine) as service:
        models.billed_nano = 0
        stop = threading.Event()

        def kill():
            while not stop.wait(1.5):
                for pid in service.stack.workers("orchestrator-streams")[:1]:
                    os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        with ThreadPoolExecutor(60) as pool:
            statuses = list(pool.map(lambda number: chat(service, model="narrow" if number % 10 == 0 else "wide").status_code,
                                     range(400)))
        stop.set()
        killer.join()
        assert statuses.count(200) > 100 and statuses.count(502) > 0
        tasks = ended_tasks(service)
        assert set(tasks) <= {"succeeded", "failed"} and len(tasks) >= statuses.count(200)
        assert round(router(service)["spend"]["usd"] * 1e9) >= models.billed_nano


def test_a_process_that_hangs_is_replaced(models, tmp_path):
    models.answers["wide"] = "wait:0.1:a fine answer"
    env = settings(models, tmp_path / "models.json", ASSAY_CONCURRENT_HANG_SECONDS="2")
    with Service("orchestrator", env) as service:
        (pid,) = service.stack.workers("orchestrator-streams")
        os.kill(pid, signal.SIGSTOP)
        wait_for(lambda: service.stack.workers("orchestrator-streams") not in ([], [pid]), seconds=20)
        assert chat(service).status_code == 200
        assert "workers_killed" in service.stack.logs()


def test_a_reload_lets_calls_end(models, tmp_path):
    models.answers["wide"] = "wait:5:a fine answer"
    with Service("orchestrator", settings(models, tmp_path / "models.json")) as service, ThreadPoolExecutor(21) as pool:
        before = service.stack.workers("orchestrator-streams")
        running = [pool.submit(chat, service) for _ in range(20)]
        wait_for(lambda: router(service)["active_model_executions"] == 20)
        assert service.stack.run("reload").returncode == 0
        models.answers["wide"] = "text:a fine answer"
        assert chat(service).status_code == 200
        assert {each.result().status_code for each in running} == {200}
        wait_for(lambda: not set(before) & set(service.stack.workers("orchestrator-streams")), seconds=20)
