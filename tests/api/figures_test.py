"""Printed figures: as many decimals as a field has, but never fewer than three significant digits."""
import math

import pytest

LANGUAGES = ("en", "de", "es", "fr", "ru", "zh", "ar")


def ask(api, path, body):
    answer = api.post(f"/api/v1/{path}", body)
    assert answer.status == 200, answer
    return answer.json()


def mantissa_digits(value):
    return len(f"{value:.17e}".split("e")[0].rstrip("0").replace(".", "").replace("-", "")) if value else 0


def test_small_means(api):
    body = {"metric_type": "continuous", "continuous": {
        "control_mean": .00012, "control_std": .0001, "control_n": 1_000_000,
        "treatment_mean": .00013, "treatment_std": .0001, "treatment_n": 1_000_000}}
    reply = ask(api, "results", body)
    half = 1.959963984540054 * .0001 * math.sqrt(2e-6)
    assert reply["observed_effect"] == 1e-05
    assert reply["observed_effect_relative"] == 8.33
    assert reply["ci_lower"] == pytest.approx(1e-05 - half, rel=1e-5)
    assert reply["ci_upper"] == pytest.approx(1e-05 + half, rel=1e-5)
    z = 1e-05 / (.0001 * math.sqrt(2e-6))
    assert 0 < reply["p_value"] < 1e-300 or reply["p_value"] == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-5)
    assert "+1e-05 (95.0% CI [9.72e-06, 1.03e-05]" in reply["interpretation"]
    assert "0.00013 in treatment and 0.00012 in control" in reply["interpretation"]


def test_small_rates(api):
    reply = ask(api, "results", {"metric_type": "binary", "binary": {
        "control_conversions": 100, "control_users": 10**7, "treatment_conversions": 142, "treatment_users": 10**7}})
    assert (reply["control_rate"], reply["treatment_rate"]) == (.001, .00142)
    assert reply["observed_effect"] == .00042 and reply["observed_effect_relative"] == 42.0
    error = math.sqrt(1e-5 * (1 - 1e-5) / 1e7 + 1.42e-5 * (1 - 1.42e-5) / 1e7)
    assert reply["ci_lower"] == pytest.approx(100 * (4.2e-6 - 1.959963984540054 * error), rel=1e-5)
    assert "difference of +0.00042 pp" in reply["interpretation"]


def test_counts_per_hundred_millions(api):
    reply = ask(api, "results", {"metric_type": "count", "count": {
        "control_events": 30, "control_exposure": 1e8, "treatment_events": 45, "treatment_exposure": 1e8}})
    assert reply["observed_effect"] == 1.5e-07 and reply["effect_size"] == 1.5
    half = 1.959963984540054 * math.sqrt(75) / 1e8
    assert (reply["ci_lower"], reply["ci_upper"]) == pytest.approx((1.5e-07 - half, 1.5e-07 + half), rel=1e-5)
    assert "difference of +1.5e-07" in reply["interpretation"]


def test_small_p_values(api):
    reply = ask(api, "results", {"metric_type": "binary", "binary": {
        "control_conversions": 1000, "control_users": 10_000, "treatment_conversions": 1250, "treatment_users": 10_000}})
    z = .025 / math.sqrt(.1125 * .8875 * 2e-4)
    assert reply["p_value"] == pytest.approx(math.erfc(z / math.sqrt(2)), rel=5e-6) and reply["p_value"] < 5e-7
    assert mantissa_digits(float(repr(reply["p_value"]))) and f"p = {reply['p_value']:.1e}" in reply["interpretation"]


def test_small_p_values_of_a_split(api):
    reply = ask(api, "srm-check", {"observed_counts": [4000, 6000], "expected_fractions": [.5, .5]})
    assert reply["p_value"] == pytest.approx(math.erfc(20 / math.sqrt(2)), rel=5e-6)


def test_boundaries_at_a_small_alpha(api):
    reply = ask(api, "calculate", {
        "metric_type": "binary", "baseline_value": .042, "mde_pct": 5, "alpha": 1e-12, "power": .8, "n_looks": 3,
        "expected_daily_traffic": 12000, "audience_share_in_test": .6, "traffic_split": [50, 50], "variants_count": 2})
    for look in reply["sequential_boundaries"]:
        assert look["p_boundary"] == pytest.approx(math.erfc(look["z_boundary"] / math.sqrt(2)), rel=1e-3)
        assert 0 < look["cumulative_alpha_spent"] <= 1e-12
    assert reply["sequential_boundaries"][-1]["cumulative_alpha_spent"] == pytest.approx(1e-12, rel=1e-5)


