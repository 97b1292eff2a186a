"""Weak answers become cases, people judge them, here and offline, and what they confirm becomes curated data: on
both engines, for two tenants."""

import fcntl
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from exposition import samples
from wait import wait_for
from people import People
from service import ENGINES, Service
from support_admin_test import SECRET, token

pytestmark = pytest.mark.both_engines

ENV = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "REVIEWER_EMAIL": "Judge@Example.com "}
QUEUE = "/api/admin/review-queue"


@pytest.fixture(scope="module", params=ENGINES)
def service(request):
    with Service("support", ENV, request.param) as service:
        People(service.stack).add("judge@example.com", key="0d7f-judge", support="reviewer")
        yield service


@pytest.fixture
def support(service):
    for table in ("review_queue", "traces", "feedback", "kv_cache"):
        service.sql(f"DELETE FROM {table}")
    for path in service.stack.directory.rglob("curated_cases.jsonl"):
        path.unlink()
    return service


def stamp(days=0):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000+00:00", time.gmtime(time.time() - days * 86400))


def trace(service, name, *, tenant="default", quality=95, route="auto", facts=100, duration=100, votes=(), age=0,
          answer="Use the reset button.", state=None, origin="live"):
    """A trace as an answer leaves it, of one step."""
    quality, facts = ("NULL" if value is None else value for value in (quality, facts))
    service.sql("INSERT INTO traces (trace_id, tenant_id, started_at, finished_at, final_route, final_quality,"
                " factuality_score, duration_ms, question, answer, channel, knowledge_gap, cost_usd, origin) VALUES"
                f" ('{name}', '{tenant}', '{stamp(age)}', '{stamp(age)}', '{route}', {quality}, {facts}, {duration},"
                f" 'How do I reset {name}?', '{answer}', 'web', 0, 0, '{origin}')")
    state = json.dumps(state or {"question": f"How do I reset {name}?", "answer": answer, "route": route,
                                 "citations": [{"index": 1, "doc_id": "manual.md"}]})
    service.sql("INSERT INTO trace_steps (trace_id, step_order, node_name, state_json, ts) VALUES"
                f" ('{name}', 0, 'log', '{state}', '{stamp(age)}')")
    for vote in votes:
        service.sql("INSERT INTO feedback (tenant_id, trace_id, session_id, rating, reason, linked, ts) VALUES"
                    f" ('{tenant}', '{name}', 's', '{vote}', '', 1, '{stamp(age)}')")


def program(service, name, *arguments, code=0, env=None):
    done = service.run(name, *arguments, env=env)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if done.stdout.startswith("{") else done


def queue(service, tenant="default", role="reviewer", **query):
    query = "&".join(f"{name}={value}" for name, value in {"status": "*", **query}.items())
    return service.get(f"{QUEUE}?{query}", headers=token(role, tenant)).json()


def judge(service, case, status, notes="", role="reviewer", tenant="default", subject=None):
    """judge@example.com is a person of the account store, and so of the tenant that he has there."""
    subject = subject or ("judge@example.com" if tenant == "default" else f"judge-of-{tenant}")
    return service.post(f"{QUEUE}/{case}", {"status": status, "reviewer_notes": notes, "reviewed_by": "me"},
                        headers=token(role, tenant, subject))


# Signals of a trace, and the reason they come to; the first rule that holds wins.
REASONS = [
    ("down", dict(quality=40, votes=["down"], duration=20000), "thumbs_down"),
    ("low", dict(quality=79), "low_quality"),
    ("enough", dict(quality=80), None),
    ("unknown", dict(quality=None), None),
    ("person", dict(quality=90, route="human", facts=10), "escalated"),
    ("untrue", dict(quality=90, facts=69), "fact_fail"),
    ("true", dict(quality=90, facts=70), None),
    ("slow", dict(quality=90, duration=10001), "slow_trace"),
    ("quick", dict(quality=90, duration=10000), None),
    ("up", dict(quality=95, votes=["up"], state={"rating": "down"}), None),
    ("old", dict(quality=10, age=2), None),
    ("tried", dict(quality=10, origin="regression"), None),
]


