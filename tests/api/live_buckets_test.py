"""Giant experiments, whose users are divided over buckets: they show what an undivided experiment shows, and on a
PostgreSQL that is distributed (tests/db/citus_stand_in.sql) as well."""

import json
import random
import threading
from pathlib import Path

import pytest

from live_test import Experiment, design
from project_fixtures import OPEN, expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

BUCKETS = 16
STAND_IN = Path(__file__).resolve().parents[1] / "db" / "citus_stand_in.sql"


def divided(client, sent=None, buckets=BUCKETS):
    experiment = Experiment(client, sent)
    assert expect(client.send("PUT", experiment.path("buckets"), {"buckets": buckets})) == \
        {"experiment_id": experiment.id, "buckets": buckets} == expect(client.get(experiment.path("buckets")))
    return experiment


def batches(seed):
    """All kinds of records about few users, so that most of them are linked, moved and sent again."""
    rng = random.Random(seed)
    users = [f"u{n}" for n in range(120)] + [f"Ж{n}" for n in range(20)] + [f"用户{n}" for n in range(20)]

    def some(count):
        return [rng.choice(users) for _ in range(count)]

    for _ in range(3):
        yield "exposures", [{"user_id": u, "variation_index": rng.randrange(2),
                             "occurred_at": 1770000000 + rng.randrange(9),
                             "dimensions": [{"name": "platform", "value": rng.choice(["ios", "web"])}]} for u in some(40)]
        yield "conversions", [{"user_id": u, "metric": rng.choice(["purchase", "clicks"]), "value": rng.randrange(40) / 4,
                               "idempotency_key": f"k{rng.randrange(300)}",
                               "occurred_at": 1770000000 + rng.randrange(20)} for u in some(60)]
        yield "pre-period", [{"user_id": u, "value": rng.random()} for u in some(30)]
        yield "identities", [{"anonymous_id": u, "canonical_id": v} for u, v in zip(some(12), some(12))]
        yield "strata", [{"user_id": u, "stratum": rng.choice("ab")} for u in some(20)]
        yield "exclusions", [{"user_id": u} for u in some(3)]
        yield "holdout", [{"user_id": u} for u in some(4)]


def continuous():
    return payload("live", "continuous", metrics={
        "primary_metric_name": "purchase", "metric_type": "continuous", "baseline_value": 5, "std_dev": 3, "mde_pct": 20,
        "alpha": 0.05, "power": 0.8, "robust_metrics": [
            {"name": "purchase", "statistic": "capped_mean", "at": 4}, {"name": "clicks", "statistic": "quantile", "at": 90}]})


def shown(experiment, routes=("live-stats", "live-stats?dimension=platform", "decision", "ingestion")):
    """What readers see, without the id."""
    told = {}
    for route in routes:
        text = json.dumps(expect(experiment.client.get(experiment.path(route))), sort_keys=True)
        told[route] = json.loads(text.replace(experiment.id, "EXPERIMENT"))
    return told


def close(one, other, where=""):
    """Sums are added in another order: the last digit may differ."""
    if isinstance(one, dict):
        assert set(one) == set(other), where
        for key, value in one.items():
            if key not in ("computed_at", "generated_at", "as_of"):
                close(value, other[key], f"{where}/{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for i, (left, right) in enumerate(zip(one, other)):
            close(left, right, f"{where}/{i}")
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9), where
    else:
        assert one == other, where


def compare(store, whole, other):
    for seed in range(2):
        for route, records in batches(seed):
            assert whole.send(route, *records) == other.send(route, *records), route
    close(shown(whole), shown(other))
    done = store.program("live-rebuild", "--verify", other.id)
    assert done.returncode == 0 and "differences=0" in done.stdout, done.stdout + done.stderr
    done = store.program("live-rebuild", other.id)
    assert done.returncode == 0, done.stderr
    close(shown(whole), shown(other))
    close(shown(whole, ["course"]), shown(other, ["course"]))


def test_it_shows_what_an_undivided_experiment_shows(store):
    compare(store, Experiment(store.client, continuous()), divided(store.client, continuous()))


