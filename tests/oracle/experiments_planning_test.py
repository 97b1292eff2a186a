"""Grids of sizes against their formulas in 40 digits, adjusted p-values against statsmodels, hashes
against the same arithmetic on Python's UTF-16."""
import math
import random
import struct

import mpmath as mp
import pytest
from mpmath import mpf
from statsmodels.stats.multitest import multipletests

from accuracy import Following
from planning_driver import Planning
from stored import stored

BINARY, CONTINUOUS, RATIO = range(3)
METHODS = {"bh": "fdr_bh", "holm": "holm"}


def quantile(p):
    return mp.sqrt(2) * mp.erfinv(2 * mpf(p) - 1)


@pytest.fixture
def worst(worst, accuracy):
    return Following(worst, accuracy, {"grid": ("sensitivity", "closed"), "adjusted p": ("multiple-testing", "closed")})


def size(kind, baseline, std_dev, alpha, variants, mde, power):
    """Users per variant before they are rounded up; None where a rate passes 1."""
    a = quantile(1 - mpf(alpha) / max(1, variants - 1) / 2)
    b = quantile(power)
    if kind != BINARY:
        return 2 * ((a + b) * mpf(std_dev) / mpf(mde)) ** 2
    p = mpf(baseline)
    q = p + p * mpf(mde) / 100
    if q >= 1:
        return None
    mean = (p + q) / 2
    root = a * mp.sqrt(2 * mean * (1 - mean)) + b * mp.sqrt(p * (1 - p) + q * (1 - q))
    return (root / (q - p)) ** 2


def grids():
    draw = random.Random(71)
    for _ in range(60):
        kind = draw.choice([BINARY, CONTINUOUS, RATIO])
        arms = draw.randint(2, 10)
        yield {
            "metric_type": kind, "baseline": draw.uniform(0.001, 0.9) if kind == BINARY else 10 ** draw.uniform(-3, 5),
            "std_dev": 10 ** draw.uniform(-3, 3), "alpha": draw.choice([0.05, 0.01, 0.2, draw.uniform(1e-6, 0.5)]),
            "users_per_day": 10 ** draw.uniform(0, 6), "split": [draw.uniform(0.1, 5) for _ in range(arms)],
            "mdes": [10 ** draw.uniform(-2, 2) for _ in range(4)], "powers": [draw.uniform(0.5, 0.999) for _ in range(3)]}


def test_grids(evaluator, worst):
    cases = list(grids())
    compared = 0
    for case, answer in zip(cases, Planning(evaluator).many("sensitivity", cases)):
        cells = [(mde, power) for mde in case["mdes"] for power in case["powers"]]
        for (mde, power), n, days in zip(cells, answer["sizes"], answer["days"]):
            with mp.workdps(40):
                exact = size(case["metric_type"], case["baseline"], case["std_dev"], case["alpha"],
                             len(case["split"]), mde, power)
                if exact is None:
                    assert n == 0
                    continue
                error = max(0, n - max(exact, 1) - 1, max(exact, 1) - n) / exact
                assert not (complaint := worst.check("grid size", error, 1e-13, (case["metric_type"], mde, power))), complaint
                slowest = mpf(min(case["split"])) / mp.fsum(map(mpf, case["split"]))
                exact_days = n / (mpf(case["users_per_day"]) * slowest)
                error = max(0, days - max(exact_days, 1) - 1, max(exact_days, 1) - days) / exact_days
                assert not (complaint := worst.check("grid days", error, 1e-13, (case["metric_type"], mde, power))), complaint
            compared += 1
    assert compared > 500


def p_values(draw):
    count = draw.choice([1, 2, 3, 10, 100])
    kinds = [lambda: draw.random(), lambda: 10 ** draw.uniform(-12, 0), lambda: draw.choice([0.0, 0.01, 0.05, 1.0])]
    kind = draw.choice(kinds)
    return [kind() for _ in range(count)]


@stored
def adjusted_by_statsmodels(p_values, level, method):
    rejected, adjusted, *_ = multipletests(p_values, level, method)
    return list(map(bool, rejected)), list(adjusted)


def test_multiple_testing(evaluator, worst):
    draw = random.Random(72)
    cases = [{"p_values": p_values(draw), "level": draw.choice([0.05, 0.1, draw.uniform(0.001, 0.5)]),
              "method": draw.choice(["bh", "holm"])} for _ in range(300)]
    for case, answer in zip(cases, Planning(evaluator).many("multiple_testing", cases)):
        rejected, adjusted = adjusted_by_statsmodels(case["p_values"], case["level"], METHODS[case["method"]])
        for ours, theirs in zip(answer["adjusted"], adjusted):
            complaint = worst.compare(f"adjusted p, {case['method']}", ours, theirs, 1e-15, case, "statsm.")
            assert not complaint, complaint
        assert answer["rejected"] == list(rejected), case
        found = [p for p, out in zip(case["p_values"], rejected) if out]
        assert answer["critical"] == max(found, default=0.0)


def fnv(text):
    value = 0x811c9dc5
    for (unit,) in struct.iter_unpack("<H", text.encode("utf-16-le")):
        value = (value ^ unit) * 0x01000193 % 2**32
    return value


def test_hashes(evaluator):
    draw = random.Random(73)
    alphabet = "abcXYZ019-_. éßüжщ日本語한글😀𝒳\U0010ffff\u07ff\u0800\uffff"

    def text():
        return "".join(draw.choice(alphabet) for _ in range(draw.randint(0, 60)))

    cases = [{"seed": text(), "value": text(), "version": draw.choice([1, 2])} for _ in range(400)]
    for case, answer in zip(cases, Planning(evaluator).many("hash", cases)):
        seed, value = case["seed"], case["value"]
        first = fnv(value + seed) % 1000 / 1000
        second = fnv(str(fnv(seed + value))) % 10000 / 10000
        assert answer["place"] == (first if case["version"] == 1 else second), case


def test_hashes_are_spread_evenly(evaluator):
    """Chi-square over ten parts of the interval, 20 000 users under each of three seeds."""
    for seed in ("exp-1", "checkout", "価格"):
        users = [{"seed": seed, "value": f"user-{i}", "version": 2} for i in range(20_000)]
        counts = [0] * 10
        for answer in Planning(evaluator).many("hash", users):
            counts[math.floor(answer["place"] * 10)] += 1
        assert sum((c - 2000) ** 2 / 2000 for c in counts) < 27.9  # p = 0.001
