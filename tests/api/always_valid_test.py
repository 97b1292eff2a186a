"""POST /api/v1/results/always-valid: confidence sequences. The error rates are those of tests/oracle/error_rates.c."""

import math
import random

import pytest
from scipy.special import betaln
from scipy.stats import binom

from client import LANGUAGES

CONTROL = {"n": 5200, "mean": 10.1, "std": 8.0}
TREATMENT = {"n": 5150, "mean": 10.9, "std": 8.2}


def ask(api, metric, control, treatment, **more):
    return api.post("/api/v1/results/always-valid", {"metric": metric, "control_arm": control, "treatment_arm": treatment,
                                                     **more}, may_fail=True)


def mixture(effect, variance, tau, alpha):
    """Robbins 1970: p and the half-width for a normal mixture of variance tau over the effects."""
    log_ratio = tau * effect ** 2 / (2 * variance * (variance + tau)) - math.log1p(tau / variance) / 2
    half = math.sqrt(2 * variance * (variance + tau) / tau * (math.log(1 / alpha) + math.log1p(tau / variance) / 2))
    return min(1, math.exp(-log_ratio)), half


def hold(figures, effect, variance, tau, alpha=0.05):
    p, half = mixture(effect, variance, tau, alpha)
    assert figures["effect"] == pytest.approx(effect, abs=1e-6)
    assert figures["standard_error"] == pytest.approx(math.sqrt(variance), abs=1e-6)
    assert figures["p_value"] == pytest.approx(p, abs=1e-6)
    assert (figures["ci_lower"], figures["ci_upper"]) == pytest.approx((effect - half, effect + half), abs=2e-6)
    assert figures["is_significant"] == (p < alpha)


def test_means_tuned_for_an_effect(api):
    reply = ask(api, "mean", CONTROL, TREATMENT, effect=0.5).json()
    assert (reply["status"], reply["confidence_level"], reply["least_users"]) == ("ok", 0.95, 500)
    hold(reply["unadjusted"], 0.8, 8 ** 2 / 5200 + 8.2 ** 2 / 5150, 0.25)
    assert reply["adjusted"] is None


def test_means_tuned_for_users(api):
    """rho of Waudby-Smith et al. 2021: narrow at so many users."""
    variance, size = 8 ** 2 / 5200 + 8.2 ** 2 / 5150, -2 * math.log(0.01)
    tau = (size + math.log(size) + 1) / 20000 * 10350 * variance
    hold(ask(api, "mean", CONTROL, TREATMENT, alpha=0.01, tuning_users=20000).json()["unadjusted"], 0.8, variance, tau, 0.01)


def test_rates(api):
    reply = ask(api, "rate", {"n": 4000, "conversions": 400}, {"n": 4000, "conversions": 500}, effect=0.02).json()
    hold(reply["unadjusted"], 0.025, 0.1 * 0.9 / 3999 + 0.125 * 0.875 / 3999, 0.0004)
    assert reply["least_users"] == 100


def test_ratios(api):
    arm = {"n": 2000, "mean": 6.0, "std": 5.0, "denominator_mean": 3.0, "denominator_std": 2.0,
           "denominator_correlation": 0.7}
    reply = ask(api, "ratio", arm, {**arm, "mean": 6.6}, effect=0.2).json()
    variance = sum((25 - 2 * r * 0.7 * 10 + r * r * 4) / 9 / 2000 for r in (2, 2.2))
    hold(reply["unadjusted"], 0.2, variance, 0.04)


def test_a_covariate_narrows(api):
    pre = {"mean": 9.9, "std": 7.0, "correlation": 0.8}
    reply = ask(api, "mean", {**CONTROL, "covariate": pre}, {**TREATMENT, "covariate": {**pre, "mean": 10.0}}, effect=0.5).json()
    slope = 0.8 * (8 * 7 * 5199 + 8.2 * 7 * 5149) / (49 * (5199 + 5149))
    assert reply["adjusted"]["effect"] == pytest.approx(0.8 - slope * 0.1, abs=1e-5)
    assert reply["adjusted"]["standard_error"] == pytest.approx(0.6 * reply["unadjusted"]["standard_error"], rel=0.01)
    assert reply["variance_reduction_pct"] == pytest.approx(64, abs=0.5)


