"""The orchestrator before a server on this host that speaks like the providers: tasks, patterns, streams, the front."""

import re
from contextlib import contextmanager

from model_server import ModelServer
from plan import Plan
from recorder import multipart

KEY = {"X-API-Key": "key-of-the-recording"}
GPT, CLAUDE = "gpt-5-4-api", "claude-sonnet-4-6-api"
SETTINGS = {"ORCH_API_KEY": KEY["X-API-Key"], "ORCH_RATE_LIMIT_RPM": "0", "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "0",
            "ORCH_STREAM_SILENCE_SECONDS": "1", "ORCH_OPENAI_MAX_RETRIES": "1", "ORCH_OPENAI_RETRY_BACKOFF_SECONDS": "0.01",
            "ASSAY_WORKERS_ORCHESTRATOR_SYNC": "8", "ASSAY_WORKERS_ORCHESTRATOR_STREAMS": "8", "ASSAY_WORKERS_ORCHESTRATOR_TASKS": "4"}
NUMBER = "<number>"
RULES = [
    ("GET .*/export", r"\[\]", lambda line: re.sub(r"^duration_ms: \d+$", "duration_ms: <number>", line)),
    (".*", r".*\.(\w*duration_ms|\w*latency\w*|uptime_seconds|p50|p95|p99|\w*_ms)", NUMBER),
]
HEADERS = []
COMPLEX = "Compare and evaluate several in-depth, comprehensive options; pros and cons of each, step by step, " + "x " * 40
# Rules of the model server: what the one model of OpenAI does.
BEHAVIOURS = ("text:four words of answer", "status:500", "status:401", "status:429:1", "nonsense", "empty", "cut", "refuse:400:{\"error\":{\"message\":\"no\",\"code\":\"bad\"}}")


@contextmanager
def surroundings():
    with ModelServer() as server:
        surroundings.models = server
        yield {**SETTINGS, **server.settings}


def tasks(recorder, models):
    recorder.step = "tasks"
    path, made = "/api/v1/orchestrate", []
    bodies = [{}, {"model": GPT}, {"models": [GPT, CLAUDE], "quorum": 2, "merge_strategy": "concat", "cancel_on_quorum": False}, {"models": [GPT], "metadata": {"trace_id": " t-1 ", "n": 1.0}},
              {"session_id": "s", "model": CLAUDE}, {"dry_run": True}, {"dry_run": True, "models": ["Best", "GPT-5.4 API"], "quorum": 2, "merge_strategy": "concat"},
              {"model": "no such model"}, {"models": []}, {"quorum": 5, "models": [GPT]}, {"prompt": ""}, {"prompt": "é" * 300}, {"prompt": "x" * 40000},
              {"decompose": True, "prompt": COMPLEX, "model": GPT}, {"merge_strategy": "mix"}, {"execution_mode": "browser"}, {"temperature": 9}, {"max_tokens": -1}]
    for body in bodies:
        models.answers["gpt-5.4"] = "text:four words of answer"
        answer = recorder.send("POST", path, KEY, body={"prompt": "hello", **body})
        if answer.ok:
            made.append(answer.json()["task_id"])
        recorder.send("POST", path + "/stream", KEY, body={"prompt": "hello", **body})
    for behaviour in BEHAVIOURS:
        models.answers["gpt-5.4"] = behaviour
        answer = recorder.send("POST", path, KEY, body={"prompt": "hello", "model": GPT}, step=f"tasks {behaviour}")
        if answer.ok:
            made.append(answer.json()["task_id"])
        for stream in (False, True):
            recorder.send("POST", "/v1/chat/completions", KEY, body={"model": GPT, "messages": [{"role": "user", "content": "hi"}], "stream": stream},
                          step=f"chat {behaviour}")
    models.answers["gpt-5.4"] = "text:four words of answer"
    for task in made:
        for rest in ("", "?events_limit=1&events_offset=1", "/export"):
            recorder.send("GET", f"/api/v1/tasks/{task}{rest}", KEY)
    for task in made[-3:]:
        recorder.send("POST", f"/api/v1/tasks/{task}/retry", KEY)
    for query in ("", "?limit=2", "?status=failed", "?status=succeeded&limit=1", "?execution_mode=dry_run", "?dry_run=true", "?failure_code=rate_limited", "?prompt_contains=HELLO",
                  "?before=2026-01-01T00:00:00Z", "?before=yesterday"):
        recorder.send("GET", "/api/v1/tasks" + query, KEY)
    for name, content in (("a.txt", "Text of a file."), ("a.md", "# A"), ("a.exe", "MZ"), ("empty.txt", "")):
        headers, data = multipart(("prompt", None, "What does it say?"), ("model", None, GPT), ("files", name, content))
        recorder.send("POST", path + "/upload", {**KEY, **headers}, data=data)
    return made


