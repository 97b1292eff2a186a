"""What must not get out. A dry run calls nobody, proven by workers that the kernel kills when they make a socket; and
keys and prompts that were planted are found nowhere but where they belong."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import no_connections
from model_server import ModelServer
from pdf import simple_pdf
from service import Service
from stack import Stack

BUILD = Path(os.environ.get("ASSAY_BUILD_DIR", "build")).resolve()
HERE = Path(__file__).resolve().parent
KEY = "planted-key-of-callers"
PROMPT = "planted prompt of somebody"
CLAUDE = "claude-sonnet-4-6-20250514"
CALLS = [
    ("/orchestrate", {"prompt": PROMPT, "models": ["gpt-5-4-api", "claude-sonnet-4-6-api"], "quorum": 2}),
    ("/orchestrate", {"prompt": PROMPT, "model": "gpt-5-4-api", "session_id": "s"}),
    ("/orchestrate/stream", {"prompt": PROMPT, "model": "gpt-5-4-api"}),
    ("/smart", {"prompt": PROMPT, "model": "gpt-5-4-api"}),
    ("/smart/v2", {"prompt": PROMPT, "model": "gpt-5-4-api", "pattern": "consensus"}),
    ("/consensus", {"prompt": PROMPT, "model": "gpt-5-4-api"}),
    ("/compare", {"prompt": PROMPT, "models": ["gpt-5-4-api", "claude-sonnet-4-6-api", "nobody"]}),
    ("/debate", {"topic": PROMPT, "model": "gpt-5-4-api"}),
    ("/batch", {"prompts": [PROMPT, PROMPT + " 2"], "model": "gpt-5-4-api"}),
    ("/pipeline", {"prompt": PROMPT, "model": "gpt-5-4-api", "multi_model": True}),
]


def ask_everything(service, headers=None):
    """Every route that may ask a model, and those that look at what came of it."""
    answers = [service.post("/api/v1" + path, body, headers=headers) for path, body in CALLS]
    task = answers[0].json()["task_id"]
    answers.append(service.send("POST", "/api/v1/orchestrate/upload", data={"prompt": PROMPT}, headers=headers,
                                files=[("files", ("a.txt", b"planted prompt in a file", "text/plain"))]))
    chat = {"messages": [{"role": "user", "content": PROMPT}]}
    for model in ("gpt-5-4-api", "orch:smart", "orch:consensus"):
        for stream in (False, True):
            answers.append(service.post("/v1/chat/completions", {**chat, "model": model, "stream": stream}, headers=headers))
    answers += [service.get(path, headers=headers) for path in (
        "/api/v1/models", "/v1/models", f"/api/v1/tasks/{task}", f"/api/v1/tasks/{task}/export", "/api/v1/tasks",
        "/api/v1/analytics")]
    answers += [service.post(f"/api/v1/tasks/{task}/retry", headers=headers), service.post("/api/v1/models/refresh", headers=headers)]
    return answers


class ShutIn(Service):
    """The service with workers that are killed when they make a socket."""

    def __init__(self, directory, env):
        super().__init__("orchestrator", env)
        self.stack = Stack(build=directory, services=("orchestrator",))


@pytest.fixture(scope="module")
def shut_in(tmp_path_factory):
    """A build whose responders of the orchestrator start behind the filter."""
    directory = tmp_path_factory.mktemp("build")
    (directory / "cron-bin").symlink_to(BUILD / "cron-bin")
    (directory / "fcgi-bin").mkdir()
    numbers = " ".join(map(str, no_connections.numbers()))
    for program in (BUILD / "fcgi-bin").iterdir():
        wrapper = directory / "fcgi-bin" / program.name
        if program.name.startswith("orchestrator-"):
            wrapper.write_text(f"#!/bin/sh\nNO_CONNECTIONS='{numbers}' exec {sys.executable} {shlex.quote(str(HERE / 'no_connections.py'))} "
                               f"{shlex.quote(str(program))} \"$@\"\n")
            wrapper.chmod(0o755)
        elif program.name.startswith("accounts-"):
            wrapper.symlink_to(program)
    return directory


def test_a_dry_run_calls_nobody(shut_in):
    with ModelServer() as models:
        env = {**models.settings, "ORCH_EXECUTION_PROFILE": "dry-run", "ORCH_BROWSER_ENABLED": "true",
               "ORCH_BROWSER_PROFILE_DIR": "browser-profile", "ORCH_STREAM_FALLBACK_MODELS": "claude-sonnet-4-6-api"}
        with ShutIn(shut_in, env) as service:
            statuses = [answer.status_code for answer in ask_everything(service)]
            assert statuses[:-2] == [200] * (len(statuses) - 2), statuses
            assert statuses[-2:] == [409, 200], "a task that has succeeded is not run again"
            assert service.get("/health").json()["status"] in ("ok", "degraded")
            assert not models.calls and not models.embedded
        with ShutIn(shut_in, models.settings) as service:  # the filter bites where somebody would be called
            assert service.send("POST", "/api/v1/orchestrate", json={"prompt": "x", "model": "gpt-5-4-api"},
                                checked=False).status_code >= 500
            assert not models.calls


def test_planted_secrets_are_found_nowhere(tmp_path):
    telemetry = tmp_path / "usage.jsonl"
    keys = [KEY, "planted-openai", "planted-anthropic", "planted-mistral", "planted-own"]
    catalog = tmp_path / "models.json"
    with ModelServer() as models:
        catalog.write_text(json.dumps([{"id": "own", "provider": "own", "protocol": "openai", "model": "own",
                                        "base_url": models.url + "/v1", "api_key_env": "ASSAY_OWN_KEY"}]))
        env = {**models.settings, "ORCH_API_KEY": KEY, "ORCH_OPENAI_API_KEY": keys[1], "ORCH_ANTHROPIC_API_KEY": keys[2],
               "ORCH_MISTRAL_API_KEY": keys[3], "ASSAY_OWN_KEY": keys[4], "ORCH_MODELS_FILE": str(catalog),
               "ORCH_USAGE_TELEMETRY_ENABLED": "true", "ORCH_USAGE_TELEMETRY_PATH": str(telemetry), "ORCH_LOG_LEVEL": "DEBUG",
               "ORCH_API_BREAKER_FAILURES": "0"}
        with Service("orchestrator", env) as service:
            mine = {"Authorization": f"Bearer {KEY}"}
            told = ask_everything(service, mine)
            for rule in ("status:401", "status:500", "nonsense", "close", "cut:half"):  # what goes wrong is logged
                models.answers.update({"gpt-5.4": rule, CLAUDE: rule, "own": rule})
                told += ask_everything(service, mine)
                told.append(service.post("/api/v1/orchestrate", {"prompt": PROMPT, "model": "own"}, headers=mine))
            told += [service.post("/api/v1/smart", {"prompt": PROMPT, "nonsense": 1}, headers=mine),
                     service.post("/api/v1/orchestrate", {"prompt": PROMPT}, headers={"X-API-Key": "planted-wrong-key"}),
                     service.send("POST", "/api/v1/orchestrate", data=b'{"prompt": "planted prompt', headers=mine),
                     service.send("POST", "/api/v1/orchestrate/upload", data={"prompt": PROMPT}, headers=mine,
                                  files=[("files", ("a.pdf", simple_pdf("planted prompt in a PDF"), None)),
                                         ("files", ("b.pdf", b"planted prompt, broken", "application/pdf"))])]
            shown = [service.get(path, headers=mine).text for path in (
                "/metrics", "/api/metrics", "/api/v1/readiness", "/api/v1/health/detailed", "/health", "/openapi.json",
                "/api/v1/models", "/api/v1/analytics")]
            snapshot = tmp_path / "snapshot.json"
            database = service.stack.directory / "data" / "orch.sqlite3"
            subprocess.run([BUILD / "cron-bin" / "orch-export", "--db", database, "--output", snapshot], check=True,
                           capture_output=True, env={**env, "PATH": os.environ["PATH"], "ASSAY_SQL_DIR": str(HERE.parents[1] / "sql")})
            logs = service.stack.logs()
            assert "own" in "".join(call["model"] for call in models.calls)
            assert {call["headers"].get("Authorization") for call in models.calls} >= {"Bearer planted-openai", "Bearer planted-own"}
    lines = telemetry.read_text()
    assert len(lines.splitlines()) > 100 and len(logs) > 1000 and PROMPT in snapshot.read_text()
    for place, text in {"logs": logs, "telemetry": lines, "what anybody watches": "".join(shown)}.items():
        assert "planted" not in text, (place, text[text.index("planted") - 200:][:400])
    for key in keys + ["planted-wrong-key"]:
        for place, text in {"answers": "".join(answer.text + str(answer.headers) for answer in told),
                            "snapshot": snapshot.read_text()}.items():
            assert key not in text, (place, key)
