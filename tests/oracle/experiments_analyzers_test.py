"""The two-sample methods that have a formula: equivalence, ranks, trimmed means, exact tables, Poisson
rates. Judges are scipy, 50-digit arithmetic, and the definition itself by enumeration."""
import itertools
import math
import random
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from mpmath import mpf

from accuracy import Following
from analyzers_driver import ALPHAS, Analyzers, sample_pairs, table_cases
from experiments_driver import no_complaints
from experiments_results_test import binary_by_definition, student_survival
import experiments_results_test as results
from stored import stored

CLOSED = 1e-9     # what a closed form is held to
ITERATIVE = 1e-6  # what a root or a maximum is held to
TINY = 1e-280     # below, p-values lose digits to the end of the range of doubles


@pytest.fixture
def worst(worst, accuracy):
    return Following(worst, accuracy, {
        "equivalence": ("equivalence", "closed"), "Mann-Whitney": ("mann_whitney", "closed"),
        "Yuen": ("trimmed_t", "closed"), "Fisher": ("fisher_exact", "closed"),
        "odds ratio interval": ("fisher_exact", "iterative"), "Newcombe": ("fisher_exact", "closed"),
        "exact tests": ("fisher_exact", "closed"), "boschloo": ("boschloo_exact", "iterative"),
        "barnard": ("barnard_exact", "iterative"), "Poisson": ("count", "closed")})


@pytest.fixture(scope="module")
def analyzers(evaluator):
    return Analyzers(evaluator)


def relative(ours, theirs, scale=None):
    """The error of a number on the scale of the thing it belongs to."""
    size = abs(theirs) if scale is None else scale
    return float(abs(mpf(ours) - mpf(theirs)) / size) if size else float(abs(mpf(ours)))


# Equivalence

def equivalence_cases(decades):
    draw, cases = random.Random(61), []
    for _ in range(260):
        unit = 10 ** draw.uniform(-decades, decades)
        std1, std2 = (unit * 10 ** draw.uniform(-1.5, 1.5) for _ in range(2))
        n1, n2 = (int(10 ** draw.uniform(0.31, draw.choice([1, 3, 5]))) for _ in range(2))
        error = math.hypot(std1 / math.sqrt(n1), std2 / math.sqrt(n2))
        mean1 = draw.choice([0.0, unit * draw.uniform(-5, 5)])
        mean2 = mean1 + draw.choice([0, 0.3, 2, 8]) * draw.choice([-1, 1]) * error
        cases.append((mean1, std1, n1, mean2, std2, n2, draw.choice(ALPHAS), error * 10 ** draw.uniform(-1, 1.5)))
    return cases


@pytest.mark.parametrize("decades", [1, 290])
def test_equivalence_in_50_digits(analyzers, worst, decades):
    complaints, cases = [], equivalence_cases(decades)
    for case, row in zip(cases, analyzers.run("equivalence", cases)):
        mean1, std1, n1, mean2, std2, n2, alpha, margin = case
        with mp.workdps(50):
            v1, v2 = mpf(std1) ** 2 / n1, mpf(std2) ** 2 / n2
            d, error = mpf(mean2 - mean1), mp.sqrt(v1 + v2)
            df = (v1 + v2) ** 2 / (v1 ** 2 / (n1 - 1) + v2 ** 2 / (n2 - 1))
            low, high = (d + margin) / error, (d - margin) / error
            p_low, p_high = student_survival(low, df), student_survival(-high, df)
            p, statistic = max((p_low, low), (p_high, high), key=lambda pair: pair[0])
            pooled = mp.sqrt(((n1 - 1) * mpf(std1) ** 2 + (n2 - 1) * mpf(std2) ** 2) / (n1 + n2 - 2))
            complaints += [
                worst.check("equivalence statistic", relative(row.statistic, statistic), CLOSED, case),
                worst.check("equivalence d", relative(row.size, d / pooled), CLOSED, case),
                worst.check("equivalence df", relative(row.df, df), CLOSED, case)]
            if p > TINY:
                complaints.append(worst.check("equivalence p", relative(row.p, p), CLOSED, case))
            critical = (mpf(row.upper) - mpf(row.lower)) / 2 / error
            lost = 1e-15 * float(abs(d) / error)
            complaints.append(worst.check("equivalence interval", relative(student_survival(critical, df), alpha),
                                          CLOSED + 50 * lost, case))
            h = margin / error - critical
            power = 1 - 2 * student_survival(h, df) if h > 0 else 0
            complaints.append(worst.check("equivalence power", abs(row.power - power), CLOSED + 50 * lost, case))
        assert row.significant == (row.p < alpha) and row.level == 1 - 2 * alpha
    no_complaints(complaints)


