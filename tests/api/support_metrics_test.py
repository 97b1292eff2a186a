"""GET /metrics: every name, counters that agree with what was sent, whoever answered it and whoever died; and
the expositions of the other services before the same judge."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from exposition import judge, kinds, samples
from wait import wait_for
from service import ENGINES, Service
from support_admin_test import SECRET, token

COUNTERS = """rag_requests_total rag_http_requests_total rag_quality_score_source_total rag_escalation_total
rag_feedback_total rag_model_routing_total rag_fact_verification_consensus_total rag_experiment_auto_rollback_total
regression_runs_total online_evaluator_runs_total online_evaluator_errors_total rag_online_evaluators_dropped_total
rag_circuit_breaker_transitions_total rag_ollama_retry_events_total llm_provider_fallback_total
rag_request_timeouts_total rag_pipeline_rejections_total rag_rate_limit_rejections_total rag_body_size_rejections_total
llm_cost_usd_total llm_cache_hits_total llm_cache_misses_total rag_message_persist_failures_total
rag_traces_purged_total rag_audit_purged_total rag_auth_failures_total
email_poller_fetched_total email_poller_errors_total rag_old_reads_total""".split()
GAUGES = """rag_eval_drift regression_last_pass_rate rag_circuit_breaker_state rag_inflight_pipelines rag_component_up
rag_db_pool_size rag_db_pool_checked_out rag_db_pool_overflow rag_active_sessions rag_vector_store_documents
rag_retriever_bm25_enabled rag_search_engine_lag_documents
rag_stale_important_docs_count review_queue_pending_total review_queue_confirmed_total
review_queue_oldest_pending_seconds curated_dataset_size curated_dataset_last_build_timestamp_seconds
email_poller_last_success_timestamp_seconds""".split()
HISTOGRAMS = """rag_request_duration_seconds rag_http_request_duration_seconds regression_runs_duration_seconds
online_evaluator_score""".split()
SUMMARIES = "rag_quality_score rag_factuality_score".split()
QUESTIONS = ("How long can goods be returned?", "Which colours of paint do you sell?")


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    env = {"JWT_SECRET": SECRET, "MAX_UPLOAD_BYTES": 100_000, "MAX_REQUEST_BODY_BYTES": 10_000,
           "PIPELINE_ACQUIRE_TIMEOUT_SEC": 30}
    with Service("support", env, request.param) as service:
        upload(service, b"# Returns\n\nGoods can be returned within 14 days of purchase.\n")
        yield service


def upload(service, content):
    return service.send("POST", "/api/upload", headers=token("agent"), files={"file": ("returns.md", content)})


def ask(service, question):
    answer = service.post("/api/ask", {"question": question}, headers=token("viewer"))
    assert answer.status_code == 200, answer.text
    return answer.json()


def scrape(service):
    answer = service.get("/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return answer.text


def test_every_name_is_there_and_a_scraper_can_read_it(support):
    text = scrape(support)
    expected = {**dict.fromkeys(COUNTERS, "counter"), **dict.fromkeys(GAUGES, "gauge"),
                **dict.fromkeys(HISTOGRAMS, "histogram"), **dict.fromkeys(SUMMARIES, "summary")}
    assert kinds(text) == expected
    assert not judge(text)
    values = samples(text)
    for name in ("rag_escalation_total", "rag_audit_purged_total", "review_queue_pending_total{reason=\"manual\"}",
                 "rag_request_duration_seconds_bucket{le=\"0.05\"}", "rag_quality_score_count"):
        assert name in values
    assert values["rag_vector_store_documents"] == 1 and values['rag_retriever_bm25_enabled{tenant="default"}'] == 1
    assert values['rag_component_up{component="kb_index"}'] == 1
    assert values[f'rag_component_up{{component="{"postgres" if support.engine == "postgres" else "sqlite"}"}}'] == 1
    health = support.get("/api/health").json()
    assert health["vector_store_loaded"] and health["sessions_count"] == values["rag_active_sessions"]
    assert all(breaker["state"] == "closed" for breaker in health["circuit_breakers"])
    assert 0 <= values["rag_db_pool_checked_out"] <= values["rag_db_pool_size"]


ANSWERED = 'rag_http_requests_total{endpoint="/api/ask",method="POST",status="200"}'
NOWHERE = 'rag_http_requests_total{endpoint="unknown",method="GET",status="404"}'


def growth(service, before, expected):
    """The exposition, and how much each of the samples in `expected` has grown, once none is short of what it says: a
    request is counted when its client has the answer already."""
    text, grown = "", {}

    def counted():
        nonlocal text, grown
        text = scrape(service)
        found = samples(text)
        grown = {name: found.get(name, 0) - before.get(name, 0) for name in expected}
        return all(grown[name] >= by for name, by in expected.items())
    wait_for(counted, lambda: {name: (grown[name], by) for name, by in expected.items() if grown[name] < by})
    return text, grown


def test_counters_agree_with_what_was_sent_and_outlive_their_workers(support):
    before = samples(scrape(support))
    workers = support.stack.workers("support-ask")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: ask(support, QUESTIONS[i % 4 == 3]), range(20)))
    growth(support, before, {ANSWERED: 20})
    for pid in workers[::2]:
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: len(support.stack.workers("support-ask")) == len(workers))
    answers += [ask(support, QUESTIONS[0]) for _ in range(5)]
    vote = {"trace_id": answers[0]["trace_id"], "session_id": "s"}
    for rating in ("up", "down", "down"):
        support.post("/api/feedback", {**vote, "rating": rating}, headers=token("viewer"))
    for _ in range(6):
        support.post("/api/auth/login", {"username": "admin", "password": "wrong"})
    assert upload(support, b"x" * 100_001).status_code == 413
    assert support.post("/api/ask", {"question": "x" * 10_000}, headers=token("viewer")).status_code == 413
    support.get("/api/admin/traces/ab", headers=token("agent"))
    support.get("/no/such/path")
    assert [answer["route"] for answer in answers].count("auto") == 20
    expected = {
        'rag_requests_total{route="auto"}': 20, 'rag_requests_total{route="human"}': 5, "rag_escalation_total": 5,
        ANSWERED: 25, 'rag_http_request_duration_seconds_count{endpoint="/api/ask",method="POST"}': 26,
        **dict.fromkeys(("rag_request_duration_seconds_count", 'rag_request_duration_seconds_bucket{le="+Inf"}',
                         "rag_quality_score_count", "rag_factuality_score_count",
                         'rag_quality_score_source_total{source="embedded"}',
                         'rag_model_routing_total{complexity="unknown"}',
                         'online_evaluator_score_count{evaluator="citation_coverage"}'), 25),
        "rag_quality_score_sum": sum(answer["quality_score"] for answer in answers),
        'online_evaluator_runs_total{evaluator="refusal_detected",verdict="refusal"}': 5,
        'rag_feedback_total{rating="up"}': 1, 'rag_feedback_total{rating="down"}': 2,
        'rag_auth_failures_total{reason="bad_credentials_dev"}': 5,
        'rag_rate_limit_rejections_total{endpoint="/api/auth/login"}': 1,
        'rag_body_size_rejections_total{reason="upload_too_large"}': 1,
        'rag_body_size_rejections_total{reason="content_length_too_large"}': 1,
        'rag_http_requests_total{endpoint="/api/admin/traces/{trace_id}",method="GET",status="400"}': 1,
        NOWHERE: 1}
    text, grown = growth(support, before, expected)
    assert grown == expected
    assert not judge(text)
    after = samples(text)
    assert after["rag_inflight_pipelines"] == 0 and after["rag_active_sessions"] == 25


def test_the_settings_may_show_figures_to_administrators_only():
    with Service("support", {"JWT_SECRET": SECRET, "PROMETHEUS_METRICS_REQUIRE_AUTH": "yes"}) as service:
        for headers, status in ((None, 401), (token("agent"), 403), (token("admin"), 200),
                                ({"Authorization": "Bearer x"}, 401)):
            assert service.get("/metrics", headers=headers).status_code == status


def test_experiments_count_by_family_what_was_answered():
    with Service("experiments") as service:
        for _ in range(3):
            service.get("/health")
        service.get("/api/v1/no/such/path")
        text = service.get("/metrics").text
        assert not judge(text)
        found = samples(text)
        assert found['ab_http_requests_total{class="client_error",family="system"}'] >= 1
        assert found['ab_http_requests_total{class="success",family="system"}'] >= 3
        assert found['ab_http_request_duration_seconds_bucket{family="system",le="+Inf"}'] == found[
            'ab_http_request_duration_seconds_count{family="system"}'] >= 4
        assert found["ab_database_up"] == 1 and found['ab_webhook_deliveries{state="pending"}'] == 0


@pytest.mark.parametrize("name", ["livedata", "orchestrator"])
def test_figures_of_other_services_can_be_read(name):
    with Service(name) as service:
        service.get("/health")
        service.get("/no/such/path")
        text = service.get("/metrics").text
        assert not judge(text) and samples(text)
