"""/v1/chat/completions, /v1/completions and /v1/embeddings over every protocol of a provider."""

import base64
import json
import struct

import pytest

from gateway import PDF, PNG, SCHEMA, TOOL, events, say, serve, write_models
from service import Service

pytest_plugins = ["gateway_fixtures"]
pytestmark = pytest.mark.usefixtures("forget")
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": TOOL}}]
CALLS = [["call_1", "weather", {"city": "Oslo"}], ["call_2", "weather", {"city": "Rome"}]]
FORMAT = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA, "strict": True}}
PROTOCOLS = ("openai", "azure", "anthropic", "mistral", "gemini", "ollama")


@pytest.fixture(scope="module")
def live(models, tmp_path_factory):
    with serve(models, tmp_path_factory, ORCH_STREAM_SILENCE_SECONDS="1") as service:
        yield service


def chat(live, protocol, **body):
    return live.post("/v1/chat/completions", {"model": f"at-{protocol}", "messages": [{"role": "user", "content": "hi"}], **body})


def choices(answer):
    """Choices of an answer, or those that the chunks of its stream make, as clients put them together."""
    if not answer.headers["Content-Type"].startswith("text/event-stream"):
        assert answer.status_code == 200, answer.text
        return [{**c["message"], "finish": c["finish_reason"], "logprobs": c.get("logprobs")} for c in answer.json()["choices"]]
    made = {}
    told = events(answer)
    assert told[-1][1] == "[DONE]"
    for _, chunk in told[:-1]:
        for choice in chunk["choices"]:
            message = made.setdefault(choice["index"], {"content": "", "finish": None, "logprobs": None, "calls": {}})
            delta = choice["delta"]
            for name in ("role", "content", "refusal", "reasoning_content"):
                if delta.get(name):
                    message[name] = (message.get(name) or "") + delta[name]
            for call in delta.get("tool_calls", []):
                known = message["calls"].setdefault(call["index"], {"id": "", "function": {"name": "", "arguments": ""}})
                known["id"] += call.get("id", "")
                for name in ("name", "arguments"):
                    known["function"][name] += call["function"].get(name, "")
            if choice.get("logprobs"):
                message["logprobs"] = {"content": (message["logprobs"] or {"content": []})["content"] + choice["logprobs"]["content"]}
            message["finish"] = choice["finish_reason"] or message["finish"]
    for message in made.values():
        assert message["role"] == "assistant"
        message["tool_calls"] = list(message.pop("calls").values())
    return [made[i] for i in sorted(made)]


