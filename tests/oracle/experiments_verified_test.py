"""The plans against the tests that will be run, on a grid of 200 designs for each planned test: tables and
totals enumerated here by other means, tests of means integrated over drawn variances, ranks simulated.

The verified power must be right, the verified size must reach the target to half a point, and one user less
must not, where the power rises with every user. With ASSAY_TEST_SOAK=1 (make soak) ranks are drawn twenty times
as often and every size of the following quarter is looked at.
"""
import itertools
import math
import os

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from experiments_driver import Driver
from stored import digest, stored

SOAK = os.environ.get("ASSAY_TEST_SOAK") == "1"
BINARY, CONTINUOUS, RATIO, COUNT = range(4)
OWN, FISHER, MANN_WHITNEY, TOST = -1, 1, 2, 3
NONE = math.nan
HALF_POINT = 0.005
LEVELS = list(itertools.product((.05, .01, .1, .025, .005), (.8, .9, .7, .95)))


def design(metric, test, baseline, mde, alpha, power, std=NONE, exposure=NONE, margin=NONE):
    return (metric, test, baseline, mde, alpha, power, 2, std, exposure, margin, NONE, NONE)


def proportions(test, rates):
    """Ten pairs of rates at each of twenty levels."""
    return [design(BINARY, test, p, 100 * (q / p - 1), alpha, power)
            for (p, q), (alpha, power) in itertools.product(rates, LEVELS)]


def means(metric, test, effects):
    return [design(metric, test, 10.0, 10 * effect, alpha, power, std=1.0, margin=10 * effect if test == TOST else NONE)
            for effect, (alpha, power) in itertools.product(effects, LEVELS)]


GRID = {
    "z_test of rates": proportions(OWN, [(.05, .15), (.2, .4), (.5, .7), (.01, .06), (.3, .45), (.8, .95), (.1, .2),
                                         (.45, .55), (.002, .02), (.9, .97)]),
    "fisher_exact": proportions(FISHER, [(.05, .3), (.2, .5), (.5, .8), (.01, .15), (.3, .6), (.6, .95), (.1, .4),
                                         (.4, .65), (.02, .25), (.7, .98)]),
    "z_test of means": means(CONTINUOUS, OWN, [.1, .2, .3, .5, .7, 1.0, 1.5, 2.0, 3.0, 5.0]),
    "z_test of ratios": means(RATIO, OWN, [.1, .2, .3, .5, .7, 1.0, 1.5, 2.0, 3.0, 5.0]),
    "tost": means(CONTINUOUS, TOST, [.15, .2, .3, .5, .7, 1.0, 1.5, 2.0, 3.0, 5.0]),
    "mann_whitney": means(CONTINUOUS, MANN_WHITNEY, [.5, .6, .7, .8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0]),
    "poisson_rate": [design(COUNT, OWN, rate, mde, alpha, power, exposure=exposure)
                     for (rate, mde, exposure), (alpha, power) in itertools.product(
                         [(.3, 20, 1), (.3, 100, 1), (5, 30, 1), (.01, 300, 1), (2, 50, .25), (40, 100, 1), (.1, 60, 3),
                          (1, 25, 1), (.5, 1000, 1), (.02, 150, 10)], LEVELS)],
}


def effect_of(case):
    return case[2] * case[3] / 100


def z_power(case, n):
    p, alpha = case[2], case[4]
    q = p + effect_of(case)
    x, y = (np.arange(max(0, int(n * r - 9 * math.sqrt(n * r * (1 - r)) - 40)),
                      min(n, int(n * r + 9 * math.sqrt(n * r * (1 - r)) + 40)) + 1) for r in (p, q))
    pooled = (x[:, None] + y) / (2 * n)
    with np.errstate(all="ignore"):
        z = np.abs(y - x[:, None]) / n / np.sqrt(pooled * (1 - pooled) * 2 / n)
    rejects = np.nan_to_num(z) > stats.norm.isf(alpha / 2)
    return float(stats.binom.pmf(x, n, p) @ rejects @ stats.binom.pmf(y, n, q))


