"""From a vote against an answer to an experiment that is rolled back: on the demo knowledge base, without a model,
on both engines."""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest

from exposition import samples
from mail_server import MailServer
from model_server import ModelServer
from wait import wait_for
from service import DATABASE_SETTINGS, ENGINES, Servers, Service
from support_admin_test import SECRET, token
from support_review_test import judge, program, queue

ENV = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "EXPERIMENT_ASSIGNMENT_ENABLED": "true",
       "AUTO_ROLLBACK_ENABLED": "true", "LLM_CHAT_API_KEY": "model-secret"}
QUESTION = "How long does the warranty last?"
EXPERIMENTS, RUNS = "/api/admin/experiments", "/api/admin/regression-runs"


@pytest.fixture(scope="module", params=ENGINES)
def support(request, tmp_path_factory):
    registry = tmp_path_factory.mktemp("registry") / "providers.yml"
    registry.write_text('{"default_profile": "embedded", "providers": []}')
    # Models say here what no document does: what they answer is compared, not what is left of it.
    with Service("support", {**ENV, "PROVIDER_REGISTRY_PATH": str(registry), "GENERATION_UNSUPPORTED": "keep"},
                 request.param) as service:
        service.registry = registry
        assert service.run("demo-seed").returncode == 0
        service.data = service.stack.directory / "data" / "support"
        (service.data / "evaluation" / "curated_cases.jsonl").unlink()  # cases are made by the tests
        yield service


def ask(service, question=QUESTION, **members):
    return service.post("/api/ask", {"question": question, **members}, headers=token("viewer")).json()


def operator(service, path, body=None, method="POST", role="admin", tenant="default"):
    return service.send(method, EXPERIMENTS + path, json=body, headers=token(role, tenant))


def new(service, name, **settings):
    made = operator(service, "", {"name": name, "settings_overrides": settings})
    assert made.status_code == 201, made.text
    return made.json()["id"]


def run(service, experiment, baseline="current", tenant="default"):
    started = operator(service, f"/{experiment}/regression-run?baseline={baseline}", tenant=tenant)
    assert started.status_code == 202, started.text

    def ended():
        detail = service.get(f"{RUNS}/{started.json()['job_id']}", headers=token("admin", tenant)).json()
        return detail if detail["status"] in ("completed", "error") else None
    return wait_for(ended)


def experiment_of(service, answer):
    return service.sql(f"SELECT coalesce(experiment_id, '') FROM traces WHERE trace_id = '{answer['trace_id']}'")[0][0]


