"""POST /api/v1/sequential/design and /monitor: spending functions, observed looks. Figures are R's rpact 3.3.4. And
/hybrid, whose figures are those of tests/oracle/hybrid_test.py."""

import pytest

from client import LANGUAGES

ONE_SIDED = {"sides": 1, "alpha": 0.025, "power": 0.8, "information_fractions": [0.3, 0.6, 1]}
POCOCK = {"alpha": 0.05, "alpha_spending": "pocock", "information_fractions": [0.3, 0.6, 1]}


def design(api, **plan):
    return api.post("/api/v1/sequential/design", plan, may_fail=True)


def monitor(api, plan, looks, **more):
    looks = [{"information_fraction": t, **(value if isinstance(value, dict) else {"z": value})} for t, value in looks]
    return api.post("/api/v1/sequential/monitor", {"plan": plan, "looks": looks, **more}, may_fail=True)


class TestDesign:
    def test_futility_that_does_not_bind(self, api):
        thirds = [0.333, 0.6666666666666666, 1]
        reply = design(api, sides=1, alpha=0.025, power=0.8, futility="non_binding", information_fractions=thirds).json()
        assert reply["drift"] == pytest.approx(2.944089218, abs=2e-6)
        assert reply["inflation_factor"] == pytest.approx(1.104318274, abs=2e-6)
        assert [look["efficacy_z"] for look in reply["looks"]] == pytest.approx([3.712326, 2.511411, 1.993046], abs=2e-6)
        assert [look["futility_z"] for look in reply["looks"]] == pytest.approx([-0.238239, 1.170470, 1.993046], abs=2e-6)
        assert sum(look["efficacy_probability"] for look in reply["looks"]) == pytest.approx(0.8, abs=1e-5)
        assert reply["looks"][-1]["alpha_spent"] == 0.025 and reply["looks"][-1]["beta_spent"] == pytest.approx(0.2)

    def test_two_sides(self, api):
        plan = {"alpha": 0.05, "power": 0.9, "alpha_spending": "hwang_shih_decani", "alpha_parameter": -4}
        reply = design(api, **plan, information_fractions=[0.2, 0.4, 0.7, 1]).json()
        assert reply["inflation_factor"] == pytest.approx(1.0174446826, abs=2e-6)
        assert [look["efficacy_z"] for look in reply["looks"]] == pytest.approx(
            [3.252668, 2.986046, 2.506856, 2.005112], abs=2e-6)
        assert [look["futility_z"] for look in reply["looks"]] == [None] * 4

    def test_a_look_without_alpha(self, api):
        reply = design(api, alpha=0.001, information_fractions=[0.01, 1]).json()
        assert reply["looks"][0]["efficacy_z"] is None and reply["looks"][0]["alpha_spent"] == 0
        assert reply["looks"][1]["efficacy_p"] == pytest.approx(0.001)

    def test_a_decrease_turns_signs(self, api):
        up = design(api, **ONE_SIDED).json()
        down = design(api, **ONE_SIDED, direction="decrease").json()
        assert [look["efficacy_z"] for look in down["looks"]] == [-look["efficacy_z"] for look in up["looks"]]

    def test_most_looks(self, api):
        reply = design(api, information_fractions=[k / 100 for k in range(1, 101)], alpha_spending="pocock").json()
        assert len(reply["looks"]) == 100
        assert sum(look["null_efficacy_probability"] for look in reply["looks"]) == pytest.approx(0.05)

    @pytest.mark.parametrize("plan, words", [
        ({"information_fractions": [0.5, 0.9]}, "end at 1"),
        ({"information_fractions": [0.5, 0.5, 1]}, "rise by"),
        ({"information_fractions": [1], "alpha_spending": "kim_demets"}, "alpha_parameter"),
        ({"information_fractions": [1], "alpha_parameter": 2}, "alpha_parameter"),
        ({"information_fractions": [1], "sides": 1, "futility": "binding", "beta_spending": "kim_demets"},
         "beta_parameter"),
        ({"information_fractions": [1], "futility": "binding"}, "one side"),
        ({"information_fractions": [1], "power": 0.02}, "the power must be"),
    ])
    def test_refused(self, api, plan, words):
        answer = design(api, **plan)
        assert answer.status == 422 and words in answer.json()["detail"][0]["msg"]


