"""Evaluators are held against the reviewers, on both engines: which answers are chosen for review, how far each
evaluator agrees, and one that is no use is switched off."""
import json

import pytest

from people import People
from service import ENGINES, Service
from support_admin_test import token
from support_review_test import ENV, judge, program, queue, stamp, trace

pytestmark = pytest.mark.both_engines

QUEUE, EVALUATORS = "/api/admin/review-queue", "/api/admin/evaluators"
GOOD = {"citation_coverage": (1, "ok"), "answer_length_anomaly": (0, "ok"), "retrieval_hit_rate": (1, "ok"),
        "tool_use_efficiency": (1, "efficient"), "refusal_detected": (0, "ok"), "pii_leak_suspicion": (0, "ok"),
        "language_mismatch": (0, "ok")}


@pytest.fixture(scope="module", params=ENGINES)
def service(request):
    with Service("support", {**ENV, "EVALUATOR_MIN_CASES": "20"}, request.param) as service:
        People(service.stack).add("judge@example.com", key="0d7f-judge", support="reviewer")
        yield service


@pytest.fixture
def support(service):
    for table in ("review_queue", "trace_evaluations", "trace_steps", "traces", "feedback", "kv_cache", "evaluator_switches"):
        service.sql(f"DELETE FROM {table}")
    return service


def evaluated(service, name, tenant="default", quality=100, facts=100, age=0, origin="live", **scores):
    """An answer with its evaluations; `scores` are those that differ from a good answer."""
    trace(service, name, tenant=tenant, quality=quality, facts=facts, age=age, origin=origin)
    rows = ", ".join(f"('{name}', '{tenant}', '{evaluator}', {score}, '{verdict}', '{{}}', '{stamp(age)}')"
                     for evaluator, (score, verdict) in {**GOOD, **scores}.items())
    service.sql("INSERT INTO trace_evaluations (trace_id, tenant_id, evaluator_name, score, verdict, metadata,"
                f" evaluated_at) VALUES {rows}")


def choose(service, role="reviewer", tenant="default", code=200, **body):
    answer = service.post(f"{QUEUE}/choose", body, headers=token(role, tenant))
    assert answer.status_code == code, answer.text
    return answer.json()


def put(service, path, body, headers):
    return service.send("PUT", path, json=body, headers=headers)


def report(service, tenant="default"):
    answer = service.get(EVALUATORS, headers=token("reviewer", tenant))
    assert answer.status_code == 200, answer.text
    return {**answer.json(), **{row["name"]: row for row in answer.json()["evaluators"]}}


def drawn_and_judged(service, cases):
    """Cases drawn at random with their verdicts: [(name, verdict)]."""
    for name, verdict in cases:
        service.sql("INSERT INTO review_queue (trace_id, tenant_id, reason, status, created_at, drawn, chosen) VALUES"
                    f" ('{name}', 'default', 'manual', 'confirmed_{verdict}', '{stamp()}', 1, 'random')")


def test_cases_are_drawn_at_random_and_where_evaluators_are_not_sure(support):
    for at in range(12):
        evaluated(support, f"trace-sure-{at:02}")
    evaluated(support, "trace-limit", quality=78)  # 2 points below the limit of 80
    evaluated(support, "trace-split", citation_coverage=(0, "missing"), retrieval_hit_rate=(0, "low"),
              refusal_detected=(1, "refusal"), language_mismatch=(1, "mismatch"))
    evaluated(support, "trace-other", tenant="other", quality=80)
    evaluated(support, "trace-tried", quality=80, origin="regression")
    evaluated(support, "trace-old", quality=80, age=40)
    trace(support, "trace-small-talk")  # nothing evaluated it
    assert choose(support, random=0, unsure=1) == {"drawn": 0, "unsure": 1, "estimated": 0}
    assert choose(support, random=0, unsure=5) == {"drawn": 0, "unsure": 1, "estimated": 0}
    first, second = queue(support, order="unsure")["items"]
    assert (first["trace_id"], second["trace_id"]) == ("trace-limit", "trace-split")
    assert (first["chosen"], first["drawn"], first["doubt_kind"]) == ("unsure", False, "near_limit")
    assert first["doubt_about"] == ["quality"] and first["doubt"] == 0.9
    assert second["doubt_kind"] == "disagreement" and second["doubt"] == pytest.approx(8 / 9, abs=1e-4)
    assert second["doubt_about"] == ["citation_coverage", "retrieval_hit_rate", "refusal_detected", "language_mismatch"]
    # newest first as before, without the order
    assert [row["trace_id"] for row in queue(support)["items"]] == ["trace-split", "trace-limit"]
    assert queue(support, drawn="true")["items"] == []
    assert choose(support, random=100, unsure=0) == {"drawn": 14, "unsure": 0, "estimated": 0}
    rows = queue(support, limit=50)["items"]
    assert len(rows) == 14 and all(row["drawn"] for row in rows)
    assert queue(support, drawn="true", limit=50)["count"] == 14
    assert {row["chosen"] for row in rows if row["trace_id"].startswith("trace-sure")} == {"random"}
    assert choose(support)["drawn"] == 0, "each answer is drawn once"
    assert queue(support, "other")["items"] == []
    support.run("review-build", "--choose")
    assert [row["trace_id"] for row in queue(support, "other")["items"]] == ["trace-other"]


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_chosen_without_a_queue(engine):
    with Service("support", {**ENV, "REVIEW_QUEUE_ENABLED": "false"}, engine) as service:
        assert choose(service, code=404)["detail"] == "review queue disabled"
        assert program(service, "review-build", "--choose")["status"] == "disabled" and not service.sql("SELECT 1 FROM review_queue")


