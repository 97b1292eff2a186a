"""The catalog of metrics and the flags in backups of the workspace: a round trip keeps them on both engines, an import
finds what is there already, and what does not fit is refused with its place and changes nothing."""

import copy

import pytest

from project_fixtures import OPEN, PROJECTS, create, expect, path_of, payload, unknown_id
from workspace_test import (NOON, WORKSPACE, export, file_database, fresh_database, program, sealed, write)

pytestmark = pytest.mark.both_engines

pytest_plugins = ["store_fixtures"]

METRICS = "/api/v1/metrics"
SEGMENTS = "/api/v1/segments"
RULES = [{"attribute": "country", "operator": "in", "value": ["日本", "ไทย", 1, 2.5, True]}]
SETTINGS = {
    "value_type": "object",
    "variants": [{"name": "control", "value": {"colour": "grün", "size": 1.5, "deep": [1, {"x": None}]}}, {"name": "عربي", "value": []}],
    "default_variation": 1, "fixed_variation": None, "forced": [{"user_id": "用户", "variation_index": 1}], "dimensions": ["platform"],
    "holdout": {"name": "all-2026", "share": 0.05}, "ramp_held_at": 0,
    "ramp": [{"starts_at": "2026-01-02T03:04:05.678900+00:00", "share": 0.1}, {"starts_at": "2026-02-02T00:00:00+00:00", "share": 1}]}


def metric(name, **members):
    return {"name": name, "kind": "count", "event_name": "order", "owner": "Shop", "description": "ø\u2028", "baseline_value": 1.25,
            **members}


def fill(client, name="Layered", layer="page", **setup):
    """A metric with two versions that a design names by the first one; the design's flag has everything that a flag can have."""
    made = expect(client.post(METRICS, metric(f"{name} orders", upper_cap=9)))["metric"]
    defaults = expect(client.get(f"{METRICS}/{made['id']}"))["defaults"]
    expect(client.send("PUT", f"{METRICS}/{made['id']}", json=metric(f"{name} orders", window_days=7)))
    design = payload(name, metrics={**defaults, "std_dev": 2, "mde_pct": 5}, setup={
        "targeting_rules": RULES, "namespace": {"id": layer, "range_start": 0.25, "range_end": 0.5}, **setup})
    project = create(client, design)
    flag = expect(client.send("PUT", f"/api/v1/experiments/{project['id']}/flag", json={"enabled": True, "key": f"{name.lower()}-key", **SETTINGS}))
    return made, project, flag


@pytest.fixture(scope="module")
def bundle(stores):
    with stores.new("sqlite", OPEN) as store:
        fill(store.client)
        plain = create(store.client, payload("Plain"))
        expect(store.client.send("PUT", f"/api/v1/experiments/{plain['id']}/flag", json={"enabled": False, "value_type": "number", "variants": [
            {"name": "a", "value": 1e-7}, {"name": "b", "value": 3}]}))
        create(store.client, payload("Bare"))
        return export(store.client)


def brought(store, bundle, *arguments, **environment):
    return program(store, "import", bundle, *arguments, **environment)


def test_a_round_trip_over_both_engines_has_the_same_bytes(store, bundle, tmp_path):
    at = ("--generated-at", NOON)
    first = write(tmp_path / "first.json", bundle)
    texts = []
    for database in (file_database(tmp_path / "a.sqlite3"), fresh_database(), file_database(tmp_path / "b.sqlite3")):
        done = brought(store, first, "--keep-ids", **database)
        assert done.returncode == 0 and "catalog_metrics=1 flags=3 renamed_flags=0 switched_off_flags=0" in done.stdout, done.stderr
        out = tmp_path / f"out{len(texts)}.json"
        assert program(store, "export", out, *at, **database).returncode == 0
        again = brought(store, first, "--keep-ids", **database)
        assert again.returncode == 3 and "catalog_metrics.0" in again.stderr, again.stderr
        texts.append(out.read_bytes())
        first = out
    assert texts[0] == texts[1] == texts[2]
    assert sealed(bundle, generated_at=NOON)["integrity"]["checksum_sha256"].encode() in texts[0]
    assert len(bundle["catalog_metric_versions"]) == 2 and bundle["catalog_metrics"][0]["version"] == 2


