"""The audit log: what each action writes down, how it is listed, paged and exported. On both engines."""

import csv
import io
import json
import random
import re
from urllib.parse import quote, urlencode

import pytest

from project_fixtures import CLOSED, PROJECTS, analysis, check_totals, count_anew, create, expect, payload, unknown_id

pytest_plugins = ["store_fixtures"]

AUDIT = "/api/v1/audit"
HEADER = ["ts", "action", "project_id", "project_name", "actor", "key_id", "request_id", "payload_diff", "ip_address"]
TIMESTAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$")
MEMBERS = {"id", "ts", "action", "project_id", "project_name", "key_id", "actor", "request_id", "payload_diff", "ip_address"}


def path_of(project, *rest):
    return "/".join([PROJECTS, project["id"], *rest])


def audit(client, **query):
    return expect(client.get(f"{AUDIT}?{urlencode(query, quote_via=quote)}"))


def of_project(client, project):
    return audit(client, project_id=project["id"])["entries"]


def export(client, query=""):
    """The file as rows of cells, its header taken off."""
    answer = client.get(f"{AUDIT}/export{query}")
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/csv; charset=utf-8", str(answer)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="audit-log.csv"'
    header, *rows = csv.reader(io.StringIO(answer.body.decode(), newline=""), strict=True)
    assert header == HEADER and all(len(row) == len(HEADER) for row in rows)
    return rows


def quoted(value):
    return "NULL" if value is None else "'" + str(value).replace("'", "''") + "'"


def insert(store, entries):
    """Rows put into the log past the service, and into its counts."""
    columns = [name for name in ("ts", "action", "project_id", "project_name", "key_id", "actor", "request_id",
                                 "payload_diff", "ip_address")]
    values = ",\n".join("(" + ", ".join(quoted(entry.get(name)) for name in columns) + ")" for entry in entries)
    store.database.run(f"INSERT INTO audit_log ({', '.join(columns)}) VALUES {values};\n{count_anew()}")


