"""Group sequential tests by spending functions against R's rpact (a program of its own, run once: stored.py), and
against an integration of our own where rpact is coarse: its intervals are roots to about 1e-5.
"""
import math
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from experiments_driver import no_complaints
from stored import digest, stored

REFERENCE = Path(__file__).with_name("group_sequential_reference.R")
OBF, POCOCK, POWER, HSD = range(4)
USERS = 10000  # at full information


class Driver:
    def __init__(self, evaluator):
        self.program = evaluator("sequential").program

    def rows(self, lines):
        done = subprocess.run([self.program], input="\n".join(lines) + "\n", text=True, capture_output=True, timeout=300,
                              check=True)
        rows = done.stdout.splitlines()
        assert len(rows) == len(lines), done.stderr
        return [None if row.startswith("error") else [float(word) for word in row.split()] for row in rows]


@stored
def rpact(lines, script):
    """What rpact gives; `script` names the version of the R file."""
    assert script
    done = subprocess.run(["Rscript", "--vanilla", str(REFERENCE)], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, timeout=1800, check=True)
    rows = [[float(word.replace("NA", "nan")) for word in line.split()] for line in done.stdout.splitlines()]
    assert len(rows) == len(lines), done.stderr
    return rows


def reference(lines):
    return rpact(lines, digest(REFERENCE.read_text()))


def text(*numbers):
    return " ".join(str(x) if isinstance(x, int) else repr(float(x)) for x in numbers)


def parameter(draw, kind):
    return {POWER: draw.choice([0.5, 1.0, 2.0, 3.0, 5.0]), HSD: draw.choice([-8.0, -4.0, -1.0, 1.0, 3.0])}.get(kind, 0.0)


def looks_of(draw, count):
    """Users at each look, ascending, the last one all of them."""
    least = USERS // 50
    while True:
        users = sorted(draw.sample(range(least, USERS - least), count - 1)) + [USERS]
        if all(b - a >= least for a, b in zip(users, users[1:])):
            return users


def plan_of(draw, sides, futility):
    alpha, beta = draw.randrange(4), draw.randrange(4)
    level = draw.choice([0.001, 0.01, 0.025, 0.05, 0.1]) * sides
    return (sides, level, draw.choice([0.7, 0.8, 0.9, 0.95]), alpha, parameter(draw, alpha), futility, beta,
            parameter(draw, beta))