def test_another_instance_gets_metrics_and_flags_and_knows_them_again(store, bundle):
    client = store.client
    told = expect(client.post(WORKSPACE + "/import", bundle))
    assert [told[f"imported_{name}"] for name in ("projects", "catalog_metrics", "flags")] == [3, 1, 3] and told["renamed_flags"] == 0
    [made] = expect(client.get(METRICS + "?q=Layered"))["metrics"]
    assert (made["id"], made["version"], made["use_count"]) == (bundle["catalog_metrics"][0]["id"], 2, 1)
    shown = expect(client.get(f"{METRICS}/{made['id']}"))
    assert [v["definition"] for v in shown["versions"]] == [
        v["definition"] for v in sorted(bundle["catalog_metric_versions"], key=lambda v: -v["version"])]
    project = next(p for p in expect(client.get(PROJECTS + "?limit=200"))["projects"] if p["project_name"] == "Layered")
    flag = expect(client.get(f"/api/v1/experiments/{project['id']}/flag"))
    assert {name: flag[name] for name in SETTINGS} == SETTINGS | {"ramp": flag["ramp"]} and flag["enabled"]
    assert (flag["key"], [s["share"] for s in flag["ramp"]]) == ("layered-key", [0.1, 1])
    assert expect(client.post("/ofrep/v1/evaluate/flags/layered-key", {"context": {"targetingKey": "用户"}}))["value"] == []
    told = expect(client.post(WORKSPACE + "/import", bundle))
    assert (told["imported_catalog_metrics"], told["imported_flags"], told["renamed_flags"]) == (0, 3, 3)
    copies = [p for p in expect(client.get(PROJECTS + "?limit=200"))["projects"] if p["project_name"] == "Layered"]
    flags = [expect(client.get(f"/api/v1/experiments/{p['id']}/flag")) for p in copies]
    assert sorted((f["enabled"], f["key"] == "layered-key") for f in flags) == [(False, False), (True, True)]
    assert all({**f, "experiment_id": 0, "key": 0, "enabled": 0, "updated_at": 0} == {
        **flags[0], "experiment_id": 0, "key": 0, "enabled": 0, "updated_at": 0} for f in flags)
    assert expect(client.get(f"{METRICS}/{made['id']}"))["metric"]["use_count"] == 2


def test_a_metric_of_the_same_name_is_found_and_designs_name_it(store, bundle):
    """Two installations made the same metric, each under its own id."""
    client = store.client
    own, project, _ = fill(client, "Twin", "twin")
    there = export(client)
    other = unknown_id()
    text = sealed(only(there, project["id"]))
    renamed = sealed(replace(text, own["id"], other))
    expect(client.send("DELETE", path_of(project)))
    told = expect(client.post(WORKSPACE + "/import", renamed))
    assert (told["imported_catalog_metrics"], told["renamed_flags"]) == (0, 0)
    [found] = [p for p in expect(client.get(PROJECTS + "?limit=200"))["projects"] if p["project_name"] == "Twin"]
    assert expect(client.get(path_of(found)))["payload"]["metrics"]["catalog_metric"] == {"id": own["id"], "version": 1}
    revisions = expect(client.get(path_of(found, "revisions")))["revisions"]
    assert len(revisions) == 2 and expect(client.get(f"{METRICS}/{own['id']}"))["metric"]["use_count"] == 1
    expect(client.send("DELETE", path_of(found)))


def only(bundle, *ids):
    """The bundle with some projects, and their metrics."""
    kept = copy.deepcopy(bundle)
    kept["projects"] = [p for p in kept["projects"] if p["id"] in ids]
    for name in ("flags", "project_revisions", "analysis_runs", "export_events"):
        kept[name] = [r for r in kept[name] if r["project_id"] in ids]
    named = [p["payload"]["metrics"]["catalog_metric"]["id"] for p in kept["projects"] if p["payload"]["metrics"].get("catalog_metric")]
    kept["catalog_metrics"] = [m for m in kept["catalog_metrics"] if m["id"] in named]
    kept["catalog_metric_versions"] = [v for v in kept["catalog_metric_versions"] if v["metric_id"] in named]
    return kept


def replace(value, old, new):
    if isinstance(value, dict):
        return {name: replace(member, old, new) for name, member in value.items()}
    if isinstance(value, list):
        return [replace(member, old, new) for member in value]
    return new if value == old else value


def changed(bundle, name, at, **members):
    records = copy.deepcopy(bundle[name])
    records[at].update(members)
    return sealed(bundle, **{name: records})


