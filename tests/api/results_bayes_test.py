"""POST /api/v1/results/bayes against scipy and simulations of numpy: each kind of metric, priors, stopping, refusals. The
integrals themselves are compared in tests/oracle/experiments_bayes_test.py."""

import numpy as np
import pytest
from scipy import stats

from client import LANGUAGES

DRAWS = 400_000


def bayes(api, metric_type, arms, language="en", **more):
    return api.post("/api/v1/results/bayes", {"metric_type": metric_type, "arms": arms, **more},
                    headers={"Accept-Language": language})


def reply_of(answer):
    assert answer.status == 200, answer
    return answer.json()


def student(n, mean, std, prior=(0, 0, 0, 0)):
    middle, weight, spread, degrees = prior
    df = degrees + n - (0 if weight else 1)
    squares = degrees * spread**2 + (n - 1) * std**2 + weight * n / (weight + n) * (mean - middle) ** 2
    return stats.t(df, (weight * middle + n * mean) / (weight + n), (squares / df / (weight + n)) ** .5)


RATES = [{"n": 5000, "converted": 500}, {"n": 5000, "converted": 560}, {"n": 4000, "converted": 430}]
COUNTS = [{"events": 120, "exposure": 400.5}, {"events": 150, "exposure": 410}]
MEANS = [{"n": 40, "mean": 10, "std": 4}, {"n": 50, "mean": 11, "std": 5}, {"n": 30, "mean": 12, "std": 9}]
GIVEN = {"mean": 9, "n": 20, "std": 3, "degrees": 5}
CASES = {
    "uniform": ("binary", RATES, {}, [stats.beta(501, 4501), stats.beta(561, 4441), stats.beta(431, 3571)]),
    "given": ("binary", RATES[:2], {"prior": {"a": 50, "b": 450}}, [stats.beta(550, 4950), stats.beta(610, 4890)]),
    "jeffreys": ("count", COUNTS, {}, [stats.gamma(120.5, scale=1 / 400.5), stats.gamma(150.5, scale=1 / 410)]),
    "flat": ("continuous", MEANS, {}, [student(*arm.values()) for arm in MEANS]),
    "prior of a mean": ("continuous", MEANS[:2], {"prior": GIVEN}, [student(*arm.values(), tuple(GIVEN.values())) for arm in MEANS[:2]]),
    "logarithms": ("log_normal", MEANS[:2], {}, [student(*arm.values()) for arm in MEANS[:2]]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("direction", ["increase", "decrease"])
def test_every_kind_of_metric(api, name, direction):
    metric_type, arms, more, posteriors = CASES[name]
    answer = reply_of(bayes(api, metric_type, arms, direction=direction, **more))
    shown = np.exp if metric_type == "log_normal" else lambda value: value
    draws = np.array([p.rvs(DRAWS, random_state=i) for i, p in enumerate(posteriors)])
    better = draws if direction == "increase" else -draws
    best = better.argmax(axis=0)
    for i, (arm, posterior) in enumerate(zip(answer["arms"], posteriors, strict=True)):
        assert (arm["ci_lower"], arm["ci_upper"]) == pytest.approx(shown(np.array(posterior.interval(.95))), rel=1e-5)
        assert arm["mean"] == pytest.approx(shown(posterior.mean()), rel=1e-5)
        assert arm["probability_best"] == pytest.approx(np.mean(best == i), abs=5 / DRAWS**.5)
        lost = better.max(axis=0) - better[i]
        assert arm["expected_loss"] == pytest.approx(lost.mean(), abs=6 * lost.std() / DRAWS**.5)
    for i, comparison in enumerate(answer["comparisons"], start=1):
        gap = shown(draws[i] - draws[0])
        assert comparison["probability_better"] == pytest.approx(np.mean(better[i] > better[0]), abs=5 / DRAWS**.5)
        for q, end in ((.025, "ci_lower"), (.975, "ci_upper")):
            assert np.mean(gap < comparison[end]) == pytest.approx(q, abs=.002), end
    losses = [arm["expected_loss"] for arm in answer["arms"]]
    assert answer["best_arm"] == int(np.argmin(losses)) and answer["stopping"] is None


def test_a_prior_from_past_experiments(api):
    """Its mean and its weight are those that the past was drawn from; without a difference it is worth all of it."""
    rng = np.random.default_rng(5)
    rates = rng.beta(40, 360, 200)
    past = [{"n": 20000, "converted": int(rng.binomial(20000, rate))} for rate in rates]
    prior = reply_of(bayes(api, "binary", RATES, past=past))["prior"]
    assert (prior["source"], prior["experiments"]) == ("past", 200)
    assert prior["a"] / prior["n"] == pytest.approx(.1, rel=.05) and prior["n"] == pytest.approx(400, rel=.3)
    alike = reply_of(bayes(api, "binary", RATES, past=[{"n": 1000, "converted": 100}] * 3))["prior"]
    assert (alike["a"], alike["b"]) == (pytest.approx(300), pytest.approx(2700))
    means = rng.normal(50, 2, 200)
    past = [{"n": 400, "mean": float(m + rng.normal(0, 10 / 20)), "std": 10} for m in means]
    prior = reply_of(bayes(api, "continuous", MEANS, past=past))["prior"]
    assert prior["mean"] == pytest.approx(50, abs=.6) and prior["n"] == pytest.approx(25, rel=.35)
    assert prior["std"] == pytest.approx(10) and prior["degrees"] == 200
    levels = rng.gamma(30, .1, 200)
    past = [{"events": int(rng.poisson(1000 * level)), "exposure": 1000} for level in levels]
    prior = reply_of(bayes(api, "count", COUNTS, past=past))["prior"]
    assert prior["a"] / prior["b"] == pytest.approx(3, rel=.05) and prior["b"] == pytest.approx(10, rel=.35)


def test_error_rates_of_stopping_are_those_of_another_simulation(api):
    looks, threshold, n = 10, .0004, 5000
    answer = reply_of(bayes(api, "binary", [{"n": n, "converted": 500}, {"n": n, "converted": 520}], looks=looks,
                            loss_threshold=threshold, worthwhile_effect=.01))
    stopping = answer["stopping"]
    assert stopping["stop"] == (min(arm["expected_loss"] for arm in answer["arms"]) < threshold)
    rng = np.random.default_rng(1)
    for measured, effect in zip(stopping["measured"], (0, .01), strict=True):
        # Users, rather than the estimate: binomial counts at each look, uniform priors, normal loss of the posteriors.
        made = [rng.binomial(n // looks, rate, (20000, looks)).cumsum(axis=1) for rate in (.102, .102 + effect)]
        users = np.arange(1, looks + 1) * (n // looks)
        post = [(m + 1) / (users + 2) for m in made]
        error = np.sqrt(sum(p * (1 - p) / (users + 3) for p in post))
        z = (post[1] - post[0]) / error
        loss = error * (stats.norm.pdf(z) - abs(z) * stats.norm.sf(abs(z)))
        first = np.where((loss < threshold).any(axis=1), (loss < threshold).argmax(axis=1), -1)
        chosen = np.where(first < 0, 0, np.sign(z[np.arange(20000), first]))
        for name, sign in (("chose_treatment", 1), ("chose_control", -1)):
            rate = measured[name]
            assert rate["ci_lower"] - .02 < np.mean(chosen == sign) < rate["ci_upper"] + .02, (effect, name)
            low, high = stats.binomtest(round(rate["rate"] * 10000), 10000).proportion_ci(method="exact")
            assert (rate["ci_lower"], rate["ci_upper"]) == pytest.approx((low, high), abs=2e-4)


WRONG = [
    ("binary", [{"n": 5, "converted": 6}, {"n": 5, "converted": 1}], {}, "converted"),
    ("binary", [{"n": 5, "converted": 1}, {"n": 5, "events": 1}], {}, "metric_type"),
    ("continuous", [{"n": 5, "converted": 1}] * 2, {}, "metric_type"),
    ("count", [{"events": 5, "exposure": 0}] * 2, {}, "greater than"),
    ("binary", RATES, {"prior": {"a": 1, "b": .1}}, "prior"),
    ("binary", RATES, {"prior": GIVEN}, "prior"),
    ("continuous", MEANS, {"prior": {"a": 1, "b": 2}}, "prior"),
    ("binary", RATES, {"past": [{"n": 5, "converted": 1}]}, "prior"),
    ("binary", RATES[:1], {}, "at least 2"),
    ("binary", RATES * 4, {}, "at most 10"),
]


@pytest.mark.parametrize("metric_type,arms,more,text", WRONG)
def test_what_does_not_fit_is_refused(api, metric_type, arms, more, text):
    answer = bayes(api, metric_type, arms, **more)
    assert answer.status == 422 and text in answer.text.lower(), answer


@pytest.mark.parametrize("metric_type,arms,more", [
    ("continuous", [{"n": 1, "mean": 3, "std": 0}] * 2, {}), ("continuous", [{"n": 9, "mean": 3, "std": 0}] * 2, {}),
    ("log_normal", [{"n": 9, "mean": 800, "std": 3}] * 2, {}),
    ("binary", RATES, {"past": [{"n": 5, "converted": 0}] * 2}), ("binary", RATES, {"past": [{"n": 0, "converted": 0}] * 2})])
def test_what_has_no_posterior_is_said(api, metric_type, arms, more):
    for language in LANGUAGES:
        assert bayes(api, metric_type, arms, language, **more).status == 400


def test_extremes_stay_finite(api):
    for metric_type, arms in (
            ("binary", [{"n": 10**12, "converted": 1}, {"n": 0, "converted": 0}]),
            ("binary", [{"n": 10**12, "converted": 10**12}, {"n": 1, "converted": 0}]),
            ("count", [{"events": 0, "exposure": 1e-9}, {"events": 10**12, "exposure": 1e15}]),
            ("continuous", [{"n": 2, "mean": -1e15, "std": 1e-9}, {"n": 10**12, "mean": 1e15, "std": 1e15}])):
        answer = reply_of(bayes(api, metric_type, arms, loss_threshold=1, looks=100))
        assert sum(arm["probability_best"] for arm in answer["arms"]) == pytest.approx(1, abs=1e-5)
