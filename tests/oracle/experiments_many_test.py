"""Several treatments against one control, and several goals. The joint law of their statistics by the trapezoidal rule in numpy, and
adjusted p-values and critical values by R's multcomp, whose integrals are random to about 1e-5. Families of goals by
statsmodels, and by closed tests of every subset of the hypotheses."""
import itertools
import math
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.special
import scipy.stats
from statsmodels.stats.multitest import multipletests

from stored import stored

REFERENCE = Path(__file__).with_name("many_reference.R")


@pytest.fixture(scope="module")
def many(evaluator):
    program = evaluator("many").program

    def ask(lines):
        done = subprocess.run([program], input="\n".join(lines) + "\n", text=True, capture_output=True, timeout=120,
                              check=True)
        return [[float(word) for word in line.split()] for line in done.stdout.splitlines()]

    return ask


def words(*numbers):
    return " ".join(repr(float(number)) for number in numbers)


def law_line(method, df, lambdas, *rest):
    return f"{method} {words(df, len(lambdas), *lambdas, *rest)}"


@stored
def by_trapezoids(df, lambdas, shifts, low, high):
    z = np.linspace(-9, 9, 601)
    if math.isinf(df):
        s, weight = np.ones(1), np.ones(1)
    else:
        first = math.sqrt(scipy.stats.chi2.ppf(1e-16, df) / df) if df > 300 else 0
        s = np.linspace(first, math.sqrt(scipy.stats.chi2.isf(1e-16, df) / df), 241)
        weight = scipy.stats.chi2.pdf(df * s ** 2, df) * 2 * df * s
        weight[~np.isfinite(weight)] = 0
        weight = weight * (s[1] - s[0])
    product = np.ones((len(s), len(z)))
    for l, shift, a, b in zip(lambdas, shifts, low, high):
        own = math.sqrt(1 - l * l)
        ends = [scipy.special.ndtr((np.outer(s, np.ones_like(z)) * end - shift - l * z) / own) if math.isfinite(end)
                else float(end > 0) for end in (a, b)]
        product *= ends[1] - ends[0]
    inner = (product * scipy.stats.norm.pdf(z)).sum(axis=1) * (z[1] - z[0])
    return float((inner * weight).sum())


