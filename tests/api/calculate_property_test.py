"""POST /api/v1/calculate over many designs: what must hold for any of them."""

import itertools
import math
import random

import pytest

from calculate_test import B, K, ask, size
from conftest import SOAK

LARGEST_INTEGER = 2**53
DESIGNS = 120 if SOAK else 24


def random_design(rng):
    """A plausible design of any metric and plan."""
    metric = rng.choice(["binary", "continuous", "ratio", "count"])
    variants = rng.choice([2, 2, 2, 3, 5, 10])
    design = {
        "metric_type": metric, "alpha": rng.choice([0.001, 0.01, 0.05, 0.1, 0.2]), "mde_pct": rng.uniform(1, 40),
        "power": rng.uniform(0.5, 0.99), "expected_daily_traffic": rng.randint(100, 1_000_000),
        "audience_share_in_test": rng.uniform(0.01, 1), "variants_count": variants,
        "traffic_split": [rng.uniform(1, 100) for _ in range(variants)], "n_looks": rng.choice([1, 1, 2, 5, 20])}
    if metric == "binary":
        design |= {"baseline_value": rng.uniform(0.005, 0.6), "planned_test": rng.choice([None, "fisher_exact"])}
    else:
        design |= {"baseline_value": rng.uniform(0.1, 500)}
    if metric in ("continuous", "ratio"):
        design["std_dev"] = design["baseline_value"] * rng.uniform(0.1, 3)
    if metric == "continuous":
        design |= rng.choice([{}, {"planned_test": "mann_whitney"},
                              {"planned_test": "tost", "equivalence_margin_pct": 8},
                              {"cuped_pre_experiment_std": 3, "cuped_correlation": rng.uniform(-0.9, 0.9)}])
    if rng.random() < 0.3:
        design |= {"randomization_unit": "cluster", "avg_cluster_size": rng.uniform(1, 50), "icc": rng.uniform(0, 0.3)}
    if rng.random() < 0.3:
        design |= {"holdout_fraction": rng.uniform(0, 0.5), "mutually_exclusive_experiments": rng.randint(1, 4)}
    if rng.random() < 0.2:
        design |= {"analysis_mode": "bayesian", "desired_precision": rng.uniform(0.1, 5)}
    return design


@pytest.fixture(params=range(DESIGNS))
def sized(request, api):
    """A design and its reply."""
    design = random_design(random.Random(request.param))
    answer = ask(api, design)
    assert answer.status == 200, (design, answer)
    return design, answer.json()


def days(design, n):
    allocated = design["expected_daily_traffic"] * design["audience_share_in_test"] * (
        1 - design.get("holdout_fraction", 0)) / design.get("mutually_exclusive_experiments", 1)
    slowest = min(design["traffic_split"]) / sum(design["traffic_split"])
    return n / (allocated * slowest)


def rounded_up(value):
    """Ceilings that are right: two where the value is whole but for rounding."""
    return {math.ceil(value * (1 - 1e-12)), math.ceil(value * (1 + 1e-12))}


class TestAnyDesign:
    def test_totals_and_duration(self, sized):
        design, reply = sized
        results = reply["results"]
        assert results["total_sample_size"] == size(reply) * design["variants_count"]
        assert results["estimated_duration_days"] in rounded_up(days(design, size(reply)))
        assert results["effective_daily_traffic"] == pytest.approx(
            design["expected_daily_traffic"] * design["audience_share_in_test"], rel=1e-15)

    def test_summary_echoes_the_request(self, sized):
        design, reply = sized
        for key in ("metric_type", "baseline_value", "mde_pct", "alpha", "power"):
            assert reply["calculation_summary"][key] == design[key]
        assert reply["calculation_summary"]["mde_absolute"] == pytest.approx(
            design["baseline_value"] * design["mde_pct"] / 100, rel=1e-14)

    def test_power_curve_rises_through_the_plan(self, sized):
        design, reply = sized
        curve = [(p["sample_size_per_variant"], p["power"]) for p in reply["power_curve"]]
        sizes, powers = zip(*curve)
        assert list(sizes) == sorted(set(sizes)) and len(curve) >= 2
        assert all(0 <= p <= 1 for p in powers)
        exact_scan = "planned exactly" in reply["assumptions"][0]
        allowance = 0.02 if exact_scan else 0  # exact power is a saw
        assert all(b >= a - allowance for a, b in itertools.pairwise(powers)), curve
        assert dict(curve)[size(reply)] >= design["power"] - 1e-6

    def test_companions(self, sized):
        design, reply = sized
        if reply["sequential_inflation_factor"] is not None:
            assert 1 <= reply["sequential_inflation_factor"] < 1.5
            adjusted = reply["sequential_adjusted_sample_size"]
            assert adjusted >= size(reply)
            assert reply["sequential_duration_days"] in rounded_up(days(design, adjusted))
        if reply["cuped_std"] is not None:
            assert reply["cuped_sample_size_per_variant"] <= size(reply)
            assert reply["cuped_duration_days"] in rounded_up(days(design, reply["cuped_sample_size_per_variant"]))
            assert reply["cuped_duration_days"] == int(reply["cuped_duration_days"])
        if design.get("randomization_unit"):
            assert reply["design_effect"] == pytest.approx(
                1 + (design["avg_cluster_size"] - 1) * design["icc"], abs=5.1e-5)

    def test_larger_effects_need_fewer_users(self, api, sized):
        design, reply = sized
        if design.get("planned_test") == "tost":
            return
        for factor in (1.02, 1.5):
            changed = {**design, "mde_pct": design["mde_pct"] * factor}
            answer = ask(api, changed)
            assert answer.status == 200 or design["metric_type"] == "binary"
            if answer.status == 200:
                assert size(answer.json()) <= size(reply)

    def test_more_power_and_less_alpha_need_more_users(self, api, sized):
        design, reply = sized
        for changed in ({"power": (1 + design["power"]) / 2}, {"alpha": design["alpha"] / 2}):
            assert size(ask(api, {**design, **changed}).json()) >= size(reply)


