"""What stands beside the figures: the interval that belongs to each test, inverted by scipy or by enumeration, and the relative lift by delta method, Fieller's theorem and score equation in 50 digits."""
import math
import random

import mpmath as mp
import numpy as np
import pytest
import scipy.stats
from mpmath import mpf
from scipy.stats.contingency import odds_ratio

from accuracy import Following
from analyzers_driver import ALPHAS, Analyzers, sample_pairs, table_cases
from experiments_analyzers_test import hypergeometric_weights
from experiments_driver import no_complaints
from experiments_resampling_test import mean_statistic, permutation_p, small_pairs
from experiments_results_test import quantile, student_survival
from stored import stored

NOT_COMPUTED, DELTA, FIELLER, LOG_DELTA, SCORE, CONDITIONAL, OF_ZERO, UNBOUNDED, TOO_LARGE = range(9)
CLOSED, ITERATIVE = 1e-9, 1e-6


@pytest.fixture
def worst(worst, accuracy):
    return Following(worst, accuracy, {
        "score interval": ("binary", "iterative"), "exact odds ratio": ("fisher_exact", "iterative"),
        "exact rate ratio": ("count", "closed"), "lift of rates": ("binary", "iterative"),
        "lift of means": ("continuous", "closed"), "lift, equivalence": ("equivalence", "closed")})


@pytest.fixture(scope="module")
def analyzers(evaluator):
    return Analyzers(evaluator)


def leaves_out(row, value):
    """Ends that are not given bound nothing."""
    return value < row.own_lower or value > row.own_upper


def has_variance(case):
    return 0 < case[0] + case[2] < case[1] + case[3]


# Rates

def likeliest_rate(x1, n1, x2, n2, difference):
    """Of control, when treatment's is that much higher: where the likelihood is flat, by halving."""
    low, high = max(mpf(0), -difference), min(mpf(1), 1 - difference)
    for _ in range(110):
        rate = (low + high) / 2
        rising = [mpf(x) / r for x, r in ((x1, rate), (x2, rate + difference)) if x]
        falling = [mpf(x) / r for x, r in ((n1 - x1, 1 - rate), (n2 - x2, 1 - rate - difference)) if x]
        low, high = (rate, high) if sum(rising) > sum(falling) else (low, rate)
    return low


@stored
def score_z(x1, n1, x2, n2, percent):
    with mp.workdps(30):
        return score_statistic(x1, n1, x2, n2, mpf(percent) / 100)


def score_statistic(x1, n1, x2, n2, difference):
    rate = likeliest_rate(x1, n1, x2, n2, difference)
    other = rate + difference
    return (mpf(x2) / n2 - mpf(x1) / n1 - difference) / mp.sqrt(rate * (1 - rate) / n1 + other * (1 - other) / n2)


def test_score_interval_solves_its_equation(analyzers, worst):
    complaints = []
    cases = [case for case in table_cases(200, 201, largest=60) + table_cases(100, 202, largest=3000) if has_variance(case)]
    cases += [(x1, 10 ** 7, x2, 3 * 10 ** 7, .01) for x1, x2 in ((0, 30), (4, 8), (12, 2), (9999990, 3 * 10 ** 7 - 1))]
    for case, row in zip(cases, analyzers.run("binary", cases)):
        *arms, alpha = case
        with mp.workdps(30):
            for end, sign in ((row.own_lower, 1), (row.own_upper, -1)):
                if abs(end) < 100:
                    z = score_z(*arms, end)
                    complaints.append(worst.check("score interval", float(abs(z * sign / quantile(alpha) - 1)), CLOSED, case))
        assert leaves_out(row, 0) == bool(row.significant), case
        assert row.own_lower <= row.effect <= row.own_upper
    no_complaints(complaints)


def test_score_interval_in_print(analyzers):
    """Newcombe 1998, table II, method 5, 56 of 70 and 48 of 80."""
    row, = analyzers.run("binary", [(48, 80, 56, 70, .05)])
    assert (round(row.own_lower, 2), round(row.own_upper, 2)) == (5.33, 33.77)


