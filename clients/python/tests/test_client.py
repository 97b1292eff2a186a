"""Both clients against a server that answers well and badly."""

import asyncio
import datetime as dt
import email.utils
import inspect
import json
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import livedata
import livedata.cli
from livedata import AsyncLiveDataClient, LiveDataClient
from livedata.exceptions import (
    AuthError,
    CircuitOpenError,
    DataFreshnessError,
    EntityNotFoundError,
    LiveDataError,
    PermissionDeniedError,
    RateLimitError,
)
from livedata.resilience import CircuitBreaker, CircuitState, RetryPolicy

QUICK = RetryPolicy(initial_delay_s=0.001, jitter_factor=0)
ORDER = {"entity_type": "order", "entity_id": "A", "last_updated": None, "freshness_seconds": 2,
         "data": {"order_id": "A", "user_id": "U", "status": "pending", "total_amount": 7, "currency": "RUB",
                  "created_at": "2020-01-01T00:00:00Z"}, "unknown": 1}
HEALTHY = {"status": "healthy", "checked_at": "2026-01-01T00:00:00Z", "components": [
    {"name": "freshness", "status": "healthy", "message": "", "source": "live",
     "metrics": {"last_event_age_seconds": 4.5}}]}


class Caller:
    """One interface over both clients: calls a method and waits for it."""

    def __init__(self, kind, url, **options):
        self.kind, self.url, self.options = kind, url, {"retry_policy": QUICK, **options}

    def __call__(self, method, *args, **kwargs):
        if self.kind is LiveDataClient:
            with LiveDataClient(self.url, "k", **self.options) as client:
                return self.read(getattr(client, method)(*args, **kwargs))

        async def run():
            async with AsyncLiveDataClient(self.url, "k", **self.options) as client:
                result = getattr(client, method)(*args, **kwargs)
                if inspect.isasyncgen(result):
                    return [item async for item in result]
                return await result

        return asyncio.run(run())

    @staticmethod
    def read(result):
        return list(result) if inspect.isgenerator(result) else result


@pytest.fixture(params=[LiveDataClient, AsyncLiveDataClient], ids=["sync", "async"])
def call(request, server):
    return lambda method, *args, _options=None, **kwargs: Caller(request.param, server.url + "/", **(_options or {}))(
        method, *args, **kwargs)


def test_sends_what_the_service_reads(call, server):
    server.then(ORDER)
    call("get_entity", "order", "a/b ü", as_of=dt.datetime(2026, 1, 2, 3, 4, 5, 6), _options={"api_version": "2026-04-11"})
    sent = server.requests[0]
    assert sent["path"] == "/v1/entity/order/a%2Fb%20%C3%BC?as_of=2026-01-02T03%3A04%3A05Z"
    headers = {name.lower(): value for name, value in sent["headers"].items()}
    assert headers["x-api-key"] == "k" and headers["x-live-version"] == "2026-04-11"


def test_reads_models(call, server):
    server.then(ORDER)
    order = call("get_order", "A")
    assert order.total_amount == 7.0 and isinstance(order.total_amount, float) and order.is_overdue
    assert call("get_entity", "order", "A").freshness_seconds == 2.0


def test_an_answer_of_another_shape_is_named(call, server):
    server.then({**ORDER, "data": {**ORDER["data"], "total_amount": "7"}})
    with pytest.raises(LiveDataError, match="OrderEntity.total_amount"):
        call("get_order", "A")


@pytest.mark.parametrize("status, error, message", [
    (401, AuthError, "no"), (403, PermissionDeniedError, "no"), (404, EntityNotFoundError, "no"),
    (400, LiveDataError, "no"), (500, LiveDataError, "no")])
def test_errors_are_mapped(call, server, status, error, message):
    server.then({"detail": message}, status)
    with pytest.raises(error, match=message) as caught:
        call("get_entity", "order", "a%2F")
    assert caught.value.status_code == status and type(caught.value) is error
    if status == 404:
        assert (caught.value.entity_type, caught.value.entity_id) == ("order", "a%2F")


