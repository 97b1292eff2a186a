"""POST /api/v1/design: the report on a whole design."""

import copy
import random

import pytest

from client import LANGUAGES
from openapi import at

DESIGN = {
    "project": {"project_name": "Checkout", "domain": "shop", "product_type": "web", "platform": "web", "market": "DE",
                "project_description": ""},
    "hypothesis": {"change_description": "LARGER Button", "target_audience": "new visitors", "business_problem": "carts",
                   "hypothesis_statement": "found sooner", "what_to_validate": "conversion", "desired_result": "orders"},
    "setup": {"experiment_type": "ab", "randomization_unit": "user", "traffic_split": [50, 50],
              "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "variants_count": 2,
              "inclusion_criteria": "all", "exclusion_criteria": "staff"},
    "metrics": {"primary_metric_name": "orders", "metric_type": "binary", "baseline_value": 0.042, "mde_pct": 5,
                "alpha": 0.05, "power": 0.8},
    "constraints": {"seasonality_present": False, "active_campaigns_present": False, "returning_users_present": True,
                    "interference_risk": "", "technical_constraints": "", "legal_or_ethics_constraints": "",
                    "known_risks": "", "deadline_pressure": "", "long_test_possible": True},
}
RATIO = {"metric_type": "ratio", "baseline_value": 0.05, "std_dev": 0.09, "numerator_metric_name": "clicks",
         "denominator_metric_name": "views"}
KEYS = ["executive_summary", "calculations", "experiment_design", "metrics_plan", "guardrail_metrics", "risks",
        "recommendations", "open_questions"]


def design(**blocks):
    made = copy.deepcopy(DESIGN)
    for block, members in blocks.items():
        made.setdefault(block, {}).update(members)
    return made


def ask(api, **blocks):
    return api.post("/api/v1/design", design(**blocks))


def flat(body):
    """What /calculate takes, out of the blocks."""
    names = ("metric_type", "baseline_value", "std_dev", "exposure_per_user", "cuped_pre_experiment_std", "mde_pct",
             "cuped_correlation", "planned_test", "equivalence_margin_pct", "alpha", "power", "expected_daily_traffic",
             "audience_share_in_test", "traffic_split", "variants_count", "avg_cluster_size", "icc", "n_looks",
             "analysis_mode", "desired_precision", "credibility", "holdout_fraction", "mutually_exclusive_experiments",
             "randomization_unit", "seasonality_present", "active_campaigns_present", "long_test_possible")
    blocks = {**body["setup"], **body["metrics"], **body["constraints"]}
    return {name: blocks[name] for name in names if name in blocks}


