"""Language models for the nodes of the answer graph, through the real stack: answers and streams in all four
protocols, and that every failure of theirs ends in the embedded answer, with its fallback named in the trace."""

import json
import socket
import time
from urllib.parse import urlsplit

import pytest

from exposition import samples
from wait import wait_for
from service import ENGINES, Service
from support_models import (HEADERS, KEPT, KEY, PROTOCOLS, QUESTION, VERIFIER, WARRANTY, WRITTEN, Models, ask, falls_back, steps,
                            stream)
from stack import Stack

pytest_plugins = ["support_models_fixtures"]


@pytest.fixture(scope="module", params=ENGINES)
def consensus(request, registry):
    env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "FACT_VERIFY_CONSENSUS_ENABLED": "true",
           "PROVIDER_REGISTRY_PATH": str(registry.path), "LLM_CHAT_API_KEY": "model-secret",
           "OLLAMA_RETRY_MAX_ATTEMPTS": "1", "CIRCUIT_BREAKER_ENABLED": "false", "RAG_SELF_RAG_MAX_ITER": "0"}
    with Service("support", env, request.param) as service:
        file = {"file": ("warranty.md", WARRANTY.encode())}
        assert service.send("POST", "/api/upload", headers=HEADERS, files=file).status_code == 200
        yield service


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_model_writes_the_answer(support, registry, models, protocol, streamed):
    [name] = registry.write(protocol, prices=(10, 20), kind="paid")
    frames = stream(support) if streamed else None
    answer = frames[-1] if streamed else ask(support)
    assert answer["answer"] == KEPT and answer["route"] == "auto"
    assert (answer["quality_score"], answer["quality_source"], answer["factuality_score"]) == (95, "llm", 100)
    assert answer["suggested_questions"] == ["What is covered?", "Who pays?"]
    assert answer["citations"][0]["index"] == 1 and "24 months" in answer["citations"][0]["excerpt"]
    if streamed:
        assert [frame["type"] for frame in frames].count("token_start") == 1
        assert len([frame for frame in frames if frame["type"] == "token"]) > 3
    nodes, trace = steps(support, answer)
    state = nodes["generate"]
    assert (state["provider_name"], state["model_name"], state["usage_node"]) == (name, name, "generate")
    used = state["prompt_tokens"], state["completion_tokens"]
    assert used[0] > 20 and used[1] == len(WRITTEN.split())
    assert state["cost_usd"] == pytest.approx((10 * used[0] + 20 * used[1]) / 1e6)
    assert nodes["transform_query"]["search_query"] == "warranty period months" and state["fallbacks"] == []
    assert [claim["supported"] for claim in nodes["verify_facts"]["claims"]] == [True]
    total = sum(nodes[node]["cost_usd"] for node in
                ("transform_query", "generate", "verify_facts", "evaluate", "suggest_questions"))
    assert trace["cost_usd"] == pytest.approx(total) and len(models.calls) == 6
    sent = models.calls[1]
    assert "model-secret" in " ".join(sent["headers"].values()) and "[Document 1 | source=warranty.md]" in sent["prompt"]
    assert bool(sent["stream"]) == streamed


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_endless_answer_is_cut(support, registry, models, protocol, streamed):
    """Of an endpoint that ignores LLM_ANSWER_TOKENS (800), at eight characters a token."""
    sentence = "The_warranty_period_lasts_24_months_from_the_day_of_purchase [1]. "
    registry.write(protocol, rule="text:" + sentence * (20000 if streamed else 500))
    frames = stream(support) if streamed else None
    answer = frames[-1] if streamed else ask(support)
    assert 5000 < len(answer["answer"]) <= 6400 and answer["answer"] == (sentence * 200)[:len(answer["answer"])]
    assert answer["answer"].endswith("[1].") and answer["quality_source"] == "llm"
    if streamed:  # what was said while it was written, and the answer itself: one event for each piece
        assert len([frame for frame in frames if frame["type"] == "token"]) <= 2 * 2 * (6400 / len(sentence) + 1)
        assert models.left  # the provider was hung up on