@pytest.mark.parametrize("raw", [b"<html>", b"", b"\xff\xfe", b"[1]"])
def test_answers_that_are_not_json_objects(call, server, raw):
    server.then(raw=raw, status=200, headers={"Content-Type": "text/html"})
    with pytest.raises(LiveDataError):
        call("health")
    server.steps[:] = []
    server.then(raw=raw, status=500)
    with pytest.raises(LiveDataError):
        call("catalog")


class TestRetries:
    def test_passing_failures_are_tried_again(self, call, server):
        server.then({}, 503).then(cut=True).then(ORDER)
        assert call("get_entity", "order", "A").entity_id == "A"
        assert len(server.requests) == 3

    def test_a_post_is_repeated_only_under_a_key(self, call, server):
        server.then({}, 503).then({"answer": [], "metadata": {}})
        with pytest.raises(LiveDataError):
            call("query", "orders")
        assert len(server.requests) == 1
        server.requests.clear()
        call("query", "orders", idempotency_key="k")
        assert len(server.requests) == 2

    def test_retry_after_is_seconds_or_a_date(self, call, server):
        date = email.utils.format_datetime(dt.datetime.now(dt.timezone.utc) + dt.timedelta(seconds=3600), usegmt=True)
        for header, expected in (("0", 0.0), (date, 3600.0), ("soon", 0.0)):
            server.steps[:] = []
            server.then({"detail": "slow down"}, 429, {"Retry-After": header})
            with pytest.raises(RateLimitError) as caught:
                call("catalog", _options={"retry_policy": RetryPolicy(max_attempts=1)})
            assert caught.value.retry_after == pytest.approx(expected, abs=5)

    def test_a_longer_pause_than_allowed_is_the_callers_affair(self, call, server):
        server.then({}, 429, {"Retry-After": "60"})
        with pytest.raises(RateLimitError):
            call("catalog")
        assert len(server.requests) == 1

    def test_delays(self):
        policy = RetryPolicy(jitter_factor=0)
        assert [policy.compute_delay(n) for n in (0, 1, 2, 10)] == [0.25, 0.5, 1.0, 30.0]
        assert [policy.compute_delay(0, asked) for asked in (-1, 0, 5, 99)] == [0, 0, 5, 30]
        spread = {RetryPolicy().compute_delay(0) for _ in range(200)}
        assert 0.175 <= min(spread) < max(spread) <= 0.325

    def test_a_stalled_server_is_a_transport_error(self, call, server):
        server.then(ORDER, stall=0.5)
        with pytest.raises(LiveDataError, match="Request failed"):
            call("health", _options={"timeout": 0.05, "retry_policy": RetryPolicy(max_attempts=1)})


class TestBreaker:
    def test_opens_and_closes(self, call, server):
        breaker = CircuitBreaker(failure_threshold=2, reset_timeout_s=30)
        options = {"circuit_breaker": breaker, "retry_policy": RetryPolicy(max_attempts=1)}
        server.then({}, 500).then({}, 404).then({}, 500).then({}, 500).then(HEALTHY)
        for _ in range(4):
            with pytest.raises(LiveDataError):
                call("health", _options=options)
        assert breaker.state is CircuitState.OPEN and len(server.requests) == 4
        with pytest.raises(CircuitOpenError, match="circuit is open"):
            call("health", _options=options)
        assert len(server.requests) == 4
        breaker._opened_at -= 31
        assert call("health", _options=options).status == "healthy"
        assert breaker.state is CircuitState.CLOSED

    def test_one_probe_at_a_time(self):
        breaker = CircuitBreaker(failure_threshold=1, reset_timeout_s=0)
        breaker.record_failure()
        breaker.before_call()
        with pytest.raises(CircuitOpenError, match="probe in flight"):
            breaker.before_call()
        breaker.release()
        breaker.before_call()
        breaker.record_failure()
        assert breaker.state is CircuitState.OPEN


class TestFreshness:
    def test_is_judged_by_the_age_of_the_last_event(self, call, server):
        server.then(HEALTHY)
        assert call("is_fresh") is True and call("is_fresh", 4) is False

    @pytest.mark.parametrize("health, message", [
        ({**HEALTHY, "status": "degraded"}, "Pipeline is degraded"), ({**HEALTHY, "components": []}, "unavailable")])
    def test_or_cannot_be_told(self, call, server, health, message):
        server.then(health)
        with pytest.raises(DataFreshnessError, match=message):
            call("is_fresh")


