"""Very many projects, audit entries and deliveries and a long history of one project: every list goes by an index, and
a page takes no more than three times what it takes with a hundred of each, and some milliseconds, histories wherever it
begins. On both engines. ASSAY_TEST_SOAK=1 (`make soak`) does it with several times as many, and a million of most.

Rows are made inside the database. Plans are those of the service's own statements: on SQLite they are
taken from its sources, on PostgreSQL the server writes down what it really did (auto_explain).
"""

import json
import re
import subprocess
import time
from pathlib import Path

import pytest
import requests

from stack import BUILD, CHECKOUT
from conftest import SOAK
from project_fixtures import ADMIN, OPEN, PROJECTS, analysis, count_anew, expect, payload, stored_form

pytest_plugins = ["store_fixtures"]

PROJECT_COUNT, AUDIT_COUNT = (100_000, 1_000_000) if SOAK else (25_000, 250_000)
KEPT_COUNT = 1_000_000 if SOAK else 20_000  # of each kind in the history of one project
DELIVERY_COUNT = 1_000_000 if SOAK else 50_000  # of one webhook
SMALL = 100
ROUNDS = 9
NOISE_MS = 10  # of the least of several answers; to look through all rows takes more
FOCUS = "00000000-0000-4000-8000-000000000000"  # the project with a long history, and many entries
HEAVY = "key-heavy"  # the key that does a third of all calls
HOOK = "00000000-0000-4000-8000-00000000000f"
TABLES = {"webhook_deliveries", "projects", "audit_log", "project_revisions", "analysis_runs", "export_events", "project_totals", "audit_totals", "delivery_totals"}
AUDIT = "/api/v1/audit"
DELIVERIES = f"/api/v1/webhooks/{HOOK}/deliveries"
# Nobody reads, who shows the token is an operator.
SETTINGS = {**OPEN, "AB_PUBLIC_DEMO": "true", "AB_ADMIN_TOKEN": ADMIN}

NUMBERS = {"sqlite": "WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < {0} - 1)",
           "postgres": "WITH numbers AS (SELECT generate_series(CAST(0 AS BIGINT), {0} - 1) AS i)"}
MOMENT = {"sqlite": "strftime('%Y-%m-%dT%H:%M:%f000+00:00', 1767225600 + {0}, 'unixepoch')",
          "postgres": "to_char(to_timestamp(1767225600 + {0}) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"+00:00\"')"}
ID = {"sqlite": "printf('%08x-0000-4000-8000-%012x', ({0}) * 40503 % 65536, {0})",
      "postgres": "lpad(to_hex(({0}) * 40503 % 65536), 8, '0') || '-0000-4000-8000-' || lpad(to_hex({0}), 12, '0')"}
JSON = {"sqlite": "{0}", "postgres": "({0})::jsonb"}


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def fill_projects(engine, count):
    def moment(expression):
        return MOMENT[engine].format(expression)

    identity = ID[engine].format("i")
    document = JSON[engine].format(quoted(json.dumps({"filler": "x" * 300})))
    return [
        f"{NUMBERS[engine].format(count)} INSERT INTO projects (id, project_name, payload_json, archived_at, created_at, updated_at,"
        " archived, name_folded, search_folded, hypothesis, metric_type, duration_days, revision_count, last_revision_at)"
        f" SELECT {identity}, 'Project ' || (i * 7919 % 100003), {document}, CASE WHEN i % 5 = 1 THEN {moment('i')} END,"
        f" {moment('i * 7919 % 8640000')}, {moment('i * 104729 % 8640000')}, CASE WHEN i % 5 = 1 THEN 1 ELSE 0 END,"
        " 'project ' || (i * 7919 % 100003), 'project ' || i, 'Hypothesis', CASE i % 4 WHEN 0 THEN 'binary' WHEN 1 THEN 'continuous'"
        " WHEN 2 THEN 'ratio' ELSE 'count' END, CASE WHEN i % 3 = 0 THEN NULL ELSE i % 60 END, 1, "
        f"{moment('i * 104729 % 8640000')} FROM numbers",
        f"{NUMBERS[engine].format(count)} INSERT INTO project_revisions (id, project_id, number, payload_json, source, created_at)"
        f" SELECT 'r-' || i, {identity}, 1, {document}, 'create', {moment('i')} FROM numbers",
        f"{NUMBERS[engine].format(count)} INSERT INTO analysis_runs (id, project_id, analysis_json, created_at, number)"
        f" SELECT 'b-' || i, {identity}, {document}, {moment('i')}, 1 FROM numbers WHERE i % 7 = 3",
        f"{NUMBERS[engine].format(count)} INSERT INTO export_events (id, project_id, format, created_at, number)"
        f" SELECT 'g-' || i, {identity}, 'pdf', {moment('i')}, 1 FROM numbers WHERE i % 7 = 3",
        "INSERT INTO project_totals (archived, metric_type, shard, projects)"
        " SELECT archived, metric_type, 0, count(*) FROM projects GROUP BY archived, metric_type",
    ]


