"""The example projects of AB_SEED_DEMO_ON_STARTUP: what they are, what their runs show, and that a start makes
only what is missing."""

import signal

import pytest

from service import ENGINES, Service

pytest_plugins = ["kill_fixtures"]

SETTINGS = {"AB_SEED_DEMO_ON_STARTUP": "true", "AB_RATE_LIMIT_ENABLED": "false", "AB_LLM_BASE_URL": ""}
CHECKOUT, PRICING, ONBOARDING = "Demo - Checkout Conversion", "Demo - Pricing Sensitivity", "Demo - Onboarding Completion"


@pytest.fixture(scope="module", params=ENGINES)
def service(request):
    with Service("experiments", SETTINGS, request.param) as running:
        yield running


def projects(service, status="all"):
    return {one["project_name"]: one for one in service.get(f"/api/v1/projects?status={status}").json()["projects"]}


def shown(service, name):
    """The run of an example: figures, decision, ingestion."""
    base = f"/api/v1/experiments/{projects(service)[name]['id']}"
    return [service.get(f"{base}/{what}").json() for what in ("live-stats", "decision", "ingestion")]


@pytest.mark.parametrize("name, size, days", [(CHECKOUT, 1770, 1), (PRICING, 370, 1), (ONBOARDING, 8583, 3)])
def test_sized_and_analysed(service, name, size, days):
    project = projects(service, "active")[name]
    document = service.get(f"/api/v1/projects/{project['id']}").json()
    assert document["payload"]["project"]["project_description"].endswith(" Seeded demo sample.")
    assert document["payload"]["additional_context"]["llm_context"].endswith(" Seeded demo sample.")
    history = service.get(f"/api/v1/projects/{project['id']}/history").json()
    assert (history["analysis_total"], history["export_total"]) == (1, 1 if name == CHECKOUT else 0)
    analysis = history["analysis_runs"][0]["analysis"]
    results = analysis["calculations"]["results"]
    assert (results["sample_size_per_variant"], results["total_sample_size"], results["estimated_duration_days"]) == (size, 2 * size, days)
    assert analysis["report"]["executive_summary"] and analysis["advice"]["error_code"] == "seed_demo_disabled_llm"
    if name == CHECKOUT:
        export = history["export_events"][0]
        assert (export["format"], export["analysis_run_id"]) == ("markdown", history["analysis_runs"][0]["id"])


def test_what_was_observed_is_what_the_events_amount_to(service):
    """It stands in the design, so that a comparison can draw the uplift of each."""
    found = projects(service, "active")
    ids = {name: found[name]["id"] for name in (CHECKOUT, PRICING, ONBOARDING)}
    for name, id in ids.items():
        kept = service.get(f"/api/v1/projects/{id}").json()["payload"]["additional_context"]["observed_results"]
        stats, *_ = shown(service, name)
        live = stats["comparisons"][0]
        for arm in ("control", "treatment"):
            block = kept["request"][kept["request"]["metric_type"]]
            if "control_users" in block:
                told = (block[f"{arm}_conversions"], block[f"{arm}_users"])
                assert told == (live[arm]["converted_users"], live[arm]["exposed_users"])
            else:
                told = (block[f"{arm}_mean"], block[f"{arm}_std"], block[f"{arm}_n"])
                assert told == (live[arm]["mean"], live[arm]["std"], live[arm]["exposed_users"])
        assert kept["analysis"]["observed_effect"] == live["analysis"]["observed_effect"]
    compared = service.post("/api/v1/projects/compare?include_monte_carlo=true&monte_carlo_simulations=1000",
                            {"project_ids": list(ids.values())}).json()
    drawn = compared["monte_carlo_distribution"]
    assert set(drawn) == set(ids.values()) and all(one["num_simulations"] == 1000 for one in drawn.values())
    assert drawn[ids[CHECKOUT]]["probability_uplift_positive"] > 0.99


def test_checkout(service):
    stats, decision, ingestion = shown(service, CHECKOUT)
    assert (decision["verdict"], decision["confidence"]) == ("ship", "high")
    assert stats["srm"]["status"] == stats["guardrail"]["status"] == stats["holdout"]["status"] == "ok"
    assert stats["sequential"]["information_fraction"] == 1 and stats["stratified"]["status"] == "available"
    assert stats["identity_resolution"]["linked_identities"] == 60
    assert [stats["exclusions"][key] for key in ("total_filtered", "manual_filtered", "rate_spike_filtered")] == [9, 8, 1]
    assert (stats["event_timing"]["late"], stats["event_timing"]["out_of_order"]) == (12, 3)
    counts = {one["variation_index"]: one["count"] for one in ingestion["exposure_counts"]}
    assert counts == {-1: 400, 0: 2000, 1: 2061}


def test_pricing(service):
    stats, decision, _ = shown(service, PRICING)
    assert decision["verdict"] == "ship" and stats["guardrail"]["any_breached"] is False
    assert stats["cuped"]["status"] == "available" and stats["cuped"]["variance_reduction_pct"] > 10
    assert {one["stratum"] for one in stats["stratified"]["comparisons"][0]["strata"]} == {"new", "returning"}


def test_onboarding(service):
    _, decision, ingestion = shown(service, ONBOARDING)
    assert decision["verdict"] == "keep_running"
    assert ingestion["exposures_total"] == 2400


def test_a_start_makes_what_is_missing(service):
    """Archived ones are known and left alone, deleted ones come again; the audit log hears of nothing."""
    before = projects(service)
    assert service.get("/api/v1/audit").json()["total"] == 0
    assert service.post(f"/api/v1/projects/{before[PRICING]['id']}/archive").status_code == 200
    assert service.send("DELETE", f"/api/v1/projects/{before[ONBOARDING]['id']}").status_code in (200, 204)
    entries = service.get("/api/v1/audit").json()["total"]
    done = service.stack.run("restart")
    assert done.returncode == 0 and "made projects=1 analyses=1 exports=0 runs=1\n" in done.stderr, done.stderr
    after = projects(service)
    assert set(after) == set(before) and after[ONBOARDING]["id"] != before[ONBOARDING]["id"]
    assert after[CHECKOUT] == before[CHECKOUT] and after[PRICING]["is_archived"]
    assert shown(service, ONBOARDING)[2]["exposures_total"] == 2400
    assert service.get("/api/v1/audit").json()["total"] == entries


def test_a_run_that_is_killed_on_the_way_is_made_whole(service, kill_library):
    """Killed later and later, until it comes to its end: no part of a run is ever there."""
    before = {key: value for key, value in shown(service, ONBOARDING)[2].items() if key.endswith("_total")}
    assert before["exposures_total"] == 2400
    project = projects(service)[ONBOARDING]["id"]
    assert service.send("DELETE", f"/api/v1/projects/{project}").status_code in (200, 204)
    step, kills, code = 1, 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        code = service.run("experiments-demo", env={"LD_PRELOAD": str(kill_library), "KILL_AT_STEP": str(step)}).returncode
        kills += code == -signal.SIGKILL
        found = projects(service).get(ONBOARDING)
        here = service.get(f"/api/v1/experiments/{found['id']}/ingestion").json().get("exposures_total", 0) if found else 0
        assert here in (0, 2400), f"half a run after being killed at step {step}"
        step = max(step + 1, step * 3 // 2)
    assert code == 0 and kills > 3
    ingestion = shown(service, ONBOARDING)[2]
    assert {key: ingestion[key] for key in before} == before and shown(service, ONBOARDING)[1]["verdict"] == "keep_running"
