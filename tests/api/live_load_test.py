"""Many at once, files, and deaths: nothing that was acknowledged is lost, nothing counts twice. On both engines."""

import contextlib
import json
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
import requests

from conftest import SOAK
from live_test import Experiment
from wait import wait_for
from project_fixtures import expect

pytest_plugins = ["store_fixtures"]

SECONDS = 60 if SOAK else 6
WRITERS, READERS = 4, 2


@pytest.fixture
def experiment(store):
    return Experiment(store.client)


def verified(store, experiment):
    """What live-rebuild says of the aggregates."""
    done = store.program("live-rebuild", "--verify", experiment.id)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{experiment.id} people=" in done.stdout and "differences=0" in done.stdout


def raw_counts(experiment):
    raw = expect(experiment.client.get(experiment.path("ingestion")))
    return raw["exposures_total"], raw["conversions_total"]


class Writers:
    """Threads that send batches about the same few users until they are told to stop."""

    def __init__(self, store, experiment):
        self.base, self.experiment = store.stack.base_url, experiment
        self.stop, self.problems = threading.Event(), []
        self.recorded = {"exposures": 0, "conversions": 0}
        self.lock = threading.Lock()

    def run(self):
        threads = [threading.Thread(target=self.guarded, args=(w, n)) for w, n in
                   [(self.write, i) for i in range(WRITERS)] + [(self.read, i) for i in range(READERS)]]
        for thread in threads:
            thread.start()
        time.sleep(SECONDS)
        self.stop.set()
        for thread in threads:
            thread.join()
        assert not self.problems, self.problems[:3]

    def guarded(self, work, number):
        try:
            work(number)
        except Exception as problem:  # told by the main thread
            self.problems.append(repr(problem))

    def write(self, number):
        rng, session = random.Random(number), requests.Session()
        while not self.stop.is_set():
            users = [f"u{rng.randrange(3000)}" for _ in range(50)]
            for kind, records in (
                    ("exposures", [{"user_id": u, "variation_index": rng.randrange(2)} for u in users]),
                    ("conversions", [{"user_id": u, "metric": "purchase", "idempotency_key": f"k{rng.randrange(20000)}"}
                                     for u in users])):
                answer = session.post(f"{self.base}{self.experiment.path(kind)}", json={kind: records}, timeout=30)
                assert answer.status_code == 200, answer.text
                with self.lock:
                    self.recorded[kind] += answer.json()["recorded"]

    def read(self, number):
        session, last = requests.Session(), 0
        while not self.stop.is_set():
            for route in ("live-stats", "decision"):
                answer = session.get(f"{self.base}{self.experiment.path(route)}", timeout=30)
                assert answer.status_code == 200, answer.text
                if route == "live-stats":
                    stats = answer.json()
                    assert stats["exposures_total"] >= last == last
                    assert sum(stats["srm"]["observed_counts"]) == stats["exposures_total"] == stats["population"]["treated_users"]
                    last = stats["exposures_total"]


def test_many_writers_and_readers_of_one_experiment(store, experiment):
    writers = Writers(store, experiment)
    writers.run()
    assert raw_counts(experiment) == (writers.recorded["exposures"], writers.recorded["conversions"])
    verified(store, experiment)


def live_workers(store):
    program = str(Path(store.stack.build, "fcgi-bin", "experiments-live").resolve())
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "exe") == program and \
                    str(store.stack.directory) in (entry / "environ").read_text(errors="replace"):
                yield int(entry.name)
        except OSError:
            continue


def wait_for_workers(store):
    return wait_for(lambda: list(live_workers(store)))