def test_a_draw_is_uniform(support):
    for at in range(8):
        evaluated(support, f"trace-{at:04}", quality=100 if at else 80)
    seen = set()
    for _ in range(60):
        support.sql("DELETE FROM review_queue")
        assert choose(support, random=2, unsure=0)["drawn"] == 2
        seen.update(row["trace_id"] for row in queue(support)["items"])
    assert len(seen) == 8  # (6/8)^60 for each one to be missed


def test_waiting_cases_get_their_doubt_and_keep_their_reason(support):
    evaluated(support, "trace-weak", quality=70)
    evaluated(support, "trace-poor", quality=10)
    assert program(support, "review-build") == {"status": "ok", "matched": 2, "inserted": 2, "upgraded": 0}
    weak, poor = queue(support, order="unsure", status="pending")["items"]
    assert (weak["trace_id"], weak["reason"], weak["chosen"]) == ("trace-weak", "low_quality", None)
    assert weak["doubt"] == 0.5 and 0 < poor["doubt"] < 0.5
    evaluated(support, "trace-near", quality=80)
    assert program(support, "review-build", "--choose") == {
        "status": "ok", "matched": 2, "inserted": 0, "upgraded": 0, "drawn": 3, "unsure": 0}
    # a sign that comes later is the reason, and the case stays in the sample
    near, = (row for row in queue(support)["items"] if row["trace_id"] == "trace-near")
    assert (near["reason"], near["chosen"]) == ("manual", "random")
    support.sql("INSERT INTO feedback (tenant_id, trace_id, session_id, rating, reason, linked, ts) VALUES"
                f" ('default', 'trace-near', 's', 'down', '', 1, '{stamp()}')")
    assert program(support, "review-build")["upgraded"] == 1
    near, = (row for row in queue(support)["items"] if row["trace_id"] == "trace-near")
    assert (near["reason"], near["drawn"]) == ("thumbs_down", True)
    assert support.post(f"{QUEUE}/choose", {"days": 0}, headers=token("reviewer")).status_code == 422
    assert support.post(f"{QUEUE}/choose", {}, headers=token("agent")).status_code == 403


def test_agreement_counts_drawn_cases_only(support):
    assert report(support)["citation_coverage"] == {
        "name": "citation_coverage", "active": True, "can_switch": True, "status": "too_few", "cases": 0,
        "missing": 20, "both_bad": 0, "evaluator_only": 0, "reviewer_only": 0, "both_good": 0, "observed": None,
        "kappa": None, "kappa_low": None, "kappa_high": None, "advice": None, "switched_off_at": None,
        "switched_off_by": None}
    cases = []
    for at in range(40):  # coverage is right in 36 of 40, refusals are found by chance, nothing leaks data
        bad, wrong = at < 20, at % 10 == 0
        low, refuses = bad != wrong, at % 2 == 0
        evaluated(support, f"trace-{at:04}", quality=50 if bad else 95,
                  citation_coverage=(0.25, "partial") if low else (1, "ok"),
                  refusal_detected=(1, "refusal") if refuses else (0, "ok"),
                  language_mismatch=(0, "low_confidence"))
        cases.append((f"trace-{at:04}", "bad" if bad else "good"))
    drawn_and_judged(support, cases)
    evaluated(support, "trace-reported", citation_coverage=(0, "missing"))  # not drawn: does not count
    support.sql("INSERT INTO review_queue (trace_id, tenant_id, reason, status, created_at) VALUES"
                f" ('trace-reported', 'default', 'thumbs_down', 'confirmed_good', '{stamp()}')")
    found = report(support)
    assert (found["drawn_judged"], found["drawn_waiting"], found["cases_min"]) == (40, 0, 20)
    coverage = found["citation_coverage"]
    assert [coverage[name] for name in ("both_bad", "evaluator_only", "reviewer_only", "both_good")] == [18, 2, 2, 18]
    assert (coverage["status"], coverage["kappa"], coverage["observed"]) == ("measured", 0.8, 0.9)
    assert 0.5 < coverage["kappa_low"] < 0.8 < coverage["kappa_high"] <= 1 and coverage["advice"] is None
    assert found["quality"]["kappa"] == 1 and found["quality"]["can_switch"] is False
    assert (found["pii_leak_suspicion"]["status"], found["pii_leak_suspicion"]["kappa"]) == ("one_sided", None)
    assert found["language_mismatch"]["cases"] == 0, "an evaluator that does not know says nothing"
    assert found["refusal_detected"]["kappa"] == 0 and found["refusal_detected"]["kappa_high"] > 0.2
    assert found["refusal_detected"]["advice"] is None, "its interval still holds a use"
    assert report(support, "other")["drawn_judged"] == 0