class TestMonitor:
    def test_a_rejection_before_the_end(self, api):
        reply = monitor(api, ONE_SIDED, [(0.3, 1.5), (0.6, 2.9)]).json()
        assert reply["status"] == "efficacy" and reply["scale"] == "drift" and reply["outlook"] is None
        assert [look["decision"] for look in reply["looks"]] == ["continue", "efficacy"]
        adjusted = reply["adjusted"]
        assert adjusted["p_value"] == pytest.approx(0.001886284, abs=1e-6) and adjusted["is_significant"]
        assert adjusted["estimate"] == pytest.approx(3.74241, abs=1e-4)
        assert (adjusted["ci_lower"], adjusted["ci_upper"]) == pytest.approx((1.21077, 6.27322), abs=1e-4)
        assert adjusted["ci_level"] == 0.95
        assert reply["repeated_p_value"] == pytest.approx(0.015991, abs=2e-6)

    def test_estimates_keep_their_unit(self, api):
        """An estimate of twice the unit is the same z with an interval twice as long."""
        looks = [(t, {"estimate": z * s, "standard_error": s}) for t, z, s in ((0.3, -1.5, 4.0), (0.6, -2.9, 3.0))]
        reply = monitor(api, POCOCK, looks).json()
        drift = monitor(api, POCOCK, [(0.3, 1.5), (0.6, 2.9)]).json()["adjusted"]
        unit = 3.0 * 0.6 ** 0.5
        assert reply["scale"] == "estimate" and reply["adjusted"]["p_value"] == pytest.approx(0.0227734, abs=1e-6)
        assert reply["adjusted"]["ci_upper"] == pytest.approx(-drift["ci_lower"] * unit, rel=1e-5)
        assert reply["adjusted"]["estimate"] == pytest.approx(-drift["estimate"] * unit, rel=1e-5)
        assert reply["looks"][1]["repeated_ci_lower"] == pytest.approx(-6.740242 * unit, rel=1e-4)

    def test_what_is_left(self, api):
        reply = monitor(api, ONE_SIDED, [(0.3, 1.5)], effect=2.9).json()
        outlook = reply["outlook"]
        assert reply["status"] == "continue" and reply["adjusted"] is None
        assert outlook["information_fractions"] == [0.6, 1]
        assert outlook["conditional_power_effect"] == pytest.approx(0.853352, abs=2e-6)
        assert outlook["predictive_power"] == pytest.approx(0.692723, abs=2e-6)

    def test_unplanned_looks_spend_by_their_fraction(self, api):
        planned = monitor(api, POCOCK, [(0.3, 1.0), (0.6, 1.0)]).json()["looks"]
        reply = monitor(api, POCOCK, [(0.3, 1.0), (0.41, 1.0), (0.6, 1.0)]).json()["looks"]
        assert reply[2]["alpha_spent"] == planned[1]["alpha_spent"] and reply[2]["efficacy_z"] > planned[1]["efficacy_z"]

    def test_data_after_the_stop(self, api):
        """The look that stopped is left out; the last one is the end."""
        reply = monitor(api, ONE_SIDED, [(0.3, 1.5), (0.6, 2.9), (0.66, 2.5)]).json()
        assert reply["status"] == "efficacy" and reply["overrun"]
        assert [look["decision"] for look in reply["looks"]] == ["continue", "efficacy", "overrun"]
        two = monitor(api, ONE_SIDED, [(0.3, 1.5), (0.66, 2.5)], is_final=True).json()
        assert reply["adjusted"]["p_value"] == two["adjusted"]["p_value"] > 0.00621  # of z = 2.5 alone
        assert not two["overrun"]

    def test_more_information_than_planned(self, api):
        reply = monitor(api, ONE_SIDED, [(0.5, 1.0), (1.2, 1.9)]).json()
        assert reply["status"] == "no_rejection" and reply["overrun"] and reply["adjusted"]["p_value"] > 0.025
        assert reply["looks"][1]["alpha_spent"] == 0.025

    def test_an_early_end_spends_what_is_left(self, api):
        go_on = monitor(api, ONE_SIDED, [(0.3, 1.5), (0.6, 2.1)]).json()
        end = monitor(api, ONE_SIDED, [(0.3, 1.5), (0.6, 2.1)], is_final=True).json()
        assert go_on["status"] == "continue" and end["status"] == "efficacy"
        assert end["looks"][1]["alpha_spent"] == 0.025

    def test_futility(self, api):
        plan = {**ONE_SIDED, "futility": "binding"}
        reply = monitor(api, plan, [(0.3, -2.0)]).json()
        assert reply["status"] == "futility" and reply["adjusted"]["p_value"] > 0.9
        loose = monitor(api, {**ONE_SIDED, "futility": "non_binding"}, [(0.3, -2.0), (0.6, 2.9)]).json()
        assert [look["decision"] for look in loose["looks"]] == ["futility", "efficacy"]
        assert loose["status"] == "efficacy" and not loose["overrun"]

    def test_a_decrease(self, api):
        up = monitor(api, ONE_SIDED, [(0.3, 1.5), (0.6, 2.9)]).json()["adjusted"]
        down = monitor(api, {**ONE_SIDED, "direction": "decrease"}, [(0.3, -1.5), (0.6, -2.9)]).json()["adjusted"]
        assert down["p_value"] == up["p_value"] and down["estimate"] == -up["estimate"]
        assert (down["ci_lower"], down["ci_upper"]) == (-up["ci_upper"], -up["ci_lower"])

    def test_verdict_in_every_language(self, api):
        body = {"plan": POCOCK, "looks": [{"information_fraction": 0.5, "z": 1}]}
        texts = {api.post("/api/v1/sequential/monitor", body, headers={"Accept-Language": tag}).json()["verdict"]
                 for tag in LANGUAGES}
        assert len(texts) == len(LANGUAGES)

    @pytest.mark.parametrize("looks, words", [
        ([(0.5, {"z": 1, "estimate": 1})], "either the statistic"),
        ([(0.5, {"estimate": 1})], "either the statistic"),
        ([(0.5, 1.0), (0.4, 1.0)], "rise by"),
        ([(1.0, 1.0), (1.4, 1.0)], "only the last"),
        ([(0.4, 1.0), (0.8, {"estimate": 1, "standard_error": 1})], "for all looks"),
    ])
    def test_refused(self, api, looks, words):
        answer = monitor(api, POCOCK, looks)
        assert answer.status == 422 and words in answer.json()["detail"][0]["msg"]


