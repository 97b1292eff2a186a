"""The math kit against scipy and, as the arbiter, mpmath at 50 digits (math_reference.py).

Two kinds of grid per distribution. The everyday grid is judged by scipy first; where scipy and the
kit differ by more than AGREED the 50-digit reference decides. (scipy 1.10 is itself off by up to
1e-9 in the far tails and for parameters beyond 1e5, so it cannot judge those.) The extreme grid is
judged by the reference alone. Quantiles are judged by the probability that they really have: one
Newton step of the reference turns the difference into an error of x.

The limits are the promise of docs/develop/math.md: relative error 1e-12 for probabilities down to 1e-12 and
for quantiles, 1e-10 below that down to 1e-300. The measured errors, printed at the end, are about a
hundred times smaller.
"""
import itertools
import math
import random

import mpmath as mp
import numpy as np
import pytest
import scipy.special
import scipy.stats
from mpmath import mpf

import math_reference as reference

mp.mp.dps = 50

AGREED = 1e-13
BODY, FAR, QUANTILE = 1e-12, 1e-10, 1e-12
FAR_FROM = 1e-12  # probabilities below this count as far tail
SMALLEST = mpf("1e-305")  # below this a double has lost digits of its own


def no_complaints(complaints):
    found = [text for text in complaints if text]
    assert not found, "\n" + "\n".join(found[:10]) + f"\n{len(found)} in all"


class Family:
    """One continuous distribution: its names, its grids and its two judges."""

    def __init__(self, name, tails, scipy_tails, everyday, extreme):
        self.name, self.tails, self.scipy_tails = name, tails, scipy_tails
        self.everyday, self.extreme = everyday, extreme


def pairs(*values):
    return list(itertools.product(values, repeat=2))


FAMILIES = [
    Family("student", reference.student_tails,
           lambda x, df: (scipy.stats.t.cdf(x, df), scipy.stats.t.sf(x, df)),
           [(df,) for df in (1.0, 2.0, 4.5, 8.0, 30.0, 1000.0)],
           [(df,) for df in (0.1, 0.5, 1.0, 3.3, 50.0, 101.5, 2e4, 999999.0)]),
    Family("chi_square", lambda x, df: reference.gamma_tails(mpf(x) / 2, mpf(df) / 2),
           lambda x, df: (scipy.stats.chi2.cdf(x, df), scipy.stats.chi2.sf(x, df)),
           [(df,) for df in (1.0, 2.0, 3.0, 7.5, 40.0, 500.0)],
           [(df,) for df in (0.1, 1.0, 1.99, 99.9, 100.1, 5e4, 1e8)]),
    Family("gamma", reference.gamma_tails,
           lambda x, a: (scipy.special.gammainc(a, x), scipy.special.gammaincc(a, x)),
           [(a,) for a in (0.25, 1.0, 2.5, 12.0, 75.0)],
           [(a,) for a in (1e-3, 0.03, 0.999, 1.001, 49.9, 50.1, 1e4, 3e6, 1e9)]),
    Family("fisher_f", reference.fisher_f_tails,
           lambda x, d1, d2: (scipy.stats.f.cdf(x, d1, d2), scipy.stats.f.sf(x, d1, d2)),
           pairs(1.0, 2.0, 7.0, 60.0),
           pairs(0.1, 1.0, 99.0, 3e4, 1e8)),
    Family("beta", reference.beta_tails,
           lambda x, a, b: (scipy.stats.beta.cdf(x, a, b), scipy.stats.beta.sf(x, a, b)),
           pairs(0.5, 1.0, 3.5, 40.0),
           pairs(1e-3, 0.7, 1.0, 2.5, 55.0, 1e7)),
]
BY_NAME = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)

EVERYDAY_PROBABILITIES = (1e-9, 1e-4, 0.025, 0.2, 0.45)
EXTREME_PROBABILITIES = (1e-300, 1e-60, 1e-7, 0.01, 0.37)


