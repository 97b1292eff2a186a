"""Sample sizes and power against statsmodels where it has the same formula, against definitions
worked out in mpmath or exact fractions where it has not.

A planned size is an integer, so it is judged by what it promises: the reference's power reaches the
target at n and misses it at n - 1. Both sides get ROUNDING, the rounding of two double evaluations of
power; a size that differs for that reason alone is right.
"""
import itertools
import math
import random
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import scipy.stats
from mpmath import mpf
from scipy.special import gammaln
from scipy.stats import norm
from statsmodels.stats import power as sm_power
from statsmodels.stats import proportion as sm_proportion

from experiments_driver import Driver, Refused, no_complaints
from stored import stored

BINARY, CONTINUOUS, RATIO, COUNT = range(4)
OWN, FISHER, MANN_WHITNEY, TOST = -1, 1, 2, 3
NONE = math.nan
ROUNDING = 1e-11
# Power through erfc and sqrt on both sides: a few units in the last place of a number below 1,
# times the slope of the normal distribution and the size of its argument.
POWER_LIMIT = 1e-12


def levels(draw):
    alpha = draw.choice([1e-10, 1e-6, 0.001, 0.01, 0.05, 0.1, 0.2, draw.uniform(1e-4, 0.3)])
    power = draw.choice([0.5, 0.7, 0.8, 0.9, 0.95, 0.999999, draw.uniform(0.4, 0.999)])
    return alpha, power


def request(metric, test, baseline, mde, alpha, power, variants=2, std=NONE, exposure=NONE,
            margin=NONE, cluster=NONE, icc=NONE):
    return (metric, test, baseline, mde, alpha, power, variants, std, exposure, margin, cluster, icc)


def least(complaints, worst, label, case, reached, missed, target, source):
    """The promise of a size: `reached` at n, `missed` at n - 1 (None where n is the least allowed)."""
    complaints.append(worst.check(label, max(0.0, float(target - reached)), ROUNDING, case, source))
    if missed is not None:
        complaints.append(worst.check(label, max(0.0, float(missed - target)), ROUNDING, case, source))


def binary_cases():
    draw, cases = random.Random(31), []
    while len(cases) < 250:
        rate = draw.choice([draw.uniform(0.01, 0.99), 10 ** draw.uniform(-6, -1)])
        mde = 10 ** draw.uniform(-1, 3)
        variants = draw.choice([2, 2, 3, 5, 10])
        alpha, power = levels(draw)
        if rate * (1 + mde / 100) < 0.999:
            cases.append(request(BINARY, OWN, rate, mde, alpha, power, variants))
    return cases


def normal_power_by_definition(n, p1, difference, alpha):
    """P(reject towards the difference), 30 digits: the power function without statsmodels."""
    with mp.workdps(30):
        p1, d = mpf(p1), mpf(difference)
        p2, mean = p1 + d, p1 + d / 2
        critical = mp.sqrt(2) * mp.erfinv(1 - mpf(alpha))
        z = (abs(d) * mp.sqrt(n) - critical * mp.sqrt(2 * mean * (1 - mean))) / mp.sqrt(
            p1 * (1 - p1) + p2 * (1 - p2))
        return mp.ncdf(z)


def test_binary_sizes(evaluator, worst):
    cases, complaints = binary_cases(), []
    for case, row in zip(cases, Driver(evaluator).rows("plan", cases)):
        _, _, rate, mde, alpha, power, variants, *_ = case
        n, alpha, difference = int(row[0]), alpha / max(1, variants - 1), rate * (mde / 100)
        at, before, half = (normal_power_by_definition(m, rate, difference, alpha)
                            for m in (n, n - 1, mpf(n) / 2))
        least(complaints, worst, "binary size", case, at, before if n > 1 else None, power, "mpmath")
        for ours, theirs in ((row[4], at), (row[5], before), (row[6], half)):
            complaints.append(worst.check("binary power", abs(ours - theirs), POWER_LIMIT, case))
        # the same formula in statsmodels; relative 1e-9 because it subtracts rates where we keep
        # their difference
        theirs = sm_proportion.samplesize_proportions_2indep_onetail(
            difference, rate, power, alpha=alpha, alternative="two-sided")
        complaints.append(worst.check("binary size, ceiling", abs(n - max(math.ceil(theirs), 1)),
                                      1 if abs(theirs - round(theirs)) < 1e-9 * theirs else 0, case,
                                      "statsm."))
    no_complaints(complaints)


