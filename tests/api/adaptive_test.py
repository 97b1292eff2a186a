"""Adaptive experiments: rounds of shares with a floor, the probability that is logged with each exposure, and effects that
are weighted by it. On both engines."""

import math
import subprocess

import pytest

from flag_fixtures import Flag
from live_test import Experiment, design, fill, metrics
from project_fixtures import expect, payload, put
from stack import CHECKOUT

pytest_plugins = ["store_fixtures"]

USERS = 300


@pytest.fixture(scope="module")
def store(stores, engine):
    """Without the upkeep of its own, which comes every ten minutes: the tests say when it runs."""
    own = stores.get(engine)
    own.stack.stop_program("experiments-upkeep")
    return own


def three_arms():
    sent = design()
    sent["setup"] = {**sent["setup"], "variants_count": 3, "traffic_split": [50, 25, 25]}
    return sent


def upkeep(store, copies=1):
    """So many programs at once."""
    age = "UPDATE adaptive_rounds SET started_at = 1000000"
    store.database.run(age)
    environment = {**store.program_environment(), "ASSAY_LOCALES_DIR": str(CHECKOUT / "locales")}
    program = f"{store.stack.build}/cron-bin/experiments-upkeep"
    running = [subprocess.Popen([program], env=environment, cwd=store.stack.directory, stderr=subprocess.PIPE,
                                text=True) for _ in range(copies)]
    for each in running:
        _, errors = each.communicate(timeout=120)
        assert each.returncode == 0, errors


def adaptive(experiment, **settings):
    return experiment.client.send("PUT", experiment.path("adaptive"), json={"floor": 0.1, "update_minutes": 1, **settings})


def shares(experiment):
    return {entry["round"]: entry["shares"] for entry in expect(experiment.client.get(experiment.path("adaptive")))["rounds"]}


def test_what_is_refused(store):
    flag = Flag(store.client)
    expect(store.client.get(flag.path("adaptive")), 404, "not_adaptive")
    assert adaptive(flag, floor=0.6).status == 422 and adaptive(flag, floor=0).status == 422
    many = Experiment(store.client, three_arms())
    expect(adaptive(many, floor=0.4), 400, "adaptive_floor")
    assert expect(adaptive(many, floor=0.3))["rounds"][0]["shares"] == [.4, .3, .3]
    expect(store.client.send("DELETE", many.path("adaptive")))
    expect(store.client.get(many.path("adaptive")), 404, "not_adaptive")
    ratio = Experiment(store.client, payload("ratio", "ratio"))
    expect(adaptive(ratio), 400, "adaptive_metric")
    flag.get("first")
    expect(adaptive(flag), 409, "experiment_started")


def test_without_it_nothing_is_added(store):
    flag = Flag(store.client)
    assert "assignmentRound" not in flag.get("u")["metadata"]
    assert "assignment_round" not in expect(store.client.post(flag.path("assign"), {"user_id": "u"}))
    assert "adaptive" not in flag.stats() and "adaptive" not in expect(store.client.get(flag.path("decision")))


@pytest.fixture(scope="module")
def played(store):
    """Two rounds: in the first the treatment converts far more often."""
    flag = Flag(store.client)
    assert expect(adaptive(flag))["rounds"][0]["shares"] == [.5, .5]
    arms, rounds = {}, {}

    def see(user):
        metadata = flag.get(user)["metadata"]
        arms[user], rounds[user] = metadata["variationIndex"], metadata["assignmentRound"]

    def convert(users, every):
        flag.send("conversions", *[{"user_id": user, "metric": "purchase", "idempotency_key": user}
                                   for i, user in enumerate(users) if i % every[arms[user]] == 0])
        return [user for i, user in enumerate(users) if i % every[arms[user]] == 0]

    first, second = ([f"{name}{i}" for i in range(USERS)] for name in ("a", "b"))
    for user in first:
        see(user)
    converted = convert(first, (10, 2))
    upkeep(store, copies=3)
    for user in second:
        see(user)
    return flag, arms, rounds, set(converted + convert(second, (5, 3)))


def test_rounds_follow_the_results_above_the_floor(store, played):
    flag, arms, rounds, _ = played
    assert shares(flag) == {1: [.5, .5], 2: [.1, .9]}  # three programs at once made one round
    assert {user: rounds[user] for user in ("a0", "b0")} == {"a0": 1, "b0": 2}
    seen = sum(arms[f"b{i}"] for i in range(USERS)) / USERS
    assert abs(seen - .9) < 4 * math.sqrt(.09 / USERS)
    assert flag.get("a1")["metadata"]["variationIndex"] == arms["a1"]  # has seen it in another round
    names = {row["slice"]: row["name"] for row in store.database.rows(
        "SELECT DISTINCT s.slice, s.name FROM live_slices s JOIN live_experiments e ON e.experiment = s.experiment"
        f" WHERE e.experiment_id = '{flag.id}'")}
    logged = store.database.rows("SELECT u.user_id, u.variation, u.dimensions FROM live_units u JOIN live_experiments e"
                                 f" ON e.experiment = u.experiment WHERE e.experiment_id = '{flag.id}'")
    assert {row["user_id"]: (row["variation"], int(names[int(row["dimensions"])])) for row in logged} == \
        {user: (arms[user], rounds[user]) for user in arms}