CHECKS = [
    ("workspace_duplicate_catalog_metric_id", lambda b: sealed(b, catalog_metrics=b["catalog_metrics"] * 2)),
    ("workspace_duplicate_catalog_metric_version", lambda b: changed(b, "catalog_metric_versions", 1, version=1)),
    ("workspace_metric_version_unknown_metric", lambda b: changed(b, "catalog_metric_versions", 0, metric_id=unknown_id())),
    ("workspace_metric_unknown_version", lambda b: changed(b, "catalog_metrics", 0, version=3)),
    ("workspace_duplicate_flag", lambda b: sealed(b, flags=b["flags"][:1] * 2)),
    ("workspace_flag_unknown_project", lambda b: changed(b, "flags", 0, project_id=unknown_id())),
    ("workspace_integrity_counts_mismatch", lambda b: {**b, "flags": []}),
    ("workspace_integrity_checksum_mismatch", lambda b: {**b, "flags": [*b["flags"][:2], {**b["flags"][2], "key": "x"}]})]


def test_what_does_not_fit_together_is_refused(store, bundle):
    before = export(store.client)["integrity"]["counts"]
    for code, change in CHECKS:
        for path in ("/validate", "/import"):
            expect(store.client.post(WORKSPACE + path, change(bundle)), 400, code)
    layered = next(i for i, f in enumerate(bundle["flags"]) if f["key"] == "layered-key")
    settings = bundle["flags"][layered]["settings"]
    shapes = [("flags", layered, {"key": "no slug"}), ("flags", layered, {"settings": {**settings, "default_variation": 2}}),
              ("flags", layered, {"settings": None}), ("flags", layered, {"settings": {**settings, "value_type": "colour"}}),
              ("flags", layered, {"settings": {**settings, "variants": []}}), ("catalog_metric_versions", 1, {"definition": {"name": "x"}}),
              ("catalog_metric_versions", 1, {"version": 0}), ("catalog_metrics", 0, {"updated_at": "soon"})]
    for name, at, members in shapes:
        [(place, _)] = store.client.post(WORKSPACE + "/import", changed(bundle, name, at, **members)).errors().items()
        assert place[:3] == ("body", name, at), (place, members)
    assert export(store.client)["integrity"]["counts"] == before


def test_what_the_instance_does_not_allow_is_refused_as_a_whole(store):
    """Another metric of the same name; a flag whose range another one has; a design with another number of variations."""
    client = store.client
    own, project, _ = fill(client, "Clash", "clash")
    there = only(export(client), project["id"])
    before = export(client)["integrity"]["counts"]
    design = there["projects"][0]["payload"]
    three = {**design, "setup": {**design["setup"], "variants_count": 3, "traffic_split": [40, 30, 30]}}
    definition = {**there["catalog_metric_versions"][1]["definition"], "direction": "decrease"}
    for code, place, change in (
            ("workspace_metric_differs", "catalog_metric_versions.1.definition",
             lambda: changed(there, "catalog_metric_versions", 1, definition=definition)),
            ("layer_overlap", "flags.0.enabled", lambda: changed(there, "flags", 0, key="clash-two")),
            ("flag_variants", "flags.0.enabled", lambda: changed(
                {**there, "projects": [{**there["projects"][0], "payload": three}]}, "flags", 0, key="clash-three"))):
        answer = client.post(WORKSPACE + "/import", change())
        status = 400 if code == "flag_variants" else 409
        assert (answer.status, answer.json()["error_code"]) == (status, code) and place in answer.json()["detail"], answer.json()
    assert export(client)["integrity"]["counts"] == before
    off = changed(there, "flags", 0, key="clash-two", enabled=False)
    assert expect(client.post(WORKSPACE + "/import", off))["renamed_flags"] == 0


def flag_named(client, name):
    """The flags of the projects with the name, with the id of each."""
    found = [p for p in expect(client.get(PROJECTS + "?limit=200"))["projects"] if p["project_name"] == name]
    return [(p, expect(client.get(f"/api/v1/experiments/{p['id']}/flag"))) for p in found]