def test_each_weak_answer_becomes_one_case_with_its_first_reason(support):
    for name, signals, _ in REASONS:
        trace(support, f"trace-{name}", **signals)
    trace(support, "trace-other", tenant="other", quality=10)
    # an answer whose tool has made a ticket went to a person, however its route is called
    trace(support, "trace-ticket", route="auto", quality=90, facts=10)
    support.sql("INSERT INTO escalated_tickets (id, tenant_id, session_id, trace_id, user_question, status, created_at)"
                f" VALUES ('t-{support.engine}', 'default', 's', 'trace-ticket', 'q', 'open', '{stamp()}')")
    REASONED = [*REASONS, ("ticket", {}, "escalated")]
    expected = {f"trace-{name}": reason for name, _, reason in REASONED if reason}
    assert program(support, "review-build", "--tenant", "default") == {
        "status": "ok", "matched": len(expected), "inserted": len(expected), "upgraded": 0}
    assert {row["trace_id"]: row["reason"] for row in queue(support)["items"]} == expected
    assert program(support, "review-build")["inserted"] == 1  # the other tenant's; nothing twice
    assert [row["trace_id"] for row in queue(support, "other")["items"]] == ["trace-other"]
    listed = [row["id"] for row in queue(support)["items"]]  # all of one moment: the later id first, each on one page
    assert listed == sorted(listed, reverse=True)
    assert [queue(support, limit=1, offset=at)["items"][0]["id"] for at in range(len(listed))] == listed
    trace(support, "trace-unsure", tenant="third", facts=10)
    off = {"FACT_VERIFICATION_ENABLED": "false"}
    assert [program(support, "review-build", "--tenant", "third", env=env)["matched"] for env in (off, None)] == [0, 1]
    figures = samples(support.get("/metrics").text)
    assert figures['review_queue_pending_total{reason="low_quality"}'] == 2
    assert figures['review_queue_pending_total{reason="manual"}'] == 0
    support.sql("INSERT INTO feedback (tenant_id, trace_id, session_id, rating, reason, linked, ts) VALUES"
                f" ('default', 'trace-low', 's', 'down', '', 1, '{stamp()}')")
    assert program(support, "review-build")["upgraded"] == 1
    assert queue(support, reason="thumbs_down")["count"] == 2
    assert program(support, "review-build", env={"REVIEW_QUEUE_ENABLED": "false"}) == {
        "status": "disabled", "matched": 0, "inserted": 0, "upgraded": 0}


def test_a_verdict_stands_until_the_case_is_opened_again(support):
    trace(support, "trace-weak-1", quality=10)
    program(support, "review-build")
    [case] = queue(support)["items"]
    assert case["trace_url"] == "/admin/traces/trace-weak-1" and case["quality"] == 10.0 and case["duration_ms"] == 100
    detail = support.get(f"{QUEUE}/{case['id']}", headers=token("reviewer")).json()
    assert detail["query"] == "How do I reset trace-weak-1?" and detail["answer"] == "Use the reset button."
    assert detail["citations"] == ["[1]"]
    for role, status in (("viewer", 403), ("agent", 403), ("reviewer", 200), ("admin", 200)):
        assert support.get(QUEUE, headers=token(role)).status_code == status
    assert judge(support, case["id"], "wrong").status_code == 422
    assert judge(support, case["id"], "dismissed", "x" * 5001).status_code == 422
    assert judge(support, case["id"], "confirmed_good", tenant="other").json()["detail"] == "review item not found"
    assert judge(support, "abc", "dismissed").status_code == 422
    assert judge(support, case["id"], "in_review").status_code == 200
    assert judge(support, case["id"], "confirmed_bad", " exclude: button ").status_code == 200
    again = judge(support, case["id"], "confirmed_good")
    assert again.status_code == 409 and again.json()["detail"] == "review item is not pending"
    [case] = queue(support, status="confirmed_bad")["items"]
    assert case["reviewed_by"] == "0d7f-judge" and case["reviewed_at"] and case["reviewer_notes"] == "exclude: button"
    assert judge(support, case["id"], "pending", "look again", subject="nobody").status_code == 200
    [case] = queue(support, status="pending")["items"]
    assert case["reviewed_by"] is None and case["reviewed_at"] is None and case["reviewer_notes"] == "look again"
    stats = support.get(QUEUE + "/stats", headers=token("reviewer")).json()
    assert stats["status_counts"]["pending"] == 1 and stats["reason_counts"]["low_quality"] == 1
    assert stats["oldest_pending_seconds"] > 0 and len(stats["status_counts"]) == 5 and len(stats["reason_counts"]) == 6
    for wrong in ("status=new", "reason=new"):
        answer = support.get(f"{QUEUE}?{wrong}", headers=token("reviewer"))
        assert answer.status_code == 422 and answer.json()["detail"] == f"invalid review queue {wrong.split('=')[0]}"
    assert queue(support, limit=0, offset=-1)["limit"] == 1 and queue(support, limit=9999)["limit"] == 500
    assert any(row["action"] == "review_update" for row in
               support.get("/api/admin/audit", headers=token("admin")).json()["entries"])