def test_a_useless_evaluator_is_switched_off_and_on_again(support):
    cases = []
    for at in range(40):  # hit rate says the opposite of the reviewers
        bad = at < 20
        evaluated(support, f"trace-{at:04}", retrieval_hit_rate=(1, "ok") if bad else (0.2, "partial"))
        cases.append((f"trace-{at:04}", "bad" if bad else "good"))
    drawn_and_judged(support, cases)
    assert report(support)["retrieval_hit_rate"]["advice"] == "switch_off"
    path, admin = f"{EVALUATORS}/retrieval_hit_rate", token("admin")
    assert put(support, path, {"active": False}, headers=token("reviewer")).status_code == 403
    assert put(support, f"{EVALUATORS}/quality", {"active": False}, headers=admin).status_code == 404
    assert put(support, path, {}, headers=admin).status_code == 422
    trends = "/api/admin/evaluations/trends?evaluator=retrieval_hit_rate"
    worst = "/api/admin/evaluations/worst?evaluator=retrieval_hit_rate"
    assert support.get(trends, headers=admin).json()["points"] and support.get(worst, headers=admin).json()["items"]
    off = put(support, path, {"active": False}, headers=admin)
    assert off.status_code == 200 and off.json()["active"] is False and off.json()["advice"] is None
    assert off.json()["switched_off_at"] and off.json()["switched_off_by"]
    assert put(support, path, {"active": False}, headers=admin).json()["active"] is False  # twice is no fault
    assert report(support)["retrieval_hit_rate"]["kappa"] == -1, "its measure stays to be read"
    assert support.get(trends, headers=admin).json()["points"] == []
    assert support.get(worst, headers=admin).json()["items"] == []
    assert evaluators_of_next_answer(support) == sorted(set(GOOD) - {"retrieval_hit_rate"})
    # other tenants keep theirs
    assert report(support, "other")["retrieval_hit_rate"]["active"] is True
    on = put(support, path, {"active": True}, headers=admin)
    assert on.json()["active"] is True and on.json()["advice"] == "switch_off"
    assert support.get(trends, headers=admin).json()["points"]
    assert evaluators_of_next_answer(support) == sorted(GOOD)
    entries = support.sql("SELECT action, resource, detail FROM audit_log WHERE action = 'evaluator_switch' ORDER BY id")
    assert [(target, json.loads(detail)) for _, target, detail in entries] == [
        ("evaluator:retrieval_hit_rate", {"active": False}), ("evaluator:retrieval_hit_rate", {"active": True})]


def evaluators_of_next_answer(service):
    answer = service.post("/api/ask", {"question": "How do I reset the blue router after a storm?"}, headers=token("user"))
    assert answer.status_code == 200, answer.text
    rows = service.sql(f"SELECT evaluator_name FROM trace_evaluations WHERE trace_id = '{answer.json()['trace_id']}'")
    service.sql(f"DELETE FROM trace_evaluations WHERE trace_id = '{answer.json()['trace_id']}'")
    service.sql("DELETE FROM kv_cache")
    return sorted(name for name, in rows)


def test_what_is_off_gives_no_doubt(support):
    evaluated(support, "trace-half", citation_coverage=(0.5, "partial"))
    assert put(support, f"{EVALUATORS}/citation_coverage", {"active": False}, headers=token("admin")).status_code == 200
    assert choose(support, random=0, unsure=5)["unsure"] == 0
    put(support, f"{EVALUATORS}/citation_coverage", {"active": True}, headers=token("admin"))
    assert choose(support, random=0, unsure=5)["unsure"] == 1


def test_verdicts_make_the_agreement(support):
    """From the draw to kappa over the routes alone."""
    for at in range(24):
        evaluated(support, f"trace-{at:04}", quality=40 if at % 3 == 0 else 95)
    assert choose(support, random=100, unsure=0)["drawn"] == 24
    found = report(support)
    assert (found["drawn_judged"], found["drawn_waiting"]) == (0, 24)
    for row in queue(support, limit=50)["items"]:
        verdict = "confirmed_bad" if int(row["trace_id"][-4:]) % 3 == 0 else "confirmed_good"
        assert judge(support, row["id"], verdict).status_code == 200
    found = report(support)
    assert (found["drawn_judged"], found["drawn_waiting"]) == (24, 0)
    assert (found["quality"]["status"], found["quality"]["kappa"], found["quality"]["kappa_low"]) == ("measured", 1, 1)
