"""Two hosts of all services on one PostgreSQL, behind a balancer that takes turns: what somebody has just written, by
whichever host, he reads at the other; they are restarted in turn without a failed request; and when they are killed at
random nothing is lost, and nothing counts twice."""

import threading
import time
import uuid
from datetime import datetime, timezone

import pytest
import requests

from accounts_client import COOKIE
from chaos import QUICK, Chaos
from hosts import EXPERIMENTS_ADMIN, PASSWORD, READY, Haproxy, Hosts, Nginx
from support_blobs_test import ODD
from wait import wait_for

ROUNDS = 100 if QUICK else 1000
PROJECT = {
    "project": {"project_name": "Checkout", "domain": "e-commerce", "product_type": "web shop", "platform": "web", "market": "DE",
                "project_description": "Fewer steps"},
    "hypothesis": {"change_description": "Two steps instead of four", "target_audience": "New visitors",
                   "business_problem": "Abandoned carts", "hypothesis_statement": "Fewer steps, more orders",
                   "what_to_validate": "Conversion", "desired_result": "More orders"},
    "setup": {"experiment_type": "ab", "randomization_unit": "user", "traffic_split": [50, 50], "expected_daily_traffic": 12000,
              "audience_share_in_test": 0.6, "variants_count": 2, "inclusion_criteria": "", "exclusion_criteria": ""},
    "metrics": {"primary_metric_name": "purchase", "metric_type": "binary", "baseline_value": 0.1, "mde_pct": 20, "alpha": 0.05,
                "power": 0.8},
    "constraints": {"seasonality_present": False, "active_campaigns_present": False, "returning_users_present": True,
                    "interference_risk": "low", "technical_constraints": "", "legal_or_ethics_constraints": "", "known_risks": "",
                    "deadline_pressure": "low", "long_test_possible": True}}


@pytest.fixture(scope="module")
def hosts():
    hosts = Hosts()
    try:
        yield hosts.behind(Nginx)
    finally:
        hosts.close()


def count_stale(rounds, write_and_read):
    """`write_and_read` returns whether the read had what was written."""
    return sum(not write_and_read(number) for number in range(rounds))