@stored
def fisher_power(case, n):
    p, alpha = case[2], case[4]
    q, k = p + effect_of(case), np.arange(n + 1)
    control, treatment = stats.binom.pmf(k, n, p), stats.binom.pmf(k, n, q)
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    power = 0.0
    for m in range(2 * n + 1):
        x = np.arange(max(0, m - n), min(n, m) + 1)
        joint = control[m - x] * treatment[x]
        if joint.sum() < 1e-12:
            continue
        masses = np.exp(choose[x] + choose[m - x] - (gammaln(2 * n + 1) - gammaln(m + 1) - gammaln(2 * n - m + 1)))
        order = np.sort(masses)
        p_values = np.cumsum(order)[np.searchsorted(order, masses * (1 + 1e-7), side="right") - 1]
        power += joint[p_values < alpha * (1 - 1e-10)].sum()
    return float(power)


def count_power(case, n):
    control = case[2] * n * case[8]
    both, share = control * (2 + case[3] / 100), (1 + case[3] / 100) / (2 + case[3] / 100)
    spread = 9 * math.sqrt(both) + 40
    totals = np.arange(max(0, int(both - spread)), int(both + spread) + 1)
    # 2 P(X >= c) < alpha for the first time
    c = totals - stats.binom.ppf(case[4] / 2, totals, .5) + 1
    for step in (-2, -1, -1, -1):
        lower = np.maximum(c + step, np.floor(totals / 2) + 1)
        c = np.where(2 * stats.binom.sf(lower - 1, totals, .5) < case[4], lower, c)
    c = np.where(2 * stats.binom.sf(c - 1, totals, .5) < case[4], c, c + 1)
    rejected = stats.binom.sf(c - 1, totals, share) + stats.binom.cdf(totals - c, totals, share)
    return float(stats.poisson.pmf(totals, both) @ rejected)


def draws_of(*arguments):
    """A generator that draws the same for the same arguments."""
    return np.random.default_rng(int(digest(repr(arguments)), 16))


def t_quantiles(tail, df, n):
    grid = np.linspace(n - 1, 2 * n - 2, 400)
    return np.interp(df, grid, stats.t.isf(tail, grid))


@stored
def mean_power(case, n):
    """Given the two sample variances the rest is a normal probability; these are drawn."""
    metric, test, alpha = case[0], case[1], case[4]
    first, second = draws_of(case, n).chisquare(n - 1, (2, 80_000 if n < 12 else 12_000)) / (n - 1)
    error = np.sqrt((first + second) / n)
    df = (first + second) ** 2 * (n - 1) / (first ** 2 + second ** 2)
    true_error, effect = math.sqrt(2 / n), effect_of(case) / case[7]
    if test == TOST:
        reach = (case[2] * case[9] / 100 / case[7] - t_quantiles(alpha, df, n) * error) / true_error
        return float(np.maximum(2 * stats.norm.cdf(reach) - 1, 0).mean())
    critical = stats.norm.isf(alpha / 2) if metric == RATIO else t_quantiles(alpha / 2, df, n)
    reach = critical * error / true_error
    return float((stats.norm.sf(reach - effect / true_error) + stats.norm.cdf(-reach - effect / true_error)).mean())


def rank_p_values(u, n):
    """Two-sided, exact up to 30 values, as the analysis has them."""
    if 2 * n > 30:
        z = np.maximum(np.abs(u - n * n / 2) - .5, 0) / math.sqrt(n * n / 12 * (2 * n + 1))
        return 2 * stats.norm.sf(z)
    ways = np.zeros(n * n + 1)
    ways[0] = 1
    for i in range(1, n + 1):
        for k in range(n * n, n + i - 1, -1):
            ways[k] -= ways[k - n - i]
        for k in range(i, n * n + 1):
            ways[k] += ways[k - i]
    below = np.cumsum(ways) / ways.sum()
    u = np.minimum(u, n * n - u).astype(int)
    return np.minimum(1, 2 * below[u])


@stored
def rank_power_of(case, n, draws):
    draw = draws_of(case, n, draws)
    ranks = np.argsort(np.argsort(np.concatenate(
        [draw.standard_normal((draws, n)), draw.standard_normal((draws, n)) + effect_of(case) / case[7]], axis=1)))
    u = ranks[:, n:].sum(axis=1) - n * (n - 1) / 2
    return float((rank_p_values(u, n) < case[4]).mean())


def rank_power(case, n):
    return rank_power_of(case, n, 100_000 if SOAK else 5000)


