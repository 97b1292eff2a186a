"""How often the statistics of an experiment err on its own users: every count equals a recomputation here from the same
values in the same arms, also after the program was killed; a planted defect is found. On both engines."""

import os
import signal

import numpy
import pytest
from scipy import stats

from live_test import Experiment
from project_fixtures import expect, payload, unknown_id
from wait import wait_for

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

WORD = 2 ** 64 - 1
ALPHA, RUNS, USERS = .05, 400, 1200


def key_of(user):
    """The key of a user, by which the sample is taken and arms are drawn."""
    key = 0xcbf29ce484222325
    for byte in user.encode():
        key = (key ^ byte) * 0x100000001b3 & WORD
    key = (key ^ key >> 32) + 0x9e3779b97f4a7c15 & WORD
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9 & WORD
    key = (key ^ key >> 27) * 0x94d049bb133111eb & WORD
    return key ^ key >> 31


def plan(metric_type, split, looks=None, **more):
    """So many users at most, so that no plan ends before them."""
    base = {"binary": {"baseline_value": .3, "mde_pct": 10}, "continuous": {"baseline_value": 10, "mde_pct": 5, "std_dev": 3},
            "ratio": {"baseline_value": 2, "mde_pct": 5, "std_dev": 3, "numerator_metric_name": "revenue",
                      "denominator_metric_name": "visits"}}[metric_type]
    return payload("rates", metric_type, setup={"variants_count": len(split), "traffic_split": split},
                   constraints={"planned_looks": looks, "n_looks": 1}, metrics={
        "primary_metric_name": "goal", "metric_type": metric_type, "alpha": ALPHA, "power": .8, **base, **more})


class Past:
    """Users with the values of their metrics, as numpy arrays in the order of their keys; NaN = no event."""

    def __init__(self, store, sent, values, arms=2):
        count = len(next(iter(values.values())))
        self.experiment = Experiment(store.client, sent)
        names = [f"u{i}" for i in range(count)] if count != USERS else [f"посетитель-{i}" for i in range(count)]
        order = numpy.argsort(numpy.array([key_of(name) for name in names], dtype=numpy.uint64))
        self.values = {name: numpy.array(column)[order] for name, column in values.items()}
        self.send("exposures", [{"user_id": name, "variation_index": i % arms} for i, name in enumerate(names)])
        self.send("conversions", [{"user_id": user, "metric": name, "value": float(value)} for name, column in values.items()
                                  for user, value in zip(names, column) if not numpy.isnan(value)])

    def send(self, route, records):
        for at in range(0, len(records), 1000):
            expect(self.experiment.post(route, *records[at:at + 1000]))

    def order(self, **asked):
        answer = self.experiment.client.post(self.experiment.path("error-rates"), {"runs": RUNS, "seed": 7, **asked})
        assert answer.status == 202, answer.text
        return answer.json()

    def rates(self):
        return expect(self.experiment.client.get(self.experiment.path("error-rates")))

    def measured(self, **asked):
        assert self.order(**asked)["state"] in ("waiting", "running")

        def done():
            rates = self.rates()
            assert rates["state"] != "failed", rates
            return rates["measured"] if rates["state"] == "done" else None
        return wait_for(done, self.rates)

    def arms(self, run, split, count, seed=7):
        """The same assignments: Philox with the run as its stream."""
        words = numpy.random.Philox(key=numpy.array([seed, run], dtype=numpy.uint64)).random_raw(count)
        ends = numpy.cumsum(numpy.array(split) / sum(split))[:-1]
        return numpy.searchsorted(ends, (words >> numpy.uint64(11)).astype(float) * 2.0 ** -53, side="right")


def by_welch(one, other, level):
    parts = [values.var(ddof=1) / len(values) for values in (one, other)]
    freedom = sum(parts) ** 2 / sum(part ** 2 / (len(values) - 1) for part, values in zip(parts, (one, other)))
    effect, error = other.mean() - one.mean(), numpy.sqrt(sum(parts))
    half = stats.t.ppf((1 + level) / 2, freedom) * error
    return 2 * stats.t.sf(abs(effect) / error, freedom), effect - half, effect + half