def test_a_worker_killed_in_a_batch_leaves_all_of_it_or_nothing(store, experiment):
    """Batches are sent again with the same keys until they are acknowledged."""
    rng, sent = random.Random(1), 0
    for batch in range(12):
        records = [{"user_id": f"u{i}", "metric": "purchase", "idempotency_key": f"{batch}-{i}"} for i in range(1000)]
        body = json.dumps({"conversions": records})
        workers = wait_for_workers(store)

        def strike(pids=workers, wait=rng.uniform(0, 0.03)):
            time.sleep(wait)
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):  # it had served its requests
                    os.kill(pid, signal.SIGKILL)

        thread = threading.Thread(target=strike)
        thread.start()
        for _ in range(60):
            try:
                answer = requests.post(store.stack.base_url + experiment.path("conversions"), data=body, timeout=30,
                                       headers={"Content-Type": "application/json"})
            except requests.RequestException:
                continue
            if answer.status_code == 200:
                assert answer.json()["recorded"] in (0, 1000), "the batch was there in part"
                break
            time.sleep(0.1)
        else:
            pytest.fail("no worker came back")
        thread.join()
        sent += 1000
    for _ in range(50):
        try:
            assert raw_counts(experiment)[1] == sent
            break
        except AssertionError:
            time.sleep(0.1)
    assert raw_counts(experiment)[1] == sent
    verified(store, experiment)


def load(store, experiment, kind, path):
    return store.program("events-load", experiment.id, kind, str(path))


def test_files_are_loaded_once_wherever_they_were_cut(store, experiment, tmp_path):
    ndjson, csv = tmp_path / "seen.ndjson", tmp_path / "done.csv"
    ndjson.write_text("".join(json.dumps({"user_id": f"u{i}", "variation_index": i % 2}) + "\n" for i in range(12000)))
    rows = [f'u{i},purchase,"{i % 3}.5",2026-05-01T10:00:00Z' for i in range(9000)]
    csv.write_text("\ufeffuser_id,metric,value,occurred_at\n" + "\n".join(rows) + "\n")
    done = load(store, experiment, "exposures", ndjson)
    assert (done.returncode, done.stdout) == (0, "lines=12000 recorded=12000 deduplicated=0 left_out=0\n"), done.stderr
    assert load(store, experiment, "conversions", csv).stdout == "lines=9001 recorded=9000 deduplicated=0 left_out=0\n"
    # Without keys every record counts: that nothing is loaded twice is the mark's doing.
    assert load(store, experiment, "conversions", csv).stdout == "lines=9001 recorded=0 deduplicated=0 left_out=0\n"
    with csv.open("a") as file:
        file.write("u1,purchase,7,\nu2,purchase,many,\n,purchase,1,\nu3,purchase\n")
    done = load(store, experiment, "conversions", csv)
    assert (done.returncode, done.stdout) == (4, "lines=9005 recorded=2 deduplicated=0 left_out=2\n")
    assert f"{csv}:9003: value does not read as a finite number" in done.stderr and ":9004: user_id is missing" in done.stderr
    assert raw_counts(experiment) == (12000, 9002)
    verified(store, experiment)


def test_a_load_that_was_killed_goes_on(store, experiment, tmp_path):
    path = tmp_path / "events.ndjson"
    path.write_text("".join(json.dumps({"user_id": f"u{i % 5000}", "metric": "purchase"}) + "\n" for i in range(60000)))
    for wait in (0.05, 0.15, 0.3):
        process = subprocess.Popen([store.stack.build / "cron-bin/events-load", experiment.id, "conversions", str(path)],
                                   cwd=store.stack.directory, env=store.program_environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(wait)
        process.kill()
        process.wait()
    done = load(store, experiment, "conversions", path)
    assert done.returncode == 0 and "lines=60000 " in done.stdout, done.stderr
    assert raw_counts(experiment)[1] == 60000
    verified(store, experiment)


def test_differences_are_found_and_mended(store, experiment):
    for i in range(10):
        experiment.expose(f"u{i}", i % 2)
        experiment.convert(f"u{i}", value=i)
    store.database.run("UPDATE live_cells SET people = people + 1 WHERE metric <> 0")
    done = store.program("live-rebuild", "--verify", experiment.id)
    assert done.returncode == 4 and "differences=2" in done.stdout, done.stdout
    assert store.program("live-rebuild", experiment.id).returncode == 0
    verified(store, experiment)
