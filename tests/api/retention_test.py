"""Taking away what has grown old: the route, and the program for schedulers. On both engines."""

import re
import subprocess
import threading
from datetime import datetime, timedelta, timezone

import pytest

from stack import BUILD, CHECKOUT, PROGRAM, ROWS, clean_environment
from project_fixtures import CLOSED, OPEN, check_totals, count_anew, create, expect, payload

pytest_plugins = ["store_fixtures"]

PURGE = "/api/v1/admin/retention/purge"
AUDIT = "/api/v1/audit"
AGES = (0.01, 1, 29.99, 30.01, 31, 40, 400)


def days_ago(days):
    return (datetime.now(timezone.utc) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")


def fill(store, copies=1):
    """An empty log, then entries of known ages, some with key or project, counted as the service does."""
    values = ",\n".join(
        f"('{days_ago(age)}', '{action}', {project}, {key})" for age in AGES for _ in range(copies)
        for action, project, key in (("project.update", "'p-1'", "NULL"), ("api_key_used", "NULL", "'k-1'")))
    store.database.run("DELETE FROM audit_log; INSERT INTO audit_log (ts, action, project_id, key_id)"
                       f" VALUES {values};\n{count_anew(spread=store.engine == 'postgres')}")


def purges(store):
    """The entries that purges have left of themselves, newest first."""
    return expect(store.client.get(f"{AUDIT}?action=retention.purge"))["entries"]


def check_counts(store, total):
    """The list, its totals and the rows themselves agree; entries of purges come on top."""
    client, told = store.client, len(purges(store))
    for query in ("", "?action=project.update", "?project_id=p-1", "?key_id=k-1", "?key_id=k-1&action=api_key_used"):
        found = expect(client.get(AUDIT + query))
        share = total + told if not query else total // 2
        assert (found["total"], len(found["entries"])) == (share, min(share, 500)), query
    check_totals(store)
    assert store.database.value("SELECT count(*) AS n FROM audit_log") == total + told


def purge(client, body=None):
    return expect(client.post(PURGE, body) if body is not None else client.send("POST", PURGE))


@pytest.fixture
def aged(stores, engine):
    """Fourteen entries, eight of them older than the window of 30 days."""
    store = stores.get(engine, {**OPEN, "AB_RETENTION_AUDIT_DAYS": 30})
    expect(store.client.get(AUDIT))
    fill(store)
    return store


class TestRoute:
    @pytest.mark.parametrize("body", [None, {}, {"dry_run": True}, {"audit_days": None}, {"dry_run": "yes"},
                                      {"exposures_days": 30}], ids=str)
    def test_counts_unless_told_otherwise(self, aged, body):
        found = purge(aged.client, body)
        assert found["dry_run"] is True and found["purged"]["audit_log"] == 8
        assert datetime.fromisoformat(found["generated_at"]).utcoffset() == timedelta(0)
        check_counts(aged, 14)
        assert purges(aged) == []

    def test_deletes_when_told(self, aged):
        found = purge(aged.client, {"dry_run": False})
        assert found["dry_run"] is False and found["purged"]["audit_log"] == 8
        check_counts(aged, 6)
        assert purge(aged.client, {"dry_run": False})["purged"]["audit_log"] == 0
        check_counts(aged, 6)

    def test_is_recorded(self, aged):
        """Once for what it took; a purge that finds nothing leaves no entry."""
        aged.client.post(PURGE, {"dry_run": False}, headers={"X-Request-ID": "purge-1"})
        purge(aged.client, {"dry_run": False})
        (entry,) = purges(aged)
        assert (entry["actor"], entry["request_id"], entry["ip_address"]) == ("anonymous", "purge-1", "127.0.0.1")
        assert entry["payload_diff"]["audit_log"] == [8, 0]
        assert entry["payload_diff"]["older_than"][1] < days_ago(29.9)

    @pytest.mark.parametrize("days, count", [(0, 0), (-1, 0), (-(10**6), 0), (1, 11), (31, 5), (39, 4), (40, 3), (399, 2), (401, 0), (36500, 0)])
    def test_window_of_the_body_wins(self, aged, days, count):
        """A day's boundary itself: the entry of exactly that age was written a moment ago, so it is older."""
        count = {1: 12, 31: 6, 40: 4}.get(days, count)
        assert purge(aged.client, {"audit_days": days})["purged"]["audit_log"] == count
        assert purge(aged.client, {"audit_days": days, "dry_run": False})["purged"]["audit_log"] == count
        check_counts(aged, 14 - count)

    @pytest.mark.parametrize("body, place, code", [
        ({"audit_days": 36501}, "audit_days", "less_than_equal"), ({"audit_days": 1.5}, "audit_days", "int_from_float"),
        ({"audit_days": "x"}, "audit_days", "int_parsing"), ({"unknown": {"x": 1}}, "unknown", "extra_forbidden"), ({"dry_run": None}, "dry_run", "bool_type"), ({"dry_run": "maybe"}, "dry_run", "bool_parsing")])
    def test_refused(self, aged, body, place, code):
        [(location, error)] = aged.client.post(PURGE, body).errors().items()
        assert location == ("body", place) and error["type"] == code
        check_counts(aged, 14)

    def test_nothing_without_a_window(self, store):
        expect(store.client.get(AUDIT))
        fill(store)
        assert purge(store.client, {"dry_run": False})["purged"]["audit_log"] == 0
        check_counts(store, 14)

    def test_many_at_once_take_nothing_twice(self, aged):
        fill(aged, copies=40)
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(purge(aged.client.with_headers({}), {"dry_run": False})))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(a["purged"]["audit_log"] for a in answers) == 8 * 40
        check_counts(aged, 6 * 40)

    def test_beside_writers(self, aged):
        """Entries written meanwhile are counted and kept."""
        fill(aged, copies=100)
        done = threading.Event()
        created = []

        def write(client):
            while not done.is_set() and len(created) < 200:
                created.append(create(client)["id"])

        threads = [threading.Thread(target=write, args=(aged.client.with_headers({}),)) for _ in range(3)]
        for thread in threads:
            thread.start()
        purged = purge(aged.client, {"dry_run": False})["purged"]["audit_log"]
        done.set()
        for thread in threads:
            thread.join()
        assert purged == 800
        total = 601 + len(created)
        assert aged.database.value("SELECT count(*) AS n FROM audit_log") == total
        assert expect(aged.client.get(AUDIT + "?limit=1"))["total"] == total
        assert expect(aged.client.get(AUDIT + "?action=project.create&limit=1"))["total"] == len(created)

    def test_rights(self, guarded):
        expect(guarded.read.post(PURGE, {}), 403, "forbidden")
        expect(guarded.client.post(PURGE, {}), 401, "unauthorized")
        expect(guarded.as_token("not-a-token-at-all").post(PURGE, {}), 401, "unauthorized")
        for client in (guarded.write, guarded.admin):
            assert purge(client)["dry_run"] is True
        for scope, status in (("write", 200), ("read", 403)):
            key = expect(guarded.admin.post("/api/v1/keys", {"name": "x", "scope": scope}))
            assert guarded.as_token(key["plaintext_key"]).post(PURGE, {}).status == status