def test_a_case_by_hand(support):
    trace(support, "trace-fine-1")
    body = {"trace_id": "trace-fine-1", "reviewer_notes": " odd "}
    made = support.post(QUEUE, body, headers=token("reviewer"))
    assert made.status_code == 201 and made.json()["reason"] == "manual" and made.json()["status"] == "pending"
    assert support.post(QUEUE, body, headers=token("reviewer")).status_code == 409
    assert support.post(QUEUE, body, headers=token("reviewer", "other")).status_code == 404
    assert support.post(QUEUE, {"trace_id": "no;id;at;all"}, headers=token("reviewer")).status_code == 422
    assert queue(support)["items"][0]["reviewer_notes"] == "odd"


def test_a_judged_case_survives_its_trace_and_a_waiting_one_keeps_it(support):
    for name in ("judged", "waits"):
        trace(support, f"trace-{name}", quality=10, age=40)
    trace(support, "trace-forgotten", quality=10, age=70)
    program(support, "review-build", "--days", "99")
    cases = {row["trace_id"]: row["id"] for row in queue(support)["items"]}
    assert judge(support, cases["trace-judged"], "confirmed_good").status_code == 200
    program(support, "support-retention", env={"TRACE_RETENTION_DAYS": "30"})
    assert [row[0] for row in support.sql("SELECT trace_id FROM traces")] == ["trace-waits"]
    rows = {row["trace_id"]: row for row in queue(support)["items"]}
    assert rows["trace-judged"]["quality"] == 10.0 and rows["trace-waits"]["status"] == "pending"
    assert (rows["trace-forgotten"]["status"], rows["trace-forgotten"]["reviewer_notes"]) == ("dismissed", "trace purged")
    built = program(support, "curated-build")
    assert built["selected"] == 1
    _, [case] = curated(support)
    assert case["input"]["query"] == "How do I reset trace-judged?" and case["case_id"] == "trace-judged"


