"""Hybrid designs against a diffusion equation with the curved boundary itself: Crank and Nicolson's scheme on the interval
scaled to (-1, 1), the drift inside the equation, both errors extrapolated. Ours steps densities over chords and tilts the
null density. Chords lie within the boundary, so our errors are upper bounds: at most a thousandth above.

Errors too small for a difference from 1 come from the mixture: the probability of crossing without an effect is that of
crossing under the mixture of drifts times the alpha of the boundary (Robbins 1970).
"""
import random
import subprocess

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.linalg import solve_banded
from scipy.stats import norm

ABOVE, BELOW = 1e-3, 2e-5  # what our errors may differ by, relative


class Driver:
    def __init__(self, evaluator):
        self.program = evaluator("hybrid").program

    def rows(self, lines):
        done = subprocess.run([self.program], input="\n".join(lines) + "\n", text=True, capture_output=True, timeout=300,
                              check=True)
        rows = done.stdout.splitlines()
        assert len(rows) == len(lines), done.stderr
        return [None if row.startswith("error") else [float(word) for word in row.split()] for row in rows]


@pytest.fixture(scope="module")
def driver(evaluator):
    return Driver(evaluator)


def text(*words):
    return " ".join(word if isinstance(word, str) else repr(float(word)) for word in words)


def boundary(t, plan):
    alpha, share, r, _ = plan
    return np.sqrt((t + 1 / r) * (np.log1p(r * t) - 2 * np.log(alpha * share)))


def first_time(plan, drift):
    """The boundary is 9.5 deviations away."""
    low, high = 1e-14, plan[3]
    for _ in range(100):
        middle = (low * high) ** 0.5
        near = boundary(middle, plan) / middle ** 0.5 - abs(drift) * middle ** 0.5 < 9.5
        low, high = (low, middle) if near else (middle, high)
    return low


def operator(t, y, h, plan, drift):
    """u' = u_yy / (2 b^2) + ((b' y - drift) u / b)_y for u = b f, as three diagonals."""
    b = boundary(t, plan)
    slope = (np.log1p(plan[2] * t) - 2 * np.log(plan[0] * plan[1]) + 1) / (2 * b)
    spread, flow = 0.5 / b ** 2 / h ** 2, (slope * y - drift) / b / (2 * h)
    return spread - flow[:-1], np.full_like(y, -2 * spread), spread + flow[1:]


def step(u, dt, diagonals):
    low, middle, high = diagonals
    right = u + dt / 2 * middle * u
    right[1:] += dt / 2 * low * u[:-1]
    right[:-1] += dt / 2 * high * u[1:]
    right[0] = right[-1] = 0
    bands = np.zeros((3, len(u)))
    bands[0, 1:], bands[1], bands[2, :-1] = -dt / 2 * high, 1 - dt / 2 * middle, -dt / 2 * low
    bands[1, 0] = bands[1, -1] = 1
    bands[0, 1] = bands[2, -2] = 0
    return solve_banded((1, 1), bands, right)


def coarse(plan, drift, limit, count):
    """Crossed before the end, rejected in all with the score `limit` at the end, and mean time."""
    t0, end = first_time(plan, drift), plan[3]
    y = np.linspace(-1, 1, count + 1)
    times = np.geomspace(t0, end, count + 1)
    b = boundary(t0, plan)
    u = b * norm.pdf(b * y, drift * t0, t0 ** 0.5)
    inside = [1.0]
    for before, after in zip(times, times[1:]):
        u = step(u, after - before, operator((before + after) / 2, y, y[1] - y[0], plan, drift))
        inside.append(u.sum() * (y[1] - y[0]))
    b = boundary(end, plan)
    total = np.concatenate([[0], np.cumsum((u[1:] + u[:-1]) / 2)]) * (y[1] - y[0])
    fine = CubicSpline(y, total)
    kept = fine(min(limit / b, 1)) - fine(max(-limit / b, -1))
    return np.array([1 - inside[-1], 1 - kept, t0 + np.trapz(inside, times)])


def solved(plan, drift, limit, count=300):
    """The scheme's errors go with the square of the step."""
    return (4 * coarse(plan, drift, limit, 2 * count) - coarse(plan, drift, limit, count)) / 3


def cases():
    draw = random.Random(35)
    plain = [(0.05, 0.5, 0.5, 1.0, 0.8), (0.05, 0.01, 0.5, 1.0, 0.9), (0.05, 0.99, 0.5, 1.0, 0.8), (0.5, 0.5, 1.0, 1.0, 0.9),
             (0.001, 0.5, 0.01, 1.0, 0.8), (0.01, 0.9, 0.01, 4.0, 0.99), (0.05, 0.2, 1.0, 0.1, 0.8)]
    return plain + [(10 ** draw.uniform(-3, -0.5), draw.uniform(0.02, 0.98), 10 ** draw.uniform(-2, 0),
                     draw.choice([0.5, 1.0, 1.0, 1.3, 2.0]), draw.choice([0.8, 0.9, 0.95])) for _ in range(7)]