class TestActions:
    def test_the_life_of_a_project(self, store):
        client, project = store.client, create(store.client, payload("First"))
        expect(client.send("PUT", path_of(project), json=payload("Second")))
        expect(client.post(path_of(project, "archive")))
        expect(client.send("DELETE", path_of(project)))
        found = audit(client, project_id=project["id"])
        assert found["total"] == 4
        assert [e["action"] for e in found["entries"]] == [
            "project.delete", "project.archive", "project.update", "project.create"]
        assert [e["project_name"] for e in found["entries"]] == ["Second", "Second", "Second", "First"]

    def test_difference_of_an_update(self, store):
        project = create(store.client, payload("A"))
        expect(store.client.send("PUT", path_of(project), json=payload(
            "A v2", setup={"traffic_split": [34, 33, 33], "variants_count": 3})))
        entry = of_project(store.client, project)[0]
        assert entry["payload_diff"] == {
            "project.project_name": ["A", "A v2"], "setup.traffic_split": [[50, 50], [34, 33, 33]],
            "setup.variants_count": [2, 3]}
        assert json.dumps(entry["payload_diff"]["setup.variants_count"]) == "[2, 3]"

    # What is done to a project, the action it is told as, and how often it is told.
    ACTIONS = [
        ("POST", ("archive",), None, "project.archive"), ("POST", ("archive",), None, "project.archive"),
        ("POST", ("restore",), None, "project.restore"), ("POST", ("restore",), None, "project.restore"),
        ("POST", ("analysis",), analysis(), "analysis_run_created"), ("POST", ("exports",), {"format": "pdf"}, "export_created"),
        ("PUT", (), payload("Old"), "project.update"), ("PUT", (), payload("New"), "project.update"),
        ("DELETE", (), None, "project.delete"),
    ]

    @pytest.mark.parametrize("kind, actor", [("open", "anonymous"), ("write", "legacy_token:write")])
    def test_every_action(self, store, guarded, kind, actor):
        store = {"open": store, "write": guarded}[kind]
        client = store.client if kind == "open" else store.write
        project = create(client, payload("Old"), headers={"X-Request-ID": f"create-{kind}"})
        for number, (method, rest, body, _) in enumerate(self.ACTIONS):
            expect(client.send(method, path_of(project, *rest), json=body, headers={"X-Request-ID": f"{kind}-{number}"}))
        entries = of_project(client, project)[::-1]
        assert [e["action"] for e in entries] == ["project.create"] + [a[3] for a in self.ACTIONS]
        assert [e["request_id"] for e in entries] == [f"create-{kind}"] + [f"{kind}-{n}" for n in range(len(self.ACTIONS))]
        for entry in entries:
            assert set(entry) == MEMBERS and TIMESTAMP.match(entry["ts"])
            assert (entry["actor"], entry["key_id"], entry["ip_address"]) == (actor, None, "127.0.0.1")
        diffs = [(e["action"], e["payload_diff"]) for e in entries if e["payload_diff"] is not None]
        assert diffs == [("project.update", {"project.project_name": ["Old", "New"]})]
        assert [e["id"] for e in entries] == sorted(e["id"] for e in entries)
        assert [e["ts"] for e in entries] == sorted(e["ts"] for e in entries)

    def test_an_update_that_changes_nothing_has_no_difference(self, store):
        project = create(store.client)
        expect(store.client.send("PUT", path_of(project), json=payload()))
        assert [(e["action"], e["payload_diff"]) for e in of_project(store.client, project)] == [
            ("project.update", None), ("project.create", None)]

    def test_differences_of_every_kind(self, store):
        before = payload("Name", setup={"namespace": {"id": "n", "range_start": 0, "range_end": 0.5}, "icc": 0.1},
                         metrics={"secondary_metrics": ["a", "b"], "mde_pct": 5},
                         additional_context={"llm_context": "Ёлка"})
        after = payload("Name", setup={"icc": None, "targeting_rules": [{"attribute": "a", "operator": "in", "value": [1, "x"]}]},
                        metrics={"secondary_metrics": ["b", "a"], "mde_pct": 5.0, "planned_test": "z_test"},
                        constraints={"long_test_possible": False}, additional_context={"llm_context": "结\n\"'"})
        project = create(store.client, before)
        expect(store.client.send("PUT", path_of(project), json=after))
        assert of_project(store.client, project)[0]["payload_diff"] == {
            "setup.namespace.id": ["n", None], "setup.namespace.range_start": [0.0, None],
            "setup.namespace.range_end": [0.5, None],
            "setup.icc": [0.1, None], "metrics.secondary_metrics": [["a", "b"], ["b", "a"]],
            "metrics.planned_test": [None, "z_test"], "constraints.long_test_possible": [True, False],
            "additional_context.llm_context": ["Ёлка", "结\n\"'"],
            "setup.targeting_rules": [[], [{"attribute": "a", "operator": "in", "value": [1, "x"]}]]}

    def test_what_is_refused_leaves_no_entry(self, store):
        client, project = store.client, create(store.client)
        other = expect(client.post(path_of(create(client), "analysis"), analysis()))["last_analysis_run_id"]
        assert client.send("PUT", path_of(project), json={}).status == 422
        expect(client.send("PUT", path_of(project), json=payload(), headers={"If-Match": "x"}), 409, "project_conflict")
        expect(client.post(path_of(project, "exports"), {"format": "pdf", "analysis_run_id": other}), 400, "analysis_run_not_found")
        expect(client.get(path_of(project, "history")))
        assert len(of_project(client, project)) == 1
        unknown = unknown_id()
        expect(client.send("DELETE", f"{PROJECTS}/{unknown}"), 404, "not_found")
        assert audit(client, project_id=unknown) == {"entries": [], "total": 0}

    def test_request_ids_are_cleaned_before_they_are_kept(self, store):
        project = create(store.client, headers={"X-Request-ID": "no <good> \u00e9".encode("latin-1")})
        [entry] = of_project(store.client, project)
        assert re.fullmatch(r"[0-9a-f-]{36}", entry["request_id"])

    def test_address_is_the_resolved_one(self, stores, engine):
        with stores.new(engine, {**CLOSED, "AB_TRUSTED_PROXY_HOPS": 2}) as store:
            project = create(store.write, headers={"X-Forwarded-For": "9.9.9.9, 2001:db8::7, 10.0.0.2"})
            [entry] = of_project(store.write, project)
            assert entry["ip_address"] == "2001:db8::7"

    def test_read_tokens_and_demo_visitors_may_read_but_not_export(self, guarded):
        create(guarded.write)
        assert audit(guarded.read)["total"] > 0
        expect(guarded.read.get(AUDIT + "/export"), 403, "forbidden")
        expect(guarded.client.get(AUDIT), 401, "unauthorized")
        expect(guarded.client.get(AUDIT + "/export"), 401, "unauthorized")


