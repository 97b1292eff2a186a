"""Questions side by side in the processes that answer them: hundreds wait for a model together while those that need none
are answered, and whatever happens to a process (killed, relieved) or to what it has open (a new document, a new registry)
no other question and no place is lost."""

import json
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from model_server import ModelServer
from service import ENGINES, Service
from wait import wait_for

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
WARRANTY = "# Warranty\n\nThe warranty period is 24 months from the day of purchase.\n"
QUESTION = "How long is the warranty period?"
ELSEWHERE = "Where do zebras hibernate?"  # nothing is found, so no model is asked
WRITTEN = "The warranty period lasts 24 months [1]."
MANY = 200

pytestmark = pytest.mark.both_engines


class Slow(ModelServer):
    """Writes no answer before `go`."""

    def __init__(self):
        super().__init__()
        self.go = threading.Event()

    def rule_for(self, body, prompt):
        self.go.wait(120)
        return "text:" + WRITTEN


@pytest.fixture
def models():
    with Slow() as server:
        yield server
        server.go.set()


def write_registry(path, models, name="slow"):
    place = {"provider": name, "model": "writer"}
    path.write_text(json.dumps({"default_profile": "test", "routing_profiles": {"test": {"fast": place, "strong": place}},
                                "providers": [{"id": name, "kind": "local", "protocol": "openai", "timeout_seconds": 100,
                                               "base_url": models.url + "/v1", "models": [{"name": "writer"}],
                                               "default_models": {"fast": "writer", "strong": "writer"}}]}))


def start(models, tmp_path, engine="sqlite", **more):
    write_registry(tmp_path / "providers.yml", models)
    return Service("support", {
        "API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "PROVIDER_REGISTRY_PATH": str(tmp_path / "providers.yml"),
        "LLM_NODES": "generate", "REQUEST_TIMEOUT_SEC": "58", "LLM_QUESTION_SECONDS": "58",
        "ASSAY_CONNECTIONS_PER_CLIENT": "0", **more}, engine)


def upload(service, name, text):
    file = {"file": (name, text.encode())}
    assert service.send("POST", "/api/upload", headers=HEADERS, files=file).status_code == 200


def ask(service, question=QUESTION, path="/api/ask"):
    return requests.post(service.url + path, headers=HEADERS, json={"question": question}, timeout=60)


def wait_in(pool, service, models, count):
    """Questions that all wait for the model."""
    asked = [pool.submit(ask, service) for _ in range(count)]
    wait_for(lambda: models.running == count, lambda: f"{models.running} of {count} wait")
    return asked


def answers(asked):
    return {(each.result().status_code, each.result().json().get("answer")) for each in asked}


@pytest.mark.parametrize("engine", ENGINES)
def test_those_that_wait_for_a_model_hold_nobody(models, tmp_path, engine):
    with start(models, tmp_path, engine) as service, ThreadPoolExecutor(MANY) as pool:
        upload(service, "warranty.md", WARRANTY)
        asked = wait_in(pool, service, models, MANY)
        for _ in range(40):
            assert ask(service, ELSEWHERE).json()["route"] == "human"
        assert '"type":"result"' in ask(service, ELSEWHERE, "/api/ask/stream").text
        assert models.running == MANY, "all of them still wait"
        models.go.set()
        assert answers(asked) == {(200, WRITTEN)}
        before = service.stack.workers("support-ask")
        assert service.stack.run("reload").returncode == 0
        wait_for(lambda: not set(before) & set(service.stack.workers("support-ask")))
        assert "fiber_stack_small" not in service.stack.logs(), "a request used more than half of its stack"