class TestDemandedFreshness:
    """One argument of every read."""

    def test_is_sent_with_each_read(self, call, server):
        fresh = livedata.Freshness(at_least="p1", max_staleness=2, max_event_age=dt.timedelta(minutes=1), wait="200ms")
        server.then({"entity_type": "order", "entity_id": "A", "data": {},
                     "freshness": {"as_of": "2026-01-01T00:00:00Z", "position": "p2", "event_age_seconds": 1.5,
                                   "valid_until": "2026-01-01T00:00:02Z"}})
        answer = call("get_entity", "order", "A", fresh=fresh)
        assert server.requests[0]["path"].endswith(
            "?at_least=p1&max_staleness=2000ms&max_event_age=60000ms&wait=200ms")
        assert (answer.freshness.position, answer.freshness.event_age_seconds) == ("p2", 1.5)

    def test_may_be_the_position_of_a_write(self, call, server):
        server.then({"accepted": 1, "applied": 1, "dead_lettered": 0, "duplicates": 0, "results": [], "position": "p9"})
        server.then({"answer": [{"a": 1}], "sql": "S", "metadata": {}})
        sent = call("send_heartbeat", "till", feeds=["order"])
        assert json.loads(server.requests[0]["body"]) == {
            "heartbeats": [{"source": "till", "retired": False, "feeds": ["order"]}]}
        call("query", "all orders", fresh=sent.position)
        assert json.loads(server.requests[1]["body"]) == {"question": "all orders", "at_least": "p9"}

    def test_that_cannot_be_met_is_an_error_with_the_age(self, call, server):
        server.then({"detail": "too old", "code": "events_too_old", "event_age_seconds": 70.5}, status=412)
        with pytest.raises(livedata.StaleDataError, match="too old") as caught:
            call("get_metric", "revenue", fresh=livedata.Freshness(max_event_age=60))
        assert (caught.value.code, caught.value.event_age_seconds) == ("events_too_old", 70.5)

    def test_old_data_are_not_fresh_whatever_else_is_wrong(self, call, server):
        old = [{**HEALTHY["components"][0], "status": "degraded", "metrics": {"last_event_age_seconds": 90}}]
        server.then({**HEALTHY, "status": "degraded", "components": old})
        assert call("is_fresh") is False and call("is_fresh", 600) is True


def test_types_are_made_from_the_contracts(server, tmp_path):
    fields = [{"name": "order_id", "type": "string", "required": True},
              {"name": "status", "type": "enum", "required": True, "values": ["new", "old"]},
              {"name": "total", "type": "float", "required": False}]
    catalog = {"entities": {"order": {"description": "", "fields": {"order_id": ""}, "primary_key": "order_id"},
                            "pump-1": {"description": "", "fields": {"class": "", "id": ""}, "primary_key": "id"}},
               "metrics": {}}
    contract = {"entity": "order", "version": "2", "released": "2026-01-01", "status": "stable", "fields": fields}
    out = tmp_path / "entities"
    for language in ("python", "typescript"):
        server.steps.clear()
        server.requests.clear()
        server.then(catalog).then(contract).then({"detail": "Unknown contract: pump-1"}, status=404)
        arguments = ["--url", server.url, "--key", "k", "generate", "--language", language, "--out", str(out)]
        assert livedata.cli.main(arguments) == 0
        text = out.read_text()
        if language == "python":
            made: dict = {}
            exec(compile(text, "entities", "exec"), made)  # noqa: S102
            hints = typing.get_type_hints(made["Order"])
            assert hints == {"order_id": str, "status": typing.Literal["new", "old"], "total": typing.Optional[float]}
            assert list(typing.get_type_hints(made["Pump1"])) == ["class", "id"]
        else:
            assert '"status": "new" | "old";' in text and '"total"?: number | null;' in text
            assert '"class": unknown;' in text and '"pump-1": Pump1;' in text


