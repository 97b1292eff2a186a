"""POST /api/v1/design/solve: effect, power, size and days from one another. Figures by statsmodels and the tables of
Dunnett 1964; tests/oracle has the grids."""
import pytest

from client import LANGUAGES

RATES = {"test": "proportions", "baseline_value": 0.05, "mde_pct": 10, "power": 0.8}
MEANS = {"test": "means", "baseline_value": 10, "std_dev": 1, "mde_pct": 5, "power": 0.8}
HISTORY = {"users": 1000, "numerator_sum": 500, "denominator_sum": 2000, "numerator_squares": 600,
           "denominator_squares": 5000, "products": 1300}


def ask(api, language="en", **body):
    return api.post("/api/v1/design/solve", {"solve_for": "size", **body}, headers={"Accept-Language": language})


def solve(api, **body):
    answer = ask(api, **body)
    assert answer.status == 200, answer
    return answer.json()


def test_two_arms_are_those_of_calculate(api):
    """The same formula; means have the exact t, as the verified size has."""
    plan = solve(api, **RATES, daily_traffic=20000)
    assert plan["users_per_variant"] == [31234, 31234] and plan["days"] == 4 and plan["total_users"] == 62468
    assert solve(api, **MEANS)["users_per_variant"] == [64, 64]  # statsmodels: 63.77


def test_every_number_from_the_others(api):
    size = solve(api, **MEANS)
    known = {"test": "means", "baseline_value": 10, "std_dev": 1}
    power = solve(api, **known, solve_for="power", mde_pct=5, total_users=size["total_users"])
    effect = solve(api, **known, solve_for="effect", power=size["power"], total_users=size["total_users"])
    days = solve(api, **known, solve_for="days", mde_pct=5, power=0.8, daily_traffic=10)
    assert power["power"] == size["power"] == pytest.approx(0.8015, abs=1e-4)
    assert effect["effect_pct"] == pytest.approx(5, abs=1e-4)
    assert days["days"] == 13 and days["total_users"] == 128


def test_one_sided_and_margins(api):
    two, one = solve(api, **MEANS), solve(api, **MEANS, alternative="one_sided")
    assert one["users_per_variant"] == [51, 51] and one["total_users"] < two["total_users"]  # statsmodels: 50.15
    margin = solve(api, **{**MEANS, "mde_pct": 0}, alternative="non_inferiority", margin_pct=5)
    assert margin["users_per_variant"] == one["users_per_variant"] and margin["margin"] == 0.5
    fall = solve(api, **RATES, direction="decrease", alternative="one_sided")
    assert fall["effect_pct"] == -10 and fall["effect"] == -.005


def test_dunnett_needs_fewer_than_bonferroni_and_the_best_allocation_fewer_still(api):
    plans = {name: solve(api, **RATES, variants=4, correction=name) for name in ("none", "dunnett", "holm", "bonferroni")}
    assert [round(plans[name]["critical_value"], 2) for name in ("none", "dunnett")] == [1.96, 2.35]
    totals = [plans[name]["total_users"] for name in ("none", "dunnett", "bonferroni")]
    assert totals == sorted(set(totals)) and plans["holm"]["total_users"] == plans["bonferroni"]["total_users"]
    best = solve(api, **RATES, variants=4, correction="dunnett", optimal_allocation=True)
    assert best["total_users"] < best["equal_allocation_total"] == plans["dunnett"]["total_users"]
    assert best["users_per_variant"][0] / best["users_per_variant"][1] == pytest.approx(3 ** 0.5, rel=0.1)


def test_all_treatments_under_holm_are_simulated_and_say_so(api):
    plan = solve(api, **MEANS, variants=3, correction="holm", power_of="all", simulation_runs=5000)
    assert 0 < plan["power_standard_error"] < 0.004
    spread = (plan["power_standard_error"] ** 2 + plan["simulated"]["standard_error"] ** 2) ** 0.5
    assert abs(plan["power"] - plan["simulated"]["power"]) < 4 * spread and plan["simulated"]["runs"] == 5000
    assert plan == solve(api, **MEANS, variants=3, correction="holm", power_of="all", simulation_runs=5000)


def test_clusters_and_switchbacks(api):
    plan = solve(api, **MEANS, clusters={"average_size": 20, "size_cv": 0.5, "icc": 0.05})
    assert plan["design_effect"] == 2.2 and plan["degrees_of_freedom"] == 2 * plan["clusters_per_variant"][0] - 2
    assert plan["users_per_variant"][0] == 20 * plan["clusters_per_variant"][0] > 2.2 * 63
    slots = solve(api, **{**MEANS, "solve_for": "days"}, daily_traffic=2400,
                  switchback={"slots_per_day": 24, "units": 2, "washout_share": 0.2, "icc": 0.1})
    assert slots["average_cluster_size"] == 40 and slots["design_effect"] == 4.9
    assert slots["days"] == -(-sum(slots["clusters_per_variant"]) // 48)


def test_ratios_from_history(api):
    plan = solve(api, test="ratios", history=HISTORY, mde_pct=10, power=0.8)
    assert plan["baseline_value"] == 0.25
    deviation = ((600 - 0.5 * 1300 + 0.0625 * 5000) / 999) ** 0.5 / 2
    assert plan["std_dev"] == pytest.approx(deviation)
    users = 2 * (2.8015852 * deviation / 0.025) ** 2
    assert plan["users_per_variant"][0] == pytest.approx(users, abs=1)


@pytest.mark.parametrize("body, status, word", [
    ({**RATES, "baseline_value": 1.2}, 422, "below 1"), ({**MEANS, "std_dev": None}, 422, "std_dev"),
    ({**RATES, "power": None}, 422, "but the one"), ({**RATES, "total_users": 100}, 422, "but the one"),
    ({**RATES, "solve_for": "days"}, 422, "but the one"), ({**RATES, "power": 0.04}, 422, "above alpha"),
    ({**MEANS, "alternative": "equivalence", "margin_pct": 5}, 422, "smaller than margin_pct"),
    ({**RATES, "allocation": [1, 2, 3]}, 422, "weight per variant"),
    ({**RATES, "switchback": {"slots_per_day": 24, "icc": 0}}, 422, "daily_traffic"),
    ({**RATES, "mde_pct": 5000}, 400, "no size reaches"), ({**MEANS, "mde_pct": 1e-9}, 400, "no size reaches"),
    ({"test": "ratios", "mde_pct": 5, "power": 0.8, "history": {**HISTORY, "products": 1e9}}, 400, "has no ratio"),
])
def test_what_is_refused(api, body, status, word):
    answer = ask(api, **body)
    assert answer.status == status and word in answer.text, answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts(api, language):
    text = ask(api, language, **{**RATES, "power": None}).text
    assert "mde_pct" in text and ("but the one" in text) == (language == "en")


def test_a_run_of_too_many_clusters_is_not_simulated(api):
    plan = solve(api, solve_for="power", test="means", baseline_value=1, std_dev=1, mde_pct=1, total_users=10 ** 15,
                 clusters={"average_size": 1, "icc": 0.1}, simulation_runs=1000)
    assert plan["simulated"] is None and plan["power"] == 1
