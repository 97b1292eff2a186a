"""/v1/messages, Anthropic's dialect, over every protocol of a provider: whole and streamed, tools and their results, images
and documents, thoughts, formats, refusals by name and errors in Anthropic's envelope."""

import json

import pytest

from gateway import MODELS, PDF, PNG, SCHEMA, TOOL, events, say, serve
from service import Service

pytest_plugins = ["gateway_fixtures"]
pytestmark = pytest.mark.usefixtures("forget")
TOOLS = [{"name": "weather", "description": "The weather.", "input_schema": TOOL}]
CALLS = [["toolu_1", "weather", {"city": "Oslo"}], ["toolu_2", "weather", {"city": "Rome"}]]
PROTOCOLS = ("openai", "azure", "anthropic", "mistral", "gemini", "ollama")


@pytest.fixture(scope="module")
def live(models, tmp_path_factory):
    with serve(models, tmp_path_factory, ORCH_STREAM_SILENCE_SECONDS="1") as service:
        yield service


def ask(live, protocol="anthropic", **body):
    return live.post("/v1/messages", {"model": f"at-{protocol}", "max_tokens": 100,
                                      "messages": [{"role": "user", "content": "hi"}], **body})


def whole(answer):
    """The message of an answer, or the one that the events of its stream make."""
    if not answer.headers["Content-Type"].startswith("text/event-stream"):
        assert answer.status_code == 200, answer.text
        return answer.json()
    told = events(answer)
    assert all(name == document["type"] for name, document in told)
    assert [name for name, _ in told][0] == "message_start" and [name for name, _ in told][-2:] == ["message_delta", "message_stop"]
    message = told[0][1]["message"]
    assert message["content"] == [] and message["stop_reason"] is None
    for name, document in told[1:-1]:
        if name == "content_block_start":
            assert document["index"] == len(message["content"])
            message["content"].append({**document["content_block"], "json": ""})
        elif name == "content_block_delta":
            block, delta = message["content"][document["index"]], document["delta"]
            for member in ("text", "thinking", "signature"):
                if member in delta:
                    block[member] = block.get(member, "") + delta[member]
            block["json"] += delta.get("partial_json", "")
        elif name == "message_delta":
            message.update(document["delta"], usage=document["usage"])
    for block in message["content"]:
        text = block.pop("json")
        if block["type"] == "tool_use":
            block["input"] = json.loads(text)
    return message


@pytest.mark.parametrize("streamed", (False, True), ids=("whole", "streamed"))
@pytest.mark.parametrize("protocol", PROTOCOLS)
class TestEveryProtocol:
    def test_text(self, live, models, protocol, streamed):
        models.answers[protocol] = say(text="two words")
        message = whole(ask(live, protocol, stream=streamed, system="Be brief.", temperature=0.5, stop_sequences=["END"]))
        assert message["content"] == [{"type": "text", "text": "two words"}]
        assert (message["type"], message["role"], message["model"], message["stop_reason"]) == \
            ("message", "assistant", f"at-{protocol}", "end_turn")
        assert message["usage"]["input_tokens"] > 0 and message["usage"]["output_tokens"] > 0 and message["id"].startswith("msg_")
        sent = json.dumps(models.calls[0]["body"])
        assert "Be brief." in sent and "END" in sent and len(models.calls) == 1

    def test_parallel_calls_of_tools_and_their_results(self, live, models, protocol, streamed):
        models.answers[protocol] = [say(text="Let me look.", tools=CALLS), say(text="Cold.")]
        message = whole(ask(live, protocol, stream=streamed, tools=TOOLS))
        assert message["stop_reason"] == "tool_use" and message["content"][0] == {"type": "text", "text": "Let me look."}
        calls = message["content"][1:]
        assert [(c["type"], c["name"], c["input"]) for c in calls] == [("tool_use", "weather", call[2]) for call in CALLS]
        assert len({c["id"] for c in calls}) == 2 and all(c["id"] for c in calls)
        results = [{"type": "tool_result", "tool_use_id": c["id"], "content": f"{n} degrees"} for n, c in enumerate(calls)]
        final = whole(ask(live, protocol, stream=streamed, tools=TOOLS, messages=[
            {"role": "user", "content": "hi"}, {"role": "assistant", "content": message["content"]},
            {"role": "user", "content": results}]))
        assert final["content"] == [{"type": "text", "text": "Cold."}]
        sent = json.dumps(models.calls[1]["body"])
        assert "0 degrees" in sent and "1 degrees" in sent and "Oslo" in sent

    def test_thoughts(self, live, models, protocol, streamed):
        models.answers[protocol] = say(text="done", thoughts=[["I think so", "c2lnbmVk"]])
        message = whole(ask(live, protocol, stream=streamed, max_tokens=5000, thinking={"type": "enabled", "budget_tokens": 2000}))
        assert [b["type"] for b in message["content"]] == ["thinking", "text"]
        assert message["content"][0]["thinking"] == "I think so"
        if protocol == "anthropic":
            assert message["content"][0]["signature"] == "c2lnbmVk"
            assert models.calls[0]["body"]["thinking"] == {"type": "enabled", "budget_tokens": 2000}


