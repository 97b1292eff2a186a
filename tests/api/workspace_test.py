"""Backups of the workspace: what is in them, how they are hashed and signed, what is refused in which order,
and that they move between engines, over HTTP and by the program."""

import copy
import hashlib
import hmac
import json
import os
import re
from pathlib import Path

import pytest

from project_fixtures import (OPEN, PROJECTS, SERVER, analysis, check_totals, create, expect, history_of, path_of, payload, put, revisions_of,
                    stored_form, unknown_id)

pytestmark = pytest.mark.both_engines

pytest_plugins = ["store_fixtures"]

WORKSPACE = "/api/v1/workspace"
OLD_LISTS = ("analysis_runs", "export_events", "project_revisions", "projects")
LISTS = (*OLD_LISTS, "catalog_metric_versions", "catalog_metrics", "flags")
NOON = "2026-07-30T12:00:00+00:00"
KEY = "0123456789abcdef-signed-backup"
EMPTY = "39af1edf1421127323d9c1dc2deae4633968b0c85ead09982c2a12545e4f0503"
EMPTY_SIGNED = "5c2d85111a9caa5ed6cb2232e90303cc77eec89ba97826d115b2f242a104cf3d"
MEMORY_MAX = 64 * 1024  # kB


def canonical(bundle):
    """The text that is hashed, by other means than ours."""
    lists = LISTS if bundle["schema_version"] >= 4 else OLD_LISTS
    kept = {name: bundle[name] for name in ("schema_version", "generated_at", *lists)}
    return json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def sealed(bundle, key=None, **changes):
    """A copy with these changes, and with counts, checksum and signature that fit."""
    made = {**copy.deepcopy(bundle), **changes}
    text = canonical(made)
    made["integrity"] = {"counts": {name: len(made[name]) if made["schema_version"] >= 4 or name in OLD_LISTS else 0 for name in LISTS},
                         "checksum_sha256": hashlib.sha256(text).hexdigest(),
                         "signature_hmac_sha256": hmac.new(key.encode(), text, "sha256").hexdigest() if key else None}
    return made


def empty(version=3):
    return {"schema_version": version, "generated_at": NOON, **{name: [] for name in LISTS}}


def export(client):
    return expect(client.get(WORKSPACE + "/export"))


def fill(client):
    """Two projects, one of them archived, with all that may be kept with them."""
    odd = "é\u2028\x7f/\U0001f600\n\u0001\"\\\b\f\t"
    first = create(client, payload("Füllung", metrics={"mde_pct": 1e-5, "baseline_value": 0.1 + 0.2},
                                   hypothesis={"business_problem": odd},
                                   setup={"targeting_rules": [{"attribute": "a", "operator": "in", "value": [1, 2.5, "x", True]}]}))
    run = expect(client.post(path_of(first, "analysis"), analysis(days=9)))["last_analysis_run_id"]
    expect(client.post(path_of(first, "exports"), {"format": "html", "analysis_run_id": run}))
    expect(put(client, first, payload("Füllung 2")))
    second = create(client, payload("Zweites", "continuous"))
    expect(client.post(path_of(second, "archive")))
    return first, second


@pytest.fixture(scope="module")
def bundle(store):
    fill(store.client)
    return export(store.client)


def program(store, *arguments, **environment):
    return store.program("workspace", *map(str, arguments), **environment)


def write(path, bundle):
    path.write_text(json.dumps(bundle))
    return path


def test_canonical_form_and_export(bundle):
    text = canonical(bundle)
    assert bundle["integrity"] == {
        "counts": {"projects": 2, "analysis_runs": 1, "export_events": 1, "project_revisions": 3, "catalog_metrics": 0,
                   "catalog_metric_versions": 0, "flags": 2},
        "checksum_sha256": hashlib.sha256(text).hexdigest(), "signature_hmac_sha256": None}
    for golden in (b'"mde_pct":1e-05', b'"baseline_value":0.30000000000000004', b'"traffic_split":[50,50]', b'"power":0.8',
                   rb'"business_problem":"\u00e9\u2028\u007f/\ud83d\ude00\n\u0001\"\\\b\f\t"'):
        assert golden in text, golden
    assert [p["project_name"] for p in bundle["projects"]] == ["Füllung 2", "Zweites"] and bundle["schema_version"] == 4
    assert set(bundle["projects"][0]) == {"id", "project_name", "payload_schema_version", "archived_at", "last_analysis_at",
                                          "last_analysis_run_id", "last_exported_at", "created_at", "updated_at", "payload"}
    assert bundle["projects"][1]["archived_at"] and bundle["projects"][0]["payload"] == stored_form(payload("Füllung 2"))
    for name in OLD_LISTS:
        assert bundle[name] == sorted(bundle[name], key=lambda r: (r["created_at"], r["id"]))