def test_the_loop_from_a_vote_against_to_rolling_back(support):
    answer = ask(support)
    assert "12 months" in answer["answer"] or "24 months" in answer["answer"] or answer["sources"], answer
    support.post("/api/feedback", {"trace_id": answer["trace_id"], "session_id": answer["session_id"],
                                   "rating": "down"}, headers=token("viewer"))
    assert program(support, "review-build")["inserted"] == 0, "the vote has put it there"
    [case] = [row for row in queue(support)["items"] if row["trace_id"] == answer["trace_id"]]
    assert case["reason"] == "thumbs_down"
    assert judge(support, case["id"], "confirmed_good").status_code == 200
    assert program(support, "curated-build")["total"] == 1
    # what people confirmed passes as it is
    same = program(support, "regression-eval", "--baseline", "current", "--candidate", "current")
    assert same["exit_code"] == 0 and same["aggregate"]["baseline_pass_rate"] == 1.0
    mock = program(support, "regression-eval", "--baseline", "current", "--candidate", "current",
                   "--mock-experiment-runtime", "--no-persist")
    assert mock["aggregate"]["candidate_pass_rate"] == 1.0 and mock["exit_code"] == 0
    # a candidate that refuses everything does not pass, and says why
    harmful = new(support, "Refuse much", embedded_min_evidence=1.0)
    red = run(support, harmful)
    assert red["run"]["result"] == "fail" and red["report"]["aggregate"]["regressions"] == 1
    assert red["report"]["cases"][0]["diff"]["answer_changed"] and "## Regressions" in red["report_markdown"]
    refused = operator(support, f"/{harmful}/deploy")
    assert refused.status_code == 409
    assert refused.json()["detail"] == "green regression run on curated dataset is required before deploy"
    # one that changes nothing for the worse does
    good = new(support, "Fewer documents", rerank_top_k=1)
    green = run(support, good)
    assert green["run"]["result"] == "pass", green["report_markdown"]
    figures = samples(support.get("/metrics").text)  # set by programs that have ended, and by one that stays
    assert [figures[f'regression_runs_total{{result="{how}"}}'] for how in ("pass", "fail")] == [3, 1]
    assert figures[f'regression_last_pass_rate{{baseline="current",candidate="{good}"}}'] == 1
    ids = [row["run_id"] for row in support.get(RUNS, headers=token("admin")).json()["runs"]]
    assert len(ids) == len(set(ids)) and {green["run_id"], red["run_id"]} <= set(ids)
    power = green["report"]["gate"]["power"]
    assert not power["could_have_seen"] and power["cases_missing"] > 0 and power["detectable_drop"] is None
    assert "could not have been seen" in green["report_markdown"]
    assert operator(support, f"/{good}/stage").status_code == 200
    staged = ask(support)
    assert experiment_of(support, staged) == good and len(staged["sources"]) == 1
    assert (support.data / "config" / "experiment_id").read_text() == good + "\n"
    deployed = operator(support, f"/{good}/deploy").json()
    assert deployed["deployment"]["regression_run_id"] == green["run_id"] and deployed["deployment"]["staged_at"]
    assert not (support.data / "config" / "experiment_id").exists()
    # again, by hand and at once: one deployment
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(lambda _: operator(support, f"/{good}/deploy").json(), range(4)))
    assert again == [deployed] * 4 and support.run("experiment-apply", good, "--mode", "deploy").returncode == 0
    assert len(operator(support, f"/{good}", method="GET").json()["deployments"]) == 1
    assert len(ask(support)["sources"]) == 1 and operator(support, f"/{good}", method="GET").json()["status"] == "deployed"
    shown = support.get(f"{EXPERIMENTS}/comparison?deployed={good}&staged={good}", headers=token("reviewer")).json()
    assert shown["deployed"]["trace_count"] == 2 and shown["staged"]["evaluator_breakdown"]["run_id"] == green["run_id"]
    assert operator(support, f"/{good}/rollback").json()["status"] == "rolled_back"
    assert not (support.data / "config" / "deployed_defaults.yaml").exists()
    assert operator(support, f"/{good}/rollback").status_code == 409
    [told] = operator(support, f"/{good}", method="GET").json()["deployments"]
    assert told["rolled_back_at"] and (told["rollback_reason"], told["regression_run_id"]) == ("by hand", green["run_id"])
    after = ask(support)
    assert experiment_of(support, after) == "" and len(after["sources"]) >= 1
    actions = {entry["action"] for entry in support.get("/api/admin/audit?limit=200", headers=token("admin")).json()["entries"]}
    assert {"experiment_create", "experiment_stage", "experiment_deploy", "experiment_rollback", "regression_run"} <= actions
    # nothing of the runs is taken for people's answers
    assert int(support.sql("SELECT count(*) FROM traces WHERE origin = 'regression'")[0][0]) == 6
    listed = support.get("/api/admin/traces?limit=500", headers=token("admin")).json()["traces"]
    assert not [row for row in listed if row["trace_id"].startswith("regression-")]
    [link] = [row["latest_eval_link"] for row in support.get(EXPERIMENTS, headers=token("admin")).json()["experiments"]
              if row["id"] == good]
    assert link == f"/api/admin/regression-runs/{green['run_id']}"


