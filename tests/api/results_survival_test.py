"""POST /api/v1/results/survival: Kaplan-Meier curves, the log-rank family, Cox. Figures as R's survival package
gives them (tests/oracle), for the leukaemia data of Freireich (1963) and an arm made up."""

import random
import re

import pytest

from client import LANGUAGES
from conftest import OPEN


def arm(text):
    """Times, a * behind those that are censored."""
    times = text.split()
    return {"durations": [float(t.rstrip("*")) for t in times], "events_observed": ["*" not in t for t in times]}


PLACEBO = arm("1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23")
DRUG = arm("6 6 6 6* 7 9* 10 10* 11* 13 16 17* 19* 20* 22 23 25* 32* 32* 34* 35*")
OTHER = arm("2 4 5* 6 7 9 11* 12 14 15* 18 21* 24 26* 30*")
CENSORED = arm("1* 2* 3*")


def body(control=PLACEBO, treatment=DRUG, *additional, **more):
    return {"control_arm": control, "treatment_arm": treatment,
            **({"additional_arms": list(additional)} if additional else {}), **more}


def ask(api, request, language="en"):
    return api.post("/api/v1/results/survival", request, headers={"Accept-Language": language})


def result(api, request, language="en"):
    answer = ask(api, request, language)
    assert answer.status == 200, answer
    return answer.json()


NO_RATIO = dict.fromkeys(["hazard_ratio", "hazard_ratio_ci_lower", "hazard_ratio_ci_upper", "log_hazard_ratio",
                          "log_hazard_ratio_se"])
ROWS = {
    "two arms": (body(), {
        "chi_square": 16.7929, "degrees_of_freedom": 1, "p_value": 4.16881e-05, "is_significant": True,
        "test_type": "log_rank", "observed_control": 21, "expected_control": 10.7495, "observed_treatment": 9,
        "expected_treatment": 19.2505, "n_control": 21, "n_treatment": 21, "additional_arm_curves": [],
        "fh_rho": None, "fh_gamma": None, "verdict": "Survival curves differ at alpha=0.050", **NO_RATIO}),
    "early differences": (body(test_type="fleming_harrington"), {
        "chi_square": 14.4572, "fh_rho": 1.0, "fh_gamma": 0.0, "expected_control": 10.7495, **NO_RATIO}),
    "late differences": (body(test_type="fleming_harrington", fh_rho=0, fh_gamma=1), {
        "chi_square": 13.0484, "fh_rho": 0.0, "fh_gamma": 1.0}),
    "three arms": (body(DRUG, PLACEBO, OTHER), {
        "chi_square": 19.3893, "degrees_of_freedom": 2, "p_value": 6.16134e-05, "arm_summaries": [
            {"n": 21, "observed": 9, "expected": 18.2222}, {"n": 21, "observed": 21, "expected": 9.7945},
            {"n": 15, "observed": 9, "expected": 10.9833}]}),
    "three arms, early": (body(DRUG, PLACEBO, OTHER, test_type="fleming_harrington", fh_rho=1, fh_gamma=0), {
        "chi_square": 16.7012, "degrees_of_freedom": 2}),
    "cox": (body(test_type="cox"), {
        "hazard_ratio": 0.2076, "hazard_ratio_ci_lower": 0.0925, "hazard_ratio_ci_upper": 0.4659,
        "log_hazard_ratio": -1.572125, "log_hazard_ratio_se": 0.412397, "chi_square": 14.5326, "p_value": 0.000138,
        "degrees_of_freedom": 1, "expected_control": 10.7495, "expected_treatment": 19.2505, "fh_rho": None}),
    "no difference": (body(OTHER, DRUG, alpha=0.01), {
        "is_significant": False, "verdict": "No significant difference between survival curves at alpha=0.010"}),
}
# The method as each interpretation names it, in English and in Russian.
METHODS = {"two arms": ("log-rank chi-square = 16.7929", "хи-квадрат"), "cox": ("hazard ratio", "Кокса"),
           "early differences": ("Fleming", "Флеминга"), "three arms": ("3 arms", "логранговый")}