def test_score_interval_of_everybody_against_nobody(analyzers):
    """With a difference d the likeliest rates are (1 - d) / 2 and (1 + d) / 2; both bounds of the rest are 100."""
    for row, sign in zip(analyzers.run("binary", [(0, 20, 20, 20, .05), (20, 20, 0, 20, .05)]), (1, -1)):
        near, far = sorted((row.own_lower * sign, row.own_upper * sign))
        d, z2 = near / 100, scipy.stats.norm.isf(.025) ** 2
        assert far == 100 and (1 - d) ** 2 == pytest.approx(z2 * (1 - d * d) / 40, rel=1e-9)


def test_exact_odds_ratio_solves_its_equation(analyzers, worst):
    complaints, cases = [], table_cases(260, 204, largest=60)
    for case, row in zip(cases, analyzers.run("fisher", cases)):
        weights, seen, alpha = hypergeometric_weights(*case[:4]), case[0], case[4]
        if len(weights) == 1:
            assert math.isnan(row.own_lower) and math.isnan(row.own_upper)
            continue
        assert (row.own_lower == 0) == (seen == min(weights))
        assert math.isnan(row.own_upper) == (seen == max(weights))
        with mp.workdps(30):
            for end, beyond in ((row.own_lower, lambda k: k >= seen), (row.own_upper, lambda k: k <= seen)):
                if end > 0:
                    terms = {k: w * mpf(end) ** (k - seen) for k, w in weights.items()}
                    tail = mp.fsum(t for k, t in terms.items() if beyond(k)) / mp.fsum(terms.values())
                    complaints.append(worst.check("exact odds ratio", float(abs(tail / (mpf(alpha) / 2) - 1)), CLOSED, case))
    no_complaints(complaints)


def test_exact_odds_ratio_is_scipys(analyzers):
    cases = [case for case in table_cases(60, 205, largest=80) if has_variance(case)]
    for case, row in zip(cases, analyzers.run("fisher", cases)):
        x1, n1, x2, n2, alpha = case
        low, high = odds_ratio([[x1, n1 - x1], [x2, n2 - x2]], kind="conditional").confidence_interval(1 - alpha)
        assert row.own_lower == pytest.approx(low, rel=1e-6)
        assert math.isinf(high) if math.isnan(row.own_upper) else row.own_upper == pytest.approx(high, rel=1e-6)


# Counts

def count_cases():
    draw, cases = random.Random(206), []
    for _ in range(260):
        exposures = [10 ** draw.uniform(-3, 6) for _ in range(2)]
        cases.append((draw.choice([0, draw.randint(0, 30), draw.randint(0, 5000)]), exposures[0],
                      draw.choice([0, draw.randint(0, 30), draw.randint(0, 5000)]), exposures[1], draw.choice(ALPHAS)))
    return [case for case in cases if case[0] + case[2]]


def test_exact_rate_ratio_is_clopper_pearsons(analyzers, worst):
    complaints, cases = [], count_cases()
    for case, row in zip(cases, analyzers.run("poisson", cases)):
        control, t1, treatment, t2, alpha = case
        ends = scipy.stats.binomtest(treatment, control + treatment).proportion_ci(1 - alpha, "exact")
        assert (row.own_lower == 0) == (treatment == 0) and math.isnan(row.own_upper) == (control == 0)
        with mp.workdps(40):
            for ours, share in ((row.own_lower, ends.low), (row.own_upper, ends.high)):
                if 0 < share < 1:
                    at = mpf(ours) * mpf(t2) / mpf(t1)
                    complaints.append(worst.check("exact rate ratio", float(abs(at / (1 + at) / share - 1)), CLOSED, case, "scipy"))
        if control:
            assert row.lift == CONDITIONAL
            assert (row.lift_lower, row.lift_upper) == (100 * (row.own_lower - 1), 100 * (row.own_upper - 1))
        else:
            assert row.lift == OF_ZERO
    no_complaints(complaints)