def fill_focus(engine, count):
    """One project with a long history, whose documents can be read where a test looks at them."""
    looked_at = f"i < 20 OR i >= {count - 20} OR abs(i - {count // 2}) < 20"
    kept, run = (f"CASE WHEN {looked_at} THEN {JSON[engine].format(quoted(json.dumps(document)))} ELSE {JSON[engine].format(quoted('{}'))} END"
                 for document in (stored_form(payload("Focus")), analysis()))
    at = MOMENT[engine].format("i")
    whole = JSON[engine].format(quoted(json.dumps(stored_form(payload("Focus")))))
    return [
        f"DELETE FROM project_revisions WHERE project_id = '{FOCUS}'",
        f"UPDATE projects SET payload_json = {whole}, revision_count = {count}, analysis_run_count = {count},"
        f" export_event_count = {count} WHERE id = '{FOCUS}'",
        f"{NUMBERS[engine].format(count)} INSERT INTO project_revisions (id, project_id, number, payload_json, source, created_at)"
        f" SELECT 'f-' || i, '{FOCUS}', i + 1, {kept}, 'update', {at} FROM numbers",
        f"{NUMBERS[engine].format(count)} INSERT INTO analysis_runs (id, project_id, analysis_json, created_at, number)"
        f" SELECT 'a-' || i, '{FOCUS}', {run}, {at}, i + 1 FROM numbers",
        f"{NUMBERS[engine].format(count)} INSERT INTO export_events (id, project_id, format, created_at, number)"
        f" SELECT 'e-' || i, '{FOCUS}', 'pdf', {at}, i + 1 FROM numbers",
    ]


def fill_audit(engine, count, projects):
    identity = ID[engine].format(f"(i * 31 % {projects})")
    return [
        f"{NUMBERS[engine].format(count)} INSERT INTO audit_log (ts, action, project_id, project_name, key_id, actor, request_id, ip_address)"
        f" SELECT {MOMENT[engine].format('i * 7')}, CASE WHEN i % 10 < 6 THEN 'api_key_used' WHEN i % 10 < 9 THEN 'project.update'"
        f" ELSE 'project.create' END, CASE WHEN i % 10 < 6 THEN NULL WHEN i % 10 = 6 THEN '{FOCUS}' ELSE {identity} END,"
        f" CASE WHEN i % 10 < 6 THEN NULL ELSE 'Project' END, CASE WHEN i % 10 < 3 OR i % 10 = 6 THEN '{HEAVY}'"
        " WHEN i % 10 < 6 THEN 'key-' || (i % 97) END, 'somebody', 'request-' || i, '127.0.0.1' FROM numbers",
        *count_anew().split(";\n"),
    ]


def fill_deliveries(engine, count):
    """One webhook that has heard of the first entries; a thousandth could not be delivered, one in ten thousand is on its way."""
    at = MOMENT[engine].format("i")
    filters = JSON[engine].format("'[]'")
    return [
        "INSERT INTO webhook_subscriptions (id, name, target_url, secret, format, event_filter, scope, created_at, updated_at, enabled)"
        f" VALUES ('{HOOK}', 'hook', 'http://127.0.0.1:9/', 'secret', 'generic', {filters}, 'global', '2026', '2026', 0)",
        f"{NUMBERS[engine].format(count)} INSERT INTO webhook_deliveries (id, subscription_id, event_id, status, attempt_count, last_attempt_at)"
        f" SELECT 'd-' || i, '{HOOK}', i + 1, CASE WHEN i % 10000 = 7 THEN 'pending' WHEN i % 1000 = 3 THEN 'failed' ELSE 'delivered' END, 1,"
        f" CASE WHEN i % 10000 = 7 THEN NULL ELSE {at} END FROM numbers",
    ]


