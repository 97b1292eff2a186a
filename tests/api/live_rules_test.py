"""Metrics with a window and caps of their own: every figure from the raw records, for buckets, for designs that change,
and for links that move a person's exposure. On both engines."""

import random
import statistics

import pytest

from live_test import Experiment
from project_fixtures import create, expect, payload, put
from wait import wait_for

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

START, DAY = 1_770_000_000, 86400
RULES = {  # window in days after the exposure (0 = any), None = the experiment's, which is all; lower and upper cap
    "purchase": (2, None, None), "revenue": (None, -3, 12.5), "visits": (0, None, 4), "refund": (None, None, None)}


def rule(name):
    days, lower, upper = RULES[name]
    made = {"name": name, "lower_cap": lower, "upper_cap": upper}
    if days is not None:
        made["conversion_window"] = "after_exposure"
        made["conversion_window_days"] = days or None
    return made


def plan(rules, metric_type="continuous"):
    return payload("rules", metric_type, metrics={
        "primary_metric_name": "purchase", "metric_type": metric_type, "baseline_value": 3, "mde_pct": 20, "std_dev": 4,
        "alpha": 0.05, "power": 0.8, "secondary_metrics": ["revenue", "visits", "refund"], "metric_rules": rules,
        **({"numerator_metric_name": "revenue", "denominator_metric_name": "visits"} if metric_type == "ratio" else {})})


def records(rng):
    """(kind, records): few people, so that links join those with events on both sides of windows."""
    people = [f"p{i}" for i in range(60)]
    for _ in range(4):
        yield "exposures", [{"user_id": rng.choice(people), "variation_index": rng.randrange(2),
                             "occurred_at": START + rng.randrange(6) * DAY} for _ in range(30)]
        yield "conversions", [{"user_id": rng.choice(people), "metric": rng.choice(list(RULES)), "value": rng.choice(
            [1, 2.5, -2, 7, rng.randrange(40) / 4]), "occurred_at": START + rng.randrange(10 * DAY)} for _ in range(150)]
        yield "identities", [{"anonymous_id": rng.choice(people), "canonical_id": rng.choice(people)} for _ in range(6)]


class Oracle:
    """The value of everybody, from the definition."""

    def __init__(self, log):
        self.exposures, self.links, self.events = {}, {}, []
        for sequence, (kind, record) in enumerate(log):
            if kind == "exposures":
                self.exposures.setdefault(record["user_id"], (record["occurred_at"], sequence, record["variation_index"]))
            elif kind == "conversions":
                self.events.append(record)
            else:
                alias, canonical = record["anonymous_id"], record["canonical_id"]
                if alias != canonical and canonical not in self.links and alias not in self.links.values():
                    self.links.setdefault(alias, canonical)
        self.first = {}
        for user, row in self.exposures.items():
            person = self.links.get(user, user)
            self.first[person] = min(row, self.first.get(person, row))

    def values(self, arm, metric, ruled):
        days, lower, upper = RULES[metric] if ruled else (None, None, None)
        sums = {person: 0 for person, row in self.first.items() if row[2] == arm}
        for event in self.events:
            person = self.links.get(event["user_id"], event["user_id"])
            if event["metric"] != metric or person not in sums:
                continue
            passed = event["occurred_at"] - self.first[person][0]
            if days is None or (passed >= 0 and (days == 0 or passed <= days * DAY)):
                sums[person] += event["value"]
        low, high = -1e300 if lower is None else lower, 1e300 if upper is None else upper
        return [min(max(v, low), high) for v in sums.values()]


def ends_at_live_stats(experiment, shown):
    def current():  # one that is out of date stays for a moment
        course = expect(experiment.client.get(experiment.path("course")))
        return course if course["is_current"] else None
    last = wait_for(current)["days"][-1]["comparisons"][0]
    assert last["effect"] == pytest.approx(shown["comparisons"][0]["analysis"]["observed_effect"], abs=2e-4)


