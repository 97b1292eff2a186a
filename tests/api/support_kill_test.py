"""Every program of support is killed at its steps: at calls that change a file or talk to the database. No half file, no
run that seems to go on, no lock and no lease that stays, and the next start does all of it. On both engines; the steps are
walked one by one by `make soak`, and with growing strides otherwise."""

import json
import os
import signal
from datetime import timedelta
from pathlib import Path

import pytest

from model_server import ModelServer
from people import People
from service import ENGINES, Service
from stack import BUILD, CHECKOUT
from support_admin_test import SECRET, token
from support_trends_test import ago, files, put, trace

pytest_plugins = ["kill_fixtures"]

SOAK = os.environ.get("ASSAY_TEST_SOAK") == "1"
STEPS_MOST = 5000
CITED = json.dumps({"answer": "a [1].", "route": "auto", "citations": [{"index": 1, "doc_id": "a.md"}]})
ENV = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "LLM_PROVIDER_PROFILE": "embedded", "LOG_LEVEL": "ERROR",
       "REVIEWER_EMAIL": "judge@example.com", "AUTO_ROLLBACK_ENABLED": "true"}
# Those that are walked where what they need stands.
ELSEWHERE = {"ingest": "tests/unit/support_kill_test.c", "split-report": "tests/api/support_splits_test.py",
             "email-channel": "tests/api/support_email_test.py", "support-blobs": "tests/api/support_blobs_test.py"}
DAEMONS = ("support-improver", "support-retention", "alert-check")

pytestmark = pytest.mark.skipif("sanitized" in BUILD.name, reason="a sanitizer has to be loaded first")


@pytest.fixture(scope="module", params=ENGINES)
def support(request, tmp_path_factory):
    with Service("support", ENV, request.param) as service, ModelServer() as models:
        People(service.stack).add("judge@example.com", support="reviewer")
        models.answers["writer"] = 'text:{"topic": "Phones", "content": "Open your profile."}'
        registry = tmp_path_factory.mktemp("registry") / "providers.yml"
        registry.write_text(json.dumps({"default_profile": "house", "providers": [
            {"id": "house", "kind": "local", "protocol": "openai", "base_url": models.url + "/v1",
             "default_models": {"fast": "writer", "strong": "writer"}, "models": [{"name": "writer"}]}],
            "routing_profiles": {"house": {slot: {"provider": "house", "model": "writer"} for slot in ("fast", "strong")}}}))
        service.with_model = {"PROVIDER_REGISTRY_PATH": str(registry), "LLM_PROVIDER_PROFILE": "house"}
        service.walker = 0  # its number is the tenant of what is seeded anew
        assert service.run("demo-seed").returncode == 0
        commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0] for pid in service.stack.processes()}
        held = [pid for pid, command in commands.items() if command.rpartition(b"/")[2].decode() in DAEMONS]
        assert len(held) == len(DAEMONS)
        for pid in held:  # their work is done by those that die
            os.kill(pid, signal.SIGSTOP)
        yield service
        for pid in held:
            os.kill(pid, signal.SIGCONT)


def root(service):
    return files(service, "")


def fill(service):
    """A little of everything that the programs look at."""
    tables = ("review_queue", "trace_steps", "traces", "trace_evaluations", "feedback", "eval_results", "improvement_backlogs",
              "knowledge_gaps", "curated_case_status", "jobs", "kv_cache", "experiment_deployments",
              "escalated_tickets", "kb_drafts")
    deletions = [f"DELETE FROM {table}" for table in tables]
    for statement in deletions if service.engine == "sqlite" else ["; ".join(deletions)]:
        service.sql(statement)
    put(service, "traces", [
        *[trace(f"trace-low-{i}", final_quality=20 + i, age=timedelta(hours=1 + i / 10)) for i in range(6)],
        *[trace(f"trace-good-{i}", age=timedelta(hours=2)) for i in range(12)],
        *[trace(f"trace-gap-{i}", knowledge_gap=1, question=f"How do I return item {i}?") for i in range(5)]])
    put(service, "trace_steps", [{"trace_id": f"trace-good-{i}", "step_order": 0, "node_name": "log", "state_json": CITED,
                                  "ts": ago(hours=2)} for i in range(3)])
    put(service, "review_queue", [
        {"trace_id": f"trace-good-{i}", "tenant_id": "default", "reason": "manual", "created_at": ago(hours=1),
         "status": "confirmed_good" if i < 3 else "pending"} for i in range(6)])
    cases = root(service) / "evaluation" / "curated_cases.jsonl"
    cases.parent.mkdir(parents=True, exist_ok=True)
    cases.write_text("".join(json.dumps({"case_id": f"mine-{i}", "query": "How long does the warranty last?",
                                         "created_at": ago(days=400), "expected": {"min_quality": 100}}) + "\n" for i in range(2)))
    for path in [*root(service).glob("evaluation/experiments/*"), *root(service).glob("config/*"),
                 *root(service).glob("evaluation/*_results.json"), *root(service).glob("evaluation/*_metrics.json")]:
        path.unlink()
    folder = root(service) / "evaluation" / "experiments"
    folder.mkdir(exist_ok=True)
    (folder / "2026-01-01-mine.yaml").write_text(
        "id: 2026-01-01-mine\nname: mine\ncreated_at: 2026-01-01T00:00:00Z\ncreated_by: me\ndescription: ''\n"
        "prompt_overrides: {}\nsettings_overrides: {rerank_top_k: 2}\nparent_experiment_id: null\nstatus: draft\ntags: []\n")


