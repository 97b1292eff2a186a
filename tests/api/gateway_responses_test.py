"""/v1/responses, OpenAI's dialect with stored answers, over every protocol of a provider: whole and streamed, tools, thoughts,
formats, continuations, whose answers they are, and for how long."""

import json

import pytest

from gateway import PDF, PNG, SCHEMA, TOOL, events, say, serve

pytest_plugins = ["gateway_fixtures"]
pytestmark = pytest.mark.usefixtures("forget")
TOOLS = [{"type": "function", "name": "weather", "description": "The weather.", "parameters": TOOL, "strict": False}]
CALLS = [["call_1", "weather", {"city": "Oslo"}], ["call_2", "weather", {"city": "Rome"}]]
PROTOCOLS = ("openai", "azure", "anthropic", "mistral", "gemini", "ollama")


@pytest.fixture(scope="module")
def live(models, tmp_path_factory):
    with serve(models, tmp_path_factory, ORCH_STREAM_SILENCE_SECONDS="1") as service:
        yield service


def ask(live, protocol="openai", **body):
    return live.post("/v1/responses", {"model": f"at-{protocol}", "input": "hi", **body})


def whole(answer):
    """The answer, or the one at the end of a stream whose events lead there."""
    if not answer.headers["Content-Type"].startswith("text/event-stream"):
        assert answer.status_code == 200, answer.text
        return answer.json()
    told = events(answer)
    assert all(name == document["type"] and document["sequence_number"] == i for i, (name, document) in enumerate(told))
    assert [name for name, _ in told][:2] == ["response.created", "response.in_progress"]
    final = told[-1][1]["response"]
    output = {}
    for name, document in told:
        at = output.get(document.get("output_index"))
        if name == "response.output_item.added":
            assert document["output_index"] == len(output) and document["item"]["status"] == "in_progress"
            output[document["output_index"]] = {"text": "", "item": document["item"]}
        elif name.endswith(".delta"):
            assert document["item_id"] == at["item"]["id"]
            at["text"] += document["delta"]
        elif name == "response.output_item.done":
            assert document["item"]["id"] == at["item"]["id"]
            at["item"] = document["item"]
    assert [o["item"] for o in output.values()] == final["output"]
    for o in output.values():
        assert o["text"] == text_of(o["item"])
    return final


def text_of(item):
    parts = item.get("content") or item.get("summary") or [{"text": item.get("arguments", "")}]
    return "".join(p.get("text") or p.get("refusal") or "" for p in parts)


@pytest.mark.parametrize("streamed", (False, True), ids=("whole", "streamed"))
@pytest.mark.parametrize("protocol", PROTOCOLS)
class TestEveryProtocol:
    def test_text_and_its_continuation(self, live, models, protocol, streamed):
        models.answers[protocol] = [say(text="two words"), say(text="more")]
        first = whole(ask(live, protocol, stream=streamed, instructions="Be brief.", metadata={"a": "b"}, temperature=0.5))
        assert (first["object"], first["status"], first["error"], first["incomplete_details"]) == ("response", "completed", None, None)
        assert [(i["type"], i["role"], i["status"], text_of(i)) for i in first["output"]] == \
            [("message", "assistant", "completed", "two words")]
        assert first["usage"]["total_tokens"] == first["usage"]["input_tokens"] + first["usage"]["output_tokens"] > 0
        assert (first["instructions"], first["metadata"], first["temperature"], first["store"]) == ("Be brief.", {"a": "b"}, 0.5, True)
        second = whole(ask(live, protocol, stream=streamed, input="and?", previous_response_id=first["id"]))
        assert second["previous_response_id"] == first["id"] and text_of(second["output"][0]) == "more"
        sent = json.dumps(models.calls[1]["body"])
        assert "two words" in sent and "and?" in sent and "Be brief." not in sent
        assert live.get(f"/v1/responses/{first['id']}").json() == first

    def test_parallel_calls_and_their_results(self, live, models, protocol, streamed):
        models.answers[protocol] = [say(text="Let me look.", tools=CALLS), say(text="Cold.")]
        first = whole(ask(live, protocol, stream=streamed, tools=TOOLS))
        assert [i["type"] for i in first["output"]] == ["message", "function_call", "function_call"]
        calls = first["output"][1:]
        assert [(c["name"], json.loads(c["arguments"])) for c in calls] == [("weather", call[2]) for call in CALLS]
        results = [{"type": "function_call_output", "call_id": c["call_id"], "output": f"{n} degrees"} for n, c in enumerate(calls)]
        for more in ({"input": results, "previous_response_id": first["id"]},
                     {"input": [{"role": "user", "content": "hi"}, *first["output"], *results]}):
            models.answers[protocol] = say(text="Cold.")
            final = whole(ask(live, protocol, stream=streamed, tools=TOOLS, **more))
            assert [text_of(i) for i in final["output"]] == ["Cold."]
            sent = json.dumps(models.calls[-1]["body"])
            assert "0 degrees" in sent and "1 degrees" in sent and "Oslo" in sent

    def test_thoughts(self, live, models, protocol, streamed):
        models.answers[protocol] = say(text="done", thoughts=[["I think so", "c2lnbmVk"]])
        answer = whole(ask(live, protocol, stream=streamed, reasoning={"effort": "low", "summary": "auto"}))
        assert [(i["type"], text_of(i)) for i in answer["output"]] == [("reasoning", "I think so"), ("message", "done")]