def test_pages_follow_the_cursor(call, server):
    for page, cursor in (([1, 2], "c1"), ([3], None)):
        server.then({"answer": page, "rows": page, "sql": "S", "metadata": {}, "has_more": cursor is not None,
                     "next_cursor": cursor})
    assert call("paginate", "all orders", page_size=2) == [[1, 2], [3]]
    assert b'"cursor":"c1"' in server.requests[1]["body"].replace(b" ", b"")


class TestPinnedContracts:
    CONTRACT = {"entity": "order", "version": "1", "fields": [{"name": "order_id", "type": "string", "required": True},
                                                              {"name": "status", "type": "string"}]}

    def test_fields_outside_are_dropped(self, call, server):
        server.then(ORDER).then(self.CONTRACT)
        envelope = call("get_entity", "order", "A", _options={"contract_version": "order:v1"})
        assert envelope.data == {"order_id": "A", "status": "pending"}
        assert server.requests[1]["path"] == "/v1/contracts/order/1"

    def test_missing_ones_are_named(self, call, server):
        server.then({**ORDER, "data": {}}).then(self.CONTRACT)
        with pytest.raises(LiveDataError, match="Missing required fields: order_id"):
            call("get_entity", "order", "A", _options={"contract_version": "order:1"})

    def test_the_pin_has_a_form(self):
        for pin in ("order", "order:", ":v1", ""):
            with pytest.raises(ValueError, match="<entity>:<version>"):
                LiveDataClient("http://x", "k", contract_version=pin)


class TestStream:
    def test_frames_are_read_however_they_are_cut(self, call, server):
        raw = b": hello\r\n\r\nid: 7\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nevent: x\ndata:{\"a\":2}"
        server.then(raw=raw, headers={"Content-Type": "text/event-stream"})
        assert call("stream_events", "order", reconnect=False) == [{"a": 1}, {"a": 2}]
        assert server.requests[0]["path"] == "/v1/stream/events?event_type=order"

    def test_begins_after_a_position(self, server):
        server.then(raw=b"id: 4\ndata: {\"n\":1}\n\n", cut=True).then(raw=b"id: 5\ndata: {\"n\":2}\n\n")
        with LiveDataClient(server.url, "k", retry_policy=QUICK) as client:
            stream = client.stream_events(after="p-3")
            assert [next(stream)["n"], next(stream)["n"]] == [1, 2]
            stream.close()
        assert [request["path"] for request in server.requests] == ["/v1/stream/events?after=p-3", "/v1/stream/events"]

    def test_goes_on_where_it_broke_off(self, server):
        server.then(raw=b"id: 1\ndata: {\"n\":1}\n\n", cut=True).then(raw=b"id: 2\ndata: {\"n\":2}\n\n")
        with LiveDataClient(server.url, "k", retry_policy=QUICK) as client:
            stream = client.stream_events()
            assert [next(stream)["n"], next(stream)["n"]] == [1, 2]
            stream.close()
        assert server.requests[1]["headers"].get("Last-Event-ID", server.requests[1]["headers"].get("last-event-id")) == "1"

    def test_what_is_no_json_is_an_error(self, call, server):
        server.then(raw=b"data: {\n\n")
        with pytest.raises(LiveDataError, match="Failed to read SSE stream"):
            call("stream_events", reconnect=False)

    def test_refusals_are_mapped(self, call, server):
        server.then({"detail": "too many"}, 429, {"Retry-After": "1"})
        with pytest.raises(RateLimitError):
            call("stream_events", reconnect=False)


def test_versions_are_remembered(server):
    server.then(HEALTHY, headers={"X-Live-Version": "a", "X-Live-Latest-Version": "b", "X-Live-Deprecated": "true"})
    with LiveDataClient(server.url, "k") as client:
        client.health()
        assert (client.last_server_version, client.last_latest_version, client.last_deprecated,
                client.last_deprecation_warning) == ("a", "b", "true", None)


def test_a_plan_comes_instead_of_a_question(call, server):
    plan = {"entity": "machine", "select": "count"}
    server.then({"rows": [{"count": 2}], "plan": {**plan, "filters": []}})
    answer = call("query", plan)
    assert (json.loads(server.requests[0]["body"]), answer.rows, answer.plan) == ({"plan": plan}, [{"count": 2}], {**plan, "filters": []})
    server.then({"question": None, "sql": "SELECT 1", "plan": plan})
    assert call("explain_query", plan).plan == plan and json.loads(server.requests[1]["body"]) == {"plan": plan}


