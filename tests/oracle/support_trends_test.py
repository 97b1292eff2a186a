"""Thresholds of the support service against scikit-free references: F1 by counting, bounds by scipy, and what a
promised risk comes to over random splits of labelled answers."""
import math
import random
import subprocess

import numpy
import pytest
from scipy import stats

QUALITY, FACTS, RELEVANCE, SLOW = range(4)
SPLITS, RISK, CONFIDENCE = 500, 0.1, 0.95


@pytest.fixture(scope="module")
def run(evaluator):
    program = evaluator("trends").program

    def call(lines):
        text = "".join(" ".join(str(part) if isinstance(part, (int, str)) else float(part).hex() for part in line)
                       + "\n" for line in lines)
        done = subprocess.run([program], input=text, text=True, capture_output=True, timeout=120, check=True)
        return [list(map(float, line.split())) for line in done.stdout.splitlines()]

    return call


def flat(samples):
    return [len(samples)] + [part for value, bad in samples for part in (float(value), int(bad))]


def scores(samples, cut, higher):
    flagged = [bad for value, bad in samples if (value > cut if higher else value < cut)]
    positives, bad = sum(flagged), sum(bad for _, bad in samples)
    return (positives / len(flagged) if flagged else 0.0, positives / bad if bad else 0.0,
            2 * positives / (len(flagged) + bad) if len(flagged) + bad else 0.0)


BOUNDS = {QUALITY: (1, 100), FACTS: (0, 100), RELEVANCE: (0, 1), SLOW: (1, 1e9)}  # of the settings


def suggested(samples, current, metric):
    """The rule of the documentation, by trying every candidate."""
    integer, higher = metric != RELEVANCE, metric == SLOW
    least, most = BOUNDS[metric]
    values = sorted({value for value, _ in samples})
    gaps = [b - a for a, b in zip(values, values[1:])]
    step = (max(1, round(min(gaps))) if integer else min(gaps)) if gaps else (1 if integer else 0.01)
    def shown(value):
        return min(most, max(least, float(round(value)) if integer else float(f"{value:.2f}")))
    candidates = sorted({shown(value) for value in values + [values[0] - step if higher else values[-1] + step]})
    best, best_scores = current, scores(samples, current, higher)
    for cut in candidates:
        found = scores(samples, cut, higher)
        if found[2] > best_scores[2] + 1e-9 or (math.isclose(found[2], best_scores[2], rel_tol=1e-9, abs_tol=1e-9)
                                                and abs(cut - current) < abs(best - current)):
            best, best_scores = cut, found
    return best, best_scores


GOLDEN = [  # metric, current, samples, suggested, F1 of it, precision, recall and F1 of the current one
    (QUALITY, 80, [(score, score < 60) for score in range(100)], 60, 1, (0.75, 1, 0.857142857)),
    (QUALITY, 50, [(10, 1), (20, 1), (30, 1), (70, 0), (80, 0), (90, 0)], 50, 1, (1, 1, 1)),
    (QUALITY, 95, [(10, 1), (20, 1), (30, 1), (70, 0), (80, 0), (90, 0)], 70, 1, (0.5, 1, 2 / 3)),
    (QUALITY, 5, [(10, 1), (20, 1)], 30, 1, (0, 0, 0)),
    (QUALITY, 15, [(10, 0), (20, 0)], 15, 0, (0, 0, 0)),
    (SLOW, 10000, [(1000, 0), (2000, 0), (9000, 1), (12000, 1)], 2000, 1, (1, 0.5, 2 / 3)),
    (RELEVANCE, 0.7, [(0.2, 1), (0.4, 1), (0.65, 0), (0.9, 0)], 0.65, 1, (2 / 3, 1, 0.8)),
]


def test_golden_suggestions(run):
    rows = run([["suggest", metric, current, *flat(samples)] for metric, current, samples, *_ in GOLDEN])
    for (_, _, _, cut, best, now), row in zip(GOLDEN, rows):
        assert row[0] == cut and row[3] == pytest.approx(best)
        assert row[4:7] == pytest.approx(now, rel=1e-8)


def test_suggestions_follow_the_rule(run, accuracy):
    draw, cases = random.Random(20), []
    for _ in range(300):
        metric = draw.choice([QUALITY, FACTS, RELEVANCE, SLOW])
        unit = 1 if metric == RELEVANCE else 30000 if metric == SLOW else 100
        values = [draw.random() * unit for _ in range(draw.choice([1, 2, 5, 40, 300]))]
        if metric != RELEVANCE:
            values = [round(value, draw.choice([0, 1])) for value in values]
        samples = [(value, draw.random() < (value / unit if metric == SLOW else 1 - value / unit)) for value in values]
        cases.append((metric, float(draw.choice(values) if metric == RELEVANCE else round(draw.random() * unit)),
                      samples))
    rows = run([["suggest", metric, current, *flat(samples)] for metric, current, samples in cases])
    for (metric, current, samples), row in zip(cases, rows):
        cut, found = suggested(samples, current, metric)
        assert row[0] == cut, (metric, current, samples[:5])
        for name, ours, theirs in zip(("precision", "recall", "f1"), row[1:4], found):
            accuracy.closed("threshold", name, ours, theirs, (metric, current, samples))