def test_programs_go_the_same_way_and_a_red_run_after_a_green_one_closes_the_gate(support):
    made = support.run("experiment-new", "--name", "By hand!", "--description", "a try")
    path = made.stdout.strip()
    name = path.rsplit("/", 1)[1].removesuffix(".yaml")
    assert made.returncode == 0 and name.endswith("-by-hand"), made.stderr
    assert "already exists" in support.run("experiment-new", "--name", "by hand").stderr
    assert "letters or numbers" in support.run("experiment-new", "--name", "!!").stderr
    file = support.stack.directory / path
    text = file.read_text()
    assert "rerank_top_k: 5" in text and "qa: " in text
    file.write_text(text.replace("rerank_top_k: 5", "rerank_top_k: 2"))
    dry = support.run("experiment-apply", name)
    assert dry.returncode == 0 and "-rerank_top_k: 5\n+rerank_top_k: 2\n" in dry.stdout
    assert "chunk_size acts when documents are read anew" not in dry.stdout
    file.write_text(text.replace("chunk_size: 800", "chunk_size: 900"))
    acts = support.run("experiment-apply", name)
    assert "chunk_size acts when documents are read anew" in acts.stdout + acts.stderr
    for foreign in ("jwt_secret: x", "data_dir: /etc"):
        file.write_text(text.replace("rerank_top_k: 5", foreign))
        assert foreign.split(":")[0] in support.run("experiment-apply", name).stderr
    for strange in ("..%2F..%2Fconfig", "2026-01-01-UPPER", "2026-01-01-a..b"):
        assert operator(support, f"/{strange}", method="GET").status_code == 404
    assert support.run("experiment-apply", name, "--mode", "deploy").returncode == 1
    assert support.run("experiment-apply", name, "--mode", "nonsense").returncode == 2
    file.write_text(text.replace("rerank_top_k: 5", "rerank_top_k: 500"))
    assert "rerank_top_k" in support.run("experiment-apply", name).stderr
    invalid = support.get(EXPERIMENTS, headers=token("admin")).json()["invalid"]
    assert [row["file"] for row in invalid] == [f"{name}.yaml"] and "rerank_top_k" in invalid[0]["error"]
    file.write_text(text.replace("rerank_top_k: 5", "rerank_top_k: 2"))
    mock = program(support, "regression-eval", "--baseline", "current", "--candidate", name, "--mock-experiment-runtime")
    assert mock["exit_code"] == 0
    assert support.run("experiment-apply", name, "--mode", "deploy").returncode == 1  # a simulation unlocks nothing
    program(support, "regression-eval", "--baseline", "current", "--candidate", name)
    support.sql(f"UPDATE eval_results SET drift_alert = 1 WHERE candidate_experiment_id = '{name}' AND mode = 'experiment-regression'")
    assert support.run("experiment-apply", name, "--mode", "deploy").returncode == 1
    program(support, "regression-eval", "--baseline", "current", "--candidate", name)
    done = support.run("experiment-apply", name, "--mode", "deploy")
    assert done.returncode == 0 and done.stdout.count("Updated ") == 3, done.stderr
    second = new(support, "After it")
    assert support.run("experiment-apply", second, "--mode", "deploy", "--force").returncode == 0
    assert operator(support, f"/{name}", method="GET").json()["status"] == "completed"
    assert operator(support, f"/{second}/rollback").status_code == 200
    twice = support.run("regression-eval", "--baseline", "current", "--baseline-profile", "current", "--candidate", "current")
    assert twice.returncode == 2 and "--baseline: is given already" in twice.stderr
    unknown = support.run("regression-eval", "--baseline", "current", "--candidate", "2026-01-01-none")
    assert unknown.returncode == 2 and "experiment not found: 2026-01-01-none" in json.loads(unknown.stdout)["detail"]
    assert support.run("regression-eval", "--baseline", "current").returncode == 2
    assert operator(support, f"/{name}/archive").json() == {"status": "archived", "id": name}
    assert operator(support, f"/{name}/stage").status_code == 409
    entries = support.get("/api/admin/audit?action=experiment_archive", headers=token("admin")).json()["entries"]
    assert entries[0]["resource"] == f"experiment:{name}"


def test_the_level_of_verification_is_one_of_those_that_there_are(support):
    wrong = operator(support, "", {"name": "Sure", "settings_overrides": {"fact_verify_reliability_level": "utter"}})
    assert wrong.status_code == 400 and "settings_overrides.fact_verify_reliability_level" in wrong.text
    sure = new(support, "Sure", fact_verify_reliability_level="high", fact_verify_consensus_enabled=True)
    shown = support.run("experiment-apply", sure, "--mode", "dry-run").stdout
    assert '-fact_verify_reliability_level: "standard"' in shown and '+fact_verify_reliability_level: "high"' in shown, shown


def test_a_share_of_conversations_sticks_to_an_experiment(support):
    sticky = new(support, "Sticky", rerank_top_k=1)
    path = f"/{sticky}/assignments"
    for body, text in (({}, "tenant_id is required"), ({"tenant_id": " "}, "tenant_id is required"),
                       ({"tenant_id": "acme", "rollout_percentage": None}, "rollout_percentage must be integer"),
                       ({"tenant_id": "acme", "rollout_percentage": 101}, "rollout_percentage must be within [0, 100]")):
        answer = operator(support, path, body)
        assert (answer.status_code, answer.json()["detail"]) == (400, text)
    assert operator(support, path, {"tenant_id": "acme"}, tenant="other").status_code == 403
    assert operator(support, path, {"tenant_id": "default", "rollout_percentage": 90}).status_code == 200  # replaced below
    made = operator(support, path, {"tenant_id": "default", "rollout_percentage": "25"}).json()["assignment"]
    assert made["rollout_percentage"] == 25
    # sha256("default:<session>") decides; the two buckets at the edge of the share
    def bucket(session):
        import hashlib
        return int.from_bytes(hashlib.sha256(f"default:{session}".encode()).digest()[:4], "big") % 100
    inside = next(f"s-{i}" for i in range(1000) if bucket(f"s-{i}") == 24)
    outside = next(f"s-{i}" for i in range(1000) if bucket(f"s-{i}") == 25)
    assert bucket("anonymous") == 13
    for session, expected in ((inside, sticky), (outside, ""), (inside, sticky)):
        assert experiment_of(support, ask(support, session_id=session)) == expected
    assert operator(support, path, method="GET", tenant="other").json() == {"assignments": []}
    assert len(operator(support, path, method="GET").json()["assignments"]) == 1
    operator(support, f"/{sticky}/archive")
    assert experiment_of(support, ask(support, session_id=inside)) == ""
    late = operator(support, path, {"tenant_id": "default", "rollout_percentage": 5})
    assert (late.status_code, late.json()["detail"]) == (409, "experiment is archived")