def covers(values, share, users, alpha, shift, other):
    """Whether no place of the quantile makes the product of both mixtures 1 / alpha, by all places."""
    size = -2 * math.log(alpha)
    weight = users / (size + math.log(size) + 1) - 1

    def ratio(k, n):
        a, b = share * weight, (1 - share) * weight
        return betaln(a + k, b + n - k) - betaln(a, b) - k * math.log(share) - (n - k) * math.log1p(-share)

    places = sorted(values + [y - shift for y in other])
    middles = [places[0] - 1] + [(a + b) / 2 for a, b in zip(places, places[1:])] + [places[-1] + 1]
    least = min(ratio(sum(x <= q for x in values), len(values)) + ratio(sum(y - shift <= q for y in other), len(other))
                for q in places + middles)
    return least, least < math.log(1 / alpha)


def test_quantiles(api):
    """The ends are shifts that the definition itself tells apart; the p-value is that of no shift."""
    draw = random.Random(5)
    one, other = [draw.lognormvariate(0, 1) for _ in range(150)], [draw.lognormvariate(0.9, 1) for _ in range(130)]
    figures = ask(api, "quantile", {"values": one}, {"values": other}, tuning_users=300).json()["unadjusted"]
    least, _ = covers(one, 0.5, 150, 0.05, 0, other)
    assert figures["p_value"] == pytest.approx(min(1, math.exp(-least)), abs=1e-6)
    for end, sign in ((figures["ci_lower"], 1), (figures["ci_upper"], -1)):
        assert covers(one, 0.5, 150, 0.05, end + sign * 1e-4, other)[1]
        assert not covers(one, 0.5, 150, 0.05, end - sign * 1e-4, other)[1]
    assert figures["is_significant"] == (figures["ci_lower"] > 0)
    assert binom.cdf(75, 150, 0.5) > 0.5


def test_ranks_that_bound_nothing(api):
    figures = ask(api, "quantile", {"values": [1, 2, 3]}, {"values": [5]}).json()["unadjusted"]
    assert figures["ci_lower"] is None and figures["ci_upper"] is None and figures["p_value"] == 1


def test_equal_values(api):
    figures = ask(api, "quantile", {"values": [7] * 400}, {"values": [7] * 400}).json()["unadjusted"]
    assert (figures["effect"], figures["p_value"], figures["ci_lower"], figures["ci_upper"]) == (0, 1, 0, 0)


@pytest.mark.parametrize("metric, control, treatment", [
    ("mean", {"n": 499, "mean": 1, "std": 1}, CONTROL),
    ("rate", {"n": 4000, "conversions": 4}, {"n": 4000, "conversions": 40}),
    ("rate", {"n": 4000, "conversions": 3998}, {"n": 4000, "conversions": 40}),
])
def test_too_few(api, metric, control, treatment):
    reply = ask(api, metric, control, treatment).json()
    assert reply["status"] == "insufficient_data" and reply["unadjusted"] is None and "Too few" in reply["note"]


def test_nothing_varies(api):
    same = {"n": 900, "mean": 3, "std": 0}
    assert ask(api, "mean", same, same).json()["status"] == "not_evaluable"


@pytest.mark.parametrize("metric, arm", [("mean", {"n": 600, "mean": 1}), ("rate", {"n": 10, "conversions": 11}),
                                         ("ratio", CONTROL), ("quantile", {"n": 5, "values": [1]}), ("quantile", {})])
def test_fields_of_another_metric(api, metric, arm):
    answer = ask(api, metric, arm, arm)
    assert answer.status == 422 and "those of the metric" in answer.json()["detail"][0]["msg"]


def test_a_covariate_of_one_arm(api):
    answer = ask(api, "mean", {**CONTROL, "covariate": {"mean": 1, "std": 1, "correlation": 0}}, TREATMENT)
    assert answer.status == 422 and "covariate" in answer.json()["detail"][0]["msg"]


def test_note_in_every_language(api):
    body = {"metric": "mean", "control_arm": CONTROL, "treatment_arm": TREATMENT}
    notes = {api.post("/api/v1/results/always-valid", body, headers={"Accept-Language": tag}).json()["note"]
             for tag in LANGUAGES}
    assert len(notes) == len(LANGUAGES)