def batch(service):
    path = root(service) / "batch.jsonl"
    done = service.run("review-export", "--out", str(path))
    assert done.returncode == 0, done.stderr
    head, *lines = path.read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        row["review"]["verdict"] = "good"
    path.write_text("\n".join([head, *map(json.dumps, rows)]) + "\n")


def deployed(service):
    assert service.run("experiment-apply", "2026-01-01-mine", "--mode", "deploy", "--force").returncode == 0
    put(service, "traces", [trace(f"{side}-{i}", experiment_id="2026-01-01-mine" if side == "after" else None)
                            for side in ("before", "after") for i in range(30)])
    put(service, "trace_evaluations", [
        {"trace_id": f"{side}-{i}", "tenant_id": "default", "evaluator_name": "citation_coverage", "verdict": "ok",
         "score": 0.9 if side == "before" else 0.1, "metadata": "{}", "evaluated_at": ago()}
        for side in ("before", "after") for i in range(30)])


def tickets(service):
    put(service, "escalated_tickets", [
        {"id": f"ticket-{i}", "tenant_id": "default", "session_id": "s", "status": "resolved", "created_at": ago(days=2),
         "user_question": f"How do I change the phone number {i}", "resolved_at": ago(days=1),
         "operator_response": "Open your profile."} for i in range(3)])


def new_tenant(service):
    service.walker += 1


def ordered(service):
    admin = token("admin")
    assert service.post("/api/admin/curated-dataset/rebuild", headers=admin).status_code == 200
    assert service.post("/api/admin/experiments/2026-01-01-mine/regression-run", headers=admin).status_code == 202


def old(service):
    put(service, "traces", [trace(f"old-{i}", age=timedelta(days=200)) for i in range(20)])


def count(service, what):
    return int(service.sql(f"SELECT count(*) FROM {what}")[0][0])


def reports(service, path, least=1):
    found = [entry for entry in root(service).glob(path) if entry.is_file()]
    return len(found) >= least


# A program and its words; what stands before it, beside the rest; what has to be there when it has come to its end.
PROGRAMS = [
    (["review-build", "--days", "9"], None, lambda s: count(s, "review_queue WHERE reason = 'low_quality'") == 6),
    (["review-export", "--out", "out.jsonl"], None, lambda s: len((root(s) / "out.jsonl").read_text().splitlines()) == 4),
    (["review-import", "batch.jsonl", "--confirm"], batch, lambda s: count(s, "review_queue WHERE status = 'pending'") == 0),
    (["curated-build"], None, lambda s: len((root(s) / "evaluation/curated_cases.jsonl").read_text().splitlines()) == 5),
    (["regression-eval", "--baseline", "current", "--candidate", "2026-01-01-mine"], None,
     lambda s: count(s, "eval_results") >= 1 and reports(s, "reports/regression/*.json")),
    (["experiment-new", "--name", "walk"], None, lambda s: reports(s, "evaluation/experiments/*-walk.yaml")),
    (["experiment-apply", "2026-01-01-mine", "--mode", "stage", "--activate"], None,
     lambda s: "2026-01-01-mine" in (root(s) / "config/experiment_id").read_text()),
    (["experiment-apply", "2026-01-01-mine", "--mode", "deploy", "--force"], None,
     lambda s: "status: deployed" in (root(s) / "evaluation/experiments/2026-01-01-mine.yaml").read_text().replace('"', "")),
    (["rollback-watch"], deployed, lambda s: not (root(s) / "config/deployed_defaults.yaml").exists()
     and count(s, "experiment_deployments WHERE rolled_back_at IS NULL") == 0),
    (["threshold-analyze"], None, lambda s: reports(s, "reports/threshold_recommendations.md")),
    (["backlog-generate"], None, lambda s: count(s, "improvement_backlogs") == 1),
    (["recommend"], None, lambda s: reports(s, "reports/recommendations/*.md")),
    (["eval-snapshot"], None, lambda s: reports(s, "reports/eval_daily/*.json")),
    (["evaluate-traces"], None, lambda s: count(s, "trace_evaluations") == 23 * 7),
    (["nightly-eval"], None, lambda s: count(s, "eval_results") % 3 == 0 and count(s, "eval_results") > 0),
    (["weekly-report"], None, lambda s: reports(s, "reports/weekly/default-*.md")),
    (["stale-cases", "--apply", "--report", "reports/stale.md"], None, lambda s: count(s, "curated_case_status") == 2),
    (["kb-gaps"], None, lambda s: count(s, "knowledge_gaps") == 1),
    (["support-retention"], old, lambda s: count(s, "traces WHERE trace_id LIKE 'old-%'") == 0),
    (["alert-check"], None, lambda s: True),
    (["support-improver"], ordered, lambda s: count(s, "jobs WHERE state = 'waiting'") == 0),
    (["kb-builder"], tickets, lambda s: count(s, "kb_drafts") == 1),
    (["support-demo", "--language", "en"], None, lambda s: count(s, "escalated_tickets WHERE status = 'open'") >= 2),
    (["demo-seed", "--tenant", "NEW"], new_tenant, lambda s: count(s, f"kb_documents WHERE tenant_id = 'walk-{s.walker}'") == 3
     and json.loads(s.run("eval-gate", "--tenant", f"walk-{s.walker}").stdout)["status"] == "passed"),
    (["offline-benchmark", "--with-docs"], None, lambda s: reports(s, "evaluation/benchmark_results.json")),
    (["eval-gate"], None, lambda s: reports(s, "evaluation/current_metrics.json")),
]


