"""What people may do: the tables `people` of docs/operate/authorisation.md against every route of the four services, with a
session under the portal's address and with a personal token there and on the port; and the rules of sessions."""

import time
import uuid

import pytest

from authorisation_services_test import ADMIN, KEY, verdict
from matrix import PAGE, read_table, rows_of
from people import SETTING, People
from service import DATABASE_SETTINGS, ENGINES, Servers, Service
from service_rows_test import ask

SERVICES = ("experiments", "support", "livedata", "orchestrator")
AREAS = {"experiments": "experiments", "support": "support", "livedata": "data", "orchestrator": "models"}
COMMON = {"AB_RATE_LIMIT_ENABLED": "false", "AB_LLM_BASE_URL": "", "RATE_LIMIT_ENABLED": "false", "AUTH_FAILURE_LIMIT": "100000",
          "LIVE_RATE_LIMIT_RPM": "100000", "LIVE_MAX_FAILED_AUTH_PER_IP_PER_HOUR": "100000", "ORCH_RATE_LIMIT_RPM": "0",
          "ORCH_EXECUTION_PROFILE": "dry-run", "ASSAY_CONNECTIONS_PER_CLIENT": "0"}
LOCKED = {"AB_API_TOKEN": KEY, "API_KEY": KEY, "PROMETHEUS_METRICS_REQUIRE_AUTH": "true", "LIVE_API_KEYS": f"{KEY}:matrix",
          "LIVE_ADMIN_KEY": ADMIN, "ORCH_API_KEY": KEY}
OPEN = {"ALLOW_ANONYMOUS_ADMIN": "true", "LIVE_AUTH_DISABLED": "true"}
# Kinds of people by service: their role, and what else is special.
KINDS = {
    "experiments": {"no role": (None, {}), "viewer": ("viewer", {}), "analyst": ("analyst", {}), "admin": ("admin", {}),
                    "reading token": ("viewer", {"read_only": True})},
    "support": {"no role": (None, {}), "viewer": ("viewer", {}), "agent": ("agent", {}), "reviewer": ("reviewer", {}),
                "admin": ("admin", {"tenant": "acme"}), "operator": ("admin", {}), "reading token": ("agent", {"read_only": True})},
    "livedata": {"no role": (None, {}), "viewer": ("viewer", {}), "operator": ("operator", {}), "admin": ("admin", {}),
                 "admin: tenant": ("admin", {"tenant": "acme"}), "reading token": ("operator", {"read_only": True})},
    "orchestrator": {"no role": (None, {}), "viewer": ("viewer", {}), "analyst": ("analyst", {}), "admin": ("admin", {}),
                     "reading token": ("analyst", {"read_only": True})},
}
TABLES = {service: read_table(service, [*KINDS[service], "nobody"], first="people") for service in SERVICES}
# What is for everybody on the port, whatever the tables say for the portal.
OPEN_PORTS = {"experiments": {("GET", "/metrics")}, "livedata": {("GET", "/metrics")}, "support": set(), "orchestrator": set()}
CHANGING = {"POST", "PUT", "PATCH", "DELETE"}


class Suite:
    """All four services, on their ports and under the portal; and people."""

    def __init__(self, engine, settings):
        urls = {}
        if engine != "sqlite":
            urls = {name: Servers.new_database() for name in [*DATABASE_SETTINGS.values(), SETTING]}
        self.service = Service(SERVICES[0], {**COMMON, **settings, **urls}, services=SERVICES)
        self.service.__enter__()
        self.people, self.known = People(self.service.stack), {}

    def close(self):
        self.service.__exit__(None, None, None)

    def port(self, service):
        return self.service.beside(service)

    def portal(self, service):
        area = self.service.beside(service)
        _ = area.document
        area.url = self.service.stack.area_url(service)
        return area

    def origin(self):
        return {"Origin": self.service.stack.portal_url}

    def person(self, service, kind):
        if (service, kind) not in self.known:
            role, more = KINDS[service][kind]
            name = f"{service}-{kind}".replace(" ", "-").replace(":", "")
            self.known[service, kind] = self.people.add(name, **more, **({AREAS[service]: role} if role else {}))
        return self.known[service, kind]


def suites(request, settings):
    suite = Suite(request.param, settings)
    yield suite
    suite.close()


@pytest.fixture(scope="module", params=ENGINES)
def locked(request):
    yield from suites(request, LOCKED)


