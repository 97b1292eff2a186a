"""Permutation tests and bootstrap intervals. What can be enumerated is compared to the last digits; what
is drawn, with its exact distribution, in standard errors of 2000 draws; and all of it must be fast."""
import itertools
import math
import random

import mpmath as mp
import numpy as np
import pytest
import scipy.stats
from mpmath import mpf

from accuracy import Following
from analyzers_driver import Analyzers, sample_pairs
from experiments_driver import no_complaints

CLOSED = 1e-9
DRAWN = 3.0  # standard errors
RESAMPLES = 2000


@pytest.fixture
def worst(worst, accuracy):
    rows = {f"{method} {what}": (method, kind) for method in ("bootstrap", "quantile") for what, kind in (
        ("exact p", "closed"), ("drawn p", "simulated"), ("interval", "simulated"), ("SD", "simulated"))}
    return Following(worst, accuracy, {
        **rows, **{f"bootstrap {what}": ("bootstrap", "closed") for what in ("statistic", "d", "power")}})


@pytest.fixture(scope="module")
def analyzers(evaluator):
    return Analyzers(evaluator)


def mean_statistic(_):
    return lambda arms: arms.mean(axis=-1)


def quantile_statistic(q):
    return lambda arms: np.quantile(arms, q, axis=-1)


STATISTICS = {"bootstrap": mean_statistic, "quantile": quantile_statistic}


def permutation_p(control, treatment, statistic):
    """Over all relabellings, with the tolerance for ties that the tests have."""
    pooled, n = np.array(control + treatment), len(control)
    largest, everybody = max(map(abs, pooled)), set(range(len(pooled)))
    observed = abs(statistic(np.array(treatment)) - statistic(np.array(control)))
    picks = [list(pick) for pick in itertools.combinations(range(len(pooled)), n)]
    rests = [sorted(everybody.difference(pick)) for pick in picks]
    distances = np.abs(statistic(pooled[rests]) - statistic(pooled[picks]))
    tolerance = 1e-9 * (min(1, largest) + observed) + 1e-14 * largest
    return np.mean(distances >= observed - tolerance), len(picks)


def small_pairs(count, seed, sizes, decades=0):
    pairs, draw = sample_pairs(10 * count, seed, decades=decades), random.Random(seed)
    cut = [(c[:draw.choice(sizes)], t[:draw.choice(sizes)]) for c, t in pairs]
    return [(c, t) for c, t in cut if min(len(c), len(t)) >= 2][:count]


@pytest.mark.parametrize("method", STATISTICS)
def test_all_relabellings(analyzers, worst, method):
    complaints, enumerated, draw = [], 0, random.Random(5)
    cases = [(c, t, 0.05, draw.choice([0.5, 0.25, 0.9, 0.01]))
             for c, t in small_pairs(210, 149, [2, 3, 4, 5, 6], decades=3)]
    for case, row in zip(cases, analyzers.values(method, cases)):
        control, treatment, _, q = case
        p, count = permutation_p(control, treatment, STATISTICS[method](q))
        assert row.first == count
        enumerated += 1
        complaints.append(worst.check(f"{method} exact p", abs(row.p - p), CLOSED, case, "enum."))
    assert enumerated >= 200
    no_complaints(complaints)


@pytest.mark.parametrize("method", STATISTICS)
def test_random_relabellings(analyzers, worst, method):
    """C(14, 7) = 3432 relabellings are drawn from, not gone through; (1 + k) / (1 + 2000) of them."""
    complaints, draw, cases = [], random.Random(7), []
    for _ in range(90):
        n = draw.choice([6, 7])
        shift = draw.choice([0, 0.5, 1, 2])
        arms = [draw.gauss(0, 1) for _ in range(n)], [draw.gauss(shift, 1) for _ in range(14 - n)]
        cases.append((*arms, 0.05, draw.choice([0.5, 0.3])))
    for case, row in zip(cases, analyzers.values(method, cases)):
        control, treatment, _, q = case
        p, _ = permutation_p(control, treatment, STATISTICS[method](q))
        drawn = (row.p * (RESAMPLES + 1) - 1) / RESAMPLES
        error = abs(drawn - p) / math.sqrt(max(p * (1 - p), 1e-3) / RESAMPLES)
        assert row.first == RESAMPLES
        complaints.append(worst.check(f"{method} drawn p, in SE", error, DRAWN, case, "enum."))
    no_complaints(complaints)


def bootstrap_distribution(control, treatment, statistic):
    """Every resample of both arms: differences, in ascending order."""
    values = [statistic(np.array(list(itertools.product(arm, repeat=len(arm))))) for arm in (control, treatment)]
    return np.sort(np.subtract.outer(values[1], values[0]).ravel())