# Reference, what it is off by itself, and whether every user adds power.
JUDGES = {
    "z_test of rates": (z_power, 1e-9, False),
    "fisher_exact": (fisher_power, 1e-8, False),
    "z_test of means": (mean_power, 5e-3, True),
    "z_test of ratios": (mean_power, 5e-3, True),
    "tost": (mean_power, 5e-3, True),
    "mann_whitney": (rank_power, HALF_POINT + (.008 if SOAK else .03), False),
    "poisson_rate": (count_power, 1e-8, False),
}


@pytest.mark.parametrize("name", GRID)
def test_plans_reach_their_power(evaluator, name):
    power_of, limit, rises = JUDGES[name]
    cases, missed = GRID[name], []
    assert len(cases) == 200
    rows = Driver(evaluator).rows("verified", cases)
    for case, (planned, power, verified) in zip(cases, rows):
        planned, verified, target = int(planned), int(verified), case[5]
        reached = power_of(case, verified)
        if reached < target - max(HALF_POINT, limit):
            missed.append(("short", case, verified, reached))
        if planned >= 2 and planned <= 2000:
            there = power_of(case, planned)
            if abs(there - power) > limit:
                missed.append(("power", case, planned, power, there))
        least = 1 if case[0] == COUNT else 2
        if rises and verified > least and power_of(case, verified - 1) > target + limit:
            missed.append(("too large", case, verified))
    assert not missed, "\n" + "\n".join(map(str, missed[:10])) + f"\n{len(missed)} in all"


