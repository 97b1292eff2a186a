"""What verdicts, votes and evaluations say over time, on both engines: thresholds and what is promised with them,
evaluations by day, the backlog of a week, what knowledge has grown old, drift, reports. Programs and routes; what
belongs to one tenant is never shown to another."""

import json
import re
from datetime import datetime, timedelta, timezone

import pytest

from exposition import samples
from service import ENGINES, Service
from stack import CHECKOUT
from support_admin_test import DOCUMENT, SECRET, ask, token

ENV = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "THRESHOLD_RISK": "0.2", "THRESHOLD_CONFIDENCE": "0.9"}
DAY = timedelta(days=1)


def ago(**delta):
    return (datetime.now(timezone.utc) - timedelta(**delta)).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")


def quoted(value):
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, (int, float)) else "'" + str(value).replace("'", "''") + "'"


def put(service, table, rows):
    columns = list(rows[0])
    values = ", ".join("(" + ", ".join(quoted(row[column]) for column in columns) + ")" for row in rows)
    service.sql(f"INSERT INTO {table} ({', '.join(columns)}) VALUES {values}")


def trace(name, tenant="default", age=timedelta(hours=1), **members):
    started = (datetime.now(timezone.utc) - age).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")
    return {"trace_id": name, "tenant_id": tenant, "started_at": started, "finished_at": started,
            "final_route": "auto", "final_quality": 90, "final_relevance": 0.9, "question": "q", "answer": "a [1].",
            "channel": "web", "knowledge_gap": 0, "factuality_score": 95, "duration_ms": 1200.0, "cost_usd": 0,
            "answer_words": 12, "categories": '["uncategorized"]', "origin": "live", **members}


def case(name, status, tenant="default", age=timedelta(minutes=30)):
    at = (datetime.now(timezone.utc) - age).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")
    return {"trace_id": name, "tenant_id": tenant, "reason": "low_quality", "status": status, "created_at": at,
            "reviewed_at": at}


def program(service, name, *arguments, code=0, **env):
    done = service.run(name, *arguments, env=env)
    assert done.returncode == code, done.stderr
    return done


def printed(service, name, *arguments, **env):
    return json.loads(program(service, name, *arguments, **env).stdout)


def files(service, path):
    [data] = [folder for folder in (service.stack.directory / "data").rglob("support") if folder.is_dir()][:1]
    return data / path


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    with Service("support", ENV, request.param) as service:
        for tenant in ("default", "other"):
            answer = service.send("POST", "/api/upload", headers=token("agent", tenant),
                                  files={"file": ("returns.md", DOCUMENT.encode())})
            assert answer.status_code == 200
        yield service


def analysis(service, tenant="default", method="GET", path="analysis", query=""):
    answer = service.send(method, f"/api/admin/thresholds/{path}?days=30{query}", headers=token("reviewer", tenant))
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_thresholds_by_route_until_somebody_judges(support):
    put(support, "traces", [trace(f"proxy-{i:04}", "third", final_quality=i, final_route="human" if i < 60 else "auto")
                            for i in range(100)])
    found = analysis(support, "third")
    assert found["label_source"] == "proxy_route" and found["label_count"] == found["total_traces"] == 100
    quality = found["thresholds"]["quality_threshold"]
    assert quality["suggested"] == 60 and quality["suggested_metrics"]["f1"] == 1
    assert quality["current"] == 80 and quality["current_metrics"]["precision"] == 0.75
    assert quality["risk"] is None and len(found["caveats"]) == 2
    assert not found["cached"] and analysis(support, "third")["cached"]