def test_equivalence_is_two_of_scipys_one_sided_tests(analyzers, worst):
    complaints, cases = [], equivalence_cases(1)
    for case, row in zip(cases, analyzers.run("equivalence", cases)):
        mean1, std1, n1, mean2, std2, n2, alpha, margin = case
        low = scipy.stats.ttest_ind_from_stats(mean2 + margin, std2, n2, mean1, std1, n1, False, "greater").pvalue
        high = scipy.stats.ttest_ind_from_stats(mean2 - margin, std2, n2, mean1, std1, n1, False, "less").pvalue
        complaints.append(worst.check("equivalence p, scipy", abs(row.p - max(low, high)), CLOSED, case, "scipy"))
    no_complaints(complaints)


# Ranks

def differences(control, treatment):
    return np.sort(np.subtract.outer(np.array(treatment), np.array(control)).ravel())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scipy, where all values are tied
def test_rank_sum_is_scipys(analyzers, worst):
    """Shift and interval are order statistics of the differences, to be met exactly."""
    complaints, exact = [], 0
    pairs = sample_pairs(300, 67) + sample_pairs(40, 68, largest=300) + sample_pairs(60, 69, decades=290)
    cases = [(c, t, ALPHAS[i % 4]) for i, (c, t) in enumerate(pairs)]
    for (control, treatment, alpha), row in zip(cases, analyzers.values("rank_sum", cases)):
        pooled, n, m = control + treatment, len(control), len(treatment)
        assert row.degenerate == (len(set(pooled)) == 1)
        if row.degenerate:
            continue
        is_exact = len(set(pooled)) == len(pooled) and len(pooled) <= 30
        u, p = scipy.stats.mannwhitneyu(treatment, control, method="exact" if is_exact else "asymptotic")
        assert row.first == u and row.second == pytest.approx(u / (n * m), rel=1e-15) and row.third == is_exact
        exact += is_exact
        complaints.append(worst.check("Mann-Whitney p", relative(row.p, min(p, 1)), CLOSED, (control, treatment, alpha),
                                      "scipy"))
        assert row.size == pytest.approx(2 * u / (n * m) - 1, abs=1e-15)
        inner = differences(control, treatment)
        assert row.effect == pytest.approx(np.median(inner), rel=1e-15, abs=0)
        reach = scipy.stats.norm.isf(alpha / 2) * math.sqrt(n * m * (n + m + 1) / 12)
        rank = max(1, math.floor(n * m / 2 - reach))
        assert (row.lower, row.upper) == (inner[rank - 1], inner[n * m - rank])
        assert row.control == pytest.approx(np.median(control), rel=1e-15, abs=0)
    assert exact > 50
    no_complaints(complaints)


