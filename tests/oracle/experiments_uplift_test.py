"""Draws of an observed uplift: their law against scipy's, and what is made of them against numpy."""
import random
import subprocess

import numpy as np
import pytest
import scipy.stats

DRAWS = 2000
PERCENTILES, THRESHOLDS, BUCKETS = (5, 25, 50, 75, 95), np.arange(11) / 100, 50
NODES, WEIGHTS = np.polynomial.legendre.leggauss(100)


def cases_of(method, count, seed):
    draw = random.Random(seed)
    for number in range(count):
        if method == "rates":
            n = [int(10 ** draw.uniform(1, 6)) for _ in range(2)]
            rate = 10 ** draw.uniform(-2.5, -0.1)
            x = [min(size, int(size * rate * draw.uniform(0.8, 1.25))) for size in n]
            yield 42 + number, DRAWS, x[0], n[0], x[1], n[1]
        else:
            mean = draw.uniform(1, 100)
            sides = [(mean * draw.uniform(0.9, 1.1), mean * draw.uniform(0.02, 0.6), int(10 ** draw.uniform(2, 5)))
                     for _ in range(2)]
            yield 42 + number, DRAWS, *sides[0], *sides[1]


@pytest.fixture(scope="module")
def drawn(evaluator):
    program = evaluator("uplift").program

    def run(method, cases):
        text = "".join(f"{method} {' '.join(map(str, case))}\n" for case in cases)
        done = subprocess.run([program], input=text, text=True, capture_output=True, timeout=300, check=True)
        rows = [np.array(line.split(), dtype=float) for line in done.stdout.splitlines()]
        assert len(rows) == len(cases)
        return rows
    return run


def parts(row):
    """Percentiles, shares above 0 and the thresholds, axis, shares of buckets, draws."""
    return np.split(row, np.cumsum([len(PERCENTILES), len(THRESHOLDS), 3, BUCKETS]))


def share_above(method, case, threshold):
    """The exact probability that the uplift is above the threshold."""
    if method == "means":
        m1, s1, n1, m2, s2, n2 = case[2:]
        ratio = 1 + threshold
        return scipy.stats.norm.sf(ratio * m1 - m2, scale=np.hypot(ratio * s1 / n1 ** 0.5, s2 / n2 ** 0.5))
    control, treatment = (scipy.stats.beta(x + 1, n - x + 1) for x, n in (case[2:4], case[4:6]))
    ratio = 1 + threshold  # over the narrower of the two, so that what is integrated is smooth
    if control.std() * ratio < treatment.std():
        return integrate(control, lambda rate: treatment.sf(ratio * rate))
    return integrate(treatment, lambda rate: control.cdf(rate / ratio))


def integrate(law, function):
    low, high = law.ppf(1e-12), law.ppf(1 - 1e-12)
    at = (high - low) / 2 * NODES + (high + low) / 2
    return (high - low) / 2 * float(np.sum(WEIGHTS * law.pdf(at) * function(at)))


@pytest.mark.parametrize("method", ["rates", "means"])
def test_draws_have_the_law_that_they_should(drawn, method):
    cases = list(cases_of(method, 150, 5))
    z = []
    for number, (case, row) in enumerate(zip(cases, drawn(method, cases))):
        _, shares, _, _, values = parts(row)
        assert np.array_equal(shares, [(values > threshold).mean() for threshold in THRESHOLDS])
        at = (0, 3, 10)[number % 3]  # one of a case: those of the same draws go together
        p = share_above(method, case, THRESHOLDS[at])
        if 0.02 < p < 0.98:
            z.append((shares[at] - p) / (p * (1 - p) / DRAWS) ** 0.5)
    z = np.array(z)
    assert len(z) >= 30 and abs(z).max() < 4.5, (len(z), abs(z).max())
    assert abs(z.mean()) * len(z) ** 0.5 < 4 and 0.7 < z.std() < 1.3, (z.mean(), z.std())


@pytest.mark.parametrize("method", ["rates", "means"])
def test_summaries_are_numpys(drawn, accuracy, method):
    cases = list(cases_of(method, 110, 9))
    for case, row in zip(cases, drawn(method, cases)):
        percentiles, _, axis, buckets, values = parts(row)
        scale = abs(values).max()
        for q, ours in zip(PERCENTILES, percentiles):
            accuracy.closed("uplift draws", f"percentile {q}", ours, np.percentile(values, q), case, scale)
        assert (axis[0], axis[1]) == (values.min(), values.max())
        counts, edges = np.histogram(values, bins=BUCKETS)
        near = np.abs((values[:, None] - edges) / axis[2]).min(axis=1) < 1e-9  # an edge may round either way
        assert np.abs(buckets * DRAWS - counts).sum() <= 2 * near.sum()
        assert buckets.sum() == pytest.approx(1)


def test_the_golden_case_is_what_scipy_says(drawn):
    (row,) = drawn("rates", [(42, 50000, 410, 10000, 470, 10020)])
    percentiles, shares, _, _, _ = parts(row)
    assert percentiles[[0, 2, 4]] == pytest.approx([0.026, 0.144, 0.275], abs=0.01)
    for threshold in (0, 10):
        exact = share_above("rates", (0, 0, 410, 10000, 470, 10020), threshold / 100)
        assert shares[threshold] == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 50000) ** 0.5)
