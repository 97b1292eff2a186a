"""Regression adjustment against statsmodels: ordinary least squares on arm indicators, covariates about their common
means and the products of both, with HC2 and HC3; and the arms' own regressions for the variance from sums."""
import math
import random
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm

HC2, HC3, ARM = range(3)
USED = 0
FIELDS = "defined effect error df p lower upper relative plain_effect plain_error reduction".split()


class Regression:
    """Calls tests/oracle/regression.c; floats travel in hexadecimal, so exactly."""

    def __init__(self, evaluator):
        self.program = evaluator("regression").program

    def run(self, cases):
        lines = "".join("users " + " ".join(map(_text, case.numbers())) + "\n" for case in cases)
        done = subprocess.run([self.program], input=lines, text=True, capture_output=True, timeout=120, check=True)
        answers = done.stdout.splitlines()
        assert len(answers) == len(cases), done.stderr
        return [_row(case, [float(word) for word in answer.split()]) for case, answer in zip(cases, answers)]


def _text(value):
    return str(int(value)) if isinstance(value, (int, np.integer)) else ("nan" if math.isnan(value) else
                                                                         float(value).hex())


def _row(case, numbers):
    columns, at = int(numbers[2]), 4
    row = SimpleNamespace(total=numbers[0], rank=numbers[1], ratio_undefined=numbers[3], use=numbers[at:at + columns])
    at += columns
    row.adjusted, row.plain = numbers[at:at + 2 * case.arms:2], numbers[at + 1:at + 2 * case.arms:2]
    at += 2 * case.arms
    row.comparisons = [SimpleNamespace(**dict(zip(FIELDS, numbers[i:i + len(FIELDS)])))
                       for i in range(at, len(numbers), len(FIELDS))]
    return row


class Case:
    """Users of several arms; `arm`, `y`, `d` by user, `x` by user and covariate with NaN where it is missing."""

    def __init__(self, arm, y, x, d=None, variance=HC2, normal=False, alpha=0.05, name=""):
        self.arm, self.y, self.x = np.asarray(arm), np.asarray(y, float), np.asarray(x, float)
        self.ratio, self.d = d is not None, np.ones(len(y)) if d is None else np.asarray(d, float)
        self.arms, self.variance, self.normal, self.alpha = int(self.arm.max()) + 1, variance, normal, alpha
        self.name = name

    def numbers(self):
        yield from (self.arms, self.x.shape[1], int(self.ratio), self.variance, int(self.normal), self.alpha,
                    len(self.y))
        for i, arm in enumerate(self.arm):
            yield from (int(arm), self.y[i], self.d[i], *self.x[i])

    def __repr__(self):
        return f"{self.name} n={len(self.y)} arms={self.arms} p={self.x.shape[1]} y0={self.y[0]!r}"


def outcome(case):
    """The linearised ratio in the arm's own scale, or the value; about a pivot, which is added again."""
    if not case.ratio:
        pivot = np.full(case.arms, np.mean(case.y))
        return case.y - pivot[0], pivot
    y, pivot = np.empty(len(case.y)), np.empty(case.arms)
    for a in range(case.arms):
        rows = case.arm == a
        pivot[a] = math.fsum(case.y[rows]) / math.fsum(case.d[rows])
        y[rows] = (case.y[rows] - pivot[a] * case.d[rows]) / np.mean(case.d[rows])
    return y, pivot


def columns_of(case):
    """Covariates about their mean, 0 where missing, then indicators; standardised."""
    scaled = [x / (np.nanmax(np.abs(x)) or 1) for x in case.x.T]
    filled = [np.where(np.isnan(x), 0, x - np.nanmean(x)) for x in scaled]
    columns = filled + [np.isnan(x).astype(float) for x in case.x.T if np.isnan(x).any()]
    return [(c - c.mean()) / (c.std() or 1) for c in columns]


def independent(case, columns):
    """In their order, the columns that raise the rank in every arm."""
    chosen = []
    for position, column in enumerate(columns):
        grows = True
        for a in range(case.arms):
            rows = case.arm == a
            block = np.column_stack([np.ones(rows.sum()), *(columns[i][rows] for i in chosen), column[rows]])
            block = block / np.maximum(np.linalg.norm(block, axis=0), 1e-300)
            grows = grows and rows.sum() >= len(chosen) + 3 and \
                np.linalg.matrix_rank(block, tol=1e-6) == block.shape[1]
        if grows:
            chosen.append(position)
    return chosen