def test_thresholds_by_verdicts(support):
    put(support, "traces", [trace(f"judged-{i:04}", final_quality=i // 2, duration_ms=100.0 * i) for i in range(200)])
    put(support, "traces", [trace("other-0001", "other", final_quality=1), trace("repeat-0001", origin="regression")])
    put(support, "review_queue", [case(f"judged-{i:04}", "confirmed_bad" if i // 2 < 40 else "confirmed_good")
                                  for i in range(200)])
    put(support, "review_queue", [case("other-0001", "confirmed_bad", "other")])
    found = analysis(support, method="POST", path="refresh")
    assert found["label_source"] == "human_review" and found["label_count"] == 200 and found["total_traces"] == 200
    quality = found["thresholds"]["quality_threshold"]
    assert quality["suggested"] == 40 and quality["status"] == "ok"
    risk = quality["risk"]
    assert risk["status"] == "found" and 25 <= risk["cutoff"] < 40 and risk["upper"] <= 0.2 and risk["confidence"] == 0.9
    assert risk["coverage"] == pytest.approx((200 - 2 * risk["cutoff"]) / 200)
    strict = analysis(support, method="POST", path="refresh", query="&risk=0.01&confidence=0.99")
    assert strict["thresholds"]["quality_threshold"]["risk"]["status"] == "too_few"
    assert {point["cutoff"] for point in quality["curve"]} == set(range(100))
    assert found["thresholds"]["slow_trace_threshold_ms"]["percentiles"] == {"p50": 9950, "p90": 17910, "p95": 18905,
                                                                             "p99": 19701}
    few = analysis(support, "other", "POST", "refresh")["thresholds"]["quality_threshold"]
    assert few["status"] == "insufficient_data" and few["suggested"] is None
    assert few["reason"] == "insufficient labeled traces (1 < 20)"
    both = printed(support, "threshold-analyze", "--days", "30")
    assert both["tenant"] == "all" and both["total_traces"] == 301
    assert any("Tenant default holds 99% of the bad verdicts" in caveat for caveat in both["caveats"])
    report = files(support, "reports/threshold_recommendations.md").read_text()
    assert "## quality_threshold" in report and "- Suggested: 40 (F1 1.00 vs current F1" in report
    assert "QUALITY_THRESHOLD=40" in report and "302 traces" not in report
    assert files(support, "reports/thresholds/other.md").exists()


def choose(service, body, tenant="default", status=200):
    answer = service.post("/api/admin/thresholds/choices", body, headers=token("admin", tenant))
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_chosen_threshold_is_in_force_at_once(support):
    """And the promise that came with it is looked at every day by what was judged since."""
    question = "How long can goods be returned?"
    assert ask(support, question)["route"] == "auto"
    assert choose(support, {"metric": "quality_threshold", "source": "manual"}, status=422)
    assert choose(support, {"metric": "chunk_size", "source": "f1"}, status=422)
    choose(support, {"metric": "fact_verification_min_score", "source": "risk"}, "third", 409)
    choose(support, {"metric": "quality_threshold", "source": "manual", "cutoff": 100})
    assert ask(support, question)["route"] == "human"
    assert ask(support, question, "other")["route"] == "auto"
    analysis(support, method="POST", path="refresh")
    kept = choose(support, {"metric": "quality_threshold", "source": "risk"})
    assert kept["risk"] == 0.2 and kept["confidence"] == 0.9 and kept["state"] is None
    assert ask(support, question)["route"] == "auto"
    put(support, "traces", [trace(f"since-{i:04}", final_quality=70) for i in range(40)])
    put(support, "review_queue", [case(f"since-{i:04}", "confirmed_bad" if i % 2 else "confirmed_good", age=-DAY)
                                  for i in range(40)])
    assert printed(support, "eval-snapshot")["promises"] == {"checked": 1, "broken": 1}
    [row] = support.get("/api/admin/thresholds/choices", headers=token("reviewer")).json()["choices"]
    assert row["state"] == "broken" and (row["given"], row["wrong"]) == (40, 20)
    assert support.get("/api/admin/thresholds/choices", headers=token("reviewer", "other")).json()["choices"] == []
    path = "/api/admin/thresholds/choices/quality_threshold"
    assert support.send("DELETE", path, headers=token("admin", "other")).status_code == 404
    assert support.send("DELETE", path, headers=token("admin")).status_code == 200
    actions = support.get("/api/admin/audit?action=threshold_choose", headers=token("admin")).json()["entries"]
    assert len(actions) == 2
    support.sql("DELETE FROM review_queue")
    support.sql("DELETE FROM traces WHERE answer = 'a [1].'")


def evaluation(name, score, verdict, tenant="default", evaluator="citation_coverage", at=None):
    return {"trace_id": name, "tenant_id": tenant, "evaluator_name": evaluator, "score": score, "verdict": verdict,
            "metadata": "{}", "evaluated_at": at or ago(hours=0)}


def test_a_day_of_evaluations(support):
    """Golden: two scores of 0.1 (missing) and eight of 0.9 (ok) are a mean of 0.74; failed evaluators are in no mean."""
    noon = (datetime.now(timezone.utc) - DAY).strftime("%Y-%m-%dT12:00:00.000000+00:00")
    put(support, "traces", [trace(f"evaluated-{i:02}", age=DAY) for i in range(11)])
    put(support, "traces", [trace("evaluated-other", "other", age=DAY)])
    put(support, "trace_evaluations",
        [evaluation(f"evaluated-{i:02}", 0.1 if i < 2 else 0.9, "missing" if i < 2 else "ok", at=noon)
         for i in range(10)]
        + [evaluation("evaluated-10", 0, "timeout", at=noon)]
        + [evaluation("evaluated-00", 1, "refusal", evaluator="refusal_detected", at=noon),
           evaluation("evaluated-01", 0, "ok", evaluator="refusal_detected", at=noon),
           evaluation("evaluated-other", 0, "missing", "other", at=noon)])
    done = printed(support, "eval-snapshot", "--date", noon[:10])
    assert done["status"] == "ok" and done["evaluators"] == 2
    day = json.loads(files(support, done["path"]).read_text())["evaluators"]
    assert day["citation_coverage"]["verdict_counts"] == {"missing": 3, "ok": 8, "timeout": 1}
    assert day["citation_coverage"]["mean_score"] == pytest.approx((2 * 0.1 + 8 * 0.9) / 11, abs=1e-6)
    assert day["refusal_detected"]["worst_traces"][0]["trace_id"] == "evaluated-00"
    assert day["citation_coverage"]["worst_traces"][0]["trace_id"] == "evaluated-other"
    program(support, "eval-snapshot", "--date", "2026-02-30", code=2)
    program(support, "eval-snapshot", "--dates", "x", code=2)
    assert "usage" in program(support, "eval-snapshot", "--help").stdout

    def trend(tenant):
        answer = support.get("/api/admin/evaluations/trends?evaluator=citation_coverage&days=2",
                             headers=token("admin", tenant))
        return {point["date"]: point for point in answer.json()["points"]}.get(noon[:10])

    support.sql("DELETE FROM trace_evaluations WHERE trace_id = 'evaluated-10'")
    assert trend("other") == {"date": noon[:10], "mean_score": 0.0, "runs": 1}
    assert trend("default")["runs"] == 11  # the operator sees all
    support.sql("DELETE FROM trace_evaluations WHERE tenant_id = 'other' AND trace_id = 'evaluated-other'")
    assert trend("default")["mean_score"] == pytest.approx(0.74) and trend("other") is None
    worst = support.get("/api/admin/evaluations/worst?evaluator=refusal_detected&limit=1", headers=token("admin"))
    assert worst.json()["items"][0]["score"] == 1
    for query in ("trends?evaluator=x&days=0", "trends?evaluator=x&days=366", "worst?evaluator=x&limit=0",
                  "worst?evaluator=x&limit=101"):
        assert support.get(f"/api/admin/evaluations/{query}", headers=token("admin")).status_code == 400


def test_questions_by_day_of_the_reader(support):
    """A question an hour before and one after midnight UTC are of one day for a reader two hours ahead."""
    midnight = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=2)
    now = datetime.now(timezone.utc)
    put(support, "traces", [
        trace("series-1", "series", now - midnight + timedelta(hours=1), final_quality=80, cost_usd=0.25),
        trace("series-2", "series", now - midnight - timedelta(hours=1), final_quality=None, final_route="human"),
        trace("series-3", "series", now - midnight - timedelta(hours=2), final_quality=91, cost_usd=0.5),
        trace("series-4", "series", now - midnight - timedelta(hours=2), origin="regression"),
        trace("series-5", "other-series", now - midnight)])

    def series(offset, days=5, tenant="series"):
        answer = support.get(f"/api/analytics/series?days={days}&offset_minutes={offset}", headers=token("agent", tenant))
        assert answer.status_code == 200, answer.text
        return {point.pop("date"): point for point in answer.json()["points"]}

    before, day = ((midnight + timedelta(days=at)).strftime("%Y-%m-%d") for at in (-1, 0))
    utc, east, west = series(0), series(120), series(-180)
    assert len(utc) == 5 and list(utc) == sorted(utc)
    none = {"questions": 0, "answered": 0, "handed_over": 0, "quality": None, "cost_usd": 0}
    assert utc[before] == {"questions": 1, "answered": 1, "handed_over": 0, "quality": 80, "cost_usd": 0.25}
    assert utc[day] == {"questions": 2, "answered": 1, "handed_over": 1, "quality": 91, "cost_usd": 0.5}
    assert east[day] == {"questions": 3, "answered": 2, "handed_over": 1, "quality": 85.5, "cost_usd": 0.75}
    assert east[before] == none
    assert west[before]["questions"] == 3 and west[day] == none
    assert sum(point["questions"] for point in series(0, 365, "nobody").values()) == 0
    for query in ("days=0", "days=366", "offset_minutes=841"):
        assert support.get(f"/api/analytics/series?{query}", headers=token("agent")).status_code == 422
    support.sql("DELETE FROM traces WHERE trace_id LIKE 'series-%'")


def test_evaluating_what_has_no_evaluations(support):
    put(support, "traces", [trace("bare-0001", answer="Two words. And [1]."), trace("bare-0002", origin="benchmark")])
    assert printed(support, "evaluate-traces", "--since", ago(hours=3))["evaluated"] == 1
    rows = support.sql("SELECT evaluator_name, score FROM trace_evaluations WHERE trace_id = 'bare-0001'"
                       " ORDER BY evaluator_name")
    assert len(rows) == 7 and ["citation_coverage", "0.5"] in rows
    assert printed(support, "evaluate-traces", "--since", ago(hours=3))["evaluated"] == 0
    assert printed(support, "evaluate-traces", "--since", ago(hours=3), "--force")["evaluated"] >= 1
    program(support, "evaluate-traces", "--since", "yesterday", code=2)
    # a length is strange beside those of other answers, not beside itself
    put(support, "traces", [trace(f"bare-1{i:03}", answer="A word. " * (5 + i % 3), answer_words=2 * (5 + i % 3),
                                  age=timedelta(hours=2)) for i in range(40)])
    put(support, "traces", [trace("bare-2000", answer="word " * 400, answer_words=400)])
    printed(support, "evaluate-traces", "--since", ago(hours=1, minutes=30))
    lengths = support.sql("SELECT score, verdict FROM trace_evaluations WHERE trace_id = 'bare-2000'"
                          " AND evaluator_name = 'answer_length_anomaly'")
    assert [(float(score), verdict) for score, verdict in lengths] == [(1.0, "anomaly")]
    support.sql("DELETE FROM trace_evaluations WHERE trace_id LIKE 'bare-%' OR trace_id LIKE 'evaluated-%'")
    support.sql("DELETE FROM traces WHERE trace_id LIKE 'bare-%' OR trace_id LIKE 'evaluated-%'")


def test_the_worst_answers(support):
    """Whatever 1 means, ties by time and then by name, failed evaluators never; the index gives that order, also on a
    server that knows nothing of the table yet."""
    faults = ("answer_length_anomaly", "language_mismatch", "pii_leak_suspicion", "refusal_detected")
    evaluators = (*faults, "citation_coverage", "retrieval_hit_rate", "tool_use_efficiency")
    support.sql("DELETE FROM trace_evaluations")
    names = [(f"worst-{i:02}", "other" if i % 3 == 0 else "default") for i in range(36)]
    put(support, "traces", [trace(name, tenant) for name, tenant in names])
    times = [ago(hours=hours) for hours in (30, 2, 1)]
    rows = [evaluation(name, (i * 7 + j) % 5 / 4, ("ok", "error", "timeout")[(i % 10 == 3) + 2 * (i % 10 == 8)], tenant,
                       evaluator, times[i * 5 % 3 if i % 2 else 1])
            for i, (name, tenant) in enumerate(names) for j, evaluator in enumerate(evaluators)]
    put(support, "trace_evaluations", rows)
    for evaluator in evaluators:
        order = sorted((row for row in rows if row["evaluator_name"] == evaluator and row["verdict"] == "ok"), key=lambda row: (
            -row["score"] if evaluator in faults else row["score"], row["evaluated_at"], row["trace_id"]))
        for tenant, limit in (("default", 100), ("default", 5), ("other", 100), ("other", 5)):
            answer = support.get(f"/api/admin/evaluations/worst?evaluator={evaluator}&limit={limit}",
                                 headers=token("admin", tenant))
            assert [(item["trace_id"], item["score"], item["evaluated_at"]) for item in answer.json()["items"]] == [
                (row["trace_id"], row["score"], row["evaluated_at"]) for row in order
                if tenant in ("default", row["tenant_id"])][:limit], evaluator
    source = (CHECKOUT / "common/support/traces/trace_store.c").read_text()
    told = {name: text.replace("\\\n", " ") for name, text in re.findall(r"^#define (\w+)((?:.*\\\n)*.*)", source, re.M)}
    where = "".join(re.findall(r'"([^"]*)"', told["WORST"].replace("GOODNESS", told["GOODNESS"])))
    for tenant, index in (("tenant_id = 'default' AND", "trace_evaluations_worst_of_tenant"), ("", "trace_evaluations_worst")):
        statement = f"SELECT * FROM trace_evaluations WHERE {tenant}{where}".replace("?", "'refusal_detected'", 1).replace("?", "100")
        plan = str(support.sql(("EXPLAIN " if support.engine == "postgres" else "EXPLAIN QUERY PLAN ") + statement))
        assert re.search(rf"\b{index}\b", plan) and "Sort" not in plan and "TEMP B-TREE" not in plan, plan
    support.sql("DELETE FROM trace_evaluations")
    support.sql("DELETE FROM traces WHERE trace_id LIKE 'worst-%'")


def iso_week(moment):
    year, week, _ = moment.isocalendar()
    return f"{year}-W{week:02}"


def test_what_to_improve_next(support):
    """Golden: three bad verdicts, four slow answers and a gap asked for twice, two hours old, have the priorities
    8.89, 5.93 and 3.95: one critical, one high, one medium."""
    now = datetime.now(timezone.utc)
    two_hours = timedelta(hours=2)
    this_week, next_week = iso_week(now - two_hours), iso_week(now + timedelta(days=7))
    put(support, "traces", [trace(f"bad-{i:04}", age=two_hours, question="Why is my | parcel so late, again and again?",
                                  duration_ms=20000.0 if i < 4 else 100.0) for i in range(40)])
    put(support, "traces", [trace("foreign-0001", "other", age=two_hours, categories='["billing"]')])
    put(support, "review_queue", [case(f"bad-{i:04}", "confirmed_bad", age=two_hours) for i in range(3)])
    put(support, "review_queue", [case("foreign-0001", "confirmed_bad", "other", age=two_hours)])
    put(support, "knowledge_gaps", [{"tenant_id": "default", "cluster_id": "c1", "topic_summary": "Missing topic: paint",
                                     "sample_questions": '["Which paint?"]', "question_count": 2,
                                     "created_at": ago(hours=2)}])
    put(support, "feedback", [{"tenant_id": "default", "trace_id": "bad-0009", "session_id": "s", "rating": "down",
                               "reason": "", "linked": 1, "ts": ago(hours=2)}])
    put(support, "eval_results", [{"created_at": at, "tenant_id": "all", "metric_name": "faithfulness", "value": value,
                                   "sample_size": 50, "drift_alert": 0, "kind": "nightly"}
                                  for at, value in ((ago(hours=2), 0.5), (ago(hours=2), 0.4), (ago(days=7, hours=2), 0.9))])
    made = printed(support, "backlog-generate", "--week", this_week)
    items = {(item["source"], item["tenant_id"]): item for item in made["items"]}
    assert [items[key]["priority"] for key in (("review", "default"), ("slow_trace", "default"), ("kb_gap", "default"))] \
        == [8.89, 5.93, 3.95]
    assert items["review", "default"]["title"] == "Why is my | parcel so" and ("thumbs_down", "default") not in items
    assert items["review", "default"]["trace_ids"] == [f"bad-{i:04}" for i in range(3)]
    assert items["slow_trace", "default"]["details"] == {"p95_ms": 20000.0, "threshold_ms": 10000}
    assert [item["priority"] for item in made["items"]] == sorted((item["priority"] for item in made["items"]), reverse=True)
    drift = items["evaluator_drift", "all"]  # of everybody's answers: shown to the operator alone
    assert drift["details"] == {"current_mean": 0.45, "previous_mean": 0.9, "drop_pct": 50.0} and drift["frequency"] == 2
    report = files(support, f"reports/improvement_backlog/{this_week}.md").read_text()
    critical, high = report.index("## Priority 1"), report.index("## Priority 2")
    assert critical < report.index("### [review] Why is my \\| parcel") < high < report.index("### [slow_trace] /api/ask")
    # Each tenant sees its own; the week is kept, not computed anew.
    mine, theirs = (support.get("/api/admin/improvement-backlog/current", headers=token("admin", tenant)).json()
                    for tenant in ("default", "other"))
    assert {item["tenant_id"] for item in mine["items"]} <= {"default", "all"} and mine["generated_at"] == made["generated_at"]
    assert theirs["items"] == [] or {item["tenant_id"] for item in theirs["items"]} == {"other"}
    assert "parcel" not in json.dumps(theirs) and "faithfulness" not in json.dumps(theirs)
    own = printed(support, "backlog-generate", "--week", this_week, "--tenant", "other")
    assert own["tenant"] == "other" and "parcel" not in json.dumps(own) and "faithfulness" not in json.dumps(own)
    support.sql("DELETE FROM eval_results")
    assert printed(support, "backlog-generate", "--week", next_week, "--tenant", "third")["summary"]["items"] == 0
    weeks = support.get(f"/api/admin/improvement-backlog/archive?year={this_week[:4]}", headers=token("admin")).json()
    assert [week["week"] for week in weeks["weeks"]] == [this_week]
    for name in ("2019-W17.md", "2019-W18.md", "2018-W52.md", "2019-notes.md"):
        files(support, f"reports/improvement_backlog/{name}").write_text("# kept\n")
    weeks = support.get("/api/admin/improvement-backlog/archive?year=2019", headers=token("admin")).json()["weeks"]
    assert [week["week"] for week in weeks] == ["2019-W18", "2019-W17"]
    assert support.get("/api/admin/improvement-backlog/archive?year=1999", headers=token("admin")).json() == {"weeks": []}
    for week in ("2026-W54", "2025-W53", "week"):
        program(support, "backlog-generate", "--week", week, code=2)
    for table, where in (("review_queue", "1 = 1"), ("feedback", "trace_id LIKE 'bad-%'"), ("knowledge_gaps", "1 = 1"),
                         ("traces", "trace_id LIKE 'bad-%' OR trace_id LIKE 'foreign-%'")):
        support.sql(f"DELETE FROM {table} WHERE {where}")


def test_a_night_of_answers_and_its_drift(support):
    """Nothing is kept of fewer than ten answers; a value a tenth below the week's is told by the alert checker."""
    support.sql("DELETE FROM traces")
    put(support, "traces", [trace(f"night-{i:04}", question="How long is the warranty?",
                                  answer="The warranty lasts 24 months. Bananas grow quickly.") for i in range(9)])
    assert printed(support, "nightly-eval") == {"status": "skipped", "sample_size": 9}
    assert support.sql("SELECT count(*) FROM eval_results") == [["0"]]
    put(support, "traces", [trace(f"night-{i:04}", question="How long is the warranty?",
                                  answer="The warranty lasts 24 months. Bananas grow quickly.") for i in range(10, 13)])
    put(support, "traces", [trace("night-human", final_route="human"), trace("night-again", origin="regression")])
    put(support, "trace_docs", [{"trace_id": f"night-{i:04}", "ref": ref, "doc_id": "d", "title": "t",
                                 "page_content": text, "metadata": "{}"}
                                for i in list(range(9)) + list(range(10, 13)) for ref, text in enumerate(
                                    ("Our warranty lasts for 24 months from purchase.", "Error E20 means the drain is blocked."))])
    put(support, "eval_results", [{"created_at": ago(days=2), "tenant_id": "all", "metric_name": "faithfulness",
                                   "value": 0.9, "sample_size": 50, "drift_alert": 0, "kind": "nightly"}])
    done = printed(support, "nightly-eval")
    assert done["sample_size"] == 12
    assert done["results"] == {"faithfulness": 0.5, "context_precision": 0.25, "answer_relevancy": 0.5}
    assert done["drift"]["faithfulness"] == 0.4444 and done["drift"]["context_precision"] == 0
    assert samples(support.get("/metrics").text)['rag_eval_drift{metric_name="faithfulness"}'] == 0.4444
    assert "Eval drift on faithfulness" in program(support, "alert-check", "--dry-run").stdout \
        or "eval_drift" in program(support, "alert-check", "--dry-run").stdout
    support.sql("DELETE FROM eval_results")
    assert "eval_drift" not in program(support, "alert-check", "--dry-run").stdout
    support.sql("DELETE FROM traces WHERE trace_id LIKE 'night-%'")


def test_citations_decay_with_their_documents(support):
    """A sentence that merely moves stands; one that is rewritten, or whose document goes, flags the answer within a
    minute, makes a case of it, and makes a curated case stale."""
    text = "# Shipping\n\nParcels leave the store within two days.\n\nAn express parcel costs nine euros more.\n"

    def upload(body, tenant="default"):
        answer = support.send("POST", "/api/upload", headers=token("agent", tenant),
                              files={"file": ("shipping.md", body.encode())})
        assert answer.status_code == 200

    def look():
        assert "status" in printed(support, "support-retention")  # what one that stays does in each of its rounds

    def changed(tenant="default"):
        look()
        return support.get("/api/admin/citations/changed", headers=token("reviewer", tenant)).json()["items"]

    upload(text)
    upload(text, "other")
    leave = ask(support, "When do parcels leave the store?")
    express = ask(support, "How much more does an express parcel cost?")
    theirs = ask(support, "When do parcels leave the store?", "other")
    spans = support.sql("SELECT trace_id, doc_id, span FROM cited_spans ORDER BY cited_at, place")
    assert {row[0] for row in spans} >= {leave["trace_id"], express["trace_id"], theirs["trace_id"]}
    assert "Parcels leave the store within two days." in [row[2] for row in spans]
    put(support, "review_queue", [case(express["trace_id"], "confirmed_good")])
    # The sentences change places, and the layout changes: nothing decays.
    upload("# Shipping\n\n- An express parcel costs  nine euros more.\n- Parcels leave the store within two days.\n")
    assert changed() == []
    upload("# Shipping\n\nParcels leave the store within three days.\n\nAn express parcel costs nine euros more.\n")
    [item] = changed()
    assert item["trace_id"] == leave["trace_id"] and item["span"] == "Parcels leave the store within two days."
    [waiting] = support.sql(f"SELECT status, reason FROM review_queue WHERE trace_id = '{leave['trace_id']}'")
    assert waiting == ["pending", "manual"] and changed("other") == []
    path = f"/api/admin/citations/changed/{leave['trace_id']}/review"
    assert support.send("POST", path, headers=token("reviewer", "other")).status_code == 404
    assert support.send("POST", path, headers=token("reviewer")).status_code == 200 and changed() == []
    assert support.send("DELETE", "/api/documents/shipping.md", headers=token("admin")).status_code == 200
    assert changed()[0]["trace_id"] == express["trace_id"]
    assert support.sql("SELECT status, staleness_reason FROM curated_case_status") == \
        [["stale_needs_review", "citation_changed"]]
    assert changed("other") == []


def test_topics_asked_for_in_vain(support):
    """Five questions alike are a gap; the next run brings it up to date; a filled one is left alone."""
    support.sql("DELETE FROM traces")
    asked = ["How do I return an item?", "How to return an order item?", "Where do I return my item?",
             "Can I return this item?", "Return an item please"]
    put(support, "traces", [trace(f"gap-{i:04}", question=asked[i % 5], knowledge_gap=1) for i in range(5)]
        + [trace(f"gap-{i:04}", "other", question=asked[i % 5], knowledge_gap=1) for i in range(5, 9)])
    assert printed(support, "kb-gaps") == {"status": "ok", "questions": 9, "gaps_created": 1, "gaps_updated": 0}
    put(support, "traces", [trace("gap-0009", question="Is the return of an item free?", knowledge_gap=1)])
    assert printed(support, "kb-gaps") == {"status": "ok", "questions": 10, "gaps_created": 0, "gaps_updated": 1}
    [gap] = support.get("/api/admin/kb-gaps", headers=token("admin")).json()["gaps"]
    assert gap["question_count"] == 6 and len(gap["sample_questions"]) == 3
    assert gap["topic_summary"].startswith("Missing topic: return, item") and gap["resolved_at"] is None
    assert support.get("/api/admin/kb-gaps", headers=token("admin", "other")).json()["gaps"] == []
    path = f"/api/admin/kb-gaps/{gap['id']}/resolve"
    assert support.send("POST", path, headers=token("admin", "other")).status_code == 404
    assert support.send("POST", "/api/admin/kb-gaps/first/resolve", headers=token("admin")).status_code == 404
    assert support.send("POST", path, headers=token("admin")).status_code == 200
    assert support.get("/api/admin/kb-gaps", headers=token("admin")).json()["gaps"][0]["resolved_at"]
    assert printed(support, "kb-gaps")["gaps_created"] == 1
