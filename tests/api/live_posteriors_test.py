"""Posteriors of running experiments: they are those of /results/bayes of the same sums, and priors come from the other
experiments with the same metric."""

import pytest

from live_test import Experiment, fill, metrics
from project_fixtures import expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]


def make(store, arms, metric="purchase", **more):
    experiment = Experiment(store.client, payload("live", "binary", metrics=metrics(primary_metric_name=metric, **more), setup={
        "variants_count": len(arms), "traffic_split": [1] * len(arms)}))
    fill(experiment, arms)
    return experiment


def posteriors(experiment, query=""):
    return expect(experiment.client.get(experiment.path("posteriors") + query))


def test_they_are_those_of_the_sums(store):
    arms = [(600, 60), (600, 80), (500, 40)]
    experiment = make(store, arms)
    answer = posteriors(experiment, "?looks=4&credibility=0.9")
    same = expect(store.client.post("/api/v1/results/bayes", {
        "metric_type": "binary", "arms": [{"n": n, "converted": c} for n, c in arms], "credibility": .9, "looks": 4,
        "loss_threshold": .001, "worthwhile_effect": .02}))
    assert answer == same and answer["best_arm"] == 1 and answer["prior"]["source"] == "default"


def test_the_prior_is_that_of_the_other_experiments(store):
    metric = "purchase"
    before = [make(store, [(1000, c), (10, 5)], metric) for c in (90, 120, 60)]
    other = make(store, [(1000, 900), (10, 5)], "something else")
    experiment = make(store, [(100, 12), (100, 9)], metric)
    prior = posteriors(experiment, "?past=true")["prior"]
    assert prior["source"] == "past" and prior["experiments"] >= len(before)
    assert .05 < prior["a"] / prior["n"] < .15
    assert posteriors(other, "?past=true")["prior"]["source"] == "default"


def test_what_has_none(store):
    ratio = Experiment(store.client, payload("live", "ratio"))
    assert ratio.client.get(ratio.path("posteriors")).status == 400
    means = Experiment(store.client, payload("live", "continuous"))
    assert means.client.get(means.path("posteriors")).status == 400
    assert posteriors(make(store, [(0, 0), (0, 0)]))["arms"][0]["probability_best"] == pytest.approx(.5)
    assert store.client.get(f"/api/v1/experiments/{unknown_id()}/posteriors").status == 404


def test_live_statistics_have_them_by_the_settings_of_the_design(store):
    arms, prior = [(600, 60), (600, 80), (500, 40)], {"a": 21, "b": 181}
    experiment = make(store, arms, bayes={"prior": prior, "credibility": .9, "loss_threshold": .002})
    block = experiment.stats()["bayes"]
    same = expect(store.client.post("/api/v1/results/bayes", {
        "metric_type": "binary", "arms": [{"n": n, "converted": c} for n, c in arms], "credibility": .9, "prior": prior,
        "loss_threshold": .002, "worthwhile_effect": .02}))
    assert block == {"status": "ok", "analysis": same} and same["prior"]["source"] == "given"
    assert same["stopping"]["runs"] >= 10_000 and same["stopping"]["measured"][0]["effect"] == 0
    assert posteriors(experiment, "?credibility=0.9") == same
    assert "bayes" not in make(store, arms).stats()
    without = make(store, arms, bayes={}).stats()["bayes"]["analysis"]
    assert without["prior"]["source"] == "default" and without["stopping"]["loss_threshold"] == .001


def test_a_prior_that_does_not_fit_is_refused(store):
    for prior in ({"a": 1}, {"mean": 1, "n": 2, "std": 1, "degrees": 3}, {"a": 1, "b": .1}):
        answer = store.client.post("/api/v1/projects", payload("live", "binary", metrics=metrics(bayes={"prior": prior})))
        assert answer.status == 422, prior