def tail_limit(probability):
    return BODY if probability >= FAR_FROM else FAR


def judge_tails(worst, family, case, computed, expected, source):
    for side, actual, wanted in zip(("cdf", "survival"), computed, expected):
        if wanted < SMALLEST:
            yield worst.check(f"{family.name}_{side}", abs(actual - wanted), SMALLEST * 2, case)
            continue
        zone = "" if wanted >= FAR_FROM else " far"
        yield worst.compare(f"{family.name}_{side}{zone}", actual, wanted, tail_limit(wanted), case,
                            source)


@BY_NAME
def test_everyday_tails(family, evaluate, worst):
    """Points where the tails are 1e-9 .. 0.45; scipy judges, the reference where they disagree."""
    calls = [(f"{family.name}_{'upper_' * upper}quantile", p, *shape)
             for shape in family.everyday for p in EVERYDAY_PROBABILITIES for upper in (0, 1)]
    # Rounded so that the points are the grid's own and not the kit's.
    points = [(float(f"{x:.6g}"), *call[2:]) for x, call in zip(evaluate.many(calls), calls)]
    values = evaluate.many([(f"{family.name}_{side}", *point)
                            for point in points for side in ("cdf", "survival")])
    complaints = []
    for i, point in enumerate(points):
        computed = values[2 * i:2 * i + 2]
        expected, source = family.scipy_tails(*point), "scipy"
        if not np.allclose(computed, expected, rtol=AGREED, atol=0):
            expected, source = family.tails(*point)[:2], "mpmath"
        complaints += judge_tails(worst, family, point, computed, expected, source)
    no_complaints(complaints)


@BY_NAME
def test_extreme_tails_and_quantiles(family, evaluate, worst):
    """Every extreme of the parameters at probabilities from 1e-300 up, from both ends."""
    random.seed(family.name)
    wanted = [(p * random.uniform(0.5, 1), upper, shape) for shape in family.extreme
              for p in EXTREME_PROBABILITIES for upper in (False, True)]
    points = evaluate.many([(f"{family.name}_{'upper_' * upper}quantile", p, *shape)
                            for p, upper, shape in wanted])
    values = evaluate.many([(f"{family.name}_{side}", x, *shape)
                            for x, (_, _, shape) in zip(points, wanted)
                            for side in ("cdf", "survival")])
    complaints = []
    for i, (x, (p, upper, shape)) in enumerate(zip(points, wanted)):
        assert not math.isnan(x), (p, upper, shape)
        if abs(x) < 1e-300 or math.isinf(x) or (family.name == "beta" and x == 1):
            continue  # judged by test_quantiles_beyond_the_doubles
        lower_tail, upper_tail, rate = family.tails(x, *shape)
        if family.name == "beta":
            rate /= 1 - mpf(x)
        elif family.name == "student":
            rate /= 2
        error = abs((upper_tail if upper else lower_tail) - mpf(p)) / rate
        zone = "" if p >= FAR_FROM else " far"
        name = f"{family.name}_{'upper_' * upper}quantile{zone}"
        complaints.append(worst.check(name, error, QUANTILE, (p, *shape)))
        complaints += judge_tails(worst, family, (x, *shape), values[2 * i:2 * i + 2],
                                  (lower_tail, upper_tail), "mpmath")
    no_complaints(complaints)


def test_quantiles_beyond_the_doubles(evaluate):
    """P(x) ~ x^a / (a B) near 0, so tiny shapes put the quantile below 1e-308 (there: 0), and t
    with few degrees of freedom beyond 1e308."""
    assert evaluate("gamma_quantile", 0.3, 0.001) == 0
    assert evaluate("beta_quantile", 0.3, 0.001, 2.0) == 0
    assert evaluate("beta_quantile", 0.7, 2.0, 0.001) == 1
    assert evaluate("student_quantile", 1e-300, 0.1) == -math.inf
    assert evaluate("fisher_f_upper_quantile", 1e-300, 2.0, 0.1) == math.inf