def patterns(recorder):
    recorder.step = "patterns"
    both = {"models": [GPT, CLAUDE]}
    for route, bodies in {
            "smart": [{"prompt": "hello"}, {"prompt": COMPLEX}, {"prompt": "Write code that sorts", "models": [GPT]}], "smart/v2": [{"prompt": "hello"}, {"prompt": COMPLEX}],
            "consensus": [{"prompt": "Is water wet?", **both}, {"prompt": "x", "models": [GPT]}], "compare": [{"prompt": "Is water wet?", **both}, {"prompt": "x", "models": []}],
            "debate": [{"topic": "Remote work", **both}, {"topic": "Remote work", "rounds": 1}, {"topic": "", "rounds": 99}],
            "batch": [{"prompts": ["One?", "Two?"], "model": GPT}, {"prompts": []}, {"prompts": ["a"] * 5, "model": GPT}],
            "pipeline": [{"prompt": "What is Python?"}, {"prompt": "x", "stages": [{"name": "a", "instruction": "b"}]}]}.items():
        for body in bodies:
            recorder.send("POST", f"/api/v1/{route}", KEY, body=body)


def front(recorder):
    recorder.step = "front"
    user = [{"role": "user", "content": "hi"}]
    for model in (GPT, CLAUDE, "orch:smart", "orch:consensus", "orch:compare", "orch:debate", "orch:nothing", "no such model"):
        for stream in (False, True):
            recorder.send("POST", "/v1/chat/completions", KEY, body={"model": model, "messages": user, "stream": stream})
    for body in ({"temperature": 0.5}, {"temperature": 5}, {"n": 2}, {"stop": ["x"]}, {"tools": [{"type": "function", "function": {"name": "f"}}]}, {"response_format": {"type": "json_object"}},
                 {"max_tokens": 5}, {"max_completion_tokens": 0}, {"messages": []}, {"messages": [{"role": "x", "content": "y"}]}, {"stream_options": {"include_usage": True}, "stream": True},
                 {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "t"}]}]}, {"logprobs": True}, {"seed": 1}, {"no_such": 1}):
        recorder.send("POST", "/v1/chat/completions", KEY, body={"model": GPT, "messages": user, **body})
    for model in (GPT, "orch:smart", "no-such"):
        recorder.send("GET", f"/v1/models/{model}", KEY)


def scenario(context):
    recorder, models = context.recorder, surroundings.models
    made = tasks(recorder, models)
    patterns(recorder)
    front(recorder)
    headers, data = multipart(("prompt", None, "What does it say?"), ("model", None, GPT), ("files", "a.txt", "Text of a file."))
    return Plan(
        credentials={"key": KEY, "bearer": {"Authorization": f"Bearer {KEY['X-API-Key']}"}, "none": {}, "wrong": {"X-API-Key": "wrong"}},
        credential_of=lambda operation: "key",
        values={"task_id": made[0], "model": GPT},
        contents={"orchestrate_upload": [(headers, data)]})