def test_rank_sum_z_in_fractions(analyzers, worst):
    """The statistic by ranks, from whole numbers to the last root."""
    complaints, cases = [], sample_pairs(220, 71)
    for (control, treatment), row in zip(cases, analyzers.values("rank_sum", cases)):
        pooled, n, m = control + treatment, len(control), len(treatment)
        ties = sum(t ** 3 - t for t in (pooled.count(v) for v in set(pooled)))
        total = n + m
        spread = Fraction(n * m, 12) * (Fraction(total + 1) - Fraction(ties, total * (total - 1)))
        if spread == 0:
            assert row.degenerate
            continue
        u = sum(Fraction(2 * (t > c) + (t == c), 2) for t in treatment for c in control)
        distance = u - Fraction(n * m, 2)
        distance = max(abs(distance) - Fraction(1, 2), 0) * (1 if distance > 0 else -1)
        with mp.workdps(30):
            z = mpf(distance.numerator) / distance.denominator / mp.sqrt(mpf(spread.numerator) / spread.denominator)
            complaints.append(worst.check("Mann-Whitney z", relative(row.statistic, z), CLOSED, (control, treatment)))
    no_complaints(complaints)


# Trimmed means

def yuen_by_definition(values, trim):
    values, n = sorted(map(mpf, values)), len(values)
    cut = int(n * trim)
    kept = values[cut:n - cut]
    winsorised = [kept[0]] * cut + kept + [kept[-1]] * cut
    mean, h = mp.fsum(winsorised) / n, len(kept)
    squares = mp.fsum((v - mean) ** 2 for v in winsorised)
    return mp.fsum(kept) / h, squares / (h * (h - 1)) if h > 1 else None, h


@pytest.mark.parametrize("decades", [0, 290])
def test_trimmed_means_in_50_digits(analyzers, worst, decades):
    complaints, draw = [], random.Random(73)
    cases = [(c, t, draw.choice(ALPHAS), 0.5, draw.choice([0.0, 0.1, 0.2, 0.25, 0.4, 0.49]))
             for c, t in sample_pairs(260, 79, decades=decades)]
    for case, row in zip(cases, analyzers.values("trimmed", cases)):
        control, treatment, alpha, _, trim = case
        label = tuple(case)
        with mp.workdps(50):
            (m1, d1, h1), (m2, d2, h2) = (yuen_by_definition(arm, trim) for arm in (control, treatment))
            assert (row.first, row.second) == (h1, h2)
            assert row.degenerate == (min(h1, h2) < 2 or d1 + d2 == 0)
            if row.degenerate:
                continue
            difference, error = m2 - m1, mp.sqrt(d1 + d2)
            df = (d1 + d2) ** 2 / (d1 ** 2 / (h1 - 1) + d2 ** 2 / (h2 - 1))
            size = max(abs(m1), abs(m2))
            complaints += [
                worst.check("Yuen difference", relative(row.effect, difference, size), CLOSED, label),
                worst.check("Yuen statistic", abs(row.statistic - difference / error) / (1 + abs(difference) / error),
                            CLOSED, label),
                worst.check("Yuen df", relative(row.df, df), CLOSED, label)]
            p = 2 * student_survival(abs(mpf(row.statistic)), row.df)
            if p > TINY:
                complaints.append(worst.check("Yuen p", relative(row.p, p), CLOSED, label))
            critical = (mpf(row.upper) - mpf(row.lower)) / 2 / error
            lost = 4e-16 * float(abs(difference) / error)  # where the difference was added
            complaints.append(worst.check("Yuen interval", relative(student_survival(critical, df), mpf(alpha) / 2),
                                          CLOSED + 100 * lost, label))
    no_complaints(complaints)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # scipy, where an arm is constant
def test_trimmed_means_are_scipys(analyzers, worst):
    complaints, cases = [], [(c, t, 0.05, 0.5, 0.2) for c, t in sample_pairs(240, 83)]
    for (control, treatment, *_), row in zip(cases, analyzers.values("trimmed", cases)):
        if row.degenerate or max(map(abs, control + treatment)) > 1e6:  # scipy cancels there
            continue
        theirs = scipy.stats.ttest_ind(treatment, control, equal_var=False, trim=0.2)
        label = (control, treatment)
        complaints += [
            worst.check("Yuen statistic, scipy", relative(row.statistic, theirs.statistic, 1 + abs(theirs.statistic)),
                        CLOSED, label, "scipy"),
            worst.check("Yuen p, scipy", abs(row.p - theirs.pvalue), CLOSED, label, "scipy")]
    no_complaints(complaints)


