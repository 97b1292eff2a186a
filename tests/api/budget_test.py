"""No request that passes validation holds a worker longer than its family may take, and none is answered with a
500 or with a number that is not finite.

Each route that computes is walked from a few ordinary bodies, with the bounds that /openapi.json gives: every
number to every extreme of its own, then many numbers at once, then the largest requests there are."""

import copy
import math
import random
import sys
from pathlib import Path

import pytest

from conftest import SOAK
from design_test import DESIGN, RATIO, design

HUGE, TINY, LARGEST_INTEGER = sys.float_info.max, 5e-324, 2**53
COMBINATIONS = 25  # of extremes, per body
POSTERIORS = 10 if SOAK else 4  # arms compared by posteriors: ten of them need two seconds of a processor
SERVICES = Path(__file__).resolve().parents[2] / "nginx" / "services"
DRAW = random.Random(20)

SIZING = {"metric_type": "binary", "baseline_value": 0.04, "mde_pct": 5, "alpha": 0.05, "power": 0.8,
          "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "traffic_split": [50, 50],
          "variants_count": 2, "n_looks": 3, "holdout_fraction": 0.1, "mutually_exclusive_experiments": 2}
CLUSTERS = {"randomization_unit": "cluster", "avg_cluster_size": 20, "icc": 0.02}
BAYES = {"analysis_mode": "bayesian", "desired_precision": 0.5, "credibility": 0.9}
MEAN = {"metric_type": "continuous", "baseline_value": 20, "std_dev": 7}
GUARDRAILS = [{"name": "a", "metric_type": "binary", "baseline_rate": 3, "direction": "decrease_is_bad",
               "non_inferiority_margin_pct": 2},
              {"name": "b", "metric_type": "continuous", "baseline_mean": 5, "std_dev": 2}]
TABLE = {"control_conversions": 8, "control_users": 20, "treatment_conversions": 12, "treatment_users": 30,
         "alpha": 0.05}
MEANS = {"control_mean": 10, "control_std": 2, "control_n": 30, "treatment_mean": 11, "treatment_std": 3,
         "treatment_n": 40, "alpha": 0.05}
VALUES = {"control_values": [1, 2, 4, 8, 3, 2], "treatment_values": [2, 3, 5, 9, 12], "alpha": 0.05, "quantile": 0.5,
          "trim": 0.2}
COUNTS = {"control_events": 10, "control_exposure": 100, "treatment_events": 25, "treatment_exposure": 120,
          "alpha": 0.05}
PAIRS = {"control_values": [1, 2, 4, 8, 3, 2], "treatment_values": [2, 3, 5, 9, 12, 1], "alpha": 0.05}
ARM = {"durations": [1, 2, 2, 5, 9], "events_observed": [True, True, False, True, True]}
SURVIVAL = {"control_arm": ARM, "treatment_arm": {**ARM, "durations": [2, 3, 5, 8, 9]}, "alpha": 0.05}


SOLVE = {"solve_for": "size", "test": "proportions", "baseline_value": 0.05, "mde_pct": 10, "power": 0.8, "alpha": 0.05,
         "daily_traffic": 1000, "variants": 2}


def arms_of_clusters(**lists):
    return {"alpha": 0.05, **{f"{arm}_arm": {"clusters": [f"{arm}{i // 2}" for i in range(len(lists["sums"]))], **lists}
                              for arm in ("control", "treatment")}}


def users_of_arms(arms, count, covariates):
    """Digits, so that a body of 1 MiB holds as many as it can; some are not known."""
    return [{"values": [DRAW.randint(0, 9) for _ in range(count)], "denominators": [DRAW.randint(1, 9) for _ in range(count)],
             "covariates": [[None if DRAW.random() < 0.05 else DRAW.randint(0, 9) for _ in range(count)]
                            for _ in range(covariates)]} for _ in range(arms)]


