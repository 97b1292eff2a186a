"""Plans: powers by scipy's noncentral t and the textbook formulas, statsmodels for two arms, a simulation in numpy for
what has no formula; sizes, effects and allocations by what they must satisfy."""
import math
import random
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from statsmodels.stats.power import NormalIndPower, TTestIndPower

BINARY, MEANS, RANKS, RATIO, COUNTS = range(5)
TWO_SIDED, ONE_SIDED, NON_INFERIORITY, EQUIVALENCE = range(4)
NONE, BONFERRONI, HOLM, DUNNETT = range(4)
EACH, ANY, ALL = range(3)
SIZE, POWER, EFFECT, DAYS = range(4)


@pytest.fixture(scope="module")
def plans(evaluator):
    program = evaluator("plans").program

    def ask(lines):
        done = subprocess.run([program], input="\n".join(lines) + "\n", text=True, capture_output=True, timeout=300,
                              check=True)
        return [[float(word) for word in line.split()] for line in done.stdout.splitlines()]

    return ask


def design(metric, alternative=TWO_SIDED, correction=NONE, target=EACH, baseline=10.0, deviation=1.0, margin=0.0,
           decrease=0, alpha=0.05, clusters=(0, 0, 0), weights=(1, 1)):
    numbers = [metric, alternative, correction, target, baseline, deviation, margin, decrease, alpha, *clusters,
               len(weights), *weights]
    return " ".join(repr(float(number)) for number in numbers)


def power_line(plan, users, effect, method="power", *more):
    return " ".join([method, plan, *(repr(float(n)) for n in (*users, effect, *more))])


