"""Traces of the whole suite: a question of a customer is one trace over nginx, support, the orchestrator and its
models; a change and the webhook that it causes are one; a collector that is away, slow or confused delays nobody."""

import json
import statistics
import time

import pytest

from collector import Collector
from service import DATABASE_SETTINGS, ENGINES, Servers, Service
from support_models import HEADERS, KEY, WARRANTY, Models, steps
from wait import wait_for

pytestmark = pytest.mark.both_engines
MODEL, PRICES = "gpt-5-4-api", (5, 15)
SERVICES = ("support", "orchestrator", "experiments")
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE, ABOVE = CALLER.split("-")[1:3]


def write_registry(path, url):
    provider = {"id": "gateway", "kind": "local", "protocol": "openai", "base_url": url + "/v1",
                "default_models": {"fast": MODEL, "strong": MODEL},
                "models": [{"name": MODEL, "input_price_per_1m_tokens": PRICES[0], "output_price_per_1m_tokens": PRICES[1]}]}
    target = {"provider": "gateway", "model": MODEL}
    path.write_text(json.dumps({"default_profile": "test", "providers": [provider],
                                "routing_profiles": {"test": {"fast": target, "strong": target}}}))


@pytest.fixture(scope="module")
def collector():
    with Collector() as collector:
        yield collector


@pytest.fixture(scope="module")
def models():
    with Models() as server:
        yield server


@pytest.fixture(scope="module", params=ENGINES)
def suite(request, collector, models, tmp_path_factory):
    registry = tmp_path_factory.mktemp("registry") / "providers.yml"
    registry.write_text('{"default_profile": "embedded", "providers": []}')
    env = {**models.settings, "ASSAY_OTLP_ENDPOINT": collector.url + "/", "ASSAY_OTLP_HEADERS": "x-api-key=secret=1",
           "ASSAY_OTLP_TIMEOUT_SECONDS": "1", "API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "AB_RATE_LIMIT_ENABLED": "false",
           "PROVIDER_REGISTRY_PATH": str(registry), "LLM_QUESTION_SECONDS": "40", "ORCH_DAILY_COST_LIMIT_USD": "1000",
           "ORCH_API_BREAKER_FAILURES": "0", "AB_LLM_BASE_URL": "", "AB_ADMIN_TOKEN": "admin-token-e21b60cf94",
           "AB_API_TOKEN": "write-token-4f1c9ab27d"}
    if request.param != "sqlite":
        env |= {DATABASE_SETTINGS[name]: Servers.new_database() for name in SERVICES}
    with Service("support", env, services=SERVICES) as support:
        write_registry(registry, support.stack.url_of("orchestrator"))
        file = {"file": ("warranty.md", WARRANTY.encode())}
        assert support.send("POST", "/api/upload", headers=HEADERS, files=file).status_code == 200
        yield support


def of_trace(collector, trace=TRACE):
    return [span for span in collector.spans() if span.trace == trace]


def above(span, by_id):
    """The names from the span up to the root, with their services."""
    names = []
    while span:
        names.append((span.service, span.name))
        span = by_id.get(span.parent)
    return names