def counted(distinct, users):
    return {"values": [i / 10 for i in range(distinct)], "counts": [users // distinct] * distinct}


def results(block, observed, *metric_types):
    return [{"metric_type": each, block: observed} for each in metric_types]


ORDINARY = {
    "/api/v1/calculate": [
        SIZING, {**SIZING, "planned_test": "fisher_exact", "mde_pct": 60}, {**SIZING, **CLUSTERS, **BAYES},
        {**SIZING, "actual_counts": [4900, 5100]},
        {**SIZING, **MEAN, **BAYES, "cuped_pre_experiment_std": 6, "cuped_correlation": 0.5},
        {**SIZING, **MEAN, "planned_test": "mann_whitney"},
        {**SIZING, **MEAN, "planned_test": "tost", "equivalence_margin_pct": 8},
        {**SIZING, "metric_type": "ratio", "baseline_value": 0.3, "std_dev": 0.8},
        {**SIZING, "metric_type": "count", "baseline_value": 2, "exposure_per_user": 3}],
    "/api/v1/design": [
        design(metrics={"guardrail_metrics": GUARDRAILS}, constraints={"n_looks": 3, **BAYES}),
        design(metrics={**MEAN, "guardrail_metrics": GUARDRAILS, "cuped_pre_experiment_std": 6,
                        "cuped_correlation": 0.5}), design(metrics=RATIO)],
    "/api/v1/srm-check": [{"observed_counts": [480, 520, 1000], "expected_fractions": [0.25, 0.25, 0.5]}],
    "/api/v1/sensitivity": [
        {"metric_type": "binary", "baseline_rate": 3.5, "variants": 3, "alpha": 0.05, "daily_traffic": 1000,
         "audience_share": 0.5, "traffic_split": [1, 2, 3], "mde_values": [1, 5], "power_values": [0.8, 0.9]},
        {"metric_type": "continuous", "baseline_mean": 20, "std_dev": 7, "mde_values": [1, 5]}],
    "/api/v1/multiple-testing": [
        {"metrics": [{"label": "a", "p_value": 0.01}, {"label": "b", "p_value": 0.2}], "level": 0.05, "method": method}
        for method in ("bh", "holm")],
    "/api/v1/assignment/preview": [{"seed": "exp-1", "sample_size": 300, "coverage": 0.5, "weights": [0.3, 0.7],
                                    "num_variations": 2}],
    "/api/v1/results": [
        *results("binary", TABLE, "binary", "fisher_exact", "boschloo_exact", "barnard_exact"),
        *results("continuous", {**MEANS, "equivalence_margin": 2}, "continuous", "equivalence"),
        *results("ranked", VALUES, "mann_whitney", "bootstrap", "quantile", "trimmed_t"),
        *results("count", COUNTS, "count")],
    "/api/v1/results/paired": [
        {"test_type": "paired_t", **PAIRS}, {"test_type": "wilcoxon", **PAIRS},
        {"test_type": "mcnemar", "control_values": [0, 1, 1, 0], "treatment_values": [1, 1, 0, 1]}],
    "/api/v1/results/ratio": [
        {f"{arm}_arm": {"numerators": [1, 2, 4, 8], "denominators": [2, 3, 5, 9]} for arm in ("control", "treatment")}],
    "/api/v1/design/solve": [
        SOLVE, {**SOLVE, "solve_for": "power", "power": None, "days": 5, "correction": "dunnett", "variants": 3},
        {**SOLVE, "test": "means", "std_dev": 2, "alternative": "equivalence", "mde_pct": 1, "margin_pct": 5},
        {**SOLVE, "test": "ratios", "baseline_value": None, "clusters": {"average_size": 20, "size_cv": 0.5, "icc": 0.02},
         "history": {"users": 100, "numerator_sum": 50, "denominator_sum": 200, "numerator_squares": 60,
                     "denominator_squares": 500, "products": 130}},
        {**SOLVE, "solve_for": "effect", "mde_pct": None, "total_users": 5000, "test": "counts", "optimal_allocation": True,
         "switchback": {"slots_per_day": 24, "units": 2, "washout_share": 0.1, "size_cv": 0.3, "icc": 0.01}}],
    "/api/v1/results/arms": [
        {"metric_type": "mean", "variances": variances, "correction": "dunnett", "alpha": 0.05,
         "arms": [{"users": 9, "mean": 3, "std": 2}, {"users": 5, "mean": 4, "std": 1}, {"users": 7, "mean": 6, "std": 3}]}
        for variances in ("pooled", "unequal")],
    "/api/v1/results/cluster": [
        {"metric_type": "mean", **arms_of_clusters(sums=[1, 2, 4, 8], users=[2, 1, 3, 2], sums_of_squares=[1, 4, 9, 40],
                                                   covariates=[[1, 3, 2, 5]])},
        {"metric_type": "ratio", **arms_of_clusters(sums=[1, 2, 4, 8], denominators=[2, 3, 5, 9])}],
    "/api/v1/results/switchback": [
        {"metric_type": "mean", "slot_length": 10, "washout": 2, "cluster_by": "slot", "alpha": 0.05,
         "times": [4, 15, 26, 38, 49, 57], "arms": [0, 1, 1, 0, 0, 1], "sums": [3, 5, 4, 2, 1, 6],
         "users": [1, 2, 2, 1, 1, 3]}],
    "/api/v1/results/adjusted": [
        {"metric_type": "continuous", "variance": variance, "arms": [
            {"values": [10, 12, 13, 15, 16, 14], "covariates": [[1, 2, None, 4, 5, 3]]},
            {"values": [18, 20, 21, 24, 25, 20], "covariates": [[4, 5, 6, None, 8, 7]]}]} for variance in ("hc2", "hc3", "arm")],
    "/api/v1/results/statistics": [
        {"metric_type": "continuous", "control": {"n": 5, "mean": 2, "std": 1}, "treatment": {"n": 5, "mean": 3, "std": 2}},
        {"metric_type": "equivalence", "equivalence_margin": 2, "control": {"n": 5, "sum": 66, "sum_squares": 894},
         "treatment": {"n": 5, "sum": 106, "sum_squares": 2270}},
        {"metric_type": "fisher_exact", "control": {"n": 20, "conversions": 8}, "treatment": {"n": 30, "conversions": 12}},
        {"metric_type": "count", "control": {"events": 10, "exposure": 100}, "treatment": {"events": 25, "exposure": 120}},
        {"metric_type": "ratio", **dict.fromkeys(("control", "treatment"), {
            "n": 4, "numerator_sum": 15, "denominator_sum": 19, "numerator_squares": 85, "denominator_squares": 119,
            "products": 100})},
        *({"metric_type": metric, "quantile": 0.5, "trim": 0.2, "control": {"values": [1, 2, 4], "counts": [3, 2, 1]},
           "treatment": {"values": [2, 3, 9], "counts": [1, 2, 2]}} for metric in ("mann_whitney", "bootstrap"))],
    "/api/v1/results/bayes": [
        {"metric_type": "binary", "arms": [{"n": 500, "converted": 50}, {"n": 500, "converted": 56}],
         "loss_threshold": 0.0005, "looks": 3, "worthwhile_effect": 0.01, "credibility": 0.9},
        {"metric_type": "count", "arms": [{"events": 120, "exposure": 400.5}, {"events": 150, "exposure": 410}],
         "prior": {"a": 2, "b": 10}},
        {"metric_type": "continuous", "past": [{"n": 30, "mean": 9, "std": 4}, {"n": 20, "mean": 8, "std": 3}],
         "arms": [{"n": 40, "mean": 10, "std": 4}, {"n": 50, "mean": 11, "std": 5}]}],
    "/api/v1/results/categorical": [
        {"table": [[10, 20, 30], [30, 20, 12]], "test_type": test, "alpha": 0.05} for test in ("chi_square", "g_test")],
    "/api/v1/results/omnibus": [
        {"test_type": test, "groups": [[1, 2, 4, 3], [2, 5, 9], [4, 7, 8]], "alpha": 0.05}
        for test in ("welch_anova", "kruskal_wallis")],
    "/api/v1/results/survival": [
        {**SURVIVAL, "test_type": "log_rank", "additional_arms": [ARM]}, {**SURVIVAL, "test_type": "cox"},
        {**SURVIVAL, "test_type": "fleming_harrington", "fh_rho": 1, "fh_gamma": 1}],
    "/api/v1/results/always-valid": [
        *({"metric": metric, "effect": 0.5, "alpha": 0.05, **{f"{arm}_arm": {
            "n": 900, "mean": 5, "std": 4, "conversions": 40, "denominator_mean": 2, "denominator_std": 1,
            "denominator_correlation": 0.4, "covariate": {"mean": 5, "std": 3, "correlation": 0.5, **(
                {"denominator_correlation": 0.2} if metric == "ratio" else {})}} for arm in ("control", "treatment")}}
          for metric in ("mean", "rate", "ratio")),
        {"metric": "quantile", "quantile": 0.5, "tuning_users": 5000, "control_arm": {"values": [1, 2, 3]},
         "treatment_arm": {"values": [2, 4, 9]}}],
    "/api/v1/sequential/design": [
        {"sides": 1, "alpha": 0.025, "power": 0.9, "alpha_spending": "kim_demets", "alpha_parameter": 2, "futility": futility,
         "beta_spending": "hwang_shih_decani", "beta_parameter": -2, "information_fractions": [0.4, 1]}
        for futility in ("binding", "non_binding")],
    "/api/v1/sequential/monitor": [
        {"plan": {"sides": 2, "alpha": 0.05, "power": 0.8, "information_fractions": [0.5, 1]}, "effect": 0.5, "is_final": final,
         "looks": [{"information_fraction": 0.4, "estimate": 0.9, "standard_error": 0.5}]} for final in (False, True)],
    "/api/v1/sequential/hybrid": [
        {"alpha": 0.05, "power": 0.9, "early_share": 0.3, "tuned_fraction": 0.6, "information_fractions": [0.4],
         "look": {"information_fraction": 0.7, "estimate": 0.9, "standard_error": 0.5, "is_end": end}} for end in (False, True)],
    "/api/v1/simulate/bandit": [{"arm_rates": [0.05, 0.12], "horizon": 40, "num_simulations": 10, "seed": 7}],
}


def many(count, unit=1.0):
    return [DRAW.gauss(0, 1) * unit for _ in range(count)]


def watched(count):
    return {"durations": [DRAW.expovariate(1) for _ in range(count)],
            "events_observed": [DRAW.random() < 0.9 for _ in range(count)]}


# Which of those that are admitted take longest; `spread` are values that no sum of two can hold.
SPREAD = [HUGE, -HUGE] * 500
HUNDRED = [(i + 1) / 100 for i in range(100)]
CLOSE = [(i + 1) / 10000 for i in range(99)] + [1]
LARGEST = [
    ("/api/v1/calculate", {**SIZING, "n_looks": 100, "alpha": 1e-9, "power": 0.999}),
    ("/api/v1/calculate", {**SIZING, "n_looks": 100, "alpha": 0.999, "power": 0.9995}),
    ("/api/v1/calculate", {**SIZING, "planned_test": "fisher_exact", "mde_pct": 42, "alpha": 1e-12, "power": 0.9999}),
    ("/api/v1/calculate", {**SIZING, "planned_test": "fisher_exact", "baseline_value": 0.45, "mde_pct": 20,
                           "alpha": 0.05, "power": 0.84}),
    ("/api/v1/calculate", {**SIZING, **MEAN, "planned_test": "tost", "equivalence_margin_pct": 1e-6}),
    ("/api/v1/sensitivity", {"metric_type": "binary", "baseline_rate": 3.5, "variants": 10,
                             "mde_values": [0.01 * (i + 1) for i in range(40)],
                             "power_values": [(i + 1) / 26 for i in range(25)]}),
    ("/api/v1/srm-check", {"observed_counts": [LARGEST_INTEGER] * 10, "expected_fractions": [0.1] * 10}),
    ("/api/v1/multiple-testing", {"metrics": [{"label": "m" * 50, "p_value": i / 100} for i in range(100)]}),
    ("/api/v1/assignment/preview", {"seed": "s" * 200, "num_variations": 10, "sample_size": 100000,
                                    "user_id_prefix": "日" * 80}),
    *(("/api/v1/results", body) for values in (many(1000), SPREAD, [TINY, 0] * 500) for body in results(
        "ranked", {"control_values": values, "treatment_values": values[::-1], "alpha": 0.001},
        "mann_whitney", "bootstrap", "quantile", "trimmed_t")),
    *(("/api/v1/results", body) for body in results("binary", {
        "control_conversions": 125000, "control_users": 250000, "treatment_conversions": 126000,
        "treatment_users": 250000}, "fisher_exact", "binary")),
    *(("/api/v1/results", body) for body in results("binary", {
        "control_conversions": 45, "control_users": 100, "treatment_conversions": 55, "treatment_users": 100},
        "boschloo_exact", "barnard_exact")),
    *(("/api/v1/results", body) for body in results("count", {
        "control_events": 500000, "control_exposure": 1.0, "treatment_events": 500000,
        "treatment_exposure": 1.0000001}, "count")),
    *(("/api/v1/results/paired", {"test_type": test, "control_values": values, "treatment_values": values[::-1]})
      for test in ("paired_t", "wilcoxon") for values in (many(1000), SPREAD)),
    *(("/api/v1/results/ratio", {"control_arm": arm, "treatment_arm": arm}) for arm in (
        {"numerators": many(1000), "denominators": many(1000)}, {"numerators": SPREAD, "denominators": SPREAD})),
    *(("/api/v1/design/solve", {**SOLVE, "test": "means", "std_dev": 0.01, "variants": 10, **more}) for more in (
        {"correction": "dunnett", "optimal_allocation": True}, {"correction": "dunnett", "allocation": [*range(1, 11)]},
        {"correction": "holm", "power_of": "all"},
        {"test": "proportions", "std_dev": None, "simulation_runs": 200000, "mde_pct": 1, "power_of": "any"})),
    ("/api/v1/results/arms", {"metric_type": "mean", "variances": "unequal", "correction": "dunnett",
                              "arms": [{"users": 2 + i, "mean": i / 9, "std": 1 + i} for i in range(10)]}),
    *(("/api/v1/results/cluster", {"metric_type": "mean", **arms_of_clusters(sums=values, covariates=[values] + more)})
      for values, more in ((many(2000), [many(2000) for _ in range(9)]), (SPREAD, []), (SPREAD, [many(1000)]))),
    *(("/api/v1/results/adjusted", {"metric_type": "ratio", "variance": variance, "arms": users_of_arms(10, 2500, 10)})
      for variance in ("hc2", "hc3")),
    ("/api/v1/results/adjusted", {"metric_type": "continuous", "arms": [
        {"values": [1e15, -1e15] * 500, "covariates": [[-1e15, 1e15] * 500, [1e15, 1e-300, -1e15, 3] * 250]}] * 2}),
    *(("/api/v1/results/statistics", {"metric_type": metric, "control": counted(20000, users),
                                      "treatment": counted(19999, users)})
      for metric, users in (("mann_whitney", 499000), ("trimmed_t", 499000), ("bootstrap", 20000), ("quantile", 20000))),
    *(("/api/v1/results/statistics", {"metric_type": metric, "control": {"n": users, "conversions": users // 2},
                                      "treatment": {"n": users, "conversions": users * 51 // 100}})
      for metric, users in (("fisher_exact", 250000), ("boschloo_exact", 100), ("barnard_exact", 100))),
    *(("/api/v1/results/bayes", {"metric_type": metric, "arms": arms, "credibility": 0.9999999, "looks": 100,
                                 "loss_threshold": 5e-324, "worthwhile_effect": 1})
      for metric, arms in (("binary", [{"n": 10**12, "converted": 5 * 10**11 + i * 10**6} for i in range(POSTERIORS)]),
                           ("binary", [{"n": 10 ** (i + 2), "converted": 0} for i in range(POSTERIORS)]),
                           ("count", [{"events": 0, "exposure": 10**i} for i in range(POSTERIORS)]),
                           ("continuous", [{"n": 2 + i, "mean": i, "std": 1 + i} for i in range(POSTERIORS)]))),
    ("/api/v1/results/switchback", {"metric_type": "mean", "slot_length": 1e-300, "times": [i * 1e-300 for i in range(1000)],
                                    "arms": [i % 2 for i in range(1000)], "sums": SPREAD}),
    *(("/api/v1/results/categorical", {"table": [[2000 - i] * 50 for i in range(50)], "test_type": test})
      for test in ("chi_square", "g_test")),
    *(("/api/v1/results/omnibus", {"test_type": test, "groups": [values] * 49 + [many(1000)]})
      for test in ("welch_anova", "kruskal_wallis") for values in ([round(v, 6) for v in many(1000)], SPREAD[:300])),
    ("/api/v1/results/survival", {"control_arm": watched(1000), "treatment_arm": watched(1000), "test_type": "cox"}),
    ("/api/v1/results/survival", {"control_arm": watched(1000), "treatment_arm": watched(1000),
                                  "additional_arms": [watched(1000) for _ in range(8)],
                                  "test_type": "fleming_harrington", "fh_rho": 0.3, "fh_gamma": 3.7}),
    ("/api/v1/results/always-valid", {"metric": "quantile", "control_arm": {"values": many(20000)},
                                      "treatment_arm": {"values": many(20000)}}),
    ("/api/v1/sequential/design", {"sides": 1, "alpha": 1e-10, "power": 0.99999, "alpha_spending": "pocock",
                                   "futility": "binding", "beta_spending": "pocock", "information_fractions": HUNDRED}),
    *(("/api/v1/sequential/monitor", {
        "plan": {"alpha_spending": "pocock", "information_fractions": CLOSE},
        "looks": [{"information_fraction": t, "z": z} for t in HUNDRED[:last]]}) for last, z in ((100, 1), (60, -1.5))),
    ("/api/v1/sequential/hybrid", {"alpha": 1e-8, "tuned_fraction": 0.01, "look": {"information_fraction": 10, "z": 3, "is_end": True}}),
    ("/api/v1/simulate/bandit", {"arm_rates": [0.1] * 10, "horizon": 5000, "num_simulations": 2000}),
]


def seconds_of(path):
    """What nginx/services lets a request of the path take."""
    for line in SERVICES.read_text().splitlines():
        words = line.split()
        if words[:2] == ["family", "experiments"]:
            claims = words[6:]
            if f"={path}" in claims or any(c.startswith("/api/v1/") and path.startswith(c) for c in claims):
                return float(words[5])
    raise AssertionError(f"no family claims {path}")


def numbers_in(value):
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, (int, float)):
        yield value
    elif not isinstance(value, (str, type(None))):
        for each in value:
            yield from numbers_in(each)


def hold(api, path, body):
    """Asks, and checks what must hold for any body. The client has checked headers, envelope and schema."""
    answer = api.post(path, body, may_fail=True)
    assert answer.status in (200, 400, 422, 429), (body if len(str(body)) < 2000 else str(body)[:2000], answer)
    assert answer.seconds < seconds_of(path), answer
    if answer.status == 400:
        assert answer.headers.get("X-Error-Reason"), (body, answer)
    assert all(math.isfinite(number) for number in numbers_in(answer.json())), answer
    return answer.status


def alternative(document, schema):
    """The shape itself where it may be null too."""
    for each in schema.get("anyOf", []):
        if each.get("type") != "null":
            return alternative(document, each)
    return document.resolve(schema)


def leaves(document, schema, value, path=()):
    """Where the numbers of a body are, each with its schema; in a list of objects or lists, those of the first."""
    schema = alternative(document, schema)
    if isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(document, schema["properties"][name], member, (*path, name))
    elif isinstance(value, list) and value:
        if isinstance(value[0], (dict, list)):
            yield from leaves(document, schema["items"], value[0], (*path, 0))
        elif isinstance(value[0], (int, float)) and not isinstance(value[0], bool):
            yield path, alternative(document, schema["items"]), len(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, schema, None


def is_integer(schema):
    return "integer" in schema["type"]


def extremes(schema):
    """The ends of what a number may be, and what lies closest to 0."""
    step = (lambda x, to: x + math.copysign(1, to)) if is_integer(schema) else math.nextafter
    low, high = (-LARGEST_INTEGER, LARGEST_INTEGER) if is_integer(schema) else (-HUGE, HUGE)
    low = schema.get("minimum", step(schema["exclusiveMinimum"], math.inf) if "exclusiveMinimum" in schema else low)
    high = schema.get("maximum", step(schema["exclusiveMaximum"], -math.inf) if "exclusiveMaximum" in schema else high)
    middle = [0, 1] if is_integer(schema) else [0.0, TINY, 1e-300, 1e150]
    return [low, high, *(value for value in middle if low < value < high)]


def choices(schema, length):
    """What a leaf may become: a number, or a list of the same length."""
    for value in extremes(schema):
        if length is None:
            yield value
        else:
            yield [value] * length
            yield [value] + [1] * (length - 1)


def changed(body, changes):
    made = copy.deepcopy(body)
    for path, value in changes:
        place = made
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
    return made


def corners(document, path, body, draw):
    """Every number to its extremes alone, then several at once."""
    found = list(leaves(document, document.body_schema(document.find("POST", path)), body))
    assert found, path
    for where, schema, length in found:
        for value in choices(schema, length):
            yield changed(body, [(where, value)])
    for _ in range(COMBINATIONS):
        taken = [leaf for leaf in found if draw.random() < 0.5]
        yield changed(body, [(where, draw.choice(list(choices(schema, length)))) for where, schema, length in taken])


def test_every_route_that_computes_is_walked(api):
    computing = {o.path for o in api.document.operations if o.method == "POST" and "calculations" in o.spec["tags"]}
    # /analyze computes what /design does, and then asks other services. /results/file reads its file as it streams, at
    # once or as a task, so that its length is bounded by bytes and not by bodies: results_file_test.py.
    streamed = {"/api/v1/analyze", "/api/v1/results/file", "/api/v1/results/file/tasks"}
    assert computing - streamed <= set(ORDINARY), computing - set(ORDINARY)
    assert {path for path, _ in LARGEST} | {"/api/v1/design"} == set(ORDINARY)


@pytest.mark.parametrize("path", ORDINARY)
def test_corners(api, path):
    draw, statuses = random.Random(path), []
    for body in ORDINARY[path]:
        assert hold(api, path, body) == 200, body
        statuses += [hold(api, path, corner) for corner in corners(api.document, path, body, draw)]
    assert statuses.count(200) >= len(ORDINARY[path]), "some extremes are computed"


@pytest.mark.parametrize("path, body", LARGEST, ids=[f"{path[8:]}-{i}" for i, (path, _) in enumerate(LARGEST)])
def test_largest(api, path, body):
    assert hold(api, path, body) in (200, 400, 429)


def test_longest_texts(api):
    """A report may repeat what it was given, which a body of 1 MiB bounds."""
    body = design(project={"project_description": "x" * 200000}, hypothesis={"change_description": "ß" * 50000},
                  constraints={"known_risks": "日" * 50000})
    assert DESIGN["project"] != body["project"] and hold(api, "/api/v1/design", body) == 200
