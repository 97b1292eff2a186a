"""Tests on pairs, and ratios of totals. Judges are scipy and statsmodels where they have the method, 50-digit
arithmetic from the exact differences, and the list of all pairwise averages."""
import math
import random
import subprocess
from types import SimpleNamespace

import mpmath as mp
import numpy as np
import pytest
import scipy.stats
import statsmodels.stats.contingency_tables
from mpmath import mpf

from experiments_results_test import student_survival

COLUMNS = ("degenerate effect relative control treatment lower upper level p statistic df power significant size "
           "pairs zeros positive negative exact").split()
ALPHAS = (0.001, 0.01, 0.05, 0.1)
TINY = 1e-280  # below, p-values lose digits to the end of the range of doubles


@pytest.fixture(scope="module")
def run(evaluator):
    program = evaluator("pairs").program

    def call(method, cases):
        lines = "".join(f"{method} {' '.join(float(v).hex() for v in case)}\n" for case in cases)
        done = subprocess.run([program], input=lines, text=True, capture_output=True, timeout=120, check=True)
        rows = [SimpleNamespace(**dict(zip(COLUMNS, map(float, line.split())))) for line in done.stdout.splitlines()]
        assert len(rows) == len(cases), done.stderr
        for row in rows:
            assert all(math.isfinite(getattr(row, name)) for name in COLUMNS if name != "size"), row
            assert 0 <= row.p <= 1 and 0 <= row.power <= 1 and row.lower <= row.upper and not math.isinf(row.size)
        return rows
    return call


def pair_cases(count, seed, largest=60, decades=0):
    """(alpha, n, control, treatment) of every kind: correlated, full of ties and zeros, far from 0, skewed,
    unchanged, all changed alike."""
    draw, cases = random.Random(seed), []
    while len(cases) < count:
        n = draw.choice([2, 3, draw.randint(2, 12), draw.randint(2, largest)])
        unit, shift = 10 ** draw.uniform(-decades, decades), draw.choice([0, 0, 0.5, 3])
        kind = draw.choice(["normal", "normal", "heavy", "ties", "offset", "same", "shifted"])
        control = [{"heavy": math.exp(draw.gauss(0, 4)), "ties": float(draw.randint(0, 5)),
                    "offset": 1e9 + draw.gauss(0, 1)}.get(kind, draw.gauss(5, 2)) for _ in range(n)]
        change = {"normal": lambda: draw.gauss(shift, 1), "heavy": lambda: draw.gauss(shift, 50),
                  "ties": lambda: float(draw.randint(-2, 2)), "offset": lambda: draw.gauss(shift, 1),
                  "same": lambda: 0.0, "shifted": lambda: 0.1}[kind]
        cases.append((draw.choice(ALPHAS), n, [v * unit for v in control], [(v + change()) * unit for v in control]))
    return cases


def flat(cases):
    return [(alpha, n, *control, *treatment) for alpha, n, control, treatment in cases]


T_CASES = [(300, 401, 60, 0), (40, 402, 1000, 0), (100, 403, 20, 290)]


@pytest.mark.parametrize("count, seed, largest, decades", T_CASES)
def test_paired_t_in_50_digits(run, accuracy, count, seed, largest, decades):
    cases, compared = pair_cases(count, seed, largest, decades), 0
    for (alpha, n, control, treatment), row in zip(cases, run("t", flat(cases))):
        with mp.workdps(50):
            differences = [mpf(t) - mpf(c) for c, t in zip(control, treatment)]
            mean = mp.fsum(differences) / n
            squares = mp.fsum((d - mean) ** 2 for d in differences)
            blur = max(abs(v) for v in control + treatment) * mpf(2) ** -50
            if row.degenerate:
                assert max(differences) - min(differences) <= 2 * blur and row.p == 1
                continue
            error = mp.sqrt(squares / (n - 1) / n)
            if error < 1e4 * blur:
                continue  # differences that are mostly the rounding of the values
            compared += 1
            case, scale = (alpha, n, control[0], treatment[0]), max(abs(mean), error)
            accuracy.closed("paired t", "statistic", row.statistic, mean / error, case, max(abs(mean / error), 1))
            accuracy.closed("paired t", "mean", row.effect, mean, case, scale)
            accuracy.closed("paired t", "dz", row.size, mean / error / mp.sqrt(n), case, max(abs(mean / error), 1))
            p = 2 * student_survival(abs(row.statistic), n - 1)
            if p > TINY:
                accuracy.closed("paired t", "p", row.p, p, case)
            half = (mpf(row.upper) - mpf(row.lower)) / 2 / error
            lost = float(abs(mean) / error)
            if lost < 1e4:
                accuracy.closed("paired t", "interval", 2 * student_survival(half, n - 1), alpha, case)
        assert row.significant == (row.p < alpha) and row.level == 1 - alpha and row.pairs == n
    assert compared > count / 2