def mean_cases(metric=CONTINUOUS, test=OWN):
    draw, cases = random.Random(metric * 10 + test), []
    while len(cases) < 220:
        alpha, power = levels(draw)
        baseline, std = 10 ** draw.uniform(-3, 4), 10 ** draw.uniform(-2, 3)
        effect = 10 ** draw.uniform(-4, 0.3)  # in standard deviations
        mde = 100 * effect * std / baseline
        cases.append(request(metric, test, baseline, mde, alpha, power, draw.choice([2, 2, 3, 7]),
                             std=std, margin=mde if test == TOST else NONE))
    return cases


def effect_of(case):
    return case[2] * (case[3] / 100) / case[7]


@pytest.mark.parametrize("metric", [CONTINUOUS, RATIO], ids=["continuous", "ratio"])
def test_mean_sizes(evaluator, worst, metric):
    """NormalIndPower with one tail of alpha / 2 is the same function: our power counts rejections
    towards the effect."""
    cases, complaints = mean_cases(metric), []
    solver = sm_power.NormalIndPower()
    for case, row in zip(cases, Driver(evaluator).rows("plan", cases)):
        n, power, alpha, effect = int(row[0]), case[5], case[4] / max(1, case[6] - 1), effect_of(case)
        at, before, half = (solver.power(effect, m, alpha / 2, alternative="larger")
                            for m in (n, n - 1, n / 2))
        least(complaints, worst, "mean size", case, at, before if n > 1 else None, power, "statsm.")
        for ours, theirs in ((row[4], at), (row[5], before), (row[6], half)):
            complaints.append(worst.check("mean power", abs(ours - theirs), POWER_LIMIT, case,
                                          "statsm."))
    no_complaints(complaints)


def test_counting_both_tails_changes_little(evaluator, worst):
    """zt_ind_solve_power also counts rejections in the wrong direction, so it asks for no more
    users. For alpha <= 0.1 and power >= 0.8 that share is below 2e-5, worth less than 1e-4 of n."""
    complaints = []
    cases = [case for case in mean_cases() if case[4] <= 0.1 and case[5] >= 0.8 and case[6] == 2]
    assert len(cases) > 40
    for case, row in zip(cases, Driver(evaluator).rows("plan", cases)):
        theirs = sm_power.zt_ind_solve_power(effect_of(case), alpha=case[4], power=case[5])
        complaints.append(worst.check("mean size, both tails", (row[0] - 1 - theirs) / row[0], 1e-4,
                                      case, "statsm."))
        # never more than ours, but for the tolerance of their root finder
        complaints.append(worst.check("mean size, both tails", (theirs - row[0]) / row[0], 1e-8, case,
                                      "statsm."))
    no_complaints(complaints)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scipy's noncentral t on the way
def test_t_test_needs_a_quarter_of_z_squared_more(evaluator, worst):
    """The plan is the normal approximation to a t-test. What it leaves out is z(1 - alpha/2)^2 / 4
    users per arm (Guenther 1981): exact t sizes, with rejections counted in the same direction, lie
    above ours by that, give or take our ceiling and a tenth of a user."""
    complaints, solver = [], sm_power.TTestIndPower()
    cases = [request(CONTINUOUS, OWN, 1.0, 100 * effect, alpha, power, std=1.0)
             for effect, alpha, power in itertools.product((0.1, 0.25, 0.4), (0.01, 0.05, 0.1),
                                                           (0.5, 0.8, 0.95))]
    for case, row in zip(cases, Driver(evaluator).rows("plan", cases)):
        theirs = solver.solve_power(case[3] / 100, alpha=case[4] / 2, power=case[5],
                                    alternative="larger")
        left_out = norm.isf(case[4] / 2) ** 2 / 4
        complaints.append(worst.check("mean size, t-test", abs(theirs - row[0] + 0.5 - left_out), 0.6,
                                      case, "statsm."))
    no_complaints(complaints)


def test_mann_whitney_sizes(evaluator, worst):
    complaints, cases = [], mean_cases(CONTINUOUS, MANN_WHITNEY)
    for case, row in zip(cases, Driver(evaluator).rows("plan", cases)):
        complaints.append(worst.check("Mann-Whitney size",
                                      abs(row[0] - math.ceil(row[2] * math.pi / 3)), 0, case, "own"))
        at = sm_power.NormalIndPower().power(effect_of(case), row[0] * 3 / math.pi,
                                             case[4] / max(1, case[6] - 1) / 2, alternative="larger")
        complaints.append(worst.check("Mann-Whitney power", abs(row[4] - at), POWER_LIMIT, case,
                                      "statsm."))
        complaints.append(worst.check("Mann-Whitney size", max(0.0, case[5] - at), ROUNDING, case,
                                      "statsm."))
    no_complaints(complaints)