def test_normal(evaluate, worst):
    """z in steps of 0.05 to 38, where the survival reaches 1e-316; contract: relative 1e-14."""
    points = [k / 20 for k in range(-240, 770)] + [1e-300, 1e-9, 0.7071, -37.4]
    complaints = []
    for z, upper in zip(points, evaluate.many([("normal_survival", z) for z in points])):
        expected = reference.normal_survival(z)
        if expected > SMALLEST:
            complaints.append(worst.compare("normal_survival", upper, expected, 1e-14, z))
    for z, lower in zip(points, evaluate.many([("normal_cdf", z) for z in points])):
        expected = reference.normal_survival(-z)
        complaints.append(worst.compare("normal_cdf", lower, expected, 1e-14, z)
                          if z > -37 else None)
    for z, density in zip(points, evaluate.many([("normal_density", z) for z in points])):
        complaints.append(worst.compare("normal_density", density, mp.npdf(mpf(z)), 1e-14, z)
                          if abs(z) < 37 else None)
    logs = [-40.0, -12.0, -3.0, -1.0, -0.5, 0.0, 2.0, 36.9, 37.1, 40.0, 200.0, 1e5]
    for z, value in zip(logs, evaluate.many([("normal_log_survival", z) for z in logs])):
        expected = mp.log(reference.normal_survival(z))
        complaints.append(worst.compare("normal_log_survival", value, expected, 1e-14, z))
    for z, value in zip(logs, evaluate.many([("normal_log_cdf", -z) for z in logs])):
        expected = mp.log(reference.normal_survival(z))
        complaints.append(worst.compare("normal_log_cdf", value, expected, 1e-14, z))
    no_complaints(complaints)


def test_normal_quantile(evaluate, worst):
    """Residuals of the reference at the returned z; relative in z, also next to the median."""
    tails = [10.0 ** -k for k in range(1, 308, 3)] + [k / 200 for k in range(1, 100)]
    tails += [0.5 - 10.0 ** -k for k in range(2, 16)] + [0.0749999, 0.0750001, 5e-324, 1.3888e-11]
    complaints = []
    for q, z in zip(tails, evaluate.many([("normal_upper_quantile", q) for q in tails])):
        error = (reference.normal_survival(z) - mpf(q)) / mp.npdf(mpf(z)) / z
        limit = 1e-13 if q > 1e-300 else 1e-3
        complaints.append(worst.check("normal_upper_quantile", abs(error), limit, q))
    for p, z in zip(tails, evaluate.many([("normal_quantile", 1 - q) for q in tails])):
        if 1 - p < 1:
            error = (reference.normal_survival(z) - (1 - mpf(1 - p))) / mp.npdf(mpf(z)) / z
            complaints.append(worst.check("normal_quantile", abs(error), 1e-13, p))
    no_complaints(complaints)


DENSITIES = {
    "student_density": (scipy.stats.t.pdf, [(x, df) for x in (-30.0, -1.0, 0.0, 0.3, 4.0, 1e5)
                                            for df in (0.3, 1.0, 8.0, 1000.5)]),
    "chi_square_density": (scipy.stats.chi2.pdf, [(x, df) for x in (1e-5, 0.5, 3.0, 80.0)
                                                  for df in (0.5, 2.0, 3.0, 90.0)]),
    "gamma_density": (scipy.stats.gamma.pdf, [(x, a) for x in (1e-5, 0.5, 3.0, 80.0)
                                              for a in (0.5, 1.0, 3.0, 90.0)]),
    "fisher_f_density": (scipy.stats.f.pdf, [(x, *df) for x in (1e-5, 0.5, 1.0, 20.0)
                                             for df in pairs(1.0, 2.0, 7.5, 300.0)]),
    "beta_density": (scipy.stats.beta.pdf, [(x, *ab) for x in (1e-5, 0.3, 0.5, 0.99)
                                            for ab in pairs(0.5, 1.0, 3.0, 120.0)]),
}