@pytest.mark.parametrize("engine", ENGINES)
def test_what_changes_meanwhile_does_not_reach_those_that_wait(models, tmp_path, engine):
    """One process has the index and the registry open for all its questions."""
    with start(models, tmp_path, engine, ASSAY_WORKERS_SUPPORT_ASK="1") as service, ThreadPoolExecutor(30) as pool:
        upload(service, "warranty.md", WARRANTY)
        asked = wait_in(pool, service, models, 30)
        for number in range(5):
            write_registry(tmp_path / "providers.yml", models, f"slow-{number}")
            upload(service, "warranty.md", WARRANTY + f"\nFor device {number} it is {number + 30} months.\n")
            assert ask(service, ELSEWHERE).status_code == 200
        models.go.set()
        assert answers(asked) == {(200, WRITTEN)}
        trace = service.get(f"/api/admin/traces/{asked[0].result().json()['trace_id']}", headers=HEADERS).json()
        assert [s["state"]["provider_name"] for s in trace["steps"] if s["node"] == "generate"] == ["slow"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_process_takes_its_own_questions_and_no_place(models, tmp_path, engine):
    count = 60
    with start(models, tmp_path, engine, ASSAY_WORKERS_SUPPORT_ASK="3", MAX_CONCURRENT_PIPELINES=str(count),
               PIPELINE_ACQUIRE_TIMEOUT_SEC="20") as service, ThreadPoolExecutor(count) as pool:
        upload(service, "warranty.md", WARRANTY)
        asked = wait_in(pool, service, models, count)
        os.kill(service.stack.workers("support-ask")[0], signal.SIGKILL)
        lost = wait_for(lambda: sum(each.done() for each in asked))
        models.go.set()
        statuses = [each.result().status_code for each in asked]
        assert statuses.count(502) >= lost and statuses.count(200) == count - statuses.count(502) > 0
        models.go.clear()
        wait_for(lambda: not models.running)
        again = wait_in(pool, service, models, count)
        models.go.set()
        assert answers(again) == {(200, WRITTEN)}


def test_who_waits_for_a_place_holds_nobody(models, tmp_path):
    with start(models, tmp_path, ASSAY_WORKERS_SUPPORT_ASK="1", MAX_CONCURRENT_PIPELINES="3",
               PIPELINE_ACQUIRE_TIMEOUT_SEC="60") as service, ThreadPoolExecutor(4) as pool:
        upload(service, "warranty.md", WARRANTY)
        asked = wait_in(pool, service, models, 3)
        asked.append(pool.submit(ask, service))
        body = {"trace_id": "none", "session_id": "none", "rating": "up"}
        for _ in range(20):
            assert service.send("POST", "/api/feedback", headers=HEADERS, json=body).status_code == 204
        assert models.running == 3 and not asked[-1].done()
        models.go.set()
        assert answers(asked) == {(200, WRITTEN)}


def test_one_more_than_the_limit_is_refused(models, tmp_path):
    with start(models, tmp_path, MAX_CONCURRENT_PIPELINES="3", PIPELINE_ACQUIRE_TIMEOUT_SEC="0") as service, \
            ThreadPoolExecutor(3) as pool:
        upload(service, "warranty.md", WARRANTY)
        asked = wait_in(pool, service, models, 3)
        refused = ask(service)
        assert refused.status_code == 503 and int(refused.headers["Retry-After"]) >= 1
        models.go.set()
        assert answers(asked) == {(200, WRITTEN)}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_that_has_served_enough_lets_its_questions_end(models, tmp_path, workers):
    with start(models, tmp_path, ASSAY_WORKERS_SUPPORT_ASK=str(workers), ASSAY_WORKER_REQUESTS="10") as service, \
            ThreadPoolExecutor(8) as pool:
        upload(service, "warranty.md", WARRANTY)
        before = service.stack.workers("support-ask")
        asked = wait_in(pool, service, models, 8)
        for _ in range(40):
            assert ask(service, ELSEWHERE).status_code == 200
        models.go.set()
        assert answers(asked) == {(200, WRITTEN)}

        def are_replaced():
            assert ask(service, ELSEWHERE).status_code == 200
            return not set(before) & set(service.stack.workers("support-ask"))

        wait_for(are_replaced)