def test_paired_t_is_scipys(run, accuracy):
    cases = pair_cases(220, 404)
    for (alpha, n, control, treatment), row in zip(cases, run("t", flat(cases))):
        if row.degenerate or max(control) > 1e6:
            continue
        theirs = scipy.stats.ttest_rel(treatment, control)
        accuracy.closed("paired t", "scipy p", row.p, theirs.pvalue, (alpha, n, control[0]),
                        max(theirs.pvalue, 1e-12))
        accuracy.closed("paired t", "scipy statistic", row.statistic, theirs.statistic, (alpha, n, control[0]),
                        max(abs(theirs.statistic), 1))


def averages(differences):
    i, j = np.triu_indices(len(differences))
    return np.sort((differences[i] + differences[j]) / 2)


@pytest.mark.filterwarnings("ignore")  # scipy, about small samples
@pytest.mark.parametrize("count, seed, largest, decades", [(320, 411, 60, 0), (30, 412, 1000, 0), (100, 413, 20, 290)])
def test_wilcoxon_is_scipys(run, accuracy, count, seed, largest, decades):
    """Effect and interval are order statistics of the averages, to be met exactly."""
    cases = pair_cases(count, seed, largest, decades)
    for (alpha, n, control, treatment), row in zip(cases, run("wilcoxon", flat(cases))):
        differences = np.array(treatment) - np.array(control)
        ranked = differences[differences != 0]
        assert row.zeros == n - len(ranked) and row.pairs == n
        assert row.degenerate == (len(ranked) < 2)
        if row.degenerate:
            continue
        theirs = scipy.stats.wilcoxon(ranked, zero_method="wilcox", correction=True, mode="approx")
        case = (alpha, n, control[0], treatment[0])
        assert row.statistic == theirs.statistic
        accuracy.closed("Wilcoxon", "p", row.p, theirs.pvalue, case)
        ranks = scipy.stats.rankdata(np.abs(ranked))
        signed = math.fsum(ranks * np.sign(ranked)) / (len(ranked) * (len(ranked) + 1) / 2)
        accuracy.closed("Wilcoxon", "rank-biserial", row.size, signed, case)
        inner, total = averages(differences), n * (n + 1) // 2
        accuracy.closed("Wilcoxon", "pseudomedian", row.effect, np.median(inner), case)
        reach = scipy.stats.norm.isf(alpha / 2) * math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        rank = max(1, math.floor(total / 2 - reach))
        assert (row.lower, row.upper) == (inner[rank - 1], inner[total - rank])
        assert row.significant == (row.p < alpha) and row.level == 1 - alpha


def binary_pairs(count, seed):
    draw, cases = random.Random(seed), []
    for _ in range(count):
        n = draw.choice([2, 5, draw.randint(2, 60), draw.randint(2, 1000)])
        rise, fall = draw.choice([(0, 0), (0.1, 0), (0, 0.5), (draw.random(), draw.random()), (0.3, 0.3)])
        control = [float(draw.random() < 0.5) for _ in range(n)]
        treatment = [float(draw.random() < rise if v == 0 else draw.random() >= fall) for v in control]
        cases.append((draw.choice(ALPHAS), n, control, treatment))
    return cases


def test_mcnemar_is_statsmodels(run, accuracy):
    cases, methods = binary_pairs(500, 421), []
    for (alpha, n, control, treatment), row in zip(cases, run("mcnemar", flat(cases))):
        table = np.zeros((2, 2), dtype=int)
        for before, after in zip(control, treatment):
            table[int(before), int(after)] += 1
        rose, fell = int(table[0, 1]), int(table[1, 0])
        exact, case = rose + fell < 25, (alpha, n, rose, fell)
        assert (row.positive, row.negative, row.exact) == (rose, fell, exact) and not row.degenerate
        methods.append(exact)
        theirs = statsmodels.stats.contingency_tables.mcnemar(table, exact=exact, correction=True)
        accuracy.closed("McNemar", "p", row.p, theirs.pvalue if rose + fell else 1, case)
        accuracy.closed("McNemar", "statistic", row.statistic, theirs.statistic if rose + fell else 0, case)
        effect = (rose - fell) / n
        half = scipy.stats.norm.isf(alpha / 2) * math.sqrt((rose + fell - (rose - fell) ** 2 / n) / n ** 2)
        accuracy.closed("McNemar", "effect", row.effect, effect, case)
        accuracy.closed("McNemar", "lower", row.lower, effect - half, case, max(half, abs(effect)) or 1)
        accuracy.closed("McNemar", "upper", row.upper, effect + half, case, max(half, abs(effect)) or 1)
        assert math.isnan(row.size) if fell == 0 else row.size == rose / fell
    assert 100 < sum(methods) < 450