def test_offline_judging(support, tmp_path):
    for number in range(11):
        trace(support, f"trace-case-{number:02}", quality=10, age=number / 100)
    program(support, "review-build")
    batch = tmp_path / "deep" / "batch.jsonl"
    out = program(support, "review-export", "--out", str(batch))
    assert out["count"] == 11 and out["out"] == str(batch) and batch.stat().st_mode & 0o777 == 0o600
    head, *lines = batch.read_text().splitlines()
    assert head.startswith(f"# review_batch exported {out['exported_at']}")
    rows = [json.loads(line) for line in lines]
    assert list(rows[0]) == ["review_id", "trace_id", "tenant_id", "reason", "exported_at", "query", "answer",
                             "final_route", "final_quality", "fact_score", "duration_ms", "retrieved_docs",
                             "tool_calls", "citations", "review"]
    rows[0]["review"].update(verdict="Good ", notes="Looks correct", fix_hint="Keep prompt as-is", tags=["seen"])
    rows[1]["review"]["verdict"] = "so so"
    rows[2]["review"] = "good"
    rows[3]["review"]["verdict"], rows[3]["review_id"] = "bad", 999999
    rows[4]["review"]["verdict"] = "dismiss"

    def write():
        batch.write_text("\n".join([head, "", *map(json.dumps, rows)]))

    write()
    dry = program(support, "review-import", str(batch), "--dry-run")
    assert dry == {"status": "ok", "updated": 0, "skipped": 6, "errored": 3, "warnings": [], "dry_run": True,
                   "would_update": 2}
    assert queue(support, status="pending")["count"] == 11
    assert program(support, "review-import", str(batch), "--confirm")["updated"] == 2
    again = program(support, "review-import", str(batch))
    assert again["updated"] == 0 and again["skipped"] == 8 and len(again["warnings"]) == 2
    [good] = queue(support, status="confirmed_good")["items"]
    assert good["reviewer_notes"] == "Looks correct\nKeep prompt as-is" and good["reviewed_by"] == "0d7f-judge"
    for row in rows:
        row["review"] = {"verdict": "good"}
    write()
    assert program(support, "review-import", str(batch)) == {
        "status": "aborted", "updated": 0, "skipped": 11, "errored": 0, "warnings": [], "dry_run": False,
        "would_update": 0}
    wrong = program(support, "review-import", str(batch), "--confirm", env={"REVIEWER_EMAIL": "nobody"}, code=1)
    assert "REVIEWER_EMAIL" in wrong.stderr
    batch.write_text(f"{head}\n{json.dumps(rows[5])}\n{{broken\n")
    assert "line 3" in program(support, "review-import", str(batch), code=1).stderr
    assert queue(support, status="pending")["count"] == 9
    # ids of another database: the cases are here, and about other traces
    own = [row["trace_id"] for row in rows]
    rows[5]["trace_id"], rows[6]["trace_id"], rows[7]["trace_id"] = own[6], own[5], 7
    del rows[8]["trace_id"]
    batch.write_text("\n".join(map(json.dumps, rows[1:])))
    there = program(support, "review-import", str(batch), "--dry-run")
    assert (there["would_update"], there["errored"], there["skipped"]) == (5, 4, 1)
    assert there["warnings"][1:] == [
        f"case {rows[at]['review_id']} is about trace {own[at]}, the row about {other}; left as it is"
        for at, other in ((5, own[6]), (6, own[5]), (7, "none"))]
    for row, trace_id in zip(rows, own):
        row["trace_id"] = trace_id
    batch.write_text("\n".join(map(json.dumps, rows[1:])))
    assert program(support, "review-import", str(batch))["updated"] == 8  # ten verdicts need no word
    program(support, "curated-build")
    assert {row["case_id"]: row["tags"] for row in curated(support)[1]}[rows[0]["trace_id"]] == ["seen"]
    # the figures that the database keeps are those that counting gives
    counted = support.sql("SELECT tenant_id, status, reason, count(*) FROM review_queue GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")
    assert counted == support.sql("SELECT tenant_id, status, reason, cases FROM review_totals WHERE cases <> 0 ORDER BY 1, 2, 3")


def test_a_batch_comes_in_while_somebody_judges(support, tmp_path):
    """Of the one case that he has in hand it waits for his word, and takes the others."""
    if "DATABASE_URL" not in support.env:
        pytest.skip("of two who write to SQLite the second waits before it reads")
    for name in ("trace-in-hand", "trace-free"):
        trace(support, name, quality=10)
    program(support, "review-build")
    batch = tmp_path / "batch.jsonl"
    program(support, "review-export", "--out", str(batch))
    rows = [json.loads(line) for line in batch.read_text().splitlines()[1:]]
    for row in rows:
        row["review"]["verdict"] = "good"
    batch.write_text("\n".join(map(json.dumps, rows)))
    with ThreadPoolExecutor() as pool:
        judged = pool.submit(support.sql, "UPDATE review_queue SET status = 'dismissed' WHERE trace_id = 'trace-in-hand';"
                                          "SELECT pg_sleep(2)")
        wait_for(lambda: support.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))
        done = program(support, "review-import", str(batch), "--confirm")
        judged.result()
    assert (done["updated"], done["skipped"], len(done["warnings"])) == (1, 1, 1)
    assert {c["trace_id"]: c["status"] for c in queue(support)["items"]} == {"trace-in-hand": "dismissed", "trace-free": "confirmed_good"}


def curated(service):
    [path] = service.stack.directory.rglob("curated_cases.jsonl")
    return path, [json.loads(line) for line in path.read_text().splitlines()]