def test_golden_checksums(store, tmp_path):
    told = expect(store.client.post(WORKSPACE + "/validate", sealed(empty())))
    assert told == {"status": "valid", "schema_version": 3, "counts": {name: 0 for name in LISTS}, "checksum_sha256": EMPTY, "signature_verified": False}
    file = write(tmp_path / "signed.json", sealed(empty(), KEY))
    assert EMPTY_SIGNED in file.read_text()
    done = program(store, "validate", file, AB_WORKSPACE_SIGNING_KEY=KEY)
    assert done.returncode == 0 and "signature_verified=true" in done.stdout, done.stderr


def test_import_adds_under_new_ids(store, bundle):
    before = expect(store.client.get(PROJECTS + "?status=all&limit=200"))
    told = expect(store.client.post(WORKSPACE + "/import", bundle))
    assert told == {"status": "imported", "imported_projects": 2, "imported_analysis_runs": 1,
                    "imported_export_events": 1, "imported_project_revisions": 5, "imported_catalog_metrics": 0, "imported_flags": 2,
                    "renamed_flags": 2, "switched_off_flags": 0}
    after = expect(store.client.get(PROJECTS + "?status=all&limit=200"))
    known = {p["id"] for p in before["projects"]}
    fresh = [p for p in after["projects"] if p["id"] not in known]
    assert after["total"] == before["total"] + 2 and len(fresh) == 2
    [came] = [p for p in fresh if p["project_name"] == "Füllung 2"]
    [was] = [p for p in before["projects"] if p["project_name"] == "Füllung 2"][:1]
    for name in ("created_at", "updated_at", "last_analysis_at", "last_exported_at",
                 "duration_days", "hypothesis", "metric_type"):
        assert came[name] == was[name], name
    history = history_of(store.client, came)
    assert came["last_analysis_run_id"] == history["analysis_runs"][0]["id"] == history["export_events"][0]["analysis_run_id"]
    revisions = revisions_of(store.client, came)["revisions"]
    assert [r["source"] for r in revisions] == ["workspace_import", "update", "create"]
    assert came["revision_count"] == was["revision_count"] + 1 == 3 and came["last_revision_at"] == revisions[0]["created_at"]
    assert [p["project_name"] for p in expect(store.client.get(PROJECTS + "?q=füllung"))["projects"]].count("Füllung 2") >= 2
    [entry] = expect(store.client.get("/api/v1/audit?action=workspace_imported&limit=1"))["entries"]
    assert entry["project_id"] is None
    check_totals(store)
    assert store.database.value("SELECT count(*) FROM project_revisions WHERE number > 3") == 0


def test_projects_without_revisions_get_one(store, bundle):
    alone = sealed(bundle, project_revisions=[], export_events=[], analysis_runs=[], flags=[], projects=bundle["projects"][:1])
    assert expect(store.client.post(WORKSPACE + "/import", alone))["imported_project_revisions"] == 1
    [found] = store.database.rows("SELECT created_at, number FROM project_revisions WHERE source = 'workspace_import' AND number = 1")
    assert found == {"created_at": bundle["projects"][0]["updated_at"], "number": 1}
    assert store.database.value("SELECT count(*) FROM projects WHERE last_analysis_run_id IS NULL AND last_analysis_at IS NOT NULL") == 1


def renamed(bundle, name, **members):
    """The bundle with members of the first record of a list changed."""
    records = copy.deepcopy(bundle[name])
    records[0].update(members)
    return {name: records}


REFUSALS = [
    ("workspace_schema_unsupported", lambda b: sealed(b, schema_version=5)),
    ("workspace_schema_unsupported", lambda b: sealed(b, schema_version=0)),
    ("workspace_schema_unsupported", lambda b: sealed(b, **renamed(b, "projects", payload_schema_version=2))),
    ("workspace_integrity_required", lambda b: {**b, "integrity": None}),
    ("workspace_integrity_counts_mismatch", lambda b: {**b, "export_events": []}),
    ("workspace_integrity_checksum_missing", lambda b: {**b, "integrity": {**b["integrity"], "checksum_sha256": " "}}),
    ("workspace_integrity_checksum_mismatch", lambda b: {**b, **renamed(b, "projects", project_name="Other")}),
    ("workspace_integrity_checksum_mismatch", lambda b: {**b, "generated_at": NOON}),
    ("workspace_signature_verification_unavailable", lambda b: sealed(b, KEY)),
    ("workspace_duplicate_project_id", lambda b: sealed(b, projects=b["projects"][:1] * 2)),
    ("workspace_duplicate_analysis_run_id", lambda b: sealed(b, analysis_runs=b["analysis_runs"] * 2)),
    ("workspace_duplicate_project_revision_id", lambda b: sealed(b, project_revisions=b["project_revisions"][:1] * 2)),
    ("workspace_duplicate_project_id", lambda b: {**b, "schema_version": 1, "integrity": None, "projects": b["projects"][:1] * 2}),
    ("workspace_analysis_unknown_project", lambda b: sealed(b, **renamed(b, "analysis_runs", project_id=unknown_id()))),
    ("workspace_export_unknown_project", lambda b: sealed(b, **renamed(b, "export_events", project_id=unknown_id()))),
    ("workspace_export_unknown_analysis_run", lambda b: sealed(b, **renamed(b, "export_events", analysis_run_id=unknown_id()))),
    ("workspace_revision_unknown_project", lambda b: sealed(b, **renamed(b, "project_revisions", project_id=unknown_id()))),
]