def test_no_program_of_the_service_is_left_out():
    sources = {main.parent.name: main.read_text() for main in CHECKOUT.glob("cron-bin/*/main.c")}
    programs = {name for name, text in sources.items() if '#include "support/' in text and '#include "livedata/' not in text}
    programs -= {"embedder"}  # it stores nothing
    assert len(programs) > 20 and programs == {row[0][0] for row in PROGRAMS} | set(ELSEWHERE)
    assert all("kill_at_step" in (CHECKOUT / path).read_text().lower() for path in ELSEWHERE.values())


def check_files(service):
    """Each file is whole, whoever died; what is being written has a name of its own, one in a folder."""
    for path in root(service).rglob("*"):
        if not path.is_file() or path.name == ".part" or {"index", "locks"} & set(path.parts) or "sqlite3" in path.name:
            continue
        if path.suffix == ".pdf":
            content = path.read_bytes()
            assert content.startswith(b"%PDF") and content.rstrip().endswith(b"%%EOF"), path
            continue
        text = path.read_text()
        if path.suffix == ".json":
            json.loads(text)
        elif path.suffix == ".jsonl":
            assert [json.loads(line) for line in text.splitlines() if not line.startswith("#")] is not None
        elif path.suffix == ".md":
            assert text.startswith("#") and text.endswith("\n"), path
        elif path.suffix == ".yaml":
            assert text.endswith("\n") and ("tags:" in text or "experiments" not in path.parts), path


def start(service, words, **env):
    named = {"NEW": f"walk-{service.walker}", **{name: str(root(service) / name) for name in ("batch.jsonl", "out.jsonl")}}
    models = service.with_model if words[0] == "kb-builder" else {}
    return service.run(words[0], *[named.get(word, word) for word in words[1:]], env={**models, **env})


def run_to_the_end(service, words):
    """As the next start, at once: it is not told that somebody is at it, and ends well."""
    done = start(service, words)
    if words[0] == "experiment-new" and "already exists" in done.stderr:
        return
    assert done.returncode in ((0, 1) if words[0] == "regression-eval" else (0,)), (words, done.stderr)
    assert '"busy"' not in done.stdout, words


def finished(service):
    """What was asked for and lost with its runner says so, and does not run for ever."""
    run_to_the_end(service, ["support-improver"])
    for kind, path in (("support.regression", "/api/admin/regression-runs/"),
                       ("support.curated", "/api/admin/curated-dataset/jobs/")):
        for [key] in service.sql(f"SELECT job_key FROM jobs WHERE kind LIKE '{kind}%'"):
            status = service.get(path + key, headers=token("admin")).json()["status"]
            assert status in ("completed", "error", "failed"), (key, status)


def heal(service, words):
    if words[0] == "support-improver":
        finished(service)
    else:
        run_to_the_end(service, words)


@pytest.mark.parametrize("row", PROGRAMS, ids=lambda row: "-".join(row[0][:1] + [w.strip("-") for w in row[0][-2:-1]]))
def test_a_program_killed_at_any_step_is_healed_by_the_next_start(support, kill_library, row):
    words, before, is_done = row
    step, killed = 1, 0
    while step < STEPS_MOST:
        if SOAK or step == 1 or before:
            fill(support)
            if before:
                before(support)
        done = start(support, words, LD_PRELOAD=str(kill_library), KILL_AT_STEP=str(step))
        check_files(support)
        if done.returncode != -signal.SIGKILL:
            break
        killed += 1
        if SOAK:
            heal(support, words)
            assert is_done(support), (words, step)
        step += 1 if SOAK else 3 * step + 1
    heal(support, words)
    assert is_done(support), words
    assert killed and step < STEPS_MOST, "nothing was killed"
    if support.engine == "sqlite":
        assert support.sql("PRAGMA integrity_check") == [["ok"]]
    print(f"{words[0]}: killed {killed} times, {step - 1} steps")
