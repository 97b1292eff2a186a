"""Experiments whose users were assigned by clusters: live figures are those of /results/cluster of the raw records, which
are clubSandwich's (results_clusters_test.py); for buckets, links, and designs that change. On both engines."""

import random

import pytest

from live_test import Experiment
from project_fixtures import OPEN, expect, payload, put

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

START, HOUR = 1_770_000_000, 3600
NAMES = [f"shop {n}" for n in range(20)] + ["магазин", "商店", "متجر", "ร้าน"]
LIMIT = 40
METRICS = {
    "mean": {"metric_type": "continuous", "primary_metric_name": "revenue", "baseline_value": 3, "std_dev": 4},
    "binary": {"metric_type": "binary", "primary_metric_name": "revenue", "baseline_value": .3},
    "ratio": {"metric_type": "ratio", "primary_metric_name": "revenue per visit", "baseline_value": 1, "std_dev": 2,
              "numerator_metric_name": "revenue", "denominator_metric_name": "visits"},
}


@pytest.fixture(scope="module")
def store(stores, engine):
    return stores.get(engine, {**OPEN, "AB_LIVE_CLUSTERS_MAX": LIMIT})


def plan(kind, clustered=True, **metrics):
    setup = {"clusters": {"unit": "shop"}} if clustered else {}
    guardrail = {"name": "refunds", "metric_type": "binary", "baseline_rate": 10, "direction": "increase_is_bad",
                 "non_inferiority_margin_pct": 50}
    return payload("clusters", METRICS[kind]["metric_type"], setup=setup, metrics={
        **METRICS[kind], "mde_pct": 20, "alpha": .05, "power": .8, "secondary_metrics": ["visits"],
        "guardrail_metrics": [guardrail], **metrics})


def records(seed):
    """People in clusters of very different sizes, whose values resemble each other; some have two ids, some are sent in a
    second cluster, some in none."""
    rng = random.Random(seed)
    level = {name: rng.gauss(0, 1) for name in NAMES}
    people = [(f"u{n}", NAMES[int(len(NAMES) * rng.random() ** 2)]) for n in range(300)]
    for part in range(3):
        sent = []
        for user, cluster in rng.sample(people, 150):
            arm = NAMES.index(cluster) % 2
            record = {"user_id": user, "variation_index": arm, "occurred_at": START + rng.randrange(HOUR)}
            if rng.random() > .05:
                record["cluster"] = NAMES[(NAMES.index(cluster) + 2) % len(NAMES)] if rng.random() < .1 else cluster
            sent.append(record)
        yield "exposures", sent
        yield "conversions", [{"user_id": user, "metric": rng.choice(["revenue", "visits", "refunds"]),
                               "value": round(5 + level[cluster] + rng.random(), 2), "occurred_at": START + rng.randrange(2 * HOUR)}
                              for user, cluster in rng.choices(people, k=300)]
        yield "identities", [{"anonymous_id": rng.choice(people)[0], "canonical_id": rng.choice(people)[0]} for _ in range(8)]


class Oracle:
    """Rows of people, from the records as they were sent."""

    def __init__(self, log):
        exposures, links, self.events, seen = {}, {}, {}, {}
        for sequence, (kind, record) in enumerate(log):
            if kind == "exposures":
                row = (record["occurred_at"], sequence, record["variation_index"])
                exposures.setdefault(record["user_id"], row)
                seen.setdefault(record["user_id"], []).extend([record["cluster"]] if record.get("cluster") else [])
            elif kind == "identities":
                alias, canonical = record["anonymous_id"], record["canonical_id"]
                if alias != canonical and canonical not in links and alias not in links.values():
                    links.setdefault(alias, canonical)
        self.first, self.seen = {}, {}
        for user, row in exposures.items():
            person, own = links.get(user, user), seen[user]
            row += (own[0] if own else None,)
            self.first[person] = min(row, self.first.get(person, row))
            self.seen.setdefault(person, set()).update(own)
        for kind, record in log:
            if kind == "conversions":
                person = links.get(record["user_id"], record["user_id"])
                self.events.setdefault((person, record["metric"]), []).append(record["value"])

    def request(self, kind, metric, alpha=.05):
        arms = []
        for arm in (0, 1):
            rows = [(person, row[3]) for person, row in self.first.items() if row[2] == arm and row[3]]
            values = [self.events.get((person, metric), []) for person, _ in rows]
            made = {"clusters": [cluster for _, cluster in rows],
                    "sums": [float(len(v) > 0) if kind == "binary" else sum(v) for v in values]}
            if kind == "ratio":
                made["denominators"] = [sum(self.events.get((person, "visits"), [])) for person, _ in rows]
            arms.append(made)
        return {"metric_type": kind, "control_arm": arms[0], "treatment_arm": arms[1], "alpha": alpha}

    def without(self):
        return sum(row[3] is None for row in self.first.values())

    def of_two(self):
        return sum(bool(row[3]) and bool(self.seen[person] - {row[3]}) for person, row in self.first.items())