@pytest.mark.parametrize("name", ["z_test of rates", "fisher_exact", "poisson_rate"])
def test_more_users_never_fall_short(evaluator, name):
    """Power is a saw in the users: from the verified size on its teeth stay above the target, and the size
    before is a tooth that does not."""
    power_of, _, _ = JUDGES[name]
    cases = GRID[name][::1 if SOAK else 8]
    for case, (_, _, verified) in zip(cases, Driver(evaluator).rows("verified", cases)):
        verified, target = int(verified), case[5]
        if verified > (600 if SOAK else 120):
            continue
        if verified > (1 if name == "poisson_rate" else 2):
            assert power_of(case, verified - 1) < target, case
        for n in range(verified, verified + 3 + verified // 4):
            assert power_of(case, n) >= target - 1e-9, (case, verified, n)


# How far the drawn power may be from that worked out at the same size: teeth of rates are not drawn.
CURVE_LIMITS = {"z_test of rates": 2e-4}
WIDE = {
    "z_test of rates": proportions(OWN, [(p, p * (1 + lift)) for p, lift in (
        (.042, .05), (.1, .1), (.01, .02), (.3, .01), (.002, .1), (.95, .01), (.15, -.05), (.02, .3), (.2, .02), (.6, .05))]),
    "poisson_rate": [design(COUNT, OWN, rate, mde, alpha, power, exposure=1) for rate, mde in (
        (.3, 5), (.3, 12), (5, 2), (.01, 30)) for alpha, power in LEVELS[::3]],
}


@pytest.mark.parametrize("name", [*GRID, "wide z_test of rates", "wide poisson_rate"])
def test_curves_have_the_power_of_every_size(evaluator, name):
    kind = name.removeprefix("wide ")
    cases, missed = (GRID if kind == name else WIDE)[kind], []
    for case, row in zip(cases, Driver(evaluator).rows("curve", cases)):
        for size, drawn, exact in zip(row[::3], row[1::3], row[2::3]):
            if not abs(drawn - exact) <= CURVE_LIMITS.get(kind, 1e-4):
                missed.append((case, size, drawn, exact))
    assert not missed, "\n" + "\n".join(map(str, missed[:10])) + f"\n{len(missed)} in all"


def test_rates_of_many_users(evaluator):
    """Where tables are no longer walked through: what is left out is less than what is printed."""
    near = [(case, int(size)) for case in WIDE["z_test of rates"][:80:2]
            for size in (3e4, 6e4, 1.2e5) if 100 < case[2] * size < 3e3]
    cases = [(*case, size, size) for case, size in near]
    assert len(cases) > 25
    for (case, size), (power,) in zip(near, Driver(evaluator).rows("verified_power", cases)):
        assert abs(power - z_power(case, size)) < 5e-5, (case, size)


def region_power(outcomes, alpha):
    """Of (null probability, probability) per outcome given each total: p adds all that are no likelier."""
    power = 0.0
    for null, actual in outcomes:
        order = np.argsort(null)
        sums = np.cumsum(null[order])
        p = sums[np.searchsorted(null[order], null * (1 + 1e-7), side="right") - 1]
        power += actual[p < alpha * (1 - 1e-10)].sum()
    return power


def unequal_tables(rate, other, n1, n2):
    for total in range(n1 + n2 + 1):
        x = np.arange(max(0, total - n2), min(n1, total) + 1)
        yield (stats.hypergeom.pmf(x, n1 + n2, total, n1),
               stats.binom.pmf(x, n1, rate) * stats.binom.pmf(total - x, n2, other))


def unequal_counts(first, second, share):
    for total in range(int(first + second + 10 * math.sqrt(first + second) + 40)):
        x = np.arange(total + 1)
        yield stats.binom.pmf(x, total, share), stats.poisson.pmf(x, first) * stats.poisson.pmf(total - x, second)


NOTHING = (math.nan,) * 5
ARMS = [(10, 40), (90, 10), (33, 67), (5, 80), (60, 61), (7, 200)]


def test_unequal_arms_of_fishers_test(evaluator):
    cases = [(BINARY, FISHER, rate, lift, alpha, .95, 2, *NOTHING, *arms) for arms in ARMS
             for rate, lift in ((.1, 200.), (.5, 60.), (.02, 1000.)) for alpha in (.05, .01, .001)]
    for case, (power,) in zip(cases, Driver(evaluator).rows("verified_power", cases)):
        rate, lift, alpha, (n1, n2) = case[2], case[3], case[4], case[-2:]
        assert power == pytest.approx(region_power(unequal_tables(rate, rate * (1 + lift / 100), n1, n2), alpha), abs=1e-9)


def test_unequal_arms_of_counts(evaluator):
    cases = [(COUNT, OWN, base, lift, .05, .95, 2, *NOTHING, *arms) for arms in ARMS for base, lift in ((1., 50.), (.1, 300.))]
    for case, (power,) in zip(cases, Driver(evaluator).rows("verified_power", cases)):
        base, lift, (n1, n2) = case[2], case[3], case[-2:]
        outcomes = unequal_counts(base * n1, base * (1 + lift / 100) * n2, n1 / (n1 + n2))
        assert power == pytest.approx(region_power(outcomes, case[4]), abs=1e-9)


CLUSTERED = [(metric, effect, size, icc, alpha, power)
             for (metric, effect), (size, icc), (alpha, power) in itertools.product(
                 [(CONTINUOUS, .2), (CONTINUOUS, .5), (RATIO, .3), (BINARY, .25), (BINARY, 1.0), (COUNT, .3)],
                 [(10, .05), (50, .02), (100, .1), (400, .3), (25.5, .9)], [(.05, .8), (.01, .9), (.1, .7)])]


def test_clusters_are_planned_by_the_t_test_of_their_means(evaluator):
    """The same power as that of as many single values with the deviation of a cluster's mean, in whole clusters."""
    cases = [(metric, OWN, .2, 100 * effect, alpha, power, 2, NONE if metric in (BINARY, COUNT) else .2, NONE, NONE, size, icc)
             for metric, effect, size, icc, alpha, power in CLUSTERED]
    for (metric, effect, size, icc, alpha, target), (planned, power, verified) in zip(
            CLUSTERED, Driver(evaluator).rows("verified", cases)):
        rates = .2, .2 * (1 + effect)
        variance = {BINARY: sum(p * (1 - p) for p in rates) / 2, COUNT: sum(rates) / 2}.get(metric, .04)
        means = design(CONTINUOUS, OWN, .2, 100 * effect, alpha, target, std=math.sqrt(variance * (1 + (size - 1) * icc) / size))
        clusters, enough = math.ceil(planned / size - 1e-9), round(verified / size - .01)
        case = (metric, effect, size, icc, alpha, target, clusters, enough)
        assert power == pytest.approx(mean_power(means, clusters) if clusters > 1 else 0, abs=2e-3), case
        assert mean_power(means, enough) > target - HALF_POINT, case
        assert enough == 2 or mean_power(means, enough - 1) < target + HALF_POINT, case
        if clusters > 5:  # Student's test, whose degrees of freedom are not estimated, has hardly more
            shift = .2 * effect / means[7] * math.sqrt(clusters / 2)
            critical = stats.t.isf(alpha / 2, 2 * clusters - 2)
            student = stats.nct.sf(critical, 2 * clusters - 2, shift) + stats.nct.cdf(-critical, 2 * clusters - 2, shift)
            assert student - .02 < power < student + 1e-3, case
