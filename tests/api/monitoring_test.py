"""What a monitoring system reads: alert rules and dashboards are what the programs' tables give, promtool accepts them and
runs every alert on generated series, and a real Prometheus raises and clears alerts of a running stack."""

import json
import re
import subprocess

import pytest
import requests
import yaml

from beside_prometheus import Prometheus
from exposition import kinds
from health_faults_test import move_databases
from redis_server import RedisServer
from stack import BUILD, CHECKOUT, ROWS, Stack, WITH_PORT
from wait import wait_for

FILES = CHECKOUT / "config/monitoring"
RULES = yaml.safe_load((FILES / "assay.rules.yml").read_text())
ALERTS = {rule["alert"]: rule for group in RULES["groups"] for rule in group["rules"]}
SERVICES = sorted(path.stem for path in (FILES / "dashboards").glob("*.json"))


# The family of each service that answers /metrics: what no other claims.
ANSWERS = {row[1]: f"{row[1]}-{row[2]}" for row in ROWS if row[:1] == ["family"] and "*" in row}


def metrics_of(service):
    done = subprocess.run([BUILD / f"fcgi-bin/{ANSWERS[service]}", "--describe-metrics"], capture_output=True, text=True, check=True)
    return {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}


METRICS = {name: row for service in SERVICES for name, row in metrics_of(service).items()}


def requests_of(prefix, failed, label="status"):
    """Of a hundred requests a minute so many fail."""
    good, bad = ("success", "server_error") if label == "class" else ("200", "503")
    name = f"{prefix}_http_requests_total"
    return {f'{name}{{{label}="{good}"}}': f"0+{100 - failed}x200", f'{name}{{{label}="{bad}"}}': f"0+{failed}x200"}


def seconds_of(name, labels, slow):
    """A histogram of a hundred a minute, of which so many take longer than every bound but the last."""
    series = {f'{name}_bucket{{{labels}le="{bound}"}}': f"0+{100 - slow}x200" for bound in ("0.5", "1", "2", "5")}
    return series | {f'{name}_bucket{{{labels}le="{bound}"}}': "0+100x200" for bound in ("30", "+Inf")}


def gauge(name, fires, quiet):
    return {name: f"{fires}x200"}, {name: f"{quiet}x200"}


def counter(name, fires, quiet):
    """By so much a minute."""
    return {name: f"0+{fires}x200"}, {name: f"0+{quiet}x200"}


# Of each alert: series on which it fires, and series on which it does not. A step is a minute.
EXAMPLES = {
    "AssayServiceDown": gauge('up{job="assay"}', 0, 1),
    "AssayExperimentsErrors": (requests_of("ab", 10, "class"), requests_of("ab", 1, "class")),
    "AssaySupportErrors": (requests_of("rag", 10), requests_of("rag", 1)),
    "AssayOrchestratorErrors": (requests_of("orch", 10, "status_code"), requests_of("orch", 1, "status_code")),
    "AssayLiveDataErrors": (requests_of("live", 10), requests_of("live", 1)),
    "AssayAccountsErrors": (requests_of("accounts", 10, "class"), requests_of("accounts", 1, "class")),
    "AssayExperimentsDatabaseDown": gauge("ab_database_up", 0, 1),
    "AssayAccountsDatabaseDown": gauge("accounts_database_up", 0, 1),
    "AssayExperimentsSlow": (seconds_of("ab_http_request_duration_seconds", 'family="live",', 10),
                             seconds_of("ab_http_request_duration_seconds", 'family="compute",', 10)),
    "AssayExperimentsBusy": counter("ab_capacity_rejections_total", 10, 1),
    "AssayExperimentsRefusedCredentials": counter("ab_auth_rejections_total", 20, 1),
    "AssayExperimentsRateLimited": counter("ab_rate_limited_total", 50, 1),
    "AssayWebhooksLate": gauge("ab_webhook_oldest_due_seconds", 700, 500),
    "AssayExperimentsKafkaSilent": gauge("ab_live_lag_seen_seconds", 90, 5),
    "AssayExperimentsKafkaBehind": ({'ab_live_lag_records{topic="a"}': "60000x200", 'ab_live_lag_records{topic="b"}': "60000x200"},
                                    {'ab_live_lag_records{topic="a"}': "60000x200"}),
    "AssaySupportComponentDown": gauge('rag_component_up{component="sqlite"}', 0, 1),
    "AssaySupportProviderSuspended": gauge('rag_circuit_breaker_state{name="a"}', 2, 1),
    "AssaySupportSlow": (seconds_of("rag_request_duration_seconds", "", 10), seconds_of("rag_request_duration_seconds", "", 1)),
    "AssaySupportQuestionsRefused": counter('rag_pipeline_rejections_total{reason="full"}', 10, 1),
    "AssaySupportSignInFailures": counter('rag_auth_failures_total{reason="password"}', 20, 1),
    "AssayAccountsSignInsRefused": counter('accounts_sign_ins_refused_total{reason="locked"}', 20, 1),
    "AssaySupportNotPersisted": counter('rag_message_persist_failures_total{operation="save"}', 1, 0),
    "AssayReviewWaiting": gauge("review_queue_oldest_pending_seconds", 700_000, 100_000),
    "AssayMailboxNotRead": ({"email_poller_last_success_timestamp_seconds": "60x200"},
                            {"email_poller_last_success_timestamp_seconds": "0+60x200"}),
    "AssaySearchEngineBehind": gauge("rag_search_engine_lag_documents", 2000, 10),
    "AssayOrchestratorNotReady": gauge('orch_readiness_state{status="failed"}', 1, 0),
    "AssayModelCallsFail": ({'orch_model_calls_total{model_id="a"}': "0+10x200", 'orch_model_errors_total{model_id="a"}': "0+5x200"},
                            {'orch_model_calls_total{model_id="a"}': "0+10x200", 'orch_model_errors_total{model_id="a"}': "0+1x200"}),
    "AssayModelSaturated": gauge('orch_execution_model_saturated{model_id="a"}', 1, 0),
    "AssayBrowserSuspended": gauge('orch_browser_circuit_breaker_state{state="open"}', 1, 0),
    "AssayOrchestratorWithoutCache": counter("orch_rate_limit_without_cache_total", 1, 0),
    "AssayLiveDataDown": gauge('live_pipeline_health{component="serving"}', 0, 1),
    "AssayLiveDataLate": gauge('live_pipeline_health{component="freshness"}', 0, 0.5),
    "AssayLiveDataRejects": gauge('live_pipeline_health{component="quality"}', 0, 0.5),
    "AssayLiveDataKafkaBehind": gauge("live_bridge_lag_records", 200_000, 100),
    "AssayColumnarBehind": gauge('live_columnar_ready{table="a"}', 0, 1),
    "AssayLiveDataRefusedCredentials": counter('live_auth_failures_total{reason="unknown_key"}', 20, 1),
    "AssayUseNotCounted": counter("live_usage_rows_dropped_total", 1, 0),
    "AssayLimitsAlone": gauge("assay_limits_shared", 0, 1),
}