def hybrid(api, **plan):
    return api.post("/api/v1/sequential/hybrid", plan, may_fail=True)


def hybrid_look(api, fraction, value, **more):
    return hybrid(api, look={"information_fraction": fraction, **(value if isinstance(value, dict) else {"z": value}), **more})


class TestHybrid:
    def test_what_a_plan_demands(self, api):
        reply = hybrid(api, information_fractions=[0.25, 0.5, 0.75]).json()
        assert reply["end_z"] == pytest.approx(2.023874, abs=1e-4)
        assert reply["early_error"] == pytest.approx(0.01333, abs=1e-5)
        assert reply["inflation_factor"] == pytest.approx((2.850252 / 2.801582) ** 2, abs=1e-4)
        assert reply["early_probability"] == pytest.approx(0.4665, abs=1e-3)
        assert reply["expected_information"] < reply["null_expected_information"] < 1
        bounds = [row["z"] for row in reply["boundaries"]]
        assert reply["end_z"] < bounds[1] == min(bounds) and reply["reading"] is None, "narrowest where it is tuned for"

    def test_a_small_share_costs_little_and_a_large_one_stops_early(self, api):
        small, large = (hybrid(api, early_share=share).json() for share in (0.1, 0.9))
        assert small["inflation_factor"] < 1.01 < large["inflation_factor"]
        assert small["early_probability"] < large["early_probability"]
        assert small["end_z"] < large["end_z"]

    def test_a_reading_before_the_end_holds_at_any_time(self, api):
        late = hybrid_look(api, 0.6, 2.2).json()["reading"]
        assert late["status"] == "continue" and not late["is_significant"] and late["p_value"] > 0.05
        assert late["ci_lower"] < 0 < late["ci_upper"]
        edge = late["boundary_z"]
        below, above = (hybrid_look(api, 0.6, edge * k).json()["reading"] for k in (0.9999, 1.0001))
        assert below["p_value"] == pytest.approx(0.05, rel=2e-3) == above["p_value"]
        assert (below["status"], above["status"]) == ("continue", "efficacy")

    def test_the_same_statistic_rejects_at_the_end(self, api):
        end = hybrid_look(api, 1, 2.2, is_end=True).json()["reading"]
        assert end["status"] == "efficacy" and 0.0278 < end["p_value"] < 0.05, "above the p-value of one test"
        assert end["boundary_z"] == pytest.approx(2.023874, abs=1e-4)
        assert hybrid_look(api, 1, -2.0, is_end=True).json()["reading"]["status"] == "no_rejection"

    def test_an_interval_is_in_the_unit_of_the_estimate(self, api):
        by_z = hybrid_look(api, 0.5, 3.5).json()["reading"]
        asked = {"estimate": 7.0, "standard_error": 2.0}
        by_estimate = hybrid_look(api, 0.5, asked).json()["reading"]
        assert (by_z["scale"], by_estimate["scale"]) == ("drift", "estimate")
        assert by_estimate["p_value"] == by_z["p_value"] and by_estimate["z"] == 3.5
        assert by_estimate["ci_lower"] == pytest.approx(7 - 2 * by_z["boundary_z"], abs=1e-5)

    def test_an_end_later_than_planned_has_readings_until_then(self, api):
        planned, late = (hybrid_look(api, fraction, 2.1, is_end=True).json()["reading"] for fraction in (1, 2))
        assert late["boundary_z"] > planned["boundary_z"]

    def test_verdict_in_every_language(self, api):
        texts = {api.post("/api/v1/sequential/hybrid", {"look": {"information_fraction": 0.5, "z": 1}},
                          headers={"Accept-Language": tag}).json()["reading"]["verdict"] for tag in LANGUAGES}
        assert len(texts) == len(LANGUAGES)

    @pytest.mark.parametrize("plan, words", [
        ({"information_fractions": [0.5, 1]}, "above 0 and below 1"),
        ({"look": {"information_fraction": 1, "z": 1}}, "before the end"),
        ({"look": {"information_fraction": 0.5, "z": 1, "estimate": 1}}, "either the statistic"),
        ({"alpha": 0.5, "power": 0.4}, "above alpha"),
        ({"early_share": 1}, "less than or equal to 0.99"),
    ])
    def test_refused(self, api, plan, words):
        answer = hybrid(api, **plan)
        assert answer.status == 422 and words in answer.json()["detail"][0]["msg"]