def grid(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        users = [draw.choice([3, 10, 60, 1000, 30000]), draw.choice([4, 25, 200, 9000])]
        yield SimpleNamespace(
            users=users, alpha=draw.choice([0.001, 0.025, 0.05, 0.1]), two_sided=draw.random() < 0.5,
            distance=draw.uniform(0.2, 5), arms=draw.choice([2, 2, 3, 6]),
            correction=draw.choice([NONE, BONFERRONI, HOLM]), metric=draw.choice([BINARY, MEANS, RANKS, RATIO, COUNTS]),
            margin=draw.choice([0, 0, 1]), decrease=draw.choice([0, 1]))


def expected_power(case, effect, baseline, users, margin):
    """The probability of a rejection in the direction of the effect."""
    sign, n0, n1 = (-1 if case.decrease else 1), users[0], users[1]
    tail = case.alpha / (2 if case.two_sided else 1) / (1 if case.correction == NONE else case.arms - 1)
    inverse = 1 / n0 + 1 / n1
    if case.metric in (MEANS, RANKS):
        df = sum(users) - len(users)
        shift = (sign * effect + margin) / math.sqrt(inverse * (math.pi / 3 if case.metric == RANKS else 1))
        return scipy.stats.nct.sf(scipy.stats.t.isf(tail, df), df, shift)
    spread = {BINARY: lambda p: p * (1 - p), COUNTS: lambda p: p, RATIO: lambda p: 1.0}[case.metric]
    pooled = spread((baseline * n0 + (baseline + effect) * n1) / (n0 + n1)) * inverse
    actual = spread(baseline) / n0 + spread(baseline + effect) / n1
    tested = actual if margin or case.metric == RATIO else pooled
    return scipy.stats.norm.sf((scipy.stats.norm.isf(tail) * math.sqrt(tested) - (sign * effect + margin))
                               / math.sqrt(actual))


def test_powers_by_scipy(plans, accuracy):
    lines, expected = [], []
    for case in grid(320, 4):
        baseline = 0.3 if case.metric == BINARY else 4.0
        size = case.distance * math.sqrt((1 / case.users[0] + 1 / case.users[1]) * (0.2 if case.metric == BINARY else 1))
        effect = (-1 if case.decrease else 1) * min(size, 0.25)
        margin = size / 2 if case.margin else 0
        case.two_sided = case.two_sided and not margin
        users = [case.users[0]] + [case.users[1]] * (case.arms - 1)
        alternative = NON_INFERIORITY if margin else TWO_SIDED if case.two_sided else ONE_SIDED
        plan = design(case.metric, alternative, case.correction, EACH, baseline, 1.0, margin, case.decrease, case.alpha,
                      weights=users)
        lines.append(power_line(plan, users, effect))
        expected.append((case, expected_power(case, effect, baseline, users, margin)))
    for (case, theirs), (ours, *_) in zip(expected, plans(lines)):
        accuracy.iterative("plans", "power", ours, theirs, vars(case), 1)


def test_two_arms_by_statsmodels(plans, accuracy):
    lines, expected = [], []
    for case in grid(60, 5):
        shift = case.distance * math.sqrt(1 / case.users[0] + 1 / case.users[1])
        for metric, judge in ((MEANS, TTestIndPower()), (RATIO, NormalIndPower())):
            lines.append(power_line(design(metric, ONE_SIDED, alpha=case.alpha), case.users, shift))
            expected.append((case, judge.power(shift, case.users[0], case.alpha, case.users[1] / case.users[0], "larger")
                             if metric == RATIO else
                             judge.power(shift, case.users[0], case.alpha, ratio=case.users[1] / case.users[0],
                                         alternative="larger")))
    for (case, theirs), (ours, *_) in zip(expected, plans(lines)):
        accuracy.iterative("plans", "power, statsmodels", ours, theirs, vars(case), 1)


def both_sides(users, margin, effect, alpha):
    """Both one-sided t-tests reject: an integral over the standard deviation."""
    df, error = sum(users) - 2, math.sqrt(1 / users[0] + 1 / users[1])
    c = scipy.stats.t.isf(alpha, df)

    def given(s):
        chance = scipy.stats.norm.cdf((margin - effect) / error - c * s) - \
            scipy.stats.norm.cdf(c * s - (margin + effect) / error)
        return max(chance, 0) * scipy.stats.chi2.pdf(df * s * s, df) * 2 * df * s

    end = min(margin / error / c, math.sqrt(scipy.stats.chi2.isf(1e-16, df) / df))
    middle = math.sqrt(scipy.stats.chi2.ppf(0.5, df) / df)
    parts = [0, *([middle] if middle < end else []), end]
    return sum(scipy.integrate.quad(given, a, b, epsabs=1e-12, limit=200)[0] for a, b in zip(parts, parts[1:]))


def test_equivalence_by_integration(plans):
    draw, lines, expected = random.Random(6), [], []
    for _ in range(16):
        users = [draw.choice([8, 30, 200]), draw.choice([10, 60, 500])]
        error = math.sqrt(1 / users[0] + 1 / users[1])
        margin, effect, alpha = draw.uniform(2.5, 6) * error, draw.uniform(0, 2) * error, draw.choice([0.01, 0.05])
        lines.append(power_line(design(MEANS, EQUIVALENCE, margin=margin, alpha=alpha), users, effect))
        expected.append(((users, margin, effect, alpha), both_sides(users, margin, effect, alpha)))
    for (case, theirs), (ours, *_) in zip(expected, plans(lines)):
        assert ours == pytest.approx(theirs, abs=1e-4), case  # where the region ends inside the law of s


def by_numpy(correction, target, users, effect, alpha, runs=200_000):
    """Means in several arms with a pooled variance, two-sided."""
    draw, users = np.random.default_rng(3), np.array(users)
    df = users.sum() - len(users)
    means = draw.normal(size=(runs, len(users))) / np.sqrt(users) + np.where(np.arange(len(users)) > 0, effect, 0)
    s = np.sqrt(draw.chisquare(df, runs) / df)[:, None]
    t = (means[:, 1:] - means[:, :1]) / s / np.sqrt(1 / users[1:] + 1 / users[0])
    m = t.shape[1]
    if correction == HOLM and target == ALL:
        ordered = -np.sort(-t, axis=1)
        return np.all(ordered >= scipy.stats.t.isf(alpha / 2 / np.arange(m, 0, -1), df), axis=1).mean()
    null = np.abs((means[:, 1:] - effect - means[:, :1]) / s / np.sqrt(1 / users[1:] + 1 / users[0])).max(axis=1)
    c = np.quantile(null, 1 - alpha) if correction == DUNNETT else \
        scipy.stats.t.isf(alpha / 2 / (1 if correction == NONE else m), df)
    found = t > c
    return {EACH: found[:, -1], ANY: (np.abs(t) > c).any(axis=1), ALL: found.all(axis=1)}[target].mean()


@pytest.mark.parametrize("correction", [NONE, BONFERRONI, HOLM, DUNNETT])
@pytest.mark.parametrize("target", [EACH, ANY, ALL])
def test_several_treatments_by_simulation(plans, correction, target):
    users, effect = [60, 40, 40, 40], 0.55
    plan = design(MEANS, TWO_SIDED, correction, target, weights=users)
    (power, _, df, error), (simulated, spread) = plans(
        [power_line(plan, users, effect), power_line(plan, users, effect, "simulate", 20000)])
    assert df == 176 and (error > 0) == (correction == HOLM and target == ALL)
    theirs = by_numpy(correction, target, users, effect, 0.05)
    assert power == pytest.approx(theirs, abs=4 * math.hypot(error, 0.0012) + 0.002 * (correction == DUNNETT))
    assert simulated == pytest.approx(theirs, abs=4 * math.hypot(spread, 0.0012))


@pytest.mark.parametrize("metric, alternative, baseline, margin, effect, users", [
    (BINARY, TWO_SIDED, 0.1, 0, 0.03, [1500, 2500]), (BINARY, NON_INFERIORITY, 0.2, 0.03, 0.0, [2500, 2500]),
    (COUNTS, ONE_SIDED, 2.0, 0, 0.15, [1200, 900]), (MEANS, EQUIVALENCE, 10, 0.3, 0.05, [250, 250]),
])
def test_formulas_and_simulated_data_agree(plans, metric, alternative, baseline, margin, effect, users):
    plan = design(metric, alternative, baseline=baseline, margin=margin)
    (power, *_), (simulated, error) = plans(
        [power_line(plan, users, effect), power_line(plan, users, effect, "simulate", 4000)])
    assert simulated == pytest.approx(power, abs=4 * error + 0.005)


@pytest.mark.parametrize("size, cv, icc, clusters", [(20, 0.0, 0.05, 20), (20, 0.7, 0.05, 30), (50, 0.3, 0.2, 24)])
def test_clusters(plans, size, cv, icc, clusters):
    """The design effect of Eldridge, Ashby and Kerry 2006 in a t-test on the clusters; simulated clusters of uneven
    sizes with the variance CR2."""
    users = [clusters * size] * 2
    inflation = 1 + ((1 + cv * cv) * size - 1) * icc
    effect = 3 * math.sqrt(inflation * 2 / users[0])
    plan = design(MEANS, clusters=(size, cv, icc))
    (power, _, df, _), (simulated, error) = plans(
        [power_line(plan, users, effect), power_line(plan, users, effect, "simulate", 4000)])
    assert df == 2 * clusters - 2
    assert power == pytest.approx(scipy.stats.nct.sf(scipy.stats.t.isf(0.025, df), df, 3), abs=1e-6)
    assert simulated == pytest.approx(power, abs=4 * error + 0.03 * cv)


def solve_line(plan, unknown, effect=0.0, power=0.8, total=0, days=0, daily=0, best=0):
    return " ".join(["solve", plan, *(repr(float(n)) for n in (unknown, effect, power, total, days, daily, best))])


def solved(row):
    names = ("failure", "effect", "margin", "total", "days", "equal", "power", "before", "share")
    return SimpleNamespace(**dict(zip(names, row)), users=row[len(names):])


def plans_to_solve():
    yield design(BINARY, baseline=0.05), 0.005
    yield design(BINARY, ONE_SIDED, baseline=0.05, decrease=1, weights=(3, 1)), -0.005
    yield design(MEANS, weights=(1, 2)), 0.4
    yield design(MEANS, NON_INFERIORITY, margin=0.2), 0.0
    yield design(MEANS, EQUIVALENCE, margin=0.3), 0.0
    yield design(COUNTS, TWO_SIDED, BONFERRONI, baseline=2.0, weights=(2, 1, 1)), 0.1
    yield design(MEANS, TWO_SIDED, DUNNETT, ANY, weights=(1, 1, 1, 1)), 0.3
    yield design(RANKS, TWO_SIDED, HOLM, ALL, weights=(1, 1, 1)), 0.3
    yield design(MEANS, clusters=(25, 0.5, 0.03)), 0.3


def test_any_number_is_found_from_the_others(plans):
    asked = list(plans_to_solve())
    sizes = [solved(row) for row in plans([solve_line(plan, SIZE, effect, daily=500) for plan, effect in asked])]
    for (plan, _), found in zip(asked, sizes):
        assert found.failure == 0 and found.before < 0.8 <= found.power, plan
        assert found.total == pytest.approx(sum(found.users)) and found.days == math.ceil(found.total / 500)
    back = [solved(row) for row in plans([line for (plan, effect), size in zip(asked, sizes) for line in (
        solve_line(plan, POWER, effect, total=size.total), solve_line(plan, EFFECT, 0 if size.margin else effect,
                                                                      power=size.power, total=size.total))])]
    for (_, effect), size, power, found in zip(asked, sizes, back[::2], back[1::2]):
        assert power.power == pytest.approx(size.power, abs=2e-3)
        assert abs(found.effect) + found.margin == pytest.approx(abs(effect) + size.margin, rel=5e-3)


def test_the_best_allocation(plans):
    """For one variance and large arms the control has the root of the number of treatments (Dunnett 1955); the users in
    all are fewer than those of equal arms and of neighboring allocations."""
    plan = design(RATIO, TWO_SIDED, BONFERRONI, weights=(1, 1, 1, 1, 1))
    best = solved(plans([solve_line(plan, SIZE, 0.05, best=1)])[0])
    assert best.share / (1 - best.share) * 4 == pytest.approx(2, rel=0.01)
    assert best.total < best.equal
    for ratio in (1.6, 2.5):
        other = design(RATIO, TWO_SIDED, BONFERRONI, weights=(ratio, 1, 1, 1, 1))
        assert solved(plans([solve_line(other, SIZE, 0.05)])[0]).total > best.total


def test_what_has_no_solution(plans):
    small, large, none = plans([solve_line(design(MEANS), SIZE, 1e-12), solve_line(design(BINARY, baseline=0.9), SIZE, 0.2),
                                solve_line(design(BINARY, baseline=0.9), EFFECT, total=10)])
    assert [small[0], large[0], none[0]] == [1, 1, 2]