@pytest.mark.parametrize("streamed", (False, True), ids=("whole", "streamed"))
@pytest.mark.parametrize("protocol", PROTOCOLS)
class TestEveryProtocol:
    def test_parallel_calls_and_their_results(self, live, models, protocol, streamed):
        models.answers[protocol] = [say(text="Let me look.", tools=CALLS), say(text="Cold.")]
        [message] = choices(chat(live, protocol, stream=streamed, tools=TOOLS))
        assert (message["content"], message["finish"]) == ("Let me look.", "tool_calls")
        calls = [{"type": "function", "id": c["id"], "function": c["function"]} for c in message["tool_calls"]]
        assert [json.loads(c["function"]["arguments"]) for c in calls] == [call[2] for call in CALLS]
        assert len({c["id"] for c in calls}) == 2
        results = [{"role": "tool", "tool_call_id": c["id"], "content": f"{n} degrees"} for n, c in enumerate(calls)]
        [final] = choices(chat(live, protocol, stream=streamed, tools=TOOLS, messages=[
            {"role": "user", "content": "hi"}, {"role": "assistant", "content": "Let me look.", "tool_calls": calls}, *results]))
        assert final["content"] == "Cold." and "1 degrees" in json.dumps(models.calls[1]["body"])

    def test_a_format(self, live, models, protocol, streamed):
        models.answers[protocol] = say(tools=[["t", "answer_as_json", {"name": "Ann"}]]) if protocol == "anthropic" else \
            say(text='{"name": "Ann"}')
        [message] = choices(chat(live, protocol, stream=streamed, response_format=FORMAT))
        assert json.loads(message["content"]) == {"name": "Ann"} and message["finish"] == "stop" and not message.get("tool_calls")
        assert '"additionalProperties": false' in json.dumps(models.calls[0]["body"])

    def test_a_format_beside_tools(self, live, models, protocol, streamed):
        models.answers[protocol] = say(tools=CALLS[:1])
        [message] = choices(chat(live, protocol, stream=streamed, response_format=FORMAT, tools=TOOLS))
        assert message["finish"] == "tool_calls" and message["tool_calls"][0]["function"]["name"] == "weather"
        if protocol == "anthropic":
            assert models.calls[0]["body"]["tool_choice"] == {"type": "any"}
            assert [t["name"] for t in models.calls[0]["body"]["tools"]] == ["weather", "answer_as_json"]

    def test_thoughts(self, live, models, protocol, streamed):
        models.answers[protocol] = say(text="done", thoughts=[["I think so", "c2lnbmVk"]])
        [message] = choices(chat(live, protocol, stream=streamed, reasoning_effort="medium"))
        assert (message["reasoning_content"], message["content"]) == ("I think so", "done")
        sent = models.calls[0]["body"]
        asked = {"anthropic": sent.get("thinking"), "ollama": sent.get("think"),
                 "gemini": sent.get("generationConfig", {}).get("thinkingConfig")}.get(protocol, sent.get("reasoning_effort"))
        assert asked == {"anthropic": {"type": "enabled", "budget_tokens": 4096}, "ollama": "medium",
                         "gemini": {"thinkingBudget": 4096, "includeThoughts": True}}.get(protocol, "medium")


class TestPlaces:
    def test_addresses_and_keys(self, live, models):
        for protocol in ("azure", "azure-versioned", "gemini", "ollama"):
            for streamed in (False, True):
                choices(chat(live, protocol, stream=streamed))
        assert [call["path"] for call in models.calls] == [
            *["/openai/v1/chat/completions"] * 2,
            *["/openai/deployments/azure-versioned/chat/completions?api-version=2024-10-21"] * 2,
            "/v1beta/models/gemini:generateContent", "/v1beta/models/gemini:streamGenerateContent?alt=sse", *["/api/chat"] * 2]

    def test_headers_of_keys(self, models, tmp_path_factory):
        path = tmp_path_factory.mktemp("models") / "models.json"
        write_models(path, models.url, api_key_env="ASSAY_TEST_MODEL_KEY")
        with Service("orchestrator", {**models.settings, "ORCH_MODELS_FILE": str(path), "ASSAY_TEST_MODEL_KEY": "s3cret"}) as service:
            for protocol in ("openai", "azure", "gemini", "anthropic"):
                choices(chat(service, protocol))
        heads = [{k.lower(): v for k, v in call["headers"].items()} for call in models.calls]
        assert [heads[0]["authorization"], heads[1]["api-key"], heads[2]["x-goog-api-key"], heads[3]["x-api-key"]] == \
            ["Bearer s3cret", "s3cret", "s3cret", "s3cret"]