@pytest.mark.parametrize("method", STATISTICS)
def test_bootstrap_interval_in_the_exact_distribution(analyzers, worst, method):
    """So much of the exact bootstrap distribution lies below the ends of the interval as should."""
    complaints, draw, cases = [], random.Random(11), []
    for _ in range(120):
        arms = [[draw.gauss(0, 1) for _ in range(draw.choice([3, 4]))] for _ in "ct"]
        cases.append((*arms, draw.choice([0.05, 0.1]), draw.choice([0.5, 0.25, 0.8])))
    for case, row in zip(cases, analyzers.values(method, cases)):
        control, treatment, alpha, q = case
        exact = bootstrap_distribution(control, treatment, STATISTICS[method](q))
        error = math.sqrt(alpha / 2 * (1 - alpha / 2) / RESAMPLES)
        for end, tail in ((row.lower, alpha / 2), (row.upper, 1 - alpha / 2)):
            below = np.mean(exact < end - 1e-9)
            up_to = np.mean(exact <= end + 1e-9)
            # an end between two atoms is an interpolation of neighbours that may lie on either
            miss = max(below - tail, tail - up_to, 0) / error
            complaints.append(worst.check(f"{method} interval, in SE", miss, DRAWN, case, "enum."))
        if method == "quantile" and row.statistic:
            spread = exact.std()
            kurtosis = scipy.stats.kurtosis(exact)
            ours = row.effect / row.statistic
            error = spread * math.sqrt((kurtosis + 2) / 4 / RESAMPLES)
            complaints.append(worst.check("quantile SD, in SE", abs(ours - spread) / error, DRAWN, case, "enum."))
    no_complaints(complaints)


def exact_moments(values):
    """Mean and variance in 50 digits."""
    values = [mpf(v) for v in values]
    mean = mp.fsum(values) / len(values)
    return mean, mp.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)


def test_statistic_of_means_is_welchs(analyzers, worst):
    """Values around 1e9 among them; a small number of resamples, as only the formulas are compared."""
    complaints, cases = [], [(c, t, 0.05, 0.5, 0.2, 20) for c, t in sample_pairs(230, 151)]
    for case, row in zip(cases, analyzers.values("bootstrap", cases)):
        n, m, label = len(case[0]), len(case[1]), tuple(case)
        if len(set(case[0])) == len(set(case[1])) == 1:
            assert row.statistic == row.power == 0 and math.isnan(row.size)
            continue
        with mp.workdps(50):
            (mean1, v1), (mean2, v2) = map(exact_moments, case[:2])
            welch = (mean2 - mean1) / mp.sqrt(v1 / n + v2 / m)
            d = (mean2 - mean1) / mp.sqrt(((n - 1) * v1 + (m - 1) * v2) / (n + m - 2))
            critical = mp.sqrt(2) * mp.erfinv(mpf("0.95"))
            power = sum(mp.erfc((critical + sign * abs(welch)) / mp.sqrt(2)) / 2 for sign in (-1, 1))
        for name, ours, theirs in (("statistic", row.statistic, welch), ("d", row.size, d)):
            complaints.append(worst.check(f"bootstrap {name}", abs(ours - theirs) / (1 + abs(theirs)), CLOSED, label))
        complaints.append(worst.check("bootstrap power", abs(row.power - power), CLOSED, label))
    no_complaints(complaints)


def test_quantiles_are_numpys(analyzers, worst):
    complaints, draw = [], random.Random(157)
    cases = [(c, t, 0.05, draw.choice([0.01, 0.25, 0.5, draw.random(), 0.99]), 0.2, 20)
             for c, t in sample_pairs(230, 163)]
    for case, row in zip(cases, analyzers.values("quantile", cases)):
        control, treatment, _, q = case[:4]
        for ours, arm in ((row.control, control), (row.treatment, treatment)):
            theirs = float(np.quantile(np.array(arm), q))
            complaints.append(worst.check("sample quantile", abs(ours - theirs) / max(map(abs, arm + [1e-300])), 1e-14,
                                          (len(arm), q), "numpy"))
    no_complaints(complaints)


@pytest.mark.parametrize("method", STATISTICS)
def test_neither_order_nor_unit_nor_role_matters(analyzers, method):
    """The same resamples whatever the order of the values; p-values survive a change of unit by a power of
    two, and of roles."""
    draw = random.Random(167)
    pairs = [([draw.gauss(0, 1) for _ in range(20)], [draw.gauss(0.5, 1) for _ in range(25)]) for _ in range(10)]
    plain = analyzers.values(method, pairs)
    shuffled = analyzers.values(method, [(draw.sample(c, len(c)), draw.sample(t, len(t))) for c, t in pairs])
    for unit in (2.0 ** -900, 2.0 ** 40, 2.0 ** 900):
        scaled = analyzers.values(method, [([v * unit for v in c], [v * unit for v in t]) for c, t in pairs])
        for one, other in zip(plain, scaled):
            assert (one.p, one.statistic) == (other.p, other.statistic) and one.lower * unit == other.lower
    swapped = analyzers.values(method, [(t, c) for c, t in pairs])
    for one, other, mirror in zip(plain, shuffled, swapped):
        assert (one.p, one.lower, one.upper, one.statistic) == (other.p, other.lower, other.upper, other.statistic)
        assert one.p == mirror.p and one.effect == -mirror.effect