def test_a_flag_whose_segment_is_not_here_comes_in_off(store, tmp_path):
    """It would let in everybody whom the segment keeps out. A segment that is made later is used by the design at once."""
    client = store.client
    segments = [expect(client.post(SEGMENTS, {"name": f"{word} {unknown_id()}"}))["segment"] for word in ("Employees", "测试")]
    rule, grouped = ({"attribute": "targetingKey", "operator": "not_in_segment", "value": s["definition"]["name"]} for s in segments)
    _, project, flag = fill(client, "Segmented", "segmented", targeting_rules=[rule, *RULES], targeting_groups=[{"match": "any", "rules": [grouped]}])
    bundle = sealed(only(export(client), project["id"]))

    def bring():
        told = expect(client.post(WORKSPACE + "/import", bundle))
        [(copied, brought_in)] = flag_named(client, "Segmented")
        assert (told["renamed_flags"], brought_in["key"]) == (0, flag["key"])
        return copied, told["switched_off_flags"], brought_in["enabled"]

    expect(client.send("DELETE", path_of(project)))
    project, *told = bring()
    assert told == [0, True]
    for there in segments:
        expect(client.send("DELETE", path_of(project)))
        expect(client.send("DELETE", f"{SEGMENTS}/{there['id']}"))
        project, *told = bring()
        assert told == [1, False]
    for there in segments:
        made = expect(client.post(SEGMENTS, there["definition"]))
        assert made["segment"]["use_count"] == 1 and made["uses"][0]["project_id"] == project["id"]
        expect(client.send("DELETE", f"{SEGMENTS}/{made['segment']['id']}"), 409, "segment_in_use")
    done = brought(store, write(tmp_path / "moved.json", bundle), "--keep-ids", **file_database(tmp_path / "moved.sqlite3"))
    assert done.returncode == 0 and "renamed_flags=0 switched_off_flags=1" in done.stdout, done.stderr


def test_a_flag_that_needs_another_key_takes_none_of_the_same_file(store):
    """The first project's own key is taken here, and the slug of its name is the key of the second."""
    client, word = store.client, unknown_id()[:8]
    first, second = create(client, payload(f"Keys {word}")), create(client, payload(f"Other {word}"))

    def name(project, key):
        expect(client.send("PUT", f"/api/v1/experiments/{project['id']}/flag", json={
            "enabled": True, "key": key, "value_type": "number", "variants": [{"name": "a", "value": 1}, {"name": "b", "value": 3}]}))

    name(first, f"taken-{word}")
    name(second, f"keys-{word}")
    bundle = sealed(only(export(client), first["id"], second["id"]))
    expect(client.send("DELETE", path_of(second)))
    assert expect(client.post(WORKSPACE + "/import", bundle))["renamed_flags"] == 1
    [(_, kept)] = flag_named(client, f"Other {word}")
    assert (kept["key"], kept["enabled"]) == (f"keys-{word}", True)
    assert sorted(f["enabled"] for _, f in flag_named(client, f"Keys {word}")) == [False, True]


def test_older_versions_are_read_without_them(store, bundle):
    """A list that version 3 does not know is dropped from it, and its projects get flags without values."""
    old = sealed({**bundle, "schema_version": 3}, **{"project_revisions": [], "projects": bundle["projects"][-1:]})
    told = expect(store.client.post(WORKSPACE + "/import", old))
    assert (told["imported_projects"], told["imported_catalog_metrics"], told["imported_flags"]) == (1, 0, 0)
    [newest] = expect(store.client.get(PROJECTS + "?q=bare&limit=1"))["projects"]
    assert store.database.value("SELECT count(*) FROM projects p WHERE NOT EXISTS (SELECT 1 FROM flags f WHERE f.experiment_id = p.id)") == 0
    assert expect(store.client.get(f"/api/v1/experiments/{newest['id']}/flag"))["variants"] == []
    for name in ("catalog_metrics", "catalog_metric_versions", "flags"):
        missing = {**bundle, "integrity": None}
        missing.pop(name)
        [(place, _)] = store.client.post(WORKSPACE + "/validate", missing).errors().items()
        assert place == ("body", name)


def test_a_full_catalog_takes_no_more(store, bundle, tmp_path):
    file = write(tmp_path / "more.json", replace_names(bundle))
    done = brought(store, file, AB_MAX_METRICS="1", **file_database(tmp_path / "full.sqlite3"))
    assert done.returncode == 3 and "AB_MAX_METRICS" in done.stderr, done.stderr
    assert brought(store, file, AB_MAX_METRICS="2", **file_database(tmp_path / "full.sqlite3")).returncode == 0


def replace_names(bundle):
    """The bundle with a second metric."""
    other = unknown_id()
    versions = [{**v, "metric_id": other, "definition": {**v["definition"], "name": "Other"}} for v in bundle["catalog_metric_versions"]]
    return sealed(bundle, catalog_metrics=bundle["catalog_metrics"] + [{**bundle["catalog_metrics"][0], "id": other}],
                  catalog_metric_versions=bundle["catalog_metric_versions"] + versions)
