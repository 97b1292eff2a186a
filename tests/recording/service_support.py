"""Support on its demonstration knowledge base, without a model: documents, questions, votes, tickets, reviews, and what
operators see of them."""

import base64
import hashlib
import hmac
import json
import re
import time
from contextlib import contextmanager

from normalise import SORTED
from pdf import simple_pdf
from plan import Plan
from recorder import multipart

SECRET = "support-recording-secret-of-40-letters--"
KEY = {"X-API-Key": "key-of-the-recording"}
SETTINGS = {"JWT_SECRET": SECRET, "API_KEY": KEY["X-API-Key"], "RATE_LIMIT_ENABLED": "false", "AUTH_FAILURE_LIMIT": "100000",
            "EXPERIMENT_ASSIGNMENT_ENABLED": "true", "INGEST_ASYNC": "never",
            # "horse-battery" with bcrypt at cost 4
            "ADMIN_PASSWORD_HASH": "$2b$04$a/JTRaL472eqv/gwsDrDi.BlG8oPV23JYpCQyRoTmu5R1SgYD73Lu"}
ROLES = ("admin", "reviewer", "agent", "viewer")
NUMBER = "<number>"
RULES = [
    (".*", r".*\.(\w*duration_ms|\w*latency\w*|p50|p95|p99|latency_delta|uptime_seconds|processing_time\w*)", NUMBER),
    ("GET /api/admin/citations/changed", r"\.items", "<found in the background>"),
    ("GET /api/admin/review-queue", r"\.items", SORTED),  # cases that are found together have any order and any number
    ("GET /api/admin/review-queue", r"\.items\[\]\.id", NUMBER),
    ("GET /api/admin/review-queue/stats", r"\.oldest_pending_seconds", NUMBER),
    (".*/thresholds/.*", r".*\.slow_trace_threshold_ms\.(curve\[\]|percentiles)\.\w+", NUMBER),
    (".*/thresholds/.*", r".*\.slow_trace_threshold_ms\.(histogram|\w*cutoff\w*)", "<of latencies>"),
    ("GET .*/regression-runs/.*", r"\.report_markdown", lambda text: re.sub(r"(atency[^|\n]*[|:]).*", r"\1 <latencies>", text)),
    ("GET /api/admin/providers", r".*\.usage_1m\.\w+", NUMBER),
]
HEADERS = [("vary", lambda text: text.replace("Accept-Encoding | ", ""))]  # by the size of the answer
DOCUMENT = "# Returns\n\nGoods can be returned within 14 days of purchase.\n\nA receipt is needed for returns.\n\n# Errors\n\nE42 means that the lid is open. Close the lid.\n"
QUESTIONS = [
    "How long can goods be returned?", "What does E42 mean?", "What does error E77 mean?", "Can I pay with a gift card?", "Is a receipt needed for returns?",
    "How long does the warranty last?", "And how long is it?", "Hello!", "I want to talk to a human", "What is your refund policy and how do I return a broken item?",
    "Как вернуть товар?", "¿Cuánto dura la garantía?", "保修期多久", "Which colours of carpet do you sell?", "Compare the warranty and the returns", "x", "", "   "]


