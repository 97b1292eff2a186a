"""A share of live conversations is answered by an experiment, and the experiments service says what came of it: both
services in one stack, on both engines."""

import fcntl
import json
import os
import re
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from wait import wait_for
from service import DATABASE_SETTINGS, ENGINES, Service, Servers
from support_admin_test import SECRET, token
from support_improvement_test import EXPERIMENTS, ask, experiment_of, new, operator

pytest_plugins = ["kill_fixtures"]

KEY = "split-write-key"
TALKS = 18  # all on one side by chance: once in 100 000 times
ENV = {"JWT_SECRET": SECRET, "RATE_LIMIT_ENABLED": "false", "EXPERIMENT_ASSIGNMENT_ENABLED": "true",
       "AUTO_ROLLBACK_ENABLED": "true", "AB_API_KEY": KEY, "AB_API_TOKEN": KEY, "AB_RATE_LIMIT_ENABLED": "false"}


@pytest.fixture(scope="module", params=ENGINES)
def support(request):
    env = dict(ENV)
    if request.param == "postgres":
        env[DATABASE_SETTINGS["experiments"]] = Servers.new_database()
    service = Service("support", env, request.param, services=("support", "experiments"))
    # The port is chosen when the stack is prepared: the address goes in with it.
    prepare = service.stack.prepare
    service.stack.prepare = lambda *given: prepare(*given).env.update(
        {"AB_BASE_URL": service.stack.url_of("experiments")})
    with service:
        assert service.run("demo-seed").returncode == 0
        yield service


@contextmanager
def alone(service):
    """The program that stays is held, so that rounds are the test's."""
    [held] = [pid for pid in service.stack.processes()
              if b"/cron-bin/split-report" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]]
    try:
        for _ in range(100):
            os.kill(held, signal.SIGSTOP)
            if json.loads(service.run("split-report").stdout)["status"] == "ok":
                break
            os.kill(held, signal.SIGCONT)  # it had the lock
            time.sleep(0.05)
        yield
    finally:
        os.kill(held, signal.SIGCONT)


def report(service, code=0, **env):
    done = service.run("split-report", env=env)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else json.loads(done.stdout)


