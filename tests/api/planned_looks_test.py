"""Looks planned by a spending function at a running experiment: when they are taken, what they say, and the verdict.
On both engines. Boundaries are computed anew here at the first look, and by /sequential/monitor at later ones."""

import math
import random

import pytest
from scipy.stats import norm

from stack import CHECKOUT
from certificates_test import check as check_certificate, verifier
from live_test import Experiment
from project_fixtures import OPEN, create, expect, payload, put

pytest_plugins = ["store_fixtures"]

PLAN = {"information_fractions": [0.25, 0.5, 1]}
BASE = {"interference_risk": "", "long_test_possible": True}


def design(looks=PLAN, variants=2, direction="increase", **constraints):
    split = {"variants_count": variants, "traffic_split": [1] * variants}
    return payload("looks", "binary", setup=split, constraints={"planned_looks": looks, "n_looks": 1, **constraints}, metrics={
        "primary_metric_name": "purchase", "metric_type": "binary", "baseline_value": 0.3, "alpha": 0.05, "power": 0.8,
        "mde_pct": -50 if direction == "decrease" else 50, "direction": direction})


@pytest.fixture(scope="module")
def store(stores, engine):
    """Without the upkeep of its own, which comes every ten minutes: the tests say when it runs. Values have no time to
    come in unless a test gives it."""
    own = stores.get(engine, {**OPEN, "AB_LIVE_SETTLING_SECONDS": "0"})
    own.stack.stop_program("experiments-upkeep")
    return own


class Running(Experiment):
    """An experiment with planned looks, and who came so far."""
    def __init__(self, client, sent):
        super().__init__(client, sent)
        self.came = [0] * 10

    def add(self, *arms):
        """(users, converted) of each arm."""
        exposures, conversions = [], []
        for arm, (users, converted) in enumerate(arms):
            names = [f"{arm}-{self.came[arm] + i}" for i in range(users)]
            self.came[arm] += users
            exposures += [{"user_id": name, "variation_index": arm, "occurred_at": 0} for name in names]
            conversions += [{"user_id": name, "metric": "purchase", "occurred_at": 1} for name in names[:converted]]
        for kind, records in (("exposures", exposures), ("conversions", conversions)):
            for start in range(0, len(records), 1000):
                self.send(kind, *records[start:start + 1000])

    @property
    def sequential(self):
        return self.stats()["sequential"]

    @property
    def looks(self):
        return self.sequential["planned_looks"]

    def looks_taken(self):
        end = self.sequential["hybrid"]["end"]
        return [end] if end else []

    def effect(self):
        return wald(*((arm["exposed_users"], arm["converted_users"]) for arm in (self.arm(0), self.arm(1))))

    def take(self, **body):
        return expect(self.client.post(self.path("looks"), body))

    def decision(self):
        return expect(self.client.get(self.path("decision")))

    def codes(self):
        return [reason["code"] for reason in self.decision()["reasons"]]


@pytest.fixture
def running(store):
    return lambda **options: Running(store.client, design(**options))


def wald(control, treatment):
    (n0, c0), (n1, c1) = control, treatment
    error = math.sqrt(c0 / n0 * (1 - c0 / n0) / n0 + c1 / n1 * (1 - c1 / n1) / n1)
    return c1 / n1 - c0 / n0, error


def first_boundary(fraction, alpha=0.05):
    return norm.isf(2 * norm.sf(norm.isf(alpha / 4) / math.sqrt(fraction)))