class TestContent:
    @pytest.mark.parametrize("protocol, part", [
        ("openai", {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}}),
        ("anthropic", {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}),
        ("gemini", {"inlineData": {"mimeType": "image/png", "data": PNG}}), ("ollama", PNG)])
    def test_images(self, live, models, protocol, part):
        content = [{"type": "text", "text": "see"},
                   {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}}]
        assert choices(chat(live, protocol, messages=[{"role": "user", "content": content}]))
        sent = models.calls[0]["body"]
        message = sent["contents"][0]["parts"] if protocol == "gemini" else sent["messages"][0]
        assert part in (message["images"] if protocol == "ollama" else message if protocol == "gemini" else message["content"])

    @pytest.mark.parametrize("protocol, part", [
        ("openai", {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}}),
        ("mistral", {"type": "document_url", "document_url": f"data:application/pdf;base64,{PDF}"}),
        ("gemini", {"inlineData": {"mimeType": "application/pdf", "data": PDF}})])
    def test_files(self, live, models, protocol, part):
        content = [{"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}}]
        assert choices(chat(live, protocol, messages=[{"role": "user", "content": content}]))
        sent = models.calls[0]["body"]
        assert part in (sent["contents"][0]["parts"] if protocol == "gemini" else sent["messages"][0]["content"])

    def test_large_ones(self, live, models):
        data = base64.b64encode(b"x" * 9_000_000).decode()
        content = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}]
        assert choices(chat(live, "openai", messages=[{"role": "user", "content": content}]))
        assert models.calls[0]["body"]["messages"][0]["content"][0]["image_url"]["url"].endswith(data)


class TestChoices:
    @pytest.mark.parametrize("streamed", (False, True), ids=("whole", "streamed"))
    def test_several_with_probabilities(self, live, models, streamed):
        models.answers["openai"] = say(choices=["one", "another"], logprobs=True)
        made = choices(chat(live, "openai", stream=streamed, n=2, logprobs=True, top_logprobs=3))
        assert [m["content"] for m in made] == ["one", "another"]
        assert all(m["logprobs"]["content"][0]["logprob"] == -0.25 for m in made)
        sent = models.calls[0]["body"]
        assert (sent["n"], sent["logprobs"], sent["top_logprobs"]) == (2, True, 3)

    def test_signed_thoughts_come_back(self, live, models):
        models.answers["anthropic"] = [say(thoughts=[["hm", "c2ln"]], tools=CALLS[:1]), say(text="Cold.")]
        message = chat(live, "anthropic", tools=TOOLS, reasoning_effort="low").json()["choices"][0]["message"]
        assert message["thinking_blocks"] == [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]
        for kept in (True, False):  # without them, Anthropic would refuse to think on
            sent = message if kept else {k: v for k, v in message.items() if k != "thinking_blocks"}
            chat(live, "anthropic", tools=TOOLS, reasoning_effort="low", messages=[
                {"role": "user", "content": "hi"}, sent, {"role": "tool", "tool_call_id": "call_1", "content": "3"}])
            body = models.calls[-1]["body"]
            assert ("thinking" in body) is kept
            assert body["messages"][1]["content"][0]["type"] == ("thinking" if kept else "tool_use")


class TestCompletions:
    def ask(self, live, **body):
        return live.post("/v1/completions", {"model": "at-openai", "prompt": "hi", **body})

    def test_whole_and_streamed(self, live, models):
        models.answers["openai"] = say(choices=["one", "two"])
        answer = self.ask(live, n=2, stop=["END"], echo=True).json()
        assert [(c["text"], c["index"], c["finish_reason"]) for c in answer["choices"]] == [("hione", 0, "stop"), ("hitwo", 1, "stop")]
        assert answer["object"] == "text_completion" and answer["usage"]["total_tokens"] > 0
        assert models.calls[0]["body"]["messages"] == [{"role": "user", "content": "hi"}]
        told = events(self.ask(live, n=2, stream=True, stream_options={"include_usage": True}))
        texts = ["", ""]
        for _, chunk in told[:-1]:
            for choice in chunk["choices"]:
                texts[choice["index"]] += choice["text"]
        assert texts == ["one", "two"] and told[-1][1] == "[DONE]" and told[-2][1]["usage"]["total_tokens"] > 0

    @pytest.mark.parametrize("body, param", [({"prompt": ["a", "b"]}, "prompt"), ({"prompt": [1, 2]}, "prompt"), ({"suffix": "x"}, "suffix"),
                                             ({"logprobs": 2}, "logprobs"), ({"best_of": 3}, "best_of"),
                                             ({"model": "at-anthropic", "logit_bias": {"1": 2}}, "logit_bias")])
    def test_what_cannot_be_passed_on_is_named(self, live, models, body, param):
        answer = self.ask(live, **body)
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, param) and not models.calls

    def test_errors(self, live, models):
        models.answers["openai"] = "status:429:3"
        answer = self.ask(live)
        assert (answer.status_code, answer.headers["Retry-After"], answer.json()["error"]["type"]) == (429, "3", "rate_limit_error")
        models.answers["openai"] = "cut:half an answer"
        assert events(self.ask(live, stream=True))[-1][1]["error"]["code"] == "provider_unavailable"