class TestEvents:
    """Old events of running experiments: what is left is as if nothing else had ever come in."""

    def send(self, client, project, kind, records):
        return expect(client.post(f"/api/v1/experiments/{project}/{kind}", {kind: records}))

    def people(self, client, project):
        shown = expect(client.get(f"/api/v1/experiments/{project}/live-stats"))
        comparison = shown["comparisons"][0]
        raw = expect(client.get(f"/api/v1/experiments/{project}/ingestion"))
        return ([(arm["exposed_users"], arm["converted_users"]) for arm in (comparison["control"], comparison["treatment"])],
                raw["exposures_total"], raw["conversions_total"], shown["event_timing"]["total"])

    def test_old_ones_go(self, stores, engine):
        store = stores.get(engine, {**OPEN, "AB_RETENTION_EXPOSURES_DAYS": 90, "AB_RETENTION_CONVERSIONS_DAYS": 30})
        client = store.client
        [project, untouched] = [create(client, payload(f"events {i}", metrics={"primary_metric_name": "m"}))["id"] for i in range(2)]
        exposures = [{"user_id": f"u{i}", "variation_index": i % 2} for i in range(10)]
        conversion = [{"user_id": f"u{i}", "metric": "m", "idempotency_key": f"k{i}"} for i in range(10)]
        for some in (project, untouched):
            self.send(client, some, "exposures", exposures[:6])
            self.send(client, some, "conversions", [conversion[0], conversion[6]])
        here = f"experiment = (SELECT experiment FROM live_experiments WHERE experiment_id = '{project}')"
        day = 24 * 3600 * 10**6
        store.database.run(f"UPDATE live_units SET exposed_at = exposed_at - {91 * day} WHERE {here} AND variation IS NOT NULL;"
                           f"UPDATE live_conversions SET created_at = created_at - {31 * day} WHERE {here}")
        self.send(client, project, "exposures", exposures[6:])
        self.send(client, project, "conversions", [conversion[1], conversion[7], conversion[8]])
        self.send(client, project, "identities", [{"anonymous_id": "u3", "canonical_id": "u9"}])
        before = self.people(client, project)
        assert before == ([(5, 3), (4, 2)], 10, 5, 5)
        would = purge(client)["purged"]
        assert (would["exposures"], would["conversions"]) == (6, 2) and self.people(client, project) == before
        assert store.program("retention-purge").stdout == "purged exposures=6 conversions=2 audit_log=0 webhook_deliveries=0\n"
        # In the arms: u6 (its conversion has gone), u7, u8, u9. u1 has a conversion and no exposure any more.
        after = ([(2, 1), (2, 1)], 4, 3, 2)
        assert self.people(client, project) == after
        assert store.program("live-rebuild", "--verify", project).stdout == f"{project} people=5 differences=0\n"
        assert store.database.value(f"SELECT count(*) AS n FROM live_units WHERE {here}") == 6, "u1, u3, u6, ... u9"
        assert purges(store)[0]["payload_diff"] == {"exposures": [6, 0], "conversions": [2, 0]}
        assert purge(client, {"dry_run": False})["purged"] == {"exposures": 0, "conversions": 0, "audit_log": 0, "webhook_deliveries": 0}
        # Who has gone may come again, and a key counts anew.
        self.send(client, project, "exposures", exposures[:1])
        self.send(client, project, "conversions", conversion[:1])
        assert self.people(client, project) == ([(3, 2), (2, 1)], 5, 4, 3)
        assert self.people(client, untouched) == ([(3, 1), (3, 0)], 6, 2, 1)