@pytest.mark.parametrize("name", DENSITIES)
def test_densities(name, evaluate, worst):
    """Against scipy at 1e-11: its densities go through lgamma, which loses about three digits."""
    judge, points = DENSITIES[name]
    values = evaluate.many([(name, *point) for point in points])
    with np.errstate(over="ignore"):  # scipy's t density overflows on its way to 0
        no_complaints([worst.compare(name, value, judge(*point), 1e-11, point, "scipy")
                       for value, point in zip(values, points)])


def counts_about(mean, deviation, low, high):
    steps = (-30, -9, -4, -1, 0, 0.5, 3, 7, 25)
    return sorted({min(high, max(low, round(mean + z * deviation))) for z in steps})


def binomial_points():
    for n, p in itertools.product((1, 7, 100, 10**4, 10**6, 10**9),
                                  (1e-12, 1e-5, 0.03, 0.5, 0.8, 1 - 2.0 ** -30)):
        for k in counts_about(n * p, math.sqrt(n * p * (1 - p)), 0, n):
            yield k, n, p


def judge_counts(worst, name, points, evaluate, log_pmf, tails):
    values = evaluate.many([(f"{name}_{what}", *point) for point in points
                            for what in ("pmf", "log_pmf", "cdf", "survival")])
    for i, point in enumerate(points):
        mass, log_mass, cdf, survival = values[4 * i:4 * i + 4]
        expected = log_pmf(*point)
        if expected > -700:
            limit = BODY if expected > -28 else FAR
            yield worst.compare(f"{name}_pmf", mass, mp.exp(expected), limit, point)
        error = abs(log_mass - expected) / max(1, abs(expected))
        yield worst.check(f"{name}_log_pmf", error, 1e-13, point)
        for side, actual, wanted in zip(("cdf", "survival"), (cdf, survival), tails(*point)):
            if wanted > SMALLEST:
                yield worst.compare(f"{name}_{side}", actual, wanted, tail_limit(wanted), point)


def judge_count_quantiles(name, shapes, evaluate, tails):
    """quantile(p) is the smallest k with P(K <= k) >= p, by the reference."""
    wanted = [(p, *shape) for shape in shapes for p in (1e-200, 1e-9, 0.025, 0.5, 0.9, 1 - 1e-9)]
    for (p, *shape), k in zip(wanted, evaluate.many([(f"{name}_quantile", *w) for w in wanted])):
        reached = tails(int(k), *shape)[0] >= p * (1 - mpf("1e-13"))
        before = k == 0 or tails(int(k) - 1, *shape)[0] < p
        yield None if reached and before else f"{name}_quantile({p}, {shape}) is {k}"


def binomial_tails(k, n, p):
    if k < 0 or k >= n:
        return (mpf(0), mpf(1)) if k < 0 else (mpf(1), mpf(0))
    survival, cdf, _ = reference.beta_tails(p, k + 1, n - k)
    return cdf, survival


def poisson_tails(k, mean):
    if k < 0:
        return mpf(0), mpf(1)
    survival, cdf, _ = reference.gamma_tails(mean, k + 1)
    return cdf, survival


def test_binomial(evaluate, worst):
    points = list(binomial_points())
    shapes = [(1, 0.5), (12, 0.3), (1000, 0.999), (10**6, 1e-5), (10**9, 0.25)]
    no_complaints(itertools.chain(
        judge_counts(worst, "binomial", points, evaluate, reference.binomial_log_pmf,
                     binomial_tails),
        judge_count_quantiles("binomial", shapes, evaluate, binomial_tails)))