def ratio_arm(draw, n, kind, unit, ratio):
    x = [{"views": float(draw.randint(0, 9)), "signed": draw.gauss(3, 2), "far": 1e9 + draw.gauss(0, 1)}.get(
        kind, math.exp(draw.gauss(0, 1))) for _ in range(n)]
    y = [ratio * v + (0 if kind == "exact" else draw.gauss(0, 0.3)) for v in x]
    return [v * unit for v in y], [v * unit for v in x]


def ratio_cases(count, seed, decades):
    draw, cases = random.Random(seed), []
    while len(cases) < count:
        kind, unit = draw.choice(["views", "signed", "far", "usual", "exact"]), 10 ** draw.uniform(-decades, decades)
        ratio, size = draw.choice([0, 0.3, 40]), draw.choice([2, 12, 60, 300])
        n, m = (draw.randint(2, max(size, 2)) for _ in "ct")
        cases.append((draw.choice(ALPHAS), ratio_arm(draw, n, kind, unit, ratio),
                      ratio_arm(draw, m, kind, unit, ratio + draw.choice([0, 0.1]))))
    return cases


def ratio_of(numerators, denominators):
    """Ratio and standard error by the moments of the definition; None where the denominators cancel."""
    n, x, y = len(numerators), list(map(mpf, denominators)), list(map(mpf, numerators))
    if abs(mp.fsum(x)) <= mp.fsum(map(abs, x)) * mpf(2) ** -52:
        return None
    mean_x, mean_y = mp.fsum(x) / n, mp.fsum(y) / n
    ratio = mean_y / mean_x
    xx, xy, yy = (mp.fsum((a - ma) * (b - mb) for a, b in zip(p, q)) / (n - 1)
                  for p, q, ma, mb in ((x, x, mean_x, mean_x), (x, y, mean_x, mean_y), (y, y, mean_y, mean_y)))
    return ratio, mp.sqrt(max(yy - 2 * ratio * xy + ratio ** 2 * xx, 0) / n) / abs(mean_x), \
        mp.fsum(map(abs, y)) / abs(mp.fsum(x)) * mpf(2) ** -48


@pytest.mark.parametrize("count, seed, decades", [(300, 431, 0), (120, 432, 280)])
def test_ratio_in_50_digits(run, accuracy, count, seed, decades):
    cases, compared = ratio_cases(count, seed, decades), 0
    flat_cases = [(alpha, len(c[0]), len(t[0]), *c[0], *c[1], *t[0], *t[1]) for alpha, c, t in cases]
    for (alpha, control, treatment), row in zip(cases, run("ratio", flat_cases)):
        with mp.workdps(60):
            arms = [ratio_of(*control), ratio_of(*treatment)]
            if row.degenerate:
                assert None in arms or all(error <= blur for _, error, blur in arms)
                continue
            (before, error1, blur1), (after, error2, blur2) = arms
            error = mp.sqrt(error1 ** 2 + error2 ** 2)
            if error < 1e4 * (blur1 + blur2):
                continue  # users that differ from their ratio by rounding
            compared += 1
            effect, case = after - before, (alpha, len(control[0]), len(treatment[0]), control[0][0])
            scale = max(abs(before), abs(after), error)
            accuracy.closed("ratio", "effect", row.effect, effect, case, scale)
            accuracy.closed("ratio", "control", row.control, before, case, max(abs(before), error))
            accuracy.closed("ratio", "statistic", row.statistic, effect / error, case, max(scale / error, 1))
            p = mp.erfc(abs(mpf(row.statistic)) / mp.sqrt(2))
            if p > TINY:
                accuracy.closed("ratio", "p", row.p, p, case)
            critical = mp.sqrt(2) * mp.erfinv(1 - mpf(alpha))
            accuracy.closed("ratio", "lower", row.lower, effect - critical * error, case, scale)
            accuracy.closed("ratio", "upper", row.upper, effect + critical * error, case, scale)
            power = sum(mp.erfc((critical + s * abs(mpf(row.statistic))) / mp.sqrt(2)) / 2 for s in (1, -1))
            accuracy.closed("ratio", "power", row.power, power, case)
        assert row.significant == (row.p < alpha) and row.level == 1 - alpha
    assert compared > count / 2