def test_experiments(hosts):
    client = hosts.client("experiments")
    project = client.post("/api/v1/projects", PROJECT, expected=200).json()["id"]
    path = f"/api/v1/experiments/{project}"
    administrator = hosts.client("experiments", Authorization=f"Bearer {EXPERIMENTS_ADMIN}")

    def expose(number):
        client.post(path + "/exposures", {"exposures": [{"user_id": f"u{number}", "variation_index": number % 2}]}, expected=200)
        return client.get(path + "/live-stats", expected=200).json()["exposures_total"] == number + 1

    def issue_and_revoke(_):
        key = administrator.post("/api/v1/keys", {"name": "k", "scope": "write"}, expected=200).json()
        signed = hosts.client("experiments", Authorization=f"Bearer {key['plaintext_key']}")
        works = signed.get("/api/v1/projects").status_code == 200 and signed.get("/api/v1/projects").status_code == 200
        administrator.post(f"/api/v1/keys/{key['id']}/revoke", expected=200)
        return works and signed.get("/api/v1/projects").status_code == 401

    assert count_stale(ROUNDS, expose) == 0
    assert count_stale(ROUNDS // 10, issue_and_revoke) == 0


def test_support(hosts):
    client = hosts.client("support")

    def upload(number):
        name = f"{number}-{ODD[number % len(ODD)]}"
        text = f"# Key {number}\n\nThe key of depot{number} hangs on hook{number}.\n"
        answer = client.send("POST", "/api/upload", files={"file": (name, text.encode())}, expected=200).json()
        found = client.post("/api/ask", {"question": f"Where is the key of depot{number}?"}, expected=200).json()
        listed = client.get(f"/api/documents/{answer['doc_id']}")
        return f"hook{number}" in found["answer"] and listed.status_code == 200

    def replace(number):
        """The answer to a question that was asked before, at both hosts, and is kept."""
        text = f"# Gate\n\nThe code of the iron gate is code{number}.\n"
        client.send("POST", "/api/upload", files={"file": ("gate.md", text.encode())}, expected=200)
        answers = [client.post("/api/ask", {"question": "What is the code of the iron gate?"}, expected=200).json()["answer"]
                   for _ in range(3)]
        return all(f"code{number}" in answer for answer in answers)

    assert count_stale(ROUNDS // 10, upload) == 0
    assert count_stale(ROUNDS // 10, replace) == 0


def test_orchestrator(hosts):
    client = hosts.client("orchestrator")

    def add_and_remove_a_model(number):
        name = f"model-{number}"
        client.post("/api/v1/models", {"id": name, "provider": "other", "model": "big", "base_url": "http://127.0.0.1:9/v1"},
                    expected=201)
        there = name in client.get("/api/v1/models", expected=200).text and name in client.get("/v1/models", expected=200).text
        client.send("DELETE", f"/api/v1/models/{name}", expected=204)
        return there and f'"{name}"' not in client.get("/api/v1/models", expected=200).text

    def issue_and_revoke_a_key(number):
        key = client.post("/api/v1/keys", {"name": f"key {number}"}, expected=201).json()
        signed = hosts.client("orchestrator", Authorization=f"Bearer {key['key']}")
        works = all(signed.get("/v1/key").status_code == 200 for _ in range(2))
        client.send("DELETE", f"/api/v1/keys/{key['id']}", expected=204)
        return works and all(signed.get("/v1/key").status_code == 401 for _ in range(2))

    def run_a_task(number):
        task = client.post("/api/v1/orchestrate", {"prompt": f"task {number}", "dry_run": True}, expected=200).json()
        return client.get(f"/api/v1/tasks/{task['task_id']}").status_code == 200

    assert count_stale(ROUNDS // 5, add_and_remove_a_model) == 0
    assert count_stale(ROUNDS // 5, issue_and_revoke_a_key) == 0
    assert count_stale(ROUNDS // 5, run_a_task) == 0


def order(number, quantity):
    return {"event_id": str(uuid.uuid4()), "event_type": "order.updated", "source": "shop", "status": "pending",
            "timestamp": datetime.now(timezone.utc).isoformat(), "order_id": f"ORD-20260404-{number}", "user_id": "USR-1",
            "total_amount": quantity, "items": [{"product_id": "PROD-1", "quantity": quantity, "unit_price": 1}]}


def test_live_data(hosts):
    """By the position of the write; without one an answer may be as old as docs/use/livedata.md says."""
    client = hosts.client("livedata")
    without = []

    def write(number):
        applied = client.post("/v1/events", order(1000 + number % 10, number + 1), expected=200).json()
        assert applied["applied"] == 1, applied
        path = f"/v1/entity/order/ORD-20260404-{1000 + number % 10}"
        without.append(client.get(path, expected=200).json()["data"]["total_amount"] != number + 1)
        fresh = client.get(path, params={"at_least": applied["position"]}, expected=200).json()
        return fresh["data"]["total_amount"] == number + 1

    assert count_stale(ROUNDS, write) == 0
    print(f"live data: {sum(without)} of {ROUNDS} reads without a position were older than the write")


def signed_in(hosts, username, password):
    answer = hosts.client("accounts", Origin=hosts.balancer.url).post(
        "/api/session", {"username": username, "password": password}, expected=200)
    return hosts.client("accounts", Origin=hosts.balancer.url, Cookie=f"{COOKIE}={answer.cookies[COOKIE]}")


def test_accounts(hosts):
    """Who has signed in is known at both hosts at once; who has signed out is refused at both within five seconds."""
    administrator = signed_in(hosts, "admin", PASSWORD)

    def add_a_person(number):
        name = f"person-{number}"
        made = administrator.post("/api/people", {"username": name, "password": "a first password", "roles": {"models": "viewer"}},
                                  expected=201).json()
        return made["id"] in administrator.get("/api/people", expected=200).text

    def sign_in_and_out(_):
        browser = signed_in(hosts, "admin", PASSWORD)
        known = all(browser.get("/api/session").status_code == 200 for _ in range(2))
        browser.send("DELETE", "/api/session")
        end = time.monotonic() + 7
        while time.monotonic() < end and any(browser.get("/api/session").status_code == 200 for _ in range(2)):
            time.sleep(0.1)
        return known and time.monotonic() < end

    assert count_stale(ROUNDS // 10, add_a_person) == 0
    assert count_stale(5, sign_in_and_out) == 0


class Caller(threading.Thread):
    """Somebody who writes to one service without end and reads what he has written. `patient`: tries again under the same
    key what was not answered; otherwise whatever is not answered has failed."""

    def __init__(self, hosts, work, patient):
        super().__init__(name=work.__name__)
        self.work, self.hosts, self.patient = work, hosts, patient
        self.done = threading.Event()
        self.written, self.stale, self.failed = 0, [], []

    def ask(self, client, method, path, **arguments):
        end = time.monotonic() + 120
        while True:
            try:
                answer = client.send(method, path, **arguments)
                if answer.status_code < 500 and answer.status_code != 429:
                    assert answer.status_code < 300, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
                    return answer.json()
                failure = f"{answer.status_code} {answer.text[:200]}"
            except requests.RequestException as error:
                failure = repr(error)
            if not self.patient:
                self.failed.append(f"{method} {path}: {failure}")
                return None
            assert time.monotonic() < end, f"{method} {path}: {failure}"
            time.sleep(0.05)

    def run(self):
        while not self.done.is_set():
            try:
                if self.work(self, self.written) is False:
                    self.stale.append(self.written)
                self.written += 1
            except AssertionError as error:
                self.failed.append(str(error))
                return


def call_experiments(project):
    def experiments(caller, number):
        client = caller.hosts.client("experiments")
        path = f"/api/v1/experiments/{project}"
        user = f"{caller.patient}-{number}"
        caller.ask(client, "POST", path + "/exposures", json={"exposures": [{"user_id": user, "variation_index": number % 2}]})
        caller.ask(client, "POST", path + "/conversions", json={"conversions": [
            {"user_id": user, "metric": "purchase", "value": 1, "idempotency_key": user}]})
        stats = caller.ask(client, "GET", path + "/live-stats")
        return stats is None or stats["exposures_total"] >= number + 1
    return experiments


def support(caller, number):
    client = caller.hosts.client("support")
    text = f"# Shelf\n\nThe key of shelf {caller.patient}{number} hangs on hook{number}.\n"
    name = f"shelf-{caller.patient}-{number % 20}.md"
    caller.ask(client, "POST", "/api/upload", files={"file": (name, text.encode())})
    answer = caller.ask(client, "POST", "/api/ask", json={"question": f"Where is the key of shelf {caller.patient}{number}?"})
    return answer is None or f"hook{number}" in answer["answer"]


def orchestrator(caller, number):
    client = caller.hosts.client("orchestrator")
    task = caller.ask(client, "POST", "/api/v1/orchestrate", json={"prompt": f"{caller.patient} {number}", "dry_run": True})
    return task is None or caller.ask(client, "GET", f"/api/v1/tasks/{task['task_id']}") is not None or not caller.patient


def live_data(caller, number):
    client = caller.hosts.client("livedata")
    base = 5000 if caller.patient else 7000
    applied = caller.ask(client, "POST", "/v1/events", json=order(base + number, number + 1))
    if applied is None:
        return True
    read = caller.ask(client, "GET", f"/v1/entity/order/ORD-20260404-{base + number}", params={"at_least": applied["position"]})
    return read is None or read["data"]["total_amount"] == number + 1


def callers(hosts, project, patient):
    made = [Caller(hosts, work, patient) for work in (call_experiments(project), support, orchestrator, live_data)]
    for caller in made:
        caller.start()
    return made


def end(made):
    for caller in made:
        caller.done.set()
    for caller in made:
        caller.join()
    print(", ".join(f"{caller.name}: {caller.written} written, {len(caller.failed)} failed" for caller in made), flush=True)
    assert not [failure for caller in made for failure in caller.failed]
    assert not [(caller.name, caller.stale) for caller in made if caller.stale]
    assert all(caller.written > 3 for caller in made)


def new_project(hosts):
    return hosts.client("experiments").post("/api/v1/projects", PROJECT, expected=200).json()["id"]


@pytest.mark.parametrize("kind", [Haproxy, Nginx])
def test_hosts_are_restarted_in_turn_and_no_request_fails(hosts, kind):
    hosts.behind(kind)
    made = callers(hosts, new_project(hosts), patient=False)
    try:
        for host in hosts.hosts:
            host.restart()
            wait_for(lambda: requests.get(host.portal_url + READY, timeout=60).status_code == 200, lambda: host.name, seconds=120)
            time.sleep(2)  # as an upgrade: the balancer has to have seen it
    finally:
        end(made)


def test_hosts_that_are_killed_lose_nothing_and_double_nothing(hosts):
    hosts.behind(Haproxy)
    project = new_project(hosts)
    made = callers(hosts, project, patient=True)
    try:
        with Chaos(hosts.hosts, pause=(5, 15)) as chaos:
            chaos.wait()
    finally:
        end(made)
    experiments, documents, tasks, events = (caller.written for caller in made)
    stats = hosts.client("experiments").get(f"/api/v1/experiments/{project}/live-stats", expected=200).json()
    ingestion = hosts.client("experiments").get(f"/api/v1/experiments/{project}/ingestion", expected=200).json()
    assert stats["exposures_total"] == experiments, (stats["exposures_total"], experiments, ingestion)
    arms = stats["comparisons"][0]
    assert arms["control"]["converted_users"] + arms["treatment"]["converted_users"] == experiments
    for number in range(max(0, documents - 20), documents):
        answer = hosts.client("support").post("/api/ask", {"question": f"Where is the key of shelf True{number}?"}, expected=200)
        assert f"hook{number}" in answer.json()["answer"]
    live = hosts.client("livedata")
    for number in range(events):
        read = live.get(f"/v1/entity/order/ORD-20260404-{5000 + number}", expected=200).json()
        assert read["data"]["total_amount"] == number + 1
    assert tasks > 0
