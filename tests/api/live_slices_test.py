"""Results by the dimensions that a design names: which values have places, every figure from the raw records, and the
same for buckets and lines. ASSAY_TEST_SOAK=1 compares a million events."""

import json
import math
import os
import random
import sys
from pathlib import Path

import pytest

from live_test import Experiment, design
from project_fixtures import create, expect, payload, unknown_id

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracle"))
from slices_oracle import Slices  # noqa: E402  (found by the line above)

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

START = 1_770_000_000
PROGRAM_SECONDS = 1800  # for a million events on a busy machine
EVENTS = 1_000_000 if os.environ.get("ASSAY_TEST_SOAK") else 6_000


def sliced(metric_type="binary", **dimensions):
    metrics = {"primary_metric_name": "purchase", "metric_type": metric_type, "baseline_value": 0.3, "mde_pct": 50,
               "alpha": 0.05, "power": 0.8, "secondary_metrics": ["revenue", "visits"], "guardrail_metrics": [
                   {"name": "errors", "metric_type": "binary", "baseline_rate": 20}]}
    if metric_type == "continuous":
        metrics.update(std_dev=2, baseline_value=3)
    return payload("slices", metric_type, metrics=metrics, setup={
        "variants_count": 2, "traffic_split": [50, 50], "dimensions": [
            {"name": name, **({"values": rule} if isinstance(rule, list) else {"values_max": rule})}
            for name, rule in dimensions.items()]})


def sent(name, value):
    return {"name": name, "value": value}


def expose(experiment, user, *dimensions, arm=0):
    experiment.send("exposures", {"user_id": user, "variation_index": arm, "dimensions": [sent(*d) for d in dimensions]})


def slices(experiment):
    return expect(experiment.client.get(experiment.path("slices")))


def people(shown):
    return {(s["dimension"], s["value"]): s["people"] for s in shown["slices"]}


def test_what_has_no_place_is_other(store):
    experiment = Experiment(store.client, sliced(platform=["ios", "web"], country=2))
    for i, (platform, country) in enumerate([("ios", "de"), ("web", "法国"), ("tv", "fr"), ("radio", "fr"), ("other", "de")]):
        expose(experiment, f"u{i}", ("platform", platform), ("country", country), ("plan", "paid"))
    expose(experiment, "u0", ("platform", "web"), ("country", "new"))  # known already: takes no place
    shown = slices(experiment)
    assert people(shown) == {("platform", "ios"): 1, ("platform", "web"): 1, ("platform", "other"): 3,
                             ("country", "de"): 2, ("country", "法国"): 1, ("country", "other"): 2}
    assert [(d["name"], d["places"], d["values"], d["status"]) for d in shown["dimensions"]] == [
        ("platform", 3, 3, "available"), ("country", 3, 3, "available")]
    assert shown["hypotheses"] == 6 * 4 and shown["discoveries"] == 0 and shown["false_discovery_rate"] == 0.05
    assert {e["status"] for s in shown["slices"] for e in s["effects"]} == {"too_few_users"}
    assert [m["unit"] for m in shown["metrics"]] == ["rate", "rate", "mean", "mean"]


def test_without_a_design_for_them_names_are_bounded(store):
    experiment = Experiment(store.client)
    experiment.send("exposures", *({"user_id": f"u{i}", "variation_index": i % 2, "dimensions": [
        sent("page", f"p{i}"), *(sent(f"d{(8 * i + k) % 40}", "x") for k in range(7))]} for i in range(90)))
    shown = expect(experiment.client.get(experiment.path("live-stats") + "?dimension=page"))["drill_down"]
    assert shown["status"] == "available" and len(shown["slices"]) == 51
    assert {s["value"]: s["people"] for s in shown["slices"]}["other"] == 40
    kept = store.database.rows("SELECT dimension, count(*) AS n FROM live_slices WHERE dimension <> '' AND experiment ="
                               f" (SELECT experiment FROM live_experiments WHERE experiment_id = '{experiment.id}')"
                               " GROUP BY dimension")
    assert len(kept) == 8
    assert slices(experiment)["status"] == "no_dimensions"


def test_designs_with_wrong_dimensions(store):
    for dimensions, where in (
            ([{"name": "a"}, {"name": "a"}], ["body", "setup"]),
            ([{"name": ""}], ["body", "setup", "dimensions", 0, "name"]),
            ([{"name": "a", "values": ["x", "x"]}], ["body", "setup", "dimensions", 0]),
            ([{"name": "a", "values": ["other"]}], ["body", "setup", "dimensions", 0]),
            ([{"name": "a", "values_max": 51}], ["body", "setup", "dimensions", 0, "values_max"]),
            ([{"name": f"d{i}"} for i in range(9)], ["body", "setup", "dimensions"])):
        broken = sliced(platform=3)
        broken["setup"]["dimensions"] = dimensions
        answer = store.client.post("/api/v1/projects", broken)
        assert answer.status == 422 and answer.json()["detail"][0]["loc"] == where, answer.text
    plain = create(store.client, design())
    assert "dimensions" not in expect(store.client.get(f"/api/v1/projects/{plain['id']}"))["payload"]["setup"]
    expect(store.client.get(f"/api/v1/experiments/{unknown_id()}/slices"), 404, "not_found")