def by_rates(one, other, level):
    """Pooled z-test; whether its interval holds 0 is the test again, by the score interval."""
    del level
    pooled = (one.sum() + other.sum()) / (len(one) + len(other))
    z = (other.mean() - one.mean()) / numpy.sqrt(pooled * (1 - pooled) * (1 / len(one) + 1 / len(other)))
    return 2 * stats.norm.sf(abs(z)), None, None


def by_ratio(one, other, level):
    """The delta method; values are pairs."""
    found = []
    for above, below in (one.T, other.T):
        ratio = above.mean() / below.mean()
        residual = above - ratio * below
        found.append((ratio, residual.var(ddof=1) / len(above) / below.mean() ** 2))
    effect, error = found[1][0] - found[0][0], numpy.sqrt(found[0][1] + found[1][1])
    z = stats.norm.ppf((1 + level) / 2)
    return 2 * stats.norm.sf(abs(effect) / error), effect - z * error, effect + z * error


def counts(past, test, values, split, runs=RUNS):
    """(wrong, covered or None) of a metric."""
    treatments, wrong, covered = len(split) - 1, 0, 0
    for run in range(runs):
        arms = past.arms(run, split, len(values))
        found = [test(values[arms == 0], values[arms == arm], 1 - ALPHA / treatments) for arm in range(1, treatments + 1)]
        wrong += any(p < ALPHA / treatments for p, _, _ in found)
        covered += all(low is None or low <= 0 <= high for _, low, high in found)
    return wrong, covered


def check(shown, wrong, covered):
    rate, cover = shown["false_positives"], shown["coverage"]
    assert (rate["runs"], rate["count"]) == (RUNS, wrong)
    exact = stats.binomtest(wrong, RUNS).proportion_ci(.99, "exact")
    assert [rate["rate"], rate["lower"], rate["upper"]] == pytest.approx([wrong / RUNS, *exact], abs=1e-6)
    if covered is not None:
        assert (cover["runs"], cover["count"]) == (RUNS, covered)


def test_every_count_is_that_of_the_same_arms(store):
    rng = numpy.random.default_rng(1)
    split = [2, 1, 1]
    past = Past(store, plan("continuous", split, secondary_metrics=["other"], guardrail_metrics=[
        {"name": "errors", "metric_type": "binary", "direction": "increase_is_bad", "baseline_rate": .2}]), {
            "goal": rng.normal(10, 3, USERS), "other": numpy.where(rng.random(USERS) < .4, rng.gamma(2, 3, USERS), numpy.nan),
            "errors": numpy.where(rng.random(USERS) < .2, 1, numpy.nan)}, arms=3)
    none = {"experiment_id": past.experiment.id, "state": "none", "runs": None, "runs_done": None, "failure": None,
            "requested_at": None, "measured": None}
    assert past.rates() == none
    measured = past.measured()
    assert measured["is_current"] and (measured["users"], measured["people"], measured["runs"]) == (USERS, USERS, RUNS)
    goal, errors, other = measured["metrics"]
    assert [m["role"] for m in measured["metrics"]] == ["goal", "guardrail", "secondary"]
    check(goal, *counts(past, by_welch, past.values["goal"], split))
    check(other, *counts(past, by_welch, numpy.nan_to_num(past.values["other"]), split))
    check(errors, counts(past, by_rates, numpy.nan_to_num(past.values["errors"]), split)[0], None)
    for metric in measured["metrics"]:
        assert metric["false_positives"]["expected"] == ALPHA and metric["false_positives"]["status"] == "as_expected"
        assert metric["coverage"]["status"] == "as_expected"
    assert measured["always_valid"]["rate"] < ALPHA and measured["ship"]["rate"] < ALPHA
    decision = expect(past.experiment.client.get(past.experiment.path("decision")))
    assert decision["error_rates"] == measured
    past.send("exposures", [{"user_id": "one more", "variation_index": 0}])
    assert not past.rates()["measured"]["is_current"]
    given_up = f"UPDATE error_rates SET state = 'running' WHERE experiment_id = '{past.experiment.id}'"
    store.database.run(given_up)
    assert (past.rates()["state"], past.rates()["failure"]) == ("failed", "the program died too often")
    expect(past.experiment.client.send("DELETE", past.experiment.path("events")))
    assert past.rates() == none
    assert expect(past.experiment.client.get(past.experiment.path("decision")))["error_rates"] is None


