"""Which events and users count in a running experiment, and what is said about the others: the conversion window, users in
several arms, events under unknown names, covariates that cover few users. On both engines."""

import pytest

from live_test import HOUR, Experiment, experiment, fill, metrics
from project_fixtures import PROJECTS, expect, payload

pytest_plugins = ["store_fixtures"]
__all__ = ["experiment"]  # a fixture


def decision(experiment):
    return expect(experiment.client.get(experiment.path("decision")))


def warnings_of(shown):
    return {warning["code"]: warning for warning in shown["warnings"]}


def converted(experiment):
    return [experiment.arm(arm)["converted_users"] for arm in (0, 1)]


class TestConversionWindow:
    """Which events count (decision 25): all, those after the exposure, or those in so many days after it."""
    DAY = 24 * HOUR
    TIMES = [-1, 0, DAY, 3 * DAY, 3 * DAY + 1, 40 * DAY]  # one user each, seen from the exposure

    def sent(self, store, **window):
        experiment = Experiment(store.client, payload("live", "binary", metrics=metrics(**window)))
        for arm in (0, 1):
            for i, at in enumerate(self.TIMES):
                experiment.convert(f"u{arm}-{i}", occurred_at=10 ** 9 + at)
                experiment.expose(f"u{arm}-{i}", arm, 10 ** 9)
        return experiment

    @pytest.mark.parametrize("window,count", [
        ({}, 6), ({"conversion_window": "after_exposure"}, 5),
        ({"conversion_window": "after_exposure", "conversion_window_days": 3}, 3)])
    def test_what_counts(self, store, window, count):
        experiment = self.sent(store, **window)
        assert converted(experiment) == [count, count]
        shown = experiment.stats()
        timing = shown["event_timing"]
        assert (timing["out_of_order"], timing["total"]) == (2, 12)
        assert (timing["conversion_window"], timing["conversion_window_days"]) == (
            window.get("conversion_window", "all"), window.get("conversion_window_days"))
        policy, reason = decision(experiment)["policy"], decision(experiment)["reasons"][-1]
        assert policy["conversion_window"] == timing["conversion_window"]
        assert (reason["code"], reason["params"]) == ("events_before_exposure", {
            "events": 2, "events_total": 12, "conversion_window": timing["conversion_window"]})
        assert ("they are left out" in reason["text"]) == bool(window) and "EVENTS_BEFORE_EXPOSURE" in warnings_of(shown)

    def test_the_window_of_a_design_can_be_changed(self, store):
        experiment = self.sent(store)
        for window, count in (({"conversion_window": "after_exposure"}, 5), ({}, 6)):
            path = f"{PROJECTS}/{experiment.id}"
            expect(store.client.send("PUT", path, payload("live", "binary", metrics=metrics(**window))))
            assert converted(experiment) == [count, count]

    def test_an_earlier_exposure_of_an_alias_moves_the_window(self, store):
        experiment = Experiment(store.client, payload("live", "binary", metrics=metrics(conversion_window="after_exposure")))
        experiment.expose("user", 0, 5 * HOUR)
        experiment.convert("user", occurred_at=3 * HOUR)
        assert experiment.arm(0)["converted_users"] == 0
        experiment.expose("anon", 0, HOUR)
        experiment.link("anon", "user")
        assert (experiment.arm(0)["exposed_users"], experiment.arm(0)["converted_users"]) == (1, 1)

    def test_values_guardrails_and_ratios_follow_it(self, store):
        kinds = {"continuous": {"baseline_value": 5.0, "std_dev": 2.0}, "ratio": {
            "baseline_value": .5, "std_dev": 1.0, "numerator_metric_name": "purchase", "denominator_metric_name": "visit"}}
        for kind, numbers in kinds.items():
            experiment = Experiment(store.client, payload("live", kind, metrics={
                **metrics(metric_type=kind, conversion_window="after_exposure", **numbers), "guardrail_metrics": [
                    {"name": "error", "metric_type": "binary", "baseline_rate": 5}]}))
            for i in range(4):
                experiment.expose(f"u{i}", 0, 10 * HOUR)
                for at, value in ((9 * HOUR, 1000), (11 * HOUR, i)):
                    experiment.convert(f"u{i}", "purchase", value, occurred_at=at)
                    experiment.convert(f"u{i}", "visit", 1, occurred_at=at)
                experiment.convert(f"u{i}", "error", occurred_at=9 * HOUR)
            arm = experiment.arm(0)
            assert (arm["mean"], arm["ratio"]) == ((1.5, None) if kind == "continuous" else (None, 1.5))
            [guardrail] = experiment.stats()["guardrail"]["metrics"]
            assert guardrail["comparisons"][0]["control"]["point_estimate"] == 0.0