NAMES = ["=1+1", "+1", "-1", "@SUM(A1)", "\ttab", "\rcr", "plain", "quote\"d", "com,ma", "line\nend", "crlf\r\nend", "结账", "=,\"\n",
         "", " =1", "'=1", None, "x" * 5000, "--", "a=1", "\u2028", "\x01"]


@pytest.fixture(scope="module")
def filled(stores, engine):
    """A log of a thousand entries put there, with ids and moments that disagree, as hosts' clocks do."""
    store = stores.get(engine, {**CLOSED, "AB_APP_NAME": "filled"})
    expect(store.read.get(AUDIT))
    chance = random.Random(7)
    projects, keys = [unknown_id() for _ in range(6)], [unknown_id() for _ in range(4)]
    entries = [{
        "ts": f"2026-05-{chance.randint(1, 20):02}T12:00:00.{chance.choice([0, 1, 999999]):06}+00:00",
        "action": chance.choice(["project.create", "project.update", "api_key_used", "=cmd"]),
        "project_id": chance.choice([*projects, None]), "key_id": chance.choice([*keys, None, None]),
        "project_name": chance.choice(NAMES), "actor": chance.choice(["anonymous", "admin_token", None]),
        "request_id": chance.choice(["r-1", None]), "ip_address": chance.choice(["127.0.0.1", None]),
        "payload_diff": chance.choice([None, '{"b":[1,null],"a":[{"x":"\\"é"},[1.5,true]]}'])} for _ in range(1100)]
    insert(store, entries)
    known = store.database.rows("SELECT * FROM audit_log")
    for row in known:
        if isinstance(row["payload_diff"], str):
            row["payload_diff"] = json.loads(row["payload_diff"])
    known.sort(key=lambda row: (row["ts"], row["id"]), reverse=True)
    return store, known, projects, keys


def fitting(known, **query):
    return [row for row in known if all(row[name] == query[name] for name in ("project_id", "key_id", "action") if name in query)]


class TestList:
    @pytest.mark.parametrize("names", [(), ("project_id",), ("key_id",), ("action",), ("project_id", "key_id"), ("project_id", "action"),
                                       ("key_id", "action"), ("project_id", "key_id", "action")], ids="+".join)
    def test_filters(self, filled, names):
        store, known, projects, keys = filled
        for number in range(3):
            values = {"project_id": projects[number], "key_id": keys[number], "action": ["project.create", "api_key_used", "=cmd"][number]}
            query = {name: values[name] for name in names}
            wanted = fitting(known, **query)
            for limit in (1, 7, 500):
                found = audit(store.read, limit=limit, **query)
                assert found["entries"] == wanted[:limit] and found["total"] == len(wanted)

    def test_default_limit(self, filled):
        store, known, _, _ = filled
        assert audit(store.read)["entries"] == known[:500]

    @pytest.mark.parametrize("query", [{}, {"action": "project.update"}, {"project_id": 2}, {"key_id": 1, "action": "api_key_used"}],
                             ids=lambda q: "+".join(q) or "all")
    def test_pages_by_cursor(self, filled, query):
        """Following before_id visits every entry once, in order; the total stays."""
        store, known, projects, keys = filled
        query = {name: {"project_id": projects, "key_id": keys}[name][value] if isinstance(value, int) else value
                 for name, value in query.items()}
        wanted, seen, cursor = fitting(known, **query), [], {}
        while True:
            found = audit(store.read, limit=83, **query, **cursor)
            assert found["total"] == len(wanted)
            if not found["entries"]:
                break
            seen += found["entries"]
            cursor = {"before_id": found["entries"][-1]["id"]}
        assert seen == wanted

    def test_cursors_of_entries_that_are_gone(self, filled):
        store, known, _, _ = filled
        assert audit(store.read, before_id=10**15, limit=5)["entries"] == known[:5]
        assert audit(store.read, before_id=2**53, limit=5)["entries"] == known[:5]

    @pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "before_id=0", "before_id=-1", "before_id=x", "before_id=1.5"])
    def test_bounds(self, filled, query):
        [(location, _)] = filled[0].read.get(f"{AUDIT}?{query}").errors().items()
        assert location == ("query", query.split("=")[0])

    @pytest.mark.parametrize("value", ["x", "'", "%25", "project.create ", "PROJECT.CREATE", "", "%C3%A9", unknown_id()])
    def test_filters_are_exact(self, filled, value):
        for name in ("project_id", "key_id", "action"):
            found = expect(filled[0].read.get(f"{AUDIT}?{name}={value}"))
            assert found == {"entries": [], "total": 0}, name

    def test_totals_equal_the_counts(self, store):
        """After everything that this file did to the open service."""
        create(store.client)
        check_totals(store)


