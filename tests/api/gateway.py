"""What the tests of the gateway's dialects share: one model behind each protocol, and readers of streams."""

import json
import re

from service import Service

MODELS = {"openai": "/v1", "azure": "", "azure-versioned": "", "anthropic": "", "mistral": "/v1", "gemini": "/v1beta", "ollama": ""}
TOOL = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": False}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PDF = "JVBERi0xLjQKJSVFT0YK"
ADMIN = {"Authorization": "Bearer the-service-key-of-this-test"}
CLOSED = {"ORCH_API_KEY": ADMIN["Authorization"].split()[1]}


def write_models(path, url, **more):
    """A file of models `at-PROTOCOL`, and `vectors-PROTOCOL` for embeddings."""
    rows = []
    for name, base in MODELS.items():
        row = {"provider": "local", "protocol": name.partition("-")[0], "base_url": url + base, "model": name, "timeout_seconds": 5,
               "usd_per_1000_input": 0.001, "usd_per_1000_output": 0.002, "concurrency_limit": 50, **more}
        if name == "azure-versioned":
            row["api_version"] = "2024-10-21"
        rows += [{**row, "id": f"at-{name}"}, {**row, "id": f"vectors-{name}", "embeddings": True}]
    path.write_text(json.dumps(rows))


def serve(models, tmp_path_factory, engine="sqlite", **more):
    """An orchestrator with these models."""
    path = tmp_path_factory.mktemp("models") / "models.json"
    write_models(path, models.url)
    backend = {"ORCH_STORAGE_BACKEND": "postgres"} if engine == "postgres" else {}
    return Service("orchestrator", {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "0",
                                    "ORCH_MODELS_FILE": str(path), **backend, **more}, engine)


def say(**what):
    return "say:" + json.dumps(what)


def events(answer):
    """(name, document) of every event of a stream, [DONE] as text."""
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/event-stream"), answer.text
    found = re.findall(r"(?:event: (\S+)\n)?data: (.*)\n\n", answer.text)
    return [(name, data if data == "[DONE]" else json.loads(data)) for name, data in found]