# Exact tables

def hypergeometric_weights(x1, n1, x2, n2):
    """The number of ways to each count of control conversions, whole numbers."""
    converted = x1 + x2
    return {k: math.comb(n1, k) * math.comb(n2, converted - k)
            for k in range(max(0, converted - n2), min(n1, converted) + 1)}


def test_fisher_by_enumeration(analyzers, worst):
    complaints, cases = [], table_cases(300, 89, largest=60) + table_cases(60, 90, largest=700)
    for case, row in zip(cases, analyzers.run("fisher", cases)):
        weights = hypergeometric_weights(*case[:4])
        seen = weights[case[0]]
        p = Fraction(sum(w for w in weights.values() if w <= seen), sum(weights.values()))
        if p > TINY:
            complaints.append(worst.check("Fisher p", relative(row.p, mpf(p.numerator) / p.denominator), CLOSED, case))
    no_complaints(complaints)


@stored
def fisher_p_of_scipy(x1, n1, x2, n2):
    return scipy.stats.fisher_exact([[x1, n1 - x1], [x2, n2 - x2]]).pvalue


def test_fisher_is_scipys_for_large_tables(analyzers, worst):
    """scipy's own masses carry 1e-9 or so at these sizes; ours are held to 1e-10 by math_test.py."""
    complaints, draw, cases = [], random.Random(97), []
    for _ in range(60):
        n1, n2 = (int(10 ** draw.uniform(3, 5.6)) for _ in range(2))
        rate = 10 ** draw.uniform(-3, -0.3)
        x1, x2 = (min(n, max(0, round(n * rate + draw.gauss(0, 1.5) * math.sqrt(n * rate)))) for n in (n1, n2))
        cases.append((x1, n1, x2, n2, 0.05))
    for case, row in zip(cases, analyzers.run("fisher", cases)):
        x1, n1, x2, n2, _ = case
        p = fisher_p_of_scipy(x1, n1, x2, n2)
        complaints.append(worst.check("Fisher p, scipy", relative(row.p, p), 1e-7, case, "scipy"))
    no_complaints(complaints)


def mid_p_tails(weights, seen, odds):
    """P(A > seen) + P(A = seen) / 2 and its mirror at an odds ratio."""
    terms = {k: w * mpf(odds) ** (k - seen) for k, w in weights.items()}
    total = mp.fsum(terms.values())
    above = mp.fsum(t for k, t in terms.items() if k > seen) / total
    below = mp.fsum(t for k, t in terms.items() if k < seen) / total
    half = terms[seen] / total / 2
    return above + half, below + half


def test_mid_p_interval_solves_its_equation(analyzers, worst):
    complaints, cases = [], table_cases(260, 101, largest=60) + table_cases(20, 102, largest=400)
    for case, row in zip(cases, analyzers.run("fisher", cases)):
        weights, seen, alpha = hypergeometric_weights(*case[:4]), case[0], case[4]
        if len(weights) == 1:
            assert math.isnan(row.size_lower) and math.isnan(row.size_upper)
            continue
        assert (row.size_lower == 0) == (seen == min(weights))
        assert math.isnan(row.size_upper) == (seen == max(weights))
        with mp.workdps(30):
            for end, tail in ((row.size_lower, 0), (row.size_upper, 1)):
                if end > 0:
                    reached = mid_p_tails(weights, seen, end)[tail]
                    complaints.append(worst.check("odds ratio interval", relative(reached, mpf(alpha) / 2), 1e-9, case))
    no_complaints(complaints)


