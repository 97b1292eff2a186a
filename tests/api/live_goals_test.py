"""Several goals of a running experiment: what the decision says, and that its figures are those of the raw records."""

import math
import random
import statistics

import pytest

from live_test import Experiment, metrics
from project_fixtures import expect, payload

pytest_plugins = ["store_fixtures"]

USERS, START, HOUR = 1200, 1_770_000_000, 3600
FURTHER = [{"name": "returned", "metric_type": "binary"},
           {"name": "revenue", "metric_type": "continuous", "worthwhile_effect": .5}]


def make(store, arms=2, **goals):
    return Experiment(store.client, payload("live", "binary", metrics=metrics(goals={"further": FURTHER, **goals}), setup={
        "variants_count": arms, "traffic_split": [1] * arms}))


def lay(experiment, chances, seed):
    """chances: of each arm the shares with a purchase and with a return, and the mean of the revenue. Returns the values."""
    rng, values = random.Random(seed), []
    for arm, (purchase, returned, revenue) in enumerate(chances):
        rows = [{"purchase": float(rng.random() < purchase), "returned": float(rng.random() < returned),
                 "revenue": round(rng.gauss(revenue, 2), 2)} for _ in range(USERS)]
        for first in range(0, USERS, 300):
            names = [f"u{arm}-{i}" for i in range(first, first + 300)]
            experiment.send("exposures", *[{"user_id": name, "variation_index": arm, "occurred_at": START} for name in names])
            events = [{"user_id": name, "metric": metric, "value": value, "occurred_at": START + HOUR}
                      for name, row in zip(names, rows[first:]) for metric, value in row.items() if value]
            for start in range(0, len(events), 1000):
                experiment.send("conversions", *events[start:start + 1000])
        values.append(rows)
    return values


def always_valid(values, goal, effect, alpha):
    """Of the mixture sequential test: difference, p-value and interval."""
    arms = [[row[goal] for row in rows] for rows in values]
    rate = goal != "revenue"
    variances = [statistics.fmean(a) * (1 - statistics.fmean(a)) / len(a) if rate else statistics.variance(a) / len(a) for a in arms]
    variance, difference = sum(variances), statistics.fmean(arms[1]) - statistics.fmean(arms[0])
    mixture = (effect or 0) ** 2
    if not effect:  # narrow at 5000 users of each arm
        size = -2 * math.log(alpha)
        mixture = (size + math.log(size) + 1) / 10000 * sum(map(len, arms)) * variance
    ratio = math.sqrt(variance / (variance + mixture)) * math.exp(
        difference ** 2 * mixture / (2 * variance * (variance + mixture)))
    half = math.sqrt(variance * (variance + mixture) / mixture * (2 * math.log(1 / alpha) + math.log((variance + mixture) / variance)))
    return difference, min(1, 1 / ratio), difference - half, difference + half


def holm(p_values):
    """Adjusted, by the closed test: the largest Bonferroni p-value of all sets of the k largest others and itself."""
    return [max(min(1, (k + 1) * min([p, *others[len(others) - k:]])) for k in range(len(others) + 1))
            for i, p in enumerate(p_values) for others in [sorted(p_values[:i] + p_values[i + 1:])]]


def goals_of(experiment):
    return expect(experiment.client.get(experiment.path("live-stats")))["goals"]


def decision(experiment, language="en"):
    return expect(experiment.client.get(experiment.path("decision"), headers={"Accept-Language": language}))


