"""Words as they come: the stream of orchestrate, the front for OpenAI's clients, and what becomes of streams that break."""

import json
import re
import socket
import threading
from urllib.parse import urlsplit

import pytest

from model_server import ModelServer
from wait import wait_for
from service import Service

GPT, CLAUDE = "gpt-5.4", "claude-sonnet-4-6-20250514"


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def live(models):
    env = {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "0",
           "ORCH_STREAM_SILENCE_SECONDS": "1"}
    with Service("orchestrator", env) as service:
        yield service


@pytest.fixture(scope="module")
def spliced(models):
    env = {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "0",
           "ORCH_STREAM_SILENCE_SECONDS": "1", "ORCH_STREAM_FALLBACK_MODELS": "claude-sonnet-4-6-api,gpt-5-4-api"}
    with Service("orchestrator", env) as service:
        yield service


@pytest.fixture(scope="module")
def dry():
    with Service("orchestrator") as service:
        yield service


@pytest.fixture(autouse=True)
def forget(models):
    models.reset()


def events(answer):
    answer.encoding = "utf-8"
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/event-stream"), answer.text
    return [(name, json.loads(data)) for name, data in re.findall(r"event: (\w+)\ndata: (.*)\n\n", answer.text)]


def stream(service, **body):
    return events(service.post("/api/v1/orchestrate/stream", {"prompt": "hello", "model": "gpt-5-4-api", **body}))


def stored(service, task_id):
    return service.get(f"/api/v1/tasks/{task_id}").json()


class TestStream:
    @pytest.mark.parametrize("model, name, provider", [("gpt-5-4-api", GPT, "openai"),
                                                       ("claude-sonnet-4-6-api", CLAUDE, "anthropic")])
    def test_both_protocols(self, live, models, model, name, provider):
        models.answers[name] = "text:Grüße an alle"
        told = stream(live, model=model, metadata={"trace_id": "t"})
        assert [event for event, _ in told] == ["accepted", "delta", "delta", "delta", "complete"]
        assert "".join(data["text"] for event, data in told if event == "delta") == "Grüße an alle"
        last = told[-1][1]
        assert last["text"] == "Grüße an alle" and last["provider"] == provider and last["model_id"] == model
        assert (last["input_tokens"], last["output_tokens"]) == (1, 3) and last["cost_usd"] > 0
        task = stored(live, last["task_id"])
        assert task["status"] == "succeeded" and task["output_text"] == "Grüße an alle" and task["trace_id"] == "t"
        [step] = task["steps"]
        assert step["step_index"] == 1 and step["output_tokens"] == 3

    def test_each_word_is_handed_on_before_the_next_is_spoken(self, live, models):
        models.answers[GPT] = "text:" + " ".join(map(str, range(30)))
        models.heard = threading.Semaphore(0)
        told = kind = ""
        with live.send("POST", "/api/v1/orchestrate/stream", json={"prompt": "hello", "model": "gpt-5-4-api"}, stream=True,
                       checked=False) as answer:
            for line in answer.iter_lines(chunk_size=1, decode_unicode=True):
                if line.startswith("data: ") and kind == "event: delta":
                    told += json.loads(line[6:])["text"]
                    models.heard.release()
                kind = line
        assert told == models.answers[GPT].removeprefix("text:")

    def test_dry(self, dry):
        answer = dry.post("/api/v1/orchestrate/stream", {"prompt": "hello"})
        assert [event for event, _ in events(answer)] == ["accepted", "complete"]
        assert '"duration_ms": 0' in answer.text and answer.headers["Cache-Control"] == "no-cache"

    def test_what_is_refused(self, dry):
        assert stream(dry, model="nobody") == [("error", {"text": "Unknown model: nobody"})]
        assert stream(dry, model="Sonar", reasoning=True)[0][1]["text"] == "reasoning=true is not supported for: Sonar"
        assert dry.post("/api/v1/orchestrate/stream", {"prompt": ""}).status_code == 422

    @pytest.mark.parametrize("rule, code, text", [
        ("status:500", "provider_unavailable", "OpenAI-compatible HTTP error: 500"),
        ("cut:half an answer", "provider_unavailable", "OpenAI-compatible streaming error: the stream ended early"),
        ("fault:half", "provider_unavailable", "OpenAI-compatible streaming error: the provider told of a fault"),
        ("stall:5", "timeout", "OpenAI-compatible request timed out.")])
    def test_half_an_answer_is_a_failure(self, live, models, rule, code, text):
        models.answers[GPT] = rule
        told = stream(live)
        assert told[-1][0] == "error"
        error = told[-1][1]
        assert (error["code"], error["text"], error["model_id"]) == (code, text, "gpt-5-4-api") and error["trace_id"]
        task = stored(live, error["task_id"])
        assert (task["status"], task["failure_code"]) == ("failed", code)
        if rule.startswith("cut"):
            assert task["steps"][0]["output_text"] == "half an answer"

    def test_an_answer_that_is_too_large(self, models):
        """It says so: what is cut of a stream is neither the provider's failure nor damage."""
        models.answers[GPT] = "text:" + "word " * 2000
        env = {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "1",
               "ORCH_MAX_ANSWER_BYTES": "20000"}
        with Service("orchestrator", env) as service:
            for _ in range(2):  # the breaker stays closed
                error = stream(service)[-1][1]
                assert (error["code"], error["text"]) == ("unknown_error",
                                                          "OpenAI-compatible adapter error: the answer is too large")

    def test_a_client_that_leaves_ends_the_call(self, live, models):
        models.answers[GPT] = "hang:one two three"
        url = urlsplit(live.url)
        body = json.dumps({"prompt": "hello", "model": "gpt-5-4-api"}).encode()
        with socket.create_connection((url.hostname, url.port)) as client:
            client.sendall(b"POST /api/v1/orchestrate/stream HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
                           + body)
            data = b""
            while b"three" not in data:
                assert (piece := client.recv(65536)), data
                data += piece
            task_id = re.search(rb'"task_id": "([^"]+)"', data)[1].decode()
        wait_for(lambda: stored(live, task_id)["status"] != "accepted")
        task = stored(live, task_id)
        assert task["status"] == "cancelled" and task["cancel_reason"] == "client_disconnect"
        assert task["steps"][0]["output_text"] == "one two three"
        wait_for(lambda: models.left)  # it would have spoken on for as long as somebody listened
        models.left.clear()


