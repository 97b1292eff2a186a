"""What providers refuse, cut short and count, as clients of the front see it: errors keep their meaning, parameters are
passed on or refused, texts stay as they are, and streams last as long as they are alive."""

import json
import re
import time

import pytest

from model_server import ModelServer
from wait import wait_for
from service import Service
from stack import ROWS

GPT, CLAUDE = "gpt-5.4", "claude-sonnet-4-6-20250514"
REFUSAL = {"message": "tools[0] is wrong", "type": "invalid_request_error", "code": "bad_schema", "param": "tools[0]"}
DEADLINE = 300
OWN = [{"id": "hasty", "provider": "local", "protocol": "openai", "model": "hasty", "timeout_seconds": 1},
       {"id": "ollama", "provider": "local", "protocol": "ollama", "model": "ollama"},
       {"id": "maker/family/model", "provider": "local", "protocol": "openai", "model": "echo"}]
KEY = "the-key-of-the-clients"


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def live(models, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "models.json"
    path.write_text(json.dumps([{**model, "base_url": models.url + ("/v1" if model["protocol"] == "openai" else "")}
                                for model in OWN]))
    env = {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "2",
           "ORCH_OPENAI_MAX_RETRIES": "2", "ORCH_OPENAI_RETRY_BACKOFF_SECONDS": "0.01", "ORCH_STREAM_SILENCE_SECONDS": "1",
           "ORCH_ORCHESTRATE_TIMEOUT_SECONDS": str(DEADLINE), "ORCH_ENABLE_MODEL_FALLBACK": "true",
           "ORCH_STREAM_FALLBACK_MODELS": "claude-sonnet-4-6-api", "ORCH_MODELS_FILE": str(path)}
    with Service("orchestrator", env) as service:
        yield service


@pytest.fixture(autouse=True)
def forget(models):
    models.reset()


def chat(service, **body):
    return service.post("/v1/chat/completions", {"model": "gpt-5-4-api", "messages": [{"role": "user", "content": "hi"}],
                                                 **body})


def chunks(answer):
    assert answer.status_code == 200 and answer.text.endswith("data: [DONE]\n\n"), answer.text
    return [json.loads(data) for data in re.findall(r"data: (\{.*)\n\n", answer.text)]


def said(answer):
    """Text, refusal and reason of the end, whole or streamed."""
    if not answer.headers["Content-Type"].startswith("text/event-stream"):
        [choice] = answer.json()["choices"]
        return choice["message"]["content"], choice["message"].get("refusal"), choice["finish_reason"]
    choices = [c for chunk in chunks(answer) for c in chunk["choices"]]
    assert choices[0]["delta"]["role"] == "assistant"
    return ("".join(c["delta"].get("content", "") for c in choices), choices[-2]["delta"].get("refusal"),
            choices[-1]["finish_reason"])


def refused(answer, param):
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["param"]) == (400, "invalid_request_error", param), answer.text