def test_poisson(evaluate, worst):
    points = [(k, mean) for mean in (1e-12, 1e-3, 0.7, 5.0, 49.0, 60.5, 1e4, 1e7, 1e9)
              for k in counts_about(mean, math.sqrt(mean), 0, 2 * 10**9)]
    shapes = [(1e-3,), (0.7,), (33.0,), (1e5,), (1e9,)]
    no_complaints(itertools.chain(
        judge_counts(worst, "poisson", points, evaluate, reference.poisson_log_pmf, poisson_tails),
        judge_count_quantiles("poisson", shapes, evaluate, poisson_tails)))


# population, marked, draws; the last four use the Euler-Maclaurin sum near the mean.
URNS = [(1, 1, 1), (10, 4, 7), (52, 13, 5), (1000, 990, 30), (10**4, 5000, 5000),
        (10**6, 1000, 1000), (10**6, 400000, 999990), (10**9, 50, 10**8), (10**7, 10**6, 5 * 10**6),
        (10**8, 2 * 10**7, 3 * 10**7), (10**9, 10**8, 10**8), (10**9, 5 * 10**8, 5 * 10**8),
        (2**50, 10**8, 2**49)]


def test_hypergeometric(evaluate, worst):
    points = []
    for population, marked, draws in URNS:
        mean = marked * draws / population
        deviation = math.sqrt(mean * (1 - marked / population) * (1 - draws / population))
        least, most = max(0, marked + draws - population), min(marked, draws)
        points += [(k, population, marked, draws)
                   for k in counts_about(mean, deviation, least, most)]
    no_complaints(itertools.chain(
        judge_counts(worst, "hypergeometric", points, evaluate, reference.hypergeometric_log_pmf,
                     reference.hypergeometric_tails),
        judge_count_quantiles("hypergeometric", URNS[1:6], evaluate,
                              reference.hypergeometric_tails)))


TINY_TO_HUGE = (1e-6, 1e-3, 0.1, 0.5, 0.9999, 1.5, 2.0001, 3.7, 9.99, 10.0, 60.0, 1e3, 1e6, 1e9)

