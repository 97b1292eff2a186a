"""The catalog of metrics: versions, roles, and the projects that were planned with a metric. On both engines."""

import concurrent.futures

import pytest

from project_fixtures import OPEN, PROJECTS, READ, WRITE, create, expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]

METRICS = "/api/v1/metrics"
MOST = 40


@pytest.fixture(scope="module")
def store(stores, engine):
    return stores.get(engine, {**OPEN, "AB_MAX_METRICS": MOST})


def definition(name, **members):
    return {"name": name, "kind": "binary", "event_name": "purchase", **members}


def add(client, name, **members):
    return expect(client.post(METRICS, definition(name, **members)))


def planned_with(metric, **members):
    """A design that takes the defaults of the metric."""
    design = payload("Planned")
    design["metrics"].update(metric["defaults"], **members)
    return design


def names(client, query=""):
    return [one["definition"]["name"] for one in expect(client.get(METRICS + query))["metrics"]]


def test_a_metric_gives_a_design_its_defaults(store):
    made = add(store.client, "Revenue per user", kind="continuous", event_name="order", baseline_value=48, std_dev=31,
               minimum_effect_pct=2, upper_cap=500, window_days=14, owner="Shop team", description="Net of returns")
    metric = made["metric"]
    assert metric["version"] == 1 and metric["use_count"] == 0
    assert made["defaults"] == {
        "primary_metric_name": "order", "metric_type": "continuous", "direction": "increase", "baseline_value": 48,
        "std_dev": 31, "mde_pct": 2, "conversion_window": "after_exposure", "conversion_window_days": 14,
        "robust_metrics": [{"name": "order", "statistic": "capped_mean", "at": 500, "ignore_zeros": False,
                            "direction": "increase"}],
        "catalog_metric": {"id": metric["id"], "version": 1}}
    project = create(store.client, planned_with(made))
    assert project["payload"]["metrics"]["catalog_metric"] == {"id": metric["id"], "version": 1}
    read = expect(store.client.get(f"{METRICS}/{metric['id']}"))
    assert read["metric"]["use_count"] == 1
    assert read["uses"] == [{"project_id": project["id"], "project_name": "Planned", "version": 1, "is_archived": False}]


def test_a_fall_and_a_ratio(store):
    made = add(store.client, "Returns per order", kind="ratio", event_name="return", denominator_event="order",
               direction="decrease", minimum_effect_pct=4)
    defaults = made["defaults"]
    assert (defaults["mde_pct"], defaults["numerator_metric_name"], defaults["denominator_metric_name"]) == (-4, "return", "order")
    assert "robust_metrics" not in defaults and defaults["conversion_window"] == "all"


@pytest.mark.parametrize("members,named", [
    ({"kind": "ratio"}, "denominator_event"),
    ({"denominator_event": "order"}, "denominator_event"),
    ({"baseline_value": 4.2}, "baseline_value"),
    ({"upper_cap": 10}, "upper_cap"),
    ({"minimum_effect_pct": -1}, "minimum_effect_pct"),
    ({"kind": "other"}, "kind"),
    ({"event_name": ""}, "event_name"),
    ({"colour": "red"}, "colour"),
])
def test_what_does_not_fit_is_named(store, members, named):
    before = names(store.client)
    answer = expect(store.client.post(METRICS, definition("Wrong", **members)), 422, "validation_error")
    assert named in str(answer["detail"])
    assert names(store.client) == before


def test_every_change_is_a_version_and_projects_keep_theirs(store):
    first = add(store.client, "Checkout 结账", minimum_effect_pct=5)
    path = f"{METRICS}/{first['metric']['id']}"
    project = create(store.client, planned_with(first, baseline_value=0.1))
    changed = definition("Checkout 结账", minimum_effect_pct=3)
    second = expect(store.client.send("PUT", path, changed, headers={"If-Match": '"1"'}))
    assert (second["metric"]["version"], second["defaults"]["mde_pct"]) == (2, 3)
    assert expect(store.client.send("PUT", path, changed))["metric"]["version"] == 2, "the same is no version"
    expect(store.client.send("PUT", path, definition("Lost"), headers={"If-Match": "1"}), 409, "metric_changed")
    assert [(one["version"], one["definition"]["minimum_effect_pct"]) for one in second["versions"]] == [(2, 3), (1, 5)]
    assert second["uses"][0]["version"] == 1
    design = {**project["payload"], "metrics": {**project["payload"]["metrics"], "catalog_metric": {"id": first["metric"]["id"], "version": 2}}}
    expect(store.client.send("PUT", f"{PROJECTS}/{project['id']}", design))
    assert expect(store.client.get(path))["uses"][0]["version"] == 2
    del design["metrics"]["catalog_metric"]
    expect(store.client.send("PUT", f"{PROJECTS}/{project['id']}", design))
    assert expect(store.client.get(path))["uses"] == []


def test_a_design_cannot_name_what_is_not_there(store):
    made = add(store.client, "Named")
    before = expect(store.client.get(PROJECTS))["total"]
    for reference in ({"id": unknown_id(), "version": 1}, {"id": made["metric"]["id"], "version": 2}):
        answer = store.client.post(PROJECTS, planned_with(made, baseline_value=0.1, catalog_metric=reference, mde_pct=5))
        refused = expect(answer, 400, "catalog_metric_unknown")
        assert "catalog_metric" in str(refused["detail"])
    assert expect(store.client.get(PROJECTS))["total"] == before, "nothing is half written"