class TestReport:
    def test_golden(self, api):
        reply = ask(api).json()
        assert list(reply) == KEYS
        verified = ("verified_power", "verified_sample_size", "allocation")  # beside the contract's figures
        assert tuple(reply["calculations"])[:3] == verified
        assert {k: v for k, v in reply["calculations"].items() if k not in ("assumptions", *verified)} == {
            "sample_size_per_variant": 146642, "total_sample_size": 293284, "estimated_duration_days": 41,
            "design_effect": None, "clusters_per_variant": None}
        block = reply["experiment_design"]
        assert block["variants"] == [{"name": "A", "description": "Current experience"},
                                     {"name": "B", "description": "LARGER Button"}]
        assert {k: block[k] for k in ("randomization_unit", "traffic_split", "target_audience", "inclusion_criteria",
                                      "exclusion_criteria", "recommended_duration_days")} == {
            "randomization_unit": "user", "traffic_split": [50, 50], "target_audience": "new visitors",
            "inclusion_criteria": "all", "exclusion_criteria": "staff", "recommended_duration_days": 41}
        assert reply["metrics_plan"] == {"primary": ["orders"], "secondary": [], "guardrail": [], "diagnostic": [
            "assignment_rate", "exposure_balance", "orders_by_segment"]}
        assert reply["guardrail_metrics"] == []

    def test_number_of_lines(self, api):
        reply = ask(api).json()
        assert len(reply["experiment_design"]["stopping_conditions"]) == 2 and len(reply["open_questions"]) == 2
        assert {k: len(v) for k, v in reply["risks"].items()} == {
            "statistical": 1, "product": 1, "technical": 1, "operational": 1}
        assert {k: len(v) for k, v in reply["recommendations"].items()} == {
            "before_launch": 1, "during_test": 2, "after_test": 2}

    @pytest.mark.parametrize("blocks", [
        {}, {"setup": {"variants_count": 4, "traffic_split": [4, 1, 1, 1]}, "constraints": {"n_looks": 5}},
        {"setup": {"randomization_unit": "cluster", "avg_cluster_size": 20, "icc": 0.05}},
        {"metrics": {"metric_type": "continuous", "baseline_value": 100, "std_dev": 20}, "constraints": {
            "holdout_fraction": 0.1, "mutually_exclusive_experiments": 3, "analysis_mode": "bayesian",
            "desired_precision": 1}},
        {"metrics": RATIO}, {"metrics": {"metric_type": "count", "baseline_value": 0.3, "mde_pct": 20}},
        {"metrics": {"baseline_value": 0.2, "mde_pct": 100, "planned_test": "fisher_exact"}},
        {"constraints": {"seasonality_present": True, "active_campaigns_present": True, "long_test_possible": False},
         "setup": {"expected_daily_traffic": 300}, "metrics": {"power": 0.75}}])
    def test_figures_are_those_of_calculate(self, api, blocks):
        reply, sized = ask(api, **blocks).json(), api.post("/api/v1/calculate", flat(design(**blocks))).json()
        figures = reply["calculations"]
        for name in ("sample_size_per_variant", "total_sample_size", "estimated_duration_days"):
            assert figures[name] == sized["results"][name]
        for name in ("assumptions", "design_effect", "clusters_per_variant"):
            assert figures[name] == sized[name]
        messages = [w["message"] for w in sized["warnings"]]
        assert reply["risks"]["statistical"] == messages or (
            messages == [] and reply["risks"]["statistical"] == ["The checks found no major statistical risk."])

    def test_what_people_wrote(self, api):
        reply = ask(api, constraints={"technical_constraints": "old apps", "known_risks": "holidays"},
                    metrics={"secondary_metrics": ["basket", "visits"]}, project={"market": ""}).json()
        assert reply["risks"]["technical"] == ["old apps"] and reply["risks"]["operational"] == ["holidays"]
        assert reply["metrics_plan"]["secondary"] == ["basket", "visits"]
        assert "orders" in reply["risks"]["product"][0]

    def test_report_can_be_kept(self, api):
        """The shape that projects keep is the shape that is answered."""
        document = api.document
        kept = document.component("AnalysisReportInput") if "AnalysisReportInput" in document.spec["components"][
            "schemas"] else document.component("AnalysisReport")
        assert document.problems(kept, ask(api).json()) == []

    def test_longest_texts(self, api):
        reply = ask(api, hypothesis={"change_description": "É" * 100_000}, project={"project_name": "\"<>&{{market}}"})
        assert reply.status == 200 and "é" * 100_000 in reply.json()["executive_summary"]
        assert '"<>&{{market}}' in reply.json()["executive_summary"]


class TestLanguages:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_words(self, api, language):
        english, reply = ask(api).json(), ask(api.with_headers({"Accept-Language": language})).json()
        places = [("executive_summary",), ("experiment_design", "stopping_conditions"), ("risks",), ("recommendations",),
                  ("open_questions",), ("experiment_design", "variants", 0, "description"), ("metrics_plan", "diagnostic")]
        for place in places:
            assert (at(reply, place) == at(english, place)) == (language == "en"), place
        assert reply["calculations"] == english["calculations"], "assumptions are English"
        for part in ("Checkout", "new visitors", "orders", "41", "146,642"):
            assert part in reply["executive_summary"]
        assert ("larger button" if language == "en" else "LARGER Button") in reply["executive_summary"]

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_a_summary_has_no_gaps(self, api, language):
        reply = ask(api.with_headers({"Accept-Language": language}), hypothesis={"target_audience": ""}).json()
        assert "146,642" in reply["executive_summary"] and "  " not in reply["executive_summary"]
        assert "orders" not in reply["executive_summary"]

    def test_leads_with_the_users_of_the_actual_split(self, api):
        reply = ask(api, setup={"traffic_split": [90, 10]}).json()
        figures, allocation = reply["calculations"], reply["calculations"]["allocation"]
        assert allocation["total_ratio"] > 2 and figures["sample_size_per_variant"] == 146642
        assert "{:,} / {:,}".format(*allocation["verified_users_per_variant"]) in reply["executive_summary"]
        assert reply["experiment_design"]["recommended_duration_days"] == allocation["verified_duration_days"]

    def test_leads_with_the_verified_size_where_the_formula_is_off(self, api):
        reply = ask(api, metrics={"metric_type": "count", "baseline_value": .05, "mde_pct": 100}).json()
        figures = reply["calculations"]
        assert figures["verified_sample_size"] > 1.01 * figures["sample_size_per_variant"]
        assert f'{figures["verified_sample_size"]:,}' in reply["executive_summary"]

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_guardrail_notes(self, api, language):
        guards = [{"name": "errors", "metric_type": "binary", "baseline_rate": 2.4}]
        reply = ask(api.with_headers({"Accept-Language": language}), metrics={"guardrail_metrics": guards, "power": 0.9})
        note = reply.json()["guardrail_metrics"][0]["note"]
        n = reply.json()["calculations"]["sample_size_per_variant"]
        assert f"{n:,}" in note and "90" in note and "0." in note