def case_of(name, which):
    """All alerts at once, each on series of its own: they all fire, or none does."""
    series = [(name, values) for pair in EXAMPLES.values() for name, values in pair[which].items()]
    assert len({name for name, _ in series}) == len(series), "each alert has series of its own"
    return {"interval": "1m", "name": name, "input_series": [{"series": name, "values": values} for name, values in series],
            "promql_expr_test": [{"expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) or vector(0)',
                                  "eval_time": "150m", "exp_samples": [{"labels": "{}", "value": 1 - which}]} for alert in EXAMPLES]}


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_files_are_what_the_programs_and_the_table_give(tmp_path):
    subprocess.run([CHECKOUT / "tools/monitoring/write", tmp_path], env={"PATH": "/usr/bin:/bin", "BUILD": str(BUILD)}, check=True)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 2 + len(SERVICES)
    for path in written:
        name = path.relative_to(tmp_path)
        assert path.read_text() == (CHECKOUT / name).read_text(), f"{name}: run make docs"


def test_every_alert_fires_and_is_quiet_on_generated_series(tmp_path):
    assert EXAMPLES.keys() == ALERTS.keys()
    cases = [case_of("they fire", 0), case_of("they are quiet", 1)]
    tried = tmp_path / "examples.yml"
    tried.write_text(yaml.safe_dump({"rule_files": [str(FILES / "assay.rules.yml")], "tests": cases}))
    promtool("check", "rules", FILES / "assay.rules.yml")
    promtool("test", "rules", tried)


def test_alerts_speak_of_metrics_and_labels_that_there_are():
    page = (CHECKOUT / "docs/operate/alerts.md").read_text()
    for name, rule in ALERTS.items():
        assert f"\n### {name}\n" in page
        known = {"instance", "job", "le", "family"}
        for metric in re.findall(r"\b(?:ab|rag|orch|live|accounts|assay|review|email)_[a-z0-9_]+", rule["expr"]):
            row = METRICS.get(metric) or METRICS[re.sub(r"_(bucket|sum|count)$", "", metric)]
            known |= set(row["labels"])
        for label in re.findall(r"(\w+)(?:=|!=|=~|!~)\"", rule["expr"]):
            assert label in known, (name, label)