def test_curves(run):
    draw = random.Random(21)
    samples = [(draw.random(), draw.random() < 0.4) for _ in range(5000)]
    row = run([["curve", RELEVANCE, *flat(samples)]])[0]
    points = list(zip(*[iter(row)] * 4))
    assert 100 <= len(points) <= 101
    assert points[0][0] == min(samples)[0] and points[-1][0] == max(samples)[0]
    for cut, f1, coverage, risk in points:
        given = [bad for value, bad in samples if value >= cut]
        assert f1 == pytest.approx(scores(samples, cut, False)[2])
        assert coverage == pytest.approx(len(given) / 5000) and risk == pytest.approx(sum(given) / len(given))


def test_bounds_are_those_of_scipy(run, accuracy):
    draw = random.Random(22)
    cases = [(0, 29, 0.95), (0, 1, 0.9), (1, 1, 0.95), (10, 100, 0.95), (5000, 100000, 0.999)]
    while len(cases) < 300:
        n = int(10 ** draw.uniform(0, 5))
        cases.append((draw.randint(0, n), n, draw.choice([0.8, 0.9, 0.95, 0.99, 0.999])))
    rows = run([["bounds", k, n, confidence] for k, n, confidence in cases])
    for (k, n, confidence), (lower, upper) in zip(cases, rows):
        theirs = stats.binomtest(k, n).proportion_ci(2 * confidence - 1, "exact")
        accuracy.iterative("binomial bound", "lower", lower, theirs.low if k else 0.0, (k, n, confidence))
        accuracy.iterative("binomial bound", "upper", upper, theirs.high if k < n else 1.0, (k, n, confidence))


def test_percentiles_are_those_of_numpy(run):
    assert [run([["percentile", p, 4, 1000.0, 2000.0, 3000.0, 4000.0]])[0][0] for p in (0.5, 0.9, 0.95, 0.99)] == \
        pytest.approx([2500, 3700, 3850, 3970])


def test_too_few_answers_promise_nothing(run):
    # 0.9^28 > 0.05 >= 0.9^29
    row = run([["control", QUALITY, 0.1, 0.95, *flat([(90, 0)] * 28)],
               ["control", QUALITY, 0.1, 0.95, *flat([(90, 0)] * 29)],
               ["control", QUALITY, 0.1, 0.95, *flat([(90, 1)] * 29)]])
    assert [line[0] for line in row] == [1, 0, 2] and row[0][6] == 29
    assert row[1][1:4] == [90, 29, 0]


def pool():
    """20 000 judged answers: the better the score, the rarer a wrong one."""
    draw = numpy.random.Generator(numpy.random.PCG64(23))
    score = draw.beta(2, 1.2, 20000) * 100
    wrong = draw.random(20000) < 1 / (1 + numpy.exp((score - 45) / 12))
    return numpy.round(score), wrong


def test_the_promised_risk_is_kept(run):
    """Calibrated on 1 000 of the pool, the share of wrong answers among those given of all others is within the
    promise in at least the promised share of 500 splits; the cut that merely looks right on those 1 000 is not."""
    score, wrong = pool()
    draw = numpy.random.Generator(numpy.random.PCG64(24))
    splits = [draw.permutation(len(score)) for _ in range(SPLITS)]
    rows = run([["control", QUALITY, RISK, CONFIDENCE, *flat(list(zip(score[split[:1000]], wrong[split[:1000]])))]
                for split in splits])
    kept, naive, coverages = 0, 0, []
    assert sum(row[0] == 0 for row in rows) > 0.95 * SPLITS
    for split, row in zip(splits, rows):
        rest, chosen = split[1000:], split[:1000]
        given = score[rest] >= row[1] if row[0] == 0 else numpy.zeros(len(rest), bool)  # no cut: nothing goes out
        coverages.append(given.mean())
        kept += not given.any() or wrong[rest][given].mean() <= RISK
        looks = [cut for cut in range(101) if (score[chosen] >= cut).any()
                 and wrong[chosen][score[chosen] >= cut].mean() <= RISK]
        naive += wrong[rest][score[rest] >= min(looks)].mean() <= RISK
    print(f"kept in {kept} of {SPLITS} splits, coverage {numpy.mean(coverages):.3f}; by looks alone {naive}")
    assert kept >= CONFIDENCE * SPLITS
    assert naive < 0.8 * SPLITS
    assert numpy.mean(coverages) > 0.5


def test_the_expected_share_is_kept(run):
    """Conformal risk control: over the same splits, the mean share of all questions answered wrongly."""
    score, wrong = pool()
    draw = numpy.random.Generator(numpy.random.PCG64(25))
    splits = [draw.permutation(len(score)) for _ in range(SPLITS)]
    rows = run([["control", QUALITY, 0.05, CONFIDENCE, *flat(list(zip(score[split[:200]], wrong[split[:200]])))]
                for split in splits])
    losses = [(wrong[split[200:]] & (score[split[200:]] >= row[7])).mean() for split, row in zip(splits, rows)]
    assert numpy.mean(losses) <= 0.05 + 3 * numpy.std(losses) / math.sqrt(SPLITS)
    assert numpy.mean(losses) > 0.03