class TestSplice:
    def test_a_stream_that_breaks_is_gone_on_with(self, spliced, models):
        models.answers.update({GPT: "cut:one two ", CLAUDE: "text:three four"})
        told = stream(spliced)
        assert [event for event, _ in told] == ["accepted", "delta", "delta", "splice", "delta", "delta", "complete"]
        splice = dict(told)["splice"]
        assert (splice["from_model_id"], splice["model_id"]) == ("gpt-5-4-api", "claude-sonnet-4-6-api")
        last = told[-1][1]
        assert last["text"] == "one two three four" and last["splices"] == 1
        asked = models.calls[1]
        assert re.fullmatch(r"<<(\S+) Question>>\nhello\n<</\1>>\n\n<<\1 Answer so far>>\none two \n<</\1>>", asked["prompt"])
        assert asked["body"]["system"].startswith("An answer was begun and broke off.")
        task = stored(spliced, last["task_id"])
        assert task["status"] == "succeeded" and [s["status"] for s in task["steps"]] == ["failed", "succeeded"]

    def test_one_that_did_not_begin_is_asked_of_the_next(self, spliced, models):
        models.answers.update({GPT: "status:503", CLAUDE: "text:yes"})
        told = stream(spliced)
        assert told[-1][1]["text"] == "yes" and models.calls[1]["prompt"] == "hello"

    def test_when_all_break_it_is_a_failure(self, spliced, models):
        models.answers.update({GPT: "cut:a ", CLAUDE: "cut:b "})
        told = stream(spliced)
        assert told[-1][0] == "error" and stored(spliced, told[-1][1]["task_id"])["status"] == "failed"