def test_refusals(store, bundle):
    before = export(store.client)["integrity"]["counts"]
    for code, change in REFUSALS:
        for path in ("/validate", "/import"):
            expect(store.client.post(WORKSPACE + path, change(bundle)), 400, code)
    assert export(store.client)["integrity"]["counts"] == before
    old = {**sealed(bundle, schema_version=1), "integrity": None}
    assert expect(store.client.post(WORKSPACE + "/validate", old))["schema_version"] == 1


def test_signing_key_demands_signatures(store, bundle, tmp_path):
    """By the program, which needs no stack of its own for a setting."""
    cases = [("workspace_signature_required", sealed(bundle), "not signed"),
             ("workspace_signature_mismatch", sealed(bundle, KEY + "x"), "not that of this bundle"),
             ("workspace_integrity_required", {**sealed(bundle, schema_version=1), "integrity": None}, "no integrity")]
    for number, (code, changed, words) in enumerate(cases):
        done = program(store, "validate", write(tmp_path / f"{number}.json", changed), AB_WORKSPACE_SIGNING_KEY=KEY)
        assert done.returncode == 4 and words in done.stderr, (code, done.stderr)


SHAPES = [
    (lambda b: b.pop("projects"), "projects", "missing"), (lambda b: b.update(projects={}), "projects", "not a list"),
    (lambda b: b["projects"][1].pop("id"), "projects.1.id", "missing"), (lambda b: b.pop("schema_version"), "schema_version", "missing"),
    (lambda b: b["projects"][0]["payload"].update(extra=1), "projects.0.payload.extra", "not known"),
    (lambda b: b["projects"][0]["payload"]["metrics"].update(alpha=2), "projects.0.payload.metrics.alpha", "too large"),
    (lambda b: b["export_events"][0].update(format="docx"), "export_events.0.format", "none of the words"),
    (lambda b: b["project_revisions"][2].update(created_at="soon"), "project_revisions.2", "time"),
    (lambda b: b["integrity"].pop("counts"), "integrity.counts", "missing")]


def test_shapes(store, bundle):
    for change, place, words in SHAPES:
        broken = copy.deepcopy(bundle)
        change(broken)
        [(location, error)] = store.client.post(WORKSPACE + "/validate", broken).errors().items()
        parts = (int(part) if part.isdigit() else part for part in place.split("."))
        assert location == ("body", *parts) and words in error["msg"], (location, error)
    for text in ("", "[]", "{", "{\"projects\":[", "nonsense", json.dumps(bundle)[:-1], json.dumps(bundle) + "x", "{\"x\":nope}"):
        assert store.client.send("POST", WORKSPACE + "/import", data=text.encode(),
                                 headers={"Content-Type": "application/json"}).status == 422, text[:20]


def test_rows_of_older_versions_export_what_imports(stores, tmp_path):
    """An analysis that was stored before it had all of its members, and with numbers written another way."""
    with stores.new("sqlite", OPEN) as store:
        made = create(store.client, payload("Old"))
        expect(store.client.post(path_of(made, "analysis"), analysis(days=9, n=110)))
        old = analysis(days=9, n=110)
        del old["report"]["guardrail_metrics"], old["calculations"]["bonferroni_note"]
        old["calculations"]["results"]["sample_size_per_variant"] = 110.0
        store.database.run(f"UPDATE analysis_runs SET analysis_json = '{json.dumps(old)}'")
        exported = expect(store.client.get(WORKSPACE + "/export"))
        assert exported["analysis_runs"][0]["analysis"]["report"]["guardrail_metrics"] == []
        assert exported["integrity"]["checksum_sha256"] == hashlib.sha256(canonical(exported)).hexdigest()
        assert expect(store.client.post(WORKSPACE + "/import", exported))["imported_analysis_runs"] == 1