def test_tables_are_described_alike(analyzers, worst):
    """Effect, Newcombe's interval and odds ratio in 50 digits."""
    complaints, cases = [], table_cases(250, 103, largest=200)
    for case, row in zip(cases, analyzers.run("fisher", cases)):
        x1, n1, x2, n2, alpha = case
        with mp.workdps(50):
            if 0 < x1 + x2 < n1 + n2:
                exact = binary_by_definition(*case)
                for ours, column in ((row.lower, results.SCORE_LOWER), (row.upper, results.SCORE_UPPER)):
                    complaints.append(worst.check("Newcombe, exact tests", abs(ours - exact[column]), CLOSED, case))
            p1, p2 = mpf(x1) / n1, mpf(x2) / n2
            complaints.append(worst.check("exact tests effect", abs(row.effect - 100 * (p2 - p1)), CLOSED, case))
            error = mp.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
            z = results.quantile(alpha)
            power = 0
            if error:
                power = sum(mp.erfc((z + sign * abs(p2 - p1) / error) / mp.sqrt(2)) / 2 for sign in (-1, 1))
            complaints.append(worst.check("exact tests power", abs(row.power - power), CLOSED, case))
        if (n1 - x1) * x2:
            odds = Fraction(x1 * (n2 - x2), (n1 - x1) * x2)
            assert row.size == pytest.approx(float(odds), rel=1e-15) and row.statistic == row.size
        else:
            assert math.isnan(row.size) and row.statistic == 0
    no_complaints(complaints)


class Unconditional:
    """All tables of two arms: the p-value as the highest probability of those at least as extreme."""

    def __init__(self, n1, n2):
        self.n1, self.n2 = n1, n2
        self.x1, self.x2 = np.meshgrid(np.arange(n1 + 1), np.arange(n2 + 1), indexing="ij")

    def probability(self, extreme, rates):
        rates = np.atleast_1d(rates)[:, None]
        one = scipy.stats.binom.pmf(np.arange(self.n1 + 1), self.n1, rates)
        two = scipy.stats.binom.pmf(np.arange(self.n2 + 1), self.n2, rates)
        return np.einsum("ri,ij,rj->r", one, extreme.astype(float), two)

    def supremum(self, extreme):
        if extreme[0, 0] or extreme[self.n1, self.n2]:
            return 1.0  # towards rates of 0 or 1
        angles = np.linspace(0, np.pi / 2, 1201)
        heights = self.probability(extreme, np.sin(angles) ** 2)
        best = heights.max()
        for i in range(1, len(angles) - 1):
            if heights[i] >= max(heights[i - 1], heights[i + 1]) and heights[i] > 0.99 * best:
                found = scipy.optimize.minimize_scalar(
                    lambda angle: -self.probability(extreme, math.sin(angle) ** 2)[0],
                    bounds=(angles[i - 1], angles[i + 1]), method="bounded", options={"xatol": 1e-9})
                best = max(best, -found.fun)
        return min(best, 1.0)

    def fisher_less(self):
        total = self.n1 + self.n2
        return scipy.stats.hypergeom.cdf(self.x1, total, self.x1 + self.x2, self.n1)

    def boschloo(self, x1, x2):
        less = self.fisher_less()
        total = self.n1 + self.n2
        more = scipy.stats.hypergeom.sf(self.x1 - 1, total, self.x1 + self.x2, self.n1)
        sides = [self.supremum(side <= side[x1, x2] * (1 + 1e-9)) for side in (less, more)]
        return min(1.0, 2 * min(sides))

    def barnard(self, x1, x2):
        m, total = self.x1 + self.x2, self.n1 + self.n2
        spread = m * (total - m)
        distance = (self.x1 * total - m * self.n1) ** 2
        if distance[x1, x2] == 0:
            return 1.0
        return self.supremum((spread > 0) & (distance * spread[x1, x2] >= distance[x1, x2] * spread))