def token(role, clock, tenant="default", subject=None):
    """A bearer header, signed as the service signs its own."""
    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    claims = {"sub": subject or f"some-{role}", "role": role, "tenant": tenant, "type": "access", "exp": int(clock.now()) + 3600}
    signed = part(b'{"alg":"HS256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
    mac = hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()
    return {"Authorization": "Bearer " + (signed + b"." + part(mac)).decode()}


@contextmanager
def surroundings():
    yield SETTINGS


def uploads(recorder, admin):
    recorder.step = "upload"
    for name, content in (("returns.md", DOCUMENT), ("returns.md", DOCUMENT), ("returns.md", DOCUMENT + "More.\n"), ("a.txt", "Parking is in lot B7.\n"),
                          ("a.csv", "name,price\nkettle,5\n"), ("a.json", '{"a": 1}'), ("a.html", "<h1>Hours</h1><p>We open at nine.</p>"), ("a.pdf", simple_pdf(["Delivery takes 3 days."])),
                          ("a.docx", "no archive"), ("a.exe", "MZ"), ("empty.md", ""), ("../x.md", "x"), ("ü.md", "# Ü\n\nText."), ("b.pdf", b"%PDF-1.4 broken")):
        headers, data = multipart(("file", name, content))
        recorder.send("POST", "/api/upload", {**admin, **headers}, data=data)
    headers, data = multipart(("file", None, "x"), ("other", None, "y"))
    recorder.send("POST", "/api/upload", {**admin, **headers}, data=data)
    for query in ("", "?limit=1", "?limit=1&offset=1", "?limit=0", "?offset=100"):
        recorder.send("GET", "/api/documents" + query, admin)


def asked(recorder, viewer):
    """Trace ids of the answers."""
    recorder.step = "ask"
    traces, session = [], None
    for number, question in enumerate(QUESTIONS):
        body = {"question": question, "session_id": f"session-{number // 3}"}
        answer = recorder.send("POST", "/api/ask", viewer, body=body)
        if answer.ok:
            traces.append(answer.json()["trace_id"])
        recorder.send("POST", "/api/ask/stream", viewer, body={**body, "session_id": f"stream-{number}"})
    for language in ("de", "ru", "zh"):
        recorder.send("POST", "/api/ask", {**viewer, "Accept-Language": language}, body={"question": "Can I pay with a gift card?"})
    for number, rating in enumerate(("up", "down", "down", "sideways")):
        recorder.send("POST", "/api/feedback", viewer, body={"trace_id": traces[number], "session_id": session or "session-0", "rating": rating, "comment": "so so"}
                      if number % 2 else {"trace_id": traces[number], "session_id": "session-0", "rating": rating})
    for session in ("session-0", "session-1", "nobody"):
        recorder.send("POST", "/api/escalate", viewer, body={"session_id": session})
    return traces


def accounts(recorder):
    recorder.step = "accounts"
    for body in ({"username": "admin", "password": "horse-battery"}, {"username": "admin", "password": "wrong"}, {"username": "x" * 101}):
        answer = recorder.send("POST", "/api/auth/login", body=body)
        if answer.ok:
            tokens = answer.json()
    for refresh in (tokens["refresh_token"], "a.b.c", tokens["access_token"]):
        recorder.send("POST", "/api/auth/refresh", body={"refresh_token": refresh})
    for headers in ({"Authorization": f"Bearer {tokens['access_token']}"}, {"Cookie": f"access_token={tokens['access_token']}"}, {}):
        recorder.send("POST", "/api/auth/session", headers)
    for headers in ({"Authorization": f"Bearer {tokens['access_token']}"}, {}):
        recorder.send("POST", "/api/auth/logout", headers)
    recorder.send("POST", "/api/auth/session", {"Authorization": f"Bearer {tokens['access_token']}"})


def operated(context, admin, traces):
    """Tickets, reviews, experiments and the rest; the ids of them."""
    recorder, case, experiment = context.recorder, None, None
    recorder.step = "tickets"
    tickets = recorder.send("GET", "/api/agent/tickets?status=open", admin).json()["tickets"]
    ticket = sorted(tickets, key=lambda one: one["created_at"])[0]["id"]
    recorder.send("GET", f"/api/agent/tickets/{ticket}", admin)
    recorder.send("GET", f"/api/agent/similar?ticket_id={ticket}", admin)
    for text in ("We have sent it.", "Again.", ""):
        recorder.send("POST", f"/api/agent/tickets/{ticket}/respond", admin, body={"response": text})
    recorder.step = "review"
    for trace in (*traces[:3], traces[0], "0123456789abcdef0123456789abcdef"):
        answer = recorder.send("POST", "/api/admin/review-queue", admin, body={"trace_id": trace})
        case = answer.json()["id"] if answer.status_code == 201 else case
    for body in ({"status": "confirmed_good", "reviewer_notes": "fine"}, {"status": "confirmed_bad"}, {"status": "x"}):
        recorder.send("POST", f"/api/admin/review-queue/{case}", admin, body=body)
    for query in ("", "?status=pending", "?status=*", "?reason=manual", "?limit=1&offset=1"):
        recorder.send("GET", "/api/admin/review-queue" + query, admin)
    job = recorder.send("POST", "/api/admin/curated-dataset/rebuild?tenant=default", admin).json()["job_id"]
    context.wait(lambda: recorder.session.get(f"{recorder.url}/api/admin/curated-dataset/jobs/{job}", headers=admin, timeout=9).json()["status"] in ("completed", "error", "done"))
    recorder.send("GET", f"/api/admin/curated-dataset/jobs/{job}", admin)
    recorder.step = "experiments"
    for body in ({"name": "Fewer documents", "settings_overrides": {"rerank_top_k": 1}}, {"name": "Fewer documents"}, {"name": ""}, {"name": "x", "settings_overrides": {"no_such": 1}}):
        answer = recorder.send("POST", "/api/admin/experiments", admin, body=body)
        experiment = answer.json()["id"] if answer.status_code == 201 and body["name"].startswith("Fewer") else experiment
    path = f"/api/admin/experiments/{experiment}"
    run = recorder.send("POST", path + "/regression-run?baseline=current", admin).json()["job_id"]
    context.wait(lambda: recorder.session.get(f"{recorder.url}/api/admin/regression-runs/{run}", headers=admin, timeout=9).json()["status"] in ("completed", "error"), 60)
    recorder.send("GET", f"/api/admin/regression-runs/{run}", admin)
    for rest in ("/stage", "/stage?activate=true", "/deploy", "/rollback", "/deploy"):
        recorder.send("POST", path + rest, admin)
    recorder.send("POST", path + "/assignments", admin, body={"tenant_id": "default", "rollout_percentage": 10})
    for rest in ("", "/assignments", "/splits"):
        recorder.send("GET", path + rest, admin)
    recorder.send("GET", f"/api/admin/experiments/comparison?deployed={experiment}&staged={experiment}", admin)
    return ticket, case, job, experiment, run


def knowledge(context, admin):
    """A gap, drafts and a task, as programs that ask a model make them; ids of one each."""
    context.recorder.step = "knowledge"
    ids = [f"00000000-0000-1000-8000-00000000000{i}" for i in range(4)]
    for draft in ids[:3]:
        context.sql("INSERT INTO kb_drafts (id, tenant_id, topic, draft_content, source_ticket_ids, status, created_at) VALUES"
                    f" ('{draft}', 'default', 'Parking {draft[-1]}', '# Parking\n\nLot B7.', '[\"t1\"]', 'pending', '2026-01-01T00:00:00.000Z')")
    context.sql("INSERT INTO tasks (task_id, tenant_id, doc_id, path, status, created_at) VALUES"
                f" ('{ids[3]}', 'default', 'later.md', 'x', 'PENDING', '2026-01-01T00:00:00.000Z')")
    context.sql("INSERT INTO knowledge_gaps (tenant_id, cluster_id, topic_summary, sample_questions, question_count, created_at) VALUES"
                " ('default', 'c1', 'Lot C', '[\"Where is lot C?\"]', 3, '2026-01-01T00:00:00.000Z')")
    for draft, *calls in ((ids[0], ("PATCH", ""), ("POST", "/publish"), ("POST", "/reject")), (ids[1], ("POST", "/reject"), ("PATCH", ""))):
        for method, rest in calls:
            context.recorder.send(method, f"/api/admin/kb-drafts/{draft}{rest}", admin, body={"draft_content": "# Parking\n\nLot B8."} if method == "PATCH" else None)
    for status in ("", "?status=pending", "?status=published", "?status=rejected"):
        context.recorder.send("GET", "/api/admin/kb-drafts" + status, admin)
    return ids[2], ids[3]


def settled(context, admin):
    """Waits until the programs that work by themselves have dealt with what was deleted."""
    def seen():
        paths = ("/api/admin/review-queue?status=*", "/api/admin/citations/changed")
        return [context.recorder.session.get(context.recorder.url + path, headers=admin, timeout=9).text for path in paths]

    done = context.stack.run("run", "support-retention")  # at once what is done every 15 seconds
    assert done.returncode == 0, done.stderr
    before = None
    while before != (now := seen()):
        before = now
        time.sleep(1)


def scenario(context):
    recorder, clock = context.recorder, context.clock
    seeded = context.stack.run("run", "demo-seed")
    assert seeded.returncode == 0, seeded.stderr
    credentials = {role: token(role, clock) for role in ROLES}
    admin, viewer = credentials["admin"], credentials["viewer"]
    uploads(recorder, admin)
    traces = asked(recorder, viewer)
    accounts(recorder)
    ticket, case, job, experiment, run = operated(context, admin, traces)
    draft, task = knowledge(context, admin)
    headers, data = multipart(("file", "walk.md", "# Walk\n\nText of the walk.\n"))
    return Plan(
        credentials={**credentials, "key": KEY, "other tenant": token("admin", clock, "other"), "none": {}, "wrong": {"X-API-Key": "wrong"}},
        credential_of=lambda operation: "admin",
        values={"task_id": task, "doc_id": "returns.md", "session_id": "session-1", "ticket_id": ticket, "trace_id": traces[0], "gap_id": "1",
                "draft_id": draft, "review_id": case, "job_id": job, "experiment_id": experiment, "run_id": run, "metric": "quality_threshold"},
        queries={"similar_tickets": [f"?ticket_id={ticket}"], "evaluation_trends": ["?evaluator=citation_coverage", "?evaluator=x&days=3"],
                 "evaluation_worst": ["?evaluator=citation_coverage&limit=3"], "analytics_trends": ["?metric=quality", "?metric=cost", "?metric=volume&days=3"],
                 "stale_docs": ["", "?days=0"], "traces": ["", "?limit=2"], "audit": ["?limit=200", "?action=upload", "?actor=some-admin"], "backlog_archive": ["", "?year=2027"],
                 "threshold_analysis": ["", "?days=7"], "purge_traces": ["?older_than_days=30"], "purge_audit": ["?older_than_days=30"],
                 "experiment_comparison": [f"?deployed={experiment}"], "feedback_stats": ["", "?days=7", "?scope=all"]},
        contents={"upload": [(headers, data)]},
        left_out={"review_changed_citations": "they are found in the background, at some time"},
        settled=lambda: settled(context, admin))
