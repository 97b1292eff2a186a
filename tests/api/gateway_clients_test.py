"""The clients that people use, unmodified and offline, against the gateway in every dialect that they speak: the official
ones of OpenAI and Anthropic (Python and Node), the Vercel AI SDK, LangChain, instructor, LiteLLM and the command llm."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from model_server import ModelServer
from service import Service

FRONT = Path(__file__).resolve().parents[1] / "openai_clients"
KEY = "the-key-of-the-clients"
TEXT, ANN = "hello dear client", {"name": "Ann", "age": 30}


def say(**what):
    return "say:" + json.dumps(what)


CALL = say(tools=[["call_1", "weather", {"city": "Oslo"}]])
MODELS = {"plain": "text:" + TEXT, "echo": "echo", "tools": CALL, "person": say(text=json.dumps(ANN)), "breaks": "cut:half an answer",
          "person tool": say(tools=[["c", "Person", ANN]]), "two": say(choices=["one", "two"], logprobs=True), "busy": "status:429:1",
          "once": "once", "ollama": "text:x", "vectors": "vectors", "claude plain": "text:" + TEXT, "claude tools": CALL,
          "claude once": "claude once", "claude thinks": say(text="done", thoughts=[["hm", "c2ln"]]),
          "claude person": say(tools=[["t", "answer_as_json", ANN]])}
CALLED = ["tool_use", ["tool_use"], {"id": "call_1", "type": "tool_use", "name": "weather", "input": {"city": "Oslo"}}]
STREAM = ["response.created", "response.completed"]
SHARED = {  # of Python and Node
    "response": [TEXT, ANN],
    "response streamed": ["completed", TEXT, ["message"], *STREAM],
    "response of a tool streamed": ["completed", "", ["function_call"], *STREAM],
    "prompt by name": "Greet Ann.",
    "embeddings": [1.0, 0.0],
    "message streamed": [TEXT, "end_turn", ["text"], True],
    "message streamed of the other protocol": [TEXT, "end_turn", ["text"], True],
    "message of a tool streamed": ["", "tool_use", ["tool_use"], True],
    "message with thoughts": ["done", "end_turn", ["thinking", "text"], True],
}
PYTHON = {
    **SHARED,
    "response of the other protocol": 30,
    "response of a tool": [["weather", {"city": "Oslo"}]],
    "thoughts streamed": ["completed", "done", ["reasoning", "message"], *STREAM],
    "continued": [TEXT, "and?", ["and?"], TEXT, ["NotFoundError", 404, True]],
    "chat parsed": 30, "choices": ["one", "two"], "completion": TEXT, "completion streamed": TEXT,
    "message": ["end_turn", ["text"], {"type": "text", "text": TEXT}],
    "message of the other protocol": ["end_turn", ["text"], {"type": "text", "text": TEXT}],
    "message of a tool": CALLED,
    "tool results": ["end_turn", ["text"], {"type": "text", "text": TEXT}],
    "refused": [["NotFoundError", 404, True], ["RateLimitError", 429, True], ["AuthenticationError", 401, False],
                ["BadRequestError", 400, True], ["BadRequestError", 400, True]],
}
NODE = {
    **SHARED,
    "continued": "and?", "message": TEXT,
    "refused": [["NotFoundError", 404], ["RateLimitError", 429]],
    "ai sdk": [TEXT, [TEXT, "stop"], [TEXT, "stop"], TEXT, [TEXT, "stop"]],
    "ai sdk objects": [ANN, ANN],
    "ai sdk tools": [[TEXT, 2, [{"city": "Oslo"}]]] * 2,
    "ai sdk embedding": 2,
}
FRAMEWORKS = {
    "langchain": [TEXT] * 3, "langchain tools": [["weather", {"city": "Oslo"}]], "langchain object": 30,
    "langchain anthropic": [TEXT] * 2, "langchain embeddings": 2, "instructor": 30, "instructor anthropic": 30,
    "litellm": [TEXT] * 4 + [2], "llm": [TEXT, TEXT, json.dumps(ANN)],
}
PROGRAMS = {"python": ("python/bin/python", "python/dialects.py", PYTHON), "node": ("node", "node/dialects.mjs", NODE),
            "frameworks": ("python/bin/python", "python/frameworks.py", FRAMEWORKS)}


@pytest.fixture(scope="module")
def environments():
    made = subprocess.run([FRONT / "install"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    path = tmp_path_factory.mktemp("front") / "models.json"
    with ModelServer() as models:
        protocols = {name: "anthropic" if "claude" in name else "ollama" if name == "ollama" else "openai" for name in MODELS}
        path.write_text(json.dumps([{"id": name, "provider": "local", "model": rule, "protocol": protocols[name],
                                     "base_url": models.url + ("/v1" if protocols[name] == "openai" else ""),
                                     "embeddings": name == "vectors", "concurrency_limit": 20}
                                    for name, rule in MODELS.items()]))
        models.answers.update({"once": lambda prompt: CALL if prompt == "hi" else "text:" + TEXT,
                               "claude once": lambda prompt: CALL if prompt == "hi" else "text:" + TEXT})
        with Service("orchestrator", {**models.settings, "ORCH_MODELS_FILE": str(path), "ORCH_API_KEY": KEY,
                                      "ORCH_API_BREAKER_FAILURES": "0", "ORCH_MAX_PROMPT_CHARS": "100000"}) as service:
            template = {"name": "greeting", "messages": [{"role": "user", "content": "Greet {{name}}."}]}
            assert service.post("/api/v1/templates", template, headers={"Authorization": f"Bearer {KEY}"}).status_code == 201
            yield service


@pytest.mark.parametrize("name", PROGRAMS)
def test_clients_work_as_they_are(gateway, environments, name, tmp_path):
    program, script, expected = PROGRAMS[name]
    interpreter = environments / program if "/" in program else program
    asked = subprocess.run([interpreter, environments / script], capture_output=True, text=True, timeout=300, env={
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "OPENAI_BASE_URL": gateway.url + "/v1", "OPENAI_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": gateway.url, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_URL": gateway.url,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LLM_USER_PATH": str(tmp_path / "llm"), "LANGSMITH_TRACING": "false",
        "AI_SDK_LOG_WARNINGS": "false"})
    assert asked.returncode == 0, asked.stderr
    told = json.loads(asked.stdout.strip().splitlines()[-1])
    broken = told.get("refused", [])[len(expected.get("refused", [])):]  # a stream that broke is an error of some class
    assert all("Error" in failure[0] for failure in broken)
    told["refused"] = told.get("refused", [])[:len(expected.get("refused", []))]
    expected = {"refused": [], **expected}
    assert {k: told.get(k) for k in expected} == expected and set(told) == set(expected)