class TestRefusals:
    @pytest.mark.parametrize("streamed", (False, True))
    @pytest.mark.parametrize("status", (400, 404, 409, 413, 415, 422))
    def test_a_wrong_request_keeps_its_meaning(self, live, models, status, streamed):
        """Neither asked again nor of another model, and no failure of the provider to the breaker."""
        models.answers[GPT] = f"refuse:{status}:" + json.dumps({"error": REFUSAL})
        for _ in range(3):
            answer = chat(live, stream=streamed)
            assert answer.status_code == status and "Retry-After" not in answer.headers
            error = answer.json()["error"]
            assert error.pop("request_id") == answer.headers["X-Request-ID"] and error == REFUSAL
        assert len(models.calls) == 3

    def test_the_other_protocols_words(self, live, models):
        models.answers[CLAUDE] = 'refuse:400:{"type":"error","error":{"type":"invalid_request_error","message":"too long"}}'
        error = chat(live, model="claude-sonnet-4-6-api").json()["error"]
        assert (error["message"], error["type"], error["code"]) == ("too long", "invalid_request_error", None)
        models.answers[CLAUDE] = "refuse:422:<html>"
        answer = chat(live, model="claude-sonnet-4-6-api")
        assert answer.status_code == 422 and answer.json()["error"]["message"] == "The provider refused the request."

    def test_ways_of_asking_pass_it_on_too(self, live, models):
        models.answers[CLAUDE] = "refuse:400:" + json.dumps({"error": REFUSAL})
        answer = chat(live, model="orch:smart")
        assert answer.status_code == 400 and answer.json()["error"]["code"] == "bad_schema"

    @pytest.mark.parametrize("status", (401, 403))
    def test_a_key_that_the_provider_refuses_is_no_fault_of_the_client(self, live, models, status):
        models.answers[CLAUDE] = f"refuse:{status}:" + json.dumps({"error": {"message": "wrong key sk-secret"}})
        answer = chat(live, model="claude-sonnet-4-6-api")
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "provider_auth_failed")
        assert "sk-secret" not in answer.text

    @pytest.mark.parametrize("model, name", (("claude-sonnet-4-6-api", CLAUDE), ("orch:smart", CLAUDE)))
    def test_when_to_come_back_is_passed_on(self, live, models, model, name):
        models.answers[name] = "status:429:37"
        answer = chat(live, model=model)
        assert (answer.status_code, answer.headers.get("Retry-After")) == (429, "37")

    def test_a_task_says_why(self, live, models):
        models.answers[GPT] = "refuse:400:" + json.dumps({"error": REFUSAL})
        task = live.post("/api/v1/orchestrate", {"prompt": "hi", "model": "gpt-5-4-api"}).json()
        assert (task["failure_code"], task["failure_message"]) == ("provider_unavailable", "OpenAI-compatible HTTP error: 400")
        events = live.get(f"/api/v1/tasks/{task['task_id']}").json()["events"]
        assert events[1]["payload"]["details"]["provider_message"] == "tools[0] is wrong"


def whole(finish, **message):
    return "body:" + json.dumps({"choices": [{"message": {"role": "assistant", **message}, "finish_reason": finish}],
                                 "usage": {"prompt_tokens": 5, "completion_tokens": 9}})


class TestAnswersWithoutText:
    @pytest.mark.parametrize("finish, message, expected", [
        ("length", {"content": ""}, ("", None, "length")),
        ("length", {"content": None}, ("", None, "length")),
        ("content_filter", {}, ("", None, "content_filter")),
        ("stop", {"content": None, "refusal": "I will not."}, (None, "I will not.", "stop"))])
    def test_the_reason_is_the_answer(self, live, models, finish, message, expected):
        models.answers[GPT] = whole(finish, **message)
        answer = chat(live)
        assert answer.status_code == 200 and said(answer) == expected and answer.json()["usage"]["completion_tokens"] == 9
        assert len(models.calls) == 1
        assert live.get(f"/api/v1/tasks/{answer.json()['orch']['task_id']}").json()["status"] == "succeeded"

    @pytest.mark.parametrize("delta, finish, expected", [
        ({"content": ""}, "length", ("", None, "length")),
        ({"refusal": "I will not."}, "stop", ("", "I will not.", "stop"))])
    def test_streamed(self, live, models, delta, finish, expected):
        models.answers[GPT] = "events:" + json.dumps([{"choices": [{"delta": delta}]},
                                                      {"choices": [{"delta": {}, "finish_reason": finish}]}])
        assert said(chat(live, stream=True)) == expected and len(models.calls) == 1

    def test_the_other_protocols_refusal(self, live, models):
        models.answers[CLAUDE] = 'body:{"content":[],"stop_reason":"refusal","usage":{"input_tokens":5,"output_tokens":1}}'
        assert said(chat(live, model="claude-sonnet-4-6-api")) == ("", None, "content_filter")

    def test_a_prompt_wants_text(self, live, models):
        models.answers[GPT] = whole("length", content="")
        task = live.post("/api/v1/orchestrate", {"prompt": "hi", "model": "gpt-5-4-api"}).json()
        assert (task["status"], task["failure_message"]) == \
            ("failed", "OpenAI-compatible adapter error: the answer is empty (length)")


