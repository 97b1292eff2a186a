"""Alerts of support: what fires and when, that each notice arrives, whatever fails or dies; and the rules for a
scraper over its figures."""

import http.server
import json
import re
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from exposition import kinds
from wait import wait_for
from service import ENGINES, Service
from stack import CHECKOUT, clean_environment
from support_admin_test import SECRET

RULES = CHECKOUT / "config" / "support" / "alert_rules.yml"


class Receiver:
    """Notes what is posted; answers with `status`."""

    def __enter__(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.seen.append((self.headers["Content-Type"], self.headers["X-Alert-Delivery"], json.loads(body)))
                self.send_response(receiver.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.status, self.seen = 200, []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/alerts"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def take(self):
        """The alerts told since the last time, once each."""
        seen, self.seen = self.seen, []
        once = {delivery: body for _, delivery, body in seen}
        return [(alert["rule"], alert["state"]) for body in once.values() for alert in body["alerts"]]


@pytest.fixture(scope="module")
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(scope="module", params=ENGINES)
def service(request, receiver):
    """Its own program has looked and does not look again."""
    env = {"JWT_SECRET": SECRET, "ALERT_WEBHOOK_URL": receiver.url, "ALERT_CHECK_INTERVAL_SEC": 86400}
    with Service("support", env, request.param) as service:
        wait_for(lambda: service.sql("SELECT 1 FROM jobs WHERE kind = 'support.alert-check' AND state = 'done'"))
        yield service


@pytest.fixture
def support(service, receiver):
    for table in ("traces", "feedback", "alert_state", "kb_documents", "document_stats"):
        service.sql(f"DELETE FROM {table}")
    service.sql("DELETE FROM jobs WHERE kind = 'support.alert'")
    receiver.status, receiver.seen = 200, []
    return service


def check(service, *arguments, **env):
    return service.stack.run("run", "alert-check", *arguments, env={name: str(value) for name, value in env.items()})


def traces(service, count, route, quality=90, milliseconds=100):
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    service.sql("INSERT INTO traces (trace_id, tenant_id, started_at, finished_at, final_route, final_quality, duration_ms,"
                " question, channel, knowledge_gap, cost_usd) VALUES " + ", ".join(
                    f"('{route}{quality}-{i}', '{('default', 'other')[i % 2]}', '{now}', '{now}', '{route}', {quality},"
                    f" {milliseconds}, 'q', 'web', 0, 0)" for i in range(count)))


def votes(service, up, down):
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    service.sql("INSERT INTO feedback (tenant_id, trace_id, session_id, rating, reason, linked, ts) VALUES " + ", ".join(
        f"('default', 't{i}', 's', '{'up' if i < up else 'down'}', '', 0, '{now}')" for i in range(up + down)))


def test_a_rule_fires_the_second_time_is_told_once_and_once_more_when_it_is_over(support, receiver):
    assert check(support).stdout.endswith("All OK.\n") and not receiver.take()
    traces(support, 6, "auto")
    traces(support, 4, "human")
    first = check(support)
    assert "Violations: [escalation_rate] | Alerting: []" in first.stdout and not receiver.take()
    second = check(support)
    assert "Alerting: [escalation_rate]" in second.stdout and second.returncode == 0
    [(content_type, delivery, body)] = receiver.seen
    assert content_type == "application/json" and delivery
    assert body["alerts"] == [{"rule": "escalation_rate", "group": "quality", "severity": "warning", "state": "firing",
                               "value": 40.0, "threshold": 35.0, "window": "24h",
                               "message": "Escalation rate 40% > 35% (24h)"}]
    assert re.fullmatch(r"Support alerts: 1 firing, 0 resolved\n\n- Escalation rate 40% > 35% \(24h\)\n\n"
                        r"Generated: \S+", body["text"]) and body["generated_at"]
    assert receiver.take() == [("escalation_rate", "firing")]
    [line] = [json.loads(line) for line in (support.stack.directory / "data" / "support" / "alerts.log").read_text()
              .splitlines()][-1:]
    assert (line["rule"], line["value"], line["threshold"]) == ("escalation_rate", 40.0, 35.0) and line["ts"]
    check(support)
    assert not receiver.take()
    check(support, ALERT_COOLDOWN_SEC=0)
    assert receiver.take() == [("escalation_rate", "firing")]
    support.sql("DELETE FROM traces")
    check(support), check(support)
    assert receiver.take() == [("escalation_rate", "resolved")]


def test_thresholds_are_strict_and_what_is_not_known_violates_nothing(support):
    traces(support, 65, "auto", 65, 12000)
    traces(support, 35, "human", 65, 12000)  # 35.0 %, 65.0, 0 %, 12.00 s
    votes(support, 0, 49)
    assert "All OK." in check(support).stdout
    traces(support, 60, "auto", 10, 12010)
    support.sql("INSERT INTO feedback (tenant_id, trace_id, session_id, rating, reason, linked, ts) SELECT tenant_id,"
                " 'one-more', session_id, rating, reason, linked, ts FROM feedback WHERE trace_id = 't0'")
    assert "Violations: [avg_quality, low_quality_share, p95_latency, thumbs_down_rate]" in check(support).stdout
    out = check(support, "--dry-run").stdout
    for message in ("Avg quality 44.4 < 65 (7d)", "Low-quality share 37.5% > 30% (7d)",
                    "p95 latency 12.01s > 12s (24h)", "Thumbs-down rate 100% > 20% (7d, n=50)"):
        assert f"- {message}\n" in out


def test_a_rehearsal_changes_and_tells_nothing(support, receiver):
    traces(support, 10, "human")
    for _ in range(3):
        assert "Alerting: []" in check(support, "--dry-run").stdout
    assert not receiver.seen and not support.sql("SELECT * FROM alert_state WHERE violations > 0")


def test_without_an_address_it_says_so_and_tells_later(support, receiver):
    traces(support, 10, "human")
    for _ in range(2):
        done = check(support, ALERT_WEBHOOK_URL="")
    assert done.returncode == 0 and "ALERT_WEBHOOK_URL is not set" in done.stdout
    check(support)
    assert receiver.take() == [("escalation_rate", "firing")]


def test_a_notice_that_does_not_arrive_waits(support, receiver):
    traces(support, 10, "human")
    receiver.status = 500
    assert check(support).returncode == 0
    failed = check(support)
    assert failed.returncode == 1 and len(receiver.seen) == 3
    receiver.take()
    receiver.status = 200
    support.sql("UPDATE jobs SET due_at = 0 WHERE kind = 'support.alert'")
    assert check(support).returncode == 0 and receiver.take() == [("escalation_rate", "firing")]


def test_who_dies_at_it_tells_once(support, receiver):
    """Killed at many moments, run side by side: the second look tells, and nothing is told twice or forgotten."""
    traces(support, 10, "human")
    command = [support.stack.program, "run", "--dir", support.stack.directory, "alert-check"]
    for delay in range(10):
        victim = subprocess.Popen(command, env={**clean_environment(), **support.stack.env}, start_new_session=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.05 + delay * 0.02)
        subprocess.run(["pkill", "-KILL", "-s", str(victim.pid)], check=False)
        victim.wait()
    support.sql("UPDATE jobs SET due_at = 0 WHERE state = 'waiting' AND holder IS NOT NULL")  # two minutes later
    for _ in range(3):
        with ThreadPoolExecutor(3) as pool:
            done = list(pool.map(lambda _: check(support), range(3)))
        assert {one.returncode for one in done} == {0}, done
    assert receiver.take() == [("escalation_rate", "firing")]


def test_a_handful_of_answers_fires_nothing(support):
    """One escalated answer is a rate of 100 % and says nothing; so for quality and latency."""
    traces(support, 9, "human", 10, 60000)
    assert "All OK." in check(support).stdout
    rules = "Violations: [escalation_rate, avg_quality, low_quality_share, p95_latency]"
    assert rules in check(support, "--dry-run", ALERT_MIN_N=9).stdout
    traces(support, 1, "human", 11, 60000)
    assert rules in check(support, "--dry-run").stdout


def test_the_program_that_stays_looks_as_often_as_it_is_told():
    """nginx/services starts it with --every 30."""
    with Service("support", {"JWT_SECRET": SECRET, "ALERT_CHECK_INTERVAL_SEC": 1}, "sqlite") as service:
        looks = "SELECT count(*) FROM jobs WHERE kind = 'support.alert-check' AND state = 'done'"
        wait_for(lambda: int(service.sql(looks)[0][0]) >= 3)


def test_a_crontab_looks_as_often_as_the_setting_says(support):
    looks = "SELECT count(*) FROM jobs WHERE kind = 'support.alert-check' AND state = 'done'"
    support.sql("DELETE FROM jobs WHERE kind = 'support.alert-check'")
    first = check(support, "--due", ALERT_CHECK_INTERVAL_SEC=3600)
    assert first.returncode == 0 and first.stdout.strip(), first.stderr
    before = int(support.sql(looks)[0][0])
    again = check(support, "--due", ALERT_CHECK_INTERVAL_SEC=3600)
    assert (again.returncode, again.stdout, int(support.sql(looks)[0][0])) == (0, "", before)
    time.sleep(2.1)
    assert check(support, "--due", ALERT_CHECK_INTERVAL_SEC=1).stdout.strip() and int(support.sql(looks)[0][0]) == before + 1
    assert check(support).stdout.strip() and int(support.sql(looks)[0][0]) == before + 2, "by hand at once"


def test_exit_statuses(support):
    assert check(support, "--now").returncode == 2
    assert check(support, DATABASE_URL="postgresql://nobody@127.0.0.1:9/none").returncode == 2


def test_the_rules_for_a_scraper_know_the_figures(support, tmp_path):
    done = subprocess.run(["promtool", "check", "rules", RULES], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "SUCCESS: 15 rules found" in done.stdout, done.stdout + done.stderr
    # votes are held against all votes, a mean is that of the week, and old documents are told of
    tried = tmp_path / "tried.yml"
    tried.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [
        {"interval": "1m", "input_series": [
            {"series": f'rag_feedback_total{{rating="{rating}"}}', "values": f"0+{step}x180"} for rating, step in votes] + [
            {"series": "rag_stale_important_docs_count", "values": f"{old}x180"}],
         "alert_rule_test": [{"eval_time": "150m", "alertname": name, "exp_alerts": [{
             "exp_labels": {"severity": "warning"}, "exp_annotations": {"summary": summary}}] if fires else []}
             for name, summary, fires in (
                 ("ThumbsDownSpike", "Every fifth vote is against.", votes[1][1] > 2),
                 ("StaleImportantDocs", "Much cited documents have not been looked at for 90 days.", old > 10))]}
        for votes, old in (((("up", 8), ("down", 2)), 10), ((("up", 7), ("down", 3)), 11))]}))
    done = subprocess.run(["promtool", "test", "rules", tried], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    known = kinds(support.get("/metrics").text)
    used = set(re.findall(r"\brag_[a-z0-9_]+", re.sub(r"annotations:.*", "", RULES.read_text())))
    assert used and {re.sub(r"_(sum|count|bucket)$", "", name) if name not in known else name for name in used} <= set(known)
