"""POST /api/v1/results: what two finished arms show.

Sources: pooled z-test and Wald interval (any textbook), Newcombe 1998 method 10 on Wilson intervals,
Welch 1947 with Satterthwaite's degrees of freedom; figures checked with scipy 1.10.
"""

import math
import re

import pytest

REPLY_KEYS = [
    "metric_type", "observed_effect", "observed_effect_relative", "control_rate", "treatment_rate", "ci_lower",
    "ci_upper", "ci_score_lower", "ci_score_upper", "ci_level", "p_value", "test_statistic", "is_significant",
    "power_achieved", "verdict", "interpretation", "effect_size", "effect_size_label", "effect_size_ci_lower",
    "effect_size_ci_upper", "observed_effect_relative_reason", "relative_lift", "conventions", "test_interval",
    "interval_agrees", "warnings", "direction", "outcome"]
LANGUAGES = ["ru", "de", "es", "fr", "zh", "ar"]
LARGEST_INTEGER = 2**53


def binary(control, treatment, **more):
    """Arms as (conversions, users)."""
    return {"metric_type": "binary", "binary": {
        "control_conversions": control[0], "control_users": control[1],
        "treatment_conversions": treatment[0], "treatment_users": treatment[1], **more}}


def continuous(control, treatment, **more):
    """Arms as (mean, standard deviation, users)."""
    names = ("mean", "std", "n")
    return {"metric_type": "continuous", "continuous": {
        **{f"control_{n}": v for n, v in zip(names, control)},
        **{f"treatment_{n}": v for n, v in zip(names, treatment)}, **more}}


def ask(api, body, **options):
    return api.post("/api/v1/results", body, **options)


def result(api, body):
    answer = ask(api, body)
    assert answer.status == 200, answer
    return answer.json()


ROWS = {
    "uplift": (binary((100, 1000), (130, 1000)), {
        "observed_effect": 3.0, "observed_effect_relative": 30.0, "control_rate": 10.0, "treatment_rate": 13.0,
        "test_statistic": 2.1027, "p_value": 0.035488, "power_achieved": 0.557, "ci_lower": 0.2068,
        "ci_upper": 5.7932, "ci_score_lower": 0.2002, "ci_score_upper": 5.8070, "ci_level": 0.95,
        "is_significant": True, "verdict": "Statistically significant uplift at alpha=0.050"}),
    "decline": (binary((130, 1000), (100, 1000)), {
        "observed_effect": -3.0, "observed_effect_relative": -23.08, "test_statistic": -2.1027, "p_value": 0.035488,
        "ci_lower": -5.7932, "ci_upper": -0.2068, "ci_score_lower": -5.8070, "ci_score_upper": -0.2002,
        "verdict": "Statistically significant decline at alpha=0.050"}),
    "nobody converts": (binary((0, 100), (0, 100)), {
        "observed_effect": 0.0, "observed_effect_relative": None, "control_rate": 0.0, "treatment_rate": 0.0,
        "ci_lower": 0.0, "ci_upper": 0.0, "ci_level": 0.95, "p_value": 1.0, "test_statistic": 0.0,
        "is_significant": False, "power_achieved": 0.0, "verdict": "Cannot compute: zero standard error"}),
    "everybody converts": (binary((100, 100), (50, 50)), {
        "control_rate": 100.0, "treatment_rate": 100.0, "p_value": 1.0,
        "verdict": "Cannot compute: zero standard error"}),
    "no difference": (binary((50, 500), (50, 500)), {
        "observed_effect": 0.0, "p_value": 1.0, "power_achieved": 0.05, "ci_lower": -3.7188, "ci_upper": 3.7188,
        "test_statistic": 0.0, "verdict": "No statistically significant difference at alpha=0.050"}),
    "welch": (continuous((10, 2, 10), (11.5, 2, 10)), {
        "observed_effect": 1.5, "observed_effect_relative": 15.0, "test_statistic": 1.6771, "p_value": 0.110812,
        "ci_lower": -0.3791, "ci_upper": 3.3791, "power_achieved": 0.339, "control_rate": None,
        "treatment_rate": None, "ci_score_lower": None, "ci_score_upper": None,
        "verdict": "No statistically significant difference at alpha=0.050"}),
    "welch, unequal arms": (continuous((10, 1, 5), (12, 6, 30), alpha=0.01), {
        "test_statistic": 1.6903, "p_value": 0.100437, "ci_lower": -1.2349, "ci_upper": 5.2349,
        "power_achieved": 0.152, "ci_level": 0.99}),
    "mean of nothing": (continuous((0, 1, 100), (1, 1, 100)), {
        "observed_effect": 1.0, "observed_effect_relative": None}),
    "negative means": (continuous((-10, 2, 1000), (-12, 2, 1000)), {
        "observed_effect": -2.0, "observed_effect_relative": -20.0,
        "verdict": "Statistically significant decline at alpha=0.050"}),
}