@pytest.mark.parametrize("verdict", ["The 90-day period is not in the documents.", "100% wrong: 5", "0", "Perfect!"])
def test_a_verdict_that_is_none_leaves_the_quality_to_evidence(support, registry, models, embedded, verdict):
    [name] = registry.write("openai")
    models.answers["Judge an answer"] = "text:" + verdict
    answer = ask(support)
    assert answer["answer"] == KEPT
    assert (answer["quality_score"], answer["quality_source"]) == (embedded["quality_score"], "embedded")
    nodes, _ = steps(support, answer)
    assert {"node": "evaluate", "from_provider": name, "to_provider": "embedded",
            "reason": "malformed"} in nodes["log"]["fallbacks"]


def test_a_verdict_is_read_from_where_it_is_named(support, registry, models):
    registry.write("openai")
    models.answers["Judge an answer"] = "text:The 90-day period is not in the documents. Score: 15"
    answer = ask(support)
    assert (answer["quality_score"], answer["quality_source"]) == (15, "llm")


FAILURES = [("status:401", "http_401", 1), ("status:429:30", "http_429", 1), ("status:500", "http_500", 3),
            ("stall", "timeout", None), ("nonsense", "malformed", 1), ("empty", "blank", 1), ("huge", "too_large", 1),
            ("close", "cut", None)]
BEGUN = "The warranty period is 24 months. It"  # whole sentences go on, once they are checked
STREAM_FAILURES = [("status:401", "http_401", 1), ("status:429:30", "http_429", 1), ("quiet:" + BEGUN, "timeout", 1),
                   ("cut:" + BEGUN, "cut", 1), ("fault:" + BEGUN, "fault", 1), ("empty", "blank", 1)]


@pytest.mark.parametrize("rule, reason, calls", FAILURES, ids=[rule for rule, _, _ in FAILURES])
def test_a_failure_ends_in_the_embedded_answer(support, registry, models, embedded, rule, reason, calls):
    [name] = registry.write("openai", rule=rule)
    began = time.monotonic()
    answer = ask(support)
    assert time.monotonic() - began < 30
    falls_back(support, models, answer, embedded, name, reason, calls)


@pytest.mark.parametrize("protocol, rule, reason, calls", [
    (protocol, *failure) for failure in STREAM_FAILURES for protocol in PROTOCOLS
    if protocol == "openai" or failure[1] in ("cut", "fault")])
def test_a_stream_that_fails_begins_anew(support, registry, models, embedded, protocol, rule, reason, calls):
    [name] = registry.write(protocol, rule=rule)
    frames = stream(support)
    told = ":" in rule and not rule.startswith("status")
    assert [frame["type"] for frame in frames].count("token_start") == (2 if told else 1)
    falls_back(support, models, frames[-1], embedded, name, reason, calls)


def test_too_many_requests_are_asked_again(support, registry, models):
    registry.write("openai", rule=["status:429:0", "status:503", "text:" + WRITTEN])
    assert ask(support)["answer"] == KEPT


def test_what_other_nodes_make_of_nonsense_is_named(support, registry, models):
    [name] = registry.write("openai")
    models.answers |= {"Judge an answer": "status:400", "List the statements": "text:Sure!", "Suggest three": "empty",
                       "Turn a customer's question": "text:x"}
    answer = ask(support)
    assert answer["answer"] == KEPT and answer["quality_source"] == "embedded" and answer["route"] == "auto"
    nodes, _ = steps(support, answer)
    assert {fallback["node"]: fallback["reason"] for fallback in nodes["log"]["fallbacks"]} == {
        "transform_query": "too_short", "verify_facts": "malformed", "evaluate": "http_400", "suggest_questions": "blank"}


