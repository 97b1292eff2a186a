"""Experiments whose clusters take turns: the schedule, and live figures that are those of /results/switchback of the raw
records. On both engines."""

import random
from datetime import datetime, timezone
from urllib.parse import urlencode

import pytest

from live_clusters_test import METRICS, close, verify
from live_test import Experiment
from project_fixtures import OPEN, expect, payload, put

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

START, MINUTE = 1_770_000_000, 60
PERIOD, PERIODS, WASHOUT = 30, 24, 4.5
CITIES = ["Київ", "Oslo", "北京"]


@pytest.fixture(scope="module")
def store(stores, engine):
    return stores.get(engine, {**OPEN, "AB_LIVE_CLUSTERS_MAX": PERIODS * 5})


def moment(at):
    return datetime.fromtimestamp(at, timezone.utc).isoformat().replace("+00:00", "Z")


def seconds(text):
    return datetime.fromisoformat(text).timestamp()


def plan(kind, **turns):
    return payload("switchback", METRICS[kind]["metric_type"], setup={"clusters": {"unit": "city", "switchback": {
        "starts_at": moment(START), "period_minutes": PERIOD, "periods": PERIODS, "washout_minutes": WASHOUT, **turns}}},
        metrics={**METRICS[kind], "mde_pct": 20, "alpha": .05, "power": .8})


def schedule(experiment, city, **query):
    answer = expect(experiment.client.get(experiment.path("switchback") + "?" + urlencode({"cluster": city, **query})))
    return answer["turns"]


def records(experiment, seed):
    """Trips: users who come once, each in a slot; the levels of slots follow each other."""
    rng = random.Random(seed)
    exposures, conversions = [], []
    for city in CITIES:
        level = 0
        for turn in schedule(experiment, city):
            level = .7 * level + rng.gauss(0, 1)
            for n in range(rng.randrange(0, 14)):
                user = f"{city}{turn['period']}-{n}"
                at = round(START + turn["period"] * PERIOD * MINUTE + rng.random() * PERIOD * MINUTE, 3)
                exposures.append({"user_id": user, "variation_index": turn["variation_index"], "cluster": city, "occurred_at": at})
                for metric, mean in (("revenue", 6), ("visits", 3)):
                    if rng.random() < .8:
                        conversions.append({"user_id": user, "metric": metric, "occurred_at": at + rng.randrange(9),
                                            "value": round(abs(mean + level + turn["variation_index"] + rng.random()), 2)})
    rng.shuffle(exposures)
    return exposures, conversions


def send(experiment, seed):
    exposures, conversions = records(experiment, seed)
    for route, sent in (("exposures", exposures), ("conversions", conversions)):
        for i in range(0, len(sent), 1000):
            expect(experiment.post(route, *sent[i:i + 1000]))
    return exposures, conversions


def request_of(sent, kind, **more):
    exposures, conversions = sent
    sums = {}
    for event in conversions:
        key = event["user_id"], event["metric"]
        sums[key] = sums.get(key, 0) + event["value"]
    value = [sums.get((e["user_id"], "revenue"), 0) for e in exposures]
    made = {"metric_type": kind, "slot_length": PERIOD, "washout": WASHOUT, "alpha": .05,
            "times": [(e["occurred_at"] - START) / MINUTE for e in exposures], "arms": [e["variation_index"] for e in exposures],
            "units": [e["cluster"] for e in exposures], "sums": [float(v != 0) for v in value] if kind == "binary" else value, **more}
    if kind == "ratio":
        made["denominators"] = [sums.get((e["user_id"], "visits"), 0) for e in exposures]
    return made


@pytest.mark.parametrize("kind, by, buckets", [("mean", "slot", 1), ("binary", "slot", 4), ("ratio", "slot", 1), ("mean", "unit", 1)])
def test_live_figures_are_those_of_the_rows(store, kind, by, buckets):
    experiment = Experiment(store.client, plan(kind, cluster_by=by))
    if buckets > 1:
        expect(store.client.send("PUT", experiment.path("buckets"), {"buckets": buckets}))
    sent = send(experiment, 11)
    wanted = expect(store.client.post("/api/v1/results/switchback", request_of(sent, kind, cluster_by=by)))
    shown = experiment.stats()
    told, analysis = shown["clusters"], shown["comparisons"][0]["analysis"]
    for name in ("observed_effect", "p_value", "ci_lower", "ci_upper"):
        close(analysis[name], wanted["result"][name], 2e-4)
    evidence = told["tests"][0]["evidence"]
    for name in ("standard_error", "degrees_of_freedom"):
        close(evidence[name], wanted["clusters"][name], 1e-4)
    for side in ("control", "treatment"):
        assert evidence[side]["clusters"] == wanted["clusters"][side]["clusters"]
    carried = told["switchback"]["carry_over"][0]["effect"]
    for name in ("effect", "standard_error", "degrees_of_freedom", "p_value"):
        close(carried[name], wanted["carry_over"][name], 1e-4)
    assert told["switchback"]["users_washed_out"] == wanted["rows_washed_out"] > 0
    assert told["users"] == wanted["rows_used"] and told["users_without_cluster"] == 0
    assert told["switchback"]["users_off_schedule"] == told["switchback"]["users_outside"] == 0
    assert told["clusters_of_two_arms"] == 0 and seconds(told["switchback"]["starts_at"]) == START
    verify(store, experiment)