class TestSeveralArms:
    """Users who were sent in more than one arm are counted (decision 25); their first exposure stands."""

    def test_they_are_counted_once(self, experiment):
        experiment.expose("a", 0), experiment.expose("b", 1), experiment.expose("c", 1)
        assert experiment.expose("a", 1) == (1, 0, 1) and experiment.expose("a", 1) == (1, 0, 1)
        assert experiment.expose("b", 1) == (1, 0, 1)
        experiment.expose("c2", 0, 9), experiment.link("c2", "c")
        shown = experiment.stats()
        assert shown["population"]["multiple_exposure_users"] == 2 and shown["exposures_total"] == 3
        assert shown["population"]["multiple_exposure_share"] == round(2 / 3, 6)
        reason = decision(experiment)["reasons"][-1]
        assert (reason["code"], reason["params"]) == ("multiple_exposure_users", {"users": 2, "share_pct": 66.67})
        experiment.send("exclusions", {"user_id": "a"})
        assert experiment.stats()["population"]["multiple_exposure_users"] == 1

    @pytest.mark.parametrize("crossed,warned,reasoned", [(1, False, False), (2, True, False), (11, True, True)])
    def test_warning_and_reason(self, store, crossed, warned, reasoned):
        experiment = Experiment(store.client)
        fill(experiment, [(500, 0), (500, 0)])
        experiment.send("exposures", *[{"user_id": f"u0-{i}", "variation_index": 1} for i in range(crossed)])
        assert ("MULTIPLE_EXPOSURE" in warnings_of(experiment.stats())) == warned
        assert ("multiple_exposure_users" in [r["code"] for r in decision(experiment)["reasons"]]) == reasoned


def test_events_under_unknown_names_are_reported(experiment):
    fill(experiment, [(3, 3), (3, 2)])
    assert experiment.stats()["unknown_metrics"] == {"names_total": 0, "events_total": 0, "metrics": []}
    for i in range(3):
        experiment.convert("u0-1", "Purchase")
    experiment.convert("nobody", "purchse")
    shown = experiment.stats()
    assert shown["unknown_metrics"] == {"names_total": 2, "events_total": 4, "metrics": [
        {"name": "Purchase", "events": 3}, {"name": "purchse", "events": 1}]}
    assert "Purchase, purchse" in warnings_of(shown)["UNKNOWN_METRICS"]["message"]
    experiment.send("conversions", *[{"user_id": "x", "metric": f"name {i:03}"} for i in range(30)])
    unknown = experiment.stats()["unknown_metrics"]
    assert (unknown["names_total"], unknown["events_total"], len(unknown["metrics"])) == (32, 34, 20)


