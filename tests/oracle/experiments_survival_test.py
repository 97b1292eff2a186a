"""Survival analysis. Judges are R's survival package and the definitions in 50 digits."""
import math
import random

import mpmath as mp
import pytest
from mpmath import mpf

from survival_driver import Case, run, run_in_r, survival_cases

CASES = survival_cases(560, 2024)


@pytest.fixture(scope="module")
def program(evaluator):
    return evaluator("survival").program


@pytest.fixture(scope="module")
def rows(program):
    return list(zip(CASES, run(program, CASES)))


def risk_sets(arms):
    """(at risk, events) per arm at each distinct time with an event, from the definition."""
    for at in sorted({t for arm in arms for t, observed in arm if observed}):
        yield ([sum(t >= at for t, _ in arm) for arm in arms],
               [sum(observed and t == at for t, observed in arm) for arm in arms])


def solve(matrix, right, size):
    """Gaussian elimination; None where a pivot is not above 1e-12 of the largest element."""
    rows = [[matrix[i, j] for j in range(size)] + [right[i]] for i in range(size)]
    largest = max(abs(value) for row in rows for value in row[:-1])
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        if abs(rows[k][k]) <= largest * mpf("1e-12"):
            return None
        for i in range(size):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [rows[i][-1] / rows[i][i] for i in range(size)]


def chi_square_by_definition(case):
    """Score and covariance of all arms but the first in 50 digits; None where the covariance is singular."""
    size = len(case.arms) - 1
    score, covariance, survival = mp.zeros(size, 1), mp.zeros(size), mpf(1)
    for at_risk, events in risk_sets(case.arms):
        n, d = sum(at_risk), sum(events)
        weight = (survival ** case.rho if case.rho else 1) * ((1 - survival) ** case.gamma if case.gamma else 1)
        scale = weight ** 2 * mpf(d) * (n - d) / (n - 1) if n > 1 else 0
        for i in range(size):
            score[i] += weight * (events[i + 1] - mpf(d) * at_risk[i + 1] / n)
            for j in range(size):
                covariance[i, j] += scale * (mpf(at_risk[i + 1]) / n) * ((i == j) - mpf(at_risk[j + 1]) / n)
        survival *= mpf(n - d) / n
    solution = solve(covariance, score, size)
    return solution and sum(a * b for a, b in zip(score, solution))


def test_log_rank_family_in_50_digits(rows, accuracy):
    tested = 0
    for case, row in rows:
        with mp.workdps(50):
            chi_square = chi_square_by_definition(case)
            assert row.tested == (chi_square is not None), case
            if chi_square is None:
                continue
            tested += 1
            accuracy.closed("log-rank family", "chi-square", row.chi_square, chi_square, case,
                            scale=max(chi_square, mpf("1e-6")))
            p = mp.gammainc(mpf(len(case.arms) - 1) / 2, mpf(row.chi_square) / 2, regularized=True)
            accuracy.closed("log-rank family", "p", row.p, p, case)
    assert tested > 250


def test_log_rank_in_r(rows, accuracy, in_r):
    """survdiff takes the difference of sums, so arms that are alike are left out."""
    compared = 0
    for (case, row), theirs in zip(rows, in_r):
        if not math.isnan(theirs.expected[0]):
            for ours, expected in zip(row.expected, theirs.expected):
                accuracy.closed("log-rank family", "expected events", ours, expected, case)
        if row.tested and not math.isnan(theirs.chi_square) and row.chi_square > 1e-4:
            accuracy.closed("log-rank family", "chi-square in R", row.chi_square, theirs.chi_square, case)
            compared += 1
    assert compared > 150


@pytest.fixture(scope="module")
def in_r():
    return run_in_r(CASES)


def slope(case, beta):
    """Of Efron's log partial likelihood, in 50 digits."""
    total, ratio = mpf(0), mp.exp(beta)
    for (n0, n1), (d0, d1) in risk_sets(case.arms[:2]):
        d = d0 + d1
        total += d1
        for gone in range(d):
            part = mpf(gone) / d
            treatment = (n1 - part * d1) * ratio
            total -= treatment / (treatment + n0 - part * d0)
    return total


def has_maximum(case):
    """The slope is falling; it has a root unless it nears 0 on one side."""
    return slope(case, mpf(-80)) > mpf("1e-20") and slope(case, mpf(80)) < -mpf("1e-20")


def test_cox_has_a_ratio_where_the_likelihood_has_a_maximum(rows):
    fitted = 0
    for case, row in rows:
        with mp.workdps(50):
            assert row.fitted == has_maximum(case), case
            if row.fitted:
                fitted += 1
                assert abs(slope(case, mpf(row.beta))) * row.se ** 2 < 1e-9 * max(1, abs(row.beta)), case
    assert 200 < fitted < len(rows) - 50


def test_cox_in_r(rows, in_r, accuracy):
    for (case, row), theirs in zip(rows, in_r):
        if row.fitted:
            accuracy.iterative("Cox", "log hazard ratio", row.beta, theirs.beta, case, scale=max(abs(theirs.beta), theirs.se))
            accuracy.iterative("Cox", "standard error", row.se, theirs.se, case)
            accuracy.closed("Cox test", "p", row.cox_p, mp.erfc(abs(mpf(row.beta)) / mpf(row.se) / mp.sqrt(2)), case)


def test_curves_in_r(rows, in_r, accuracy):
    for (case, row), theirs in zip(rows, in_r):
        assert len(row.curve) == len(theirs.curve), case
        for ours, point in zip(row.curve, theirs.curve):
            assert math.isclose(ours[0], point[0], rel_tol=1e-12)  # R reads decimals less exactly
            if ours[1] == 0:
                assert ours == (ours[0], 0, 0, 0, 0) and point[1] < 1e-12, case
                continue
            for name, mine, other in zip(("survival", "error", "lower", "upper"), ours[1:], point[1:]):
                accuracy.closed("Kaplan-Meier", name, mine, other, case, scale=max(abs(other), ours[1]))


def test_unbalanced_arms(program):
    """One subject against 100 000, and everybody at one time: no overflow."""
    draw = random.Random(5)
    crowd = [(draw.expovariate(1), True) for _ in range(100000)]
    cases = [Case([crowd, [(0.7, True)]]), Case([[(0.7, True)], crowd]),
             Case([[(1.0, i % 2 == 0) for i in range(100000)], [(1.0, True)] * 50000])]
    for row in run(program, cases):
        assert row.fitted and row.tested
        for number in (row.chi_square, row.beta, row.se, row.z):
            assert math.isfinite(number)
        assert 0 <= row.p <= 1