def test_a_decrease_can_be_the_goal(api):
    """A bounce rate that falls from 40 % to 30 %: the effect keeps its sign."""
    body = binary((400, 1000), (300, 1000))
    up, down = (api.post("/api/v1/results", {**body, **goal}).json() for goal in ({}, {"direction": "decrease"}))
    assert (up["direction"], up["outcome"], down["direction"], down["outcome"]) == ("increase", "worse", "decrease", "better")
    assert down["verdict"] == "Statistically significant improvement (decrease) at alpha=0.050"
    rest = {key: value for key, value in down.items() if key not in ("verdict", "direction", "outcome")}
    assert rest == {key: up[key] for key in rest} and down["observed_effect"] == -10.0
    rising = api.post("/api/v1/results", {**binary((300, 1000), (400, 1000)), "direction": "decrease"}).json()
    assert (rising["outcome"], rising["verdict"]) == ("worse", "Statistically significant deterioration (increase) at alpha=0.050")


UNITS = {"p_value": 1e-6, "power_achieved": 1e-3, "observed_effect_relative": 1e-2}


class TestFigures:
    @pytest.mark.parametrize("name", ROWS)
    def test_row(self, api, name):
        body, expected = ROWS[name]
        reply = result(api, body)
        assert list(reply) == REPLY_KEYS
        assert reply["metric_type"] == body["metric_type"]
        for key, value in expected.items():
            if isinstance(value, float):
                assert reply[key] == pytest.approx(value, abs=1.01 * UNITS.get(key, 1e-4)), key
            else:
                assert reply[key] == value, key
        assert all(reply[key] is None for key in REPLY_KEYS if key.startswith("effect_size"))

    def test_alpha_is_five_percent_unless_said(self, api):
        body = binary((100, 1000), (130, 1000))
        assert ask(api, body).body == ask(api, binary((100, 1000), (130, 1000), alpha=0.05)).body

    def test_significance_goes_by_the_p_value_before_rounding(self, api):
        """p = 0.0499999...: alpha just above and just below it, closer than the six digits shown."""
        p = self.exact_p((100, 1000), (127, 1000))
        for alpha, significant in ((p * (1 + 1e-9), True), (p * (1 - 1e-9), False)):
            reply = result(api, binary((100, 1000), (127, 1000), alpha=alpha))
            assert reply["is_significant"] is significant
            assert reply["p_value"] == round(p, 6)

    @staticmethod
    def exact_p(control, treatment):
        (a, n), (b, m) = control, treatment
        pooled = (a + b) / (n + m)
        z = (b / m - a / n) / math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
        return math.erfc(abs(z) / math.sqrt(2))

    def test_far_tails_are_not_lost(self, api):
        reply = result(api, binary((10, 100_000), (5000, 100_000)))
        assert reply["p_value"] == 0.0 and reply["is_significant"] and reply["power_achieved"] == 1.0

    def test_zero_is_not_negative(self, api):
        for body in (binary((50, 500), (50, 500)), continuous((10, 2, 10), (10, 2, 10)),
                     continuous((1e-9, 1, 100), (0, 1, 100))):
            assert "-0.0," not in ask(api, body).text


class TestProperties:
    EXTREMES = [
        binary((0, 2), (2, 2)), binary((1, 2), (1, LARGEST_INTEGER)),
        binary((0, LARGEST_INTEGER), (LARGEST_INTEGER, LARGEST_INTEGER)),
        binary((LARGEST_INTEGER - 1, LARGEST_INTEGER), (LARGEST_INTEGER, LARGEST_INTEGER)),
        continuous((0, 5e-324, 2), (0, 5e-324, 2)), continuous((1.7e308, 1, 2), (-1.7e308, 1, 2)),
        continuous((1, 1.7e308, 2), (2, 1.7e308, 2)), continuous((1, 1e-300, 2), (2, 1e300, LARGEST_INTEGER)),
        continuous((5e-324, 1, 2), (1e300, 1, 2)), continuous((1e16, 1e-10, 5), (1e16 + 2, 1e-10, 5)),
    ]

    @pytest.mark.parametrize("body", EXTREMES)
    def test_extremes_never_break_it(self, api, body):
        answer = ask(api, body)
        assert answer.status in (200, 400), answer
        assert float(answer.headers["X-Process-Time-Ms"]) < 10_000
        assert answer.status == 200 or answer.headers["X-Error-Reason"]