# Valid values that are hard on arithmetic, by field.
EXTREMES = {
    "baseline_value": [5e-324, 1e-300, 1e-9, 0.5, 1 - 2**-53, 1e300],
    "mde_pct": [5e-324, 1e-10, 1, 1e10, 1e308],
    "std_dev": [5e-324, 1e-11, 1, 1e150, 1.7e308],
    "alpha": [5e-324, 1e-100, 1e-15, 0.05, 0.999, 1 - 2**-53],
    "power": [5e-324, 1e-10, 0.5, 0.8, 1 - 2**-53],
    "expected_daily_traffic": [1, 1000, LARGEST_INTEGER],
    "audience_share_in_test": [5e-324, 1e-10, 1],
    "n_looks": [1, 2, 100],
    "avg_cluster_size": [1, 1e6, 1.7e308],
    "icc": [0, 5e-324, 0.5, 1],
    "holdout_fraction": [0, 0.5, 1 - 2**-53],
    "exposure_per_user": [5e-324, 1, 1.7e308],
    "equivalence_margin_pct": [5e-324, 1, 1.7e308],
    "cuped_pre_experiment_std": [5e-324, 1, 1.7e308],
    "cuped_correlation": [-1 + 2**-53, 0, 5e-324, 1 - 2**-53],
    "desired_precision": [5e-324, 1, 1.7e308],
    "credibility": [0.5 + 2**-53, 1 - 2**-53],
    "actual_counts": [[0, 1], [LARGEST_INTEGER, LARGEST_INTEGER]],
    "traffic_split": [[5e-324, 1.7e308], [1.7e308, 1.7e308], [5e-324, 5e-324]],
    "mutually_exclusive_experiments": [1, 100],
}
PLANS = [
    {"metric_type": "binary", "baseline_value": 0.04},
    {"metric_type": "binary", "planned_test": "fisher_exact", "baseline_value": 0.2},
    {"metric_type": "continuous"}, {"metric_type": "continuous", "planned_test": "mann_whitney"},
    {"metric_type": "continuous", "planned_test": "tost", "equivalence_margin_pct": 2}, {"metric_type": "ratio"},
    {"metric_type": "count", "std_dev": None}]


def answer_in_time(api, design):
    """Never a failure (the client sees to that) and never slow."""
    answer = ask(api, design)
    assert answer.status in (200, 400, 422), answer
    assert float(answer.headers["X-Process-Time-Ms"]) < 10_000, (design, answer)
    if answer.status == 400:
        assert answer.headers["X-Error-Reason"] and answer.error_code == "bad_request"
    return answer


class TestExtremes:
    @pytest.mark.parametrize("plan", PLANS, ids=lambda p: f"{p['metric_type']}-{p.get('planned_test')}")
    @pytest.mark.parametrize("field", EXTREMES)
    def test_one_extreme_value(self, api, plan, field):
        base = {**K, **plan, "randomization_unit": "cluster"}
        for value in EXTREMES[field]:
            answer_in_time(api, {**base, field: value})

    def test_extremes_together(self, api):
        rng = random.Random(20)
        answered = 0
        for _ in range(400):
            chosen = rng.sample(list(EXTREMES), rng.randint(2, 8))
            design = {**(B if rng.random() < 0.3 else K), **rng.choice(PLANS),
                      **{field: rng.choice(EXTREMES[field]) for field in chosen}, "randomization_unit": "cluster"}
            if rng.random() < 0.2:
                design["analysis_mode"] = "bayesian"
            answered += answer_in_time(api, design).status == 200
        assert answered > 20

    @pytest.mark.parametrize("field, value", [("mde_pct", 1e-6), ("equivalence_margin_pct", 1e-5)])
    def test_time_does_not_grow_with_the_answer(self, api, field, value):
        design = {**K, **PLANS[4], field: value}
        assert size(answer_in_time(api, design).json()) > 0

    def test_slowest_exact_plan(self, api):
        """Just below the size from which Fisher's test is planned by approximation."""
        for baseline in (0.02, 0.1, 0.3, 0.45):
            for mde in (20, 28, 40, 60, 90):
                answer_in_time(api, {**B, "baseline_value": baseline, "mde_pct": mde, "planned_test": "fisher_exact"})
