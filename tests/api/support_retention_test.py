"""What grows old in support goes, by itself, by hand and by the routes; a purge that is killed loses nothing and
is made up for."""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from exposition import samples
from wait import wait_for
from service import ENGINES, Service
from stack import clean_environment
from support_admin_test import SECRET, token

TRACES, STEPS = 1300, 2
ENV = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "TRACE_RETENTION_DAYS": 30, "AUDIT_RETENTION_DAYS": 60,
       "MESSAGE_RETENTION_DAYS": 90}


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    """With the rows of a real question. The program of the stack has purged by itself, in its first minute, and will
    not do so again before tomorrow."""
    with Service("support", ENV, request.param) as service:
        service.post("/api/ask", {"question": "Is it new?", "session_id": "young"}, headers=token("viewer"))
        wait_for(lambda: service.sql("SELECT count(*) FROM jobs WHERE kind = 'support.retention' AND state = 'done'") == [["3"]])
        yield service


def fill(service):
    """Rows of two tenants, 31, 61 and 91 days old, as many as make several batches."""
    for table, old in (("traces", "trace_id LIKE 'old%'"), ("feedback", "1 = 1"), ("audit_log", "actor = 'a'"),
                       ("sessions", "id <> 'young'"), ("messages", "session_id <> 'young'")):
        service.sql(f"DELETE FROM {table} WHERE {old}")
    age = {days: time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - days * 86400)) for days in (29, 31, 59, 61, 89, 91)}
    series = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) ").format
    insert = {
        "traces (trace_id, tenant_id, started_at, question, channel, knowledge_gap, cost_usd)":
            (TRACES, f"'old' || i, CASE WHEN i % 2 = 0 THEN 'default' ELSE 'other' END, '{age[31]}', 'q', 'web', 0, 0"),
        "trace_steps (trace_id, step_order, node_name, state_json, ts)":
            (TRACES * STEPS, f"'old' || ((i - 1) / {STEPS} + 1), (i - 1) % {STEPS}, 'log', '{{}}', '{age[31]}'"),
        "trace_evaluations (trace_id, tenant_id, evaluator_name, score, verdict, metadata, evaluated_at)":
            (700, f"'old' || i, 'default', 'e', 1, 'ok', '{{}}', '{age[31]}'"),
        "feedback (tenant_id, trace_id, session_id, rating, reason, linked, ts)":
            (20, f"'default', 'old' || i, 's' || i, 'up', '', i % 2, CASE WHEN i <= 10 THEN '{age[31]}' ELSE '{age[29]}' END"),
        "audit_log (tenant_id, ts, actor, action, resource)":
            (1200, f"'default', CASE WHEN i <= 1100 THEN '{age[61]}' ELSE '{age[59]}' END, 'a', 'upload', 'r'"),
        "sessions (tenant_id, id, created_at, last_access, message_count)":
            (10, f"'default', 's' || i, '{age[91]}', CASE WHEN i <= 7 THEN '{age[91]}' ELSE '{age[89]}' END, 4"),
        "messages (tenant_id, session_id, role, content, created_at)":
            (40, f"'default', 's' || ((i - 1) / 4 + 1), 'user', 'x', '{age[91]}'"),
    }
    for table, (count, values) in insert.items():
        service.sql(f"INSERT INTO {table} {series(count)} SELECT {values} FROM n" if service.engine == "postgres" else
                    f"{series(count)} INSERT INTO {table} SELECT {values} FROM n")


GOES = {"traces_deleted": TRACES, "steps_deleted": TRACES * STEPS, "feedback_deleted": 15, "evaluations_deleted": 700,
        "audit_deleted": 1100, "sessions_deleted": 7, "messages_deleted": 28}
STAYS = {"traces": 1, "feedback": 5, "sessions": 4, "messages": 14, "trace_evaluations": 7}


def program(service, *arguments):
    return service.stack.run("run", "support-retention", *arguments)


def counts(service):
    return {table: int(service.sql(f"SELECT count(*) FROM {table}")[0][0]) for table in STAYS}