def test_batch_items():
    item = LiveDataClient.batch_entity("order", "A")
    assert item["id"].startswith("entity-") and len(item["id"]) == 15
    assert LiveDataClient.batch_metric("revenue", request_id="m")["params"] == {"name": "revenue", "window": "1h"}
    assert LiveDataClient.batch_query("q", {"a": 1})["params"] == {"question": "q", "context": {"a": 1}}


class TestCommandLine:
    def run(self, *arguments, **env):
        return subprocess.run([sys.executable, "-m", "livedata.cli", *arguments], capture_output=True, text=True,
                              check=False, env={"PATH": "/usr/bin:/bin", **env})

    def test_prints_what_it_got(self, server):
        server.then(ORDER)
        done = self.run("--json", "--url", server.url, "--key", "k", "entity", "order", "A")
        assert done.returncode == 0 and '"entity_id": "A"' in done.stdout

    def test_errors_exit_1(self, server):
        server.then({"detail": "nobody"}, 401)
        done = self.run("catalog", LIVE_URL=server.url, LIVE_API_KEY="secret-key")
        assert (done.returncode, done.stderr.strip()) == (1, "nobody")

    def test_keys_are_masked(self):
        assert "se*****ey" in self.run("config", LIVE_API_KEY="secretkey").stdout
        assert "(not set)" in self.run("config").stdout and "key: ***" in self.run("--key", "abc", "config").stdout

    def test_init_makes_a_folder_once(self, tmp_path):
        arguments = [sys.executable, "-m", "livedata.cli", "init", "--non-interactive", "--name", "p"]
        assert subprocess.run(arguments, cwd=tmp_path, check=False, capture_output=True).returncode == 0
        compile((tmp_path / "p" / "main.py").read_text(), "main.py", "exec")
        again = subprocess.run(arguments, cwd=tmp_path, check=False, capture_output=True, text=True)
        assert again.returncode == 1 and "exists already" in again.stderr


def test_the_synchronous_client_is_made_of_the_other():
    tool = Path(__file__).resolve().parents[1] / "tools" / "make_sync.py"
    assert subprocess.run([sys.executable, tool, "--check"], check=False).returncode == 0


def test_events_are_sent_complete_and_safe_to_repeat(call, server):
    answer = {"accepted": 1, "applied": 0, "dead_lettered": 1, "duplicates": 0, "results": [
        {"event_id": "e", "status": "dead_lettered", "reason": "schema: source", "detail": "source: field required"}]}
    server.then(status=503).then(answer)
    sent = call("send_event", {"event_type": "click", "timestamp": "2026-01-01T00:00:00Z"})
    assert (sent.status, sent.detail) == ("dead_lettered", "source: field required")
    first, again = (json.loads(request["body"]) for request in server.requests)
    [event] = first["events"]
    assert first == again and event["timestamp"] == "2026-01-01T00:00:00Z" and len(event["event_id"]) == 36
    assert len({request["headers"]["Idempotency-Key"] for request in server.requests}) == 1
    server.steps, server.requests[:] = [], []
    server.then({**answer, "applied": 2, "results": []})
    assert call("send_events", [{"event_id": "a"}, {"event_id": "b"}], idempotency_key="k").applied == 2
    assert server.requests[0]["headers"]["Idempotency-Key"] == "k"


def test_resilience_can_be_read_and_changed(server):
    breaker = CircuitBreaker(failure_threshold=2, reset_timeout_s=7, half_open_max_calls=3)
    assert (breaker.failure_threshold, breaker.reset_timeout_s, breaker.half_open_max_calls) == (2, 7, 3)
    with LiveDataClient(server.url, "k") as client:
        assert client.retry_policy == RetryPolicy() and client.circuit_breaker is None
        assert client.configure_resilience(retry_policy=QUICK, circuit_breaker=breaker) is client
        assert client.retry_policy is QUICK and client.circuit_breaker is breaker