def judged(service, path):
    answer = requests.get(service.stack.url_of("experiments") + path, headers={"Authorization": f"Bearer {KEY}"}, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def splits(service, experiment, tenant="default"):
    return service.get(f"{EXPERIMENTS}/{experiment}/splits", headers=token("admin", tenant)).json()["splits"]


def assign(service, experiment, percentage):
    done = operator(service, f"/{experiment}/assignments", {"tenant_id": "default", "rollout_percentage": percentage})
    assert done.status_code == 200, done.text


def test_what_people_say_to_both_sides_reaches_the_experiments_service_once(support):
    experiment = new(support, "Half of them", rerank_top_k=1)
    assign(support, experiment, 50)
    sides = {}
    for number in range(TALKS):
        answers = [ask(support, session_id=f"talk-{number}") for _ in range(1 + number % 2)]
        [side] = {experiment_of(support, answer) for answer in answers}
        sides[f"talk-{number}"] = (side == experiment, answers)
    assert {inside for inside, _ in sides.values()} == {True, False}
    _, [first] = sides["talk-0"]
    for _ in range(2):
        support.post("/api/feedback", {"trace_id": first["trace_id"], "session_id": "talk-0", "rating": "down"},
                     headers=token("viewer"))
    support.post("/api/escalate", {"session_id": "talk-1"}, headers=token("viewer"))

    def told():  # the program that stays does it by itself
        [split] = splits(support, experiment)
        return split if not split["waiting"] and split["project_id"] else None
    split = wait_for(told)
    assert split["live"] and split["rollout_percentage"] == 50
    path = f"/api/v1/experiments/{split['project_id']}"
    with alone(support):
        assert report(support)["decisions"] == 1
        shown = judged(support, path + "/live-stats")
        counted = [shown["comparisons"][0][arm]["exposed_users"] for arm in ("control", "treatment")]
        assert counted == [sum(side is inside for side, _ in sides.values()) for inside in (False, True)]
        stored = [int(support.sql(f"SELECT count(*) FROM split_events WHERE metric {which}")[0][0])
                  for which in ("IS NULL", "= 'quality'", "= 'thumbs_down'", "= 'escalated'")]
        assert stored[:3] == [TALKS, TALKS, 1] and stored[3] >= 1
        # each once: sent again, as by a program that died before it had noted it, nothing is added
        support.sql("UPDATE split_events SET sent = 0")
        support.sql("UPDATE traffic_splits SET project_id = NULL")
        sent = report(support)
        assert (sent["exposures"], sent["outcomes"]) == (TALKS, sum(stored[1:])) and report(support)["exposures"] == 0
        assert splits(support, experiment)[0]["project_id"] == split["project_id"]
        assert judged(support, path + "/live-stats") == shown
    [split] = splits(support, experiment)
    assert split["verdict"] == "keep_running" and split["reasons"] and split["confidence"]
    assert [split["control_exposed"], split["treatment_exposed"]] == counted
    assert splits(support, experiment, "other") == []
    design = judged(support, f"/api/v1/projects/{split['project_id']}")["payload"]
    assert design["setup"]["traffic_split"] == [50, 50] and design["constraints"]["n_looks"] == 5
    assert [metric["name"] for metric in design["metrics"]["guardrail_metrics"]] == ["thumbs_down", "escalated"]
    # nothing of what people wrote, nor who they are, is told
    units = [unit for [unit] in support.sql("SELECT unit FROM split_events")]
    assert all(re.fullmatch("[0-9a-f]{32}", unit) for unit in units)
    # another share is another experiment; a share of all compares nothing
    assign(support, experiment, 25)
    ask(support, session_id="talk-0")
    assert [row["rollout_percentage"] for row in splits(support, experiment)] == [25, 50]
    assign(support, experiment, 100)
    ask(support, session_id="talk-0")
    assert len(splits(support, experiment)) == 2
    operator(support, f"/{experiment}/archive")


def test_what_is_not_taken_is_kept_and_asking_does_not_notice(support):
    experiment = new(support, "Nobody listens")
    with alone(support):
        assign(support, experiment, 50)
        ask(support, session_id="alone")
        assert "unreachable" in report(support, 1, AB_BASE_URL="http://127.0.0.1:9")
        refused = report(support, 1, AB_API_KEY="another-key")
        assert "401" in refused and "another-key" not in refused
        assert report(support, AB_BASE_URL="")["splits"] == 0
        [split] = splits(support, experiment)
        assert split["waiting"] >= 2 and split["project_id"] is None and split["verdict"] is None
        assert report(support)["exposures"] == 1 and splits(support, experiment)[0]["waiting"] == 0
        held = (support.stack.directory / "data" / "support" / "locks" / "split-report").open("a")
        fcntl.flock(held, fcntl.LOCK_EX)
        assert report(support)["status"] == "busy"
        held.close()
    operator(support, f"/{experiment}/archive")


def test_a_program_that_is_killed_at_any_step_tells_nothing_twice(support, kill_library):
    experiment = new(support, "Dies on the way")
    with alone(support):
        assign(support, experiment, 50)
        for number in range(3):
            ask(support, session_id=f"dies-{number}")
        step, killed = 1, 0
        while support.run("split-report", env={"LD_PRELOAD": str(kill_library), "KILL_AT_STEP": str(step)}).returncode == -signal.SIGKILL:
            step, killed = step + 1, killed + 1
        assert killed > 5 and report(support)["status"] == "ok"
        [split] = splits(support, experiment)
        assert split["waiting"] == 0 and split["verdict"] == "keep_running"
        shown = judged(support, f"/api/v1/experiments/{split['project_id']}/live-stats")
        arms = [shown["comparisons"][0][arm] for arm in ("control", "treatment")]
        assert sum(arm["exposed_users"] for arm in arms) == 3
        listed = judged(support, "/api/v1/projects?limit=100")
        names = [project["project_name"] for project in listed[next(k for k in ("projects", "items") if k in listed)]]
        assert names.count(experiment) == 1
    operator(support, f"/{experiment}/archive")


def test_an_experiment_that_harms_by_the_decision_is_withdrawn(support):
    experiment = new(support, "Harms", rerank_top_k=1)
    assert operator(support, f"/{experiment}/stage?activate=false").status_code == 200
    assign(support, experiment, 50)
    ask(support, session_id="seed-0")
    [[split]] = support.sql(f"SELECT split_id FROM traffic_splits WHERE experiment_id = '{experiment}'")
    with alone(support):
        rows = []
        for number in range(1200):  # conversations as asking would have written them down
            unit, arm = f"{number:032x}", number % 2
            outcomes = [("NULL", "exposed", 1), ("'quality'", "quality", 80 + number % 7)]
            if number % 20 == 0 or arm and number % 5 < 2:
                outcomes.append(("'thumbs_down'", "down", 1))
            rows += [f"('{unit}:{key}', '{split}', 'made', '{unit}', {arm}, {metric}, {value}, '2026-01-01T00:00:00+00:00', 0)"
                     for metric, key, value in outcomes]
        for first in range(0, len(rows), 500):
            support.sql("INSERT INTO split_events (event_key, split_id, trace_id, unit, arm, metric, value, occurred_at,"
                        " sent) VALUES " + ", ".join(rows[first:first + 500]))
        watched = json.loads(support.run("rollback-watch").stdout)  # what has just begun harms nobody yet
        assert {row["reason"] for row in watched} <= {"decision_keep_running"} and splits(support, experiment)[0]["live"]
        sent = report(support)
        assert sent["exposures"] >= 1200 and sent["outcomes"] >= 1400
        [shown] = splits(support, experiment)
        assert shown["verdict"] == "no_ship" and "guardrail_vetoed" in {reason["code"] for reason in shown["reasons"]}
        assert json.loads(support.run("rollback-watch", env={"AUTO_ROLLBACK_ENABLED": "false"}).stdout) == []
        [found] = json.loads(support.run("rollback-watch").stdout)
        assert found["experiment_id"] == experiment and found["reason"] == "decision_guardrail_vetoed"
        [shown] = splits(support, experiment)
        assert shown["withdrawn_at"] and not shown["live"]
        assert operator(support, f"/{experiment}", method="GET").json()["status"] == "completed"
        assert operator(support, f"/{experiment}/assignments", method="GET").json() == {"assignments": []}
        assert experiment_of(support, ask(support, session_id="seed-0")) == ""
        assert json.loads(support.run("rollback-watch").stdout) == []