def send(experiment, seed):
    log = []
    for kind, sent in records(seed):
        expect(experiment.post(kind, *sent))
        log += [(kind, record) for record in sent]
    return Oracle(log)


def close(one, other, places=1e-5):
    """Sums are added in another order."""
    assert one == pytest.approx(other, rel=1e-6, abs=places)


def agree(store, experiment, oracle, kind):
    shown = experiment.stats()
    wanted = expect(store.client.post("/api/v1/results/cluster", oracle.request(kind, "revenue")))
    analysis = shown["comparisons"][0]["analysis"]
    for name in ("observed_effect", "p_value", "ci_lower", "ci_upper"):
        close(analysis[name], wanted["result"][name], 2e-4)
    assert analysis["conventions"]["standard_error"] == "cr2" and shown["comparisons"][0]["status"] == "ok"
    tests = {test["metric"]: test for test in shown["clusters"]["tests"]}
    kinds = {METRICS[kind]["primary_metric_name"]: (kind, "revenue"), "visits": ("mean", "visits"), "refunds": ("binary", "refunds")}
    for name, (sort, metric) in kinds.items():
        there = expect(store.client.post("/api/v1/results/cluster", oracle.request(sort, metric)))["clusters"]
        evidence = tests[name]["evidence"]
        assert tests[name]["status"] == "ok"
        for field in ("standard_error", "degrees_of_freedom", "icc", "design_effect"):
            if there[field] is None:
                assert evidence[field] is None
            else:
                close(evidence[field], there[field], 1e-4)
        for side in ("control", "treatment"):
            assert evidence[side]["clusters"] == there[side]["clusters"]
    told = shown["clusters"]
    assert told["unit"] == "shop" and told["users_without_cluster"] == oracle.without()
    assert told["users_of_two_clusters"] == oracle.of_two() > 0
    assert sum(arm["users"] for arm in told["arms"]) == told["users"] == shown["exposures_total"] - oracle.without()
    assert shown["srm"]["observed_counts"] == [arm["clusters"] for arm in told["arms"]]
    return shown


def verify(store, experiment):
    done = store.program("live-rebuild", "--verify", experiment.id)
    assert done.returncode == 0 and "differences=0" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("kind, buckets", [("mean", 1), ("binary", 4), ("ratio", 1), ("ratio", 4)])
def test_live_figures_are_those_of_the_rows(store, kind, buckets):
    experiment = Experiment(store.client, plan(kind))
    if buckets > 1:
        expect(store.client.send("PUT", experiment.path("buckets"), {"buckets": buckets}))
    oracle = send(experiment, 3)
    agree(store, experiment, oracle, kind)
    verify(store, experiment)
    done = store.program("live-rebuild", experiment.id)
    assert done.returncode == 0, done.stderr
    agree(store, experiment, oracle, kind)


def test_a_design_that_gets_clusters_later(store):
    experiment = Experiment(store.client, plan("mean", clustered=False))
    oracle = send(experiment, 4)
    alone = experiment.stats()
    assert "clusters" not in alone and alone["comparisons"][0]["analysis"]["conventions"] is None
    verify(store, experiment)
    expect(put(store.client, {"id": experiment.id}, plan("mean")))
    shown = agree(store, experiment, oracle, "mean")
    assert shown["clusters"]["tests"][0]["evidence"]["standard_error"] > 0
    verify(store, experiment)
    expect(put(store.client, {"id": experiment.id}, plan("mean", clustered=False)))
    again = experiment.stats()
    assert again["comparisons"] == alone["comparisons"] and "clusters" not in again
    verify(store, experiment)
    stored = expect(store.client.get(f"/api/v1/projects/{experiment.id}"))["payload"]["setup"]
    assert "clusters" not in stored


LEVELS = [[6, 8, 10, 12, 14, 7], [9, 11, 7, 15, 13, 8]]  # of the clusters of either arm