def test_what_is_put_away_stays_away_however_its_deployment_ends(support):
    for end in ("rollback", "another"):
        away, other = new(support, f"Away by {end}", rerank_top_k=2), new(support, f"Other by {end}")
        assert support.run("experiment-apply", away, "--mode", "deploy", "--force").returncode == 0
        assert operator(support, f"/{away}/archive").status_code == 200
        if end == "rollback":
            assert operator(support, f"/{away}/rollback").status_code == 200
        else:
            assert support.run("experiment-apply", other, "--mode", "deploy", "--force").returncode == 0
            assert operator(support, f"/{other}/rollback").status_code == 200
        assert operator(support, f"/{away}", method="GET").json()["status"] == "archived"
        assert operator(support, f"/{away}/stage").status_code == 409


def test_what_is_staged_is_in_force_until_its_file_goes(support):
    narrow = new(support, "Narrow", retrieval_top_k=1)
    wide = "Сколько длится гарантия, сколько дней на возврат товара и что делать при ошибке E10?"

    def found():
        trace = support.get(f"/api/admin/traces/{ask(support, wide)['trace_id']}", headers=token("agent")).json()
        return len(next(step["state"] for step in trace["steps"] if step["node"] == "retrieve")["retrieved_docs"])

    before = found()
    assert before > 1 and operator(support, f"/{narrow}/stage").status_code == 200 and found() == 1
    assert not (support.data / "config" / "deployed_defaults.yaml").exists()
    (support.data / "config" / "experiment_override.yaml").unlink()
    assert found() == before
    (support.data / "config" / "experiment_id").unlink()


def test_others_than_the_operator_change_nothing_and_see_their_own_runs(support):
    mine = new(support, "Operators " + "of a long name " * 7, rerank_top_k=3)
    assert len(mine) > 100
    for action in ("stage", "deploy", "rollback", "archive"):
        assert operator(support, f"/{mine}/{action}", tenant="other").status_code == 403
    assert operator(support, "", {"name": "x"}, tenant="other").status_code == 403
    for _ in range(2):
        theirs = run(support, mine, tenant="other")
    assert theirs["run"]["result"] == "fail" and theirs["report"]["aggregate"]["total_cases"] == 0
    runs = support.get(RUNS + "?limit=100", headers=token("admin", "other")).json()["runs"]
    assert [row["run_id"] for row in runs][:1] == [theirs["run_id"]] and len(runs) == 2
    # what a stranger's own cases say neither opens nor closes the gate of all
    support.sql("UPDATE eval_results SET drift_alert = 0 WHERE tenant_id = 'other'")
    assert operator(support, f"/{mine}/deploy").status_code == 409
    own = run(support, mine)["run_id"]
    assert run(support, mine, tenant="other")["run"]["result"] == "fail"
    assert operator(support, f"/{mine}/deploy").status_code == 200
    assert operator(support, f"/{mine}/rollback").status_code == 200
    assert support.get(f"{RUNS}/{own}", headers=token("admin", "other")).status_code == 404
    assert own in [row["run_id"] for row in support.get(RUNS, headers=token("admin")).json()["runs"]]
    assert operator(support, "/2026-01-01-none/regression-run").json()["detail"] == "experiment not found"
    assert operator(support, f"/{mine}/regression-run?baseline=nope").json()["detail"] == "baseline experiment not found"