def test_a_design_from_elsewhere_can_be_saved_as_it_is(store):
    """The workspace of another installation names metrics that this one does not have."""
    made = add(store.client, "From elsewhere")
    project = create(store.client, planned_with(made, baseline_value=0.1, mde_pct=5))
    store.database.run("DELETE FROM catalog_metric_uses; DELETE FROM catalog_metric_versions"
                       f" WHERE metric_id = '{made['metric']['id']}'")
    expect(store.client.send("PUT", f"{PROJECTS}/{project['id']}", project["payload"]))
    assert expect(store.client.get(f"{METRICS}/{made['metric']['id']}"))["uses"] == []
    store.database.run(f"DELETE FROM catalog_metrics WHERE id = '{made['metric']['id']}'")  # none is without versions


def test_a_metric_in_use_stays_until_the_project_is_gone(store):
    made = add(store.client, "Kept")
    path = f"{METRICS}/{made['metric']['id']}"
    project = create(store.client, planned_with(made, baseline_value=0.1, mde_pct=5))
    expect(store.client.send("DELETE", path), 409, "metric_in_use")
    expect(store.client.post(f"{PROJECTS}/{project['id']}/archive"))
    assert expect(store.client.get(path))["uses"][0]["is_archived"]
    expect(store.client.send("DELETE", path), 409, "metric_in_use")
    expect(store.client.send("DELETE", f"{PROJECTS}/{project['id']}"))
    assert expect(store.client.send("DELETE", path))["deleted"]
    expect(store.client.get(path), 404, "not_found")
    expect(store.client.get(f"{METRICS}/nothing"), 404, "not_found")


def test_an_import_notes_uses_and_brings_back_what_is_gone(store):
    here, gone = add(store.client, "Here"), add(store.client, "Gone by then")
    projects = [create(store.client, planned_with(made, baseline_value=0.1, mde_pct=5)) for made in (here, gone)]
    bundle = expect(store.client.get("/api/v1/workspace/export"))
    expect(store.client.send("DELETE", f"{PROJECTS}/{projects[1]['id']}"))
    expect(store.client.send("DELETE", f"{METRICS}/{gone['metric']['id']}"))
    expect(store.client.post("/api/v1/workspace/import", bundle))
    uses = expect(store.client.get(f"{METRICS}/{here['metric']['id']}"))["uses"]
    assert len(uses) == 2 and {use["version"] for use in uses} == {1}
    back = expect(store.client.get(f"{METRICS}/{gone['metric']['id']}"))
    assert back["metric"]["definition"] == gone["metric"]["definition"] and len(back["uses"]) == 1


def test_a_template_outlives_its_metric(store):
    made = add(store.client, "Of a template")
    design = planned_with(made, baseline_value=0.1, mde_pct=5)
    template = expect(store.client.post("/api/v1/templates", {"name": "Ours", "description": "As usual", "payload": design}))
    expect(store.client.send("DELETE", f"{METRICS}/{made['metric']['id']}"))
    used = expect(store.client.post(f"/api/v1/templates/{template['id']}/use"))["payload"]
    assert used["metrics"].pop("catalog_metric", None) is None
    del template["payload"]["metrics"]["catalog_metric"]
    assert used == template["payload"]
    create(store.client, used)


def test_names_are_found_and_stay_apart(store):
    for name in ("Ähre 50%", "ähre_x", "Zebra"):
        add(store.client, name)
    assert names(store.client, "?q=%C3%84HRE") == ["Ähre 50%", "ähre_x"]
    assert names(store.client, "?q=50%25") == ["Ähre 50%"] and names(store.client, "?q=e_x") == ["ähre_x"]
    expect(store.client.post(METRICS, definition("zebra")), 409, "metric_name_taken")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        statuses = sorted(answer.status for answer in pool.map(lambda _: store.client.post(METRICS, definition("Race")), range(4)))
    assert statuses == [200, 409, 409, 409]
    everything = names(store.client)
    assert everything == names(store.client, "?limit=3") + names(store.client, "?offset=3")
    assert set(names(store.client, "?kind=ratio")) <= {"Returns per order"}


def test_there_is_a_limit(store):
    for index in range(MOST):
        answer = store.client.post(METRICS, definition(f"Filler {index}"))
        if answer.status != 200:
            break
    expect(answer, 409, "metric_limit_reached")
    assert expect(store.client.get(METRICS))["total"] == MOST


def test_roles_and_the_audit_log(guarded):
    reader, writer = guarded.as_token(READ), guarded.as_token(WRITE)
    assert reader.post(METRICS, definition("Ours")).status == 403
    made = expect(writer.post(METRICS, definition("Ours")))
    path = f"{METRICS}/{made['metric']['id']}"
    assert expect(reader.get(path))["versions"][0]["actor"]
    assert reader.send("DELETE", path).status == 403 and reader.send("PUT", path, definition("Other")).status == 403
    assert guarded.client.get(METRICS).status == 401
    expect(writer.send("DELETE", path))
    entries = expect(writer.get("/api/v1/audit?limit=5"))["entries"]
    assert [one["action"] for one in entries[:2]] == ["metric.delete", "metric.create"]
