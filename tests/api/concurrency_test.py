"""Eight clients at a time on the same and on different projects. On both engines."""

import threading
from collections import Counter

import pytest

from project_fixtures import METRICS, OPEN, PROJECTS, analysis, check_totals, create, expect, payload

pytestmark = pytest.mark.both_engines

pytest_plugins = ["store_fixtures"]

CLIENTS = 8
ROUNDS = 12


@pytest.fixture(scope="module")
def store(stores, engine):
    """More workers than processors, so that they are in each other's way."""
    return stores.get(engine, {**OPEN, "ASSAY_WORKERS": 8})


def together(store, work, clients=CLIENTS):
    """Runs work(client, number) in every thread at once; results in order. The first failure is raised."""
    results, failures = [None] * clients, []
    start = threading.Barrier(clients)

    def run(number):
        client = store.client.with_headers({})
        start.wait()
        try:
            results[number] = work(client, number)
        except BaseException as failure:  # told by the thread that waits
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results


def put(client, project, sent, **options):
    return client.send("PUT", f"{PROJECTS}/{project['id']}", json=sent, **options)


def check_revisions(store, project):
    """Gapless, ordered, the newest equal to the project; every audit row has its revision."""
    record = expect(store.client.get(f"{PROJECTS}/{project['id']}"))
    stored = store.database.rows("SELECT number, source, created_at, payload_json FROM project_revisions"
                                 f" WHERE project_id = '{project['id']}' ORDER BY number")
    assert [row["number"] for row in stored] == list(range(1, record["revision_count"] + 1))
    moments = [row["created_at"] for row in stored]
    assert moments == sorted(set(moments)), "two revisions of one moment, or out of order"
    assert [row["source"] for row in stored] == ["create"] + ["update"] * (len(stored) - 1)
    listed = []
    while len(listed) < record["revision_count"]:
        page = expect(store.client.get(f"{PROJECTS}/{project['id']}/revisions?limit=100&offset={len(listed)}"))
        assert page["total"] == record["revision_count"] and page["revisions"]
        listed += page["revisions"]
    assert [r["created_at"] for r in listed] == moments[::-1] and listed[0]["payload"] == record["payload"]
    told = store.database.rows(f"SELECT action FROM audit_log WHERE project_id = '{project['id']}'")
    assert Counter(row["action"] for row in told) == Counter(
        {"project.create": 1, "project.update": len(stored) - 1} if len(stored) > 1 else {"project.create": 1})
    return record, listed


class TestUpdates:
    def test_of_the_same_project(self, store):
        project = create(store.client)

        def work(client, number):
            return [expect(put(client, project, payload(f"{number}-{n}"))) for n in range(ROUNDS)]

        answers = [a for answers in together(store, work) for a in answers]
        record, listed = check_revisions(store, project)
        assert record["revision_count"] == 1 + CLIENTS * ROUNDS
        assert sorted(a["revision_count"] for a in answers) == list(range(2, 2 + CLIENTS * ROUNDS))
        # Each answer is the state that its own update made.
        names = {n + 1: r["payload"]["project"]["project_name"] for n, r in enumerate(listed[::-1])}
        for answer in answers:
            assert names[answer["revision_count"]] == answer["project_name"]
            assert answer["updated_at"] == answer["last_revision_at"]

    def test_of_different_projects(self, store):
        projects = [create(store.client) for _ in range(CLIENTS)]

        def work(client, number):
            for n in range(ROUNDS):
                expect(put(client, projects[number], payload(str(n), list(METRICS)[n % 4])))

        together(store, work)
        for project in projects:
            assert check_revisions(store, project)[0]["revision_count"] == 1 + ROUNDS
        check_totals(store)

    def test_of_few_projects_by_many(self, store):
        projects = [create(store.client) for _ in range(3)]

        def work(client, number):
            for n in range(ROUNDS):
                expect(put(client, projects[(number + n) % 3], payload(f"{number} {n}", list(METRICS)[(number + n) % 4])))

        together(store, work)
        assert sum(check_revisions(store, p)[0]["revision_count"] - 1 for p in projects) == CLIENTS * ROUNDS
        check_totals(store)