def test_a_plan_that_changes(store):
    """Another washout and other periods: the same records count in other places."""
    experiment = Experiment(store.client, plan("mean"))
    sent = send(experiment, 12)
    first = experiment.stats()["clusters"]
    expect(put(store.client, {"id": experiment.id}, plan("mean", washout_minutes=0, periods=20)))
    shown = experiment.stats()["clusters"]
    late = sum(e["occurred_at"] >= START + 20 * PERIOD * MINUTE for e in sent[0])
    assert shown["switchback"]["users_outside"] == late > 0 and shown["switchback"]["users_washed_out"] == 0
    assert shown["users"] == len(sent[0]) - late != first["users"]
    verify(store, experiment)


def test_what_is_not_as_planned_is_told(store):
    experiment = Experiment(store.client, plan("mean"))
    turn = schedule(experiment, "Oslo", limit=1)[0]
    other, at = 1 - turn["variation_index"], START + 10 * MINUTE
    expect(experiment.post("exposures", *(
        {"user_id": user, "variation_index": arm, "cluster": "Oslo", "occurred_at": when} for user, arm, when in (
            ("a", turn["variation_index"], at), ("b", other, at), ("c", 0, START - 1), ("d", 0, START + MINUTE)))))
    told = experiment.stats()["clusters"]
    assert (told["users"], told["clusters"], told["clusters_of_two_arms"]) == (2, 1, 1)
    assert [told["switchback"][name] for name in ("users_off_schedule", "users_outside", "users_washed_out")] == [1, 1, 1]
    before = told["users_without_cluster"]
    expect(experiment.post("exposures", *({"user_id": f"x{n}", "variation_index": 0, "cluster": f"x{n}", "occurred_at": at}
                                          for n in range(5))))
    told = experiment.stats()["clusters"]
    assert (told["clusters"], told["users_without_cluster"]) == (5, before + 1), "five clusters of 24 periods have cells"


def test_arms_that_alternate_have_the_same_number_of_turns(store):
    """Whatever the split says: as many slots in either arm are no false ratio."""
    sent = plan("mean", assignment="alternating", washout_minutes=0)
    sent["setup"]["traffic_split"] = [90, 10]
    experiment = Experiment(store.client, sent)
    expect(experiment.post("exposures", *(
        {"user_id": f"{city}{turn['period']}", "variation_index": turn["variation_index"], "cluster": city,
         "occurred_at": START + (turn["period"] + .5) * PERIOD * MINUTE} for city in CITIES for turn in schedule(experiment, city))))
    srm = experiment.stats()["srm"]
    assert (srm["status"], srm["observed_counts"], srm["expected_counts"]) == ("ok", [36, 36], [36, 36])


def test_the_schedule(store):
    experiment = Experiment(store.client, plan("mean"))
    turns = schedule(experiment, "Oslo")
    assert turns == schedule(experiment, "Oslo") and [t["period"] for t in turns] == list(range(PERIODS))
    assert [schedule(experiment, "Oslo", first=3, limit=2)] == [turns[3:5]]
    assert turns[1]["starts_at"] == turns[0]["ends_at"] and seconds(turns[1]["starts_at"]) == START + PERIOD * MINUTE
    assert seconds(turns[0]["counts_from"]) == START + WASHOUT * MINUTE
    arms = [t["variation_index"] for city in range(40) for t in schedule(experiment, f"city {city}")]
    assert set(arms) == {0, 1} and abs(sum(arms) / len(arms) - .5) < .08, "960 tosses: five standard errors"
    assert len({tuple(t["variation_index"] for t in schedule(experiment, f"city {n}")) for n in range(10)}) == 10
    expect(put(store.client, {"id": experiment.id}, plan("mean", assignment="alternating")))
    arms = [t["variation_index"] for t in schedule(experiment, "Oslo")]
    assert all(one != other for one, other in zip(arms, arms[1:]))
    assert {schedule(experiment, f"city {n}", limit=1)[0]["variation_index"] for n in range(20)} == {0, 1}


def test_wrong_plans_and_questions(store):
    for turns, where in (({"washout_minutes": 30}, []), ({"periods": 1}, ["periods"]), ({"periods": 10001}, ["periods"]),
                         ({"period_minutes": 0}, ["period_minutes"]), ({"starts_at": "soon"}, ["starts_at"]),
                         ({"cluster_by": "day"}, ["cluster_by"]), ({"assignment": "mine"}, ["assignment"])):
        answer = store.client.post("/api/v1/projects", plan("mean", **turns))
        assert answer.status == 422, (turns, answer.text)
        assert answer.json()["detail"][0]["loc"] == ["body", "setup", "clusters", "switchback", *where], answer.text
    plain = Experiment(store.client)
    answer = store.client.get(plain.path("switchback") + "?cluster=Oslo")
    assert (answer.status, answer.json()["error_code"]) == (400, "no_switchback")
    assert store.client.get(plain.path("switchback") + "?cluster=").status == 422
