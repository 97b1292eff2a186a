"""Quantiles of running experiments with bounds that hold at every look: what the interval says, and the same for buckets. On
both engines."""

import math
import random

import pytest

from live_test import Experiment
from project_fixtures import expect, payload

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines


def plan():
    return payload("quantiles", "binary", metrics={
        "primary_metric_name": "purchase", "metric_type": "binary", "baseline_value": 0.1, "mde_pct": 20, "alpha": 0.05,
        "power": 0.8, "robust_metrics": [
            {"name": "revenue", "statistic": "quantile", "at": 50, "ignore_zeros": True},
            {"name": "same", "statistic": "quantile", "at": 90, "ignore_zeros": True},
            {"name": "revenue", "statistic": "capped_mean", "at": 20}]})


def fill(experiment, users):
    rng = random.Random(9)
    for at in range(0, users, 500):
        some = range(at, at + 500)
        expect(experiment.post("exposures", *({"user_id": f"u{i}", "variation_index": i % 2} for i in some)))
        expect(experiment.post("conversions", *({"user_id": f"u{i}", "metric": "revenue", "value": math.ceil(
            rng.lognormvariate(2 + i % 2, 1))} for i in some)))
        expect(experiment.post("conversions", *({"user_id": f"u{i}", "metric": "same", "value": rng.randrange(1, 60)}
                                                for i in some)))


def rows(experiment):
    return [m["comparisons"][0] for m in experiment.stats()["metrics"][-3:]]


def test_bounds_hold_what_they_say(store):
    experiment, divided = Experiment(store.client, plan()), Experiment(store.client, plan())
    expect(store.client.send("PUT", divided.path("buckets"), {"buckets": 4}))
    assert rows(experiment)[0]["always_valid_p_value"] is None
    fill(experiment, 4000)
    fill(divided, 4000)
    median, ninth, mean = rows(experiment)
    assert rows(divided) == [median, ninth, mean]
    assert mean["always_valid_p_value"] is None
    for row in (median, ninth):
        assert row["always_valid_lower"] < row["effect"] < row["always_valid_upper"]
        assert row["always_valid_lower"] < row["ci_lower"] and row["ci_upper"] < row["always_valid_upper"]
    assert median["always_valid_p_value"] < 1e-6 and median["always_valid_lower"] > 0
    assert ninth["always_valid_p_value"] > 0.05 and ninth["always_valid_lower"] < 0 < ninth["always_valid_upper"]


def test_equal_arms_do_not_differ(store):
    """Most users of both arms have the same value: of events that sum up to it or without any, beside one that is almost
    equal, and one that a sum over many users rounds."""
    metrics = plan()
    metrics["metrics"]["robust_metrics"] = [{"name": name, "statistic": "quantile", "at": 50}
                                            for name in ("zeros", "stray", "tenth")]
    experiment = Experiment(store.client, metrics)
    expect(experiment.post("exposures", *({"user_id": f"u{i}", "variation_index": i % 2} for i in range(400))))
    events = []
    for i in range(400):
        arm, nth = i % 2, i // 2  # of 200
        if nth < 150 * arm + 20:  # 0 of two events; others below 180 have none
            events += [(i, "zeros", 3), (i, "zeros", -3)]
        elif nth >= 180:
            events.append((i, "zeros", nth))
        events.append((i, "stray", 5.01 if i == 0 else 5.02 if nth < 180 else nth / 7))
        events.append((i, "tenth", 0.1 if nth < 180 + 7 * arm else nth / 7))
    for at in range(0, len(events), 500):
        expect(experiment.post("conversions", *({"user_id": f"u{i}", "metric": name, "value": value}
                                                for i, name, value in events[at:at + 500])))
    for name, row in zip(("zeros", "stray", "tenth"), rows(experiment)):
        assert row["always_valid_p_value"] > 0.9, (name, row)
        assert row["always_valid_lower"] <= 0 <= row["always_valid_upper"], (name, row)