@pytest.fixture(scope="module")
def designs(driver):
    """(plan, power, answer) of every case."""
    listed = cases()
    mixtures = [row[0] for row in driver.rows([text("mixture", f, a, s) for a, s, f, _, _ in listed])]
    plans = [(a, s, r, end) for (a, s, _, end, _), r in zip(listed, mixtures)]
    rows = driver.rows([text("design", *plan, case[4]) for plan, case in zip(plans, listed)])
    return [(plan, case[4], row) for plan, case, row in zip(plans, listed, rows)]


def test_the_total_error_is_alpha(designs):
    for plan, _, (end_z, early, error, *_, idle) in designs:
        crossed, rejected, mean = solved(plan, 0, end_z * plan[3] ** 0.5)
        assert -BELOW <= early / crossed - 1 <= ABOVE, plan
        assert error == pytest.approx(plan[0], rel=1e-8), plan
        assert -ABOVE <= rejected / plan[0] - 1 <= BELOW, plan
        assert early < plan[0] * plan[1]
        assert idle == pytest.approx(mean, rel=2e-4), plan


def test_power_and_mean_information(designs):
    for plan, power, (end_z, _, _, drift, fixed, early, mean, _) in designs:
        crossed, rejected, expected = solved(plan, drift, end_z * plan[3] ** 0.5)
        assert rejected == pytest.approx(power, abs=1e-4), plan
        assert early == pytest.approx(crossed, abs=3e-4), plan
        assert mean == pytest.approx(expected, rel=3e-4), plan
        z = norm.isf(plan[0] / 2)
        assert norm.sf(z - fixed) + norm.sf(z + fixed) == pytest.approx(power, rel=1e-9)


@pytest.mark.parametrize("alpha, share, fraction", [(1e-10, 0.5, 0.5), (1e-8, 0.99, 1.0), (1e-6, 0.1, 0.1)])
def test_small_errors_keep_their_digits(driver, alpha, share, fraction):
    [[r]] = driver.rows([text("mixture", fraction, alpha, share)])
    plan = (alpha, share, r, 1.0)
    drifts = np.linspace(0, 7 * r ** 0.5, 57)
    crossed = [coarse(plan, drift, 1, 300)[0] for drift in drifts[1:]]
    weights = 2 * norm.pdf(drifts[1:], scale=r ** 0.5) * (drifts[1] - drifts[0])
    expected = alpha * share * (weights @ crossed)  # a drift of 0 adds nothing here
    [row] = driver.rows([text("design", *plan, 0.9)])
    assert row[1] == pytest.approx(expected, rel=3e-3)
    assert norm.isf(alpha / 2) < row[0] < norm.isf(alpha * (1 - share) / 2)


def test_p_values_are_the_smallest_alpha(driver, designs):
    """A design of that alpha, with the share and the mixture of the plan, rejects just at z."""
    plans = [plan for plan, _, _ in designs]
    asked = [(plan, z) for plan in plans[:8] for z in (0.4, 1.7, 2.5)]
    found = [row[0] for row in driver.rows([text("p", *plan, z) for plan, z in asked])]
    again = driver.rows([text("design", p, *plan[1:], (1 + p) / 2) for (plan, _), p in zip(asked, found)])
    for (plan, z), p, row in zip(asked, found, again):
        assert row[0] == pytest.approx(z, abs=1e-6), (plan, z, p)
    own = driver.rows([text("p", *plan, row[0]) for plan, _, row in designs])
    assert [p for [p] in own] == pytest.approx([plan[0] for plan in plans], rel=1e-6)
    assert driver.rows([text("p", *plans[0], 0), text("p", *plans[0], -60)]) == [[1.0], [1e-10]]


def test_the_early_boundary_is_that_of_the_sequence(driver):
    """At t the test of always_valid_test() with the mixture rejects at alpha times share."""
    for t in (1e-6, 0.01, 0.3, 0.999):
        [[z]] = driver.rows([text("early", 0.05, 0.4, 20.0, 1.0, t)])
        ratio = 20 * t / (1 + 20 * t) * z * z / 2 - np.log1p(20 * t) / 2
        assert np.exp(-ratio) == pytest.approx(0.02, rel=1e-12)


def test_what_has_no_solution_is_refused(driver):
    refused = [(0.05, 0, 1, 1), (0.05, 1, 1, 1), (0.05, 0.5, 0, 1), (0.05, 0.5, 1, 0), (1e-11, 0.5, 1, 1), (1, 0.5, 1, 1)]
    assert driver.rows([text("design", *plan, 0.8) for plan in refused]) == [None] * len(refused)
