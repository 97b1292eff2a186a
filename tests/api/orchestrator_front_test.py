"""The front for OpenAI's clients, asked by the official ones of Python and Node as they are: lists, completions, tools,
streams, splices, and errors in the classes that programs catch."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from model_server import ModelServer
from service import Service

FRONT = Path(__file__).resolve().parents[1] / "openai_clients"
KEY = "the-key-of-the-clients"
MODELS = {"plain": "text:hello dear client", "tools": "tool:look_up:{\"word\": \"x\"}", "echo": "echo", "breaks": "cut:one ",
          "last": "last", "busy": "status:429:1", "broken": "status:500", "wishes": "wishes", "anthropic wishes": "wishes"}
FORMAT = ("Answer with one JSON value and nothing else, without a code fence. It has to fit this JSON schema: "
          '{"type":"array"}')
ERROR = {"param": None, "request_id": True}
ANSWER = {"text": "hello dear client", "finish": "stop", "role": "assistant", "tokens": 5, "model": "plain",
          "object": "chat.completion", "tools": []}
TOOL = ["look_up", "{\"word\": \"x\"}"]
EXPECTED = {
    "models": ["orch:smart", "orch:consensus", "gpt-5-4-api", "claude-sonnet-4-6-api", *MODELS],
    "model": "local",
    "completion": ANSWER,
    "stream": {"text": "hello dear client", "finish": "stop", "tokens": 5, "tools": []},
    "accumulated": "hello dear client",
    "concurrently": ["hello dear client"] * 4,
    "tools": {**ANSWER, "model": "tools", "text": None, "finish": "tool_calls", "tools": [TOOL], "tokens": 3},
    "tools streamed": {"text": "", "finish": "tool_calls", "tokens": 3, "tools": [TOOL]},
    "tool results": "found",
    "wishes": {"tool_choice": {"type": "function", "function": {"name": "look_up"}}, "response_format": {"type": "json_object"},
               "frequency_penalty": 0.5},
    "wishes of the other protocol": {"tool_choice": {"type": "any"}, "system": "S\n\n" + FORMAT},
    "smart": "thought through",
    "spliced": "one two",
    "unknown model": {**ERROR, "class": "NotFoundError", "status": 404, "code": "model_not_found", "type": "invalid_request_error"},
    "unknown model retrieved": {**ERROR, "class": "NotFoundError", "status": 404, "code": "model_not_found",
                                "type": "invalid_request_error"},
    "wrong member": {**ERROR, "class": "BadRequestError", "status": 400, "code": "validation_error", "param": "temperature",
                     "type": "invalid_request_error"},
    "wrong message": {**ERROR, "class": "BadRequestError", "status": 400, "code": "validation_error", "param": "messages.1",
                      "type": "invalid_request_error"},
    "wrong key": {**ERROR, "class": "AuthenticationError", "status": 401, "code": "unauthorized", "type": "authentication_error"},
    "busy": {**ERROR, "class": "RateLimitError", "status": 429, "code": "rate_limited", "type": "rate_limit_error"},
    "broken": {**ERROR, "class": "InternalServerError", "status": 503, "code": "provider_unavailable", "type": "upstream_error"},
    "broken stream": {"class": "APIError", "code": "provider_unavailable"},
}


@pytest.fixture(scope="module")
def environments():
    made = subprocess.run([FRONT / "install"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


@pytest.fixture(scope="module")
def front(tmp_path_factory):
    path = tmp_path_factory.mktemp("front") / "models.json"
    with ModelServer() as models:
        path.write_text(json.dumps([{"id": name, "provider": "local", "model": rule,
                                     "protocol": "anthropic" if "anthropic" in name else "openai",
                                     "base_url": models.url + ("" if "anthropic" in name else "/v1")}
                                    for name, rule in MODELS.items()]))
        models.answers.update({"last": lambda prompt: {"break": "cut:half ", "fail": "status:500"}.get(prompt, "text:two"),
                               "claude-sonnet-4-6-20250514": "text:thought through"})
        with Service("orchestrator", {**models.settings, "ORCH_MODELS_FILE": str(path), "ORCH_API_KEY": KEY,
                                      "ORCH_API_BREAKER_FAILURES": "0", "ORCH_STREAM_FALLBACK_MODELS": "last"}) as service:
            yield service


@pytest.mark.parametrize("program", (("python/bin/python", "python/ask.py"), ("node", "node/ask.mjs")), ids=("python", "node"))
def test_official_clients_work_as_they_are(front, environments, program):
    interpreter = environments / program[0] if "/" in program[0] else program[0]
    asked = subprocess.run([interpreter, environments / program[1]], capture_output=True, text=True, timeout=60,
                           env={"PATH": os.environ["PATH"], "OPENAI_BASE_URL": front.url + "/v1", "OPENAI_API_KEY": KEY})
    assert asked.returncode == 0, asked.stderr
    told = json.loads(asked.stdout)
    assert {k: told.get(k) for k in EXPECTED} == EXPECTED
    assert set(told) == set(EXPECTED)