def test_the_program_has_the_memory_that_is_set(store, bundle, tmp_path):
    """A record of 40 MB, where a quarter of 64 MiB is for one: said by the setting's name, and nothing is kept."""
    big = json.loads(json.dumps(bundle))
    big["projects"][1]["payload"]["hypothesis"]["business_problem"] = "x" * 40_000_000
    file, before = write(tmp_path / "big.json", big), expect(store.client.get(PROJECTS + "?status=all&limit=1"))["total"]
    for command in ("validate", "import"):
        done = program(store, command, file, AB_WORKSPACE_MEMORY_BYTES=str(1 << 26))
        assert done.returncode == 4 and done.stderr.endswith(f"workspace: {file}: AB_WORKSPACE_MEMORY_BYTES is too little for it\n")
    assert expect(store.client.get(PROJECTS + "?status=all&limit=1"))["total"] == before
    assert "AB_WORKSPACE" not in program(store, "validate", file).stderr
    assert program(store, "validate", write(file, bundle), AB_WORKSPACE_MEMORY_BYTES=str(1 << 26)).returncode == 0
    assert program(store, "validate", file, AB_WORKSPACE_MEMORY_BYTES="1").returncode == 1


def test_unknown_members_are_dropped(store, bundle):
    more = {**copy.deepcopy(bundle), "surplus": {"deep": [1, 2, {"x": "]}"}]}}
    more["projects"][0]["surplus"] = 1
    more["analysis_runs"][0]["analysis"]["surplus"] = {"a": 1}
    assert expect(store.client.post(WORKSPACE + "/validate", more))["checksum_sha256"] == bundle["integrity"]["checksum_sha256"]


def test_moves_between_engines_and_back(store, bundle, tmp_path):
    """Two commands; with ids kept and the time given, the same bytes come out of either database."""
    at = ("--generated-at", NOON)
    out, there, back = (tmp_path / name for name in ("out.json", "there.json", "back.json"))
    first = write(tmp_path / "first.json", bundle)
    (one, two), server = (file_database(tmp_path / f"{n}.sqlite3") for n in "ab"), fresh_database()
    assert program(store, "import", first, "--keep-ids", **one).returncode == 0
    assert program(store, "export", out, *at, **one).returncode == 0
    done = program(store, "import", out, "--keep-ids", **server)
    assert done.returncode == 0 and "import projects 2/2" in done.stderr, done.stderr
    assert program(store, "import", out, "--keep-ids", **server).returncode == 3, "ids are taken"
    assert program(store, "export", there, *at, **server).returncode == 0
    assert program(store, "import", there, "--keep-ids", **two).returncode == 0
    assert program(store, "export", back, *at, **two).returncode == 0
    assert out.read_bytes() == there.read_bytes() == back.read_bytes()
    assert json.loads(out.read_text())["integrity"]["checksum_sha256"] == sealed(bundle, generated_at=NOON)["integrity"]["checksum_sha256"]
    assert program(store, "validate", tmp_path / "none.json").returncode == 4
    assert program(store, "validate").returncode == program(store, "import", out, "--at").returncode == 2


def file_database(path):
    """Settings of an SQLite file, whatever the stack's own engine is."""
    return {"AB_DATABASE_URL": f"sqlite://{path}", "ASSAY_STATE_DIR": ""}


def fresh_database():
    return {"AB_DATABASE_URL": SERVER.get().url(SERVER.new_database()), "ASSAY_STATE_DIR": ""}


def test_memory_of_a_large_workspace(store):
    """Eight megabytes come in and go out through a worker of at most 64."""
    if os.environ.get("ASSAY_BUILD_DIR", "build") != "build":
        pytest.skip("sanitizers have memory of their own")
    record = {"project_name": "Large", "payload_schema_version": 1, "archived_at": NOON, "last_analysis_at": None,
              "last_analysis_run_id": None, "last_exported_at": None, "created_at": NOON, "updated_at": NOON,
              "payload": stored_form(payload("Large", hypothesis={"business_problem": "x" * 20000},
                                             setup={"audience_share_in_test": 0.5}, metrics={"mde_pct": 5.0}))}
    large = {**empty(), "projects": [{"id": unknown_id(), **record} for _ in range(180)]}
    large["project_revisions"] = [{"id": unknown_id(), "project_id": p["id"], "source": "create", "created_at": NOON,
                                   "payload": p["payload"]} for p in large["projects"]]
    text = json.dumps(sealed(large))
    assert 7_500_000 < len(text) < 8_388_608
    for _ in range(2):
        answer = store.client.send("POST", WORKSPACE + "/import", data=text.encode(), headers={"Content-Type": "application/json"})
        assert expect(answer)["imported_projects"] == 180
    expect(store.client.get(WORKSPACE + "/export"), 413, "workspace_too_large")
    states = [Path(f"/proc/{process}/status") for process in store.stack.workers("experiments-operations")]
    peaks = [int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) for status in states]
    assert peaks and max(peaks) < MEMORY_MAX, peaks