class TestTexts:
    TEXT = " \n  two blanks before, and behind  \n"

    @pytest.mark.parametrize("streamed", (False, True))
    def test_they_are_not_trimmed(self, live, models, streamed):
        models.answers[GPT] = "text:" + self.TEXT
        assert said(chat(live, stream=streamed))[0] == self.TEXT

    def test_nor_those_of_tasks(self, live, models):
        models.answers[GPT] = "text:" + self.TEXT
        task = live.post("/api/v1/orchestrate", {"prompt": "hi", "model": "gpt-5-4-api"}).json()
        assert task["output_text"] == task["results"][0]["output_text"] == self.TEXT

    def test_a_healthy_stream_outlives_the_time_of_an_answer(self, live, models):
        """A word each quarter of a second, for longer than the model may take for a whole answer (1 s)."""
        models.answers["hasty"], models.pause = "text:" + " ".join("abcdefg"), 0.25
        assert said(chat(live, model="hasty", stream=True)) == ("a b c d e f g", None, "stop")
        models.answers["hasty"] = "quiet:a b"
        silent = chat(live, model="hasty", stream=True)
        assert "[DONE]" in silent.text and len(models.calls) == 3  # silence ends it, the next model goes on

    def test_workers_and_nginx_have_the_time_of_the_request(self, live):
        run = live.stack.directory / "run"
        for pool in ("sync", "streams", "tasks"):
            assert f"\0ASSAY_POOL_SECONDS={DEADLINE + 10}\0" in (run / f"orchestrator-{pool}.env").read_text()
        conf = (live.stack.directory / "conf" / "orchestrator.conf").read_text()
        assert f"fastcgi_read_timeout {DEADLINE + 10}s;\n" in conf.split("/v1/chat/completions")[1].split("}")[0]


TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
STRICT = {"type": "function", "function": {**TOOL["function"], "strict": True}}
PASSED_ON = {
    "reasoning_effort": "low", "verbosity": "low", "logit_bias": {"50256": -100}, "service_tier": "flex", "store": False,
    "user": "u-1", "safety_identifier": "s", "prompt_cache_key": "k", "prediction": {"type": "content", "content": "x"},
    "seed": 7, "presence_penalty": 0.5, "top_k": 3, "parallel_tool_calls": False, "tools": [STRICT], "modalities": None,
}