def test_a_dashboard_has_every_metric_and_its_queries_are_promql(tmp_path):
    expressions = []
    for service in SERVICES:
        board = json.loads((FILES / f"dashboards/{service}.json").read_text())
        assert [panel["description"] for panel in board["panels"][1:]] == list(metrics_of(service))
        expressions += [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    rules = [{"record": f"tried:number{at}", "expr": expression.replace("$__rate_interval", "5m")}
             for at, expression in enumerate(expressions)]
    tried = tmp_path / "dashboards.yml"
    tried.write_text(yaml.safe_dump({"groups": [{"name": "dashboards", "rules": rules}]}))
    promtool("check", "rules", tried)


@pytest.fixture(scope="module")
def redis():
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="module")
def stack(redis):
    settings = {"ALLOW_ANONYMOUS_ADMIN": "true", "RATE_LIMIT_ENABLED": "false", "AB_RATE_LIMIT_ENABLED": "false",
                "LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_HEALTH_CACHE_TTL_SECONDS": "0",
                "LIVE_MAX_FAILED_AUTH_PER_IP_PER_HOUR": "100000",
                "ASSAY_LIMITS_URL": redis.url, "ORCH_CACHE_URL": redis.url, "ORCH_RATE_LIMIT_RPM": "100000"}
    with Stack(services=WITH_PORT) as stack:
        yield stack.start(settings)


@pytest.fixture(scope="module")
def prometheus(stack, tmp_path_factory):
    """Rules as they are, with seconds for minutes."""
    rules = (FILES / "assay.rules.yml").read_text()
    rules = re.sub(r"\[\d+m\]", "[15s]", re.sub(r"for: \d+[mh]", "for: 0s", rules))
    targets = [stack.url_of(service).removeprefix("http://") for service in WITH_PORT]
    with Prometheus(tmp_path_factory.mktemp("prometheus"), rules, targets) as prometheus:
        wait_for(lambda: prometheus.up() == len(targets))
        yield prometheus


PATHS = {"experiments": "/api/v1/projects", "support": "/api/documents", "orchestrator": "/api/v1/tasks",
         "livedata": "/v1/metrics/revenue?window=24h"}


def ask(stack, service, key="key-of-shop"):
    return requests.get(stack.url_of(service) + PATHS[service], headers={"X-API-Key": key} if service == "livedata" else None, timeout=30)


def wait_while(act, prometheus, fires=frozenset(), quiet=frozenset()):
    """Repeats `act` until these alerts fire and those do not."""
    def once():
        act()
        firing = prometheus.firing()
        return fires <= firing and not quiet & firing

    def told():
        firing = prometheus.firing()
        return f"{sorted(fires - firing)} do not fire, {sorted(quiet & firing)} do"
    wait_for(once, told, seconds=120)


def test_what_a_scrape_has_is_in_the_tables(stack):
    for service in WITH_PORT:
        scraped = kinds(requests.get(stack.url_of(service) + "/metrics", timeout=30).text)
        known = {name: row["kind"] for name, row in metrics_of(service).items()}
        assert scraped.items() <= known.items(), service


def test_a_lost_database_raises_alerts_of_all_services_until_it_is_back(stack, prometheus):
    expected = {"AssayExperimentsDatabaseDown", "AssaySupportComponentDown", "AssayOrchestratorNotReady", "AssayLiveDataDown",
                "AssayExperimentsErrors", "AssaySupportErrors", "AssayOrchestratorErrors", "AssayLiveDataErrors"}

    def ask_all():
        for service in WITH_PORT:
            ask(stack, service)

    wait_while(ask_all, prometheus, quiet=expected)
    move_databases(stack, "", "aside-")
    wait_while(ask_all, prometheus, fires=expected)
    move_databases(stack, "aside-", "")
    assert stack.run("reload").returncode == 0
    wait_while(ask_all, prometheus, quiet=expected)


def test_limits_without_their_server_raise_alerts_until_it_is_back(stack, redis, prometheus):
    expected = {"AssayLimitsAlone", "AssayOrchestratorWithoutCache"}
    redis.kill()
    wait_while(lambda: ask(stack, "orchestrator"), prometheus, fires=expected)
    redis.start()
    wait_while(lambda: ask(stack, "orchestrator"), prometheus, quiet=expected)


def test_wrong_keys_raise_an_alert_until_they_cease(stack, prometheus):
    expected = {"AssayLiveDataRefusedCredentials"}
    wait_while(lambda: [ask(stack, "livedata", "a-wrong-key") for _ in range(40)], prometheus, fires=expected)
    wait_for(lambda: not prometheus.firing() & expected)


def test_a_stack_that_is_stopped_raises_an_alert_until_it_runs(stack, prometheus):
    assert stack.stop().returncode == 0
    wait_for(lambda: "AssayServiceDown" in prometheus.firing())
    assert stack.run("start").returncode == 0
    wait_for(lambda: "AssayServiceDown" not in prometheus.firing())