def test_markers_are_added_where_none_are(support, registry):
    registry.write("openai", rule="text:The warranty period is 24 months. Elephants are grey.")
    answer = ask(support)
    assert answer["answer"] == "The warranty period is 24 months [1]."


def test_a_refusal_has_no_sources(support, registry, models):
    registry.write("openai", rule="text:This cannot be answered from the documents; please contact support.")
    models.answers["Judge an answer"] = "text:20"
    answer = ask(support)
    assert answer["sources"] == [] and answer["citations"] == [] and answer["route"] == "human"
    assert answer["quality_score"] == 20


def test_a_node_that_is_found_wanting_is_tried_again_with_other_words(support, registry, models):
    registry.write("openai", rule=["text:The warranty has a period [1]. It is a period of months.", "text:" + WRITTEN])
    scores = iter(["text:30", "text:90"])
    judged = models.rule_for
    models.rule_for = lambda body, prompt: (next(scores) if str(body["messages"][0]["content"]).startswith("Judge")
                                            else judged(body, prompt))
    try:
        frames = stream(support)
    finally:
        del models.rule_for
    assert frames[-1]["answer"] == KEPT and frames[-1]["quality_score"] == 90
    assert [frame["type"] for frame in frames].count("token_start") == 2
    nodes, _ = steps(support, frames[-1])
    assert nodes["rewrite_query"]["search_query"] == "warranty duration" and nodes["rewrite_query"]["iteration"] == 1


def leave(service, path, models):
    """Asks and goes away: after the first word of a stream, or when the model has been asked."""
    url, body = urlsplit(service.url), json.dumps({"question": QUESTION}).encode()
    with socket.create_connection((url.hostname, url.port), timeout=60) as client:
        client.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nX-API-Key: {KEY}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                       + body)
        with client.makefile("rb") as answer:
            if path.endswith("stream"):
                assert any(b'"token"' in line for line in answer)
            else:
                wait_for(lambda: any("numbered documents" in str(call["body"]) for call in models.calls))


@pytest.mark.parametrize("path", ["/api/ask", "/api/ask/stream"])
def test_a_client_that_leaves_stops_the_call(support, registry, models, path):
    registry.write("openai", rule="hang:" + BEGUN if path.endswith("stream") else "stall:1.2")
    models.left.clear()
    before = newest(support)["trace_id"]
    leave(support, path, models)
    wait_for(lambda: newest(support)["trace_id"] != before and newest(support)["finished_at"])
    assert newest(support)["final_route"] == "timeout"
    assert path == "/api/ask" or wait_for(lambda: models.left)


def newest(service):
    return service.get("/api/admin/traces?limit=1", headers=HEADERS).json()["traces"][0]


def test_the_fallback_answers_and_is_then_asked_first(support, registry, models):
    first, second = registry.write("openai", "ollama")
    models.answers[first] = "status:500"
    answer = ask(support)
    assert answer["answer"] == KEPT
    nodes, _ = steps(support, answer)
    assert nodes["generate"]["provider_name"] == second
    assert {"node": "generate", "from_provider": first, "to_provider": second, "reason": "http_500"} in nodes["log"]["fallbacks"]
    models.calls.clear()
    answer = ask(support)
    assert answer["answer"] == KEPT and {call["model"] for call in models.calls} == {second}
    nodes, _ = steps(support, answer)
    assert nodes["log"]["fallbacks"][0]["reason"] == "unavailable"


