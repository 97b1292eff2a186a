"""Projects side by side: golden cases of the dashboard and of the older form, on both engines."""

import pytest

from project_fixtures import PROJECTS, analysis, create, expect, path_of, payload, unknown_id

pytest_plugins = ["store_fixtures"]

COMPARE = PROJECTS + "/compare"
BINARY = {"control_conversions": 410, "control_users": 10000, "treatment_conversions": 470, "treatment_users": 10020}
MEANS = {"control_mean": 45, "control_std": 12, "control_n": 200, "treatment_mean": 47.1, "treatment_std": 12.2,
         "treatment_n": 205}


def observed(kind, block):
    """What was observed, as the results route takes and answers it."""
    return {"request": {"metric_type": kind, kind: block}}


def project(client, name, analyses=(), metric_type="binary", results=None, **changes):
    """A project with its analyses, oldest first."""
    sent = payload(name, metric_type, **changes)
    if results:
        answer = expect(client.post("/api/v1/results", results["request"]))
        sent["additional_context"] = {"observed_results": {**results, "analysis": answer}}
    made = create(client, sent)
    for one in analyses:
        expect(client.post(path_of(made, "analysis"), one))
    return made


def sized(total, days, codes=(), **changes):
    made = analysis(days=days, n=total // 2, warnings=codes)
    for place, value in changes.items():
        block = made["report"]
        *way, last = place.split("__")
        for step in way:
            block = block[step]
        block[last] = value
    return made


def compare(client, *projects, query="", **options):
    return client.post(COMPARE + query, {"project_ids": [one["id"] for one in projects]}, **options)


def test_two_share_what_both_have(store):
    one = project(store.client, "One", [sized(
        220, 9, ["SEASONALITY_PRESENT", "LOW_TRAFFIC", "LOW_TRAFFIC"], calculations__assumptions=[" Same ", "Only one", "Same"],
        recommendations__before_launch=["Check the split", "a b"])])
    two = project(store.client, "Two", [sized(
        300, 12, ["LOW_TRAFFIC", "LONG_DURATION"], calculations__assumptions=["Same"], risks__product=["Support load"],
        recommendations__after_test=["Archive it"])])
    told = expect(compare(store.client, one, two))
    assert [entry["id"] for entry in told["projects"]] == [one["id"], two["id"]]
    assert told["sample_size_range"] == {"min": 220, "max": 300, "median": 260.0}
    assert told["duration_range"] == {"min": 9, "max": 12, "median": 10.5}
    assert told["shared_warnings"] == ["LOW_TRAFFIC"] and told["shared_risks"] == ["Novelty"]
    assert told["shared_assumptions"] == ["Same"]
    assert told["unique_per_project"] == {
        one["id"]: {"warnings": ["SEASONALITY_PRESENT"], "risks": [], "assumptions": ["Only one"]},
        two["id"]: {"warnings": ["LONG_DURATION"], "risks": ["Support load"], "assumptions": []}}
    assert told["metric_types_used"] == ["binary"] and "monte_carlo_distribution" not in told
    assert told["recommendation_highlights"] == [
        "Check the split appears in 2/2 projects.", "a b appears in 1/2 projects.", "Archive it appears in 1/2 projects."]
    entry = told["projects"][0]
    assert (entry["warnings_count"], entry["warning_severity"], entry["primary_metric"]) == (2, "medium", "purchase_conversion")
    assert entry["risk_highlights"] == ["Novelty"] and entry["observed_results"] is None


def test_five_and_the_newest_analysis(store):
    made = [project(store.client, f"P{i}", [sized(1000, 99), sized(200 + 40 * i, 8 + i)]) for i in range(5)]
    told = expect(compare(store.client, *made))
    assert told["sample_size_range"] == {"min": 200, "max": 360, "median": 280.0}
    assert told["duration_range"] == {"min": 8, "max": 12, "median": 10.0}


def test_who_cannot_be_compared(store):
    one, bare = project(store.client, "One", [analysis()]), project(store.client, "Bare")
    gone = project(store.client, "Gone", [analysis()])
    expect(store.client.post(path_of(gone, "archive")))
    for other in (bare, gone, {"id": unknown_id()}, {"id": "nonsense"}):
        expect(compare(store.client, one, other), 404, "not_found")
    for ids, place in (([one["id"]], "project_ids"), ([unknown_id() for _ in range(6)], "project_ids"),
                       ([one["id"], f" {one['id']} "], None), ([one["id"], " "], None)):
        faults = expect(store.client.post(COMPARE, {"project_ids": ids}), 422, "validation_error")["detail"]
        assert faults[0]["loc"] == ["body"] + ([place] if place else []), faults
    expect(store.client.post(COMPARE, {"project_ids": [f" {one['id']}\n", project(store.client, "Two", [analysis()])["id"]]}))


@pytest.mark.parametrize("mde, power, rows, columns", [
    (5, 0.8, [0.1, 0.5, 1, 2, 5], [0.7, 0.8, 0.9, 0.95]), (50, 0.85, [0.5, 1, 2, 5, 50], [0.8, 0.85, 0.9, 0.95]),
    (3, 0.99, [0.5, 1, 2, 3, 5], [0.8, 0.9, 0.95, 0.99]), (2.475, 0.7, [0.1, 0.5, 1, 2, 2.475], [0.7, 0.8, 0.9, 0.95])])
def test_axes_stay_round_what_was_planned(store, mde, power, rows, columns):
    made = sized(220, 9)
    made["calculations"]["calculation_summary"].update(mde_pct=mde, power=power)
    grid = expect(compare(store.client, project(store.client, "A", [made]),
                          project(store.client, "B", [analysis()])))["projects"][0]["sensitivity"]
    assert (grid["current_mde"], grid["current_power"]) == (mde, power)
    assert [(cell["mde"], cell["power"]) for cell in grid["cells"]] == [(row, column) for row in rows for column in columns]


def test_cells_are_plans(store):
    rate, mean = analysis(), analysis(metric_type="continuous")
    rate["calculations"]["results"]["effective_daily_traffic"] = 5000.0
    mean["calculations"]["calculation_summary"].update(baseline_value=45.0, mde_absolute=2.0, mde_pct=4.44)
    binary = project(store.client, "Rate", [rate])
    continuous = project(store.client, "Mean", [mean], "continuous")
    told = expect(compare(store.client, binary, continuous))
    cells = {(cell["mde"], cell["power"]): (cell["sample_size_per_variant"], cell["duration_days"])
             for cell in told["projects"][0]["sensitivity"]["cells"]}
    assert (cells[1, 0.8], cells[5, 0.8]) == ((3597698, 1440.0), (146642, 59.0))
    cells = {(cell["mde"], cell["power"]): cell["sample_size_per_variant"]
             for cell in told["projects"][1]["sensitivity"]["cells"]}
    assert (cells[2, 0.8], cells[1, 0.9], cells[5, 0.95]) == (566, 3027, 150)
    assert told["metric_types_used"] == ["binary", "continuous"]
    assert told["shared_warnings"][-1] == "Mixed metric types \u2014 direct effect comparison not meaningful"
    impossible = analysis()  # a rate above one has no plan
    impossible["calculations"]["calculation_summary"].update(baseline_value=0.9, mde_pct=50)
    told = expect(compare(store.client, project(store.client, "High", [impossible]), binary))
    assert [cell for cell in told["projects"][0]["sensitivity"]["cells"] if cell["mde"] == 50][0] == {
        "mde": 50.0, "power": 0.7, "sample_size_per_variant": None, "duration_days": None}


def test_uplifts_are_drawn_alike_every_time(store):
    made = [project(store.client, "Rates", [analysis()], results=observed("binary", {**BINARY, "alpha": 0.05})),
            project(store.client, "Means", [analysis()], "continuous", results=observed("continuous", {**MEANS, "alpha": 0.05})),
            project(store.client, "Nothing", [analysis()])]
    query = "?include_monte_carlo=true&monte_carlo_simulations=20000"
    first, second = (compare(store.client, *made, query=query) for _ in range(2))
    assert first.body == second.body
    told = expect(first)["monte_carlo_distribution"]
    assert list(told) == [made[0]["id"], made[1]["id"]]
    rates, means = told.values()
    assert [rates["percentiles"][q] for q in ("5", "50", "95")] == pytest.approx([0.026, 0.144, 0.275], abs=0.01)
    assert rates["probability_uplift_positive"] == pytest.approx(0.979, abs=0.01)
    assert rates["probability_uplift_above_threshold"]["0.10"] == pytest.approx(0.723, abs=0.02)
    assert list(rates["probability_uplift_above_threshold"]) == [f"0.{k:02}" for k in range(1, 11)]
    assert means["percentiles"]["50"] == pytest.approx(0.0467, abs=0.003)
    assert means["probability_uplift_positive"] == pytest.approx(0.960, abs=0.01)
    for block in told.values():
        histogram = block["histogram"]
        assert len(block["simulated_uplifts"]) == block["num_simulations"] == 20000
        assert len(histogram["shares"]) == histogram["bucket_count"] == 50 and sum(histogram["shares"]) == pytest.approx(1)
    everything = rates["simulated_uplifts"] + means["simulated_uplifts"]
    assert (histogram["start"], histogram["end"]) == (min(everything), max(everything))
    lean = expect(compare(store.client, *made, query=query + "&include_draws=false"))["monte_carlo_distribution"]
    assert "simulated_uplifts" not in lean[made[0]["id"]]
    assert lean[made[0]["id"]]["histogram"] == rates["histogram"]
    few = {**MEANS, "control_n": 2, "treatment_n": 2}
    other = project(store.client, "Few", [analysis()], "continuous", results=observed("continuous", {**few, "alpha": 0.05}))
    block = expect(compare(store.client, other, made[0], query=query))["monte_carlo_distribution"][other["id"]]
    assert block["percentiles"]["95"] - block["percentiles"]["5"] > 0.3
    for bad in ("999", "50001", "x"):
        expect(compare(store.client, *made, query="?monte_carlo_simulations=" + bad), 422, "validation_error")


def test_one_against_another(store):
    base = project(store.client, "Base", [sized(160, 7), sized(200, 10, ["SEASONALITY_PRESENT"])])
    other = project(store.client, "Other", [sized(280, 14, ["LONG_DURATION", "LOW_TRAFFIC", "SEASONALITY_PRESENT"])])
    where = f"{COMPARE}?base_id={base['id']}&candidate_id={other['id']}"
    answer = store.client.get(where)
    told = expect(answer)
    assert answer.headers["Deprecation"] == "true"
    assert told["deltas"] == {"sample_size_per_variant": 40, "total_sample_size": 80, "estimated_duration_days": 4,
                              "warnings_count": 2}
    assert told["candidate_only_warning_codes"] == ["LONG_DURATION", "LOW_TRAFFIC"]
    assert told["shared_warning_codes"] == ["SEASONALITY_PRESENT"] and told["shared_assumptions"] == ["Independent users"]
    assert told["summary"] == "Other needs a larger total sample size and a longer test window than Base."
    assert "+80" in told["highlights"][0] and "+4" in told["highlights"][0]
    runs = expect(store.client.get(path_of(base, "history")))["analysis_runs"]
    told = expect(store.client.get(f"{where}&base_run_id={runs[1]['id']}"))
    assert told["deltas"]["total_sample_size"] == 120 and told["base_only_warning_codes"] == []
    expect(store.client.get(f"{where}&base_run_id={unknown_id()}"), 404, "not_found")
    expect(store.client.get(f"{COMPARE}?base_id={base['id']}&candidate_id={unknown_id()}"), 404, "not_found")
    expect(store.client.get(f"{COMPARE}?base_id={base['id']}&candidate_id={base['id']}"), 400, "bad_request")
    bare = project(store.client, "Bare")
    expect(store.client.get(f"{COMPARE}?base_id={base['id']}&candidate_id={bare['id']}"), 400, "bad_request")
    expect(store.client.get(f"{COMPARE}?base_id={base['id']}"), 422, "validation_error")


def test_many_texts_take_no_longer_than_they_are_long(store):
    """Thousands of assumptions of either side, half of them shared."""
    sides = [sized(220, 9, calculations__assumptions=[f"{i:x}" for i in range(at, at + 20000)]) for at in (0, 10000)]
    made = [project(store.client, "Long", [side]) for side in sides]
    told = expect(compare(store.client, *made))
    assert len(told["shared_assumptions"]) == 10000
    assert [len(unique["assumptions"]) for unique in told["unique_per_project"].values()] == [10000, 10000]
