"""Whole jobs by MCP alone: an agent without a model finds tools by words, fills in what their schemas ask for, and does what a
person would do on the pages. It speaks to the address of the suite with the official client of Python, and to nothing else;
what is there before (a document, models, a receiver of alerts) is put there as operators do."""

import json
import os
import subprocess
from contextlib import contextmanager

import jsonschema
import pytest
import requests

from livedata_alerts_test import order, start_receiver
from mcp_test import AREAS, SERVICES, address, install
from model_server import ModelServer
from people import People
from people_access_test import COMMON, LOCKED
from project_fixtures import payload
from service import Service
from stack import free_ports
from wait import wait_for

PRICES = {"usd_per_1000_input": 0.01, "usd_per_1000_output": 0.01}
WARRANTY = "# Warranty\n\nThe warranty period is 24 months from the day of purchase.\n"


@pytest.fixture(scope="module")
def models():
    with ModelServer() as server:
        server.answers.update(brief="text:Four.", careful="text:Four, since two and two make four.")
        yield server


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    (folder / "index.html").write_text("<!doctype html><title>pages</title>")
    return folder


@pytest.fixture(scope="module")
def suite(models, pages, tmp_path_factory):
    catalog = tmp_path_factory.mktemp("models") / "models.json"
    catalog.write_text(json.dumps([{"id": name, "provider": f"maker of {name}", "protocol": "openai", "model": name,
                                    "base_url": models.url + "/v1", **PRICES} for name in ("brief", "careful")]))
    settings = {**COMMON, **LOCKED, **models.settings, "ORCH_MODELS_FILE": str(catalog), "ORCH_EXECUTION_PROFILE": "api-only",
                "LIVE_EGRESS_ALLOWED_HOSTS": "127.0.0.1", "LIVE_HEALTH_CACHE_TTL_SECONDS": "0",
                "AB_FRONTEND_DIST_PATH": str(pages), "ORCH_CACHE_URL": f"redis://127.0.0.1:{free_ports(1)[0]}/0"}
    with Service(SERVICES[0], settings, services=SERVICES) as service:
        yield service


@pytest.fixture(scope="module")
def admin(suite):
    return People(suite.stack).add("root", **dict.fromkeys((*AREAS, "suite"), "admin"))


class Agent:
    """One connection of the official client. What it calls, it has found; what it sends fits the schema that it was given."""

    def __init__(self, process, whole_suite):
        self.process, self.whole_suite, self.schemas = process, whole_suite, {}
        self.listed = json.loads(process.stdout.readline())

    def send(self, name, arguments):
        self.process.stdin.write(json.dumps({"name": name, "arguments": arguments}) + "\n")
        self.process.stdin.flush()
        told = json.loads(self.process.stdout.readline())
        assert "raised" not in told, (name, told)
        return told

    def find(self, words, name):
        """The tool of this name, which these words lead to."""
        found = {tool["name"]: tool for tool in self.send("find_tool", {"query": words})["structure"]["tools"]}
        assert name in found, (words, list(found))
        self.schemas[name] = found[name]
        return name

    def call(self, name, /, **arguments):
        """What the tool answers; one that changes something is confirmed by the person, which is the test."""
        if name in self.schemas:
            jsonschema.validate(arguments, self.schemas[name]["inputSchema"])
            if self.schemas[name]["changes_something"]:
                assert "confirm_call" in self.send("call_tool", {"name": name, "arguments": arguments})["text"][0]
                arguments["confirm_call"] = True
        return self.send("call_tool", {"name": name, "arguments": arguments}) if self.whole_suite else self.send(name, arguments)

    def do(self, words, tool, /, **arguments):
        """The structured answer of a call that succeeds, as a whole: none of these answers is too long for one piece."""
        told = self.call(self.find(words, tool), **arguments)
        assert not told["error"] and len(told["text"]) == 1, (tool, told)
        return told["structure"]