def designs(count, seed, most=4):
    """With up to `most` looks: rpact takes long for more, and for futility that binds."""
    draw = random.Random(seed)
    cases = []
    for index in range(count):
        sides = 1 + index % 2
        futility = 0 if sides == 2 else (index // 2) % 3
        users = looks_of(draw, draw.randint(2, min(most, 3) if futility == 1 else most))
        cases.append((plan_of(draw, sides, futility), users))
    return cases


def fractions(users):
    return [n / users[-1] for n in users]


@pytest.fixture(scope="module")
def driver(evaluator):
    return Driver(evaluator)


def test_boundaries_and_drifts(driver, worst):
    """rpact's grid leaves 1e-8 without futility and 1e-5 with it; what our bounds spend is compared below."""
    cases = designs(108, 3)
    lines = ["design " + text(*plan, len(users), *fractions(users)) for plan, users in cases]
    complaints, compared = [], 0
    for (plan, users), ours, theirs in zip(cases, driver.rows(lines), reference(lines)):
        if math.isnan(theirs[0]) or ours is None:
            continue
        count, compared = len(users), compared + 1
        complaints.append(worst.compare("spending drift", ours[0], theirs[0], 2e-5, (plan, users), "rpact"))
        for look in range(count):
            upper, lower, spent = ours[2 + 8 * look], ours[3 + 8 * look], ours[4 + 8 * look]
            tail = norm.sf(theirs[2 + look])
            complaints.append(worst.check("spending bound", abs(norm.sf(upper) - tail), 3e-5 if plan[5] else 1e-5,
                                          (plan, users, look), "rpact"))
            complaints.append(worst.check("spent", abs(spent - theirs[-count + look]), 1e-7, (plan, users, look), "rpact"))
            if plan[5] and look < count - 1 and lower < upper and theirs[2 + count + look] > -6:
                complaints.append(worst.check("futility bound", abs(norm.cdf(lower) - norm.cdf(theirs[2 + count + look])),
                                              3e-5, (plan, users, look), "rpact"))
    assert compared >= 95
    no_complaints(complaints)


def crossings(times, lower, upper, drift):
    """First crossings of scores at each time, above and below: one Gauss-Legendre rule over each whole interval."""
    above, below, before, mass, grid = [], [], 0.0, np.ones(1), np.zeros(1)
    for k, (t, low, high) in enumerate(zip(times, lower, upper)):
        sd, mean = math.sqrt(t - before), drift * (t - before)
        above.append(mass @ norm.sf((high - mean - grid) / sd))
        below.append(mass @ norm.cdf((low - mean - grid) / sd))
        low, high = max(low, drift * t - 8 * math.sqrt(t)), min(high, drift * t + 8 * math.sqrt(t))
        finest = min([sd] + [math.sqrt(later - t) for later in times[k + 1:k + 2]])
        nodes, weights = np.polynomial.legendre.leggauss(int(30 + 3 * (high - low) / finest))
        points = (low + high) / 2 + (high - low) / 2 * nodes
        apart = (points[:, None] - grid[None, :] - mean) / sd
        density = np.exp(-apart * apart / 2) @ mass / (sd * math.sqrt(2 * math.pi))
        grid, mass, before = points, density * weights * (high - low) / 2, t
    return np.array(above), np.array(below)


def test_bounds_spend_what_they_should(driver, worst):
    """By another integration: the null probability of each boundary, and the power."""
    cases = designs(40, 4, 8)
    lines = ["design " + text(*plan, len(users), *fractions(users)) for plan, users in cases]
    complaints = []
    for (plan, users), row in zip(cases, driver.rows(lines)):
        if row is None:
            continue
        times = fractions(users)
        upper = [row[2 + 8 * k] * math.sqrt(t) for k, t in enumerate(times)]
        lower = [row[3 + 8 * k] * math.sqrt(t) for k, t in enumerate(times)]
        if any(low >= high for low, high in zip(lower[:-1], upper)):
            continue
        ignored = [-math.inf] * len(times) if plan[5] == 2 else lower
        above, _ = crossings(times, ignored, upper, 0)
        spent = [row[4 + 8 * k] / plan[0] for k in range(len(times))]
        complaints += [worst.check("spending recursion", abs(a - s), 1e-8, (plan, users, k), "own")
                       for k, (a, s) in enumerate(zip(np.cumsum(above), spent))]
        found, _ = crossings(times, lower, upper, row[0])
        complaints.append(worst.check("spending power", abs(found.sum() - plan[2]), 1e-8, (plan, users), "own"))
    no_complaints(complaints)


def estimates(driver, count, seed, most):
    """Plans that stop at some look with a z beyond its bound, or at the last look with any."""
    draw, cases = random.Random(seed), []
    plans = designs(count, seed + 1, most)
    lines = ["design " + text(*plan, len(users), *fractions(users)) for plan, users in plans]
    for (plan, users), row in zip(plans, driver.rows(lines)):
        if row is None:
            continue
        stop = draw.randrange(len(users))
        upper = [row[2 + 8 * k] for k in range(stop + 1)]
        lower = [max(row[3 + 8 * k], -9) for k in range(stop + 1)]
        if min(upper[:-1] + [9]) == math.inf or upper[stop] > 6:
            continue
        path = [draw.uniform(low, min(high, 4)) for low, high in zip(lower[:-1], upper[:-1])]
        last = draw.uniform(-1, 4) if stop == len(users) - 1 else upper[stop] + draw.uniform(0, 1.5)
        cases.append((plan, users, row[0], path + [last]))
    return cases


def test_estimates(driver, worst):
    """P-value, interval and median after stopping; repeated p-value and interval, where futility does not bind:
    rpact then solves the futility bounds anew for each alpha, we keep them."""
    cases = estimates(driver, 27, 5, 3)
    ours = driver.rows(["estimate " + text(*plan, drift, 0, len(z), *fractions(users)[:len(z)], z[-1])
                        for plan, users, drift, z in cases])
    binding = [plan[5] == 1 for plan, *_ in cases]
    asked = [case for case, binds in zip(cases, binding) if not binds]
    theirs = iter(reference(["estimate " + text(*plan, len(users), *users, len(z), *z) for plan, users, _, z in asked]))
    complaints, compared = [], 0
    for (plan, users, _, z), row, binds in zip(cases, ours, binding):
        if binds:
            continue
        expected = next(theirs)
        if math.isnan(expected[0]):
            continue
        compared += 1
        case, t = (plan, users, z), math.sqrt(users[len(z) - 1] / users[-1])
        if plan[0] == 2 and len(z) == 1:
            expected[0] *= 2  # at the first look rpact 3.3.4 gives the p-value of one side
        complaints.append(worst.check("stagewise p", abs(row[0] - expected[0]), 1e-7, case, "rpact"))
        for name, mine, value in zip(("lower", "upper", "median"), (row[1], row[3], row[2]), expected[1:4]):
            if not math.isnan(value) and (plan[0] == 2 or name != "upper"):
                complaints.append(worst.check(f"stagewise {name}", abs(mine - value), 2e-3, case, "rpact"))
        if 1e-6 < expected[4] < 0.45:
            complaints.append(worst.check("repeated p", abs(row[4] - expected[4]), 2e-5, case, "rpact"))
        if plan[0] == 2:
            complaints.append(worst.check("repeated interval", abs((z[-1] - row[5]) / t - expected[5]), 2e-4, case, "rpact"))
    assert compared >= 12
    no_complaints(complaints)


def test_ends_of_intervals(driver, worst):
    """Under the drift at an end the result has the probability that the level leaves, by another integration."""
    cases = estimates(driver, 30, 7, 8)
    lines = ["estimate " + text(*plan, drift, 0, len(z), *fractions(users)[:len(z)], z[-1]) for plan, users, drift, z in cases]
    bounds = driver.rows(["design " + text(*plan, len(users), *fractions(users)) for plan, users, *_ in cases])
    complaints = []
    for (plan, users, _, z), row, bound in zip(cases, driver.rows(lines), bounds):
        times, last = fractions(users)[:len(z)], len(z) - 1
        upper = [bound[2 + 8 * k] * math.sqrt(t) for k, t in enumerate(times)]
        lower = [-math.inf if plan[5] == 2 else bound[3 + 8 * k] * math.sqrt(t) for k, t in enumerate(times)]
        upper[last] = z[last] * math.sqrt(times[last])
        lower[last] = -math.inf
        for drift, amount in ((0, None), (row[1], plan[1] / plan[0]), (row[2], 0.5), (row[3], 1 - plan[1] / plan[0])):
            found = crossings(times, lower, upper, drift)[0].sum()
            if amount is None and plan[0] == 1:
                amount = row[0]
            if amount is not None:
                complaints.append(worst.check("stagewise tail", abs(found - amount), 1e-8, (plan, users, z), "own"))
    no_complaints(complaints)


def test_power_that_is_left(driver, worst):
    draw, cases = random.Random(11), []
    for plan, users in designs(36, 9):
        if plan[5] == 0:
            made = draw.randrange(1, len(users))
            cases.append((plan, users, [draw.uniform(0, 2) for _ in range(made)], draw.uniform(0, 5)))
    ours = driver.rows(["ahead " + text(*plan, 0.0, 1, len(users), *fractions(users), len(z), z[-1], effect, 0)
                        for plan, users, z, effect in cases])
    theirs = reference(["ahead " + text(*plan, len(users), *users, len(z), *z, effect) for plan, users, z, effect in cases])
    found = [(case, row, value[0]) for case, row, value in zip(cases, ours, theirs) if not math.isnan(value[0])]
    assert len(found) >= 20
    no_complaints([worst.check("conditional power", abs(row[0] - value), 2e-6, case, "rpact") for case, row, value in found])


def test_predictive_power_is_the_average(driver, worst):
    """Of the conditional power over the posterior of the drift, by Gauss-Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(160)
    complaints, users = [], [4000, 6000, 8500, USERS]
    for plan, _ in designs(20, 13):
        t, z, plan = 0.4, 1.2, (*plan[:5], 0, 0, 0.0)
        rows = driver.rows(["ahead " + text(*plan, 0.0, 1, 4, *fractions(users), 1, z, (z + 8 * x) / math.sqrt(t), 0)
                            for x in nodes])
        average = sum(w * 8 * norm.pdf(8 * x) * row[0] for x, w, row in zip(nodes, weights, rows))
        complaints.append(worst.check("predictive power", abs(rows[0][1] - average), 1e-9, plan, "own"))
    no_complaints(complaints)
