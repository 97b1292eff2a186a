"""What calls cost: those that were cancelled are paid, the limit of a day holds all the same, and what providers tell of
caches and reasoning is priced and handed on."""

import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from model_server import ModelServer
from wait import wait_for
from service import ENGINES, Service

GPT, CLAUDE = "gpt-5.4", "claude-sonnet-4-6-20250514"
PRICES = {"usd_per_1000_input": 0.005, "usd_per_1000_output": 0.015}
OWN = [{"id": f"{kind}-{i}", "provider": kind, "protocol": "openai", "model": f"{kind}-{i}", "concurrency_limit": 100, **PRICES}
       for kind in ("quick", "slow") for i in range(2)] + \
      [{"id": "hasty", "provider": "quick", "protocol": "openai", "model": "hasty", "timeout_seconds": 1, **PRICES},
       {"id": "free", "provider": "quick", "protocol": "openai", "model": "free"}]


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def catalog(models, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "models.json"
    path.write_text(json.dumps([{**model, "base_url": models.url + "/v1"} for model in OWN]))
    return {**models.settings, "ORCH_MODELS_FILE": str(path), "ORCH_API_BREAKER_FAILURES": "0"}


@pytest.fixture(scope="module", params=ENGINES)
def live(request, catalog):
    with Service("orchestrator", {**catalog, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_RESERVED_ANSWER_TOKENS": "100"},
                 request.param) as service:
        yield service


@pytest.fixture(autouse=True)
def forget(models):
    models.reset()
    models.billed_nano = 0


def spend(service):
    parts = service.get("/api/v1/readiness").json()["components"]
    return next(c["details"]["spend"] for c in parts if c["name"] == "execution-router")


def booked(service, before=0):
    """Nanodollars, when no call holds any more."""
    wait_for(lambda: spend(service)["held_usd"] == 0)
    return round(spend(service)["usd"] * 1e9) - before


def chat(service, **body):
    return service.post("/v1/chat/completions", {"model": "gpt-5-4-api", "messages": [{"role": "user", "content": "hi"}],
                                                 **body})


def test_a_limit_holds_although_most_calls_are_cancelled(catalog, models):
    """By default one answer is enough and the others are cancelled; their providers produce and bill them all the same."""
    models.answers.update({f"quick-{i}": "text:yes" for i in range(2)})
    models.answers.update({f"slow-{i}": "wait:0.2:" + "word " * 90 for i in range(2)})
    limit = 0.05
    body = {"prompt": "hello", "models": [model["id"] for model in OWN[:4]], "decompose": False}
    with Service("orchestrator", {**catalog, "ORCH_DAILY_COST_LIMIT_USD": str(limit), "ORCH_RESERVED_ANSWER_TOKENS": "100"}) as service:
        with ThreadPoolExecutor(8) as pool:
            tasks = list(pool.map(lambda _: service.post("/api/v1/orchestrate", body).json(), range(40)))
        assert sum(task["status"] == "succeeded" for task in tasks) >= 5
        assert any("Daily cost limit reached" in (task["failure_message"] or "") for task in tasks)
        wait_for(lambda: models.running == 0)
        assert 0 < models.billed_nano <= booked(service) <= limit * 1e9
        cancelled = [step for task in tasks for step in task["results"]
                     if step["status"] == "cancelled" and step["model_id"].startswith("slow") and step["cost_usd"]]
        assert cancelled and all(step["input_tokens"] is None for step in cancelled)
        assert sum(step["cost_usd"] or 0 for task in tasks for step in task["results"]) * 1e9 == pytest.approx(booked(service))


class TestWhatIsBooked:
    HOLD = (96 + 5) * 5000 + 100 * 15000  # the prompt by its bytes with its frame, and the answer reserved for

    def ask(self, service, model, **body):
        before = booked(service)
        task = service.post("/api/v1/orchestrate", {"prompt": "hello", "model": model, **body}).json()
        return task, booked(service, before)

    def test_a_call_that_was_given_up(self, live, models):
        models.answers["hasty"] = "stall:1.5"
        task, cost = self.ask(live, "hasty")
        assert (task["failure_code"], cost) == ("timeout", self.HOLD)
        assert task["results"][0]["cost_usd"] == pytest.approx(self.HOLD / 1e9)

    @pytest.mark.parametrize("rule", ("status:500", "status:429", "close", "nonsense"))
    def test_a_failure_of_the_provider_is_free(self, live, models, rule):
        models.answers["quick-0"] = rule
        task, cost = self.ask(live, "quick-0")
        assert task["status"] == "failed" and cost == 0 and task["results"][0]["cost_usd"] is None

    def test_an_answer_without_figures(self, live, models):
        """Each byte of what was seen counts as a token."""
        models.answers["quick-0"] = 'body:{"choices":[{"message":{"content":"four"},"finish_reason":"stop"}]}'
        task, cost = self.ask(live, "quick-0")
        assert cost == (96 + 5) * 5000 + 4 * 15000
        assert task["accounting"]["input_tokens"] is None and task["results"][0]["output_tokens"] is None

    def test_a_client_that_leaves_a_stream(self, live, models):
        """What was said until then is booked."""
        before = booked(live)
        models.answers["quick-0"] = "hang:one two three"
        url = urlsplit(live.url)
        body = json.dumps({"prompt": "hello", "model": "quick-0"}).encode()
        with socket.create_connection((url.hostname, url.port)) as client:
            client.sendall(b"POST /api/v1/orchestrate/stream HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            data = b""
            while b"three" not in data:
                assert (piece := client.recv(65536)), data
                data += piece
        wait_for(lambda: spend(live)["held_usd"] == 0)
        assert booked(live, before) == (96 + 5) * 5000 + len("one two three") * 15000
        task = live.get(f"/api/v1/tasks/{re.search(rb'task_id.: .([^.]+?).}', data)[1].decode()}").json()
        assert task["status"] == "cancelled" and task["steps"][0]["input_tokens"] is None


class TestUsage:
    def test_missing_figures_are_null(self, live, models):
        models.answers[GPT] = 'body:{"choices":[{"message":{"content":"four"},"finish_reason":"stop"}]}'
        answer = chat(live).json()
        assert answer["usage"] is None and answer["orch"]["accounting"]["input_tokens"] is None
        models.answers[GPT] = 'events:[{"choices":[{"delta":{"content":"four"},"finish_reason":"stop"}]}]'
        streamed = chat(live, stream=True, stream_options={"include_usage": True}).text
        assert json.loads(re.findall(r"data: (\{.*)\n\n", streamed)[-1])["usage"] is None

    def test_sums_that_are_too_large_are_null(self, live, models):
        document = {"choices": [{"message": {"content": "four"}, "delta": {"content": "four"}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 2**63 - 1, "completion_tokens": 2**63 - 1}}
        models.answers[GPT] = "body:" + json.dumps(document)
        assert chat(live).json()["usage"] is None
        models.answers[GPT] = "events:" + json.dumps([document])
        streamed = chat(live, stream=True, stream_options={"include_usage": True}).text
        assert json.loads(re.findall(r"data: (\{.*)\n\n", streamed)[-1])["usage"] is None
        models.answers.update({f"quick-{i}": "body:" + json.dumps(document) for i in range(2)})
        task = live.post("/api/v1/orchestrate", {"prompt": "hello", "models": ["quick-0", "quick-1"], "quorum": 2,
                                                 "decompose": False}).json()
        assert task["status"] == "succeeded" and len(task["results"]) == 2
        assert task["accounting"]["input_tokens"] is None and task["accounting"]["output_tokens"] is None

    def test_caches_of_one_protocol(self, live, models):
        usage = {"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 200}
        models.answers[CLAUDE] = "body:" + json.dumps({"content": [{"type": "text", "text": "x"}], "usage": usage,
                                                       "stop_reason": "end_turn"})
        answer = chat(live, model="claude-sonnet-4-6-api").json()
        assert answer["usage"] == {"prompt_tokens": 1207, "completion_tokens": 5, "total_tokens": 1212,
                                   "prompt_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 200}}
        accounting = answer["orch"]["accounting"]
        assert (accounting["cached_input_tokens"], accounting["cache_write_tokens"]) == (1000, 200)
        assert accounting["cost_usd"] == pytest.approx((7 * 3000 + 1000 * 300 + 200 * 3750 + 5 * 15000) / 1e9)

    @pytest.mark.parametrize("streamed", (False, True))
    def test_caches_and_reasoning_of_the_other(self, live, models, streamed):
        usage = {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130,
                 "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 20}}
        document = {"choices": [{"message": {"content": "x"}, "delta": {"content": "x"}, "finish_reason": "stop"}], "usage": usage}
        models.answers[GPT] = "events:" + json.dumps([document]) if streamed else "body:" + json.dumps(document)
        answer = chat(live, stream=streamed, stream_options={"include_usage": True})
        told = json.loads(re.findall(r"data: (\{.*)\n\n", answer.text)[-1]) if streamed else answer.json()
        assert told["usage"] == {**usage, "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": None}}
        assert told["orch"]["accounting"]["cost_usd"] == pytest.approx((36 * 5000 + 64 * 500 + 30 * 15000) / 1e9)
        task = live.get(f"/api/v1/tasks/{told['orch']['task_id']}").json()
        details = task["events"][1]["payload"]["details"]
        assert (details["cached_input_tokens"], details["reasoning_tokens"]) == (64, 20)
