"""The bandit against exact expectations, and against the same game in numpy.

Thompson sampling is a Markov chain on the counts of wins and losses, so for a short horizon the
expected pulls follow by going through all states. The probability that an arm draws the largest
value is an integral of a polynomial, which Gauss-Legendre nodes do exactly.
"""
import functools
import math
import random

import numpy as np

from planning_driver import Planning
from stored import stored

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)  # exact up to degree 79
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2
SIMULATIONS = 40_000


@functools.lru_cache(maxsize=None)
def density(wins, losses):
    scale = math.exp(math.lgamma(wins + losses) - math.lgamma(wins) - math.lgamma(losses))
    return scale * NODES ** (wins - 1) * (1 - NODES) ** (losses - 1)


@functools.lru_cache(maxsize=None)
def distribution(wins, losses):
    n = wins + losses - 1
    return sum(math.comb(n, k) * NODES**k * (1 - NODES) ** (n - k) for k in range(wins, n + 1))


@functools.lru_cache(maxsize=None)
def choice(state):
    """The probability of each arm to be chosen; `state` is ((wins, losses), ...)."""
    chances = []
    for i, arm in enumerate(state):
        others = [distribution(*other) for j, other in enumerate(state) if j != i]
        chances.append(float(WEIGHTS @ (density(*arm) * np.prod(others, axis=0))))
    assert abs(sum(chances) - 1) < 1e-9
    return chances


@stored
def expected_pulls(rates, horizon):
    """Expected pulls of each arm, and their variances, by going through every state."""
    arms = len(rates)
    states = {((1, 1),) * arms: 1.0}
    for _ in range(horizon):
        following = {}
        for state, weight in states.items():
            for arm, chance in enumerate(choice(state)):
                wins, losses = state[arm]
                for after, odds in (((wins + 1, losses), rates[arm]), ((wins, losses + 1), 1 - rates[arm])):
                    if odds:
                        key = state[:arm] + (after,) + state[arm + 1:]
                        following[key] = following.get(key, 0.0) + weight * chance * odds
        states = following
    pulls = np.array([[sum(arm) - 2 for arm in state] for state in states])
    weights = np.array(list(states.values()))
    mean = weights @ pulls
    return list(mean), list(weights @ (pulls - mean) ** 2)


def cases():
    draw = random.Random(61)
    found = [((0.0, 1.0), 12), ((0.5, 0.5), 12), ((1.0, 1.0), 10), ((0.0, 0.0), 10), ((0.2, 0.2, 0.9), 6)]
    for i in range(200):
        arms, horizon = (2, draw.randint(2, 12)) if i % 4 else (3, draw.randint(2, 5))
        found.append((tuple(round(draw.random(), 3) for _ in range(arms)), horizon))
    return found


def test_expected_pulls(evaluator, worst):
    """Every mean is within four standard errors, one in 16 000 beyond by chance; and all together
    spread as they should."""
    wanted = cases()
    asked = [{"arm_rates": rates, "horizon": horizon, "simulations": SIMULATIONS, "seed": i, "threads": 1}
             for i, (rates, horizon) in enumerate(wanted)]
    scores = []
    for (rates, horizon), answer in zip(wanted, Planning(evaluator).many("bandit", asked)):
        mean, variance = expected_pulls(rates, horizon)
        for arm in range(len(rates)):
            error = math.sqrt(variance[arm] / SIMULATIONS) or 1e-12
            z = (answer["allocation"][arm] * horizon - mean[arm]) / error
            complaint = worst.check("bandit pulls, in standard errors", abs(z), 4.0, (rates, horizon), "exact")
            assert not complaint, complaint
            if arm:
                scores.append(z)
        regret = sum((max(rates) - rate) * share for rate, share in zip(rates, answer["allocation"])) * horizon
        assert math.isclose(answer["regret"][-1], regret, rel_tol=1e-12, abs_tol=1e-12)
    spread = sum(z * z for z in scores) / len(scores)
    assert abs(spread - 1) < 4 * math.sqrt(2 / len(scores)), spread


def test_threads_and_order(evaluator):
    game = {"arm_rates": [0.05, 0.06, 0.07, 0.08, 0.1], "horizon": 3000, "simulations": 300, "seed": 11}
    answers = Planning(evaluator).many("bandit", [{**game, "threads": threads} for threads in (1, 2, 3, 16, 1)])
    assert all(answer == answers[0] for answer in answers)


@stored
def with_numpy(rates, horizon, simulations):
    """The same game on all simulations at once."""
    generator = np.random.default_rng(1)
    rates, rows = np.array(rates), np.arange(simulations)
    wins, losses = np.ones((simulations, len(rates))), np.ones((simulations, len(rates)))
    regret = np.zeros(simulations)
    for _ in range(horizon):
        arm = generator.beta(wins, losses).argmax(axis=1)
        won = generator.random(simulations) < rates[arm]
        wins[rows, arm] += won
        losses[rows, arm] += ~won
        regret += rates.max() - rates[arm]
    return float(regret.mean()), float(regret.std() / math.sqrt(simulations))


def test_agrees_with_numpy(evaluator):
    rates, horizon, simulations = [0.1, 0.3, 0.25], 400, 2000
    theirs, error = with_numpy(rates, horizon, simulations)
    ours = Planning(evaluator).one("bandit", arm_rates=rates, horizon=horizon, simulations=simulations * 10,
                                   seed=5, threads=2)["regret"][-1]
    assert abs(ours - theirs) < 4 * error * math.sqrt(1.1)