def events(rng, users):
    """Exposures with dimensions, events of four metrics, some links and exclusions; the effect is among "ios"."""
    for _ in range(max(EVENTS // 1000, 6)):
        exposures = []
        for _ in range(250):
            user = rng.randrange(users)
            exposures.append({"user_id": f"u{user}", "variation_index": user % 2, "occurred_at": START + rng.randrange(9),
                              "dimensions": [sent("platform", ["ios", "web", "tv"][user // 2 % 3]),
                                             sent("country", rng.choice("abcde")), sent("unknown", "x")]})
        yield "exposures", exposures
        conversions = []
        for _ in range(740):
            user, metric = rng.randrange(users), rng.choice(["purchase", "revenue", "visits", "errors"])
            if metric == "purchase" and (user % 2 == 0 or user // 2 % 3) and rng.random() < 0.7:
                continue
            better = metric == "purchase" and user % 2 and user // 2 % 3 == 0
            conversions.append({"user_id": f"u{user}", "metric": metric,
                                "value": round(rng.lognormvariate(1.5 if better else 0, 0.7), 3),
                                "occurred_at": START + 10 + rng.randrange(9)})
        yield "conversions", conversions
        yield "identities", [{"anonymous_id": f"u{rng.randrange(users)}", "canonical_id": f"u{rng.randrange(users)}"}]
        yield "exclusions", [{"user_id": f"u{rng.randrange(users)}"}]


def close(ours, theirs, where, digits=6):
    if theirs is None:
        assert ours is None, where
        return
    assert ours is not None and abs(ours - theirs) <= max(10**-digits, 2e-5 * abs(theirs)), f"{where}: {ours} for {theirs}"


def compare(shown, oracle):
    rows = oracle.judged()
    effects = {((s["dimension"], s["value"]), e["metric"], e["treatment_index"]): e
               for s in shown["slices"] for e in s["effects"]}
    assert set(effects) == {(place, metric, t) for place, metric, t, _ in rows}
    assert shown["hypotheses"] == oracle.hypotheses()
    for place, metric, t, row in rows:
        mine, where = effects[place, metric, t], (place, metric, t)
        assert mine["status"] == row["status"], where
        for name in ("control_value", "treatment_value", "effect"):
            close(mine[name], row.get(name), (where, name))
        for name, prefix, found in (("e_value", "ci", "is_discovered"), ("difference_e_value", "difference", "differs")):
            if name not in row:
                assert mine[name] is None and not mine[found]
                continue
            judged = row[name]
            assert math.log(mine[name]) == pytest.approx(min(judged["log"], 690), rel=1e-5, abs=1e-4), (where, name)
            assert mine[found] == judged["found"], (where, name)
            for end in ("lower", "upper"):
                close(mine[f"{prefix}_{end}"], judged[end], (where, name, end), 5)
    return shown["discoveries"], shown["differences"]


@pytest.mark.parametrize("way,metric_type", [("whole", "binary"), ("divided", "continuous"), ("lines", "continuous")])
def test_every_figure_from_the_raw_records(store, way, metric_type):
    plan = sliced(metric_type, platform=["ios", "web"], country=3)
    experiment = Experiment(store.client, plan)
    if way == "divided":
        expect(store.client.send("PUT", experiment.path("buckets"), {"buckets": 4}))
    rng, log = random.Random(11), []
    for kind, records in events(rng, max(EVENTS // 8, 900)):
        if way == "lines":
            expect(store.client.post(experiment.path(kind + "/lines"), data="\n".join(map(json.dumps, records)).encode(),
                                     headers={"Content-Type": "application/x-ndjson"}))
        else:
            expect(experiment.post(kind, *records))
        log += [(kind, {**r, "occurred_at": r["occurred_at"] * 10**6} if "occurred_at" in r else r, 0) for r in records]
    shown = slices(experiment)
    found, differences = compare(shown, Slices(plan, log))
    assert found > 0 and differences > 0, "nothing found proves little"
    done = store.program("live-rebuild", "--verify", experiment.id, seconds=PROGRAM_SECONDS)
    assert done.returncode == 0 and "differences=0" in done.stdout, done.stdout + done.stderr
    done = store.program("live-rebuild", experiment.id, seconds=PROGRAM_SECONDS)
    assert done.returncode == 0
    again = slices(experiment)
    assert again["discoveries"] == shown["discoveries"] and people(again) == people(shown)
    known = store.client.get(experiment.path("slices"))
    assert store.client.get(experiment.path("slices"), headers={"If-None-Match": known.headers["ETag"]}).status == 304