def test_ratios_and_a_sample(store):
    rng = numpy.random.default_rng(2)
    visits = rng.poisson(3, 3000) + 1.0
    past = Past(store, plan("ratio", [50, 50]), {"visits": visits, "revenue": visits * 2 + rng.normal(0, 1, 3000)})
    measured = past.measured(users=1000)
    assert (measured["users"], measured["people"]) == (1000, 3000)
    values = numpy.column_stack([past.values["revenue"], past.values["visits"]])[:1000]
    check(measured["metrics"][0], *counts(past, by_ratio, values, [1, 1]))
    assert measured["ship"]["status"] == "not_measured"  # a sample is always early in the plan of all


def test_a_planted_defect_is_found(store):
    """Few users with very large values, and a small arm: Welch's test is far from its promise there."""
    rng = numpy.random.default_rng(3)
    past = Past(store, plan("continuous", [95, 5], {"information_fractions": [.01, 1]}), {"goal": rng.lognormal(0, 2.5, USERS)})
    assert expect(past.experiment.client.post(past.experiment.path("looks"), {}))["taken"]
    measured = past.measured()
    [goal] = measured["metrics"]
    assert measured["ship"]["status"] == "not_measured"  # verdicts come from the looks that were taken
    check(goal, *counts(past, by_welch, past.values["goal"], [95, 5]))
    assert goal["false_positives"]["status"] == "above" and goal["false_positives"]["lower"] > ALPHA
    assert goal["coverage"]["status"] == "below"


def test_a_killed_program_goes_on_where_it_was(store):
    rng = numpy.random.default_rng(4)
    past = Past(store, plan("binary", [1, 1]), {"goal": numpy.where(rng.random(USERS) < .3, 1, numpy.nan)})
    past.order(runs=4000)

    def moves(before):
        rates = past.rates()
        return rates["state"] in ("running", "done") and (rates["state"] == "done" or rates["runs_done"] > before)
    killed, before = 0, -1
    while killed < 2 and past.rates()["state"] != "done":
        wait_for(lambda: moves(before), past.rates)
        before = past.rates()["runs_done"]
        state = store.stack.directory / "run" / "experiments-tasks.state"
        kept = dict(line.split() for line in wait_for(state.read_text).splitlines())
        try:
            os.kill(int(kept["child"]), signal.SIGKILL)
            killed += 1
        except ProcessLookupError:
            continue
    rates = wait_for(lambda: past.rates()["measured"], past.rates)
    assert killed and rates["runs"] == 4000
    again = past.measured(runs=4000)
    assert {**again, "measured_at": None} == {**rates, "measured_at": None}


def test_what_cannot_be_ordered(store):
    past = Experiment(store.client, plan("binary", [1, 1]))
    for asked, status in (({"runs": 0}, 422), ({"users": 1}, 422), ({"seed": -1}, 422), ({"runs": 10 ** 9}, 400),
                          ({"users": 10 ** 9}, 400)):
        assert past.client.post(past.path("error-rates"), asked).status == status, asked
    for call in (past.client.get, lambda path: past.client.post(path, {})):
        assert call(f"/api/v1/experiments/{unknown_id()}/error-rates").status == 404
    assert past.client.post(past.path("error-rates"), {"runs": 20}).status == 202

    def done():
        return expect(past.client.get(past.path("error-rates")))["measured"]
    measured = wait_for(done)
    assert measured["users"] == 0 and measured["metrics"][0]["false_positives"]["status"] == "not_measured"
    adapts = Experiment(store.client, plan("binary", [1, 1]))
    expect(adapts.client.send("PUT", adapts.path("adaptive"), json={"floor": .1, "update_minutes": 60}))
    assert adapts.client.post(adapts.path("error-rates"), {"runs": 20}).status == 202
    failed = wait_for(lambda: (rates := expect(adapts.client.get(adapts.path("error-rates"))))["state"] == "failed" and rates)
    assert "adapts its shares" in failed["failure"] and failed["measured"] is None