class TestGuardrails:
    def guard(self, api, guards, **metrics):
        return ask(api, metrics={"guardrail_metrics": guards, **metrics}).json()["guardrail_metrics"]

    def test_golden(self, api):
        rate, mean = self.guard(api, [
            {"name": "errors", "metric_type": "binary", "baseline_rate": 2.4},
            {"name": "seconds", "metric_type": "continuous", "baseline_mean": 40, "std_dev": 6.5}])
        assert (rate["name"], rate["metric_type"], rate["baseline"]) == ("errors", "binary", 2.4)
        assert (rate["detectable_mde_pp"], rate["detectable_mde_absolute"]) == (0.161, None)
        assert rate["note"] == ("With 146,642 users per variant, a harmful change of 0.161 pp is detected with 80% power.")
        assert (mean["baseline"], mean["detectable_mde_pp"], mean["detectable_mde_absolute"]) == (40.0, None, 0.0673)
        assert "0.0673" in mean["note"]

    def test_direction(self, api):
        up, down = self.guard(api, [{"name": str(i), "metric_type": "binary", "baseline_rate": 2.4, "direction": direction}
                                    for i, direction in enumerate(("increase_is_bad", "decrease_is_bad"))])
        assert down["detectable_mde_pp"] < up["detectable_mde_pp"]

    def test_nothing_detectable(self, api):
        [guard] = self.guard(api, [{"name": "uptime", "metric_type": "binary", "baseline_rate": 99.2}],
                             metric_type="continuous", baseline_value=1000, std_dev=100)
        assert guard["detectable_mde_pp"] is None and "no harmful change" in guard["note"]


class TestRefusals:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_ratio_without_deviation(self, api, language):
        answer = ask(api.with_headers({"Accept-Language": language}), metrics={**RATIO, "std_dev": None})
        assert (answer.status, answer.error_code) == (422, "http_error")
        assert "std_dev" in answer.detail and ("delta-method" in answer.detail) == (language == "en")

    @pytest.mark.parametrize("changes, field", [
        ({"baseline_value": 0}, "baseline_value"), ({"baseline_value": -1}, "baseline_value"), ({"std_dev": 0}, "std_dev"),
        ({"std_dev": -2}, "std_dev")])
    def test_ratio_that_cannot_be_sized(self, api, changes, field):
        error = ask(api, metrics={**RATIO, **changes}).errors()["body", "metrics"]
        assert error["type"] == "value_error" and field in error["msg"]

    def test_a_project_may_leave_a_ratio_for_later(self, api):
        answer = api.post("/api/v1/projects", design(metrics={**RATIO, "std_dev": None, "baseline_value": 0}))
        assert answer.status == 200

    @pytest.mark.parametrize("blocks, reason", [
        ({"metrics": {"mde_pct": 3000}}, "variant_rate_out_of_range"),
        ({"metrics": {"mde_pct": 1e-9}}, "sample_size_not_finite"),
        ({"metrics": {"metric_type": "continuous", "baseline_value": 1, "std_dev": 1e-13}}, "std_dev_not_positive"),
        ({"setup": {"audience_share_in_test": 1e-300}}, "duration_not_finite")])
    def test_designs_without_a_plan(self, api, blocks, reason):
        answer = ask(api, **blocks)
        assert (answer.status, answer.error_code, answer.headers["X-Error-Reason"]) == (400, "bad_request", reason)

    @pytest.mark.parametrize("block", DESIGN)
    def test_blocks_are_required(self, api, block):
        body = design()
        del body[block]
        assert list(api.post("/api/v1/design", body).errors()) == [("body", block)]