def test_looks_are_taken_when_due_and_only_once(running):
    experiment = running()
    experiment.add((5, 1), (5, 2))
    size = experiment.sequential["planned_sample_size_per_variant"]
    quarter = math.ceil(size / 4)
    before = experiment.looks
    assert (before["status"], before["look_due"], before["next_fraction"], before["looks"]) == ("running", False, 0.25, [])
    assert not experiment.take()["taken"]
    experiment.add((quarter - 5, quarter // 3), (quarter - 5, quarter // 3))
    fraction = quarter / size
    shown = experiment.sequential
    assert shown["planned_looks"]["look_due"] and shown["planned_looks"]["looks"] == []  # reading takes none
    assert shown["current_boundary_z"] == pytest.approx(first_boundary(fraction), abs=1e-4)
    now = shown["planned_looks"]["comparisons"][0]
    effect, error = wald((quarter, quarter // 3 + 1), (quarter, quarter // 3 + 2))
    assert now["effect"] == pytest.approx(effect) and now["z"] == pytest.approx(effect / error, abs=1e-6)
    assert now["ci_lower"] == pytest.approx(effect - first_boundary(fraction) * error, abs=1e-7)
    etag = experiment.client.get(experiment.path("live-stats")).headers["ETag"]
    first, again = experiment.take(), experiment.take()
    assert (first["taken"], again["taken"]) == (True, False)
    assert experiment.client.get(experiment.path("live-stats")).headers["ETag"] != etag
    [look] = again["planned_looks"]["looks"]
    assert (look["look"], look["users"]) == (1, 2 * quarter)
    assert look["information_fraction"] == pytest.approx(fraction, abs=1e-6)
    assert again["planned_looks"]["next_fraction"] == 0.5 and not again["planned_looks"]["look_due"]
    assert not experiment.take(unplanned=True)["taken"]  # nothing came in
    experiment.add((2, 0), (2, 0))
    assert experiment.take(unplanned=True)["taken"] and len(experiment.looks["looks"]) == 2
    for _ in range(3):
        experiment.stats(), experiment.decision()
    assert len(experiment.looks["looks"]) == 2
    assert experiment.decision()["verdict"] == "keep_running"


def test_what_looks_say_is_what_the_monitor_says(running):
    experiment = running(looks={"alpha_spending": "hwang_shih_decani", "alpha_parameter": -6,
                                "information_fractions": [0.3, 0.6, 1]})
    experiment.add((5, 1), (5, 2))
    size = experiment.sequential["planned_sample_size_per_variant"]
    third, half = math.ceil(0.31 * size), math.ceil(0.62 * size)
    experiment.add((third - 5, round(0.08 * third)), (third - 5, round(0.26 * third)))
    one = experiment.effect()
    assert experiment.take()["taken"]
    experiment.add((half - third, round(0.08 * third)), (half - third, third - 2))
    two = experiment.effect()
    assert experiment.decision()["verdict"] == "keep_running"  # the look is due, and not taken
    assert experiment.take()["taken"]
    looks = [{"information_fraction": users / size, "estimate": estimate, "standard_error": error}
             for users, (estimate, error) in ((third, one), (half, two))]
    plan = {"alpha": 0.05, "power": 0.8, "alpha_spending": "hwang_shih_decani", "alpha_parameter": -6,
            "information_fractions": [0.3, 0.6, 1]}
    expected = expect(experiment.client.post("/api/v1/sequential/monitor", {"plan": plan, "looks": looks}))
    reading = experiment.looks["comparisons"][0]["reading"]
    assert expected["status"] == "efficacy"
    for name in ("p_value", "estimate", "ci_lower", "ci_upper"):
        assert reading["adjusted"][name] == pytest.approx(expected["adjusted"][name], abs=2e-6)
    assert reading["looks"] == [pytest.approx(look, abs=2e-6) for look in expected["looks"]]
    decision = experiment.decision()  # proven, and perhaps too small to be worth it
    assert decision["verdict"] == "keep_running"
    assert [one["code"] for one in decision["reasons"]][:2] == ["significant_win", "practical_threshold_uncertain"]
    [arm] = decision["evidence"]["winning_arms"]
    assert arm["p_value"] == pytest.approx(expected["adjusted"]["p_value"], abs=1e-6)
    assert arm["practical"]["ci_lower"] == pytest.approx(100 * expected["adjusted"]["ci_lower"], abs=1e-3)
    # More users change nothing before a look is taken; then the last look counts (deletion method).
    experiment.add((size - half, round(0.6 * (size - half))), (size - half, round(0.6 * (size - half))))
    after = experiment.looks
    assert after["status"] == "running" and after["look_due"] and after["comparisons"][0]["efficacy_z"] is None
    assert after["comparisons"][0]["reading"] == reading and experiment.decision()["verdict"] == "keep_running"
    assert experiment.take()["taken"]
    estimate, error = experiment.effect()
    looks.append({"information_fraction": 1, "estimate": estimate, "standard_error": error})
    expected = expect(experiment.client.post("/api/v1/sequential/monitor", {"plan": plan, "looks": looks}))
    assert expected["overrun"] and experiment.looks["status"] == "ended"
    assert experiment.looks["comparisons"][0]["reading"]["looks"] == [
        pytest.approx(look, abs=2e-6) for look in expected["looks"]]
    assert experiment.looks["comparisons"][0]["reading"]["adjusted"] == pytest.approx(expected["adjusted"], abs=2e-6)
    assert not experiment.take()["taken"]


def test_the_end_without_an_effect(running):
    experiment = running()
    experiment.add((5, 1), (5, 2))
    size = experiment.sequential["planned_sample_size_per_variant"]
    experiment.add((size, round(0.3 * size)), (size, round(0.3 * size)))
    assert experiment.codes() == ["inconclusive_ci", "info_fraction_incomplete"]
    assert experiment.take()["taken"]
    assert experiment.looks["status"] == "ended"
    assert experiment.looks["comparisons"][0]["status"] == "no_rejection"
    assert experiment.decision()["verdict"] == "no_ship"
    assert "info_fraction_complete_no_effect" in experiment.codes()


@pytest.mark.parametrize("direction", ["increase", "decrease"])
def test_futility_stops_and_a_decrease_turns_signs(running, direction):
    experiment = running(looks={"futility": "binding", "information_fractions": [0.5, 1]}, direction=direction)
    experiment.add((5, 1), (5, 1))
    size = experiment.sequential["planned_sample_size_per_variant"]
    better, worse = (0.3, 0.22) if direction == "increase" else (0.22, 0.3)
    half = math.ceil(size / 2)
    experiment.add((half - 5, round(better * half)), (half - 5, round(worse * half)))
    shown = experiment.looks
    sign = 1 if direction == "increase" else -1
    assert (shown["sides"], shown["alpha"]) == (1, 0.025)
    assert sign * shown["comparisons"][0]["efficacy_z"] > sign * shown["comparisons"][0]["futility_z"]
    assert experiment.take()["taken"]
    assert experiment.looks["comparisons"][0]["status"] == "futility" and experiment.looks["status"] == "ended"
    assert experiment.decision()["verdict"] == "no_ship" and experiment.codes() == ["planned_looks_futile"]
    assert experiment.decision()["headline"] == "no_effect"


def test_non_binding_futility_may_go_on_and_shows_the_power_that_is_left(running):
    experiment = running(looks={"futility": "non_binding", "information_fractions": [0.4, 0.7, 1]})
    experiment.add((5, 1), (5, 1))
    size = experiment.sequential["planned_sample_size_per_variant"]
    part = math.ceil(0.4 * size)
    experiment.add((part - 5, round(0.3 * part)), (part - 5, round(0.27 * part)))
    assert experiment.take()["taken"]
    assert experiment.looks["comparisons"][0]["status"] == "futility" and experiment.looks["status"] == "running"
    assert experiment.decision()["verdict"] == "no_ship"
    experiment.add((part, round(0.27 * part)), (part, round(0.48 * part)))
    assert experiment.take()["taken"]
    shown = experiment.looks["comparisons"][0]
    assert shown["status"] == "continue" and 0 < shown["reading"]["outlook"]["conditional_power_planned"] < 1
    assert experiment.decision()["verdict"] == "keep_running"


def test_several_treatments_end_one_by_one(running):
    experiment = running(variants=3, looks={"alpha_spending": "pocock", "information_fractions": [0.5, 1]})
    experiment.add((5, 1), (5, 1), (5, 1))
    assert experiment.looks["alpha"] == 0.025
    size = experiment.sequential["planned_sample_size_per_variant"]
    half = math.ceil(size / 2)
    experiment.add((half, round(0.3 * half)), (half, round(0.6 * half)), (half, round(0.33 * half)))
    assert experiment.take()["taken"]
    assert [one["status"] for one in experiment.looks["comparisons"]] == ["efficacy", "continue"]
    assert experiment.looks["status"] == "running" and experiment.decision()["verdict"] == "ship"
    experiment.add((half, round(0.3 * half)), (half, round(0.3 * half)), (half, round(0.33 * half)))
    assert experiment.take()["taken"]
    shown = experiment.looks["comparisons"]
    assert [one["status"] for one in shown] == ["efficacy", "no_rejection"]
    assert [len(one["reading"]["looks"]) for one in shown] == [2, 2] and experiment.looks["status"] == "ended"


def test_another_plan_after_looks_gives_no_verdict(running):
    experiment = running()
    experiment.add((5, 1), (5, 2))
    size = experiment.sequential["planned_sample_size_per_variant"]
    experiment.add((size, round(0.1 * size)), (size, round(0.5 * size)))
    assert experiment.take()["taken"] and experiment.decision()["verdict"] == "ship"
    expect(put(experiment.client, experiment.id, design({**PLAN, "alpha_spending": "pocock"})))
    assert experiment.looks["status"] == "plan_changed" and not experiment.take()["taken"]
    assert experiment.decision()["verdict"] == "keep_running" and "planned_looks_changed" in experiment.codes()
    other = design()
    other["metrics"]["primary_metric_name"] = "signup"  # of the same size
    windowed = design()
    windowed["metrics"]["metric_rules"] = [{"name": "purchase", "conversion_window": "after_exposure", "conversion_window_days": 1}]
    for changed in (other, windowed):
        expect(put(experiment.client, experiment.id, changed))
        assert experiment.looks["status"] == "plan_changed" and experiment.decision()["verdict"] == "keep_running"
    expect(put(experiment.client, experiment.id, design()))
    assert experiment.looks["status"] == "ended" and experiment.decision()["verdict"] == "ship"
    expect(experiment.client.get(f"/api/v1/experiments/{experiment.id}/certificate"), 409, "certificate_of_planned_looks")
    expect(experiment.client.send("DELETE", experiment.path("events")))
    assert experiment.take() == {"experiment_id": experiment.id, "taken": False, "settling": False, "planned_looks": experiment.looks}


def test_the_upkeep_takes_what_is_due(running, store):
    due, early = running(), running()
    for experiment in (due, early):
        experiment.add((5, 1), (5, 2))
    size = due.sequential["planned_sample_size_per_variant"]
    due.add((size // 2, size // 7), (size // 2, size // 6))
    done = store.program("experiments-upkeep", ASSAY_LOCALES_DIR=str(CHECKOUT / "locales"))
    assert done.returncode == 0, done.stderr
    assert [look["actor"] for look in due.looks["looks"]] == [None] and early.looks["looks"] == []
    done = store.program("experiments-upkeep", ASSAY_LOCALES_DIR=str(CHECKOUT / "locales"))
    assert len(due.looks["looks"]) == 1


def test_refusals_and_designs_without_looks(store):
    plain = Experiment(store.client)
    expect(plain.client.post(plain.path("looks"), {}), 409, "no_planned_looks")
    assert "planned_looks" not in plain.stats()["sequential"]
    read = expect(store.client.get(f"/api/v1/projects/{plain.id}"))
    assert "planned_looks" not in read["payload"]["constraints"]
    kept = create(store.client, design())
    assert kept["payload"]["constraints"]["planned_looks"]["information_fractions"] == [0.25, 0.5, 1]
    for looks, more, words in (({"information_fractions": [0.5]}, {}, "end at 1"), (PLAN, {"n_looks": 3}, "n_looks"),
                               ({**PLAN, "alpha_parameter": 1}, {}, "alpha_parameter")):
        answer = store.client.post("/api/v1/projects", design(looks, **more))
        assert answer.status == 422 and words in answer.text


def hybrid_design(share=0.5, **more):
    """Of more users than readings before the end need at least; without a share a plain one."""
    built = design(looks=None, **more)
    built["metrics"]["mde_pct"] = 35
    if share:
        built["constraints"]["hybrid"] = {"early_share": share}
    return built


def planned_by(client, share=0.5, alpha=0.05, **look):
    """The same readings by the route of hybrid designs."""
    return expect(client.post("/api/v1/sequential/hybrid", {"alpha": alpha, "power": 0.8, "early_share": share, **look}))


def certified(tmp_path, store, experiment):
    """What the certificate says of hybrid readings: both verifiers find it right, and wrong with any other constant."""
    certificate = check_certificate(tmp_path, store, experiment.id)
    hybrid, shown = certificate["hybrid"], experiment.sequential["hybrid"]
    assert certificate["format"] == "assay-certificate-3" and hybrid["status"] == shown["status"]
    assert [one["status"] for one in hybrid["readings"]] == [one["status"] for one in shown["comparisons"]]
    for part, name, factor in ((hybrid, "end_z", 0.999), (hybrid, "end_z", 1.01), (hybrid, "early_share", 1.01),
                               (hybrid, "tuned_fraction", 1.1), (hybrid, "early_error", 1.01), (hybrid, "alpha", 1.01),
                               *((reading, field, 1.01) for reading in hybrid["readings"] for field in
                                 ("boundary_z", "z", "p_value", "effect", "ci_lower", "ci_upper"))):
        before = part[name]
        if before is None or (name == "p_value" and before == 1):
            continue
        part[name] *= factor
        with pytest.raises(verifier.Wrong):
            verifier.check_figures(certificate)
        part[name] = before
    verifier.check_figures(certificate)
    return hybrid


def test_a_hybrid_is_read_at_any_time_and_tested_once(store, tmp_path):
    experiment, plain = Running(store.client, hybrid_design()), Running(store.client, hybrid_design(share=None))
    for one in (experiment, plain):
        one.add((8, 2), (8, 3))
    shown = experiment.sequential["hybrid"]
    plan = planned_by(store.client)
    size = experiment.sequential["planned_sample_size_per_variant"]
    assert size == pytest.approx(plan["inflation_factor"] * plain.sequential["planned_sample_size_per_variant"], abs=2)
    assert (shown["status"], shown["end"], shown["end_due"]) == ("running", None, False)
    assert shown["end_z"] == pytest.approx(plan["end_z"], abs=1e-6)
    assert shown["early_error"] == pytest.approx(plan["early_error"], abs=1e-7)
    assert shown["comparisons"][0]["status"] == "too_few_users"
    certified(tmp_path, store, experiment)
    assert not experiment.take()["taken"]  # the end is not due
    half = math.ceil(size / 2)
    experiment.add((half - 8, round(0.25 * half)), (half - 8, round(0.45 * half)))
    estimate, error = experiment.effect()
    [now] = experiment.sequential["hybrid"]["comparisons"]
    expected = planned_by(store.client, look={"information_fraction": half / size, "estimate": estimate, "standard_error": error})["reading"]
    for name in ("boundary_z", "z", "p_value", "ci_lower", "ci_upper", "is_significant", "status"):
        assert now[name] == (pytest.approx(expected[name], abs=1e-6) if isinstance(expected[name], float) else expected[name]), name
    assert experiment.sequential["current_boundary_z"] == pytest.approx(expected["boundary_z"], abs=1e-4)
    assert now["status"] == "efficacy" and experiment.looks_taken() == []  # a reading is no look
    decision = experiment.decision()
    assert decision["reasons"][0]["code"] == "significant_win" and decision["hybrid"] == experiment.sequential["hybrid"]
    [arm] = decision["evidence"]["winning_arms"]
    assert arm["p_value"] == pytest.approx(expected["p_value"], abs=1e-6)
    assert arm["practical"]["ci_lower"] == pytest.approx(100 * expected["ci_lower"], abs=1e-3)
    certified(tmp_path, store, experiment)
    # The effect goes: a reading claims nothing any more, and the test at the end decides for good.
    experiment.add((size - half + 3, round(0.5 * (size - half))), (size - half + 3, round(0.35 * (size - half))))
    assert experiment.sequential["hybrid"]["end_due"] and experiment.decision()["verdict"] == "keep_running"
    estimate, error = experiment.effect()
    first, again = experiment.take(), experiment.take()
    assert (first["taken"], again["taken"], first["hybrid"]["status"]) == (True, False, "ended")
    end = (size + 3) / size
    expected = planned_by(store.client, look={"information_fraction": end, "estimate": estimate, "standard_error": error, "is_end": True})["reading"]
    [last] = first["hybrid"]["comparisons"]
    assert first["hybrid"]["end_z"] == pytest.approx(expected["boundary_z"], abs=1e-6)
    for name in ("z", "p_value", "ci_lower", "ci_upper"):
        assert last[name] == pytest.approx(expected[name], abs=2e-6)
    assert last["status"] == expected["status"] == "no_rejection"
    decision = experiment.decision()
    assert decision["verdict"] == "no_ship" and "info_fraction_complete_no_effect" in experiment.codes()
    experiment.add((size, round(0.1 * size)), (size, round(0.9 * size)))  # comes too late
    assert experiment.sequential["hybrid"]["comparisons"] == [last] and experiment.decision()["verdict"] == "no_ship"
    end = certified(tmp_path, store, experiment)["end"]
    assert end["users"] == 2 * (size + 3) and [arm["users"] for arm in end["sums"]["arms"]] == [size + 3] * 2


def test_the_end_of_a_hybrid_by_the_upkeep_or_earlier_by_hand(store, tmp_path):
    due, early = (Running(store.client, hybrid_design(variants=variants)) for variants in (2, 3))
    due.add((8, 2), (8, 3))
    size = due.sequential["planned_sample_size_per_variant"]
    due.add((size, round(0.3 * size)), (size, round(0.6 * size)))
    early.add(*[(size // 2, round(share * size / 2)) for share in (0.3, 0.33, 0.6)])
    assert early.sequential["hybrid"]["alpha"] == 0.025
    upkeep(store)
    assert due.sequential["hybrid"]["end"]["actor"] is None and due.decision()["verdict"] == "ship"
    assert early.sequential["hybrid"]["end"] is None
    assert early.take(unplanned=True)["taken"]  # of other reasons than the effect
    shown = early.sequential["hybrid"]
    fraction = early.sequential["information_fraction"]
    assert shown["end"]["information_fraction"] == pytest.approx(fraction, abs=1e-4) and fraction < 1
    assert [one["status"] for one in shown["comparisons"]] == ["no_rejection", "efficacy"]
    expect(put(store.client, early.id, hybrid_design(share=0.2, variants=3)))
    assert early.sequential["hybrid"]["status"] == "plan_changed" and early.decision()["verdict"] == "keep_running"
    changed = check_certificate(tmp_path, store, early.id)
    assert (changed["hybrid"]["status"], changed["hybrid"]["readings"]) == ("plan_changed", [])
    expect(put(store.client, early.id, hybrid_design(variants=3)))
    assert early.sequential["hybrid"] == shown
    for experiment in (due, early):
        certified(tmp_path, store, experiment)
    store.database.run(f"UPDATE experiment_looks SET sums_json = NULL WHERE experiment_id = '{early.id}'")
    answer = expect(store.client.get(f"/api/v1/experiments/{early.id}/certificate"), 409, "certificate_of_planned_looks")
    assert "kept no sums" in str(answer)


@pytest.mark.parametrize("kind", ["continuous", "ratio", "decrease"])
def test_certificates_of_hybrids_of_every_kind(store, tmp_path, kind):
    """Before the end and after it; the last one with records that came too late."""
    metrics = {"primary_metric_name": "purchase", "alpha": 0.05, "power": 0.8, "mde_pct": 6, "metric_type": kind,
               "baseline_value": 10, "std_dev": 5, "direction": "increase"}
    if kind == "ratio":
        metrics.update(numerator_metric_name="purchase", denominator_metric_name="visit")
    if kind == "decrease":
        metrics.update(metric_type="binary", baseline_value=0.4, mde_pct=-30, direction="decrease")
        del metrics["std_dev"]
    built = hybrid_design()
    built["metrics"] = metrics
    experiment = Experiment(store.client, built)
    size = experiment.stats()["sequential"]["planned_sample_size_per_variant"]
    rng = random.Random(7)

    def add(label, users):
        names = [(f"{label}-{arm}-{i}", arm) for arm in (0, 1) for i in range(users)]
        events = [{"user_id": name, "metric": "purchase", "occurred_at": 1,
                   "value": 1 if kind == "decrease" else rng.gauss(10 + arm, 5)}
                  for name, arm in names if kind != "decrease" or rng.random() < 0.4 - 0.1 * arm]
        visits = [{"user_id": name, "metric": "visit", "occurred_at": 1, "value": 1 + rng.random()} for name, _ in names]
        for route, records in (("exposures", [{"user_id": name, "variation_index": arm, "occurred_at": 0} for name, arm in names]),
                               ("conversions", events + visits * (kind == "ratio"))):
            for start in range(0, len(records), 1000):
                experiment.send(route, *records[start:start + 1000])

    add("early", max(size // 2, 520))
    certificate = check_certificate(tmp_path, store, experiment.id)
    assert certificate["hybrid"]["readings"][0]["status"] in ("continue", "efficacy")
    add("late", size)
    assert expect(experiment.client.post(experiment.path("looks"), {}))["taken"]
    add("later", 30)
    certificate = check_certificate(tmp_path, store, experiment.id)
    assert certificate["hybrid"]["status"] == "ended" and certificate["hybrid"]["readings"][0]["status"] == "efficacy"
    assert certificate["hybrid"]["end"]["sums"]["arms"] != certificate["arms"]


def upkeep(store, **settings):
    done = store.program("experiments-upkeep", ASSAY_LOCALES_DIR=str(CHECKOUT / "locales"), **settings)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_upkeep_passes_over_designs_that_several_goals_decide(store):
    built = hybrid_design()
    built["metrics"]["goals"] = {"further": [{"name": "refund", "metric_type": "binary", "direction": "decrease"}]}
    experiment = Running(store.client, built)
    experiment.add((8, 2), (8, 3))
    assert "hybrid" not in experiment.sequential or experiment.sequential["hybrid"] is None
    assert experiment.id not in upkeep(store)


def test_the_end_waits_for_values_that_come_after_the_users(store):
    experiment = Running(store.client, hybrid_design())
    experiment.add((8, 0), (8, 0))
    size = experiment.sequential["planned_sample_size_per_variant"]
    experiment.add((size, 0), (size, 0))
    upkeep(store, AB_LIVE_SETTLING_SECONDS="86400")  # all exposures are there, and no event
    assert experiment.sequential["hybrid"]["end_due"] and experiment.looks_taken() == []
    for arm, converted in enumerate((round(0.3 * size), round(0.6 * size))):
        experiment.send("conversions", *[{"user_id": f"{arm}-{i}", "metric": "purchase", "occurred_at": 1} for i in range(converted)])
    upkeep(store)
    assert experiment.looks_taken() and experiment.decision()["verdict"] == "ship"


@pytest.mark.parametrize("built", [hybrid_design(), design({"information_fractions": [0.5, 1]})], ids=["hybrid", "planned_looks"])
def test_the_last_look_waits_for_the_conversion_window(store, built):
    built["metrics"].update(conversion_window="after_exposure", conversion_window_days=14)
    experiment = Running(store.client, built)
    experiment.expose("first", 0)
    size = experiment.sequential["planned_sample_size_per_variant"]
    if built["constraints"].get("planned_looks"):
        experiment.add((size // 2 + 1, 9), (size // 2 + 1, 9))
        assert experiment.take()["taken"]  # one between may be taken with the values so far
    for arm in (0, 1):
        records = [{"user_id": f"late {arm} {i}", "variation_index": arm} for i in range(size)]  # now
        experiment.send("exposures", *records)
        experiment.send("conversions", *[{"user_id": f"late {arm} {i}", "metric": "purchase"} for i in range(9)])
    waiting = experiment.take()
    assert (waiting["taken"], waiting["settling"]) == (False, True)
    early = experiment.take(unplanned=True)  # on one's own account
    assert (early["taken"], early["settling"]) == (True, False)


@pytest.mark.parametrize("wrong", [{"n_looks": 2}, {"planned_looks": PLAN}])
def test_a_hybrid_stands_alone(store, wrong):
    built = hybrid_design()
    built["constraints"].update(wrong)
    answer = store.client.post("/api/v1/projects", built)
    assert answer.status == 422 and "hybrid readings" in answer.text
