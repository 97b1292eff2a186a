"""Certificates of verdicts: what the service signs, both verifiers find right, and one changed bit or figure wrong.
What touches the database, the key and the digest of the exposures, on both engines."""

import hashlib
import json
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from live_oracle_test import batches, send
from live_oracle_test import design as random_design
from live_test import Experiment, fill, metrics
from project_fixtures import create, expect, payload, unknown_id
from stack import BUILD

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients" / "certificates"))
import verify_certificate as verifier  # noqa: E402  (found by the line above)

pytest_plugins = ["store_fixtures"]

VERIFIER = BUILD / "verify-certificate"
KEY = "/api/v1/certificates/key"


def read(store, experiment_id):
    answer = store.client.get(f"/api/v1/experiments/{experiment_id}/certificate")
    expect(answer)
    return answer.body


def key_of(store):
    return expect(store.client.get(KEY))["public_key"]


def verify(tmp_path, data, key):
    """(status, output) of the program in C, which needs the file and the key alone."""
    file = tmp_path / "certificate.json"
    file.write_bytes(data)
    done = subprocess.run([VERIFIER, file, key], cwd="/", env={}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check_signed(tmp_path, store, experiment_id):
    """The document, found right by both."""
    data, key = read(store, experiment_id), key_of(store)
    certificate = verifier.open_certificate(data, verifier.unpack(key, 32))
    verifier.check_figures(certificate)
    status, output = verify(tmp_path, data, key)
    assert status == 0, output
    return certificate


def check(tmp_path, store, experiment_id):
    """The document, found right by both; the decision is the one that the service answers."""
    certificate = check_signed(tmp_path, store, experiment_id)
    decision = expect(store.client.get(f"/api/v1/experiments/{experiment_id}/decision"))
    assert certificate["decision"]["verdict"] == decision["verdict"]
    assert certificate["decision"]["confidence"] == decision["confidence"]
    for kind in ("reasons", "blockers"):
        assert [r["code"] for r in certificate["decision"][kind]] == [r["code"] for r in decision[kind]]
    return certificate


# Rules of the policy, by what makes them apply: (design, arms as users and conversions, verdict, first reason).
DECISIONS = {
    "nobody": (metrics(mde_pct=5), [], "keep_running", "no_exposures"),
    "ratio off": (metrics(mde_pct=5), [(500, 50), (300, 36)], "no_ship", "blocked_untrustworthy"),
    "a clear win": (metrics(), [(5000, 500), (5000, 700)], "ship", "significant_win"),
    "too small a win": (metrics(), [(5000, 500), (5000, 600)], "no_ship", "significant_win"),
    "too early": (metrics(mde_pct=5), [(5000, 500), (5000, 600)], "keep_running", "fixed_horizon_before_planned_read"),
    "a loss": (metrics(), [(5000, 600), (5000, 400)], "no_ship", "significant_loss"),
    "always valid": (metrics(mde_pct=5), [(5000, 500), (5000, 700)], "ship", "significant_win"),
    "a falling goal": (metrics(baseline_value=.4, mde_pct=-10, direction="decrease"), [(2000, 900), (2000, 500)], "ship",
                       "significant_win"),
    "nobody converts": (metrics(), [(50, 0), (50, 0)], "keep_running", "inconclusive_ci"),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_both_verifiers_compute_the_decision_again(tmp_path, store, name):
    design, arms, verdict, reason = DECISIONS[name]
    experiment = Experiment(store.client, payload("live", "binary", metrics=design))
    fill(experiment, arms)
    certificate = check(tmp_path, store, experiment.id)
    assert certificate["decision"]["verdict"] == verdict
    assert certificate["decision"]["reasons"][0]["code"] == reason


@pytest.mark.parametrize("worse,better,probability", [
    ((100, 1000), (100500, 1000000), .49864533795991817), ((20, 20), (20000, 20000), .998951153730896),
    ((0, 50), (1, 50000), .0020368627021296586), ((1999, 2000), (2000, 2000), .7500624843789053)])
def test_arms_of_very_unequal_size(worse, better, probability):
    """As the sum over the smaller arm has them, computed with 40 digits."""
    assert verifier.beats(worse, better) == pytest.approx(probability, abs=2e-8)
    assert verifier.beats(better, worse) == pytest.approx(1 - probability, abs=2e-8)


def test_every_stratum_that_is_off_is_named(tmp_path, store):
    experiment = Experiment(store.client)
    people = [(f"s{stratum}-{i}", stratum, int(i > 0)) for stratum in range(20) for i in range(40)]
    experiment.send("exposures", *[{"user_id": user, "variation_index": arm, "occurred_at": 0} for user, _, arm in people])
    experiment.send("strata", *[{"user_id": user, "stratum": f"stratum {stratum:02}"} for user, stratum, _ in people])
    blockers = check(tmp_path, store, experiment.id)["decision"]["blockers"]
    assert [b["part"] for b in blockers] == [None] + [f"stratum {stratum:02}" for stratum in range(20)]


@pytest.mark.both_engines
def test_it_is_of_one_moment_while_records_keep_coming(tmp_path, store):
    """Every user is exposed once and has no link: all exposures are users of the arms."""
    experiment = Experiment(store.client)
    experiment.expose("first", 0)
    own = store.client.with_headers({})
    ended, sent = threading.Event(), []

    def ingest():
        while not ended.is_set():
            exposure = {"user_id": f"user {len(sent)}", "variation_index": len(sent) % 2, "occurred_at": 0}
            expect(own.post(experiment.path("exposures"), {"exposures": [exposure]}))
            sent.append(None)

    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(ingest)
        try:
            for _ in range(20):
                certificate = check_signed(tmp_path, store, experiment.id)
                assert certificate["population"]["exposures"] == sum(arm["users"] for arm in certificate["arms"])
        finally:
            ended.set()
        coming.result()
    assert sent


@pytest.mark.parametrize("looks,arms", [(3, [(3000, 300), (3000, 420)]), (5, [(3000, 300), (3000, 330), (3000, 310)]),
                                        (40, [(300, 30), (300, 33)])])
def test_boundaries_are_checked_by_the_alpha_that_they_spend(tmp_path, store, looks, arms):
    count = len(arms)
    experiment = Experiment(store.client, payload(
        "live", "binary", metrics=metrics(), constraints={"n_looks": looks},
        setup={"variants_count": count, "traffic_split": [1] * count}))
    fill(experiment, arms)
    certificate = check(tmp_path, store, experiment.id)
    certificate["design"]["final_boundary"] *= 0.99
    with pytest.raises(verifier.Wrong, match="does not spend alpha"):
        verifier.check_figures(certificate)


@pytest.mark.parametrize("seed", range(5))
def test_random_experiments_of_every_kind(tmp_path, store, seed):
    """With aliases, strata, exclusions, guardrails, holdouts; each figure of each kind is changed once."""
    rng = random.Random(seed)
    project = create(store.client, random_design(rng))["id"]
    for kind, records in batches(rng, crowd=seed % 4 == 0):
        send(store, project, kind, records)
    certificate = check(tmp_path, store, project)
    for comparison in certificate["comparisons"]:
        for field in verifier.FIELDS:
            before = comparison[field]
            if before is None:
                continue
            comparison[field] = (not before) if isinstance(before, bool) else before * 1.001 + 1e-3
            with pytest.raises(verifier.Wrong):
                verifier.check_figures(certificate)
            comparison[field] = before
    verifier.check_figures(certificate)


@pytest.mark.both_engines
def test_the_digest_is_that_of_the_users_whatever_their_order(tmp_path, store):
    users = {"zoë": 0, "анна": 1, "ผู้ใช้": 1, "用户": 0, "a": 1, "a b": 0, "مستخدم": 1, "B": 0, "\U0001f600": 1, "h": -1}
    lines = b"".join(user.encode() + b"\0%d\0" % arm for user, arm in sorted(users.items(), key=lambda i: i[0].encode()))
    found = []
    for seed, buckets in ((1, 1), (2, 1), (3, 4)):
        experiment = Experiment(store.client)
        expect(store.client.send("PUT", experiment.path("buckets"), {"buckets": buckets}))
        order = list(users.items())
        random.Random(seed).shuffle(order)
        for user, arm in order:
            if arm < 0:
                experiment.send("holdout", {"user_id": user})
            else:
                experiment.expose(user, arm)
        found.append(check(tmp_path, store, experiment.id)["population"])
    assert [p["exposures"] for p in found] == [len(users)] * 3
    assert {p["exposures_sha256"] for p in found} == {hashlib.sha256(lines).hexdigest()}


@pytest.mark.both_engines
def test_the_digest_is_kept_until_exposures_change(store):
    """A stored digest that was changed shows that it is read, and what makes it be computed again."""
    def population():
        return json.loads(read(store, experiment.id))["certificate"]["population"]

    def digest(users):
        return hashlib.sha256(b"".join(user.encode() + b"\0%d\0" % arm for user, arm in sorted(users.items()))).hexdigest()

    def forge():
        store.database.run(f"UPDATE certificate_populations SET sha256 = 'forged' WHERE experiment_id = '{experiment.id}'")

    experiment, users = Experiment(store.client), {"a": 0, "b": 1}
    for user, arm in users.items():
        experiment.expose(user, arm)
    assert population()["exposures_sha256"] == digest(users)
    forge()
    experiment.convert("a")
    assert population()["exposures_sha256"] == "forged"
    experiment.expose("c", 1)
    users["c"] = 1
    assert population()["exposures_sha256"] == digest(users)
    forge()
    expect(store.client.send("DELETE", experiment.path("events")))
    users = {"x": 0, "y": 0, "z": 1}
    for user, arm in users.items():
        experiment.expose(user, arm)
    assert (population()["exposures"], population()["exposures_sha256"]) == (3, digest(users))


@pytest.mark.both_engines
def test_decided_experiments_have_it_before_somebody_asks(store):
    experiment, other = Experiment(store.client), Experiment(store.client)
    expect(store.client.send("PUT", other.path("adaptive"), json={"floor": 0.1}))
    for each in other, experiment:
        each.expose("a", 0)
        expect(store.client.post(each.path("outcome"), {"decision": "stop"}))
    done = store.program("experiments-tasks", ASSAY_LOCALES_DIR=str(ROOT / "locales"))
    assert done.returncode == 0, done.stderr
    [row] = store.database.rows(f"SELECT exposures FROM certificate_populations WHERE experiment_id = '{experiment.id}'")
    assert row["exposures"] == 1
    assert not store.database.rows(f"SELECT 1 AS one FROM certificate_populations WHERE experiment_id = '{other.id}'")
    assert "certificate_not_prepared" not in done.stderr


@pytest.mark.both_engines
def test_one_key_for_all_workers_and_after_a_new_start(store):
    answer = expect(store.client.get(KEY))
    raw = verifier.unpack(answer["public_key"], 32)
    assert answer["fingerprint"] == hashlib.sha256(raw).hexdigest()
    assert {expect(store.client.get(KEY))["public_key"] for _ in range(20)} == {answer["public_key"]}
    experiment = Experiment(store.client)
    assert json.loads(read(store, experiment.id))["certificate"]["key"] == answer["fingerprint"]


def test_a_changed_byte_another_key_and_another_spelling_are_found(tmp_path, store):
    experiment = Experiment(store.client)
    fill(experiment, [(20, 3), (20, 5)])
    data, key = read(store, experiment.id), key_of(store)
    assert verify(tmp_path, data, key)[0] == 0
    respelled = json.dumps(json.loads(data), indent=1).encode()
    for changed in (data.replace(b'"keep_running"', b'"ship"'), respelled, data + b" ", data[:-1], b"", data[:60]):
        status, output = verify(tmp_path, changed, key)
        assert status == 1 and output.startswith("WRONG"), changed[:80]
        with pytest.raises((verifier.Wrong, ValueError)):
            verifier.open_certificate(changed, verifier.unpack(key, 32))
    assert verify(tmp_path, data, "A" + key[1:] if key[0] != "A" else "B" + key[1:])[0] == 1
    assert verify(tmp_path, data, "not a key")[0] == 2


def test_the_python_program_takes_files(tmp_path, store):
    experiment = Experiment(store.client)
    fill(experiment, [(20, 3), (20, 5)])
    (tmp_path / "certificate.json").write_bytes(read(store, experiment.id))
    (tmp_path / "key.json").write_bytes(store.client.get(KEY).body)
    for program in ([sys.executable, ROOT / "clients/certificates/verify_certificate.py"], [VERIFIER]):
        done = subprocess.run([*program, tmp_path / "certificate.json", tmp_path / "key.json"], cwd="/", env={},
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0 and done.stdout.startswith("holds: keep_running"), done.stdout + done.stderr


def test_only_an_experiment_that_exists_has_one(store):
    assert store.client.get(f"/api/v1/experiments/{unknown_id()}/certificate").status == 404


@pytest.mark.both_engines
def test_reports_do_without_a_damaged_key(store):
    experiment = Experiment(store.client)
    experiment.expose("a", 0)
    fingerprint = expect(store.client.get(KEY))["fingerprint"]

    def report():
        answer = store.client.get(experiment.path("report/markdown"))
        assert answer.status == 200, str(answer)
        return answer.text

    assert fingerprint in report()
    store.database.run("UPDATE certificate_keys SET seed = 'damaged ' || seed")
    try:
        assert store.client.get(experiment.path("certificate"), may_fail=True).status == 500
        assert fingerprint not in report()
    finally:
        store.database.run("UPDATE certificate_keys SET seed = substr(seed, 9)")
    assert fingerprint in report()
