"""Files of users as tasks: they find what POST /api/v1/results/file answers, also when the program that analyzes them is
killed; what waits has a bound; with several hosts each analyzes its own files. On both engines."""

import json
import os
import signal
from contextlib import contextmanager

import pytest

from project_fixtures import OPEN, Store, unknown_id
from results_file_test import BOUNDARY, ask, close, csv, reply_of, users
from wait import wait_for

pytest_plugins = ["store_fixtures"]
pytestmark = pytest.mark.both_engines

TASKS = "/api/v1/results/file/tasks"
MIB = 1024 * 1024
ROOM = {**OPEN, "AB_DATA_TASKS_BYTES": 16 * MIB, "AB_RATE_LIMIT_ENABLED": "false"}


@pytest.fixture(scope="module")
def store(stores, engine):
    return stores.get(engine, ROOM)


def send(client, data, language="en", **mapping):
    mapping = {"arm": "variant", "value": "revenue", "metric_type": "continuous", **mapping}
    body = (f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="mapping"\r\n\r\n{json.dumps(mapping)}\r\n'
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="users.csv"\r\n\r\n').encode()
    return client.send("POST", TASKS, data=body + data.encode() + f"\r\n--{BOUNDARY}--\r\n".encode(), headers={
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}", "Accept-Language": language})


def order(client, data, **more):
    answer = send(client, data, **more)
    assert answer.status == 202, answer
    return answer.json()


def read(client, task):
    answer = client.get(f"{TASKS}/{task['id']}")
    assert answer.status == 200, answer
    return answer.json()


def ended(client, task):
    def end():
        now = read(client, task)
        return now if now["state"] in ("done", "failed") else None
    return wait_for(end, lambda: read(client, task))


def program(store):
    """The process that analyzes, which the supervisor starts again when it ends."""
    state = store.stack.directory / "run" / "experiments-tasks.state"
    return int(dict(line.split() for line in wait_for(state.read_text).splitlines())["child"])


@contextmanager
def paused(store):
    pid = program(store)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def call_off(client, task):
    answer = client.send("DELETE", f"{TASKS}/{task['id']}")
    assert answer.status == 200 and answer.json()["id"] == task["id"], answer


def files(store):
    return [path for path in store.stack.directory.rglob("experiments-uploads/*") if len(path.name) == 36]


def long_file(rows):
    return "".join(f'{{"variant":"{"AB"[i % 2]}","revenue":{i % 97},"before":{i % 13}}}\n' for i in range(rows))


def test_finds_what_the_route_answers(store):
    data = csv(users(600, ("B", "контроль", "C")))
    mapping = {"covariates": ["before"], "control": "контроль", "analyses": ["trimmed_t"]}
    task = order(store.client, data, **mapping)
    assert (task["bytes"], task["reason"], task["failure"]) == (len(data.encode()), None, None)
    done = ended(store.client, task)
    assert done["state"] == "done" and done["bytes_read"] == done["bytes"] and done["expires_at"] > done["ended_at"], done
    assert close(done["result"], reply_of(ask(store.client, data, **mapping)))
    wait_for(lambda: not files(store), lambda: files(store))
    call_off(store.client, task)
    assert store.client.get(f"{TASKS}/{task['id']}").status == 404


def test_what_is_wrong_with_the_file_is_told(store):
    for data, mapping, reason, text in ((csv(users()), {"value": "nothing"}, "unknown_column", "nothing"),
                                        ("", {}, "empty_file", ""), (csv(users(9, ("A",))), {}, "data_arms", "")):
        ordered = [order(store.client, data, language=tag, **mapping) for tag in ("en", "ru")]
        told = [ended(store.client, task) for task in ordered]
        assert [one["state"] for one in told] == ["failed"] * 2 and {one["reason"] for one in told} == {reason}, told
        assert all(text in one["failure"] and one["result"] is None for one in told), told
        assert told[0]["failure"] != told[1]["failure"], "each in the language of its client"
    refused = send(store.client, csv(users()), alpha=2)
    assert refused.status == 400 and refused.json()["error_code"] == "data_mapping", refused
    for method in ("GET", "DELETE"):
        assert store.client.send(method, f"{TASKS}/{unknown_id()}").error_code == "data_task_not_found"


def kill_while_it_runs(store, data, **mapping):
    """What an analysis found in whose middle the program was killed; None when it was quicker."""
    task = order(store.client, data, **mapping)
    wait_for(lambda: read(store.client, task)["state"] in ("running", "done"), lambda: read(store.client, task))
    os.kill(program(store), signal.SIGKILL)
    done = ended(store.client, task)
    return done if store.database.value(f"SELECT interruptions FROM jobs WHERE job_key = '{task['id']}'") else None


def test_a_killed_program_loses_nothing(store):
    data = long_file(200_000)
    with paused(store):
        waiting = order(store.client, csv(users()))
        assert read(store.client, waiting)["state"] == "waiting"
    done = wait_for(lambda: kill_while_it_runs(store, data, covariates=["before"]))
    assert done["state"] == "done" and done["result"]["rows"] == 200_000, done
    assert close(done["result"], reply_of(ask(store.client, data, covariates=["before"])))
    assert ended(store.client, waiting)["state"] == "done"


def test_what_waits_has_a_bound(store):
    data = "variant,revenue\n" + "A,1\nB,2\n" * 750_000
    wait_for(lambda: not files(store), lambda: files(store))
    with paused(store):
        first, second = order(store.client, data), order(store.client, data)
        refused = send(store.client, data)
        assert (refused.status, refused.error_code) == (429, "uploads_busy") and int(refused.headers["Retry-After"]) > 0
        assert len(files(store)) == 2
        call_off(store.client, second)
        assert len(files(store)) == 1
        third = order(store.client, csv(users()))
    for task in (first, third):
        assert ended(store.client, task)["state"] == "done"
    wait_for(lambda: not files(store), lambda: files(store))


def test_a_task_that_was_given_up_keeps_no_file(store):
    wait_for(lambda: not files(store), lambda: files(store))
    with paused(store):
        task = order(store.client, csv(users()))
        store.database.run(f"UPDATE jobs SET state = 'dead', last_error = 'killed', finished_at = created_at WHERE job_key = '{task['id']}'")
    ended(store.client, order(store.client, csv(users())))
    wait_for(lambda: not files(store), lambda: files(store))
    told = read(store.client, task)
    assert (told["state"], told["reason"], told["failure"]) == ("failed", "given_up", "killed") and told["ended_at"], told


def test_old_tasks_are_forgotten(store):
    old, young = (ended(store.client, order(store.client, csv(users()))) for _ in range(2))
    store.database.run(f"UPDATE data_tasks SET ended_at = ended_at - 86400000000 WHERE id = '{old['id']}'")
    ended(store.client, order(store.client, csv(users())))
    wait_for(lambda: store.client.get(f"{TASKS}/{old['id']}").status == 404)
    assert read(store.client, young)["state"] == "done"


def test_each_host_analyzes_its_files(store, engine):
    if engine == "sqlite":
        pytest.skip("a file of SQLite has one host")
    with Store(engine, ROOM, database=store.database) as other:
        with paused(store):
            task = order(store.client, csv(users()))
            ended(other.client, order(other.client, csv(users())))
            assert read(other.client, task)["state"] == "waiting" and len(files(store)) == 1
        assert ended(other.client, task)["state"] == "done"