def reference(case):
    y, pivot = outcome(case)
    scale = np.abs(y).max() or 1.0
    columns = columns_of(case)
    chosen = independent(case, columns)
    parts = []
    for a in range(case.arms):
        rows = (case.arm == a).astype(float)
        parts += [rows] + [rows * columns[i] for i in chosen]
    fit = sm.OLS(y / scale, np.column_stack(parts)).fit()
    with np.errstate(all="ignore"):
        robust = {HC2: fit.cov_HC2, HC3: fit.cov_HC3}
    at = [a * (1 + len(chosen)) for a in range(case.arms)]
    result = SimpleNamespace(chosen=chosen, comparisons=[], leverage=fit.get_influence().hat_matrix_diag.max(), adjusted=[pivot[a] + scale * fit.params[at[a]]
                                                                      for a in range(case.arms)])
    for a in range(1, case.arms):
        if case.variance == ARM:
            errors = [arm_error(case, y / scale, columns, chosen, i) for i in (0, a)]
        else:
            with np.errstate(all="ignore"):
                errors = [math.sqrt(robust[case.variance][at[i], at[i]]) for i in (0, a)]
        error = scale * math.hypot(*errors)
        df = np.inf if case.normal else satterthwaite(errors, [(case.arm == i).sum() - 1 - len(chosen) for i in (0, a)])
        effect = (pivot[a] - pivot[0]) + scale * (fit.params[at[a]] - fit.params[0])
        t = scipy.stats.t(df)
        half = error * t.isf(case.alpha / 2)
        result.comparisons.append(SimpleNamespace(effect=effect, error=error, df=df, p=2 * t.sf(abs(effect / error)),
                                                  lower=effect - half, upper=effect + half))
    return result


def satterthwaite(errors, free):
    return math.hypot(*errors) ** 4 / sum(e ** 4 / f for e, f in zip(errors, free))


def arm_error(case, y, columns, chosen, a):
    """Of the prediction of the arm's own regression where all columns are 0, their common mean."""
    rows = case.arm == a
    design = np.column_stack([np.ones(rows.sum()), *(columns[i][rows] for i in chosen)])
    at = np.zeros((1, design.shape[1]))
    at[0, 0] = 1
    return sm.OLS(y[rows], design).fit().get_prediction(at).se_mean[0]


def draw_case(draw, number):
    """One of many kinds: every metric, missing covariates, collinear ones, heavy tails, far from 0, any unit."""
    rng = np.random.default_rng(draw.randrange(1 << 30))
    n, arms, p = draw.choice([12, 40, 200, 900]), draw.choice([2, 2, 2, 3]), draw.choice([1, 1, 2, 3, 5])
    arm = np.concatenate([np.arange(arms).repeat(4), rng.integers(0, arms, n)])
    n = len(arm)
    x = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=p) * draw.choice([0, 1, 30])
    kind = ["plain", "missing", "collinear", "binary", "count", "ratio", "heavy", "offset", "unit"][number % 9]
    y = x @ rng.normal(size=p) + rng.normal(size=n) * draw.choice([0.1, 1, 5]) * (1 + 0.3 * arm) + 0.2 * arm
    d = None
    if kind == "missing":
        x[rng.random((n, p)) < 0.25] = np.nan
        if draw.random() < 0.3:
            x[arm == 1, 0] = rng.normal(size=(arm == 1).sum())
    elif kind == "collinear":
        x = np.column_stack([x, x[:, 0] * 2 - 1, np.full(n, 3.0), np.where(arm == 0, 0.0, rng.normal(size=n))])
    elif kind == "binary":
        y = (y > np.median(y)).astype(float)
    elif kind == "count":
        y = rng.poisson(np.exp(np.clip(0.3 * x[:, 0], -1, 3))) + (rng.random(n) < 0.5)
    elif kind == "ratio":
        d = rng.poisson(4, n) + 1.0
        y = d * (0.3 + 0.05 * arm) + 0.2 * y
    elif kind == "heavy":
        y, x = np.exp(rng.normal(size=n) * 2 + 0.5 * x[:, 0]), np.exp(x)
    elif kind == "offset":
        y, x = y + 1e6, x + 1e6
    elif kind == "unit":
        y, x = y * 10.0 ** draw.randint(-280, 280), x * 10.0 ** draw.randint(-280, 280)
    return Case(arm, y, x, d, draw.choice([HC2, HC3, ARM]), draw.random() < 0.3, draw.choice([0.001, 0.05, 0.1]), kind)


CASES = [draw_case(random.Random(number), number) for number in range(270)]


@pytest.fixture(scope="module")
def regression(evaluator):
    return Regression(evaluator)