def weighted(arms, rounds, converted, table, start):
    """The estimate from single users, by the formula of the header."""
    score = weight = variance = 0
    before = {0: [], 1: []}
    for number in sorted(table):
        users = [user for user in arms if rounds[user] == number]
        q = table[number][1] / sum(table[number])
        mean = [sum(values) / len(values) if values else start for values in (before[0], before[1])]
        m = q * mean[0] + (1 - q) * mean[1]
        scores = [((1 - q) if arms[user] else -q) * ((user in converted) - m) for user in users]
        score += sum(scores)
        weight += len(users) * q * (1 - q)
        variance += sum((s - sum(scores) / len(scores)) ** 2 for s in scores) * len(scores) / (len(scores) - 1)
        for user in users:
            before[arms[user]].append(user in converted)
    return score / weight, math.sqrt(variance) / weight


def test_effects_are_weighted_by_the_logged_probabilities(store, played):
    flag, arms, rounds, converted = played
    stats = flag.stats()
    block = stats["adaptive"]
    assert (block["status"], block["round"], block["users_without_round"]) == ("running", 2, 0)
    assert [arm["share"] for arm in block["arms"]] == [.1, .9]
    assert [arm["exposed_users"] for arm in block["arms"]] == [list(arms.values()).count(i) for i in (0, 1)]
    effect, error = weighted(arms, rounds, converted, shares(flag), .1)
    [comparison] = block["comparisons"]
    assert comparison["effect"] == pytest.approx(effect, abs=1e-6)
    assert comparison["standard_error"] == pytest.approx(error, abs=1e-6)
    mixture = (.1 * .2) ** 2
    spread = math.log1p(mixture / error**2) / 2
    radius = math.sqrt(2 * error**2 * (error**2 + mixture) / mixture * (spread - math.log(.05)))
    assert comparison["ci_sequence_lower"] == pytest.approx(effect - radius, abs=1e-6)
    [shown] = stats["comparisons"]
    assert shown["analysis"]["observed_effect"] == pytest.approx(100 * effect, abs=1e-3)
    assert shown["always_valid"]["always_valid_p_value"] == comparison["always_valid_p_value"]
    assert stats["srm"]["status"] == "not_applicable" and not stats["srm"]["is_srm"]
    decision = expect(store.client.get(flag.path("decision")))
    assert decision["adaptive"] == block and decision["blockers"] == []
    expect(store.client.get(flag.path("certificate")), 409, "certificate_adaptive")


def test_what_would_pool_the_rounds_is_withheld(store, played):
    flag = played[0]
    expect(store.client.get(flag.path("posteriors")), 400, "bayes_adaptive")
    days = expect(store.client.get(flag.path("course")))["days"]
    assert days and all(each["effect"] is None and each["ci_lower"] is None for day in days for each in day["comparisons"])
    sent = payload("live", "binary", metrics=metrics(bayes={}))
    sent["setup"] = {**sent["setup"], "dimensions": [{"name": "country", "values": ["DE"]}]}
    other = Experiment(store.client, sent)
    expect(adaptive(other))
    fill(other, [(300, 30), (300, 60)])
    assert other.stats()["bayes"] == {"status": "not_applicable", "analysis": None}
    assert expect(store.client.get(other.path("slices")))["status"] == "adaptive"


def test_the_answer_changes_with_the_settings(store):
    """Of the floor too; and the seed is that of the hash."""
    flag = Flag(store.client)
    expect(adaptive(flag))
    first = store.client.get(flag.path("live-stats"))
    expect(adaptive(flag, floor=.2))
    again = store.client.send("GET", flag.path("live-stats"), headers={"If-None-Match": first.headers["ETag"]})
    assert again.status == 200 and again.json()["adaptive"]["floor"] == .2
    assigned = expect(store.client.post(flag.path("assign"), {"user_id": "u"}))
    assert assigned["seed"] == f"{flag.id}/round/1"
    dimensions = [f"d{n}" for n in range(8)]
    answer = store.client.send("PUT", flag.path("flag"), json={**flag.document, "dimensions": dimensions})
    expect(answer, 400, "adaptive_dimensions")
    expect(store.client.send("PUT", flag.path("flag"), json={**flag.document, "dimensions": dimensions[:7]}))


def test_a_report_names_the_round_that_was_shown(store):
    flag = Flag(store.client)
    expect(adaptive(flag))
    evaluated = expect(store.client.send("POST", "/ofrep/v1/evaluate/flags", json={"context": {"targetingKey": "web"}}))
    [shown] = [entry for entry in evaluated["flags"] if entry["key"] == flag.key]
    answer = flag.track("web", variant=shown["variant"])
    assert answer.status == 400 and "round" in answer.json()["errorDetails"]
    assert flag.track("web").status == 400, "without a variant another arm may have been shown than that of now"
    assert flag.track("web", variant=shown["variant"], round=9).status == 400
    report = {"variant": shown["variant"], "round": shown["metadata"]["assignmentRound"]}
    assert expect(flag.track("web", **report))["exposure"] == "recorded"
    assert expect(flag.track("web", **report))["exposure"] == "known"


def test_paused_shares_stay_and_the_design_keeps_its_arms(store):
    flag = Flag(store.client)
    expect(adaptive(flag, paused=True))
    for i in range(120):
        flag.expose(f"u{i}", i % 2)
    upkeep(store)
    assert list(shares(flag)) == [1] and flag.stats()["adaptive"]["users_without_round"] == 120
    expect(adaptive(flag))
    flag.send("conversions", {"user_id": "u1", "metric": "purchase"})
    upkeep(store)
    assert list(shares(flag)) == [2, 1]
    sent = three_arms()
    flag.set(enabled=False)
    expect(put(store.client, flag.id, sent), 400, "adaptive_variants")
