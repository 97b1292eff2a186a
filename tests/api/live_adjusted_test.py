"""The block `adjusted` of live statistics: every kind of metric, recomputed from the events by regressions of statsmodels;
users without every covariate count with the means of the others and an indicator. On both engines in `make soak`."""

import math

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm
from statsmodels.stats.multitest import multipletests

from live_test import Experiment, experiment, metrics
from project_fixtures import PROJECTS, expect, payload

pytest_plugins = ["store_fixtures"]
__all__ = ["experiment"]  # a fixture

DESIGNS = {
    "binary": {},
    "continuous": {"metric_type": "continuous", "baseline_value": 10.0, "std_dev": 3.0},
    "count": {"metric_type": "count", "baseline_value": 2.0, "exposure_per_user": 1.0},
    "ratio": {"metric_type": "ratio", "baseline_value": .5, "std_dev": 1.0, "numerator_metric_name": "revenue",
              "denominator_metric_name": "orders"},
}
USERS = 240


class Users:
    """Two covariates, which a part of the users lacks, and outcomes that depend on them."""

    def __init__(self, kind, seed):
        rng = np.random.default_rng(seed)
        self.kind, self.arm = kind, np.arange(USERS) % 2
        self.x = np.round(rng.normal(5, 2, (USERS, 2)), 3)
        self.known = rng.random((USERS, 2)) < .85
        size = np.maximum(0, self.x @ [1.0, .5] + rng.normal(0, 1, USERS) + self.arm)
        self.orders = rng.poisson(2, USERS) + 1.0
        self.value = np.round(size * (rng.random(USERS) < .8), 3)
        if kind == "count":
            self.value = np.floor(self.value)

    def send(self, experiment):
        ids = [f"u{i}" for i in range(USERS)]
        experiment.send("exposures", *[{"user_id": u, "variation_index": int(a), "occurred_at": 0}
                                       for u, a in zip(ids, self.arm)])
        metric = "revenue" if self.kind == "ratio" else "purchase"
        experiment.send("conversions", *[{"user_id": u, "metric": metric, "value": float(v)}
                                         for u, v in zip(ids, self.value) if v])
        if self.kind == "ratio":
            experiment.send("conversions", *[{"user_id": u, "metric": "orders", "value": float(v)}
                                             for u, v in zip(ids, self.orders)])
        for i, name in enumerate(["spend", "访问"]):
            experiment.send("pre-period", *[{"user_id": u, "value": float(x), "covariate_name": name}
                                            for u, x, known in zip(ids, self.x[:, i], self.known[:, i]) if known])

    def outcome(self, a):
        rows = self.arm == a
        if self.kind == "binary":
            return 100.0 * (self.value[rows] > 0)
        if self.kind == "ratio":
            y, d = self.value[rows], self.orders[rows]
            return y.sum() / d.sum() + (y - y.sum() / d.sum() * d) / d.mean()
        return self.value[rows]

    def expected(self):
        """Effect, error and degrees of freedom of two separate regressions, read at the common means."""
        complete = self.known.all(axis=1)
        filled = np.where(complete[:, None], self.x, self.x[complete].mean(axis=0))
        columns = np.column_stack([filled, ~complete])
        columns = columns - columns.mean(axis=0)
        readings = []
        for a in (0, 1):
            fit = sm.OLS(self.outcome(a), sm.add_constant(columns[self.arm == a], has_constant="add")).fit()
            readings.append((fit.params[0], fit.get_prediction([[1, 0, 0, 0]]).se_mean[0]))
        (control, one), (treatment, other) = readings
        error, free = math.hypot(one, other), USERS / 2 - 4
        return treatment - control, error, error ** 4 / (one ** 4 / free + other ** 4 / free)


SECONDARY = ["pages", "停留", "never seen"]


class ManyMetrics(Users):
    """Secondary metrics beside it: counts of most users, and sums of two batches of few users with long tails."""

    def __init__(self, kind, seed):
        super().__init__(kind, seed)
        rng = np.random.default_rng(seed + 100)
        pages = rng.poisson(np.maximum(0, self.x[:, 0]) + self.arm)
        stays = np.round(np.exp(rng.normal(self.x[:, 1] / 2, 1)) * (rng.random(USERS) < .4), 4)
        self.further = {"pages": pages.astype(float), "停留": stays}

    def send(self, experiment):
        super().send(experiment)
        for metric, values in self.further.items():
            for batch in range(2):
                experiment.send("conversions", *[{"user_id": f"u{i}", "metric": metric, "value": float(v) / 2}
                                                 for i, v in enumerate(values) if v])

    def of(self, metric):
        """As users of a mean, for expected()."""
        users = Users("continuous", 0)
        users.__dict__.update({**self.__dict__, "kind": "continuous", "value": self.further[metric]})
        return users