POSITIVE = [5e-324, 1e-300, 1e-12, 1e-3, 1.0, 1e6, 1e300, 1.7e308]
SHARE = [1e-300, 1e-9, 0.01, 0.5, 0.999, 1 - 1e-16]
TESTS = {"binary": ["z_test", "fisher_exact"], "continuous": ["z_test", "mann_whitney", "tost"], "ratio": ["z_test"],
         "count": [None]}


def extreme(draw):
    """A design that the schema accepts, a fifth of its values extreme."""
    def now_and_then(usual, extremes):
        return draw.choice(extremes) if draw.random() < 0.2 else usual

    variants, kind = draw.choice([2, 3, 10]), draw.choice(list(TESTS))
    metrics = {
        "metric_type": kind, "baseline_value": now_and_then(0.1, SHARE if kind == "binary" else POSITIVE),
        "mde_pct": now_and_then(5, POSITIVE + [50, 100]), "alpha": now_and_then(0.05, SHARE),
        "power": now_and_then(0.8, SHARE), "std_dev": now_and_then(0.3, POSITIVE),
        "exposure_per_user": now_and_then(1, POSITIVE), "cuped_pre_experiment_std": now_and_then(0.3, POSITIVE),
        "cuped_correlation": now_and_then(0.5, [-1 + 1e-16, 0, 0.999999]), "planned_test": draw.choice(TESTS[kind]),
        "equivalence_margin_pct": now_and_then(3, POSITIVE), "numerator_metric_name": "n", "denominator_metric_name": "d",
        "guardrail_metrics": [
            {"name": "r", "metric_type": "binary", "baseline_rate": draw.choice([1e-300, 1e-6, 50, 99.2, 100 - 1e-13]),
             "direction": draw.choice(["increase_is_bad", "decrease_is_bad"])},
            {"name": "m", "metric_type": "continuous", "baseline_mean": draw.choice([-1e308, 0, 1e308]),
             "std_dev": draw.choice(POSITIVE)}]}
    setup = {
        "variants_count": variants, "traffic_split": [now_and_then(1, POSITIVE) for _ in range(variants)],
        "expected_daily_traffic": now_and_then(5000, [1, 2**53]), "audience_share_in_test": now_and_then(0.5, SHARE),
        "randomization_unit": draw.choice(["user", "cluster"]), "avg_cluster_size": now_and_then(20, [1, 1.5, 1e300]),
        "icc": now_and_then(0.02, [0, 1e-9, 1])}
    constraints = {
        "n_looks": draw.choice([1, 2, 100]), "analysis_mode": draw.choice(["frequentist", "bayesian"]),
        "desired_precision": now_and_then(0.5, POSITIVE), "credibility": now_and_then(0.95, [0.5 + 1e-15, 1 - 1e-16]),
        "holdout_fraction": now_and_then(0.1, [0, 1 - 1e-16]), "mutually_exclusive_experiments": draw.choice([1, 100])}
    return {"metrics": metrics, "setup": setup, "constraints": constraints}


@pytest.mark.parametrize("seed", range(12))
def test_extremes_have_an_answer_in_time(api, seed):
    """Whatever the schema accepts: figures or a reason, never a failure, never long."""
    draw, statuses = random.Random(seed), []
    for _ in range(50):
        blocks = extreme(draw)
        answer = ask(api, **blocks)
        statuses.append(answer.status)
        assert answer.status in (200, 400, 422) and answer.seconds < 20, (blocks, answer)
        if answer.status == 422:
            assert "alpha" in answer.detail[0]["msg"]
        if answer.status == 400:
            assert answer.headers["X-Error-Reason"] and answer.detail
    assert statuses.count(200) > 3 and statuses.count(400) > 3, statuses