class TestAnthropicItself:
    def test_what_it_knows_is_passed_on(self, live, models):
        blocks = [{"type": "text", "text": "look", "cache_control": {"type": "ephemeral"}},
                  {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                  {"type": "image", "source": {"type": "url", "url": "https://example.com/x.png"}},
                  {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}, "title": "A",
                   "citations": {"enabled": True}},
                  {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain"}}]
        tools = [{**TOOLS[0], "cache_control": {"type": "ephemeral"}}]
        wanted = {"tools": tools, "tool_choice": {"type": "any", "disable_parallel_tool_use": True}, "top_k": 5, "top_p": 0.5,
                  "metadata": {"user_id": "u-1"}, "service_tier": "standard_only", "stop_sequences": ["END"],
                  "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]}
        assert ask(live, messages=[{"role": "user", "content": blocks}], **wanted).status_code == 200
        sent = models.calls[0]["body"]
        assert {name: sent.get(name) for name in wanted} == wanted
        assert sent["messages"] == [{"role": "user", "content": blocks}] and sent["max_tokens"] == 100
        assert models.calls[0]["headers"]["anthropic-version"] == "2023-06-01"

    def test_thoughts_go_back_with_their_signature(self, live, models):
        thoughts = [["hm", "c2ln"], {"sealed": "c2VhbGVk"}]
        models.answers["anthropic"] = [say(thoughts=thoughts, tools=CALLS[:1]), say(text="Cold.")]
        thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 4000, "tools": TOOLS}
        for streamed in (False, True):
            models.calls.clear()
            models.answers["anthropic"] = [say(thoughts=thoughts, tools=CALLS[:1]), say(text="Cold.")]
            content = whole(ask(live, stream=streamed, **thinking))["content"]
            assert [b["type"] for b in content] == ["thinking", "redacted_thinking", "tool_use"]
            result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "no"}], "is_error": True}
            ask(live, messages=[{"role": "user", "content": "hi"}, {"role": "assistant", "content": content},
                                {"role": "user", "content": [result]}], **thinking)
            sent = models.calls[1]["body"]["messages"]
            assert sent[1]["content"] == [{"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                                          {"type": "redacted_thinking", "data": "c2VhbGVk"},
                                          {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}}]
            assert sent[2]["content"][0]["is_error"] is True and sent[2]["content"][0]["content"] == "no"

    def test_the_text_that_stopped_it(self, live, models):
        models.answers["anthropic"] = say(text="a", stopped_by="END")
        for streamed in (False, True):
            message = whole(ask(live, stream=streamed))
            assert (message["stop_reason"], message["stop_sequence"]) == ("stop_sequence", "END")

    def test_usage_of_the_cache(self, live, models):
        models.answers["anthropic"] = "body:" + json.dumps({
            "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 10}})
        assert whole(ask(live))["usage"] == {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 100,
                                             "cache_creation_input_tokens": 10}


class TestOtherProviders:
    def test_a_format_of_the_answer(self, live, models):
        wanted = {"output_format": {"type": "json_schema", "schema": SCHEMA}}
        models.answers["openai"] = say(text='{"name": "Ann"}')
        assert json.loads(whole(ask(live, "openai", **wanted))["content"][0]["text"]) == {"name": "Ann"}
        assert models.calls[0]["body"]["response_format"]["json_schema"]["schema"] == SCHEMA
        models.answers["anthropic"] = say(tools=[["t", "answer_as_json", {"name": "Ann"}]])
        for streamed in (False, True):
            message = whole(ask(live, stream=streamed, **wanted))
            assert json.loads(message["content"][0]["text"]) == {"name": "Ann"} and message["stop_reason"] == "end_turn"
        assert models.calls[1]["body"]["tool_choice"] == {"type": "tool", "name": "answer_as_json"}

    @pytest.mark.parametrize("protocol, part", [
        ("openai", {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}),
        ("mistral", {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}),
        ("gemini", {"inlineData": {"mimeType": "image/png", "data": PNG}})])
    def test_images(self, live, models, protocol, part):
        source = {"type": "base64", "media_type": "image/png", "data": PNG}
        ask(live, protocol, messages=[{"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image", "source": source}]}])
        sent = models.calls[0]["body"]
        assert part in (sent["contents"][0]["parts"] if protocol == "gemini" else sent["messages"][0]["content"])

    @pytest.mark.parametrize("protocol, body, param", [
        ("openai", {"container": "c-1"}, "container"), ("gemini", {"mcp_servers": [{"name": "x"}]}, "mcp_servers"),
        ("ollama", {"tools": TOOLS, "tool_choice": {"type": "any"}}, "tool_choice"),
        ("gemini", {"metadata": {"user_id": "u"}}, "metadata.user_id"),
        ("openai", {"metadata": {"other": "u"}}, "metadata.other"),
        ("anthropic", {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "tools.0"),
        ("anthropic", {"messages": [{"role": "system", "content": "x"}]}, "messages.0"),
        ("anthropic", {"messages": [{"role": "user", "content": [{"type": "search_result"}]}]}, "messages.0"),
        ("anthropic", {"tool_choice": {"type": "tool"}}, "tool_choice"), ("anthropic", {"stop_sequences": [1]}, "stop_sequences"),
        ("anthropic", {"output_format": {"type": "text"}}, "output_format"), ("anthropic", {"max_tokens": 0}, "max_tokens"),
        ("ollama", {"messages": [{"role": "user", "content": [{"type": "document", "source": {
            "type": "base64", "media_type": "application/pdf", "data": PDF}}]}]}, "messages.0.content.0"),
        ("ollama", {"service_tier": "auto"}, "service_tier")])
    def test_what_cannot_be_passed_on_is_named(self, live, models, protocol, body, param):
        answer = ask(live, protocol, **body)
        assert answer.status_code == 400 and not models.calls, answer.text
        error = answer.json()
        assert error["type"] == "error" and error["error"]["type"] == "invalid_request_error"
        assert f"body.{param}: " in error["error"]["message"] and error["request_id"]

    def test_ways_of_asking(self, live, models):
        for model in ("orch:smart", "orch:consensus"):
            for streamed in (False, True):
                models.answers["claude-sonnet-4-6-20250514"] = "text:one answer"
                answer = live.post("/v1/messages", {"model": model, "messages": [{"role": "user", "content": "hi"}], "max_tokens": 10})
                assert answer.status_code == 400 and "max_tokens" in answer.text, answer.text


class TestErrors:
    @pytest.mark.parametrize("rule, status, kind", [
        ("status:429:7", 429, "rate_limit_error"), ("status:500", 503, "overloaded_error"), ("nonsense", 502, "api_error"),
        ("status:401", 502, "api_error"), ('refuse:400:{"error":{"message":"too long"}}', 400, "invalid_request_error"),
        ("close", 503, "overloaded_error")])
    @pytest.mark.parametrize("streamed", (False, True), ids=("whole", "streamed"))
    def test_before_an_answer(self, live, models, rule, status, kind, streamed):
        if streamed and rule == "nonsense":  # a stream that ends before it has begun
            status, kind = 503, "overloaded_error"
        for protocol in ("anthropic", "openai", "gemini"):
            models.answers[protocol] = rule
            answer = ask(live, protocol, stream=streamed)
            error = answer.json()
            assert (answer.status_code, error["type"], error["error"]["type"]) == (status, "error", kind), (protocol, answer.text)
            assert set(error) == {"type", "error", "request_id"} and (status != 429 or answer.headers["Retry-After"] == "7")

    @pytest.mark.parametrize("rule", ("cut:half an answer", "fault:half an answer", "quiet:half an answer"))
    def test_within_a_stream(self, live, models, rule):
        for protocol in ("anthropic", "openai", "gemini", "ollama"):
            models.answers[protocol] = rule
            told = events(ask(live, protocol, stream=True))
            assert told[-1][0] == "error" and told[-1][1]["type"] == "error" and told[-1][1]["error"]["message"], protocol
            assert "message_stop" not in [name for name, _ in told]

    def test_models_and_paths_that_do_not_exist(self, live):
        answer = ask(live, "nowhere")
        assert (answer.status_code, answer.json()["error"]["type"]) == (404, "not_found_error")
        answer = live.send("POST", "/v1/messages", data=b"{", checked=False)
        assert answer.status_code == 400 and answer.json()["type"] == "error"

    def test_keys(self, models):
        with Service("orchestrator", {**models.settings, "ORCH_API_KEY": "the-key"}) as service:
            for headers, status in (({"x-api-key": "the-key"}, 200), ({"Authorization": "Bearer the-key"}, 200), ({"x-api-key": "no"}, 401),
                                    ({}, 401)):
                answer = service.send("POST", "/v1/messages", headers={**headers, "anthropic-version": "2023-06-01"}, checked=False, json={
                    "model": "claude-sonnet-4-6-api", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]})
                assert answer.status_code == status, answer.text
            assert answer.json()["error"]["type"] == "authentication_error"


def test_every_protocol_has_a_model():
    assert {name.partition("-")[0] for name in MODELS} == set(PROTOCOLS)