def two_sided(experiment, effect, times=1, users=60):
    """As many users as one wishes, who are all alike within their cluster."""
    for n in range(12 * times):
        value, people = LEVELS[n % 2][n // 2 % 6] + effect * (n % 2), [f"c{n}u{i}" for i in range(users)]
        expect(experiment.post("exposures", *({"user_id": u, "variation_index": n % 2, "cluster": f"c{n}"} for u in people)))
        expect(experiment.post("conversions", *({"user_id": u, "metric": "revenue", "value": value + i % 3}
                                                for i, u in enumerate(people))))


def decision(experiment):
    return expect(experiment.client.get(experiment.path("decision")))


def test_the_decision_is_that_of_clusters(store):
    """What is overwhelming of users one by one is noise of twelve clusters."""
    metrics = {"baseline_value": 10, "std_dev": 3, "mde_pct": 30}
    naive, honest = (Experiment(store.client, plan("mean", clustered, **metrics)) for clustered in (False, True))
    for experiment in naive, honest:
        two_sided(experiment, 0)
    p_values = [e.stats()["comparisons"][0]["analysis"]["p_value"] for e in (naive, honest)]
    assert p_values[0] < .001 and p_values[1] > .3
    assert decision(honest)["verdict"] != "ship" and not decision(honest)["evidence"]["winning_arms"]
    proven = Experiment(store.client, plan("mean", **metrics))
    two_sided(proven, 12, times=2)
    shown, found = proven.stats(), decision(proven)
    assert found["verdict"] == "ship", found
    assert found["evidence"]["winning_arms"][0]["p_value"] == shown["comparisons"][0]["analysis"]["p_value"]
    assert found["what_would_change"], "a smaller effect, or a larger error"


def test_what_is_of_single_users_is_not_shown(store):
    experiment = Experiment(store.client, plan("mean"))
    send(experiment, 6)
    expect(experiment.post("holdout", {"user_id": "h1"}, {"user_id": "h2"}))
    expect(experiment.post("pre-period", *({"user_id": f"u{n}", "value": n} for n in range(300))))
    shown = experiment.stats()
    assert [shown[block]["status"] for block in ("cuped", "adjusted", "stratified", "holdout")] == ["unavailable"] * 4
    assert shown["guardrail"]["metrics"][0]["comparisons"][0]["p_value"] is not None
    for refused in ("certificate", "posteriors"):
        answer = store.client.get(experiment.path(refused))
        assert answer.status == 400 and "clusters" in answer.text, answer.text
    assert expect(store.client.get(experiment.path("quality")))["sample_ratio"]["status"] == "not_applicable"


def beyond_the_bound(store, experiment):
    """Two clusters are there: their users keep their place, the last two of LIMIT more have none."""
    before = experiment.stats()["exposures_total"]
    expect(experiment.post("exposures", *({"user_id": f"x{n}", "variation_index": 0, "cluster": f"x{n}"} for n in range(LIMIT))))
    shown = experiment.stats()
    assert shown["exposures_total"] == before + LIMIT
    assert (shown["clusters"]["clusters"], shown["clusters"]["users_without_cluster"]) == (LIMIT, 2)
    verify(store, experiment)


@pytest.mark.parametrize("buckets", [1, 4])
def test_names_beyond_the_bound_lose_no_exposure(store, buckets):
    """Also where the design has no clusters yet."""
    experiment = Experiment(store.client, plan("mean", clustered=False))
    if buckets > 1:
        expect(store.client.send("PUT", experiment.path("buckets"), {"buckets": buckets}))
    everybody = [{"user_id": f"y{n}", "variation_index": n % 2, "cluster": f"y{n}"} for n in range(LIMIT + 3)]
    expect(experiment.post("exposures", *everybody))
    expect(experiment.post("exposures", {"user_id": "late", "variation_index": 0, "cluster": "one more"}))
    assert experiment.stats()["exposures_total"] == LIMIT + 4
    expect(put(store.client, {"id": experiment.id}, plan("mean")))
    told = experiment.stats()["clusters"]
    assert (told["clusters"], told["users_without_cluster"]) == (LIMIT, 4)
    verify(store, experiment)


def test_too_few_clusters_and_too_many(store):
    experiment = Experiment(store.client, plan("mean"))
    for n in range(3):
        expect(experiment.post("exposures", {"user_id": f"a{n}", "variation_index": n % 2, "cluster": f"c{n % 2}"},
                               {"user_id": f"b{n}", "variation_index": n % 2, "cluster": f"c{n % 2}"}))
    shown = experiment.stats()
    assert shown["comparisons"][0]["status"] == "insufficient_data"
    assert shown["clusters"]["tests"][0]["status"] == "too_few_clusters"
    assert decision(experiment)["verdict"] == "keep_running"
    beyond_the_bound(store, experiment)
    for wrong in ("", "x" * 101, 7):
        answer = experiment.post("exposures", {"user_id": "w", "variation_index": 0, "cluster": wrong})
        assert answer.status == 422 and "cluster" in answer.text


def test_starting_anew_forgets_the_clusters(store):
    experiment = Experiment(store.client, plan("mean"))
    send(experiment, 7)
    expect(experiment.client.send("DELETE", experiment.path("events")))
    assert experiment.stats()["clusters"]["clusters"] == 0
    agree(store, experiment, send(experiment, 8), "mean")
    verify(store, experiment)
