"""Fifty random experiments per engine, sent record by record in any order, against an independent
recomputation of every block from the raw records (tests/oracle/live_oracle.py)."""

import math
import random
import sys
from pathlib import Path

import pytest

from project_fixtures import create, expect, payload

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracle"))
from live_oracle import Oracle, Raw  # noqa: E402  (found by the line above)

pytest_plugins = ["store_fixtures"]

EXPERIMENTS = 50
START = 1_770_000_000_000_000  # microseconds
DAY = 24 * 3600 * 10**6
COMPARED = {"experiments": 0, "means": 0, "quantiles": 0}  # comparisons of robust metrics that had an answer
KEYS = {"pre-period": "pre_period_values"}


def design(rng):
    kind = rng.choice(["binary", "binary", "continuous", "continuous", "count", "ratio"])
    arms = rng.choice([2, 2, 3])
    metrics = {"primary_metric_name": "purchase", "metric_type": kind, "baseline_value": 0.3, "mde_pct": 10,
               "alpha": 0.05, "power": 0.8, "guardrail_metrics": [
                   {"name": "errors", "metric_type": "binary", "baseline_rate": 20,
                    "non_inferiority_margin_pct": rng.choice([None, 40])},
                   {"name": "latency", "metric_type": "continuous", "baseline_mean": 100, "std_dev": 10,
                    "direction": "decrease_is_bad", "non_inferiority_margin_pct": 1}]}
    metrics["robust_metrics"] = [
        {"name": "visits", "statistic": "capped_mean", "at": 40}, {"name": "purchase", "statistic": "capped_mean", "at": 2.5},
        {"name": "visits", "statistic": "winsorized_mean", "at": 90, "ignore_zeros": rng.random() < 0.5},
        {"name": "visits", "statistic": "quantile", "at": 50, "ignore_zeros": rng.random() < 0.5}]
    if kind in ("continuous", "ratio"):
        metrics["std_dev"] = 3.0
    if kind == "ratio":
        metrics.update(numerator_metric_name="purchase", denominator_metric_name="visits")
    return payload(f"live {rng.random()}", kind, metrics=metrics, setup={
        "variants_count": arms, "traffic_split": [1] * arms if rng.random() < 0.5 else [50, 30, 20][:arms]})


def moment(rng):
    return START + rng.randrange(40) * DAY + rng.randrange(10**6) * 1000


def record(rng, kind, users):
    user = rng.choice(users)
    if kind == "exposures":
        return {"user_id": user, "variation_index": rng.randrange(4), "occurred_at": moment(rng)}
    if kind == "conversions":
        metric = rng.choice(["purchase", "purchase", "visits", "visits", "errors", "latency"])
        size = rng.choice([1.0, 2.5, -3.0, rng.uniform(0, 50), 1e6 + rng.uniform(-9, 9)])
        made = {"user_id": user, "metric": metric, "value": size, "occurred_at": moment(rng)}
        if rng.random() < 0.3:
            made["idempotency_key"] = f"key {rng.randrange(200)}"
        return made
    if kind == "identities":
        return {"anonymous_id": user, "canonical_id": rng.choice(users)}
    if kind == "pre-period":
        return {"user_id": user, "value": rng.uniform(0, 40), "covariate_name": rng.choice(["visits before", "\u00e4lter"])}
    if kind == "strata":
        return {"user_id": user, "stratum": rng.choice("ABC")}
    return {"user_id": user}


def batches(rng, crowd):
    """A crowd is enough for quantiles."""
    users = [f"user {i}" for i in range(300 if crowd else rng.randrange(20, 140))]
    kinds = ["exposures"] * 3 + ["conversions"] * 5 + ["pre-period"] * 3 + [
        "identities", "strata", "holdout", "exclusions"]
    for _ in range(rng.randrange(25, 40)):
        kind = rng.choice(kinds)
        few = kind in ("identities", "exclusions", "holdout")
        yield kind, [record(rng, kind, users) for _ in range(rng.randrange(1, 4 if few else 400 if crowd else 60))]
    robot = rng.choice(users)
    yield "conversions", [{"user_id": robot, "metric": "visits", "value": 1, "occurred_at": START}] * 101


