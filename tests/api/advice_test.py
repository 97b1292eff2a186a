"""Advice from providers that speak every protocol and fail in every way: /analyze, /llm/advice and
/hypotheses/generate against a fake on the loopback interface."""

import concurrent.futures
import json
import socket
import time

import pytest

from conftest import CLOSED, OPEN
from design_test import design
from fake_provider import ADVICE, FakeProvider, raw, response, says, status, well
from wait import wait_for

ADVISE, INVENT, ANALYZE = "/api/v1/llm/advice", "/api/v1/hypotheses/generate", "/api/v1/analyze"
CONTEXT = {"project_context": {"project_name": "Kasse ü", "nothing": None}, "metrics": None, "house_rules": ["be kind"]}
TOKEN = "sk-caller-0451f3d7"
MISTRAL_KEY = "mk-server-90aa11bb"
WORKERS = 8  # of the pool, by nginx/services
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages", "mistral": "/v1/chat/completions"}
# Failures that are tried again by all, and those that only a vendor's answer is asked for again.
PASSING = {
    "broken_off": raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{\"choices\""),
    "reset": raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nRESET"),
    "no_http": raw(b"what?\r\n\r\n"), "500": status(500), "503": status(503), "429": status(429), "408": status(408)}
UNREADABLE = {"no_json": raw(response(200, b"<html>")), "no_choices": raw(response(200, b"{}")), "blank": says("  "),
              "no_object": says("I cannot help"), "bad_json": says("{\"brief_assessment\": }"), "empty": says({})}


def loopback_name():
    """A name that has to be looked up: `localhost` is known to the library."""
    try:
        return socket.gethostname() if socket.gethostbyname(socket.gethostname()) == "127.0.0.1" else "localhost"
    except OSError:
        return "localhost"


def quick_retries(fake):
    urls = {f"AB_{name}_BASE_URL": fake.url for name in ("LLM", "OPENAI", "ANTHROPIC", "MISTRAL")}
    urls["AB_LLM_BASE_URL"] = fake.url.replace("127.0.0.1", loopback_name())
    return {**urls, "AB_LLM_TIMEOUT_SECONDS": 0.7, "AB_LLM_INITIAL_BACKOFF_SECONDS": 0.01, "AB_LLM_DEADLINE_SECONDS": 3,
            "AB_LLM_MAX_ATTEMPTS": 2, "AB_LLM_MAX_RETRY_AFTER_SECONDS": 1, "AB_LLM_MAX_RESPONSE_BYTES": 20000,
            "AB_LLM_BREAKER_FAILURES": 0, "AB_LLM_MODEL": "house-model", "AB_LLM_API_KEY": "orch-key-77777777"}


@pytest.fixture(scope="module")
def provider():
    fake = FakeProvider()
    yield fake
    fake.close()


@pytest.fixture
def fake(provider):
    provider.behave()
    return provider


@pytest.fixture
def advised(stacks, fake):
    """Open to everybody; mistral is offered; one computation at a time."""
    client = stacks.get({**OPEN, **quick_retries(fake), "AB_MISTRAL_API_KEY": MISTRAL_KEY,
                         "AB_COMPUTE_MAX_CHEAP_CONCURRENT": 1})
    client.record.secrets.update((TOKEN, MISTRAL_KEY, "orch-key-77777777"))
    return client


@pytest.fixture
def guarded(stacks, fake):
    """With tokens, readers that may compute, a breaker, and vendors that must not stand on loopback."""
    return stacks.get({**CLOSED, **quick_retries(fake), "AB_ENV": "demo", "AB_PUBLIC_DEMO": "true", "AB_READONLY_COMPUTE": "true",
                       "AB_LLM_BREAKER_FAILURES": 3, "AB_LLM_BREAKER_SECONDS": 0.3})


def as_vendor(client, vendor, token=TOKEN):
    return client.with_headers({"X-AB-LLM-Provider": vendor, "X-AB-LLM-Token": token})


def ask(client, path=ADVISE, body=None, **options):
    return client.post(path, CONTEXT if body is None else body, **options)