# Ranks

@stored
def kept_by_scipy(control, treatment, alpha, method):
    """The hull of the shifts that scipy's test does not reject: it is the same between two differences."""
    steps = np.unique(np.subtract.outer(np.array(treatment), np.array(control)).ravel())
    between = np.concatenate([[steps[0] - 1], (steps[1:] + steps[:-1]) / 2, [steps[-1] + 1]])
    kept = [scipy.stats.mannwhitneyu(np.array(treatment) - shift, control, method=method).pvalue >= alpha for shift in between]
    first, last = kept.index(True), len(kept) - 1 - kept[::-1].index(True)
    return steps[first - 1] if first else math.nan, steps[last] if last < len(steps) else math.nan


@pytest.mark.parametrize("method,sizes", [("exact", (2, 12)), ("asymptotic", (16, 25))])
def test_rank_interval_is_scipys_test_inverted(analyzers, method, sizes):
    draw, pairs = random.Random(207), []
    for _ in range(120 if method == "exact" else 40):
        n, m = draw.randint(*sizes), draw.randint(*sizes)
        pairs.append(([draw.gauss(0, 1) for _ in range(n)], [draw.gauss(draw.choice([0, .7, 2]), 1) for _ in range(m)],
                      draw.choice(ALPHAS)))
    for (control, treatment, alpha), row in zip(pairs, analyzers.values("rank_sum", pairs)):
        expected = kept_by_scipy(control, treatment, alpha, method)
        assert [row.own_lower, row.own_upper] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert leaves_out(row, 0) == bool(row.significant)


def test_rank_interval_and_ties(analyzers):
    """Tied values move the p-value by half a pair: then, and only then, an end is 0."""
    pairs = [(c, t, alpha) for (c, t), alpha in zip(sample_pairs(600, 208), ALPHAS * 150)]
    for (control, treatment, alpha), row in zip(pairs, analyzers.values("rank_sum", pairs)):
        if leaves_out(row, 0) != bool(row.significant):
            assert row.significant and 0 in (row.own_lower, row.own_upper) and set(control) & set(treatment)


# Permutations

def test_permutation_interval_is_the_test_inverted(analyzers):
    """All relabellings, with the shift taken off: rejected just beyond an end, kept just inside."""
    pairs = [(c, t, alpha) for (c, t), alpha in zip(small_pairs(220, 209, [4, 5, 6]), (.01, .05, .1) * 80)]
    checked = 0
    for (control, treatment, alpha), row in zip(pairs, analyzers.values("bootstrap", pairs)):
        scale = max(max(map(abs, control + treatment)), 1e-300)
        width = max(control + treatment) - min(control + treatment)
        for end, outwards in ((row.own_lower, -1), (row.own_upper, 1)):
            def p(shift):
                return permutation_p(control, [t - shift for t in treatment], mean_statistic(None))[0]
            if math.isnan(end):
                assert p(outwards * 1e3 * scale) >= alpha
            elif width > 1e-6 * scale and not row.own_upper - row.own_lower < 1e-4 * width:
                assert p(end + outwards * 1e-5 * width) < alpha <= p(end - outwards * 1e-5 * width)
                checked += 1
        assert leaves_out(row, 0) == bool(row.significant), (control, treatment)
    assert checked > 100


def test_permutation_interval_and_drawn_p_agree(analyzers):
    pairs = [(c, t, alpha) for (c, t), alpha in zip(sample_pairs(300, 210, decades=3), ALPHAS * 75)]
    for (control, treatment, alpha), row in zip(pairs, analyzers.values("bootstrap", pairs)):
        assert leaves_out(row, 0) == bool(row.significant), (control, treatment)


# Relative lift