def send(store, project, kind, records):
    """The service is told milliseconds; the oracle has microseconds."""
    return expect(store.client.post(f"/api/v1/experiments/{project}/{kind}", {KEYS.get(kind, kind.replace("-", "_")): [
        {**r, "occurred_at": r["occurred_at"] // 1000} if "occurred_at" in r else r for r in records]}))


def close(ours, theirs, digits, where):
    """As printed: rounded, or six digits of what rounding would leave with fewer than three."""
    if theirs is None:
        assert ours is None, where
        return
    assert ours is not None, where
    coarse = max(1e-9 * abs(theirs), 0.5000001 * 10**-digits)
    fine = 0.5000001 * 10 ** (math.floor(math.log10(abs(theirs))) - 5) if theirs else 0
    limit = coarse if abs(theirs) >= 100 * 10**-digits else max(fine, 1e-9 * abs(theirs), 1e-15)
    assert abs(ours - theirs) <= max(limit, 1e-14), f"{where}: {ours} for {theirs}"


def compare_analysis(ours, theirs, digits, where):
    for name in ("observed_effect", "ci_lower", "ci_upper"):
        if name in theirs:
            close(ours[name], theirs[name], digits, f"{where}.{name}")
    close(ours["p_value"], theirs["p_value"], 6, f"{where}.p_value")
    if "test_statistic" in theirs:
        close(ours["test_statistic"], theirs["test_statistic"], 4, f"{where}.test_statistic")
        close(ours["observed_effect_relative"], theirs["observed_effect_relative"], 2, f"{where}.relative")


def compare_members(ours, theirs, names, digits, where):
    for name in names:
        if isinstance(theirs.get(name), float):
            close(ours[name], theirs[name], digits, f"{where}.{name}")
        elif name in theirs:
            assert ours[name] == theirs[name], f"{where}.{name}: {ours[name]} for {theirs[name]}"


def compare_quantiles(mine, other, where):
    """A value is in the right bin; an interval as wide as the values of its ranks, each in its bin."""
    if other["status"] == "insufficient_data":
        assert (mine["status"], mine["effect"]) == ("insufficient_data", None), where
        return
    blur = [max(abs(v) for v in side) / 128 + 1e-6 for side in other["quantiles"]]
    for name, (_, value, _), error in zip(("control_value", "treatment_value"), other["quantiles"], blur, strict=True):
        assert abs(mine[name] - value) <= error, f"{where}.{name}: {mine[name]} for {value}"
    if mine["status"] == "ok":
        half, theirs = (mine["ci_upper"] - mine["ci_lower"]) / 2, math.hypot(*((s[2] - s[0]) / 2 for s in other["quantiles"]))
        assert abs(half - theirs) <= 2 * math.hypot(*blur), f"{where}: {half} for {theirs}"


def compare_robust(metrics, theirs):
    counted = {"means": 0, "quantiles": 0}
    for metric, others in zip(metrics, theirs, strict=True):
        for mine, other in zip(metric["comparisons"], others, strict=True):
            where = f"{metric['unit']} of {metric['name']}"
            if metric["unit"] == "quantile":
                compare_quantiles(mine, other, where)
                counted["quantiles"] += mine["status"] == "ok"
                continue
            cap = metric["cap"]
            if cap is None:
                assert other["cap"] <= 0 and mine["status"] == "insufficient_data", where
                continue
            if other["exact"]:
                assert cap == other["cap"], where
            else:
                assert -1e-6 <= cap - other["cap"] <= abs(other["cap"]) / 64 + 1e-6, f"{where}: {cap} for {other['cap']}"
            expected = other["at_cap"](cap)
            assert mine["status"] == expected["status"], where
            if mine["status"] == "ok":
                compare_members(mine, {**expected, "effect": expected["observed_effect"]}, [
                    "control_value", "treatment_value", "effect", "ci_lower", "ci_upper", "p_value"], 6, where)
                counted["means"] += 1
    return counted


def compare(ours, theirs, kind):
    digits = 6 if kind == "ratio" else 4
    compare_members(ours, theirs, ["exposures_total", "conversions_total"], 0, "top")
    compare_members(ours["srm"], theirs["srm"], ["status", "observed_counts"], 0, "srm")
    if "chi_square" in theirs["srm"]:
        close(ours["srm"]["chi_square"], theirs["srm"]["chi_square"], 4, "chi_square")
        close(ours["srm"]["p_value"], theirs["srm"]["p_value"], 6, "srm.p_value")
    for mine, other in zip(ours["comparisons"], theirs["comparisons"], strict=True):
        assert mine["status"] == other["status"], other
        if mine["status"] != "ok":
            continue
        compare_analysis(mine["analysis"], other["analysis"], digits, "comparison")
        close(mine["probability_treatment_beats_control"], other["probability"], 3, "probability")
        compare_members(mine["always_valid"], other["always_valid"], [
            "status", "always_valid_p_value", "ci_sequence_lower", "ci_sequence_upper", "is_significant"], 6, "always")
    compare_members(ours["cuped"], theirs["cuped"], ["status", "covariate_users_total"], 0, "cuped")
    if "theta" in theirs["cuped"]:
        for mine, slope in zip(ours["cuped"]["covariates"], theirs["cuped"]["theta"], strict=True):
            close(mine["theta"], slope, 6, "theta")
        for mine, other in zip(ours["cuped"]["comparisons"], theirs["cuped"]["comparisons"], strict=True):
            if other["status"] == "ok":
                assert mine["status"] == "ok"
                compare_analysis(mine["analysis"], other["analysis"], 4, "cuped")
    compare_members(ours["stratified"], theirs["stratified"], [
        "status", "stratified_users_total", "num_strata"], 0, "stratified")
    for mine, other in zip(ours["stratified"]["comparisons"], theirs["stratified"].get("comparisons", []), strict=True):
        compare_members(mine, other, ["status", "effect", "standard_error", "test_statistic", "p_value", "num_strata"],
                        6, "stratified")
    for metric, others in zip(ours["guardrail"]["metrics"], theirs["guardrail"]["metrics"], strict=True):
        for mine, other in zip(metric["comparisons"], others["comparisons"], strict=True):
            compare_members(mine, other, ["status", "harm", "harm_lower_bound", "p_value"], 6, metric["name"])
    compare_members(ours["holdout"], theirs["holdout"], ["status", "holdout_users_total"], 0, "holdout")
    if theirs["holdout"].get("analysis"):
        compare_analysis(ours["holdout"]["analysis"], theirs["holdout"]["analysis"], digits, "holdout")
    compare_members(ours["event_timing"], theirs["event_timing"], theirs["event_timing"], 0, "timing")
    compare_members(ours["identity_resolution"], theirs["identity_resolution"], theirs["identity_resolution"], 0, "links")
    assert ours["exclusions"]["total_filtered"] == theirs["exclusions"]["total_filtered"]
    assert ours["population"]["fingerprint"] == theirs["population"]["fingerprint"]


@pytest.mark.parametrize("seed", range(EXPERIMENTS))
def test_every_block_from_the_raw_rows(store, seed):
    rng = random.Random(seed)
    sent = design(rng)
    project = create(store.client, sent)["id"]
    log, received = [], START
    for kind, records in batches(rng, seed % 10 == 7):
        counts = Raw(log + [(kind, r, received) for r in records]).counts[len(log):]
        answer = send(store, project, kind, records)
        assert answer == {"received": len(records), "recorded": counts.count("recorded"),
                          "deduplicated": counts.count("deduplicated")}
        log += [(kind, r, 10**16 if kind == "holdout" else received) for r in records]
    ours = expect(store.client.get(f"/api/v1/experiments/{project}/live-stats"))
    oracle, robust = Oracle(sent, log), len(sent["metrics"]["robust_metrics"])
    compare(ours, oracle.stats(), sent["metrics"]["metric_type"])
    for unit, count in compare_robust(ours["metrics"][-robust:], oracle.robust()).items():
        COMPARED[unit] += count
    COMPARED["experiments"] += 1
    raw = expect(store.client.get(f"/api/v1/experiments/{project}/ingestion"))
    assert raw["conversions_total"] == len(Raw(log).events)
    assert raw["exposures_total"] == len(Raw(log).exposures)


def test_robust_metrics_were_compared():
    """After all of them: what has no answer anywhere proves nothing."""
    if COMPARED["experiments"] >= EXPERIMENTS:
        assert COMPARED["means"] > EXPERIMENTS and COMPARED["quantiles"] > 3, COMPARED
