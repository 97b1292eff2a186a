"""POST /api/v1/results/cluster and /results/switchback. Figures are those of R's clubSandwich 0.5.8 (CR2,
Satterthwaite; tests/oracle has the grid)."""
import math
import random

import pytest

from client import LANGUAGES

CLUSTERS = {"control_arm": ["a", "a", "b", "c", "c", "c"], "treatment_arm": ["d", "e", "e", "f", "g", "g"]}
VALUES = {"control_arm": [3, 4, 6, 2, 3, 1], "treatment_arm": [7, 8, 6, 5, 4, 9]}
FLAGS = {"control_arm": [0, 1, 1, 0, 0, 0], "treatment_arm": [1, 1, 1, 0, 1, 1]}
BEFORE = {"control_arm": [[1, 2, 4, 1, 0, 2]], "treatment_arm": [[3, 5, 4, 2, 1, 6]]}
VIEWS = {"control_arm": [2, 1, 3, 4, 2, 2], "treatment_arm": [1, 3, 2, 5, 1, 2]}


def body(metric="mean", sums=VALUES, **lists):
    arms = {arm: {"clusters": CLUSTERS[arm], "sums": sums[arm], **{name: values[arm] for name, values in lists.items()}}
            for arm in CLUSTERS}
    return {"metric_type": metric, **arms}


def cluster(api, request, language="en"):
    return api.post("/api/v1/results/cluster", request, headers={"Accept-Language": language})


def reply_of(answer):
    assert answer.status == 200, answer
    return answer.json()


@pytest.mark.parametrize("request_, effect, error, df, p, lower, upper", [
    (body(), 3.3333, 1.044829, 4.0816, .032274, .4552, 6.2115),
    (body(covariates=BEFORE), 1.705, .713418, 4.0705, .074065, -.2623, 3.6723),
    (body("binary", FLAGS), 50.0, 32.914029, 4.0816, .20196, -40.6677, 140.6677),
    (body("ratio", denominators=VIEWS), 1.428571, 1.1095, 3.8478, .269875, -1.700542, 4.557685),
])
def test_figures_of_clubsandwich(api, request_, effect, error, df, p, lower, upper):
    reply = reply_of(cluster(api, request_))
    result, clusters = reply["result"], reply["clusters"]
    assert [result["observed_effect"], result["p_value"], result["ci_lower"], result["ci_upper"]] == \
        [effect, p, lower, upper]
    assert clusters["method"] == "CR2" and clusters["standard_error"] == error
    assert clusters["degrees_of_freedom"] == df
    assert clusters["control"]["clusters"] == 3 and clusters["treatment"]["clusters"] == 4
    assert result["conventions"]["standard_error"] == "cr2" and result["interval_agrees"]
    assert (result["warnings"] != []) == (df < 4)


def test_rows_and_sums_per_cluster_are_the_same(api):
    rows = reply_of(cluster(api, body()))
    sums = {arm: {} for arm in CLUSTERS}
    for arm, names in CLUSTERS.items():
        for name, value in zip(names, VALUES[arm]):
            users, total, squares = sums[arm].get(name, (0, 0, 0))
            sums[arm][name] = users + 1, total + value, squares + value * value
    pooled = {"metric_type": "mean", **{arm: {
        "clusters": list(known), **{field: [known[name][i] for name in known] for i, field in
                                    enumerate(("users", "sums", "sums_of_squares"))}} for arm, known in sums.items()}}
    assert reply_of(cluster(api, pooled)) == rows
    assert 0 <= rows["clusters"]["icc"] < 1 and rows["clusters"]["design_effect"] > 0


