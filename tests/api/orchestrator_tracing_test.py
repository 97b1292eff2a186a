"""Spans as a collector gets them, decoded by the official package, and errors as Sentry gets them; both away, slow
and back again."""

import base64
import json
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from model_server import ModelServer
from service import Service

OTLP = Path(__file__).resolve().parents[1] / "otlp"
GPT, CLAUDE = "gpt-5.4", "claude-sonnet-4-6-20250514"
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
KEY = "0123456789abcdef0123456789abcdef"


class Receiver:
    """A collector and an endpoint of errors: keeps what it gets."""

    def __init__(self):
        self.received, self.status, self.pause = [], 200, 0
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                time.sleep(owner.pause)
                owner.received.append((self.path, dict(self.headers), body))
                self.send_response(owner.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def bodies(self, path):
        return [body for at, _, body in list(self.received) if at == path]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(scope="module")
def decoder():
    python = subprocess.run([OTLP / "install"], check=True, capture_output=True, text=True).stdout.strip()

    def decode(bodies):
        lines = "".join(body.hex() + "\n" for body in bodies)
        done = subprocess.run([python, OTLP / "decode.py"], input=lines, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return decode


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        yield server


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


def settings(models, receiver, **more):
    return {**models.settings, "ORCH_DAILY_COST_LIMIT_USD": "1000", "ORCH_API_BREAKER_FAILURES": "0",
            "ORCH_TRACING_ENDPOINT": f"http://127.0.0.1:{receiver.port}/v1/traces",
            "ORCH_TRACING_HEADERS": "x-api-key=secret=1",
            "ORCH_ERROR_TRACKING_DSN": f"http://{KEY}@127.0.0.1:{receiver.port}/42",
            "ORCH_ERROR_TRACKING_ENVIRONMENT": "testing", **more}


def wait_for(condition, seconds=15):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "did not happen"
        time.sleep(.1)
    return found


def value_of(any_value):
    [(kind, value)] = any_value.items()
    return int(value) if kind == "intValue" else value


def attributes(of):
    return {attribute["key"]: value_of(attribute["value"]) for attribute in of.get("attributes", [])}


def hexadecimal(encoded):
    return base64.b64decode(encoded).hex()


class Span:
    def __init__(self, span):
        self.name, self.kind = span["name"], span["kind"]
        self.id, self.trace = hexadecimal(span["spanId"]), hexadecimal(span["traceId"])
        self.parent = hexadecimal(span.get("parentSpanId", ""))
        self.start, self.end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        self.attributes, self.status = attributes(span), span.get("status", {})


def spans_of(requests):
    return [Span(span) for request in requests for resource in request["resourceSpans"]
            for scope in resource["scopeSpans"] for span in scope["spans"]]


def steps_of(spans):
    """The spans of calls; those of their attempts are below them."""
    return sorted((span for span in spans if "assay.step" in span.attributes), key=lambda span: span.attributes["assay.step"])


def attempts_of(spans, step):
    assert all(span.kind == "SPAN_KIND_CLIENT" for span in spans if span.parent == step.id)
    return sorted((span for span in spans if span.parent == step.id), key=lambda span: span.attributes["assay.attempt"])


def test_a_request_is_one_trace_with_its_calls(models, receiver, decoder):
    models.reset()
    billed = models.billed_nano
    models.answers.update({GPT: "text:four", CLAUDE: "text:four"})
    with Service("orchestrator", settings(models, receiver)) as service:
        before = time.time_ns()
        answer = service.send("POST", "/api/v1/compare", headers={"traceparent": PARENT},
                              json={"prompt": "Two and two?", "models": ["gpt-5-4-api", "claude-sonnet-4-6-api"]}).json()
        requests = wait_for(lambda: [request for request in decoder(receiver.bodies("/v1/traces"))
                                     if "compare" in json.dumps(request)])
        task = service.get(f"/api/v1/tasks/{answer['task_id']}").json()
    [resource] = {json.dumps(attributes(part["resource"])) for request in requests for part in request["resourceSpans"]}
    assert json.loads(resource)["service.name"] == "orch" and json.loads(resource)["service.version"]
    assert {headers["x-api-key"] for _, headers, _ in receiver.received} == {"secret=1"}
    spans = [span for span in spans_of(decoder(receiver.bodies("/v1/traces"))) if span.trace == PARENT.split("-")[1]]
    nginx, request = sorted((span for span in spans if span.kind == "SPAN_KIND_SERVER"), key=lambda span: span.name != "nginx")
    assert nginx.parent == PARENT.split("-")[2] and nginx.start <= request.start
    assert request.name == "POST /api/v1/compare" and request.parent == nginx.id
    assert request.attributes["assay.db.statements"] > 0 and [span for span in spans if "db.system.name" in span.attributes]
    assert request.attributes["http.response.status_code"] == 200 and not request.status
    calls = steps_of(spans)
    assert len(calls) == len(task["steps"]) == 3
    assert len({span.id for span in spans}) == len(spans)
    for span, step in zip(calls, task["steps"]):
        told = span.attributes
        assert span.parent == request.id and before <= request.start <= span.start <= span.end <= request.end
        assert span.name == f"chat {step['model_id']}" and told["gen_ai.response.model"] == step["model_id"]
        assert told["gen_ai.provider.name"] == step["provider"] and told["assay.task_id"] == answer["task_id"]
        assert told["gen_ai.usage.input_tokens"] == step["input_tokens"]
        assert told["gen_ai.usage.output_tokens"] == step["output_tokens"]
        [attempt] = attempts_of(spans, span)
        assert span.start <= attempt.start + 1_000_000 and attempt.end <= span.end + 1_000_000 and not attempt.status
        assert attempt.name == f"chat {attempt.attributes['gen_ai.request.model']}" and attempt.attributes["server.address"] == "127.0.0.1"
        assert attempt.attributes["http.response.status_code"] == 200 and "http.request.resend_count" not in attempt.attributes
    for name, column in (("gen_ai.usage.input_tokens", "input_tokens"), ("gen_ai.usage.output_tokens", "output_tokens")):
        assert sum(span.attributes.get(name, 0) for span in spans) == sum(step[column] for step in task["steps"])
    assert sum(span.attributes.get("assay.cost_nano_usd", 0) for span in spans) == models.billed_nano - billed


def test_each_attempt_is_a_span(models, receiver, decoder, tmp_path):
    """Repetitions at one place, the next place, the fallback: one call, whose tokens and cost count once."""
    models.reset()
    before = models.billed_nano
    models.answers.update({"down": "status:500", "limited": "status:429:0", "spare": "text:at last"})

    def entry(name, **more):
        return {"id": name, "provider": "local", "protocol": "openai", "model": name, "base_url": models.url + "/v1",
                "usd_per_1000_input": 0.005, "usd_per_1000_output": 0.015, **more}

    places = [{"base_url": models.url + "/v1", "model": "down"}, {"base_url": models.url + "/v1", "model": "limited", "priority": 1},
              {"base_url": "http://127.0.0.1:1/v1", "model": "nobody", "priority": 2}]
    path = tmp_path / "models.json"
    path.write_text(json.dumps([entry("many", max_retries=1, fallback="spare", deployments=places), entry("spare")]))
    with Service("orchestrator", settings(models, receiver, ORCH_MODELS_FILE=str(path), ORCH_ENABLE_MODEL_FALLBACK="true")) as service:
        answer = service.post("/v1/chat/completions", {"model": "many", "messages": [{"role": "user", "content": "hi"}]})
        assert answer.status_code == 200, answer.text
        spans = wait_for(lambda: (found := spans_of(decoder(receiver.bodies("/v1/traces")))) and steps_of(found) and found)
        task = service.get(f"/api/v1/tasks/{answer.json()['orch']['task_id']}").json()
    [step] = steps_of(spans)
    told = [(span.attributes["gen_ai.request.model"], span.attributes.get("http.response.status_code"),
             span.attributes.get("error.type"), span.attributes.get("http.request.resend_count")) for span in attempts_of(spans, step)]
    assert told == [("down", 500, "500", None), ("down", 500, "500", 1), ("limited", 429, "429", 2), ("limited", 429, "429", 3),
                    ("nobody", None, "unreachable", 4), ("nobody", None, "unreachable", 5), ("spare", 200, None, 6)]
    assert [span.status.get("code") == "STATUS_CODE_ERROR" for span in attempts_of(spans, step)] == [True] * 6 + [False]
    assert step.attributes["gen_ai.response.model"] == "spare" and not step.status
    assert step.attributes["assay.cost_nano_usd"] == round(task["steps"][0]["cost_usd"] * 1e9) == models.billed_nano - before > 0


def test_failures_say_so_and_errors_are_reported(models, receiver, decoder):
    models.reset()
    models.answers.update({GPT: "status:500", CLAUDE: "status:500"})
    with Service("orchestrator", settings(models, receiver)) as service:
        for _ in range(20):
            failed = service.post("/v1/chat/completions", {"model": "gpt-5-4-api", "messages": [
                {"role": "user", "content": "a very private question"}]})
        assert failed.status_code >= 500
        events = wait_for(lambda: receiver.bodies("/api/42/envelope/"))
        time.sleep(.5)
        requests = wait_for(lambda: decoder(receiver.bodies("/v1/traces")))
    events = receiver.bodies("/api/42/envelope/")
    assert 1 <= len(events) <= 10, "the same error is one report a second"
    head, item, event = [json.loads(line) for line in events[0].decode().splitlines()]
    assert item == {"type": "event", "length": len(events[0].splitlines()[2])}
    assert event["event_id"] == head["event_id"] and event["environment"] == "testing" and event["level"] == "error"
    assert event["transaction"] == "POST /v1/chat/completions" and event["tags"]["status"] == failed.status_code
    assert b"private" not in events[0] and b"127.0.0.1" not in events[0]
    [auth] = {headers["X-Sentry-Auth"] for path, headers, _ in receiver.received if "envelope" in path}
    assert f"sentry_key={KEY}" in auth
    calls = [span for span in spans_of(requests) if "gen_ai.operation.name" in span.attributes]
    assert calls and all(span.status["code"] == "STATUS_CODE_ERROR" and span.attributes["error.type"] for span in calls)


@pytest.mark.parametrize("header, share, kept", [
    (PARENT[:-2] + "00", "1", False), (PARENT, "0", True), (None, "0", False), (None, "1", True),
    ("00-not-a-parent-01", "1", True)])
def test_who_decides_what_is_traced(models, receiver, decoder, header, share, kept):
    with Service("orchestrator", settings(models, receiver, ORCH_TRACING_SAMPLE=share)) as service:
        service.send("GET", "/api/v1/models", headers={"traceparent": header} if header else {})
        time.sleep(2.5)
    spans = [span for span in spans_of(decoder(receiver.bodies("/v1/traces"))) if span.name == "GET /api/v1/models"]
    assert bool(spans) is kept
    if kept:
        assert (spans[0].trace in PARENT) is (header == PARENT)


def test_a_collector_that_is_away_or_slow_delays_nobody(models, receiver, decoder):
    receiver.pause, receiver.status = 3, 503
    with Service("orchestrator", settings(models, receiver, ORCH_TRACING_TIMEOUT_SECONDS="1")) as service:
        slow = min(timed(service) for _ in range(50))
        receiver.pause, receiver.status = 0, 200
        time.sleep(2)
        receiver.received.clear()
        service.send("GET", "/api/v1/models", headers={"traceparent": PARENT})
        wait_for(lambda: [span for span in spans_of(decoder(receiver.bodies("/v1/traces"))) if span.trace in PARENT])
        receiver.close()
        gone = min(timed(service) for _ in range(50))
    assert slow < .5 and gone < .5


def timed(service):
    start = time.monotonic()
    assert service.get("/api/v1/models").status_code == 200
    return time.monotonic() - start