class TestDiagnostics:
    def test_windows_are_told(self, aged, guarded):
        told = expect(aged.client.get("/api/v1/diagnostics"))["retention"]
        assert told["audit_days"] == 30 and told["auto_purge_enabled"] is True and told["notes"]
        told = expect(guarded.read.get("/api/v1/diagnostics"))["retention"]
        assert told["audit_days"] == 0 and told["auto_purge_enabled"] is False


class TestStackRun:
    """nginx/stack run: a program with the settings that the stack was started with."""

    def run(self, store, *arguments):
        command = [str(PROGRAM), "run", "--dir", str(store.stack.directory), *arguments]
        return subprocess.run(command, env={**clean_environment(), "ASSAY_BUILD_DIR": str(BUILD.resolve())}, capture_output=True,
                              text=True, timeout=120, check=False)

    def test_settings_of_the_start_hold(self, aged):
        done = self.run(aged, "retention-purge", "--dry-run")
        assert (done.returncode, done.stdout, done.stderr) == (0, "would purge exposures=0 conversions=0 audit_log=8 webhook_deliveries=0\n", "")
        check_counts(aged, 14)
        assert self.run(aged, "retention-purge").stdout == "purged exposures=0 conversions=0 audit_log=8 webhook_deliveries=0\n"
        check_counts(aged, 6)

    def test_exit_status_is_that_of_the_program(self, aged):
        done = self.run(aged, "retention-purge", "--force")
        assert done.returncode == 2 and "usage: retention-purge" in done.stderr

    @pytest.mark.parametrize("arguments", [[], ["no-such-program"], ["../fcgi-bin/experiments-system"]], ids=str)
    def test_what_there_is_is_told(self, aged, arguments):
        done = self.run(aged, *arguments)
        assert done.returncode == 1 and "there is: " in done.stderr.lower() and "retention-purge" in done.stderr

    def test_crontab_names_programs_that_there_are(self):
        lines = [line for line in (CHECKOUT / "nginx" / "crontab").read_text().splitlines() if line and not line.startswith("#")]
        backup = r"(?:[\d*/,-]+ +){5}\S+/nginx/stack backup --dir \S+"
        assert [line for line in lines if re.fullmatch(backup, line)]
        lines = [line for line in lines if not re.fullmatch(backup, line)]
        runs = [re.fullmatch(r"(?:[\d*/,-]+ +){5}\S+/nginx/stack run --dir \S+ (([a-z-]+).*)", line) for line in lines]
        assert runs and all((CHECKOUT / "cron-bin" / run[2] / "main.c").exists() for run in runs)
        staying = [row[2] for row in ROWS if row[:1] == ["program"] and "--every" in row and "if=" not in " ".join(row)]  # others listen
        assert set(staying) <= {run[2] for run in runs}
        timed = [timer.with_suffix(".service").read_text() for timer in (CHECKOUT / "nginx" / "systemd").glob("*.timer")]
        assert all(run[2] in staying or any(f" run --dir /var/lib/assay {run[1]}\n" in unit for unit in timed)
                   for run in runs)