def test_a_distributed_database_shows_the_same(stores):
    store = stores.get("postgres", {**OPEN, "ASSAY_WORKERS_EXPERIMENTS_LIVE": 2})
    store.database.run(STAND_IN.read_text())
    for told in ("17 tables were distributed, 0 were so before", "0 tables were distributed, 17 were so before"):
        done = store.stack.run("run", "database", "distribute", "experiments")
        assert done.returncode == 0 and told in done.stdout, done.stdout + done.stderr
    whole = Experiment(store.client, continuous())
    compare(store, whole, divided(store.client, continuous()))


def test_without_the_extension_nothing_is_distributed(store):
    done = store.stack.run("run", "database", "distribute", "experiments")
    wanted = "SQLite" if store.engine == "sqlite" else "CREATE EXTENSION citus"
    assert done.returncode == 4 and wanted in done.stderr, done.stdout + done.stderr


def test_the_number_is_chosen_before_the_first_record(store):
    experiment = divided(store.client, buckets=4)

    def put(buckets, experiment_id=experiment.id):
        return store.client.send("PUT", f"/api/v1/experiments/{experiment_id}/buckets", {"buckets": buckets})

    assert expect(put(2))["buckets"] == 2
    for wrong in (0, 257, "many"):
        assert put(wrong).status == 422
    assert put(2, unknown_id()).status == 404
    experiment.expose("u", 1)
    assert expect(put(2))["buckets"] == 2, "the same again changes nothing"
    refused = put(1)
    assert (refused.status, refused.json()["error_code"]) == (409, "experiment_started")
    assert expect(store.client.get(experiment.path("buckets")))["buckets"] == 2
    assert store.client.get(f"/api/v1/experiments/{unknown_id()}/buckets").status == 404
    assert expect(experiment.client.post(experiment.path("assign"), {"user_id": "u"}))["sticky"]


def test_lists_follow_the_events_of_all_buckets(store):
    experiment = divided(store.client, design())
    for number in range(30):
        experiment.expose(f"u{number}", number % 2)
    listed = expect(store.client.get("/api/v1/experiments"))["experiments"]
    (item,) = [item for item in listed if item["id"] == experiment.id]
    assert (item["people"], item["state"]) == (30, "collecting")
    experiment.expose("u30", 0)
    listed = expect(store.client.get("/api/v1/experiments"))["experiments"]
    assert [item["people"] for item in listed if item["id"] == experiment.id] == [31]


def test_starting_anew_empties_all_buckets(store):
    experiment = divided(store.client)
    for route, records in batches(5):
        experiment.send(route, *records)
    expect(experiment.client.send("DELETE", experiment.path("events")))
    number = store.database.value(f"SELECT experiment FROM live_experiments WHERE experiment_id = '{experiment.id}'")
    its = f"experiment = {number} OR experiment BETWEEN {-number * 1024 - BUCKETS} AND {-number * 1024}"
    for table in ("live_units", "live_conversions", "live_unit_metrics", "live_cells", "live_arms", "live_keys", "live_places"):
        assert store.database.value(f"SELECT count(*) AS n FROM {table} WHERE {its}") == 0, table
    fresh = Experiment(store.client)
    for route, records in batches(6):
        assert experiment.send(route, *records) == fresh.send(route, *records)
    close(shown(fresh), shown(experiment))


def test_writers_of_all_kinds_at_once(store):
    """Links move users while others write about them; batches that meet are refused to be sent again, or wait."""
    experiment = divided(store.client, continuous())
    problems, recorded = [], {"exposures": 0, "conversions": 0}
    lock = threading.Lock()

    def write(seed):
        try:
            for route, records in batches(seed):
                for tries in range(30):
                    answer = experiment.post(route, *records)
                    if answer.status != 503:
                        break
                body = expect(answer)
                with lock:
                    if route in recorded:
                        recorded[route] += body["recorded"]
        except Exception as problem:  # told by the main thread
            problems.append(repr(problem))

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(10, 14)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems[:2]
    raw = expect(experiment.client.get(experiment.path("ingestion")))
    assert raw["conversions_total"] == recorded["conversions"]
    done = store.program("live-rebuild", "--verify", experiment.id)
    assert done.returncode == 0 and "differences=0" in done.stdout, done.stdout + done.stderr