def test_by_hand(support):
    fill(support)
    before, figures = counts(support), samples(support.get("/metrics").text)
    done = program(support, "--dry-run")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"status": "ok", **GOES, "dry_run": True}), done.stderr
    assert counts(support) == before
    done = program(support)
    assert (done.returncode, json.loads(done.stdout)) == (0, {"status": "ok", **GOES, "dry_run": False}), done.stderr
    assert counts(support) == STAYS
    assert int(support.sql("SELECT count(*) FROM audit_log WHERE action = 'upload'")[0][0]) == 100
    again = json.loads(program(support).stdout)
    assert again == {"status": "ok", **dict.fromkeys(GOES, 0), "dry_run": False}
    after = samples(support.get("/metrics").text)
    for name, rows in (('rag_traces_purged_total{table="traces"}', TRACES), ("rag_audit_purged_total", 1100)):
        assert after[name] - figures.get(name, 0) == rows
    for wrong in (["--every", "x"], ["--now"]):
        assert program(support, *wrong).returncode == 2
    assert program(support, "--every").returncode == 2


def test_who_dies_at_it_is_replaced(support):
    """Killed again and again, at whatever it is doing: no trace is left without its steps, nothing young goes."""
    fill(support)
    command = [support.stack.program, "run", "--dir", support.stack.directory, "support-retention"]
    for delay in range(12):
        victim = subprocess.Popen(command, env={**clean_environment(), **support.stack.env}, start_new_session=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.02 + delay * 0.02)
        subprocess.run(["pkill", "-KILL", "-s", str(victim.pid)], check=False)
        victim.wait()
        [[torn]] = support.sql("SELECT count(*) FROM traces t WHERE trace_id LIKE 'old%' AND (SELECT count(*) FROM"
                               f" trace_steps s WHERE s.trace_id = t.trace_id) <> {STEPS}")
        assert int(torn) == 0
    support.sql("UPDATE jobs SET due_at = 0 WHERE state = 'waiting' AND holder IS NOT NULL")  # two minutes later
    for _ in range(20):
        with ThreadPoolExecutor(3) as pool:  # who comes second is told so
            done = list(pool.map(lambda _: program(support), range(3)))
        assert {one.returncode for one in done} == {0}, done
        if counts(support) == STAYS:
            break
    assert counts(support) == STAYS


def test_a_wall_clock_that_was_set_deletes_nothing(support):
    """As if it had been 200 days behind when it was looked at last."""
    fill(support)
    before, kept = counts(support), support.stack.directory / "state" / "support.clock"
    assert program(support).returncode == 0 and counts(support) != before
    fill(support)
    lines = kept.read_text().splitlines()
    _, wall, since_boot = lines[2].split()
    kept.write_text("\n".join([*lines[:2], f"trusted {int(wall) - 200 * 86400 * 10**6} {since_boot}", *lines[3:], ""]))
    done = program(support)
    assert done.returncode == 1 and "the wall clock was set by" in done.stderr + done.stdout, done
    answer = support.send("DELETE", "/api/admin/traces", headers=token("admin"))
    assert answer.status_code == 503, answer.text
    assert counts(support) == before
    kept.unlink()
    assert program(support).returncode == 0 and counts(support) == STAYS


def test_by_the_routes(support):
    fill(support)
    admin = token("admin")
    assert support.send("DELETE", "/api/admin/audit-log?older_than_days=0", headers=admin).json() == {"deleted": 0}
    assert support.send("DELETE", "/api/admin/audit-log?older_than_days=60", headers=token("admin", "other")).json() == {"deleted": 0}
    assert support.send("DELETE", "/api/admin/audit-log?older_than_days=60", headers=admin).json() == {"deleted": 1100}
    answer = support.send("DELETE", "/api/admin/audit-log?older_than_days=3651", headers=admin)
    assert (answer.status_code, answer.json()["detail"]) == (400, "older_than_days must be in [0, 3650]")
    assert support.send("DELETE", "/api/admin/traces", headers=admin).json() == {
        "traces_deleted": TRACES // 2, "steps_deleted": TRACES // 2 * STEPS, "feedback_deleted": 0}
    entries = support.get("/api/admin/audit?limit=5", headers=admin).json()["entries"]
    assert [entry["action"] for entry in entries[:3]] == ["trace_purge", "audit_purge", "audit_purge"]