class TestOrchestrator:
    def test_advice(self, advised, fake):
        reply = ask(advised).json()
        assert reply == {"available": True, "provider": "local_orchestrator", "model": "house-model", "advice": ADVICE,
                         "raw_text": json.dumps(ADVICE), "error": None, "error_code": None}
        [heard] = fake.heard
        assert heard.path == "/api/v1/orchestrate" and heard.headers["authorization"] == "Bearer orch-key-77777777"
        assert heard.body["models"] == ["house-model"]
        assert '\n  "house_rules": [\n    "be kind"\n  ]' in heard.prompt and "Kasse \\u00fc" in heard.prompt
        assert "nothing" not in heard.prompt and '"metrics"' not in heard.prompt

    def test_hypotheses(self, advised, fake):
        reply = ask(advised, INVENT).json()
        assert [h["change"] for h in reply["hypotheses"]] == ["change 1", "change 2", "change 3"], "3 is the default"
        assert [h["expected_direction"] for h in reply["hypotheses"]] == ["decrease", "increase", "increase"]
        assert reply["available"] and "Propose 3 " in fake.heard[0].prompt
        assert len(ask(advised, INVENT, {**CONTEXT, "count": 5}).json()["hypotheses"]) == 5

    def test_analysis(self, advised, fake):
        reply = ask(advised, ANALYZE, design()).json()
        assert reply["report"] == advised.post("/api/v1/design", design()).json()
        assert reply["calculations"]["results"]["sample_size_per_variant"] == 146642
        assert reply["advice"]["advice"] == ADVICE
        for part in ('"project_context": {\n    "project_name": "Checkout"', '"calculation_results": {', "146642", '"warnings": ['):
            assert part in fake.heard[0].prompt

    @pytest.mark.parametrize("behaviour, code, calls", [
        (PASSING["broken_off"], "parse_error", 2), (PASSING["reset"], "parse_error", 2), (PASSING["503"], "http_error", 2),
        (status(422), "http_error", 1), (status(401), "http_error", 1), ("hang", "timeout", 2),
        (raw(response(200, b"<html>")), "parse_error", 1), (raw(response(200, b"x" * 30000)), "parse_error", 1),
        (says(" "), "empty_response", 1), (says("no"), "missing_json_object", 1), (says("{]}"), "invalid_json", 1)])
    def test_failures_fail_nothing(self, guarded, fake, behaviour, code, calls):
        """Whatever it does: 200, no advice, and the code that says why."""
        guarded = guarded.with_token(CLOSED["AB_API_TOKEN"])
        ask(guarded)  # a success: the breaker counts from the beginning
        fake.behave(behaviour)
        reply = ask(guarded).json()
        assert (reply["available"], reply["provider"], reply["error_code"]) == (False, "local_orchestrator", code)
        assert reply["advice"] is None and reply["error"] and loopback_name() not in reply["error"]
        assert len(fake.heard) == calls

    @pytest.mark.parametrize("behaviour, code", [(says({}), "missing_hypotheses"),
                                                 (says({"hypotheses": [{"change": " "}]}), "empty_hypotheses")])
    def test_hypotheses_that_are_none(self, guarded, fake, behaviour, code):
        fake.behave(behaviour)
        reply = ask(guarded.with_token(CLOSED["AB_API_TOKEN"]), INVENT).json()
        assert (reply["available"], reply["hypotheses"], reply["error_code"]) == (False, [], code)

    def test_second_attempt(self, advised, fake):
        fake.behave(status(503), well)
        assert ask(advised).json()["provider"] == "local_orchestrator" and len(fake.heard) == 2

    def test_the_server_key_helps_out(self, advised, fake):
        fake.behave(status(422), well)
        reply = ask(advised).json()
        assert (reply["available"], reply["provider"], reply["model"]) == (True, "mistral", "mistral-small-latest")
        assert fake.heard[1].headers["authorization"] == f"Bearer {MISTRAL_KEY}"

    def test_the_server_key_fails_silently(self, advised, fake):
        fake.behave(status(422), status(401))
        assert ask(advised).json()["error_code"] == "http_error" and len(fake.heard) == 2

    def test_breaker(self, guarded, fake):
        """Three failures in a row: all workers leave it alone, then one of them tries."""
        client = guarded.with_token(CLOSED["AB_API_TOKEN"])
        time.sleep(0.35)
        ask(client)
        fake.behave(status(500))
        assert ask(client).json()["error_code"] == "http_error" and len(fake.heard) == 2
        opened = time.monotonic()
        ask(client)  # the third failure
        for _ in range(10):
            ask(client)
        probes = (time.monotonic() - opened) / 0.3  # one for each time that it was open, on a slow machine
        assert 3 <= len(fake.heard) <= 3 + probes
        llm = client.get("/api/v1/diagnostics").json()["llm"]
        assert llm["base_url"].endswith(fake.url.rsplit(":", 1)[1]) and llm["breaker_state"] in ("open", "half_open")
        assert guarded.get("/api/v1/diagnostics").json()["llm"]["base_url"] is None
        fake.behave()
        time.sleep(0.35)
        assert ask(client).json()["available"] and ask(client).json()["available"]


