"""Whether running experiments change each other's effects: every figure against a regression of the users' own rows
(statsmodels, HC2), for means, rates and ratios, divided over buckets or not. On both engines."""

import random
import sys
from pathlib import Path

import numpy
import pytest
import statsmodels.api as sm
from scipy import stats

from live_buckets_test import divided
from live_test import Experiment
from project_fixtures import OPEN, expect, payload, unknown_id

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracle"))
from live_oracle import Population, Raw  # noqa: E402  (found by the line above)

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

START, USERS, HASH = 1_770_000_000, 2600, 1 << 64


def plan(metric_type, arms=2):
    metrics = {"primary_metric_name": "spent", "metric_type": metric_type, "baseline_value": 0.4, "mde_pct": 20, "alpha": 0.05,
               "power": 0.8}
    if metric_type != "binary":
        metrics.update(std_dev=2)
    if metric_type == "ratio":
        metrics.update(numerator_metric_name="spent", denominator_metric_name="orders")
    return payload("interactions", metric_type, metrics=metrics, setup={
        "variants_count": arms, "traffic_split": [100 // arms] * (arms - 1) + [100 - 100 // arms * (arms - 1)]})


class Sent:
    """An experiment and the log of what was sent to it, as the oracle reads it."""

    def __init__(self, experiment):
        self.experiment, self.log = experiment, []

    def send(self, kind, records):
        for at in range(0, len(records), 1000):
            expect(self.experiment.post(kind, *records[at:at + 1000]))
        self.log += [(kind, {**r, "occurred_at": r.get("occurred_at", START) * 10**6}, START * 10**6) for r in records]

    def population(self):
        return Population(Raw(self.log))


def exposures(users, arm):
    return [{"user_id": u, "variation_index": arm(u), "occurred_at": START} for u in users]


def name(i):
    return f"用户{i}" if i % 50 == 0 else f"u{i}"


class World:
    """The same users in two experiments, of which the first has a value that depends on both; a third is elsewhere."""

    def __init__(self, client, metric_type, arms=3, make=Experiment, make_other=Experiment):
        rng = random.Random(5)
        self.arm = {name(i): rng.randrange(arms) for i in range(USERS)}
        self.other_arm = {name(i): rng.randrange(2) for i in range(200, USERS + 200)}
        self.first, self.other = Sent(make(client, plan(metric_type, arms))), Sent(make_other(client, plan("binary")))
        self.third = Sent(Experiment(client, plan("binary")))
        self.first.send("exposures", exposures(self.arm, self.arm.get))
        self.other.send("exposures", exposures(self.other_arm, self.other_arm.get))
        self.third.send("exposures", exposures([f"z{i}" for i in range(4)], lambda u: 0))
        events = []
        for user, arm in self.arm.items():
            both = arm == 1 and self.other_arm.get(user) == 1
            if rng.random() < (0.8 if both else 0.5):
                events += [{"user_id": user, "metric": "spent", "value": round(rng.lognormvariate(1 if both else 0, 0.5), 3)}
                           for _ in range(rng.choice([1, 1, 2]))]
            events += [{"user_id": user, "metric": "orders", "value": rng.choice([1, 2])}]
        self.first.send("conversions", [{**e, "occurred_at": START + 60} for e in events])
        self.first.send("conversions", [{"user_id": name(7), "metric": "spent", "value": 1, "occurred_at": START}] * 101)
        self.first.send("exclusions", [{"user_id": name(9)}])
        self.other.send("exclusions", [{"user_id": name(300)}])
        self.first.send("identities", [{"anonymous_id": "device", "canonical_id": name(400)}])
        self.other.send("identities", [{"anonymous_id": name(401), "canonical_id": "person"}])
        self.first.send("exposures", exposures(["device"], lambda u: 2))

    def read(self, query=""):
        return expect(self.first.experiment.client.get(self.first.experiment.path("interactions") + query))

    def rows(self, keep=lambda user: True):
        """(arm, arm of the other experiment, value, denominator) of each user of both."""
        mine, others = self.first.population(), self.other.population()
        found = Raw(self.other.log)
        return [(arm, others.arm[found.person(user)], user, mine) for user, arm in mine.arm.items()
                if found.person(user) in others.arm and keep(user)]


def regression(rows, value, arms):
    """The product terms of a model with a mean for each combination, by ordinary least squares with HC2."""
    cells = [(i, j) for i in range(arms) for j in range(2)]
    x = numpy.array([[1.0, *(float(a == i) for i in range(1, arms)), float(b),
                      *(float(a == i and b == 1) for i in range(1, arms))] for a, b, *_ in rows])
    y = numpy.array([value(row) for row in rows])
    fit = sm.OLS(y, x).fit(cov_type="HC2")
    size = {c: sum(r[:2] == c for r in rows) for c in cells}
    spread = {c: numpy.var([v for r, v in zip(rows, y) if r[:2] == c], ddof=1) / size[c] for c in cells}
    shown = []
    for i in range(1, arms):
        four = [(0, 0), (0, 1), (i, 0), (i, 1)]
        df = sum(spread[c] for c in four) ** 2 / sum(spread[c] ** 2 / (size[c] - 1) for c in four)
        shown.append((fit.params[arms + i], fit.bse[arms + i], df, sum(size[c] for c in four), fit.params[i]))
    return shown


def holm(p_values):
    order, running, adjusted = sorted(range(len(p_values)), key=p_values.__getitem__), 0, [0] * len(p_values)
    for rank, i in enumerate(order):
        running = max(running, min(1, p_values[i] * (len(p_values) - rank)))
        adjusted[i] = running
    return adjusted


def check(pairs, expected, alpha=0.05):
    adjusted = holm([2 * stats.t.sf(abs(d / se), df) for d, se, df, *_ in expected])
    assert len(pairs) == len(expected)
    for pair, (difference, error, df, users, beside_control), p in zip(pairs, expected, adjusted):
        radius = stats.t.isf(alpha / len(pairs) / 2, df) * error
        assert pair["status"] == "ok" and pair["users"] == users
        assert [pair["effect_beside_control"], pair["difference"], pair["standard_error"]] == pytest.approx(
            [beside_control, difference, error], abs=2e-6)
        assert pair["degrees_of_freedom"] == pytest.approx(df, abs=0.02)
        assert [pair["ci_lower"], pair["ci_upper"]] == pytest.approx([difference - radius, difference + radius], abs=2e-6)
        assert pair["p_value_adjusted"] == pytest.approx(p, abs=2e-6)


def without_ids(shown):
    return {**shown, "experiment_id": None, "experiments": [{**e, "experiment_id": None} for e in shown["experiments"]]}


def test_means_and_the_same_over_buckets(store):
    world = World(store.client, "continuous")
    shown = world.read(f"?with={world.other.experiment.id}")
    rows = world.rows()
    population = world.first.population()
    check(shown["experiments"][0]["pairs"], regression(rows, lambda r: population.value(r[2], "spent"), 3))
    assert (shown["unit"], shown["rule"], shown["pairs"], shown["is_sample"]) == ("mean", "holm", 2, False)
    assert shown["users"] == shown["people"] == len(population.arm)
    assert shown["experiments"][0]["shared_users"] == len(rows)
    divided_world = World(store.client, "continuous", make=lambda c, p: divided(c, p, 4), make_other=lambda c, p: divided(c, p, 3))
    other = divided_world.read(f"?with={divided_world.other.experiment.id}")
    assert without_ids(other) == without_ids(shown)


def test_rates_beside_all_running_experiments(store):
    world = World(store.client, "binary", arms=2)
    expect(store.client.send("POST", world.third.experiment.path("outcome"), {"decision": "stop", "note": ""}))
    idle = Sent(Experiment(store.client, plan("binary")))
    idle.send("exposures", exposures([f"idle{i}" for i in range(3)], lambda u: 1))
    shown = world.read()
    found = {e["experiment_id"]: e for e in shown["experiments"]}
    assert world.third.experiment.id not in found, "somebody has decided it"
    assert found[idle.experiment.id]["status"] == "no_shared_users" and found[idle.experiment.id]["pairs"] == []
    population = world.first.population()
    expected = regression(world.rows(), lambda r: float(population.converted(r[2], "spent")), 2)
    pair = found[world.other.experiment.id]["pairs"][0]
    assert [pair["difference"], pair["standard_error"]] == pytest.approx(expected[0][:2], abs=2e-6)
    assert pair["p_value"] == pytest.approx(2 * stats.t.sf(abs(expected[0][0] / expected[0][1]), expected[0][2]), abs=2e-6)
    every = [p for e in shown["experiments"] for p in e["pairs"]]
    assert shown["pairs"] == len(every) and shown["confidence_level"] == pytest.approx(1 - 0.05 / len(every), abs=1e-6)
    assert [p["p_value_adjusted"] for p in every] == pytest.approx(holm([p["p_value"] for p in every]), abs=1e-5)
    assert pair["is_interaction"] and pair["p_value_adjusted"] <= pair["p_value_always_valid"] <= 0.05


def test_ratios_by_the_delta_method(store):
    world = World(store.client, "ratio", arms=2)
    pair = world.read(f"?with={world.other.experiment.id}")["experiments"][0]["pairs"][0]
    population, cells = world.first.population(), {}
    for a, b, user, _ in world.rows():
        cells.setdefault((a, b), []).append((population.value(user, "spent"), population.value(user, "orders")))
    ratio, variance = {}, 0
    for key, values in cells.items():
        top, bottom = numpy.array(values).T
        ratio[key] = top.sum() / bottom.sum()
        variance += numpy.var(top - ratio[key] * bottom, ddof=1) / len(values) / bottom.mean() ** 2
    assert pair["difference"] == pytest.approx(ratio[1, 1] - ratio[0, 1] - ratio[1, 0] + ratio[0, 0], abs=2e-6)
    assert pair["standard_error"] == pytest.approx(variance ** 0.5, abs=2e-6)


def test_what_cannot_be_compared(store):
    experiment = Experiment(store.client, plan("binary"))
    path = experiment.path("interactions")
    assert expect(store.client.get(path))["status"] == "no_users"
    expect(store.client.get(f"{path}?with={experiment.id}"), 400, "same_experiment")
    expect(store.client.get(f"{path}?with={unknown_id()}"), 404, "not_found")
    expect(store.client.get(f"/api/v1/experiments/{unknown_id()}/interactions"), 404, "not_found")
    other = Experiment(store.client, plan("binary"))
    experiment.send("exposures", *exposures(["a", "b", "c"], lambda u: 0))
    other.send("exposures", *exposures(["a", "b"], lambda u: 1))
    shown = expect(store.client.get(f"{path}?with={other.id}"))["experiments"][0]
    assert shown["shared_users"] == 2 and shown["shared_share"] == pytest.approx(2 / 3, abs=1e-6)
    assert [p["status"] for p in shown["pairs"]] == ["too_few_users"] and not shown["pairs"][0]["is_interaction"]


def key_of(user):
    """SplitMix64's finalizer of FNV-1a, folded once."""
    value = 0xcbf29ce484222325
    for byte in user.encode():
        value = (value ^ byte) * 0x100000001b3 % HASH
    value = (value ^ value >> 32) + 0x9e3779b97f4a7c15 & HASH - 1
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 % HASH
    value = (value ^ value >> 27) * 0x94d049bb133111eb % HASH
    return value ^ value >> 31


def test_of_a_large_experiment_a_sample(stores, engine):
    store = stores.get(engine, {**OPEN, "AB_INTERACTION_USERS": "1200"})
    world = World(store.client, "continuous")
    shown = world.read(f"?with={world.other.experiment.id}")
    population, share = world.first.population(), 600 / shown["people"]
    kept = {u for u in population.arm if key_of(u) <= int(share * HASH)}
    assert shown["is_sample"] and shown["users"] == len(kept)
    check(shown["experiments"][0]["pairs"], regression(world.rows(kept.__contains__), lambda r: population.value(r[2], "spent"), 3))
    assert all(p["p_value_always_valid"] is None for p in shown["experiments"][0]["pairs"])