def fill(store, projects, entries, kept, sent):
    """All of it, into a database without indexes, which are then made anew: that is several times faster."""
    store.start()  # makes the schema
    store.stop()
    steps = fill_projects(store.engine, projects) + fill_focus(store.engine, kept) + fill_audit(store.engine, entries, projects)
    steps += fill_deliveries(store.engine, sent)
    if store.engine == "sqlite":
        indexes = store.database.rows("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        connection = store.database.connect()
        connection.executescript("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA foreign_keys = OFF; BEGIN")
        for step in [f"DROP INDEX {i['name']}" for i in indexes] + steps + [i["sql"] for i in indexes] + ["COMMIT"]:
            connection.execute(step)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
    else:
        indexes = store.database.rows("SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE schemaname = 'public'"
                                      " AND indexdef NOT LIKE '%UNIQUE%'")
        steps = ["SET maintenance_work_mem = '256MB'", "SET synchronous_commit = off"] + [
            f"DROP INDEX {i['name']}" for i in indexes] + steps + [i["sql"] for i in indexes]
        store.database.run(";\n".join(steps))
        store.database.psql("VACUUM ANALYZE")


@pytest.fixture(scope="module")
def pair(stores, engine):
    """A stack with few rows and one with very many."""
    small, large = stores.new(engine, SETTINGS), stores.new(engine, SETTINGS)
    try:
        fill(small, SMALL, SMALL, SMALL, SMALL)
        fill(large, PROJECT_COUNT, AUDIT_COUNT, KEPT_COUNT, DELIVERY_COUNT)
        yield small.start(), large.start()
    finally:
        small.close()
        large.close()


def pages():
    """First pages of every list, by a name that tells what is asked."""
    found = {}
    for sort in ("created_at", "updated_at", "name", "duration_days"):
        for direction in ("asc", "desc"):
            for status in ("active", "archived", "all"):
                found[f"list {status} {sort} {direction}"] = f"{PROJECTS}?sort_by={sort}&sort_dir={direction}&status={status}&limit=10"
    for metric in ("ratio", "count"):
        found[f"list {metric}"] = f"{PROJECTS}?metric_type={metric}&limit=10"
    found["history"] = f"{PROJECTS}/{FOCUS}/history?analysis_limit=5&export_limit=5"
    found["revisions"] = f"{PROJECTS}/{FOCUS}/revisions?limit=5"
    for place in (KEPT_COUNT // 2, KEPT_COUNT - 5):  # of few, a page behind the last
        found[f"history from {place}"] = (f"{PROJECTS}/{FOCUS}/history?analysis_limit=5&export_limit=5"
                                          f"&analysis_offset={place}&export_offset={place}")
        found[f"revisions from {place}"] = f"{PROJECTS}/{FOCUS}/revisions?limit=5&offset={place}"
    filters = {"project_id": FOCUS, "key_id": HEAVY, "action": "project.update"}
    for names in ((), ("project_id",), ("key_id",), ("action",), ("project_id", "action"), ("key_id", "action"),
                  ("project_id", "key_id"), ("project_id", "key_id", "action")):
        query = "".join(f"&{name}={filters[name]}" for name in names)
        found[f"audit {'+'.join(names)}".strip()] = f"{AUDIT}?limit=10{query}"
    for status in ("pending", "failed", "delivered"):
        found[f"deliveries {status}"] = f"{DELIVERIES}?limit=10&status={status}"
    found["deliveries"] = f"{DELIVERIES}?limit=10"
    found["audit of a key's calls"] = f"{AUDIT}?limit=10&key_id={HEAVY}&action=api_key_used"
    return found


def token_for(path):
    return {"Authorization": f"Bearer {ADMIN}"} if path.startswith(DELIVERIES) else {}


PAGES = pages()
# Pages whose filter leaves more than the last few to be looked at: bounded by one project's entries.
BY_PROJECT_AND_MORE = {"audit project_id+action", "audit project_id+key_id", "audit project_id+key_id+action"}


class TestTime:
    def test_first_pages(self, pair):
        """Asked of both in turn, and the best of many: what else the machine does at the time is not theirs."""
        session = requests.Session()
        slow = []
        for name, path in PAGES.items():
            if name in BY_PROJECT_AND_MORE:
                continue
            times = ([], [])
            for _ in range(ROUNDS):
                for store, spent in zip(pair, times):
                    answer = session.get(store.client.url + path, headers=token_for(path), timeout=30)
                    assert answer.status_code == 200, answer.text
                    spent.append(float(answer.headers["X-Process-Time-Ms"]))
            few, many = map(min, times)
            if many > 3 * few + NOISE_MS:
                slow.append(f"{name}: {few:.2f} ms with {SMALL}, {many:.2f} ms with very many")
        assert not slow, "\n".join(slow)

    def test_totals_are_those_of_all(self, pair):
        _, large = pair
        assert expect(large.client.get(PROJECTS + "?status=all&limit=1"))["total"] == PROJECT_COUNT
        assert expect(large.client.get(AUDIT + "?limit=1"))["total"] == AUDIT_COUNT
        assert expect(large.client.get(f"{AUDIT}?limit=1&key_id={HEAVY}&action=api_key_used"))["total"] == AUDIT_COUNT * 3 // 10
        assert expect(large.client.get(f"{PROJECTS}/{FOCUS}/revisions?limit=1"))["total"] == KEPT_COUNT
        deep = expect(large.client.get(f"{PROJECTS}/{FOCUS}/history?analysis_limit=3&analysis_offset={KEPT_COUNT - 2}"
                                       f"&export_limit=2&export_offset={KEPT_COUNT // 2}"))
        assert deep["analysis_total"] == deep["export_total"] == KEPT_COUNT
        assert [run["id"] for run in deep["analysis_runs"]] == ["a-1", "a-0"]
        assert [event["id"] for event in deep["export_events"]] == [f"e-{KEPT_COUNT // 2 - 1}", f"e-{KEPT_COUNT // 2 - 2}"]
        assert expect(large.admin.get(f"{DELIVERIES}?limit=1"))["total"] == DELIVERY_COUNT
        assert expect(large.admin.get(f"{DELIVERIES}?limit=1&status=failed"))["total"] == DELIVERY_COUNT // 1000

    def test_deep_pages_of_the_log(self, pair):
        """A cursor leads straight to its place."""
        _, large = pair
        session, times = requests.Session(), {}
        for name, cursor in (("first", ""), ("middle", f"&before_id={AUDIT_COUNT // 2}"), ("last", "&before_id=50")):
            for extra in ("", f"&key_id={HEAVY}", "&action=project.update", f"&project_id={FOCUS}"):
                answers = [session.get(f"{large.client.url}{AUDIT}?limit=10{cursor}{extra}", timeout=30) for _ in range(ROUNDS)]
                assert {a.status_code for a in answers} == {200}
                times[name, extra] = min(float(a.headers["X-Process-Time-Ms"]) for a in answers)
        for (name, extra), spent in times.items():
            assert spent <= 3 * times["first", extra] + NOISE_MS, (name, extra, times)

    def test_a_new_worker_does_not_look_through_everything(self, pair):
        """What a worker does before its first request must not grow with the rows there are."""
        _, large = pair
        before = {pool: set(large.stack.workers(pool)) for pool in ("experiments-projects", "experiments-operations")}
        done = large.stack.run("reload")
        assert done.returncode == 0, done.stderr
        assert not any(before[pool] & set(large.stack.workers(pool)) for pool in before)
        for path in (PROJECTS + "?limit=1", AUDIT + "?limit=1") * 4:
            start = time.monotonic()
            answer = requests.get(large.client.url + path, timeout=30)
            assert answer.status_code == 200 and float(answer.headers["X-Process-Time-Ms"]) < 2000, time.monotonic() - start


def statements(tmp_path):
    """Name and SQL of every statement of the lists and of the audit log."""
    libraries = re.search(r"^LIBS = (.*)$", (CHECKOUT / "Makefile").read_text(), re.M).group(1).split()
    found = {}
    for source, more in (("projects/project_lists.c", ["-DPROJECT_LISTS"]), ("audit/audit_store.c", []), ("webhooks/delivery_store.c", ["-DDELIVERIES"])):
        program = tmp_path / Path(source).stem
        subprocess.run(
            ["gcc", "-std=gnu11", "-D_GNU_SOURCE", f"-I{CHECKOUT}/common", f'-DSTORAGE="experiments/{source}"', *more, "-o", program,
             CHECKOUT / "tests" / "faults" / "statements.c", BUILD / "libassay.a", *libraries], check=True)
        listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        found.update(line.split("\t") for line in listed.splitlines())
    return found


def wanted_index(name):
    """The index that a statement has to go by."""
    for part, index in (
            ("_created_", "projects_by_creation"), ("_updated_", "projects_by_update"), ("_name_", "projects_by_name"),
            ("_duration_asc", "projects_by_duration"), ("_duration_desc", "projects_by_duration_falling"),
            ("runs_count", "sqlite_autoindex_projects_1"), ("events_count", "sqlite_autoindex_projects_1"),
            ("analysis_runs", "analysis_runs_numbered"), ("export_events", "export_events_numbered"),
            ("revisions_list", "sqlite_autoindex_project_revisions_2"), ("revisions_count", "sqlite_autoindex_projects_1"),
            ("projects_total", ""), ("delivery_count", "PRIMARY KEY"), ("delivery_list_of", "webhook_deliveries_by_status"),
            ("delivery_list", "webhook_deliveries_newest"), ("audit_sum", "PRIMARY KEY"),
            ("audit_cursor", "PRIMARY KEY"), ("_project", "audit_log_project"), ("_key", "audit_log_key"),
            ("_action", "audit_log_action"), ("audit_", "audit_log_newest")):
        if part in name:
            return index
    raise AssertionError(name)


def complaints(name, lines):
    """What is wrong with a plan of SQLite."""
    index = wanted_index(name)
    for line in lines:
        table = re.match(r"(SCAN|SEARCH) (\w+)", line.replace("SEARCH d ", "SEARCH webhook_deliveries ").replace("SCAN d ", "SCAN webhook_deliveries "))
        small = table and table[2] == "project_totals"  # a few rows for each kind of metric
        if table and table[2] in TABLES and not small and (table[1] == "SCAN" or not re.search(rf"\b{index}\b", line)):
            yield f"{name}: {line}, not by {index}"
        if "TEMP B-TREE FOR ORDER BY" in line and "_all_" not in name:
            yield f"{name}: {line}"


def test_plans(pair, engine, tmp_path):
    {"sqlite": check_plans_of_sqlite, "postgres": check_plans_of_postgres}[engine](pair[1], tmp_path)


def check_plans_of_sqlite(store, tmp_path):
    """Without statistics, as most files are, and with them."""
    connection = store.database.connect()
    found = statements(tmp_path)
    assert len([n for n in found if n.startswith("projects_")]) == 25 and len(found) >= 50
    try:
        for _ in range(2):
            problems = []
            for name, sql in found.items():
                plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
                problems += complaints(name, [row[3] for row in plan])
            assert not problems, "\n".join(problems)
            connection.execute("ANALYZE")
    finally:
        connection.close()


def check_plans_of_postgres(store, _):
    """What the server did for each page: no table read from end to end, few rows looked at. Asked often
    enough for the plans that prepared statements end up with."""
    database = store.database
    settings = {"session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0", "auto_explain.log_analyze": "on",
                "auto_explain.log_timing": "off", "auto_explain.log_format": "json"}
    reconnect = (f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{database.name}'"
                 " AND pid <> pg_backend_pid()")
    database.psql(";".join(f"ALTER DATABASE {database.name} SET {name} = '{value}'" for name, value in settings.items()))
    database.psql(reconnect)
    log = database.server.directory / "log"
    problems = set()
    for name, path in PAGES.items():
        start = log.stat().st_size
        for _ in range(14):
            expect(store.client.get(path, headers=token_for(path)))
        plans = list(read_plans(log, start))
        assert plans, name
        problems |= {complaint for plan in plans for complaint in excesses(name, plan)}
    assert not problems, "\n".join(sorted(problems))


def read_plans(log, start):
    """The plans in the server's log after a place in it, but for one that is being written."""
    with open(log, encoding="utf-8", errors="replace") as file:
        file.seek(start)
        text = file.read()
    for piece in re.split(r"^\S.* LOG:  duration: .*plan:$", text, flags=re.M)[1:]:
        lines = [line for line in piece.splitlines() if line.startswith(("\t", " ")) or line in "{}"]
        if not text.endswith(piece) or lines[-1:] == ["\t}"]:
            yield json.loads("\n".join(lines))


def scans(plan):
    if plan.get("Relation Name"):
        yield plan
    for inner in plan.get("Plans", []):
        yield from scans(inner)


def excesses(name, document):
    """What is wrong with a plan of PostgreSQL."""
    text = document["Query Text"]
    for scan in scans(document["Plan"]):
        looked_at = (scan["Actual Rows"] + scan.get("Rows Removed by Filter", 0) + scan.get("Rows Removed by Index Recheck", 0)
                     ) * scan["Actual Loops"]
        table, kind = scan["Relation Name"], scan["Node Type"]
        if table in ("project_totals", "audit_totals", "delivery_totals"):
            bound = 200
        elif name in BY_PROJECT_AND_MORE:
            bound = AUDIT_COUNT // 9  # the entries of the one project
        else:
            bound = 200
        if table in TABLES and (looked_at > bound or (kind == "Seq Scan" and not table.endswith("_totals"))):
            yield f"{name}: {kind} of {table} looked at {looked_at} rows for {text[:80]}"