def test_a_question_is_one_trace_from_nginx_to_the_last_model_call(suite, collector, models):
    models.reset()
    models.answers["gpt-5.4"] = "text:The warranty period lasts 24 months [1]."
    billed, collector.received = models.billed_nano, []
    answer = suite.send("POST", "/api/ask", headers={**HEADERS, "traceparent": CALLER},
                        json={"question": "How long is the warranty period?"}).json()
    assert answer["quality_source"] != "embedded", answer

    def complete():
        spans = of_trace(collector)
        ends = {(span.service, span.name) for span in spans}
        calls = [span for span in spans if span.service == "orchestrator" and "assay.step" in span.attributes]
        return spans if ("support", "POST /api/ask") in ends and len(calls) == len(models.calls) else None
    spans = wait_for(complete)
    by_id = {span.id: span for span in spans}
    assert len(by_id) == len(spans), "an id twice"
    [root] = [span for span in spans if span.parent == ABOVE]
    assert (root.service, root.name, root.kind) == ("support", "nginx", "SERVER")
    assert [span for span in spans if span.parent not in by_id] == [root], "all hang together"
    slack = 5_000_000  # of clocks that count milliseconds
    for span in spans:
        assert span.start <= span.end
        over = by_id.get(span.parent)
        assert not over or over.start - slack <= span.start and span.end <= over.end + slack, (span, over)
    last = max((span for span in spans if "assay.attempt" in span.attributes), key=lambda span: span.start)
    assert above(last, by_id) == [
        ("orchestrator", "chat gpt-5.4"), ("orchestrator", f"chat {MODEL}"), ("orchestrator", "POST /v1/chat/completions"),
        ("orchestrator", "nginx"), ("support", "POST"), ("support", f"chat {MODEL}"), ("support", "POST /api/ask"),
        ("support", "nginx")]
    sent = {call["headers"].get("traceparent") for call in models.calls}
    assert sent == {f"00-{TRACE}-{span.id}-01" for span in spans if "assay.attempt" in span.attributes}
    assert {span.attributes["db.system.name"] for span in spans if "db.system.name" in span.attributes} <= {"sqlite", "postgresql"}
    assert by_id[root.id] and [span for span in spans if span.parent != root.id and "db.system.name" in span.attributes]

    def total(service, name):
        return sum(span.attributes.get(name, 0) for span in spans if span.service == service)
    tasks = suite.beside("orchestrator").get("/api/v1/tasks?limit=100").json()
    booked = [suite.beside("orchestrator").get(f"/api/v1/tasks/{task['task_id']}").json() for task in tasks]
    calls = [step for task in booked for step in task["steps"]]
    assert total("orchestrator", "gen_ai.usage.input_tokens") == sum(step["input_tokens"] for step in calls)
    assert total("orchestrator", "gen_ai.usage.output_tokens") == sum(step["output_tokens"] for step in calls)
    assert total("orchestrator", "assay.cost_nano_usd") == models.billed_nano - billed
    told = steps(suite, answer)[1]
    assert total("support", "assay.cost_nano_usd") == round(told["cost_usd"] * 1e9) > 0


def test_a_webhook_continues_the_trace_of_its_cause(suite, collector):
    collector.received = []
    experiments = suite.beside("experiments")
    admin = {"Authorization": "Bearer admin-token-e21b60cf94"}
    hook = {"name": "hook", "target_url": collector.url + "/hook", "format": "generic", "scope": "global", "secret": "top-secret"}
    assert experiments.send("POST", "/api/v1/webhooks", headers=admin, json=hook).status_code == 200
    made = experiments.send("POST", "/api/v1/keys", headers={**admin, "traceparent": CALLER}, json={"name": "k", "scope": "read"})
    assert made.status_code == 200, made.text
    [(headers, _)] = wait_for(lambda: [at for at in collector.at("/hook") if at[0].get("traceparent", "").split("-")[1:2] == [TRACE]])
    by_id = wait_for(lambda: (found := {span.id: span for span in of_trace(collector)}) and
                     headers["traceparent"].split("-")[2] in found and found)
    names = above(by_id[headers["traceparent"].split("-")[2]], by_id)
    assert [name for _, name in names[:1] + names[2:]] == ["POST", "POST /api/v1/keys", "nginx"], names
    assert {service for service, _ in names} == {"experiments"}


def test_every_service_makes_spans(suite, collector):
    collector.received = []
    for name, path in (("support", "/api/health/live"), ("orchestrator", "/healthz/live"), ("experiments", "/health"),
                       ("accounts", "/api/health/live")):
        assert suite.beside(name).send("GET", path, headers={"traceparent": CALLER}).status_code == 200
    found = wait_for(lambda: (kinds := {(span.service, span.name == "nginx") for span in of_trace(collector)}) and
                     len(kinds) == 8 and kinds)
    assert {service for service, _ in found} == {"support", "orchestrator", "experiments", "accounts"}
    assert {headers["x-api-key"] for headers, _ in collector.at("/v1/traces")} == {"secret=1"}


@pytest.mark.parametrize("status, pause, answer", [(503, 0, b""), (200, 3, b""), (500, 0, b"\xff" * 100000), (200, 0, b"no protobuf")],
                         ids=("unavailable", "slow", "long nonsense", "nonsense"))
def test_a_collector_that_fails_delays_nobody(suite, collector, status, pause, answer):
    def timed():
        start = time.monotonic()
        assert suite.get("/api/health/live").status_code == 200
        return time.monotonic() - start
    collector.status, collector.pause, collector.answer = status, pause, answer
    try:
        assert statistics.median(timed() for _ in range(30)) < 0.5
    finally:
        collector.status, collector.pause, collector.answer = 200, 0, b""
    collector.received = []

    def arrives():
        suite.send("GET", "/api/health/live", headers={"traceparent": CALLER})
        return of_trace(collector)
    assert wait_for(arrives), "spans come again when the collector is well"
