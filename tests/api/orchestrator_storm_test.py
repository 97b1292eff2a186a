"""Many orchestrations over eight models that misbehave at random (with a fixed seed): every task ends once, every place
comes back, what is booked is what the providers counted, or more where they did not tell, and the limit of the day holds; then the same with workers
killed all the time. ASSAY_TEST_SOAK=1 makes it five thousand."""

import json
import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from model_server import ModelServer
from service import Service

ROUNDS, KILLED_ROUNDS = (5000, 2500) if os.environ.get("ASSAY_TEST_SOAK") else (300, 80)
BEHAVIOURS = ["text:a fine answer"] * 12 + ["wait:0.05:late but fine"] * 4 + [
    "status:401", "status:429:1", "status:500", "nonsense", "empty", "huge", "close", "stall:1.6", "cut:half an answer",
    "fault:half an answer", "hang:half an answer"]
MODELS = [f"model-{i}" for i in range(8)]
DEADLINE = 6


def behave(prompt):
    """The same prompt to the same model meets the same behaviour."""
    return random.Random(prompt).choice(BEHAVIOURS)


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        for i, model in enumerate(MODELS):
            server.answers[model] = lambda prompt, salt=i: behave(f"{salt} {prompt}")
        yield server


def settings(models, path, limit):
    catalog = [{"id": model, "provider": "anthropic" if i % 2 else "openai",
                "protocol": "anthropic" if i % 2 else "openai", "model": model,
                "base_url": models.url if i % 2 else models.url + "/v1", "timeout_seconds": 1, "concurrency_limit": 3,
                "usd_per_1000_input": 0.003 if i % 2 else 0.005, "usd_per_1000_output": 0.015}
               for i, model in enumerate(MODELS)]
    path.write_text(json.dumps(catalog))
    return {**models.settings, "ORCH_MODELS_FILE": str(path), "ORCH_DAILY_COST_LIMIT_USD": str(limit),
            "ORCH_API_BREAKER_FAILURES": "0", "ORCH_ORCHESTRATE_TIMEOUT_SECONDS": str(DEADLINE),
            "ORCH_STREAM_SILENCE_SECONDS": "1", "ORCH_MAX_ANSWER_TOKENS": "64", "ORCH_MAX_ANSWER_BYTES": "1000000"}


def order(number):
    chosen = random.Random(number).sample(MODELS, 1 + number % 4)
    return {"prompt": f"question number {number} of the storm", "models": chosen, "quorum": len(chosen),
            "cancel_on_quorum": False, "merge_strategy": "concat", "decompose": False}


def storm(service, count, tolerant=False):
    """Every fourth is a stream, which is read to its end."""
    def one(number):
        started = time.monotonic()
        path = "/api/v1/orchestrate/stream" if number % 4 == 3 else "/api/v1/orchestrate"
        try:
            answer = requests.post(service.url + path, json=order(number), timeout=60)
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
            assert tolerant
            return None, 0
        if path.endswith("stream") and answer.status_code == 200 and not tolerant:
            assert ("event: complete" in answer.text) != ("event: error" in answer.text), answer.text
        return answer, time.monotonic() - started

    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(one, range(count)))


def router(service):
    parts = service.get("/api/v1/readiness").json()["components"]
    return next(c["details"] for c in parts if c["name"] == "execution-router")


def settled(service):
    """The router when nothing runs, or waits, any more."""
    for _ in range(200):
        found = router(service)
        if not found["active_model_executions"] and not found["waiting_by_model"] and not found["spend"]["held_usd"]:
            return found
        time.sleep(0.1)
    return router(service)


def all_tasks(service):
    tasks, before = [], ""
    while True:
        page = service.get(f"/api/v1/tasks?limit=100&before={before}").json()
        if not page:
            return tasks
        tasks += page
        before = page[-1]["accepted_at"]


def test_everything_ends_and_adds_up(models, tmp_path):
    with Service("orchestrator", settings(models, tmp_path / "models.json", 1000)) as service:
        models.billed_nano = 0
        answers = storm(service, ROUNDS)
        assert {a.status_code for a, _ in answers} <= {200, 504}
        assert max(seconds for _, seconds in answers) < DEADLINE + 15
        found = settled(service)
        assert found["active_model_executions"] == 0 and found["active_by_model"] == {}
        spent = round(found["spend"]["usd"] * 1e9)
        assert spent >= models.billed_nano and found["spend"]["held_usd"] == 0
        tasks = all_tasks(service)
        assert len(tasks) == len({t["task_id"] for t in tasks}) == ROUNDS
        assert {t["status"] for t in tasks} == {"succeeded", "failed"}
        booked = sum(t["cost_usd"] or 0 for t in tasks)
        assert round(booked * 1e9) == spent
        sample = random.Random(1).sample(tasks, 20)
        for task in sample:
            types = [e["event_type"] for e in service.get(f"/api/v1/tasks/{task['task_id']}").json()["events"]]
            assert sum(t in ("task.completed", "task.failed", "task.cancelled") for t in types) == 1


def test_no_burst_passes_the_limit_of_the_day(models, tmp_path):
    limit = 0.01
    with Service("orchestrator", settings(models, tmp_path / "models.json", limit)) as service:
        models.billed_nano = 0
        answers = storm(service, 150)
        assert models.billed_nano <= limit * 1e9
        found = settled(service)
        assert models.billed_nano <= round(found["spend"]["usd"] * 1e9) <= limit * 1e9
        refused = [r for a, _ in answers if a.headers["Content-Type"].startswith("application/json") for r in a.json().get("accounting", {}).get("refused", [])
                   if r["message"] == "Daily cost limit reached."]
        assert refused and {r["reason"] for r in refused} == {"rate_limited"}


def test_workers_killed_all_the_time(models, tmp_path):
    deadline = 3
    env = {**settings(models, tmp_path / "models.json", 1000), "ORCH_ORCHESTRATE_TIMEOUT_SECONDS": str(deadline)}
    with Service("orchestrator", env) as service:
        models.billed_nano = 0
        stop = threading.Event()

        def kill():
            chance = random.Random(7)
            while not stop.wait(0.5):
                workers = [p for pool in ("sync", "streams") for p in service.stack.workers(f"orchestrator-{pool}")]
                if workers:
                    os.kill(chance.choice(workers), signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            answers = storm(service, KILLED_ROUNDS, tolerant=True)
        finally:
            stop.set()
            killer.join()
        assert sum(a is not None and a.status_code == 200 for a, _ in answers) > KILLED_ROUNDS // 2
        end = time.monotonic() + deadline + 75
        while time.monotonic() < end:
            service.get("/api/v1/models")  # whoever answers looks for abandoned tasks, now and then
            running = service.get("/api/v1/tasks?status=accepted").json()
            found = router(service)
            if not running and not found["active_model_executions"] and not found["spend"]["held_usd"]:
                break
            time.sleep(1)
        assert not running and found["active_model_executions"] == 0 and found["spend"]["held_usd"] == 0
        assert round(found["spend"]["usd"] * 1e9) >= models.billed_nano, "what is not known is booked as used up"