class TestVendors:
    @pytest.mark.parametrize("vendor", PATHS)
    def test_protocol(self, advised, fake, vendor):
        reply = ask(as_vendor(advised, f"{vendor.upper()} ", f"{TOKEN} ")).json()
        assert (reply["available"], reply["provider"], reply["advice"]) == (True, vendor, ADVICE)
        [heard] = fake.heard
        assert heard.path == PATHS[vendor] and heard.body["model"] == reply["model"]
        assert heard.body["temperature"] == 0.4 and heard.body["messages"][0]["role"] == "user"
        if vendor == "anthropic":
            assert (heard.headers["x-api-key"], heard.headers["anthropic-version"]) == (TOKEN, "2023-06-01")
            assert heard.body["max_tokens"] == 1024
        else:
            assert heard.headers["authorization"] == f"Bearer {TOKEN}"

    @pytest.mark.parametrize("headers", [{"X-AB-LLM-Provider": "openai"}, {"X-AB-LLM-Token": TOKEN},
                                         {"X-AB-LLM-Provider": "nobody", "X-AB-LLM-Token": TOKEN},
                                         {"X-AB-LLM-Provider": "openai", "X-AB-LLM-Token": ""}])
    def test_half_a_choice_is_none(self, advised, headers):
        assert ask(advised.with_headers(headers)).json()["provider"] == "local_orchestrator"

    def test_mistral_has_to_be_offered(self, guarded):
        client = as_vendor(guarded.with_token(CLOSED["AB_API_TOKEN"]), "mistral")
        assert ask(client).json()["provider"] == "local_orchestrator"

    @pytest.mark.parametrize("vendor, title", [("openai", "OpenAI"), ("anthropic", "Anthropic")])
    @pytest.mark.parametrize("code", [401, 403])
    def test_refused_token(self, advised, fake, vendor, title, code):
        fake.behave(status(code))
        for path in (ADVISE, INVENT):
            answer = ask(as_vendor(advised, vendor), path)
            assert (answer.status, answer.error_code, answer.detail) == (code, "llm_auth", f"{title} authentication failed.")
        assert len(fake.heard) == 2, "never asked again"

    @pytest.mark.parametrize("token", ["x" * 513, "two words", "späße"])
    def test_what_is_no_token_goes_nowhere(self, advised, fake, token):
        answer = ask(as_vendor(advised, "openai", token.encode()))
        assert (answer.status, answer.error_code, fake.heard) == (401, "llm_auth", [])

    @pytest.mark.parametrize("name", [*PASSING, *UNREADABLE, "hang"])
    def test_failures_that_may_pass(self, advised, fake, name):
        bad = {**PASSING, **UNREADABLE, "hang": "hang"}[name]
        fake.behave(bad)
        answer = ask(as_vendor(advised, "openai"), may_fail=True)
        assert (answer.status, answer.error_code) == (503, "llm_transient") and "switch to local" in answer.detail
        assert len(fake.heard) == 2
        if bad != "hang":
            fake.behave(bad, well)
            assert ask(as_vendor(advised, "openai")).json()["available"]

    @pytest.mark.parametrize("behaviour", [status(400), status(404), status(302, "Location: /v1/other"),
                                           status(429, "Retry-After: 2"), raw(response(200, b"x" * 30000))])
    def test_failures_that_will_not_pass(self, advised, fake, behaviour):
        fake.behave(behaviour)
        answer = ask(as_vendor(advised, "openai"), may_fail=True)
        assert (answer.status, answer.error_code, len(fake.heard)) == (503, "llm_transient", 1)

    def test_retry_after_is_waited_for(self, advised, fake):
        fake.behave(status(429, "Retry-After: 1"), well)
        answer = ask(as_vendor(advised, "openai"))
        assert answer.json()["available"] and answer.seconds >= 1

    @pytest.mark.parametrize("behaviour, code", [(status(401), "llm_auth"), (status(500), "llm_transient"),
                                                 (PASSING["reset"], "llm_transient")])
    def test_an_analysis_does_not_depend_on_it(self, advised, fake, behaviour, code):
        fake.behave(behaviour)
        reply = ask(as_vendor(advised, "anthropic"), ANALYZE, design()).json()
        assert (reply["advice"]["available"], reply["advice"]["error_code"]) == (False, code)
        assert reply["advice"]["provider"] == "anthropic"
        assert reply["calculations"]["results"]["sample_size_per_variant"] == 146642

    def test_addresses_are_guarded(self, guarded, fake):
        client = as_vendor(guarded.with_token(CLOSED["AB_API_TOKEN"]), "openai")
        assert ask(client, may_fail=True).error_code == "llm_transient" and fake.heard == []