def cases(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        arms = draw.choice([1, 2, 2, 3, 5, 9])
        alike = draw.random() < 0.5
        lambdas = [draw.choice([0.3, math.sqrt(0.5), 0.9])] * arms if alike else [
            draw.uniform(0.05, 0.97) for _ in range(arms)]
        df = draw.choice([math.inf, math.inf, 4, 7.5, 30, 200, 5000])
        shifts = [draw.choice([0, 0.5, 2.5])] * arms if alike else [draw.uniform(-1, 4) for _ in range(arms)]
        c = draw.uniform(0.5, 4)
        low = [draw.choice([-c, -math.inf])] * arms
        yield df, lambdas, shifts, low, [c] * arms


def test_probabilities_by_trapezoids(many, accuracy):
    asked = list(cases(220, 3))
    lines = [law_line("probability", df, lambdas, *shifts, *low, *high) for df, lambdas, shifts, low, high in asked]
    for case, (ours,) in zip(asked, many(lines)):
        accuracy.iterative("many to one", "probability", ours, by_trapezoids(*case), case, 1)


def test_critical_values_keep_alpha(many, accuracy):
    draw, asked = random.Random(5), []
    for df, lambdas, *_ in cases(60, 4):
        asked.append((df, lambdas, draw.choice([0.001, 0.01, 0.05, 0.1]), draw.choice([0, 1]), draw.uniform(1, 4)))
    found = many([law_line("critical", *case[:2], *case[2:]) for case in asked])
    for case, (c, p) in zip(asked, found):
        df, lambdas, alpha, two_sided, t = case
        for quantity, size, share in (("critical value", c, alpha), ("p", t, p)):
            low = [-size if two_sided else -math.inf] * len(lambdas)
            outside = 1 - by_trapezoids(df, lambdas, [0] * len(lambdas), low, [size] * len(lambdas))
            accuracy.iterative("many to one", quantity, share, outside, case, 1)


def test_published_critical_values(many):
    """Dunnett 1964, two-sided, equal groups, alpha .05: 2.57 for 2 treatments and 10 df, 2.76 for 3 and 10, 2.73 for 5
    and 20, 2.51 for 4 and 60; 2.21, 2.35 and 2.69 for 2, 3 and 9 and infinitely many."""
    half = math.sqrt(0.5)
    rows = [(10, 2, 2.57), (10, 3, 2.76), (20, 5, 2.73), (60, 4, 2.51), (math.inf, 2, 2.21), (math.inf, 3, 2.35),
            (math.inf, 9, 2.69)]
    found = many([law_line("critical", df, [half] * arms, 0.05, 1, 1) for df, arms, _ in rows])
    assert [round(c, 2) for c, _ in found] == [expected for *_, expected in rows]


def test_data_in_r(many):
    draw, asked = random.Random(8), []
    for _ in range(3):
        sizes = [draw.randint(4, 20) for _ in range(draw.choice([3, 4]))]
        asked.append((draw.choice([0.01, 0.05]), draw.choice([0, 1]),
                      [[draw.gauss(0.3 * g, 1) for _ in range(n)] for g, n in enumerate(sizes)]))
    lines = [words(alpha, two_sided, len(groups), *map(len, groups), *(y for group in groups for y in group))
             for alpha, two_sided, groups in asked]
    done = subprocess.run(["Rscript", "--vanilla", str(REFERENCE)], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, timeout=300, check=True)
    for (alpha, two_sided, groups), line in zip(asked, done.stdout.splitlines()):
        theirs = np.array([float(word) for word in line.split()]).reshape(-1, 4)
        sizes = [len(group) for group in groups]
        df = sum(sizes) - len(sizes)
        pooled = math.sqrt(sum(sum((y - np.mean(g)) ** 2 for y in g) for g in groups) / df)
        lambdas = [math.sqrt(n / (n + sizes[0])) for n in sizes[1:]]
        found = many([law_line("critical", df, lambdas, alpha, two_sided, t) for t in theirs[:, 0]])
        for j, (c, p) in enumerate(found):
            effect = np.mean(groups[j + 1]) - np.mean(groups[0])
            error = pooled * math.sqrt(1 / sizes[j + 1] + 1 / sizes[0])
            assert theirs[j, 0] == pytest.approx(effect / error, rel=1e-9)
            assert p == pytest.approx(theirs[j, 1], abs=5e-4)
            assert effect - c * error == pytest.approx(theirs[j, 2], abs=2e-2 * error)


ANY_HOLM, ANY_IN_ORDER, ALL = range(3)


def drawn_table(draw, goals, treatments):
    kind = draw.choice([draw.random, lambda: 10 ** draw.uniform(-9, 0), lambda: draw.choice([0.0, 0.01, 0.025, 0.05, 1.0])])
    return np.array([[kind() for _ in range(treatments)] for _ in range(goals)])


def family_by_statsmodels(rule, table):
    table = np.array(table)
    goals, treatments = table.shape
    if rule == ANY_HOLM:
        claims = multipletests(table.ravel(), 0.05, "holm")[1].reshape(table.shape)
    elif rule == ALL:
        claims = np.tile(multipletests(table.max(axis=0), 0.05, "holm")[1], (goals, 1))
    else:  # a fixed sequence in each treatment, the treatments by Bonferroni
        alone = np.array([multipletests(row, 0.05, "bonferroni")[1] for row in table])
        claims = np.maximum.accumulate(alone, axis=0)
    return claims.tolist(), claims.min(axis=0).tolist()


def test_families_of_goals(many):
    draw = random.Random(351)
    cases = [(rule, drawn_table(draw, draw.randint(1, 9), draw.randint(1, 9))) for rule in range(3) for _ in range(20)]
    lines = ["family " + words(rule, *table.shape, *table.ravel()) for rule, table in cases]
    for (rule, table), answer in zip(cases, many(lines)):
        claims, treatments = family_by_statsmodels(rule, table.tolist())
        assert np.allclose(answer, [*np.ravel(claims), *treatments], rtol=1e-14, atol=0), (rule, table)


def closed_p_value(table, claimed, local):
    """The largest p-value of all intersections that contain a hypothesis (Marcus, Peritz and Gabriel 1976)."""
    places = list(np.ndindex(table.shape))
    others = [place for place in places if place != claimed]
    return max(min(1, local(table, [claimed, *subset])) for size in range(len(others) + 1)
               for subset in itertools.combinations(others, size))


def bonferroni(table, places):
    return len(places) * min(table[place] for place in places)


def first_in_order(table, places):
    """Of each treatment the first goal of the intersection."""
    firsts = {}
    for goal, treatment in sorted(places):
        firsts.setdefault(treatment, table[goal, treatment])
    return table.shape[1] * min(firsts.values())


def test_families_are_closed_tests(many):
    """Holm and the order are closed testing procedures, so no dependence breaks them."""
    draw = random.Random(352)
    for rule, local in ((ANY_HOLM, bonferroni), (ANY_IN_ORDER, first_in_order)):
        tables = [drawn_table(draw, draw.randint(1, 3), draw.randint(1, 2)) for _ in range(15)]
        for table, answer in zip(tables, many(["family " + words(rule, *table.shape, *table.ravel()) for table in tables])):
            closed = [closed_p_value(table, place, local) for place in np.ndindex(table.shape)]
            assert np.allclose(answer[:table.size], closed, rtol=1e-14, atol=0), (rule, table)