class TestProgram:
    """retention-purge: exit codes, and one line of what it did."""

    def test_dry_run(self, aged):
        done = aged.program("retention-purge", "--dry-run")
        assert (done.returncode, done.stdout, done.stderr) == (0, "would purge exposures=0 conversions=0 audit_log=8 webhook_deliveries=0\n", "")
        check_counts(aged, 14)

    def test_purge(self, aged):
        done = aged.program("retention-purge")
        assert (done.returncode, done.stdout, done.stderr) == (0, "purged exposures=0 conversions=0 audit_log=8 webhook_deliveries=0\n", "")
        check_counts(aged, 6)
        assert aged.program("retention-purge").stdout == "purged exposures=0 conversions=0 audit_log=0 webhook_deliveries=0\n"
        (entry,) = purges(aged)
        assert entry["actor"] == "system:retention-purge" and entry["payload_diff"]["audit_log"] == [8, 0]

    def test_without_a_window(self, aged):
        done = aged.program("retention-purge", AB_RETENTION_AUDIT_DAYS="0")
        assert (done.returncode, done.stdout) == (0, "purged exposures=0 conversions=0 audit_log=0 webhook_deliveries=0\n")
        check_counts(aged, 14)

    def test_a_wall_clock_that_was_set_deletes_nothing(self, aged):
        """As if it had been 200 days behind when it was looked at last."""
        kept = aged.stack.directory / "state" / "experiments.clock"
        assert expect(aged.client.post(PURGE, {"audit_days": 3650, "dry_run": False}))["purged"]["audit_log"] == 0
        assert aged.program("retention-purge", AB_RETENTION_AUDIT_DAYS="3650").returncode == 0
        lines = kept.read_text().splitlines()
        _, wall, since_boot = lines[2].split()
        kept.write_text("\n".join([*lines[:2], f"trusted {int(wall) - 200 * 86400 * 10**6} {since_boot}", *lines[3:], ""]))
        done = aged.program("retention-purge", AB_RETENTION_AUDIT_DAYS="30")
        assert done.returncode == 3 and "the wall clock was set by" in done.stderr, done
        assert aged.client.post(PURGE, {"audit_days": 30, "dry_run": False}, may_fail=True).status == 503
        check_counts(aged, 14)
        kept.unlink()

    @pytest.mark.parametrize("arguments", [["--force"], ["--dry-run", "x"], ["--help", "me"], [""]])
    def test_usage(self, aged, arguments):
        done = aged.program("retention-purge", *arguments)
        assert done.returncode == 2 and done.stdout == "" and "usage: retention-purge [--dry-run]" in done.stderr
        check_counts(aged, 14)

    @pytest.mark.parametrize("name, value", [("AB_RETENTION_AUDIT_DAYS", "-1"), ("AB_RETENTION_AUDIT_DAYS", "x"),
                                             ("AB_SQLITE_JOURNAL_MODE", "none")])
    def test_wrong_settings(self, aged, name, value):
        done = aged.program("retention-purge", **{name: value})
        assert done.returncode == 1 and name in done.stderr and done.stdout == ""

    def test_another_scheme_is_refused(self, aged):
        done = aged.program("retention-purge", AB_DATABASE_URL="mysql://user:geheim@localhost/x")
        assert done.returncode in (1, 3) and done.stdout == "" and "geheim" not in done.stderr and done.stderr

    def test_database_out_of_reach(self, aged):
        places = {"sqlite": {"AB_DB_PATH": "/proc/nowhere/x.sqlite3"},
                  "postgres": {"AB_DATABASE_URL": "postgresql://assay:geheim@127.0.0.1:9/x"}}[aged.engine]
        done = aged.program("retention-purge", **places)
        assert done.returncode == 3 and done.stdout == "" and done.stderr.startswith("retention-purge: ")
        assert "geheim" not in done.stderr

    def test_makes_no_database(self, stores, engine):
        """Run before anything else, it says that there is none."""
        store = stores.new(engine, {**CLOSED, "AB_RETENTION_AUDIT_DAYS": 1})
        try:
            done = store.program("retention-purge")
            assert (done.returncode, done.stdout) == (3, "") and "no record" in done.stderr
            assert engine == "postgres" or not store.database.path.exists()
            assert store.program("database", "start").returncode == 0
            done = store.program("retention-purge")
            assert (done.returncode, done.stdout) == (0, "purged exposures=0 conversions=0 audit_log=0 webhook_deliveries=0\n")
            store.start()
            assert expect(store.read.get(AUDIT))["total"] == 0
        finally:
            store.close()