def compare(experiment, oracle, ruled):
    shown = experiment.stats()
    for metric in shown["metrics"]:
        mine = metric["comparisons"][0]
        for arm, name in enumerate(("control_value", "treatment_value")):
            assert mine[name] == pytest.approx(statistics.fmean(oracle.values(arm, metric["name"], ruled)), abs=1e-6), \
                (metric["name"], name, ruled)
    arm = shown["comparisons"][0]["treatment"]
    assert arm["std"] == pytest.approx(statistics.stdev(oracle.values(1, "purchase", ruled)), abs=1e-6)
    ends_at_live_stats(experiment, shown)
    return shown


def send(experiment, seed):
    log = []
    for kind, sent in records(random.Random(seed)):
        expect(experiment.post(kind, *sent))
        log += [(kind, record) for record in sent]
    return log


@pytest.mark.parametrize("buckets", [1, 4])
def test_every_value_from_the_raw_records(store, buckets):
    experiment = Experiment(store.client, plan([rule(name) for name in RULES]))
    if buckets > 1:
        expect(store.client.send("PUT", experiment.path("buckets"), {"buckets": buckets}))
    oracle = Oracle(send(experiment, 7))
    shown = compare(experiment, oracle, True)
    assert (shown["event_timing"]["conversion_window"], shown["event_timing"]["conversion_window_days"]) == ("after_exposure", 2.0)
    assert any(v == 4 for v in oracle.values(0, "visits", True)) and any(v == 12.5 for v in oracle.values(0, "revenue", True))
    done = store.program("live-rebuild", "--verify", experiment.id)
    assert done.returncode == 0 and "differences=0" in done.stdout, done.stdout + done.stderr
    expect(put(store.client, {"id": experiment.id}, plan([])))
    compare(experiment, oracle, False)
    expect(put(store.client, {"id": experiment.id}, plan([rule("visits"), rule("purchase"), rule("revenue")])))
    compare(experiment, oracle, True)
    done = store.program("live-rebuild", "--verify", experiment.id)
    assert done.returncode == 0 and "differences=0" in done.stdout, done.stdout + done.stderr


def test_caps_of_a_ratio_and_its_course(store):
    experiment = Experiment(store.client, plan([rule("revenue"), rule("visits")], "ratio"))
    oracle = Oracle(send(experiment, 8))
    arms = [[oracle.values(arm, name, True) for name in ("revenue", "visits")] for arm in (0, 1)]
    ratios = [sum(y) / sum(x) for y, x in arms]
    shown = experiment.stats()
    for side, ratio in zip(("control", "treatment"), ratios):
        assert shown["comparisons"][0][side]["ratio"] == pytest.approx(ratio, abs=1e-6)
    ends_at_live_stats(experiment, shown)


def test_a_rule_of_a_metric_that_the_design_does_not_use(store):
    design = plan([{"name": "clicks", "upper_cap": 2}])
    design["metrics"]["numerator_metric_name"] = "clicks"  # of no ratio
    experiment = Experiment(store.client, design)
    expect(experiment.post("exposures", *({"user_id": f"p{i}", "variation_index": i % 2} for i in range(20))))
    expect(experiment.post("conversions", *({"user_id": f"p{i}", "metric": "clicks", "value": 3} for i in range(20))))
    assert experiment.arm(0)["exposed_users"] == 10


def test_designs_with_wrong_rules(store):
    for rules, where in (
            ([{"name": "unknown"}], ["body", "metrics"]),
            ([{"name": "visits"}, {"name": "visits", "upper_cap": 3}], ["body", "metrics"]),
            ([{"name": "visits", "conversion_window_days": 3}], ["body", "metrics", "metric_rules", 0]),
            ([{"name": "visits", "lower_cap": 1}], ["body", "metrics", "metric_rules", 0, "lower_cap"]),
            ([{"name": "visits", "upper_cap": 0}], ["body", "metrics", "metric_rules", 0, "upper_cap"]),
            ([{"name": "visits", "conversion_window": "never"}], ["body", "metrics", "metric_rules", 0, "conversion_window"])):
        answer = store.client.post("/api/v1/projects", plan(rules))
        assert answer.status == 422 and answer.json()["detail"][0]["loc"] == where, answer.text
    plain = create(store.client, plan([]))
    assert "metric_rules" not in expect(store.client.get(f"/api/v1/projects/{plain['id']}"))["payload"]["metrics"]