@pytest.mark.parametrize("change, status, word", [
    ({"control_arm": {"clusters": ["a", "a"], "sums": [1, 2]}}, 400, "fewer than two clusters"),
    ({"control_arm": {"clusters": ["a", "b"], "sums": [1, 2, 3]}}, 422, "the same length"),
    ({"control_arm": {"clusters": ["a", "b"], "sums": [1, 2], "users": [1, 0]}}, 422, "users"),
    ({"metric_type": "ratio"}, 422, "denominators"),
    ({"metric_type": "binary"}, 422, "whole numbers from 0"),
    ({"control_arm": {"clusters": ["a", "b"], "sums": [1, 2], "covariates": [[1, 2]]}}, 422, "same number of covariates"),
    ({arm: {"clusters": ["a", "b"] if arm < "t" else ["c", "d"], "sums": [2, 2]} for arm in CLUSTERS}, 400,
     "do not differ"),
])
def test_what_is_refused(api, change, status, word):
    answer = cluster(api, {**body(), **change})
    assert answer.status == status and word in answer.text, answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts(api, language):
    for request in (body(), body("binary", FLAGS)):
        text = reply_of(cluster(api, request, language))["result"]["interpretation"]
        assert "CR2" in text and "4.08" in text and "{{" not in text


def two_markets(carried=0.0, seed=4):
    """A year of two markets whose arm changes by a coin from hour to hour; the first minutes of an hour still have
    `carried` of the hour before."""
    draw, rows = random.Random(seed), []
    for market in ("北京", "กรุงเทพ"):
        before = 0
        for hour in range(120):
            arm, level = draw.randint(0, 1), draw.gauss(0, 1)
            for minute in (5, 25, 45):
                value = 20 + level + 3 * arm + draw.gauss(0, 1) + carried * (minute == 5) * before
                rows.append((hour * 60 + minute, arm, market, value))
            before = arm
    return dict(zip(("times", "arms", "units", "sums"), map(list, zip(*rows))))


def switchback(api, **request):
    return api.post("/api/v1/results/switchback", {"metric_type": "mean", "slot_length": 60, **request})


def test_switchback_finds_the_effect_and_what_is_carried_over(api):
    rows = two_markets(carried=6)
    washed = reply_of(switchback(api, washout=10, **rows))
    assert washed["units"] == 2 and washed["slots"] == 240 and washed["rows_washed_out"] == 240
    assert washed["rows_used"] == 480 and 80 < washed["switches"] < 160
    assert washed["result"]["ci_lower"] < 3 < washed["result"]["ci_upper"]
    assert not washed["carry_over"]["is_significant"]
    raw = reply_of(switchback(api, **rows))
    assert raw["carry_over"]["is_significant"] and abs(raw["carry_over"]["effect"] - 2) < 1
    assert raw["rows_washed_out"] == 0
    assert raw["clusters"]["control"]["clusters"] + raw["clusters"]["treatment"]["clusters"] == 240


def test_switchback_is_the_cluster_test_of_its_slots(api):
    rows = two_markets()
    arms = {name: {"clusters": [], "sums": []} for name in CLUSTERS}
    for time, arm, unit, value in zip(*rows.values()):
        chosen = arms["treatment_arm" if arm else "control_arm"]
        chosen["clusters"].append(f"{unit} {time // 60}")
        chosen["sums"].append(value)
    assert reply_of(switchback(api, **rows))["result"] == reply_of(cluster(api, {"metric_type": "mean", **arms}))["result"]


@pytest.mark.parametrize("change, status, word", [
    ({"arms": [0, 1, 1, 0]}, 400, "both arms"), ({"washout": 10}, 422, "shorter than"), ({"arms": [0, 1]}, 422, "the same length"),
    ({"times": [1, 2, 11, 1e300]}, 422, "too far"), ({"arms": [0, 0, 1, 1], "washout": 9}, 400, "no rows left"),
    ({"arms": [0, 0, 2, 1]}, 422, "arms"), ({"cluster_by": "unit"}, 400, "fewer than two clusters"),
])
def test_switchbacks_that_are_refused(api, change, status, word):
    request = {"metric_type": "mean", "slot_length": 10, "times": [1, 2, 11, 12], "arms": [0, 0, 1, 1],
               "sums": [1, 2, 3, 5], **change}
    answer = api.post("/api/v1/results/switchback", request)
    assert answer.status == status and word in answer.text, answer
    assert math.isfinite(answer.seconds)