def test_a_case_that_its_own_answer_would_fail_is_not_made(support):
    """A refusal, or a hand-over, quotes nothing and is good all the same; what a person confirmed is good enough; what
    the reviewer asks for has to be in the answer that he has confirmed."""
    refusal = "I cannot help with this."
    trace(support, "refused", quality=31, facts=0, answer=refusal, state={"answer": refusal, "citations": []})
    trace(support, "handed", quality=0, facts=0, route="human", state={"answer": "A person will answer.", "route": "human", "citations": []})
    trace(support, "digits", quality=55, state={"answer": "Within 3 days a full refund is made, e.g. on 5 cards.", "route": "auto",
                                                "citations": [{"index": 1, "doc_id": "a.md"}, {"index": 2, "doc_id": "a.md"}]})
    trace(support, "marked", quality=60)
    trace(support, "unquoted", quality=60, state={"answer": "Use the reset button.", "route": "auto", "citations": []})
    program(support, "review-build")
    cases = {row["trace_id"]: row["id"] for row in queue(support)["items"]}
    for name in ("refused", "handed", "digits", "unquoted"):
        judge(support, cases[name], "confirmed_good")
    judge(support, cases["marked"], "confirmed_good", "include: never said")
    built = program(support, "curated-build")
    assert (built["selected"], built["skipped"]) == (3, 2)
    assert (built["added"], built["changed"]) == (3, 0)
    assert {one["query"] for one in built["skipped_cases"]} == {
        row["question"] for row in queue(support, status="confirmed_good")["items"] if row["trace_id"] in ("marked", "unquoted")}
    assert {one["case_id"]: one["failures"] for one in built["skipped_cases"]} == {
        "trace-marked": ["answer missing 'never said'"], "trace-unquoted": ["citations 0 below minimum 1"]}
    expected = {row["case_id"]: row["expected"] for row in curated(support)[1]}
    assert {name: (one["citations_min_count"], one["min_quality"]) for name, one in expected.items()} == {
        "trace-refused": (0, 31), "trace-handed": (0, 0), "trace-digits": (1, 55)}
    assert "within days full" in expected["trace-digits"]["answer_contains"]


def test_confirmed_cases_become_curated_data(support):
    answer = "Reset your password from account settings using the password reset form."
    trace(support, "case-1", quality=10, answer=answer, state={
        "answer": answer, "route": "auto", "citations": [{"index": i, "doc_id": "manual.md"} for i in (1, 2)]})
    trace(support, "trace-7", quality=10, age=0.01, state={"answer": "Wrong.", "citations": []})
    trace(support, "trace-9", quality=10, tenant="other")
    program(support, "review-build")
    cases = {row["trace_id"]: row["id"] for row in queue(support)["items"] + queue(support, "other")["items"]}
    judge(support, cases["case-1"], "confirmed_good")
    judge(support, cases["trace-7"], "confirmed_bad", "include: reset | password; exclude: refund")
    judge(support, cases["trace-9"], "confirmed_good", tenant="other")
    assert program(support, "curated-build", "--tenant", "default")["selected"] == 1
    assert program(support, "curated-build", "--include-bad")["total"] == 3
    path, rows = curated(support)
    assert [row["case_id"] for row in rows] == ["trace-7", "trace-9", "trace-case-1"]
    assert list(rows[0]) == ["case_id", "tenant_id", "input", "expected", "human_verdict", "reviewer_notes",
                             "source_trace_id", "created_at", "tags"]
    assert rows[2]["expected"] == {
        "answer_contains": ["reset your password", "your password from", "password from account",
                            "from account settings", "account settings using"],
        "answer_not_contains": [], "route": "auto", "min_quality": 10, "min_factuality": 70, "citations_min_count": 1}
    assert rows[0]["expected"]["answer_contains"] == ["reset", "password"]
    assert rows[0]["expected"]["answer_not_contains"] == ["refund"]
    assert rows[0]["expected"]["citations_min_count"] == 0 and rows[0]["human_verdict"] == "bad"
    before = path.read_bytes()
    program(support, "curated-build", "--include-bad")
    assert path.read_bytes() == before and path.stat().st_mode & 0o777 == 0o600
    assert program(support, "curated-build", "--since", "2999-01-01")["selected"] == 0 and path.read_bytes() == before
    path.write_bytes(before + b'{"case_id": "mine", "query": "Flat?", "tenant": "acme", "extra": 1}\n')
    stats = support.get("/api/admin/curated-dataset/stats", headers=token("admin")).json()
    assert stats == {"count": 4, "verdict_counts": {"good": 3, "bad": 1}, "channel_counts": {"web": 4},
                     "tenant_counts": {"default": {"good": 1, "bad": 1, "total": 2}, "acme": {"good": 1, "bad": 0, "total": 1},
                                       "other": {"good": 1, "bad": 0, "total": 1}}}
    for role, tenant, count in (("admin", "other", 1), ("reviewer", "default", 2), ("admin", "nobody", 0)):
        headers = token(role, tenant)
        assert support.get("/api/admin/curated-dataset/stats", headers=headers).json()["count"] == count
        assert support.get("/api/admin/curated-dataset/cases", headers=headers).json()["total"] == count
    judge(support, cases["case-1"], "pending")
    program(support, "curated-build", "--include-bad", "--prune")
    assert [row["case_id"] for row in curated(support)[1]] == ["mine", "trace-7", "trace-9"]
    assert '"extra": 1' in path.read_text()
    # of several lines of one case the last, new ones after old ones and by their time; an old one where the new one asks nothing
    trace(support, "trace-case-1", quality=10, age=0.02)
    trace(support, "empty", quality=10, tenant="other", age=0.03)
    program(support, "review-build")
    support.sql("UPDATE review_queue SET status = 'confirmed_good' WHERE trace_id IN ('case-1', 'trace-case-1', 'empty')")
    support.sql("UPDATE review_queue SET created_at = '2020-01-01T00:00:00.000000+00:00' WHERE trace_id = 'trace-case-1'")
    support.sql("UPDATE traces SET question = '' WHERE trace_id = 'empty'")
    support.sql("DELETE FROM trace_steps WHERE trace_id = 'empty'")
    path.write_bytes(b'# by hand\n\n \t{"case_id": "mine", "query": "Flat?"} \r\n{"case_id": "trace-case-1", "query": "Old?"}\n'
                     b'{"case_id": "mine", "query": "Steep?"}\n{"case_id": "trace-empty", "query": "Stays?"}')
    built = program(support, "curated-build")
    assert (built["selected"], built["total"]) == (3, 4)
    assert [(row["case_id"], row.get("source_trace_id", row.get("query"))) for row in curated(support)[1]] == [
        ("mine", "Steep?"), ("trace-9", "trace-9"), ("trace-case-1", "case-1"), ("trace-empty", "Stays?")]
    path.write_text("{broken\n")
    assert "line 1" in program(support, "curated-build", code=1).stderr and path.read_text() == "{broken\n"
    program(support, "curated-build", "--since", "yesterday", code=2)