class TestEmbeddings:
    def ask(self, live, protocol="openai", **body):
        return live.post("/v1/embeddings", {"model": f"vectors-{protocol}", "input": ["one", "two"], **body})

    @pytest.mark.parametrize("protocol", ("openai", "azure", "azure-versioned", "mistral", "gemini", "ollama"))
    def test_every_protocol(self, live, models, protocol):
        models.vectors.update({"one": [0.5, -0.25, 1e-7], "two": [1.0, 0.0, 3.0]})
        answer = self.ask(live, protocol, dimensions=3).json()
        assert [(d["object"], d["index"], d["embedding"]) for d in answer["data"]] == \
            [("embedding", 0, [0.5, -0.25, 1e-7]), ("embedding", 1, [1.0, 0.0, 3.0])]
        assert (answer["object"], answer["model"]) == ("list", f"vectors-{protocol}")
        assert answer["usage"] == ({"prompt_tokens": 0, "total_tokens": 0} if protocol == "gemini" else
                                   {"prompt_tokens": 2, "total_tokens": 2})
        assert "3" in json.dumps({k: v for k, v in models.embeddings[0]["body"].items() if k != "input"})

    def test_base64(self, live, models):
        models.vectors["one"] = [0.5, -0.25]
        [row] = self.ask(live, input="one", encoding_format="base64").json()["data"]
        assert struct.unpack("<2f", base64.b64decode(row["embedding"])) == (0.5, -0.25)

    def test_numbers_of_tokens(self, live, models):
        assert len(self.ask(live, input=[[1, 2], [3]]).json()["data"]) == 2
        assert self.ask(live, "gemini", input=[[1, 2]]).json()["error"]["param"] == "input"

    def test_it_is_paid_and_a_task(self, live, models):
        before = live.get("/api/v1/tasks?limit=1").json()[0]["task_id"]
        assert self.ask(live).status_code == 200
        task = live.get("/api/v1/tasks?limit=1").json()[0]
        assert task["task_id"] != before and task["status"] == "succeeded"
        step = live.get(f"/api/v1/tasks/{task['task_id']}").json()["results"][0]
        assert step["cost_usd"] == pytest.approx(2e-6)

    @pytest.mark.parametrize("protocol, body, status, param", [
        ("openai", {"input": []}, 400, "input"), ("openai", {"input": [""]}, 400, "input"), ("openai", {"input": {"a": 1}}, 400, "input"),
        ("anthropic", {}, 400, "model"), ("openai", {"encoding_format": "hex"}, 400, "encoding_format"),
        ("gemini", {"user": "u"}, 400, "user"), ("ollama", {"other": 1}, 400, "other"), ("nowhere", {}, 404, None),
        ("openai", {"model": "orch:smart"}, 400, "model")])
    def test_what_cannot_be_asked_is_named(self, live, models, protocol, body, status, param):
        answer = self.ask(live, protocol, **body)
        assert (answer.status_code, answer.json()["error"]["param"]) == (status, param), answer.text
        assert not models.embeddings

    def test_failures(self, live, models):
        models.embedding_status = 500
        assert self.ask(live).status_code == 503
        models.embedding_status = 429
        assert self.ask(live).status_code == 429

    def test_models_for_vectors_answer_nothing(self, live, models):
        answer = live.post("/v1/chat/completions", {"model": "vectors-openai", "messages": [{"role": "user", "content": "hi"}]})
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, "model")