class TestTexts:
    def test_english_interpretation_prints_its_figures(self, api):
        text = result(api, ROWS["uplift"][0])["interpretation"]
        for part in ("13.0000%", "10.0000%", "+3.0000 pp", "95.0% CI", "0.2068", "5.7932", "0.035488", "significant"):
            assert part in text, text
        text = result(api, ROWS["welch, unequal arms"][0])["interpretation"]
        for part in ("12.0000", "10.0000", "+2.0000", "99.0%", "-1.2349", "5.2349", "0.100437"):
            assert part in text, text

    def test_significance_is_told_both_ways(self, api):
        yes, no = (result(api, ROWS[name][0])["interpretation"] for name in ("uplift", "no difference"))
        assert "not" not in yes and "not" in no

    @pytest.mark.parametrize("name", ["uplift", "decline", "no difference", "nobody converts", "welch"])
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_other_languages(self, api, name, language):
        body = ROWS[name][0]
        english = result(api, body)
        reply = ask(api, body, headers={"Accept-Language": language}).json()
        for key in ("verdict", "interpretation"):
            assert reply[key] != english[key] and "{{" not in reply[key]
            figures = re.findall(r"\d+\.\d+", english[key])
            assert [f for f in figures if f not in reply[key]] == [], "figures are the same in every language"
        words = ("verdict", "interpretation", "warnings")
        assert {k: v for k, v in reply.items() if k not in words} == {k: v for k, v in english.items() if k not in words}

    def test_russian_verdict(self, api):
        verdict = ask(api, ROWS["uplift"][0], headers={"Accept-Language": "ru"}).json()["verdict"]
        assert "значим" in verdict and "alpha=0.050" in verdict


class TestRules:
    ROWS = [
        ({"metric_type": "binary"}, ["body"], "binary"),
        ({"metric_type": "continuous"}, ["body"], "continuous"),
        ({**binary((1, 10), (2, 10)), **{"metric_type": "continuous"}}, ["body"], "continuous"),
        ({**continuous((1, 1, 5), (1, 1, 5)), **binary((1, 10), (2, 10))}, ["body"], "continuous"),
        ({**binary((1, 10), (2, 10)), **continuous((1, 1, 5), (1, 1, 5))}, ["body"], "binary"),
        (binary((11, 10), (2, 10)), ["body", "binary"], "control_conversions"),
        (binary((1, 10), (11, 10)), ["body", "binary"], "treatment_conversions"),
        (binary((11, 10), (11, 10)), ["body", "binary"], "control_conversions"),
    ]

    @pytest.mark.parametrize("body, place, fragment", ROWS)
    def test_broken(self, api, body, place, fragment):
        [error] = ask(api, body).detail
        assert (error["type"], error["loc"]) == ("value_error", place)
        assert error["msg"].startswith("Value error, ") and fragment in error["msg"]
        texts = {ask(api, body, headers={"Accept-Language": each}).detail[0]["msg"] for each in ("en", *LANGUAGES)}
        assert len(texts) == 7

    @pytest.mark.parametrize("changes, fragment", [
        ({"alpha": 0.0009}, "greater than or equal to 0.001"), ({"alpha": 0.11}, "less than or equal to 0.1"),
        ({"control_users": 1}, "greater than or equal to 2"),
        ({"control_conversions": -1}, "greater than or equal to 0")])
    def test_ranges(self, api, changes, fragment):
        body = binary((1, 10), (2, 10), **changes)
        [error] = ask(api, body).detail
        assert error["loc"] == ["body", "binary", *changes] and fragment in error["msg"]

    def test_unknown_analyzer(self, api):
        errors = ask(api, {"metric_type": "no_such_analyzer"}).errors()
        assert "'binary'" in errors["body", "metric_type"]["ctx"]["expected"]

    def test_null_blocks_count_as_absent(self, api):
        assert ask(api, {**binary((1, 10), (2, 10)), "continuous": None}).status == 200
