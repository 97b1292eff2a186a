"""What is wrong with a service has a code, a sentence and a section of docs/operate/health.md, in the readiness of all
five services, for as long as it is wrong."""

import re

import pytest
import requests

from stack import CHECKOUT, SERVICES, WITH_PORT, Stack, free_ports
from wait import wait_for

READY = {"experiments": "/readyz", "support": "/api/health", "orchestrator": "/api/v1/readiness", "livedata": "/health/ready",
         "accounts": "/api/health"}
FILES = {"experiments": "projects.sqlite3", "support": "support.sqlite3", "orchestrator": "orch.sqlite3",
         "livedata": "livedata.sqlite3", "accounts": "accounts.db"}
SECTIONS = set(re.findall(r"^## (\w+)$", (CHECKOUT / "docs/operate/health.md").read_text(), re.M))


def faults_of(document):
    """Every fault of an answer, by code."""
    if isinstance(document, list):
        return {code: fault for item in document for code, fault in faults_of(item).items()}
    if not isinstance(document, dict):
        return {}
    own = {document["code"]: document} if {"code", "meaning", "guide"} <= document.keys() else {}
    return own | faults_of(list(document.values()))


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    nowhere = free_ports(1)[0]
    pages = tmp_path_factory.mktemp("pages")
    (pages / "index.html").write_text("<!doctype html><title>pages</title>")
    settings = {"ALLOW_ANONYMOUS_ADMIN": "true", "RATE_LIMIT_ENABLED": "false", "AB_RATE_LIMIT_ENABLED": "false",
                "LIVE_AUTH_DISABLED": "true", "LIVE_HEALTH_CACHE_TTL_SECONDS": "0",
                "AB_FRONTEND_DIST_PATH": str(pages), "ASSAY_LIMITS_URL": f"redis://127.0.0.1:{nowhere}/0",
                "ORCH_CACHE_URL": f"redis://127.0.0.1:{nowhere}/1", "SEARCH_URL": f"http://127.0.0.1:{nowhere}"}
    with Stack(services=SERVICES) as stack:
        stack.pages = pages
        yield stack.start(settings)


def faults(stack, service, path=None):
    url = stack.url_of(service) if service in WITH_PORT else stack.area_url(service)
    answer = requests.get(url + (path or READY[service]), timeout=30)
    found = faults_of(answer.json())
    for code, fault in found.items():
        assert fault["guide"] == f"docs/operate/health.md#{code}" and code in SECTIONS, fault
        assert fault["meaning"].endswith(".") and len(fault["meaning"]) < 120, fault
    return answer.status_code, set(found)


@pytest.mark.parametrize("service, expected", [
    ("experiments", {"limits_server_unreachable"}),
    ("support", {"limits_server_unreachable", "search_engine_unreachable", "embedder_without_model"}),
    ("orchestrator", {"limits_server_unreachable", "cache_unreachable", "api_key_missing", "browser_not_configured"}),
    ("livedata", {"limits_server_unreachable"}),
    ("accounts", {"limits_server_unreachable"}),
])
def test_what_a_service_can_do_without_has_a_fault_and_leaves_it_ready(stack, service, expected):
    wait_for(lambda: faults(stack, service) == (200, expected))


def test_live_data_without_events_says_so(stack):
    assert faults(stack, "livedata", "/v1/health") == (200, {"no_events"})


def test_pages_that_are_gone_are_a_fault_until_they_are_back(stack):
    index, aside = stack.pages / "index.html", stack.pages / "aside"
    index.rename(aside)
    assert faults(stack, "experiments") == (503, {"pages_missing", "limits_server_unreachable"})
    aside.rename(index)
    assert faults(stack, "experiments") == (200, {"limits_server_unreachable"})


def move_databases(stack, before, after):
    """Renames each database file, with its log, from a name that begins with `before` to one with `after`."""
    for name in FILES.values():
        files = list((stack.directory / "data").rglob(f"{before}{name}*"))
        assert files, name
        for file in files:
            file.rename(file.with_name(after + file.name.removeprefix(before)))


def test_a_database_that_is_lost_is_one_fault_until_it_is_back(stack):
    move_databases(stack, "", "aside-")
    for service in SERVICES:
        wait_for(lambda name=service: "database_unreachable" in faults(stack, name)[1], lambda name=service: name)
    move_databases(stack, "aside-", "")
    told = stack.run("reload")
    assert told.returncode == 0, told.stderr
    for service in SERVICES:
        wait_for(lambda name=service: "database_unreachable" not in faults(stack, name)[1], lambda name=service: name)