SPECIAL = {
    "log_gamma": (mp.loggamma, [(x,) for x in TINY_TO_HUGE]),
    "log_gamma_ratio": (lambda x, d: mp.loggamma(x + d) - mp.loggamma(x),
                        [(x, d) for x in TINY_TO_HUGE for d in (1e-9, 1e-3, 0.4, 1.0, 7.0, 1e4)]
                        + [(x, -d) for x in TINY_TO_HUGE for d in (1e-9, 1e-3) if d < x]),
    "log_beta": (lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b),
                 list(itertools.product(TINY_TO_HUGE, repeat=2))),
    "log_factorial": (lambda n: mp.loggamma(n + 1),
                      [(n,) for n in [*range(135), 1000, 10**6, 10**12]]),
    "log_choose": (lambda n, k: mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1),
                   [(n, k) for n in (1, 2, 5, 30, 150, 10**4, 10**9, 10**14)
                    for k in sorted({0, 1, 2, n // 3, n // 2, n - 1, n}) if 0 <= k <= n]),
    "log1p_minus": (lambda x: mp.log1p(x) - x,
                    [(s * x,) for x in (1e-150, 1e-12, 1e-3, 0.2, 0.499, 0.501, 0.9999)
                     for s in (-1, 1)] + [(1.0,), (1.001,), (50.0,)]),
    "expm1_minus": (lambda x: mp.expm1(x) - x,
                    [(s * x,) for x in (1e-150, 1e-12, 1e-3, 0.5, 0.749, 0.751, 3.0, 40.0)
                     for s in (-1, 1)]),
    "stirling_error": (lambda x: mp.loggamma(x + 1) - (x + 0.5) * mp.log(x) + x
                       - mp.log(2 * mp.pi) / 2, [(x,) for x in TINY_TO_HUGE]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special(name, evaluate, worst):
    """Relative error 1e-13; logarithms that pass through 0 are measured against 1, the ratio
    against its delta."""
    judge, points = SPECIAL[name]
    complaints = []
    for point, value in zip(points, evaluate.many([(name, *point) for point in points])):
        with mp.workdps(400):
            expected = judge(*map(mpf, point))
            scale = abs(expected)
        if name in ("log_gamma", "log_beta"):
            scale = max(scale, mpf(1))
        elif name == "log_gamma_ratio":
            scale = max(scale, abs(mpf(point[1])))
        error = abs(value - expected) / scale if scale else abs(value)
        complaints.append(worst.check(name, error, 1e-13, point))
    no_complaints(complaints)


def test_quadrature(evaluate, worst):
    """Nodes and weights on [-1, 1] against Newton's method at 50 digits."""
    complaints = []
    for n, i in [(1, 0), (2, 1), (5, 2), (5, 4), (64, 0), (64, 40), (511, 255), (512, 0), (512, 1),
                 (512, 300), (512, 511)]:
        node = evaluate("gauss_legendre_node", n, i)
        weight = evaluate("gauss_legendre_weight", n, i)
        root = mpf(node)
        for _ in range(3):
            value, slope = reference.legendre(n, root)
            root -= value / slope
        _, slope = reference.legendre(n, root)
        expected = 2 / ((1 - root ** 2) * slope ** 2)
        for what, error in (("node", node - root), ("weight", weight - expected)):
            complaints.append(worst.check(f"gauss_legendre {what}", abs(error), 1e-15, (n, i)))
    no_complaints(complaints)


@pytest.mark.parametrize("seed, stream", [(0, 0), (1, 0), (20240629, 7), (2**53 - 1, 2**52 + 1)])
def test_generator_is_numpys_philox(seed, stream, evaluate):
    """Word for word numpy.random.Philox with the same key."""
    generator = np.random.Philox(key=[seed, stream])
    words = [int(word) for word in generator.random_raw(50)]
    calls = [(f"random_{half}_half", seed, stream, i)
             for i in range(50) for half in ("high", "low")]
    halves = [int(value) for value in evaluate.many(calls)]
    assert [(high << 32) + low for high, low in zip(halves[::2], halves[1::2])] == words


@pytest.mark.parametrize("x, digits, expected", [
    (2.675, 2, 2.67), (0.5, 0, 0.0), (1.5, 0, 2.0), (2.5, 0, 2.0), (0.125, 2, 0.12),
    (-0.001, 2, 0.0), (1e22, 3, 1e22), (123456789.987654321, 4, 123456789.9877)])
def test_rounding_is_pythons(x, digits, expected, evaluate):
    assert round(x, digits) == expected
    assert evaluate("number_round", x, digits) == expected


def test_the_reference_agrees_with_mpmath():
    """The reference's own tails against mpmath.betainc and gammainc where those are dependable."""
    for x, a, b in [(0.3, 2.0, 5.0), (0.7, 0.01, 30.0), (0.01, 0.5, 900.0), (0.2, 30.0, 60.0),
                    (0.999, 400.0, 0.01), (0.9, 0.6, 1.4), (0.4, 1.0, 1.0), (0.3, 1.1, 2.0),
                    (0.9, 1.01, 1.02), (0.99, 2000.0, 3.0), (0.001, 1.5, 300.0)]:
        expected = mp.betainc(mpf(a), mpf(b), 0, mpf(x), regularized=True)
        assert abs(reference.beta_tails(x, a, b)[0] / expected - 1) < 1e-20
    for x, a in [(0.3, 2.0), (3.0, 0.01), (40.0, 60.0), (90.0, 60.0), (1e-3, 1e-3), (1.1, 1.2),
                 (200.0, 1.5), (500.0, 420.0)]:
        expected = mp.gammainc(mpf(a), 0, mpf(x), regularized=True)
        assert abs(reference.gamma_tails(x, a)[0] / expected - 1) < 1e-20