def test_a_deployment_that_harms_is_rolled_back_by_itself(support, tmp_path):
    harmful = new(support, "Harmful")
    assert support.run("experiment-apply", harmful, "--mode", "deploy", "--force").returncode == 0
    support.sql("DELETE FROM trace_evaluations")
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000000+00:00", time.gmtime())

    def evaluated(prefix, experiment, count, coverage, refused):
        for i in range(count):
            support.sql("INSERT INTO traces (trace_id, tenant_id, started_at, question, channel, knowledge_gap, cost_usd,"
                        f" experiment_id) VALUES ('{prefix}{i}', 'default', '{now}', 'q', 'web', 0, 0, {experiment})")
        values = ", ".join(f"('{prefix}{i}', 'default', '{name}', {score}, 'ok', '{{}}', '{now}')" for i in range(count)
                           for name, score in (("citation_coverage", coverage), ("refusal_detected", refused)))
        support.sql("INSERT INTO trace_evaluations (trace_id, tenant_id, evaluator_name, score, verdict, metadata,"
                    f" evaluated_at) VALUES {values}")

    evaluated("before", "NULL", 30, 0.8, 0.5)
    evaluated("few", f"'{harmful}'", 29, 0.1, 0.5)
    watch = json.loads(support.run("rollback-watch").stdout)
    assert watch == [{"experiment_id": harmful, "reason": "insufficient_data", "drop_pct": 0.0, "worst_evaluator": None}]
    support.sql("DELETE FROM traces WHERE trace_id LIKE 'few%'")
    evaluated("fine", f"'{harmful}'", 40, 0.78, 0.2)  # refusing less is no harm
    assert json.loads(support.run("rollback-watch").stdout)[0]["reason"] == "normal_variance"
    assert json.loads(support.run("rollback-watch", env={"AUTO_ROLLBACK_ENABLED": "false"}).stdout) == []
    # what is behind the window, and evaluators that failed, count for nothing
    support.sql("UPDATE trace_evaluations SET evaluated_at = '2026-01-01T00:00:00.000000+00:00' WHERE trace_id LIKE 'fine%'")
    evaluated("bad", f"'{harmful}'", 40, 0.65, 0.5)
    evaluated("lost", f"'{harmful}'", 40, 0, 0)
    support.sql("UPDATE trace_evaluations SET verdict = 'timeout' WHERE trace_id LIKE 'lost%'")
    with MailServer(tmp_path) as mail:
        told = {"SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(mail.port), "TENANT_ADMIN_EMAIL": "admin@example.com"}
        [found] = json.loads(support.run("rollback-watch", env={**told, "ROLLBACK_TRACE_WINDOW": "40"}).stdout)
    [letter] = mail.letters
    assert letter["Subject"] == f"Rolled back: {found['experiment_id']}" and found["reason"] in letter.get_content()
    assert found["reason"] == "drift_citation_coverage_18.8pct" and found["worst_evaluator"] == "citation_coverage"
    assert operator(support, f"/{harmful}", method="GET").json()["deployments"][0]["rollback_reason"] == found["reason"]
    assert operator(support, f"/{harmful}", method="GET").json()["status"] == "completed"
    assert not (support.data / "config" / "deployed_defaults.yaml").exists()


def test_a_run_whose_worker_is_lost_says_so(support):
    support.sql("INSERT INTO jobs (kind, job_key, lane, payload, state, failures, interruptions, due_at, holder, created_at)"
                " VALUES ('support.regression', 'regression-lost', 'all', '{\"baseline\":\"current\"}', 'waiting', 0, 0,"
                f" {int(time.time() * 1e6) - 1000000}, 'gone', {int(time.time() * 1e6)})")

    def dead():
        detail = support.get(f"{RUNS}/regression-lost", headers=token("admin")).json()
        assert detail["status"] == "error" and detail["run"]["error"] == "worker lost"
        return support.sql("SELECT state FROM jobs WHERE job_key = 'regression-lost'") == [["dead"]]
    wait_for(dead)


def evaluate(service, baseline, candidate, *options, code=0, **env):
    """A run of the program, and its report."""
    done = program(service, "regression-eval", "--baseline-profile", baseline, "--candidate", candidate, "--no-persist",
                   *options, code=code, env=env)
    return done, json.loads((service.data / done["report_json"]).read_text()) if "report_json" in done else None


def test_models_are_called_only_where_that_is_allowed(support):
    data = support.data / "evaluation" / "curated_cases.jsonl"
    data.parent.mkdir(parents=True, exist_ok=True)
    data.write_text(json.dumps({"case_id": "case-router-reset", "query": "How do I reset the router?", "expected": {
        "answer_contains": ["reset"], "route": "auto", "min_quality": 80, "min_factuality": 90,
        "citations_min_count": 1}}) + "\n")
    # not allowed: models are compared by what they would cost
    _, report = evaluate(support, "mistral-small-latest", "ollama-small", PROVIDER_REGISTRY_PATH="")
    [case] = report["cases"]
    assert report["mode"] == "mock-provider-benchmark" and case["baseline"]["answer"] == "reset"
    assert [[case[side][name] for name in ("quality_score", "factuality_score", "duration_ms", "cost_usd")]
            for side in ("baseline", "candidate")] == [[82, 91, 420, 3e-06], [80, 90, 180, 0]]
    assert case["baseline"]["trace_id"] == "mock-mistral-small-latest-case-router-reset"
    assert case["baseline"]["citations"][0]["title"] == "mistral:mistral-small-latest"
    data.write_text(json.dumps({"case_id": "warranty", "query": QUESTION, "expected": {
        "answer_contains": ["as written by a model"]}}) + "\n")
    with ModelServer() as models:
        models.answers["writer"] = "text:The warranty lasts 24 months, as written by a model [1]."
        support.registry.write_text(json.dumps({"default_profile": "shop", "providers": [
            {"id": "shop", "kind": "paid", "protocol": "openai", "base_url": models.url + "/v1",
             "api_key_env": "LLM_CHAT_API_KEY", "default_models": {"fast": "writer", "strong": "writer"},
             "models": [{"name": "writer", "aliases": ["large"], "input_price_per_1m_tokens": 100,
                         "output_price_per_1m_tokens": 100}]}],
            "routing_profiles": {"shop": {target: {"provider": "shop", "model": "writer"}
                                          for target in ("fast", "strong")}}}))
        # what is in force would be paid for: refused, as the program and over HTTP, unless it is simulated
        refused, _ = evaluate(support, "current", "current", code=2)
        assert "current would ask paid providers (shop)" in refused["detail"]
        lost = run(support, "current")
        assert lost["status"] == "error" and "LLM_BENCHMARK_ALLOW_PAID_APIS" in lost["run"]["error"], lost
        assert evaluate(support, "current", "current", "--mock-experiment-runtime")[1]["mode"] == "mock-experiment-regression"
        assert evaluate(support, "shop", "large")[1]["mode"] == "mock-provider-benchmark"
        assert models.calls == []
        # allowed by either: the model answers, in traces of their own
        for options, env in ((["--allow-paid-apis"], {}), ([], {"LLM_BENCHMARK_ALLOW_PAID_APIS": "true"})):
            models.calls.clear()
            _, report = evaluate(support, "embedded", "large", *options, **env, code=0)
            [case] = report["cases"]
            assert report["mode"] == "live-provider-benchmark" and case["outcome"] == "new_pass", case
            assert "as written by a model" in case["candidate"]["answer"] and case["candidate"]["cost_usd"] > 0
            assert {call["model"] for call in models.calls} == {"writer"}
            [[spent, steps]] = support.sql("SELECT sum(cost_usd), count(cost_usd) FROM trace_steps WHERE trace_id ="
                                           f" '{case['candidate']['trace_id']}'")
            assert case["candidate"]["cost_usd"] == pytest.approx(float(spent)) and int(steps) > 1
        assert evaluate(support, "current", "current", "--allow-paid-apis")[1]["mode"] == "experiment-regression"
        origins = support.sql("SELECT origin, count(*) FROM traces WHERE trace_id LIKE 'provider-benchmark-%' GROUP BY origin")
        assert [(origin, int(count)) for origin, count in origins] == [("benchmark", 4)]
        # what nobody answered is not scored, and a day costs no more than it may
        models.answers["writer"] = "status:400"
        done, report = evaluate(support, "embedded", "writer", "--allow-paid-apis", code=2)
        assert report["cases"][0]["outcome"] == "infrastructure_failure" and done["aggregate"]["effective_cases"] == 0
        models.calls.clear()
        spent, _ = evaluate(support, "embedded", "writer", "--allow-paid-apis", code=2, DAILY_COST_LIMIT_USD="0.0001")
        assert spent["detail"].startswith("DAILY_COST_LIMIT_USD exceeded: ") and spent["detail"].endswith("writer asks shop")
        assert models.calls == []
        models.answers["writer"] = "text:As written by a model [1]."
        evaluate(support, "embedded", "writer", "--allow-paid-apis", DAILY_COST_LIMIT_USD="0")  # no limit at all
        assert models.calls
        models.calls.clear()
        # costs that cannot be read are as good as spent
        support.sql("ALTER TABLE trace_steps RENAME TO away")
        try:
            evaluate(support, "embedded", "writer", "--allow-paid-apis", code=2)
        finally:
            support.sql("ALTER TABLE away RENAME TO trace_steps")
        assert models.calls == []


def test_an_experiment_on_agentic_mode_acts_from_the_next_question_on(support):
    candidate = new(support, "Tools", agentic_mode=True)
    applied = support.run("experiment-apply", candidate, "--mode", "stage", "--activate")
    assert applied.returncode == 0 and "agentic_mode" not in applied.stderr, applied.stderr
    answer = ask(support, "Status of order 42?")
    assert answer["route"] == "agentic" and experiment_of(support, answer) == candidate
    assert operator(support, f"/{candidate}/archive").status_code == 200
    for path in ("config/experiment_override.yaml", "config/experiment_id"):
        (support.data / path).unlink(missing_ok=True)
    # what has no effect in this engine says so
    idle = new(support, "Idle", self_rag_min_quality=50)
    assert "self_rag_min_quality changes nothing" in support.run("experiment-apply", idle).stderr


def test_an_experiment_with_an_unknown_member_is_not_made(support):
    """Decision 30: a misspelt settings_overrides made an experiment that changes nothing."""
    refused = operator(support, "", {"name": "Misspelt", "settings": {"rerank_top_k": 3}})
    assert refused.status_code == 422 and "settings" in json.dumps(refused.json()), refused.text
    assert "Misspelt" not in support.get(EXPERIMENTS, headers=token("admin")).text


def test_a_provider_that_did_not_answer_passes_no_benchmark(support):
    """Decision 35: nothing that stands in for it is scored, neither another provider nor the embedded engine."""
    data = support.data / "evaluation" / "curated_cases.jsonl"
    data.parent.mkdir(parents=True, exist_ok=True)
    cases = [{"case_id": "warranty", "query": QUESTION, "expected": {"citations_min_count": 1}},
             {"case_id": "unknown", "query": "Zanzibar quokka velocity?", "expected": {"citations_min_count": 0}}]

    def provider(name, url):
        return {"id": name, "kind": "local", "protocol": "openai", "base_url": url + "/v1",
                "default_models": {"fast": name, "strong": name}, "models": [{"name": name}]}

    def compare(code, *used, **env):
        data.write_text("".join(json.dumps(case) + "\n" for case in used))
        done, report = evaluate(support, "embedded", "shop", "--allow-paid-apis", code=code,
                                OLLAMA_RETRY_MAX_ATTEMPTS="1", **env)
        return done, [case["outcome"] for case in report["cases"]]
    lost = "infrastructure_failure"
    with ModelServer() as models:
        slots = {slot: {"provider": "silent", "model": "silent"} for slot in ("fast", "strong")}
        support.registry.write_text(json.dumps({
            "default_profile": "embedded", "providers": [provider("silent", models.url), provider("second", models.url)],
            "routing_profiles": {"shop": {**slots, "fallback": {"provider": "second", "model": "second"}}}}))
        models.answers.update(silent="status:500", second="text:It lasts 12 months, says another provider [1].")
        done, outcomes = compare(2, *cases)
        assert outcomes == [lost, lost] and done["gate"]["reasons"] == ["no case could be evaluated"], done
        # a case for which no model was needed does not make up for it
        assert compare(2, cases[1], LLM_NODES="generate,evaluate")[1] == [lost]
        # what answers nothing of use fails the case; the embedded engine's words do not pass for it
        models.answers["silent"] = "text:[9]"
        assert compare(1, cases[0], LLM_NODES="generate")[1] == ["regression"]
        # one that answers is scored, also beside a case that needs no model
        models.answers["silent"] = "text:The warranty lasts 24 months [1]."
        assert compare(0, *cases, LLM_NODES="generate") == (mock.ANY, ["neutral", "neutral"])
        # nothing can be said of a provider that no node asks
        assert compare(2, *cases, LLM_NODES="classify_complexity")[1] == [lost, lost]


class Writer(ModelServer):
    """Writes what is said; is told to say it shorter by the candidate's prompt; its scores are always the same."""

    def rule_for(self, body, prompt):
        told = json.dumps(body["messages"][0])
        if "Say it shorter." in told:
            return self.answers["shorter"]
        return self.answers["writer"] if "documents" in told.lower() and "100" not in told else "text:95"


def test_the_loop_with_a_model_behind_it(support):
    written = "text:Гарантийный срок на устройство — 12 месяцев со дня покупки. [1]"
    with Writer() as models:
        models.answers.update(writer=written, shorter=written)
        support.registry.write_text(json.dumps({"default_profile": "house", "providers": [
            {"id": "house", "kind": "local", "protocol": "openai", "base_url": models.url + "/v1",
             "default_models": {"fast": "writer", "strong": "writer"}, "models": [{"name": "writer"}]}],
            "routing_profiles": {"house": {slot: {"provider": "house", "model": "writer"} for slot in ("fast", "strong")}}}))
        answer = ask(support, session_id="with-a-model")
        assert "12 месяцев" in answer["answer"] and models.calls, answer
        support.post("/api/feedback", {"trace_id": answer["trace_id"], "session_id": "with-a-model", "rating": "down"},
                     headers=token("viewer"))
        program(support, "review-build")
        [case] = [row for row in queue(support)["items"] if row["trace_id"] == answer["trace_id"]]
        assert judge(support, case["id"], "confirmed_good", "include: 12 месяцев").status_code == 200
        (support.data / "evaluation" / "curated_cases.jsonl").unlink(missing_ok=True)
        support.sql(f"DELETE FROM review_queue WHERE trace_id <> '{answer['trace_id']}'")
        assert program(support, "curated-build")["total"] == 1
        [line] = (support.data / "evaluation" / "curated_cases.jsonl").read_text().splitlines()
        assert json.loads(line)["expected"]["answer_contains"] == ["12 месяцев"]
        candidate = new(support, "Says it shorter")
        path = support.data / "evaluation" / "experiments" / f"{candidate}.yaml"
        path.write_text(path.read_text().replace("prompt_overrides: {}", "prompt_overrides:\n  qa: \"Say it shorter.\""))
        shown = operator(support, f"/{candidate}", method="GET").json()
        assert shown["prompt_overrides"] == {"qa": "Say it shorter."}, path.read_text()
        models.calls.clear()
        green = run(support, candidate)
        assert green["run"]["result"] == "pass", green["report"]["cases"][0]["baseline_failures"]
        assert "Say it shorter." in json.dumps([call["body"] for call in models.calls])  # the candidate alone is told so
        # a model that has become worse is seen, and keeps the candidate from being deployed
        models.answers["shorter"] = "text:I cannot say."
        red = run(support, candidate)
        assert red["run"]["result"] == "fail" and red["report"]["aggregate"]["regressions"] == 1
        assert operator(support, f"/{candidate}/deploy").status_code == 409
        models.answers["shorter"] = written
        assert run(support, candidate)["run"]["result"] == "pass"
        assert operator(support, f"/{candidate}/stage").status_code == 200
        assert experiment_of(support, ask(support, session_id="staged")) == candidate
        assert operator(support, f"/{candidate}/deploy").status_code == 200
        assert experiment_of(support, ask(support, session_id="deployed")) == candidate
        assert operator(support, f"/{candidate}/rollback").status_code == 200
        after = ask(support, session_id="after")
        assert experiment_of(support, after) == "" and "12 месяцев" in after["answer"]


def test_a_model_that_two_providers_call_alike_and_one_that_is_switched_off(support):
    """The first of the file is meant, and somebody is told; what is not enabled does not exist."""
    def provider(name, enabled, *aliases):
        return {"id": name, "kind": "local", "protocol": "openai", "base_url": "http://127.0.0.1:9/v1", "enabled": enabled,
                "default_models": {"fast": name + "-m", "strong": name + "-m"},
                "models": [{"name": name + "-m", "aliases": list(aliases)}]}

    (support.data / "evaluation").mkdir(parents=True, exist_ok=True)
    (support.data / "evaluation" / "curated_cases.jsonl").write_text('{"case_id": "c", "query": "How long?"}\n')
    kept = support.registry.read_text()
    try:
        support.registry.write_text(json.dumps({"default_profile": "embedded", "providers": [
            provider("off", False, "same"), provider("one", True, "same"), provider("two", True, "same")]}))
        _, report = evaluate(support, "current", "same", "--mock-experiment-runtime")
        assert report["cases"][0]["candidate"]["citations"][0]["title"] == "one:one-m"
        done = support.run("regression-eval", "--baseline", "same", "--candidate", "off-m", "--no-persist")
        assert done.returncode == 2 and "experiment not found: off-m" in done.stdout
        assert "registry_alias_twice" in done.stderr and '"same"' in done.stderr
    finally:
        support.registry.write_text(kept)


def test_simulated_models_need_no_network(support):
    """In a namespace of the network that has not even a loopback: the gate decides, never the infrastructure."""
    (support.data / "evaluation").mkdir(parents=True, exist_ok=True)
    (support.data / "evaluation" / "curated_cases.jsonl").write_text(
        '{"case_id": "c", "query": "How long?", "expected": {"answer_contains": ["12 months"]}}\n')
    env = {"PROVIDER_REGISTRY_PATH": ""}
    if support.engine == "postgres":  # by its socket in the file system
        server = Servers.server
        database = support.env[DATABASE_SETTINGS["support"]].rpartition("/")[2]
        env["DATABASE_URL"] = f"postgresql://assay@/{database}?host={server.directory}&port={server.port}"
    support.run("alert-check", "--dry-run")  # so that the environment is known
    for target in ("mistral-small-latest", "local-first", "external-mistral"):
        done = subprocess.run(["unshare", "--net", support.stack.build / "cron-bin" / "regression-eval", "--baseline", target,
                               "--candidate", "ollama-small", "--no-persist"], cwd=support.stack.directory, text=True,
                              env={**support._environment, **env}, capture_output=True, timeout=60, check=False)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        assert json.loads(done.stdout)["aggregate"]["infrastructure_failures"] == 0
