"""What is kept with projects: analyses, exports, pages of history and revisions. On both engines."""

import re

import pytest

from openapi import at
from project_fixtures import (
    DEFAULTS, PAYLOAD, PROJECTS, analysis, create, expect, history_of, path_of,
    payload, put, revisions_of, unknown_id)

pytest_plugins = ["store_fixtures"]

TIMESTAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$")
UUID4 = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")


def objects_in(value, location=()):
    """The locations of every object in a document."""
    if isinstance(value, dict):
        yield location
        for name, member in value.items():
            yield from objects_in(member, (*location, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from objects_in(item, (*location, index))


def full_analysis():
    """One with every optional part."""
    made = analysis(days=9, n=550, warnings=["LOW_TRAFFIC", "SEASONALITY_PRESENT"])
    made["calculations"].update(
        bonferroni_note="Two comparisons", design_effect=1.95, avg_cluster_size=20.0, icc=0.05, clusters_per_variant=54,
        bayesian_sample_size_per_variant=700, sequential_adjusted_sample_size=610, cuped_sample_size_per_variant=410,
        bayesian_credibility=0.95, sequential_inflation_factor=1.1025, cuped_std=10.3923,
        cuped_variance_reduction_pct=25.0, cuped_duration_days=7.0, cuped_theta=0.5217, bayesian_note="Flat prior")
    made["calculations"]["calculation_summary"].update(
        planned_test="tost", equivalence_margin_pct=2.5, equivalence_margin_absolute=1.05)
    made["calculations"]["results"].update(
        holdout_fraction=0.1, mutually_exclusive_experiments=2, allocated_daily_traffic=3240.0)
    made["report"]["calculations"].update(design_effect=1.95, clusters_per_variant=54)
    made["report"]["guardrail_metrics"] = [
        {"name": "Payment errors", "metric_type": "binary", "baseline": 2.4, "detectable_mde_pp": 0.161,
         "detectable_mde_absolute": None, "note": "Tracked"}]
    made["advice"].update(advice={
        "brief_assessment": "Fine", "key_risks": ["Novelty"], "design_improvements": [], "metric_recommendations": [],
        "interpretation_pitfalls": [], "additional_checks": []}, raw_text="Fine.", error=None, error_code=None)
    return made


# Parts that may be null, or (of the report) absent.
NULLABLE = [("calculations", "calculation_summary", name) for name in (
    "planned_test", "equivalence_margin_pct", "equivalence_margin_absolute")] + [
    ("calculations", "results", name) for name in (
        "holdout_fraction", "mutually_exclusive_experiments", "allocated_daily_traffic")] + [
    ("calculations", name) for name in (
        "bonferroni_note", "design_effect", "avg_cluster_size", "icc", "clusters_per_variant",
        "bayesian_sample_size_per_variant", "sequential_adjusted_sample_size", "cuped_sample_size_per_variant",
        "bayesian_credibility", "sequential_inflation_factor", "cuped_std", "cuped_variance_reduction_pct",
        "cuped_duration_days", "cuped_theta", "bayesian_note", "sequential_boundaries")] + [
    ("report", "calculations", "design_effect"), ("report", "calculations", "clusters_per_variant"),
    ("report", "guardrail_metrics", 0, "detectable_mde_pp"), ("report", "guardrail_metrics", 0, "detectable_mde_absolute"),
    ("advice", "advice"), ("advice", "raw_text"), ("advice", "error"), ("advice", "error_code")]


NULLABLE_CASES = [pytest.param(place, id=".".join(map(str, place))) for place in NULLABLE]


def kept_of(client, project):
    """The newest analysis as history tells it, without members that were not sent."""
    return history_of(client, project)["analysis_runs"][0]["analysis"]


def contains(kept, sent, where="analysis"):
    """Everything that was sent is there; what was added is null or empty."""
    if isinstance(sent, dict):
        for name, value in sent.items():
            contains(kept[name], value, f"{where}.{name}")
        for name in set(kept) - set(sent):
            assert kept[name] in (None, []), f"{where}.{name} is {kept[name]!r}"
    elif isinstance(sent, list):
        assert len(kept) == len(sent), where
        for index, (mine, theirs) in enumerate(zip(kept, sent)):
            contains(mine, theirs, f"{where}.{index}")
    else:
        assert kept == sent, where


class TestAnalysis:
    def test_is_kept(self, store):
        client, project = store.client, create(store.client)
        answer = client.post(path_of(project, "analysis"), full_analysis())
        analysed = expect(answer)
        run = analysed["last_analysis_run_id"]
        assert UUID4.match(run) and TIMESTAMP.match(analysed["last_analysis_at"]) and analysed["has_analysis_snapshot"]
        assert {**project, "last_analysis_run_id": run, "last_analysis_at": analysed["last_analysis_at"],
                "has_analysis_snapshot": True} == analysed
        history = history_of(client, project)
        [kept] = history["analysis_runs"]
        assert (kept["id"], kept["project_id"], kept["created_at"]) == (run, project["id"], analysed["last_analysis_at"])
        assert kept["summary"] == {"metric_type": "binary", "sample_size_per_variant": 550, "total_sample_size": 1100,
                                   "estimated_duration_days": 9, "warnings_count": 2, "advice_available": True}
        contains(kept["analysis"], full_analysis())
        assert (history["analysis_total"], history["export_total"], history["export_events"]) == (1, 0, [])

    def test_of_the_service_itself_is_kept_whole(self, store):
        design = {k: v for block in ("setup", "metrics", "constraints") for k, v in payload()[block].items()}
        accepted = store.client.document.fields(next(
            o for o in store.client.document.operations if o.path == "/api/v1/calculate"))
        names = {field.location[0] for field in accepted}
        calculated = expect(store.client.post("/api/v1/calculate", {
            **{k: v for k, v in design.items() if k in names}, "n_looks": 3, "constraints": {}} if "constraints" in names
            else {**{k: v for k, v in design.items() if k in names}, "n_looks": 3}))
        assert calculated["sequential_boundaries"]
        project = create(store.client)
        expect(store.client.post(path_of(project, "analysis"), {**full_analysis(), "calculations": calculated}))
        del calculated["verified_clusters_per_variant"]  # null, and left out of what is kept
        assert kept_of(store.client, project)["calculations"] == calculated

    def test_extras_are_refused_at_every_level(self, store):
        places = list(objects_in(full_analysis()))
        assert len(places) == 17
        sent = full_analysis()
        for place in places:
            at(sent, place)["surprise"] = {"x": [1]}
        project = create(store.client)
        errors = store.client.post(path_of(project, "analysis"), sent).errors()
        assert set(errors) == {("body", *place, "surprise") for place in places}
        assert {error["type"] for error in errors.values()} == {"extra_forbidden"}

    @pytest.mark.parametrize("place", NULLABLE_CASES)
    def test_parts_that_may_be_null(self, store, place):
        sent = full_analysis()
        at(sent, place[:-1])[place[-1]] = None
        project = create(store.client)
        expect(store.client.post(path_of(project, "analysis"), sent))
        assert at(kept_of(store.client, project), place) is None

    @pytest.mark.parametrize("place", NULLABLE_CASES)
    def test_parts_that_may_be_absent(self, store, place):
        sent = full_analysis()
        del at(sent, place[:-1])[place[-1]]
        project = create(store.client)
        expect(store.client.post(path_of(project, "analysis"), sent))
        assert at(kept_of(store.client, project), place) is None

    def test_all_other_parts_are_required(self, store):
        project = create(store.client)
        places = [(*place, name) for place in objects_in(full_analysis()) for name in at(full_analysis(), place)]
        for place in places:
            if place in NULLABLE or place == ("report", "guardrail_metrics"):
                continue
            sent = full_analysis()
            del at(sent, place[:-1])[place[-1]]
            errors = store.client.post(path_of(project, "analysis"), sent).errors()
            assert {k: v["type"] for k, v in errors.items()} == {("body", *place): "missing"}
        assert history_of(store.client, project)["analysis_total"] == 0

    def test_boundaries_are_free_objects(self, store):
        boundaries = [{"look": 1, "z": 2.5, "note": {"deep": [1, None]}}, {}]
        sent = full_analysis()
        sent["calculations"]["sequential_boundaries"] = boundaries
        project = create(store.client)
        expect(store.client.post(path_of(project, "analysis"), sent))
        assert kept_of(store.client, project)["calculations"]["sequential_boundaries"] == boundaries

    def test_numbers_are_kept_to_the_last_digit(self, store):
        sent = full_analysis()
        sent["calculations"].update(design_effect=1.9512345678, cuped_std=10.392304845413264, cuped_theta=1 / 3)
        project = create(store.client)
        expect(store.client.post(path_of(project, "analysis"), sent))
        contains(kept_of(store.client, project), sent)

    def test_newest_wins(self, store):
        client, project = store.client, create(store.client, payload("Newest wins"))
        runs = [expect(client.post(path_of(project, "analysis"), analysis(days=d)))["last_analysis_run_id"] for d in (5, 40, 7)]
        assert len(set(runs)) == 3
        [listed] = [p for p in client.get(PROJECTS + "?q=newest%20wins").json()["projects"] if p["id"] == project["id"]]
        assert listed["duration_days"] == 7 and listed["last_analysis_run_id"] == runs[-1]
        assert [r["id"] for r in history_of(client, project)["analysis_runs"]] == runs[::-1]

    def test_no_check_against_the_payload(self, store):
        project = create(store.client, payload(None, "count"))
        expect(store.client.post(path_of(project, "analysis"), analysis(metric_type="anything")))


class TestExports:
    @pytest.mark.parametrize("name", ["markdown", "html", "pdf"])
    def test_formats(self, store, name):
        client, project = store.client, create(store.client)
        exported = expect(client.post(path_of(project, "exports"), {"format": name}))
        assert {**project, "last_exported_at": exported["last_exported_at"]} == exported
        [event] = history_of(client, project)["export_events"]
        assert event == {"id": event["id"], "project_id": project["id"], "analysis_run_id": None, "format": name,
                         "created_at": exported["last_exported_at"]}
        assert UUID4.match(event["id"]) and TIMESTAMP.match(event["created_at"])

    def test_of_a_run(self, store):
        client, project = store.client, create(store.client)
        run = expect(client.post(path_of(project, "analysis"), analysis()))["last_analysis_run_id"]
        expect(client.post(path_of(project, "exports"), {"format": "html", "analysis_run_id": run}))
        expect(client.post(path_of(project, "exports"), {"format": "html", "analysis_run_id": None}))
        assert [e["analysis_run_id"] for e in history_of(client, project)["export_events"]] == [None, run]

    def test_runs_of_others_are_refused(self, store):
        client, project, other = store.client, create(store.client), create(store.client)
        foreign = expect(client.post(path_of(other, "analysis"), analysis()))["last_analysis_run_id"]
        for run in (foreign, unknown_id(), "x", "", foreign.upper(), "'"):
            expect(client.post(path_of(project, "exports"), {"format": "pdf", "analysis_run_id": run}),
                   400, "analysis_run_not_found")
        assert history_of(client, project)["export_total"] == 0
        assert expect(client.get(path_of(project))) == project

    def test_body(self, store):
        project = create(store.client)
        for body, code in (({}, "missing"), ({"format": "docx"}, "literal_error"), ({"format": "PDF"}, "literal_error")):
            assert store.client.post(path_of(project, "exports"), body).errors()["body", "format"]["type"] == code
        errors = store.client.post(path_of(project, "exports"), {"format": "pdf", "analysis_run_id": 5}).errors()
        assert errors["body", "analysis_run_id"]["type"] == "string_type"


class TestPages:
    """History and revisions, newest first, in pages of any size."""

    COUNT = 27

    @pytest.fixture(scope="class")
    def project(self, store):
        project = create(store.client)
        for number in range(self.COUNT):
            expect(put(store.client, project, payload(str(number))))
            if number % 2:
                run = expect(store.client.post(path_of(project, "analysis"), analysis(days=number)))
            if number % 3 == 0:
                expect(store.client.post(path_of(project, "exports"), {"format": "pdf"}))
        return run

    @pytest.mark.parametrize("limit, offset", [(20, 0), (1, 0), (1, 27), (7, 5), (100, 0), (100, 27), (5, 28), (5, 10**9)])
    def test_revisions(self, store, project, limit, offset):
        names = [str(n) for n in reversed(range(self.COUNT))] + ["Checkout"]
        page = revisions_of(store.client, project, f"?limit={limit}&offset={offset}")
        assert [r["payload"]["project"]["project_name"] for r in page["revisions"]] == names[offset:offset + limit]
        assert (page["total"], page["limit"], page["offset"]) == (self.COUNT + 1, limit, offset)

    @pytest.mark.parametrize("query, runs, exports", [
        ("", (20, 0), (20, 0)), ("?analysis_limit=3", (3, 0), (20, 0)), ("?export_limit=2&export_offset=1", (20, 0), (2, 1)),
        ("?analysis_limit=5&analysis_offset=4&export_limit=100&export_offset=100", (5, 4), (100, 100))])
    def test_history(self, store, project, query, runs, exports):
        page = history_of(store.client, project, query)
        days = [n for n in reversed(range(self.COUNT)) if n % 2][runs[1]:][:runs[0]]
        assert [r["summary"]["estimated_duration_days"] for r in page["analysis_runs"]] == days
        assert len(page["export_events"]) == len(range(9)[exports[1]:][:exports[0]])
        moments = [e["created_at"] for e in page["export_events"]]
        assert moments == sorted(moments, reverse=True)
        assert (page["analysis_total"], page["export_total"]) == (13, 9)
        assert (page["analysis_limit"], page["analysis_offset"], page["export_limit"], page["export_offset"]) == runs + exports

    @pytest.mark.parametrize("rest, name", [("revisions", ""), ("history", "analysis_"), ("history", "export_")])
    def test_bounds(self, store, project, rest, name):
        for query, code in ((f"{name}limit=0", "greater_than_equal"), (f"{name}limit=101", "less_than_equal"),
                            (f"{name}offset=-1", "greater_than_equal"), (f"{name}limit=x", "int_parsing"),
                            (f"{name}offset=1.5", "int_parsing")):
            errors = store.client.get(path_of(project, rest) + "?" + query).errors()
            assert errors["query", query.split("=")[0]]["type"] == code


def test_golden_12_nothing_is_stored_of_a_body_that_is_too_large(stores, engine):
    with stores.new(engine, {"AB_RATE_LIMIT_ENABLED": "false", "AB_MAX_REQUEST_BODY_BYTES": 1024}) as store:
        answer = store.client.post(PROJECTS, payload(project={"project_description": "x" * 4096}))
        expect(answer, 413, "request_body_too_large")
        assert answer.detail == "Request body exceeds limit of 1024 bytes"
        assert store.client.get(PROJECTS).json()["total"] == 0


def test_every_default_is_known():
    """The table of defaults names what the sample payload leaves out, and nothing else."""
    for block, defaults in DEFAULTS.items():
        assert not set(defaults) & set(PAYLOAD.get(block, {}))


def test_what_analyze_and_results_answer_can_be_kept(store):
    """Every member that the service answers is one that it takes back."""
    sent = payload("kept", setup={"randomization_unit": "cluster", "avg_cluster_size": 20, "icc": .05},
                   metrics={"direction": "decrease", "mde_pct": -20.0})
    request = {"metric_type": "binary", "direction": "decrease", "binary": {
        "control_conversions": 40, "control_users": 100, "treatment_conversions": 20, "treatment_users": 100}}
    analysis = expect(store.client.post("/api/v1/results", request))
    sent["additional_context"] = {"observed_results": {"request": request, "analysis": analysis}}
    project = create(store.client, sent)
    assert project["payload"]["additional_context"]["observed_results"]["analysis"]["outcome"] == "better"
    answer = expect(store.client.post("/api/v1/analyze", sent))
    kept = expect(store.client.post(f"{PROJECTS}/{project['id']}/analysis", answer))
    assert kept["id"] == project["id"]
    run = expect(store.client.get(f"{PROJECTS}/{project['id']}/history"))["analysis_runs"][0]
    assert run["analysis"]["calculations"]["verified_clusters_per_variant"] == answer["calculations"]["verified_clusters_per_variant"]
    assert run["analysis"]["calculations"]["calculation_summary"]["direction"] == "decrease"