def test_a_provider_that_keeps_failing_is_not_asked(support, registry, models, embedded):
    [name] = registry.write("openai", rule="status:401")
    models.answers |= {beginning: "status:401" for beginning, _ in Models.PARTS}
    for _ in range(2):
        ask(support)
    models.calls.clear()
    answer = ask(support)
    nodes, _ = steps(support, answer)
    assert answer["answer"] == embedded["answer"] and models.calls == []
    assert {fallback["reason"] for fallback in nodes["log"]["fallbacks"]} == {"breaker_open"}
    figures = samples(support.get("/metrics").text)
    assert figures[f'rag_circuit_breaker_state{{name="{name}"}}'] == 2
    assert figures[f'rag_circuit_breaker_transitions_total{{name="{name}",to_state="open"}}'] == 1
    of = f'from_provider="{name}",reason="%s",to_provider="embedded"'
    assert figures["llm_provider_fallback_total{" + of % "http_401" + "}"] == 2
    assert figures["llm_provider_fallback_total{" + of % "breaker_open" + "}"] >= len(nodes["log"]["fallbacks"])
    health = support.get("/api/health").json()
    snapshot = {"name": name, "state": "open", "consecutive_failures": 2}
    assert health["status"] == "degraded" and health["components"][name]["status"] == "error"
    assert snapshot in health["circuit_breakers"]
    told = support.stack.run("run", "alert-check", "--dry-run").stdout
    assert "Violations: [breaker_open]" in told, told
    assert support.post(f"/api/admin/circuit-breaker/reset?breaker={name}").status_code == 401
    for unknown in ("embedded", "nobody"):
        answer = support.post(f"/api/admin/circuit-breaker/reset?breaker={unknown}", headers=HEADERS)
        assert answer.status_code == 404 and "breaker" in answer.text
    done = support.post(f"/api/admin/circuit-breaker/reset?breaker={name}", headers=HEADERS)
    assert done.status_code == 200 and done.json() == {
        "status": "reset", "breaker": name, "detail": None, "previous": snapshot,
        "current": {"name": name, "state": "closed", "consecutive_failures": 0}}
    health = support.get("/api/health").json()
    assert health["status"] == "ok" and health["components"][name]["status"] == "ok"
    assert "breaker_open" not in support.stack.run("run", "alert-check", "--dry-run").stdout
    entry = support.get("/api/admin/audit?action=circuit_breaker_reset", headers=HEADERS).json()["entries"][0]
    assert entry["resource"] == f"breaker:{name}"
    models.answers = {name: "text:" + WRITTEN}
    assert ask(support)["answer"] == KEPT and models.calls


def test_administrators_see_providers_and_their_use(support, registry):
    [name] = registry.write("openai", prices=(10, 20), kind="paid", limits={"requests_per_minute": 50})
    answer = ask(support)
    seen = support.get("/api/admin/providers", headers=HEADERS).json()
    [provider] = [one for one in seen["providers"] if one["id"] == name]
    assert seen["active_profile"] == "test" and seen["profiles"]["test"]["fast"] == {"provider": name, "model": name}
    assert provider["active"] and provider["configured"] and provider["breaker"] == "closed"
    assert provider["usage_1m"]["requests"] == 5 and provider["usage_1m"]["requests_pct"] == 10
    assert provider["cost_24h_usd"] == pytest.approx(steps(support, answer)[1]["cost_usd"])
    assert provider["last_success_at"] and "model-secret" not in json.dumps(seen)
    assert seen["nodes"] == ["transform_query", "rewrite_query", "generate", "verify_facts", "evaluate", "suggest_questions"]
    [embedded] = [one for one in seen["providers"] if one["id"] == "embedded"]
    assert embedded["kind"] == "embedded" and not embedded["active"]


def test_a_limit_of_requests_is_kept(support, registry, models):
    registry.write("openai", limits={"requests_per_minute": 2})
    nodes, _ = steps(support, ask(support))
    assert len(models.calls) == 2
    assert {"verify_facts", "evaluate", "suggest_questions"} <= {
        fallback["node"] for fallback in nodes["log"]["fallbacks"] if fallback["reason"] == "rate_limited"}