@stored
def unconditional_p(method, n1, n2, x1, x2):
    return getattr(Unconditional(n1, n2), method)(x1, x2)


@pytest.mark.parametrize("method", ["boschloo", "barnard"])
def test_unconditional_by_enumeration(analyzers, worst, method):
    complaints, cases = [], table_cases(200, 107, largest=14) + table_cases(25, 109, smallest=30, largest=70)
    for case, row in zip(cases, analyzers.run(method, cases)):
        x1, n1, x2, n2, _ = case
        expected = unconditional_p(method, n1, n2, x1, x2)
        complaints.append(worst.check(f"{method} p", relative(row.p, expected), ITERATIVE, case, "enum."))
    no_complaints(complaints)


def test_unconditional_is_scipys(analyzers, worst):
    """scipy's search may stop short of the highest probability, never beyond it."""
    complaints, cases = [], [(3, 10, 8, 10, 0.05), (2, 8, 11, 25, 0.05), (7, 12, 8, 11, 0.05), (1, 30, 7, 22, 0.05)]
    for method, theirs in (("boschloo", scipy.stats.boschloo_exact), ("barnard", scipy.stats.barnard_exact)):
        for case, row in zip(cases, analyzers.run(method, cases)):
            x1, n1, x2, n2, _ = case
            p = theirs([[x1, x2], [n1 - x1, n2 - x2]]).pvalue
            complaints.append(worst.check(f"{method} p, scipy", abs(row.p - p), ITERATIVE, case, "scipy"))
    no_complaints(complaints)


# Poisson rates

def poisson_cases(count, seed, events, decades):
    draw, cases = random.Random(seed), []
    for _ in range(count):
        unit = 10 ** draw.uniform(-decades, decades)
        exposures = [unit * draw.choice([1, 1, draw.uniform(0.01, 100), 10 ** draw.uniform(-3, 3)]) for _ in range(2)]
        total = int(10 ** draw.uniform(0, math.log10(events)))
        share = exposures[1] / sum(exposures)
        x2 = min(total, max(0, round(total * share + draw.choice([0, 1, 3]) * draw.gauss(0, 1) * math.sqrt(total / 4))))
        if draw.random() < 0.1:
            x2 = draw.choice([0, total])
        cases.append((total - x2, exposures[0], x2, exposures[1], draw.choice(ALPHAS)))
    return cases


def test_poisson_by_enumeration(analyzers, worst):
    complaints, cases = [], poisson_cases(260, 113, 150, 3)
    for case, row in zip(cases, analyzers.run("poisson", cases)):
        x1, t1, x2, t2, _ = case
        with mp.workdps(40):
            share, n = mpf(t2) / (mpf(t1) + mpf(t2)), x1 + x2
            masses = [mp.binomial(n, k) * share ** k * (1 - share) ** (n - k) for k in range(n + 1)]
            p = mp.fsum(m for m in masses if m <= masses[x2] * (1 + mpf("1e-7")))
            complaints.append(worst.check("Poisson p", relative(row.p, p), CLOSED, case))
    no_complaints(complaints)


def test_poisson_is_scipys_binomial_test(analyzers, worst):
    complaints, cases = [], poisson_cases(200, 127, 10 ** 6, 3)
    for case, row in zip(cases, analyzers.run("poisson", cases)):
        x1, t1, x2, t2, _ = case
        p = scipy.stats.binomtest(x2, x1 + x2, t2 / (t1 + t2)).pvalue
        complaints.append(worst.check("Poisson p, scipy", abs(row.p - p), CLOSED, case, "scipy"))
    no_complaints(complaints)