class TestIfMatch:
    def test_no_update_is_lost(self, store):
        """Everybody adds to a list, reading again after every conflict: nothing anybody added is missing."""
        project = create(store.client, payload(metrics={"secondary_metrics": []}))

        def work(client, number):
            conflicts = 0
            for n in range(ROUNDS):
                while True:
                    read = client.get(f"{PROJECTS}/{project['id']}")
                    sent = expect(read)["payload"]
                    sent["metrics"]["secondary_metrics"].append(f"{number}-{n}")
                    answer = put(client, project, sent, headers={"If-Match": read.headers["ETag"]})
                    if answer.status == 200:
                        break
                    expect(answer, 409, "project_conflict")
                    conflicts += 1
            return conflicts

        conflicts = sum(together(store, work))
        record, _ = check_revisions(store, project)
        names = record["payload"]["metrics"]["secondary_metrics"]
        assert sorted(names) == sorted(f"{c}-{n}" for c in range(CLIENTS) for n in range(ROUNDS))
        assert record["revision_count"] == 1 + CLIENTS * ROUNDS
        assert conflicts > 0, "nobody was in anybody's way; the test has shown nothing"

    def test_of_many_with_one_version_one_wins(self, store):
        for _ in range(5):
            answer = store.client.post(PROJECTS, payload())
            tag, project = answer.headers["ETag"], answer.json()
            statuses = together(store, lambda client, number: put(
                client, project, payload(str(number)), headers={"If-Match": tag}).status)
            assert sorted(statuses) == [200] + [409] * (CLIENTS - 1)
            check_revisions(store, project)


