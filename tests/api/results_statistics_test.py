"""POST /api/v1/results/statistics: the answers of /results and /results/ratio, from sums and from counts per value."""

import collections
import math
import random
import statistics

import pytest


def arms(seed, count, make):
    draw = random.Random(seed)
    return [[make(draw, arm) for _ in range(n)] for arm, n in enumerate(count)]


NORMAL = arms(1, (40, 50), lambda draw, arm: draw.gauss(10 + arm, 3))
TIED = arms(2, (60, 45), lambda draw, arm: float(draw.randint(0, 6 + arm)))


def ask(api, metric_type, control, treatment, **more):
    return api.post("/api/v1/results/statistics",
                    {"metric_type": metric_type, "control": control, "treatment": treatment, **more})


def reply_of(answer):
    assert answer.status == 200, answer
    return answer.json()


def raw(api, metric_type, block, **data):
    return reply_of(api.post("/api/v1/results", {"metric_type": metric_type, block: data}))


def sums(values):
    return {"n": len(values), "sum": math.fsum(values), "sum_squares": math.fsum(x * x for x in values)}


def counts(values):
    table = sorted(collections.Counter(values).items(), reverse=True)
    return {"values": [value for value, _ in table], "counts": [count for _, count in table]}


@pytest.mark.parametrize("metric_type, more", [("continuous", {}), ("equivalence", {"equivalence_margin": 2.5})])
def test_sums_are_means_and_deviations(api, metric_type, more):
    control, treatment = NORMAL
    data = {f"{arm}_{name}": value for arm, values in (("control", control), ("treatment", treatment))
            for name, value in (("mean", statistics.fmean(values)), ("std", statistics.stdev(values)), ("n", len(values)))}
    expected = raw(api, metric_type, "continuous", **data, **more)
    assert reply_of(ask(api, metric_type, sums(control), sums(treatment), **more)) == expected
    means = [{"n": len(v), "mean": statistics.fmean(v), "std": statistics.stdev(v)} for v in NORMAL]
    assert reply_of(ask(api, metric_type, *means, **more)) == expected


@pytest.mark.parametrize("values", [TIED, NORMAL], ids=["tied", "distinct"])
@pytest.mark.parametrize("metric_type, more", [
    ("mann_whitney", {}), ("trimmed_t", {"trim": .1}), ("quantile", {"quantile": .9}), ("bootstrap", {})])
def test_counts_are_values(api, metric_type, more, values):
    control, treatment = (sorted(arm, reverse=True) for arm in values)
    expected = raw(api, metric_type, "ranked", control_values=control, treatment_values=treatment, **more)
    assert reply_of(ask(api, metric_type, counts(control), counts(treatment), **more)) == expected


@pytest.mark.parametrize("metric_type", ["binary", "fisher_exact", "boschloo_exact", "barnard_exact"])
def test_tables(api, metric_type):
    expected = raw(api, metric_type, "binary", control_conversions=12, control_users=90, treatment_conversions=21,
                   treatment_users=95)
    assert reply_of(ask(api, metric_type, {"n": 90, "conversions": 12}, {"n": 95, "conversions": 21})) == expected


def test_counts_of_events(api):
    expected = raw(api, "count", "count", control_events=40, control_exposure=100.5, treatment_events=61,
                   treatment_exposure=99.5)
    assert reply_of(ask(api, "count", {"events": 40, "exposure": 100.5}, {"events": 61, "exposure": 99.5})) == expected


def test_ratios(api):
    draw, users, totals = random.Random(3), [], []
    for arm in (0, 1):
        d = [draw.randint(1, 9) for _ in range(200)]
        y = [draw.gauss((2 + .3 * arm) * x, 1) for x in d]
        users.append({"numerators": y, "denominators": d})
        totals.append({"n": 200, "numerator_sum": math.fsum(y), "denominator_sum": sum(d),
                       "numerator_squares": math.fsum(x * x for x in y), "denominator_squares": sum(x * x for x in d),
                       "products": math.fsum(x * z for x, z in zip(y, d))})
    expected = reply_of(api.post("/api/v1/results/ratio", {"control_arm": users[0], "treatment_arm": users[1]}))
    found = reply_of(ask(api, "ratio", *totals))
    assert found == {**expected, "relative_lift": found["relative_lift"]}
    for name in ("value_pct", "ci_lower_pct", "ci_upper_pct"):
        assert found["relative_lift"][name] == pytest.approx(expected["relative_lift"][name], abs=1e-3)


def test_large_arms_of_few_values(api):
    """Half a million users in a request of some bytes."""
    control = {"values": [0, 1, 2, 3], "counts": [200_000, 120_000, 50_000, 30_000]}
    treatment = {"values": [0, 1, 2, 3], "counts": [198_000, 121_000, 51_000, 30_000]}
    reply = reply_of(ask(api, "mann_whitney", control, treatment))
    assert reply["is_significant"] is True and reply["observed_effect"] == 0.0


ARM = {"n": 10, "mean": 1, "std": 1}
REFUSED = [
    ("continuous", {"n": 10, "mean": 1}, "n with mean and std"),
    ("continuous", {**ARM, "sum": 10, "sum_squares": 20}, "and nothing else"),
    ("continuous", {"n": 10, "conversions": 3}, "n with mean and std"),
    ("binary", {"n": 10, "conversions": 11}, "conversions at most n"),
    ("count", {"events": 3}, "events and exposure"),
    ("ratio", {"n": 10, "numerator_sum": 3, "denominator_sum": 5}, "products of both arms"),
    ("mann_whitney", {"values": [1, 2], "counts": [1]}, "the same length"),
    ("mann_whitney", {"values": [1], "counts": [1]}, "at least 2"),
    ("quantile", {"values": [1], "counts": [30_000]}, "too many users"),
    ("equivalence", ARM, "equivalence_margin is required"),
]


@pytest.mark.parametrize("metric_type, arm, text", REFUSED, ids=[f"{row[0]}-{i}" for i, row in enumerate(REFUSED)])
def test_what_does_not_fit_is_refused(api, metric_type, arm, text):
    answer = ask(api, metric_type, arm, arm)
    assert answer.status == 422 and text in answer.text, answer