def test_adjusted_p_values(api):
    reply = ask(api, "multiple-testing", {"metrics": [{"label": "a", "p_value": 2.5e-9}, {"label": "b", "p_value": .5}]})
    assert [row["adjusted_p_value"] for row in reply["results"]] == [5e-09, .5]
    assert reply["critical_value"] == 2.5e-09


@pytest.mark.parametrize("values, other", [
    ([.1, .2, .3], [.3, .2, .1]), ([.1, .2, .7, .4], [.1, .2, .7, .4]), ([1e6 + .1, 1e6 + .3], [1e6 + .3, 1e6 + .1])])
def test_rounding_of_the_values_is_no_effect(api, values, other):
    for kind in ("mann_whitney", "bootstrap", "quantile", "trimmed_t"):
        reply = ask(api, "results", {"metric_type": kind, "ranked": {
            "control_values": values, "treatment_values": other, "trim": 0}})
        assert reply["observed_effect"] == 0.0, kind
    reply = ask(api, "results/paired", {"test_type": "wilcoxon", "control_values": values + [.9, 0],
                                        "treatment_values": other + [0, .9]})
    assert reply["effect"] == 0.0


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_in_all_languages(api, language):
    body = {"metric_type": "binary", "binary": {"control_conversions": 1750, "control_users": 50_000,
                                                "treatment_conversions": 2000, "treatment_users": 50_000}}
    answer = api.post("/api/v1/results", body, headers={"Accept-Language": language})
    assert "3.2e-05" in answer.json()["interpretation"]


class TestTies:
    def test_product_limit(self, api):
        """1 - 77/128 by steps: 51/128 = .3984375 is a tie, and goes to the even digit."""
        arm = {"durations": list(range(1, 129)), "events_observed": [True] * 77 + [False] * 51}
        reply = ask(api, "results/survival", {"control_arm": arm, "treatment_arm": arm})
        assert reply["control_curve"][-1]["survival"] == .398438

    def test_relative_effect(self, api):
        """44.375 percent, of counts and of means."""
        reply = ask(api, "results", {"metric_type": "binary", "binary": {
            "control_conversions": 160, "control_users": 1000, "treatment_conversions": 231, "treatment_users": 1000}})
        assert reply["observed_effect_relative"] == 44.38
        for kind in ("fisher_exact",):
            reply = ask(api, "results", {"metric_type": kind, "binary": {
                "control_conversions": 16, "control_users": 1000, "treatment_conversions": 231, "treatment_users": 10_000}})
            assert reply["observed_effect_relative"] == 44.38
        reply = ask(api, "results", {"metric_type": "continuous", "continuous": {
            "control_mean": 16, "control_std": 2, "control_n": 50, "treatment_mean": 23.1, "treatment_std": 2,
            "treatment_n": 50}})
        assert reply["observed_effect_relative"] == 44.38

    def test_overflow_has_a_reason(self, api):
        body = {"metric_type": "continuous", "continuous": {
            "control_mean": 1e-300, "control_std": 2, "control_n": 50, "treatment_mean": 1e10, "treatment_std": 2,
            "treatment_n": 50}}
        reply = ask(api, "results", body)
        assert reply["observed_effect_relative"] is None
        assert reply["observed_effect_relative_reason"] == "relative_effect_too_large"
        body["continuous"]["control_mean"] = 1
        reply = ask(api, "results", body)
        assert reply["observed_effect_relative_reason"] is None


@pytest.mark.parametrize("written, taken", [("400", True), ("400.0", True), ("4e2", False), ("4E2", False), ("40.5", False)])
def test_integers_in_quotes(api, written, taken):
    answer = api.post("/api/v1/results", {"metric_type": "binary", "binary": {
        "control_conversions": 10, "control_users": written, "treatment_conversions": 12, "treatment_users": 400}})
    assert answer.status == (200 if taken else 422)
    if not taken:
        assert answer.detail[0]["type"] == "int_parsing"