@contextmanager
def agent_at(environments, url, token, whole_suite=True):
    process = subprocess.Popen(
        [environments / "python/bin/python", environments / "python/agent.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, env={"PATH": os.environ["PATH"], "HOME": str(environments), "MCP_URL": url, "MCP_TOKEN": token, "MCP_MODE": "auto"})
    try:
        yield Agent(process, whole_suite)
    finally:
        process.stdin.close()
        process.wait(60)


@pytest.fixture(scope="module")
def environments():
    return install()


@pytest.fixture(scope="module")
def agent(suite, admin, environments):
    with agent_at(environments, address(suite), admin.token) as connected:
        yield connected


def test_it_plans_and_starts_a_test_and_reads_its_decision(agent):
    metric = {"metric_type": "binary", "baseline_value": 0.1, "mde_pct": 50, "alpha": 0.05, "power": 0.8}
    size = agent.do("sample size of a test", "experiments_calculate", **metric, expected_daily_traffic=2000,
                    audience_share_in_test=1, traffic_split=[50, 50], variants_count=2)["plan"]["users_per_variant"]
    design = payload("A shorter checkout", metrics={**metric, "primary_metric_name": "purchase"})
    experiment = agent.do("plan and start an experiment", "experiments_create_project", **design)["id"]
    flag = agent.do("set the feature flag of an experiment", "experiments_write_flag", experiment_id=experiment, key="short-checkout",
                    enabled=True, value_type="boolean", variants=[{"name": "long", "value": False}, {"name": "short", "value": True}])
    assert flag["enabled"]
    shown = agent.do("what does a user get of a flag", "experiments_preview_flag", experiment_id=experiment,
                     context={"targetingKey": "somebody"})
    assert shown["value"] in (True, False), shown
    for arm, share in enumerate((0.1, 0.2)):
        users = [f"{arm}-{number}" for number in range(size[arm])]
        recorded = agent.do("record exposures of users", "experiments_record_exposures", experiment_id=experiment,
                            exposures=[{"user_id": user, "variation_index": arm} for user in users])
        assert recorded["recorded"] == size[arm]
        agent.do("record conversions", "experiments_record_conversions", experiment_id=experiment,
                 conversions=[{"user_id": user, "metric": "purchase"} for user in users[:round(size[arm] * share)]])
    quality = agent.do("check the data of an experiment", "experiments_read_quality", experiment_id=experiment)
    assert quality["status"] == "ok" and quality["sample_ratio"]["observed"] == size
    decision = agent.do("read the decision about an experiment", "experiments_read_decision", experiment_id=experiment)
    assert (decision["verdict"], decision["blockers"]) == ("ship", []), decision
    agent.do("ship or stop an experiment", "experiments_decide", experiment_id=experiment, decision="ship",
             note=decision["reasons"][0]["text"])
    outcome = agent.do("what was decided about an experiment", "experiments_read_outcome", experiment_id=experiment)
    assert (outcome["current"]["decision"], outcome["current"]["note"]) == ("ship", decision["reasons"][0]["text"]), outcome


def test_it_answers_with_sources_and_sends_the_answer_to_review(suite, admin, agent):
    kept = requests.post(suite.stack.area_url("support") + "/api/upload", headers=admin.bearer(), timeout=60,
                         files={"file": ("warranty.md", WARRANTY.encode())})
    assert kept.status_code == 200, kept.text
    answer = agent.do("answer a question from documents", "support_ask", question="How long is the warranty period?")
    assert "24 months" in answer["answer"] and answer["citations"], answer
    source = answer["citations"][0]
    document = agent.do("the text of a document", "support_document", doc_id=source["doc_id"])
    assert "24 months" in json.dumps(document) and source["doc_id"] == "warranty.md"
    case = agent.do("send an answer to review", "support_review_add", trace_id=answer["trace_id"],
                    reviewer_notes="Is this of every product?")
    waiting = agent.do("answers that wait for review", "support_review_queue", status="pending")
    assert [one["trace_id"] for one in waiting["items"]] == [answer["trace_id"]], (case, waiting)


def test_it_compares_two_models_under_a_budget(suite, agent, environments):
    key = agent.do("create a virtual key of models", "orchestrator_create_key", name="an agent", allowed_models=["brief", "careful"])
    agent.do("add a budget", "orchestrator_create_budget", owner_kind="key", owner_id=key["id"], period="month", limit_usd=0.2)
    question = {"prompt": "What is two and two?", "models": ["brief", "careful"], "analyze": False}
    with agent_at(environments, address(suite, "orchestrator"), key["key"], whole_suite=False) as spender:
        assert spender.call("own_key")["structure"]["budgets"][0]["left_usd"] == 0.2
        told = spender.call("compare", **question, confirm_call=True)
        assert not told["error"], told
        answers = {one["model_id"]: one["answer"] for one in told["structure"]["answers"]}
        assert answers == {"brief": "Four.", "careful": "Four, since two and two make four."}
        cost = told["structure"]["accounting"]["cost_usd"]
        left = spender.call("own_key")["structure"]["budgets"][0]
        assert 0 < cost < 0.2 and left["spent_usd"] == pytest.approx(cost), left
    spent = agent.do("what was used and spent", "orchestrator_usage")
    assert sum(row["cost_usd"] for row in spent["rows"]) >= cost, spent


def test_it_defines_an_alert_on_a_metric_and_tries_it(agent):
    receiver = start_receiver()
    try:
        metrics = agent.do("catalog of metrics of live data", "livedata_get_catalog")["metrics"]
        alert = {"name": "Much revenue", "metric": "revenue", "window": "1h", "condition": "above", "threshold": 150,
                 "webhook_url": receiver.url + "/notices"}
        assert alert["metric"] in metrics and alert["window"] in metrics["revenue"]["available_windows"]
        for amount in ("100.00", "120.00"):
            taken = agent.do("take events in", "livedata_ingest_events", body=json.dumps(order(amount)))
            assert taken["applied"] == 1, taken
        now = wait_for(lambda: (shown := agent.do("preview an alert on a metric", "livedata_preview_alert", **alert))["triggered"] and shown)
        assert now["current_value"] == 220 and now["unit"] == metrics["revenue"]["unit"]
        agent.do("send a test notice of an alert", "livedata_try_alert", **alert)
        wait_for(lambda: receiver.got)
        assert receiver.got[0][0] == "/notices"
        made = agent.do("have a metric watched by an alert", "livedata_create_alert", **alert)
        fired = wait_for(lambda: [one for one in agent.do("which alerts are there", "livedata_list_alerts")["alerts"]
                                  if one["id"] == made["id"] and one["state"] != "ok"])
        assert fired[0]["last_condition_triggered"], fired
    finally:
        receiver.shutdown()
        receiver.server_close()


def test_it_finds_out_why_a_service_is_degraded(agent, pages):
    """The pages of one service are gone; its readiness says so over MCP until they are back."""
    index, aside = pages / "index.html", pages / "aside"
    index.rename(aside)
    checks = {service: agent.find(f"why is {service} degraded", f"{service}_{name}") for service, name in (
        ("experiments", "readiness"), ("support", "health"), ("livedata", "health"), ("orchestrator", "readiness"),
        ("accounts", "health"))}
    told = wait_for(lambda: (answer := agent.call(checks["experiments"]))["error"] and answer)
    state = json.loads(told["text"][0])
    failed = [check for check in state["checks"] if not check["ok"]]
    assert (told["meta"]["assay/status"], state["status"], [check["name"] for check in failed]) == (503, "degraded", ["frontend_dist"])
    assert failed[0]["fault"]["code"] and failed[0]["fault"]["guide"].startswith("docs/operate/health.md#"), failed
    others = {service: agent.call(name) for service, name in checks.items() if service != "experiments"}
    assert not any(one["error"] for one in others.values()), others
    parts = others["orchestrator"]["structure"]["components"]
    assert "cache_unreachable" in [part["fault"]["code"] for part in parts if part.get("fault")], parts
    aside.rename(index)
    wait_for(lambda: not agent.call(checks["experiments"])["error"])