class TestExport:
    def as_cells(self, row):
        cells = [row[name] for name in HEADER]
        if row["payload_diff"] is not None:
            cells[7] = json.dumps(row["payload_diff"], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return ["" if cell is None else "'" + cell if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell else cell
                for cell in cells]

    @staticmethod
    def loosely(cells):
        """A diff's inner objects may keep their order; compare it as JSON with its paths in order."""
        diff = json.loads(cells[7]) if cells[7] else None
        assert diff is None or list(diff) == sorted(diff)
        return [*cells[:7], diff, cells[8]]

    def test_holds_every_entry(self, filled):
        store, known, _, _ = filled
        rows = export(store.write)
        assert len(rows) == len(known) == 1100
        assert [self.loosely(r) for r in rows] == [self.loosely(self.as_cells(k)) for k in known]

    def test_formulas_are_disarmed(self, filled):
        store, _, _, _ = filled
        for row in export(store.write):
            for cell in row:
                assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r") or cell == "", row
        text = store.write.get(AUDIT + "/export").text
        assert "'=1+1" in text and "'@SUM(A1)" in text and "'=cmd" in text and ",plain," in text

    def test_nulls_are_empty(self, filled):
        store, known, _, _ = filled
        bare = next(n for n, row in enumerate(known) if row["project_id"] is None and row["payload_diff"] is None)
        assert export(store.write)[bare][2] == "" and export(store.write)[bare][7] == ""

    def test_filters(self, filled):
        store, known, projects, keys = filled
        for query in ({"project_id": projects[0]}, {"key_id": keys[0]}, {"action": "=cmd"},
                      {"project_id": projects[1], "action": "project.create"}):
            rows = export(store.write, "?" + urlencode(query))
            assert [r[0] for r in rows] == [k["ts"] for k in fitting(known, **query)]
        assert export(store.write, "?action=none") == []
        expect(store.write.get(f"{AUDIT}/export?limit=3"), 422, "validation_error")  # it has no limit
        assert len(export(store.write)) == len(known)

    def test_cursor(self, filled):
        store, known, _, _ = filled
        rows = export(store.write, f"?before_id={known[99]['id']}")
        assert len(rows) == len(known) - 100 and rows[0][0] == known[100]["ts"]

    def test_of_very_many_entries_comes_in_parts(self, stores, engine):
        """More than a result may have without streaming, more than one file may have: nothing is lost
        on the way, and the header says where to go on."""
        with stores.new(engine, CLOSED) as store:
            expect(store.read.get(AUDIT))
            count = 100_250
            numbers = {"sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {0})",
                       "postgres": "WITH n AS (SELECT generate_series(1, {0}) AS i)"}[engine].format(count)
            store.database.run(
                f"{numbers} INSERT INTO audit_log (ts, action, request_id) SELECT"
                " '2026-05-01T00:00:00.000000+00:00', 'project.update', 'request-' || i FROM n")
            answer = store.write.get(AUDIT + "/export")
            rows = list(csv.reader(io.StringIO(answer.text)))[1:]
            cursor = answer.headers["X-Next-Before-Id"]
            assert len(rows) == 100_000 and rows[0][6] == f"request-{count}"
            rest = store.write.get(f"{AUDIT}/export?before_id={cursor}")
            assert "X-Next-Before-Id" not in rest.headers
            rows += list(csv.reader(io.StringIO(rest.text)))[1:]
            assert [row[6] for row in rows] == [f"request-{n}" for n in range(count, 0, -1)]

    def test_head(self, filled):
        assert filled[0].write.send("HEAD", AUDIT + "/export").status == 200