def test_a_rebuild_in_the_background_tells_how_far_it_is(support):
    trace(support, "trace-1", quality=10, tenant="other")
    program(support, "review-build")
    [case] = queue(support, "other")["items"]
    judge(support, case["id"], "confirmed_good", tenant="other")
    rebuild = "/api/admin/curated-dataset/rebuild"
    assert support.post(rebuild + "?since=never", headers=token("reviewer", "other")).status_code == 422
    job = support.post(rebuild, headers=token("reviewer", "other")).json()
    assert job["status"] == "queued"
    path = f"/api/admin/curated-dataset/jobs/{job['job_id']}"
    assert support.get(path, headers=token("admin", "third")).json()["detail"] == "job not found"

    def completed():
        record = support.get(path, headers=token("reviewer", "other")).json()
        return record if record["status"] == "completed" else None
    record = wait_for(completed)
    assert record["progress"] == 100 and record["tenant"] == "other" and record["result"]["written"] == 1
    assert record["summary"]["count"] == 1
    assert support.get(path, headers=token("admin")).json() == record
    assert job["key"] == f"curated-dataset-job:{job['job_id']}"  # it names the same record
    by_key = f"/api/admin/curated-dataset/jobs/{job['key']}"
    assert support.get(by_key, headers=token("reviewer", "other")).json() == record
    assert support.get(by_key, headers=token("admin", "third")).status_code == 404
    assert support.get("/api/admin/curated-dataset/stale", headers=token("reviewer")).json() == {"items": []}
    # those who ask while one is at work are told of that one, also where they ask at the same time
    with next(support.stack.directory.rglob("locks/curated-build")).open("r+") as held, ThreadPoolExecutor(6) as clients:
        fcntl.flock(held, fcntl.LOCK_EX)
        for tenant in ("t1", "t2", "t3"):
            asked = [clients.submit(requests.post, support.url + rebuild, headers=token("admin", tenant)) for _ in range(6)]
            assert len({one.result().json()["job_id"] for one in asked}) == 1