@pytest.mark.parametrize("decades", [3, 295])
def test_poisson_rates_in_50_digits(analyzers, worst, decades):
    complaints, cases = [], poisson_cases(220, 131, 10 ** 15, decades)
    for case, row in zip(cases, analyzers.run("poisson", cases)):
        x1, t1, x2, t2, alpha = case
        with mp.workdps(50):
            r1, r2 = x1 / mpf(t1), x2 / mpf(t2)
            error, z = mp.sqrt(x1 / mpf(t1) ** 2 + x2 / mpf(t2) ** 2), results.quantile(alpha)
            size = abs(r2 - r1) + z * error
            limits = ((row.effect, r2 - r1, abs(r2 - r1)), (row.lower, r2 - r1 - z * error, size),
                      (row.upper, r2 - r1 + z * error, size), (row.control, r1, r1), (row.treatment, r2, r2))
            for ours, theirs, scale in limits:
                if abs(theirs) < mpf("1.7e308"):
                    complaints.append(worst.check("Poisson rates", relative(ours, theirs, scale), CLOSED, case))
            if x1:
                complaints.append(worst.check("Poisson rate ratio", relative(row.size, r2 / r1), CLOSED, case))
            power = sum(mp.erfc((z + sign * abs(r2 - r1) / error) / mp.sqrt(2)) / 2 for sign in (-1, 1))
            complaints.append(worst.check("Poisson power", abs(row.power - power), CLOSED, case))
    no_complaints(complaints)


def test_swapped_arms(analyzers):
    """Swapping arms turns the effect around and leaves the p-value alone."""
    tables = table_cases(60, 137)
    for method in ("fisher", "boschloo", "barnard"):
        swapped = [(x2, n2, x1, n1, alpha) for x1, n1, x2, n2, alpha in tables]
        for one, other in zip(analyzers.run(method, tables), analyzers.run(method, swapped)):
            assert one.p == pytest.approx(other.p, rel=1e-9, abs=0)
            assert one.effect == pytest.approx(-other.effect, rel=1e-14)
    pairs = sample_pairs(60, 139)
    for method in ("rank_sum", "trimmed"):
        swapped = [(t, c) for c, t in pairs]
        for one, other in zip(analyzers.values(method, pairs), analyzers.values(method, swapped)):
            assert one.p == pytest.approx(other.p, rel=1e-12) and one.effect == -other.effect
            assert (one.lower, one.upper) == (-other.upper, -other.lower)


EXTREME_VALUES = [5e-324, 1e-300, 1e-10, 1.0, 1e16, 1e300, 1.7e308]


def test_extreme_values_stay_finite(analyzers):
    """Analyzers.run() checks every row."""
    arms = [[sign * v for sign, v in zip(signs, pair)] for pair in itertools.combinations_with_replacement(
        EXTREME_VALUES, 2) for signs in ((1, 1), (1, -1), (-1, 0))]
    pairs = [(c, t) for c in arms[::3] for t in arms[1::2]] + [(c, c) for c in arms]
    for method in ("rank_sum", "trimmed"):
        analyzers.values(method, pairs)
    analyzers.values("trimmed", [(c, t, 0.001, 0.5, 0.0) for c, t in pairs])
    for method in ("bootstrap", "quantile"):
        analyzers.values(method, [(c, t, 0.1, 0.3, 0, 50) for c, t in pairs[::3]])
    analyzers.run("equivalence", [(a, b, 2, -a, d, n, 0.001, e) for a in EXTREME_VALUES for b in EXTREME_VALUES
                                  for d in EXTREME_VALUES for e in EXTREME_VALUES for n in (2, 2 ** 53)])
    counts = (0, 1, 1000, 2 ** 52)
    analyzers.run("poisson", [(x, a, y, b, 0.05) for x in counts for y in counts for a in EXTREME_VALUES
                              for b in EXTREME_VALUES])
    sizes = (2, 3, 10 ** 5, 2 ** 40)
    analyzers.run("fisher", [(x, n, y, m, 0.05) for n in sizes for m in sizes for x in (0, 1, n - 1, n)
                             for y in (0, 1, m - 1, m)])