def test_any_goal_by_holm(store):
    experiment = make(store, arms=3)
    values = lay(experiment, [(.1, .3, 5), (.1, .3, 6.5), (.1, .12, 5)], 1)
    answer = goals_of(experiment)
    assert (answer["requires"], answer["correction"], answer["reading"], answer["status"]) == ("any", "holm", "always_valid", "ok")
    assert answer["ci_level"] == pytest.approx(1 - .05 / 6, abs=1e-6)
    better, worse = [], []
    for goal, effect in zip(answer["goals"], (.02, None, .5)):
        for shown, rows in zip(goal["comparisons"], values[1:]):
            expected = always_valid([values[0], rows], goal["name"], effect, .05 / 6)
            for name, value in zip(("effect", "p_value", "ci_lower", "ci_upper"), expected):
                assert shown[name] == pytest.approx(value, abs=2e-6), (goal["name"], name)
            better.append(expected[1] if expected[0] > 0 else 1)
            worse.append(expected[1] if expected[0] < 0 else 1)
    shown = [comparison for goal in answer["goals"] for comparison in goal["comparisons"]]
    for family, sign in ((better, 1), (worse, -1)):
        adjusted = holm(family)
        for comparison, value in zip(shown, adjusted):
            if comparison["effect"] * sign > 0:
                assert comparison["p_value_adjusted"] == pytest.approx(value, abs=2e-6)
    assert [(t["is_met"], t["is_worse"], t["worthwhile"]) for t in answer["treatments"]] == [
        (True, False, "met"), (False, True, "unavailable")]
    decided = decision(experiment)
    assert (decided["verdict"], decided["headline"], decided["policy"]["version"]) == ("ship", "ship", "practical_goals_v1")
    assert [(r["code"], r["params"]["arm"], r["params"]["metric"]) for r in decided["reasons"]] == [
        ("goal_proven", 1, "revenue"), ("goal_worse", 2, "returned")]
    assert [arm["arm"] for arm in decided["evidence"]["winning_arms"]] == [1] and decided["what_would_change"] == []
    texts = {decision(experiment, language)["reasons"][0]["text"] for language in ("en", "de", "fr", "es", "ru", "zh", "ar")}
    assert len(texts) == 7 and all("revenue" in text and "{{" not in text for text in texts)
    metrics_shown = {m["name"]: m for m in expect(experiment.client.get(experiment.path("live-stats")))["metrics"]}
    assert [metrics_shown[name]["role"] for name in ("purchase", "returned", "revenue")] == ["goal"] * 3
    assert metrics_shown["revenue"]["comparisons"][0]["is_significant"] is True
    refused = experiment.client.get(experiment.path("certificate"))
    assert refused.status == 400


def test_order_all_and_the_planned_end(store):
    """The same events under each rule: the first goal has no effect, the others do."""
    arms = [(.1, .3, 5), (.1, .45, 6.5)]
    rules = {"in order": {"correction": "in_order"}, "all": {"requires": "all"}, "end": {"reading": "planned_end"}}
    made = {name: make(store, **rule) for name, rule in rules.items()}
    for experiment in made.values():
        lay(experiment, arms, 2)
    for name in ("in order", "all"):
        answer = goals_of(made[name])
        assert answer["treatments"][0]["is_met"] is False and answer["goals"][2]["comparisons"][0]["is_proven"] is False, name
        assert answer["goals"][2]["comparisons"][0]["p_value"] < 1e-6
        decided = decision(made[name])
        assert (decided["verdict"], [r["code"] for r in decided["reasons"]]) == (
            "keep_running", ["goals_not_proven", "info_fraction_incomplete"])
    before = goals_of(made["end"])
    assert before["status"] == "before_planned_end"
    assert all(c["p_value"] is None and c["ci_lower"] is None for goal in before["goals"] for c in goal["comparisons"])
    assert decision(made["end"])["verdict"] == "keep_running"


def test_a_goal_alone_does_not_ship_where_another_gets_worse(store):
    experiment = make(store)
    lay(experiment, [(.1, .4, 5), (.1, .2, 7)], 3)
    decided = decision(experiment)
    assert (decided["verdict"], decided["headline"]) == ("no_ship", "worse")
    assert [(r["code"], r["params"]["metric"]) for r in decided["reasons"]] == [("goal_worse", "returned"), ("goal_proven", "revenue")]


@pytest.mark.parametrize("goals, text", [
    ({"further": [FURTHER[0], FURTHER[0]]}, "name of their own"),
    ({"further": [{**FURTHER[0], "name": "purchase"}]}, "no other role"),
    ({"further": []}, None), ({"further": [{**FURTHER[0], "metric_type": "ratio"}]}, None),
    ({"further": [{**FURTHER[0], "worthwhile_effect": 0}]}, None), ({"further": FURTHER, "requires": "most"}, None)])
def test_goals_that_are_refused(store, goals, text):
    answer = store.client.post("/api/v1/projects", payload("live", "binary", metrics=metrics(goals=goals)))
    assert answer.status == 422 and (text is None or text in answer.text)


def test_without_goals_nothing_is_shown(store):
    experiment = Experiment(store.client, payload("live", "binary", metrics=metrics()))
    assert "goals" not in expect(experiment.client.get(experiment.path("live-stats")))
    assert decision(experiment)["policy"]["version"] == "practical_v1"