@pytest.fixture(scope="module", params=ENGINES)
def opened(request):
    yield from suites(request, OPEN)


def problems_of(asked, table, kind, headers):
    """What is wrong with the answers of all routes to one credential."""
    for operation in asked.document.operations:
        body = {} if operation.spec.get("requestBody") else None
        answer = ask(asked, operation, headers(operation), str(uuid.uuid4()), json=body)
        cell = table[operation.method, operation.path][kind].rstrip("*")
        right = answer.status_code == int(cell) if cell.isdigit() else verdict(answer) == "yes"
        if not right:
            yield f"{operation.method} {operation.path} as {kind}: {answer.status_code} {answer.text[:80]}, the table says {cell}"


@pytest.mark.parametrize("service, kind", [(service, kind) for service in SERVICES for kind in KINDS[service]])
def test_people(locked, service, kind):
    person = locked.person(service, kind)
    on_port = {**TABLES[service], **{key: dict.fromkeys(KINDS[service], "yes") for key in OPEN_PORTS[service]}}
    for asked, table, headers in ((locked.portal(service), TABLES[service], lambda _: person.bearer()),
                                  (locked.port(service), on_port, lambda _: {"X-API-Key": person.token})):
        assert not list(problems_of(asked, table, kind, headers))
    if kind != "reading token":  # a session does not only read
        headers = lambda o: {**person.cookie(int(o.path.endswith("/logout"))), **locked.origin()}  # noqa: E731
        assert not list(problems_of(locked.portal(service), TABLES[service], kind, headers))


@pytest.mark.parametrize("service", SERVICES)
def test_the_portal_admits_nobody_unknown(opened, service):
    """Whatever mode the ports are open in; nor by a session on a port, nor by one that ended."""
    strangers = [{}, {"Cookie": "assay_session=no-such-session"}]
    for headers in strangers:
        assert not list(problems_of(opened.portal(service), TABLES[service], "nobody", lambda _, h=headers: h))


@pytest.mark.parametrize("service", SERVICES)
def test_a_session_is_nothing_on_a_port(locked, service):
    person = locked.person(service, "admin")
    path = {"experiments": "/api/v1/projects", "support": "/api/sessions", "livedata": "/v1/catalog", "orchestrator": "/api/v1/tasks"}
    assert locked.portal(service).get(path[service], headers=person.cookie()).status_code == 200
    assert locked.port(service).get(path[service], headers=person.cookie()).status_code == 401
    assert locked.port(service).get(path[service], headers={**person.cookie(), "SITE-PREFIX": "/x", "Site_Prefix": "/x"}
                                    ).status_code == 401


@pytest.mark.parametrize("service", SERVICES)
def test_a_given_password_is_changed_first(locked, service):
    """Neither a session nor a token of whoever has not done so is answered, and again is after it."""
    name = f"given-{service}"
    person = locked.people.add(name, **{AREAS[service]: "admin"})
    path = {"experiments": "/api/v1/projects", "support": "/api/sessions", "livedata": "/v1/catalog", "orchestrator": "/api/v1/tasks"}
    asked = [(locked.portal(service), person.cookie()), (locked.portal(service), person.bearer()),
             (locked.port(service), {"X-API-Key": person.token})]
    locked.people.sql(f"UPDATE people SET must_change_password = 1 WHERE username = '{name}'")
    for area, headers in asked:
        answer = area.get(path[service], headers=headers)
        assert answer.status_code == 403 and "Change the password that you were given first" in answer.text, answer.text
        if service != "orchestrator":  # whose errors have no codes
            assert "password_change_required" in answer.text
    locked.people.sql(f"UPDATE people SET must_change_password = 0 WHERE username = '{name}'")
    time.sleep(5.2)  # what was found is kept so long; the store was changed past the services
    for area, headers in asked:
        assert area.get(path[service], headers=headers).status_code == 200


@pytest.mark.parametrize("service", SERVICES)
def test_answers_of_the_portal_stay_in_no_cache(locked, service):
    person = locked.person(service, "admin")
    path = {"experiments": "/api/v1/projects", "support": "/api/sessions", "livedata": "/v1/catalog", "orchestrator": "/api/v1/tasks"}
    for headers, status in ((person.cookie(), 200), ({}, 401)):
        answer = locked.portal(service).get(path[service], headers=headers)
        assert (answer.status_code, answer.headers.get("Cache-Control")) == (status, "no-store")


