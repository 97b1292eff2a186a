"""Posteriors of several arms against scipy: its distributions, on a grid of some thousand panels between quantiles that are
even on the logit scale."""

import itertools
import random
import subprocess

import numpy as np
import pytest
from scipy import integrate, special, stats

KINDS = {"beta": 0, "gamma": 1, "student": 2}
LOGITS = np.linspace(-36, 36, 181)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


@pytest.fixture(scope="module")
def ask(evaluator):
    program = evaluator("posterior").program

    def lines(method, *cases):
        text = "".join(f"{method} {' '.join(float(x).hex() for x in case)}\n" for case in cases)
        done = subprocess.run([program], input=text, text=True, capture_output=True, timeout=120, check=True)
        return [[float.fromhex(w) if "0x" in w else float(w) for w in line.split()] for line in done.stdout.splitlines()]
    return lines


class Beta:
    """By the functions of scipy.special: stats.beta crashes at extreme parameters."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def cdf(self, x):
        return special.betainc(self.a, self.b, np.clip(x, 0, 1))

    def sf(self, x):
        return special.betainc(self.b, self.a, np.clip(1 - np.asarray(x), 0, 1))

    def pdf(self, x):
        return stats.beta.pdf(x, self.a, self.b)

    def ppf(self, u):
        return special.betaincinv(self.a, self.b, u)

    def isf(self, u):
        return 1 - special.betaincinv(self.b, self.a, u)

    def mean(self):
        return self.a / (self.a + self.b)

    def std(self):
        return (self.a * self.b / (self.a + self.b + 1)) ** .5 / (self.a + self.b)


def distribution(kind, arm):
    if kind == "beta":
        return Beta(arm[0], arm[1])
    if kind == "gamma":
        return stats.gamma(arm[0], scale=1 / arm[1])
    return stats.t(arm[2], loc=arm[0], scale=arm[1])


def cuts(frozen):
    tail = special.expit(-abs(LOGITS))
    low = frozen.ppf(tail[LOGITS <= 0])
    return np.concatenate([low, frozen.isf(tail[LOGITS > 0])])


def grid(ends):
    """Nodes and weights between the ends."""
    ends = np.unique(ends[np.isfinite(ends)])
    half = np.diff(ends)[:, None] / 2
    return (ends[:-1, None] + half * (NODES + 1)).ravel(), (half * WEIGHTS).ravel()


def chances(kind, arms, smaller):
    frozen = [distribution(kind, arm) for arm in arms]
    x, weight = grid(np.concatenate([cuts(d) for d in frozen]))
    worse = np.array([d.sf(x) if smaller else d.cdf(x) for d in frozen])
    better = np.array([d.cdf(x) if smaller else d.sf(x) for d in frozen])
    best, loss = [], []
    for i, own in enumerate(frozen):
        others = [j for j in range(len(arms)) if j != i]
        with np.errstate(divide="ignore"):
            logs = np.sum(np.where(better < .5, np.log1p(-better), np.log(worse))[others], axis=0)
        density = np.nan_to_num(own.pdf(x), posinf=0)
        best.append(np.sum(weight * density * np.exp(logs)))
        loss.append(np.sum(weight * worse[i] * -np.expm1(logs)))
    return best, loss, max(d.std() for d in frozen)


def arms_of(kind, rng, count):
    if kind == "beta":  # from n = 1e8 on scipy loses digits
        base = rng.choice([1e-6, 1e-3, .05, .5, .97, 1 - 1e-5])
        sizes = [rng.choice([5, 300, 10**5, 10**6]) for _ in range(count)]
        rates = [min(1, max(0, base * (1 + .3 * rng.gauss(0, 1) / max(1, (n * base) ** .5)))) for n in sizes]
        return [(1 + n * r, 1 + n * (1 - r), 0) for n, r in zip(sizes, rates)]
    if kind == "gamma":
        base = rng.choice([1e-6, .1, 3, 1e6])
        return [(a := rng.choice([.5, 3, 200, 10**7]), a / base * rng.uniform(.8, 1.2), 0) for _ in range(count)]
    base = rng.choice([0, 45, -1e3])
    return [(base + rng.uniform(-2, 2), rng.choice([.01, 1, 3]), rng.choice([4, 30, 1e5])) for _ in range(count)]


@pytest.mark.parametrize("kind,smaller", itertools.product(KINDS, (False, True)))
def test_the_best_arm_and_its_loss(ask, kind, smaller):
    rng = random.Random(f"{kind} {smaller}")
    cases = [arms_of(kind, rng, rng.choice([2, 2, 3, 10])) for _ in range(6)]
    answers = ask("best", *[(smaller, KINDS[kind], len(arms), *itertools.chain(*arms)) for arms in cases])
    for arms, answer in zip(cases, answers, strict=True):
        best, loss, unit = chances(kind, arms, smaller)
        assert answer[::2] == pytest.approx(best, rel=1e-6, abs=3e-9), arms
        assert answer[1::2] == pytest.approx(loss, rel=1e-6, abs=3e-7 * unit), arms
        assert sum(answer[::2]) == pytest.approx(1, abs=1e-12)


def test_small_losses_keep_their_digits(ask):
    """Two normal posteriors far apart: s (phi(z) - z Phi(-z))."""
    for z in (0, 1, 5, 10, 15):
        # E[(D)^+] for D normal about -z; computed with the logarithm of the survival function, which does not cancel.
        exact = integrate.quad(stats.norm.sf, z, z + 12, epsabs=0, epsrel=1e-12)[0]
        [answer] = ask("best", (False, 2, 2, z, np.sqrt(.5), 1e9, 0, np.sqrt(.5), 1e9))
        assert answer[1] == pytest.approx(exact, rel=1e-6 if z < 12 else 1e-3), z
        assert answer[2] == pytest.approx(stats.norm.sf(z), rel=1e-6), z


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_differences(ask, kind):
    rng = random.Random(kind)
    cases = [(rng.choice([.5, .9, .95, .999]), arms_of(kind, rng, 2)) for _ in range(6)]
    answers = ask("interval", *[(KINDS[kind], c, *arms[0], *arms[1]) for c, arms in cases])
    for (credibility, arms), (below, lower, upper) in zip(cases, answers, strict=True):
        one, other = (distribution(kind, arm) for arm in arms)

        def probability(d, one=one, other=other):
            x, weight = grid(np.concatenate([cuts(other), cuts(one) - d]))
            return np.sum(weight * np.nan_to_num(other.pdf(x), posinf=0) * one.cdf(x + d))

        assert below == pytest.approx(probability(0), abs=5e-8), arms
        assert probability(lower) == pytest.approx((1 - credibility) / 2, abs=5e-8), arms
        assert probability(upper) == pytest.approx((1 + credibility) / 2, abs=5e-8), arms


def test_the_posterior_of_a_mean_on_a_grid(ask):
    """Prior times likelihood of the sample on a grid of means and variances, summed over the variances."""
    for prior, data in [((50, 4, 10, 6), [48., 60, 51, 57, 39]), ((0, 1, 2, 3), [5., 5.5, 4.1]), ((-3, 40, 1, 2), [1., -2, 8])]:
        n, mean, deviation = len(data), np.mean(data), np.std(data, ddof=1)
        [(location, scale, df)] = ask("mean", (*prior, n, mean, deviation))
        middle, kappa, spread, nu = prior
        mu = np.linspace(location - 60 * scale, location + 60 * scale, 2401)[:, None]
        # Under u = log(variance); the prior of the variance is scaled inverse chi-square.
        u = np.linspace(np.log(scale**2) - 12, np.log(scale**2) + 25, 1601)[None, :]
        v = np.exp(u)
        log = -nu / 2 * u - nu * spread**2 / 2 / v - (u + kappa * (mu - middle) ** 2 / v) / 2
        log = log - n / 2 * u - sum((x - mu) ** 2 for x in data) / 2 / v
        weight = np.exp(log - log.max()).sum(axis=1)
        weight /= weight.sum() * (mu[1, 0] - mu[0, 0])
        assert weight == pytest.approx(stats.t(df, location, scale).pdf(mu[:, 0]), rel=2e-3, abs=2e-6 / scale)
    # The flat prior is Student's own interval.
    [(location, scale, df)] = ask("mean", (0, 0, 0, 0, 7, 3, 2))
    assert (location, scale, df) == (3, pytest.approx(2 / 7**.5), 6)