class TestParameters:
    def test_no_maximum_that_nobody_asked_for(self, live, models):
        chat(live)
        chat(live, model="claude-sonnet-4-6-api")
        chat(live, model="claude-sonnet-4-6-api", max_tokens=7)
        chat(live, model="ollama")
        live.post("/api/v1/orchestrate", {"prompt": "hi", "model": "gpt-5-4-api"})
        sent = [call["body"] for call in models.calls]
        assert not {"max_tokens", "max_completion_tokens"} & (set(sent[0]) | set(sent[4])) and sent[3]["options"] == {}
        assert [body["max_tokens"] for body in sent[1:3]] == [4096, 7]  # its protocol requires one: a setting

    def test_own_servers_get_the_name_that_the_client_used(self, live, models):
        """Many know only the older one of OpenAI's two; OpenAI itself takes only the newer one."""
        for model in ("hasty", "gpt-5-4-api"):
            chat(live, model=model, max_tokens=7)
            chat(live, model=model, max_completion_tokens=8)
        assert [{k: v for k, v in call["body"].items() if k.startswith("max")} for call in models.calls] == [
            {"max_tokens": 7}, {"max_completion_tokens": 8}, {"max_completion_tokens": 7}, {"max_completion_tokens": 8}]

    def test_a_choice_without_tools_is_for_the_provider_to_judge(self, live, models):
        assert chat(live, tool_choice="required").status_code == 200
        assert models.calls[0]["body"]["tool_choice"] == "required"

    def test_what_the_protocol_knows_is_passed_on(self, live, models):
        messages = [{"role": "user", "name": "ann", "content": "hi"}]
        assert chat(live, **PASSED_ON, messages=messages).status_code == 200
        sent = models.calls[0]["body"]
        assert {name: sent.get(name) for name in PASSED_ON} == PASSED_ON and "modalities" not in sent
        assert sent["messages"] == messages

    @pytest.mark.parametrize("name", sorted(set(PASSED_ON) - {"reasoning_effort", "top_k", "tools", "user", "parallel_tool_calls", "store", "modalities"}))
    def test_what_another_protocol_has_no_words_for_is_refused(self, live, models, name):
        answer = chat(live, model="claude-sonnet-4-6-api", **{name: PASSED_ON[name]})
        refused(answer, name)
        assert not models.calls

    def test_what_it_says_otherwise_is_said_so(self, live, models):
        answer = chat(live, model="claude-sonnet-4-6-api", user="u-1", parallel_tool_calls=False, tools=[STRICT], store=False)
        assert answer.status_code == 200
        sent = models.calls[0]["body"]
        assert sent["tools"][0]["strict"] is True
        refused(chat(live, model="ollama", tools=[STRICT]), "tools.0.function.strict")
        assert (sent["metadata"], sent["tool_choice"]) == ({"user_id": "u-1"}, {"type": "auto", "disable_parallel_tool_use": True})

    @pytest.mark.parametrize("body, param", [
        ({"functions": [{}]}, "functions"), ({"n": 17}, "n"), ({"top_logprobs": 21}, "top_logprobs"),
        *[({"model": "claude-sonnet-4-6-api", name: value}, name) for name, value in (
            ("logprobs", True), ("top_logprobs", 2), ("n", 2), ("seed", 1), ("service_tier", "flex"))],
        ({"model": "ollama", "n": 2}, "n"), ({"model": "ollama", "service_tier": "auto"}, "service_tier"),
        ({"modalities": ["text", "audio"]}, "modalities"), ({"audio": {"voice": "x"}}, "audio"),
        ({"web_search_options": {}}, "web_search_options"), ({"stop": list("abcde")}, "stop"), ({"stop": [1]}, "stop"),
        ({"stop": {}}, "stop"), ({"max_tokens": 5, "max_completion_tokens": 6}, "max_tokens"),
        ({"stream_options": {"other": 1}}, "stream_options.other"), ({"tools": [{**TOOL, "cache_control": {"type": "x"}}]}, "tools"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {}}]}]}, "messages.0"),
        ({"model": "claude-sonnet-4-6-api", "messages": [{"role": "user", "name": "ann", "content": "hi"}]}, "messages.0.name"),
        ({"model": "ollama", "tools": [TOOL], "tool_choice": "required"}, "tool_choice"),
        ({"model": "claude-sonnet-4-6-api", "tool_choice": "required"}, "tool_choice"), ({"tools": TOOL}, "tools"),
        ({"tools": [{"type": "custom", "custom": {"name": "x"}}]}, "tools"),
        ({"messages": [{"role": "assistant", "tool_calls": {"id": "1"}}]}, "messages.0"),
        ({"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "x"}}]}]}, "messages.0"),
        ({"model": "orch:smart", "temperature": 0.5}, "temperature"), ({"model": "orch:smart", "tools": [TOOL]}, "tools"),
        ({"model": "orch:consensus", "max_tokens": 5}, "max_tokens"), ({"model": "orch:smart", "metadata": {"a": 1}}, "metadata")])
    def test_what_nobody_could_be_told_is_refused(self, live, models, body, param):
        refused(chat(live, **body), param)
        assert not models.calls

    def test_a_model_goes_on_only_when_it_can_be_told_all(self, live, models):
        models.answers.update({GPT: "cut:one ", CLAUDE: "text:two"})
        assert "[DONE]" in chat(live, stream=True).text
        assert "[DONE]" not in chat(live, stream=True, seed=1).text


