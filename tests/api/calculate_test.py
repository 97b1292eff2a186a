"""POST /api/v1/calculate: sizes, companions, warnings and wording of a design.

Figures have three sources: closed formulas evaluated by hand to the digits shown, the tables of Jennison and
Turnbull 2000 (chapter 2) for sequential designs, with more digits from an independent integration
(tests/oracle), and enumeration of all outcomes for Fisher's exact test.
"""

import math
import re
import time

import pytest

B = {"metric_type": "binary", "baseline_value": 0.042, "mde_pct": 5, "alpha": 0.05, "power": 0.8,
     "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "traffic_split": [50, 50], "variants_count": 2}
K = {"metric_type": "continuous", "baseline_value": 100, "std_dev": 20, "mde_pct": 5, "alpha": 0.05, "power": 0.8,
     "expected_daily_traffic": 1000, "audience_share_in_test": 1, "traffic_split": [50, 50], "variants_count": 2}
THREE = {"traffic_split": [34, 33, 33], "variants_count": 3}
TEN = {"traffic_split": [10] * 10, "variants_count": 10}
CLUSTER = {"randomization_unit": "cluster", "avg_cluster_size": 100, "icc": 0.02}
RATIO = {**K, "metric_type": "ratio", "baseline_value": 0.05, "std_dev": 0.09}
COUNT = {**B, "metric_type": "count", "baseline_value": 0.30, "mde_pct": 20}

REPLY_KEYS = [
    "calculation_summary", "results", "plan", "assumptions", "warnings", "bonferroni_note", "design_effect",
    "avg_cluster_size", "icc", "clusters_per_variant", "verified_clusters_per_variant",
    "bayesian_sample_size_per_variant", "bayesian_credibility", "bayesian_note", "sequential_boundaries", "sequential_inflation_factor", "sequential_adjusted_sample_size",
    "sequential_duration_days", "cuped_std", "cuped_sample_size_per_variant", "cuped_variance_reduction_pct",
    "cuped_duration_days", "cuped_theta", "power_curve"]
SUMMARY_KEYS = ["metric_type", "baseline_value", "mde_pct", "mde_absolute", "alpha", "power", "planned_test",
                "equivalence_margin_pct", "equivalence_margin_absolute", "direction"]
RESULT_KEYS = ["sample_size_per_variant", "total_sample_size", "effective_daily_traffic", "estimated_duration_days",
               "holdout_fraction", "mutually_exclusive_experiments", "allocated_daily_traffic",
               "verified_power", "verified_sample_size", "allocation"]
LOOK_KEYS = ["look", "info_fraction", "cumulative_alpha_spent", "incremental_alpha", "z_boundary", "p_boundary",
             "is_final"]


def ask(api, design, **options):
    return api.post("/api/v1/calculate", design, **options)


def plan(api, design, **changes):
    answer = ask(api, {**design, **changes})
    assert answer.status == 200, answer
    return answer.json()


def size(reply):
    return reply["results"]["sample_size_per_variant"]


def codes(reply):
    return [warning["code"] for warning in reply["warnings"]]


class TestShape:
    @pytest.mark.parametrize("design", [B, K, {**B, **THREE, **CLUSTER, "n_looks": 3}])
    def test_every_key_is_there_in_order(self, api, design):
        reply = plan(api, design)
        assert list(reply) == REPLY_KEYS
        assert list(reply["calculation_summary"]) == SUMMARY_KEYS
        assert list(reply["results"]) == RESULT_KEYS
        for look in reply["sequential_boundaries"] or []:
            assert list(look) == LOOK_KEYS

    def test_floats_are_written_as_floats(self, api):
        text = ask(api, {**B, **CLUSTER, "icc": 0}).text
        for part in ('"effective_daily_traffic":7200.0,', '"mde_pct":5.0,', '"design_effect":1.0,',
                     '"avg_cluster_size":100.0,', '"icc":0.0,', '"sample_size_per_variant":146642,'):
            assert part in text, part

    def test_what_was_not_asked_for_is_null(self, api):
        reply = plan(api, B)
        assert [key for key in REPLY_KEYS if reply[key] is None] == REPLY_KEYS[5:23]
        assert reply["warnings"] == [] and len(reply["assumptions"]) == 3
        assert reply["results"]["allocated_daily_traffic"] is None


# Row: design, then what the reply must hold, by dotted path.
SIZES = {
    "binary": (B, {
        "sample_size_per_variant": 146642, "total_sample_size": 293284, "effective_daily_traffic": 7200.0,
        "estimated_duration_days": 41, "mde_absolute": 0.0021, "planned_test": "z_test"}),
    "three variants": ({**B, **THREE}, {
        "sample_size_per_variant": 177585, "total_sample_size": 532755, "estimated_duration_days": 75}),
    "ten variants": ({**B, **TEN, "baseline_value": 0.1, "mde_pct": 10}, {
        "sample_size_per_variant": 24554, "total_sample_size": 245540, "estimated_duration_days": 35}),
    "uneven split": ({**B, "baseline_value": 0.1, "mde_pct": 10, "expected_daily_traffic": 10000,
                      "audience_share_in_test": 0.4, "traffic_split": [80, 20]}, {
        "sample_size_per_variant": 14751, "effective_daily_traffic": 4000.0, "estimated_duration_days": 19}),
    "holdout and exclusion": ({**B, "holdout_fraction": 0.2, "mutually_exclusive_experiments": 2}, {
        "sample_size_per_variant": 146642, "effective_daily_traffic": 7200.0, "allocated_daily_traffic": 2880.0,
        "estimated_duration_days": 102, "holdout_fraction": 0.2, "mutually_exclusive_experiments": 2}),
    "holdout of nothing": ({**B, "holdout_fraction": 0}, {
        "allocated_daily_traffic": 7200.0, "estimated_duration_days": 41, "holdout_fraction": 0.0}),
    "binary, bayesian": ({**B, "baseline_value": 0.035, "analysis_mode": "bayesian", "desired_precision": 0.5}, {
        "sample_size_per_variant": 177290, "bayesian_sample_size_per_variant": 10380,
        "bayesian_credibility": 0.95}),
    "continuous, bayesian": (
        {**B, "metric_type": "continuous", "baseline_value": 15, "std_dev": 12, "analysis_mode": "bayesian",
         "desired_precision": 1.5, "credibility": 0.9}, {
            "sample_size_per_variant": 4019, "bayesian_sample_size_per_variant": 347, "bayesian_credibility": 0.9}),
    "count, bayesian": ({**COUNT, "analysis_mode": "bayesian", "desired_precision": 1}, {
        "sample_size_per_variant": 1437, "bayesian_sample_size_per_variant": None, "bayesian_note": None}),
    "clusters": ({**B, **CLUSTER}, {
        "design_effect": 2.98, "sample_size_per_variant": 436994, "total_sample_size": 873988,
        "clusters_per_variant": 4370, "estimated_duration_days": 122}),
    "users in clusters' clothes": ({**B, **CLUSTER, "randomization_unit": "user"}, {
        "design_effect": None, "sample_size_per_variant": 146642, "clusters_per_variant": None,
        "avg_cluster_size": None, "icc": None}),
    "cuped": ({**K, "baseline_value": 45, "std_dev": 12, "mde_pct": 4.4444444444, "expected_daily_traffic": 10000,
               "cuped_pre_experiment_std": 12, "cuped_correlation": 0.5}, {
        "sample_size_per_variant": 566, "cuped_sample_size_per_variant": 424, "cuped_std": 10.3923,
        "cuped_variance_reduction_pct": 25.0, "cuped_theta": 0.5, "cuped_duration_days": 1.0}),
    "half of cuped": ({**K, "cuped_correlation": 0.5}, {"cuped_std": None, "cuped_sample_size_per_variant": None}),
    "continuous": (K, {"sample_size_per_variant": 252, "planned_test": "z_test", "mde_absolute": 5.0}),
    "mann-whitney": ({**K, "planned_test": "mann_whitney"}, {
        "sample_size_per_variant": 264, "planned_test": "mann_whitney"}),
    "tost": ({**K, "planned_test": "tost", "equivalence_margin_pct": 2}, {
        "sample_size_per_variant": 1713, "equivalence_margin_absolute": 2.0, "equivalence_margin_pct": 2.0,
        "mde_pct": 5.0, "planned_test": "tost"}),
    "margin without tost": ({**K, "equivalence_margin_pct": 2}, {
        "equivalence_margin_pct": None, "equivalence_margin_absolute": None}),
    "ratio": (RATIO, {"sample_size_per_variant": 20345, "metric_type": "ratio", "planned_test": "z_test"}),
    "fisher, by exact power": ({**B, "baseline_value": 0.2, "mde_pct": 100, "planned_test": "fisher_exact"}, {
        "sample_size_per_variant": 90, "planned_test": "fisher_exact"}),
    "fisher, by correction": ({**B, "baseline_value": 0.1, "mde_pct": 20, "planned_test": "fisher_exact"}, {
        "sample_size_per_variant": 3941}),
    "count": (COUNT, {"sample_size_per_variant": 1437, "planned_test": "poisson_rate", "mde_absolute": 0.06}),
}


class TestSizes:
    @pytest.mark.parametrize("name", SIZES)
    def test_figures(self, api, name):
        design, expected = SIZES[name]
        reply = plan(api, design)
        flat = {**reply, **reply["calculation_summary"], **reply["results"]}
        for key, value in expected.items():
            if isinstance(value, float):
                assert flat[key] == pytest.approx(value, rel=1e-12), key
            else:
                assert flat[key] == value and type(flat[key]) is type(value), key

    @pytest.mark.parametrize("design, n, power", [
        ({**B, "baseline_value": 0.2, "mde_pct": 100, "planned_test": "fisher_exact"}, 90, 0.801680),
        ({**K, "baseline_value": 1, "std_dev": 0.1, "planned_test": "tost", "equivalence_margin_pct": 5}, 69, 0.803636),
    ])
    def test_power_at_the_planned_size(self, api, design, n, power):
        curve = {point["sample_size_per_variant"]: point["power"] for point in plan(api, design)["power_curve"]}
        assert curve[n] == pytest.approx(power, abs=1.01e-6)

    def test_looks_and_companions_leave_the_plan_alone(self, api):
        alone = plan(api, K)["results"]
        for changes in ({"n_looks": 10}, {"cuped_pre_experiment_std": 20, "cuped_correlation": 0.9},
                        {"analysis_mode": "bayesian", "desired_precision": 1}):
            assert plan(api, K, **changes)["results"] == alone

    @pytest.mark.parametrize("changes, reason", [
        ({"baseline_value": 0.9, "mde_pct": 15}, "variant_rate_out_of_range"),
        ({**K, "std_dev": 1e-13}, "std_dev_not_positive"),
        ({**K, "std_dev": 8.98e307}, "sample_size_not_finite"),
        ({**K, "mde_pct": 1e-300}, "sample_size_not_finite"),
        ({"mde_pct": 1e-12}, "sample_size_not_finite"),
        ({"expected_daily_traffic": 1, "audience_share_in_test": 1e-18}, "duration_not_finite"),
    ])
    def test_designs_without_a_plan(self, api, changes, reason):
        answer = ask(api, {**B, **changes})
        assert (answer.status, answer.error_code) == (400, "bad_request")
        assert answer.headers["X-Error-Reason"] == reason and len(answer.detail) > 20


class TestBonferroni:
    def test_two_variants_have_no_note(self, api):
        assert plan(api, B)["bonferroni_note"] is None

    @pytest.mark.parametrize("design, comparisons, alpha", [
        ({**B, **THREE}, "2 comparisons", "0.025"),
        ({**B, **TEN, "baseline_value": 0.1, "mde_pct": 10}, "9 comparisons", "0.00555556")])
    def test_note(self, api, design, comparisons, alpha):
        reply = plan(api, design)
        note = reply["bonferroni_note"]
        assert comparisons in note and re.search(rf"\b{re.escape(alpha)}\b", note)
        assert "less conservative" in note
        last = reply["assumptions"][2]
        assert last.startswith(f"Bonferroni-adjusted alpha is {alpha}") and comparisons in last
        assert "conservative" in last


# Exact boundaries, spending and inflation: the design's own alpha and power. Power counts rejections towards the
# assumed effect only, as the sample size of the fixed design does.
FINAL_Z = [
    ({"n_looks": 2}, 1.9774), ({"n_looks": 3}, 2.0040), ({"n_looks": 4}, 2.0243), ({"n_looks": 5}, 2.0401),
    ({"n_looks": 10}, 2.0865), ({"n_looks": 12}, 2.0976), ({"n_looks": 16}, 2.1140), ({"n_looks": 20}, 2.1257),
    ({"n_looks": 100}, 2.1860), ({"n_looks": 4, "alpha": 0.025}, 2.2894), ({"n_looks": 5, "alpha": 0.01}, 2.6212),
    ({"n_looks": 2, "alpha": 0.2}, 1.3430), ({"n_looks": 4, **THREE}, 2.2894)]
FACTORS = [
    ({"n_looks": 2}, 1.0078), ({"n_looks": 3}, 1.0174), ({"n_looks": 4}, 1.0238), ({"n_looks": 5}, 1.0284),
    ({"n_looks": 8}, 1.0367), ({"n_looks": 10}, 1.0399), ({"n_looks": 12}, 1.0422), ({"n_looks": 16}, 1.0454),
    ({"n_looks": 20}, 1.0474), ({"n_looks": 100}, 1.0550), ({"n_looks": 2, "power": 0.9}, 1.0071),
    ({"n_looks": 5, "power": 0.9}, 1.0265), ({"n_looks": 10, "power": 0.9}, 1.0375),
    ({"n_looks": 5, "alpha": 0.1}, 1.0400), ({"n_looks": 5, "alpha": 0.01}, 1.0145),
    ({"n_looks": 4, "alpha": 0.025}, 1.0170)]


class TestSequential:
    def test_five_looks(self, api):
        reply = plan(api, B, n_looks=5)
        looks = reply["sequential_boundaries"]
        columns = {name: [look[name] for look in looks] for name in LOOK_KEYS}
        assert columns["look"] == [1, 2, 3, 4, 5]
        assert columns["info_fraction"] == [0.2, 0.4, 0.6, 0.8, 1.0]
        assert columns["z_boundary"] == [4.5617, 3.2256, 2.6337, 2.2809, 2.0401]
        assert columns["cumulative_alpha_spent"] == pytest.approx(
            [0.000005, 0.001259, 0.008904, 0.025585, 0.05], abs=1.01e-6)
        assert columns["incremental_alpha"] == pytest.approx(
            [0.000005, 0.001254, 0.007645, 0.016681, 0.024415], abs=1.01e-6)
        assert columns["p_boundary"] == pytest.approx([0.000005, 0.001257, 0.008445, 0.022556, 0.041343], abs=1.01e-6)
        assert columns["is_final"] == [False] * 4 + [True]
        assert reply["sequential_inflation_factor"] == 1.0284
        assert reply["sequential_adjusted_sample_size"] == 150809
        assert reply["sequential_duration_days"] == 42
        assert reply["results"] == plan(api, B)["results"]
        [warning] = reply["warnings"]
        assert warning["code"] == "INTERIM_LOOKS_INCREASE_SAMPLE" and "5 looks" in warning["message"]
        assert "2.8%" in warning["message"]

    @pytest.mark.parametrize("changes, z", FINAL_Z)
    def test_last_boundary(self, api, changes, z):
        looks = plan(api, B, **changes)["sequential_boundaries"]
        assert looks[-1]["z_boundary"] == z and len(looks) == changes["n_looks"]

    @pytest.mark.parametrize("changes, factor", FACTORS)
    def test_inflation(self, api, changes, factor):
        reply = plan(api, B, **changes)
        assert reply["sequential_inflation_factor"] == factor
        unrounded = reply["sequential_adjusted_sample_size"] / size(reply)
        assert unrounded == pytest.approx(factor, abs=6e-5)

    @pytest.mark.parametrize("looks", [2, 7, 33, 100])
    def test_spends_all_of_alpha_and_no_more(self, api, looks):
        rows = plan(api, B, n_looks=looks, alpha=0.03)["sequential_boundaries"]
        spent = [row["cumulative_alpha_spent"] for row in rows]
        assert spent == sorted(spent) and spent[-1] == 0.03
        assert sum(row["incremental_alpha"] for row in rows) == pytest.approx(0.03, abs=looks * 5e-7)
        for row in rows:
            assert row["z_boundary"] == pytest.approx(
                rows[-1]["z_boundary"] * math.sqrt(looks / row["look"]), abs=1e-4 * math.sqrt(looks / row["look"]))

    def test_one_look_is_no_sequential_test(self, api):
        reply = plan(api, B, n_looks=1)
        assert reply["sequential_boundaries"] is None and reply["sequential_inflation_factor"] is None
        assert reply == plan(api, B)

    def test_clusters_come_first(self, api):
        reply = plan(api, B, **CLUSTER, n_looks=5)
        assert reply["sequential_adjusted_sample_size"] == pytest.approx(436994 * 1.0284109, abs=2)

    def test_a_hundred_looks_stay_within_the_budget(self, api):
        begun = time.monotonic()
        for number in range(5):
            plan(api, B, n_looks=100, alpha=0.0313 + number / 1000)
        assert time.monotonic() - begun < 30


class TestWarnings:
    ROWS = [
        ({**B}, []),
        ({**B, **THREE}, ["LONG_DURATION", "CONSERVATIVE_MULTIVARIANT_ALPHA"]),
        ({**B, **TEN, "baseline_value": 0.1, "mde_pct": 10},
         ["CONSERVATIVE_MULTIVARIANT_ALPHA", "MANY_VARIANTS_LOW_TRAFFIC"]),
        ({**B, "holdout_fraction": 0.2, "mutually_exclusive_experiments": 2}, ["LONG_DURATION"]),
        ({**B, **CLUSTER}, ["LONG_DURATION", "CLUSTER_RANDOMIZATION"]),
        ({**B, "baseline_value": 0.03, "mde_pct": 2, "expected_daily_traffic": 300, "audience_share_in_test": 0.3,
          "power": 0.75, "seasonality_present": True, "active_campaigns_present": True, "long_test_possible": False},
         ["LONG_DURATION", "LOW_TRAFFIC", "SEASONALITY_PRESENT", "CAMPAIGN_CONTAMINATION", "UNDERPOWERED_DESIGN",
          "LONG_TEST_NOT_POSSIBLE"]),
        ({**B, "actual_counts": [4800, 5200]}, ["SRM_DETECTED"]),
        ({**B, "actual_counts": [0, 10000]}, ["SRM_DETECTED"]),
        ({**B, "actual_counts": [5000, 5001]}, []),
        ({**B, **THREE, **CLUSTER, "baseline_value": 0.03, "mde_pct": 2, "expected_daily_traffic": 300, "power": 0.5,
          "seasonality_present": 1, "active_campaigns_present": "yes", "long_test_possible": "no", "n_looks": 3,
          "actual_counts": [1, 100, 100]},
         ["LONG_DURATION", "LOW_TRAFFIC", "CONSERVATIVE_MULTIVARIANT_ALPHA", "MANY_VARIANTS_LOW_TRAFFIC",
          "CLUSTER_RANDOMIZATION", "SEASONALITY_PRESENT", "CAMPAIGN_CONTAMINATION", "UNDERPOWERED_DESIGN",
          "LONG_TEST_NOT_POSSIBLE", "INTERIM_LOOKS_INCREASE_SAMPLE", "SRM_DETECTED"]),
        ({**K, "long_test_possible": False}, []),
        ({**B, "seasonality_present": False, "active_campaigns_present": None, "long_test_possible": True}, []),
    ]
    SEVERITIES = {
        "LONG_DURATION": "high", "LOW_TRAFFIC": "medium", "CONSERVATIVE_MULTIVARIANT_ALPHA": "medium",
        "MANY_VARIANTS_LOW_TRAFFIC": "high", "CLUSTER_RANDOMIZATION": "high", "SEASONALITY_PRESENT": "medium",
        "CAMPAIGN_CONTAMINATION": "medium", "UNDERPOWERED_DESIGN": "medium", "LONG_TEST_NOT_POSSIBLE": "high",
        "INTERIM_LOOKS_INCREASE_SAMPLE": "medium", "SRM_DETECTED": "high"}

    @pytest.mark.parametrize("design, expected", ROWS)
    def test_codes_in_order(self, api, design, expected):
        warnings = plan(api, design)["warnings"]
        assert [w["code"] for w in warnings] == expected
        for warning in warnings:
            assert warning["severity"] == self.SEVERITIES[warning["code"]]
            assert warning["source"] == "rules_engine" and "{{" not in warning["message"]
            assert list(warning) == ["code", "severity", "message", "source"]

    def test_duration_of_the_low_traffic_design(self, api):
        assert plan(api, self.ROWS[5][0])["results"]["estimated_duration_days"] == 25176

    @pytest.mark.parametrize("traffic, warned", [(999, True), (1000, False)])
    def test_low_traffic_begins_below_a_thousand(self, api, traffic, warned):
        assert ("LOW_TRAFFIC" in codes(plan(api, K, expected_daily_traffic=traffic))) == warned

    def test_low_traffic_counts_what_is_left_after_holdout(self, api):
        assert codes(plan(api, K, holdout_fraction=0.1)) == ["LOW_TRAFFIC"]

    @pytest.mark.parametrize("power, warned", [(0.8, False), (0.79999, True)])
    def test_underpowered_begins_below_eighty_percent(self, api, power, warned):
        assert ("UNDERPOWERED_DESIGN" in codes(plan(api, K, power=power))) == warned


# Plan, then fragments that each line of the assumptions must hold.
ASSUMPTIONS = {
    "binary": (B, [["wo-sided", "fixed horizon", "equal-variance"], ["MDE", "baseline rate"],
                   ["alpha", "single comparison"]]),
    "continuous": (K, [["two-sample means", "equal arms"], ["MDE", "mean"], ["single comparison"]]),
    "ratio": (RATIO, [["delta method", "0.05", "0.09"], ["MDE"], ["single comparison"]]),
    "fisher by exact power": ({**B, "baseline_value": 0.2, "mde_pct": 100, "planned_test": "fisher_exact"},
                              [["exact", "80%", "82"], ["MDE"], ["single comparison"]]),
    "fisher by correction": ({**B, "baseline_value": 0.1, "mde_pct": 20, "planned_test": "fisher_exact"},
                             [["Casagrande", "3,841", "500"], ["MDE"], ["single comparison"]]),
    "mann-whitney": ({**K, "planned_test": "mann_whitney"},
                     [["3/pi", "252", "0.9549"], ["0.864", "292"], ["MDE", "location shift"], ["single comparison"]]),
    "tost": ({**K, "planned_test": "tost", "equivalence_margin_pct": 2},
             [["margin of 2", "2%", "MDE is not used"], ["ower", "zero"], ["one-sided test", "0.05"],
              ["single comparison"]]),
    "count": ({**COUNT, "exposure_per_user": 2.5},
              [["948", "0.5455", "1,436.4", "2.5"], ["Poisson", "overdispersion"], ["rate ratio"],
               ["single comparison"]]),
    "clusters": ({**B, **CLUSTER},
                 [["wo-sided"], ["MDE"], ["single comparison"], ["design effect", "2.98", "100", "0.02", "4,370"],
                  ["equal"], ["lanning", "live analysis stays naive"]]),
    "looks": ({**B, "n_looks": 3},
              [["wo-sided"], ["MDE"], ["single comparison"], ["O'Brien-Fleming", "3", "0.05"]]),
}


class TestAssumptions:
    @pytest.mark.parametrize("name", ASSUMPTIONS)
    def test_lines(self, api, name):
        design, expected = ASSUMPTIONS[name]
        lines = plan(api, design)["assumptions"]
        assert len(lines) == len(expected), lines
        for line, fragments in zip(lines, expected):
            for fragment in fragments:
                assert fragment in line, (fragment, line)

    @pytest.mark.parametrize("design, n, credibility, precision", [
        ({**B, "baseline_value": 0.035, "desired_precision": 0.5}, "10,380", "95%", "0.5 pp"),
        ({**B, "metric_type": "continuous", "baseline_value": 15, "std_dev": 12, "desired_precision": 1.5,
          "credibility": 0.9}, "347", "90%", "1.5 units")])
    def test_bayesian_note(self, api, design, n, credibility, precision):
        note = plan(api, design, analysis_mode="bayesian")["bayesian_note"]
        for fragment in ("credible interval", n, credibility, precision):
            assert fragment in note, note

    def test_stay_english(self, api):
        design = {**B, **THREE, **CLUSTER, "n_looks": 2, "analysis_mode": "bayesian", "desired_precision": 1}
        english, russian = (ask(api, design, headers={"Accept-Language": each}).json() for each in ("en", "ru"))
        for key in ("assumptions", "bonferroni_note", "bayesian_note"):
            assert english[key] == russian[key] is not None


# Changes to B that break a rule, and the English text of it.
RULES = [
    ({"variants_count": 3}, "traffic_split length must match variants_count"),
    ({"traffic_split": [50, 0]}, "traffic_split"),
    ({"traffic_split": [50, -1]}, "traffic_split"),
    ({"baseline_value": 0}, "binary"), ({"baseline_value": 1}, "binary"), ({"baseline_value": -0.1}, "binary"),
    ({**K, "baseline_value": 0}, "baseline_value must be positive for continuous"),
    ({**K, "std_dev": None}, "std_dev must be positive for continuous metrics"),
    ({**K, "std_dev": 0}, "std_dev must be positive for continuous metrics"),
    ({**RATIO, "baseline_value": 0}, "baseline_value must be positive for ratio"),
    ({**RATIO, "std_dev": None}, "std_dev must be positive for ratio"),
    ({**COUNT, "baseline_value": -1}, "baseline_value must be positive for count"),
    ({"planned_test": "tost"}, "planned_test"), ({"planned_test": "mann_whitney"}, "planned_test"),
    ({**K, "planned_test": "fisher_exact"}, "planned_test"), ({**RATIO, "planned_test": "tost"}, "planned_test"),
    ({**COUNT, "planned_test": "z_test"}, "planned_test"),
    ({**K, "planned_test": "tost"}, "equivalence_margin_pct"),
    ({"actual_counts": [1, 2, 3]}, "actual_counts"), ({"actual_counts": [-1, 2]}, "actual_counts"),
    ({"actual_counts": [0, 0]}, "actual_counts"),
    ({"analysis_mode": "bayesian"}, "desired_precision"),
    ({**CLUSTER, "avg_cluster_size": 0.5}, "avg_cluster_size"), ({"avg_cluster_size": 0}, "avg_cluster_size"),
    ({**CLUSTER, "icc": 1.01}, "icc"), ({**CLUSTER, "icc": -0.01}, "icc"),
    ({"mde_pct": -5}, "mde_pct"), ({"mde_pct": 0}, "mde_pct"), ({"mde_pct": 0, "direction": "decrease"}, "mde_pct"),
]


class TestDirection:
    """A goal to decrease (decision 23): the size is that of the absolute effect, verified figures are for the drop."""
    BOUNCE = {**B, "baseline_value": 0.4, "mde_pct": 25}
    DOWN = {**BOUNCE, "direction": "decrease"}

    def test_the_sign_does_not_change_the_size(self, api):
        up, down, negative = (plan(api, design) for design in (self.BOUNCE, self.DOWN, {**self.DOWN, "mde_pct": -25}))
        assert size(up) == size(down) == size(negative)
        assert down["results"] == negative["results"] and up["calculation_summary"]["direction"] == "increase"
        assert negative["calculation_summary"]["mde_absolute"] == -0.1 and negative["calculation_summary"]["direction"] == "decrease"

    @pytest.mark.parametrize("design", [BOUNCE, {**BOUNCE, "baseline_value": .8, "mde_pct": 10}])
    def test_verified_figures_are_for_the_drop(self, api, design):
        """As an increase of the complement: 0.4 falls to 0.3 as 0.6 rises to 0.7."""
        rate = design["baseline_value"]
        down = plan(api, {**design, "direction": "decrease"})["results"]
        mirrored = {**design, "baseline_value": 1 - rate, "mde_pct": design["mde_pct"] * rate / (1 - rate)}
        assert down["verified_sample_size"] == plan(api, mirrored)["results"]["verified_sample_size"]
        assert down["verified_sample_size"] != plan(api, design)["results"]["verified_sample_size"]

    def test_a_rate_too_high_to_rise_can_fall(self, api):
        high = {**B, "baseline_value": .95, "mde_pct": 10}
        assert ask(api, high).status == 400
        assert size(plan(api, {**high, "direction": "decrease"})) == size(plan(api, {**B, "baseline_value": .855, "mde_pct": 100 / 9}))

    @pytest.mark.parametrize("design", [{**B, "mde_pct": -100}, {"metric_type": "count", "baseline_value": .3, "mde_pct": 120, "alpha": .05,
        "power": .8, "expected_daily_traffic": 1000, "audience_share_in_test": 1, "traffic_split": [1, 1], "variants_count": 2}])
    def test_nothing_falls_below_zero(self, api, design):
        answer = ask(api, {**design, "direction": "decrease"})
        assert (answer.status, answer.headers["X-Error-Reason"]) == (400, "variant_rate_out_of_range")

    @pytest.mark.parametrize("changes", [{"metric_type": "continuous", "baseline_value": 45, "std_dev": 12},
                                         {"metric_type": "ratio", "baseline_value": .05, "std_dev": .09},
                                         {"metric_type": "continuous", "baseline_value": 45, "std_dev": 12, "planned_test": "mann_whitney"}])
    def test_means_are_symmetric(self, api, changes):
        up, down = (plan(api, {**B, **changes, **goal})["results"] for goal in ({}, {"direction": "decrease", "mde_pct": -5}))
        assert up == down

    def test_counts(self, api):
        count = {**B, "metric_type": "count", "baseline_value": .3, "mde_pct": 20}
        down = plan(api, {**count, "direction": "decrease"})
        assert size(down) == size(plan(api, count)) and down["results"]["verified_power"] != plan(api, count)["results"]["verified_power"]


class TestRules:
    @pytest.mark.parametrize("changes, fragment", RULES)
    def test_broken(self, api, changes, fragment):
        [error] = ask(api, {**B, **changes}).detail
        assert (error["type"], error["loc"]) == ("value_error", ["body"])
        assert error["msg"].startswith("Value error, ") and fragment in error["msg"]

    @pytest.mark.parametrize("changes, fragment", RULES)
    def test_broken_in_every_language(self, api, changes, fragment):
        texts = {}
        for language in ("en", "ru", "de", "es", "fr", "zh", "ar"):
            [error] = ask(api, {**B, **changes}, headers={"Accept-Language": language}).detail
            texts[language] = error["msg"]
        assert len(set(texts.values())) == 7, texts
        assert all(text.startswith("Value error, ") and "{{" not in text for text in texts.values())

    def test_first_broken_rule_is_the_one_told(self, api):
        [error] = ask(api, {**B, "variants_count": 3, "baseline_value": 7, "icc": 9}).detail
        assert "traffic_split length" in error["msg"]

    def test_rules_wait_for_valid_fields(self, api):
        errors = ask(api, {**B, "variants_count": 3, "alpha": 7}).errors()
        assert list(errors) == [("body", "alpha")]

    @pytest.mark.parametrize("changes, place, fragment", [
        ({**K, "cuped_correlation": 1.0}, "cuped_correlation", "less than 1"),
        ({"variants_count": 11}, "variants_count", "less than or equal to 10"),
        ({"alpha": 1}, "alpha", "less than 1"), ({"power": 0}, "power", "greater than 0"),
        ({"audience_share_in_test": 1.0000001}, "audience_share_in_test", "less than or equal to 1"),
        ({"holdout_fraction": 1}, "holdout_fraction", "less than 1"), ({"n_looks": 101}, "n_looks", "100"),
        ({"credibility": 0.5}, "credibility", "greater than 0.5")])
    def test_ranges(self, api, changes, place, fragment):
        errors = ask(api, {**B, **changes}).errors()
        assert fragment in errors["body", place]["msg"]


class TestLanguages:
    # A word of each warning's text that only this language has.
    SCRIPT = {"ru": "[\u0430-\u044f]", "zh": "[\u4e00-\u9fff]", "ar": "[\u0600-\u06ff]"}

    @pytest.mark.parametrize("language", ["ru", "de", "es", "fr", "zh", "ar"])
    def test_warnings(self, api, language):
        design = TestWarnings.ROWS[9][0]
        english = ask(api, design).json()["warnings"]
        answer = ask(api, design, headers={"Accept-Language": language})
        assert answer.headers["Content-Language"] == language
        for ours, theirs in zip(answer.json()["warnings"], english, strict=True):
            assert ours["message"] != theirs["message"] and ours["code"] == theirs["code"]
            assert set(re.findall(r"\d+(?:[.,]\d+)?", theirs["message"])) <= set(
                re.findall(r"\d+(?:[.,]\d+)?", ours["message"])), "figures are the same in every language"
            if language in self.SCRIPT:
                assert re.search(self.SCRIPT[language], ours["message"])

    def test_figures_do_not_depend_on_language(self, api):
        replies = []
        for language in ("en", "ar", "de"):
            reply = ask(api, {**B, "n_looks": 3}, headers={"Accept-Language": language}).json()
            replies.append({key: value for key, value in reply.items() if key != "warnings"})
        assert replies[0] == replies[1] == replies[2]