def test_the_package_exports_what_programs_use():
    import livedata.circuit_breaker
    import livedata.retry
    assert set(livedata.__all__) == {"AsyncLiveDataClient", "CircuitOpenError", "LiveDataClient", "PermissionDeniedError",
                                     "__version__"}
    for name in ("AuthError", "DataFreshnessError", "EntityNotFoundError", "LiveDataError", "RateLimitError"):
        assert issubclass(getattr(livedata, name), LiveDataError)
    assert livedata.RetryPolicy is RetryPolicy is livedata.retry.RetryPolicy
    assert livedata.CircuitBreaker is CircuitBreaker is livedata.circuit_breaker.CircuitBreaker
    assert livedata.RETRYABLE_STATUS == {429, 502, 503, 504}
    assert livedata.is_retryable_method("get") and not livedata.is_retryable_method("POST")
    assert livedata.is_retryable_method("POST", {"idempotency-key": "1"})


def test_another_brand_is_an_alias(monkeypatch):
    brand = livedata.brand_alias("shopdata", "Shop")
    import shopdata
    import shopdata.circuit_breaker as breakers
    from shopdata import AsyncShopClient, ShopClient
    from shopdata.exceptions import AuthError as ShopAuthError
    from shopdata.exceptions import ShopError
    assert shopdata is brand and ShopClient is LiveDataClient and AsyncShopClient is AsyncLiveDataClient
    assert ShopError is LiveDataError and ShopAuthError is AuthError and shopdata.__version__ == livedata.__version__
    assert set(shopdata.__all__) == {"AsyncShopClient", "CircuitOpenError", "ShopClient", "PermissionDeniedError", "__version__"}
    monkeypatch.setattr("shopdata.circuit_breaker.time.monotonic", lambda: 5.0)
    assert breakers.time.monotonic() == 5.0
    monkeypatch.setattr("shopdata.client.ShopClient", None)
    assert sys.modules["livedata.client"].LiveDataClient is None
    with pytest.raises(AttributeError):
        shopdata.Nothing


def test_features_are_read_in_pages_and_kept_in_order(call, server):
    lines = b''.join(json.dumps({"entity_id": name, "at": None, "total_orders": 1, "reason": None}).encode() + b"\n" for name in "AB")
    server.then(raw=lines, headers={"Content-Type": "application/x-ndjson"})
    server.then(raw=b'{"entity_id":"C","at":"x","total_orders":null,"reason":"not_found"}\n', headers={"Content-Type": "application/x-ndjson"})
    at = dt.datetime(2026, 1, 2, 3, 4, 5, 600000)
    rows = call("stream_features", "user", iter([("A", None), {"entity_id": "B", "at": "2026-01-01"}, ("C", at)]), ["total_orders"], page_size=2)
    assert [(row["entity_id"], row["reason"]) for row in rows] == [("A", None), ("B", None), ("C", "not_found")]
    assert [json.loads(each["body"]) for each in server.requests] == [
        {"entity_type": "user", "columns": ["total_orders"], "rows": [{"entity_id": "A"}, {"entity_id": "B", "at": "2026-01-01"}]},
        {"entity_type": "user", "columns": ["total_orders"], "rows": [{"entity_id": "C", "at": "2026-01-02T03:04:05.600000+00:00"}]}]


def test_features_make_data_frames_and_a_short_answer_is_an_error(call, server, monkeypatch):
    server.then(raw=b'{"entity_id":"A","n":1}\n')
    found = call("features", "user", [("A", None)])
    made = {}
    for name in ("pandas", "polars"):
        module = type(sys)(name)
        module.DataFrame = lambda rows, name=name, **options: made.setdefault(name, rows)
        monkeypatch.setitem(sys.modules, name, module)
    assert found.to_pandas() == found.to_polars() == [{"entity_id": "A", "n": 1}] and set(made) == {"pandas", "polars"}
    with pytest.raises(LiveDataError, match="1 lines for 2 rows"):
        call("features", "user", [("A", None), ("B", None)])


def test_features_refused(call, server):
    server.then({"detail": "The type has no column 'x'"}, status=422)
    with pytest.raises(LiveDataError, match="no column"):
        call("features", "user", [("A", None)], ["x"])