class TestForms:
    def test_calls_of_tools_are_kept_apart(self, live, models):
        """A provider whose index does not grow."""
        pieces = [{"index": 0, "id": f"call_{i}", "type": "function", "function": {"name": "weather", "arguments": f'{{"city":"{city}"}}'}}
                  for i, city in enumerate(("Paris", "Oslo"))]
        models.answers[GPT] = "events:" + json.dumps([{"choices": [{"delta": {"tool_calls": [piece]}}]} for piece in pieces] +
                                                     [{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}])
        calls = [call for chunk in chunks(chat(live, stream=True)) for choice in chunk["choices"]
                 for call in choice["delta"].get("tool_calls", [])]
        assert calls == [{**piece, "index": i} for i, piece in enumerate(pieces)]

    def test_null_is_as_good_as_nothing(self, live, models):
        nothing = {name: None for name in ("stream", "stream_options", "stop", "tools", "tool_choice", "response_format", "metadata",
                                           "temperature", "top_p", "max_tokens", "seed", "n", "user", "logprobs", "functions",
                                           "parallel_tool_calls", "reasoning_effort")}
        messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "refusal": None, "audio": None,
                    "function_call": None, "annotations": [], "tool_calls": None}, {"role": "user", "content": "and?"}]
        assert chat(live, **nothing, messages=messages).status_code == 200
        assert set(models.calls[0]["body"]) == {"model", "messages"}
        assert models.calls[0]["body"]["messages"][1] == {"role": "assistant", "content": None}
        refused(chat(live, messages=[{"role": "user", "content": 7}]), "messages.0")

    def test_names_of_models_have_slashes(self, live, models):
        for path in ("maker/family/model", "maker%2Ffamily%2Fmodel"):
            assert live.get(f"/v1/models/{path}").json()["id"] == "maker/family/model"
        answer = live.get("/v1/models/maker/family")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "model_not_found")
        assert said(chat(live, model="maker/family/model"))[0] == "hi"

    @pytest.fixture(scope="class")
    def locked(self):
        with Service("orchestrator", {"ORCH_API_KEY": KEY, "ORCH_MAX_REQUEST_BODY_BYTES": "10000", "ORCH_MAX_GATEWAY_BODY_BYTES": "10000"}) as service:
            yield service

    @pytest.mark.parametrize("method, path, status", [
        ("POST", "/v1/audio", 404), ("POST", "/v1/embeddings", 400), ("GET", "/v1/responses/resp_x", 404), ("GET", "/v1", 404), ("GET", "/v1/", 404), ("DELETE", "/v1/models", 405),
        ("GET", "/v1/chat/completions", 405), ("GET", "/v1/chat", 404), ("POST", "/v1/chat/completions", 400)])
    def test_errors_of_all_paths_have_one_form(self, locked, method, path, status):
        for key, expected in ((KEY, status), ("wrong", 401)):
            answer = locked.send(method, path, headers={"Authorization": f"bearer {key}"}, checked=False)
            assert answer.status_code == expected, answer.text
            assert set(answer.json()["error"]) == {"message", "type", "param", "code", "request_id"}

    def test_and_so_have_those_that_nginx_makes(self, locked):
        for path in ("/v1/chat/completions", "/v1/other"):
            answer = locked.send("POST", path, data=b"x" * 2_000_000, headers={"Authorization": f"Bearer {KEY}"}, checked=False)
            error = answer.json()["error"]
            assert (answer.status_code, error["type"], error["code"]) == (413, "invalid_request_error", "too_large")
            assert error["request_id"] == answer.headers["X-Request-ID"]
        answer = locked.send("POST", "/api/v1/orchestrate", data=b"x" * 2_000_000, checked=False)
        assert answer.status_code == 413 and answer.json()["status"] == 413

    def test_public_files_that_do_not_exist_are_not_found(self, locked):
        for path in ("/nothing.html", "/js/nothing.js", "/css/nothing.css", "/icons/nothing.png"):
            assert locked.send("GET", path, checked=False).status_code == 404, path
            assert locked.send("POST", path, checked=False).status_code == 401, path
        assert locked.send("GET", "/api/v1/nothing", checked=False).status_code == 401