def test_equal_to_statsmodels(regression, accuracy):
    compared = 0
    for case, row in zip(CASES, regression.run(CASES)):
        expected = reference(case)
        assert [i for i, use in enumerate(row.use) if use == USED] == expected.chosen, case
        scale = np.abs(case.y).max() / (abs(np.mean(case.d)) if case.ratio else 1)
        digits = 1e-3 if case.name == "offset" else 1e-6
        assert row.total == len(case.y)
        for ours, theirs in zip(row.adjusted, expected.adjusted):
            accuracy.closed("regression", "adjusted mean", ours, theirs, case, scale)
        for ours, theirs in zip(row.comparisons, expected.comparisons):
            assert ours.defined == 1
            accuracy.closed("regression", "effect", ours.effect, theirs.effect, case, scale)
            if expected.leverage > 1 - 1e-4:  # statsmodels divides by the rounding of 1 - h
                continue
            assert ours.error == pytest.approx(theirs.error, rel=1e-8), case
            assert ours.p == pytest.approx(theirs.p, rel=digits, abs=1e-250), case
            for end in ("lower", "upper"):
                assert getattr(ours, end) == pytest.approx(getattr(theirs, end), rel=1e-8, abs=1e-8 * theirs.error)
            assert case.normal or ours.df == pytest.approx(theirs.df, rel=1e-7)
            compared += 1
    assert compared > 250


def test_without_covariates_it_is_welch(regression):
    """HC2 without covariates has Welch's standard error; the reduction compares with that."""
    for case, row in zip(CASES, regression.run(CASES)):
        y, pivot = outcome(case)
        for a, ours in enumerate(row.comparisons, 1):
            parts = [y[case.arm == i] / np.abs(y).max() for i in (0, a)]
            power = 2 if case.variance == HC3 else 1
            error = np.abs(y).max() * math.sqrt(sum(
                part.var(ddof=1) / len(part) * (len(part) / (len(part) - 1)) ** (power - 1) for part in parts))
            assert ours.plain_error == pytest.approx(error, rel=1e-9), case
            assert ours.reduction == pytest.approx(100 * (1 - (ours.error / ours.plain_error) ** 2), abs=1e-9)


def test_two_identical_lines_leave_no_error(regression):
    arm, x = [0] * 5 + [1] * 5, [[float(i)] for i in range(10)]
    row = regression.run([Case(arm, [3 * value[0] + 1 for value in x], x)])[0]
    assert row.comparisons[0].defined == 0


def test_a_user_with_a_slope_to_himself_is_given_the_residual_variance_of_the_arm(regression):
    """HC2 divides by 1 - h, which is 0 for the one user of an arm with another value of the covariate."""
    rng = np.random.default_rng(3)
    arm = np.arange(40) % 2
    x = np.zeros((40, 1))
    x[0], x[1] = 5, 4
    row = regression.run([Case(arm, rng.normal(size=40), x)])[0].comparisons[0]
    assert row.defined == 1 and math.isfinite(row.error) and row.error > 0


def test_denominators_that_sum_to_nothing_have_no_ratio(regression):
    case = Case([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6], [[1.0]] * 6, [1, -1, 0, 1, 1, 1])
    assert regression.run([case])[0].ratio_undefined == 1


def coverage(regression, make, runs, seed):
    """Share of runs whose 95 % interval holds the true effect, and the mean variance reduction."""
    rng, cases, truths = np.random.default_rng(seed), [], []
    for _ in range(runs):
        case, truth = make(rng)
        cases.append(case)
        truths.append(truth)
    rows = [row.comparisons[0] for row in regression.run(cases)]
    held = sum(row.lower <= truth <= row.upper for row, truth in zip(rows, truths))
    return held / runs, float(np.mean([row.reduction for row in rows]))


def means(rng):
    arm = np.arange(120) % 2
    x = rng.normal(size=(120, 1))
    return Case(arm, 2 * x[:, 0] + rng.normal(size=120) + 0.5 * arm, np.where(rng.random((120, 1)) < 0.3, np.nan, x)), 0.5


def ratios(rng):
    arm, activity = np.arange(300) % 2, rng.gamma(3, 1, 300)
    d = rng.poisson(activity) + 1.0
    y = rng.binomial(d.astype(int), 0.3 + 0.05 * arm) + 0.0
    return Case(arm, y, activity[:, None], d), 0.05


@pytest.mark.parametrize("make", [means, ratios])
def test_intervals_cover(regression, make):
    """400 runs have a standard error of 1.1 points."""
    held, _ = coverage(regression, make, 400, 7)
    assert 0.91 <= held <= 0.985