def check_secondary(block, users, level):
    """Effect, error and interval of each metric, and Holm over both."""
    assert [item["metric"] for item in block["secondary"]] == SECONDARY
    assert [item["status"] for item in block["secondary"]] == ["available"] * 2 + ["insufficient_data"]
    p_values = []
    for item in block["secondary"][:2]:
        [comparison] = item["analysis"]["comparisons"]
        effect, error, df = users.of(item["metric"]).expected()
        found = comparison["adjusted"]
        assert [found["effect"], found["standard_error"], found["degrees_of_freedom"]] == pytest.approx(
            [effect, error, df], rel=1e-8), item["metric"]
        half = error * scipy.stats.t(df).isf(level / 2)
        assert [found["ci_lower"], found["ci_upper"]] == pytest.approx([effect - half, effect + half], rel=1e-8)
        p_values.append(2 * scipy.stats.t(df).sf(abs(effect / error)))
        assert item["analysis"]["users"] == USERS
    expected = multipletests(p_values, level, "holm")
    claims = [item["claims"][0] for item in block["secondary"][:2]]
    assert [claim["p_value_adjusted"] for claim in claims] == pytest.approx(list(expected[1]), abs=1e-6)
    assert [claim["is_significant"] for claim in claims] == list(expected[0])
    assert block["secondary"][2]["analysis"] is None and block["secondary"][2]["claims"] == []


@pytest.mark.parametrize("kind", ["binary", "ratio"])
@pytest.mark.parametrize("buckets", [1, 4])
def test_secondary_metrics_are_adjusted_too(store, kind, buckets):
    """Whatever the design's own metric is; and what is stored equals a new pass over all users."""
    design = payload("live", "binary", metrics=metrics(**DESIGNS[kind], secondary_metrics=SECONDARY))
    experiment, users = Experiment(store.client, design), ManyMetrics(kind, 11)
    if buckets > 1:
        expect(store.client.send("PUT", experiment.path("buckets"), {"buckets": buckets}))
    users.send(experiment)
    block = experiment.stats()["adjusted"]
    check_secondary(block, users, 0.05)
    verified(store, experiment)
    assert block["status"] == "available"
    assert block["analysis"]["comparisons"][0]["adjusted"]["effect"] == pytest.approx(users.expected()[0], rel=1e-9)


def test_a_metric_becomes_a_secondary_one_after_its_events(store):
    """And what is kept follows a user who leaves and comes back, to the digit of a new pass over all users."""
    design = payload("live", "binary", metrics=metrics(**DESIGNS["binary"]))
    experiment, users = Experiment(store.client, design), ManyMetrics("binary", 12)
    users.send(experiment)
    assert experiment.stats()["adjusted"]["secondary"] == []
    wanted = payload("live", "binary", metrics=metrics(**DESIGNS["binary"], secondary_metrics=SECONDARY))
    expect(store.client.send("PUT", f"{PROJECTS}/{experiment.id}", wanted))
    check_secondary(experiment.stats()["adjusted"], users, 0.05)
    experiment.send("exclusions", {"user_id": "u3"})
    assert [item["analysis"]["users"] for item in experiment.stats()["adjusted"]["secondary"][:2]] == [USERS - 1] * 2
    verified(store, experiment)


def verified(store, experiment):
    done = store.program("live-rebuild", "--verify", experiment.id)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_secondary_metric_beyond_all_sums_is_not_adjusted(store):
    design = payload("live", "binary", metrics=metrics(**DESIGNS["continuous"], secondary_metrics=SECONDARY))
    experiment, users = Experiment(store.client, design), ManyMetrics("continuous", 13)
    users.send(experiment)
    experiment.send("conversions", {"user_id": "u0", "metric": "停留", "value": 1e300})
    block = experiment.stats()["adjusted"]
    assert [item["status"] for item in block["secondary"]] == ["available"] + ["insufficient_data"] * 2
    assert block["status"] == "available"