def test_a_day_costs_no_more_than_it_may(support, registry, models, embedded):
    [name] = registry.write("openai", prices=(5000, 5000), kind="paid")
    answer = ask(support)
    assert answer["answer"] == KEPT  # more than half a dollar
    cost = samples(support.get("/metrics").text)[f'llm_cost_usd_total{{model="{name}",provider="{name}",tenant="default"}}']
    assert cost == pytest.approx(steps(support, answer)[1]["cost_usd"]) and cost > 0.5
    models.calls.clear()
    answer = ask(support)
    nodes, _ = steps(support, answer)
    assert answer["answer"] == embedded["answer"] and models.calls == []
    assert {fallback["reason"] for fallback in nodes["log"]["fallbacks"]} == {"daily_cost_limit"}


def figure(service, name):
    return samples(service.get("/metrics").text).get(name + '{tenant="default"}', 0)


CONSENSUS = "rag_fact_verification_consensus_total"


def says(*numbers):
    """A verifier's reply that supports these claims and no other."""
    return "text:" + "\n".join(f"{i}. " + ("SUPPORTED: the period" if i in numbers else "UNSUPPORTED") for i in (1, 2, 3))


@pytest.mark.parametrize("rules, claims, verdict, votes, agreement", [
    # two models and the words: "lasts" and "lunar" are in no document, so that the first is theirs alone
    ([(1,), (1,)], (True, False, False), "partly", 3, 0.667),
    ([(1, 3), (3,)], (False, False, True), "partly", 3, 0.333),  # one of three, none, two
    ([(), ()], (False, False, False), "unsupported", 3, 1),
    ([(1,), None], (False, False, False), "unsupported", 2, 0.667),  # one of two is no majority
])
def test_several_verdicts_decide_on_a_statement(consensus, registry, models, rules, claims, verdict, votes, agreement):
    registry.write("openai")
    models.answers["List the statements"] = "text:- The warranty lasts 24 months.\n- It covers lunar damage.\n- Lunar months."
    models.answers[VERIFIER] = ["status:500" if rule is None else says(*rule) for rule in rules]
    before = samples(consensus.get("/metrics").text)
    state = steps(consensus, ask(consensus))[0]["verify_facts"]
    assert tuple(claim["supported"] for claim in state["claims"]) == claims, state
    assert state["fact_consensus"] == {"level": "standard", "verdict": verdict, "votes": votes, "agreement": agreement}
    assert state["factuality_score"] == 100 * sum(claims) // 3
    after, key = samples(consensus.get("/metrics").text), f'{CONSENSUS}{{level="standard",verdict="{verdict}"}}'
    assert sum(after[name] - before.get(name, 0) for name in after if name.startswith(CONSENSUS)) == 1
    assert after[key] == before.get(key, 0) + 1