class TestCovariates:
    """A name that covers less than 5 % of the exposed users is ignored and reported (decision 26)."""

    def sent(self, store):
        experiment = Experiment(store.client, payload("live", "continuous", metrics=metrics(
            metric_type="continuous", baseline_value=10.0, std_dev=3.0)))
        users = [(f"u{i}", i % 2, 10 + i % 7 + i % 2) for i in range(40)]
        experiment.send("exposures", *[{"user_id": u, "variation_index": arm, "occurred_at": 0} for u, arm, _ in users])
        experiment.send("conversions", *[{"user_id": u, "metric": "purchase", "value": v} for u, _, v in users])
        experiment.send("pre-period", *[{"user_id": u, "value": v % 5} for u, _, v in users])
        return experiment

    def test_a_stray_name_does_not_switch_it_off(self, store):
        experiment = self.sent(store)
        before = experiment.stats()["cuped"]
        assert before["status"] == "available" and before["ignored_covariates"] == []
        experiment.send("pre-period", {"user_id": "u1", "value": 3, "covariate_name": "stray"},
                        {"user_id": "stranger", "value": 3, "covariate_name": "nobody has it"})
        shown = experiment.stats()
        after = shown["cuped"]
        assert after["ignored_covariates"] == [{"name": "stray", "users": 1, "coverage": .025},
                                               {"name": "nobody has it", "users": 0, "coverage": 0.0}]
        assert {**after, "ignored_covariates": []} == before and "stray" in warnings_of(shown)["IGNORED_COVARIATES"]["message"]
        experiment.send("conversions", {"user_id": "u2", "metric": "purchase", "value": 5})
        assert experiment.stats()["cuped"]["covariate_users_total"] == 40

    def test_it_is_used_from_5_percent_on(self, store):
        experiment = self.sent(store)
        experiment.send("pre-period", {"user_id": "u1", "value": 3, "covariate_name": "late"})
        assert experiment.stats()["cuped"]["num_covariates"] == 1
        experiment.send("pre-period", *[{"user_id": f"u{i}", "value": i * i % 11, "covariate_name": "late"} for i in range(2, 30)])
        cuped = experiment.stats()["cuped"]
        assert (cuped["num_covariates"], cuped["covariate_users_total"]) == (2, 29)
        assert [c["name"] for c in cuped["covariates"]] == ["__default__", "late"] and cuped["ignored_covariates"] == []

    def test_more_than_ten_names_of_which_few_cover(self, store):
        experiment = self.sent(store)
        experiment.send("pre-period", *[{"user_id": "u1", "value": 3, "covariate_name": f"stray {i}"} for i in range(12)])
        cuped = experiment.stats()["cuped"]
        assert (cuped["status"], cuped["num_covariates"], len(cuped["ignored_covariates"])) == ("available", 1, 12)


def test_a_winsorized_mean_says_why_it_has_no_cap(store):
    """Most people have no event, so that the percentile of all of them is 0."""
    asked = {"name": "purchase", "statistic": "winsorized_mean", "at": 90}
    sent = payload("live", "binary", metrics=metrics(robust_metrics=[
        asked, {**asked, "ignore_zeros": True}, {**asked, "name": "nobody", "ignore_zeros": True}]))
    experiment = Experiment(store.client, sent)
    fill(experiment, [(50, 2), (50, 3)])
    robust = experiment.stats()["metrics"][1:]
    assert [metric["reason"] for metric in robust] == ["cap_not_positive", None, "no_values"]
    assert [metric["cap"] is None for metric in robust] == [True, False, True]


def test_squares_about_the_mean_outlive_a_huge_value(store):
    """What was larger and is gone leaves its rounding in the sums: they are made again (golden G-22)."""
    experiment = Experiment(store.client, payload("live", "continuous", metrics=metrics(
        metric_type="continuous", baseline_value=1e9, std_dev=2.0)))
    for arm in (0, 1):
        for i in range(5):
            experiment.expose(f"u{arm}{i}", arm)
            experiment.convert(f"u{arm}{i}", "purchase", 1e9 + i - 2 + 3 * arm)
    experiment.expose("huge", 0)
    experiment.convert("huge", "purchase", 1.2345e16)
    experiment.send("exclusions", {"user_id": "huge"})
    assert [experiment.arm(arm)["std"] for arm in (0, 1)] == [1.581139, 1.581139]
    assert experiment.stats()["comparisons"][0]["analysis"]["p_value"] == .017072