class TestParameters:
    def test_they_are_said_as_chats_say_them(self, live, models):
        models.answers["openai"] = say(text='{"name": "Ann"}')
        answer = whole(ask(live, text={"format": {"type": "json_schema", "name": "person", "schema": SCHEMA, "strict": True},
                                       "verbosity": "low"}, max_output_tokens=50, reasoning={"effort": "high"}, user="u",
                           service_tier="flex", parallel_tool_calls=False, tools=TOOLS, top_p=0.5, prompt_cache_key="k",
                           tool_choice={"type": "function", "name": "weather"}))
        sent = models.calls[0]["body"]
        assert sent["response_format"] == {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA, "strict": True}}
        assert {name: sent[name] for name in ("verbosity", "reasoning_effort", "user", "service_tier", "parallel_tool_calls", "top_p",
                                              "prompt_cache_key", "tool_choice")} == \
            {"verbosity": "low", "reasoning_effort": "high", "user": "u", "service_tier": "flex", "parallel_tool_calls": False,
             "top_p": 0.5, "prompt_cache_key": "k", "tool_choice": {"type": "function", "function": {"name": "weather"}}}
        assert sent["max_completion_tokens"] == 50 if "max_completion_tokens" in sent else sent["max_tokens"] == 50
        assert answer["tools"] == TOOLS and answer["text"]["format"]["name"] == "person"

    def test_images_and_files(self, live, models):
        content = [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}",
                                                           "detail": "low"},
                   {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}]
        assert whole(ask(live, input=[{"role": "user", "content": content}]))
        assert models.calls[0]["body"]["messages"][0]["content"] == [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}}]
        whole(ask(live, "anthropic", input=[{"role": "user", "content": content}]))
        assert models.calls[1]["body"]["messages"][0]["content"][2] == {
            "type": "document", "title": "a.pdf", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}}

    def test_probabilities(self, live, models):
        models.answers["openai"] = say(text="yes", logprobs=True)
        for streamed in (False, True):
            answer = whole(ask(live, stream=streamed, include=["message.output_text.logprobs"], top_logprobs=2))
            assert answer["output"][0]["content"][0]["logprobs"][0]["logprob"] == -0.25

    def test_why_an_answer_is_incomplete(self, live, models):
        models.answers["openai"] = say(text="half", finish="length")
        for streamed in (False, True):
            answer = whole(ask(live, stream=streamed))
            assert (answer["status"], answer["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})

    def test_thoughts_go_back_with_their_signature(self, live, models):
        wanted = {"tools": TOOLS, "reasoning": {"effort": "low"}, "include": ["reasoning.encrypted_content"]}
        for stored in (True, False):
            models.calls.clear()
            models.answers["anthropic"] = [say(thoughts=[["hm", "c2ln"], {"sealed": "c2VhbGVk"}], tools=CALLS[:1]), say(text="Cold.")]
            first = whole(ask(live, "anthropic", store=stored, stream=True, **wanted))
            result = {"type": "function_call_output", "call_id": "call_1", "output": "3"}
            more = {"previous_response_id": first["id"], "input": [result]} if stored else {
                "input": [{"role": "user", "content": "hi"}, *first["output"], result]}
            whole(ask(live, "anthropic", store=stored, **wanted, **more))
            assert models.calls[1]["body"]["messages"][1]["content"] == [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "redacted_thinking", "data": "c2VhbGVk"},
                {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Oslo"}}]
            assert models.calls[1]["body"]["thinking"] == {"type": "enabled", "budget_tokens": 1024}

    @pytest.mark.parametrize("protocol, body, param", [
        ("openai", {"background": True}, "background"), ("openai", {"truncation": "auto"}, "truncation"),
        ("openai", {"conversation": "c"}, "conversation"), ("openai", {"tools": [{"type": "web_search"}]}, "tools.0"),
        ("openai", {"include": ["web_search_call.results"]}, "include.0"), ("openai", {"input": []}, "input"),
        ("openai", {"input": [{"type": "item_reference", "id": "x"}]}, "input.0"), ("openai", {"input": 7}, "input"),
        ("openai", {"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}]}, "input.0"),
        ("openai", {"previous_response_id": "resp_nothing"}, "previous_response_id"),
        ("openai", {"tool_choice": {"type": "file_search"}}, "tool_choice"),
        ("anthropic", {"text": {"verbosity": "low"}}, "text.verbosity"), ("anthropic", {"top_logprobs": 2}, "include"),
        ("ollama", {"tools": [{**TOOLS[0], "strict": True}]}, "tools.0.strict"),
        ("ollama", {"reasoning": {"effort": "unheard-of"}}, "reasoning.effort"),
        ("anthropic", {"prompt_cache_key": "k"}, "prompt_cache_key"), ("gemini", {"user": "u"}, "user")])
    def test_what_cannot_be_passed_on_is_named(self, live, models, protocol, body, param):
        error = ask(live, protocol, **body)
        assert (error.status_code, error.json()["error"]["param"]) == (400, param), error.text
        assert not models.calls


class TestStore:
    def test_items_may_be_named_by_their_ids(self, live, models):
        """As the Vercel AI SDK does."""
        models.answers["openai"] = [say(tools=CALLS[:1]), say(text="Cold.")]
        first = whole(ask(live, tools=TOOLS))
        reference = {"type": "item_reference", "id": first["output"][0]["id"]}
        result = {"type": "function_call_output", "call_id": "call_1", "output": "3"}
        assert text_of(whole(ask(live, tools=TOOLS, input=[{"role": "user", "content": "hi"}, reference, result]))["output"][0]) == "Cold."
        assert models.calls[1]["body"]["messages"][1]["tool_calls"][0]["function"]["name"] == "weather"

    def test_it_is_not_stored_when_it_must_not_be(self, live, models):
        answer = whole(ask(live, store=False))
        assert answer["store"] is False
        missing = live.get(f"/v1/responses/{answer['id']}")
        assert missing.status_code == 404 and missing.json()["error"]["type"] == "invalid_request_error"

    def test_deleted_answers_cannot_be_continued(self, live, models):
        first = whole(ask(live))
        second = whole(ask(live, previous_response_id=first["id"]))
        assert live.send("DELETE", f"/v1/responses/{first['id']}").json() == {"id": first["id"], "object": "response", "deleted": True}
        assert live.send("DELETE", f"/v1/responses/{first['id']}", checked=False).status_code == 404
        for answer in (first, second):
            assert ask(live, previous_response_id=answer["id"]).json()["error"]["param"] == "previous_response_id"

    def test_items_of_the_input_in_pages(self, live, models):
        items = [{"role": "user", "content": str(i)} for i in range(5)]
        answer = whole(ask(live, input=items))
        path = f"/v1/responses/{answer['id']}/input_items"
        page = live.get(f"{path}?limit=2&order=asc").json()
        assert [i["content"] for i in page["data"]] == ["0", "1"] and page["has_more"] and page["object"] == "list"
        assert all(i["id"] and i["type"] == "message" for i in page["data"]) and page["first_id"] == page["data"][0]["id"]
        rest = live.get(f"{path}?limit=9&order=asc&after={page['last_id']}").json()
        assert [i["content"] for i in rest["data"]] == ["2", "3", "4"] and not rest["has_more"]
        assert [i["content"] for i in live.get(path).json()["data"]] == ["4", "3", "2", "1", "0"]
        assert live.get(f"/v1/responses/{whole(ask(live))['id']}/input_items").json()["data"][0]["content"] == "hi"

    def test_nothing_is_kept_without_days(self, models, tmp_path_factory):
        with serve(models, tmp_path_factory, ORCH_RESPONSES_DAYS="0") as service:
            answer = whole(ask(service, store=True))
            assert answer["store"] is False and service.get(f"/v1/responses/{answer['id']}").status_code == 404

    def test_a_failed_answer_is_not_stored(self, live, models):
        models.answers["openai"] = "cut:half an answer"
        told = events(ask(live, stream=True))
        assert told[-1][0] == "response.failed" and told[-1][1]["response"]["status"] == "failed"
        assert live.get(f"/v1/responses/{told[-1][1]['response']['id']}").status_code == 404


class TestErrors:
    @pytest.mark.parametrize("rule", ("cut:half an answer", "fault:half an answer", "quiet:half an answer"))
    def test_within_a_stream(self, live, models, rule):
        for protocol in ("anthropic", "openai", "gemini", "ollama"):
            models.answers[protocol] = rule
            name, document = events(ask(live, protocol, stream=True))[-1]
            assert name == "response.failed" and document["response"]["error"]["message"], protocol
            assert document["response"]["error"]["code"] == "server_error"

    @pytest.mark.parametrize("rule, status", (("status:429:7", 429), ("status:500", 503), ("close", 503), ("status:401", 502)))
    def test_before_an_answer(self, live, models, rule, status):
        for streamed in (False, True):
            models.answers["openai"] = rule
            answer = ask(live, stream=streamed)
            assert answer.status_code == status and set(answer.json()) == {"error"}


class TestOwners:
    """With virtual keys, every key has its own answers."""

    def test_another_caller_finds_nothing(self, models, tmp_path_factory):
        with serve(models, tmp_path_factory, ORCH_API_KEY="the-key") as service:
            head = {"Authorization": "Bearer the-key"}
            made = service.send("POST", "/v1/responses", json={"model": "at-openai", "input": "hi"}, headers=head).json()
            assert service.send("GET", f"/v1/responses/{made['id']}", headers=head).status_code == 200
            assert service.send("GET", f"/v1/responses/{made['id']}", checked=False).status_code == 401

    def test_another_key_finds_nothing(self, models, tmp_path_factory):
        with serve(models, tmp_path_factory, ORCH_API_KEY="the-key") as service:
            admin = {"Authorization": "Bearer the-key"}
            one, other = ({"Authorization": "Bearer " + service.send("POST", "/api/v1/keys", json={"name": name}, headers=admin)
                           .json()["key"]} for name in ("one", "other"))
            made = service.send("POST", "/v1/responses", json={"model": "at-openai", "input": "hi"}, headers=one).json()
            path = f"/v1/responses/{made['id']}"
            later = {"model": "at-openai", "input": "and?", "previous_response_id": made["id"]}
            by_reference = {"model": "at-openai", "input": [{"type": "item_reference", "id": made["output"][0]["id"]}]}
            for method, at, body in (("GET", path, None), ("GET", path + "/input_items", None), ("DELETE", path, None),
                                     ("POST", "/v1/responses", later), ("POST", "/v1/responses", by_reference)):
                assert service.send(method, at, json=body, headers=other).status_code in (400, 404), (method, at, body)
            assert service.send("GET", path, headers=one).status_code == 200
            assert service.send("POST", "/v1/responses", json=later, headers=one).status_code == 200