def tost_power(n, distance, alpha):
    """Both one-sided z-tests reject at a true difference of 0; `distance` is margin / sigma."""
    with mp.workdps(30):
        critical = mp.sqrt(2) * mp.erfinv(1 - 2 * mpf(alpha))
        return max(mpf(0), 2 * mp.ncdf(mpf(distance) * mp.sqrt(mpf(n) / 2) - critical) - 1)


@stored
def tost_size(distance, alpha, power):
    """The smallest n >= 2, by doubling and bisection: no closed form."""
    high = 2
    while tost_power(high, distance, alpha) < power:
        high *= 2
    low = 1
    while high - low > 1:
        middle = (low + high) // 2
        if tost_power(middle, distance, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def test_equivalence_sizes(evaluator, worst):
    cases, complaints = mean_cases(CONTINUOUS, TOST), []
    for case, row in zip(cases, Driver(evaluator).rows("plan", cases)):
        alpha, distance = case[4] / max(1, case[6] - 1), effect_of(case)
        expected = tost_size(distance, alpha, case[5])
        # where power changes by less than its rounding from one user to the next, the least n is
        # known to so many users only
        blur = math.ceil(1e-14 * expected)
        complaints.append(worst.check("equivalence size", abs(row[0] - expected), blur, case))
        complaints.append(worst.check("equivalence power",
                                      abs(row[4] - tost_power(row[0], distance, alpha)), POWER_LIMIT,
                                      case))
    no_complaints(complaints)


def test_count_sizes(evaluator, worst):
    """A test of the treatment's share of all events against 1/2, which statsmodels sizes from the
    two standard deviations; then events into users."""
    draw, complaints, cases = random.Random(5), [], []
    for _ in range(250):
        alpha, power = levels(draw)
        cases.append(request(COUNT, OWN, 10 ** draw.uniform(-4, 3), 10 ** draw.uniform(-1, 3), alpha,
                             power, draw.choice([2, 3]), exposure=10 ** draw.uniform(-2, 2)))
    for case, row in zip(cases, Driver(evaluator).rows("plan", cases)):
        _, _, rate, mde, alpha, power, variants, _, exposure, *_ = case
        ratio = 1 + mde / 100
        share = ratio / (1 + ratio)
        events = sm_power.normal_sample_size_one_tail(
            share - 0.5, power, alpha / max(1, variants - 1) / 2, std_null=0.5,
            std_alternative=math.sqrt(share * (1 - share)))
        # 1e-12 of cancellation in share - 0.5 over there
        near = abs(events - round(events)) < 1e-9 * events
        complaints.append(worst.check("count events", abs(row[3] - max(1, math.ceil(events))),
                                      1 if near else 0, case, "statsm."))
        users = math.ceil(row[3] / (rate + rate * ratio) / exposure - 1e-9)
        complaints.append(worst.check("count users", abs(row[0] - max(1, users)), 0, case, "own"))
    no_complaints(complaints)


def test_count_power_is_near_the_exact_one(evaluator, worst):
    """Exact power of the conditional binomial test at the planned number of events. The normal
    formula is off by the lattice of the binomial: at most half a step of its distribution, about
    0.2 / sqrt(E) in either direction and twice that where alpha is spent in whole steps."""
    complaints = []
    cases = [request(COUNT, OWN, 1.0, mde, alpha, power)
             for mde, alpha, power in itertools.product((10.0, 30.0, 80.0), (0.01, 0.05), (0.7, 0.9))]
    for case, row in zip(cases, Driver(evaluator).rows("plan", cases)):
        events, ratio = int(row[3]), 1 + case[3] / 100
        critical = scipy.stats.binom.isf(case[4] / 2, events, 0.5)  # reject above
        exact = scipy.stats.binom.sf(critical, events, ratio / (1 + ratio))
        complaints.append(worst.check("count power, exact", abs(exact - case[5]),
                                      0.8 / math.sqrt(events), case, "scipy"))
    no_complaints(complaints)


def fisher_power_exact(p1, p2, n, alpha):
    """All tables of two arms of n: p-values in integers against alpha as it was written (0.1, not
    the double above it), masses in 30 digits."""
    with mp.workdps(30):
        alpha, choose = Fraction(repr(alpha)), [math.comb(n, x) for x in range(n + 1)]
        first, second = ([c * mpf(p) ** x * (1 - mpf(p)) ** (n - x) for x, c in enumerate(choose)]
                         for p in (p1, p2))
        power = mpf(0)
        for m in range(2 * n + 1):
            total, extreme = math.comb(2 * n, m), 0
            ways = sorted((choose[x] * choose[m - x], x) for x in range(max(0, m - n), min(m, n) + 1))
            for way, same in itertools.groupby(ways, key=lambda pair: pair[0]):
                same = [x for _, x in same]
                extreme += way * len(same)
                if extreme * alpha.denominator >= total * alpha.numerator:
                    break
                power += sum(first[m - x] * second[x] for x in same)
        return power


def test_fisher_power_by_enumeration(evaluator, worst):
    """1e-11: log-factorials of numbers up to 1000 carry 1e-12, and 1e-15 of the mass is skipped."""
    draw, complaints, cases = random.Random(8), [], []
    for _ in range(200):
        cases.append((draw.choice([draw.random(), 0.0, 10 ** draw.uniform(-4, -1)]),
                      draw.choice([draw.random(), 1.0, 1 - 10 ** draw.uniform(-4, -1)]),
                      draw.randint(1, 24),
                      draw.choice([0.5, 0.25, 0.05, 0.1, 0.01, 1e-6, draw.uniform(0, 0.3)])))
    for case, (power,) in zip(cases, Driver(evaluator).rows("fisher", cases)):
        complaints.append(worst.check("Fisher power", abs(power - fisher_power_exact(*case)), 1e-11,
                                      case, "exact"))
    no_complaints(complaints)


def fisher_power_by_sorting(p1, p2, n, alpha):
    """Every slice by its masses in ascending order, as the definition says."""
    log_choose = gammaln(n + 1) - gammaln(np.arange(n + 1) + 1) - gammaln(n - np.arange(n + 1) + 1)
    first, second = (scipy.stats.binom.pmf(np.arange(n + 1), n, p) for p in (p1, p2))
    power = 0.0
    for m in range(2 * n + 1):
        support = np.arange(max(0, m - n), min(m, n) + 1)
        mass = np.exp(log_choose[support] + log_choose[m - support]
                      - (log_choose[support] + log_choose[m - support]).max())
        order = np.sort(mass / mass.sum())
        tails = np.concatenate([[0], np.cumsum(order)])
        p = tails[np.searchsorted(order, mass / mass.sum() * (1 + 1e-7), side="right")]
        rejected = support[p < alpha]
        power += first[m - rejected] @ second[rejected]
    return power


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scipy's binomial mass underflows
def test_fisher_power_at_the_size_of_plans(evaluator, worst):
    complaints, driver = [], Driver(evaluator)
    cases = [(0.2, 0.4, 90, 0.05), (0.2, 0.4, 89, 0.05), (0.51, 0.6, 500, 0.05),
             (0.002, 0.02, 700, 0.01), (0.97, 0.99, 1000, 0.05), (0.3, 0.3, 400, 0.05),
             (0.4, 0.6, 300, 1e-8), (0.5, 0.5, 1000, 0.9)]
    for case, (power,) in zip(cases, driver.rows("fisher", cases)):
        complaints.append(worst.check("Fisher power, plans",
                                      abs(power - fisher_power_by_sorting(*case)), 1e-11, case,
                                      "numpy"))
    no_complaints(complaints)


def test_fisher_p_values_are_scipys(evaluator):
    """The rejection region of one design, table by table, from scipy.stats.fisher_exact: with rates
    of 0 and 1 forced on neither side, power at p1 = p2 = 1/2 counts the tables that reject."""
    n, alpha = 12, 0.05
    rejecting = 0
    for a, b in itertools.product(range(n + 1), repeat=2):
        if scipy.stats.fisher_exact([[a, n - a], [b, n - b]])[1] < alpha:
            rejecting += math.comb(n, a) * math.comb(n, b)
    (power,), = Driver(evaluator).rows("fisher", [(0.5, 0.5, n, alpha)])
    assert power * 4 ** n == pytest.approx(rejecting, rel=1e-12)


def test_fisher_sizes_beyond_the_scan(evaluator, worst):
    """Casagrande, Pike and Smith from n_z; and their power function back at n."""
    cases = [request(BINARY, FISHER, *case[2:]) for case in binary_cases()]
    complaints, checked = [], 0
    for case, row in zip(cases, Driver(evaluator).rows("plan", cases)):
        if isinstance(row, Refused) or row[2] <= 500:
            continue
        checked += 1
        d = case[2] * (case[3] / 100)
        expected = row[2] / 4 * (1 + math.sqrt(1 + 4 / (row[2] * d))) ** 2
        complaints.append(worst.check("Fisher size, large", abs(row[0] - math.ceil(expected)), 0, case,
                                      "own"))
        at = normal_power_by_definition((mp.sqrt(row[0]) - 1 / (d * mp.sqrt(row[0]))) ** 2, case[2], d,
                                        case[4] / max(1, case[6] - 1))
        complaints.append(worst.check("Fisher power, large", abs(row[4] - at), POWER_LIMIT, case))
        complaints.append(worst.check("Fisher size, large", max(0.0, float(case[5] - at)), ROUNDING, case))
    assert checked > 100
    no_complaints(complaints)


def test_clusters(evaluator, worst):
    draw, complaints = random.Random(12), []
    plain = binary_cases()[:200]
    clustered = [(*case[:10], 10 ** draw.uniform(0, 4), draw.random() ** 3) for case in plain]
    driver = Driver(evaluator)
    for case, one, many in zip(clustered, driver.rows("plan", plain), driver.rows("plan", clustered)):
        effect = 1 + (case[10] - 1) * case[11]
        complaints.append(worst.check("clustered size", abs(many[0] - math.ceil(one[0] * effect)), 0,
                                      case, "own"))
        complaints.append(worst.check("clustered power", max(0.0, case[5] - many[4]), ROUNDING, case,
                                      "own"))
    no_complaints(complaints)


def test_companions(evaluator, worst):
    """CUPED: NormalIndPower with the effect over the reduced deviation. Precision: the half-width of
    the interval at n is what was asked, at n - 1 it is wider."""
    draw, complaints, cases = random.Random(17), [], []
    for case in mean_cases():
        cases.append((*case, 10 ** draw.uniform(-2, 3), draw.uniform(-0.999, 0.999),
                      case[7] * 10 ** draw.uniform(-4, -1), draw.uniform(0.51, 0.999)))
    for case, row in zip(cases, Driver(evaluator).rows("companions", cases)):
        rho, reduced = case[13], case[7] * math.sqrt(1 - case[13] ** 2)
        at, before = (sm_power.NormalIndPower().power(
            effect_of(case) * case[7] / reduced, max(m, 1e-9), case[4] / max(1, case[6] - 1) / 2,
            alternative="larger") for m in (row[0], row[0] - 1))
        least(complaints, worst, "CUPED size", case, at, before if row[0] > 1 else None, case[5],
              "statsm.")
        for ours, theirs in ((row[1], reduced), (row[2], 100 * rho ** 2),
                             (row[3], rho * case[7] / case[12])):
            # 1 - rho^2 loses 1e-13 over there where rho is near 1
            complaints.append(worst.compare("CUPED figures", ours, theirs, 1e-12, case, "own"))
        at, before = (norm.isf((1 - case[15]) / 2) * case[7] * math.sqrt(2 / max(m, 1e-9))
                      for m in (row[4], row[4] - 1))
        complaints.append(worst.check("precision size", at / case[14] - 1, ROUNDING, case, "own"))
        complaints.append(worst.check("precision size", 1 - before / case[14], ROUNDING, case, "own"))
    no_complaints(complaints)


def test_guardrails(evaluator, worst):
    """The change found, put back into the power function, has the target power; 1e-9 because a
    change near the end of the range moves both rates' variances."""
    draw, complaints, cases = random.Random(23), [], []
    for _ in range(200):
        cases.append((draw.uniform(0.001, 0.999), draw.randint(0, 1), draw.choice([0.01, 0.05, 0.1]),
                      draw.choice([0.7, 0.8, 0.9]), draw.randint(10, 10 ** 6)))
    for case, (given, change) in zip(cases, Driver(evaluator).rows("guardrail", cases)):
        rate, downward, alpha, power, n = case
        most = rate if downward else 1 - rate
        largest = normal_power_by_definition(n, rate, (-1 if downward else 1) * (most - 1e-9), alpha)
        complaints.append(worst.check("guardrail exists", abs(given - (largest >= power)), 0, case))
        if given:
            at = normal_power_by_definition(n, rate, -change if downward else change, alpha)
            complaints.append(worst.check("guardrail change", abs(at - power), 1e-9, case))
    no_complaints(complaints)