class TestMixed:
    def test_creating(self, store):
        before = expect(store.client.get(PROJECTS + "?status=all&limit=1"))["total"]
        made = together(store, lambda client, number: [
            create(client, payload(f"made {number} {n}", list(METRICS)[n % 4]))["id"] for n in range(ROUNDS)])
        ids = [i for each in made for i in each]
        assert len(set(ids)) == CLIENTS * ROUNDS
        assert expect(store.client.get(PROJECTS + "?status=all&limit=1"))["total"] == before + len(ids)
        check_totals(store)

    def test_archiving_restoring_and_changing_one_project(self, store):
        """In any order; each answer is one that fits some order, and the counts stay right."""
        project = create(store.client)
        path = f"{PROJECTS}/{project['id']}"

        def work(client, number):
            seen = []
            for n in range(ROUNDS):
                if number % 3 == 0:
                    seen.append(client.post(path + "/archive").status)
                elif number % 3 == 1:
                    seen.append(client.post(path + "/restore").status)
                else:
                    seen.append(put(client, project, payload(str(n), list(METRICS)[n % 4])).status)
            return seen

        seen = together(store, work)
        for number, statuses in enumerate(seen):
            assert set(statuses) <= ({200} if number % 3 < 2 else {200, 400})
        updates = sum(s == 200 for number, each in enumerate(seen) if number % 3 == 2 for s in each)
        restored = expect(store.client.post(path + "/restore"))
        assert restored["revision_count"] == 1 + updates
        check_totals(store)

    def test_deleting_what_others_change(self, store):
        def work(client, number):
            seen = Counter()
            for n in range(ROUNDS):
                project = projects[(n + number // 2) % len(projects)]
                path = f"{PROJECTS}/{project['id']}"
                answer = client.send("DELETE", path) if number == n % CLIENTS else [
                    lambda: put(client, project, payload(f"{number}")), lambda: client.post(path + "/analysis", analysis()),
                    lambda: client.post(path + "/exports", {"format": "pdf"}), lambda: client.get(path + "/history"),
                    lambda: client.get(path + "/revisions")][n % 5]()
                seen[answer.status] += 1
            return seen

        projects = [create(store.client) for _ in range(6)]
        seen = sum(together(store, work), Counter())
        assert set(seen) <= {200, 404} and seen[200] and seen[404]
        for project in projects:
            answer = store.client.get(f"{PROJECTS}/{project['id']}")
            if answer.status == 404:
                for table in ("project_revisions", "analysis_runs", "export_events"):
                    assert store.database.value(f"SELECT count(*) AS n FROM {table} WHERE project_id = '{project['id']}'") == 0
        check_totals(store)

    def test_readers_see_whole_states(self, store):
        """A page of revisions and its total, a list and its total, are of one moment."""
        project = create(store.client)
        done = threading.Event()

        def work(client, number):
            if number < 3:
                for n in range(ROUNDS):
                    expect(put(client, project, payload(f"{number} {n}")))
                if number == 0:
                    done.set()
                return 0
            reads = 0
            while not done.is_set() or reads < 5:
                page = expect(client.get(f"{PROJECTS}/{project['id']}/revisions?limit=100"))
                assert len(page["revisions"]) == page["total"]
                found = expect(client.get(f"{PROJECTS}?limit=1"))
                assert found["has_more"] == (found["total"] > 1)
                reads += 1
            return reads

        together(store, work)
        check_revisions(store, project)

    def test_analyses_and_exports_of_one_project(self, store):
        project = create(store.client)
        path = f"{PROJECTS}/{project['id']}"

        def work(client, number):
            runs = []
            for n in range(ROUNDS):
                run = expect(client.post(path + "/analysis", analysis(days=number + 1)))["last_analysis_run_id"]
                expect(client.post(path + "/exports", {"format": "html", "analysis_run_id": run}))
                runs.append(run)
            return runs

        runs = [r for each in together(store, work) for r in each]
        assert len(set(runs)) == CLIENTS * ROUNDS, "an answer named somebody else's run"
        history = expect(store.client.get(path + "/history?analysis_limit=100&export_limit=100"))
        assert {r["id"] for r in history["analysis_runs"]} == set(runs)
        assert sorted(e["analysis_run_id"] for e in history["export_events"]) == sorted(runs)
        record = expect(store.client.get(path))
        assert record["last_analysis_run_id"] == history["analysis_runs"][0]["id"]
        assert record["last_exported_at"] == history["export_events"][0]["created_at"]

    def test_nothing_went_wrong_in_the_log(self, store):
        """After all of the above: no failed request, nothing left open."""
        logs = store.stack.logs("experiments")
        assert '"level":"ERROR"' not in logs
        assert expect(store.client.get("/api/v1/diagnostics"))["runtime"]["server_error_responses"] == 0
        check_totals(store)


def test_connections_are_shared(stores):
    """Eight workers of each pool, three connections: nobody is refused, and the server sees three."""
    with stores.new("postgres", {**OPEN, "ASSAY_WORKERS": 8, "AB_DB_POOL_SIZE": 3}) as store:
        project, seen, done = create(store.client), [], threading.Event()
        query = (f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{store.database.name}'"
                 " AND application_name = 'assay-experiments'")

        def watch():
            while not done.is_set():
                seen.append(int(store.database.server.sql(query, database="postgres")))

        def work(client, number):
            for n in range(ROUNDS):
                expect(put(client, project, payload(f"{number} {n}")))
                expect(client.get(PROJECTS))
                expect(client.get("/api/v1/audit?limit=1"))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            together(store, work)
        finally:
            done.set()
            watcher.join()
        assert check_revisions(store, project)[0]["revision_count"] == 1 + CLIENTS * ROUNDS
        # A connection that changes hands may be listed twice for an instant.
        assert sorted(seen)[len(seen) // 2] <= 3 and max(seen) <= 5, Counter(seen)