def fieller_or_delta(m1, e1, m2, e2, critical):
    """(kind, lower, upper) in percent of |m1|, from two values and their standard errors."""
    g = (critical * e1 / m1) ** 2
    if g >= 1:
        return UNBOUNDED, None, None
    if g < mpf("0.05") and m1 > 0 and m2 > 0 and (critical * e2 / m2) ** 2 >= mpf("0.05"):
        half = critical * mp.sqrt(e1 ** 2 / m1 ** 2 + e2 ** 2 / m2 ** 2)
        return LOG_DELTA, 100 * (m2 / m1 * mp.exp(-half) - 1), 100 * (m2 / m1 * mp.exp(half) - 1)
    if g < mpf("0.05"):
        half = critical * mp.sqrt(e2 ** 2 / m1 ** 2 + m2 ** 2 * e1 ** 2 / m1 ** 4)
        kind, ends = DELTA, [m2 / m1 - half, m2 / m1 + half]
    else:  # (m2 - r m1)^2 = c^2 (e2^2 + r^2 e1^2)
        a, b, c = m1 ** 2 - critical ** 2 * e1 ** 2, -2 * m1 * m2, m2 ** 2 - critical ** 2 * e2 ** 2
        root = mp.sqrt(b ** 2 - 4 * a * c)
        kind, ends = FIELLER, [(-b - root) / (2 * a), (-b + root) / (2 * a)]
    lower, upper = sorted(100 * (end - 1) * mp.sign(m1) for end in ends)
    return kind, lower, upper


def compare_lift(worst, label, row, expected, case):
    assert row.lift == expected[0], (case, row.lift, expected)
    if expected[1] is None:
        return []
    scale = max(abs(expected[1]), abs(expected[2]), 100)
    return [worst.check(label, float(abs(ours - theirs) / scale), CLOSED, case)
            for ours, theirs in ((row.lift_lower, expected[1]), (row.lift_upper, expected[2]))]


def likeliest_control(x1, n1, x2, n2, ratio):
    """Control's rate when treatment's is `ratio` times that: where the likelihood is flat, by halving."""
    low, high = mpf(0), min(mpf(1), 1 / ratio)
    for _ in range(120):
        rate = (low + high) / 2
        failing = [(n1 - x1, 1 / (1 - rate)) if n1 > x1 else (0, 0), (n2 - x2, ratio / (1 - ratio * rate)) if n2 > x2 else (0, 0)]
        slope = (x1 + x2) / rate - sum(count * weight for count, weight in failing)
        low, high = (rate, high) if slope > 0 else (low, rate)
    return low


def ratio_statistic(x1, n1, x2, n2, ratio):
    """Koopman 1984: the root of his chi-square, with the sign of the distance."""
    rate = likeliest_control(x1, n1, x2, n2, ratio)
    other = ratio * rate
    distance = mpf(x2) / n2 - ratio * mpf(x1) / n1
    return distance / mp.sqrt(other * (1 - other) / n2 + ratio ** 2 * rate * (1 - rate) / n1)


EXTREME_TABLES = [(30, 10 ** 4, 0, 10 ** 4, .05), (1, 10 ** 7, 10 ** 6, 10 ** 7, .001), (10 ** 6, 10 ** 7, 1, 10 ** 7, .1),
                  (3, 10 ** 8, 5, 10 ** 8, .05), (10 ** 8 - 4, 10 ** 8, 10 ** 8 - 1, 10 ** 8, .05), (7, 7, 9, 9, .05),
                  (1, 2, 2, 2, .001), (2, 2, 0, 2, .05), (1, 10 ** 6, 2, 2, .05), (10 ** 5, 10 ** 5, 10 ** 5 - 1, 10 ** 5, .01)]