class TestSpending:
    @pytest.mark.parametrize("token", [None, CLOSED["AB_READONLY_API_TOKEN"]])
    def test_readers_bring_their_own_key(self, guarded, fake, token):
        client = guarded.with_token(token) if token else guarded
        reply = ask(client).json()
        assert reply == {"available": False, "provider": "none", "model": "none", "advice": None, "raw_text": None,
                         "error": reply["error"], "error_code": "public_demo_llm_requires_key"}
        assert ask(client, INVENT).json()["hypotheses"] == [] and "your own key" in reply["error"]
        assert ask(client, ANALYZE, design()).json()["advice"]["error_code"] == "public_demo_llm_requires_key"
        assert fake.heard == []

    def test_with_a_key_the_vendor_is_tried(self, guarded, fake):
        """Here the guard stops it, so what shows is the vendor's failure."""
        for token in (None, CLOSED["AB_READONLY_API_TOKEN"]):
            client = guarded.with_token(token) if token else guarded
            assert ask(as_vendor(client, "anthropic"), may_fail=True).error_code == "llm_transient"
        assert fake.heard == []


class TestRequests:
    @pytest.mark.parametrize("body, place, kind", [
        ({}, ("body", "project_context"), "missing"), ({"project_context": 5}, ("body", "project_context"), "dict_type"),
        ({"project_context": {}, "setup": []}, ("body", "setup"), "dict_type"),
        ({"project_context": {}, "warnings": [1]}, ("body", "warnings", 0), "dict_type")])
    def test_advice(self, advised, body, place, kind):
        assert ask(advised, ADVISE, body).errors()[place]["type"] == kind

    @pytest.mark.parametrize("count, kind", [(0, "greater_than_equal"), (6, "less_than_equal"), (1.5, "int_from_float")])
    def test_count(self, advised, count, kind):
        assert ask(advised, INVENT, {**CONTEXT, "count": count}).errors()["body", "count"]["type"] == kind

    def test_what_cannot_be_sized_is_not_advised_on(self, advised, fake):
        assert ask(advised, ANALYZE, design(metrics={"mde_pct": 3000})).status == 400
        assert ask(advised, ANALYZE, design(metrics={"power": 2})).status == 422
        assert fake.heard == []


def test_workers_survive_and_nothing_else_waits(advised, fake):
    """Providers die in the middle of answers, many at a time, while the rest of the service goes on."""
    wait_for(lambda: len(advised.stack.workers("experiments-advice")) == WORKERS)  # the stack has just started
    before = set(advised.stack.workers("experiments-advice"))
    assert len(before) == WORKERS
    fake.behave(PASSING["reset"], "hang", PASSING["broken_off"], "hang", PASSING["no_http"], PASSING["reset"], "hang")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(lambda: ask(as_vendor(advised.with_headers({}), "openai"), may_fail=True)) for _ in range(8)]
        assert advised.get("/health").status == 200 and advised.post("/api/v1/design", design()).status == 200
        assert {call.result().error_code for call in calls} == {"llm_transient"}
    assert set(advised.stack.workers("experiments-advice")) == before
    fake.behave()
    assert ask(advised).json()["available"]


def test_waiting_is_not_computing(advised, fake):
    """The slot of admission is free while advice is waited for."""
    fake.behave("hang", well)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        call = pool.submit(ask, advised.with_headers({}), ANALYZE, design())
        wait_for(lambda: fake.heard)
        assert advised.post("/api/v1/design", design()).status == 200
        assert call.result().json()["advice"]["available"]


def test_tokens_are_nowhere(advised, fake):
    """Not in answers, though the provider repeats them; not in logs, diagnostics or titles."""
    for vendor in PATHS:
        fake.behave(says({"brief_assessment": f"You said {TOKEN}.", "key_risks": [TOKEN]}))
        reply = ask(as_vendor(advised, vendor)).json()
        assert reply["advice"]["brief_assessment"] == f"You said {'*' * len(TOKEN)}."
        for bad in (status(401), status(500), raw(response(200, TOKEN.encode()))):
            fake.behave(bad)
            ask(as_vendor(advised, vendor), may_fail=True)
            ask(as_vendor(advised, vendor), ANALYZE, design())
    fake.behave(says(f"no {MISTRAL_KEY}, no orch-key-77777777"))
    ask(advised)
    advised.get("/api/v1/diagnostics")
    seen = "".join(answer.text + str(answer.header_list) for answer in advised.record.answers) + advised.stack.logs()
    for pid in advised.stack.processes():
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as title:
                seen += title.read()
        except OSError:
            continue  # gone meanwhile
    assert "advice_failed" in seen
    for secret in (TOKEN, MISTRAL_KEY, "orch-key-77777777"):
        assert secret not in seen