class TestFigures:
    @pytest.mark.parametrize("name", ROWS)
    def test_row(self, api, name):
        request, expected = ROWS[name]
        reply = result(api, request)
        assert {key: reply[key] for key in expected} == expected

    def test_curve(self, api):
        curve = result(api, body())["treatment_curve"]
        assert [point["time"] for point in curve] == [6, 7, 10, 13, 16, 22, 23]
        assert curve[0] == {"time": 6.0, "survival": 0.857143, "at_risk": 21, "n_events": 3, "std_error": 0.07636,
                            "ci_lower": 0.707479, "ci_upper": 1.0}
        assert (curve[6]["survival"], curve[6]["ci_lower"], curve[6]["ci_upper"]) == (0.448179, 0.184385, 0.711974)

    def test_curves_of_all_arms(self, api):
        reply = result(api, body(DRUG, PLACEBO, OTHER, CENSORED, arm("5")))
        curves = [reply["control_curve"], reply["treatment_curve"], *reply["additional_arm_curves"]]
        assert [len(curve) for curve in curves] == [7, 12, 9, 0, 1]
        assert curves[1][-1] == {"time": 23.0, "survival": 0.0, "at_risk": 1, "n_events": 1, "std_error": 0.0,
                                 "ci_lower": 0.0, "ci_upper": 0.0}
        for curve, summary in zip(curves, reply["arm_summaries"]):
            assert sum(point["n_events"] for point in curve) == summary["observed"]

    def test_defaults(self, api):
        spelled = body(test_type="log_rank", alpha=0.05, fh_rho=1, fh_gamma=0, additional_arms=[])
        assert ask(api, body()).body == ask(api, spelled).body

    def test_lenient_truth(self, api):
        words = {"durations": PLACEBO["durations"], "events_observed": ["yes", 1, "T", True, 1.0] + ["on"] * 16}
        assert ask(api, body(words)).body == ask(api, body()).body

    def test_units_change_the_times_only(self, api):
        long = [{**a, "durations": [1e9 * t for t in a["durations"]]} for a in (PLACEBO, DRUG)]
        plain, scaled = result(api, body()), result(api, body(*long))
        for reply in (plain, scaled):
            for curve in ("control_curve", "treatment_curve"):
                for point in reply[curve]:
                    del point["time"]
        assert plain == scaled


class TestTexts:
    @pytest.mark.parametrize("name", METHODS)
    def test_method_is_named(self, api, name):
        request = ROWS[name][0]
        for language, word in zip(("en", "ru"), METHODS[name]):
            assert word in result(api, request, language)["interpretation"]

    @pytest.mark.parametrize("name", [*METHODS, "no difference"])
    @pytest.mark.parametrize("language", LANGUAGES[1:])
    def test_other_languages(self, api, name, language):
        english, reply = (result(api, ROWS[name][0], each) for each in ("en", language))
        for key in ("verdict", "interpretation"):
            text, original = reply.pop(key), english.pop(key)
            assert text != original and "{{" not in text
            assert [f for f in re.findall(r"\d+\.\d+", original) if f not in text] == []
        assert reply == english

    def test_whole_text(self, api):
        assert result(api, body())["interpretation"] == (
            "There were 21 events among 21 subjects in control (10.7495 expected under equal hazards) and 9 among 21 in "
            "treatment (19.2505 expected). The difference is statistically significant: log-rank chi-square = 16.7929, "
            "p = 4.2e-05.")