@pytest.mark.parametrize("method", ["binary", "fisher"])
def test_lift_of_rates_solves_its_equation(analyzers, worst, method):
    complaints = []
    cases = EXTREME_TABLES + table_cases(120, 211, largest=100) + table_cases(120, 212, largest=20000)
    cases = [case for case in cases if method == "fisher" and case[1] + case[3] < 10 ** 5 or has_variance(case)]
    if method == "fisher":
        cases = [case for case in cases if case[1] + case[3] <= 40000]
    for case, row in zip(cases, analyzers.run(method, cases)):
        *arms, alpha = case
        assert row.lift == (SCORE if arms[0] else OF_ZERO), case
        if not arms[0]:
            continue
        assert row.lift_lower < row.lift_upper and -100 <= row.lift_lower <= row.relative <= row.lift_upper, case
        assert (row.lift_lower == -100) == (arms[2] == 0), case
        with mp.workdps(40):
            for end, sign in ((row.lift_lower, 1), (row.lift_upper, -1)):
                if end > -100:
                    z = ratio_statistic(*arms, 1 + mpf(end) / 100)
                    complaints.append(worst.check("lift of rates", float(abs(z * sign / quantile(alpha) - 1)), ITERATIVE, case))
    no_complaints(complaints)


def test_lift_of_rates_is_that_of_statsmodels(analyzers):
    statsmodels = pytest.importorskip("statsmodels.stats.proportion")
    cases = [case for case in table_cases(60, 214, largest=3000) if 0 < case[0] < case[1] and 0 < case[2] < case[3]]
    for case, row in zip(cases, analyzers.run("binary", cases)):
        x1, n1, x2, n2, alpha = case
        ends = statsmodels.confint_proportions_2indep(x2, n2, x1, n1, compare="ratio", method="score", correction=False,
                                                      alpha=alpha)
        assert [1 + row.lift_lower / 100, 1 + row.lift_upper / 100] == pytest.approx(ends, rel=1e-5), case


def mean_cases():
    draw, cases = random.Random(213), []
    for _ in range(260):
        unit = 10 ** draw.uniform(-100, 100)
        std1, std2 = (unit * 10 ** draw.uniform(-1, 1) for _ in range(2))
        n1, n2 = draw.randint(2, 500), draw.randint(2, 500)
        mean1 = draw.choice([-1, 1]) * std1 / math.sqrt(n1) * draw.choice([1, 4, 8, 30, 300])
        mean2 = mean1 * draw.choice([1, 1.1, .8, .1, -2, 0])
        cases.append((mean1, std1, n1, mean2, std2, n2, draw.choice(ALPHAS)))
    return cases


def student_quantile(alpha, df):
    return mp.findroot(lambda t: student_survival(t, df) - mpf(alpha), scipy.stats.t.isf(alpha, float(df)))


@pytest.mark.parametrize("method", ["continuous", "equivalence"])
def test_lift_of_means(analyzers, worst, method):
    complaints, kinds, cases = [], set(), mean_cases()
    label, tail = {"continuous": ("lift of means", .5), "equivalence": ("lift, equivalence", 1)}[method]
    margin = (1.0,) if method == "equivalence" else ()
    for case, row in zip(cases, analyzers.run(method, [case + margin for case in cases])):
        mean1, std1, n1, mean2, std2, n2, alpha = case
        with mp.workdps(50):
            v1, v2 = mpf(std1) ** 2 / n1, mpf(std2) ** 2 / n2
            df = (v1 + v2) ** 2 / (v1 ** 2 / (n1 - 1) + v2 ** 2 / (n2 - 1))
            expected = fieller_or_delta(mpf(mean1), mp.sqrt(v1), mpf(mean2), mp.sqrt(v2), student_quantile(alpha * tail, df))
            complaints += compare_lift(worst, label, row, expected, case)
        kinds.add(row.lift)
    assert kinds == {DELTA, FIELLER, LOG_DELTA, UNBOUNDED}
    no_complaints(complaints)


def test_lift_without_a_control_value(analyzers):
    nothing, large = analyzers.run("continuous", [(0.0, 1.0, 20, 1.0, 1.0, 20, .05), (1e-150, 1e-160, 20, 1e100, 1e200, 20, .05)])
    assert nothing.lift == OF_ZERO and large.lift == TOO_LARGE