def chat(service, **body):
    return service.post("/v1/chat/completions", {"model": "gpt-5-4-api", "messages": [{"role": "user", "content": "hi"}],
                                                 **body})


def chunks(answer):
    return [json.loads(data) for data in re.findall(r"data: (\{.*)\n\n", answer.text)]


class TestFront:
    def test_a_completion(self, live, models):
        models.answers[GPT] = "text:hello there"
        answer = chat(live, temperature=0.5, max_tokens=7, stop="END", messages=[
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "hi"}]}])
        completion = answer.json()
        assert completion["object"] == "chat.completion" and completion["id"].startswith("chatcmpl-")
        [choice] = completion["choices"]
        assert choice == {"index": 0, "message": {"role": "assistant", "content": "hello there"}, "finish_reason": "stop"}
        assert completion["usage"] == {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
        assert completion["orch"]["accounting"]["cost_usd"] == pytest.approx(0.000035)
        sent = models.calls[0]["body"]
        assert sent["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
        assert (sent["temperature"], sent["max_completion_tokens"], sent["stop"]) == (0.5, 7, ["END"])
        task = stored(live, completion["orch"]["task_id"])
        assert task["metadata"]["route"] == "chat/completions" and task["prompt"] == "system: Be brief.\n\nuser: hi"

    def test_the_other_protocol_behind_it(self, live, models):
        models.answers[CLAUDE] = "text:ok"
        answer = chat(live, model="Claude API", messages=[{"role": "system", "content": "S"}, {"role": "user", "content": "u"}])
        assert answer.json()["choices"][0]["message"]["content"] == "ok" and models.calls[0]["body"]["system"] == "S"

    def test_a_stream(self, live, models):
        models.answers[GPT] = "text:a b c"
        answer = chat(live, stream=True, stream_options={"include_usage": True})
        got = chunks(answer)
        assert answer.text.endswith("data: [DONE]\n\n") and {c["object"] for c in got} == {"chat.completion.chunk"}
        assert got[0]["choices"][0]["delta"] == {"role": "assistant", "content": "a "}
        assert "".join(c["choices"][0]["delta"].get("content", "") for c in got if c["choices"]) == "a b c"
        assert got[-2]["choices"][0]["finish_reason"] == "stop" and got[-1]["usage"]["total_tokens"] == 4

    def test_a_broken_stream_has_no_end_mark(self, live, models):
        models.answers[GPT] = "cut:half an answer"
        answer = chat(live, stream=True)
        assert "[DONE]" not in answer.text and chunks(answer)[-1]["error"]["code"] == "provider_unavailable"

    def test_a_splice_is_passed_over_by_clients(self, spliced, models):
        models.answers.update({GPT: "cut:one ", CLAUDE: "text:two"})
        answer = chat(spliced, stream=True)
        got = chunks(answer)
        assert answer.text.endswith("data: [DONE]\n\n")
        assert "".join(c["choices"][0]["delta"].get("content", "") for c in got if c["choices"]) == "one two"
        assert [c["orch"]["model_id"] for c in got if "orch" in c] == ["claude-sonnet-4-6-api"]
        assert [m["role"] for m in models.calls[1]["body"]["messages"]] == ["user", "assistant", "user"]

    @pytest.mark.parametrize("rule, status, code", [("status:429", 429, "rate_limited"), ("status:500", 503, None),
                                                    ("nonsense", 502, "unknown_error")])
    def test_failures_have_statuses_and_the_clients_form(self, live, models, rule, status, code):
        models.answers[GPT] = rule
        for streamed in (False, True):
            if streamed and rule == "nonsense":
                continue
            answer = chat(live, stream=streamed)
            assert answer.status_code == status, answer.text
            error = answer.json()["error"]
            assert error["message"] and code in (None, error["code"])

    def test_what_is_refused(self, live):
        answer = chat(live, model="nobody")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "model_not_found")
        for body in ({"messages": []}, {"messages": [{"role": "x", "content": "y"}]}, {"messages": "x"}, {"temperature": 3},
                     {"n": 17}, {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}):
            answer = chat(live, **body)
            assert answer.status_code == 400 and answer.json()["error"]["type"] == "invalid_request_error"

    @pytest.mark.parametrize("model", ["gpt-5-4-api", "orch:smart"])
    def test_a_plain_call_whose_client_left_is_cancelled(self, live, models, model):
        models.answers[GPT] = models.answers[CLAUDE] = "stall:20"
        before = {task["task_id"] for task in live.get("/api/v1/tasks").json()}
        url = urlsplit(live.url)
        body = json.dumps({"model": model, "messages": [{"role": "user", "content": "hello"}]}).encode()
        with socket.create_connection((url.hostname, url.port)) as client:
            client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            wait_for(lambda: models.calls)
        [task_id] = wait_for(lambda: {t["task_id"] for t in live.get("/api/v1/tasks").json()} - before)
        wait_for(lambda: stored(live, task_id)["status"] != "accepted")
        task = stored(live, task_id)
        assert (task["status"], task["cancel_reason"]) == ("cancelled", "client_disconnect")

    def test_ways_of_asking_as_models(self, live, models):
        models.answers[CLAUDE] = "text:yes"
        models.vectors["yes"] = [1, 0]
        smart = chat(live, model="orch:smart").json()
        assert smart["choices"][0]["message"]["content"] == "yes" and smart["orch"]["accounting"]["calls"] == 2
        assert smart["orch"]["models_used"] == ["claude-sonnet-4-6-api"]
        consensus = chat(live, model="orch:consensus", stream=True)
        assert chunks(consensus)[0]["choices"][0]["delta"]["content"] == "yes"

    def test_the_roles_of_a_conversation_stay_apart(self, live, models):
        models.answers[GPT] = models.answers[CLAUDE] = "text:oui"
        models.vectors["oui"] = [1, 0]
        talk = [{"role": "system", "content": "Compare and evaluate step by step, in-depth, several pros and cons."},
                {"role": "user", "content": "Bonjour, est-ce que tu es là ?"}, {"role": "assistant", "content": "Oui."},
                {"role": "user", "content": "Quelle est la capitale de la France ?"}]
        answer = chat(live, model="orch:smart", messages=talk).json()
        assert answer["choices"][0]["message"]["content"] == "oui"
        asked, checked = (call["body"] for call in models.calls)  # nothing that was asked is complex
        assert asked["system"] == talk[0]["content"] and asked["messages"] == talk[1:]
        assert checked["system"].startswith("Tu vérifies des réponses.") and len(checked["messages"]) == 1
        models.calls.clear()
        answer = chat(live, model="orch:consensus", messages=talk).json()
        assert answer["orch"]["models_used"] == ["claude-sonnet-4-6-api", "gpt-5-4-api"]
        assert {call["model"] for call in models.calls} == {GPT, CLAUDE}
        assert all(call["body"]["messages"][-3:] == talk[1:] for call in models.calls)
        [by_gpt] = [call["body"]["messages"] for call in models.calls if call["model"] == GPT]
        assert by_gpt[0]["role"] == "system" and by_gpt[1:] == talk, "the way of asking, then what was said"

    def test_models(self, live):
        ids = [m["id"] for m in live.get("/v1/models").json()["data"]]
        assert ids == ["orch:smart", "orch:consensus", "gpt-5-4-api", "claude-sonnet-4-6-api"]
        assert live.get("/v1/models/gpt-5-4-api").json() == {"id": "gpt-5-4-api", "object": "model", "created": 0,
                                                            "owned_by": "openai", "callable": True, "reason": None}
        assert live.get("/v1/models/nobody").json()["error"]["code"] == "model_not_found"

    def test_without_a_key(self):
        with Service("orchestrator", {"ORCH_API_KEY": "the-key-of-the-tests"}) as service:
            answer = service.get("/v1/models")
            assert answer.status_code == 401 and answer.json()["error"]["type"] == "authentication_error"