@pytest.mark.parametrize("kind", DESIGNS)
def test_equal_to_regressions_of_the_users(store, kind):
    experiment, users = Experiment(store.client, payload("live", "binary", metrics=metrics(**DESIGNS[kind]))), Users(kind, 5)
    users.send(experiment)
    shown = experiment.stats()
    block = shown["adjusted"]
    assert block["status"] == "available", block
    analysis = block["analysis"]
    effect, error, df = users.expected()
    found = analysis["comparisons"][0]["adjusted"]
    assert analysis["users"] == USERS and analysis["variance"] == "arm" and found["degrees_of_freedom"] == pytest.approx(df)
    assert found["effect"] == pytest.approx(effect, rel=1e-9)
    assert found["standard_error"] == pytest.approx(error, rel=1e-9)
    half = error * scipy.stats.t(df).isf(analysis["comparison_alpha"] / 2)
    assert [found["ci_lower"], found["ci_upper"]] == pytest.approx([effect - half, effect + half], rel=1e-9)
    assert {c["name"] for c in analysis["covariates"]} == {"spend", "访问"}
    assert {c["missing"] for c in analysis["covariates"]} == {int((~users.known.all(axis=1)).sum())}
    assert shown["cuped"]["status"] == ("available" if kind == "continuous" else "not_applicable")


def test_values_that_cover_too_few_users_adjust_nothing(store):
    """They covered all users that there were when they were chosen."""
    experiment = Experiment(store.client, payload("live", "binary", metrics=metrics(**DESIGNS["binary"])))
    experiment.send("exposures", *[{"user_id": f"u{i}", "variation_index": i % 2} for i in range(200)])
    experiment.send("pre-period", *[{"user_id": f"u{i}", "value": i % 7} for i in range(200)])
    assert experiment.stats()["adjusted"]["status"] == "available"
    for batch in range(8):
        experiment.send("exposures", *[{"user_id": f"v{batch}-{i}", "variation_index": i % 2} for i in range(900)])
    assert experiment.stats()["adjusted"]["status"] == "unavailable"
    quality = experiment.client.get(experiment.path("quality"))
    assert quality.status == 200, quality


def test_a_tiny_arm_is_left_out_alone(store):
    """Two users of a third arm say nothing, and take nothing from the others."""
    design = payload("live", "binary", metrics=metrics(**DESIGNS["continuous"]),
                     setup={"variants_count": 3, "traffic_split": [1, 1, 1]})
    experiment, users = Experiment(store.client, design), Users("continuous", 7)
    users.send(experiment)
    experiment.send("exposures", *[{"user_id": f"tiny{i}", "variation_index": 2, "occurred_at": 0} for i in range(2)])
    analysis = experiment.stats()["adjusted"]["analysis"]
    found = [comparison["status"] for comparison in analysis["comparisons"]]
    assert found == ["ok", "insufficient_data"] and analysis["users"] == USERS
    assert analysis["comparisons"][0]["adjusted"]["effect"] == pytest.approx(users.expected()[0], rel=1e-9)
    assert {c["use"] for c in analysis["covariates"]} == {"used"}


def test_another_design_is_adjusted_by_its_own_metric(store):
    """The design changes after the events came: the aggregates follow, whichever kind comes first."""
    experiment, users = Experiment(store.client, payload("live", "binary", metrics=metrics())), Users("binary", 6)
    users.send(experiment)
    first = experiment.stats()["adjusted"]["analysis"]
    for kind in ("continuous", "binary"):
        path = f"{PROJECTS}/{experiment.id}"
        expect(store.client.send("PUT", path, payload("live", "binary", metrics=metrics(**DESIGNS[kind]))))
        users.kind = kind
        shown = experiment.stats()["adjusted"]["analysis"]["comparisons"][0]["adjusted"]
        assert shown["effect"] == pytest.approx(users.expected()[0], rel=1e-9)
    assert experiment.stats()["adjusted"]["analysis"] == first


def test_without_covariates_it_is_unavailable(experiment):
    experiment.expose("u", 0, 0)
    block = experiment.stats()["adjusted"]
    assert block == {"status": "unavailable", "metric": "purchase", "analysis": None, "secondary": []}
