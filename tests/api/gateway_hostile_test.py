"""Hostile upstreams in every dialect: whatever a provider does, the client gets an answer or a true error of his dialect in
time, and the service goes on."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from gateway import events
from service import Service

pytest_plugins = ["gateway_fixtures"]
DEADLINE = 12  # of a request
DEEP = "[" * 5000 + "]" * 5000
WHOLE = {  # what a provider may send instead of an answer
    "nothing": "close", "silence": "stall:30", "no json": "nonsense", "blanks": "empty", "too much": "huge", "an empty object": "body:{}",
    "a list": "body:[]", "a number": "body:7", "null": "body:null", "no choices": 'body:{"choices":[],"content":7,"candidates":[]}',
    "wrong types": 'body:{"choices":[{"message":{"content":{"a":1},"tool_calls":"x"}}],"content":"x","message":7,"candidates":"x"}',
    "deep": f'body:{{"choices":{DEEP}}}', "half": 'body:{"choices":[{"message":{"content":"x', "not utf-8": "body:{\"a\":\"\\ud800\"}",
    "a body cut short": "cut:", "server error": "status:500", "a redirect": "status:302", "no content": "status:204",
    "too many": "status:429:1", "come back in a year": "status:429:31536000", "a strange status": "status:599", "a key refused": "status:403",
}
STREAMS = {"cut": "cut:half an answer", "fault": "fault:half an answer", "silent after a word": "quiet:half an answer",
           "pings for ever": "hang:half an answer", "no events": "events:[]", "events of nothing": "events:[{}, {}, {}]",
           "events that are no objects": 'events:["[1]", "7", "null"]', "no json in events": 'events:["{oops"]',
           "wrong types": 'events:[{"choices":[{"delta":{"content":7,"tool_calls":[7]}}],"delta":7,"candidates":[7]}]',
           "calls beyond number": 'events:[{"choices":[{"delta":{"tool_calls":[{"index":4294967296,"id":"a","function":{"name":"b"}}]}}]}]',
           "choices beyond number": 'events:[{"choices":[{"index":99999,"delta":{"content":"x"}}]}]'}
VECTORS = {  # for two texts
    "no vectors": 'body:{"data":[],"embeddings":[]}', "one vector": 'body:{"data":[{"index":0,"embedding":[1]}]}',
    "three vectors": 'body:{"embeddings":[[1],[1],[1]]}', "an empty vector": 'body:{"data":[{"embedding":[1]},{"embedding":[]}]}',
    "words": 'body:{"embeddings":[["a"],["b"]]}', "a text": 'body:{"data":[{"embedding":"AAAA"},{"embedding":"AAAA"}]}',
    "one place for both": 'body:{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}',
    "a place beyond": 'body:{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]}',
    "beyond a float": 'body:{"embeddings":[{"values":[1e39]},{"values":[1]}]}', "beyond a double": 'body:{"embeddings":[[1e999],[1]]}',
    "too long": f'body:{{"embeddings":[[{"1," * 16384}1],[1]]}}',
}
PROTOCOLS = ("openai", "anthropic", "gemini", "ollama")
WITH_VECTORS = ("openai", "gemini", "ollama")
USER = [{"role": "user", "content": "hi"}]
DIALECTS = {"chat/completions": {"messages": USER}, "responses": {"input": "hi"}, "messages": {"messages": USER, "max_tokens": 50},
            "completions": {"prompt": "hi"}}
EMBEDDINGS = {"embeddings": {"input": ["hi", "ho"]}}


def is_error(dialect, document):
    if dialect == "messages":
        return document["type"] == "error" and set(document["error"]) == {"type", "message"} and document["error"]["message"]
    return {"message", "type", "code", "param"} <= set(document["error"]) and document["error"]["message"]


def is_true_end(dialect, answer):
    """An error of the dialect, or an answer that says how it ended."""
    if answer.headers["Content-Type"].startswith("application/json"):
        return answer.status_code == 200 or (400 <= answer.status_code < 600 and is_error(dialect, answer.json()))
    name, last = events(answer)[-1]
    if dialect == "messages":
        return name == "message_stop" or is_error(dialect, last)
    if dialect == "responses":
        return name in ("response.completed", "response.incomplete") or (
            name == "response.failed" and last["response"]["error"]["message"])
    return last == "[DONE]" or is_error(dialect, last)


def check(service, rules, streamed, dialects=DIALECTS, protocols=PROTOCOLS):
    """All of them at once: what is silent takes its time."""
    def ask(case):
        dialect, (name, rule), protocol = case
        begun = time.monotonic()
        answer = service.post(f"/v1/{dialect}", {"model": f"{protocol} {name}", **dialects[dialect], **({"stream": True} if streamed else {})})
        return case, time.monotonic() - begun, is_true_end(dialect, answer), answer.status_code, answer.text[:300]

    cases = [(dialect, rule, protocol) for dialect in dialects for rule in rules.items() for protocol in protocols]
    with ThreadPoolExecutor(24) as pool:
        told = list(pool.map(ask, cases))
    wrong = [row for row in told if not row[2] or row[1] > DEADLINE + 4]
    assert not wrong, wrong[:5]
    return told


@contextmanager
def serve(models, folder, rules, protocols, dialects, **more):
    """A service with a model for each misbehaviour of each protocol, which goes on afterwards."""
    path = folder / "models.json"
    rows = [{"id": "openai healthy", "provider": "local", "protocol": "openai", "base_url": models.url + "/v1", "model": "echo", **more}]
    for protocol in protocols:
        for name, rule in rules.items():
            models.answers[f"hostile-{name}".replace(" ", "-")] = rule
            base = {"openai": "/v1", "gemini": "/v1beta"}.get(protocol, "")
            rows.append({"id": f"{protocol} {name}", "provider": "local", "protocol": protocol, "base_url": models.url + base,
                         "model": f"hostile-{name}".replace(" ", "-"), "timeout_seconds": 4, "concurrency_limit": 50, **more})
    path.write_text(json.dumps(rows))
    env = {**models.settings, "ORCH_API_BREAKER_FAILURES": "0", "ORCH_MODELS_FILE": str(path), "ORCH_STREAM_SILENCE_SECONDS": "3",
           "ORCH_ORCHESTRATE_TIMEOUT_SECONDS": str(DEADLINE), "ORCH_MAX_ANSWER_BYTES": "1000000"}
    with Service("orchestrator", env) as service:
        yield service
        for dialect, body in dialects.items():
            answer = service.post(f"/v1/{dialect}", {"model": "openai healthy", **body})
            assert answer.status_code == 200, answer.text


@pytest.fixture(scope="module")
def hostile(models, tmp_path_factory):
    rules = {**{f"whole {name}": rule for name, rule in WHOLE.items()}, **{f"stream {name}": rule for name, rule in STREAMS.items()}}
    with serve(models, tmp_path_factory.mktemp("models"), rules, PROTOCOLS, DIALECTS) as service:
        yield service


@pytest.mark.parametrize("streamed", (False, True), ids=("whole", "streamed"))
def test_instead_of_an_answer(hostile, streamed):
    check(hostile, {f"whole {name}": rule for name, rule in WHOLE.items()}, streamed)


def test_within_a_stream(hostile):
    told = check(hostile, {f"stream {name}": rule for name, rule in STREAMS.items()}, True)
    halves = {}
    for (dialect, (name, _), protocol), _, _, status, text in told:
        if name in ("stream cut", "stream fault", "stream silent after a word"):  # half an answer is never a whole one
            assert "[DONE]" not in text and "message_stop" not in text and "response.completed" not in text
            halves.setdefault((dialect, name), []).append((status, protocol, text))
    for case, answers in halves.items():  # a connection that broke before its first byte is 503
        assert {status for status, *_ in answers} <= {200, 503}, (case, answers)
        assert sum(status == 200 for status, *_ in answers) >= len(answers) - 1, (case, answers)


def test_instead_of_vectors(models, tmp_path):
    """Embeddings are never streamed; vectors that are not those of the texts are no answer."""
    rules = {**{name: rule for name, rule in WHOLE.items() if rule != "empty"}, **VECTORS}
    with serve(models, tmp_path, rules, WITH_VECTORS, EMBEDDINGS, embeddings=True) as service:
        told = check(service, rules, False, EMBEDDINGS, WITH_VECTORS)
        assert not [row for row in told if row[3] == 200]