@pytest.mark.parametrize("service", SERVICES)
def test_other_pages_change_nothing_with_a_session(locked, service):
    """No Origin, another's, none that a browser would tell: as without a session."""
    person, asked = locked.person(service, "admin"), locked.portal(service)
    for more in ({}, {"Origin": "https://elsewhere.example"}, {"Origin": "null"}, {"Origin": locked.port(service).url},
                 {"Origin": locked.service.stack.portal_url.replace("http:", "https:")}):
        for operation in asked.document.operations:
            cell = TABLES[service][operation.method, operation.path]["nobody"]
            if operation.method not in CHANGING or cell != "401":
                continue
            body = {} if operation.spec.get("requestBody") else None
            answer = ask(asked, operation, {**person.cookie(), **more}, str(uuid.uuid4()), json=body)
            assert answer.status_code in (401, 403), f"{operation.name} with {more}: {answer.status_code}"


@pytest.mark.parametrize("service, path, header", [
    ("experiments", "/api/v1/projects", "Authorization"), ("experiments", "/api/v1/projects", "X-API-Key"),
    ("support", "/api/sessions", "Authorization"), ("support", "/api/sessions", "X-API-Key"),
    ("livedata", "/v1/catalog", "Authorization"), ("livedata", "/v1/catalog", "X-API-Key"),
    ("livedata", "/v1/admin/keys", "X-Admin-Key"),
    ("orchestrator", "/api/v1/tasks", "Authorization"), ("orchestrator", "/api/v1/tasks", "X-API-Key")])
def test_a_bad_credential_is_not_overruled_by_a_session(locked, service, path, header):
    person = locked.person(service, "operator" if service == "support" else "admin")
    asked = locked.portal(service)
    assert asked.get(path, headers=person.cookie()).status_code == 200
    for wrong in ("no-such-credential", "assay_no-such-token", "assay_" + "x" * 43):
        value = f"Bearer {wrong}" if header == "Authorization" else wrong
        assert asked.get(path, headers={**person.cookie(), header: value}).status_code in (401, 403), wrong


def test_what_is_taken_back_is_refused(locked):
    """Within the seconds for which what was found is kept; here the store was changed past the services."""
    people, asked = locked.people, locked.portal("experiments")
    one = people.add("leaves", experiments="analyst")
    for headers in (one.cookie(), one.bearer()):
        assert asked.get("/api/v1/projects", headers=headers).status_code == 200
    people.switch_off("leaves")
    time.sleep(5.2)
    for headers in (one.cookie(), one.bearer()):
        assert asked.get("/api/v1/projects", headers=headers).status_code == 401


def test_visitors_of_the_help_page():
    """What customers without an account may do where the settings admit them."""
    lines = rows_of(PAGE.read_text(), "visitor")[1:]
    admitted = {tuple(cell.replace("`", "").split(" ")) for cell, _ in lines}
    with Service("support", {**COMMON, **LOCKED, "HELP_VISITOR_TENANT": "default"}) as port:
        under_portal = port.beside("support")
        _ = under_portal.document
        under_portal.url = port.stack.area_url("support")
        for asked in (port, under_portal):
            for operation in asked.document.operations:
                key = (operation.method, operation.path)
                body = {} if operation.spec.get("requestBody") else None
                allowed = key in admitted or TABLES["support"][key]["nobody"] == "yes"
                answer = ask(asked, operation, {}, str(uuid.uuid4()), json=body)
                assert allowed == (verdict(answer) == "yes"), f"{key} as a visitor: {answer.status_code}"
                wrong = ask(asked, operation, {"X-API-Key": "no-such-key"}, str(uuid.uuid4()), json=body)
                assert key not in admitted or wrong.status_code == 403, "a wrong credential makes nobody a visitor"


def test_the_audit_log_names_people(locked):
    person, asked = locked.person("experiments", "analyst"), locked.portal("experiments")
    made = asked.post("/api/v1/templates", asked.document.example(asked.document.find("POST", "/api/v1/templates")),
                      headers={**person.cookie(), **locked.origin()})
    assert made.status_code == 200, made.text
    entries = asked.get("/api/v1/audit", headers=person.bearer()).json()
    assert f"user:{person.username}" in str(entries)