class TestOneKey:
    """With the key of one provider alone, what does not name a model works."""

    KEYS = {"openai": ("gpt-5-4-api", GPT, "ORCH_ANTHROPIC_API_KEY"),
            "anthropic": ("claude-sonnet-4-6-api", CLAUDE, "ORCH_OPENAI_API_KEY")}

    @pytest.fixture(scope="class", params=KEYS)
    def lonely(self, request, models, tmp_path_factory):
        path = tmp_path_factory.mktemp("models") / "models.json"
        path.write_text(json.dumps([{"id": "own", "provider": "local", "protocol": "openai", "model": "own",
                                     "base_url": models.url + "/v1", "api_key_env": "ASSAY_NOT_THERE"}]))
        others = {f"ORCH_{name}_API_KEY": "" for name in ("OPENAI", "ANTHROPIC", "MISTRAL") if name != request.param.upper()}
        env = {**models.settings, **others, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_MODELS_FILE": str(path)}
        with Service("orchestrator", env) as service:
            yield service, *self.KEYS[request.param]

    def test_a_bare_prompt_goes_to_the_model_that_can_be_called(self, lonely, models):
        service, model, name, _ = lonely
        models.answers[name] = "text:yes"
        task = service.post("/api/v1/orchestrate", {"prompt": "hi"}).json()
        assert (task["status"], task["model"]["id"]) == ("succeeded", model)
        for route in ("smart", "smart/v2", "debate", "compare", "batch", "pipeline"):
            body = {"debate": {"topic": "hi"}, "batch": {"prompts": ["hi"]}}.get(route, {"prompt": "hi"})
            answer = service.post(f"/api/v1/{route}", body)
            assert answer.status_code == 200 and "not configured" not in answer.text, route

    @pytest.mark.parametrize("way", ("orch:smart", "orch:consensus"))
    def test_so_do_ways_of_asking(self, lonely, models, way):
        service, _, name, _ = lonely
        models.answers[name] = "text:yes"
        for streamed in (False, True):
            assert said(chat(service, model=way, stream=streamed))[0] == "yes"
        assert {call["model"] for call in models.calls} == {name} and not models.embedded

    def test_agreement_without_embeddings_is_that_of_words(self, lonely, models):
        service, _, name, _ = lonely
        answers = ["a grey cat sat on the mat", "it is blue", "the grey cat sat on a mat"] * 2
        models.answers[name] = ["text:" + answer for answer in answers]
        assert "grey cat" in said(chat(service, model="orch:consensus"))[0]

    def test_what_can_be_called_comes_first(self, lonely):
        service, model, _, missing = lonely
        rows = service.get("/v1/models").json()["data"]
        told = [(row["id"], row["callable"], row["reason"]) for row in rows]
        assert told[:3] == [("orch:smart", True, None), ("orch:consensus", True, None), (model, True, None)]
        assert sorted(told[3:]) == sorted([(next(m for m, _, _ in self.KEYS.values() if m != model), False, f"{missing} is not set."),
                                           ("own", False, "ASSAY_NOT_THERE is not set.")])
        assert service.get("/v1/models/own").json()["callable"] is False


class TestWaiting:
    def test_lists_of_models_do_not_wait_behind_chats(self, models):
        models.answers[GPT] = "stall:20"
        env = {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ASSAY_WORKERS_ORCHESTRATOR_STREAMS": "1"}
        with Service("orchestrator", env) as service:
            with service.send("POST", "/api/v1/orchestrate/stream", json={"prompt": "hi", "model": "gpt-5-4-api"}, stream=True,
                              checked=False):
                wait_for(lambda: models.running)
                started = time.monotonic()
                assert service.get("/v1/models").status_code == service.get("/v1/models/gpt-5-4-api").status_code == 200
                assert time.monotonic() - started < 5

    def test_many_may_wait(self):
        """The table itself: a process per core, and each serves thousands side by side."""
        rows = [row for row in ROWS if row[:2] == ["family", "orchestrator"]]
        assert {row[2]: row[3] for row in rows if row[2] in ("sync", "streams")} == {"sync": "cores", "streams": "cores"}