def test_without_a_verdict_of_a_model_words_decide_alone(consensus, registry, models):
    registry.write("openai")
    models.answers[VERIFIER] = "status:500"
    before = consensus.get("/metrics").text
    state = steps(consensus, ask(consensus))[0]["verify_facts"]
    assert "fact_consensus" not in state and [claim["text"] for claim in state["claims"]] == [KEPT.replace(" [1]", "")]
    assert [line for line in before.splitlines() if line.startswith(CONSENSUS + "{")] == [
        line for line in consensus.get("/metrics").text.splitlines() if line.startswith(CONSENSUS + "{")]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_first_question_is_answered_again_while_nothing_has_changed(registry, models, engine):
    env = {"API_KEY": KEY, "RATE_LIMIT_ENABLED": "false", "LLM_CACHE_ENABLED": "true", "LLM_CACHE_TTL_SECONDS": "60",
           "CIRCUIT_BREAKER_ENABLED": "false", "PROVIDER_REGISTRY_PATH": str(registry.path)}
    [_] = registry.write("openai")
    with Service("support", env, engine) as service:
        file = {"file": ("warranty.md", WARRANTY.encode())}
        service.send("POST", "/api/upload", headers=HEADERS, files=file)
        first, calls = ask(service), len(models.calls)
        assert not first["cached"] and calls
        again = ask(service, " how LONG is the warranty period? ")
        assert again["cached"] and len(models.calls) == calls
        for member in ("answer", "sources", "citations", "quality_score", "route", "suggested_questions", "language"):
            assert again[member] == first[member]
        nodes, trace = steps(service, again)
        assert list(nodes) == ["cache"] and nodes["cache"]["cached_trace_id"] == first["trace_id"] != again["trace_id"]
        assert trace["final_route"] == "auto" and len(trace["evaluations"]) == 7
        assert stream(service)[-1]["cached"]
        refused = service.post("/api/admin/circuit-breaker/reset", headers=HEADERS)
        assert (refused.status_code, refused.json()["status"]) == (409, "disabled")
        [provider] = [one for one in service.get("/api/admin/providers", headers=HEADERS).json()["providers"]
                      if one["active"]]
        assert provider["usage_1m"]["requests"] == 5 and provider["usage_1m"]["tokens"] > 100
        follows = ask(service, session_id=again["session_id"])  # what was said before may change what is meant
        assert not follows["cached"]
        assert (figure(service, "llm_cache_hits_total"), figure(service, "llm_cache_misses_total")) == (2, 1)
        file = {"file": ("warranty.md", WARRANTY.replace("24", "36").encode())}
        service.send("POST", "/api/upload", headers=HEADERS, files=file)
        assert not ask(service)["cached"]
        registry.write("openai", rule="text:Nobody knows [1].")
        models.answers["Judge an answer"] = "text:10"
        assert ask(service)["cached"]  # the profile has the same name
        for _ in range(2):  # what a person should look at is not given again
            assert not ask(service, "What does the warranty period say about elephants?")["cached"]


def test_a_registry_that_becomes_invalid_leaves_the_old_one(support, registry, models):
    registry.write("openai")
    assert ask(support)["answer"] == KEPT
    registry.path.write_text("providers: [")
    assert ask(support)["answer"] == KEPT


@pytest.mark.parametrize("document, text", [
    ({"providers": {}}, "providers must be a list"),
    ({"providers": [{"id": "a", "kind": "local", "protocol": "telepathy", "default_models": {"fast": "m", "strong": "m"},
                     "models": [{"name": "m"}]}]}, "provider 1: protocol is wrong"),
    ({"providers": [], "routing_profiles": {"p": {"fast": {"provider": "b", "model": "m"}}}},
     "profile p, fast: there is no provider b"),
    ({"providers": [], "default_profile": "nobody"}, "there is no profile nobody"),
    ({"default_profile": "p", "providers": [{"id": "a", "kind": "paid", "protocol": "openai", "base_url": "http://h/v1",
                                             "api_key_env": "NO_SUCH_KEY", "default_models": {"fast": "m", "strong": "m"},
                                             "models": [{"name": "m", "input_price_per_1m_tokens": 1,
                                                         "output_price_per_1m_tokens": 1}]}],
      "routing_profiles": {"p": {"fast": {"provider": "a", "model": "m"}, "strong": {"provider": "a", "model": "m"}}}},
     "profile p needs the key of provider a in NO_SUCH_KEY"),
    ({"providers": [{"id": "a", "kind": "paid", "protocol": "openai", "base_url": "http://h/v1",
                     "default_models": {"fast": "m", "strong": "m"},
                     "models": [{"name": "m", "input_price_per_1m_tokens": 1}]}]},
     "provider a is paid: model m must have both prices")])
def test_a_registry_that_does_not_resolve_is_refused(tmp_path, document, text):
    path = tmp_path / "providers.yml"
    path.write_text(json.dumps(document))
    stack = Stack(services=("support",))
    done = stack.prepare({"PROVIDER_REGISTRY_PATH": str(path)}).run("start")
    try:
        assert done.returncode != 0 and text in done.stdout + done.stderr
    finally:
        stack.stop()
        stack.close()