class TestRefusals:
    """Data that fit the schema and cannot be tested."""

    ROWS = [
        (body(CENSORED, CENSORED), "survival_no_events"),
        (body(CENSORED, CENSORED, test_type="cox"), "survival_no_events"),
        (body(PLACEBO, arm("0.5*")), "survival_no_events"),
        (body(arm("1"), arm("1")), "survival_no_events"),
        (body(arm("1 2 3"), arm("10* 11*"), test_type="cox"), "survival_cox_undefined"),
        (body(arm("10* 11*"), arm("1 2 3"), test_type="cox"), "survival_cox_undefined"),
        (body(arm("1 2"), arm("3 4"), test_type="cox"), "survival_cox_undefined"),
    ]

    @pytest.mark.parametrize("request_body, reason", ROWS)
    def test_reason(self, api, request_body, reason):
        texts = set()
        for language in LANGUAGES:
            answer = ask(api, request_body, language)
            assert (answer.status, answer.error_code) == (400, "bad_request")
            assert answer.headers["X-Error-Reason"] == reason
            texts.add(answer.detail)
        assert len(texts) == 7

    def test_production_tells_the_reason_alone(self, stacks):
        environment = {**OPEN, "AB_ENV": "production", "AB_API_TOKEN": "a-production-token-of-thirty-two"}
        production = stacks.get(environment).with_token(environment["AB_API_TOKEN"])
        answer = ask(production, self.ROWS[0][0])
        assert (answer.detail, answer.headers["X-Error-Reason"]) == ("Invalid value", "survival_no_events")


class TestRules:
    @pytest.mark.parametrize("request_body, place, word", [
        (body({"durations": [1, 2], "events_observed": [True]}), ["control_arm"], "same length"),
        (body(PLACEBO, arm("1 -2")), ["treatment_arm"], "negative"),
        (body(PLACEBO, DRUG, OTHER, arm("-1")), ["additional_arms", 1], "negative"),
        (body(PLACEBO, DRUG, OTHER, test_type="cox"), [], "additional_arms")])
    def test_broken(self, api, request_body, place, word):
        texts = set()
        for language in LANGUAGES:
            [error] = ask(api, request_body, language).detail
            assert (error["type"], error["loc"]) == ("value_error", ["body", *place])
            assert language != "en" or word in error["msg"]
            texts.add(error["msg"])
        assert len(texts) == 7

    @pytest.mark.parametrize("changes, place, fragment", [
        ({"control_arm": {"durations": [], "events_observed": []}}, ["control_arm", "durations"], "at least 1 item"),
        ({"control_arm": {"durations": [1] * 1001, "events_observed": [1]}}, ["control_arm", "durations"],
         "at most 1000 items"),
        ({"control_arm": {"durations": [1], "events_observed": [2]}}, ["control_arm", "events_observed", 0],
         "valid boolean"),
        ({"control_arm": {"durations": ["x"], "events_observed": [0]}}, ["control_arm", "durations", 0],
         "valid number"),
        ({"additional_arms": [OTHER] * 9}, ["additional_arms"], "at most 8 items"),
        ({"test_type": "wilcoxon"}, ["test_type"], "'log_rank', 'fleming_harrington' or 'cox'"),
        ({"fh_rho": 4.1}, ["fh_rho"], "less than or equal to 4"),
        ({"fh_gamma": -1}, ["fh_gamma"], "greater than or equal to 0"),
        ({"alpha": 0.2}, ["alpha"], "less than or equal to 0.1"), ({"x": 1}, ["x"], "not permitted")])
    def test_ranges(self, api, changes, place, fragment):
        errors = ask(api, {**body(), **changes}).detail
        assert [e for e in errors if e["loc"] == ["body", *place] and fragment in e["msg"]], errors


class TestLargest:
    @pytest.mark.parametrize("test_type", ["log_rank", "fleming_harrington", "cox"])
    def test_all_that_is_allowed(self, api, test_type):
        draw = random.Random(7)
        arms = [{"durations": [draw.expovariate(1) for _ in range(1000)],
                 "events_observed": [draw.random() < 0.8 for _ in range(1000)]}
                for _ in range(2 if test_type == "cox" else 10)]
        answer = ask(api, body(*arms, test_type=test_type, fh_rho=0.5, fh_gamma=4))
        assert answer.status == 200 and float(answer.headers["X-Process-Time-Ms"]) < 20_000

    @pytest.mark.parametrize("time", [0, 5e-324, 1e-300, 1.7e308])
    def test_extreme_times(self, api, time):
        request = body({"durations": [time, 1, 2], "events_observed": [1, 1, 1]},
                       {"durations": [1, time, 1.5], "events_observed": [1, 1, 0]})
        assert result(api, request)["control_curve"][-1 if time > 2 else 0]["time"] == time
        assert ask(api, {**request, "test_type": "cox"}).status == 200
